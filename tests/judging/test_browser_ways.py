"""Other ways through the pages in a real browser: by keyboard, on a phone, without script, in German, every task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.judging.browsing import LOOKED, PHONE, SIDEWAYS, Served, Visitor, hatched, worth
from tests.judging.postgres import Server
from tests.judging.served import Nest
from tests.judging.wire import CODE, strayed
from truegain.cli.annotate_serve import keep_password
from truegain.judging.server.organizer import password_hash_of
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import FILE, JudgingStudy, Rules, read_study

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SPOIL = """() => {
  document.querySelector("h1").style.color = "#ddd";
  document.querySelector("main").style.width = "700px";
  document.querySelector("main").insertAdjacentHTML("beforeend", '<img src="data:," style="top: 0"><input>');
  console.error("oh");
  fetch("http://127.0.0.1:9/elsewhere").catch(() => 0);
}"""
PASSWORD = "four words that differ"
Made = Callable[..., Visitor]


@pytest.fixture(scope="module")
def magnitude(nest: Nest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A study of magnitudes that asks for no time, with an organizer's page."""
    study = simulated_study(tmp_path_factory.mktemp("m") / "study", topics=1, docs=8, rules=Rules(seconds=0))
    keep_password(study.folder, password_hash_of(PASSWORD))
    with hatched(nest, study) as found:
        yield found


def small(folder: Path, task: str) -> JudgingStudy:
    """A study of another task: a unit has few items."""
    return simulated_study(folder / "study", task=task, topics=1, docs=6, size=3, judgments=2, rules=Rules(seconds=0))


def in_german(study: JudgingStudy) -> JudgingStudy:
    """The same study with German pages, and numbers as they are written there."""
    path = Path(study.folder) / FILE
    text = path.read_text().replace('language = "en"', 'language = "de"').replace('decimal = "."', 'decimal = ","')
    path.write_text(text)
    changed = read_study(study.folder)
    assert (changed.words.language, changed.rules.decimal) == ("de", ",")
    return changed


def test_keyboard_alone(visitors: Made, magnitude: Served) -> None:
    """Guards who has no mouse: all of it by Tab, Enter, Space and letters; the focus goes as the page reads."""
    who = visitors(magnitude)
    who.open()
    keys = who.page.keyboard
    _tab_to(who, "action=next")
    with who.turned():
        keys.press("Enter")
    assert who.focused() == "h1"
    _tab_to(who, "consent")
    keys.press("Space")
    with who.turned():
        keys.press("Enter")
    for _ in range(3):
        _tab_to(who, "number")
        keys.type(who.page.locator(".line-box line").get_attribute("x2") or "")
        with who.turned():
            keys.press("Enter")  # in the box: Next is the first button of its form
    _tab_to(who, "choice")
    picks = who.page.locator("[name=choice]")
    values = [str(pick.get_attribute("value")) for pick in picks.all()]
    keys.press("Space")
    for _ in range(values.index(who.choice())):
        keys.press("ArrowDown")
    with who.turned():
        keys.press("Enter")
    assert who.path == "/doc/1"
    with who.turned():
        _tab_to(who, "number")
        keys.press("Enter")
    assert who.focused() == "div.errors"
    order = ["#number", "#reason", "Topic: treating", "number", "reason", "action=next"]
    more = ["I cannot judge this document", "This document does not display properly"]
    after = [_next(who) for _ in range(len(order) + len(more))]
    assert [a.startswith(b) for a, b in zip(after, order + more, strict=True)] == [True] * len(after), after
    assert _next(who).endswith("/instructions")
    assert _next(who) == "action=leave"
    who.page.locator("#number").focus()
    keys.type("30")
    keys.press("Tab")
    keys.type("by keyboard")
    keys.press("Tab")
    with who.turned():
        keys.press("Enter")
    assert (who.path, who.focused()) == ("/doc/2", "h1")
    who.page.reload()
    first = [_next(who) for _ in range(6)]
    assert first[0] == "#document"
    assert first[2:] == ["number", "reason", "action=next", "action=back"]
    who.page.locator("#reason").focus()
    who.page.locator("body").evaluate("() => document.querySelector('.skip').focus()")
    keys.press("Enter")
    assert who.page.evaluate("document.activeElement.id") == "document"


def _next(who: Visitor) -> str:
    who.page.keyboard.press("Tab")
    return who.focused()


def _tab_to(who: Visitor, wanted: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(30):
        if _next(who) == wanted:
            return
    raise AssertionError(f"{wanted} is not reached")


def test_phone_on_postgres_in_german(visitors: Made, nest: Nest, postgres_server: Server, tmp_path: Path) -> None:
    """Guards a whole unit on the other database, in the other language, on a phone: nothing runs out sideways."""
    study = in_german(simulated_study(tmp_path / "study", topics=1, docs=8, judgments=1, rules=Rules(seconds=0)))
    with hatched(nest, study, postgres_server.new()) as served:
        who = visitors(served, width=PHONE)
        who.open()
        assert who.page.locator("html").get_attribute("lang") == "de"
        _fits(who)
        who.press()
        _fits(who)
        who.press(consent="yes")
        _fits(who)
        who.practise()
        _fits(who)
        who.press(choice=who.choice())
        who.press(number="1.500", reason="kurz")
        assert who.errors == ["1.500 lässt sich auf zwei Arten lesen: Meinten Sie 1,5 oder 1500?"]
        _fits(who)
        numbers = worth(study)
        who.press(number=f"{numbers[who.document()]:g}".replace(".", ","))
        assert who.path == "/doc/2"
        while who.path.startswith("/doc"):
            _fits(who)
            who.press(number=f"{numbers[who.document()]:g}".replace(".", ","), reason="weil es passt")
        assert (who.path, CODE.fullmatch(who.text("#code")) is not None) == ("/done", True)
        _fits(who)


def _fits(who: Visitor) -> None:
    """Nothing is wider than the page, whatever is unfolded."""
    who.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert who.page.evaluate(SIDEWAYS) == 0, who.path


def test_without_script(visitors: Made, magnitude: Served) -> None:
    """Guards who runs no script: a whole unit, mistakes with the focus on their list, and folds that open."""
    who = visitors(magnitude, script=False)
    who.to_documents()
    who.press(number="0")
    assert who.errors[0] == "0 is not possible here: type a number above 0"
    assert who.focused() == "div.errors"
    who.unfold("I cannot judge this document")
    assert who.page.locator("[name=cannot]").first.is_visible()
    who.judge(worth(magnitude.study))
    assert (who.path, CODE.fullmatch(who.text("#code")) is not None) == ("/done", True)


def test_the_list_of_a_set_sent_back(visitors: Made, nest: Nest, tmp_path: Path) -> None:
    """Guards the way to one document without script and mouse: the list's links are reached by Tab, opened by Enter."""
    study = simulated_study(tmp_path / "study", topics=1, docs=4, size=4, judgments=1, rules=Rules(seconds=0))
    with hatched(nest, study) as served:
        who = visitors(served, script=False)
        who.to_documents()
        shown = who.document()
        numbers = worth(study, wrong=True)
        who.press(number=f"{numbers[shown]:g}", reason="the first")
        who.judge(numbers)
        assert (who.path, who.focused()) == ("/revise", "div.note")
        assert _next(who) == "action=next"
        links = [_next(who) for _ in range(4)]
        assert [link.endswith(f"/doc/{n}") for n, link in enumerate(links, 1)] == [True] * 4
        for _ in range(3):
            who.page.keyboard.press("Shift+Tab")
        with who.turned():
            who.page.keyboard.press("Enter")
        assert (who.path, who.document(), who.value("reason")) == ("/doc/1", shown, "the first")


WAYS: dict[str, dict[str, Any]] = {
    "graded": {"width": PHONE},
    "binary": {"script": False},
    "preference": {"width": PHONE, "dark": True},
    "claim": {},
}


@pytest.mark.parametrize("task", WAYS)
def test_other_tasks(task: str, visitors: Made, nest: Nest, tmp_path: Path) -> None:
    """Guards a unit of every other task, each in another way: labels to choose, a mistake, and a code."""
    with hatched(nest, small(tmp_path, task)) as served:
        who = visitors(served, **WAYS[task])
        who.to_documents()
        field = {"preference": "prefer", "claim": "support"}.get(task, "label")
        who.press()
        assert (who.path, len(who.errors)) == ("/doc/1", 2)
        _fits(who)
        while who.path.startswith("/doc"):
            values = [str(pick.get_attribute("value")) for pick in who.page.locator(f"[name={field}]").all()]
            who.press(**{field: values[-1], "reason": "so it is"})
        assert (who.path, CODE.fullmatch(who.text("#code")) is not None) == ("/done", True)


def test_organizer(browser: Browser, visitors: Made, magnitude: Served) -> None:
    """Guards the organizer's way: a wrong password, the figures, exclude and take back, pause, downloads."""
    judge = visitors(magnitude)
    judge.to_documents()
    judge.judge(worth(magnitude.study))
    who = Visitor(browser, magnitude)
    who.open(magnitude.organizer)
    with who.turned():
        who.fill(password="not the one")
        who.page.locator("button").first.click()
    assert len(who.errors) == 1
    with who.turned():
        who.fill(password=PASSWORD)
        who.page.locator("button").first.click()
    assert who.page.locator("table.data").count() == 2
    with who.turned():
        who.page.get_by_role("link", name="Exclude").first.click()
    with who.turned():
        who.page.locator("main button").click()
    assert len(who.errors) == 1
    with who.turned():
        who.fill(reason="typed at random")
        who.page.locator("main button").click()
    assert "typed at random" in who.text("main")
    with who.turned():
        who.page.locator("form[action$=readmit] button").first.click()
    assert who.page.locator("form[action$=readmit]").count() == 0
    with who.page.expect_download() as ratings:
        who.page.locator("a[href$='/ratings.csv']").click()
    assert Path(ratings.value.path()).read_text().count("\n") >= 1 + 8
    with who.page.expect_download() as trail:
        who.page.locator("a[href$='/audit.jsonl']").click()
    assert '"done"' in Path(trail.value.path()).read_text()
    with who.turned():
        who.button("pause").click()
    late = visitors(magnitude)
    late.open()
    late.press()
    assert late.path == "/s/simulated/paused"
    with who.turned():
        who.button("resume").click()
    late.open()
    assert late.path == "/consent"
    assert [said for said in who.said if "status of 4" not in said] == []
    assert all(e.url.startswith(magnitude.base) for e in who.close())


def test_bad_looks_are_found(browser: Browser, magnitude: Served) -> None:
    """Guards the looks: pale, wide, unnamed, inline style, a word on the console, another host."""
    before = set(LOOKED)
    who = Visitor(browser, magnitude)
    who.open()
    LOOKED.clear()
    who.page.evaluate(SPOIL)
    who.look()
    LOOKED.update(before)
    asked = who.close()
    said = "\n".join(who.said)
    for fault in ("color-contrast", "px too wide for a phone", "image-alt", "label, 1 times", "error: oh",
                  "inline style", "img-src 'self'", "connect-src 'self'"):  # fmt: skip
        assert fault in said, (fault, said)
    assert strayed(asked, magnitude.base) == []  # the policy held all of it back
