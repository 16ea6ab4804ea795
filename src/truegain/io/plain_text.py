"""From the bytes of a file to plain text: unpacked, known to be UTF-8, of a size that can be read."""

from __future__ import annotations

import bz2
import codecs
import gzip
import importlib
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from truegain.errors import InputError

# ---- Compressed bytes: unpacked piece by piece, packed by the ending of a name.
#
# What is unpacked is whole or refused.  Every member of a file is read to its end, where its checksum stands, and what
# follows it is another member, the padding that the format allows, or a fault: never left out in silence.

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
COMPRESSIONS = "gzip, bzip2, xz or zstandard"  # as messages name them
TOLD_BY = 10  # the first bytes that tell of each
_ZSTD_MODULE = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
_READ = 1 << 15  # packed bytes read at a time; sizes are guessed from how many were read


class DamagedError(Exception):
    """Compressed data that is not whole, or not what its checksums say."""


class Joined(io.RawIOBase):
    """A stream whose first bytes were already read, which counts the bytes it gives."""

    def __init__(self, first: bytes, rest: BinaryIO) -> None:
        self.first, self.rest, self.bytes_read = first, rest, 0

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as one look at the source goes."""
        if self.first:
            count = min(len(buffer), len(self.first))
            buffer[:count], self.first = self.first[:count], self.first[count:]
        else:
            count = self.rest.readinto(buffer)  # type: ignore[attr-defined]
        self.bytes_read += count or 0
        return int(count or 0)


class _Unpacker(Protocol):
    """What unpacks one member; bz2, lzma and zstandard have such classes, gzip's is below."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Inflate:
    """One member of gzip, header and checksum looked at by zlib itself."""

    def __init__(self) -> None:
        self.inner, self.needs_input = zlib.decompressobj(wbits=31), True

    @property
    def eof(self) -> bool:
        return self.inner.eof

    @property
    def unused_data(self) -> bytes:
        return self.inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        tail = self.inner.unconsumed_tail
        unpacked = self.inner.decompress(tail + data if tail else data, max(0, max_length))
        self.needs_input = not self.inner.unconsumed_tail and len(unpacked) != max_length
        return unpacked


@dataclass(frozen=True)
class Packing:
    """A way to pack: how a member begins, who unpacks one, how many zeros may follow a member or the last one."""

    name: str
    begins: re.Pattern[bytes]
    unpacker: Callable[[], Any]
    padding: int = 0  # zeros in multiples of it are legal; 0: none are
    between: bool = False  # also between members


_PACKINGS = (
    Packing("gzip", re.compile(rb"\x1f\x8b"), _Inflate, padding=1),
    Packing("xz", re.compile(rb"\xfd7zXZ\0"), lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), padding=4, between=True),
    Packing(
        "zstandard",
        re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),  # a frame, or one that is skipped
        lambda: zstd().ZstdDecompressor(),
    ),
    Packing("bzip2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), bz2.BZ2Decompressor),
)


class _Members(io.RawIOBase):
    """The unpacked bytes of a packed stream, member after member."""

    def __init__(self, packing: Packing, stream: BinaryIO) -> None:
        self.packing, self.stream = packing, stream
        self.member, self.held, self.ended = 1, b"", False
        self.unpacker: _Unpacker = packing.unpacker()

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with what one step of unpacking gives; 0 at the end of a whole file."""
        while not self.ended:
            if self.unpacker.eof:
                self._next_member()
                continue
            more = bool(self.held) or not self.unpacker.needs_input or self._more()
            data, self.held = self.held, b""
            unpacked = self._unpacked(data, len(buffer))
            if unpacked:
                buffer[: len(unpacked)] = unpacked
                return len(unpacked)
            if not more and not self.unpacker.eof:
                raise self._damaged("the file ended before the data did")
        return 0

    def _unpacked(self, data: bytes, most: int) -> bytes:
        try:
            return self.unpacker.decompress(data, most)
        except _faults() as error:
            raise self._damaged(str(error)) from None

    def _next_member(self) -> None:
        """After a member: the next one, the end, or a fault."""
        if isinstance(self.unpacker, lzma.LZMADecompressor) and not lzma.is_check_supported(self.unpacker.check):
            raise self._damaged("unknown kind of checksum")
        self.held = self.unpacker.unused_data
        zeros = self._zeros() if self.packing.padding else 0
        if not self.held and not self._more():
            if zeros % (self.packing.padding or 1):
                raise DamagedError(
                    f"{zeros} zeros at the end; {self.packing.name} has multiples of {self.packing.padding}"
                )
            self.ended = True
            return
        while len(self.held) < TOLD_BY and self._more():
            pass
        legal = not zeros or (self.packing.between and not zeros % self.packing.padding)
        if not legal or not self.packing.begins.match(self.held):
            raise DamagedError(f"the bytes after member {self.member} are not {self.packing.name} data")
        self.member, self.unpacker = self.member + 1, self.packing.unpacker()

    def _zeros(self) -> int:
        """How many zeros follow a member; they are done with."""
        zeros = 0
        while self.held or self._more():
            rest = self.held.lstrip(b"\0")
            zeros += len(self.held) - len(rest)
            self.held = rest
            if rest:
                break
        return zeros

    def _more(self) -> bool:
        piece = self.stream.read(_READ)
        self.held += piece
        return bool(piece)

    def _damaged(self, why: str) -> DamagedError:
        return DamagedError(f"{self.packing.name}, member {self.member}: {why}" if self.member > 1 else why)


def unpacking(first: bytes, stream: BinaryIO) -> BinaryIO | None:
    """The unpacked bytes of a stream, told by its first bytes, not by a name; None where it is not packed.

    What is damaged raises `DamagedError` when it is reached: as `gzip -t`, `xz -t` and `zstd -t` refuse it, and more
    strictly than `bzip2 -t`, which leaves out what follows a member and is no member, also if that was one before.
    """
    for packing in _PACKINGS:
        if packing.begins.match(first):
            return cast("BinaryIO", io.BufferedReader(_Members(packing, stream), 1 << 17))
    return None


def _faults() -> tuple[type[Exception], ...]:
    """What unpacking damaged data raises; zstandard is loaded only where it is used."""
    loaded = sys.modules.get(_ZSTD_MODULE)
    theirs = () if loaded is None else (loaded.ZstdError,)
    return ValueError, EOFError, OSError, zlib.error, lzma.LZMAError, *theirs


def packed(data: bytes, name: str) -> bytes:
    """Pack by the ending of the file name, with a checksum; the same data always gives the same bytes."""
    ending = name.lower()
    if ending.endswith(".gz"):
        return gzip.compress(data, mtime=0)
    if ending.endswith(".bz2"):
        return bz2.compress(data)
    if ending.endswith(".xz"):
        return lzma.compress(data)
    if ending.endswith(".zst"):
        return zstd().compress(data, options={zstd().CompressionParameter.checksum_flag: 1})  # type: ignore[no-any-return]
    return data


def zstd() -> Any:
    """Python's own zstandard, or its copy for versions before 3.14."""
    return importlib.import_module(_ZSTD_MODULE)


# ---- Whether bytes are plain text of lines, of a size that can be read.

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
        from truegain.io.file_options import file_options  # here, as it loads numpy, and help needs none

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
