"""Columns of text, and tables of them as they stand in files.

Document ids are places in bytes, short vocabularies are codes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeVar, overload

import numpy as np
import numpy.typing as npt

from truegain.errors import InputError
from truegain.io import _scan

# ---- Columns of text: document ids as places in bytes, and short vocabularies as codes.

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
        """The column as codes into its distinct values, in order of appearance."""
        code, first = self.numbered()
        return Coded(tuple(self.take(first).strings()), code)

    @property
    def arrays(self) -> tuple[bytes, Ints, Codes, npt.NDArray[np.uint64]]:
        """The text, where ids begin and how long they are, and their hashes, as the compiled functions take them."""
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
        """The column with its values sorted as bytes, as trec_eval sorts topics."""
        values = tuple(sorted(self.values, key=str.encode))
        return Coded(values, frozen(self.onto(values)))


@dataclass(frozen=True, eq=False)
class Places:
    """Where the rows of a table stood in what was read: the number of the line or of the row.

    entries: where rows are entries of lists, the name of the list and the number of each row's entry; the outer first.
    """

    unit: Literal["line", "row"]
    number: Ints
    entries: tuple[tuple[str, Ints], ...] = ()

    @classmethod
    def rows(cls, count: int) -> Places:
        """Rows counted from 1."""
        return cls("row", frozen(np.arange(1, count + 1)))

    def of(self, row: int) -> dict[str, Any]:
        """The place of a row, as `InputError` takes it."""
        entry = ", ".join(f"entry {at[row]} of {name}" for name, at in self.entries)
        return {self.unit: int(self.number[row])} | ({"entry": entry} if entry else {})

    def take(self, rows: npt.NDArray[Any]) -> Places:
        """The places of some rows, in that order."""
        return Places(self.unit, frozen(self.number[rows]), tuple((of, frozen(at[rows])) for of, at in self.entries))

    def within(self, name: str, numbers: Sequence[int]) -> Places:
        """The places of rows that are entries of a list, with the number of each."""
        return Places(self.unit, self.number, (*self.entries, (name, frozen(np.array(numbers, np.int64)))))


def place_in_words(place: Mapping[str, Any]) -> str:
    """A place, as `InputError` takes it, within a sentence.

    >>> place_in_words({"file": "a.jsonl", "line": 3, "entry": "entry 2 of hits"}), place_in_words({"row": 7})
    ('line 3, entry 2 of hits', 'row 7')
    """
    where = f"line {place['line']}" if "line" in place else f"row {place['row']}"
    return f"{where}, {place['entry']}" if "entry" in place else where


def first_place(earlier: Mapping[str, Any], place: Mapping[str, Any]) -> str:
    """Where something that appears twice does so first; within one list, that is an entry of the same line or row.

    >>> first_place({"line": 3, "entry": "entry 1 of hits"}, {"line": 3, "entry": "entry 2 of hits"})
    'as entry 1 of hits in the same line'
    """
    unit = "line" if "line" in place else "row"
    if "entry" in place and earlier.get(unit) == place[unit]:
        return f"as {earlier['entry']} in the same {unit}"
    return f"on {place_in_words(earlier)}"


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


# ---- Many names in little memory: one text, and where each name begins in it.

AT_ONCE = 1 << 16  # names made into strings together


class Names(Sequence[str]):
    """A sequence of names that takes their bytes and 8 more for each, where a tuple of strings takes about 60 more.

    >>> names = Names.of(["101", "102", "é"])
    >>> len(names), names[2], names[:2], list(names) == ["101", "102", "é"], names == ("101", "102", "é")
    (3, 'é', ('101', '102'), True, True)
    """

    def __init__(self, text: bytes, start: Ints) -> None:
        self.text, self.start = text, start

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """From strings."""
        encoded = [name.encode() for name in names]
        return cls(b"".join(encoded), np.cumsum([0, *map(len, encoded)], dtype=np.int64))

    @classmethod
    def joined(cls, parts: Sequence[Names]) -> Names:
        """The names of several, one after the other."""
        sizes = np.cumsum([0, *(len(part.text) for part in parts)])
        starts = [part.start[:-1] + size for part, size in zip(parts, sizes.tolist(), strict=False)]
        return cls(b"".join(part.text for part in parts), np.concatenate([*starts, sizes[-1:]]))

    def __len__(self) -> int:
        return len(self.start) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...

    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        place = range(len(self))[at]
        return self.text[int(self.start[place]) : int(self.start[place + 1])].decode()

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), AT_ONCE):
            ends = self.start[first : first + AT_ONCE + 1].tolist()
            for begin, end in pairwise(ends):
                yield self.text[begin:end].decode()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Names | tuple) or len(self) != len(other):
            return False
        return all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


# ---- Tables as they stand in files: columns of cells under the names their owner gave, and the names that we know.

COLUMNS: dict[str, tuple[str, ...]] = {
    "topic": (
        "topic", "query_id", "qid", "topic_id", "q_id", "question_id", "queryid", "questionid", "topicid", "query",
    ),
    "doc": (
        "doc", "doc_id", "docno", "docid", "passage_id", "document_id", "corpus_id", "passageid", "documentid",
        "corpusid", "document", "pid", "chunk_id", "chunkid",
    ),
    "label": ("label", "relevance", "rel", "grade", "gain", "judgment", "rating", "value"),
    "score": ("score", "sim", "similarity", "cosine", "cosine_similarity"),
    "rank": ("rank", "position"),
    "system": ("system", "run", "run_id"),
    "subtopic": ("subtopic", "iteration", "intent"),
    "assessor": ("assessor", "worker", "judge", "rater", "annotator"),
}  # fmt: skip
_OURS = {theirs: ours for ours, names in COLUMNS.items() for theirs in names}
BEIR = {"query_id", "corpus_id", "score"}  # all columns of its qrels, where a score is a label
# what else may be known of a judgment; backs and sent_back are of its unit: uses of the back button, failed checks;
# chosen says what asked for it, see `chosen_rows` of `Judgments`; replicate counts how often a judge was asked, and
# status says why a label is missing
EXTRA = (
    "unit", "seconds", "comment", "order", "gold", "anchor", "backs", "sent_back", "model", "chosen", "replicate",
    "status",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class RawTable:
    """Columns as lists, in the order of the file, and the line each row begins on."""

    columns: list[str]
    values: list[list[Any]]
    places: Places
    guarded: bool = False  # of CSV and TSV: ids that a spreadsheet would run have a quote before them, see `harmless`

    def column(self, at: int) -> list[Any]:
        """The values of one column."""
        return self.values[at]


def plain_name(name: str) -> str:
    """A column's name as it is looked up: query-id and "Query ID" are query_id.

    >>> plain_name(" Query-ID ")
    'query_id'
    """
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def our_name(name: str) -> str | None:
    """Our name of a column that its owner calls otherwise; None where we know no such name.

    >>> our_name("Passage-ID"), our_name("grade"), our_name("url")
    ('doc', 'label', None)
    """
    return _OURS.get(plain_name(name))


def names_columns(cells: Sequence[str], renamed: Mapping[str, str] | None = None) -> bool:
    """Whether the cells of a line are names of columns, a topic's and a document's among them, perhaps other ones."""
    names = {name.strip().strip('"').lower() for name in cells}
    ours = {our_name(name) for name in names}
    has = (o in ours or names & {*parts_of((renamed or {}).get(o, ""))} for o in ("topic", "doc"))
    return all(has) and not any(map(is_number, names))


def parts_of(name: str) -> list[str]:
    """The columns that a name such as query+facet joins."""
    return [part.strip().lower() for part in name.split("+")] if name else []


def of_objects(rows: Sequence[Mapping[str, Any]], places: Places) -> RawTable:
    """A table of objects, a column for every name that one of them has."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return RawTable(names, [[row.get(name) for row in rows] for name in names], places)


def number_of(value: Any) -> float | None:
    """A number, or text that is one as in a TREC file, as float; None for everything else."""
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def plain_numbers(values: Sequence[Any]) -> npt.NDArray[np.float64] | None:
    """What `number_of` says of each value, at once, where all are text of a number; None where one is not, or is NaN.

    >>> plain_numbers(["1", "2.5"]), plain_numbers(["1", "high"])
    (array([1. , 2.5]), None)
    """
    try:
        text = "".join(values)
        numbers = np.fromiter(map(float, values), np.float64, len(values))
    except (TypeError, ValueError):
        return None
    return None if "_" in text or not text.isascii() or np.isnan(numbers).any() else numbers


def is_bool(value: object) -> bool:
    """Whether a value is true or false, which can be a label and not a score."""
    return isinstance(value, bool | np.bool_)


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    return number_of(text) is not None
