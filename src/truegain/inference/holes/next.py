"""What to judge next, told: documents with what their labels would do, and what is known of a pair."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from truegain._version import __version__
from truegain.config import Scoring
from truegain.errors import MeasureError, TruegainError, check_one_of, some, there_are
from truegain.inference.holes.bounds import extremes_by_topic
from truegain.inference.holes.extremes import is_known
from truegain.inference.holes.filled import Filled
from truegain.inference.holes.order import OpenRanking, Queue, Until
from truegain.inference.holes.predicted import Prediction
from truegain.keywords import takes
from truegain.measures.base import Measure
from truegain.measures.evaluate import at_level
from truegain.measures.parse import MeasureLike, parse_measure
from truegain.message import Message, arg, told_value
from truegain.tables.by_key import UNJUDGED
from truegain.tables.columns import Floats, Ints
from truegain.tables.judgments import CHOSEN, MARK, NEXT, Judgments, judgments_of_columns
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.runs import Runs
from truegain.tables.table import Cell, Shown, Table
from truegain.text.corpus import CorpusLike

SURE, LEAST = 0.95, 50  # of a pair: how sure is enough, and from how many documents on


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

    @property
    def chosen(self) -> str:
        """What its label is marked with in judgments: 'next', or 'depth' of a seed, which is chosen like others."""
        return "depth" if self.why == "seed" else NEXT


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


@dataclass(frozen=True, eq=False, repr=False)
class Next(Shown):
    """Documents in the order they should be judged in.

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
    asked: Mapping[str, object] = field(default_factory=dict)

    @property
    def made_by(self) -> dict[str, object]:
        """How it was made."""
        return {**self.asked, "truegain": __version__, "measure": self.measure}

    def in_short(self) -> str:
        """How many there are, and the first of them."""
        first = f"; first topic {self.documents[0].topic}, {self.documents[0].doc}" if self.documents else ""
        return f"{len(self.documents):,} of {self.open:,} unjudged documents that could move {self.measure}{first}"

    def table(self) -> Table:
        """As a table, and so as a file to hand to the judges."""
        columns = ("order", "topic", "doc", "round", "why", "predicted", "swaps", "shift", "systems", CHOSEN)
        rows: list[tuple[Cell, ...]] = [
            (n + 1, d.topic, d.doc, d.round, d.why, d.predicted, d.swaps, d.shift, d.systems, d.chosen)
            for n, d in enumerate(self.documents)
        ]
        return Table(columns, rows, self.made_by, notes=self.notes)

    def judgments(self) -> Judgments:
        """As judgments to be filled in: labels of -1, which count as unjudged, and the mark of what was asked for.

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
            f"{len(self.documents)} of {self.open:,} unjudged documents that could move {self.measure}, {rounds} "
            f"{'round' if rounds == 1 else 'rounds'}; {self.judged:,} are judged",
        )
        pair = () if self.pair is None else (str(self.pair), "enough: stop here" if done else "not enough yet")
        if not self.open:
            return (*pair, *listed)
        kept = f"keep the column {CHOSEN}, or in qrels a line `{MARK.strip()}` above them"
        again = (
            (f"have them judged, add the labels to the judgments ({kept}), and ask again",) if self.documents else ()
        )
        how: str = Message(
            f"score with {arg('fill', 'predicted')}: judgments chosen in this order mislead where unjudged counts as 0"
        )
        if not self.tells_chance:
            how = "`predicted` says nothing: no document that a system shows was judged and found not relevant"
        return (*pair, *listed, *again, how)


@takes()
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
    """The documents to judge next, to rank all systems or to tell two apart; nothing need be judged yet.

    Without `most`, as many as should be judged before asking again: a round of one document a topic, two from 8 judged
    a topic on, four from 16; of a pair 25, after two a topic.  unjudged_topics: also topics of the runs without a
    judgment.  Aslam, Pavlu and Yilmaz 2006, SIGIR, and Carterette,
    Allan and Sitaraman 2006, SIGIR, choose documents to the same end.

    >>> import truegain as tg
    >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}}, "b": {"1": {"z": 3.0, "x": 2.0}}}
    >>> [(d.topic, d.doc, d.why) for d in tg.next_to_judge(runs, None, "P@1").documents]
    [('1', 'x', 'seed')]
    """
    how = scoring or Scoring()
    asked = at_level(parse_measure(measure), how.relevant_from)
    check_one_of("until", until, ("sure", "certain"))
    loaded = Runs.of(runs)
    if len(loaded.systems) < 2:
        raise TruegainError("what to judge next tells systems apart, and there is one run; give at least two")
    if pair is not None:
        _check_pair(pair, loaded, asked, until)
    made = Prediction.of(
        loaded, judgments, asked, how, corpus=corpus, llm=llm, unjudged_topics=unjudged_topics, jobs=jobs
    )
    state = OpenRanking.of(made, asked)
    if pair is None:
        order, so_far = state.for_many(), None
    else:
        so_far = replace(_so_far(state, pair, loaded, asked, how), until=until)
        order = state.for_pair(pair, until)
    if most is None:
        most = 0 if so_far is not None and so_far.enough else order.usual
    rows = order.rows[:most]
    told, judged = _told(state, rows, order, pair), int(state.judged.sum())
    return Next(str(asked), told, len(order.rows), judged, so_far, not judged or state.has_both)


def _told(state: OpenRanking, rows: Ints, order: Queue, pair: tuple[str, str] | None) -> tuple[ToJudge, ...]:
    """Items by name, with what their labels would do."""
    topics, docs = state.made.filled.ranked.pool.names(rows)
    found = []
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
        found.append(ToJudge(topics[n], docs[n], int(order.round[n]), order.why[n], chance, swaps, shift, lists))
    return tuple(found)


def _swaps(high: Floats, low: Floats) -> int:
    upper = np.triu_indices(len(high), 1)
    after, before = (np.sign(np.round(x[upper[0]] - x[upper[1]], 12)) for x in (high, low))
    return int(np.sum(after != before))


def _check_pair(pair: tuple[str, str], runs: Runs, measure: Measure, until: Until) -> None:
    if len(pair) != 2 or pair[0] == pair[1]:
        raise TruegainError(f"a pair is two systems, not {', '.join(pair)}; give it as a,b")
    if unknown := [name for name in pair if name not in runs.systems]:
        raise TruegainError(
            f"no run is named {told_value('pair', unknown[0], some(unknown))}; {there_are(unknown, runs.systems)}"
        )
    if until == "certain" and not is_known(measure):
        raise MeasureError(f"{measure}: when a sign is certain is not known for it; ask until sure, or for P or nDCG")


def _so_far(state: OpenRanking, pair: tuple[str, str], runs: Runs, measure: Measure, options: Scoring) -> PairSoFar:
    """What is known of the sign by now."""
    s, hole = state.apart(pair), state.made.filled.hole
    a, b = (state.systems.index(name) for name in pair)
    difference, open_ = float(state.means[a] - state.means[b]), int((hole & (s != 0)).sum())
    ahead, behind = pair if difference >= 0 else pair[::-1]
    certain = is_known(measure) and sign_is_certain(pair, runs, state, measure, options)
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
