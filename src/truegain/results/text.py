"""Tables as text: on the screen, as GitHub's Markdown, and as separated values."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from truegain.results.table import Cell, Grid, Marked, one_line, shown, shown_under

# ---- Tables on the screen.

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
        *(
            [
                _in_a_line(c) if isinstance(c, str) else shown_under(name, c)
                for name, c in zip(grid.columns, row, strict=True)
            ]
            for row in grid.rows
        ),
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
    if not grid.columns:
        return "\n".join(f"{x}\n" for x in (grid.title, *notes) if x)
    return title + body + "".join(f"\n{note}\n" for note in notes)


def _in_a_line(cell: str) -> str:
    """Text of a cell with tabs and ends of lines written out, lest an id with some look like another, or a row."""
    return cell if cell.isprintable() else _BREAKS.sub(lambda match: match[0].encode("unicode_escape").decode(), cell)


# ---- Tables as GitHub's Markdown.

_ACTIVE = re.compile(r"[\\`*|\[\]~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")  # num_ret needs no backslash
_MARKUP = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def markdown(grid: Grid) -> str:
    r"""A GitHub table under its title; the best in bold, marks raised.

    >>> print(markdown(Grid(("system", "AP"), [("a|b", Marked(0.25, best=True, marks="c"))])), end="")
    | system | AP |
    | --- | --- |
    | a\|b | **0.2500**<sup>c</sup> |
    """
    rule = ["---" if grid.is_text(i) else "---:" for i in range(len(grid.columns))]
    lines = [[escaped(c) for c in grid.columns], rule, *([_cell(c) for c in row] for row in grid.rows)]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    title = "".join(f"**{escaped(line)}**\n\n" for line in grid.title.splitlines())
    return title + table + "".join(f"\n{escaped(note)}\n" for note in grid.notes)


def escaped(text: str) -> str:
    r"""Text that Markdown shows as it is.

    >>> escaped("<b> _x_ num_ret 50%")
    '&lt;b&gt; \\_x\\_ num_ret 50%'
    """
    marked = _ACTIVE.sub(lambda match: "\\" + match[0], one_line(text))
    return re.sub("[&<>]", lambda match: _MARKUP[match[0]], marked)


def _cell(cell: Cell) -> str:
    if not isinstance(cell, Marked):
        return escaped(shown(cell))
    number = f"**{cell.number}**" if cell.best else cell.number
    marks = f"<sup>{escaped(cell.marks)}</sup>" if cell.marks else ""
    limits = f" {escaped(cell.limits)}" if cell.limits else ""
    return number + marks + limits


# ---- Tables as separated values.


def comma_separated(grid: Grid) -> str:
    """Comma-separated values, all digits, an empty field where there is no value."""
    return separated(*grid.written(), ",")


def tab_separated(grid: Grid) -> str:
    """Tab-separated values, all digits, an empty field where there is no value."""
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
