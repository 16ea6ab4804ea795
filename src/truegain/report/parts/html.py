"""Tags: whatever is not marked as HTML is text and is escaped, so that no name can break a page."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

VOID = ("br", "col", "meta", "input", "wbr")
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
    said = ""
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        name = key.rstrip("_").replace("_", "-")
        said += f" {name}" if value is True else f' {name}="{escaped(str(value))}"'
    if tag in VOID:
        return Html(f"<{tag}{said}>")
    return Html(f"<{tag}{said}>{join(*children)}</{tag}>")


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
    known = sorted({n for n in names if n}, key=len, reverse=True)
    if not known:
        return escaped(text)
    either = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, known))})(?![\w-])")
    return join(*(name(part) if i % 2 else part for i, part in enumerate(either.split(text))))


def unseen(text: str) -> Html:
    """Text for those who hear the page."""
    return el("span", text, class_="vh")


def paragraph(*children: Child, class_: str | None = None) -> Html:
    """A paragraph."""
    return el("p", *children, class_=class_)
