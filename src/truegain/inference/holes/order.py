"""In which order unjudged documents are worth a label, for ranking many systems or for telling two apart.

w_da is how far a unit of worth of document d moves the mean of system a, v_d the variance of its worth by its predicted
label, D_ab the difference of the predicted means and S_ab = sum over unjudged d of v_d (w_da - w_db)^2.

Many systems:  phi_d = v_d sum over pairs of k_ab (w_da - w_db)^2,  k = exp(-D^2 / 2S) / sqrt(S): what is still open
One pair, s = w_a - w_b:  |s| p where it would speak for the system ahead, |s| (1 - p) elsewhere (until certain), or
s^2 v (until 95% sure, which is Phi(|D| / sqrt(2 (S + G))) with at least 50 documents judged, G the variance of D that
the fitted coefficients bring)

Every topic starts with two documents by depth: without them the order may learn from what it chose itself.  Then come
three of each system whose own documents, those it alone has in its first ten, nobody has judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr

from truegain.inference.holes.predicted import Prediction
from truegain.measures.base import Measure, mean_of_rows
from truegain.measures.expected import expected
from truegain.tables.columns import Bools, Floats, Ints, frozen

Until = Literal["sure", "certain"]
SEEDS = 2  # documents a topic by depth before any other
OWN_FIRST = 3  # documents of each newcomer
BATCH = 25  # for one pair
WIDER = 2.0  # of the variance of a pair: chosen on DL19 and TREC-8, where errors are 1.3 to 1.7 times as large
SCHEDULE = ((8, 1), (16, 2), (10**9, 4))  # judged a topic so far, rounds until the next fit


@dataclass(frozen=True, eq=False)
class Queue:
    """Items from the first to judge to the last, with round and reason; how many to take at a time."""

    rows: Ints
    round: Ints
    why: Sequence[str]
    usual: int


@dataclass(frozen=True, eq=False)
class OpenRanking:
    """What an order is made of: moves, chances, predicted means."""

    made: Prediction
    move: csr_array  # item x system: how far a unit of worth moves the mean
    worth: Floats  # of label 0 and each level
    mean: Floats  # worth of each item
    variance: Floats  # 0 where judged
    chance: Floats  # of being relevant
    means: Floats  # of each system
    levels: Floats  # of labels that the measure tells apart

    @classmethod
    def of(cls, made: Prediction, measure: Measure) -> OpenRanking:
        """From a prediction and what a measure makes of it."""
        chances = made.chances(measure)
        ranked = made.filled.ranked
        found = expected(measure, ranked, chances)
        answered = np.maximum((~np.isnan(found.score)).sum(axis=1), 1)
        system = ranked.list // max(1, len(ranked.topics))
        inside = np.flatnonzero((found.move != 0) & (ranked.rank <= made.filled.depth))
        move = csr_array(
            (found.move[inside] / answered[system[inside]], (ranked.item[inside], system[inside])),
            shape=(len(ranked.pool), len(ranked.systems)),
        )
        variance = np.where(made.filled.hole, chances.variance(found.worth), 0.0)
        means = np.nan_to_num(mean_of_rows(found.score))
        return cls(
            made, move, found.worth, chances.mean(found.worth), variance, chances.chance[:, 0], means, chances.levels
        )

    @property
    def has_both(self) -> bool:
        """Whether of what lists show some is judged not relevant: else every chance is next to 1."""
        return bool((self.made.label[self.judged] < self.levels[0]).any())

    @property
    def judged(self) -> Bools:
        """Items that some run lists and that have a label."""
        return np.asarray(~self.made.filled.hole & self.made.predictor.votes.listed)

    def for_many(self) -> Queue:
        """Two a topic by depth, then one a topic a round by phi."""
        value = phi(self.move, self.variance, self.means)
        open_ = self.made.filled.hole & (np.diff(self.move.indptr) > 0)
        per_topic = self._per_topic(self.judged)
        rounds = next(r for below, r in SCHEDULE if int(per_topic.min()) < below)
        usual = rounds * int((np.bincount(self._topic[open_], minlength=1) > 0).sum())
        return self._ordered(value, open_, usual, "ranking")

    def for_pair(self, pair: tuple[str, str], until: Until) -> Queue:
        """Two a topic by depth, then what tells the two apart; until certain, the latter alone."""
        s = self.apart(pair)
        open_ = self.made.filled.hole & (s != 0)
        if until == "sure":
            return self._ordered(s**2 * self.variance, open_, BATCH, "pair")
        a, b = (self.systems.index(name) for name in pair)
        ahead = np.sign(self.means[a] - self.means[b]) or 1.0
        value = np.abs(s) * np.where(s * ahead > 0, self.chance, 1 - self.chance)
        return self._ordered(value, open_, BATCH, "pair", seeds=0)

    def apart(self, pair: tuple[str, str]) -> Floats:
        """s: how far a unit of worth of each item moves the first of two systems away from the second."""
        a, b = (self.systems.index(name) for name in pair)
        columns = self.move[:, [a, b]].toarray()
        return np.asarray(columns[:, 0] - columns[:, 1])

    def sure(self, pair: tuple[str, str]) -> float:
        """How likely the sign of the difference of the predicted means is right: Phi(|D| / sqrt(2 (S + G))).

        S is what unjudged documents leave open by their chances, G what is not known of the coefficients behind these:
        they are the same for all documents of a run, so their errors do not average out.
        """
        s, hole = self.apart(pair), self.made.filled.hole
        a, b = (self.systems.index(name) for name in pair)
        spread = float((s**2 * self.variance).sum())
        if spread == 0:
            return 1.0
        pull = np.where(hole, s, 0.0)[:, None] * np.diff(self.worth)
        whole = spread + self.made.predictor.unknown(self.made.label, self.levels, pull)
        return float(ndtr(abs(self.means[a] - self.means[b]) / np.sqrt(WIDER * whole)))

    @property
    def systems(self) -> tuple[str, ...]:
        """As the runs are named."""
        return self.made.filled.ranked.systems

    @property
    def _topic(self) -> Ints:
        return self.made.predictor.votes.topic

    def _per_topic(self, items: Bools) -> Ints:
        return np.bincount(self._topic[items], minlength=len(self.made.filled.ranked.topics))

    def _ordered(self, value: Floats, open_: Bools, usual: int, why: str, seeds: int = SEEDS) -> Queue:
        """Seeds of topics that lack them, then by value; to rank many one a topic a round, for a pair all together."""
        votes, hashes = self.made.predictor.votes, self.made.filled.ranked.pool.docs.hash
        items = np.flatnonzero(open_)
        topic, by_round = votes.topic[items], why == "ranking"
        lacking = np.maximum(seeds - self._per_topic(self.judged), 0)
        by_depth = np.lexsort((hashes[items], votes.best[items], topic))
        seed = np.zeros(len(items), np.bool_)
        seed[by_depth] = _place(topic[by_depth]) < lacking[topic[by_depth]]
        own = self._of_newcomers()[items] & ~seed & by_round & (not lacking.any())
        turn = np.where(seed, 0, np.where(own, 1, 2))
        depth = np.where(seed, votes.best[items], 0)
        within = np.lexsort((hashes[items], depth, np.where(seed, 0.0, -value[items]), turn, topic))
        place = np.empty(len(items), np.int64)
        place[within] = _place(topic[within]) + 1
        first = np.where(seed | by_round, place, seeds + 1)
        order = np.lexsort((hashes[items], topic, np.where(seed, 0.0, -value[items]), turn, first))
        told = np.array(["seed", "newcomer", why])[turn[order]].tolist()
        usual = usual if by_round else max(usual, int(seed.sum()))
        return Queue(frozen(items[order]), frozen(place[order]), told, usual)

    def _of_newcomers(self) -> Bools:
        """Some documents of each system whose own nobody judged, the highest up."""
        out = np.zeros(len(self.variance), np.bool_)
        for items in self.made.newcomers.values():
            best = self.made.predictor.votes.best[items]
            out[items[np.argsort(best, kind="stable")[:OWN_FIRST]]] = True
        return out


def phi(move: csr_array, variance: Floats, means: Floats) -> Floats:
    """What the label of each document would tell about the order of the systems that is still open.

    sum over pairs of k (w_a - w_b)^2 = sum over a of w_a^2 K_a - w' k w, with K_a = sum over b of k_ab.

    >>> move = csr_array(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]))
    >>> phi(move, np.array([0.25, 0.25]), np.array([0.5, 0.5, 0.0])).round(3).tolist()
    [0.629, 0.629]
    """
    both = (move.T @ (move * variance[:, None])).toarray()
    own = np.diag(both)
    spread = own[:, None] + own[None, :] - 2 * both
    there = spread > 1e-15 * max(1.0, float(own.max(initial=0.0)))
    safe = np.where(there, spread, 1.0)
    apart = means[:, None] - means[None, :]
    k = np.where(there, np.exp(-(apart**2) / (2 * safe)) / np.sqrt(safe), 0.0)
    np.fill_diagonal(k, 0.0)
    rows = np.flatnonzero(np.diff(move.indptr))
    mine = move[rows]
    out = np.zeros(len(variance))
    out[rows] = mine.multiply(mine) @ k.sum(axis=1) - np.asarray(mine.multiply(mine @ k).sum(axis=1)).ravel()
    return np.asarray(variance * np.maximum(out, 0.0))


def _place(group: Ints) -> Ints:
    """The place of each row among those of its group, which stand together."""
    start = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]])) if len(group) else np.empty(0, np.int64)
    return np.arange(len(group)) - np.repeat(start, np.diff(np.append(start, len(group))))
