"""The command `truegain experiment split-half`: whether intervals from one half of the data hold on the other half."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegain.cli.options import Confidence, NameBy, RunFiles, SeedAndJobs, advanced, option_for, with_options
from truegain.cli.options import Judgments as JudgmentsFile
from truegain.cli.output import FigureOutput
from truegain.cli.paper_output import WholePaper, as_typed, folder_for, tell_idle, write_paper
from truegain.cli.streams import Progress, tell
from truegain.cli.study_files import is_from_study_file
from truegain.config import RESAMPLES, Scoring
from truegain.data.runs import RunPaths
from truegain.errors import TruegainError, counted
from truegain.io.files import shown_path
from truegain.message import option

if TYPE_CHECKING:
    from truegain.report.collection_paper import CollectionPaper

Show = Literal["lists", "pilot", "small-r", "means", "systems", "whole"]
OF_COLLECTION = ("show", "part_a", "epsilon", "more_than")  # what topics that are split have nothing of
OF_SPLITS = ("lists", "pilot", "small-r", "means")
HEEDED = {"part_a": (*OF_SPLITS, "systems"), "repeat": OF_SPLITS, "more_than": ("lists", "pilot")}  # by which --show


@dataclass(frozen=True, kw_only=True)
class Splitting:
    """How the data is split, and what is told of it."""

    split: Annotated[
        Literal["collection", "topics"],
        typer.Option("--split", help="What to split: the collection (by MD5 of document ids), or the topics."),
    ] = "collection"
    part_a: Annotated[
        str | None,
        advanced(
            "--part-a", help="Documents of half A, in place of MD5: a file with one id or pattern (web-*) per line."
        ),
    ] = None
    repeat: Annotated[
        int | None,
        typer.Option("--repeat", min=1, help="Number of random splits (default: 1; of topics 200)."),
    ] = None
    show: Annotated[
        Show,
        typer.Option(
            "--show",
            help="Table to print: AP by list (tables 1 and 2 of the paper in one), pilot (1), small-r (2), means over "
            "topics (3 and 4), systems (figure 3), or the whole collection (figure 4).",
        ),
    ] = "lists"
    more_than: Annotated[
        int,
        advanced(
            "--more-than", min=0, help="Also report coverage for the topics with more relevant documents than this."
        ),
    ] = 5
    epsilon: Annotated[
        float, advanced("--epsilon", help="Keep AP at least this far from 0 and 1 before taking its logit.")
    ] = 0.0001
    name_by: NameBy = "file"

    def check_topics(self, others: dict[str, bool]) -> None:
        """Refuse what is about halves of the collection where the topics are split; `others`: which more are given."""
        typed = [f"--{n.replace('_', '-')}" for n in OF_COLLECTION if getattr(self, n) != getattr(Splitting, n)]
        for name in [*typed, *(name for name, is_given in others.items() if is_given)]:
            named = option(name)
            raise TruegainError(f"{named} is about halves of the collection; leave out {option('--split')} topics")


@with_options(splitting=Splitting, compute=SeedAndJobs, printing=FigureOutput)
def split_half_command(
    judgments: JudgmentsFile,
    runs: RunFiles,
    measure: Annotated[str, typer.Option("-m", "--measure", help="Measure, for --split topics.")] = "AP",
    relevant_from: Annotated[float, option_for(Scoring, "relevant_from")] = 1,
    replicates: Annotated[int, advanced("--resamples", min=40, help="Number of resamples.")] = RESAMPLES,
    confidence: Confidence = 0.95,
    whole: WholePaper = False,
    *,
    splitting: Splitting,
    compute: SeedAndJobs,
    printing: FigureOutput,
) -> None:
    """Check whether intervals from one half of the data cover the scores on the other half.

    Examples:
        truegain experiment split-half demo/gold.qrels demo/runs --split topics -m nDCG@10
        truegain experiment split-half demo/gold.qrels demo/runs --show means --repeat 3 --resamples 200

    """
    from truegain.experiments.halves import SPLITS, split_half, split_topics, whole_collection
    from truegain.io.memory import cores
    from truegain.parallel.jobs import engine_for
    from truegain.report.collection_paper import CollectionPaper
    from truegain.stats.multiple_testing import check_replicates
    from truegain.stats.student_t import check_confidence

    check_replicates(replicates, check_confidence(confidence))
    lists = RunPaths.of(runs, splitting.name_by)
    if splitting.split == "topics":
        splitting.check_topics({"--all": whole, "--figure": printing.figure is not None})
        if replicates != RESAMPLES:
            idle = f"{option('--resamples')} does not apply to {option('--split')} topics, whose intervals need none"
            tell(idle, "note")
        table = split_topics(
            lists,
            judgments,
            measure,
            relevant_from=relevant_from,
            confidence=confidence,
            splits=splitting.repeat or SPLITS,
            **vars(compute),
        )
        printing.write(table)
        return
    if measure != "AP" and not is_from_study_file("measure"):
        raise TruegainError(
            f"{option('--measure')} {measure} is for {option('--split')} topics; halves of the collection are compared "
            f"on AP: leave {option('--measure')} out, or give {option('--split')} topics"
        )
    folder = folder_for(whole, "all" if splitting.show == "lists" else splitting.show, printing)
    if folder is None:
        tell_idle(splitting.show, HEEDED, splitting)
    with Progress(None, "topics drawn") as progress:
        options: dict[str, Any] = {
            "relevant_from": relevant_from,
            "replicates": replicates,
            "confidence": confidence,
            "epsilon": splitting.epsilon,
            "seed": compute.seed,
            "jobs": compute.jobs or cores(),
            "engine": engine_for(compute.jobs),
            "progress": progress.advance,
        }
        splits = 1 if folder is None and splitting.show not in HEEDED["repeat"] else splitting.repeat or 1
        paper = CollectionPaper(
            cache(partial(split_half, lists, judgments, part_a=splitting.part_a, repeat=splits, **options)),
            cache(partial(whole_collection, lists, judgments, **options)),
            splitting.more_than,
        )
        if folder is not None or splitting.show == "whole":
            paper.whole()
        if folder is not None or splitting.show != "whole":
            paper.halves()
    if folder is not None:
        typed = [shown_path(name) for name in (judgments, *runs)]
        for name, value, default in (
            ("--relevant-from", relevant_from, 1),
            ("--resamples", replicates, RESAMPLES),
            ("--confidence", confidence, 0.95),
        ):
            typed += [name, f"{value:g}"] if value != default else []
        _write_all(folder, paper, [*typed, *as_typed(splitting), *as_typed(compute)], replicates)
        return
    printing.write(paper.table(splitting.show))
    printing.draw(lambda: paper.chart(splitting.show))
    if printing.figure is not None and splitting.show == "means":
        figure = shown_path(printing.figure)
        halves = "both halves" + (f" of the first of {splits} splits" if splits > 1 else "")
        tell(f"{figure} is the paper's figure 3, the systems on {halves}; --show systems is its table", "note")


def _write_all(folder: str, paper: CollectionPaper, typed: Sequence[str], replicates: int) -> None:
    """Every table and figure of the paper into a folder, and its page; `typed` are files and options for each."""
    halves = paper.halves()
    about = [
        "G. V. Cormack and T. R. Lynam, Statistical precision of information retrieval evaluation, SIGIR 2006: its "
        "tables and figures, of the runs named in the commands below.",
        f"{len(halves.halves[0].systems)} systems, {counted(len(halves.splits), 'split')} of the collection, "
        f"{replicates:,} collections drawn of each half.",
    ]
    command = shlex.join(["truegain", "experiment", "split-half", *typed])
    write_paper(folder, "Precision of evaluation: tables and figures", paper.exhibits(command), about)
