"""Compressed bytes: unpacked piece by piece, packed by the ending of a name.

What is unpacked is whole or refused.  Every member of a file is read to its end, where its checksum stands, and what
follows it is another member, the padding that the format allows, or a fault: never left out in silence.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import re
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol, cast

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
