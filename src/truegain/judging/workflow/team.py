"""A team that labels a list in its order: what each sees of the work, the last label undone, and signs of life.

Only the unbroken top of the list counts.  So a row is kept for who was given it for a short time, a row that is free
again is given out before later ones, and all see when somebody holds the list up.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from sqlalchemy import case, delete, func, select, update

from truegain.judging.store.database import guard_corrections
from truegain.judging.store.decisions import most_rows
from truegain.judging.store.schema import answers, assessors, events, sessions, units, visits
from truegain.judging.tasks.base import DONE, Answer, Fields
from truegain.judging.workflow.assignment import FREE, first_offered, hold
from truegain.judging.workflow.pausing import DECIDED, pause_reason, still_wanted
from truegain.judging.workflow.sessions import Session, Work, append, last_answers, load, seconds_of
from truegain.judging.workflow.steps import PageStep, TeamView
from truegain.judging.workflow.submissions import Reply, ask_others
from truegain.judging.workflow.tokens import basis_of, visible_fields

UNDO = PageStep("undo")
CANNOT = "cannot"


def day_of(at: float) -> float:
    """When the day began, where the server is."""
    now = time.localtime(at)
    return time.mktime((now.tm_year, now.tm_mon, now.tm_mday, 0, 0, 0, 0, 0, -1))


def view(work: Work, session: Session) -> TeamView:
    """What a person sees of the work."""
    today = day_of(work.now.wall)
    done = (sessions.c.outcome == DONE, ~sessions.c.beside, sessions.c.ended >= today)
    own = func.sum(case((sessions.c.assessor == session.assessor, 1), else_=0))
    counts = work.connection.execute(select(own, func.count()).where(*done)).one()
    last = last_label(work, session.assessor)
    may_undo = last is not None and not why_fixed(work, last)
    undo = (CANNOT if last.cannot else last.typed) if last is not None and may_undo else ""
    return _at_top(work, session, TeamView(int(counts[0] or 0), int(counts[1]), undo=undo))


def _at_top(work: Work, session: Session, seen: TeamView) -> TeamView:
    """How far the list is unbroken, and whom it waits for."""
    rows, most = len(work.study.holding), most_rows(work.connection)
    columns = (units.c.id, units.c.place, units.c.state, units.c.session)
    query = (
        select(*columns).where(still_wanted(work.connection, work.study)).order_by(units.c.place, units.c.id).limit(1)
    )
    first = work.connection.execute(query).first()
    if first is None:
        return replace(seen, top=rows, rows=rows, most=most)
    later = select(func.count()).where(units.c.state == DONE, units.c.place > first.place)
    below = int(work.connection.execute(later).scalar_one())
    waits, waited = _waiting(work, session, first) if below else ("", 0.0)
    return replace(seen, top=first.place, rows=rows, most=most, below=below, waits=waits, waited=waited)


def _waiting(work: Work, session: Session, first: Any) -> tuple[Literal["", "someone", "you", "other"], float]:
    """For whom the first open row waits, where that is longer than a lease; 'other': for a person who is not there."""
    team = work.study.team
    assert team is not None, "asked of teams alone"
    if first.state == FREE:
        mine = session.outcome is None and session.unit == first.id
        return ("" if mine or first_offered(work, session.assessor) == first.id else "other"), 0.0
    since = select(func.min(visits.c.began)).where(visits.c.session == first.session)
    began = work.connection.execute(since).scalar()
    waited = work.now.wall - began if began is not None else 0.0
    if waited <= team.lease:
        return "", 0.0
    return ("you" if first.session == session.id else "someone"), waited


# ---------------------------------------------------------------------- the last label, undone


def last_label(work: Work, assessor: str) -> Any | None:
    """The label that a person gave last: token, id and unit of its session, and what it says."""
    columns = (sessions.c.id, sessions.c.token, sessions.c.unit, answers.c.typed, answers.c.cannot)
    query = select(*columns).join(answers, answers.c.session == sessions.c.id)
    own = (sessions.c.assessor == assessor, sessions.c.outcome == DONE, ~sessions.c.beside, answers.c.kind == "item")
    return work.connection.execute(query.where(*own).order_by(answers.c.id.desc()).limit(1)).first()


def why_fixed(work: Work, last: Any) -> Literal["", "known", "given", "taken"]:
    """Why a person's last label can no longer be changed; empty where it can.

    'known': the decision is made.  'given': the label no longer counts, as the row was given out again.  'taken': they
    could not judge, and someone else has been given the row since.
    """
    if pause_reason(work.connection) in DECIDED:
        return "known"
    query = select(units.c.state, units.c.session).where(units.c.id == last.unit)
    row = work.connection.execute(query).one()
    if (row.state, row.session) != (DONE, last.id):
        return "given"
    return "taken" if last.cannot and any(_is_touched(work, name) for name in _made_of(work, last.id)) else ""


def _made_of(work: Work, session: str) -> list[str]:
    """The units for others that were made because a person could not judge, and still are."""
    query = select(events.c.about).where(events.c.session == session, events.c.kind == "others")
    names = [about["unit"] for about in work.connection.execute(query).scalars()]
    return list(work.connection.execute(select(units.c.id).where(units.c.id.in_(names))).scalars())


def _is_touched(work: Work, unit: str) -> bool:
    state = work.connection.execute(select(units.c.state).where(units.c.id == unit)).scalar_one()
    had = select(sessions.c.id).where(sessions.c.turn == unit)
    return state != FREE or work.connection.execute(had).first() is not None


def undone(work: Work, token: str) -> Session | None:
    """The session of a person's last label, locked, if that may be changed; `token` is of any session of theirs."""
    own = load(work.connection, token, locked=False)
    last = last_label(work, own.assessor)
    if last is None:
        return None
    session = load(work.connection, last.token)
    again = last_label(work, own.assessor)
    is_same = again is not None and again.id == last.id
    excluded = work.connection.execute(select(assessors.c.excluded).where(assessors.c.id == own.assessor)).scalar_one()
    return session if is_same and excluded is None and not why_fixed(work, again) else None


def correct(work: Work, token: str, fields: Fields) -> Reply:
    """Put another label in the place of a person's last one: both are kept, and the later counts."""
    own = load(work.connection, token, locked=False)
    if fields.get("action") == "stay":
        return Reply(own.step)
    guard_corrections(work.connection, shared=True)
    session = undone(work, token)
    if session is None:
        return Reply(own.step if _is_counted(work, own, fields) else too_late(work, token), elsewhere=True)
    last = last_answers(work, session)[1]
    is_signed = work.keys.signed(session.id, session.lease_key, fields.get("csrf", ""))
    answer = work.study.task.read(fields)
    if not is_signed or basis_of(fields.get("once", "")) != last.revision:  # of another label, or sent twice
        return Reply(own.step, elsewhere=True)
    if not isinstance(answer, Answer):
        return Reply(UNDO)
    spent = seconds_of(work, session).get(1, 0.0)
    append(work, session, "item", 1, answer, fields, seconds=spent, last=last.revision)
    if answer.cannot and not last.answer.cannot:
        ask_others(work, work.flag(session, CANNOT))
    elif last.answer.cannot and not answer.cannot:
        _ask_nobody(work, session)
    _tell(work, own, "corrected")
    return Reply(own.step, counted=True)


def _is_counted(work: Work, own: Session, fields: Fields) -> bool:
    """Whether this very correction is stored: its answer was lost, and who sends it again is not told another."""
    label = last_label(work, own.assessor)
    if label is None:
        return False
    session = load(work.connection, label.token, locked=False)
    last = last_answers(work, session)[1]
    is_signed = work.keys.signed(session.id, session.lease_key, fields.get("csrf", ""))
    is_next = basis_of(fields.get("once", "")) == last.revision - 1
    return is_signed and is_next and dict(last.fields) == visible_fields(fields)


def too_late(work: Work, token: str) -> PageStep:
    """Where a person goes whose last label can no longer be changed."""
    session = load(work.connection, token, locked=False)
    _tell(work, session, "too_late")
    return session.step


def _tell(work: Work, session: Session, notice: str) -> None:
    """Let the next page say something, where the person is at a row."""
    if session.outcome is None and session.state == "doc":
        work.change(session, notice=notice)


def _ask_nobody(work: Work, session: Session) -> None:
    """Take back the units that asked others, of whom none has been given one."""
    for name in _made_of(work, session.id):
        held = update(sessions).where(sessions.c.unit == name)  # who would have been given it next, or passed it on
        work.connection.execute(held.values(unit=session.unit))
        work.connection.execute(delete(units).where(units.c.id == name))
        work.units.pop(name, None)
        work.event("others_not", session, unit=name)


# ---------------------------------------------------------------------- signs of life


def beat(work: Work, token: str) -> bool:
    """A person is at their row: it is kept for them from now on, for `first_lease` in all; False: it is not theirs now.

    No page needs this: without script the lease runs from when the row was shown.
    """
    session = load(work.connection, token)
    if pause_reason(work.connection) in DECIDED or session.outcome is not None or session.holder != session.id:
        return False
    began = select(func.min(visits.c.began)).where(visits.c.session == session.id)
    since = work.connection.execute(began).scalar()
    if since is not None and work.now.wall - since < _longest(work) and session.state == "doc":
        if session.lease < work.now.wall:
            hold(work, session, anew=False)
        else:
            work.change(session, **work.leased(session.step))
    return True


def _longest(work: Work) -> float:
    return max(work.study.rules.first_lease, work.lease_at(UNDO))


def fields_of_team(fields: Mapping[str, str], field: str) -> dict[str, str]:
    """A form of the stream: its buttons say why someone cannot judge, or the label, and need no other.

    >>> fields_of_team({"cannot": "unclear"}, "label")["action"]
    'cannot'
    """
    is_cannot = bool(fields.get("cannot")) and not fields.get(field)
    return {**fields, "action": "cannot"} if is_cannot and "action" not in fields else dict(fields)
