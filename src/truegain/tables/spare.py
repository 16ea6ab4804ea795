"""Files without a name in the folder of temporary files: gone when closed, or when this process ends somehow."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from truegain.errors import InputError, why
from truegain.tables.plain import in_bytes


def spare_file() -> BinaryIO:
    """A file on disk without a name, in the folder of temporary files."""
    return cast("BinaryIO", tempfile.TemporaryFile(prefix="truegain-"))


def check_room(need: int, file: str) -> None:
    """Refuse to copy what the disk has no room for."""
    folder = tempfile.gettempdir()
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
    hint = "name a folder with more room by TMPDIR, or unpack the file and sort it by topic, which needs no copy"
    return InputError(problem, file=file, hint=hint)
