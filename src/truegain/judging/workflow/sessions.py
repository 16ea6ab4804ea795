"""Sessions: one assessor's way through one unit, as the database has it, with clocks, answers, drafts and visits.

Every change comes with its line in the audit trail.
"""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, func, insert, or_, select, update

from truegain.judging.store.database import lock
from truegain.judging.store.schema import answers, assessors, drafts, events, sessions, units, visits
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.base import Answer, Fields, Item, Unit, unit_of
from truegain.judging.workflow.steps import UNCLAIMED, PageStep, StepName, UnknownToken
from truegain.judging.workflow.tokens import TOKEN, Keys, visible_fields

# ---------------------------------------------------------------------- clocks


BOOT = Path("/proc/sys/kernel/random/boot_id")
STEP = 5.0  # seconds by which two clocks may come apart before we say that one was set
WALL = "wall"  # stands for the start of the machine where the clock on the wall is the only one


class Moment(NamedTuple):
    """Now: by the clock on the wall, by the steady one, and the start of the machine since which that one runs."""

    wall: float
    steady: float
    boot: str


class Clock:
    """Tells the moment.  A clock of one's own (a test's) is taken as it is, unless a steady one comes with it."""

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] | None = None) -> None:
        self._wall = wall
        self._steady = time.monotonic if steady is None and wall is time.time else steady
        self._boot = _boot() if self._steady else WALL

    def now(self) -> Moment:
        """The moment."""
        wall = float(self._wall())
        return Moment(wall, float(self._steady()) if self._steady else wall, self._boot)


class Elapsed(NamedTuple):
    """Seconds between two moments, never below 0, and by how much the clock on the wall was set meanwhile."""

    seconds: float
    step: float


def elapsed(began: Moment, now: Moment) -> Elapsed:
    """How long ago a moment was: by the steady clock, unless the machine was started anew since.

    >>> elapsed(Moment(1000, 50, "a"), Moment(1000 - 86400 + 30, 80, "a"))
    Elapsed(seconds=30, step=-86400)
    >>> elapsed(Moment(1000, 1000, "wall"), Moment(400, 400, "wall"))
    Elapsed(seconds=0.0, step=-600)
    """
    wall, steady = now.wall - began.wall, now.steady - began.steady
    if began.boot != now.boot or now.boot == WALL:
        return Elapsed(max(0.0, wall), min(0.0, wall))
    return Elapsed(max(0.0, steady), wall - steady)


def expired(row: Any, now: Moment) -> bool:
    """Whether the lease of a session is over."""
    return overdue(row, now) > 0


def overdue(row: Any, now: Moment) -> float:
    """Seconds since the lease of a session is over; below 0 where it is not."""
    return float(now.steady - row.steady if row.boot == now.boot else now.wall - row.lease)


def is_expired(now: Moment) -> ColumnElement[bool]:
    """Whether the lease of a session is over, as a condition on sessions."""
    here = sessions.c.boot == now.boot
    return or_(and_(here, sessions.c.steady < now.steady), and_(~here, sessions.c.lease < now.wall))


def _boot() -> str:
    try:
        return BOOT.read_text().strip()
    except OSError:
        return uuid.uuid4().hex  # of this process: across processes the clock on the wall must do


# ---------------------------------------------------------------------- sessions


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
    """One transaction at the service: its connection, its moment, and the study."""

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
        rules, team = self.study.rules, self.study.team
        if team is not None:
            return team.lease
        return rules.lease if _is_at_work(step) else min(rules.first_lease, rules.lease)

    def leased(self, step: PageStep) -> dict[str, Any]:
        """Values of a session whose place is kept from now on: for longer once an item is judged."""
        length = self.lease_at(step)
        return {"lease": self.now.wall + length, "steady": self.now.steady + length, "boot": self.now.boot}

    def renewed(self, step: PageStep) -> dict[str, Any]:
        """Values of a session at a step, which counts once an item is judged: who judges nothing keeps nothing."""
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
        raise UnknownToken("this address is not one of ours; go back to where you got it")
    needs_lock = locked and connection.dialect.name != "sqlite"  # where one writes at a time
    while True:
        unit = connection.execute(_LOCK, {"own": token}).scalar_one_or_none() if needs_lock else None
        if needs_lock and unit is None:
            connection.execute(_LOCK_UNCLAIMED, {"own": token})
        row = connection.execute(_LOAD, {"own": token}).one_or_none()
        if row is None:
            raise UnknownToken("this address is not one of ours; go back to where you got it")
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
    return {row.number: _recorded(row) for row in rows}


def _recorded(row: Any) -> Recorded:
    value = math.nan if row.value is None else row.value
    answer = Answer(value, row.typed, row.reason, row.cannot, row.note)
    return Recorded(row.number, row.revision, answer, row.fields, row.late)


def reached(work: Work, session: Session, answered: Iterable[int]) -> int:
    """The furthest item that may be shown: the first without an answer."""
    done = set(answered)
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
    """Append a revision of an answer, with its line in the audit trail.

    Parameters
    ----------
    work, session
        The transaction, and whose answer it is.
    kind : {"item", "practice", "question"}
        What was answered.
    number : int
        Which of them, from 1.
    answer, fields
        The answer, and the form that it came in.
    seconds : float
        Spent on the item so far, over all visits.
    late : bool
        Whether someone else has taken the unit; a late answer never counts.
    last : int, optional
        The revision before, if it is known already.

    Returns
    -------
    int
        Number of the revision, from 1.

    """
    if last is None:
        same = (answers.c.session == session.id, answers.c.kind == kind, answers.c.number == number)
        last = work.connection.execute(select(func.max(answers.c.revision)).where(*same)).scalar()
    revision = (last or 0) + 1
    event = work.event("late" if late else "answered", session, what=kind, number=number, revision=revision)
    row = {
        "session": session.id,
        "kind": kind,
        "number": number,
        "revision": revision,
        "value": None if math.isnan(answer.value) else answer.value,
        "typed": answer.typed,
        "reason": answer.reason,
        "cannot": answer.cannot,
        "note": answer.note,
        "seconds": seconds,
        "late": late,
        "fields": visible_fields(fields),
        "at": work.now.wall,
        "event": event,
    }
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
    work.connection.execute(insert(drafts).values(**values, fields=visible_fields(fields), notice=notice))


def drop_draft(work: Work, session: Session, step: PageStep) -> None:
    """Forget what was typed on a page: it counts now, or was taken back."""
    work.connection.execute(_DROP, _place(session, step))


def _place(session: Session, step: PageStep) -> dict[str, Any]:
    return {"own": session.id, "at_step": step.name, "at_number": step.number}


# ---------------------------------------------------------------------- visits: how long each item was looked at


_OF_SESSION = visits.c.session == bindparam("own")  # statements that every request runs are built once
_BEGIN_VISIT = insert(visits)
_GOING = select(visits).where(_OF_SESSION, visits.c.seconds.is_(None))
_END_VISIT = update(visits).where(visits.c.id == bindparam("own"))
_SECONDS = select(visits.c.number, func.sum(visits.c.seconds)).where(_OF_SESSION).group_by(visits.c.number)


def serve(work: Work, session: Session, number: int) -> None:
    """An item is served: its clock starts, unless it runs already, and any other's stops."""
    if _stop(work, session, keep=number):
        return
    row = {"session": session.id, "number": number, "began": work.now.wall}
    work.connection.execute(_BEGIN_VISIT, {**row, "steady": work.now.steady, "boot": work.now.boot})
    work.event("served", session, number=number)


def stop(work: Work, session: Session) -> None:
    """No item is before the person's eyes any more."""
    _stop(work, session)


def _stop(work: Work, session: Session, keep: int = 0) -> bool:
    """End the visits that go on, but not one to the item `keep`; whether there was one to keep."""
    kept = False
    for row in work.connection.execute(_GOING, {"own": session.id}).all():
        spent = elapsed(Moment(row.began, row.steady, row.boot), work.now)
        if abs(spent.step) > STEP:
            work.event("clock", session, by=round(spent.step, 3))
        elif row.number == keep:
            kept = True
            continue
        work.connection.execute(_END_VISIT, {"own": row.id, "ended": work.now.wall, "seconds": spent.seconds})
    return kept


def seconds_of(work: Work, session: Session) -> dict[int, float]:
    """Seconds on each item, over all visits that ended."""
    rows = work.connection.execute(_SECONDS, {"own": session.id}).all()
    return {number: float(seconds or 0) for number, seconds in rows}
