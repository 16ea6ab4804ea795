"""Who holds which unit: claims give a unit to one person, leases run out, and what nobody holds is free again."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Select, exists, func, insert, select, update

from truegain.judging.desk.clocks import expired, is_expired
from truegain.judging.desk.codes import new_token
from truegain.judging.desk.practice import draw_plan
from truegain.judging.desk.sessions import WITH_KIND, Session, Work, load, session_of
from truegain.judging.desk.steps import PageStep
from truegain.judging.desk.visits import stop
from truegain.judging.store.database import lock
from truegain.judging.store.schema import sessions, units
from truegain.judging.tasks.material import base_of

FREE, HELD, DONE = "free", "held", "done"


def going_on(work: Work, assessor: str) -> Session | None:
    """The unit that a person is at, locked; None where there is none."""
    query = select(sessions.c.token).where(sessions.c.assessor == assessor, sessions.c.outcome.is_(None))
    token = work.connection.execute(query).scalar_one_or_none()
    if token is None:
        return None
    session = load(work.connection, token)
    return session if session.outcome is None else None  # it was passed on a moment ago


def hold(work: Work, session: Session) -> Session:
    """Take a unit whose lease ran out up again: nobody else took it, or the session would have ended."""
    if not session.beside:
        work.connection.execute(update(units).where(units.c.id == session.unit).values(state=HELD, session=session.id))
        session = replace(session, holder=session.id)
    work.event("renewed", session)
    return work.change(session, **work.leased(), lease_key=secrets.token_hex(16))


def lapsed(work: Work, session: Session) -> bool:
    """Whether the lease of a session that goes on is over, or its unit was given free."""
    return expired(session, work.now) or (not session.beside and session.holder != session.id)


def may_take(work: Work, assessor: str, kind: str = "human") -> bool:
    """Whether a person may take one more unit; those that ended early, or were passed on, do not count.

    One that was done and then taken back does: it has its code.  A model may: it takes nobody's place.
    """
    most = work.study.people.most if kind == "human" else None
    if most is None:
        return True
    counted = sessions.c.outcome.is_(None) | sessions.c.state.in_(("done", "failed"))
    query = select(func.count()).where(sessions.c.assessor == assessor, counted)
    return int(work.connection.execute(query).scalar_one()) < most


def claim(work: Work, assessor: str, kind: str, about: Mapping[str, str]) -> Session | None:
    """Give a person the next unit that they may have (see `_unseen`): a free one, else one whose lease ran out.

    Units that others are claiming at this moment are passed over; only where no other is left do we wait for them.  A
    model is given the unit that the fewest models had, whoever else has it: places are people's.
    """
    if kind == "model":
        row = work.connection.execute(lock(_least_beside(work, assessor), of=units)).first()
        return _begin(work, assessor, kind, about, row.id) if row else None
    for query in (_free(work, assessor), _lapsed(work, assessor)):
        for skip in (True, False):
            passed_over: list[str] = []
            while True:
                wanted = query.where(units.c.id.not_in(passed_over)) if passed_over else query
                row = work.connection.execute(lock(wanted, of=units, skip=skip)).first()
                if row is None:
                    break
                if _still(work, row.id):
                    return _begin(work, assessor, kind, about, row.id)
                passed_over.append(row.id)
    return None


def is_free(work: Work, assessor: str) -> bool:
    """Whether a unit could be claimed."""
    return any(work.connection.execute(q).first() is not None for q in (_free(work, assessor), _lapsed(work, assessor)))


def give_back(work: Work, session: Session) -> None:
    """Free a unit, where this session holds it or did it."""
    own = (units.c.id == session.unit, units.c.session == session.id)
    work.connection.execute(update(units).where(*own).values(state=FREE, session=None))


def units_for_others(work: Work) -> list[Any]:
    """The units that ask others about what someone could not judge."""
    query = select(units.c.id, units.c.topic, units.c["items"]).where(units.c.id.contains("+", autoescape=True))
    return [row for row in work.connection.execute(query).all() if base_of(row.id)]


def _unseen(work: Work, query: Select[Any], assessor: str) -> Select[Any]:
    """Units that a person may have, in the order in which they are given out.

    So many of a topic as the study lets them, no item twice (Hk and Nk aside), and none of a topic whose question they
    failed.
    """
    most = work.study.people.most_of_topic
    had = select(sessions.c.topic).where(sessions.c.assessor == assessor, sessions.c.topic == units.c.topic)
    if most == 1:
        query = query.where(~exists(had.correlate(units)))
    else:
        barred = _barred(work, assessor)
        query = query.where(~exists(had.where(sessions.c.outcome == "screened").correlate(units)))
        query = query.where(~exists(had.where(sessions.c.unit == units.c.id).correlate(units)))
        if most is not None:
            counted = select(func.count()).where(sessions.c.assessor == assessor, sessions.c.topic == units.c.topic)
            query = query.where(counted.correlate(units).scalar_subquery() < most)
        query = query.where(units.c.id.not_in(sorted(barred))) if barred else query
    return query.order_by(units.c.place, units.c.id).limit(1)


def _barred(work: Work, assessor: str) -> set[str]:
    """Units with an item that a person has had in another one."""
    query = select(sessions.c.unit).where(sessions.c.assessor == assessor)
    had = [work.unit(name) for name in work.connection.execute(query).scalars()]
    seen = {(unit.topic, item.key) for unit in had for item in unit.asked}
    barred = {name for key in seen for name in work.study.holding.get(key, ())}
    more = map(work.unit, (row.id for row in units_for_others(work))) if work.study.rules.others else ()
    barred |= {unit.id for unit in more if any((unit.topic, item.key) in seen for item in unit.asked)}
    return barred - {unit.id for unit in had}


def _free(work: Work, assessor: str) -> Select[Any]:
    return _unseen(work, select(units.c.id).where(units.c.state == FREE), assessor)


def _lapsed(work: Work, assessor: str) -> Select[Any]:
    holders = select(sessions.c.id).where(sessions.c.outcome.is_(None), is_expired(work.now))
    return _unseen(work, select(units.c.id).where(units.c.state == HELD, units.c.session.in_(holders)), assessor)


def _least_beside(work: Work, assessor: str) -> Select[Any]:
    had = select(func.count()).where(sessions.c.unit == units.c.id, sessions.c.beside).correlate(units)
    more = [row.id for row in units_for_others(work)]
    query = select(units.c.id).where(units.c.id.not_in(more)) if more else select(units.c.id)
    return _unseen(work, query.order_by(had.scalar_subquery()), assessor)


def _still(work: Work, unit: str) -> bool:
    """Whether a unit, locked by now, can be taken: its holder may have come back while we waited."""
    row = work.connection.execute(select(units.c.state, units.c.session).where(units.c.id == unit)).one()
    if row.state == FREE:
        return True
    holder = work.connection.execute(select(sessions).where(sessions.c.id == row.session)).one_or_none()
    return row.state == HELD and holder is not None and holder.outcome is None and expired(holder, work.now)


def _begin(work: Work, assessor: str, kind: str, about: Mapping[str, str], unit: str) -> Session:
    """Pass the unit on from who had it, if anyone, and begin the person's way through it; a model takes from none."""
    material = work.unit(unit)
    is_model = kind == "model"
    if not is_model:
        _pass_on(work, unit)
    step = PageStep("doc", 1) if is_model else PageStep("consent")
    row = {
        "id": secrets.token_hex(12), "token": new_token(), "assessor": assessor, "unit": unit,
        "about": dict(about), "topic": material.topic, "state": step.name, "number": step.number,
        "turn": material.topic if work.study.people.most_of_topic == 1 else unit,
        "plan": draw_plan(material, work.study.topics[material.topic].question, work.random),
        "tries": {}, "flags": [], "began": work.now.wall, "notice": "", "saved": 0,
        "lease_key": secrets.token_hex(16), "beside": is_model, **work.leased(),
    }  # fmt: skip
    work.connection.execute(insert(sessions).values(**row))
    if not is_model:
        work.connection.execute(update(units).where(units.c.id == unit).values(state=HELD, session=row["id"]))
    session = session_of(work.connection.execute(WITH_KIND.where(sessions.c.id == row["id"])).one())
    work.event("claimed", session, unit=unit, topic=material.topic, order=session.plan["order"])
    return session


def _pass_on(work: Work, unit: str) -> None:
    going = (sessions.c.unit == unit, sessions.c.outcome.is_(None), ~sessions.c.beside)
    for row in work.connection.execute(WITH_KIND.where(*going)).all():
        old = session_of(row)
        stop(work, old)
        work.change(old, state="passed", number=0, notice="", outcome="passed", ended=work.now.wall)
        work.event("passed", old, unit=unit)
