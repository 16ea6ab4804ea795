"""Differences of corrected scores: the paper's p, the joint one, and level and power of both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.worlds import EBAY, study
from truegain.experiments.judge_errors import BronzeMean, compare_means, correct_mean, naive_p

A, B = BronzeMean(0.6260, n=10278, sd=0.414), BronzeMean(0.6385, n=20604, sd=0.402)


def test_ebay_naive_p() -> None:
    """Guards eq. 9: 0.011 to 0.012, normal and Welch."""
    assert 0.011 <= naive_p(A, B) <= 0.012
    assert 0.011 <= naive_p(A, B, "normal") <= 0.012


def test_ebay_published_p() -> None:
    """Guards eq. 11, with the normal and with Welch's degrees of freedom: 0.854."""
    assert compare_means(EBAY, A, B, gold="separate").p == pytest.approx(0.854, abs=0.0005)
    assert compare_means(EBAY, A, B, gold="separate", test="welch").p == pytest.approx(0.854, abs=0.0005)


def test_ebay_p_with_one_gold_sample() -> None:
    """Guards the joint variance: 0.017, and the note says what the published formula would give."""
    found = compare_means(EBAY, A, B)
    assert found.p == pytest.approx(0.017, abs=0.0005)
    assert found.difference == pytest.approx(correct_mean(EBAY, B).value - correct_mean(EBAY, A).value)
    assert "0.854" in found.notes[0]


def test_the_joint_variance_is_that_of_many_studies() -> None:
    """Guards the derivation: the spread of d over simulated studies, and that eq. 10 is far off it."""
    rng, n, gold = np.random.default_rng(0), 2000, 200
    j_a, j_b = rng.binomial(n, 0.4 * 0.7 + 0.2, 40_000) / n, rng.binomial(n, 0.5 * 0.7 + 0.2, 40_000) / n
    r, s = rng.binomial(gold, 0.9, 40_000) / gold, rng.binomial(gold, 0.8, 40_000) / gold
    spread = ((j_b - j_a) / (r + s - 1)).std()
    judge = tg.Judge.from_counts(relevant=(0.9 * gold, gold), nonrelevant=(0.8 * gold, gold))
    a, b = BronzeMean(0.48, n), BronzeMean(0.55, n)
    joint, separate = compare_means(judge, a, b), compare_means(judge, a, b, gold="separate")
    assert (joint.high - joint.low) / 2 / 1.959964 == pytest.approx(spread, rel=0.03)  # type: ignore[operator]
    assert (separate.high - separate.low) / 2 / 1.959964 > 1.4 * spread  # type: ignore[operator]


def test_covariance_over_common_topics_sharpens() -> None:
    """Guards the covariance term, and its refusals."""
    close = compare_means(EBAY, A, B, covariance=0.5 * min(A.variance, B.variance))
    assert close.p is not None
    assert close.p < 0.017
    with pytest.raises(tg.TruegainError, match="larger than the variances"):
        compare_means(EBAY, A, B, covariance=1.0)
    with pytest.raises(tg.TruegainError, match="takes no covariance"):
        compare_means(EBAY, A, B, covariance=1e-6, gold="separate")


@pytest.mark.slow
def test_runs_keep_the_level_and_separate_is_wider() -> None:
    """Guards the comparison of runs: equal systems are told apart at about 5%, by the joint variance."""
    wrong, wider = 0, 0
    for seed in range(60):
        runs, bronze, gold = study(seed, topics=25, docs=12)
        sample = {t: {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 2} for t, row in gold.items()}
        options: Any = {"gold": tg.Gold(sample, design="by-gold"), "resampling": tg.Resampling(n=100)}
        joint = tg.compare(runs, bronze, "P@10", **options)
        apart = tg.compare(runs, bronze, "P@10", **options, test=tg.PublishedTest(gold_sample="separate"))
        row, other = joint.table().records()[0], apart.table().records()[0]
        wrong += row["p"] < 0.05
        wider += (other["high"] - other["low"]) > (row["high"] - row["low"])
    assert wrong <= 8
    assert wider >= 45
