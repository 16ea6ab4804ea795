"""Scores corrected by gold labels of pairs or of whole topics."""

from __future__ import annotations

import math

import numpy as np

from truegain.data.pool import Pool, RankedGains
from truegain.errors import MeasureError, TruegainError, warn
from truegain.io.columns import Coded, Floats, Ints
from truegain.judge_error.gold_pairs import MOST_OFF_SCALE, Pairs, apart, by_luck
from truegain.judge_error.judge import Judge
from truegain.judge_error.pair_estimators import TWO_LEVELS, PairFit, SampledPairs, clipped_to_gold, slope_of, strata_of
from truegain.judge_error.topic_estimators import LEAST_TOPICS, TopicFit
from truegain.measures.base import Measure
from truegain.measures.items import ItemMean, usual_ends
from truegain.measures.label_weights import linear_parts, refuse_not_linear
from truegain.message import arg, declared_scale
from truegain.sampling.catalogue import DESIGNS, design_of, is_sample
from truegain.sampling.gold import answers_of, judged_whole


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
    """
    if isinstance(measure, ItemMean) and measure.of_people is not None and all(map(math.isfinite, measure.of_people)):
        return measure.of_people
    least, greatest = float(gold.min()), float(gold.max())
    low, high = usual_ends(least, greatest)
    if least == greatest and not low <= bronze.min() <= bronze.max() <= high:
        return low, high  # one value shows no spread, and neither does what is cut
    bronze = np.clip(bronze, low, high)
    return min(least, float(bronze.min())), max(greatest, float(bronze.max()))


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
    scales = apart(np.array([*judge.pairs.share]), judge.pairs.gold) if judge.pairs.scale is None else None
    if scales is not None:
        n = len(judge.pairs.gold)
        seem = f"may be of different scales ({n} gold labels are too few to tell)" if by_luck(judge.pairs) else (
            "are of different scales")  # fmt: skip
        raise TruegainError(
            f"{name} uses labels as gains, and the two judges' {seem}: {scales}; bronze and corrected scores would not "
            "be comparable. Map one scale onto the other first (such as bronze 0 and 1 to 0, 2 and 3 to 1; or gold "
            "1 to 3), use a binary measure such as P@10 and give the smallest relevant label of each "
            f"({arg('gold_relevant_from')})"
            f"{declared_scale(', or, if a label means the same to both, declare the labels in use ({})')}"
        )
