"""When no more units are given out, for a reason that people are told, and who is left to label the rest."""

from __future__ import annotations

import math
import time
from typing import Any, Literal, get_args

from sqlalchemy import Connection, exists, func, insert, select, update

from truegain.errors import TruegainError
from truegain.judging.store.database import insert_new
from truegain.judging.store.schema import assessors, events, sessions, settings, units
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.base import DONE

Reason = Literal["organizer", "known", "given-up"]
REASONS: tuple[Reason, ...] = get_args(Reason)
DECIDED: tuple[Reason, ...] = ("known", "given-up")  # no label would change what is said: nobody goes on


def pause(connection: Connection, reason: Reason = "organizer", *, at: float | None = None) -> None:
    """Give out no more units.

    Parameters
    ----------
    connection : Connection
        Of a transaction that writes (`Database.write`).
    reason : {"organizer", "known", "given-up"}
        By the organizer: who is at a unit may finish it.  'known': the question is decided; 'given-up': it is not, and
        no more labels are wanted: a team sees a page that thanks them at once, and a label on its way is stored.
    at : float, optional
        The time, for the audit trail.

    """
    if reason not in REASONS:
        raise TruegainError(f"cannot pause for {reason!r}; give one of {', '.join(map(repr, REASONS))}")
    if _set(connection, reason):
        _event(connection, "paused", at, {} if reason == "organizer" else {"why": reason})


def resume(connection: Connection, *, at: float | None = None) -> None:
    """Give out units again."""
    if _set(connection, False):
        _event(connection, "resumed", at, {})


def pause_reason(connection: Connection) -> Reason | None:
    """Why the study is paused; None where it is not."""
    value = connection.execute(select(settings.c.value).where(settings.c.name == "paused")).scalar()
    if not value:
        return None
    return next((reason for reason in REASONS if reason == value), "organizer")  # earlier versions kept no reason


def _set(connection: Connection, value: str | bool) -> bool:
    """Whether that changes anything."""
    if pause_reason(connection) == (value or None):
        return False
    if not insert_new(connection, settings, name="paused", value=value):
        connection.execute(update(settings).where(settings.c.name == "paused").values(value=value))
    return True


def _event(connection: Connection, kind: str, at: float | None, about: dict[str, str]) -> None:
    row = {"at": time.time() if at is None else at, "session": None, "assessor": None, "kind": kind, "about": about}
    connection.execute(insert(events), row)


def people_left(connection: Connection, study: JudgingStudy) -> float:
    """How many people can label a row: those there are, without excluded and withdrawn ones; at least 1.

    A row that waits for more of them would wait for ever.
    """
    if study.people.number is None:
        return math.inf
    stays = (sessions.c.assessor == assessors.c.id, sessions.c.outcome.is_(None) | (sessions.c.outcome == DONE))
    withdrew = (sessions.c.assessor == assessors.c.id, sessions.c.outcome == "withdrawn")
    left = exists().where(*withdrew) & ~exists().where(*stays)
    there = select(func.count()).select_from(assessors).where(assessors.c.kind == "human")
    gone = there.where(assessors.c.excluded.is_not(None) | left)
    invited, lost = (int(connection.execute(query).scalar_one()) for query in (there, gone))
    return max(1, max(study.people.number, invited) - lost)  # who was invited later stands in for who is gone


def still_wanted(connection: Connection, study: JudgingStudy) -> Any:
    """The condition that a unit is not done, and that somebody can do it: units of a team's row share a place."""
    left = people_left(connection, study)
    if study.team is None or left == math.inf:
        return units.c.state != DONE
    same = units.alias()
    done = select(func.count()).where(same.c.place == units.c.place, same.c.state == DONE).correlate(units)
    return (units.c.state != DONE) & (done.scalar_subquery() < left)
