"""Scores set right with the first labels of an ordered list."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from truegain.judge_error.pair_estimators import ListFit, slope_of, strata_of
from truegain.sampling.gold import OrderedDraws

TOPIC = np.array([0, 0, 1, 1, 2])
STRATUM = np.array([0, 1, 0, 1, 1])
GOLD = np.array([0.0, 1.0, 1.0, 1.0, 0.0])
WEIGHT = np.array([[0.5, 0.5, 0.0, 0.5, 1.0], [0.5, 0.0, 0.5, 0.5, 0.0]])


def fitted(order: list[int], sizes: np.ndarray, n: int) -> ListFit:
    """With the first n of an order."""
    draws = OrderedDraws(sizes[order], n)
    first = np.array(order[:n])
    return ListFit(TOPIC, STRATUM, 3, WEIGHT, first, GOLD[first], draws.expansion, (0.0, 1.0))


def by_hand(fit: ListFit) -> tuple[np.ndarray, np.ndarray]:
    """Expected values and scores, pair by pair."""
    e = fit.expansion / fit.expansion.mean()
    m = np.empty(len(TOPIC))
    for i in range(len(TOPIC)):
        others = [r for r, j in enumerate(fit.item) if TOPIC[j] != TOPIC[i]]
        gbar = (sum(e[r] * fit.gold[r] for r in others) + 0.5) / (sum(e[r] for r in others) + 1)
        same = [r for r in others if STRATUM[fit.item[r]] == STRATUM[i]]
        m[i] = (sum(e[r] * fit.gold[r] for r in same) + gbar) / (sum(e[r] for r in same) + 1)
    scores = WEIGHT @ m
    for r, j in enumerate(fit.item):
        scores = scores + fit.expansion[r] * WEIGHT[:, j] * (fit.gold[r] - m[j])
    return m, scores / 3


def valued(n: int) -> ListFit:
    """Values of thirty answers of two systems to fifteen questions, people's of the first n of an order."""
    rng = np.random.default_rng(5)
    bronze, order = rng.random(30), rng.permutation(30)
    gold = 0.1 + 0.7 * bronze + 0.1 * rng.random(30)
    draws = OrderedDraws(np.ones(30), n)
    first, weight = order[:n], np.repeat(np.eye(2), 15, axis=1)
    topic = np.tile(np.arange(15), 2)
    return ListFit(topic, np.arange(30), 15, weight, first, gold[first], draws.expansion, (0.0, 1.0), bronze)


def test_values_of_answers_are_predicted_by_a_line_and_strata() -> None:
    """Guards lists of values: predictions, scores and spread written out, where no two values of the judge agree."""
    fit = valued(20)
    assert fit.bronze is not None
    e, has = fit.expansion / fit.expansion.mean(), np.isin(np.arange(30), fit.item)
    ends = fit.bronze[has].min(), fit.bronze[has].max()
    bronze, stratum = np.clip(fit.bronze, *ends), strata_of(fit.bronze, has)
    assert (bronze != fit.bronze).any(), "some lie beyond those with gold"
    slope = slope_of(bronze[fit.item], fit.gold, e)
    assert 0.5 < slope < 0.9, "the judge's values predict people's"
    assert len(set(stratum.tolist())) > 1
    above, at = fit.gold - slope * bronze[fit.item], stratum[fit.item]
    m = np.empty(30)
    for i in range(30):
        others = fit.topic[fit.item] != fit.topic[i]
        gbar = e[others] @ above[others] / e[others].sum()
        same = others & (at == stratum[i])
        m[i] = slope * bronze[i] + (e[same] @ above[same] + gbar) / (e[same].sum() + 1)
    assert fit.expected == pytest.approx(m, abs=1e-12)
    right = fit.coefficient[:, fit.item] @ (fit.expansion * (fit.gold - m[fit.item]))
    assert fit.scores == pytest.approx((fit.coefficient @ m + right) / 15, abs=1e-12)
    for h in set(stratum.tolist()):
        own, w = above[at == h], e[at == h]
        spread = np.average((own - np.average(own, weights=w)) ** 2, weights=w) * len(own) / (len(own) - 1)
        unexplained = (fit.gold.var() - spread) / 21
        assert fit.variance[stratum == h] == pytest.approx(spread + unexplained, rel=1e-9)
    assert fit.blind().expected[fit.topic == 0] == pytest.approx(fit.blind().expected[0], abs=1e-12)
    assert fit.variance.mean() < fit.blind().variance.mean() / 5


def test_a_list_of_values_does_not_depend_on_the_judges_scale() -> None:
    """Guards a judge from 0 to 100 beside people's values, wide ends of the scale, and a single value with a slip."""
    fit = valued(20)
    assert fit.bronze is not None
    other = replace(fit, bronze=40 + 100 * fit.bronze, scale=(0.0, 140.0))
    assert other.scores == pytest.approx(fit.scores, abs=1e-12)
    assert other.variance == pytest.approx(fit.variance, rel=1e-9)
    at = int(np.setdiff1d(np.arange(30), fit.item)[0])
    slip = replace(fit, bronze=np.where(np.arange(30) == at, 85.0, fit.bronze))
    assert 0 <= slip.expected[at] <= 1.1


def test_pass_or_fail_by_people_has_no_line() -> None:
    """Guards a judge's values where people only pass or fail: a few that all pass do not show how they spread."""
    fit = valued(12)
    passed = replace(fit, gold=np.ones(12))
    assert passed.variance.min() > 0.02
    assert np.ptp(replace(fit, gold=np.where(fit.gold > 0.3, 1.0, 0.0)).expected) < 1


@pytest.mark.parametrize("n", [2, 4])
def test_scores_are_those_of_the_formula(n: int) -> None:
    """Guards the array arithmetic against the formula written out pair by pair."""
    fit = fitted([4, 1, 2, 0, 3], np.array([1.0, 2.0, 3.0, 1.0, 2.0]), n)
    m, scores = by_hand(fit)
    assert fit.expected == pytest.approx(m, abs=1e-12)
    assert fit.scores == pytest.approx(scores, abs=1e-12)


def test_with_every_label_the_scores_are_those_of_gold() -> None:
    """Guards the end of a list: nothing is predicted there."""
    fit = fitted([4, 1, 2, 0, 3], np.ones(5), 5)
    assert fit.scores == pytest.approx(WEIGHT @ GOLD / 3, abs=1e-12)


def test_predictions_of_a_topic_do_not_see_its_own_labels() -> None:
    """Guards against the bias of a prediction fitted on what it predicts."""
    one = fitted([0, 1, 4, 2, 3], np.ones(5), 3)
    other = ListFit(TOPIC, STRATUM, 3, WEIGHT, one.item, np.array([1.0, 0.0, 0.0]), one.expansion, (0.0, 1.0))
    own = TOPIC == 0
    assert one.expected[own] == pytest.approx(other.expected[own])
    assert np.abs(one.expected[~own] - other.expected[~own]).min() > 0.01


def test_scores_are_nearly_unbiased_over_all_orders() -> None:
    """Guards sign and size of the correction: over all orders of five pairs the mean score is close to that of gold.

    Not exactly: what is predicted rests on the labels drawn, of other topics only.
    """
    sizes = np.array([1.0, 2.0, 3.0, 1.0, 2.0])
    mean, total = np.zeros(2), 0.0
    for order in permutations(range(5)):
        left, chance = sizes.sum(), 1.0
        for i in order:
            chance *= sizes[i] / left
            left -= sizes[i]
        mean += chance * fitted(list(order), sizes, 3).scores
        total += chance
    assert total == pytest.approx(1)
    assert mean == pytest.approx(WEIGHT @ GOLD / 3, abs=0.02)
