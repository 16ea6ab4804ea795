"""Kendall's tau of two orders of systems with an interval over topics."""

from __future__ import annotations

import math

import numpy as np

from truegain.errors import TruegainError, counted
from truegain.io.columns import Floats
from truegain.measures.scoring import TopicMeans, settled
from truegain.sampling.streams import blocks, bootstrap_weights
from truegain.stats.multiple_testing import check_replicates
from truegain.stats.rank_correlation import Variant, kendall_tau
from truegain.stats.results import Estimate
from truegain.stats.student_t import check_confidence, quantile_of, wilson

METHOD = "wilson, resampled topics"
LEAST_TOPICS = 3  # fewer are refused
SIGNS = 4_000_000  # signs of pairs held at a time


def tau_over_topics(
    a: TopicMeans,
    b: TopicMeans,
    *,
    variant: Variant = "b",
    confidence: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Kendall's tau of the mean scores by a and by b, with an interval over topics like these; systems stay the same.

    Topics are drawn with replacement, the same ones for a and b, and tau* is that of the means over them.  Resampled
    means are noisier than the means themselves, so tau* lies below tau and its quantiles cover too little.  Its mean m
    and standard deviation s give the number of pairs N = (1 - m^2)/s^2 that would vary as much, and the limits are
    Wilson's of the share of concordant pairs (1 + tau)/2 of N.  They are for the tau that sets of as many topics have
    on average: a larger set ranks the systems more reliably, and its tau is mostly higher.

    a and b have the same systems and topics.  Resamples in which a system has no topic or all systems tie are left out.

    >>> rng = np.random.default_rng(1)
    >>> values = np.linspace(0.4, 0.6, 6)[:, None] + rng.normal(0, 0.2, (6, 30))
    >>> both = [TopicMeans("AP", tuple("abcdef"), range(30), v, np.asarray, (0.0, 1.0)) for v in (values, values**2)]
    >>> print(tau_over_topics(*both, replicates=500))
    tau-b 1.0000 [0.6143, 1.0000] 95% over topics, wilson, resampled topics
    """
    check_confidence(confidence)
    check_replicates(replicates, confidence)
    if len(a.topics) < LEAST_TOPICS:
        raise TruegainError(f"{counted(len(a.topics), 'topic')} cannot be resampled; have at least {LEAST_TOPICS}")
    value = kendall_tau(a.means(), b.means(), variant)
    taus = np.concatenate(
        [
            _taus(a, b, bootstrap_weights(len(a.topics), count, rng), variant)
            for rng, count in blocks(replicates, seed, "topics of two orders")
        ]
    )
    taus = taus[~np.isnan(taus)]
    notes: tuple[str, ...] = ()
    if len(taus) < replicates:
        notes = (f"{replicates - len(taus)} resamples of topics without an order were left out",)
    if len(taus) < 2:
        notes = (*notes, "there is no interval over topics, because resamples of topics have no order")
        low, high, se = math.nan, math.nan, math.nan
    elif np.ptp(taus) == 0:
        notes = (*notes, "the interval over topics has no width, because no resample of topics changes an order")
        low, high, se = value, value, 0.0
    else:
        mean, se = float(taus.mean()), float(taus.std(ddof=1))
        shares = wilson((1 + value) / 2, (1 - mean**2) / se**2, quantile_of(confidence))
        low, high = min(2 * float(shares[0]) - 1, value), max(2 * float(shares[1]) - 1, value)
    n = len(a.topics)
    return Estimate("", f"tau-{variant}", value, low, high, confidence, "topics", METHOD, se, n, notes=notes)


def _taus(a: TopicMeans, b: TopicMeans, weights: Floats, variant: Variant) -> Floats:
    """Tau of the means over weighted topics, a row of weights each; NaN where a system has none, or all tie."""
    first, second = np.triu_indices(len(a.systems), 1)
    taus = np.empty(len(weights))
    step = max(1, SIGNS // max(1, len(first)))
    for begin in range(0, len(weights), step):
        rows = slice(begin, begin + step)
        x, y = (_weighted_means(data, weights[rows]) for data in (a, b))
        sx, sy = (np.sign(means[:, first] - means[:, second]) for means in (x, y))
        agree = (sx * sy).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            untied = np.sqrt(np.abs(sx).sum(axis=1) * np.abs(sy).sum(axis=1))
            taus[rows] = agree / (untied if variant == "b" else np.where(untied > 0, len(first), 0.0))
    return np.where(np.isfinite(taus), taus, np.nan)


def _weighted_means(data: TopicMeans, weights: Floats) -> Floats:
    """The summary of each system under each row of weights of the topics; NaN where a system has none of them."""
    there = data.there
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (weights @ np.where(there, data.values, 0.0).T) / (weights @ there.T.astype(np.float64))
    return settled(np.asarray(data.back(means)))
