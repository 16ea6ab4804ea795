"""Names in order of their hash: found by bisection, on disk or in memory, without a table that must be built first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.tables.columns import Codes, Ids, Ints
from truegain.tables.guard import reading

UInt64s = npt.NDArray[np.uint64]


def on_disk(path: Path, dtype: str) -> npt.NDArray[Any]:
    """A raw array in a file, read where it is looked at."""
    reading(path, str(path))
    if not path.stat().st_size:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, "r")


@dataclass(frozen=True, eq=False)
class Named:
    """Names sorted by hash; name i is text[start[i]:start[i + 1]].

    A hash only narrows the search; bytes decide.

    >>> names, order = Named.of(Ids.of(["d1", "d2"]))
    >>> names.find(Ids.of(["d2", "d3"])).tolist() == [order.tolist().index(1), -1]
    True
    """

    hash: UInt64s
    start: Ints
    text: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.hash)

    @classmethod
    def of(cls, ids: Ids) -> tuple[Named, Ints]:
        """From distinct ids; also the order they were put in."""
        order = np.argsort(ids.hash, kind="stable")
        return cls(ids.hash[order], *packed(ids.take(order))), order

    @classmethod
    def open(cls, folder: Path, name: str) -> Named:
        """From the files of a corpus."""
        return cls(
            on_disk(folder / f"{name}.hash", "<u8"),
            on_disk(folder / f"{name}.start", "<i8"),
            on_disk(folder / f"{name}.text", "u1"),
        )

    def find(self, ids: Ids) -> Ints:
        """For every id its place, -1 where it is not there."""
        place = np.searchsorted(self.hash, ids.hash)
        found = np.full(len(ids), -1, np.int64)
        open_ = np.flatnonzero(place < len(self))
        while len(open_):
            open_ = open_[self.hash[place[open_]] == ids.hash[open_]]
            same = np.array([self.bytes_of(int(place[i])) == _bytes(ids, int(i)) for i in open_], np.bool_)
            found[open_[same]] = place[open_[same]]
            open_ = open_[~same] if len(open_) else open_
            place[open_] += 1
            open_ = open_[place[open_] < len(self)]
        return found

    def bytes_of(self, row: int) -> bytes:
        """One name."""
        return self.text[int(self.start[row]) : int(self.start[row + 1])].tobytes()

    def strings(self, rows: npt.NDArray[Any]) -> list[str]:
        """Some names."""
        return [self.bytes_of(row).decode() for row in rows.tolist()]

    def ids(self, rows: npt.NDArray[Any]) -> Ids:
        """Some names as ids."""
        return Ids.of(self.strings(rows))


def packed(ids: Ids) -> tuple[Ints, npt.NDArray[np.uint8]]:
    """Where the names start when put one behind the other, and their bytes."""
    start = np.concatenate([[0], np.cumsum(ids.length, dtype=np.int64)])
    whole = np.frombuffer(ids.text, np.uint8)
    at = np.repeat(ids.start - start[:-1], ids.length) + np.arange(int(start[-1]))
    return start, whole[at]


def joined(parts: Sequence[tuple[Ints, npt.NDArray[np.uint8]]]) -> Ids:
    """Several packed stretches of names as one column of ids."""
    lengths = [np.diff(start) for start, _ in parts]
    length: Codes = np.concatenate([*lengths, np.empty(0, np.int64)]).astype(np.int32)
    text = b"".join(t.tobytes() for _, t in parts)
    return Ids.stretches(text, np.cumsum(length, dtype=np.int64) - length, length)


def _bytes(ids: Ids, row: int) -> bytes:
    begin = int(ids.start[row])
    return ids.text[begin : begin + int(ids.length[row])]
