"""Plans of labels where a small fault would hide: defaults, topics that a system lacks, all topics gold, the batch."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.worlds import EBAY, Labels, study
from truegain.inference.labels.batch import next_batch
from truegain.inference.labels.plan import (
    Prospect,
    _gold_of,
    _price,
    detectable_in_se,
    found_already,
    from_scratch,
    plan_labels,
    plan_table,
    some_difference,
)
from truegain.inference.labels.prospect import Outlook
from truegain.inference.labels.published import naive_topics, published_sizes
from truegain.inference.labels.report import LabelReading, _listed
from truegain.measures.evaluate import Options, aligned
from truegain.measures.parse import parse_measure
from truegain.sampling.designs import take_next
from truegain.tables.judgments import Judgments
from truegain.tables.pool import Pool

COSTS: dict[str, Any] = {"cost_bronze": 0.01, "cost_gold": 1.0, "detect": 0.1}
PLAIN = Prospect(0.7, 0.2, 0.09, 0.16, 20, 0.4, 0.02, 1.5, topics=40, gold_relevant=150, gold_nonrelevant=200)


def sampled(gold: Labels, every: int = 3) -> Labels:
    """Some of the pairs of each topic."""
    return {t: {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % every == 0} for t, row in gold.items()}


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (tg.plan, {"power": 0.8, "confidence": 0.95, "seed": 0, "batch": None}),
        (LabelReading, {"missing": "refuse", "design": None, "name_by": "file"}),
        (plan_labels, {"confidence": 0.95, "power": 0.8}),
        (found_already, {"confidence": 0.95, "power": 0.8}),
        (plan_table, {"confidence": 0.95, "power": 0.8}),
        (next_batch, {"seed": 0}),
        (naive_topics, {"p": 0.05, "power": 0.5}),
        (published_sizes, {"p": 0.05, "power": 0.5, "shares": (1 / 3, 1 / 3, 1 / 3)}),
    ],
)
def test_defaults_are_those_told(function: Callable[..., object], told: dict[str, object]) -> None:
    """Guards what a caller gets who says nothing: 80% power at 95%, and the paper's 50% in its own formulas."""
    given = inspect.signature(function).parameters
    assert {name: given[name].default for name in told} == told


def test_a_keyword_that_plan_does_not_know() -> None:
    """Guards slips in keywords: what is no option is named, with those there are."""
    with pytest.raises(tg.TruegainError, match="plan has no option desing; it has design, gold_level, missing"):
        tg.plan({}, {}, {}, "P@10", desing="random", **COSTS)


# ---------------------------------------------------------------------- the published formulas


@pytest.mark.parametrize(("p", "power"), [(0.05, 0.5), (0.01, 0.9)])
def test_published_sizes_of_two_judges(p: float, power: float) -> None:
    """Guards eq. 27 to 31 where the two systems have judges of their own: the variances add up to what is allowed."""
    other = tg.Judge.from_counts(relevant=(80, 90), nonrelevant=(61, 95))
    means, sds, judges, shares = (0.55, 0.63), (0.41, 0.37), (EBAY, other), (0.5, 0.2, 0.3)
    sizes = published_sizes(means, sds, judges, shares=shares, p=p, power=power)
    of_topics = of_relevant = of_others = 0.0
    corrected = []
    for name, j, sd, judge in zip("ab", means, sds, judges, strict=True):
        of_topics += sd**2 / sizes["n"] / judge.D**2
        of_relevant += judge.mR * (1 - judge.mR) / sizes[f"nR_{name}"] * (j - 1 + judge.mN) ** 2 / judge.D**4
        of_others += judge.mN * (1 - judge.mN) / sizes[f"nN_{name}"] * (j - judge.mR) ** 2 / judge.D**4
        corrected.append((j - 1 + judge.mN) / judge.D)
    far = stats.norm.ppf(1 - p / 2) + stats.norm.ppf(power)
    allowed = ((corrected[1] - corrected[0]) / far) ** 2
    parts = [x / allowed for x in (of_topics, of_relevant, of_others)]
    assert parts == pytest.approx(shares, rel=1e-6)
    assert detectable_in_se(p, power) == pytest.approx(far, rel=1e-6)
    for wrong in ((0.5, 0.5, 0.0), (0.5, 0.2, 0.4), (1.2, -0.1, -0.1)):
        with pytest.raises(tg.TruegainError, match="must be positive"):
            published_sizes(means, sds, judges, shares=wrong)


def test_topics_without_judge_errors() -> None:
    """Guards eq. 26 at another level and power, and a difference of either sign."""
    far = stats.norm.ppf(0.95) + stats.norm.ppf(0.7)
    expected = far**2 * (0.3**2 + 0.2**2) / 0.05**2
    assert naive_topics(-0.05, 0.3, 0.2, p=0.1, power=0.7) == pytest.approx(expected, rel=1e-6)
    assert some_difference(-0.2) == 0.2
    with pytest.raises(tg.TruegainError, match="infinitely many"):
        naive_topics(0.0, 0.3, 0.2)


# ---------------------------------------------------------------------- plans


def test_nothing_bought_yet() -> None:
    """Guards a plan from nothing: what is there is forgotten, the rest of the prospect is not."""
    p = from_scratch(replace(PLAIN, fixed_r=0.1, gold_share=0.5))
    assert p == replace(PLAIN, fixed_r=0.1, gold_share=0.5, topics=0, gold_relevant=0, gold_nonrelevant=0)
    bare = Prospect(0.7, 0.2, 0.09, 0.16, 20, 0.4, 0.02, 1.5)
    assert (bare.topics, bare.gold_relevant, bare.gold_nonrelevant, bare.fixed_r, bare.fixed_n) == (0, 0, 0, 0, 0)
    assert (bare.gold_share, bare.gold_topic, bare.moderated) == (None, None, False)


def test_a_table_holds_a_plan_a_row() -> None:
    """Guards the rows and the cost in all: what `plan_labels` says of each difference."""
    table = plan_table(PLAIN, [0.05, 0.2], confidence=0.9, power=0.7)
    for d, row in zip((0.05, 0.2), table.rows, strict=True):
        p = plan_labels(PLAIN, d, confidence=0.9, power=0.7)
        assert row == (d, p.topics, p.gold_relevant, p.gold_nonrelevant, p.new_bronze_labels, p.new_gold_labels,
                       p.bronze_cost, p.gold_cost, p.bronze_cost + p.gold_cost, p.power)  # fmt: skip
        assert p.gold == p.gold_relevant + p.gold_nonrelevant
    first = plan_labels(PLAIN, 0.05, confidence=0.9, power=0.7)
    assert first.cost > 0
    assert first.bronze_cost > 0
    assert plan_labels(PLAIN, -0.05, confidence=0.9, power=0.7) == first


def test_rounding_buys_no_label() -> None:
    """Guards whole numbers: 0.28 * 25 and 1.1 * 110 are a little more than 7 and 121, which costs no label."""
    assert 0.28 * 25 > 7
    assert 1.1 * 110 > 121
    for relevant, expected in ((0.28, (157, 218)), (1 - 0.28, (168, 207))):
        found = _gold_of(replace(PLAIN, relevant=relevant), 0.05, np.array([25.0]))
        assert tuple(int(n[0]) for n in found) == expected
    assert _price(replace(PLAIN, labels_per_topic=1.1), 150, 150, 200) == (121, 0)
    assert _price(PLAIN, 41, 153, 204) == (20, 7)
    assert _price(PLAIN, math.inf, 150, 200)[0] == math.inf


def test_a_judge_that_no_gold_makes_good_enough() -> None:
    """Guards the refusal where even topics without end do not suffice."""
    with pytest.raises(tg.TruegainError, match="better bronze judge"):
        plan_labels(replace(PLAIN, topic_variance=1e12), 1e-3)


def test_the_interval_so_far() -> None:
    """Guards the interval: Student's quantile times the standard error to both sides."""
    low, high = Outlook(PLAIN, 0.04, 0.01, 7.0, 1.0, "test").interval(0.9)
    far = stats.t.ppf(0.95, 7) * 0.01
    assert (low, high) == pytest.approx((0.04 - far, 0.04 + far), rel=1e-6)


def test_round_differences_by_hand() -> None:
    """Guards the list: nine from one and a half times the wanted one down, more where what is found is small."""
    assert _listed(0.1, None, 1.0) == [0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15]
    assert _listed(0.04, None, 1.0) == [0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05]
    small = _listed(0.1, 0.004, 1.0)
    assert (small[0], len(small)) == (0.002, 12)
    assert len(_listed(0.9, 0.001, 1.0)) == 14


def test_what_is_found_already_is_possible() -> None:
    """Guards what is told to be found already: never a difference that the measure does not allow."""
    runs, bronze, gold = study(2, topics=4, docs=6)
    judge = sampled(gold, 2)
    for power, told in ((0.8, True), (0.95, False)):
        found = tg.plan(runs, bronze, judge, "P@2", design="random", **{**COSTS, "detect": 0.9, "power": power})
        edge = found_already(found.prospect, power=power)
        assert edge is not None
        assert (edge <= 1) == told
        assert found.found_already == (edge if told else None)


# ---------------------------------------------------------------------- the next batch


def test_whole_topics_by_hand() -> None:
    """Guards topics in the order they come up, all their pairs together, and no topic beyond the size."""
    pool = Pool.of(Judgments.of({t: {f"{t}{i}": 0 for i in range(3)} for t in "pqrs"}))
    order = np.array([7, 0, 9, 1, 6, 10])  # r, p, s, p, r, s
    for size, expected in (
        (1, [7, 6]),
        (2, [7, 6]),
        (3, [7, 6, 0, 1]),
        (5, [7, 6, 0, 1, 9, 10]),
        (9, [7, 6, 0, 1, 9, 10]),
    ):
        assert take_next("topics", order, pool.topic, pool.labels, np.empty(0), size).tolist() == expected


def test_labels_take_turns_by_hand() -> None:
    """Guards each bronze label at its rate: of 4 gold pairs three had label 0, so that 0 0 1 0, 0 0 1 0 come up."""
    so_far, topic = np.array([0.0, 0, 0, 1]), np.zeros(110, np.int64)
    label = np.concatenate([np.zeros(100), [1.0, 1, 0, 0, 0, 0, 0, 0, 0, 2]])
    order = np.arange(100, 110)
    first = take_next("by-bronze", order, topic, label, so_far, 8)
    assert first.tolist() == [102, 100, 103, 104, 105, 101, 106, 107]
    assert len(take_next("by-bronze", order, topic, label, so_far, 100)) == 9  # label 2 was never drawn


def test_a_batch_of_a_judge_known_by_counts() -> None:
    """Guards a judge without pairs: all that the two retrieved where the measure looks and bronze has judged."""
    runs, bronze, _ = study(2, topics=10)
    del bronze["0"]["a0"]
    with pytest.warns(tg.DataWarning):
        found = tg.plan(runs, bronze, EBAY, "P@10", batch=10_000, **COSTS)
    assert found.batch is not None
    sent = set(zip(found.batch.topic.strings(), found.batch.docs.strings(), strict=True))
    assert sent == {(t, f"{s}{i}") for t in bronze for s in "ab" for i in range(10)} - {("0", "a0")}
    assert set(found.batch.label.tolist()) == {-1.0}
    assert "all that are left" in found.about_batch


def test_a_batch_of_one_pair() -> None:
    """Guards the least batch, with a seed that says which pair it is."""
    runs, bronze, gold = study(2, topics=10)
    table, one = Judgments.of(bronze), parse_measure("P@10")
    ranked = aligned(runs, table, Options())
    judge = tg.Judge.fit(bronze, sampled(gold), design="random")
    batches = [next_batch(ranked, judge, one, 1, seed=seed) for seed in (0, 0, 1, 2)]
    pairs = [list(zip(b.topic.strings(), b.docs.strings(), strict=True)) for b in batches if b is not None]
    assert [len(p) for p in pairs] == [1, 1, 1, 1]
    assert pairs[0] == pairs[1]
    assert len({p[0] for p in pairs}) > 1
    assert tg.plan(runs, bronze, sampled(gold), "P@10", design="random", batch=1, **COSTS).about_batch.startswith(
        "The next batch for the gold judge has 1 pairs"
    )
