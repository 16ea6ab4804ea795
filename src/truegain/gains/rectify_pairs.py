"""Scores linear in gain, from cheap labels of all pairs and gold labels of a sample of the pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Literal, get_args

import numpy as np

from truegain.errors import TruegainError
from truegain.gains.rectified import Rectified
from truegain.gains.rectify import _at_least_two_topics, _copies, _never_zero
from truegain.tables.columns import Bools, Floats, Ints

PairMethod = Literal["calibrated", "difference", "post-stratified"]
PAIR_METHODS: tuple[str, ...] = get_args(PairMethod)
LEAST_IN_STRATUM = 5


@dataclass(frozen=True, eq=False)
class SampledPairs:
    """The pool as arrays, one row a pair: topic number, stratum, value of the bronze and of the gold label.

    topic: from 0.  stratum: of the bronze label, from `strata_of`.  bronze, gold: what the labels are worth, gold NaN
    where there is none.  expansion: how many pairs each gold pair stands for, 1 / its chance to be drawn.
    """

    topic: Ints
    stratum: Ints
    bronze: Floats
    gold: Floats
    expansion: Floats
    topics: int

    @property
    def sampled(self) -> Bools:
        """Which pairs have a gold label."""
        return ~np.isnan(self.gold)


def strata_of(labels: Floats, sampled: Bools, least: int = LEAST_IN_STRATUM) -> Ints:
    """A stratum for each pair: its bronze label, neighbouring labels joined until each has `least` gold pairs.

    >>> strata_of(np.array([0.0, 0.0, 1.0, 2.0, 2.0, 3.0]), np.array([1, 1, 0, 1, 1, 0], bool), least=2)
    array([0, 0, 1, 1, 1, 1])
    """
    values, code = np.unique(labels, return_inverse=True)
    counts = np.bincount(code[sampled], minlength=len(values))
    least = max(least, int(sampled.sum()) // 20)
    group, held = np.zeros(len(values), np.int64), 0
    for i, count in enumerate(counts.tolist()):
        if i and held >= least:
            group[i:] += 1
            held = 0
        held += count
    if held < least and group[-1] > 0:  # too few at the top: join with the stratum below
        group[group == group[-1]] -= 1
    return group[code]


def calibrated(pairs: SampledPairs, weights: Floats | None = None) -> Floats:
    """What each pair is worth by its bronze label: the mean gold value of its stratum in the *other* topics.

    m = (sum of e g + c) / (sum of e + 1) over gold pairs of the stratum outside the pair's topic, e the expansion
    over its mean and c the mean gold value over all strata there, which stands in where a stratum has none.
    Leaving the own topic out keeps the residuals honest.

    >>> gold = np.array([1, np.nan, 0, 0])
    >>> pairs = SampledPairs(np.array([0, 0, 1, 1]), np.zeros(4, int), np.ones(4), gold, np.ones(4), 2)
    >>> calibrated(pairs)
    array([0., 0., 1., 1.])
    """
    w, s = _copies(weights, pairs.topics), pairs.sampled
    strata = int(pairs.stratum.max(initial=0)) + 1
    expansion = pairs.expansion[s] / pairs.expansion[s].mean()
    cell = pairs.topic[s] * strata + pairs.stratum[s]
    shape = (pairs.topics, strata)
    count = np.bincount(cell, expansion, pairs.topics * strata).reshape(shape)
    total = np.bincount(cell, expansion * pairs.gold[s], pairs.topics * strata).reshape(shape)
    once = np.minimum(w, 1.0)[:, None]  # one copy of the own topic is left out
    count = (w[:, None] * count).sum(0) - once * count
    total = (w[:, None] * total).sum(0) - once * total
    over_all = np.divide(total.sum(1), count.sum(1), out=np.zeros(pairs.topics), where=count.sum(1) > 1e-9)
    expected: Floats = ((total + over_all[:, None]) / (count + 1))[pairs.topic, pairs.stratum]
    return expected


def rectify_pairs(
    pairs: SampledPairs,
    coefficient: Floats,
    *,
    against: Floats | None = None,
    weights: Floats | None = None,
    method: PairMethod = "calibrated",
    bounds: tuple[float, float] | None = None,
) -> Rectified:
    """The mean over topics of sum of coefficient * value, of a system (or of two, `coefficient` minus `against`).

    coefficient: what a value of 1 would add to the system's score, per pair of the pool, 0 where not retrieved.
    bounds: lowest and highest score possible, for an interval that stays inside and covers near them.
    With m the prediction of a pair, e its expansion and c its coefficient, per topic mean of

        sum of c lambda m + (sum of c) * (sum over gold pairs of c e (g - lambda m)) / (sum over gold pairs of c e)

    the second part summed over all topics, so that the system's own gold pairs set its score right whether or not the
    judge favours it.  method 'calibrated': m is the mean gold value of the bronze label in other topics, lambda 1;
    'difference': m is the bronze value, lambda tuned (PPI++); 'post-stratified': no prediction, but the ratio of the
    second part taken within each stratum of bronze labels.  A stratum's mean over the whole pool would be tempting, and
    wrong: what a system ranks high is relevant more often than the pool, whatever its bronze label.

    The variance is linearised and summed by topic; the part that comes from gold pairs is not let below what
    the spread of gold values within strata (with half a pair added at each end of the scale) makes of so few pairs.
    Degrees of freedom: Satterthwaite's, and no more than T - 1 (topics hold both parts of the variance) nor 2 T /
    (kurtosis over topics - 1), since a variance that few topics carry is badly known.

    Saerndal, Swensson and Wretman 1992, Model Assisted Survey Sampling; Angelopoulos, Duchi and Zrnic 2023.

    >>> topic = np.repeat(np.arange(4), 3)
    >>> bronze = np.array([1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.0])
    >>> gold = np.array([1, 0, np.nan, 1, 0, np.nan, np.nan, 1, 0, 1, np.nan, 0.0])
    >>> pairs = SampledPairs(topic, bronze.astype(int), bronze, gold, np.full(12, 1.5), 4)
    >>> round(rectify_pairs(pairs, np.full(12, 1 / 3)).value, 3)
    0.5
    """
    if method not in PAIR_METHODS:
        raise TruegainError(f"method {method!r} is not known; give one of {', '.join(PAIR_METHODS)}")
    w = _copies(weights, pairs.topics)
    expected = calibrated(pairs, w) if method == "calibrated" else pairs.bronze
    alone = _Parts.of(pairs, coefficient, expected, w)
    one = _by_stratum(pairs, coefficient, expected, w) if method == "post-stratified" else alone
    if against is not None:
        other = _Parts.of(pairs, against, expected, w)
        alone = alone.minus(other)
        one = one.minus(_by_stratum(pairs, against, expected, w) if method == "post-stratified" else other)
    lam = _tuned(one, w) if method == "difference" else float(method == "calibrated")
    gold = alone.answer(0.0, w, pairs)
    value, se, df = one.answer(lam, w, pairs)
    counts = int((w > 0).sum()), int(one.has.sum()), int((one.load != 0).sum())
    return Rectified(value, _never_zero(se), df, lam, *gold, *counts, bounds if against is None else None)


@dataclass(frozen=True, eq=False)
class _Parts:
    """Per topic the influence q + lambda p and its share from gold pairs, a + lambda b; per gold pair its load."""

    q: Floats
    p: Floats
    a: Floats
    b: Floats
    load: Floats
    has: Bools

    @classmethod
    def of(cls, pairs: SampledPairs, c: Floats, expected: Floats, w: Floats, strict: bool = True) -> _Parts:
        used = pairs.sampled & (c != 0) & (w[pairs.topic] > 0)

        def by_topic(rows: Bools, values: Floats) -> Floats:
            return _sums(pairs.topic[rows], values[rows], pairs.topics)

        everything = c != 0
        has = by_topic(used, np.ones(len(c))) > 0
        if not has.any():
            raise TruegainError(
                "none of the pairs that count for this system has a gold label; draw gold labels from what it retrieved"
            )
        if strict:
            _at_least_two_topics(int(has.sum()), float(w[has].sum()))
        drawn = c * pairs.expansion
        gold = np.where(used, pairs.gold, 0.0)
        total, share = by_topic(everything, c), by_topic(used, drawn)
        scale = float((w * total).sum() / (w * share).sum())
        mean_g = float((w * by_topic(used, drawn * gold)).sum() / (w * share).sum())
        mean_m = float((w * by_topic(used, drawn * expected)).sum() / (w * share).sum())
        a = scale * (by_topic(used, drawn * gold) - mean_g * share)
        b = -scale * (by_topic(used, drawn * expected) - mean_m * share)
        p = by_topic(everything, c * expected) - mean_m * total + b
        return cls(mean_g * total + a, p, a, b, np.where(used, scale * drawn, 0.0), has)

    def plus(self, other: _Parts, sign: float = 1.0) -> _Parts:
        return _Parts(
            self.q + sign * other.q,
            self.p + sign * other.p,
            self.a + sign * other.a,
            self.b + sign * other.b,
            self.load + sign * other.load,
            self.has | other.has,
        )

    def minus(self, other: _Parts) -> _Parts:
        return self.plus(other, -1.0)

    def answer(self, lam: float, w: Floats, pairs: SampledPairs) -> tuple[float, float, float]:
        z, from_gold = self.q + lam * self.p, self.a + lam * self.b
        n, g = float(w.sum()), float(w[self.has].sum())
        value = float((w * z).sum() / n)
        between = float((w * (z - value) ** 2).sum() / (n * (n - 1)))
        seen = float((w * from_gold**2).sum() * g / (g - 1) / n**2)
        unseen = np.maximum(0.0, 1 - 1 / pairs.expansion)  # a pair that stands for itself alone leaves nothing open
        least = float((w[pairs.topic] * self.load**2 * unseen * spread_of(pairs, w)[pairs.stratum]).sum() / n**2)
        variance = between + max(0.0, least - seen)
        gold_part = min(max(seen, least), variance)
        if variance == 0:
            return value, 0.0, 1.0
        df = variance**2 / ((variance - gold_part) ** 2 / (n - 1) + gold_part**2 / (g - 1))
        tails = float((w * (z - value) ** 4).sum() / n) / max(float((w * (z - value) ** 2).sum() / n) ** 2, 1e-300)
        df = max(1.0, min(df, n - 1, 2 * n / max(tails - 1, 1e-9)))  # a variance that few topics carry is known badly
        return value, float(np.sqrt(variance)), float(df)


def _by_stratum(pairs: SampledPairs, c: Floats, expected: Floats, w: Floats) -> _Parts:
    """The parts of each stratum, added up; strata with too few of the system's own gold pairs are joined."""
    counts = c != 0
    stratum = np.full(len(c), -1)
    used = (pairs.sampled & (w[pairs.topic] > 0))[counts]
    stratum[counts] = strata_of(pairs.stratum[counts].astype(np.float64), used)
    several = (
        _Parts.of(pairs, np.where(stratum == h, c, 0.0), expected, w, strict=False)
        for h in range(int(stratum.max()) + 1)
    )
    return reduce(_Parts.plus, several)


def _sums(group: Ints, values: Floats, groups: int) -> Floats:
    return np.asarray(np.bincount(group, values, groups), np.float64)


def _tuned(parts: _Parts, w: Floats) -> float:
    n = w.sum()
    p = parts.p - (w * parts.p).sum() / n
    square = float((w * p * p).sum())
    return 0.0 if square <= 1e-15 else float(np.clip(-(w * p * parts.q).sum() / square, 0.0, 1.0))


def spread_of(pairs: SampledPairs, w: Floats) -> Floats:
    """Variance of gold values per stratum, with half a pair added at either end of the scale."""
    mean, square = moments_of(pairs, w)
    return np.maximum(square - mean**2, 0.0)


def moments_of(pairs: SampledPairs, w: Floats) -> tuple[Floats, Floats]:
    """Mean of gold values and of their squares per stratum, with half a pair added at either end of the scale."""
    s = pairs.sampled
    strata = int(pairs.stratum.max(initial=0)) + 1
    copies, g, h = w[pairs.topic[s]], pairs.gold[s], pairs.stratum[s]
    low, high = min(float(g.min()), float(pairs.bronze.min())), max(float(g.max()), float(pairs.bronze.max()))
    n = np.bincount(h, copies, strata) + 1
    mean: Floats = (np.bincount(h, copies * g, strata) + (low + high) / 2) / n
    square: Floats = (np.bincount(h, copies * g * g, strata) + (low**2 + high**2) / 2) / n
    return mean, square
