"""What one command reads is never what it writes: files are told apart by what they are, not by their names."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from truegain.errors import InputError

File = str | os.PathLike[str]
Identity = tuple[int, int]


class Guard:
    """The files a command was asked to write, and those it has written."""

    def __init__(self, outputs: Iterable[File]) -> None:
        self.read_standard_input = False
        self.written: dict[str, None] = {}
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


def wrote(path: File) -> None:
    """Note what was written, which an interruption tells."""
    if _guard is not None:
        _guard.written[os.fspath(path)] = None


def _identity(source: File | int | None) -> Identity | None:
    """Device and number of a regular file, the same behind any name or link; None for all else."""
    try:
        found = None if source is None else os.stat(source)  # noqa: PTH116  a descriptor is no path
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if found is not None and stat.S_ISREG(found.st_mode) else None


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
