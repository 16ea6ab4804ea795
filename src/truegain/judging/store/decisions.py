"""The decision of a study in its database: the newest alone, with a version that grows each time it changes."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, select, update

from truegain.judging.store.database import insert_new, lock
from truegain.judging.store.schema import settings
from truegain.results.settlement import Settlement

# Names of settings.  Version and most rows stand apart: who waits for a change, and each page, reads a number and not
# hundreds of looks.
VERSION, NEWEST, MOST_ROWS = "decision version", "decision", "decision most rows"


class StoredDecision(NamedTuple):
    """A decision as it was stored; `ended`: when no more labels were wanted, None while they are."""

    version: int
    decision: Settlement
    at: float
    ended: float | None


def store_decision(connection: Connection, decision: Settlement, at: float, *, reopen: bool = False) -> bool:
    """Keep a decision, in the transaction of a connection.

    Parameters
    ----------
    connection : Connection
        Of `Database.write`.
    decision : Settlement
        The newest one.
    at : float
        When it was made, in seconds since 1970.
    reopen : bool, default False
        Whether an open decision may take the place of one that has ended.

    Returns
    -------
    bool
        Whether it was stored.  Not stored is what is there already, and an open decision where one has ended: labels
        that were on their way when it was decided take nothing back.  Nor is an end with fewer labels given than
        the one there: they only grow, so its count is older.

    """
    version = _locked_version(connection)
    before = stored_decision(connection) if version else None
    if before is not None:
        if before.decision == decision or (before.decision.ended and not decision.ended and not reopen):
            return False
        if before.decision.ended and decision.ended and decision.given < before.decision.given:
            return False
        went_on = before.ended if before.decision.ended else None  # it ended when it did, whatever came in since
        ended = (went_on or at) if decision.ended else None
    else:
        ended = at if decision.ended else None
    body = {"at": at, "ended": ended, "decision": msgspec.to_builtins(decision)}
    for name, value in ((NEWEST, body), (MOST_ROWS, decision.most_rows), (VERSION, version + 1)):
        if not insert_new(connection, settings, name=name, value=value):
            connection.execute(update(settings).where(settings.c.name == name).values(value=value))
    return True


def _locked_version(connection: Connection) -> int:
    """The version, which nobody else changes until the transaction ends; 0 where nothing was stored."""
    query = lock(select(settings.c.value).where(settings.c.name == VERSION), of=settings)
    version = connection.execute(query).scalar_one_or_none()
    if version is None:
        insert_new(connection, settings, name=VERSION, value=0)  # of two who come first one waits here
        version = connection.execute(query).scalar_one()
    return int(version)


def decision_version(connection: Connection) -> int:
    """How often the decision has changed; 0 where there is none."""
    query = select(settings.c.value).where(settings.c.name == VERSION)
    return int(connection.execute(query).scalar_one_or_none() or 0)


def most_rows(connection: Connection) -> int | None:
    """Rows after which labels end; None where all rows of the list may be labeled, or nothing was stored."""
    query = select(settings.c.value).where(settings.c.name == MOST_ROWS)
    rows = connection.execute(query).scalar_one_or_none()
    return None if rows is None else int(rows)


def stored_decision(connection: Connection) -> StoredDecision | None:
    """The newest decision, and when it was made; None where there is none."""
    query = select(settings.c.name, settings.c.value).where(settings.c.name.in_((VERSION, NEWEST)))
    stored: dict[str, Any] = {row.name: row.value for row in connection.execute(query).all()}
    if NEWEST not in stored:
        return None
    body = stored[NEWEST]
    return StoredDecision(
        int(stored[VERSION]), msgspec.convert(body["decision"], Settlement), float(body["at"]), body["ended"]
    )
