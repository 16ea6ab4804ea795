"""Tests of one pair of systems, against the real tools, enumeration, and data in which nothing differs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from scipy import stats

from tests.judge_error.matrices import generated, shuffled, trec8_ap, within_chance
from tests.judge_error.one_pair import (
    Outcome,
    bootstrap,
    cohens_dz,
    hedges_g,
    paired_t,
    randomisation,
    sign_test,
    welch,
    wilcoxon,
)
from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.sampling.streams import generator
from truegain.stats.multiple_testing import Trials
from truegain.stats.pair_tests import bootstrap_p, paired_t_rows, randomisation_p, sign_rows, welch_rows, wilcoxon_rows

TESTS: dict[str, Callable[..., Outcome]] = {
    "paired-t": paired_t,
    "welch": welch,
    "wilcoxon": wilcoxon,
    "sign": sign_test,
    "randomisation": lambda a, b: randomisation(a, b, trials=600),
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
    """Guards t, Wilcoxon, effect sizes and exact randomisation on whole matrices."""
    for case in conformance("statistics")["anova_tukey"]["cases"]:
        x = np.array(case["X"]).T
        for pair in case["pairs"]:
            a, b = x[pair["b"]], x[pair["a"]]  # theirs is a - b, ours second - first
            t, w = paired_t(a, b), wilcoxon(a, b, method="normal")
            assert t.difference == pytest.approx(pair["d"], abs=1e-9)
            assert (t.statistic, t.p) == pytest.approx((pair["t"], pair["p_t"]), abs=1e-9)
            assert (w.statistic, w.p) == pytest.approx((pair["W"], pair["p_wilcoxon_normal"]), abs=1e-9)
            assert cohens_dz(a, b) == pytest.approx(pair["es_paired"], abs=1e-9)
            assert randomisation(a, b).p == pytest.approx(pair["p_rand_paired_exact"], abs=1e-9)


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
    for seed in range(6):
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


def test_randomisation_counts_all_signs_where_they_are_few() -> None:
    """Guards the enumeration, against every sign written out, ties among the means included."""
    for z in ([0.1, 0.1, -0.1, 0.3], [0.1, 0.2, 0.3], [0.05] * 6, [0.7 - 0.5, 0.4 - 0.2, -0.2, 0.1, 0.0]):
        every = [abs(np.mean(np.array(s) * z)) for s in product((1, -1), repeat=len(z))]
        expected = np.mean([m >= abs(np.mean(z)) - 1e-12 for m in every])
        assert randomisation(z).p == expected


def test_randomisation_by_chance_comes_near_the_enumeration() -> None:
    """Guards the drawn signs: the share of 40,000 draws is within chance of that of all 2^14."""
    z = generated(2, 14, seed=3)
    exact, drawn = randomisation(*z, trials=2**14).p, randomisation(*z, trials=2**14 - 1, seed=5)
    assert randomisation(*z, trials=2**14).notes == ("all signs counted",)
    assert not drawn.notes
    assert within_chance(round(drawn.p * (2**14 - 1)), 2**14 - 1, exact)


def test_the_answer_does_not_depend_on_the_number_of_workers() -> None:
    """Guards one seed for each piece of work, not for each worker; another seed gives another answer."""
    x = generated(8, 30, seed=1)
    z = x[1:] - x[:-1]
    first = randomisation_p(z, Trials(trials=3000, jobs=1)), bootstrap_p(z, Trials(trials=3000, jobs=1)).p
    second = randomisation_p(z, Trials(trials=3000, jobs=3)), bootstrap_p(z, Trials(trials=3000, jobs=3)).p
    assert np.array_equal(first, second)
    assert not np.array_equal(first[0], randomisation_p(z, Trials(trials=3000, seed=1)))


def test_many_pairs_get_what_each_would_get_alone() -> None:
    """Guards the shared signs and topics: a pair's answer does not depend on the others beside it."""
    x = generated(5, 20, seed=8)
    z = x[1:] - x[0]
    found = bootstrap_p(z, Trials(trials=700))
    for i, row in enumerate(z):
        alone = bootstrap(row, trials=700)
        assert randomisation_p(z, Trials(trials=700))[i] == randomisation(row, trials=700).p
        assert (found.p[i], found.t[i]) == pytest.approx((alone.p, alone.statistic), abs=1e-12)


def test_bootstrap_against_one_written_out() -> None:
    """Guards Sakai's bootstrap: t of resampled, centred differences, with the same draws taken one by one."""
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
    with pytest.raises(TruegainError, match=r"all 3 differences are 0\.1: .* use the randomisation or the sign test"):
        paired_t_rows(a, b) if name == "paired-t" else bootstrap_p(b - a, Trials(trials=600))
    assert randomisation([0.1, 0.2, 0.3], [0.2, 0.3, 0.4]).p == 0.25
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
    "randomisation": lambda a, b: randomisation_p(b - a, Trials(trials=1000, seed=2)),
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
