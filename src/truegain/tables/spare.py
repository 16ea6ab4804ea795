"""Files without a name in the folder of temporary files: gone when closed, or when this process ends somehow."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from truegain.errors import InputError, TruegainError, why
from truegain.tables.plain import in_bytes


def spare_file() -> BinaryIO:
    """A file on disk without a name, in the folder of temporary files."""
    return cast("BinaryIO", tempfile.TemporaryFile(prefix="truegain-", dir=folder_of_copies()))


def folder_of_copies() -> str:
    """The folder of temporary files; an error where TMPDIR names one that cannot be had, instead of another."""
    named, found = os.environ.get("TMPDIR"), tempfile.gettempdir()
    if named and Path(named).absolute() != Path(found):
        raise TruegainError(
            f"TMPDIR names {named}, and no file can be written there; name a folder that has room for copies"
        )
    return found


def check_room(need: int, file: str) -> None:
    """Refuse to copy what the disk has no room for."""
    folder = folder_of_copies()
    if need > (free := shutil.disk_usage(folder).free):
        raise _no_room(f"a copy of it takes {in_bytes(need)} on disk, and {folder} has {in_bytes(free)}", file)


@contextmanager
def no_room(file: str) -> Iterator[None]:
    """Tell failures of writing a copy with the name of what is copied."""
    try:
        yield
    except OSError as error:
        raise _no_room(f"a copy of it cannot be written in {tempfile.gettempdir()}: {why(error)}", file) from None


def _no_room(problem: str, file: str) -> InputError:
    hint = "name a folder with more room by TMPDIR; a plain file on this machine, sorted by topic, needs no copy"
    return InputError(problem, file=file, hint=hint)
