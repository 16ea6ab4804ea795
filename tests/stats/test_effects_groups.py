"""Effect sizes by plain sums, groups of systems by brute force, and the edges of the analysis of variance."""

from __future__ import annotations

import itertools
import math
import statistics

import numpy as np
import pytest
from scipy import special, stats

from tests.judge_error.matrices import generated, scores_of
from tests.judge_error.one_pair import cohens_dz, hedges_g
from truegain.errors import TruegainError
from truegain.planning.topics import (
    ANOVA_START,
    expected_width,
    plan_topics,
    power_of_anova,
    power_of_t,
    topics_for_anova,
    topics_for_paired_t,
    topics_for_width,
)
from truegain.stats import tests
from truegain.stats.anova import one_way, two_way
from truegain.stats.comparisons import groups_of, is_complete, marks

# ---------------------------------------------------------------------- effect sizes


def test_effect_sizes_by_plain_sums() -> None:
    """Guards dz and g on samples of unequal sizes, against Python's statistics and the published factors."""
    a, b = [0.1, 0.35, 0.2, 0.5], [0.3, 0.2, 0.75, 0.6, 0.4, 0.9, 0.8]
    apart = statistics.fmean(b) - statistics.fmean(a)
    pooled = math.sqrt((3 * statistics.variance(a) + 6 * statistics.variance(b)) / 9)
    assert hedges_g(a, b) == pytest.approx((1 - 3 / (4 * 11 - 9)) * apart / pooled, rel=1e-12)
    z = [y - x for x, y in zip(a, b, strict=False)]
    assert cohens_dz(a, b[:4]) == pytest.approx(statistics.fmean(z) / statistics.stdev(z), rel=1e-12)


def test_effect_sizes_without_spread() -> None:
    """Guards 0 over 0, which is no effect, from something over 0, which has no size."""
    flat = np.array([[0.3, 0.3]])
    assert tests._dz(flat - flat) == tests._hedges(flat, flat) == 0
    assert np.isnan([tests._dz(flat), tests._hedges(flat, flat + 0.1)]).all()
    same = np.tile([0.1, 0.5, 0.3], (3, 1))
    assert (two_way(same).effects == 0).all()
    assert np.isnan(two_way(same + np.array([[0.0], [0.1], [0.2]])).effects).all()


# ---------------------------------------------------------------------- analysis of variance


def test_one_way_is_that_of_scipy() -> None:
    """Guards F, p and the margin of the one-way layout, and the degrees of freedom of both."""
    x = generated(4, 9, seed=3)
    found, theirs = one_way(x), stats.f_oneway(*x)
    assert (found.f, found.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
    assert (found.df_a, found.df_b, found.df_e, found.topics) == (3, None, 32, 9)
    both = two_way(x)
    assert (both.df_a, both.df_b, both.df_e, both.topics) == (3, 8, 24, 9)
    within = sum(statistics.pvariance(row) * 9 for row in x.tolist())
    margin = stats.t.ppf(0.95, 32) * math.sqrt(within / 32 / 9)
    low, high = found.intervals(0.9)
    assert low == pytest.approx(x.mean(axis=1) - margin)
    assert high == pytest.approx(x.mean(axis=1) + margin)
    assert found.intervals()[1] - found.means == pytest.approx(stats.t.ppf(0.975, 32) * math.sqrt(within / 32 / 9))
    for confidence in (0.0, 1.0):
        with pytest.raises(TruegainError, match="not between 0 and 1"):
            found.intervals(confidence)


def test_a_small_residual_is_one_and_rounding_is_not() -> None:
    """Guards the line between a residual and rounding: 1e-9 of a score counts, 1e-14 does not."""
    base = np.tile([0.1, 0.5, 0.3, 0.9], (3, 1)) + np.array([[0.0], [0.1], [0.2]])
    noise = np.random.default_rng(0).normal(size=base.shape)
    assert not two_way(base + 1e-9 * noise).no_residual
    assert two_way(base + 1e-14 * noise).no_residual
    equal = np.tile([0.1, 0.5, 0.3, 0.9], (3, 1))
    assert two_way(equal).f == 0
    assert two_way(np.zeros((2, 3))).p == 1


# ---------------------------------------------------------------------- groups


def cliques(differ: np.ndarray) -> set[tuple[int, ...]]:
    """Maximal sets in which no two differ, by going through all sets."""
    m = len(differ)
    sets = [
        s
        for size in range(1, m + 1)
        for s in itertools.combinations(range(m), size)
        if not any(differ[i, j] for i, j in itertools.combinations(s, 2))
    ]
    return {s for s in sets if not any(set(s) < set(t) for t in sets)}


@pytest.mark.parametrize("seed", range(12))
def test_groups_are_the_maximal_cliques(seed: int) -> None:
    """Guards the search against all subsets, for graphs from nearly empty to nearly full."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((7, 7)) < (seed + 1) / 13, 1)
    differ = upper | upper.T
    found = groups_of(differ)
    assert set(found) == cliques(differ)
    assert list(found) == sorted(found)
    assert is_complete(differ, found)
    for group in found:
        others = [g for g in found if g != group]
        pairs = {pair for g in others for pair in itertools.combinations(g, 2)}
        missed = [p for p in itertools.combinations(range(7), 2) if not differ[p] and p not in pairs]
        assert is_complete(differ, others) == (not missed)


def test_where_there_are_too_many_groups_stretches_are_taken() -> None:
    """Guards the way out: pairs that differ crosswise make 2^8 groups of 16 systems; stretches stand in, and say so."""
    differ = np.zeros((16, 16), np.bool_)
    for i in range(8):
        differ[2 * i, 2 * i + 1] = differ[2 * i + 1, 2 * i] = True
    found = groups_of(differ)
    assert found == ((0,), *((i, i + 1) for i in range(1, 14, 2)), (15,))
    assert not is_complete(differ, found)
    shifted = np.zeros((18, 18), np.bool_)
    shifted[1:17, 1:17] = differ
    assert groups_of(shifted) == tuple((i, i + 1) for i in range(0, 17, 2))  # to the last system


def test_26_groups_are_letters_and_27_numbers() -> None:
    """Guards the letters to the last one, and that runs of four are shortened and of three are not."""
    assert marks([(i,) for i in range(26)], 26)[-1] == "z"
    assert marks([(i,) for i in range(27)], 27)[-1] == "27"
    alphabet = marks([(0, 1, 2), (0, 1), (0, 1), (0, 2), (2,)], 3)
    assert alphabet == ["a-d", "abc", "ade"]


# ---------------------------------------------------------------------- topic sets


@pytest.mark.parametrize(("alpha", "beta"), ANOVA_START)
def test_start_values_of_the_analysis_of_variance(alpha: float, beta: float) -> None:
    """Guards the 20 published numbers: with x1 + x2 sqrt(m - 1) as noncentrality a chi-square test has the power.

    On average over 2 to 30 systems, to which the published line was fitted: within a fifth of a point.
    """
    (x1, x2), df = ANOVA_START[alpha, beta], np.arange(1, 30)
    power = 1 - special.chndtr(special.chdtri(df, alpha), df, x1 + x2 * np.sqrt(df))
    assert power.mean() == pytest.approx(1 - beta, abs=0.002)


def test_start_values_by_their_formulas() -> None:
    """Guards where the searches start, which is printed, and what is taken where none was published."""
    z = stats.norm.ppf
    found = topics_for_anova(0.1, 0.05, 5)
    assert found.start == pytest.approx((4.860 + 3.584 * 2) / (0.01 / 0.1), rel=1e-9)
    assert topics_for_anova(0.1, 0.05, 5, alpha=0.01, power=0.9).start == pytest.approx((10.439 + 5.213 * 2) / 0.1)
    assert topics_for_anova(0.1, 0.05, 5, alpha=0.02).start == found.start
    two = topics_for_paired_t(0.1, 0.05, alpha=0.01, power=0.9)
    assert two.start == pytest.approx((z(0.995) + z(0.9)) ** 2 * 5 + z(0.995) ** 2 / 2, rel=1e-9)
    wide = topics_for_width(0.1, 0.05)
    assert wide.start == pytest.approx(4 * z(0.975) ** 2 * 0.05 / 0.01, rel=1e-9)
    assert wide.reached == pytest.approx(expected_width(wide.topics, 0.05, wide.topics - 1), rel=1e-12)
    assert expected_width(wide.topics - 1, 0.05, wide.topics - 2) > 0.1


def test_no_smaller_set_would_do_in_any_design() -> None:
    """Guards the search of the other designs: one topic less does not reach the power."""
    for difference in (0.05, 0.4, 3.0):
        anova = topics_for_anova(difference, 0.05, 4)
        assert anova.reached == pytest.approx(power_of_anova(anova.topics, 4, anova.topics * difference**2 / 0.1))
        less = anova.topics - 1
        assert anova.topics == 2 or power_of_anova(less, 4, less * difference**2 / 0.1) < 0.8
        two = topics_for_paired_t(difference, 0.05)
        less = two.topics - 1
        assert two.topics == 2 or power_of_t(math.sqrt(less / 0.05) * difference, less - 1) < 0.8


def test_approximate_power_is_the_published_formula() -> None:
    """Guards Sakai's normal approximations term by term, and that they are near the exact distributions."""
    for df, far in ((5, 2.0), (30, 3.1)):
        w = stats.t.ppf(0.975, df)
        scale = math.sqrt(1 + w**2 / (2 * df))
        tails = [(s * w * (1 - 1 / (4 * df)) - far) / scale for s in (-1, 1)]
        want = stats.norm.cdf(tails[0]) + stats.norm.sf(tails[1])
        assert power_of_t(far, df, method="approximate") == pytest.approx(want, rel=1e-9)
        assert want == pytest.approx(power_of_t(far, df), abs=0.01)
    for n, m, far in ((10, 4, 9.0), (40, 7, 15.0)):
        a, e = m - 1, m * (n - 1)
        w = stats.f.ppf(0.95, a, e)
        c, phi = (a + 2 * far) / (a + far), (a + far) ** 2 / (a + 2 * far)
        top = math.sqrt(w / e * (2 * e - 1)) - math.sqrt(c / a * (2 * phi - 1))
        want = stats.norm.sf(top / math.sqrt(c / a + w / e))
        assert power_of_anova(n, m, far, method="approximate") == pytest.approx(want, rel=1e-9)
        assert want == pytest.approx(power_of_anova(n, m, far), abs=0.02)
    rough = 2 * stats.t.ppf(0.975, 7) * math.sqrt(0.05 / 8) * (1 - 1 / 28)
    assert expected_width(8, 0.05, 7, method="approximate") == pytest.approx(rough, rel=1e-9)


def test_what_topics_at_hand_detect() -> None:
    """Guards the difference found with the topics there are, in the analysis of variance, and the sizes listed."""
    x = generated(5, 30, seed=2)
    plan = plan_topics(scores_of(x), detect=0.05, criterion="anova", power=0.75, confidence=0.99)
    variance, far = one_way(x).v_e, float(str(plan.details.provenance["at_hand_detects"]))
    assert power_of_anova(30, 5, 30 * far**2 / (2 * variance), 0.01) == pytest.approx(0.75, abs=1e-9)
    powers = (0.7, 0.75, 0.8, 0.9)
    assert plan.details.columns == ("difference", *(f"power {p:g}" for p in powers))
    for difference, *sizes in plan.details.rows:
        given = [topics_for_anova(float(str(difference)), variance, 5, alpha=0.01, power=p).topics for p in powers]
        assert sizes == given
    wide = plan_topics(scores_of(x), detect=0.05, criterion="width")
    assert [r[0] for r in wide.details.rows] == pytest.approx([0.025, 0.05, 0.075, 0.1])
    with pytest.raises(TruegainError, match="no variance to plan with"):
        plan_topics(scores_of(np.tile([0.1, 0.5, 0.3], (2, 1)) + np.array([[0.0], [0.1]])), detect=0.1)
