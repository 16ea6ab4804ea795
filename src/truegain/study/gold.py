"""Gold labels as a study uses them, the judge that they measure, and the estimator made of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from truegain.config import Gold, UnjudgedSample
from truegain.data.judgments import Judgments
from truegain.data.label_list_reading import gold_list_of
from truegain.data.label_lists import GoldList
from truegain.data.pool import RankedGains
from truegain.errors import InputError, MeasureError, TruegainError, some
from truegain.io.columns import Floats
from truegain.judge_error.gold_pairs import UNMATCHED
from truegain.judge_error.judge import Judge
from truegain.judge_error.panel import fit_judge
from truegain.judge_error.system_judges import JudgedLists, check_inside, rectifying, refuse_not_linear, score_range
from truegain.judge_error.topic_estimators import TopicFit
from truegain.measures.base import Measure
from truegain.measures.label_weights import check_linear, tell_unjudged
from truegain.measures.scoring import refuse_chosen
from truegain.message import SAMPLE_UNJUDGED, arg, argname, with_marks
from truegain.pooling.samples import DESIGN as HOLES
from truegain.sampling.designs import DRAWN_PAIRS, SAME_POPULATION, Design, OrderedDraws, check_design
from truegain.sampling.gold import GoldUnits
from truegain.stats.contrasts import Contrasts
from truegain.stats.student_t import quantiles_of
from truegain.study.config import RunsInput, gold_of, of_topics, tell_same_topics, tell_unlike_design, tell_whole_topics
from truegain.study.estimators import ByGoldPairs, ByGoldTopics, ByMatrices, Plain, ScoreEstimator
from truegain.study.gold_lists import refuse_without_stand_in
from truegain.study.unjudged_sample import HoleList, HoleSample

# ---- From ranked labels, and gold ones where there are, to the evidence for a measure.


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
) -> ScoreEstimator:
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


# ---- Trusted labels as a study uses them: of the topics that are left, with the judge that they measure.


def listed_in(gold: Gold | None) -> tuple[Any, Design | None, GoldList | None]:
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
    if listed.design == HOLES:
        raise InputError("this is a sample of unjudged documents, no gold labels of judged ones", file=listed.source,
                         hint=f"give it as {arg('unjudged_sample')}")  # fmt: skip
    if listed.design == "ordered" or (listed.cannot and listed.design == "random"):
        # pairs drawn at random are an ordered list with sizes all alike, which goes on past what nobody could judge
        return listed.judgments(), "random", replace(listed, design="ordered")
    if listed.cannot:
        raise InputError(
            f"people could not judge {len(listed.cannot):,} documents of this list, and the labels of the others alone "
            f"are no sample of the design {listed.design!r}", file=listed.source,
            hint="have them judged, or draw an ordered or a random list, which takes them at worst and at best",
        )  # fmt: skip
    known = next((d for d in get_args(Design) if d == listed.design), None)
    check_design(known)
    return listed.judgments(), known, listed


@dataclass(frozen=True, eq=False)
class Labels:
    """All labels that were given, and those of the topics of the study."""

    given: Judgments
    kept: Judgments
    topics: tuple[str, ...]

    def of_study(self, trusted: Judgments) -> Judgments:
        """Trusted labels without those of judged topics that are left out."""
        left_out = set(self.given.topic.values) - set(self.topics)
        return of_topics(trusted, set(trusted.topic.values) - left_out)

    def judge(
        self,
        gold: object,
        design: Design | None,
        measure: Measure,
        gold_relevant_from: float | None,
        rated: bool,
        listed: GoldList | None = None,
    ) -> Judge | None:
        """The judge, on all labels where gold is not a sample of those scored, else on the topics of the study.

        rated: gold labels are means of ratings, which lie between the labels that a judge may give.
        """
        if isinstance(gold, Judge) and design not in (None, gold.design):
            raise TruegainError(
                f"the judge was fitted with design {gold.design!r}, not {design!r}; leave {argname('design')} out"
            )
        if gold is None or isinstance(gold, Judge):
            return gold
        trusted, labels, scale = gold_of(gold), self.given, None
        if design in SAME_POPULATION:
            trusted, labels = self.of_study(trusted), self.kept
        if rated:
            said, meant = labels.label, trusted.label
            if said.min() <= meant.min() and meant.max() <= said.max():
                scale = np.union1d(said, meant).tolist()
        weights = None
        if listed is not None:  # which says what labels there are
            weights = expansion_in(listed, trusted)
            known = np.concatenate([labels.label, trusted.label, np.arange(listed.scale[0], listed.scale[1] + 1)])
            scale = np.unique(known[known >= 0]).tolist()
        try:
            judge = fit_judge(labels, trusted, design, measure, gold_relevant_from, scale=scale, weights=weights)
        except InputError as error:  # a study leaves none out by itself
            if error.hint is None or UNMATCHED not in error.hint.marked:
                raise
            hint = error.hint.marked.replace(UNMATCHED, "leave them out of the gold labels")
            raise InputError(error.problem, file=error.file, hint=hint) from None
        if listed is None:
            if not tell_whole_topics(judge):
                tell_unlike_design(judge)
            tell_same_topics(judge, self.kept.topic.values)
        return judge

    def sample(self, sample: UnjudgedSample, runs: RunsInput, measures: Sequence[Measure]) -> HoleSample | HoleList:
        """The sample of the holes: a list knows with which chances it was drawn, any other has equal ones."""
        rows = gold_list_of(sample.labels)
        if rows is not None:
            return HoleList.of(runs.all(self.kept), self.kept, rows, tuple(measures))
        if sample.predicted:
            raise TruegainError(
                "predictions are corrected by a sample that was drawn in proportion to what they leave open; draw it "
                f"with {SAMPLE_UNJUDGED}, or do not predict: these labels, drawn with equal chances, then stand for "
                "the other unjudged documents"
            )
        drawn = Judgments.of(sample.labels)
        drawn.check_drawn("labels of the sample")
        return HoleSample.of(runs.all(self.kept), self.kept, self.of_study(drawn), tuple(measures))


def expansion_in(listed: GoldList, kept: Judgments) -> Floats:
    """How many pairs each gold label that is kept stands for."""
    draws = OrderedDraws(listed.size, listed.judged)
    left = set(kept.topic.values)
    return np.asarray(draws.expansion[[i for i in listed.labelled.tolist() if listed.topics[i] in left]])
