"""Indexing: documents to a corpus on disk, piece by piece, in bounded memory, whole or not at all.

The work is done in OUTPUT.partial.  Every piece of the input becomes a folder there by itself and is renamed when it
is whole; then the vocabularies and the ids of the pieces are merged, a range of hashes at a time; last the folder gets
its name.  A second start keeps the pieces that are there, and merges anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain._version import __version__
from truegain.errors import InputError, TruegainError
from truegain.tables.columns import Ids
from truegain.tables.guard import wrote
from truegain.tables.sources import shown_path, write_failures
from truegain.text.corpus import MANIFEST, VERSION, Corpus, read_manifest
from truegain.text.documents import Fields, Kind, Piece, all_pieces, read
from truegain.text.named import Named, joined, on_disk, packed
from truegain.text.words import Cutting

PLAN = "plan.json"
_PER_PIECE = 12  # memory over the bytes of a piece, measured: bytes, lines, texts, and what is counted
_LARGEST = 32 << 20


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
        if memory < 64 << 20:
            raise TruegainError(f"{memory >> 20} MB of memory is too little; give at least 64 MB")
        return cls(piece=min(_LARGEST, memory // (2 * _PER_PIECE)), **rest)

    def plan(self, inputs: Sequence[str]) -> str:
        """A digest of all that decides what the corpus will be: two starts of one plan make the same corpus."""
        plan = {
            "version": VERSION,
            "truegain": __version__,
            "inputs": [[os.path.basename(path), *_fingerprint(path)] for path in inputs],  # noqa: PTH119
            "cutting": self.cutting.plain(),
            "fields": asdict(self.fields),
            "kind": self.kind,
            "piece": self.piece,
            "only": None if self.only is None else hashlib.sha256(self.only.text.tobytes()).hexdigest(),
        }
        return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()


def index(
    inputs: Sequence[str],
    output: str | os.PathLike[str],
    settings: Settings | None = None,
    *,
    jobs: int = 1,
    memory: int = 1 << 30,
    progress: Callable[[int], None] | None = None,
) -> Corpus:
    """Index documents into a folder; one that holds the same corpus already is left as it is."""
    given = settings or Settings.within(memory)
    target = Path(os.path.realpath(output))
    partial = target.with_name(target.name + ".partial")
    plan = given.plan(inputs)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        if read_manifest(target)["plan"] != plan:
            raise InputError("another corpus is there", file=str(output), hint="remove it, or name another folder")
        return Corpus.open(target)
    with write_failures(shown_path(output)):
        _prepare(partial, plan)
        _fill(partial, inputs, given, plan, jobs, memory, progress)
        _finish(partial, target)
    return Corpus.open(target)


def _fill(
    partial: Path,
    inputs: Sequence[str],
    given: Settings,
    plan: str,
    jobs: int,
    memory: int,
    progress: Callable[[int], None] | None,
) -> None:
    """Index all pieces and merge them, unless that is done."""
    if not (partial / MANIFEST).exists():
        pieces = all_pieces(inputs, given.kind, given.fields, given.piece)
        workers = max(1, min(jobs, memory // (given.piece * _PER_PIECE)))
        try:
            summaries = list(_indexed(pieces, partial, given, workers, progress))
        except TruegainError:
            _forget(partial)
            raise
        if not sum(s["documents"] for s in summaries):
            shutil.rmtree(partial)
            raise InputError("no documents were found", file=", ".join(inputs), hint="check the kind of the input")
        _merge(partial, summaries, given, plan, max(1 << 16, memory // 1024))


def _fingerprint(path: str) -> list[int]:
    try:
        stat = os.stat(path)  # noqa: PTH116
    except OSError:
        return []
    return [stat.st_size, stat.st_mtime_ns]


def _prepare(partial: Path, plan: str) -> None:
    """A folder to work in, with what an earlier start of the same plan left behind."""
    partial.mkdir(parents=True, exist_ok=True)
    wrote(partial)
    note = partial / PLAN
    begun = (
        read_manifest(partial)["plan"] if (partial / MANIFEST).exists() else note.read_text() if note.exists() else plan
    )
    if begun != plan:
        raise InputError(
            "another index was begun here, of other documents or with other settings",
            file=str(partial),
            hint="finish that one first, or remove the folder",
        )
    for path in partial.iterdir():  # what was not whole when the last start ended
        if path.name.endswith(".tmp"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    if not (partial / MANIFEST).exists():
        _write(note, plan.encode())


def _forget(partial: Path) -> None:
    """Remove a folder in which nothing is indexed yet, so that the command mended may be given at once."""
    if not any(path.name.startswith("part-") for path in partial.iterdir()):
        shutil.rmtree(partial)


def _indexed(
    pieces: Iterator[Piece],
    folder: Path,
    settings: Settings,
    workers: int,
    progress: Callable[[int], None] | None,
) -> Iterator[dict[str, Any]]:
    """Index pieces, a few at a time, and give their summaries in order."""
    waiting: deque[Future[dict[str, Any]]] = deque()

    def oldest() -> dict[str, Any]:
        summary = waiting.popleft().result()
        if progress is not None:
            progress(1)
        return summary

    with ThreadPoolExecutor(workers) as pool:
        try:
            for number, piece in enumerate(pieces):
                if len(waiting) >= workers:
                    yield oldest()
                waiting.append(pool.submit(index_piece, piece, folder / f"part-{number:06d}", settings))
            while waiting:
                yield oldest()
        finally:
            for future in waiting:
                future.cancel()


def index_piece(piece: Piece, folder: Path, settings: Settings) -> dict[str, Any]:
    """Count one piece into a folder of its own, unless that is there; needs nothing of any other piece."""
    if folder.exists():
        return json.loads((folder / "summary.json").read_text())  # type: ignore[no-any-return]
    ids, texts, replaced = read(piece, settings.fields)
    names = Ids.of(ids)
    keep = np.ones(len(ids), np.bool_) if settings.only is None else settings.only.find(names) >= 0
    counts = settings.cutting.count(texts, keep)
    del texts
    order = np.argsort(counts.vocabulary.hash, kind="stable")
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    start, text = packed(counts.vocabulary.take(order))
    doc_order = np.argsort(names.hash, kind="stable")
    doc_start, doc_text = packed(names.take(doc_order))
    kept_row = np.where(keep, np.cumsum(keep) - 1, -1)
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
    temporary = folder.with_name(folder.name + ".tmp")
    temporary.mkdir()
    for name, (dtype, array) in arrays.items():
        (temporary / name).write_bytes(np.ascontiguousarray(array, dtype).tobytes())
    (temporary / "summary.json").write_text(json.dumps(summary))
    temporary.rename(folder)
    return summary


# ---------------------------------------------------------------------- merging


def _merge(partial: Path, summaries: list[dict[str, Any]], settings: Settings, plan: str, most: int) -> None:
    parts = [partial / f"part-{number:06d}" for number in range(len(summaries))]
    for part in parts:
        (part / "onto").unlink(missing_ok=True)
    terms = _merge_terms(partial, parts, most)
    duplicates = _merge_docs(partial, parts, most)
    empty = [name for s in summaries for name in s["empty"]]
    for name, listed in (("duplicates", duplicates), ("empty", empty)):
        _write(partial / f"{name}.jsonl", "".join(json.dumps(d) + "\n" for d in listed).encode())
    manifest = {
        "version": VERSION,
        "truegain": __version__,
        "cutting": settings.cutting.plain(),
        "documents": sum(s["documents"] for s in summaries),
        "tokens": sum(s["tokens"] for s in summaries),
        "terms": terms,
        "duplicates": len(duplicates),
        "empty": len(empty),
        "replaced": sum(s.get("replaced", 0) for s in summaries),
        "vectors": "all" if settings.only is None else "named",
        "parts": [part.name for part in parts],
        "plan": plan,
    }
    _write(partial / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())


def _ranges(parts: Sequence[Path], name: str, most: int) -> Iterator[list[tuple[int, int]]]:
    """Ranges of hashes with about `most` names each: for every part the rows in the range."""
    hashes = [on_disk(part / f"{name}.hash", "<u8") for part in parts]
    ranges = max(1, -(-sum(map(len, hashes)) // most))
    step = (1 << 64) // ranges
    edges = np.array([step * i for i in range(1, ranges)], np.uint64)
    cuts = [[0, *np.searchsorted(h, edges).tolist(), len(h)] for h in hashes]
    for i in range(ranges):
        yield [(cut[i], cut[i + 1]) for cut in cuts]


def _gathered(parts: Sequence[Path], name: str, rows: Sequence[tuple[int, int]]) -> Ids:
    """The names of a range from all parts."""
    found = []
    for part, (first, last) in zip(parts, rows, strict=True):
        start = np.array(on_disk(part / f"{name}.start", "<i8")[first : last + 1])
        found.append((start, np.array(on_disk(part / f"{name}.text", "u1")[start[0] : start[-1]])))
    return joined(found)


def _column(parts: Sequence[Path], name: str, dtype: str, rows: Sequence[tuple[int, int]]) -> npt.NDArray[Any]:
    columns = [np.array(on_disk(p / name, dtype)[a:b]) for p, (a, b) in zip(parts, rows, strict=True)]
    return np.concatenate(columns)


def _merge_terms(partial: Path, parts: Sequence[Path], most: int) -> int:
    """One vocabulary, and for every part the number of each of its terms in it."""
    with _Appender(partial, "terms", ("frequency",)) as out:
        for rows in _ranges(parts, "terms", most):
            names = _gathered(parts, "terms", rows)
            frequency = _column(parts, "terms.frequency", "<i8", rows)
            code, first = names.numbered()
            order = np.argsort(names.hash[first], kind="stable")
            place = np.empty(len(order), np.int64)
            place[order] = out.written + np.arange(len(order))
            total = np.bincount(code, weights=frequency, minlength=len(first)).astype(np.int64)
            onto, at = place[code], 0
            for part, (a, b) in zip(parts, rows, strict=True):
                with (part / "onto").open("ab") as stream:
                    stream.write(onto[at : at + b - a].astype("<i4").tobytes())
                at += b - a
            out.add(names.take(first[order]), frequency=total[order].astype("<i8"))
        return out.written


def _merge_docs(partial: Path, parts: Sequence[Path], most: int) -> list[str]:
    """All documents with term counts; the first of several with one id, and the ids of the others."""
    duplicates: list[str] = []
    with _Appender(partial, "docs", ("part", "row")) as out:
        for rows in _ranges(parts, "docs", most):
            names = _gathered(parts, "docs", rows)
            row = _column(parts, "docs.row", "<i4", rows)
            part = np.repeat(np.arange(len(parts)), [b - a for a, b in rows])
            _, first = names.numbered()
            again = np.ones(len(names), np.bool_)
            again[first] = False
            duplicates += names.take(np.flatnonzero(again)).strings()
            first = first[row[first] >= 0]
            first = first[np.argsort(names.hash[first], kind="stable")]
            out.add(names.take(first), part=part[first].astype("<i4"), row=row[first].astype("<i4"))
    return sorted(duplicates)


class _Appender:
    """Writes names and columns of a merge, range after range."""

    def __init__(self, folder: Path, name: str, columns: tuple[str, ...]) -> None:
        self.files = {c: (folder / f"{name}.{c}").open("wb") for c in ("hash", "start", "text", *columns)}
        self.written, self.bytes = 0, 0
        self.files["start"].write(np.zeros(1, "<i8").tobytes())

    def __enter__(self) -> _Appender:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self.files.values():
            file.close()

    def add(self, names: Ids, **columns: npt.NDArray[Any]) -> None:
        start, text = packed(names)
        self.files["hash"].write(names.hash.astype("<u8").tobytes())
        self.files["start"].write((self.bytes + start[1:]).astype("<i8").tobytes())
        self.files["text"].write(text.tobytes())
        for name, column in columns.items():
            self.files[name].write(column.tobytes())
        self.written += len(names)
        self.bytes += int(start[-1])


def _finish(partial: Path, target: Path) -> None:
    """Leave only what a corpus is made of, and give it its name; every step may be taken again."""
    for path in partial.glob("part-*/*"):
        if path.name not in ("begin", "term", "count", "onto"):
            path.unlink()
    (partial / PLAN).unlink(missing_ok=True)
    if target.exists():
        target.rmdir()  # known to be empty
    partial.rename(target)
    wrote(target)


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_bytes(data)
    temporary.replace(path)
