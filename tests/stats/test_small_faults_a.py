"""Small faults in orders of systems, judges and holes: each held against a value found another way."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from scipy import special, stats

import truegain as tg
from tests.worlds import study
from truegain.config import Scoring
from truegain.errors import TruegainError
from truegain.experiments.discriminative import top_set
from truegain.io.columns import Floats
from truegain.judge_error.confusion import Rates, _correlation, added, clearly_positive, effective_size
from truegain.judge_error.diagnostics import Favour, Homogeneity, _favour, _permuted
from truegain.judge_error.intervals import (
    Draws,
    delta,
    delta_se,
    fieller,
    guarded,
    guarded_difference,
    lang_reiczigel,
    many_labels,
    parametric_bootstrap,
    ratios_of_draws,
)
from truegain.judge_error.system_judges import check_inside
from truegain.measures.parse import parse_measure
from truegain.pooling.pools import Filled, leave_out
from truegain.stats.rank_correlation import tau_interval, top_overlap
from truegain.stats.student_t import quantile_of

Z = 1.959964
POOR = Rates(0.45, 0.68, 0.62, 0.0012, 0.0075, 0.0062, 300, 40, 45, 0.3, -0.25, 0.2)  # correlated, D = 0.3
GOOD = Rates(0.4, 0.9, 0.85, 0.0011, 0.0014, 0.0021, 220, 60, 55, 0.2, -0.15, 0.1)


def covariance(r: Rates, v_j: float, v_r: float, v_n: float) -> Floats:
    """Of the bronze mean, mR and mN."""
    sd = np.sqrt([v_j, v_r, v_n])
    corr = np.array([[1, r.corr_jr, r.corr_jn], [r.corr_jr, 1, r.corr_rn], [r.corr_jn, r.corr_rn, 1]])
    return np.asarray(corr * np.outer(sd, sd))


def one_more(m: float, v: float, size: float, more: float) -> tuple[float, float]:
    """Agresti and Coull by hand."""
    n = min(size, m * (1 - m) / v)
    p = (n * m + more / 2) / (n + more)
    return p, p * (1 - p) / (n + more)


# ---------------------------------------------------------------------- judges: rates


def test_labels_that_a_variance_is_worth() -> None:
    """Guards m(1 - m)/V, cut at the labels there are, which also stand where nothing varies."""
    assert effective_size(0.25, 0.01, 100) == pytest.approx(18.75)
    assert effective_size(0.25, 0.01, 10) == 10
    assert [effective_size(m, v, 7) for m, v in ((0.5, 0.0), (0.0, 0.1), (1.0, 0.1))] == [7, 7, 7]
    assert added(0.25, 0.01, 100, 2.0) == pytest.approx(one_more(0.25, 0.01, 100, 2.0))
    assert added(1.0, 0.0, 8, 2.0) == pytest.approx((0.9, 0.009))


def test_a_correlation_is_one() -> None:
    """Guards covariance over standard deviations, kept within -1 and 1, 0 where nothing varies."""
    assert _correlation(0.03, 0.04, 0.09) == pytest.approx(0.5)
    assert (_correlation(1.0, 0.04, 0.09), _correlation(-1.0, 0.04, 0.09), _correlation(1.0, 0.0, 1.0)) == (1, -1, 0)


def test_the_index_of_youden_with_pairs_added() -> None:
    """Guards D and its standard error, correlation and all, and the floor of a quarter of the larger variance."""
    (m_r, v_r), (m_n, v_n) = (one_more(0.68, 0.0075, 40, 2), one_more(0.62, 0.0062, 45, 2))
    d, se = POOR.shrunk_d
    assert d == pytest.approx(m_r + m_n - 1)
    assert se**2 == pytest.approx(v_r + v_n + 2 * 0.2 * math.sqrt(v_r * v_n))
    against = Rates(0.45, 0.68, 0.62, 0.0012, 0.0075, 0.0062, 300, 40, 45, corr_rn=-1.0)
    assert against.shrunk_d[1] ** 2 == pytest.approx(max(v_r, v_n) / 4)


def test_degrees_of_freedom_of_a_corrected_value() -> None:
    """Guards Satterthwaite's sum: V^2 over the sum of V_i^2 / df_i, g^2 and (1 - g)^2 before the rates' variances."""
    r = Rates(0.45, 0.68, 0.62, 0.0012, 0.0075, 0.0062, 300, 40, 45, df_r=9.0, df_n=14.0)
    g = (0.45 - 0.38) / 0.3
    parts = ((0.0012, 29.0), (g**2 * 0.0075, 9.0), ((1 - g) ** 2 * 0.0062, 14.0))
    assert r.value == pytest.approx(g)
    assert r.df(29.0) == pytest.approx(sum(v for v, _ in parts) ** 2 / sum(v**2 / f for v, f in parts))
    df = (0.0075 + 0.0062) ** 2 / (0.0075**2 / 9 + 0.0062**2 / 14)
    assert r.threshold == pytest.approx(stats.t.ppf(0.95, df), rel=1e-6)


@pytest.mark.parametrize(("right", "said"), [(0.75, ""), (0.55, "not clearly better"), (0.25, "inverted")])
def test_a_judge_must_be_clearly_better_than_chance(right: float, said: str) -> None:
    """Guards the test of D, one-sided at 5%: passed, not passed, and passed the wrong way round."""
    v = right * (1 - right) / 60
    rates = Rates(0.5, right, right, 0.001, v, v, 200, 60, 60)
    p, se = (60 * right + 1) / 62, math.sqrt(2 * (60 * right + 1) / 62 * (61 - 60 * right) / 62 / 62)
    assert (abs(2 * p - 1) > 1.645 * se) == (right != 0.55)
    if not said:
        clearly_positive(rates)
        return
    with pytest.raises(TruegainError, match=said):
        clearly_positive(rates)


def test_the_bar_is_that_of_student() -> None:
    """Guards where the bar lies: of judges 60% right those pass whose D is 1.645 errors off 0."""
    passed = []
    for size in range(20, 50):
        p = (0.6 * size + 1) / (size + 2)
        try:
            clearly_positive(Rates(0.5, 0.6, 0.6, 0.001, 0.24 / size, 0.24 / size, 200, size, size))
            passed.append(True)
        except TruegainError:
            passed.append(False)
        assert passed[-1] == ((2 * p - 1) / math.sqrt(2 * p * (1 - p) / (size + 2)) > 1.644854)
    assert len(set(passed)) == 2


# ---------------------------------------------------------------------- judges: intervals


@pytest.mark.parametrize("r", [POOR, GOOD])
def test_delta_is_the_gradient(r: Rates) -> None:
    """Guards eq. 7 with its correlations: the gradient of (j - 1 + mN) / (mR + mN - 1), by differences."""

    def value(x: Floats) -> float:
        return float((x[0] - 1 + x[2]) / (x[1] + x[2] - 1))

    at, eps = np.array([r.j, r.m_r, r.m_n]), 1e-6
    slope = np.array([(value(at + eps * e) - value(at - eps * e)) / (2 * eps) for e in np.eye(3)])
    se = math.sqrt(slope @ covariance(r, r.v_j, r.v_r, r.v_n) @ slope)
    assert delta_se(r) == pytest.approx(se, rel=1e-6)
    assert delta(r, Z) == pytest.approx((value(at) - Z * se, value(at) + Z * se), rel=1e-6)


@pytest.mark.parametrize("r", [POOR, GOOD])
def test_ends_of_fieller_lie_z_errors_off(r: Rates) -> None:
    """Guards every covariance in Fieller's interval: at both ends |A - gD| is z standard errors of A - gD."""
    sigma = covariance(r, r.v_j, r.v_r, r.v_n)
    for g in fieller(r, 0.5):
        w = np.array([1, -g, 1 - g])
        assert 0 < g < 1
        assert abs(r.j - 1 + r.m_n - g * r.d) == pytest.approx(0.5 * math.sqrt(w @ sigma @ w), rel=1e-9)


def test_fieller_without_bounds_and_without_errors() -> None:
    """Guards the refusal where D is within z errors of 0, and rates without errors, which vary all the same."""
    with pytest.raises(TruegainError, match="has no bounds"):
        fieller(POOR, 3.0)
    sure = Rates(0.4, 1.0, 1.0, 0.001, 0.0, 0.0, 240, 20, 20)
    low, high = fieller(sure, 1.0)
    v = 21 / 22 * 1 / 22 / 22  # a right and a wrong pair added
    for g in (low, high):
        assert abs(0.4 - g) == pytest.approx(math.sqrt(0.001 + g**2 * v + (1 - g) ** 2 * v), rel=1e-9)


def shifted(r: Rates, z: float) -> tuple[float, float]:
    """Lang and Reiczigel's interval from their formula, before it is cut."""
    j, v_j = one_more(r.j, r.v_j, r.size_j, z**2)
    (m_r, v_r), (m_n, v_n) = one_more(r.m_r, r.v_r, r.size_r, 2), one_more(r.m_n, r.v_n, r.size_n, 2)
    d = m_r + m_n - 1
    g = (j - 1 + m_n) / d
    w = np.array([1, -g, 1 - g])
    middle = g + 2 * z**2 * (g * v_r - (1 - g) * v_n)
    half = z * math.sqrt(w @ covariance(r, v_j, v_r, v_n) @ w) / d
    return middle - half, middle + half


@pytest.mark.parametrize("r", [POOR, GOOD])
def test_lang_and_reiczigel_by_their_formula(r: Rates) -> None:
    """Guards added counts, shift, correlations and the cut at 0 and 1."""
    low, high = shifted(r, Z)
    assert lang_reiczigel(r, Z) == pytest.approx((max(0, low), min(1, high)))
    low, high = shifted(r, 0.5)
    assert lang_reiczigel(r, 0.5) == pytest.approx((low, high))
    assert 0 < low < high < 1


def not_rejected(mean: Floats, sigma: Floats, contrast: Floats, of_d: Floats, bar: float, z: float) -> bool:
    """Whether T, the contrast of estimates, fits a mean of 0, given that D, another contrast, passed its bar."""
    t, d = float(mean[0]), float(mean[1])
    v_t, c, v_d = contrast @ sigma @ contrast, contrast @ sigma @ of_d, of_d @ sigma @ of_d
    rest = d - t * c / v_t  # of D, independent of T
    edge = (bar * math.sqrt(v_d) - rest) / c * math.sqrt(v_t)  # of T in standard deviations, from where D passes
    x = t / math.sqrt(v_t)
    x, edge = (-x, -edge) if c > 0 else (x, edge)
    tail = math.exp(min(0.0, float(special.log_ndtr(x) - special.log_ndtr(edge))))  # of a normal cut off at the edge
    return bool(special.ndtr(-z) <= tail <= special.ndtr(z))


@pytest.mark.parametrize(("j", "corr_rn"), [(0.45, 0.2), (0.45, -0.4), (0.55, 0.6), (0.5, 0.0)])
def test_guarded_holds_what_the_truncated_normal_does_not_reject(j: float, corr_rn: float) -> None:
    """Guards every covariance in the guarded interval, the bar and the sides, by a truncated normal, point by point."""
    r = Rates(j, 0.68, 0.62, 0.0012, 0.0075, 0.0062, 300, 40, 45, 0.3, -0.25, corr_rn)
    (m_j, v_j), (m_r, v_r) = one_more(r.j, r.v_j, r.size_j, 2), one_more(r.m_r, r.v_r, r.size_r, 2)
    m_n, v_n = one_more(r.m_n, r.v_n, r.size_n, 2)
    sigma, d = covariance(r, v_j, v_r, v_n), m_r + m_n - 1
    held = [
        g
        for g in np.linspace(0, 1, 1001)
        if not_rejected(
            np.array([m_j - 1 + m_n - g * d, d]), sigma, np.array([1, -g, 1 - g]), np.array([0, 1, 1]), 1.644854, 0.9
        )
    ]
    low, high = (min(1, max(0, x)) for x in shifted(r, 0.9))
    assert guarded(r, 0.9) == pytest.approx((min(low, held[0]), max(high, held[-1])), abs=1e-9)
    assert held[0] < low or held[-1] > high  # it matters here


def test_guarded_far_above_the_bar() -> None:
    """Guards where the guard ends: D more than 4 errors beyond the bar; then plain, or eq. 7 with plenty of labels."""
    assert guarded(GOOD, Z) == lang_reiczigel(GOOD, Z)
    many = Rates(0.48, 0.9, 0.8, 0.2496 / 500, 0.09 / 250, 0.16 / 250, 500, 250, 250)
    assert guarded(many, Z) == delta(many, Z)


@pytest.mark.parametrize("change", [0.06, -0.06, 0.11, 0.01])
def test_guarded_difference_is_what_is_not_rejected(change: float) -> None:
    """Guards the interval of a difference over D in the same way, and that D below 1 makes it no smaller."""
    r = Rates(0.5, 0.65, 0.6, 0.0, 0.65 * 0.35 / 50, 0.24 / 50, 100, 50, 50)
    (d_hat, se), sigma = r.shrunk_d, np.diag([0.02**2, r.shrunk_d[1] ** 2])
    half, held = 1.2 * 0.02, []
    for x in np.linspace(-1, 1, 2001):
        if (change > half and x < change - half) or (change < -half and x > change + half) or abs(x) < 1e-12:
            continue
        mean = np.array([change - x * d_hat, d_hat])
        if not_rejected(mean, sigma, np.array([1, -x]), np.array([0.0, 1.0]), 1.644854, 1.2):
            held.append(float(x))
    assert guarded_difference(change, 0.02**2, r, 1.2) == pytest.approx((held[0], held[-1]), abs=1e-9)
    assert se * 8 > d_hat


def test_no_guard_for_a_difference_far_above() -> None:
    """Guards the end of it: D more than 8 standard errors above 0 needs none."""
    for m, needed in ((0.80, True), (0.86, False)):
        r = Rates(0.5, m, m, 0.0, m * (1 - m) / 50, m * (1 - m) / 50, 100, 50, 50)
        d, se = r.shrunk_d
        assert (d <= 8 * se) == needed
        assert (guarded_difference(0.1, 0.01, r, Z) is None) != needed


@pytest.mark.parametrize(
    ("j", "m_r", "size_j", "size_r", "yes"),
    [
        (0.48, 0.9, 500, 250, True), (0.48, 0.9, 500, 201, True), (0.48, 0.9, 500, 199, False),
        (0.48, 0.9, 40, 250, False), (0.36, 0.9, 500, 250, False), (0.39, 0.9, 500, 250, True),
        (0.71, 0.9, 500, 250, True), (0.74, 0.9, 500, 250, False),
    ],
)  # fmt: skip
def test_plenty_of_labels(j: float, m_r: float, size_j: float, size_r: float, yes: bool) -> None:
    """Guards the rule: 20 wrong and right labels of every kind, and (j - 0.2) / 0.7 between 1/4 and 3/4."""
    r = Rates(j, m_r, 0.8, j * (1 - j) / size_j, 0.09 / size_r, 0.16 / 250, size_j, size_r, 250)
    assert many_labels(r) == yes


def test_bootstrap_draws() -> None:
    """Guards which draws are kept (D* above a tenth of D), how many may be lost, their spread and percentiles."""
    numerator, d = np.arange(1000.0), np.full(1000, 0.5)
    d[:10] = 0.05  # a tenth of 0.5 is not above it
    found = ratios_of_draws(numerator, d, 0.5)
    assert (found.spoilt, len(found.values), found.values[0]) == (10, 990, 20.0)
    d[10] = 0.0
    with pytest.raises(TruegainError, match="11 of 1000"):
        ratios_of_draws(numerator, d, 0.5)
    draws = Draws(np.arange(101.0), 0)
    assert draws.se == pytest.approx(math.sqrt(101 * 102 / 12))
    assert draws.interval(0.9) == pytest.approx((5, 95))


def test_bootstrap_of_three_binomials() -> None:
    """Guards algorithm 1 by its moments: the mean and spread of linear parts where D hardly varies."""
    r = Rates(0.3, 0.9, 0.8, 0.3 * 0.7 / 100, 0.0, 0.0, 100, 1e6, 1e6)
    found = parametric_bootstrap(r, trials=20_000, seed=3)
    assert found.values.mean() == pytest.approx(0.1 / 0.7, abs=4 * 0.065 / math.sqrt(20_000))
    assert found.se == pytest.approx(math.sqrt(0.21 / 100) / 0.7, rel=0.03)
    given = parametric_bootstrap(r, trials=2000, seed=3, j_draws=np.full(2000, 0.3))
    assert given.se < 0.005


def test_trials_of_a_correction() -> None:
    """Guards the fewest resamples: 100 are taken, 99 refused."""
    runs, bronze, gold = study(1, topics=12, docs=8)
    tg.correct(runs, bronze, "P@5", gold=tg.Gold(gold, design="by-gold"), resampling=tg.Resampling(n=100))
    with pytest.raises(TruegainError, match="at least 100"):
        tg.correct(runs, bronze, "P@5", gold=tg.Gold(gold, design="by-gold"), resampling=tg.Resampling(n=99))


def test_inside_the_limits() -> None:
    """Guards value and interval held at 0 and 1, the note where this moved the value, and the refusal beyond."""
    assert check_inside(0.5, 0.2, (0.0, 1.0)) == (0.5, 0.3, 0.7, ())
    value, low, high, notes = check_inside(1.1, 0.2, (0.0, 1.0))
    assert (value, low, high, len(notes)) == pytest.approx((1.0, 0.9, 1.0, 1))
    assert check_inside(-0.1, 0.2, (0.0, 1.0))[:3] == pytest.approx((0.0, 0.0, 0.1))
    assert check_inside(1.0, 0.0, (0.0, 1.0)) == (1.0, 1.0, 1.0, ())
    assert check_inside(-0.25, 0.25, (0.0, 1.0))[:3] == (0.0, 0.0, 0.0)
    for outside in (1.3, -0.3):
        with pytest.raises(TruegainError, match="clearly outside"):
            check_inside(outside, 0.2, (0.0, 1.0))


# ---------------------------------------------------------------------- judges: homogeneity


@pytest.mark.parametrize(
    ("lists", "right"),
    [(("01000000", "11111101", "10000100"), "10101011"), (("10110101", "10011101", "10000010"), "01011010")],
)
def test_the_permutation_test_against_all_permutations(lists: tuple[str, ...], right: str) -> None:
    """Guards the statistic, centred and scaled by system: p of all orders within topics, within chance."""
    member = np.array([[float(x) for x in row] for row in lists])
    topic, good = np.array([0, 0, 1, 1, 1, 1, 0, 0]), np.array([float(x) for x in right])
    where = [np.flatnonzero(topic == t) for t in (0, 1)]
    expected = np.array([good[topic == t].mean() for t in topic.tolist()])

    def statistic(x: Floats) -> float:
        total = 0.0
        for row in member:
            off = sum(row[i] * (x[i] - expected[i]) for i in range(8))
            total += off**2 / sum(row[i] * expected[i] * (1 - expected[i]) for i in range(8))
        return total

    observed, reached = statistic(good), []
    for one, two in product(permutations(where[0].tolist()), permutations(where[1].tolist())):
        x = good.copy()
        x[where[0]], x[where[1]] = good[list(one)], good[list(two)]
        reached.append(statistic(x) >= observed - 1e-9)
    p = float(np.mean(reached))
    found = _permuted(member, good, topic, 9999, np.random.default_rng(1))
    assert found is not None
    assert 0.02 < p < 0.98
    assert found == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 10_000) + 1e-4)
    few = _permuted(member, good, topic, 7, np.random.default_rng(1))
    assert few is not None
    assert (few * 8) % 1 == pytest.approx(0)  # (1 + above) / (1 + trials)
    assert _permuted(member[:, :1], good[:1], topic[:1], 9, np.random.default_rng(1)) is None
    assert _permuted(member, np.ones(8), topic, 9, np.random.default_rng(1)) is None


def test_three_tests_together() -> None:
    """Guards Bonferroni over the tests that there are, and over systems for the favour; the clearest; the verdict."""
    favours = (Favour("x", 0.1, 0.05, 20.0), Favour("y", -0.09, 0.03, 20.0), Favour("z"))
    counts = np.full((3, 2), 10.0)
    found = Homogeneity(tuple("xyz"), counts - 3, counts, 0.01, None, 100, "P@5", favours)
    assert found.clearest is favours[1]
    favour = 2 * stats.t.sf(3.0, 20)
    assert found.adjusted == {"mR": None, "mN": pytest.approx(0.02), "favour": pytest.approx(2 * 3 * favour, rel=1e-6)}
    assert found.differs
    two = Homogeneity(tuple("xy"), counts[:2] - 3, counts[:2], 0.3, 0.03, 100, "P@5", favours[:2])
    assert two.adjusted["favour"] == pytest.approx(3 * favour, rel=1e-6)
    assert two.adjusted["mR"] == pytest.approx(0.09)
    none = Homogeneity(tuple("xy"), counts[:2] - 3, counts[:2], 0.3, 0.026, 100, "P@5", (Favour("x"), Favour("y")))
    assert none.clearest is None
    assert not none.differs
    assert found.table().rows[0][1:6] == pytest.approx((10, 0.7, 10, 0.7, 0.4))
    assert replace(none, p_n=None, p_r=0.049).differs
    assert not replace(none, p_n=None, p_r=0.051).differs


def test_p_and_interval_of_a_favour() -> None:
    """Guards t over topics: two-sided p and limits by scipy, for one test and for three."""
    f = Favour("x", 0.1, 0.04, 12.0)
    p, t = 2 * stats.t.sf(2.5, 12), stats.t.ppf(0.975, 12)
    assert (f.p(), f.p(3), f.p(1000)) == pytest.approx((p, 3 * p, 1.0), rel=1e-6)
    assert (f.low, f.high) == pytest.approx((0.1 - t * 0.04, 0.1 + t * 0.04), rel=1e-6)
    t = stats.t.ppf(1 - 0.025 / 3, 12)
    assert f.interval(3) == pytest.approx((0.1 - t * 0.04, 0.1 + t * 0.04), rel=1e-6)


def test_the_variance_of_a_favour_is_over_topics() -> None:
    """Guards moves summed by topic, topics counted as (sum)^2 / sum of squares, and the floor of independent pairs."""
    moves, topic = np.array([0.1, 0.1, -0.2, -0.1, 0.1]), np.array([0, 0, 1, 2, 3])
    m = 0.6**2 / (0.2**2 + 0.2**2 + 0.1**2 + 0.1**2)
    found = _favour("x", 0.3, moves, topic)
    assert found.df == pytest.approx(m - 1)
    assert found.se == pytest.approx(math.sqrt(0.1 * m / (m - 1)))
    balanced = _favour("x", 0.3, np.array([0.1, -0.1, 0.1, -0.1]), np.array([0, 0, 1, 1]))
    assert balanced.se == pytest.approx(0.2)
    assert balanced.df == pytest.approx(1.0)
    assert _favour("x", 0.3, np.array([0.1, 0.1]), np.array([1, 1])).se is None
    assert _favour("x", 0.3, np.array([0.3, 0.1]), np.array([0, 1])).se is None  # worth 1.6 topics


# ---------------------------------------------------------------------- orders of systems


def test_the_top_set_keeps_a_p_of_alpha() -> None:
    """Guards the edge: a p of just alpha does not tell apart; and rows of a matrix are the best system's."""
    assert top_set(["a", "b", "c"], [0.3, 0.5, 0.45], [0.05, 1.0, 0.0499]) == ("b", "a")
    p = np.array([[1, 0.2, 0.9], [0.2, 1, 0.01], [0.9, 0.01, 1]])
    assert top_set(["a", "b", "c"], [0.3, 0.5, 0.45], p) == ("b", "a")
    assert top_set(["a", "b"], [0.3, 0.5], [0.2, np.nan], 0.3) == ("b",)


def test_depths_at_the_edge() -> None:
    """Guards the whole length as a depth, and one more as an error."""
    assert top_overlap("abc", "bcd", 3) == pytest.approx(2 / 3)
    assert top_overlap("abc", "bcd", 1) == 0.0
    for depth in (0, 4):
        with pytest.raises(TruegainError, match="cannot be compared"):
            top_overlap("abc", "bcd", depth)


def test_long_and_cliff_with_t() -> None:
    """Guards the t quantile: of n - 2 degrees of freedom, over the z interval's width."""
    x, y = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [0.62, 0.7, 0.55, 0.58, 0.3, 0.35]
    z, t = tau_interval(x, y, "long-cliff"), tau_interval(x, y, "long-cliff", quantile="t")
    assert (t.high - t.value) / (z.high - z.value) == pytest.approx(stats.t.ppf(0.975, 4) / stats.norm.ppf(0.975))
    assert t.high - t.value == pytest.approx(t.value - t.low)
    c = tau_interval(x, [-v for v in y], "long-cliff")
    assert (c.low, c.high) == pytest.approx((-z.high, -z.low))
    assert quantile_of(0.95, 4) == pytest.approx(stats.t.ppf(0.975, 4), rel=1e-6)


# ---------------------------------------------------------------------- holes


def holes_of(runs: object, qrels: object, measure: str = "P@2") -> tuple[Filled, set[tuple[str, str]]]:
    """The pool with unjudged documents, and which these are."""
    filled = Filled.of(runs, qrels, parse_measure(measure), Scoring())
    pool = filled.ranked.pool
    items = np.flatnonzero(filled.hole).tolist()
    return filled, {(filled.ranked.topics[int(pool.topic[i])], pool.docs[i]) for i in items}


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_every_unjudged_pair_of_topic_and_document_is_in_question() -> None:
    """Guards the keys of topic and document: many documents, and a single one that several topics have."""
    rng = np.random.default_rng(2)
    runs = {s: {t: {f"d{i}": float(rng.random()) for i in rng.choice(9, 4, False)} for t in "123"} for s in "xyz"}
    qrels = {t: {f"d{i}": 1 for i in rng.choice(9, 3, False)} for t in "123"}
    expected = {(t, d) for run in runs.values() for t, docs in run.items() for d in docs if d not in qrels[t]}
    assert holes_of(runs, qrels)[1] == expected
    assert len({t for t, _ in expected}) == 3
    alone = {"s": {t: {"x": 1.0} for t in "123"}}
    assert holes_of(alone, {"1": {"y": 1}, "2": {"y": 1}, "3": {"x": 1}})[1] == {("1", "x"), ("2", "x")}


def test_labels_that_a_hole_may_have() -> None:
    """Guards the levels: 0 and every label above it, a fraction and 1 too, none below."""
    runs = {"s": {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0, "e": 0.5}}}
    filled, _ = holes_of(runs, {"1": {"a": 0.5, "b": 1.0, "c": 2.0, "d": 0.0}}, "DCG@5")
    assert filled.levels.tolist() == [0.0, 0.5, 1.0, 2.0]


def test_shares_stop_at_the_depth() -> None:
    """Guards the share of unjudged documents: those down to and with the depth, over the list's length if shorter."""
    runs = {"s": {"1": {"a": 4.0, "b": 3.0, "c": 2.0}}, "r": {"1": {"c": 2.0}}}
    filled, _ = holes_of(runs, {"1": {"b": 1}})
    assert [filled.share(d)[:, 0].tolist() for d in (1, 2, 4)] == [[1, 1], [0.5, 1], [pytest.approx(2 / 3), 1]]


def test_ranks_and_relevant_judgments_lost() -> None:
    """Guards ranks with and without, which equal scores share, and the judgments lost that are relevant."""
    runs = {"a": {"1": {"x": 3.0, "w": 2.0}}, "b": {"1": {"y": 3.0, "v": 2.0}}, "c": {"1": {"y": 3.0, "x": 2.0}}}
    a, b, c = leave_out(runs, {"1": {"x": 1, "y": 2, "w": 0, "v": 1}}, "P@2", pool_depth=2)
    assert (a.lost, a.lost_relevant, b.lost, b.lost_relevant, c.lost) == (1, 0, 1, 1, 0)
    assert (a.rank, b.rank, c.rank) == (3, 1, 1)
    assert (b.rank_without, b.score, b.without) == (2, 1.0, 0.5)
