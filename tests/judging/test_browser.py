"""A unit of magnitudes in a real browser before a real server, as a person goes through it, with every mistake."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.judging.browsing import PHONE, Served, Visitor, hatched, worth
from tests.judging.served import Nest
from tests.judging.wire import CODE, alike, faults_of
from truegain.judging.store.database import FILE
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import Rules

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SECONDS = 20.0  # on each document, by the server's clock, which nobody waits for
NEUTRAL = "This set cannot be accepted yet Please go through the 8 documents once more, read each with care and change "
NEUTRAL += "whatever you wish. Then send the set again."
Come = Callable[..., Visitor]


@pytest.fixture(scope="module")
def served(nest: Nest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A study of magnitudes, on SQLite."""
    rules = Rules(seconds=SECONDS, practice_tries=2, question_tries=2)
    study = simulated_study(tmp_path_factory.mktemp("walk") / "study", topics=2, docs=12, judgments=6, rules=rules)
    with hatched(nest, study) as found:
        yield found


@pytest.fixture
def come(browser: Browser, served: Served) -> Iterator[Come]:
    """A function that brings somebody to the door; what went over their wire is searched when the test is over."""
    visitors: list[Visitor] = []

    def one(**about: Any) -> Visitor:
        visitors.append(Visitor(browser, served, **about))
        return visitors[-1]

    yield one
    assert faults_of(visitors) == []


def answers(served: Served, token: str) -> list[Any]:
    """What is stored of a unit's documents: number, revision, typed, value, reason, cannot."""
    query = (
        "SELECT a.number, revision, typed, value, reason, cannot FROM answers a JOIN sessions s ON a.session = s.id "
    )
    query += "WHERE token = ? AND kind = 'item' ORDER BY a.number, revision"
    return stored(served, query, token)


def stored(served: Served, query: str, *values: Any) -> list[Any]:
    """Rows of the study's database."""
    connection = sqlite3.connect(Path(served.study.folder) / FILE, timeout=30)
    try:
        with connection:
            return connection.execute(query, values).fetchall()
    finally:
        connection.close()


@pytest.mark.smoke
def test_a_unit_at_the_first_try(come: Come, served: Served) -> None:
    """Guards the paper's flow without mistakes: from the link to one code, which is there again on another look."""
    who = come()
    who.to_documents()
    who.judge(worth(served.study), SECONDS)
    assert who.path == "/done"
    code = who.text("#code")
    assert CODE.fullmatch(code)
    assert len(answers(served, who.token)) == 8
    who.page.reload()
    assert who.text("#code") == code


def test_whole_unit(come: Come, served: Served) -> None:
    """Guards the paper's flow with its mistakes: practice, question, time, Hk below Nk; one code at the end."""
    who = come()
    who.open()
    who.press()
    who.press()
    assert who.errors == ["Tick the box to take part, or choose not to take part"]
    assert who.page.title().startswith("Error: ")
    who.press(consent="yes")
    who.practise(wrong=True)
    assert (who.path, "you have one more try" in who.text(".note")) == ("/practice/1", True)
    who.practise()
    assert who.path == "/topic"
    who.press()
    assert who.errors == ["Choose one of the answers"]
    who.press(choice=who.choice(wrong=True))
    assert (who.path, "you have one more try" in who.text(".note")) == ("/topic", True)
    who.press(choice=who.choice())
    wrong, right = worth(served.study, wrong=True), worth(served.study)
    who.judge(wrong)  # too fast, and Hk below Nk
    messages = [_sent_back(who)]
    who.judge(wrong, SECONDS)
    messages.append(_sent_back(who, by_list=True))
    who.judge(right)
    assert messages == [NEUTRAL, NEUTRAL]
    assert who.path == "/done"
    code, token = who.text("#code"), who.token
    assert CODE.fullmatch(code)
    who.page.reload()
    assert who.text("#code") == code
    who.open("/")  # who comes again by the link finds the code, and may have another set, on another topic
    assert (who.path, who.token, who.text("#code")) == ("/done", token, code)
    who.press()
    assert (who.path, who.token != token) == ("/topic", True)  # consent and practice hold for it
    kept = answers(served, token)
    assert [(number, revision) for number, revision, *_ in kept] == [(n, r) for n in range(1, 9) for r in (1, 2, 3)]
    query = "SELECT e.about FROM events e JOIN sessions s ON e.session = s.id WHERE token = ? AND kind = 'checks' "
    failed = [json.loads(about)["failed"] for (about,) in stored(served, query + "ORDER BY e.id", token)]
    assert failed == [["order", "time"], ["order"], []]
    pages = alike(who.close())  # but for the document and its number, those of Hk and Nk are like all others
    assert (len(pages), len(set(pages))) == (6, 1)


def _sent_back(who: Visitor, *, by_list: bool = False) -> str:
    """The message of a set that was not accepted; then go through it again, by the button or the list's first link."""
    assert (who.path, len(who.texts(".listed a"))) == ("/revise", 8)
    assert not who.texts(".listed .quiet")  # numbers do not stand side by side
    message = who.text(".note")
    if by_list:
        with who.turned():
            who.page.locator(".listed a").first.click()
    else:
        who.press()
    assert (who.path, who.value("reason")) == ("/doc/1", "I read it")
    return message


def test_numbers_and_reasons(come: Come, served: Served) -> None:
    """Guards what is typed: each mistake has its sentence at the top and at the field, and the text stays."""
    who = come()
    who.to_documents()
    for typed, sentence in (
        ("", "Type a number above 0"),
        ("0", "0 is not possible here: type a number above 0"),
        ("-3", "Negative numbers are not possible here: type a number above 0"),
        ("inf", "We could not read inf as a number: use digits, such as a whole number, a decimal or a fraction"),
    ):
        who.press(number=typed, reason="half a thought")
        assert (who.path, who.errors, who.text("#number-why")) == ("/doc/1", [sentence], f"Error: {sentence}")
        assert (who.value("number"), who.value("reason"), who.focused()) == (typed, "half a thought", "div.errors")
    who.press(number="1,500", reason="")
    asked = "1,500 can be read in two ways: did you mean 1.5 or 1500?"
    assert who.errors == [asked, "Write a few words about why you chose this number"]
    assert who.page.locator("[name=number_meant]:checked").count() == 0
    who.page.locator(".errors a").first.click()
    assert who.focused() == "number-meant"
    who.press(number_meant="1500", reason="it tells when")
    assert (who.path, who.text("#saved")) == ("/doc/2", "Document 1 is saved.")
    who.press(number="1/2", reason="less")
    assert who.path == "/doc/3"
    first, second = answers(served, who.token)
    assert (first[2:5], second[2:5]) == (("1,500", 1500.0, "it tells when"), ("1/2", 0.5, "less"))


def test_back_edit_cannot_and_report(come: Come, served: Served) -> None:
    """Guards the ways beside Next: Back keeps what was typed, a revision is added, skipping asks why."""
    who = come()
    who.to_documents()
    who.press(number="10", reason="first thought")
    who.press("back", number="77", reason="not yet sent")
    assert (who.path, who.value("number"), who.value("reason")) == ("/doc/1", "10", "first thought")
    who.press(number="12", reason="second thought")
    assert (who.path, who.value("number"), who.value("reason")) == ("/doc/2", "77", "not yet sent")
    who.unfold("I cannot judge this document")
    who.press("cannot")
    assert who.errors == ["Choose what stops you"]
    who.unfold("does not display properly")
    who.press("report", report="broken letters")
    assert (who.path, "we received your report" in who.text(".note")) == ("/doc/2", True)
    assert who.value("number") == "77"
    if not who.page.locator("#cannot").is_visible():
        who.unfold("I cannot judge this document")
    who.press("cannot", cannot="language", cannot_note="it is in Welsh")
    assert who.path == "/doc/3"
    who.page.go_back()
    who.page.wait_for_selector("#cannot:checked", state="attached")
    kept = answers(served, who.token)
    assert [(row[0], row[1], row[3], row[4]) for row in kept[:2]] == [
        (1, 1, 10.0, "first thought"), (1, 2, 12.0, "second thought"),
    ]  # fmt: skip
    assert (kept[2][3], kept[2][5]) == (None, "language")
    reports = "SELECT count(*) FROM events WHERE kind = 'reported' AND about LIKE '%broken letters%'"
    assert stored(served, reports) == [(1,)]


def test_tab_closed_and_resumed(come: Come, served: Served) -> None:
    """Guards the place: a new tab finds it by the link, another browser by the address, in the same order."""
    who = come()
    who.to_documents()
    shown = [who.document()]
    who.press(number="10", reason="so")
    shown.append(who.document())
    token = who.token
    who.page.close()
    who.page = who.context.new_page()
    who.open("/")
    assert (who.token, who.path, who.document()) == (token, "/doc/2", shown[1])
    other = come(width=PHONE)
    other.open(f"/u/{token}/")
    assert (other.path, other.document()) == ("/doc/2", shown[1])
    other.press("back")
    assert (other.document(), other.value("number"), other.value("reason")) == (shown[0], "10", "so")
    other.open(f"/u/{token}/doc/5")  # not yet
    assert other.path in ("/doc/1", "/doc/2")
    who.press(number="20", reason="typed in the first browser")
    assert (who.path, len(answers(served, token))) == ("/doc/3", 2)


def test_a_place_that_ran_out(come: Come, served: Served) -> None:
    """Guards what was typed on a page that expired: kept, shown again, and sent as it is."""
    who = come()
    who.to_documents()
    who.fill(number="31", reason="after a long pause")
    run_out(served, who.token)
    who.press()
    assert (who.path, who.text(".note h2")) == ("/doc/1", "Welcome back: you can go on here")
    assert (who.value("number"), who.value("reason")) == ("31", "after a long pause")
    who.press()
    assert (who.path, answers(served, who.token)[0][3]) == ("/doc/2", 31.0)


def run_out(served: Served, token: str) -> None:
    """Let the lease of a unit be over."""
    stored(served, "UPDATE sessions SET lease = 1, steady = -1 WHERE token = ?", token)


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_double_click_is_one_revision(script: bool, come: Come, served: Served) -> None:
    """Guards against doubles: Next clicked twice, quickly, is one answer, and the page after it."""
    who = come(script=script)
    who.to_documents()
    who.fill(number="10", reason="once")
    with who.turned():
        who.button("next").dblclick(no_wait_after=True)
    who.page.wait_for_url("**/doc/2")
    who.page.wait_for_timeout(300)
    assert who.path == "/doc/2"
    assert [row[:2] for row in answers(served, who.token)] == [(1, 1)]


def test_leave_and_withdraw(come: Come, served: Served) -> None:
    """Guards the right to go: staying gives all back, leaving asks what to keep, withdrawn text is gone."""
    who = come()
    who.to_documents()
    who.press(number="10", reason="to be forgotten")
    who.press("leave", number="40", reason="half a thou")
    assert who.path == "/leave"
    who.press("leave")
    assert who.errors == ["Choose what should happen to your answers"]
    who.press("stay")
    assert (who.path, who.value("number"), who.value("reason")) == ("/doc/2", "40", "half a thou")
    token = who.token
    who.press("leave")
    who.press("leave", withdraw="yes")
    assert (who.path, who.text("h1")) == ("/left", "You have left this set")
    assert "We erased what you sent." in who.text()
    assert answers(served, token) == []
    assert stored(served, "SELECT count(*) FROM events WHERE about LIKE '%to be forgotten%'") == [(0,)]
    who.open(f"/u/{token}/doc/1")
    assert who.path == "/left"


def test_declining_and_failing(come: Come) -> None:
    """Guards the early ends: no, practice wrong twice, the question wrong twice; none of them blames."""
    who = come()
    who.open()
    who.press()
    who.press("decline")
    assert (who.path, who.text("h1")) == ("/declined", "You chose not to take part")
    who = come()
    who.begin()
    who.practise(wrong=True)
    who.practise(wrong=True)
    assert (who.path, "says nothing about you" in who.text()) == ("/screened", True)
    who = come()
    who.begin()
    who.practise()
    who.press(choice=who.choice(wrong=True))
    who.press(choice=who.choice(wrong=True))
    assert who.path == "/screened"


def test_leaving_the_window_after_a_link_is_noticed(come: Come) -> None:
    """Guards notices: a link of ours that swaps the page in is no leaving, and what comes after it is noticed."""
    who = come()
    who.begin()
    for _ in range(2):  # to words, and back to lines
        with who.turned():
            who.page.locator("main a[href*='practice']").first.click()
    who.practise()
    who.press(choice=who.choice())
    with who.page.expect_request("**/notice"):
        who.page.evaluate("window.dispatchEvent(new Event('blur'))")
