"""Intervals over topics: means and differences of systems, geometric means, and tau over systems."""

from __future__ import annotations

import math
import warnings
from functools import cache, partial
from typing import cast

import numpy as np

import truegain as tg
from benchmarks.coverage.comparisons import KINDS, near_0
from benchmarks.coverage.made import scores_of
from benchmarks.coverage.worlds import Seen, World, held
from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.stats.intervals import TOPIC_METHODS, TopicMethod, topic_intervals
from truegain.stats.rank_correlation import METHODS, TauMethod, tau_interval

TOPICS = (3, 5, 10, 25, 50)
DIFFERENCES = ("tukey-hsd", "paired-t", "bootstrap", "welch")  # the tests that have limits
SYSTEMS = (5, 10, 20, 50)
REPLICATES = 1000


def drawn(rng: np.random.Generator, kind: str, systems: int, topics: int) -> Floats:
    """Scores from 0 to 1, as AP has them."""
    return np.asarray(np.clip((KINDS | {"near 0": near_0})[kind](rng, systems, topics), 0.0, 1.0))


@cache
def truth(kind: str, geometric: bool) -> tuple[float, float]:
    """Mean of a system's topics (of their logarithms) and its standard deviation, from two million draws."""
    x = drawn(np.random.default_rng(1), kind, 1, 2_000_000)[0]
    x = np.log(np.maximum(x, 1e-5)) if geometric else x
    return float(x.mean()), float(x.std())


def means(rng: np.random.Generator, kind: str, topics: int, measure: str) -> dict[str, Seen | None]:
    """One system's mean, by every interval over topics."""
    scores, seed = scores_of(drawn(rng, kind, 1, topics), measure), int(rng.integers(2**31))
    geometric = measure == "GMAP"
    mean, sd = truth(kind, geometric)
    value = math.exp(mean) if geometric else mean
    ideal = 2 * 1.96 * sd / math.sqrt(topics) * (value if geometric else 1)
    seen: dict[str, Seen | None] = {}
    for method in (None, *TOPIC_METHODS):
        try:
            one = topic_intervals(scores, None, cast("TopicMethod", method), replicates=REPLICATES, seed=seed)[0]
        except TruegainError:
            seen[method or "default"] = None
            continue
        seen[method or "default"] = held(one.low, one.high, value, ideal)
    return seen


def differences(rng: np.random.Generator, kind: str, topics: int) -> dict[str, Seen | None]:
    """The difference of two equal systems, by every test that has limits."""
    scores, seed = scores_of(drawn(rng, kind, 2, topics)), int(rng.integers(2**31))
    seen: dict[str, Seen | None] = {}
    for test in DIFFERENCES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                pair = tg.compare(scores, test=test, resampling=tg.Resampling(n=REPLICATES, seed=seed, jobs=1)).pairs[0]
            except TruegainError:
                seen[test] = None
                continue
        seen[test] = held(cast("float", pair.low), cast("float", pair.high), 0.0)
    return seen


def tau(rng: np.random.Generator, value: float, systems: int) -> dict[str, Seen | None]:
    """Tau of two normal score vectors, 2/pi asin(rho), by every interval over systems."""
    rho = math.sin(math.pi / 2 * value)
    x = rng.normal(size=systems)
    y = rho * x + math.sqrt(1 - rho**2) * rng.normal(size=systems)
    seen: dict[str, Seen | None] = {}
    for method in METHODS:
        found = tau_interval(x, y, cast("TauMethod", method), replicates=REPLICATES, seed=int(rng.integers(2**31)))
        seen[method] = held(found.low, found.high, value)
    return seen


WORLDS = (
    *(World(f"mean, {k}, {n} topics", partial(means, kind=k, topics=n, measure="AP"))
      for k in ("normal", "skewed", "tied", "near 0") for n in TOPICS),
    *(World(f"geometric mean, skewed, {n} topics", partial(means, kind="skewed", topics=n, measure="GMAP"))
      for n in TOPICS),
    *(World(f"difference, {k}, {n} topics", partial(differences, kind=k, topics=n)) for k in KINDS for n in TOPICS),
    *(World(f"tau {v:g}, {n} systems", partial(tau, value=v, systems=n)) for v in (0.4, 0.8) for n in SYSTEMS),
)  # fmt: skip
