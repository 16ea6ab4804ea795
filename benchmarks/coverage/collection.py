"""Other collections: topics with an endless supply of documents, of which a collection holds a few.

A topic has a mean number of relevant documents and a skill of each system there; a collection draws Poisson numbers of
relevant and other documents, and every document a score by each system (skill for relevant ones, what systems share,
what is their own).  A topic without a relevant document is drawn again.  The truth is the mean score over collections
with these topics fixed; for topics and collection together, over topics too.

Systems a and b are equal: on every topic they have the same skill, so every difference found is false.  c is better.
"""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.coverage.worlds import Seen, World, held, silent
from truegain.data.judgments import Judgments
from truegain.data.pool import DocKeys, Pool, RankedGains
from truegain.errors import DataWarning, TruegainError
from truegain.measures.catalogue import parse_measure, parse_measures
from truegain.measures.scoring import score
from truegain.parallel.jobs import Local
from truegain.stats.collection_ap import (
    EPSILON,
    LOGISTIC_METHODS,
    MEAN_METHODS,
    collection_differences,
    collection_spread,
    logistic_mean_estimates,
    mean_estimates,
    paper_topic_estimates,
)
from truegain.stats.collection_intervals import score_estimates, topic_estimates
from truegain.stats.collection_pairs import mean_differences
from truegain.stats.intervals import logits, topic_intervals
from truegain.stats.results import Comparison

Array = npt.NDArray[np.float64]
MEASURES = ("AP", "nDCG@10", "P@10")
GAINS = (0.0, 0.0, 0.5)  # of skill, by system
OTHERS = 150  # documents that are not relevant, in the mean
SHARED = 0.6  # of the variance of scores, by all systems
DRAWS = 400
ONE = Local(1)


@dataclass(frozen=True)
class Topics:
    """The mean number of relevant documents of each topic, and the skill there."""

    relevant: Array
    skill: Array

    @classmethod
    def draw(cls, kind: str, topics: int, rng: np.random.Generator) -> Topics:
        """Topics of a kind: mostly one relevant document (known items), about 3, skewed with mean 5, 6 to 30."""
        relevant = {
            "R mostly 1": lambda: rng.uniform(0.1, 0.3, topics),
            "R about 3": lambda: rng.uniform(2, 4, topics),
            "R about 10": lambda: rng.uniform(8, 12, topics),
            "R skewed, mean 5": lambda: 5 * rng.lognormal(-0.5, 1, topics),
            "R 6-30": lambda: rng.uniform(6, 30, topics),
        }[kind]()
        return cls(relevant, rng.normal(1.8, 0.7, topics))

    def one(self, topic: int) -> Topics:
        """One of the topics."""
        return Topics(self.relevant[[topic]], self.skill[[topic]])


def counts(mean: float, rng: np.random.Generator) -> int:
    """A Poisson number that is not 0."""
    while not (n := int(rng.poisson(mean))):
        pass
    return n


def scores_of(relevant: int, others: int, skill: float, rng: np.random.Generator) -> Array:
    """Scores, systems by documents, the relevant ones first."""
    size = relevant + others
    shared, own = rng.normal(size=size) * np.sqrt(SHARED), rng.normal(size=(len(GAINS), size)) * np.sqrt(1 - SHARED)
    good = np.arange(size) < relevant
    return np.asarray(shared + own + good * (skill + np.array(GAINS)[:, None]))


def collection(topics: Topics, rng: np.random.Generator) -> RankedGains:
    """One collection, aligned: lists of all its documents by every system."""
    relevant = [counts(mean, rng) for mean in topics.relevant]
    others = rng.poisson(OTHERS, len(relevant))
    labels = {f"{t:03d}": {f"{t:03d}-{i:03d}": 1 for i in range(n)} for t, n in enumerate(relevant)}
    pool = Pool.of(Judgments.of(labels))
    order = [
        np.argsort(-scores_of(r, o, s, rng), axis=1) for r, o, s in zip(relevant, others, topics.skill, strict=True)
    ]
    names = [rng.integers(1 << 62, size=o, dtype=np.uint64) for o in others]
    number = [
        np.concatenate([pool.docs.hash[pool.begin[t] : pool.begin[t + 1]], other]) for t, other in enumerate(names)
    ]
    lists = [(t, order[t][s]) for s in range(len(GAINS)) for t in range(len(relevant))]
    rank = [np.flatnonzero(docs < relevant[t]) + 1 for t, docs in lists]
    item = [docs[docs < relevant[t]] + pool.begin[t] for t, docs in lists]
    retrieved = np.array([len(docs) for _, docs in lists])
    return RankedGains(
        ("a", "b", "c"),
        pool,
        None,
        retrieved,
        np.concatenate([[0], np.cumsum([len(r) for r in rank])]),
        np.concatenate(rank),
        np.concatenate(item).astype(np.int32),
        keys=DocKeys(
            np.concatenate([number[t][docs] for t, docs in lists]), np.concatenate([[0], np.cumsum(retrieved)])
        ),
    )


def plain_scores(topics: Topics, rng: np.random.Generator) -> Array:
    """AP, nDCG@10 and P@10 of each system and topic of a collection, worked out here: measures, systems, topics."""
    out = np.empty((len(MEASURES), len(GAINS), len(topics.skill)))
    discount = np.log2(np.arange(2, 12))
    for t, (mean, skill) in enumerate(zip(topics.relevant, topics.skill, strict=True)):
        n = counts(mean, rng)
        scores = scores_of(n, int(rng.poisson(OTHERS)), skill, rng)
        for s, row in enumerate(scores):
            rank = np.sort((row[None, :] > row[:n, None]).sum(axis=1)) + 1
            top = rank[rank <= 10]
            ideal = (1 / discount[: min(n, 10)]).sum()
            out[:, s, t] = (np.arange(1, n + 1) / rank).mean(), (1 / np.log2(top + 1)).sum() / ideal, len(top) / 10
    return out


@dataclass(frozen=True)
class Truth:
    """Expected scores, measures by systems by topics; their variance over collections, and that of scores minus a's.

    `logit` and `logit_variance` are those of logit(AP), systems by topics.
    """

    topics: Topics
    mean: Array
    variance: Array
    moved: Array
    logit: Array
    logit_variance: Array


@lru_cache(maxsize=32)
def truth(kind: str, topics: int, seed: int) -> Truth:
    """Topics of a world, fixed by its name, and what is true of them."""
    rng = np.random.default_rng([seed, topics, len(kind)])
    fixed = Topics.draw(kind, topics, rng)
    drawn = np.array([plain_scores(fixed, rng) for _ in range(max(20_000 // topics, 300))])
    moved = (drawn - drawn[:, :, :1]).var(axis=0, ddof=1)
    odds = logits(drawn[:, 0], EPSILON)
    return Truth(
        fixed, drawn.mean(axis=0), drawn.var(axis=0, ddof=1), moved, odds.mean(axis=0), odds.var(axis=0, ddof=1)
    )


def fixed_topics(kind: str, topics: int, papers: bool, rng: np.random.Generator) -> dict[str, Seen | None]:
    """Scores and differences over collections, the topics held fixed."""
    true = truth(kind, topics, 7)
    ranked = collection(true.topics, rng)
    seen: dict[str, Seen | None] = {}
    draws: dict[str, Any] = {"replicates": DRAWS, "seed": int(rng.integers(1 << 31)), "engine": ONE}
    for m, name in enumerate(MEASURES):
        measure = parse_measure(name)
        expected = true.mean[m].mean(axis=1)
        ideal = 2 * 1.96 * np.sqrt(true.variance[m].sum(axis=1)) / topics
        estimate = score_estimates(ranked, measure, **draws)[0]
        seen[f"{name}, default"] = held(estimate.low, estimate.high, expected[0], ideal[0])
        found = mean_differences(ranked, measure, [(0, 1), (0, 2)], **draws).comparisons("none")
        apart = 2 * 1.96 * np.sqrt(true.moved[m].sum(axis=1)) / topics
        for s, (kind_of, c) in enumerate(zip(("equal", "real"), found, strict=True), start=1):
            gain = expected[s] - expected[0] if s == 2 else 0.0
            seen[f"{name} {kind_of} pair, default"] = told(c, gain, apart[s])
    return seen | (_papers(ranked, true, draws) if papers else {})


def told(c: Comparison, gain: float, ideal: float = 1.0) -> Seen | None:
    """Whether the interval of a difference holds the gain; None where there is no interval."""
    return None if c.low is None or c.high is None else held(c.low, c.high, gain, ideal)


def _papers(ranked: RankedGains, true: Truth, draws: dict[str, Any]) -> dict[str, Seen | None]:
    """The papers' own intervals and tests, by name."""
    seen: dict[str, Seen | None] = {}
    expected = true.mean[0].mean(axis=1)
    ideal = 2 * 1.96 * np.sqrt(true.variance[0].sum(axis=1)) / true.mean.shape[2]
    spread = collection_spread(ranked, **draws)
    for method in MEAN_METHODS:
        one = mean_estimates(spread, method)[0]
        seen[f"AP, {method}"] = held(one.low, one.high, expected[0], ideal[0])
    topics = true.mean.shape[2]
    of_logit, ideal_logit = true.logit[0].mean(), 2 * 1.96 * np.sqrt(true.logit_variance[0].sum()) / topics
    of_lmap = {f"LMAP, {method}": logistic_mean_estimates(spread, method)[0] for method in LOGISTIC_METHODS}
    of_lmap["LMAP, default"] = score_estimates(ranked, parse_measure("LMAP"), **draws)[0]
    for name, one in of_lmap.items():
        seen[name] = held(one.low, one.high, of_logit, ideal_logit)
    for scale in ("ap", "logit"):
        (pair,) = collection_differences(ranked, [(0, 1)], scale=scale, **draws)
        for method in ("fixed", "random", "hartung-knapp"):
            seen[f"{scale} equal pair, {method}"] = silent(pair.combined(method).p)  # type: ignore[arg-type]
        p = pair.one_sided_p()
        seen[f"{scale} equal pair, combined p"] = silent(2 * min(p, 1 - p))
    return seen


def one_topic(kind: str, rng: np.random.Generator) -> dict[str, Seen | None]:
    """One topic, another one in every study, and a mean of three."""
    true = truth(kind, 40, 8)
    at = int(rng.integers(40))
    ranked = collection(true.topics.one(at), rng)
    seen: dict[str, Seen | None] = {}
    for m, name in enumerate(MEASURES):
        one = topic_estimates(ranked, parse_measure(name))[0]
        seen[f"{name} of a topic, default"] = held(
            one.low, one.high, true.mean[m, 0, at], 2 * 1.96 * float(np.sqrt(true.variance[m, 0, at]))
        )
    spread = collection_spread(ranked, replicates=DRAWS, engine=ONE)
    paper = paper_topic_estimates(spread, "logit")[0]
    seen["AP of a topic, logit, small R"] = held(paper.low, paper.high, true.mean[0, 0, at])
    some = rng.choice(40, 3, replace=False)
    three = collection(Topics(true.topics.relevant[some], true.topics.skill[some]), rng)
    for m, name in enumerate(MEASURES):
        one = score_estimates(three, parse_measure(name), replicates=DRAWS, engine=ONE)[0]
        seen[f"{name} of three topics, default"] = held(one.low, one.high, float(true.mean[m, 0, some].mean()))
    seen["AP equal pair of three topics"] = None
    with contextlib.suppress(TruegainError):
        (c,) = mean_differences(three, parse_measure("AP"), [(0, 1)], engine=ONE).comparisons()
        seen["AP equal pair of three topics"] = told(c, 0.0)
    return seen


@lru_cache(maxsize=8)
def expected_over_topics(kind: str) -> Array:
    """Expected scores over topics and collections, measures by systems."""
    rng = np.random.default_rng([9, len(kind)])
    return np.asarray(plain_scores(Topics.draw(kind, 40_000, rng), rng).mean(axis=2))


def topics_too(kind: str, topics: int, rng: np.random.Generator) -> dict[str, Seen | None]:
    """Topics and collection both drawn: the interval over both is that over topics."""
    expected = expected_over_topics(kind)
    ranked = collection(Topics.draw(kind, topics, rng), rng)
    seen: dict[str, Seen | None] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        scores = score(ranked, parse_measures(list(MEASURES)))
    for m, name in enumerate(MEASURES):
        for method in ("t", "studentized"):
            one = topic_intervals(scores, name, method, replicates=DRAWS)[0]
            seen[f"{name}, topics+collection, {method}"] = held(one.low, one.high, expected[m, 0])
    return seen


WORLDS = (
    *(
        World(f"{kind}, {topics} topics", partial(fixed_topics, kind, topics, topics == 25 and kind != "R mostly 1"))
        for kind in ("R mostly 1", "R about 3", "R skewed, mean 5", "R 6-30")
        for topics in (10, 25, 50)
    ),
    *(World(f"{kind}, one topic", partial(one_topic, kind)) for kind in ("R about 3", "R about 10", "R 6-30")),
    *(World(f"{kind}, topics too, 25 topics", partial(topics_too, kind, 25)) for kind in ("R about 3", "R 6-30")),
)
