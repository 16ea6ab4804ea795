"""Plans of labels: the paper's sizes, least cost, and whether planned power is had."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import truegain as tg
from tests.inference.test_corrected import EBAY, study
from truegain.inference.judges.difference import difference_of
from truegain.inference.judges.label_plan import LEAST_OF_A_KIND, Prospect, naive_topics, plan_labels, published_sizes
from truegain.inference.judges.label_report import label_report


def test_equation_26_on_the_trec_pair() -> None:
    """Guards eq. 26: 2453, at the published 50% power; 80% power needs about twice as many."""
    assert int(naive_topics(0.527 - 0.513, 0.240, 0.260)) == 2453
    ratio = naive_topics(0.014, 0.24, 0.26, power=0.8) / naive_topics(0.014, 0.24, 0.26)
    assert ratio == pytest.approx(((1.959964 + 0.841621) / 1.959964) ** 2, rel=1e-6)


@pytest.mark.parametrize("shares", [(1 / 3, 1 / 3, 1 / 3), (0.6, 0.3, 0.1)])
def test_published_sizes_use_the_allowed_variance_up(shares: tuple[float, float, float]) -> None:
    """Guards eq. 27 to 31: with these sizes eq. 7, summed over both systems, is exactly sigma_0^2."""
    means, sds = (0.626, 0.6385), (0.414, 0.402)
    sizes = published_sizes(means, sds, (EBAY, EBAY), shares=shares)
    m_r, m_n, d = EBAY.mR, EBAY.mN, EBAY.D
    total = 0.0
    for name, j, sd in zip("ab", means, sds, strict=True):
        v_r, v_n = m_r * (1 - m_r) / sizes[f"nR_{name}"], m_n * (1 - m_n) / sizes[f"nN_{name}"]
        total += sd**2 / sizes["n"] / d**2 + v_r * (j - 1 + m_n) ** 2 / d**4 + v_n * (j - m_r) ** 2 / d**4
    assert math.sqrt(total) == pytest.approx((means[1] - means[0]) / d / 1.959964, rel=1e-6)


def test_no_cheaper_plan_has_the_power() -> None:
    """Guards least cost against a search of its neighbourhood."""
    p = Prospect(0.7, 0.2, 0.09, 0.16, 20, None, cost_bronze=0.005, cost_gold=1.5)
    plan = plan_labels(p, 0.02)
    steps = np.linspace(0.5, 2.0, 61)
    for a, b, c in itertools.product(steps, steps, steps):
        n, r, s = plan.topics * a, plan.gold_relevant * b, plan.gold_nonrelevant * c
        left = 1 - (0.09 / r + 0.16 / s) / 0.49 * 1.959964**2
        if left > 0 and 0.02 * 0.7 * math.sqrt(n / 0.2) - 1.959964 / math.sqrt(left) >= 0.8416212:
            assert n * 20 * 0.005 + (r + s) * 1.5 > 0.99 * plan.cost - 3


@pytest.mark.parametrize("difference", [0.04, 0.08])
def test_planned_power_is_had(difference: float) -> None:
    """Guards the plan against simulation: data of the planned size reach the planned power within 3 points."""
    m_r, m_n, d = 0.9, 0.8, 0.7
    j = [0.4 * d + 0.2, (0.4 + difference) * d + 0.2]
    spread = sum(x * (1 - x) for x in j)
    p = Prospect(d, spread, 0.09, 0.16, 2, 0.4, cost_bronze=0.2, cost_gold=1.5)
    plan = plan_labels(p, difference, power=0.8)
    rng, trials = np.random.default_rng(1), 4000
    hits = 0
    for _ in range(trials):
        k_r, k_n = rng.binomial(plan.gold_relevant, m_r), rng.binomial(plan.gold_nonrelevant, m_n)
        r, s = k_r / plan.gold_relevant, k_n / plan.gold_nonrelevant
        seen = rng.binomial(plan.topics, j) / plan.topics
        v_d = r * (1 - r) / plan.gold_relevant + s * (1 - s) / plan.gold_nonrelevant
        effect = (seen[1] - seen[0]) / (r + s - 1)
        variance = (seen * (1 - seen)).sum() / plan.topics / (r + s - 1) ** 2 + effect**2 * v_d / (r + s - 1) ** 2
        hits += abs(effect) / math.sqrt(variance) > 1.959964
    assert hits / trials == pytest.approx(plan.power, abs=0.03)
    assert plan.power == pytest.approx(0.8, abs=0.01)
    assert difference_of.__doc__


def test_what_is_there_is_free() -> None:
    """Guards plans that go on from labels already bought: never below them, never dearer than from nothing."""
    nothing = Prospect(0.7, 0.2, 0.09, 0.16, 20, 0.4, cost_bronze=0.002, cost_gold=1.5)
    some = Prospect(0.7, 0.2, 0.09, 0.16, 20, 0.4, 0.002, 1.5, topics=100, gold_relevant=200, gold_nonrelevant=300)
    a, b = plan_labels(nothing, 0.05), plan_labels(some, 0.05)
    assert (b.new_gold_labels, b.gold_relevant, b.gold_nonrelevant) == (0, 200, 300)
    assert b.topics < a.topics
    assert b.cost < a.cost
    assert b.power == pytest.approx(0.8, abs=0.01)
    assert plan_labels(nothing, 0.5).gold_relevant >= LEAST_OF_A_KIND


def test_senseless_wishes_are_refused() -> None:
    """Guards the inputs of a plan."""
    p = Prospect(0.7, 0.2, 0.09, 0.16, 20, 0.4, cost_bronze=0.002, cost_gold=1.5)
    with pytest.raises(tg.TruegainError, match="difference of 0"):
        plan_labels(p, 0.0)
    with pytest.raises(tg.TruegainError, match="power 1"):
        plan_labels(p, 0.1, power=1.0)


def test_a_plan_from_runs_and_the_next_batch() -> None:
    """Guards the report: the batch holds retrieved pairs without gold, each once, and is the same for the same seed."""
    runs, bronze, gold = study(0)
    sample = {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 7 == 0} for t, row in gold.items()}
    costs = {"cost_bronze": 0.002, "cost_gold": 1.5}
    found = label_report(runs, bronze, sample, "P@10", design="random", detect=0.03, batch=25, seed=3, **costs)  # type: ignore[arg-type]
    again = label_report(runs, bronze, sample, "P@10", design="random", detect=0.03, batch=25, seed=3, **costs)  # type: ignore[arg-type]
    assert found.batch is not None
    assert again.batch is not None
    pairs = list(zip(found.batch.topic.strings(), found.batch.docs.strings(), strict=True))
    assert pairs == list(zip(again.batch.topic.strings(), again.batch.docs.strings(), strict=True))
    assert len(set(pairs)) == len(pairs) == 25
    assert all(d not in sample[t] and int(d[1:]) < 10 for t, d in pairs)
    assert set(found.batch.label.tolist()) == {-1.0}
    costs_by_difference = [row["cost"] for row in found.table.records()]
    assert costs_by_difference == sorted(costs_by_difference, reverse=True)  # type: ignore[type-var]
    assert found.chart().to_dict()["mark"]["type"] == "line"
