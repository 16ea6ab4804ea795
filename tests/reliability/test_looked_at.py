"""Assessors who are looked at: far below the others, equal ratings, few pairs, little time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from scipy import stats

import truegain as tg
from tests.reliability.test_alpha import frame_of, pairs_of
from truegain.aggregation import assessors as people
from truegain.aggregation.assessors import assessors, far_below
from truegain.data.rating_groups import Grouped, scale_of
from truegain.reliability import alpha as left_out
from truegain.sampling.streams import generator

Array = npt.NDArray[np.float64]


def grouped(matrix: Any) -> Grouped:
    """Assessors by items."""
    return Grouped.of(tg.read_ratings(frame_of(np.asarray(matrix, float))))


def rated(rows: list[tuple[str, str, float]]) -> Grouped:
    """Ratings of one topic: document, assessor, label."""
    table = pl.DataFrame([("1", *row) for row in rows], schema=["topic", "doc", "assessor", "label"], orient="row")
    return Grouped.of(tg.read_ratings(table))


def flip(told: Callable[[float], bool], low: float, high: float) -> float:
    """Where `told`, true at low and not at high, ceases to hold."""
    assert told(low)
    assert not told(high)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if told(middle) else (low, middle)
    return low


def test_far_below_begins_where_it_is_said_to() -> None:
    """Guards 1.96 errors, 3 spreads, the usual of those with many items, the median distance above it."""
    z = np.array([0.5, 0.9, 1.0, 1.3, 1.5, 1.1])
    n = np.array([300.0, 300.0, 300.0, 300.0, 300.0, 40.0])  # the sixth has few items and tells nothing of the usual
    for items in (20.0, 100.0):
        every = np.append(n, items)
        distance = 1.4826 * np.median([0.0, 0.3, 0.5])  # of 1.0, 1.3 and 1.5 above the median 1.0
        least = 1.0 - math.sqrt(1.96**2 / (items - 3) + 9 * (distance**2 - 1 / 297))

        def told(x: float, every: Array = every) -> bool:
            return bool(far_below(np.tanh(np.append(z, x)), every)[-1])

        assert flip(told, -3.0, 1.0) == pytest.approx(least, abs=1e-9)


def test_far_below_without_a_spread_beyond_errors() -> None:
    """Guards the spread that is not below 0: people who differ less than by chance leave the own error alone."""
    n = np.append(np.full(6, 103.0), 20.0)
    z = np.array([0.90, 0.93, 0.95, 0.95, 0.96, 0.97])

    def told(x: float) -> bool:
        return bool(far_below(np.tanh(np.append(z, x)), n)[-1])

    assert flip(told, -3.0, 0.9) == pytest.approx(0.95 - 1.96 / math.sqrt(17), abs=1e-9)


def test_a_correlation_must_lie_a_fifth_below() -> None:
    """Guards 0.2: with errors next to nothing, of five against the usual, of three and four against the lowest."""
    for usual in ([0.8] * 5, [0.8, 0.85], [0.8, 0.9, 0.85]):
        many = np.full(len(usual) + 1, 1e12)
        many[-1] /= 10  # the last does not tell what is usual

        def told(x: float, usual: list[float] = usual, many: Array = many) -> bool:
            return bool(far_below(np.array([*usual, x]), many)[-1])

        assert flip(told, 0.0, 0.8) == pytest.approx(0.6, abs=1e-4)
    for others in ([0.0] * 5, [0.0, 0.1], [0.0, 0.1, 0.2]):  # by 0.2 is enough
        many = np.append(np.full(len(others), 1e12), 1e11)
        assert far_below(np.array([*others, -0.2]), many)[-1]


@pytest.mark.parametrize("others", [[0.9, 0.95], [0.95, 0.9, 0.97]])
def test_one_of_a_few_lies_below_all_intervals(others: list[float]) -> None:
    """Guards small panels: the upper limit, 1.96 errors up, below the lowest lower limit of the others."""
    n = np.array([40.0, 60.0, 50.0])[: len(others)]
    low = min(np.arctanh(r) - 1.96 / math.sqrt(k - 3) for r, k in zip(others, n, strict=True))

    def told(x: float) -> bool:
        return bool(far_below(np.tanh([*np.arctanh(others), x]), np.append(n, 20.0))[-1])

    assert flip(told, -3.0, 1.4) == pytest.approx(low - 1.96 / math.sqrt(17), abs=1e-9)


def test_how_many_make_a_usual() -> None:
    """Guards who is counted: four items, two others at least, nobody whose correlation is unknown."""
    good = [0.9, 0.92]
    assert far_below(np.array([*good, -0.9]), np.array([1e4, 1e4, 1e4])).tolist() == [False, False, True]
    assert not far_below(np.array([good[0], -0.9]), np.array([1e4, 1e4])).any()
    assert not far_below(np.array([*good, -0.9, np.nan]), np.array([1e4, 3.0, 1e4, 1e4])).any()  # three items: unknown
    crowd = np.append(np.linspace(0.990, 0.992, 9), -0.99)
    assert far_below(crowd, np.append(np.full(9, 1e4), 4.0))[-1]
    assert not far_below(crowd, np.append(np.full(9, 1e4), 3.0)).any()


def test_why_somebody_is_looked_at_to_the_limit() -> None:
    """Guards 4 ratings, 10 pairs, half of them, a third of the usual time."""
    order = np.array([0.5, 0.49, 0.49, 0.49, np.nan])
    pairs = np.array([10.0, 10.0, 9.0, 10.0, 0.0])
    n = np.array([4.0, 4.0, 4.0, 3.0, 9.0])
    seconds = np.array([0.3, 0.1, 0.099, 0.09, 0.3])  # the usual is 0.1 here
    no = np.zeros(5, bool)
    against, quick = "orders documents against the experts", "takes less than a third of the usual time"
    assert people._looks(no, no, order, pairs, np.full(5, np.nan), n) == [[], [against], [], [], []]
    assert people._looks(no, no, order, pairs, np.zeros(5), n) == [[], [against], [], [], []]
    assert people._looks(no, no, np.full(5, np.nan), pairs, seconds, n) == [[]] * 5
    seconds = np.array([0.3, 0.1, 0.099, 0.09, 0.3, 0.3, 0.3])  # and 0.3: a third is 0.1
    seen = people._looks(*(np.zeros(7, bool),) * 2, np.full(7, np.nan), np.zeros(7), seconds, np.r_[n, 9, 9])
    assert seen == [[], [], [quick], [], [], [], []]


@pytest.mark.parametrize(
    ("own", "alike", "every", "look"),
    [(4, 13, 100, True), (7, 5, 32, False), (3, 0, 100, False), (4, 0, 100, True), (4, 20, 100, False)],
)
def test_equal_ratings_are_striking_to_the_limit(own: int, alike: int, every: int, look: bool) -> None:
    """Guards 1 in 1,000: the share of a rating to the power of how often one person gave it alone, from 4 on."""
    rows = [(f"d{i}", "x", 1.0) for i in range(own)] + [(f"e{i}", f"p{i}", 1.0) for i in range(alike)]
    rows += [(f"f{i}", f"q{i}", float(2 + i)) for i in range(every - len(rows))]
    found = {a.assessor: a for a in assessors(rated(rows))}
    assert bool(found["x"].look) == look
    assert look == (own >= 4 and ((own + alike) / every) ** own < 1e-3)
    assert (found["x"].spread, found["x"].ratings) == (0.0, own)


def test_units_of_magnitudes_may_be_huge() -> None:
    """Guards mean, spread and bias where squares would overflow: ten times the ratings, ten times the numbers."""
    matrix = np.random.default_rng(1).integers(1, 9, (3, 12)).astype(float)
    one, huge = (assessors(grouped(matrix * unit)) for unit in (1.0, 1e200))
    for a, b in zip(one, huge, strict=True):
        assert a.bias is not None
        assert (b.mean, b.spread, b.bias) == pytest.approx((a.mean * 1e200, a.spread * 1e200, a.bias * 1e200))
        assert (b.equal, b.correlation, b.low) == pytest.approx((a.equal, a.correlation, a.low))
    assert scale_of(np.array([0.99e100])) == 1.0
    assert 0.5 < 1.02e100 / scale_of(np.array([1.0, -1.02e100])) / 2 <= 1


def test_the_interval_of_a_correlation_by_default() -> None:
    """Guards 95% where nothing is said, four items at least, and none for a correlation of 1."""
    x, y = np.array([0.0, 1, 2, 3, 4, 5, 6, 7]), np.array([1.0, 0, 2, 4, 3, 5, 7, 6])
    found = assessors(grouped([x, y]))[0]
    left = [np.arctanh(np.corrcoef(np.delete(x, i), np.delete(y, i))[0, 1]) for i in range(8)]
    error = max(1 / 5, 7 * float(np.var(left))) ** 0.5
    middle, step = np.arctanh(np.corrcoef(x, y)[0, 1]), float(stats.norm.ppf(0.975)) * error
    assert (found.low, found.high) == pytest.approx((np.tanh(middle - step), np.tanh(middle + step)))
    assert assessors(grouped([x, x]))[0].low is None
    assert assessors(grouped([x[:3], y[:3]]))[0].low is None
    assert assessors(grouped([[0, 1, 2, 4], [0, 2, 1, 5]]))[0].low is not None


def test_groups_that_are_left_out() -> None:
    """Guards 200 groups of more than 1,000 items, 50 of more than 200 assessors, and the seed behind them."""
    matrix = np.random.default_rng(4).integers(0, 3, (2, 1001))
    assert len(left_out._without_items(pairs_of(matrix[:, :1000]), "nominal", 0)) == 1000
    assert len(left_out._without_items(pairs_of(matrix), "nominal", 0)) == 200
    crowd = np.random.default_rng(5).integers(0, 3, (201, 3))
    assert len(left_out._without_assessors(pairs_of(crowd[:200]), "nominal", 0)) == 200
    assert len(left_out._without_assessors(pairs_of(crowd), "nominal", 0)) == 50
    rng = generator(7, "groups left out")
    assert left_out._groups(11, 10, 4, 7).tolist() == (rng.permutation(11) % 4).tolist()
    assert left_out._groups(10, 10, 4, 7).tolist() == list(range(10))


def test_limits_of_a_correlation_with_the_rest() -> None:
    """Guards Fisher's limits: the greater of 1/(n - 3) and what leaving out gives; 4 items at least, no r of 1."""
    r, n = np.array([0.5, 0.5, 0.5, 1.0, 0.5]), np.array([12.0, 12.0, 3.0, 9.0, 4.0])
    low, high = people._limits(r, n, np.array([0.01, 0.4, 0.1, 0.1, 0.1]), 0.9)
    z, step = math.atanh(0.5), stats.norm.ppf(0.95)
    for i, variance in ((0, 1 / 9), (1, 0.4), (4, 1.0)):
        ends = [math.tanh(z - step * math.sqrt(variance)), math.tanh(z + step * math.sqrt(variance))]
        assert [low[i], high[i]] == pytest.approx(ends)
    assert np.isnan(low[2:4]).all()
    assert np.isnan(high[2:4]).all()
