"""One run: what a system retrieved, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from truegain.errors import InputError
from truegain.io import _scan, trec
from truegain.io.columns import Coded, Codes, Floats, Ids, Ints, Places, check_unicode, first_place, frozen

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
