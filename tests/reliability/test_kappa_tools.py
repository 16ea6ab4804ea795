"""Kappas against the values of the tools, percent agreement and ratio spreads against brute force."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.reliability.test_alpha import frame_of, random_matrix
from truegain.data.rating_groups import Grouped
from truegain.reliability.alpha import Coefficient
from truegain.reliability.kappa import _kappa, cohens, fleiss, percent, ratio_spreads


def cohen(ratings: Grouped, weights: str = "none", *, seed: int = 0) -> Coefficient:
    """Cohen's kappa by one kind of weights."""
    return cohens(ratings, (weights,), seed=seed)[0]


def grouped(matrix: Any) -> Grouped:
    """Ratings of a matrix of raters by items."""
    return Grouped.of(tg.read_ratings(frame_of(matrix)))


@pytest.mark.parametrize(
    ("key", "marginals"), [("fleiss_pooled_marginals", "pooled"), ("fleiss_item_mean_marginals", "items")]
)
def test_fleiss_against_the_tools(conformance: Any, key: str, marginals: str) -> None:
    """Guards both conventions for unequal numbers of ratings: pooled shares, and Gwet's (irrCAC)."""
    compared = 0
    for case in conformance("statistics")["agreement"]["cases"]:
        found = fleiss(grouped(case["raters_by_items"]), marginals)
        for name in (key, "fleiss", *(("irrCAC_fleiss",) if marginals == "items" else ())):
            if case.get(name) is not None and not found.refused:
                assert found.value == pytest.approx(case[name], abs=1e-9), name
                compared += 1
    assert compared >= 10


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_cohen_against_sklearn(conformance: Any, weights: str) -> None:
    """Guards Cohen's kappa of the first two raters, weighted or not, over the items both rated."""
    key = "cohen" if weights == "none" else f"cohen_{weights}"
    compared = 0
    for case in conformance("statistics")["agreement"]["cases"]:
        if case.get(key) is not None:
            found = cohen(grouped(case["raters_by_items"][:2]), weights)
            assert found.value == pytest.approx(case[key], abs=1e-9)
            compared += 1
    assert compared == 7


def test_both_conventions_agree_where_they_must() -> None:
    """Guards that the two conventions are one for equal numbers of ratings."""
    matrix = np.random.default_rng(1).integers(0, 3, (4, 20))
    values = [fleiss(grouped(matrix), m).value for m in ("pooled", "items")]
    assert values[0] == pytest.approx(values[1])


def test_percent_agreement_by_counting() -> None:
    """Guards the share of equal pairs, averaged over items."""
    matrix = random_matrix(np.random.default_rng(2), "grades")
    items = [[v for v in column if v == v] for column in matrix.T]
    shares = [np.mean([a == b for a, b in combinations(i, 2)]) for i in items if len(i) > 1]
    assert percent(grouped(matrix)).value == pytest.approx(np.mean(shares))


def test_the_mean_of_cohens_kappas() -> None:
    """Guards several assessors: the mean over every two."""
    matrix = np.random.default_rng(3).integers(0, 3, (4, 30))
    each = [cohen(grouped(matrix[list(two)])).value for two in combinations(range(4), 2)]
    found = cohen(grouped(matrix))
    assert found.value == pytest.approx(np.mean([v for v in each if v is not None]))
    assert found.why == "6 of 6 pairs"


@pytest.mark.slow
def test_very_many_assessors_are_compared_by_random_pairs() -> None:
    """Guards kappa of 60 assessors, 1,770 pairs: 1,000 at random, near the mean over all, and that is said."""
    rng = np.random.default_rng(7)
    matrix = np.clip(rng.integers(0, 4, 40) + rng.integers(-1, 2, (60, 40)), 0, 3)
    kinds = ("none", "linear", "quadratic")
    drawn, otherwise = (cohens(grouped(matrix), kinds, seed=seed) for seed in (0, 1))
    for weights, found, other in zip(kinds, drawn, otherwise, strict=True):
        pairs = combinations(matrix.astype(float), 2)
        values = [kappa for one, two in pairs if (kappa := _kappa(one, two, weights)) is not None]
        assert len(values) == 1770
        assert found.why == "1000 random pairs of 1,770, each with at least 5 common items"
        assert found.value == pytest.approx(np.mean(values), abs=4 * np.std(values) / np.sqrt(1000))
        assert other.value != found.value


def test_ratio_spreads_against_scipy() -> None:
    """Guards the geometric standard deviation against scipy, the ratio against the definition."""
    stats = pytest.importorskip("scipy.stats")
    matrix = np.exp(np.random.default_rng(4).normal(size=(5, 6)))
    widest, gsd = ratio_spreads(grouped(matrix))
    assert gsd == pytest.approx([stats.gstd(column) for column in matrix.T])
    assert widest == pytest.approx(matrix.max(axis=0) / matrix.min(axis=0))
    with pytest.raises(tg.TruegainError, match="above 0"):
        ratio_spreads(grouped([[0, 1], [1, 1]]))


def test_undefined_is_said() -> None:
    """Guards against nan where all say the same, nobody rated twice, or no pair of very many can be compared."""
    same, single = grouped([[1, 1], [1, 1]]), grouped([[1, None], [None, 2]])
    assert [fleiss(g).why for g in (same, single)] == ["all ratings are 1", "no item has two ratings"]
    assert percent(single).refused
    assert "no two assessors" in cohen(single).why
    assert "no two assessors" in cohen(same).why
    assert "no two assessors" in cohen(grouped(np.ones((31, 2)))).why
    assert "none rated 5 common items" in cohen(grouped(np.ones((60, 2)))).why
    assert "no pair of assessors gave more than one label" in cohen(grouped(np.ones((60, 6)))).why
    with pytest.raises(tg.TruegainError, match="marginals 'mean' is not known"):
        fleiss(same, "mean")
    with pytest.raises(tg.TruegainError, match="weights 'cubic' is not known"):
        cohen(same, "cubic")


def crowd_of(pairs: int, more: int) -> Grouped:
    """So many pairs of workers with 6 items in common, and documents that two strangers rated who did nothing else."""
    rng = np.random.default_rng(3)
    rows = [
        ("1", f"p{p}-{i}", f"p{p}{w}", float((i + p * (w == "a")) % 3))
        for p in range(pairs)
        for i in range(6)
        for w in "ab"
    ]
    rows += [("1", f"d{i}", f"w{2 * i + w}", float(rng.integers(0, 3))) for i in range(more) for w in range(2)]
    return Grouped.of(tg.read_ratings(pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")))


def test_a_sliver_is_not_shown_as_the_whole() -> None:
    """Guards the mean kappa of a crowd: of few pairs with few of the ratings it is not told, and why is.

    It is told of 30 pairs, or of a tenth of the ratings; the ratings it rests on are counted once each.
    """
    hidden = cohen(crowd_of(3, 600))
    assert (hidden.refused, hidden.n, hidden.ratings) == (True, 18, 36)
    assert hidden.why == (
        "3 random pairs of 726,615, each with at least 5 common items: 36 of 1,236 ratings do not represent all"
    )
    for pairs, more, told in ((3, 162, True), (3, 163, False), (30, 2000, True), (29, 2000, False)):
        found = cohen(crowd_of(pairs, more))
        assert (not found.refused) == told
        assert found.ratings == 12 * pairs
    few = cohen(grouped(np.random.default_rng(1).integers(0, 3, (4, 9))))
    assert (few.ratings, few.why) == (36, "6 of 6 pairs")


def test_random_pairs_do_not_depend_on_the_order_of_rows() -> None:
    """Guards the draw of pairs: assessors are numbered by name."""
    rng = np.random.default_rng(8)
    frame = frame_of(np.clip(rng.integers(0, 4, 12) + rng.integers(-1, 2, (60, 12)), 0, 3))
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=1)
    one, two = (cohen(Grouped.of(tg.read_ratings(f))) for f in (frame, shuffled))
    assert "1000 random pairs" in one.why
    assert one.value == pytest.approx(two.value, abs=1e-12)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_one_rating_throughout_has_no_kappa(weights: str) -> None:
    """Guards 0/0: where both say the same of everything, chance agrees as well, and rounding is no disagreement."""
    for value in (0.1, 1.0, 0.3, 7.0):
        assert _kappa(np.full(3, value), np.full(3, value), weights) is None
    assert _kappa(np.array([0.1, 0.1, 0.2]), np.array([0.1, 0.1, 0.2]), weights) == pytest.approx(1.0)
    for same in (np.ones(3), np.zeros(3)):  # of one of the two: no more agreement than by chance
        mixed = np.array([0.0, 1, 1])
        assert _kappa(same, mixed, weights) == pytest.approx(0.0, abs=1e-12)
        assert _kappa(mixed, same, weights) == pytest.approx(0.0, abs=1e-12)
