"""Where bytes come from and go to: files, folders, globs, standard input, compressed or not."""

from __future__ import annotations

import codecs
import glob
import gzip
import importlib
import lzma
import os
import secrets
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from truegain.errors import InputError

STANDARD_INPUT = "-"
PathLike = str | os.PathLike[str]
COMPRESSED = (".gz", ".xz", ".zst")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PIECE = 1 << 23  # bytes decoded at a time
_PLAIN = (".txt", ".run", ".trec", ".res", ".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".qrels")


def read_bytes(path: PathLike) -> bytes:
    """All bytes of a file, or of standard input for '-', unpacked if gzip, xz or zstandard."""
    name = os.fspath(path)
    try:
        data = sys.stdin.buffer.read() if name == STANDARD_INPUT else Path(name).read_bytes()
    except FileNotFoundError:
        raise InputError("no such file", file=name, hint="check the path") from None
    except IsADirectoryError:
        raise InputError("this is a folder", file=name, hint="name a file; runs may also be a folder") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL inside the path
        raise InputError(f"cannot be read: {getattr(error, 'strerror', error)}", file=name) from None
    return _unpacked(data, name)


def plain_text(data: bytes, file: str) -> bytes:
    """The same bytes without a byte order mark, once they are known to be UTF-8 text."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError("this is UTF-16 text", file=file, hint="convert the file to UTF-8")
    if data.startswith(b"PK\x03\x04") or (data.startswith(b"BZh") and data[4:10] == b"1AY&SY"):
        what = "a zip archive" if data.startswith(b"PK") else "a bzip2 file"
        raise InputError(f"this is {what}", file=file, hint="unpack it, or compress with gzip, xz or zstandard")
    text = data.removeprefix(_BYTE_ORDER_MARK)
    place = text.find(b"\0") if text.isascii() else _first_bad(text)
    if place < 0:
        return text
    nul = text[place : place + 1] == b"\0"
    raise InputError(
        "a NUL byte: this is binary data or UTF-16, not UTF-8 text" if nul else "not UTF-8 text",
        file=file,
        line=line_of(text, place),
        text=line_at(text, place),
        hint="convert the file to UTF-8",
    )


def _first_bad(text: bytes) -> int:
    """The first byte that is NUL or not UTF-8, -1 where there is none; decoded piecewise to spare memory."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for begin in range(0, len(text), _PIECE):
        held = len(decoder.getstate()[0])
        try:
            decoder.decode(text[begin : begin + _PIECE], begin + _PIECE >= len(text))
        except UnicodeDecodeError as error:
            place = begin - held + error.start
            nul = text.find(b"\0", 0, place)
            return place if nul < 0 else nul
    return text.find(b"\0")


def line_of(text: bytes, offset: int) -> int:
    """The number of the line that holds a byte."""
    return text.count(b"\n", 0, offset) + 1


def line_at(text: bytes, offset: int, most: int = 1000) -> str:
    """The line that holds a byte, for a message: cut where it is very long."""
    begin = text.rfind(b"\n", 0, offset) + 1
    end = text.find(b"\n", offset)
    line = text[begin : min(end if end >= 0 else len(text), begin + most)]
    return line.rstrip(b"\r").decode(errors="replace")


def _unpacked(data: bytes, name: str) -> bytes:
    """Unpack by the first bytes, not by the file name, so that pipes and renamed files work."""
    try:
        if data.startswith(b"\x1f\x8b"):
            return gzip.decompress(data)
        if data.startswith(b"\xfd7zXZ\x00"):
            return lzma.decompress(data)
        if data.startswith(b"\x28\xb5\x2f\xfd"):
            return _unzstd(data)
    except (EOFError, OSError, zlib.error, lzma.LZMAError, ValueError) as error:
        raise InputError(
            f"damaged compressed data: {error}", file=name, hint="fetch or compress the file again"
        ) from None
    return data


def _unzstd(data: bytes) -> bytes:
    try:
        return zstd().decompress(data)  # type: ignore[no-any-return]
    except zstd().ZstdError as error:
        raise ValueError(str(error)) from None


def zstd() -> Any:
    """Python's own zstandard, or its copy for versions before 3.14."""
    return importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def _packed(data: bytes, name: str) -> bytes:
    """Pack by the ending of the file name; the same data always gives the same bytes."""
    if name.endswith(".gz"):
        return gzip.compress(data, mtime=0)
    if name.endswith(".xz"):
        return lzma.compress(data)
    if name.endswith(".zst"):
        return zstd().compress(data)  # type: ignore[no-any-return]
    return data


@contextmanager
def replaced(path: PathLike) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` only when all of it is written.

    A link keeps pointing where it points; a pipe or device, such as /dev/null, is written to as it is.
    """
    if "\0" in os.fspath(path):
        raise InputError("cannot be written: a NUL in the path", file=repr(path), hint="check the path")
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("wb") as stream:
                yield stream
            return
        if target.is_dir():
            raise InputError("this is a folder", file=str(path), hint="name a file to write")
        temporary = target.with_name(f".{secrets.token_hex(8)}.part")
        try:
            with temporary.open("xb") as stream:
                yield stream
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror or error}",
            file=str(path),
            hint="check the path and the space left",
        ) from None


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write whole or not at all; compressed if the name ends in .gz, .xz or .zst; '-' is standard output."""
    name = os.fspath(path)
    if name == STANDARD_INPUT:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    with replaced(path) as stream:
        stream.write(_packed(data, name))


def expand(paths: Iterable[PathLike]) -> list[str]:
    """Files behind paths, folders and globs, in a stable order.

    A folder stands for all files in it that are not hidden.
    """
    found: list[str] = []
    for path in paths:
        name = os.fspath(path)
        if name != STANDARD_INPUT and os.path.isdir(name):  # noqa: PTH112  Path.is_dir fails on a very long name
            files = _files_in(name)
            if not files:
                raise InputError("the folder holds no files", file=name, hint="name a folder of run files")
            found += files
        elif name != STANDARD_INPUT and glob.has_magic(name) and not os.path.exists(name):  # noqa: PTH110
            files = sorted(glob.glob(name))
            if not files:
                raise InputError("no file matches this pattern", file=name, hint="check the pattern")
            found += files
        else:
            found.append(name)
    return found


def _files_in(folder: str) -> list[str]:
    try:
        return sorted(str(p) for p in Path(folder).iterdir() if p.is_file() and not p.name.startswith("."))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=folder) from None


def system_name(path: PathLike) -> str:
    """The file name without folder and known endings.

    >>> system_name("runs/bm25.v2.run.gz")
    'bm25.v2'
    """
    name = Path(path).name
    for endings in (COMPRESSED, _PLAIN):
        for ending in endings:
            if name.endswith(ending) and name != ending:
                name = name.removesuffix(ending)
                break
    return name
