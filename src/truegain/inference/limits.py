"""Confidence limits from estimates, their replicates and their jackknife, for many systems at once.

Estimates have any shape; replicates and jackknife values have one more axis, the last.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.student import check_confidence, quantile_of, quantiles_of, special
from truegain.student import wilson as student_wilson
from truegain.tables.columns import Bools, Floats

EPSILON = 1e-5  # where logit moves 0 and 1 to: e and 1 - e
ROUNDING = 1e-13  # a spread below so many times the largest value is that of its last bits


class Limits(NamedTuple):
    """Lower and upper limits, and where the method has none, so that the percentile limits took their place."""

    low: Floats
    high: Floats
    fell_back: Bools = np.zeros((), np.bool_)


def linear(estimate: npt.ArrayLike, se: npt.ArrayLike, confidence: float = 0.95) -> Limits:
    """Normal limits, estimate +- z se.

    >>> limits = linear(0.5, 0.1)
    >>> print(f"{limits.low:.4f} {limits.high:.4f}")
    0.3040 0.6960
    """
    value, step = np.asarray(estimate, np.float64), quantile_of(confidence) * np.asarray(se, np.float64)
    return Limits(value - step, value + step)


def student(estimate: npt.ArrayLike, se: npt.ArrayLike, freedom: npt.ArrayLike, confidence: float = 0.95) -> Limits:
    """Student's limits, estimate +- t se, with the t quantile of so many degrees of freedom (Student 1908).

    >>> limits = student(0.5, 0.1, 9)
    >>> print(f"{limits.low:.4f} {limits.high:.4f}")
    0.2738 0.7262
    """
    t = quantiles_of(check_confidence(confidence), freedom)
    value, step = np.asarray(estimate, np.float64), t * np.asarray(se, np.float64)
    return Limits(value - step, value + step)


def wilson(
    estimate: npt.ArrayLike,
    se: npt.ArrayLike,
    n: npt.ArrayLike,
    bounds: tuple[float, float] = (0.0, 1.0),
    confidence: float = 0.95,
    df: npt.ArrayLike | None = None,
) -> Limits:
    """Limits of a mean of n values between bounds, wider towards the middle of them: never outside.

    With u the mean moved to [0, 1], N = u(1 - u)/se^2 and t the quantile of `df` (n - 1) degrees of freedom: roots x of
    (u - x)^2 = t^2 x(1 - x)/N, moved back.  Where all values are equal (se is 0, or nothing but rounding) N = n, as of
    values at the bounds.  For shares, with N = n and the normal quantile, these are Wilson's limits (1927, JASA 22).

    >>> limits = wilson(0.5, 0.1, 10)
    >>> print(f"{limits.low:.4f} {limits.high:.4f}")
    0.2939 0.7061
    """
    least, greatest = bounds
    t = quantiles_of(check_confidence(confidence), np.asarray(n, np.float64) - 1 if df is None else df)
    value = np.asarray(estimate, np.float64)
    u, v = (value - least) / (greatest - least), (np.asarray(se, np.float64) / (greatest - least)) ** 2
    spread = u * (1 - u)
    known = (spread > 0) & (v > ROUNDING**2)
    units = np.where(known, spread / np.where(known, v, 1.0), np.asarray(n, np.float64))
    low, high = (least + (greatest - least) * end for end in student_wilson(u, units, t))
    return Limits(np.minimum(low, value), np.maximum(high, value))


def logit(
    estimate: npt.ArrayLike, replicates: npt.ArrayLike, confidence: float = 0.95, epsilon: float = EPSILON
) -> Limits:
    """Normal limits on the scale of log(x/(1-x)), moved back: inside (0, 1) whatever the spread.

    logit^-1(logit(estimate) +- z s), s the standard deviation of logit(replicates); values of 0 and 1 are first moved
    to epsilon and 1 - epsilon.  Cormack and Lynam 2006, SIGIR.

    >>> limits = logit(0.9, [0.8, 0.9, 0.95, 0.97])
    >>> print(f"{limits.low:.3f} {limits.high:.3f}")
    0.602 0.982
    """
    spread = np.std(logits(replicates, epsilon), axis=-1, ddof=1)
    return _on_logits(estimate, spread, confidence, epsilon)


def logit_delta(
    estimate: npt.ArrayLike, se: npt.ArrayLike, confidence: float = 0.95, epsilon: float = EPSILON
) -> Limits:
    """Logit limits from a standard error, by the delta method: se of the logit = se/(x(1-x)).

    >>> limits = logit_delta(0.35, (0.35 * 0.65 / 20) ** 0.5)  # 7 of 20
    >>> print(f"{limits.low:.6f} {limits.high:.6f}")
    0.176843 0.574395
    """
    value = np.clip(np.asarray(estimate, np.float64), epsilon, 1 - epsilon)
    return _on_logits(estimate, np.asarray(se) / (value * (1 - value)), confidence, epsilon)


def percentile(replicates: npt.ArrayLike, confidence: float = 0.95) -> Limits:
    """The quantiles (1-c)/2 and (1+c)/2 of the replicates, by linear interpolation (type 7); Efron 1979.

    >>> limits = percentile(range(101), 0.9)
    >>> print(f"{limits.low:.0f} {limits.high:.0f}")
    5 95
    """
    tail = (1 - check_confidence(confidence)) / 2
    low, high = np.quantile(_checked(replicates), [tail, 1 - tail], axis=-1)
    return Limits(low, high)


def basic(estimate: npt.ArrayLike, replicates: npt.ArrayLike, confidence: float = 0.95) -> Limits:
    """The percentile limits mirrored at the estimate: 2 estimate - upper, 2 estimate - lower.

    Davison and Hinkley 1997, section 5.2.

    >>> limits = basic(50, range(101), 0.9)
    >>> print(f"{limits.low:.0f} {limits.high:.0f}")
    5 95
    """
    twice, (low, high, _) = 2 * np.asarray(estimate, np.float64), percentile(replicates, confidence)
    return Limits(twice - high, twice - low)


def studentised(
    estimate: npt.ArrayLike,
    se: npt.ArrayLike,
    replicates: npt.ArrayLike,
    replicate_se: npt.ArrayLike,
    confidence: float = 0.95,
) -> Limits:
    """Bootstrap-t limits: estimate - q se, q the quantiles of t* = (replicate - estimate)/(its own se).

    A replicate without spread has an infinite t*, or 0 where it equals the estimate; where a quantile is infinite the
    percentile limits are given instead.  Efron 1981; Hall 1988, Ann. Statist. 16.

    >>> limits = studentised(1.0, 0.5, [0.5, 1.0, 2.0], [0.5, 0.5, 0.5], 0.5)
    >>> print(f"{limits.low:.2f} {limits.high:.2f}")
    0.50 1.25
    """
    value, error = np.asarray(estimate, np.float64), np.asarray(se, np.float64)
    draws, theirs = _checked(replicates), np.asarray(replicate_se, np.float64)
    away = draws - value[..., None]
    t = np.where(away > 0, np.inf, np.where(away < 0, -np.inf, 0.0))
    np.divide(away, theirs, out=t, where=theirs > 0)
    tail = (1 - check_confidence(confidence)) / 2
    with np.errstate(invalid="ignore"):  # interpolating between infinities
        low_t, high_t = np.quantile(t, [tail, 1 - tail], axis=-1)
    lost = ~np.isfinite(low_t) | ~np.isfinite(high_t)
    low, high = np.where(lost, 0, low_t), np.where(lost, 0, high_t)
    return _or_percentile(value - high * error, value - low * error, lost, draws, confidence)


def bca(
    estimate: npt.ArrayLike, replicates: npt.ArrayLike, jackknife: npt.ArrayLike, confidence: float = 0.95
) -> Limits:
    """Percentile limits at levels corrected for bias and for a spread that changes with the value.

    z0 = Phi^-1(share of replicates below the estimate, ties counted half), a = sum u^3/(6 (sum u^2)^1.5) with
    u = mean of the jackknife values - each, levels Phi(z0 + (z0 + z)/(1 - a(z0 + z))).  Jackknife values that are
    missing (NaN) are left out.  Where all replicates lie on one side, or the jackknife has no spread, the percentile
    limits are given instead.  Efron 1987, JASA 82.

    >>> limits = bca(3.0, [1, 2, 3, 4, 5, 6], [2.5, 3.0, 3.5], 0.5)
    >>> print(f"{limits.low:.3f} {limits.high:.3f}")
    1.683 4.001
    """
    value, draws = np.asarray(estimate, np.float64), _checked(replicates)
    z0, a, lost = bca_parts(value, draws, np.asarray(jackknife, np.float64))
    ordered = np.sort(draws, axis=-1)
    low, high = (sorted_quantile(ordered, level) for level in bca_levels(z0, a, lost, confidence))
    return _or_percentile(low, high, lost, draws, confidence)


def bca_levels(z0: Floats, a: Floats, lost: Bools, confidence: float) -> tuple[Floats, Floats]:
    """The two levels of `bca` from bias correction and acceleration; those of the percentile limits where `lost`."""
    tail = (1 - check_confidence(confidence)) / 2
    levels = []
    for level in (tail, 1 - tail):
        z = z0 + special().ndtri(level)
        levels.append(np.where(lost, level, special().ndtr(z0 + z / (1 - a * z))))
    return levels[0], levels[1]


def bca_parts(estimate: Floats, replicates: Floats, jackknife: Floats) -> tuple[Floats, Floats, Bools]:
    """Bias correction z0, acceleration a, and where either is not defined (both 0 there)."""
    z0, lost = bias_of(estimate, replicates)
    u = np.nanmean(jackknife, axis=-1, keepdims=True) - jackknife
    squares = np.nansum(u**2, axis=-1)
    scale = np.abs(jackknife[..., 0]) if jackknife.shape[-1] else np.zeros_like(squares)
    flat = squares <= (1e-14 * np.nan_to_num(scale)) ** 2  # nothing but rounding
    lost = lost | flat
    a = np.nansum(u**3, axis=-1) / (6 * np.where(flat, 1.0, squares) ** 1.5)
    return np.where(lost, 0.0, z0), np.where(lost, 0.0, a), lost


def bias_of(estimate: Floats, replicates: Floats) -> tuple[Floats, Bools]:
    """Bias correction z0 of `bca`, 0 where all replicates lie on one side of the estimate, and where they do."""
    value = estimate[..., None]
    below = ((replicates < value).mean(axis=-1) + (replicates <= value).mean(axis=-1)) / 2
    lost = (below <= 0) | (below >= 1)
    return special().ndtri(np.where(lost, 0.5, below)), lost


def logits(values: npt.ArrayLike, epsilon: float = EPSILON) -> Floats:
    """log(x/(1-x)), with 0 and 1 (and what lies beyond epsilon of them) moved to epsilon and 1 - epsilon.

    >>> logits([0.5, 0.0], epsilon=0.01).round(3)
    array([ 0.   , -4.595])
    """
    x = np.asarray(values, np.float64)
    if x.size and not (np.nanmin(x) >= -1e-12 and np.nanmax(x) <= 1 + 1e-12):
        raise TruegainError(
            f"logit needs values from 0 to 1, not {np.nanmin(x):g} to {np.nanmax(x):g}; take another interval method"
        )
    if not 0 < epsilon < 0.5:
        raise TruegainError(f"epsilon {epsilon:g} is not between 0 and 0.5")
    inside = np.clip(x, epsilon, 1 - epsilon)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def inverse_logits(values: npt.ArrayLike) -> Floats:
    """1/(1 + e^-x), safe for any x."""
    return np.asarray(special().expit(np.asarray(values, np.float64)))


def holding(value: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Limits no narrower than the value that they are of: quantiles of draws may miss it, and so may rounding.

    >>> [float(end) for end in holding(0.6, 0.636, 0.833)]
    [0.6, 0.833]
    """
    at, least, most = (np.asarray(x, np.float64) for x in (value, low, high))
    return np.where(at < least, at, least), np.where(at > most, at, most)


def within(
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    bounds: tuple[float, float],
    *,
    value: npt.ArrayLike = math.nan,
    differences: bool = False,
) -> tuple[Floats, Floats]:
    """Limits cut at what a measure can be, but not of the value itself; differences at what two values can be apart.

    >>> [float(end) for end in within(-0.1, 1.2, (0, 1))]
    [0.0, 1.0]
    >>> [float(end) for end in within(-0.1, 1.2, (0, 1), differences=True)]
    [-0.1, 1.0]
    """
    least, greatest = bounds
    if differences:
        least, greatest = least - greatest, greatest - least
    cut = (np.clip(np.asarray(end, np.float64), least, greatest) for end in (low, high))
    return holding(value, *cut)


# ---------------------------------------------------------------------- shared


def _checked(replicates: npt.ArrayLike) -> Floats:
    draws = np.asarray(replicates, np.float64)
    if draws.ndim < 1 or draws.shape[-1] < 2:
        raise TruegainError("an interval needs at least 2 replicates")
    if np.isnan(draws).any():
        raise TruegainError(f"{int(np.isnan(draws).sum())} replicates have no value; draw them again")
    return draws


def _on_logits(estimate: npt.ArrayLike, spread: npt.ArrayLike, confidence: float, epsilon: float) -> Limits:
    centre, step = logits(estimate, epsilon), quantile_of(confidence) * np.asarray(spread, np.float64)
    return Limits(inverse_logits(centre - step), inverse_logits(centre + step))


def _or_percentile(low: Floats, high: Floats, lost: Bools, draws: Floats, confidence: float) -> Limits:
    instead = percentile(draws, confidence)
    return Limits(np.where(lost, instead.low, low), np.where(lost, instead.high, high), lost)


def sorted_quantile(ordered: Floats, level: Floats) -> Floats:
    """The quantile of type 7 of sorted values, at a level of its own for each row."""
    place = level * (ordered.shape[-1] - 1)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, ordered.shape[-1] - 1)
    low = np.take_along_axis(ordered, below[..., None], axis=-1)[..., 0]
    high = np.take_along_axis(ordered, above[..., None], axis=-1)[..., 0]
    return np.asarray(low + (place - below) * (high - low))
