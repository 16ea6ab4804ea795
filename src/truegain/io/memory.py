"""What reading takes of a machine: memory, estimated before it begins, with how much may be taken; and threads."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, cast

from truegain.errors import InputError, TruegainError
from truegain.io import remote
from truegain.io.file_options import file_options
from truegain.io.files import (
    STANDARD_INPUT,
    PathLike,
    copied,
    copied_size,
    expand,
    filled,
    has_copy,
    is_paths,
    opened,
    read_failures,
    shown_path,
)
from truegain.io.formats import FORMATS, NESTED, kind_of
from truegain.io.plain_text import MOST_TIMES, Joined, in_bytes, memory_there, unpacking
from truegain.io.remote import is_remote
from truegain.message import arg, argname

# ---- What reading a file takes, told from how it begins: its text, and so much for every line and every topic.
#
# The figures are peaks of the process as measured, on files of long and short lines, of few topics and of many.

RUN_LINE, RUN_TOPIC = 60, 200  # bytes beside the text
JUDGED_LINE, JUDGED_TOPIC = 140, 150
STIRRED = 50  # more for each line of a run where those of a topic do not stand together
NESTED_PAIR = 320  # bytes for a pair of {topic: {document: number}}
PACKED = 30.0  # of a format that is no text: bytes for each of its own
WORST = 70  # bytes taken for each byte of a file at most, as of the shortest lines
KEPT_LINE = 26  # bytes kept of each line of a run that was matched with judgments, if half of it is judged
LOOKED_AT = 1 << 14  # bytes of the beginning


def line_of_head(head: bytes) -> float:
    """The mean length of a line; 1, not 0, where nothing is there, as of what tells no size: it is divided by."""
    return max(1, len(head)) / max(1, head.count(b"\n"))


def taken(head: bytes, name: str, *, judged: bool) -> float:
    r"""The bytes of memory that each byte of judgments, or of a run, takes that begins so, to be read and ordered.

    >>> round(taken(b"401 Q0 FBIS3-1 1 12.5 bm25\n" * 9, "bm25.run", judged=False), 1)
    4.0
    """
    try:
        kind = kind_of(head, shown_path(name))
    except InputError:  # told when it is read
        kind = None
    if kind is not None and kind != NESTED and FORMATS[kind].binary:
        return PACKED
    if kind is not None:
        mark, each = (b":", NESTED_PAIR) if kind == NESTED else (FORMATS[kind].row_mark, FORMATS[kind].row_memory)
        return 1 + each * max(1, head.count(mark)) / max(1, len(head))
    share = _topics_by_line(head)
    line, topic = (JUDGED_LINE, JUDGED_TOPIC) if judged else (RUN_LINE, RUN_TOPIC)
    more = topic * share if share else (0 if judged else STIRRED)
    return 1 + (line + more) / line_of_head(head)


def topics_about(head: bytes, size: int) -> int:
    """How many topics lines have that begin so; 0 where those of a topic do not stand together."""
    return int(_topics_by_line(head) * size / line_of_head(head))


def _topics_by_line(head: bytes) -> float:
    """How many topics there are for each line; 0 where lines of a topic do not stand together."""
    topics = [line.split(None, 1)[0] for line in head.splitlines() if line.strip()]
    changes = 1 + sum(a != b for a, b in pairwise(topics))
    if not topics or changes != len(set(topics)):
        return 0.0
    if changes == len(topics) > 1 and topics not in (sorted(topics), sorted(topics, key=lambda t: (len(t), t))):
        return 0.0  # each another one, and in no order: stirred lines of many topics
    return changes / len(topics)


# ---- How much memory reading takes, told before it begins, and how much may be taken.

SAMPLE = 1 << 22  # bytes of compressed data that are unpacked to see how much is in them
FLOOR = 1 << 28  # bytes of memory below which no promise is made
SPOOLED = 32  # a copy of a stream stays in memory up to such a share of what may be taken
ASKED = 8  # addresses asked for their size at a time
_MEMINFO = Path("/proc/meminfo")
_far: dict[str, int] = {}  # sizes of files at addresses, while they are read
_heads: dict[str, tuple[int, bytes]] = {}  # of those that were looked into
MemoryLike = int | float | str


def memory_of(memory: MemoryLike | None) -> int | None:
    """A number of bytes, as a number, or as text with a unit; None: nothing was said.

    >>> memory_of("2GB"), memory_of("1.5 GB"), memory_of("64MiB"), memory_of(4096)
    (2000000000, 1500000000, 67108864, 4096)
    """
    if memory is None:
        return None
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt])(i?)b?\s*", str(memory), re.IGNORECASE)
    if match is not None:
        unit = (1024 if match[3] else 1000) ** (1 + "KMGT".index(match[2].upper()))
        size = int(float(match[1]) * unit)
    else:
        size = int(memory) if isinstance(memory, int | float) and not isinstance(memory, bool) else 0
    if size < 1:
        raise TruegainError(f"{argname('memory', memory)} is not a size; give one with its unit, such as 2GB or 500MB")
    return size


def available() -> int:
    """The bytes of memory that are free for this process now."""
    try:
        match = re.search(r"^MemAvailable:\s*(\d+) kB", _MEMINFO.read_text(), re.MULTILINE)
    except OSError:  # not on Linux
        match = None
    return min(memory_there(), int(match[1]) * 1024) if match else memory_there()


def unpacked_size(path: PathLike) -> int:
    """The bytes that a file holds, guessed from its beginning where it is compressed; 0 where that is not known."""
    return _looked(os.fspath(path))[0]


def head_of(path: PathLike) -> bytes:
    """How a file begins, unpacked; nothing where its size is not known."""
    return _looked(os.fspath(path))[1]


def _looked(name: str) -> tuple[int, bytes]:
    """The size of a file, unpacked, and how it begins; a file at an address is asked once."""
    if name in _heads:
        return _heads[name]
    size = _size(name)
    if not size:
        return 0, b""
    with _opened(name) as stream:
        first = filled(stream, LOOKED_AT)
        counted = Joined(first, stream)
        unpacked = unpacking(first, cast("BinaryIO", counted))
        if unpacked is not None:
            sample = unpacked.read(SAMPLE)
            first, got = sample[:LOOKED_AT], len(sample)
            size = got if got < SAMPLE else got * size // max(1, min(counted.bytes_read, size))
    if name in _far:
        _heads[name] = size, first
    return size, first


def aligned_need(judgments: PathLike | None, runs: Sequence[PathLike], jobs: int, limit: int) -> int:
    """The bytes that runs matched with judgments take: so many runs are read at a time, and of each a part is kept.

    0 where files are so small that they need not be looked into; `limit` tells what is small.
    """
    judged_files = [] if judgments is None else [judgments]
    if sum(_each(_size, [*judged_files, *runs])) * MOST_TIMES * WORST <= limit:
        return 0
    judged, sizes = sum(map(unpacked_size, judged_files)), _each(unpacked_size, runs)
    order = sorted(range(len(runs)), key=lambda i: -sizes[i])
    most = sum(sizes[i] for i in order[:jobs])
    if WORST * (judged + most) + KEPT_LINE * sum(sizes) <= limit:
        return 0
    heads = [head_of(os.fspath(runs[i])) for i in order[:jobs]]
    read = sum(
        taken(head, os.fspath(runs[i]), judged=False) * sizes[i] for head, i in zip(heads, order[:jobs], strict=True)
    )
    read += sum(taken(head_of(os.fspath(path)), os.fspath(path), judged=True) * judged for path in judged_files)
    lines = (sum(sizes) - most) / line_of_head(b"".join(heads)) if heads else 0
    return int(read + KEPT_LINE * lines)


def needs_batches(runs: object, judgments: object, jobs: int, memory: MemoryLike | None) -> bool:
    """Whether files of runs and judgments take more memory than may be taken: `memory`, or half of what is there."""
    files = _files(runs)
    if not isinstance(judgments, str | os.PathLike) or not files or file_options().gold is not None:
        return False
    limit = limit_of(memory)
    return aligned_need(judgments, files, jobs, limit) > limit


@contextmanager
def streams_copied(runs: object, judgments: object, memory: MemoryLike | None) -> Iterator[None]:
    """Meanwhile standard input, pipes, and addresses that tell no size are copies, whose size is known.

    They stay in memory while they are a small share of what may be taken, and are then on disk.
    """
    names = [os.fspath(judgments), *_files(runs)] if isinstance(judgments, str | os.PathLike) else []
    names = names if len(names) > 1 and file_options().gold is None else []
    far = [name for name in names if is_remote(name)]
    _far.update(zip(far, _each(_size, far), strict=True))
    once = [name for name in names if (not _far[name] if is_remote(name) else _is_stream(name))]
    try:
        with copied(once, _opened, shown_path, limit_of(memory) // SPOOLED if once else 0):
            yield
    finally:
        for name in far:
            _far.pop(name, None)
            _heads.pop(name, None)


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    with read_failures(shown_path(name)), opened(name) as stream:
        yield stream


def _is_stream(name: str) -> bool:
    """Whether it can be read only once: standard input, a pipe, a device."""
    exists = os.path.exists(name) and not os.path.isdir(name)  # noqa: PTH110,PTH112  Path fails on a very long name
    return name == STANDARD_INPUT or (exists and not os.path.isfile(name))  # noqa: PTH113


def check_aligned(runs: object, judgments: object, jobs: int, memory: MemoryLike | None = None) -> None:
    """Refuse files of runs and judgments that take more memory than `memory`, or than there is."""
    path = judgments if isinstance(judgments, str | os.PathLike) else None
    limit = limit_of(memory, 1.0)
    why = "; only line-based files, scored by measures that go topic by topic, can be read in batches"
    check_memory(aligned_need(path, _files(runs), jobs, limit), limit, why)


def check_held(runs: object) -> None:
    """Refuse files of runs that all stay in memory and take more than there is."""
    limit = limit_of(None, 1.0)
    check_memory(held_need(_files(runs), limit), limit)


def _files(runs: object) -> list[str]:
    """The files that runs are read from; none where they are something else."""
    if isinstance(runs, str | os.PathLike):
        return expand([runs])
    return expand(runs) if is_paths(runs) else []  # type: ignore[arg-type]


def limit_of(memory: MemoryLike | None, share: float = 0.5) -> int:
    """The bytes that may be taken: as was said, or a share of what is available."""
    return memory_of(memory) or file_options().memory or int(share * available())


def held_need(runs: Sequence[PathLike], limit: int) -> int:
    """The bytes that runs take which all stay in memory."""
    if sum(_each(_size, runs)) * MOST_TIMES * WORST <= limit:
        return 0
    sizes = _each(unpacked_size, runs)
    if sum(sizes) * WORST <= limit:
        return 0
    names = [os.fspath(run) for run in runs]
    return int(sum(taken(head_of(name), name, judged=False) * size for name, size in zip(names, sizes, strict=True)))


def check_memory(need: int, limit: int, why: str = "") -> None:
    """Refuse work that takes more memory than there is, before it begins."""
    if need > limit:
        raise InputError(
            f"this needs about {in_bytes(need)} of memory, and the limit is {in_bytes(limit)}{why}",
            hint="give fewer runs or topics at a time, use a machine with more memory, or raise the limit with "
            f"{arg('memory')}",
        )


def _size(path: PathLike) -> int:
    """The size of a file as it lies there; 0 where there is none, or it is not told, as of standard input."""
    name = os.fspath(path)
    if has_copy(name):
        return copied_size(name)
    if is_remote(name):
        return _far[name] if name in _far else remote.size_of(name)
    try:
        return Path(name).stat().st_size if os.path.isfile(name) else 0  # noqa: PTH113
    except (OSError, ValueError):
        return 0


def _each(size: Callable[[PathLike], int], paths: Sequence[PathLike]) -> list[int]:
    """Sizes of files, those elsewhere asked for together."""
    with threads(ASKED if any(is_remote(os.fspath(path)) for path in paths) else 1) as each:
        return list(each(size, paths))


# ---- Cores, and threads that share work which frees the interpreter.


def cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def threads(jobs: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """`map` in so many threads, results in order; the plain one where one is enough, which starts sooner.

    >>> with threads(2) as each:
    ...     list(each(abs, [-1, 2]))
    [1, 2]
    """
    if jobs < 2:
        yield map
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(jobs) as pool:
        yield pool.map
