"""Indexing: documents to a corpus on disk, piece by piece, in bounded memory, whole or not at all.

The work is done in OUTPUT.partial.  Every piece of the input becomes a folder there by itself and is renamed when it
is whole; then the vocabularies and the ids of the pieces are merged; last the folder gets its name.  A second start
keeps the pieces that are there, and merges anew.  Pieces and merges run on the engine: threads of this machine, or the
workers of a cluster.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from truegain._version import __version__
from truegain.addresses import is_remote
from truegain.engine import Engine, Local, PieceError, engine_for
from truegain.errors import InputError, TruegainError, some
from truegain.tables.guard import wrote
from truegain.tables.sources import shown_path
from truegain.tables.targets import write_failures
from truegain.text.corpus import MANIFEST, VERSION, Corpus, read_manifest
from truegain.text.counting import (
    TOKEN,
    CountedStretch,
    DocumentStretch,
    Handout,
    Place,
    count,
    keep,
    part_name,
    summary_of,
)
from truegain.text.documents import apart, in_order, kind_of, named_inputs
from truegain.text.merging import NODE, Merged, merge
from truegain.text.piece import absolute
from truegain.text.settings import PER_PIECE
from truegain.text.settings import Settings as Settings

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
    given = settings or Settings.within(memory)
    if is_remote(os.fspath(output)):
        raise InputError("a corpus is made on this machine only", file=str(output), hint="name a folder here")
    target = Path(os.path.realpath(output))
    partial = target.with_name(target.name + ".partial")
    named = named_inputs(inputs)
    plan = given.plan(named)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        if read_manifest(target)["plan"] != plan:
            raise InputError("another corpus is there", file=str(output), hint="remove it, or name another folder")
        return Corpus.open(target)
    with write_failures(shown_path(output)), _told_as_here(partial, shown_path(output)):
        _prepare(partial, plan)
        if not (partial / MANIFEST).exists():
            _fill(partial, named, given, plan, max(1, min(jobs, memory // (given.piece * PER_PIECE))), memory, progress)
        _finish(partial, target)
    return Corpus.open(target)


def _fill(
    partial: Path,
    inputs: Sequence[str],
    given: Settings,
    plan: str,
    workers: int,
    memory: int,
    progress: Callable[[int], None] | None,
) -> None:
    """Index all pieces and merge them."""
    engine, place = engine_for(workers), Place.prepared(partial)
    try:
        pieces = _counted(inputs, place, given, engine, progress or (lambda _: None))
        if not sum(s["documents"] for s in pieces.values()):
            hint = "check the kind of the input"
            raise InputError("no documents were found", file=some([shown_path(i) for i in inputs], 10), hint=hint)
        numbers = sorted(number for number, summary in pieces.items() if summary["documents"])
        parts, most = [part_name(number) for number in numbers], max(1 << 16, memory // 1024 // workers)
        merged = merge(place, parts, most, engine, Local(workers))
    except TruegainError:
        _forget(partial)
        raise
    _tell(partial, [pieces[number] for number in numbers], parts, merged, given, plan)


@contextmanager
def _told_as_here(partial: Path, output: str) -> Iterator[None]:
    """Tell what went wrong in a piece, on whatever machine, as here: with the input or the corpus, named once."""
    try:
        yield
    except PieceError as error:
        own, cause = shown_path(partial), error.__cause__
        if isinstance(cause, TruegainError | OSError) and not str(cause).startswith(own):
            raise cause from None
        if said := _renamed(str(error), {own: output}):
            raise TruegainError(said) from None
        raise


def _renamed(told: str, names: Mapping[str, str]) -> str:
    """Words about a piece that name their file themselves, by the name it has for the user; empty where they do not.

    >>> _renamed("a.tsv: a.tsv:3: two fields", {}), _renamed("a.tsv: c.partial: no room", {"c.partial": "c"})
    ('a.tsv:3: two fields', 'c: no room')
    """
    file, _, said = told.partition(": ")
    for name, ours in {file: file, absolute(file): file, **names}.items():
        if said.startswith(f"{name}:"):
            return ours + said.removeprefix(name)
    return ""


# ---------------------------------------------------------------------- counting


def _counted(
    inputs: Sequence[str], place: Place, settings: Settings, engine: Engine, progress: Callable[[int], None]
) -> Numbered:
    """Summaries of all pieces, by number; those that are there are not counted again."""
    found: Numbered = {}
    todo: list[DocumentStretch] = []
    try:
        todo += _stretches(inputs, place, settings, engine, progress, found)
        progress(len(found))
        while todo:
            open_ = Counter(stretch.number[0] for stretch in todo if stretch.piece is None)
            left = []
            answers = engine.run(count, todo, shared=(place, settings), name=str)
            for stretch, answer in zip(todo, answers, strict=True):
                _take(place, answer, found)
                progress(0 if stretch.source else len(answer.parts))
                if answer.left is not None:
                    left.append(replace(stretch, number=(stretch.number[0], answer.left)))
                elif stretch.piece is None:
                    open_[stretch.number[0]] -= 1
                    if not open_[stretch.number[0]]:
                        _note_read(place, stretch.number[0], found)
            todo = left
    finally:
        for stretch in todo:
            if stretch.source is not None:
                stretch.source.close()
    return found


def _take(place: Place, answer: CountedStretch, found: Numbered) -> None:
    """Note what was counted, and write what the worker could not."""
    for number, summary, files in answer.parts:
        if files is not None and summary["documents"]:
            keep(place.part(number), files)
        found[number] = summary


def _note_read(place: Place, number: int, found: Numbered) -> None:
    """Note that an input was read to its end, so that nobody does so again."""
    pieces = sorted(at for of, at in found if of == number and found[of, at]["documents"])
    _write(Path(place.folder) / f"{_READ}{number:06d}", json.dumps(pieces).encode())


def _stretches(
    inputs: Sequence[str],
    place: Place,
    settings: Settings,
    engine: Engine,
    progress: Callable[[int], None],
    found: Numbered,
) -> Iterator[DocumentStretch]:
    """What there is to do; what was done before goes to `found`."""
    there = {path.name for path in Path(place.folder).iterdir()}
    for number, file in enumerate(inputs):
        kind, note = settings.kind or kind_of(file), f"{_READ}{number:06d}"
        if note in there:
            for at in json.loads((Path(place.folder) / note).read_text()):
                found[number, at] = summary_of(place.part((number, at)))
            continue
        pieces = apart(file, kind, settings.fields, settings.piece)
        if pieces is None and isinstance(engine, Local) and engine.kind == "threads":
            source = Handout(in_order(file, kind, settings.fields, settings.piece), progress)
            yield from [DocumentStretch((number, 0), file, kind, source=source)] * engine.workers
        elif pieces is None:
            yield DocumentStretch(
                (number, _first_missing(number, place, there, found)), file, kind, path=absolute(file)
            )
        for at, piece in enumerate(pieces or ()):
            if part_name((number, at)) in there:
                found[number, at] = summary_of(place.part((number, at)))
            else:
                yield DocumentStretch((number, at), file, kind, piece)


def _first_missing(number: int, place: Place, there: Collection[str], found: Numbered) -> int:
    """The first piece of an input that is not there; those before it go to `found`."""
    at = 0
    while part_name((number, at)) in there:
        found[number, at] = summary_of(place.part((number, at)))
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
            "another index was begun here, of other documents or with other settings",
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
