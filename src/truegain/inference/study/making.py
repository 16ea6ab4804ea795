"""From ranked labels, and gold ones where there are, to the evidence for a measure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truegain.contrasts import Contrasts
from truegain.errors import MeasureError, TruegainError, some
from truegain.gains.judge import Judge
from truegain.gains.topic_fit import TopicFit
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.judges.soundness import check_inside, score_range
from truegain.inference.judges.sources import rectifying, refuse_not_linear
from truegain.inference.study.evidence import ByGoldPairs, ByGoldTopics, ByMatrices, Evidence, Plain
from truegain.inference.study.listed import refuse_without_stand_in
from truegain.measures.base import Measure
from truegain.measures.chosen import refuse_chosen
from truegain.measures.label_weights import check_linear, tell_unjudged
from truegain.message import with_marks
from truegain.sampling.designs import DRAWN_PAIRS, SAME_POPULATION
from truegain.sampling.gold import GoldUnits
from truegain.student import quantiles_of
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains


def check_measure(measure: Measure, design: str | None, ordered: bool = False) -> None:
    """Refuse a measure that is no mean over topics, or that gold labels drawn in this way cannot set right.

    ordered: gold labels are those of a list, drawn one by one.
    """
    if measure.mean != "arithmetic":
        raise MeasureError(f"{measure} is not a mean over topics; a study is about means: take another measure")
    if ordered:
        refuse_without_stand_in(measure)
    elif design in DRAWN_PAIRS:
        refuse_not_linear(measure)
    elif design is not None and design not in SAME_POPULATION:
        check_linear(measure)


def refused_of(measures: Sequence[Measure], design: str | None, ordered: bool = False) -> dict[str, str]:
    """Which of several measures cannot be told, and why; an error where none can."""
    found: dict[str, MeasureError] = {}
    for m in measures:
        try:
            check_measure(m, design, ordered)
        except MeasureError as error:
            found[str(m)] = error
    if len(found) == len(measures):
        raise next(iter(found.values()))
    return {m: error.message for m, error in found.items()}


def beyond(measures: Sequence[Measure], design: str | None, ordered: bool = False) -> dict[str, str]:
    """Which of several measures gold labels drawn in this way cannot set right, and why; none where they can no other.

    >>> from truegain.measures.parse import parse_measure
    >>> list(beyond([parse_measure("P@10"), parse_measure("AP")], "random")), beyond([parse_measure("AP")], "random")
    (['AP'], {})
    """
    try:
        return refused_of(measures, design, ordered)
    except MeasureError:
        return {}


def evidence_of(
    ranked: RankedGains,
    measure: Measure,
    judge: Judge | None,
    gold_relevant_from: float | None,
    confidence: float = 0.95,
) -> Evidence:
    """What the scores of a measure stand on; what cannot be corrected is refused.

    confidence: a corrected score whose whole interval lies outside what it can be is refused.
    """
    check_measure(measure, None)
    if judge is None:
        return Plain(_complete(measure.score(ranked), ranked), ranked.topics)
    if judge.design in SAME_POPULATION:
        return rectified(ranked, measure, judge, gold_relevant_from)[0]
    return _by_matrix(ranked, measure, judge, gold_relevant_from, confidence)


def rectified(
    ranked: RankedGains, measure: Measure, judge: Judge, gold_relevant_from: float | None
) -> tuple[ByGoldTopics | ByGoldPairs, Judge, Floats]:
    """Scores set right with gold labels, the judge at the levels of the measure, and the gold label of each item."""
    fit, fitted, gold = rectifying(ranked, judge, measure, gold_relevant_from)
    if isinstance(fit, TopicFit):
        return ByGoldTopics(fit, ranked.topics), fitted, gold
    topics = fit.has_gold().sum(axis=1)
    if not topics.any():
        raise TruegainError(
            f"none of the documents that {measure} looks at has a gold label for {some(ranked.systems)}; draw gold "
            "labels from what these systems retrieved"
        )
    if lone := [s for s, n in zip(ranked.systems, topics.tolist(), strict=True) if n == 1]:
        raise TruegainError(
            f"the gold labels of what {some(lone)} retrieved all stand in one topic, so how topics differ is not "
            "known; have gold labels drawn from more topics"
        )
    drawn = GoldUnits.drawn(ranked.pool, fit.pairs.sampled, fit.pairs.expansion)
    return ByGoldPairs(fit, ranked.topics, drawn), fitted, gold


def _by_matrix(
    ranked: RankedGains, measure: Measure, judge: Judge, gold_relevant_from: float | None, confidence: float
) -> ByMatrices:
    lists = JudgedLists.of(ranked, judge, measure, gold_relevant_from=gold_relevant_from)
    answered = np.ones(len(ranked.topics), np.bool_)
    matrices = {}
    for s, system in enumerate(ranked.systems):
        try:
            matrices[s] = lists.matrices(s, answered)
        except TruegainError as error:
            raise TruegainError(f"{system}, {measure}: {with_marks(error)}") from None
    found = ByMatrices(lists.fit_with(matrices, answered), judge.size)
    _check_possible(found, lists, confidence)
    return found


def _check_possible(found: ByMatrices, lists: JudgedLists, confidence: float) -> None:
    """Refuse scores and differences that lie clearly outside what they can be, as `tg.compare` does."""
    systems, value, topics = lists.ranked.systems, found.value, np.ones(len(found.fit.topics), np.bool_)
    if lone := [s for s, n in zip(systems, found.fit.has_gold.sum(axis=0).tolist(), strict=True) if n == 1]:
        raise TruegainError(
            f"{some(lone)}, {lists.measure}: the gold pairs come from 1 topic, so how topics differ is not known; have "
            "gold labels of more topics"
        )
    ranges = np.array([score_range(lists, s, topics) for s in range(len(systems))])
    half = _half(found, Contrasts.scores(len(systems)), confidence)
    for system, *one in zip(systems, value.tolist(), half.tolist(), ranges.tolist(), strict=True):
        _inside(f"{system}, {lists.measure}", *one)
    pairs = Contrasts.all_pairs(len(systems))
    most = np.maximum(*pairs.ends(ranges[:, 1] - ranges[:, 0]))
    far = np.flatnonzero(np.abs(pairs.values(value)) > most)  # few, as a rule none
    pairs = Contrasts(pairs.a[far], pairs.b[far])
    half = _half(found, pairs, confidence) if len(far) else most
    for i, (a, b) in enumerate(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True)):
        names, end = f"{systems[b]} - {systems[a]}, {lists.measure}", float(most[far[i]])
        _inside(names, float(value[b] - value[a]), float(half[i]), (-end, end))


def _half(found: ByMatrices, asked: Contrasts, confidence: float) -> Floats:
    """Half of each interval's width."""
    spread = found.over_topics(asked)
    return np.asarray(quantiles_of(confidence, spread.df) * np.sqrt(spread.variance))


def _inside(what: str, value: float, half: float, limits: tuple[float, float]) -> None:
    try:
        check_inside(value, half, limits)
    except TruegainError as error:
        raise TruegainError(f"{what}: {with_marks(error)}") from None


def _complete(scores: Floats, ranked: RankedGains) -> Floats:
    missing = np.isnan(scores)
    if missing.any():
        s, t = np.argwhere(missing)[0].tolist()
        raise TruegainError(
            f"{ranked.systems[s]} has no score on topic {ranked.topics[t]}; a study needs topics that all systems have"
        )
    return scores


def tell_holes(ranked: RankedGains, measure: Measure, judge: Judge | None) -> None:
    """Warn of unjudged documents that no correction mends; refuse them where the judged were chosen to tell apart."""
    if judge is not None:
        tell_unjudged(ranked, measure)
    else:
        refuse_chosen(ranked, measure)
