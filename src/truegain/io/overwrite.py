"""Guards of the files that a command reads: never written over by its outputs, never changed while it reads."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from truegain.errors import InputError
from truegain.io.remote import is_irds, is_remote

# ---- What one command reads is never what it writes: files are told apart by what they are, not by their names.

File = str | os.PathLike[str]
Identity = tuple[int, int]


class Guard:
    """The files a command was asked to write, and those it has written."""

    def __init__(self, outputs: Iterable[File]) -> None:
        self.read_standard_input = False
        self.written: dict[str, None] = {}
        self.inputs: list[str] = []  # what it was given, of which its answer tells the digests
        self.to_write: dict[Identity | str, str] = {}
        for output in outputs:
            name = os.fspath(output)
            key = _place(name)
            if key is not None and key in self.to_write:
                raise InputError("two outputs would go to this file", file=name, hint="name a file for each")
            if key is not None:
                self.to_write[key] = name
        if (known := _identity(descriptor(sys.stdout))) is not None:
            self.to_write.setdefault(known, "standard output")


_guard: Guard | None = None  # of the command that runs; Python code may read a file and write it anew


@contextmanager
def guarded(outputs: Iterable[File]) -> Iterator[Guard]:
    """While a command runs: refuse to read what it is to write."""
    global _guard
    before, _guard = _guard, Guard(outputs)
    try:
        yield _guard
    finally:
        _guard = before


def reading(source: File | int | None, file: str) -> None:
    """Refuse to read a path, or an open descriptor, where the command is to write."""
    if _guard is None or (known := _identity(source)) is None:
        return
    if known in _guard.to_write:
        problem = f"this input is also the output, {_guard.to_write[known]}"
        raise InputError(problem, file=file, hint="write to another file")


def reading_standard_input() -> None:
    """Refuse a second look at standard input, which would find it empty."""
    if _guard is None:
        return
    if _guard.read_standard_input:
        raise InputError("standard input can be only one of the inputs", hint="give '-' once, and name files")
    _guard.read_standard_input = True


def inputs_given() -> list[str]:
    """The files and folders that the command which runs was given, and other words in their place."""
    return [] if _guard is None else _guard.inputs


def wrote(path: File) -> None:
    """Note what was written, which an interruption tells."""
    if _guard is not None:
        _guard.written[os.fspath(path)] = None


def _identity(source: File | int | None) -> Identity | None:
    """Device and number of a regular file, the same behind any name or link; None for all else."""
    try:
        status = None if source is None else os.stat(source)  # noqa: PTH116  a descriptor is no path
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if status is not None and stat.S_ISREG(status.st_mode) else None


def _place(name: str) -> Identity | str | None:
    """What a file to write is, or where it will be; None for pipes and devices, which may be named twice."""
    if os.path.exists(name):  # noqa: PTH110
        return _identity(name)
    return None if "\0" in name else os.path.realpath(name)


def descriptor(stream: Any) -> int | None:
    """The number of an open file, None where it has none."""
    try:
        return int(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return None


# ---- Files that must not change while a command reads them: the digests it tells are of all that it read.

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
    return is_remote(name) or is_irds(name) or (name != "-" and os.path.isfile(name))  # noqa: PTH113  Path.is_file fails on a very long name


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
        hint = "run the command again when no other program writes to it"
        raise InputError("the file changed while it was being read", file=name, hint=hint)
    return digest


@contextmanager
def noting_digest(name: str) -> Iterator[Callable[[bytes], object]]:
    """A function that takes the pieces of a file; of one at an address the digest is kept."""
    if not is_remote(name):
        yield len
        return
    from hashlib import sha256

    digest = sha256()
    yield digest.update
    _far[name] = same_digest(name, digest.hexdigest())


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

    digest = sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()
