r"""Tables as LaTeX, with booktabs."""

from __future__ import annotations

import re

from truegain.results.table import Cell, Grid, Marked, missing, one_line, shown

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
    head = " & ".join(escaped(c) for c in grid.columns) + r" \\"
    rows = [" & ".join(_cell(c) for c in row) + r" \\" for row in grid.rows]
    if not grid.label:
        comments = [f"% {line}" for text in (grid.title, *grid.notes) for line in text.splitlines()]
        return "\n".join([*comments, *_tabular(kinds, head, rows)]) + "\n"
    caption = rf"\caption{{{escaped(grid.title)}}}"
    label = rf"\label{{{re.sub(r'[^A-Za-z0-9:._-]', '-', grid.label)}}}"
    notes = [rf"{{\footnotesize {escaped(note)}\par}}" for note in grid.notes]
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


def escaped(text: str) -> str:
    r"""Text that LaTeX prints as it is.

    >>> print(escaped("a_b & 50% <x>"))
    a\_b \& 50\% \textless{}x\textgreater{}
    """
    return "".join(_SPECIAL.get(c, c) for c in one_line(text))


def _cell(cell: Cell) -> str:
    if isinstance(cell, Marked):
        number = _number(cell.number)
        number = rf"\textbf{{{number}}}" if cell.best else number
        marks = rf"\textsuperscript{{{escaped(cell.marks)}}}" if cell.marks else ""
        limits = rf" {{\small {_number(cell.limits)}}}" if cell.limits else ""
        return number + marks + limits
    if missing(cell):
        return "--"
    text = shown(cell)
    if isinstance(cell, str | bool):
        return escaped(text)
    return _number(text)


def _number(text: str) -> str:
    """A number with a minus sign where LaTeX would print a hyphen."""
    return "--" if text == "-" else text.replace("-", "$-$")
