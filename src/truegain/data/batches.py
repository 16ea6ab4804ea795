"""Runs and judgments that do not fit into memory, some topics at a time.

Errors are those that reading the files whole would give.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from truegain.data.checks import LargeLabels
from truegain.data.judgments import Judgments, judgments_layout, judgments_of_lines, marked_at
from truegain.data.pool import Pool
from truegain.data.run import Run, Ties, run_layout, run_of_lines, tag_of
from truegain.data.runs import Runs, named_by
from truegain.errors import EmptyError, InputError
from truegain.io import trec
from truegain.io.chunks import LineFile, PartedFile, cuts_for, line_file
from truegain.io.columns import Coded, Ids, frozen
from truegain.io.file_options import file_options
from truegain.io.files import STANDARD_INPUT, PathLike, can_be_read_again, expand
from truegain.io.formats import system_name
from truegain.io.memory import FLOOR, LOOKED_AT, MemoryLike, aligned_need, check_memory, limit_of, taken
from truegain.io.plain_text import in_bytes, line_of
from truegain.io.trec import NameBy, kind_of_file

# ---- Runs and judgments that do not fit into memory, some topics at a time.

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
        from concurrent.futures import ThreadPoolExecutor  # which plain scores of small files do without

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
        for lines, rows_of in zip([self.judgments, *self.runs], rows, strict=True):
            if not rows_of:
                trec.scan(b"", lines.layout, lines.file.file)

    def judged(self, part: int) -> Judgments:
        """The judgments of a part; without rows where it has none."""
        file, layout = self.judgments.file.file, self.judgments.layout
        try:
            text = self.parted[0].text(part)
            judgments = judgments_of_lines(text, layout, file, self.jobs)
        except EmptyError:
            none = Coded((), frozen(np.empty(0, np.int32)))
            return Judgments(none, Ids.of([]), frozen(np.empty(0)), none, source=file, from_lines=True)
        mark, starts = self.chosen_from, judgments.docs.start.tolist()  # lines of a part are in the order of the file
        if mark is None:
            return judgments
        return judgments.marked(np.arange(len(judgments)) >= bisect_right(starts, mark, key=partial(line_of, text)))

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
    tables = []
    for table in tables_of(files, judgments, open_files):
        if table is None:
            return None
        tables.append(table)
    need = in_bytes(aligned_need(judgments, files, jobs, limit))
    file_options().say(
        f"reading all at once would need about {need} of memory, and the limit is {in_bytes(limit)}: read in batches"
    )
    name_by = named_by(runs)
    if name_by == "file":
        Runs.check_names([lines.name for lines in tables[1:]], [lines.file.file for lines in tables[1:]])
    return Batches(tables[0], tables[1:], limit, jobs, name_by, open_files)


def tables_of(files: Sequence[str], judgments: PathLike, open_files: ExitStack) -> Iterator[LineTable | None]:
    """The judgments and then the runs as files of lines; None for one that is something else."""
    options = file_options()
    headers = [options.header_of(judgments), *[options.runs_header.of_files(len(files))] * len(files)]
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


# ---- Which fault of several is told where files are read in batches: the one that reading them whole would meet
# first.

INFINITE, TOO_LARGE = "label is infinite", "too large to be summed"
SEVERAL = ("two labels (", "two subtopics for")


def first_fault(batches: Batches, met: InputError, ties: Ties = "descending") -> InputError:
    """The first fault of the judgments, then of each run, then of labels that do not go together; else the one met."""
    fault = fault_in_lines(batches.judgments, judged=True)
    for number, lines in enumerate(batches.runs):
        fault = fault or fault_in_lines(lines)
        if fault is None:
            of_lists = _fault_in_lists(batches, number, ties)  # after which all tags were seen
            fault = _fault_in_tags(batches, number) or of_lists
    if fault is None and met.problem.startswith(SEVERAL):
        fault = min(_several_labels(batches), key=lambda error: error.line or 0, default=None)
    return fault or met


def first_fault_of_files(runs: Any, judgments: Any, met: InputError, jobs: int, ties: Ties) -> InputError:
    """The first fault where a file could not be divided, so that there are no batches: files are read one by one."""
    files = expand([runs] if isinstance(runs, str | os.PathLike) else list(runs))
    if not all(map(can_be_read_again, [os.fspath(judgments), *files])):
        return met
    judged: LineTable | None = None
    with ExitStack() as open_files:
        try:
            for table in tables_of(files, judgments, open_files):
                if table is None:
                    break
                fault = fault_in_lines(table, judged=judged is None)
                if fault is None and judged is not None:
                    single = Batches(judged, [table], 1 << 30, jobs, named_by(runs), open_files)
                    of_lists = _fault_in_lists(single, 0, ties)
                    fault = _fault_in_tags(single, 0) or of_lists
                if fault is not None:
                    return fault
                judged = judged or table
        except InputError as error:
            return error
    return met


def fault_in_lines(lines: LineTable, *, judged: bool = False) -> InputError | None:
    """The first line of a file that cannot be read; of judgments else the first label that cannot be."""
    infinite: InputError | None = None
    large: InputError | None = None
    file = lines.file.file
    try:
        for text in lines.file.placed_chunks():
            with suppress(EmptyError):
                if not judged:
                    trec.scan(text, lines.layout, file)
                    continue
                try:
                    LargeLabels.of(judgments_of_lines(text, lines.layout, file, 1))
                except InputError as error:
                    if error.problem == INFINITE:
                        infinite = infinite or error
                    elif error.problem.endswith(TOO_LARGE):
                        large = large or error
                    else:
                        raise
    except InputError as error:
        return error
    return infinite or large


def _fault_in_lists(batches: Batches, number: int, ties: Ties) -> InputError | None:
    """The first fault in the lists of a run, such as a document that stands twice: of the topic that comes first."""
    faults = []
    for part in range(len(batches)):
        try:
            batches.run(part, number).ranking(ties=ties)
        except InputError as error:
            whole = "is not a whole number" in error.problem
            twice = error.problem.startswith("document ")
            place = error.line if whole else _first_line(batches, part, number, error.text or "")
            faults.append((twice - whole, place or 0, error))
    return min(faults, key=lambda fault: fault[:2])[2] if faults else None


def _fault_in_tags(batches: Batches, number: int) -> InputError | None:
    """Several tags, where one is to name the system."""
    try:
        batches.name_of(number)
    except InputError as error:
        return error
    return None


def _first_line(batches: Batches, part: int, number: int, line: str) -> int:
    """The first line of the topic that a line of a run is about."""
    lines = batches.runs[number]
    rows = trec.scan(batches.parted[number + 1].text(part), lines.layout, lines.file.file)
    code = rows.topic.values.index(line.split()[lines.layout.topic])
    return trec.line_of_row(rows.docs, int(np.argmax(rows.topic.code == code)))


def _several_labels(batches: Batches) -> Iterable[InputError]:
    for part in range(len(batches)):
        try:
            Pool.of(batches.judged(part)).labels  # noqa: B018
        except InputError as error:
            yield error
