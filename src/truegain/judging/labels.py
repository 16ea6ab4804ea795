"""The labels of a list as people leave them, row by row from its top: what a decision is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, func, select

from truegain.errors import TruegainError
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, assessors, sessions, units
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.base import base_of
from truegain.results.settlement import Label

T = TypeVar("T")
DONE = "done"


class ListedLabels(NamedTuple):
    """Every row from the top of the list to the last that somebody labeled, and how many of them count.

    `top` rows have all their labels: of each person who is asked, and of others where one could not judge.  A row below
    has what is there, maybe nothing.  `given`: labels in all, "cannot judge" among them.
    """

    labels: list[Label]
    top: int
    given: int


def labels_of_list(source: Connection | Database, study: JudgingStudy) -> ListedLabels:
    """The labels of a list that a team, or anybody, judges one document after the other.

    Parameters
    ----------
    source : Connection or Database
        Where they are kept.
    study : JudgingStudy
        Whose units hold one document each, in the order of the list.

    Returns
    -------
    ListedLabels
        People's labels of each row in the order of the list; those of excluded assessors, of models, and such as came
        after the row was given to someone else are left out, and the last revision of each counts.

    """
    return _read(source, lambda connection: _labels(connection, study))


def _labels(connection: Connection, study: JudgingStudy) -> ListedLabels:
    if any(len(unit.items) > 1 for unit in study.units):
        raise TruegainError("the units of this study hold more than one document; a list is labeled row by row")
    places: dict[tuple[str, str], int] = {}
    for unit in study.units:
        if not base_of(unit.id):
            places.setdefault((unit.topic, unit.items[0].docs[0]), len(places))
    rows: dict[str, tuple[str, str]] = {}
    asked, finished = [0] * len(places), [0] * len(places)
    others = [0] * len(places)
    stored = select(units.c.id, units.c.topic, units.c["items"], units.c.state)
    for name, topic, items, state in connection.execute(stored).all():
        row = (topic, items[0]["docs"][0])
        if row in places:
            rows[name] = row
            (others if base_of(name) else asked)[places[row]] += 1
            finished[places[row]] += state == DONE
    given: dict[tuple[str, str], dict[str, float | None]] = {row: {} for row in places}
    for answer in connection.execute(_counted()).all():
        if answer.unit in rows:
            given[rows[answer.unit]][answer.session] = answer.value  # a later revision comes later
    most = study.rules.others
    needed = [n + min(most, more) for n, more in zip(asked, others, strict=True)]
    top = next((i for i, (n, want) in enumerate(zip(finished, needed, strict=True)) if n < max(1, want)), len(places))
    listed = [Label(topic, doc, tuple(given[topic, doc].values())) for topic, doc in places]
    last = max((i for i, label in enumerate(listed, 1) if label.labels), default=0)
    return ListedLabels(listed[:last], min(top, last), sum(len(label.labels) for label in listed))


def _counted() -> Any:
    """People's answers of finished units, oldest first."""
    columns = (answers.c.session, answers.c.value, sessions.c.unit)
    query = select(*columns).join(sessions, sessions.c.id == answers.c.session)
    query = query.join(assessors, assessors.c.id == sessions.c.assessor)
    people = (assessors.c.kind == "human", assessors.c.excluded.is_(None), ~sessions.c.beside)
    counted = (sessions.c.outcome == DONE, answers.c.kind == "item", ~answers.c.late)
    return query.where(*people, *counted).order_by(answers.c.id)


def labels_version(source: Connection | Database) -> tuple[int, int]:
    """Changes whenever the labels do: a label was stored or corrected, or somebody's no longer count.

    Costs a look at the ends of indexes, so that it can be asked for often.
    """
    newest = select(func.max(answers.c.id)).scalar_subquery()
    gone = select(func.count()).where(sessions.c.outcome == "withdrawn").scalar_subquery()
    excluded = select(func.count()).where(assessors.c.excluded.is_not(None)).scalar_subquery()
    row = _read(source, lambda connection: connection.execute(select(newest, gone, excluded)).one())
    return int(row[0] or 0), int(row[1]) * 1_000_000 + int(row[2])


def _read(source: Connection | Database, work: Callable[[Connection], T]) -> T:
    return source.read(work) if isinstance(source, Database) else work(source)
