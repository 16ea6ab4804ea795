"""Pages of every kind, and a service that only shows them: what the templates are tested with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from truegain.judging.study.study import JudgingStudy, People, Rules, Words
from truegain.judging.tasks.base import Document, Item, Question, Topic, Unit, Wrong
from truegain.judging.tasks.catalogue import task_of
from truegain.judging.workflow.steps import (
    Elsewhere,
    Entered,
    ListedItem,
    Page,
    PageStep,
    Person,
    Practice,
    TeamView,
    UnknownToken,
)

TOPIC = Topic(
    "t1", "Bridges that were moved", "Find accounts of bridges that were moved whole to another place.",
    "A useful document names a bridge that was moved and says why or how.", "Bridges that were repaired.",
    Question("Which of these would help most?", (), -1),
)  # fmt: skip
TEXT = (
    "The bridge at Ormley had stood for ninety years when the town found that it stood in the wrong place.\n\n"
    "It was lifted on a Sunday, with a crowd on both banks, and set down four hundred metres upstream on Tuesday. "
    "Nobody had promised that it would fit; it fitted.\n\n"
    "The toll house was left where it was. It sells ice cream."
)
DOC = Document("3", TEXT, "Ormley moves its bridge", "The Vale Observer, 3 May 1998")
OTHER = Document("3b", "<h1>Repairs</h1><p>The deck was <b>renewed</b> in 2003.</p>", "Works of 2003", format="html")
OPTIONS = (("k3", "A guide to paints for iron"), ("k1", "A report on a bridge that was rolled to another bank"),
           ("k4", "A list of ferries"), ("k2", "A news item on a bridge with a new deck"))  # fmt: skip
ITEM = Item(
    ("3",), claim="It was set down on Tuesday.", answer="The bridge was lifted. It was set down on Tuesday. It fitted."
)
LISTED = (ListedItem(1, "Ormley moves its bridge"), ListedItem(2), ListedItem(3, "Works of 2003", cannot=True))
TOKEN = "Zk3J0x8mQ2pL7vR9tYwBcD4f"


def made_study(task: str = "magnitude", **about: Any) -> JudgingStudy:
    """A study to render with: nothing in it is judged."""
    units = (Unit("u1", "t1", tuple(Item((f"d{i}",)) for i in range(8))),)
    words = Words("Bridges and banks", contact="study@example.org", approved="Approved by the board, no. 0000")
    people = People("prolific", {"completed": "C1"}, pay=2.6, currency="EUR", minutes=15)
    given = {"words": words, "people": people, "rules": Rules(practice_tries=2, question_tries=2), **about}
    return JudgingStudy(Path("study"), "bridges", task_of(task, {}), {"t1": TOPIC}, {}, units, **given)


def item_page(task: str = "magnitude", **about: Any) -> Page:
    """A page that asks about an item."""
    documents = (DOC, OTHER) if task == "preference" else (DOC,)
    page = Page(PageStep("doc", 3), "csrf", "once", 8, TOPIC, item=ITEM, documents=documents, answered=(1, 2))
    return replace(page, **about)


def all_pages() -> dict[str, tuple[str, Page]]:
    """Every kind of page under a name, with its task."""
    plain = Page(PageStep("consent"), "csrf", "once", 8)
    comma = Wrong("number", "number.comma", {"typed": "1,500", "one": "1.5", "other": "1500"}, ("1.5", "1500"))
    zero = (Wrong("number", "number.zero"), Wrong("reason", "reason.empty"))
    practice = replace(plain, step=PageStep("practice", 1), practice=Practice(0.4, "badefi"), tries=2)
    topic = replace(plain, step=PageStep("topic"), topic=TOPIC, options=OPTIONS, tries=2)
    back = "https://app.prolific.com/submissions/complete?cc=C1"
    received = ((1, "30", "two bridges", False), (2, "", "", False), (3, "12", "tells how it was done", True))
    other = {"number": "21", "reason": "b"}
    magnitude = {
        "consent": plain,
        "consent-wrong": replace(plain, errors=(Wrong("consent", "consent.empty"),)),
        "practice": practice,
        "practice-again": replace(practice, notice="again", tries=1),
        "topic": topic,
        "topic-wrong": replace(topic, errors=(Wrong("choice", "choice.empty"),)),
        "item-first": item_page(step=PageStep("doc", 1), answered=()),
        "item": item_page(notice="saved", saved=2),
        "item-last": item_page(step=PageStep("doc", 8), answered=tuple(range(1, 8)), previous=((7, "40"),)),
        "item-zero": item_page(errors=zero, fields={"number": "0"}),
        "item-comma": item_page(errors=(comma,), fields={"number": "1,500", "reason": "names it"}),
        "item-cannot": item_page(errors=(Wrong("cannot", "cannot.empty"),)),
        "item-resumed": item_page(notice="resumed", fields={"number": "12", "reason": "Tells how and why"}),
        "item-reported": item_page(notice="reported", fields={"report": "broken letters"}),
        "item-twice": item_page(notice="twice", fields={"number": "12", "reason": "a"}, other=other),
        "item-revised": item_page(revising=True),
        "revise": replace(plain, step=PageStep("revise"), tries=2, listed=LISTED),
        "done": replace(plain, step=PageStep("done"), code="C1", redirect=back, more=True),
        "leave": replace(plain, step=PageStep("leave"), errors=(Wrong("withdraw", "leave.empty"),)),
        "leave-done": replace(plain, step=PageStep("leave"), ended="done"),
        "leave-left": replace(plain, step=PageStep("leave"), ended="left"),
        "left": replace(plain, step=PageStep("left")),
        "left-withdrawn": replace(plain, step=PageStep("left"), withdrawn=True),
        "done-withdrawn": replace(plain, step=PageStep("done"), code="C1", redirect=back, withdrawn=True),
        "failed-withdrawn": replace(plain, step=PageStep("failed"), redirect=back, withdrawn=True),
        "declined": replace(plain, step=PageStep("declined")),
        "screened": replace(plain, step=PageStep("screened"), redirect=back, more=True),
        "failed": replace(plain, step=PageStep("failed"), redirect=back),
        "passed": replace(plain, step=PageStep("passed"), received=received, more=True),
        "none": replace(plain, step=PageStep("none")),
        "paused": replace(plain, step=PageStep("paused")),
        "crowded": replace(plain, step=PageStep("crowded")),
    }  # fmt: skip
    pages = {name: ("magnitude", page) for name, page in magnitude.items()}
    for task in ("graded", "binary", "preference", "claim"):
        pages[f"{task}-consent"] = (task, plain)
        pages[task] = (task, item_page(task))
    wrong = {"graded": "label", "preference": "prefer", "claim": "support"}
    for task, field in wrong.items():
        errors = (Wrong(field, f"{field}.empty"), Wrong("reason", "reason.choice"))
        pages[f"{task}-wrong"] = (task, item_page(task, errors=errors))
    return {**pages, **{f"team-{name}": ("team", page) for name, page in team_pages().items()}}


def team_pages() -> dict[str, Page]:
    """Every kind of page of a team."""
    seen = TeamView(3, 20, 17, 40, undo="2", waits="someone", waited=150.0, below=3)
    item = item_page(step=PageStep("doc", 1), total=1, answered=(), team=seen)
    wait = Page(PageStep("none"), "csrf", "once", 1, team=replace(seen, waits="other", undo="cannot"))
    return {
        "consent": Page(PageStep("consent"), "csrf", "once", 1),
        "item": item,
        "item-first": replace(item, team=TeamView(rows=40)),
        "item-passed": replace(item, notice="passed", team=replace(seen, waits="you")),
        "item-wrong": replace(item, errors=(Wrong("label", "label.empty"), Wrong("cannot", "cannot.empty"))),
        "undo": replace(item, step=PageStep("undo"), fields={"label": "2"}),
        "none": wait,
        "complete": replace(wait, team=TeamView(3, 20, 40, 40)),
        "away": replace(wait, step=PageStep("away")),
        "paused": replace(wait, step=PageStep("paused"), reason="organizer"),
        "known": replace(wait, step=PageStep("paused"), reason="known"),
        "given-up": replace(wait, step=PageStep("paused"), reason="given-up"),
    }


class PageService:
    """A service with one page, at which everything that is sent is only kept."""

    def __init__(self, page: Page | None = None, entered: Entered | None = None) -> None:
        self.shown = page or item_page()
        self.entered = entered or Entered(TOKEN)
        self.came: list[tuple[Person, str]] = []
        self.sent: list[tuple[PageStep, Mapping[str, str]]] = []
        self.notices: list[tuple[str, Mapping[str, str]]] = []

    def enter(self, person: Person, *, invitation: str = "", network: str = "") -> Entered:
        """Who came, and with which invitation, is kept."""
        self.came.append((person, invitation))
        return self.entered

    def another(self, token: str, *, network: str = "") -> Entered:
        """The same unit once more."""
        self.where(token)
        return self.entered

    def where(self, token: str) -> PageStep:
        """The step of the one page."""
        if token != TOKEN:
            raise UnknownToken("unknown")
        return self.shown.step

    def page(self, token: str, step: PageStep | None = None) -> Page:
        """The one page."""
        if step not in (None, self.where(token)):
            raise Elsewhere(self.shown.step)
        return self.shown

    def send(self, token: str, step: PageStep, fields: Mapping[str, str]) -> PageStep:
        """Kept."""
        if step != self.where(token):
            raise Elsewhere(self.shown.step)
        self.sent.append((step, fields))
        return step

    def noticed(self, token: str, kind: str, about: Mapping[str, str]) -> None:
        """Kept."""
        self.where(token)
        self.notices.append((kind, about))
