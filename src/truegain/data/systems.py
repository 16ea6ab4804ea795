"""Systems that are run here: transformers of PyTerrier and plain functions, and the runs that they return."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, get_args

import numpy as np

from truegain.data.queries import QueriesLike, read_queries
from truegain.data.run import Run, read_run, run_of_columns, runs_of_frame
from truegain.data.runs import RunLike, Runs
from truegain.data.writing import write_runs
from truegain.errors import InputError, TruegainError, an, check_one_of, counted, some, warn
from truegain.io.columns import Coded, Ints, number_of, our_name
from truegain.io.file_options import Header
from truegain.io.files import PathLike, write_bytes
from truegain.io.formats import system_name
from truegain.io.frames import FrameLike, is_frame, opened
from truegain.message import arg, argname

# ---- The queries that all systems are asked.

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class QueryTable:
    """The queries by topic, and the frame that they came in, whose other columns a transformer may read.

    >>> QueryTable.of({"1": "organized crime"}).digest[:8]
    '64f4695a'
    """

    texts: Mapping[str, str]
    frame: Any = None

    @classmethod
    def of(cls, topics: QueriesLike) -> QueryTable:
        """From whatever `read_queries` reads; a frame of pandas that has PyTerrier's columns is kept."""
        names = [str(name) for name in topics.columns] if hasattr(topics, "iloc") else []  # type: ignore[union-attr]
        return cls(read_queries(topics), topics if {"qid", "query"} <= set(names) else None)

    @property
    def digest(self) -> str:
        """Of all topics and texts: runs are of the same queries where it is the same."""
        lines = "".join(f"{topic}\t{text}\n" for topic, text in sorted(self.texts.items()))
        return hashlib.sha256(lines.encode()).hexdigest()

    def frames(self, size: int | None) -> list[Any]:
        """The queries as frames of pandas with the columns qid and query, at most `size` in each."""
        whole = self.frame
        if whole is None:
            try:
                pandas: Any = importlib.import_module("pandas")
            except ModuleNotFoundError:
                raise TruegainError("a transformer takes frames of pandas; run: pip install pandas") from None
            whole = pandas.DataFrame({"qid": list(self.texts), "query": list(self.texts.values())})
        step = size or max(1, len(whole))
        return [whole.iloc[begin : begin + step].reset_index(drop=True) for begin in range(0, len(whole), step)]


# ---- Systems: a transformer, a function of a frame, a function of a query, or a run that is there already.


class TransformerLike(Protocol):
    """A transformer of PyTerrier, or what does as it does."""

    def transform(self, topics: Any, /) -> Any:
        """From a frame of topics (qid, query) to a frame of results (qid, docno, score or rank)."""


Ranked = Mapping[str, float] | Iterable[str] | Iterable[tuple[str, float]]  # what a function returns for a query
SystemLike = TransformerLike | Callable[[str], Ranked] | Callable[[FrameLike], FrameLike] | RunLike
SystemsLike = Mapping[str, SystemLike] | Sequence[SystemLike]
OF_TEXT = (
    ". A function gets the text of one query; one of a frame of all topics has a first parameter called topics, or "
    "annotated as a DataFrame"
)
RETURNS = "return document ids, best first, pairs (id, score), or a dict {id: score}"


def named_systems(systems: SystemsLike, names: Sequence[str] | None) -> dict[str, SystemLike]:
    """Systems by name: as a dict or `names` says, else as they call themselves."""
    if isinstance(systems, Mapping):
        if names is not None:
            raise TruegainError(f"the systems are a dict, which names them; leave out {argname('names')}")
        return {str(name): system for name, system in systems.items()}
    if isinstance(systems, str | os.PathLike) or not isinstance(systems, Sequence):
        raise TruegainError(f"{argname('systems')} is {an(systems)}; give a list, or a dict {{name: system}}")
    if names is not None and len(names) != len(systems):
        raise TruegainError(
            f"{argname('names')} has {counted(len(names), 'name')} for {counted(len(systems), 'system')}; "
            "give one for each"
        )
    each = [_own_name(system, n) for n, system in enumerate(systems)] if names is None else [str(n) for n in names]
    if twice := [name for name in dict.fromkeys(each) if each.count(name) > 1]:
        raise TruegainError(
            f"{counted(each.count(twice[0]), 'system')} would be named {twice[0]}; give a dict {{name: system}}, or "
            f"{arg('names')}"
        )
    return dict(zip(each, systems, strict=True))


def _own_name(system: SystemLike, place: int) -> str:
    """What a system calls itself; what has no name of its own is numbered."""
    if isinstance(system, str | os.PathLike):
        return system_name(system)
    own = str(system) if hasattr(system, "transform") else getattr(system, "__name__", "")
    return f"system {place + 1}" if not own or own == "<lambda>" or own.startswith("<") else own


def is_run(system: object) -> bool:
    """Whether a system has run already: these are its results."""
    return is_frame(system) or not (hasattr(system, "transform") or callable(system))  # a frame of pandas transforms


def _takes_frames(system: Callable[..., Any]) -> bool:
    """Whether a function takes all topics as a frame: so its first parameter is called or annotated."""
    try:
        first = next(iter(inspect.signature(system).parameters.values()), None)
    except (TypeError, ValueError):
        return False
    return first is not None and (first.name == "topics" or "DataFrame" in str(first.annotation))


def run_of_system(name: str, system: SystemLike, queries: QueryTable | None, batch_size: int | None) -> Run:
    """What a system retrieves for all queries, or has retrieved."""
    if is_run(system):
        (run,) = Runs.of({name: system}).parts
        rows = None if queries is None else np.flatnonzero(run.topic.onto(list(queries.texts)) >= 0)
        return run if rows is None or len(rows) == len(run) else _some(run, rows)
    if queries is None:
        raise TruegainError(f"{name} has to be run, and there are no queries; give {argname('topics')}")
    transform = getattr(system, "transform", None)
    call: Any = system if transform is None else transform
    if transform is not None or _takes_frames(call):
        return _by_frames(name, call, queries, batch_size)
    return _by_queries(name, call, queries)


def _some(run: Run, rows: Ints) -> Run:
    """Some rows of a run, without the names of topics that have none of them."""
    taken = run.take(rows)
    return replace(taken, topic=Coded.of(taken.topic.strings()))


def _by_frames(name: str, call: Callable[[Any], Any], queries: QueryTable, batch_size: int | None) -> Run:
    """Of a transformer: batches of topics in, frames of results out; rows of topics that were not in do not count."""
    parts, strange = list[Run](), list[str]()
    for batch in queries.frames(batch_size):
        what = f"{counted(len(batch), 'topic')} from {batch['qid'].iloc[0]}"
        results = _called(name, what, lambda: call(batch))  # noqa: B023  at once
        if not is_frame(results):
            raise InputError(f"{name} returned {an(results)} for {what}", hint="return a frame: qid, docno, score")
        frame = opened(results)
        if frame.columns and len(frame.column(0)):
            if {our_name(column) for column in frame.columns}.isdisjoint(("score", "rank")):
                raise InputError(
                    f"{name} returned no score and no rank: columns {', '.join(frame.columns)}",
                    hint="return one of the two; PyTerrier's | and & return neither, so score what they return again",
                )  # fmt: skip
            runs = runs_of_frame(frame, name, f"results of {name}", Header(role="runs"))
            if len(runs) > 1:
                raise InputError(f"{name} returned several systems", hint="leave out the column that names systems")
            in_batch = runs[0].topic.onto([str(topic) for topic in batch["qid"]]) >= 0
            parts += [_some(runs[0], np.flatnonzero(in_batch))] if in_batch.any() else []
            strange += [] if in_batch.any() else runs[0].topic.values
    if not parts and strange:
        raise InputError(
            f"{name} returned results of other topics alone: {some(strange)}; it was given {some(list(queries.texts))}",
            hint="return the topic ids unchanged",
        )
    if not parts:
        raise InputError(f"{name} returned nothing for {counted(len(queries.texts), 'topic')}", hint="check the system")
    return run_of_columns(
        name,
        [topic for part in parts for topic in part.topic.strings()],
        [doc for part in parts for doc in part.docs.strings()],
        np.concatenate([part.score for part in parts]),
        f"results of {name}",
    )


def _by_queries(name: str, call: Callable[[str], Any], queries: QueryTable) -> Run:
    """Of a function: the text of a query in, a ranked list out; a topic without results is an empty list."""
    topics, docs, scores = list[str](), list[str](), list[float]()
    for topic, text in queries.texts.items():
        results = _called(name, f"topic {topic}", lambda: call(text), OF_TEXT)  # noqa: B023  at once
        ranked = _ranked(results, f"{name}, topic {topic}")
        topics += [topic] * len(ranked)
        docs += [doc for doc, _ in ranked]
        scores += [score for _, score in ranked]
    if not topics:
        raise InputError(f"{name} returned nothing for {counted(len(queries.texts), 'topic')}", hint="check the system")
    return run_of_columns(name, topics, docs, np.array(scores, np.float64), f"results of {name}")


def _called(name: str, what: str, call: Callable[[], T], advice: str = "") -> T:
    """What a system returns; where it fails, an error that names it, with the system's own below."""
    try:
        return call()
    except TruegainError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise TruegainError(f"{name} failed on {what}: {why}{advice}") from error


def _ranked(results: Any, where: str) -> list[tuple[str, float]]:
    """Documents with their scores, from what a function returned for a query.

    >>> _ranked(["d7", "d2"], "bm25, topic 1"), _ranked({"d2": 0.5}, "bm25, topic 1")
    ([('d7', 2.0), ('d2', 1.0)], [('d2', 0.5)])
    """
    if results is None:
        return []
    if is_frame(results):
        frame = opened(results)
        columns = {our_name(column): frame.column(at) for at, column in enumerate(frame.columns)}
        if "doc" not in columns:
            raise InputError("the frame has no column of documents", file=where, hint="return docno and score")
        docs, scores = columns["doc"], columns.get("score")
        if scores is None and "rank" in columns:  # the first rank is the best
            scores = [-x for x in _ranks(columns["rank"], where)]
        results = docs if scores is None else list(zip(docs, scores, strict=True))
    if isinstance(results, str | bytes) or not isinstance(results, Iterable):
        raise InputError(f"a system returned {an(results)}", file=where, hint=RETURNS)
    items = list(results.items()) if isinstance(results, Mapping) else list(results)
    pairs = [_pair(item, len(items) - place, where) for place, item in enumerate(items)]
    if len({doc for doc, _ in pairs}) < len(pairs):
        docs = [doc for doc, _ in pairs]
        twice = next(doc for doc in docs if docs.count(doc) > 1)
        raise InputError(f"document {twice} was returned twice", file=where, hint="return each document once")
    return pairs


def _ranks(cells: Iterable[Any], where: str) -> list[float]:
    """The ranks of documents as numbers."""
    ranks = []
    for cell in cells:
        rank = number_of(cell)
        if rank is None or np.isnan(rank):
            raise InputError("a rank is not a number", file=where, text=repr(cell), hint="return ranks from 0 or 1")
        ranks.append(rank)
    return ranks


def _pair(item: Any, else_score: int, where: str) -> tuple[str, float]:
    """A document and its score: of an id alone, its place from the end."""
    if isinstance(item, Mapping):
        named = {our_name(str(key)): value for key, value in item.items()}
        item = (named.get("doc"), named["score"]) if "score" in named else named.get("doc")
    doc, score = item if isinstance(item, list | tuple) and len(item) == 2 else (item, else_score)
    try:
        number = float(score)
    except (TypeError, ValueError):
        number = np.nan
    if not isinstance(doc, str | int | np.integer) or isinstance(doc, bool) or np.isnan(number):
        raise InputError("not a document id, or a pair (id, score)", file=where, text=repr(item), hint=RETURNS)
    return str(doc), number


# ---- Runs that are kept in a folder, so that a system need not run again.

SaveMode = Literal["error", "reuse", "overwrite"]
ABOUT = ".experiment.json"  # beside the runs: of which queries each is


@dataclass(frozen=True)
class RunFolder:
    """A folder of saved runs, a file a system, and what to do with one that is there.

    Attributes
    ----------
    path : Path
        The folder.
    mode : {'error', 'reuse', 'overwrite'}
        What to do where the run of a system is there.
    """

    path: Path
    mode: SaveMode

    @classmethod
    def of(cls, path: PathLike, mode: SaveMode, systems: Sequence[str]) -> RunFolder:
        """A folder for the runs of systems; refused before anything runs where they cannot be saved."""
        check_one_of("save_mode", mode, get_args(SaveMode))
        folder = cls(Path(path), mode)
        for name in systems:
            if not name or name.startswith(".") or any(c in "/\\\0" or c.isspace() for c in name):
                raise InputError(
                    f"the system name {name!r} cannot be that of a saved run", file=str(path),
                    hint=f"give a dict {{name: system}}, or {arg('names')}",
                )  # fmt: skip
            if mode == "error" and folder.file_of(name).exists():
                raise InputError(
                    "this run is there already", file=str(folder.file_of(name)),
                    hint=f"give {arg('save_mode', 'reuse')}, {arg('save_mode', 'overwrite')} or another folder",
                )  # fmt: skip
        return folder

    def file_of(self, system: str) -> Path:
        """Where the run of a system is."""
        return self.path / f"{system}.run"

    def _digests(self) -> dict[str, str]:
        about = self.path / ABOUT
        try:
            known = json.loads(about.read_bytes())["queries"] if about.is_file() else {}
        except (ValueError, KeyError, TypeError):
            raise InputError(
                "not a readable list of saved runs", file=str(about), hint="remove it and run the systems again"
            ) from None
        return {str(system): str(digest) for system, digest in known.items()}

    def saved(self, system: str, queries: QueryTable | None) -> Run | None:
        """The run of a system that was saved; None where it has to run.  One of other queries is refused."""
        file = self.file_of(system)
        if self.mode != "reuse" or not file.exists():
            return None
        digest = self._digests().get(system)
        if queries is not None and digest is not None and digest != queries.digest:
            raise InputError(
                "the saved run is of other queries", file=str(file),
                hint=f"give {arg('save_mode', 'overwrite')}, or another folder",
            )  # fmt: skip
        if queries is not None and digest is None:
            warn(f"{file}: the queries of this saved run are unknown; it is used as it is")
        return read_run(str(file), "file", 1, Header(role="runs"))[0]

    def save(self, run: Run, queries: QueryTable | None) -> None:
        """Write the run of a system, whole or not at all, and of which queries it is."""
        self.path.mkdir(parents=True, exist_ok=True)
        digests = self._digests()
        write_runs(Runs((run,)), self.file_of(run.system))
        if queries is not None:
            about = {"queries": {**digests, run.system: queries.digest}}
            write_bytes(self.path / ABOUT, (json.dumps(about, indent=1) + "\n").encode())
