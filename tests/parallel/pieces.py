"""Pieces of work that the tests of engines hand out; workers import them from here."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

from truegain.errors import TruegainError, warn


def draw(shared: float, piece: int, seed: np.random.SeedSequence) -> float:
    """A piece of random work."""
    return shared + piece + float(np.random.default_rng(seed).random())


def fail(shared: object, piece: int, seed: np.random.SeedSequence) -> int:
    """A piece that cannot be done."""
    if piece == 3:
        raise ValueError("no documents")
    return piece


def refuse(shared: object, piece: int, seed: np.random.SeedSequence) -> int:
    """A piece that the user must mend."""
    raise TruegainError("no relevant document")


def die_at_first(shared: str, piece: int, seed: np.random.SeedSequence) -> int:
    """Piece 3 kills its worker the first time that it is tried."""
    mark = Path(shared) / f"{piece}"
    if piece == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return piece * piece


def die(shared: object, piece: int, seed: np.random.SeedSequence) -> int:
    """A piece that kills every worker that tries it."""
    os.kill(os.getpid(), signal.SIGKILL)
    return piece


def noted(shared: tuple[str, float], piece: int, seed: np.random.SeedSequence) -> float:
    """A piece that takes some time, and leaves a line behind when it is done; every second one warns."""
    folder, seconds = shared
    time.sleep(seconds)
    if piece % 2:
        warn("odd pieces are suspicious")
    with (Path(folder) / "done").open("a") as stream:
        stream.write(f"{piece}\n")
    return float(np.random.default_rng(seed).random())


def blame_at_once(dask_scheduler: Any = None) -> None:
    """Have a scheduler hold a task to be the cause of the first death."""
    dask_scheduler.allowed_failures = 0


def memory_limit(dask_worker: Any = None) -> int | None:
    """The bytes of memory at which a worker is held to be full; None: there is no such number."""
    limit: int | None = dask_worker.memory_manager.memory_limit
    return limit


def is_aligned(shared: tuple[np.ndarray, ...], piece: int, seed: np.random.SeedSequence) -> tuple[int, list[bool]]:
    """Which worker does a piece, and whether the arrays that it was given lie as those of numpy do."""
    time.sleep(0.05)
    return os.getpid(), [bool(array.flags.aligned) for array in shared]
