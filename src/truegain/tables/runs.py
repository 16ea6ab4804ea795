"""Runs: what each system retrieved."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from truegain.errors import ORDER, InputError, some
from truegain.tables import _scan, convert, tabular, trec
from truegain.tables.columns import Coded, Codes, Floats, Ids, Ints, Places, check_unicode, frozen
from truegain.tables.named import Columns
from truegain.tables.read import NameBy, loaded
from truegain.tables.renaming import new_names
from truegain.tables.sources import STANDARD_INPUT, PathLike, expand, system_name

if TYPE_CHECKING:
    import polars as pl

FLAGS = {"all tied": 1, "ranks contradict": 2, "float32 ties": 4}  # bits of a list
MODELS = ("model", "uses")  # columns that name the model a system uses
Ties = Literal["descending", "ascending"]  # which document id comes first where scores are equal


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The rows of a run topic by topic, best first: topic t has rows order[begin[t]:begin[t + 1]]."""

    order: Ints
    begin: Ints
    flags: Codes


@dataclass(frozen=True, eq=False)
class Run:
    """One system's documents: topic, document, score, and the rank column where there was one (-1 elsewhere)."""

    system: str
    topic: Coded
    docs: Ids
    score: Floats
    rank: Codes
    source: str
    tags: tuple[str, ...] = ()
    from_lines: bool = False
    places: Places | None = None
    wider: int = 0  # lines with more than the six fields of a run
    bare: bool = False  # a dict without a name: only its place among the arguments says that it is a run
    models: tuple[str, ...] = ()  # that the system uses, where a column says so

    def __len__(self) -> int:
        return len(self.score)

    def take(self, rows: Ints) -> Run:
        """Some rows of the run."""
        return replace(
            self,
            topic=self.topic.take(rows),
            docs=self.docs.take(rows),
            score=frozen(self.score[rows]),
            rank=frozen(self.rank[rows]),
            places=None if self.places is None else self.places.take(rows),
        )

    def ranking(self, single: bool = False, ties: Ties = "descending") -> RankedRows:
        """Order as trec_eval does: score, then document id as bytes, both descending; the rank column is not used.

        `single` compares scores as float32, as trec_eval 9 does; with ascending `ties` ids ascend, as in pyndeval.
        """
        topics = len(self.topic.values)
        order, begin = np.empty(len(self), np.int64), np.empty(topics + 1, np.int64)
        flags = np.zeros(topics, np.int32)
        first, second = _scan.order(
            *self.docs.arrays, self.topic.code, self.score, self.rank, single, ties == "ascending", order, begin, flags
        )
        if first >= 0:
            raise self._listed_twice(first, second)
        return RankedRows(frozen(order), frozen(begin), frozen(flags))

    def _listed_twice(self, first: int, second: int) -> InputError:
        topic, doc = self.topic.values[self.topic.code[first]], self.docs[first]
        problem = f"document {doc} stands twice for topic {topic}"
        hint = "keep one of the two lines"
        if not self.from_lines:
            places = self.places or Places.rows(len(self))
            earlier = " ".join(f"{unit} {number}" for unit, number in places.of(first).items())
            return InputError(
                f"{problem} in system {self.system}, first on {earlier}",
                file=self.source,
                **places.of(second),  # type: ignore[arg-type]
                hint=hint,
            )
        before = trec.line_of_row(self.docs, first)
        return InputError(
            f"{problem}, first on line {before}",
            file=self.source,
            line=trec.line_of_row(self.docs, second),
            text=trec.text_of_row(self.docs, second),
            hint=hint,
        )


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
        self.check_names(self.systems)

    @staticmethod
    def check_names(systems: Sequence[str]) -> None:
        """Every system needs a name of its own."""
        twice = [name for name, n in Counter(systems).items() if n > 1]
        if twice:
            raise InputError(
                f"two systems of the name {some(twice)}",
                hint="rename one file, or name systems by their run tag",
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
        import polars as pl

        return pl.concat(
            pl.DataFrame({"topic": part.topic.strings(), "doc": part.docs.strings(), "score": part.score}).select(
                pl.lit(part.system).alias("system"), "topic", "doc", "score"
            )
            for part in self.parts
        )

    def ordered_frame(self, single: bool = False) -> pl.DataFrame:
        """The same frame sorted: systems as given, topics as bytes, documents best first."""
        import polars as pl

        return pl.concat(pl.DataFrame(ordered_columns(part, single)) for part in self.parts)


def ordered_columns(part: Run, single: bool = False, ties: Ties = "descending") -> dict[str, Any]:
    """The columns of one run in evaluation order, with ranks from 1."""
    ranking = part.ranking(single, ties)
    topics = sorted(range(len(part.topic.values)), key=lambda t: part.topic.values[t].encode())
    rows = np.concatenate([ranking.order[ranking.begin[t] : ranking.begin[t + 1]] for t in topics])
    depths = [int(ranking.begin[t + 1] - ranking.begin[t]) for t in topics]
    return {
        "system": [part.system] * len(rows),
        "topic": part.topic.take(rows).strings(),
        "doc": part.docs.take(rows).strings(),
        "rank": np.concatenate([np.arange(1, n + 1) for n in depths]),
        "score": part.score[rows],
    }


def run_of_columns(
    system: str,
    topics: Sequence[str],
    docs: Sequence[str],
    score: Floats,
    source: str,
    places: Places | None = None,
) -> Run:
    """A run from plain columns."""
    place = places or Places.rows(len(score))
    if np.isnan(score).any():
        row = int(np.flatnonzero(np.isnan(score))[0])
        raise InputError(
            "score is missing or NaN",
            file=source,
            **place.of(row),  # type: ignore[arg-type]
            hint="every document needs a score that can be ordered",
        )
    check_unicode([system], "system name", source, place)
    check_unicode(topics, "topic", source, place)
    check_unicode(docs, "document", source, place)
    rank = frozen(np.full(len(score), -1, np.int32))
    return Run(system, Coded.of(topics), Ids.of(docs), frozen(score), rank, source, places=places)


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


def models_in(runs: object) -> dict[str, tuple[str, ...]]:
    """The models that systems use, where a table of runs has a column for it; TREC lines have none, and are not read.

    >>> rows = [{"system": "rag", "topic": "1", "doc": "a", "score": 1.0, "model": "gpt-4o"}]
    >>> import polars as pl
    >>> models_in(pl.DataFrame(rows))
    {'rag': ('gpt-4o',)}
    """
    if isinstance(runs, str | os.PathLike) or convert.is_paths(runs):
        several = [runs] if isinstance(runs, str | os.PathLike) else list(runs)  # type: ignore[call-overload]
        tables = [file for file in expand(several) if file != STANDARD_INPUT and loaded(file)[1]]
        parts = [run for file in tables for run in _read_run(file, "file", 1)]
    else:
        parts = list(Runs.of(runs).parts)
    return {run.system: run.models for run in parts if run.models}


def _read_run(path: str, name_by: NameBy, jobs: int) -> list[Run]:
    text, kind, file = loaded(path)
    name = "stdin" if path == STANDARD_INPUT else system_name(path)
    if kind:
        return _of_frame(tabular.read(text, kind, file), name, file)
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
    if convert.is_frame(data):
        return _of_frame(convert.in_memory(data), name, name)
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


def _of_frame(frame: Any, name: str, source: str) -> list[Run]:
    """Runs from a frame with named columns; a column `system` splits it, one of MODELS names what a system uses."""
    columns = Columns(frame, source)
    topics, docs, score = columns.ids("topic"), columns.ids("doc"), columns.numbers("score")
    if not topics:
        raise InputError("the run holds no rows", file=source, hint="give at least one document")
    models = columns.texts(MODELS)
    if "system" not in columns:
        run = run_of_columns(name, topics, docs, score, source, columns.places)
        return [replace(run, models=tuple(dict.fromkeys(filter(None, models))))]
    places = columns.places or Places.rows(len(topics))
    rows_of: dict[str, list[int]] = {}
    for row, system in enumerate(columns.ids("system")):
        rows_of.setdefault(system, []).append(row)
    return [
        replace(
            run_of_columns(
                system, [topics[r] for r in rows], [docs[r] for r in rows], score[rows], source,
                places.take(np.array(rows)),
            ),
            models=tuple(dict.fromkeys(model for r in rows if (model := models[r]))),
        )
        for system, rows in rows_of.items()
    ]  # fmt: skip
