"""Columns of text: document ids as places in bytes, and short vocabularies as codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from truegain.errors import InputError
from truegain.tables import _scan

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Scalar = TypeVar("Scalar", bound=np.generic)


def shares(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> Floats:
    """Part over whole, not a number where there is no whole.

    >>> shares(np.array([1, 0]), np.array([4, 0])).tolist()
    [0.25, nan]
    """
    return np.asarray(np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0))


def distinct(values: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Different values, least first, as numpy's `unique` tells them, which would load masked arrays for it.

    >>> distinct(np.array([2.0, 0.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def frozen(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Make an array read-only and return it."""
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Ids:
    """Document ids: each a stretch of one text, with a hash to find it by.

    >>> ids = Ids.of(["d1", "d\u00e9"])
    >>> len(ids), ids.strings()
    (2, ['d1', 'd\u00e9'])
    """

    text: bytes
    start: Ints
    length: Codes
    hash: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def of(cls, strings: Sequence[str]) -> Ids:
        """Ids from strings."""
        encoded = [s.encode() for s in strings]
        length = np.fromiter(map(len, encoded), np.int32, len(encoded))
        return cls.stretches(b"".join(encoded), np.cumsum(length, dtype=np.int64) - length, length)

    @classmethod
    def stretches(cls, text: bytes, start: Ints, length: Codes) -> Ids:
        """Ids from their places in a text."""
        hashes = np.empty(len(start), np.uint64)
        _scan.hash_ids(text, start, length, hashes)
        return cls(text, frozen(start), frozen(length), frozen(hashes))

    def take(self, rows: npt.NDArray[Any]) -> Ids:
        """The ids of some rows, in that order."""
        return Ids(self.text, frozen(self.start[rows]), frozen(self.length[rows]), frozen(self.hash[rows]))

    def __getitem__(self, row: int) -> str:
        begin = int(self.start[row])
        return self.text[begin : begin + int(self.length[row])].decode()

    def strings(self) -> list[str]:
        """All ids as strings."""
        text, ends = self.text, self.start + self.length
        return [text[a:b].decode() for a, b in zip(self.start.tolist(), ends.tolist(), strict=True)]

    def numbered(self) -> tuple[Codes, Ints]:
        """A number for every id, equal for equal ids, in order of appearance; and the first row of each number."""
        code, first = np.empty(len(self), np.int32), np.empty(len(self), np.int64)
        distinct = _scan.intern(self.text, self.start, self.length, self.hash, code, first)
        return frozen(code), first[:distinct]

    def coded(self) -> Coded:
        """The same column as codes into its distinct values, in order of appearance."""
        code, first = self.numbered()
        return Coded(tuple(self.take(first).strings()), code)

    @property
    def arrays(self) -> tuple[bytes, Ints, Codes, npt.NDArray[np.uint64]]:
        """What the compiled functions take."""
        return self.text, self.start, self.length, self.hash


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of few distinct strings: `values`, and for every row the number of its value."""

    values: tuple[str, ...]
    code: Codes

    def __len__(self) -> int:
        return len(self.code)

    @classmethod
    def of(cls, strings: Iterable[str]) -> Coded:
        """Codes in order of appearance.

        >>> Coded.of(["b", "a", "b"]).values
        ('b', 'a')
        """
        rows = strings if isinstance(strings, list) else [*strings]
        number = {value: at for at, value in enumerate(dict.fromkeys(rows))}
        return cls(tuple(number), frozen(np.fromiter(map(number.__getitem__, rows), np.int32, len(rows))))

    def take(self, rows: npt.NDArray[Any]) -> Coded:
        """Some rows, in that order, with the same values."""
        return Coded(self.values, frozen(self.code[rows]))

    def strings(self) -> list[str]:
        """All rows as strings."""
        values = self.values
        return [values[c] for c in self.code.tolist()]

    def onto(self, values: Sequence[str]) -> Codes:
        """For every row the position of its value in another vocabulary, -1 where it has none."""
        where = {v: i for i, v in enumerate(values)}
        table = np.array([where.get(v, -1) for v in self.values], np.int32)
        return table[self.code] if len(table) else self.code

    def in_byte_order(self) -> Coded:
        """The same column with its values sorted as bytes, as trec_eval sorts topics."""
        values = tuple(sorted(self.values, key=str.encode))
        return Coded(values, frozen(self.onto(values)))


@dataclass(frozen=True, eq=False)
class Places:
    """Where the rows of a table stood in what was read: the number of the line or of the row."""

    unit: Literal["line", "row"]
    number: Ints

    @classmethod
    def rows(cls, count: int) -> Places:
        """Rows counted from 1."""
        return cls("row", frozen(np.arange(1, count + 1)))

    def of(self, row: int) -> dict[str, int]:
        """The place of a row, as `InputError` takes it."""
        return {self.unit: int(self.number[row])}

    def take(self, rows: npt.NDArray[Any]) -> Places:
        """The places of some rows, in that order."""
        return Places(self.unit, frozen(self.number[rows]))


def check_unicode(strings: Sequence[str], what: str, source: str, places: Places) -> None:
    """Refuse half surrogates, which Python strings may hold and UTF-8 may not."""
    try:
        "".join(strings).encode()
    except UnicodeEncodeError:
        row = next(i for i, s in enumerate(strings) if any("\ud800" <= c <= "\udfff" for c in s))
        raise InputError(
            f"{what} is not valid Unicode text",
            file=source,
            **places.of(row),
            text=ascii(strings[row]),
            hint="remove lone surrogates",
        ) from None
