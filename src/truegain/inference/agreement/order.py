"""Pairwise order agreement: whether ratings order documents as experts do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truegain.errors import InputError
from truegain.tables.columns import Bools, Codes, Floats, Ints, frozen
from truegain.tables.judgments import Judgments
from truegain.tables.pool import Pool


@dataclass(frozen=True, eq=False)
class Order:
    """Pairs of documents of one group that experts put on different levels, and whether the ratings agree.

    `group` is that of the pair; `low` and `high` are the experts' levels.
    """

    group: Ints
    low: Floats
    high: Floats
    agrees: Bools

    def __len__(self) -> int:
        return len(self.group)

    @property
    def share(self) -> float | None:
        """The share of pairs in the experts' order, None without pairs."""
        return float(self.agrees.mean()) if len(self) else None

    def by_group(self, groups: int) -> tuple[Floats, Ints]:
        """The share per group (not a number without pairs) and how many pairs there are."""
        count = np.bincount(self.group, minlength=groups)
        right = np.bincount(self.group, weights=self.agrees, minlength=groups)
        share: Floats = np.divide(right, count, out=np.full(groups, np.nan), where=count > 0)
        return share, count.astype(np.int64)

    @cached_property
    def by_levels(self) -> list[tuple[float, float, float, int]]:
        """For every two levels of the experts: lower, higher, share, pairs."""
        kinds, code = np.unique(np.stack([self.low, self.high]), axis=1, return_inverse=True)
        count = np.bincount(code.ravel())
        right = np.bincount(code.ravel(), weights=self.agrees)
        return [
            (float(a), float(b), float(r / c), int(c)) for a, b, r, c in zip(*kinds, right, count, strict=True) if c
        ]


def order_agreement(value: Floats, expert: Floats, group: Ints) -> Order:
    """Compare every two documents of a group that experts put on different levels; equal values count as agreement.

    agreement = pairs with value(higher) >= value(lower), over all such pairs

    A document without an expert's level (not a number) is left out.  Maddalena et al. 2017, section 6.1.2.

    >>> order_agreement(np.array([5.0, 1.0, 1.0]), np.array([0.0, 1.0, 2.0]), np.array([0, 0, 0])).share
    0.3333333333333333
    """
    known = ~np.isnan(expert)
    value, expert, group = value[known], expert[known], group[known]
    order = np.argsort(group, kind="stable")
    value, expert, group = value[order], expert[order], group[order]
    last = np.searchsorted(group, group, side="right")
    groups, lows, highs, agrees = [], [], [], []
    rows, lag = np.arange(len(group)), 1
    while len(rows := rows[rows + lag < last[rows]]):
        differ = rows[expert[rows] != expert[rows + lag]]
        other = differ + lag
        up = expert[differ] < expert[other]
        low, high = np.where(up, differ, other), np.where(up, other, differ)
        groups.append(group[differ])
        lows.append(expert[low])
        highs.append(expert[high])
        agrees.append(value[high] >= value[low])
        lag += 1
    if not groups:
        return Order(np.empty(0, np.int64), np.empty(0), np.empty(0), np.empty(0, np.bool_))
    return Order(
        frozen(np.concatenate(groups)),
        frozen(np.concatenate(lows)),
        frozen(np.concatenate(highs)),
        frozen(np.concatenate(agrees)),
    )


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
