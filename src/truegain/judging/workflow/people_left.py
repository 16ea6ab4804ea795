"""Who is left to label the rows of a list, when some are excluded or have withdrawn."""

from __future__ import annotations

import math
from typing import Any

from sqlalchemy import Connection, exists, func, select

from truegain.judging.store.schema import assessors, sessions, units
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.base import DONE


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
