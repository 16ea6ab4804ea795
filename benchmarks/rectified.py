"""Rectified answers from arrays: what `correct` and `compare` say, without the detour over files and names."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from truegain.io.columns import Floats
from truegain.judge_error.pair_estimators import PairFit, SampledPairs
from truegain.judge_error.topic_estimators import TopicFit
from truegain.sampling.gold import GoldUnits
from truegain.stats.contrasts import Contrasts, limits
from truegain.stats.student_t import p_of, p_values_of, quantile_of
from truegain.study.estimators import LEAST_GOLD, ByGoldPairs, ByGoldTopics
from truegain.study.variance import VarianceModel

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
    def interval(self) -> tuple[float, float]:
        """Both limits."""
        return self.low, self.high

    @property
    def p(self) -> float:
        """Two-sided, of no difference."""
        return p_of(self.value / self.se, self.df)


def by_topics(
    bronze: Floats, gold: Floats, bounds: tuple[float, float] = ENDLESS, *, others: bool = False
) -> ByGoldTopics:
    """Scores by system and topic, or of one system, gold NaN where a topic has none; of all topics, or the others."""
    fit = TopicFit.of(np.atleast_2d(bronze), np.atleast_2d(gold), bounds, others=others)
    return ByGoldTopics(fit, tuple(map(str, range(fit.topics))))


def by_pairs(pairs: SampledPairs, *coefficients: Floats, bounds: tuple[float, float] = ENDLESS) -> ByGoldPairs:
    """Pairs, and what they count for each system."""
    drawn, unit = pairs.expansion[pairs.sampled], None
    if pairs.unit is not None:
        _, first, unit = np.unique(pairs.unit[pairs.sampled], return_index=True, return_inverse=True)
        drawn = drawn[first]
    gold = GoldUnits(tuple(map(str, range(len(drawn)))), drawn, len(pairs.topic), unit)
    return ByGoldPairs(PairFit.of(pairs, np.array(coefficients), bounds), tuple(map(str, range(pairs.topics))), gold)


def told(estimator: ByGoldTopics | ByGoldPairs, b: int = 0, a: int | None = None, *, these: bool = False) -> Told:
    """The score of a system, or its difference from another (b - a): of topics like these, or of these only."""
    variance_model = VarianceModel(estimator, estimator, frozenset() if these else frozenset(["topics"]))
    if a is None:
        contrasts = Contrasts.scores(len(estimator.value))
        spread = variance_model.variance(contrasts)
        low, high = (end[b] for end in variance_model.score_limits(spread, estimator.fit.bounds, 0.95))
    else:
        contrasts = Contrasts.of([(a, b)])
        spread = variance_model.variance(contrasts)
        low, high = (end[0] for end in limits(estimator.values(contrasts), spread, 0.95))
    at = b if a is None else 0
    value = float(estimator.values(contrasts)[at])
    return Told(value, math.sqrt(spread.value[at]), float(spread.df[at]), float(low), float(high))


def gold_alone(gold: Floats, *, others: bool = False) -> tuple[float, float]:
    """Student's limits from the gold scores of some topics, for all these topics or for the others, bronze unused."""
    y, u = gold[~np.isnan(gold)], int(np.isnan(gold).sum())
    n = len(y)
    open_ = 1 / n + 1 / u if others else 1 / n - 1 / (n + u)
    half = quantile_of(0.95, n - 1.0) * math.sqrt(float(y.var(ddof=1)) * open_)
    return float(y.mean()) - half, float(y.mean()) + half


def verdicts(estimator: ByGoldTopics | ByGoldPairs) -> Floats:
    """Of every pair of systems, the later against the earlier: 1 better, -1 worse, 0 not told apart, NaN refused."""
    contrasts = Contrasts.all_pairs(len(estimator.value))
    spread = VarianceModel(estimator, estimator, frozenset(["topics"])).variance(contrasts)
    d, se = estimator.values(contrasts), np.sqrt(spread.value)
    p = p_values_of(np.divide(d, se, out=np.zeros(len(d)), where=se > 0), spread.df)
    touching = estimator.labels_for_rule(contrasts)
    known = se > 0 if touching is None else (se > 0) & (touching >= LEAST_GOLD)
    return np.where(known, np.where(p < 0.05, np.sign(d), 0.0), np.nan)
