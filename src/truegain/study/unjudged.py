"""What unjudged documents could do to a difference: no variance, but a bound on the verdict."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypedDict

import numpy as np

from truegain.data.alignment import of_systems
from truegain.data.pool import RankedGains
from truegain.errors import TruegainError, some
from truegain.io.columns import Bools, Floats, Ints
from truegain.measures.base import Measure
from truegain.message import Message, with_marks
from truegain.pooling.bounds import Linear, Ratio, extremes_of, has_bounds
from truegain.pooling.first_ranks import FirstRanks, Held, has_ends, in_first, unjudged_down_to
from truegain.pooling.pools import Filled
from truegain.stats.contrasts import NONE, Contrasts
from truegain.stats.student_t import quantile_of
from truegain.study.documents import UnjudgedDocument
from truegain.study.estimators import LEAST_GOLD
from truegain.study.precision import Step
from truegain.study.study_data import StudyData
from truegain.study.variance import VarianceModel

# how a ranking counts them: there are none; it holds whatever their labels; only of those in the first ranks; as not
# relevant
UnjudgedTreatment = Literal["", "bound", "first", "zero"]
TOP = 10  # ranks where they matter most, where nothing bounds what they could do
OPEN = 0.05  # share of a system's first documents from which on nothing is claimed of it where nothing bounds them
ROUNDING = 1e-12  # of a sum of moves


@dataclass(frozen=True, eq=False)
class OverTopics:
    """A mean over topics like these: its parts by topic, its variance, and standard errors from it to its limit."""

    parts: Floats
    variance: float
    quantile: float

    def wider(self, square: Floats, total: Floats) -> Floats:
        """How much further out the limit lies for other parts, given their sums of squares and their sums.

        q (sqrt(V + more) - sqrt(V)),  more = T/(T - 1) (change of sum of x^2 - (sum of x)^2/T), at least 0
        """
        topics = len(self.parts)
        before = float(self.parts @ self.parts) - float(self.parts.sum()) ** 2 / topics
        more = np.maximum(square - total**2 / topics - before, 0.0) * topics / max(topics - 1, 1)
        return np.asarray(self.quantile * (np.sqrt(self.variance + more) - np.sqrt(self.variance)))


def fewest(far: Floats, margin: float) -> int | None:
    """How many of these numbers, the largest first, make up a margin; None where all do not.

    >>> fewest(np.array([0.01, 0.03, 0.01]), 0.035)
    2
    """
    taken = np.cumsum(np.sort(far)[::-1])
    reached = np.flatnonzero(taken >= margin - ROUNDING)
    return int(reached[0]) + 1 if len(reached) else None


def few_enough(far: Floats, topic: Ints, margin: float, over: OverTopics) -> int | None:
    """How many, each taking `far` from the mean in its topic, can lower its limit by a margin; None: not seen.

    Falls on few topics also make the mean less sure, so the largest need not be the fewest: the next one is that
    which moves the limit most.  There may be fewer that do it, so that this many *can*, and no more is said.

    >>> flat = OverTopics(np.full(10, 0.01), 0.0001, 2.26)
    >>> few_enough(np.full(20, 0.005), np.repeat(np.arange(10), 2), 0.05, flat), fewest(np.full(20, 0.005), 0.05)
    (7, 10)
    """
    own = [np.sort(far[topic == t])[::-1] for t in range(len(over.parts))]
    taken = np.zeros(len(own), np.int64)
    ahead = np.array([x[0] if len(x) else 0.0 for x in own])
    parts, square, gone = over.parts.copy(), float(over.parts @ over.parts), 0.0
    total = float(parts.sum())
    for k in range(1, len(far) + 1):
        limit = gone + ahead + over.wider(square - 2 * parts * ahead + ahead**2, total - gone - ahead)
        t = int(np.argmax(np.where(ahead > 0, limit, -np.inf)))
        if ahead[t] <= 0:
            return None
        if limit[t] >= margin - ROUNDING:
            return min(k, fewest(far, margin) or k)
        square += ahead[t] ** 2 - 2 * parts[t] * ahead[t]
        parts[t] -= ahead[t]
        gone += ahead[t]
        taken[t] += 1
        ahead[t] = own[t][taken[t]] if taken[t] < len(own[t]) else 0.0
    return None


# ---- What unjudged documents could do to one difference.


@dataclass(frozen=True, eq=False)
class PairBounds:
    """How far the difference b - a could fall and rise, topic by topic, if unjudged documents were judged.

    `documents` counts the unjudged documents of both lists where the measure looks.  For measures linear in gain
    `falls` and `rises` say how far each of these alone could take it; None for others.  Where worst and best over all
    labels are not known, these are the documents down to the rank `first` (see `FirstRanks`), and the `below` unjudged
    ones further down count as not relevant.
    """

    low: Floats  # by topic, at most 0
    high: Floats
    documents: int
    topics: int
    falls: Floats | None = None  # by document, at least 0
    rises: Floats | None = None
    spread: float = 0.0  # the sum over documents of the largest variance that a label can have
    more: tuple[float, float] = (0.0, 0.0)  # variance over topics of the worst and the best case above that by labels
    wider: tuple[float, float] = (0.0, 0.0)  # by how much limits of the two are further out, at some confidence
    now: Floats | None = None  # the difference by the labels there are: parts of its mean by topic
    topic_of: Ints | None = None  # by document
    over: OverTopics | None = None  # where topics like these are spoken of
    first: int | None = None
    below: int = 0

    @property
    def counted(self) -> str:
        """The documents in question, in words.

        >>> PairBounds(np.zeros(1), np.zeros(1), 2, 1, first=10).counted
        '2 unjudged documents in the first 10 ranks'
        """
        return f"{self.documents:,} unjudged document{'' if self.documents == 1 else 's'}{self.where}"

    @property
    def where(self) -> str:
        """Down to which rank, in words; empty: wherever the measure looks."""
        return "" if self.first is None else f" in {in_first(self.first)}"

    @property
    def as_zero(self) -> str:
        """What counts as not relevant although nobody judged it, in words; empty: nothing does."""
        return f"unjudged documents below rank {self.first} count as not relevant" if self.below else ""

    @property
    def least(self) -> float:
        """By how much the mean difference could fall."""
        return float(self.low.sum())

    @property
    def most(self) -> float:
        """By how much it could rise."""
        return float(self.high.sum())

    def with_limits(self, variance: float, quantile: float) -> PairBounds:
        """With how much further out the limits of the worst and the best case lie than those by labels.

        The worst case d_t + low_t of topics like these is known no better than its own variance over topics tells, and
        a pair whose unjudged documents are on few topics is less sure than labels say.
        """
        low, high = (quantile * (float(np.sqrt(variance + more)) - float(np.sqrt(variance))) for more in self.more)
        over = None if self.now is None else OverTopics(self.now, variance, quantile)
        return replace(self, wider=(low, high), over=over)

    def to_undo(self, margin: float) -> int | None:
        """On how many topics unjudged documents would have to be relevant to take a margin away; None: never.

        No fewer do where these topics alone are spoken of; of topics like these, as few as this.

        >>> PairBounds(np.array([-0.02, 0.0, -0.05]), np.zeros(3), 4, 3).to_undo(0.06)
        2
        """
        if self.over is None:
            return fewest(-self.low, margin)
        return few_enough(-self.low, np.arange(len(self.low)), margin, self.over)

    def documents_to_undo(self, margin: float, falls: bool = True) -> int | None:
        """How many unjudged documents would have to be relevant for it; None: never, or not known.

        Their moves add up where the measure is linear in gain, so for these topics alone the largest ones do it with
        the fewest; of topics like these, as few as this can.

        >>> bounds = PairBounds(np.array([-0.05]), np.zeros(1), 3, 1, falls=np.array([0.01, 0.03, 0.01]))
        >>> bounds.documents_to_undo(0.035)
        2
        """
        far = self.falls if falls else self.rises
        if far is None or self.over is None or self.topic_of is None:
            return None if far is None else fewest(far, margin)
        over = self.over if falls else replace(self.over, parts=-self.over.parts)
        return few_enough(far, self.topic_of, margin, over)

    def to_dict(self, taken_as: str, undone_by: int | None) -> UnjudgedDocument:
        """For programs, with how many of the documents can undo what the labels there are say."""
        first: _FirstRanks = {} if self.first is None else {"first_ranks": self.first, "unjudged_below": self.below}
        return {"documents": self.documents, "low": self.least, "high": self.most, "taken_as": taken_as,
                "documents_to_undo": undone_by, **first}  # fmt: skip


class _FirstRanks(TypedDict, total=False):
    """What bounds of the first ranks alone have beside the others."""

    first_ranks: int
    unjudged_below: int


def more_variance(far: Floats, by_now: Floats, square: Floats, now: Floats, topics: int) -> Floats:
    """V(d + r) - V(d) over topics of parts of a mean, at least 0, from sums over topics of r, d r, r^2 and d.

    V(x) = T/(T - 1) (sum of x^2 - (sum of x)^2/T)

    >>> d, r = np.array([0.1, 0.0, 0.05]), np.array([0.0, 0.2, 0.0])
    >>> more = more_variance(r.sum(), (d * r).sum(), (r * r).sum(), d.sum(), 3)
    >>> round(float(more), 6), round(float(3 * (np.var(d + r, ddof=1) - np.var(d, ddof=1))), 6)
    (0.01, 0.01)
    """
    added = 2 * by_now + square - (2 * now * far + far**2) / topics
    return np.maximum(np.asarray(added) * topics / (topics - 1), 0.0)


def pair_bounds_of(two: RankedGains, measure: Measure) -> PairBounds:
    """How far unjudged documents could move the second system less the first; an error where it is unknown."""
    if not has_bounds(measure):
        return _in_first_ranks(FirstRanks(two, measure))
    filled, first, second = Filled.by_key(two, measure), 0, 1
    ranked = filled.ranked
    score = measure.score(ranked)
    if np.isnan(score).any():
        raise TruegainError(f"{measure}: a system lacks a topic", remedy="give every system all topics")
    extremes, within = extremes_of(filled, measure), measure.within(ranked.rank)
    topics = len(ranked.topics)
    share = np.append(np.full(len(ranked.systems), 1 / topics), 1.0)
    low, high = np.zeros((2, topics))
    for t in range(topics):
        far = extremes.greatest(filled.topic(t, within), share)
        difference = (score[second, t] - score[first, t]) / topics
        low[t], high[t] = -far[first, second] - difference, far[second, first] - difference
    open_ = filled.unjudged[ranked.item] & within
    count = len(np.unique(ranked.item[open_]))
    bounds = _pair_bounds(low, high, (score[second] - score[first]) / topics, count)
    if not isinstance(extremes, Linear):
        return bounds
    moved, topic_of = np.zeros(len(ranked.pool)), np.zeros(len(ranked.pool), np.int64)
    topic_of[ranked.item] = ranked.list % topics
    for system, sign in ((second, 1.0), (first, -1.0)):
        mine = open_ & (ranked.list // topics == system)
        np.add.at(moved, ranked.item[mine], sign * extremes.weight[mine] / topics)
    each = np.stack([moved * extremes.least, moved * extremes.most])
    spread = float((moved**2).sum()) * (extremes.most - extremes.least) ** 2 / 4
    return replace(
        bounds, falls=-np.minimum(each.min(axis=0), 0.0), rises=np.maximum(each.max(axis=0), 0.0), spread=spread,
        topic_of=topic_of,
    )  # fmt: skip


def _in_first_ranks(ranks: FirstRanks) -> PairBounds:
    """Bounds of the first ranks alone, where worst and best over all labels are not known."""
    topics = len(ranks.ranked.topics)
    count, first, below = ranks.documents(0, 1)
    now = (ranks.score[1] - ranks.score[0]) / topics
    far = np.array([ranks.greatest(t) for t in range(topics)]) / topics
    return replace(_pair_bounds(-far[:, 0, 1] - now, far[:, 1, 0] - now, now, count), first=first, below=below)


def _pair_bounds(low: Floats, high: Floats, now: Floats, count: int) -> PairBounds:
    """From how far the parts of the difference could fall and rise."""
    topics = len(now)
    low, high = np.where(low < -ROUNDING, low, 0.0), np.where(high > ROUNDING, high, 0.0)
    more = [
        float(more_variance(far.sum(), (now * far).sum(), (far**2).sum(), now.sum(), topics)) for far in (low, high)
    ]
    return PairBounds(low, high, count, topics, more=(more[0], more[1]), now=now)


def sample_step(
    unjudged_bounds: PairBounds,
    variance: float,
    quantile: float,
    min_effect: float = 0.0,
    price: float | None = None,
) -> Step | None:
    """The interval after a random sample of the unjudged is judged: a quarter, or enough for `min_effect`.

    For labels that vary as much as they can (half of them the lowest, half the highest), n of N judged, topics random:

        V' = V + N/n * sum over unjudged documents of (what the highest label moves more than the lowest)^2/4

    None where the measure is not linear in gain: there a sample does not help.

    >>> far = np.full(100, 0.01)
    >>> hidden = PairBounds(np.zeros(50), np.full(50, 0.02), 100, 50, np.zeros(100), far, float((far**2).sum() / 4))
    >>> print(sample_step(hidden, 1e-4, 2.0))
    labels of a random 25 of the 100 unjudged documents (not enough alone to decide): +-0.2010
    """
    if unjudged_bounds.falls is None:
        return None
    total = unjudged_bounds.documents

    def half(n: int) -> float:
        return quantile * float(np.sqrt(variance + total / n * unjudged_bounds.spread))

    n = min(total, max(LEAST_GOLD, -(-total // 4)))
    enough = None
    if min_effect > 0:
        needed = [k for k in range(min(total, LEAST_GOLD), total + 1) if half(k) <= min_effect]
        n, enough = (needed[0], True) if needed else (total, False)
    some = f"a random {n:,} of the {total:,}" if n < total else f"all {total:,}"
    phrase = f"labels of {some} unjudged documents (not enough alone to decide)"
    return Step("unjudged", 1.0, 0, n, half(n), None if price is None else price * n, enough, phrase=phrase)


# ---- All pairs of systems at once.


@dataclass(frozen=True, eq=False)
class AllPairsBounds:
    """How far each system could rise above each other, all pairs at once, and the variance over topics with it.

    The bound on topic t is d_t + r_t, what labels say and what unjudged documents could add; its mean over topics like
    these is known no better than its own variance tells, V(d + r) = V(d) + `more`.  Whatever the labels of unjudged
    documents are, the mean of the differences lies below that of the bounds: so does its limit (Horowitz and Manski
    2000, JASA 95).
    """

    rise: Floats
    more: Floats

    @classmethod
    def of_pair(
        cls, unjudged_bounds: PairBounds, contrasts: Contrasts, systems: int, over_topics: bool = True
    ) -> AllPairsBounds:
        """Bounds of one pair, b - a, where only these two lists are looked at, in the same form."""
        rise, more = np.zeros((2, systems, systems))
        a, b = int(contrasts.a[0]), int(contrasts.b[0])
        rise[a, b], rise[b, a] = -unjudged_bounds.least, unjudged_bounds.most
        more[a, b], more[b, a] = unjudged_bounds.more if over_topics else (0.0, 0.0)
        return cls(rise, more)

    def sides(self, contrasts: Contrasts) -> tuple[Floats, Floats, Floats, Floats]:
        """Of each b - a: how far it could fall and rise, at least 0, and how much variance goes with either."""
        a, b = contrasts.a, contrasts.b
        return self.rise[a, b], self.rise[b, a], self.more[a, b], self.more[b, a]


def all_pairs_bounds(ranked: RankedGains, measure: Measure, own: Bools, over_topics: bool) -> AllPairsBounds:
    """What the unjudged documents of all lists could do; an error where nothing is known of that.

    own: systems with unjudged documents where the measure looks.  Where one of a pair has some, further documents, down
    to the depth of `tg.unjudged`, may be relevant too; where neither has, those that any list shows to the measure may.
    Where the measure's worst and best over all labels are not known, it is about first ranks (`FirstRanks`).
    """
    n, topics = len(ranked.systems), len(ranked.topics)
    rise, by_now, square, now = np.zeros((4, n, n))
    score, every = _first_ranks(ranked, measure) if not has_bounds(measure) else _all_labels(ranked, measure, own)
    for t, far in enumerate(every):
        d = (score[:, t][:, None] - score[:, t][None, :]) / topics
        r = np.where(far - d > ROUNDING, far - d, 0.0)
        np.fill_diagonal(r, 0.0)
        rise, by_now, square, now = rise + r, by_now + d * r, square + r * r, now + d
    return AllPairsBounds(rise, more_variance(rise, by_now, square, now, topics) if over_topics else np.zeros((n, n)))


def _first_ranks(ranked: RankedGains, measure: Measure) -> tuple[Floats, Iterator[Floats]]:
    """Scores, and topic by topic how far a part of a mean could be ahead of another's; see `FirstRanks`."""
    ranks, topics = FirstRanks(ranked, measure), len(ranked.topics)
    return ranks.score, (ranks.greatest(t) / topics for t in range(topics))


def _all_labels(ranked: RankedGains, measure: Measure, own: Bools) -> tuple[Floats, Iterator[Floats]]:
    """Scores and how far one could be ahead, as `_first_ranks`, over all labels of all unjudged documents."""
    filled = Filled.by_key(ranked, measure)
    score = measure.score(filled.ranked)
    if np.isnan(score).any():
        raise TruegainError(f"{measure}: a system lacks a topic", remedy="give every system all topics")
    extremes, within = extremes_of(filled, measure), measure.within(filled.ranked.rank)
    n, topics = len(ranked.systems), len(ranked.topics)
    share = np.append(np.full(n, 1 / topics), 1.0)
    closed = np.flatnonzero(~own) if isinstance(extremes, Ratio) else np.zeros(0, np.int64)

    def farthest(t: int) -> Floats:
        topic = filled.topic(t, within)
        far = extremes.greatest(topic, share)[:n, :n]
        if len(closed):  # below the cutoff of all lists nothing is in question
            few = replace(topic, count=topic.columns).of_systems(closed)
            far[np.ix_(closed, closed)] = extremes.greatest(few, share[np.append(closed, n)])[:-1, :-1]
        return far

    return score, (farthest(t) for t in range(topics))


# ---- How unjudged documents hold back the answers of one study.


@dataclass(frozen=True, eq=False)
class UnjudgedDocuments:
    """The unjudged documents of one study, and whether they hold answers back ('bound') or count as not relevant."""

    study_data: StudyData
    taken_as: str
    confidence: float
    _known: dict[str, tuple[AllPairsBounds | None, str]] = field(default_factory=dict)
    _ranks: dict[str, FirstRanks | None] = field(default_factory=dict)

    def of_pair_over_topics(
        self, m: Measure, contrasts: Contrasts, variance_model: VarianceModel
    ) -> tuple[PairBounds | None, list[str]]:
        """Bounds of one pair, with how much further out their limits lie over topics."""
        bounds, notes = self.of_pair(m, contrasts)
        return self.with_limits(bounds, contrasts, variance_model), notes

    def of_pair(self, m: Measure, contrasts: Contrasts) -> tuple[PairBounds | None, list[str]]:
        """What they could do to one pair, and what must be said where that is not known."""
        ranked, pair = self.study_data.ranked, (int(contrasts.a[0]), int(contrasts.b[0]))
        none = np.zeros(len(ranked.topics))
        nothing = PairBounds(none, none, 0, len(none))
        if (
            self.study_data.sample is not None or not self.study_data.unjudged(m, list(pair))[0]
        ):  # a sample stands for them
            return nothing, []
        if m.leaves_out_unjudged:
            return nothing, [f"What unjudged documents could change is unknown: {m} leaves them out."]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told when the runs were first read
            try:
                return pair_bounds_of(of_systems(ranked, pair), m), []
            except TruegainError as error:
                note = _not_known(m, error)
        return None, [note]

    def with_limits(
        self, bounds: PairBounds | None, contrasts: Contrasts, variance_model: VarianceModel
    ) -> PairBounds | None:
        """Bounds of one pair that are known, with how much further out their limits lie over topics."""
        if bounds is None or not bounds.documents or "topics" not in self.study_data.over:
            return bounds
        variance = variance_model.variance(contrasts, self.confidence)
        return bounds.with_limits(float(variance.value[0]), quantile_of(self.confidence, float(variance.df[0])))

    def as_matrix(self, contrasts: Contrasts, bounds: PairBounds | None) -> AllPairsBounds | None:
        """What they could do to one pair, as a matrix; None where they count as not relevant."""
        if bounds is None or not bounds.documents or not self._is_bound:
            return None
        systems = len(self.study_data.ranked.systems)
        return AllPairsBounds.of_pair(bounds, contrasts, systems, "topics" in self.study_data.over)

    def of_pair_as_matrix(self, m: Measure, contrasts: Contrasts) -> AllPairsBounds | None:
        """What they could do to one pair, as a matrix; looked for only where they hold answers back."""
        return self.as_matrix(contrasts, self.of_pair(m, contrasts)[0]) if self._is_bound else None

    @property
    def _is_bound(self) -> bool:
        return self.taken_as == "bound"

    def of_all_pairs(self, m: Measure) -> tuple[AllPairsBounds | None, str]:
        """What they could do to all pairs, where answers shall hold whatever their labels.

        None where there are none, or they are counted as not relevant: in words where nothing else is known.
        """
        if not self._is_bound or self.study_data.sample is not None or not self.study_data.unjudged(m)[0]:
            return None, ""
        if str(m) not in self._known:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # told when the runs were first read
                try:
                    own, over_topics = self.study_data.unjudged_by_system(m) > 0, "topics" in self.study_data.over
                    self._known[str(m)] = all_pairs_bounds(self.study_data.ranked, m, own, over_topics), ""
                except TruegainError as error:
                    self._known[str(m)] = None, _not_known(m, error)
        return self._known[str(m)]

    def forbids(self, m: Measure, system: int) -> str:
        """Why nothing is claimed of a system: top documents lack labels, and m has no smallest or largest value."""
        bounded = not self._is_bound or self.study_data.sample is not None or has_bounds(m) or has_ends(m)
        if bounded or m.leaves_out_unjudged:
            return ""
        open_ = open_at_the_top(self.study_data.ranked, [system])
        return f"{open_}, and {m} has no smallest or no largest value" if open_ else ""

    def held(self, m: Measure) -> UnjudgedTreatment:
        """How a ranking takes them."""
        if self.of_all_pairs(m)[0] is not None:
            return "bound" if self.held_ranks(m) is None else "first"
        none = self.study_data.sample is not None or m.leaves_out_unjudged or not self.study_data.unjudged(m)[0]
        return "" if none else "zero"

    def note(self, m: Measure, contrasts: Contrasts | None) -> str:
        """What was taken of them, in words; empty where there are none, or a sample stands for them.

        contrasts: the differences, which are held against them.
        """
        systems = None if contrasts is None else _systems(contrasts)
        bound = contrasts is not None and self._is_bound and (has_bounds(m) or self._first_ranks(m) is not None)
        return self._in_words(m, systems, "low, high and p hold" if bound else "", contrasts)

    def note_on_ranks(self, m: Measure) -> str:
        """The same of all systems, where tiers and ranks hold whatever their labels, or not."""
        return self._in_words(m, None, "" if self.of_all_pairs(m)[0] is None else "tiers and ranks hold")

    def _in_words(self, m: Measure, systems: list[int] | None, holds: str, contrasts: Contrasts | None = None) -> str:
        if self.study_data.sample is not None:
            return ""
        held = self.held_ranks(m, contrasts) if holds else None
        return self.study_data.unjudged_note(m, systems, holds, "" if held is None else str(held))

    def held_ranks(self, m: Measure, contrasts: Contrasts | None = None) -> Held | None:
        """Down to which ranks differences, or all, hold whatever the labels; None where nothing counts as 0 below."""
        ranks = None if has_bounds(m) else self._first_ranks(m)
        if ranks is None:
            return None
        contrasts = Contrasts.all_pairs(len(self.study_data.ranked.systems)) if contrasts is None else contrasts
        held = ranks.held(contrasts.a, contrasts.b)
        return held if held.below else None

    def _first_ranks(self, m: Measure) -> FirstRanks | None:
        """None where they bound nothing."""
        if str(m) not in self._ranks:
            try:
                self._ranks[str(m)] = FirstRanks(self.study_data.ranked, m)
            except TruegainError:
                self._ranks[str(m)] = None
        return self._ranks[str(m)]

    def left_out_note(self, m: Measure, contrasts: Contrasts) -> str:
        """That documents of the systems asked about have no label at all, in words; empty where all have one."""
        unjudged, shown = self.study_data.unjudged(m, _systems(contrasts))
        if not unjudged:
            return ""
        return (
            f"{unjudged:,} of the {shown:,} documents that {m} counts in these runs have no label, and this list "
            "leaves them out: what they could change is unknown (see `unjudged`)."
        )


def _systems(contrasts: Contrasts) -> list[int]:
    return sorted({*contrasts.a.tolist(), *contrasts.b.tolist()} - {NONE})


def _not_known(m: Measure, error: TruegainError) -> str:
    why = with_marks(error).removeprefix(f"{m}: ")
    return Message(f"What unjudged documents could change in {m} is unknown: {why}.")


def open_at_the_top(ranked: RankedGains, systems: Sequence[int]) -> str:
    """Whose first ten documents lack labels, from 1 in 20 on, in words; empty where nobody's do.

    >>> import truegain as tg
    >>> runs = {"a": {str(t): {"x": 2.0, "y": 1.0} for t in range(10)}}
    >>> open_at_the_top(tg.Study(runs, {str(t): {"x": 1} for t in range(10)}, "P@1").ranked, [0])
    '10 of the 20 documents in the first 10 ranks of a have no label'
    """
    open_, there = (x.sum(axis=1) for x in unjudged_down_to(ranked, TOP))
    who = [s for s in systems if open_[s] >= OPEN * there[s] > 0]
    if not who:
        return ""
    return (
        f"{int(open_[who].sum()):,} of the {int(there[who].sum()):,} documents in the first {TOP} ranks of "
        f"{some([ranked.systems[s] for s in who])} have no label"
    )
