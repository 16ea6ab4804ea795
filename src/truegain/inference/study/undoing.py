"""How few unjudged documents can take a difference away, were they relevant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.tables.columns import Floats, Ints

ROUNDING = 1e-12  # of a sum of moves


@dataclass(frozen=True, eq=False)
class OverTopics:
    """A mean over topics like these: its parts by topic, its variance, and standard errors from it to its limit."""

    parts: Floats
    variance: float
    quantile: float

    def wider(self, square: Floats, total: Floats) -> Floats:
        """How much further out the limit lies for other parts, given their sums of squares and their sums.

        q (sqrt(V + more) - sqrt(V)),  more = T/(T - 1) (change of sum of x^2 - (sum of x)^2/T), at least 0
        """
        topics = len(self.parts)
        before = float(self.parts @ self.parts) - float(self.parts.sum()) ** 2 / topics
        more = np.maximum(square - total**2 / topics - before, 0.0) * topics / max(topics - 1, 1)
        return np.asarray(self.quantile * (np.sqrt(self.variance + more) - np.sqrt(self.variance)))


def fewest(far: Floats, margin: float) -> int | None:
    """How many of these numbers, the largest first, make up a margin; None where all do not.

    >>> fewest(np.array([0.01, 0.03, 0.01]), 0.035)
    2
    """
    taken = np.cumsum(np.sort(far)[::-1])
    reached = np.flatnonzero(taken >= margin - ROUNDING)
    return int(reached[0]) + 1 if len(reached) else None


def few_enough(far: Floats, topic: Ints, margin: float, over: OverTopics) -> int | None:
    """How many, each taking `far` from the mean in its topic, can lower its limit by a margin; None: not seen.

    Falls on few topics also make the mean less sure, so the largest need not be the fewest: the next one is that
    which moves the limit most.  There may be fewer that do it, so that this many *can*, and no more is said.

    >>> flat = OverTopics(np.full(10, 0.01), 0.0001, 2.26)
    >>> few_enough(np.full(20, 0.005), np.repeat(np.arange(10), 2), 0.05, flat), fewest(np.full(20, 0.005), 0.05)
    (7, 10)
    """
    own = [np.sort(far[topic == t])[::-1] for t in range(len(over.parts))]
    taken = np.zeros(len(own), np.int64)
    ahead = np.array([x[0] if len(x) else 0.0 for x in own])
    parts, square, gone = over.parts.copy(), float(over.parts @ over.parts), 0.0
    total = float(parts.sum())
    for k in range(1, len(far) + 1):
        limit = gone + ahead + over.wider(square - 2 * parts * ahead + ahead**2, total - gone - ahead)
        t = int(np.argmax(np.where(ahead > 0, limit, -np.inf)))
        if ahead[t] <= 0:
            return None
        if limit[t] >= margin - ROUNDING:
            return min(k, fewest(far, margin) or k)
        square += ahead[t] ** 2 - 2 * parts[t] * ahead[t]
        parts[t] -= ahead[t]
        gone += ahead[t]
        taken[t] += 1
        ahead[t] = own[t][taken[t]] if taken[t] < len(own[t]) else 0.0
    return None
