"""What unjudged documents in the first ranks could do to measures whose worst and best over all labels are not known.

In question are the documents without a label in the first ten ranks of the two lists, or down to the cutoff where that
is above and nothing below it counts (`Measure.needs_pool`); those further down count as not relevant.  Where of ranks
11 to 100 the one lacks labels for a fifth more than the other, that would make it worse by itself: then these are in
question, too.

On a topic with such documents a score is held to be anything that the measure can be, which no labels exceed, but for
AP.  There, x_d being 1 where unjudged document d is relevant, r its rank, J(r) and S(r) the relevant judged documents
down to r and the sum of 1/rank of those below,

    R' AP = N + sum over d of x_d l_d + sum over pairs d, e of x_d x_e / max(r_d, r_e) ,   l = (J(r) + 1)/r + S(r)

with R' = R + m where m of the unjudged documents are relevant.  So of two lists

    difference = (N_a - N_b + sum of x_d (l_da - l_db) + sum over pairs of x_d x_e q_de) / (R + m) ,

q_de = 1/max(r_da, r_ea) - 1/max(r_db, r_eb).  For every m no labels exceed the sum of the m largest
l_da - l_db + half of the m - 1 largest q_de of d.  An unjudged document of b's first ranks that stands below a's may be
the next one of a, at most; one of a's that stands below b's would lower the difference.  Where a hundred ranks are in
question, the m uppermost of a's unjudged documents are relevant, and none of b's counts for b: looser, and no labels
exceed that either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truegain.data.pool import RankedGains
from truegain.errors import TruegainError
from truegain.io.columns import Bools, Floats, Ints
from truegain.measures.average_precision import AP
from truegain.measures.base import Measure
from truegain.pooling.pools import Filled, UnjudgedOfTopic

FIRST = 10  # ranks in question
DEEP = 100  # ranks in question where the shares of unjudged documents below the first ones are as far apart as
APART = 0.2
_AT_ONCE = 2_000_000  # numbers of pairs held at a time


def has_ends(measure: Measure) -> bool:
    """Whether a score lies between two numbers, so that something is known of it whatever the labels."""
    return all(map(math.isfinite, measure.bounds()))


def in_first(ranks: int) -> str:
    """Down to which rank, in words."""
    return f"the first {ranks} rank{'' if ranks == 1 else 's'}"


@dataclass(frozen=True)
class Held:
    """Down to which ranks answers about some pairs hold whatever the labels; in words.

    >>> print(Held(10, 100, 0, 6), Held(10, 100, 2, 6), Held(10, 100, 6, 6), sep="; ")
    the first 10 ranks; the first 10 ranks (the first 100 for 2 of 6 pairs); the first 100 ranks
    """

    first: int
    lowest: int
    apart: int  # so many pairs are held down to the lowest of them
    pairs: int
    below: bool = True  # whether unjudged documents stand further down, which count as not relevant

    def __str__(self) -> str:
        if self.apart == self.pairs:
            return in_first(self.lowest)
        further = f" (the first {self.lowest} for {self.apart} of {self.pairs} pairs)" if self.apart else ""
        return f"{in_first(self.first)}{further}"


def unjudged_down_to(ranked: RankedGains, depth: int) -> tuple[Ints, Ints]:
    """How many of the first documents of each list are unjudged, and how many there are, system by topic."""
    shape = len(ranked.systems), len(ranked.topics)
    there = np.minimum(ranked.depth, depth)
    seen = np.bincount(ranked.list[(ranked.rank <= depth) & ranked.judged], minlength=ranked.lists)
    return np.asarray(there - seen).reshape(shape), np.asarray(there).reshape(shape)


@dataclass(frozen=True, eq=False)
class FirstRanks:
    """Lists whose documents are known by key (`keys_in_question`), and a measure.

    >>> from truegain.config import Scoring
    >>> from truegain.data.alignment import aligned
    >>> runs = {"a": {"1": {"x": 2.0, "y": 1.0}}, "b": {"1": {"z": 2.0, "x": 1.0}}}
    >>> first = FirstRanks(aligned(runs, {"1": {"x": 1, "y": 0}}, Scoring(), keep_keys=10), AP())
    >>> first.score.tolist(), first.greatest(0).tolist()  # z may be relevant: 1/2 for a, 1 for b
    ([[1.0], [0.5]], [[0.0, 0.5], [0.5, 0.0]])
    """

    ranked: RankedGains
    measure: Measure

    def __post_init__(self) -> None:
        if self.measure.leaves_out_unjudged:
            raise TruegainError(f"{self.measure} leaves them out", remedy="choose a measure that counts all documents")
        if not has_ends(self.measure):
            raise TruegainError(
                f"{self.measure} has no smallest or no largest value", remedy="choose a measure from 0 to 1"
            )
        if np.isnan(self.score).any():
            raise TruegainError(f"{self.measure}: a system lacks a topic", remedy="give every system all topics")

    @cached_property
    def score(self) -> Floats:
        """System by topic."""
        return np.asarray(self.measure.score(self.ranked), np.float64)

    @cached_property
    def apart(self) -> Bools:
        """System by system: whether much more of the one's ranks 11 to 100 is unjudged than of the other's."""
        open_, there = (x.sum(axis=1) for x in self._deep)
        share = open_ / np.maximum(there, 1)
        return np.asarray(np.abs(share[:, None] - share[None, :]) >= APART - 1e-12)

    def documents(self, a: int, b: int) -> tuple[int, int, int]:
        """How many documents of two lists are in question, down to which rank, and how many are unjudged below it."""
        depth = self._lowest if self.apart[a, b] else self._first
        filled = Filled.by_key(self.ranked, self.measure, depth)
        lists = filled.ranked.list // max(1, len(filled.ranked.topics))
        mine = filled.unjudged[filled.ranked.item] & ((lists == a) | (lists == b))
        below = self._below[int(self.apart[a, b]), [a, b]].sum()
        return len(np.unique(filled.ranked.item[mine])), depth, int(below)

    def held(self, first: Ints, second: Ints) -> Held:
        """Down to which ranks some pairs are held."""
        apart = self.apart[first, second].astype(np.int64)
        below = bool((self._below[apart, first] + self._below[apart, second]).any())
        return Held(self._first, self._lowest, int(apart.sum()), len(apart), below)

    def greatest(self, topic: int) -> Floats:
        """System by system: the first's score less the second's on a topic, at the most; 0 of a system with itself."""
        open_, deep, (least, most) = self._open[:, topic], self._deep[0][:, topic] > 0, self.measure.bounds()
        far = self.score[:, topic][:, None] - self.score[:, topic][None, :]
        further = self.apart & (deep[:, None] | deep[None, :])
        if type(self.measure) is not AP:
            far = np.where(open_[:, None] | open_[None, :] | further, most - least, far)
        else:
            far = self._precision.greatest(topic, far, open_) if open_.any() else far
            if further.any():
                a, b = np.nonzero(further)
                far[a, b] = np.maximum(far[a, b], self._deep_precision.alone(topic, a, b))
        np.fill_diagonal(far, 0.0)
        return far

    @property
    def _cutoff(self) -> int | None:
        return getattr(self.measure, "cutoff", None)

    @property
    def _first(self) -> int:
        """Below a cutoff a relevant document may be one more that was not found."""
        return FIRST if self.measure.needs_pool else min(FIRST, self._cutoff or FIRST)

    @property
    def _lowest(self) -> int:
        return max(self._first, min(DEEP, self._cutoff or DEEP))

    @cached_property
    def _open(self) -> Bools:
        """System by topic: whether a document of its first ranks is unjudged."""
        return np.asarray(unjudged_down_to(self.ranked, self._first)[0] > 0)

    @cached_property
    def _deep(self) -> tuple[Ints, Ints]:
        """System by topic: how many documents below the first ranks are unjudged down to the deep ones; of how many."""
        first, deep = (unjudged_down_to(self.ranked, depth) for depth in (self._first, self._lowest))
        return deep[0] - first[0], deep[1] - first[1]

    @cached_property
    def _below(self) -> Ints:
        """By system: how many documents that count are unjudged below the first ranks, and below the deep ones."""
        end = int(self.ranked.depth.max(initial=0))
        last = end if self.measure.needs_pool else min(end, self._cutoff or end)
        depths = [min(depth, last) for depth in (self._first, self._lowest)]
        to_end, *here = (unjudged_down_to(self.ranked, depth)[0].sum(axis=1) for depth in (last, *depths))
        return np.asarray(to_end - np.array(here), np.int64)

    @cached_property
    def _precision(self) -> _Precision:
        assert isinstance(self.measure, AP)
        return _Precision.of(self.ranked, self.measure, self._first)

    @cached_property
    def _deep_precision(self) -> _Precision:
        assert isinstance(self.measure, AP)
        return _Precision.of(self.ranked, self.measure, self._lowest)


@dataclass(frozen=True, eq=False)
class _Precision:
    """AP of lists: what the judged documents give, and what one more relevant one would add at each of the first ranks.

    `adds` is l by list and rank; behind the first ranks stands the next one, 0 where a list ends before it.
    """

    measure: AP
    filled: Filled  # down to the first ranks
    found: Floats  # N, by list
    adds: Floats
    relevant: Ints  # R, by topic

    @classmethod
    def of(cls, ranked: RankedGains, measure: AP, first: int) -> _Precision:
        """Of whole lists."""
        entries = ranked.relevant_entries(measure.rel)
        counts = measure.within(entries.rank)
        lists, rank, count = entries.list[counts], entries.rank[counts], entries.count[counts]
        total = np.bincount(lists, count / rank, ranked.lists).astype(np.float64)
        top = rank <= first + 1
        at = lists[top] * (first + 1) + rank[top] - 1
        size = ranked.lists * (first + 1)
        above = np.cumsum(np.bincount(at, minlength=size).reshape(-1, first + 1), axis=1)
        inverse = np.cumsum(np.bincount(at, 1 / rank[top], size).reshape(-1, first + 1), axis=1)
        below = np.bincount(lists, 1 / rank, ranked.lists)[:, None] - inverse
        place = np.arange(1, first + 2)
        adds = np.where(measure.within(place), (above + 1) / place + np.maximum(below, 0.0), 0.0)
        adds[:, -1] = np.where(ranked.depth > first, adds[:, -1], 0.0)
        filled = Filled.by_key(ranked, measure, first)
        return cls(measure, filled, total, adds, ranked.pool_relevant(measure.rel))

    def greatest(self, number: int, far: Floats, open_: Bools) -> Floats:
        """The differences by labels `far`, raised to what they could be where one of two has unjudged documents."""
        topic = self.filled.topic(number, np.ones(len(self.filled.ranked.rank), np.bool_))
        lists = np.arange(len(far)) * len(self.filled.ranked.topics) + number
        unjudged = _Unjudged.of(topic, self.found[lists], self.adds[lists])
        out = far.copy()
        some, others, every = np.flatnonzero(open_), np.flatnonzero(~open_), np.arange(len(far))
        for rows, columns in ((some, every), (others, some)):
            width = 2 * unjudged.own.shape[1]
            block = max(1, _AT_ONCE // max(1, len(columns) * width * width))
            for begin in range(0, len(rows), block):
                part = rows[begin : begin + block]
                out[np.ix_(part, columns)] = self._most(unjudged, part, columns, int(self.relevant[number]))
        return np.maximum(out, far)

    def _most(self, unjudged: _Unjudged, rows: Ints, columns: Ints, relevant: int) -> Floats:
        """The greatest difference of each of some systems less each of others."""
        adds, first, second = unjudged.of_pairs(rows, columns)
        there = np.isfinite(adds)
        pairs = np.minimum(first[..., :, None], first[..., None, :])
        pairs -= np.minimum(second[..., :, None], second[..., None, :])
        pairs[~(there[..., :, None] & there[..., None, :])] = -np.inf
        width = adds.shape[-1]
        pairs[..., np.arange(width), np.arange(width)] = -np.inf
        pairs = np.cumsum(-np.sort(-pairs, axis=-1), axis=-1)
        now = unjudged.found[rows][:, None] - unjudged.found[columns][None, :]
        most = now / self._best(relevant)
        for m in range(1, width + 1):
            worth = adds if m == 1 else adds + pairs[..., m - 2] / 2
            taken = -np.sort(-worth, axis=-1)[..., :m].sum(axis=-1)
            most = np.maximum(most, (now + taken) / self._best(relevant + m))
        return np.asarray(most)

    def alone(self, number: int, first: Ints, second: Ints) -> Floats:
        """The greatest differences of pairs with many unjudged documents: the first's alone, from the top.

        Those of the second only raise R where the first is behind, and stand right below the first's at the best.
        """
        topic = self.filled.topic(number, np.ones(len(self.filled.ranked.rank), np.bool_))
        lists = np.arange(topic.systems) * len(self.filled.ranked.topics) + number
        last, n_unjudged = self.adds.shape[1], (topic.own < topic.columns).sum(axis=1)[:-1]
        rank = np.take_along_axis(topic.table(topic.unjudged.rank.astype(np.float64)), topic.own, 1)[:-1].astype(
            np.int64
        )
        at = np.concatenate([np.where(rank > 0, rank, last), np.full_like(rank, last)], axis=1)
        adds = np.take_along_axis(self.adds[lists], at - 1, 1)
        worth = np.cumsum(np.where(adds > 0, adds + np.arange(at.shape[1]) / at, 0.0), axis=1)
        found, relevant = self.found[lists], int(self.relevant[number])
        most = (found[first] - found[second]) / self._best(relevant)
        for m in range(1, at.shape[1] + 1):
            over = found[first] + worth[first, m - 1] - found[second]
            under = np.where(over > 0, self._best(relevant + m), self._best(relevant + int(at.shape[1])))
            most = np.where(m <= n_unjudged[first] + n_unjudged[second], np.maximum(most, over / under), most)
        return np.asarray(np.minimum(most, 1.0))

    def _best(self, relevant: int) -> int:
        """The denominator."""
        m = self.measure
        return max(1, relevant if m.norm == "R" or m.cutoff is None else min(relevant, m.cutoff))


@dataclass(frozen=True, eq=False)
class _Unjudged:
    """The unjudged documents in the first ranks of one topic's lists, system by column; 0 where a list lacks one.

    One below the cutoff adds nothing to a list, and is one more relevant document that it might have found.
    """

    own: Ints  # the columns of each system's
    there: Bools
    adds: Floats
    inverse: Floats  # 1/rank
    next: Floats  # what a document adds that stands right below the first ranks, by system
    next_inverse: float
    found: Floats

    @classmethod
    def of(cls, topic: UnjudgedOfTopic, found: Floats, adds: Floats) -> _Unjudged:
        """From what one more relevant document adds to each system's list at each rank."""
        unjudged, last = topic.unjudged, adds.shape[1]
        worth = adds[unjudged.system, unjudged.rank - 1]
        there, inverse = topic.table(np.ones(len(worth))) > 0, topic.table(np.where(worth > 0, 1 / unjudged.rank, 0.0))
        return cls(topic.own, there, topic.table(worth), inverse, adds[:, -1], 1 / last, found)

    def of_pairs(self, rows: Ints, columns: Ints) -> tuple[Floats, Floats, Floats]:
        """For each pair and each unjudged document of the two: what it adds to the difference, and 1/rank in either.

        What stands in no list, or twice, adds minus infinity.
        """
        shape, width, none = (len(rows), len(columns)), self.own.shape[1], self.adds.shape[1] - 1
        adds, first, second = np.empty((3, *shape, 2 * width))
        mine, theirs = self.own[rows], self.own[columns]
        there = (mine < none)[:, None, :]
        less = self.adds[columns][:, mine].transpose(1, 0, 2)
        adds[..., :width] = np.where(there, np.take_along_axis(self.adds[rows], mine, 1)[:, None, :] - less, -np.inf)
        first[..., :width] = np.take_along_axis(self.inverse[rows], mine, 1)[:, None, :]
        second[..., :width] = self.inverse[columns][:, mine].transpose(1, 0, 2)
        other = (theirs < none)[None] & ~self.there[rows][:, theirs]
        less = np.take_along_axis(self.adds[columns], theirs, 1)[None]
        adds[..., width:] = np.where(other, self.next[rows][:, None, None] - less, -np.inf)
        first[..., width:] = np.where(self.next[rows] > 0, self.next_inverse, 0.0)[:, None, None]
        second[..., width:] = np.take_along_axis(self.inverse[columns], theirs, 1)[None]
        return adds, first, second
