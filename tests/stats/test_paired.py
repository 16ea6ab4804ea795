"""Tests of one pair of systems, against the real tools, enumeration, and data in which nothing differs."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.judge_error.matrices import generated, scores_of, shuffled, trec8_ap, within_chance
from tests.judge_error.one_pair import (
    Outcome,
    bootstrap,
    cohens_dz,
    hedges_g,
    paired_t,
    randomization,
    sign_test,
    welch,
    wilcoxon,
)
from tests.versions import since
from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.sampling.streams import generator
from truegain.stats.intervals import means_and_errors
from truegain.stats.multiple_testing import Trials
from truegain.stats.significance import pairs as pair_tests
from truegain.stats.significance.pairs import (
    bootstrap_p,
    paired_t_rows,
    randomization_p,
    sign_rows,
    welch_rows,
    wilcoxon_rows,
)

TESTS: dict[str, Callable[..., Outcome]] = {
    "paired-t": paired_t,
    "welch": welch,
    "wilcoxon": wilcoxon,
    "sign": sign_test,
    "randomization": lambda a, b: randomization(a, b, trials=600),
    "bootstrap": lambda a, b: bootstrap(a, b, trials=600),
}
ZEROS: tuple[Literal["wilcox", "pratt", "zsplit"], ...] = ("wilcox", "pratt", "zsplit")


def test_wilcoxon_is_that_of_scipy(conformance: Any) -> None:
    """Guards mid-ranks, the three ways with zeros, the tie correction and the continuity correction."""
    for case in conformance("statistics")["wilcoxon"]["cases"]:
        for name, (statistic, p) in ((k, v) for k, v in case.items() if k != "z"):
            zeros, corrected = name.removesuffix("_cc"), name.endswith("_cc")
            found = wilcoxon(case["z"], zero_method=zeros, correction=corrected, method="normal")
            assert (found.statistic, found.p) == pytest.approx((statistic, p), abs=1e-9), name


def test_pairs_of_the_conformance_matrices(conformance: Any) -> None:
    """Guards t, Wilcoxon, effect sizes and exact randomization on whole matrices."""
    for case in conformance("statistics")["anova_tukey"]["cases"]:
        x = np.array(case["X"]).T
        for pair in case["pairs"]:
            a, b = x[pair["b"]], x[pair["a"]]  # theirs is a - b, ours second - first
            t, w = paired_t(a, b), wilcoxon(a, b, method="normal")
            assert t.difference == pytest.approx(pair["d"], abs=1e-9)
            assert (t.statistic, t.p) == pytest.approx((pair["t"], pair["p_t"]), abs=1e-9)
            assert (w.statistic, w.p) == pytest.approx((pair["W"], pair["p_wilcoxon_normal"]), abs=1e-9)
            assert cohens_dz(a, b) == pytest.approx(pair["es_paired"], abs=1e-9)
            assert randomization(a, b).p == pytest.approx(pair["p_rand_paired_exact"], abs=1e-9)


def test_worked_examples(examples: dict[str, Any]) -> None:
    """Guards the published numbers: t of ten differences, Wilcoxon with a tie and a zero, Sakai's book."""
    t, w, book = examples["t-1"], examples["wilcoxon-1"], examples["sakai-book-1"]
    found, expected = paired_t(t["input"]["z"]), t["expected"]
    assert (found.statistic, found.p) == pytest.approx((expected["t"], expected["p"]), abs=1e-6)
    assert (found.difference, found.low, found.high) == pytest.approx((expected["mean"], *expected["ci95"]), abs=5e-6)
    assert cohens_dz(t["input"]["z"]) == pytest.approx(expected["es"], abs=1e-6)
    for name in ("wilcox", "wilcox_cc", "pratt", "zsplit"):
        zeros: Any = name.removesuffix("_cc")
        signed = wilcoxon(w["input"]["z"], zero_method=zeros, correction=name.endswith("_cc"), method="normal")
        assert [signed.statistic, signed.p] == pytest.approx(w["expected"][name], abs=1e-6)
    ab = paired_t(book["input"]["b"], book["input"]["a"])
    published = book["expected"]["paired_t_ab"]
    assert (ab.difference, ab.statistic, ab.p) == pytest.approx(
        (published["mean"], published["t"], published["p"]), abs=1e-6
    )


@since("scipy", "1.15", "its Wilcoxon test has other names of methods")
@pytest.mark.parametrize("n", [5, 12, 30, 60])
def test_scipy_says_the_same(n: int) -> None:
    """Guards t, Welch, exact and normal Wilcoxon, sign test and their intervals against scipy as installed."""
    x = generated(2, n, seed=n)
    a, b = x
    t = stats.ttest_rel(b, a)
    assert (paired_t(a, b).statistic, paired_t(a, b).p) == pytest.approx((t.statistic, t.pvalue), abs=1e-12)
    limits = t.confidence_interval(0.9)
    found = paired_t(a, b, confidence=0.9)
    assert (found.low, found.high) == pytest.approx((limits.low, limits.high), abs=1e-12)
    w = stats.ttest_ind(b, a[: n - 1], equal_var=False)
    ours = welch(a[: n - 1], b)
    assert (ours.statistic, ours.p, ours.df) == pytest.approx((w.statistic, w.pvalue, w.df), abs=1e-12)
    assert (ours.low, ours.high) == pytest.approx(tuple(w.confidence_interval()), abs=1e-12)
    assert wilcoxon(a, b).p == pytest.approx(stats.wilcoxon(b, a).pvalue, abs=1e-12)
    rounded = np.round(b - a, 1)
    for zeros in ZEROS:
        theirs = stats.wilcoxon(rounded, zero_method=zeros, method="approx", correction=True)
        found = wilcoxon(rounded, zero_method=zeros, correction=True, method="normal")
        assert found.p == pytest.approx(theirs.pvalue, abs=1e-12)
    up, used = int((rounded > 0).sum()), int((rounded != 0).sum())
    assert sign_test(rounded).p == pytest.approx(stats.binomtest(up, used).pvalue, abs=1e-12)


def by_all_signs(z: Floats, zeros: str) -> float:
    """Wilcoxon's p with every sign written out: how often the smaller rank sum is no greater than that found."""
    used = z[z != 0] if zeros == "wilcox" else z
    ranks = stats.rankdata(np.abs(used))
    kept, split = ranks[used != 0], ranks[used == 0].sum() / 2 if zeros == "zsplit" else 0.0
    signs = np.array(list(product((0, 1), repeat=len(kept))))
    plus = signs @ kept + split
    smaller = np.minimum(plus, kept.sum() + 2 * split - plus)
    found = min(ranks[used > 0].sum(), ranks[used < 0].sum()) + split
    return float(np.mean(smaller <= found + 1e-9))


@pytest.mark.parametrize("zeros", ZEROS)
def test_wilcoxon_with_ties_and_zeros_counts_all_signs(zeros: Literal["wilcox", "pratt", "zsplit"]) -> None:
    """Guards the exact p with ties and zeros, up to 12 differences, against every sign written out."""
    rng = np.random.default_rng(5)
    for n in (*range(1, 13), *range(4, 13)):
        z = rng.integers(-3, 5, n) / 4
        if z.any():
            assert wilcoxon(z, zero_method=zeros).p == pytest.approx(by_all_signs(z, zeros), abs=1e-14)


@pytest.mark.few(1)
@pytest.mark.parametrize("zeros", ZEROS)
def test_wilcoxon_with_ties_is_scipys_permutation_test(zeros: Literal["wilcox", "pratt", "zsplit"]) -> None:
    """Guards the same against scipy, which counts all signs where it is asked to."""
    every = stats.PermutationMethod(n_resamples=2**9)  # all of them
    for seed in range(3):
        z = np.random.default_rng(seed).integers(-2, 4, 9) / 8
        theirs = stats.wilcoxon(z, zero_method=zeros, method=every).pvalue
        assert wilcoxon(z, zero_method=zeros).p == pytest.approx(theirs, abs=1e-12)


def test_wilcoxon_never_undercuts_what_the_signs_can_give() -> None:
    """Guards small studies with ties: zeros change nothing, and no p is below 2/2^n, the least there is."""
    assert wilcoxon([0.1, 0.2, 0.3, 0.4, 0.5]).p == wilcoxon([0.1, 0.2, 0.3, 0.4, 0.5, 0, 0, 0]).p == 0.0625
    assert wilcoxon([0.5] * 4 + [0.0] * 6).p == 0.125
    assert wilcoxon([0.5] * 4 + [0.0] * 6, method="normal").p == pytest.approx(0.0455, abs=1e-4)


def test_exact_wilcoxon_of_many_against_scipy() -> None:
    """Guards the count of signs beyond 50 differences, where doubles do not hold 2^n, and that 'auto' stops there."""
    z = generated(2, 120, seed=9)
    exact = wilcoxon(*z, method="exact").p
    assert exact == pytest.approx(stats.wilcoxon(z[1] - z[0], method="exact").pvalue, rel=1e-9)
    assert wilcoxon(*z).p == wilcoxon(*z, method="normal").p != exact
    tied = np.round(generated(2, 50, seed=2)[1], 1) - 0.3
    assert wilcoxon(tied).p == wilcoxon(tied, method="exact").p != wilcoxon(tied, method="normal").p


def test_randomization_counts_all_signs_where_they_are_few() -> None:
    """Guards the enumeration, against every sign written out, ties among the means included."""
    for z in ([0.1, 0.1, -0.1, 0.3], [0.1, 0.2, 0.3], [0.05] * 6, [0.7 - 0.5, 0.4 - 0.2, -0.2, 0.1, 0.0]):
        every = [abs(np.mean(np.array(s) * z)) for s in product((1, -1), repeat=len(z))]
        expected = np.mean([m >= abs(np.mean(z)) - 1e-12 for m in every])
        assert randomization(z).p == expected


def test_randomization_by_chance_comes_near_the_enumeration() -> None:
    """Guards the drawn signs: the share of 40,000 draws is within chance of that of all 2^14."""
    z = generated(2, 14, seed=3)
    exact, drawn = randomization(*z, trials=2**14).p, randomization(*z, trials=2**14 - 1, seed=5)
    assert randomization(*z, trials=2**14).notes == ("all signs counted",)
    assert not drawn.notes
    assert within_chance(round(drawn.p * (2**14 - 1)), 2**14 - 1, exact)


def test_the_answer_does_not_depend_on_the_number_of_workers() -> None:
    """Guards one seed for each piece of work, not for each worker; another seed gives another answer."""
    x = generated(8, 30, seed=1)
    z = x[1:] - x[:-1]
    first = randomization_p(z, Trials(trials=3000, jobs=1)), bootstrap_p(z, Trials(trials=3000, jobs=1)).p
    second = randomization_p(z, Trials(trials=3000, jobs=3)), bootstrap_p(z, Trials(trials=3000, jobs=3)).p
    assert np.array_equal(first, second)
    assert not np.array_equal(first[0], randomization_p(z, Trials(trials=3000, seed=1)))


def test_many_pairs_get_what_each_would_get_alone() -> None:
    """Guards the shared signs and topics: a pair's answer does not depend on the others beside it."""
    x = generated(5, 20, seed=8)
    z = x[1:] - x[0]
    found = bootstrap_p(z, Trials(trials=700))
    for i, row in enumerate(z):
        alone = bootstrap(row, trials=700)
        assert randomization_p(z, Trials(trials=700))[i] == randomization(row, trials=700).p
        assert (found.p[i], found.t[i]) == pytest.approx((alone.p, alone.statistic), abs=1e-12)


def test_bootstrap_against_one_written_out() -> None:
    """Guards Sakai's bootstrap: t of resampled, centered differences, with the same draws taken one by one."""
    z = np.subtract(*generated(2, 12, seed=6))
    w, t, trials = z - z.mean(), z.mean() / (z.std(ddof=1) / np.sqrt(12)), 500
    rng = generator(7, "topics")
    hits, stars = 0, []
    for row in rng.integers(0, 12, size=(trials, 12)):
        star = w[row]
        stars.append(abs(star.mean()) / (star.std(ddof=1) / np.sqrt(12)))
        hits += stars[-1] >= abs(t)
    found = bootstrap(z, trials=trials, seed=7)
    assert found.p == pytest.approx((hits + 1) / (trials + 1), abs=1e-12)
    assert bootstrap(z, trials=trials, seed=7, counting="published").p == hits / trials
    assert found.high is not None
    assert (found.high - found.difference) / (z.std(ddof=1) / np.sqrt(12)) == pytest.approx(sorted(stars)[-25])


@pytest.mark.parametrize("name", TESTS)
def test_what_holds_for_every_test(name: str) -> None:
    """Guards p in [0, 1], the same p for swapped systems and for topics in another order."""
    for seed in range(5):
        a, b = generated(2, 9, seed=seed)
        order = np.random.default_rng(seed).permutation(9)
        test, back = TESTS[name], TESTS[name](b, a)
        found = test(a, b)
        assert 0 <= found.p <= 1
        assert back.p == pytest.approx(found.p, abs=1e-12)
        assert back.difference == pytest.approx(-found.difference)
        if name != "bootstrap":  # which draws other topics then
            turned = test(a[order], b[order])
            assert turned.p == pytest.approx(found.p, abs=1e-12)


@pytest.mark.parametrize("name", TESTS)
def test_systems_that_never_differ(name: str) -> None:
    """Guards p = 1 where all differences are 0, instead of a division by 0."""
    same = [0.2, 0.2, 0.2] if name == "welch" else [0.2, 0.4, 0.1]
    found = TESTS[name](same, same)
    assert (found.p, found.difference) == (1.0, 0.0)


@pytest.mark.parametrize("name", ["paired-t", "bootstrap"])
def test_a_constant_difference_is_refused(name: str) -> None:
    """Guards against a t of infinity: the message says what is wrong and what to use instead."""
    a, b = np.array([[0.1, 0.2, 0.3]]), np.array([[0.2, 0.3, 0.4]])
    with pytest.raises(TruegainError, match=r"all 3 differences are 0\.1: .* use the randomization or the sign test"):
        paired_t_rows(a, b) if name == "paired-t" else bootstrap_p(b - a, Trials(trials=600))
    assert randomization([0.1, 0.2, 0.3], [0.2, 0.3, 0.4]).p == 0.25
    assert sign_test([0.1, 0.2, 0.3], [0.2, 0.3, 0.4]).p == 0.25


def test_hedges_g_of_two_samples() -> None:
    """Guards Hedges' g of samples of unequal sizes, against the formula written out."""
    a, b = generated(2, 15, seed=2)
    pooled = np.sqrt((14 * a.var(ddof=1) + 9 * b[:10].var(ddof=1)) / 23)
    apart = b[:10].mean() - a.mean()
    assert hedges_g(a, b[:10]) == pytest.approx((1 - 3 / (4 * 25 - 9)) * apart / pooled)


def rejections(x: Floats, test: Callable[[Floats, Floats], Floats], times: int) -> tuple[int, int]:
    """How many disjoint pairs of systems that do not differ are said to differ at 5%, and of how many."""
    hits = total = 0
    for null in shuffled(x, times, seed=11):
        half = len(null) // 2
        p = test(null[:half], null[half : 2 * half])
        hits, total = hits + int((p < 0.05).sum()), total + half
    return hits, total


def independent(a: Floats, b: Floats) -> Floats:
    """Welch's test of samples made independent: scores drawn one by one from all there are."""
    rng = np.random.default_rng([int(1e6 * a[0, 0]), int(1e6 * b[0, 0])])
    return welch_rows(rng.choice(a.ravel(), a.shape), rng.choice(a.ravel(), b.shape)).p


NULL_TESTS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "paired-t": lambda a, b: paired_t_rows(a, b).p,
    "wilcoxon": lambda a, b: wilcoxon_rows(a, b).p,
    "welch": independent,
    "randomization": lambda a, b: randomization_p(b - a, Trials(trials=1000, seed=2)),
    "bootstrap": lambda a, b: bootstrap_p(b - a, Trials(trials=1000, seed=2)).p,
}


@pytest.mark.parametrize("name", NULL_TESTS)
def test_false_differences_on_generated_scores(name: str) -> None:
    """Guards the level: of systems that do not differ, 5% are said to differ, within the error of counting."""
    assert within_chance(*rejections(generated(60, 40), NULL_TESTS[name], 30), 0.05)


@pytest.mark.parametrize("name", NULL_TESTS)
def test_false_differences_on_trec_scores(name: str, shared_data: Path) -> None:
    """Guards the level on the skewed scores of real systems, dealt anew within topics."""
    assert within_chance(*rejections(trec8_ap(shared_data), NULL_TESTS[name], 20), 0.05)


@cache
def attained_level(n: int) -> float:
    """The largest level below 5% that the sign test of n topics can have."""
    levels = 2 * stats.binom.cdf(np.arange(n // 2), n, 0.5)
    return float(levels[levels < 0.05].max())


def test_false_differences_of_the_sign_test(shared_data: Path) -> None:
    """Guards the sign test's own level, which is below 5% because it counts: attained, not nominal."""
    hits = total = 0
    expected = variance = 0.0
    for null in shuffled(trec8_ap(shared_data), 20, seed=3):
        a, b = null[64:128], null[:64]
        for used in (a != b).sum(axis=1).tolist():
            level = attained_level(used)
            expected, variance = expected + level, variance + level * (1 - level)
        hits, total = hits + int((sign_rows(a, b).p < 0.05).sum()), total + len(a)
    assert abs(hits - expected) <= 4 * variance**0.5
    assert expected < 0.05 * total


Z = [0.1, -0.02, 0.05, 0.04, 0.0, 0.12, -0.04, 0.07, 0.03, 0.09]


def test_every_number_of_a_t_test() -> None:
    """Guards difference, t, p, n, limits and degrees of freedom, at 95% unasked, against scipy."""
    for found, level in ((paired_t(Z), 0.95), (paired_t(Z, confidence=0.8), 0.8)):
        theirs: Any = stats.ttest_1samp(Z, 0)
        ends = theirs.confidence_interval(level)
        want: tuple[Any, ...] = (0.044, theirs.statistic, theirs.pvalue, 10, ends.low, ends.high, 9)
        assert dataclasses.astuple(found)[:7] == pytest.approx(want)
    a, b = [0.1, 0.2, 0.35], [0.3, 0.4, 0.5, 0.75]
    theirs = stats.ttest_ind(b, a, equal_var=False)
    ends = theirs.confidence_interval(0.95)
    want = (np.mean(b) - np.mean(a), theirs.statistic, theirs.pvalue, 3, ends.low, ends.high, theirs.df)
    assert dataclasses.astuple(welch(a, b))[:7] == pytest.approx(want)


def test_rows_hold_95_percent_unless_told() -> None:
    """Guards the level of both t tests that nobody gave one, and levels outside of 0 to 1."""
    a, b = generated(2, 8, seed=1)[:1], generated(2, 8, seed=2)[:1]
    for test in (paired_t_rows, welch_rows):
        low, high, same, wide = test(a, b).low, test(a, b).high, test(a, b, 0.95), test(a, b, 0.99)
        assert low is not None
        assert high is not None
        assert (same.low, same.high) == (low, high)
        assert wide.low is not None
        assert wide.low[0] < low[0] < high[0]
        for level in (0.0, 1.5):
            with pytest.raises(TruegainError, match="between 0 and 1"):
                test(a, b, level)


def test_where_nothing_differs() -> None:
    """Guards every number of an answer about zeros."""
    zeros = np.zeros((1, 3))
    for test in (paired_t_rows, welch_rows):
        found = test(zeros, zeros)
        assert np.stack([found.p, found.low, found.high]).tolist() == [[1.0], [0.0], [0.0]]  # type: ignore[list-item]
    assert wilcoxon_rows(zeros, zeros).p == sign_rows(zeros, zeros).p == 1.0
    drawn = bootstrap_p(zeros, Trials(trials=50))
    assert np.stack([drawn.t, drawn.p, drawn.critical, drawn.delta]).tolist() == [[0.0], [1.0], [0.0], [0.0]]
    assert randomization_p(zeros, Trials(trials=50)) == 1.0
    one = np.array([[0.3]])
    assert wilcoxon_rows(0 * one, one).p == sign_rows(0 * one, one).p == randomization_p(one) == 1.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_differences_that_are_equal_but_for_rounding(sign: float) -> None:
    """Guards the line between rounding and spread, for differences below 0 as for those above."""
    flat = sign * np.array([[0.3, 0.1 + 0.2, 0.3]])
    for call in (lambda: paired_t_rows(0 * flat, flat), lambda: bootstrap_p(flat)):
        with pytest.raises(TruegainError, match="all 3 differences are"):
            call()
    with pytest.raises(TruegainError, match="Welch's t is undefined"):
        welch_rows(flat, np.full((1, 3), 0.1))
    assert welch_rows(flat, flat[:, ::-1]).p == 1.0
    hardly = sign * np.array([[0.3, 0.3 + 1e-9]])
    assert paired_t_rows(0 * hardly, hardly).p < 1e-8
    scores = np.array([[0.1, 0.4, 0.2]] * 3)
    scores[2] += flat[0]
    with pytest.raises(TruegainError, match=r"^(s0 and s2|s2 and s0): all 3 differences"):
        tg.compare(scores_of(scores, "YAAP"), test="paired-t", baseline="s0" if sign > 0 else "s2")


def test_welch_tells_rounding_from_spread_by_the_larger_sample() -> None:
    """Guards the scale that a spread is held against: of zeros beside 0.3 and its rounding, that of the 0.3."""
    rounded, zeros = np.array([[0.1 + 0.2, 0.3, 0.3]]), np.zeros((1, 3))
    for a, b in ((zeros, rounded), (rounded, zeros)):
        with pytest.raises(TruegainError, match="Welch's t is undefined"):
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


@since("scipy", "1.15", "its Wilcoxon test has other names of methods")
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


def test_values_that_are_all_equal_have_no_error() -> None:
    """Guards rounding as no spread, and rows without any difference: standard error 0, p 1."""
    values = np.array([[0.1 + 0.2, 0.3, 0.3], [0.0, 1.0, 2.0]])
    assert means_and_errors(values)[1].tolist() == pytest.approx([0.0, 1 / math.sqrt(3)])
    same = np.full((1, 4), 0.5)
    for test in (pair_tests.sign_rows, pair_tests.wilcoxon_rows, pair_tests.paired_t_rows, pair_tests.welch_rows):
        assert test(same, same).p.tolist() == [1.0]


@since("scipy", "1.15", "its Wilcoxon test has other names of methods")
@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
def test_the_normal_wilcoxon_with_zeros_is_scipys(zeros: str) -> None:
    """Guards mean and variance of the rank sums where differences are 0 or tied, with and without correction."""
    z = np.array([0.25, -0.5, 0.5, 0.0, 1.0, -0.25, 0.75, 0.0, 2.0, 0.0, 3.0, -1.0])
    theirs: Any = stats.wilcoxon
    for correction in (False, True):
        want = theirs(z, zero_method=zeros, correction=correction, method="asymptotic").pvalue
        found = wilcoxon(z, zero_method=zeros, correction=correction, method="normal").p  # type: ignore[arg-type]
        assert found == pytest.approx(want, rel=1e-9)
