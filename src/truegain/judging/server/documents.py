"""Documents as they are shown: HTML cleaned of all that acts, links or loads, plain text in paragraphs."""

from __future__ import annotations

import re
from functools import lru_cache

import nh3
from markupsafe import Markup, escape

from truegain.judging.tasks.material import Document, Item

_BLOCKS = "address article aside blockquote br caption center dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 "
_BLOCKS += "header hr html body li main nav ol p pre section table tbody td tfoot th thead tr ul"
_INLINE = "a abbr b bdi bdo cite code del dfn em i ins kbd mark q s samp small span strong sub sup time u var wbr"
_KEPT = frozenset((_BLOCKS + " " + _INLINE).split()) - {"a", "html", "body", "center", "mark", "main", "span"}
_ACTING = "script style template noscript iframe object title head svg math textarea select button"
_EMPTIED = frozenset(_ACTING.split())
_ANY = "|".join((_BLOCKS + " " + _INLINE).split())
_BLOCK = "|".join(_BLOCKS.split())
_IS_HTML = re.compile(rf"<(?:(?:{_BLOCK})(?:\s+[\w-]+\s*=[^<>]*)?\s*/?|/(?:{_ANY})\s*|!doctype[^<>]*)>", re.I)
_HEADING = re.compile(r"<(/?)h([1-6])(?=[ >])")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def shown(document: Document) -> Markup:
    r"""The text of a document as markup that neither acts nor loads anything; links are their text.

    >>> str(shown(Document("d", '<h1>Lamps</h1><p onclick="x()">See <a href="https://a.b">here</a><script>x()</script>.')))
    '<h3>Lamps</h3><p>See here.</p>'
    >>> str(shown(Document("d", "One < two.\n\nThree.")))
    '<p>One &lt; two.</p>\n<p>Three.</p>'
    """
    return _shown(document.text)


@lru_cache(maxsize=1024)
def _shown(text: str) -> Markup:
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _clean(text) if _IS_HTML.search(text) else _paragraphs(text)


def _clean(html: str) -> Markup:
    """HTML without attributes, links, pictures and all that acts; its headings below those of the page."""
    attributes = {tag: {"lang", "dir"} for tag in _KEPT}
    attributes |= {cell: {"lang", "dir", "colspan", "rowspan"} for cell in ("td", "th")}
    clean = nh3.clean(
        html, tags=set(_KEPT), clean_content_tags=set(_EMPTIED), attributes=attributes, link_rel=None,
        strip_comments=True, url_schemes=set(),
    )  # fmt: skip
    return Markup(_HEADING.sub(lambda found: f"<{found[1]}h{min(6, int(found[2]) + 2)}", clean))


def _paragraphs(text: str) -> Markup:
    """Plain text: an empty line ends a paragraph, a line's end stays one."""
    blocks = [block.strip("\n") for block in re.split(r"\n[ \t]*\n", text) if block.strip()]
    return Markup("\n").join(
        Markup("<p>{}</p>").format(Markup("<br>\n").join(escape(line) for line in block.split("\n")))
        for block in blocks
    )


def answer_of(item: Item) -> tuple[str, str, str]:
    """The answer that a claim stands in: what is before it, the claim, what is after; alone where it is not within.

    >>> answer_of(Item(("d",), claim="It moved.", answer="Long ago. It moved. It stands."))
    ('Long ago. ', 'It moved.', ' It stands.')
    """
    before, found, after = item.answer.partition(item.claim)
    return (before, item.claim, after) if found else (item.answer + ("\n" if item.answer else ""), item.claim, "")
