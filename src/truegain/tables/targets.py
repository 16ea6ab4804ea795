"""Where bytes go: files, which are replaced whole or not at all, and standard output; compressed or not."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from truegain.addresses import is_remote
from truegain.errors import InputError, why
from truegain.tables.guard import wrote
from truegain.tables.packing import COMPRESSED, packed
from truegain.tables.sources import STANDARD_INPUT, PathLike, can_be_a_name, shown_path

STANDARD_OUTPUT = "standard output"


@contextmanager
def replaced(path: PathLike) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` only when all of it is written.

    A link keeps pointing where it points, and a file keeps its mode; a pipe or device, such as /dev/null, and what is
    open already, such as /dev/stdout, are written to as they are.
    """
    name, file = os.fspath(path), shown_path(path)
    if not name or not can_be_a_name(name):
        raise InputError(f"cannot be written: {name!r} names no file", hint="check the path")
    if is_remote(name):
        raise InputError("only files on this machine are written", file=file, hint="write it here, then copy it")
    if name.endswith(("/", os.sep)):
        raise InputError("this is a folder", file=file, hint="name a file to write")
    with write_failures(file):
        if (number := _own_descriptor(name)) is not None:
            sys.stdout.flush()
            with os.fdopen(os.dup(number), "wb") as stream:
                yield stream
            return
        target = Path(os.path.realpath(path))
        if target.is_symlink():  # it leads to itself
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("wb") as stream:
                yield stream
            return
        if target.is_dir():
            raise InputError("this is a folder", file=file, hint="name a file to write")
        there = target.exists()
        if there and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        temporary = target.with_name(f".{os.urandom(8).hex()}.part")
        try:
            with temporary.open("xb") as stream:
                if there:
                    temporary.chmod(stat.S_IMODE(target.stat().st_mode))
                yield stream
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        wrote(name)


def _own_descriptor(name: str) -> int | None:
    """The number of the open file that a name such as /dev/stdout or /dev/fd/3 stands for; None where for none."""
    path = Path(name)
    for _ in range(8):  # links to links
        folder = os.path.realpath(path.absolute().parent)
        if path.name.isdigit() and folder in (f"/proc/{os.getpid()}/fd", "/dev/fd"):
            return int(path.name)
        if not path.is_symlink():
            return None
        path = path.parent / path.readlink()
    return None


@contextmanager
def write_failures(file: str) -> Iterator[None]:
    """Tell failures of writing with the name of the file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(
            f"cannot be written: {why(error)}",
            file=file,
            hint="check the path and the space left",
        ) from None


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write whole or not at all; compressed if the name ends in .gz, .bz2, .xz or .zst; '-' is standard output."""
    name = os.fspath(path)
    if name == STANDARD_INPUT:
        _write_out(data)
        return
    with replaced(path) as stream:
        stream.write(packed(data, name))


def write_pieces(path: PathLike, pieces: Iterable[bytes]) -> None:
    """The same of bytes that come some at a time; they are held together only where they are compressed."""
    name = os.fspath(path)
    if name.lower().endswith(COMPRESSED):
        write_bytes(path, b"".join(pieces))
    elif name == STANDARD_INPUT:
        for piece in pieces:
            _write_out(piece)
    else:
        with replaced(path) as stream:
            for piece in pieces:
                stream.write(piece)


def _write_out(data: bytes) -> None:
    """Write all to standard output, which may take a part at a time where Python is told not to buffer."""
    stream, left = sys.stdout.buffer, memoryview(data)
    try:
        if getattr(sys.stdout, "isatty", bool)():  # which knows what a terminal may be shown
            sys.stdout.write(data.decode(errors="backslashreplace"))
            sys.stdout.flush()
            left = left[:0]
        while left:
            left = left[stream.write(left) or 0 :]
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        problem = f"cannot be written: {why(error)}"
        raise InputError(problem, file=STANDARD_OUTPUT, hint="check that it is open and has space") from None
    wrote(STANDARD_OUTPUT)
