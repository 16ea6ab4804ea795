"""Ends and doors in a real browser: a set that was passed on, a page sent twice, and Mechanical Turk's frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import pytest

from tests.judging.browsing import Served, Visitor, hatched, worth
from tests.judging.framing import AT_MTURK, Framed, framed, may_frame
from tests.judging.served import Nest
from tests.judging.test_browser import answers, run_out, stored
from tests.judging.wire import CODE, told_early
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import People, Rules

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Made = Callable[..., Visitor]


@pytest.fixture(scope="module")
def one_unit(nest: Nest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A study of a single unit: whoever has it keeps all others out."""
    folder = tmp_path_factory.mktemp("one") / "study"
    study = simulated_study(folder, topics=1, docs=4, size=4, judgments=1, rules=Rules(seconds=0))
    with hatched(nest, study) as found:
        yield found


def test_sent_twice_then_passed_on(visitors: Made, one_unit: Served) -> None:
    """Guards two texts for one page, and who comes too late: both are asked about or told, and nothing is lost."""
    slow = visitors(one_unit)
    slow.to_documents()
    tab = slow.context.new_page()
    tab.goto(slow.page.url)
    slow.press(number="30", reason="in the first tab")
    slow.page, first = tab, slow.page
    slow.press(number="12", reason="in the second tab")
    assert (slow.path, slow.text(".note h2")) == (
        "/doc/1", "You sent this page twice with different answers. Which one counts?",
    )  # fmt: skip
    assert (slow.value("number"), slow.value("reason")) == ("30", "in the first tab")
    assert slow.texts(".note dd") == ["12", "in the second tab"]
    with slow.turned():
        slow.page.get_by_role("button", name="This one counts").click()
    assert slow.path == "/doc/2"
    assert [row[1:5] for row in answers(one_unit, slow.token)] == [
        (1, "30", 30.0, "in the first tab"), (2, "12", 12.0, "in the second tab"),
    ]  # fmt: skip
    first.close()
    token = slow.token
    slow.fill(number="7", reason="typed when it was too late")
    run_out(one_unit, token)
    other = visitors(one_unit)
    other.begin()
    other.practise()  # the same set, from its beginning
    assert other.path == "/topic"
    slow.press()
    assert (slow.path, slow.text("h1")) == ("/passed", "Someone else has taken this set")
    rows = [slow.texts(f"tbody tr:nth-child({n}) > *") for n in (1, 2)]
    assert rows == [["1, saved", "12", "in the second tab"], ["2, arrived late", "7", "typed when it was too late"]]
    slow.open("/")
    assert slow.path == "/s/simulated/none"  # the only set is another's now
    slow.open(f"/u/{token}/doc/2")
    assert slow.path == "/passed"
    late = "SELECT late, value FROM answers a JOIN sessions s ON a.session = s.id WHERE token = ? AND kind = 'item' "
    assert stored(one_unit, late + "ORDER BY a.id", token) == [(0, 30.0), (0, 12.0), (1, 7.0)]


@pytest.fixture(scope="module")
def mturk(nest: Nest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A study whose people come from Mechanical Turk."""
    folder = tmp_path_factory.mktemp("turk") / "study"
    people, rules = People("mturk"), Rules(seconds=0)
    with hatched(
        nest, simulated_study(folder, topics=1, docs=4, size=4, judgments=2, rules=rules, people=people)
    ) as it:
        yield it


def test_mturk_preview(visitors: Made, mturk: Served) -> None:
    """Guards who only looks: the instructions, no document, no unit taken, nothing stored."""
    who = visitors(mturk)
    who.open("/s/simulated/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H1")
    assert (who.path, who.text(".note h2")) == ("/s/simulated/preview", "This is a preview")
    assert who.page.locator("form, button").count() == 0
    assert stored(mturk, "SELECT count(*) FROM sessions") == stored(mturk, "SELECT count(*) FROM assessors") == [(0,)]
    assert who.context.cookies() == []


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_mturk_frame_without_cookies(script: bool, browser: Browser, mturk: Served) -> None:
    """Guards the frame on Mechanical Turk's page: a whole unit without any cookie, handed in with its code."""
    who: Framed
    with framed(browser, mturk, f"A{script:d}", script=script) as who:
        who.press(consent="yes")
        who.practise()
        who.press(choice=who.choice())
        at = who.page.url
        who.show()  # the page of Mechanical Turk is loaded again: the same place
        assert (who.page.url, who.path) == (at, "/doc/1")
        who.judge(worth(mturk.study))
        code = who.text("#code")
        assert (who.path, CODE.fullmatch(code) is not None) == ("/done", True)
        assert who.context.cookies() == []
        sent = who.hand_in()
        assert parse_qs(sent) == {"assignmentId": [f"assignment-A{script:d}"], "code": [code]}
        assert who.said == []
    exchanges = who.exchanges
    assert not [e.url for e in exchanges if "set-cookie" in e.headers.lower()]
    assert not [e.url for e in exchanges if not e.url.startswith((mturk.base, *AT_MTURK))]
    assert told_early([e for e in exchanges if e.url.startswith(mturk.base)], mturk.study) == []
    assert not any("x-frame-options" in e.headers.lower() for e in exchanges)
    assert "frame-ancestors" in next(e.headers for e in exchanges if "/u/" in e.url)


def test_other_pages_may_not_frame_ours(browser: Browser, mturk: Served) -> None:
    """Guards the policy: on a page that is not Mechanical Turk's the frame stays empty."""
    context = browser.new_context()
    may_frame(context)
    try:
        page = context.new_page()
        inner = f"{mturk.base}/s/simulated/preview"
        page.route("https://elsewhere.example/**", lambda r: r.fulfill(body=f"<iframe src='{inner}'></iframe>",
                                                                      content_type="text/html"))  # fmt: skip
        refused: list[str] = []
        page.on("console", lambda message: refused.append(message.text))
        page.goto("https://elsewhere.example/")
        page.wait_for_timeout(300)
        assert any("frame-ancestors" in text for text in refused), refused
    finally:
        context.close()
