"""Inputs larger than memory: many topics, and one large file, evaluated and compared in a fresh process each.

    python -m benchmarks.huge topics --counts 100000,1000000,10000000
    python -m benchmarks.huge file --gigabytes 20

Files are made from a seed, and removed at the end.  Told are seconds, seconds of the processor (all threads), the peak
of memory of the process, and how time grows with topics: the exponent e of topics^e that fits best.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
ROWS = 2_000_000  # lines made at a time
FOURS = (np.arange(10_000)[:, None] // np.array([1000, 100, 10, 1]) % 10 + ord("0")).astype(np.uint8)
JUDGED = 2  # documents judged in each topic
SHIFT = {"a": 0.0, "b": 0.3}  # how much better each system is


@dataclass(frozen=True)
class Used:
    """What a process took."""

    seconds: float
    processor: float
    peak: float  # GB
    said: str


def digits(values: Ints, width: int, *, padded: bool = True) -> Bytes:
    """Numbers as columns of digits; 0 bytes, left out later, in front of those that are shorter."""
    fours = [FOURS[values // 10**at % 10**4] for at in range(8, -1, -4)]
    out = np.concatenate(fours, axis=1)[:, 12 - width :]
    if not padded:
        out[:, :-1][values[:, None] < 10 ** np.arange(width - 1, 0, -1, dtype=np.int64)] = 0
    return out


def text(count: int, said: bytes) -> Bytes:
    """The same text on every line."""
    return np.broadcast_to(np.frombuffer(said, np.uint8), (count, len(said)))


def plain(whole: Bytes) -> bytes:
    """Lines out of characters, 0 bytes left out."""
    flat = whole.ravel()
    return bytes(flat[flat != 0])


def write_run(
    stream: BinaryIO, name: str, topics: int, depth: int, shuffled: bool = False, largest: float = 1e18
) -> int:
    """A run: so many documents for each topic, by falling score, a relevant one among them; the topics written."""
    random = np.random.default_rng([7, ord(name)])
    block = max(1, ROWS // depth)
    rank = np.tile(np.arange(1, depth + 1), block)
    rows, first, written = len(rank), 0, 0
    docs = digits(np.repeat(np.arange(block), depth) * 7919 % 90_000 * 1000 + rank, 9)
    score = digits(1_000_000 - rank * 613 - random.integers(0, 500, rows), 7)
    whole = np.concatenate(
        [
            text(rows, b"00000000 Q0 D"), docs, text(rows, b" "), digits(rank, 4, padded=False),
            text(rows, b" 1."), score, text(rows, b" " + name.encode() + b"\n"),
        ],
        axis=1,
    )  # fmt: skip
    order = random.permutation(rows) if shuffled else None
    while first < topics and written < largest:
        topic = np.arange(first + 1, min(first + block, topics) + 1)
        here = whole[: len(topic) * depth]
        here[:, :8] = np.repeat(digits(topic, 8, padded=False), depth, axis=0)
        place = (random.random(len(topic)) ** (1 + SHIFT[name]) * depth).astype(np.int64)
        relevant = np.arange(0, len(here), depth) + place
        here[relevant, 13:22] = digits(topic + 100_000_000, 9)
        data = plain(here if order is None else here[order[order < len(here)]])
        here[relevant, 13:22] = docs[relevant]
        stream.write(data)
        first, written = first + len(topic), written + len(data)
    return first


def write_judgments(stream: BinaryIO, topics: int) -> None:
    """One relevant document for each topic, which both systems find, and one that none finds."""
    for first in range(0, topics, ROWS):
        topic = np.repeat(np.arange(first + 1, min(first + ROWS, topics) + 1), JUDGED)
        second, rows = np.arange(len(topic)) % JUDGED, len(topic)
        columns = [
            digits(topic, 8, padded=False), text(rows, b" 0 D"), digits(topic + 100_000_000 + second * 400_000_000, 9),
            text(rows, b" "), digits(1 + topic % 3 - second, 1), text(rows, b"\n"),
        ]  # fmt: skip
        stream.write(plain(np.concatenate(columns, axis=1)))


def run(*words: str) -> Used:
    """Run our command in a process of its own."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([sys.executable, "-m", "truegain", *words], stdout=out, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - began
        out.seek(0)
        said = out.read().decode()
    if status:
        raise SystemExit(f"truegain {' '.join(words)} failed:\n{said}")
    return Used(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6, said)


def exponent(counts: list[int], seconds: list[float]) -> float:
    """The slope of log seconds over log counts."""
    return float(np.polyfit(np.log(counts), np.log(seconds), 1)[0])


def tell(what: str, used: Used, words: str) -> None:
    """One line of the table."""
    print(f"{what:>12}  {words:<8} {used.seconds:8.1f} s  {used.processor:8.1f} s CPU  {used.peak:5.2f} GB", flush=True)


def many_topics(folder: Path, counts: list[int], memory: list[str]) -> None:
    """Two systems, 10 documents a topic: evaluated, and compared by 1,000 trials of the randomization test."""
    took: dict[str, list[float]] = {"eval": [], "compare": []}
    for count in counts:
        judgments, runs = folder / "qrels", [folder / "a.run", folder / "b.run"]
        with judgments.open("wb") as stream:
            write_judgments(stream, count)
        for path in runs:
            with path.open("wb") as stream:
                write_run(stream, path.stem, count, 10)
        files = [str(judgments), *map(str, runs)]
        used = run("eval", *files, "-m", "nDCG@10", "-m", "RR", *memory)
        tell(f"{count:,}", used, "eval")
        took["eval"].append(used.processor)
        used = run("compare", *files, "-m", "nDCG@10", "--test", "randomization", "--resamples", "1000", *memory)
        tell(f"{count:,}", used, "compare")
        took["compare"].append(used.processor)
        print(used.said, flush=True)
    for command, seconds in took.items():
        print(f"{command}: CPU seconds grow as topics^{exponent(counts, seconds):.2f}")


def large_file(folder: Path, gigabytes: float, shuffled: bool, memory: list[str]) -> None:
    """One run of lists of 1,000 documents."""
    path, judgments = folder / "a.run", folder / "qrels"
    with path.open("wb") as stream:
        topics = write_run(stream, "a", 10**8, 1000, shuffled, gigabytes * 1e9)
    with judgments.open("wb") as stream:
        write_judgments(stream, topics)
    print(f"{path.stat().st_size / 1e9:.2f} GB, {topics:,} topics, {'shuffled' if shuffled else 'sorted by topic'}")
    used = run("eval", str(judgments), str(path), "-m", "nDCG@10", "-m", "RR", *memory)
    tell(f"{gigabytes:g} GB", used, "eval")
    print(used.said)


def main() -> None:
    """Make files, run, tell, remove."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["topics", "file"])
    parser.add_argument("--counts", default="100000,1000000,10000000")
    parser.add_argument("--gigabytes", type=float, default=20)
    parser.add_argument(
        "--shuffled", action="store_true", help="lines of some 2,000 topics stirred, so that a copy is made"
    )
    parser.add_argument("--memory", help="given to our command")
    parser.add_argument("--folder", type=Path, help="where files are made (default: that of temporary files)")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="huge-", dir=given.folder))
    memory = ["--memory", given.memory] if given.memory else []
    try:
        if given.what == "topics":
            many_topics(folder, [int(count) for count in given.counts.split(",")], memory)
        else:
            large_file(folder, given.gigabytes, given.shuffled, memory)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
