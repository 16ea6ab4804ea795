"""The command `truegain experiment split-half`: whether intervals from one half of the data hold on the other half."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegain.cli.options import Confidence, RunFiles, SeedAndJobs, advanced, option_for, takes
from truegain.cli.options import Judgments as JudgmentsFile
from truegain.cli.output import FigureOutput
from truegain.cli.streams import Progress
from truegain.config import Scoring
from truegain.errors import TruegainError
from truegain.message import option

if TYPE_CHECKING:
    from truegain.experiments.halves import SplitHalf

Show = Literal["lists", "pilot", "small-r", "means", "systems", "whole"]
OF_COLLECTION = ("show", "part_a", "epsilon", "more_than")  # what topics that are split have nothing of


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
        advanced("--more-than", min=0, help="Also count topics with more relevant documents than this alone."),
    ] = 5
    epsilon: Annotated[float, advanced("--epsilon", help="Keep AP this far from 0 and 1 where its logit is taken.")] = (
        0.0001
    )

    def check_topics(self) -> None:
        """Refuse what is about halves of the collection where the topics are split."""
        for name in OF_COLLECTION:
            if getattr(self, name) != getattr(Splitting, name):
                named = option(f"--{name.replace('_', '-')}")
                raise TruegainError(f"{named} is about halves of the collection; leave out {option('--split')} topics")


@takes(splitting=Splitting, compute=SeedAndJobs, printing=FigureOutput)
def split_half_command(
    judgments: JudgmentsFile,
    runs: RunFiles,
    measure: Annotated[str, typer.Option("-m", "--measure", help="Measure, for --split topics.")] = "AP",
    relevant_from: Annotated[float, option_for(Scoring, "relevant_from")] = 1,
    replicates: Annotated[int, advanced("--resamples", min=40, help="Number of resamples.")] = 2000,
    confidence: Confidence = 0.95,
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
    from truegain.io.files import expand
    from truegain.io.threads import cores
    from truegain.parallel.jobs import engine_for
    from truegain.report.figures import intervals_chart
    from truegain.stats.multiple_testing import check_replicates
    from truegain.stats.student_t import check_confidence

    check_replicates(replicates, check_confidence(confidence))
    if splitting.split == "topics":
        splitting.check_topics()
        table = split_topics(
            runs,
            judgments,
            measure,
            relevant_from=relevant_from,
            confidence=confidence,
            splits=splitting.repeat or SPLITS,
            **vars(compute),
        )
        printing.write(table)
        return
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
        if splitting.show == "whole":
            estimates = whole_collection(expand(runs), judgments, **options)
        else:
            halves = split_half(
                expand(runs), judgments, part_a=splitting.part_a, repeat=splitting.repeat or 1, **options
            )
    if splitting.show == "whole":
        printing.write(estimates.table())
        printing.draw(lambda: intervals_chart(estimates, "MAP and L-MAP, whole collection"))
        return
    tables: dict[str, Callable[[], Any]] = {
        "lists": lambda: halves.table(splitting.more_than),
        "pilot": lambda: halves.pilot(splitting.more_than),
        "small-r": halves.small_r,
        "means": halves.means,
        "systems": halves.systems,
    }
    printing.write(tables[splitting.show]())
    printing.draw(lambda: _chart(halves, splitting.show))


def _chart(halves: SplitHalf, show: str) -> Any:
    """The figure of the paper that belongs to a table: 1, 2, both, or 3."""
    from truegain.report.collection_figures import halves_chart, interval_units_chart

    if show in ("means", "systems"):
        return halves_chart(halves.systems())
    methods = {"pilot": [("bca", False)], "small-r": [("linear", True), ("logit", True)]}.get(
        show, [("bca", False), ("linear", True), ("logit", True)]
    )
    errors = {m + (" + small R" if small_r else ""): halves.in_interval_units(m, small_r) for m, small_r in methods}
    return interval_units_chart(errors, halves.halves[0].confidence)
