"""Runs: what each system retrieved and in which order, from files and from Python objects."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from truegain.data.run import Run, joined_columns, ordered_columns, read_run, run_of_columns, runs_of_frame
from truegain.errors import ORDER, InputError, TruegainError, an, counted, some, there_are
from truegain.io import python_tables
from truegain.io.file_options import ColumnNames, Header, file_options
from truegain.io.files import STANDARD_INPUT, PathLike, expand, is_paths
from truegain.io.frames import Numbers, RanxLike, RunRow, TableLike, frame_of, is_frame, is_rows, opened
from truegain.io.memory import check_held, cores
from truegain.io.named_tables import Columns, renamed
from truegain.io.trec import NameBy
from truegain.keywords import checked_keywords
from truegain.message import arg, argname, argvalue
from truegain.results.base import Lines
from truegain.results.table import new_names

if TYPE_CHECKING:
    import polars as pl


# ---- Runs: what each system retrieved.


@dataclass(frozen=True, eq=False, repr=False)
class Runs(Lines):
    """The ranked lists of one or more systems.

    Make them with `read_runs` or `Runs.of`.

    Attributes
    ----------
    parts : tuple of Run
        One for each system: its name, topics, documents, scores, and the models that it uses.

    Notes
    -----
    Columns of `frame`: `system`, `topic`, `doc` and `score`, one row a retrieved document, in the order given;
    `ordered_frame` sorts them and adds `rank`.

    Examples
    --------
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
        """Refuse systems of the same name.

        Parameters
        ----------
        systems : sequence of str
            The names.
        files : sequence of str, optional
            Where each came from, for the error.
        """
        twice = [name for name, n in Counter(systems).items() if n > 1]
        if twice:
            both = [file for name, file in zip(systems, files, strict=False) if name == twice[0]]
            raise InputError(
                f"two systems are named {some(twice)}{f': {some(both)}' if any(both) else ''}",
                hint=f"rename one file, or name systems by their run tag, {arg('name_by', 'tag')}",
            )

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order given."""
        return tuple(part.system for part in self.parts)

    @property
    def tags(self) -> tuple[str, ...]:
        """The run tags of those that were read from TREC files."""
        return tuple(tag for part in self.parts for tag in part.tags)

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    def in_short(self) -> str:
        """How many systems, the first of them, and how many rows."""
        count, rows = counted(len(self.parts), "system"), counted(len(self), "row")
        return f"{count}: {some(list(self.systems))}; {rows}"

    def with_models(self, models: Mapping[str, str | Sequence[str]]) -> Runs:
        """These runs, with the language models that systems use.

        Parameters
        ----------
        models : mapping of str to str or sequence of str
            By system the model that it uses, or several.

        Returns
        -------
        Runs
            Systems that are not named stay as they are.

        Examples
        --------
        >>> Runs.of({"rag": {"1": {"a": 2.0}}}).with_models({"rag": "gpt-4o"}).parts[0].models
        ('gpt-4o',)
        """
        named = models_by_system("models", models, self.systems)
        return Runs(tuple(replace(part, models=named.get(part.system, part.models)) for part in self.parts))

    @property
    def provenance(self) -> Mapping[str, object]:
        """The files, or what else they came from."""
        return {"source": list(dict.fromkeys(part.source for part in self.parts))}

    @classmethod
    def of(cls, data: object) -> Runs:
        """Runs from any known kind of object.

        Parameters
        ----------
        data : path-like, frame, mapping, Runs, ir_measures tuples, ranx Run, or several of these
            What each system retrieved; a mapping is ``{topic: {document: score}}``, or ``{system: run}``.

        Returns
        -------
        Runs
            The object itself where it is one.
        """
        return data if isinstance(data, Runs) else _of_object(data)

    def renamed(self, names: Mapping[str, str] | None = None, strip: str = "") -> Runs:
        """These runs under other names of systems.

        Parameters
        ----------
        names : mapping of str to str, optional
            New names by old ones; a system that is not named keeps its name.
        strip : str, optional
            A prefix to remove from all names first.

        Returns
        -------
        Runs
            With the new names.

        Examples
        --------
        >>> Runs.of({"input.bm25": {"1": {"a": 2.0}}}).renamed(strip="input.").systems
        ('bm25',)
        """
        new = new_names(self.systems, names, strip)
        return Runs(tuple(replace(part, system=new[part.system]) for part in self.parts))

    def columns_of(self, most: int | None = None) -> Mapping[str, Any]:
        """The columns system, topic, doc and score, in the order given; or the first rows of them.

        Parameters
        ----------
        most : int, optional
            So many rows from the first on; by default all.

        Returns
        -------
        mapping of str to array or list
            The columns by their names.
        """
        begins = accumulate(map(len, self.parts), initial=0)
        parts = [part for part, begin in zip(self.parts, begins, strict=False) if most is None or begin < most]
        return {
            "system": [part.system for part in parts for _ in range(len(part))][:most],
            "topic": [topic for part in parts for topic in part.topic.strings()][:most],
            "doc": [doc for part in parts for doc in part.docs.strings()][:most],
            "score": np.concatenate([part.score for part in parts])[:most],
        }

    def ordered_frame(self, single: bool = False) -> pl.DataFrame:
        """The documents in evaluation order, with ranks.

        Parameters
        ----------
        single : bool, default False
            Compare scores as float32, as trec_eval 9 does.

        Returns
        -------
        polars.DataFrame
            `system`, `topic`, `doc`, `rank` and `score`: systems as given, topics as bytes, documents best first.
        """
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
            f"{argname(argument)}: {argvalue(argument, unknown[0], some(unknown))} is not a system here; "
            f"{there_are(unknown, systems)}"
        )
    by_system: dict[str, tuple[str, ...]] = {}
    for system, names in models.items():
        by_system[system] = tuple(names) if isinstance(names, Sequence) and not isinstance(names, str) else (names,)
        if not all(isinstance(model, str) for model in by_system[system]):
            raise TruegainError(
                f"{argname(argument)}: the model of {argvalue(argument, system)} is {names!r}; give its name, or a "
                "list of names"
            )
    return by_system


RunLike = TableLike | Numbers | RanxLike | Iterable[RunRow] | Run  # of one system, or with a column that names systems
RunsLike = Runs | RunLike | Iterable[RunLike] | Mapping[Any, RunLike]  # folders and globs too; or {system: run}


@checked_keywords()
def read_runs(
    data: RunsLike,
    *,
    name_by: NameBy = "file",
    jobs: int | None = None,
    columns: ColumnNames | None = None,
    models: Mapping[str, str | Sequence[str]] | None = None,
) -> Runs:
    r"""Read runs: files, folders and globs, frames, dicts and objects of ranx.

    A system is named by its file, by the key of a dict, by a column `system`, or by the name of a ranx Run.  Files hold
    TREC lines, tables with named columns (CSV, TSV, JSONL, a JSON list, Parquet), or ``{topic: {document: score}}`` as
    JSON.  Where there is a rank and no score, the rank orders the documents.

    Parameters
    ----------
    data : path-like, list of path-like, frame, list of dict, mapping, Runs, ir_measures tuples or ranx Run
        What each system retrieved; a path may be a folder or a glob, a dict or a list holds several.
    name_by : {'file', 'tag'}, default 'file'
        Name systems of TREC files by their file or by their run tag.
    jobs : int, optional
        Threads that read; by default one for each core.  The result is the same for any number.
    columns : str, list of str or mapping, optional
        The names of all columns where no line has them, such as ``"topic,doc,rank"`` ('-' for one to skip); or other
        names than ours, such as ``{"score": "bm25"}``.
    models : mapping of str to str or sequence of str, optional
        By system the language model that it uses, or several, such as ``{"rag": "gpt-4o"}``.

    Returns
    -------
    Runs
        One part a system.

    Examples
    --------
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
        python_tables.refuse_columns(columns is not None, data)
        return data
    if not (isinstance(data, str | os.PathLike) or is_paths(data)):
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
    header = file_options().runs_header if columns is None else replace(Header.of(columns), role="runs")
    of_all = header.of_files(len(files))
    return [partial(read_run, file, files.name_by, threads, of_all) for file in files]


def _of_object(data: object, columns: ColumnNames | None = None) -> Runs:
    """Runs from any known kind of object; a dict of such objects names the systems, a list holds what has names."""
    if isinstance(data, Iterator):
        data = list(data)
    if isinstance(data, Run):
        return Runs((data,))
    if python_tables.is_kind(data, "Judgments", "Qrels"):
        raise InputError(f"these are {type(data).__name__}, not runs", file="runs", hint=ORDER)
    if isinstance(data, str | os.PathLike) or is_paths(data):
        return read_runs(data, columns=columns)  # type: ignore[arg-type]
    if isinstance(data, list | tuple) and not data:
        raise InputError("no run was given", hint="give at least one run")
    if isinstance(data, list | tuple) and not is_rows(data) and all(map(_is_run, data)):
        return Runs(tuple(run for at, item in enumerate(data) for run in _in_list(item, at, len(data), columns)))
    if isinstance(data, Mapping) and not python_tables.is_one_run(data):
        return Runs(tuple(run for name, value in data.items() for run in _named(str(name), value, columns)))
    bare = isinstance(data, Mapping)
    return Runs(tuple(replace(run, bare=bare) for run in _named("run", data, columns)))


def _is_run(data: object) -> bool:
    """Whether this is what holds a whole run, and not a row of one."""
    is_supported = isinstance(data, Runs | Run | Mapping | str | os.PathLike) or python_tables.is_ranx(data)
    return is_supported or (is_frame(data) and not hasattr(data, "query_id"))


def _in_list(data: object, at: int, several: int, columns: ColumnNames | None) -> tuple[Run, ...]:
    """The runs in one object of a list, which must name them itself where the list is longer than one."""
    nameless = (
        getattr(data, "name", None) is None
        if python_tables.is_ranx(data)
        else python_tables.is_one_run(data)
        if isinstance(data, Mapping)
        else is_frame(data) and "system" not in renamed(Columns(opened(data), "runs"), Header.of(columns))
    )
    if nameless and several > 1:
        raise InputError(
            f"number {at + 1} of the list, {an(data)}, does not name its system", file="runs",
            hint="give a dict {name: run}",
        )  # fmt: skip
    return data.parts if isinstance(data, Runs) else _of_object(data, columns).parts


def _named(name: str, data: object, columns: ColumnNames | None = None) -> list[Run]:
    """The runs in one object; `name` is used where it names none itself."""
    if is_frame(data):
        return runs_of_frame(opened(data), name, name, python_tables.header_of(columns, name))
    if isinstance(data, str | os.PathLike | Runs):
        parts = (data if isinstance(data, Runs) else read_runs(data, columns=columns)).parts
        if len(parts) > 1:
            file = "runs" if isinstance(data, Runs) else os.fspath(data)
            raise InputError(f"one name, {name}, for {len(parts)} systems", file=file, hint="name one file per system")
        return [replace(parts[0], system=name)]
    python_tables.refuse_columns(columns is not None, data)
    if isinstance(data, Run):
        return [replace(data, system=name)]
    if python_tables.is_ranx(data):
        name = getattr(data, "name", None) or name
        data = data.to_dict()  # type: ignore[attr-defined]
    if isinstance(data, Mapping):
        topics, docs, scores = python_tables.flat(data, name, labels=False)
        if not topics:
            raise InputError("the run has no rows", file=name, hint="give at least one document")
        return [run_of_columns(name, topics, docs, scores, name)]
    rows = python_tables.tuples(data, "score", name)
    return [
        run_of_columns(
            name,
            [python_tables.an_id(r.query_id, "topic", name) for r in rows],
            [python_tables.an_id(r.doc_id, "document", name) for r in rows],
            python_tables.numbers([r.score for r in rows], name, labels=False),
            name,
        )
    ]
