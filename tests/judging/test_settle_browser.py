"""`truegain settle` as a new user has it: three people in browsers, the organizer who looks on, and the answer."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.judging.browsing import PHONE, Served, Visitor
from tests.judging.settling import KNOWN, SECRET, Demo, Running, label_of, waited
from tests.judging.wire import strayed
from truegain.judging.study.study import read_study
from truegain.results.settlement import Settlement

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAIR = ("system-5", "system-7")  # of which about 60 labels decide
GUARD = 0.4  # seconds after which a key counts
LINGER = 12
See = Callable[[str, Visitor], None]


@dataclass
class Walked:
    """What a walk took, and what was seen."""

    seconds: float = 0.0
    labels: int = 0
    clicks: int = 0  # of people, but for labels: links, boxes, buttons
    looks: list[int] = field(default_factory=list)  # numbers of labels that the organizer's page went through
    reloaded: bool = False
    exit_code: int = -1
    said: str = ""


@dataclass
class Walk:
    """A team of three before `truegain settle`, and its organizer."""

    browser: Browser
    running: Running
    folder: Path
    demo: Demo
    see: See

    def __post_init__(self) -> None:
        self.links = self.running.links(3)
        self.served = Served(read_study(self.folder), self.running.base)
        self.truth = label_of(self.demo, self.served.study)
        self.found = Walked()
        self.visitors: list[Visitor] = []

    def person(self, link: str, width: int) -> Visitor:
        """Someone who opens their link and agrees."""
        who = Visitor(self.browser, self.served, width=width)
        self.visitors.append(who)
        who.open(link)
        self.see("consent", who)
        who.press(consent="yes")
        self.found.clicks += 3
        assert who.path == "/doc/1", who.path
        return who

    def organizer(self) -> Visitor:
        """The organizer, signed in, at the decision."""
        secret = SECRET.search(self.running.said)
        assert secret, self.running.said
        who = Visitor(self.browser, self.served, width=1280)
        self.visitors.append(who)
        who.open(secret[1])
        with who.turned():
            who.fill(password=secret[2])
            who.page.locator("button").first.click()
        if not who.path.endswith("/decision"):
            who.open(secret[1])
        who.page.wait_for_selector("#live[data-state=live]")
        who.page.evaluate("window.same = true")
        return who

    def until_known(self) -> list[Visitor]:
        """Label by key until all have been thanked; the organizer's page is looked at on the way, and not touched."""
        people = [self.person(link, PHONE if n == 1 else 1280) for n, link in enumerate(self.links)]
        organizer = self.organizer()
        self.see("decision-open", organizer)
        began, shown = time.monotonic(), ""
        while at_work := [who for who in people if who.path == "/doc/1"]:
            time.sleep(GUARD)
            for who in at_work:
                label = self.truth(who.document())
                with who.turned():
                    who.page.keyboard.press(str(label))
                self.found.labels += 1
            if (now := organizer.text(".outcome")) != shown:
                shown = now
                self.found.looks.append(int(organizer.text("dl .num").split()[0].replace(",", "")))
            if self.found.labels in (3, 30, 45):
                self.see(f"stream-{self.found.labels}", people[1] if self.found.labels == 30 else people[0])
                self.see(f"decision-{self.found.labels}", organizer)
            assert time.monotonic() - began < 300, self.running.said
        self.found.seconds = time.monotonic() - began
        assert [who.text("h1") for who in people] == [KNOWN] * 3
        self.see("thanks", people[0])
        self.see("thanks-phone", people[1])
        organizer.page.wait_for_selector(".outcome.made")
        organizer.page.wait_for_selector("a[href$='report.html']")
        self.found.reloaded = organizer.page.evaluate("window.same") is not True
        self.see("decision-made", organizer)
        return people


def walked(browser: Browser, demo: Demo, folder: Path, see: See = lambda _, __: None) -> Walked:
    """The whole walk: the command, its team and its end."""
    words = demo.words(folder, *PAIR, "--people", 3, "--double", 0.1, "--linger", LINGER)
    with Running(words, folder.with_name("log")) as running:
        walk = Walk(browser, running, folder, demo, see)
        walk.until_known()
        for who in walk.visitors:
            exchanges = who.close()
            assert who.said == []
            assert strayed(exchanges, running.base) == []
        walk.found.exit_code = running.process.wait(LINGER + 60)
        walk.found.said = running.said
    return walk.found


@pytest.mark.slow
@pytest.mark.system
def test_three_people_until_it_is_known(browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards the whole loop: labels by key, thanks, a page that follows live, the files, the exit code, the verdict."""
    demo, folder = Demo(tmp_path / "demo"), tmp_path / "g"
    found = walked(browser, demo, folder)
    with capsys.disabled():
        print(f"\n{found.labels} labels by 3 people in {found.seconds / 60:.1f} minutes, {found.clicks} clicks beside")
    assert found.exit_code == 0, found.said
    assert not found.reloaded
    assert len(found.looks) > 5, found.looks
    assert found.looks == sorted(found.looks), "the top of the list grows"
    assert found.looks[-1] <= found.labels
    answer = Settlement.of_json(waited(lambda: (folder / "decision.json").read_bytes(), 1))
    assert (folder / "report.html").stat().st_size > 10_000
    files = [str(demo.folder / name) for name in ("llm.qrels", "runs")]
    words = ["verdict", *files, "--baseline", PAIR[0], "--candidate", PAIR[1], "-m", "P@10"]
    words += ["--gold", str(folder / "labels.csv"), "--sequential", "--population", "fixed"]
    verdict = subprocess.run([sys.executable, "-m", "truegain", *words], capture_output=True, text=True, check=False)
    assert " ".join(verdict.stdout.split()).startswith(answer.sentence), verdict.stdout
    assert answer.sentence in " ".join(found.said.split())
    assert answer.status == "better"
    assert answer.doubled > 0
    assert answer.agreement == 1
