"""Which unjudged documents are worth a label next, for ranking many systems or for telling two apart."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr

from truegain._version import __version__
from truegain.config import Scoring
from truegain.data.alignment import UNJUDGED
from truegain.data.judgments import CHOSEN, MARK, NEXT, Judgments, JudgmentsLike, judgments_of_columns
from truegain.data.runs import Runs, RunsLike
from truegain.errors import MeasureError, TruegainError, check_one_of, no_system
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.keywords import checked_keywords
from truegain.measures.base import Measure, mean_of_rows
from truegain.measures.catalogue import MeasureLike, parse_measure
from truegain.measures.expected import expected
from truegain.measures.scoring import at_level
from truegain.message import Message, arg
from truegain.pooling.bounds import extremes_by_topic, has_bounds
from truegain.pooling.pools import Filled
from truegain.pooling.prediction import Prediction
from truegain.results.base import Result, Table
from truegain.results.table import Cell
from truegain.text.corpus import CorpusLike

# ---- In which order unjudged documents are worth a label, for ranking many systems or for telling two apart.
#
# w_da is how far a unit of worth of document d moves the mean of system a, v_d the variance of its worth by its
# predicted label, D_ab the difference of the predicted means and S_ab = sum over unjudged d of v_d (w_da - w_db)^2.
#
# Many systems: phi_d = v_d sum over pairs of k_ab (w_da - w_db)^2, k = exp(-D^2 / 2S) / sqrt(S): what is still open One
# pair, s = w_a - w_b: |s| p where it would speak for the system ahead, |s| (1 - p) elsewhere (until certain), or s^2 v
# (until 95% sure, which is Phi(|D| / sqrt(2 (S + G))) with at least 50 documents judged, G the variance of D that the
# fitted coefficients bring)
#
# Every topic starts with two documents by depth: without them the order may learn from what it chose itself. Then come
# three of each system whose own documents, those it alone has in its first ten, nobody has judged.

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
        scored = expected(measure, ranked, chances)
        answered = np.maximum((~np.isnan(scored.score)).sum(axis=1), 1)
        system = ranked.list // max(1, len(ranked.topics))
        inside = np.flatnonzero((scored.move != 0) & (ranked.rank <= made.filled.depth))
        move = csr_array(
            (scored.move[inside] / answered[system[inside]], (ranked.item[inside], system[inside])),
            shape=(len(ranked.pool), len(ranked.systems)),
        )
        variance = np.where(made.filled.unjudged, chances.variance(scored.worth), 0.0)
        means = np.nan_to_num(mean_of_rows(scored.score))
        return cls(
            made, move, scored.worth, chances.mean(scored.worth), variance, chances.chance[:, 0], means, chances.levels
        )

    @property
    def has_both(self) -> bool:
        """Whether of what lists show some is judged not relevant: else every chance is next to 1."""
        return bool((self.made.label[self.judged] < self.levels[0]).any())

    @property
    def judged(self) -> Bools:
        """Items that some run lists and that have a label."""
        return np.asarray(~self.made.filled.unjudged & self.made.predictor.votes.listed)

    def for_many(self) -> Queue:
        """Two a topic by depth, then one a topic a round by phi."""
        value = phi(self.move, self.variance, self.means)
        open_ = self.made.filled.unjudged & (np.diff(self.move.indptr) > 0)
        per_topic = self._per_topic(self.judged)
        rounds = next(r for below, r in SCHEDULE if int(per_topic.min()) < below)
        usual = rounds * int((np.bincount(self._topic[open_], minlength=1) > 0).sum())
        return self._ordered(value, open_, usual, "ranking")

    def for_pair(self, pair: tuple[str, str], until: Until) -> Queue:
        """Two a topic by depth, then what tells the two apart; until certain, the latter alone."""
        s = self.apart(pair)
        open_ = self.made.filled.unjudged & (s != 0)
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
        s, unjudged = self.apart(pair), self.made.filled.unjudged
        a, b = (self.systems.index(name) for name in pair)
        spread = float((s**2 * self.variance).sum())
        if spread == 0:
            return 1.0
        pull = np.where(unjudged, s, 0.0)[:, None] * np.diff(self.worth)
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
        reasons = np.array(["seed", "newcomer", why])[turn[order]].tolist()
        usual = usual if by_round else max(usual, int(seed.sum()))
        return Queue(frozen(items[order]), frozen(place[order]), reasons, usual)

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


# ---- What to judge next, told: documents with what their labels would do, and what is known of a pair.

SURE, LEAST = 0.95, 50  # of a pair: how sure is enough, and from how many documents on


@dataclass(frozen=True)
class ToJudge:
    """An unjudged document, how likely it is relevant, and what its label would do.

    Attributes
    ----------
    topic : str
        Its topic.
    doc : str
        The document.
    round : int
        Its place within its topic, from 1.
    why : {'seed', 'newcomer', 'ranking', 'pair'}
        Why it is chosen: by depth; from a system of whose own documents none is judged; to rank the systems; or to tell
        two apart.
    predicted : float
        The chance that it is relevant.
    swaps : int
        Pairs of systems whose order depends on its label.
    shift : float
        How far its label can move two systems apart at most; of a pair, toward the first.
    systems : int
        How many systems have it where the measure looks.
    """

    topic: str
    doc: str
    round: int  # the how manieth of its topic
    why: str  # 'seed' (by depth), 'newcomer' (no document of its own is judged), 'ranking' or 'pair'
    predicted: float  # chance of being relevant
    swaps: int  # pairs of systems in one order if it has the highest label, in another if it has 0
    shift: float  # how far that would move two systems apart at most; of a pair, in favor of the first
    systems: int  # how many have it where the measure looks

    @property
    def chosen(self) -> str:
        """What its label is marked with in judgments: 'next', or 'depth' of a seed, which is chosen like others."""
        return "depth" if self.why == "seed" else NEXT


@dataclass(frozen=True)
class PairSoFar:
    """What is known of the sign of the difference of two systems.

    Attributes
    ----------
    ahead, behind : str
        The two systems.
    difference : float
        Of their means with predicted labels.
    sure : float
        The chance that the sign is right.
    certain : bool
        No labels of the documents of the two lists would change it.
    judged : int
        Judged documents that count differently in the two lists.
    open : int
        Unjudged documents that do.
    until : {'sure', 'certain'}
        When to stop.
    """

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
        """Whether to stop: the sign is certain, or, until 'sure', 95% sure with at least 50 documents judged."""
        sure = self.until == "sure" and self.sure >= SURE and self.judged >= LEAST
        return self.certain or self.open == 0 or sure

    def __str__(self) -> str:
        lead = f"{self.ahead} is ahead of {self.behind} by {self.difference:z.4f} with predicted labels"
        if self.open == 0 and self.difference == 0:
            return f"{self.ahead} and {self.behind} are equal, and no document is open"
        if self.certain or self.open == 0:
            return f"{lead}; its sign is certain"
        chance = "over 99.9%" if self.sure > 0.999 else f"{self.sure:.1%}"
        least = "" if self.judged >= LEAST else f", which counts from {LEAST} on"
        judged = (
            "1 document that separates them is"
            if self.judged == 1
            else f"{self.judged} documents that separate them are"
        )
        return f"{lead}; the probability of this sign is {chance}; {judged} judged{least}"


@dataclass(frozen=True, eq=False, repr=False)
class Next(Result):
    """Documents in the order in which they should be judged.

    Attributes
    ----------
    measure : str
        The measure.
    documents : tuple of ToJudge
        The documents, the first to judge first.
    open : int
        Unjudged documents that could move a score.
    judged : int
        Documents that are judged.
    pair : PairSoFar or None
        What is known of the sign of the difference, where a pair was named.
    tells_chance : bool
        Whether `predicted` says anything: it does not while no document was judged and found not relevant.
    arguments : mapping
        What `next_to_judge` was called with.

    Notes
    -----
    Columns of `frame`, one row a document: `order`, from 1; `topic`; `doc`; `round`, its place within its
    topic; `why` it is chosen ('seed', 'newcomer', 'ranking' or 'pair'); `predicted`, the chance that it is relevant;
    `swaps`, pairs of systems whose order depends on its label; `shift`, how far its label can move two systems apart;
    `systems` that have it; and `chosen`, 'next' or 'depth', which judgments should keep.

    Examples
    --------
    >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}}, "b": {"1": {"z": 3.0, "x": 2.0}}}
    >>> for d in next_to_judge(runs, None, "P@1", most=9).documents:  # nothing is judged yet
    ...     print(d.topic, d.doc, d.round, d.why, round(d.predicted, 2), d.swaps, d.shift)
    1 x 1 seed 0.23 1 1.0
    1 z 2 seed 0.23 1 1.0
    """

    measure: str
    documents: tuple[ToJudge, ...]
    open: int  # unjudged documents that could move a score
    judged: int
    pair: PairSoFar | None = None
    tells_chance: bool = True  # whether documents were judged and found not relevant: else all are predicted relevant
    arguments: Mapping[str, object] = field(default_factory=dict)

    @property
    def provenance(self) -> dict[str, object]:
        """How it was made."""
        return {**self.arguments, "truegain": __version__, "measure": self.measure}

    def in_short(self) -> str:
        """How many there are, and the first of them."""
        first = f"; first topic {self.documents[0].topic}, {self.documents[0].doc}" if self.documents else ""
        return f"{len(self.documents):,} of {self.open:,} unjudged documents that could change {self.measure}{first}"

    def table(self) -> Table:
        """As a table, and so as a file to hand to the judges."""
        columns = ("order", "topic", "doc", "round", "why", "predicted", "swaps", "shift", "systems", CHOSEN)
        rows: list[tuple[Cell, ...]] = [
            (n + 1, d.topic, d.doc, d.round, d.why, d.predicted, d.swaps, d.shift, d.systems, d.chosen)
            for n, d in enumerate(self.documents)
        ]
        return Table(columns, rows, self.provenance, notes=(*self.notes, *([self._columns()] if rows else [])))

    def _columns(self) -> str:
        """What the columns of the table mean."""
        apart = "the largest change that its label can make in the difference of two systems"
        if self.pair is not None:
            apart = "how far its highest label, against label 0, moves the first system of the pair ahead of the second"
        return (
            "round: rank within its topic. why: seed (by depth), newcomer (from a run without a judged document of "
            "its own), ranking (to rank the systems) or pair (to separate the pair). predicted: the probability that "
            f"it is relevant. swaps: pairs of systems whose order depends on its label. shift: {apart}. systems: how "
            f"many have it in the ranks that {self.measure} counts. {CHOSEN}: the mark to keep with its label."
        )

    def judgments(self) -> Judgments:
        """The list as judgments to be filled in.

        Returns
        -------
        Judgments
            With labels of -1, which count as unjudged, and the mark that they were chosen.

        Examples
        --------
        >>> import truegain as tg
        >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}}, "b": {"1": {"z": 3.0, "x": 2.0}}}
        >>> tg.next_to_judge(runs, None, "P@1", most=9).judgments().label.tolist()
        [-1.0, -1.0]
        """
        topics, docs = [d.topic for d in self.documents], [d.doc for d in self.documents]
        made = judgments_of_columns(topics, docs, np.full(len(docs), UNJUDGED), "what to judge next")
        return made.marked(np.array([d.chosen == NEXT for d in self.documents], np.bool_))

    @property
    def notes(self) -> tuple[str, ...]:
        """What to do with it."""
        rounds = max((d.round for d in self.documents), default=0)
        done = self.pair is not None and self.pair.enough
        listed = (
            f"{len(self.documents)} of {self.open:,} unjudged documents that could change {self.measure}, {rounds} "
            f"{'round' if rounds == 1 else 'rounds'}; {self.judged:,} are judged",
        )
        pair = (
            ()
            if self.pair is None
            else (str(self.pair), "Enough: stop here." if done else "Not enough yet: judge more.")
        )
        if not self.open:
            return (*pair, *listed)
        kept = f"keep the column {CHOSEN}, or in qrels a line `{MARK.strip()}` above them"
        again = (
            (f"Have them judged, add the labels to the judgments ({kept}), and run this again.",)
            if self.documents
            else ()
        )
        how: str = Message(
            f"Score with {arg('fill', 'predicted')}: judgments chosen in this order mislead if unjudged documents "
            "count as 0."
        )
        if not self.tells_chance:
            how = "`predicted` is meaningless so far: no retrieved document was judged not relevant"
        return (*pair, *listed, *again, how)


@checked_keywords()
def next_to_judge(
    runs: RunsLike,
    judgments: JudgmentsLike | None,
    measure: MeasureLike = "nDCG@10",
    *,
    pair: tuple[str, str] | None = None,
    until: Until = "sure",
    most: int | None = None,
    corpus: CorpusLike | None = None,
    llm: JudgmentsLike | None = None,
    unjudged_topics: bool = False,
    scoring: Scoring | None = None,
    jobs: int | None = None,
) -> Next:
    """Choose the documents to judge next, to rank all systems or to tell two apart.

    Nothing need be judged yet.

    Parameters
    ----------
    runs : what `evaluate` takes
        What each system retrieved; at least two systems.
    judgments : what `evaluate` takes, or None
        The labels so far.
    measure : str or Measure, default 'nDCG@10'
        The measure to rank by.
    pair : (str, str), optional
        Two systems to tell apart.
    until : {'sure', 'certain'}, default 'sure'
        Stop when the sign of their difference is 95% sure with 50 documents judged, or when no label could change it.
    most : int, optional
        How many documents; by default as many as should be judged before asking again: a round of one document a topic,
        two from 8 judged a topic on, four from 16; of a pair 25, after two a topic.
    corpus : folder of term statistics, or mapping of texts, optional
        Texts that help to predict relevance.
    llm : what `evaluate` takes, optional
        Labels of another judge that help to predict relevance.
    unjudged_topics : bool, default False
        Also choose from topics of the runs that have no judgment.
    scoring : Scoring, optional
        How scores are made.
    jobs : int, optional
        Threads; by default one for each core.

    Returns
    -------
    Next
        The documents, the first to judge first.

    References
    ----------
    .. [1] J. A. Aslam, V. Pavlu and E. Yilmaz, "A statistical method for system evaluation using incomplete judgments",
           SIGIR 2006.
    .. [2] B. Carterette, J. Allan and R. Sitaraman, "Minimal test collections for retrieval evaluation", SIGIR 2006.

    Examples
    --------
    >>> import truegain as tg
    >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}}, "b": {"1": {"z": 3.0, "x": 2.0}}}
    >>> [(d.topic, d.doc, d.why) for d in tg.next_to_judge(runs, None, "P@1").documents]
    [('1', 'x', 'seed')]
    """
    how = scoring or Scoring()
    m = at_level(parse_measure(measure), how.relevant_from)
    check_one_of("until", until, ("sure", "certain"))
    loaded = Runs.of(runs)
    if len(loaded.systems) < 2:
        raise TruegainError(
            "documents to judge next are chosen to separate systems, and there is one run; give at least two"
        )
    if pair is not None:
        _check_pair(pair, loaded, m, until)
    made = Prediction.of(loaded, judgments, m, how, corpus=corpus, llm=llm, unjudged_topics=unjudged_topics, jobs=jobs)
    state = OpenRanking.of(made, m)
    if pair is None:
        order, so_far = state.for_many(), None
    else:
        so_far = replace(_so_far(state, pair, loaded, m, how), until=until)
        order = state.for_pair(pair, until)
    if most is None:
        most = 0 if so_far is not None and so_far.enough else order.usual
    rows = order.rows[:most]
    documents, judged = _told(state, rows, order, pair), int(state.judged.sum())
    return Next(str(m), documents, len(order.rows), judged, so_far, not judged or state.has_both)


def _told(state: OpenRanking, rows: Ints, order: Queue, pair: tuple[str, str] | None) -> tuple[ToJudge, ...]:
    """Items by name, with what their labels would do."""
    topics, docs = state.made.filled.ranked.pool.names(rows)
    documents = []
    for n, item in enumerate(rows.tolist()):
        move = state.move[[item]].toarray()[0]
        high, low = (state.means + move * (w - state.mean[item]) for w in (state.worth[-1], state.worth[0]))
        far = (state.worth[-1] - state.worth[0]) * move
        if pair is not None:
            a, b = (state.systems.index(name) for name in pair)
            swaps, shift = int(_swaps(high[[a, b]], low[[a, b]])), float(far[a] - far[b])
        else:
            swaps, shift = _swaps(high, low), float(far.max() - far.min())
        chance, lists = float(state.chance[item]), int((move != 0).sum())
        documents.append(ToJudge(topics[n], docs[n], int(order.round[n]), order.why[n], chance, swaps, shift, lists))
    return tuple(documents)


def _swaps(high: Floats, low: Floats) -> int:
    upper = np.triu_indices(len(high), 1)
    after, before = (np.sign(np.round(x[upper[0]] - x[upper[1]], 12)) for x in (high, low))
    return int(np.sum(after != before))


def _check_pair(pair: tuple[str, str], runs: Runs, measure: Measure, until: Until) -> None:
    if unknown := [name for name in pair if name not in runs.systems]:
        raise no_system("pair", unknown, runs.systems)
    if until == "certain" and not has_bounds(measure):
        raise MeasureError(
            f"{measure}: when a sign is certain is unknown for this measure; stop at 'sure', or use P or nDCG"
        )


def _so_far(state: OpenRanking, pair: tuple[str, str], runs: Runs, measure: Measure, options: Scoring) -> PairSoFar:
    """What is known of the sign by now."""
    s, unjudged = state.apart(pair), state.made.filled.unjudged
    a, b = (state.systems.index(name) for name in pair)
    difference, open_ = float(state.means[a] - state.means[b]), int((unjudged & (s != 0)).sum())
    ahead, behind = pair if difference >= 0 else pair[::-1]
    certain = has_bounds(measure) and sign_is_certain(pair, runs, state, measure, options)
    judged = int((state.judged & (s != 0)).sum())
    return PairSoFar(ahead, behind, abs(difference), state.sure(pair), certain, judged, open_)


def sign_is_certain(pair: tuple[str, str], runs: Runs, state: OpenRanking, measure: Measure, options: Scoring) -> bool:
    """Whether one of two systems is ahead whatever the labels of the documents their lists have above the cutoff."""
    pool, label = state.made.filled.ranked.pool, state.made.label
    if not (label > 0).any():
        return False  # no label is known that would move anything
    known = ~np.isnan(label)
    known[pool.begin[:-1]] = True  # so that no topic is lost
    rows = np.flatnonzero(known)
    table = judgments_of_columns(*pool.names(rows), np.nan_to_num(label[rows], nan=-1.0), "labels")
    two = Runs(tuple(part for part in runs.parts if part.system in pair))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # told of all runs
        filled = Filled.down_to(state.made.filled.depth, two, table, measure, options, unmatched="ignore")
    greatest = extremes_by_topic(filled, measure, measure.score(filled.ranked))[2]
    return bool(min(greatest[0, 1], greatest[1, 0]) < -1e-12)
