"""`python -m tests.judging.pictures docs/pictures/judging`: pictures of the pages of judging, wide and on a phone."""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, cast

from PIL import Image

from tests.judging.browsing import PHONE, WIDE, Visitor, chromium, serving, worth
from tests.judging.deciding import made
from tests.judging.framing import framed
from truegain.cli.annotate_serve import keep_password
from truegain.judging.server.organizer import password_hash_of
from truegain.judging.store.database import FILE, Database, default_url
from truegain.judging.store.decisions import store_decision
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import FILE as SETTINGS
from truegain.judging.study.study import JudgingStudy, People, Platform, Rules, read_study

PASSWORD = "four words that differ"
COLORS = 32
TALLEST = {WIDE: 1000, PHONE: 1600}  # pixels of a picture: its first screens


class Album:
    """Where pictures go: each page wide and narrow, few colors, no more than so tall."""

    def __init__(self, to: Path) -> None:
        self.to = to

    def take(self, who: Visitor, name: str, *, dark: bool = False) -> None:
        """A picture of where somebody is, at both widths; in the dark, wide alone."""
        page = who.page
        page.mouse.move(0, 0)
        page.wait_for_timeout(150)
        page.emulate_media(color_scheme="dark" if dark else "light")
        for width in (WIDE,) if dark else (WIDE, PHONE):
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate("window.scrollTo(0, 0)")
            png = self.to / f"{name}-{width}.png"
            page.screenshot(path=png, full_page=True)
            with Image.open(png) as taken:
                part = taken.convert("RGB").crop((0, 0, width, min(taken.height, TALLEST[width])))
            few_colors(part).save(png, optimize=True)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": WIDE, "height": 900})


def few_colors(picture: Image.Image) -> Image.Image:
    """The picture in the colors that it has most of, each as it is."""
    colors = cast("list[tuple[int, tuple[int, int, int]]]", picture.getcolors(1 << 24))
    most = sorted(colors, reverse=True)[:COLORS]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for _, color in most for part in color])
    return picture.quantize(palette=palette, dither=Image.Dither.NONE)


def main(to: Path) -> None:
    """Take all pictures, on simulated studies."""
    to.mkdir(parents=True, exist_ok=True)
    album = Album(to)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        study = _study(Path(folder) / "study")
        keep_password(study.folder, password_hash_of(PASSWORD))
        with serving(study) as served:
            _unit(album, Visitor(browser, served), study)
            _ends(album, [Visitor(browser, served) for _ in range(3)])
            organizer = Visitor(browser, served)
            _organizer(album, organizer, [Visitor(browser, served) for _ in range(3)])
            _decision(album, organizer)
        with serving(_study(Path(folder) / "one", topics=1, docs=8, judgments=1)) as served:
            _passed(album, Visitor(browser, served), Visitor(browser, served))
        with serving(_study(Path(folder) / "turk", platform="mturk")) as served:
            who = Visitor(browser, served)
            who.open(f"/s/{served.study.name}/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
            album.take(who, "preview")
            with framed(browser, served, "A1") as worker:
                worker.press(consent="yes")
                worker.outer.screenshot(path=to / "mturk-frame-1200.png")
            with Image.open(to / "mturk-frame-1200.png") as taken:
                few_colors(taken.convert("RGB")).save(to / "mturk-frame-1200.png", optimize=True)
        for task in ("graded", "binary", "preference", "claim"):
            with serving(_study(Path(folder) / task, task=task)) as served:
                who = Visitor(browser, served)
                who.to_documents()
                album.take(who, task)
        german = _study(Path(folder) / "german")
        path = german.folder / SETTINGS
        path.write_text(path.read_text().replace('language = "en"', 'language = "de"'))
        with serving(read_study(german.folder)) as served:
            who = Visitor(browser, served)
            who.to_documents()
            album.take(who, "german")


def _study(folder: Path, platform: Platform = "open", **about: Any) -> JudgingStudy:
    rules = Rules(seconds=0.2, practice_tries=2, question_tries=2, check_tries=2)
    people = People(platform, pay=2.5, currency="GBP", minutes=15)
    made = simulated_study(folder, **{"topics": 3, "docs": 12, "judgments": 6, **about}, rules=rules, people=people)
    path = made.folder / SETTINGS
    path.write_text(path.read_text().replace('contact = ""', 'contact = "judging@example.org"'))
    return read_study(made.folder)


def _unit(album: Album, who: Visitor, study: JudgingStudy) -> None:
    """A whole unit, with the mistakes that have pages of their own."""
    who.open()
    album.take(who, "welcome")
    who.press()
    album.take(who, "consent")
    who.press()
    who.press(consent="yes")
    album.take(who, "practice")
    who.practise(wrong=True)
    album.take(who, "practice-again")
    with who.turned():
        who.page.get_by_role("link", name="practice with words").click()
    album.take(who, "practice-words")
    with who.turned():
        who.page.get_by_role("link", name="Practice with lines").click()
    who.practise()
    album.take(who, "topic")
    who.press(choice=who.choice())
    album.take(who, "document")
    album.take(who, "document-dark", dark=True)
    who.press(number="1,500")
    album.take(who, "document-comma")
    who.press(number="0", reason="it tells when")
    who.press(number="30")
    who.unfold("I cannot judge this document")
    who.press("cannot")
    album.take(who, "document-cannot")
    who.unfold("does not display properly")
    who.press("report", report="broken letters", number="3", reason="half a thought")
    _run_out(study, who.token)
    who.press()
    album.take(who, "document-resumed")
    who.press("leave")
    album.take(who, "leave")
    who.press("stay")
    who.judge(worth(study, wrong=True), 0.25)
    album.take(who, "revise")
    who.press()
    who.judge(worth(study), 0.25)
    album.take(who, "done")


def _ends(album: Album, visitors: list[Visitor]) -> None:
    """The other ends."""
    one, two, three = visitors
    one.begin()
    one.practise(wrong=True)
    one.practise(wrong=True)
    album.take(one, "ended")
    two.to_documents()
    two.press(number="12", reason="so it seems")
    two.press("leave")
    two.press("leave", withdraw="yes")
    album.take(two, "left")
    three.to_documents()
    three.judge(worth(three.study, wrong=True))
    three.press()
    three.judge(worth(three.study, wrong=True))
    album.take(three, "failed")


def _passed(album: Album, slow: Visitor, other: Visitor) -> None:
    """A page sent twice, and a set that was passed on before its third document was sent."""
    slow.to_documents()
    with slow.context.expect_page() as opened:
        slow.page.evaluate("window.open(location.href)")
    slow.press(number="30", reason="names the cause")
    first, slow.page = slow.page, opened.value
    slow.press(number="12", reason="names a cause, not the cause")
    album.take(slow, "document-twice")
    first.close()
    slow.press()
    slow.press(number="8", reason="only in passing")
    slow.fill(number="40", reason="tells what to do")
    _run_out(slow.study, slow.token)
    other.begin()
    other.practise()
    slow.press()
    album.take(slow, "passed")


def _organizer(album: Album, who: Visitor, judges: list[Visitor]) -> None:
    """The organizer's pages, after some have judged."""
    for judge in judges:
        judge.to_documents()
        judge.judge(worth(judge.study), 0.25)
    who.open(who.served.organizer)
    album.take(who, "organizer-sign-in")
    with who.turned():
        who.fill(password=PASSWORD)
        who.page.locator("button").first.click()
    album.take(who, "organizer")
    album.take(who, "organizer-dark", dark=True)
    with who.turned():
        who.page.get_by_role("link", name="Exclude").first.click()
    album.take(who, "organizer-exclude")


def _decision(album: Album, who: Visitor) -> None:
    """The decision as it comes, and made."""
    database = Database(default_url(who.study.folder))
    for name, decision in (("decision", made(60)), ("decision-made", made(250, "better", pairs=4))):
        database.write(lambda c, decision=decision: store_decision(c, decision, time.time()))  # type: ignore[misc]
        who.open(f"{who.served.organizer}decision")
        who.page.wait_for_selector("#live[data-state=live]")
        album.take(who, name)
    album.take(who, "decision-dark", dark=True)
    database.close()


def _run_out(study: JudgingStudy, token: str) -> None:
    connection = sqlite3.connect(study.folder / FILE, timeout=30)
    with connection:
        connection.execute("UPDATE sessions SET lease = 1, steady = -1 WHERE token = ?", (token,))
    connection.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
