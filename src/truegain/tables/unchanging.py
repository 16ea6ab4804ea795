"""Files that must not change while a command reads them: the digests it tells are of all that it read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from truegain.addresses import is_remote
from truegain.errors import InputError

_seen: dict[str, str] | None = None  # digests of the files that were read meanwhile
_far: dict[str, str] = {}  # digests of files at addresses as last read: they are not fetched again for them


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
    return is_remote(name) or (name != "-" and os.path.isfile(name))  # noqa: PTH113  Path.is_file fails on a very long name


def check_unchanged(name: str, data: bytes) -> None:
    """Refuse a file whose bytes are not those that were read before."""
    far = is_remote(name)
    if (_seen is None and not far) or not is_file(name):
        return
    digest = _digest([data])
    if far:
        _far[name] = digest
    same_digest(name, digest)


def same_digest(name: str, digest: str) -> str:
    """The digest of what a file holds; refused where it is not the one of what was read before."""
    if _seen is not None and _seen.setdefault(name, digest) != digest:
        hint = "run the command again when nothing writes to it"
        raise InputError("it changed while it was read", file=name, hint=hint)
    return digest


@contextmanager
def noting_digest(name: str) -> Iterator[Callable[[bytes], object]]:
    """A function that takes the pieces of a file; of one at an address the digest is kept."""
    if not is_remote(name):
        yield len
        return
    from hashlib import sha256

    found = sha256()
    yield found.update
    _far[name] = same_digest(name, found.hexdigest())


def fetched_digest(name: str) -> str | None:
    """The digest of what was read from an address; None where nothing was, and for files on this machine."""
    return _far.get(name)


def digest_of(name: str, pieces: Iterable[bytes]) -> str:
    """The digest of what a file holds, from its bytes, some at a time.

    >>> digest_of("a", [b""])[:8]
    'e3b0c442'
    """
    return same_digest(name, _digest(pieces))


def _digest(pieces: Iterable[bytes]) -> str:
    from hashlib import sha256  # here, as it takes a while and most commands tell no digests

    found = sha256()
    for piece in pieces:
        found.update(piece)
    return found.hexdigest()
