"""Lines that are drawn somewhere: how many topics are few, what moves, what counts; and intervals written out."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import statistics
from collections import Counter

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.stats.small_lists import SEED, lists, scores_of
from truegain import sampling
from truegain import stats as collection
from truegain import stats as inference_intervals
from truegain.io.columns import Floats
from truegain.measures.evaluate import aligned
from truegain.measures.parse import parse_measure
from truegain.sampling.documents import average_precisions, lists_of_topic
from truegain.stats import collection_ap as pairs_by_topic
from truegain.stats.collection_ap import (
    CollectionDifference,
    collection_differences,
    collection_spread,
    combined_comparisons,
    geometric_mean_estimates,
    logistic_mean_estimates,
    mean_estimates,
    paper_topic_estimates,
)
from truegain.stats.intervals import topic_intervals

# ------------------------------------------------------------------ what is taken where nothing is said


def test_defaults_are_the_same_everywhere() -> None:
    """Guards what Python users get who say nothing: 95%, seed 0, 2,000 draws, level 1, in every function."""
    usual = {"confidence": 0.95, "seed": 0, "replicates": 2000, "level": 1, "student": False, "small_r": True}
    seen = Counter[str]()
    for package in (collection, inference_intervals, sampling):
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            if found.name.endswith("_copies"):
                continue
            module = importlib.import_module(found.name)
            for thing in vars(module).values():
                if not inspect.isfunction(thing) or thing.__module__ != found.name:
                    continue
                for name, one in inspect.signature(thing).parameters.items():
                    if name in usual and one.default not in (inspect.Parameter.empty, None):  # None: the usual one
                        assert one.default == usual[name], (found.name, thing.__name__, name)
                        seen[name] += 1
    assert seen["confidence"] > 8
    assert seen["seed"] > 4
    assert inspect.signature(aligned).parameters["keep_keys"].default == 0
    assert inspect.signature(aligned).parameters["keep_top"].default == 0


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
