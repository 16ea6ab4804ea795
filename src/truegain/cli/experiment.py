"""The commands `truegain experiment ...`: published experiments, on your data."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from truegain.cli.experiment_collection import split_half_command
from truegain.cli.experiment_judge import judge_command
from truegain.cli.experiment_magnitudes import magnitudes_command
from truegain.cli.options import (
    PROPORTION,
    CountingOption,
    RelevantFrom,
    RunFiles,
    SeedAndJobs,
    advanced,
    with_options,
)
from truegain.cli.options import Judgments as JudgmentsFile
from truegain.cli.output import FigureOutput, in_commands
from truegain.cli.paper_output import WholePaper, as_typed, folder_for, write_paper
from truegain.cli.rating_options import RatingOptions, RatingsFile
from truegain.cli.streams import Progress
from truegain.data.ratings import Scale
from truegain.errors import TruegainError, warn
from truegain.io.files import expand, shown_path
from truegain.io.formats import system_name
from truegain.message import option

if TYPE_CHECKING:
    from truegain.data.judgments import Judgments
    from truegain.experiments.incomplete_collections import Incomplete
    from truegain.experiments.unanimity_gains import UnanimityExperiment, UnanimityGrid
    from truegain.report.content_paper import ContentPaper

# ---- The command `truegain experiment unanimity`: what changes where gains know whether the assessors agreed.


Alpha = Annotated[float, typer.Option("--alpha", click_type=PROPORTION, help="Significance level.")]


@dataclass(frozen=True, kw_only=True)
class Conclusions(FigureOutput, SeedAndJobs):
    """What is tested under both gains, and where the answer goes."""

    measure: Annotated[
        list[str] | None, typer.Option("-m", "--measure", help="Measure. Repeatable, or with commas.")
    ] = None
    replicates: Annotated[int, advanced("--resamples", min=1, help="Permutations of each Tukey test.")] = 5000
    counting: CountingOption = "plus-one"
    alpha: Alpha = 0.05
    changed: Annotated[
        bool,
        advanced(
            "--changed", help="In CSV, JSON and similar formats: write the changed pairs instead of the rankings."
        ),
    ] = False
    teams: Annotated[
        str | None,
        typer.Option(
            "--teams", help="Table of run and team: test pairs of the best run of each team, not of all runs."
        ),
    ] = None
    best_by: Annotated[
        str | None, advanced("--best-by", help="Measure that chooses the best run of each team (default: nG@1).")
    ] = None

    def lists(self, runs: list[str]) -> Any:
        """The runs, with their teams where these are told."""
        from truegain.experiments.unanimity_gains import BEST_BY, TeamRuns
        from truegain.io.files import expand

        if self.teams is None:
            if self.best_by is not None:
                raise TruegainError(f"{option('--best-by')} chooses a run of each team; give {option('--teams')} too")
            return expand(runs)
        return TeamRuns(expand(runs), self.teams, self.best_by or BEST_BY)

    def tests(self) -> dict[str, Any]:
        """What both experiments are told of the tests."""
        from truegain.experiments.unanimity_gains import MEASURES

        names = ("replicates", "alpha", "seed", "jobs", "counting")
        return {"measures": self.measure or MEASURES, **{name: getattr(self, name) for name in names}}

    def write_all(self, experiment: UnanimityExperiment | UnanimityGrid, chart: Callable[[], Any]) -> None:
        """Write the answer, and draw its figure."""
        if self.format == "table":
            self.write_texts(map(in_commands, experiment.tables()))
        else:
            self.write(experiment.changed if self.changed else experiment.rankings)
        self.draw(chart)


@with_options(conclusions=Conclusions, reading=RatingOptions)
def unanimity_command(
    ratings: RatingsFile,
    runs: RunFiles,
    p: Annotated[list[float] | None, typer.Option("--p", help="Weight of unanimity. Repeatable.")] = None,
    *,
    reading: RatingOptions,
    conclusions: Conclusions,
) -> None:
    """Test which conclusions change if gains reward unanimous assessors (Sakai 2017).

    Compares the sum of ratings with the unanimity-aware gain: rankings of systems and significant pairs.

    Examples:
        truegain experiment unanimity demo/ratings.csv demo/runs --scale 0:3 -m nDCG@10 --resamples 500
        truegain experiment unanimity demo/ratings.csv demo/runs --scale 0:3 --p 0.2 --resamples 500 --format csv

    """
    from truegain.experiments.unanimity_gains import PS, unanimity
    from truegain.report.unanimity_paper import unanimity_chart

    table, scale = from_0(reading, ratings)
    result = unanimity(table, conclusions.lists(runs), scale=scale, ps=p or PS, **conclusions.tests())
    conclusions.write_all(result, lambda: unanimity_chart(result.panels))


@with_options(conclusions=Conclusions)
def grid_command(
    judgments: JudgmentsFile,
    runs: RunFiles,
    dmax: Annotated[
        str, typer.Option("--dmax", help="Highest ratings of the simulated scales, with commas.")
    ] = "2,4,8",
    simulated_assessors: Annotated[
        str, typer.Option("--simulated-assessors", help="Numbers of simulated assessors, with commas.")
    ] = "5,10,20,40,80",
    p: Annotated[float, typer.Option("--p", help="Weight of unanimity.")] = 0.2,
    whole: WholePaper = False,
    *,
    conclusions: Conclusions,
) -> None:
    """Test what unanimity-aware gains change for simulated assessors, by scale and number (Sakai 2017).

    Examples:
        truegain experiment unanimity-grid demo/gold.qrels demo/runs --dmax 2 --simulated-assessors 5 --resamples 500
        truegain experiment unanimity-grid demo/gold.qrels demo/runs --dmax 2,4 --simulated-assessors 5,10 -m nDCG@10

    """
    from truegain.experiments.unanimity_gains import unanimity_grid
    from truegain.report.unanimity_paper import grid_chart

    folder = folder_for(whole, "all", conclusions)
    sizes = _numbers("--dmax", dmax, int, WHOLE_NUMBERS)
    counts = _numbers("--simulated-assessors", simulated_assessors, int, WHOLE_NUMBERS)
    with Progress(len(sizes) * len(counts), "cells") as progress:
        grid = unanimity_grid(
            conclusions.lists(runs),
            judgments,
            highest=sizes,
            assessors=counts,
            p=p,
            progress=progress.advance,
            **conclusions.tests(),
        )
    if folder is not None:
        typed = [*map(shown_path, (judgments, *runs)), "--dmax", dmax, "--simulated-assessors", simulated_assessors]
        typed += ["--p", f"{p:g}"] if p != 0.2 else []
        typed += as_typed(conclusions, leave_out=("changed", "output"))
        _write_grid(folder, grid, shlex.join(["truegain", "experiment", "unanimity-grid", *typed]))
        return
    conclusions.write_all(grid, lambda: grid_chart(grid.rankings))


def _write_grid(folder: str, grid: UnanimityGrid, command: str) -> None:
    """Every table of the paper into a folder, and its page."""
    from truegain.report.unanimity_paper import unanimity_exhibits

    about = [
        "T. Sakai, Unanimity-aware gain for highly subjective assessments, EVIA 2017: its tables, of the runs named in "
        "the commands below and of simulated assessors."
    ]
    write_paper(folder, "Unanimity-aware gain: tables", unanimity_exhibits(grid, command), about)


N = TypeVar("N", int, float)
PERCENTAGES = "numbers with commas, such as 1,5,15,100"
WHOLE_NUMBERS = "whole numbers with commas, such as 2,4,8"


def _numbers(option: str, text: str, kind: Callable[[str], N], form: str) -> tuple[N, ...]:
    """Numbers with commas; others are refused, with the form that they should have."""
    try:
        numbers = tuple(kind(number) for number in text.split(","))
    except ValueError:
        raise TruegainError(f"{option} {text}: not {form}") from None
    if kind is int and min(numbers) < 1:
        raise TruegainError(f"{option} {text}: give whole numbers of at least 1")
    return numbers


def from_0(reading: RatingOptions, path: str) -> tuple[Judgments, Scale]:
    """Ratings and their scale, which goes from 0 to the highest rating there is where the user declares no limits."""
    declared = Scale.of(reading.scale)
    low = 0.0 if declared.low is None else declared.low
    table = reading.load(path, scale=replace(declared, low=low))
    if declared.width is not None:
        return table, declared
    high = float(table.label.max()) if declared.high is None else declared.high
    if high <= low:
        raise TruegainError(f"no rating is above {low:g}; declare the scale, as in {option('--scale')} 0:3")
    warn(
        f"the limits of the ratings are not declared; assumed: {low:g} and {high:g} (the highest there is); if it "
        f"could have been higher, declare them, as in --scale 0:{high + 1:g}"
        if declared.high is None
        else f"the lowest rating is not declared; assumed: {low:g}; declare it, as in --scale {low:g}:{high:g}"
    )
    return table, replace(declared, low=low, high=high)


# ---- Several collections in one experiment: those that `--also` names beside the first.

Also = Annotated[
    list[str] | None,
    typer.Option(
        "--also",
        help="Another collection, NAME=JUDGMENTS,RUNS or NAME=JUDGMENTS,RUNS,CORPUS (default: the same corpus). "
        "Repeatable.",
    ),
]


@dataclass(frozen=True)
class JudgedCollection:
    """One collection of an experiment: its name, judgments, runs and corpus."""

    name: str
    judgments: str
    runs: Sequence[str]
    corpus: str | None


def collections(
    judgments: str, runs: Sequence[str], corpus: str | None, also: Sequence[str] | None
) -> list[JudgedCollection]:
    """The first collection, named as its judgments where there are others, and those that `--also` names.

    >>> [c.name for c in collections("web/2009.qrels", ["a.run"], None, ["2010=b.qrels,b.run"])]
    ['2009', '2010']
    """
    judged = [JudgedCollection(system_name(judgments) if also else "", judgments, expand(runs), corpus)]
    for text in also or ():
        name, _, files = (part.strip() for part in text.partition("="))
        parts = [part.strip() for part in files.split(",")]
        if not name or len(parts) not in (2, 3) or not all(parts):
            raise TruegainError(
                f"{option('--also')} {text}: not a collection; write NAME=JUDGMENTS,RUNS or NAME=JUDGMENTS,RUNS,CORPUS"
            )
        if name in {one.name for one in judged}:
            raise TruegainError(f"{option('--also')} {text}: there is a collection {name} already; choose another name")
        judged.append(JudgedCollection(name, parts[0], expand([parts[1]]), parts[2] if len(parts) == 3 else corpus))
    return judged


# ---- The commands `truegain experiment ...`: published experiments, on your data.

experiment = typer.Typer(name="experiment", no_args_is_help=True)


@experiment.callback()
def experiment_root() -> None:
    """Repeat published experiments on your data.

    Examples:
        truegain experiment discriminative demo/gold.qrels demo/runs -m AP -m nDCG@10 --resamples 500
        truegain experiment split-half demo/gold.qrels demo/runs --split topics

    """


experiment.command("judge")(judge_command)
experiment.command("magnitudes")(magnitudes_command)
experiment.command("unanimity")(unanimity_command)
experiment.command("unanimity-grid")(grid_command)
experiment.command("split-half")(split_half_command)


@experiment.command("incomplete")
@with_options(compute=SeedAndJobs, printing=FigureOutput)
def incomplete_command(
    judgments: JudgmentsFile,
    runs: RunFiles,
    corpus: Annotated[
        str | None, typer.Option("--corpus", help="Term statistics from `text index`, for measures that use text.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            help="Measure that ranks the systems with all judgments (default: alpha_nDCG@20; without corpus and "
            "subtopics nDCG@20). Repeatable, or with commas.",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="Measure that uses text (default: with a corpus AbsRB@20 and DeltaRB@20). Repeatable, or with commas.",
        ),
    ] = None,
    keep: Annotated[
        str, typer.Option("--keep", help="Percentages of the judgments to keep, with commas.")
    ] = "1,5,10,15,20,30,40,50,75,100",
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Random draws for each percentage.")] = 30,
    wide: Annotated[bool, typer.Option("--wide", help="One column per way of scoring, means only.")] = False,
    also: Also = None,
    *,
    compute: SeedAndJobs,
    printing: FigureOutput,
) -> None:
    """Measure how well each way of scoring keeps the ranking of systems as judgments are removed.

    In the figure, each --against is a row and each --also a column (figure 1 of Hui et al. 2017).

    Examples:
        truegain experiment incomplete demo/gold.qrels demo/runs --keep 10,50,100 --repeat 5
        truegain experiment incomplete demo/gold.qrels demo/runs --against AP --keep 25,100 --repeat 5 --wide

    """
    from truegain.experiments.incomplete_collections import incomplete_rankings, together
    from truegain.parallel.jobs import engine_for
    from truegain.report.content_paper import incomplete_chart

    shares = _numbers("--keep", keep, float, PERCENTAGES)
    every = collections(judgments, runs, corpus, also)
    with Progress(len(shares) * repeat * len(every), "draws") as progress:
        results = [
            replace(result, collection=one.name)
            for one in every
            for result in incomplete_rankings(
                one.runs,
                one.judgments,
                one.corpus,
                against=against or None,
                measures=measure or None,
                keep=shares,
                repeat=repeat,
                seed=compute.seed,
                engine=engine_for(compute.jobs),
                progress=progress.advance,
            )
        ]
    printing.write(together(results, wide))
    printing.draw(lambda: incomplete_chart(results))


@dataclass(frozen=True, kw_only=True)
class TwoParts:
    """How a collection is cut in two."""

    share_a: Annotated[
        float, typer.Option("--share-a", click_type=PROPORTION, help="Share of the documents in part A.")
    ] = 0.5
    part_a: Annotated[
        str | None,
        advanced(
            "--part-a",
            help="Documents of part A, in place of --share-a: a file with one id or pattern (web-*) per line.",
        ),
    ] = None
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Number of random splits, to show how tau varies.")] = 1
    seed: Annotated[int, advanced("--seed", min=0, help="Random seed of splits after the first.")] = 0
    keep: Annotated[
        str | None,
        advanced(
            "--keep",
            help="With --all: percentages of the judgments to keep, for figure 1 (default: from 1 to 100).",
        ),
    ] = None


@experiment.command("disjoint")
@with_options(parts=TwoParts, printing=FigureOutput)
def disjoint_command(
    judgments: JudgmentsFile,
    runs: RunFiles,
    corpus: Annotated[str, typer.Option("--corpus", help="Term statistics from `text index`.")],
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            help="Measure that uses labels (default: alpha_nDCG@20, ERR_IA@20 and NRBP). Repeatable, or with commas.",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--measure", help="Measure that uses text (default: all four, at 20). Repeatable, or with commas."
        ),
    ] = None,
    show: Annotated[
        Literal["reuse", "impact", "among", "against"], typer.Option("--show", help="Table 1, 2, 3 or 4 of the paper.")
    ] = "reuse",
    also: Also = None,
    whole: WholePaper = False,
    *,
    parts: TwoParts,
    printing: FigureOutput,
) -> None:
    """Test whether judgments of one part of a collection can rank systems on the other part, through text.

    The figure plots the ranks of systems under two measures; with --show against, it is figure 2 of Hui et al. 2017.

    Examples:
        truegain experiment disjoint demo/gold.qrels demo/runs --corpus corpus --against nDCG@20
        truegain experiment disjoint demo/gold.qrels demo/runs --corpus corpus --against P@10 --show among

    """
    from truegain.experiments.disjoint_collections import CONTENT, ESTABLISHED, disjoint
    from truegain.report.content_paper import ContentPaper

    folder = folder_for(whole, "all" if show == "reuse" else show, printing)
    if parts.keep is not None and folder is None:
        raise TruegainError(
            f"{option('--keep')} is about figure 1; give {option('--all')}, or use `experiment incomplete`"
        )
    if printing.figure is not None and show == "among" and len({*(against or ESTABLISHED)}) < 2:
        raise TruegainError(
            f"{option('--show')} among draws the systems by two measures: give another one with "
            f"{option('--against')}, or leave {option('--figure')} out"
        )
    cut: dict[str, Any] = {"share_a": parts.share_a, "part_a": parts.part_a, "repeat": parts.repeat, "seed": parts.seed}
    every = collections(judgments, runs, corpus, also)
    results = [
        replace(
            disjoint(
                one.runs,
                one.judgments,
                one.corpus or corpus,
                established=against or ESTABLISHED,
                content=measure or CONTENT,
                **cut,
            ),
            collection=one.name,
        )
        for one in every
    ]
    if folder is not None:
        removed = cache(partial(_removed, every, against or ESTABLISHED, measure, parts.keep, parts.seed))
        lists = [*map(shown_path, (judgments, *runs)), "--corpus", shown_path(corpus)]
        for name, values in (("--against", against), ("--measure", measure), ("--also", also)):
            lists += [word for value in values or () for word in (name, value)]
        _write_content(folder, ContentPaper(results, removed), lists, parts)
        return
    paper = ContentPaper(results)
    printing.write(paper.table(show))
    printing.draw(lambda: paper.chart(show))


def _removed(
    every: Sequence[JudgedCollection], against: Sequence[str], measure: list[str] | None, keep: str | None, seed: int
) -> list[Incomplete]:
    """Figure 1 of the paper: the rankings that are left where judgments are removed."""
    from truegain.experiments.incomplete_collections import KEEP, incomplete_rankings
    from truegain.parallel.jobs import engine_for

    shares = KEEP if keep is None else _numbers("--keep", keep, float, PERCENTAGES)
    return [
        replace(result, collection=one.name)
        for one in every
        for result in incomplete_rankings(
            one.runs,
            one.judgments,
            one.corpus,
            against=against,
            measures=measure or None,
            keep=shares,
            seed=seed,
            engine=engine_for(None),
        )
    ]


def _write_content(folder: str, paper: ContentPaper, lists: Sequence[str], parts: TwoParts) -> None:
    """Every table and figure of the paper into a folder, and its page; `lists` are the files and measures."""
    from truegain.experiments.disjoint_collections import ESTABLISHED

    about = [
        "K. Hui, K. Berberich and I. Mele, Dealing with incomplete judgments in cascade measures, ICTIR 2017: its "
        "tables and figures, of the collections named in the commands below."
    ]
    named = [] if "--against" in lists else [word for name in ESTABLISHED for word in ("--against", name)]
    kept = [*(["--keep", parts.keep] if parts.keep else []), *(["--seed", str(parts.seed)] if parts.seed else [])]
    cut = as_typed(parts, leave_out=("keep",))
    first = shlex.join(["truegain", "experiment", "incomplete", *lists, *named, *kept])
    command = shlex.join(["truegain", "experiment", "disjoint", *lists, *cut])
    write_paper(folder, "Incomplete judgments: tables and figures", paper.exhibits(command, first), about)


@experiment.command("discriminative")
@with_options(compute=SeedAndJobs, printing=FigureOutput)
def discriminative_command(
    judgments: JudgmentsFile,
    runs: RunFiles,
    measure: Annotated[
        list[str], typer.Option("-m", "--measure", help="Measure to compare with others. Repeatable, or with commas.")
    ],
    test: Annotated[
        Literal["randomized-tukey-hsd", "bootstrap"], typer.Option("--test", help="Significance test.")
    ] = "randomized-tukey-hsd",
    alpha: Alpha = 0.05,
    replicates: Annotated[
        int, advanced("--resamples", min=1, help="Number of resamples, shared by all measures.")
    ] = 5000,
    counting: CountingOption = "plus-one",
    *,
    compute: SeedAndJobs,
    printing: FigureOutput,
) -> None:
    """Measure the discriminative power of measures: the share of significantly different pairs (Sakai 2006).

    Examples:
        truegain experiment discriminative demo/gold.qrels demo/runs -m AP -m nDCG@10 -m P@10 --resamples 500
        truegain experiment discriminative demo/gold.qrels demo/runs -m AP -m P@10 --test bootstrap --resamples 500

    """
    from truegain.experiments.discriminative import discriminative_power, power_table
    from truegain.io.files import expand
    from truegain.measures.evaluate import evaluate
    from truegain.report.figures import asl_chart

    scores = evaluate(expand(runs), judgments, measure, jobs=compute.jobs)
    powers = discriminative_power(
        scores, test=test, alpha=alpha, replicates=replicates, counting=counting, **vars(compute)
    )
    printing.write(power_table(powers))
    printing.draw(lambda: asl_chart({power.measure: power.curve for power in powers}, alpha))


@experiment.command("spending")
@with_options(compute=SeedAndJobs, printing=FigureOutput)
def spending_command(
    judgments: JudgmentsFile,
    runs: RunFiles,
    gold: Annotated[str, typer.Option("--gold", help="All your gold labels; the experiment draws from them.")],
    measure: Annotated[str, typer.Option("-m", "--measure", help="Measure linear in the gain, or nDCG.")] = "P@10",
    numbers: Annotated[
        str, typer.Option("--numbers", help="Numbers of gold labels to try, with commas.")
    ] = "25,50,75,100,150,200,300,400,500",
    drawn_pairs: Annotated[
        int, typer.Option("--drawn-pairs", min=1, help="Number of pairs of systems, drawn at random.")
    ] = 20,
    draws: Annotated[int, typer.Option("--draws", min=1, help="Draws of gold labels for each pair.")] = 20,
    relevant_from: RelevantFrom = None,
    *,
    compute: SeedAndJobs,
    printing: FigureOutput,
) -> None:
    """Compare ways to sample gold labels, by the interval that each gives at each number of labels.

    The judgments are the bronze labels of the cheap judge. The experiment draws gold labels from those that you have.

    Examples:
        truegain experiment spending demo/llm.qrels demo/runs --gold demo/gold.qrels --numbers 50,100
        truegain experiment spending demo/llm.qrels demo/runs --gold demo/gold.qrels --drawn-pairs 2 --draws 5

    """
    from truegain.experiments.spending_again import WAYS, Labeled, spending
    from truegain.io.files import expand
    from truegain.parallel.jobs import engine_for
    from truegain.report.agreement_figures import spending_chart

    counts = _numbers("--numbers", numbers, int, "whole numbers with commas, such as 50,100,150")
    if min(counts) < 1:
        raise TruegainError(f"{option('--numbers')} {numbers}: give numbers of at least 1")
    labeled = Labeled.of(expand(runs), judgments, gold, measure, relevant_from=relevant_from, jobs=compute.jobs)
    with Progress(len(WAYS) * len(labeled.pairs(drawn_pairs, compute.seed)) * draws, "draws") as progress:
        table = spending(
            labeled,
            numbers=counts,
            pairs=drawn_pairs,
            draws=draws,
            seed=compute.seed,
            engine=engine_for(compute.jobs),
            progress=progress.advance,
        ).table()
    printing.write(table)
    printing.draw(lambda: spending_chart(table))
