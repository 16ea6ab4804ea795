"""Limits by their definitions: percentile, basic, studentized, bca, logit, Wilson, and their edges."""

from __future__ import annotations

import inspect
import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from truegain.errors import TruegainError
from truegain.stats import intervals
from truegain.stats.contrasts import within


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
        (intervals.studentized, (0.3, 0.1, draws, np.full(41, 0.1))),
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
    """Guards linear, student, basic, studentized and logit limits by their definitions, for several values at once."""
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
    found = intervals.studentized(value, se, draws, theirs, 0.8)
    assert found.low == pytest.approx(value - high * se)
    assert found.high == pytest.approx(value - low * se)
    assert not found.fell_back.any()
    below = intervals.studentized(0.5, 0.1, [0.1, 0.45, 0.5, 0.6, 0.7], [0.0, 0.1, 0.1, 0.1, 0.1], 0.5)
    assert ends(below) == pytest.approx([0.5 - 0.1, 0.5 + 0.05])  # t* are -infinite, -0.5, 0, 1, 2
    above = intervals.studentized(0.5, 0.1, [0.1, 0.45, 0.5, 0.55, 0.6, 0.7], [0.1, 0.1, 0.1, 0.1, 0.1, 0.0], 0.5)
    assert ends(above) == pytest.approx([0.5 - 0.0875, 0.5 + 0.0375])  # t* are -4, -0.5, 0, 0.5, 1, infinite
    center, step = math.log(0.2 / 0.8), z * 0.02 / (0.2 * 0.8)
    want = [1 / (1 + math.exp(-x)) for x in (center - step, center + step)]
    assert ends(intervals.logit_delta(0.2, 0.02, 0.8)) == pytest.approx(want)
    cut = intervals.logit_delta(0.0, 0.02, 0.8, epsilon=0.1)
    center, step = math.log(0.1 / 0.9), z * 0.02 / 0.09
    assert ends(cut) == pytest.approx([1 / (1 + math.exp(-x)) for x in (center - step, center + step)])


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


def test_a_quantile_at_either_end_is_the_end() -> None:
    """Guards the step beyond the last value: levels 0 and 1 give the least and greatest, others numpy's type 7."""
    values = np.array([[1.0, 4.0, 9.0, 16.0]] * 4)
    levels = np.array([0.0, 0.4, 0.9, 1.0])
    want = [float(np.quantile(values[0], level)) for level in levels]
    assert intervals.sorted_quantile(values, levels) == pytest.approx(want, rel=1e-14)
    assert intervals.sorted_quantile(values, levels)[[0, 3]].tolist() == [1.0, 16.0]


def test_bca_by_hand_with_a_value_missing() -> None:
    """Guards z0 with ties counted half, a with the 6 and the power 1.5, and a missing jackknife value left out."""
    draws, without = np.array([1.0, 2.0, 2.0, 3.0, 5.0, 8.0]), np.array([1.0, np.nan, 2.0, 6.0])
    z0, a, lost = intervals.bca_parts(np.array(2.0), draws, without)
    u = [3 - 1, 3 - 2, 3 - 6]
    want = sum(x**3 for x in u) / (6 * sum(x**2 for x in u) ** 1.5)
    assert float(z0) == pytest.approx(statistics.NormalDist().inv_cdf((1 + 3) / 2 / 6), rel=1e-12)
    assert float(a) == pytest.approx(want, rel=1e-12)
    assert not lost
    low, _ = intervals.bca_levels(z0, a, lost, 0.8)
    z = float(z0) + statistics.NormalDist().inv_cdf(0.1)
    assert float(low) == pytest.approx(statistics.NormalDist().cdf(float(z0) + z / (1 - float(a) * z)), rel=1e-12)


def test_bca_without_spread_or_on_one_side_takes_the_percentiles() -> None:
    """Guards where bca falls back: jackknife values equal but for rounding, and all draws at one side."""
    draws = np.array([1.0, 2.0, 3.0, 4.0])
    flat = np.array([3.0, 3.0 * (1 + 2e-16), 3.0])
    for value, without in ((2.5, flat), (0.5, np.array([1.0, 2.0, 4.0])), (5.0, np.array([1.0, 2.0, 4.0]))):
        z0, a, lost = intervals.bca_parts(np.array(value), draws, without)
        assert (float(z0), float(a), bool(lost)) == (0.0, 0.0, True)
        found = intervals.bca(value, draws, without, 0.5)
        assert [float(found.low), float(found.high)] == pytest.approx(np.quantile(draws, [0.25, 0.75]).tolist())
        assert found.fell_back
    assert not intervals.bca_parts(np.array(2.5), draws, np.array([3.0, 3.0 + 1e-9, 3.0]))[2]


def test_studentized_with_replicates_that_do_not_vary() -> None:
    """Guards t* of replicates without spread: 0 where equal to the estimate, else infinite with its sign."""
    one = intervals.studentized(1.0, 0.5, [1.0, 1.0, 1.0, 3.0], [0.0, 0.0, 0.0, 2.0], 0.5)
    assert (float(one.low), float(one.high)) == pytest.approx((1 - 0.25 * 0.5, 1.0))
    for ends in ([0.0, 1.0, 2.0], [1.0, 1.5, 2.0], [0.0, 0.5, 1.0]):
        lost = intervals.studentized(1.0, 0.5, ends, [0.0, 0.0, 0.0], 0.9)
        assert bool(lost.fell_back)
        assert [float(lost.low), float(lost.high)] == pytest.approx(np.quantile(ends, [0.05, 0.95]).tolist())


def test_logits_by_hand() -> None:
    """Guards what may have a logit (rounding beyond 0 and 1 may, more may not), and where ends are moved to."""
    assert intervals.logits([0.2, 0.9]).tolist() == pytest.approx([math.log(0.25), math.log(9)])
    assert intervals.logits([-1e-13, 1 + 1e-13]).tolist() == pytest.approx(
        [math.log(1e-5 / (1 - 1e-5)), math.log(99999)]
    )
    for wrong in ([-1e-9], [1 + 1e-9]):
        with pytest.raises(TruegainError, match="from 0 to 1"):
            intervals.logits(wrong)
    for epsilon in (0.0, 0.5):
        with pytest.raises(TruegainError, match=r"between 0 and 0\.5"):
            intervals.logits([0.3], epsilon)
    found = intervals.logit_delta(0.0, 0.0)
    assert (float(found.low), float(found.high)) == pytest.approx((1e-5, 1e-5), rel=1e-9)
    s = statistics.stdev([math.log(0.25), 0.0, math.log(9)])
    ends = intervals.logit(0.5, [0.2, 0.5, 0.9], 0.9)
    assert float(ends.high) == pytest.approx(1 / (1 + math.exp(-statistics.NormalDist().inv_cdf(0.95) * s)))


def test_two_replicates_are_enough() -> None:
    """Guards the least number of replicates, and that one without a value is told."""
    assert float(intervals.percentile([0.0, 1.0], 0.5).low) == pytest.approx(0.25)
    for few_ in (3.0, [1.0]):
        with pytest.raises(TruegainError, match="at least 2 replicates"):
            intervals.percentile(few_)
    with pytest.raises(TruegainError, match="2 replicates have no value"):
        intervals.percentile([0.0, np.nan, np.nan])


def test_wilson_between_other_bounds() -> None:
    """Guards the move to [0, 1] and back: limits of values in [-2, 6] are those in [0, 1] times 8 less 2."""
    plain, moved = intervals.wilson(0.3, 0.1, 12), intervals.wilson(0.4, 0.8, 12, (-2.0, 6.0))
    assert float(moved.low) == pytest.approx(8 * float(plain.low) - 2, rel=1e-12)
    assert float(moved.high) == pytest.approx(8 * float(plain.high) - 2, rel=1e-12)
    flat = intervals.wilson(0.3, 1e-14, 12)
    t = stats.t.ppf(0.975, 11)
    assert abs(0.3 - float(flat.low)) == pytest.approx(t * math.sqrt(float(flat.low) * (1 - float(flat.low)) / 12))


def test_limits_of_differences_are_cut_at_the_whole_range() -> None:
    """Guards `within`: of a measure in [1, 4] two values are at most 3 apart, to either side."""
    assert [float(x) for x in within(-9, 9, (1, 4), differences=True)] == [-3.0, 3.0]
    assert [float(x) for x in within(-9, 9, (1, 4))] == [1.0, 4.0]
