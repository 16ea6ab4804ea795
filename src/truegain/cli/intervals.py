"""What `truegain eval --intervals` prints: every mean with how far it would move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truegain.cli.output import table_format_of, write_table
from truegain.cli.progress import Progress
from truegain.cli.writing import Writing
from truegain.errors import TruegainError
from truegain.measures.parse import NamedMeasure
from truegain.tables.likes import JudgmentsLike
from truegain.tables.table import FORMATS

if TYPE_CHECKING:
    from truegain.inference.results import Answers, Estimate


def write_intervals(
    runs: Sequence[str],
    judgments: JudgmentsLike,
    asked: Sequence[NamedMeasure],
    over: str,
    *,
    chosen: str | None,
    output: str,
    sort: str | None,
    by_topic: bool = False,
    figure: str | None = None,
    writing: Writing,
    **options: Any,
) -> None:
    """Print estimates; `over`: topics, collection or topics+collection, by commas; `options` those of `intervals`."""
    from truegain.inference.intervals.estimate import intervals

    check_format(chosen)
    wide = writing.is_wide(table_format_of(chosen, output), else_shown=by_topic)  # type: ignore[arg-type]
    if wide and by_topic:
        raise TruegainError("--wide shows systems by measures, and -q shows topics; give one of them")
    with Progress(len(runs), "runs read") as progress, Progress(None, "pieces drawn") as drawn:
        made = intervals(
            list(runs),
            judgments,
            list(asked),
            over=[part.strip() for part in over.split(",")],
            by_topic=by_topic,
            progress=progress.advance,
            drawn=drawn.advance,
            **options,
        )
    write_estimates(
        writing.renamed(made), asked, chosen=chosen, output=output, sort=sort, by_topic=by_topic, figure=figure,
        writing=writing,
    )  # fmt: skip


def check_format(chosen: str | None) -> None:
    """Refuse formats of scores that estimates do not have."""
    if chosen is not None and chosen not in FORMATS:
        raise TruegainError(f"intervals cannot be printed as {chosen}; choose from {', '.join(FORMATS)}")


def write_estimates(
    made: Answers[Estimate],
    asked: Sequence[NamedMeasure],
    *,
    chosen: str | None,
    output: str,
    sort: str | None,
    by_topic: bool = False,
    figure: str | None = None,
    writing: Writing,
) -> None:
    """Print estimates that were made."""
    from truegain.inference.results import table_of

    found: Sequence[Estimate] = made
    if sort is not None:
        names = {a.name: str(a.measure) for a in asked}
        first = {e.system: e.value for e in reversed(found) if e.measure == names.get(sort, sort)}
        if not first:
            raise TruegainError(f"which measure? There are {', '.join(dict.fromkeys(e.measure for e in found))}")
        found = sorted(found, key=lambda e: -first[e.system])
    left_out = ("notes", "level") if by_topic else ("notes", "level", "topic")
    table = table_of(found, made_by=made.made_by, leave_out=left_out)
    table = replace(table, notes=(*table.notes, *made.notes))
    if figure is not None:
        from truegain.report.figures import intervals_chart
        from truegain.report.saving import save

        save(intervals_chart(found), figure)
    if writing.is_wide(table_format_of(chosen, output), else_shown=by_topic):  # type: ignore[arg-type]
        table = replace(made, items=tuple(found)).paper(**writing.style)
    write_table(table, chosen, output)  # type: ignore[arg-type]


def write_rectified(
    runs: Sequence[str],
    judgments: object,
    asked: Sequence[NamedMeasure],
    sample: str,
    over: str | None,
    *,
    fill: str | None,
    chosen: str | None,
    output: str,
    sort: str | None,
    figure: str | None,
    writing: Writing,
    **options: Any,
) -> None:
    """Print scores whose unjudged documents a sample of them speaks for; over: topics (usual), or holes alone."""
    from truegain.inference.study.study import Study

    if over not in (None, "topics", "holes"):
        raise TruegainError(
            f"--intervals {over}: with a sample of the unjudged documents give topics (topics like these, the usual), "
            "or holes (these topics only)"
        )
    check_format(chosen)
    fixed = {"topics": "fixed"} if over == "holes" else {}
    made = Study(list(runs), judgments, list(asked), hole_sample=sample, fill=fill, **fixed, **options)  # type: ignore[arg-type]
    found = writing.renamed(made.estimates())
    write_estimates(found, asked, chosen=chosen, output=output, sort=sort, figure=figure, writing=writing)
