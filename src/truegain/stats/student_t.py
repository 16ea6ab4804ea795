"""Student's t, Wilson's limits and the studentized range, in one place."""

from __future__ import annotations

import math
from functools import lru_cache
from importlib import import_module
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.message import argname

Floats = npt.NDArray[np.float64]
TINY = 1e-15


def p_in_words(p: float) -> str:
    """A p-value in words: one that rounds to 0 is below 0.0001, not 0.

    >>> p_in_words(0.02), p_in_words(0.00005), p_in_words(3e-9)
    ('p = 0.0200', 'p = 0.0001', 'p < 0.0001')
    """
    return "p < 0.0001" if p < 0.00005 else f"p = {p:.4f}"


def check_confidence(confidence: float) -> float:
    """A level of confidence, or an error where it is none.

    >>> check_confidence(95)
    Traceback (most recent call last):
    ...
    truegain.errors.TruegainError: confidence 95 is not between 0 and 1; write 0.95 for 95%
    """
    if not isinstance(confidence, Real):
        raise TruegainError(
            f"{argname('confidence', confidence)} is not a number; give one between 0 and 1, such as 0.95"
        )
    if not 0 < confidence < 1:
        hint = f"; write {confidence / 100:g} for {confidence:g}%" if 1 < confidence < 100 else ", such as 0.95"
        raise TruegainError(f"{argname('confidence', confidence, 'g')} is not between 0 and 1{hint}")
    return float(confidence)


def quantiles_of(confidence: float, df: npt.ArrayLike) -> Floats:
    """Two-sided quantiles of Student's t, of the normal where df is infinite: standard errors to either side.

    >>> quantiles_of(0.95, [9, np.inf]).round(4)
    array([2.2622, 1.96  ])
    """
    return np.asarray(special().stdtrit(np.asarray(df, np.float64), (1 + check_confidence(confidence)) / 2))


def quantile_of(confidence: float, df: float = math.inf) -> float:
    """Two-sided quantile of Student's t, of the normal where df is infinite.

    >>> round(quantile_of(0.95), 4), round(quantile_of(0.95, 9), 4)
    (1.96, 2.2622)
    """
    return float(quantiles_of(confidence, df))


def p_values_of(t: npt.ArrayLike, df: npt.ArrayLike = math.inf) -> Floats:
    """Two-sided p of t values.

    >>> p_values_of([0.0, 2.262157], 9).round(4)
    array([1.  , 0.05])
    """
    return np.asarray(np.minimum(1.0, 2 * special().stdtr(np.asarray(df, np.float64), -np.abs(t))))


def p_of(t: float, df: float = math.inf) -> float:
    """Two-sided p of a t value.

    >>> round(p_of(1.959964), 4)
    0.05
    """
    return float(p_values_of(t, df))


def quantiles_of_p(p: npt.ArrayLike, df: float = math.inf) -> Floats:
    """|t| of two-sided p-values; infinite where p is 0.

    >>> quantiles_of_p([1.0, 0.05, 0.0], 9).round(4)
    array([0.    , 2.2622,    inf])
    """
    return np.asarray(np.abs(special().stdtrit(df, np.asarray(p, np.float64) / 2)))


def satterthwaite(parts: list[tuple[float, float]]) -> float:
    """Degrees of freedom of a sum of independent variances: (sum V)^2 / sum of V^2 / df.

    >>> satterthwaite([(1.0, 10.0), (1.0, 10.0)])
    20.0
    """
    total = sum(v for v, _ in parts)
    below = sum(v**2 / df for v, df in parts if v > 0)
    return math.inf if below == 0 else total**2 / below


def tails(pull: Floats) -> Floats:
    """Degrees of freedom of variances made of these moves, a column each: 2 n/(kurtosis - 1), at least 1.

    >>> tails(np.array([[1.0, 0.0], [-1.0, 0.0], [2.0, 0.0], [-2.0, 3.0]])).round(2).tolist()
    [22.22, 2.67]
    """
    n, square = len(pull), (pull**2).sum(axis=0)
    kurtosis = n * (pull**4).sum(axis=0) / np.maximum(square**2, TINY**2)
    return np.asarray(np.maximum(1.0, 2 * n / np.maximum(kurtosis - 1, TINY)))


def wilson(share: npt.ArrayLike, n: npt.ArrayLike, quantile: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Limits of a share seen in n units, inside 0 and 1 whatever the share: where |x - p| = z sqrt(p (1 - p)/n).

    (x + z^2/2n +- z sqrt(x (1 - x)/n + z^2/4n^2)) / (1 + z^2/n), z a quantile of the normal or of Student's t; a share
    beyond 0 and 1 counts as these.  Wilson 1927, JASA 22.

    >>> low, high = wilson(0.35, 20, quantile_of(0.95))
    >>> print(f"{low:.4f} {high:.4f}")
    0.1812 0.5671
    """
    x = np.clip(np.asarray(share, np.float64), 0.0, 1.0)
    part = np.asarray(quantile, np.float64) ** 2 / np.asarray(n, np.float64)
    half = np.sqrt(part * (x * (1 - x) + part / 4))
    low, high = (np.clip((x + part / 2 + sign * half) / (1 + part), 0.0, 1.0) for sign in (-1, 1))
    return low, high


def detectable_in_se(p: float, power: float) -> float:
    """The difference, in standard errors, that a test at level p finds with this power: z_{p/2} + z_{1-power}."""
    if not 0 < power < 1:
        raise TruegainError(f"{argname('power', power, 'g')} must lie between 0 and 1, such as 0.8")
    far = quantile_of(1 - p) + float(special().ndtri(power))
    if far <= 0:
        raise TruegainError(f"{argname('power', power, 'g')} is below the significance level; give a higher power")
    return far


def special() -> Any:
    """scipy.special, read when first needed."""
    return import_module("scipy.special")


# ---- The studentized range: the distribution behind Tukey's test, fast for thousands of values.


WIDEST = 20.0  # P(W > 20) < 1e-30 even for thousands of systems
STEP = 0.0025
NODES = 96
ROWS = 4096
MANY = 20_000  # values from which on P(Q > q) is tabulated once and read off
NEAR, TABLE_STEP = 40.0, 0.004  # the table goes so far, in such steps


def studentized_range_sf(q: npt.ArrayLike, systems: int, df: float) -> Floats:
    """P(Q > q) for the studentized range of `systems` means with `df` degrees of freedom, to 1e-9.

    >>> studentized_range_sf([0.0, 3.0, 4.668468], 3, 6).round(6).tolist()
    [1.0, 0.16546, 0.037651]
    """
    _check(systems, df)
    ranges: Floats = np.atleast_1d(np.asarray(q, dtype=np.float64))
    if np.isnan(ranges).any() or (ranges < 0).any():
        raise TruegainError("a studentized range is a number of at least 0")
    flat = ranges.ravel()
    values: Floats = np.empty(len(flat))
    near = flat <= NEAR if len(flat) > MANY else np.zeros(len(flat), np.bool_)
    if near.any():
        values[near] = _tabulated(flat[near], systems, df)
    values[~near] = _in_parts(flat[~near], systems, df)
    return np.clip(values, 0.0, 1.0).reshape(ranges.shape)


def studentized_range_isf(p: float, systems: int, df: float) -> float:
    """The value that the studentized range exceeds with probability p: the critical value of Tukey's test.

    >>> round(studentized_range_isf(0.05, 3, 6), 4)
    4.3392
    """
    if not 0 < p < 1:
        raise TruegainError(f"{p:g} is not a probability between 0 and 1")
    low, high = 0.0, 1.0
    while float(studentized_range_sf(high, systems, df)[0]) > p:
        low, high = high, 2 * high
    for _ in range(6):  # 33 values at a time: 5 bits a round
        grid = np.linspace(low, high, 33)
        first = int(np.argmax(studentized_range_sf(grid, systems, df) <= p))
        low, high = float(grid[first - 1]), float(grid[first])
    below, above = studentized_range_sf([low, high], systems, df)
    share = 0.5 if below == above else (below - p) / (below - above)
    return float(low + share * (high - low))


def _check(systems: int, df: float) -> None:
    if systems < 2:
        raise TruegainError(f"a range needs at least 2 systems; there is {systems}")
    if not df >= 1:
        raise TruegainError(f"{df:g} degrees of freedom are too few; there must be at least 1")


def _in_parts(q: Floats, systems: int, df: float) -> Floats:
    parts = [_sf(q[i : i + ROWS], systems, df) for i in range(0, len(q), ROWS)]
    return np.concatenate(parts) if parts else q


def _tabulated(q: Floats, systems: int, df: float) -> Floats:
    """The probability that the range exceeds q, to 1e-9 for any number of values, from a cubic spline."""
    grid = np.arange(0.0, float(q.max()) + 2 * TABLE_STEP, TABLE_STEP)
    spline = import_module("scipy.interpolate").CubicSpline(grid, _in_parts(grid, systems, df))
    return np.asarray(spline(q), np.float64)


def _sf(q: Floats, systems: int, df: float) -> Floats:
    """The outer integral, for a stretch of q."""
    outside = _range_sf(systems)
    if math.isinf(df):
        return np.where(q < WIDEST, outside(np.minimum(q, WIDEST)), 0.0)
    least, most = _span(df)
    upper = np.minimum(most, WIDEST / np.maximum(q, WIDEST / most))
    seen = upper > least
    values: Floats = np.zeros(len(q))
    if not seen.any():
        return values
    nodes, weights = _gauss_legendre()
    half = (upper[seen] - least) / 2
    s = least + half[:, None] * (1 + nodes)
    inside = outside(np.minimum(q[seen, None] * s, WIDEST))
    values[seen] = half * ((_density(s, df) * inside) @ weights)
    return values


def _density(s: Floats, df: float) -> Floats:
    """Density of sqrt(chi2_df / df); written so that nothing large cancels when df is large."""
    a = df / 2
    if a > 50:
        constant = 0.5 * math.log(a / (2 * math.pi)) - 1 / (12 * a) + 1 / (360 * a**3) - 1 / (1260 * a**5)
    else:
        constant = a * math.log(a) - a - math.lgamma(a)
    logs = np.log(s)
    density: Floats = 2 * np.exp(constant + df * (logs - (s - 1) * (s + 1) / 2) - logs)
    return density


@lru_cache(maxsize=256)
def _span(df: float) -> tuple[float, float]:
    """Where sqrt(chi2_df / df) lies but for 1e-17 on either side."""
    low, high = special().gammaincinv(df / 2, 1e-17), special().gammainccinv(df / 2, 1e-17)
    return math.sqrt(2 * float(low) / df), math.sqrt(2 * float(high) / df)


@lru_cache(maxsize=1)
def _gauss_legendre() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights


@lru_cache(maxsize=16)
def _range_sf(systems: int) -> Any:
    """P(W > w) for the range of normal variables, as a spline."""
    z = np.arange(-9.0, 9.0 + 0.05, 0.1)
    phi = systems * 0.1 * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    upper = special().ndtr(z)
    w = np.arange(0.0, WIDEST + STEP / 2, STEP)
    inside = np.concatenate(
        [(upper - special().ndtr(z - part[:, None])) ** (systems - 1) @ phi for part in np.array_split(w, 8)]
    )
    return import_module("scipy.interpolate").CubicSpline(w, np.clip(1 - inside, 0.0, 1.0))
