"""Differences of corrected means and intervals of rates, written out, and at their limits."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

import truegain as tg
from truegain.experiments.judge_errors import BronzeMean, compare_means, naive_p, variance_of_d
from truegain.judge_error.confusion import Bounded, Rates
from truegain.judge_error.intervals import interval_of
from truegain.judge_error.panel import CorrectionOptions
from truegain.stats.results import Estimate
from truegain.stats.student_t import p_of, quantile_of

ALPHA = 1 - 0.95  # as the code has it: a little above .05


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
    df = (0.0006 + 0.0009) ** 2 / (0.0006**2 / 19 + 0.0009**2 / 30)
    assert naive_p(a, b) == pytest.approx(p_of(0.1 / math.sqrt(0.0015), df))
    assert naive_p(a, b, "normal") == pytest.approx(p_of(0.1 / math.sqrt(0.0015)))
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
    with pytest.raises(tg.TruegainError, match=r"different judges \(D = 0.5000 and 0.6000\)"):
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
    assert held.notes[-1] == "a value was held inside 0 to 1; the difference is that of the plain ratios"
    exact = tg.Judge.from_counts((200, 200), (200, 200))
    sure = BronzeMean(0.4, 20, 0.0), BronzeMean(0.6, 20, 0.0)
    for gold in ("shared", "separate"):
        with pytest.raises(tg.TruegainError, match="variance of 0"):
            compare_means(exact, *sure, gold=cast("Any", gold))


FAIR = Rates(0.4, 0.9, 0.85, 0.0011, 0.0014, 0.0021, 220, 60, 55)


def interval(rates: Rates, method: str, point: object = None, trials: int = 100, confidence: float = 0.95) -> Estimate:
    """The interval of these rates, degrees of freedom 30."""
    inside = SimpleNamespace(value=0.3, at="inside") if point is None else point
    return interval_of(
        rates, 30.0, CorrectionOptions(cast("Any", method), confidence, replicates=trials, seed=1),
        point=cast("Bounded", inside), noted=("first",),
    )  # fmt: skip


def test_the_interval_asked_for() -> None:
    """Guards the delta interval with Student's quantile, ends held inside 0 to 1, and what is noted."""
    one = interval(FAIR, "delta")
    g = FAIR.value
    se = math.sqrt(0.0011 + g**2 * 0.0014 + (1 - g) ** 2 * 0.0021) / 0.75
    assert one.se == pytest.approx(se)
    assert (one.low, one.high) == pytest.approx((g - quantile_of(0.95, 30) * se, g + quantile_of(0.95, 30) * se))
    assert (one.value, one.naive, one.method, one.notes) == (0.3, 0.4, "delta", ("first",))
    low, high = (
        interval(rates, "delta", SimpleNamespace(value=min(max(rates.value, 0.0), 1.0), at="inside"))
        for rates in (replace(FAIR, j=0.16), replace(FAIR, j=0.89))
    )
    assert low.low == 0.0 < low.high < 0.2
    assert high.high == 1.0 > high.low > 0.8
    edge = interval(FAIR, "delta", SimpleNamespace(value=0.0, at="low"))
    assert edge.notes[-1] == "the plain ratio is 0.333; the value is the constrained maximum likelihood estimate"
    with pytest.raises(tg.TruegainError, match=r"delta interval has no width: .* first\. Check"):
        interval(replace(FAIR, j=0.99, v_j=1e-6, v_r=1e-6, v_n=1e-6), "delta")
    with pytest.raises(tg.TruegainError, match="rectify needs the labels themselves"):
        interval(FAIR, "rectify")
    with pytest.raises(tg.TruegainError, match="method 'x' is not known; give one of default, lang-reiczigel"):
        interval(FAIR, "x")


def test_a_judge_that_passes_only_just_is_told() -> None:
    """Guards the note of a widened interval, and the names of what was done."""
    poor = Rates(0.45, 0.68, 0.62, 0.0012, 0.0075, 0.0062, 300, 40, 45)
    one = interval(poor, "default")
    assert one.method == "lang-reiczigel, guarded"
    assert one.notes[1].startswith("the judge passes as better than chance only just (D = 0.30, se 0.1")
    assert interval(FAIR, "default").notes == ("first",)
    rich = Rates(0.4, 0.9, 0.85, 1e-4, 1e-4, 1e-4, 9000, 9000, 9000)
    assert interval(rich, "default").method == "delta"
    boot = interval(poor, "bootstrap", trials=200)
    assert boot.method == "bootstrap"
    assert boot.notes[1:] == () or "of 200 bootstrap draws had a D* near 0" in boot.notes[1]
    assert boot.se == pytest.approx(interval(poor, "delta").se, rel=1.5)
