"""What every system of the simulated world would score over all topics like those simulated: known, not estimated."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from truegain.experiments.world import DIFFICULTY, LEVEL, THRESHOLDS, skills
from truegain.tables.columns import Floats

CUTOFF = 10
GRID = np.arange(-4.0, 10.0, 0.01)  # what a system believes of a document, in standard deviations


class TrueScore(NamedTuple):
    """The score of a system over all topics."""

    system: str
    measure: str
    value: float


def true_scores(*, systems: int = 8, docs: int = 400) -> list[TrueScore]:
    """P@10 and DCG@10 of every system of `simulate`, over all topics that it could draw and for any seed.

    Within a topic what a system of skill s believes of its n documents is normal with variance 1, so its document at
    rank r is the r-th largest w of n normal values, and the quality of that document is normal around s w, with the
    variance 1 - s^2 of its noise and that of topics beside it:

        P(label >= k at rank r) = E[Phi((s w_r + level - threshold_k) / sqrt(1 - s^2 + difficulty^2))]

    P@10 is the mean over r = 1..10 of P(label >= 1), DCG@10 the sum of E[label] / log2(r + 1), E[label] being the sum
    of P(label >= k) over k.  The expectation over w_r is summed over a grid, which for such an integrand is exact to
    rounding; that beliefs are rounded to four decimals, and so may tie, is left out.
    David and Nagaraja 2003, Order Statistics.

    >>> [(system, round(value, 4)) for system, measure, value in true_scores(systems=2) if measure == "P@10"]
    [('system-1', 0.4354), ('system-2', 0.8075)]
    """
    density = _densities(docs)
    discount = 1 / np.log2(np.arange(2, CUTOFF + 2))
    found = []
    for number, skill in enumerate(skills(systems).tolist(), 1):
        spread = math.sqrt(1 - skill**2 + DIFFICULTY**2)
        reaches = [density @ _normal((skill * GRID + LEVEL - at) / spread) for at in THRESHOLDS]
        scores = {"P@10": float(reaches[0].mean()), "DCG@10": float(sum(reaches) @ discount)}
        found += [TrueScore(f"system-{number}", measure, value) for measure, value in scores.items()]
    return found


def _densities(docs: int) -> Floats:
    """For each of the first ranks how likely each value of the grid is, of so many normal values; rows add up to 1."""
    if docs < CUTOFF:
        raise ValueError(f"{docs} documents have no first {CUTOFF}")
    below, above = np.log(_normal(GRID)), np.log(_normal(-GRID))
    rank = np.arange(1, CUTOFF + 1)[:, None]
    log = (rank - 1) * above + (docs - rank) * below - GRID**2 / 2
    weight = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=1, keepdims=True), np.float64)


def _normal(x: Floats) -> Floats:
    """The normal distribution function, right in both tails."""
    return np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x.tolist()])
