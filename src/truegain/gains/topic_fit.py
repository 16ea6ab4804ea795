"""Scores of all systems rectified by whole gold topics, prepared once and refitted for many rows of topic weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.gains.rectify import LEAST_TO_TUNE, TINY
from truegain.tables.columns import Bools, Floats


@dataclass(frozen=True, eq=False)
class TopicFit:
    """`rectify_topics` of every system: value = mean(y) + lambda k (mean f of the others - mean f of the gold topics).

    bronze, gold: system x topic, gold NaN where the topic has none, both where the system lacks the topic; helps:
    whether bronze scores count at all.

    >>> bronze = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]])
    >>> gold = np.array([[0.2, 0.1, 0.3, np.nan, 0.55, 0.6, np.nan, 0.9]])
    >>> TopicFit(bronze, gold, True).values(np.ones((1, 8))).round(3).tolist()
    [[0.475]]
    """

    bronze: Floats
    gold: Floats
    helps: bool

    def values(self, weights: Floats) -> Floats:
        """The score of every system for every row of topic weights; NaN where it has no gold topic left."""
        columns = [_values(f, y, weights, self.helps) for f, y in zip(self.bronze, self.gold, strict=True)]
        return np.stack(columns, axis=1)


def _values(bronze: Floats, gold: Floats, weights: Floats, helps: bool) -> Floats:
    """One system, a number a row; lambda is 0, 1, or from 20 gold topics on the slope of gold on bronze."""
    there = ~np.isnan(bronze)
    has = there & ~np.isnan(gold)
    w, v = weights * has, weights * (there & ~has)
    y, f = np.where(has, gold, 0.0), np.where(there, bronze, 0.0)
    n, u = w.sum(axis=1), v.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_y, mean_f = w @ y / n, w @ f / n
        gap = np.where(u > 0, v @ f / u, mean_f) - mean_f
        lam = _slopes(y - mean_y[:, None], f - mean_f[:, None], w, n, has) if helps else 0.0
        return np.asarray(mean_y + lam * u / (n + u) * gap)


def _slopes(y: Floats, f: Floats, w: Floats, n: Floats, has: Bools) -> Floats:
    """Of gold on bronze, both about their means; 1 where gold topics are few, or one of them makes the slope."""
    if has.sum() < LEAST_TO_TUNE:
        return np.ones(len(w))
    square, product = (w * f * f).sum(axis=1), (w * f * y).sum(axis=1)
    least = square - np.where(w > 0, f * f, 0.0).max(axis=1) * n / (n - 1)
    return np.where(least > TINY, product / square, 1.0)
