"""What others would do: labels as they are, the product of all weights, sources drawn one by one and summed.

Written here, apart from the project: the rectified score with copies of topics, documents, gold pairs and assessors.
"""

from __future__ import annotations

import numpy as np

from benchmarks.study.judged import Table
from benchmarks.study.nature import DEPTH, Array, Ints, Lists, Mask
from benchmarks.study.told import CONTRASTS, ResultList, Told, answer_name

DRAWS = 100
SHOWN = 0.1  # of the studies: drawing is slow
Z = 1.959964


def labels_as_they_are(runs: dict[str, Table], labels: Table, truth: Array, measure: str = "P@10") -> ResultList:
    """Student's t over topics, as if labels were right."""
    from benchmarks.study.alone import study_of

    return study_of(runs, labels, {measure: truth}, "labels as they are")


class Drawn:
    """Rectified sums over the first ten ranks, for copies of whatever was sampled."""

    def __init__(
        self, lists: Lists, bronze: Array, gold: Array, kept: Mask, votes: tuple[Ints, Array] | None, scale: float
    ) -> None:
        order = np.argsort(-lists.score, axis=2)[:, :, : 3 * DEPTH]
        self.order, self.scale = order, scale
        self.there = lists.there
        self.bronze, self.gold, self.kept, self.votes = bronze.astype(int), gold, kept & lists.there, votes

    def values(self, topics: Array, documents: Array, pairs: Array, assessors: Array | None) -> Array:
        """The score of every system: copies of topics, of documents and of gold pairs, topic x document each."""
        gold = self.gold
        if assessors is not None and self.votes is not None:
            who, said = self.votes
            weight = assessors[who]
            mass = weight.sum(axis=2)
            gold = np.where(mass > 0, (weight * said).sum(axis=2) / np.maximum(mass, 1e-12), gold)
        systems = len(self.order)
        copies = np.take_along_axis(np.broadcast_to(documents, (systems, *documents.shape)), self.order, axis=2)
        ahead = np.cumsum(copies, axis=2)
        shown = np.minimum(ahead, DEPTH) - np.minimum(ahead - copies, DEPTH)
        at = (np.arange(len(topics))[None, :, None], self.order)
        coefficient = shown * topics[None, :, None]
        weight = topics[:, None] * documents * pairs * self.kept
        mean = np.array([np.average(gold[self.bronze == h], weights=weight[self.bronze == h] + 1e-12) for h in (0, 1)])
        expected = mean[self.bronze][at]
        sampled = coefficient * (pairs * self.kept)[at]
        error = (sampled * (gold[at] - expected)).sum(axis=(1, 2)) / np.maximum(sampled.sum(axis=(1, 2)), 1e-12)
        total = (coefficient * expected).sum(axis=(1, 2)) + coefficient.sum(axis=(1, 2)) * error
        return np.asarray(total / topics.sum() * self.scale / DEPTH)


def drawn_answers(
    lists: Lists, bronze: Array, gold: Array, kept: Mask, votes: tuple[Ints, Array] | None, truth: Array,
    rng: np.random.Generator, measure: str = "P@10",
) -> ResultList:  # fmt: skip
    """Both ways to draw: all weights multiplied, and each source alone with the variances summed; normal limits.

    In some of the studies only.
    """
    if rng.random() > SHOWN:
        return {}
    scale = 10.0 if measure == "CG@10" else 1.0
    world = Drawn(lists, bronze, gold, kept, votes, scale)
    shape, topics = lists.there.shape, len(lists.there)
    some_gold = not np.array_equal(kept & lists.there, lists.there)
    assessors = 0 if votes is None else int(votes[0].max()) + 1
    one, ones = np.ones(topics), np.ones(shape)
    size = lists.there.sum(axis=1)
    chance = lists.there / size[:, None]

    def any_topics() -> Array:
        return rng.multinomial(topics, one / topics).astype(np.float64)

    def any_documents() -> Array:
        return rng.multinomial(size, chance).astype(np.float64)

    def any_pairs() -> Array:
        return rng.poisson(1.0, shape).astype(np.float64) if some_gold else ones

    def any_assessors() -> Array | None:
        return rng.multinomial(assessors, np.ones(assessors) / assessors).astype(np.float64) if assessors else None

    product = [world.values(any_topics(), any_documents(), any_pairs(), any_assessors()) for _ in range(DRAWS)]
    alone = [[world.values(any_topics(), ones, ones, None) for _ in range(DRAWS)]]
    alone.append([world.values(one, any_documents(), ones, None) for _ in range(DRAWS)])
    if some_gold:
        alone.append([world.values(one, ones, any_pairs(), None) for _ in range(DRAWS)])
    if assessors:
        alone.append([world.values(one, ones, ones, any_assessors()) for _ in range(DRAWS)])
    value = world.values(one, ones, ones, None)
    spread = {
        "product of weights": np.cov(np.array(product).T),
        "sources summed": np.sum([np.cov(np.array(x).T) for x in alone], axis=0),
    }
    out: ResultList = {}
    for method, covariance in spread.items():
        for contrast, (a, b) in CONTRASTS.items():
            c = np.zeros(len(value))
            c[b] = 1.0
            if a is not None:
                c[a] = -1.0
            at, variance = float(c @ value), float(c @ covariance @ c)
            half = Z * np.sqrt(variance)
            out[answer_name(measure, contrast, method)] = Told(at, variance, at - half, at + half, float(c @ truth))
    return out
