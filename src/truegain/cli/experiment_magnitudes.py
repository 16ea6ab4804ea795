"""The command `truegain experiment magnitudes`: magnitude estimates of relevance as gains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from truegain.cli.options import PROPORTION, SeedAndJobs, advanced, study_or_judgments, takes
from truegain.cli.output import FigureOutput
from truegain.cli.rating_options import Reading
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


class MagnitudeInputs(NamedTuple):
    """What the tables and figures are made of."""

    ratings: Judgments
    expert: Judgments
    systems: SystemExperiment | None
    normalize: str
    second: Judgments | None


@dataclass(frozen=True, kw_only=True)
class RankingOptions(SeedAndJobs):
    """How magnitudes rank systems."""

    units: Annotated[
        list[str] | None,
        advanced("--units", help="Units of a gain: all, top3, narrow or wide. Repeatable (default: each)."),
    ] = None
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--measure", help="Measure with a cutoff (default: nDCG@10 and ERR@10, as published). Repeatable."
        ),
    ] = None
    simulated: Annotated[
        int, advanced("--simulated", min=0, help="Rank this many simulated systems, merged from judged lists.")
    ] = 0
    replicates: Annotated[int, advanced("--resamples", min=1, help="Number of resamples.")] = 1000
    alpha: Annotated[
        float, typer.Option("--alpha", click_type=PROPORTION, help="Significance level, for top sets.")
    ] = 0.05


@takes(ranking=RankingOptions, reading=Reading, printing=FigureOutput)
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
    *,
    ranking: RankingOptions,
    reading: Reading,
    printing: FigureOutput,
) -> None:
    """Analyze magnitude estimates of relevance: agreement with experts, and system rankings.

    Examples:
        truegain experiment magnitudes demo/magnitudes.csv --expert demo/expert.qrels
        truegain experiment magnitudes demo/magnitudes.csv demo/magnitude-runs --expert demo/expert.qrels --show systems

    """
    from truegain.data.judgments import Judgments
    from truegain.experiments.magnitude_rankings import MEASURES, magnitude_systems
    from truegain.experiments.magnitude_units import read_magnitudes
    from truegain.io.files import expand

    if printing.figure is not None and show == "collected":
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
            table,
            judged,
            expand(runs),
            normalize=normalize,
            sources=ranking.units,
            measures=ranking.measure or MEASURES,
            simulated=ranking.simulated,
            replicates=ranking.replicates,
            alpha=ranking.alpha,
            seed=ranking.seed,
            jobs=ranking.jobs,
        )
    magnitudes = MagnitudeInputs(table, judged, systems, normalize, None if second is None else Judgments.of(second))
    first = show if show != "all" else "systems" if systems else "combinations"
    if show == "all" and printing.format == "table":
        names = ["combinations", "habits", "numbers", "extremes", "levels", *_possible(table, judged)]
        names += ["experts"] if second is not None else []
        printing.write_texts([*(table_of(name, magnitudes) for name in names), *([systems] if systems else [])])
    else:
        printing.write(table_of(first, magnitudes))
    printing.draw(lambda: chart_of(first, magnitudes))


def _possible(table: Judgments, expert: Judgments) -> list[str]:
    """The tables that need anchors or graded levels, where these are there."""
    from truegain.experiments.magnitude_units import Units

    is_graded = len(set(expert.label[expert.label >= 0].tolist())) > 2
    return ["profile"] * Units.of(table, expert).has_anchors + ["ratios"] * is_graded


def table_of(show: str, of: MagnitudeInputs) -> Table:
    """The table of a name."""
    from truegain.experiments import magnitude_levels as levels
    from truegain.experiments import magnitude_units as units

    table, expert, systems, normalize, second = of
    if systems is not None and show in OF_RUNS:
        return {"systems": systems.rankings, "resampled": systems.resampled, "mappings": systems.mappings}[show]
    if second is not None and show == "experts":
        return levels.experts_table(table, expert, second, normalize)
    tables: dict[str, Callable[[], Table]] = {
        "combinations": lambda: units.magnitudes(table, expert).combinations,
        "collected": lambda: units.collected_table(table),
        "habits": lambda: units.magnitudes(table, expert).habits,
        "normalized": lambda: units.normalized_habits(table, normalize),
        "numbers": lambda: units.numbers_table(table),
        "extremes": lambda: units.extremes_table(table),
        "units": lambda: units.units_table(units.Units.of(table, expert)),
        "levels": lambda: levels.levels_table(table, expert, normalize),
        "means": lambda: levels.means_table(table, expert, normalize),
        "tests": lambda: levels.apart_table(table, expert, normalize),
        "sigma": lambda: levels.sigma_table(table, normalize),
        "profile": lambda: levels.profile_table(table, expert),
        "ratios": lambda: levels.ratios_table(table, expert),
    }
    return tables[show]()


def chart_of(show: str, of: MagnitudeInputs) -> Any:
    """The figure that belongs to a table."""
    from truegain.aggregation.magnitudes import normalized
    from truegain.experiments.magnitude_levels import document_sigmas
    from truegain.report import experiment_figures as charts

    ratings, normalize, systems = of.ratings, of.normalize, of.systems
    if systems is not None and show in ("systems", "resampled"):
        return _systems_chart(show, systems)
    if show in ("habits", "normalized"):
        drawn = ratings if show == "habits" else normalized(ratings, normalize)
        by_topic = {f"topic {t}": drawn.label[drawn.topic.code == c] for c, t in enumerate(drawn.topic.values)}
        return charts.cdf_chart({"all": drawn.label, **by_topic} if len(by_topic) > 1 else by_topic)
    table = table_of(show, of)
    if show == "sigma":
        return charts.sigma_chart(table, document_sigmas(ratings, normalize).sds)
    chart_by_name: dict[str, Callable[[Table], Any]] = {
        "combinations": charts.combinations_chart,
        "numbers": charts.numbers_chart,
        "extremes": charts.extremes_chart,
        "units": charts.units_chart,
        "means": charts.means_chart,
        "tests": charts.apart_chart,
        "experts": charts.experts_chart,
        "mappings": charts.mappings_chart,
    }
    return chart_by_name.get(show, charts.levels_chart)(table)


def _systems_chart(show: str, systems: SystemExperiment) -> Any:
    """Systems by two gains, or the spread of tau."""
    from truegain.report import experiment_figures as charts

    measures = list(systems.draws)
    sources = list(dict.fromkeys(source for source, _ in systems.ranked if source != "expert"))
    if show == "resampled":
        taus = {
            m: {str(r["units"]): r["tau"] for r in systems.rankings.records() if r["measure"] == m} for m in measures
        }
        return charts.taus_chart(systems.draws, taus, "One score drawn for each document")  # type: ignore[arg-type]
    source = "top3" if "top3" in sources else sources[0]
    panels = []
    for m in measures:
        ours, experts = systems.ranked[source, m], systems.ranked["expert", m]
        panels.append((m, ours.systems, ours.means, experts.means, ours.top, experts.top))
    return charts.systems_chart(panels, f"Systems by magnitudes (units: {source}) and by experts")
