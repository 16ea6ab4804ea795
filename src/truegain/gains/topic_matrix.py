"""A judge's matrix with the topics it labelled and the gold pairs it was measured on; rows of these pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from truegain.gains.confusion import Confusion
from truegain.tables.columns import Bools, Floats, Ints


class PairCodes(NamedTuple):
    """Gold pairs: a number that names each, its topic in the matrix, row and column of its labels, its weight."""

    number: Ints
    topic: Ints
    gold: Ints
    bronze: Ints
    weight: Floats


@dataclass(frozen=True, eq=False)
class TopicMatrix:
    """A judge's matrix and the topics that it labelled, among those scored; its gold pairs where they are known."""

    confusion: Confusion
    labelled: Bools
    pairs: PairCodes | None = None


@dataclass(frozen=True, eq=False)
class GoldRows:
    """Rows of the gold pairs of all systems; a pair that stands behind several of them is one row.

    more: rows of one more pair of each kind, so that a judge who made no error in a few is not taken for faultless.
    """

    topics: int
    topic: Ints  # -1 where only counts are known
    label: Ints
    moves: Floats  # row x system
    weight: Floats
    size: Floats  # label x system: pairs of each gold label, as many as unweighted ones would say as much
    more: Floats
    more_label: Ints

    @cached_property
    def sums(self) -> tuple[Floats, Floats]:
        """Moves and weights of the pairs of each gold topic and label: topic x label x system."""
        labels, known = len(self.size), self.topic >= 0
        out = np.zeros((2, self.topics * labels, self.moves.shape[1]))
        for sums, rows in zip(out, (self.moves, self.weight), strict=True):
            np.add.at(sums, self.topic[known] * labels + self.label[known], rows[known])
        moves, weight = out.reshape(2, self.topics, labels, -1)
        return moves, weight


def cells_of(c: Confusion) -> PairCodes:
    """A row for each cell of a matrix of which only counts are known."""
    g, b = (x.ravel() for x in np.indices(c.squares.shape))
    return PairCodes(g * c.squares.shape[1] + b, np.zeros(len(g), np.int64), g, b, np.sqrt(c.squares.ravel()))
