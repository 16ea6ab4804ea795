"""Tables as pages have them: a caption, heads with scopes, names in front and numbers to the right.

A class `o` marks what a phone leaves out; the plot or the CSV has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from truegain.report.parts.html import LONG, Child, Html, el, name

ROOMS = (14, 18, LONG)  # letters that a column of names has room for, by its kind


def head(words: Child, kind: str | None = None) -> Html:
    """The head of a column.

    >>> head("score", "n0")
    '<th class="n0" scope="col">score</th>'
    """
    return el("th", words, class_=kind, scope="col")


def heads(*words: str, kind: str = "n0") -> list[Html]:
    """Heads of columns of numbers."""
    return [head(w, kind) for w in words]


def label(words: Child) -> Html:
    """What a row is about."""
    return el("th", words, scope="row")


def who(unit: str) -> Html:
    """A system, a topic or an assessor that a row is about; broken over lines where there is no room."""
    return el("th", name(unit), scope="row", title=unit)


def room(units: Iterable[str]) -> str:
    """The kind of a table, or of a figure of tables, in which the names that rows are about have room.

    >>> room(["bm25"]), room(["input.READWARE2"]), room(["judge2_REW_colleagues", "x" * 99])
    ('r0', 'r1', 'r2')
    """
    longest = max((len(u) for u in units if len(u) <= LONG), default=0)
    return next(f"r{i}" for i, most in enumerate(ROOMS) if longest <= most)


def cell(*words: Child, kind: str | None = None) -> Html:
    """A cell."""
    return el("td", *words, class_=kind)


def num(*words: Child, more: str = "") -> Html:
    """A number.

    >>> num("0.47", more="o")
    '<td class="n0 o">0.47</td>'
    """
    return el("td", *words, class_=f"n0 {more}".strip())


def plot(drawing: Child, more: str = "") -> Html:
    """A cell with a drawing, or with why there is none."""
    return el("td", drawing, class_=f"p {more}".strip())


def tr(*cells: Child, kind: str | None = None) -> Html:
    """A row."""
    return el("tr", *cells, class_=kind)


def table(
    caption: Child,
    top: Sequence[Child],
    rows: Iterable[Html],
    *,
    cols: Sequence[str | None] = (),
    kind: str | None = None,
    unseen: bool = False,
    step: float | None = None,
) -> Html:
    """A table; `cols` are the kinds of its columns, `unseen` keeps the caption for those who hear the page.

    >>> print(table("Scores", [], [tr(num("0.1"))]))
    <table><caption>Scores</caption><tbody><tr><td class="n0">0.1</td></tr></tbody></table>
    """
    return el(
        "table",
        el("caption", caption, class_="vh" if unseen else None),
        el("colgroup", *(el("col", class_=c) for c in cols)) if cols else None,
        el("thead", tr(*top)) if top else None,
        el("tbody", *rows),
        class_=kind,
        style=None if step is None else f"--step:{step:.4f}%",
    )


def folded(summary: Child, *children: Child, kind: str = "again", opened: bool = False) -> Html:
    """Something that can be folded away."""
    return el("details", el("summary", summary), *children, class_=kind, open=opened)


def scrolls(inside: Html, words: str) -> Html:
    """Something wider than a phone, that can be moved by finger and by keys."""
    return el("div", inside, class_="scroll", role="region", tabindex="0", aria_label=words)
