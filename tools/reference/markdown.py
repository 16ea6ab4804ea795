"""Small parts of pages: cells, tables, text that Markdown would read as something else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

NOTE = "% Written by tools/reference from the code. Change the code, not this file.\n"  # a comment of MyST


def plain(text: str) -> str:
    r"""A text whose marks are no Markdown; what stands between backticks is code, and stays.

    >>> print(plain("a_b *c* <d> `e_f*` [g]"))
    a\_b \*c\* \<d\> `e_f*` \[g\]
    """
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(x if i % 2 else re.sub(r"([\\*_<>\[\]{}|$`])", r"\\\1", x) for i, x in enumerate(parts))


def code(text: str) -> str:
    """A text as code, in as many backticks as it needs.

    >>> code("a"), code("a `b`")
    ('`a`', '`` a `b` ``')
    """
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def cell(text: str) -> str:
    """A text within a table, on one line; a bar would end its cell."""
    return " ".join(text.split()).replace("|", "\\|").replace("\\\\|", "\\|")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""A table.

    >>> print(table(["a", "b"], [["1", "2|3"]]))
    | a | b |
    |---|---|
    | 1 | 2\|3 |
    <BLANKLINE>
    """
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    lines += [f"| {' | '.join(map(cell, row))} |" for row in rows]
    return "\n".join(lines) + "\n"


def toctree(names: Iterable[str], *, hidden: bool = True) -> str:
    """A list of the pages below a page."""
    options = ":hidden:\n:maxdepth: 1" if hidden else ":maxdepth: 1"
    return "\n".join(["```{toctree}", options, "", *names, "```", ""])


def title_of(page: str) -> str:
    """The first heading of a page."""
    found = re.search(r"^# (.*)$", page, re.MULTILINE)
    return found[1] if found else ""
