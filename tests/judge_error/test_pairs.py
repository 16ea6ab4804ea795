"""Pairs of a gold and a bronze label: which are made, what is left out and told, and their weights."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import truegain as tg
from truegain.data.judgments import Judgments
from truegain.data.pool import Pool
from truegain.judge_error.gold_pairs import Pairs, pair_up


def test_some_of_the_pairs_and_where_they_are() -> None:
    """Guards rows that stay together, and places in another pool: -1 where a pair is not there."""
    bronze = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 1, "e": 2}}
    gold = {"1": {"a": 1, "c": 1}, "2": {"d": 0, "e": 2}}
    pairs = pair_up(bronze, gold, weights=[1, 2, 3, 4])
    left = pairs.only(np.array([False, True, True, False]))
    assert [left.topic.tolist(), left.bronze.tolist(), left.gold.tolist(), left.weight.tolist()] == [
        [0, 1],
        [2.0, 1.0],
        [1.0, 0.0],
        [2.0, 3.0],
    ]
    assert (len(left), pairs.weighted, left.weighted) == (2, True, True)
    other = Pool.of(Judgments.of({"2": {"e": 1, "d": 1}, "1": {"c": 0, "z": 1}}))
    found = pairs.items_in(other).tolist()
    names = [(other.topics[other.topic[i]], other.docs[int(i)]) if i >= 0 else None for i in found]
    assert names == [None, ("1", "c"), ("2", "d"), ("2", "e")]
    bare = Pairs(("1",), np.zeros(1, np.int64), np.ones(1), np.ones(1), np.ones(1), {1.0: 1.0})
    with pytest.raises(tg.TruegainError, match="do not name their documents"):
        bare.items_in(other)
    assert bare.only(np.array([True])).item is None


def test_weights_of_gold_pairs_that_are_none() -> None:
    """Guards the number of weights, finite ones, none below 0, and one above 0 at least."""
    bronze, gold = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1, "b": 1}}
    assert pair_up(bronze, gold, weights=[0, 1]).weight.tolist() == [0.0, 1.0]
    for wrong in ([1.0], [0, 0], [-1, 2], [np.inf, 1], [np.nan, 1]):
        with pytest.raises(tg.TruegainError, match="weights"):
            pair_up(bronze, gold, weights=wrong)


def test_pairs_that_have_no_bronze_label_left_out() -> None:
    """Guards what is counted: unmatched, not judged, shares of bronze labels among those judged."""
    bronze = {"1": {"d": -1, "a": 1, "b": 0, "c": 1, "e": 3}}
    with pytest.warns(tg.DataWarning, match="1 of 5 gold pairs have a bronze label below 0"):
        pairs = pair_up(bronze, {"1": {"x": 1, "a": 1, "d": 0, "y": 0, "e": 2}}, unmatched="drop", scale=range(4))
    assert (len(pairs), pairs.unmatched, pairs.unjudged, pairs.weighted) == (2, 2, 1, False)
    assert pairs.share == {0.0: 0.25, 1.0: 0.5, 3.0: 0.25}
    assert (pairs.scale, pairs.off_scale) == ((0.0, 1.0, 2.0, 3.0), None)
    with pytest.warns(tg.DataWarning), pytest.raises(tg.InputError, match="no gold pair has a bronze label"):
        pair_up(bronze, {"1": {"d": 1}})


def pool_of(labels: list[float]) -> Pool:
    """One topic with these labels."""
    return Pool.of(Judgments.of({"1": {f"d{i}": x for i, x in enumerate(labels)}}))


def test_weights_of_gold_drawn_by_bronze_label() -> None:
    """Guards the weights by hand: share among all bronze labels over share among the gold pairs; unjudged count not."""
    bronze = {"1": {"a": 1, "b": 0, "c": 0, "d": 0, "e": 0, "f": 1, "u": -1}}
    pairs = tg.Judge.fit(bronze, {"1": {"a": 1, "b": 1, "f": 0}}, design="by-bronze").pairs
    assert pairs is not None
    assert pairs.share == pytest.approx({0.0: 4 / 6, 1.0: 2 / 6})
    by_label = dict(zip(pairs.bronze.tolist(), pairs.weight.tolist(), strict=True))
    assert by_label == pytest.approx({1.0: (2 / 6) / (2 / 3), 0.0: (4 / 6) / (1 / 3)})
    given = tg.Judge.fit(bronze, {"1": {"a": 1, "b": 1, "f": 0}}, design="by-bronze", weights=[1, 2, 3]).pairs
    assert given is not None
    assert (given.weight.tolist(), given.weighted, pairs.weighted) == ([1, 2, 3], True, False)


@pytest.mark.parametrize(("pairs", "warned"), [(50, True), (49, False)])
def test_from_how_many_pairs_on_a_perfect_judge_is_suspicious(pairs: int, warned: bool) -> None:
    """Guards 50 pairs, and that a judge who had only one label to give is not suspected."""
    labels = {"1": {f"d{i}": i % 2 for i in range(pairs)}}
    alike = {"1": {f"d{i}": 1 for i in range(pairs)}}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        pair_up(labels, labels)
        pair_up(alike, alike)
    assert [f"all {pairs} gold pairs have exactly" in str(w.message) for w in said] == [True] * warned


def test_pairs_without_bronze_are_named_up_to_three() -> None:
    """Guards the list of what is missing, and how many were dropped; negative gold labels are no pairs."""
    gold = {"1": {"a": 1, "b": 0, "w": 1, "x": 1, "y": 0, "n": -1}}
    with pytest.raises(tg.InputError, match=r"3 of 6 gold pairs have no .*document w;.*document x;.*document y\)"):
        pair_up({"1": {"a": 1, "b": 0}}, gold)
    with pytest.raises(tg.InputError, match=r"4 of 6 .*document b;.*document w;.*document x and 1 more\)"):
        pair_up({"1": {"a": 1}}, gold)
    with pytest.warns(tg.DataWarning, match="1 of 6 gold pairs have a gold label below 0"):
        found = pair_up({"1": {"a": 1, "b": 0}}, gold, unmatched="drop")
    assert (len(found), found.unmatched, found.unjudged) == (2, 3, 0)
    assert found.items_in(pool_of([1.0])).tolist() == [-1, -1]
