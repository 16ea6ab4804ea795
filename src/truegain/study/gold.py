"""Gold labels: read, the judge that they measure, what they cannot correct, and the estimator made of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truegain.config import Gold, UnjudgedSample
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.label_list_reading import gold_list_of
from truegain.data.label_lists import GoldList
from truegain.data.pool import RankedGains
from truegain.errors import InputError, MeasureError, TruegainError, some
from truegain.io.columns import Floats
from truegain.judge_error.confusion import Clusters
from truegain.judge_error.fits import (
    JudgedLists,
    check_inside,
    expansion_by_judge,
    gold_of_items,
    rectification,
    score_range,
)
from truegain.judge_error.gold_pairs import UNMATCHED
from truegain.judge_error.judge import Judge
from truegain.judge_error.judges import fit_judge, tell_unlike_design
from truegain.judge_error.label_tables import TopicMatrix
from truegain.judge_error.topic_estimators import TopicFit
from truegain.measures.base import Measure
from truegain.measures.items import ItemMean
from truegain.measures.label_weights import (
    check_linear,
    level_of,
    refuse_not_linear,
    refuse_without_stand_in,
    tell_unjudged,
)
from truegain.measures.scoring import refuse_chosen
from truegain.message import SAMPLE_UNJUDGED, arg, argname, with_marks
from truegain.pooling.samples import DESIGN as UNJUDGED_DESIGN
from truegain.sampling.catalogue import DESIGNS, design_of, draws_pairs, is_sample
from truegain.sampling.gold import GoldUnits, OrderedDraws
from truegain.stats.contrasts import Contrasts
from truegain.stats.student_t import quantiles_of
from truegain.study.estimators import ByGoldPairs, ByGoldTopics, ByMatrices, Plain, ScoreEstimator
from truegain.study.reading import RunsInput, gold_of, of_topics
from truegain.study.unjudged_sample import RandomUnjudgedSample, UnjudgedList

# ---- Scores corrected by confusion matrices.


NO_GOLD = (
    "no answer of {} has a gold label, so nothing shows how the judge errs on it; add gold labels of its answers, or "
    "leave the system out"
)
ONE_TOPIC = "the gold pairs come from 1 topic, so how topics differ is unknown; add gold labels of more topics"


def by_matrices(
    lists: JudgedLists, confidence: float, *, clusters: Clusters | None = None, shared: bool = True, guard: bool = True
) -> tuple[ByMatrices | None, dict[int, TruegainError]]:
    """The systems that confusion matrices correct soundly, and why the others are refused.

    Parameters
    ----------
    lists : JudgedLists
        Runs on topics that all systems answer, and their judges.
    confidence : float
        A score whose whole interval lies outside of what it can be is refused.
    clusters, shared
        As in `ByMatrices`.
    guard : bool
        Whether differences are widened where the one judge behind them passes as better than chance only just.

    Returns
    -------
    ByMatrices
        Of the systems that are left, in their order; None where none is.
    dict
        By the number of each other system, the reason.
    """
    topics, systems = np.ones(len(lists.ranked.topics), np.bool_), range(len(lists.ranked.systems))
    matrices, refused = {}, dict[int, TruegainError]()
    for s in systems:
        try:
            matrices[s] = lists.matrices(s, topics, clusters)
        except TruegainError as error:
            refused[s] = error
    ranges = np.array([score_range(lists, s, topics) for s in systems])
    common = lists.judges_of(0).single if guard and lists.binary and lists.accuracy != "system" and matrices else None

    def fit(kept: dict[int, list[TopicMatrix]]) -> ByMatrices:
        names = tuple(lists.ranked.systems[s] for s in kept)
        return ByMatrices(
            lists.fit_with(kept, topics), lists.judges.size, names, ranges[list(kept)],
            clusters != "none", shared, common if shared else None, own=lists.accuracy == "system",
        )  # fmt: skip

    if matrices and clusters != "none":
        gold_topics = fit(matrices).fit.has_gold.sum(axis=0).tolist()
        for s in [s for s, n in zip(matrices, gold_topics, strict=True) if n == 1]:
            refused[s] = TruegainError(ONE_TOPIC)
            del matrices[s]
    estimator = fit(matrices) if matrices else None
    if estimator is not None:
        half = _half(estimator, Contrasts.scores(len(matrices)), confidence)
        for s, value, h in zip(list(matrices), estimator.value.tolist(), half.tolist(), strict=True):
            try:
                check_inside(value, h, (float(ranges[s][0]), float(ranges[s][1])))
            except TruegainError as error:
                refused[s] = error
                del matrices[s]
        if len(matrices) < len(estimator.systems):
            estimator = fit(matrices) if matrices else None
    return estimator, dict(sorted(refused.items()))


def impossible_pairs(estimator: ByMatrices, contrasts: Contrasts, confidence: float) -> dict[str, str]:
    """By name, the differences that lie clearly outside of what they can be, and why."""
    most = np.maximum(*contrasts.ends(estimator.ranges[:, 1] - estimator.ranges[:, 0]))
    far = np.flatnonzero(np.abs(contrasts.values(estimator.value)) > most)  # few, as a rule none
    out: dict[str, str] = {}
    for i in far.tolist():
        one, end = contrasts.part(i, i + 1), float(most[i])
        try:
            check_inside(
                float(one.values(estimator.value)[0]), float(_half(estimator, one, confidence)[0]), (-end, end)
            )
        except TruegainError as error:
            out[f"{estimator.systems[one.b[0]]} - {estimator.systems[one.a[0]]}"] = error.message
    return out


def _half(estimator: ByMatrices, contrasts: Contrasts, confidence: float) -> Floats:
    """Half of each interval's width."""
    variance = estimator.over_topics(contrasts)
    return np.asarray(quantiles_of(confidence, variance.df) * np.sqrt(variance.value))


# ---- Gold labels, read, and the judge that they measure.


def gold_and_design(gold: Gold | None) -> tuple[Any, str | None, GoldList | None]:
    """Gold labels, their design, and the list they stand in, None where there is none: it knows how it was drawn."""
    if gold is None:
        return None, None, None
    listed = gold_list_of(gold.labels)
    if listed is None:
        return gold.labels, gold.design, None
    if gold.design is not None:
        raise TruegainError(
            f"{listed.source} knows its design ({listed.design}); leave {arg('design', gold.design)} out"
        )
    if listed.design == UNJUDGED_DESIGN:
        raise InputError("this is a sample of unjudged documents, not gold labels of judged ones", file=listed.source,
                         hint=f"give it as {arg('unjudged_sample')}")  # fmt: skip
    if listed.design == "ordered" or (listed.cannot and listed.design in DESIGNS and DESIGNS[listed.design].equal):
        # pairs drawn at random are an ordered list with sizes all alike, which goes on past what nobody could judge;
        # to the judge both are a sample of single pairs, whose weights are the list's own expansions
        return listed.judgments(), "random", replace(listed, design="ordered")
    if listed.cannot:
        raise InputError(
            f"people could not judge {len(listed.cannot):,} documents of this list, and the labels of the others "
            f"alone are not a sample of the design {listed.design!r}", file=listed.source,
            hint="have them judged, or draw an ordered or a random list, which bounds their labels",
        )  # fmt: skip
    return listed.judgments(), design_of(listed.design).name, listed


def ordered_list(label_list: GoldList | None) -> GoldList | None:
    """The list of gold labels where it is ordered, so that it may be judged from the top; None for another or none."""
    return label_list if label_list is not None and label_list.design == "ordered" else None


@dataclass(frozen=True, eq=False)
class GivenLabels:
    """The labels of a study as it was given them, before a topic is left out."""

    as_given: JudgmentsLike  # the judgments, which may be a path
    bronze: Judgments  # the same as labels: read, and ratings put together
    gold: Any  # trusted labels, or the judge measured on some; None: there are none
    design: str | None  # how these were drawn
    gold_list: GoldList | None  # that they stand in


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of all topics, and of those of the study."""

    all_topics: Judgments
    study_topics: Judgments
    topics: tuple[str, ...]

    def of_study(self, trusted: Judgments) -> Judgments:
        """Trusted labels without those of judged topics that are left out."""
        left_out = set(self.all_topics.topic.values) - set(self.topics)
        return of_topics(trusted, set(trusted.topic.values) - left_out)

    def judge(
        self,
        gold: object,
        design: str | None,
        measure: Measure,
        gold_relevant_from: float | None,
        rated: bool,
        listed: GoldList | None = None,
        ends: tuple[float, float] | None = None,
    ) -> Judge | None:
        """The judge: fitted on the study's topics where gold is a sample of the scored pairs, else on all labels.

        rated: gold labels are means of ratings, which lie between the labels that a judge may give; listed: the ordered
        list that they stand in; ends: the lowest and the highest label, where a list says so.
        """
        if isinstance(gold, Judge) and design not in (None, gold.design):
            raise TruegainError(
                f"the judge was fitted with design {gold.design!r}, not {design!r}; leave {argname('design')} out"
            )
        if isinstance(gold, Judge):
            tell_unlike_design(gold, self.study_topics.topic.values)
        if gold is None or isinstance(gold, Judge):
            return gold
        trusted, labels, scale = gold_of(gold), self.all_topics, None
        if isinstance(measure, ItemMean):  # values of answers, which may lie below 0
            trusted = replace(trusted, are_gains=True)
        if is_sample(design):
            trusted, labels = self.of_study(trusted), self.study_topics
        if labels.are_gains and trusted.are_gains:  # values as they are: a judge may use more of them than people
            scale = _values_in(labels, trusted)
        if rated:
            bronze, gold_labels = labels.label, trusted.label
            if bronze.min() <= gold_labels.min() and gold_labels.max() <= bronze.max():
                scale = np.union1d(bronze, gold_labels).tolist()
        weights = None
        if listed is not None:
            weights = expansion_in(listed, trusted)
        if ends is not None and not isinstance(measure, ItemMean):
            labels_in_use = np.concatenate([labels.label, trusted.label, np.arange(ends[0], ends[1] + 1)])
            scale = np.unique(labels_in_use[labels_in_use >= 0]).tolist()
        try:
            judge = fit_judge(labels, trusted, design, measure, gold_relevant_from, scale=scale, weights=weights)
        except InputError as error:  # a study leaves none out by itself
            if error.hint is None or UNMATCHED not in error.hint.marked:
                raise
            hint = error.hint.marked.replace(UNMATCHED, "leave them out of the gold labels")
            raise error.with_hint(hint) from None
        if listed is None:
            tell_unlike_design(judge, self.study_topics.topic.values)
        return judge

    def sample(
        self, sample: UnjudgedSample, runs: RunsInput, measures: Sequence[Measure]
    ) -> RandomUnjudgedSample | UnjudgedList:
        """The sample of the unjudged: a list knows the chances with which it was drawn, any other has equal ones."""
        rows = gold_list_of(sample.labels)
        if rows is not None:
            return UnjudgedList.of(runs.all(self.study_topics), self.study_topics, rows, tuple(measures))
        if sample.predicted:
            raise TruegainError(
                "predictions need a sample drawn in proportion to their uncertainty; draw it with "
                f"{SAMPLE_UNJUDGED}, or do not predict: these labels, sampled with equal probability, then represent "
                "the other unjudged documents"
            )
        drawn = Judgments.of(sample.labels)
        drawn.check_drawn("labels of the sample")
        return RandomUnjudgedSample.of(
            runs.all(self.study_topics), self.study_topics, self.of_study(drawn), tuple(measures)
        )


def _values_in(labels: Judgments, trusted: Judgments) -> list[float] | None:
    """All values that occur, as the scale of both judges; None where it would be none."""
    values = np.union1d(labels.label, trusted.label).tolist()
    return values if len(values) > 1 and values[0] >= 0 else None


def expansion_in(listed: GoldList, kept: Judgments) -> Floats:
    """How many pairs each gold label that is kept stands for."""
    draws = OrderedDraws(listed.size, listed.judged)
    left = set(kept.topic.values)
    return np.asarray(draws.expansion[[i for i in listed.labeled.tolist() if listed.topics[i] in left]])


# ---- What cannot be corrected.


def check_measure(measure: Measure, design: str | None, ordered: bool = False) -> None:
    """Refuse a measure that is no mean over topics, or that gold labels drawn in this way cannot set right.

    ordered: gold labels are those of a list, drawn one by one.
    """
    if measure.mean != "arithmetic":
        raise MeasureError(f"{measure} is not a mean over topics, which a study needs; use another measure")
    if ordered:
        refuse_without_stand_in(measure)
    elif draws_pairs(design):
        refuse_not_linear(measure)
    elif design is not None and not is_sample(design):
        check_linear(measure)


def refused_of(measures: Sequence[Measure], design: str | None, ordered: bool = False) -> dict[str, str]:
    """Which of several measures cannot be told, and why; an error where none can."""
    refused: dict[str, MeasureError] = {}
    for m in measures:
        try:
            check_measure(m, design, ordered)
        except MeasureError as error:
            refused[str(m)] = error
    if len(refused) == len(measures):
        raise next(iter(refused.values()))
    return {m: error.message for m, error in refused.items()}


def uncorrectable(measures: Sequence[Measure], design: str | None, ordered: bool = False) -> dict[str, str]:
    """Which of several measures gold labels drawn in this way cannot set right, and why; none where they can no other.

    >>> from truegain.measures.catalogue import parse_measure
    >>> measures = [parse_measure("P@10"), parse_measure("AP")]
    >>> list(uncorrectable(measures, "random")), uncorrectable(measures[1:], "random")
    (['AP'], {})
    """
    try:
        return refused_of(measures, design, ordered)
    except MeasureError:
        return {}


def check_gold_level(judge: Judge, gold_relevant_from: float | None, ends: Sequence[float] = ()) -> None:
    """Refuse a smallest relevant gold label that lies outside of the labels in use: all would be relevant, or none.

    Gold labels of a sample may all be so by chance; those of the judge tell what else they may be, and so do the ends
    of the scale of a list.
    """
    if gold_relevant_from is None or not judge.confusion.clustered or not judge.confusion.gold:
        return
    labels = sorted({*judge.confusion.gold, *judge.confusion.bronze, *ends})
    if labels[0] < gold_relevant_from <= labels[-1]:
        return
    every = "every" if gold_relevant_from <= labels[0] else "no"
    raise TruegainError(
        f"{argname('gold_relevant_from', gold_relevant_from, 'g')}: {every} gold label is relevant then (labels are "
        f"{some([f'{x:g}' for x in labels], 8)}); give the smallest one that is"
    )


def check_unjudged(ranked: RankedGains, measure: Measure, judge: Judge | None) -> None:
    """Warn of unjudged documents that no correction mends; refuse them where the judged were chosen to tell apart."""
    if judge is not None:
        tell_unjudged(ranked, measure)
    else:
        refuse_chosen(ranked, measure)


# ---- What scores stand on.


def estimator_of(
    ranked: RankedGains,
    measure: Measure,
    judge: Judge | None,
    gold_relevant_from: float | None,
    confidence: float = 0.95,
) -> ScoreEstimator:
    """What the scores of a measure stand on; what cannot be corrected is refused.

    confidence: a corrected score whose whole interval lies outside what it can be is refused.
    """
    check_measure(measure, None)
    if judge is None:
        return Plain(_complete(measure.score(ranked), ranked), ranked.topics)
    if is_sample(judge.design):
        return gold_estimator(ranked, measure, judge, gold_relevant_from)[0]
    return _by_matrix(ranked, measure, judge, gold_relevant_from, confidence)


def gold_estimator(
    ranked: RankedGains, measure: Measure, judge: Judge, gold_relevant_from: float | None
) -> tuple[ByGoldTopics | ByGoldPairs, Judge, Floats]:
    """Scores corrected by gold labels, the judge at the levels of the measure, and each item's gold label or NaN."""
    level = level_of(measure)
    fitted = judge.at_levels(level, gold_relevant_from)
    gold = gold_of_items(ranked.pool, fitted, level)
    fit = rectification(ranked, gold, measure, judge.design, expansion_by_judge(fitted, ranked.pool))
    if isinstance(fit, TopicFit):
        return ByGoldTopics(fit, ranked.topics), fitted, gold
    topics = fit.has_gold().sum(axis=1)
    if isinstance(measure, ItemMean):
        _check_answers(ranked.systems, topics.tolist())
    if not topics.any():
        raise TruegainError(
            f"none of the documents that {measure} counts has a gold label for {some(ranked.systems)}; sample gold "
            "labels from what these systems retrieved"
        )
    if lone := [s for s, n in zip(ranked.systems, topics.tolist(), strict=True) if n == 1]:
        raise TruegainError(
            f"the gold labels of what {some(lone)} retrieved are all in one topic, so how topics differ is unknown; "
            "add gold labels from more topics"
        )
    units = GoldUnits.drawn if fit.pairs.unit is None else GoldUnits.of_answers
    drawn = units(ranked.pool, fit.pairs.sampled, fit.pairs.expansion)
    return ByGoldPairs(fit, ranked.topics, drawn), fitted, gold


def _check_answers(systems: Sequence[str], topics: Sequence[int]) -> None:
    """Refuse gold labels of answers that leave out a system; topics: how many have a gold label, by system."""
    if none := [s for s, n in zip(systems, topics, strict=True) if n == 0]:
        raise TruegainError(NO_GOLD.format(some(none)))
    if lone := [s for s, n in zip(systems, topics, strict=True) if n < 2]:
        raise TruegainError(
            f"answers of {some(lone)} have gold labels on one topic only, so how topics differ is unknown; add gold "
            "labels of its answers to more topics"
        )


def _by_matrix(
    ranked: RankedGains, measure: Measure, judge: Judge, gold_relevant_from: float | None, confidence: float
) -> ByMatrices:
    """Scores of all systems by confusion matrices; one that cannot be corrected is an error."""
    lists = JudgedLists.of(ranked, judge, measure, gold_relevant_from=gold_relevant_from)
    estimator, refused = by_matrices(lists, confidence)
    for s, error in refused.items():
        raise TruegainError(f"{ranked.systems[s]}, {measure}: {with_marks(error)}")
    assert estimator is not None
    for pair, why in impossible_pairs(estimator, Contrasts.all_pairs(len(ranked.systems)), confidence).items():
        raise TruegainError(f"{pair}, {measure}: {with_marks(why)}")
    return estimator


def _complete(scores: Floats, ranked: RankedGains) -> Floats:
    missing = np.isnan(scores)
    if missing.any():
        s, t = np.argwhere(missing)[0].tolist()
        raise TruegainError(
            f"{ranked.systems[s]} has no score on topic {ranked.topics[t]}; a study needs topics that all systems have"
        )
    return scores
