"""From ranked labels and gold ones to what sets scores right: whole gold topics, or gold pairs."""

from __future__ import annotations

import math

import numpy as np

from truegain.errors import MeasureError, TruegainError
from truegain.gains.judge import Judge
from truegain.gains.pair_fit import PairFit
from truegain.gains.sampled_pairs import SampledPairs, strata_of
from truegain.gains.topic_fit import LEAST_TOPICS, TopicFit
from truegain.inference.judges.gold_alone import gold_of_items
from truegain.measures.base import Measure
from truegain.measures.label_weights import level_of
from truegain.measures.linear import linear_parts
from truegain.message import arg
from truegain.sampling.designs import DESIGNS, SAME_POPULATION, expansion_of
from truegain.sampling.gold import judged_whole
from truegain.tables.checks import warn
from truegain.tables.columns import Floats
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains


def rectifying(
    ranked: RankedGains, judge: Judge, measure: Measure, gold_relevant_from: float | None = None
) -> tuple[TopicFit | PairFit, Judge, Floats]:
    """What sets the scores right, the judge at the levels of the measure, and the gold label of each item, or NaN."""
    level = level_of(measure)
    fitted = judge.at_levels(level, gold_relevant_from)
    gold = gold_of_items(ranked.pool, fitted, level)
    weights = expansion_by_judge(fitted, ranked.pool)
    return fit_of(ranked, gold, measure, judge.design, weights), fitted, gold


def fit_of(
    bronze: RankedGains, gold_gains: Floats, measure: Measure, design: str, weights: Floats | None = None
) -> TopicFit | PairFit:
    """Whole gold topics or single gold pairs, as `design` says; what cannot be rectified is refused.

    gold_gains: a gold label for each item of `bronze.pool`, NaN where there is none.  design: how gold was drawn:
    'topics' (whole topics, any measure), 'random' (pairs of the pool) or 'by-bronze' (pairs, so many of each bronze
    label); pairs serve measures linear in gain only.  weights: how many pairs of the pool each gold pair stands for;
    without them the pool tells.
    """
    gold = np.asarray(gold_gains, np.float64)
    if design not in SAME_POPULATION:
        raise TruegainError(
            f"gold design {design!r} cannot be rectified; give one of {', '.join(SAME_POPULATION)} "
            "(gold stratified on the truth, or from elsewhere, needs the confusion matrix of a Judge)"
        )
    if len(gold) != len(bronze.pool):
        raise TruegainError(f"{len(gold)} gold gains for {len(bronze.pool)} judged pairs; give one each, NaN for none")
    if measure.of_subtopics or measure.mean == "total":
        raise MeasureError(f"{measure}: gold labels per document can rectify neither counts nor subtopic measures")
    if measure.mean != "arithmetic":
        raise MeasureError(f"{measure} is a {measure.mean} mean over topics, and rectified scores are arithmetic ones")
    if np.isnan(gold).all():
        raise TruegainError("there is no gold label for any judged pair; check that topics and documents match")
    if DESIGNS[design].whole:
        return _by_topics(bronze, gold, measure)
    return _by_pairs(bronze, gold, measure, design, weights)


def _by_topics(bronze: RankedGains, gold: Floats, measure: Measure) -> TopicFit:
    whole, in_part = judged_whole(bronze.pool.topic, ~np.isnan(gold), len(bronze.topics))
    partly = int(in_part.sum())
    if whole.sum() < LEAST_TOPICS and not whole.all():
        raise TruegainError(
            f"{int(whole.sum())} of {len(whole)} topics have a gold label for every judged pair, {partly} for some; at "
            f"least {LEAST_TOPICS} whole topics are needed, better 20: with fewer no interval holds what it promises "
            "(pairs that were drawn one by one are another design, 'random' or 'by-bronze')"
        )
    if partly:
        topics = "1 topic is" if partly == 1 else f"{partly} topics are"
        warn(f"{topics} gold-judged in part only; gold labels there are not used")
    scores = measure.score(bronze)
    said = np.where(bronze.item_judged, bronze.item_gain, np.nan)
    filled = np.where(np.isnan(gold), said, gold)
    truth = np.where(whole[None, :], measure.score(bronze.with_gains(filled)), np.nan)
    labels = np.concatenate([bronze.item_gain[bronze.item_judged], filled[~np.isnan(filled)]])
    return TopicFit.of(scores, truth, _score_range(measure, labels, bronze))


def _score_range(measure: Measure, labels: Floats, ranked: RankedGains) -> tuple[float, float]:
    """The lowest and the highest score possible: as the measure declares, or by the labels where it is linear."""
    low, high = measure.bounds()
    if math.isinf(high - low) and measure.linear_in_gains:
        parts = linear_parts(measure, labels, int(ranked.rank.max(initial=1)))
        whole = float(parts.weight.sum())
        return whole * min(0.0, float(parts.worths.min())), whole * float(parts.worths.max())
    return low, high


def refuse_not_linear(measure: Measure) -> None:
    """Refuse a measure that scattered gold labels cannot correct."""
    if not measure.linear_in_gains:
        raise MeasureError(
            f"{measure} cannot be corrected from scattered gold labels, because it is not linear in gain; use P, CG, "
            f"DCG, RBP or SDCG, or label whole topics ({arg('design', 'topics')})"
        )


def _by_pairs(bronze: RankedGains, gold: Floats, measure: Measure, design: str, weights: Floats | None) -> PairFit:
    refuse_not_linear(measure)
    labels = bronze.item_gain
    has = ~np.isnan(gold)
    expansion = expansion_of(labels, has, design) if weights is None else np.asarray(weights, np.float64)
    if len(expansion) != len(gold) or not np.all(expansion[has] > 0) or not np.all(np.isfinite(expansion[has])):
        raise TruegainError("weights must be one positive number a judged pair: 1 over its chance to be drawn")
    expansion = expansion * len(gold) / expansion[has].sum()
    said = np.where(has, gold, labels)
    parts = linear_parts(measure, np.concatenate([labels, said]), int(bronze.rank.max(initial=1)))
    pairs = SampledPairs(
        bronze.pool.topic.astype(np.int64),
        strata_of(labels, has),
        parts.worth(labels),
        np.where(has, parts.worth(said), np.nan),
        np.where(has, expansion, 1.0),
        len(bronze.topics),
    )
    whole = float(parts.weight.sum())
    bounds = whole * min(0.0, float(parts.worths.min())), whole * float(parts.worths.max())
    return PairFit.of(pairs, parts.coefficients(bronze), bounds)


def expansion_by_judge(judge: Judge, pool: Pool) -> Floats | None:
    """How many pairs of the pool each gold pair stands for, where the judge was fitted with weights; else None."""
    if judge.pairs is None or not judge.pairs.weighted:
        return None
    if DESIGNS[judge.design].whole:
        raise TruegainError(
            "weights are for gold pairs; whole gold topics are taken as drawn with equal chances (fit without weights, "
            f"or give {arg('design', 'random')} for pairs drawn with the chances behind the weights)"
        )
    item = judge.pairs.items_in(pool)
    out = np.ones(len(pool))
    out[item[item >= 0]] = judge.pairs.weight[item >= 0]
    return out
