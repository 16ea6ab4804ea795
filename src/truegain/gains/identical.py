"""Assessors who give the same ratings wherever they meet: one opinion that is counted twice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from truegain.tables.alike import alike
from truegain.tables.columns import Floats, Ints
from truegain.tables.grouped import Grouped

LEAST = 4  # documents that two must share before they are held against each other
SAME = 1e-3  # chance that any two are the same throughout, below which it is told
SURE = 1.96  # standard errors by which the usual agreement may be higher than it looks
LEAST_CHANCE = 1e-300  # below it numbers end
CELLS = 4_000_000  # pairs of assessors held at a time


@dataclass(frozen=True)
class Twin:
    """Who else gave the same ratings of all documents that both rated, how many these are, and how likely that is."""

    other: str
    shared: int
    chance: float  # that some two of all assessors come to it

    def __str__(self) -> str:
        chance = f"{self.chance:.1g}" if self.chance > LEAST_CHANCE else f"below {LEAST_CHANCE:g}"
        return f"same ratings as {self.other} on all {self.shared} documents that both rated (chance {chance})"


def twins(ratings: Grouped) -> dict[str, Twin]:
    """Assessors whose ratings equal those of one with more ratings (then by name) wherever both rated.

    Two who share m documents and agree on all are told where pairs q^m < 1/1000: `pairs` are all two assessors who
    share 4 or more, q how often two agree on a document, the greatest of four: the share of third ratings of these
    documents that equal theirs, the share of all others' ratings that equal either one's (each the upper end of its 95%
    interval, Wilson's), and the sum of p^2, p how often they give each rating.  So documents on which everybody agrees,
    two who both are very good, or two who nearly always say the same are not taken for one, and of two assessors alone
    nothing is said.

    >>> import polars as pl
    >>> from truegain.tables.judgments import Judgments
    >>> rng = np.random.default_rng(1)
    >>> said = rng.integers(0, 4, (40, 4)).tolist()
    >>> rows = [(f"d{i}", who, v) for i, row in enumerate(said) for who, v in zip("abcd", row, strict=True)]
    >>> rows += [(f"d{i}", "e", row[2]) for i, row in enumerate(said[:30])]
    >>> frame = pl.DataFrame(rows, schema=["doc", "assessor", "label"], orient="row").with_columns(topic=pl.lit("1"))
    >>> {name: str(twin) for name, twin in twins(Grouped.of(Judgments.of(frame))).items()}
    {'e': 'same ratings as c on all 30 documents that both rated (chance 1e-13)'}
    """
    assert ratings.judgments.assessor is not None
    names = ratings.judgments.assessor.values
    meeting = _Meeting.of(ratings, len(names))
    found, pairs = meeting.candidates()
    told: dict[str, Twin] = {}
    size = np.bincount(ratings.assessor, minlength=len(names))
    for one, two, shared in found:
        chance = min(1.0, pairs * meeting.usual(one, two) ** shared)
        later, first = (one, two) if (-size[one], names[one]) > (-size[two], names[two]) else (two, one)
        if chance < SAME and (names[later] not in told or told[names[later]].shared < shared):
            told[names[later]] = Twin(names[first], shared, chance)
    return told


@dataclass(frozen=True, eq=False)
class _Meeting:
    """Who rated what, an assessor's first rating of an item alone, and how many others said the same."""

    who: Ints
    item: Ints
    value: Floats
    cell: Ints  # equal for equal ratings of an item
    equal: Floats  # other ratings of the item that are equal
    others: Floats  # other ratings of the item
    people: int

    @classmethod
    def of(cls, ratings: Grouped, people: int) -> _Meeting:
        _, rows = np.unique(ratings.item * people + ratings.assessor, return_index=True)
        who, item, value = ratings.assessor[rows].astype(np.int64), ratings.item[rows], ratings.value[rows]
        order = np.lexsort((value, item))
        new = np.concatenate([[False], (np.diff(value[order]) != 0) | (np.diff(item[order]) != 0)])
        cell = np.empty(len(rows), np.int64)
        cell[order] = np.cumsum(new)
        others = np.bincount(item)[item].astype(np.float64) - 1
        return cls(who, item, value, cell, alike(item, value) - 1, others, people)

    def candidates(self) -> tuple[list[tuple[int, int, int]], int]:
        """Two assessors who never differ, with how many items they share; and how many share enough to be asked."""
        rated, said = self._table(self.item), self._table(self.cell)
        pairs, found, step = 0, [], max(1, CELLS // self.people)
        for begin in range(0, self.people, step):
            part = slice(begin, begin + step)
            shared = (rated[part] @ rated.T).toarray()
            asked = np.triu(shared >= LEAST, begin + 1)  # every two once
            pairs += int(asked.sum())
            if asked.any():
                one, two = np.nonzero(asked & (shared == (said[part] @ said.T).toarray()))
                found += list(zip((one + begin).tolist(), two.tolist(), shared[one, two].tolist(), strict=True))
        return found, pairs

    def _table(self, column: Ints) -> Any:
        sparse = import_module("scipy.sparse")
        shape = (self.people, int(column.max()) + 1)
        return sparse.csr_matrix((np.ones(len(column), np.int32), (self.who, column)), shape=shape)

    @cached_property
    def _totals(self) -> Floats:
        """Per assessor: ratings of others that are equal to theirs, and all of them."""
        return np.array([np.bincount(self.who, v, self.people) for v in (self.equal, self.others)])

    @cached_property
    def _rows(self) -> list[Ints]:
        order = np.argsort(self.who, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.who, minlength=self.people))[:-1])

    def usual(self, one: int, two: int) -> float:
        """How often two agree on a document, at most: by third ratings of what these share, either's others, habit."""
        mine = self._rows[one]
        both = mine[np.isin(self.item[mine], self.item[self._rows[two]])]
        shared = len(both)
        third = _at_most(float(self.equal[both].sum()) - shared, float(self.others[both].sum()) - shared)
        alone = [_at_most(self._totals[0, who] - shared, self._totals[1, who] - shared) for who in (one, two)]
        share = np.unique(self.value[both], return_counts=True)[1] / shared
        return max(third, *alone, float(share @ share))


def _at_most(right: float, count: float) -> float:
    """The upper end of Wilson's interval of a share; 1 where nothing is counted."""
    if count <= 0:
        return 1.0
    x, part = right / count, SURE**2 / count
    return float((x + part / 2 + np.sqrt(part * (x * (1 - x) + part / 4))) / (1 + part))
