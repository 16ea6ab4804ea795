"""Runs: what each system retrieved."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from truegain.errors import ORDER, InputError, some
from truegain.tables import convert, tabular, trec
from truegain.tables.columns import Places
from truegain.tables.frames import frame_of, is_frame, opened
from truegain.tables.header import ColumnNames, Header, told
from truegain.tables.json_files import nested, place_of
from truegain.tables.named import Columns, renamed
from truegain.tables.read import NameBy, layout_of, loaded
from truegain.tables.renaming import new_names
from truegain.tables.run import FLAGS as FLAGS
from truegain.tables.run import RankedRows as RankedRows
from truegain.tables.run import Run as Run
from truegain.tables.run import Ties as Ties
from truegain.tables.run import joined_columns as joined_columns
from truegain.tables.run import ordered_columns as ordered_columns
from truegain.tables.run import ranked_run, tell_ranks
from truegain.tables.run import run_of_columns as run_of_columns
from truegain.tables.separated import read_unnamed
from truegain.tables.sources import STANDARD_INPUT, PathLike, expand, system_name

if TYPE_CHECKING:
    import polars as pl

MODELS = ("model", "uses")  # columns that name the model a system uses


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of one or more systems.

    >>> runs = Runs.of({"bm25": {"1": {"a": 2.0, "b": 1.0}}})
    >>> runs.systems
    ('bm25',)
    """

    parts: tuple[Run, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise InputError("no run was given", hint="give at least one run")
        self.check_names(self.systems, [part.source for part in self.parts])

    @staticmethod
    def check_names(systems: Sequence[str], files: Sequence[str] = ()) -> None:
        """Every system needs a name of its own; where they have the same one, the files of the first are told."""
        twice = [name for name, n in Counter(systems).items() if n > 1]
        if twice:
            both = [file for name, file in zip(systems, files, strict=False) if name == twice[0]]
            raise InputError(
                f"two systems of the name {some(twice)}{f': {some(both)}' if any(both) else ''}",
                hint="rename one file, or name systems by their run tag, name_by='tag'",
            )

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order given."""
        return tuple(part.system for part in self.parts)

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    def __repr__(self) -> str:
        return f"Runs({len(self.parts)} systems: {some(list(self.systems))}; {len(self):,} rows)"

    @classmethod
    def of(cls, data: object) -> Runs:
        """Runs from a path, several paths, a dict of dicts, a frame, ir_measures tuples or a ranx Run."""
        return data if isinstance(data, Runs) else _of_object(data)

    def renamed(self, names: Mapping[str, str] | None = None, strip: str = "") -> Runs:
        """The same runs under other names of systems, and without a prefix of them.

        >>> Runs.of({"input.bm25": {"1": {"a": 2.0}}}).renamed(strip="input.").systems
        ('bm25',)
        """
        new = new_names(self.systems, names, strip)
        return Runs(tuple(replace(part, system=new[part.system]) for part in self.parts))

    @property
    def frame(self) -> pl.DataFrame:
        """A polars frame with the columns system, topic, doc, score, in the order given."""
        return frame_of(
            {
                "system": [part.system for part in self.parts for _ in range(len(part))],
                "topic": [topic for part in self.parts for topic in part.topic.strings()],
                "doc": [doc for part in self.parts for doc in part.docs.strings()],
                "score": np.concatenate([part.score for part in self.parts]),
            }
        )

    def ordered_frame(self, single: bool = False) -> pl.DataFrame:
        """The same frame sorted: systems as given, topics as bytes, documents best first."""
        return frame_of(joined_columns([ordered_columns(part, single) for part in self.parts]))


def read_runs(
    paths: PathLike | Iterable[PathLike], *, name_by: NameBy = "file", jobs: int = 1, columns: ColumnNames | None = None
) -> Runs:
    r"""Runs from files, folders and globs; a system is named by its file, or by its run tag on request.

    Files hold TREC lines, tables with named columns (CSV, TSV, JSONL, a JSON list, Parquet), or {topic: {document:
    score}} as JSON.  Where there is a rank and no score, documents stand in the order of their ranks.

    columns: the names of all columns where no line of the file has them, such as "topic,doc,rank" ('-' for one not
    read), or other names than ours, such as {"score": "bm25"}.

    >>> import tempfile, truegain as tg
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "bm25.run").write_text("1 Q0 a 1 2.5 x\n1 Q0 b 2 1.5 x\n")
    ...     tg.read_runs(f"{folder}/bm25.run").systems
    ('bm25',)
    """
    loaders = run_loaders(paths, name_by=name_by, jobs=jobs, columns=columns)
    return Runs(tuple(run for load in loaders for run in load()))


def run_loaders(
    paths: PathLike | Iterable[PathLike], *, name_by: NameBy = "file", jobs: int = 1, columns: ColumnNames | None = None
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
    header = told().ran if columns is None else Header.of(columns)
    return [partial(_read_run, file, name_by, threads, header) for file in files]


def models_in(runs: object) -> dict[str, tuple[str, ...]]:
    """The models that systems use, where a table of runs has a column for it; TREC lines have none, and are not read.

    >>> rows = [{"system": "rag", "topic": "1", "doc": "a", "score": 1.0, "model": "gpt-4o"}]
    >>> import polars as pl
    >>> models_in(pl.DataFrame(rows))
    {'rag': ('gpt-4o',)}
    """
    if isinstance(runs, str | os.PathLike) or convert.is_paths(runs):
        several = [runs] if isinstance(runs, str | os.PathLike) else list(runs)  # type: ignore[call-overload]
        header = told().ran
        tables = [file for file in expand(several) if file != STANDARD_INPUT and loaded(file, header)[1]]
        parts = [run for file in tables for run in _read_run(file, "file", 1, header)]
    else:
        parts = list(Runs.of(runs).parts)
    return {run.system: run.models for run in parts if run.models}


def _read_run(path: str, name_by: NameBy, jobs: int, header: Header) -> list[Run]:
    text, kind, file = loaded(path, header)
    name = "stdin" if path == STANDARD_INPUT else system_name(path)
    if kind == "nested":
        return _of_nested(nested(text, file), name, file, text)
    if kind:
        return _of_frame(tabular.read(text, kind, file), name, file, header)
    if header.names:
        return _of_unnamed(text, header, name, file, jobs)
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


def _of_unnamed(text: bytes, header: Header, name: str, file: str, jobs: int) -> list[Run]:
    """Runs from lines without names, under those that the user gave."""
    layout = layout_of(header, text, "run", ("score", "rank"))
    if layout is None:
        return _of_frame(read_unnamed(text, header.names, file), name, file)
    rows = trec.scan(text, layout, file, jobs)
    run = Run(name, rows.topic, rows.docs, rows.value, rows.rank, file, from_lines=True)
    return [ranked_run(run) if layout.value_name == "rank" else tell_ranks(run)]


def _of_nested(data: Mapping[str, Any], name: str, file: str, text: bytes) -> list[Run]:
    """Runs from {topic: {document: score}}, or the same below names of systems."""
    several = {name: data} if convert.is_one_run(data) else data
    found = []
    for system, run in several.items():
        if not isinstance(run, Mapping) or not run:
            raise InputError(
                f"{system} holds no topics", file=file, **place_of(text, system),  # type: ignore[arg-type]
                hint="write {topic: {document: score}}, or the same for each system",
            )  # fmt: skip
        topics, docs, scores = convert.flat(run, file, labels=False, text=text)
        if not topics:
            raise InputError("the run holds no rows", file=file, hint="give at least one document")
        made = run_of_columns(system, topics, docs, scores, file)
        found.append(replace(tell_ranks(made), bare=len(several) == 1))
    return found


def _of_object(data: object) -> Runs:
    """Runs from any known kind of object; a dict of such objects names the systems."""
    if isinstance(data, Run):
        return Runs((data,))
    if convert.is_kind(data, "Judgments", "Qrels"):
        raise InputError(f"these are {type(data).__name__}, not runs", file="runs", hint=ORDER)
    if isinstance(data, str | os.PathLike) or convert.is_paths(data):
        return read_runs(data)  # type: ignore[arg-type]
    if isinstance(data, Mapping) and not convert.is_one_run(data):
        return Runs(tuple(run for name, value in data.items() for run in _named(str(name), value)))
    bare = isinstance(data, Mapping)
    return Runs(tuple(replace(run, bare=bare) for run in _named("run", data)))


def _named(name: str, data: object) -> list[Run]:
    """The runs in one object; `name` is used where it names none itself."""
    if isinstance(data, Run):
        return [replace(data, system=name)]
    if isinstance(data, str | os.PathLike):
        parts = read_runs(data).parts
        if len(parts) > 1:
            raise InputError(
                f"one name, {name}, for {len(parts)} systems", file=os.fspath(data), hint="name one file a system"
            )
        return [replace(parts[0], system=name)]
    if convert.is_ranx(data):
        name = getattr(data, "name", None) or name
        data = data.to_dict()  # type: ignore[attr-defined]
    if isinstance(data, Mapping):
        topics, docs, scores = convert.flat(data, name, labels=False)
        if not topics:
            raise InputError("the run holds no rows", file=name, hint="give at least one document")
        return [run_of_columns(name, topics, docs, scores, name)]
    if is_frame(data):
        return _of_frame(opened(data), name, name)
    rows = convert.tuples(data, "score", name)
    return [
        run_of_columns(
            name,
            [convert.an_id(r.query_id, "topic", name) for r in rows],
            [convert.an_id(r.doc_id, "document", name) for r in rows],
            convert.numbers([r.score for r in rows], name, labels=False),
            name,
        )
    ]


def _of_frame(frame: Any, name: str, source: str, header: Header | None = None) -> list[Run]:
    """Runs from a frame with named columns; a column `system` splits it, one of MODELS names what a system uses.

    Where there is no score, the rank orders the documents.
    """
    columns = renamed(Columns(frame, source), (header or Header()).renamed)
    by_rank = "score" not in columns and "rank" in columns
    topics, docs, score = columns.ids("topic"), columns.ids("doc"), columns.numbers("rank" if by_rank else "score")
    ready = ranked_run if by_rank else tell_ranks
    if not topics:
        raise InputError("the run holds no rows", file=source, hint="give at least one document")
    models = columns.texts(MODELS)
    if "system" not in columns:
        run = run_of_columns(name, topics, docs, score, source, columns.places)
        return [replace(ready(run), models=tuple(dict.fromkeys(filter(None, models))))]
    places = columns.places or Places.rows(len(topics))
    rows_of: dict[str, list[int]] = {}
    for row, system in enumerate(columns.ids("system")):
        rows_of.setdefault(system, []).append(row)
    return [
        replace(
            ready(
                run_of_columns(
                    system, [topics[r] for r in rows], [docs[r] for r in rows], score[rows], source,
                    places.take(np.array(rows)),
                )
            ),
            models=tuple(dict.fromkeys(model for r in rows if (model := models[r]))),
        )
        for system, rows in rows_of.items()
    ]  # fmt: skip
