"""Krippendorff's alpha against the tools people use, brute force, and its limits."""

from __future__ import annotations

import itertools
import json
import statistics
from bisect import bisect_left, bisect_right
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import truegain as tg
from tests.reliability import irrcac_values
from truegain.data.rating_groups import Grouped
from truegain.data.ratings import LEVELS
from truegain.reliability import alpha as alpha_module
from truegain.reliability import alpha as paired
from truegain.reliability.alpha import AlphaOptions, Coefficient, Paired, alpha_of, drawn_items
from truegain.sampling.streams import generator


def frame_of(matrix: Any) -> pl.DataFrame:
    """Raters by items, None where a rater did not rate, as a table of ratings."""
    rows = [
        ("1", f"d{i:06}", f"a{a}", float(v))
        for a, row in enumerate(matrix)
        for i, v in enumerate(row)
        if v is not None and v == v
    ]
    return pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")


def pairs_of(matrix: Any) -> Paired:
    """The pairable ratings of a matrix of raters by items."""
    return Paired.of(Grouped.of(tg.read_ratings(frame_of(matrix))))


def alpha(ratings: Any, level: str = "ordinal", **asked: Any) -> Coefficient:
    """Krippendorff's alpha of a table of ratings."""
    return alpha_of(Paired.of(Grouped.of(tg.read_ratings(ratings))), level, AlphaOptions(**asked))


def random_matrix(rng: np.random.Generator, kind: str) -> np.ndarray[Any, Any]:
    """Raters by items with missing values: some assessors agree, some do not."""
    raters, items = int(rng.integers(2, 7)), int(rng.integers(4, 40))
    truth = rng.integers(0, 5, items).astype(float)
    noise = rng.integers(-1, 2, (raters, items))
    matrix = np.clip(truth + noise, 0, 4)
    if kind == "reals":
        matrix = np.exp(matrix + rng.normal(size=matrix.shape))
    matrix[rng.random(matrix.shape) < 0.25] = np.nan
    return matrix


def brute(matrix: Any, level: str) -> float:
    """Alpha from every pair of values, as it is defined."""
    units = [[v for v in column if v == v] for column in np.array(matrix, float).T]
    units = [u for u in units if len(u) > 1]
    flat = sorted(v for u in units for v in u)
    n, order = len(flat), sorted(set(flat))
    count = {v: flat.count(v) for v in order}

    def apart(c: float, k: float) -> float:
        low, high = min(c, k), max(c, k)
        if level == "nominal":
            return float(c != k)
        if level == "ordinal":
            return (sum(count[g] for g in order if low <= g <= high) - (count[c] + count[k]) / 2) ** 2
        if level == "interval":
            return (c - k) ** 2
        return ((c - k) / (c + k)) ** 2 if c + k else 0.0

    seen = sum(apart(a, b) / (len(u) - 1) for u in units for i, a in enumerate(u) for j, b in enumerate(u) if i != j)
    chance = sum(apart(a, b) for a in flat for b in flat) / (n - 1)
    return 1 - seen / chance


def value(found: Coefficient) -> float:
    """The value of a coefficient that is defined."""
    assert not found.refused, found
    return found.value


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", ["grades", "reals"])
def test_against_krippendorff(level: str, kind: str) -> None:
    """Guards alpha against the package krippendorff: random ratings of every level with missing values, to 1e-9."""
    oracle = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(7)
    for _ in range(25):
        matrix = random_matrix(rng, kind)
        want = oracle.alpha(reliability_data=matrix, level_of_measurement=level)
        assert value(alpha(frame_of(matrix), level, trials=0)) == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_against_irrcac(level: str) -> None:
    """Guards alpha against what irrCAC gave for random tables with missing ratings, kept by irrcac_values.py."""
    kept = json.loads(Path(__file__).with_name("irrcac.json").read_text())
    assert len(kept["cases"]) >= 16
    for case in kept["cases"]:
        table = case["raters_by_items"]
        assert any(v is None for row in table for v in row)
        assert value(alpha(frame_of(table), level, trials=0)) == pytest.approx(case["alpha"][level], abs=1e-9)


def test_the_values_of_irrcac_are_what_it_says() -> None:
    """Guards the kept values where irrCAC is installed: the same tables, the same answers."""
    pytest.importorskip("irrCAC")
    pytest.importorskip("pandas")
    cases = json.loads(Path(__file__).with_name("irrcac.json").read_text())["cases"]
    assert [case["raters_by_items"] for case in cases] == irrcac_values.tables()
    for case in cases[:4]:
        assert irrcac_values.alphas(case["raters_by_items"]) == pytest.approx(case["alpha"], abs=1e-12)


@pytest.mark.parametrize("kind", ["grades", "reals"])
def test_against_nltk(kind: str) -> None:
    """Guards alpha against nltk on random ratings with missing values; the distances it lacks are given to it."""
    agreement = pytest.importorskip("nltk.metrics.agreement")
    distance = pytest.importorskip("nltk.metrics.distance")
    rng = np.random.default_rng(9)
    for _ in range(10):
        matrix = random_matrix(rng, kind)
        triples = [(f"a{a}", f"d{i}", float(v)) for a, row in enumerate(matrix) for i, v in enumerate(row) if v == v]
        items = [[v for v in column if v == v] for column in matrix.T]
        ranked = sorted(v for item in items if len(item) > 1 for v in item)

        def ordinal(x: float, y: float, ranked: list[float] = ranked) -> float:
            first, second = (bisect_left(ranked, v) + bisect_right(ranked, v) for v in (x, y))
            return float((first - second) ** 2)

        def ratio(x: float, y: float) -> float:
            return ((x - y) / (x + y)) ** 2 if x + y else 0.0

        apart = {"nominal": distance.binary_distance, "interval": distance.interval_distance}
        for level, way in {**apart, "ordinal": ordinal, "ratio": ratio}.items():
            want = agreement.AnnotationTask(data=triples, distance=way).alpha()
            assert value(alpha(frame_of(matrix), level, trials=0)) == pytest.approx(want, abs=1e-9), level


@pytest.mark.parametrize("level", LEVELS)
def test_every_conformance_case(conformance: Any, level: str) -> None:
    """Guards alpha on the expected values that stand in the repository."""
    cases = conformance("statistics")["agreement"]["cases"]
    compared = 0
    for case in cases:
        want = case.get(f"alpha_{level}")
        found = alpha(frame_of(case["raters_by_items"]), level, trials=0).value
        if want is not None and found is not None:
            assert found == pytest.approx(want, abs=1e-9)
            compared += 1
    assert compared >= len(cases) - 2


@pytest.mark.parametrize("level", LEVELS)
def test_the_ways_for_many_values_agree_with_brute_force(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the ways without tables, for very many values, also with zeros: mid-ranks, counts and the grid."""
    monkeypatch.setattr(paired, "CELLS", 0)
    monkeypatch.setattr(paired, "DIRECT", 0)
    rng = np.random.default_rng(10)
    for kind in ("grades", "reals"):
        for _ in range(5):
            matrix = random_matrix(rng, kind)
            assert value(alpha(frame_of(matrix), level, trials=0)) == pytest.approx(brute(matrix, level), abs=1e-11)


@pytest.mark.parametrize(
    ("kind", "rel"),
    [("twelve orders", 1e-13), ("six hundred orders", 1e-13), ("nearly equal", 1e-12), ("one apart", 1e-12),
     ("zeros", 1e-13)],
)  # fmt: skip
def test_the_grid_of_logarithms_against_every_pair(kind: str, rel: float) -> None:
    """Guards the ratio level for very many values, which pairs points of a grid: also far apart, nearly equal, 0."""
    rng = np.random.default_rng(11)
    values = {
        "twelve orders": np.exp(rng.uniform(-14, 14, (3, 1200))),
        "six hundred orders": np.exp(rng.uniform(-690, 690, (3, 1200))),
        "nearly equal": 1 + 1e-7 * rng.random((3, 1200)),
        "one apart": np.concatenate([1 + 1e-9 * rng.random((3, 1200)), [[1], [1], [9]]], axis=1),
        "zeros": np.where(rng.random((3, 1500)) < 0.3, 0, np.exp(rng.normal(size=(3, 1500)))),
    }[kind]
    found = pairs_of(values)
    assert len(found.levels) > paired.DIRECT
    x, y = found.value[:, None], found.value[None, :]
    total = np.where(x + y > 0, x + y, 1)
    exact = (((x - y) / total) ** 2).sum() / (len(found.value) - 1)
    assert found.ratio(np.ones((1, len(found))))[1][0] == pytest.approx(exact, rel=rel)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("cells", [0, paired.CELLS])
def test_weights_of_items_are_copies(level: str, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards every replicate of the bootstrap: an item drawn twice is two items with the same ratings."""
    monkeypatch.setattr(paired, "CELLS", cells)
    monkeypatch.setattr(paired, "DIRECT", 0 if not cells else 200)
    rng = np.random.default_rng(13)
    matrix = np.exp(rng.normal(size=(4, 12)))
    weights = rng.integers(0, 3, (5, 12)).astype(float)
    within, among, _ = getattr(pairs_of(matrix), level)(weights)
    for row, w in enumerate(weights):
        copies = np.repeat(matrix, w.astype(int), axis=1)
        assert 1 - within[row] / among[row] == pytest.approx(brute(copies, level), abs=1e-10)


def test_every_resample_is_drawn_as_item_by_item() -> None:
    """Guards the weights of the bootstrap, made many at a time: those of drawing items one resample after another."""
    rng = generator(3, "items")
    want = [np.bincount(rng.integers(0, 7, 7), minlength=7) for _ in range(200)]
    assert np.array_equal(np.concatenate(list(drawn_items(7, 200, 3))), want)


@pytest.mark.parametrize("level", LEVELS)
def test_huge_and_tiny_ratings(level: str) -> None:
    """Guards against overflow: ratings of 1e308 and 1e-308 have the alpha of exact arithmetic, and no traceback."""
    rows = [[1e308, 1e308, 3e307], [1e-308, 3.0, 1e-308], [1e308, 2e-308, 5.0]]
    exact = [[Fraction(v) for v in row] for row in rows]
    ranks = sorted({v for row in exact for v in row})
    count = {v: sum(row.count(v) for row in exact) for v in ranks}

    def apart(x: Fraction, y: Fraction) -> Fraction:
        low, high = min(x, y), max(x, y)
        between = sum(count[v] for v in ranks if low <= v <= high) - Fraction(count[x] + count[y], 2)
        kinds = {"nominal": Fraction(x != y), "ordinal": between, "interval": x - y, "ratio": (x - y) / (x + y)}
        return kinds[level] ** 2

    every = [v for row in exact for v in row]
    within = sum(apart(x, y) for row in exact for x in row for y in row) / 2
    among = sum(apart(x, y) for x in every for y in every) / 8
    found = alpha(frame_of(np.array(rows).T), level, trials=100)
    assert found.value == pytest.approx(float(1 - within / among), abs=1e-12)
    assert found.notes[0].startswith("no interval: it rests on too few items")


def test_ratings_equal_but_for_rounding_have_no_alpha() -> None:
    """Guards against noise of the last bit: nobody differs, so there is no alpha, and an alpha of 0 is 0."""
    found = alpha(frame_of([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]]), "ratio", trials=0)
    assert (found.refused, found.why) == (True, "all ratings are 0.3")
    rng = np.random.default_rng(1)
    values = [alpha(frame_of(rng.permutation([[1, 2], [3, 1], [2, 3]])), lv, trials=0).value for lv in LEVELS]
    assert all(v is not None and (v == 0 or abs(v) > 1e-9) for v in values)


def test_one_seed_one_answer() -> None:
    """Guards reproducibility, and that another seed is another draw."""
    matrix = random_matrix(np.random.default_rng(15), "grades")
    once, twice, other = (alpha(frame_of(matrix), "nominal", method="bootstrap", trials=200, seed=s) for s in (1, 1, 2))
    assert once == twice
    assert once.low != other.low


@pytest.mark.filterwarnings("ignore:.*negative:truegain.errors.DataWarning")
@pytest.mark.parametrize(
    ("matrix", "level", "items", "why"),
    [
        ([[1, 1], [1, 1]], "nominal", 2, "all ratings are 1"),
        ([[1, None], [None, 2]], "nominal", 0, "no item has two ratings"),
        ([[-1, 2], [1, 2]], "ratio", 2, "no negative"),
    ],
)
def test_undefined_is_said(matrix: Any, level: str, items: int, why: str) -> None:
    """Guards against nan: the answer says that there is none, why, and how many items with two ratings it had."""
    found = alpha(frame_of(matrix), level)
    assert (found.n, found.ratings) == (items, 2 * items)
    assert found.refused
    assert why in str(found)


def test_resamples_of_one_value_are_told() -> None:
    """Guards resamples in which everybody says the same: left out, and counted."""
    found = alpha(frame_of([[0, 0, 0, 1], [0, 0, 0, 1]]), "nominal", method="bootstrap", trials=200)
    assert found.value == 1.0
    assert "of 200 resamples had a single value" in found.why


def test_mistakes_are_told() -> None:
    """Guards levels that do not exist and too few trials for an interval."""
    with pytest.raises(tg.TruegainError, match="level 'cardinal' is not known"):
        alpha(frame_of([[1, 2], [1, 2]]), "cardinal")
    with pytest.raises(tg.TruegainError, match="resamples"):
        alpha(frame_of([[1, 2], [1, 2]]), method="bootstrap", trials=10)


def test_drawn_items_in_pieces_are_as_many_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the last, shorter piece of a block: 11 replicates by 4 are 4, 4 and 3, each of all items, and no more."""
    monkeypatch.setattr(alpha_module, "ROOM_DRAWN", 20)
    drawn = list(alpha_module.drawn_items(5, 11, 1))
    assert [len(w) for w in drawn] == [4, 4, 3]
    assert all((w.sum(axis=1) == 5).all() for w in drawn)
    monkeypatch.setattr(alpha_module, "ROOM_DRAWN", 4)
    assert [len(w) for w in alpha_module.drawn_items(5, 2, 1)] == [1, 1]


def pairs_by_item(rows: list[list[float]]) -> Paired:
    """Items with their ratings, by assessors 0, 1, ..."""
    value = np.array([v for row in rows for v in row])
    item = np.array([i for i, row in enumerate(rows) for _ in row])
    return Paired.rows(value, item, np.array([a for row in rows for a in range(len(row))]))


def distance(level: str, x: float, y: float, ranks: dict[float, float]) -> float:
    """Krippendorff's squared difference of two ratings."""
    if level == "nominal":
        return float(x != y)
    if level == "ordinal":
        return (ranks[x] - ranks[y]) ** 2
    return (x - y) ** 2 if level == "interval" else ((x - y) / (x + y)) ** 2 if x + y else 0.0


ROWS: list[list[float]] = [[1, 1, 2], [3, 2], [0, 0, 0, 1], [5, 5], [2, 3, 3]]


@pytest.mark.parametrize("table", [True, False])
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_parts_of_alpha_pair_by_pair(level: str, table: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards within, among and own against all ordered pairs of ratings, items counted 0, 1, 2 or 3 times."""
    if not table:
        monkeypatch.setattr(alpha_module, "CELLS", 0)
        monkeypatch.setattr(alpha_module, "DIRECT", 0)
    times = [1, 2, 0, 3, 1]
    said = [v for row, t in zip(ROWS, times, strict=True) for v in row * t]
    ranks = dict(zip(said, stats.rankdata(said).tolist(), strict=True))
    ranks |= {v: 0.0 for row in ROWS for v in row if v not in ranks}
    own = [sum(distance(level, x, y, ranks) for x, y in itertools.permutations(row, 2)) for row in ROWS]
    among = sum(distance(level, x, y, ranks) for x, y in itertools.permutations(said, 2)) / (len(said) - 1)
    within = sum(t * o / (len(row) - 1) for t, o, row in zip(times, own, ROWS, strict=True))
    found = getattr(pairs_by_item(ROWS), level)(np.array([times, times], np.float64))
    assert [float(x[1]) for x in found] == pytest.approx(
        [within, among, sum(t * o for t, o in zip(times, own, strict=True))], rel=1e-9
    )


def test_alpha_between_is_of_different_items() -> None:
    """Guards chance by ratings of different items: their mean difference, counted pair by pair."""
    rated = [(i, v) for i, row in enumerate(ROWS) for v in row]
    apart = [(x - y) ** 2 for (i, x), (j, y) in itertools.permutations(rated, 2) if i != j]
    inside = sum(sum((x - y) ** 2 for x, y in itertools.permutations(row, 2)) / (len(row) - 1) for row in ROWS)
    want = 1 - inside / len(rated) / statistics.fmean(apart)
    assert float(alpha_module.alpha_between(pairs_by_item(ROWS), "interval", np.ones((1, 5)))[0]) == pytest.approx(want)


def test_a_majority_that_all_items_share() -> None:
    """Guards the rating that no other outnumbers anywhere: a tie counts, being outnumbered once does not."""
    assert alpha_module.same_majority(pairs_by_item([[2, 2, 1], [2, 3], [2, 2]])) == 2.0
    assert alpha_module.same_majority(pairs_by_item([[2, 2, 1], [2, 3, 3], [2, 2]])) is None
