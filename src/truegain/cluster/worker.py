"""What runs on the workers and on the scheduler: functions of this module, which they import by name."""

from __future__ import annotations

import pickle
import platform
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import metadata
from typing import Any, NamedTuple, TextIO

import numpy as np

from truegain import stored
from truegain._version import __version__
from truegain.cache import code_digest
from truegain.cluster.travel import work_named
from truegain.errors import DataWarning, TruegainError
from truegain.message import with_marks

LIBRARIES = ("numpy", "scipy", "distributed")


class DonePieces(NamedTuple):
    """Results of some pieces, each as bytes with its warnings; seconds; and why the next piece failed, if it did."""

    results: list[bytes]
    seconds: float
    failure: str | None = None


class Shared:
    """What all pieces of a job need; it goes from worker to worker as the bytes that plain pickle makes of it.

    Dask would send arrays by themselves, and they would lie where they fall in its messages.  Products of arrays that
    are not aligned have another order of adding, hence other bits.

    >>> pickle.loads(pickle.dumps(Shared([1, 2]), protocol=5)).value
    [1, 2]
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        return load_shared, (pickle.dumps(self.value, protocol=5),)


def load_shared(data: bytes) -> Shared:
    """What all pieces of a job need, made of its bytes; can be made again wherever a worker died that held it."""
    return Shared(pickle.loads(data))


def do_pieces(
    shared: Shared, work: str, pieces: bytes, first: int, seed: int, seconds: float, most: int
) -> tuple[list[bytes], float, str | None]:
    """Do pieces of a job, the first of which has a number, until all are done, or time or room for results is up.

    At least one is done.  Each has the seed that its number gives, as in `Local`.
    """
    function, began, room = work_named(work), time.perf_counter(), most
    results: list[bytes] = []
    for number, piece in enumerate(pickle.loads(pieces), first):
        if results and (room <= 0 or time.perf_counter() - began > seconds):
            break
        try:
            told: list[str] = []
            with listening(told):
                found = function(shared.value, piece, np.random.SeedSequence(seed, spawn_key=(number,)))
            results.append(stored.packed((found, told)))
        except TruegainError as error:
            return results, time.perf_counter() - began, with_marks(error)
        except Exception as error:
            return results, time.perf_counter() - began, f"{type(error).__name__}: {error}"
        room -= len(results[-1])
    return results, time.perf_counter() - began, None


_told: ContextVar[list[str] | None] = ContextVar("_told", default=None)
_usual = warnings.showwarning


def _show(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """List a warning about data for who asked for the piece; all others as usual."""
    told = _told.get()
    if told is None or not isinstance(message, DataWarning):
        _usual(message, category, filename, lineno, file, line)
    elif message.message not in told:
        told.append(message.message)


@contextmanager
def listening(told: list[str]) -> Iterator[None]:
    """List what is warned of meanwhile in this thread, each once; other threads have their own lists.

    `warnings.catch_warnings` is for all threads at a time, so that what shows warnings stays once it is there.
    """
    if warnings.showwarning is not _show:
        warnings.showwarning = _show
        warnings.simplefilter("always", DataWarning)
    before = _told.set(told)
    try:
        yield
    finally:
        _told.reset(before)


def versions() -> dict[str, str]:
    """What decides about the bits of a result, or about who understands whom."""
    files = code_digest((".py",))[:12]
    found = {"python": platform.python_version(), "truegain": __version__, "truegain's files": files}
    for library in LIBRARIES:
        try:
            found[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            found[library] = "none"
    return found


def bear_deaths(times: int, dask_scheduler: Any = None) -> int:
    """Have a scheduler blame a task only after so many deaths of the workers that were at it."""
    dask_scheduler.allowed_failures = max(times, dask_scheduler.allowed_failures)
    return int(dask_scheduler.allowed_failures)
