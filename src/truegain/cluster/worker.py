"""What runs on the workers and on the scheduler: functions of this module, which they import by name."""

from __future__ import annotations

import pickle
import platform
import time
from importlib import metadata
from typing import Any, NamedTuple

import numpy as np

from truegain._version import __version__
from truegain.cache import code_digest
from truegain.cluster.travel import work_named
from truegain.errors import TruegainError

LIBRARIES = ("numpy", "scipy", "distributed")


class DonePieces(NamedTuple):
    """Results of some pieces, each as bytes, how long they took, and why the next one failed where it did."""

    results: list[bytes]
    seconds: float
    failure: str | None = None


def load_shared(data: bytes) -> Any:
    """What all pieces of a job need, made of its bytes; can be made again wherever a worker died that held it."""
    return pickle.loads(data)


def do_pieces(
    shared: Any, work: str, pieces: bytes, first: int, seed: int, seconds: float, most: int
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
            found = function(shared, piece, np.random.SeedSequence(seed, spawn_key=(number,)))
            results.append(pickle.dumps(found, protocol=5))
        except TruegainError as error:
            return results, time.perf_counter() - began, str(error)
        except Exception as error:
            return results, time.perf_counter() - began, f"{type(error).__name__}: {error}"
        room -= len(results[-1])
    return results, time.perf_counter() - began, None


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
