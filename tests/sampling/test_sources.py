"""What was sampled: which source holds which, and weights of leaving out against loops over units."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from truegain.data.judgments import Judgments
from truegain.data.pool import Pool
from truegain.sampling.assessors import ASSESSORS, Assessors
from truegain.sampling.catalogue import SOURCES, holders, inside_first, outermost, populations
from truegain.sampling.gold import GoldUnits, judged_whole
from truegain.sampling.jackknife import DrawnSums
from truegain.sampling.replicates import Replicates
from truegain.sampling.source import Topics


def test_each_source_is_nested_or_crossed_never_both() -> None:
    """Guards nesting: what each topic has of its own, what topics share, and the names that users give."""
    assert populations() == ("topics", "collection", "assessors", "replicates", "clusters")
    assert {name for name in SOURCES if "topics" in holders(name)} == {"collection", "replicates", "gold", "unjudged"}
    for name, source in SOURCES.items():
        assert name == source.name
        assert not {*source.nested_in} & {*source.crossed_with, name}
        assert bool(source.nested_in) + bool(source.crossed_with) + bool(source.holds) == (name != "topics")
        assert bool(source.claim) == (name in populations())
        assert source.other
        assert source.cause
        assert source.shown


@pytest.mark.parametrize("size", range(5))
def test_what_adds_up_where_topics_are_fixed(size: int) -> None:
    """Guards against counting twice, for every population: documents and assessors hold the noise of asking again."""
    for over in combinations([name for name in populations() if not SOURCES[name].holds], size):
        fixed = {*over} - {"topics"}
        found = outermost(fixed)
        assert sorted([*found, *({*over} & {"topics"})]) == sorted(inside_first(over))
        assert {"gold", "unjudged"} <= set(found)
        assert ("collection" in found) == ("collection" in over)
        assert ("replicates" in found) == (
            "replicates" in over and "assessors" not in over and "collection" not in over
        )
        assert not {"topics", "assessors"} & set(found)
        cells = "topics" if "topics" in over else "collection" if "collection" in over else None
        assert ASSESSORS.meets(over) == cells


def test_leaving_topics_out_of_means() -> None:
    """Guards the weights and the closed form against means over the other topics, missing scores too."""
    rng = np.random.default_rng(5)
    scores = rng.random((4, 7))
    weights = Topics(tuple("abcdefg")).left_out()
    by_hand = np.array([[np.delete(row, t).mean() for t in range(7)] for row in scores])
    assert (scores @ weights.T / weights.sum(axis=1)) == pytest.approx(by_hand)
    assert Topics.means_without(scores) == pytest.approx(by_hand)
    scores[1, 2] = np.nan
    left = Topics.means_without(scores)
    assert np.isnan(left[1, 2])
    assert left[1, 3] == pytest.approx(np.nanmean(np.delete(scores[1], 3)))
    assert len(Topics(("1", "2"))) == 2


def ratings(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Who rated which of 12 documents of 4 topics, grouped by document; some documents have one rating."""
    rng = np.random.default_rng(seed)
    rows = [(a, d) for d in range(12) for a in rng.permutation(5)[: rng.integers(1, 5)].tolist()]
    who, item = np.array(rows).T
    return who, item, np.repeat(np.arange(4), 3)


@pytest.mark.parametrize("seed", range(3))
def test_assessors_left_out_as_a_loop_does(seed: int) -> None:
    """Guards weights of ratings: no rating of the one left out, but where nobody else rated; on some documents only."""
    who, item, topic = ratings(seed)
    people = Assessors(tuple("vwxyz"), who, item, topic)
    some = np.arange(12) % 2 == 0
    for where in (None, some):
        found = list(people.left_out(where))
        assert len(found) == len(people) == 5
        for code, row in enumerate(found):
            for i, weight in enumerate(row.tolist()):
                others = [a for a, d in zip(who, item, strict=True) if d == item[i] and a != code]
                out = who[i] == code and bool(others) and (where is None or bool(where[item[i]]))
                assert weight == float(not out)
    assert people.rated_once == sum(int((item == d).sum()) == 1 for d in range(12))
    assert people.nested_because == ""


def test_assessors_with_topics_of_their_own_are_nested() -> None:
    """Guards what is crossed: not one assessor a topic, nor one topic an assessor."""
    item, topic = np.arange(6), np.array([0, 0, 1, 1, 2, 2])
    each = Assessors(("x", "y"), np.array([0, 0, 1, 1, 0, 0]), item, topic)
    assert each.nested_because == "every topic has one assessor"
    own = Assessors(tuple("uvwxyz"), np.arange(6, dtype=np.int32), item, topic)
    assert own.nested_because == "every assessor rated one topic only"
    shared = Assessors(("x", "y"), np.array([0, 1, 1, 1, 0, 0]), item, topic)
    assert shared.nested_because == ""


def test_times_of_asking_are_left_out_for_all_alike() -> None:
    """Guards the count of times by a loop over rows, and what is left where somebody was asked once more."""
    who = np.array([0, 1, 0, 1, 0, 0, 1, 1])
    item = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    asked = Replicates.of(who, item)
    seen: dict[tuple[int, int], int] = {}
    for i, key in enumerate(zip(who.tolist(), item.tolist(), strict=True)):
        assert asked.asked[i] == seen.get(key, 0)
        seen[key] = seen.get(key, 0) + 1
    assert (asked.units, asked.most) == (("time 1", "time 2"), 2)
    assert [row.tolist() for row in asked.left_out()] == [(asked.asked != t).astype(float).tolist() for t in (0, 1)]
    more = Replicates.of(np.append(who, 1), np.append(item, 1))
    assert (len(more), more.most) == (2, 3)


def test_gold_is_named_and_what_chance_leaves_open() -> None:
    """Guards names by topic and document, 1 - chance, and topics that are gold-judged as a whole or in part."""
    pool = Pool.of(Judgments.of({"1": {"a": 1, "b": 0}, "2": {"a": 0, "c": 1}, "3": {"b": 1}}))
    named = [f"{pool.topics[t]} {d}" for t, d in zip(pool.topic.tolist(), pool.docs.strings(), strict=True)]
    drawn = np.array([name in ("1 a", "1 b", "2 c") for name in named])
    gold = GoldUnits.drawn(pool, drawn, np.array([1.0, 4.0, 5.0, 0.5, 2.0]))
    assert (set(gold.units), gold.of) == ({"1 a", "1 b", "2 c"}, 5)
    whole, part = judged_whole(pool.topic, drawn, 3)
    assert (whole.tolist(), part.tolist()) == ([True, False, False], [False, True, False])


@pytest.mark.parametrize("pairs", [True, False])
def test_draws_added_up_in_parts_are_their_covariances(pairs: bool) -> None:
    """Guards the sums against numpy's covariance of all draws at once, however they come, a system missing too."""
    rng = np.random.default_rng(2)
    center, drawn = rng.random((3, 4)), rng.random((3, 4, 50))
    center[1, 2], drawn[1, 2] = np.nan, np.nan
    by_topic, by_block = DrawnSums(center, 50, pairs), DrawnSums(center, 50, pairs)
    for t in range(4):
        by_topic.add(slice(t, t + 1), slice(None), drawn[:, t : t + 1], t)
    for first in (0, 20, 40):
        some = slice(first, min(first + 20, 50))
        by_block.add(slice(None), some, drawn[:, :, some], 2)
    assert (by_topic.redrawn, by_block.redrawn) == (6, 6)
    for sums in (by_topic, by_block):
        assert sums.total == pytest.approx(np.nansum(drawn, axis=1))
        for t, spread in enumerate(sums.spreads(np.array([3, 1, 0, 2]))):
            here = [s for s in range(3) if (s, t) != (1, 2)]
            known = np.zeros((3, 3))
            known[np.ix_(here, here)] = np.cov(drawn[here, t])
            assert spread.relevant == (3, 1, 0, 2)[t]
            assert spread.there.tolist() == [s in here for s in range(3)]
            assert spread.own == pytest.approx(known if pairs else np.diagonal(known))
            assert not spread.others.any()
