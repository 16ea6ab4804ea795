"""Somebody at Mechanical Turk: its page, made up, with a study in a frame."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from tests.judging.browsing import Exchange, Served, Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route

AT_MTURK = ("https://worker.mturk.com/", "https://www.mturk.com/")
OUTER = """<!doctype html><html lang="en"><title>A task</title><h1>Mechanical Turk</h1>
<iframe title="The task" src="{}" width="1180" height="800"></iframe></html>"""


def may_frame(context: BrowserContext) -> None:
    """Let pages of other hosts ask this machine, where the browser has to be told so."""
    from playwright.sync_api import Error

    with contextlib.suppress(Error):  # browsers of before 2025 do not know it, and ask nobody
        context.grant_permissions(["local-network-access"])


class Framed(Visitor):
    """A visitor whose page is a frame on another's."""

    def __init__(self, browser: Browser, served: Served, worker: str, **about: Any) -> None:
        super().__init__(browser, served, **about)
        may_frame(self.context)
        self.outer, self.handed = self.page, list[str]()
        self.exchanges: list[Exchange] = []
        named = {"assignmentId": f"assignment-{worker}", "hitId": "H1", "workerId": worker}
        named["turkSubmitTo"] = "https://www.mturk.com"
        self._inner = f"{served.base}/s/{served.study.name}/?{urlencode(named)}"
        self.outer.route(f"{AT_MTURK[0]}**", self._page)
        self.outer.route(f"{AT_MTURK[1]}**", self._take)
        self.show()

    def _page(self, route: Route) -> None:
        route.fulfill(body=OUTER.format(escape(self._inner)), content_type="text/html")

    def _take(self, route: Route) -> None:
        self.handed.append(route.request.post_data or "")
        route.fulfill(body="<h1>Received at Mechanical Turk</h1>", content_type="text/html")

    def show(self) -> None:
        """Load the page of Mechanical Turk."""
        self.outer.goto(f"{AT_MTURK[0]}task")
        frame = self.outer.frames[-1]
        frame.wait_for_selector("h1", state="attached")
        self.page = cast("Page", frame)  # what a visitor asks of a page, a frame has, too

    def look(self) -> None:
        """Pages are looked at where they stand alone."""

    def hand_in(self) -> str:
        """Press the button that hands the task in; what Mechanical Turk is sent."""
        self.page.get_by_role("button", name="Hand in").click()
        self.page.get_by_text("Received at Mechanical Turk").wait_for()
        return self.handed[-1]


@contextlib.contextmanager
def framed(browser: Browser, served: Served, worker: str, **about: Any) -> Iterator[Framed]:
    """Somebody who accepted a task; all that went over the wire is theirs when the block ends."""
    who = Framed(browser, served, worker, **about)
    try:
        yield who
    finally:
        who.exchanges = who.close()
