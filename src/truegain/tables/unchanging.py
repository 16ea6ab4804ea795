"""Files that must not change while a command reads them: the digests it tells are of all that it read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from truegain.errors import InputError

_seen: dict[str, str] | None = None  # digests of the files that were read meanwhile


@contextmanager
def unchanging() -> Iterator[None]:
    """Meanwhile a file that is read twice must hold the same."""
    global _seen
    before, _seen = _seen, {}
    try:
        yield
    finally:
        _seen = before


def is_file(name: str) -> bool:
    """Whether this can be read again: no pipe, and not standard input."""
    return name != "-" and os.path.isfile(name)  # noqa: PTH113  Path.is_file fails on a very long name


def check_unchanged(name: str, data: bytes) -> None:
    """Refuse a file whose bytes are not those that were read before."""
    if _seen is not None and is_file(name):
        same_digest(name, hashlib.sha256(data).hexdigest())


def same_digest(name: str, digest: str) -> str:
    """The digest of what a file holds; refused where it is not the one of what was read before."""
    if _seen is not None and _seen.setdefault(name, digest) != digest:
        hint = "run the command again when nothing writes to it"
        raise InputError("it changed while it was read", file=name, hint=hint)
    return digest


def digest_of(name: str, pieces: Iterable[bytes]) -> str:
    """The digest of what a file holds, from its bytes, some at a time.

    >>> digest_of("a", [b""])[:8]
    'e3b0c442'
    """
    found = hashlib.sha256()
    for piece in pieces:
        found.update(piece)
    return same_digest(name, found.hexdigest())
