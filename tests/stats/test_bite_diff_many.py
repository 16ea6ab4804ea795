"""All pairs at once, groups, topic set sizes and discriminative power: values by scipy, by hand and by brute force."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.judge_error.matrices import generated, scores_of
from truegain.errors import TruegainError
from truegain.experiments import discriminative
from truegain.experiments.discriminative import DiscriminativePower, discriminative_power
from truegain.io.columns import Bools
from truegain.planning import topics as topic_sets
from truegain.planning.topics import TopicSetSize, plan_topics, topics_for_paired_t, topics_for_width
from truegain.sampling.streams import stream_keys
from truegain.stats import anova, studentized_range, tests
from truegain.stats.anova import complete, one_way, randomised_tukey_hsd, tukey_hsd, two_way
from truegain.stats.comparisons import _stretches, groups_of, is_complete
from truegain.stats.multiple_testing import Trials
from truegain.stats.pair_tests import bootstrap_p
from truegain.stats.studentized_range import studentized_range_isf, studentized_range_sf

# ---------------------------------------------------------------------- analysis of variance, Tukey


def test_limits_of_means_by_default_are_of_95_percent() -> None:
    """Guards the levels that are taken unasked, for means and for all differences."""
    x = generated(4, 9, seed=1)
    found = two_way(x)
    want = stats.t.ppf(0.975, 24) * math.sqrt(found.v_e / 9)
    low, high = found.intervals()
    assert low == pytest.approx(x.mean(axis=1) - want, rel=1e-9)
    assert high == pytest.approx(x.mean(axis=1) + want, rel=1e-9)
    q = stats.studentized_range.isf
    assert tukey_hsd(x).margin == pytest.approx(q(0.05, 4, 24) * math.sqrt(found.v_e / 9), rel=1e-6)
    wide = tukey_hsd(x, blocked=False, confidence=0.8)
    assert wide.margin == pytest.approx(q(0.2, 4, 32) * math.sqrt(one_way(x).v_e / 9), rel=1e-6)


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
    assert (found.no_residual, found.f, found.p, found.f_topic, found.p_topic) == (True, 0.0, 1.0, None, None)
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
        randomised_tukey_hsd(x, Trials(trials=216)).exact,
        randomised_tukey_hsd(x, Trials(trials=215)).exact,
    ) == (True, False)
    every = [
        np.ptp(np.mean([x[list(order), t] for t, order in enumerate(orders)], axis=0))
        for orders in itertools.product(itertools.permutations(range(3)), repeat=3)
    ]
    found, means = randomised_tukey_hsd(x, Trials(trials=216)), x.mean(axis=1)
    assert found.trials == 216
    for i, j in ((0, 1), (0, 2), (1, 2)):
        want = np.mean(np.array(every) >= abs(means[i] - means[j]) - 1e-12)
        assert found.p[i, j] == found.p[j, i] == pytest.approx(want, rel=1e-12)
    monkeypatch.setattr(anova, "MOST_COUNTED", 40)
    assert randomised_tukey_hsd(x, exact=True).exact
    with pytest.raises(TruegainError, match="too many permutations"):
        randomised_tukey_hsd(generated(3, 4), exact=True)
    assert not randomised_tukey_hsd(x, Trials(trials=300), exact=False).exact


def test_replicates_of_tukeys_test_are_told_and_cut_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the stretches of replicates: all of them, once, no more than fit, and told as they are done."""
    told: list[int] = []
    monkeypatch.setattr(anova, "BLOCK_CELLS", 100)
    found = randomised_tukey_hsd(generated(4, 9), Trials(trials=60, progress=told.append))
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


# ---------------------------------------------------------------------- studentised range


@pytest.mark.parametrize(("systems", "df"), [(2, 1), (3, 6), (3, 100), (10, 20), (129, 6272), (5, 1e6)])
def test_the_studentised_range_is_a_probability_and_its_inverse_exact(systems: int, df: float) -> None:
    """Guards values pressed into 0 to 1 (the integral alone strays by 1e-15) and the last step of the inverse."""
    p = studentized_range_sf(np.concatenate([np.linspace(0, 0.5, 60), np.linspace(10, 100, 90)]), systems, df)
    assert p.min() >= 0.0
    assert p.max() <= 1.0
    for level in (0.5, 0.05, 0.001):
        critical = studentized_range_isf(level, systems, df)
        assert studentized_range_sf(critical, systems, df)[0] == pytest.approx(level, abs=1e-13)


def test_what_has_no_studentised_range() -> None:
    """Guards the least systems and degrees of freedom, levels, and one bad value among good ones."""
    assert studentized_range_sf(1.0, 2, 1).shape == (1,)
    assert studentized_range_sf(np.ones((2, 3)), 2, 1).shape == (2, 3)
    for systems, df in ((1, 5), (2, 0.5)):
        with pytest.raises(TruegainError, match="at least"):
            studentized_range_sf(1.0, systems, df)
    for wrong in ([1.0, -0.1], [1.0, math.nan]):
        with pytest.raises(TruegainError, match="at least 0"):
            studentized_range_sf(wrong, 3, 5)
    for level in (0.0, 1.0, 1.5):
        with pytest.raises(TruegainError, match="between 0 and 1"):
            studentized_range_isf(level, 3, 5)
    assert studentized_range_sf([19.9, 20.0, 25.0], 3, math.inf) == pytest.approx(0.0, abs=1e-15)
    assert studentized_range_sf([], 3, 5).shape == (0,)


@pytest.mark.parametrize("df", [1, 7, 99, 101, 103, 400])
def test_the_density_of_the_spread(df: int) -> None:
    """Guards the density of sqrt(chi2/df) to 12 digits on both sides of where its constant is taken from a series."""
    s = np.array([0.7, 1.0, 1.2])
    a = df / 2
    logs = a * math.log(a) - math.lgamma(a) + (df - 1) * np.log(s) - a * s**2
    assert studentized_range._density(s, df) == pytest.approx(2 * np.exp(logs), rel=1e-12)


# ---------------------------------------------------------------------- effect sizes


def test_effect_sizes_where_there_is_nothing() -> None:
    """Guards 0 where all is 0, none where only the spread is, and scores below 0 as those above."""
    zeros = np.zeros((1, 3))
    assert tests._dz(zeros) == tests._hedges(zeros, zeros) == 0
    for sign in (1.0, -1.0):
        flat = sign * np.array([[0.3, 0.1 + 0.2, 0.3]])
        assert np.isnan([tests._dz(flat), tests._hedges(flat, zeros)]).all()
        assert tests._hedges(flat, flat[:, ::-1]) == 0
    found = tests._hedges(np.array([[0.0, 0.5, 1.0]]), np.array([[0.2, 0.4, 0.9]]))
    assert found == pytest.approx([0.0], abs=1e-12)
    found = tests._hedges(np.array([[0.0, 0.5]]), np.array([[0.4, 0.9]]))
    assert found == pytest.approx([(1 - 3 / 7) * 0.4 / math.sqrt(0.125)])


# ---------------------------------------------------------------------- groups


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


# ---------------------------------------------------------------------- topic set sizes


@pytest.mark.parametrize("start", [0.5, 2.0, 4.0, 5.0, 6.0, 7.5, 19.0, 60.0])
@pytest.mark.parametrize(("wanted", "want"), [(0.5, 5), (0.45, 5), (0.3, 3), (0.2, 2), (0.1, 2)])
def test_the_search_finds_the_least_from_any_start(start: float, wanted: float, want: int) -> None:
    """Guards the search where a number reaches just what is wanted, from below, from above and at the least."""
    asked: list[int] = []

    def reach(n: int) -> float:
        asked.append(n)
        return n / 10

    assert topic_sets._search(start, reach, wanted) == TopicSetSize(want, want / 10, start)
    assert min(asked) >= 2
    assert len(asked) < 60


def test_published_start_values_have_their_places() -> None:
    """Guards which of the published start values belongs to which alpha and power."""
    published = {
        (0.01, 0.9): (10.439, 5.213), (0.01, 0.8): (7.736, 4.551), (0.01, 0.7): (6.030, 4.077),
        (0.01, 0.6): (4.733, 3.675), (0.01, 0.5): (3.653, 3.302), (0.05, 0.9): (7.049, 4.244),
        (0.05, 0.8): (4.860, 3.584), (0.05, 0.7): (3.522, 3.112), (0.05, 0.6): (2.543, 2.712),
        (0.05, 0.5): (1.765, 2.341),
    }  # fmt: skip
    for (alpha, power), (x1, x2) in published.items():
        found = topic_sets.topics_for_anova(0.5, 0.4, 5, alpha=alpha, power=power)
        assert found.start == pytest.approx((x1 + 2 * x2) / (0.25 / 0.8), rel=1e-12)
        assert found.topics == pytest.approx(found.start, abs=4)


def test_designs_have_their_refusals() -> None:
    """Guards defaults, levels outside of 0 to 1, and power no greater than alpha."""
    finders: list[tuple[Callable[..., TopicSetSize], tuple[Any, ...]]] = [
        (topics_for_paired_t, ()),
        (topic_sets.topics_for_anova, (3,)),
    ]
    for find, more in finders:
        assert find(0.5, 0.1, *more) == find(0.5, 0.1, *more, alpha=0.05, power=0.8)
        assert find(0.5, 0.1, *more, alpha=0.3, power=0.3).topics == 2
        for wrong in ({"alpha": 1.5}, {"alpha": 0.0}, {"power": 1.5}, {"alpha": 0.3, "power": 0.2}):
            with pytest.raises(TruegainError, match=r"between 0 and 1|below alpha"):
                find(0.5, 0.1, *more, **wrong)
        with pytest.raises(TruegainError, match="leaves nothing to plan"):
            find(0.5, 0.0, *more)
    assert topics_for_width(0.5, 0.1) == topics_for_width(0.5, 0.1, alpha=0.05)
    with pytest.raises(TruegainError, match="at least 2 systems"):
        topic_sets.topics_for_anova(0.5, 0.1, 1)
    for call, same in (
        (topic_sets.power_of_t(2.0, 7), topic_sets.power_of_t(2.0, 7, 0.05)),
        (topic_sets.power_of_anova(8, 3, 4.0), topic_sets.power_of_anova(8, 3, 4.0, 0.05)),
        (topic_sets.expected_width(8, 0.1, 7), topic_sets.expected_width(8, 0.1, 7, 0.05)),
    ):
        assert call == same


def test_the_width_of_a_narrow_level_needs_no_power() -> None:
    """Guards intervals of less than half the confidence, which once were refused for a power nobody asked for."""
    found = topics_for_width(0.1, 0.05, alpha=0.6)
    n = found.topics
    assert topic_sets.expected_width(n, 0.05, n - 1, 0.6) <= 0.1 < topic_sets.expected_width(n - 1, 0.05, n - 2, 0.6)


@pytest.mark.parametrize("method", ["exact", "approximate"])
def test_what_a_paired_plan_can_detect(method: Any) -> None:
    """Guards the plan of two systems: variance 2 V_E2, the difference at hand, defaults, and every size listed."""
    x = generated(4, 20, seed=6)
    plan = plan_topics(scores_of(x), detect=0.1, approximate=method == "approximate")
    provenance = plan.details.provenance
    variance, far = 2 * two_way(x).v_e, float(str(provenance["at_hand_detects"]))
    pairs = [np.var(x[i] - x[j], ddof=1) for i, j in itertools.combinations(range(4), 2)]
    assert provenance["variance"] == pytest.approx(variance) == pytest.approx(np.mean(pairs))
    reached = topic_sets.power_of_t(math.sqrt(20 / variance) * far, 19, 0.05, method)
    assert reached == pytest.approx(0.8, abs=1e-9)
    for row, difference in zip(plan.details.rows, (0.05, 0.1, 0.15000000000000002, 0.2), strict=True):
        sizes = (topics_for_paired_t(difference, variance, power=p, method=method).topics for p in (0.7, 0.8, 0.9))
        assert row == (difference, *sizes)
    wanted = topics_for_paired_t(0.1, variance, method=method)
    assert (plan.needed["topics"], provenance["reached"], provenance["topics_at_hand"]) == (*wanted[:2], 20)
    plain = plan_topics(scores_of(x), detect=0.1, power=0.1, approximate=method == "approximate")
    little = float(str(plain.details.provenance["at_hand_detects"]))
    assert topic_sets.power_of_t(math.sqrt(20 / variance) * little, 19, 0.05, method) == pytest.approx(0.1, abs=1e-9)
    wide = plan_topics(scores_of(x), detect=0.1, criterion="width", approximate=method == "approximate", confidence=0.9)
    want = topic_sets.expected_width(20, variance, 19, 0.1, method)
    assert wide.details.provenance["at_hand_detects"] == pytest.approx(want, rel=1e-12)


# ---------------------------------------------------------------------- discriminative power


@pytest.mark.parametrize("test", ["randomised-tukey-hsd", "bootstrap"])
def test_pairs_at_alpha_are_not_significant(test: Any) -> None:
    """Guards p < alpha where p is alpha: by taking for alpha the p-values that were found, in curve and delta."""
    x = generated(5, 12, seed=4, effect=0.1)
    scores = scores_of(x)
    curve = discriminative_power(scores, test=test, replicates=100, counting="published")[0].curve
    first, second = np.triu_indices(5, 1)
    apart = np.abs(x.mean(axis=1)[first] - x.mean(axis=1)[second])
    assert curve.tolist() == sorted(curve.tolist())
    inside = [p for p in sorted(set(curve.tolist())) if 0 < p < 1]
    assert len(inside) > 2
    for alpha in inside:
        (found,) = discriminative_power(scores, test=test, replicates=100, alpha=alpha, counting="published")
        assert (found.significant, found.pairs) == (int((curve < alpha).sum()), 10)
        assert found.share == found.significant / 10
        if test == "bootstrap":
            z = x[second] - x[first]
            want = bootstrap_p(z, Trials(trials=100, confidence=1 - alpha, counting="published")).delta.max()
            assert found.delta == pytest.approx(want)
        elif found.significant:
            assert found.delta == pytest.approx(np.sort(apart)[-1])
        else:
            assert found.delta is None


def test_measures_are_held_against_each_other_on_shared_topics() -> None:
    """Guards best first, defaults, and a topic that one measure lacks for one system left out of both."""
    x = generated(4, 10, seed=4, effect=0.2)
    y = x.copy()
    y[1, 3] = np.nan
    both = scores_of(x)
    both = replace(both, values={"AP": x, "P@1": y}, objects=dict.fromkeys(("AP", "P@1"), both.objects["AP"]))
    with pytest.warns(UserWarning, match="1 of 10 topics are left out"):
        on = discriminative._on_the_same_topics(both, ["AP", "P@1"])
    assert [m.shape for m in on] == [(4, 9), (4, 9)]
    found = discriminative_power(scores_of(x))
    again = discriminative_power(scores_of(x), alpha=0.05, seed=0)
    assert found[0].curve.tolist() == again[0].curve.tolist()
    assert found[0].alpha == 0.05
    one = DiscriminativePower("AP", np.array([0.01, 0.05, 0.2]), 0.05, None, "bootstrap", 9)
    assert (one.significant, one.pairs, one.share) == (1, 3, 1 / 3)
    for alpha in (0.0, 1.0, 1.5):
        with pytest.raises(TruegainError, match="between 0 and 1"):
            discriminative_power(both, alpha=alpha)
