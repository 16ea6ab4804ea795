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
from truegain.stats import rank_correlation
from truegain.stats.rank_correlation import kendall_tau, paired, tau_ap_b, tau_ap_walking, tau_interval
from truegain.stats.student_t import quantile_of

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


X = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]


Y = [0.62, 0.7, 0.55, 0.58, 0.3, 0.35]


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


def test_long_and_cliff_with_t() -> None:
    """Guards the t quantile: of n - 2 degrees of freedom, over the z interval's width."""
    x, y = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [0.62, 0.7, 0.55, 0.58, 0.3, 0.35]
    z, t = tau_interval(x, y, "long-cliff"), tau_interval(x, y, "long-cliff", quantile="t")
    assert (t.high - t.value) / (z.high - z.value) == pytest.approx(stats.t.ppf(0.975, 4) / stats.norm.ppf(0.975))
    assert t.high - t.value == pytest.approx(t.value - t.low)
    c = tau_interval(x, [-v for v in y], "long-cliff")
    assert (c.low, c.high) == pytest.approx((-z.high, -z.low))
    assert quantile_of(0.95, 4) == pytest.approx(stats.t.ppf(0.975, 4), rel=1e-6)


@pytest.mark.parametrize(
    ("replicates", "confidence", "k"), [(199, 0.9, 10), (200, 0.9, 10), (99, 0.95, 2), (40, 0.95, 1)]
)
def test_bootstrap_limits_are_order_statistics(
    replicates: int, confidence: float, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards the rank of the limits, by its definition: the k-th smallest and largest, k = floor((B+1)(1-c)/2)."""
    draws = np.linspace(-0.99, 0.99, replicates)
    monkeypatch.setattr(rank_correlation, "_bootstrap", lambda *_: (draws, 0))
    found = tau_interval(
        [3.0, 2.0, 1.0, 4.0], [3.0, 1.0, 2.0, 4.0], "bootstrap", confidence=confidence, replicates=replicates
    )
    assert (found.low, found.high) == (draws[k - 1], draws[replicates - k])
