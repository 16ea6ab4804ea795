"""What to judge next: documents whose labels would tell most about the order of many systems, or of two.

w_da is how far a unit of worth of document d moves the mean of system a, v_d the variance of its worth by its predicted
label, D_ab the difference of the predicted means and S_ab = sum over unjudged d of v_d (w_da - w_db)^2.

Many systems:  phi_d = v_d sum over pairs of k_ab (w_da - w_db)^2,  k = exp(-D^2 / 2S) / sqrt(S): what is still open
One pair, s = w_a - w_b:  |s| p where it would speak for the system ahead, |s| (1 - p) elsewhere (until certain), or
s^2 v (until 95% sure, which is Phi(|D| / sqrt(4 S)) with at least 50 documents judged)

Every topic starts with two documents by depth: without them the order may learn from what it chose itself.  Then come
three of each system whose own documents, those it alone has in its first ten, nobody has judged.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr

from truegain.errors import MeasureError, TruegainError, check_one_of, some
from truegain.inference.holes.bounds import extremes_by_topic
from truegain.inference.holes.extremes import is_known
from truegain.inference.holes.filled import Filled
from truegain.inference.holes.predicted import Prediction
from truegain.measures.base import Measure, mean_of_rows
from truegain.measures.evaluate import Options, at_level, options_of
from truegain.measures.expected import expected
from truegain.measures.parse import parse_measure
from truegain.tables.columns import Bools, Floats, Ints, frozen
from truegain.tables.runs import Runs
from truegain.tables.table import Cell, Table

Until = Literal["sure", "certain"]
SEEDS = 2  # documents a topic by depth before any other
OWN_FIRST = 3  # documents of each newcomer
SURE, LEAST, BATCH = 0.95, 50, 25  # for one pair
SCHEDULE = ((8, 1), (16, 2), (10**9, 4))  # judged a topic so far, rounds until the next fit


@dataclass(frozen=True)
class ToJudge:
    """An unjudged document, how likely it is relevant, and what its label would do."""

    topic: str
    doc: str
    round: int  # the how manieth of its topic
    why: str  # 'seed' (by depth), 'newcomer' (no document of its own is judged), 'ranking' or 'pair'
    predicted: float  # chance of being relevant
    swaps: int  # pairs of systems in one order if it has the highest label, in another if it has 0
    shift: float  # how far that would move two systems apart at most; of a pair, in favour of the first
    systems: int  # how many have it where the measure looks


@dataclass(frozen=True)
class PairSoFar:
    """What is known of the sign of the difference of two systems."""

    ahead: str
    behind: str
    difference: float  # of the predicted means
    sure: float  # chance that the sign is right
    certain: bool  # no labels of the documents of the two lists would change it
    judged: int  # documents that count unlike in the two lists
    open: int

    until: Until = "sure"

    @property
    def enough(self) -> bool:
        """Whether it is settled, or, where that is asked, 95% sure with at least 50 documents judged."""
        sure = self.until == "sure" and self.sure >= SURE and self.judged >= LEAST
        return self.certain or self.open == 0 or sure

    def __str__(self) -> str:
        told = f"{self.ahead} is ahead of {self.behind} by {self.difference:.4f} with predicted labels"
        if self.open == 0 and self.difference == 0:
            return f"{self.ahead} and {self.behind} are equal, and no document is open"
        if self.certain or self.open == 0:
            return f"{told}; its sign is certain"
        chance = "over 99.9%" if self.sure > 0.999 else f"{self.sure:.1%}"
        least = "" if self.judged >= LEAST else f", which counts from {LEAST} on"
        return f"{told}; {chance} sure of the sign, {self.judged} documents that tell them apart judged{least}"


@dataclass(frozen=True, eq=False)
class Next:
    """Documents in the order they should be judged in.

    >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}}, "b": {"1": {"z": 3.0, "x": 2.0}}}
    >>> for d in judge_next(runs, None, "P@1", most=9).documents:  # nothing is judged yet
    ...     print(d.topic, d.doc, d.round, d.why, round(d.predicted, 2), d.swaps, d.shift)
    1 x 1 seed 0.23 1 1.0
    1 z 2 seed 0.23 1 1.0
    """

    measure: str
    documents: tuple[ToJudge, ...]
    open: int  # unjudged documents that could move a score
    judged: int
    pair: PairSoFar | None = None

    def table(self) -> Table:
        """As a table, and so as a file to hand to the judges."""
        columns = ("order", "topic", "doc", "round", "why", "predicted", "swaps", "shift", "systems")
        rows: list[tuple[Cell, ...]] = [
            (n + 1, d.topic, d.doc, d.round, d.why, d.predicted, d.swaps, d.shift, d.systems)
            for n, d in enumerate(self.documents)
        ]
        return Table(columns, rows, {"measure": self.measure}, notes=self.notes)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to do with it."""
        rounds = max((d.round for d in self.documents), default=0)
        done = self.pair is not None and self.pair.enough
        listed = (
            f"{len(self.documents)} of {self.open:,} unjudged documents that could move {self.measure}, {rounds} "
            f"{'round' if rounds == 1 else 'rounds'}; {self.judged:,} are judged",
        )
        pair = () if self.pair is None else (str(self.pair), "enough: stop here" if done else "not enough yet")
        if not self.open:
            return (*pair, *listed)
        again = ("have them judged, add the labels to the judgments, and ask again",) if self.documents else ()
        how = "score with --fill predicted: judgments chosen in this order mislead where unjudged counts as 0"
        return (*pair, *listed, *again, how)


def judge_next(
    runs: object,
    judgments: object,
    measure: str | Measure = "nDCG@10",
    *,
    pair: tuple[str, str] | None = None,
    until: Until = "sure",
    most: int | None = None,
    corpus: object = None,
    llm: object = None,
    all_topics: bool = False,
    jobs: int | None = None,
    **options: Any,
) -> Next:
    """The documents to judge next, to rank all systems or to tell two apart; nothing need be judged yet.

    Without `most`, as many as should be judged before asking again: a round of one document a topic, two from 8 judged
    a topic on, four from 16; of a pair 25, after two a topic.  Aslam, Pavlu and Yilmaz 2006, SIGIR, and Carterette,
    Allan and Sitaraman 2006, SIGIR, choose documents to the same end.

    >>> import truegain as tg
    >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}}, "b": {"1": {"z": 3.0, "x": 2.0}}}
    >>> [(d.topic, d.doc, d.why) for d in tg.judge_next(runs, None, "P@1").documents]
    [('1', 'x', 'seed')]
    """
    given = options_of(options)
    asked = at_level(parse_measure(measure), given.level)
    check_one_of("until", until, ("sure", "certain"))
    loaded = Runs.of(runs)
    if pair is not None:
        _check_pair(pair, loaded, asked, until)
    made = Prediction.of(loaded, judgments, asked, given, corpus=corpus, llm=llm, all_topics=all_topics, jobs=jobs)
    state = OpenRanking.of(made, asked)
    if pair is None:
        order, so_far = state.for_many(), None
    else:
        so_far = replace(_so_far(state, pair, loaded, asked, given), until=until)
        order = state.for_pair(pair, until)
    if most is None:
        most = 0 if so_far is not None and so_far.enough else order.usual
    rows = order.rows[:most]
    return Next(str(asked), state.told(rows, order, pair), len(order.rows), int(state.judged.sum()), so_far)


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
        return cls(made, move, found.worth, chances.mean(found.worth), variance, chances.chance[:, 0], means)

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
        a, b = (self._systems.index(name) for name in pair)
        ahead = np.sign(self.means[a] - self.means[b]) or 1.0
        value = np.abs(s) * np.where(s * ahead > 0, self.chance, 1 - self.chance)
        return self._ordered(value, open_, BATCH, "pair", seeds=0)

    def apart(self, pair: tuple[str, str]) -> Floats:
        """s: how far a unit of worth of each item moves the first of two systems away from the second."""
        a, b = (self._systems.index(name) for name in pair)
        columns = self.move[:, [a, b]].toarray()
        return np.asarray(columns[:, 0] - columns[:, 1])

    def told(self, rows: Ints, order: Queue, pair: tuple[str, str] | None) -> tuple[ToJudge, ...]:
        """Items by name, with what their labels would do."""
        pool, topics = self.made.filled.ranked.pool, self.made.filled.ranked.topics
        docs = pool.docs.take(rows).strings()
        found = []
        for n, item in enumerate(rows.tolist()):
            move = self.move[[item]].toarray()[0]
            high, low = (self.means + move * (w - self.mean[item]) for w in (self.worth[-1], self.worth[0]))
            far = (self.worth[-1] - self.worth[0]) * move
            if pair is not None:
                a, b = (self._systems.index(name) for name in pair)
                swaps, shift = int(_swaps(high[[a, b]], low[[a, b]])), float(far[a] - far[b])
            else:
                swaps, shift = _swaps(high, low), float(far.max() - far.min())
            name, chance, lists = topics[pool.topic[item]], float(self.chance[item]), int((move != 0).sum())
            found.append(ToJudge(name, docs[n], int(order.round[n]), order.why[n], chance, swaps, shift, lists))
        return tuple(found)

    @property
    def _systems(self) -> tuple[str, ...]:
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


def _swaps(high: Floats, low: Floats) -> int:
    upper = np.triu_indices(len(high), 1)
    after, before = (np.sign(np.round(x[upper[0]] - x[upper[1]], 12)) for x in (high, low))
    return int(np.sum(after != before))


def _check_pair(pair: tuple[str, str], runs: Runs, measure: Measure, until: Until) -> None:
    if len(pair) != 2 or pair[0] == pair[1]:
        raise TruegainError(f"a pair is two systems, not {', '.join(pair)}; give it as a,b")
    if unknown := [name for name in pair if name not in runs.systems]:
        raise TruegainError(f"no run is named {some(unknown)}; there are {some(runs.systems)}")
    if until == "certain" and not is_known(measure):
        raise MeasureError(f"{measure}: when a sign is certain is not known for it; ask until sure, or for P or nDCG")


def _so_far(state: OpenRanking, pair: tuple[str, str], runs: Runs, measure: Measure, options: Options) -> PairSoFar:
    """What is known of the sign by now."""
    s, hole = state.apart(pair), state.made.filled.hole
    a, b = (state._systems.index(name) for name in pair)
    difference, open_ = float(state.means[a] - state.means[b]), int((hole & (s != 0)).sum())
    spread = float((s**2 * state.variance).sum())
    sure = float(ndtr(abs(difference) / np.sqrt(4 * spread))) if spread > 0 else 1.0
    ahead, behind = pair if difference >= 0 else pair[::-1]
    certain = is_known(measure) and _certain(pair, runs, state, measure, options)
    judged = int((state.judged & (s != 0)).sum())
    return PairSoFar(ahead, behind, abs(difference), sure, certain, judged, open_)


def _certain(pair: tuple[str, str], runs: Runs, state: OpenRanking, measure: Measure, options: Options) -> bool:
    """Whether one of two systems is ahead whatever the labels of the documents their lists have above the cutoff."""
    table = state.made.filled.ranked.pool.judgments
    two = Runs(tuple(part for part in runs.parts if part.system in pair))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # told of all runs
        first = np.zeros(len(table), np.bool_)
        first[np.unique(table.topic.code, return_index=True)[1]] = True  # so that no topic is lost
        judged = (table.label >= 0) | table.are_gains
        if not (judged & (table.label > 0)).any():
            return False  # no label is known that would move anything
        known = table.take(np.flatnonzero(judged | first))
        filled = Filled.down_to(state.made.filled.depth, two, known, measure, options)
    greatest = extremes_by_topic(filled, measure, measure.score(filled.ranked))[2]
    return bool(min(greatest[0, 1], greatest[1, 0]) < -1e-12)
