"""What a judge says, given the gold label: its confusion matrix, with the topics it labeled, and rows of gold pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from truegain.io.columns import Bools, Floats, Ints
from truegain.judge_error.confusion import Confusion
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.stats.student_t import p_of

ALPHA = 0.01  # of the test that gold pairs are a random sample


def not_at_random(binary: Confusion, whole: float) -> tuple[str, ...]:
    """Whether the share of relevant bronze labels among the gold pairs is clearly another than that of the whole."""
    pairs = float(binary.totals.sum())
    inside, topics = float(binary.counts[:, 1].sum()) / pairs, len(binary.topics)
    if topics > 1:
        moves = (binary.table[:, :, 1].sum(axis=1) - inside * binary.table.sum(axis=(1, 2))) / pairs
        se, df = math.sqrt(float(moves @ moves) * topics / (topics - 1)), topics - 1.0
    else:
        se, df = math.sqrt(inside * (1 - inside) / pairs), math.inf
    if se == 0 or p_of((inside - whole) / se, df) > ALPHA:
        return ()
    return (
        f"gold was drawn at random, yet the bronze judge calls {inside:.1%} of the gold pairs relevant and "
        f"{whole:.1%} of all: the gold pairs are not a random sample of these labels",
    )


# ---- What a judge says, given the gold label: a table.


@dataclass(frozen=True, eq=False, repr=False)
class SharesOfLabels(Table):
    """For every gold label, a row, how many pairs it has and the share of each bronze label."""


def label_table(confusion: Confusion) -> SharesOfLabels:
    """The confusion matrix: for every gold label the share of each bronze label."""
    rows: list[tuple[Cell, ...]] = [
        (f"{g:g}", count(float(n)), *(share(x, n) for x in row.tolist()))
        for g, n, row in zip(confusion.gold, confusion.totals, confusion.counts, strict=True)
    ]
    heads = tuple(f"bronze {b:g}" for b in confusion.bronze)
    title = "bronze label, given the gold label"
    return SharesOfLabels(("gold label", "pairs", *heads), rows, title=title)


def count(n: float) -> Cell:
    """A number of pairs, which weights make a fraction."""
    return int(n) if n == int(n) else n


def share(part: float, whole: float) -> float | None:
    """A part of a whole; None where there is none."""
    return None if whole == 0 else part / whole


# ---- A judge's matrix with the topics it labeled and the gold pairs it was measured on; rows of these pairs.


class PairCodes(NamedTuple):
    """Gold pairs: a number that names each, its topic in the matrix, row and column of its labels, its weight."""

    number: Ints
    topic: Ints
    gold: Ints
    bronze: Ints
    weight: Floats


@dataclass(frozen=True, eq=False)
class TopicMatrix:
    """A judge's confusion matrix and the topics that it labeled.

    Attributes
    ----------
    confusion : Confusion
        The matrix, binary or of all labels.
    labeled : ndarray of bool
        The topics that the judge labeled, among those scored.
    pairs : PairCodes or None
        The gold pairs, where they are known.
    """

    confusion: Confusion
    labeled: Bools
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
        labels, has_topic = len(self.size), self.topic >= 0
        out = np.zeros((2, self.topics * labels, self.moves.shape[1]))
        for sums, rows in zip(out, (self.moves, self.weight), strict=True):
            np.add.at(sums, self.topic[has_topic] * labels + self.label[has_topic], rows[has_topic])
        moves, weight = out.reshape(2, self.topics, labels, -1)
        return moves, weight


def cells_of(c: Confusion) -> PairCodes:
    """A row for each cell of a matrix of which only counts are known."""
    g, b = (x.ravel() for x in np.indices(c.squares.shape))
    return PairCodes(g * c.squares.shape[1] + b, np.zeros(len(g), np.int64), g, b, np.sqrt(c.squares.ravel()))
