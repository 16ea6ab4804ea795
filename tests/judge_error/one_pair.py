"""Tests of one pair of systems and their effect sizes, one pair at a time: oracles for the tests of many pairs.

`test_paired.py` holds them against scipy, published numbers and enumeration, `test_many_pairs.py` the rows of
`truegain.stats.significance.pairs` against them.  Nothing may be missing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.stats.multiple_testing import Counting, Trials
from truegain.stats.significance.pairs import bootstrap_p, is_exact, randomization_p

ZeroMethod = Literal["wilcox", "pratt", "zsplit"]
SMALLEST_SPREAD = 1e-12  # of the largest value: anything below is rounding
AUTO_EXACT = 50  # differences up to which Wilcoxon's test counts all signs unasked


@dataclass(frozen=True)
class Outcome:
    """What a two-sided test found: the difference second - first, the statistic, its p, and limits of the mean."""

    difference: float
    statistic: float
    p: float
    n: int
    low: float | None = None
    high: float | None = None
    df: float | None = None
    notes: tuple[str, ...] = ()


def differences(first: npt.ArrayLike, second: npt.ArrayLike | None = None) -> Floats:
    """Differences second - first; `first` alone is taken as differences."""
    a: Floats = np.asarray(first, dtype=np.float64)
    return a if second is None else np.asarray(second, dtype=np.float64) - a


def paired_t(first: npt.ArrayLike, second: npt.ArrayLike | None = None, *, confidence: float = 0.95) -> Outcome:
    """Student's paired t test: t = mean(z) / (sd(z)/sqrt n) with n - 1 degrees of freedom; Student 1908."""
    z = differences(first, second)
    n, mean = len(z), float(z.mean())
    if not z.any():
        return Outcome(0.0, 0.0, 1.0, n, 0.0, 0.0, n - 1)
    error = spread_of(z) / math.sqrt(n)
    return _student(mean, error, n, n - 1, confidence)


def welch(first: npt.ArrayLike, second: npt.ArrayLike, *, confidence: float = 0.95) -> Outcome:
    """Welch's t test of two independent samples of any sizes: t = (mean2 - mean1)/sqrt(v1 + v2), v = s^2/n; 1947."""
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    n = min(len(a), len(b))
    va, vb = float(a.var(ddof=1)) / len(a), float(b.var(ddof=1)) / len(b)
    mean = float(b.mean() - a.mean())
    largest = float(max(np.abs(a).max(), np.abs(b).max()))
    if math.sqrt(va + vb) <= SMALLEST_SPREAD * largest:
        if abs(mean) <= SMALLEST_SPREAD * largest:
            return Outcome(0.0, 0.0, 1.0, n, 0.0, 0.0)
        raise TruegainError("the scores within each sample are all equal: Welch's t is undefined")
    df = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    return _student(mean, math.sqrt(va + vb), n, df, confidence)


def _student(mean: float, error: float, n: int, df: float, confidence: float) -> Outcome:
    margin = float(stats.t.ppf((1 + confidence) / 2, df)) * error
    return Outcome(
        mean, mean / error, 2 * float(stats.t.sf(abs(mean / error), df)), n, mean - margin, mean + margin, df
    )


def spread_of(z: Floats) -> float:
    """Standard deviation of differences; refused where they are all equal."""
    spread = float(z.std(ddof=1))
    if spread <= SMALLEST_SPREAD * float(np.abs(z).max()):
        raise TruegainError(f"all {len(z)} differences are {z[0]:.6g}")
    return spread


def sign_test(first: npt.ArrayLike, second: npt.ArrayLike | None = None) -> Outcome:
    """The sign test: p = min(1, 2 P(X <= min(up, down))), X ~ Binomial(up + down, 1/2)."""
    z = differences(first, second)
    up, down = int((z > 0).sum()), int((z < 0).sum())
    below = float(special.bdtr(min(up, down), up + down, 0.5)) if up + down else 0.5
    return Outcome(float(z.mean()), float(up), min(1.0, 2 * below), len(z))


# ---------------------------------------------------------------------- Wilcoxon


def wilcoxon(
    first: npt.ArrayLike,
    second: npt.ArrayLike | None = None,
    *,
    zero_method: ZeroMethod = "wilcox",
    correction: bool = False,
    method: Literal["auto", "normal", "exact"] = "auto",
) -> Outcome:
    """Wilcoxon's signed-rank test; the statistic is the smaller of the rank sums W+ and W-.

    Differences of equal size get the mean of their ranks.  Differences of 0 are dropped ('wilcox'), ranked and then
    dropped ('pratt'), or ranked and shared between the two sums ('zsplit').  'exact' is the share of all 2^n signs of
    the n differences that are not 0 whose smaller sum is no greater, ties included; 'normal' takes mean n(n+1)/4 and
    variance n(n+1)(2n+1)/24 - sum(t^3 - t)/48 over ties of t values, with `correction` moving W by 0.5 towards the
    mean (R does, scipy does not); 'auto' is exact for up to 50 differences that are not 0, and normal beyond.

    Wilcoxon 1945, Biometrics Bull. 1(6); Pratt 1959, JASA 54.
    """
    z = differences(first, second)
    if not z.any():
        return Outcome(0.0, 0.0, 1.0, len(z))
    used = z[z != 0] if zero_method == "wilcox" else z
    zeros = int((used == 0).sum())
    ranks, tied = mid_ranks(np.abs(used))
    split = float(ranks[used == 0].sum() / 2) if zero_method == "zsplit" else 0.0
    plus, minus = float(ranks[used > 0].sum() + split), float(ranks[used < 0].sum() + split)
    w, moving = min(plus, minus), ranks[used != 0]
    if method == "exact" or (method == "auto" and len(moving) <= AUTO_EXACT):
        p = _exact_p(w - split, moving)
    else:
        if zero_method == "pratt":
            _, tied = mid_ranks(moving)
        p = _normal_p(w, len(used), zeros if zero_method == "pratt" else 0, tied, correction)
    return Outcome(float(z.mean()), w, p, len(z))


def mid_ranks(values: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Ranks from 1, equal values sharing the mean of theirs; and the sizes of the groups of equal values."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return (last - (sizes - 1) / 2)[group], sizes


def _normal_p(w: float, n: int, zeros: int, tied: npt.NDArray[np.int64], correction: bool) -> float:
    mean = (n * (n + 1) - zeros * (zeros + 1)) / 4
    squares = n * (n + 1) * (2 * n + 1) - zeros * (zeros + 1) * (2 * zeros + 1)
    variance = (squares - float((tied.astype(np.float64) ** 3 - tied).sum()) / 2) / 24
    shift = 0.5 if correction and w < mean else 0.0
    return 2 * float(stats.norm.sf(abs(w - mean + shift) / math.sqrt(variance)))


def _exact_p(w: float, ranks: Floats) -> float:
    """Of all signs of the ranks, those whose smaller sum is at most w: the sums in halves, rank by rank."""
    doubled = np.rint(2 * ranks).astype(np.int64).tolist()
    share = np.zeros(sum(doubled) + 1)
    share[0] = 1.0
    for rank in doubled:
        share /= 2
        share[rank:] += share[:-rank].copy()
    return min(1.0, 2 * float(share[: round(2 * w) + 1].sum()))


# ---------------------------------------------------------------------- by resampling: rows of one


def randomization(
    first: npt.ArrayLike,
    second: npt.ArrayLike | None = None,
    *,
    trials: int = 10_000,
    seed: int = 0,
    counting: Counting = "plus-one",
) -> Outcome:
    """`randomization_p` of one pair."""
    z = differences(first, second)
    p = randomization_p(z[None, :], Trials(trials=trials, seed=seed, counting=counting))
    how = ("all signs counted",) if is_exact(len(z), trials) else ()
    return Outcome(float(z.mean()), float(z.mean()), float(p[0]), len(z), notes=how)


def bootstrap(
    first: npt.ArrayLike,
    second: npt.ArrayLike | None = None,
    *,
    trials: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    counting: Counting = "plus-one",
) -> Outcome:
    """`bootstrap_p` of one pair, with the interval mean(z) +- c sd(z)/sqrt n, c the quantile of |t*|."""
    z = differences(first, second)
    found = bootstrap_p(z[None, :], Trials(trials=trials, seed=seed, confidence=confidence, counting=counting))
    mean, t = float(z.mean()), float(found.t[0])
    margin = float(found.critical[0]) * float(z.std(ddof=1)) / math.sqrt(len(z))
    return Outcome(mean, t, float(found.p[0]), len(z), mean - margin, mean + margin)


# ---------------------------------------------------------------------- effect sizes


def cohens_dz(first: npt.ArrayLike, second: npt.ArrayLike | None = None) -> float:
    """Mean difference over the standard deviation of the differences; Cohen 1988; Sakai 2018, eq. 5.6."""
    z = differences(first, second)
    return float(z.mean() / z.std(ddof=1))


def hedges_g(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Difference of means over the pooled standard deviation, without bias; Hedges 1981; Sakai 2018, eqs. 5.7-5.10."""
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    n = len(a) + len(b)
    pooled = math.sqrt(((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / (n - 2))
    return float((1 - 3 / (4 * n - 9)) * (b.mean() - a.mean()) / pooled)
