"""A judge's accuracy rates over topics: variance, degrees of freedom, and coverage when gold lies in few topics."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truegain as tg
from truegain.experiments.judge_errors import BronzeMean, correct_mean
from truegain.judge_error.confusion import ICC, PRIOR
from truegain.judge_error.gold_pairs import Pairs
from truegain.judge_error.judge_quality import _rates


def judge_of(
    topic: npt.NDArray[np.int64],
    gold: npt.NDArray[np.int64],
    bronze: npt.NDArray[np.int64],
    weight: npt.NDArray[np.float64] | None = None,
) -> tg.Judge:
    """A judge fitted on pairs given as columns."""
    names = tuple(map(str, range(int(topic.max()) + 1)))
    weights = np.ones(len(topic)) if weight is None else weight
    share = {0.0: 0.5, 1.0: 0.5}
    pairs = Pairs(names, topic, bronze.astype(np.float64), gold.astype(np.float64), weights, share)
    return tg.Judge.fit(pairs, None, "by-gold")


def drawn(seed: int, topics: int, per_topic: int, icc: float) -> tuple[npt.NDArray[np.int64], ...]:
    """Topic, gold and bronze label: as many relevant as not in each topic, accuracy 0.8 on average, varying."""
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(topics), 2 * per_topic)
    gold = np.tile(np.repeat([0, 1], per_topic), topics)
    size = 1 / icc - 1
    accuracy = rng.beta(0.8 * size, 0.2 * size, (topics, 2))
    right = rng.random(len(topic)) < accuracy[topic, gold]
    return topic, gold, np.where(right, gold, 1 - gold)


def test_variance_against_one_written_out() -> None:
    """Guards the moderated variance: topics counted as (sum n)^2 / sum n^2, averaged with that of a usual judge."""
    topic, gold, bronze = drawn(1, 6, 7, 0.2)
    keep = ~((topic < 3) & (gold == 1) & (np.arange(len(topic)) % 3 == 0))  # relevant pairs lie unevenly
    topic, gold, bronze = topic[keep], gold[keep], bronze[keep]
    rates = judge_of(topic, gold, bronze).rates(0.5, 0.0, 1.0)
    counts = [int(((topic == t) & (gold == 1)).sum()) for t in range(6)]
    right = [int(((topic == t) & (gold == 1) & (bronze == 1)).sum()) for t in range(6)]
    n, m = sum(counts), sum(right) / sum(counts)
    clusters = n**2 / sum(c**2 for c in counts)
    seen = sum(((r - m * c) / n) ** 2 for r, c in zip(right, counts, strict=True)) * clusters / (clusters - 1)
    shrunk = (sum(right) + 1) / (n + 2)
    usual = shrunk * (1 - shrunk) * (1 / n + ICC * (1 / clusters - 1 / n))
    assert rates.v_r == pytest.approx(((clusters - 1) * seen + PRIOR * usual) / (clusters - 1 + PRIOR))
    assert rates.df_r == pytest.approx(clusters - 1 + PRIOR)


def test_many_topics_speak_for_themselves() -> None:
    """Guards against the usual judge outvoting the data: with 2,000 topics the variance is that over topics."""
    topic, gold, bronze = drawn(2, 2000, 3, 0.05)
    rates = judge_of(topic, gold, bronze).rates(0.5, 0.0, 1.0)
    by_topic = (bronze == 1)[gold == 1].reshape(2000, 3).mean(axis=1)
    assert rates.v_r == pytest.approx(by_topic.var(ddof=1) / 2000, rel=0.01)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.01, 1000))
def test_the_scale_of_weights_says_nothing(seed: int, scale: float) -> None:
    """Guards weights such as 1 / probability: only their ratios count."""
    topic, gold, bronze = drawn(seed, 5, 4, 0.2)
    weight = np.random.default_rng(seed).uniform(0.5, 2, len(topic))
    one, other = (judge_of(topic, gold, bronze, w).rates(0.5, 0.0, 1.0) for w in (weight, weight * scale))
    for name in ("m_r", "m_n", "v_r", "v_n", "size_r", "size_n", "df_r", "df_n", "corr_rn"):
        assert getattr(one, name) == pytest.approx(getattr(other, name))


def test_a_label_from_one_topic_is_refused_and_still_shown() -> None:
    """Guards the refusal: the accuracy's spread over topics is unknown, though the judge can be printed."""
    topic, gold = np.array([0, 0, 0, 0, 1, 1]), np.array([1, 1, 0, 0, 0, 0])
    judge = judge_of(topic, gold, gold)
    with pytest.raises(tg.TruegainError, match="gold-relevant pairs come from 1 topic"):
        correct_mean(judge, BronzeMean(0.5, n=20, sd=0.2))
    assert "informedness 1.000" in str(judge)


def test_gold_that_lies_in_few_topics_is_covered_wherever_it_answers() -> None:
    """Guards coverage where 15 non-relevant pairs come from 2 topics that may happen to agree (0.87 unmoderated)."""
    held = answers = 0
    for seed in range(700):
        rng = np.random.default_rng(10_000 + seed)
        gold = np.array([0] * 15 + [1] * 15)
        topic = np.array([0] * 9 + [1] * 6 + list(range(15)))
        accuracy = rng.beta(0.75 / 0.15 - 0.75, 0.25 / 0.15 - 0.25, (15, 2))
        judge = judge_of(topic, gold, np.where(rng.random(30) < accuracy[topic, gold], gold, 1 - gold))
        p = rng.beta(0.1 / 0.3 - 0.1, 0.9 / 0.3 - 0.9, 100)
        j = rng.binomial(10, p * 0.75 + (1 - p) * 0.25) / 10
        try:
            answer = correct_mean(judge, BronzeMean(float(j.mean()), n=100, sd=float(j.std(ddof=1))))
        except tg.TruegainError:
            continue
        answers += 1
        held += answer.low <= 0.1 <= answer.high
    assert answers > 100
    assert held / answers > 0.93


def test_how_many_independent_labels_know_a_share_as_well() -> None:
    """Guards the effective number of an assessor's labels: fewer where right ones cluster in topics, by hand."""
    topic, truth = np.repeat(np.arange(6), 5), np.tile([1.0, 1.0, 1.0, 0.0, np.nan], 6)
    right = np.where(topic < 4, 1.0, 0.0)  # all right on four topics, all wrong on two
    sensitivity, specificity = _rates(right, truth, topic)
    n, k, p = 18, 12, 12.5 / 19
    over = sum(sum(right[i] - k / n for i in range(30) if truth[i] == 1 and topic[i] == t) ** 2 for t in range(6))
    assert (sensitivity.right, sensitivity.all) == (k, n)
    assert sensitivity.effective == pytest.approx(n / (over / n**2 * 6 / 5 / (p * (1 - p) / n)))
    assert sensitivity.effective < 7
    assert (specificity.right, specificity.all, specificity.value) == (4, 6, 4 / 6)
