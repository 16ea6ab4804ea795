"""Few relevant documents: other collections for measures under a cutoff or a normalization, the topics held fixed.

The worlds of `collection`, with labels 1 and 2 and more kinds of topics.  Systems rank all documents; measures of
sets are of those that a system scores above a threshold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from benchmarks.coverage.collection import GAINS, OTHERS, Topics, counts, scores_of
from benchmarks.coverage.worlds import Seen, World, held
from truegain.data.judgments import Judgments
from truegain.data.pool import DocKeys, Pool, RankedGains
from truegain.measures.catalogue import parse_measure
from truegain.parallel.jobs import Local
from truegain.stats.collection_intervals import pooled, spread_rule, spreads_of
from truegain.stats.contrasts import Contrasts
from truegain.stats.student_t import quantiles_of

Array = npt.NDArray[np.float64]
Keys = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
RANKED = ("AP", "nDCG@10", "nDCG", "RR", "RR@10", "ERR@10", "Rprec", "R@10")
SETS = ("SetP", "SetR", "SetF")
FAMILIES = {"AP": ("AP",), "nDCG": ("nDCG@10", "nDCG"), "RR": ("RR@10", "ERR@10"), "R": ("Rprec", "R@10"), "sets": SETS}
DRAWS = 100
ONE = Local(1)
KINDS = ("R skewed, mean 5", "R 1-4", "R log-normal about 10", "R 6-30")
BEST = 0.3  # of relevant documents have label 2
THRESHOLD = 1.2
PAIRS = (("score", None, 0), ("equal pair", 0, 1), ("real pair", 0, 2))


@dataclass(frozen=True)
class Collected:
    """One collection: lists of all its documents, and of those above the threshold."""

    ranked: RankedGains
    above: RankedGains

    def of(self, measure: str) -> RankedGains:
        """The lists that a measure is asked of."""
        return self.above if measure in SETS else self.ranked


def topics_of(kind: str, topics: int, rng: np.random.Generator) -> Topics:
    """Topics of a kind, those of `collection` and two more."""
    more = {
        "R 1-4": lambda: rng.uniform(1, 3, topics),  # of a Poisson number that is not 0: a third is 1
        "R log-normal about 10": lambda: 10 * rng.lognormal(-0.32, 0.8, topics),
    }
    if kind not in more:
        return Topics.draw(kind, topics, rng)
    return Topics(more[kind](), rng.normal(1.8, 0.7, topics))


def collected(topics: Topics, rng: np.random.Generator) -> Collected:
    """One collection, aligned."""
    relevant = [counts(mean, rng) for mean in topics.relevant]
    others = rng.poisson(OTHERS, len(relevant))
    labels = {
        f"{t:03d}": {f"{t:03d}-{i:03d}": 1 + int(rng.random() < BEST) for i in range(n)} for t, n in enumerate(relevant)
    }
    pool = Pool.of(Judgments.of(labels))
    scored = [scores_of(r, o, s, rng) for r, o, s in zip(relevant, others, topics.skill, strict=True)]
    order = [np.argsort(-s, axis=1) for s in scored]
    names = [rng.integers(1 << 62, size=o, dtype=np.uint64) for o in others]
    key = [np.concatenate([pool.docs.hash[pool.begin[t] : pool.begin[t + 1]], n]) for t, n in enumerate(names)]
    every = [(s, t) for s in range(len(GAINS)) for t in range(len(relevant))]
    whole = _aligned(pool, relevant, key, [(t, order[t][s]) for s, t in every])
    above = [(t, order[t][s][: int((scored[t][s] > THRESHOLD).sum())]) for s, t in every]
    return Collected(whole, _aligned(pool, relevant, key, above))


def _aligned(pool: Pool, relevant: list[int], key: list[Keys], lists: list[tuple[int, Numbers]]) -> RankedGains:
    """Lists of a collection, each of a topic's documents by number, the relevant ones first."""
    rank = [np.flatnonzero(docs < relevant[t]) + 1 for t, docs in lists]
    item = [docs[docs < relevant[t]] + pool.begin[t] for t, docs in lists]
    retrieved = np.array([len(docs) for _, docs in lists])
    keys = DocKeys(np.concatenate([key[t][docs] for t, docs in lists]), np.concatenate([[0], np.cumsum(retrieved)]))
    begin = np.concatenate([[0], np.cumsum([len(r) for r in rank])])
    return RankedGains(
        ("a", "b", "c"), pool, None, retrieved, begin, np.concatenate(rank), np.concatenate(item).astype(np.int32),
        keys=keys,
    )  # fmt: skip


def scores(found: Collected, names: tuple[str, ...] = (*RANKED, *SETS)) -> Array:
    """Measures by systems by topics."""
    return np.array([parse_measure(name).score(found.of(name)) for name in names], np.float64)


@dataclass(frozen=True)
class Truth:
    """Topics of a world; mean scores over collections, and variances of the mean: measures by score, pair, pair."""

    topics: Topics
    mean: Array
    variance: Array


@lru_cache(maxsize=16)
def truth(kind: str, topics: int, collections: int = 400) -> Truth:
    """What is true of a world whose topics its name fixes."""
    rng = np.random.default_rng([11, topics, len(kind)])
    fixed = topics_of(kind, topics, rng)
    drawn = np.array([scores(collected(fixed, rng)) for _ in range(collections)])  # draw, measure, system, topic
    asked = np.stack([drawn[:, :, b] - (0 if a is None else drawn[:, :, a]) for _, a, b in PAIRS], axis=2)
    return Truth(fixed, asked.mean(axis=(0, 3)), asked.var(axis=0, ddof=1).sum(axis=2) / topics**2)


def study(kind: str, topics: int, names: tuple[str, ...], rng: np.random.Generator) -> dict[str, Seen | None]:
    """Scores and differences over collections, the topics held fixed; and what a test over topics finds."""
    true, seen = truth(kind, topics), {}
    found, seed = collected(true.topics, rng), int(rng.integers(1 << 31))
    contrasts = Contrasts.of([(a, b) for _, a, b in PAIRS])
    for name in names:
        m, measure = (*RANKED, *SETS).index(name), parse_measure(name)
        spreads = spreads_of(found.of(name), measure, pairs=True, replicates=DRAWS, seed=seed, engine=ONE)
        variance, freedom = pooled(spreads, contrasts, spread_rule(measure).lone).total()
        by_topic = contrasts.values(scores(found, (name,))[0].T)
        value, se = by_topic.mean(axis=0), np.sqrt(variance) / topics
        step = quantiles_of(0.95, freedom) * se
        alone = quantiles_of(0.95, np.full(3, topics - 1.0)) * by_topic.std(axis=0, ddof=1) / np.sqrt(topics)
        for i, (what, _, _) in enumerate(PAIRS):
            expected = 0.0 if what == "equal pair" else float(true.mean[m, i])
            one = held(value[i] - step[i], value[i] + step[i], expected, 2 * 1.96 * float(np.sqrt(true.variance[m, i])))
            ratio, told = float(se[i] ** 2 / true.variance[m, i]), float(value[i] > step[i])
            seen[f"{name} {what}"] = replace(one, ratio=ratio, found=told if what == "real pair" else float("nan"))
            if what == "real pair":  # the claim is another one: only what it finds is of interest here
                over = held(value[i] - alone[i], value[i] + alone[i], expected)
                seen[f"{name} {what}, over topics"] = replace(over, found=float(value[i] > alone[i]))
    return {answer: None if np.isnan(one.width) else one for answer, one in seen.items()}


WORLDS = tuple(
    World(f"{kind}, {topics} topics, {family}", partial(study, kind, topics, names))
    for kind in KINDS
    for topics in (25, 50)
    for family, names in FAMILIES.items()
)
