"""What was collected, as plain rows: units, sessions, assessors and answers of one state of the database."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from truegain.errors import InputError
from truegain.judging.tasks.material import Unit, unit_of

Row = Mapping[str, Any]
T = TypeVar("T")
DONE = "done"
ERASED = "withdrawn"  # what was written is gone, only the fact is kept


class Readable(Protocol):
    """A database that runs a function which only reads, on one state of it."""

    def read(self, work: Callable[[Any], T]) -> T:
        """What the function returns."""
        ...


@dataclass(frozen=True)
class Collected:
    """Rows of a study's tables, under the names of their columns."""

    units: Sequence[Row]
    sessions: Sequence[Row]
    assessors: Sequence[Row]
    answers: Sequence[Row]  # on items, all revisions
    backs: Sequence[Row] = ()  # sessions in which the back button was used, and how often

    def ratings(self) -> list[dict[str, Any]]:
        """The last revision of every answer, with what is known of its session and assessor, in a lasting order.

        session, unit, topic, outcome, flags; assessor, kind, excluded; number (the place in which the item was shown,
        from 1), item (its place in the unit, from 0), value (None: cannot judge), typed, reason, cannot, note, seconds,
        late, revision, at; backs and sent_back of the session: how often the back button was used, and how often the
        set was sent and not accepted.  Of a session that was withdrawn there are none.
        """
        sessions = {row["id"]: row for row in self.sessions if row["outcome"] != ERASED}
        people = {row["id"]: row for row in self.assessors}
        last: dict[tuple[str, int], Row] = {}
        for row in self.answers:
            key = (row["session"], row["number"])
            if row["session"] in sessions and (key not in last or row["revision"] > last[key]["revision"]):
                last[key] = row
        backs = {row["session"]: row["times"] for row in self.backs}
        found = [
            {**_joined(row, sessions[session], people), "backs": backs.get(session, 0)}
            for (session, _), row in last.items()
        ]
        places = {row["id"]: row["place"] for row in self.units}
        return sorted(found, key=lambda r: (places.get(r["unit"], 0), r["unit"], r["session"], r["number"]))


def sent_back(session: Row) -> int:
    """How often a set was sent and not accepted."""
    tries = int((session["tries"] or {}).get("checks", 0))
    return tries - (session["outcome"] == DONE) if tries else 0


def _joined(answer: Row, session: Row, people: Mapping[str, Row]) -> dict[str, Any]:
    order, number = session["plan"]["order"], answer["number"]
    if not 1 <= number <= len(order):
        raise InputError(
            f"session {session['id']} has an answer to item {number} of {len(order)}",
            hint="the database was changed by hand; take a backup",
        )
    person = people[session["assessor"]]
    kept = ("number", "typed", "reason", "cannot", "note", "seconds", "late", "revision", "at")
    value = answer["value"]
    return {
        "session": session["id"], "unit": session["unit"], "topic": session["topic"], "outcome": session["outcome"],
        "flags": tuple(session["flags"]), "assessor": person["id"], "kind": person["kind"],
        "excluded": person["excluded"], "item": order[number - 1], "sent_back": sent_back(session),
        "value": None if value is None or math.isnan(value) else value, **{name: answer[name] for name in kept},
    }  # fmt: skip


def collected(database: Readable) -> Collected:
    """All that was collected so far."""
    from sqlalchemy import func, select

    from truegain.judging.store import schema

    def work(connection: Any) -> Collected:
        def rows(query: Any) -> list[dict[str, Any]]:
            return [dict(row) for row in connection.execute(query).mappings()]

        given = schema.units.c
        answers = select(schema.answers).where(schema.answers.c.kind == "item").order_by(schema.answers.c.id)
        units = rows(select(schema.units).order_by(given.place, given.id))
        sessions, assessors = (rows(select(t).order_by(t.c.id)) for t in (schema.sessions, schema.assessors))
        pressed = schema.events.c
        backs = select(pressed.session, func.count().label("times")).where(pressed.kind == "back")
        return Collected(units, sessions, assessors, rows(answers), rows(backs.group_by(pressed.session)))

    return database.read(work)


def units_given_out(database: Readable) -> tuple[Unit, ...]:
    """The units as they were given out; the study's files may say otherwise by now."""
    from sqlalchemy import select

    from truegain.judging.store import schema

    query = select(schema.units).order_by(schema.units.c.place, schema.units.c.id)
    return database.read(lambda connection: tuple(unit_of(row) for row in connection.execute(query).mappings()))


def audit(database: Readable) -> list[dict[str, Any]]:
    """The audit trail, oldest event first; tokens, codes and the platform's ids are in none of them."""
    from sqlalchemy import select

    from truegain.judging.store import schema

    query = select(schema.events).order_by(schema.events.c.id)
    return database.read(lambda connection: [dict(row) for row in connection.execute(query).mappings()])
