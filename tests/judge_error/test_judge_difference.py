"""Differences of corrected scores: the paper's p, the joint one, and level and power of both."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.worlds import EBAY, study
from truegain.errors import TruegainError
from truegain.experiments.judge_errors import BronzeMean, compare_means, correct_mean, variance_of_d
from truegain.judge_error.confusion import Rates
from truegain.judge_error.intervals import lang_reiczigel
from truegain.stats.student_t import p_of, quantile_of

A, B = BronzeMean(0.6260, n=10278, sd=0.414), BronzeMean(0.6385, n=20604, sd=0.402)


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


JUDGE = tg.Judge.from_counts((140, 200), (160, 200))  # mR 0.7, mN 0.8, D 0.5


V_D = 0.7 * 0.3 / 200 + 0.8 * 0.2 / 200


def made(mean: float, n: float = 20, variance: float = 0.0006) -> BronzeMean:
    """A bronze mean near 0.5 whose variance is this."""
    return BronzeMean(mean, n, math.sqrt(variance * n))


def error(bronze: BronzeMean, d: float = 0.5, m_r: float = 0.7, m_n: float = 0.8) -> float:
    """Variance of the corrected mean, eq. 7."""
    g = (bronze.mean - 1 + m_n) / d
    v_r, v_n = m_r * (1 - m_r) / 200, m_n * (1 - m_n) / 200
    return (bronze.variance + g**2 * v_r + (1 - g) ** 2 * v_n) / d**2


def test_a_difference_written_out() -> None:
    """Guards both formulas and Welch's degrees of freedom, with variances and topics that differ."""
    a, b = made(0.45), made(0.55, n=31, variance=0.0009)
    shared = compare_means(JUDGE, a, b, covariance=0.0002, names=("x", "y"))
    spread = (0.0006 + 0.0009 - 0.0004) / 0.25 + 0.2**2 * V_D / 0.25
    assert shared.difference == pytest.approx(0.2)
    assert shared.p == pytest.approx(p_of(0.2 / math.sqrt(spread)))
    assert (shared.low, shared.high) == pytest.approx((0.2 - 1.959964 * spread**0.5, 0.2 + 1.959964 * spread**0.5))
    assert (shared.a, shared.b, shared.n) == ("x", "y", 20)
    v, w = error(a), error(b)
    other = p_of(0.2 / math.sqrt(v + w))
    assert shared.notes == (f"with a gold sample for each (eq. 11) p would be {other:.3f}",)
    welch = compare_means(JUDGE, a, b, gold="separate", test="welch", confidence=0.9)
    df = (v + w) ** 2 / (v**2 / 19 + w**2 / 30)
    assert welch.p == pytest.approx(p_of(0.2 / math.sqrt(v + w), df))
    assert welch.high == pytest.approx(0.2 + quantile_of(0.9, df) * math.sqrt(v + w))
    assert welch.confidence == 0.9
    assert variance_of_d(Rates(0.5, 0.8, 0.7, 0, 0.04, 0.09, 9, 9, 9, corr_rn=0.5)) == pytest.approx(0.13 + 0.06)


def test_differences_that_cannot_be() -> None:
    """Guards the refusals and notes of a difference at their limits."""
    a, b = made(0.45), made(0.55)
    assert compare_means(JUDGE, a, b, covariance=0.0006).p == pytest.approx(
        p_of(0.2 / math.sqrt(0.2**2 * V_D / 0.25)), abs=1e-12
    )
    with pytest.raises(
        tg.TruegainError, match=r"covariance 0.0007 is larger than the variances 0.0006 and 0.0006 allow"
    ):
        compare_means(JUDGE, a, b, covariance=0.0007)
    with pytest.raises(tg.TruegainError, match="variance of 0; there is nothing to test"):
        compare_means(JUDGE, a, a, covariance=a.variance)
    with pytest.raises(tg.TruegainError, match="takes no covariance"):
        compare_means(JUDGE, a, b, gold="separate", covariance=0.0001)
    better = tg.Judge.from_counts((160, 200), (160, 200))
    with pytest.raises(tg.TruegainError, match=r"different judges \(informedness 0.5000 and 0.6000\)"):
        compare_means((JUDGE, better), a, b)
    apart = compare_means((JUDGE, better), a, b, gold="separate")
    assert apart.notes == ()
    assert apart.difference == pytest.approx((0.55 - 0.2) / 0.6 - (0.45 - 0.2) / 0.5)
    assert apart.p == pytest.approx(p_of(apart.difference / math.sqrt(error(a) + error(b, 0.6, 0.8))))
    for words in ({"gold": "none"}, {"test": "t"}):
        with pytest.raises(tg.TruegainError, match="give 'shared' or 'separate', and 'normal' or 'welch'"):
            compare_means(JUDGE, a, b, **cast("Any", words))
    held = compare_means(JUDGE, a, made(0.75))
    assert (held.difference, held.value_b) == pytest.approx((0.6, 1.0))
    assert held.notes[-1] == "a value was limited to 0 to 1; the difference is that of the plain ratios"
    exact = tg.Judge.from_counts((200, 200), (200, 200))
    sure = BronzeMean(0.4, 20, 0.0), BronzeMean(0.6, 20, 0.0)
    for gold in ("shared", "separate"):
        with pytest.raises(tg.TruegainError, match="variance of 0"):
            compare_means(exact, *sure, gold=cast("Any", gold))


COUNTS = tg.Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))


def test_a_mean_given_as_a_figure() -> None:
    """Guards variance, size and degrees of freedom of summary figures: of P@1 by binomials, of P@k by sd and t."""
    found = correct_mean(COUNTS, BronzeMean(0.5, 40), method="delta")
    g, d = (0.5 - 17 / 84) / COUNTS.informedness, COUNTS.informedness
    v_r, v_n = 43 / 59 * 16 / 59 / 59, 67 / 84 * 17 / 84 / 84
    assert BronzeMean(0.5, 40).variance == pytest.approx(0.25 / 40)
    assert found.n == 40
    assert found.high - found.value == pytest.approx(1.959964 * (found.se or 0))
    assert found.se == pytest.approx(math.sqrt(0.25 / 40 + g**2 * v_r + (1 - g) ** 2 * v_n) / d)
    spread = correct_mean(COUNTS, BronzeMean(0.5, 40, 0.3), method="delta")
    v_j = 0.09 / 40
    whole = v_j + g**2 * v_r + (1 - g) ** 2 * v_n
    assert BronzeMean(0.5, 40, 0.3).variance == pytest.approx(v_j)
    t = stats.t.ppf(0.975, 39 * (whole / v_j) ** 2)
    assert spread.high - spread.value == pytest.approx(t * math.sqrt(whole) / d, rel=1e-6)
    above = correct_mean(COUNTS, BronzeMean(0.74, 40, 0.3))  # more labels than topics: 0.74 * 0.26 / v_j
    size = 0.74 * 0.26 / v_j
    assert above.value == 1.0
    assert any(note.startswith("the mean bronze label is 0.740, but this judge calls only") for note in above.notes)
    rates = COUNTS.rates(0.74, v_j, size)
    assert lang_reiczigel(rates, stats.t.ppf(0.975, rates.df(39.0)))[0] == pytest.approx(
        correct_mean(COUNTS, BronzeMean(0.74, 40, 0.3), method="lang-reiczigel").low, rel=1e-6
    )
    for mean, n, sd in ((-0.1, 9, None), (1.1, 9, None), (0.5, 1, None), (0.5, math.inf, None), (0.5, 9, -0.1)):
        with pytest.raises(TruegainError):
            BronzeMean(mean, n, sd)
    assert BronzeMean(0.5, 2, 0.0).variance == 0.0
    assert (correct_mean(COUNTS, BronzeMean(0.5, 2, 0.0), method="delta").se or 0) > 0
