"""What the measures of diversity share: hits of subtopics in rank order, and the greedy ideal list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.tables.columns import Floats, Ints
from truegain.tables.ranked import RankedGains, earlier


@dataclass(frozen=True, eq=False)
class Relevant:
    """Which documents are relevant to which subtopics.

    An *aspect* is a subtopic of a topic with at least one relevant document; aspects are sorted by topic, then by
    number of the subtopic, as ndeval keeps them.
    """

    ranked: RankedGains
    item: Ints  # of each row, sorted
    begin: Ints  # item i of the pool has rows begin[i] to begin[i + 1]
    aspect: Ints  # of each row
    aspect_topic: Ints  # of each aspect
    documents: Ints  # per aspect

    @classmethod
    def at(cls, ranked: RankedGains, rel: float) -> Relevant:
        """Rows with a label of at least `rel`, which is not negative."""
        facets, pool = ranked.facets, ranked.pool
        good = facets.label >= rel
        item = facets.item[good]
        names = len(facets.subtopics)
        key = pool.topic[item].astype(np.int64) * names + _in_order(facets.subtopics)[facets.subtopic[good]]
        aspects, aspect, documents = np.unique(key, return_inverse=True, return_counts=True)
        begin = np.searchsorted(item, np.arange(len(pool) + 1))
        return cls(ranked, item, begin, aspect, aspects // max(1, names), documents)

    @property
    def aspects(self) -> Ints:
        """Aspects per topic (N)."""
        return np.bincount(self.aspect_topic, minlength=len(self.ranked.topics))

    def hits(self, cutoff: int | None = None) -> Hits:
        """Every document of the lists, once for each aspect it is relevant to."""
        ranked = self.ranked
        entry = np.arange(len(ranked.item)) if cutoff is None else np.flatnonzero(ranked.rank <= cutoff)
        first = self.begin[ranked.item[entry]]
        count = self.begin[ranked.item[entry] + 1] - first
        row = np.repeat(first - np.cumsum(count) + count, count) + np.arange(int(count.sum()))
        entry = np.repeat(entry, count)
        lists, aspect = ranked.list[entry], self.aspect[row]
        before = earlier(lists * len(self.documents) + aspect)
        return Hits(lists, ranked.rank[entry].astype(np.float64), aspect, before, ranked.lists)

    def ideal_gains(self, alpha: float, depth: int | None) -> list[Floats]:
        """For each topic the gains of its greedy ideal list, down to a depth."""
        bounds = self.begin[self.ranked.pool.begin]
        first = np.searchsorted(self.aspect_topic, np.arange(len(self.ranked.topics)))
        return [
            greedy(self._matrix(slice(a, b), int(f)), alpha, depth)
            for a, b, f in zip(bounds[:-1].tolist(), bounds[1:].tolist(), first, strict=True)
        ]

    def _matrix(self, rows: slice, first: int) -> Floats:
        """Aspects by documents of a topic, 1 where relevant; the largest document id (as bytes) first."""
        items, column = np.unique(self.item[rows], return_inverse=True)
        names = self.ranked.pool.docs.take(items).strings()
        place = np.empty(len(items), np.int64)
        place[sorted(range(len(items)), key=names.__getitem__, reverse=True)] = np.arange(len(items))
        aspect = self.aspect[rows] - first
        matrix = np.zeros((int(aspect.max(initial=-1)) + 1, len(items)))
        matrix[aspect, place[column]] = 1.0
        return matrix


@dataclass(frozen=True, eq=False)
class Hits:
    """Hits in rank order: the list, the rank, the aspect, and how often the list hit it before."""

    list: Ints
    rank: Floats
    aspect: Ints
    before: Ints
    lists: int

    def total(self, values: Floats) -> Floats:
        """Sum of one value per hit over each list."""
        sums: Floats = np.bincount(self.list, weights=values, minlength=self.lists).astype(np.float64)
        return sums


def greedy(matrix: Floats, alpha: float, depth: int | None) -> Floats:
    """Gains of the list that takes the document of most gain each time, the first such column in a tie.

    The gains of a document are added aspect by aspect, as ndeval adds them, so that it sees the same ties.
    """
    documents = matrix.shape[1]
    worth = np.ones((len(matrix), 1))
    open_ = np.ones(documents)
    gains = np.zeros(documents if depth is None else min(depth, documents))
    for position in range(len(gains)):
        gain = np.add.reduce(matrix * worth, axis=0) * open_
        best = int(gain.argmax())
        if gain[best] == 0:
            break
        gains[position] = gain[best]
        open_[best] = 0
        worth[matrix[:, best] > 0] *= 1 - alpha
    return gains


def _in_order(names: tuple[str, ...]) -> Ints:
    """The place of each subtopic name when numbers are sorted as numbers, before all other names."""
    keys = [(0, int(name), name) if name.isdecimal() else (1, 0, name) for name in names]
    order = sorted(range(len(names)), key=keys.__getitem__)
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    return place
