"""People at Debian's Chromium, before a real server: what they see, press and type, and all that came over the wire."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.judging.served import Nest
from tests.judging.served import Served as Running
from tests.report.browser import AXE, FLAGS, READY, missing
from truegain.judging.store.database import default_url
from truegain.judging.study.study import JudgingStudy

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Locator

CHROMIUM = "/usr/bin/chromium"
PATIENCE = 60_000  # milliseconds for anything: a busy machine is no fault
WIDE, PHONE = 1200, 390  # pixels
OLD = "data-of-before"
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
FOUND = """(options) => axe.run(document, {resultTypes: ["violations"], ...options}).then((r) => r.violations
  .filter((v) => ["serious", "critical"].includes(v.impact))
  .map((v) => `${v.id}, ${v.nodes.length} times: ${v.help}; ${v.nodes[0].html.slice(0, 160)}`))"""
CONTRAST = "color-contrast"  # colors depend on light and dark alone
UNFOLD = "document.querySelectorAll('details:not([open])').forEach((d) => { d.open = true; d.dataset.folded = ''; })"
FOLD = "document.querySelectorAll('[data-folded]').forEach((d) => { d.open = false; delete d.dataset.folded; })"
LOOKED: set[tuple[object, ...]] = set()


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A browser; where it was installed for the tests it must be there, elsewhere its lack is a reason to skip."""
    if why := missing():
        (pytest.fail if READY.exists() else pytest.skip)(why)
    from playwright.sync_api import sync_playwright

    flags = [flag for flag in FLAGS if "remote-debugging" not in flag]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags, timeout=PATIENCE)
        yield browser
        browser.close()


@dataclass(frozen=True)
class Served:
    """A study and the address of its server."""

    study: JudgingStudy
    base: str
    go: Callable[[float], None] | None = None  # lets the server's time pass, where nobody is to wait for it

    @property
    def organizer(self) -> str:
        """The organizer's page."""
        return f"{self.base}/organize/{self.study.name}/"


@contextlib.contextmanager
def serving(study: JudgingStudy, database: str = "") -> Iterator[Served]:
    """`truegain annotate serve`, until the block ends."""
    words = [sys.executable, "-m", "truegain", "annotate", "serve", str(study.folder), "--port", "0", "--quiet"]
    words += ["--database", database] if database else []
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=said, text=True)
        try:
            assert process.stdout is not None
            address = next((found[1] for line in process.stdout if (found := re.search(r"(http://\S+)/s/", line))), "")
            if not address or not _answers(process, address):
                said.seek(0)
                raise RuntimeError(f"the server did not start: {said.read()[-2000:]}")
            yield Served(study, address)
        finally:
            process.terminate()
            process.wait(60)
            if process.stdout is not None:
                process.stdout.close()


@contextlib.contextmanager
def hatched(nest: Nest, study: JudgingStudy, database: str = "") -> Iterator[Served]:
    """The same command in a process that is started sooner."""
    passed = 0.0

    def go(seconds: float) -> None:
        nonlocal passed
        passed += seconds
        running.set_clocks(passed, passed)

    with Running(nest, Path(study.folder), database or default_url(study.folder), clocks=True) as running:
        yield Served(study, f"http://127.0.0.1:{running.port}", go)


def _answers(process: subprocess.Popen[str], address: str) -> bool:
    """Wait until it listens; whether it does."""
    host, port = address.removeprefix("http://").split(":")
    for _ in range(1200):
        try:
            socket.create_connection((host, int(port)), 1).close()
            return True
        except OSError:
            if process.poll() is not None:
                return False
            time.sleep(0.05)
    return False


@dataclass(frozen=True)
class Exchange:
    """A request and its answer, as they went over the wire."""

    method: str
    url: str
    status: int
    headers: str
    body: str
    kind: str


class Visitor:
    """Somebody at a browser of their own: fills in fields, presses buttons, and waits for what comes."""

    def __init__(
        self, browser: Browser, served: Served, *, width: int = WIDE, dark: bool = False, script: bool = True
    ) -> None:
        self.served, self.study = served, served.study
        self.said: list[str] = []
        self._exchanges: list[Exchange] = []
        self._folder = tempfile.TemporaryDirectory(prefix="tg-walk-")
        self._har = Path(self._folder.name) / "all.har"
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light",
            java_script_enabled=script, record_har_path=self._har, record_har_content="embed", accept_downloads=True,
        )  # fmt: skip
        self.context.set_default_timeout(PATIENCE)
        self.context.on("console", self._heed)
        self.context.on("weberror", lambda error: self.said.append(f"exception: {error.error}"))
        self.page = self.context.new_page()
        self.script, self.dark, self.width = script, dark, width

    def _heed(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):  # a broken policy is an error
            self.said.append(f"{message.type}: {message.text}")

    def close(self) -> list[Exchange]:
        """Go; all that came over the wire."""
        if self._exchanges:
            return self._exchanges
        self.context.close()
        entries = json.loads(self._har.read_text())["log"]["entries"]
        self._folder.cleanup()
        self._exchanges = [
            Exchange(
                entry["request"]["method"], entry["request"]["url"], entry["response"]["status"],
                "\n".join(f"{h['name']}: {h['value']}" for h in entry["response"]["headers"]),
                entry["response"]["content"].get("text", ""), entry["response"]["content"].get("mimeType", ""),
            )
            for entry in entries
        ]  # fmt: skip
        return self._exchanges

    # what is seen

    @property
    def path(self) -> str:
        """Where one is, without the part that names the unit."""
        return re.sub("^/u/[^/]+", "", self.page.url.removeprefix(self.served.base).partition("?")[0])

    @property
    def token(self) -> str:
        """The part of the address that names the unit."""
        return self.page.url.split("/u/")[1].split("/")[0]

    def text(self, where: str = "main") -> str:
        """The text of the first such element, spaces made one."""
        return " ".join((self.page.locator(where).first.text_content() or "").split())

    def texts(self, where: str) -> list[str]:
        """The texts of all such elements."""
        return [" ".join(text.split()) for text in self.page.locator(where).all_text_contents()]

    @property
    def errors(self) -> list[str]:
        """What the summary of mistakes says."""
        return self.texts(".errors a")

    def value(self, field: str) -> str:
        """What stands in a box."""
        return self.page.locator(f"#{field}").input_value()

    def focused(self) -> str:
        """What has the focus: its id, name and value, or what it says."""
        told = ["id", "name", "value", "href"]
        script = "(told) => { const a = document.activeElement; return [a.tagName.toLowerCase(), a.className, "
        script += "...told.map((t) => a.getAttribute(t) || ''), a.textContent.trim().slice(0, 40)]; }"
        tag, kind, id_, name, value, href, says = self.page.evaluate(script, told)
        if tag in ("input", "textarea", "button"):
            return str(id_ or f"{name}={value}")
        return str(f"{tag}.{kind}".rstrip(".") if tag in ("div", "h1", "body") else href or says)

    def document(self) -> str:
        """The id of the document that the page shows, by its whole text."""
        shown = "".join((self.page.locator("article").first.text_content() or "").split())
        texts = {"".join(f"{d.title}{d.source}{d.text}".split()): d.id for d in self.study.documents.values()}
        return texts[shown]

    def look(self) -> None:
        """Look at a page that no test of this process has looked at yet; what is wrong is told when the visit ends.

        With everything unfolded, by axe-core all that is serious, in light and in dark; on a phone, what is too wide.
        """
        page, study = self.page, (self.study.task.name, self.study.words.language)
        place = re.sub(r"[0-9a-f]{16}|\d+", "", self.path)
        what = (*study, place, bool(self.errors), self.text("h1")[:9], *self.texts(".note h1, .note h2"))
        if what in LOOKED or not self.script:
            return
        LOOKED.add(what)
        page.evaluate(UNFOLD)
        if not page.evaluate("'axe' in window"):
            page.evaluate(f"{AXE.read_text(encoding='utf-8')};0")
        found = list(page.evaluate(FOUND, {}))
        page.emulate_media(color_scheme="light" if self.dark else "dark")
        found += page.evaluate(FOUND, {"runOnly": [CONTRAST]})
        page.emulate_media(color_scheme="dark" if self.dark else "light")
        page.set_viewport_size({"width": PHONE, "height": 844})
        if over := page.evaluate(SIDEWAYS):
            found.append(f"{over} px too wide for a phone")
        page.set_viewport_size({"width": self.width, "height": 900})
        page.evaluate(FOLD)
        self.said += [f"{what}: {fault}" for fault in found]

    # what is done

    def open(self, path: str = "/") -> None:
        """Go to an address of the server."""
        self.page.goto(path if path.startswith("http") else self.served.base + path)
        self.look()

    def fill(self, **fields: str) -> None:
        """Type into boxes, tick, choose."""
        for name, value in fields.items():
            box = self.page.locator(f"input[type=text]#{name}, textarea#{name}, input[type=password]#{name}")
            if box.count():
                box.fill(value)
            else:
                self.page.locator(f"input[name={name}][value='{value}']").check()

    def press(self, action: str = "next", **fields: str) -> None:
        """Fill in fields, press a button, and wait for the page that comes."""
        self.fill(**fields)
        with self.turned():
            self.button(action).click()

    def button(self, action: str) -> Locator:
        """The button of an action."""
        return self.page.locator(f"button[name=action][value={action}]:visible").first

    @contextlib.contextmanager
    def turned(self) -> Iterator[None]:
        """Do something that leads to another page, and wait until it is there."""
        self.page.locator("h1").first.evaluate(f"(h) => h.setAttribute('{OLD}', '')")
        yield
        self.page.wait_for_selector(f"h1:not([{OLD}])", state="attached")
        self.page.wait_for_load_state()
        self.look()

    def unfold(self, what: str) -> None:
        """Open what is folded."""
        self.page.locator(f"summary:has-text('{what}')").click()

    def begin(self) -> None:
        """Come in by the open link, and agree."""
        self.open()
        self.press()
        assert self.path == "/consent", self.path
        self.press(consent="yes")

    def practise(self, wrong: bool = False) -> None:
        """Give each line a number as long as it looks, or the other way round."""
        for _ in range(3):
            length = float(self.page.locator(".line-box line").get_attribute("x2") or 0)
            self.press(number=f"{1000 - length if wrong else length:g}")

    def choice(self, wrong: bool = False) -> str:
        """The value of the right option, or of another."""
        asked = [topic.question for topic in self.study.topics.values() if topic.question]
        right = {question.options[question.right] for question in asked}
        picks = self.page.locator("label.pick:has([name=choice])")
        for at, text in enumerate(picks.all_text_contents()):
            if (text.strip() in right) != wrong:
                return str(picks.nth(at).locator("input").get_attribute("value"))
        raise AssertionError("no such option")

    def to_documents(self) -> None:
        """All that comes before the documents."""
        self.begin()
        if self.path.startswith("/practice"):
            self.practise()
        self.press(choice=self.choice())
        assert self.path == "/doc/1", self.path

    def judge(self, numbers: dict[str, float], seconds: float = 0.0) -> None:
        """Judge every document from the current one on, looking at each for so long."""
        while self.path.startswith("/doc"):
            if seconds and self.served.go:
                self.served.go(seconds)
            elif seconds:
                self.page.wait_for_timeout(1000 * seconds)
            self.press(number=f"{numbers[self.document()]:g}", reason="I read it")


def worth(study: JudgingStudy, *, wrong: bool = False) -> dict[str, float]:
    """A number for every document of a study: Hk's the largest of its unit and Nk's the smallest, or the contrary."""
    high = {unit.items[unit.high].docs[0] for unit in study.units if unit.high is not None}
    low = {unit.items[unit.low].docs[0] for unit in study.units if unit.low is not None}
    high, low = (low, high) if wrong else (high, low)
    return {doc: 90.0 if doc in high else 0.5 if doc in low else 10.0 for doc in study.documents}
