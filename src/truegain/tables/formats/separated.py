"""Tables as separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from truegain.tables.formats.grid import Cell, Grid


def comma_separated(grid: Grid) -> str:
    """Comma-separated values, all digits, an empty field where there is no value."""
    return separated(*grid.written(), ",")


def tab_separated(grid: Grid) -> str:
    """The same with tabs."""
    return separated(*grid.written(), "\t")


def separated(columns: Sequence[str], rows: Iterable[Sequence[Cell]], separator: str) -> str:
    r"""Separated values, quoted where they must be; None is an empty field.

    >>> separated(("a", "b"), [(1, None), ("x,y", 2.5)], ",")
    'a,b\n1,\n"x,y",2.5\n'
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n", delimiter=separator)
    writer.writerow(columns)
    writer.writerows(rows)
    return stream.getvalue()
