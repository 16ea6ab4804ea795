"""Indexing: documents to a corpus on disk, in bounded memory, whole or not at all.

Counted pieces are merged in a tree.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from truegain._version import __version__
from truegain.errors import InputError, TruegainError, some
from truegain.io.columns import Ids
from truegain.io.files import shown_path, write_failures
from truegain.io.overwrite import wrote
from truegain.io.remote import is_remote
from truegain.parallel.jobs import Engine, Local, PieceError, engine_for
from truegain.text.corpus import MANIFEST, VERSION, Corpus, joined, on_disk, packed, read_manifest
from truegain.text.counting import (
    PER_PIECE,
    TOKEN,
    CountedStretch,
    DocumentStretch,
    Handout,
    Place,
    Settings,
    count,
    keep,
    part_name,
    settle,
    summary_of,
)
from truegain.text.documents import apart, in_order, kind_of, named_inputs
from truegain.text.pieces import absolute

# ---- Merging: the vocabularies and ids of all pieces become one, in a tree: groups of pieces, then groups of
# groups.
#
# Every merge reads a range of hashes at a time, so that it needs the same memory however much it merges. A node holds
# `up`, the number of each of its terms in the node above; last, from the top down, these become `onto`, the number in
# the corpus. Names of one hash stay in order of first appearance, so that the tree's shape does not show in the answer.

FAN = 16  # nodes that are merged at a time
NODE = "node-"
_MOST_TERMS = (1 << 31) - 1
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Group:
    """Nodes to be merged into another, or into the corpus itself where `into` is empty."""

    into: str
    nodes: tuple[str, ...]
    first: int  # the number of the first piece, where the nodes are pieces; -1 elsewhere

    def __str__(self) -> str:
        return f"the merging of {self.nodes[0]} and {len(self.nodes) - 1} more"


@dataclass(frozen=True)
class Merged:
    """What came of the merging of all."""

    terms: int
    duplicates: list[str]


def merge(place: Place, parts: Sequence[str], most: int, engine: Engine, here: Engine) -> Merged:
    """Merge all pieces; `most` names are in memory at a time.

    engine: where groups are merged; those that a worker cannot do, because it does not see the folder, are done `here`.
    """
    folder = Path(place.folder)
    for path in [*folder.glob(f"{NODE}*"), *(p / n for p in map(folder.joinpath, parts) for n in ("up", "onto"))]:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    levels: list[list[Group]] = []
    merged: list[tuple[int, list[str]]] = []
    nodes = list(parts)
    while True:
        groups = _groups(nodes, len(levels))
        levels.append(groups)
        merged += _done(merge_group, (place, most), groups, engine, here)
        if len(groups) == 1:
            break
        nodes = [group.into for group in groups]
    for groups in levels[-2::-1]:
        _done(number_group, (place, most), groups, engine, here)
    return Merged(merged[-1][0], sorted(name for _, names in merged for name in names))


def _groups(nodes: Sequence[str], level: int) -> list[Group]:
    """Neighbours together; a single group becomes the corpus."""
    cuts = range(0, len(nodes), FAN)
    return [
        Group(
            f"{NODE}{level}-{number:06d}" if len(cuts) > 1 else "", tuple(nodes[at : at + FAN]), -1 if level else at
        )
        for number, at in enumerate(cuts)
    ]  # fmt: skip


def _done(
    work: Callable[[Any, Group, Any], Answer | None], shared: object, groups: list[Group], engine: Engine, here: Engine
) -> list[Answer]:
    """Answers for all groups, from workers or, where these see nothing, from here."""
    answers = list(engine.run(work, groups, shared=shared))
    left = [group for group, answer in zip(groups, answers, strict=True) if answer is None]
    again = iter(here.run(work, left, shared=shared) if left else ())
    return [answer if answer is not None else next(again) for answer in answers]  # type: ignore[misc]


def merge_group(
    shared: tuple[Place, int],
    group: Group,
    seed: object = None,  # noqa: ARG001
) -> tuple[int, list[str]] | None:
    """Merge one group: how many terms there are, and the ids that stood twice; None where the folder is not seen."""
    place, most = shared
    if not place.seen:
        return None
    with place.writing():
        folder = Path(place.folder)
        nodes = [folder / name for name in group.nodes]
        temporary = folder / f"{NODE}{secrets.token_hex(4)}.tmp"
        temporary.mkdir()
        terms = _merge_terms(temporary, nodes, most, "up" if group.into else "onto")
        duplicates = _merge_docs(temporary, nodes, most, group.first, keep_all=bool(group.into))
        if group.into:
            settle(temporary, folder / group.into)
        else:
            for path in temporary.iterdir():
                path.replace(folder / path.name)
            temporary.rmdir()
        return terms, duplicates


def number_group(shared: tuple[Place, int], group: Group, seed: object = None) -> bool | None:  # noqa: ARG001
    """Give the terms of the nodes of a group, whose own numbers are known, their numbers in the corpus."""
    place, most = shared
    if not place.seen:
        return None
    with place.writing():
        folder = Path(place.folder)
        onto = on_disk(folder / group.into / "onto", "<i4")
        for node in (folder / name for name in group.nodes):
            up = on_disk(node / "up", "<i4")
            with _Whole(node / "onto") as stream:
                for at in range(0, len(up), most):
                    stream.write(onto[up[at : at + most]].tobytes())
    return True


def _ranges(nodes: Sequence[Path], name: str, most: int) -> Iterator[list[tuple[int, int]]]:
    """Ranges of hashes with about `most` names each: for every node the rows in the range."""
    hashes = [on_disk(node / f"{name}.hash", "<u8") for node in nodes]
    ranges = max(1, -(-sum(map(len, hashes)) // most))
    step = (1 << 64) // ranges
    edges = np.array([step * i for i in range(1, ranges)], np.uint64)
    cuts = [[0, *np.searchsorted(h, edges).tolist(), len(h)] for h in hashes]
    for i in range(ranges):
        yield [(cut[i], cut[i + 1]) for cut in cuts]


def _gathered(nodes: Sequence[Path], name: str, rows: Sequence[tuple[int, int]]) -> Ids:
    """The names of a range from all nodes."""
    texts = []
    for node, (first, last) in zip(nodes, rows, strict=True):
        start = np.array(on_disk(node / f"{name}.start", "<i8")[first : last + 1])
        texts.append((start, np.array(on_disk(node / f"{name}.text", "u1")[start[0] : start[-1]])))
    return joined(texts)


def _column(nodes: Sequence[Path], name: str, dtype: str, rows: Sequence[tuple[int, int]]) -> npt.NDArray[Any]:
    columns = [np.array(on_disk(p / name, dtype)[a:b]) for p, (a, b) in zip(nodes, rows, strict=True)]
    return np.concatenate(columns)


def _merge_terms(out: Path, nodes: Sequence[Path], most: int, called: str) -> int:
    """One vocabulary, and for every node the number of each of its terms in it, in a file so called."""
    numbers = [_Whole(node / called) for node in nodes]
    with _Appender(out, "terms", ("frequency",)) as whole:
        for rows in _ranges(nodes, "terms", most):
            names = _gathered(nodes, "terms", rows)
            frequency = _column(nodes, "terms.frequency", "<i8", rows)
            code, first = names.numbered()
            order = np.argsort(names.hash[first], kind="stable")
            place = np.empty(len(order), np.int64)
            place[order] = whole.written + np.arange(len(order))
            total = np.bincount(code, weights=frequency, minlength=len(first)).astype(np.int64)
            onto, at = place[code], 0
            for number, (a, b) in zip(numbers, rows, strict=True):
                number.write(onto[at : at + b - a].astype("<i4").tobytes())
                at += b - a
            whole.add(names.take(first[order]), frequency=total[order].astype("<i8"))
            if whole.written > _MOST_TERMS:
                raise TruegainError(f"a corpus holds at most {_MOST_TERMS:,} different terms; index a part of it")
    for number in numbers:
        number.finish()
    return whole.written


def _merge_docs(out: Path, nodes: Sequence[Path], most: int, number: int, *, keep_all: bool) -> list[str]:
    """All documents; the first of several with one id, and the ids of the others.

    number: of the first piece where nodes are pieces, -1 where they are made of pieces.
    keep_all: also those without term counts, among which an id may come again.
    """
    duplicates: list[str] = []
    with _Appender(out, "docs", ("part", "row")) as whole:
        for rows in _ranges(nodes, "docs", most):
            names = _gathered(nodes, "docs", rows)
            row = _column(nodes, "docs.row", "<i4", rows)
            if number >= 0:
                part = np.repeat(number + np.arange(len(nodes)), [b - a for a, b in rows])
            else:
                part = _column(nodes, "docs.part", "<i4", rows)
            _, first = names.numbered()
            again = np.ones(len(names), np.bool_)
            again[first] = False
            duplicates += names.take(np.flatnonzero(again)).strings()
            first = first if keep_all else first[row[first] >= 0]
            first = first[np.argsort(names.hash[first], kind="stable")]
            whole.add(names.take(first), part=part[first].astype("<i4"), row=row[first].astype("<i4"))
    return duplicates


class _Whole:
    """A file that gets its name when it is whole; whoever writes it a second time writes the same."""

    def __init__(self, path: Path) -> None:
        self.path, self.temporary = path, path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
        self.temporary.touch()

    def __enter__(self) -> _Whole:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.finish()

    def write(self, data: bytes) -> None:
        """Append; the file is open no longer than that, for there may be many."""
        with self.temporary.open("ab") as stream:
            stream.write(data)

    def finish(self) -> None:
        """Give it its name."""
        self.temporary.replace(self.path)


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


# ---- Indexing: documents to a corpus on disk, piece by piece, in bounded memory, whole or not at all.
#
# The work is done in OUTPUT.partial. Every piece of the input becomes a folder there by itself and is renamed when it
# is whole; then the vocabularies and the ids of the pieces are merged; last the folder gets its name. A second start
# keeps the pieces that are there, and merges anew. Pieces and merges run on the engine: threads of this machine, or the
# workers of a cluster.

PLAN = "plan.json"
_READ = "read-"  # notes of the inputs that are read to their end, and how many pieces they had
Numbered = dict[tuple[int, int], dict[str, Any]]  # summaries of pieces


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
    chosen = settings or Settings.within(memory)
    if is_remote(os.fspath(output)):
        raise InputError("a corpus is written to this machine only", file=str(output), hint="name a local folder")
    target = Path(os.path.realpath(output))
    partial = target.with_name(target.name + ".partial")
    named = named_inputs(inputs)
    plan = chosen.plan(named)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        if read_manifest(target)["plan"] != plan:
            raise InputError("another corpus is there", file=str(output), hint="remove it, or name another folder")
        return Corpus.open(target)
    with write_failures(shown_path(output)), _told_as_here(partial, shown_path(output)):
        _prepare(partial, plan)
        if not (partial / MANIFEST).exists():
            _fill(
                partial, named, chosen, plan, max(1, min(jobs, memory // (chosen.piece * PER_PIECE))), memory, progress
            )
        _finish(partial, target)
    return Corpus.open(target)


def _fill(
    partial: Path,
    inputs: Sequence[str],
    settings: Settings,
    plan: str,
    workers: int,
    memory: int,
    progress: Callable[[int], None] | None,
) -> None:
    """Index all pieces and merge them."""
    engine, place = engine_for(workers), Place.prepared(partial)
    try:
        pieces = _counted(inputs, place, settings, engine, progress or (lambda _: None))
        if not sum(s["documents"] for s in pieces.values()):
            hint = "check the kind of the input"
            raise InputError("no documents were found", file=some([shown_path(i) for i in inputs], 10), hint=hint)
        numbers = sorted(number for number, summary in pieces.items() if summary["documents"])
        parts, most = [part_name(number) for number in numbers], max(1 << 16, memory // 1024 // workers)
        merged = merge(place, parts, most, engine, Local(workers))
    except TruegainError:
        _forget(partial)
        raise
    _tell(partial, [pieces[number] for number in numbers], parts, merged, settings, plan)


@contextmanager
def _told_as_here(partial: Path, output: str) -> Iterator[None]:
    """Tell what went wrong in a piece, on whatever machine, as here: with the input or the corpus, named once."""
    try:
        yield
    except PieceError as error:
        own, cause = shown_path(partial), error.__cause__
        if isinstance(cause, TruegainError | OSError) and not str(cause).startswith(own):
            raise cause from None
        if message := _renamed(str(error), {own: output}):
            raise TruegainError(message) from None
        raise


def _renamed(message: str, names: Mapping[str, str]) -> str:
    """Words about a piece that name their file themselves, by the name it has for the user; empty where they do not.

    >>> _renamed("a.tsv: a.tsv:3: two fields", {}), _renamed("a.tsv: c.partial: no room", {"c.partial": "c"})
    ('a.tsv:3: two fields', 'c: no room')
    """
    file, _, reason = message.partition(": ")
    for name, ours in {file: file, absolute(file): file, **names}.items():
        if reason.startswith(f"{name}:"):
            return ours + reason.removeprefix(name)
    return ""


# ---------------------------------------------------------------------- counting


def _counted(
    inputs: Sequence[str], place: Place, settings: Settings, engine: Engine, progress: Callable[[int], None]
) -> Numbered:
    """Summaries of all pieces, by number; those that are there are not counted again."""
    summaries: Numbered = {}
    todo: list[DocumentStretch] = []
    try:
        todo += _stretches(inputs, place, settings, engine, progress, summaries)
        progress(len(summaries))
        while todo:
            open_ = Counter(stretch.number[0] for stretch in todo if stretch.piece is None)
            left = []
            answers = engine.run(count, todo, shared=(place, settings), name=str)
            for stretch, answer in zip(todo, answers, strict=True):
                _take(place, answer, summaries)
                progress(0 if stretch.source else len(answer.parts))
                if answer.left is not None:
                    left.append(replace(stretch, number=(stretch.number[0], answer.left)))
                elif stretch.piece is None:
                    open_[stretch.number[0]] -= 1
                    if not open_[stretch.number[0]]:
                        _note_read(place, stretch.number[0], summaries)
            todo = left
    finally:
        for stretch in todo:
            if stretch.source is not None:
                stretch.source.close()
    return summaries


def _take(place: Place, answer: CountedStretch, summaries: Numbered) -> None:
    """Note what was counted, and write what the worker could not."""
    for number, summary, files in answer.parts:
        if files is not None and summary["documents"]:
            keep(place.part(number), files)
        summaries[number] = summary


def _note_read(place: Place, number: int, summaries: Numbered) -> None:
    """Note that an input was read to its end, so that nobody does so again."""
    pieces = sorted(at for of, at in summaries if of == number and summaries[of, at]["documents"])
    _write(Path(place.folder) / f"{_READ}{number:06d}", json.dumps(pieces).encode())


def _stretches(
    inputs: Sequence[str],
    place: Place,
    settings: Settings,
    engine: Engine,
    progress: Callable[[int], None],
    summaries: Numbered,
) -> Iterator[DocumentStretch]:
    """What there is to do; what was done before goes to `found`."""
    there = {path.name for path in Path(place.folder).iterdir()}
    for number, file in enumerate(inputs):
        kind, note = settings.kind or kind_of(file), f"{_READ}{number:06d}"
        if note in there:
            for at in json.loads((Path(place.folder) / note).read_text()):
                summaries[number, at] = summary_of(place.part((number, at)))
            continue
        pieces = apart(file, kind, settings.fields, settings.piece)
        if pieces is None and isinstance(engine, Local) and engine.kind == "threads":
            source = Handout(in_order(file, kind, settings.fields, settings.piece), progress)
            yield from [DocumentStretch((number, 0), file, kind, source=source)] * engine.workers
        elif pieces is None:
            yield DocumentStretch(
                (number, _first_missing(number, place, there, summaries)), file, kind, path=absolute(file)
            )
        for at, piece in enumerate(pieces or ()):
            if part_name((number, at)) in there:
                summaries[number, at] = summary_of(place.part((number, at)))
            else:
                yield DocumentStretch((number, at), file, kind, piece)


def _first_missing(number: int, place: Place, there: Collection[str], summaries: Numbered) -> int:
    """The first piece of an input that is not there; those before it go to `found`."""
    at = 0
    while part_name((number, at)) in there:
        summaries[number, at] = summary_of(place.part((number, at)))
        at += 1
    return at


# ---------------------------------------------------------------------- the folder


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
            "an index of other documents or with other settings was begun here",
            file=str(partial),
            hint="finish that one first, or remove the folder",
        )
    _sweep(partial)  # what was not whole when the last start ended
    if not (partial / MANIFEST).exists():
        _write(note, plan.encode())


def _sweep(partial: Path) -> None:
    """Remove what was begun and never finished."""
    for path in [*partial.glob("*.tmp"), *partial.glob("*/*.tmp")]:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def _forget(partial: Path) -> None:
    """Remove a folder in which nothing is indexed yet, so that the command mended may be given at once."""
    if not any(path.name.startswith("part-") and not path.name.endswith(".tmp") for path in partial.iterdir()):
        gone = partial.with_name(f"{partial.name}.{secrets.token_hex(4)}.tmp")  # a thread may still look for it
        partial.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def _tell(
    partial: Path, summaries: list[dict[str, Any]], parts: list[str], merged: Merged, settings: Settings, plan: str
) -> None:
    """Write what the corpus says of itself."""
    empty = [name for s in summaries for name in s["empty"]]
    for name, listed in (("duplicates", merged.duplicates), ("empty", empty)):
        _write(partial / f"{name}.jsonl", "".join(json.dumps(d) + "\n" for d in listed).encode())
    manifest = {
        "version": VERSION,
        "truegain": __version__,
        "cutting": settings.cutting.plain(),
        "documents": sum(s["documents"] for s in summaries),
        "tokens": sum(s["tokens"] for s in summaries),
        "terms": merged.terms,
        "duplicates": len(merged.duplicates),
        "empty": len(empty),
        "replaced": sum(s.get("replaced", 0) for s in summaries),
        "vectors": "all" if settings.only is None else "named",
        "parts": parts,
        "plan": plan,
    }
    _write(partial / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())


def _finish(partial: Path, target: Path) -> None:
    """Leave only what a corpus is made of, and give it its name; every step may be taken again."""
    _sweep(partial)
    for path in partial.glob("part-*/*"):
        if path.name not in ("begin", "term", "count", "onto"):
            path.unlink()
    for path in partial.glob(f"{NODE}*"):
        shutil.rmtree(path)
    for path in [partial / PLAN, partial / TOKEN, *partial.glob(f"{_READ}*")]:
        path.unlink(missing_ok=True)
    if target.exists():
        target.rmdir()  # known to be empty
    partial.rename(target)
    wrote(target)


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_bytes(data)
    temporary.replace(path)
