"""The interval of alpha: against leaving out and recomputing by hand, its refusals, and what it covers."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from scipy import stats

import truegain as tg
from tests.reliability.test_alpha import alpha, frame_of, pairs_of, random_matrix
from truegain.data.rating_groups import Grouped
from truegain.data.ratings import LEVELS
from truegain.planning.assessors import assessors_needed
from truegain.reliability import alpha as alpha_module
from truegain.reliability import alpha as left_out
from truegain.reliability import alpha as paired
from truegain.reliability.agree import agreement
from truegain.reliability.alpha import (
    POPULATION,
    TAIL,
    AlphaOptions,
    Coefficient,
    Paired,
    alpha_between,
    alpha_of,
    same_majority,
    spread_of,
)
from truegain.reliability.kappa import cohens
from truegain.stats.student_t import wilson

Matrix = np.ndarray[Any, Any]


def naive(matrix: Matrix, level: str) -> float:
    """Alpha whose chance is that of ratings of different items, from every pair of ratings one by one."""
    items = [[float(v) for v in column if v == v] for column in np.asarray(matrix, float).T]
    items = [item for item in items if len(item) > 1]
    every = [v for item in items for v in item]
    rank = {v: sum(o < v for o in every) + sum(o == v for o in every) / 2 for v in set(every)}  # mid-ranks

    def apart(x: float, y: float) -> float:
        if level == "ordinal":
            x, y = rank[x], rank[y]
        return {"nominal": float(x != y), "ratio": ((x - y) / (x + y)) ** 2 if x + y else 0.0}.get(level, (x - y) ** 2)

    within = sum(apart(x, y) / (len(i) - 1) for i in items for a, x in enumerate(i) for b, y in enumerate(i) if a != b)
    others = [apart(x, y) for i in items for j in items if i is not j for x in i for y in j]
    return 1 - within / len(every) / (sum(others) / len(others)) if sum(others) else np.nan


def by_hand(matrix: Matrix, level: str, assessors: bool, confidence: float = 0.95) -> tuple[float, float]:
    """The limits as the docstring of limits_of has them, with scipy's quantiles."""
    rows, n = np.asarray(matrix, float), len(np.asarray(matrix).T)
    a = naive(rows, level)
    parts = []
    for axis in (1, 0) if assessors else (1,):
        left = np.array([naive(np.delete(rows, u, axis), level) for u in range(rows.shape[axis])])
        u, k = left - left.mean(), rows.shape[axis]
        v = (k - 1) / k * (u**2).sum()
        kurtosis = k * (u**4).sum() / (u**2).sum() ** 2
        parts.append((v, min(max(2 * k / (kurtosis - 1), 1), k - 1)))
    total = sum(v for v, _ in parts)
    df = total**2 / sum(v**2 / f for v, f in parts)
    at = (1 + confidence) / 2
    h, t = stats.t.ppf(at, df) * total**0.5, stats.t.ppf(at, n - 1)
    p = min(max(1 - a, 0), 1)
    m = n * max(1, sum(np.nanmax(item) > np.nanmin(item) for item in rows.T) / 10)
    middle, step = p + t**2 / (2 * m), t * (p * (1 - p) / m + t**2 / (4 * m**2)) ** 0.5
    best, worst = (middle - step) / (1 + t**2 / m), (middle + step) / (1 + t**2 / m)
    return min(a - h - h**2 / (4 * (1 - a)), 1 - worst), min(1.0, max(a + h, 1 - best))


def some(kind: str, seed: int, items: int = 9, raters: int = 4) -> Matrix:
    """Raters by items, some missing, every item with two ratings or more; grades or numbers above 0."""
    rng = np.random.default_rng(seed)
    matrix = np.clip(rng.integers(0, 4, items) + rng.integers(-1, 2, (raters, items)), 0, 3).astype(float)
    if kind == "reals":
        matrix = np.exp(matrix + 0.3 * rng.normal(size=matrix.shape))
    missing = rng.random(matrix.shape) < 0.3
    missing[:2] = False
    return np.where(missing, np.nan, matrix)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", ["grades", "reals"])
def test_alpha_between_is_that_of_every_pair(level: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards alpha_b and every leave-one-out value, by tables and without, against naive sums over pairs, to 1e-9."""
    for cells in (paired.CELLS, 0):
        monkeypatch.setattr(paired, "CELLS", cells)
        monkeypatch.setattr(paired, "DIRECT", 200 if cells else 0)
        for seed in range(3):
            matrix = some(kind, seed)
            n = matrix.shape[1]
            weights = np.concatenate([np.ones((1, n)), 1 - np.eye(n)])
            want = [naive(matrix, level), *(naive(np.delete(matrix, i, axis=1), level) for i in range(n))]
            assert alpha_between(pairs_of(matrix), level, weights) == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("over", ["items", "items+assessors"])
def test_the_limits_by_hand(level: str, over: Any) -> None:
    """Guards the whole interval, over items and over assessors too, against its formula by hand, to 1e-9."""
    for seed, confidence, items in ((3, 0.95, 9), (4, 0.8, 9), (5, 0.95, 16)):
        matrix = some("reals" if level == "ratio" else "grades", seed, items)
        found = alpha_of(pairs_of(matrix), level, AlphaOptions(units=over, confidence=confidence))
        want = by_hand(matrix, level, over != "items", confidence)
        assert (found.low, found.high) == pytest.approx(want, abs=1e-9)
        assert found.population == POPULATION[over]


def test_alpha_lies_within_its_interval() -> None:
    """Guards that the value shown, Krippendorff's own, lies in the interval around alpha_b: few items, any level."""
    rng = np.random.default_rng(6)
    for seed in range(60):
        matrix = some("grades", seed, items=int(rng.integers(3, 9)), raters=int(rng.integers(2, 5)))
        if seed % 3 == 0:
            matrix = rng.permuted(matrix, axis=1)  # alphas about and below 0
        for level in LEVELS:
            found = alpha_of(pairs_of(matrix), level, AlphaOptions(confidence=0.8))
            if not math.isnan(found.low):
                assert found.low <= found.value <= found.high <= 1


def test_degrees_of_freedom_follow_the_kurtosis() -> None:
    """Guards df: all units alike n - 1, one unit that decides all nearly 1; a variance of 0 has no kurtosis."""
    assert spread_of(np.array([-1.0, 1.0] * 5)) == pytest.approx((9.0, 9.0))
    one = np.zeros(20)
    one[0] = 1.0
    u = one - 0.05
    assert spread_of(one)[1] == pytest.approx(40 / (20 * (u**4).sum() / (u**2).sum() ** 2 - 1))
    assert 2 < spread_of(one)[1] < 3
    assert spread_of(np.ones(4)) == (0.0, 3.0)


def test_wilson_is_the_score_interval() -> None:
    """Guards Wilson's limits: the shares whose z-test just reaches the quantile; beyond 0 and 1 counts as these."""
    for p, n, z in ((0.3, 7, 2.4), (0.0, 6, 2.57), (1.0, 12, 1.96), (0.9, 30, 1.5)):
        for limit in wilson(p, n, z):
            if 1e-9 < limit < 1 - 1e-9:
                assert abs(p - limit) / (limit * (1 - limit) / n) ** 0.5 == pytest.approx(z)
    assert wilson(1.4, 8, 2.0) == wilson(1.0, 8, 2.0)
    assert wilson(-0.1, 8, 2.0) == wilson(0.0, 8, 2.0)


def test_perfect_agreement_has_a_width() -> None:
    """Guards few items on which all agree: nothing varies, and yet alpha of other items may be below 1 (Wilson's)."""
    found = alpha(frame_of([[0, 1, 2, 3, 0, 1]] * 3), "nominal")
    t = stats.t.ppf(0.975, 5)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(6 / (6 + t**2))


@pytest.mark.parametrize(
    ("matrix", "over", "why"),
    [
        ([[0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0]], "items", "0 is the most frequent rating of every item"),
        ([[5, 5, 5, 5], [5, 5, 2, 5]], "items", "5 is the most frequent rating of every item"),  # a tie is no majority
        ([[0, 0, 0, 1], [0, 0, 0, 1]], "items", "without one of the items no two items differ"),
        ([[0, 1], [0, 1]], "items", "without one of the items no two items differ"),
        (
            [[0, 1, 2, 1], [0, 1, 2, 2]],
            "items+assessors",
            "2 assessors are too few to represent others; at least 3 are needed",
        ),
        ([[0, 1, 2, 1], [0, 1, 2, 2], [None] * 4], "items+assessors", "2 assessors are too"),
        ([[1, 0, 0, 0, 2], [1, 0, None, None, 2], [None, None, 0, 0, None]], "items+assessors", "one of the assessors"),
    ],
)
def test_refusals(matrix: Any, over: Any, why: str) -> None:
    """Guards where data cannot tell an interval: the value stays, and the reason stands beside it."""
    found = alpha(frame_of(matrix), "nominal", units=over)
    assert not found.refused
    assert np.isnan([found.low, found.high]).all()
    assert found.why.startswith("no interval: ")
    assert why in found.why


def test_a_majority_is_that_of_items() -> None:
    """Guards the rule against refusing too much: one item whose ratings are mostly another value suffices."""
    assert same_majority(pairs_of([[0, 0, 1], [0, 0, 1], [1, 0, 0]])) is None
    assert same_majority(pairs_of([[0, 0, 1], [0, 0, 0], [1, 0, 0]])) == 0.0


def test_what_the_interval_means_is_said() -> None:
    """Guards the words: these assessors or assessors like these; the bootstrap of few items and long tails noted."""
    matrix = some("grades", 8)
    assert str(alpha(frame_of(matrix), "ordinal")).endswith(" 95% over other items, these assessors, jackknife")
    like = alpha(frame_of(matrix), "ordinal", units="items+assessors")
    assert str(like).endswith(" 95% over other items, assessors like these, jackknife")
    assert "no long tail" in alpha(frame_of(matrix), "interval").why
    assert alpha(frame_of(matrix), "ordinal").why == ""
    many = alpha(frame_of(some("grades", 8, items=400)), "interval")
    assert (many.why, math.isnan(many.low)) == ("", False)
    few, enough = (some("grades", 9, items=n) for n in (99, 100))
    assert "too narrow" in alpha(frame_of(few), method="bootstrap").why
    assert alpha(frame_of(enough), method="bootstrap").why == ""


def test_words_that_are_not_known() -> None:
    """Guards the options: each mistake is told with what may be given."""
    frame = frame_of(some("grades", 8))
    with pytest.raises(tg.TruegainError, match="units 'raters' is not known; give one of items, items\\+assessors"):
        alpha(frame, units="raters")
    with pytest.raises(tg.TruegainError, match="method 'bca' is not known; give one of jackknife, bootstrap"):
        alpha(frame, method="bca")
    with pytest.raises(tg.TruegainError, match="the bootstrap draws items only"):
        alpha(frame, method="bootstrap", units="items+assessors")


@pytest.mark.few(2)
@pytest.mark.parametrize("level", LEVELS)
def test_many_items_are_left_out_in_groups(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards large studies: groups left out give about the interval of single items and of the bootstrap."""
    rng = np.random.default_rng(16)
    matrix = np.clip(rng.integers(1, 5, 1500) + rng.integers(-1, 2, (3, 1500)), 1, 4)
    pairs = pairs_of(matrix)
    found = [alpha_of(pairs, level, AlphaOptions(seed=seed)) for seed in (1, 2)]
    drawn = alpha_of(pairs, level, AlphaOptions(method="bootstrap", seed=1))
    monkeypatch.setattr(left_out, "ALONE", 1500)
    alone = [alpha_of(pairs, level, AlphaOptions(seed=seed)) for seed in (1, 2)]
    monkeypatch.setattr(left_out, "ROOM_LEFT_OUT", 0)  # one at a time
    assert alpha_of(pairs, level, AlphaOptions(seed=1)).low == pytest.approx(alone[0].low, abs=1e-12)
    assert alone[0] == alone[1]
    assert found[0] != found[1]
    width = [f.high - f.low for f in (found[0], found[1], drawn, alone[0])]
    assert width == pytest.approx([width[-1]] * 4, rel=0.15)  # 200 groups tell a width to a twentieth


def test_many_assessors_are_left_out_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards crowds: workers left out in random groups give about the interval of each left out alone."""
    rng = np.random.default_rng(17)
    matrix = np.clip(rng.integers(0, 4, 60) + rng.integers(-1, 2, (300, 60)), 0, 3).astype(float)
    matrix[rng.random(matrix.shape) < 0.95] = np.nan
    matrix[:, 0] = 0.0  # everybody rated one item
    matrix[:, 1] = 3.0
    monkeypatch.setattr(left_out, "PEOPLE", 300)
    alone = left_out._without_assessors(pairs_of(matrix), "ordinal", 0)
    monkeypatch.setattr(left_out, "PEOPLE", 299)
    groups = [left_out._without_assessors(pairs_of(matrix), "ordinal", seed) for seed in range(12)]
    assert [len(one) for one in (alone, *groups)] == [300, *[50] * 12]
    # one seed scatters by a sixth, the mean of twelve by a twentieth
    assert np.mean([spread_of(one)[0] for one in groups]) == pytest.approx(spread_of(alone)[0], rel=0.15)


@pytest.mark.parametrize("method", ["jackknife", "bootstrap"])
def test_the_order_of_rows_changes_nothing(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards draws and groups: a file shuffled has the same interval, for groups and resamples go by name."""
    monkeypatch.setattr(left_out, "ALONE", 5)
    monkeypatch.setattr(left_out, "GROUPS", 6)
    frame = frame_of(some("grades", 12, items=30))
    once = alpha(frame, "ordinal", method=method)
    for seed in range(3):
        again = alpha(frame.sample(fraction=1.0, shuffle=True, seed=seed), "ordinal", method=method)
        assert (again.value, again.low, again.high) == pytest.approx((once.value, once.low, once.high), abs=1e-12)


@pytest.mark.slow
def test_it_covers_with_few_items_where_the_bootstrap_does_not() -> None:
    """Guards the reason for all this: 8 items, 3 raters, grades with a rare top; the truth is that of 40,000 items."""
    rng = np.random.default_rng(14)

    def study(items: int) -> Matrix:
        z = rng.normal(size=items) + 0.7 * rng.normal(size=(3, items))
        return np.searchsorted((0.3, 1.0), z).astype(float)

    truth = alpha_of(pairs_of(study(40_000)), "ordinal", AlphaOptions(trials=0)).value
    assert truth is not None
    held: dict[Any, list[bool]] = {"jackknife": [], "bootstrap": []}
    for seed in range(120):
        pairs = pairs_of(study(8))
        for method, each in held.items():
            found = alpha_of(pairs, "ordinal", AlphaOptions(method=method, trials=200, seed=seed))
            if not math.isnan(found.low):
                each.append(found.low <= truth <= found.high)
    assert np.mean(held["jackknife"]) > 0.93
    assert np.mean(held["bootstrap"]) < 0.88
    assert len(held["jackknife"]) > 90  # of others too few items carry it


def test_the_value_is_krippendorffs_whatever_the_interval() -> None:
    """Guards the point estimate: what every tool prints, the same for every method."""
    frame = frame_of(random_matrix(np.random.default_rng(3), "grades"))
    plain, left, drawn = (alpha(frame, trials=0), alpha(frame), alpha(frame, method="bootstrap"))
    assert plain.value == left.value == drawn.value


@pytest.mark.parametrize(("many", "one", "items"), [(1.0, 1.6, 5), (2.2, 2.8, 7), (0.1, 0.3, 6), (3.0, 1.0, 9)])
def test_rounding_is_no_difference(many: float, one: float, items: int) -> None:
    """Guards the refusal where one item alone differs: without it the rest differ by rounding only, which is none."""
    rows = np.array([[many, many]] * items + [[one, one]]).T
    paired = pairs_of(rows)
    for level in ("nominal", "ordinal", "interval", "ratio"):
        left = left_out.alpha_between(paired, level, 1 - np.eye(items + 1))
        assert np.isnan(left[-1])
        assert not np.isnan(left[:-1]).any()


def test_limits_that_alpha_cannot_have_are_not_printed() -> None:
    """Guards a topic that one item carries: the reason in place of limits such as [-18, 1]."""
    rows = [("t", f"d{i}", f"w{w}", 1 if i else 3) for i in range(4) for w in range(3)]
    rows += [("t", "dx", "w0", 1), ("t", "dx", "w1", 3)]
    ratings = tg.read_ratings(pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row"))
    found = alpha_of(paired.Paired.of(Grouped.of(ratings)), "ordinal")
    assert (np.isnan(found.low), np.isnan(found.high)) == (True, True)
    assert "no interval: it rests on too few items (its lower limit would be -" in found.why
    assert "it rests on too few items" in str(tg.agreement(ratings).topics)


Array = npt.NDArray[np.float64]


def cohen(ratings: Grouped, weights: str = "none", *, seed: int = 0) -> Coefficient:
    """Cohen's kappa by one kind of weights."""
    return cohens(ratings, (weights,), seed=seed)[0]


def grouped(matrix: Any) -> Grouped:
    """Assessors by items."""
    return Grouped.of(tg.read_ratings(frame_of(np.asarray(matrix, float))))


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
            assert found.why == "21 of 40 resamples had a single value: no interval"
            continue
        kept = [each[i % 4] or 0.0 for i in range(40 - lost)]
        assert (found.low, found.high) == pytest.approx(tuple(np.quantile(kept, [0.05, 0.95])))
        assert ("20 of 40 resamples had a single value and were left out" in found.why) == (lost == 20)


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
        asked = agreement(frame, method=method, confidence=0.95, seed=0, resamples=1000).tables()
        assert [t.rows for t in plain] == [t.rows for t in asked]
    crowd = grouped(np.random.default_rng(7).integers(0, 3, (50, 6)))
    assert cohen(crowd) == cohen(crowd, seed=0)
    assert str(assessors_needed(2, 0.3)) == str(assessors_needed(2, 0.3, 0.95))


def test_one_item_or_people_of_one_rating_each() -> None:
    """Guards what has no interval, and ratios that are not there."""
    assert alpha_of(pairs_of([[1], [2]]), "nominal").why == "one item gives no interval"
    single = pl.DataFrame({"topic": "1", "doc": list("ab"), "assessor": list("xy"), "label": [1, 2]})
    rows = agreement(single, scale="ratio").overall.records()
    assert [r["note"] for r in rows] == ["undefined: no item has two ratings"] * 3


@pytest.mark.parametrize(("infinite", "held"), [(0, True), (2, True), (3, False), (4, False)])
def test_ratios_too_great_for_a_number(infinite: int, held: bool) -> None:
    """Guards the median of ratios: it is told while both of the middle two are numbers."""
    said = np.array([[1e-200] * infinite + [2.0] * (6 - infinite), [1e200] * infinite + [6.0] * (6 - infinite)])
    found = agreement(frame_of(said), scale="ratio", resamples=0)
    row = found.overall.records()[1]
    assert (row["value"] is not None) == held
    assert row["items"] == 6
    if held:
        assert row["value"] == pytest.approx(3.0)
    else:
        assert row["note"] == "undefined: most ratios are too large for a floating-point number"
    told = [n for n in found.documents.notes if "too large" in n]
    assert told == (
        [f"undefined for {infinite} whose ratio is too large for a floating-point number"] if infinite else []
    )


def pairs_by_item(rows: list[list[float]]) -> Paired:
    """Items with their ratings, by assessors 0, 1, ..."""
    value = np.array([v for row in rows for v in row])
    item = np.array([i for i, row in enumerate(rows) for _ in row])
    return Paired.rows(value, item, np.array([a for row in rows for a in range(len(row))]))


def test_the_jackknife_variance_and_its_freedom() -> None:
    """Guards V, kurtosis and the limits of the degrees of freedom: 1 and n - 1."""
    left = np.array([0.0, 0.1, 0.3, 1.5, 0.2])
    u = [x - statistics.fmean(left.tolist()) for x in left.tolist()]
    kurtosis = 5 * sum(x**4 for x in u) / sum(x**2 for x in u) ** 2
    assert alpha_module.spread_of(left) == pytest.approx((4 / 5 * sum(x**2 for x in u), min(4.0, 10 / (kurtosis - 1))))
    assert alpha_module.spread_of(np.array([0.0] * 99 + [1.0]))[1] == pytest.approx(200 / (kurtosis_of(99) - 1))
    assert alpha_module.spread_of(np.array([0.0, 1.0])) == (0.25, 1.0)
    assert alpha_module.spread_of(np.ones(4)) == (0.0, 3.0)


def kurtosis_of(zeros: int) -> float:
    """Kurtosis of so many zeros and a 1, by its closed form for a share p: (1 - 3 p (1 - p))/(p (1 - p))."""
    p = 1 / (zeros + 1)
    return (1 - 3 * p * (1 - p)) / (p * (1 - p))


def test_the_interval_of_alpha_written_out() -> None:
    """Guards half-width, bow and Wilson's limits of alpha: from alphas without each item, each computed anew."""
    study: list[list[float]] = [[1, 1, 2], [3, 2], [0, 0, 0, 1], [5, 5], [2, 3, 3], [4, 4], [1, 0], [5, 4]]
    whole = float(alpha_module.alpha_between(pairs_by_item(study), "interval", np.ones((1, 8)))[0])
    without = [
        float(alpha_module.alpha_between(pairs_by_item(study[:i] + study[i + 1 :]), "interval", np.ones((1, 7)))[0])
        for i in range(8)
    ]
    variance, df = alpha_module.spread_of(np.array(without))
    half = float(stats.t.ppf(0.95, df)) * math.sqrt(variance)
    best, worst = wilson(1 - whole, 8, stats.t.ppf(0.95, 7))
    low = min(whole - half - half**2 / (4 * (1 - whole)), 1 - float(worst))
    high = min(1.0, max(whole + half, 1 - float(best)))
    assert alpha_module.limits_of(pairs_by_item(study), "interval", "items", 0.9, 0) == pytest.approx(
        (low, high), rel=1e-9
    )


def test_alpha_of_more_differing_items_counts_more_units() -> None:
    """Guards Wilson's size beyond 10 items on which people differ: n times k/10 units, of 12 items and k = 12."""
    study: list[list[float]] = [[i, i + 1, i + 1 - i % 2] for i in range(12)]
    data = pairs_by_item(study)
    whole = float(alpha_module.alpha_between(data, "interval", np.ones((1, 12)))[0])
    variance, df = alpha_module.spread_of(alpha_module._without_items(data, "interval", 0))
    half = float(stats.t.ppf(0.975, df)) * math.sqrt(variance)
    best, worst = wilson(1 - whole, 12 * 1.2, stats.t.ppf(0.975, 11))
    low = min(whole - half - half**2 / (4 * (1 - whole)), 1 - float(worst))
    high = min(1.0, max(whole + half, 1 - float(best)))
    assert alpha_module.limits_of(data, "interval", "items", 0.95, 0) == pytest.approx((low, high), rel=1e-9)


def test_units_are_left_out_alone_or_in_groups() -> None:
    """Guards how many are left out alone: 1,000 items, 200 assessors; of more, 200 and 50 groups of even size."""
    assert (alpha_module.ALONE, alpha_module.GROUPS, alpha_module.PEOPLE, alpha_module.CREWS) == (1000, 200, 200, 50)
    assert alpha_module._groups(10, 10, 5, 0).tolist() == list(range(10))
    assert sorted(Counter(alpha_module._groups(11, 10, 5, 0).tolist()).items()) == [
        (0, 3),
        (1, 2),
        (2, 2),
        (3, 2),
        (4, 2),
    ]
