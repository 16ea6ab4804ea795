"""Limits of agreement: who is looked at, which pairs of assessors stand for all, how many items make an interval.

Oracles are thresholds found by halving, values by hand and draws made again in plain steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from scipy import stats

import truegain as tg
from tests.reliability.test_alpha import alpha, frame_of, pairs_of
from truegain.aggregation import assessors as people
from truegain.aggregation.assessors import assessors, far_below
from truegain.aggregation.magnitudes import expert_levels, order_agreement
from truegain.data.judgments import Judgments
from truegain.data.rating_groups import Grouped, scale_of
from truegain.planning.assessors import assessors_needed
from truegain.reliability import alpha as alpha_module
from truegain.reliability import alpha as left_out
from truegain.reliability.agree import agreement
from truegain.reliability.alpha import TAIL, AlphaOptions, Coefficient, alpha_of
from truegain.reliability.kappa import _kappa, cohens
from truegain.sampling.streams import generator

Array = npt.NDArray[np.float64]


def cohen(ratings: Grouped, weights: str = "none", *, seed: int = 0) -> Coefficient:
    """Cohen's kappa by one kind of weights."""
    return cohens(ratings, (weights,), seed=seed)[0]


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


# ------------------------------------------------------------------ who is far below


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


# ------------------------------------------------------------------ kappa of very many


def drawn_again(matrix: Array, seed: int) -> tuple[float, int]:
    """The mean kappa of the pairs that a seed draws, step by step, and how many."""
    rng = generator(seed, "pairs of assessors")
    names = sorted(range(len(matrix)), key=lambda i: f"a{i}".encode())
    names = [i for i in names if np.isfinite(matrix[i]).sum() >= 5]
    seen: set[tuple[int, int]] = set()
    found: list[float] = []
    for one, two in np.sort(rng.integers(0, len(names), (40_000, 2)), axis=1).tolist():
        if one == two or (one, two) in seen or len(found) == 1000:
            continue
        seen.add((one, two))
        x, y = matrix[names[one]], matrix[names[two]]
        both = np.isfinite(x) & np.isfinite(y)
        if both.sum() >= 5 and (value := _kappa(x[both], y[both], "linear")) is not None:
            found.append(value)
    return float(np.mean(found)), len(found)


def test_random_pairs_of_assessors_drawn_again() -> None:
    """Guards the draw: pairs of two people, each once, with 5 items in common, 1,000 at most."""
    rng = np.random.default_rng(5)
    matrix = np.clip(rng.integers(0, 4, 14) + rng.integers(-1, 2, (47, 14)), 0, 3).astype(float)
    matrix[rng.random(matrix.shape) < 0.4] = np.nan
    found = cohen(grouped(matrix), "linear", seed=4)
    value, count = drawn_again(matrix, 4)
    assert count < 1000
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.why == f"{count} random pairs of 1,081, each with at least 5 common items"


def test_five_items_in_common_are_enough_and_four_are_not() -> None:
    """Guards the least that two of very many must share, and what is said where nobody does."""
    for items, found in ((5, True), (4, False)):
        rows = [(f"d{i}", w, float(i % 2 + (w == "y" and i == 0))) for i in range(items) for w in "xy"]
        rows += [(f"s{k}", f"z{k}", 1.0) for k in range(60)]
        told = cohen(rated(rows))
        assert (not told.refused) == found
        if not found:
            assert told.why == "of 0 random pairs of 62 assessors none rated 5 common items"
    apart = [(f"d{w}{i}", w, float(i)) for w in "xy" for i in range(5)] + [(f"s{k}", f"z{k}", 1.0) for k in range(60)]
    assert cohen(rated(apart)).why == "of 1 random pairs of 62 assessors none rated 5 common items"


def test_from_46_assessors_on_pairs_are_drawn() -> None:
    """Guards 1,000 pairs: 45 assessors make 990, which are all gone through; two are not a mean."""
    matrix = np.random.default_rng(2).integers(0, 3, (46, 6))
    assert cohen(grouped(matrix[:45])).why == "990 of 990 pairs"
    assert "random pairs of 1,035" in cohen(grouped(matrix)).why
    two, three = cohen(grouped(matrix[:2])), cohen(grouped(matrix[:3]))
    assert (two.measure, two.why, three.measure) == ("Cohen's kappa", "", "mean Cohen's kappa")
    each = [cohen(grouped(matrix[[a, b]])).value for a, b in combinations(range(3), 2)]
    assert three.value == pytest.approx(np.mean(each))


# ------------------------------------------------------------------ intervals of alpha


def test_how_many_items_a_bootstrap_and_a_long_tail_need() -> None:
    """Guards 100 items of a bootstrap, and 400 up to which a long tail harms an interval."""
    matrix = np.random.default_rng(3).integers(0, 4, (2, 400))
    for items, narrow in ((99, True), (100, False)):
        found = alpha_of(pairs_of(matrix[:, :items]), "nominal", AlphaOptions(method="bootstrap", trials=40))
        assert found.why.startswith("too narrow") == narrow
    assert [alpha_of(pairs_of(matrix[:, :items]), "interval").why for items in (399, 400)] == [TAIL, ""]


def test_half_of_the_resamples_may_be_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards a half: 20 of 40 resamples without an alpha leave an interval, that of the rest, 21 do not."""
    matrix = np.array([[0, 0, 1, 2, 1], [0, 0, 1, 1, 0]])
    full = [1.0, 1, 1, 1, 1], [1.0, 0, 2, 1, 1], [0.0, 1, 1, 2, 1], [2.0, 0, 1, 1, 1]
    each = [
        alpha_of(pairs_of(np.repeat(matrix, np.array(w, int), axis=1)), "nominal", AlphaOptions(trials=0)).value
        for w in full
    ]
    for lost in (0, 20, 21):
        rows = [[2.0, 3, 0, 0, 0]] * lost + [full[i % 4] for i in range(40 - lost)]

        def drawn(*_: int, rows: list[list[float]] = rows) -> Iterator[Array]:
            yield np.array(rows)

        monkeypatch.setattr(alpha_module, "drawn_items", drawn)
        found = alpha_of(pairs_of(matrix), "nominal", AlphaOptions(method="bootstrap", trials=40, confidence=0.9))
        if lost == 21:
            assert math.isnan(found.low)
            assert found.why == "21 of 40 resamples held a single value: no interval"
            continue
        kept = [each[i % 4] or 0.0 for i in range(40 - lost)]
        assert (found.low, found.high) == pytest.approx(tuple(np.quantile(kept, [0.05, 0.95])))
        assert ("20 of 40 resamples held a single value and were left out" in found.why) == (lost == 20)


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


def test_what_is_asked_where_nothing_is_said() -> None:
    """Guards defaults: 95% and seed 0, of every function that takes them."""
    matrix = np.clip(np.arange(12) % 4 + np.random.default_rng(6).integers(-1, 2, (3, 12)), 0, 3)
    frame = frame_of(matrix)
    said: dict[str, Any] = {"confidence": 0.95, "seed": 0, "trials": 1000}
    for method in ("jackknife", "bootstrap"):
        for level in ("nominal", "interval"):
            assert alpha(frame, level, method=method) == alpha(frame, level, method=method, **said)
            assert alpha_of(pairs_of(matrix), level, AlphaOptions(method=method)) == alpha(
                frame, level, method=method, **said
            )
        plain = agreement(frame, method=method).tables()
        asked = agreement(frame, method=method, confidence=0.95, seed=0, replicates=1000).tables()
        assert [t.rows for t in plain] == [t.rows for t in asked]
    crowd = grouped(np.random.default_rng(7).integers(0, 3, (50, 6)))
    assert cohen(crowd) == cohen(crowd, seed=0)
    assert str(assessors_needed(2, 0.3)) == str(assessors_needed(2, 0.3, 0.95))


def test_one_item_or_people_of_one_rating_each() -> None:
    """Guards what has no interval, and ratios that are not there."""
    assert alpha_of(pairs_of([[1], [2]]), "nominal").why == "one item has no interval"
    single = pl.DataFrame({"topic": "1", "doc": list("ab"), "assessor": list("xy"), "label": [1, 2]})
    rows = agreement(single, scale="ratio").overall.records()
    assert [r["note"] for r in rows] == ["undefined: no item has two ratings"] * 3


@pytest.mark.parametrize(("infinite", "held"), [(0, True), (2, True), (3, False), (4, False)])
def test_ratios_too_great_for_a_number(infinite: int, held: bool) -> None:
    """Guards the median of ratios: it is told while both of the middle two are numbers."""
    said = np.array([[1e-200] * infinite + [2.0] * (6 - infinite), [1e200] * infinite + [6.0] * (6 - infinite)])
    found = agreement(frame_of(said), scale="ratio", replicates=0)
    row = found.overall.records()[1]
    assert (row["value"] is not None) == held
    assert row["items"] == 6
    if held:
        assert row["value"] == pytest.approx(3.0)
    else:
        assert row["note"] == "undefined: most ratios are too great for a number to hold"
    told = [n for n in found.documents.notes if "too great" in n]
    assert told == ([f"undefined for {infinite} whose ratio is too great for a number to hold"] if infinite else [])


def test_fifty_levels_of_experts_are_listed() -> None:
    """Guards the most levels: of 50 every two are told, of 51 none."""
    for levels, told in ((50, 50 * 49 // 2), (51, 0)):
        found = order_agreement(np.arange(levels, 0.0, -1.0), np.arange(float(levels)), np.zeros(levels, np.int64))
        assert len(found.by_levels) == told
        assert found.share == 0.0


def test_experts_who_judged_one_document() -> None:
    """Guards the first document of the experts' list: it is one that they judged, others are not."""
    table = tg.read_ratings(
        pl.DataFrame({"topic": "1", "doc": list("aab"), "assessor": list("xyx"), "label": [1, 2, 3]})
    )
    levels = expert_levels(table, Judgments.of({"1": {"a": 2}}))
    assert levels[:2].tolist() == [2.0, 2.0]
    assert np.isnan(levels[2])
    assert expert_levels(table.take(np.array([0, 1])), Judgments.of({"1": {"a": 2}})).tolist() == [2.0, 2.0]
    with pytest.raises(tg.InputError, match="judged none of the rated"):
        expert_levels(table, Judgments.of({"2": {"a": 2}}))
