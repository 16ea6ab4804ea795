"""What `truegain eval --intervals` prints: every mean with how far it would move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from truegain.cli.options import Confidence, Figure, Inputs, Seed
from truegain.cli.output import ScoresPrinting, table_format_of, write_table
from truegain.cli.progress import Progress
from truegain.cli.scored import Filling
from truegain.cli.writing import Writing
from truegain.config import Resampling, Scoring
from truegain.errors import TruegainError
from truegain.measures.parse import NamedMeasure
from truegain.message import option
from truegain.tables.runs import RunPaths
from truegain.tables.table import FORMATS

if TYPE_CHECKING:
    from truegain.inference.results import Answers, Estimate
    from truegain.tables.likes import JudgmentsLike


@dataclass(frozen=True, kw_only=True)
class IntervalOptions:
    """How far means move, and how that is told."""

    intervals: Annotated[
        str | None,
        typer.Option(
            "--intervals",
            help="Also how far means move over: topics, collection, topics+collection; holes (with a sample of them).",
        ),
    ] = None
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help="How the interval is made: wilson, t, studentised, logit, percentile, bca, bootstrap, parametric ...",
        ),
    ] = None
    resamples: Annotated[int, typer.Option("--resamples", min=2, help="Draws behind an interval.")] = 2000
    confidence: Confidence = 0.95
    seed: Seed = 0
    figure: Figure = None


def write_intervals(
    runs: RunPaths,
    judgments: JudgmentsLike,
    asked: Sequence[NamedMeasure],
    moving: IntervalOptions,
    scoring: Scoring,
    inputs: Inputs,
    printing: ScoresPrinting,
    writing: Writing,
) -> None:
    """Print estimates over topics, collection or topics+collection, by commas."""
    from truegain.inference.intervals.estimate import IntervalSettings, made_intervals

    check_format(printing.output_format)
    chosen = table_format_of(printing.output_format, printing.output)  # type: ignore[arg-type]
    if writing.is_wide(chosen, else_shown=printing.by_topic) and printing.by_topic:
        raise TruegainError(f"{option('--wide')} shows systems by measures, and -q shows topics; give one of them")
    with Progress(len(runs), "runs read") as progress, Progress(None, "pieces drawn") as drawn:
        how = IntervalSettings(
            tuple(part.strip() for part in str(moving.intervals).split(",")), scoring, moving.method,
            moving.confidence, printing.by_topic, Resampling(moving.resamples, moving.seed, inputs.jobs), drawn.advance,
        )  # fmt: skip
        made = made_intervals(
            runs, judgments, list(asked), how, progress=progress.advance, corpus=inputs.corpus,
            judged_corpus=inputs.judged_corpus,
        )  # fmt: skip
    write_estimates(writing.renamed(made), asked, moving.figure, printing, writing)


def check_format(chosen: str | None) -> None:
    """Refuse formats of scores that estimates do not have."""
    if chosen is not None and chosen not in FORMATS:
        raise TruegainError(f"intervals cannot be printed as {chosen}; choose from {', '.join(FORMATS)}")


def write_estimates(
    made: Answers[Estimate],
    asked: Sequence[NamedMeasure],
    figure: str | None,
    printing: ScoresPrinting,
    writing: Writing,
) -> None:
    """Print estimates that were made."""
    from truegain.inference.results import table_of

    found: Sequence[Estimate] = made
    if (sort := printing.sort) is not None:
        names = {a.name: str(a.measure) for a in asked}
        first = {e.system: e.value for e in reversed(found) if e.measure == names.get(sort, sort)}
        if not first:
            raise TruegainError(f"which measure? There are {', '.join(dict.fromkeys(e.measure for e in found))}")
        found = sorted(found, key=lambda e: -first[e.system])
    left_out = ("notes", "confidence") if printing.by_topic else ("notes", "confidence", "topic")
    table = table_of(found, made_by=made.made_by, leave_out=left_out)
    table = replace(table, notes=(*table.notes, *made.notes))
    if figure is not None:
        from truegain.report.figures import intervals_chart
        from truegain.report.saving import save

        save(intervals_chart(found), figure)
    chosen = table_format_of(printing.output_format, printing.output)  # type: ignore[arg-type]
    if writing.is_wide(chosen, else_shown=printing.by_topic):
        table = replace(made, items=tuple(found)).paper(**writing.style)
    write_table(table, chosen, printing.output)


def write_rectified(
    runs: RunPaths,
    judgments: JudgmentsLike,
    asked: Sequence[NamedMeasure],
    judge_model: str | None,
    filling: Filling,
    moving: IntervalOptions,
    scoring: Scoring,
    inputs: Inputs,
    printing: ScoresPrinting,
    writing: Writing,
) -> None:
    """Print scores whose unjudged documents a sample of them speaks for; over topics (usual), or holes alone."""
    from truegain.config import UnjudgedSample
    from truegain.inference.study.checks import FIXED
    from truegain.inference.study.study import Study
    from truegain.tables.judgments import read_judgments

    if moving.intervals not in (None, "topics", "holes"):
        raise TruegainError(
            f"{option('--intervals')} {moving.intervals}: with a sample of the unjudged documents give topics (topics "
            "like these, the usual), or holes (these topics only)"
        )
    check_format(printing.output_format)
    made = Study(
        runs,
        read_judgments(judgments, model=judge_model),
        list(asked),
        population=FIXED if moving.intervals == "holes" else "topics",
        unjudged=UnjudgedSample(str(filling.unjudged_sample), predicted=filling.fill is not None),
        confidence=moving.confidence,
        scoring=Scoring(relevant_from=scoring.relevant_from),
        resampling=Resampling(jobs=inputs.jobs),
    )
    write_estimates(writing.renamed(made.estimates()), asked, moving.figure, printing, writing)
