"""Intervals over collections: against brute force, simulation and each other."""

from __future__ import annotations

import dataclasses
import itertools
import math
import statistics
import sys
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

import truegain as tg
from tests.stats.small_lists import SEED, lists
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.pool import RankedGains
from truegain.data.runs import Runs
from truegain.experiments.worlds import World, simulate
from truegain.io.columns import Floats
from truegain.measures.average_precision import AP
from truegain.measures.catalogue import parse_measure
from truegain.parallel.jobs import Local
from truegain.sampling.documents import TopicLists, average_precisions, lists_of_topic, replicate
from truegain.sampling.jackknife import accelerations, average_precision
from truegain.stats.collection_ap import (
    METHODS,
    collection_differences,
    collection_spread,
    geometric_mean_estimates,
    limit_at_one,
    limit_at_zero,
    logistic_mean_estimates,
    mean_estimates,
    paper_topic_estimates,
)
from truegain.stats.collection_pairs import MeanDifferences
from truegain.stats.other_collections import drawn_scores
from truegain.study.intervals import intervals


@pytest.fixture(scope="module")
def world() -> World:
    """A small simulated evaluation."""
    return simulate(topics=12, systems=3, docs=120, depth=60, pool_depth=20, seed=5)


@pytest.fixture(scope="module")
def ranked(world: World) -> RankedGains:
    """Its lists against the true labels."""
    return aligned(world.runs, world.gold, Scoring(), keep_keys=sys.maxsize)


def lists_with(rank: npt.NDArray[Any], relevant: int) -> TopicLists:
    """One list with relevant documents at these ranks, and others between them."""
    last = int(rank.max(initial=0))
    entry = np.arange(relevant, relevant + last)
    entry[rank - 1] = np.arange(len(rank))
    document = np.arange(1, relevant + last + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return TopicLists("1", relevant, document, np.array([0]), np.array([0, last]), entry.astype(np.int32))


def test_the_center_is_average_precision(ranked: RankedGains) -> None:
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
    monkeypatch.setattr("truegain.stats.collection_ap.MEMORY", 8 * 200)  # one system at a time
    blocks = collection_spread(ranked, replicates=200, seed=4, engine=Local(2))
    for other in (many, blocks):
        assert (alone.sd == other.sd).all()
        assert (alone.limits["bca"][0] == other.limits["bca"][0]).all()
        for name, mean in alone.means.items():
            assert (mean == other.means[name]).all(), name
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
    lists = lists_with(rank, relevant)
    assert average_precision(lists)[0] == pytest.approx(whole, abs=1e-14)
    assert accelerations(lists)[0] == pytest.approx((u**3).sum() / (6 * (u**2).sum() ** 1.5), abs=1e-12)


def test_small_r_limits_against_simulation() -> None:
    """Guards the closed form: silver bullets at distinct uniform ranks, the paper's u = 0.53 at R = 4."""
    relevant, depth = 4, 12
    u = 1 - 0.05 ** (1 / relevant)
    assert round(u, 2) == 0.53
    rng = np.random.default_rng(2)
    found = (rng.random((40_000, relevant)) < u).sum(axis=1)
    order = rng.random((40_000, depth)).argsort(axis=1).argsort(axis=1)  # bullets are the first `found` of an order
    bullets = order < found[:, None]
    ap = (bullets * bullets.cumsum(axis=1) / np.arange(1, depth + 1)).sum(axis=1) / relevant
    assert float(limit_at_zero(np.array(relevant), np.array(depth))) == pytest.approx(float(ap.mean()), abs=0.003)
    assert float(limit_at_one(np.array(relevant))) == pytest.approx(1 - u)
    assert float(limit_at_zero(np.array(1), np.array(1))) == pytest.approx(0.95)


@pytest.mark.parametrize(("relevant", "depth"), [(1, 1), (1, 6), (2, 2), (3, 7), (4, 9)])
def test_small_r_limits_against_enumeration(relevant: int, depth: int) -> None:
    """Guards the closed form against what the paper computed: every number of silver bullets at every set of ranks."""
    u = 1 - 0.05 ** (1 / relevant)
    expected = 0.0
    for found in range(relevant + 1):
        chance = math.comb(relevant, found) * u**found * (1 - u) ** (relevant - found)
        places = [*itertools.combinations(range(1, depth + 1), found)]
        ap = [sum(i / rank for i, rank in enumerate(ranks, 1)) / relevant for ranks in places]
        expected += chance * statistics.fmean(ap)
    assert float(limit_at_zero(np.array(relevant), np.array(depth))) == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
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
        lists = lists_with(rank, len(rank))
        drawn, _ = average_precisions(lists, 400, int(rng.integers(1 << 30)))
        ap = average_precision(lists)[0]
        odds = np.log(drawn[0] / (1 - drawn[0] + 1e-9)).std()
        center = np.log(ap / (1 - ap))
        low, high = (1 / (1 + np.exp(-(center + z * odds))) for z in (-1.96, 1.96))
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
    ranked = aligned(world.runs, world.gold, Scoring(), keep_keys=sys.maxsize)
    spread = collection_spread(ranked, replicates=2000)
    scores = AP().score(ranked)
    for a, b in zip(mean_estimates(spread), mean_estimates(spread, "parametric"), strict=True):
        assert a.value == pytest.approx(b.value, abs=1e-12)
        assert a.se == pytest.approx(b.se, rel=0.1)
    odds = np.log(scores / (1 - scores)).mean(axis=1)
    assert [e.value for e in logistic_mean_estimates(spread)] == pytest.approx(odds.tolist())
    geometric = np.exp(np.log(scores).mean(axis=1))
    assert [e.value for e in geometric_mean_estimates(spread)] == pytest.approx(geometric.tolist())


def test_the_variances_of_section_8(ranked: RankedGains) -> None:
    """Guards the paper's MAP and L-MAP: limits worked out here, topic by topic, from the draws and from the parts."""
    spread = collection_spread(ranked, replicates=300, seed=2)
    drawn = np.array([AP().score(replicate(ranked, 1, 2, b)[0]) for b in range(300)])  # draws, systems, topics
    by_system = zip(
        mean_estimates(spread, "linear"),
        mean_estimates(spread, "parametric"),
        logistic_mean_estimates(spread),
        logistic_mean_estimates(spread, "parametric", small_r=False),
        strict=True,
    )
    for s, (plain, parts, odds, odds_parts) in enumerate(by_system):
        ap, sample = AP().score(ranked)[s], np.clip(drawn[:, s], 1e-4, 1 - 1e-4)
        logit = np.log(sample / (1 - sample))
        by_topic = [statistics.variance(column) for column in logit.T.tolist()]
        k = len(ap)
        assert plain.se is not None
        assert plain.se == pytest.approx(statistics.stdev(drawn[:, s].mean(axis=1).tolist()), rel=1e-9)
        assert plain.high - plain.value == pytest.approx(1.959964 * plain.se, rel=1e-6)
        weighted = sum((a - a * a) ** 2 * v for a, v in zip(ap, by_topic, strict=True))
        assert parts.se == pytest.approx(weighted**0.5 / k, rel=1e-9)
        assert odds.se == pytest.approx(statistics.stdev(logit.mean(axis=1).tolist()), rel=1e-9)
        assert odds_parts.se == pytest.approx(sum(by_topic) ** 0.5 / k, rel=1e-9)
        # topics are drawn independently: both variances are the same but for the draws
        assert odds_parts.se == pytest.approx(odds.se, rel=0.15)


def test_topics_that_nothing_moves_have_the_spread_of_their_small_r_interval() -> None:
    """Guards table 4: of a topic with AP = 0 the variance is that of [epsilon, limit at zero] on the logit."""
    qrels = {"1": {"a": 1, "b": 1, "c": 1, "d": 1}, "2": {"a": 1, "x": 1}}
    run = {"1": {f"x{i}": 1.0 - i / 100 for i in range(50)}, "2": {"y": 3.0, "a": 2.0, "x": 1.0}}
    spread = collection_spread(aligned(run, qrels, Scoring(), keep_keys=sys.maxsize), replicates=200)
    assert spread.sd_logit[0, 0] < 1e-12
    top = float(limit_at_zero(np.array(4), np.array(50)))
    length = np.log(top / (1 - top)) - np.log(1e-4 / (1 - 1e-4))
    wide = spread.logit_errors(small_r=True)
    assert wide[0, 0] == pytest.approx(length / (2 * 1.959964), rel=1e-6)
    assert (wide >= spread.sd_logit).all()
    (narrow,), (wider,) = (logistic_mean_estimates(spread, "parametric", small_r=small_r) for small_r in (False, True))
    assert wider.se is not None
    assert narrow.se is not None
    assert wider.se > narrow.se
    with pytest.raises(tg.TruegainError, match="give one of bootstrap, parametric"):
        logistic_mean_estimates(spread, "bca")


def test_lmap_is_a_measure_with_the_intervals_of_section_8(world: World) -> None:
    """Guards L-MAP as a measure: its value, its intervals by name, epsilon, and what else is refused."""
    ap = np.clip(np.asarray(tg.evaluate(world.runs, world.gold, "AP").matrix(), np.float64), 0.01, 0.99)
    name = "LMAP(epsilon=0.01)"
    scores = tg.evaluate(world.runs, world.gold, name)
    assert scores.matrix() == pytest.approx(np.log(ap / (1 - ap)), abs=1e-12)
    assert [scores.mean(s) for s in scores.systems] == pytest.approx(np.log(ap / (1 - ap)).mean(axis=1))
    how: dict[str, Any] = {"population": "collection", "resampling": tg.Resampling(n=200, seed=3)}
    by = {m: intervals(world.runs, world.gold, name, method=m, **how) for m in ("linear", "bootstrap", "parametric")}
    view = aligned(world.runs, world.gold, Scoring(), keep_keys=sys.maxsize)
    spread = collection_spread(view, replicates=200, seed=3, epsilon=0.01)
    for s, system in enumerate(scores.systems):
        plain, drawn, parts = (by[m][system, name] for m in ("linear", "bootstrap", "parametric"))
        assert (drawn.low, drawn.high) == pytest.approx((plain.low, plain.high), abs=1e-9)
        assert drawn.se == pytest.approx(logistic_mean_estimates(spread)[s].se)
        assert parts.se == pytest.approx(logistic_mean_estimates(spread, "parametric")[s].se)
    with pytest.raises(tg.TruegainError, match="choose from t, bootstrap, parametric, linear, percentile"):
        intervals(world.runs, world.gold, name, method="bca", **how)
    with pytest.raises(tg.TruegainError, match="choose from t, linear, percentile"):
        intervals(world.runs, world.gold, "LMAP@10", method="bootstrap", **how)


@pytest.mark.parametrize("name", ["AP", "GMAP", "GMAP@10", "LMAP", "P@5"])
def test_the_methods_that_a_refusal_lists_are_those_there_are(world: World, name: str) -> None:
    """Guards the remedy: every interval over the collection that it lists is made, and no other one is."""
    how: dict[str, Any] = {"population": "collection", "resampling": tg.Resampling(n=40)}
    with pytest.raises(tg.TruegainError, match="no bca interval over the collection") as refused:
        intervals(world.runs, world.gold, name, method="bca", **how)
    listed = set(str(refused.value).partition("choose from ")[2].split(", "))
    made = set()
    for method in ("t", "linear", "bootstrap", "percentile", "parametric", "logit", "basic", "wilson"):
        with suppress(tg.TruegainError):
            intervals(world.runs, world.gold, name, method=method, **how)
            made.add(method)
    assert made == listed


def test_a_missing_topic_is_no_average_topic_of_lmap() -> None:
    """Guards 0: where all topics count, a topic without an answer is AP = epsilon, not a logit of 0 (AP = 0.5)."""
    qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    run = {"1": {"x": 3.0, "a": 2.0, "b": 1.0}}
    ap = (1 / 2 + 2 / 3) / 2
    one = math.log(ap / (1 - ap))
    least = math.log(0.0001 / 0.9999)
    with pytest.warns(tg.DataWarning, match="lacks judged topics"):
        assert tg.evaluate(run, qrels, "LMAP").mean() == pytest.approx(one)
    with pytest.warns(tg.DataWarning, match="all topics must count"):
        every = tg.evaluate(run, qrels, "LMAP", scoring=Scoring(all_topics=True))
    assert every.mean() == pytest.approx((one + least) / 2)
    assert tg.parse_measure("LMAP").bounds() == pytest.approx((least, -least))
    for bad in ("LMAP(epsilon=0)", "LMAP(epsilon=0.5)", "LMAP(norm='k')"):
        with pytest.raises(tg.MeasureError, match="must"):
            tg.parse_measure(bad)


def test_epsilon_moves_what_has_no_logit(ranked: RankedGains) -> None:
    """Guards the option: the logit interval of AP = 0 begins at epsilon; an impossible one is refused."""
    near, far = (collection_spread(ranked, replicates=100, epsilon=e) for e in (1e-6, 1e-2))
    assert (near.sd == far.sd).all()
    assert (near.sd_logit >= far.sd_logit).all()
    assert (near.sd_logit > far.sd_logit).any()
    for bad in (0.0, 0.5, -1.0):
        with pytest.raises(tg.TruegainError, match=r"is not between 0 and 0.5; give one such as"):
            collection_spread(ranked, replicates=100, epsilon=bad)


def test_any_measure_by_expansion_agrees_with_the_fast_way(ranked: RankedGains) -> None:
    """Guards the general road: AP drawn copy by copy is AP drawn from the copies, collection by collection."""
    fast = collection_spread(ranked, replicates=60).means["MAP"]
    slow = drawn_scores(ranked, AP(), replicates=60).summaries
    assert slow == pytest.approx(fast, abs=1e-12)


def test_measures_of_the_top_are_drawn_from_what_can_reach_it(ranked: RankedGains) -> None:
    """Guards the cut: P@5 drawn from the near top is P@5 drawn from whole lists."""
    measure = tg.parse_measure("P@5")
    near = drawn_scores(ranked, measure, replicates=40, seed=2).summaries
    whole = np.array([np.nanmean(measure.score(replicate(ranked, 1, 2, b)[0]), axis=1) for b in range(40)])
    assert near == pytest.approx(whole.T, abs=1e-12)


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "RR@10"])
def test_no_draw_depends_on_the_order_or_number_of_systems(world: World, name: str) -> None:
    """Guards one stream per document: files reversed, or one alone, give the same bits."""
    measure = tg.parse_measure(name)
    parts = world.runs.parts

    def summaries(runs: Runs) -> dict[str, Any]:
        view = aligned(runs, world.gold, Scoring(), keep_keys=sys.maxsize)
        drawn = drawn_scores(view, measure, replicates=30, seed=3)
        spread = collection_spread(view, replicates=30, seed=3)
        return {s: (drawn.summaries[i], spread.sd[i]) for i, s in enumerate(runs.systems)}

    first = summaries(Runs(parts))
    for other in (summaries(Runs(parts[::-1])), summaries(Runs(parts[1:2]))):
        for system, found in other.items():
            assert all((mine == theirs).all() for mine, theirs in zip(found, first[system], strict=True))


def test_paired_differences_are_narrower(world: World) -> None:
    """Guards pairing: systems that share documents move together; a system against itself does not move at all."""
    a = world.runs.parts[0]
    noise = np.random.default_rng(3).normal(0, 0.2, len(a))
    near = dataclasses.replace(a, system="near", score=a.score + noise)
    same = dataclasses.replace(a, system="same")
    view = aligned(Runs((a, near, same)), world.gold, Scoring(), keep_keys=sys.maxsize)
    found, still = collection_differences(view, [(0, 1), (0, 2)], replicates=400)
    assert found.ap == pytest.approx(AP().score(view)[:2], abs=1e-12)
    assert np.median(found.paired / found.independent) < 0.8
    comparison = found.comparison("random")
    assert comparison.low is not None
    assert comparison.high is not None
    assert comparison.low < comparison.difference < comparison.high
    assert (still.paired == 0).all()
    with pytest.raises(tg.TruegainError, match=r"0 of [0-9]+ topics vary"):
        still.combined()


def test_a_pair_is_compared_where_both_have_a_value() -> None:
    """Guards the topics of a pair: one that either system lacks is none of them."""
    values = np.array([[0.1, np.nan, 0.3, 0.4], [0.2, 0.2, np.nan, 0.1], [0.5, 0.6, 0.7, 0.8]])
    differences = MeanDifferences(cast("Any", SimpleNamespace(values=values)), ((0, 1), (0, 2)), [], paired=True)
    assert differences.common().tolist() == [[True, False, False, True], [True, False, True, True]]


def test_notes_of_a_meta_analysis_say_what_was_done(ranked: RankedGains) -> None:
    """Guards words: independent collections are not called paired, and a weighted difference is explained."""
    (found,) = collection_differences(ranked, [(0, 2)], replicates=100)
    own = found.comparison("fixed", "independent")
    assert "paired" not in " ".join((own.test, *own.notes))
    assert "same resampled collections" not in " ".join(own.notes)
    plain = own.value_b - own.value_a
    assert abs(own.difference - plain) > 0.001
    assert any(f"{own.difference:+.4f}" in n and f"{plain:+.4f}" in n and "1/variance" in n for n in own.notes)
    assert any("same resampled collections" in n for n in found.comparison("fixed").notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"population": "assessors"}, "cannot draw over 'assessors'"),
        ({"population": "topics, assessors"}, "cannot draw over 'assessors'"),
        ({"population": 3}, "population 3: give one name or several"),
        (
            {"population": "fixed"},
            r"scores are exact unless a sample .*UnjudgedSample.* choose from topics, coll",
        ),
        ({"population": "collection", "scoring": tg.Scoring(all_topics=True)}, "over topics only"),
        ({"population": "collection", "confidence": 95}, "not between 0 and 1"),
        ({"population": "topics+collection", "method": "parametric"}, "not 'parametric'"),
        ({"population": "collection", "method": "bca"}, "choose from t, linear, bootstrap, percentile, parametric"),
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
        view = aligned(runs, qrels, Scoring(), keep_keys=sys.maxsize)
    assert lists_of_topic(view, 1, 1).systems.tolist() == [0]
    spread = collection_spread(view, replicates=50)
    assert np.isnan(spread.ap[1, 1])
    assert spread.counted.tolist() == [2, 1]


def drawn_ap(replicates: int = 60) -> Floats:
    """AP by system, topic and replicate, NaN where absent or where nothing is relevant."""
    ranked = lists()
    out = np.full((3, 7, replicates), np.nan)
    for t in range(6):
        one = lists_of_topic(ranked, t, 1)
        out[one.systems, t] = average_precisions(one, replicates, SEED)[0]
    return out


def test_means_of_the_paper_written_out() -> None:
    """Guards MAP, L-MAP and G-MAP with their limits, from the same draws, systems that lack topics among them."""
    ranked, draws, z = lists(), drawn_ap(), statistics.NormalDist().inv_cdf(0.95)
    spread = collection_spread(ranked, replicates=60, seed=SEED, confidence=0.9)
    ap = np.where(np.isnan(draws[:, :, 0]), np.nan, np.asarray(parse_measure("AP").score(ranked), np.float64))
    assert spread.ap == pytest.approx(ap, nan_ok=True)
    assert spread.counted.tolist() == [6, 6, 4]

    def logit(x: Floats) -> Floats:
        inside = np.clip(x, 1e-4, 1 - 1e-4)
        return np.log(inside / (1 - inside))

    def back(x: Floats) -> Floats:
        return 1 / (1 + np.exp(-x))

    value, moved = np.nanmean(ap, axis=1), np.nanmean(draws, axis=1)
    sd = moved.std(axis=1, ddof=1)
    step = z * logit(moved).std(axis=1, ddof=1)
    by = {m: mean_estimates(spread, m) for m in ("bootstrap", "percentile", "parametric")}
    wanted = {
        "bootstrap": (back(logit(value) - step), back(logit(value) + step), sd),
        "percentile": (*np.quantile(moved, [0.05, 0.95], axis=1), sd),
    }
    delta = (ap - ap**2) * logit(draws).std(axis=2, ddof=1)
    se = np.sqrt(np.nansum(delta**2, axis=1)) / np.array([6, 6, 4])
    wanted["parametric"] = (np.maximum(value - z * se, 0), np.minimum(value + z * se, 1), se)
    for method, (low, high, error) in wanted.items():
        assert [e.value for e in by[method]] == pytest.approx(value.tolist())
        assert [e.low for e in by[method]] == pytest.approx(low.tolist())
        assert [e.high for e in by[method]] == pytest.approx(high.tolist())
        assert [e.se for e in by[method]] == pytest.approx(error.tolist())
        assert [e.n for e in by[method]] == [6, 6, 4]
    odds, logs = np.nanmean(logit(ap), axis=1), np.nanmean(np.log(np.maximum(ap, 1e-5)), axis=1)
    error = np.nanmean(logit(draws), axis=1).std(axis=1, ddof=1)
    found = logistic_mean_estimates(spread)
    assert [e.value for e in found] == pytest.approx(odds.tolist())
    assert [e.low for e in found] == pytest.approx((odds - z * error).tolist())
    assert [e.se for e in found] == pytest.approx(error.tolist())
    means = np.exp(np.nanmean(np.log(np.maximum(draws, 1e-5)), axis=1))
    error = means.std(axis=1, ddof=1)
    found = geometric_mean_estimates(spread)
    assert [e.value for e in found] == pytest.approx(np.exp(logs).tolist())
    assert [e.high for e in found] == pytest.approx(np.minimum(np.exp(logs + z * error / np.exp(logs)), 1).tolist())
    assert [e.se for e in found] == pytest.approx(error.tolist())


def test_topics_that_the_paper_leaves_out_are_told() -> None:
    """Guards the note where a mean is not that of eval: a topic without relevant documents does not count as 0."""
    spread = collection_spread(lists(), replicates=50, seed=SEED)
    notes = mean_estimates(spread)[0].notes
    assert notes[-1] == "bootstrap: 1 of 7 topics have no relevant document; here they do not count as 0."
    assert not any("do not count as 0" in n for n in paper_topic_estimates(spread)[0].notes)


def test_topics_of_the_paper_written_out() -> None:
    """Guards linear and percentile limits of one topic, and that limits hold the value itself."""
    draws, z = drawn_ap(), statistics.NormalDist().inv_cdf(0.975)
    spread = collection_spread(lists(), replicates=60, seed=SEED)
    for method in ("linear", "percentile"):
        low, high = spread.interval(method, small_r=False)
        if method == "linear":
            sd = draws.std(axis=2, ddof=1)
            want = spread.ap - z * sd, spread.ap + z * sd
        else:
            want = tuple(np.quantile(draws, q, axis=2) for q in (0.025, 0.975))  # type: ignore[assignment]
        assert low == pytest.approx(np.minimum(want[0], spread.ap), nan_ok=True)
        assert high == pytest.approx(np.maximum(want[1], spread.ap), nan_ok=True)
    found = paper_topic_estimates(spread, "linear")
    assert len(found) == 16
    assert {(e.system, e.topic) for e in found if e.system == "c"} == {("c", t) for t in "0134"}
    with pytest.raises(tg.TruegainError, match="choose from linear, logit, percentile, bca"):
        paper_topic_estimates(spread, "wilson")
