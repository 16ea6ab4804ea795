"""The decision's page in a real browser: it changes without reload, waits for a server, reloads without script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.judging.browsing import PHONE, SIDEWAYS, Served, Visitor
from tests.judging.deciding import made
from tests.judging.served import Nest
from tests.judging.served import Served as Running
from truegain.cli.annotate_serve import keep_password
from truegain.judging.server.organizer import password_hash_of
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.decisions import store_decision
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import Rules
from truegain.results.settlement import Settlement

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PASSWORD = "four words that differ"
STROKE = 4  # pixels by which the browser makes the box of a line larger: it is so thick


class Deciding:
    """A study that is served, and decisions that come from elsewhere."""

    def __init__(self, nest: Nest, folder: Path) -> None:
        self.study = simulated_study(folder / "study", topics=1, docs=8, rules=Rules(seconds=0))
        keep_password(self.study.folder, password_hash_of(PASSWORD))
        self.url = default_url(self.study.folder)
        self.database = Database(self.url)
        self.running = Running(nest, Path(self.study.folder), self.url)
        self.running.start()
        self.running.answers()
        self.visitors: list[Visitor] = []
        self.served = Served(self.study, f"http://127.0.0.1:{self.running.port}")

    def put(self, decision: Settlement) -> None:
        """Store a decision."""
        self.database.write(lambda c: store_decision(c, decision, 1.7e9))

    def visitor(self, browser: Browser, *, width: int = 1280, dark: bool = False, script: bool = True) -> Visitor:
        """The organizer, signed in, at the decision."""
        who = Visitor(browser, self.served, width=width, dark=dark, script=script)
        self.visitors.append(who)
        who.open(self.served.organizer)
        with who.turned():
            who.fill(password=PASSWORD)
            who.page.locator("button").first.click()
        assert who.page.url == f"{self.served.organizer}decision", "signing in leads there"
        return who


@pytest.fixture
def deciding(nest: Nest, tmp_path: Path) -> Iterator[Deciding]:
    """A study whose decision is on its way."""
    found = Deciding(nest, tmp_path)
    yield found
    for who in found.visitors:
        who.close()
    found.running.__exit__()
    found.database.close()


def test_the_page_changes_without_reload(browser: Browser, deciding: Deciding) -> None:
    """Guards the live page: numbers, picture and title change by themselves; folds, focus and scroll stay."""
    deciding.put(made(40))
    who = deciding.visitor(browser)
    page = who.page
    page.wait_for_selector("#live[data-state=live]")
    page.evaluate("window.same = true")
    page.locator("summary").first.click()
    page.locator("summary").first.focus()
    before = page.locator(".est").nth(1).get_attribute("points")
    deciding.put(made(60))
    page.wait_for_selector("text=After 60 labels it is not known")
    assert page.evaluate("window.same") is True
    assert page.locator("details").first.get_attribute("open") is not None
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    assert page.locator(".est").nth(1).get_attribute("points") != before
    assert page.locator(".looks tbody tr").count() == len(made(60).pairs[0].looks)
    assert (page.title(), who.text("#said")) == ("not decided yet: decision - A simulated study", "")
    who.look()
    deciding.put(made(170, "better", pairs=4))
    page.wait_for_selector(".outcome.made")
    assert page.title().startswith("decided: decision - ")
    assert who.text("#said") == "Decided: new is better than prod on P@10.", "who does not see it is told"
    assert page.locator(".band").count() == 4
    assert page.evaluate("window.same") is True
    who.look()
    exchanges = who.close()
    assert who.said == []
    assert sum(e.url.endswith("/decision") for e in exchanges) == 1
    assert all(e.url.startswith(deciding.served.base) for e in exchanges)


def test_the_picture_is_where_the_numbers_are(browser: Browser, deciding: Deciding) -> None:
    """Guards what is seen: on a wide screen and on a phone, the newest bar spans its limits, words keep their size."""
    deciding.put(made(90))
    who = deciding.visitor(browser, dark=True)
    for width in (1280, PHONE):
        who.page.set_viewport_size({"width": width, "height": 844})
        assert who.page.evaluate(SIDEWAYS) == 0
        boxes = {
            name: who.page.locator(f".plot {name}").first.bounding_box() for name in (".iv", ".pt", ".nil", ".area")
        }
        bar, point, nil, area = (boxes[name] for name in (".iv", ".pt", ".nil", ".area"))
        assert bar
        assert point
        assert nil
        assert area
        middle = point["y"] + point["height"] / 2
        assert bar["y"] < middle < bar["y"] + bar["height"], "the estimate lies within its interval"
        assert abs(area["x"] + area["width"] - (bar["x"] + bar["width"] / 2)) < 2, "at the end of the band"
        newest = made(90).pairs[0].now
        assert newest.low is not None
        assert newest.high is not None
        assert newest.difference is not None
        scale = (bar["height"] - STROKE) / (newest.high - newest.low)
        zero = nil["y"] + nil["height"] / 2
        assert abs((zero - middle) - scale * newest.difference) < 1, "in pixels as in numbers"
        size = who.page.locator(".plot text").first.evaluate("(t) => t.getBoundingClientRect().height")
        assert 12 < size < 22


def test_without_script_it_reloads(browser: Browser, deciding: Deciding) -> None:
    """Guards who runs no script, on a phone: the link shows what is new, and so does waiting; an end needs neither."""
    deciding.put(made(40))
    who = deciding.visitor(browser, width=PHONE, script=False)
    assert "After 40 labels" in who.text()
    assert not who.page.locator("#live").is_visible()
    deciding.put(made(60))
    who.page.get_by_role("link", name="Reload").click()
    who.page.wait_for_selector("text=After 60 labels it is not known")
    deciding.put(made(170, "better"))
    who.page.wait_for_selector(".outcome.made", timeout=40_000)
    assert who.page.locator(".band .pt").first.is_visible()
    assert "refresh" not in who.page.content()


def test_a_server_that_was_away(browser: Browser, deciding: Deciding) -> None:
    """Guards restarts: the page says that it is cut off, comes back by itself, and has what it missed."""
    deciding.put(made(40))
    who = deciding.visitor(browser)
    who.page.wait_for_selector("#live[data-state=live]")
    who.page.evaluate("window.same = true")
    deciding.running.kill()
    who.page.wait_for_selector("#live[data-state=lost]")
    deciding.put(made(80))
    deciding.running.start()
    deciding.running.answers()
    who.page.wait_for_selector("text=After 80 labels it is not known")
    assert who.page.evaluate("window.same") is True
    assert who.page.locator("#live").get_attribute("data-state") in ("live", "slow")


def test_where_events_do_not_get_through(browser: Browser, deciding: Deciding) -> None:
    """Guards proxies and full servers: refused, the page asks again and again; let through, it is live again."""
    deciding.put(made(40))
    who = deciding.visitor(browser)
    page = who.page
    page.route("**/decision/events*", lambda route: route.fulfill(status=503))
    page.route(
        "**/decision", lambda route: route.fulfill(response=(answer := route.fetch()), body=hurried(answer.text()))
    )
    page.reload()
    page.wait_for_selector("#live[data-state=slow]")
    page.evaluate("window.same = true")
    deciding.put(made(60))
    page.wait_for_selector("text=After 60 labels it is not known")
    page.unroute("**/decision/events*")
    page.wait_for_selector("#live[data-state=live]")
    deciding.put(made(80))
    page.wait_for_selector("text=After 80 labels it is not known")
    assert page.evaluate("window.same") is True
    page.unroute("**/decision")
    page.context.clear_cookies()
    page.route("**/decision/events*", lambda route: route.fulfill(status=503))
    deciding.running.kill()  # cut off, and signed out when it comes back
    deciding.running.start()
    deciding.running.answers()
    page.wait_for_url("**/sign-in")


def hurried(page: str) -> str:
    """The page, asking again every second."""
    assert 'data-again="15"' in page or "sign-in" in page
    return page.replace('data-again="15"', 'data-again="1"')
