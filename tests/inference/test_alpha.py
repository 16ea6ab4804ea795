"""Krippendorff's alpha against the tools people use, brute force, and its limits."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.inference.agreement import paired
from truegain.inference.agreement.alpha import Agreement, _student, alpha, alpha_of
from truegain.inference.agreement.paired import Paired
from truegain.tables.grouped import Grouped
from truegain.tables.scale import LEVELS


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


def value(found: Agreement) -> float:
    """The value of a coefficient that is defined."""
    assert found.value is not None, found
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


def test_against_irrcac() -> None:
    """Guards alpha against irrCAC, which weighs categories: identity, quadratic and ratio weights."""
    irrcac, pandas = pytest.importorskip("irrCAC.raw"), pytest.importorskip("pandas")
    rng = np.random.default_rng(8)
    names = {"nominal": "identity", "interval": "quadratic", "ratio": "ratio"}
    for _ in range(10):
        matrix = random_matrix(rng, "grades") + 1
        for level, weights in names.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                # without its categories it takes nan for one of them
                levels = sorted({float(v) for v in matrix.flat if v == v})
                cac = irrcac.CAC(pandas.DataFrame(matrix.T), weights=weights, categories=levels, digits=12)
                found = cac.krippendorff()
            want = found["est"]["coefficient_value"]
            assert value(alpha(frame_of(matrix), level, trials=0)) == pytest.approx(want, abs=1e-9), level


def test_against_nltk() -> None:
    """Guards alpha against nltk, whose data has no missing values: nominal and interval."""
    agreement = pytest.importorskip("nltk.metrics.agreement")
    distance = pytest.importorskip("nltk.metrics.distance")
    rng = np.random.default_rng(9)
    for _ in range(10):
        matrix = rng.integers(0, 4, (4, 15))
        triples = [(f"a{a}", f"d{i}", float(v)) for a, row in enumerate(matrix) for i, v in enumerate(row)]
        for level, apart in (("nominal", distance.binary_distance), ("interval", distance.interval_distance)):
            want = agreement.AnnotationTask(data=triples, distance=apart).alpha()
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
    """Guards the ways without tables, for very many values, also with zeros: mid-ranks, counts and the quadrature."""
    monkeypatch.setattr(paired, "CELLS", 0)
    monkeypatch.setattr(paired, "DIRECT", 0)
    rng = np.random.default_rng(10)
    for kind in ("grades", "reals"):
        for _ in range(5):
            matrix = random_matrix(rng, kind)
            assert value(alpha(frame_of(matrix), level, trials=0)) == pytest.approx(brute(matrix, level), abs=1e-11)


def test_the_quadrature_over_twelve_orders_of_magnitude() -> None:
    """Guards the integral behind the ratio level where values differ a million million times, against every pair."""
    rng = np.random.default_rng(11)
    found = pairs_of(np.exp(rng.uniform(-14, 14, (3, 1500))))
    assert len(found.levels) > paired.DIRECT
    quick = found.ratio(np.ones((1, len(found))))[1][0]
    exact = paired._all_pairs(found.levels, found.totals(np.ones((1, len(found))))[0]) / (len(found.value) - 1)
    assert quick == pytest.approx(exact, rel=1e-12)


def test_nearly_equal_values_do_not_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the ratio level where all values are close together, and the quick way would lose digits."""
    monkeypatch.setattr(paired, "DIRECT", 0)
    rng = np.random.default_rng(12)
    matrix = 1 + 1e-7 * rng.random((3, 40))
    assert value(alpha(frame_of(matrix), "ratio", trials=0)) == pytest.approx(brute(matrix, "ratio"), rel=1e-6)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("cells", [0, paired.CELLS])
def test_weights_of_items_are_copies(level: str, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards every replicate of the bootstrap: an item drawn twice is two items with the same ratings."""
    monkeypatch.setattr(paired, "CELLS", cells)
    monkeypatch.setattr(paired, "DIRECT", 0 if not cells else 3000)
    rng = np.random.default_rng(13)
    matrix = np.exp(rng.normal(size=(4, 12)))
    weights = rng.integers(0, 3, (5, 12)).astype(float)
    within, among = getattr(pairs_of(matrix), level)(weights)
    for row, w in enumerate(weights):
        copies = np.repeat(matrix, w.astype(int), axis=1)
        assert 1 - within[row] / among[row] == pytest.approx(brute(copies, level), abs=1e-10)


def test_the_interval_covers_what_it_says() -> None:
    """Guards the bootstrap over items: about 95% of intervals hold the alpha of a very long study."""
    rng = np.random.default_rng(14)

    def study(items: int) -> np.ndarray[Any, Any]:
        return np.asarray(np.clip(rng.integers(0, 4, items) + rng.integers(-1, 2, (3, items)), 0, 3))

    truth = value(alpha_of(pairs_of(study(40_000)), "ordinal", trials=0, confidence=0.95, seed=0))
    held = 0
    for seed in range(150):
        found = alpha_of(pairs_of(study(80)), "ordinal", trials=300, confidence=0.95, seed=seed)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert 0.88 <= held / 150 <= 0.99


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_of_large_studies_is_that_of_the_bootstrap(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the jackknife of groups, taken where the bootstrap would be slow: about as wide."""
    rng = np.random.default_rng(16)
    matrix = np.clip(rng.integers(1, 5, 3000) + rng.integers(-1, 2, (3, 3000)), 1, 4)
    drawn = alpha_of(pairs_of(matrix), level, trials=1000, confidence=0.95, seed=1)
    monkeypatch.setitem(alpha_of.__globals__, "LARGE", 0)
    left_out = alpha_of(pairs_of(matrix), level, trials=1000, confidence=0.95, seed=1)
    assert "jackknife" in left_out.why
    assert None not in (drawn.low, drawn.high, left_out.low, left_out.high)
    wide, other = drawn.high - drawn.low, left_out.high - left_out.low  # type: ignore[operator]
    assert other / wide == pytest.approx(1, abs=0.35)  # 50 groups tell a width to about a tenth


def test_students_quantile() -> None:
    """Guards the expansion of Student's t against scipy."""
    special = pytest.importorskip("scipy.special")
    for confidence in (0.9, 0.95, 0.99):
        assert _student(49, confidence) == pytest.approx(float(special.stdtrit(49, (1 + confidence) / 2)), abs=2e-4)


def test_one_seed_one_answer() -> None:
    """Guards reproducibility, and that another seed is another draw."""
    matrix = random_matrix(np.random.default_rng(15), "grades")
    once, twice, other = (alpha(frame_of(matrix), "nominal", trials=200, seed=s) for s in (1, 1, 2))
    assert once == twice
    assert once.low != other.low


@pytest.mark.parametrize(
    ("matrix", "level", "why"),
    [
        ([[1, 1], [1, 1]], "nominal", "all ratings are 1"),
        ([[1, None], [None, 2]], "nominal", "no item has two ratings"),
        ([[-1, 2], [1, 2]], "ratio", "no negative"),
    ],
)
def test_undefined_is_said(matrix: Any, level: str, why: str) -> None:
    """Guards against nan: the answer says that there is none, and why."""
    found = alpha(frame_of(matrix), level)
    assert found.value is None
    assert why in str(found)


def test_resamples_of_one_value_are_told() -> None:
    """Guards resamples in which everybody says the same: left out, and counted."""
    found = alpha(frame_of([[0, 0, 0, 1], [0, 0, 0, 1]]), "nominal", trials=200)
    assert found.value == 1.0
    assert "of 200 resamples held a single value" in found.why


def test_mistakes_are_told() -> None:
    """Guards levels that do not exist and too few trials for an interval."""
    with pytest.raises(tg.TruegainError, match="no level 'cardinal'"):
        alpha(frame_of([[1, 2], [1, 2]]), "cardinal")
    with pytest.raises(tg.TruegainError, match="replicates"):
        alpha(frame_of([[1, 2], [1, 2]]), trials=10)
