"""Scores set right with gold labels: every number of an answer against the formulas, written out topic by topic."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import truegain as tg
from truegain.gains.rectify import rectify_topics, slope_of
from truegain.gains.rectify_pairs import (
    PAIR_METHODS,
    SampledPairs,
    calibrated,
    rectify_pairs,
    strata_of,
)
from truegain.sampling.designs import expansion_of

Array = npt.NDArray[np.float64]


# ------------------------------------------------------------------ whole gold topics


def freedom(moves: Array, most: float) -> float:
    """min(most, 2n / (kurtosis - 1)), at least 1."""
    n, off = len(moves), moves - moves.mean()
    kurtosis = float(n * (off**4).sum() / (off**2).sum() ** 2)
    return min(most, max(1.0, 2 * n / (kurtosis - 1)))


def by_hand(
    bronze: Array, gold: Array, weights: npt.NDArray[np.int64], *, helps: bool, tuning: float | None, target: str,
    generalise: bool,
) -> dict[str, float]:  # fmt: skip
    """The answer as the docstring of rectify_topics has it, each topic as often as its weight says."""
    many = tuning is None and generalise and np.count_nonzero(~np.isnan(gold)) >= 20
    again = np.repeat(np.arange(len(bronze)), weights)
    has = ~np.isnan(gold[again])
    y, f, others = gold[again][has], bronze[again][has], bronze[again][~has]
    n, u = len(y), len(others)
    k = 1.0 if target == "others" else u / (n + u)
    unseen = 1 / n + 1 / u if target == "others" else 1 / n - 1 / (n + u)
    s2_f, s2_y = np.var(np.r_[f, others], ddof=1), np.var(y, ddof=1)
    most = max(s2_f, s2_y)
    gold_v = s2_y * (1 / n if generalise else unseen)
    gold_df = freedom(y, n - 1) if many else n - 1
    if many and helps:
        left = []
        for i in range(n):
            fi, yi = np.delete(f, i), np.delete(y, i)
            slope = np.cov(fi, yi)[0, 1] / np.var(fi, ddof=1)
            left.append(yi.mean() + slope * k * (others.mean() - fi.mean()))
        lam = np.cov(f, y)[0, 1] / np.var(f, ddof=1)
        of_gold, df = (n - 1) * np.var(left), freedom(np.array(left), n - 2)
    elif many:
        lam, of_gold, df = 0.0, gold_v, gold_df
    else:
        lam = float(helps) if tuning is None else tuning
        factor = 1 / n if generalise else unseen
        df = n - 1
        if lam == 0:
            of_gold, df = ((n - 1) * s2_y + 2 * most) / (n + 1) * factor, n + 1
        elif generalise:
            of_gold = np.var(y - k * lam * f, ddof=1) * factor
        else:
            of_gold = ((n - 1) * np.var(y - lam * f, ddof=1) + most) / n * factor
    of_bronze = (lam * k) ** 2 * s2_f / u if generalise else 0.0
    v = of_gold + of_bronze
    return {
        "value": y.mean() + lam * k * (others.mean() - f.mean()),
        "se": math.sqrt(v),
        "df": v**2 / (of_gold**2 / df + of_bronze**2 / (n + u - 1)),
        "tuning": lam,
        "gold_value": y.mean(),
        "gold_se": math.sqrt(gold_v),
        "gold_df": gold_df,
        "topics": np.count_nonzero(weights),
        "gold_topics": np.count_nonzero(weights[~np.isnan(gold)]),
    }


@pytest.mark.parametrize("generalise", [True, False])
@pytest.mark.parametrize("target", ["all", "others"])
@pytest.mark.parametrize(("helps", "tuning"), [(True, None), (False, None), (True, 0.4), (True, 0.0)])
@pytest.mark.parametrize(("topics", "gold"), [(9, 6), (30, 19), (34, 20), (50, 40)])
def test_every_number_of_an_answer(
    topics: int, gold: int, helps: bool, tuning: float | None, target: str, generalise: bool
) -> None:
    """Guards value, errors, freedoms and counts of all forms, with topics copied and left out by their weights."""
    rng = np.random.default_rng(topics)
    true = rng.beta(2, 3, topics)
    bronze = 0.7 * true + 0.3 * rng.beta(3, 1.5, topics)
    labels = np.where(rng.permutation(topics) < gold, true, np.nan)
    weights = np.ones(topics, np.int64)
    if gold > 6:
        weights[rng.permutation(topics)[:6]] = [0, 0, 2, 3, 2, 2]
    asked: dict[str, Any] = {"helps": helps, "tuning": tuning, "target": target, "generalise": generalise}
    found = rectify_topics(bronze, labels, weights=weights.astype(float), **asked)
    want = by_hand(bronze, labels, weights, **asked)
    assert {name: getattr(found, name) for name in want} == pytest.approx(want, rel=1e-9)
    assert (found.gold_pairs, found.bounds) == (None, None)


def test_a_judge_who_agrees_exactly_by_hand() -> None:
    """Guards the topic thought to miss: s2(f)/(n + 1) more where bronze is gold on every gold topic."""
    rng = np.random.default_rng(1)
    for gold in (10, 25):
        bronze = rng.beta(2, 3, gold + 15)
        labels = np.where(np.arange(gold + 15) < gold, bronze, np.nan)
        found = rectify_topics(bronze, labels)
        k, s2_f = 15 / (gold + 15), np.var(bronze, ddof=1)
        own = np.var((1 - k) * bronze[:gold], ddof=1)  # tuned: the slope stays 1 whichever topic is left out
        of_gold, of_bronze = (own + s2_f / (gold + 1)) / gold, k**2 * s2_f / 15
        assert found.tuning == pytest.approx(1.0)
        assert found.se**2 == pytest.approx(of_gold + of_bronze)


def test_what_topics_cannot_tell() -> None:
    """Guards refusals at their limits: gold topics, copies, weights, targets, and topics that all are gold."""
    rng = np.random.default_rng(2)
    bronze = rng.random(8)
    gold = np.where(np.arange(8) < 6, rng.random(8), np.nan)
    for weights, fine in (([0, 0, 0, 0, 1, 1], True), ([0, 0, 0, 0, 0, 3], False), ([0, 0, 0, 0, 0.9, 1], False)):
        every = np.array([*weights, 1.0, 1.0])
        if fine:
            assert rectify_topics(bronze, gold, weights=every).gold_topics == 2
        else:
            with pytest.raises(tg.TruegainError, match="fewer than two"):
                rectify_topics(bronze, gold, weights=every)
    for wrong in (np.ones(7), -np.ones(8), np.full(8, np.nan)):
        with pytest.raises(tg.TruegainError, match="topic weights must be 8 numbers"):
            rectify_topics(bronze, gold, weights=wrong)
    with pytest.raises(tg.TruegainError, match="target 'some'"):
        rectify_topics(bronze, gold, target="some")
    with pytest.raises(tg.TruegainError, match="1 topics have no bronze score"):
        rectify_topics(np.append(bronze[:7], np.nan), gold)
    whole = rng.random(8)
    with pytest.raises(tg.TruegainError, match="all of these topics are gold-judged"):
        rectify_topics(bronze, whole, generalise=False)
    found = rectify_topics(bronze, whole, weights=np.r_[2.0, 0, np.ones(6)])
    again = whole[[0, 0, 2, 3, 4, 5, 6, 7]]
    assert (found.value, found.se) == pytest.approx((again.mean(), np.std(again, ddof=1) / math.sqrt(8)))
    assert (found.df, found.gold_df, found.tuning, found.topics, found.gold_topics) == (7, 7, 0.0, 7, 7)
    assert (found.gold_value, found.gold_se) == (found.value, found.se)


def test_a_slope_over_topics_that_have_both() -> None:
    """Guards the pooled slope: each system about its own mean, topics without either score left out, 0 if none."""
    rng = np.random.default_rng(3)
    bronze, gold = rng.random((3, 9)), rng.random((3, 9))
    bronze[0, 1], gold[1, 2], gold[2, :4] = np.nan, np.nan, np.nan
    top = bottom = 0.0
    for f, y in zip(bronze, gold, strict=True):
        both = ~np.isnan(f) & ~np.isnan(y)
        off = f[both] - f[both].mean()
        top, bottom = top + (off * y[both]).sum(), bottom + (off**2).sum()
    assert slope_of(bronze, gold) == pytest.approx(top / bottom)
    assert slope_of(np.ones(4), np.arange(4.0)) == 0.0
    assert slope_of(np.arange(4.0), np.full(4, np.nan)) == 0.0


# ------------------------------------------------------------------ gold pairs


def sampled(seed: int, topics: int = 14, pool: int = 25, drawn: float = 0.3) -> tuple[SampledPairs, Array, Array]:
    """Pairs with bronze labels 0 to 3, gold values 0 and 1 of some, and what they count for two systems."""
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(topics), pool)
    bronze = rng.choice(4, topics * pool, p=[0.5, 0.3, 0.15, 0.05])
    truth = (rng.random(topics * pool) < 0.1 + 0.25 * bronze).astype(float)
    chosen = rng.random(topics * pool) < drawn
    gold = np.where(chosen, truth, np.nan)
    pairs = SampledPairs(
        topic, strata_of(bronze.astype(float), chosen), (bronze > 0).astype(float), gold,
        expansion_of(bronze.astype(float), chosen, "random"), topics,
    )  # fmt: skip
    one, two = (np.where(rng.random(topics * pool) < 0.2 + 0.1 * bronze, 0.1, 0.0) for _ in range(2))
    return pairs, one, two


@pytest.mark.parametrize("method", PAIR_METHODS)
@pytest.mark.parametrize("compared", [True, False])
def test_topics_without_weight_are_not_there(method: Any, compared: bool) -> None:
    """Guards weights of 0, for strata as well: every number is that of the study without these topics."""
    for seed in range(4):
        pairs, one, two = sampled(seed)
        weights = np.ones(14)
        weights[np.random.default_rng(seed).permutation(14)[:6]] = 0.0
        rows = np.flatnonzero(weights[pairs.topic] > 0)
        code = np.cumsum(weights > 0) - 1
        left = SampledPairs(
            code[pairs.topic[rows]], pairs.stratum[rows], pairs.bronze[rows], pairs.gold[rows], pairs.expansion[rows], 8
        )
        against = {"against": two} if compared else {}
        found = rectify_pairs(pairs, one, weights=weights, method=method, bounds=(0.0, 1.0), **against)
        want = rectify_pairs(
            left, one[rows], method=method, bounds=(0.0, 1.0), **{k: v[rows] for k, v in against.items()}
        )
        numbers = [{**vars(r), "bounds": None} for r in (found, want)]
        assert numbers[0] == pytest.approx(numbers[1])
        assert found.bounds == (None if compared else (0.0, 1.0))


def test_strata_of_a_system_by_its_own_pairs() -> None:
    """Guards the post-stratified value against a loop: strata of pairs that count, each joined until it has five."""
    for seed in range(4):
        pairs, c, _ = sampled(seed, drawn=0.12 + 0.1 * seed)
        counts = c != 0
        strata = np.full(len(c), -1)
        strata[counts] = strata_of(pairs.stratum[counts].astype(float), pairs.sampled[counts])
        value = 0.0
        for h in range(strata.max() + 1):
            mine = strata == h
            used = mine & pairs.sampled
            drawn = c[used] * pairs.expansion[used]
            value += c[mine].sum() * (drawn * pairs.gold[used]).sum() / drawn.sum()
        found = rectify_pairs(pairs, c, method="post-stratified")
        assert found.value == pytest.approx(value / pairs.topics)
        assert (found.tuning, found.topics, found.gold_pairs) == (0.0, 14, int((counts & pairs.sampled).sum()))
        assert found.gold_topics == len(np.unique(pairs.topic[counts & pairs.sampled]))


def test_predictions_from_other_topics_with_weights() -> None:
    """Guards the prediction of a pair: gold values of its stratum elsewhere, one of the mean there, a copy left out."""
    pairs, _, _ = sampled(5, topics=6)
    rng = np.random.default_rng(1)
    labels = pairs.stratum.astype(float)
    pairs = SampledPairs(
        pairs.topic, pairs.stratum, pairs.bronze, pairs.gold, expansion_of(labels, pairs.sampled, "by-bronze"), 6
    )
    weights = np.array([1.0, 2.0, 0.0, 0.5, 1.0, 3.0])
    found = calibrated(pairs, weights)
    s = pairs.sampled
    e = pairs.expansion / pairs.expansion[s].mean()
    for i in rng.permutation(len(found))[:20]:
        copies = weights - np.minimum(weights, 1) * (np.arange(6) == pairs.topic[i])
        w = copies[pairs.topic[s]] * e[s]
        c = (w * pairs.gold[s]).sum() / w.sum()
        same = pairs.stratum[s] == pairs.stratum[i]
        assert found[i] == pytest.approx(((w * pairs.gold[s])[same].sum() + c) / (w[same].sum() + 1))


def test_what_pairs_cannot_tell() -> None:
    """Guards refusals: an unknown method, gold outside what counts, gold in a single topic."""
    pairs, c, _ = sampled(6)
    with pytest.raises(tg.TruegainError, match="method 'plain' is not known"):
        rectify_pairs(pairs, c, method="plain")  # type: ignore[arg-type]
    with pytest.raises(tg.TruegainError, match="none of the pairs that count"):
        rectify_pairs(pairs, np.where(pairs.sampled, 0.0, c))
    with pytest.raises(tg.TruegainError, match="1 topic with gold labels"):
        rectify_pairs(pairs, np.where(pairs.sampled & (pairs.topic > 0), 0.0, 1.0))
    two = np.where(pairs.sampled & (pairs.topic > 1), 0.0, 1.0)
    assert rectify_pairs(pairs, two).gold_topics == 2
