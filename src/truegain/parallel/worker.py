"""What travels to a Dask cluster, and what runs on its workers and on the scheduler."""

from __future__ import annotations

import hashlib
import importlib
import pickle
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import metadata
from typing import Any, NamedTuple, TextIO, get_type_hints

import numpy as np

from truegain._version import __version__
from truegain.errors import DataWarning, TruegainError
from truegain.message import with_marks
from truegain.results import serialization
from truegain.results.cache import code_digest

# ---- What travels to a cluster: the name of a function of a module, and bytes that plain pickle made.
#
# A lambda or a closure never does: it would carry along what happens to stand around it, and another version of Python,
# or another worker, may make something else of it.


class Parcel(NamedTuple):
    """Bytes that travel, with their digest."""

    data: bytes
    digest: str


def name_of(work: Callable[..., Any]) -> str:
    """The name by which a worker finds a function; an error where it would find none, or another.

    >>> name_of(hashlib.sha256)
    '_hashlib:openssl_sha256'
    >>> name_of(lambda shared, piece, seed: piece)
    Traceback (most recent call last):
    truegain.errors.TruegainError: truegain.parallel.worker.<lambda> cannot run on a cluster: ...
    """
    module, qualified = getattr(work, "__module__", None), getattr(work, "__qualname__", None)
    if module is None or qualified is None:
        raise TruegainError(f"{work!r} cannot run on a cluster: it is not a function; give a function of a module")
    try:
        imported = work_named(f"{module}:{qualified}")
    except (ImportError, AttributeError):
        imported = None
    if imported is not work or module == "__main__":
        raise TruegainError(
            f"{module}.{qualified} cannot run on a cluster: workers import functions by name, and there is none of "
            f"this name in {module}; give a function at the top of an importable module, not a lambda and not one of "
            "__main__"
        )
    return f"{module}:{qualified}"


def work_named(name: str) -> Callable[..., Any]:
    """The function of a name that travelled.

    >>> work_named("hashlib:sha1") is hashlib.sha1
    True
    """
    module, _, qualified = name.partition(":")
    target: Any = importlib.import_module(module)
    for part in qualified.split("."):
        target = getattr(target, part)
    return target  # type: ignore[no-any-return]


def answer_of(work: Callable[..., Any]) -> Any:
    """What comes back of a piece, as `stored.unpacked` takes it: what the function says that it returns, and warnings.

    Results are kept in files, so that they are data and no pickles; of a function that does not say what it returns,
    plain values, containers and arrays.

    >>> def work(shared: object, piece: int, seed: object) -> list[float]: ...
    >>> answer_of(work)
    tuple[list[float], list[str]]
    """
    return tuple[get_type_hints(work).get("return", Any), list[str]]  # type: ignore[misc]


def packed(what: object, whose: str) -> Parcel:
    """Something as bytes; an error that says whose it is where plain pickle cannot carry it.

    >>> packed([1, 2], "pieces of f").digest[:8]
    '76325239'
    >>> packed(lambda: 1, "pieces of f")
    Traceback (most recent call last):
    truegain.errors.TruegainError: pieces of f cannot be sent to a cluster: ...
    """
    try:
        data = pickle.dumps(what, protocol=5)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as error:
        raise TruegainError(
            f"{whose} cannot be sent to a cluster: {error}; give plain data and objects of classes of a module"
        ) from error
    return Parcel(data, hashlib.sha256(data).hexdigest())


# ---- What runs on the workers and on the scheduler: functions of this module, which they import by name.

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
            messages: list[str] = []
            with listening(messages):
                result = function(shared.value, piece, np.random.SeedSequence(seed, spawn_key=(number,)))
            results.append(serialization.packed((result, messages)))
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
    messages = _told.get()
    if messages is None or not isinstance(message, DataWarning):
        _usual(message, category, filename, lineno, file, line)
    elif message.message not in messages:
        messages.append(message.message)


@contextmanager
def listening(messages: list[str]) -> Iterator[None]:
    """List what is warned of meanwhile in this thread, each once; other threads have their own lists.

    `warnings.catch_warnings` is for all threads at a time, so that what shows warnings stays once it is there.
    """
    if warnings.showwarning is not _show:
        warnings.showwarning = _show
        warnings.simplefilter("always", DataWarning)
    before = _told.set(messages)
    try:
        yield
    finally:
        _told.reset(before)


def versions() -> dict[str, str]:
    """What decides about the bits of a result, or about who understands whom."""
    files = code_digest((".py",))[:12]
    by_library = {"python": platform.python_version(), "truegain": __version__, "truegain's files": files}
    for library in LIBRARIES:
        try:
            by_library[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            by_library[library] = "none"
    return by_library


def bear_deaths(times: int, dask_scheduler: Any = None) -> int:
    """Have a scheduler blame a task only after so many deaths of the workers that were at it."""
    dask_scheduler.allowed_failures = max(times, dask_scheduler.allowed_failures)
    return int(dask_scheduler.allowed_failures)
