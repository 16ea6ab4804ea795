"""Intervals behind a judge's rates: delta, Fieller, Lang and Reiczigel, guarded, bootstraps, each found another way."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from scipy import special

import truegain as tg
from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.judge_error.confusion import Bounded, Confusion, Rates
from truegain.judge_error.intervals import (
    LARGEST_CONDITION,
    Draws,
    _cut,
    bootstrap_over_topics,
    delta,
    delta_se,
    fieller,
    guarded,
    guarded_difference,
    interval_of,
    lang_reiczigel,
    many_labels,
    parametric_bootstrap,
    ratios_of_draws,
)
from truegain.judge_error.judges import CorrectionOptions
from truegain.judge_error.label_tables import TopicMatrix
from truegain.judge_error.topic_estimators import MatrixFit
from truegain.sampling.streams import generator
from truegain.stats.results import Estimate
from truegain.stats.student_t import quantile_of

FAIR = Rates(0.4, 0.9, 0.85, 0.0011, 0.0014, 0.0021, 220, 60, 55)


def interval(rates: Rates, method: str, point: object = None, trials: int = 100, confidence: float = 0.95) -> Estimate:
    """The interval of these rates, degrees of freedom 30."""
    inside = SimpleNamespace(value=0.3, at="inside") if point is None else point
    return interval_of(
        rates, 30.0, CorrectionOptions(cast("Any", method), confidence, resamples=trials, seed=1),
        point=cast("Bounded", inside), noted=("first",),
    )  # fmt: skip


def test_the_interval_asked_for() -> None:
    """Guards the delta interval with Student's quantile, ends held inside 0 to 1, and what is noted."""
    one = interval(FAIR, "delta")
    g = FAIR.value
    se = math.sqrt(0.0011 + g**2 * 0.0014 + (1 - g) ** 2 * 0.0021) / 0.75
    assert one.se == pytest.approx(se)
    assert (one.low, one.high) == pytest.approx((g - quantile_of(0.95, 30) * se, g + quantile_of(0.95, 30) * se))
    assert (one.value, one.uncorrected, one.method, one.notes) == (0.3, 0.4, "delta", ("first",))
    low, high = (
        interval(rates, "delta", SimpleNamespace(value=min(max(rates.value, 0.0), 1.0), at="inside"))
        for rates in (replace(FAIR, j=0.16), replace(FAIR, j=0.89))
    )
    assert low.low == 0.0 < low.high < 0.2
    assert high.high == 1.0 > high.low > 0.8
    edge = interval(FAIR, "delta", SimpleNamespace(value=0.0, at="low"))
    assert edge.notes[-1] == "the plain ratio is 0.333; the value is the constrained maximum likelihood estimate"
    with pytest.raises(tg.TruegainError, match=r"delta interval has no width: .* first\. Check"):
        interval(replace(FAIR, j=0.99, v_j=1e-6, v_r=1e-6, v_n=1e-6), "delta")
    with pytest.raises(tg.TruegainError, match="rectify needs the labels, not summary figures"):
        interval(FAIR, "rectify")
    with pytest.raises(tg.TruegainError, match="method 'x' is not known; give one of default, lang-reiczigel"):
        interval(FAIR, "x")


def test_a_judge_that_passes_only_just_is_told() -> None:
    """Guards the note of a widened interval, and the names of what was done."""
    poor = Rates(0.45, 0.68, 0.62, 0.0012, 0.0075, 0.0062, 300, 40, 45)
    one = interval(poor, "default")
    assert one.method == "lang-reiczigel, guarded"
    assert one.notes[1].startswith("the judge is only just better than chance (informedness 0.30, se 0.1")
    assert interval(FAIR, "default").notes == ("first",)
    rich = Rates(0.4, 0.9, 0.85, 1e-4, 1e-4, 1e-4, 9000, 9000, 9000)
    assert interval(rich, "default").method == "delta"
    boot = interval(poor, "bootstrap", trials=200)
    assert boot.method == "bootstrap"
    assert boot.notes[1:] == () or "of 200 bootstrap draws had a D* near 0" in boot.notes[1]
    assert boot.se == pytest.approx(interval(poor, "delta").se, rel=1.5)


def test_a_judge_that_did_not_pass_is_guarded_quietly() -> None:
    """Guards tails of more than 1, which are of a D below its bar: nothing is held by them, and nothing overflows."""
    poor = Rates(0.5, 0.52, 0.52, 1e-4, 0.25 / 4000, 0.25 / 4000, 2500, 4000, 4000)
    worse = Rates(0.5, 0.45, 0.45, 1e-4, 0.25 / 4000, 0.25 / 4000, 2500, 4000, 4000)
    assert poor.shrunk_d[0] > 0 > worse.shrunk_d[0]
    with np.errstate(over="raise"):
        assert guarded(worse, 1.0) == lang_reiczigel(worse, 1.0)
        assert guarded_difference(0.3, 1e-4, worse, 1.0) is None
        assert guarded_difference(0.3, 1e-4, poor, 1.0) is None  # 0.3 / D is above 1


@pytest.mark.parametrize(
    ("value", "size_r", "yes"),
    [(0.255, 250, True), (0.245, 250, False), (0.745, 250, True), (0.755, 250, False), (0.5, 206, True),
     (0.5, 194, False)],
)  # fmt: skip
def test_where_plenty_begins(value: float, size_r: float, yes: bool) -> None:
    """Guards values from 1/4 to 3/4, and 20 wrong labels of those a tenth of which are wrong, closely."""
    j = 0.2 + 0.7 * value
    r = Rates(j, 0.9, 0.8, j * (1 - j) / 500, 0.09 / size_r, 0.16 / 250, 500, size_r, 250)
    assert r.value == pytest.approx(value)
    assert many_labels(r) == yes


@pytest.mark.parametrize("errors", [9.8, 10.2])
def test_plenty_is_ten_errors(errors: float) -> None:
    """Guards D ten standard errors above 0, all else being plenty: the same judge, correlated so much."""
    v = 0.24 / 400
    sizes = [
        Rates(0.5, 0.6 + x, 0.6 + x, 0.25 / 900, v, v, 900, 400, 400, corr_rn=0.0) for x in np.arange(0, 0.2, 1e-4)
    ]
    near = min(sizes, key=lambda r: abs(r.shrunk_d[0] / r.shrunk_d[1] - errors))
    d, se = near.shrunk_d
    assert d / se == pytest.approx(errors, abs=0.1)
    assert many_labels(near) == (errors > 10)


@pytest.mark.parametrize(("errors", "needed"), [(7.9, True), (8.1, False)])
def test_the_guard_of_a_difference_ends_at_eight_errors(errors: float, needed: bool) -> None:
    """Guards 8 closely: twice the four errors that lie far beyond a bar."""
    several = [
        Rates(0.5, m, m, 0.0, m * (1 - m) / 50, m * (1 - m) / 50, 100, 50, 50) for m in np.arange(0.7, 0.95, 1e-4)
    ]
    near = min(several, key=lambda r: abs(r.shrunk_d[0] / r.shrunk_d[1] - errors))
    d, se = near.shrunk_d
    assert d / se == pytest.approx(errors, abs=0.05)
    assert (guarded_difference(0.1, 0.01, near, 1.96) is not None) == needed


def test_a_difference_is_no_smaller_than_that_of_bronze() -> None:
    """Guards that D is at most 1: five right pairs of each kind leave D above 1 open, and it is left out."""
    r = Rates(0.5, 1.0, 1.0, 0.0, 0.0, 0.0, 100, 5, 5)
    d, se = r.shrunk_d
    assert 0.3 / (d + 1.96 * se) < 0.29  # what would be held otherwise
    up, down = guarded_difference(0.3, 1e-6, r, 1.96), guarded_difference(-0.3, 1e-6, r, 1.96)
    assert up is not None
    assert down is not None
    assert up[0] == pytest.approx(0.299, abs=1e-9)  # the first of the grid above 0.3 - 1.96 / 1000
    assert down == pytest.approx((-up[1], -up[0]))


def test_one_draw_of_a_hundred_may_be_lost() -> None:
    """Guards 1% closely: 20 of 2,000 draws, not 21."""
    d = np.full(2000, 0.5)
    d[:20] = 0.0
    assert ratios_of_draws(np.ones(2000), d, 0.5).spoilt == 20
    d[20] = 0.0
    with pytest.raises(TruegainError, match="21 of 2000"):
        ratios_of_draws(np.ones(2000), d, 0.5)


def test_limits_are_cut_at_0_and_1() -> None:
    """Guards both ends of both limits."""
    assert [_cut(*x) for x in ((1.2, 1.3), (-0.3, -0.2), (0.6, 0.7), (-0.1, 1.02))] == [
        (1, 1),
        (0, 0),
        (0.6, 0.7),
        (0, 1),
    ]


def test_draws_of_a_bootstrap_one_by_one() -> None:
    """Guards algorithm 1 to the last digit: three binomials of rounded sizes, j of one label at the least."""
    r = Rates(0.4, 0.9, 0.85, 0.01, 0.0, 0.0, 0.2, 39.6, 60.4)
    rng = generator(5, "binomials")
    j, m_r, m_n = rng.binomial(1, 0.4, 300) / 1, rng.binomial(40, 0.9, 300) / 40, rng.binomial(60, 0.85, 300) / 60
    found = parametric_bootstrap(r, trials=300, seed=5)
    assert found.spoilt == 0
    assert found.values == pytest.approx((j - 1 + m_n) / (m_r + m_n - 1))
    many = Rates(0.4, 0.9, 0.85, 0.01, 0.0, 0.0, 24.4, 39.6, 60.4)
    rng = generator(5, "binomials")
    j = rng.binomial(24, 0.4, 300) / 24
    m_r, m_n = rng.binomial(40, 0.9, 300) / 40, rng.binomial(60, 0.85, 300) / 60
    assert parametric_bootstrap(many, trials=300, seed=5).values == pytest.approx((j - 1 + m_n) / (m_r + m_n - 1))


@pytest.mark.parametrize("joined", [True, False])
def test_a_bootstrap_over_topics_one_by_one(joined: bool) -> None:
    """Guards which copies a gold topic gets: those of its scored topic, or its own; and each draw's mean."""
    rng = np.random.default_rng(2)
    drawn = np.stack([rng.multinomial(60, [0.7, 0.2, 0.05, 0.05], 7), rng.multinomial(60, [0.1, 0.2, 0.6, 0.1], 7)], 1)
    table = np.stack([drawn[:, 0, :3], drawn[:, 1, :3], drawn[:, 1, :3][:, [1, 0, 2]] + [0, 1, 30]], 1) * 1.0
    names = ("t0", "t1", "u0", "t2", "u1", "u2", "t4")
    c = Confusion((0.0, 1.0, 2.0), (0.0, 1.0, 2.0), names, table, table.sum(axis=0), int(table.sum()))
    weight, value = rng.random((5, 3)), np.array([0.0, 1.0, 3.0])
    topics = [f"t{i}" for i in range(5)]
    fit = MatrixFit(tuple(topics), weight[None], [[TopicMatrix(c, np.ones(5, np.bool_))]], value, same_topics=joined)
    found = bootstrap_over_topics(fit, trials=120, seed=9)
    draws = generator(9, "topics")
    copies = draws.multinomial(5, np.full(5, 0.2), 120)
    alone = [i for i, t in enumerate(names) if t not in topics or not joined]
    own = draws.multinomial(len(alone), np.full(len(alone), 1 / len(alone)), 120)
    values = []
    for scored, other in zip(copies, own, strict=True):
        of_gold = [other[alone.index(i)] if i in alone else scored[topics.index(t)] for i, t in enumerate(names)]
        counts = sum(k * one for k, one in zip(of_gold, table, strict=True))
        matrix = counts / counts.sum(axis=1)[:, None]
        assert np.linalg.cond(matrix) < LARGEST_CONDITION
        shares = sum(k * w for k, w in zip(scored, weight, strict=True)) / 5
        values.append(float(shares @ np.linalg.inv(matrix) @ value))
    assert found.spoilt == 0
    assert found.values == pytest.approx(np.array(values), rel=1e-9)


def test_draws_that_cannot_be_inverted() -> None:
    """Guards what is set aside: a gold label that no topic drawn holds, a matrix near singular; 1% may be."""
    table = np.zeros((6, 2, 2))
    table[:, 0, 0], table[:4, 1, 1] = 10.0, 10.0
    table[4, 1] = [10.0, 0.0]  # of this topic alone C says 0 whatever the gold label; the last has no gold label 1
    c = Confusion((0.0, 1.0), (0.0, 1.0), tuple("abcdef"), table, table.sum(axis=0), 110)
    weight, value = np.ones((1, 6, 2)), np.array([0.0, 1.0])
    fit = MatrixFit(tuple("abcdef"), weight, [[TopicMatrix(c, np.ones(6, np.bool_))]], value)

    def lost(seed: int) -> int:
        copies = generator(seed, "topics").multinomial(6, np.full(6, 1 / 6), 300)
        return int((copies[:, :4].sum(axis=1) == 0).sum())

    seeds = {lost(seed): seed for seed in range(2000)}
    for some in (1, 3):
        draws = bootstrap_over_topics(fit, trials=300, seed=seeds[some])
        assert (draws.spoilt, len(draws.values)) == (some, 300 - some)
    table[2:4, 1] = 0.0
    with pytest.raises(TruegainError, match=r"of 300 bootstrap draws have a confusion matrix"):
        bootstrap_over_topics(fit, trials=300, seed=1)


@pytest.mark.parametrize(("condition", "kept"), [(20.0, True), (29.5, True), (31.0, False)])
def test_the_condition_up_to_which_a_draw_counts(condition: float, kept: bool) -> None:
    """Guards 30: the same matrix in every topic, so every draw has its condition number."""
    e = 1 / (2 * condition)
    table = np.tile(100 * np.array([[0.5 + e, 0.5 - e], [0.5 - e, 0.5 + e]]), (5, 1, 1))
    c = Confusion((0.0, 1.0), (0.0, 1.0), tuple("abcde"), table, table.sum(axis=0), 1000)
    assert c.condition == pytest.approx(condition)
    weight, value = np.ones((5, 2)), np.array([0.0, 1.0])
    fit = MatrixFit(tuple("abcde"), weight[None], [[TopicMatrix(c, np.ones(5, np.bool_))]], value)
    if kept:
        assert bootstrap_over_topics(fit, trials=100, seed=1).spoilt == 0
        return
    with pytest.raises(TruegainError, match="100 of 100 bootstrap draws"):
        bootstrap_over_topics(fit, trials=100, seed=1)


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
