"""Intervals over collections with few relevant documents: closed forms against brute force, and known truth."""

from __future__ import annotations

import math
import sys
import warnings
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

import truegain as tg
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.pool import RankedGains
from truegain.experiments.worlds import simulate
from truegain.measures.average_precision import AP
from truegain.sampling.documents import replicate
from truegain.sampling.jackknife import TopicSpread, document_spreads, left_out
from truegain.stats.collection_intervals import (
    Pooled,
    Scored,
    mean_size,
    score_estimates,
    share_limits,
    topic_estimates,
    two_sided,
)
from truegain.stats.collection_pairs import MeanDifferences, mean_differences
from truegain.stats.other_collections import drawn_scores, left_out_spreads
from truegain.study.intervals import intervals

Lists = dict[str, dict[str, dict[str, float]]]
Labels = dict[str, dict[str, int]]


def small(
    topics: int = 6, depth: int = 25, seed: int = 4, relevant: tuple[int, ...] = (1, 2, 3, 5)
) -> tuple[Lists, Labels]:
    """Two systems that share documents, judged and not; topic t has relevant[t % 4] relevant ones, some missed."""
    rng = np.random.default_rng(seed)
    runs: Lists = {"a": {}, "b": {}}
    labels: Labels = {}
    for t in range(topics):
        good = {f"d{i}" for i in rng.permutation(depth + 2)[: relevant[t % len(relevant)]]}
        labels[str(t)] = {f"d{i}": int(f"d{i}" in good) for i in range(0, depth + 2, 3)} | dict.fromkeys(good, 1)
        for system in runs:
            runs[system][str(t)] = {f"d{i}": float(rng.normal() + (f"d{i}" in good)) for i in range(depth)}
    return runs, labels


def view(runs: Lists, labels: Labels) -> RankedGains:
    """Aligned, with the keys of all documents."""
    return aligned(runs, labels, Scoring(), keep_keys=sys.maxsize)


def without(runs: Lists, labels: Labels, doc: str) -> npt.NDArray[Any]:
    """AP of each system and topic where a document does not exist."""
    fewer = {
        s: {t: {d: x for d, x in docs.items() if d != doc} for t, docs in topics.items()} for s, topics in runs.items()
    }
    known = {t: {d: x for d, x in docs.items() if d != doc} for t, docs in labels.items()}
    return np.asarray(tg.evaluate(fewer, known, "AP").matrix("AP"), np.float64)


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_variances_are_those_of_leaving_documents_out() -> None:
    """Guards the jackknife of scores and of differences against AP recomputed without each document in turn."""
    runs, labels = small()
    whole = np.asarray(tg.evaluate(runs, labels, "AP").matrix("AP"), np.float64)
    gone = {f"d{i}": without(runs, labels, f"d{i}") for i in range(27)}
    ranked = view(runs, labels)
    both = document_spreads(ranked, 1, pairs=True)
    for t, (alone, spread) in enumerate(zip(document_spreads(ranked, 1), both, strict=True)):
        good = [d for d, label in labels[str(t)].items() if label]
        others = [d for d in gone if d not in good]
        contrasts = {"a": (1.0, 0.0), "b": (0.0, 1.0), "b - a": (-1.0, 1.0)}
        assert spread.relevant == alone.relevant == len(good)
        one, two = np.array([0]), np.array([1])
        for name, c in contrasts.items():
            x = {d: float(c @ gone[d][:, t]) for d in gone}
            mean = sum(x[d] for d in good) / len(good)
            own = (len(good) - 1) / len(good) * sum((x[d] - mean) ** 2 for d in good) if len(good) > 1 else 0.0
            rest = sum((x[d] - float(c @ whole[:, t])) ** 2 for d in others)
            if name == "b - a":
                found = tuple(float(v[0]) for v in spread.of_pairs(one, two, True))
            else:
                found = tuple(float(v["ab".index(name)]) for v in alone.of_systems())
                assert found == pytest.approx([float(v["ab".index(name)]) for v in spread.of_systems()], abs=1e-15)
            assert found == pytest.approx((own, rest), abs=1e-13), (t, name)
        sides = [float(sum(v["ab".index(s)] for v in alone.of_systems())) for s in "ab"]
        assert sum(float(v[0]) for v in spread.of_pairs(one, two, False)) == pytest.approx(sum(sides), abs=1e-13)


def test_left_out_where_the_list_is_empty_or_perfect() -> None:
    """Guards the ends: nothing found, and everything found at once."""
    none = left_out(np.empty(0, np.int64), 3)
    assert (none.ap, none.missed, len(none.found), len(none.rise)) == (0.0, 0.0, 0, 0)
    perfect = left_out(np.array([1, 2, 3]), 3)
    assert perfect.ap == 1
    assert perfect.found == pytest.approx([1, 1, 1])
    assert np.isnan(left_out(np.array([4]), 1).missed)
    assert left_out(np.array([4]), 1).rise == pytest.approx([1 / 3 - 1 / 4] * 3 + [0])


def test_topics_are_put_together_by_the_formula() -> None:
    """Guards V, the rule for one relevant document, and the degrees of freedom, written out."""
    relevant, own, others = [1, 2, 5, 1, 3, 0], [9.0, 0.4, 0.2, 9.0, 0.3, 9.0], [0.1, 0.05, 0.02, 0.0, 0.03, 9.0]
    pooled = Pooled(2)
    for r, v, o in zip(relevant, own, others, strict=True):
        pooled.add(r, np.array([v, v]), np.array([o, o]), np.array([True, r != 5]))
    variance, freedom = pooled.total()
    for side, left in enumerate((None, 5)):
        rows = [(r, v, o) for r, v, o in zip(relevant, own, others, strict=True) if r and r != left]
        many = [(r, v) for r, v, _ in rows if r > 1]
        each = sum((r - 1) * r * v for r, v in many) / sum(r - 1 for r, _ in many)
        known = [(r, each if r == 1 else v, o) for r, v, o in rows]
        total = sum(v + o for _, v, o in known)
        lent = sum(r == 1 for r, *_ in rows) / sum(r - 1 for r, _ in many)
        parts = [(v * (1 + lent * r * (r - 1)), r - 1) for r, v in many] + [(o, r) for r, _, o in rows]
        assert variance[side] == pytest.approx(total, rel=1e-12)
        assert variance[side] == pytest.approx(sum(v for v, _ in parts), rel=1e-12)
        below = sum(v**2 / (df + 2) for v, df in parts)
        assert freedom[side] == pytest.approx(total**2 / below - 2, rel=1e-12)
        assert pooled.topics[side] == len(rows) + 1
    as_it_is = Pooled(1, lone="own")
    as_it_is.add(1, np.array([0.2]), np.array([0.0]), np.array([True]))
    as_it_is.add(4, np.array([0.6]), np.array([0.0]), np.array([True]))
    assert [float(x[0]) for x in as_it_is.total()] == pytest.approx([0.8, 0.64 / (0.04 / 3 + 0.36 / 5) - 2])
    lonely = Pooled(1)
    lonely.add(1, np.zeros(1), np.array([0.1]), np.array([True]))
    assert np.isnan(lonely.total()[0][0])


def test_wilson_is_that_of_scipy() -> None:
    """Guards the limits of a share against scipy's, and t in place of z."""
    for k, n in ((0, 4), (7, 20), (10, 10)):
        theirs = stats.binomtest(k, n).proportion_ci(0.9, "wilson")
        assert [float(x) for x in share_limits(k / n, n, 0.9)] == pytest.approx([theirs.low, theirs.high], abs=1e-12)
    z = stats.t(3).ppf(0.975)
    low, high = share_limits(0.4, 3, student=True)
    for p in (float(low), float(high)):
        assert abs(0.4 - p) == pytest.approx(z * math.sqrt(p * (1 - p) / 3))
    assert mean_size(np.array([2.0, 1.0, 4.0])) == pytest.approx(9 / 1.75)
    assert two_sided(np.array([0.0, 1.0]), np.zeros(2), np.full(2, 5.0)).tolist()[0] == 1
    assert two_sided(np.array([0.5]), np.array([0.2]), np.array([7.0]))[0] == pytest.approx(2 * stats.t(7).sf(2.5))


def test_map_is_its_mean_plus_t_standard_errors() -> None:
    """Guards the default of AP: mean +- t(df) sqrt(V)/T, the mean that eval prints, topics without relevant ones in."""
    runs, labels = small(8)
    labels["7"] = dict.fromkeys(labels["7"], 0)
    ranked = view(runs, labels)
    pooled = Pooled(2)
    for spread in document_spreads(ranked, 1):
        pooled.add(spread.relevant, *spread.of_systems(), spread.there)
    variance, freedom = pooled.total()
    value = float(AP().score(ranked)[1].mean())
    with pytest.warns(tg.DataWarning):
        found = intervals(runs, labels, "AP", population="collection", confidence=0.9)[1]
    step = stats.t(freedom[1]).ppf(0.95) * math.sqrt(variance[1]) / 8
    assert found.value == pytest.approx(value, abs=1e-15)
    assert (found.low, found.high) == pytest.approx((value - step, value + step), abs=1e-12)
    assert found.se == pytest.approx(math.sqrt(variance[1]) / 8)
    assert found.n == 8


@pytest.mark.parametrize("name", ["nDCG@10", "P@10", "GMAP", "num_rel_ret", "RR", "SetF"])
def test_drawn_measures_have_their_own_spread(name: str) -> None:
    """Guards V of drawn measures, by the kind of their mean, against the same collections copied and scored."""
    runs, labels = small(8)
    ranked, measure = view(runs, labels), tg.parse_measure(name)
    drawn = np.array([measure.score(replicate(ranked, 1, 5, b)[0]) for b in range(100)], np.float64)
    linear, share = name in ("P@10", "num_rel_ret"), {"RR": 1 / 3, "SetF": 1 / 2}.get(name, 0.0)
    if name == "GMAP":
        drawn = np.log(np.maximum(drawn, 1e-5))
    pooled, left = Pooled(2, lone="own" if linear else "near"), left_out_spreads(ranked, measure)
    for t, relevant in enumerate(ranked.pool_relevant(1).tolist()):
        factor = 1.0 if linear or relevant == 1 else relevant / (relevant - 1)
        own = (1 - share) * factor * drawn[:, :, t].var(axis=0, ddof=1) + share * left[t].own
        pooled.add(relevant, own, share * left[t].others, np.ones(2, np.bool_))
    variance, freedom = pooled.total()
    for s, found in enumerate(score_estimates(ranked, measure, replicates=100, seed=5)):
        step = stats.t(freedom[s]).ppf(0.975) * math.sqrt(variance[s]) / (1 if name == "num_rel_ret" else 8)
        if name == "GMAP":
            limits = found.value * math.exp(-step), min(1.0, found.value * math.exp(step))
        else:
            limits = max(0.0, found.value - step), found.value + step
        assert (found.low, found.high) == pytest.approx(limits, abs=1e-9)
        assert found.value == pytest.approx(tg.evaluate(runs, labels, name).mean("ab"[s]))


@pytest.mark.slow
def test_a_total_moves_as_a_total() -> None:
    """Guards num_rel_ret, where the truth is known: m relevant documents retrieved are Poisson(m) ones."""
    world = simulate(topics=20, systems=1, docs=200, depth=100, pool_depth=30, seed=1)
    found = intervals(world.runs, world.gold, "num_rel_ret", population="collection", resampling=tg.Resampling(n=1500))[
        0
    ]
    assert found.se == pytest.approx(math.sqrt(found.value), rel=0.05)


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "P@5", "GMAP", "RBP(rel=1)"])
@pytest.mark.filterwarnings("ignore:.*rankings have")
def test_limits_stay_within_what_a_measure_can_be(name: str) -> None:
    """Guards bounds: lists that are perfect, or nearly, for the default and the papers' own limits."""
    good = [f"d{i}" for i in range(6)]
    order = {str(t): good + [f"x{i}" for i in range(20)] for t in range(6)}
    order["5"] = ["x1", *good, "x2"]
    runs: Lists = {"a": {t: {d: float(-i) for i, d in enumerate(docs)} for t, docs in order.items()}}
    labels = {t: dict.fromkeys(good, 1) for t in order}
    least, greatest = tg.parse_measure(name).bounds()
    methods = {"AP": ("t", "bootstrap", "parametric"), "GMAP": ("t", "bootstrap", "linear")}.get(name, ("t", "linear"))
    for method in methods:
        found = intervals(
            runs, labels, name, population="collection", method=method, confidence=0.99, resampling=tg.Resampling(n=200)
        )[0]
        assert least <= found.low < found.value <= found.high <= greatest, method
    both = intervals(runs, labels, name, population="topics+collection", method="t", confidence=0.99)[0]
    assert both.high <= greatest


def test_a_total_may_be_as_large_as_all_topics_allow() -> None:
    """Guards bounds of totals: those of a topic as often as the system has topics; of means those of one."""
    for mean, times in (("total", 3), ("arithmetic", 1)):
        for least, greatest in ((-0.5, 2.0), (0.0, math.inf)):
            measure: Any = SimpleNamespace(mean=mean, bounds=lambda ends=(least, greatest): ends)
            values = np.array([[1.0, 1.5, np.nan, 0.5], [0.0, 0.0, 0.0, 0.0]])
            scored = Scored(measure, ("a", "b"), tuple("1234"), values, np.array([1.2, 0.0]), np.full(4, 2), 0.9)
            found = scored.estimate(0, -50.0, 50.0, "t", 0.3)
            assert (found.low, found.high, found.n) == (least * times, min(50.0, greatest * times), 3)
            assert (found.value, found.se, found.system, found.method, found.confidence) == (1.2, 0.3, "a", "t", 0.9)
            assert scored.estimate(0, 0.1, 0.4, "t", None, 3).value == 0.5


def test_identical_runs_do_not_differ() -> None:
    """Guards documents drawn once for all systems: difference, spread and limits of equal lists are exactly 0."""
    runs, labels = small(8)
    runs["same"] = runs["a"]
    ranked = view(runs, labels)
    for name in ("AP", "nDCG@10", "RR"):
        measure = tg.parse_measure(name)
        drawn = drawn_scores(ranked, measure, replicates=60)
        assert (drawn.summaries[0] == drawn.summaries[2]).all()
        assert drawn.summaries[0].std() > 0
        same, other = mean_differences(ranked, measure, [(0, 2), (0, 1)], replicates=60).comparisons("none")
        assert (same.difference, same.low, same.high, same.p) == (0, 0, 0, 1), name
        assert other.p is not None
        assert other.p < 1


def test_differences_are_means_with_their_own_t() -> None:
    """Guards value_b - value_a, its limits and p, adjusted for the number of pairs, paired and independent."""
    runs, labels = small(12)
    runs["c"] = {t: {d: -x for d, x in docs.items()} for t, docs in runs["a"].items()}
    ranked = view(runs, labels)
    pairs = [(0, 1), (0, 2), (1, 2)]
    found = mean_differences(ranked, AP(), pairs)
    error, freedom = found.errors(paired=True)
    raw = found.comparisons("none")
    for i, c in enumerate(raw):
        assert c.difference == pytest.approx(c.value_b - c.value_a, abs=1e-15)
        assert c.p == pytest.approx(2 * stats.t(freedom[i]).sf(abs(c.difference) / error[i]), rel=1e-9)
        assert c.high == pytest.approx(c.difference + stats.t(freedom[i]).ppf(0.975) * error[i], rel=1e-9)
        assert "paired" in c.test
    bonferroni = found.comparisons("bonferroni")
    assert [c.p_adjusted for c in bonferroni] == pytest.approx([min(1, 3 * c.p) for c in raw if c.p is not None])
    alone = mean_differences(ranked, AP(), pairs, paired=False).comparisons("none")
    own = [e.se for e in score_estimates(ranked, AP())]
    for (a, b), c in zip(pairs, alone, strict=True):
        assert "paired" not in " ".join((c.test, *c.notes))
        assert "same collections" not in " ".join(c.notes)
        assert c.low is not None
        assert own[a] is not None
        assert own[b] is not None
    errors, _ = found.errors(paired=False)
    many = [math.hypot(own[a] or 0, own[b] or 0) for a, b in pairs]
    assert errors == pytest.approx(many, rel=0.15)  # topics with one relevant document are filled in by pair


def five_systems(paired: bool) -> MeanDifferences:
    """Eight topics, two with one relevant document, covariances at random; d moves with a, e has those two alone."""
    rng = np.random.default_rng(6)
    relevant = np.array([2, 1, 3, 5, 1, 4, 2, 6])
    values = rng.uniform(0.1, 0.6, (5, 8))
    values[3] = values[0] + 0.07
    values[1, 5] = values[2, [0, 4]] = np.nan
    values[4, relevant > 1] = np.nan
    spreads = []
    for t, count in enumerate(relevant.tolist()):
        moves = rng.normal(0, 0.05, (2, 9, 5))
        moves[:, :, 3] = moves[:, :, 0]
        there = ~np.isnan(values[:, t])
        own, others = (m.T @ m * np.outer(there, there) for m in moves)
        spreads.append(TopicSpread(count, there, own * (count > 1), others / 3))
    scored = Scored(AP(), tuple("abcde"), tuple("12345678"), values, np.zeros(5), relevant, 0.9)
    return MeanDifferences(scored, ((0, 1), (2, 1), (0, 3), (4, 0)), spreads, paired)


@pytest.mark.parametrize("paired", [True, False])
def test_several_pairs_that_lack_topics_by_their_formulas(paired: bool) -> None:
    """Guards means over common topics, V, df, limits, p and the notes, pair by pair and topic by topic."""
    found, p, ratios = five_systems(paired), [], []
    values, told = found.scored.values, found.comparisons("bonferroni")
    for one, (a, b) in zip(told, found.pairs, strict=True):
        common = [t for t in range(8) if not np.isnan(values[[a, b], t]).any()]
        mean = float((values[b, common] - values[a, common]).mean())
        assert (one.a, one.b, one.n, one.confidence) == ("abcde"[a], "abcde"[b], len(common), 0.9)
        assert (one.value_a, one.value_b) == pytest.approx((values[a, common].mean(), values[b, common].mean()))
        assert one.difference == pytest.approx(mean)
        variance = {}
        for same in (True, False):
            lent, below, single, weights = 0.0, 0.0, 0, 0
            parts = []
            for t in common:
                spread, r = found.spreads[t], found.spreads[t].relevant
                own, others = (x[a, a] + x[b, b] - 2 * same * x[a, b] for x in (spread.own, spread.others))
                parts.append((r, own, others))
                single += r == 1
                weights += r - 1
            for r, own, others in parts:
                share = 1 + (single * r * (r - 1) / weights if weights else math.nan)
                lent += share * own + others
                below += (share * own) ** 2 / (r + 1) + others**2 / (r + 2)
            variance[same] = lent, lent**2 / max(below, 1e-300) - 2
        if b == 3 and paired:  # nothing moves this difference
            assert (one.low, one.high, one.p, one.p_adjusted) == (None,) * 4
            continue
        if a == 4:  # only topics with one relevant document
            assert (one.low, one.high, one.p, one.p_adjusted) == (None,) * 4
            continue
        lent, freedom = variance[paired]
        se = math.sqrt(lent) / len(common)
        p.append(2 * stats.t.sf(abs(mean) / se, freedom))
        ratios.append(math.sqrt(variance[True][0] / variance[False][0]))
        step = stats.t.ppf(0.95, freedom) * se
        assert (one.low, one.high) == pytest.approx((mean - step, mean + step))
        assert (one.p, one.p_adjusted) == pytest.approx((p[-1], min(1.0, 4 * p[-1])))
    notes = told[0].notes
    assert len(notes) == (4 if paired else 2)
    assert any(n.startswith("1 of 4 pairs have only topics with one relevant document") for n in notes)
    assert any(n.startswith("1 of 4 pairs differ and no document left out changes") for n in notes) == paired
    if paired:
        assert f"is {np.median(ratios):.2f} times that with independent collections (median of the pairs)." in notes[1]
    (alone,) = replace(found, pairs=found.pairs[:1]).comparisons("bonferroni")
    assert (alone.p, alone.p_adjusted, alone.adjustment) == (told[0].p, None, "")
    two = replace(found, pairs=found.pairs[:2]).comparisons("bonferroni")
    assert {one.adjustment for one in (*two, *told)} == {"bonferroni"}
    assert two[0].p_adjusted == pytest.approx(min(1.0, 2 * p[0]))
    first = found.table()
    assert [row[:2] for row in first.rows] == [(str(t + 1), found.spreads[t].relevant) for t in range(8) if t != 5]
    for row in first.rows:
        t = int(str(row[0])) - 1
        both = found.spreads[t].own + found.spreads[t].others
        assert row[2:5] == pytest.approx((values[0, t], values[1, t], values[1, t] - values[0, t]))
        sides = both[0, 0] + both[1, 1]
        expected = (math.sqrt(sides - 2 * both[0, 1]), math.sqrt(sides))
        assert row[5:] == ((None, None) if found.spreads[t].relevant == 1 else pytest.approx(expected))


def test_few_topics_are_told_or_refused() -> None:
    """Guards fewer than 5 topics: Wilson's limits for scores, a refusal with its reason for differences and DCG."""
    runs, labels = small(3)
    ranked = view(runs, labels)
    for name, sizes, student in (("AP", (1, 2, 3), False), ("nDCG@2", (1, 2, 2), True), ("P@10", (10, 10, 10), True)):
        n = 9 / sum(1 / r for r in sizes)
        for found in score_estimates(ranked, tg.parse_measure(name)):
            expected = share_limits(found.value, n, student=student)
            assert (found.low, found.high) == pytest.approx([float(x) for x in expected])
            assert found.method == f"Wilson, n = {n:.3g}"
        by_topic = topic_estimates(ranked, tg.parse_measure(name))
        assert len(by_topic) == 6
        for found, size in zip(by_topic, sizes * 2, strict=True):
            expected = share_limits(found.value, size, student=student)
            assert (found.low, found.high) == pytest.approx([float(x) for x in expected])
    with pytest.raises(tg.TruegainError, match=r"share 3 of the topics .* too few relevant documents"):
        mean_differences(ranked, AP(), [(0, 1)])
    with pytest.raises(tg.TruegainError, match="3 topics with relevant documents are too few"):
        score_estimates(ranked, tg.parse_measure("DCG@10"))


def test_one_relevant_document_everywhere_is_told() -> None:
    """Guards R = 1 on every topic: Wilson's limits for the score, no interval for a difference, and why."""
    runs, labels = small(7, relevant=(1,))
    ranked = view(runs, labels)
    assert [e.method for e in score_estimates(ranked, AP())] == ["Wilson, n = 7"] * 2
    (found,) = mean_differences(ranked, AP(), [(0, 1)]).comparisons()
    assert (found.low, found.high, found.p) == (None, None, None)
    assert any("only topics with one relevant document" in note for note in found.notes)


def test_papers_intervals_say_where_they_do_not_hold() -> None:
    """Guards the note: with few relevant documents the papers' own limits warn, with many they do not."""
    runs, labels = small(8)
    for name, method in (("AP", "bootstrap"), ("nDCG@10", "linear")):
        found = intervals(runs, labels, name, population="collection", method=method, resampling=tg.Resampling(n=50))
        assert all("less often than they claim" in e.notes[0] for e in found)
        assert not any(
            "less often" in n for e in intervals(runs, labels, name, population="collection") for n in e.notes
        )
    world = simulate(topics=8, systems=1, docs=200, depth=60, pool_depth=60, seed=2)
    many = intervals(
        world.runs, world.gold, "AP", population="collection", method="bootstrap", resampling=tg.Resampling(n=50)
    )
    assert many[0].notes == ()


def test_topics_and_collection_together_is_the_interval_over_topics() -> None:
    """Guards double counting: the same limits as over topics, said so, by any method that topics have."""
    runs, labels = small(12)
    for name in ("AP", "nDCG@10", "GMAP"):
        found = intervals(
            runs, labels, name, population=["topics", "topics+collection"], resampling=tg.Resampling(n=200, seed=2)
        )
        for alone, both in zip(found[:2], found[2:], strict=True):
            assert (alone.population, both.population) == ("topics", "topics+collection")
            assert (alone.low, alone.high, alone.se) == (both.low, both.high, both.se)
            assert any("already" in note for note in both.notes)


def one_collection(
    topics: int, rng: np.random.Generator, skill: npt.NDArray[Any], mean: float = 3.0
) -> tuple[Lists, Labels]:
    """About 3 relevant documents a topic among 60, scored by two systems of equal skill that share half their noise."""
    runs: Lists = {"a": {}, "b": {}}
    labels: Labels = {}
    for t in range(topics):
        good = 0
        while not good:
            good = int(rng.poisson(mean))
        size = good + int(rng.poisson(60))
        shared = rng.normal(size=size)
        labels[str(t)] = {f"d{i}": 1 for i in range(good)}
        for system in runs:
            own = shared + rng.normal(size=size) + np.where(np.arange(size) < good, skill[t], 0)
            runs[system][str(t)] = {f"d{i}": float(x) for i, x in enumerate(own)}
    return runs, labels


@pytest.mark.slow
def test_coverage_with_about_three_relevant_documents() -> None:
    """Guards MAP and equal pairs where the truth is known (bootstrap limits hold 84%, their V half the true one)."""
    rng = np.random.default_rng(11)
    skill = rng.normal(2.2, 0.8, 10)
    views = [view(*one_collection(10, rng, skill)) for _ in range(220)]
    truth = float(np.mean([np.nanmean(AP().score(v)) for v in views]))
    found = [score_estimates(v, AP())[0] for v in views]
    inside = np.mean([e.low <= truth <= e.high for e in found])
    assert 0.93 <= inside <= 0.995
    moved = np.var([e.value for e in found], ddof=1)
    assert 0.85 <= np.mean([e.se**2 for e in found if e.se is not None]) / moved <= 1.45
    equal = [mean_differences(v, AP(), [(0, 1)]).comparisons()[0].p or 0 for v in views]
    assert np.mean([p < 0.05 for p in equal]) <= 0.045


@pytest.mark.slow
def test_topics_and_collection_have_the_true_variance() -> None:
    """Guards V over the true V, topics and documents both drawn: about 1 (drawing both at once gave 1.3-1.7)."""
    rng = np.random.default_rng(12)
    means, errors = [], []
    for _ in range(120):
        runs, labels = one_collection(12, rng, rng.normal(2.2, 0.8, 12))
        one = intervals({"a": runs["a"]}, labels, "AP", population="topics+collection", method="t")[0]
        means.append(one.value)
        errors.append(one.se or 0.0)
    assert 0.75 <= float(np.mean(np.square(errors)) / np.var(means, ddof=1)) <= 1.3


def test_runs_that_end_before_twice_the_cutoff_are_told() -> None:
    """Guards the warning: drawn lists of ten documents seldom fill ten ranks; at twice the cutoff they do."""
    qrels = {str(t): {f"d{i}": int(i % 4 == 0) for i in range(20)} for t in range(6)}
    for depth in (5, 10, 19, 20):
        runs = {"s": {str(t): {f"d{i}": -float(i) for i in range(depth)} for t in range(6)}}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tg.intervals(runs, qrels, "nDCG@10", population="collection", resampling=tg.Resampling(n=50))
        expected = ["6 of 6 rankings have 10 or more but fewer than 20 documents"] if 10 <= depth < 20 else []
        assert [str(w.message).partition(":")[0] for w in caught if "rankings have" in str(w.message)] == expected
