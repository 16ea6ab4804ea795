"""Merging: the vocabularies and ids of all pieces become one, in a tree: groups of pieces, then groups of groups.

Every merge reads a range of hashes at a time, so that it needs the same memory however much it merges.  A node holds
`up`, the number of each of its terms in the node above; last, from the top down, these become `onto`, the number in the
corpus.  Names of one hash stay in order of first appearance, so that the tree's shape does not show in the answer.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from truegain.engine import Engine
from truegain.errors import TruegainError
from truegain.tables.columns import Ids
from truegain.text.counting import Place, settle
from truegain.text.named import joined, on_disk, packed

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
    told: list[tuple[int, list[str]]] = []
    nodes = list(parts)
    while True:
        groups = _groups(nodes, len(levels))
        levels.append(groups)
        told += _done(merge_group, (place, most), groups, engine, here)
        if len(groups) == 1:
            break
        nodes = [group.into for group in groups]
    for groups in levels[-2::-1]:
        _done(number_group, (place, most), groups, engine, here)
    return Merged(told[-1][0], sorted(name for _, names in told for name in names))


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
    found = []
    for node, (first, last) in zip(nodes, rows, strict=True):
        start = np.array(on_disk(node / f"{name}.start", "<i8")[first : last + 1])
        found.append((start, np.array(on_disk(node / f"{name}.text", "u1")[start[0] : start[-1]])))
    return joined(found)


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
