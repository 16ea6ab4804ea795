"""Tables on the screen."""

from __future__ import annotations

import re

from truegain.tables.formats.grid import Grid, Marked, shown

_BREAKS = re.compile("[\t-\r\x1c-\x1e\x85\u2028\u2029]")  # tabs, and what ends a line


def text(grid: Grid) -> str:
    """Aligned columns: text to the left, numbers to the right; then the notes.

    >>> print(text(Grid(("system", "AP"), [("bm25", 0.25), ("dense", None)])), end="")
    system      AP
    bm25    0.2500
    dense        -
    """
    lines = [
        list(grid.columns),
        *([_in_a_line(c) if isinstance(c, str) else shown(c) for c in row] for row in grid.rows),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    left = [grid.is_text(i) or not grid.rows for i in range(len(grid.columns))]
    body = "".join(
        "  ".join(
            c.ljust(w) if is_text else c.rjust(w) for c, w, is_text in zip(line, widths, left, strict=True)
        ).rstrip()
        + "\n"
        for line in lines
    )
    title = f"{grid.title}\n\n" if grid.title else ""
    starred = any(type(cell) is Marked and cell.best for row in grid.rows for cell in row)
    notes = (*(["* stands for bold: the best of its column"] if starred else []), *grid.notes)
    return title + body + "".join(f"\n{note}\n" for note in notes)


def _in_a_line(cell: str) -> str:
    """Text of a cell with tabs and ends of lines written out, lest an id with some look like another, or a row."""
    return cell if cell.isprintable() else _BREAKS.sub(lambda found: found[0].encode("unicode_escape").decode(), cell)
