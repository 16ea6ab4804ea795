"""A team of three in a real browser before a real server: by keys, by thumb on a phone, and without script."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.judging.browsing import PHONE, Served, Visitor, hatched
from tests.judging.served import Nest
from tests.judging.teaming import LEASE, team_folder
from truegain.judging.store.database import FILE

Come = Callable[..., Visitor]
GUARD = 400  # milliseconds after which a key counts
PLACES = """() => {
  const of = (s) => document.querySelector(s).getBoundingClientRect();
  const box = (s) => [of(s).top, of(s).bottom, of(s).height];
  return {question: box(".question"), answers: box(".answers"), label: box(".labels button"), high: innerHeight};
}"""


@pytest.fixture(scope="module")
def served(nest: Nest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A list of nine rows, some of them for two people, on SQLite."""
    study = team_folder(tmp_path_factory.mktemp("team") / "study", double=0.5, lease=LEASE)
    with hatched(nest, study) as found:
        yield found


def key(who: Visitor, sign: str) -> None:
    """Press a key that leads to another page."""
    who.page.wait_for_timeout(GUARD)
    with who.turned():
        who.page.keyboard.press(sign)


def stored(served: Served, query: str) -> list[Any]:
    """Rows of the study's database."""
    connection = sqlite3.connect(Path(served.study.folder) / FILE, timeout=30)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def doc(who: Visitor) -> str:
    """The document that is shown."""
    return who.text("article h2").removeprefix("Title ")


def test_three_at_once(visitors: Come, served: Served) -> None:
    """Guards the whole stream: three people at one list, all of it labeled, nobody twice, and a page at the end."""
    keys, thumb, plain = visitors(served), visitors(served, width=PHONE, dark=True), visitors(served, script=False)
    for who in (keys, thumb, plain):
        who.begin()
        assert who.path == "/doc/1"
    assert doc(keys) == "d00"
    for _ in range(20):
        if keys.path == "/doc/1":
            key(keys, "2")
        for who in (thumb, plain):
            if who.path == "/doc/1":
                with who.turned():
                    who.page.locator("button[name=label][value='1']").click()
    rows = stored(served, "SELECT s.assessor, a.typed, u.items FROM answers a JOIN sessions s ON a.session = s.id "
                          "JOIN units u ON u.id = s.unit WHERE a.kind = 'item'")  # fmt: skip
    assert len(rows) == len(served.study.units) > 9
    pairs = [(who, json.loads(items)[0]["docs"][0]) for who, _, items in rows]
    assert len(set(pairs)) == len(pairs), "nobody has a row twice"
    assert {typed for _, typed, _ in rows} == {"1", "2"}
    for who in (keys, thumb, plain):
        who.open(f"/u/{who.token}/")
        assert who.text("h1") == "Thank you, the list is complete"


@pytest.fixture
def alone(nest: Nest, tmp_path: Path) -> Iterator[Served]:
    """A list for one person, in German."""
    with hatched(nest, team_folder(tmp_path / "study", language="de", lease=LEASE)) as found:
        yield found


def test_keys_and_places(visitors: Come, alone: Served) -> None:
    """Guards keys (labels, Undo, cannot judge, Pause, none while typing or too soon) and a phone's places."""
    who = visitors(alone, width=PHONE)
    who.begin()
    places = who.page.evaluate(PLACES)
    assert places["answers"][1] == pytest.approx(places["high"], abs=1), "at the bottom, though the text is short"
    assert places["label"][2] >= 48, "a thumb's size"
    who.page.evaluate("document.querySelector('article p').textContent = 'so '.repeat(4000)")
    who.page.evaluate("window.scrollTo(0, 1500)")
    places = who.page.evaluate(PLACES)
    assert (places["question"][0], places["answers"][1]) == (0, pytest.approx(places["high"], abs=1)), "both in view"
    key(who, "3")
    who.page.keyboard.press("3")
    who.page.wait_for_timeout(GUARD)
    assert doc(who) == "d01", "pressed twice: the second document was not seen yet"
    key(who, "u")
    assert (who.path, doc(who)) == ("/undo", "d00")
    key(who, "0")
    assert (who.path, doc(who)) == ("/doc/1", "d01")
    assert stored(alone, "SELECT typed FROM answers WHERE kind = 'item' ORDER BY id") == [("3",), ("0",)]
    who.page.wait_for_timeout(GUARD)
    who.page.keyboard.press("c")
    assert who.focused() == "cannot"
    who.page.keyboard.press("Escape")
    assert who.page.locator("details.cannot[open]").count() == 0
    who.page.keyboard.press("c")
    with who.turned():
        who.page.keyboard.press("c")
    assert doc(who) == "d02"
    assert stored(alone, "SELECT cannot FROM answers ORDER BY id DESC LIMIT 1") == [("unclear",)]
    who.page.locator(".keys input").uncheck()
    who.page.wait_for_timeout(GUARD)
    who.page.locator("h1").focus()
    who.page.keyboard.press("2")
    who.page.wait_for_timeout(GUARD)
    assert doc(who) == "d02", "keys are off"
    who.page.locator(".keys input").check()
    who.page.locator("h1").focus()
    key(who, "p")
    assert (who.path, who.text("h1")) == ("/away", "Sie machen Pause")


def test_known_while_reading(visitors: Come, alone: Served) -> None:
    """Guards a decision: whoever reads a document is told by the next sign of life, without a press."""
    who = visitors(alone)
    who.begin()
    connection = sqlite3.connect(Path(alone.study.folder) / FILE, timeout=30)
    with connection:
        connection.execute("INSERT INTO settings (name, value) VALUES ('paused', '\"known\"')")
    connection.close()
    who.page.locator("[data-every]").evaluate("(one) => { one.dataset.every = 0; }")
    who.page.mouse.move(200, 300)
    who.page.mouse.move(210, 320)
    who.page.wait_for_selector("h1:has-text('Danke, es ist entschieden')")
    who.look()
