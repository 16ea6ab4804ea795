"""Documents as they are shown: nothing in them acts, loads or leads away, and no text is lost."""

from __future__ import annotations

import re
from html import escape, unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.judging.reading import Html
from truegain.judging.study.display import answer_of, as_html, lost_words
from truegain.judging.tasks.base import Document, Item

ATTACKS = [
    "<p>x</p><script>alert(1)</script>",
    "<p onmouseover=alert(1)>x</p>",
    "<p>x</p><img src=x onerror=alert(1)>",
    "<div><svg><g/onload=alert(2)//<p>",
    "<p><a href='javascript:alert(1)'>x</a></p>",
    "<p style='background:url(//evil.example)'>x</p>",
    "<p>x</p><iframe src='//evil.example'></iframe>",
    "<p>x</p><form action='//evil.example'><input name=number><button>Next</button></form>",
    "<p>x</p><meta http-equiv=refresh content='0;url=//evil.example'><link rel=stylesheet href=//evil.example>",
    "<p>x<!--><img src=x onerror=alert(1)>--></p>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<p id=main name=ask class=errors hx-get=/u/x>x</p>",
    "</article></main><form id=ask><p>x</p>",
    "<textarea></p></textarea><p>x</p>",
    "<p>x</p><base href=//evil.example><object data=x></object><video src=x><embed src=x>",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_in_a_document_acts(attack: str) -> None:
    """Guards the browser and the page: only known elements, no address, no handler, no id, nothing left open."""
    page = Html(str(as_html(Document("d", attack, format="html"))))
    for element in page.all:
        assert set(element.attributes) <= {"lang", "dir", "colspan", "rowspan"}, element
        assert element.tag not in {
            "script",
            "style",
            "img",
            "a",
            "iframe",
            "form",
            "input",
            "button",
            "svg",
            "math",
            "meta",
        }
    assert "alert" not in " ".join(e.tag for e in page.all)


def test_links_are_text_and_headings_stand_below_the_page_s() -> None:
    """Guards what is kept: words of links, structure, tables; and one h1 to a page."""
    html = '<h1 lang="fr">Pont</h1><p>See <a href="https://a.example">the <i>list</i></a>.</p>'
    html += "<table><tr><td colspan=2>1</td></tr></table>"
    text = str(as_html(Document("d", html, format="html")))
    assert '<h3 lang="fr">Pont</h3><p>See the <i>list</i>.</p>' in text
    assert '<td colspan="2">1</td>' in text


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60))
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    """Guards plain documents: every sign comes through, and signs of markup are only signs."""
    back = unescape(re.sub(r"</?p>|<br>", "", str(as_html(Document("d", text)))))
    assert back.split() == text.split()


def test_paragraphs_and_lines_of_plain_text() -> None:
    """Guards plain text: an empty line ends a paragraph, a line's end stays, comparisons are not markup."""
    text = str(as_html(Document("d", "if a <b and c> d\r\nsecond line\n \n\nnext\x00 one")))
    assert text == "<p>if a &lt;b and c&gt; d<br>\nsecond line</p>\n<p>next one</p>"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_no_word_of_a_text_is_lost(text: str) -> None:
    """Guards what check tells: plain text is always shown whole, whatever signs are in it."""
    assert lost_words(Document("d", text)) is None


@pytest.mark.parametrize(("html", "first"), [
    ("<p>x <title> y", "y"), ("<p>x</p><style>p {} <p>y z</p>", "p {} <p>y z</p>"), ("x<svg> y", "y"),
    ("<p>x</p><noscript>y", "y"),
])  # fmt: skip
def test_what_an_open_element_swallows_is_lost(html: str, first: str) -> None:
    """Guards HTML that is none: an element that is never closed takes the rest with it, and that is told."""
    lost = lost_words(Document("d", html, format="html"))
    assert lost is not None
    assert lost.first == first


@pytest.mark.parametrize("html", [
    "<html><head><title>T</title><style>p {}</style></head><body><p>Hi <b>W</b>ord</p><script>x()</script>",
    "<html><head><title>T</title><body>text", "<table>loose<tr><td>c</td></tr></table>", "<p>1 < 2 and 3 > 2",
    '<a title="x > y">link</a> <button>Order</button><select><option>A<option>B</select><textarea>t</textarea>',
    "<p>x</p><svg><title>Menu</title><text>pictured</text></svg>", "<p>x &amp; y &lt;p&gt; &copy; &#8364;</p>",
])  # fmt: skip
def test_pages_as_they_are_lose_nothing(html: str) -> None:
    """Guards ordinary web pages: scripts, styles, titles and pictures are no words, and all others are shown."""
    assert lost_words(Document("d", html, format="html")) is None


@pytest.mark.parametrize(("html", "words", "first"), [
    ("<p>If a <b and c words are here then d> e", 8, "b and c words are here then d e"),
    ("<p>x <! odd words here> y", 3, "odd words here y"), ("<p>x </ not a tag words > y", 4, "not a tag words y"),
    ("<p>x <![CDATA[ words ]]> y", 1, "words ]] y"), ("<p>x <? odd words> y", 2, "odd words y"),
    ("<p>x <!-- and the rest y", 4, "and the rest y"), ("<p>x <!doctype and the rest", 4, "<!doctype and the rest"),
    ("<p>Dear <name>, hello", 1, "name , hello"), ("<p>x <code goes here> y", 3, "code goes here y"),
    ("<p>a List<String> <b>is</b> <b or not> c", 4, "String is b or not c"),
    ("<p>x </b and more> y", 3, "b and more y"),
    ("<p>ask <ann@example.org> or <https://a.example/x/> y", 7, "ann@example.org or https://a.example/x/ y"),
    ("<p>x <i for one> y", 3, "i for one y"), ("<p>x <b and y=3, the sum> z", 6, "b and y=3, the sum z"),
    ('<p>x <a title="never closed, and the rest', 7, '<a title="never closed, and the rest'),
])  # fmt: skip
def test_what_only_looks_like_a_tag_is_lost(html: str, words: int, first: str) -> None:
    """Guards prose with signs of HTML in it: a browser drops the words within, and nobody was told."""
    lost = lost_words(Document("d", html, format="html"))
    assert lost is not None
    assert (lost.words, lost.first) == (words, first)


@pytest.mark.parametrize("html", [
    "<p>x <input disabled> <input type=checkbox checked> <table><tr><td nowrap>c<td>d</table>", "<ol reversed><li>e",
    "<p>x <!-- not text --> y <!--> z <!---> u <!-- a > b --!> v", "<P ALIGN=center>x<BR CLEAR=all>y<HR noshade>",
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN"><html><body>x<br/>y</body></html>',
    "<![if !mso]>x<![endif]> <!--[if mso]>not text<![endif]--> <o:p>y</o:p> <st1:City w:st=on>Rome</st1:City>",
    "<DOC><DOCNO>7</DOCNO><HEADLINE>x</HEADLINE></DOC>", "<my-part open>x</my-part> <div row v-cloak>y</div>",
    '<img alt src=x lazy> <a nofollow href=y>x</a> <page no="3"> <script async defer src=z></script>',
    "<title>a <b and c</title><p>x <textarea>t <i and &amp; u</textarea>",
    "<p>x <a class=b href='u>v'>y</a><script>if (a <b and c> d) e()</script> a </> b < c <3 <é>",
    "<p data-x @click :y #z *w aria-hidden>x", "<section hidden itemscope>x</section> <video controls muted></video>",
])  # fmt: skip
def test_real_markup_raises_no_alarm(html: str) -> None:
    """Guards ordinary pages against the rule above: attributes without a value, comments, XML, custom elements."""
    assert lost_words(Document("d", html, format="html")) is None


@given(st.text(st.sampled_from("<>/!?-=[]&;\"' \nabp"), max_size=40))
def test_no_text_is_too_odd_to_compare(text: str) -> None:
    """Guards the check itself: whatever is given it ends, and what is escaped is shown whole."""
    lost_words(Document("d", text, format="html"))
    assert lost_words(Document("d", f"<p>{escape(text)}</p>", format="html")) is None


def test_a_claim_that_is_not_in_its_answer_stands_alone() -> None:
    """Guards claims that were reworded: they are marked all the same."""
    assert answer_of(Item(("d",), claim="It moved.", answer="Other words.")) == ("Other words.\n", "It moved.", "")
