"""Temporary files without a name, and copies of what can be read only once, such as standard input."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from truegain.errors import InputError, TruegainError, why
from truegain.io.compression import unpacking
from truegain.io.plain_text import PIECE, Endless, in_bytes

# ---- Files without a name in the folder of temporary files: gone when closed, or when this process ends somehow.


def spare_file() -> BinaryIO:
    """A file on disk without a name, in the folder of temporary files."""
    import tempfile  # here and below: commands that copy nothing start sooner

    return cast("BinaryIO", tempfile.TemporaryFile(prefix="truegain-", dir=folder_of_copies()))


def folder_of_copies() -> str:
    """The folder of temporary files; an error where TMPDIR names one that cannot be had, instead of another."""
    import tempfile

    named, folder = os.environ.get("TMPDIR"), tempfile.gettempdir()
    if named and Path(named).absolute() != Path(folder):
        raise TruegainError(f"TMPDIR is {named}, where no file can be written; set it to a folder with room for copies")
    return folder


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
        raise _no_room(f"a copy of it cannot be written in {folder_of_copies()}: {why(error)}", file) from None


def _no_room(problem: str, file: str) -> InputError:
    hint = "set TMPDIR to a folder with more room; a plain file on this machine, sorted by topic, needs no copy"
    return InputError(problem, file=file, hint=hint)


# ---- What can be read only once and tells no size, as standard input: copied, so that it is read as a file is.
#
# A copy is in memory while it is small, and then on disk.

Opened = Callable[[str], AbstractContextManager[BinaryIO]]
_copies: dict[str, BinaryIO] = {}


def copy_of(name: str) -> BinaryIO | None:
    """The copy of what is called so, from its beginning; None where there is none."""
    copy = _copies.get(name)
    if copy is not None:
        copy.seek(0)
    return copy


def has_copy(name: str) -> bool:
    """Whether there is a copy of what is called so."""
    return name in _copies


def copied_size(name: str) -> int:
    """The bytes of a copy that there is."""
    return _copies[name].seek(0, os.SEEK_END)


@contextmanager
def copied(names: Iterable[str], opened: Opened, shown: Callable[[str], str], in_memory: int) -> Iterator[None]:
    """Meanwhile there is a copy of each; `opened` reads what is called so, `shown` is its name in messages."""
    with ExitStack() as open_files:
        made: dict[str, BinaryIO] = {}
        for name in names:
            with opened(name) as stream:
                made[name] = _copy(stream, shown(name), in_memory, open_files)
        _copies.update(made)
        try:
            yield
        finally:
            for name in made:
                _copies.pop(name, None)


def _copy(stream: BinaryIO, file: str, in_memory: int, open_files: ExitStack) -> BinaryIO:
    """All bytes of a stream as they come, in memory or on disk; what is endless, or no text, is refused when seen."""
    copy: BinaryIO = open_files.enter_context(io.BytesIO())
    size, bounds, first = 0, None, True
    while piece := filled(stream, PIECE):
        if first and unpacking(piece, cast("BinaryIO", io.BytesIO(piece))) is None:
            bounds = Endless(piece, file, whole=len(piece) < PIECE)
        if bounds is not None:
            bounds.look_at(piece, lambda: _so_far(copy))  # noqa: B023  at once
        first, size = False, size + len(piece)
        if size > in_memory and isinstance(copy, io.BytesIO):
            before, copy = copy, open_files.enter_context(spare_file())
            with no_room(file):
                copy.write(before.getbuffer())
            before.close()
        with no_room(file):
            copy.write(piece)
    with no_room(file):
        copy.flush()
    return copy


def _so_far(copy: BinaryIO) -> bytes:
    copy.seek(0)
    return copy.read()


def filled(stream: BinaryIO, size: int) -> bytes:
    """So many bytes, or all there are; a pipe may give fewer at a time."""
    pieces = []
    while size > 0 and (piece := stream.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
