"""Documents as they are shown: HTML cleaned of all that acts, links or loads, plain text in paragraphs.

What a document is, it says (`format`): nothing in a text makes it HTML.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

import nh3
from markupsafe import Markup, escape

from truegain.judging.study.markup import WORDLESS, words_of
from truegain.judging.tasks.material import HTML, Document, Item

_TAGS = "abbr address article aside b bdi bdo blockquote br caption cite code dd del dfn div dl dt em figcaption "
_TAGS += "figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li nav ol p pre q s samp section small strong sub sup "
_TAGS += "table tbody td tfoot th thead time tr u ul var wbr"
_KEPT = frozenset(_TAGS.split())
_HEADING = re.compile(r"<(/?)h([1-6])(?=[ >])")
_BREAKS = re.compile(r"[\x0b\x0c\x1c-\x1f]")  # white space that HTML does not have
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_WORD = re.compile(r"\w+")
TOLD = 60  # characters of what is not shown that are told


def shown(document: Document) -> Markup:
    r"""The text of a document as markup that neither acts nor loads anything; links are their text.

    >>> html = '<h1>Lamps</h1><p onclick="x()">See <a href="https://a.b">here</a><script>x()</script>.'
    >>> str(shown(Document("d", html, format="html")))
    '<h3>Lamps</h3><p>See here.</p>'
    >>> str(shown(Document("d", "One < two, in a <p>.\n\nThree.")))
    '<p>One &lt; two, in a &lt;p&gt;.</p>\n<p>Three.</p>'
    """
    return _shown(document.text, document.format == HTML)


@lru_cache(maxsize=1024)
def _shown(text: str, is_html: bool) -> Markup:
    text = _plain(text)
    return _clean(text) if is_html else _paragraphs(text)


def _plain(text: str) -> str:
    return _CONTROL.sub("", _BREAKS.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n")))


def _clean(html: str) -> Markup:
    """HTML without attributes, links, pictures and all that acts; its headings below those of the page."""
    attributes = {tag: {"lang", "dir"} for tag in _KEPT}
    attributes |= {cell: {"lang", "dir", "colspan", "rowspan"} for cell in ("td", "th")}
    clean = nh3.clean(
        html, tags=set(_KEPT), clean_content_tags=set(WORDLESS), attributes=attributes, link_rel=None,
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


class Lost(NamedTuple):
    """Words of a document that its page does not show: how many, of how many, and how the first of them go."""

    words: int
    of: int
    first: str


def lost_words(document: Document) -> Lost | None:
    """What of a document is not shown; None where all of it is.

    Given are the words outside of tags, but for those in scripts, pictures and the like: where such an element is not
    closed, what follows it was meant as text.  So was what only looks like a tag.

    >>> lost_words(Document("d", "Where is a <title>, and what of <head>?")) is None
    True
    >>> lost_words(Document("d", "<p>Where is a <title>, and what of <head>?", format="html"))
    Lost(words=3, of=6, first=', and what of ?')
    >>> lost_words(Document("d", "<p>If a <b and c are here then d> e", format="html"))
    Lost(words=7, of=10, first='b and c are here then d e')
    """
    given = words_of(_plain(document.text)) if document.format == HTML else _plain(document.text)
    found = words_of(str(shown(document)))
    letters, left = ("".join(_WORD.findall(text)) for text in (given, found))
    if letters == left or not Counter(letters) - Counter(left):  # a table may put its text elsewhere
        return None
    missing = Counter(_WORD.findall(given)) - Counter(_WORD.findall(found))
    same = next(
        (i for i, (x, y) in enumerate(zip(letters, left, strict=False)) if x != y), min(len(letters), len(left))
    )
    return Lost(max(1, missing.total()), len(_WORD.findall(given)), _from_letter(given, same))


def _from_letter(text: str, letters: int) -> str:
    """The beginning of what comes after so many letters of a text."""
    at = 0
    while letters > 0 and at < len(text):
        letters -= _WORD.match(text[at]) is not None
        at += 1
    rest = " ".join(text[at : at + 4 * TOLD].split())
    return rest if len(rest) <= TOLD else f"{rest[:TOLD]}..."


def answer_of(item: Item) -> tuple[str, str, str]:
    """The answer that a claim stands in: what is before it, the claim, what is after; alone where it is not within.

    >>> answer_of(Item(("d",), claim="It moved.", answer="Long ago. It moved. It stands."))
    ('Long ago. ', 'It moved.', ' It stands.')
    """
    before, found, after = item.answer.partition(item.claim)
    return (before, item.claim, after) if found else (item.answer + ("\n" if item.answer else ""), item.claim, "")
