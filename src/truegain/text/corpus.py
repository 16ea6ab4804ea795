"""Corpus: the term statistics of a collection, the term counts of its documents, and how alike these are."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from truegain.errors import InputError, TruegainError, an, warn
from truegain.io.columns import Codes, Floats, Ids, Ints
from truegain.io.overwrite import reading
from truegain.io.remote import is_remote
from truegain.message import by_surface
from truegain.text.words import Cutting

# ---- Names in order of their hash: found by bisection, on disk or in memory, without a table that must be built
# first.

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
        columns = (("hash", "<u8"), ("start", "<i8"), ("text", "u1"))
        return cls(*(on_disk(folder / f"{name}.{column}", kind) for column, kind in columns))

    def find(self, ids: Ids) -> Ints:
        """For every id its place, -1 where it is not there."""
        place = np.searchsorted(self.hash, ids.hash)
        rows = np.full(len(ids), -1, np.int64)
        open_ = np.flatnonzero(place < len(self))
        while len(open_):
            open_ = open_[self.hash[place[open_]] == ids.hash[open_]]
            same = np.array([self.bytes_of(int(place[i])) == _bytes(ids, int(i)) for i in open_], np.bool_)
            rows[open_[same]] = place[open_[same]]
            open_ = open_[~same] if len(open_) else open_
            place[open_] += 1
            open_ = open_[place[open_] < len(self)]
        return rows

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


# ---- Corpus: the term statistics of a collection, and the term counts of its documents.

VERSION = 1
MANIFEST = "corpus.json"


@dataclass(frozen=True, eq=False)
class Part:
    """Documents of one piece: kept document k has postings begin[k] to begin[k + 1]; `onto` are the corpus' terms."""

    begin: Ints
    term: npt.NDArray[np.int32]
    count: npt.NDArray[np.int32]
    onto: npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Vectors:
    """Term counts of some documents: document d has rows begin[d] to begin[d + 1]."""

    begin: Ints
    term: Ints
    count: Ints

    @property
    def document(self) -> Ints:
        """The document of each row."""
        return np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))


@dataclass(frozen=True, eq=False)
class Corpus:
    """Term statistics of a collection, made once and read where needed.

    >>> corpus = Corpus.of({"d1": "a rose is a rose", "d2": "an iris"})
    >>> corpus.documents, corpus.tokens, len(corpus.terms)
    (2, 7, 5)
    """

    cutting: Cutting
    documents: int
    tokens: int
    terms: Named
    frequency: Ints  # of each term in the whole collection
    docs: Named  # documents with term counts
    part: npt.NDArray[np.int32]  # of each of these
    row: npt.NDArray[np.int32]  # in its part
    parts: tuple[Part, ...]
    manifest: Mapping[str, Any]
    source: str = "corpus"

    def __repr__(self) -> str:
        return f"Corpus({self.documents:,} documents, {self.tokens:,} words, {len(self.terms):,} terms)"

    @classmethod
    def of(cls, data: object, cutting: Cutting | None = None) -> Corpus:
        """A corpus as it is, the folder of one, or one made in memory from a dict of texts."""
        if isinstance(data, Corpus):
            return data
        if isinstance(data, str | os.PathLike):
            return cls.open(data)
        if not isinstance(data, Mapping):
            raise TruegainError(f"{an(data)} is not a corpus; give a folder or a dict of texts")
        counts = (cutting or Cutting()).count([str(text) for text in data.values()])
        terms, order = Named.of(counts.vocabulary)
        docs, rows = Named.of(Ids.of([str(name) for name in data]))
        onto = np.empty(len(order), np.int32)
        onto[order] = np.arange(len(order), dtype=np.int32)
        part = Part(counts.begin, counts.term, counts.count, onto)
        zero = np.zeros(len(docs), np.int32)
        return cls(
            cutting or Cutting(),
            len(docs),
            int(counts.frequency.sum()),
            terms,
            counts.frequency[order],
            docs,
            zero,
            rows.astype(np.int32),
            (part,),
            {},
        )

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Corpus:
        """The corpus in a folder; one that is not whole, or of an unknown version, is refused."""
        if is_remote(os.fspath(path)):
            hint = "copy the folder to this machine, and name the copy"
            raise InputError("a corpus must be on this machine", file=os.fspath(path), hint=hint)
        folder = Path(path)
        manifest = read_manifest(folder)
        columns = (("begin", "<i8"), ("term", "<i4"), ("count", "<i4"), ("onto", "<i4"))
        parts = tuple(Part(*(on_disk(folder / part / c, kind) for c, kind in columns)) for part in manifest["parts"])
        return cls(
            Cutting(**{"cjk": "words", **manifest["cutting"], "stop": tuple(manifest["cutting"]["stop"])}),
            int(manifest["documents"]),
            int(manifest["tokens"]),
            Named.open(folder, "terms"),
            on_disk(folder / "terms.frequency", "<i8"),
            Named.open(folder, "docs"),
            on_disk(folder / "docs.part", "<i4"),
            on_disk(folder / "docs.row", "<i4"),
            parts,
            manifest,
            str(path),
        )

    def find(self, docs: Ids) -> Ints:
        """For every document its place among those with term counts, -1 where there is none."""
        return self.docs.find(docs)

    def vectors(self, places: Ints) -> Vectors:
        """Term counts of documents by their places; a place of -1 is a document without words."""
        order = np.argsort(np.where(places >= 0, self.part[places], -1), kind="stable") if len(self.part) else places
        length = np.zeros(len(places), np.int64)
        pieces: list[tuple[Ints, Ints, Ints]] = []
        known = order[places[order] >= 0]
        for number in np.unique(self.part[places[known]]):
            mine = known[self.part[places[known]] == number]
            part, row = self.parts[number], self.row[places[mine]]
            first = np.asarray(part.begin[row])
            length[mine] = np.asarray(part.begin[row + 1]) - first
            at = stretches(first, length[mine])
            pieces.append((mine, part.onto[part.term[at]].astype(np.int64), part.count[at].astype(np.int64)))
        begin = np.concatenate([[0], np.cumsum(length)])
        term, count = np.empty(int(begin[-1]), np.int64), np.empty(int(begin[-1]), np.int64)
        for mine, terms, counts in pieces:
            to = stretches(begin[mine], length[mine])
            term[to], count[to] = terms, counts
        return Vectors(begin, term, count)

    def probability(self, terms: Ints) -> Floats:
        """P(term | collection)."""
        return np.asarray(self.frequency[terms] / self.tokens, np.float64)

    @cached_property
    def problems(self) -> Mapping[str, int]:
        """Documents that were counted on the way: of an id that came before, without words, with bytes not UTF-8."""
        return {name: int(self.manifest.get(name, 0)) for name in ("duplicates", "empty", "replaced")}

    def listed(self, problem: str) -> list[str]:
        """The documents behind a problem, 'duplicates' or 'empty'."""
        path = Path(self.source) / f"{problem}.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def stretches(begin: npt.NDArray[Any], length: npt.NDArray[Any]) -> Ints:
    """All places of several stretches, one stretch after the other.

    >>> stretches(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    shift = np.repeat(begin - np.cumsum(length) + length, length)
    return np.asarray(shift + np.arange(int(length.sum())), np.int64)


def read_manifest(folder: Path) -> dict[str, Any]:
    """What a corpus says of itself."""
    reading(folder / MANIFEST, str(folder))
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            "not a corpus, or an unfinished one",
            file=str(folder),
            hint=f"make one with {by_surface('index of truegain.text', '`truegain text index docs.jsonl -o corpus/`')}",
        ) from None
    except (ValueError, OSError) as error:
        raise InputError(f"cannot be read: {error}", file=str(folder / MANIFEST), hint="index again") from None
    version = manifest.get("version") if isinstance(manifest, dict) else None
    if version != VERSION:
        raise InputError(
            f"a corpus of version {version!r}, and this truegain knows version {VERSION}",
            file=str(folder),
            hint="index the documents again, or use the truegain that made it",
        )
    return manifest  # type: ignore[no-any-return]


def tell_missing(corpus: Corpus, docs: Ids, places: Ints, what: str) -> None:
    """Refuse a corpus that holds none of some documents; tell of those that it lacks."""
    missing = np.flatnonzero(places < 0)
    if len(missing) == len(docs):
        raise InputError(
            f"none of the {len(docs):,} {what} documents is in the corpus {corpus.source} (the first is {docs[0]})",
            hint="check that the corpus is of this collection",
        )
    if len(missing):
        warn(
            f"{len(missing):,} of {len(docs):,} {what} documents are not in the corpus {corpus.source} "
            f"(such as {docs[int(missing[0])]}); they count as documents without words "
            f"({by_surface('`Corpus.find` tells which', '`truegain text show CORPUS --lacks FILE` lists them')})"
        )


CorpusLike = Corpus | str | os.PathLike[str] | Mapping[str, str]  # one, the folder of one, or {document: text}


# ---- How alike documents are by their words: cosines of tf-idf vectors.


def unit_vectors(corpus: Corpus, docs: Ids) -> csr_array:
    """Documents by terms, rows of length 1 (or 0, for documents the corpus lacks): products of rows are cosines.

    (1 + ln tf) ln(1 + tokens of the collection / count of the term in it), over the length of the row; the counts of
    the collection stand in for document frequencies, which a corpus does not hold.

    >>> made = unit_vectors(Corpus.of({"x": "a rose", "y": "a rose a rose", "z": "an iris"}), Ids.of(["x", "y", "z"]))
    >>> (made @ made.T).toarray().round(3).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    places = corpus.find(docs)
    tell_missing(corpus, docs, places, "looked-at")
    vectors = corpus.vectors(places)
    weight = (1 + np.log(vectors.count)) * np.log1p(corpus.tokens / np.maximum(corpus.frequency[vectors.term], 1))
    squares = np.bincount(vectors.document, weight**2, minlength=len(docs))
    length = np.sqrt(squares)[vectors.document]
    term = np.unique(vectors.term, return_inverse=True)[1]
    return csr_array((weight / length, term, vectors.begin), shape=(len(docs), int(term.max(initial=0)) + 1))
