"""Settings of an index, and the counting of one stretch of documents by one worker."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain._version import __version__
from truegain.errors import InputError, TruegainError
from truegain.io.columns import Ids
from truegain.io.files import shown_path, write_failures
from truegain.io.remote import IRDS, about, is_remote
from truegain.text.corpus import VERSION, Named, packed
from truegain.text.documents import in_order, read
from truegain.text.pieces import Fields, Kind, Piece
from truegain.text.words import Cutting

# ---- How to index, and what a corpus will be made of.

PER_PIECE = 12  # memory over the bytes of a piece, measured: bytes, lines, texts, and what is counted
_LARGEST = 32 << 20
_LAYOUT = 2  # of what an unfinished corpus is made of


@dataclass(frozen=True)
class Settings:
    """How to index: cutting, fields, and bytes of text in a piece.

    `only` names the documents whose term counts are kept; frequencies are those of the whole collection all the same.
    """

    cutting: Cutting = field(default_factory=Cutting)
    fields: Fields = field(default_factory=Fields)
    kind: Kind | None = None
    piece: int = _LARGEST
    only: Named | None = None

    @classmethod
    def within(cls, memory: int, **rest: Any) -> Settings:
        """Settings for an amount of memory."""
        if memory < 64 * 10**6:
            raise TruegainError(f"{memory / 10**6:g} MB of memory is too little; give at least 64 MB")
        return cls(piece=min(_LARGEST, memory // (2 * PER_PIECE)), **rest)

    def plan(self, inputs: Sequence[str]) -> str:
        """A digest of all that decides what the corpus will be: two starts of one plan make the same corpus."""
        plan = {
            "version": VERSION,
            "layout": _LAYOUT,
            "truegain": __version__,
            "inputs": [[Path(shown_path(path)).name, *_fingerprint(path)] for path in inputs],
            "cutting": self.cutting.plain(),
            "fields": asdict(self.fields),
            "kind": self.kind,
            "piece": self.piece,
            "only": None if self.only is None else hashlib.sha256(self.only.text.tobytes()).hexdigest(),
        }
        return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()


def _fingerprint(path: str) -> list[object]:
    if is_remote(path):
        return [dict(about(path))]
    try:
        stat = os.stat(path)  # noqa: PTH116
    except OSError:
        return []
    return [stat.st_size, stat.st_mtime_ns]


# ---- Counting: what one worker does with a stretch of documents, on this machine or another.
#
# A worker that sees the folder of the corpus writes there what it counted, and gives back numbers; one that does not
# gives back the bytes, and who asked writes them. It tells by a token, a file that was written there before.

SUMMARY = "summary.json"
TOKEN = "token"
Files = Mapping[str, npt.NDArray[Any] | bytes]  # of a piece, by name
CountedPiece = tuple[tuple[int, int], dict[str, Any], Files | None]  # its number, what to tell, what to write
_AT_ONCE = 1 << 28  # bytes of text whose counts travel in one answer


@dataclass(frozen=True)
class Place:
    """The folder where a corpus is made, known by a token to whoever sees it."""

    folder: str
    token: str

    @classmethod
    def prepared(cls, folder: Path) -> Place:
        """With a new token in it."""
        token = secrets.token_hex(16)
        (folder / TOKEN).write_text(token)
        return cls(str(folder), token)

    @property
    def seen(self) -> bool:
        """Whether this process sees the very folder."""
        try:
            return (Path(self.folder) / TOKEN).read_text() == self.token
        except OSError:
            return False

    def writing(self) -> AbstractContextManager[None]:
        """Tell failures of writing here with the name of the folder, on whatever machine."""
        return write_failures(shown_path(self.folder))

    def part(self, number: tuple[int, int]) -> Path:
        """The folder of a piece by the numbers of its input and of itself."""
        return Path(self.folder) / part_name(number)


def part_name(number: tuple[int, int]) -> str:
    """What the folder of a piece is called.

    >>> part_name((0, 12))
    'part-000000-000012'
    """
    return f"part-{number[0]:06d}-{number[1]:06d}"


class Handout:
    """The pieces of an input that is read from its beginning, handed out to the threads that ask, one at a time."""

    def __init__(self, pieces: Iterator[Piece], progress: Callable[[int], None]) -> None:
        self.progress = progress
        self.pieces, self.lock, self.handed, self.ended = pieces, threading.Lock(), 0, False

    def take(self) -> list[tuple[int, Piece]]:
        """The next piece with its number; none where there is no more."""
        with self.lock:
            piece = None if self.ended else next(self.pieces, None)
            self.handed += piece is not None
            return [] if piece is None else [(self.handed - 1, piece)]

    def close(self) -> None:
        """Hand out no more; a thread that waits for bytes is not waited for."""
        self.ended = True
        if self.lock.acquire(timeout=1):
            getattr(self.pieces, "close", lambda: None)()
            self.lock.release()


@dataclass(frozen=True)
class DocumentStretch:
    """What one worker is given: a piece that is read by itself, or the file to cut pieces from, from `first` on.

    source: of threads, which share in the pieces of one file.
    """

    number: tuple[int, int]  # of the input, and of the first piece in it
    file: str
    kind: Kind
    piece: Piece | None = None
    path: str = ""
    source: Handout | None = None

    def __str__(self) -> str:
        return shown_path(self.file)

    def pieces(self, fields: Fields, size: int) -> Iterator[tuple[int, Piece]]:
        """The pieces to be counted, with their numbers."""
        if self.piece is not None:
            yield self.number[1], self.piece
        elif self.source is not None:
            while handed := self.source.take():
                yield handed.pop()  # not held here while the next is read
                self.source.progress(1)
        else:
            for at, piece in enumerate(in_order(self.path, self.kind, fields, size)):
                if at >= self.number[1]:
                    yield at, piece


@dataclass(frozen=True)
class CountedStretch:
    """What became of a stretch: summaries of its pieces, their files where they could not be written, and the rest."""

    parts: list[CountedPiece]
    left: int | None = None  # the first piece that was not counted, because the answer is full


def count(shared: tuple[Place, Settings], stretch: DocumentStretch, seed: object = None) -> CountedStretch:  # noqa: ARG001
    """Count the pieces of a stretch, those that are not there yet."""
    place, settings = shared
    _check_seen(stretch)
    parts: list[CountedPiece] = []
    here, held = place.seen, 0
    for at, piece in stretch.pieces(settings.fields, settings.piece):
        number = (stretch.number[0], at)
        if held >= _AT_ONCE:
            return CountedStretch(parts, at)
        if here and (folder := place.part(number)).exists():
            parts.append((number, summary_of(folder), None))
            continue
        summary, files = counted(piece, settings)
        if here and summary["documents"]:
            with place.writing():
                keep(place.part(number), files)
        parts.append((number, summary, None if here else files))
        held += 0 if here else settings.piece
        del piece, files  # before the next is read
    return CountedStretch(parts)


def _check_seen(stretch: DocumentStretch) -> None:
    """Refuse a file that is on the machine of who asked and not on this one."""
    path = stretch.piece.path if stretch.piece else stretch.path
    if path and not is_remote(path) and not path.startswith(IRDS) and not os.path.exists(path):  # noqa: PTH110
        hint = "put it where all workers see it, or give an address such as s3://"
        raise InputError("a worker does not see this file", file=stretch.file, hint=hint)


def counted(piece: Piece, settings: Settings) -> tuple[dict[str, Any], Files]:
    """Count one piece: what to tell of it, and its files; needs nothing of any other piece."""
    ids, texts, replaced = read(piece, settings.fields)
    names = Ids.of(ids)
    kept = np.ones(len(ids), np.bool_) if settings.only is None else settings.only.find(names) >= 0
    counts = settings.cutting.count(texts, kept)
    del texts
    order = np.argsort(counts.vocabulary.hash, kind="stable")
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    start, text = packed(counts.vocabulary.take(order))
    doc_order = np.argsort(names.hash, kind="stable")
    doc_start, doc_text = packed(names.take(doc_order))
    kept_row = np.where(kept, np.cumsum(kept) - 1, -1)
    summary = {
        "documents": len(ids),
        "tokens": int(counts.frequency.sum()),
        "replaced": replaced,
        "empty": [ids[i] for i in np.flatnonzero(counts.length == 0).tolist()],
    }
    arrays: dict[str, tuple[str, npt.NDArray[Any]]] = {
        "begin": ("<i8", counts.begin),
        "term": ("<i4", place[counts.term]),
        "count": ("<i4", counts.count),
        "terms.hash": ("<u8", counts.vocabulary.hash[order]),
        "terms.start": ("<i8", start),
        "terms.text": ("u1", text),
        "terms.frequency": ("<i8", counts.frequency[order]),
        "docs.hash": ("<u8", names.hash[doc_order]),
        "docs.start": ("<i8", doc_start),
        "docs.text": ("u1", doc_text),
        "docs.row": ("<i4", kept_row[doc_order]),
    }
    files: Files = {name: np.ascontiguousarray(array, dtype) for name, (dtype, array) in arrays.items()}
    return summary, {**files, SUMMARY: json.dumps(summary).encode()}


def summary_of(folder: Path) -> dict[str, Any]:
    """What was told of a piece that is there."""
    return json.loads((folder / SUMMARY).read_text())  # type: ignore[no-any-return]


def keep(folder: Path, files: Files) -> None:
    """Write a piece whole or not at all."""
    temporary = folder.with_name(f"{folder.name}.{secrets.token_hex(4)}.tmp")
    temporary.mkdir()
    for name, data in files.items():
        (temporary / name).write_bytes(data if isinstance(data, bytes) else data.data)
    settle(temporary, folder)


def settle(temporary: Path, folder: Path) -> None:
    """Give a folder its name; where another worker was faster, its own stays."""
    try:
        temporary.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
        shutil.rmtree(temporary)
