"""Pausing: no more units are given out, for a reason that people are told."""

from __future__ import annotations

import time
from typing import Literal, get_args

from sqlalchemy import Connection, insert, select, update

from truegain.errors import TruegainError
from truegain.judging.store.database import insert_new
from truegain.judging.store.schema import events, settings

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
