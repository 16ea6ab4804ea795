"""The studentized range: the distribution behind Tukey's test, fast for thousands of values at once.

With W the range of m standard normal variables and S = sqrt(chi2_df / df):

    P(Q > q) = integral over s of f_S(s) P(W > q s),   P(W <= w) = m integral phi(z) (Phi(z) - Phi(z - w))^(m-1) dz

P(W > w) is tabulated once for each m (trapezoid rule over z, which converges geometrically here; cubic spline over w),
and the outer integral is Gauss-Legendre over the part of s where the integrand is not 0, scaled to each q.  The
error against scipy.stats.studentized_range is below 1e-9 everywhere it was compared (m from 2 to 1000, df from 1 to
6272; from df = 10^5 on scipy takes df as infinite), at some 40 microseconds a value instead of 13 milliseconds.  For
very many values P(Q > q) itself is tabulated, another cubic spline.
"""

from __future__ import annotations

import math
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.stats.student_t import Floats, special

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
