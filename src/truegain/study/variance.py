"""All sources of variance of one measure together, nothing counted twice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Protocol

import numpy as np

from truegain.errors import TruegainError
from truegain.io.columns import Floats, frozen
from truegain.message import argname
from truegain.sampling.catalogue import (
    SOURCES,
    counted_sources,
    groups_of,
    holders,
    inside_first,
    outermost,
    populations,
)
from truegain.sampling.clusters import CLUSTERS
from truegain.sampling.jackknife import TopicSpread
from truegain.sampling.source import SourceName, TopicUnits
from truegain.stats.collection_intervals import Lone, pooled
from truegain.stats.contrasts import NONE, Contrasts, Influence, Variance, limits, summed, within
from truegain.stats.intervals import wilson
from truegain.stats.student_t import quantiles_of
from truegain.stats.student_t import wilson as wilson_of_share
from truegain.study.anytime import End, LookLimits
from truegain.study.estimators import FEW_TOPICS, ScoreEstimator
from truegain.study.gold_lists import ByList

Parts = dict[SourceName, Floats]


class SourceVariance(Protocol):
    """What a source brings by itself."""

    def variance(self, contrasts: Contrasts) -> Variance:
        """The variance over it of scores or differences, all other sources held fixed."""


@dataclass(frozen=True, eq=False)
class OtherCollections:
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
class CrossedSource:
    """A random factor crossed with topics, as assessors who judged many topics: what each unit moves in scores.

    who: in all; by_topic: on each topic; documents: on single documents of a topic.
    """

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

        The main effect of assessors: (V(assessors) - V(cells)) T/(T - 1), since the cells hold 1/T of it; it may come
        out below 0.  The second value is V(assessors)^2/df, its term in Satterthwaite's formula.  met: the source whose
        cells are subtracted.
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
    that groups topics includes that of its topics.  Assessors are crossed with topics: the variance
    over topics includes the assessor x topic interaction, not the main effect of assessors:

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
    anytime_confidence : float or None
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
    anytime_confidence: float | None = (
        None  # the confidence at which limits shall hold at every look; None: at one look
    )
    repeats_shared: bool = False
    groups: TopicUnits = field(default_factory=dict)

    def __repr__(self) -> str:
        over = ", ".join(s for s in populations() if s in self.over) or "nothing but labels"
        return f"VarianceModel({len(self.estimator.value)} systems, over {over}; {type(self.estimator).__name__})"

    @property
    def labels(self) -> SourceName:
        """What labels that were sampled are called."""
        return self.estimator.label_facts.source

    @property
    def exact(self) -> bool:
        """Whether all labels are gold and nothing else is sampled."""
        return not self.over and self.estimator.label_facts.exact

    @property
    def _holding(self) -> frozenset[SourceName]:
        """The sources that answers generalize over and that may hold others."""
        return self.over - {"assessors"} if self.repeats_shared else self.over

    @property
    def of_list(self) -> bool:
        """Whether an ordered list of gold labels is behind the scores, some of which people may be unable to give."""
        return isinstance(self.estimator, ByList)

    @cached_property
    def look_limits(self) -> LookLimits:
        """Limits at every look, where these are asked for, and with labels that nobody could give."""
        return LookLimits(self.estimator, "topics" in self.over, self.anytime_confidence)

    @cached_property
    def _made(self) -> dict[SourceName, SourceVariance]:
        return {}

    def made_for(self, source: SourceName) -> SourceVariance | None:
        """What a source brings, made when first asked for; None where that is not known, or the scores know it."""
        if source in self.makers and source not in self._made:
            self._made[source] = self.makers[source]()
        return self._made.get(source)

    def influence_of_groups(self, source: SourceName, contrasts: Contrasts) -> Influence:
        """How far the units of a source that groups topics move contrasts, a column each.

        The move of a unit is the sum of those of its n_j of the T topics, times sqrt(J (T - 1)/((J - 1) T)): a mean of
        J units has V = J/(J - 1) sum of (sum over its topics of (x - mean)/T)^2, that of topics where each has its own.
        Without a unit, its topics count nothing and all is fitted again.

        Liang and Zeger 1986, Biometrika 73(1).
        """
        topics = self.estimator.topics_of(contrasts)
        of = groups_of(source, topics.units, self.groups)
        units, code = np.unique(np.array(of, dtype=np.str_), return_inverse=True)
        if (n := len(units)) < 2 and source == CLUSTERS.name:  # which may be in the population because these are given
            raise TruegainError(f"{argname('cluster')}: all {len(code):,} topics have one value; leave it out")
        if n < 2:
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

    def over_source(self, contrasts: Contrasts, source: SourceName) -> Variance | None:
        """The variance over one source, all others held fixed but for what it holds; None where it is not known."""
        if self.anytime_confidence is not None and (source == "topics" or source == self.labels):
            return self.look_limits.variance(contrasts, topics=source == "topics")
        return self._over_at_one_look(contrasts, source)

    def _over_at_one_look(self, contrasts: Contrasts, source: SourceName) -> Variance | None:
        """The variance over one source for limits at one look; own parts are made of it whatever the limits."""
        if source == "topics":
            return self.estimator.over_topics(contrasts)
        if SOURCES[source].labels:
            return self.estimator.over_gold(contrasts) if source == self.labels else None
        if SOURCES[source].groups is not None:
            return self.influence_of_groups(source, contrasts).variance(Contrasts.scores(len(contrasts)))
        made = self.made_for(source)
        return None if made is None else made.variance(contrasts)

    def at_ends(self, contrasts: Contrasts, variance: Variance) -> Iterable[End]:
        """Value and variance, at worst and at best, of each contrast that a document moves which nobody could judge."""
        return self.look_limits.ends(contrasts, variance) if self.of_list else ()

    def difference_limits(
        self, contrasts: Contrasts, value: Floats, variance: Variance, confidence: float, topics: bool = True
    ) -> tuple[Floats, Floats]:
        """Value +- t(df) sqrt V; at every look, what lies within the limits of all looks so far: low > high if nothing.

        topics: whether `variance` is over topics.
        """
        ends = limits(value, variance, confidence)
        if self.of_list:
            if (by_bets := self.look_limits.by_bets(contrasts, topics)) is not None:
                return by_bets
            ends = self.look_limits.held_open(contrasts, ends, variance, confidence, topics)
        low, high = self.estimator.widened(contrasts, *ends, quantiles_of(confidence, variance.df))
        if self.anytime_confidence is None:
            return low, high
        return self.look_limits.cut(contrasts, low, high, confidence, topics)

    def crossed(self) -> dict[SourceName, CrossedSource]:
        """The sources that answers generalize over and that are crossed with others."""
        made = {name: self.made_for(name) for name in SOURCES if name in self.over}
        return {name: one for name, one in made.items() if isinstance(one, CrossedSource)}

    def variance(self, contrasts: Contrasts, confidence: float = 0.95) -> Variance:
        """Everything together, for limits of this confidence; never surer than over topics, or labels they hold.

        V(topics) is estimated, and so is what sampled labels bring by themselves: where topics hardly differ the first
        may come out below the second, and the wider of the two counts.  So it is where assessors seem to add less than
        nothing.  Other collections are in the topics, and add nothing to what these say.  Gold labels that tell the
        judge's rates alone do not widen differences, whose variance over topics holds them and covers as often as it
        says (`python -m benchmarks.coverage confusion`).  At every look, see `at_every_look`.
        """
        if self.anytime_confidence is not None:
            return self.look_limits.variance(contrasts)
        whole = self._all_sources(contrasts)
        of_pairs = bool((contrasts.a != NONE).all())
        by_rates = self.estimator.by_rates and of_pairs and "topics" in self.over
        for source in counted_sources(self.over):
            held = holders(source) & self.over
            if (by_rates and SOURCES[source].labels) or (held and not SOURCES[source].widens):
                continue
            part = self.over_source(contrasts, source)
            whole = whole if part is None else whole.or_wider(part, confidence)
        return whole

    def _all_sources(self, contrasts: Contrasts) -> Variance:
        """The sum of the outermost sources and of what crossed ones add, with its degrees of freedom."""
        crossed, variance = self.crossed(), attrgetter("value")
        added = [one.added(contrasts, SOURCES[name].meets(self.over), variance) for name, one in crossed.items()]
        parts = [part for s in outermost(self._holding) if (part := self.over_source(contrasts, s)) is not None]
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
        return self.estimator.label_facts.plain and "topics" in self.over and bool(np.isfinite(bounds).all())

    def score_limits(self, variance: Variance, bounds: tuple[float, float], confidence: float) -> tuple[Floats, Floats]:
        """Limits of the scores: Wilson's where scores have bounds; by gold labels, t joined with Wilson's.

        Over topics, labels as they are: Wilson's hold a mean more often than t, most of all near a bound, and are no
        wider (`python -m benchmarks.coverage topics`).
        """
        value, counts_and_bounds = self.estimator.value, self.estimator.near_bounds()
        if self.by_wilson(bounds):
            topics = len(self.estimator.contributions())
            low, high, _ = wilson(value, np.sqrt(variance.value), topics, bounds, confidence, variance.df)
            return low, high
        if counts_and_bounds is None and "topics" in self.over and np.isfinite(bounds).all():
            topics = len(self.estimator.contributions())
            counts_and_bounds = (np.full(len(value), float(topics)), bounds) if topics < FEW_TOPICS else None
        contrasts = Contrasts.scores(len(value))
        if counts_and_bounds is None:
            low, high = self.look_limits.held_open(contrasts, limits(value, variance, confidence), variance, confidence)
            return within(low, high, bounds)
        by_label = None if "topics" in self.over else self._by_label(variance, confidence)
        low, high = joined_with_wilson(value, variance, *counts_and_bounds, confidence, by_label)
        for i, *ends in self.look_limits.ends(contrasts, variance):
            below, above = (
                joined_with_wilson(*end, counts_and_bounds[0][[i]], counts_and_bounds[1], confidence) for end in ends
            )
            low[i], high[i] = min(low[i], below[0][0]), max(high[i], above[1][0])
        return low, high

    def _by_label(self, variance: Variance, confidence: float) -> tuple[Floats, Floats] | None:
        """Limits of scores, the topics held fixed, put together from those of each bronze label; None where unknown."""
        quantile = quantiles_of(confidence, variance.df)
        halves, gold = (
            self.estimator.by_label(quantile),
            self.over_source(Contrasts.scores(len(variance.df)), self.labels),
        )
        if halves is None or gold is None:
            return None
        others = quantile**2 * np.maximum(variance.value - gold.value, 0.0)
        down, up = (np.sqrt(half**2 + others) for half in halves)
        return self.estimator.value - down, self.estimator.value + up

    def own_parts(self, contrasts: Contrasts, of: Callable[[Variance], Floats] = attrgetter("value")) -> Parts:
        """The variance that each source brings by itself; together they are all of it.

        of: takes from a variance its value, or what else is to be divided.
        """
        parts: Parts = {}
        for source in inside_first(self._holding):
            own = self._over_at_one_look(contrasts, source)
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


def joined_with_wilson(
    value: Floats,
    variance: Variance,
    labels: Floats,
    bounds: tuple[float, float],
    confidence: float,
    by_label: tuple[Floats, Floats] | None = None,
) -> tuple[Floats, Floats]:
    """Limits by t, kept within the bounds, and Wilson's, whichever is further out: near a bound t alone is too short.

    by_label: limits in place of those by t, as limits of each bronze label.

    Wilson's are those of a proportion from as many independent labels as would have this variance, p (1 - p)/V with
    half a label added to either side of p.

    Wilson 1927, JASA 22; effective sizes: Korn and Graubard 1998, Survey Methodology 24(2).

    >>> variance = Variance(np.array([0.01, 0.0001]), np.full(2, 9.0))
    >>> joined_with_wilson(np.array([0.5, 0.02]), variance, np.array([10.0, 100.0]), (0.0, 1.0), 0.95)[1].round(4)
    array([0.7262, 0.0525])
    """
    low, high = limits(value, variance, confidence) if by_label is None else by_label
    least, scale = bounds[0], bounds[1] - bounds[0]
    if not scale > 0:  # all that is known is one value
        return np.maximum(low, least), np.minimum(high, least)
    p = np.clip((value - least) / scale, 0.0, 1.0)
    shrunk = (p * labels + 0.5) / (labels + 1)
    size = np.divide(
        shrunk * (1 - shrunk) * scale**2, variance.value, out=np.full(len(p), np.inf), where=variance.value > 0
    )
    wide_low, wide_high = (
        least + scale * end for end in wilson_of_share(p, size, quantiles_of(confidence, variance.df))
    )
    return np.minimum(np.maximum(low, least), wide_low), np.maximum(np.minimum(high, bounds[1]), wide_high)
