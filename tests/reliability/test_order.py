"""The experts' order of documents: pairs of levels, and who judged what."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.aggregation.magnitudes import expert_levels, order_agreement
from truegain.data.judgments import Judgments
from truegain.data.rating_groups import Grouped


def rated(rows: list[tuple[str, str, float]]) -> Grouped:
    """Ratings of one topic: document, assessor, label."""
    table = pl.DataFrame([("1", *row) for row in rows], schema=["topic", "doc", "assessor", "label"], orient="row")
    return Grouped.of(tg.read_ratings(table))


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


@pytest.mark.parametrize("seed", range(3))
def test_pairs_in_the_experts_order_one_by_one(seed: int) -> None:
    """Guards the counts by group and by two levels against all pairs; groups without pairs, and a level missing."""
    rng = np.random.default_rng(seed)
    value, group = rng.integers(0, 4, 23).astype(np.float64), rng.choice([0, 1, 3, 4], 23)
    expert = np.where(rng.random(23) < 0.1, np.nan, rng.integers(0, 3, 23))
    expert[group == 4] = 1.0
    found = order_agreement(value, expert, group)
    right, every = np.zeros(6, int), np.zeros(6, int)
    by_levels: dict[tuple[float, float], list[bool]] = {}
    for i, j in itertools.permutations(range(23), 2):
        if group[i] == group[j] and expert[i] < expert[j]:
            every[group[i]] += 1
            right[group[i]] += value[j] >= value[i]
            by_levels.setdefault((expert[i], expert[j]), []).append(bool(value[j] >= value[i]))
    counted = found.counted(6)
    assert counted[0].tolist() == right.tolist()
    assert counted[1].tolist() == every.tolist()
    assert len(found) == every.sum()
    assert found.share == pytest.approx(right.sum() / every.sum())
    want = [(a, b, sum(x) / len(x), len(x)) for (a, b), x in sorted(by_levels.items())]
    assert [tuple(row) for row in found.by_levels] == [pytest.approx(row) for row in want]


def test_levels_of_experts_are_told_apart_up_to_fifty() -> None:
    """Guards the most levels of which pairs are told apart: 50, not 51."""
    for levels, pairs in ((50, 50 * 49 // 2), (51, 0)):
        x = np.arange(levels, dtype=np.float64)
        assert len(order_agreement(x, x, np.zeros(levels, np.int64)).by_levels) == pairs
