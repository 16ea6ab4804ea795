"""What a judge says, given the gold label: a table."""

from __future__ import annotations

from dataclasses import dataclass

from truegain.gains.confusion import Confusion
from truegain.tables.table import Cell, Table


@dataclass(frozen=True, eq=False, repr=False)
class SharesOfLabels(Table):
    """For every gold label, a row, how many pairs it has and the share of each bronze label."""


def label_table(confusion: Confusion) -> SharesOfLabels:
    """The confusion matrix: for every gold label the share of each bronze label."""
    rows: list[tuple[Cell, ...]] = [
        (f"{g:g}", count(float(n)), *(share(x, n) for x in row.tolist()))
        for g, n, row in zip(confusion.gold, confusion.totals, confusion.counts, strict=True)
    ]
    heads = tuple(f"bronze {b:g}" for b in confusion.bronze)
    title = "what the bronze judge says, given the gold label"
    return SharesOfLabels(("gold label", "pairs", *heads), rows, title=title)


def count(n: float) -> Cell:
    """A number of pairs, which weights make a fraction."""
    return int(n) if n == int(n) else n


def share(part: float, whole: float) -> float | None:
    """A part of a whole; None where there is none."""
    return None if whole == 0 else part / whole
