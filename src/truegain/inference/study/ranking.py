"""Many systems at once: which may be best, tiers, ranks, all with one error for the whole family."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.inference.study.contrasts import Contrasts
from truegain.inference.study.moves import Spread
from truegain.sampling.streams import stream_key
from truegain.tables.columns import Bools, Floats, Ints

DRAWS = 20_000
BLOCK = 2_000_000  # numbers held at a time


def simultaneous_quantile(covariance: Floats, spread: Spread, asked: Contrasts, confidence: float, seed: int) -> float:
    """How many standard errors to either side hold all contrasts at once: a quantile of the largest |t|.

    Scores are drawn normal with the covariance of the study, divided by a chi of the median degrees of freedom
    (Dunnett and Sobel 1954, Biometrika 41; multivariate t), so systems that go together count together; no more than
    Sidak's. Contrasts that do not move are left out.
    """
    moving = spread.variance > 0
    if not moving.any():
        return 0.0
    rng = np.random.default_rng(stream_key(seed, "largest t", ""))
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    df = float(np.median(spread.df[moving]))
    at = np.flatnonzero(moving)
    se = np.sqrt(spread.variance[at])
    some = Contrasts(asked.a[at], asked.b[at])
    largest, rows = np.zeros(DRAWS), max(1, BLOCK // max(len(at), 1))
    for first in range(0, DRAWS, rows):
        count = min(rows, DRAWS - first)
        drawn = rng.normal(size=(count, len(root))) @ root.T
        largest[first : first + count] = (np.abs(some.values(drawn)) / se).max(axis=1)
    scale = np.sqrt(rng.chisquare(df, DRAWS) / df) if np.isfinite(df) else np.ones(DRAWS)
    return float(np.quantile(largest / scale, confidence))


@dataclass(frozen=True, eq=False)
class Ranking:
    """Systems, best first: how many are surely better and surely worse than each, tiers, and who may be best."""

    systems: tuple[str, ...]
    value: Floats
    low: Floats  # of simultaneous intervals of the scores' differences: rank limits
    high: Floats
    tier: Ints
    best: tuple[str, ...]

    @classmethod
    def of(cls, systems: tuple[str, ...], value: Floats, ahead: Bools) -> Ranking:
        """ahead[i, j]: whether system i is surely better than j, all pairs held at once.

        A system's rank lies between 1 + the number surely better and n - the number surely worse (Al Mohamad, Goeman
        and van Zwet 2022, Biometrika 109(1)); the first tier are those that none is surely better than, the second
        those of the rest that none of the rest is, and so on.

        >>> ahead = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0]], bool)
        >>> r = Ranking.of(("a", "b", "c"), np.array([0.1, 0.5, 0.45]), ahead)
        >>> r.best, r.tier.tolist(), r.low.tolist(), r.high.tolist()
        (('b', 'c'), [1, 1, 2], [1, 1, 3], [2, 2, 3])
        """
        n = len(systems)
        order = np.argsort(-value, kind="stable")
        ahead = ahead[np.ix_(order, order)]
        tier, left, number = np.zeros(n, np.int64), np.ones(n, np.bool_), 0
        while left.any():
            number += 1
            top = left & ~(ahead & left[:, None]).any(axis=0)
            top = top if top.any() else left
            tier[top], left = number, left & ~top
        names = tuple(systems[i] for i in order)
        low, high = 1 + ahead.sum(axis=0), n - ahead.sum(axis=1)
        return cls(names, value[order], low, high, tier, tuple(s for s, t in zip(names, tier, strict=True) if t == 1))
