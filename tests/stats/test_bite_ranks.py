"""Rank correlations where a small fault would hide: defaults, edges, ties, and the bootstrap drawn by hand."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.judge_error.matrices import generated, scores_of
from truegain.errors import TruegainError
from truegain.experiments.discriminative import top_set
from truegain.sampling.streams import generator
from truegain.stats import correlate as correlation
from truegain.stats.correlate import RankOptions, agreement, ranking, swap_rates
from truegain.stats.rank_correlation import (
    first_ranks,
    kendall_tau,
    paired,
    rbo,
    tau_ap_b,
    tau_ap_walking,
    tau_interval,
    top_overlap,
)

X = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
Y = [0.62, 0.7, 0.55, 0.58, 0.3, 0.35]


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


# ---------------------------------------------------------------------- tau


def test_limits_of_the_bootstrap_are_the_kth_of_the_draws() -> None:
    """Guards k = floor((B+1)(1-level)/2) at both ends, its least value 1, the standard error, and who was redrawn."""
    x, y = [1.0, 1, 2, 3], [1.0, 2, 2, 2]  # small and tied, so that whole resamples tie
    for replicates, level in ((40, 0.95), (99, 0.9), (200, 0.8)):
        found = tau_interval(x, y, "bootstrap", confidence=level, replicates=replicates, seed=4)
        rng = generator(4, "systems")
        draws: list[float] = []
        again = 0
        while len(draws) < replicates:
            for w in rng.multinomial(4, np.full(4, 1 / 4), size=replicates - len(draws)):
                a, b = np.repeat(x, w), np.repeat(y, w)
                if len(set(a)) > 1 and len(set(b)) > 1:
                    draws.append(float(stats.kendalltau(a, b).statistic))
                else:
                    again += 1
        draws.sort()
        k = max(1, int((replicates + 1) * (1 - level) / 2 + 1e-9))
        assert (found.low, found.high) == pytest.approx((draws[k - 1], draws[-k]), abs=1e-12)
        assert found.se == pytest.approx(np.std(draws, ddof=1), rel=1e-9)
        assert again > 0
        assert found.notes[0] == f"{again} resamples in which one side was all tied were drawn again"
    whole = tau_interval(X, [*Y[:-1], 0.31], "bootstrap", replicates=200, seed=1)
    assert not whole.notes  # nothing was drawn again, and nothing is said


def test_hollander_and_wolfe_written_out() -> None:
    """Guards s^2 with ties, by sums over pairs, and the normal quantile whatever `quantile` says."""
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 5, 9).astype(float), rng.integers(0, 5, 9).astype(float)
    n = 9
    c = [sum(np.sign(x[i] - x[k]) * np.sign(y[i] - y[k]) for k in range(n)) for i in range(n)]
    tau = float(stats.kendalltau(x, y).statistic)
    s2 = 2 / (n * (n - 1)) * (2 * (n - 2) / (n * (n - 1)) * np.var(c, ddof=1) + 1 - tau**2)
    for quantile in ("z", "t"):
        found = tau_interval(x, y, "hollander-wolfe", quantile=quantile, confidence=0.9)
        assert found.se == pytest.approx(np.sqrt(s2), rel=1e-9)
        assert found.high - tau == pytest.approx(stats.norm.ppf(0.95) * np.sqrt(s2), rel=1e-9)
        assert tau - found.low == pytest.approx(stats.norm.ppf(0.95) * np.sqrt(s2), rel=1e-9)
    assert not found.notes


def test_long_and_cliff_written_out() -> None:
    """Guards V with ties, by sums over pairs: variance of t_i over n - 1, of products over n(n-1) - 1."""
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 6, 8).astype(float), rng.integers(0, 6, 8).astype(float)
    n = 8
    products = [[np.sign(x[i] - x[k]) * np.sign(y[i] - y[k]) for k in range(n)] for i in range(n)]
    tau = sum(map(sum, products)) / (n * (n - 1))
    rows = [sum(row) / (n - 1) for row in products]
    systems = sum((t - tau) ** 2 for t in rows) / (n - 1)
    pairs = (sum(p * p for row in products for p in row) - n * (n - 1) * tau**2) / (n * (n - 1) - 1)
    se = np.sqrt((4 * (n - 2) * systems + 2 * pairs) / (n * (n - 1)))
    for quantile, far in (("z", stats.norm.ppf(0.975)), ("t", stats.t.ppf(0.975, n - 2))):
        found = tau_interval(x, y, "long-cliff", quantile=quantile)  # type: ignore[arg-type]
        assert (found.value, found.se) == pytest.approx((tau, se), rel=1e-9)
        assert (found.low, found.high) == pytest.approx((tau - far * se, tau + far * se), rel=1e-9)


def test_how_few_systems_are_enough() -> None:
    """Guards the least numbers: two for tau, three for an interval, and vectors only."""
    assert kendall_tau([1, 2], [1, 2]) == 1
    assert tau_interval([1, 2, 3], [1, 3, 2]).n == 3
    for call, said in (
        (lambda: tau_interval([1, 2], [1, 2]), "give at least 3"),
        (lambda: paired([[1, 2], [3, 4]], [[1, 2], [3, 4]]), "cannot be paired"),
        (lambda: paired([1, np.nan, 3], [np.nan, 1, 3]), "2 of 3 systems"),
        (lambda: kendall_tau([1, 1], [1, 2]), "tied in the first"),
        (lambda: kendall_tau([1, 2], [1, 1]), "tied in the second"),
    ):
        with pytest.raises(TruegainError, match=said):
            call()


# ---------------------------------------------------------------------- AP correlation


def walked(other: list[float], y: list[float]) -> float:
    """One direction of tau_AP,b by loops."""
    shares = []
    for i in range(len(y)):
        above = [k for k in range(len(y)) if y[k] > y[i]]
        if above:
            shares.append(sum(other[k] > other[i] for k in above) / len(above))
    return 2 * sum(shares) / len(shares) - 1


def test_ap_correlation_with_ties_by_loops() -> None:
    """Guards ties on either side and both, and who is walked; without ties all forms are one."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        x, y = (rng.integers(0, 4, 6).astype(float).tolist() for _ in range(2))
        if min(len(set(x)), len(set(y))) < 2:
            continue
        assert tau_ap_walking(x, y) == pytest.approx(walked(x, y))
        assert tau_ap_b(x, y) == pytest.approx((walked(x, y) + walked(y, x)) / 2)


# ---------------------------------------------------------------------- overlap


def test_the_edges_of_the_top() -> None:
    """Guards the least and the largest top, the best system's own p, which is not read, and order by score."""
    assert top_overlap("abc", "bca", 3) == 1
    assert top_overlap("abc", "acb", 1) == 1
    with pytest.raises(TruegainError, match="top 0"):
        top_overlap("abc", "acb", 0)
    assert top_set(["a", "b", "c", "d"], [0.2, 0.5, 0.45, 0.45], [0.3, np.nan, 0.05, 0.049]) == ("b", "c", "a")
    matrix = np.full((3, 3), 0.5)
    matrix[0] = (np.nan, 0.01, 0.2)
    assert top_set(["a", "b", "c"], [0.9, 0.5, 0.45], matrix) == ("a", "c")
    with pytest.raises(TruegainError, match="2 systems need"):
        top_set(["a", "b"], [0.9, 0.5], np.full((2, 3), 0.5))


# ---------------------------------------------------------------------- agreement and correlate


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


def test_pairs_swap_in_the_last_bin_too() -> None:
    """Guards bins by default: 21 of width 0.01, the last one for all that is larger; equal pairs do not swap."""
    x = generated(5, 9, seed=4)
    x[1] = x[0]
    found = swap_rates(scores_of(x), splits=20, seed=3)
    assert (len(found.pairs), int(found.pairs.sum())) == (21, 200)
    assert found.begin[[0, 1, -1]] == pytest.approx([0, 0.01, 0.2])
    assert found.pairs[0] >= 20
    assert found.topics == 4


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
