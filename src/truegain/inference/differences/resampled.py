"""Tests of two systems by resampling topics: paired randomisation and Sakai's paired bootstrap, for many pairs at once.

All pairs see the same signs or the same topics in a replicate: one matrix product does the work of all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from truegain.engine import Local
from truegain.errors import TruegainError
from truegain.inference.differences.paired import Outcome, differences, spread_of
from truegain.tables.columns import Floats

TOLERANCE = 1e-12  # means are summed in another order: equal ones may differ in the last bits
CELLS = 2_000_000  # replicates times pairs held at a time
BLOCK = 500  # replicates that share a seed; the answer depends on it, not on the number of workers


def randomisation(
    first: npt.ArrayLike,
    second: npt.ArrayLike | None = None,
    *,
    trials: int = 10_000,
    seed: int = 0,
    plus_one: bool = False,
    jobs: int | None = None,
) -> Outcome:
    """Fisher's paired randomisation test: how far apart would the systems be had their names been swapped on any topic.

    p = share of replicates with |mean(s z)| >= |mean(z)| over random signs s (tolerance 1e-12); all 2^n signs are
    counted instead where that is no more than `trials`.  `plus_one` gives (count + 1)/(trials + 1), which is never 0,
    and is not used where all signs are counted.  The statistic is the mean difference.

    Fisher 1935, The Design of Experiments; Smucker, Allan and Carterette 2007, CIKM.

    >>> print(randomisation([0.3, 0.1, 0.55, 0.25], [0.51, 0.12, 0.72, 0.41]))
    +0.1400 p = 0.1250 (randomisation, n = 4)
    """
    z = differences(first, second, least=1)
    p = randomisation_p(z[None, :], trials=trials, seed=seed, plus_one=plus_one, jobs=jobs)
    how = ("all signs counted",) if is_exact(len(z), trials) else ()
    return Outcome("randomisation", float(z.mean()), float(z.mean()), float(p[0]), len(z), notes=how)


def bootstrap(
    first: npt.ArrayLike,
    second: npt.ArrayLike | None = None,
    *,
    trials: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    jobs: int | None = None,
) -> Outcome:
    """Sakai's paired bootstrap test: the t statistic against its distribution over resampled topics.

    t = mean(z)/(sd(z)/sqrt n); topics of w = z - mean(z) are drawn with replacement, t*_b is their t;
    p = share of |t*_b| >= |t|.  The interval is mean(z) +- c sd(z)/sqrt n, c the `confidence` quantile of |t*|.
    A replicate that drew one topic n times has no spread: its |t*| counts as infinite.

    Sakai 2006, SIGIR; Efron and Tibshirani 1993, section 16.4.

    >>> z = [0.1, -0.02, 0.05, 0.05, 0, 0.12, -0.04, 0.07, 0.03, 0.09]
    >>> bootstrap(z, seed=1).p < 0.05
    True
    """
    z = differences(first, second)
    found = bootstrap_p(z[None, :], trials=trials, seed=seed, confidence=confidence, jobs=jobs)
    mean, t = float(z.mean()), float(found.t[0])
    error = 0.0 if not z.any() else float(z.std(ddof=1)) / math.sqrt(len(z))
    margin = float(found.critical[0]) * error
    return Outcome("bootstrap", mean, t, float(found.p[0]), len(z), mean - margin, mean + margin)


@dataclass(frozen=True, eq=False)
class Bootstrapped:
    """For each pair: t, p, the quantile of |t*|, and the |mean| of the replicate that has it (Sakai's delta)."""

    t: Floats
    p: Floats
    critical: Floats
    delta: Floats


def randomisation_p(
    z: Floats, *, trials: int = 10_000, seed: int = 0, plus_one: bool = False, jobs: int | None = None
) -> Floats:
    """P-values of the randomisation test for rows of differences, pairs by topics, none missing.

    >>> randomisation_p(np.array([[0.12, 0.05, 0.05, -0.05], [0.21, 0.02, 0.17, 0.16]])).tolist()
    [0.5, 0.125]
    """
    check_trials(trials)
    n = z.shape[1]
    far = np.abs(z.sum(axis=1)) - n * TOLERANCE
    if is_exact(n, trials):  # by symmetry the first sign may stay
        blocks: Iterator[Floats] = _all_signs(n)
        counted = sum(((np.abs(s @ z.T) >= far).sum(axis=0) for s in blocks), np.zeros(len(z), np.int64))
        return np.asarray(counted / 2 ** (n - 1))
    step = max(1, CELLS // BLOCK)
    counts = np.zeros(len(z), np.int64)
    for start in range(0, len(z), step):  # the same seed for every stretch of pairs: the same signs for all
        part = z[start : start + step], far[start : start + step]
        work = Local(jobs).run(_count_signs, _blocks(trials), shared=part, seed=seed, name=_named)
        for counted in work:
            counts[start : start + step] += counted
    return np.asarray((counts + 1) / (trials + 1) if plus_one else counts / trials)


def bootstrap_p(
    z: Floats, *, trials: int = 10_000, seed: int = 0, confidence: float = 0.95, jobs: int | None = None
) -> Bootstrapped:
    """Sakai's paired bootstrap for rows of differences, pairs by topics, none missing.

    >>> found = bootstrap_p(np.array([[0.0, 0.0, 0.0], [0.1, 0.2, -0.1]]), trials=100)
    >>> float(found.p[0])
    1.0
    """
    check_trials(trials)
    n = z.shape[1]
    moving = z.any(axis=1)
    error = np.array([spread_of(row, "the t statistic") for row in z[moving]]) / math.sqrt(n)
    mean = z[moving].mean(axis=1)
    t, p, critical, delta = np.zeros(len(z)), np.ones(len(z)), np.zeros(len(z)), np.zeros(len(z))
    t[moving] = mean / error
    places = np.flatnonzero(moving)
    step = max(1, CELLS // trials)
    nth = math.ceil(round(trials * (1 - confidence), 9))
    for start in range(0, len(places), step):
        here = places[start : start + step]
        w = z[here] - z[here].mean(axis=1, keepdims=True)
        pieces = list(Local(jobs).run(_bootstrap_t, _blocks(trials), shared=w, seed=seed, name=_named))
        stars, means = np.concatenate([s for s, _ in pieces]), np.concatenate([m for _, m in pieces])
        p[here] = (stars >= np.abs(t[here]) * (1 - TOLERANCE)).mean(axis=0)
        holder = np.argpartition(stars, trials - nth, axis=0)[trials - nth]
        critical[here] = np.take_along_axis(stars, holder[None, :], axis=0)[0]
        delta[here] = np.take_along_axis(means, holder[None, :], axis=0)[0]
    return Bootstrapped(t, p, critical, delta)


def is_exact(n: int, trials: int) -> bool:
    """Whether all signs of n topics are counted rather than drawn."""
    return n < 63 and 2**n <= trials


def check_trials(trials: int) -> None:
    """Refuse a number of trials that cannot give a p-value."""
    if trials < 1:
        raise TruegainError(f"{trials} trials give no p-value; give at least 1, better 10000")


def _blocks(trials: int) -> list[tuple[int, int]]:
    return [(start, min(start + BLOCK, trials)) for start in range(0, trials, BLOCK)]


def _named(block: tuple[int, int]) -> str:
    return f"replicates {block[0] + 1} to {block[1]}"


def _all_signs(n: int) -> Iterator[Floats]:
    """All signs of n topics with the first held at +, in blocks."""
    total = 2 ** (n - 1)
    for start in range(0, total, BLOCK):
        bits = np.arange(start, min(start + BLOCK, total))[:, None] >> np.arange(n)[None, ::-1]
        yield np.asarray(1.0 - 2.0 * (bits & 1), dtype=np.float64)


def _count_signs(
    shared: tuple[Floats, Floats], block: tuple[int, int], seed: np.random.SeedSequence
) -> npt.NDArray[np.int64]:
    z, far = shared
    bits = np.random.default_rng(seed).integers(0, 2, size=(block[1] - block[0], z.shape[1]), dtype=np.int8)
    counted: npt.NDArray[np.int64] = (np.abs((1.0 - 2.0 * bits) @ z.T) >= far).sum(axis=0)
    return counted


def _bootstrap_t(w: Floats, block: tuple[int, int], seed: np.random.SeedSequence) -> tuple[Floats, Floats]:
    """|t*| and |mean*| of each replicate and pair."""
    n, size = w.shape[1], block[1] - block[0]
    drawn = np.random.default_rng(seed).integers(0, n, size=(size, n))
    flat = drawn + n * np.arange(size)[:, None]
    copies = np.bincount(flat.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)
    mean, square = copies @ w.T / n, copies @ (w**2).T / n
    variance = square - mean**2
    flat_ones = variance <= TOLERANCE * square
    error = np.sqrt(np.where(flat_ones, 1.0, variance) / (n - 1))
    stars = np.where(flat_ones, np.where(square > 0, np.inf, 0.0), np.abs(mean) / error)
    return stars, np.abs(mean)
