"""Files of lines that are read piece by piece: plain ones as they lie there, others unpacked to disk first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from threading import Lock
from typing import BinaryIO, cast

from truegain.errors import InputError
from truegain.tables.guard import descriptor
from truegain.tables.memory import unpacked_size
from truegain.tables.packing import Joined, unpacking
from truegain.tables.plain import PIECE, Endless, PartText, bad_place, not_text
from truegain.tables.read_once import filled
from truegain.tables.sources import LZ4, is_seekable, opened, read_failures, shown_path
from truegain.tables.spare import check_room, no_room, spare_file
from truegain.tables.unchanging import noting_digest

CHUNK = 1 << 25  # bytes of whole lines looked at together
HEAD = 1 << 16  # bytes from which the kind of a file is told
MARK = b"\xef\xbb\xbf"  # the byte order mark of UTF-8


class LineFile:
    """A plain file of lines, of which any stretch can be read; `file` is its name in messages."""

    def __init__(self, file: str, stream: BinaryIO) -> None:
        self.file, self.stream, self.lock = file, stream, Lock()
        self.size = stream.seek(0, os.SEEK_END)
        self.head = self.read(0, HEAD)
        self.begin = len(MARK) if self.head.startswith(MARK) else 0
        self.state = _state(stream)

    def check_unchanged(self) -> None:
        """Refuse a file that was written to since it was opened: its parts would not belong together."""
        if _state(self.stream) != self.state:
            hint = "run the command again when nothing writes to it"
            raise InputError("it changed while it was read", file=self.file, hint=hint)

    def read(self, offset: int, length: int) -> bytes:
        """A stretch of the file; shorter at its end."""
        held = bytearray(max(0, min(length, self.size - offset)))
        self.read_into(memoryview(held), offset)
        return bytes(held)

    def read_into(self, view: memoryview, offset: int) -> None:
        """Fill a view with a stretch of the file."""
        with read_failures(self.file), self.lock:
            self.stream.seek(offset)
            while view:
                count = self.stream.readinto(view)  # type: ignore[attr-defined]
                if not count:
                    hint = "run the command again when nothing writes to it"
                    raise InputError("it became shorter while it was read", file=self.file, hint=hint)
                view = view[count:]

    def chunks(self) -> Iterator[tuple[int, bytes]]:
        """The file in pieces of whole lines, each with the place it begins at; what is no text is refused."""
        first = self.read(0, PIECE)
        bounds = Endless(first, self.file, whole=len(first) < PIECE)
        begin, at, held, step = self.begin, self.begin, b"", min(PIECE, CHUNK)
        while at < self.size or held:
            pieces, enough = [held], at + CHUNK
            while at < min(self.size, enough):
                piece = self.read(at, step)
                bounds.look_at(piece, lambda: self._placed(b"".join(pieces), begin))  # noqa: B023  at once
                pieces.append(piece)
                at += len(piece)
            text = b"".join(pieces)
            cut = len(text) if at >= self.size else text.rfind(b"\n") + 1
            held, text = text[cut:], text[:cut]
            if (place := bad_place(text)) >= 0:
                raise not_text(self._placed(text, begin), place, self.file)
            if text:
                yield begin, text
            begin += len(text)

    def placed_chunks(self) -> Iterator[PartText]:
        """The same pieces, which know on which lines they stand."""
        for begin, text in self.chunks():
            yield self._placed(text, begin)

    def _placed(self, text: bytes, begin: int) -> PartText:
        """A text that knows on which lines of this file it stands; they are counted only where they are told."""
        placed = PartText(text)
        placed.line_in_file = lambda line: line + self._lines_before(begin)
        return placed

    def _lines_before(self, offset: int) -> int:
        return sum(self.read(at, min(PIECE, offset - at)).count(b"\n") for at in range(0, offset, PIECE))


def _state(stream: BinaryIO) -> tuple[int, int] | None:
    """When an open file was last written to, and its size."""
    number = descriptor(stream)
    found = None if number is None else os.fstat(number)
    return None if found is None else (found.st_mtime_ns, found.st_size)


def line_file(path: str, open_files: ExitStack) -> LineFile:
    """A file of lines; what is compressed, a pipe, or elsewhere, is unpacked to a file without a name first.

    Such a file is gone when it is closed, or when this process ends in whatever way.
    """
    file = shown_path(path)
    need = unpacked_size(path)
    with read_failures(file), ExitStack() as reading:
        source = reading.enter_context(opened(path))
        first = filled(source, PIECE)
        if first.startswith(LZ4):
            raise InputError("compressed by lz4, which is not read here", file=file, hint="compress it by gzip")
        counted = Joined(first, source)
        unpacked = unpacking(first, cast("BinaryIO", counted))
        if unpacked is None and is_seekable(path):
            open_files.push(reading.pop_all())
            return LineFile(file, source)
        check_room(need, file)
        copy = open_files.enter_context(spare_file())
        bounds, stream = None, unpacked or cast("BinaryIO", counted)
        with noting_digest(path) as note:
            while piece := filled(stream, PIECE):
                bounds = bounds or Endless(piece, file, whole=len(piece) < PIECE)
                bounds.of_lines = False  # long lines are told when lines are counted
                bounds.look_at(piece, lambda: b"", counted.given if unpacked else None)
                note(piece)
                with no_room(file):
                    copy.write(piece)
        with no_room(file):
            copy.flush()
        return LineFile(file, copy)
