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

    def of_pairs(self, a: Ints, b: Ints, paired: bool) -> tuple[Floats, Floats]:
        """The variances of differences of pairs of systems on the same collections, or on one each."""
        return _difference(self.own, a, b, paired), _difference(self.others, a, b, paired)


def _difference(covariance: Floats, a: Ints, b: Ints, paired: bool) -> Floats:
    sides = covariance[a, a] + covariance[b, b]
    if not paired:
        return np.asarray(sides)
    moved = sides - 2 * covariance[a, b]
    return np.where(moved > ROUNDING * sides, moved, 0.0)
