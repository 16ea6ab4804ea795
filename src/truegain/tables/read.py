"""Reading judgments and runs from files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Literal

import numpy as np

from truegain.errors import InputError
from truegain.tables import named, tabular, trec
from truegain.tables.judgments import Judgments
from truegain.tables.plain import plain_text
from truegain.tables.runs import Run, Runs
from truegain.tables.sources import STANDARD_INPUT, PathLike, expand, read_bytes, shown_path, system_name

NameBy = Literal["file", "tag"]


def read_judgments(path: PathLike, *, jobs: int = 1) -> Judgments:
    """Judgments from a TREC qrels or subtopic qrels file, or from CSV, TSV, JSONL or Parquet with named columns.

    The kind is told from the content: a header that names `topic` and `doc` (or a known other name) makes a
    table, everything else is read as TREC lines.  Compressed files and '-' for standard input are fine.
    """
    text, kind, file = _loaded(path)
    if kind:
        return named.judgments(tabular.read(text, kind, file), file)
    rows = trec.scan(text, trec.JUDGMENTS, file, jobs)
    if not np.isfinite(rows.value).all():
        row = int(np.flatnonzero(~np.isfinite(rows.value))[0])
        raise InputError(
            "label is infinite",
            file=file,
            line=trec.line_of_row(rows.docs, row),
            text=trec.text_of_row(rows.docs, row),
            hint="a label must be a finite number",
        )
    return Judgments(rows.topic, rows.docs, rows.value, rows.second, source=file, from_lines=True)


def read_runs(paths: PathLike | Iterable[PathLike], *, name_by: NameBy = "file", jobs: int = 1) -> Runs:
    """Runs from files, folders and globs; a system is named by its file, or by its run tag on request."""
    loaders = run_loaders(paths, name_by=name_by, jobs=jobs)
    return Runs(tuple(run for load in loaders for run in load()))


def run_loaders(
    paths: PathLike | Iterable[PathLike], *, name_by: NameBy = "file", jobs: int = 1
) -> list[Callable[[], Sequence[Run]]]:
    """One function per file that reads it, so that many files need not be in memory at once."""
    several = [paths] if isinstance(paths, str) or hasattr(paths, "__fspath__") else list(paths)
    files = expand(several)  # type: ignore[arg-type]
    if not files:
        raise InputError("no run was given", hint="give at least one run file")
    if name_by not in ("file", "tag"):
        raise InputError(f"systems cannot be named by {name_by!r}", hint="give 'file' or 'tag'")
    if files.count(STANDARD_INPUT) > 1:
        raise InputError("standard input can be only one run", hint="give '-' once")
    threads = max(1, jobs // len(files))
    return [partial(_read_run, file, name_by, threads) for file in files]


def _read_run(path: str, name_by: NameBy, jobs: int) -> list[Run]:
    text, kind, file = _loaded(path)
    name = "stdin" if path == STANDARD_INPUT else system_name(path)
    if kind:
        return named.runs(tabular.read(text, kind, file), name, file)
    rows = trec.scan(text, trec.RUN, file, jobs)
    tags = rows.second.values
    if name_by == "tag":
        if len(tags) > 1:
            raise InputError(
                f"the run has {len(tags)} different tags ({tags[0]}, {tags[1]}, ...)",
                file=file,
                hint="name systems by file, or give one file a system",
            )
        name = tags[0]
    return [Run(name, rows.topic, rows.docs, rows.value, rows.rank, file, tags, from_lines=True, wider=rows.wider)]


def _loaded(path: PathLike) -> tuple[bytes, tabular.Kind | None, str]:
    """The content of a file, its kind (None for TREC lines), and its name for messages."""
    data, file = read_bytes(path), shown_path(path)
    text = data if tabular.is_parquet(data, tabular.ending(file)) else plain_text(data, file)
    return text, tabular.kind_of(text, file), file
