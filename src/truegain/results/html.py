"""Tables as HTML."""

from __future__ import annotations

from dataclasses import replace

from truegain.results.table import Cell, Grid, Marked, shown

MOST = 20  # rows that a notebook shows
_STYLE = "font-variant-numeric:tabular-nums;border-collapse:collapse"
_CELL = ' style="text-align:{};padding:1px 10px;white-space:nowrap"'
_COLUMNS = 12  # beyond which what all rows have in common is told once
_CAPTION = "text-align:left;font-weight:600;padding:4px 10px"
_WIDE = 60  # characters of a caption that would be cut into many lines above a narrow table


def escape(text: str) -> str:
    """Text with no markup in it; Python's own way, imported when it is wanted, as its table of signs takes a while."""
    from html import escape as escaped

    return escaped(text)


def html(grid: Grid) -> str:
    """A plain HTML table with its caption; the notes below.

    >>> print(html(Grid(("system", "AP"), [("<b>", Marked(0.25, best=True, marks="c"))])), end="")
    <table>
    <thead><tr><th>system</th><th>AP</th></tr></thead>
    <tbody>
    <tr><td>&lt;b&gt;</td><td><strong>0.2500</strong><sup>c</sup></td></tr>
    </tbody></table>
    """
    caption = f"<caption>{escape(grid.title)}</caption>" if grid.title else ""
    top = "".join(f"<th>{escape(c)}</th>" for c in grid.columns)
    body = "".join("<tr>" + "".join(f"<td>{_cell(c)}</td>" for c in row) + "</tr>\n" for row in grid.rows)
    notes = "".join(f"<p>{escape(note)}</p>\n" for note in grid.notes)
    return f"<table>{caption}\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}</tbody></table>\n{notes}"


def notebook(grid: Grid, most: int = MOST) -> str:
    """A table for a notebook: the first rows and how many more there are, notes, and folded how it was made.

    Of a wide table, what all rows have in common is a note.

    >>> wide = Grid(tuple("abcdefghijklm"), [(1, *"xxxxxxxxxxxx"), (2, *"xxxxxxxxxxxx")])
    >>> ">all rows: b x, c x" in notebook(wide)
    True
    """
    grid = _narrow(grid)
    sides = [_CELL.format("left" if grid.is_text(i) else "right") for i in range(len(grid.columns))]
    head = "".join(f'<th scope="col"{side}>{escape(c)}</th>' for c, side in zip(grid.columns, sides, strict=True))
    rows = "".join(
        "<tr>" + "".join(f"<td{side}>{_cell(c)}</td>" for c, side in zip(row, sides, strict=True)) + "</tr>\n"
        for row in grid.rows[:most]
    )
    left = len(grid.rows) - most
    more = f"<p>and {left:,} more</p>\n" if left > 0 else ""
    look = f"{_CAPTION};min-width:36em" if len(grid.title) > _WIDE else _CAPTION
    caption = f'<caption style="{look}">{escape(grid.title)}</caption>\n' if grid.title else ""
    notes = "".join(f'<p style="white-space:pre-line">{escape(note)}</p>\n' for note in grid.notes)
    table = (
        f'<table style="{_STYLE}">\n{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n'
        if grid.columns
        else f"<p>{escape(grid.title)}</p>\n"
    )
    return f"<div>\n{table}{more}{notes}{_made(grid)}</div>\n"


def _narrow(grid: Grid) -> Grid:
    """Without the columns in which all rows of a wide table say the same, which a note tells."""
    if len(grid.columns) <= _COLUMNS or len(grid.rows) < 2:
        return grid
    first = grid.rows[0]
    same = [i for i in range(1, len(first)) if all(row[i] == first[i] for row in grid.rows)]
    if not same or len(same) + 1 >= len(first):
        same = same[: len(first) - 2]
    kept = [i for i in range(len(first)) if i not in same]
    common = ", ".join(f"{grid.columns[i]} {shown(first[i])}" for i in same)
    rows = [tuple(row[i] for i in kept) for row in grid.rows]
    notes = (*([f"all rows: {common}"] if common else []), *grid.notes)
    return replace(grid, columns=tuple(grid.columns[i] for i in kept), rows=rows, notes=notes)


def _made(grid: Grid) -> str:
    """How it was made, folded."""
    if not grid.provenance:
        return ""
    items = "".join(f"<dt>{escape(str(k))}</dt><dd>{escape(_told(v))}</dd>" for k, v in grid.provenance.items())
    return f"<details><summary>how it was made</summary><dl>{items}</dl></details>\n"


def _told(value: object) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _cell(cell: Cell) -> str:
    if not isinstance(cell, Marked):
        return escape(shown(cell))
    number = f"<strong>{cell.number}</strong>" if cell.best else cell.number
    marks = f"<sup>{escape(cell.marks)}</sup>" if cell.marks else ""
    return number + marks + (f" {cell.limits}" if cell.limits else "")
