"""Judgments of subtopics, for tests of intents and of texts."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from truegain.data.alignment import align
from truegain.data.judgments import Judgments
from truegain.data.pool import Pool, RankedGains
from truegain.data.runs import Runs

Rows = Sequence[tuple[str, str, str, int]]
FACETS: Rows = [
    ("1", "i", "a", 1),
    ("1", "i", "b", 0),
    ("1", "i", "c", 2),
    ("1", "j", "b", -1),
    ("1", "j", "a", 2),
    ("2", "i", "a", 0),
    ("2", "i", "b", 3),
    ("2", "i", "c", -2),
]


def frame(rows: Rows) -> pl.DataFrame:
    """Subtopic judgments: topic, subtopic, document, label."""
    return pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")


def aligned_run(run: dict[str, dict[str, float]], judgments: object) -> RankedGains:
    """The lists of one system beside the pool."""
    parts = Runs.of({"s": run}).parts
    return align(Pool.of(Judgments.of(judgments)), [lambda: parts])[0]
