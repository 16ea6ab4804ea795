"""The jackknife over documents: scores without each in turn, and the variance over collections they give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from truegain.data.pool import RankedGains
from truegain.io.columns import Bools, Codes, Floats, Ints
from truegain.parallel.jobs import Engine, Progress, engine_for
from truegain.sampling.documents import TopicLists, lists_of_topic

ROUNDING = 1e-12  # a difference that moves less than this share of its sides does not move


@dataclass(frozen=True, eq=False)
class TopicSpread:
    """How far the scores of one topic move over collections: variances, or covariances of all systems.

    `own` is what its relevant documents bring (or all documents, where they are drawn together), `others` what the
    non-relevant ones add; systems that are not `there` have 0.
    """

    relevant: int
    there: Bools
    own: Floats
    others: Floats

    def of_systems(self) -> tuple[Floats, Floats]:
        """The variances of the systems."""
        if self.own.ndim == 1:
            return self.own, self.others
        return np.diagonal(self.own), np.diagonal(self.others)

    def mixed(self, other: TopicSpread, share: float) -> TopicSpread:
        """Two estimates of one topic together, the other one with this share."""
        own, others = ((1 - share) * x + share * y for x, y in ((self.own, other.own), (self.others, other.others)))
        return TopicSpread(self.relevant, self.there, own, others)

    def of_pairs(self, a: Ints, b: Ints, paired: bool) -> tuple[Floats, Floats]:
        """The variances of differences of pairs of systems on the same collections, or on one each."""
        return _difference(self.own, a, b, paired), _difference(self.others, a, b, paired)


def _difference(covariance: Floats, a: Ints, b: Ints, paired: bool) -> Floats:
    sides = covariance[a, a] + covariance[b, b]
    if not paired:
        return np.asarray(sides)
    moved = sides - 2 * covariance[a, b]
    return np.where(moved > ROUNDING * sides, moved, 0.0)


class DrawnSums:
    """Draws added up as they come: sums over topics, and sums of squares (or products) of each topic."""

    def __init__(self, center: Floats, replicates: int, pairs: bool) -> None:
        """Center: the scores of the real collection, systems by topics, NaN where a system is not there."""
        self.center, self.there, self.replicates, self.pairs = center, ~np.isnan(center), replicates, pairs
        systems, topics = center.shape
        self.total = np.zeros((systems, replicates))
        self.moved = np.zeros((systems, topics))
        self.products = np.zeros((topics, systems, systems) if pairs else (topics, systems))
        self.redrawn = 0

    def add(self, topics: slice, replicates: slice, drawn: Floats, redrawn: int) -> None:
        """Scores of systems, topics, replicates; NaN where a system is not there."""
        away = np.where(self.there[:, topics, None], drawn - self.center[:, topics, None], 0.0)
        self.total[:, replicates] += np.where(self.there[:, topics, None], drawn, 0.0).sum(axis=1)
        self.moved[:, topics] += away.sum(axis=2)
        by_topic = away.transpose(1, 0, 2)
        self.products[topics] += by_topic @ by_topic.transpose(0, 2, 1) if self.pairs else (by_topic**2).sum(axis=2)
        self.redrawn += redrawn

    def spreads(self, relevant: Ints) -> list[TopicSpread]:
        """The variances, or covariances, of each topic over all draws."""
        found = []
        for topic, count in enumerate(relevant.tolist()):
            moved = self.moved[:, topic]
            shift = np.outer(moved, moved) if self.pairs else moved**2
            own = np.asarray((self.products[topic] - shift / self.replicates) / (self.replicates - 1))
            if not self.pairs:
                own = np.maximum(own, 0.0)  # rounding
            found.append(TopicSpread(count, self.there[:, topic], own, np.zeros_like(own)))
        return found


# ---- Scores without each document in turn, AP's in closed form, and the variance over collections that they give.


@dataclass(frozen=True, eq=False)
class LeaveOneOutAP:
    """AP of a list, and what it is without a document.

    `found`: without each relevant document of the list; `missed`: without a relevant one that the list lacks; `rise`:
    how much it rises without a non-relevant one, for each rank down to the last relevant document.
    """

    ap: float
    found: Floats
    missed: float
    rise: Floats


def left_out(rank: Ints, relevant: int) -> LeaveOneOutAP:
    """AP = (1/R) sum j/r_j without each document in turn, r_j the rank of the j-th relevant one.

    Without the i-th: (sum over j < i of j/r_j + sum over j > i of (j - 1)/(r_j - 1)) / (R - 1), missing where R = 1;
    without a non-relevant document every r_j below it falls by 1.

    >>> without = left_out(np.array([1, 3]), 2)
    >>> round(without.ap, 4), without.found.round(4).tolist(), without.rise.round(4).tolist()
    (0.8333, [0.5, 1.0], [0.1667, 0.1667, 0.0])
    """
    count = np.arange(1, len(rank) + 1)
    terms = count / rank
    ap = float(terms.sum() / relevant)
    last = int(rank[-1]) if len(rank) else 0
    gained = np.zeros(last + 1)
    gained[rank - 1] = count / np.maximum(rank - 1, 1) - terms  # a document at rank 1 has none above it
    rise = (np.cumsum(gained[::-1])[::-1])[1:] / relevant
    if relevant == 1:
        return LeaveOneOutAP(ap, np.full(len(rank), np.nan), np.nan, rise)
    before = np.cumsum(terms) - terms
    shifted = (count - 1) / np.maximum(rank - 1, 1)
    after = shifted.sum() - np.cumsum(shifted)
    return LeaveOneOutAP(ap, (before + after) / (relevant - 1), ap * relevant / (relevant - 1), rise)


def average_precision(lists: TopicLists) -> Floats:
    """AP of each list of a topic."""
    return np.array([left_out(lists.ranks(i), lists.relevant).ap for i in range(len(lists.systems))])


def accelerations(lists: TopicLists) -> Floats:
    """BCa's acceleration of each list, from leaving out one document at a time: a = sum U^3 / (6 (sum U^2)^1.5).

    U = AP - AP without the document; documents that were not retrieved and are not relevant have no influence.
    """
    return np.array([_acceleration(lists.ranks(i), lists.relevant) for i in range(len(lists.systems))])


def _acceleration(rank: Ints, relevant: int) -> float:
    without = left_out(rank, relevant)
    others = -np.delete(without.rise, rank - 1)
    missed = np.full(relevant - len(rank), without.ap - without.missed)
    u = np.concatenate([others, without.ap - without.found, missed])
    squares = float((u**2).sum())
    return float((u**3).sum() / (6 * squares**1.5)) if squares > 0 else 0.0  # NaN with one relevant document


@dataclass(frozen=True, eq=False)
class ListMoves:
    """What leaving documents out does to one list.

    `without`: its score without each relevant document of the topic; `rise`: how much it rises without the document at
    each place of the list, 0 at relevant ones.
    """

    without: Floats
    rise: Floats


def ap_moves(lists: TopicLists, number: int) -> ListMoves:
    """AP of one list without each document in turn."""
    entry, rank = lists.entry[lists.begin[number] : lists.begin[number + 1]], lists.ranks(number)
    left = left_out(rank, lists.relevant)
    without, rise = np.full(lists.relevant, left.missed), left.rise.copy()
    without[entry[rank - 1]] = left.found
    rise[rank - 1] = 0
    return ListMoves(without, rise)


def topic_spread(
    lists: TopicLists, systems: int, pairs: bool, moves_of: Callable[[int], ListMoves] | None = None
) -> TopicSpread:
    """Variances of a score over collections by leaving documents out, of each system or (covariances) of all of them.

    own = (R - 1)/R sum over relevant i of (X without i - their mean)^2, 0 where R = 1, for which it is not known;
    others = sum over non-relevant i of (X - X without i)^2.  X is AP unless `moves_of` tells of another score.
    """
    own_moves = np.zeros((lists.relevant, len(lists.systems)))
    others: list[tuple[Codes, Floats]] = []  # by system: numbers of non-relevant documents, and how far each moves it
    squares = np.zeros(len(lists.systems))
    for s in range(len(lists.systems)):
        moves = ap_moves(lists, s) if moves_of is None else moves_of(s)
        own_moves[:, s] = moves.without
        squares[s] = (moves.rise**2).sum()
        if pairs:
            entry = lists.entry[lists.begin[s] : lists.begin[s + 1]]
            bad = np.flatnonzero(entry >= lists.relevant)
            others.append((entry[bad] - lists.relevant, moves.rise[bad]))
    there = np.zeros(systems, np.bool_)
    there[lists.systems] = True
    if lists.relevant == 1:
        own_moves[:] = 0
    own_moves -= own_moves.mean(axis=0)
    factor = (lists.relevant - 1) / lists.relevant
    if not pairs:
        own = factor * (own_moves**2).sum(axis=0)
        return TopicSpread(lists.relevant, there, _spread(own, there), _spread(squares, there))
    own, rest = factor * own_moves.T @ own_moves, _products(others, len(lists.document) - lists.relevant)
    return TopicSpread(lists.relevant, there, _spread(own, there), _spread(rest, there))


def _products(columns: list[tuple[Codes, Floats]], rows: int) -> Floats:
    """X'X of a matrix given by column as rows and values: most documents stand in a few lists only."""
    sparse = import_module("scipy.sparse")
    sizes = np.array([len(at) for at, _ in columns])
    index, values = (np.concatenate([column[i] for column in columns]) for i in (0, 1))
    begin = np.concatenate([[0], np.cumsum(sizes)])
    x = sparse.csc_matrix((values, index, begin), shape=(rows, len(columns)))
    return np.asarray((x.T @ x).toarray())


def _spread(values: Floats, there: np.ndarray) -> Floats:
    """Values of the systems that are there among those of all."""
    out = np.zeros((len(there),) * values.ndim)
    out[np.ix_(*(np.flatnonzero(there),) * values.ndim)] = values
    return out


def document_spreads(
    ranked: RankedGains,
    level: float,
    *,
    pairs: bool = False,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> list[TopicSpread]:
    """The spread of AP of every topic; no draws, hence no seed."""
    ranked.relevant_entries(level)  # shared by all pieces: made once
    topics = range(len(ranked.topics))
    runner = engine or engine_for()
    shared = (ranked, level, pairs)
    return list(runner.run(_work, topics, shared=shared, name=lambda t: f"topic {ranked.topics[t]}", progress=progress))


def _work(shared: tuple[RankedGains, float, bool], topic: int, _: np.random.SeedSequence) -> TopicSpread:
    ranked, level, pairs = shared
    systems = len(ranked.systems)
    lists = lists_of_topic(ranked, topic, level)
    if lists.relevant:
        return topic_spread(lists, systems, pairs)
    there = ranked.present.reshape(systems, -1)[:, topic]
    still = np.zeros((systems,) * (1 + pairs))
    return TopicSpread(0, there, still, still)
