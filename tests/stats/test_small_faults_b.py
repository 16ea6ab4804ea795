"""Small faults in limits, agreement, differences and collections that the larger tests let pass: values by hand."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from tests.judge_error.matrices import generated
from tests.judge_error.one_pair import cohens_dz, hedges_g, paired_t, welch, wilcoxon
from truegain.aggregation import assessors as people
from truegain.aggregation.magnitudes import order_agreement
from truegain.errors import TruegainError
from truegain.io.columns import Ints
from truegain.planning import topics as topic_sets
from truegain.reliability import alpha, kappa
from truegain.reliability.alpha import Paired
from truegain.sampling import jackknife
from truegain.sampling.documents import depth_needed
from truegain.sampling.jackknife import TopicSpread
from truegain.sampling.topics import Topics
from truegain.stats import collection_ap, collection_intervals, intervals, multiple_testing, pair_tests, tests
from truegain.stats.anova import one_way, two_way
from truegain.stats.collection_ap import combine, combined_p, tau2_paule_mandel
from truegain.stats.collection_intervals import few_relevant
from truegain.stats.comparisons import _stretches, marks
from truegain.stats.intervals import bootstrap_means, means_and_errors
from truegain.stats.multiple_testing import Trials, check_replicates, check_trials, sequential_p, stages, trials_needed
from truegain.stats.student_t import p_of, quantiles_of, satterthwaite, wilson
from truegain.stats.tests import FamilyTest, PairTest, effort_of, find_test

# ---------------------------------------------------------------------- limits


def test_a_quantile_at_either_end_is_the_end() -> None:
    """Guards the step beyond the last value: levels 0 and 1 give the least and greatest, others numpy's type 7."""
    values = np.array([[1.0, 4.0, 9.0, 16.0]] * 4)
    levels = np.array([0.0, 0.4, 0.9, 1.0])
    want = [float(np.quantile(values[0], level)) for level in levels]
    assert intervals.sorted_quantile(values, levels) == pytest.approx(want, rel=1e-14)
    assert intervals.sorted_quantile(values, levels)[[0, 3]].tolist() == [1.0, 16.0]


def test_bca_by_hand_with_a_value_missing() -> None:
    """Guards z0 with ties counted half, a with the 6 and the power 1.5, and a missing jackknife value left out."""
    draws, without = np.array([1.0, 2.0, 2.0, 3.0, 5.0, 8.0]), np.array([1.0, np.nan, 2.0, 6.0])
    z0, a, lost = intervals.bca_parts(np.array(2.0), draws, without)
    u = [3 - 1, 3 - 2, 3 - 6]
    want = sum(x**3 for x in u) / (6 * sum(x**2 for x in u) ** 1.5)
    assert float(z0) == pytest.approx(statistics.NormalDist().inv_cdf((1 + 3) / 2 / 6), rel=1e-12)
    assert float(a) == pytest.approx(want, rel=1e-12)
    assert not lost
    low, _ = intervals.bca_levels(z0, a, lost, 0.8)
    z = float(z0) + statistics.NormalDist().inv_cdf(0.1)
    assert float(low) == pytest.approx(statistics.NormalDist().cdf(float(z0) + z / (1 - float(a) * z)), rel=1e-12)


def test_bca_without_spread_or_on_one_side_takes_the_percentiles() -> None:
    """Guards where bca falls back: jackknife values equal but for rounding, and all draws at one side."""
    draws = np.array([1.0, 2.0, 3.0, 4.0])
    flat = np.array([3.0, 3.0 * (1 + 2e-16), 3.0])
    for value, without in ((2.5, flat), (0.5, np.array([1.0, 2.0, 4.0])), (5.0, np.array([1.0, 2.0, 4.0]))):
        z0, a, lost = intervals.bca_parts(np.array(value), draws, without)
        assert (float(z0), float(a), bool(lost)) == (0.0, 0.0, True)
        found = intervals.bca(value, draws, without, 0.5)
        assert [float(found.low), float(found.high)] == pytest.approx(np.quantile(draws, [0.25, 0.75]).tolist())
        assert found.fell_back
    assert not intervals.bca_parts(np.array(2.5), draws, np.array([3.0, 3.0 + 1e-9, 3.0]))[2]


def test_studentised_with_replicates_that_do_not_vary() -> None:
    """Guards t* of replicates without spread: 0 where equal to the estimate, else infinite with its sign."""
    one = intervals.studentised(1.0, 0.5, [1.0, 1.0, 1.0, 3.0], [0.0, 0.0, 0.0, 2.0], 0.5)
    assert (float(one.low), float(one.high)) == pytest.approx((1 - 0.25 * 0.5, 1.0))
    for ends in ([0.0, 1.0, 2.0], [1.0, 1.5, 2.0], [0.0, 0.5, 1.0]):
        lost = intervals.studentised(1.0, 0.5, ends, [0.0, 0.0, 0.0], 0.9)
        assert bool(lost.fell_back)
        assert [float(lost.low), float(lost.high)] == pytest.approx(np.quantile(ends, [0.05, 0.95]).tolist())


def test_logits_by_hand() -> None:
    """Guards what may have a logit (rounding beyond 0 and 1 may, more may not), and where ends are moved to."""
    assert intervals.logits([0.2, 0.9]).tolist() == pytest.approx([math.log(0.25), math.log(9)])
    assert intervals.logits([-1e-13, 1 + 1e-13]).tolist() == pytest.approx(
        [math.log(1e-5 / (1 - 1e-5)), math.log(99999)]
    )
    for wrong in ([-1e-9], [1 + 1e-9]):
        with pytest.raises(TruegainError, match="from 0 to 1"):
            intervals.logits(wrong)
    for epsilon in (0.0, 0.5):
        with pytest.raises(TruegainError, match=r"between 0 and 0\.5"):
            intervals.logits([0.3], epsilon)
    found = intervals.logit_delta(0.0, 0.0)
    assert (float(found.low), float(found.high)) == pytest.approx((1e-5, 1e-5), rel=1e-9)
    s = statistics.stdev([math.log(0.25), 0.0, math.log(9)])
    ends = intervals.logit(0.5, [0.2, 0.5, 0.9], 0.9)
    assert float(ends.high) == pytest.approx(1 / (1 + math.exp(-statistics.NormalDist().inv_cdf(0.95) * s)))


def test_two_replicates_are_enough() -> None:
    """Guards the least number of replicates, and that one without a value is told."""
    assert float(intervals.percentile([0.0, 1.0], 0.5).low) == pytest.approx(0.25)
    for few_ in (3.0, [1.0]):
        with pytest.raises(TruegainError, match="at least 2 replicates"):
            intervals.percentile(few_)
    with pytest.raises(TruegainError, match="2 replicates have no value"):
        intervals.percentile([0.0, np.nan, np.nan])


def test_wilson_between_other_bounds() -> None:
    """Guards the move to [0, 1] and back: limits of values in [-2, 6] are those in [0, 1] times 8 less 2."""
    plain, moved = intervals.wilson(0.3, 0.1, 12), intervals.wilson(0.4, 0.8, 12, (-2.0, 6.0))
    assert float(moved.low) == pytest.approx(8 * float(plain.low) - 2, rel=1e-12)
    assert float(moved.high) == pytest.approx(8 * float(plain.high) - 2, rel=1e-12)
    flat = intervals.wilson(0.3, 1e-14, 12)
    t = stats.t.ppf(0.975, 11)
    assert abs(0.3 - float(flat.low)) == pytest.approx(t * math.sqrt(float(flat.low) * (1 - float(flat.low)) / 12))


def test_limits_of_differences_are_cut_at_the_whole_range() -> None:
    """Guards `within`: of a measure in [1, 4] two values are at most 3 apart, to either side."""
    assert [float(x) for x in intervals.within(-9, 9, (1, 4), differences=True)] == [-3.0, 3.0]
    assert [float(x) for x in intervals.within(-9, 9, (1, 4))] == [1.0, 4.0]


# ---------------------------------------------------------------------- Student, Wilson


def test_student_by_scipy() -> None:
    """Guards quantiles, p (never above 1) and degrees of freedom, where a part is 0 or all are."""
    assert quantiles_of(0.9, [4, np.inf]).tolist() == pytest.approx([stats.t.ppf(0.95, 4), stats.norm.ppf(0.95)])
    assert p_of(-1.3, 7) == pytest.approx(2 * stats.t.sf(1.3, 7))
    assert p_of(0.0, 7) == 1.0
    assert satterthwaite([(1.0, 4.0), (3.0, 10.0), (0.0, 0.0)]) == pytest.approx(16 / (1 / 4 + 9 / 10))
    assert satterthwaite([(0.0, 3.0)]) == math.inf
    assert satterthwaite([(0.25, 3.0)]) == pytest.approx(3.0)
    for wrong in (0.0, 1.0):
        with pytest.raises(TruegainError, match="between 0 and 1"):
            quantiles_of(wrong, 3)


@pytest.mark.parametrize("share", [-0.2, 0.0, 0.3, 1.0, 1.4])
def test_wilson_limits_solve_their_equation(share: float) -> None:
    """Guards every term of Wilson's limits: both ends are roots of (x - p)^2 = z^2 p (1 - p)/n, x cut at 0 and 1."""
    x, n, z = min(max(share, 0.0), 1.0), 7.0, 1.7
    roots = np.sort(np.roots([1 + z**2 / n, -(2 * x + z**2 / n), x**2]).real)
    low, high = wilson(share, n, z)
    assert [float(low), float(high)] == pytest.approx(roots.tolist(), abs=1e-12)


# ---------------------------------------------------------------------- tests of two systems


def test_welch_tells_rounding_from_spread_by_the_larger_sample() -> None:
    """Guards the scale that a spread is held against: of zeros beside 0.3 and its rounding, that of the 0.3."""
    rounded, zeros = np.array([[0.1 + 0.2, 0.3, 0.3]]), np.zeros((1, 3))
    for a, b in ((zeros, rounded), (rounded, zeros)):
        with pytest.raises(TruegainError, match="Welch's t has no value"):
            pair_tests.welch_rows(a, b)
    assert pair_tests.welch_rows(rounded, np.full((1, 3), 0.3)).p == 1.0
    theirs = stats.ttest_ind([0.4, 0.9, 0.1, 0.2], [0.1, 0.2, 0.7], equal_var=False)
    ours = welch([0.1, 0.2, 0.7], [0.4, 0.9, 0.1, 0.2], confidence=0.8)
    ends = theirs.confidence_interval(0.8)
    assert (ours.statistic, ours.p, ours.df) == pytest.approx((theirs.statistic, theirs.pvalue, theirs.df))
    assert (ours.low, ours.high, ours.n) == pytest.approx((ends.low, ends.high, 3))


def test_paired_tests_by_hand() -> None:
    """Guards the t of two differences, the sign test's p, and ranks of equal values, 0 of zeros."""
    assert paired_t([0.0, 2.0]).statistic == pytest.approx(1.0)
    ups = np.array([[1.0, 1.0, 1.0, -1.0, 0.0]])
    assert pair_tests.sign_rows(0 * ups, ups).p == pytest.approx(2 * 5 / 16)
    ranks, sizes = pair_tests._ranks(np.array([[2.0, 1.0, 2.0, 0.0, 2.0, 7.0]]))
    assert ranks.tolist() == [[0.0, 1.0, 3.0, 3.0, 3.0, 5.0]]
    assert sizes.tolist() == [[1, 1, 3, 3, 3, 1]]


@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
def test_wilcoxon_counts_all_signs(zeros: str) -> None:
    """Guards the exact p with ties and zeros, against all signs one by one."""
    z = np.array([0.25, -0.5, 0.5, 0.0, 1.0, -0.25, 0.75, 0.0, 2.0])
    used = z[z != 0] if zeros == "wilcox" else z
    ranks = stats.rankdata(np.abs(used))
    moving = ranks[used != 0]
    least = min(ranks[used > 0].sum(), ranks[used < 0].sum())
    sums = [sum(r for r, up in zip(moving, ups, strict=True) if up) for ups in itertools.product((0, 1), repeat=7)]
    want = min(1.0, 2 * sum(s <= least + 1e-9 for s in sums) / len(sums))
    found = wilcoxon(z, zero_method=zeros)  # type: ignore[arg-type]
    assert found.p == pytest.approx(want, rel=1e-12)
    shared = ranks[used == 0].sum() / 2 if zeros == "zsplit" else 0.0
    assert found.statistic == least + shared


# ---------------------------------------------------------------------- many systems


def test_each_system_has_the_t_interval_of_its_own_topics() -> None:
    """Guards n - 1 in the spread and in t, and missing topics, against scipy's interval of each row."""
    x = generated(3, 8, seed=5)
    x[0, 2] = x[2, 5] = x[2, 6] = np.nan
    means, low, high = tests._means(x, 0.9)
    for i, row in enumerate(x):
        own = row[~np.isnan(row)]
        ends = stats.t.interval(0.9, len(own) - 1, loc=own.mean(), scale=stats.sem(own))
        assert (means[i], low[i], high[i]) == pytest.approx((own.mean(), *ends), rel=1e-12)


def test_effects_of_many_pairs_are_those_one_by_one() -> None:
    """Guards dz and Hedges' g of rows, 0 where nothing differs and none where nothing varies."""
    a, b = generated(4, 6, seed=1), generated(4, 6, seed=2)
    assert tests._dz(b - a).tolist() == pytest.approx([cohens_dz(*two) for two in zip(a, b, strict=True)])
    assert tests._hedges(a, b).tolist() == pytest.approx([hedges_g(*two) for two in zip(a, b, strict=True)])
    flat = tests._dz(np.array([[0.0, 0.0], [0.3, 0.3], [0.0, 2.0]]))
    assert flat[[0, 2]].tolist() == pytest.approx([0.0, 1 / math.sqrt(2)])
    assert math.isnan(flat[1])
    beside = tests._hedges(np.zeros((1, 3)), np.array([[0.1 + 0.2, 0.3, 0.3]]))
    assert math.isnan(beside[0])


def test_pairs_by_the_topics_both_have() -> None:
    """Guards patterns of missing topics: every pair once, with the topics that both its systems have."""
    there = np.array([[1, 1, 1, 1], [1, 0, 1, 1], [1, 1, 1, 0], [1, 0, 1, 1]], np.bool_)
    first, second = np.triu_indices(4, 1)
    found = tests._topics_of_pairs(there, first, second)
    assert sorted(np.concatenate([where for _, where in found]).tolist()) == list(range(6))
    for topics, where in found:
        for i in where.tolist():
            assert topics.tolist() == (there[first[i]] & there[second[i]]).tolist()


def test_a_pair_needs_three_topics() -> None:
    """Guards the least number of common topics: 3 do, 2 do not, pair by pair and all at once."""
    x = generated(2, 3, seed=4)
    one, two = np.array([0]), np.array([1])
    pairwise, family = find_test("paired-t"), find_test("tukey-hsd")
    assert isinstance(pairwise, PairTest)
    assert isinstance(family, FamilyTest)
    assert tests.pair_by_pair(pairwise, x, one, two, Trials(), ("a", "b")).n.tolist() == [3]
    assert tests.all_at_once(family, x, one, two, Trials()).n.tolist() == [3]
    with pytest.raises(TruegainError, match="at least 3"):
        tests.pair_by_pair(pairwise, x[:, :2], one, two, Trials(), ("a", "b"))
    with pytest.raises(TruegainError, match="at least 3"):
        tests.all_at_once(family, x[:, :2], one, two, Trials())


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


def test_two_way_analysis_of_the_topics_too() -> None:
    """Guards F of topics, which is that of systems of the matrix turned round, and the parts that add up to all."""
    x = generated(3, 7, seed=6)
    found, turned = two_way(x), two_way(x.T)
    assert (found.f_topic, found.p_topic) == pytest.approx((turned.f, turned.p), rel=1e-9)
    whole = float(((x - x.mean()) ** 2).sum())
    assert found.s_a + (found.s_b or 0) + found.s_e == pytest.approx(whole, rel=1e-12)
    assert one_way(x).s_a + one_way(x).s_e == pytest.approx(whole, rel=1e-12)
    assert one_way(x).s_e == pytest.approx(found.s_e + (found.s_b or 0), rel=1e-12)


def test_trials_and_topics_that_can_tell() -> None:
    """Guards the effort: trials that suffice stay, others become twice the least, and signs need so many topics."""
    test = find_test("bootstrap")
    assert effort_of(test, "bootstrap", 40, 1, 25, "holm", 0.05, "plus-one").trials == 40
    assert effort_of(test, "bootstrap", 39, 1, 25, "holm", 0.05, "plus-one").trials == 40
    adjusted = effort_of(test, "bootstrap", 40, 10, 25, "holm", 0.05, "plus-one")
    assert (adjusted.trials, adjusted.most) == (40, 400)
    few_ = effort_of(find_test("sign"), "sign", None, 1, 5, "holm", 0.05, "plus-one").notes
    assert "it takes 6 topics" in few_[0]
    assert effort_of(find_test("sign"), "sign", None, 1, 6, "holm", 0.05, "plus-one").notes == ()


# ---------------------------------------------------------------------- topic set sizes


def test_topic_set_sizes_are_the_least_that_do() -> None:
    """Guards the search and the power: n reaches it, n - 1 does not, by statistics of scipy."""

    def power(n: int, difference: float) -> float:
        t, away = stats.t.ppf(0.975, n - 1), difference * math.sqrt(n)
        return float(stats.nct.sf(t, n - 1, away) + stats.nct.cdf(-t, n - 1, away))

    for difference in (0.3, 1.0, 4.0):
        n = topic_sets.topics_for_paired_t(difference, 1.0, power=0.7).topics
        assert power(n, difference) >= 0.7
        assert n == 2 or power(n - 1, difference) < 0.7
    wide = topic_sets.topics_for_width(0.5, 1.0)
    n, df = wide.topics, wide.topics - 1
    unbiased = math.sqrt(2 / df) * special.gamma((df + 1) / 2) / special.gamma(df / 2)
    want = 2 * stats.t.ppf(0.975, df) * math.sqrt(1 / n) * unbiased
    assert wide.reached == pytest.approx(want, rel=1e-9)
    assert wide.reached <= 0.5


# ---------------------------------------------------------------------- many p-values


def test_adjustments_at_their_ends() -> None:
    """Guards p of exactly 0 and 1, one test alone, and by against bh times the harmonic number."""
    for method in multiple_testing.METHODS:
        assert multiple_testing.adjust([0.0, 1.0], method).tolist() == [0.0, 1.0]
        assert multiple_testing.adjust([0.3], method).tolist() == pytest.approx([0.3])
    p = [0.04, 0.001, 0.02]
    assert multiple_testing.adjust(p, "by").tolist() == pytest.approx([0.04 * 11 / 6, 0.003 * 11 / 6, 0.03 * 11 / 6])
    assert multiple_testing.adjust(p, "holm-sidak").tolist() == pytest.approx([0.04, 1 - 0.999**3, 1 - 0.98**2])
    assert multiple_testing.adjust(p, "hochberg").tolist() == pytest.approx([0.04, 0.003, 0.04])
    for wrong in (-1e-9, 1 + 1e-9, math.nan):
        with pytest.raises(TruegainError, match="not a p-value"):
            multiple_testing.adjust([wrong])


def test_trials_and_stages_by_hand() -> None:
    """Guards the least trials, the stages, and the count from which on a pair is settled."""
    assert trials_needed(3, 0.05, "by") == math.floor(60 * 11 / 6)
    assert check_trials(20, 0.05) == 20
    assert check_trials(1) == 1
    for wrong in ((19, 0.05), (0, None)):
        with pytest.raises(TruegainError, match="give at least"):
            check_trials(*wrong)
    assert list(stages(100, 400)) == [(0, 100), (100, 400)]
    assert list(stages(100, 50)) == [(0, 100)]
    seen: Counter[int] = Counter()

    def count(which: Ints, first: int, last: int) -> Ints:
        seen.update(which.tolist())
        return np.asarray(np.array([19, 20, 0] if first == 0 else [5, 5, 0])[which])

    assert sequential_p(count, 3, 99, 396).tolist() == pytest.approx([25 / 397, 21 / 100, 1 / 397])
    assert seen == {0: 2, 1: 1, 2: 2}


def test_replicates_that_reach_the_tails() -> None:
    """Guards the least number of replicates: one in each tail, 2/(1 - confidence)."""
    assert check_replicates(40, 0.95) == 40
    assert check_replicates(20, 0.9) == 20
    with pytest.raises(TruegainError, match="give at least 40"):
        check_replicates(39, 0.95)


# ---------------------------------------------------------------------- meta-analysis


def test_meta_analysis_written_out() -> None:
    """Guards every way to combine against its formulas in plain sums, and Q and I2."""
    d, v = [0.1, 0.5, 0.9, -0.2], [0.01, 0.02, 0.03, 0.015]
    w = [1 / x for x in v]
    fixed = sum(a * b for a, b in zip(w, d, strict=True)) / sum(w)
    q = sum(a * (b - fixed) ** 2 for a, b in zip(w, d, strict=True))
    tau2 = (q - 3) / (sum(w) - sum(a * a for a in w) / sum(w))
    star = [1 / (x + tau2) for x in v]
    value = sum(a * b for a, b in zip(star, d, strict=True)) / sum(star)
    one = combine(d, v, "fixed", 0.9)
    se = sum(w) ** -0.5
    assert (one.value, one.se, one.q, one.tau2) == pytest.approx((fixed, se, q, 0.0))
    assert (one.high - one.value, one.value - one.low) == pytest.approx((stats.norm.ppf(0.95) * se,) * 2)
    assert one.p == pytest.approx(2 * stats.norm.sf(fixed / se))
    assert (one.p_q, one.i2) == pytest.approx((stats.chi2.sf(q, 3), (q - 3) / q))
    two = combine(d, v, "random", 0.9)
    assert (two.value, two.se, two.tau2) == pytest.approx((value, sum(star) ** -0.5, tau2))
    three = combine(d, v, "hartung-knapp", 0.9)
    hk = math.sqrt(sum(a * (b - value) ** 2 for a, b in zip(star, d, strict=True)) / (3 * sum(star)))
    assert (three.se, three.p) == pytest.approx((hk, 2 * stats.t.sf(value / hk, 3)))
    assert three.high - three.value == pytest.approx(stats.t.ppf(0.95, 3) * hk)
    pm = tau2_paule_mandel(np.array(d), np.array(v))
    weights = 1 / (np.array(v) + pm)
    centre = (weights * d).sum() / weights.sum()
    assert float((weights * (np.array(d) - centre) ** 2).sum()) == pytest.approx(3.0, rel=1e-9)
    assert combine(d, v, "paule-mandel").tau2 == pm


def test_meta_analysis_at_its_ends() -> None:
    """Guards equal effects: nothing between tests, p of an effect without spread, and how few tests can be combined."""
    same = combine([0.2, 0.2, 0.2], [0.01, 0.02, 0.03], "hartung-knapp")
    assert (same.tau2, same.i2, same.p, same.se) == pytest.approx((0.0, 0.0, 0.0, 0.0), abs=1e-12)
    assert combine([0.0, 0.0], [0.01, 0.02], "hartung-knapp").p == 1.0
    assert tau2_paule_mandel(np.array([0.1, 0.1]), np.array([1.0, 1.0])) == 0.0
    assert combined_p([0.3], [0.2]) == pytest.approx(stats.norm.sf(1.5))
    for wrong in (([0.1], [0.01]), ([0.1, 0.2], [0.01, 0.0]), ([0.1, 0.2], [0.01])):
        with pytest.raises(TruegainError):
            combine(*wrong)


# ---------------------------------------------------------------------- agreement


def test_drawn_items_in_pieces_are_as_many_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the last, shorter piece of a block: 11 replicates by 4 are 4, 4 and 3, each of all items, and no more."""
    monkeypatch.setattr(alpha, "ROOM_DRAWN", 20)
    drawn = list(alpha.drawn_items(5, 11, 1))
    assert [len(w) for w in drawn] == [4, 4, 3]
    assert all((w.sum(axis=1) == 5).all() for w in drawn)
    monkeypatch.setattr(alpha, "ROOM_DRAWN", 4)
    assert [len(w) for w in alpha.drawn_items(5, 2, 1)] == [1, 1]


def pairs_of(rows: list[list[float]]) -> Paired:
    """Items with their ratings, by assessors 0, 1, ..."""
    value = np.array([v for row in rows for v in row])
    item = np.array([i for i, row in enumerate(rows) for _ in row])
    return Paired.rows(value, item, np.array([a for row in rows for a in range(len(row))]))


def distance(level: str, x: float, y: float, ranks: dict[float, float]) -> float:
    """Krippendorff's squared difference of two ratings."""
    if level == "nominal":
        return float(x != y)
    if level == "ordinal":
        return (ranks[x] - ranks[y]) ** 2
    return (x - y) ** 2 if level == "interval" else ((x - y) / (x + y)) ** 2 if x + y else 0.0


ROWS: list[list[float]] = [[1, 1, 2], [3, 2], [0, 0, 0, 1], [5, 5], [2, 3, 3]]


@pytest.mark.parametrize("table", [True, False])
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_parts_of_alpha_pair_by_pair(level: str, table: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards within, among and own against all ordered pairs of ratings, items counted 0, 1, 2 or 3 times."""
    if not table:
        monkeypatch.setattr(alpha, "CELLS", 0)
        monkeypatch.setattr(alpha, "DIRECT", 0)
    times = [1, 2, 0, 3, 1]
    said = [v for row, t in zip(ROWS, times, strict=True) for v in row * t]
    ranks = dict(zip(said, stats.rankdata(said).tolist(), strict=True))
    ranks |= {v: 0.0 for row in ROWS for v in row if v not in ranks}
    own = [sum(distance(level, x, y, ranks) for x, y in itertools.permutations(row, 2)) for row in ROWS]
    among = sum(distance(level, x, y, ranks) for x, y in itertools.permutations(said, 2)) / (len(said) - 1)
    within = sum(t * o / (len(row) - 1) for t, o, row in zip(times, own, ROWS, strict=True))
    found = getattr(pairs_of(ROWS), level)(np.array([times, times], np.float64))
    assert [float(x[1]) for x in found] == pytest.approx(
        [within, among, sum(t * o for t, o in zip(times, own, strict=True))], rel=1e-9
    )


def test_alpha_between_is_of_different_items() -> None:
    """Guards chance by ratings of different items: their mean difference, counted pair by pair."""
    rated = [(i, v) for i, row in enumerate(ROWS) for v in row]
    apart = [(x - y) ** 2 for (i, x), (j, y) in itertools.permutations(rated, 2) if i != j]
    inside = sum(sum((x - y) ** 2 for x, y in itertools.permutations(row, 2)) / (len(row) - 1) for row in ROWS)
    want = 1 - inside / len(rated) / statistics.fmean(apart)
    assert float(alpha.alpha_between(pairs_of(ROWS), "interval", np.ones((1, 5)))[0]) == pytest.approx(want)


def test_the_jackknife_variance_and_its_freedom() -> None:
    """Guards V, kurtosis and the limits of the degrees of freedom: 1 and n - 1."""
    left = np.array([0.0, 0.1, 0.3, 1.5, 0.2])
    u = [x - statistics.fmean(left.tolist()) for x in left.tolist()]
    kurtosis = 5 * sum(x**4 for x in u) / sum(x**2 for x in u) ** 2
    assert alpha.spread_of(left) == pytest.approx((4 / 5 * sum(x**2 for x in u), min(4.0, 10 / (kurtosis - 1))))
    assert alpha.spread_of(np.array([0.0] * 99 + [1.0]))[1] == pytest.approx(200 / (kurtosis_of(99) - 1))
    assert alpha.spread_of(np.array([0.0, 1.0])) == (0.25, 1.0)
    assert alpha.spread_of(np.ones(4)) == (0.0, 3.0)


def kurtosis_of(zeros: int) -> float:
    """Kurtosis of so many zeros and a 1, by its closed form for a share p: (1 - 3 p (1 - p))/(p (1 - p))."""
    p = 1 / (zeros + 1)
    return (1 - 3 * p * (1 - p)) / (p * (1 - p))


def test_a_majority_that_all_items_share() -> None:
    """Guards the rating that no other outnumbers anywhere: a tie counts, being outnumbered once does not."""
    assert alpha.same_majority(pairs_of([[2, 2, 1], [2, 3], [2, 2]])) == 2.0
    assert alpha.same_majority(pairs_of([[2, 2, 1], [2, 3, 3], [2, 2]])) is None


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_cohens_kappa_pair_by_pair(weights: str) -> None:
    """Guards chance by the product of shares, of labels unevenly spaced, against sums over all pairs of items."""
    x, y = np.array([0.0, 1, 1, 4, 4, 2]), np.array([0.0, 1, 2, 4, 1, 1])

    def apart(a: float, b: float) -> float:
        return float(a != b) if weights == "none" else abs(a - b) if weights == "linear" else (a - b) ** 2

    seen = statistics.fmean(apart(a, b) for a, b in zip(x, y, strict=True))
    chance = statistics.fmean(apart(a, b) for a in x for b in y)
    assert kappa._kappa(x, y, weights) == pytest.approx(1 - seen / chance, rel=1e-12)
    assert kappa._kappa(np.ones(3), np.ones(3), weights) is None
    assert kappa._kappa(np.ones(3), np.zeros(3), weights) == pytest.approx(0.0)


# ---------------------------------------------------------------------- collections


def test_limits_for_few_relevant_documents_by_enumeration() -> None:
    """Guards AP at 0: documents found at distinct ranks, all places of them gone through; one document gives u."""
    u, n, r = 1 - 0.1 ** (1 / 3), 4, 3
    total = 0.0
    for found in range(r + 1):
        chance = math.comb(r, found) * u**found * (1 - u) ** (r - found)
        places = list(itertools.combinations(range(1, n + 1), found))
        ap = [sum((j + 1) / rank for j, rank in enumerate(ranks)) / r for ranks in places]
        total += chance * statistics.fmean(ap)
    assert float(collection_ap.limit_at_zero(np.array(r), np.array(n), 0.9)) == pytest.approx(total, rel=1e-12)
    assert float(collection_ap.limit_at_zero(np.array(2), np.array(1), 0.9)) == pytest.approx(1 - 0.1**0.5)
    assert collection_ap._harmonic(np.array([1.0, 3.0])).tolist() == pytest.approx([1.0, 11 / 6])


def test_intervals_are_widened_only_beyond_those_limits() -> None:
    """Guards where limits apply: at or beyond them, never narrower, and 0 and 1 are ends of their own."""
    relevant, depth = np.full(5, 4), np.full(5, 1000)
    bottom = float(collection_ap.limit_at_one(np.array(4)))
    top = float(collection_ap.limit_at_zero(np.array(4), np.array(1000)))
    value = np.array([0.0, top, 0.3, bottom, 1.0])
    low, high = collection_ap.widened(value, np.full(5, 0.2), np.full(5, 0.4), relevant, depth, 0.95)
    assert low.tolist() == pytest.approx([0.0, 0.2, 0.2, min(0.2, bottom), min(0.2, bottom)])
    assert high.tolist() == pytest.approx([0.4, 0.4, 0.4, 0.4, 1.0])
    low, high = collection_ap.widened(value, value.copy(), value.copy(), relevant, depth, 0.95)
    assert low.tolist() == pytest.approx([0.0, top, 0.3, bottom, bottom])
    assert high.tolist() == pytest.approx([top, top, 0.3, bottom, 1.0])


def ap_of(marks_: list[bool], relevant: int) -> float:
    """Average precision of a list, in plain words."""
    return sum(sum(marks_[: r + 1]) / (r + 1) for r, good in enumerate(marks_) if good) / relevant


def test_average_precision_without_each_document() -> None:
    """Guards found, missed and rise against lists written anew without the document, and the acceleration from them."""
    marks_, relevant = [False, True, True, False, False, True, False], 5
    rank = np.array([2, 3, 6])
    without = jackknife.left_out(rank, relevant)
    short = [[*marks_[:i], *marks_[i + 1 :]] for i in range(7)]
    assert without.ap == pytest.approx(ap_of(marks_, 5))
    assert without.found.tolist() == pytest.approx([ap_of(short[r - 1], 4) for r in rank.tolist()])
    assert without.missed == pytest.approx(ap_of(marks_, 4))
    bad = [0, 3, 4]
    assert without.rise[bad].tolist() == pytest.approx([ap_of(short[i], 5) - without.ap for i in bad])
    u = [without.ap - ap_of(short[i], 4 if marks_[i] else 5) for i in range(7)] + [without.ap - ap_of(marks_, 4)] * 2
    want = sum(x**3 for x in u) / (6 * sum(x**2 for x in u) ** 1.5)
    assert jackknife._acceleration(rank, relevant) == pytest.approx(want, rel=1e-12)
    assert jackknife._acceleration(rank[:1], 1) == 0.0
    assert jackknife._acceleration(np.array([1, 4]), 2) != 0.0


def test_two_sided_p_of_differences_over_collections() -> None:
    """Guards p by t, 1 where nothing differs nor moves, and none where it differs without moving."""
    found = collection_intervals.two_sided(
        np.array([-0.2, 0.0, 0.1, 0.1]), np.array([0.1, 0.0, 0.0, np.nan]), np.full(4, 6.0)
    )
    assert found[:2].tolist() == pytest.approx([2 * stats.t.sf(2.0, 6), 1.0])
    assert np.isnan(found[2:]).all()


def test_variances_of_differences_from_covariances() -> None:
    """Guards V(b - a) = V(a) + V(b) - 2 C(a, b), rounding as nothing, and no covariance of independent collections."""
    c = np.array([[4.0, 1.5, 4.0], [1.5, 9.0, 1.5], [4.0, 1.5, 4.0 + 1e-14]])
    a, b = np.array([0, 0]), np.array([1, 2])
    one = TopicSpread(3, np.ones(3, np.bool_), c, 2 * c)
    own, others = one.of_pairs(a, b, True)
    assert own.tolist() == [10.0, 0.0]
    assert others.tolist() == [20.0, 0.0]
    assert one.of_pairs(a, b, False)[0].tolist() == [13.0, pytest.approx(8.0)]
    assert one.of_systems()[1].tolist() == pytest.approx([8.0, 18.0, 8.0])


def test_notes_where_relevant_documents_are_few() -> None:
    """Guards the line: a median of 6 relevant documents is enough, topics without any do not count."""
    assert few_relevant(np.array([0, 0, 5, 6, 7]), "logit") == ()
    assert "have 5 relevant" in few_relevant(np.array([0, 4, 5, 7]), "logit")[0]
    assert few_relevant(np.zeros(2, np.int64), "logit") != ()


def test_depth_needed_is_seven_standard_deviations_and_twenty() -> None:
    """Guards how deep lists are kept for a measure of the first k: copies are Poisson, one in a billion is lost."""
    assert depth_needed(100) == 190
    for k in (1, 10, 100):
        assert stats.poisson.cdf(k - 1, depth_needed(k)) < 1e-9


# ---------------------------------------------------------------------- topics


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


# ---------------------------------------------------------------------- order, assessors


@pytest.mark.parametrize("seed", range(3))
def test_pairs_in_the_experts_order_one_by_one(seed: int) -> None:
    """Guards the counts by group and by two levels against all pairs; groups without pairs, and a level missing."""
    rng = np.random.default_rng(seed)
    value, group = rng.integers(0, 4, 23).astype(np.float64), rng.choice([0, 1, 3, 4], 23)
    expert = np.where(rng.random(23) < 0.1, np.nan, rng.integers(0, 3, 23))
    expert[group == 4] = 1.0
    found = order_agreement(value, expert, group)
    right, every = np.zeros(6, int), np.zeros(6, int)
    by_levels: dict[tuple[float, float], list[bool]] = {}
    for i, j in itertools.permutations(range(23), 2):
        if group[i] == group[j] and expert[i] < expert[j]:
            every[group[i]] += 1
            right[group[i]] += value[j] >= value[i]
            by_levels.setdefault((expert[i], expert[j]), []).append(bool(value[j] >= value[i]))
    counted = found.counted(6)
    assert counted[0].tolist() == right.tolist()
    assert counted[1].tolist() == every.tolist()
    assert len(found) == every.sum()
    assert found.share == pytest.approx(right.sum() / every.sum())
    want = [(a, b, sum(x) / len(x), len(x)) for (a, b), x in sorted(by_levels.items())]
    assert [tuple(row) for row in found.by_levels] == [pytest.approx(row) for row in want]


def test_levels_of_experts_are_told_apart_up_to_fifty() -> None:
    """Guards the most levels of which pairs are told apart: 50, not 51."""
    for levels, pairs in ((50, 50 * 49 // 2), (51, 0)):
        x = np.arange(levels, dtype=np.float64)
        assert len(order_agreement(x, x, np.zeros(levels, np.int64)).by_levels) == pairs


def test_limits_of_a_correlation_with_the_rest() -> None:
    """Guards Fisher's limits: the greater of 1/(n - 3) and what leaving out gives; 4 items at least, no r of 1."""
    r, n = np.array([0.5, 0.5, 0.5, 1.0, 0.5]), np.array([12.0, 12.0, 3.0, 9.0, 4.0])
    low, high = people._limits(r, n, np.array([0.01, 0.4, 0.1, 0.1, 0.1]), 0.9)
    z, step = math.atanh(0.5), stats.norm.ppf(0.95)
    for i, variance in ((0, 1 / 9), (1, 0.4), (4, 1.0)):
        ends = [math.tanh(z - step * math.sqrt(variance)), math.tanh(z + step * math.sqrt(variance))]
        assert [low[i], high[i]] == pytest.approx(ends)
    assert np.isnan(low[2:4]).all()
    assert np.isnan(high[2:4]).all()


# ---------------------------------------------------------------------- many pairs by rows and by signs


@pytest.mark.parametrize("topics", [50, 51])
def test_wilcoxon_of_rows_is_exact_up_to_fifty(topics: int) -> None:
    """Guards the last exact number of topics and the normal p with ties beyond, against scipy's."""
    rng = np.random.default_rng(topics)
    z = rng.integers(-9, 12, (3, topics)) / 8
    z[z == 0] = 0.5
    z[0] = rng.permutation(np.arange(1, topics + 1)) * np.where(rng.random(topics) < 0.4, -1, 1)
    found = pair_tests.wilcoxon_rows(np.zeros_like(z), z).p
    theirs: Any = stats.wilcoxon
    how = "exact" if topics <= 50 else "asymptotic"
    assert found[0] == pytest.approx(theirs(z[0], method=how).pvalue, rel=1e-9)
    if topics > 50:
        want = [theirs(row, method=how, correction=False).pvalue for row in z[1:]]
        assert found[1:].tolist() == pytest.approx(want, rel=1e-9)
    one = [wilcoxon(row).p for row in z]
    assert found.tolist() == pytest.approx(one, rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 7])
def test_all_signs_are_counted(n: int) -> None:
    """Guards halves of topics, even and odd: the share of all signs as far out, ties of 1/8 included."""
    z = np.random.default_rng(n).integers(-4, 6, (4, n)) / 8
    found = pair_tests.randomisation_p(z, Trials(trials=2**n))
    for row, p in zip(z, found, strict=True):
        sums = [
            abs(sum(s * x for s, x in zip(signs, row, strict=True))) for signs in itertools.product((-1, 1), repeat=n)
        ]
        assert p == pytest.approx(sum(s >= abs(row.sum()) for s in sums) / 2**n, rel=1e-12)
    assert pair_tests.is_exact(n, 2**n)
    assert not pair_tests.is_exact(n, 2**n - 1)


def test_blocks_are_cut_where_streams_begin() -> None:
    """Guards the replicates of a stage: the same whether drawn at once or gone on with, at 500 and beside it."""
    assert pair_tests._blocks(0, 500) == [(0, 500)]
    assert pair_tests._blocks(100, 1001) == [(100, 500), (500, 1000), (1000, 1001)]
    assert pair_tests._blocks(500, 600) == [(500, 600)]
    whole = pair_tests._drawn(3, (500, 900), 6, 6, np.int64)
    assert np.array_equal(whole[150:], pair_tests._drawn(3, (650, 900), 6, 6, np.int64))


def test_t_of_resampled_topics_by_hand() -> None:
    """Guards t* with divisor n - 1, infinite where one topic was drawn throughout, and its |mean|, for drawn topics."""
    w = np.array([[0.3, -0.1, -0.2]])
    stars, means = pair_tests._bootstrap_t((pair_tests._squared_too(w), 4), (0, 40), np.random.SeedSequence(0))
    for drawn, star, mean in zip(pair_tests._drawn(4, (0, 40), 3, 3, np.int64), stars[:, 0], means[:, 0], strict=True):
        own = w[0, drawn].tolist()
        assert mean == pytest.approx(abs(statistics.fmean(own)))
        flat = len(set(own)) == 1
        assert star == (math.inf if flat else pytest.approx(abs(statistics.fmean(own)) / stats.sem(own)))
    assert np.isinf(stars).any()


def test_the_interval_of_alpha_written_out() -> None:
    """Guards half-width, bow and Wilson's limits of alpha: from alphas without each item, each computed anew."""
    study: list[list[float]] = [[1, 1, 2], [3, 2], [0, 0, 0, 1], [5, 5], [2, 3, 3], [4, 4], [1, 0], [5, 4]]
    whole = float(alpha.alpha_between(pairs_of(study), "interval", np.ones((1, 8)))[0])
    without = [
        float(alpha.alpha_between(pairs_of(study[:i] + study[i + 1 :]), "interval", np.ones((1, 7)))[0])
        for i in range(8)
    ]
    variance, df = alpha.spread_of(np.array(without))
    half = float(stats.t.ppf(0.95, df)) * math.sqrt(variance)
    best, worst = wilson(1 - whole, 8, stats.t.ppf(0.95, 7))
    low = min(whole - half - half**2 / (4 * (1 - whole)), 1 - float(worst))
    high = min(1.0, max(whole + half, 1 - float(best)))
    assert alpha.limits_of(pairs_of(study), "interval", "items", 0.9, 0) == pytest.approx((low, high), rel=1e-9)


def test_alpha_of_more_differing_items_counts_more_units() -> None:
    """Guards Wilson's size beyond 10 items on which people differ: n times k/10 units, of 12 items and k = 12."""
    study: list[list[float]] = [[i, i + 1, i + 1 - i % 2] for i in range(12)]
    data = pairs_of(study)
    whole = float(alpha.alpha_between(data, "interval", np.ones((1, 12)))[0])
    variance, df = alpha.spread_of(alpha._without_items(data, "interval", 0))
    half = float(stats.t.ppf(0.975, df)) * math.sqrt(variance)
    best, worst = wilson(1 - whole, 12 * 1.2, stats.t.ppf(0.975, 11))
    low = min(whole - half - half**2 / (4 * (1 - whole)), 1 - float(worst))
    high = min(1.0, max(whole + half, 1 - float(best)))
    assert alpha.limits_of(data, "interval", "items", 0.95, 0) == pytest.approx((low, high), rel=1e-9)


def test_units_are_left_out_alone_or_in_groups() -> None:
    """Guards how many are left out alone: 1,000 items, 200 assessors; of more, 200 and 50 groups of even size."""
    assert (alpha.ALONE, alpha.GROUPS, alpha.PEOPLE, alpha.CREWS) == (1000, 200, 200, 50)
    assert alpha._groups(10, 10, 5, 0).tolist() == list(range(10))
    assert sorted(Counter(alpha._groups(11, 10, 5, 0).tolist()).items()) == [(0, 3), (1, 2), (2, 2), (3, 2), (4, 2)]


def test_values_that_are_all_equal_have_no_error() -> None:
    """Guards rounding as no spread, and rows without any difference: standard error 0, p 1."""
    values = np.array([[0.1 + 0.2, 0.3, 0.3], [0.0, 1.0, 2.0]])
    assert means_and_errors(values)[1].tolist() == pytest.approx([0.0, 1 / math.sqrt(3)])
    same = np.full((1, 4), 0.5)
    for test in (pair_tests.sign_rows, pair_tests.wilcoxon_rows, pair_tests.paired_t_rows, pair_tests.welch_rows):
        assert test(same, same).p.tolist() == [1.0]


@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
def test_the_normal_wilcoxon_with_zeros_is_scipys(zeros: str) -> None:
    """Guards mean and variance of the rank sums where differences are 0 or tied, with and without correction."""
    z = np.array([0.25, -0.5, 0.5, 0.0, 1.0, -0.25, 0.75, 0.0, 2.0, 0.0, 3.0, -1.0])
    theirs: Any = stats.wilcoxon
    for correction in (False, True):
        want = theirs(z, zero_method=zeros, correction=correction, method="asymptotic").pvalue
        found = wilcoxon(z, zero_method=zeros, correction=correction, method="normal").p  # type: ignore[arg-type]
        assert found == pytest.approx(want, rel=1e-9)


def test_topics_for_an_analysis_of_variance_are_the_least() -> None:
    """Guards the noncentrality n d^2/(2 v) and both degrees of freedom, by scipy: n does, n - 1 does not."""
    for systems, power in ((2, 0.8), (6, 0.75)):
        n = topic_sets.topics_for_anova(0.5, 1.0, systems, power=power).topics
        reached = [
            stats.ncf.sf(stats.f.ppf(0.95, systems - 1, systems * (k - 1)), systems - 1, systems * (k - 1), k * 0.125)
            for k in (n - 1, n)
        ]
        assert reached[0] < power <= reached[1]
