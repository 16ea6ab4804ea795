"""Topic set size design, against the exact distributions, published sizes and simulation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

from tests.judge_error.matrices import generated, scores_of, within_chance
from tests.judge_error.one_pair import paired_t
from truegain.errors import TruegainError
from truegain.planning import topics as topic_sets
from truegain.planning.topics import (
    TopicSetSize,
    expected_width,
    plan_topics,
    power_of_anova,
    power_of_t,
    topics_for_anova,
    topics_for_paired_t,
    topics_for_width,
)
from truegain.stats.significance.anova import one_way, two_way


def test_conformance_values(conformance: Any) -> None:
    """Guards all sizes, the power or width they reach, and the published start values."""
    cases = conformance("statistics")["topic_set_size"]
    for case in cases["t"]:
        found = topics_for_paired_t(case["minD"], case["var_diff"], alpha=case["alpha"], power=1 - case["beta"])
        assert found.topics == case["n_exact"]
        assert (found.reached, found.start) == pytest.approx((case["power"], case["n_initial_approx"]), abs=1e-9)
    for case in cases["anova"]:
        found = topics_for_anova(case["minD"], case["var"], case["m"], alpha=case["alpha"], power=1 - case["beta"])
        assert found.topics == case["n_exact"]
        assert found.reached == pytest.approx(case["power"], abs=1e-9)
    for case in cases["ci"]:
        found = topics_for_width(case["delta"], case["var_diff"], alpha=case["alpha"])
        assert found.topics == case["n"]
        assert (found.reached, found.start) == pytest.approx((case["expected_width"], case["n_initial"]), abs=1e-9)


def test_worked_example(examples: dict[str, Any]) -> None:
    """Guards the sizes for alpha .05, beta .20, minD .10."""
    given, expected = examples["topicsize-1"]["input"], examples["topicsize-1"]["expected"]
    assert topics_for_paired_t(0.1, given["var_diff"]).topics == expected["n_paired_t"]
    assert topics_for_anova(0.1, given["var"], 10).topics == expected["n_anova_m10"]
    assert topics_for_anova(0.1, given["var"], 2).topics == expected["n_anova_m2"]


def test_statsmodels_says_the_same() -> None:
    """Guards the power of t and F tests, against statsmodels as installed."""
    power = pytest.importorskip("statsmodels.stats.power")
    for n, effect in ((20, 0.5), (80, 0.3), (7, 1.2)):
        theirs = power.TTestPower().power(effect, n, 0.05)
        assert power_of_t(np.sqrt(n) * effect, n - 1) == pytest.approx(theirs, abs=1e-9)
        anova = power.FTestAnovaPower().power(effect, n * 4, 0.05, k_groups=4)
        assert power_of_anova(n, 4, 4 * n * effect**2) == pytest.approx(anova, abs=1e-9)


def power_by_quadrature(noncentrality: float, df: int, alpha: float) -> float:
    """Power of a two-sided t test another way: over the normal variable, what chi-square below makes |T| large enough.

    P(|Z + lambda| >= t S) = integral of phi(z) P(chi2_df <= df (z + lambda)^2/t^2), in pieces around z = -lambda.
    """
    t = special.stdtrit(df, 1 - alpha / 2)

    def density(z: float) -> float:
        inside = special.chdtr(df, df * (z + noncentrality) ** 2 / t**2)
        return float(math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * inside)

    ends = sorted({-12.0, -3.0, 0.0, 3.0, 12.0, max(-12.0, -noncentrality)})
    return sum(integrate.quad(density, a, b, epsabs=1e-13, epsrel=1e-12)[0] for a, b in itertools.pairwise(ends))


def test_power_is_a_number_at_any_degrees_of_freedom() -> None:
    """Guards the power of few topics, where scipy's noncentral t has no lower tail, and of levels near 0."""
    for df, alpha, far in itertools.product(
        (1, 2, 3, 4, 5, 9, 30, 300), (0.3, 0.05, 0.01, 0.001), (0.0, 0.1, 1.0, 3.0, 5.0, 8.0, 12.0, 20.0, 40.0, 100.0)
    ):
        assert power_of_t(far, df, alpha) == pytest.approx(power_by_quadrature(far, df, alpha), abs=1e-9)
    for df, times in itertools.product((1, 2, 3), (0.5, 1.0, 2.0)):  # t beyond thousands: |Z + lambda| is lambda
        t = float(special.stdtrit(df, 1 - 1e-9 / 2))
        assert power_of_t(times * t, df, 1e-9) == pytest.approx(special.chdtr(df, df * times**2), abs=1e-6)
    for topics, systems in itertools.product((2, 3, 4, 10, 1000), (2, 3, 10, 300)):
        powers = [power_of_anova(topics, systems, far) for far in np.geomspace(1e-3, 1e5, 60)]
        assert np.all(np.diff(powers) >= -1e-12)
        assert min(powers) > 0.0499
        assert powers[-1] == pytest.approx(1.0)


def test_power_of_few_topics_by_simulation() -> None:
    """Guards the power of two to five topics by drawing experiments."""
    rng = np.random.default_rng(17)
    for n, ratio in ((2, 8.0), (3, 3.0), (4, 2.0), (5, 1.5)):
        z = rng.normal(ratio, 1.0, (20_000, n))
        t = np.abs(z.mean(axis=1)) / (z.std(axis=1, ddof=1) / np.sqrt(n))
        hits = int((t >= special.stdtrit(n - 1, 0.975)).sum())
        assert within_chance(hits, 20_000, power_of_t(math.sqrt(n) * ratio, n - 1))


@pytest.mark.slow
def test_small_plans() -> None:
    """Guards every plan of two to five topics on a grid, against a search through all of them by quadrature."""
    plans = 0
    for ratio, power, alpha in itertools.product(
        np.geomspace(1.2, 40.0, 24), (0.5, 0.7, 0.8, 0.9, 0.95, 0.99), (0.1, 0.05, 0.01)
    ):
        power_at = (power_by_quadrature(math.sqrt(n) * float(ratio), n - 1, alpha) for n in range(2, 6))
        least = next((n for n, reached in enumerate(power_at, 2) if reached >= power), None)
        found = topics_for_paired_t(ratio * 0.2, 0.04, alpha=alpha, power=power)
        plans += least is not None
        assert found.topics == least or (least is None and found.topics > 5)
        assert found.reached >= power
    assert plans >= 228


@pytest.mark.slow
def test_the_order_of_the_systems_does_not_matter() -> None:
    """Guards the issue's plan, 5 or 3 by the order of its systems where 4 is right, and plans like it."""
    x = np.array([[0.25, 0.5], [1 / 3, 0.5]])
    for rows in (x, x[::-1]):
        assert plan_topics(scores_of(rows), min_effect=0.3, power=0.99).needed == {"topics": 4}
    rng = np.random.default_rng(4)
    for _ in range(60):
        x = rng.integers(0, 7, (2, int(rng.integers(2, 6)))) / 6
        if np.var(x[0] - x[1]) < 1e-9:
            continue
        min_effect, power = float(rng.uniform(0.1, 1.0)), float(rng.choice([0.8, 0.95, 0.99]))
        one, other = (plan_topics(scores_of(rows), min_effect=min_effect, power=power) for rows in (x, x[::-1]))
        assert one.details.rows == other.details.rows


@pytest.mark.parametrize("difference", [0.02, 0.05, 0.2, 2.0])
def test_no_smaller_set_would_do(difference: float) -> None:
    """Guards the search: the size reaches what was asked for and one topic less does not."""
    found = topics_for_paired_t(difference, 0.04)
    assert found.reached >= 0.8
    if found.topics > 2:
        less = found.topics - 1
        assert power_of_t(np.sqrt(less) * difference / 0.2, less - 1) < 0.8
    wide = topics_for_width(difference, 0.04)
    assert wide.reached <= difference
    if wide.topics > 2:
        assert expected_width(wide.topics - 1, 0.04, wide.topics - 2) > difference


def test_the_approximations_are_near() -> None:
    """Guards the published approximations: the same size for t and width within one, for ANOVA within 3%."""

    def near(exact: TopicSetSize, rough: TopicSetSize, share: float) -> bool:
        return abs(exact.topics - rough.topics) <= max(1, share * exact.topics)

    for difference in (0.05, 0.1, 0.2):
        for power in (0.7, 0.8, 0.9):
            exact = topics_for_paired_t(difference, 0.1, power=power)
            assert near(exact, topics_for_paired_t(difference, 0.1, power=power, method="approximate"), 0)
            for m in (2, 10, 50):
                exact = topics_for_anova(difference, 0.05, m, power=power)
                assert near(exact, topics_for_anova(difference, 0.05, m, power=power, method="approximate"), 0.03)
    exact = topics_for_width(0.1, 0.05)
    assert near(exact, topics_for_width(0.1, 0.05, method="approximate"), 0)


def test_the_planned_power_is_the_power_found() -> None:
    """Guards the whole idea by simulation: experiments of the planned size find the difference 80% of the time."""
    size = topics_for_paired_t(0.1, 0.05)
    z = np.random.default_rng(1).normal(0.1, np.sqrt(0.05), (2000, size.topics))
    hits = sum(paired_t(row).p < 0.05 for row in z)
    assert within_chance(hits, 2000, size.reached)


def test_a_plan_from_scores() -> None:
    """Guards the variance used (the mean over pairs of the variance of differences) and what is told of it."""
    x = generated(5, 30, seed=2)
    pairs = [np.var(x[i] - x[j], ddof=1) for i in range(5) for j in range(i)]
    plan = plan_topics(scores_of(x), min_effect=0.05)
    assert plan.details.provenance["variance"] == pytest.approx(np.mean(pairs), abs=1e-12)
    assert plan.needed == {"topics": topics_for_paired_t(0.05, float(np.mean(pairs))).topics}
    reach = float(str(plan.details.provenance["at_hand_detects"]))
    assert topics_for_paired_t(reach * 1.0001, float(np.mean(pairs))).topics == 30
    anova = plan_topics(scores_of(x), min_effect=0.05, criterion="anova")
    assert anova.details.provenance["variance"] == pytest.approx(one_way(x).v_e)
    assert anova.needed["topics"] == topics_for_anova(0.05, one_way(x).v_e, 5).topics
    wide = plan_topics(scores_of(x), min_effect=0.05, criterion="width")
    assert wide.details.provenance["at_hand_detects"] == pytest.approx(expected_width(30, float(np.mean(pairs)), 29))
    table = plan.details
    assert table.columns == ("difference", "power 0.7", "power 0.8", "power 0.9")
    assert [row[0] for row in table.rows] == pytest.approx([0.025, 0.05, 0.075, 0.1])
    assert table.rows[1][2] == plan.needed["topics"]
    assert wide.details.columns == ("width", "topics")


@pytest.mark.parametrize("criterion", ["paired-t", "anova", "width"])
def test_no_variance_is_refused(criterion: Any) -> None:
    """Guards scores that are the same on every topic: no plan can be made of them, by any criterion."""
    flat = scores_of(np.repeat([[0.2], [0.5], [0.3]], 8, axis=1))
    with pytest.raises(TruegainError, match="there is no variance to plan with; give topics on which they differ"):
        plan_topics(flat, min_effect=0.1, criterion=criterion)


def test_nonsense_is_refused() -> None:
    """Guards against plans for nothing: no difference, no variance, a power of 80, an astronomic size."""
    for call, said in (
        (lambda: topics_for_paired_t(0, 0.1), "cannot be detected"),
        (lambda: topics_for_paired_t(0.1, 0), "variance of 0"),
        (lambda: topics_for_paired_t(0.1, 0.1, power=80), "power 80"),
        (lambda: topics_for_paired_t(0.1, 0.1, alpha=0), "alpha 0"),
        (lambda: topics_for_paired_t(0.1, 0.1, power=0.01), "below alpha"),
        (lambda: topics_for_paired_t(1e-6, 0.1), "tiny"),
        (lambda: topics_for_anova(0.1, 0.1, 1), "2 systems"),
        (lambda: plan_topics(scores_of(generated(3, 5)), min_effect=0.1, criterion="t"), "criterion 't'"),  # type: ignore[arg-type]
    ):
        with pytest.raises(TruegainError, match=said):
            call()


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
        with pytest.raises(TruegainError, match="cannot be planned with"):
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
    plan = plan_topics(scores_of(x), min_effect=0.1, approximate=method == "approximate")
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
    plain = plan_topics(scores_of(x), min_effect=0.1, power=0.1, approximate=method == "approximate")
    little = float(str(plain.details.provenance["at_hand_detects"]))
    assert topic_sets.power_of_t(math.sqrt(20 / variance) * little, 19, 0.05, method) == pytest.approx(0.1, abs=1e-9)
    wide = plan_topics(
        scores_of(x), min_effect=0.1, criterion="width", approximate=method == "approximate", confidence=0.9
    )
    want = topic_sets.expected_width(20, variance, 19, 0.1, method)
    assert wide.details.provenance["at_hand_detects"] == pytest.approx(want, rel=1e-12)


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


def test_topics_for_an_analysis_of_variance_are_the_least() -> None:
    """Guards the noncentrality n d^2/(2 v) and both degrees of freedom, by scipy: n does, n - 1 does not."""
    for systems, power in ((2, 0.8), (6, 0.75)):
        n = topic_sets.topics_for_anova(0.5, 1.0, systems, power=power).topics
        reached = [
            stats.ncf.sf(stats.f.ppf(0.95, systems - 1, systems * (k - 1)), systems - 1, systems * (k - 1), k * 0.125)
            for k in (n - 1, n)
        ]
        assert reached[0] < power <= reached[1]
