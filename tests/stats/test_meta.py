"""Meta-analysis against statsmodels, the conformance values and simulation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from truegain.errors import TruegainError
from truegain.stats.collection_ap import META_METHODS, combine, combined_p, tau2_paule_mandel


def test_every_conformance_value(conformance: Any, examples: dict[str, dict[str, Any]]) -> None:
    """Guards fixed and random effects, Q, I2, tau2 clamped and Paule-Mandel's, at 1e-9."""
    cases = conformance("statistics")["meta_dl"]["cases"]
    assert {c["tau2_dl"] == 0 for c in cases} == {True, False}
    for case in cases:
        fixed, found = combine(case["y"], case["v"], "fixed"), combine(case["y"], case["v"])
        pairs = [
            (found.q, case["Q"]),
            (found.p_q, case["p_Q"]),
            (found.i2, case["I2"]),
            (found.tau2, case["tau2_dl"]),
            (fixed.value, case["mean_fe"]),
            (fixed.se, case["se_fe"]),
            (found.value, case["mean_re"]),
            (found.se, case["se_re"]),
            (found.low, case["ci_re"][0]),
            (found.high, case["ci_re"][1]),
        ]
        for ours, theirs in pairs:
            assert ours == pytest.approx(theirs, abs=1e-9)
        assert combine(case["y"], case["v"], "paule-mandel").tau2 == pytest.approx(case["tau2_pm"], abs=1e-9)
    example = examples["dl-1"]
    found = combine(example["input"]["y"], example["input"]["v"])
    for ours, name in ((found.tau2, "tau2"), (found.value, "mean_re"), (found.se, "se_re"), (found.q, "Q")):
        assert ours == pytest.approx(example["expected"][name], abs=5e-7)


def test_against_statsmodels() -> None:
    """Guards Hartung-Knapp and random effects against an independent implementation, on random data."""
    meta = pytest.importorskip("statsmodels.stats.meta_analysis")
    rng = np.random.default_rng(3)
    for k in (5, 8, 50):
        v = rng.uniform(0.5, 2, k)
        y = rng.normal(0.2, np.sqrt(v + 9))
        theirs = meta.combine_effects(y, v, method_re="dl")
        assert theirs.tau2 > 0
        knapps = stats.t.isf(0.025, k - 1) * theirs.sd_eff_w_re_hksj
        ours, knapp = combine(y, v), combine(y, v, "hartung-knapp")
        assert ours.tau2 == pytest.approx(theirs.tau2, rel=1e-9)
        assert ours.value == pytest.approx(theirs.mean_effect_re, rel=1e-9)
        assert knapp.se == pytest.approx(theirs.sd_eff_w_re_hksj, rel=1e-9)
        assert knapp.low == pytest.approx(theirs.mean_effect_re - knapps, rel=1e-9)


def test_hartung_knapp_holds_where_normal_limits_do_not() -> None:
    """Guards the t and the se of Hartung-Knapp: with 5 unequal tests it covers about 95%, DerSimonian-Laird less."""
    rng = np.random.default_rng(17)
    held = {"random": 0, "hartung-knapp": 0}
    trials = 1500
    for _ in range(trials):
        v = rng.uniform(0.5, 1.5, 5)
        y = rng.normal(0, np.sqrt(v + 1))
        held["random"] += abs((m := combine(y, v)).value) <= m.high - m.value
        knapp = combine(y, v, "hartung-knapp")
        held["hartung-knapp"] += knapp.low <= 0 <= knapp.high
    assert held["hartung-knapp"] / trials == pytest.approx(0.95, abs=0.015)
    assert held["random"] / trials < 0.92


def test_paule_mandel_by_its_definition() -> None:
    """Guards the equation that Paule-Mandel solves."""
    y, v = np.array([0.1, 0.5, 0.9, 0.2, 0.6]), np.array([0.01, 0.02, 0.01, 0.03, 0.01])
    found = combine(y, v, "paule-mandel")
    w = 1 / (v + found.tau2)
    assert (w * (y - found.value) ** 2).sum() == pytest.approx(4, abs=1e-12)
    assert tau2_paule_mandel(np.array([0.5, 0.5]), np.array([1.0, 1.0])) == 0


def test_equal_variances_without_heterogeneity_are_a_plain_mean() -> None:
    """Guards the common limit of all methods: equal variances give the mean, and equal effects no spread."""
    y = [0.1, 0.2, 0.3, 0.4]
    for method in META_METHODS:
        assert combine(y, [2.0] * 4, method).value == pytest.approx(0.25)  # type: ignore[arg-type]
    same = combine([0.3] * 4, [1.0, 2.0, 3.0, 4.0], "hartung-knapp")
    assert (same.se, same.p, same.i2, same.tau2) == pytest.approx((0, 0, 0, 0), abs=1e-12)


def test_the_papers_combined_p_is_stouffers() -> None:
    """Guards side and scale: scipy's combination of one-sided p-values, and uniform p under no difference."""
    rng = np.random.default_rng(23)
    d, s = rng.normal(0.05, 0.1, 20), rng.uniform(0.05, 0.2, 20)
    theirs = stats.combine_pvalues(stats.norm.sf(d / s), method="stouffer").pvalue
    assert combined_p(d, s) == pytest.approx(theirs, rel=1e-9)
    assert combined_p(-d, s) == pytest.approx(1 - theirs, rel=1e-9)
    null = [combined_p(rng.normal(0, s), s) for _ in range(500)]
    assert stats.kstest(null, "uniform").pvalue > 0.01


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: combine([0.1], [1.0]), "too few"),
        (lambda: combine([0.1, 0.2], [1.0]), "differ in number"),
        (lambda: combine([0.1, 0.2], [1.0, 0.0]), "1 of 2 topics have no variance"),
        (lambda: combine([0.1, float("nan")], [1.0, 1.0]), "missing"),
        (lambda: combine([0.1, 0.2], [1.0, 1.0], "reml"), "meta-analysis .* is not known"),  # type: ignore[arg-type]
        (lambda: combine([0.1, 0.2], [1.0, 1.0], confidence=1), "not between 0 and 1"),
        (lambda: combined_p([0.1], [0.0]), "no variance"),
    ],
)
def test_mistakes_are_told(call: Any, message: str) -> None:
    """Guards the messages: what was wrong and what to do."""
    with pytest.raises(TruegainError, match=message):
        call()


D, V = [0.12, 0.05, 0.31, -0.04, 0.2], [0.004, 0.002, 0.01, 0.003, 0.006]


@pytest.mark.parametrize("method", META_METHODS)
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_every_number_of_a_meta_analysis(method: Any, confidence: float) -> None:
    """Guards each field by its definition, in plain sums."""
    found = combine(D, V, method, confidence)
    w = [1 / v for v in V]
    fixed = sum(a * d for a, d in zip(w, D, strict=True)) / sum(w)
    q = sum(a * (d - fixed) ** 2 for a, d in zip(w, D, strict=True))
    tau2 = max(0.0, (q - 4) / (sum(w) - sum(a * a for a in w) / sum(w)))
    if method == "fixed":
        tau2 = 0.0
    if method == "paule-mandel":
        tau2 = found.tau2
    w = [1 / (v + tau2) for v in V]
    value = sum(a * d for a, d in zip(w, D, strict=True)) / sum(w)
    squares = sum(a * (d - value) ** 2 for a, d in zip(w, D, strict=True))
    if method == "paule-mandel":
        assert squares == pytest.approx(4, rel=1e-9)
    se = math.sqrt(squares / (4 * sum(w))) if method == "hartung-knapp" else sum(w) ** -0.5
    law: Any = stats.t(4) if method == "hartung-knapp" else stats.norm()
    step, tail = law.ppf((1 + confidence) / 2) * se, 2 * law.sf(abs(value) / se)
    assert (found.value, found.se, found.tau2) == pytest.approx((value, se, tau2), rel=1e-9)
    assert (found.low, found.high, found.p) == pytest.approx((value - step, value + step, tail), rel=1e-9)
    assert (found.q, found.p_q, found.i2) == pytest.approx((q, stats.chi2.sf(q, 4), (q - 4) / q), rel=1e-9)


def test_meta_analysis_at_its_edges() -> None:
    """Guards two and three tests, equal effects, an effect of 0, defaults, and what may not be combined."""
    assert combine(D, V) == combine(D, V, "random", 0.95)
    same = combine([0.25, 0.25, 0.25], [0.25, 0.25, 0.25], "hartung-knapp")
    assert (same.q, same.i2, same.tau2, same.se, same.p, same.p_q) == (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    assert (same.low, same.high) == (0.25, 0.25)
    none = combine([0.0, 0.0], [0.5, 0.5], "hartung-knapp")
    assert (none.value, none.p) == (0.0, 1.0)
    assert combine([-0.5, 0.5], [0.5, 0.5], "hartung-knapp").p == 1.0
    alike = combine([0.1, 0.12, 0.11], [0.1, 0.1, 0.1])
    assert (alike.tau2, alike.i2) == (0.0, 0.0)
    assert tau2_paule_mandel(np.array([0.1, 0.12]), np.array([0.1, 0.1])) == 0.0
    assert combined_p([0.3], [0.2]) == pytest.approx(stats.norm.sf(1.5))
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: combine([0.1], [0.1]), "too few topics to combine: 1; give at least 2"),
        (lambda: combined_p([], []), "too few topics to combine: 0"),
        (lambda: combine([0.1, 0.2], [0.1]), "2 effects and 1 variances"),
        (lambda: combine([[0.1, 0.2]], [[0.1, 0.2]]), "differ in number"),
        (lambda: combine([0.1, math.nan], [0.1, 0.1]), "missing or infinite"),
        (lambda: combine([0.1, 0.2], [0.1, math.inf]), "missing or infinite"),
        (lambda: combine([0.1, 0.2, 0.3], [0.1, 0.0, 0.2]), "1 of 3 topics have no variance"),
        (lambda: combine([0.1, 0.2], [0.1, -0.2]), "1 of 2 topics have no variance"),
    ]
    for call, message in wrong:
        with pytest.raises(TruegainError, match=message):
            call()


def test_meta_analysis_written_out() -> None:
    """Guards every way to combine against its formulas in plain sums, and Q and I2."""
    d, v = [0.1, 0.5, 0.9, -0.2], [0.01, 0.02, 0.03, 0.015]
    w = [1 / x for x in v]
    fixed = sum(a * b for a, b in zip(w, d, strict=True)) / sum(w)
    q = sum(a * (b - fixed) ** 2 for a, b in zip(w, d, strict=True))
    tau2 = (q - 3) / (sum(w) - sum(a * a for a in w) / sum(w))
    star = [1 / (x + tau2) for x in v]
    value = sum(a * b for a, b in zip(star, d, strict=True)) / sum(star)
    one = combine(d, v, "fixed", 0.9)
    se = sum(w) ** -0.5
    assert (one.value, one.se, one.q, one.tau2) == pytest.approx((fixed, se, q, 0.0))
    assert (one.high - one.value, one.value - one.low) == pytest.approx((stats.norm.ppf(0.95) * se,) * 2)
    assert one.p == pytest.approx(2 * stats.norm.sf(fixed / se))
    assert (one.p_q, one.i2) == pytest.approx((stats.chi2.sf(q, 3), (q - 3) / q))
    two = combine(d, v, "random", 0.9)
    assert (two.value, two.se, two.tau2) == pytest.approx((value, sum(star) ** -0.5, tau2))
    three = combine(d, v, "hartung-knapp", 0.9)
    hk = math.sqrt(sum(a * (b - value) ** 2 for a, b in zip(star, d, strict=True)) / (3 * sum(star)))
    assert (three.se, three.p) == pytest.approx((hk, 2 * stats.t.sf(value / hk, 3)))
    assert three.high - three.value == pytest.approx(stats.t.ppf(0.95, 3) * hk)
    pm = tau2_paule_mandel(np.array(d), np.array(v))
    weights = 1 / (np.array(v) + pm)
    center = (weights * d).sum() / weights.sum()
    assert float((weights * (np.array(d) - center) ** 2).sum()) == pytest.approx(3.0, rel=1e-9)
    assert combine(d, v, "paule-mandel").tau2 == pm


def test_meta_analysis_at_its_ends() -> None:
    """Guards equal effects: nothing between tests, p of an effect without spread, and how few tests can be combined."""
    same = combine([0.2, 0.2, 0.2], [0.01, 0.02, 0.03], "hartung-knapp")
    assert (same.tau2, same.i2, same.p, same.se) == pytest.approx((0.0, 0.0, 0.0, 0.0), abs=1e-12)
    assert combine([0.0, 0.0], [0.01, 0.02], "hartung-knapp").p == 1.0
    assert tau2_paule_mandel(np.array([0.1, 0.1]), np.array([1.0, 1.0])) == 0.0
    assert combined_p([0.3], [0.2]) == pytest.approx(stats.norm.sf(1.5))
    for wrong in (([0.1], [0.01]), ([0.1, 0.2], [0.01, 0.0]), ([0.1, 0.2], [0.01])):
        with pytest.raises(TruegainError):
            combine(*wrong)
