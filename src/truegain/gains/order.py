"""Pairwise order agreement: whether ratings order documents as experts do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.errors import InputError
from truegain.tables.columns import Codes, Floats, Ints, frozen, shares
from truegain.tables.judgments import Judgments
from truegain.tables.pool import Pool

MOST_LEVELS = 50  # of experts, up to which pairs of levels are told apart


@dataclass(frozen=True, eq=False)
class Order:
    """Documents with experts' levels, in groups; pairs of one group on different levels are counted, never listed.

    Rows are sorted by group, then level, then falling value.
    """

    group: Ints
    level: Floats
    value: Floats

    def __len__(self) -> int:
        return int(self._counts[1].sum())

    @property
    def share(self) -> float | None:
        """The share of pairs in the experts' order, None without pairs."""
        right, count = self._counts
        return float(right.sum() / count.sum()) if count.sum() else None

    def counted(self, groups: int) -> tuple[Ints, Ints]:
        """Per group the pairs in the experts' order, and all pairs on different levels."""
        out = np.zeros((2, groups), np.int64)
        out[:, self._groups] = self._counts
        return out[0], out[1]

    def by_group(self, groups: int) -> tuple[Floats, Ints]:
        """The share per group (not a number without pairs) and how many pairs there are."""
        right, count = self.counted(groups)
        return shares(right, count), count

    @cached_property
    def levels(self) -> Floats:
        """The levels that experts use, ascending."""
        return np.unique(self.level)

    @cached_property
    def by_levels(self) -> list[tuple[float, float, float, int]]:
        """For every two levels of the experts: lower, higher, share, pairs; none of more than 50 levels."""
        if len(self.levels) > MOST_LEVELS:
            return []
        place = _dense(self.group, self.value)  # equal for equal values of a group, and rising with both
        start = np.minimum.reduceat(place, self._begin)[self._code] if len(place) else place
        found: list[tuple[float, float, float, int]] = []
        rows = [np.flatnonzero(self.level == level) for level in self.levels]
        rows = [r[np.argsort(place[r], kind="stable")] for r in rows]
        for (low, below), (high, above) in combinations(list(zip(self.levels.tolist(), rows, strict=True)), 2):
            there, upto = place[below], place[above]
            before = np.searchsorted(there, start[above])
            right = int((np.searchsorted(there, upto, side="right") - before).sum())
            sizes = [np.bincount(self._code[r], minlength=len(self._begin)) for r in (below, above)]
            if pairs := int((sizes[0] * sizes[1]).sum()):
                found.append((low, high, right / pairs, pairs))
        return found

    # ------------------------------------------------------------------ counting

    @cached_property
    def _begin(self) -> Ints:
        return np.flatnonzero(np.concatenate([[True], np.diff(self.group) != 0])) if len(self.group) else self.group

    @cached_property
    def _groups(self) -> Ints:
        """The groups there are, ascending."""
        return self.group[self._begin]

    @cached_property
    def _code(self) -> Ints:
        """For every row the place of its group among those there are."""
        return np.repeat(np.arange(len(self._begin)), np.diff(np.append(self._begin, len(self.group))))

    @cached_property
    def _counts(self) -> tuple[Ints, Ints]:
        """Per group that there is: pairs in the experts' order, and all pairs on different levels."""
        size = np.bincount(self._code, minlength=len(self._begin))
        count = size * (size - 1) // 2 - self._pairs_of(_dense(self.group, self.level))
        # a pair on one level stands in falling order, so that only equal values are counted with the rest
        right = self._rising() - self._pairs_of(_dense(self.group, self.level, self.value))
        return right.astype(np.int64), count.astype(np.int64)

    def _pairs_of(self, cell: Ints) -> Ints:
        """Per group the pairs within cells."""
        size = np.bincount(cell, minlength=1)
        first = np.unique(cell, return_index=True)[1]
        pairs = size * (size - 1) // 2
        return np.bincount(self._code[first], weights=pairs, minlength=len(self._begin)).astype(np.int64)

    def _rising(self) -> Ints:
        """Per group the pairs of rows whose later value is not below the earlier, halves of halves at a time."""
        total = np.zeros(len(self._begin), np.int64)
        code, place = self._code, np.arange(len(self.group)) - self._begin[self._code]
        value, size = _dense(self.value), np.bincount(self._code, minlength=len(self._begin))
        rows, bit = np.arange(len(self.group)), 0
        values = int(value.max(initial=0)) + 1
        while len(rows := rows[size[code[rows]] > 1 << bit]):
            part = place[rows] >> (bit + 1)
            new = np.concatenate([[True], (np.diff(part) != 0) | (np.diff(code[rows]) != 0)])
            block = np.cumsum(new) - 1
            key = np.sort(((block * values + value[rows]) << 1) | ((place[rows] >> bit) & 1))
            later, block = key & 1, (key >> 1) // values  # of equal values the earlier half comes first
            earlier = np.cumsum(1 - later)
            begin = np.searchsorted(block, np.arange(int(block[-1]) + 1))
            here = (earlier - (earlier - (1 - later))[begin][block]) * later
            total += np.bincount(code[rows][new][block], weights=here, minlength=len(total)).astype(np.int64)
            bit += 1
        return total


def _dense(*keys: npt.NDArray[Any]) -> Ints:
    """A number for every row, equal for equal keys and rising with them, the first key before all."""
    if not len(keys[0]):
        return np.empty(0, np.int64)
    order = np.lexsort(keys[::-1])
    new = np.zeros(len(order), np.bool_)
    for key in keys:
        new[1:] |= np.diff(key[order]) != 0
    out = np.empty(len(order), np.int64)
    out[order] = np.cumsum(new)
    return out


def order_agreement(value: Floats, expert: Floats, group: Ints) -> Order:
    """Compare every two documents of a group that experts put on different levels; equal values count as agreement.

    agreement = pairs with value(higher) >= value(lower), over all such pairs

    Pairs are counted by sorting, in time n log^2 n.  A document without an expert's level (not a number) is left out.
    Maddalena et al. 2017, section 6.1.2.

    >>> order_agreement(np.array([5.0, 1.0, 1.0]), np.array([0.0, 1.0, 2.0]), np.array([0, 0, 0])).share
    0.3333333333333333
    """
    known = np.flatnonzero(~np.isnan(expert))
    order = known[np.lexsort((-value[known], expert[known], group[known]))]
    return Order(frozen(group[order].astype(np.int64)), frozen(expert[order]), frozen(value[order]))


def expert_levels(table: Judgments, expert: Judgments) -> Floats:
    """For every row of a table the expert's label of its document, not a number where there is none."""
    pool = Pool.of(expert)
    found: Codes = pool.find(table.topic, table.docs)
    if (found < 0).all():
        raise InputError(
            "the experts judged none of the rated documents",
            file=expert.source,
            hint="check that topics and document ids are written alike",
        )
    return np.where(found >= 0, pool.labels[np.maximum(found, 0)], np.nan)
