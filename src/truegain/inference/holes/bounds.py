"""Holes: how many retrieved documents are unjudged, for whom, and how far a score could move if they were judged.

The documents in question are those that some run has among its first `depth` and nobody judged.  A system's *own* holes
stand in its list above the cutoff; all others, further down or in other lists alone, are *elsewhere*.  Every label
between 0 and the highest judged one is possible for each.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import comb
from typing import Any, Literal

import numpy as np

from truegain.errors import MeasureError, TruegainError
from truegain.measures.base import Measure, mean_of_rows
from truegain.measures.bpref import Bpref
from truegain.measures.evaluate import Options, aligned, at_level, options_of
from truegain.measures.parse import parse_measure
from truegain.tables.columns import Bools, Coded, Floats, Ints, frozen
from truegain.tables.judgments import Judgments, judgments_of_columns
from truegain.tables.ranked import RankedGains
from truegain.tables.runs import Runs
from truegain.tables.scores import ALL_TOPICS
from truegain.tables.table import Cell, Table

Kind = Literal["exact", "bound"]
NEVER_LESS = ("P", "DCG", "RBP", "RR", "ERR")  # a higher label never lowers these
BY_ELSEWHERE = ("R", "nDCG")  # a higher label elsewhere lowers these
MEASURES = (*NEVER_LESS, *BY_ELSEWHERE)
_MOST_FILLINGS = 500
UNJUDGED = -1.0


@dataclass(frozen=True, eq=False)
class Holes:
    """What the holes can hide, for every system and topic: score, worst and best case, share of unjudged documents.

    >>> import truegain as tg
    >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}}, "b": {"1": {"y": 3.0, "z": 2.0}}}
    >>> made = tg.holes(runs, {"1": {"x": 1, "w": 1}}, "P@2")
    >>> for row in made.table().rows:
    ...     print(*row[:6])
    a 0.5 0.5 0.5 1.0 exact
    b 1.0 0.0 0.0 1.0 exact
    """

    measure: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    score: Floats
    worst: Floats
    best: Floats
    kind: Kind
    unjudged: dict[int, Floats]  # by depth: share of unjudged documents
    beside: dict[str, Floats]  # other ways to look: condensed list, Bpref, infAP
    depth: int

    def table(self, topics: bool = False) -> Table:
        """One row a system, or one a system and topic."""
        columns = (
            "system",
            *(("topic",) if topics else ()),
            "unjudged",
            "score",
            "worst",
            "best",
            "kind",
            *self.beside,
        )
        matrices = [self.unjudged[self.depth], self.score, self.worst, self.best, *self.beside.values()]
        means = [mean_of_rows(m) for m in matrices]
        rows: list[tuple[Cell, ...]] = []
        for s, system in enumerate(self.systems):
            for t, topic in enumerate(self.topics if topics else ()):
                rows.append(self._row((system, topic), [float(m[s, t]) for m in matrices]))
            rows.append(self._row((system, ALL_TOPICS) if topics else (system,), [float(m[s]) for m in means]))
        overlap = self._overlaps(means[2], means[3])
        notes = (
            f"{self.measure}; unjudged: share of the first {self.depth} documents; worst and best over all labels of "
            f"documents that some run has and nobody judged ({self.kind})",
            f"{overlap} of {len(self.systems) * (len(self.systems) - 1) // 2} pairs of systems could change order",
        )
        return Table(columns, rows, {"measure": self.measure, "depth": self.depth}, notes=notes)

    def _row(self, names: tuple[Cell, ...], values: list[float]) -> tuple[Cell, ...]:
        return (*names, *values[:4], self.kind, *values[4:])

    def _overlaps(self, worst: Floats, best: Floats) -> int:
        """Pairs of systems whose intervals from worst to best meet."""
        meet = (worst[:, None] <= best[None, :]) & (worst[None, :] <= best[:, None])
        return int(np.triu(meet, 1).sum())

    def shares(self, topics: bool = False) -> Table:
        """The share of unjudged documents at every depth."""
        rows: list[tuple[Cell, ...]] = []
        for s, system in enumerate(self.systems):
            for t, topic in enumerate(self.topics if topics else ()):
                rows.append((system, topic, *(float(m[s, t]) for m in self.unjudged.values())))
            means = [float(mean_of_rows(m[s : s + 1])[0]) for m in self.unjudged.values()]
            rows.append((system, *((ALL_TOPICS,) if topics else ()), *means))
        columns = ("system", *(("topic",) if topics else ()), *(f"unjudged@{d}" for d in self.unjudged))
        return Table(columns, rows, {"depths": list(self.unjudged)})


def holes(
    runs: object,
    judgments: object,
    measure: str | Measure = "nDCG@10",
    *,
    depths: tuple[int, ...] = (1, 5, 10, 20, 50, 100),
    jobs: int | None = None,
    **options: Any,
) -> Holes:
    """How far scores could move if unjudged documents were judged, and how many there are.

    P, DCG, RBP, RR and ERR never fall when a label rises: worst is all 0, best all highest.  R and nDCG fall when a
    document elsewhere is relevant.  nDCG is a linear over a convex function of every single label, so its least value
    is taken at labels 0 and highest, and of as many highest labels the lowest ranks give the least; its best needs the
    labels between and is found by trying all fillings, the better label above the worse, or bounded where there are
    too many.

    >>> import truegain as tg
    >>> made = tg.holes({"1": {"x": 3.0, "y": 2.0}}, {"1": {"x": 1}}, "nDCG@2")
    >>> made.kind, made.worst.tolist(), made.best.tolist()
    ('exact', [[1.0]], [[1.0]])
    """
    given = options_of(options)
    asked = at_level(parse_measure(measure), given.level)
    filled = Filled.of(runs, judgments, asked, given, jobs)
    ranked = filled.ranked
    score = asked.score(ranked)
    worst, best, kind = filled.bounds()
    depth = getattr(asked, "cutoff", None) or int(ranked.depth.max())
    wanted = sorted({depth, *(d for d in depths if d <= filled.depth)})
    beside = {"condensed": _condensed(asked, ranked), "Bpref": Bpref().score(ranked)}
    beside["infAP"] = parse_measure("infAP").score(ranked)
    shares = {d: filled.share(d) for d in wanted}
    return Holes(str(asked), ranked.systems, ranked.topics, score, worst, best, kind, shares, beside, depth)


def _condensed(measure: Measure, ranked: RankedGains) -> Floats:
    """The score of the lists without unjudged documents."""
    values: Floats = measure.score(ranked.condensed)
    return values


@dataclass(frozen=True, eq=False)
class Filled:
    """Runs against a pool that also holds every document in question, with a label below 0, which is none."""

    measure: Measure
    ranked: RankedGains
    hole: Bools  # per item of the pool
    highest: float
    depth: int  # down to which documents are in question

    @classmethod
    def of(cls, runs: object, judgments: object, measure: Measure, options: Options, jobs: int | None = None) -> Filled:
        """Align twice: once to see what is unjudged, once with that in the pool."""
        if measure.NAME not in MEASURES:
            raise MeasureError(f"{measure}: worst and best are known for {', '.join(MEASURES)}")
        if getattr(measure, "judged_only", False) or options.judged_only:
            raise MeasureError(f"{measure}: a list without its unjudged documents has no holes; leave judged_only out")
        if getattr(measure, "max_rel", None) == "topic":
            raise MeasureError(f"{measure}: with max_rel='topic' one label changes the worth of all; give a number")
        loaded, table = Runs.of(runs), Judgments.of(judgments)
        cutoff = options.depth or getattr(measure, "cutoff", None)
        first = aligned(loaded, table, options, jobs=jobs, keep_top=_lowest(loaded))
        depth = max(cutoff or 0, 100) if cutoff else int(first.depth.max())
        known = _unjudged(first, depth)
        if not np.any(first.item_judged):
            raise TruegainError("no document is judged; worst and best would span everything")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told the first time
            ranked = aligned(loaded, _with(table, *known), options, jobs=jobs).cut(options.depth)
        hole = ~ranked.item_judged
        return cls(measure, ranked, hole, float(first.item_gain.max()), depth)

    def share(self, depth: int) -> Floats:
        """Share of the first documents of each list that are unjudged; of those there are, if fewer."""
        ranked = self.ranked
        inside = (ranked.rank <= depth) & ranked.judged
        judged = np.bincount(ranked.list[inside], minlength=ranked.lists)
        size = np.minimum(ranked.depth, depth)
        share = np.divide(size - judged, size, out=np.full(len(size), np.nan), where=size > 0)
        return np.asarray(share.reshape(len(ranked.systems), len(ranked.topics)), np.float64)

    def system(self, number: int) -> RankedGains:
        """One system's lists alone."""
        ranked, topics = self.ranked, len(self.ranked.topics)
        first, last = int(ranked.begin[number * topics]), int(ranked.begin[(number + 1) * topics])
        return replace(
            ranked,
            systems=(ranked.systems[number],),
            retrieved=frozen(ranked.retrieved[number * topics : (number + 1) * topics]),
            begin=frozen(ranked.begin[number * topics : (number + 1) * topics + 1] - first),
            rank=frozen(ranked.rank[first:last]),
            item=frozen(ranked.item[first:last]),
        )

    def bounds(self) -> tuple[Floats, Floats, Kind]:
        """Worst and best by system and topic, and whether both are reached by some labels."""
        kind: Kind = "exact"
        worst, best = np.empty((2, len(self.ranked.systems), len(self.ranked.topics)))
        for s in range(len(self.ranked.systems)):
            view = self.system(s)
            own = self._own(view)
            low = [self._score(view, labels) for labels in self._low_fillings(own)]
            worst[s] = np.min(low, axis=0)
            if self.measure.NAME == "nDCG" and not self._few(own):
                best[s], kind = self._capped(view, own), "bound"
            else:
                best[s] = np.max([self._score(view, labels) for labels in self._high_fillings(own)], axis=0)
        return worst, best, kind

    def _score(self, view: RankedGains, labels: Floats) -> Floats:
        return np.asarray(self.measure.score(view.with_gains(labels))[0], np.float64)

    def _own(self, view: RankedGains) -> list[Ints]:
        """For each topic the holes that count in this list, as items, from the top."""
        entries = np.flatnonzero(self.hole[view.item] & self.measure.within(view.rank))
        topic = view.list[entries]
        return [view.item[entries[topic == t]] for t in range(len(view.topics))]

    def _labels(self, elsewhere: float) -> Floats:
        return np.where(self.hole, elsewhere, self.ranked.item_gain)

    def _low_fillings(self, own: list[Ints]) -> Iterator[Floats]:
        """Labels among which each topic has its worst."""
        if self.measure.NAME not in BY_ELSEWHERE:
            yield self._labels(0.0)
            return
        base = self._labels(self.highest)
        for several in own:
            base[several] = 0.0
        most = max(map(len, own), default=0) if self.measure.NAME == "nDCG" else 0
        for count in range(most + 1):
            labels = base.copy()
            for several in own:
                labels[several[max(0, len(several) - count) :]] = self.highest
            yield labels

    def _levels(self) -> list[float]:
        """The labels a hole may have, from the highest down to 0."""
        return sorted({0.0, *np.unique(self.ranked.item_gain[self.ranked.item_gain > 0]).tolist()}, reverse=True)

    def _few(self, own: list[Ints]) -> bool:
        most = max(map(len, own), default=0)
        return comb(most + len(self._levels()) - 1, most) <= _MOST_FILLINGS

    def _high_fillings(self, own: list[Ints]) -> Iterator[Floats]:
        """Labels among which each topic has its best."""
        base = self._labels(0.0)
        if self.measure.NAME != "nDCG":
            for several in own:
                base[several] = self.highest
            yield base
            return
        for filling in combinations_with_replacement(self._levels(), max(map(len, own), default=0)):
            labels = base.copy()
            for several in own:
                labels[several] = filling[: len(several)]
            yield labels

    def _capped(self, view: RankedGains, own: list[Ints]) -> Floats:
        """No less than the best nDCG: the highest DCG over the lowest ideal, at most 1."""
        low = self._labels(0.0)
        high = low.copy()
        for several in own:
            high[several] = self.highest
        now, ideal = self.measure.discounted(view.with_gains(high)), self.measure.best(view.with_gains(low))  # type: ignore[attr-defined]
        bound = np.divide(now, ideal, out=np.ones(len(ideal)), where=ideal > 0)
        bound[(ideal == 0) & (now == 0)] = 0.0
        return np.where(view.present, np.minimum(bound, 1.0), np.nan)


def _lowest(runs: Runs) -> int:
    return max(int(np.bincount(part.topic.code).max(initial=1)) for part in runs.parts)


def _unjudged(ranked: RankedGains, depth: int) -> tuple[list[str], list[str]]:
    """The distinct pairs of topic and document within a depth that the judgments do not name."""
    assert ranked.top is not None
    top = ranked.top.cut(depth)
    lists = np.repeat(np.arange(ranked.lists), np.diff(top.begin))
    key = np.unique(ranked.list_topic[lists] * max(1, len(top.docs)) + top.doc)
    topic, docs = key // max(1, len(top.docs)), top.docs.take(key % max(1, len(top.docs)))
    found = ranked.pool.find(Coded(ranked.topics, frozen(topic.astype(np.int32))), docs)
    rows = np.flatnonzero(found < 0)
    return [ranked.topics[t] for t in topic[rows].tolist()], docs.take(rows).strings()


def _with(judgments: Judgments, topics: list[str], docs: list[str]) -> Judgments:
    """Judgments and, behind them, pairs without a label."""
    return judgments_of_columns(
        [*judgments.topic.strings(), *topics],
        [*judgments.docs.strings(), *docs],
        np.concatenate([judgments.label, np.full(len(topics), UNJUDGED)]),
        judgments.source,
    )
