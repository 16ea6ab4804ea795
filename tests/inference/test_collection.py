"""Intervals over collections: against brute force, simulation and each other."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import truegain as tg
from truegain.engine import Local
from truegain.inference.collection.difference import collection_difference
from truegain.inference.collection.expansion import drawn_means
from truegain.inference.collection.means import geometric_mean_estimates, logistic_mean_estimates, mean_estimates
from truegain.inference.collection.small_r import limit_at_one, limit_at_zero
from truegain.inference.collection.spread import METHODS, accelerations, average_precision, collection_spread
from truegain.inference.intervals.estimate import intervals
from truegain.measures.ap import AP
from truegain.measures.evaluate import Options, aligned
from truegain.sampling.documents import TopicLists, average_precisions, lists_of_topic, replicate
from truegain.studies.world import World, simulate
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains


@pytest.fixture(scope="module")
def world() -> World:
    """A small simulated evaluation."""
    return simulate(topics=12, systems=3, docs=120, depth=60, pool_depth=20, seed=5)


@pytest.fixture(scope="module")
def ranked(world: World) -> RankedGains:
    """Its lists against the true labels."""
    return aligned(world.runs, world.gold, Options())


def test_the_centre_is_average_precision(ranked: RankedGains) -> None:
    """Guards the sampler's own AP against the measure, and the limits around it."""
    spread = collection_spread(ranked, replicates=300)
    assert np.abs(spread.ap - AP().score(ranked)).max() < 1e-12
    for method in METHODS:
        low, high = spread.interval(method)
        assert (low <= spread.ap).all()
        assert (spread.ap <= high).all()
        assert (high - low > 0).all(), method


def test_the_same_seed_gives_the_same_bits_for_any_number_of_workers(
    ranked: RankedGains, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards reproducibility over workers and over blocks of systems that bound memory."""
    alone = collection_spread(ranked, replicates=200, seed=4, engine=Local(1))
    many = collection_spread(ranked, replicates=200, seed=4, engine=Local(3))
    monkeypatch.setattr("truegain.inference.collection.spread.MEMORY", 8 * 200)  # one system at a time
    blocks = collection_spread(ranked, replicates=200, seed=4, engine=Local(2))
    for other in (many, blocks):
        assert (alone.sd == other.sd).all()
        assert (alone.limits["bca"][0] == other.limits["bca"][0]).all()
        for name, mean in alone.means.items():
            assert (mean.sd == other.means[name].sd).all(), name
            assert (mean.high == other.means[name].high).all(), name
    assert blocks.redrawn == alone.redrawn


def test_acceleration_is_that_of_leaving_documents_out() -> None:
    """Guards BCa's acceleration against AP recomputed without each document."""
    run, missed = "0110001011", 3
    relevant = run.count("1") + missed

    def ap(flags: str, possible: int) -> float:
        rank = [i + 1 for i, c in enumerate(flags) if c == "1"]
        return sum((i + 1) / r for i, r in enumerate(rank)) / possible

    whole = ap(run, relevant)
    influence = [whole - ap(run[:i] + run[i + 1 :], relevant - (run[i] == "1")) for i in range(len(run))]
    influence += [whole - ap(run, relevant - 1)] * missed
    u = np.array(influence)
    rank = np.array([i + 1 for i, c in enumerate(run) if c == "1"])
    gap = np.diff(np.concatenate([[0], rank])) - 1
    lists = TopicLists(
        0, relevant, np.array([0]), np.array([0, len(rank)]), np.arange(len(rank), dtype=np.int32), gap.astype(np.int32)
    )
    assert average_precision(lists)[0] == pytest.approx(whole, abs=1e-14)
    assert accelerations(lists)[0] == pytest.approx((u**3).sum() / (6 * (u**2).sum() ** 1.5), abs=1e-12)


def test_small_r_limits_against_simulation() -> None:
    """Guards the closed form: silver bullets at distinct uniform ranks, the paper's u = 0.53 at R = 4."""
    relevant, depth = 4, 12
    u = 1 - 0.05 ** (1 / relevant)
    assert round(u, 2) == 0.53
    rng = np.random.default_rng(2)
    total = 0.0
    for _ in range(40_000):
        n = int((rng.random(relevant) < u).sum())
        rank = np.sort(rng.permutation(depth)[:n]) + 1
        total += float((np.arange(1, n + 1) / rank).sum() / relevant)
    assert float(limit_at_zero(np.array(relevant), np.array(depth))) == pytest.approx(total / 40_000, abs=0.003)
    assert float(limit_at_one(np.array(relevant))) == pytest.approx(1 - u)
    assert float(limit_at_zero(np.array(1), np.array(1))) == pytest.approx(0.95)


def test_intervals_cover_where_the_truth_is_known() -> None:
    """Guards coverage: E(AP') of a known population of collections lies in 95% intervals about 95% of the time."""
    rng = np.random.default_rng(1)
    chance = 1 / (1 + np.arange(200) / 15)  # a document at this place is relevant with this chance
    truth = np.mean([_one_ap(rng, chance) for _ in range(4000)])
    inside = 0
    for _ in range(300):
        flags = _collection(rng, chance)
        rank = np.flatnonzero(flags) + 1
        if not len(rank):
            continue
        gap = np.diff(np.concatenate([[0], rank])) - 1
        lists = TopicLists(
            0, len(rank), np.array([0]), np.array([0, len(rank)]), np.arange(len(rank), dtype=np.int32),
            gap.astype(np.int32),
        )  # fmt: skip
        drawn, _ = average_precisions(lists, 400, np.random.SeedSequence(int(rng.integers(1 << 30))))
        ap = average_precision(lists)[0]
        odds = np.log(drawn[0] / (1 - drawn[0] + 1e-9)).std()
        centre = np.log(ap / (1 - ap))
        low, high = (1 / (1 + np.exp(-(centre + z * odds))) for z in (-1.96, 1.96))
        inside += low <= truth <= high
    assert 0.90 <= inside / 300 <= 0.985


def _collection(rng: np.random.Generator, chance: npt.NDArray[Any]) -> npt.NDArray[Any]:
    place = np.repeat(np.arange(len(chance)), rng.poisson(1, len(chance)))
    return np.asarray(rng.random(len(place)) < 0.5 * chance[place])


def _one_ap(rng: np.random.Generator, chance: npt.NDArray[Any]) -> float:
    rank = np.flatnonzero(_collection(rng, chance)) + 1
    return float((np.arange(1, len(rank) + 1) / rank).mean()) if len(rank) else 0.0


def test_means_by_bootstrap_and_from_the_parts_agree() -> None:
    """Guards MAP: where topics have many relevant documents the parametric combination is the bootstrap's equal."""
    world = simulate(topics=12, systems=3, docs=400, depth=200, pool_depth=60, seed=5)
    ranked = aligned(world.runs, world.gold, Options())
    spread = collection_spread(ranked, replicates=2000)
    scores = AP().score(ranked)
    for a, b in zip(mean_estimates(spread), mean_estimates(spread, "parametric"), strict=True):
        assert a.value == pytest.approx(b.value, abs=1e-12)
        assert a.se == pytest.approx(b.se, rel=0.1)
    odds = np.log(scores / (1 - scores)).mean(axis=1)
    assert [e.value for e in logistic_mean_estimates(spread)] == pytest.approx(odds.tolist())
    geometric = np.exp(np.log(scores).mean(axis=1))
    assert [e.value for e in geometric_mean_estimates(spread)] == pytest.approx(geometric.tolist())


def test_topics_add_to_the_spread_of_the_collection(world: World) -> None:
    """Guards the joint draw: wider than the collection alone, and near the sum of both variances."""
    over = ["topics", "collection", "topics+collection"]
    found = intervals(world.runs, world.gold, "AP", over=over, method=None, replicates=1500, seed=3)
    by = {(e.system, e.over): e for e in found}
    for system in world.runs.systems:
        collection, joint = by[system, "collection"], by[system, "topics+collection"]
        assert joint.se is not None
        assert collection.se is not None
        assert joint.se > collection.se


def test_any_measure_by_expansion_agrees_with_the_fast_way(ranked: RankedGains) -> None:
    """Guards the general road: AP drawn copy by copy has the spread of AP drawn by gaps."""
    fast = collection_spread(ranked, replicates=2000).means["MAP"].sd
    slow = drawn_means(ranked, AP(), replicates=600, seed=1).fixed.std(axis=1)
    assert slow == pytest.approx(fast, rel=0.12)


def test_measures_of_the_top_are_drawn_from_what_can_reach_it(world: World) -> None:
    """Guards the cut: P@5 drawn from the near top has the spread of P@5 drawn from whole lists."""
    view = aligned(world.runs, world.gold, Options())
    near = drawn_means(view, tg.parse_measure("P@5"), replicates=300, seed=2)
    whole = np.array([_p5(view, seed) for seed in range(300)])
    assert near.fixed.mean(axis=1) == pytest.approx(whole.mean(axis=0), abs=0.02)
    assert near.fixed.std(axis=1) == pytest.approx(whole.std(axis=0), rel=0.25)


def _p5(view: RankedGains, seed: int) -> npt.NDArray[Any]:
    drawn, _ = replicate(view, 1, np.random.default_rng([9, seed]))
    return np.asarray(np.nanmean(tg.parse_measure("P@5").score(drawn), axis=1))


def test_paired_differences_are_narrower(world: World) -> None:
    """Guards pairing: systems that share documents move together; a system against itself does not move at all."""
    pool = Pool.of(world.gold)
    a, other, _ = world.runs.parts
    far = collection_difference(pool, a, other, replicates=50)
    assert far.ap == pytest.approx(AP().score(aligned(world.runs, world.gold, Options()))[:2], abs=1e-12)
    noise = np.random.default_rng(3).normal(0, 0.2, len(a))
    b = dataclasses.replace(a, system="near", score=a.score + noise)
    found = collection_difference(pool, a, b, replicates=800)
    assert np.median(found.paired / found.independent) < 0.8
    comparison = found.comparison("random")
    assert comparison.low is not None
    assert comparison.high is not None
    assert comparison.low < comparison.difference < comparison.high
    same = collection_difference(pool, a, a.take(np.arange(len(a))), replicates=50)
    assert (same.paired == 0).all()
    with pytest.raises(tg.TruegainError, match="only 0 topics move"):
        same.combined()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"over": "assessors"}, "cannot draw over 'assessors'"),
        ({"over": "collection", "complete": True}, "over topics only"),
        ({"over": "collection", "confidence": 95}, "not between 0 and 1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(world: World, options: dict[str, object], message: str) -> None:
    """Guards clear refusals."""
    with pytest.raises(tg.TruegainError, match=message):
        intervals(world.runs, world.gold, "AP", **options)  # type: ignore[arg-type]


def test_lists_of_a_topic_skip_systems_without_an_answer() -> None:
    """Guards absent lists: they are not drawn, and their AP is missing, not 0."""
    runs = {"a": {"1": {"x": 1.0}, "2": {"x": 1.0}}, "b": {"1": {"x": 1.0, "y": 0.5}}}
    qrels = {"1": {"x": 1}, "2": {"x": 1, "y": 1}}
    with pytest.warns(tg.DataWarning, match="lacks judged topics"):
        view = aligned(runs, qrels, Options())
    assert lists_of_topic(view, 1, 1).systems.tolist() == [0]
    spread = collection_spread(view, replicates=50)
    assert np.isnan(spread.ap[1, 1])
    assert spread.counted.tolist() == [2, 1]
