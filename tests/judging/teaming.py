"""A team at a list: a small study, and people who label its rows one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import select

from tests.judging.walking import Time
from truegain.judging.labels import ListedLabels, ListedRows, labels_of_list
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, sessions, units
from truegain.judging.study.create import usual_labels, write_study
from truegain.judging.study.files import PoolRow, TopicRow
from truegain.judging.study.study import JudgingSettings, JudgingStudy, People, Rules, Team, Words, read_study
from truegain.judging.study.units import Design, rows_as_units
from truegain.judging.tasks.base import Document, Item, Topic, unit_of
from truegain.judging.tasks.catalogue import task_of
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.steps import Elsewhere, Page, PageStep, Person

LEASE = 60.0
KNOWN: dict[int, tuple[JudgingStudy, ListedRows]] = {}


def team_study(
    folder: Path, rows: int = 12, topics: int = 3, *, double: float = 0.0, number: int | None = None, **team: Any
) -> JudgingStudy:
    """A list of rows whose topics take turns."""
    names = [f"t{t}" for t in range(1, topics + 1)]
    listed = [(names[i % topics], f"x{i:02d}") for i in range(rows)]
    shown = [f"d{i:02d}" for i in range(rows)]
    documents = {
        doc: Document(doc, f"Text of {name} on the lamp.", f"Title {name}")
        for (_, doc), name in zip(listed, shown, strict=True)
    }
    items = {t: [Item((doc,)) for topic, doc in listed if topic == t] for t in names}
    ranks = {(topic, doc): place for place, (topic, doc) in enumerate(listed)}
    rules = Rules(seconds=0.0, reason=False, others=2, first_lease=600.0)
    return JudgingStudy(
        folder, "team", task_of("graded", {"seconds": 0.0, "reason": False}),
        {t: Topic(t, f"Lamp of {t}", f"About {t}.", "What helps.") for t in names}, documents,
        rows_as_units(items, double, ranks), Words("A team"), rules,
        People("open", most_of_topic=None, number=number),
        team=Team(double, **{"lease": LEASE, **team}),
    )  # fmt: skip


def team_folder(folder: Path, rows: int = 9, *, language: str = "en", **team: Any) -> JudgingStudy:
    """The same kind of study as files."""
    made = team_study(folder, rows)
    topics = [TopicRow(topic, "", "", "") for topic in made.topics.values()]
    listed_rows = [PoolRow(unit.topic, unit.items[0], None) for unit in made.units]
    settings = JudgingSettings(
        "team", "graded", labels=usual_labels("graded"), design=Design(1, 1, "decisive"),
        words=Words("A team", language), rules=made.rules, people=made.people, team=Team(**team),
    )  # fmt: skip
    write_study(folder, settings, topics, made.documents.values(), listed_rows)
    return read_study(folder)


def doc_of(page: Page) -> str:
    """The document that a page shows."""
    return page.documents[0].text.split()[2]


@dataclass
class Member:
    """One of a team: opens their link, labels what comes, and follows where that leads."""

    service: AssessorService
    name: str
    token: str = ""
    had: list[str] = field(default_factory=list)  # documents that they labeled

    def come(self) -> str:
        """By the link, with consent where it is asked; why there is no row, if so."""
        entered = self.service.enter(Person("open", self.name))
        self.token = entered.token
        if self.token and self.service.where(self.token).name == "consent":
            self.send(consent="yes")
        return entered.reason

    @property
    def step(self) -> PageStep:
        """Where they are."""
        self.token = self.service.follow(self.token)
        return self.service.where(self.token)

    def page(self, step: PageStep | None = None) -> Page:
        """Their page now."""
        if step is None or step.name != "undo":
            self.token = self.service.follow(self.token)
        return self.service.page(self.token, step)

    def form(self, page: Page | None = None, **fields: str) -> dict[str, str]:
        """A page's form as a browser sends it."""
        page = page or self.page()
        return {"csrf": page.csrf, "once": page.once, **fields}

    def send(self, page: Page | None = None, step: PageStep | None = None, **fields: str) -> PageStep:
        """Press a button of a page, and go where it leads."""
        page = page or self.page()
        with suppress(Elsewhere):
            self.service.send(self.token, step or page.step, self.form(page, **fields))
        return self.step

    def label(self, label: str = "2", page: Page | None = None) -> str:
        """Label the document that is shown; which one it was."""
        page = page or self.page()
        assert page.step.name == "doc", page.step
        doc = doc_of(page)
        self.send(page, label=label)
        self.had.append(doc)
        return doc

    def cannot(self, page: Page | None = None) -> str:
        """Say that it cannot be judged."""
        page = page or self.page()
        doc = doc_of(page)
        self.send(page, cannot="unclear")
        self.had.append(doc)
        return doc


def team_of(study: JudgingStudy, database: Database, clock: Time, *names: str) -> tuple[AssessorService, list[Member]]:
    """A service, and people who came."""
    service = AssessorService(study, database, clock=clock, random=Random(1))
    members = [Member(service, name) for name in names]
    for member in members:
        member.come()
    return service, members


def listed(database: Database, study: JudgingStudy) -> ListedLabels:
    """The labels of the list; read anew, and with what is known of its units, they are the same."""
    _, rows = KNOWN.setdefault(id(study), (study, ListedRows(study)))
    found = labels_of_list(database, study)
    assert labels_of_list(database, study, rows) == found
    return found


def check_team(database: Database, study: JudgingStudy) -> None:
    """What holds after every transaction: nobody has a row twice, and no more people label it than are asked."""
    tables = (sessions, answers, units)
    all_sessions, all_answers, all_units = database.read(lambda c: [c.execute(select(t)).all() for t in tables])
    row_of = {row.id: (row.topic, unit_of(row._asdict()).items[0].key) for row in all_units}
    by_id = {s.id: s for s in all_sessions}
    labeled: dict[tuple[str, str], list[str]] = {}
    for session in all_sessions:
        if session.outcome == "done":
            labeled.setdefault(row_of[session.unit], []).append(session.assessor)
    cannot = {row_of[by_id[a.session].unit] for a in all_answers if a.cannot and not a.late}
    for row, people in labeled.items():
        planned = len(study.holding[row])
        assert len(set(people)) == len(people), f"{row} twice by one person"
        assert len(people) <= planned + (study.rules.others if row in cannot else 0), f"{row} by too many"
    holders: Mapping[str, str] = {u.session: u.id for u in all_units if u.state == "held"}
    assert all(by_id[s].outcome is None and by_id[s].unit == unit for s, unit in holders.items())
    for unit in all_units:
        assert (unit.state == "done") == any(s.unit == unit.id and s.outcome == "done" for s in all_sessions)
