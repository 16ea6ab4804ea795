"""Bounds of scores and differences over all labels that the unjudged documents could have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from truegain._version import __version__
from truegain.config import Scoring
from truegain.data.judgments import JudgmentsLike
from truegain.data.pool import RankedGains
from truegain.data.runs import RunsLike
from truegain.data.scores import ALL_TOPICS
from truegain.errors import MeasureError
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.keywords import checked_keywords
from truegain.measures.average_precision import AP
from truegain.measures.base import Measure, mean_of_rows
from truegain.measures.catalogue import MeasureLike, parse_measure
from truegain.measures.dcg import MSnDCG, mapped, nDCG, regained
from truegain.measures.precision import RR, R
from truegain.measures.scoring import at_level
from truegain.measures.user_models import ERR, RBP
from truegain.pooling.pools import Filled, UnjudgedOfTopic
from truegain.results.base import Result, Table
from truegain.results.table import Cell
from truegain.settings import check_count

# ---- The greatest difference of two systems' scores over all labels of the unjudged documents, which both may list.
#
# Labels of one topic say nothing of another's, so a difference of means is greatest where every topic's is. On a topic
# u_s(d) is what a gain of 1 of document d adds to the score of system s, f_s what the judged documents give, each over
# the number of topics of s; w(d) = u_a(d) - u_b(d). A document in both lists counts with both signs, which two separate
# intervals forget.

_TRIED = 1024  # stop probabilities in the lists of one pair that are tried together
_AT_ONCE = 100_000  # numbers of pairs held at a time: what stays near the processor is fastest
_STEPS = 60  # far more than the search for a ratio takes


class Extremes(ABC):
    """How far two systems can be apart on a topic, for one kind of measure."""

    exact: bool = True  # whether some labels reach every difference told so far

    @abstractmethod
    def greatest(self, topic: UnjudgedOfTopic, share: Floats) -> Floats:
        """System by system: share_a score_a - share_b score_b, at the most."""


class Linear(Extremes):
    """score = sum of weight times worth: every document takes its most where w(d) > 0 and its least elsewhere.

    With x, y >= 0: sum of max(x - y, 0) = sum of x - sum of min(x, y), the second over documents of both lists alone.
    """

    def __init__(self, filled: Filled, measure: Measure) -> None:
        ranked = filled.ranked
        if isinstance(measure, RBP) and measure.max_rel == "scale":  # no label is above the highest given
            measure = replace(measure, max_rel=float(measure.scale(ranked)[0]) or 1.0)
        worth = measure.worth(filled.levels)
        weight = measure.rank_weights(int(ranked.rank.max(initial=1)))
        self.weight = weight[ranked.rank - 1]
        self.given = self.weight * np.where(ranked.judged, measure.worth(ranked.gain, ranked.judged), 0.0)
        self.least, self.most = float(worth.min()), float(worth.max())

    def greatest(self, topic: UnjudgedOfTopic, share: Floats) -> Floats:
        """One sum over each list and one over what each pair has in common."""
        fixed = topic.fixed(self.given[topic.judged.entry]) * share
        table = topic.table(self.weight[topic.unjudged.entry]) * share[:, None]
        total = table.sum(axis=1)
        rise = np.array([total[a] - np.minimum(table[a, own], table[:, own]).sum(1) for a, own in enumerate(topic.own)])
        low = fixed + self.least * total
        return np.asarray(low[:, None] - low[None, :] + (self.most - self.least) * rise)


class First(Extremes):
    """RR: at most one unjudged document is relevant, for a second can only raise the score that is taken away."""

    def __init__(self, filled: Filled, measure: RR) -> None:
        ranked = filled.ranked
        _refuse_worth(measure, measure.rel <= 0)
        self.reached = bool(filled.levels[-1] >= measure.rel)
        self.recip = 1 / ranked.rank
        self.given = np.where(ranked.relevant(measure.rel), self.recip, 0.0)

    def greatest(self, topic: UnjudgedOfTopic, share: Floats) -> Floats:
        """None of the unjudged documents relevant, or one of the first system's."""
        found = np.zeros(topic.systems + 1)
        np.maximum.at(found, topic.judged.system, self.given[topic.judged.entry])
        found *= share
        table = topic.table(self.recip[topic.unjudged.entry] * self.reached) * share[:, None]
        one_relevant = np.array([(table[a, own] - table[:, own].clip(found[:, None])).max(axis=1, initial=-np.inf)
                                 for a, own in enumerate(topic.own)])  # fmt: skip
        return np.asarray(np.maximum(one_relevant, found[:, None] - found[None, :]))


class Ratio(Extremes):
    """nDCG and R: a sum of weight times gain over that of the best list, both linear in layers of the gain.

    Let 0 = v_0 < v_1 < ... be the gains an unjudged document may have, m_l the number of unjudged documents with gain
    v_l or more, N_l that of judged documents, W(m) the sum of the m largest w and D(n) that of the first n weights of
    the best list.  Of as many unjudged documents those with the largest w serve best, in every layer, so that

        difference = (f_a - f_b + sum over l of (v_l - v_(l-1)) W(m_l)) / sum over l of (v_l - v_(l-1)) D(N_l + m_l)

    - If it is nowhere above 0, it is linear over convex in the gains with a numerator below 0, so greatest where every
      gain is 0 or highest: all m_l are equal, and every m is tried.
    - Else it is the x where the greatest of numerator - x denominator is 0 (Dinkelbach 1967).  For given x every layer
      is maximised alone; D is concave, so the best m_l falls with l, as a count of unjudged documents must.
    """

    def __init__(
        self, measure: Measure, weight: Floats, ideal: Floats, possible: Floats, gain: Floats, item_gain: Floats
    ) -> None:
        _refuse_worth(measure, bool(possible.min() != 0))
        rising = bool(np.any(np.diff(ideal) > 0))
        measure.require(not rising, "some ranks weigh more than the one above, so its bounds are unknown")
        self.weight = weight
        self.best = np.concatenate([[0.0], np.cumsum(ideal)])
        self.possible = np.unique(possible)
        self.gain, self.item_gain = gain, item_gain  # of each entry, and of each item of the pool

    @classmethod
    def ndcg(cls, filled: Filled, measure: nDCG) -> Ratio:
        """Gains as the measure makes them, discounts down to the cutoff."""
        ranked = filled.ranked
        ideal = np.arange(1, min(measure.cutoff or _largest(filled), _largest(filled)) + 1)
        of_items = np.maximum(measure.worth(ranked.item_gain, ranked.item_judged), 0)
        weight, best = 1 / measure.discount(ranked.rank), 1 / measure.discount(ideal)
        gain = measure.worth(ranked.gain, ranked.judged)
        return cls(measure, weight, best, measure.worth(filled.levels), gain, of_items)

    @classmethod
    def recall(cls, filled: Filled, measure: R) -> Ratio:
        """A gain of 1 for what is relevant; every rank of the best list counts."""
        ranked = filled.ranked
        relevant = ((ranked.item_gain >= measure.rel) & ranked.item_judged).astype(np.float64)
        possible = (filled.levels >= measure.rel).astype(np.float64)
        weight, ideal = np.ones(len(ranked.rank)), np.ones(_largest(filled))
        return cls(measure, weight, ideal, possible, relevant[ranked.item], relevant)

    def greatest(self, topic: UnjudgedOfTopic, share: Floats) -> Floats:
        """As many systems against all others at a time as numbers of theirs are held at once."""
        judged = topic.judged.entry
        fixed = topic.fixed(self.weight[judged] * self.gain[judged]) * share
        table = topic.table(self.weight[topic.unjudged.entry]) * share[:, None]
        layers = self._layers(topic)
        theirs, n = np.take_along_axis(table, topic.own, axis=1), len(table)
        far, block = np.empty((n, n)), max(1, _AT_ONCE // (n * (2 * topic.own.shape[1] + 1)))
        for first in range(0, n, block):
            own, mine = topic.own[first : first + block], table[first : first + block]
            rows = slice(first, first + len(own))
            w = np.zeros((len(own), n, 2 * own.shape[1] + 1))  # last no document, so that there is one at least
            w[..., : own.shape[1]] = theirs[rows, None] - table[:, own].transpose(1, 0, 2)
            w[..., own.shape[1] : -1] = np.where(mine[:, topic.own] > 0, 0.0, -theirs)
            w = -np.sort(-w.reshape(-1, w.shape[2]), axis=1)
            ahead = (fixed[rows, None] - fixed).ravel()
            far[rows] = _greatest_ratio(ahead, w, topic.count, layers).reshape(len(own), n)
        return far

    def _layers(self, topic: UnjudgedOfTopic) -> Layers:
        """Layers of which the best list has as many judged documents are one."""
        values = self.item_gain[topic.judged_items]
        heights = np.diff(self.possible)
        counts = [int((values >= v).sum()) for v in self.possible[1:]]
        full = len(self.best) - 1
        merged: dict[int, float] = {}
        for count, height in zip(counts, heights.tolist(), strict=True):
            merged[min(count, full)] = merged.get(min(count, full), 0.0) + height
        at = np.minimum(np.array(list(merged))[:, None] + np.arange(topic.count + 1), full)
        return Layers(np.array(list(merged.values())), self.best[at.astype(np.int64)])


@dataclass(frozen=True, eq=False)
class Layers:
    """What each layer of gain is worth, and what it costs in the best list, by layer and number of documents in it."""

    height: Floats
    cost: Floats


def _greatest_ratio(fixed: Floats, w: Floats, count: int, layers: Layers) -> Floats:
    """For each row of w, from the largest down and 0 where there is none (once at least), the greatest ratio."""
    if not len(layers.height):  # no gain is possible
        return np.zeros(len(fixed))
    width, rows = w.shape[1], np.arange(len(w))
    above, below = (w > 0).sum(axis=1, keepdims=True), (w < 0).sum(axis=1, keepdims=True)
    place = np.arange(width + 1)
    total = np.concatenate([np.zeros((len(w), 1)), np.cumsum(w, axis=1)], axis=1)
    # documents that have the highest gain: the first ones with w > 0, then those elsewhere all at once, then with w < 0
    number = np.where(place >= width - below, count - width + place, np.minimum(place, above))
    under = (layers.height @ layers.cost)[number]
    over = fixed[:, None] + layers.height.sum() * total
    ratio: Floats = np.divide(over, under, out=np.zeros_like(over), where=under > 0).max(axis=1)
    some = np.flatnonzero(ratio > 0) if len(layers.height) > 1 else rows[:0]
    for _ in range(_STEPS):
        if not len(some):
            break
        gain = np.maximum.accumulate(total[some], axis=1)
        cost = layers.cost[:, np.minimum(place, above[some])]  # layer, row, place
        best = (gain - ratio[some, None] * cost).argmax(axis=2)  # the first, so that layers above have no more
        chosen = gain[rows[: len(some)], best], np.take_along_axis(cost, best[:, :, None], axis=2)[:, :, 0]
        over, under = fixed[some] + layers.height @ chosen[0], layers.height @ chosen[1]
        better = np.divide(over, under, out=ratio[some], where=under > 0)
        rising = better > ratio[some] * (1 + 1e-15)
        ratio[some] = np.maximum(ratio[some], better)
        some = some[rising]
    return ratio


class Cascade(Extremes):
    """ERR: linear in the chance to stop at any one document, so greatest where every label is 0 or highest.

    A score never falls when a label rises: unjudged documents of the first list alone are highest, those of the second
    alone 0. Labels of unjudged documents in both are tried, as many as can be, those highest up first; where there are
    more, the others are taken as highest in the first list and 0 in the second, which no labels exceed.
    """

    def __init__(self, filled: Filled, measure: ERR) -> None:
        view = regained(filled.ranked, measure.gains)
        top = measure.top(view)
        measure.require(measure.max_rel != "topic", "with max_rel='topic' one label changes every gain; give a number")
        stop = measure.stop(mapped(filled.levels, measure.gains), top[:1])
        _refuse_worth(measure, bool(stop.min() != 0))
        self.highest = float(stop.max())
        self.stop = np.where(view.judged, measure.stop(view.gain, top[:1]), 0.0)
        self.exact = True

    def greatest(self, topic: UnjudgedOfTopic, share: Floats) -> Floats:
        """One system against all others at a time."""
        depth = int(max(topic.judged.rank.max(initial=0), topic.unjudged.rank.max(initial=0)))
        stop = np.zeros((topic.systems + 1, depth))
        stop[topic.judged.system, topic.judged.rank - 1] = self.stop[topic.judged.entry]
        full = stop.copy()
        full[topic.unjudged.system, topic.unjudged.rank - 1] = self.highest
        rank = topic.table(topic.unjudged.rank.astype(np.float64)).astype(np.int64)
        most = int(np.log2(max(1, _TRIED // max(1, depth))))
        far = np.zeros((len(stop), len(stop)))
        for a, own in enumerate(topic.own):
            both = (rank[:, own] > 0) & (rank[a, own] > 0)
            both[a] = False  # a system is not compared with itself
            shared = both.sum(axis=1)
            self.exact &= bool(shared.max() <= most)
            for tried in np.unique(np.minimum(shared, most)).tolist():
                rows = np.flatnonzero(np.minimum(shared, most) == tried)
                chosen = own[_highest(both[rows], rank[a, own], rank[rows[:, None], own], tried)]
                ranks = rank[a, chosen], rank[rows[:, None], chosen]
                first, second = _fillings(full[a], stop[rows], *ranks, self.highest)
                far[a, rows] = (share[a] * _err(first) - share[rows, None] * _err(second)).max(axis=1)
        return far


def _highest(both: Bools, rank: Ints, ranks: Ints, most: int) -> Ints:
    """For each row the places of so many unjudged documents of both lists, those that stand highest in the two."""
    height = np.where(both, 1 / np.maximum(rank, 1) + 1 / np.maximum(ranks, 1), 0.0)
    return np.argsort(-height, axis=1, kind="stable")[:, :most]


def _fillings(full: Floats, stop: Floats, rank: Ints, ranks: Ints, highest: float) -> tuple[Floats, Floats]:
    """Chances to stop in the first list and the second's, by row and labels of the unjudged at these ranks."""
    rows, n = ranks.shape
    label = np.where(np.arange(1 << n) >> np.arange(n)[:, None] & 1, highest, 0.0)
    first = np.tile(full, (rows, 1 << n, 1))
    second = np.repeat(stop[:, None], 1 << n, axis=1)
    row = np.arange(rows)
    for number in range(n):
        first[row, :, rank[:, number] - 1] = label[number]
        second[row, :, ranks[:, number] - 1] = label[number]
    return first, second


def _err(stop: Floats) -> Floats:
    """ERR of lists of chances to stop, along the last axis."""
    going = np.cumprod(1 - stop, axis=-1)
    reached = np.concatenate([np.ones((*stop.shape[:-1], 1)), going[..., :-1]], axis=-1)
    return np.asarray((stop * reached / np.arange(1.0, stop.shape[-1] + 1)).sum(axis=-1))


def _refuse_worth(measure: Measure, worth: bool) -> None:
    measure.require(not worth, "a label of 0 must have a gain of 0 here")


def _largest(filled: Filled) -> int:
    return int(np.diff(filled.ranked.pool.begin).max())


_KINDS: dict[type[Measure], Callable[[Filled, Any], Extremes]] = {
    nDCG: Ratio.ndcg,
    MSnDCG: Ratio.ndcg,
    R: Ratio.recall,
    RR: First,
    ERR: Cascade,
}


def extremes_of(filled: Filled, measure: Measure) -> Extremes:
    """The way to the extremes of a measure, or an error where none is proven."""
    check_has_bounds(measure)
    return _KINDS.get(type(measure), Linear)(filled, measure)


def has_bounds(measure: Measure) -> bool:
    """Whether it is known how low and how high labels of the unjudged documents could make a measure."""
    return measure.linear_in_gains or type(measure) in _KINDS


def check_has_bounds(measure: Measure) -> None:
    """Refuse measures without such bounds."""
    if not has_bounds(measure):
        known = ", ".join(kind.NAME for kind in _KINDS)
        raise MeasureError(
            f"{measure}: bounds are available for {known} and measures linear in gain, such as P, DCG and RBP"
        )


# ---- The lowest and the highest score of a system by itself, over all labels of the unjudged documents.


def ends_of(filled: Filled, measure: Measure, systems: Sequence[int]) -> tuple[Floats, Floats]:
    """Lowest and highest of some systems, system by topic; of measures that have extremes, and AP."""
    topics, within = len(filled.ranked.topics), measure.within(filled.ranked.rank)
    ends = np.zeros((2, len(systems), topics))
    known = None if isinstance(measure, AP) else extremes_of(filled, measure)
    for t in range(topics):
        topic = filled.topic(t, within)
        for i, s in enumerate(systems):
            alone = topic.of_systems(np.array([s]))
            if known is not None:
                far = known.greatest(alone, np.ones(2))
                ends[:, i, t] = 0.0 - far[1, 0], far[0, 1]
                continue
            assert isinstance(measure, AP)
            gain = filled.ranked.item_gain
            relevant_ranks = alone.judged.rank[gain[alone.judged.item] >= measure.rel]
            relevant = int((gain[alone.judged_items] >= measure.rel).sum())
            most = measure.cutoff if measure.norm == "min" else None
            ends[:, i, t] = ends_of_ap(relevant_ranks, alone.unjudged.rank, relevant, alone.count, most)
    return ends[0], ends[1]


def ends_of_ap(found: Ints, open_: Ints, relevant: int, unjudged: int, most: int | None = None) -> tuple[float, float]:
    """Lowest and highest AP of a list with relevant documents and unjudged documents at these ranks.

    relevant, unjudged: how many the topic has in all.  most: the largest denominator.  For every number of relevant
    unjudged documents AP is highest where these are the uppermost of the list, and lowest where they are in no list, or
    else the lowermost: each rank that a relevant document rises adds to its own precision, and to no other takes away.

    >>> ends_of_ap(np.array([2]), np.array([1]), 1, 1)
    (0.5, 1.0)
    >>> ends_of_ap(np.array([1]), np.array([2]), 1, 2)  # the other one is not in the list
    (0.5, 1.0)
    """
    found, open_ = np.sort(found), np.sort(open_)
    above = np.searchsorted(found, open_)
    inverse = np.append(np.cumsum((1 / found)[::-1])[::-1], 0.0)
    alone = (above + 1) / open_ + inverse[above]  # what each adds by itself
    base, n = float((np.arange(1, len(found) + 1) / found).sum()), len(open_)
    high = base + np.concatenate([[0.0], np.cumsum(alone + np.arange(n) / open_)])
    below = np.cumsum((1 / open_)[::-1]) - (1 / open_)[::-1]
    low = base + np.concatenate([np.zeros(max(unjudged - n, 0) + 1), np.cumsum(alone[::-1] + below)])
    ends = []
    for total in (low, high):
        of = relevant + np.arange(len(total))
        ends.append(total / np.maximum(of if most is None else np.minimum(of, most), 1))
    return float(ends[0].min()), float(ends[1].max())


# ---- How many retrieved documents are unjudged, for whom, and how far a score could move if they were
# judged.
#
# The documents in question are those that some run has among its first `depth` and nobody judged. A system's *own*
# unjudged documents stand in its list above the cutoff; all others, further down or in other lists alone, are
# *elsewhere*. Each may have the label 0 or any that was given to a document.

Kind = Literal["exact", "bound"]
_NOTHING = 1e-12  # a difference of means below this is rounding


@dataclass(frozen=True, eq=False, repr=False)
class UnjudgedReport(Result):
    """How far unjudged documents could move each score, and how many there are.

    Attributes
    ----------
    measure : str
        The measure.
    systems : tuple of str
        Names of the systems, the rows of each matrix.
    topics : tuple of str
        The topics, the columns of each matrix.
    score : ndarray of float
        Scores with unjudged documents as not relevant, system x topic.
    worst, best : ndarray of float
        The lowest and the highest score over all labels of the unjudged documents, system x topic; some labels reach
        them.
    greatest : ndarray of float
        System x system: how far the mean of the first can be ahead of the second's.
    kind : {'exact', 'bound'}
        Whether some labels reach `greatest`, or it is a bound.
    unjudged : dict of int to ndarray of float
        By depth the share of unjudged documents, system x topic.
    beside : dict of str to ndarray of float
        Other ways to score with unjudged documents: 'condensed', 'Bpref' and 'infAP', system x topic.
    depth : int
        How deep the measure looks.
    arguments : mapping
        What `unjudged` was called with.

    Notes
    -----
    Columns of `frame`, one row a system: `system`; `unjudged`, the share of unjudged documents among the
    first `depth`; `score`, `worst` and `best`, means over topics; `kind`, 'exact' since some labels reach worst and
    best; `condensed`, the score without the unjudged documents; `Bpref` and `infAP`.

    Examples
    --------
    >>> import truegain as tg
    >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}}, "b": {"1": {"y": 3.0, "z": 2.0}}}
    >>> made = tg.unjudged(runs, {"1": {"x": 1, "w": 1}}, "P@2")
    >>> for row in made.table().rows:
    ...     print(*row[:6])
    a 0.5 0.5 0.5 1.0 exact
    b 1.0 0.0 0.0 1.0 exact
    >>> print(*made.pairs().rows[0])  # y is in both lists, z in b alone
    a b -0.5 -0.5 0.0 exact no
    """

    measure: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    score: Floats
    worst: Floats
    best: Floats
    greatest: Floats  # system by system: how far the mean of the first can be ahead of the second's
    kind: Kind  # of greatest; worst and best are reached by some labels
    unjudged: dict[int, Floats]  # by depth: share of unjudged documents
    beside: dict[str, Floats]  # other ways to look: condensed list, Bpref, infAP
    depth: int
    arguments: Mapping[str, object] = field(default_factory=dict)

    @property
    def provenance(self) -> dict[str, object]:
        """How it was made."""
        return {**self.arguments, "truegain": __version__, "measure": self.measure, "depth": self.depth}

    def in_short(self) -> str:
        """How many pairs of systems could change order."""
        return f"{self.measure}, {len(self.systems):,} systems, {len(self.topics):,} topics; {self._could_change()}"

    def _could_change(self) -> str:
        n, open_ = len(self.systems), int(np.triu(self.open_order, 1).sum())
        pairs = n * (n - 1) // 2
        return f"{open_} of {pairs} {'pair' if pairs == 1 else 'pairs'} of systems could change order"

    def table(self, topics: bool = False) -> Table:
        """One row a system, or with ``topics=True`` one a system and topic.

        Parameters
        ----------
        topics : bool
            A row a system and topic.

        Returns
        -------
        Table
            What is unjudged, and what it could change.
        """
        columns = (*_named(topics), "unjudged", "score", "worst", "best", "kind", *self.beside)
        matrices = [self.unjudged[self.depth], self.score, self.worst, self.best, *self.beside.values()]
        by_system = list(self._rows(matrices, topics))
        rows: list[tuple[Cell, ...]] = [(*names, *values[:4], "exact", *values[4:]) for names, values in by_system]
        notes = [
            f"{self.measure}. unjudged: share of the first {self.depth} documents. worst and best: the lowest and the "
            "highest score over all possible labels of the runs' unjudged documents (exact).",
            self._order_note(),
        ]
        if any(unjudged == 0 and worst < score - _NOTHING for _, (unjudged, score, worst, *_rest) in by_system):
            notes.append(
                "worst may be below the score where unjudged is 0: unjudged documents of the other runs, if relevant, "
                f"raise what {self.measure} is divided by (as the ideal ranking of nDCG)."
            )
        return Table(columns, rows, {"measure": self.measure, "depth": self.depth}, notes=tuple(notes))

    def _order_note(self) -> str:
        return f"{self._could_change()} ({self.kind}); a document that both retrieved has the same label in both."

    def _rows(self, matrices: Sequence[Floats], topics: bool) -> Iterator[tuple[tuple[str, ...], list[float]]]:
        """System, and topic where asked for, with what each matrix has there; the mean over topics last."""
        means = [mean_of_rows(m) for m in matrices]
        for s, system in enumerate(self.systems):
            for t, topic in enumerate(self.topics if topics else ()):
                yield (system, topic), [float(m[s, t]) for m in matrices]
            yield (system, ALL_TOPICS) if topics else (system,), [float(m[s]) for m in means]

    @property
    def open_order(self) -> Bools:
        """Pairs of systems of which either could have the higher mean."""
        return _either(self.greatest)

    def pairs(self) -> Table:
        """The possible differences of each pair of systems.

        Returns
        -------
        Table
            `a` and `b`; `b - a`, the difference of their means; `least` and `greatest`, the lowest and the highest that
            it could be; `kind`, whether labels reach these; `could change order`.
        """
        mean = mean_of_rows(self.score)
        rows: list[tuple[Cell, ...]] = [
            (self.systems[a], self.systems[b], float(mean[b] - mean[a]), 0.0 - float(self.greatest[a, b]),
             float(self.greatest[b, a]), self.kind, "yes" if self.open_order[a, b] else "no")
            for a, b in combinations(range(len(self.systems)), 2)
        ]  # fmt: skip
        columns = ("a", "b", "b - a", "least", "greatest", "kind", "could change order")
        limits = (
            f"{self.measure}. least and greatest: the lowest and the highest b - a over all possible labels of the "
            f"runs' unjudged documents ({self.kind})."
        )
        notes = (limits, self._order_note())
        return Table(columns, rows, {"measure": self.measure, "depth": self.depth}, notes=notes)

    def shares(self, topics: bool = False) -> Table:
        """The share of unjudged documents at every depth.

        Parameters
        ----------
        topics : bool, default False
            A row for each system and topic.

        Returns
        -------
        Table
            `system`, `topic` where asked for, and one column `unjudged@d` a depth d.
        """
        rows: list[tuple[Cell, ...]] = [(*n, *values) for n, values in self._rows([*self.unjudged.values()], topics)]
        columns = (*_named(topics), *(f"unjudged@{d}" for d in self.unjudged))
        return Table(columns, rows, {"depths": list(self.unjudged)})


@dataclass(frozen=True, eq=False)
class OpenOrder:
    """Pairs of systems that unjudged documents could turn, and nothing else; of lists that are aligned already."""

    measure: str
    systems: tuple[str, ...]
    open_order: Bools  # system by system

    @classmethod
    def of(cls, ranked: RankedGains, measure: Measure) -> OpenOrder:
        """From lists that know their documents by key (see `Filled.by_key`)."""
        check_has_bounds(measure)
        filled = Filled.by_key(ranked, measure)
        greatest = extremes_by_topic(filled, measure, measure.score(filled.ranked))[2]
        return cls(str(measure), ranked.systems, frozen(_either(greatest)))


def _named(topics: bool) -> tuple[str, ...]:
    return ("system", "topic") if topics else ("system",)


def _either(greatest: Floats) -> Bools:
    ahead = greatest > _NOTHING
    return np.asarray(ahead & ahead.T)


@checked_keywords()
def unjudged(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measure: MeasureLike = "nDCG@10",
    *,
    depths: tuple[int, ...] = (1, 5, 10, 20, 50, 100),
    scoring: Scoring | None = None,
    jobs: int | None = None,
) -> UnjudgedReport:
    """Bound how far scores could move if unjudged documents were judged.

    Worst and best scores are exact.  So is the greatest difference of two systems for measures linear in gain, RR, R
    and nDCG; for ERR it is exact where few unjudged documents are in both lists, and a bound elsewhere.

    Parameters
    ----------
    runs : what `evaluate` takes
        What each system retrieved.
    judgments : what `evaluate` takes
        The labels.
    measure : str or Measure, default 'nDCG@10'
        One whose worst and best are known: linear in gain (P, DCG, RBP, ...), nDCG, R, RR or ERR.
    depths : tuple of int, default (1, 5, 10, 20, 50, 100)
        Where the share of unjudged documents is counted.
    scoring : Scoring, optional
        How scores are made.
    jobs : int, optional
        Threads; by default one for each core.

    Returns
    -------
    UnjudgedReport
        Scores, worst and best by system and topic, and what could change their order.

    References
    ----------
    .. [1] A. Moffat and J. Zobel, "Rank-biased precision for measurement of retrieval effectiveness", ACM Transactions
           on Information Systems 27(1), 2008: the residual of RBP, which worst and best generalize.
    .. [2] C. Buckley and E. M. Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.
    .. [3] T. Sakai, "Alternatives to Bpref", SIGIR 2007: condensed lists.
    .. [4] E. Yilmaz and J. A. Aslam, "Estimating average precision with incomplete and imperfect judgments", CIKM 2006.

    Examples
    --------
    >>> import truegain as tg
    >>> made = tg.unjudged({"1": {"x": 3.0, "y": 2.0}}, {"1": {"x": 1}}, "nDCG@2")
    >>> made.worst.tolist(), made.best.tolist()
    ([[1.0]], [[1.0]])
    """
    for depth in depths:
        check_count("depths", depth, 1, own=True)
    how = scoring or Scoring()
    m = at_level(parse_measure(measure), how.relevant_from)
    check_has_bounds(m)
    filled = Filled.of(runs, judgments, m, how, jobs)
    ranked = filled.ranked
    score = m.score(ranked)
    worst, best, greatest, kind = extremes_by_topic(filled, m, score)
    depth = getattr(m, "cutoff", None) or int(ranked.depth.max())
    wanted = sorted({depth, *(d for d in depths if d <= filled.depth)})
    beside = {"condensed": m.score(ranked.condensed)}
    for other in ("Bpref", "infAP"):
        beside[other] = at_level(parse_measure(other), how.relevant_from).score(ranked)
    lists = ranked.list[ranked.judged] // max(1, len(ranked.topics))
    blank = np.bincount(lists, minlength=len(ranked.systems)) == 0  # by judged documents alone there is nothing
    beside = {name: np.where(blank[:, None], np.nan, values) for name, values in beside.items()}
    shares = {d: filled.share(d) for d in wanted}
    return UnjudgedReport(
        str(m), ranked.systems, ranked.topics, score, worst, best, greatest, kind, shares, beside, depth
    )


def extremes_by_topic(filled: Filled, measure: Measure, score: Floats) -> tuple[Floats, Floats, Floats, Kind]:
    """Worst and best by system and topic, and the greatest difference of means by system and system."""
    extremes, within = extremes_of(filled, measure), measure.within(filled.ranked.rank)
    there = ~np.isnan(score)
    answered = there.sum(axis=1)
    worst, best = np.full((2, *score.shape), np.nan)
    greatest = np.zeros((len(score), len(score)))
    for t in range(score.shape[1]):
        share = np.append(np.divide(there[:, t], answered, out=np.zeros(len(score)), where=answered > 0), 1.0)
        far = extremes.greatest(filled.topic(t, within), share)
        greatest += far[:-1, :-1]
        has = there[:, t]
        best[has, t] = far[:-1, -1][has] * answered[has]
        worst[has, t] = 0.0 - far[-1, :-1][has] * answered[has]  # so that 0 is not -0
    np.fill_diagonal(greatest, 0.0)
    return worst, best, greatest, "exact" if extremes.exact else "bound"


class MedianBounds(NamedTuple):
    """Over all labels of unjudged documents, system by topic: a score, and how far it lies from the topic's median."""

    worst: Floats
    best: Floats
    least: Floats  # of the score less the median of all systems' scores
    most: Floats


def bounds_to_median(filled: Filled, measure: Measure) -> MedianBounds:
    """How low and how high each score, and its difference to the topic's median over all systems, can be.

    For given labels, x_i - median_j x_j = median_j (x_i - x_j), and a median rises with each of its values: it lies
    between the median of the least differences to each system and that of the greatest.  A document in two lists has
    one label, and what a measure is divided by is the same for all, so this is closer than bounds of scores alone.
    """
    extremes, within = extremes_of(filled, measure), measure.within(filled.ranked.rank)
    systems, topics = len(filled.ranked.systems), len(filled.ranked.topics)
    bounds = MedianBounds(*np.zeros((4, systems, topics)))
    for t in range(topics):
        far = extremes.greatest(filled.topic(t, within), np.ones(systems + 1))
        bounds.worst[:, t], bounds.best[:, t] = 0.0 - far[-1, :-1], far[:-1, -1]
        pairs = far[:-1, :-1].copy()
        np.fill_diagonal(pairs, 0.0)
        bounds.least[:, t], bounds.most[:, t] = np.median(-pairs, axis=0), np.median(pairs, axis=1)
    return bounds
