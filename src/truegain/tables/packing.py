"""Compressed bytes: unpacked piece by piece, packed by the ending of a name."""

from __future__ import annotations

import gzip
import importlib
import io
import lzma
import sys
import zlib
from typing import Any, BinaryIO, cast

COMPRESSED = (".gz", ".xz", ".zst")
_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_ZSTD_MODULE = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


class Joined(io.RawIOBase):
    """A stream whose first bytes were already read, which counts the bytes it gives."""

    def __init__(self, first: bytes, rest: BinaryIO) -> None:
        self.first, self.rest, self.given = first, rest, 0

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
        self.given += count or 0
        return int(count or 0)


def unpacking(first: bytes, stream: BinaryIO) -> BinaryIO | None:
    """The unpacked bytes of a stream, told by its first bytes, not by a name; None where it is not packed."""
    if first.startswith(_GZIP):
        return cast("BinaryIO", gzip.GzipFile(fileobj=stream))
    if first.startswith(_XZ):
        return cast("BinaryIO", lzma.LZMAFile(stream))
    if first.startswith(_ZSTD):
        return cast("BinaryIO", zstd().ZstdFile(stream))
    return None


def damage() -> tuple[type[Exception], ...]:
    """What reading damaged compressed data raises; zstandard is loaded only where it is used."""
    loaded = sys.modules.get(_ZSTD_MODULE)
    return EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, *(() if loaded is None else (loaded.ZstdError,))


def packed(data: bytes, name: str) -> bytes:
    """Pack by the ending of the file name; the same data always gives the same bytes."""
    ending = name.lower()
    if ending.endswith(".gz"):
        return gzip.compress(data, mtime=0)
    if ending.endswith(".xz"):
        return lzma.compress(data)
    if ending.endswith(".zst"):
        return zstd().compress(data)  # type: ignore[no-any-return]
    return data


def zstd() -> Any:
    """Python's own zstandard, or its copy for versions before 3.14."""
    return importlib.import_module(_ZSTD_MODULE)
