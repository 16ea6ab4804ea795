"""The confusion matrix of a judge: what the bronze label says, given the gold one; a weight-aware fit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from truegain.errors import InputError, TruegainError, some
from truegain.gains.pairs import Pairs
from truegain.message import arg
from truegain.tables.columns import Floats, frozen

SINGULAR = 1e8  # condition number from which on C has no inverse to speak of


@dataclass(frozen=True, eq=False)
class Confusion:
    """Weighted counts of gold pairs by topic, gold class and bronze class: C[g, b] = P(bronze b | gold g).

    Goldberg et al. 2018, ACM TOIS 36(4), table 2 and eq. 22.

    >>> c = Confusion.of_counts([[67, 17], [16, 43]])
    >>> c.matrix.round(3).tolist()
    [[0.798, 0.202], [0.271, 0.729]]
    """

    gold: tuple[float, ...]  # classes, ascending
    bronze: tuple[float, ...]
    topics: tuple[str, ...]  # of the gold pairs; () where only counts are known
    table: Floats  # topic x gold x bronze, weighted; a single slice where topics are not known
    squares: Floats  # gold x bronze, sums of squared weights
    pairs: int

    @classmethod
    def fit(cls, pairs: Pairs) -> Confusion:
        """Count the pairs, each with its weight."""
        gold, g = np.unique(pairs.gold, return_inverse=True)
        bronze = np.array(sorted(set(pairs.share) | set(pairs.bronze.tolist())))
        b = np.searchsorted(bronze, pairs.bronze)
        cells, shape = len(gold) * len(bronze), (len(gold), len(bronze))
        cell = g * len(bronze) + b
        if cells * len(pairs.topics) > 50_000_000:
            raise TruegainError(
                f"there are {len(gold)} gold and {len(bronze)} bronze labels; the correction needs a few classes: "
                "round the labels first, or give relevant= to make them binary"
            )
        flat = np.bincount(pairs.topic * cells + cell, pairs.weight, minlength=len(pairs.topics) * cells)
        table = flat.astype(np.float64).reshape(-1, *shape)
        used = np.bincount(pairs.topic, minlength=len(pairs.topics)) > 0
        squares = np.bincount(cell, pairs.weight**2, minlength=cells).astype(np.float64).reshape(shape)
        names = tuple(t for t, u in zip(pairs.topics, used, strict=True) if u)
        classes = (tuple(gold.tolist()), tuple(bronze.tolist()))
        return cls(*classes, names, frozen(table[used]), frozen(squares), len(pairs))

    @classmethod
    def of_counts(cls, counts: npt.ArrayLike) -> Confusion:
        """From counts alone: rows gold, columns bronze, classes 0, 1, ..."""
        table = np.asarray(counts, np.float64)
        if table.ndim != 2 or not (np.isfinite(table).all() and (table >= 0).all()):
            raise TruegainError("counts must be a table of numbers that are not negative: rows gold, columns bronze")
        gold, bronze = (tuple(float(i) for i in range(n)) for n in table.shape)
        return cls(gold, bronze, (), frozen(table[None]), frozen(table.copy()), int(table.sum()))

    @property
    def clustered(self) -> bool:
        """Whether the topic of every pair is known."""
        return bool(self.topics)

    @cached_property
    def counts(self) -> Floats:
        """Weighted counts over all topics."""
        return frozen(self.table.sum(axis=0))

    @cached_property
    def totals(self) -> Floats:
        """Weighted number of pairs of each gold class."""
        return frozen(self.counts.sum(axis=1))

    @cached_property
    def effective(self) -> Floats:
        """How many unweighted pairs of each gold class say as much: (sum of w)^2 / sum of w^2 (Kish)."""
        return frozen(self.totals**2 / np.maximum(self.squares.sum(axis=1), 1e-300))

    @cached_property
    def matrix(self) -> Floats:
        """C[g, b]; an error where a gold class has no pair."""
        empty = [f"{g:g}" for g, n in zip(self.gold, self.totals, strict=True) if n == 0]
        if empty:
            raise InputError(
                f"no gold pair has gold label {', '.join(empty)}",
                hint="have some judged, or merge labels: the judge's accuracy on them is unknown",
            )
        return frozen(self.counts / self.totals[:, None])

    @cached_property
    def condition(self) -> float:
        """Condition number of C: how much an error in the bronze shares grows."""
        return float(np.linalg.cond(self.matrix))

    def binary(self, bronze_level: float, gold_relevant_from: float) -> Confusion:
        """The same pairs with labels cut into 0 and 1 at a level each."""
        g = (np.asarray(self.gold) >= gold_relevant_from).astype(int)
        b = (np.asarray(self.bronze) >= bronze_level).astype(int)
        table, squares = np.zeros((len(self.table), 2, 2)), np.zeros((2, 2))
        for i, gi in enumerate(g):
            for k, bk in enumerate(b):
                table[:, gi, bk] += self.table[:, i, k]
                squares[gi, bk] += self.squares[i, k]
        missing = [w for w, n in zip(("non-relevant", "relevant"), table.sum(axis=(0, 2)), strict=True) if n == 0]
        if missing:
            raise InputError(
                f"no gold pair is {' or '.join(missing)} at gold level {gold_relevant_from:g}",
                hint="the judge's accuracy on such documents is unknown: have some judged, or use another level",
            )
        return Confusion((0.0, 1.0), (0.0, 1.0), self.topics, frozen(table), frozen(squares), self.pairs)

    def square(self) -> Confusion:
        """The same on one scale for both judges, refused where C has no inverse."""
        scale = sorted(set(self.gold) | set(self.bronze))
        if len(scale) > 12:
            raise TruegainError(
                f"{len(scale)} different labels make {len(scale)} classes; correct graded measures on a few: "
                "round the labels first"
            )
        never = [f"{b:g} ({n:.0f} of the gold pairs)" for b, n in zip(self.bronze, self.counts.sum(axis=0), strict=True)
                 if b not in self.gold]  # fmt: skip
        if never:
            raise InputError(
                f"{some(never, 8)}: a bronze label that gold never uses, so how the judge comes to give it is unknown",
                hint="have more pairs gold-judged, merge labels, or use a binary measure such as P@10; if it is a slip "
                f"of the judge, give the labels there are ({arg('scale', '0:3')}, {arg('out_of_range', 'drop')})",
            )
        g, b = np.searchsorted(scale, self.gold), np.searchsorted(scale, self.bronze)
        table, squares = np.zeros((len(self.table), len(scale), len(scale))), np.zeros((len(scale), len(scale)))
        table[:, g[:, None], b[None, :]] = self.table
        squares[g[:, None], b[None, :]] = self.squares
        both = Confusion(tuple(scale), tuple(scale), self.topics, frozen(table), frozen(squares), self.pairs)
        if not both.condition < SINGULAR:
            raise TruegainError(
                f"the confusion matrix of {len(scale)} labels has no inverse: in these gold pairs the bronze judge "
                "does not tell some labels apart; merge labels, use a binary measure such as P@10, or judge more pairs"
            )
        return both

    def reweighted(self, weight: npt.ArrayLike) -> Confusion:
        """The fit with each topic's pairs weighted again, as a replicate of the joint model does.

        `weight` has one value a topic of the gold pairs.
        """
        w = np.asarray(weight, np.float64)
        if w.shape != (len(self.table),):
            raise TruegainError(f"give one weight for each of the {len(self.table)} gold topics, not {w.shape}")
        table = self.table * w[:, None, None]
        share = np.divide(table.sum(axis=0), self.counts, out=np.zeros_like(self.counts), where=self.counts > 0)
        return Confusion(self.gold, self.bronze, self.topics, frozen(table), frozen(self.squares * share), self.pairs)
