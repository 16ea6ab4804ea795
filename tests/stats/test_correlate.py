"""Agreement of system rankings: by judgments, measures and halves of the topics."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.judge_error.matrices import generated, scores_of
from truegain.data.scores import Scores
from truegain.errors import DataWarning, TruegainError
from truegain.experiments.discriminative import top_set
from truegain.io.columns import Floats
from truegain.measures.catalogue import parse_measure
from truegain.stats.rank_correlation import (
    RankOptions,
    agreement,
    first_ranks,
    paired,
    ranking,
    rbo,
    tau_ap_walking,
    tau_interval,
)
from truegain.stats.swap_rates import SwapRates, halves, swap_rates
from truegain.study import correlate as correlation

Study = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]


@pytest.fixture
def study() -> Study:
    """Seven runs over twelve topics, and two sets of judgments that partly differ."""
    rng = np.random.default_rng(1)
    docs = [f"d{i}" for i in range(30)]
    truth = {str(t): {d: int(v) for d, v in zip(docs, rng.integers(0, 3, 30), strict=True)} for t in range(12)}
    noisy = {
        t: {d: v if rng.uniform() < 0.8 else int(rng.integers(0, 3)) for d, v in g.items()} for t, g in truth.items()
    }
    runs = {
        f"s{k}": {t: {d: v + rng.normal(0, 0.5 + 0.3 * k) for d, v in g.items()} for t, g in truth.items()}
        for k in range(7)
    }
    return runs, truth, noisy


def test_two_judgment_sets_against_scipy(study: Study) -> None:
    """Guards the whole road: scores by both sets, tau-b as scipy's, AP correlation and RBO of those scores."""
    runs, truth, noisy = study
    found = tg.correlate(runs, truth, ["nDCG@10", "AP"], against=noisy, names=("gold", "llm"))
    assert [a.measure for a in found.agreements] == ["nDCG@10", "AP"]
    for one in found.agreements:
        x, y = (tg.evaluate(runs, q, one.measure).summaries[one.measure] for q in (truth, noisy))
        assert one.tau.value == pytest.approx(stats.kendalltau(x, y).statistic)
        assert one.tau_ap_walking_b == pytest.approx(tau_ap_walking(x, y))
        assert one.tau_ap_walking_a == pytest.approx(tau_ap_walking(y, x))
        assert one.rbo == rbo(ranking(one.systems, x), ranking(one.systems, y))
        swapped = sum((x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in combinations(range(7), 2))
        assert (one.swapped, one.pairs, one.tied) == (swapped, 21, 0)
        assert one.tau.value == pytest.approx(1 - 2 * swapped / 21)


def test_moves_name_the_systems_that_change_place_most() -> None:
    """Guards ranks, their order and ties: equal scores share the best rank."""
    found = agreement(
        list("vwxyz"), np.array([5.0, 4, 3, 2, 2]), np.array([1.0, 4, 3, 2, 2]), options=RankOptions(top=2)
    )
    assert first_ranks(found.scores_a).tolist() == [1, 2, 3, 4, 4]
    assert found.moves(2) == [("v", 1, 5), ("w", 2, 1)]
    assert found.tied == 1
    assert found.top_overlap == 0.5
    assert "2 by" not in found.notes[-1]
    assert "1 by a, 1 by b" in found.notes[-1]
    assert found.moves_table(1).rows[0][:5] == ("", "v", 1, 5, "-4")


def test_sums_in_another_order_still_tie() -> None:
    """Guards ties against rounding: 0.1 + 0.2 and 0.3 are the same score."""
    found = agreement(list("xyz"), np.array([0.1 + 0.2, 0.3, 0.1]), np.array([1.0, 2.0, 0.5]))
    assert (found.tied, found.swapped) == (1, 0)


def test_only_common_topics_count(study: Study) -> None:
    """Guards unequal topic sets: both sides use the topics both have, and the user is told."""
    runs, truth, noisy = study
    fewer = {t: noisy[t] for t in list(noisy)[:8]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = tg.correlate(runs, truth, "AP", against=fewer)
    assert any("compared over the 8 that both have" in str(w.message) for w in caught if w.category is DataWarning)
    common = {t: truth[t] for t in fewer}
    assert found.agreements[0].scores_a == pytest.approx(
        tg.evaluate({s: {t: r[t] for t in fewer} for s, r in runs.items()}, common, "AP").summaries["AP"]
    )
    with pytest.raises(TruegainError, match="no topic"):
        tg.correlate(runs, truth, "AP", against={"99": {"d1": 1}})


def test_every_pair_of_measures(study: Study) -> None:
    """Guards between='measures': all pairs once, of one set of judgments."""
    runs, truth, _ = study
    found = tg.correlate(runs, truth, ["nDCG@10", "AP", "P@5"], between="measures")
    assert [(a.a, a.b) for a in found.agreements] == [("nDCG@10", "AP"), ("nDCG@10", "P@5"), ("AP", "P@5")]
    scores = tg.evaluate(runs, truth, ["nDCG@10", "P@5"])
    expected = stats.kendalltau(*(np.round(scores.summaries[m], 12) for m in scores.measures)).statistic
    assert found.agreements[1].tau.value == pytest.approx(expected)
    assert "over 7 systems" in str(found)


def test_halves_against_a_plain_loop(study: Study) -> None:
    """Guards between='halves': every split's tau and swaps by scipy and counting, and the bins hold every pair."""
    runs, truth, _ = study
    found = tg.correlate(runs, truth, "AP", between="halves", resampling=tg.Resampling(20, 3)).halves[0]
    matrix = tg.evaluate(runs, truth, "AP").matrix()
    taus, swapped = [], 0
    for first, second in halves(12, 20, seed=3):
        assert len(first) == len(second) == 6
        assert not set(first.tolist()) & set(second.tolist())
        x, y = matrix[:, first].mean(axis=1), matrix[:, second].mean(axis=1)
        taus.append(stats.kendalltau(x, y).statistic)
        swapped += sum((x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in combinations(range(7), 2))
    assert found.statistics["tau-b"] == pytest.approx(np.array(taus))
    assert found.swaps.pairs.sum() == 20 * 21
    assert found.swaps.swaps.sum() == swapped
    assert found.statistics["pairs swapped"].mean() == pytest.approx(found.swaps.rate)


def flat_scores(matrix: Floats) -> Scores:
    """Scores of one measure, which may have any value."""
    name = "YAAP"
    systems, topics = (tuple(f"{k}{i}" for i in range(n)) for k, n in zip("st", matrix.shape, strict=True))
    return Scores(systems, topics, {name: matrix}, {name: matrix.mean(axis=1)}, {name: parse_measure(name)}, {})


def test_five_percent_of_swaps_are_too_many_by_default() -> None:
    """Guards the default rate, and that a bin of just that rate will do."""
    begin, pairs = np.array([0.0, 0.01, 0.02]), np.full(3, 1000)
    rates = SwapRates("AP", begin, pairs, np.array([300, 51, 50]), 25, 1)
    assert rates.needed() == rates.needed(0.05) == 0.02
    assert SwapRates("AP", begin, pairs, np.array([300, 50, 10]), 25, 1).needed() == 0.01


def test_swap_rates_follow_the_normal_theory() -> None:
    """Guards the counting: without true differences half of all pairs swap; with them, larger ones swap less.

    With n topics the halves differ from their mean m by e and -e, both of variance s^2/n; a pair swaps if |e| > |m|: in
    1 of 2 cases.  One matrix of 60 systems is off by about 0.035, so 30 of them are averaged.
    """
    nulls = [np.random.default_rng(seed).normal(0, 0.2, size=(60, 50)) for seed in range(30)]
    assert np.mean([swap_rates(flat_scores(m), splits=10).rate for m in nulls]) == pytest.approx(0.5, abs=0.02)
    matrix = nulls[0]
    true = np.linspace(0, 0.6, 60)[:, None]
    rates = swap_rates(flat_scores(matrix + true), splits=40)
    assert rates.rates[0] > rates.rates[5] > rates.rates[15]
    assert rates.rates[0] == pytest.approx(0.5, abs=0.06)
    assert rates.rates[-1] < 0.01
    needed = rates.needed(0.05)
    assert needed is not None
    assert 0.03 < needed < 0.15
    assert (rates.rates[rates.begin >= needed] <= 0.05).all()


def test_swap_bins_begin_at_whole_widths() -> None:
    """Guards the edges: a difference of exactly 0.03 belongs to the bin that begins there, not below it."""
    matrix = np.array([[0.13] * 4, [0.10] * 4, [0.10] * 4])
    rates = swap_rates(flat_scores(matrix), splits=1)
    assert rates.pairs.tolist()[:5] == [1, 0, 0, 2, 0]
    assert [row[0] for row in rates.table().rows] == pytest.approx([0.0, 0.03])


def test_the_answer_depends_on_the_seed_alone(study: Study) -> None:
    """Guards reproducibility of splits and bootstrap."""
    runs, truth, noisy = study
    first, again, other = (
        tg.correlate(runs, truth, "AP", between="halves", resampling=tg.Resampling(5, s)) for s in (1, 1, 2)
    )
    assert first.table().rows == again.table().rows
    assert first.table().rows != other.table().rows
    one, two = (
        tg.correlate(runs, truth, "AP", against=noisy, method="bootstrap", resampling=tg.Resampling(seed=4))
        for _ in range(2)
    )
    assert one.table().rows == two.table().rows


def test_runs_that_can_be_read_only_once(study: Study) -> None:
    """Guards iterators: the second set of judgments scores the same runs."""
    runs, truth, noisy = study
    frame = tg.Runs.of(runs)
    assert tg.correlate(frame, truth, "AP", against=noisy).table().rows == (
        tg.correlate(runs, truth, "AP", against=noisy).table().rows
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "correlate what"),
        ({"between": "judgments"}, "needs a second set"),
        ({"between": "halves", "against": {"0": {"d1": 1}}}, "takes one set"),
        ({"between": "years"}, "nothing to correlate between 'years'"),
        ({"between": "measures"}, "at least 2"),
        ({"between": "halves", "confidence": 95}, "write 0.95"),
        ({"against": {"0": {"d1": 1}}, "top": 0}, "top 0"),
    ],
)
@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_mistakes_are_told(study: Study, options: dict[str, Any], message: str) -> None:
    """Guards the messages: what was wrong and what to give instead."""
    runs, truth, _ = study
    with pytest.raises(TruegainError, match=message):
        tg.correlate(runs, truth, "AP", **options)


def test_two_systems_have_no_order(study: Study) -> None:
    """Guards against an interval from nothing."""
    runs, truth, noisy = study
    with pytest.raises(TruegainError, match="at least 3 runs"):
        tg.correlate({s: runs[s] for s in ("s0", "s1")}, truth, "AP", against=noisy)


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_scores_are_correlated_as_runs_are(study: Study) -> None:
    """Guards scores in the place of runs, as of measures that read text: the same answer, and what cannot be."""
    runs, truth, noisy = study
    one, two = (tg.evaluate(runs, labels, ["AP", "P@5"]) for labels in (truth, noisy))
    for given, options in (
        ({"against": noisy}, {"against": two}),
        ({"between": "measures"}, {"between": "measures"}),
        ({"between": "halves"}, {"between": "halves"}),
    ):
        of_runs = tg.correlate(runs, truth, ["AP", "P@5"], **given)
        assert tg.correlate(one, **options).table().rows == of_runs.table().rows
    for wrong, why in (
        ({"against": noisy}, "scores are compared with scores"),
        ({"against": tg.evaluate(runs, noisy, "AP")}, "other systems or measures"),
        ({"against": two, "scoring": tg.Scoring(2)}, "these are scores already"),
    ):
        with pytest.raises(TruegainError, match=why):
            tg.correlate(one, **wrong)
    with pytest.raises(TruegainError, match="judgments are missing"):
        tg.correlate(runs, between="halves")


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (tg.correlate, {"method": "wilson", "confidence": 0.95, "top": 10, "rbo_p": 0.9, "resampling": None}),
        (RankOptions, {"confidence": 0.95, "top": 10, "rbo_p": 0.9, "replicates": 2000, "seed": 0}),
        (tau_interval, {"confidence": 0.95, "quantile": "z", "replicates": 2000, "seed": 0}),
        (paired, {"least": 2}),
        (rbo, {"p": 0.9}),
        (top_set, {"alpha": 0.05}),
        (swap_rates, {"splits": 100, "width": 0.01, "bins": 21, "seed": 0}),
    ],
)  # fmt: skip
def test_defaults_are_those_told(function: Callable[..., object], told: dict[str, object]) -> None:
    """Guards what a caller gets who says nothing: the numbers of the docs."""
    given = inspect.signature(function).parameters
    assert {name: given[name].default for name in told} == told


def walked(other: list[float], y: list[float]) -> float:
    """One direction of tau_AP,b by loops."""
    shares = []
    for i in range(len(y)):
        above = [k for k in range(len(y)) if y[k] > y[i]]
        if above:
            shares.append(sum(other[k] > other[i] for k in above) / len(above))
    return 2 * sum(shares) / len(shares) - 1


def test_agreement_by_hand() -> None:
    """Guards every count of an agreement with ties: swapped, tied, ranks, moves, what the top has in common."""
    a = np.array([0.9, 0.7, 0.7, 0.4, 0.2])
    b = np.array([0.5, 0.8, 0.6, 0.6, 0.1])
    found = agreement(list("vwxyz"), a, b, measure="AP", names=("one", "two"), options=RankOptions(top=2, rbo_p=0.8))
    assert (found.pairs, found.swapped, found.tied) == (10, 3, 2)
    assert first_ranks(a).tolist() == [1, 2, 2, 4, 5]
    assert first_ranks(b).tolist() == [4, 1, 2, 2, 5]
    assert found.moves() == [("v", 1, 4), ("y", 4, 2), ("w", 2, 1)]
    assert found.moves(2) == [("v", 1, 4), ("y", 4, 2)]
    assert (ranking("vwxyz", a), ranking("vwxyz", b)) == (list("vwxyz"), list("wxyvz"))
    assert (found.top, found.top_overlap, found.in_common) == (2, 0.5, 1)
    assert found.rbo == rbo("vwxyz", "wxyvz", 0.8)
    assert (found.tau_a, found.tau_b) == pytest.approx((0.2, 2 / 9))
    assert (found.tau_ap_walking_b, found.tau_ap_walking_a) == pytest.approx(
        (walked(list(a), list(b)), walked(list(b), list(a)))
    )
    assert "1 by one, 1 by two" in found.notes[-1]
    assert agreement(list("vwxyz"), a, b, options=RankOptions(top=9)).top == 5
    assert not agreement(list("vwxyz"), a, np.array([5.0, 4, 3, 2, 1]), options=RankOptions(top=1)).notes[1:]
    free = agreement(list("vwx"), a[[0, 1, 3]], b[:3])
    assert (free.tied, free.notes) == (0, ())
    with pytest.raises(TruegainError, match="give at least 3"):
        agreement(["v", "w"], a[:2], b[:2])


def test_what_correlate_is_asked_for() -> None:
    """Guards which wishes go together: two judgments or one, by name or not."""
    assert correlation._between(None, "x") == "judgments"
    assert correlation._between("judgments", "x") == "judgments"
    assert correlation._between("halves", None) == "halves"
    for between, against, said in (
        (None, None, "correlate what"), ("judgments", None, "needs a second"), ("measures", "x", "not two"),
        ("thirds", None, "nothing to correlate"),
    ):  # fmt: skip
        with pytest.raises(TruegainError, match=said):
            correlation._between(between, against)  # type: ignore[arg-type]


def test_names_and_files() -> None:
    """Guards the names of the two sides, and which runs can be read twice."""
    assert correlation.names_of("x/gold.qrels", Path("y/llm.qrels")) == ("gold", "llm")
    assert correlation.names_of("x/gold.qrels", "y/gold.qrels") == ("x/gold.qrels", "y/gold.qrels")
    assert correlation.names_of("x/gold.qrels", {}) == ("a", "b")
    assert correlation._are_files("a.run")
    assert correlation._are_files(["a.run", Path("b.run")])
    assert not correlation._are_files(["a.run", "-"])
    assert not correlation._are_files("-")
    assert not correlation._are_files(iter(["a.run"]))
    assert not correlation._are_files({"a": {}})


def test_measures_of_which_a_system_has_no_value() -> None:
    """Guards against an order with a hole in it: one system without a value is enough to refuse."""
    x = generated(4, 6, seed=1)
    scores = scores_of(x)
    summaries = {"AP": x.mean(axis=1), "RR": np.array([0.1, np.nan, 0.3, 0.2])}
    lacking = replace(scores, values={"AP": x, "RR": x}, summaries=summaries)
    with pytest.raises(TruegainError, match="RR: some systems have no value"):
        correlation._measures(lacking, RankOptions())
    whole = replace(lacking, summaries={**summaries, "RR": np.array([0.1, 0.4, 0.3, 0.2])})
    assert len(correlation._measures(whole, RankOptions())) == 1
