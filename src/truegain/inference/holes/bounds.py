"""Holes: how many retrieved documents are unjudged, for whom, and how far a score could move if they were judged.

The documents in question are those that some run has among its first `depth` and nobody judged.  A system's *own* holes
stand in its list above the cutoff; all others, further down or in other lists alone, are *elsewhere*.  Each may have
the label 0 or any that was given to a document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np

from truegain._version import __version__
from truegain.config import Scoring
from truegain.inference.holes.extremes import check_known, extremes_of
from truegain.inference.holes.filled import Filled
from truegain.keywords import check_whole, takes
from truegain.measures.base import Measure, mean_of_rows
from truegain.measures.evaluate import at_level
from truegain.measures.parse import MeasureLike, parse_measure
from truegain.tables.columns import Bools, Floats, frozen
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.ranked import RankedGains
from truegain.tables.scores import ALL_TOPICS
from truegain.tables.table import Cell, Shown, Table

Kind = Literal["exact", "bound"]
_NOTHING = 1e-12  # a difference of means below this is rounding


@dataclass(frozen=True, eq=False, repr=False)
class Holes(Shown):
    """What the holes can hide, for every system and topic: score, worst and best case, share of unjudged documents.

    >>> import truegain as tg
    >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}}, "b": {"1": {"y": 3.0, "z": 2.0}}}
    >>> made = tg.unjudged(runs, {"1": {"x": 1, "w": 1}}, "P@2")
    >>> for row in made.table().rows:
    ...     print(*row[:6])
    a 0.5 0.5 0.5 1.0 exact
    b 1.0 0.0 0.0 1.0 exact
    >>> print(*made.pairs().rows[0])  # y is in both lists, z in b alone
    a b -0.5 -0.5 0.0 exact no
    """

    measure: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    score: Floats
    worst: Floats
    best: Floats
    greatest: Floats  # system by system: how far the mean of the first can be ahead of the second's
    kind: Kind  # of greatest; worst and best are reached by some labels
    unjudged: dict[int, Floats]  # by depth: share of unjudged documents
    beside: dict[str, Floats]  # other ways to look: condensed list, Bpref, infAP
    depth: int
    asked: Mapping[str, object] = field(default_factory=dict)

    @property
    def made_by(self) -> dict[str, object]:
        """How it was made."""
        return {**self.asked, "truegain": __version__, "measure": self.measure, "depth": self.depth}

    def in_short(self) -> str:
        """How many pairs of systems could change order."""
        return f"{self.measure}, {len(self.systems):,} systems, {len(self.topics):,} topics; {self._could_change()}"

    def _could_change(self) -> str:
        n, open_ = len(self.systems), int(np.triu(self.open_order, 1).sum())
        return f"{open_} of {n * (n - 1) // 2} pairs of systems could change order"

    def table(self, topics: bool = False) -> Table:
        """One row a system, or one a system and topic."""
        columns = (*_named(topics), "unjudged", "score", "worst", "best", "kind", *self.beside)
        matrices = [self.unjudged[self.depth], self.score, self.worst, self.best, *self.beside.values()]
        found = self._rows(matrices, topics)
        rows: list[tuple[Cell, ...]] = [(*names, *values[:4], "exact", *values[4:]) for names, values in found]
        notes = (
            f"{self.measure}; unjudged: share of the first {self.depth} documents; worst and best over all labels of "
            "documents that some run has and nobody judged (exact: some labels reach them)",
            f"{self._could_change()} (either could be ahead), the labels of documents in both lists being alike in "
            f"both ({self.kind})",
        )
        return Table(columns, rows, {"measure": self.measure, "depth": self.depth}, notes=notes)

    def _rows(self, matrices: Sequence[Floats], topics: bool) -> Iterator[tuple[tuple[str, ...], list[float]]]:
        """System, and topic where asked for, with what each matrix has there; the mean over topics last."""
        means = [mean_of_rows(m) for m in matrices]
        for s, system in enumerate(self.systems):
            for t, topic in enumerate(self.topics if topics else ()):
                yield (system, topic), [float(m[s, t]) for m in matrices]
            yield (system, ALL_TOPICS) if topics else (system,), [float(m[s]) for m in means]

    @property
    def open_order(self) -> Bools:
        """Pairs of systems of which either could have the higher mean."""
        return _either(self.greatest)

    def pairs(self) -> Table:
        """One row a pair of systems: the difference of their means, and the least and the greatest there could be."""
        mean = mean_of_rows(self.score)
        rows: list[tuple[Cell, ...]] = [
            (self.systems[a], self.systems[b], float(mean[b] - mean[a]), 0.0 - float(self.greatest[a, b]),
             float(self.greatest[b, a]), self.kind, "yes" if self.open_order[a, b] else "no")
            for a, b in combinations(range(len(self.systems)), 2)
        ]  # fmt: skip
        columns = ("a", "b", "b - a", "least", "greatest", "kind", "could change order")
        return Table(columns, rows, {"measure": self.measure, "depth": self.depth}, notes=self.table().notes)

    def shares(self, topics: bool = False) -> Table:
        """The share of unjudged documents at every depth."""
        rows: list[tuple[Cell, ...]] = [(*n, *values) for n, values in self._rows([*self.unjudged.values()], topics)]
        columns = (*_named(topics), *(f"unjudged@{d}" for d in self.unjudged))
        return Table(columns, rows, {"depths": list(self.unjudged)})


@dataclass(frozen=True, eq=False)
class OpenOrder:
    """Pairs of systems that unjudged documents could turn, and nothing else; of lists that are aligned already."""

    measure: str
    systems: tuple[str, ...]
    open_order: Bools  # system by system

    @classmethod
    def of(cls, ranked: RankedGains, measure: Measure) -> OpenOrder:
        """From lists that know their documents by key (see `Filled.by_key`)."""
        check_known(measure)
        filled = Filled.by_key(ranked, measure)
        greatest = extremes_by_topic(filled, measure, measure.score(filled.ranked))[2]
        return cls(str(measure), ranked.systems, frozen(_either(greatest)))


def _named(topics: bool) -> tuple[str, ...]:
    return ("system", "topic") if topics else ("system",)


def _either(greatest: Floats) -> Bools:
    ahead = greatest > _NOTHING
    return np.asarray(ahead & ahead.T)


@takes()
def unjudged(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measure: MeasureLike = "nDCG@10",
    *,
    depths: tuple[int, ...] = (1, 5, 10, 20, 50, 100),
    scoring: Scoring | None = None,
    jobs: int | None = None,
) -> Holes:
    """How far scores could move if unjudged documents were judged, and how many there are.

    Worst and best are exact, and so is the greatest difference of two systems for measures linear in gain, RR, R and
    nDCG; for ERR it is exact where few unjudged documents are in both lists, and a bound elsewhere (`extremes.py` has
    the proofs).

    >>> import truegain as tg
    >>> made = tg.unjudged({"1": {"x": 3.0, "y": 2.0}}, {"1": {"x": 1}}, "nDCG@2")
    >>> made.worst.tolist(), made.best.tolist()
    ([[1.0]], [[1.0]])
    """
    for depth in depths:
        check_whole("depths", depth, 1)
    how = scoring or Scoring()
    asked = at_level(parse_measure(measure), how.relevant_from)
    check_known(asked)
    filled = Filled.of(runs, judgments, asked, how, jobs)
    ranked = filled.ranked
    score = asked.score(ranked)
    worst, best, greatest, kind = extremes_by_topic(filled, asked, score)
    depth = getattr(asked, "cutoff", None) or int(ranked.depth.max())
    wanted = sorted({depth, *(d for d in depths if d <= filled.depth)})
    beside = {"condensed": asked.score(ranked.condensed)}
    for other in ("Bpref", "infAP"):
        beside[other] = at_level(parse_measure(other), how.relevant_from).score(ranked)
    lists = ranked.list[ranked.judged] // max(1, len(ranked.topics))
    blank = np.bincount(lists, minlength=len(ranked.systems)) == 0  # by judged documents alone there is nothing
    beside = {name: np.where(blank[:, None], np.nan, values) for name, values in beside.items()}
    shares = {d: filled.share(d) for d in wanted}
    return Holes(str(asked), ranked.systems, ranked.topics, score, worst, best, greatest, kind, shares, beside, depth)


def extremes_by_topic(filled: Filled, measure: Measure, score: Floats) -> tuple[Floats, Floats, Floats, Kind]:
    """Worst and best by system and topic, and the greatest difference of means by system and system."""
    extremes, within = extremes_of(filled, measure), measure.within(filled.ranked.rank)
    there = ~np.isnan(score)
    answered = there.sum(axis=1)
    worst, best = np.full((2, *score.shape), np.nan)
    greatest = np.zeros((len(score), len(score)))
    for t in range(score.shape[1]):
        share = np.append(np.divide(there[:, t], answered, out=np.zeros(len(score)), where=answered > 0), 1.0)
        far = extremes.greatest(filled.topic(t, within), share)
        greatest += far[:-1, :-1]
        has = there[:, t]
        best[has, t] = far[:-1, -1][has] * answered[has]
        worst[has, t] = 0.0 - far[-1, :-1][has] * answered[has]  # so that 0 is not -0
    np.fill_diagonal(greatest, 0.0)
    return worst, best, greatest, "exact" if extremes.exact else "bound"
