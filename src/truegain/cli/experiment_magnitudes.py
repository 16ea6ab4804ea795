"""The command `truegain experiment magnitudes`: magnitude estimates of relevance as gains."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from truegain.cli.options import PROPORTION, SeedAndJobs, advanced, study_or_judgments, with_options
from truegain.cli.output import FigureOutput
from truegain.cli.paper_output import WholePaper, as_typed, folder_for, tell_idle, write_paper
from truegain.cli.rating_options import RatingOptions
from truegain.errors import TruegainError
from truegain.io.files import shown_path
from truegain.message import option

if TYPE_CHECKING:
    from truegain.experiments.magnitude_rankings import RankingRules
    from truegain.report.magnitude_paper import MagnitudePaper

Show = Literal[
    "all", "alpha", "collected", "combinations", "documents", "habits",
    "normalized", "numbers", "extremes", "units", "levels", "means",
    "tests", "experts", "sigma", "profile", "ratios", "systems", "resampled", "mappings",
]  # fmt: skip

RANKED, TESTED = ("systems", "all"), ("systems", "mappings", "all")
MAPPED = ("systems", "resampled", "mappings", "all")
DRAWN = ("units", "aggregate", "best", "wide_from")  # a figure of resampled shows these gains beside
HEEDED = {  # by which --show; others by each
    "units": RANKED, "aggregate": RANKED, "best": RANKED, "wide_from": ("units", *RANKED), "measure": MAPPED,
    "simulated": MAPPED, "mapping": ("mappings", "all"), "test": TESTED, "alpha": TESTED,
    "replicates": ("alpha", "resampled", "all"),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class RankingOptions(SeedAndJobs):
    """How magnitudes rank systems."""

    units: Annotated[
        list[str] | None,
        advanced(
            "--units",
            help="Units that give the gain of a document: all, top3 (by --best), narrow, wide. "
            "Repeatable (default: each).",
        ),
    ] = None
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="Measure with a cutoff (default: nDCG@10 and ERR@10, as published). Repeatable, or with commas.",
        ),
    ] = None
    simulated: Annotated[
        int, advanced("--simulated", min=0, help="Rank this many simulated systems, merged from judged lists.")
    ] = 0
    replicates: Annotated[int, advanced("--resamples", min=1, help="Number of resamples.")] = 1000
    best: Annotated[
        int,
        advanced(
            "--best",
            min=1,
            help="Number of units that give the gain of a document: those that agree best with experts.",
        ),
    ] = 3
    wide_from: Annotated[
        float | None,
        advanced("--wide-from", help="Smallest ratio Hk/Nk of a wide unit, such as 5 (default: the median)."),
    ] = None
    aggregate: Annotated[
        str,
        typer.Option(
            "--aggregate",
            help="Mean of a document's magnitudes, its gain when systems are ranked: median, geometric or arithmetic.",
        ),
    ] = "median"
    mapping: Annotated[
        list[str] | None,
        advanced(
            "--mapping",
            help="Gain of level C, such as '2^(1 + C)', for --show mappings (default: those of table III). Repeatable.",
        ),
    ] = None
    test: Annotated[str, typer.Option("--test", help="Test of the top set: wilcoxon, or another one of `compare`.")] = (
        "wilcoxon"
    )
    alpha: Annotated[
        float, typer.Option("--alpha", click_type=PROPORTION, help="Significance level, for top sets.")
    ] = 0.05

    def rules(self) -> RankingRules:
        """What is not as in the paper."""
        from truegain.experiments.magnitude_rankings import MAPPINGS, RankingRules

        return RankingRules(
            best=self.best,
            wide_from=self.wide_from,
            aggregate=self.aggregate,
            mappings=tuple(self.mapping or MAPPINGS),
            test=self.test,
            alpha=self.alpha,
        )


@with_options(ranking=RankingOptions, reading=RatingOptions, printing=FigureOutput)
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
        str | None, advanced("--second", help="Judgments of a second expert, for --show experts and --all.")
    ] = None,
    runs: Annotated[
        list[str] | None, typer.Argument(help="Runs, to rank systems: files, folders or globs.", metavar="[RUN...]")
    ] = None,
    show: Annotated[
        Show, typer.Option("--show", help="Table to print; CSV, JSON and similar formats contain one.")
    ] = "all",
    whole: WholePaper = False,
    normalize: Annotated[
        Literal["geometric", "median", "range", "anchors", "none"],
        typer.Option("--normalize", help="How to put magnitudes on one scale before ranking systems."),
    ] = "geometric",
    *,
    ranking: RankingOptions,
    reading: RatingOptions,
    printing: FigureOutput,
) -> None:
    """Analyze magnitude estimates of relevance: agreement with experts, and system rankings.

    Examples:
        truegain experiment magnitudes demo/magnitudes.csv --expert demo/expert.qrels
        truegain experiment magnitudes demo/magnitudes.csv demo/magnitude-runs --expert demo/expert.qrels --show systems

    """
    from truegain.data.judgments import Judgments
    from truegain.experiments.magnitude_rankings import MEASURES
    from truegain.experiments.magnitude_units import read_magnitudes
    from truegain.io.files import expand
    from truegain.report.magnitude_paper import OF_RUNS, MagnitudePaper

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
    folder = folder_for(whole, show, printing)
    if folder is None:
        drawn = {} if printing.figure is None else {name: (*HEEDED[name], "resampled") for name in DRAWN}
        tell_idle(show, HEEDED | drawn, ranking)
    paper = MagnitudePaper(
        read_magnitudes(reading.load(ratings, normalize=normalize, expert=expert)),
        Judgments.of(expert),
        None if second is None else Judgments.of(second),
        expand(runs) if runs else None,
        normalize=normalize,
        measures=ranking.measure or MEASURES,
        sources=ranking.units,
        simulated=ranking.simulated,
        replicates=ranking.replicates,
        seed=ranking.seed,
        jobs=ranking.jobs,
        rules=ranking.rules(),
    )
    if folder is not None:
        typed = [shown_path(name) for name in (ratings, *(runs or ()))]
        typed += ["--normalize", normalize] if normalize != "geometric" else []
        typed += as_typed(ranking, leave_out=("simulated",)) + as_typed(reading)  # simulated: of some exhibits alone
        _write_all(folder, paper, typed, expert, second)
        return
    first = show if show != "all" else "systems" if runs else "combinations"
    if show == "all" and printing.format == "table":
        names = ["combinations", "habits", "numbers", "extremes", "levels", *paper.possible()]
        names += ["experts"] if second is not None else []
        printing.write_texts([*map(paper.table, names), *([paper.systems] if runs else [])])
    else:
        printing.write(paper.table(first))
    printing.draw(lambda: paper.chart(first))


def _write_all(folder: str, paper: MagnitudePaper, typed: Sequence[str], expert: str, second: str | None) -> None:
    """Every table and figure of the paper into a folder, and its page; `typed` are files and options for each."""
    begin = ["truegain", "experiment", "magnitudes", *typed]
    commands = {"expert": shlex.join([*begin, "--expert", expert, *(["--second", second] if second else [])])}
    if second is not None:
        commands["second"] = shlex.join([*begin, "--expert", second])
    about = [
        "E. Maddalena, S. Mizzaro, F. Scholer and A. Turpin, On crowdsourcing relevance magnitudes for information "
        "retrieval evaluation, ACM Transactions on Information Systems 35(3), 2017: its tables and figures, of the "
        "magnitudes named in the commands below.",
        f"{len(paper.ratings):,} magnitudes, {len(paper.ratings.topic.values)} topics, normalized: {paper.normalize}; "
        f"{paper.replicates:,} resamples, seed {paper.seed}.",
    ]
    write_paper(folder, "Relevance magnitudes: tables and figures", paper.exhibits(commands), about)
