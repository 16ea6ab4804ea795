"""From ranked labels, and gold ones where there are, to the evidence for a measure."""

from __future__ import annotations

import numpy as np

from truegain.errors import MeasureError, TruegainError, some
from truegain.gains.judge import Judge
from truegain.gains.matrix_fit import MatrixFit
from truegain.gains.pair_fit import PairFit
from truegain.inference.judges.label_weights import tell_unjudged
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.judges.sources import GoldPairs, GoldTopics, rectifying
from truegain.inference.study.evidence import ByGoldPairs, ByGoldTopics, Evidence, Plain
from truegain.measures.base import Measure
from truegain.sampling.designs import SAME_POPULATION
from truegain.sampling.gold import Gold
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains


def evidence_of(ranked: RankedGains, measure: Measure, judge: Judge | None, gold_level: float | None) -> Evidence:
    """What the scores of a measure stand on; what cannot be corrected is refused."""
    if measure.mean != "arithmetic":
        raise MeasureError(f"{measure} is not a mean over topics; a study is about means: take another measure")
    if judge is None:
        return Plain(_complete(measure.score(ranked), ranked), ranked.topics)
    if judge.design in SAME_POPULATION:
        return _rectified(ranked, measure, judge, gold_level)
    return _by_matrix(ranked, measure, judge, gold_level)


def _rectified(ranked: RankedGains, measure: Measure, judge: Judge, gold_level: float | None) -> Evidence:
    source, _, _ = rectifying(ranked, judge, measure, gold_level)
    if isinstance(source, GoldTopics):
        return ByGoldTopics(source, ranked.topics, np.asarray(~np.isnan(source.gold).any(axis=0)))
    assert isinstance(source, GoldPairs)
    fit = PairFit.of(source.pairs, source.coefficients)
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
    return ByGoldPairs(fit, ranked.topics, Gold.drawn(ranked.pool, source.pairs.sampled, source.pairs.expansion))


def _by_matrix(ranked: RankedGains, measure: Measure, judge: Judge, gold_level: float | None) -> MatrixFit:
    lists, answered = (
        JudgedLists.of(ranked, judge, measure, gold_level=gold_level),
        np.ones(len(ranked.topics), np.bool_),
    )
    matrices = {}
    for s, system in enumerate(ranked.systems):
        try:
            matrices[s] = lists.matrices(s, answered)
        except TruegainError as error:
            raise TruegainError(f"{system}, {measure}: {error}") from None
    return lists.fit_with(matrices, answered)


def _complete(scores: Floats, ranked: RankedGains) -> Floats:
    missing = np.isnan(scores)
    if missing.any():
        s, t = np.argwhere(missing)[0].tolist()
        raise TruegainError(
            f"{ranked.systems[s]} has no score on topic {ranked.topics[t]}; a study needs topics that all systems have"
        )
    return scores


def tell_holes(ranked: RankedGains, measure: Measure, judge: Judge | None) -> None:
    """Warn of unjudged documents that no correction mends."""
    if judge is not None:
        tell_unjudged(ranked, measure)
