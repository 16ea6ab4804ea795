"""Rectified answers from arrays: what `correct` and `compare` say, without the detour over files and names."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from truegain.gains.pair_fit import PairFit
from truegain.gains.sampled_pairs import SampledPairs
from truegain.gains.topic_fit import TopicFit
from truegain.inference.study.contrasts import Contrasts
from truegain.inference.study.evidence import ByGoldPairs, ByGoldTopics
from truegain.inference.study.lattice import Lattice, limits
from truegain.student import p_of
from truegain.tables.columns import Floats

ENDLESS = (-math.inf, math.inf)


@dataclass(frozen=True)
class Told:
    """A value with its standard error, degrees of freedom and 95% limits."""

    value: float
    se: float
    df: float
    low: float
    high: float

    @property
    def p(self) -> float:
        """Two-sided, of no difference."""
        return p_of(self.value / self.se, self.df)


def by_topics(
    bronze: Floats, gold: Floats, bounds: tuple[float, float] = ENDLESS, *, uses: bool | None = None
) -> ByGoldTopics:
    """Scores by system and topic, or of one system, gold NaN where a topic has none."""
    fit = TopicFit.of(np.atleast_2d(bronze), np.atleast_2d(gold), bounds)
    return ByGoldTopics(replace(fit, uses=uses), tuple(map(str, range(fit.topics))))


def by_pairs(pairs: SampledPairs, *coefficients: Floats, bounds: tuple[float, float] = ENDLESS) -> ByGoldPairs:
    """Pairs, and what they count for each system."""
    return ByGoldPairs(PairFit.of(pairs, np.array(coefficients), bounds), tuple(map(str, range(pairs.topics))), ())


def told(evidence: ByGoldTopics | ByGoldPairs, b: int = 0, a: int | None = None, *, these: bool = False) -> Told:
    """The score of a system, or its difference from another (b - a): of topics like these, or of these only."""
    lattice = Lattice(evidence, evidence, frozenset() if these else frozenset(["topics"]))
    if a is None:
        asked = Contrasts.scores(len(evidence.value))
        spread = lattice.spread(asked)
        low, high = (end[b] for end in lattice.score_limits(spread, evidence.fit.bounds, 0.95))
    else:
        asked = Contrasts.of([(a, b)])
        spread = lattice.spread(asked)
        low, high = (end[0] for end in limits(asked.values(evidence.value), spread, 0.95))
    at = b if a is None else 0
    value = float(asked.values(evidence.value)[at])
    return Told(value, math.sqrt(spread.variance[at]), float(spread.df[at]), float(low), float(high))
