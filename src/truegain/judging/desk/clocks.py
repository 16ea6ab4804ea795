"""Time by the server's clocks: the one on the wall, which may be set, and one that only goes on."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, or_

from truegain.judging.store.schema import sessions

BOOT = Path("/proc/sys/kernel/random/boot_id")
STEP = 5.0  # seconds by which two clocks may come apart before we say that one was set
WALL = "wall"  # stands for the start of the machine where the clock on the wall is the only one


class Moment(NamedTuple):
    """Now: by the clock on the wall, by the steady one, and the start of the machine since which that one runs."""

    wall: float
    steady: float
    boot: str


class Clock:
    """Tells the moment.  A clock of one's own (a test's) is taken as it is, unless a steady one comes with it."""

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] | None = None) -> None:
        self._wall = wall
        self._steady = time.monotonic if steady is None and wall is time.time else steady
        self._boot = _boot() if self._steady else WALL

    def now(self) -> Moment:
        """The moment."""
        wall = float(self._wall())
        return Moment(wall, float(self._steady()) if self._steady else wall, self._boot)


class Elapsed(NamedTuple):
    """Seconds between two moments, never below 0, and by how much the clock on the wall was set meanwhile."""

    seconds: float
    step: float


def elapsed(began: Moment, now: Moment) -> Elapsed:
    """How long ago a moment was: by the steady clock, unless the machine was started anew since.

    >>> elapsed(Moment(1000, 50, "a"), Moment(1000 - 86400 + 30, 80, "a"))
    Elapsed(seconds=30, step=-86400)
    >>> elapsed(Moment(1000, 1000, "wall"), Moment(400, 400, "wall"))
    Elapsed(seconds=0.0, step=-600)
    """
    wall, steady = now.wall - began.wall, now.steady - began.steady
    if began.boot != now.boot or now.boot == WALL:
        return Elapsed(max(0.0, wall), min(0.0, wall))
    return Elapsed(max(0.0, steady), wall - steady)


def expired(row: Any, now: Moment) -> bool:
    """Whether the lease of a session is over."""
    return overdue(row, now) > 0


def overdue(row: Any, now: Moment) -> float:
    """Seconds since the lease of a session is over; below 0 where it is not."""
    return float(now.steady - row.steady if row.boot == now.boot else now.wall - row.lease)


def is_expired(now: Moment) -> ColumnElement[bool]:
    """The same as a condition on sessions."""
    here = sessions.c.boot == now.boot
    return or_(and_(here, sessions.c.steady < now.steady), and_(~here, sessions.c.lease < now.wall))


def _boot() -> str:
    try:
        return BOOT.read_text().strip()
    except OSError:
        return uuid.uuid4().hex  # of this process: across processes the clock on the wall must do
