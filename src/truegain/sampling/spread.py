"""How far the scores of one topic move over collections."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.tables.columns import Bools, Floats, Ints

ROUNDING = 1e-12  # a difference that moves less than this share of its sides does not move


@dataclass(frozen=True, eq=False)
class TopicSpread:
    """How far the scores of one topic move over collections: variances, or covariances of all systems.

    `own` is what its relevant documents bring (or all documents, where they are drawn together), `others` what the
    non-relevant ones add; systems that are not `there` have 0.
    """

    relevant: int
    there: Bools
    own: Floats
    others: Floats

    def of_systems(self) -> tuple[Floats, Floats]:
        """The variances of the systems."""
        if self.own.ndim == 1:
            return self.own, self.others
        return np.diagonal(self.own), np.diagonal(self.others)

    def mixed(self, other: TopicSpread, share: float) -> TopicSpread:
        """Two estimates of one topic together, the other one with this share."""
        own, others = ((1 - share) * x + share * y for x, y in ((self.own, other.own), (self.others, other.others)))
        return TopicSpread(self.relevant, self.there, own, others)

    def of_pairs(self, a: Ints, b: Ints, paired: bool) -> tuple[Floats, Floats]:
        """The variances of differences of pairs of systems on the same collections, or on one each."""
        return _difference(self.own, a, b, paired), _difference(self.others, a, b, paired)


def _difference(covariance: Floats, a: Ints, b: Ints, paired: bool) -> Floats:
    sides = covariance[a, a] + covariance[b, b]
    if not paired:
        return np.asarray(sides)
    moved = sides - 2 * covariance[a, b]
    return np.where(moved > ROUNDING * sides, moved, 0.0)


class DrawnSums:
    """Draws added up as they come: sums over topics, and sums of squares (or products) of each topic."""

    def __init__(self, centre: Floats, replicates: int, pairs: bool) -> None:
        """Centre: the scores of the real collection, systems by topics, NaN where a system is not there."""
        self.centre, self.there, self.replicates, self.pairs = centre, ~np.isnan(centre), replicates, pairs
        systems, topics = centre.shape
        self.total = np.zeros((systems, replicates))
        self.moved = np.zeros((systems, topics))
        self.products = np.zeros((topics, systems, systems) if pairs else (topics, systems))
        self.redrawn = 0

    def add(self, topics: slice, replicates: slice, drawn: Floats, redrawn: int) -> None:
        """Scores of systems, topics, replicates; NaN where a system is not there."""
        away = np.where(self.there[:, topics, None], drawn - self.centre[:, topics, None], 0.0)
        self.total[:, replicates] += np.where(self.there[:, topics, None], drawn, 0.0).sum(axis=1)
        self.moved[:, topics] += away.sum(axis=2)
        by_topic = away.transpose(1, 0, 2)
        self.products[topics] += by_topic @ by_topic.transpose(0, 2, 1) if self.pairs else (by_topic**2).sum(axis=2)
        self.redrawn += redrawn

    def spreads(self, relevant: Ints) -> list[TopicSpread]:
        """The variances, or covariances, of each topic over all draws."""
        found = []
        for topic, count in enumerate(relevant.tolist()):
            moved = self.moved[:, topic]
            shift = np.outer(moved, moved) if self.pairs else moved**2
            own = np.asarray((self.products[topic] - shift / self.replicates) / (self.replicates - 1))
            if not self.pairs:
                own = np.maximum(own, 0.0)  # rounding
            found.append(TopicSpread(count, self.there[:, topic], own, np.zeros_like(own)))
        return found
