"""A team's pages over HTTP: one link, one POST a label, and the next document by redirect; no script needed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient
from msgspec import structs

from tests.judging.deciding import made
from tests.judging.reading import Html
from tests.judging.teaming import LEASE, listed, team_study
from tests.judging.visiting import HIDDEN
from tests.judging.walking import Time
from truegain.judging.server.app import create_app
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.decisions import store_decision
from truegain.judging.study.study import JudgingStudy, People, Words
from truegain.judging.texts import Wording
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.organizer import OrganizerService
from truegain.judging.workflow.pausing import Reason, pause

if TYPE_CHECKING:
    from httpx import Response

HOME = "/s/team/"


class Desk:
    """A study by invitation, its app, and browsers at it."""

    def __init__(self, study: JudgingStudy, database: Database, clock: Time) -> None:
        self.study, self.database, self.clock = study, database, clock
        self.app = create_app(study, database, service=AssessorService(study, database, clock=clock), limits=None)

    def invite(self) -> Browser:
        """Someone with a link."""
        token = OrganizerService(self.study, self.database).invite(1)[0]
        return Browser(self, f"{HOME}?invitation={token}")


class Browser:
    """A browser that follows redirects one by one and knows how many there were."""

    def __init__(self, desk: Desk, link: str) -> None:
        self.client = TestClient(desk.app, follow_redirects=False)
        self.link, self.address, self.hops = link, "", 0
        self.response: Response

    def open(self, address: str = "") -> Html:
        """Go to an address, by the link unless told."""
        return self._follow(self.client.get(address or self.link), address or self.link)

    def _follow(self, response: Response, address: str) -> Html:
        self.hops = 0
        while response.status_code == 303:
            self.hops += 1
            address = response.headers["location"]
            response = self.client.get(address)
        self.response, self.address = response, address
        return Html(response.text)

    def press(self, **fields: str) -> Html:
        """Send the form of the page."""
        found = re.search(r'<form[^>]*id="ask"[^>]*action="([^"]+)"', self.response.text)
        assert found, self.response.text[:500]
        hidden = {name: unescape(value) for name, value in HIDDEN.findall(self.response.text)}
        return self._follow(self.client.post(found[1], data={**hidden, **fields}), found[1])

    @property
    def doc(self) -> str:
        """The document of the page."""
        return Html(self.response.text).one("h2", id="document-title").text.removeprefix("Title ")


@pytest.fixture
def desk(tmp_path: Path, clock: Time) -> Iterator[Desk]:
    """A list of twelve rows, on SQLite."""
    database = Database(default_url(tmp_path))
    study = team_study(tmp_path)
    yield Desk(replace(study, people=replace(study.people, platform="invitation")), database, clock)
    database.close()


def test_one_link_and_a_stream(desk: Desk) -> None:
    """Guards the way: link, consent, then a POST and one redirect a document; the link leads to the same place."""
    who = desk.invite()
    page = who.open()
    assert page.one("h1").text == "How relevant is each document?"
    who.press(action="next", consent="yes")
    assert who.doc == "d00"
    for n in range(1, 4):
        page = who.press(label="2")
        assert (who.doc, who.hops) == (f"d{n:02d}", 1)
    again = Browser(desk, who.link)
    again.open()
    assert again.doc == "d03"
    assert "Today: 3 by you, 3 by all." in page.one("div", class_="today").text
    assert listed(desk.database, desk.study).top == 3


def test_a_list_that_may_not_be_finished(desk: Desk) -> None:
    """Guards the bar: it ends where labels end, not where the list does."""
    decision = structs.replace(made(0), listed=12, most=5)
    desk.database.write(lambda connection: store_decision(connection, decision, 0.0))
    who = desk.invite()
    who.open()
    page = who.press(action="next", consent="yes")
    assert "The list is complete to row 0; we need 5 rows at most." in page.one("div", class_="today").text
    assert page.one("progress").attributes["max"] == "5"


@pytest.mark.parametrize("name", ["someone", "you", "other"])
def test_one_label_below(name: str) -> None:
    """Guards the words where one label waits for the row above it."""
    text = Wording().counted(f"team.waits_{name}", 1, time="50 seconds")
    assert "one label below it does not count yet" in text
    assert "3 labels below it do not count yet" in Wording().counted(f"team.waits_{name}", 3, time="50 seconds")


def test_page_of_a_row(desk: Desk) -> None:
    """Guards what is in view: the question, its details, marked words, a key for each label, Undo, Pause."""
    who = desk.invite()
    who.open()
    who.press(action="next", consent="yes")
    page = who.press(label="1")
    assert page.one("h1").text == "Topic: Lamp of t2"
    assert "What helps." in page.one("section", class_="question").text
    assert page.one("mark").text == "lamp"
    buttons = [button.attributes for button in page.find("button", name="label")]
    assert [(b["value"], b["data-key"]) for b in buttons] == [(k, k) for k in "3210"]
    keyed = {one.attributes["data-key"] for one in page.all if "data-key" in one.attributes}
    assert keyed == {"0", "1", "2", "3", "u", "c", "p"}
    assert page.one("a", **{"data-key": "u"}).text == "UUndo: Slightly relevant"


@pytest.mark.slow
def test_back_button(desk: Desk) -> None:
    """Guards the browser's Back: an earlier document leads to the one that is theirs now."""
    who = desk.invite()
    who.open()
    who.press(action="next", consent="yes")
    before = who.address
    who.press(label="1")
    now = who.address
    who.open(before)
    assert who.address == now


def test_the_same_post_twice(desk: Desk) -> None:
    """Guards an answer that was lost: the same form again leads to the same next document, and counts once."""
    who = desk.invite()
    who.open()
    who.press(action="next", consent="yes")
    first = who.response
    who.press(label="1")
    next_one = who.address
    who.response = first
    who.press(label="1")
    assert who.address == next_one
    assert listed(desk.database, desk.study).total == 1


@pytest.mark.slow
def test_undo_page(desk: Desk) -> None:
    """Guards Undo without script: a page with the last document, whose label is another's place."""
    who = desk.invite()
    who.open()
    who.press(action="next", consent="yes")
    who.press(label="1")
    at = who.address
    page = who.open(f"{at.rsplit('/doc', 1)[0]}/undo")
    assert who.doc == "d00"
    assert "You said: Slightly relevant." in page.one("div", class_="note").text
    assert page.one("button", **{"aria-current": "true"}).attributes["value"] == "1"
    page = who.press(label="3")
    assert (who.address, who.doc) == (at, "d01")
    assert page.one("div", class_="note").text == "Your last label is corrected."
    assert listed(desk.database, desk.study).labels[0].labels == (3.0,)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("reason", "title"),
    [
        ("known", "Thank you, it is known"),
        ("given-up", "Thank you, we stop here"),
        ("organizer", "The study is paused"),
    ],
)
def test_paused(desk: Desk, reason: Reason, title: str) -> None:
    """Guards the end for all: who is at a document, who sends a label, who comes back, who comes first."""
    who, other = desk.invite(), desk.invite()
    for one in (who, other):
        one.open()
        one.press(action="next", consent="yes")
    desk.database.write(lambda c: pause(c, reason))
    assert who.press(label="2").one("h1").text == title
    assert who.open().one("h1").text == title
    assert (other.open().one("h1").text == title) == (reason != "organizer")
    assert desk.invite().open().one("h1").text == title
    assert listed(desk.database, desk.study).total == 1


def test_a_team_leaves_in_its_own_words(desk: Desk) -> None:
    """Guards the pages at which someone stops: of a team's list nothing is a set, has a code or a topic to choose."""
    who = desk.invite()
    who.open()
    who.press(action="next", consent="yes")
    who.press(label="2")
    leave = who.press(action="leave")
    assert "come back with your link whenever you like: your labels stay" in leave.one("main").text
    assert "If the question is answered already, the list behind the answer keeps the labels" in leave.one("main").text
    left = who.press(action="leave", withdraw="yes")
    assert left.one("h1").text == "You have stopped"
    assert "We erased what you sent, and keep only the fact that you took part." in left.one("main").text
    for page in (leave, left):
        assert not re.search(r"\b(set|code|paid|topic)\b", page.one("main").text)


def test_who_withdraws_after_the_end(desk: Desk) -> None:
    """Guards the same once it is known: no code, no pay, and the answer's list is told of."""
    who = desk.invite()
    who.open()
    who.press(action="next", consent="yes")
    who.press(label="2")
    desk.database.write(lambda c: pause(c, "known"))
    end = who.press(label="1")
    link = next(a.attributes["href"] for a in end.find("a") if "/leave" in a.attributes["href"])
    leave = who.open(link)
    assert "paid" not in leave.one("main").text
    left = who.press(action="leave", withdraw="yes")
    assert "the list behind the answer keeps the labels, without your name" in left.one("main").text
    assert not re.search(r"\b(set|code|paid)\b", left.one("main").text)


@pytest.mark.parametrize(
    ("people", "said"), [(1, "The list goes on without its label."), (2, "It goes to someone else.")]
)
def test_what_nobody_else_can_take(desk: Desk, people: int, said: str) -> None:
    """Guards the words beside "cannot judge" where one person labels alone."""
    desk.study = replace(desk.study, people=replace(desk.study.people, number=people))
    who = Desk(desk.study, desk.database, desk.clock).invite()
    who.open()
    assert said in who.press(action="next", consent="yes").one("main").text


@pytest.mark.slow
def test_pause_and_go_on(desk: Desk) -> None:
    """Guards a break: the row is handed back, the page waits, and one button goes on."""
    who = desk.invite()
    who.open()
    who.press(action="next", consent="yes")
    assert who.press(action="pause").one("h1").text == "You are on a break"
    assert who.open(who.address).one("h1").text == "You are on a break"
    who.press(action="next")
    assert who.doc == "d00"


@pytest.mark.slow
def test_sign_of_life(desk: Desk) -> None:
    """Guards leases: 204 while the row is theirs, 205 once someone else has it."""
    who, other = desk.invite(), desk.invite()
    for one in (who, other):
        one.open()
        one.press(action="next", consent="yes")
    here = f"{who.address.rsplit('/doc', 1)[0]}/here"
    desk.clock.go(LEASE - 1)
    assert who.client.post(here).status_code == 204
    desk.clock.go(LEASE + 1)
    other.press(label="1")
    assert other.doc == "d00"
    assert who.client.post(here).status_code == 205
    page = who.open(who.address)
    assert "someone else was given it" in page.one("div", class_="note").text


def test_a_text_of_the_query_is_no_markup(tmp_path: Path, clock: Time) -> None:
    """Guards marking: what looks like a tag in the query or the document is text."""
    study = team_study(tmp_path, rows=1)
    topics = {k: replace(t, title="<b>lamp</b> & script") for k, t in study.topics.items()}
    documents = {k: replace(d, text="A <script>alert(1)</script> &amp; lamp's") for k, d in study.documents.items()}
    database = Database(default_url(tmp_path))
    study = replace(study, topics=topics, documents=documents, words=Words("T"), people=People("invitation"))
    who = Desk(study, database, clock).invite()
    who.open()
    who.press(action="next", consent="yes")
    text = who.response.text
    assert "A &lt;<mark>script</mark>&gt;alert(1)&lt;/<mark>script</mark>&gt; &amp;amp; <mark>lamp</mark>&#39;s" in text
    assert "<script>alert" not in text
    database.close()
