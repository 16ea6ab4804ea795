"""All sources of variance of one measure together, nothing counted twice; and the table of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple, Protocol

import numpy as np

from truegain.errors import TruegainError
from truegain.io.columns import Floats, frozen
from truegain.measures.base import Measure
from truegain.message import argname
from truegain.sampling.catalogue import SOURCES, groups_of, holders, inside_first, outermost, populations, spoken_of
from truegain.sampling.jackknife import TopicSpread
from truegain.sampling.source import Source, SourceName, TopicUnits
from truegain.sampling.streams import generator
from truegain.stats.collection_intervals import Lone, pooled
from truegain.stats.contrasts import NONE, Contrasts
from truegain.stats.influence import Influence, Variance, summed
from truegain.stats.intervals import wilson, within
from truegain.stats.results import Comparison
from truegain.stats.student_t import quantiles_of
from truegain.stats.student_t import wilson as wilson_of_share
from truegain.study.estimators import FEW_TOPICS, LEAST_GOLD, ScoreEstimator
from truegain.study.gold_lists import ByList
from truegain.study.precision import LookErrors, at_every_look, earlier_looks

Parts = dict[SourceName, Floats]
SHARE_DRAWS = 2_000
SHARE_RANGE = 0.9
NOT_KNOWN = "not known"
TINY = 1e-24  # of the square of a difference: a variance that is rounding


class Share(NamedTuple):
    """The share of a source in the variance of a difference.

    Attributes
    ----------
    value : float
        The estimate.
    low, high : float
        The range that holds it in 9 of 10 studies.
    alone : bool
        It is not estimated: the only source has all of the variance, labels that are all known have none.
    """

    value: float
    low: float
    high: float
    alone: bool = False  # all or none, by what it is

    def __str__(self) -> str:
        """The range, out to tenths; never none and never all, which no estimate tells.

        >>> [str(Share(x, low, high)) for x, low, high in [(0.8, 0.63, 0.87), (0.0, 0.0, 0.07), (1.0, 0.72, 1.0)]]
        ['60-90%', '<10%', '>70%']
        >>> str(Share(0.5, 0.01, 0.98))
        'not known'
        """
        return self._range("<", ">")

    def _range(self, below: str, above: str) -> str:
        if self.alone:
            return "all" if self.value else "none"
        low, high = 10 * math.floor(round(10 * self.low, 6)), 10 * math.ceil(round(10 * self.high, 6))
        low, high = min(low, 90), max(high, 10)
        if low <= 0 or high >= 100:
            return f"{below}{high}%" if high < 100 else f"{above}{low}%" if low > 0 else NOT_KNOWN
        return f"{low}-{high}%"

    def __repr__(self) -> str:
        return f"Share({self})"

    @property
    def is_none(self) -> bool:
        """Whether the source cannot have a share, as where all labels are known."""
        return self.alone and self.value == 0

    @property
    def in_words(self) -> str:
        """The range as a sentence has it.

        >>> Share(0.8, 0.63, 0.87).in_words, Share(1.0, 0.72, 1.0).in_words
        ('60-90%', 'more than 70%')
        """
        return self._range("less than ", "more than ")

    @property
    def estimate(self) -> float | None:
        """To the nearest tenth; None where that is none or all, which no estimate tells, but for one source alone.

        >>> [Share(*x).estimate for x in [(0.62, 0.2, 0.9), (0.97, 0.6, 1.0), (0.0, 0.0, 0.3), (1.0, 1.0, 1.0, True)]]
        [0.6, None, None, 1.0]
        """
        near = round(self.value, 1)
        return near if 0 < near < 1 or self.alone else None

    @property
    def ends(self) -> tuple[float, float]:
        """The range, out to hundredths.

        >>> Share(0.998, 0.993, 0.9996).ends, Share(0.4, 0.2, 0.551).ends
        ((0.99, 1.0), (0.2, 0.56))
        """
        return math.floor(round(100 * self.low, 6)) / 100, math.ceil(round(100 * self.high, 6)) / 100


def largest_of(shares: Mapping[SourceName, Share] | Mapping[str, Share]) -> tuple[str, bool] | None:
    """The source with the largest share of several, and whether its range is above one half or above all others.

    None where no source is known to have most, as where its range is all from none to all.

    >>> little, half = Share(0.1, 0.0, 0.4), Share(0.4, 0.1, 0.8)
    >>> largest_of({"gold": Share(0.8, 0.63, 0.87), "topics": little})
    ('gold', True)
    >>> largest_of({"gold": Share(0.5, 0.2, 0.9), "topics": half}) is None
    True
    >>> largest_of({"gold": Share(0.6, 0.05, 0.95), "topics": half}) is None
    True
    """
    by_source = dict(shares.items())
    top, *others = sorted(by_source, key=lambda s: -by_source[s].value)
    most = by_source[top]
    if most.low > min(0.5, max(by_source[s].high for s in others)):
        return top, True
    return (top, False) if most.value > 0.5 and str(most) != NOT_KNOWN else None


def is_open_which(shares: Mapping[SourceName, Share] | Mapping[str, Share]) -> bool:
    """Whether the largest share by its estimate may be none or all: then it is not known which source has most.

    >>> few, half = Share(0.6, 0.05, 0.95), Share(0.4, 0.05, 0.95)
    >>> is_open_which({"topics": few, "clusters": half}), is_open_which({"topics": Share(0.5, 0.2, 0.9), "gold": half})
    (True, False)
    """
    return str(max(dict(shares.items()).values(), key=lambda share: share.value)) == NOT_KNOWN


def largest_in_words(shares: Mapping[SourceName, Share]) -> str:
    """The largest source: *probably* where its range is neither above one half nor above all others.

    >>> little, half = Share(0.1, 0.0, 0.4), Share(0.4, 0.1, 0.8)
    >>> largest_in_words({"gold": Share(0.8, 0.63, 0.87), "topics": little})
    'gold (60-90% of the variance)'
    >>> largest_in_words({"gold": Share(0.6, 0.21, 0.9), "topics": half})
    'probably gold (20-90% of the variance)'
    >>> largest_in_words({"topics": Share(0.5, 0.2, 0.9), "gold": half}), largest_in_words({"gold": Share(1, 1, 1)})
    ('not known', 'gold')
    """
    if len(shares) < 2:
        return next(iter(shares), "")
    if (largest := largest_of(shares)) is None:
        return NOT_KNOWN
    source, is_sure = largest
    by_source: dict[str, Share] = dict(shares.items())
    return f"{'' if is_sure else 'probably '}{source} ({by_source[source]} of the variance)"


class SourceVariance(Protocol):
    """What a source brings by itself."""

    def variance(self, contrasts: Contrasts) -> Variance:
        """The variance over it of scores or differences, all other sources held fixed."""


@dataclass(frozen=True, eq=False)
class Collection:
    """How far each topic moves over other collections, all systems together."""

    spreads: Sequence[TopicSpread]
    lone: Lone

    def variance(self, contrasts: Contrasts) -> Variance:
        """The mean over topics, these held fixed (see `Pooled`): what `intervals` over the collection says too."""
        variance, freedom = pooled(self.spreads, contrasts, self.lone).total()
        if np.isnan(variance).any():
            raise TruegainError(
                "topics with one relevant document each do not show how scores vary between collections",
                remedy="leave the collection out of the population",
            )
        return Variance(variance / len(self.spreads) ** 2, np.maximum(freedom, 1.0))


@dataclass(frozen=True, eq=False)
class Crossed:
    """A source that is crossed with topics: its units, what each brought to each topic, and to single documents."""

    who: Influence
    by_topic: Influence
    make_documents: Callable[[], Influence] | None = None
    noise_twice: float = 0.0  # of the documents' share: what leaving one unit out counts too much
    make_values: Callable[[], Influence] | None = None  # single values in repeats that all units share

    @cached_property
    def documents(self) -> Influence | None:
        """What units brought to single documents; made when first asked for."""
        return None if self.make_documents is None else self.make_documents()

    def variance(self, contrasts: Contrasts) -> Variance:
        """Other units on these documents; noise of single documents is no more than the whole."""
        variance = self.who.variance(contrasts)
        if self.documents is None:
            return variance
        noise = np.minimum(self.documents.variance(contrasts).value, variance.value)
        return Variance(variance.value - self.noise_twice * noise, variance.df)

    @cached_property
    def values(self) -> Influence | None:
        """Noise of single values, which repeats that all units share hold, too; made when first asked for."""
        return None if self.make_values is None else self.make_values()

    def added(
        self, contrasts: Contrasts, met: SourceName | None, of: Callable[[Variance], Floats]
    ) -> tuple[Floats, Floats]:
        """What it adds to the topics (topics held fixed, to the documents, where other collections count).

        (V(assessors) - V(cells)) T/(T - 1), as what an assessor does on all of T topics is in his cells with 1/T of its
        variance; it may come out below 0. Beside it the square of V(assessors) over its degrees of freedom: what makes
        it uncertain.  met: whose cells are taken off.
        """
        variance = self.who.variance(contrasts)
        unsure = variance.value**2 / variance.df
        if met == "topics":
            topics = len(self.by_topic.units) / len(self.who.units)
            return (of(variance) - of(self.by_topic.variance(contrasts))) * topics / (topics - 1), unsure
        if met is None or self.documents is None:
            alone = self.variance(contrasts)
            held = np.zeros(len(contrasts)) if self.values is None else of(self.values.variance(contrasts))
            return of(alone) - held, alone.value**2 / alone.df
        return of(variance) - of(self.documents.variance(contrasts)), unsure


@dataclass(frozen=True, eq=False, repr=False)
class VarianceModel:
    """The scores of one measure, and every source of their variance, with nothing counted twice.

    The collection and the gold pairs of a topic are nested in it, so the variance over topics includes theirs; a source
    that groups topics includes that of its topics.  Assessors are crossed with topics, which include what an assessor
    did on one topic, not what he does on all:

        V = V(topics) + [V(assessors) - V(assessor x topic cells)] T/(T - 1)
        topics held fixed, judges and repeats of answers: V = V(repeats) + V(judges) - V(single values)
        topics held fixed: V = V(gold) + V(collection) + V(assessors), less V(assessor x document cells) where the
        collection, which holds them, counts, else less (A - r)/(r (A - 1)) of it: with one of A assessors left out
        the noise of a gain from r ratings is r (A - 1)/((r - 1) A) times what it is

    Attributes
    ----------
    estimator : ScoreEstimator
        The scores, corrected where there are gold labels, and how units move them.
    uncorrected : ScoreEstimator
        The same by the labels as they are.
    over : frozenset of str
        The sources that answers generalize over; gold, where there is some, always counts.
    makers : mapping of str to callable
        By source what makes its variance, when it is first used; sources that are not named are in the estimator.
    looks : float or None
        The confidence of anytime-valid limits; None for limits that hold at one look.
    repeats_shared : bool
        Replicates are repeats of answers that all judges saw: judges do not hold what these have in common.
    groups : mapping of str to mapping of str to str
        By source that holds topics, the unit of each topic, where names of topics do not tell.

    References
    ----------
    .. [1] A. C. Cameron, J. B. Gelbach and D. L. Miller, "Robust inference with multiway clustering", Journal of
           Business & Economic Statistics 29(2), 2011.
    """

    estimator: ScoreEstimator
    uncorrected: ScoreEstimator
    over: frozenset[SourceName]
    makers: Mapping[SourceName, Callable[[], SourceVariance]] = field(default_factory=dict)  # by source; others: known
    looks: float | None = None  # the confidence at which limits shall hold at every look; None: at one look
    repeats_shared: bool = False
    groups: TopicUnits = field(default_factory=dict)

    def __repr__(self) -> str:
        over = ", ".join(s for s in populations() if s in self.over) or "nothing but labels"
        return f"VarianceModel({len(self.estimator.value)} systems, over {over}; {type(self.estimator).__name__})"

    @property
    def labels(self) -> SourceName:
        """What labels that were sampled are called."""
        return self.estimator.about.source

    @property
    def exact(self) -> bool:
        """Whether all labels are gold and nothing else is spoken of."""
        return not self.over and self.estimator.about.exact

    @property
    def _holding(self) -> frozenset[SourceName]:
        """The sources that are spoken of and may hold others."""
        return self.over - {"assessors"} if self.repeats_shared else self.over

    @cached_property
    def _made(self) -> dict[SourceName, SourceVariance]:
        return {}

    def of(self, source: SourceName) -> SourceVariance | None:
        """What a source brings, made when first asked for; None where that is not known, or the scores know it."""
        if source in self.makers and source not in self._made:
            self._made[source] = self.makers[source]()
        return self._made.get(source)

    def grouped(self, source: SourceName, contrasts: Contrasts) -> Influence:
        """How far the units of a source that groups topics move contrasts, a column each.

        The move of a unit is the sum of those of its n_j of the T topics, times sqrt(J (T - 1)/((J - 1) T)): a mean of
        J units has V = J/(J - 1) sum of (sum over its topics of (x - mean)/T)^2, that of topics where each has its own.
        Without a unit, its topics count nothing and all is fitted again.

        Liang and Zeger 1986, Biometrika 73(1).
        """
        topics = self.estimator.topics_of(contrasts)
        of = groups_of(source, topics.units, self.groups)
        units, code = np.unique(np.array(of, dtype=np.str_), return_inverse=True)
        if (n := len(units)) < 2:
            raise TruegainError(
                f"{argname('population')} names {source}, and all {len(code):,} topics are of one "
                f"{SOURCES[source].unit}; leave {source!r} out"
            )
        moves = np.zeros((n, len(contrasts)))
        np.add.at(moves, code, topics.matrix)
        factor = math.sqrt(n / (n - 1) * (len(code) - 1) / len(code))
        left = self.estimator.values_on((code[None, :] != np.arange(n)[:, None]).astype(np.float64))
        without = None if left is None else frozen(contrasts.values(left))
        return Influence(source, tuple(units.tolist()), frozen(factor * moves), n - 1.0, without)

    def alone(self, contrasts: Contrasts, source: SourceName) -> Variance | None:
        """The spread over one source with all others held fixed, but for what it holds; None where it is not known."""
        if self.looks is not None and (source == "topics" or source == self.labels):
            return self._at_every_look(contrasts, topics=source == "topics")
        return self._own(contrasts, source)

    def _own(self, contrasts: Contrasts, source: SourceName) -> Variance | None:
        """The same, at one look."""
        if source == "topics":
            return self.estimator.over_topics(contrasts)
        if SOURCES[source].labels:
            return self.estimator.over_gold(contrasts) if source == self.labels else None
        if SOURCES[source].groups is not None:
            return self.grouped(source, contrasts).variance(Contrasts.scores(len(contrasts)))
        made = self.of(source)
        return None if made is None else made.variance(contrasts)

    def _at_every_look(
        self, contrasts: Contrasts, topics: bool = True, estimator: ScoreEstimator | None = None
    ) -> Variance:
        """Limits for all looks at a growing list together; `estimator` is that of an earlier look."""
        found = estimator or self.estimator
        gold, order = found.over_gold(contrasts), found.about.order
        assert self.looks is not None
        assert gold is not None
        assert order is not None
        over = found.over_topics(contrasts) if topics and "topics" in self.over else None
        return at_every_look(gold, over, order.information, self.looks)

    @cached_property
    def _before(self) -> list[ByList]:
        """What was known at earlier looks, where limits hold at all of them and labels are open."""
        assert isinstance(self.estimator, ByList)
        looks = (
            [] if self.estimator.draws.whole and "topics" not in self.over else earlier_looks(self.estimator.draws.n)
        )
        there = [n for n in looks if (self.estimator.turn < n).any()]
        return [self.estimator.first(n) for n in there]

    def difference_limits(
        self, contrasts: Contrasts, value: Floats, variance: Variance, confidence: float, topics: bool = True
    ) -> tuple[Floats, Floats]:
        """Value +- t(df) sqrt V; at every look, what lies within the limits of all looks so far: low > high if nothing.

        An earlier look counts from 10 labels that touch a difference on.  topics: as `spread` was made.
        """
        if (by_bets := self._limits_by_bets(contrasts, topics)) is not None:
            return by_bets
        low, high = self._held_open(contrasts, limits(value, variance, confidence), variance, confidence, topics)
        low, high = self.estimator.widened(contrasts, low, high, quantiles_of(confidence, variance.df))
        if self.looks is None:
            return low, high
        for before in self._before:
            wide = self._at_every_look(contrasts, topics, before)
            known = (before.touching(contrasts) >= LEAST_GOLD) & (wide.value > 0)
            then = limits(before.values(contrasts), wide, confidence)
            then = self._held_open(contrasts, then, wide, confidence, topics, before)
            low, high = np.where(known, np.maximum(low, then[0]), low), np.where(known, np.minimum(high, then[1]), high)
        return low, high

    def _limits_by_bets(self, contrasts: Contrasts, topics: bool) -> tuple[Floats, Floats] | None:
        """Limits that hold at every look at an ordered list of gold labels; None for others.

        What nobody could judge is at its worst below, and at its best above (see `ByList.ends`).
        """
        if self.looks is None or not isinstance(self.estimator, ByList):
            return None
        stuck = self.estimator.stuck(contrasts)
        free = np.flatnonzero(stuck == 0)
        low, high = np.full(len(contrasts), np.nan), np.full(len(contrasts), np.nan)
        some = contrasts if len(free) == len(contrasts) else Contrasts(contrasts.a[free], contrasts.b[free])
        if (found := self._by_bets(self.estimator, some, topics)) is None:
            return None
        low[free], high[free] = found
        for i in np.flatnonzero(stuck).tolist():
            worst, best = (self._by_bets(e, Contrasts.scores(1), topics) for e in self.estimator.ends(contrasts, i))
            assert worst is not None
            assert best is not None
            low[i], high[i] = worst[0][0], best[1][0]
        return low, high

    def _by_bets(self, estimator: ByList, contrasts: Contrasts, topics: bool) -> tuple[Floats, Floats] | None:
        """Where stakes against a value were won at no look so far (see `Betting`).

        Topics sampled: sqrt(t^2 own + h^2) on either side, see `LookErrors`.
        """
        game = estimator.game(contrasts)
        if game is None:
            return None
        assert self.looks is not None
        over = topics and "topics" in self.over
        errors = LookErrors.of(self.looks, over)
        low, high = game.limits(errors.gold)
        value = estimator.values(contrasts)
        below, above = np.maximum(value - low, 0.0), np.maximum(high - value, 0.0)
        if over:
            whole = estimator.over_topics(contrasts)
            own = np.maximum(whole.value - estimator.over_gold(contrasts).value, 0.0)
            far = quantiles_of(1 - errors.topics, whole.df) ** 2 * own
            below, above = np.sqrt(below**2 + far), np.sqrt(above**2 + far)
        none_left = low > high
        return np.where(none_left, low, value - below), np.where(none_left, high, value + above)

    def _held_open(
        self,
        contrasts: Contrasts,
        found: tuple[Floats, Floats],
        variance: Variance,
        confidence: float,
        topics: bool = True,
        estimator: ScoreEstimator | None = None,
    ) -> tuple[Floats, Floats]:
        """Limits with what people could not judge at its worst below, and at its best above: see `ByList.ends`."""
        low, high = found[0].copy(), found[1].copy()
        for i, *ends in self.ends(contrasts, variance, topics, estimator):
            low[i] = min(low[i], limits(*ends[0], confidence)[0][0])
            high[i] = max(high[i], limits(*ends[1], confidence)[1][0])
        return low, high

    def ends(
        self, contrasts: Contrasts, variance: Variance, topics: bool = True, estimator: ScoreEstimator | None = None
    ) -> Iterator[tuple[int, tuple[Floats, Variance], tuple[Floats, Variance]]]:
        """Value and spread, at worst and at best, of each contrast that a document moves which nobody could judge."""
        now = estimator or self.estimator
        for i in np.flatnonzero(now.stuck(contrasts)).tolist():
            assert isinstance(now, ByList)
            one, own = Contrasts(contrasts.a[[i]], contrasts.b[[i]]), Variance(variance.value[[i]], variance.df[[i]])
            worst, best = ((end.value, self._at_end(now, end, one, own, topics)) for end in now.ends(contrasts, i))
            yield i, worst, best

    def _at_end(self, now: ByList, end: ByList, one: Contrasts, variance: Variance, topics: bool) -> Variance:
        """The spread of a contrast with what nobody could judge at an end: no less than it is."""
        score = Contrasts.scores(1)
        if self.looks is not None:
            return self._at_every_look(score, topics, end)
        over = "topics" in self.over
        before, then = (e.over_topics(c) if over else e.over_gold(c) for e, c in ((now, one), (end, score)))
        more = np.maximum(then.value - before.value, 0.0)
        return Variance(variance.value + more, np.minimum(variance.df, then.df))

    def crossed(self) -> dict[SourceName, Crossed]:
        """The sources that are spoken of and crossed with others."""
        made = {name: self.of(name) for name in SOURCES if name in self.over}
        return {name: one for name, one in made.items() if isinstance(one, Crossed)}

    def variance(self, contrasts: Contrasts, confidence: float = 0.95) -> Variance:
        """Everything together, for limits of this confidence; never surer than over topics, or labels they hold.

        V(topics) is estimated, and so is what sampled labels bring by themselves: where topics hardly differ the first
        may come out below the second, and the wider of the two counts.  So it is where assessors seem to add less than
        nothing.  Other collections are in the topics, and add nothing to what these say.  Gold labels that tell the
        judge's rates alone do not widen differences, whose spread over topics holds them and covers as often as it says
        (`python -m benchmarks.coverage confusion`).  At every look, see `at_every_look`.
        """
        if self.looks is not None:
            return self._at_every_look(contrasts)
        whole = self._joined(contrasts)
        of_pairs = bool((contrasts.a != NONE).all())
        by_rates = self.estimator.by_rates and of_pairs and "topics" in self.over
        for source in spoken_of(self.over):
            held = holders(source) & self.over
            if (by_rates and SOURCES[source].labels) or (held and not SOURCES[source].widens):
                continue
            part = self.alone(contrasts, source)
            whole = whole if part is None else whole.or_wider(part, confidence)
        return whole

    def _joined(self, contrasts: Contrasts) -> Variance:
        crossed, variance = self.crossed(), attrgetter("value")
        added = [one.added(contrasts, SOURCES[name].meets(self.over), variance) for name, one in crossed.items()]
        parts = [part for s in outermost(self._holding) if (part := self.alone(contrasts, s)) is not None]
        if not parts and not added:
            raise TruegainError(
                "nothing here was sampled: for these topics only, with all labels known, the scores are exact; name "
                f"what to generalize to, such as topics like these ({argname('population')})"
            )
        if not added:
            return parts[0] if len(parts) == 1 else summed(parts)
        total = np.maximum(0.0, np.sum([*(x for x, _ in added), *(p.value for p in parts)], axis=0))
        below = np.sum([*(unsure for _, unsure in added), *(p.value**2 / p.df for p in parts)], axis=0)
        df = np.divide(total**2, below, out=np.full(len(contrasts), np.inf), where=below > 0)
        units = [np.full(len(contrasts), one.who.df) for one in crossed.values()]
        fewest = np.min([*units, *(p.df for p in parts)], axis=0)
        return Variance(total, np.maximum(df, fewest))  # a sum is known no worse than the worst of its parts

    def by_wilson(self, bounds: tuple[float, float]) -> bool:
        """Whether limits of scores are Wilson's: of labels as they are, over topics, where scores have bounds."""
        return self.estimator.about.plain and "topics" in self.over and bool(np.isfinite(bounds).all())

    def score_limits(self, variance: Variance, bounds: tuple[float, float], confidence: float) -> tuple[Floats, Floats]:
        """Limits of the scores: Wilson's where scores have bounds; by gold labels, t joined with Wilson's.

        Over topics, labels as they are: Wilson's hold a mean more often than t, most of all near a bound, and are no
        wider (`python -m benchmarks.coverage topics`).
        """
        value, known = self.estimator.value, self.estimator.near_bounds()
        if self.by_wilson(bounds):
            topics = len(self.estimator.contributions())
            low, high, _ = wilson(value, np.sqrt(variance.value), topics, bounds, confidence, variance.df)
            return low, high
        if known is None and "topics" in self.over and np.isfinite(bounds).all():
            topics = len(self.estimator.contributions())
            known = (np.full(len(value), float(topics)), bounds) if topics < FEW_TOPICS else None
        contrasts = Contrasts.scores(len(value))
        if known is None:
            low, high = self._held_open(contrasts, limits(value, variance, confidence), variance, confidence)
            return within(low, high, bounds)
        by_label = None if "topics" in self.over else self._by_label(variance, confidence)
        low, high = joined_with_wilson(value, variance, *known, confidence, by_label)
        for i, *ends in self.ends(contrasts, variance):
            below, above = (joined_with_wilson(*end, known[0][[i]], known[1], confidence) for end in ends)
            low[i], high[i] = min(low[i], below[0][0]), max(high[i], above[1][0])
        return low, high

    def _by_label(self, variance: Variance, confidence: float) -> tuple[Floats, Floats] | None:
        """Limits of scores, the topics held fixed, put together from those of each bronze label; None where unknown."""
        quantile = quantiles_of(confidence, variance.df)
        halves, gold = self.estimator.by_label(quantile), self.alone(Contrasts.scores(len(variance.df)), self.labels)
        if halves is None or gold is None:
            return None
        others = quantile**2 * np.maximum(variance.value - gold.value, 0.0)
        down, up = (np.sqrt(half**2 + others) for half in halves)
        return self.estimator.value - down, self.estimator.value + up

    def own_parts(self, contrasts: Contrasts, of: Callable[[Variance], Floats] = attrgetter("value")) -> Parts:
        """The variance that each source brings by itself; together they are all of it.

        of: the variances of a spread, or what else they may be.
        """
        parts: Parts = {}
        for source in inside_first(self._holding):
            own = self._own(contrasts, source)
            if own is None:
                continue
            whole, held = of(own), [s for s in parts if source in holders(s)]
            if held:
                nested = np.sum([parts[s] for s in held], axis=0)
                shrink = np.divide(
                    whole, nested, out=np.ones(len(whole)), where=nested > whole
                )  # no more than it holds
                parts |= {s: parts[s] * shrink for s in held}
                whole = np.maximum(whole - nested, 0.0)
            parts[source] = whole
        for name, one in self.crossed().items():
            parts[name] = np.maximum(one.added(contrasts, SOURCES[name].meets(self.over), of)[0], 0.0)
        return parts

    def shares(self, contrasts: Contrasts, seed: int = 0) -> dict[SourceName, Share]:
        """The share of each source in the variance of one contrast, the largest first; none where nothing moves it.

        A variance V of k degrees of freedom stands for V k/chi^2(k): drawn so, the middle 90% of the shares are their
        range, and hold the estimate.
        """
        parts = self.own_parts(contrasts)
        total = float(sum(v[0] for v in parts.values()))
        if total == 0:
            return {}
        rng = generator(seed, "shares")

        def drawn(variance: Variance) -> Floats:
            k = max(float(variance.df[0]), 1.0)
            times = k / rng.chisquare(k, SHARE_DRAWS) if np.isfinite(k) else np.ones(SHARE_DRAWS)
            return float(variance.value[0]) * times

        maybe = self.own_parts(contrasts, drawn)
        whole = np.sum(list(maybe.values()), axis=0)
        tail = (1 - SHARE_RANGE) / 2
        shares = {}
        known = {s for s in parts if self.estimator.about.exact and SOURCES[s].labels and parts[s][0] == 0}
        for source in sorted(parts, key=lambda s: -parts[s][0]):
            share = float(parts[source][0]) / total
            low, high = np.quantile(maybe[source] / np.where(whole > 0, whole, 1.0), (tail, 1 - tail)).tolist()
            shares[source] = Share(
                share, min(low, share), max(high, share), source in known or len(parts) - len(known) == 1
            )
        return shares


def limits(value: Floats, variance: Variance, confidence: float) -> tuple[Floats, Floats]:
    """Value +- t(df) sqrt V."""
    half = quantiles_of(confidence, variance.df) * np.sqrt(variance.value)
    return value - half, value + half


def joined_with_wilson(
    value: Floats,
    variance: Variance,
    labels: Floats,
    bounds: tuple[float, float],
    confidence: float,
    known: tuple[Floats, Floats] | None = None,
) -> tuple[Floats, Floats]:
    """Limits by t, kept within the bounds, and Wilson's, whichever is further out: near a bound t alone is too short.

    known: limits in place of those by t.

    Wilson's are those of a proportion from as many independent labels as would have this variance, p (1 - p)/V with
    half a label added to either side of p.

    Wilson 1927, JASA 22; effective sizes: Korn and Graubard 1998, Survey Methodology 24(2).

    >>> variance = Variance(np.array([0.01, 0.0001]), np.full(2, 9.0))
    >>> joined_with_wilson(np.array([0.5, 0.02]), variance, np.array([10.0, 100.0]), (0.0, 1.0), 0.95)[1].round(4)
    array([0.7262, 0.0525])
    """
    low, high = limits(value, variance, confidence) if known is None else known
    least, scale = bounds[0], bounds[1] - bounds[0]
    p = np.clip((value - least) / scale, 0.0, 1.0)
    shrunk = (p * labels + 0.5) / (labels + 1)
    size = np.divide(
        shrunk * (1 - shrunk) * scale**2, variance.value, out=np.full(len(p), np.inf), where=variance.value > 0
    )
    wide_low, wide_high = (
        least + scale * end for end in wilson_of_share(p, size, quantiles_of(confidence, variance.df))
    )
    return np.minimum(np.maximum(low, least), wide_low), np.maximum(np.minimum(high, bounds[1]), wide_high)


# ---- The difference over each source, and the units that move it.

TOGETHER = "all sources"


@dataclass(frozen=True)
class Line:
    """The difference over one source of uncertainty, or over all covered ones together.

    Attributes
    ----------
    source : str
        The source: 'topics', 'collection', 'assessors', 'replicates', 'gold' or 'unjudged' (a sample of the unjudged
        documents); 'all sources'; or, for labels as they are over topics, 'uncorrected', which is called 'topics alone'
        where nothing was corrected.
    low, high : float or None
        The confidence limits of the difference over this source alone.
    share : Share or None
        Its share of the variance of all together.
    why : str
        Why there is no interval.
    covered : bool
        Whether the verdict generalizes over this source.
    away : bool
        Whether it is gold of other topics.
    share_in : str
        The source whose share includes this one's.
    """

    source: str
    low: float | None
    high: float | None
    share: Share | None = None  # of the variance of all together
    why: str = ""  # where there is no interval
    covered: bool = True  # whether the verdict speaks of this source
    away: bool = False  # whether it is gold of other topics
    share_in: str = ""  # the source whose share holds this one's, where it has none of its own

    @property
    def name(self) -> str:
        """The source as tables for people have it."""
        return self.source if self.covered else f"{self.source} (not covered)"

    @property
    def excludes_zero(self) -> bool | None:
        """Whether the interval lies on one side of 0; None where there is none."""
        return None if self.low is None or self.high is None else self.low > 0 or self.high < 0

    @property
    def reason(self) -> str:
        """Why there is no interval, or no share."""
        return self.why or (f"its share is part of that of {self.share_in}" if self.share_in else "")

    @property
    def width(self) -> float:
        """Of the interval; 0 where there is none."""
        return 0.0 if self.low is None or self.high is None else self.high - self.low


class InfluentialUnit(NamedTuple):
    """A topic, document, gold label or assessor that moves a difference.

    Attributes
    ----------
    unit : str
        Its name.
    influence : float
        How far it moves the difference from its mean.
    without : float or None
        The difference without it, where everything was fitted again.
    """

    unit: str
    influence: float
    without: float | None

    @classmethod
    def most_of(cls, moves: Influence, contrasts: Contrasts, most: int = 5) -> tuple[InfluentialUnit, ...]:
        """The units of a source that move a difference most."""
        named, left = moves.most_influential(contrasts, most), moves.left_without(contrasts, most)
        return tuple(cls(unit, influence, x) for (unit, influence), x in zip(named, left, strict=True))


def lines_of(
    variance_model: VarianceModel,
    contrasts: Contrasts,
    m: Measure,
    shares: Mapping[SourceName, Share],
    whole: Comparison,
) -> tuple[Line, ...]:
    """The interval over each source of which something can be said, asked for or not, and over all together."""
    value, lines = variance_model.estimator.values(contrasts), []
    for source, about in SOURCES.items():
        asked_for = source in variance_model.over or about.labels
        away = source == "gold" and variance_model.estimator.about.away
        holds = next((s for s in about.nested_in if s in shares and s != "topics"), "")
        share_in = "" if not asked_for or source in shares else holds
        variance = variance_model.alone(contrasts, source) if asked_for or source in variance_model.makers else None
        if variance is None:
            continue
        if not variance.value[0] > 0:
            why = about.all_known if about.labels and variance_model.estimator.about.exact else "no variation"
            lines.append(Line(source, None, None, shares.get(source), why, asked_for))
            continue
        if whole.low is None:
            lines.append(Line(source, None, None, shares.get(source), "refused", asked_for))
            continue
        met = variance_model.difference_limits(contrasts, value, variance, whole.confidence, topics=source == "topics")
        low, high = within(*met, m.bounds(), value=value, differences=True)
        lines.append(Line(source, float(low[0]), float(high[0]), shares.get(source), "", asked_for, away, share_in))
    return (*lines, Line(TOGETHER, whole.low, whole.high, None, "" if whole.low is not None else "refused"))


def influential_units_of(
    variance_model: VarianceModel, contrasts: Contrasts, documents: Influence | None, most: int = 5
) -> dict[str, tuple[InfluentialUnit, ...]]:
    """The units that pull a pair most, by source; `documents` are moves of these two systems alone."""
    one = Contrasts.scores(len(contrasts))
    moves = [(variance_model.estimator.by_gold(), contrasts), (documents, Contrasts.of([(0, 1)]))]
    if "topics" in variance_model.over:
        moves.append((variance_model.estimator.topics_of(contrasts), one))
    moves += [
        (variance_model.grouped(s, contrasts), one)
        for s in SOURCES
        if s in variance_model.over and SOURCES[s].groups is not None
    ]
    moves += [(crossed.who, contrasts) for crossed in variance_model.crossed().values()]
    by_source = {x.source: InfluentialUnit.most_of(x, of, most) for x, of in moves if x is not None}
    shown = sorted(SOURCES.values(), key=lambda s: bool(s.crossed_with))
    return {s.name: by_source[s.name] for s in shown if s.units and s.name in by_source}


def uncorrected_line(variance_model: VarianceModel, contrasts: Contrasts, confidence: float) -> Line:
    """Student's t over topics, the labels taken as they are; no interval where all topics have the same difference."""
    name = "topics alone" if variance_model.uncorrected is variance_model.estimator else "uncorrected"
    variance = variance_model.uncorrected.over_topics(contrasts)
    value = contrasts.values(variance_model.uncorrected.value)
    if value[0] and not variance.value[0] > TINY * value[0] ** 2:
        return Line(name, None, None, why="no variation")
    low, high = limits(value, variance, confidence)
    return Line(name, float(low[0]), float(high[0]))


def influential_in_words(source: Source, units: tuple[InfluentialUnit, ...]) -> str:
    """The most influential units: what the difference would be without each, or by how much each changes it."""
    refitted = all(x.without is not None for x in units)
    what = "difference without it" if refitted else "change in the difference"
    first, *rest = [(x.unit, signed(x.without if refitted else x.influence)) for x in units]
    named = [f"{first[0]} ({what}: {first[1]})", *(f"{unit} ({number})" for unit, number in rest)]
    bronze = ", by the uncorrected labels" if source.name == "collection" and units[0].without is None else ""
    return f"Most influential {source.units.lower()}{bronze}: {', '.join(named)}."


def signed(x: float | None) -> str:
    """Four digits with a sign; 0 is +0.0000, from whichever side.

    >>> signed(-0.00001), signed(-0.0123), unsigned(-0.00001)
    ('+0.0000', '-0.0123', '0.0000')
    """
    return "" if x is None else f"{round(x, 4) + 0.0:+.4f}"


def unsigned(x: float) -> str:
    """Four digits; 0 has no sign."""
    return f"{round(x, 4) + 0.0:.4f}"
