"""The command `truegain experiment magnitudes`: magnitude estimates of relevance as gains."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from truegain.cli.label_options import Reading, reads_ratings
from truegain.cli.options import PROPORTION, Figure, Jobs, Output, OutputFormat, Seed, advanced, study_or_judgments
from truegain.cli.output import table_format_of, write_table
from truegain.errors import TruegainError
from truegain.message import option
from truegain.results.base import Table

if TYPE_CHECKING:
    from truegain.data.judgments import Judgments
    from truegain.experiments.magnitude_rankings import SystemExperiment

Show = Literal[
    "all", "collected", "combinations", "habits", "normalized", "numbers", "extremes", "units", "levels", "means",
    "tests", "experts", "sigma", "profile", "ratios", "systems", "resampled", "mappings",
]  # fmt: skip
OF_RUNS = ("systems", "resampled", "mappings")


class Asked(NamedTuple):
    """What the tables and figures are made of."""

    ratings: Judgments
    expert: Judgments
    systems: SystemExperiment | None
    normalize: str
    second: Judgments | None


@reads_ratings
def magnitudes_command(
    ratings: Annotated[
        str,
        typer.Argument(
            help="Magnitude estimates: topic, doc, assessor, label, and unit and anchor if known. Or study.toml, which "
            "names them.",
            metavar="RATINGS",
            is_eager=True,
            callback=study_or_judgments,
        ),
    ],
    expert: Annotated[
        str,
        typer.Option("--expert", help="Judgments of an expert: a file, or column:NAME or assessor:NAME of RATINGS."),
    ],
    second: Annotated[
        str | None, advanced("--second", help="Judgments of a second expert, for --show experts.")
    ] = None,
    runs: Annotated[
        list[str] | None, typer.Argument(help="Runs, to rank systems: files, folders or globs.", metavar="[RUN...]")
    ] = None,
    show: Annotated[Show, typer.Option("--show", help="Table to print; CSV, JSON and the like hold one.")] = "all",
    normalize: Annotated[
        Literal["geometric", "median", "range", "anchors", "none"],
        typer.Option("--normalize", help="How to put magnitudes on one scale before they rank systems."),
    ] = "geometric",
    units: Annotated[
        list[str] | None,
        advanced("--units", help="Units of a gain: all, top3, narrow or wide. Repeatable (default: each)."),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--measure", help="Measure with a cutoff (default: nDCG@10 and ERR@10, as published). Repeatable."
        ),
    ] = None,
    simulated: Annotated[
        int, advanced("--simulated", min=0, help="Rank this many simulated systems, merged from judged lists.")
    ] = 0,
    replicates: Annotated[int, advanced("--resamples", min=1, help="Number of resamples.")] = 1000,
    alpha: Annotated[
        float, typer.Option("--alpha", click_type=PROPORTION, help="Significance level, for top sets.")
    ] = 0.05,
    seed: Seed = 0,
    jobs: Jobs = None,
    figure: Figure = None,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    reading: Reading,
) -> None:
    """Analyze magnitude estimates of relevance: agreement with experts, and system rankings.

    Examples:
        truegain experiment magnitudes demo/magnitudes.csv --expert demo/expert.qrels
        truegain experiment magnitudes demo/magnitudes.csv demo/magnitude-runs --expert demo/expert.qrels --show systems

    """
    from truegain.data.judgments import Judgments
    from truegain.experiments.magnitude_rankings import MEASURES, magnitude_systems
    from truegain.experiments.magnitude_units import read_magnitudes
    from truegain.io.files import expand, write_bytes
    from truegain.report.charts import check_ending

    if figure is not None:
        check_ending(figure)
        if show == "collected":
            raise TruegainError(
                f"{option('--show')} collected is a table of counts and has no figure; leave {option('--figure')} out"
            )
    if show in OF_RUNS and not runs:
        raise TruegainError(f"{option('--show')} {show} ranks systems: give runs after the magnitudes")
    if show == "experts" and second is None:
        raise TruegainError(
            f"{option('--show')} experts compares two experts: give the other's judgments with {option('--second')}"
        )
    table, judged = read_magnitudes(reading.load(ratings, normalize=normalize, expert=expert)), Judgments.of(expert)
    systems: SystemExperiment | None = None
    if runs and (show == "all" or show in OF_RUNS):
        systems = magnitude_systems(
            table, judged, expand(runs), normalize=normalize, sources=units, measures=measure or MEASURES,
            simulated=simulated, replicates=replicates, alpha=alpha, seed=seed, jobs=jobs,
        )  # fmt: skip
    given = Asked(table, judged, systems, normalize, None if second is None else Judgments.of(second))
    people = table_format_of(output_format, output) == "table"
    if show == "all" and people:
        shown = ["combinations", "habits", "numbers", "extremes", "levels", *_possible(table, judged)]
        shown += ["experts"] if second is not None else []
        parts = [str(table_of(name, given)) for name in shown]
        write_bytes(output, ("\n\n".join([*parts, *([str(systems)] if systems else [])]) + "\n").encode())
    else:
        chosen = show if show != "all" else "systems" if systems else "combinations"
        write_table(table_of(chosen, given), output_format, output)
    if figure is not None:
        from truegain.report.charts import save

        drawn = show if show != "all" else "systems" if systems else "combinations"
        save(chart_of(drawn, given), figure)


def _possible(table: Judgments, expert: Judgments) -> list[str]:
    """The tables that need anchors or graded levels, where these are there."""
    from truegain.experiments.magnitude_units import Units

    found = ["profile"] if Units.of(table, expert).has_anchors else []
    return [*found, "ratios"] if len(set(expert.label[expert.label >= 0].tolist())) > 2 else found


def table_of(show: str, given: Asked) -> Table:
    """The table of a name."""
    from truegain.experiments import magnitude_levels as levels
    from truegain.experiments import magnitude_levels as profiles
    from truegain.experiments import magnitude_units as of_units
    from truegain.experiments.magnitude_units import collected_table, magnitudes, normalized_habits

    table, expert, systems, normalize, second = given
    if systems is not None and show in OF_RUNS:
        return {"systems": systems.rankings, "resampled": systems.resampled, "mappings": systems.mappings}[show]
    if second is not None and show == "experts":
        return levels.experts_table(table, expert, second, normalize)
    made: dict[str, Callable[[], Table]] = {
        "combinations": lambda: magnitudes(table, expert).combinations,
        "collected": lambda: collected_table(table),
        "habits": lambda: magnitudes(table, expert).habits,
        "normalized": lambda: normalized_habits(table, normalize),
        "numbers": lambda: of_units.numbers_table(table),
        "extremes": lambda: of_units.extremes_table(table),
        "units": lambda: of_units.units_table(of_units.Units.of(table, expert)),
        "levels": lambda: profiles.levels_table(table, expert, normalize),
        "means": lambda: levels.means_table(table, expert, normalize),
        "tests": lambda: levels.apart_table(table, expert, normalize),
        "sigma": lambda: levels.sigma_table(table, normalize),
        "profile": lambda: profiles.profile_table(table, expert),
        "ratios": lambda: profiles.ratios_table(table, expert),
    }
    return made[show]()


def chart_of(show: str, given: Asked) -> Any:
    """The figure that belongs to a table."""
    from truegain.aggregation.magnitudes import normalized
    from truegain.experiments.magnitude_levels import document_sigmas
    from truegain.report import experiment_figures as draw
    from truegain.report import experiment_figures as of_levels
    from truegain.report import experiment_figures as of_units

    table, normalize, systems = given.ratings, given.normalize, given.systems
    if systems is not None and show in ("systems", "resampled"):
        return _systems(show, systems)
    if show in ("habits", "normalized"):
        drawn = table if show == "habits" else normalized(table, normalize)
        by = {f"topic {t}": drawn.label[drawn.topic.code == c] for c, t in enumerate(drawn.topic.values)}
        return draw.cdf_chart({"all": drawn.label, **by} if len(by) > 1 else by)
    found = table_of(show, given)
    if show == "sigma":
        return of_levels.sigma_chart(found, document_sigmas(table, normalize).sds)
    charts: dict[str, Callable[[Table], Any]] = {
        "combinations": draw.combinations_chart,
        "numbers": of_units.numbers_chart,
        "extremes": of_units.extremes_chart,
        "units": of_units.units_chart,
        "means": of_levels.means_chart,
        "tests": of_levels.apart_chart,
        "experts": of_levels.experts_chart,
        "mappings": of_units.mappings_chart,
    }
    return charts.get(show, draw.levels_chart)(found)


def _systems(show: str, systems: SystemExperiment) -> Any:
    """Systems by two gains, or the spread of tau."""
    from truegain.report import experiment_figures as draw

    measures = list(systems.draws)
    sources = list(dict.fromkeys(source for source, _ in systems.ranked if source != "expert"))
    if show == "resampled":
        taus = {
            m: {str(r["units"]): r["tau"] for r in systems.rankings.records() if r["measure"] == m} for m in measures
        }
        return draw.taus_chart(systems.draws, taus, "One score drawn for each document")  # type: ignore[arg-type]
    source = "top3" if "top3" in sources else sources[0]
    panels = []
    for m in measures:
        one, two = systems.ranked[source, m], systems.ranked["expert", m]
        panels.append((m, one.systems, one.means, two.means, one.top, two.top))
    return draw.systems_chart(panels, f"Systems by magnitudes (units: {source}) and by experts")
