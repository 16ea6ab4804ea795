"""Labels of a random sample of the unjudged documents, drawn evenly or in proportion: what they say of the others."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from truegain.config import Scoring
from truegain.data.judgments import Judgments
from truegain.data.label_lists import GoldList
from truegain.data.runs import Runs
from truegain.errors import InputError, TruegainError, some, warn
from truegain.io.columns import Bools, Floats, Ints, Places, frozen
from truegain.judge_error.pair_estimators import ListFit, PairFit, SampledPairs
from truegain.measures.base import Measure
from truegain.measures.label_weights import linear_parts
from truegain.message import SAMPLE_UNJUDGED, arg, argname
from truegain.pooling.pools import Filled
from truegain.pooling.samples import DESIGN, LEAST_SAMPLED, check_linear, looked_at
from truegain.sampling.gold import GoldUnits, OrderedDraws
from truegain.sampling.source import Topics
from truegain.stats.betting import Betting
from truegain.stats.contrasts import NONE, Contrasts, Influence, Variance
from truegain.study.estimators import LEAST_GOLD, NO_WEIGHT, ByGoldPairs, LabelFacts
from truegain.study.gold_lists import ByList, ListedPairs, items_of, worth_of


@dataclass(frozen=True, eq=False)
class ByUnjudgedSample(ByGoldPairs):
    """Judged documents as they are, and unjudged ones by a random sample of them; scores linear in gain.

    value = mean over topics of the judged documents' score + what `PairFit` makes of the unjudged documents, h of the
    sampled ones:

        (sum c m + (sum c) * (sum over sampled of c (h - m)) / (sum over sampled of c)) / T

    c what an unjudged document counts in a list, m the mean of the sampled labels of other topics.  Saerndal, Swensson
    and Wretman 1992, Model Assisted Survey Sampling, chapter 7.
    """

    judged: Floats  # system x topic, the score by the judged documents alone
    coefficients: Floats  # system x unjudged document
    sampled: Bools  # of the unjudged documents

    @property
    def value(self) -> Floats:
        """The score of each system."""
        unjudged = self.fit.values(np.ones((1, len(self.topics))), lacking=0.0)[0]
        return np.asarray(self.judged.mean(axis=1) + unjudged)

    @property
    def label_facts(self) -> LabelFacts:
        """Sampled unjudged documents, of all."""
        return replace(super().label_facts, source="unjudged")

    def by_topic(self) -> Influence:
        """Every topic left out once, the unjudged documents of the others predicted again."""
        judged, left_out = Topics.means_without(self.judged).T, Topics(self.topics).left_out()
        return Influence.left_out("topics", self.topics, judged + self.fit.values(left_out, lacking=0.0))

    def values_on(self, weights: Floats) -> Floats:
        """The judged documents, and the unjudged ones predicted again."""
        judged = weights @ self.judged.T / weights.sum(axis=1, keepdims=True)
        return np.asarray(judged + super().values_on(weights))

    def over_topics(self, contrasts: Contrasts) -> Variance:
        """Over topics and the unjudged documents they hold; where the sample leaves none open, Student's t."""
        variance = super().over_topics(contrasts)
        return Variance(variance.value, np.where(self._settled(contrasts), len(self.topics) - 1.0, variance.df))

    def labels_for_rule(self, contrasts: Contrasts) -> Ints:
        """Sampled unjudged documents that move each contrast; no fewer than are needed where none is left open."""
        return np.where(
            self._settled(contrasts),
            np.maximum(super().labels_for_rule(contrasts), LEAST_GOLD),
            super().labels_for_rule(contrasts),
        )

    def by_label(self, quantile: Floats) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """Unjudged documents have no bronze label."""
        return None

    def contributions(self) -> Floats:
        """What each topic brings."""
        return np.asarray(self.judged.T + self.fit.contributions())

    def _worth(self) -> Floats:
        """By judged documents, and what unjudged documents of other topics are worth."""
        return np.asarray(self.judged.T + super()._worth())

    def unmoved(self, contrasts: Contrasts) -> Bools:
        """Contrasts that no unjudged document moves."""
        return np.asarray(contrasts.moved(self.coefficients.T, 0.0) == 0)

    def _settled(self, contrasts: Contrasts) -> Bools:
        """Contrasts that no document outside the sample moves: both lists were sampled whole, or count all alike."""
        still = (self.coefficients[:, ~self.sampled] != 0).sum(axis=1)
        out = still[contrasts.b] + np.where(contrasts.a == NONE, 0, still[np.maximum(contrasts.a, 0)]) == 0
        for i in np.flatnonzero(~out & (contrasts.a != NONE)).tolist():
            out[i] = np.array_equal(self.coefficients[contrasts.a[i]], self.coefficients[contrasts.b[i]])
        return np.asarray(out)


@dataclass(frozen=True, eq=False)
class RandomUnjudgedSample:
    """Runs against a pool with their unjudged documents in it, and the labels of those that were sampled."""

    filled: Filled
    label: Floats  # per item of the pool, NaN where not sampled
    looked_at: Bools  # per item: an unjudged document that some list has where the deepest measure looks

    @classmethod
    def of(cls, runs: Runs, labels: Judgments, sample: Judgments, measures: Sequence[Measure]) -> RandomUnjudgedSample:
        """Find the unjudged documents of all runs, and the sample among them; judged ones are refused."""
        filled, open_ = fill_unjudged(runs, labels, measures)
        return cls(filled, _labels(filled, open_, sample, _deepest(measures)), frozen(open_))

    @property
    def size(self) -> int:
        """Sampled unjudged documents."""
        return int((~np.isnan(self.label)).sum())

    @property
    def unjudged(self) -> int:
        """Unjudged documents that the sample was drawn from."""
        return int(self.looked_at.sum())

    def counts(self, m: Measure) -> tuple[int, int]:
        """Sampled unjudged documents and unjudged documents where a measure looks."""
        there = looked_at(self.filled, m)
        return int((there & ~np.isnan(self.label)).sum()), int(there.sum())

    def estimator(self, m: Measure) -> ByUnjudgedSample:
        """What the scores of a measure stand on."""
        ranked, unjudged = self.filled.ranked, looked_at(self.filled, m)
        size, total = self.counts(m)
        if size < LEAST_SAMPLED and size < total:
            raise TruegainError(
                f"{labels_are(size)} of the {total:,} unjudged documents that {m} counts; at least {LEAST_SAMPLED} "
                "are needed: have more of them judged, sampled at random"
            )
        known, has = ranked.item_judged, unjudged & ~np.isnan(self.label)
        labels = np.where(has, self.label, np.where(known, ranked.item_gain, 0.0))
        parts = linear_parts(m, labels, int(ranked.rank.max(initial=1)))
        worth, counts = parts.worth(labels), parts.coefficients(ranked)
        shape = len(ranked.systems), len(ranked.topics)
        at = np.arange(shape[0])[:, None] * shape[1] + ranked.pool.topic[known]
        scores = np.bincount(at.ravel(), (counts * worth)[:, known].ravel(), shape[0] * shape[1])
        judged = scores.reshape(shape).astype(np.float64)
        pairs = SampledPairs(
            ranked.pool.topic.astype(np.int64), np.zeros(len(labels), np.int64), worth, np.where(has, worth, np.nan),
            np.where(has, total / max(size, 1), 1.0), shape[1],
        )  # fmt: skip
        open_, gold = np.where(unjudged, counts, 0.0), GoldUnits.drawn(ranked.pool, has, pairs.expansion, total)
        self._check_each(open_, has, m)
        return ByUnjudgedSample(
            PairFit.of(pairs, open_), ranked.topics, gold, frozen(judged),
            frozen(open_[:, unjudged]), frozen(has[unjudged]),
        )  # fmt: skip

    def _check_each(self, counts: Floats, has: Bools, m: Measure) -> None:
        """Tell of systems of whose unjudged documents too few were sampled."""
        systems, own = self.filled.ranked.systems, (counts != 0).sum(axis=1)
        drawn = (counts[:, has] != 0).sum(axis=1)
        if few := [systems[s] for s in np.flatnonzero((drawn < own) & (drawn < LEAST_SAMPLED)).tolist()]:
            warn(f"{m}: fewer than {LEAST_SAMPLED} sampled documents represent the other unjudged documents of "
                f"{some(few)}; these scores have no interval")  # fmt: skip


def fill_unjudged(runs: Runs, labels: Judgments, measures: Sequence[Measure]) -> tuple[Filled, Bools]:
    """Runs against a pool with their unjudged documents, and which of these the deepest measure looks at."""
    for m in measures:
        check_linear(m)
    deepest = _deepest(measures)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # told when the runs were first read
        cutoff = getattr(deepest, "cutoff", None)
        filled = Filled.down_to(cutoff, runs, labels, deepest, Scoring(), unmatched="ignore")
    if filled.unjudged.all():
        raise TruegainError("no document is judged; a sample of the unjudged documents needs judged ones too")
    open_ = looked_at(filled, deepest)
    if not open_.any():
        raise TruegainError(f"no document that {deepest} counts is unjudged; leave {argname('unjudged_sample')} out")
    return filled, open_


def _deepest(measures: Sequence[Measure]) -> Measure:
    return max(measures, key=lambda m: getattr(m, "cutoff", None) or np.inf)


def _labels(filled: Filled, open_: Bools, sample: Judgments, m: Measure) -> Floats:
    """The label of each sampled item; what is no unjudged document, has no label or stands twice is refused."""
    names = [f"{t} {d}" for t, d in zip(sample.topic.strings(), sample.docs.strings(), strict=True)]
    item = filled.ranked.pool.find(sample.topic, sample.docs)
    stray = np.flatnonzero((item < 0) | ~open_[np.maximum(item, 0)]).tolist()
    if stray:
        raise TruegainError(
            f"{argname('unjudged_sample')}: {len(stray)} of {len(names)} labels are not of unjudged documents that "
            f"{m} counts in these runs ({some([names[i] for i in stray])}); sample them at random from these "
            f"{int(open_.sum()):,}, as {SAMPLE_UNJUDGED} does"
        )
    if none := [names[i] for i in np.flatnonzero(~(sample.label >= 0)).tolist()]:
        raise TruegainError(
            f"{argname('unjudged_sample')}: {some(none)} has a label below 0, which means not judged; judge it"
        )
    if len(np.unique(item)) < len(item):
        twice = [names[i] for i in np.flatnonzero(np.bincount(item, minlength=1)[item] > 1).tolist()]
        raise TruegainError(
            f"{argname('unjudged_sample')}: {some(sorted(set(twice)))} is labeled more than once; give one label each"
        )
    if len(item) < LEAST_SAMPLED and len(item) < open_.sum():
        raise TruegainError(
            f"{argname('unjudged_sample')}: {labels_are(len(item))}; at least {LEAST_SAMPLED} are needed for "
            f"{int(open_.sum()):,} unjudged documents"
        )
    out = np.full(len(open_), np.nan)
    out[item] = sample.label
    return frozen(out)


def labels_are(n: int) -> str:
    """How many labels there are, in words."""
    return "1 label is" if n == 1 else f"{n} labels are"


# ---- By an ordered list.

STRATA = 10  # of predictions, each with as many documents


@dataclass(frozen=True, eq=False)
class ByUnjudgedList(ByList):
    """Judged documents as they are, all others by prediction, and what labels of the first of a list say against it.

        score = (judged documents + sum over unjudged documents of w m + sum over labeled ones of k w (g - m))/topics

    with m what labels of OTHER topics make of a prediction (`ListFit`, the tenths of the predictions its strata), k how
    many unjudged documents a labeled one stands for, by the chances with which they were drawn (`OrderedDraws`).  Rows
    that these lists do not have where the measure looks are passed over: the others stand in an order drawn from them
    alone.
    """

    judged: Floats  # topic x system, the score by the judged documents alone

    @property
    def label_facts(self) -> LabelFacts:
        """Judged rows, of the list."""
        return replace(super().label_facts, source="unjudged")

    @property
    def value(self) -> Floats:
        """The score of each system."""
        return np.asarray(self.contributions().mean(axis=0))

    def by_topic(self) -> Influence:
        """What each topic brings, about the mean."""
        z, n = self.contributions(), len(self.topics)
        return Influence("topics", self.topics, (z - z.mean(axis=0)) / np.sqrt(n * (n - 1)), n - 1.0)

    def labels_for_rule(self, contrasts: Contrasts) -> Ints:
        """Labeled documents that move each contrast; no fewer than are needed where no unjudged one does."""
        moving = super().labels_for_rule(contrasts)
        return np.where(self.unmoved(contrasts), np.maximum(moving, LEAST_GOLD), moving)

    def game(self, contrasts: Contrasts) -> Betting | None:  # noqa: ARG002
        """None: what is listed is added to what judgments say, for which no bets are made."""
        return None

    def _at(self, a: int, b: int, weight: Floats, end: Floats) -> ByList:
        estimator = super()._at(a, b, weight, end)
        assert isinstance(estimator, ByUnjudgedList)
        return replace(
            estimator, judged=frozen((self.judged[:, b] - (self.judged[:, a] if a != NONE else 0.0))[:, None])
        )

    def unmoved(self, contrasts: Contrasts) -> Bools:
        """Contrasts that no unjudged document moves."""
        return np.asarray(contrasts.moved(self.listed.coefficient.T, NO_WEIGHT) == 0)

    def contributions(self) -> Floats:
        """What each topic brings."""
        return self._brought

    @cached_property
    def _brought(self) -> Floats:
        return frozen(self.judged + self.fit.contributions)


@dataclass(frozen=True, eq=False)
class UnjudgedList:
    """Runs against a pool with their unjudged documents, and a list of these whose first rows have labels."""

    filled: Filled
    rows: GoldList
    item: Ints  # of each row, -1 where its topic, or its runs, are left out
    looked_at: Bools  # per item: an unjudged document that some list has where the deepest measure looks

    @classmethod
    def of(cls, runs: Runs, labels: Judgments, rows: GoldList, measures: Sequence[Measure]) -> UnjudgedList:
        """Find the unjudged documents of all runs, and the rows among them; a list of other documents is refused."""
        if rows.design != DESIGN:
            raise InputError(
                f"this is a list of gold labels ({rows.design}), sampled from labeled documents", file=rows.source,
                hint=f"give it as {arg('gold')}, or sample unjudged documents ({SAMPLE_UNJUDGED})",
            )  # fmt: skip
        rows.judgments()  # or an error: none has a label
        filled, open_ = fill_unjudged(runs, labels, measures)
        item = items_of(rows, filled.ranked.pool)
        _check_rows(filled, rows, item)
        return cls(filled, rows, item, frozen(open_))

    @property
    def size(self) -> int:
        """Labeled unjudged documents of these lists."""
        there = self.item[: self.rows.judged]
        return int(self.looked_at[there[there >= 0]].sum())

    @property
    def unjudged(self) -> int:
        """Unjudged documents of these lists that the sample was drawn from: those on the list, judged or not."""
        return int(self.looked_at[self.item[self.item >= 0]].sum())

    def estimator(self, m: Measure) -> ByUnjudgedList:
        """What the scores of a measure stand on."""
        ranked, rows, topics = self.filled.ranked, self.rows, len(self.filled.ranked.topics)
        known, open_ = ranked.item_judged, np.flatnonzero(looked_at(self.filled, m))
        said = np.where(known, ranked.item_gain, 0.0)
        labels = np.concatenate([said, rows.label[rows.labeled], np.array(rows.scale)])
        parts = linear_parts(m, labels, int(ranked.rank.max(initial=1)))
        counts, topic = parts.coefficients(ranked), ranked.pool.topic.astype(np.int64)
        judged = np.zeros((topics, len(ranked.systems)))
        np.add.at(judged, topic[known], (counts[:, known] * parts.worth(said[known])).T)
        place = np.full(len(topic) + 1, -1)  # of an item among the unjudged documents that count; the last is for none
        place[open_] = np.arange(len(open_))
        turn = np.flatnonzero(place[self.item] >= 0)  # rows that count
        index, n = place[self.item[turn]], int((turn < rows.judged).sum())
        sizes, stratum = np.zeros(len(open_)), np.zeros(len(open_), np.int64)
        sizes[index], stratum[index] = rows.size[turn], tenths_of(rows.bronze)[turn]
        ends = parts.worth(np.array(rows.scale))
        scale = (float(ends.min()), float(ends.max()))
        coefficient = frozen(np.ascontiguousarray(counts[:, open_]))
        listed = ListedPairs(index, frozen(sizes), float(sizes.sum()), topics, coefficient, scale)
        self._check_runs(listed, open_, m)
        if n < min(LEAST_SAMPLED, len(turn)):
            raise TruegainError(
                f"{argname('unjudged_sample')}: {labels_are(n)} of the {len(turn):,} unjudged documents that {m} "
                f"counts in these lists; at least {LEAST_SAMPLED} are needed: judge the next rows of {rows.source}"
            )
        draws, first = OrderedDraws(rows.size[turn], n), turn[:n]
        worths = worth_of(parts, rows.label[first])
        fit = ListFit(topic[open_], stratum, topics, coefficient, index[:n], worths, draws.expansion, scale)
        names = tuple(f"{rows.topics[i]} {rows.docs[i]}" for i in first.tolist())
        return ByUnjudgedList(fit, draws, np.arange(n), listed, ranked.topics, names, frozen(judged))

    def _check_runs(self, listed: ListedPairs, open_: Ints, m: Measure) -> None:
        """Refuse a list that tells no score and no difference of these systems."""
        ranked, n = self.filled.ranked, len(self.filled.ranked.systems)
        if listed.sizes.all():
            return
        lacking = [listed.unlisted(Contrasts.scores(n)), listed.unlisted(Contrasts.all_pairs(n))]
        fewest = min(int(x.min()) for x in lacking if len(x))
        if not fewest:
            return
        at = int(open_[listed.sizes == 0][0])
        raise InputError(
            f"this sample is for other runs, other judgments or another measure ({self.rows.measure}): {fewest:,} or "
            f"more unjudged documents that {m} counts are not on it, such as topic "
            f"{ranked.topics[ranked.pool.topic[at]]}, document {ranked.pool.docs[at]}", file=self.rows.source,
            hint=f"give the runs, judgments and measure it was sampled for, or draw one for these ({SAMPLE_UNJUDGED})",
        )  # fmt: skip


def tenths_of(predicted: Floats) -> Ints:
    """Tenths of the predictions of all rows; equal predictions stand together.

    >>> tenths_of(np.array([0.9, 0.1, 0.1, 0.1, 0.5])).tolist()
    [2, 0, 0, 0, 1]
    """
    cuts = np.quantile(predicted, np.arange(1, STRATA) / STRATA, method="inverted_cdf")
    return np.unique(np.searchsorted(cuts, predicted), return_inverse=True)[1]


def _check_rows(filled: Filled, rows: GoldList, item: Ints) -> None:
    """Refuse a list with documents that were judged otherwise."""
    known = np.flatnonzero((item >= 0) & ~filled.unjudged[np.maximum(item, 0)])
    if not len(known):
        return
    row = int(known[0])
    place: dict[str, Any] = (rows.places or Places.rows(len(rows))).of(row)
    raise InputError(
        f"order {row + 1} (topic {rows.topics[row]}, document {rows.docs[row]}) of the sample has a label in the "
        f"judgments: it was sampled for others ({len(known):,} such rows)", file=rows.source, **place,
        hint="give the judgments it was sampled from; labels of the sample belong in its own column",
    )  # fmt: skip
