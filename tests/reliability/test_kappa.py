"""Cohen's kappa of many assessors: which pairs stand for all, and chance by hand."""

from __future__ import annotations

import statistics
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

import truegain as tg
from tests.reliability.test_alpha import frame_of
from truegain.data.rating_groups import Grouped
from truegain.reliability import kappa
from truegain.reliability.alpha import Coefficient
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


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_cohens_kappa_pair_by_pair(weights: str) -> None:
    """Guards chance by the product of shares, of labels unevenly spaced, against sums over all pairs of items."""
    x, y = np.array([0.0, 1, 1, 4, 4, 2]), np.array([0.0, 1, 2, 4, 1, 1])

    def apart(a: float, b: float) -> float:
        return float(a != b) if weights == "none" else abs(a - b) if weights == "linear" else (a - b) ** 2

    seen = statistics.fmean(apart(a, b) for a, b in zip(x, y, strict=True))
    chance = statistics.fmean(apart(a, b) for a in x for b in y)
    assert kappa._kappa(x, y, weights) == pytest.approx(1 - seen / chance, rel=1e-12)
    assert kappa._kappa(np.ones(3), np.ones(3), weights) is None
    assert kappa._kappa(np.ones(3), np.zeros(3), weights) == pytest.approx(0.0)
