"""Differences of corrected means and intervals of rates, written out, and at their limits."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

import truegain as tg
from truegain.gains.boundary import Bounded
from truegain.inference.judges.corrected import Corrected, interval_of
from truegain.inference.judges.difference import difference_of, naive_p, raw_variance_of_d
from truegain.inference.judges.options import CorrectionOptions
from truegain.inference.judges.rates import Rates
from truegain.student import p_of, quantile_of

ALPHA = 1 - 0.95  # as the code has it: a little above .05


def made(naive: float, n: float = 20, se: float = 0.05, **more: float) -> Corrected:
    """A corrected mean by the paper's judge, near 0.5."""
    plain = Corrected(
        naive,
        (naive - 0.2) / 0.5,
        se,
        0.0,
        1.0,
        0.95,
        "delta",
        "random",
        (1.0, 2.0, 1.0, 2.0),
        n,
        0.0,
        0.5,
        0.0006,
        9.0,
    )
    return replace(plain, **cast("Any", more))


def test_a_difference_written_out() -> None:
    """Guards both formulas and Welch's degrees of freedom, with variances and topics that differ."""
    a, b = made(0.45), made(0.55, n=31, se=0.08, v_j=0.0009)
    shared = difference_of(a, b, v_d=0.004, covariance=0.0002, names=("x", "y"))
    spread = (0.0006 + 0.0009 - 0.0004) / 0.25 + 0.2**2 * 0.004 / 0.25
    assert shared.difference == pytest.approx(0.2)
    assert shared.p == pytest.approx(p_of(0.2 / math.sqrt(spread)))
    assert (shared.low, shared.high) == pytest.approx((0.2 - 1.959964 * spread**0.5, 0.2 + 1.959964 * spread**0.5))
    assert (shared.a, shared.b, shared.n) == ("x", "y", 20)
    other = p_of(0.2 / math.sqrt(0.05**2 + 0.08**2))
    assert shared.notes == (f"with a gold sample for each (eq. 11) p would be {other:.3f}",)
    welch = difference_of(a, b, v_d=0.004, gold="separate", test="welch", confidence=0.9)
    v, w = 0.05**2, 0.08**2
    df = (v + w) ** 2 / (v**2 / 19 + w**2 / 30)
    assert welch.p == pytest.approx(p_of(0.2 / math.sqrt(v + w), df))
    assert welch.high == pytest.approx(0.2 + quantile_of(0.9, df) * math.sqrt(v + w))
    assert welch.level == 0.9
    df = (0.0006 + 0.0009) ** 2 / (0.0006**2 / 19 + 0.0009**2 / 30)
    assert naive_p(a, b) == pytest.approx(p_of(0.1 / math.sqrt(0.0015), df))
    assert naive_p(a, b, "normal") == pytest.approx(p_of(0.1 / math.sqrt(0.0015)))
    assert raw_variance_of_d(Rates(0.5, 0.8, 0.7, 0, 0.04, 0.09, 9, 9, 9, corr_rn=0.5)) == pytest.approx(0.13 + 0.06)


def test_differences_that_cannot_be() -> None:
    """Guards the refusals and notes of a difference at their limits."""
    a, b = made(0.45), made(0.55)
    assert difference_of(a, b, v_d=0.004, covariance=0.0006).p == pytest.approx(
        p_of(0.2 / math.sqrt(0.2**2 * 0.004 / 0.25))
    )
    with pytest.raises(
        tg.TruegainError, match=r"covariance 0.0007 is larger than the variances 0.0006 and 0.0006 allow"
    ):
        difference_of(a, b, v_d=0.004, covariance=0.0007)
    with pytest.raises(tg.TruegainError, match="variance of 0; there is nothing to test"):
        difference_of(a, a, v_d=0.004, covariance=0.0006)
    with pytest.raises(tg.TruegainError, match="takes no covariance"):
        difference_of(a, b, v_d=0.004, gold="separate", covariance=0.0001)
    with pytest.raises(tg.TruegainError, match=r"different judges \(D = 0.5000 and 0.6000\)"):
        difference_of(a, made(0.55, D=0.6), v_d=0.004)
    apart = difference_of(a, made(0.55, D=0.6), v_d=0.004, gold="separate")
    assert apart.notes == ()
    for words in ({"gold": "none"}, {"test": "t"}):
        with pytest.raises(tg.TruegainError, match="give 'shared' or 'separate', and 'normal' or 'welch'"):
            difference_of(a, b, v_d=0.004, **cast("Any", words))
    held = difference_of(a, made(0.55, value=0.6), v_d=0.004, covariance=0.0006)
    assert held.difference == pytest.approx(0.2)
    assert held.notes[-1] == "a value was held inside 0 to 1; the difference is that of the plain ratios"
    exact = replace(a, se=0.0), replace(b, se=0.0)
    assert difference_of(*exact, v_d=0.004).notes == ()
    with pytest.raises(tg.TruegainError, match="variance of 0"):
        difference_of(*exact, v_d=0.004, gold="separate")


FAIR = Rates(0.4, 0.9, 0.85, 0.0011, 0.0014, 0.0021, 220, 60, 55)


def interval(rates: Rates, method: str, point: object = None, trials: int = 100, confidence: float = 0.95) -> Corrected:
    """The interval of these rates, degrees of freedom 30."""
    inside = SimpleNamespace(value=0.3, at="inside") if point is None else point
    return interval_of(
        rates, 30.0, CorrectionOptions(cast("Any", method), confidence, trials=trials, seed=1),
        point=cast("Bounded", inside), design="random", notes=("first",), counts=(1.0, 2.0, 3.0, 4.0), n=9.0,
    )  # fmt: skip


def test_the_interval_asked_for() -> None:
    """Guards the delta interval with Student's quantile, ends held inside 0 to 1, and what is noted."""
    one = interval(FAIR, "delta")
    g = FAIR.value
    se = math.sqrt(0.0011 + g**2 * 0.0014 + (1 - g) ** 2 * 0.0021) / 0.75
    assert one.se == pytest.approx(se)
    assert (one.low, one.high) == pytest.approx((g - quantile_of(0.95, 30) * se, g + quantile_of(0.95, 30) * se))
    assert (one.value, one.naive, one.method, one.notes, one.df) == (0.3, 0.4, "delta", ("first",), 30.0)
    low, high = (interval(replace(FAIR, j=j), "delta") for j in (0.16, 0.89))
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
