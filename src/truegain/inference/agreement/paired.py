"""Ratings of items that two or more assessors rated, and what makes them differ: the parts of Krippendorff's alpha."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truegain.tables.columns import Floats, Ints, frozen
from truegain.tables.grouped import Grouped

CELLS = 40_000_000  # a table of items by values up to this size is held in memory
DIRECT = 3000  # distinct values up to which pairs of values are gone through one by one
STEP = 0.22  # of the quadrature below; its error is about exp(-pi^2 / STEP), 3e-20


@dataclass(frozen=True, eq=False)
class Paired:
    """The pairable ratings: item i has rows begin[i] to begin[i + 1], at least two."""

    value: Floats
    item: Ints
    begin: Ints

    @classmethod
    def of(cls, ratings: Grouped) -> Paired:
        """Ratings of items with at least two."""
        keep = ratings.count >= 2
        rows = keep[ratings.item]
        count = ratings.count[keep]
        begin = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        return cls(
            frozen(ratings.value[rows]), frozen(np.repeat(np.arange(len(count)), count).astype(np.int64)), frozen(begin)
        )

    def __len__(self) -> int:
        return len(self.begin) - 1

    @cached_property
    def count(self) -> Floats:
        """Ratings per item."""
        return frozen(np.diff(self.begin).astype(np.float64))

    def per_item(self, values: Floats) -> Floats:
        """Sum per item, over the first axis."""
        summed: Floats = np.add.reduceat(values, self.begin[:-1], axis=0)
        return summed

    @cached_property
    def _coded(self) -> tuple[Floats, Ints]:
        levels, code = np.unique(self.value, return_inverse=True)
        return levels, code.astype(np.int64)

    @property
    def levels(self) -> Floats:
        """The distinct values, ascending."""
        return self._coded[0]

    @property
    def code(self) -> Ints:
        """For every rating the place of its value among the levels."""
        return self._coded[1]

    @cached_property
    def cells(self) -> Floats | None:
        """How often each item got each level, where that table is not too large."""
        if len(self) * len(self.levels) > CELLS:
            return None
        flat = np.bincount(self.item * len(self.levels) + self.code, minlength=len(self) * len(self.levels))
        return frozen(flat.reshape(len(self), len(self.levels)).astype(np.float64))

    def totals(self, weights: Floats) -> Floats:
        """How often each level occurs when items count as often as the weights say: replicates by levels."""
        if self.cells is not None:
            return np.asarray(weights @ self.cells, np.float64)
        rows = [np.bincount(self.code, weights=w[self.item], minlength=len(self.levels)) for w in weights]
        return np.array(rows)

    # ------------------------------------------------------------------ within items, between all

    def nominal(self, weights: Floats) -> tuple[Floats, Floats]:
        """Pairs that differ: within items, and among all ratings.  A row of weights is a replicate."""
        same = self.per_item(self._alike)
        within = (self.count**2 - same) / (self.count - 1)
        total = weights @ self.count
        return weights @ within, (total**2 - (self.totals(weights) ** 2).sum(axis=1)) / (total - 1)

    @cached_property
    def _alike(self) -> Floats:
        """For every rating how many of its item, itself included, have the same value."""
        order = np.lexsort((self.value, self.item))
        new = np.concatenate([[True], (np.diff(self.value[order]) != 0) | (np.diff(self.item[order]) != 0)])
        run = np.cumsum(new) - 1
        out = np.empty(len(self.value))
        out[order] = np.bincount(run)[run]
        return frozen(out)

    def interval(self, weights: Floats) -> tuple[Floats, Floats]:
        """Squared differences, by moments: sum over ordered pairs of (x - y)^2 = 2 (n sum x^2 - (sum x)^2)."""
        centred = self.value - self.value.mean()
        mean = self.per_item(centred) / self.count
        within = 2 * self.count * self.per_item((centred - mean[self.item]) ** 2) / (self.count - 1)
        total = weights @ self.count
        first, second = weights @ self.per_item(centred), weights @ self.per_item(centred**2)
        return weights @ within, 2 * (total * second - first**2) / (total - 1)

    def ordinal(self, weights: Floats) -> tuple[Floats, Floats]:
        """As interval, on mid-ranks: Krippendorff's ordinal difference is the difference of two mid-ranks."""
        counts = self.totals(weights)
        ranks = np.cumsum(counts, axis=1) - counts / 2
        total = weights @ self.count
        ranks -= total[:, None] / 2
        first, second = (counts * ranks).sum(axis=1), (counts * ranks**2).sum(axis=1)
        scale = 2 / (self.count - 1)
        within = np.empty(len(weights))
        if self.cells is not None:
            for at in range(0, len(weights), 50):
                rank = ranks[at : at + 50].T
                spread = self.count[:, None] * (self.cells @ rank**2) - (self.cells @ rank) ** 2
                within[at : at + 50] = (weights[at : at + 50] * (scale[:, None] * spread).T).sum(axis=1)
        else:
            for row, (w, rank) in enumerate(zip(weights, ranks, strict=True)):
                mine = rank[self.code]
                spread = self.count * self.per_item(mine**2) - self.per_item(mine) ** 2
                within[row] = w @ (scale * spread)
        return within, 2 * (total * second - first**2) / (total - 1)

    def ratio(self, weights: Floats) -> tuple[Floats, Floats]:
        """Squared differences over squared sums, ((x - y)/(x + y))^2, and 0 for two zeros."""
        total = weights @ self.count
        if len(self.levels) <= DIRECT:
            counts = self.totals(weights)
            among = np.einsum("bi,bi->b", counts @ _ratio(self.levels[:, None], self.levels[None, :]), counts)
        else:
            # 1 - d = 4 x y / (x + y)^2 is an integral of products, so pairs need not be gone through
            zeros = weights @ self.per_item((self.value == 0).astype(np.float64))
            waves = weights @ self._waves
            among = total**2 - zeros**2 - 4 * STEP * (waves**2).sum(axis=1)
            if (among < 1e-5 * total**2).any():  # nearly equal values: too much cancels
                among = np.array([_all_pairs(self.levels, c) for c in self.totals(weights)])
        return weights @ self._ratio_within, among / (total - 1)

    @cached_property
    def _waves(self) -> Floats:
        """Items by nodes: sum over an item's ratings x of x s exp(-x s), s on a grid even in its logarithm.

        x y / (x + y)^2 = integral over ln s of (x s exp(-x s)) (y s exp(-y s)), by the trapezoidal rule.
        """
        above = self.value[self.value > 0]
        grid = np.exp(np.arange(-np.log(above.max()) - 20.0, -np.log(above.min()) + 3.3, STEP))
        out = np.empty((len(self), len(grid)))
        for first in range(0, len(self), 4096):
            last = min(len(self), first + 4096)
            rows = slice(self.begin[first], self.begin[last])
            t = self.value[rows, None] * grid[None, :]
            out[first:last] = np.add.reduceat(t * np.exp(-t), self.begin[first:last] - self.begin[first], axis=0)
        return frozen(out)

    @cached_property
    def _ratio_within(self) -> Floats:
        """Sum over the ordered pairs of an item, over the number of its ratings less one; pairs by their distance."""
        sums, most = np.zeros(len(self)), int(self.count.max())
        last = self.begin[1:][self.item]
        rows = np.arange(len(self.value))
        for lag in range(1, most):
            rows = rows[rows + lag < last[rows]]
            apart = _ratio(self.value[rows], self.value[rows + lag])
            sums += np.bincount(self.item[rows], weights=apart, minlength=len(self))
        return frozen(2 * sums / (self.count - 1))


def _ratio(x: Floats, y: Floats) -> Floats:
    total = x + y
    part: Floats = np.divide(x - y, total, out=np.zeros(np.broadcast(x, y).shape), where=total != 0)
    return part**2


def _all_pairs(levels: Floats, counts: Floats) -> float:
    """Every pair of values, block by block: exact, and slow for very many values."""
    block = max(1, 2_000_000 // len(levels))
    parts = (
        counts[at : at + block] @ (_ratio(levels[at : at + block, None], levels[None, :]) @ counts)
        for at in range(0, len(levels), block)
    )
    return float(sum(parts))
