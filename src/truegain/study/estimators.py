"""Estimators of system scores, by the labels as they are or corrected with gold labels, and their influence values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from truegain.io.columns import Bools, Floats, Ints
from truegain.judge_error.fits import LEAST_OWN
from truegain.judge_error.intervals import guarded_difference
from truegain.judge_error.judge import Judge
from truegain.judge_error.pair_estimators import PairFit
from truegain.judge_error.topic_estimators import MatrixFit, TopicFit
from truegain.sampling.gold import GoldUnits, OrderedDraws
from truegain.sampling.source import SourceName, Topics
from truegain.stats.contrasts import BLOCK, NONE, Contrasts, Influence, Variance, summed
from truegain.stats.student_t import tails

LEAST_TOPICS = 3
LEAST_GOLD = 10  # fewest gold labels for a score or difference that these correct directly, not by error rates
FEW_TOPICS = 10  # topics below which intervals over them depend on how the scores are distributed
BY_ITSELF = (
    "Each difference is corrected by itself, by how well the judge's labels predict it, so it may differ from the "
    "difference of the two scores."
)
LEAST_FREEDOM = 4  # which part of the degrees of freedom tails leave at least
NO_WEIGHT = 1e-15  # what a document counts in a contrast, below which it does not move it


@dataclass(frozen=True)
class LabelFacts:
    """What is known of the labels behind scores."""

    source: SourceName = "gold"  # what those that were sampled are called
    counts: tuple[int, int] = (
        0,
        0,
    )  # gold labels, gold topics or sampled unjudged documents, and how many they were drawn from
    plain: bool = False  # whether labels are taken as they are
    exact: bool = False  # whether all of them are gold
    of_other_topics: bool = False  # whether gold labels are of other topics
    order: OrderedDraws | None = None  # in which gold labels of a list were drawn
    name: str = ""  # of what the scores stand for, where they are not the measure itself
    note: str = ""  # the same in words
    difference_note: str = ""  # that a difference is not that of the two scores, in words


def freedom_by_tails(df: Floats, pull: Floats) -> Floats:
    """Degrees of freedom where a few large errors may carry the variance: by the kurtosis, at least a quarter of df.

    The quarter is a compromise: with a judge that is rarely wrong, the kurtosis alone makes intervals far too wide, and
    df alone makes them too narrow.

    >>> [freedom_by_tails(np.array([8.0]), x[:, None]).round(1).tolist() for x in (np.ones(9), np.eye(9)[0])]
    [[8.0], [2.2]]
    """
    return np.minimum(df, np.maximum(tails(pull), df / LEAST_FREEDOM))


class ScoreEstimator(ABC):
    """Scores of all systems on one measure, and what they would be with other units of each kind."""

    NAME: ClassVar[str] = ""  # of the correction
    least_gold: ClassVar[int] = LEAST_GOLD  # gold labels that a score or a difference must stand on
    by_rates: ClassVar[bool] = False  # whether gold labels tell how often the judge errs, and no more

    @property
    @abstractmethod
    def value(self) -> Floats:
        """The score of each system."""

    def values(self, contrasts: Contrasts) -> Floats:
        """Each score or difference; a difference is that of the two scores, unless it is set right by itself."""
        return contrasts.values(self.value)

    @abstractmethod
    def over_topics(self, contrasts: Contrasts) -> Variance:
        """With other topics, and all that each topic holds."""

    @abstractmethod
    def by_topic(self) -> Influence:
        """How far each topic moves the scores."""

    def topics_of(self, contrasts: Contrasts) -> Influence:
        """How far each topic moves contrasts, a column each."""
        return self.by_topic().of(contrasts)

    def values_on(self, weights: Floats) -> Floats | None:  # noqa: ARG002
        """The scores for every row of topic weights, all fitted again; None where they are not fitted by weights."""
        return None

    @abstractmethod
    def contributions(self) -> Floats:
        """Topic x system: what each topic brings to the scores, whose mean it is."""

    def over_gold(self, contrasts: Contrasts) -> Variance | None:  # noqa: ARG002
        """With other gold labels, the topics held fixed; None where there are none."""
        return None

    def by_gold(self) -> Influence | None:
        """How far each gold label moves the scores; None where they come by topics, or there are none."""
        return None

    def labels_for_rule(self, contrasts: Contrasts) -> Ints | None:  # noqa: ARG002
        """The count held against `least_gold`; raised to it where every label is gold, as none is missing then."""
        return None

    def label_count(self, contrasts: Contrasts) -> Ints | None:
        """How many gold labels affect each contrast; None where that is not known."""
        return self.labels_for_rule(contrasts)

    def near_bounds(self) -> tuple[Floats, tuple[float, float]] | None:
        """How many labels, or topics, each score stands on, and its bounds, where Student's t does not serve."""
        return None

    def score_ranges(self) -> Floats | None:
        """System x 2: the lowest and the highest score that each can have; None where only the measure tells."""
        return None

    def by_label(self, quantile: Floats) -> tuple[Floats, Floats] | None:  # noqa: ARG002
        """How far each score may lie above and below the truth by limits of each bronze label; None where unknown."""
        return None

    def were_all_gold(self, contrasts: Contrasts) -> Floats | None:  # noqa: ARG002
        """The variance over topics that would stay were all labels gold; None where bronze scores must tell.

        A least value, but for whole gold topics, which know it.
        """
        return None

    def widened(
        self,
        contrasts: Contrasts,  # noqa: ARG002
        low: Floats,
        high: Floats,
        quantiles: Floats,  # noqa: ARG002
    ) -> tuple[Floats, Floats]:
        """Limits of differences, wider where Student's t is known to be too short."""
        return low, high

    @property
    def label_facts(self) -> LabelFacts:
        """What is known of the labels."""
        return LabelFacts()

    def unlisted(self, contrasts: Contrasts) -> Ints | None:  # noqa: ARG002
        """Documents that move each contrast and that a list of gold labels leaves out; None where there is no list."""
        return None

    def stuck(self, contrasts: Contrasts) -> Ints:
        """Documents that move each contrast and that people could not judge, of a list of gold labels."""
        return np.zeros(len(contrasts), np.int64)

    def unmoved(self, contrasts: Contrasts) -> Bools:
        """Contrasts that no unjudged document moves, where a sample of the unjudged documents sets scores right."""
        return np.zeros(len(contrasts), np.bool_)

    def still_open(self, contrasts: Contrasts) -> Ints | None:  # noqa: ARG002
        """Those of a list that move each contrast and have no gold label yet; None where there is no list."""
        return None


@dataclass(frozen=True, eq=False)
class Plain(ScoreEstimator):
    """Labels as they are: the score of a system is the mean over topics, a row a system."""

    scores: Floats
    topics: tuple[str, ...]

    @property
    def value(self) -> Floats:
        """The mean of each system."""
        return np.asarray(self.scores.mean(axis=1))

    @property
    def label_facts(self) -> LabelFacts:
        """Labels as they are."""
        return LabelFacts(plain=True)

    def by_topic(self) -> Influence:
        """(x_t - mean)/sqrt(n (n - 1)): the paired t test of any contrast."""
        return Influence.left_out("topics", self.topics, Topics.means_without(self.scores).T)

    def over_topics(self, contrasts: Contrasts) -> Variance:
        """Student's t over topics."""
        return self.by_topic().variance(contrasts)

    def values_on(self, weights: Floats) -> Floats:
        """The weighted means."""
        return np.asarray(weights @ self.scores.T / weights.sum(axis=1, keepdims=True))

    def contributions(self) -> Floats:
        """The scores."""
        return self.scores.T


@dataclass(frozen=True, eq=False)
class ByGoldPairs(ScoreEstimator):
    """Scores linear in gain, set right with gold labels of some pairs of the pool.

    A system without a gold label of its own has its bronze labels calibrated on gold labels of other systems, and
    nothing is claimed of it.
    """

    fit: PairFit
    topics: tuple[str, ...]
    gold: GoldUnits

    NAME: ClassVar[str] = "rectified by gold pairs, calibrated"

    @property
    def value(self) -> Floats:
        """The rectified score of each system."""
        return np.asarray(self.fit.values(np.ones((1, len(self.topics))), lacking=0.0)[0])

    @property
    def label_facts(self) -> LabelFacts:
        """Gold pairs, of the pool; all are gold where every one was sure to be drawn."""
        return LabelFacts(counts=(self.gold.pairs, self.gold.of), exact=not self.fit.unseen.any())

    def alone(self) -> ByGoldPairs:
        """The same by gold pairs alone."""
        return ByGoldPairs(self.fit.alone(), self.topics, self.gold)

    def by_topic(self) -> Influence:
        """Every topic left out once, the correction fitted again, but for the line and the bounds of strata.

        Where whole answers were drawn, few topics have one of a system, and without one of them what the others stand
        for grows: intervals would hold in .98-.99 of studies.  There, what each topic brings, with the share of a
        system's answers that were drawn as it is.
        """
        without = self.fit.without_each(lacking=0.0)
        if self.gold.unit is None or not self.fit.predicts:
            return Influence.left_out("topics", self.topics, without)
        brought, n = self.fit.contributions(), len(self.topics)
        moves = (brought - brought.mean(axis=0)) / np.sqrt(n * (n - 1))
        return Influence("topics", self.topics, moves, n - 1.0, without)

    def values_on(self, weights: Floats) -> Floats:
        """The correction fitted again."""
        return self.fit.values(weights, lacking=0.0)

    def by_gold(self) -> Influence:
        """Load times residual of each gold pair, times sqrt(1 - its chance); of pairs drawn as one, their sum."""
        matrix = self.fit.load * self.fit.residuals() * np.sqrt(self.fit.unseen)[:, None] / len(self.topics)
        moves = self.gold.sums(matrix)
        return Influence(self.label_facts.source, self.gold.units, moves, max(1.0, len(moves) - 1.0))

    def over_gold(self, contrasts: Contrasts) -> Variance:
        """The moves of the gold pairs, no less than what the spread within bronze labels makes of so few.

        Where values of answers have their own spread, a few large errors carry it: freedom by their tails.
        """
        n = contrasts.moved(self.gold.sums(self.fit.coefficient.T), NO_WEIGHT)
        matrix = self.by_gold().matrix
        seen, df = contrasts.squares(matrix) * n / np.maximum(n - 1, 1), np.maximum(n - 1.0, 1.0)
        if self.fit.pairs.are_values:
            df = freedom_by_tails(df, contrasts.values(matrix))
        return Variance(np.maximum(seen, self._least(contrasts)), df)

    def over_topics(self, contrasts: Contrasts) -> Variance:
        """The variance over topics, raised where few gold pairs agree by chance (see `PairFit.by_chance`).

        Degrees of freedom: T - 1, fewer where few topics carry the variance (2 T/(kurtosis - 1)).
        """
        moves = self.by_topic()
        pull = contrasts.values(moves.matrix)
        variance = (pull**2).sum(axis=0)
        gold = self.by_gold()
        seen = contrasts.squares(gold.matrix)
        variance_all = variance + np.maximum(0.0, self._least(contrasts) - seen)
        if self.gold.unit is not None and self.fit.predicts:
            return Variance(variance_all, np.full(len(contrasts), moves.df))
        return Variance(variance_all, np.minimum(moves.df, tails(pull)))

    def were_all_gold(self, contrasts: Contrasts) -> Floats:
        """V over topics of what bronze labels are worth, and what gold values add within bronze labels.

        The second part is V(gold) times sum (l r)^2/e over sum (l r)^2 (1 - 1/e), l the load of a gold pair, r its
        residual, e its expansion: f/(1 - f) where a share f of all pairs was drawn.  What a judge misses of a topic as
        a whole is not in it, so it is a least value.
        """
        drawn, seen = 1 / self.gold.expansion, self.by_gold().matrix
        unseen = np.maximum(0.0, 1 - drawn)[:, None]
        per_chance = np.divide(seen, np.sqrt(unseen), out=np.zeros(seen.shape), where=unseen > 0)
        left, open_ = contrasts.squares(per_chance * np.sqrt(drawn)[:, None]), contrasts.squares(seen)
        share = np.divide(left, open_, out=np.zeros(len(contrasts)), where=open_ > 0)
        worth, n = self._worth(), len(self.topics)
        topics = contrasts.squares((worth - worth.mean(axis=0)) / np.sqrt(n * (n - 1)))
        return np.asarray(topics + share * self.over_gold(contrasts).value)

    def labels_for_rule(self, contrasts: Contrasts) -> Ints:
        """Gold pairs whose document itself moves each contrast; no fewer than are needed where all pairs are gold.

        Where none is left to be labeled, the judge does not count, and few of them leave no more open than their topics
        show.
        """
        counts = self.label_count(contrasts)
        return np.maximum(counts, self.least_gold) if self.label_facts.exact else counts

    def label_count(self, contrasts: Contrasts) -> Ints:
        """Gold pairs with c(b) - c(a) not 0.

        Not those with a load: calibration leaves a little on documents that both systems rank alike.
        """
        return contrasts.moved(self.fit.coefficient.T, NO_WEIGHT)

    def near_bounds(self) -> tuple[Floats, tuple[float, float]] | None:
        """The gold pairs behind each score."""
        if not np.isfinite(np.subtract(*self.fit.bounds)):
            return None
        return self.label_count(Contrasts.scores(len(self.fit.whole))).astype(np.float64), self.fit.bounds

    def by_label(self, quantile: Floats) -> tuple[Floats, Floats] | None:
        """Wilson's limits of each bronze label put together: see `PairFit.by_stratum`."""
        return self.fit.by_stratum(quantile)

    def contributions(self) -> Floats:
        """What each topic brings."""
        return self.fit.contributions()

    def _worth(self) -> Floats:
        """Topic x system: scores by what bronze labels are worth."""
        return self.fit.predicted().T

    def _least(self, contrasts: Contrasts) -> Floats:
        out = np.empty(len(contrasts))
        for first in range(0, len(contrasts), BLOCK):
            out[first : first + BLOCK] = self.fit.by_chance(contrasts.part(first, first + BLOCK).values(self.fit.load))
        return out


@dataclass(frozen=True, eq=False)
class ByGoldTopics(ScoreEstimator):
    """Scores of any measure, set right with topics that are gold-judged as a whole; a difference by itself.

    What is asked of systems one by one, such as how far assessors move them, is told of their scores.
    """

    fit: TopicFit
    topics: tuple[str, ...]

    NAME: ClassVar[str] = "rectified by gold topics"

    @cached_property
    def _scores(self) -> Contrasts:
        return Contrasts.scores(len(self.fit.bronze))

    @property
    def value(self) -> Floats:
        """The rectified score of each system."""
        return self.fit.values(self._scores)

    def values(self, contrasts: Contrasts) -> Floats:
        """Each rectified by itself."""
        return self.fit.values(contrasts)

    @property
    def label_facts(self) -> LabelFacts:
        """Gold topics, of all; where these are gold themselves scores are exact for them."""
        by_itself = BY_ITSELF if self.fit.share and self.fit.uses else ""
        return LabelFacts(counts=(self.fit.n, len(self.topics)), exact=not self.fit.share, difference_note=by_itself)

    def alone(self) -> ByGoldTopics:
        """The same by gold topics alone."""
        return ByGoldTopics(self.fit.alone(), self.topics)

    def by_topic(self) -> Influence:
        """By its gold score, or by its bronze score among those without."""
        return self.topics_of(self._scores)

    def topics_of(self, contrasts: Contrasts) -> Influence:
        """The same of each contrast, rectified by itself."""
        return Influence("topics", self.topics, self.fit.moves(contrasts), self.fit.n - 1.0)

    def near_bounds(self) -> tuple[Floats, tuple[float, float]] | None:
        """The gold topics behind each score."""
        if not (self.fit.share and np.isfinite(np.subtract(*self.fit.bounds))):
            return None
        return np.full(len(self.fit.bronze), float(self.fit.n)), self.fit.bounds

    def contributions(self) -> Floats:
        """What each topic brings."""
        return self.fit.contributions(self._scores)

    def over_topics(self, contrasts: Contrasts) -> Variance:
        """Gold part and bronze part."""
        return self.fit.over_topics(contrasts)

    def over_gold(self, contrasts: Contrasts) -> Variance:
        """These topics only."""
        return self.fit.over_gold(contrasts)

    def were_all_gold(self, contrasts: Contrasts) -> Floats:
        """The spread of the gold scores."""
        return self.fit.were_all_gold(contrasts)


@dataclass(frozen=True, eq=False)
class ByMatrices(ScoreEstimator):
    """Scores linear in gain, corrected with the judge's confusion matrices; rates stand on all gold pairs.

    Attributes
    ----------
    fit : MatrixFit
        The matrices and what each bronze label counts.
    pairs : int
        Gold pairs behind the matrices.
    systems : tuple of str
        Their names.
    ranges : ndarray
        System x 2: the lowest and the highest score that each can have.
    clusters : bool
        Topics are the clusters; else gold pairs are independent.
    shared : bool
        One gold sample stands behind both systems of a difference; else each has its own, and the variances of the
        two scores add up (Goldberg et al. 2018, eq. 10).
    common : Judge, optional
        The one judge behind all systems, where differences are widened if it is hardly better than chance.
    own : bool
        Whether the judge was measured for each system on what it retrieved.
    """

    fit: MatrixFit
    pairs: int
    systems: tuple[str, ...]
    ranges: Floats
    clusters: bool = True
    shared: bool = True
    common: Judge | None = None
    own: bool = True

    NAME: ClassVar[str] = "confusion matrix inverted"
    least_gold: ClassVar[int] = LEAST_OWN
    by_rates: ClassVar[bool] = True

    @property
    def value(self) -> Floats:
        """The corrected mean of each system."""
        return self.fit.value

    @property
    def label_facts(self) -> LabelFacts:
        """Gold pairs, of no known number."""
        return LabelFacts(counts=(self.pairs, 0), of_other_topics=not self.fit.same_topics)

    def gold_counts(self) -> Ints | None:
        """Gold pairs by which the judge of each system was measured; None where only counts are known."""
        if any(m.pairs is None for of in self.fit.matrices for m in of):
            return None
        return np.asarray((self.fit.gold_rows.weight > 0).sum(axis=0), np.int64)

    def score_ranges(self) -> Floats:
        """As much as the judged part of its lists allows."""
        return self.ranges

    def labels_for_rule(self, contrasts: Contrasts) -> Ints | None:
        """Gold pairs of what a system retrieved, on which its judge was measured; of a pair, of the one with fewer.

        None where gold is of other topics, or only counts are known.
        """
        counts = self.gold_counts() if self.own else None
        if counts is None:
            return None
        first, second = contrasts.ends(counts.astype(np.float64))
        return np.asarray(np.where(contrasts.a == NONE, first, np.minimum(first, second)), np.int64)

    def widened(self, contrasts: Contrasts, low: Floats, high: Floats, quantiles: Floats) -> tuple[Floats, Floats]:
        """Differences, widened where the one judge behind both systems is hardly better than chance.

        A D = mR + mN - 1 that passed as above 0 by luck is too large, and without this limits of a difference hold it
        in 90% of studies (mR .65, mN .60, 100 gold labels of other topics).
        """
        if self.common is None:
            return low, high
        rates, low, high = self.common.rates(), low.copy(), high.copy()
        by_topic, change = contrasts.squares(self.fit.by_topic().matrix), contrasts.values(self.value)
        for i in np.flatnonzero((self.ranges[contrasts.b, 1] > 0) & (by_topic > 0)).tolist():
            scale = float(self.ranges[contrasts.b[i], 1])
            d = self.common.informedness / scale
            guarded = guarded_difference(float(change[i]) * d, float(by_topic[i]) * d**2, rates, float(quantiles[i]))
            if guarded is not None:
                low[i], high[i] = min(low[i], guarded[0] * scale), max(high[i], guarded[1] * scale)
        return low, high

    def by_topic(self) -> Influence:
        """The judge's rates as they are."""
        return self.fit.by_topic()

    def by_gold(self) -> Influence | None:
        """By gold topics."""
        return self.fit.by_gold()

    def over_topics(self, contrasts: Contrasts) -> Variance:
        """Topics and gold together."""
        if self.shared or (contrasts.a == NONE).all():
            return self.fit.over_topics(contrasts, clusters=self.clusters)
        scores = self.fit.over_topics(Contrasts.scores(len(self.fit.weight)), clusters=self.clusters)
        return summed([Variance(scores.value[of], scores.df[of]) for of in (contrasts.a, contrasts.b)])

    def over_gold(self, contrasts: Contrasts) -> Variance:
        """Over gold topics, or pairs."""
        return self.fit.over_gold(contrasts, clusters=self.clusters)

    def contributions(self) -> Floats:
        """Corrected scores of the topics."""
        return self.fit.scores.T
