"""One run: what a system retrieved, in which order, and how it is read from a file or a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from truegain.errors import InputError
from truegain.io import _scan, formats, python_tables, trec
from truegain.io.columns import Coded, Codes, Floats, Ids, Ints, Places, check_unicode, first_place, frozen
from truegain.io.file_options import Header
from truegain.io.files import STANDARD_INPUT, shown_path
from truegain.io.formats import system_name
from truegain.io.json_files import nested, place_of
from truegain.io.named_tables import Columns, renamed
from truegain.io.remote import IRDS, is_irds, rows_of
from truegain.io.separated import read_unnamed
from truegain.io.table_format import first_line
from truegain.io.trec import NameBy, layout_of, loaded

FLAGS = {"all tied": 1, "ranks contradict": 2, "float32 ties": 4}  # bits of a list
Ties = Literal["descending", "ascending", "input"]  # which comes first where scores are equal: by id, or as given
TIES: tuple[Ties, ...] = get_args(Ties)


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
    like_ranks: int = 0  # lists of a table whose scores rise 1, 2, 3, ... as ranks do
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

        `single` compares scores as float32, as trec_eval 9 does; with ascending `ties` ids ascend, as in pyndeval, with
        those of the input rows stay as they were given.
        """
        topics = len(self.topic.values)
        order, begin = np.empty(len(self), np.int64), np.empty(topics + 1, np.int64)
        flags = np.zeros(topics, np.int32)
        first, second = _scan.order(
            *self.docs.arrays, self.topic.code, self.score, self.rank, single, TIES.index(ties), order, begin, flags
        )
        if first >= 0:
            raise self._listed_twice(first, second)
        return RankedRows(frozen(order), frozen(begin), frozen(flags))

    def where(self, row: int) -> dict[str, Any]:
        """The place of a row, for an error message."""
        if not self.from_lines:
            return {"file": self.source, **(self.places or Places.rows(len(self))).of(row)}
        line, text = trec.line_of_row(self.docs, row), trec.text_of_row(self.docs, row)
        return {"file": self.source, "line": line, "text": text}

    def topic_of(self, row: int) -> str:
        """The topic of a row."""
        return self.topic.values[int(self.topic.code[row])]

    def _listed_twice(self, first: int, second: int) -> InputError:
        place = self.where(second)
        problem = f"document {self.docs[first]} appears twice for topic {self.topic_of(first)}"
        system = "" if self.from_lines else f" in system {self.system}"
        return InputError(
            f"{problem}{system}, first {first_place(self.where(first), place)}", **place,
            hint=f"keep one of the two {'entries' if 'entry' in place else 'lines'}",
        )  # fmt: skip


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


def joined_columns(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The columns of several runs, one below the other."""
    return {
        name: np.concatenate([part[name] for part in parts])
        if isinstance(parts[0][name], np.ndarray)
        else [value for part in parts for value in part[name]]
        for name in parts[0]
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
            **place.of(row),
            hint="every document needs a score that can be ordered",
        )
    check_unicode([system], "system name", source, place)
    check_unicode(topics, "topic", source, place)
    check_unicode(docs, "document", source, place)
    rank = frozen(np.full(len(score), -1, np.int32))
    return Run(system, Coded.of(topics), Ids.of(docs), frozen(score), rank, source, places=places)


def ranked_run(run: Run) -> Run:
    """A run whose numbers are ranks, from 0 or 1, each once in a topic: its scores are the ranks below zero."""
    rank = run.score
    wrong = np.flatnonzero(~(np.isfinite(rank) & (rank >= 0) & (rank % 1 == 0)))
    if len(wrong):
        row = int(wrong[0])
        where = run.where(row)
        raise InputError(
            f"rank {rank[row]:g} is not a whole number of at least 0", **where,
            hint="if these are scores, name the column score",
        )  # fmt: skip
    order = np.lexsort((rank, run.topic.code))
    again = np.flatnonzero((np.diff(run.topic.code[order]) == 0) & (np.diff(rank[order]) == 0))
    if len(again):
        first, second = sorted((int(order[again[0]]), int(order[again[0] + 1])))
        before = first_place(run.where(first), run.where(second))
        raise InputError(
            f"rank {rank[second]:g} appears twice for topic {run.topic_of(second)}, first {before}, "
            "and there is no score to order the documents",
            **run.where(second),
            hint="give each document of a topic its own rank, or a score",
        )
    return replace(run, score=frozen(-rank))


def tell_ranks(run: Run) -> Run:
    """The run, noting lists whose scores rise 1, 2, 3, ... in the order of the file: they may be ranks."""
    order = np.argsort(run.topic.code, kind="stable")
    topic, score = run.topic.code[order], run.score[order]
    new = np.flatnonzero(np.concatenate([[True], np.diff(topic) != 0]))
    length = np.diff(np.append(new, len(topic)))
    step = np.arange(len(topic)) - np.repeat(new, length)
    first = score[new]
    rises = np.logical_and.reduceat(score == np.repeat(first, length) + step, new)
    alike = rises & (length > 1) & np.isin(first, (0, 1))
    return replace(run, like_ranks=int(alike.sum()))


# ---- One file of runs, or one table of them: lines, named columns, nested JSON.

MODELS = ("model", "system_models")  # columns that name the model a system uses


def read_run(path: str, name_by: NameBy, jobs: int, header: Header) -> list[Run]:
    """The runs of one file, or of one dataset of ir_datasets."""
    if is_irds(path):
        return [_ranked(path, path.removeprefix(IRDS), path)]
    if shards := formats.shards_in(path):
        return runs_of_frame(formats.read_shards(shards), system_name(path), shown_path(path), header)
    text, kind, file = loaded(path, header)
    name = "stdin" if path == STANDARD_INPUT else system_name(path)
    if kind == "nested":
        return _of_nested(nested(text, file), name, file, text)
    if kind:
        return runs_of_frame(formats.read(text, kind, file), name, file, header)
    layout = run_layout(text, header, file)
    if layout is None:
        return runs_of_frame(read_unnamed(text, header.names, file), name, file)
    run = run_of_lines(text, layout, name, file, jobs)
    return [replace(run, system=tag_of(run.tags, file)) if name_by == "tag" and run.tags else run]


def _ranked(data: object, name: str, what: str) -> Run:
    """The run of the ranked documents that come with a dataset of ir_datasets."""
    rows = list(rows_of(data, "scoreddocs", what))
    scores = np.array([float(r.score) for r in rows])
    return run_of_columns(name, [r.query_id for r in rows], [r.doc_id for r in rows], scores, what)


def run_layout(text: bytes, header: Header, file: str) -> trec.Layout | None:
    """How the lines of a run are cut, where the user may have named their columns; None where it is no such lines."""
    other = header.several is not None and len(first_line(text).split()) != len(header.names)
    if other and trec.looks_like(text, trec.RUN) and not header.fits_none(",".join(header.names), file):
        return trec.RUN  # the names are those of other files
    return layout_of(header, text, "run", ("score", "rank")) if header.names else trec.RUN


def run_of_lines(text: bytes, layout: trec.Layout, name: str, file: str, jobs: int) -> Run:
    """A run from lines without names, under those that the user gave, or those of TREC."""
    rows = trec.scan(text, layout, file, jobs)
    tags, wider = (rows.second.values, rows.wider) if layout is trec.RUN else ((), 0)
    run = Run(name, rows.topic, rows.docs, rows.value, rows.rank, file, tags, from_lines=True, wider=wider)
    if layout is trec.RUN:
        return run
    return ranked_run(run) if layout.value_name == "rank" else tell_ranks(run)


def tag_of(tags: Sequence[str], file: str) -> str:
    """The one tag of a run, which names its system."""
    if len(tags) > 1:
        raise InputError(
            f"the run has {len(tags)} different tags ({tags[0]}, {tags[1]}, ...)",
            file=file,
            hint="name systems by file, or give one file per system",
        )
    return tags[0]


def _of_nested(data: Mapping[str, Any], name: str, file: str, text: bytes) -> list[Run]:
    """Runs from {topic: {document: score}}, or the same below names of systems."""
    several = {name: data} if python_tables.is_one_run(data) else data
    runs = []
    for system, run in several.items():
        if not isinstance(run, Mapping) or not run:
            raise InputError(
                f"{system} has no topics", file=file, **place_of(text, system),
                hint="write {topic: {document: score}}, or the same for each system",
            )  # fmt: skip
        topics, docs, scores = python_tables.flat(run, file, labels=False, text=text)
        if not topics:
            raise InputError("the run has no rows", file=file, hint="give at least one document")
        made = run_of_columns(system, topics, docs, scores, file)
        runs.append(replace(tell_ranks(made), bare=len(several) == 1))
    return runs


def runs_of_frame(frame: Any, name: str, source: str, header: Header | None = None) -> list[Run]:
    """Runs from a frame with named columns; a column `system` splits it, one of MODELS names what a system uses.

    Where there is no score, the rank orders the documents.
    """
    columns = renamed(Columns(frame, source, "runs"), header)
    by_rank = "score" not in columns and "rank" in columns
    topics, docs, score = columns.ids("topic"), columns.ids("doc"), columns.numbers("rank" if by_rank else "score")
    ready = ranked_run if by_rank else tell_ranks
    if not topics:
        raise InputError("the run has no rows", file=source, hint="give at least one document")
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
