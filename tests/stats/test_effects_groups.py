"""Effect sizes by plain sums, groups of systems by brute force, and the edges of the analysis of variance."""

from __future__ import annotations

import itertools
import math
import statistics
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import truegain as tg
from tests.judge_error.matrices import generated, scores_of
from tests.judge_error.one_pair import cohens_dz, hedges_g
from truegain.errors import TruegainError
from truegain.io.columns import Bools
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
from truegain.stats import significance
from truegain.stats.multiple_testing import Trials
from truegain.stats.significance.anova import one_way, two_way
from truegain.stats.significance.comparisons import _stretches, groups_of, is_complete, marks
from truegain.stats.significance.pairs import welch_rows

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
    assert significance._dz(flat - flat) == significance._hedges(flat, flat) == 0
    assert np.isnan([significance._dz(flat), significance._hedges(flat, flat + 0.1)]).all()
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
    plan = plan_topics(scores_of(x), min_effect=0.05, criterion="anova", power=0.75, confidence=0.99)
    variance, far = one_way(x).v_e, float(str(plan.details.provenance["at_hand_detects"]))
    assert power_of_anova(30, 5, 30 * far**2 / (2 * variance), 0.01) == pytest.approx(0.75, abs=1e-9)
    powers = (0.7, 0.75, 0.8, 0.9)
    assert plan.details.columns == ("difference", *(f"power {p:g}" for p in powers))
    for difference, *sizes in plan.details.rows:
        given = [topics_for_anova(float(str(difference)), variance, 5, alpha=0.01, power=p).topics for p in powers]
        assert sizes == given
    wide = plan_topics(scores_of(x), min_effect=0.05, criterion="width")
    assert [r[0] for r in wide.details.rows] == pytest.approx([0.025, 0.05, 0.075, 0.1])
    with pytest.raises(TruegainError, match="no variance to plan with"):
        plan_topics(scores_of(np.tile([0.1, 0.5, 0.3], (2, 1)) + np.array([[0.0], [0.1]])), min_effect=0.1)


def test_effects_of_rows_by_hand() -> None:
    """Guards dz and Hedges' g of many pairs, 0 and NaN where there is no spread, against one at a time."""
    a, b = generated(3, 6, seed=1), generated(3, 6, seed=2)
    dz, g = significance._dz(b - a), significance._hedges(a, b)
    for i in range(3):
        z = b[i] - a[i]
        assert dz[i] == pytest.approx(z.mean() / z.std(ddof=1))
        pooled = math.sqrt((a[i].var(ddof=1) + b[i].var(ddof=1)) / 2)
        assert g[i] == pytest.approx((1 - 3 / 39) * z.mean() / pooled)
    flat = significance._dz(np.array([[0.0, 0.0, 0.0], [0.3, 0.1 + 0.2, 0.3], [-0.3, -0.1 - 0.2, -0.3]]))
    assert flat[0] == 0.0
    assert np.isnan(flat[1:]).all()
    rounded = np.array([[-0.3, -0.1 - 0.2, -0.3]])
    for one, two in ((np.zeros((1, 3)), rounded), (rounded, np.zeros((1, 3)))):
        assert np.isnan(significance._hedges(one, two)).all()
        with pytest.raises(TruegainError, match="Welch's t is undefined"):
            welch_rows(one, two)
    constant = np.array([[0.5, 0.5], [0.0, 0.0]])
    assert significance._hedges(constant, constant).tolist() == [0.0, 0.0]
    assert np.isnan(significance._hedges(constant, 1 - constant / 4)).all()


def test_pairs_go_together_by_the_topics_they_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards means, p, limits and n of pairs that lack topics, in pieces of any size, and the pair that has too few."""
    x = generated(5, 9, seed=8)
    x[0, 2] = x[1, 2] = x[2, 5] = x[4, 0] = np.nan
    monkeypatch.setattr(significance, "CELLS", 20)
    told: list[int] = []
    with pytest.warns(UserWarning, match=r"10 of 10 pairs lack topics \(most: 2 of 9\)|9 of 10 pairs lack topics"):
        found = tg.compare(scores_of(x), test=tg.PublishedTest("paired-t", progress=told.append))
    assert sum(told) == 10
    for c in found.pairs:
        i, j = int(c.a[1]), int(c.b[1])
        both = ~np.isnan(x[i]) & ~np.isnan(x[j])
        theirs: Any = stats.ttest_rel(x[j, both], x[i, both])
        ends = theirs.confidence_interval(0.95)
        z = x[j, both] - x[i, both]
        assert (c.n, c.p, c.low, c.high) == pytest.approx((both.sum(), theirs.pvalue, ends.low, ends.high))
        assert (c.value_a, c.value_b) == pytest.approx((x[i, both].mean(), x[j, both].mean()))
        assert (c.difference, c.effect) == pytest.approx((z.mean(), z.mean() / z.std(ddof=1)))
    x[3, :7] = np.nan
    with (
        pytest.warns(UserWarning, match="lack topics"),
        pytest.raises(TruegainError, match=r"s\d and s\d have 2 topics in common; a test needs at least 3"),
    ):
        tg.compare(scores_of(x), test="paired-t")


def test_effect_sizes_where_there_is_nothing() -> None:
    """Guards 0 where all is 0, none where only the spread is, and scores below 0 as those above."""
    zeros = np.zeros((1, 3))
    assert significance._dz(zeros) == significance._hedges(zeros, zeros) == 0
    for sign in (1.0, -1.0):
        flat = sign * np.array([[0.3, 0.1 + 0.2, 0.3]])
        assert np.isnan([significance._dz(flat), significance._hedges(flat, zeros)]).all()
        assert significance._hedges(flat, flat[:, ::-1]) == 0
    found = significance._hedges(np.array([[0.0, 0.5, 1.0]]), np.array([[0.2, 0.4, 0.9]]))
    assert found == pytest.approx([0.0], abs=1e-12)
    found = significance._hedges(np.array([[0.0, 0.5]]), np.array([[0.4, 0.9]]))
    assert found == pytest.approx([(1 - 3 / 7) * 0.4 / math.sqrt(0.125)])


def crosswise(*sizes: int, alone: int = 0) -> Bools:
    """Systems in parts: all within a part differ, none of two parts; some that differ from none."""
    part = np.repeat(np.arange(len(sizes) + alone), [*sizes, *[1] * alone])
    return np.asarray((part[:, None] == part[None, :]) & ~np.eye(len(part), dtype=np.bool_))


def test_groups_are_told_as_long_as_there_are_names_for_them() -> None:
    """Guards the most groups: 26, or as many as systems where these are more; beyond, stretches of the ranking."""
    for differ, many in ((crosswise(13, 2), 26), (crosswise(14, 2, alone=14), 28), (crosswise(15, 2, alone=13), 30)):
        found = groups_of(differ)
        assert len(found) == len(set(found)) == many
        assert is_complete(differ, found)
    for differ in (crosswise(3, 3, 3), crosswise(16, 2, alone=13), crosswise(14, 2)):
        found = groups_of(differ)
        assert found == tuple(sorted(_stretches(differ)))
        assert not is_complete(differ, found)


@pytest.mark.parametrize("seed", range(8))
def test_stretches_of_the_ranking_one_by_one(seed: int) -> None:
    """Guards the stretches: all in which no two differ, that lie in no longer one; and whether they tell all."""
    upper = np.triu(np.random.default_rng(seed).random((9, 9)) < 0.04 + seed / 10, 1)
    differ = np.asarray(upper | upper.T)
    free = [(i, j) for i in range(9) for j in range(i, 9) if not differ[i : j + 1, i : j + 1].any()]
    longest = [(i, j) for i, j in free if not any((a, b) != (i, j) and a <= i and j <= b for a, b in free)]
    assert _stretches(differ) == [tuple(range(i, j + 1)) for i, j in longest]
    told = all(differ[i, j] or any(a <= i and j <= b for a, b in longest) for i in range(9) for j in range(i + 1, 9))
    assert is_complete(differ, _stretches(differ)) == told


def test_each_system_has_the_t_interval_of_its_own_topics() -> None:
    """Guards n - 1 in the spread and in t, and missing topics, against scipy's interval of each row."""
    x = generated(3, 8, seed=5)
    x[0, 2] = x[2, 5] = x[2, 6] = np.nan
    means, low, high = significance._means(x, 0.9)
    for i, row in enumerate(x):
        own = row[~np.isnan(row)]
        ends = stats.t.interval(0.9, len(own) - 1, loc=own.mean(), scale=stats.sem(own))
        assert (means[i], low[i], high[i]) == pytest.approx((own.mean(), *ends), rel=1e-12)


def test_effects_of_many_pairs_are_those_one_by_one() -> None:
    """Guards dz and Hedges' g of rows, 0 where nothing differs and none where nothing varies."""
    a, b = generated(4, 6, seed=1), generated(4, 6, seed=2)
    assert significance._dz(b - a).tolist() == pytest.approx([cohens_dz(*two) for two in zip(a, b, strict=True)])
    assert significance._hedges(a, b).tolist() == pytest.approx([hedges_g(*two) for two in zip(a, b, strict=True)])
    flat = significance._dz(np.array([[0.0, 0.0], [0.3, 0.3], [0.0, 2.0]]))
    assert flat[[0, 2]].tolist() == pytest.approx([0.0, 1 / math.sqrt(2)])
    assert math.isnan(flat[1])
    beside = significance._hedges(np.zeros((1, 3)), np.array([[0.1 + 0.2, 0.3, 0.3]]))
    assert math.isnan(beside[0])


def test_pairs_by_the_topics_both_have() -> None:
    """Guards patterns of missing topics: every pair once, with the topics that both its systems have."""
    there = np.array([[1, 1, 1, 1], [1, 0, 1, 1], [1, 1, 1, 0], [1, 0, 1, 1]], np.bool_)
    first, second = np.triu_indices(4, 1)
    found = significance._topics_of_pairs(there, first, second)
    assert sorted(np.concatenate([where for _, where in found]).tolist()) == list(range(6))
    for topics, where in found:
        for i in where.tolist():
            assert topics.tolist() == (there[first[i]] & there[second[i]]).tolist()


def test_a_pair_needs_three_topics() -> None:
    """Guards the least number of common topics: 3 do, 2 do not, pair by pair and all at once."""
    x = generated(2, 3, seed=4)
    one, two = np.array([0]), np.array([1])
    for test in ("paired-t", "tukey-hsd"):
        assert significance.run_test(test, x, one, two, Trials(), ("a", "b")).n.tolist() == [3]
        with pytest.raises(TruegainError, match="at least 3"):
            significance.run_test(test, x[:, :2], one, two, Trials(), ("a", "b"))


@pytest.mark.parametrize("seed", range(8))
def test_stretches_are_all_longest_ones(seed: int) -> None:
    """Guards the ends of the ranking: stretches without a difference, the longest ones, with the last system."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((6, 6)) < (seed + 1) / 14, 1)
    differ = upper | upper.T
    every = [tuple(range(i, j + 1)) for i in range(6) for j in range(i, 6) if not differ[i : j + 1, i : j + 1].any()]
    longest = [s for s in every if not any(set(s) < set(t) for t in every)]
    assert sorted(_stretches(differ)) == sorted(longest)


def test_marks_are_letters_up_to_26_groups() -> None:
    """Guards the last letter, and runs of up to three groups written out."""
    assert marks([(i,) for i in range(26)], 26)[25] == "z"
    assert marks([(i,) for i in range(27)], 27)[26] == "27"
    assert marks([(0,)] * 3, 1) == ["abc"]
    assert marks([(0,)] * 4, 1) == ["a-d"]
