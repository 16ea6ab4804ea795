"""Ranked runs, bronze and gold labels become a fit of corrected scores.

A sample of gold labels rectifies scores, by pairs or by whole topics (`PairFit`, `TopicFit`); other gold labels give
the confusion matrix of the judge, which is inverted (`MatrixFit`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truegain.data.pool import Pool, RankedGains
from truegain.errors import MeasureError, TruegainError, check_one_of, warn
from truegain.io.columns import Bools, Coded, Floats, Ints, frozen
from truegain.judge_error.confusion import Clusters
from truegain.judge_error.gold_pairs import LUCK, MOST_OFF_SCALE, Pairs, different_scales, may_be_chance
from truegain.judge_error.judge import Judge
from truegain.judge_error.judges import Accuracy, Judges
from truegain.judge_error.label_tables import TopicMatrix
from truegain.judge_error.pair_estimators import TWO_LEVELS, PairFit, SampledPairs, clipped_to_gold, slope_of, strata_of
from truegain.judge_error.topic_estimators import LEAST_TOPICS, MatrixFit, TopicFit
from truegain.measures.base import Measure
from truegain.measures.items import ItemMean, usual_ends
from truegain.measures.label_weights import (
    LabelWeights,
    check_linear,
    label_weights,
    level_of,
    linear_parts,
    refuse_not_linear,
    tell_unjudged,
)
from truegain.message import RECTIFY, Message, arg, declared_scale, value_of, with_marks
from truegain.sampling.catalogue import DESIGNS, design_of, is_sample
from truegain.sampling.gold import answers_of, judged_whole
from truegain.stats.results import Estimate
from truegain.stats.student_t import quantile_of

SLIP = 10.0  # times as far as people's values reach, from which on one of the judge's is on another scale

# ---- A sample of gold labels: pairs, or whole topics.


def rectification(
    bronze: RankedGains, gold_gains: Floats, measure: Measure, design: str, weights: Floats | None = None
) -> TopicFit | PairFit:
    """Whole gold topics or single gold pairs, as `design` says; what cannot be rectified is refused.

    gold_gains: a gold label for each item of `bronze.pool`, NaN where there is none.  design: how gold was drawn:
    whole topics serve any measure, pairs those linear in gain only.  weights: how many pairs of the pool each gold pair
    stands for; without them the pool tells.
    """
    gold = np.asarray(gold_gains, np.float64)
    if not is_sample(design):
        raise TruegainError(
            f"gold design {design!r} cannot be rectified; give one of {', '.join(filter(is_sample, DESIGNS))} "
            "(gold stratified on the truth, or from elsewhere, needs the confusion matrix of a Judge)"
        )
    if len(gold) != len(bronze.pool):
        raise TruegainError(f"{len(gold)} gold gains for {len(bronze.pool)} judged pairs; give one each, NaN for none")
    if measure.of_subtopics or measure.mean == "total":
        raise MeasureError(
            f"{measure}: gold labels per document can rectify neither counts nor subtopic measures; choose another"
        )
    if measure.mean != "arithmetic":
        raise MeasureError(
            f"{measure} is a {measure.mean} mean over topics, and rectified scores are arithmetic ones; choose an "
            "arithmetic mean"
        )
    if np.isnan(gold).all():
        raise TruegainError("no judged pair has a gold label; check that topics and documents match")
    if DESIGNS[design].whole:
        return _topic_fit(bronze, gold, measure)
    return _pair_fit(bronze, gold, measure, design, weights)


def _topic_fit(bronze: RankedGains, gold: Floats, measure: Measure) -> TopicFit:
    """What the topics of which every judged pair has a gold label say of the others."""
    whole, in_part = judged_whole(bronze.pool.topic, ~np.isnan(gold), len(bronze.topics))
    partly = int(in_part.sum())
    if whole.sum() < LEAST_TOPICS and not whole.all():
        by_pairs = " (pairs sampled one by one are another design, 'random' or 'by-bronze')"
        raise TruegainError(
            f"{int(whole.sum())} of {len(whole)} topics have a gold label for every judged pair, {partly} for some; "
            f"at least {LEAST_TOPICS} whole topics are needed, better 20: with fewer, intervals are too narrow"
            f"{by_pairs if partly > 1 else ''}"  # whoever labels topic by topic leaves one unfinished
        )
    if partly:
        topics = "1 topic is" if partly == 1 else f"{partly} topics are"
        warn(f"{topics} labeled only in part; gold labels there are not used")
    scores = measure.score(bronze)
    filled = np.where(np.isnan(gold), np.where(bronze.item_judged, bronze.item_gain, np.nan), gold)
    truth = np.where(whole[None, :], measure.score(bronze.with_gains(filled)), np.nan)
    labels = np.concatenate([bronze.item_gain[bronze.item_judged], filled[~np.isnan(filled)]])
    if isinstance(measure, ItemMean):
        labels = np.array(_ends_of_people(measure, gold[~np.isnan(gold)], labels))
    return TopicFit.of(scores, truth, _score_range(measure, labels, bronze))


def _ends_of_people(measure: Measure, gold: Floats, bronze: Floats) -> tuple[float, float]:
    """The least and the greatest value of people: of theirs, and of the judge's on the scale that theirs seem to have.

    A judge's values on another scale, or one slip, are no values that people could give.

    >>> _ends_of_people(ItemMean(), np.array([0.0, 1.0]), np.array([0.2, 85.0]))
    (0.0, 1.0)
    >>> _ends_of_people(ItemMean(), np.array([0.2, 0.8]), np.array([0.1, 0.9]))
    (0.1, 0.9)
    >>> _ends_of_people(ItemMean(), np.array([1.0, 1.0]), np.array([20.0, 85.0]))
    (0.0, 1.0)
    >>> _ends_of_people(ItemMean(turned=True), np.array([0.0, 0.0]), np.array([-2.0, -1.0]))
    (-1.0, 0.0)
    """
    if isinstance(measure, ItemMean) and measure.of_people is not None and all(map(math.isfinite, measure.of_people)):
        return measure.of_people
    least, greatest = float(gold.min()), float(gold.max())
    low, high = usual_ends(least, greatest, isinstance(measure, ItemMean) and measure.turned)
    if least == greatest and not low <= bronze.min() <= bronze.max() <= high:
        return low, high  # one value shows no spread, and neither does what is cut
    if _on_another_scale(bronze, low, high, len(gold)):
        bronze = np.clip(bronze, low, high)
    return min(least, float(bronze.min())), max(greatest, float(bronze.max()))


def _on_another_scale(bronze: Floats, low: float, high: float, drawn: int) -> bool:
    """Whether the judge's values reach twice as far as people's, not by chance, or ten times as far: a slip.

    drawn: gold labels, of which rare high values may well be lacking.

    >>> _on_another_scale(np.array([0.0, 1, 2, 2, 1, 0, 1, 2, 1, 10]), 0.0, 2.0, 20)
    False
    >>> _on_another_scale(np.array([1.0, 3, 4, 5]), 0.0, 1.0, 20)
    True
    """
    reach, own = float(np.abs(bronze).max()), max(abs(low), abs(high))
    if reach < 2 * own:
        return False
    within = float(((bronze >= low) & (bronze <= high)).mean())
    return within**drawn < LUCK or reach >= SLIP * own


def _score_range(measure: Measure, labels: Floats, ranked: RankedGains) -> tuple[float, float]:
    """The lowest and the highest score possible: as the measure declares, or by the labels where it is linear."""
    low, high = measure.bounds()
    if math.isinf(high - low) and measure.linear_in_gains:
        parts = linear_parts(measure, labels, int(ranked.rank.max(initial=1)))
        whole = float(parts.weight.sum())
        return whole * min(0.0, float(parts.worths.min())), whole * max(0.0, float(parts.worths.max()))
    return low, high


def _pair_fit(bronze: RankedGains, gold: Floats, measure: Measure, design: str, weights: Floats | None) -> PairFit:
    """Fit the correction by single gold pairs: their gains, expansion weights, and coefficients by system."""
    refuse_not_linear(measure)
    labels, topic = bronze.item_gain, bronze.pool.topic
    has = ~np.isnan(gold)
    drawn = design_of(design).expansion(topic, labels, has) if weights is None else weights
    expansion = np.asarray(drawn, np.float64)
    if len(expansion) != len(gold) or not np.all(expansion[has] > 0) or not np.all(np.isfinite(expansion[has])):
        raise TruegainError("weights must be one positive number per judged pair: 1 over its sampling probability")
    expansion = expansion * len(gold) / expansion[has].sum()
    filled = np.where(has, gold, labels)
    parts = linear_parts(measure, np.concatenate([labels, filled]), int(bronze.rank.max(initial=1)))
    worth, gold_worth = parts.worth(labels), parts.worth(filled)
    of_items = isinstance(measure, ItemMean)
    least, greatest = (
        _ends_of_people(measure, gold[has], labels) if of_items else (parts.worths.min(), parts.worths.max())
    )
    are_values = of_items and len(np.unique(gold[has])) > TWO_LEVELS
    if are_values:
        worth = clipped_to_gold(worth, has)
    pairs = SampledPairs(
        topic.astype(np.int64),
        strata_of(labels, has),
        worth,
        np.where(has, gold_worth, np.nan),
        np.where(has, expansion, 1.0),
        len(bronze.topics),
        unit=answers_of(bronze.pool) if design_of(design).answers else None,
        are_values=are_values,
        slope=slope_of(worth[has], gold_worth[has], expansion[has]) if are_values else 0.0,
        gold_ends=_ends_of_people(measure, gold[has], worth) if of_items else None,
    )
    whole = float(parts.weight.sum())
    bounds = whole * min(0.0, float(least)), whole * max(0.0, float(greatest))
    return PairFit.of(pairs, parts.coefficients(bronze), bounds)


# ---- The gold label of each item, and how many pairs of the pool it stands for.


def gold_of_items(pool: Pool, judge: Judge, level: float | None) -> Floats:
    """A gold label for each item of the pool, NaN where there is none.

    Where the gold scale has another level of relevance than the measure, labels become 0 and that level.
    """
    assert judge.gold is not None
    if level is None:
        refuse_strays(judge, None)
    trusted = Pool.of(judge.gold)
    item: Ints = pool.find(Coded(trusted.topics, trusted.topic), trusted.docs).astype(np.int64)
    label = trusted.labels
    if level is not None and judge.levels[1] != level:
        label = np.where(label < 0, label, np.where(label >= judge.levels[1], level, 0.0))
    keep = (item >= 0) & ((label >= 0) | judge.gold.are_gains)
    out = np.full(len(pool), np.nan)
    out[item[keep]] = label[keep]
    return out


def expansion_by_judge(judge: Judge, pool: Pool) -> Floats | None:
    """How many pairs of the pool each gold pair stands for, where the judge was fitted with weights; else None."""
    if judge.pairs is None or not judge.pairs.weighted:
        return None
    if DESIGNS[judge.design].whole:
        raise TruegainError(
            "weights are for gold pairs; whole gold topics count as sampled with equal probability (fit without "
            f"weights, or give {arg('design', 'random')} for pairs sampled with the probabilities behind the weights)"
        )
    return weights_in(pool, judge.pairs)


def weights_in(pool: Pool, pairs: Pairs) -> Floats:
    """The weight of each item of a pool, 1 where it is no gold pair."""
    item, out = pairs.items_in(pool), np.ones(len(pool))
    out[item[item >= 0]] = pairs.weight[item >= 0]
    return out


# ---- Labels of two scales, which a graded measure would take for gains on one.


def refuse_strays(judge: Judge, measure: Measure | None) -> None:
    """Refuse a graded measure where labels are no gains on one scale: a few off gold's, or two scales altogether."""
    if judge.pairs is None:
        return
    if judge.of_values:  # two scales were told when the judge was fitted
        return
    off_scale, name = judge.pairs.off_scale, "a graded measure" if measure is None else str(measure)
    if off_scale is not None and off_scale.share <= MOST_OFF_SCALE:
        raise TruegainError(
            f"{name} would count labels that may be slips as gains: {off_scale}. Declare the labels in use: "
            f"{arg('scale', '0:3')} if these are wrong, with {arg('out_of_range', 'drop')} to count them as not "
            "judged; or a list with them if they are right"
        )
    scales = different_scales(np.array([*judge.pairs.share]), judge.pairs.gold) if judge.pairs.scale is None else None
    if scales is not None:
        n = len(judge.pairs.gold)
        seem = f"may be of different scales ({n} gold labels are too few to tell)" if may_be_chance(judge.pairs) else (
            "are of different scales")  # fmt: skip
        raise TruegainError(
            f"{name} uses labels as gains, and the two judges' {seem}: {scales}; bronze and corrected scores would not "
            "be comparable. Map one scale onto the other first (such as bronze 0 and 1 to 0, 2 and 3 to 1; or gold "
            "1 to 3), use a binary measure such as P@10 and give the smallest relevant label of each "
            f"({arg('gold_relevant_from')})"
            f"{declared_scale(', or, if a label means the same to both, declare the labels in use ({})')}"
        )


# ---- Which judge corrects which system: measured on the gold pairs the system itself retrieved, or on more.


def refuse_unknown(judge: Judge, labels: Sequence[float], measure: Measure) -> None:
    """Refuse bronze labels that counts of a judge do not hold: how often it gives them is unknown."""
    unknown = [f"{label:g}" for label in labels if label not in judge.labels]
    if unknown:
        known = ", ".join(f"{label:g}" for label in judge.labels)
        raise TruegainError(
            f"{measure}: the bronze labels {', '.join(unknown)} are not among those that the judge was counted on "
            f"({known}); give counts of all labels (Judge.from_graded_counts), or use a binary measure such as P@10"
        )


@dataclass(frozen=True, eq=False)
class JudgedLists:
    """Runs, a measure and a judge, ready to be corrected: label weights by system and topic, and a judge for each."""

    ranked: RankedGains
    measure: Measure
    judges: Judges
    weights: LabelWeights
    naive: Floats  # system x topic
    binary: bool
    accuracy: Accuracy

    @classmethod
    def of(
        cls,
        ranked: RankedGains,
        judge: Judge | Judges,
        measure: Measure,
        *,
        gold_relevant_from: float | None = None,
        accuracy: Accuracy | None = None,
    ) -> JudgedLists:
        """Put a judge behind ranked bronze labels.

        accuracy: 'system' measures the judge, for each system, on the gold pairs that this system retrieved where
        the measure looks, each counting what its rank counts there (the default where these are known and not from
        elsewhere); 'lists' on those that any of the systems retrieved, each counting its mean over the systems;
        'given' on all gold pairs alike.
        """
        check_one_of("accuracy", "given" if accuracy is None else accuracy, ("system", "lists", "given"))
        check_linear(measure)
        judges = Judges.of(judge)
        has_pairs = judges.single is not None and judges.single.pairs is not None
        if accuracy not in (None, "given") and not has_pairs:
            raise TruegainError(
                f"{arg('accuracy', accuracy)} needs gold pairs of the documents retrieved; give 'given'"
            )
        level = level_of(measure)
        classes = tuple(sorted({*ranked.item_gain[ranked.item_judged].tolist(), *judges.labels}))
        # labels 0 and 1 are relevance only where 0 is worth nothing: not with gains={0:-1,1:2}
        binary = level is not None or (classes == (0.0, 1.0) and not measure.worth(np.zeros(1)).any())
        cut = level if level is not None else 1.0 if binary else None
        for one in () if binary else judges.judges.values():
            refuse_strays(one, measure)
            if one.pairs is None:
                refuse_unknown(one, classes, measure)
        weights = label_weights(ranked, measure, classes, level=cut)
        tell_unjudged(ranked, measure)
        chosen: Accuracy = accuracy or ("system" if has_pairs and DESIGNS[judges.design].here else "given")
        at_levels = judges.at_levels(level, gold_relevant_from)
        return cls(ranked, measure, at_levels, weights, frozen(measure.score(ranked)), binary, chosen)

    @property
    def judge_and_pairs(self) -> tuple[Judge, Pairs] | None:
        """The one judge and its gold pairs; None of several judges, and where only counts are known."""
        judge = self.judges.single
        return None if judge is None or judge.pairs is None else (judge, judge.pairs)

    @property
    def same_topics(self) -> bool:
        """Whether a gold topic and a scored topic of the same name are the same."""
        return DESIGNS[self.judges.design].here

    def answered(self, *systems: int) -> Bools:
        """Topics that all these systems answer; refused where there are fewer than two."""
        answered = np.asarray(~np.isnan(self.naive[list(systems)]).any(axis=0), np.bool_)
        if answered.sum() < 2:
            names = " and ".join(self.ranked.systems[s] for s in systems)
            who = f"{names}: " if len(systems) > 1 else ""  # of one system who asks says which
            raise TruegainError(f"{who}{int(answered.sum())} judged topics are answered; at least 2 are needed")
        return answered

    def topic_names(self, answered: Bools) -> tuple[str, ...]:
        """Topics by name."""
        return tuple(t for t, x in zip(self.ranked.topics, answered, strict=True) if x)

    def matrices(self, system: int, answered: Bools, clusters: Clusters | None = None) -> list[TopicMatrix]:
        """The matrices that correct a system on some topics."""
        return self.judges_of(system).matrices(self.topic_names(answered), binary=self.binary, clusters=clusters)

    def fit(self, systems: Sequence[int], answered: Bools, clusters: Clusters | None = None) -> MatrixFit:
        """Systems corrected by confusion matrices, on topics that all of them answer."""
        return self.fit_with({s: self.matrices(s, answered, clusters) for s in systems}, answered)

    def fit_with(self, matrices: Mapping[int, list[TopicMatrix]], answered: Bools) -> MatrixFit:
        """The same with the matrices of each system at hand."""
        weight = self.weights.weight[list(matrices)][:, answered]
        return MatrixFit(
            self.topic_names(answered), weight, list(matrices.values()), self.weights.value, self.same_topics
        )

    def pair_counts(self, systems: Sequence[int] | None = None) -> Floats:
        """What each gold pair counts in the scores of these systems (or of all): the sum of the weights of its ranks.

        A score is the sum over ranks of weight times worth, so the accuracy that moves it is that of its documents,
        each weighing what its rank does; a pair that no list holds where the measure looks moves nothing.
        """
        assert self.judge_and_pairs is not None
        rows = np.isin(self.weights.system, np.arange(len(self.ranked.systems)) if systems is None else systems)
        of_item = np.bincount(self.weights.item[rows], self.weights.counts[rows], len(self.ranked.pool))
        item = self.judge_and_pairs[1].items_in(self.ranked.pool)
        return frozen(np.where(item >= 0, of_item[item], 0.0))

    def impossible_means(self, system: str, mean: float) -> tuple[str, ...]:
        """Whether a system's bronze mean is impossible for the judge that would correct it."""
        if not self.binary:
            return ()
        try:
            judge = self.judges_of(self.ranked.systems.index(system)).single
            return () if judge is None else judge.impossible(mean)
        except TruegainError as error:
            return (error.message,)

    def judges_of(self, *systems: int) -> Judges:
        """The judges that correct a system, or a pair of systems together."""
        if self.accuracy == "given" or self.judge_and_pairs is None:
            return self.judges
        counts = self.pair_counts(None if self.accuracy == "lists" else systems)
        if not counts.any():
            names = " and ".join(self.ranked.systems[s] for s in systems)
            raise TruegainError(
                f"none of the {self.judges.size} gold pairs is a document that {names} retrieved where "
                f"{self.measure} looks; label some of these"
            )
        return Judges.of(self.judge_and_pairs[0].reweighted(counts))


# ---- When a judge's matrix may be inverted at all, and whether what comes out can be a score.

LEAST_OWN = 20  # gold labels of its own documents, by which the judge of a system is measured: fewer claim too much


def check_own(lists: JudgedLists, system: int) -> None:
    """Refuse to measure the judge on too few documents of a system: a rate of a handful passes as known too often.

    Of equal systems whose judge favors one (40 topics, 300 studies), with 10 gold labels of that one 7% of intervals
    lie on the wrong side of 0, with 20 2%; 2.5% are meant to.
    """
    if lists.accuracy != "system" or lists.judge_and_pairs is None:
        return
    own = int((lists.pair_counts([system]) > 0).sum())
    if own < LEAST_OWN:
        raise TruegainError(
            f"{own} gold {'label is' if own == 1 else 'labels are'} of what it retrieved where {lists.measure} "
            f"looks, and at least {LEAST_OWN} are needed: label more of these"
        )


def why_not(lists: JudgedLists, system: int, error: TruegainError) -> str:
    """Why a system cannot be corrected, and where its judge was measured; the system itself is not named."""
    name, message = lists.ranked.systems[system], with_marks(error)
    if lists.accuracy == "system":
        message += (
            f" (the judge was measured on the gold pairs that {name} retrieved; {arg('accuracy', 'lists')} or "
            f"{value_of('accuracy', 'given')} measures it on more)"
        )
    return Message(message)


def score_range(lists: JudgedLists, system: int, answered: Bools) -> tuple[float, float]:
    """The lowest and the highest score that a system can have, given how much of its lists is judged."""
    total = float(lists.weights.weight[system][answered].sum(axis=1).mean())
    value = lists.weights.value
    return total * min(0.0, float(value.min())), total * float(value.max())


def check_says_something(
    value: float, half: float, limits: tuple[float, float], matrices: Sequence[TopicMatrix]
) -> None:
    """Refuse an interval that leaves out nothing of what the value can be."""
    low, high = limits
    if value - half > low or value + half < high:
        return
    worst = max((matrix.confusion for matrix in matrices), key=lambda c: c.condition)
    fewest = int(worst.effective.argmin())
    raise TruegainError(
        f"the interval would run from {value - half:.3g} to {value + half:.3g} and leave out nothing of the "
        f"{low:.3g} to {high:.3g} that is possible, because these gold pairs say too little about how the judge "
        f"confuses labels (condition number {worst.condition:.3g}; gold label {worst.gold[fewest]:g} has the fewest "
        f"pairs, worth {worst.effective[fewest]:.0f}): add gold labels, merge labels, or use a binary measure such "
        "as P@10"
    )


def check_inside(value: float, half: float, limits: tuple[float, float]) -> tuple[float, float, float, tuple[str, ...]]:
    """Value and interval held inside the limits, with a note where this moved the value.

    Refused where the whole interval lies outside: then the gold pairs and the bronze labels do not fit together.
    """
    low, high = limits
    if value - half > high or value + half < low:
        raise TruegainError(
            f"the corrected value {value:z.3f} lies clearly outside {low:g} to {high:g}, so the gold pairs and the "
            "bronze labels contradict each other. Check that both come from the same judge, the same kind of "
            "documents and the same scale"
        )
    inside = min(high, max(low, value))
    notes = (
        ()
        if inside == value
        else (f"the plain value {value:z.3f} lies outside {low:g} to {high:g} and is set to the nearest bound",)
    )
    return inside, max(low, value - half), min(high, value + half), notes


# ---- How sure the gold labels alone would be, so that a correction that is worse can be told.


def gold_alone_widths(
    ranked: RankedGains, gold: Floats, weight: Floats, measure: Measure, confidence: float, *, whole_topics: bool
) -> list[float | None]:
    """Width of each system's interval from gold labels alone, by t over topics; None where these have no answer.

    Whole gold topics: the mean over them.  Gold pairs, each with a weight (pairs it stands for): a ratio of sums over
    topics, value = total weight * (sum of weight * gold value) / (sum of weight) over the gold-judged documents of
    the lists.  Cochran 1977, Sampling Techniques, section 6.3.
    """
    if whole_topics:
        whole, _ = judged_whole(ranked.pool.topic, ~np.isnan(gold), len(ranked.topics))
        scores = measure.score(ranked.with_gains(gold))[:, whole]
        return [_of_mean(row[~np.isnan(row)], confidence) for row in scores]
    has_gold = ~np.isnan(gold)
    labels = np.where(has_gold, gold, 0.0)
    parts = linear_parts(measure, np.concatenate([ranked.item_gain, labels]), int(ranked.rank.max(initial=1)))
    counts, topic = np.where(has_gold, weight, 0.0), ranked.pool.topic
    out: list[float | None] = []
    for s, c in enumerate(parts.coefficients(ranked)):
        below = np.bincount(topic, c * counts, len(ranked.topics)).astype(np.float64)
        above = np.bincount(topic, c * counts * parts.worth(labels), len(ranked.topics)).astype(np.float64)
        answered = int(ranked.present.reshape(len(ranked.systems), -1)[s].sum())
        out.append(_of_ratio(below, above, float(c.sum()) / max(1, answered), confidence))
    return out


def _of_mean(scores: Floats, confidence: float) -> float | None:
    n = len(scores)
    se = float(scores.std(ddof=1)) / math.sqrt(n) if n > 1 else 0.0
    return 2 * quantile_of(confidence, n - 1.0) * se if se > 0 else None


def _of_ratio(below: Floats, above: Floats, total: float, confidence: float) -> float | None:
    used = int(np.count_nonzero(below))
    if used < 2:
        return None
    moves = total * (above - below * above.sum() / below.sum()) / below.sum()
    se = math.sqrt(float(moves @ moves) * used / (used - 1))
    return 2 * quantile_of(confidence, used - 1.0) * se if se > 0 else None


def warn_where_gold_alone_is_surer(
    ranked: RankedGains, judge: Judge, measure: Measure, answers: Sequence[Estimate], confidence: float
) -> None:
    """Tell where gold labels of the same population give a shorter interval without the bronze labels than with them.

    Gold stratified on the truth, or from elsewhere, has no answer alone.
    """
    if not is_sample(judge.design) or judge.gold is None or judge.pairs is None:
        return
    level = level_of(measure)
    gold = gold_of_items(ranked.pool, judge.at_levels(level, None), level)
    weight = weights_in(ranked.pool, judge.pairs)
    widths = gold_alone_widths(ranked, gold, weight, measure, confidence, whole_topics=DESIGNS[judge.design].whole)
    worse = [(a, w) for a, w in zip(answers, widths, strict=True) if w is not None and a.width > w]
    if worse:
        a, w = max(worse, key=lambda x: x[0].width / x[1])
        warn(
            f"{measure}: gold labels alone would be more precise for {len(worse)} of {len(answers)} systems (most "
            f"for {a.system}: width {w:.3f} against {a.width:.3f} corrected); rectify ({RECTIFY}), "
            "or use gold alone"
        )
