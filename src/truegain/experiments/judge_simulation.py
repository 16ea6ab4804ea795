"""A judge that errs, simulated: what the naive and the corrected precision say, again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truegain.errors import TruegainError
from truegain.sampling.streams import generator
from truegain.student import quantile_of
from truegain.tables.columns import Floats, frozen


@dataclass(frozen=True, eq=False)
class JudgeSimulation:
    """Naive and corrected P@k of many simulated studies, with their standard errors, and the truth."""

    truth: float
    naive: Floats
    naive_se: Floats
    corrected: Floats
    corrected_se: Floats

    def coverage(self, confidence: float = 0.95) -> tuple[float, float]:
        """How often value +- z se holds the truth: naive, corrected."""
        z = quantile_of(confidence)
        naive = np.abs(self.naive - self.truth) <= z * self.naive_se
        corrected = np.abs(self.corrected - self.truth) <= z * self.corrected_se
        return float(naive.mean()), float(corrected.mean())


def simulate_judge(
    relevance: Sequence[float],
    *,
    m_r: float,
    m_n: float,
    n: int,
    gold: tuple[int, int],
    trials: int = 10_000,
    seed: int = 0,
) -> JudgeSimulation:
    """Algorithm 2: n topics, lists of len(relevance) documents, each relevant with the probability of its rank.

    The bronze judge errs at rates 1 - mR and 1 - mN; gold = (nR, nN) pairs measure it; the corrected value is
    eq. 15, its variance eq. 7, and a draw whose D* is not above 0 counts as an error.

    Goldberg et al. 2018, ACM TOIS 36(4), algorithm 2 and section 6.

    >>> ranks = [0.49 - 0.02 * s for s in range(10)]
    >>> world = simulate_judge(ranks, m_r=0.9, m_n=0.8, n=50, gold=(250, 250), trials=500)
    >>> [c > 0.9 for c in world.coverage()]  # of the bronze mean, and of the corrected one
    [False, True]
    """
    rng = generator(seed, "simulated judge")
    p, k = np.asarray(relevance, np.float64), len(relevance)
    if not k or n < 2 or min(gold) < 1 or not ((p >= 0) & (p <= 1)).all():
        raise TruegainError("give probabilities of relevance, at least two topics and a gold pair of each kind")
    naive, naive_se = np.empty(trials), np.empty(trials)
    step = max(1, 4_000_000 // (n * k))
    for start in range(0, trials, step):
        some = slice(start, min(start + step, trials))
        size = (some.stop - some.start, n, k)
        is_relevant = rng.random(size) < p
        says_so = rng.random(size) < np.where(is_relevant, m_r, 1 - m_n)
        precision = says_so.mean(axis=2)
        naive[some], naive_se[some] = precision.mean(axis=1), precision.std(axis=1, ddof=1) / np.sqrt(n)
    rate_r = rng.binomial(gold[0], m_r, trials) / gold[0]
    rate_n = rng.binomial(gold[1], m_n, trials) / gold[1]
    d = rate_r + rate_n - 1
    if (d <= 0).any():
        raise TruegainError(f"{int((d <= 0).sum())} of {trials} simulated judges have D <= 0; give more gold pairs")
    value = (naive - 1 + rate_n) / d
    v_r, v_n = rate_r * (1 - rate_r) / gold[0], rate_n * (1 - rate_n) / gold[1]
    spread = naive_se**2 + value**2 * v_r + (1 - value) ** 2 * v_n
    return JudgeSimulation(float(p.mean()), frozen(naive), frozen(naive_se), frozen(value), frozen(np.sqrt(spread) / d))
