"""Kendall's tau, its intervals, and AP correlation, against scipy, published values and brute force."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from truegain.errors import TruegainError
from truegain.sampling.streams import generator
from truegain.stats.rank_correlation import kendall_tau, tau_ap_b, tau_ap_walking, tau_interval

TIGHT = 1e-9
SCORES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=12)


def two(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Two score vectors from pairs."""
    return [a for a, _ in pairs], [b for _, b in pairs]


def test_every_conformance_value(conformance: Any) -> None:
    """Guards all definitions of tau, its two intervals and tau_AP at 1e-9."""
    cases = conformance("statistics")["rank_correlation"]["cases"]
    assert len(cases) >= 10
    for case in cases:
        x, y, xt, yt = (case[k] for k in ("true", "est", "true_tied", "est_tied"))
        assert kendall_tau(x, y) == pytest.approx(case["tau"], abs=TIGHT)
        assert tau_ap_walking(x, y) == pytest.approx(case["tau_ap"], abs=TIGHT)
        assert tau_ap_b(x, y) == pytest.approx(case["tau_ap_sym"], abs=TIGHT)
        assert kendall_tau(xt, yt, "a") == pytest.approx(case["tau_a_ties"], abs=TIGHT)
        assert kendall_tau(xt, yt, "b") == pytest.approx(case["tau_b_ties"], abs=TIGHT)
        assert tau_ap_b(xt, yt) == pytest.approx(case["tau_ap_b_ties"], abs=TIGHT)
        published = tau_interval(x, y, "hollander-wolfe")
        # at tau = 1 the recorded tau-b is 1 - 1e-16, whose 1 - tau^2 leaves a width of 2e-8; ours is 0
        tolerance = TIGHT if case["tau"] < 0.99 else 1e-8
        assert [published.low, published.high] == pytest.approx(case["nsm3_ci"], abs=tolerance)
        for quantile in ("z", "t"):
            kind: Literal["z", "t"] = "z" if quantile == "z" else "t"
            ours = tau_interval(x, y, "long-cliff", quantile=kind)
            assert ours.se is not None
            assert ours.se**2 == pytest.approx(case["long_cliff_var"], abs=TIGHT)
            assert [ours.low, ours.high] == pytest.approx(case[f"long_cliff_ci_{quantile}"], abs=TIGHT)


def test_published_values(conformance: Any, examples: dict[str, dict[str, Any]]) -> None:
    """Guards against the values printed by ircor and NSM3 themselves, and the worked examples."""
    section = conformance("statistics")["rank_correlation"]
    for case in section["published"]:
        x, y, xt, yt = (case[k] for k in ("x", "y", "xt", "yt"))
        assert kendall_tau(x, y) == pytest.approx(case["tau"], abs=5e-5)
        assert tau_ap_walking(x, y) == pytest.approx(case["tauap"], abs=5e-5)
        assert tau_ap_b(xt, yt) == pytest.approx(case["tauap_b"], abs=5e-5)
        assert kendall_tau(xt, yt, "b") == pytest.approx(case["tau_b"], abs=5e-5)
        assert kendall_tau(x, yt, "a") == pytest.approx(case["tau_a"], abs=5e-5)
    dialogue = section["nsm3_published"]
    ours = tau_interval(dialogue["v1"], dialogue["v2"], "hollander-wolfe")
    assert [ours.low, ours.high] == pytest.approx(dialogue["ci"], abs=5e-4)
    given, expected = examples["tau-1"]["input"], examples["tau-1"]["expected"]
    assert tau_ap_walking(given["true"], given["est"]) == pytest.approx(expected["tau_ap"], abs=5e-7)
    assert tau_ap_walking(given["est"], given["true"]) == pytest.approx(expected["tau_ap_reverse"], abs=5e-7)
    z = tau_interval(given["true"], given["est"], "long-cliff")
    assert [z.low, z.high] == pytest.approx(expected["long_cliff_ci95_z"], abs=5e-7)
    hollander = tau_interval(given["true"], given["est"], "hollander-wolfe")
    assert [hollander.low, hollander.high] == pytest.approx(expected["nsm3_ci95"], abs=5e-7)
    given, expected = examples["tau-ties"]["input"], examples["tau-ties"]["expected"]
    assert kendall_tau(given["x"], given["y"], "a") == pytest.approx(expected["tau_a"], abs=5e-7)
    assert kendall_tau(given["x"], given["y"], "b") == pytest.approx(expected["tau_b"], abs=5e-7)


@settings(deadline=None)
@given(SCORES)
def test_tau_b_is_scipys(pairs: list[tuple[int, int]]) -> None:
    """Guards ties of every kind against scipy, and symmetry and sign."""
    x, y = two(pairs)
    if len(set(x)) == 1 or len(set(y)) == 1:
        with pytest.raises(TruegainError, match="all systems are tied"):
            kendall_tau(x, y)
        return
    ours = kendall_tau(x, y)
    assert ours == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert ours == pytest.approx(kendall_tau(y, x), abs=1e-12)
    assert kendall_tau(x, [-v for v in y]) == pytest.approx(-ours, abs=1e-12)
    assert abs(kendall_tau(x, y, "a")) <= abs(ours) + 1e-12


def test_tau_ap_walks_the_second_argument() -> None:
    """Guards the direction: a swap at the top of the walked ranking costs more than one at its end."""
    true = [5, 4, 3, 2, 1]
    assert tau_ap_walking(true, [4, 5, 3, 2, 1]) < tau_ap_walking(true, [5, 4, 3, 1, 2])
    a, b = [6, 5, 4, 3, 2, 1], [5, 3, 6, 4, 1, 2]
    walked_by_hand = 2 / 5 * sum(k / (i - 1) for i, k in zip(range(2, 7), (0, 2, 1, 4, 4), strict=True)) - 1
    assert tau_ap_walking(a, b) == pytest.approx(walked_by_hand)
    assert tau_ap_walking(a, b) != pytest.approx(tau_ap_walking(b, a))


def test_bootstrap_over_systems_against_a_plain_loop() -> None:
    """Guards the quadratic forms: the same resamples, each scored by scipy, give the same limits."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=15)
    y = np.round(x + rng.normal(size=15), 1)
    ours = tau_interval(x, y, "bootstrap", replicates=300, seed=7)
    counts = generator(7, "systems").multinomial(15, np.full(15, 1 / 15), size=300)
    taus = sorted(stats.kendalltau(np.repeat(x, w), np.repeat(y, w)).statistic for w in counts)
    assert (ours.low, ours.high) == pytest.approx((taus[6], taus[-7]), abs=1e-12)
    assert ours == tau_interval(x, y, "bootstrap", replicates=300, seed=7)
    assert ours != tau_interval(x, y, "bootstrap", replicates=300, seed=8)


def test_intervals_cover_tau() -> None:
    """Guards the size of the intervals: of correlated normals, tau = 2/pi asin(rho), about 95% hold it."""
    rng = np.random.default_rng(11)
    truth, n, trials = 2 / np.pi * np.arcsin(0.8), 40, 400
    held = {"hollander-wolfe": 0, "long-cliff": 0}
    for _ in range(trials):
        x = rng.normal(size=n)
        y = 0.8 * x + 0.6 * rng.normal(size=n)
        for method in held:
            found = tau_interval(x, y, "long-cliff" if method == "long-cliff" else "hollander-wolfe")
            held[method] += found.low <= truth <= found.high
    for method, count in held.items():
        assert 0.91 <= count / trials <= 0.98, method


def test_wilson_limits_are_the_roots_of_the_score_equation() -> None:
    """Guards the default's arithmetic: at both limits (tau - x)^2 = z^2 (1 - x^2)/N, N = (1 - tau^2)/s^2."""
    rng = np.random.default_rng(3)
    for n in (4, 9, 30):
        for level in (0.8, 0.95):
            x = rng.normal(size=n)
            y = x + rng.normal(size=n)
            ours = tau_interval(x, y, confidence=level)
            published = tau_interval(x, y, "hollander-wolfe", confidence=level)
            assert (ours.method, ours.value, ours.se) == ("wilson", published.value, published.se)
            assert ours.se is not None
            z = float(stats.norm.ppf((1 + level) / 2))
            share = ours.se**2 / (1 - ours.value**2)
            for limit in (ours.low, ours.high):
                assert (ours.value - limit) ** 2 == pytest.approx(z**2 * share * (1 - limit**2), abs=1e-12)
            assert -1 < ours.low < ours.value < ours.high < 1


@settings(deadline=None)
@given(SCORES)
def test_default_limits_of_tau_stay_inside(pairs: list[tuple[int, int]]) -> None:
    """Guards [-1, 1] for any scores, tied or not, and some width even where all pairs agree."""
    x, y = two(pairs)
    if len(set(x)) > 1 and len(set(y)) > 1:
        found = tau_interval(x, y)
        assert -1 <= found.low <= found.value <= found.high <= 1
        assert found.low < found.high


def test_total_agreement_by_default() -> None:
    """Guards tau = 1: the limit is Wilson's for floor(n/2) pairs that share no system, by scipy's own Wilson."""
    for n in (4, 5, 12, 51):
        theirs = stats.binomtest(n // 2, n // 2).proportion_ci(method="wilson")
        found = tau_interval(range(n), range(n))
        assert (found.low, found.high) == pytest.approx((2 * theirs.low - 1, 1.0), abs=1e-9)
        opposite = tau_interval(range(n), range(n, 0, -1))
        assert (opposite.low, opposite.high) == pytest.approx((-1.0, 1 - 2 * theirs.low), abs=1e-9)


def test_few_systems_are_covered_by_default() -> None:
    """Guards 5 systems with tau 0.8, where the published interval covers about 60%: the default at least 92%."""
    rng = np.random.default_rng(21)
    rho, held = np.sin(np.pi / 2 * 0.8), {"wilson": 0, "hollander-wolfe": 0}
    for _ in range(400):
        x = rng.normal(size=5)
        y = rho * x + np.sqrt(1 - rho**2) * rng.normal(size=5)
        for method in held:
            found = tau_interval(x, y, "wilson" if method == "wilson" else "hollander-wolfe")
            held[method] += found.low <= 0.8 <= found.high
    assert held["wilson"] >= 0.92 * 400
    assert held["hollander-wolfe"] <= 0.75 * 400


def test_total_agreement_says_that_its_interval_is_empty() -> None:
    """Guards against false certainty: an interval of no width comes with a note."""
    perfect = tau_interval([1, 2, 3, 4], [1, 2, 3, 4], "hollander-wolfe")
    assert (perfect.low, perfect.high) == (1.0, 1.0)
    assert "no width" in perfect.notes[0]
    assert not tau_interval([1, 2, 3, 4], [1, 2, 4, 3], "hollander-wolfe").notes


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kendall_tau([1], [2]), "too few"),
        (lambda: kendall_tau([1, 2], [1, float("nan")]), "1 of 2 systems have no score"),
        (lambda: kendall_tau([1, 2], [1, 2], "c"), "variant of tau 'c' is not known"),  # type: ignore[arg-type]
        (lambda: tau_interval([1, 2, 3], [1, 3, 2], "wald"), "interval of tau .wald. is not known"),  # type: ignore[arg-type]
        (lambda: tau_interval([1, 2, 3], [1, 3, 2], confidence=95), "write 0.95"),
        (lambda: tau_interval([1, 2, 3], [1, 3, 2], "bootstrap", replicates=10), "at least 40"),
        (lambda: tau_interval([1, 2, 3], [1, 3, 2], "long-cliff", quantile="q"), "give one of z, t"),  # type: ignore[arg-type]
        (lambda: tau_ap_b([1, 1], [1, 2]), "no order"),
    ],
)
def test_mistakes_are_told(call: Any, message: str) -> None:
    """Guards the messages: what was wrong and what to give instead."""
    with pytest.raises(TruegainError, match=message):
        call()
