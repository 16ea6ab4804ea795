"""Plans of labels: the paper's sizes, least cost, and whether planned power is had."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.rectified import by_pairs, by_topics, told

import truegain as tg
from tests.worlds import EBAY, study
from truegain.gains.confusion import Confusion
from truegain.gains.pairs import Design
from truegain.gains.sampled_pairs import SampledPairs, strata_of
from truegain.inference.corrections.comparison import compare_corrected
from truegain.inference.judges.linear_correction import LinearEstimate, TopicMatrix, correct_linear
from truegain.inference.labels.plan import (
    LEAST_OF_A_KIND,
    Prospect,
    found_already,
    from_scratch,
    plan_labels,
)
from truegain.inference.labels.published import naive_topics, published_sizes
from truegain.report.label_costs import cost_chart, with_bars
from truegain.student import p_of


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


def betas(rng: np.random.Generator, mean: float, icc: float, size: tuple[int, ...]) -> np.ndarray:
    """Rates that vary around a mean so that labels of one draw have this intra-class correlation."""
    return np.full(size, mean) if icc == 0 else rng.beta(mean * (1 / icc - 1), (1 - mean) * (1 / icc - 1), size)


def moments(rng: np.random.Generator, whole: np.ndarray, size: int, trials: int) -> tuple[np.ndarray, np.ndarray]:
    """Means and variances of many samples of whole numbers: how often a sample holds each of them is multinomial."""
    value, count = np.unique(whole, return_counts=True)
    held = rng.multinomial(size, count / count.sum(), trials)
    mean = held @ value / size
    return mean, (held @ value**2 - size * mean**2) / (size - 1)


@pytest.mark.parametrize(
    ("difference", "power", "relevant", "icc", "cost_gold"),
    [
        (0.04, 0.8, 0.4, 0.0, 1.5),
        (0.08, 0.8, 0.4, 0.0, 1.5),
        (0.05, 0.5, None, 0.0, 0.5),
        (0.05, 0.9, None, 0.0, 0.5),
        (0.08, 0.5, 0.3, 0.2, 0.01),
        (0.08, 0.8, None, 0.2, 0.01),
        (0.08, 0.9, 0.3, 0.2, 0.01),
    ],
)
def test_planned_power_is_had(
    difference: float, power: float, relevant: float | None, icc: float, cost_gold: float
) -> None:
    """Guards the plan against simulation: data of the planned size reach the planned power within 3 points.

    One accuracy corrects both systems, with one gold sample; gold pairs of either kind are drawn together or bought
    apart; scores are P@10 over common topics, and the judge errs by topic (5 gold pairs of a kind in each).
    """
    m_r, m_n, d, per, trials, many = 0.9, 0.8, 0.7, 5 if icc else 1, 20_000, 200_000
    rng = np.random.default_rng(1)
    base = betas(rng, 0.4, 0.2, (many,))
    true = rng.binomial(10, np.clip(np.stack([base, base + difference]), 0, 1)) / 10
    said = rng.binomial(10, true * d + 1 - m_n)
    pilot = said[1] - said[0]  # in tenths
    actual = float(pilot.mean()) / 10 / d  # a little less than asked for, where base + difference was cut at 1
    v_r, v_n = ((1 + (per - 1) * icc) * m * (1 - m) for m in (m_r, m_n))
    plan = plan_labels(
        Prospect(d, float(pilot.var()) / 100, v_r, v_n, 20, relevant, cost_bronze=0.02, cost_gold=cost_gold),
        actual,
        power=power,
    )
    groups = [max(2, round(n / per)) for n in (plan.gold_relevant, plan.gold_nonrelevant)]
    right = [rng.binomial(per, betas(rng, m, icc, (many,))) for m in (m_r, m_n)]
    of_gold = [moments(rng, x, g, trials) for x, g in zip(right, groups, strict=True)]
    d_hat = sum(mean for mean, _ in of_gold) / per - 1
    v_d = sum(variance / g for (_, variance), g in zip(of_gold, groups, strict=True)) / per**2
    mean, variance = moments(rng, pilot, plan.topics, trials)
    effect = mean / 10 / d_hat
    spread = variance / 100 / plan.topics / d_hat**2 + effect**2 * v_d / d_hat**2
    hits = np.abs(effect) > 1.959964 * np.sqrt(spread)
    assert plan.power == pytest.approx(power, abs=0.01)
    assert hits.mean() == pytest.approx(plan.power, abs=0.03)


# ---------------------------------------------------------------------- the tests that `compare` makes


DOCS = 10


def world(rng: np.random.Generator, topics: int, delta: float, icc: float) -> tuple[np.ndarray, np.ndarray]:
    """Gold and bronze labels of the ten documents of system a and the ten of b; the judge errs by topic."""
    base = rng.beta(4, 6, topics)[:, None]
    share = np.clip(np.repeat(np.concatenate([base - delta / 2, base + delta / 2], axis=1), DOCS, axis=1), 0, 1)
    gold = (rng.random(share.shape) < share).astype(np.int64)
    rates = [betas(rng, m, icc, (topics, 1)) for m in (0.85, 0.8)]
    right = rng.random(share.shape) < np.where(gold == 1, *rates)
    return gold, np.where(right, gold, 1 - gold)


def drawn(rng: np.random.Generator, gold: np.ndarray, design: str, relevant: int, non: int) -> np.ndarray:
    """Which pairs the gold judge sees."""
    keep = np.zeros(gold.shape, np.bool_)
    if design == "topics":
        keep[rng.choice(len(gold), round((relevant + non) / (2 * DOCS)), replace=False)] = True
    elif design == "random":
        keep.ravel()[rng.choice(gold.size, relevant + non, replace=False)] = True
    else:
        for label, size in ((1, relevant), (0, non)):
            keep.ravel()[rng.choice(np.flatnonzero(gold.ravel() == label), size, replace=False)] = True
    return keep


Named = tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, int]], dict[str, dict[str, int]]]


def named(gold: np.ndarray, bronze: np.ndarray, keep: np.ndarray) -> Named:
    """Runs, bronze labels and the gold labels seen."""
    names = [f"{s}{i}" for s in "ab" for i in range(DOCS)]
    runs = {s: {str(t): {f"{s}{i}": -float(i) for i in range(DOCS)} for t in range(len(gold))} for s in "ab"}
    all_bronze = {str(t): dict(zip(names, row.tolist(), strict=True)) for t, row in enumerate(bronze)}
    seen = {str(t): {names[i]: int(gold[t, i]) for i in np.flatnonzero(keep[t])} for t in range(len(gold))}
    return runs, all_bronze, {t: row for t, row in seen.items() if row}


def corrected(gold: np.ndarray, bronze: np.ndarray, keep: np.ndarray, of: slice) -> LinearEstimate:
    """Corrected P@10 of the system with these documents, the judge measured on its own gold pairs."""
    topic, column = np.nonzero(keep[:, of])
    g, b = gold[:, of][topic, column], bronze[:, of][topic, column]
    table = np.bincount(topic * 4 + g * 2 + b, minlength=4 * len(gold)).reshape(-1, 2, 2).astype(np.float64)
    used, names = table.sum(axis=(1, 2)) > 0, [str(t) for t in range(len(gold))]
    seen = tuple(t for t, u in zip(names, used, strict=True) if u)
    c = Confusion((0.0, 1.0), (0.0, 1.0), seen, table[used], table.sum(axis=0), len(g))
    pairs = (topic * 2 * DOCS + column + (of.start or 0), g, b, np.ones(len(g)))
    share = bronze[:, of].mean(axis=1)
    side = TopicMatrix(c, np.ones(len(gold), np.bool_), pairs)
    return correct_linear(np.stack([1 - share, share], axis=1), names, [side], np.array([0.0, 1.0]))


def p_value(gold: np.ndarray, bronze: np.ndarray, keep: np.ndarray, design: str) -> float:
    """What `compare` says, without the detour over names."""
    n = len(gold)
    if design == "topics":
        f, y = (np.array([x[:, :DOCS].mean(axis=1), x[:, DOCS:].mean(axis=1)]) for x in (bronze, gold))
        return told(by_topics(f, np.where(keep[:, 0], y, np.nan)), 1, 0).p
    if design == "by-gold":
        one, two = (corrected(gold, bronze, keep, slice(s * DOCS, (s + 1) * DOCS)) for s in (0, 1))
        both = two.less(one)
        variance, df = both.variance()
        return p_of(both.value / math.sqrt(variance), df)
    b, seen = bronze.ravel().astype(np.float64), keep.ravel()
    pairs = SampledPairs(
        np.repeat(np.arange(n), 2 * DOCS),
        strata_of(b, seen),
        b,
        np.where(seen, gold.ravel(), np.nan),
        np.full(b.shape, b.size / seen.sum()),
        n,
    )
    of_b = np.tile(np.repeat([0.0, 1.0 / DOCS], DOCS), n)
    return told(by_pairs(pairs, np.tile(np.repeat([1.0 / DOCS, 0.0], DOCS), n), of_b), 1, 0).p


@pytest.mark.parametrize("design", ["random", "topics", "by-gold"])
def test_the_short_way_is_what_compare_says(design: Design) -> None:
    """Guards the simulations below: p without the detour over names is that of `compare`."""
    rng = np.random.default_rng(5)
    for _ in range(3):
        gold, bronze = world(rng, 60, 0.12, 0.2)
        keep = drawn(rng, gold, design, 150, 250)
        row = compare_corrected(*named(gold, bronze, keep), "P@10", design=design, trials=100).pairs[0]
        assert p_value(gold, bronze, keep, design) == pytest.approx(row.p, rel=1e-9)


def test_planned_power_is_had_where_much_is_labelled_that_is_not_retrieved() -> None:
    """Guards plans with random gold, half of which falls on documents that neither system retrieved."""
    rng, delta, trials = np.random.default_rng(11), 0.12, 2000

    def pool(topics: int) -> tuple[np.ndarray, np.ndarray]:
        (gold, bronze), (more, cheap) = world(rng, topics, delta, 0.1), world(rng, topics, 0.0, 0.1)
        return np.concatenate([gold, more], axis=1), np.concatenate([bronze, cheap], axis=1)

    gold, bronze = pool(3000)
    keep = drawn(rng, gold, "random", 8000, 12000)
    names = [f"{s}{i}" for s in "abxy" for i in range(DOCS)]
    runs = {s: {str(t): {f"{s}{i}": -float(i) for i in range(DOCS)} for t in range(3000)} for s in "ab"}
    labels = {str(t): dict(zip(names, row.tolist(), strict=True)) for t, row in enumerate(bronze)}
    seen = {str(t): {names[i]: int(gold[t, i]) for i in np.flatnonzero(keep[t])} for t in range(3000)}
    found = tg.plan(
        runs, labels, {t: row for t, row in seen.items() if row}, "P@10", design="random", detect=delta,
        cost_bronze=0.02, cost_gold=0.5,
    )  # fmt: skip
    plan = plan_labels(from_scratch(found.prospect), delta)
    assert found.prospect.labels_per_topic == 4 * DOCS
    hits = 0
    for _ in range(trials):
        gold, bronze = pool(plan.topics)
        keep = drawn(rng, gold, "random", plan.gold_relevant, plan.gold_nonrelevant)
        b, has = bronze.ravel().astype(np.float64), keep.ravel()
        pairs = SampledPairs(
            np.repeat(np.arange(plan.topics), 4 * DOCS), strata_of(b, has), b, np.where(has, gold.ravel(), np.nan),
            np.full(b.shape, b.size / has.sum()), plan.topics,
        )  # fmt: skip
        of_a, of_b = (np.tile(np.repeat(x, DOCS), plan.topics) / DOCS for x in ([1.0, 0, 0, 0], [0.0, 1, 0, 0]))
        hits += told(by_pairs(pairs, of_a, of_b), 1, 0).p < 0.05
    assert hits / trials == pytest.approx(plan.power, abs=0.03)


@pytest.mark.parametrize(("means", "rates"), [((0.45, 0.5), (0.9, 0.8)), ((0.4, 0.5), (0.85, 0.75))])
def test_power_near_the_largest_share_of_gold(means: tuple[float, float], rates: tuple[float, float]) -> None:
    """Guards plans by gold label that gold-judge half of the pairs, where gold pairs are mostly scored too."""
    rng, delta, trials = np.random.default_rng(3), means[1] - means[0], 1500

    def flat(topics: int) -> tuple[np.ndarray, np.ndarray]:
        gold = (rng.random((topics, 2 * DOCS)) < np.repeat(means, DOCS)).astype(np.int64)
        right = rng.random(gold.shape) < np.where(gold == 1, *rates)
        return gold, np.where(right, gold, 1 - gold)

    gold, bronze = flat(3000)
    pilot = named(gold, bronze, drawn(rng, gold, "by-gold", 6000, 6000))
    found = tg.plan(*pilot, "P@10", design="by-gold", detect=delta, cost_bronze=0.05, cost_gold=1.0)
    plan = plan_labels(from_scratch(found.prospect), delta)
    assert 0.4 < plan.gold / (plan.topics * 2 * DOCS) <= 0.501
    hits = 0
    for _ in range(trials):
        gold, bronze = flat(plan.topics)
        hits += (
            p_value(gold, bronze, drawn(rng, gold, "by-gold", plan.gold_relevant, plan.gold_nonrelevant), "by-gold")
            < 0.05
        )
    assert hits / trials == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize(
    ("design", "power", "delta", "icc", "costs", "trials"),
    [
        ("random", 0.5, 0.1, 0.2, (0.02, 0.5), 2500),
        ("random", 0.8, 0.12, 0.0, (0.02, 0.5), 2500),
        ("random", 0.9, 0.12, 0.2, (0.02, 0.5), 2500),
        ("topics", 0.5, 0.08, 0.2, (0.02, 0.2), 4000),
        ("topics", 0.8, 0.12, 0.0, (0.02, 0.2), 4000),
        ("topics", 0.9, 0.12, 0.2, (0.02, 0.2), 4000),
        ("by-gold", 0.8, 0.12, 0.2, (0.02, 0.2), 700),
    ],
)
def test_compare_has_the_power_planned(
    design: Design, power: float, delta: float, icc: float, costs: tuple[float, float], trials: int
) -> None:
    """Guards plans from data: `compare`, with its own default for the design, has the planned power within 3 points.

    Whole gold topics within 4: where few are gold, the wider of two forms counts, which a plan does not know.
    """
    rng = np.random.default_rng(7)
    gold, bronze = world(rng, 3000, delta, icc)
    pilot = named(gold, bronze, drawn(rng, gold, design, 5000, 7000))
    cost_bronze, cost_gold = costs
    found = tg.plan(
        *pilot, "P@10", design=design, detect=delta, power=power, cost_bronze=cost_bronze, cost_gold=cost_gold
    )
    plan = plan_labels(from_scratch(found.prospect), delta, power=power)
    hits = 0
    for _ in range(trials):
        gold, bronze = world(rng, plan.topics, delta, icc)
        keep = drawn(rng, gold, design, plan.gold_relevant, plan.gold_nonrelevant)
        hits += p_value(gold, bronze, keep, design) < 0.05
    assert plan.power == pytest.approx(power, abs=0.015)
    assert hits / trials == pytest.approx(plan.power, abs=0.04 if design == "topics" else 0.03)


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
    for cost in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(tg.TruegainError, match="cost of a gold label is"):
            replace(p, cost_gold=cost)
    assert found_already(p) is None


def test_a_plan_from_runs_and_the_next_batch() -> None:
    """Guards the report: the batch holds labelled pairs without gold, each once, and is the same for the same seed."""
    runs, bronze, gold = study(0)
    sample = {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 7 == 0} for t, row in gold.items()}
    costs = {"cost_bronze": 0.002, "cost_gold": 1.5}
    found = tg.plan(runs, bronze, sample, "P@10", design="random", detect=0.03, batch=25, seed=3, **costs)
    again = tg.plan(runs, bronze, sample, "P@10", design="random", detect=0.03, batch=25, seed=3, **costs)
    assert found.batch is not None
    assert again.batch is not None
    pairs = list(zip(found.batch.topic.strings(), found.batch.docs.strings(), strict=True))
    assert pairs == list(zip(again.batch.topic.strings(), again.batch.docs.strings(), strict=True))
    assert len(set(pairs)) == len(pairs) == 25
    assert all(d in bronze[t] and d not in sample[t] for t, d in pairs)
    assert set(found.batch.label.tolist()) == {-1.0}
    costs_by_difference = [row["cost"] for row in found.table.records()]
    assert costs_by_difference == sorted(costs_by_difference, reverse=True)  # type: ignore[type-var]


def test_a_random_batch_is_random_for_other_systems_too() -> None:
    """Guards the next batch of a random sample: fed back it does not bend what is said of systems that had no part.

    Documents that a and b retrieve are judged well, those of c badly, so that a batch from a's and b's lists alone
    would make c's bronze errors look rare.
    """
    rng = np.random.default_rng(0)
    gold = {str(t): {f"{s}{i}": int(rng.random() < 0.4) for s in "abc" for i in range(DOCS)} for t in range(150)}
    right = {"a": 0.95, "b": 0.95, "c": 0.6}
    bronze = {t: {d: g if rng.random() < right[d[0]] else 1 - g for d, g in row.items()} for t, row in gold.items()}
    runs = {s: {t: {f"{s}{i}": -float(i) for i in range(DOCS)} for t in gold} for s in "abc"}
    start = {t: {d: g for d, g in row.items() if rng.random() < 0.05} for t, row in gold.items()}
    two = {s: runs[s] for s in "ab"}
    costs = {"cost_bronze": 0.01, "cost_gold": 1.0, "detect": 0.05}
    found = tg.plan(two, bronze, start, "P@10", design="random", batch=600, **costs)  # type: ignore[arg-type]
    assert found.batch is not None
    sent = list(zip(found.batch.topic.strings(), found.batch.docs.strings(), strict=True))
    of_c = sum(d[0] == "c" for _, d in sent) / len(sent)
    assert of_c == pytest.approx(1 / 3, abs=0.06)
    for t, d in sent:
        start[t][d] = gold[t][d]
    judge = tg.Judge.fit(bronze, start, design="random")
    truth = np.mean([g == bronze[t][d] for t, row in gold.items() for d, g in row.items()])
    k_r, n_r, k_n, n_n = judge.counts
    assert (k_r + k_n) / (n_r + n_n) == pytest.approx(truth, abs=0.04)
    assert "all labelled pairs" in found.about_batch


def test_the_batch_keeps_the_design() -> None:
    """Guards what is sent next: whole topics where gold is topics, each label at its rate where drawn by label."""
    runs, bronze, gold = study(0)
    costs = {"cost_bronze": 0.002, "cost_gold": 1.5, "detect": 0.02, "batch": 50}
    some = {t: row for t, row in gold.items() if int(t) < 12}
    found = tg.plan(runs, bronze, some, "nDCG@10", design="topics", **costs)  # type: ignore[arg-type]
    assert found.batch is not None
    sent = Counter(found.batch.topic.strings())
    assert set(sent.values()) == {40}
    assert len(sent) == 2
    assert not set(sent) & set(some)
    rare = {t: {d: g for d, g in row.items() if bronze[t][d] or int(d[1:]) < 5} for t, row in gold.items()}
    seen = {t: {d: g for d, g in row.items() if int(t) % 4 == 0} for t, row in rare.items() if int(t) % 4 == 0}
    found = tg.plan(runs, bronze, seen, "P@10", design="by-bronze", **costs)  # type: ignore[arg-type]
    assert found.batch is not None
    ones = sum(bronze[t][d] for t, d in zip(found.batch.topic.strings(), found.batch.docs.strings(), strict=True))
    share = np.mean([bronze[t][d] for t, row in seen.items() for d in row])
    assert ones / 50 == pytest.approx(share, abs=0.03)


def test_an_empty_batch_is_refused() -> None:
    """Guards the size of the batch."""
    runs, bronze, gold = study(0)
    for batch in (0, -3):
        with pytest.raises(tg.TruegainError, match=f"batch {batch}: give at least 1 pair"):
            tg.plan(runs, bronze, gold, "P@10", design="random", cost_bronze=0.002, cost_gold=1.5, batch=batch)


def test_no_batch_where_every_pair_is_gold() -> None:
    """Guards a plan that only new topics can fulfil: it is told, with the reason that there is no batch."""
    runs, bronze, gold = study(0)
    found = tg.plan(runs, bronze, gold, "P@10", design="random", detect=0.005, cost_bronze=0.002, cost_gold=1.5)
    assert found.plan.new_gold_labels > 0
    assert found.batch is None
    assert "new topics must bring more" in found.about_batch


@pytest.mark.parametrize("design", ["random", "by-bronze", "topics", "by-gold", "elsewhere"])
def test_what_is_found_already_costs_nothing(design: Design) -> None:
    """Guards the edge of the free region from both sides, and that the plan speaks of the variance `compare` finds."""
    runs, bronze, gold = study(1, topics=60)
    keep = {t: row if design == "topics" else {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 3 == 0}
            for t, row in gold.items() if design != "topics" or int(t) % 3 == 0}  # fmt: skip
    found = tg.plan(runs, bronze, keep, "P@10", design=design, detect=0.03, cost_bronze=0.002, cost_gold=1.5)
    edge = found.found_already
    assert edge is not None
    assert plan_labels(found.prospect, edge * 1.001).cost == 0
    assert plan_labels(found.prospect, edge * 0.97).cost > 0
    row = compare_corrected(runs, bronze, keep, "P@10", design=design, trials=100).table().records()[0]
    width = float(row["high"]) - float(row["low"])  # type: ignore[arg-type]
    assert edge == pytest.approx(width / 2 * (1.96 + 0.84) / 1.96, rel=0.1)


def test_the_curve_falls_and_shows_its_parts() -> None:
    """Guards the figure: costs in all and by kind, falling, up to what is found already; and the bars of the table."""
    runs, bronze, gold = study(0)
    sample = {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 7 == 0} for t, row in gold.items()}
    found = tg.plan(runs, bronze, sample, "P@10", design="random", detect=0.03, cost_bronze=0.002, cost_gold=1.5)
    drawn = [layer["data"]["values"] for layer in cost_chart(found).to_dict()["layer"]]
    lines = next(rows for rows in drawn if len(rows) > 20)
    by_kind = {
        k: [r["cost"] for r in lines if r["labels"] == k] for k in ("all labels", "bronze labels", "gold labels")
    }
    assert by_kind["all labels"] == sorted(by_kind["all labels"], reverse=True)
    first = {r["labels"]: r["cost"] for r in reversed(lines)}
    assert first["all labels"] == pytest.approx(first["bronze labels"] + first["gold labels"])
    assert max(r["difference"] for r in lines) < (found.found_already or 0)
    assert any("wanted: 0.03" in str(rows) for rows in drawn)
    bars = [str(row[-1]) for row in with_bars(found.table).rows]
    assert [len(bar) for bar in bars] == sorted((len(bar) for bar in bars), reverse=True)
    assert bars[0] == "█" * 16
