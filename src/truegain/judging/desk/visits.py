"""How long each item was the one before the person's eyes, by the server's clock: one item at a time, visits add up."""

from __future__ import annotations

from sqlalchemy import bindparam, func, insert, select, update

from truegain.judging.desk.clocks import STEP, Moment, elapsed
from truegain.judging.desk.sessions import Session, Work
from truegain.judging.store.schema import visits

_OWN = visits.c.session == bindparam("own")  # statements that every request runs are built once
_BEGIN = insert(visits)
_GOING = select(visits).where(_OWN, visits.c.seconds.is_(None))
_END = update(visits).where(visits.c.id == bindparam("own"))
_SECONDS = select(visits.c.number, func.sum(visits.c.seconds)).where(_OWN).group_by(visits.c.number)


def serve(work: Work, session: Session, number: int) -> None:
    """An item is served: its clock starts, unless it runs already, and any other's stops."""
    if _stop(work, session, keep=number):
        return
    row = {"session": session.id, "number": number, "began": work.now.wall}
    work.connection.execute(_BEGIN, {**row, "steady": work.now.steady, "boot": work.now.boot})
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
        work.connection.execute(_END, {"own": row.id, "ended": work.now.wall, "seconds": spent.seconds})
    return kept


def seconds_of(work: Work, session: Session) -> dict[int, float]:
    """Seconds on each item, over all visits that ended."""
    rows = work.connection.execute(_SECONDS, {"own": session.id}).all()
    return {number: float(seconds or 0) for number, seconds in rows}
