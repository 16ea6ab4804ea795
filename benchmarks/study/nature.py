"""A world to study: kinds of topics with an endless supply of documents, three systems, and their true scores.

A topic is of one of 17 kinds, each as likely.  A kind has a mean number of relevant documents and a skill of each
system; a topic's documents are drawn anew: Poisson numbers of relevant and of other documents, each with a score by
every system (skill where relevant, what systems share, what is their own).  Kinds come in pairs in which the skills of
a and b are exchanged, so over kinds a and b are exactly equal though no topic is a tie; c is better.  Of so many kinds
in turn, a and b are equal as well.

    score = sqrt(.6) shared + sqrt(.4) own + skill if relevant
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

SYSTEMS = ("a", "b", "c")
KINDS = 17
OTHERS = 34.0  # documents that are not relevant, in the mean
SHARED = 0.6
GAIN = 0.3  # of c's skill
DEPTH = 10
BLOCK = 4000  # topics drawn at a time for the truth
MEASURES = ("P@10", "nDCG@10", "AP")


@dataclass(frozen=True)
class Nature:
    """Kinds of topics: the mean number of relevant documents, and the skill of each system."""

    relevant: Array
    skill: Array  # kind x system

    @classmethod
    def made(cls) -> Nature:
        """Eight pairs of kinds, and one in which a and b are alike."""
        rng = np.random.default_rng(1711)
        half = KINDS // 2
        base, apart, own = rng.normal(1.5, 0.5, half), rng.normal(0, 0.35, half), rng.normal(GAIN, 0.35, half)
        relevant = rng.uniform(6, 16, half)
        skill = np.empty((KINDS, len(SYSTEMS)))
        skill[0:-1:2] = np.column_stack([base + apart, base - apart, base + own])
        skill[1:-1:2] = np.column_stack([base - apart, base + apart, base + own])
        skill[-1] = 1.5, 1.5, 1.5 + GAIN
        return cls(np.append(np.repeat(relevant, 2), 11.0), skill)


@cache
def nature() -> Nature:
    """The world's kinds of topics."""
    return Nature.made()


def any_kinds(topics: int, rng: np.random.Generator) -> Ints:
    """Topics like these: kinds at random."""
    return rng.integers(KINDS, size=topics)


def these_kinds(topics: int) -> Ints:
    """A set of topics in which a and b are exactly equal: pairs of kinds in turn, an odd one of the kind without."""
    kinds = np.arange(topics) % (KINDS - 1)
    if topics % 2:
        kinds[-1] = KINDS - 1
    return kinds


@dataclass(frozen=True)
class Lists:
    """Topics with their documents: true relevance, which documents there are, scores of each system."""

    relevant: Mask  # topic x document
    there: Mask
    score: Array  # system x topic x document; lowest where there is none

    @classmethod
    def draw(cls, kinds: Ints, rng: np.random.Generator) -> Lists:
        """Documents of topics of these kinds."""
        world = nature()
        good = np.maximum(rng.poisson(world.relevant[kinds]), 1)
        size = good + np.maximum(rng.poisson(OTHERS, len(kinds)), 2 * DEPTH)
        at = np.arange(size.max())
        relevant, there = at < good[:, None], at < size[:, None]
        shape = (len(SYSTEMS), *there.shape)
        score = np.sqrt(SHARED) * rng.standard_normal(shape[1:]) + np.sqrt(1 - SHARED) * rng.standard_normal(shape)
        score += relevant * world.skill[kinds].T[:, :, None]
        return cls(relevant, there, np.where(there, score, -np.inf))

    @property
    def right(self) -> Array:
        """Right labels, 0 and 1."""
        return self.relevant.astype(np.float64)

    @property
    def rank(self) -> Ints:
        """From 0, system x topic x document."""
        order = np.argsort(-self.score, axis=2)
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.broadcast_to(np.arange(order.shape[2]), order.shape), axis=2)
        return rank

    def measured(self, label: Array) -> Array:
        """P@10, nDCG@10 and AP of 0/1 labels, topic x document, worked out here: measure x system x topic."""
        order = np.argsort(-self.score, axis=2)
        gain = np.take_along_axis(np.broadcast_to(label * self.there, self.score.shape), order, axis=2)
        total = (label * self.there).sum(axis=1)
        top = gain[:, :, :DEPTH]
        discount = 1 / np.log2(np.arange(2, DEPTH + 2))
        best = np.concatenate([[0.0], np.cumsum(discount)])[np.minimum(total, DEPTH).astype(int)]
        found = np.cumsum(gain, axis=2)
        ranks = np.arange(1, gain.shape[2] + 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            ndcg = np.where(total > 0, (top * discount).sum(axis=2) / best, 0.0)
            ap = np.where(total > 0, (gain * found / ranks).sum(axis=2) / total, 0.0)
        return np.stack([top.mean(axis=2), ndcg, ap])


def true_scores(draws: int, seed: int) -> Array:
    """The mean score of each kind of topic under right labels: measure x system x kind."""
    rng = np.random.default_rng(seed)
    out = np.zeros((len(MEASURES), len(SYSTEMS), KINDS))
    for kind in range(KINDS):
        for first in range(0, draws, BLOCK):
            count = min(BLOCK, draws - first)
            lists = Lists.draw(np.full(count, kind), rng)
            out[:, :, kind] += lists.measured(lists.right).sum(axis=2) / draws
    return mirrored(out)


def mirrored(score: Array) -> Array:
    """Of kinds: what a scores in one of a pair, b scores in the other, so both are taken together."""
    mirror = np.append(np.arange(KINDS - 1) ^ 1, KINDS - 1)
    return np.asarray((score + score[:, [1, 0, 2]][:, :, mirror]) / 2)
