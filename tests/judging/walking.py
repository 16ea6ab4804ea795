"""A small study, a clock, and someone who walks through the pages as a browser would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import Table, select

from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, events, sessions, units
from truegain.judging.study.study import JudgingStudy, People, Rules, Words
from truegain.judging.tasks.base import Document, Fields, Item, Question, Task, Topic, Unit, base_of, unit_of
from truegain.judging.tasks.magnitude import MagnitudeTask
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.steps import UNCLAIMED, Elsewhere, Page, PageStep, Person

RIGHT = 2


class Time:
    """A clock that goes when told."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """The time."""
        return self.now

    def go(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


def small_study(
    folder: Path,
    *,
    topics: int = 3,
    per_topic: int = 2,
    size: int = 4,
    rules: Rules | None = None,
    people: People | None = None,
    task: Task | None = None,
    question: bool = True,
) -> JudgingStudy:
    """A study: of each unit the first item is Hk, the last Nk."""
    found: dict[str, Topic] = {}
    documents: dict[str, Document] = {}
    made: list[Unit] = []
    asked = Question("Which?", ("north", "south", "right", "west"), RIGHT)
    for t in range(1, topics + 1):
        topic = f"t{t}"
        found[topic] = Topic(topic, f"Topic {t}", f"About {t}.", question=asked if question else None)
        for u in range(1, per_topic + 1):
            ids = [f"{topic}-secret-{u}-{i}" for i in range(size)]
            documents |= {d: Document(d, f"Text of {d[-3:]}.") for d in ids}
            items = tuple(Item((d,), 0.5) for d in ids)
            made.append(Unit(f"{topic}u{u}", topic, items, 0, size - 1))
    return JudgingStudy(
        folder, "small", task or MagnitudeTask(), found, documents, tuple(made), Words("A small study"),
        rules or Rules(), people or People(),
        digest="d1",
    )  # fmt: skip


@dataclass
class Walker:
    """A person at a browser: reads the page that is theirs, fills it in, and follows where it leads."""

    service: AssessorService
    clock: Time
    name: str = "w1"
    person: Person = field(init=False)
    token: str = ""
    sent: list[tuple[PageStep, dict[str, str], PageStep]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.person = Person("open", self.name)

    def enter(self) -> str:
        """Come in; the reason where there is no unit."""
        entered = self.service.enter(self.person)
        self.token = entered.token
        return entered.reason

    def another(self) -> str:
        """Ask for one more unit; the reason where there is none."""
        entered = self.service.another(self.token)
        self.token = entered.token or self.token
        return entered.reason

    @property
    def step(self) -> PageStep:
        """Where the person is."""
        return self.service.where(self.token)

    def page(self, step: PageStep | None = None) -> Page:
        """The page."""
        return self.service.page(self.token, step)

    def fill(self, page: Page, action: str = "next", **fields: str) -> dict[str, str]:
        """A page's form as a browser sends it."""
        return {"csrf": page.csrf, "once": page.once, "action": action, **fields}

    def send(self, page: Page, action: str = "next", **fields: str) -> PageStep:
        """Send a page, and follow."""
        form = self.fill(page, action, **fields)
        return self.post(page.step, form)

    def post(self, step: PageStep, form: dict[str, str]) -> PageStep:
        """Send a form, and tell where it leads, whatever it was."""
        try:
            led = self.service.send(self.token, step, form)
        except Elsewhere as other:
            led = other.step
        self.sent.append((step, form, led))
        return led

    def consent(self) -> PageStep:
        """Take part."""
        return self.send(self.page(), consent="yes")

    def practise(self, right: bool = True, lines: int = 3) -> PageStep:
        """Estimate the three lines, or so many of them."""
        step = self.step
        for _ in range(lines):
            page = self.page()
            assert page.practice is not None
            length = page.practice.length * 100
            step = self.send(page, number=str(length if right else 1000 - length))
        return step

    def choose(self, right: bool = True) -> PageStep:
        """Answer the question on the topic."""
        page = self.page()
        value = next(value for value, text in page.options if (text == "right") == right)
        return self.send(page, choice=value)

    def judge(self, number: str = "", reason: str = "because", seconds: float = 25.0) -> PageStep:
        """Judge the current item."""
        page = self.page()
        self.clock.go(seconds)
        return self.send(page, number=number or self.worth(page), reason=reason)

    def worth(self, page: Page) -> str:
        """A number that passes the checks: Hk's is the highest, Nk's the lowest."""
        place = int(page.documents[0].text[-2])
        return str(100 - 10 * place)

    def to_topic(self) -> PageStep:
        """All that comes before a unit is taken, one more where the last is over, and the claim."""
        self.enter()
        if self.step.name in ("done", "screened", "failed"):
            self.another()
        if self.step.name == "consent":
            self.consent()
        return self.practise() if self.step.name == "practice" else self.step

    def to_documents(self) -> PageStep:
        """All that comes before the documents, of one more unit where the last is over."""
        if self.to_topic().name == "doc":
            return self.step
        return self.choose() if self.page().options else self.send(self.page())

    def whole(self) -> PageStep:
        """A whole unit."""
        self.to_documents()
        return self.rest()

    def rest(self) -> PageStep:
        """The documents from the current one to the end."""
        while self.step.name == "doc":
            self.judge()
        return self.step


def rows(database: Database, table: Table, **where: Any) -> list[Any]:
    """Rows of a table."""
    query = select(table)
    for name, value in where.items():
        query = query.where(table.c[name] == value)
    return list(database.read(lambda c: c.execute(query).all()))


def kinds(database: Database, token: str) -> list[str]:
    """The kinds of a session's events in their order."""
    session = rows(database, sessions, token=token)[0].id
    return [row.kind for row in sorted(rows(database, events, session=session), key=lambda e: e.id)]


def check_invariants(database: Database, study: JudgingStudy) -> None:
    """What holds after every transaction, whatever was done."""
    tables = (sessions, events, answers, units)
    all_sessions, all_events, all_answers, all_units = database.read(
        lambda c: [c.execute(select(table)).all() for table in tables]
    )
    trail, by_id = {row.id: row for row in all_events}, {row.id: row for row in all_sessions}
    for answer in all_answers:
        event = trail[answer.event]
        assert event.session == answer.session
        assert event.kind == ("late" if answer.late else "answered")
        assert (event.about["number"], event.about["revision"]) == (answer.number, answer.revision)
        assert by_id[answer.session].outcome != "withdrawn"
    assert len({a.event for a in all_answers}) == len(all_answers), "two answers have one event"
    revisions: dict[Any, list[int]] = {}
    for answer in all_answers:
        revisions.setdefault((answer.session, answer.kind, answer.number), []).append(answer.revision)
    assert all(sorted(r) == list(range(1, len(r) + 1)) for r in revisions.values()), "a revision is missing"
    most = study.people.most_of_topic
    took = [s for s in all_sessions if s.turn != s.id]
    assert {s.id for s in took} == {e.session for e in all_events if e.kind == "claimed"}, "a turn without a unit"
    pairs = Counter((s.assessor, s.topic) for s in took)
    assert most is None or max(pairs.values(), default=0) <= most, "an assessor has a topic too often"
    place = {u.id: unit_of(u._asdict()) for u in all_units}
    seen = [(s.assessor, s.topic, item.key) for s in took for item in place[s.unit].judged_items]
    assert len(set(seen)) == len(seen), "an assessor has a document twice"
    assert all(s.turn == (s.topic if most == 1 else s.unit) for s in took), "a turn is another unit's"
    assert all(s.topic == place[s.unit].topic for s in all_sessions), "a topic is another unit's"
    going = [s.unit for s in all_sessions if s.outcome is None and not s.beside and s.state not in UNCLAIMED]
    assert len(set(going)) == len(going), "a unit has two holders"
    for session in all_sessions:
        assert (session.code is not None) == (session.outcome == "done")
        given = {a.number for a in all_answers if (a.session, a.kind, a.late) == (session.id, "item", False)}
        if session.outcome == "done":
            assert given == set(range(1, len(session.plan["order"]) + 1)), "a code without data"
    for unit in all_units:
        holder = by_id.get(unit.session)
        found = (holder.outcome, holder.unit) if holder else None
        assert holder is None or not holder.beside, "a model took a place"
        assert found == {"free": None, "held": (None, unit.id), "done": ("done", unit.id)}[unit.state]
    assert sum(not base_of(unit.id) for unit in all_units) == len(study.units)


def with_rules(study: JudgingStudy, **values: Any) -> JudgingStudy:
    """A study with other rules."""
    return replace(study, rules=replace(study.rules, **values))


def service_of(study: JudgingStudy, database: Database, clock: Time, seed: int = 1) -> AssessorService:
    """A service whose draws are the same every time."""
    return AssessorService(study, database, clock=clock, random=Random(seed))


def texts(fields: Mapping[str, str] | Fields) -> dict[str, str]:
    """What a person typed."""
    return {k: v for k, v in fields.items() if k in ("number", "reason")}
