"""Tables as GitHub's Markdown."""

from __future__ import annotations

import re

from truegain.tables.formats.grid import Cell, Grid, Marked, one_line, shown

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
    marked = _ACTIVE.sub(lambda found: "\\" + found[0], one_line(text))
    return re.sub("[&<>]", lambda found: _MARKUP[found[0]], marked)


def _cell(cell: Cell) -> str:
    if not isinstance(cell, Marked):
        return escaped(shown(cell))
    number = f"**{cell.number}**" if cell.best else cell.number
    marks = f"<sup>{escaped(cell.marks)}</sup>" if cell.marks else ""
    limits = f" {escaped(cell.limits)}" if cell.limits else ""
    return number + marks + limits
