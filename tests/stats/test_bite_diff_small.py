"""Meta-analysis, counted p-values, adjustments, limits and what answers hold: by definition and at their edges."""

from __future__ import annotations

import inspect
import math
import statistics
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from truegain.errors import TruegainError
from truegain.io.columns import Ints
from truegain.sampling.streams import blocks, generator
from truegain.stats import intervals
from truegain.stats.collection_ap import META_METHODS, combine, combined_p, tau2_paule_mandel
from truegain.stats.multiple_testing import (
    METHODS,
    adjust,
    adjust_asked,
    check_replicates,
    check_trials,
    monte_carlo_p,
    sequential_p,
    stages,
    trials_needed,
)
from truegain.stats.results import Comparison, Estimate
from truegain.stats.student_t import check_confidence

D, V = [0.12, 0.05, 0.31, -0.04, 0.2], [0.004, 0.002, 0.01, 0.003, 0.006]

# ---------------------------------------------------------------------- meta-analysis


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
        (lambda: combine([0.1], [0.1]), "1 topics are too few to combine; give at least 2"),
        (lambda: combined_p([], []), "0 topics are too few"),
        (lambda: combine([0.1, 0.2], [0.1]), "2 effects and 1 variances"),
        (lambda: combine([[0.1, 0.2]], [[0.1, 0.2]]), "do not pair"),
        (lambda: combine([0.1, math.nan], [0.1, 0.1]), "missing or infinite"),
        (lambda: combine([0.1, 0.2], [0.1, math.inf]), "missing or infinite"),
        (lambda: combine([0.1, 0.2, 0.3], [0.1, 0.0, 0.2]), "1 of 3 topics have no variance"),
        (lambda: combine([0.1, 0.2], [0.1, -0.2]), "1 of 2 topics have no variance"),
    ]
    for call, message in wrong:
        with pytest.raises(TruegainError, match=message):
            call()


# ---------------------------------------------------------------------- counted p-values


def test_stages_and_counts_by_hand() -> None:
    """Guards where stages end, the twentieth hit, and that the last stage settles all; progress tells every pair."""
    assert list(stages(10, 10)) == [(0, 10)]
    assert list(stages(10, 5)) == [(0, 10)]
    assert list(stages(10, 11)) == [(0, 10), (10, 11)]
    assert list(stages(10, 40)) == [(0, 10), (10, 40)]
    assert list(stages(10, 161)) == [(0, 10), (10, 40), (40, 160), (160, 161)]
    told: list[int] = []
    asked: list[tuple[list[int], int, int]] = []
    hits = {(0, 40): [19, 20, 21, 0], (40, 160): [0, 9, 9, 20], (160, 300): [1, 9, 9, 9]}

    def count(which: Ints, first: int, last: int) -> Ints:
        asked.append((which.tolist(), first, last))
        return np.array(hits[first, last])[which]

    p = sequential_p(count, 4, 40, 300, told.append)
    assert asked == [([0, 1, 2, 3], 0, 40), ([0, 3], 40, 160), ([0], 160, 300)]
    assert p.tolist() == pytest.approx([21 / 301, 21 / 41, 22 / 41, 21 / 161])
    assert told == [2, 1, 1]
    asked.clear()
    assert sequential_p(count, 4, 40, 40).tolist() == pytest.approx([20 / 41, 21 / 41, 22 / 41, 1 / 41])
    assert len(asked) == 1


def test_trials_that_are_needed() -> None:
    """Guards the least trials: refused one below, taken at the number itself, with and without alpha."""
    assert check_trials(20, 0.05) == 20
    assert check_trials(1) == 1
    for trials, alpha in ((19, 0.05), (0, None), (99, 0.01)):
        with pytest.raises(TruegainError, match="give at least"):
            check_trials(trials, alpha)
    assert trials_needed(6, 0.1) == 60
    assert trials_needed(6, 0.1, "by") == 147  # 60 (1 + 1/2 + ... + 1/6), exactly
    assert monte_carlo_p([0, 9], 9).tolist() == [0.1, 1.0]
    assert monte_carlo_p([0, 9], 9, "published").tolist() == [0.0, 1.0]


# ---------------------------------------------------------------------- adjustments


@pytest.mark.parametrize("name", METHODS)
def test_adjusted_values_by_definition(name: str) -> None:
    """Guards each adjustment with ties, 0 and 1 among the values, in any order, against its definition written out."""
    p = [0.2, 0.01, 1.0, 0.04, 0.0, 0.04, 0.35]
    k, order = len(p), sorted(range(7), key=lambda i: p[i])
    s = [p[i] for i in order]
    harmonic = sum(1 / j for j in range(1, k + 1))
    want = {
        "none": [s[i] for i in range(k)],
        "bonferroni": [k * s[i] for i in range(k)],
        "holm": [max((k - j) * s[j] for j in range(i + 1)) for i in range(k)],
        "hochberg": [min((k - j) * s[j] for j in range(i, k)) for i in range(k)],
        "holm-sidak": [max(1 - (1 - s[j]) ** (k - j) for j in range(i + 1)) for i in range(k)],
        "bh": [min(k * s[j] / (j + 1) for j in range(i, k)) for i in range(k)],
        "by": [harmonic * min(k * s[j] / (j + 1) for j in range(i, k)) for i in range(k)],
    }[name]
    found = adjust(p, name)
    assert [found[i] for i in order] == pytest.approx([min(1.0, x) for x in want], rel=1e-12)
    asked = adjust_asked([*p[:2], math.nan, *p[3:]], name)
    assert math.isnan(asked[2])
    assert np.delete(asked, 2) == pytest.approx(np.delete(found, 2), rel=1e-12)


def test_what_is_no_list_of_p_values() -> None:
    """Guards the ends of what is a p-value, and an adjustment of nothing."""
    assert adjust([]).tolist() == []
    assert adjust([0.0, 1.0]).tolist() == adjust([0.0, 1.0], "holm").tolist() == [0.0, 1.0]
    for wrong in ([0.1, -0.01], [1.01, 0.2], [0.1, math.nan], [[0.1, 0.2]]):
        with pytest.raises(TruegainError, match=r"not a p-value|plain list"):
            adjust(wrong)


# ---------------------------------------------------------------------- limits


def ends(found: intervals.Limits) -> list[float]:
    """Both limits as plain numbers."""
    return [float(found.low), float(found.high)]


def test_limits_by_default_are_of_95_percent() -> None:
    """Guards the level that every kind of interval takes unasked."""
    draws, parts = np.linspace(0.2, 0.8, 41) ** 2, np.array([0.2, 0.31, 0.25, 0.3])
    calls: list[tuple[Callable[..., intervals.Limits], tuple[Any, ...]]] = [
        (intervals.linear, (0.5, 0.1)),
        (intervals.student, (0.5, 0.1, 6)),
        (intervals.wilson, (0.5, 0.1, 6)),
        (intervals.logit, (0.3, draws)),
        (intervals.logit_delta, (0.3, 0.1)),
        (intervals.percentile, (draws,)),
        (intervals.basic, (0.3, draws)),
        (intervals.studentised, (0.3, 0.1, draws, np.full(41, 0.1))),
        (intervals.bca, (0.3, draws, parts)),
    ]
    for call, given in calls:
        assert ends(call(*given)) == ends(call(*given, confidence=0.95))
        assert ends(call(*given)) != ends(call(*given, confidence=0.9))
        for level in (0.0, 1.0, 1.5):
            with pytest.raises(TruegainError, match="between 0 and 1"):
                call(*given, confidence=level)
    assert ends(intervals.wilson(0.4, 0.1, 6)) == ends(intervals.wilson(0.4, 0.1, 6, (0.0, 1.0)))
    assert inspect.signature(intervals.logit).parameters["epsilon"].default == pytest.approx(1e-5)


def test_limits_by_hand() -> None:
    """Guards linear, student, basic, studentised and logit limits by their definitions, for several values at once."""
    z, t = statistics.NormalDist().inv_cdf(0.9), float(stats.t.ppf(0.9, 6))
    value, se = np.array([0.5, 0.2]), np.array([0.1, 0.02])
    found = intervals.linear(value, se, 0.8)
    assert found.low == pytest.approx(value - z * se)
    assert found.high == pytest.approx(value + z * se)
    found = intervals.student(value, se, [6, 6], 0.8)
    assert found.low == pytest.approx(value - t * se)
    assert found.high == pytest.approx(value + t * se)
    draws = np.array([[0.1, 0.2, 0.35, 0.5, 0.9], [0.0, 0.1, 0.2, 0.25, 0.5]])
    low, high = np.quantile(draws, [0.1, 0.9], axis=1)
    found = intervals.basic(value, draws, 0.8)
    assert found.low == pytest.approx(2 * value - high)
    assert found.high == pytest.approx(2 * value - low)
    theirs = np.array([[0.1, 0.2, 0.1, 0.3, 0.2], [0.1, 0.1, 0.2, 0.2, 0.1]])
    low, high = np.quantile((draws - value[:, None]) / theirs, [0.1, 0.9], axis=1)
    found = intervals.studentised(value, se, draws, theirs, 0.8)
    assert found.low == pytest.approx(value - high * se)
    assert found.high == pytest.approx(value - low * se)
    assert not found.fell_back.any()
    below = intervals.studentised(0.5, 0.1, [0.1, 0.45, 0.5, 0.6, 0.7], [0.0, 0.1, 0.1, 0.1, 0.1], 0.5)
    assert ends(below) == pytest.approx([0.5 - 0.1, 0.5 + 0.05])  # t* are -infinite, -0.5, 0, 1, 2
    above = intervals.studentised(0.5, 0.1, [0.1, 0.45, 0.5, 0.55, 0.6, 0.7], [0.1, 0.1, 0.1, 0.1, 0.1, 0.0], 0.5)
    assert ends(above) == pytest.approx([0.5 - 0.0875, 0.5 + 0.0375])  # t* are -4, -0.5, 0, 0.5, 1, infinite
    centre, step = math.log(0.2 / 0.8), z * 0.02 / (0.2 * 0.8)
    want = [1 / (1 + math.exp(-x)) for x in (centre - step, centre + step)]
    assert ends(intervals.logit_delta(0.2, 0.02, 0.8)) == pytest.approx(want)
    cut = intervals.logit_delta(0.0, 0.02, 0.8, epsilon=0.1)
    centre, step = math.log(0.1 / 0.9), z * 0.02 / 0.09
    assert ends(cut) == pytest.approx([1 / (1 + math.exp(-x)) for x in (centre - step, centre + step)])


@pytest.mark.parametrize("value", [0.0, 0.4, 1.0])
def test_wilson_limits_of_values_that_are_all_equal(value: float) -> None:
    """Guards the count that stands in for the spread where there is none: n values at the bounds; value inside."""
    t = float(stats.t.ppf(0.95, 8))
    found = ends(intervals.wilson(value, 0.0, 9, confidence=0.9))
    for x in found:
        if x != value:
            assert (value - x) ** 2 == pytest.approx(t**2 * x * (1 - x) / 9, rel=1e-9)
    assert found[0] <= value <= found[1]
    assert (found[0] == value) == (value == 0.0)
    assert (found[1] == value) == (value == 1.0)
    for beyond in (-1e-13, 1 + 1e-13):  # by rounding
        low, high = ends(intervals.wilson(beyond, 0.0, 9))
        assert low <= beyond <= high
    spread = ends(intervals.wilson(0.4, 0.05, 9, confidence=0.9))
    for x in spread:
        assert (0.4 - x) ** 2 == pytest.approx(t**2 * x * (1 - x) / (0.24 / 0.0025), rel=1e-9)


def test_bca_of_many_at_once_is_that_of_each() -> None:
    """Guards rows of bca, one of which falls back, against scipy's levels written out for each."""
    rng = np.random.default_rng(3)
    draws, value = rng.gamma(2.0, 0.1, (3, 200)), np.array([0.2, 0.17, 9.0])
    without = rng.gamma(2.0, 0.02, (3, 12)) + 0.1
    found = intervals.bca(value, draws, without, 0.9)
    assert found.fell_back.tolist() == [False, False, True]
    norm = statistics.NormalDist()
    for i in range(2):
        z0 = norm.inv_cdf(float((draws[i] < value[i]).mean()))
        u = without[i].mean() - without[i]
        a = float((u**3).sum() / (6 * (u**2).sum() ** 1.5))
        levels = [norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in (norm.inv_cdf(0.05), norm.inv_cdf(0.95))]
        assert [found.low[i], found.high[i]] == pytest.approx(np.quantile(draws[i], levels).tolist(), rel=1e-9)
    assert [found.low[2], found.high[2]] == pytest.approx(np.quantile(draws[2], [0.05, 0.95]).tolist())
    assert intervals.bca_parts(np.array(2.5), np.array([1.0, 2.0, 3.0, 4.0]), np.zeros(3))[2]
    assert not intervals.bca_parts(np.array(2.5), np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 1.0, 0.0]))[2]
    halves, lost = intervals.bias_of(np.array([1.0, 4.0]), np.array([[1.0, 1.0], [3.0, 4.0]]))
    assert (float(halves[0]), bool(lost[0])) == (0.0, False)
    assert float(halves[1]) == pytest.approx(norm.inv_cdf(0.75))


# ---------------------------------------------------------------------- replicates, answers


def test_replicates_and_their_blocks() -> None:
    """Guards the least replicates of a level, the hint for 95 in place of 0.95, and blocks of 500 with own streams."""
    for confidence, least in ((0.95, 40), (0.9, 20), (0.99, 200), (0.5, 4)):
        assert check_replicates(least, confidence) == least
        with pytest.raises(TruegainError, match=f"give at least {least}$"):
            check_replicates(least - 1, confidence)
    for level, hint in ((95, "write 0.95 for 95%"), (100, "such as 0.95"), (1, "such as 0.95"), (0, "such as 0.95")):
        with pytest.raises(TruegainError, match=hint):
            check_confidence(level)
    assert check_confidence(0.3) == 0.3
    assert [n for _, n in blocks(500, 1, "topics")] == [500]
    assert [n for _, n in blocks(501, 1, "topics")] == [500, 1]
    seen = [rng.random() for rng, _ in blocks(1001, 1, "topics")]
    assert seen == [generator(1, "topics", block).random() for block in range(3)]
    others = [rng.random() for args in ((1001, 1, "systems"), (1001, 2, "topics")) for rng, _ in blocks(*args)]
    assert len({*seen, *others}) == 9  # every seed, source and block has its own


def test_answers_hold_95_percent_unless_told() -> None:
    """Guards the levels of answers that nobody gave one, and the words of those without limits or value."""
    one, two = Estimate("a", "AP", 0.2, 0.1, 0.3), Comparison("a", "b", "AP", 0.2, 0.3, 0.1, None, None, None)
    assert (one.confidence, two.confidence) == (0.95, 0.95)
    assert str(one) == "a AP 0.2000 [0.1000, 0.3000] 95% over topics, "
    assert str(two) == "b - a AP +0.1000 ()"
    assert str(replace(one, low=math.nan, high=math.nan)) == "a AP 0.2000"
    assert str(replace(one, value=math.nan, notes=("no gold", "no topics"))) == "a AP: undefined, no gold; no topics"
