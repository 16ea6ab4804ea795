"""Interval methods against the conformance values, scipy, and coverage in simulations with known truth."""

from __future__ import annotations

import importlib
import inspect
import itertools
import math
import pkgutil
import statistics
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.versions import since
from truegain import sampling
from truegain import stats as collection
from truegain import stats as inference_intervals
from truegain.data.alignment import aligned
from truegain.data.scores import Scores
from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.measures.catalogue import parse_measure
from truegain.measures.scoring import TopicMeans
from truegain.sampling.source import Topics
from truegain.sampling.streams import generator
from truegain.stats import intervals
from truegain.stats.intervals import TOPIC_METHODS, bootstrap_means, means_and_errors, topic_intervals
from truegain.stats.results import Estimate


def scores_of(matrix: Floats, summaries: Floats | None = None, name: str = "AP") -> Scores:
    """Scores with given values."""
    systems = tuple(f"s{i}" for i in range(len(matrix)))
    topics = tuple(f"t{i}" for i in range(matrix.shape[1]))
    summary = np.nanmean(matrix, axis=1) if summaries is None else summaries
    return Scores(systems, topics, {name: matrix}, {name: summary}, {name: parse_measure(name)}, {})


def resampled(case: dict[str, Any]) -> tuple[Floats, Floats, Floats]:
    """Estimate, replicates and jackknife of a case with given resamples."""
    x, statistic = np.array(case["x"]), getattr(np, case.get("stat", "mean"))
    draws = statistic(x[np.array(case["idx"])], axis=1)
    jackknife = np.array([statistic(np.delete(x, i)) for i in range(len(x))])
    return np.asarray(statistic(x)), draws, jackknife


def test_every_conformance_value(conformance: Any, examples: dict[str, dict[str, Any]]) -> None:
    """Guards percentile, basic and BCa, its bias correction, acceleration and levels, at 1e-9."""
    cases = conformance("statistics")["bootstrap"]["cases"]
    assert {c["stat"] for c in cases} == {"mean", "median"}
    for case in cases:
        value, draws, jackknife = resampled(case)
        z0, a, lost = intervals.bca_parts(value, draws, jackknife)
        levels = intervals.bca_levels(z0, a, lost, 0.95)
        assert not lost
        assert float(value) == pytest.approx(case["theta"], abs=1e-9)
        assert float(z0) == pytest.approx(case["z0"], abs=1e-9)
        assert float(a) == pytest.approx(case["acceleration"], abs=1e-9)
        assert [float(v) for v in levels] == pytest.approx(case["bca_levels"], abs=1e-9)
        assert float(np.std(draws, ddof=1)) == pytest.approx(case["se"], abs=1e-9)
        found = {
            "percentile": intervals.percentile(draws),
            "basic": intervals.basic(value, draws),
            "bca": intervals.bca(value, draws, jackknife),
        }
        for name, limits in found.items():
            assert [float(limits.low), float(limits.high)] == pytest.approx(case[name], abs=1e-9), name
    toy = examples["bca-1"]
    value, draws, jackknife = resampled(toy["input"])
    limits = intervals.bca(value, draws, jackknife, 0.8)
    assert [float(limits.low), float(limits.high)] == pytest.approx(toy["expected"]["bca"], abs=5e-7)
    share = examples["logit-1"]
    p = share["expected"]["p"]
    limits = intervals.logit_delta(p, np.sqrt(p * (1 - p) / share["input"]["n"]))
    assert [float(limits.low), float(limits.high)] == pytest.approx(share["expected"]["ci95"], abs=5e-7)


@since("scipy", "1.15", "it draws by other words")
def test_bca_is_scipys() -> None:
    """Guards BCa, percentile and basic against scipy on its own resamples, skewed data."""
    x = np.random.default_rng(2).exponential(size=30)
    theirs = stats.bootstrap((x,), np.mean, n_resamples=999, rng=np.random.default_rng(1), method="BCa")
    draws, jackknife = theirs.bootstrap_distribution, Topics.means_without(x[None])[0]
    limits = intervals.bca(x.mean(), draws, jackknife)
    assert (float(limits.low), float(limits.high)) == pytest.approx(tuple(theirs.confidence_interval), abs=1e-9)
    assert np.quantile(draws, [0.025, 0.975]) == pytest.approx(
        [float(intervals.percentile(draws).low), float(intervals.percentile(draws).high)]
    )


def test_topics_drawn_some_replicates_at_a_time_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards means of many topics: the draws do not depend on how many are held, redrawn ones among them."""
    values = np.where(np.random.default_rng(5).random((2, 9)) < 0.7, np.nan, np.arange(9.0))
    values[:, 0] = 1.0
    whole = bootstrap_means(values, 700, seed=2)
    monkeypatch.setattr("truegain.stats.intervals.WEIGHTS", 30)
    parts = bootstrap_means(values, 700, seed=2)
    assert whole.redrawn == parts.redrawn > 0
    np.testing.assert_allclose(parts.means, whole.means, rtol=1e-12)


def test_many_systems_at_once_are_one_at_a_time() -> None:
    """Guards the vectorised quantiles: each row of a matrix has the limits it has alone."""
    values = np.random.default_rng(4).beta(1, 3, size=(5, 20))
    draws = bootstrap_means(values, 400, seed=3)
    together = intervals.bca(values.mean(axis=1), draws.means, Topics.means_without(values))
    for i in range(5):
        alone = intervals.bca(values[i].mean(), draws.means[i], Topics.means_without(values)[i])
        assert (float(alone.low), float(alone.high)) == pytest.approx((together.low[i], together.high[i]), abs=1e-14)


def test_the_bootstrap_of_topics_against_a_plain_loop() -> None:
    """Guards weights, pairing and missing topics: explicit resampled lists give the same means and errors."""
    values = np.random.default_rng(6).uniform(size=(3, 8))
    values[1, 2] = values[2, 0] = np.nan
    draws = bootstrap_means(values, 600, seed=9)
    counts = np.concatenate(
        [generator(9, "topics", b).multinomial(8, np.full(8, 1 / 8), size=n) for b, n in ((0, 500), (1, 100))]
    )
    for r, w in enumerate(counts):
        for s in range(3):
            chosen = np.repeat(values[s], w)
            chosen = chosen[~np.isnan(chosen)]
            assert draws.means[s, r] == pytest.approx(chosen.mean(), abs=1e-12)
            if len(chosen) > 1:
                assert draws.errors[s, r] == pytest.approx(chosen.std(ddof=1) / np.sqrt(len(chosen)), abs=1e-9)


def test_a_resample_without_any_topic_of_a_system_is_drawn_again() -> None:
    """Guards against 0/0: a system with 3 of 9 topics still has all its replicates, and the redrawn are told."""
    values = np.random.default_rng(8).uniform(size=(2, 9))
    values[1, 3:] = np.nan
    draws = bootstrap_means(values, 500, seed=1)
    assert draws.means.shape == (2, 500)
    assert not np.isnan(draws.means).any()
    assert draws.redrawn > 5  # (6/9)^9 = 2.6% of resamples
    assert "drawn again" in topic_intervals(scores_of(values), method="percentile", replicates=500)[0].notes[-1]


def test_coverage_over_topics() -> None:
    """Guards the meaning of 95%: t and studentized hold the true mean about as often, on normal and skewed topics.

    For 25 exponential topics t covers about 92% and the percentile interval less; studentized stays near 95%.
    """
    rng = np.random.default_rng(31)
    trials = 1200  # Monte Carlo error of a share of 0.95: 0.006
    normal, skewed = rng.normal(0.3, 0.1, size=(trials, 25)), rng.exponential(0.3, size=(trials, 25))

    def covered(data: Floats, method: Any) -> float:
        found = topic_intervals(scores_of(data, name="YAAP"), method=method, replicates=1000, seed=5)
        return float(np.mean([e.low <= 0.3 <= e.high for e in found]))

    assert covered(normal, "t") == pytest.approx(0.95, abs=0.018)
    assert covered(normal, "studentized") == pytest.approx(0.95, abs=0.018)
    assert covered(skewed, "studentized") == pytest.approx(0.95, abs=0.025)
    assert covered(skewed, "t") == pytest.approx(0.92, abs=0.025)
    assert 0.85 < covered(skewed, "percentile") < 0.935
    assert covered(skewed, "bca") > covered(skewed, "basic")


def test_wilson_limits_by_their_equation_and_by_scipy() -> None:
    """Guards the default: roots of (u - x)^2 = t^2 x(1 - x)/N on any bounds; shares of 0 and 1 are scipy's."""
    values = np.random.default_rng(5).beta(0.7, 2, size=(6, 8))
    mean, se = values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(8)
    t = stats.t.ppf(0.95, 7)
    for least, greatest in ((0.0, 1.0), (-2.0, 3.0)):
        width = greatest - least
        found = intervals.wilson(least + width * mean, width * se, 8, (least, greatest), 0.9)
        for end in ((found.low - least) / width, (found.high - least) / width):
            assert (mean - end) ** 2 == pytest.approx(t**2 * se**2 / (mean * (1 - mean)) * end * (1 - end), abs=1e-12)
        assert (found.low < least + width * mean).all()
        assert (found.high > least + width * mean).all()
    level = 2 * stats.norm.cdf(stats.t.ppf(0.975, 11)) - 1  # where the normal quantile is t's of 11
    for up in (0, 12):
        theirs = stats.binomtest(up, 12).proportion_ci(level, "wilson")
        ours = intervals.wilson(up / 12, 0.0, 12)
        assert (float(ours.low), float(ours.high)) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_limits_stay_inside_the_bounds_of_the_measure() -> None:
    """Guards every interval over topics: near 0, near 1 and on the bound, limits are values the measure can have."""
    rng = np.random.default_rng(6)
    values = np.vstack([rng.beta(0.2, 4, size=(5, 12)), rng.beta(4, 0.2, size=(5, 12)), np.zeros((1, 12))])
    for method in (None, *TOPIC_METHODS):
        for found in topic_intervals(scores_of(values), method=method):  # type: ignore[arg-type]
            assert 0 <= found.low <= found.high <= 1, (method, found)
            assert found.low - 1.1e-5 <= found.value <= found.high + 1.1e-5  # logit moves 0 and 1 by 1e-5
    by_default = topic_intervals(scores_of(values))
    assert all(e.low < e.value < e.high for e in by_default[:-1])
    assert by_default[-1].high > 0.1  # 12 zeros do not show that the mean is 0
    unbounded = topic_intervals(scores_of(values, name="DCG@10"))
    assert {e.method for e in unbounded} == {"t"}


def test_topics_of_one_value_do_not_make_an_interval_without_width() -> None:
    """Guards P@10 of 0.3 on every topic, which printed [0.3000, 0.3000], se 1.7e-17, without a word.

    The limits are those of 3 of 10 topics, Wilson's by scipy at the level where the normal quantile is t's of 9.
    """
    values = np.vstack([np.full(10, 0.3), np.full(10, 0.1) + 0.2, np.random.default_rng(3).uniform(size=10)])
    level = 2 * stats.norm.cdf(stats.t.ppf(0.975, 9)) - 1
    theirs = stats.binomtest(3, 10).proportion_ci(level, "wilson")
    by_default = topic_intervals(scores_of(values, name="P@10"))
    for found in by_default[:2]:
        assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
        assert found.se == 0
    alone = topic_intervals(scores_of(values[2:], name="P@10"))[0]
    assert (by_default[2].low, by_default[2].high) == (alone.low, alone.high)
    assert not any("same value" in note for note in alone.notes)
    for method in TOPIC_METHODS:
        told = topic_intervals(scores_of(values, name="P@10"), method=method)  # type: ignore[arg-type]
        assert any(note.startswith("2 of 3 systems have the same value on all topics") for note in told[0].notes), (
            method
        )
        assert [e.se == 0 for e in told] == [True, True, False], method
    rounded = intervals.wilson(0.3, 1.7e-17, 10)
    assert (float(rounded.low), float(rounded.high)) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    told_apart = intervals.wilson(0.3, 1e-6, 10)
    assert float(told_apart.high - told_apart.low) == pytest.approx(2e-6 * stats.t.ppf(0.975, 9), rel=1e-3)


def test_few_topics_are_covered_and_told() -> None:
    """Guards the default at 3, 5 and 10 skewed topics, which percentile limits cover 60-88%; and the notes."""
    rng = np.random.default_rng(41)
    for n in (3, 5, 10):
        values = rng.beta(0.6, 1.8, size=(800, n))  # mean 0.25; Monte Carlo error of a share of 0.94: 0.008
        by_default = topic_intervals(scores_of(values))
        drawn = topic_intervals(scores_of(values), method="percentile", replicates=300)
        held = np.mean([e.low <= 0.25 <= e.high for e in by_default])
        assert 0.92 <= held <= 0.985, n
        assert np.mean([e.low <= 0.25 <= e.high for e in drawn]) < 0.9
        assert any("fewer than 25 topics" in note for note in drawn[0].notes)
        assert any("with only " in note for note in by_default[0].notes) == (n < 10)


def test_t_is_scipys() -> None:
    """Guards the degrees of freedom of each system's own topics."""
    values = np.random.default_rng(12).uniform(size=(2, 10))
    values[1, :3] = np.nan
    for row, found in zip(values, topic_intervals(scores_of(values), method="t", confidence=0.9), strict=True):
        x = row[~np.isnan(row)]
        expected = stats.t.interval(0.9, len(x) - 1, x.mean(), stats.sem(x))
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)
        assert found.n == len(x)


def test_the_answer_depends_on_the_seed_alone() -> None:
    """Guards reproducibility: same seed same bits, and more systems do not change the draws of the others."""
    values = np.random.default_rng(13).uniform(size=(4, 12))
    for method in TOPIC_METHODS:
        first = topic_intervals(scores_of(values), method=method, seed=4)  # type: ignore[arg-type]
        again = topic_intervals(scores_of(values), method=method, seed=4)  # type: ignore[arg-type]
        fewer = topic_intervals(scores_of(values[:2]), method=method, seed=4)  # type: ignore[arg-type]
        assert first == again
        assert [e.low for e in first[:2]] == pytest.approx([e.low for e in fewer], abs=1e-12)
        assert [e.high for e in first[:2]] == pytest.approx([e.high for e in fewer], abs=1e-12)
    other = topic_intervals(scores_of(values), method="studentized", seed=5)
    assert other != topic_intervals(scores_of(values), method="studentized", seed=4)


def test_logit_stays_inside_and_moves_the_ends() -> None:
    """Guards 0 and 1: moved to epsilon, so that limits are numbers inside (0, 1)."""
    limits = intervals.logit([0.0, 1.0], [[0.0, 0.0, 0.1], [1.0, 0.9, 1.0]])
    assert (limits.low > 0).all()
    assert (limits.high < 1).all()
    with pytest.raises(TruegainError, match=r"values from 0 to 1, not 0\.5 to 3"):
        intervals.logit(0.5, [0.5, 3.0])


def test_degenerate_systems_fall_back_and_say_so() -> None:
    """Guards 'never a NaN silently': a system equal on all topics has a point interval, named and noted."""
    values = np.random.default_rng(14).uniform(size=(2, 10))
    values[1] = 0.1 + 0.2
    for method in ("bca", "studentized"):
        found = topic_intervals(scores_of(values), method=method, replicates=500)
        assert found[0].method == method
        assert (found[1].low, found[1].high) == pytest.approx((0.3, 0.3))
        if method == "bca":
            assert found[1].method == "percentile (bca degenerate)"
            assert "1 of 2 systems" in found[1].notes[-1]
    assert intervals.bca(5.0, [1, 2, 3], [1.0, 2.0]).fell_back
    infinite = intervals.studentized(0.5, 0.1, [0.0, 1.0, 0.4], [0.0, 0.0, 0.1])
    assert infinite.fell_back
    assert np.isfinite(infinite.low)


def test_studentized_limits_of_three_topics_say_why_there_are_none() -> None:
    """Guards the reason: of 3 topics 1/9 of the resamples hold one only; and percentile limits of few topics."""
    values = np.random.default_rng(16).uniform(size=(2, 3))
    found = topic_intervals(scores_of(values), method="studentized")
    assert {e.method for e in found} == {"percentile (studentized degenerate)"}
    said = "studentized has no value for 2 of 2 systems (many resamples contain only one of their few topics)"
    assert any(note.startswith(said) for note in found[0].notes)
    assert not any("hardly vary" in note for note in found[0].notes)
    assert any(note.startswith("percentile intervals of fewer than 25 topics cover") for note in found[0].notes)
    odd = np.full((1, 10), 0.5)
    odd[0, 0] = 0.9  # (9/10)^10 = 35% of resamples lack it
    hardly = topic_intervals(scores_of(odd), method="studentized")[0]
    assert any("1 of 1 systems (their topics hardly vary)" in note for note in hardly.notes)
    assert any(note.startswith("percentile intervals of fewer than 25 topics cover") for note in hardly.notes)
    sound = topic_intervals(scores_of(np.random.default_rng(16).uniform(size=(2, 12))), method="studentized")[0]
    assert sound.notes == ()


def test_a_geometric_mean_is_handled_in_logs() -> None:
    """Guards GMAP: its interval is that of the mean log, moved back, and holds the printed value."""
    runs = {"r": {str(t): {"a": 2.0, "b": 1.0} for t in range(12)}}
    qrels = {str(t): {"ab"[t % 2]: 1} for t in range(12)}
    scores = tg.evaluate(runs, qrels, ["GMAP", "AP", "NumRel"])
    found: Estimate = topic_intervals(scores, "GMAP", "t")[0]
    assert found.value == pytest.approx(scores.mean("r", "GMAP"))
    logs = np.log([1, 0.5] * 6)
    low, high = stats.t.interval(0.95, 11, logs.mean(), stats.sem(logs))
    assert (found.low, found.high) == pytest.approx((np.exp(low), np.exp(high)))
    assert topic_intervals(scores, "GMAP")[0].method == "t"
    with pytest.raises(TruegainError, match="wilson limits need a mean between bounds, and GMAP has none"):
        topic_intervals(scores, "GMAP", "wilson")
    with pytest.raises(TruegainError, match="GMAP is a geometric mean, handled in logarithms, and has no logit limits"):
        topic_intervals(scores, "GMAP", "logit")
    with pytest.raises(TruegainError, match="NumRel is not a mean over topics"):
        topic_intervals(scores, "NumRel")


def test_mistakes_are_told() -> None:
    """Guards the messages: unknown method, too few topics or replicates, values that are no mean."""
    values = np.random.default_rng(15).uniform(size=(2, 3))
    with pytest.raises(TruegainError, match="method 'wald' is not an interval over topics; give one of wilson"):
        topic_intervals(scores_of(values), method="wald")  # type: ignore[arg-type]
    with pytest.raises(TruegainError, match="at least 40"):
        topic_intervals(scores_of(values), method="percentile", replicates=20)
    lonely = values.copy()
    lonely[1, 2:] = np.nan
    with pytest.raises(TruegainError, match="s1: an interval over topics needs values on at least 3"):
        topic_intervals(scores_of(lonely))
    with pytest.raises(TruegainError, match="NumRet is not a mean over topics"):
        TopicMeans.of(scores_of(values, name="NumRet"))
    with pytest.raises(TruegainError, match="at least 2 replicates"):
        intervals.percentile([1.0])
    with pytest.raises(TruegainError, match="1 replicates have no value"):
        intervals.percentile([1.0, float("nan")])


def test_intervals_say_how_they_were_made() -> None:
    """Guards the container: seed, replicates and options stand beside the answers, threads and progress do not."""
    runs = {str(t): {"a": 2.0, "b": 1.0} for t in range(4)}
    qrels = {str(t): {"ab"[t % 2]: 1} for t in range(4)}
    found = tg.intervals(
        runs, qrels, "AP", scoring=tg.Scoring(relevant_from=1), resampling=tg.Resampling(n=50, seed=3, jobs=1)
    )
    said = {"seed": 3, "resamples": 50, "confidence": 0.95, "relevant_from": 1, "by_topic": False, "all_topics": False}
    assert found.provenance.items() >= said.items()
    assert (len(found), found.table().records()[0]["measure"], found[0].n) == (1, "AP", 4)


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


@pytest.mark.parametrize(("topics", "few"), [(9, True), (10, False)])
def test_fewer_than_ten_topics_are_few(topics: int, few: bool) -> None:
    """Guards the line of the note, by the system that has fewest topics."""
    matrix = np.random.default_rng(1).random((2, 12))
    matrix[1, topics:] = np.nan
    found = topic_intervals(scores_of(matrix))
    assert [f"with only {topics} topics" in " ".join(e.notes) for e in found] == [few, few]
    assert [e.n for e in found] == [12, topics]


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "linear", "logit", "t", "studentized", "wilson"])
def test_limits_read_off_draws_want_twenty_five_topics(method: str) -> None:
    """Guards which methods are told of, and that 25 topics are enough."""
    for topics in (24, 25):
        matrix = np.random.default_rng(2).random((1, topics))
        (found,) = topic_intervals(scores_of(matrix), None, method, replicates=60)  # type: ignore[arg-type]
        told = topics < 25 and method in ("percentile", "basic", "bca", "linear", "logit")
        assert [n.startswith(f"{method} intervals of fewer than 25") for n in found.notes] == [True] * told


def test_three_topics_are_the_least() -> None:
    """Guards the refusal: two topics have no interval, three have."""
    with pytest.raises(tg.TruegainError, match="at least 3 topics"):
        topic_intervals(scores_of(np.array([[0.1, 0.5]])))
    (found,) = topic_intervals(scores_of(np.array([[0.1, 0.5, 0.3]])), None, "t", confidence=0.8)
    se = statistics.stdev([0.1, 0.5, 0.3]) / math.sqrt(3)
    step = float(stats.t.ppf(0.9, 2)) * se
    assert (found.value, found.se, found.low, found.high) == pytest.approx((0.3, se, 0.3 - step, 0.3 + step))


@pytest.mark.parametrize(("confidence", "one"), [(0.7, False), (0.95, True)])
def test_why_studentized_limits_are_lost(confidence: float, one: bool) -> None:
    """Guards the reason: of 3 topics 1 in 9 resamples is one topic thrice, more than a tail of 2.5%, not of 15%."""
    matrix = np.array([[0.5, 0.5, 0.5 + 1e-9], [0.1, 0.9, 0.4]])
    found = topic_intervals(scores_of(matrix), None, "studentized", replicates=300, confidence=confidence, seed=2)
    notes = " ".join(found[0].notes)
    assert ("many resamples contain only one of their few topics" in notes) == one
    assert ("their topics hardly vary" in notes) == (
        not one and "percentile (studentized degenerate)" in found[0].method
    )


def test_systems_that_are_flat_are_counted() -> None:
    """Guards the note and the standard error of values that are all equal, beside others that are not."""
    matrix = np.array([[0.25] * 12, list(np.linspace(0, 1, 12))])
    for method in ("wilson", "t", "linear"):
        found = topic_intervals(scores_of(matrix), None, method, replicates=60)
        assert any(n.startswith("1 of 2 systems have the same value") for n in found[0].notes)
        assert found[0].se == 0
        assert (found[1].se or 0) > 0.05


def test_a_geometric_mean_ends_at_its_floor() -> None:
    """Guards the least that a geometric mean can be, 0.00001, where limits would go below it."""
    (found,) = topic_intervals(scores_of(np.array([[0.0, 0.0, 0.0, 0.0, 0.9]]), name="GMAP"))
    assert found.low == 1e-5
    assert found.value == pytest.approx(math.exp((4 * math.log(1e-5) + math.log(0.9)) / 5))
    assert found.se is None
    assert found.method == "t"


def test_bootstrap_means_and_errors_of_each_replicate() -> None:
    """Guards the standard error of a replicate, divisor n - 1, against draws written out, with a missing topic."""
    values = np.array([[0.1, 0.7, 0.4, 0.9], [0.2, np.nan, 0.5, 0.1]])
    draws = bootstrap_means(values, 60, 3)
    want = set()
    for drawn in itertools.combinations_with_replacement(range(4), 4):
        kept = [[x for x in row[list(drawn)].tolist() if not math.isnan(x)] for row in values]
        if all(kept):
            want.add(tuple(
                round(v, 9) + 0.0
                for own in kept
                for v in (statistics.fmean(own), statistics.stdev(own) / math.sqrt(len(own)) if len(own) > 1 else 0.0)
            ))  # fmt: skip
    got = {
        tuple(round(float(v), 9) + 0.0 for s in (0, 1) for v in (draws.means[s, i], draws.errors[s, i]))
        for i in range(60)
    }
    assert len(got) > 10
    assert got <= want
    mean, se = means_and_errors(values)
    own = [0.2, 0.5, 0.1]
    assert (mean[1], se[1]) == pytest.approx((statistics.fmean(own), statistics.stdev(own) / math.sqrt(3)))
    left = Topics.means_without(values)[1]
    assert left[[0, 2, 3]].tolist() == pytest.approx([0.3, 0.15, 0.35])
    assert math.isnan(left[1])
