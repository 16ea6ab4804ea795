"""The labels of a list as people leave them, row by row from its top: what a decision is made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, func, select

from truegain.errors import TruegainError
from truegain.judging.store.database import Database
from truegain.judging.store.schema import answers, assessors, events, sessions, units
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.base import DONE, base_of
from truegain.judging.workflow.pausing import people_left
from truegain.results.settlement import Label

T = TypeVar("T")
FEW = 500  # names in one question to a database


class ListedLabels(NamedTuple):
    """Every row from the top of the list to the last that somebody labeled, and how many of them count.

    `top` rows have all their labels: of each person who is asked, and of others where one could not judge, but of no
    more than there are people who take part.  A row below has what is there, maybe nothing.  `total`: labels that
    people gave in all, "cannot judge" among them, and those that do not count: such as came late, of excluded people,
    and such as were withdrawn.  They were paid for.
    """

    labels: list[Label]
    top: int
    total: int


class ListedRows:
    """The rows of a list in their order, and which of them each unit asks about.

    Units do not change, so who looks again and again keeps this and reads each of them once.

    Parameters
    ----------
    study : JudgingStudy
        Whose units hold one document each, in the order of the list.

    """

    def __init__(self, study: JudgingStudy) -> None:
        if any(len(unit.items) > 1 for unit in study.units):
            raise TruegainError(
                "the units of this study hold more than one document; a list is labeled row by row: set the size of "
                "a unit to 1"
            )
        rows = ((unit.topic, unit.items[0].docs[0]) for unit in study.units if not base_of(unit.id))
        self.rows = list(dict.fromkeys(rows))
        self._places = {row: place for place, row in enumerate(self.rows)}
        self._units: dict[str, tuple[int, bool] | None] = {}

    def places(self, connection: Connection, names: Collection[str]) -> Mapping[str, tuple[int, bool] | None]:
        """The place of each unit's row, and whether it asks others; None: its row is not in the list."""
        if any(name not in self._units for name in names):
            known = self._units
            is_few = len(names) - len(known) < FEW and known
            query = select(units.c.id, units.c.topic, units.c["items"])
            if is_few:
                query = query.where(units.c.id.in_([name for name in names if name not in known]))
            for name, topic, items in connection.execute(query).all():
                place = self._places.get((topic, items[0]["docs"][0]))
                known[name] = None if place is None else (place, bool(base_of(name)))
        return self._units


def labels_of_list(source: Connection | Database, study: JudgingStudy, rows: ListedRows | None = None) -> ListedLabels:
    """The labels of a list that a team, or anybody, judges one document after the other.

    Parameters
    ----------
    source : Connection or Database
        Where they are kept.
    study : JudgingStudy
        Whose units hold one document each, in the order of the list.
    rows : ListedRows, optional
        Of the same study, kept between calls.

    Returns
    -------
    ListedLabels
        People's labels of each row in the order of the list; those of excluded assessors, of models, and such as came
        after the row was given to someone else are left out, and the last revision of each counts.

    """
    known = ListedRows(study) if rows is None else rows
    return _read(source, lambda connection: _labels(connection, study, known))


def _labels(connection: Connection, study: JudgingStudy, known: ListedRows) -> ListedLabels:
    most, left = study.rules.others, people_left(connection, study)
    stored = connection.execute(select(units.c.id, units.c.state)).all()
    states: dict[str, str] = {row.id: row.state for row in stored}
    place_of = known.places(connection, states)
    number = len(known.rows)
    planned, finished, others = [0] * number, [0] * number, [0] * number
    for name, state in states.items():
        if (located := place_of[name]) is not None:
            place, for_others = located
            (others if for_others else planned)[place] += 1
            finished[place] += state == DONE
    labels: dict[int, dict[str, float | None]] = {}
    for session, value, unit in connection.execute(_counted()).all():
        if (located := place_of.get(unit)) is not None and unit in states:
            labels.setdefault(located[0], {})[session] = value  # a later revision comes later
    needed = [min(n + min(most, more), left) for n, more in zip(planned, others, strict=True)]
    top = next((i for i, (n, want) in enumerate(zip(finished, needed, strict=True)) if n < max(1, want)), number)
    last = max(labels, default=-1) + 1
    listed = [Label(*known.rows[place], tuple(labels.get(place, {}).values())) for place in range(last)]
    return ListedLabels(listed, min(top, last), int(connection.execute(_given()).scalar_one()))


def _given() -> Any:
    """How many labels people gave: sessions with an answer, which the audit trail has of erased ones, too."""
    people = (assessors.c.kind == "human", ~sessions.c.beside, events.c.kind.in_(("answered", "late")))
    query = select(func.count(events.c.session.distinct())).join(sessions, sessions.c.id == events.c.session)
    return query.join(assessors, assessors.c.id == sessions.c.assessor).where(*people)


def _counted() -> Any:
    """People's answers of finished units, oldest first."""
    columns = (answers.c.session, answers.c.value, sessions.c.unit)
    query = select(*columns).join(sessions, sessions.c.id == answers.c.session)
    query = query.join(assessors, assessors.c.id == sessions.c.assessor)
    people = (assessors.c.kind == "human", assessors.c.excluded.is_(None), ~sessions.c.beside)
    counted = (sessions.c.outcome == DONE, answers.c.kind == "item", ~answers.c.late)
    return query.where(*people, *counted).order_by(answers.c.id)


def labels_version(source: Connection | Database) -> tuple[int, ...]:
    """Changes whenever the labels do: a label was stored or corrected, or somebody's no longer count.

    Costs a look at the ends of indexes, so that it can be asked for often.
    """
    stored = select(func.count(answers.c.id)).scalar_subquery()  # ids are given before they are committed: count them
    newest = select(func.max(answers.c.id)).scalar_subquery()
    gone = select(func.count()).where(sessions.c.outcome == "withdrawn").scalar_subquery()
    excluded = select(func.count()).where(assessors.c.excluded.is_not(None)).scalar_subquery()
    row = _read(source, lambda connection: connection.execute(select(stored, newest, gone, excluded)).one())
    return tuple(int(x or 0) for x in row)


def _read(source: Connection | Database, work: Callable[[Connection], T]) -> T:
    return source.read(work) if isinstance(source, Database) else work(source)
