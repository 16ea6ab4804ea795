"""Rank-biased precision, and how far unjudged documents could raise it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from truegain.errors import MeasureError
from truegain.measures.base import Gains, Measure, ratio
from truegain.measures.dcg import gains_of, least_gain
from truegain.tables.columns import Bools, Floats
from truegain.tables.ranked import RankedGains

HIGHEST = ("scale", "topic")


@dataclass(frozen=True, kw_only=True, repr=False)
class RBP(Measure):
    """Gain per document for a user who goes on to the next one with probability p.

    RBP = (1 - p) * sum over ranks i of gain_i * p^(i - 1)

    With `rel` the gain is 1 from that label on, else 0; without it, it is the label (through `gains` where given),
    0 for what was not judged, divided by `max_rel`: a number, 'scale' for the highest gain of all judgments or 'topic'
    for the highest of the topic.  cwl divides by the weights of 1,000 ranks instead of all, which is the same number
    unless p is very near 1.

    Moffat and Zobel 2008, ACM TOIS 27(1).

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1}}, "RBP").mean(), 6)
    0.16
    """

    linear_in_gains = True

    p: float = 0.8
    rel: float | None = None
    max_rel: float | str | None = None
    gains: Gains | None = None
    cutoff: int | None = None
    judged_only: bool = False

    def check(self) -> None:
        """Binary gains need no scale."""
        check_persistence(self, self.p)
        top = self.max_rel
        self.require(not isinstance(self.rel, str), "rel must be a number")
        self.require(self.rel is None or self.rel >= 0, "rel must not be negative")
        self.require(self.rel is None or (top is None and self.gains is None), "rel makes gains 0 or 1; give it alone")
        known = top in HIGHEST if isinstance(top, str) else top is None or top > 0
        self.require(known, "max_rel must be a positive number, 'scale' or 'topic'")

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        weight = np.where(self.within(ranked.rank), self.p ** (ranked.rank - 1.0), 0.0)
        gain = ratio(self._gain(ranked.gain, ranked.judged), self.scale(ranked)[ranked.list_topic[ranked.list]])
        return (1 - self.p) * ranked.total(weight * gain)

    def bounds(self) -> tuple[float, float]:
        """From 0 to 1 where the highest gain is 1 by its scale; as much as the labels allow otherwise."""
        least = 0.0 if least_gain(self.gains) >= 0 else -math.inf
        return least, 1.0 if self.rel is not None or isinstance(self.max_rel, str) else math.inf

    def rank_weights(self, depth: int) -> Floats:
        """(1 - p) p^(i - 1), down to the cutoff."""
        rank = np.arange(1, depth + 1)
        return np.where(self.within(rank), (1 - self.p) * self.p ** (rank - 1.0), 0.0)

    def worth(self, label: Floats, judged: Bools | None = None) -> Floats:
        """Labels as gains, over `max_rel` where it is a number."""
        if isinstance(self.max_rel, str):
            raise MeasureError(f"{self} reads its scale off the labels; give max_rel as a number")
        return self._gain(label, judged) / (self.max_rel or 1.0)

    def _gain(self, label: Floats, judged: Bools | None) -> Floats:
        """Labels as gains, before they are scaled."""
        if self.rel is not None:
            return ((label >= self.rel) & ((label >= 0) if judged is None else judged)).astype(np.float64)
        return gains_of(label, judged, self.gains)

    def scale(self, ranked: RankedGains) -> Floats:
        """What gains are divided by, per topic."""
        if isinstance(self.max_rel, str):
            pool = self._gain(ranked.item_gain, ranked.item_judged)
            if self.max_rel == "topic":
                return ranked.pool_highest(pool)
            return np.full(len(ranked.topics), pool.max(initial=0.0))
        return np.full(len(ranked.topics), self.max_rel or 1.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class RBPResidual(Measure):
    """How much RBP would grow if every unjudged document were fully relevant, those beyond the end of the list too.

    RBPResidual = p^n + (1 - p) * sum over unjudged ranks i <= n of p^(i - 1)
                = 1 - (1 - p) * sum over judged ranks i <= n of p^(i - 1)

    n is the length of the list (cut at k); a negative label counts as unjudged.  `trec_eval=True` gives 0 when all
    retrieved documents are judged, as trec_eval 10's rbp_resid does.

    Moffat and Zobel 2008, ACM TOIS 27(1).

    >>> import truegain as tg
    >>> round(tg.evaluate({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1}}, "RBPResidual(p=0.5)").mean(), 6)
    0.75
    """

    needs_judged = False
    needs_pool = False

    p: float = 0.8
    trec_eval: bool = False
    cutoff: int | None = None

    def check(self) -> None:
        """A user must be able to stop."""
        check_persistence(self, self.p)

    def per_topic(self, ranked: RankedGains) -> Floats:
        """One value per list."""
        judged = ranked.judged & self.within(ranked.rank)
        residual = 1 - (1 - self.p) * ranked.total(np.where(judged, self.p ** (ranked.rank - 1.0), 0.0))
        if not self.trec_eval:
            return residual
        depth = ranked.depth if self.cutoff is None else np.minimum(ranked.depth, self.cutoff)
        return np.where(ranked.total(judged) == depth, 0.0, residual)


def check_persistence(measure: Measure, p: float) -> None:
    """A probability to go on, below 1 so that the user ends."""
    measure.require(0 <= p < 1, "p must be at least 0 and below 1")
