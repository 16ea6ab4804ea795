"""Magnitudes: personal scales vanish, ratios within a unit stay."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truegain as tg
from truegain.aggregation.magnitudes import NORMALIZATIONS, normalized, units
from truegain.data.judgments import Judgments

POSITIVE = st.floats(1e-3, 1e3)
UNITS = st.lists(st.lists(POSITIVE, min_size=2, max_size=6), min_size=1, max_size=4)


def magnitudes(units: Any, topics: Any = None) -> tg.Judgments:
    """A unit an assessor, its documents d0, d1, ...; first and last are the anchors."""
    rows = [
        (topics[u] if topics else "1", f"d{i}", f"w{u}", v, "high" if i == 0 else "low" if i == len(unit) - 1 else "")
        for u, unit in enumerate(units)
        for i, v in enumerate(unit)
    ]
    return tg.read_ratings(pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label", "anchor"], orient="row"))


@pytest.mark.parametrize("how", [h for h in NORMALIZATIONS if h != "none"])
@given(units=UNITS)
@settings(max_examples=40, deadline=None)
def test_ratios_within_a_unit_stay(how: str, units: list[list[float]]) -> None:
    """Guards that normalizing moves a unit as a whole: no ratio inside it changes."""
    found = normalized(magnitudes(units), how).label
    at = 0
    for unit in units:
        mine = found[at : at + len(unit)]
        assert mine / mine[0] == pytest.approx(np.array(unit) / unit[0], rel=1e-9)
        at += len(unit)


@pytest.mark.parametrize("how", [h for h in NORMALIZATIONS if h != "none"])
@given(unit=st.lists(POSITIVE, min_size=2, max_size=6), factor=POSITIVE)
@settings(max_examples=40, deadline=None)
def test_a_personal_scale_vanishes(how: str, unit: list[float], factor: float) -> None:
    """Guards the aim: someone who says ten times the number says the same afterwards."""
    found = normalized(magnitudes([unit, [factor * v for v in unit]]), how).label
    assert found[: len(unit)] == pytest.approx(found[len(unit) :], rel=1e-9)


@pytest.mark.parametrize("how", [h for h in NORMALIZATIONS if h != "none"])
@given(units=st.lists(st.lists(POSITIVE, min_size=2, max_size=6), min_size=2, max_size=4))
@settings(max_examples=25, deadline=None)
def test_an_assessor_without_weight_is_not_there(how: str, units: list[list[float]]) -> None:
    """Guards weights of 0: the others are where they would be without the first assessor's rows, who is moved alone."""
    table, first = magnitudes(units), len(units[0])
    weights = np.where(np.arange(len(table)) < first, 0.0, 1.0)
    found, left = normalized(table, how, weights).label, normalized(magnitudes(units[1:]), how).label
    assert found[first:] == pytest.approx(left, rel=1e-9)
    assert found[:first] / found[0] == pytest.approx(np.array(units[0]) / units[0][0], rel=1e-9)


@pytest.mark.parametrize("how", ["geometric", "median", "range"])
@given(data=st.data(), units=UNITS)
@settings(max_examples=40, deadline=None)
def test_a_weight_of_two_is_a_rating_given_twice(how: str, data: Any, units: list[list[float]]) -> None:
    """Guards whole weights, 0 among them, against the rows that often; a unit of which no row is left is another's."""
    sizes = [len(unit) for unit in units]
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=sum(sizes), max_size=sum(sizes))))
    weights[np.cumsum([0, *sizes[:-1]])] = 1  # each unit keeps its first
    table = magnitudes(units)
    again = np.repeat(np.arange(len(table)), weights)
    assert normalized(table, how, weights).label[again] == pytest.approx(
        normalized(table.take(again), how).label, rel=1e-9
    )


def test_weights_that_are_none() -> None:
    """Guards the refusal of weights that do not fit, are negative or no numbers; equal ones change nothing."""
    table = magnitudes([[1, 2, 3], [10, 30]])
    for bad in (np.ones(4), -np.ones(5), np.full(5, np.nan)):
        with pytest.raises(tg.TruegainError, match="weights must be 5 numbers of at least 0"):
            normalized(table, "geometric", bad)
    for how in NORMALIZATIONS:
        assert normalized(table, how, np.full(5, 0.3)).label == pytest.approx(normalized(table, how).label)


def test_the_example_of_the_issue() -> None:
    """Guards {1, 2, 3, 4} and {10, 20, 30, 40}: equal afterwards, with the topic's geometric mean kept."""
    found = normalized(magnitudes([[1, 2, 3, 4], [10, 20, 30, 40]])).label
    assert found[:4] == pytest.approx(found[4:])
    assert statistics.geometric_mean(found) == pytest.approx(statistics.geometric_mean([1, 2, 3, 4, 10, 20, 30, 40]))


def test_formulas_by_hand() -> None:
    """Guards equations 3 to 6 on two units of one topic, and that other topics do not matter."""
    units, others = [[8.0, 2.0, 1.0], [100.0, 30.0, 10.0, 5.0]], [[1e6, 1.0]]
    table = magnitudes([*units, *others], ["1", "1", "2"])
    logs = [[math.log(v) for v in unit] for unit in units]
    flat = [v for unit in logs for v in unit]
    mean, median = statistics.fmean, statistics.median
    centers: dict[str, Any] = {
        "geometric": (mean, mean),
        "median": (median, median),
        "range": (lambda u: (max(u) + min(u)) / 2, mean),
        "anchors": (lambda u: (u[0] + u[-1]) / 2, mean),
    }
    for how, (unit_center, topic_center) in centers.items():
        want = [math.exp(v - unit_center(unit) + topic_center(flat)) for unit in logs for v in unit]
        assert normalized(table, how).label[:7] == pytest.approx(want), how


def test_aggregation_after_normalizing() -> None:
    """Guards the way from magnitudes to gains: median by default, the other two by name."""
    units = [[1, 2, 8], [10, 40, 20], [3, 3, 3]]
    table = magnitudes(units)
    by_doc = np.array(normalized(table).label).reshape(3, 3).T
    for rule, how in (("median", np.median), ("arithmetic", np.mean), ("geometric", statistics.geometric_mean)):
        found = tg.aggregate(table, rule, normalize="geometric").label
        assert found == pytest.approx([how(row) for row in by_doc])
    assert tg.aggregate(table, normalize="geometric").label == pytest.approx(np.median(by_doc, axis=1))
    assert tg.aggregate(table, "median", normalize="none").label == pytest.approx(np.median(np.array(units).T, axis=1))


def test_units_by_column() -> None:
    """Guards a worker with two units on a topic: each has a scale of its own."""
    rows = [("1", d, "w", v, u) for d, v, u in (("a", 1, "u"), ("b", 2, "u"), ("c", 100, "v"), ("d", 200, "v"))]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label", "unit"], orient="row")
    found = normalized(tg.read_ratings(frame)).label
    assert found[:2] == pytest.approx(found[2:])
    assert normalized(tg.read_ratings(frame.drop("unit"))).label.tolist() == pytest.approx([1, 2, 100, 200])


def test_mistakes_are_told() -> None:
    """Guards against logarithms of nothing, and anchors that are not there."""
    with pytest.raises(tg.InputError, match="1 magnitudes are not above 0"):
        normalized(magnitudes([[1, 0]]))
    with pytest.raises(tg.InputError, match="exactly one document marked 'low'"):
        normalized(magnitudes([[1.0]]), "anchors")
    with pytest.raises(tg.TruegainError, match="no normalization"):
        normalized(magnitudes([[1.0]]), "cubic")


@pytest.mark.parametrize("how", ["geometric", "median", "range"])
def test_magnitudes_too_far_apart_are_refused(how: str) -> None:
    """Guards against infinite or vanished magnitudes: refused with the number and the place."""
    for other in (1e300, 1e-300):
        with pytest.raises(tg.InputError, match=r"cannot be normalized to the scale of its topic"):
            normalized(magnitudes([[1e308, 1e-308], [other, other]]), how)


def test_units_on_one_scale_stay_to_the_last_bit() -> None:
    """Guards against rounding where there is nothing to move: equal units, of any size, keep their numbers."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame([("1", f"d{d}", f"w{w}", 7e41) for w in range(6) for d in range(int(rng.integers(1, 9)))],
                         schema=["topic", "doc", "assessor", "label"], orient="row")  # fmt: skip
    for how in ("geometric", "median", "range"):
        assert set(normalized(tg.read_ratings(frame), how).label.tolist()) == {7e41}


def test_err_takes_gains_of_a_thousand() -> None:
    """Guards against overflow of 2^gain: ERR against exact rational arithmetic, gains up to 1000."""
    from fractions import Fraction

    gains = [1000.0, 3.0, 999.0, 998.0, 0.0]
    run = {f"d{i}": float(9 - i) for i in (2, 3, 0, 1, 4)}
    order = sorted(run, key=run.__getitem__, reverse=True)
    want, go_on = Fraction(0), Fraction(1)
    for rank, doc in enumerate(order, 1):
        p = (2 ** Fraction(int(gains[int(doc[1])])) - 1) / 2**1000
        want, go_on = want + go_on * Fraction(p) / rank, go_on * (1 - Fraction(p))
    judged = {"1": {f"d{i}": g for i, g in enumerate(gains)}}
    found = tg.evaluate({"s": {"1": run}}, judged, "ERR(max_rel='scale')@10").mean("s")
    assert found == pytest.approx(float(want), rel=1e-12)


def rated(rows: list[tuple[str, str, str, float]], **more: list[str]) -> Judgments:
    """Ratings: topic, document, assessor, label, and further columns."""
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    return tg.read_ratings(frame.with_columns(**{k: pl.Series(v) for k, v in more.items()}))


@pytest.mark.parametrize("how", ["geometric", "median", "range"])
def test_magnitudes_of_units_by_hand(how: str) -> None:
    """Guards ln s - center(unit) + center(topic) by a loop, units named apart or by assessor, sizes odd and even."""
    rng = np.random.default_rng(6)
    rows = [(t, f"d{i}", a, float(rng.uniform(1, 90))) for t in "12" for a in "xyz" for i in range(3 + (a == "y"))]
    names = [f"u{i % 2}" for i in range(len(rows))]
    for table, key in (
        (rated(rows), [(t, a, "") for t, _, a, _ in rows]),
        (rated(rows, unit=names), [(t, a, u) for (t, _, a, _), u in zip(rows, names, strict=True)]),
    ):
        logs = np.log([r[3] for r in rows])
        across = np.median if how == "median" else np.mean
        expected = []
        for i, (t, *_) in enumerate(rows):
            unit = logs[[k == key[i] for k in key]]
            center = (unit.max() + unit.min()) / 2 if how == "range" else float(across(unit))
            topic = logs[[r[0] == t for r in rows]]
            expected.append(math.exp(logs[i] - center + across(topic)))
        assert normalized(table, how).label.tolist() == pytest.approx(expected)
        assert units(table)[1] == len(set(key))
