"""Files larger than memory: read piece by piece, and divided by topic into chunks that fit.

The topics of all files are cut at the same places.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from truegain.errors import InputError
from truegain.io import _split
from truegain.io.columns import Codes, Ints
from truegain.io.files import (
    LZ4,
    check_room,
    filled,
    is_seekable,
    no_room,
    opened,
    read_failures,
    shown_path,
    spare_file,
)
from truegain.io.memory import unpacked_size
from truegain.io.overwrite import descriptor, noting_digest
from truegain.io.plain_text import PIECE, Endless, Joined, PartText, bad_place, not_text, unpacking

# ---- Files of lines that are read piece by piece: plain ones as they lie there, others unpacked to disk first.

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
            hint = "run the command again when no other program writes to it"
            raise InputError("the file changed while it was being read", file=self.file, hint=hint)

    def read(self, offset: int, length: int) -> bytes:
        """A stretch of the file; shorter at its end."""
        buffer = bytearray(max(0, min(length, self.size - offset)))
        self.read_into(memoryview(buffer), offset)
        return bytes(buffer)

    def read_into(self, view: memoryview, offset: int) -> None:
        """Fill a view with a stretch of the file."""
        with read_failures(self.file), self.lock:
            self.stream.seek(offset)
            while view:
                count = self.stream.readinto(view)  # type: ignore[attr-defined]
                if not count:
                    hint = "run the command again when no other program writes to it"
                    raise InputError("the file became shorter while it was being read", file=self.file, hint=hint)
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
        """The file in pieces of whole lines, which know on which lines they stand."""
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
    status = None if number is None else os.fstat(number)
    return None if status is None else (status.st_mtime_ns, status.st_size)


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
            raise InputError("compressed with lz4, which truegain cannot read", file=file, hint="compress it with gzip")
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
                bounds.look_at(piece, lambda: b"", counted.bytes_read if unpacked else None)
                note(piece)
                with no_room(file):
                    copy.write(piece)
        with no_room(file):
            copy.flush()
        return LineFile(file, copy)


# ---- Files divided by topic: parts that fit into memory, with the topics of all files cut at the same places.
#
# Parts are stretches of topics in the order of their bytes. A file whose lines of a part stand together (one that is
# sorted by topic, as bytes or as numbers) is left as it is and read by its stretches; of any other a copy is made on
# disk in which they do.

LEAST_STRETCH = 1 << 15  # mean bytes of a stretch, below which a copy is made
FEW_STRETCHES = 1 << 10  # so many are read wherever they stand
RUNS = 1 << 16  # stretches found at a time
SAMPLES = 64  # topics looked at for each part
NEAR = 1 << 13  # bytes in which a line is looked for


@dataclass(frozen=True, eq=False)
class Cuts:
    """Where topics are cut: the first topic of each part but the first, in the order of their bytes."""

    text: bytes
    start: Ints

    @classmethod
    def of(cls, topics: Sequence[bytes]) -> Cuts:
        """From the topics at which parts begin."""
        return cls(b"".join(topics), np.cumsum([0, *map(len, topics)], dtype=np.int64))

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return len(self.start)


def cuts_for(files: Sequence[tuple[LineFile, int]], parts: int) -> Cuts:
    """Cuts that divide files, each with the number of its topic's field, into about so many parts of the same size.

    Topics are taken from places drawn at random, by a seed of their own: parts tell what is read together, and no
    answer depends on them.
    """
    random = np.random.default_rng(0)
    total = sum(file.size for file, _ in files)
    topics: list[bytes] = []
    weights: list[float] = []
    for file, field in files:
        count = max(SAMPLES, SAMPLES * parts * file.size // max(1, total))
        drawn = random.integers(file.begin, max(file.size, file.begin + 1), size=int(count))
        near = [topic for at in np.sort(drawn).tolist() if (topic := _topic_near(file, at, field)) is not None]
        topics += near
        weights += [file.size / max(1, len(near))] * len(near)
    if not topics:
        return Cuts.of([])
    order = sorted(range(len(topics)), key=topics.__getitem__)
    below = np.cumsum([weights[i] for i in order])
    at = np.searchsorted(below, below[-1] * np.arange(1, parts) / parts)
    chosen = sorted({topics[order[i]] for i in at.tolist()})
    return Cuts.of([topic for topic in chosen if topic != topics[order[0]]])


def _topic_near(file: LineFile, at: int, field: int) -> bytes | None:
    """The topic of the line that holds a place, or of the one after it."""
    before = min(NEAR, at - file.begin)
    text = file.read(at - before, before + NEAR)
    start = text.rfind(b"\n", 0, before) + 1
    if not start and at - before > file.begin:
        return None  # a very long line
    for line in text[start:].split(b"\n")[:2]:
        fields = line.split(None, field + 1)
        if len(fields) > field and not fields[0].startswith(b"#"):
            return fields[field]
    return None


@dataclass(frozen=True, eq=False)
class Stretches:
    """Lines that stand together and belong to the same part, in the order of the file."""

    part: Codes
    begin: Ints  # where each begins, and where the last one ends
    line: Ints  # lines before each, and lines in all

    def __len__(self) -> int:
        return len(self.part)


def stretches_of(text: bytes, field: int, cuts: Cuts, part: int) -> Stretches:
    """The stretches of a text; lines without a topic belong to the part of the line before, the first to `part`."""
    parts, begins, lines_before, at, lines = [], [], [], 0, 0
    while at < len(text):
        run = np.empty(RUNS, np.int32), np.empty(RUNS, np.int64), np.empty(RUNS, np.int64)
        count, seen, end = _split.split(text, at, field, cuts.text, cuts.start, part, *run)
        parts.append(run[0][:count])
        begins.append(run[1][:count])
        lines_before.append(run[2][:count] + lines)
        part, at, lines = int(run[0][count - 1]), end, lines + seen
    return Stretches(_all(parts, np.int32), _all([*begins, [len(text)]]), _all([*lines_before, [lines]]))


def _all(arrays: Sequence[Any], kind: npt.DTypeLike = np.int64) -> npt.NDArray[Any]:
    return np.concatenate([np.asarray(a, kind) for a in arrays]) if arrays else np.empty(0, kind)


class PartedFile:
    """A file whose parts can be read one by one: by stretches of it, or of a copy where lines of a part are together.

    Row r of the table of stretches belongs to part[r], has length[r] bytes from offset[r] on and lines[r] lines;
    place[r] is the number of lines before it, or, in a copy, the number of the chunk whose lines they are.
    """

    def __init__(self, source: LineFile, field: int, cuts: Cuts, open_files: ExitStack) -> None:
        self.source, self.field, self.cuts, self.stream = source, field, cuts, source
        self.chunks: list[tuple[int, int, int, int]] = []  # of a copy: place, length, lines before, part before
        rows = self._where_they_stand()
        if rows is None:
            rows = self._copied(open_files)
        part, self.offset, self.length, self.lines, self.place = rows
        self.order = np.argsort(part, kind="stable")
        self.first = np.searchsorted(part[self.order], np.arange(cuts.parts + 1))

    def _where_they_stand(self) -> tuple[Ints, ...] | None:
        """The table of stretches of the file as it is; None where there are too many."""
        tables: list[Stretches] = []
        count, lines, part = 0, 0, 0
        for begin, text in self.source.chunks():
            stretches = stretches_of(text, self.field, self.cuts, part)
            count, part = count + len(stretches), int(stretches.part[-1])
            if count > FEW_STRETCHES + (begin + len(text)) // LEAST_STRETCH:
                return None
            tables.append(Stretches(stretches.part, stretches.begin + begin, stretches.line + lines))
            lines += int(stretches.line[-1])
        return (
            _all([t.part for t in tables]),
            _all([t.begin[:-1] for t in tables]),
            _all([np.diff(t.begin) for t in tables]),
            _all([np.diff(t.line) for t in tables]),
            _all([t.line[:-1] for t in tables]),
        )

    def _copied(self, open_files: ExitStack) -> tuple[Ints, ...]:
        """The table of stretches of a copy, in which the lines of a part stand together chunk by chunk."""
        check_room(self.source.size, self.source.file)
        copy = open_files.enter_context(spare_file())
        rows: list[npt.NDArray[np.int64]] = []
        at, lines, part, parts = 0, 0, 0, self.cuts.parts
        for number, (begin, text) in enumerate(self.source.chunks()):
            stretches = stretches_of(text, self.field, self.cuts, part)
            self.chunks.append((begin, len(text), lines, part))
            length = _sums(stretches.part, np.diff(stretches.begin), parts)
            count = _sums(stretches.part, np.diff(stretches.line), parts)
            place = np.cumsum(length) - length
            own = np.flatnonzero(length)
            rows.append(np.stack([own, at + place[own], length[own], count[own], np.full(len(own), number)]))
            gathered = bytearray(len(text))
            _split.gather(text, stretches.part, stretches.begin, place, gathered)
            with no_room(self.source.file):
                copy.write(gathered)
            at, lines, part = at + len(text), lines + int(stretches.line[-1]), int(stretches.part[-1])
        with no_room(self.source.file):
            copy.flush()
        self.stream = LineFile(self.source.file, copy)
        return tuple(np.concatenate(rows, axis=1)) if rows else tuple(np.empty((5, 0), np.int64))

    def size(self, part: int) -> int:
        """The bytes of a part."""
        return int(self.length[self._rows(part)].sum())

    def text(self, part: int) -> PartText:
        """The lines of a part, in the order of the file, which know where they stand in it."""
        buffer = bytearray(self.size(part))
        view, at = memoryview(buffer), 0
        for row in self._rows(part).tolist():
            end = at + int(self.length[row])
            self.stream.read_into(view[at:end], int(self.offset[row]))
            at = end
        text = PartText(buffer)
        text.line_in_file = partial(self.line_in_file, part)
        return text

    def _rows(self, part: int) -> Ints:
        return self.order[self.first[part] : self.first[part + 1]]

    def line_in_file(self, part: int, line: int) -> int:
        """The line of the file that a line of a part is, both counted from 1."""
        rows = self._rows(part)
        ends = np.cumsum(self.lines[rows])
        which = min(int(np.searchsorted(ends, line)), len(rows) - 1)
        row, within = int(rows[which]), line - int(ends[which] - self.lines[rows[which]])
        if not self.chunks:
            return int(self.place[row]) + within
        begin, length, before, part_before = self.chunks[int(self.place[row])]
        stretches = stretches_of(self.source.read(begin, length), self.field, self.cuts, part_before)
        its = np.flatnonzero(stretches.part == part)
        counts = np.cumsum(np.diff(stretches.line)[its])
        at = int(np.searchsorted(counts, within))
        return before + int(stretches.line[its[at]]) + within - (int(counts[at - 1]) if at else 0)


def _sums(group: Codes, values: Ints, groups: int) -> Ints:
    """Whole numbers added up by group."""
    return np.bincount(group, weights=values, minlength=groups).astype(np.int64)
