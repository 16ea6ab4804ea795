"""Runs and judgments that do not fit into memory, some topics at a time."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from truegain.errors import EmptyError
from truegain.tables import trec
from truegain.tables.columns import Coded, Ids, frozen
from truegain.tables.header import told
from truegain.tables.judgments import Judgments, judgments_layout, judgments_of_lines, marked_at
from truegain.tables.line_files import LineFile, line_file
from truegain.tables.memory import FLOOR, MemoryLike, aligned_need, check_memory, limit_of
from truegain.tables.parts import PartedFile, cuts_for
from truegain.tables.plain import in_bytes, line_of
from truegain.tables.read import NameBy, kind_of_file
from truegain.tables.reading_needs import LOOKED_AT, taken
from truegain.tables.run import Run
from truegain.tables.run_files import run_layout, run_of_lines, tag_of
from truegain.tables.runs import Runs, named_by
from truegain.tables.sources import STANDARD_INPUT, PathLike, expand, system_name

LEAST_PART, MOST_PART = 1 << 20, 3 << 25  # bytes of all files read together
SHARE = 16  # a part is at most so small a share of the memory that may be taken
Loader = Callable[[], Sequence[Run]]


@dataclass(frozen=True, eq=False)
class LineTable:
    """A file of lines, and how they are cut."""

    file: LineFile
    layout: trec.Layout
    name: str  # of the system

    @property
    def topic(self) -> tuple[LineFile, int]:
        """The file, and the number of the topic's field."""
        return self.file, self.layout.topic

    def taken(self, *, judged: bool) -> float:
        """The bytes of memory that each of its bytes takes."""
        return taken(self.file.head[:LOOKED_AT], self.file.file, judged=judged)


@dataclass(frozen=True, eq=False)
class Batch:
    """Some topics: their judgments, and functions that give their runs, each when asked; either may have no rows."""

    judgments: Judgments
    loaders: list[Loader]


class Batches:
    """All topics of runs and judgments, in the order of their bytes, so many at a time as memory holds."""

    def __init__(
        self,
        judgments: LineTable,
        runs: Sequence[LineTable],
        limit: int,
        jobs: int,
        name_by: NameBy,
        open_files: ExitStack,
    ) -> None:
        self.judgments, self.runs, self.jobs, self.name_by = judgments, list(runs), jobs, name_by
        self.tags: list[set[str]] = [set() for _ in runs]  # seen so far
        self.parted: list[PartedFile] = []
        every = [judgments, *runs]
        total = sum(lines.file.size for lines in every)
        part_size = max(LEAST_PART, min(MOST_PART, limit // SHARE))
        self.cuts = cuts_for([lines.topic for lines in every], max(1, -(-total // part_size)))
        with ThreadPoolExecutor(max(1, jobs)) as workers:
            divided = [workers.submit(PartedFile, *lines.topic, self.cuts, open_files) for lines in every]
            self.parted = [done.result() for done in divided]
        self._check_largest(limit)

    def _check_largest(self, limit: int) -> None:
        """Refuse a part that does not fit: one topic cannot be divided."""
        each = [lines.taken(judged=not number) for number, lines in enumerate([self.judgments, *self.runs])]
        for part in range(self.cuts.parts):
            needs = [parted.size(part) * times for parted, times in zip(self.parted, each, strict=True)]
            need = needs[0] + sum(sorted(needs[1:], reverse=True)[: self.jobs])
            check_memory(int(need), max(limit, FLOOR), ": one topic fills most of it, and a topic is read whole")

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems; by their tags once all was read."""
        return tuple(map(self.name_of, range(len(self.runs))))

    def name_of(self, number: int) -> str:
        """The name of a system; by its tag where that is asked for, and the first two of several are told."""
        lines, tags = self.runs[number], self.tags[number]
        if self.name_by == "file" or len(tags) < 2:
            return lines.name if self.name_by == "file" else next(iter(tags), lines.name)
        seen: dict[str, None] = {}
        for _, text in lines.file.chunks():
            with suppress(EmptyError):
                seen |= dict.fromkeys(trec.scan(text, lines.layout, lines.file.file).second.values)
            if len(seen) > 1:
                break
        return tag_of([*seen, *(tags - seen.keys())], lines.file.file)

    def __len__(self) -> int:
        return self.cuts.parts

    def __iter__(self) -> Iterator[Batch]:
        for part in range(len(self)):
            loaders: list[Loader] = [partial(self._run, part, number) for number in range(len(self.runs))]
            yield Batch(self.judged(part), loaders)

    def check_unchanged(self) -> None:
        """Refuse files that were written to meanwhile."""
        for lines in [self.judgments, *self.runs]:
            lines.file.check_unchanged()

    def check_rows(self, rows: Sequence[int]) -> None:
        """Refuse files without a row, as reading them whole does; `rows` is of the judgments, then of each run."""
        for lines, there in zip([self.judgments, *self.runs], rows, strict=True):
            if not there:
                trec.scan(b"", lines.layout, lines.file.file)

    def judged(self, part: int) -> Judgments:
        """The judgments of a part; without rows where it has none."""
        file, layout = self.judgments.file.file, self.judgments.layout
        try:
            text = self.parted[0].text(part)
            found = judgments_of_lines(text, layout, file, self.jobs)
        except EmptyError:
            none = Coded((), frozen(np.empty(0, np.int32)))
            return Judgments(none, Ids.of([]), frozen(np.empty(0)), none, source=file, from_lines=True)
        mark, starts = self.chosen_from, found.docs.start.tolist()  # lines of a part are in the order of the file
        if mark is None:
            return found
        return found.marked(np.arange(len(found)) >= bisect_right(starts, mark, key=partial(line_of, text)))

    @cached_property
    def chosen_from(self) -> int | None:
        """The line of the judgments below which labels are that a list of what to judge next asked for, if any."""
        lines = 0
        for _, text in self.judgments.file.chunks():
            if (mark := marked_at(text)) is not None:
                return lines + line_of(text, mark)
            lines += text.count(b"\n")
        return None

    def _run(self, part: int, number: int) -> list[Run]:
        return [self.run(part, number)]

    def run(self, part: int, number: int) -> Run:
        """One run on the topics of a part; without rows where it has none of them."""
        lines = self.runs[number]
        try:
            text = self.parted[number + 1].text(part)
            run = run_of_lines(text, lines.layout, lines.name, lines.file.file, max(1, self.jobs // len(self.runs)))
        except EmptyError:
            return _empty(lines.name, lines.file.file)
        self.tags[number].update(run.tags)
        return run


def batches_of(
    runs: Any, judgments: Any, *, jobs: int, memory: MemoryLike | None, open_files: ExitStack
) -> Batches | None:
    """Files of runs and judgments in batches that take no more than so much memory; None where one is no lines."""
    files, limit = expand([runs] if isinstance(runs, str | os.PathLike) else list(runs)), limit_of(memory)
    found = []
    for table in tables_of(files, judgments, open_files):
        if table is None:
            return None
        found.append(table)
    need = in_bytes(aligned_need(judgments, files, jobs, limit))
    told().say(f"all at once would take about {need} of memory, and {in_bytes(limit)} may be taken: read in batches")
    name_by = named_by(runs)
    if name_by == "file":
        Runs.check_names([lines.name for lines in found[1:]], [lines.file.file for lines in found[1:]])
    return Batches(found[0], found[1:], limit, jobs, name_by, open_files)


def tables_of(files: Sequence[str], judgments: PathLike, open_files: ExitStack) -> Iterator[LineTable | None]:
    """The judgments and then the runs as files of lines; None for one that is something else."""
    said = told()
    headers = [said.header_of(judgments), *[said.ran.of_files(len(files))] * len(files)]
    for number, (path, header) in enumerate(zip([os.fspath(judgments), *files], headers, strict=True)):
        lines = line_file(path, open_files)
        head = lines.head[lines.begin :]
        layout = None
        if kind_of_file(head, lines.file, header) is None:
            layout = run_layout(head, header, lines.file) if number else judgments_layout(head, header)
        name = "stdin" if path == STANDARD_INPUT else system_name(path)
        yield None if layout is None else LineTable(lines, layout, name)


def _empty(system: str, file: str) -> Run:
    """A run without rows."""
    none = frozen(np.empty(0, np.int32))
    return Run(system, Coded((), none), Ids.of([]), frozen(np.empty(0)), none, file, from_lines=True)
