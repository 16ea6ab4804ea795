"""One person's way through one unit, as the database has it; every change comes with its line in the audit trail."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from truegain.judging.desk.clocks import Moment
from truegain.judging.desk.codes import TOKEN, Keys, shown
from truegain.judging.desk.steps import UNCLAIMED, PageStep, StepName, UnknownToken
from truegain.judging.store.database import lock
from truegain.judging.store.schema import answers, assessors, drafts, events, sessions, units
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.material import Item, Unit, unit_of
from truegain.judging.tasks.task import Answer, Fields


@dataclass(frozen=True)
class Session:
    """A row of `sessions`, whether the assessor is a person or a model, and whose the unit is now."""

    id: str
    token: str
    assessor: str
    unit: str
    topic: str
    about: Mapping[str, str]
    state: StepName
    number: int
    plan: Mapping[str, Any]
    tries: Mapping[str, int]
    flags: tuple[str, ...]
    notice: str
    saved: int
    lease: float
    steady: float
    boot: str
    lease_key: str
    outcome: str | None
    beside: bool  # takes nobody's place
    origin: str | None  # keyed digest of the address that counts its unit, while it goes on
    kind: str
    holder: str | None  # session that holds the unit, or did it

    @property
    def step(self) -> PageStep:
        """Where the person is."""
        return PageStep(self.state, self.number)

    @property
    def is_unclaimed(self) -> bool:
        """Whether the person goes on and holds no unit yet: `unit` is only the one that would have been theirs."""
        return self.outcome is None and not self.beside and self.state in UNCLAIMED


COLUMNS = [sessions.c[name] for name in Session.__dataclass_fields__ if name not in ("kind", "holder")]
_CHANGE = update(sessions).where(sessions.c.id == bindparam("own"))
_EVENT = insert(events).returning(events.c.id)  # statements that every request runs are built once


@dataclass(frozen=True)
class Work:
    """One transaction at the desk: its connection, its moment, and the study."""

    connection: Connection
    study: JudgingStudy
    units: dict[str, Unit]
    keys: Keys
    now: Moment
    random: Random
    per_address: int = 0  # units that may be held from one address at a time; 0: any number

    def unit(self, name: str) -> Unit:
        """A unit of the study, or one that asks others about what someone could not judge."""
        if name not in self.units:
            row = self.connection.execute(select(units).where(units.c.id == name)).one()
            self.units[name] = unit_of(row._asdict())
        return self.units[name]

    def event(self, kind: str, /, session: Session | None = None, assessor: str | None = None, **about: Any) -> int:
        """Write a line of the audit trail, and give back its number."""
        row = {
            "at": self.now.wall,
            "session": session.id if session else None,
            "assessor": session.assessor if session else assessor,
            "kind": kind,
            "about": about,
        }
        return int(self.connection.execute(_EVENT, row).scalar_one())

    def change(self, session: Session, **values: Any) -> Session:
        """Change a session's row; where it ends nothing is kept of the address."""
        if values.get("outcome"):
            values["origin"] = None
        stored = {**values, "flags": list(values["flags"])} if "flags" in values else values
        self.connection.execute(_CHANGE, {**stored, "own": session.id})
        return replace(session, **{k: v for k, v in values.items() if k in Session.__dataclass_fields__})

    def flag(self, session: Session, flag: str) -> Session:
        """Flag a session, once."""
        return session if flag in session.flags else self.change(session, flags=(*session.flags, flag))

    def lease_at(self, step: PageStep) -> float:
        """Seconds that the place of a person at a step is kept."""
        rules = self.study.rules
        return rules.lease if _is_at_work(step) else min(rules.first_lease, rules.lease)

    def leased(self, step: PageStep) -> dict[str, Any]:
        """Values of a session whose place is kept from now on: for longer once an item is judged."""
        length = self.lease_at(step)
        return {"lease": self.now.wall + length, "steady": self.now.steady + length, "boot": self.now.boot}

    def renewed(self, step: PageStep) -> dict[str, Any]:
        """The same at a step of the way, which counts once an item is judged: who judges nothing keeps nothing."""
        return self.leased(step) if _is_at_work(step) else {}


def _is_at_work(step: PageStep) -> bool:
    """Whether an item was judged already where a person is at this step."""
    return step.name == "revise" or (step.name == "doc" and step.number > 1)


WITH_KIND = (
    select(*COLUMNS, assessors.c.kind, units.c.session.label("holder"))
    .join(assessors, assessors.c.id == sessions.c.assessor)
    .join(units, units.c.id == sessions.c.unit)
)
_OWN = sessions.c.token == bindparam("own")
_LOAD = WITH_KIND.where(_OWN)
_HELD = select(sessions.c.unit).where(_OWN, sessions.c.outcome.is_not(None) | sessions.c.state.not_in(UNCLAIMED))
_LOCK = lock(select(units.c.id).where(units.c.id == _HELD.scalar_subquery()), of=units)
_LOCK_UNCLAIMED = lock(select(sessions.c.id).where(_OWN), of=sessions)


def load(connection: Connection, token: str, *, locked: bool = True) -> Session:
    """The session of a token; locked: nobody else changes it or its unit before this transaction ends.

    Locks are always taken in one order: person, then unit; a session is guarded by its unit's lock, and before it has
    one by its own row's.
    """
    if not TOKEN.fullmatch(token):
        raise UnknownToken("this address is not one of ours; go back to where you were given it")
    needs_lock = locked and connection.dialect.name != "sqlite"  # where one writes at a time
    while True:
        unit = connection.execute(_LOCK, {"own": token}).scalar_one_or_none() if needs_lock else None
        if needs_lock and unit is None:
            connection.execute(_LOCK_UNCLAIMED, {"own": token})
        row = connection.execute(_LOAD, {"own": token}).one_or_none()
        if row is None:
            raise UnknownToken("this address is not one of ours; go back to where you were given it")
        session = session_of(row)
        if not needs_lock or (unit is None if session.is_unclaimed else unit == session.unit):
            return session  # else it was given a unit while we waited


def session_of(row: Any) -> Session:
    """A session from its row."""
    values = dict(row._mapping)
    return Session(**{**values, "flags": tuple(values["flags"])})


def items_of(work: Work, session: Session) -> list[Item]:
    """The unit's items in this person's order."""
    unit = work.unit(session.unit)
    return [unit.items[place] for place in session.plan["order"]]


@dataclass(frozen=True)
class Recorded:
    """An answer as stored: which item, which revision, and the form it came in."""

    number: int
    revision: int
    answer: Answer
    fields: Fields
    late: bool


_ANSWERS = (
    select(answers)
    .where(answers.c.session == bindparam("own"), answers.c.kind == bindparam("of"))
    .order_by(answers.c.number, answers.c.revision)
)


def last_answers(work: Work, session: Session, kind: str = "item") -> dict[int, Recorded]:
    """The last revision of each answer of a kind."""
    rows = work.connection.execute(_ANSWERS, {"own": session.id, "of": kind}).all()
    return {row.number: _given(row) for row in rows}


def _given(row: Any) -> Recorded:
    value = math.nan if row.value is None else row.value
    answer = Answer(value, row.typed, row.reason, row.cannot, row.note)
    return Recorded(row.number, row.revision, answer, row.fields, row.late)


def reached(work: Work, session: Session, given: Iterable[int]) -> int:
    """The furthest item that may be shown: the first without an answer."""
    done = set(given)
    total = len(work.unit(session.unit).items)
    return next((number for number in range(1, total + 1) if number not in done), total)


_ANSWER = insert(answers)


def append(
    work: Work,
    session: Session,
    kind: str,
    number: int,
    answer: Answer,
    fields: Fields,
    *,
    seconds: float = 0.0,
    late: bool = False,
    last: int | None = None,
) -> int:
    """Append a revision of an answer and its event; give back which revision it is.  last: the one before, if known."""
    if last is None:
        same = (answers.c.session == session.id, answers.c.kind == kind, answers.c.number == number)
        last = work.connection.execute(select(func.max(answers.c.revision)).where(*same)).scalar()
    revision = (last or 0) + 1
    event = work.event("late" if late else "answered", session, what=kind, number=number, revision=revision)
    row = {
        "session": session.id, "kind": kind, "number": number, "revision": revision,
        "value": None if math.isnan(answer.value) else answer.value,
        "typed": answer.typed, "reason": answer.reason, "cannot": answer.cannot, "note": answer.note,
        "seconds": seconds, "late": late, "fields": shown(fields), "at": work.now.wall, "event": event,
    }  # fmt: skip
    work.connection.execute(_ANSWER, row)
    return revision


@dataclass(frozen=True)
class Draft:
    """What was typed on a page and does not count yet; `notice` says why."""

    fields: Fields
    notice: str


_AT = (
    drafts.c.session == bindparam("own"),
    drafts.c.step == bindparam("at_step"),
    drafts.c.number == bindparam("at_number"),
)
_DRAFT, _DROP = select(drafts).where(*_AT), delete(drafts).where(*_AT)


def draft_of(work: Work, session: Session, step: PageStep) -> Draft | None:
    """What is kept of a page."""
    row = work.connection.execute(_DRAFT, _place(session, step)).one_or_none()
    return Draft(row.fields, row.notice) if row else None


def keep_draft(work: Work, session: Session, step: PageStep, fields: Fields, notice: str = "") -> None:
    """Keep what was typed on a page; what was there before gives way."""
    drop_draft(work, session, step)
    values = {"session": session.id, "step": step.name, "number": step.number, "at": work.now.wall}
    work.connection.execute(insert(drafts).values(**values, fields=shown(fields), notice=notice))


def drop_draft(work: Work, session: Session, step: PageStep) -> None:
    """Forget what was typed on a page: it counts now, or was taken back."""
    work.connection.execute(_DROP, _place(session, step))


def _place(session: Session, step: PageStep) -> dict[str, Any]:
    return {"own": session.id, "at_step": step.name, "at_number": step.number}
