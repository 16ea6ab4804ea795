"""One process at a time in a folder: a lock of the operating system, which ends with its process, however that ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from truegain.errors import InputError
from truegain.io.files import shown_path

NAME = "running.lock"  # stays in the folder: who deleted it could let in a second process

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def only_here(folder: Path, problem: str, hint: str) -> Iterator[None]:
    """Hold a folder while a block runs, or refuse with a problem and a hint where another process holds it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name, only_here(Path(name), "it is in use", "stop the other"):
    ...     with only_here(Path(name), "it is in use", "stop the other"):
    ...         pass
    Traceback (most recent call last):
    truegain.errors.InputError: ...it is in use...
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            _take(descriptor)
        except (BlockingIOError, PermissionError):
            raise InputError(problem, file=shown_path(folder), hint=hint) from None
        yield
    finally:
        os.close(descriptor)
