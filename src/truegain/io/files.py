"""Where bytes come from and where they go: files, folders, globs, standard input and output, compressed or not.

Outputs are replaced whole or not at all; what can be read only once is copied.
"""

from __future__ import annotations

import errno
import glob
import io
import json
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from truegain.errors import ORDER, InputError, TruegainError, an, counted, some, why, without_secrets
from truegain.io import remote
from truegain.io.overwrite import check_unchanged, descriptor, is_file, reading, reading_standard_input, wrote
from truegain.io.plain_text import (
    COMPRESSED,
    COMPRESSIONS,
    PIECE,
    AnyBytes,
    Bounds,
    DamagedError,
    Endless,
    Joined,
    in_bytes,
    packed,
    unpacking,
)
from truegain.io.remote import is_irds, is_remote, lines_of

# ---- Where bytes come from: files, folders, globs, standard input, compressed or not.

STANDARD_INPUT = "-"
STANDARD_OUTPUT = "standard output"
PathLike = str | os.PathLike[str]

SNIFFED = 1 << 14  # bytes by which a large file is told
LZ4 = b"\x04\x22\x4d\x18"  # how such a file begins


_IN_TABLE = {  # how commands say that gold labels stand in the judgments' own table
    "column": "for gold labels, in Python read the table and take them: "
    "tg.read_judgments(..., columns={'gold': NAME}).gold()",
    "assessor": "in Python read the table and take one assessor's labels: tg.read_judgments(...).by(NAME)",
}


def file_name(path: object) -> str:
    """The name of a file; what is no path is refused.

    >>> file_name(Path("a.csv"))
    'a.csv'
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"cannot read {an(path)} as a file", hint="give a path")
    return os.fspath(path)


def is_paths(data: object) -> bool:
    """Whether this is a list of one or more paths."""
    return isinstance(data, list | tuple) and bool(data) and all(isinstance(d, str | os.PathLike) for d in data)


def read_bytes(path: PathLike) -> bytes:
    """All bytes of a file, here or at an address, or of standard input for '-', unpacked if packed.

    Read in pieces, so that what cannot be text of lines (binary data, a line of more than 1 MB) is
    refused when it is seen, and what would not fit into memory before it has filled it.
    """
    name = file_name(path)
    file = shown_path(name)
    with read_failures(file), opened(name) as stream:
        data = _gathered(stream, file)
    check_unchanged(name, data)
    return data


def read_any_bytes(path: PathLike) -> bytes:
    """All bytes of a file that may be no text, such as an archive, or text of lines of any length, such as JSON."""
    name = file_name(path)
    file = shown_path(name)
    buffer = io.BytesIO()
    with read_failures(file), opened(name) as stream:
        first = filled(stream, PIECE)
        counted = Joined(first, stream)
        unpacked = unpacking(first, cast("BinaryIO", counted))
        source = unpacked or cast("BinaryIO", counted)
        bounds = AnyBytes(b"", file, whole=False)
        while piece := filled(source, PIECE):
            bounds.look_at(piece, buffer.getvalue, counted.bytes_read if unpacked else None)
            buffer.write(piece)
    data = buffer.getvalue()
    check_unchanged(name, data)
    return data


def start_of(path: PathLike) -> bytes:
    """The first bytes of a file, unpacked: at most 1 MB."""
    return next(pieces_of(path), b"")


def pieces_of(path: PathLike) -> Iterator[bytes]:
    """The bytes of a file, unpacked, some at a time."""
    name = file_name(path)
    with read_failures(shown_path(name)), opened(name) as stream:
        first = filled(stream, PIECE)
        joined = cast("BinaryIO", Joined(first, stream))
        unpacked = unpacking(first, joined) or joined
        while piece := filled(unpacked, PIECE):
            yield piece


@contextmanager
def read_failures(file: str) -> Iterator[None]:
    """Tell failures of reading with the name of the file."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(
            "no such file", file=file, hint=_IN_TABLE.get(file.partition(":")[0], "check the path")
        ) from None
    except IsADirectoryError:
        _refuse_splits(file)
        if (parts := saved_parts(file)) is not None:
            one = f"name its file, {shown_path(parts[0])}" if len(parts) == 1 else "save it by to_parquet as one file"
            raise InputError("this dataset is a folder, which cannot be read here", file=file, hint=one) from None
        raise InputError(
            "this is a folder", file=file, hint=f"name a file; only runs may be a folder: {ORDER}"
        ) from None
    except DamagedError as error:
        problem = f"damaged compressed data: {error}"
        raise InputError(problem, file=file, hint="fetch or compress the file again") from None
    except OSError as error:
        raise InputError(f"cannot be read: {why(error)}", file=file, hint="check the path") from None


def is_seekable(name: str) -> bool:
    """Whether any stretch of it can be read: a file on this machine, or a copy of what is read once."""
    return not is_remote(name) and not is_irds(name) and can_be_read_again(name)


def can_be_read_again(name: str) -> bool:
    """Whether it can be opened a second time: a file, here or elsewhere, or a copy of what is read once."""
    return has_copy(name) or is_file(name)


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """A file to read, or standard input, noted as an input."""
    if (copy := copy_of(name)) is not None:
        yield copy
        return
    if not can_be_a_name(name):
        raise InputError(f"cannot be read: {name!r} names no file", hint="check the path")
    if is_remote(name):
        with remote.reading_from(name) as far:
            yield far
        return
    if is_irds(name):
        yield io.BytesIO(lines_of(name))
        return
    if name != STANDARD_INPUT:
        with Path(name).open("rb", buffering=0) as stream:
            reading(stream.fileno(), shown_path(name))
            yield cast("BinaryIO", stream)
        return
    reading_standard_input()
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None or buffer.closed:
        raise InputError("cannot be read: it is closed", file=shown_path(name), hint="name a file, or give it input")
    reading(descriptor(buffer), shown_path(name))
    yield buffer


def _gathered(raw: BinaryIO, file: str) -> bytes:
    """All bytes of a stream, unpacked."""
    size = _file_size(raw)
    first = filled(raw, PIECE if size <= PIECE else SNIFFED)
    if first.startswith(LZ4):
        raise InputError(
            "compressed with lz4, which truegain cannot read", file=file,
            hint=f"save it as .json (in ranx run.save('run.json')), or compress it with {COMPRESSIONS}",
        )  # fmt: skip
    counted = Joined(first, raw)
    unpacked = unpacking(first, cast("BinaryIO", counted))
    if unpacked is None and size > PIECE:
        return _whole(cast("io.FileIO", raw), first, size, file)
    stream = unpacked or raw
    piece = first if unpacked is None else filled(unpacked, PIECE)
    bounds, buffer = Bounds(piece, file, whole=len(piece) < PIECE), io.BytesIO()
    while piece:
        bounds.look_at(piece, buffer.getvalue, counted.bytes_read if unpacked else None)
        buffer.write(piece)
        piece = stream.read(PIECE)
    return buffer.getvalue()


def _whole(raw: io.FileIO, first: bytes, size: int, file: str) -> bytes:
    """A plain file of known size, read in one go to where it stays."""
    bounds = Bounds(first, file, whole=False, size=size)
    raw.seek(0)
    data = raw.readall()
    bounds.look_at_all(data)
    return data


def _file_size(raw: BinaryIO) -> int:
    """The size of a file that was opened here, 0 where it is not known."""
    return os.fstat(raw.fileno()).st_size if isinstance(raw, io.FileIO) else 0


def can_be_a_name(name: str) -> bool:
    """Whether the system can be asked for a file of this name."""
    try:
        return b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False


def shown_path(path: PathLike) -> str:
    r"""A path as it can be printed: bytes of a file name that are not UTF-8, and lone surrogates, as escapes.

    An address is shown without user, password and query.

    >>> shown_path("runs/caf\udce9.run"), shown_path("runs/caf\ud8e9.run")
    ('runs/caf\\xe9.run', 'runs/caf\\ud8e9.run')
    """
    name = without_secrets(os.fspath(path))
    if name == STANDARD_INPUT:
        return "standard input"
    try:
        return os.fsencode(name).decode(errors="backslashreplace")
    except UnicodeEncodeError:
        return name.encode(errors="backslashreplace").decode()


def expand(paths: Iterable[PathLike]) -> list[str]:
    """Files behind paths, addresses, folders and globs, in a stable order.

    A folder stands for all files in it that are not hidden; one that Hugging Face datasets saved is a table itself.
    """
    expanded: list[str] = []
    for path in paths:
        name = os.fspath(path)
        if saved_parts(name) is not None:
            expanded.append(name)
        elif is_folder(name):
            _refuse_splits(name)
            files = remote.files_in(name) if is_remote(name) else _files_in(name)
            if not files:
                raise InputError("the folder has no files", file=shown_path(name), hint="name a folder of run files")
            if about := [file for file in files if _is_about(file)]:
                raise InputError(
                    f"this folder of runs also contains {Path(about[0]).name}, which is not a run",
                    file=shown_path(name), hint=f"move it elsewhere, or name the runs, as in {shown_path(name)}/*.run",
                )  # fmt: skip
            expanded += files
        else:
            expanded += matched(name)
    return expanded


def is_folder(name: str) -> bool:
    """Whether a path or an address is that of a folder."""
    if is_remote(name):
        return not remote.has_pattern(name) and remote.is_folder(name)
    return name != STANDARD_INPUT and os.path.isdir(name)  # noqa: PTH112  Path.is_dir fails on a very long name


def matched(name: str) -> list[str]:
    """The files that a pattern stands for, or the name itself where it is none."""
    if is_remote(name):
        if not remote.has_pattern(name):
            return [name]
        files = remote.matching(name)
    elif name == STANDARD_INPUT or not glob.has_magic(name) or os.path.exists(name):  # noqa: PTH110
        return [name]
    else:
        files = sorted(glob.glob(name))
    if not files:
        raise InputError("no file matches this pattern", file=shown_path(name), hint="check the pattern")
    return files


# ---- A folder that Hugging Face datasets wrote by `save_to_disk`.


def saved_parts(folder: str) -> list[str] | None:
    """The files of a table that Hugging Face datasets saved in a folder; None where it is no such folder.

    Only those that it lists itself: beside them lie caches, and files of earlier saves.

    >>> saved_parts("runs") is None
    True
    """
    listed = _about_saved(folder, "state.json").get("_data_files")
    if not isinstance(listed, list):
        return None
    names = [str(part.get("filename")) for part in listed if isinstance(part, dict) and part.get("filename")]
    if elsewhere := [name for name in names if Path(name).name != name]:
        raise InputError(
            f"state.json lists {elsewhere[0]}, which is not in this folder", file=shown_path(folder),
            hint="save the dataset again",
        )  # fmt: skip
    return [str(Path(folder, name)) for name in names]


def _refuse_splits(folder: str) -> None:
    """Refuse a folder that holds several saved tables, as of training and test."""
    splits = _about_saved(folder, "dataset_dict.json").get("splits")
    if isinstance(splits, list) and splits:
        raise InputError(
            f"this holds {counted(len(splits), 'table')}, {some(list(map(str, splits)))}", file=shown_path(folder),
            hint=f"name one of them, such as {shown_path(Path(folder, str(splits[0])))}",
        )  # fmt: skip


def _about_saved(folder: str, file: str) -> dict[str, object]:
    """What a file in a saved folder says; nothing where there is none."""
    if is_remote(folder) or folder == STANDARD_INPUT or not can_be_a_name(folder):
        return {}
    try:
        whole = json.loads(Path(folder, file).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return whole if isinstance(whole, dict) else {}


def _is_about(file: str) -> bool:
    """Whether a file says what is in a folder, as its name tells."""
    stem, suffix = os.path.splitext(os.path.basename(file))  # noqa: PTH119,PTH122  asked of every file of a folder
    return stem.upper() in ("README", "LICENSE", "LICENCE", "CHANGELOG") or suffix.lower() in (".md", ".rst")


def _files_in(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(e.name for e in entries if not e.name.startswith(".") and e.is_file())
    except OSError as error:
        raise InputError(
            f"cannot be read: {why(error)}", file=shown_path(folder), hint="check the path, and who may read it"
        ) from None
    root = "" if (short := str(Path(folder))) == "." else short
    return [os.path.join(root, name) for name in names]  # noqa: PTH118  of many files


# ---- Where bytes go: files, which are replaced whole or not at all, and standard output; compressed or not.


@contextmanager
def replaced(path: PathLike) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` only when all of it is written.

    A link keeps pointing where it points, and a file keeps its mode; a pipe or device, such as /dev/null, and what is
    open already, such as /dev/stdout, are written to as they are.
    """
    name, file = os.fspath(path), shown_path(path)
    if not name or not can_be_a_name(name):
        raise InputError(f"cannot be written: {name!r} names no file", hint="check the path")
    if is_remote(name) or is_irds(name):
        raise InputError("truegain writes local files only", file=file, hint="write it to this machine, then copy it")
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
        existed = target.exists()
        if existed and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        temporary = target.with_name(f".{os.urandom(8).hex()}.part")
        try:
            with temporary.open("xb") as stream:
                if existed:
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
    """Write bytes that come some at a time, whole or not at all; they are held together only to be compressed."""
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
