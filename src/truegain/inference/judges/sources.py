"""What rectified scores are made of: whole gold topics, or gold pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import get_args

import numpy as np

from truegain.errors import MeasureError, TruegainError
from truegain.gains.judge import Judge
from truegain.gains.rectified import Rectified
from truegain.gains.rectify import ENOUGH_SLOPE, LEAST_TOPICS, rectify_topics, slope_of
from truegain.gains.rectify_pairs import PAIR_METHODS, PairMethod, SampledPairs, rectify_pairs, strata_of
from truegain.inference.judges.gold_alone import gold_of_items
from truegain.inference.judges.label_weights import level_of
from truegain.measures.base import Measure
from truegain.measures.linear import linear_parts
from truegain.sampling.designs import DESIGNS, SAME_POPULATION, expansion_of
from truegain.sampling.gold import judged_whole
from truegain.tables.checks import warn
from truegain.tables.columns import Floats
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains


@dataclass(frozen=True, eq=False)
class GoldTopics:
    """Scores by system and topic under bronze labels, and under gold ones where the topic is fully gold-judged.

    Whether bronze scores help is decided once, for all systems and differences together; one system alone would
    decide for itself, so there they count.
    """

    bronze: Floats
    gold: Floats
    bounds: tuple[float, float]
    name: str = "rectified by gold topics"

    def estimate(
        self, system: int, against: int | None, weights: Floats | None = None, *, generalise: bool = True
    ) -> Rectified:
        """The rectified score of a system, or its difference from another: of topics like these, or of these only."""
        b, g = self.bronze[system], self.gold[system]
        if against is not None:
            b, g = b - self.bronze[against], g - self.gold[against]
        there = ~np.isnan(b)
        found = rectify_topics(
            b[there],
            g[there],
            weights=None if weights is None else weights[there],
            helps=self.helps,
            generalise=generalise,
        )
        if against is not None:
            return found
        low, high = self.bounds
        held = replace(found, value=min(high, max(low, found.value)))
        return held if math.isinf(high - low) else replace(held, bounds=self.bounds)

    @property
    def helps(self) -> bool:
        """Whether bronze scores shorten the interval, as far as all systems tell."""
        return len(self.bronze) == 1 or self.slope > ENOUGH_SLOPE

    @property
    def gold_topics(self) -> int:
        """How many topics have gold scores."""
        return int((~np.isnan(self.gold)).any(axis=0).sum())

    @cached_property
    def slope(self) -> float:
        """Of gold on bronze scores over the gold topics, all systems together."""
        return slope_of(self.bronze, self.gold)


@dataclass(frozen=True, eq=False)
class GoldPairs:
    """The pool as pairs, and per system what each pair counts."""

    pairs: SampledPairs
    coefficients: Floats
    present: Floats
    method: PairMethod
    bounds: tuple[float, float]

    @property
    def name(self) -> str:
        """How it is called in tables."""
        return f"rectified by gold pairs, {self.method}"

    def estimate(self, system: int, against: int | None, weights: Floats | None = None) -> Rectified:
        """The rectified score of a system, or its difference from another; `weights` are copies of each topic."""
        there = self.present[system] if against is None else self.present[system] * self.present[against]
        there = there if weights is None else there * weights
        other = None if against is None else self.coefficients[against]
        return rectify_pairs(
            self.pairs,
            self.coefficients[system],
            against=other,
            weights=there,
            method=self.method,
            bounds=self.bounds,
        )


def rectifying(
    ranked: RankedGains, judge: Judge, measure: Measure, gold_level: float | None = None
) -> tuple[GoldTopics | GoldPairs, Judge, Floats]:
    """What sets the scores right, the judge at the levels of the measure, and the gold label of each item, or NaN."""
    level = level_of(measure)
    fitted = judge.at_levels(level, gold_level)
    gold = gold_of_items(ranked.pool, fitted, level)
    weights = expansion_by_judge(fitted, ranked.pool)
    return source_of(ranked, gold, measure, judge.design, weights, "auto"), fitted, gold


def source_of(
    bronze: RankedGains, gold_gains: Floats, measure: Measure, design: str, weights: Floats | None, method: str
) -> GoldTopics | GoldPairs:
    """Whole gold topics or single gold pairs, as `design` says; what cannot be rectified is refused."""
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
        if method not in ("auto", "topics"):
            raise TruegainError(f"method {method!r} is for gold pairs; with whole gold topics leave it out")
        return _by_topics(bronze, gold, measure)
    chosen = "calibrated" if method == "auto" else method
    if chosen not in PAIR_METHODS:
        raise TruegainError(f"method {method!r} is not known; give auto, {', '.join(PAIR_METHODS)}")
    return _by_pairs(bronze, gold, measure, design, weights, next(m for m in get_args(PairMethod) if m == chosen))


def _by_topics(bronze: RankedGains, gold: Floats, measure: Measure) -> GoldTopics:
    whole, in_part = judged_whole(bronze.pool.topic, ~np.isnan(gold), len(bronze.topics))
    partly = int(in_part.sum())
    if whole.sum() < LEAST_TOPICS and not whole.all():
        raise TruegainError(
            f"{int(whole.sum())} of {len(whole)} topics have a gold label for every judged pair, {partly} for some; at "
            f"least {LEAST_TOPICS} whole topics are needed, better 20: with fewer no interval holds what it promises "
            "(for a sample of pairs give design='random' or 'by-bronze')"
        )
    if partly:
        warn(f"{partly} topics are gold-judged in part only; their gold labels are not used")
    scores = measure.score(bronze)
    said = np.where(bronze.item_judged, bronze.item_gain, np.nan)
    filled = np.where(np.isnan(gold), said, gold)
    truth = np.where(whole[None, :], measure.score(bronze.with_gains(filled)), np.nan)
    labels = np.concatenate([bronze.item_gain[bronze.item_judged], filled[~np.isnan(filled)]])
    return GoldTopics(scores, truth, _score_range(measure, labels, bronze))


def _score_range(measure: Measure, labels: Floats, ranked: RankedGains) -> tuple[float, float]:
    """The lowest and the highest score possible: as the measure declares, or by the labels where it is linear."""
    low, high = measure.bounds()
    if math.isinf(high - low) and measure.linear_in_gains:
        parts = linear_parts(measure, labels, int(ranked.rank.max(initial=1)))
        whole = float(parts.weight.sum())
        return whole * min(0.0, float(parts.worths.min())), whole * float(parts.worths.max())
    return low, high


def _by_pairs(
    bronze: RankedGains, gold: Floats, measure: Measure, design: str, weights: Floats | None, method: PairMethod
) -> GoldPairs:
    if not measure.linear_in_gains:
        raise MeasureError(
            f"{measure} is not linear in gain, so single gold pairs cannot rectify it; gold-judge whole topics "
            "(design='topics'), or use P, CG, DCG, RBP or SDCG"
        )
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
    present = bronze.present.reshape(len(bronze.systems), len(bronze.topics)).astype(np.float64)
    whole = float(parts.weight.sum())
    bounds = whole * min(0.0, float(parts.worths.min())), whole * float(parts.worths.max())
    return GoldPairs(pairs, parts.coefficients(bronze), present, method, bounds)


def expansion_by_judge(judge: Judge, pool: Pool) -> Floats | None:
    """How many pairs of the pool each gold pair stands for, where the judge was fitted with weights; else None."""
    if judge.pairs is None or not judge.pairs.weighted:
        return None
    if DESIGNS[judge.design].whole:
        raise TruegainError(
            "weights are for gold pairs; whole gold topics are taken as drawn with equal chances (fit without weights, "
            "or give design='random' for pairs drawn with the chances behind the weights)"
        )
    item = judge.pairs.items_in(pool)
    out = np.ones(len(pool))
    out[item[item >= 0]] = judge.pairs.weight[item >= 0]
    return out
