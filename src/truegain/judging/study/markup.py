"""The words of HTML as they were meant: outside of tags, and in what looks like a tag to a browser and is none.

A browser drops `<b and c>`, `<! so>`, `</ so>` and `<![CDATA[so]]>`, words and all.  Where a tag is of no element, or
has attributes that are words, and nothing closes it, it is text; real comments, declarations and instructions are not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

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
_WORD = re.compile(r"[\"'\u2018\u201c(]*\w[\w'\u2019]*[.,;:!?)\"'\u2019\u201d]*")


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
    found: list[str] = []
    within: list[tuple[str, int]] = []  # wordless elements that are open, and where in `found` each began

    def close(name: str) -> None:
        at = next((i for i in reversed(range(len(within))) if within[i][0] == name), None)
        if at is not None:
            del found[within[at][1] :]
            del within[at:]

    for part in parts:
        if not part.name:
            found.append(part.text)
            continue
        if part.is_end or part.name == "body":
            close(part.name if part.is_end else "head")
        found.append(f" {part.text} " if _is_text(part, begun[part.name], ended[part.name]) else " ")
        if part.name in WORDLESS and not part.is_end:
            within.append((part.name, len(found)))
    return "".join(found)


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
    while found := _OPENS.search(html, at):
        start = found.start()
        yield _Part(unescape(html[at:start]))
        at = found.end()
        if found["comment"]:
            whole = _COMMENT.match(html, start)
            at = whole.end() if whole else at
        elif found["declared"] or found["bogus"]:
            end = html.find(">", at)
            if end < 0:
                at = start
                break
            if found["bogus"]:
                yield _Part(f" {html[at:end].removeprefix('[CDATA[')} ")
            at = end + 1
        else:
            tag, end = _tag(html, at, found["name"].lower(), is_end=bool(found["end"]))
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
        found = _ATTRIBUTE.match(html, at)
        if found is None:
            return None, at
        attributes.append(found)
        at = found.end()
    known = [a for a in attributes if a["name"].lower() in _ATTRIBUTES]
    is_marked = any(a["quoted"] for a in attributes) or any(a["value"] for a in known)
    words = [a for a in attributes if a not in known and not a["value"] and _WORD.fullmatch(a["name"])]
    raw = html[start - len(name) : closes.end() - 1]
    is_closed = raw.endswith("/") and name[-1].isalnum()  # not https://
    return _Part(raw, name, is_end, is_closed, is_marked, bool(words)), closes.end()
