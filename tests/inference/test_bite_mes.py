"""Lines that are drawn somewhere: how many topics are few, what moves, what counts; and intervals written out."""

from __future__ import annotations

import math
import statistics
import sys
from functools import lru_cache

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from truegain.inference.collection import difference as pairs_by_topic
from truegain.inference.collection.difference import CollectionDifference, collection_differences, combined_comparisons
from truegain.inference.collection.expansion import Kernel, drawn_scores, keys_needed, level_of, reach
from truegain.inference.collection.few import FEW_TOPICS
from truegain.inference.collection.means import (
    geometric_mean_estimates,
    logistic_mean_estimates,
    mean_estimates,
    paper_topic_estimates,
)
from truegain.inference.collection.score import Scored, drawn_estimates, has_lone_rule, left_out_of, score_estimates
from truegain.inference.collection.spread import collection_spread
from truegain.inference.intervals.topic_means import settled
from truegain.inference.intervals.topics import topic_intervals
from truegain.measures.evaluate import Options, aligned
from truegain.measures.parse import parse_measure
from truegain.sampling.documents import average_precisions, lists_of_topic
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains
from truegain.tables.scores import Scores

SEED = 3


def scores_of(matrix: Floats, name: str = "AP") -> Scores:
    """Scores with given values."""
    systems, topics = (tuple(f"{x}{i}" for i in range(n)) for x, n in zip("st", matrix.shape, strict=True))
    summary = np.nanmean(matrix, axis=1)
    return Scores(systems, topics, {name: matrix}, {name: summary}, {name: parse_measure(name)}, {})


@lru_cache
def lists() -> RankedGains:
    """Three systems, seven topics: one without a relevant document, one with a single one; c lacks two topics."""
    rng = np.random.default_rng(8)
    many = (4, 1, 3, 6, 2, 5, 0)
    labels = {
        str(t): {f"d{i}": int(i < r) * (1 + i % 2) for i in range(16)} | {"far": int(r > 3), "odd": -1}
        for t, r in enumerate(many)
    }
    runs = {
        s: {
            str(t): {f"d{i}": float(rng.normal() + (i < r) * (s != "a")) for i in range(24)}
            | {"odd": float(rng.normal())}
            for t, r in enumerate(many)
            if s != "c" or t not in (2, 5)
        }
        for s in "abc"
    }
    with pytest.warns(tg.DataWarning, match="lacks judged topics"):
        return aligned(runs, labels, Options(), keep_keys=sys.maxsize)


# ------------------------------------------------------------------ over topics


@pytest.mark.parametrize(("topics", "few"), [(9, True), (10, False)])
def test_fewer_than_ten_topics_are_few(topics: int, few: bool) -> None:
    """Guards the line of the note, by the system that has fewest topics."""
    matrix = np.random.default_rng(1).random((2, 12))
    matrix[1, topics:] = np.nan
    found = topic_intervals(scores_of(matrix))
    assert [f"{topics} topics are few" in " ".join(e.notes) for e in found] == [few, few]
    assert [e.n for e in found] == [12, topics]


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "linear", "logit", "t", "studentised", "wilson"])
def test_limits_read_off_draws_want_twenty_five_topics(method: str) -> None:
    """Guards which methods are told of, and that 25 topics are enough."""
    for topics in (24, 25):
        matrix = np.random.default_rng(2).random((1, topics))
        (found,) = topic_intervals(scores_of(matrix), None, method, replicates=60)  # type: ignore[arg-type]
        told = topics < 25 and method in ("percentile", "basic", "bca", "linear", "logit")
        assert [n.startswith(f"{method} limits of fewer than 25") for n in found.notes] == [True] * told


def test_three_topics_are_the_least() -> None:
    """Guards the refusal: two topics have no interval, three have."""
    with pytest.raises(tg.TruegainError, match="at least 3 topics"):
        topic_intervals(scores_of(np.array([[0.1, 0.5]])))
    (found,) = topic_intervals(scores_of(np.array([[0.1, 0.5, 0.3]])), None, "t", confidence=0.8)
    se = statistics.stdev([0.1, 0.5, 0.3]) / math.sqrt(3)
    step = float(stats.t.ppf(0.9, 2)) * se
    assert (found.value, found.se, found.low, found.high) == pytest.approx((0.3, se, 0.3 - step, 0.3 + step))


@pytest.mark.parametrize(("confidence", "one"), [(0.7, False), (0.95, True)])
def test_why_studentised_limits_are_lost(confidence: float, one: bool) -> None:
    """Guards the reason: of 3 topics 1 in 9 resamples is one topic thrice, more than a tail of 2.5%, not of 15%."""
    matrix = np.array([[0.5, 0.5, 0.5 + 1e-9], [0.1, 0.9, 0.4]])
    found = topic_intervals(scores_of(matrix), None, "studentised", replicates=300, confidence=confidence, seed=2)
    notes = " ".join(found[0].notes)
    assert ("of their few topics many resamples hold only one" in notes) == one
    assert ("their topics hardly vary" in notes) == (
        not one and "percentile (studentised degenerate)" in found[0].method
    )


def test_systems_that_are_flat_are_counted() -> None:
    """Guards the note and the standard error of values that are all equal, beside others that are not."""
    matrix = np.array([[0.25] * 12, list(np.linspace(0, 1, 12))])
    for method in ("wilson", "t", "linear"):
        found = topic_intervals(scores_of(matrix), None, method, replicates=60)
        assert any(n.startswith("1 of 2 systems have the same value") for n in found[0].notes)
        assert found[0].se == 0
        assert (found[1].se or 0) > 0.05


# ------------------------------------------------------------------ the paper's own means


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


# ------------------------------------------------------------------ the paper's own differences


def made(difference: list[float], sd: list[float]) -> CollectionDifference:
    """Differences with given spreads."""
    many = len(difference)
    ap = np.array([np.zeros(many), difference])
    names = tuple(str(i) for i in range(many))
    spread = np.array(sd)
    apart = np.where(spread > 1e-12, 2 * spread, spread)
    return CollectionDifference(
        ("a", "b"), names, ap, np.array(difference), spread, apart, np.full(many, 8), "ap", 50, 0.95, 0
    )


def test_topics_that_do_not_move_are_left_out() -> None:
    """Guards the line: one moving topic is refused, two are put together; the note counts the others."""
    with pytest.raises(tg.TruegainError, match="only 1 topics move"):
        made([0.1, 0.2], [0.1, 1e-12]).combined()
    found = made([0.1, 0.3, 0.9], [0.1, 0.2, 1e-12])
    one = found.comparison("fixed")
    assert one.difference == pytest.approx((0.1 / 0.01 + 0.3 / 0.04) / (1 / 0.01 + 1 / 0.04))
    assert [n for n in one.notes if "do not move" in n] == [
        "b - a: 1 topics do not move when documents are drawn and are left out."
    ]
    assert "b - a: on the same collections the spread is 0.50 times that of independent ones." in one.notes
    sure = sum(d / (math.sqrt(2) * s) for d, s in ((0.1, 0.1), (0.3, 0.2)))
    assert found.one_sided_p() == pytest.approx(float(stats.norm.sf(sure)))
    assert found.one_sided_p("independent") == pytest.approx(float(stats.norm.sf(sure / 2)))


@pytest.mark.parametrize(("far", "told"), [(0.00004, False), (0.00006, True)])
def test_a_weighted_difference_is_told_where_it_shows(far: float, told: bool) -> None:
    """Guards the note: of four decimals printed, 0.00005 is the least that shows."""
    found = made([0.1, 0.1 + 2 * far], [0.1, 1e-4]).comparison("fixed")  # nearly all weight on the second
    assert any("weighs topics by 1/variance" in n for n in found.notes) == told


@pytest.mark.parametrize("scale", ["ap", "logit"])
def test_differences_are_of_topics_that_both_have(scale: str) -> None:
    """Guards pairs in which one system lacks topics, values by hand, and p adjusted for the number of pairs."""
    ranked = lists()
    found = collection_differences(ranked, [(0, 1), (0, 2), (2, 1)], scale=scale, replicates=80, seed=SEED)
    assert [d.topics for d in found] == [tuple("012345"), tuple("0134"), tuple("0134")]
    ap = np.asarray(parse_measure("AP").score(ranked), np.float64)
    draws = drawn_ap(80)
    if scale == "logit":
        ap, draws = (np.log(np.clip(x, 1e-4, 1 - 1e-4) / (1 - np.clip(x, 1e-4, 1 - 1e-4))) for x in (ap, draws))
    at = [0, 1, 3, 4]
    assert found[1].difference == pytest.approx((ap[2] - ap[0])[at])
    assert found[1].paired == pytest.approx((draws[2] - draws[0]).std(axis=1, ddof=1)[at])
    apart = np.sqrt(draws[2].var(axis=1, ddof=1) + draws[0].var(axis=1, ddof=1))
    assert found[1].independent == pytest.approx(apart[at])
    assert found[1].relevant.tolist() == [5, 1, 7, 2]
    told = combined_comparisons(found, "random", "paired", "bonferroni")
    assert [c.p_adjusted for c in told] == pytest.approx([min(1, 3 * (c.p or 0)) for c in told])
    assert combined_comparisons(found[:1], "random", "paired", "holm")[0].p_adjusted is None
    assert [c.n for c in told] == [6, 4, 4]
    with pytest.raises(tg.TruegainError, match="scale 'x' is not known"):
        collection_differences(ranked, [(0, 1)], scale="x")
    assert pairs_by_topic.SCALES == ("ap", "logit")


# ------------------------------------------------------------------ any measure, drawn


def test_which_measures_are_sums_over_ranks() -> None:
    """Guards the fast road: sums over ranks and nDCG, but where labels of 0 gain or scale is read off."""
    ranked = lists()
    for name in ("P@5", "DCG@5", "CG", "RBP(rel=1)", "nDCG@5", "nDCG", "INSQ(max_rel=3)"):
        assert Kernel.of(parse_measure(name), ranked) is not None, name
    for name in (
        "AP@5",
        "RR",
        "nDCG(gains={0:1})@5",
        "CG(gains={0:-1})",
        "RBP(max_rel='topic')",
        "P(rel=0)@5",
        "CG(gains={1:0})",
    ):
        assert Kernel.of(parse_measure(name), ranked) is None, name
    kernel = Kernel.of(parse_measure("nDCG(dcg='jk',base=3)@4"), ranked)
    assert kernel is not None
    assert kernel.weights.tolist() == pytest.approx([1, 1, 1, math.log(3) / math.log(4)])
    assert kernel.shared
    whole = Kernel.of(parse_measure("DCG"), ranked)
    assert whole is not None
    assert len(whole.weights) == reach(25)
    assert not whole.shared


def test_how_deep_lists_must_be_known() -> None:
    """Guards keys: what can reach the first k, the most of several measures, all where lists are condensed."""
    p5, p9, ap, condensed = (parse_measure(n) for n in ("P@5", "nDCG@9", "AP", "P(judged_only=True)@5"))
    assert keys_needed([p5]) == reach(5) == 40
    assert keys_needed([p5, p9]) == reach(9)
    assert keys_needed([p5, ap]) == keys_needed([condensed]) == sys.maxsize
    assert level_of(parse_measure("nDCG")) == level_of(parse_measure("P(rel=0)@5")) == np.nextafter(0, 1)
    assert level_of(parse_measure("AP(rel=2)")) == 2


@pytest.mark.parametrize("name", ["P@5", "RR", "GMAP", "NumRet(rel=1)", "nDCG@5"])
def test_drawn_limits_written_out(name: str) -> None:
    """Guards linear and percentile limits from drawn summaries, in logarithms for a geometric mean."""
    ranked, measure, z = lists(), parse_measure(name), statistics.NormalDist().inv_cdf(0.95)
    draws = drawn_scores(ranked, measure, replicates=60, seed=SEED)
    value = np.asarray(measure.summarise(measure.score(ranked), ranked, False), np.float64)
    for method in ("linear", "percentile"):
        found = drawn_estimates(ranked, measure, draws, method, 0.9)
        if method == "percentile":
            low, high = np.quantile(draws.summaries, [0.05, 0.95], axis=1)
            low, high = np.minimum(low, value), np.maximum(high, value)
        elif name == "GMAP":
            step = np.exp(z * np.log(draws.summaries).std(axis=1, ddof=1))
            low, high = value / step, value * step
        else:
            step = z * draws.summaries.std(axis=1, ddof=1)
            low, high = value - step, value + step
        top = math.inf if measure.mean == "total" else 1.0
        assert [e.low for e in found] == pytest.approx(np.maximum(low, 0).tolist())
        assert [e.high for e in found] == pytest.approx(np.minimum(high, top).tolist())
        assert [e.se for e in found] == pytest.approx(draws.summaries.std(axis=1, ddof=1).tolist())
        assert [e.n for e in found] == [7, 7, 5]


def test_how_many_topics_tell_something() -> None:
    """Guards the line of five topics with relevant documents, and the units that a mean rests on."""
    ranked = lists()
    scored = Scored.of(ranked, parse_measure("AP"), 0.95)
    assert [scored.telling(s) for s in range(3)] == [6, 6, 4]
    assert scored.telling(0, 2) == 4
    assert FEW_TOPICS == 5
    assert [e.method[:6] for e in score_estimates(ranked, parse_measure("AP"))] == ["t, doc", "t, doc", "Wilson"]
    assert scored.sizes(2).tolist() == [5, 1, 7, 2, 1]
    assert Scored.of(ranked, parse_measure("nDCG@3"), 0.95).sizes(2).tolist() == [3, 1, 3, 2, 1]
    (weight,) = set(Scored.of(ranked, parse_measure("RBP(p=0.5,rel=1)"), 0.95).sizes(2).tolist())
    assert weight == pytest.approx(0.25 / (0.25 / 0.75) / 0.25)
    assert Scored.of(ranked, parse_measure("P@4"), 0.95).sizes(0).tolist() == pytest.approx([4] * 7)
    kinds = {
        n: (left_out_of(parse_measure(n)), has_lone_rule(parse_measure(n)))
        for n in ("AP", "AP@5", "GMAP", "P@5", "NumRet")
    }
    assert kinds == {
        "AP": (True, True), "AP@5": (False, True), "GMAP": (False, True), "P@5": (False, False),
        "NumRet": (False, False),
    }  # fmt: skip


def test_what_does_not_move_has_no_spread_at_all() -> None:
    """Guards rounding: a geometric mean of nothing found is ln 0.00001 in every draw, and its variance exactly 0."""
    runs = {"a": {str(t): {"x": 2.0, "y": 1.0} for t in range(3)}}
    ranked = aligned(runs, {str(t): {"x": 0, "lost": 1, "lost too": 1} for t in range(3)}, Options(), keep_keys=9)
    for replicates in (20, 33, 47):
        for pairs in (False, True):
            drawn = drawn_scores(ranked, parse_measure("GMAP"), replicates=replicates, pairs=pairs)
            assert [float(s.of_systems()[0][0]) for s in drawn.spreads] == [0.0] * 3


def test_means_are_settled_to_twelve_decimals() -> None:
    """Guards ties of means: what differs in the 13th decimal ties, what differs in the 12th does not."""
    assert settled(np.array([0.3, 0.3 + 2e-13])).tolist() == [0.3, 0.3]
    first, second = settled(np.array([0.3, 0.3 + 2e-12])).tolist()
    assert first < second


def test_a_geometric_mean_ends_at_its_floor() -> None:
    """Guards the least that a geometric mean can be, 0.00001, where limits would go below it."""
    (found,) = topic_intervals(scores_of(np.array([[0.0, 0.0, 0.0, 0.0, 0.9]]), "GMAP"))
    assert found.low == 1e-5
    assert found.value == pytest.approx(math.exp((4 * math.log(1e-5) + math.log(0.9)) / 5))
    assert found.se is None
    assert found.method == "t"
