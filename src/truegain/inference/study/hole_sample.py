"""Labels of a random sample of the unjudged documents: what they say of the others, by measures linear in gain."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from truegain.config import Scoring
from truegain.contrasts import NONE, Contrasts
from truegain.errors import TruegainError, some
from truegain.gains.pair_fit import PairFit
from truegain.gains.sampled_pairs import SampledPairs
from truegain.inference.holes.filled import Filled
from truegain.inference.holes.sample import LEAST_SAMPLED, check_linear, looked_at
from truegain.inference.study.evidence import LEAST_GOLD, About, ByGoldPairs
from truegain.measures.base import Measure
from truegain.measures.linear import linear_parts
from truegain.message import SAMPLE_UNJUDGED, argname
from truegain.moves import Moves, Spread
from truegain.sampling.gold import GoldUnits
from truegain.sampling.topics import Topics
from truegain.tables.checks import warn
from truegain.tables.columns import Bools, Floats, Ints, frozen
from truegain.tables.judgments import Judgments
from truegain.tables.runs import Runs


@dataclass(frozen=True, eq=False)
class ByHoles(ByGoldPairs):
    """Judged documents as they are, and unjudged ones by a random sample of them; scores linear in gain.

    value = mean over topics of the judged documents' score + what `PairFit` makes of the holes, h of the sampled ones:

        (sum c m + (sum c) * (sum over sampled of c (h - m)) / (sum over sampled of c)) / T

    c what a hole counts in a list, m the mean of the sampled labels of other topics.  Saerndal, Swensson and Wretman
    1992, Model Assisted Survey Sampling, chapter 7.
    """

    judged: Floats  # system x topic, the score by the judged documents alone
    coefficients: Floats  # system x hole
    sampled: Bools  # of the holes

    @property
    def value(self) -> Floats:
        """The score of each system."""
        holes = self.fit.values(np.ones((1, len(self.topics))), lacking=0.0)[0]
        return np.asarray(self.judged.mean(axis=1) + holes)

    @property
    def about(self) -> About:
        """Sampled holes, of all."""
        return replace(super().about, source="holes")

    def by_topic(self) -> Moves:
        """Every topic left out once, the holes of the others predicted again."""
        judged, left_out = Topics.means_without(self.judged).T, Topics(self.topics).left_out()
        return Moves.left_out("topics", self.topics, judged + self.fit.values(left_out, lacking=0.0))

    def by_gold(self) -> Moves:
        """Load times residual of each sampled hole, times sqrt(1 - its chance to be drawn)."""
        found = super().by_gold()
        return Moves("holes", found.units, found.matrix, found.df)

    def over_topics(self, asked: Contrasts) -> Spread:
        """Over topics and the holes they hold; where no hole is left open, Student's t."""
        found = super().over_topics(asked)
        return Spread(found.variance, np.where(self._settled(asked), len(self.topics) - 1.0, found.df))

    def touching(self, asked: Contrasts) -> Ints:
        """Sampled holes that move each contrast; no fewer than are needed where none is left open."""
        return np.where(self._settled(asked), np.maximum(super().touching(asked), LEAST_GOLD), super().touching(asked))

    def by_label(self, quantile: Floats) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """Holes have no bronze label."""
        return None

    def contributions(self) -> Floats:
        """What each topic brings."""
        return np.asarray(self.judged.T + self.fit.by_topic())

    def _worth(self) -> Floats:
        """By judged documents, and what holes of other topics are worth."""
        return np.asarray(self.judged.T + super()._worth())

    def unmoved(self, asked: Contrasts) -> Bools:
        """Contrasts that no hole moves."""
        return np.asarray(asked.moved(self.coefficients.T, 0.0) == 0)

    def _settled(self, asked: Contrasts) -> Bools:
        """Contrasts that no unjudged hole moves: all of both lists were sampled, or both lists count all alike."""
        still = (self.coefficients[:, ~self.sampled] != 0).sum(axis=1)
        out = still[asked.b] + np.where(asked.a == NONE, 0, still[np.maximum(asked.a, 0)]) == 0
        for i in np.flatnonzero(~out & (asked.a != NONE)).tolist():
            out[i] = np.array_equal(self.coefficients[asked.a[i]], self.coefficients[asked.b[i]])
        return np.asarray(out)


@dataclass(frozen=True, eq=False)
class HoleSample:
    """Runs against a pool with their holes in it, and the labels of those that were sampled."""

    filled: Filled
    label: Floats  # per item of the pool, NaN where not sampled
    looked_at: Bools  # per item: a hole that some list has where the deepest measure looks

    @classmethod
    def of(cls, runs: Runs, labels: Judgments, sample: Judgments, measures: Sequence[Measure]) -> HoleSample:
        """Find the holes of all runs, and the sample among them; what is no hole is refused."""
        filled, open_ = with_holes(runs, labels, measures)
        return cls(filled, _labels(filled, open_, sample, _deepest(measures)), frozen(open_))

    @property
    def size(self) -> int:
        """Sampled holes."""
        return int((~np.isnan(self.label)).sum())

    @property
    def holes(self) -> int:
        """Unjudged documents that the sample was drawn from."""
        return int(self.looked_at.sum())

    def counts(self, m: Measure) -> tuple[int, int]:
        """Sampled holes and holes where a measure looks."""
        there = looked_at(self.filled, m)
        return int((there & ~np.isnan(self.label)).sum()), int(there.sum())

    def evidence(self, m: Measure) -> ByHoles:
        """What the scores of a measure stand on."""
        ranked, hole = self.filled.ranked, looked_at(self.filled, m)
        size, holes = self.counts(m)
        if size < LEAST_SAMPLED and size < holes:
            raise TruegainError(
                f"{labels_are(size)} of the {holes:,} unjudged documents that {m} looks at; at least {LEAST_SAMPLED} "
                "are needed: have more of them judged, drawn at random"
            )
        known, has = ranked.item_judged, hole & ~np.isnan(self.label)
        said = np.where(has, self.label, np.where(known, ranked.item_gain, 0.0))
        parts = linear_parts(m, said, int(ranked.rank.max(initial=1)))
        worth, counts = parts.worth(said), parts.coefficients(ranked)
        shape = len(ranked.systems), len(ranked.topics)
        at = np.arange(shape[0])[:, None] * shape[1] + ranked.pool.topic[known]
        scores = np.bincount(at.ravel(), (counts * worth)[:, known].ravel(), shape[0] * shape[1])
        judged = scores.reshape(shape).astype(np.float64)
        pairs = SampledPairs(
            ranked.pool.topic.astype(np.int64), np.zeros(len(said), np.int64), worth, np.where(has, worth, np.nan),
            np.where(has, holes / max(size, 1), 1.0), shape[1],
        )  # fmt: skip
        open_, gold = np.where(hole, counts, 0.0), GoldUnits.drawn(ranked.pool, has, pairs.expansion, holes)
        self._check_each(open_, has, m)
        return ByHoles(
            PairFit.of(pairs, open_), ranked.topics, gold, frozen(judged),
            frozen(open_[:, hole]), frozen(has[hole]),
        )  # fmt: skip

    def _check_each(self, counts: Floats, has: Bools, m: Measure) -> None:
        """Tell of systems of whose holes too few were sampled."""
        systems, own = self.filled.ranked.systems, (counts != 0).sum(axis=1)
        drawn = (counts[:, has] != 0).sum(axis=1)
        if few := [systems[s] for s in np.flatnonzero((drawn < own) & (drawn < LEAST_SAMPLED)).tolist()]:
            warn(f"{m}: fewer than {LEAST_SAMPLED} sampled documents stand for the other unjudged ones of {some(few)}; "
                 "these scores have no interval")  # fmt: skip


def with_holes(runs: Runs, labels: Judgments, measures: Sequence[Measure]) -> tuple[Filled, Bools]:
    """Runs against a pool with their holes in it, and which of its items are holes where the deepest measure looks."""
    for m in measures:
        check_linear(m)
    deepest = _deepest(measures)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # told when the runs were first read
        cutoff = getattr(deepest, "cutoff", None)
        filled = Filled.down_to(cutoff, runs, labels, deepest, Scoring(), unmatched="ignore")
    if filled.hole.all():
        raise TruegainError("no document is judged; a sample of the unjudged ones stands beside judged ones")
    open_ = looked_at(filled, deepest)
    if not open_.any():
        raise TruegainError(f"no document that {deepest} looks at is unjudged; leave {argname('unjudged_sample')} out")
    return filled, open_


def _deepest(measures: Sequence[Measure]) -> Measure:
    return max(measures, key=lambda m: getattr(m, "cutoff", None) or np.inf)


def _labels(filled: Filled, open_: Bools, sample: Judgments, m: Measure) -> Floats:
    """The label of each sampled item; what is no hole, has no label or stands twice is refused."""
    names = [f"{t} {d}" for t, d in zip(sample.topic.strings(), sample.docs.strings(), strict=True)]
    item = filled.ranked.pool.find(sample.topic, sample.docs)
    stray = np.flatnonzero((item < 0) | ~open_[np.maximum(item, 0)]).tolist()
    if stray:
        raise TruegainError(
            f"{argname('unjudged_sample')}: {len(stray)} of {len(names)} labels are not of unjudged documents that {m} "
            f"looks at in these runs ({some([names[i] for i in stray])}); draw them at random from these "
            f"{int(open_.sum()):,}, as {SAMPLE_UNJUDGED} does"
        )
    if none := [names[i] for i in np.flatnonzero(~(sample.label >= 0)).tolist()]:
        raise TruegainError(f"{argname('unjudged_sample')}: {some(none)} has a label below 0, which is none; judge it")
    if len(np.unique(item)) < len(item):
        twice = [names[i] for i in np.flatnonzero(np.bincount(item, minlength=1)[item] > 1).tolist()]
        raise TruegainError(
            f"{argname('unjudged_sample')}: {some(sorted(set(twice)))} is labelled more than once; give one label each"
        )
    if len(item) < LEAST_SAMPLED and len(item) < open_.sum():
        raise TruegainError(
            f"{argname('unjudged_sample')}: {labels_are(len(item))}; at least {LEAST_SAMPLED} are needed to speak of "
            f"{int(open_.sum()):,} unjudged documents"
        )
    out = np.full(len(open_), np.nan)
    out[item] = sample.label
    return frozen(out)


def labels_are(n: int) -> str:
    """How many labels there are, in words."""
    return "1 label is" if n == 1 else f"{n} labels are"
