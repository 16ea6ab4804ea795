"""What travels to a cluster: the name of a function of a module, and bytes that plain pickle made.

A lambda or a closure never does: it would carry along what happens to stand around it, and another version of Python,
or another worker, may make something else of it.
"""

from __future__ import annotations

import hashlib
import importlib
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple, get_type_hints

from truegain.errors import TruegainError


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
    truegain.errors.TruegainError: truegain.cluster.travel.<lambda> cannot run on a cluster: ...
    """
    module, qualified = getattr(work, "__module__", None), getattr(work, "__qualname__", None)
    if module is None or qualified is None:
        raise TruegainError(f"{work!r} cannot run on a cluster: it is no function; give a function of a module")
    try:
        found = work_named(f"{module}:{qualified}")
    except (ImportError, AttributeError):
        found = None
    if found is not work or module == "__main__":
        raise TruegainError(
            f"{module}.{qualified} cannot run on a cluster: workers import functions by name, and find no such one in "
            f"{module}; give a function that stands at the top of a module that can be imported, no lambda and none "
            "of __main__"
        )
    return f"{module}:{qualified}"


def work_named(name: str) -> Callable[..., Any]:
    """The function of a name that travelled.

    >>> work_named("hashlib:sha1") is hashlib.sha1
    True
    """
    module, _, qualified = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in qualified.split("."):
        found = getattr(found, part)
    return found  # type: ignore[no-any-return]


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
    truegain.errors.TruegainError: pieces of f cannot travel to a cluster: ...
    """
    try:
        data = pickle.dumps(what, protocol=5)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as error:
        raise TruegainError(
            f"{whose} cannot travel to a cluster: {error}; give plain data and objects of classes of a module"
        ) from error
    return Parcel(data, hashlib.sha256(data).hexdigest())
