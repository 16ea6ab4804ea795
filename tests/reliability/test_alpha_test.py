"""The test of Krippendorff's alpha against 0."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.aggregation.magnitudes import normalized
from truegain.data.ratings import read_ratings
from truegain.experiments.magnitude_units import alpha_table
from truegain.experiments.worlds import magnitude_ratings
from truegain.reliability.alpha import Paired, alpha_against_0, drawn_items


def plain_alpha(items: list[list[float]]) -> float:
    """Krippendorff's ratio alpha by going through all pairs."""

    def apart(x: float, y: float) -> float:
        return ((x - y) / (x + y)) ** 2

    values = [v for item in items for v in item]
    within = sum(sum(apart(x, y) for i, x in enumerate(it) for j, y in enumerate(it) if i != j) / (len(it) - 1)
                 for it in items)  # fmt: skip
    among = sum(apart(x, y) for i, x in enumerate(values) for j, y in enumerate(values) if i != j) / (len(values) - 1)
    return 1 - within / among


def test_p_by_brute_force() -> None:
    """Guards p: items drawn with replacement, alpha of each draw by all its pairs, how many lie as far as 0 does."""
    rng = np.random.default_rng(3)
    items = [(worth * rng.lognormal(0, 1.2, rng.integers(2, 5))).tolist() for worth in rng.lognormal(0, 0.8, 12)]
    value = np.array([v for item in items for v in item])
    item = np.repeat(np.arange(12), [len(it) for it in items])
    paired = Paired.rows(value, item, np.arange(len(value)))
    found = alpha_against_0(paired, "ratio", trials=60, seed=5)
    whole = plain_alpha(items)
    reached = 0
    for weights in np.concatenate(list(drawn_items(12, 60, 5))).astype(int):
        drawn = plain_alpha([it for it, times in zip(items, weights, strict=True) for _ in range(times)])
        reached += abs(drawn - whole) >= abs(whole)
    assert found.value == pytest.approx(whole)
    assert found.p == (reached + 1) / 61
    assert 0 < reached < 60
    assert (found.resamples, found.items) == (60, 12)


def test_what_has_no_test() -> None:
    """Guards one item and ratings that are all equal: no p, never a small one."""
    same = Paired.rows(np.ones(6), np.arange(6) // 2, np.arange(6) % 2)
    one = Paired.rows(np.array([1.0, 2.0]), np.zeros(2, np.int64), np.arange(2))
    assert math.isnan(alpha_against_0(same, "ratio").p)
    assert math.isnan(alpha_against_0(one, "ratio").p)
    with pytest.raises(tg.TruegainError, match="level"):
        alpha_against_0(one, "cubic")


def test_two_items_have_a_test() -> None:
    """Guards the fewest: of two items, one of equal ratings, those resamples count in which ratings differ."""
    paired = Paired.rows(np.array([1.0, 2.0, 5.0, 5.0]), np.arange(4) // 2, np.arange(4) % 2)
    found = alpha_against_0(paired, "ratio", trials=80, seed=2)
    items, drawn = [[1.0, 2.0], [5.0, 5.0]], np.concatenate(list(drawn_items(2, 80, 2)))[:, 0]
    of_draw = {1: plain_alpha(items), 2: plain_alpha([items[0]] * 2)}  # times the first item was drawn
    reached = sum(int((drawn == n).sum()) for n, x in of_draw.items() if abs(x - of_draw[1]) >= abs(of_draw[1]))
    assert found.value == pytest.approx(of_draw[1])
    assert 0 < found.resamples == int((drawn > 0).sum()) < 80
    assert found.p == (reached + 1) / (found.resamples + 1)


@pytest.mark.slow
def test_it_holds_its_level() -> None:
    """Guards the test where people agree by chance alone: of 400 studies of 150 items about 5% have p < .05."""
    low = 0
    for seed in range(400):
        value = np.random.default_rng(seed).lognormal(0, 1, 600)
        paired = Paired.rows(value, np.arange(600) // 4, np.arange(600) % 4)
        low += alpha_against_0(paired, "ratio", trials=199, seed=seed).p < 0.05
    assert 8 <= low <= 40


def test_the_table_is_of_whole_units() -> None:
    """Guards `--show alpha`: units are normalized with all their documents, then the first ratings are taken."""
    world = magnitude_ratings(topics=2, docs=20, workers=5, seed=1)
    moved = normalized(world.ratings)
    seen: dict[str, list[float]] = {}
    for topic, doc, value in zip(moved.topic.strings(), moved.docs.strings(), moved.label.tolist(), strict=True):
        seen.setdefault(f"{topic} {doc}", []).append(value)
    rows = alpha_table(world.ratings, first=4, replicates=99).records()
    assert rows[0]["alpha ratio"] == pytest.approx(plain_alpha([v[:4] for v in seen.values()]))
    assert rows[1]["alpha ratio"] == pytest.approx(plain_alpha(list(seen.values())))
    assert [r["ratings of a document"] for r in rows] == ["first 4", "all"]
    assert [r["ratings"] for r in rows] == [sum(len(v[:4]) for v in seen.values()), len(moved)]
    assert rows[0]["p"] == 0.01
    few = alpha_table(world.ratings, first=400, replicates=99)
    assert len(few.rows) == 1
    assert "with fewer than 100 documents the bootstrap's p is too small" in few.notes


def test_mistakes_are_told() -> None:
    """Guards ratings by one person, and one rating of each document."""
    alone = read_ratings(pl.DataFrame({"topic": "1", "doc": ["a", "b"], "assessor": "x", "label": [1.0, 2.0]}))
    with pytest.raises(tg.InputError, match="no document has two magnitudes"):
        alpha_table(alone)
    with pytest.raises(tg.TruegainError, match="take at least 2"):
        alpha_table(alone, first=1)


def test_the_interval_is_that_of_agree() -> None:
    """Guards one alpha in two places: of all ratings the table has the value and interval of `agree`."""
    world = magnitude_ratings(topics=2, docs=20, workers=5, seed=1)
    row = tg.agreement(world.ratings, scale="ratio", normalize="geometric").overall.records()[0]
    mine = alpha_table(world.ratings, replicates=99).records()[1]
    assert [mine[c] for c in ("alpha ratio", "low", "high")] == [row[c] for c in ("value", "low", "high")]
