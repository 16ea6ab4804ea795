"""Which fault of several is told where files are read in batches: the one that reading them whole would meet first."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from typing import Any

import numpy as np

from truegain.errors import EmptyError, InputError
from truegain.tables import trec
from truegain.tables.batches import Batches, LineTable, tables_of
from truegain.tables.checks import LargeLabels
from truegain.tables.judgments import judgments_of_lines
from truegain.tables.pool import Pool
from truegain.tables.runs import Ties, named_by
from truegain.tables.sources import can_be_read_again, expand

INFINITE, TOO_LARGE = "label is infinite", "too large to be added up"
SEVERAL = ("two labels (", "two subtopics for")


def first_fault(batches: Batches, met: InputError, ties: Ties = "descending") -> InputError:
    """The first fault of the judgments, then of each run, then of labels that do not go together; else the one met."""
    found = fault_in_lines(batches.judgments, judged=True)
    for number, lines in enumerate(batches.runs):
        found = found or fault_in_lines(lines)
        if found is None:
            of_lists = _fault_in_lists(batches, number, ties)  # after which all tags were seen
            found = _fault_in_tags(batches, number) or of_lists
    if found is None and met.problem.startswith(SEVERAL):
        found = _earliest(_several_labels(batches))
    return found or met


def first_fault_of_files(runs: Any, judgments: Any, met: InputError, jobs: int, ties: Ties) -> InputError:
    """The same where a file could not be divided, so that there are no batches: files are looked at one by one."""
    files = expand([runs] if isinstance(runs, str | os.PathLike) else list(runs))
    if not all(map(can_be_read_again, [os.fspath(judgments), *files])):
        return met
    judged: LineTable | None = None
    with ExitStack() as open_files:
        try:
            for table in tables_of(files, judgments, open_files):
                if table is None:
                    break
                found = fault_in_lines(table, judged=judged is None)
                if found is None and judged is not None:
                    alone = Batches(judged, [table], 1 << 30, jobs, named_by(runs), open_files)
                    of_lists = _fault_in_lists(alone, 0, ties)
                    found = _fault_in_tags(alone, 0) or of_lists
                if found is not None:
                    return found
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
    found = []
    for part in range(len(batches)):
        try:
            batches.run(part, number).ranking(ties=ties)
        except InputError as error:
            whole = "is not a whole number" in error.problem
            twice = error.problem.startswith("document ")
            place = error.line if whole else _first_line(batches, part, number, error.text or "")
            found.append((twice - whole, place or 0, error))
    return min(found, key=lambda one: one[:2])[2] if found else None


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


def _earliest(errors: Iterable[InputError]) -> InputError | None:
    return min(errors, key=lambda error: error.line or 0, default=None)
