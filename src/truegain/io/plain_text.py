"""Whether bytes are plain text of lines, of a size that can be read."""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

from truegain.errors import InputError
from truegain.io.compression import COMPRESSIONS

PIECE = 1 << 20  # bytes read at a time; at most LONGEST_LINE, so that no longer line fits into one
LONGEST_LINE = 1 << 20  # bytes; the longest of TREC's own lines has about 200
MOST_TIMES = 100  # how many times its packed size data may have; run files have about 10 times
MEMORY_MAX = Path("/sys/fs/cgroup/memory.max")
BOMB = 1 << 28  # bytes below which that does not matter
TO_UTF8 = "convert the file to UTF-8; in Excel, save it as 'CSV UTF-8'"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NESTED = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{')  # how an object of objects begins, in JSON
_DECODED = 1 << 23  # bytes decoded at a time


def plain_text(data: bytes, file: str, *, whole: bool = True, hint: str = TO_UTF8) -> bytes:
    """The bytes without a byte order mark, once they are known to be UTF-8 text.

    Where they are not the `whole` text, a character may be cut at their end.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError("this is UTF-16 text", file=file, hint=TO_UTF8)
    if data.startswith(b"PK\x03\x04") and file.lower().endswith((".xlsx", ".xlsm", ".ods")):
        raise InputError("this is a spreadsheet workbook", file=file, hint="save the sheet as 'CSV UTF-8'")
    if data.startswith(b"PK\x03\x04"):
        raise InputError("this is a zip archive", file=file, hint=f"unpack it, or compress with {COMPRESSIONS}")
    text = data.removeprefix(_BYTE_ORDER_MARK)
    place = bad_place(text, whole=whole)
    if place < 0:
        return text
    raise not_text(text, place, file, hint)


def bad_place(text: bytes, *, whole: bool = True) -> int:
    """Where bytes are not UTF-8, or NUL, first; -1 where they are plain text."""
    return text.find(b"\0") if text.isascii() else _first_bad(text, whole)


def not_text(text: bytes, place: int, file: str, hint: str = TO_UTF8) -> InputError:
    """What is said of bytes that are no text from a place on."""
    nul = text[place : place + 1] == b"\0"
    return InputError(
        "a NUL byte: this is binary data or UTF-16, not UTF-8 text" if nul else "not UTF-8 text",
        file=file,
        line=line_of(text, place),
        text=line_at(text, place),
        hint=hint,
    )


def _first_bad(text: bytes, whole: bool) -> int:
    """The first byte that is NUL or not UTF-8, -1 where there is none; decoded piecewise to spare memory."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for begin in range(0, len(text), _DECODED):
        held = len(decoder.getstate()[0])
        try:
            decoder.decode(text[begin : begin + _DECODED], whole and begin + _DECODED >= len(text))
        except UnicodeDecodeError as error:
            place = begin - held + error.start
            nul = text.find(b"\0", 0, place)
            return place if nul < 0 else nul
    return text.find(b"\0")


class PartText(bytes):
    """Lines out of a larger file, which know where they stand in it."""

    line_in_file: Callable[[int], int]  # by the number of a line here


def line_of(text: bytes, offset: int) -> int:
    """The number of the line that holds a byte, in the file that the text was taken from."""
    line = text.count(b"\n", 0, offset) + 1
    return text.line_in_file(line) if isinstance(text, PartText) else line


def line_at(text: bytes, offset: int, most: int = 1000) -> str:
    """The line that holds a byte, for a message: cut where it is very long."""
    begin = text.rfind(b"\n", 0, offset) + 1
    end = text.find(b"\n", offset)
    line = text[begin : min(end if end >= 0 else len(text), begin + most)]
    return line.rstrip(b"\r").decode(errors="replace")


BINARY = (b"PAR1", b"ARROW1\0\0", b"\xff\xff\xff\xff")  # how Parquet and Arrow data begin


class Bounds:
    """How much may be read: lines that are not endless, data that fits into memory, no bombs."""

    def __init__(self, first: bytes, file: str, *, whole: bool, size: int = 0) -> None:
        self.file, self.seen, self.line = file, 0, 0
        start = first[:65536].removeprefix(_BYTE_ORDER_MARK).lstrip()
        binary = first.startswith(BINARY)
        self.of_lines = not binary and not start.startswith(b"[") and not NESTED.match(start)  # JSON may be one line
        if not binary:
            plain_text(first, file, whole=whole)
        self._fits(size)

    def look_at(self, piece: bytes, before: Callable[[], bytes], packed_size: int | None = None) -> None:
        """Look at the next piece; `before` gives what was read before, `packed_size` how much of packed data."""
        self.seen += len(piece)
        self._fits(self.seen)
        if packed_size is not None and self.seen > max(BOMB, MOST_TIMES * packed_size):
            problem = f"{in_bytes(packed_size)} of compressed data unpack to more than {in_bytes(self.seen)}"
            raise InputError(problem, file=self.file, hint="if that is intended, unpack the file first")
        newline = piece.find(b"\n")
        if self.of_lines and self.line + (newline if newline >= 0 else len(piece)) > LONGEST_LINE:
            raise self._too_long(before(), piece)
        self.line = self.line + len(piece) if newline < 0 else len(piece) - piece.rfind(b"\n") - 1

    def look_at_all(self, data: bytes) -> None:
        """Look at all there is, at once, without a copy of it."""
        begin = 0  # of the line
        for at in range(0, len(data) if self.of_lines else 0, PIECE):
            end = min(at + PIECE, len(data))
            newline = data.find(b"\n", at, end)
            if (newline if newline >= 0 else end) - begin > LONGEST_LINE:
                self.line = at - begin
                raise self._too_long(data[:at], data[at:end])
            begin = begin if newline < 0 else data.rfind(b"\n", at, end) + 1

    def _fits(self, size: int) -> None:
        if size <= most_bytes():
            return
        from truegain.io.column_names import file_options  # here, as it loads numpy, and help needs none

        if size > max(most_bytes(), file_options().memory or 0):
            problem = f"this is larger than {in_bytes(most_bytes())}, half of the available memory"
            raise InputError(problem, file=self.file, hint="check that it ends, or split it")

    def _too_long(self, before: bytes, piece: bytes) -> InputError:
        text, begin = before + piece, len(before) - self.line
        plain_text(text, self.file, whole=False)  # a NUL says more
        return InputError(
            f"a line of more than {in_bytes(LONGEST_LINE)}",
            file=self.file,
            line=line_of(text, begin),
            text=line_at(text, begin),
            hint="check that this is the right file, and that its lines end with a newline",
        )


class AnyBytes(Bounds):
    """Data that fits into memory, and no bombs; what it is does not matter."""

    def __init__(self, first: bytes, file: str, *, whole: bool, size: int = 0) -> None:
        super().__init__(first, file, whole=whole, size=size)
        self.of_lines = False


class Endless(Bounds):
    """Lines that are not endless, and no bombs; how much there is of them does not matter."""

    def _fits(self, size: int) -> None:
        """Nothing is too large for a disk, but what is written there."""


@cache
def most_bytes() -> int:
    """Half of the memory there is: the columns of a file take about as much again as its text."""
    return memory_there() // 2


def memory_there() -> int:
    """The bytes of memory that this machine, this group of processes and this process may have."""
    return min(_machine(), _group(), _process())


def _machine() -> int:
    """The bytes of memory of this machine."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return sys.maxsize


def _group() -> int:
    """The bytes that the container, or other group of processes, may have."""
    try:
        return int(MEMORY_MAX.read_text())
    except (OSError, ValueError):  # "max" where there is no limit
        return sys.maxsize


def _process() -> int:
    """The bytes that this process may have (ulimit -v)."""
    try:
        limits = import_module("resource")
    except ModuleNotFoundError:  # on Windows
        return sys.maxsize
    soft = int(limits.getrlimit(limits.RLIMIT_AS)[0])
    return sys.maxsize if soft == limits.RLIM_INFINITY else soft


def in_bytes(count: int) -> str:
    """A number of bytes for people.

    >>> in_bytes(1 << 20), in_bytes(11_800_000_000), in_bytes(2100)
    ('1 MB', '11.8 GB', '2 KB')
    """
    for unit, many in (("GB", 1e9), ("MB", 1e6)):
        if count >= many:
            return f"{count / many:.1f}".removesuffix(".0") + f" {unit}"
    return f"{max(1, count // 1000)} KB"
