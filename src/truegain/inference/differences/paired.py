"""Tests of two systems on the same topics that need no resampling: t, Welch, Wilcoxon, sign."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError, needs
from truegain.student import p_of, quantile_of
from truegain.tables.checks import warn
from truegain.tables.columns import Floats

ZeroMethod = Literal["wilcox", "pratt", "zsplit"]
SMALLEST_SPREAD = 1e-12  # of the largest value: anything below is rounding
AUTO_EXACT, MOST_EXACT = 50, 1000  # differences up to which Wilcoxon's test counts all signs unasked, and at all


@dataclass(frozen=True)
class Outcome:
    """What a two-sided test of two systems found: the difference second - first, the statistic and its p-value.

    `low` and `high` limit the mean difference where the method has an interval; `n` counts the topics used.
    """

    test: str
    difference: float
    statistic: float
    p: float
    n: int
    low: float | None = None
    high: float | None = None
    df: float | None = None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        interval = "" if self.low is None else f" [{self.low:.4f}, {self.high:.4f}]"
        return f"{self.difference:+.4f}{interval} p = {self.p:.4f} ({self.test}, n = {self.n})"


def paired_t(first: npt.ArrayLike, second: npt.ArrayLike | None = None, *, confidence: float = 0.95) -> Outcome:
    """Student's paired t test: t = mean(z) / (sd(z)/sqrt n) with n - 1 degrees of freedom.

    Give the differences, or two vectors of scores (z = second - first).  Topics where either is missing (NaN) are left
    out and counted.  All differences 0: p = 1.  All equal but not 0: there is no t, and the test is refused.

    Student 1908, Biometrika 6(1).

    >>> print(paired_t([0.1, -0.02, 0.05, 0.05, 0, 0.12, -0.04, 0.07, 0.03, 0.09]))
    +0.0450 [0.0073, 0.0827] p = 0.0245 (paired-t, n = 10)
    """
    z = differences(first, second)
    n, mean = len(z), float(z.mean())
    if not z.any():
        return Outcome("paired-t", 0.0, 0.0, 1.0, n, 0.0, 0.0, n - 1, ("all differences are 0",))
    error = spread_of(z, "the t statistic") / math.sqrt(n)
    t = mean / error
    margin = quantile_of(confidence, n - 1) * error
    return Outcome("paired-t", mean, t, p_of(t, n - 1), n, mean - margin, mean + margin, n - 1)


def welch(first: npt.ArrayLike, second: npt.ArrayLike, *, confidence: float = 0.95) -> Outcome:
    """Welch's t test of two independent samples, such as two sets of topics, with their own variances.

    t = (mean2 - mean1)/sqrt(v1 + v2), v = s^2/n; degrees of freedom (v1 + v2)^2/(v1^2/(n1-1) + v2^2/(n2-1)).
    Missing values are left out of their own sample; `n` is the size of the smaller one.  On the same topics the paired
    tests see more.

    Welch 1947, Biometrika 34(1-2).

    >>> print(welch([0.1, 0.2, 0.3, 0.4], [0.3, 0.4, 0.5, 0.7]))
    +0.2250 [-0.0417, 0.4917] p = 0.0837 (welch, n = 4)
    """
    a, b = sample(first), sample(second)
    n = min(len(a), len(b))
    va, vb = float(a.var(ddof=1)) / len(a), float(b.var(ddof=1)) / len(b)
    mean = float(b.mean() - a.mean())
    largest = float(max(np.abs(a).max(), np.abs(b).max()))
    if math.sqrt(va + vb) <= SMALLEST_SPREAD * largest:
        if abs(mean) <= SMALLEST_SPREAD * largest:
            return Outcome("welch", 0.0, 0.0, 1.0, n, 0.0, 0.0, None, ("all scores are equal",))
        raise TruegainError("the scores within each sample are all equal: Welch's t has no value; compare by eye")
    df = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    t = mean / math.sqrt(va + vb)
    margin = quantile_of(confidence, df) * math.sqrt(va + vb)
    return Outcome("welch", mean, t, p_of(t, df), n, mean - margin, mean + margin, df)


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
    the n differences that are not 0 whose smaller sum is no greater, p = min(1, 2 P(W+ <= w)), over the ranks as they
    are, ties included; 'normal' takes mean n(n+1)/4 and variance n(n+1)(2n+1)/24 - sum(t^3 - t)/48 over ties of t
    values, with `correction` moving W by 0.5 towards the mean (R does, scipy does not); 'auto' is exact for up to 50
    differences that are not 0, and normal beyond.  R, and scipy beyond 13 topics, take 'normal' wherever there are ties
    or zeros; ask for it to get their numbers.  Equal means equal to the last bit, as in scipy and R: round differences
    such as 0.7 - 0.5 and 0.4 - 0.2 first if they are to be ties.

    Wilcoxon 1945, Biometrics Bull. 1(6); Pratt 1959, JASA 54.

    >>> w = wilcoxon([0.1, -0.02, 0.05, 0.05, 0, 0.12, -0.04, 0.07, 0.03, 0.09])
    >>> w.statistic, round(w.p, 6)
    (4.0, 0.023438)
    """
    z = differences(first, second, least=1)
    if zero_method not in ("wilcox", "pratt", "zsplit"):
        raise TruegainError(f"zero_method {zero_method!r} is not known; give 'wilcox', 'pratt' or 'zsplit'")
    if method not in ("auto", "normal", "exact"):
        raise TruegainError(f"method {method!r} is not known; give 'auto', 'normal' or 'exact'")
    if not z.any():
        return Outcome("wilcoxon", 0.0, 0.0, 1.0, len(z), notes=("all differences are 0",))
    used = z[z != 0] if zero_method == "wilcox" else z
    zeros = int((used == 0).sum())
    ranks, tied = mid_ranks(np.abs(used))
    split = float(ranks[used == 0].sum() / 2) if zero_method == "zsplit" else 0.0
    plus, minus = float(ranks[used > 0].sum() + split), float(ranks[used < 0].sum() + split)
    w, moving = min(plus, minus), ranks[used != 0]
    if method == "exact" and len(moving) > MOST_EXACT:
        raise TruegainError(
            f"the exact Wilcoxon test takes up to {MOST_EXACT} differences that are not 0, and there are "
            f"{len(moving)}; use method='normal'"
        )
    if method == "exact" or (method == "auto" and len(moving) <= AUTO_EXACT):
        p = _exact_p(w - split, moving)
    else:
        p = _normal_p(w, len(used), zeros if zero_method == "pratt" else 0, tied, ranks, used, zero_method, correction)
    return Outcome("wilcoxon", float(z.mean()), w, p, len(z))


def sign_test(first: npt.ArrayLike, second: npt.ArrayLike | None = None) -> Outcome:
    """The sign test: how many topics go up, against a fair coin; topics without a difference are dropped.

    p = min(1, 2 P(X <= min(up, down))), X ~ Binomial(up + down, 1/2); the statistic is the number that go up.

    Arbuthnott 1710; Conover 1999, Practical Nonparametric Statistics, section 3.4.

    >>> s = sign_test([0.1, -0.02, 0.05, 0.05, 0, 0.12, -0.04, 0.07, 0.03, 0.09])
    >>> s.statistic, round(s.p, 6)
    (7.0, 0.179688)
    """
    z = differences(first, second, least=1)
    up, down = int((z > 0).sum()), int((z < 0).sum())
    if not up + down:
        return Outcome("sign", 0.0, 0.0, 1.0, len(z), notes=("all differences are 0",))
    below = float(needs("scipy.special", "inference").bdtr(min(up, down), up + down, 0.5))
    return Outcome("sign", float(z.mean()), float(up), min(1.0, 2 * below), len(z))


# ---------------------------------------------------------------------- what the tests share


def differences(first: npt.ArrayLike, second: npt.ArrayLike | None = None, *, least: int = 2) -> Floats:
    """Differences second - first of the topics that have both; `first` alone is taken as differences.

    >>> differences([0.25, 0.5], [0.5, 0.25]).tolist()
    [0.25, -0.25]
    """
    a: Floats = np.asarray(first, dtype=np.float64)
    z = a
    if second is not None:
        b: Floats = np.asarray(second, dtype=np.float64)
        if a.shape != b.shape:
            raise TruegainError(f"paired scores must have the same topics; there are {a.size} and {b.size} values")
        z = b - a
    return _there(z, "topics", least)


def sample(values: npt.ArrayLike) -> Floats:
    """The values of one sample, without the missing ones."""
    return _there(np.asarray(values, dtype=np.float64), "values", 2)


def _there(z: Floats, what: str, least: int) -> Floats:
    if z.ndim != 1:
        raise TruegainError(f"a test takes plain lists of scores, not arrays of {z.ndim} dimensions")
    if np.isinf(z).any():
        raise TruegainError("there are infinite scores; a test needs finite ones")
    kept = z[~np.isnan(z)]
    if len(kept) < len(z):
        warn(f"{len(z) - len(kept)} of {len(z)} {what} have no score and are left out")
    if len(kept) < least:
        raise TruegainError(f"a test needs at least {least} {what} that have scores; there are {len(kept)}")
    return kept


def spread_of(z: Floats, of_what: str) -> float:
    """Standard deviation of differences; refused where they are all equal."""
    spread = float(z.std(ddof=1))
    if spread <= SMALLEST_SPREAD * float(np.abs(z).max()):
        raise TruegainError(
            f"all {len(z)} differences are {z[0]:.6g}: {of_what} divides by their spread, which is 0; "
            "use the randomisation or the sign test"
        )
    return spread


def mid_ranks(values: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Ranks from 1, equal values sharing the mean of theirs; and the sizes of the groups of equal values.

    >>> mid_ranks(np.array([0.3, 0.1, 0.3]))[0].tolist()
    [2.5, 1.0, 2.5]
    """
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return (last - (sizes - 1) / 2)[group], sizes


def _normal_p(
    w: float,
    n: int,
    zeros: int,
    tied: npt.NDArray[np.int64],
    ranks: Floats,
    used: Floats,
    zero_method: ZeroMethod,
    correction: bool,
) -> float:
    """Two-sided p by the normal approximation, for the ways to treat zeros."""
    mean = (n * (n + 1) - zeros * (zeros + 1)) / 4
    squares = n * (n + 1) * (2 * n + 1) - zeros * (zeros + 1) * (2 * zeros + 1)
    if zero_method == "pratt":
        _, tied = mid_ranks(ranks[used != 0])
    variance = (squares - float((tied.astype(np.float64) ** 3 - tied).sum()) / 2) / 24
    shift = 0.5 if correction and w < mean else 0.0
    return p_of((w - mean + shift) / math.sqrt(variance))


def _exact_p(w: float, ranks: Floats) -> float:
    """Two-sided p: of all signs of the ranks, those whose smaller sum is at most w."""
    doubled = tuple(sorted(np.rint(2 * ranks).astype(np.int64).tolist()))
    below = (sums_of_ranks if len(doubled) <= AUTO_EXACT else _sums)(doubled)
    return min(1.0, 2 * float(below[round(2 * w)]))


def _sums(doubled: tuple[int, ...]) -> Floats:
    """Share of all 2^n signs whose rank sum is at most 0, 1, 2, ... halves, rank by rank; no rounding up to n = 50."""
    share = np.zeros(sum(doubled) + 1)
    share[0] = 1.0
    for rank in doubled:
        share /= 2
        share[rank:] += share[:-rank].copy()
    return np.asarray(np.cumsum(share), np.float64)


sums_of_ranks = lru_cache(maxsize=256)(_sums)
