"""How far would a system's mean move with other topics: intervals over topics, paired over systems."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from truegain.errors import TruegainError, some
from truegain.inference import limits as intervals
from truegain.inference.limits import Limits
from truegain.inference.monte_carlo import check_replicates
from truegain.inference.results import Estimate
from truegain.measures.topic_means import TopicMeans
from truegain.sampling.bootstrap import bootstrap_weights
from truegain.sampling.streams import blocks
from truegain.sampling.topics import Topics
from truegain.student import check_confidence
from truegain.tables.columns import Bools, Floats, Ints
from truegain.tables.scores import Scores

TopicMethod = Literal["wilson", "t", "studentised", "linear", "logit", "percentile", "basic", "bca"]
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

    In every replicate the same topics are drawn for all systems (n of n, with replacement); a topic that a system has
    no value for weighs nothing for it.  `method` is one of 'wilson' and 't' (no resampling), 'linear' (mean +- z s, s
    the standard deviation of the replicates), 'logit', 'percentile', 'basic', 'bca' and 'studentised', each as in
    `truegain.inference.limits`; unless given it is 'wilson', and 't' where the measure has no bounds or is a
    geometric mean, which is handled in logarithms.  Limits are cut at the bounds of the measure.

    >>> import truegain as tg
    >>> run = {str(t): {"a": 2.0, "b": 1.0} for t in range(9)}
    >>> qrels = {str(t): {"ab"[t % 3 == 0]: 1} for t in range(9)}
    >>> print(topic_intervals(tg.evaluate(run, qrels, "AP"), method="t")[0])
    run AP 0.8333 [0.6412, 1.0000] 95% over topics, t
    """
    if method is not None and method not in TOPIC_METHODS:
        raise TruegainError(f"no interval over topics is called {method!r}; there are {', '.join(TOPIC_METHODS)}")
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
        raise TruegainError(f"wilson limits need a mean between bounds, and {data.measure} is none; take t")
    if method == "logit" and data.in_logs:
        raise TruegainError(
            f"{data.measure} is a geometric mean, handled in logarithms, and has no logit limits; take t"
        )
    if method == "wilson":
        limits = intervals.wilson(mean, se, n, data.bounds, confidence)
    elif method == "t":
        limits = intervals.student(mean, se, n - 1, confidence)
    else:
        draws = bootstrap_means(data.values, check_replicates(replicates, confidence), seed)
        se, redrawn = np.where(flat, 0.0, np.std(draws.means, axis=1, ddof=1)), draws.redrawn
        limits = _limits(method, data.values, draws, confidence)
    fell_back = np.broadcast_to(limits.fell_back, n.shape)
    back, notes = data.back, _notes(method, fell_back, redrawn, n, flat, confidence)
    low, high = intervals.within(back(limits.low), back(limits.high), data.bounds, value=back(mean))
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
    centre = np.where(there, values, 0).sum(axis=1) / there.sum(axis=1)
    away = np.where(there, values - centre[:, None], 0.0)
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
            means.append(centre[:, None] + shift)
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
    spread[spread <= intervals.ROUNDING * np.nanmax(np.abs(values), axis=1)] = 0
    return np.nanmean(values, axis=1), spread / np.sqrt(n)


def _limits(method: str, values: Floats, draws: BootstrapMeans, confidence: float) -> Limits:
    mean, se = means_and_errors(values)
    if method == "linear":
        return intervals.linear(mean, np.std(draws.means, axis=1, ddof=1), confidence)
    if method == "logit":
        return intervals.logit(mean, np.clip(draws.means, np.nanmin(values), np.nanmax(values)), confidence)
    if method == "percentile":
        return intervals.percentile(draws.means, confidence)
    if method == "basic":
        return intervals.basic(mean, draws.means, confidence)
    if method == "bca":
        return intervals.bca(mean, draws.means, Topics.means_without(values), confidence)
    return intervals.studentised(mean, se, draws.means, draws.errors, confidence)


def _notes(method: str, fell_back: Bools, redrawn: int, n: Ints, flat: Bools, confidence: float) -> tuple[str, ...]:
    notes, systems, least = [], len(n), int(n.min())
    if least < FEW:
        notes.append(f"{least} topics are few: an interval of them leans on the shape of their scores")
    drawn, counts = (method, n) if method in OF_DRAWS else ("percentile", n[fell_back])
    if (counts < ENOUGH).any():
        notes.append(
            f"{drawn} limits of fewer than {ENOUGH} topics hold the mean less often than they say; take wilson or t"
        )
    if flat.any():
        wide = "the width of their limits means nothing"
        if method == "wilson":
            wide = "their limits are as wide as of values at the bounds"
        notes.append(
            f"{int(flat.sum())} of {systems} systems have the same value on all topics, so that nothing tells how far "
            f"the mean would move over others: {wide}"
        )
    alone = n ** (1.0 - n) > (1 - confidence) / 2  # the chance that a resample is one topic n times, and a tail
    few = fell_back & ~flat & alone & (method == "studentised")
    lost = {"of their few topics many resamples hold only one": few, "their topics hardly vary": fell_back & ~few}
    for why, which in lost.items():
        if which.any():
            lack = f"{method} has no value for {int(which.sum())} of {systems} systems ({why})"
            notes.append(f"{lack}; they have percentile intervals")
    if redrawn:
        notes.append(f"{redrawn} resamples that left a system without any topic were drawn again")
    return tuple(notes)
