"""What can be read only once and tells no size, as standard input: copied, so that it is read as a file is.

A copy is in memory while it is small, and then on disk.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import BinaryIO, cast

from truegain.tables.packing import unpacking
from truegain.tables.plain import PIECE, Endless

Opened = Callable[[str], AbstractContextManager[BinaryIO]]
_copies: dict[str, BinaryIO] = {}


def copy_of(name: str) -> BinaryIO | None:
    """The copy of what is called so, from its beginning; None where there is none."""
    copy = _copies.get(name)
    if copy is not None:
        copy.seek(0)
    return copy


def has_copy(name: str) -> bool:
    """Whether there is one."""
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
    from truegain.tables.spare import no_room, spare_file  # here, as it loads what most commands do not need

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
