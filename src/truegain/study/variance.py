"""All sources of variance of one measure together, nothing counted twice; and the table of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.measures.base import Measure
from truegain.message import argname
from truegain.sampling.assessors import ASSESSORS
from truegain.sampling.catalogue import LABELS, NESTED, POPULATIONS, SOURCES, apart
from truegain.sampling.jackknife import TopicSpread
from truegain.sampling.source import SourceName
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
from truegain.study.precision import at_every_look, earlier_looks

# ---- All sources of one measure together, nothing counted twice.

Parts = dict[SourceName, Floats]
SHARE_DRAWS = 2_000
SHARE_RANGE = 0.9
NOT_KNOWN = "not known"


class Share(NamedTuple):
    """The share of a source in a variance: the estimate, and the range that holds it in 9 of 10 studies."""

    value: float
    low: float
    high: float
    alone: bool = False  # of one source: all, by what it is

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
            return "all"
        low, high = 10 * math.floor(round(10 * self.low, 6)), 10 * math.ceil(round(10 * self.high, 6))
        low, high = min(low, 90), max(high, 10)
        if low <= 0 or high >= 100:
            return f"{below}{high}%" if high < 100 else f"{above}{low}%" if low > 0 else NOT_KNOWN
        return f"{low}-{high}%"

    def __repr__(self) -> str:
        return f"Share({self})"

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

    None where no source is known to have most.

    >>> little, half = Share(0.1, 0.0, 0.4), Share(0.4, 0.1, 0.8)
    >>> largest_of({"gold": Share(0.8, 0.63, 0.87), "topics": little})
    ('gold', True)
    >>> largest_of({"gold": Share(0.5, 0.2, 0.9), "topics": half}) is None
    True
    """
    by_source = dict(shares.items())
    top, *others = sorted(by_source, key=lambda s: -by_source[s].value)
    most = by_source[top]
    if most.low > min(0.5, max(by_source[s].high for s in others)):
        return top, True
    return (top, False) if most.value > 0.5 else None


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


@dataclass(frozen=True, eq=False)
class Collection:
    """How far each topic moves over other collections, all systems together."""

    spreads: Sequence[TopicSpread]
    lone: Lone

    def spread(self, asked: Contrasts) -> Variance:
        """The mean over topics, these held fixed (see `few.Pooled`): what `intervals` over the collection says too."""
        variance, freedom = pooled(self.spreads, asked, self.lone).total()
        if np.isnan(variance).any():
            raise TruegainError(
                "topics with one relevant document each do not show how scores vary between collections"
            )
        return Variance(variance / len(self.spreads) ** 2, np.maximum(freedom, 1.0))


@dataclass(frozen=True, eq=False, repr=False)
class VarianceModel:
    """What one measure's scores stand on, and every source that may move them.

    `over` names the population that is spoken of: topics, collection, assessors; gold, where there is some, always
    counts.  The collection and the gold pairs of a topic are nested in it, so the spread over topics holds theirs;
    assessors are crossed with topics, which hold what an assessor did on one topic, not what he does on all:

        V = V(topics) + [V(assessors) - V(assessor x topic cells)] T/(T - 1)
        topics held fixed: V = V(gold) + V(collection) + V(assessors), less V(assessor x document cells) where the
        collection, which holds them, counts, else less (A - r)/(r (A - 1)) of it: with one of A assessors left out
        the noise of a gain from r ratings is r (A - 1)/((r - 1) A) times what it is

    Cameron, Gelbach and Miller 2011, Journal of Business and Economic Statistics 29(2).
    """

    evidence: ScoreEstimator
    naive: ScoreEstimator
    over: frozenset[SourceName]
    make_collection: Callable[[], Collection] | None = None
    make_assessors: Callable[[], tuple[Influence, Influence]] | None = None
    make_replicates: Callable[[], Influence] | None = None
    make_documents: Callable[[], Influence] | None = None
    noise_twice: float = 0.0  # of the documents' share of assessors: what leaving one out counts too much
    looks: float | None = None  # the confidence at which limits shall hold at every look; None: at one look

    def __repr__(self) -> str:
        over = ", ".join(s for s in POPULATIONS if s in self.over) or "nothing but labels"
        return f"VarianceModel({len(self.evidence.value)} systems, over {over}; {type(self.evidence).__name__})"

    @property
    def labels(self) -> SourceName:
        """What labels that were sampled are called."""
        return self.evidence.about.source

    @property
    def exact(self) -> bool:
        """Whether all labels are gold and nothing else is spoken of."""
        return not self.over and self.evidence.about.exact

    @cached_property
    def collection(self) -> Collection | None:
        """Made when first asked for."""
        return None if self.make_collection is None else self.make_collection()

    @cached_property
    def assessors(self) -> tuple[Influence, Influence] | None:
        """Made when first asked for."""
        return None if self.make_assessors is None else self.make_assessors()

    @cached_property
    def replicates(self) -> Influence | None:
        """Made when first asked for."""
        return None if self.make_replicates is None else self.make_replicates()

    @cached_property
    def documents(self) -> Influence | None:
        """What assessors brought to single documents; made when first asked for."""
        return None if self.make_documents is None else self.make_documents()

    def alone(self, asked: Contrasts, source: SourceName) -> Variance | None:
        """The spread over one source with all others held fixed, but for what it holds; None where it is not known."""
        if source == "topics":
            return self.evidence.over_topics(asked) if self.looks is None else self._at_every_look(asked)
        if source in LABELS:
            return self._over_labels(asked) if source == self.labels else None
        if source == "assessors":
            return self._over_assessors(asked)
        if source == "replicates":
            return None if self.replicates is None else self.replicates.spread(asked)
        return None if self.collection is None else self.collection.spread(asked)

    def _over_assessors(self, asked: Contrasts) -> Variance | None:
        """Other assessors on these documents; noise of single documents is no more than the whole."""
        if self.assessors is None:
            return None
        spread = self.assessors[0].spread(asked)
        if self.documents is None:
            return spread
        noise = np.minimum(self.documents.spread(asked).variance, spread.variance)
        return Variance(spread.variance - self.noise_twice * noise, spread.df)

    def _over_labels(self, asked: Contrasts) -> Variance | None:
        return self.evidence.over_gold(asked) if self.looks is None else self._at_every_look(asked, topics=False)

    def _at_every_look(self, asked: Contrasts, topics: bool = True, evidence: ScoreEstimator | None = None) -> Variance:
        """Limits for all looks at a growing list together; `evidence` is that of an earlier look."""
        found = evidence or self.evidence
        gold, order = found.over_gold(asked), found.about.order
        assert self.looks is not None
        assert gold is not None
        assert order is not None
        over = found.over_topics(asked) if topics and "topics" in self.over else None
        return at_every_look(gold, over, order.information, self.looks)

    @cached_property
    def _before(self) -> list[ByList]:
        """What was known at earlier looks, where limits hold at all of them and labels are open."""
        assert isinstance(self.evidence, ByList)
        looks = [] if self.evidence.draws.whole and "topics" not in self.over else earlier_looks(self.evidence.draws.n)
        there = [n for n in looks if (self.evidence.turn < n).any()]
        return [self.evidence.first(n) for n in there]

    def difference_limits(
        self, asked: Contrasts, value: Floats, spread: Variance, confidence: float, topics: bool = True
    ) -> tuple[Floats, Floats]:
        """Value +- t(df) sqrt V; at every look, what lies within the limits of all looks so far: low > high if nothing.

        An earlier look counts from 10 labels that touch a difference on.  topics: as `spread` was made.
        """
        low, high = self._held_open(asked, limits(value, spread, confidence), spread, confidence, topics)
        if self.looks is None:
            return low, high
        for before in self._before:
            wide = self._at_every_look(asked, topics, before)
            known = (before.touching(asked) >= LEAST_GOLD) & (wide.variance > 0)
            then = limits(before.values(asked), wide, confidence)
            then = self._held_open(asked, then, wide, confidence, topics, before)
            low, high = np.where(known, np.maximum(low, then[0]), low), np.where(known, np.minimum(high, then[1]), high)
        return low, high

    def _held_open(
        self,
        asked: Contrasts,
        found: tuple[Floats, Floats],
        spread: Variance,
        confidence: float,
        topics: bool = True,
        evidence: ScoreEstimator | None = None,
    ) -> tuple[Floats, Floats]:
        """Limits with what people could not judge at its worst below, and at its best above: see `ByList.ends`."""
        low, high = found[0].copy(), found[1].copy()
        for i, *ends in self.ends(asked, spread, topics, evidence):
            low[i] = min(low[i], limits(*ends[0], confidence)[0][0])
            high[i] = max(high[i], limits(*ends[1], confidence)[1][0])
        return low, high

    def ends(
        self, asked: Contrasts, spread: Variance, topics: bool = True, evidence: ScoreEstimator | None = None
    ) -> Iterator[tuple[int, tuple[Floats, Variance], tuple[Floats, Variance]]]:
        """Value and spread, at worst and at best, of each contrast that a document moves which nobody could judge."""
        now = evidence or self.evidence
        for i in np.flatnonzero(now.stuck(asked)).tolist():
            assert isinstance(now, ByList)
            one, own = Contrasts(asked.a[[i]], asked.b[[i]]), Variance(spread.variance[[i]], spread.df[[i]])
            worst, best = ((end.value, self._at_end(now, end, one, own, topics)) for end in now.ends(asked, i))
            yield i, worst, best

    def _at_end(self, now: ByList, end: ByList, one: Contrasts, spread: Variance, topics: bool) -> Variance:
        """The spread of a contrast with what nobody could judge at an end: no less than it is."""
        score = Contrasts.scores(1)
        if self.looks is not None:
            return self._at_every_look(score, topics, end)
        over = "topics" in self.over
        before, then = (e.over_topics(c) if over else e.over_gold(c) for e, c in ((now, one), (end, score)))
        more = np.maximum(then.variance - before.variance, 0.0)
        return Variance(spread.variance + more, np.minimum(spread.df, then.df))

    def _crossed(
        self, asked: Contrasts, of: Callable[[Variance], Floats] = attrgetter("variance")
    ) -> tuple[Floats, Floats] | None:
        """What assessors add to the topics (topics held fixed, to the documents, where other collections count).

        (V(assessors) - V(cells)) T/(T - 1), as what an assessor does on all of T topics is in his cells with 1/T of its
        variance; it may come out below 0. Beside it the square of V(assessors) over its degrees of freedom: what makes
        it uncertain.
        """
        if "assessors" not in self.over or self.assessors is None:
            return None
        who, by_topic = self.assessors
        spread, met = who.spread(asked), ASSESSORS.meets(self.over)
        unsure = spread.variance**2 / spread.df
        if met == "topics":
            topics = len(by_topic.units) / len(who.units)
            return (of(spread) - of(by_topic.spread(asked))) * topics / (topics - 1), unsure
        if met != "collection" or self.documents is None:
            alone = self._over_assessors(asked)
            assert alone is not None
            return of(alone), alone.variance**2 / alone.df
        return of(spread) - of(self.documents.spread(asked)), unsure

    def spread(self, asked: Contrasts, confidence: float = 0.95) -> Variance:
        """Everything together, for limits of this confidence; never surer than over topics, or labels they hold.

        V(topics) is estimated, and so is what sampled labels bring by themselves: where topics hardly differ the first
        may come out below the second, and the wider of the two counts.  So it is where assessors seem to add less than
        nothing.  Other collections are in the topics, and add nothing to what these say.  Gold labels that tell the
        judge's rates alone do not widen differences, whose spread over topics holds them and covers as often as it says
        (`python -m benchmarks.coverage confusion`).  At every look, see `at_every_look`.
        """
        if self.looks is not None:
            return self._at_every_look(asked)
        whole = self._joined(asked)
        of_pairs = bool((asked.a != NONE).all())
        labels = () if self.evidence.by_rates and of_pairs and "topics" in self.over else LABELS
        spoken = (*labels, *(self.over - {"collection"} if "topics" in self.over else self.over))
        for source in ("topics", *NESTED):
            part = self.alone(asked, source) if source in spoken else None
            whole = whole if part is None else whole.or_wider(part, confidence)
        return whole

    def _joined(self, asked: Contrasts) -> Variance:
        crossed = self._crossed(asked)
        if "topics" in self.over:
            known: list[Variance | None] = [self.evidence.over_topics(asked)]
        else:
            known = [self.alone(asked, s) for s in apart(self.over)]
        parts = [part for part in known if part is not None]
        if not parts and crossed is None:
            raise TruegainError(
                "nothing here was sampled: for these topics only, with all labels known, the scores are exact; say "
                "what they should hold for, such as topics like these "
                f"({argname('population')})"
            )
        if crossed is None:
            return parts[0] if len(parts) == 1 else summed(parts)
        assert self.assessors is not None
        total = np.maximum(0.0, np.sum([crossed[0], *(p.variance for p in parts)], axis=0))
        below = np.sum([crossed[1], *(p.variance**2 / p.df for p in parts)], axis=0)
        df = np.divide(total**2, below, out=np.full(len(asked), np.inf), where=below > 0)
        fewest = np.min([np.full(len(asked), self.assessors[0].df), *(p.df for p in parts)], axis=0)
        return Variance(total, np.maximum(df, fewest))  # a sum is known no worse than the worst of its parts

    def by_wilson(self, bounds: tuple[float, float]) -> bool:
        """Whether limits of scores are Wilson's: of labels as they are, over topics, where scores have bounds."""
        return self.evidence.about.plain and "topics" in self.over and bool(np.isfinite(bounds).all())

    def score_limits(self, spread: Variance, bounds: tuple[float, float], confidence: float) -> tuple[Floats, Floats]:
        """Limits of the scores: Wilson's where scores have bounds; by gold labels, t joined with Wilson's.

        Over topics, labels as they are: Wilson's hold a mean more often than t, most of all near a bound, and are no
        wider (`python -m benchmarks.coverage topics`).
        """
        value, known = self.evidence.value, self.evidence.near_bounds()
        if self.by_wilson(bounds):
            topics = len(self.evidence.contributions())
            low, high, _ = wilson(value, np.sqrt(spread.variance), topics, bounds, confidence, spread.df)
            return low, high
        if known is None and "topics" in self.over and np.isfinite(bounds).all():
            topics = len(self.evidence.contributions())
            known = (np.full(len(value), float(topics)), bounds) if topics < FEW_TOPICS else None
        asked = Contrasts.scores(len(value))
        if known is None:
            low, high = self._held_open(asked, limits(value, spread, confidence), spread, confidence)
            return within(low, high, bounds)
        by_label = None if "topics" in self.over else self._by_label(spread, confidence)
        low, high = joined_with_wilson(value, spread, *known, confidence, by_label)
        for i, *ends in self.ends(asked, spread):
            below, above = (joined_with_wilson(*end, known[0][[i]], known[1], confidence) for end in ends)
            low[i], high[i] = min(low[i], below[0][0]), max(high[i], above[1][0])
        return low, high

    def _by_label(self, spread: Variance, confidence: float) -> tuple[Floats, Floats] | None:
        """Limits of scores, the topics held fixed, put together from those of each bronze label; None where unknown."""
        quantile = quantiles_of(confidence, spread.df)
        halves, gold = self.evidence.by_label(quantile), self._over_labels(Contrasts.scores(len(spread.df)))
        if halves is None or gold is None:
            return None
        others = quantile**2 * np.maximum(spread.variance - gold.variance, 0.0)
        down, up = (np.sqrt(half**2 + others) for half in halves)
        return self.evidence.value - down, self.evidence.value + up

    def own_parts(self, asked: Contrasts, of: Callable[[Variance], Floats] = attrgetter("variance")) -> Parts:
        """The variance that each source brings by itself; together they are all of it.

        of: the variances of a spread, or what else they may be.
        """
        parts: Parts = {}
        if (gold := self.evidence.over_gold(asked)) is not None:
            parts[self.labels] = of(gold)
        if "collection" in self.over and self.collection is not None:
            parts["collection"] = of(self.collection.spread(asked))
        if "replicates" in apart(self.over) and self.replicates is not None:
            parts["replicates"] = of(self.replicates.spread(asked))
        if "topics" in self.over:
            whole = of(self.evidence.over_topics(asked))
            nested = np.sum(list(parts.values()), axis=0) if parts else np.zeros(len(whole))
            shrink = np.divide(whole, nested, out=np.ones(len(whole)), where=nested > whole)  # no more than topics hold
            parts = {source: v * shrink for source, v in parts.items()}
            parts["topics"] = np.maximum(whole - nested, 0.0)
        if (crossed := self._crossed(asked, of)) is not None:
            parts["assessors"] = np.maximum(crossed[0], 0.0)
        return parts

    def shares(self, asked: Contrasts, seed: int = 0) -> dict[SourceName, Share]:
        """The share of each source in the variance of one contrast, the largest first; none where nothing moves it.

        A variance V of k degrees of freedom stands for V k/chi^2(k): drawn so, the middle 90% of the shares are their
        range, and hold the estimate.
        """
        parts = self.own_parts(asked)
        total = float(sum(v[0] for v in parts.values()))
        if total == 0:
            return {}
        rng = generator(seed, "shares")

        def drawn(spread: Variance) -> Floats:
            k = max(float(spread.df[0]), 1.0)
            times = k / rng.chisquare(k, SHARE_DRAWS) if np.isfinite(k) else np.ones(SHARE_DRAWS)
            return float(spread.variance[0]) * times

        maybe = self.own_parts(asked, drawn)
        whole = np.sum(list(maybe.values()), axis=0)
        tail = (1 - SHARE_RANGE) / 2
        found = {}
        for source in sorted(parts, key=lambda s: -parts[s][0]):
            share = float(parts[source][0]) / total
            low, high = np.quantile(maybe[source] / np.where(whole > 0, whole, 1.0), (tail, 1 - tail)).tolist()
            found[source] = Share(share, min(low, share), max(high, share), len(parts) == 1)
        return found


def limits(value: Floats, spread: Variance, confidence: float) -> tuple[Floats, Floats]:
    """Value +- t(df) sqrt V."""
    half = quantiles_of(confidence, spread.df) * np.sqrt(spread.variance)
    return value - half, value + half


def joined_with_wilson(
    value: Floats,
    spread: Variance,
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

    >>> spread = Variance(np.array([0.01, 0.0001]), np.full(2, 9.0))
    >>> joined_with_wilson(np.array([0.5, 0.02]), spread, np.array([10.0, 100.0]), (0.0, 1.0), 0.95)[1].round(4)
    array([0.7262, 0.0525])
    """
    low, high = limits(value, spread, confidence) if known is None else known
    least, scale = bounds[0], bounds[1] - bounds[0]
    p = np.clip((value - least) / scale, 0.0, 1.0)
    shrunk = (p * labels + 0.5) / (labels + 1)
    size = np.divide(
        shrunk * (1 - shrunk) * scale**2, spread.variance, out=np.full(len(p), np.inf), where=spread.variance > 0
    )
    wide_low, wide_high = (least + scale * end for end in wilson_of_share(p, size, quantiles_of(confidence, spread.df)))
    return np.minimum(np.maximum(low, least), wide_low), np.maximum(np.minimum(high, bounds[1]), wide_high)


# ---- What a verdict stands on: the difference over each source, and the units that pull it.

UNITS = {
    "topics": "Topics",
    "collection": "Documents",
    "gold": "Gold labels",
    "holes": "Sampled unjudged documents",
    "assessors": "Assessors",
}
TOGETHER = "all sources"
ALL_KNOWN = {"gold": "all labels are gold", "holes": "all documents are judged"}


@dataclass(frozen=True)
class Line:
    """The difference over one source alone, or over all asked for together."""

    source: str
    low: float | None
    high: float | None
    share: Share | None = None  # of the variance of all together
    why: str = ""  # where there is no interval
    asked: bool = True  # whether the verdict speaks of this source
    away: bool = False  # whether it is gold of other topics
    share_in: str = ""  # the source whose share holds this one's, where it has none of its own

    @property
    def survives(self) -> bool | None:
        """Whether zero lies outside; None where it is not known."""
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
    """How far a unit moves the difference, and what this would be without it, where all was fitted again."""

    unit: str
    move: float
    without: float | None

    @classmethod
    def most_of(cls, moves: Influence, asked: Contrasts, most: int = 5) -> tuple[InfluentialUnit, ...]:
        """The units of a source that move a difference most."""
        named, left = moves.decisive(asked, most), moves.left_without(asked, most)
        return tuple(cls(unit, move, x) for (unit, move), x in zip(named, left, strict=True))


def lines_of(
    lattice: VarianceModel, asked: Contrasts, m: Measure, shares: Mapping[SourceName, Share], whole: Comparison
) -> tuple[Line, ...]:
    """The interval over each source of which something can be said, asked for or not, and over all together."""
    value, found = lattice.evidence.values(asked), []
    for source in SOURCES:
        spoken_of = source in lattice.over or source in LABELS
        away = source == "gold" and lattice.evidence.about.away
        holds = next((s for s in SOURCES[source].nested_in if s in shares and s != "topics"), "")
        share_in = "" if not spoken_of or source in shares else holds
        spread = lattice.alone(asked, source) if spoken_of or source == "assessors" else None
        if spread is None:
            continue
        if not spread.variance[0] > 0:
            exact = source in LABELS and lattice.evidence.about.exact
            why = ALL_KNOWN[source] if exact else "no variation"
            found.append(Line(source, None, None, shares.get(source), why, spoken_of))
            continue
        if whole.low is None:
            found.append(Line(source, None, None, shares.get(source), "refused", spoken_of))
            continue
        met = lattice.difference_limits(asked, value, spread, whole.confidence, topics=source == "topics")
        low, high = within(*met, m.bounds(), value=value, differences=True)
        found.append(Line(source, float(low[0]), float(high[0]), shares.get(source), "", spoken_of, away, share_in))
    return (*found, Line(TOGETHER, whole.low, whole.high, None, "" if whole.low is not None else "refused"))


def pulls_of(
    lattice: VarianceModel, asked: Contrasts, documents: Influence | None, most: int = 5
) -> dict[str, tuple[InfluentialUnit, ...]]:
    """The units that pull a pair most, by source; `documents` are moves of these two systems alone."""
    people = lattice.assessors if "assessors" in lattice.over else None
    moves = [lattice.evidence.by_gold(), None if people is None else people[0]]
    found = {x.source: InfluentialUnit.most_of(x, asked, most) for x in moves if x is not None}
    if "topics" in lattice.over:
        found["topics"] = InfluentialUnit.most_of(lattice.evidence.topics_of(asked), Contrasts.scores(len(asked)), most)
    if documents is not None:
        found["collection"] = InfluentialUnit.most_of(documents, Contrasts.of([(0, 1)]), most)
    return {source: found[source] for source in UNITS if source in found}


def naive_line(lattice: VarianceModel, asked: Contrasts, confidence: float) -> Line:
    """Student's t over topics, the labels taken as they are."""
    low, high = limits(asked.values(lattice.naive.value), lattice.naive.over_topics(asked), confidence)
    name = "topics alone" if lattice.naive is lattice.evidence else "uncorrected"
    return Line(name, float(low[0]), float(high[0]))


def pulls_in_words(source: str, units: tuple[InfluentialUnit, ...]) -> str:
    """The most influential units: what the difference would be without each, or by how much each changes it."""
    refitted = all(pull.without is not None for pull in units)
    what = "difference without it" if refitted else "change in the difference"
    first, *rest = [(pull.unit, signed(pull.without if refitted else pull.move)) for pull in units]
    named = [f"{first[0]} ({what}: {first[1]})", *(f"{unit} ({number})" for unit, number in rest)]
    bronze = ", by the uncorrected labels" if source == "collection" and units[0].without is None else ""
    return f"Most influential {UNITS[source].lower()}{bronze}: {', '.join(named)}."


def signed(x: float | None) -> str:
    """Four digits with a sign; 0 is +0.0000, from whichever side.

    >>> signed(-0.00001), signed(-0.0123), unsigned(-0.00001)
    ('+0.0000', '-0.0123', '0.0000')
    """
    return "" if x is None else f"{round(x, 4) + 0.0:+.4f}"


def unsigned(x: float) -> str:
    """Four digits; 0 has no sign."""
    return f"{round(x, 4) + 0.0:.4f}"
