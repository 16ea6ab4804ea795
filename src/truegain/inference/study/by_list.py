"""Scores linear in gain, set right with the first gold labels of an ordered list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truegain.gains.list_fit import ListFit
from truegain.inference.study.contrasts import BLOCK, NONE, Contrasts
from truegain.inference.study.moves import Moves, Spread
from truegain.sampling.ordered import OrderedDraws
from truegain.tables.columns import Floats, Ints, frozen

TINY = 1e-15


@dataclass(frozen=True, eq=False)
class ByList:
    """Gold labels in the order in which they were drawn, and how likely each was.

    Over gold: with X_t the estimate of a score that the t-th label gives, E their mean and a_t what each counts,
    s2 = sum a (X - E)^2/(n - 1), no less than what the spread of gold values within bronze labels makes of it, and
    V = s2/sum a.  Over topics: the variance of what topics bring, no less than that.
    """

    fit: ListFit
    draws: OrderedDraws
    sizes: Floats  # of every pair of the pool; 0 where it was never to be drawn
    topics: tuple[str, ...]
    names: tuple[str, ...]  # of the gold pairs

    @property
    def value(self) -> Floats:
        """The score of each system."""
        return self.fit.scores

    def by_topic(self) -> Moves:
        """What each topic brings, about the mean."""
        z, n = self.fit.by_topic, len(self.topics)
        return Moves("topics", self.topics, (z - z.mean(axis=0)) / np.sqrt(n * (n - 1)), n - 1.0)

    def by_gold(self) -> Moves:
        """The estimates that each gold label gives, about their mean."""
        n = self.draws.n
        if self.draws.whole:
            return Moves("gold", self.names, np.zeros(self.fit.pull.shape), max(1.0, n - 1.0))
        x = self.draws.estimates(self.fit.pull) / len(self.topics)
        about = x - self.draws.share @ x
        weight = np.sqrt(self.draws.share / max(1, n - 1))
        return Moves("gold", self.names, weight[:, None] * about, max(1.0, n - 1.0))

    def over_gold(self, asked: Contrasts) -> Spread:
        """The larger of what the estimates show and what gold values within bronze labels make of so few."""
        df = np.maximum(self.touching(asked) - 1.0, 1.0)
        if self.draws.whole:
            return Spread(np.zeros(len(asked)), df)
        return Spread(np.maximum(asked.squares(self.by_gold().matrix), self._least(asked)), df)

    def over_topics(self, asked: Contrasts) -> Spread:
        """What topics bring, and no less than over gold."""
        found = self.by_topic().spread(asked)
        return Spread(np.maximum(found.variance, self.over_gold(asked).variance), found.df)

    def touching(self, asked: Contrasts) -> Ints:
        """Gold labels that move each contrast."""
        load = self.fit.coefficient[:, self.fit.item].T
        out = np.empty(len(asked), np.int64)
        for first in range(0, len(asked), BLOCK):
            some = Contrasts(asked.a[first : first + BLOCK], asked.b[first : first + BLOCK])
            out[first : first + BLOCK] = (np.abs(some.values(load)) > TINY).sum(axis=0)
        return out

    def contributions(self) -> Floats:
        """What each topic brings."""
        return self.fit.by_topic

    def _least(self, asked: Contrasts) -> Floats:
        """S_1 times the sum over all pairs of w^2 v/size, over sum a."""
        return spread_of(self._squares, asked) / self.draws.information

    @cached_property
    def _squares(self) -> Floats:
        """System x system: S_1 times the sum over listed pairs of w w' v/size."""
        listed = self.sizes > 0
        c = self.fit.coefficient[:, listed] / len(self.topics)
        return frozen(self.sizes.sum() * (c * (self.fit.variance[listed] / self.sizes[listed])) @ c.T)


def spread_of(squares: Floats, asked: Contrasts) -> Floats:
    """The variance of each contrast, from those of scores and their products."""
    own = np.diag(squares)
    first = np.maximum(asked.a, 0)
    pair = own[asked.b] + own[first] - 2 * squares[first, asked.b]
    return np.asarray(np.maximum(np.where(asked.a == NONE, own[asked.b], pair), 0.0))
