"""Tables in every format: text, LaTeX, HTML, JSON, frames and Parquet, chosen by name or by the ending of a file."""

from __future__ import annotations

import csv
import importlib
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from truegain.errors import TruegainError, needs
from truegain.results.documents import NotesDocument, TableDocument, TitleDocument
from truegain.results.table import Cell, Grid, Marked, missing, one_line, shown, shown_under

if TYPE_CHECKING:
    import polars as pl


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
    lines = [[_in_markdown(c) for c in grid.columns], rule, *([_markdown_cell(c) for c in row] for row in grid.rows)]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    title = "".join(f"**{_in_markdown(line)}**\n\n" for line in grid.title.splitlines())
    return title + table + "".join(f"\n{_in_markdown(note)}\n" for note in grid.notes)


def _in_markdown(text: str) -> str:
    r"""Text that Markdown shows as it is.

    >>> _in_markdown("<b> _x_ num_ret 50%")
    '&lt;b&gt; \\_x\\_ num_ret 50%'
    """
    marked = _ACTIVE.sub(lambda match: "\\" + match[0], one_line(text))
    return re.sub("[&<>]", lambda match: _MARKUP[match[0]], marked)


def _markdown_cell(cell: Cell) -> str:
    if not isinstance(cell, Marked):
        return _in_markdown(shown(cell))
    number = f"**{cell.number}**" if cell.best else cell.number
    marks = f"<sup>{_in_markdown(cell.marks)}</sup>" if cell.marks else ""
    limits = f" {_in_markdown(cell.limits)}" if cell.limits else ""
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


# ---- LaTeX, with booktabs.


LONG = 55  # rows beyond which a table does not fit on a page
WIDE = 6  # columns beyond which it takes both columns of a paper
_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "†": r"\dag{}", "‡": r"\ddag{}", "±": r"\textpm{}",
    **{c: "\\" + c for c in "&%$#_{}"},
}  # fmt: skip


def latex(grid: Grid) -> str:
    r"""A booktabs tabular; one with a label is a table with its caption, over several pages where it is long.

    >>> print(latex(Grid(("system", "AP"), [("bm25_k", Marked(0.25, best=True, marks="ab"))])), end="")
    \begin{tabular}{ll}
    \toprule
    system & AP \\
    \midrule
    bm25\_k & \textbf{0.2500}\textsuperscript{ab} \\
    \bottomrule
    \end{tabular}
    """
    kinds = "".join("l" if grid.is_text(i) else "r" for i in range(len(grid.columns)))
    head = " & ".join(_in_latex(c) for c in grid.columns) + r" \\"
    rows = [" & ".join(_latex_cell(c) for c in row) + r" \\" for row in grid.rows]
    if not grid.label:
        comments = [f"% {line}" for text in (grid.title, *grid.notes) for line in text.splitlines()]
        return "\n".join([*comments, *_tabular(kinds, head, rows)]) + "\n"
    caption = rf"\caption{{{_in_latex(grid.title)}}}"
    label = rf"\label{{{re.sub(r'[^A-Za-z0-9:._-]', '-', grid.label)}}}"
    notes = [rf"{{\footnotesize {_in_latex(note)}\par}}" for note in grid.notes]
    if len(rows) > LONG:
        top = [r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endlastfoot"]
        begin = [r"% \usepackage{booktabs,longtable}", rf"\begin{{longtable}}{{{kinds}}}", rf"{caption}{label}\\"]
        return "\n".join([*begin, *top, *rows, r"\end{longtable}", *notes]) + "\n"
    kind = "table*" if len(grid.columns) > WIDE else "table"
    begin = [r"% \usepackage{booktabs}", rf"\begin{{{kind}}}", r"\centering", caption, label]
    below = [r"\par\smallskip", *notes] if notes else []
    return "\n".join([*begin, *_tabular(kinds, head, rows), *below, rf"\end{{{kind}}}"]) + "\n"


def _tabular(kinds: str, head: str, rows: list[str]) -> list[str]:
    top = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", head, r"\midrule"]
    return [*top, *rows, r"\bottomrule", r"\end{tabular}"]


def _in_latex(text: str) -> str:
    r"""Text that LaTeX prints as it is.

    >>> print(_in_latex("a_b & 50% <x>"))
    a\_b \& 50\% \textless{}x\textgreater{}
    """
    return "".join(_SPECIAL.get(c, c) for c in one_line(text))


def _latex_cell(cell: Cell) -> str:
    if isinstance(cell, Marked):
        number = _number(cell.number)
        number = rf"\textbf{{{number}}}" if cell.best else number
        marks = rf"\textsuperscript{{{_in_latex(cell.marks)}}}" if cell.marks else ""
        limits = rf" {{\small {_number(cell.limits)}}}" if cell.limits else ""
        return number + marks + limits
    if missing(cell):
        return "--"
    text = shown(cell)
    if isinstance(cell, str | bool):
        return _in_latex(text)
    return _number(text)


def _number(text: str) -> str:
    """A number with a minus sign where LaTeX would print a hyphen."""
    return "--" if text == "-" else text.replace("-", "$-$")


# ---- Tables as JSON.


def as_dict(grid: Grid) -> dict[str, Any]:
    """How it was made, the title and the notes where there are any, a record a row."""
    return {**document(grid)}


def document(grid: Grid) -> TableDocument:
    """A table as its schema declares it."""
    title: TitleDocument = {"title": grid.title} if grid.title else {}
    notes: NotesDocument = {"notes": list(grid.notes)} if grid.notes else {}
    return {"provenance": dict(grid.provenance), **title, **notes, "rows": _records(grid)}


def as_json(grid: Grid) -> str:
    """One JSON object: how it was made, the notes, the rows."""
    whole = {**as_dict(grid), "rows": list(map(_in_json, _records(grid)))}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def as_lines(grid: Grid) -> str:
    """One JSON object a line."""
    return "".join(json.dumps(_in_json(record), ensure_ascii=False) + "\n" for record in _records(grid))


def _in_json(record: dict[str, Cell]) -> dict[str, Cell]:
    """A record as JSON can hold it: infinity is no number of JSON, so it is text."""
    return {k: str(v) if isinstance(v, float) and math.isinf(v) else v for k, v in record.items()}


def _records(grid: Grid) -> list[dict[str, Cell]]:
    names, rows = grid.written()
    return [dict(zip(names, row, strict=True)) for row in rows]


# ---- Tables as frames of other libraries, and as Parquet.


def polars_frame(grid: Grid) -> pl.DataFrame:
    """A polars frame, null where there is no value; a column without any value is one of numbers."""
    polars = needs("polars", "frames")
    names, rows = grid.written()
    columns: list[list[Cell]] = [[row[i] for row in rows] for i in range(len(names))]
    frame: pl.DataFrame = polars.DataFrame(
        [polars.Series(n, c, strict=False) for n, c in zip(names, columns, strict=True)]
    )
    return frame


def pandas_frame(grid: Grid) -> Any:
    """A pandas frame; pandas is not one of our extras, so it is asked for by its own name."""
    try:
        pd: Any = importlib.import_module("pandas")
    except ModuleNotFoundError:
        raise TruegainError("this needs pandas; run: pip install pandas") from None
    names, rows = grid.written()
    return pd.DataFrame({name: [row[i] for row in rows] for i, name in enumerate(names)}, columns=list(names))


def parquet(grid: Grid) -> bytes:
    """A Parquet file."""
    stream = io.BytesIO()
    polars_frame(grid).write_parquet(stream)
    return stream.getvalue()


# ---- HTML.


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
    body = "".join("<tr>" + "".join(f"<td>{_html_cell(c)}</td>" for c in row) + "</tr>\n" for row in grid.rows)
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
        "<tr>" + "".join(f"<td{side}>{_html_cell(c)}</td>" for c, side in zip(row, sides, strict=True)) + "</tr>\n"
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


def _html_cell(cell: Cell) -> str:
    if not isinstance(cell, Marked):
        return escape(shown(cell))
    number = f"<strong>{cell.number}</strong>" if cell.best else cell.number
    marks = f"<sup>{escape(cell.marks)}</sup>" if cell.marks else ""
    return number + marks + (f" {cell.limits}" if cell.limits else "")


# ---- The formats, by name and by the endings of files.

Format = Literal["table", "csv", "tsv", "json", "jsonl", "parquet", "latex", "markdown", "html"]
FORMATS: tuple[str, ...] = get_args(Format)
PAPER: tuple[str, ...] = ("latex", "markdown", "html")  # one wide table, systems by measures
ENDINGS: dict[str, Format] = {
    ".txt": "table",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".tex": "latex",
    ".md": "markdown",
    ".html": "html",
    ".htm": "html",
}
WRITERS: dict[str, Callable[[Grid], str]] = {
    "table": text,
    "csv": comma_separated,
    "tsv": tab_separated,
    "json": as_json,
    "jsonl": as_lines,
    "latex": latex,
    "markdown": markdown,
    "html": html,
}


def render(grid: Grid, chosen: Format) -> bytes:
    """A table in a format, as bytes ready to be written."""
    if chosen == "parquet":
        return parquet(grid)
    return WRITERS[chosen](grid).encode(errors="backslashreplace")  # a file name may hold bytes that are not UTF-8
