"""How a unit ends: with all checks passed and a code, or without; and what is left when someone withdraws."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sqlalchemy import delete, func, select, update

from truegain.judging.desk.codes import code_digest
from truegain.judging.desk.leases import DONE, FREE, give_back, units_for_others
from truegain.judging.desk.opening import item_row, unit_row
from truegain.judging.desk.sessions import Session, Work, last_answers
from truegain.judging.desk.steps import PageStep, StepName
from truegain.judging.desk.visits import seconds_of, stop
from truegain.judging.store.database import insert_new
from truegain.judging.store.schema import answers, assessors, drafts, events, sent, sessions, units, visits
from truegain.judging.tasks.material import Unit, base_of, more_id

KEPT = ("began", "claimed", "withdrawn")  # events that say no more than that a set was begun, and taken back
CODED = ("done", "screened", "failed")  # states at the end that a platform may have a code for
SUBMISSIONS = ("prolific", "mturk")  # platforms that pay a submission once, by one code


def pays_once(work: Work) -> bool:
    """Whether people come under submissions that are paid once: a second set would be work for nothing."""
    return work.study.people.platform in SUBMISSIONS


def finished_under(work: Work, assessor: str, about: Mapping[str, str]) -> str | None:
    """Token of the unit by which a person ended a submission of the platform: they come again for its code.

    The last that is done goes before any that ended without; none while one goes on.
    """
    first = select(func.min(events.c.id)).where(events.c.session == sessions.c.id).scalar_subquery()
    had = select(sessions.c.token, sessions.c.about, sessions.c.state, sessions.c.outcome).where(
        sessions.c.assessor == assessor
    )
    rows = work.connection.execute(had.order_by(first.desc())).all()  # as they were taken; the clock may have been set
    own = [row for row in rows if row.about == about]
    if any(row.outcome is None for row in own):
        return None
    ended = sorted((row for row in own if row.state in CODED), key=lambda row: row.state != "done")
    return ended[0].token if ended else None


def end(work: Work, session: Session, state: StepName, outcome: str) -> PageStep:
    """End a session without a code; the unit is free again."""
    stop(work, session)
    give_back(work, session)
    ended = work.change(session, state=state, number=0, notice="", outcome=outcome, ended=work.now.wall)
    work.event(outcome, session)
    return ended.step


def finish(work: Work, session: Session) -> PageStep:
    """The last item was sent: look at the whole unit, and end it with a code, send it back, or end it without."""
    session, failed = _look(work, session)
    used = session.tries.get("checks", 0) + 1
    work.event("checks", session, failed=list(failed), attempt=used)
    session = work.change(session, tries={**session.tries, "checks": used})
    if not failed:
        return _done(work, session)
    if used >= work.study.rules.check_tries:
        return end(work, session, "failed", "failed")
    step = PageStep("revise")
    return work.change(session, state=step.name, number=0, notice="", **work.leased(step)).step


def _look(work: Work, session: Session) -> tuple[Session, tuple[str, ...]]:
    """The checks that a unit fails, items in the unit's own order; a model needs no time."""
    unit, order = work.unit(session.unit), session.plan["order"]
    given, spent = last_answers(work, session), seconds_of(work, session)
    number = {place: i for i, place in enumerate(order, start=1)}
    found = [given[number[place]].answer for place in range(len(order))]
    hurried = [math.inf if session.kind == "model" else spent.get(number[p], 0.0) for p in range(len(order))]
    if any(place is not None and math.isnan(found[place].value) for place in (unit.high, unit.low)):
        session = work.flag(session, "anchor")
    return session, work.study.task.failed(unit, found, hurried)


def _done(work: Work, session: Session) -> PageStep:
    """The code exists from here on: in the transaction of the last answer, or not at all."""
    code = code_digest(work.keys.code(session.id))
    values = {"outcome": "done", "ended": work.now.wall, "code": code}
    done = work.change(session, state="done", number=0, notice="", **values)
    work.event("done", session)
    if session.beside:
        return done.step
    mine = select(assessors.c.excluded).where(assessors.c.id == session.assessor)
    excluded = work.connection.execute(mine).scalar_one() is not None
    state = {"state": FREE, "session": None} if excluded else {"state": DONE, "session": session.id}
    work.connection.execute(update(units).where(units.c.id == session.unit).values(**state))
    if not excluded:
        _ask_others(work, session)
    return done.step


def _ask_others(work: Work, session: Session) -> None:
    """Make a unit of each item that the person could not judge, for someone else, unless enough others were asked."""
    if not work.study.rules.others:
        return
    unit, order, given = work.unit(session.unit), session.plan["order"], last_answers(work, session)
    anchors = [unit.items[place] for place in (unit.high, unit.low) if place is not None]
    there = [row for row in units_for_others(work) if row.topic == unit.topic]
    place = work.connection.execute(select(units.c.place).where(units.c.id == session.unit)).scalar_one()
    for number, at in enumerate(order, start=1):
        item = unit.items[at]
        if at in (unit.high, unit.low) or not given[number].answer.cannot:
            continue
        asked = sum(item_row(item) in row.items for row in there)
        if asked >= work.study.rules.others:
            continue
        more = Unit("", unit.topic, (*anchors, item), *((0, 1) if anchors else (None, None)))
        taken = sum(base_of(row.id) == (base_of(unit.id) or unit.id) for row in there) + 1
        while not insert_new(work.connection, units, **{**unit_row(more, place), "id": more_id(unit.id, taken)}):
            taken += 1  # another unit was sent at the same moment
        work.event("others", session, number=number, unit=more_id(unit.id, taken))


def withdraw(work: Work, session: Session) -> PageStep:
    """Erase what was written, and keep the fact that a set was begun and taken back.

    Paid work is paid: who had come to an end with a code is still shown it, so that end stays the session's state.
    """
    for table in (answers, drafts, visits, sent):
        work.connection.execute(delete(table).where(table.c.session == session.id))
    texts = update(events).where(events.c.session == session.id, events.c.kind.not_in(KEPT))
    work.connection.execute(texts.values(about={}))
    give_back(work, session)
    values = {"outcome": "withdrawn", "ended": work.now.wall, "code": None}
    state = session.state if session.state in CODED else "left"
    left = work.change(session, state=state, number=0, notice="", saved=0, flags=(), tries={}, **values)
    work.event("withdrawn", session)
    return left.step


def all_of(work: Work, assessor: str) -> list[str]:
    """Tokens of all units that a person had, in the order in which locks are taken."""
    query = select(sessions.c.token).where(sessions.c.assessor == assessor).order_by(sessions.c.unit)
    return list(work.connection.execute(query).scalars())
