"""What unjudged documents could do to a difference: no variance, but a bound on the verdict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.errors import TruegainError
from truegain.inference.holes.extremes import check_known, extremes_of
from truegain.inference.holes.filled import Filled
from truegain.measures.base import Measure
from truegain.measures.evaluate import Options
from truegain.tables.columns import Floats


@dataclass(frozen=True, eq=False)
class Hidden:
    """How far the difference b - a could fall and rise, topic by topic, if unjudged documents were judged.

    `documents` counts the unjudged documents of both lists where the measure looks; None of all where it is not known.
    """

    low: Floats  # by topic, at most 0
    high: Floats
    documents: int
    topics: int

    @property
    def least(self) -> float:
        """By how much the mean difference could fall."""
        return float(self.low.sum())

    @property
    def most(self) -> float:
        """By how much it could rise."""
        return float(self.high.sum())

    def to_undo(self, margin: float) -> int | None:
        """On how many topics at least unjudged documents would have to be relevant to take a margin away; None: never.

        >>> Hidden(np.array([-0.02, 0.0, -0.05]), np.zeros(3), 4, 3).to_undo(0.06)
        2
        """
        taken = np.cumsum(np.sort(-self.low)[::-1])
        reached = np.flatnonzero(taken >= margin)
        return int(reached[0]) + 1 if len(reached) else None


def hidden_in(runs: object, judgments: object, measure: Measure, options: Options, a: str, b: str) -> Hidden:
    """What the holes of two systems could do; an error where the measure's bounds are not known."""
    check_known(measure)
    filled = Filled.of(runs, judgments, measure, options)
    ranked = filled.ranked
    first, second = ranked.systems.index(a), ranked.systems.index(b)
    score = measure.score(ranked)
    if np.isnan(score).any():
        raise TruegainError(f"{measure}: a system lacks a topic")
    extremes, within = extremes_of(filled, measure), measure.within(ranked.rank)
    topics = len(ranked.topics)
    share = np.append(np.full(len(ranked.systems), 1 / topics), 1.0)
    low, high = np.zeros((2, topics))
    for t in range(topics):
        far = extremes.greatest(filled.topic(t, within), share)
        now = (score[second, t] - score[first, t]) / topics
        low[t], high[t] = -far[first, second] - now, far[second, first] - now
    open_ = filled.hole[ranked.item] & within
    count = len(np.unique(ranked.item[open_]))
    return Hidden(np.minimum(low, 0.0), np.maximum(high, 0.0), count, topics)
