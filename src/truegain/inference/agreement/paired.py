"""Ratings of items that two or more assessors rated, and what makes them differ: the parts of Krippendorff's alpha."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from truegain.tables.alike import alike, scale_of
from truegain.tables.columns import Bools, Floats, Ints, frozen
from truegain.tables.grouped import Grouped

CELLS = 40_000_000  # a table of items by values up to this size is held in memory,
FULL = 64  # if it has no more than so many cells a rating
ROWS = 50  # replicates at a time with such a table; without it one
DIRECT = 200  # distinct values up to which pairs of values are gone through one by one
STEP, POINTS = 0.1, 16  # of the grid of logarithms below, and how many of its points stand for a value
FAR = 40.0  # logarithms so far apart differ by 1 to the last bit
ROOM = 2_000_000  # numbers of a table held at a time


class Parts(NamedTuple):
    """Sums of differences over ordered pairs of ratings, a number for each replicate."""

    within: Floats  # of each item, over the number of its ratings less one
    among: Floats  # of any two ratings, over the number of all less one
    own: Floats  # of each item, as they are


@dataclass(frozen=True, eq=False)
class Paired:
    """The pairable ratings: item i has rows begin[i] to begin[i + 1], at least two, and `assessor` says whose."""

    value: Floats
    item: Ints
    begin: Ints
    assessor: Ints

    @classmethod
    def of(cls, ratings: Grouped) -> Paired:
        """Ratings of items with at least two, items by name, so that a draw does not depend on the order of rows."""
        return cls.rows(ratings.value, ratings.place[ratings.item], ratings.who)

    @classmethod
    def rows(cls, value: Floats, item: Ints, assessor: Ints) -> Paired:
        """Ratings of items with at least two, in the order of the items' numbers."""
        count = np.bincount(item, minlength=1)
        keep = np.flatnonzero(count[item] >= 2)
        keep = keep[np.argsort(item[keep], kind="stable")]
        _, code, size = np.unique(item[keep], return_inverse=True, return_counts=True)
        begin = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
        return cls(
            frozen(value[keep]), frozen(code.astype(np.int64)), frozen(begin), frozen(assessor[keep].astype(np.int64))
        )

    def take(self, keep: Bools) -> Paired:
        """Some of the ratings, without items that are left with one."""
        return Paired.rows(self.value[keep], self.item[keep], self.assessor[keep])

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
        if len(self) * len(self.levels) > min(CELLS, FULL * len(self.value)):
            return None
        flat = np.bincount(self.item * len(self.levels) + self.code, minlength=len(self) * len(self.levels))
        return frozen(flat.reshape(len(self), len(self.levels)).astype(np.float64))

    @cached_property
    def _ascending(self) -> tuple[Ints, Ints, Ints]:
        """By value: the item and the code of every rating, and where each level begins."""
        order = np.argsort(self.code, kind="stable")
        return self.item[order], self.code[order], np.searchsorted(self.code[order], np.arange(len(self.levels)))

    def totals(self, weights: Floats) -> Iterator[tuple[slice, Floats]]:
        """How often each level occurs when items count as often as the weights say, some replicates at a time."""
        item, _, begin = self._ascending
        step = 1 if self.cells is None else ROWS
        for first in range(0, len(weights), step):
            rows = slice(first, first + step)
            if self.cells is None:
                yield rows, np.add.reduceat(weights[first][item], begin)[None, :]
            else:
                yield rows, _product(weights[rows], self.cells)

    # ------------------------------------------------------------------ within items, between all

    def nominal(self, weights: Floats) -> Parts:
        """Pairs that differ: within items, and among all ratings.  A row of weights is a replicate."""
        own = self.count**2 - self.per_item(self.alike)
        total = weights @ self.count
        alike = np.concatenate([(counts**2).sum(axis=1) for _, counts in self.totals(weights)])
        return self._parts(weights, own, total**2 - alike)

    def _parts(self, weights: Floats, own: Floats, among: Floats) -> Parts:
        """The parts, of sums over the pairs of each item and over all."""
        return Parts(weights @ (own / (self.count - 1)), among / (weights @ self.count - 1), weights @ own)

    @cached_property
    def alike(self) -> Floats:
        """For every rating how many of its item, itself included, have the same value."""
        return alike(self.item, self.value)

    def interval(self, weights: Floats) -> Parts:
        """Squared differences, by moments: sum over ordered pairs of (x - y)^2 = 2 (n sum x^2 - (sum x)^2)."""
        value = self.value / scale_of(self.value)  # alpha does not depend on the unit
        centred = value - value.mean()
        mean = self.per_item(centred) / self.count
        own = 2 * self.count * self.per_item((centred - mean[self.item]) ** 2)
        first, second = weights @ self.per_item(centred), weights @ self.per_item(centred**2)
        return self._parts(weights, own, 2 * ((weights @ self.count) * second - first**2))

    def ordinal(self, weights: Floats) -> Parts:
        """As interval, on mid-ranks: Krippendorff's ordinal difference is the difference of two mid-ranks."""
        total = weights @ self.count
        within, among, own = np.empty((3, len(weights)))
        for rows, counts in self.totals(weights):
            n = total[rows]
            rank = np.cumsum(counts, axis=1) - (counts + n[:, None]) / 2  # their sum is 0
            among[rows] = 2 * n * (counts * rank**2).sum(axis=1) / (n - 1)
            spread = self.count * self._per_item_of_levels(rank**2) - self._per_item_of_levels(rank) ** 2
            own[rows] = 2 * np.einsum("bi,bi->b", weights[rows], spread)
            within[rows] = 2 * np.einsum("bi,bi->b", weights[rows], spread / (self.count - 1))
        return Parts(within, among, own)

    def _per_item_of_levels(self, values: Floats) -> Floats:
        """Replicates by items: the sum over an item's ratings of a number for each level."""
        if self.cells is not None:
            return np.asarray(values @ self.cells.T, np.float64)
        item, code, _ = self._ascending
        return np.stack([np.bincount(item, row[code], len(self)).astype(np.float64) for row in values])

    def ratio(self, weights: Floats) -> Parts:
        """Squared differences over squared sums, ((x - y)/(x + y))^2, and 0 for two zeros."""
        if len(self.levels) <= DIRECT:
            apart = _ratio(self.levels[:, None], self.levels[None, :])
            among = np.concatenate(
                [np.einsum("bi,bi->b", counts @ apart, counts) for _, counts in self.totals(weights)]
            )
        else:
            zeros = weights @ self.per_item((self.value == 0).astype(np.float64))
            among = 2 * zeros * (weights @ self.count - zeros) + self._ratio_among(weights)
        return self._parts(weights, self._ratio_own, among)

    def _ratio_among(self, weights: Floats) -> Floats:
        """Sum over all ordered pairs above 0, without going through them: values move to a grid of their logarithms.

        ((x - y)/(x + y))^2 = tanh^2((ln x - ln y)/2) depends on the distance of logarithms alone and is smooth, so that
        each value may stand on the 16 points of the grid around it, by their Lagrange polynomials; with steps of 0.1
        that is right to about 1e-15.  Then only points of the grid are paired, by how far apart they are.
        """
        counts, step = self._on_grid(weights)
        lags = np.arange(min(counts.shape[1], int(FAR / step)))
        apart = np.tanh(lags * step / 2) ** 2
        among = np.zeros(len(weights))
        if len(lags) < counts.shape[1]:  # every two differ by 1, but for the near ones
            among, apart = counts.sum(axis=1) ** 2, apart - 1
            among += apart[0] * np.einsum("bi,bi->b", counts, counts)
        for lag in lags[1:].tolist():
            among += 2 * apart[lag] * np.einsum("bi,bi->b", counts[:, lag:], counts[:, :-lag])
        return among

    def _on_grid(self, weights: Floats) -> tuple[Floats, float]:
        """Replicates by points of the grid: how often each occurs; and the step between two points."""
        logs = _logs_above_lowest(self.value)
        there = ~np.isnan(logs)
        step = min(STEP, float(logs[there].max()) / POINTS) or STEP
        place = np.where(there, logs, 0) / step
        left = np.floor(place).astype(np.int64)
        points = int(left.max()) + POINTS
        counts, size = np.zeros((len(weights), points)), max(1, ROOM // points)
        for first in range(0, len(self), size):
            last = min(len(self), first + size)
            rows = slice(self.begin[first], self.begin[last])
            parts = _lagrange((place - left)[rows]) * there[rows]
            cell = (self.item[rows] - first) * points + left[rows] + np.arange(POINTS)[:, None]
            table = np.zeros((last - first, points))
            table += np.bincount(cell.ravel(), weights=parts.ravel(), minlength=table.size).reshape(table.shape)
            counts += _product(weights[:, first:last], table)
        return counts, step

    @cached_property
    def _ratio_own(self) -> Floats:
        """Sum over the ordered pairs of an item; pairs by their distance."""
        sums, most = np.zeros(len(self)), int(self.count.max())
        last = self.begin[1:][self.item]
        rows = np.arange(len(self.value))
        for lag in range(1, most):
            rows = rows[rows + lag < last[rows]]
            apart = _ratio(self.value[rows], self.value[rows + lag])
            sums += np.bincount(self.item[rows], weights=apart, minlength=len(self))
        return frozen(2 * sums)


def _ratio(x: Floats, y: Floats) -> Floats:
    x, y = x / 2, y / 2  # so that no sum overflows
    total = x + y
    part: Floats = np.divide(x - y, total, out=np.zeros(np.broadcast(x, y).shape), where=total != 0)
    return part**2


def _product(weights: Floats, table: Floats) -> Floats:
    """The product of weights and a table, the way round in which BLAS is quick: the longer side first."""
    if len(weights) >= table.shape[1]:
        return np.asarray(weights @ table, np.float64)
    return np.asarray((table.T @ weights.T).T, np.float64)


def _logs_above_lowest(values: Floats) -> Floats:
    """Logarithms of values over the lowest one above 0, also where both are nearly equal; not a number for 0."""
    above = np.where(values > 0, values, np.nan)
    lowest = np.nanmin(above)
    logs: Floats = np.log(above) - np.log(lowest)
    near = np.flatnonzero(above <= 2 * lowest)
    logs[near] = np.log1p((above[near] - lowest) / lowest)
    return logs


def _lagrange(at: Floats) -> Floats:
    """Points by values: the Lagrange polynomials of the points -7 to 8 at places in [0, 1)."""
    nodes = np.arange(POINTS) - (POINTS // 2 - 1)
    away = at[None, :] - nodes[:, None]
    out, after = np.ones((POINTS, len(at))), np.ones(len(at))
    for k in range(1, POINTS):
        out[k] = out[k - 1] * away[k - 1]
    for k in range(POINTS - 1, -1, -1):
        out[k] *= after / np.prod([nodes[k] - n for n in nodes.tolist() if n != nodes[k]], dtype=np.float64)
        after *= away[k]
    return out
