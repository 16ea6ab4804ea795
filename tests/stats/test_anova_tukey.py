"""Analysis of variance and Tukey's tests, against scipy, statsmodels, enumeration and real data."""

from __future__ import annotations

import itertools
import math
import warnings
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.judge_error.matrices import generated, scores_of, shuffled, trec8_ap, within_chance
from tests.judge_error.one_pair import paired_t, randomization
from truegain.errors import DataWarning, TruegainError
from truegain.io.columns import Floats
from truegain.sampling.streams import stream_keys
from truegain.stats.multiple_testing import Trials
from truegain.stats.significance import anova
from truegain.stats.significance.anova import complete, one_way, randomized_tukey_hsd, tukey_hsd, two_way
from truegain.stats.student_t import studentized_range_isf, studentized_range_sf


def test_conformance_values(conformance: Any) -> None:
    """Guards V_E2, V_E1, F, q, both Tukeys, the exact randomized one and ES_HSD at 1e-9."""
    seen_exact = 0
    for case in conformance("statistics")["anova_tukey"]["cases"]:
        x = np.array(case["X"]).T
        two, one, tukey = two_way(x), one_way(x), tukey_hsd(x)
        expected = (case["V_E2"], case["V_E1"], case["F_system"], case["p_F"])
        assert (two.v_e, one.v_e, two.f, two.p) == pytest.approx(expected, abs=1e-9)
        assert tukey_hsd(x, blocked=False).p == pytest.approx(np.array(case["p_tukey_one_way"]), abs=1e-9)
        for pair in case["pairs"]:
            i, j = pair["a"], pair["b"]
            assert abs(two.means[i] - two.means[j]) / math.sqrt(two.v_e / two.topics) == pytest.approx(pair["q"])
            assert tukey.p[i, j] == pytest.approx(pair["p_tukey_two_way"], abs=1e-9)
            assert abs(two.effects[i, j]) == pytest.approx(pair["ES_HSD"], abs=1e-9)
            if "p_rand_tukey_exact" in pair:
                seen_exact += 1
                found = randomized_tukey_hsd(x)
                assert found.exact
                assert found.trials == case["n_permutations"]
                assert found.p[i, j] == pytest.approx(pair["p_rand_tukey_exact"], abs=1e-9)
    assert seen_exact


def test_worked_examples(examples: dict[str, Any]) -> None:
    """Guards the small matrix worked out by hand and the published table of Sakai's book."""
    small = examples["tukey-1"]
    x, expected = np.array(small["input"]["X"]).T, small["expected"]
    two = two_way(x)
    assert (two.v_e, two.s_e, two.df_e, two.f, two.p, one_way(x).v_e) == pytest.approx(
        tuple(expected[k] for k in ("V_E2", "S_E2", "df", "F_system", "p_F", "V_E1")), abs=1e-6
    )
    tukey, randomized = tukey_hsd(x), randomized_tukey_hsd(x)
    for name, pair in expected["pairs"].items():
        i, j = map(int, name.split("-"))
        assert tukey.p[i, j] == pytest.approx(pair["p_tukey"], abs=1e-6)
        assert randomized.p[i, j] == pytest.approx(pair["p_randomised_tukey_exact"], abs=1e-6)
        assert two.effects[j, i] == pytest.approx(-pair["ES_HSD"], abs=1e-6)
        assert randomization(x[i], x[j]).p == pair["p_randomisation_paired"]
    book = examples["sakai-book-1"]
    x, expected = np.array([book["input"][s] for s in "abc"]), book["expected"]
    two, tukey = two_way(x), tukey_hsd(x)
    names = ("S_A", "S_B", "S_E", "V_E2", "F_system", "p_system", "F_topic", "MOE95")
    half = float(two.intervals()[1][0] - two.means[0])
    found = (two.s_a, two.s_b, two.s_e, two.v_e, two.f, two.p, two.f_topic, half)
    assert found == pytest.approx(tuple(expected[k] for k in names), abs=1e-6)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        name = f"{'abc'[i]}-{'abc'[j]}"
        assert tukey.p[i, j] == pytest.approx(expected["p_tukey_two_way"][name], abs=1e-6)
        assert two.effects[j, i] == pytest.approx(expected["ES_HSD"][name], abs=1e-6)


@pytest.mark.few(12)
@pytest.mark.parametrize("systems", [2, 3, 5, 10, 40, 129])
@pytest.mark.parametrize("df", [1, 2, 6, 30, 400, 6272])
def test_studentized_range_is_that_of_scipy(systems: int, df: int) -> None:
    """Guards the fast studentized range from far left to far right, for few and many systems and topics."""
    q = np.array([0.0, 0.02, 1.5, 3.6, 5.5, 15.0, 60.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy's own integration complains far out
        theirs = stats.studentized_range.sf(q, systems, df)
    assert np.abs(studentized_range_sf(q, systems, df) - theirs).max() < 1e-9


def test_studentized_range_by_closed_forms() -> None:
    """Guards two systems (|t| sqrt 2) to any df, infinite df, and that the inverse is one."""
    q = np.linspace(0, 12, 200)
    for df in (1, 3, 50, 5000, 10**7):
        assert studentized_range_sf(q, 2, df) == pytest.approx(2 * stats.t.sf(q / math.sqrt(2), df), abs=1e-9)
    assert studentized_range_sf(q, 2, math.inf) == pytest.approx(2 * stats.norm.sf(q / math.sqrt(2)), abs=1e-9)
    for systems, df in ((2, 1), (3, 6), (129, 6272), (10, 2)):
        for p in (0.5, 0.05, 0.001):
            critical = studentized_range_isf(p, systems, df)
            assert studentized_range_sf(critical, systems, df)[0] == pytest.approx(p, abs=1e-9)
    assert studentized_range_isf(0.05, 10, 20) == pytest.approx(stats.studentized_range.isf(0.05, 10, 20), abs=1e-7)
    for wrong in (-1.0, math.nan):
        with pytest.raises(TruegainError, match="at least 0"):
            studentized_range_sf(wrong, 3, 10)


def test_statsmodels_says_the_same() -> None:
    """Guards the two-way table, against statsmodels' least squares on dummy variables."""
    regression = pytest.importorskip("statsmodels.regression.linear_model")
    x = generated(5, 12, seed=2)
    system, topic = np.indices(x.shape).reshape(2, -1)
    design = np.column_stack([system == i for i in range(5)] + [topic == j for j in range(1, 12)]).astype(float)
    fitted = regression.OLS(x.ravel(), design).fit()
    found = two_way(x)
    assert (found.v_e, found.df_e) == pytest.approx((fitted.mse_resid, fitted.df_resid), abs=1e-12)
    contrast = np.zeros((4, 16))
    contrast[:, 0], contrast[range(4), range(1, 5)] = -1, 1
    test = fitted.f_test(contrast)
    assert (found.f, found.p) == pytest.approx((float(test.fvalue), float(test.pvalue)), abs=1e-9)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(4))
def test_uneven_topics_are_tukey_kramers(seed: int) -> None:
    """Guards the one-way test where systems lack topics: all are counted, as scipy and statsmodels count them."""
    rng = np.random.default_rng(seed)
    x = generated(5, 12, seed=seed)
    x[rng.random(x.shape) < 0.3] = np.nan
    x[0, :9] = np.nan
    samples = [row[~np.isnan(row)] for row in x]
    theirs = stats.tukey_hsd(*samples)
    with pytest.warns(DataWarning, match=r"systems have no score for some of 12 topics: the one-way test uses all"):
        found = tukey_hsd(x, blocked=False)
    assert found.p == pytest.approx(theirs.pvalue, abs=1e-9)
    margin = np.asarray(found.margin)
    apart = found.anova.means[:, None] - found.anova.means[None, :]
    limits = theirs.confidence_interval()
    assert apart - margin == pytest.approx(limits.low, abs=1e-6)
    assert apart + margin == pytest.approx(limits.high, abs=1e-6)
    f = stats.f_oneway(*samples)
    assert (found.anova.f, found.anova.p) == pytest.approx((f.statistic, f.pvalue))
    assert found.anova.sizes.tolist() == [len(s) for s in samples]
    multicomp = pytest.importorskip("statsmodels.stats.multicomp")
    other = multicomp.pairwise_tukeyhsd(np.concatenate(samples), np.repeat(np.arange(5), found.anova.sizes))
    assert found.p[np.triu_indices(5, 1)] == pytest.approx(other.pvalues, abs=1e-6)


def test_uneven_topics_in_a_comparison() -> None:
    """Guards the command's way: other Tukey tests keep shared topics, this one all; systems with one are refused."""
    x = generated(3, 8, seed=3)
    x[1, :3] = np.nan
    scores = scores_of(x)
    names = scores.systems
    with pytest.warns(DataWarning, match=r"1 of 3 systems have no score .* each has \(5 to 8\)"):
        found = tg.compare(scores, test="one-way-tukey-hsd")
    theirs = stats.tukey_hsd(*(row[~np.isnan(row)] for row in x))
    low, high = (np.asarray(end) for end in theirs.confidence_interval())
    for pair in found.pairs:
        i, j = names.index(pair.b), names.index(pair.a)
        assert pair.p == pytest.approx(theirs.pvalue[i, j], abs=1e-9)
        assert pair.n == (5 if 1 in (i, j) else 8)
        assert (pair.low, pair.high) == pytest.approx((max(-1, low[i, j]), min(1, high[i, j])), abs=1e-6)
    assert any("Tukey-Kramer: of 5 to 8 topics" in note for note in found.notes)
    with pytest.warns(DataWarning, match="3 of 8 topics are left out"):
        assert {pair.n for pair in tg.compare(scores, test="tukey-hsd").pairs} == {5}
    x[1, :7] = np.nan
    with pytest.raises(TruegainError, match="a system has 1 of 8 topics"):
        tg.compare(scores_of(x), test="one-way-tukey-hsd")


def test_two_systems_are_the_paired_tests() -> None:
    """Guards that with two systems Tukey is the paired t test, and randomized Tukey the randomization test."""
    x = generated(2, 12, seed=5)
    t, tukey = paired_t(*x), tukey_hsd(x)
    assert tukey.p[0, 1] == pytest.approx(t.p, abs=1e-9)
    assert tukey.margin == pytest.approx((t.high or 0) - t.difference, abs=1e-7)
    assert randomized_tukey_hsd(x, Trials(trials=5000)).p[0, 1] == randomization(*x, trials=5000).p


def brute_force(x: Floats) -> Floats:
    """Every matrix with the scores permuted within topics, all topics included."""
    ranges = []
    for columns in product(*(permutations(column) for column in x.T)):
        means = np.array(columns).mean(axis=0)
        ranges.append(means.max() - means.min())
    return np.array(ranges)


def test_randomized_tukey_counts_all_where_they_are_few() -> None:
    """Guards the enumeration with one topic held, against all topics permuted; ties among scores included."""
    for x in (
        generated(3, 3, seed=1),
        generated(4, 2, seed=2),
        np.array([[0.1, 0.2, 0.2], [0.1, 0.3, 0.2], [0.4, 0, 0]]),
    ):
        ranges, means = brute_force(x), x.mean(axis=1)
        found = randomized_tukey_hsd(x, exact=True)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            assert found.p[i, j] == pytest.approx(float((ranges >= abs(means[i] - means[j]) - 1e-12).mean()), abs=1e-12)


def test_randomized_tukey_by_chance_comes_near_the_enumeration() -> None:
    """Guards the dealing of scores: drawn p-values are within chance of the exact ones."""
    for x in (generated(3, 5, seed=3), generated(4, 4, seed=9)):
        exact, drawn = (
            randomized_tukey_hsd(x, exact=True),
            randomized_tukey_hsd(x, Trials(trials=20_000, seed=4), exact=False),
        )
        assert not drawn.exact
        for i, j in ((0, 1), (0, 2), (1, 2)):
            assert within_chance(round(drawn.p[i, j] * 20_000), 20_000, exact.p[i, j])


def test_permutations_are_uniform() -> None:
    """Guards the dealing itself: two topics, all 24 orders of the second against the first, equally often."""
    x = np.array([[0.0, 0.0], [1.0, 10.0], [3.0, 300.0], [7.0, 9000.0]])
    ranges = randomized_tukey_hsd(x, Trials(trials=24_000, seed=6), exact=False).ranges
    expected, counts = np.unique(brute_force(x).round(6), return_counts=True)
    found, times = np.unique(np.asarray(ranges).round(6), return_counts=True)
    assert np.array_equal(found, expected)
    assert stats.chisquare(times, counts / counts.sum() * 24_000).pvalue > 0.001


def test_workers_seeds_and_modes() -> None:
    """Guards that the answer depends on the seed, not on the workers; count/trials where asked for; progress told."""
    x = generated(20, 15, seed=7)
    first = randomized_tukey_hsd(x, Trials(trials=5000, jobs=1))
    assert np.array_equal(first.p, randomized_tukey_hsd(x, Trials(trials=5000, jobs=3)).p)
    assert not np.array_equal(first.p, randomized_tukey_hsd(x, Trials(trials=5000, seed=1)).p)
    published = randomized_tukey_hsd(x, Trials(trials=5000, counting="published"))
    assert published.p[0, 1] == (np.asarray(first.ranges) >= abs(first.anova.means[0] - first.anova.means[1])).mean()
    assert first.p[0, 1] == pytest.approx((published.p[0, 1] * 5000 + 1) / 5001)
    told: list[int] = []
    randomized_tukey_hsd(x, Trials(trials=5000, progress=told.append))
    assert sum(told) == 5000
    assert len(told) > 1


def test_symmetry_and_order() -> None:
    """Guards p in [0, 1], symmetric, 1 on the diagonal, the same for topics and systems in another order."""
    x = generated(6, 10, seed=8)
    order, turned = np.random.default_rng(0).permutation(6), np.random.default_rng(0).permutation(10)
    for p, again, tolerance in (
        (tukey_hsd(x).p, tukey_hsd(x[order][:, turned]).p, 1e-12),
        (
            randomized_tukey_hsd(x, Trials(trials=30_000)).p,
            randomized_tukey_hsd(x[order][:, turned], Trials(trials=30_000)).p,
            0.02,
        ),
    ):
        assert np.array_equal(p, p.T)
        assert (np.diag(p) == 1).all()
        assert ((p >= 0) & (p <= 1)).all()
        assert again == pytest.approx(p[np.ix_(order, order)], abs=tolerance)


def test_degenerate_matrices() -> None:
    """Guards equal systems (p = 1), a constant difference (refused with a way out), and too little data."""
    same = np.tile([0.1, 0.5, 0.3], (3, 1))
    assert (tukey_hsd(same).p == 1).all()
    assert (randomized_tukey_hsd(same).p == 1).all()
    assert two_way(same).p == 1
    shifted = same + np.array([[0.0], [0.1], [0.1]])
    assert two_way(shifted).p is None
    with pytest.raises(TruegainError, match=r"same amount on every topic.*randomized"):
        tukey_hsd(shifted)
    assert randomized_tukey_hsd(shifted).p[1, 2] == 1
    for wrong, said in (
        ([[0.1, 0.2]], "2 systems"),
        ([[0.1], [0.2]], "at least 2 that all answer"),
        ([0.1, 0.2], "matrix"),
    ):
        with pytest.raises(TruegainError, match=said):
            tukey_hsd(wrong)
    with pytest.raises(TruegainError, match="infinite"):
        two_way([[0.1, np.inf], [0.2, 0.3]])
    with pytest.raises(TruegainError, match="too many permutations"):
        randomized_tukey_hsd(generated(10, 10), exact=True)


def test_topics_that_a_system_lacks() -> None:
    """Guards NaN: the topic is left out of all systems, and told with counts."""
    x = generated(4, 8, seed=1)
    holed = x.copy()
    holed[1, 3] = np.nan
    with pytest.warns(DataWarning, match="1 of 8 topics are left out.*1 of 4 systems"):
        found = tukey_hsd(holed)
    assert np.array_equal(found.p, tukey_hsd(np.delete(x, 3, axis=1)).p)


def test_counts_on_trec8(shared_data: Path) -> None:
    """Guards the pairs of 129 real systems that differ at 5%: two-way 3,423, randomized about 2,676, one-way 1,786."""
    x = trec8_ap(shared_data)
    upper = np.triu_indices(129, 1)
    counts = [
        int((found.p[upper] < 0.05).sum())
        for found in (tukey_hsd(x), tukey_hsd(x, blocked=False), randomized_tukey_hsd(x, Trials(trials=4000)))
    ]
    assert counts[:2] == [3423, 1786]
    assert abs(counts[2] - 2676) < 60


def family_errors(x: Floats, times: int, *, one_way: bool = False) -> dict[str, int]:
    """In how many matrices without differences each test finds one; the one-way test where it is asked for."""
    hits = {"two-way": 0, "one-way": 0, "randomized": 0}
    for null in shuffled(x, times, seed=12):
        hits["two-way"] += tukey_hsd(null).p.min() < 0.05
        hits["one-way"] += one_way and tukey_hsd(null, blocked=False).p.min() < 0.05
        hits["randomized"] += randomized_tukey_hsd(null, Trials(trials=400, seed=1, jobs=1)).p.min() < 0.05
    return hits


@pytest.mark.slow
def test_false_differences_on_generated_scores() -> None:
    """Guards the family's level: any false difference in 5% of matrices; the one-way test finds hardly any."""
    hits = family_errors(generated(8, 30), 400, one_way=True)
    assert within_chance(hits["two-way"], 400, 0.05)
    assert within_chance(hits["randomized"], 400, 0.05)
    assert hits["one-way"] < hits["two-way"]


@pytest.mark.slow
def test_false_differences_on_trec_scores(shared_data: Path) -> None:
    """Guards the family's level on the scores of real systems, dealt anew within topics."""
    hits = family_errors(trec8_ap(shared_data)[::10], 300)
    assert within_chance(hits["two-way"], 300, 0.05)
    assert within_chance(hits["randomized"], 300, 0.05)


def test_limits_of_means_by_default_are_of_95_percent() -> None:
    """Guards the levels that are taken unasked, for means and for all differences."""
    x = generated(4, 9, seed=1)
    found = two_way(x)
    want = stats.t.ppf(0.975, 24) * math.sqrt(found.v_e / 9)
    low, high = found.intervals()
    assert low == pytest.approx(x.mean(axis=1) - want, rel=1e-9)
    assert high == pytest.approx(x.mean(axis=1) + want, rel=1e-9)
    beyond = stats.studentized_range.sf
    assert beyond(float(tukey_hsd(x).margin or 0.0) / math.sqrt(found.v_e / 9), 4, 24) == pytest.approx(0.05, rel=1e-6)
    wide = tukey_hsd(x, blocked=False, confidence=0.8)
    assert beyond(float(wide.margin or 0.0) / math.sqrt(one_way(x).v_e / 9), 4, 32) == pytest.approx(0.2, rel=1e-6)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_nothing_but_rounding_is_no_residual_of_either_sign(sign: float) -> None:
    """Guards what counts as rounding for scores below 0 (logarithms) as for those above, and for zeros."""
    topics = np.array([0.3, 0.7, 0.15])
    same = sign * np.array([topics, topics + 0.1 - 0.1])
    for layout in (two_way, one_way):
        found = layout(np.full((2, 3), sign * 0.3) + np.array([[0.0], [5e-17]]))
        assert (found.no_residual, found.f, found.p) == (True, 0.0, 1.0)
        zeros = layout(np.zeros((3, 4)))
        assert (zeros.no_residual, zeros.f, zeros.p) == (True, 0.0, 1.0)
        assert not layout(sign * np.array([topics, topics[::-1]])).no_residual
    found = two_way(same)
    assert (found.no_residual, found.f, found.p, found.f_topic) == (True, 0.0, 1.0, None)
    apart = two_way(sign * np.array([topics, topics + 0.2]))
    assert (apart.no_residual, apart.f, apart.p) == (True, None, None)
    equal = tukey_hsd(same)
    assert equal.p.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert equal.margin == 0.0
    assert found.effects.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_topics_left_out_are_counted() -> None:
    """Guards the warning's counts, the least matrix that can be compared, and one infinite score among finite ones."""
    x = np.array([[0.1, np.nan, 0.3, 0.4], [0.5, 0.2, np.nan, 0.1], [0.3, 0.2, 0.1, 0.9]])
    with pytest.warns(UserWarning, match=r"2 of 4 topics are left out of the comparison: 2 of 3 systems"):
        assert complete(x).tolist() == x[:, [0, 3]].tolist()
    assert complete(x[:2, [0, 3]]).shape == (2, 2)
    with pytest.raises(TruegainError, match="infinite"):
        complete([[0.1, math.inf], [0.2, 0.3]])
    for wrong in (x[:1, [0, 3]], x[:, :1]):
        with pytest.raises(TruegainError, match="at least 2"):
            complete(wrong)
    with pytest.raises(TruegainError, match="of 1 dimensions"):
        complete([0.1, 0.2])


def test_permutations_are_counted_up_to_the_trials_and_up_to_what_can_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards both limits: as many matrices as trials are counted, and (m!)^(n-1) may not be too many."""
    x = generated(3, 3, seed=2)
    assert (
        randomized_tukey_hsd(x, Trials(trials=216)).exact,
        randomized_tukey_hsd(x, Trials(trials=215)).exact,
    ) == (True, False)
    every = [
        np.ptp(np.mean([x[list(order), t] for t, order in enumerate(orders)], axis=0))
        for orders in itertools.product(itertools.permutations(range(3)), repeat=3)
    ]
    found, means = randomized_tukey_hsd(x, Trials(trials=216)), x.mean(axis=1)
    assert found.trials == 216
    for i, j in ((0, 1), (0, 2), (1, 2)):
        want = np.mean(np.array(every) >= abs(means[i] - means[j]) - 1e-12)
        assert found.p[i, j] == found.p[j, i] == pytest.approx(want, rel=1e-12)
    monkeypatch.setattr(anova, "MOST_COUNTED", 40)
    assert randomized_tukey_hsd(x, exact=True).exact
    with pytest.raises(TruegainError, match="too many permutations"):
        randomized_tukey_hsd(generated(3, 4), exact=True)
    assert not randomized_tukey_hsd(x, Trials(trials=300), exact=False).exact


def test_replicates_of_tukeys_test_are_told_and_cut_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the stretches of replicates: all of them, once, no more than fit, and told as they are done."""
    told: list[int] = []
    monkeypatch.setattr(anova, "BLOCK_CELLS", 100)
    found = randomized_tukey_hsd(generated(4, 9), Trials(trials=60, progress=told.append))
    assert told == [25, 25, 10]
    assert found.ranges is not None
    assert len(found.ranges) == 60
    assert anova._blocks(60, 4) == [(0, 25), (25, 50), (50, 60)]
    assert anova._blocks(2, 101) == [(0, 1), (1, 2)]
    assert anova._blocks(50, 4) == [(0, 25), (25, 50)]


@pytest.mark.parametrize("systems", [2, 3, 4, 5, 8, 9])
def test_ranges_of_replicates_are_ranges_of_permuted_topics(systems: int) -> None:
    """Guards the deal of scores: each topic's scores are dealt out whole, and every deal is about as frequent."""
    x = np.zeros((systems, 2))
    x[:, 0], x[0, 1] = np.arange(systems), 100.0
    shared = np.ascontiguousarray(x.T), stream_keys(1, "systems", ["0", "1"])
    spans = anova._random_ranges(shared, (0, 4000), np.random.SeedSequence(1))
    best = np.maximum(np.arange(systems) + 100.0, systems - 1.0)
    worst = np.where(np.arange(systems) == 0, min(1, systems - 1), 0)
    want = sorted(((best - worst) / 2).tolist())
    values, counts = np.unique(spans, return_counts=True)
    assert values.tolist() == pytest.approx(sorted(set(want)))
    expected = np.array([want.count(v) for v in values.tolist()]) * 4000 / systems
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()


def test_two_way_analysis_of_the_topics_too() -> None:
    """Guards F of topics, which is that of systems of the matrix turned round, and the parts that add up to all."""
    x = generated(3, 7, seed=6)
    found, turned = two_way(x), two_way(x.T)
    assert found.f_topic == pytest.approx(turned.f, rel=1e-9)
    whole = float(((x - x.mean()) ** 2).sum())
    assert found.s_a + (found.s_b or 0) + found.s_e == pytest.approx(whole, rel=1e-12)
    assert one_way(x).s_a + one_way(x).s_e == pytest.approx(whole, rel=1e-12)
    assert one_way(x).s_e == pytest.approx(found.s_e + (found.s_b or 0), rel=1e-12)
