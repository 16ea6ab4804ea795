"""Term counts of 100 MB of documents: `truegain text index`, the whole command."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from benchmarks.races.texts import made
from benchmarks.racing.contest import US, Answer, Inside, Job, Workload, first_of


def truegain(place: Path, documents: int | None = None) -> Job:
    """All cores, within the memory that is allowed by default; of the first so many documents."""
    from truegain.text.indexing import index

    source, corpus = place / "docs.jsonl", place / "corpus"
    if documents is not None:
        source = first_of(source, place / f"first-{documents}.jsonl", documents)
    shutil.rmtree(corpus, ignore_errors=True)

    def job() -> Callable[[], Answer]:
        index([str(source)], str(corpus))
        return dict

    return job


def polars(place: Path) -> Job:
    """Words cut and counted by polars' expressions, in memory, nothing written."""
    import polars as pl

    def job() -> Callable[[], Answer]:
        words = pl.col("text").str.to_lowercase().str.extract_all(r"[\p{L}\p{M}\p{N}]+")
        read = pl.read_ndjson(place / "docs.jsonl").with_columns(words)
        counted = read.explode("text").group_by("id", "text").len()
        return lambda: {"pairs": float(len(counted))}

    return job


WORKLOAD = Workload(
    "index",
    "100 MB of documents: terms counted and written",
    made,
    {
        US: Inside(truegain),
        "polars": Inside(polars, ("polars",), note="in memory, nothing written"),
    },
)
