"""Scores and differences of a measure, each with its interval, and what its ranks stand on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truegain.data.pool import RankedGains
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.measures.base import Measure
from truegain.measures.items import OfItems
from truegain.stats.contrasts import Contrasts, Variance, within
from truegain.stats.results import Comparison, Estimate
from truegain.stats.student_t import p_of, p_values_of, quantiles_of, quantiles_of_p
from truegain.study.anytime import nothing_in_common
from truegain.study.ranking import Ranking, freedom, largest_t
from truegain.study.unjudged import AllPairsBounds
from truegain.study.variance import VarianceModel

ALIKE = "both rank the judged documents identically in every topic"
SAME_SCORES = "the two score the same in every topic, so these data cannot separate them"


def ranked_alike(ranked: RankedGains, measure: Measure, a: int, b: int) -> bool:
    """Whether two systems have the same judged documents at the same ranks, where a measure looks, in every topic.

    >>> import truegain as tg
    >>> orders = {"a": {"x": 2.0, "y": 1.0}, "b": {"y": 2.0, "x": 1.0}, "c": {"x": 9.0, "y": 8.0}}
    >>> topics = [str(t) for t in range(12)]
    >>> runs = {s: dict.fromkeys(topics, order) for s, order in orders.items()}
    >>> ranked = tg.Study(runs, {t: {"x": 1, "y": 1} for t in topics}, "P@2").ranked
    >>> ranked_alike(ranked, tg.parse_measure("P@2"), 0, 1), ranked_alike(ranked, tg.parse_measure("P@2"), 0, 2)
    (False, True)
    """
    return all(np.array_equal(x, y) for x, y in zip(*(_where(ranked, measure, s) for s in (a, b)), strict=True))


def _where(ranked: RankedGains, measure: Measure, system: int) -> tuple[Ints, ...]:
    """Topic, rank and number of each judged document, and how many documents each list has for the measure."""
    topics = len(ranked.topics)
    mine = slice(system * topics, (system + 1) * topics)
    held = slice(int(ranked.begin[mine.start]), int(ranked.begin[mine.stop]))
    rows = held.start + np.flatnonzero(measure.within(ranked.rank[held]) & ranked.judged[held])
    cutoff = getattr(measure, "cutoff", None)
    depth = ranked.depth[mine] if cutoff is None else np.minimum(ranked.depth[mine], cutoff)
    return ranked.list[rows] % topics, ranked.rank[rows], np.asarray(ranked.item[rows], np.int64), depth


# ---- Scores and differences.

NO_DIFFERENCE = 1e-12  # of two scores that are exact
OF_DOCUMENTS = {"topics", "collection"}  # sources that bring other documents, not other labels alone
METHOD = "t, all sources"
BY_WILSON = "wilson, all sources"
EVERY_LOOK = "anytime-valid"
AND_UNJUDGED = " and unjudged documents"
LISTS = {"gold": "list of gold labels", "unjudged": "sample of unjudged documents"}
NOT_LISTED = "in the {}: it was sampled for other runs or another measure; draw one for these"
SCORE_NOT_LISTED = "in the {}, which was drawn for differences: the systems it was drawn for share {}"
NO_SCORES = "Scores are not estimated: the list of gold labels was drawn to estimate differences."
NO_WIDTH = (
    "all topics score exactly the same, so the interval would have no width, which is not credible; use more topics or "
    "another measure"
)
FLAT = "all topics score exactly the same; the interval is as wide as that of scores of 0 and 1 with this mean"
NO_SPREAD = 1e-10  # of a score: a standard error below is none


@dataclass(frozen=True, eq=False)
class MeasureEstimates:
    """Scores, differences and rankings of the systems on one measure, with their intervals."""

    systems: tuple[str, ...]
    measure: Measure
    variance_model: VarianceModel
    confidence: float
    topics: int
    alike: Callable[[int, int], bool] | None = None  # whether two systems rank the judged documents alike, if known

    @property
    def note(self) -> str:
        """What the scores stand for, where they are not the measure itself."""
        return self.variance_model.estimator.label_facts.note

    @property
    def difference_note(self) -> str:
        """How differences are told, where they are not those of the scores."""
        return self.variance_model.estimator.label_facts.difference_note

    @property
    def _of_items(self) -> bool:
        """Whether answers are scored, which nobody retrieved."""
        return isinstance(self.measure, OfItems)

    @property
    def name(self) -> str:
        """What is told: the measure, or what stands for it."""
        return self.variance_model.estimator.label_facts.name or str(self.measure)

    @cached_property
    def scores(self) -> Floats:
        """The score of each system; NaN where a list leaves some of its documents out, or too few labels tell it.

        A list of gold labels that is not judged to its end was drawn for differences, and tells no score by itself.
        """
        estimator, contrasts = self.variance_model.estimator, Contrasts.scores(len(self.systems))
        lacking, label_counts = estimator.unlisted(contrasts), estimator.labels_for_rule(contrasts)
        unknown = np.zeros(len(contrasts), np.bool_) if lacking is None else lacking > 0
        if label_counts is not None and not self.variance_model.exact:
            unknown |= label_counts < estimator.least_gold
        if self._tells_differences:
            unknown[:] = True
        return np.where(unknown, np.nan, estimator.value)

    @property
    def _tells_differences(self) -> bool:
        facts = self.variance_model.estimator.label_facts
        return facts.source == "gold" and facts.order is not None and not facts.exact

    def estimates(self, over: str) -> list[Estimate]:
        """The score of every system."""
        scores, estimator = Contrasts.scores(len(self.systems)), self.variance_model.estimator
        variance, label_counts = (
            self.variance_model.variance(scores, self.confidence),
            estimator.labels_for_rule(scores),
        )
        low, high = self.variance_model.score_limits(variance, self.measure.bounds(), self.confidence)
        least, most = (-math.inf, math.inf) if self.note else self.measure.bounds()
        if (known_bounds := estimator.near_bounds()) is not None:
            least, most = max(least, known_bounds[1][0]), min(most, known_bounds[1][1])
        value = np.clip(estimator.value, least, most)
        if (ranges := estimator.score_ranges()) is not None:
            value, low, high = (np.clip(x, *ranges.T) for x in (value, low, high))
        unlisted, known = estimator.unlisted(scores), _without_unjudged(self.variance_model, scores)
        by_wilson = self.variance_model.by_wilson(self.measure.bounds())
        flat = ~(variance.value > NO_DIFFERENCE**2) & ~known & (not self.variance_model.exact)
        out = []
        for s, system in enumerate(self.systems):
            few = None if label_counts is None else int(label_counts[s])
            notes = _unknown(False, few, self.variance_model, "its answers" if self._of_items else "what it retrieved")
            if unlisted is not None and unlisted[s]:
                n = int(unlisted[s])
                why = SCORE_NOT_LISTED.format(LISTS[self.variance_model.labels], "it" if n == 1 else "them")
                notes = (f"{_documents(n, f'of {system}')} {why}",)
            if not notes and flat[s] and not by_wilson:
                notes = (NO_WIDTH,)
            at = float(value[s])
            held = (math.nan,) * 3 if notes else (at, min(float(low[s]), at), max(float(high[s]), at))
            out.append(
                Estimate(
                    system, self.name, *held, confidence=self.confidence, population=over,
                    method=BY_WILSON if by_wilson else METHOD,
                    se=None if notes else float(np.sqrt(variance.value[s])), n=self.topics,
                    notes=notes or ((FLAT,) if flat[s] else ()),
                )
            )  # fmt: skip
        return out

    def differences(self, contrasts: Contrasts) -> list[Comparison]:
        """The differences of pairs of systems; one that nothing moves has no interval.

        One that few gold labels touch, or that documents move which are not on the list, has no value either: NaN.
        """
        variance_model = self.variance_model
        variance, value = variance_model.variance(contrasts, self.confidence), variance_model.estimator.value
        uncorrected, uncorrected_variance = (
            contrasts.values(variance_model.uncorrected.value),
            variance_model.uncorrected.over_topics(contrasts),
        )
        label_counts, exact = variance_model.estimator.labels_for_rule(contrasts), variance_model.exact
        unlisted = variance_model.estimator.unlisted(contrasts)
        difference = variance_model.estimator.values(contrasts)
        difference = np.where(np.abs(difference) < NO_DIFFERENCE, 0.0, difference) if exact else difference
        low, high = variance_model.difference_limits(contrasts, difference, variance, self.confidence)
        if exact:  # to the last digit, or two that score the same would seem to differ
            low, high = difference.copy(), difference.copy()
        stuck, t_of = variance_model.estimator.stuck(contrasts), self._t(contrasts, variance, None)
        where = "the answers of the two systems" if self._of_items else "what the two systems retrieved"
        looks_disagree = low > high
        low, high = within(low, high, self.measure.bounds(), value=difference, differences=True)
        out = []
        for i, (a, b) in enumerate(zip(contrasts.a.tolist(), contrasts.b.tolist(), strict=True)):
            se, uncorrected_se = (float(np.sqrt(v.value[i])) for v in (variance, uncorrected_variance))
            constant = se <= NO_SPREAD * max(abs(float(value[a])), abs(float(value[b]))) and not stuck[i]
            gold_count = None if label_counts is None else int(label_counts[i])
            # why there is no interval: a later reason replaces an earlier one; differences known to be 0 need none
            notes = () if exact else _unknown(constant, gold_count, variance_model, where)
            has_value = exact or constant or not notes
            if constant and not exact and self._same(a, b):
                notes = (SAME_SCORES,)
            may_be_alike = constant and (not exact or difference[i] == 0)
            alike = may_be_alike and self.are_alike(a, b)  # which takes long
            if alike and not exact:
                notes = (f"{ALIKE}, so these data cannot separate them",)
            if unlisted is None and not exact and (note := self._no_gold_of(a, b)):
                notes, has_value = (note,), False
            if unlisted is not None and unlisted[i]:
                notes, has_value = (self._not_listed(int(unlisted[i])),), False
            if looks_disagree[i] and not notes:
                notes = (nothing_in_common(self.confidence),)
            if alike and not variance_model.over & OF_DOCUMENTS:  # whatever the labels are
                notes, has_value, difference[i], low[i], high[i] = (), True, 0.0, 0.0, 0.0
            t = t_of[i] if stuck[i] else difference[i] / se if se > 0 else 0.0
            out.append(
                Comparison(
                    self.systems[a], self.systems[b], self.name, float(self.scores[a]), float(self.scores[b]),
                    float(difference[i]) if has_value else math.nan, None if notes else float(low[i]),
                    None if notes else float(high[i]),
                    None if notes or exact or alike or variance_model.anytime_confidence or not se
                    else p_of(float(t), float(variance.df[i])),
                    test=METHOD if variance_model.anytime_confidence is None else EVERY_LOOK,
                    confidence=self.confidence, n=self.topics, uncorrected=float(uncorrected[i]),
                    uncorrected_p=None if uncorrected_se <= NO_DIFFERENCE
                    else p_of(float(uncorrected[i]) / uncorrected_se, float(uncorrected_variance.df[i])),
                    notes=notes,
                )
            )  # fmt: skip
        return out

    def _no_gold_of(self, a: int, b: int) -> str:
        """That one of two systems has no gold label of its own; else empty."""
        counts = self._gold_of_scores
        if counts is None or self.variance_model.labels != "gold" or (counts[a] and counts[b]):
            return ""
        lacks = self.systems[b if counts[a] else a]
        of = f"an answer of {lacks}: label some" if self._of_items else f"what {lacks} retrieved: draw some from it"
        return f"there is no gold label of {of}"

    @cached_property
    def _gold_of_scores(self) -> Ints | None:
        return self.variance_model.estimator.labels_for_rule(Contrasts.scores(len(self.systems)))

    def _not_listed(self, n: int) -> str:
        """That a list of labels leaves out so many documents that affect a difference."""
        affect = "affects" if n == 1 else "affect"
        return (
            f"{_documents(n, f'that {affect} this difference')} {NOT_LISTED.format(LISTS[self.variance_model.labels])}"
        )

    def are_alike(self, a: int, b: int) -> bool:
        """Whether two systems rank the judged documents alike, and no unjudged one that a sample stands for differs."""
        if self.alike is None or not self.alike(a, b):
            return False
        return self.variance_model.labels != "unjudged" or bool(
            self.variance_model.estimator.unmoved(Contrasts.of([(a, b)]))[0]
        )

    def _same(self, a: int, b: int) -> bool:
        by_topic = self._contributions
        return bool((by_topic[:, a] == by_topic[:, b]).all())

    @cached_property
    def _contributions(self) -> Floats:
        return self.variance_model.estimator.contributions()

    def widened(self, contrasts: Contrasts, bounds: AllPairsBounds | None) -> list[Comparison]:
        """Differences whose limits and p hold whatever the labels of unjudged documents: see `AllPairsBounds`."""
        comparisons = self.differences(contrasts)
        if bounds is None:
            return comparisons
        variance, exact = self.variance_model.variance(contrasts, self.confidence), self.variance_model.exact
        fall, rise, *more = (np.maximum(side, 0.0) for side in bounds.sides(contrasts))
        by_labels = np.zeros(len(contrasts)) if exact else variance.value
        wide = [np.sqrt(by_labels + x) - np.sqrt(by_labels) for x in more]
        quantiles, t = quantiles_of(self.confidence, variance.df), self._t(contrasts, variance, bounds)
        low = np.array([math.nan if c.low is None else c.low for c in comparisons]) - fall - quantiles * wide[0]
        high = np.array([math.nan if c.high is None else c.high for c in comparisons]) + rise + quantiles * wide[1]
        at = np.array([c.difference for c in comparisons])
        low, high = within(low, high, self.measure.bounds(), value=at, differences=True)
        return [
            c if c.low is None or not (fall[i] or rise[i]) else replace(
                c, low=float(low[i]), high=float(high[i]), test=f"{c.test}{AND_UNJUDGED}",
                p=None if c.p is None else p_of(float(t[i]), float(variance.df[i])),
            )
            for i, c in enumerate(comparisons)
        ]  # fmt: skip

    def _t(self, contrasts: Contrasts, variance: Variance, bounds: AllPairsBounds | None) -> Floats:
        """|t| of each difference, after what unjudged documents and what nobody could judge may take from it.

        0 where nothing moves it, or these turn it.
        """
        difference = self.variance_model.estimator.values(contrasts)
        total, far = variance.value, np.abs(difference)
        if bounds is not None:
            fall, rise, less, more = bounds.sides(contrasts)
            far = np.maximum(far - np.where(difference > 0, fall, rise), 0.0)
            total = total + np.where(difference > 0, less, more)
        far, total = far.copy(), total.copy()
        for i, worst, best in self.variance_model.at_ends(contrasts, variance):
            value, wide = worst if difference[i] > 0 else best
            far[i] = max(far[i] - abs(float(difference[i] - value[0])), 0.0)
            total[i] += max(0.0, float(wide.value[0] - variance.value[i]))
        return np.asarray(far / np.where(variance.value > 0, np.sqrt(total), np.inf))

    def all_differences(self, seed: int, bounds: AllPairsBounds | None = None) -> list[Comparison]:
        """Every pair of systems, p also adjusted for all of them: the share of draws whose largest |t| is no smaller.

        Westfall and Young 1993, Resampling-Based Multiple Testing, section 2.6; a pair without p stays in the family.
        """
        contrasts = Contrasts.all_pairs(len(self.systems))
        comparisons, variance = (
            self.widened(contrasts, bounds),
            self.variance_model.variance(contrasts, self.confidence),
        )
        if len(comparisons) < 2:
            return comparisons
        largest = np.sort(self._largest_t(variance, contrasts, seed))
        t = _on_one_scale(self._t(contrasts, variance, bounds), variance)
        above = len(largest) - np.searchsorted(largest, t, side="left")
        adjusted = (above + 1) / (len(largest) + 1)
        return [
            c if c.p is None else replace(c, p_adjusted=max(c.p, float(q)), adjustment="largest t")
            for c, q in zip(comparisons, adjusted, strict=True)
        ]

    def ranking(self, seed: int, open_: Bools, notes: tuple[str, ...], bounds: AllPairsBounds | None = None) -> Ranking:
        """Which systems may be best, tiers and ranks with limits, all pairs at once.

        open_: systems that cannot be told from any other, such as those of which nothing is claimed.
        bounds: what unjudged documents could do, where the answer shall hold whatever their labels.
        """
        contrasts = Contrasts.all_pairs(len(self.systems))
        variance, value = self.variance_model.variance(contrasts, self.confidence), self.variance_model.estimator.value
        quantile = float(np.quantile(self._largest_t(variance, contrasts, seed), self.confidence))
        difference, t = (
            self.variance_model.estimator.values(contrasts),
            _on_one_scale(self._t(contrasts, variance, bounds), variance),
        )
        size = np.maximum(np.abs(value[contrasts.a]), np.abs(value[contrasts.b]))
        moves = np.sqrt(variance.value) > NO_SPREAD * size
        sure = (t > quantile) & moves & ~open_[contrasts.a] & ~open_[contrasts.b]
        if self.variance_model.exact:
            far = 0.0 if bounds is None else np.where(difference > 0, *bounds.sides(contrasts)[:2])
            sure = (np.abs(difference) - far > NO_DIFFERENCE) & ~open_[contrasts.a] & ~open_[contrasts.b]
        elif (label_counts := self.variance_model.estimator.labels_for_rule(contrasts)) is not None:
            sure &= label_counts >= self.variance_model.estimator.least_gold
        if (lacking := self.variance_model.estimator.unlisted(contrasts)) is not None:
            sure &= lacking == 0
        ahead = np.zeros((len(self.systems),) * 2, np.bool_)
        up, down = sure & (difference > 0), sure & (difference < 0)
        ahead[contrasts.b[up], contrasts.a[up]] = True
        ahead[contrasts.a[down], contrasts.b[down]] = True
        if self._tells_differences:
            notes = (*notes, NO_SCORES)
        ranking = Ranking.of(
            self.systems, value, ahead, measure=self.name, confidence=self.confidence, notes=notes, open_=open_
        )
        shown = dict(zip(self.systems, self.scores.tolist(), strict=True))
        unknown = tuple(s for s, lent in zip(self.systems, open_, strict=True) if lent)
        return replace(ranking, value=frozen(np.array([shown[s] for s in ranking.systems])), open=unknown)

    @cached_property
    def _drawn(self) -> dict[int, Floats]:
        """Draws of the largest |t| over all pairs, by seed: rankings and adjusted p ask for the same."""
        return {}

    def _largest_t(self, variance: Variance, contrasts: Contrasts, seed: int) -> Floats:
        """Draws of the largest |t| of all pairs, the systems by name: the order of files changes nothing."""
        if seed not in self._drawn:
            self._drawn[seed] = self._draw(variance, contrasts, seed)
        return self._drawn[seed]

    def _draw(self, variance: Variance, contrasts: Contrasts, seed: int) -> Floats:
        named = np.unique(np.concatenate([contrasts.a, contrasts.b]))
        order = np.array(sorted(named.tolist(), key=self.systems.__getitem__))
        place = np.zeros(len(self.systems), np.int64)
        place[order] = np.arange(len(order))
        return largest_t(self._covariance(order), variance, Contrasts(place[contrasts.a], place[contrasts.b]), seed)

    def _covariance(self, of: Ints) -> Floats:
        """Of the scores of some systems: from the variances of scores and of all differences."""
        alone = self.variance_model.variance(Contrasts.scores(len(self.systems)), self.confidence).value[of]
        pairs = Contrasts.all_pairs(len(of))
        out = np.diag(alone)
        differences = self.variance_model.variance(Contrasts(of[pairs.a], of[pairs.b]), self.confidence).value
        out[pairs.a, pairs.b] = out[pairs.b, pairs.a] = (alone[pairs.a] + alone[pairs.b] - differences) / 2
        return out

    def together(self, contrasts: Contrasts, seed: int) -> tuple[Floats, Floats, Floats]:
        """Standard errors to either side that hold each difference by itself and all at once, and its variance.

        All at once: the quantile of the largest |t| of these, as in `ranking`; where a standard error is less sure
        than all are taken to be, that with the same p.
        """
        variance = self.variance_model.variance(contrasts, self.confidence)
        own = quantiles_of(self.confidence, variance.df)
        if len(contrasts) < 2 or self.variance_model.exact or not (variance.value > 0).any():
            return own, own, variance.value
        largest = float(np.quantile(self._draw(variance, contrasts, seed), self.confidence))
        k = freedom(variance)
        all_ = np.full(len(contrasts), largest)
        for df in np.unique(variance.df[variance.df < k - 0.5]):
            all_[variance.df == df] = quantiles_of_p(p_values_of(largest, k), float(df))
        return own, np.maximum(own, all_), variance.value


def _on_one_scale(t: Floats, variance: Variance) -> Floats:
    """|t| of differences, made smaller where the standard error is less sure than `largest_t` takes all to be.

    t' has as large a p with the freedom that all are drawn with as t has with its own.
    """
    k = freedom(variance)
    less = (variance.value > 0) & (variance.df < k - 0.5)
    if not less.any():
        return t
    out = t.copy()
    out[less] = quantiles_of_p(p_values_of(t[less], variance.df[less]), k)
    return out


def _without_unjudged(variance_model: VarianceModel, contrasts: Contrasts) -> Bools:
    """What is exact for these topics beside others that are not: no unjudged document moves it."""
    return np.zeros(len(contrasts), np.bool_) if variance_model.over else variance_model.estimator.unmoved(contrasts)


def _documents(n: int, which: str) -> str:
    """So many documents that are not where they should be.

    >>> _documents(1, "of bm25"), _documents(1200, "of bm25")
    ('1 document of bm25 is not', '1,200 documents of bm25 are not')
    """
    return f"{n:,} {'document' if n == 1 else 'documents'} {which} {'is' if n == 1 else 'are'} not"


def _unknown(constant: bool, label_count: int | None, variance_model: VarianceModel, where: str) -> tuple[str, ...]:
    """Why a difference has no interval: it is the same whatever is left out, but for rounding; or few labels tell."""
    notes, least = [], variance_model.estimator.least_gold
    if constant:
        notes.append("it is the same whichever unit is left out, so its uncertainty cannot be estimated")
    elif label_count is not None and label_count < least:
        kind = "gold label" if variance_model.labels == "gold" else "label of the sample"
        order = variance_model.estimator.label_facts.order
        left = 0 if order is None else len(order.sizes) - order.n
        more = ": judge the next rows of the list" if left else f": draw them from {where}"
        if 0 < left <= least - label_count:
            more = f", or all of the list: judge its last {'row' if left == 1 else f'{left} rows'}"
        kinds = "labels of the sample" if variance_model.labels != "gold" else f"{kind}s"
        labels = f"only 1 {kind} affects it" if label_count == 1 else f"only {label_count} {kinds} affect it"
        labels = labels if label_count else f"no {kind} affects it"
        notes.append(f"{labels}; at least {least} are needed{more}")
    return tuple(notes)
