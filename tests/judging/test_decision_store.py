"""The decision in the database: the newest alone, never lost, never taken back by labels that come late."""

from __future__ import annotations

from functools import partial

import msgspec
from sqlalchemy import Connection, func, select

from tests.judging.deciding import made
from tests.judging.test_claims import at_once
from truegain.judging.store.database import Database
from truegain.judging.store.decisions import (
    NEWEST,
    decision_version,
    store_decision,
    stored_decision,
)
from truegain.judging.store.schema import settings
from truegain.results.settlement import Settlement


def put(database: Database, decision: Settlement, at: float = 1.0, *, reopen: bool = False) -> bool:
    """Store a decision in a transaction of its own."""
    return database.write(lambda c: store_decision(c, decision, at, reopen=reopen))


def newest(connection: Connection) -> tuple[int, Settlement] | None:
    """The newest decision with its version."""
    found = stored_decision(connection)
    return None if found is None else found[:2]


def test_what_is_stored_comes_back(database: Database) -> None:
    """Guards the record: every field as it was, on either database, numbers to the last bit, missing ones missing."""
    assert database.read(newest) is None
    assert database.read(decision_version) == 0
    decision = msgspec.structs.replace(made(90, pairs=3), cost=0.1 + 0.2, agreement=1 / 3, doubled=9, notes=("a → b",))
    assert put(database, decision, 12.5)
    assert database.read(newest) == (1, decision)
    assert database.read(stored_decision) == (1, decision, 12.5, None)
    empty = made(0)
    assert put(database, empty, 13.0)
    assert database.read(newest) == (2, empty)


def test_the_same_twice_does_nothing(database: Database) -> None:
    """Guards listeners: what was stored before wakes nobody, and has the time of its first storing."""
    assert put(database, made(40), 1.0)
    assert not put(database, made(40), 2.0)
    assert database.read(stored_decision) == (1, made(40), 1.0, None)
    assert put(database, made(41), 3.0)
    assert database.read(decision_version) == 2
    count = select(func.count()).select_from(settings).where(settings.c.name == NEWEST)
    assert database.read(lambda c: c.execute(count).scalar_one()) == 1


def test_what_has_ended_stays_ended(database: Database) -> None:
    """Guards the decision: labels that come late may confirm it, not open it; only who means it opens it again."""
    assert put(database, made(100, "better"), 5.0)
    assert not put(database, made(101), 6.0)
    assert database.read(newest) == (1, made(100, "better"))
    assert put(database, made(102, "better"), 7.0)
    assert database.read(stored_decision) == (2, made(102, "better"), 7.0, 5.0), "ended when it first did"
    assert put(database, made(103), 8.0, reopen=True)
    assert database.read(stored_decision) == (3, made(103), 8.0, None)
    assert put(database, made(120, "undecided"), 9.0)
    assert database.read(stored_decision) == (4, made(120, "undecided"), 9.0, 9.0)
    assert not put(database, made(119, "undecided"), 10.0), "an older count"
    assert database.read(stored_decision) == (4, made(120, "undecided"), 9.0, 9.0)


def test_many_writers_at_once(database_url: str) -> None:
    """Guards two servers at one database: every change counts once, from the very first on, and none fails."""
    servers = [Database(database_url), Database(database_url)]
    at_once([partial(put, servers[n % 2], made(10 + n), float(n)) for n in range(20)])
    found = servers[0].read(stored_decision)
    assert found is not None
    assert found.version == 20
    assert found.decision == made(10 + int(found.at))
    for server in servers:
        server.close()
