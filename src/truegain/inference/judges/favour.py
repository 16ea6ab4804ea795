"""How much a judge favours a system: what its errors add to one score more than to the others."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from truegain.errors import TruegainError
from truegain.gains.graded import corrected_mean
from truegain.gains.panel import Judges
from truegain.inference.judges.lists import JudgedLists
from truegain.sampling.designs import SAME_POPULATION
from truegain.student import p_of, quantile_of
from truegain.tables.columns import Floats, Ints

ALPHA = 0.05


@dataclass(frozen=True)
class Favour:
    """What the judge's errors add to a system's score more than to the others', for documents of the same gold label.

    None where this system has no gold pair of a label, or no error is seen.
    """

    system: str
    value: float | None = None
    se: float | None = None
    df: float = math.inf

    def p(self, tests: int = 1) -> float | None:
        """That there is none, by t over topics; adjusted for so many tests by Bonferroni."""
        if self.value is None or self.se is None:
            return None
        return min(1.0, tests * p_of(self.value / self.se, self.df))

    def interval(self, tests: int = 1) -> tuple[float, float] | None:
        """The 95% interval; for so many tests together, by Bonferroni."""
        if self.value is None or self.se is None:
            return None
        half = quantile_of(1 - ALPHA / tests, self.df) * self.se
        return self.value - half, self.value + half

    @property
    def low(self) -> float | None:
        """Lower limit at 95%."""
        return (self.interval() or (None, None))[0]

    @property
    def high(self) -> float | None:
        """Upper limit at 95%."""
        return (self.interval() or (None, None))[1]


def favours(lists: JudgedLists) -> tuple[Favour, ...]:
    """How much more the judge's errors add to each system's score than to the mean of the others.

    With e the worth of a gold pair's bronze label less that of its gold label, and E_sg the mean of e over the pairs of
    gold label g in the lists of s, each counting what its rank does: favour of s = W sum over g of P_g (E_sg - mean
    over the others of E_og), where P_g is the share of gold label g in all lists and W what a whole list counts.  The
    variance is that of the pairs' moves summed by topic, no less than that of independent pairs; P is taken as known.
    """
    assert lists.judge_and_pairs is not None
    (judge, pairs), weights = lists.judge_and_pairs, lists.weights
    names = lists.ranked.systems
    gold, bronze = judge.codes(weights.classes, binary=lists.binary)
    load = np.stack([lists.pair_counts([s]) * pairs.weight for s in range(len(names))])
    behind = _behind(lists, load.sum(axis=0), gold)
    used: list[int] = [] if behind is None else np.flatnonzero(behind).tolist()
    measured = np.array([all(row[gold == g].any() for g in used) for row in load])
    if behind is None or measured.sum() < 2:
        return tuple(Favour(name) for name in names)
    error = weights.value[bronze] - weights.value[gold]
    k = int(measured.sum())
    value, moves = np.zeros(k), np.zeros((k, len(error)))
    for g in used:
        mine = load[measured] * (gold == g)
        total = mine.sum(axis=1)
        mean = mine @ error / total
        value += behind[g] * mean
        moves += behind[g] * mine * (error - mean[:, None]) / total[:, None]
    own, pull = k / (k - 1) * (value - value.mean()), k / (k - 1) * (moves - moves.mean(axis=0))
    found = iter(_favour("", float(v), m, pairs.topic) for v, m in zip(own, pull, strict=True))
    return tuple(replace(next(found), system=n) if x else Favour(n) for n, x in zip(names, measured, strict=True))


def _favour(system: str, value: float, moves: Floats, topic: Ints) -> Favour:
    by_topic, used = np.bincount(topic, moves), np.bincount(topic, np.abs(moves))
    if np.count_nonzero(used) < 2:
        return Favour(system)
    m = float(used.sum() ** 2 / (used @ used))  # topics, as many as an even share of the moves would take
    if m < 2:  # it rests on one topic, whose spread nobody saw
        return Favour(system)
    variance = max(float(by_topic @ by_topic) * m / (m - 1), float(moves @ moves))
    return Favour(system, value, math.sqrt(variance), m - 1)


def _behind(lists: JudgedLists, load: Floats, gold: Ints) -> Floats | None:
    """How much each gold label counts in a list, on average over the systems; None where it cannot be told.

    The share of the gold pairs, where they are a sample of the same population, else what the matrix says.
    """
    weights = lists.weights
    whole = np.nanmean(weights.weight, axis=(0, 1))
    if lists.judges.design in SAME_POPULATION:
        share = np.bincount(gold, load, len(weights.classes)).astype(np.float64)
    else:
        assert lists.judge_and_pairs is not None
        try:
            judges = Judges.of(lists.judge_and_pairs[0].reweighted(lists.pair_counts()))
            matrix = judges.matrices(lists.ranked.topics, binary=lists.binary)[0]
        except TruegainError:
            return None
        share = np.clip(corrected_mean(matrix.confusion, whole, weights.value).shares, 0.0, None)
    return np.asarray(share / share.sum() * whole.sum()) if share.any() else None
