"""Confidence limits from estimates, their replicates and their jackknife; intervals over topics."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from truegain.data.scores import Scores
from truegain.errors import TruegainError, counted, some
from truegain.io.columns import Bools, Floats, Ints
from truegain.measures.scoring import TopicMeans
from truegain.message import argname
from truegain.sampling.source import Topics
from truegain.sampling.streams import blocks, bootstrap_weights
from truegain.stats.contrasts import within
from truegain.stats.multiple_testing import check_replicates
from truegain.stats.results import Estimate
from truegain.stats.student_t import check_confidence, quantile_of, quantiles_of, special
from truegain.stats.student_t import wilson as student_wilson

# ---- Confidence limits from estimates, their replicates and their jackknife, for many systems at once.
#
# Estimates have any shape; replicates and jackknife values have one more axis, the last.

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
    varies = (spread > 0) & (v > ROUNDING**2)
    units = np.where(varies, spread / np.where(varies, v, 1.0), np.asarray(n, np.float64))
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


def studentized(
    estimate: npt.ArrayLike,
    se: npt.ArrayLike,
    replicates: npt.ArrayLike,
    replicate_se: npt.ArrayLike,
    confidence: float = 0.95,
) -> Limits:
    """Bootstrap-t limits: estimate - q se, q the quantiles of t* = (replicate - estimate)/(its own se).

    A replicate without spread has an infinite t*, or 0 where it equals the estimate; where a quantile is infinite the
    percentile limits are given instead.  Efron 1981; Hall 1988, Ann. Statist. 16.

    >>> limits = studentized(1.0, 0.5, [0.5, 1.0, 2.0], [0.5, 0.5, 0.5], 0.5)
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
            f"logit needs values from 0 to 1, not {np.nanmin(x):g} to {np.nanmax(x):g}; use another interval method"
        )
    if not 0 < epsilon < 0.5:
        raise TruegainError(f"epsilon {epsilon:g} is not between 0 and 0.5")
    inside = np.clip(x, epsilon, 1 - epsilon)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def inverse_logits(values: npt.ArrayLike) -> Floats:
    """1/(1 + e^-x), safe for any x."""
    return np.asarray(special().expit(np.asarray(values, np.float64)))


# ---------------------------------------------------------------------- shared


def _checked(replicates: npt.ArrayLike) -> Floats:
    draws = np.asarray(replicates, np.float64)
    if draws.ndim < 1 or draws.shape[-1] < 2:
        raise TruegainError("an interval needs at least 2 replicates")
    if np.isnan(draws).any():
        raise TruegainError(f"{int(np.isnan(draws).sum())} replicates have no value; draw them again")
    return draws


def _on_logits(estimate: npt.ArrayLike, spread: npt.ArrayLike, confidence: float, epsilon: float) -> Limits:
    center, step = logits(estimate, epsilon), quantile_of(confidence) * np.asarray(spread, np.float64)
    return Limits(inverse_logits(center - step), inverse_logits(center + step))


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


# ---- How far would a system's mean move with other topics: intervals over topics, paired over systems.

TopicMethod = Literal["wilson", "t", "studentized", "linear", "logit", "percentile", "basic", "bca"]
LEAST, FEW, ENOUGH = 3, 10, 25  # topics: refused below, told below, and what limits read off draws need
OF_DRAWS = ("percentile", "basic", "bca", "linear", "logit")
WEIGHTS = 2_000_000  # of topics, drawn at a time; the draws do not depend on it
TOPIC_METHODS: tuple[str, ...] = get_args(TopicMethod)


def topic_intervals(
    scores: Scores,
    measure: object = None,
    method: TopicMethod | None = None,
    *,
    confidence: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
) -> list[Estimate]:
    """The mean of each system over topics, with an interval for other topics of the same kind.

    Parameters
    ----------
    scores : Scores
        As `evaluate` gives them.
    measure : str, optional
        One of several measures.
    method : {'wilson', 't', 'studentized', 'linear', 'logit', 'percentile', 'basic', 'bca'}, optional
        How the interval is made; see below.
    confidence : float
        How often it holds the mean.
    replicates, seed : int
        How often topics are drawn again, and where random numbers begin.

    Returns
    -------
    list of Estimate
        One a system.

    Notes
    -----
    In every replicate the same topics are drawn for all systems (n of n, with replacement); a topic that a system has
    no value for weighs nothing for it.  `method` is one of 'wilson' and 't' (no resampling), 'linear' (mean +- z s, s
    the standard deviation of the replicates), 'logit', 'percentile', 'basic', 'bca' and 'studentized', each as in
    `truegain.stats.intervals`; unless given it is 'wilson', and 't' where the measure has no bounds or is a
    geometric mean, which is handled in logarithms.  Limits are cut at the bounds of the measure.

    Examples
    --------
    >>> import truegain as tg
    >>> run = {str(t): {"a": 2.0, "b": 1.0} for t in range(9)}
    >>> qrels = {str(t): {"ab"[t % 3 == 0]: 1} for t in range(9)}
    >>> print(topic_intervals(tg.evaluate(run, qrels, "AP"), method="t")[0])
    run AP 0.8333 [0.6412, 1.0000] 95% over topics, t
    """
    if method is not None and method not in TOPIC_METHODS:
        raise TruegainError(
            f"{argname('method', method)} is not an interval over topics; give one of {', '.join(TOPIC_METHODS)}"
        )
    check_confidence(confidence)
    data = TopicMeans.of(scores, measure)
    n = data.there.sum(axis=1)
    if (n < LEAST).any():
        few = [s for s, count in zip(data.systems, n, strict=True) if count < LEAST]
        raise TruegainError(f"{some(few)}: an interval over topics needs values on at least {LEAST} topics")
    mean, se = means_and_errors(data.values)
    flat = se == 0
    bounded = bool(np.isfinite(data.bounds).all()) and not data.in_logs
    method = method or ("wilson" if bounded else "t")
    redrawn = 0
    if method == "wilson" and not bounded:
        raise TruegainError(f"wilson limits need a mean between bounds, and {data.measure} has none; use t")
    if method == "logit" and data.in_logs:
        raise TruegainError(
            f"{data.measure} is a geometric mean, handled in logarithms, and has no logit limits; use t"
        )
    if method == "wilson":
        limits = wilson(mean, se, n, data.bounds, confidence)
    elif method == "t":
        limits = student(mean, se, n - 1, confidence)
    else:
        draws = bootstrap_means(data.values, check_replicates(replicates, confidence), seed)
        se, redrawn = np.where(flat, 0.0, np.std(draws.means, axis=1, ddof=1)), draws.redrawn
        limits = _limits(method, data.values, draws, confidence)
    fell_back = np.broadcast_to(limits.fell_back, n.shape)
    back, notes = data.back, _notes(method, fell_back, redrawn, n, flat, confidence)
    low, high = within(back(limits.low), back(limits.high), data.bounds, value=back(mean))
    errors = [None] * len(n) if data.in_logs else se.tolist()
    instead = f"percentile ({method} degenerate)"
    names = [instead if lost else method for lost in fell_back.tolist()]
    columns = (back(mean).tolist(), low.tolist(), high.tolist(), names, errors, n.tolist())
    return [
        Estimate(system, data.measure, value, least, most, confidence, "topics", name, error, count, notes=notes)
        for system, value, least, most, name, error, count in zip(data.systems, *columns, strict=True)
    ]


class BootstrapMeans(NamedTuple):
    """Bootstrap means, systems by replicates, their standard errors, and how many replicates were drawn again."""

    means: Floats
    errors: Floats
    redrawn: int


def bootstrap_means(values: Floats, replicates: int, seed: int) -> BootstrapMeans:
    """Means of each row over resampled columns, the same columns for all rows; missing values (NaN) weigh nothing.

    A replicate that leaves a row without any value is drawn again and counted.

    >>> draws = bootstrap_means(np.array([[0.0, 1.0, 2.0], [1.0, 2.0, 3.0]]), replicates=100, seed=1)
    >>> bool(np.allclose(draws.means[1] - draws.means[0], 1.0))
    True
    """
    there = ~np.isnan(values)
    center = np.where(there, values, 0).sum(axis=1) / there.sum(axis=1)
    away = np.where(there, values - center[:, None], 0.0)
    counts, squares = there.astype(np.float64), away**2
    means, errors, redrawn = [], [], 0
    for rng, count in blocks(replicates, seed, "topics"):
        got = 0
        while got < count:
            weights = bootstrap_weights(values.shape[1], min(count - got, max(1, WEIGHTS // values.shape[1])), rng)
            n = counts @ weights.T
            sound = (n > 0).all(axis=0)
            weights, n = weights[sound], n[:, sound]
            shift = away @ weights.T / n
            spread = np.maximum(squares @ weights.T / n - shift**2, 0)  # the variance with divisor n
            spread[spread < 1e-13 * squares.max(axis=1, initial=0)[:, None]] = 0  # nothing but rounding
            means.append(center[:, None] + shift)
            errors.append(np.sqrt(spread / np.maximum(n - 1, 1)))
            got += int(sound.sum())
            redrawn += int((~sound).sum())
    return BootstrapMeans(np.concatenate(means, axis=1), np.concatenate(errors, axis=1), redrawn)


def means_and_errors(values: Floats) -> tuple[Floats, Floats]:
    """Mean of each row over the values that are there, and its standard error s/sqrt(n), s with divisor n - 1.

    An s that is nothing but rounding is 0.

    >>> means_and_errors(np.full((1, 10), 0.3))[1].tolist()
    [0.0]
    """
    n = (~np.isnan(values)).sum(axis=1)
    spread = np.nanstd(values, axis=1, ddof=1)
    spread[spread <= ROUNDING * np.nanmax(np.abs(values), axis=1)] = 0
    return np.nanmean(values, axis=1), spread / np.sqrt(n)


def _limits(method: str, values: Floats, draws: BootstrapMeans, confidence: float) -> Limits:
    mean, se = means_and_errors(values)
    if method == "linear":
        return linear(mean, np.std(draws.means, axis=1, ddof=1), confidence)
    if method == "logit":
        return logit(mean, np.clip(draws.means, np.nanmin(values), np.nanmax(values)), confidence)
    if method == "percentile":
        return percentile(draws.means, confidence)
    if method == "basic":
        return basic(mean, draws.means, confidence)
    if method == "bca":
        return bca(mean, draws.means, Topics.means_without(values), confidence)
    return studentized(mean, se, draws.means, draws.errors, confidence)


def _notes(method: str, fell_back: Bools, redrawn: int, n: Ints, flat: Bools, confidence: float) -> tuple[str, ...]:
    notes, systems, least = [], len(n), int(n.min())
    if least < FEW:
        notes.append(f"with only {counted(least, 'topic')}, the interval depends on how their scores are distributed")
    drawn, counts = (method, n) if method in OF_DRAWS else ("percentile", n[fell_back])
    if (counts < ENOUGH).any():
        notes.append(
            f"{drawn} intervals of fewer than {ENOUGH} topics cover the mean less often than their confidence level "
            "says; use wilson or t"
        )
    if flat.any():
        wide = "the width of their intervals is meaningless"
        if method == "wilson":
            wide = "their limits are as wide as of values at the bounds"
        notes.append(
            f"{int(flat.sum())} of {systems} systems have the same value on all topics, so nothing shows how much "
            f"the mean would vary over other topics: {wide}"
        )
    of_one_topic = n ** (1.0 - n) > (1 - confidence) / 2  # the chance that a resample is one topic n times, and a tail
    few = fell_back & ~flat & of_one_topic & (method == "studentized")
    lost = {"many resamples contain only one of their few topics": few, "their topics hardly vary": fell_back & ~few}
    for why, which in lost.items():
        if which.any():
            lack = f"{method} has no value for {int(which.sum())} of {systems} systems ({why})"
            notes.append(f"{lack}; they have percentile intervals")
    if redrawn:
        notes.append(f"{redrawn} resamples that left a system without any topic were drawn again")
    return tuple(notes)
