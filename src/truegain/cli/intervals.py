"""What `truegain eval --intervals` prints: every mean with how far it would move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truegain._version import __version__
from truegain.cli.output import write_table
from truegain.cli.progress import Progress
from truegain.errors import TruegainError
from truegain.measures.parse import NamedMeasure
from truegain.tables.table import FORMATS


def write_intervals(
    runs: Sequence[str],
    judgments: object,
    asked: Sequence[NamedMeasure],
    over: str,
    *,
    chosen: str | None,
    output: str,
    sort: str | None,
    method: str | None,
    replicates: int,
    confidence: float,
    seed: int,
    jobs: int | None,
    by_topic: bool = False,
    figure: str | None = None,
    corpus: str | None = None,
    judged_corpus: str | None = None,
    **options: Any,
) -> None:
    """Estimate and print; `over` is topics, collection or topics+collection, several by commas."""
    from truegain.inference.intervals.estimate import intervals
    from truegain.inference.results import table_of

    if chosen is not None and chosen not in FORMATS:
        raise TruegainError(f"intervals cannot be printed as {chosen}; choose from {', '.join(FORMATS)}")
    with Progress(len(runs), "runs read") as progress, Progress(None, "pieces drawn") as drawn:
        found = intervals(
            list(runs),
            judgments,
            list(asked),
            over=[part.strip() for part in over.split(",")],
            method=method,
            by_topic=by_topic,
            replicates=replicates,
            confidence=confidence,
            seed=seed,
            jobs=jobs,
            progress=progress.advance,
            drawn=drawn.advance,
            corpus=corpus,
            judged_corpus=judged_corpus,
            **options,
        )
    if sort is not None:
        names = {a.name: str(a.measure) for a in asked}
        first = {e.system: e.value for e in reversed(found) if e.measure == names.get(sort, sort)}
        if not first:
            raise TruegainError(f"which measure? There are {', '.join(dict.fromkeys(e.measure for e in found))}")
        found = sorted(found, key=lambda e: -first[e.system])
    made_by = {"truegain": __version__, "seed": seed, "replicates": replicates, "confidence": confidence, **options}
    table = table_of(found, made_by=made_by, leave_out=("notes", "level") if by_topic else ("notes", "level", "topic"))
    if figure is not None:
        from truegain.report.figures import intervals_chart
        from truegain.report.saving import save

        save(intervals_chart(found), figure)
    write_table(table, chosen, output)  # type: ignore[arg-type]
