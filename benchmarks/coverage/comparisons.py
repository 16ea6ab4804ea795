"""Tests of equal systems: how often each test the project offers stays silent, on a pair and on a family of pairs."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np

import truegain as tg
from benchmarks.coverage.made import scores_of
from benchmarks.coverage.worlds import Seen, World, silent
from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.stats.significance import TESTS

TOPICS = (3, 5, 10, 50)
FAMILIES = (("normal", 20), ("tied", 20), ("skewed", 60))  # 190 and 1,770 pairs
TRIALS = 1000  # of all pairs; those that are not settled get more by themselves


def normal(rng: np.random.Generator, systems: int, topics: int) -> Floats:
    """Topics that differ, systems that do not: everything normal."""
    return rng.normal(0.4, 0.15, topics) + rng.normal(0, 0.1, (systems, topics))


def skewed(rng: np.random.Generator, systems: int, topics: int) -> Floats:
    """Scores from 0 to 1, most of them small: logits normal."""
    return 1 / (1 + np.exp(-(rng.normal(-1.5, 1.2, topics) + rng.normal(0, 0.8, (systems, topics)))))


def tied(rng: np.random.Generator, systems: int, topics: int) -> Floats:
    """Tenths, as P@10 has them: many differences are 0 or equal."""
    return rng.binomial(10, skewed(rng, systems, topics)) / 10


def near_0(rng: np.random.Generator, systems: int, topics: int) -> Floats:
    """Six of ten topics score 0 and the others little: near a bound of the measure."""
    return np.where(rng.random((systems, topics)) < 0.6, 0.0, 0.2 * skewed(rng, systems, topics))


def uneven(rng: np.random.Generator, systems: int, topics: int) -> Floats:
    """Equal means, but each other system loses a little on most topics and gains much on few: skewness 1."""
    scores = np.tile(rng.normal(0.4, 0.15, topics), (systems, 1))
    scores[1::2] += 0.05 * (rng.gamma(4, 1, (len(scores[1::2]), topics)) - 4)
    return scores + rng.normal(0, 0.02, (systems, topics))


KINDS = {"normal": normal, "skewed": skewed, "tied": tied, "uneven": uneven}


def study(rng: np.random.Generator, kind: str, systems: int, topics: int) -> dict[str, Seen | None]:
    """One set of equal systems put to every test; a family is silent where no pair differs."""
    scores = scores_of(KINDS[kind](rng, systems, topics), "YAAP")  # any value will do
    seed = int(rng.integers(2**31))
    seen: dict[str, Seen | None] = {}
    for test in TESTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = tg.compare(scores, test=test, resampling=tg.Resampling(n=TRIALS, seed=seed, jobs=1))
            except TruegainError:
                seen[test] = None
                continue
        seen[test] = silent(float(np.nanmin(found.p)))
    return seen


WORLDS = (
    *(World(f"2 equal systems, {k}, {n} topics", partial(study, kind=k, systems=2, topics=n))
      for k in KINDS for n in TOPICS),
    *(World(f"{m} equal systems, {k}, 50 topics", partial(study, kind=k, systems=m, topics=50))
      for k, m in FAMILIES),
)  # fmt: skip
