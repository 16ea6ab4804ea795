"""How a document is displayed: plain text in paragraphs, or HTML's few safe tags; and which words are lost.

A browser drops `<b and c>`, `<! so>`, `</ so>` and `<![CDATA[so]]>`, words and all.  Where a tag is of no element, or
has attributes that are words, and nothing closes it, it is text; real comments, declarations and instructions are not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import NamedTuple

import nh3
from markupsafe import Markup, escape

from truegain.judging.tasks.base import HTML, Document, Item

_UNSEEN = "script style template noscript iframe object svg title head"
_SEEN = """
a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br
button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed
fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 header hgroup hr html i image img input
ins isindex kbd keygen label legend li link listing main map mark marquee math menu menuitem meta meter multicol nav
nextid nobr noembed noframes ol optgroup option output p param picture plaintext pre progress q rb rp rt rtc ruby s
samp search section select slot small source spacer span strike strong sub summary sup table tbody td textarea tfoot
th thead time tr track tt u ul var video wbr xmp
"""
_NAMES = """
abbr accept accept-charset accesskey action align alink allow allowfullscreen alt archive async autocapitalize
autocomplete autofocus autoplay axis background bgcolor border bordercolor cellpadding cellspacing char charoff
charset checked cite class classid clear code codebase codetype color cols colspan compact content contenteditable
controls coords crossorigin data datetime declare decoding default defer dir dirname disabled download draggable
enctype enterkeyhint face for form formaction formenctype formmethod formnovalidate formtarget frame frameborder
headers height hidden high href hreflang hspace id imagesizes imagesrcset inert inputmode integrity is ismap itemid
itemprop itemref itemscope itemtype kind label lang language link list loading longdesc loop low marginheight
marginwidth max maxlength media method min minlength multiple muted name nohref nomodule nonce noresize noshade
novalidate nowrap object open optimum part pattern ping placeholder playsinline popover poster preload profile prompt
property readonly referrerpolicy rel required rev reversed role rows rowspan rules sandbox scheme scope scrolling
seamless selected shape size sizes slot span spellcheck src srcdoc srclang srcset standby start step style summary
tabindex target text title translate truespeed type typemustmatch usemap valign value valuetype version vlink vspace
width wrap xmlns
"""
_UNMARKED = "script style title textarea iframe xmp noembed noframes"
WORDLESS = frozenset(_UNSEEN.split())  # elements of which no text is shown
_ELEMENTS = WORDLESS | frozenset(_SEEN.split())  # of HTML, by today's standard and those before
_ATTRIBUTES = frozenset(_NAMES.split())  # of any of them
_RAW = frozenset(_UNMARKED.split())  # what is within is no markup
_SWALLOWS = ("script", "style")  # also where nothing closes them
_OPENS = re.compile(
    r"<(?:(?P<comment>!--)|(?P<declared>!doctype\b|\?[a-z]|!\[(?:if\b|endif\b))|(?P<bogus>[!?]|/(?![a-z>]))"
    r"|(?P<end>/?)(?P<name>[a-z][^ \t\n/>]*))",
    re.IGNORECASE | re.ASCII,
)
_COMMENT = re.compile(r"<!--(?:-?>|.*?--!?>)", re.DOTALL)
_ATTRIBUTE = re.compile(
    r"[ \t\n/]*(?P<name>[^ \t\n/>][^ \t\n/>=]*)"
    r"(?P<value>[ \t\n]*=[ \t\n]*(?:(?P<quoted>\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z))|[^ \t\n>\"'][^ \t\n>]*)?)?"
)
_CLOSES = re.compile(r"[ \t\n/]*>")
_FOREIGN = re.compile(r"[a-z]\w*:[a-z]\w*")  # o:p and the like, of word processors
# a word as it stands in prose; not data-x, @click, x:y
_MARKUP_WORD = re.compile(r"[\"'\u2018\u201c(]*\w[\w'\u2019]*[.,;:!?)\"'\u2019\u201d]*")


@dataclass(frozen=True)
class _Part:
    """A stretch of HTML: text, or a tag by its name."""

    text: str
    name: str = ""
    is_end: bool = False
    is_closed: bool = False  # by its own slash
    is_marked: bool = False  # an attribute has a value in quotes, or is HTML's and has one
    has_words: bool = False  # among the attributes, as in prose


def words_of(html: str) -> str:
    """The text of HTML, without that of elements that no browser shows, where they are closed.

    >>> words_of("<p>If a <b and c> d, <!-- not this --> see <i>e</i>").split()
    ['If', 'a', 'b', 'and', 'c', 'd,', 'see', 'e']
    >>> words_of("<! so> </ too> <![CDATA[and this]]> <input disabled> <td nowrap>").split()
    ['so', 'too', 'and', 'this]]']
    """
    parts = list(_parts(html))
    begun = Counter(part.name for part in parts if part.name and not part.is_end and not part.is_closed)
    ended = Counter(part.name for part in parts if part.name and part.is_end)
    words: list[str] = []
    within: list[tuple[str, int]] = []  # wordless elements that are open, and where in `found` each began

    def close(name: str) -> None:
        at = next((i for i in reversed(range(len(within))) if within[i][0] == name), None)
        if at is not None:
            del words[within[at][1] :]
            del within[at:]

    for part in parts:
        if not part.name:
            words.append(part.text)
            continue
        if part.is_end or part.name == "body":
            close(part.name if part.is_end else "head")
        words.append(f" {part.text} " if _is_text(part, begun[part.name], ended[part.name]) else " ")
        if part.name in WORDLESS and not part.is_end:
            within.append((part.name, len(words)))
    return "".join(words)


def _is_text(tag: _Part, begun: int, ended: int) -> bool:
    """Whether a tag is none; what is closed as often as it is begun is markup, whatever it is called."""
    is_known = tag.name in _ELEMENTS or _FOREIGN.fullmatch(tag.name) is not None
    if tag.is_marked or (is_known and not tag.has_words):
        return False
    is_whole = begun <= ended if is_known else begun == ended
    return not is_whole or (tag.is_end and tag.has_words)


def _parts(html: str) -> Iterator[_Part]:
    """HTML, cut up as the standard's tokenizer does; what is begun and has no end is text, and so is all after it."""
    at = 0
    while opening := _OPENS.search(html, at):
        start = opening.start()
        yield _Part(unescape(html[at:start]))
        at = opening.end()
        if opening["comment"]:
            whole = _COMMENT.match(html, start)
            at = whole.end() if whole else at
        elif opening["declared"] or opening["bogus"]:
            end = html.find(">", at)
            if end < 0:
                at = start
                break
            if opening["bogus"]:
                yield _Part(f" {html[at:end].removeprefix('[CDATA[')} ")
            at = end + 1
        else:
            tag, end = _tag(html, at, opening["name"].lower(), is_end=bool(opening["end"]))
            if tag is None:
                at = start
                break
            yield tag
            at = end
            if tag.name in _RAW and not tag.is_end:
                closing = re.compile(rf"</{tag.name}(?=[ \t\n/>])", re.IGNORECASE).search(html, at)
                if closing or tag.name in _SWALLOWS:
                    end = closing.start() if closing else len(html)
                    yield _Part(html[at:end] if tag.name in _SWALLOWS else unescape(html[at:end]))
                    at = end
    yield _Part(unescape(html[at:]))


def _tag(html: str, at: int, name: str, *, is_end: bool) -> tuple[_Part | None, int]:
    """The tag whose name ends here, and where it ends; None where it does not."""
    start, attributes = at, []
    while not (closes := _CLOSES.match(html, at)):
        attribute = _ATTRIBUTE.match(html, at)
        if attribute is None:
            return None, at
        attributes.append(attribute)
        at = attribute.end()
    recognized = [a for a in attributes if a["name"].lower() in _ATTRIBUTES]
    is_marked = any(a["quoted"] for a in attributes) or any(a["value"] for a in recognized)
    words = [a for a in attributes if a not in recognized and not a["value"] and _MARKUP_WORD.fullmatch(a["name"])]
    raw = html[start - len(name) : closes.end() - 1]
    is_closed = raw.endswith("/") and name[-1].isalnum()  # not https://
    return _Part(raw, name, is_end, is_closed, is_marked, bool(words)), closes.end()


# ---------------------------------------------------------------------- documents


_TAGS = "abbr address article aside b bdi bdo blockquote br caption cite code dd del dfn div dl dt em figcaption "
_TAGS += "figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li nav ol p pre q s samp section small strong sub sup "
_TAGS += "table tbody td tfoot th thead time tr u ul var wbr"
_KEPT = frozenset(_TAGS.split())
_HEADING = re.compile(r"<(/?)h([1-6])(?=[ >])")
_BREAKS = re.compile(r"[\x0b\x0c\x1c-\x1f]")  # white space that HTML does not have
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_WORD = re.compile(r"\w+")
LONGEST_EXCERPT = 60  # characters of what is not shown that are told


def as_html(document: Document) -> Markup:
    r"""The text of a document as markup that neither acts nor loads anything; links are their text.

    >>> html = '<h1>Lamps</h1><p onclick="x()">See <a href="https://a.b">here</a><script>x()</script>.'
    >>> str(as_html(Document("d", html, format="html")))
    '<h3>Lamps</h3><p>See here.</p>'
    >>> str(as_html(Document("d", "One < two, in a <p>.\n\nThree.")))
    '<p>One &lt; two, in a &lt;p&gt;.</p>\n<p>Three.</p>'
    """
    return _as_html(document.text, document.format == HTML)


@lru_cache(maxsize=1024)
def _as_html(text: str, is_html: bool) -> Markup:
    text = _plain(text)
    return _clean(text) if is_html else _paragraphs(text)


def _plain(text: str) -> str:
    return _CONTROL.sub("", _BREAKS.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n")))


def _clean(html: str) -> Markup:
    """HTML without attributes, links, pictures and all that acts; its headings below those of the page."""
    attributes = {tag: {"lang", "dir"} for tag in _KEPT}
    attributes |= {cell: {"lang", "dir", "colspan", "rowspan"} for cell in ("td", "th")}
    clean = nh3.clean(
        html,
        tags=set(_KEPT),
        clean_content_tags=set(WORDLESS),
        attributes=attributes,
        link_rel=None,
        strip_comments=True,
        url_schemes=set(),
    )
    return Markup(_HEADING.sub(lambda heading: f"<{heading[1]}h{min(6, int(heading[2]) + 2)}", clean))


def _paragraphs(text: str) -> Markup:
    """Plain text: an empty line ends a paragraph, a line's end stays one."""
    blocks = [block.strip("\n") for block in re.split(r"\n[ \t]*\n", text) if block.strip()]
    return Markup("\n").join(
        Markup("<p>{}</p>").format(Markup("<br>\n").join(escape(line) for line in block.split("\n")))
        for block in blocks
    )


_EVERYWHERE = """
a an and are as at be by can do does for from how in is it its of on or that the this to was what when where which who
why will with aus bei das dem den der des die ein eine einem einen einer es für hat ich im ist mit nach oder sich sie
sind und vom von war wer wie wo zu zum zur
"""
_STOP = frozenset(_EVERYWHERE.split())
_MARKED = re.compile(r'(?P<tag><[^>"]*(?:"[^"]*"[^>"]*)*>|&[#\w]+;)|(?P<word>\w+)')


def query_words(query: str) -> frozenset[str]:
    """The words of a query that are worth marking: all but those that every text has, or all where it has no other.

    >>> sorted(query_words("How to take a bicycle on the ferry")), sorted(query_words("To be or"))
    (['bicycle', 'ferry', 'take'], ['be', 'or', 'to'])
    """
    words = frozenset(word.casefold() for word in re.findall(r"\w+", query))
    return frozenset(word for word in words - _STOP if len(word) > 1) or words


def mark_words(text: Markup | str, words: frozenset[str]) -> Markup:
    """A text with whole words of a query marked, in either case; tags and entities of HTML stay as they are.

    >>> print(mark_words(Markup("<p title='amp'>Amp &amp; lamps, LAMP</p>"), frozenset({"amp", "lamp"})))
    <p title='amp'><mark>Amp</mark> &amp; lamps, <mark>LAMP</mark></p>
    >>> print(mark_words("a <b> lamp", frozenset({"lamp", "lt"})))
    a &lt;b&gt; <mark>lamp</mark>
    """

    def one(match: re.Match[str]) -> str:
        word = match["word"]
        return f"<mark>{word}</mark>" if word and word.casefold() in words else match[0]

    return Markup(_MARKED.sub(one, str(escape(text))))


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
    source = words_of(_plain(document.text)) if document.format == HTML else _plain(document.text)
    displayed = words_of(str(as_html(document)))
    letters, left = ("".join(_WORD.findall(text)) for text in (source, displayed))
    if letters == left or not Counter(letters) - Counter(left):  # a table may put its text elsewhere
        return None
    missing = Counter(_WORD.findall(source)) - Counter(_WORD.findall(displayed))
    same = next(
        (i for i, (x, y) in enumerate(zip(letters, left, strict=False)) if x != y), min(len(letters), len(left))
    )
    return Lost(max(1, missing.total()), len(_WORD.findall(source)), _from_letter(source, same))


def _from_letter(text: str, letters: int) -> str:
    """The beginning of what comes after so many letters of a text."""
    at = 0
    while letters > 0 and at < len(text):
        letters -= _WORD.match(text[at]) is not None
        at += 1
    rest = " ".join(text[at : at + 4 * LONGEST_EXCERPT].split())
    return rest if len(rest) <= LONGEST_EXCERPT else f"{rest[:LONGEST_EXCERPT]}..."


def answer_of(item: Item) -> tuple[str, str, str]:
    """The answer that a claim stands in: what is before it, the claim, what is after; alone where it is not within.

    >>> answer_of(Item(("d",), claim="It moved.", answer="Long ago. It moved. It stands."))
    ('Long ago. ', 'It moved.', ' It stands.')
    """
    before, claim, after = item.answer.partition(item.claim)
    return (before, item.claim, after) if claim else (item.answer + ("\n" if item.answer else ""), item.claim, "")
