"""Assignment: the units of a study in its database, and who holds which.

Who comes holds nothing: a unit is taken when the topic is to be shown, after consent and practice.  Who is through
with both takes one more set at once.  A lease that runs out makes a unit free again.
"""

from __future__ import annotations

import hashlib
import json
import math
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from sqlalchemy import Connection, Select, and_, exists, func, insert, or_, select, text, update

from truegain.errors import InputError, some
from truegain.judging.store.database import guard, insert_new, lock
from truegain.judging.store.schema import assessors, events, sessions, settings, units
from truegain.judging.study.study import JudgingStudy, Words
from truegain.judging.tasks.base import DONE, Item, Unit, base_of, unit_of
from truegain.judging.workflow.pausing import pause_reason
from truegain.judging.workflow.sessions import (
    WITH_KIND,
    Session,
    Work,
    expired,
    is_expired,
    load,
    overdue,
    session_of,
    stop,
)
from truegain.judging.workflow.steps import UNCLAIMED, PageStep, StepName, draw_plan
from truegain.judging.workflow.tokens import new_token


def open_study(connection: Connection, study: JudgingStudy, at: float) -> bytes:
    """Put the units of a study into its database, and give back the secret that codes and signatures come from.

    Units may be added later, at the end; one that is there must be the same, or its judgments would be of something
    else.
    """
    guard(connection)
    insert_new(connection, settings, name="secret", value=secrets.token_hex(32))
    _add(connection, study)
    stored_digest = _setting(connection, "digest")
    if stored_digest != study.digest:
        if stored_digest is None:
            connection.execute(insert(settings).values(name="digest", value=study.digest))
        else:
            connection.execute(update(settings).where(settings.c.name == "digest").values(value=study.digest))
        about = {"name": study.name, "digest": study.digest, "before": stored_digest}
        connection.execute(insert(events).values(at=at, kind="study", about=about))
    return bytes.fromhex(_setting(connection, "secret"))


def _setting(connection: Connection, name: str) -> Any:
    return connection.execute(select(settings.c.value).where(settings.c.name == name)).scalar()


def _add(connection: Connection, study: JudgingStudy) -> None:
    rows = {row.id: row for row in connection.execute(select(units)).all()}
    ids = {unit.id for unit in study.units}
    if gone := sorted(name for name in set(rows) - ids if base_of(name) not in ids):
        _refuse(study, f"units in the database are missing from the study: {some(gone)}")
    changed = [unit.id for unit in study.units if unit.id in rows and not _same(rows[unit.id], unit)]
    if changed:
        _refuse(study, f"units have changed: {some(changed)}")
    place = max((row.place for row in rows.values()), default=-1) + 1
    new = [unit for unit in study.units if unit.id not in rows]
    if new and study.team is not None:
        connection.execute(insert(units), _rows_of_list(new, rows.values(), place))
    elif new:
        connection.execute(insert(units), [unit_row(unit, place + i) for i, unit in enumerate(new)])


def _rows_of_list(new: Iterable[Unit], rows: Iterable[Any], place: int) -> list[dict[str, Any]]:
    """Units of a team: `place` is that of the row in the list, which all who are asked about it share."""
    places = {row_of(unit_of(row._asdict())): row.place for row in rows}
    made = []
    for unit in new:
        if row_of(unit) not in places:
            places[row_of(unit)] = place
            place += 1
        made.append(unit_row(unit, places[row_of(unit)]))
    return made


def row_of(unit: Unit) -> tuple[str, str]:
    """The row of the list that a team's unit asks about."""
    return unit.topic, unit.items[0].key


def _refuse(study: JudgingStudy, problem: str) -> None:
    hint = "a study cannot change once judging has begun: restore it, or use another database"
    raise InputError(problem, file=study.name, hint=hint)


def _same(row: Any, unit: Unit) -> bool:
    new = unit_row(unit, row.place)
    return all(getattr(row, name) == new[name] for name in ("topic", "high", "low", "items"))


def unit_row(unit: Unit, place: int) -> dict[str, Any]:
    """A unit as the database keeps it, free."""
    items = json.loads(json.dumps([item_row(item) for item in unit.items]))  # as the database gives it back
    row = {"id": unit.id, "topic": unit.topic, "place": place, "items": items, "high": unit.high, "low": unit.low}
    return {**row, "state": "free", "session": None}


def item_row(item: Item) -> dict[str, Any]:
    """An item as the database keeps it."""
    reason = {"chosen": item.chosen} if item.chosen else {}
    return {
        "docs": list(item.docs),
        "probability": item.probability,
        "claim": item.claim,
        "answer": item.answer,
        **reason,
    }


# ---------------------------------------------------------------------- claims and leases


FREE, HELD = "free", "held"
CONSENT_EVENTS = ("consented", "declined", "withdrawn", "left")  # events that tell whether a person takes part
# a unit was taken: until then a session's turn is its own id, and what it began with is nobody's unless practice failed
HAD = (sessions.c.turn != sessions.c.id) | (sessions.c.state == "screened")


def going_on(work: Work, assessor: str) -> Session | None:
    """The unit that a person is at, locked; None where there is none."""
    query = select(sessions.c.token).where(sessions.c.assessor == assessor, sessions.c.outcome.is_(None))
    token = work.connection.execute(query).scalar_one_or_none()
    if token is None:
        return None
    session = load(work.connection, token)
    return session if session.outcome is None else None  # it was passed on a moment ago


def hold(work: Work, session: Session, *, anew: bool = True) -> Session:
    """Take a unit whose lease ran out up again: nobody else took it, or the session would have ended.

    Where others at the same address hold as many as it may, it stays as it is.  anew: pages of before do not count.
    """
    if not session.beside:
        if not has_room(work, session, session.origin):
            return session
        work.connection.execute(update(units).where(units.c.id == session.unit).values(state=HELD, session=session.id))
        session = replace(session, holder=session.id)
    work.event("renewed", session)
    is_new = anew and work.study.team is None  # a team's row has one page, and its label counts while the row is theirs
    key = {"lease_key": secrets.token_hex(16)} if is_new else {}
    return work.change(session, **work.leased(session.step), **key)


def lapsed(work: Work, session: Session) -> bool:
    """Whether the lease of a session that goes on is over, or its unit was given free; not where it has none yet."""
    if session.is_unclaimed:
        return False
    return expired(session, work.now) or (not session.beside and session.holder != session.id)


def is_slow_start(work: Work, session: Session) -> bool:
    """Whether only the short lease is over that a person has until an item is judged, and nobody took the unit."""
    is_first = session.outcome is None and not work.renewed(session.step) and not session.is_unclaimed
    is_team = work.study.team is not None  # whose leases are short, so that others go on; until then nothing is lost
    longer = math.inf if is_team else work.study.rules.lease - work.lease_at(session.step)
    return is_first and session.holder == session.id and 0 < overdue(session, work.now) <= longer


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


def begin(work: Work, assessor: str, kind: str, about: Mapping[str, str], origin: str) -> Session | None:
    """Begin a person's way: there is a unit for them, which is theirs when they come to its topic; None: there is none.

    A model begins with its unit, the one that the fewest models had, whoever else has it: places are people's.
    """
    if kind == "model":
        row = work.connection.execute(lock(_least_beside(work, assessor), of=units)).first()
    else:
        candidates = (work.connection.execute(query).first() for query in _offered(work, assessor))
        row = next((row for row in candidates if row is not None), None)
    return _begin(work, assessor, kind, about, origin, row.id) if row else None


def take(work: Work, session: Session) -> Session:
    """Give a person who is through with consent and practice the next unit, and lead to its topic.

    Where that cannot be they wait, with all that they did, at a page that says why; looking again asks again.
    """
    if not has_consented(work, session.assessor, session.id):  # who took an earlier set back is asked again
        return work.change(session, state="consent", number=0, notice="", saved=0)
    unit, why = _claim(work, session)
    if unit is None:
        if session.state == why:
            return session
        work.event("waits", session, why=why)
        return work.change(session, state=why, number=0, notice="", saved=0)
    team, study_data = work.study.team, work.unit(unit)
    step = PageStep("topic") if team is None or team.topic_page else PageStep("doc", 1)
    plan = dict(session.plan)
    if unit != session.unit:
        plan = draw_plan(study_data, work.study.topics[study_data.topic].question, work.random)
        plan["lines"] = session.plan["lines"]
    _pass_on(work, unit)
    work.connection.execute(update(units).where(units.c.id == unit).values(state=HELD, session=session.id))
    values = {**_assigned(work, study_data), "plan": plan, "notice": "", "saved": 0}
    session = work.change(session, **values, state=step.name, number=step.number, **work.leased(step))
    work.event("claimed", session, unit=unit, topic=study_data.topic, order=plan["order"])
    return replace(session, holder=session.id)


def has_consented(work: Work, assessor: str, now: str = "") -> bool:
    """Whether a person consented to the study as it is worded, came through its practice, and stays with it.

    What they said last counts: who declined, left, or took a set back is asked again.  now: the session that they are
    in, whose practice is behind them.
    """
    own = select(sessions.c.id).where(sessions.c.assessor == assessor)
    answers_to_consent = select(events.c.session, events.c.kind, events.c.about).where(events.c.session.in_(own))
    latest = answers_to_consent.where(events.c.kind.in_(CONSENT_EVENTS)).order_by(events.c.id.desc()).limit(1)
    last = work.connection.execute(latest).first()
    if last is None or last.kind != CONSENT_EVENTS[0]:
        return False
    if last.session == now:
        return True
    if last.about.get("terms") != terms_of(work.study.words):
        return False
    if work.study.team is not None:  # which has no practice
        return True
    through = select(sessions.c.id).where(sessions.c.id == last.session, sessions.c.turn != sessions.c.id)
    return work.connection.execute(through).first() is not None


def terms_of(words: Words) -> str:
    """What a person consents to, in short: who reworded it asks again."""
    terms = {field.name: getattr(words, field.name) for field in fields(words)}
    text = json.dumps(terms, sort_keys=True, default=lambda x: dict(x) if isinstance(x, Mapping) else str(x))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def go_on(work: Work, session: Session, before: Session) -> Session:
    """Give who consented in an earlier set the next unit at once; of the topic that they had just now at its item."""
    work.event("goes_on", session, before=before.id)
    session = take(work, session)
    is_known = before.outcome == DONE and before.topic == session.topic
    if session.state != "topic" or not is_known or before.plan.get("question") != session.plan["question"]:
        return session
    return work.change(session, state="doc", number=1)  # the lease is that of its first item


def _claim(work: Work, session: Session) -> tuple[str | None, StepName]:
    """A unit, locked, that a person may have (see `_unseen`): a free one, else one whose lease ran out.

    Units that others are claiming at this moment are passed over; only where no other is left do we wait for them.
    """
    person = select(assessors.c.excluded).where(assessors.c.id == session.assessor)
    if work.connection.execute(person).scalar_one() is not None:
        return None, "none"
    if is_paused(work):
        return None, "paused"
    if not has_room(work, session, session.origin):
        return None, "crowded"
    for query in _offered(work, session.assessor):
        for skip in (True, False):
            passed_over: list[str] = []
            while True:
                allowed = query.where(units.c.id.not_in(passed_over)) if passed_over else query
                row = work.connection.execute(lock(allowed, of=units, skip=skip)).first()
                if row is None:
                    break
                is_new = base_of(row.id) and row.id in _barred(work, session.assessor)  # made meanwhile
                if _still(work, row.id) and not is_new:
                    return row.id, "topic"
                passed_over.append(row.id)
    return None, "none"


def has_room(work: Work, session: Session, origin: str | None) -> bool:
    """Whether a person's unit may be held from an address beside those of others; counted by one transaction at a time.

    A transaction asks of one address alone: two that lock two addresses each would wait for one another.
    """
    if not work.per_address or not origin:
        return True
    if work.connection.dialect.name == "postgresql":
        at = text("SELECT pg_advisory_xact_lock(hashtextextended(:origin, 0))")
        work.connection.execute(at, {"origin": origin})
    same = (sessions.c.origin == origin, sessions.c.outcome.is_(None), ~sessions.c.beside)
    others = select(func.count()).where(*same, sessions.c.state.not_in(UNCLAIMED), ~is_expired(work.now))
    return int(work.connection.execute(others.where(sessions.c.id != session.id)).scalar_one()) < work.per_address


def is_paused(work: Work) -> bool:
    """Whether no more units are given out for now."""
    return pause_reason(work.connection) is not None


def is_free(work: Work, assessor: str) -> bool:
    """Whether a unit could be claimed."""
    return any(work.connection.execute(query).first() is not None for query in _offered(work, assessor))


def first_offered(work: Work, assessor: str) -> str | None:
    """The unit that a person would be given next."""
    rows = (work.connection.execute(query).first() for query in _offered(work, assessor))
    return next((row.id for row in rows if row is not None), None)


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
    before = (sessions.c.assessor == assessor, sessions.c.topic == units.c.topic, HAD)
    had = select(sessions.c.topic).where(*before)
    if most == 1:
        query = query.where(~exists(had.correlate(units)))
    else:
        barred = _barred(work, assessor)
        own = (sessions.c.assessor == assessor, HAD)  # asked once, not of each unit
        screened = select(sessions.c.topic).where(*own, sessions.c.outcome == "screened")
        query = query.where(units.c.topic.not_in(screened))
        query = query.where(units.c.id.not_in(select(sessions.c.unit).where(*own)))
        if most is not None:
            counted = select(func.count()).where(*before)
            query = query.where(counted.correlate(units).scalar_subquery() < most)
        query = query.where(units.c.id.not_in(sorted(barred))) if barred else query
    return query.order_by(units.c.place, units.c.id).limit(1)


def _barred(work: Work, assessor: str) -> set[str]:
    """Units with an item that a person has had in another one."""
    query = select(sessions.c.unit).where(sessions.c.assessor == assessor, HAD)
    had = [work.unit(name) for name in work.connection.execute(query).scalars()]
    seen = {(unit.topic, item.key) for unit in had for item in unit.judged_items}
    barred = {name for key in seen for name in work.study.holding.get(key, ())}
    more = map(work.unit, (row.id for row in units_for_others(work))) if work.study.rules.others else ()
    barred |= {unit.id for unit in more if any((unit.topic, item.key) in seen for item in unit.judged_items)}
    return barred - {unit.id for unit in had}


def _offered(work: Work, assessor: str) -> Iterator[Select[Any]]:
    """What a person may have: units that are free, then those whose lease ran out.

    A team takes both in the order of the list, of which only the unbroken top counts.
    """
    free = units.c.state == FREE
    holders = select(sessions.c.id).where(sessions.c.outcome.is_(None), is_expired(work.now))
    is_lapsed = and_(units.c.state == HELD, units.c.session.in_(holders))
    for wanted in (or_(free, is_lapsed),) if work.study.team is not None else (free, is_lapsed):
        yield _unseen(work, select(units.c.id).where(wanted), assessor)


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


def _assigned(work: Work, unit: Unit) -> dict[str, Any]:
    """Values of a session that is given a unit; `turn` is what nobody has twice."""
    turn = unit.topic if work.study.people.most_of_topic == 1 else unit.id
    return {"unit": unit.id, "topic": unit.topic, "turn": turn}


def _begin(work: Work, assessor: str, kind: str, about: Mapping[str, str], origin: str, unit: str) -> Session:
    """Begin the way through a unit: a model's at its first item, a person's at consent, and nobody's place is taken."""
    study_data = work.unit(unit)
    is_model = kind == "model"
    step = PageStep("doc", 1) if is_model else PageStep("consent")
    own = secrets.token_hex(12)
    values = _assigned(work, study_data) if is_model else {"unit": unit, "topic": study_data.topic, "turn": own}
    row = {
        "id": own,
        "token": new_token(),
        "assessor": assessor,
        **values,
        "about": dict(about),
        "state": step.name,
        "number": step.number,
        "plan": draw_plan(study_data, work.study.topics[study_data.topic].question, work.random),
        "tries": {},
        "flags": [],
        "began": work.now.wall,
        "notice": "",
        "saved": 0,
        "lease_key": secrets.token_hex(16),
        "beside": is_model,
        "origin": origin or None,
        **work.leased(step),
    }
    work.connection.execute(insert(sessions).values(**row))
    session = session_of(work.connection.execute(WITH_KIND.where(sessions.c.id == row["id"])).one())
    if is_model:
        work.event("claimed", session, unit=unit, topic=study_data.topic, order=session.plan["order"])
    else:
        work.event("began", session)
    return session


def _pass_on(work: Work, unit: str) -> None:
    going = (sessions.c.unit == unit, sessions.c.outcome.is_(None), ~sessions.c.beside)
    for row in work.connection.execute(WITH_KIND.where(*going, sessions.c.state.not_in(UNCLAIMED))).all():
        old = session_of(row)
        stop(work, old)
        again = {"turn": old.id} if work.study.team is not None else {}  # who gave no label may be asked another time
        work.change(old, state="passed", number=0, notice="", outcome="passed", ended=work.now.wall, **again)
        work.event("passed", old, unit=unit)
