"""Scores of all systems set right with the first gold labels of an ordered list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truegain.tables.columns import Floats, Ints, frozen

HALF = 0.5  # of a label, added at each end of the scale where a spread is estimated


@dataclass(frozen=True, eq=False)
class ListFit:
    """Gold values of listed pairs, what each stands for, and what every pair of the pool counts.

    With k what a gold pair stands for, e = k/mean k, c its bronze label, and sums over gold of OTHER topics,

        m = (sum of e g at label c + gbar)/(sum of e at c + 1) ;  gbar = (sum of e g + (low + high)/2)/(sum of e + 1)
        score = (sum over all pairs of w m + sum over gold of k w (g - m))/topics

    A gold value of NaN, where people could not judge a pair, is taken to be m; what it could be instead, `ByList.ends`
    tells.

    Raj 1956, JASA 51(274); Angelopoulos et al. 2023, Science 382 (prediction-powered inference).

    >>> fit = ListFit(np.array([0, 0, 1, 1]), np.array([1, 0, 1, 0]), 2, np.full((1, 4), 0.5), np.array([0, 3]),
    ...               np.array([1.0, 0.0]), np.array([2.0, 2.0]), (0.0, 1.0))
    >>> fit.scores.round(3).tolist()
    [0.5]
    """

    topic: Ints  # of each pair of the pool
    stratum: Ints  # of each pair: its bronze label, by number
    topics: int
    coefficient: Floats  # system x pair
    item: Ints  # of each gold pair
    gold: Floats
    expansion: Floats  # how many pairs each gold pair stands for
    scale: tuple[float, float]  # the least and the most that a label is worth

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """Topic x label: e, and e g, over gold."""
        strata = int(self.stratum.max(initial=0)) + 1
        cell = self.topic[self.item] * strata + self.stratum[self.item]
        e, g = self._known
        size = self.topics * strata
        return tuple(np.bincount(cell, x, size).reshape(self.topics, strata) for x in (e, e * g))  # type: ignore[return-value]

    @cached_property
    def _known(self) -> tuple[Floats, Floats]:
        """What each gold pair counts, and its value: none where there is no value."""
        there = ~np.isnan(self.gold)
        return np.where(there, self.expansion / self.expansion.mean(), 0.0), np.where(there, self.gold, 0.0)

    @cached_property
    def expected(self) -> Floats:
        """What gold of other topics makes of the bronze label of every pair: m."""
        count, total = (x.sum(axis=0) - x for x in self._sums)
        middle = sum(self.scale) / 2
        overall = (total.sum(axis=1) + middle) / (count.sum(axis=1) + 1)
        m = (total + overall[:, None]) / (count + 1)
        return frozen(m[self.topic, self.stratum])

    @cached_property
    def pull(self) -> Floats:
        """Gold pair x system: w (g - m)."""
        error = np.nan_to_num(self.gold - self.expected[self.item])
        return frozen((self.coefficient[:, self.item] * error).T)

    @cached_property
    def by_topic(self) -> Floats:
        """Topic x system: what each topic brings to the scores, whose mean it is."""
        out = np.zeros((self.topics, len(self.coefficient)))
        np.add.at(out, self.topic[self.item], self.pull * self.expansion[:, None])
        for s, row in enumerate(self.coefficient * self.expected):
            out[:, s] += np.bincount(self.topic, row, self.topics)
        return frozen(out)

    @property
    def scores(self) -> Floats:
        """Of each system."""
        return np.asarray(self.by_topic.mean(axis=0))

    @cached_property
    def variance(self) -> Floats:
        """Of the gold values at the bronze label of each pair, half a label added at each end of the scale."""
        e, g = self._known
        at = self.stratum[self.item]
        n = int(self.stratum.max(initial=0)) + 1
        low, high = self.scale
        count = np.bincount(at, e, n) + 2 * HALF
        first = (np.bincount(at, e * g, n) + HALF * (low + high)) / count
        second = (np.bincount(at, e * g**2, n) + HALF * (low**2 + high**2)) / count
        return frozen((second - first**2)[self.stratum])
