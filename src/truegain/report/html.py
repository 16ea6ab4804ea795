"""Tags, numbers, tables, sections and files to take along, as pages have them.

Whatever is not marked as HTML is text and is escaped, so that no name can break a page.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from truegain.results.formats import separated
from truegain.results.table import Cell

# ---- Tags: whatever is not marked as HTML is text and is escaped, so that no name can break a page.

VOID = ("br", "col", "img", "meta", "input", "wbr")
LONG = 24  # letters from which a name may be broken over lines
SHORT = 9  # letters up to which the name of a measure is never broken
LONGEST = 64  # letters after which it is cut; pointed at it is whole
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | None | Iterable["Child"]
Attribute = str | int | float | bool | None


def escaped(text: str) -> Html:
    """Text as HTML; characters that no page may hold become a replacement character.

    >>> escaped('<b> & "c"' + chr(0))
    '&lt;b&gt; &amp; &quot;c&quot;�'
    """
    return Html(html.escape(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)))


def el(tag: str, *children: Child, **attributes: Attribute) -> Html:
    """An element; `class_` is class, underscores are hyphens, True is a bare attribute, None and False are left out.

    >>> el("a", "<x>", class_="b", data_n=3, hidden=True, title=None)
    '<a class="b" data-n="3" hidden>&lt;x&gt;</a>'
    """
    start = tag
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        name = key.rstrip("_").replace("_", "-")
        start += f" {name}" if value is True else f' {name}="{escaped(str(value))}"'
    return Html(f"<{start}>" if tag in VOID else f"<{start}>{join(*children)}</{tag}>")


def join(*children: Child) -> Html:
    """Children one after the other: HTML as it is, text escaped, None left out.

    >>> join("a<", Html("<br>"), None, ["b", [Html("c")]])
    'a&lt;<br>bc'
    """
    parts: list[str] = []
    for child in children:
        if isinstance(child, Html):
            parts.append(child)
        elif isinstance(child, str):
            parts.append(escaped(child))
        elif child is not None:
            parts.append(join(*child))
    return Html("".join(parts))


def name(text: str) -> Html:
    """A name of the user's: on one line where it is short, and with a direction of writing of its own.

    >>> name("bm25")
    '<bdi class="nb">bm25</bdi>'
    """
    if len(text) > LONGEST:
        return el("bdi", f"{text[:LONGEST]}\N{HORIZONTAL ELLIPSIS}", class_="long", title=text)
    return el("bdi", text, class_="nb" if len(text) <= LONG else "long")


def soft(text: str) -> Html:
    """The name of a measure for a narrow place: a long one may be broken at its brackets and commas, and nowhere else.

    >>> soft("nDCG@10"), soft("nDCG(dcg='log2')@10")
    ('nDCG@10', 'nDCG(<wbr>dcg=&#x27;log2&#x27;)<wbr>@10')
    """
    if len(text) <= SHORT:
        return escaped(text)
    first, *rest = re.split(r"(?<=[(,])|(?=@)", text)
    return join(first, *((el("wbr"), part) for part in rest))


def names_in(text: str, names: Iterable[str]) -> Html:
    """A sentence of the library in which the names stand out, the longest first where one is part of another.

    >>> names_in("a-1 beats a", ["a", "a-1"])
    '<bdi class="nb">a-1</bdi> beats <bdi class="nb">a</bdi>'
    """
    longest_first = sorted({n for n in names if n}, key=len, reverse=True)
    if not longest_first:
        return escaped(text)
    parts = re.split(rf"(?<![\w-])({'|'.join(map(re.escape, longest_first))})(?![\w-])", text)
    return join(*(name(part) if i % 2 else part for i, part in enumerate(parts)))


def unseen(text: str) -> Html:
    """Text for those who hear the page."""
    return el("span", text, class_="vh")


def paragraph(*children: Child, class_: str | None = None) -> Html:
    """A paragraph."""
    return el("p", *children, class_=class_)


# ---- Numbers as a page shows them: three decimals, a true minus, signs on differences.

MINUS = "\N{MINUS SIGN}"
NONE = "\N{EM DASH}"
EN = "\N{EN DASH}"
EQUAL = 1e-10  # nearer than this two numbers are one: what is left is rounding
MOST_DIGITS = 9


def plain(x: float | None, digits: int = 3) -> str:
    """A score; a dash where there is none, and no 0 for what lies below it.

    >>> plain(0.46949), plain(0.0001), plain(-0.00012).replace(MINUS, "-"), plain(-0.25, 2)[1:], plain(None) == NONE
    ('0.469', '0.000', '-0.0001', '0.25', True)
    """
    if x is None or math.isnan(x):
        return NONE
    digits = _digits(x, digits, (0.0,)) if x < 0 else digits
    return f"{round(x, digits) + 0.0:,.{digits}f}".replace("-", MINUS)


def signed(x: float | None, digits: int = 3, min_effect: float = 0.0) -> str:
    """A difference, with as many digits as show on which side of 0, and of the smallest gain that matters, it lies.

    >>> signed(0.0378), signed(-0.0574).replace(MINUS, "-"), signed(-0.000076).replace(MINUS, "-"), signed(0.0)
    ('+0.038', '-0.057', '-0.0001', '+0.000')
    >>> signed(0.0099996, min_effect=0.01), signed(0.01, min_effect=0.01), signed(1e-17)
    ('+0.0099996', '+0.010', '+0.000')
    """
    if x is None or math.isnan(x):
        return NONE
    digits = _digits(x, digits, (0.0, min_effect))
    return f"{round(x, digits) + 0.0:+,.{digits}f}".replace("-", MINUS)


def _digits(x: float, digits: int, sides: tuple[float, ...]) -> int:
    """The fewest digits, at least so many, with which a number stays on its side of others; what is equal stays so."""
    for d in range(digits, MOST_DIGITS):
        if all(abs(x - s) < EQUAL or (abs(round(x, d) - s) > EQUAL and (round(x, d) > s) == (x > s)) for s in sides):
            return d
    return MOST_DIGITS


def limits(low: float | None, high: float | None, *, signs: bool = False, min_effect: float = 0.0) -> str:
    """Both ends of an interval.

    >>> limits(0.351, 0.4).replace(EN, "-"), limits(0.057, 0.133, signs=True)
    ('0.351-0.400', '+0.057 to +0.133')
    >>> limits(-0.000076, 0.028, signs=True).replace(MINUS, "-")
    '-0.0001 to +0.028'
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return NONE
    if signs:
        return f"{signed(low, min_effect=min_effect)} to {signed(high, min_effect=min_effect)}"
    dash = " to " if low < 0 else EN
    return f"{plain(low)}{dash}{plain(high)}"


def p_value(p: float | None) -> str:
    """A p-value, no finer than it is of use.

    >>> p_value(0.0301), p_value(0.00004), p_value(0.5), p_value(0.9996)
    ('p = 0.030', 'p < 0.001', 'p = 0.500', 'p > 0.999')
    """
    if p is None or math.isnan(p):
        return NONE
    if p < 0.001:
        return "p < 0.001"
    return "p > 0.999" if p > 0.9995 else f"p = {p:.3f}"


def count(n: float) -> str:
    """A count with commas.

    >>> count(6706)
    '6,706'
    """
    return f"{n:,.0f}"


def many(n: int, noun: str, nouns: str = "") -> str:
    """So many of something.

    >>> many(1, "topic"), many(1341, "gold label"), many(2, "class", "classes")
    ('1 topic', '1,341 gold labels', '2 classes')
    """
    return f"{n:,} {noun if n == 1 else nouns or noun + 's'}"


def contain(n: int, of: int, noun: str) -> str:
    """How many of some contain something.

    >>> contain(1, 1, "claim"), contain(1, 3, "claim"), contain(0, 2, "interval")
    ('1 of 1 claim contains', '1 of 3 claims contains', '0 of 2 intervals contain')
    """
    return f"{n:,} of {many(of, noun)} {'contains' if n == 1 else 'contain'}"


def percent(x: float | None, digits: int = 0) -> str:
    """A share.

    >>> percent(0.0209, 1), percent(None) == NONE
    ('2.1%', True)
    """
    return NONE if x is None or math.isnan(x) else f"{100 * x:.{digits}f}%"


def named(names: list[str] | tuple[str, ...], most: int = 3) -> str:
    """The first few of some names.

    >>> named(["a", "b"]), named(["a", "b", "c", "d"], 2)
    ('a and b', 'a, b and 2 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def true_minus(text: str) -> str:
    """Numbers below 0 with a true minus.

    >>> true_minus("from -0.05 to 0.1, of run-1").replace(MINUS, "minus ")
    'from minus 0.05 to 0.1, of run-1'
    """
    return re.sub(r"(?<![\w.-])-(?=\d)", MINUS, text).replace("+-", "±")


def notes(texts: Iterable[str], names: Iterable[str] = ()) -> Html:
    """A small paragraph for each text, in which the names stand out."""
    names = list(names)
    return join(*(paragraph(names_in(true_minus(text), names), class_="note") for text in texts))


def sentence(text: str) -> str:
    """A text with a capital letter and a full stop.

    >>> sentence("one topic is missing")
    'One topic is missing.'
    """
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def small(words: str) -> str:
    """Words that begin a sentence, within one.

    >>> small("For topics like these 50")
    'for topics like these 50'
    """
    return words[:1].lower() + words[1:]


# ---- Tables as pages have them: a caption, heads with scopes, names in front and numbers to the right.
#
# A class `o` marks what a phone leaves out; the plot or the CSV has it.

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


def figure(
    content: Child, *caption: Child, kind: str | None = None, fold: str | None = None, opened: bool = False
) -> Html:
    """A figure with its caption; `fold` is the summary under which both are folded away."""
    parts = (content, el("figcaption", *caption))
    return el("figure", folded(fold, *parts, opened=opened) if fold else parts, class_=kind)


def scrolls(inside: Html, words: str) -> Html:
    """Something wider than a phone, that can be moved by finger and by keys."""
    return el("div", inside, class_="scroll", role="region", tabindex="0", aria_label=words)


# ---- A section of a page: its name, what it says, and its data for programs.


@dataclass(frozen=True)
class Section:
    """What stands in the rail (title, a few facts) and in the column, and the same as data.

    `heads` says that the body has the page's own heading: the title in the rail is then none.
    """

    id: str
    title: str
    nav: str
    body: Html
    data: Mapping[str, Any] = field(default_factory=dict)
    rail: tuple[str, ...] = ()
    chip: str = ""
    heads: bool = False

    def html(self, number: int) -> Html:
        """The section with its number."""
        head = join(el("span", str(number)), " ", self.title)
        top = (
            el("p", head, class_="h2") if self.heads else el("h2", head, id=f"h-{self.id}"),
            el("span", self.chip, class_="ds") if self.chip else None,
            el("ul", *(el("li", fact) for fact in self.rail), class_="facts") if self.rail else None,
        )
        return el(
            "section", el("div", *top, class_="rail"), el("div", self.body, class_="col"), id=self.id,
            class_="verdict" if self.heads else None, aria_labelledby=f"h-{self.id}",
        )  # fmt: skip


# ---- Files to take along: the data of a figure as CSV and the figure as SVG, both inside the page.

_AS_THEY_ARE = ",.:;/-_+()=!*'@"


def downloads(stem: str, columns: Sequence[str], rows: Iterable[tuple[Cell, ...]], svg: str = "") -> Html:
    """Links that hold the data of a figure and, where there is one, its drawing.

    >>> downloads("a", ("x",), [(1.5,)])[19:]
    ' <a class="data" download="a.csv" href="data:text/csv;charset=utf-8,x%0A1.5%0A">data (CSV)</a></span>'
    """
    text = separated(tuple(columns), [tuple(map(_cell, row)) for row in rows], ",")
    links = [" ", _link(f"{stem}.csv", "text/csv", text, _AS_THEY_ARE, "data (CSV)")]
    if svg:
        drawing = svg.replace('"', "'")
        links += [" ", _link(f"{stem}.svg", "image/svg+xml", drawing, _AS_THEY_ARE + " ", "figure (SVG)")]
    return el("span", *links, class_="take")


def _link(file: str, media_type: str, text: str, safe: str, words: str) -> Html:
    content = quote(text.encode(errors="backslashreplace"), safe=safe)
    return el("a", words, class_="data", download=file, href=f"data:{media_type};charset=utf-8,{content}")


def file_name(words: str) -> str:
    """Words as part of the name of a file.

    >>> file_name("nDCG(dcg='exp-log2')@10")
    'nDCG-dcg-exp-log2-10'
    """
    return "-".join(re.findall(r"[A-Za-z0-9]+", words))


def _cell(value: Cell) -> Cell:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def json_script(data: Mapping[str, Any], identifier: str) -> Html:
    r"""Data inside a page for programs; no text in it can end the script.

    >>> print(json_script({"a": "</script>", "b": float("nan")}, "d"))
    <script type="application/json" id="d">{"a":"\u003c/script\u003e","b":null}</script>
    """
    text = json.dumps(_sound(data), separators=(",", ":"), allow_nan=False)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Html(f'<script type="application/json" id="{identifier}">{text}</script>')


def _sound(value: Any) -> Any:
    """A value with nothing in it that JSON cannot say."""
    if isinstance(value, Mapping):
        return {str(k): _sound(v) for k, v in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str | int | bool) or value is None:
        return value
    if isinstance(value, Iterable):
        return [_sound(v) for v in value]
    return str(value)
