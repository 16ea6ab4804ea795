"""Tests of many pairs at once that need no resampling: rows are pairs, columns topics, nothing missing."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from truegain.errors import TruegainError
from truegain.student import p_values_of, quantiles_of, special
from truegain.tables.columns import Bools, Floats, Ints

SMALLEST_SPREAD = 1e-12  # of the largest value: anything below is rounding
MOST_EXACT = 50  # differences up to which Wilcoxon's test counts all signs


class RowResults(NamedTuple):
    """P-values of pairs, and limits of their differences where the test has an interval."""

    p: Floats
    low: Floats | None = None
    high: Floats | None = None


def paired_t_rows(first: Floats, second: Floats, confidence: float = 0.95) -> RowResults:
    """Student's paired t test of each row: t = mean(z) / (sd(z)/sqrt n), n - 1 degrees of freedom, z = second - first.

    All differences 0: p = 1.  All equal but not 0: there is no t, and the test is refused.

    Student 1908, Biometrika 6(1).

    >>> paired_t_rows(np.zeros((2, 3)), np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])).p.round(4).tolist()
    [0.0742, 1.0]
    """
    z = second - first
    n, mean, spread = z.shape[1], z.mean(axis=1), z.std(axis=1, ddof=1)
    refuse_flat(z, spread)
    error = spread / math.sqrt(n)
    return _student(mean, error, np.full(len(z), n - 1.0), np.asarray(~z.any(axis=1)), confidence)


def welch_rows(first: Floats, second: Floats, confidence: float = 0.95) -> RowResults:
    """Welch's t test of each row, as if the two samples were independent, with their own variances.

    t = (mean2 - mean1)/sqrt(v1 + v2), v = s^2/n; degrees of freedom (v1 + v2)^2 (n - 1)/(v1^2 + v2^2).  On the same
    topics the paired tests see more.

    Welch 1947, Biometrika 34(1-2).

    >>> welch_rows(np.array([[0.1, 0.2, 0.3, 0.4]]), np.array([[0.3, 0.4, 0.5, 0.7]])).p.round(4).tolist()
    [0.0837]
    """
    n = first.shape[1]
    mean = second.mean(axis=1) - first.mean(axis=1)
    va, vb = (x.var(axis=1, ddof=1) / n for x in (first, second))
    largest = np.maximum(np.abs(first).max(axis=1), np.abs(second).max(axis=1))
    flat = np.sqrt(va + vb) <= SMALLEST_SPREAD * largest
    if (flat & (np.abs(mean) > SMALLEST_SPREAD * largest)).any():
        raise TruegainError("the scores within each sample are all equal: Welch's t has no value; compare by eye")
    squares = np.where(flat, 1.0, va**2 + vb**2)
    df = np.where(flat, 1.0, (va + vb) ** 2 * (n - 1) / squares)
    return _student(np.where(flat, 0.0, mean), np.sqrt(va + vb), df, flat, confidence)


def sign_rows(first: Floats, second: Floats) -> RowResults:
    """The sign test of each row: how many topics go up, against a fair coin; topics without a difference are dropped.

    p = min(1, 2 P(X <= min(up, down))), X ~ Binomial(up + down, 1/2).

    Arbuthnott 1710; Conover 1999, Practical Nonparametric Statistics, section 3.4.

    >>> sign_rows(np.zeros((1, 5)), np.array([[0.1, 0.2, 0.3, 0.0, 0.5]])).p.tolist()
    [0.125]
    """
    up, down = (second > first).sum(axis=1), (second < first).sum(axis=1)
    below = special().bdtr(np.minimum(up, down).astype(float), up + down, 0.5)
    return RowResults(np.where(up + down == 0, 1.0, np.minimum(1.0, 2 * below)))


def wilcoxon_rows(first: Floats, second: Floats) -> RowResults:
    """Wilcoxon's signed-rank test of each row; differences of 0 are dropped, equal ones get the mean of their ranks.

    Up to 50 differences: the share of all 2^n signs whose smaller rank sum is no greater, p = min(1, 2 P(W+ <= w)),
    ties included.  Beyond: normal, with mean n(n+1)/4 and variance n(n+1)(2n+1)/24 - sum(t^3 - t)/48 over ties of t
    values.  R, and scipy beyond 13 topics, take the normal p wherever there are ties or zeros.  Equal means equal to
    the last bit, as there.

    Wilcoxon 1945, Biometrics Bull. 1(6).

    >>> z = np.array([[0.1, -0.02, 0.05, 0.05, 0, 0.12, -0.04, 0.07, 0.03, 0.09]])
    >>> wilcoxon_rows(np.zeros((1, 10)), z).p.round(6).tolist()
    [0.023438]
    """
    z = second - first
    ranks, sizes = _ranks(np.abs(z))
    signs = np.sign(np.take_along_axis(z, np.argsort(np.abs(z), axis=1, kind="stable"), axis=1))
    w = np.minimum((ranks * (signs > 0)).sum(axis=1), (ranks * (signs < 0)).sum(axis=1))
    used = (ranks > 0).sum(axis=1)
    p: Floats = np.ones(len(z))
    small = (used > 0) & (used <= MOST_EXACT)
    if small.any():
        p[small] = _exact(w[small], ranks[small])
    many = used > MOST_EXACT
    n = used[many].astype(np.float64)
    ties = ((sizes[many] ** 2 - 1.0) * (ranks[many] > 0)).sum(axis=1)
    variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
    away = (w[many] - n * (n + 1) / 4) / np.sqrt(variance)
    p[many] = p_values_of(away)
    return RowResults(p)


def refuse_flat(z: Floats, spread: Floats) -> None:
    """Refuse differences that are all equal but not 0: they have no spread to divide by."""
    flat = flat_rows(z, spread)
    if flat.any():
        at = z[int(np.argmax(flat))]
        raise TruegainError(
            f"all {len(at)} differences are {at[0]:.6g}: the t statistic divides by their spread, which is 0; "
            "use the randomisation or the sign test"
        )


def flat_rows(z: Floats, spread: Floats) -> Bools:
    """Which differences are all equal but for rounding, and not 0."""
    largest = np.abs(z).max(axis=1)
    return np.asarray((largest > 0) & (spread <= SMALLEST_SPREAD * largest))


def _student(mean: Floats, error: Floats, df: Floats, equal: Bools, confidence: float) -> RowResults:
    """P-values and limits by Student's t; 1 and no width where nothing differs."""
    t = mean / np.where(equal, 1.0, error)
    margin = np.where(equal, 0.0, quantiles_of(confidence, df) * error)
    p = np.where(equal, 1.0, p_values_of(t, df))
    return RowResults(p, mean - margin, mean + margin)


def _ranks(values: Floats) -> tuple[Floats, Ints]:
    """Ranks of each row's values, ascending, equal ones sharing their mean, 0 for values of 0; and sizes of ties."""
    ordered = np.sort(values, axis=1)
    n = values.shape[1]
    place = np.broadcast_to(np.arange(n), ordered.shape)
    new = np.ones(ordered.shape, np.bool_)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    begin = np.maximum.accumulate(np.where(new, place, 0), axis=1)
    ends = np.ones_like(new)
    ends[:, :-1] = new[:, 1:]
    end = np.minimum.accumulate(np.where(ends, place, n)[:, ::-1], axis=1)[:, ::-1]
    zeros = (ordered == 0).sum(axis=1, keepdims=True)
    ranks = np.where(ordered == 0, 0.0, (begin + end) / 2 + 1 - zeros)
    return ranks, np.asarray(end - begin + 1, np.int64)


def _exact(w: Floats, ranks: Floats) -> Floats:
    """Two-sided p over all signs, a table for each set of ranks that occurs."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    plain = (doubled == 2 * np.arange(1, ranks.shape[1] + 1)).all(axis=1)  # no ties, no zeros: one set for most rows
    p: Floats = np.ones(len(w))
    found, which = np.unique(doubled[~plain], axis=0, return_inverse=True)
    groups = [(row, np.flatnonzero(~plain)[which.ravel() == i]) for i, row in enumerate(found)]
    if plain.any():
        groups.append((doubled[int(np.argmax(plain))], np.flatnonzero(plain)))
    for row, here in groups:
        below = sums_of_ranks(tuple(row[row > 0].tolist()))
        p[here] = np.minimum(1.0, 2 * below[np.rint(2 * w[here]).astype(np.int64)])
    return p


@lru_cache(maxsize=256)
def sums_of_ranks(doubled: tuple[int, ...]) -> Floats:
    """Share of all 2^n signs whose rank sum is at most 0, 1, 2, ... halves, rank by rank; no rounding up to n = 50."""
    share = np.zeros(sum(doubled) + 1)
    share[0] = 1.0
    for rank in doubled:
        share /= 2
        share[rank:] += share[:-rank].copy()
    return np.asarray(np.cumsum(share), np.float64)
