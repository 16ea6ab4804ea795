"""Runs: what each system retrieved."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from truegain.cores import cores
from truegain.errors import ORDER, InputError, TruegainError, some, there_are
from truegain.keywords import takes
from truegain.message import arg, argname, told_value
from truegain.tables import convert
from truegain.tables.frames import frame_of, is_frame, opened
from truegain.tables.header import ColumnNames, Header, told
from truegain.tables.lines import Lines
from truegain.tables.memory import check_held
from truegain.tables.named import Columns, renamed
from truegain.tables.notice import counted
from truegain.tables.protocols import Numbers, RanxLike, RunRow, TableLike
from truegain.tables.read import NameBy, loaded
from truegain.tables.renaming import new_names
from truegain.tables.run import FLAGS as FLAGS
from truegain.tables.run import TIES as TIES
from truegain.tables.run import RankedRows as RankedRows
from truegain.tables.run import Run as Run
from truegain.tables.run import Ties as Ties
from truegain.tables.run import joined_columns as joined_columns
from truegain.tables.run import ordered_columns as ordered_columns
from truegain.tables.run import run_of_columns as run_of_columns
from truegain.tables.run_files import read_run, runs_of_frame
from truegain.tables.sources import STANDARD_INPUT, PathLike, can_be_read_again, expand

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Runs(Lines):
    """The runs of one or more systems; shown as answers are: `frame()`, `to_pandas()`, `to_dict()`, and in notebooks.

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
                hint=f"rename one file, or name systems by their run tag, {arg('name_by', 'tag')}",
            )

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order given."""
        return tuple(part.system for part in self.parts)

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    def in_short(self) -> str:
        """How many systems, the first of them, and how many rows."""
        count, rows = counted(len(self.parts), "system"), counted(len(self), "row")
        return f"{count}: {some(list(self.systems))}; {rows}"

    def with_models(self, models: Mapping[str, str | Sequence[str]]) -> Runs:
        """The same runs, with the models that systems use.

        >>> Runs.of({"rag": {"1": {"a": 2.0}}}).with_models({"rag": "gpt-4o"}).parts[0].models
        ('gpt-4o',)
        """
        named = models_by_system("models", models, self.systems)
        return Runs(tuple(replace(part, models=named.get(part.system, part.models)) for part in self.parts))

    @property
    def made_by(self) -> Mapping[str, object]:
        """The files, or what else they came from."""
        return {"source": list(dict.fromkeys(part.source for part in self.parts))}

    @classmethod
    def of(cls, data: object) -> Runs:
        """Runs from a path, a dict of dicts, a frame, ir_measures tuples, a ranx Run, or several of what has a name."""
        return data if isinstance(data, Runs) else _of_object(data)

    def renamed(self, names: Mapping[str, str] | None = None, strip: str = "") -> Runs:
        """The same runs under other names of systems, and without a prefix of them.

        >>> Runs.of({"input.bm25": {"1": {"a": 2.0}}}).renamed(strip="input.").systems
        ('bm25',)
        """
        new = new_names(self.systems, names, strip)
        return Runs(tuple(replace(part, system=new[part.system]) for part in self.parts))

    def columns_of(self, most: int | None = None) -> Mapping[str, Any]:
        """The columns system, topic, doc and score, in the order given; or the first rows of them."""
        parts = self.parts if most is None else [part for part, begin in self._begun() if begin < most]
        return {
            "system": [part.system for part in parts for _ in range(len(part))][:most],
            "topic": [topic for part in parts for topic in part.topic.strings()][:most],
            "doc": [doc for part in parts for doc in part.docs.strings()][:most],
            "score": np.concatenate([part.score for part in parts])[:most],
        }

    def _begun(self) -> Iterator[tuple[Run, int]]:
        """The parts, each with the rows before it."""
        return zip(self.parts, accumulate(map(len, self.parts), initial=0), strict=False)

    def ordered_frame(self, single: bool = False) -> pl.DataFrame:
        """The same frame sorted: systems as given, topics as bytes, documents best first."""
        return frame_of(joined_columns([ordered_columns(part, single) for part in self.parts]))


def models_by_system(argument: str, models: object, systems: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The models that systems use, as given by an argument: one, or several, of some of the systems.

    >>> models_by_system("models", {"rag": ["gpt-4o", "e5"], "dense": "e5"}, ("rag", "dense", "bm25"))
    {'rag': ('gpt-4o', 'e5'), 'dense': ('e5',)}
    """
    if not isinstance(models, Mapping):
        raise TruegainError(f"{argname(argument, models)}: give the models by system, such as {{'dense': 'gpt-4o'}}")
    if unknown := [str(s) for s in models if s not in systems]:
        raise TruegainError(
            f"{argname(argument)}: {told_value(argument, unknown[0], some(unknown))} is no system here; "
            f"{there_are(unknown, systems)}"
        )
    found: dict[str, tuple[str, ...]] = {}
    for system, given in models.items():
        found[system] = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else (given,)
        if not all(isinstance(model, str) for model in found[system]):
            raise TruegainError(
                f"{argname(argument)}: the model of {told_value(argument, system)} is {given!r}; give its name, or a "
                "list of names"
            )
    return found


RunLike = TableLike | Numbers | RanxLike | Iterable[RunRow] | Run  # of one system, or with a column that names systems
RunsLike = Runs | RunLike | Iterable[RunLike] | Mapping[Any, RunLike]  # folders and globs too; or {system: run}


@takes()
def read_runs(
    data: RunsLike,
    *,
    name_by: NameBy = "file",
    jobs: int | None = None,
    columns: ColumnNames | None = None,
    models: Mapping[str, str | Sequence[str]] | None = None,
) -> Runs:
    r"""Runs from files, folders and globs, frames, dicts and objects of ranx; a dict or a list holds several.

    A system is named by its file (or, with name_by="tag", by its run tag), by the key of a dict, or by what is given:
    a column `system`, the name of a ranx Run.  Files hold TREC lines, tables with named columns (CSV, TSV, JSONL, a
    JSON list, Parquet), or {topic: {document: score}} as JSON.  Where there is a rank and no score, documents stand in
    the order of their ranks.

    columns: the names of all columns where no line of the file has them, such as "topic,doc,rank" ('-' for one not
    read), or other names than ours, such as {"score": "bm25"}.
    jobs: threads that read (default: all cores); the answer is the same for any number.
    models: by system the model that it uses, or several, such as {"rag": "gpt-4o"}.

    >>> import tempfile, truegain as tg
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "bm25.run").write_text("1 Q0 a 1 2.5 x\n1 Q0 b 2 1.5 x\n")
    ...     tg.read_runs(f"{folder}/bm25.run").systems
    ('bm25',)
    """
    if models:
        return read_runs(data, name_by=name_by, jobs=jobs, columns=columns).with_models(models)
    if isinstance(data, Iterator):
        data = list(data)
    if isinstance(data, Runs):
        convert.refuse_columns(columns is not None, data)
        return data
    if not (isinstance(data, str | os.PathLike) or convert.is_paths(data)):
        return _of_object(data, columns)
    check_held(data)
    files = data if isinstance(data, RunPaths) else RunPaths.of(data, name_by)
    loaders = run_loaders(files, jobs=jobs or cores(), columns=columns)
    return Runs(tuple(run for load in loaders for run in load()))


class RunPaths(tuple[str, ...]):
    """Files of runs that are read when they are needed, and how their systems are named.

    Whatever takes a list of files takes this: `evaluate` too, which reads files larger than memory in batches.

    >>> RunPaths.of(["bm25.run", "dense.run"], "tag").name_by, named_by(["bm25.run"])
    ('tag', 'file')
    """

    name_by: NameBy = "file"

    @classmethod
    def of(cls, paths: object, name_by: NameBy = "file") -> RunPaths:
        """The files behind a path, or behind several; folders and globs stand for the files in them."""
        if name_by not in ("file", "tag"):
            raise InputError(f"systems cannot be named by {name_by!r}", hint="give 'file' or 'tag'")
        several: Any = [paths] if isinstance(paths, str | os.PathLike) else paths
        made = cls(expand(several))
        made.name_by = name_by
        return made


def named_by(runs: object) -> NameBy:
    """How the systems of files are named."""
    return runs.name_by if isinstance(runs, RunPaths) else "file"


def run_loaders(
    paths: PathLike | Iterable[PathLike], *, jobs: int = 1, columns: ColumnNames | None = None
) -> list[Callable[[], Sequence[Run]]]:
    """One function per file that reads it, so that many files need not be in memory at once."""
    files = paths if isinstance(paths, RunPaths) else RunPaths.of(paths)
    if not files:
        raise InputError("no run was given", hint="give at least one run file")
    if files.count(STANDARD_INPUT) > 1:
        raise InputError("standard input can be only one run", hint="give '-' once")
    threads = max(1, jobs // len(files))
    header = told().ran if columns is None else replace(Header.of(columns), role="runs")
    of_all = header.of_files(len(files))
    return [partial(read_run, file, files.name_by, threads, of_all) for file in files]


def models_in(runs: object) -> dict[str, tuple[str, ...]]:
    """The models that systems use, where a table of runs has a column for it; TREC lines have none, and are not read.

    >>> rows = [{"system": "rag", "topic": "1", "doc": "a", "score": 1.0, "model": "gpt-4o"}]
    >>> import polars as pl
    >>> models_in(pl.DataFrame(rows))
    {'rag': ('gpt-4o',)}
    """
    if isinstance(runs, str | os.PathLike) or convert.is_paths(runs):
        several = [runs] if isinstance(runs, str | os.PathLike) else list(runs)  # type: ignore[call-overload]
        files = expand(several)
        header = told().ran.of_files(len(files))
        tables = [file for file in files if can_be_read_again(file) and loaded(file, header)[1]]
        parts = [run for file in tables for run in read_run(file, "file", 1, header)]
    else:
        parts = list(Runs.of(runs).parts)
    return {run.system: run.models for run in parts if run.models}


def _of_object(data: object, columns: ColumnNames | None = None) -> Runs:
    """Runs from any known kind of object; a dict of such objects names the systems, a list holds what has names."""
    if isinstance(data, Iterator):
        data = list(data)
    if isinstance(data, Run):
        return Runs((data,))
    if convert.is_kind(data, "Judgments", "Qrels"):
        raise InputError(f"these are {type(data).__name__}, not runs", file="runs", hint=ORDER)
    if isinstance(data, str | os.PathLike) or convert.is_paths(data):
        return read_runs(data, columns=columns)  # type: ignore[arg-type]
    if isinstance(data, list | tuple) and not data:
        raise InputError("no run was given", hint="give at least one run")
    if isinstance(data, list | tuple) and all(map(_is_run, data)):
        return Runs(tuple(run for at, one in enumerate(data) for run in _in_list(one, at, len(data), columns)))
    if isinstance(data, Mapping) and not convert.is_one_run(data):
        return Runs(tuple(run for name, value in data.items() for run in _named(str(name), value, columns)))
    bare = isinstance(data, Mapping)
    return Runs(tuple(replace(run, bare=bare) for run in _named("run", data, columns)))


def _is_run(data: object) -> bool:
    """Whether this is what holds a whole run, and not a row of one."""
    known = isinstance(data, Runs | Run | Mapping | str | os.PathLike) or convert.is_ranx(data)
    return known or (is_frame(data) and not hasattr(data, "query_id"))


def _in_list(data: object, at: int, several: int, columns: ColumnNames | None) -> tuple[Run, ...]:
    """The runs in one object of a list, which must name them itself where the list is longer than one."""
    nameless = (
        getattr(data, "name", None) is None
        if convert.is_ranx(data)
        else convert.is_one_run(data)
        if isinstance(data, Mapping)
        else is_frame(data) and "system" not in renamed(Columns(opened(data), "runs"), Header.of(columns))
    )
    if nameless and several > 1:
        raise InputError(
            f"number {at + 1} of the list, a {type(data).__name__}, does not name its system", file="runs",
            hint="give a dict {name: run}",
        )  # fmt: skip
    return data.parts if isinstance(data, Runs) else _of_object(data, columns).parts


def _named(name: str, data: object, told_columns: ColumnNames | None = None) -> list[Run]:
    """The runs in one object; `name` is used where it names none itself."""
    if is_frame(data):
        return runs_of_frame(opened(data), name, name, convert.header_of(told_columns, name))
    if isinstance(data, str | os.PathLike | Runs):
        parts = (data if isinstance(data, Runs) else read_runs(data, columns=told_columns)).parts
        if len(parts) > 1:
            file = "runs" if isinstance(data, Runs) else os.fspath(data)
            raise InputError(f"one name, {name}, for {len(parts)} systems", file=file, hint="name one file a system")
        return [replace(parts[0], system=name)]
    convert.refuse_columns(told_columns is not None, data)
    if isinstance(data, Run):
        return [replace(data, system=name)]
    if convert.is_ranx(data):
        name = getattr(data, "name", None) or name
        data = data.to_dict()  # type: ignore[attr-defined]
    if isinstance(data, Mapping):
        topics, docs, scores = convert.flat(data, name, labels=False)
        if not topics:
            raise InputError("the run holds no rows", file=name, hint="give at least one document")
        return [run_of_columns(name, topics, docs, scores, name)]
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
