"""The power behind a plan of labels, written out by hand; least cost; what a report lists; the next batch."""

from __future__ import annotations

import bisect
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.rectified import by_pairs, told
from scipy import special, stats

import truegain as tg
from tests.worlds import study
from truegain.gains.sampled_pairs import SampledPairs, strata_of
from truegain.inference.labels.plan import LEAST_GOLD_TOPICS, LEAST_OF_A_KIND, Prospect, found_already, plan_labels
from truegain.inference.labels.prospect import Outlook
from truegain.inference.labels.report import NICE, _listed, _wanted

PLAIN = Prospect(0.7, 0.2, 0.09, 0.16, 20, 0.4, 0.02, 1.5, topics=40, gold_relevant=150, gold_nonrelevant=200)
OWN = Prospect(1.0, 0.04, 0.0, 0.0, 20, None, 0.02, 1.5, 60, 80, 120, fixed_r=0.03, fixed_n=0.01)
PROSPECTS = {
    "one accuracy": PLAIN,
    "few topics": replace(PLAIN, topics=9),
    "own accuracies": OWN,
    "of these topics": replace(OWN, gold_share=0.5, topics=20),
    "whole topics": replace(OWN, gold_share=1.0, gold_topic=20.0, relevant=0.4),
    "few whole topics": replace(OWN, gold_share=1.0, gold_topic=50.0, relevant=0.4),
    "moderated": replace(OWN, gold_share=0.5, moderated=True, topic_variance=-0.002),
    "moderated, many topics": replace(OWN, gold_share=0.5, moderated=True, topics=900),
}


def by_hand(p: Prospect, d: float, sizes: tuple[float, float, float], confidence: float = 0.95) -> float:
    """The chance that the test rejects, with scipy's distributions; the noncentral t by Johnson and Welch."""
    n, r, s = sizes
    topics, gold = p.topic_variance / n / p.D**2, p.fixed_r / r + p.fixed_n / s
    clusters, lost = r + s, 1
    if p.gold_topic is not None:
        clusters, lost = clusters / p.gold_topic, 2
        gold *= 1 + 1 / max(clusters - 3, 1)
    if p.gold_share is not None:
        clusters = min(clusters, n)
    variance = max(topics + gold, 0.1 * gold)
    df = (abs(topics) + gold) ** 2 / (topics**2 / (n - 1) + gold**2 / max(clusters - lost, 1))
    t = float(special.stdtrit(df, (1 + confidence) / 2))
    if p.moderated:
        more = 0.0
        for size, fixed in ((r, p.fixed_r), (s, p.fixed_n)):
            each = size / n
            worth = size / (1 + each)  # pairs of so many topics as a judge of equal topics would have
            m, sd = (1 + 4 * 0.2 * each) / (worth + 3), math.sqrt(2 / worth) * worth / (worth + 3)
            x = np.linspace(0, m + 9 * sd, 20_001)  # the mean of what lies above 0, by its integral
            density = np.exp(-(((x - m) / sd) ** 2) / 2) / sd / math.sqrt(2 * math.pi)
            more += fixed / size * float(np.trapezoid(x * density, x))
        t *= math.sqrt(1 + more / variance)
    left = 1 - (p.v_r / r + p.v_n / s) / p.D**2 * t**2
    if left <= 0:
        return 0.0
    bar = t / math.sqrt(left)
    z = (d / math.sqrt(variance) - bar * (1 - 1 / (4 * df))) / math.sqrt(1 + bar**2 / (2 * df))
    return float(special.ndtr(z))


@pytest.mark.parametrize("name", PROSPECTS)
@pytest.mark.parametrize(("confidence", "power"), [(0.95, 0.8), (0.99, 0.6)])
def test_power_is_the_formula_written_out(name: str, confidence: float, power: float) -> None:
    """Guards every term of the power: what is found already is found with the power asked for, to 1e-6."""
    p = PROSPECTS[name]
    edge = found_already(p, confidence=confidence, power=power)
    assert edge is not None
    reached = by_hand(p, edge, (p.topics, p.gold_relevant, p.gold_nonrelevant), confidence)
    assert reached == pytest.approx(power, abs=1e-6)


@pytest.mark.parametrize("topics", [6, 15, 200])
def test_power_is_that_of_the_noncentral_t(topics: int) -> None:
    """Guards the approximation: with gold without end the test is a t test over topics, power within half a point."""
    p = replace(PLAIN, D=1.0, topics=topics, gold_relevant=1e12, gold_nonrelevant=1e12)
    edge = found_already(p)
    assert edge is not None
    bar, far = stats.t.ppf(0.975, topics - 1), edge * math.sqrt(topics / 0.2)
    assert stats.nct.sf(bar, topics - 1, far) == pytest.approx(0.8, abs=0.005)


def test_nothing_is_found_by_nothing() -> None:
    """Guards what is found already where there are no gold pairs, one topic, or a judge no better than chance."""
    assert found_already(replace(PLAIN, topics=1)) is None
    assert found_already(replace(PLAIN, topics=2)) is not None
    assert found_already(replace(PLAIN, gold_relevant=0)) is None
    assert found_already(replace(PLAIN, gold_nonrelevant=0)) is None
    assert found_already(replace(PLAIN, v_r=90.0)) is None


@pytest.mark.parametrize("name", PROSPECTS)
@pytest.mark.parametrize("scratch", [True, False])
def test_a_plan_is_the_cheapest(name: str, scratch: bool) -> None:
    """Guards least cost by going through gold pairs one by one, and every number of the plan by what it means."""
    p = PROSPECTS[name]
    p = replace(p, topics=0, gold_relevant=0, gold_nonrelevant=0) if scratch else p
    d = 0.6 * (found_already(PROSPECTS[name]) or 0)
    plan = plan_labels(p, d)
    n, r, s = sizes = (plan.topics, plan.gold_relevant, plan.gold_nonrelevant)
    assert plan.power == pytest.approx(by_hand(p, d, sizes), abs=1e-9)
    assert plan.power >= 0.8
    least = max(2, p.topics)
    if p.gold_share is not None:
        least = max(least, math.ceil((r + s) / (p.labels_per_topic * p.gold_share)))
    assert n >= least
    assert n == least or by_hand(p, d, (n - 1, r, s)) < 0.8
    assert min(r, s) >= LEAST_OF_A_KIND
    assert plan.new_bronze_labels == max(0, n - p.topics) * 20
    assert plan.new_gold_labels == max(0, r - p.gold_relevant) + max(0, s - p.gold_nonrelevant)
    assert plan.bronze_cost == pytest.approx(plan.new_bronze_labels * p.cost_bronze)
    assert plan.gold_cost == pytest.approx(plan.new_gold_labels * p.cost_gold)
    parts = [p.fixed_r + d**2 * p.v_r / p.D**2, p.fixed_n + d**2 * p.v_n / p.D**2]
    topics, gold = max(p.topic_variance, 0) / p.D**2 / n, parts[0] / r + parts[1] / s
    assert plan.shares == pytest.approx((topics / (topics + gold), gold / (topics + gold)))
    assert plan.cost <= 1.01 * cheapest(p, d) + p.cost_gold


def cheapest(p: Prospect, d: float) -> float:
    """The least cost over some numbers of gold pairs, each with the fewest topics that do."""
    step, best = int(p.gold_topic or 1), math.inf
    have = int(p.gold_relevant), int(p.gold_nonrelevant)
    for drawn in sorted({step * round(x) for x in np.geomspace(1, 4000, 50) / step} | {0}):
        if p.relevant is not None:
            r, s = (math.ceil(h + drawn * x - 1e-9) for h, x in zip(have, (p.relevant, 1 - p.relevant), strict=True))
        else:
            wr, ws = (math.sqrt(f + d**2 * v / p.D**2) for f, v in ((p.fixed_r, p.v_r), (p.fixed_n, p.v_n)))
            r, s = (max(math.ceil(drawn * w / (wr + ws) - 1e-9), h) for w, h in ((wr, have[0]), (ws, have[1])))
        if min(r, s) < LEAST_OF_A_KIND or (p.gold_topic and (r + s) / p.gold_topic < LEAST_GOLD_TOPICS):
            continue
        low = max(2, p.topics)
        low = low if p.gold_share is None else max(low, math.ceil((r + s) / (20 * p.gold_share) - 1e-9))
        topics = bisect.bisect_left(range(low, 20_000), 0.8, key=lambda n: by_hand(p, d, (n, r, s)))
        if by_hand(p, d, (low + topics, r, s)) >= 0.8:
            cost = (low + topics - p.topics) * 20 * p.cost_bronze + (r - have[0] + s - have[1]) * p.cost_gold
            best = min(best, cost)
    return best


def test_power_asked_for_must_be_one() -> None:
    """Guards both ends of power and confidence: above the level of the test, below 1."""
    plan_labels(PLAIN, 0.2, power=0.03)
    for power, said in ((0.02, "below the level"), (0.0, "between 0 and 1"), (1.0, "between 0 and 1")):
        with pytest.raises(tg.TruegainError, match=said):
            plan_labels(PLAIN, 0.2, power=power)


def test_parts_of_the_prospect_are_the_variance_of_the_test() -> None:
    """Guards the prospect of random gold: topics and gold pairs bring the variance that the test finds, to 1e-9."""
    runs, bronze, gold = study(3, topics=30)
    seen = {t: {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 4 == 0} for t, row in gold.items()}
    p = tg.plan(runs, bronze, seen, "P@10", design="random", detect=0.05, cost_bronze=0.01, cost_gold=1).prospect
    rows = [(int(t), bronze[t][d], seen[t].get(d, math.nan), d) for t, row in bronze.items() for d in row]
    topic, said, right = (np.array([r[i] for r in rows], np.float64) for i in (0, 1, 2))
    top = {s: np.array([r[3] in {f"{s}{i}" for i in range(10)} for r in rows]) / 10 for s in "ab"}
    drawn = ~np.isnan(right)
    expansion = np.full(len(rows), len(rows) / drawn.sum())
    pairs = SampledPairs(topic.astype(np.int64), strata_of(said, drawn), said, right, expansion, 30)
    se = told(by_pairs(pairs, top["a"], top["b"]), 1, 0).se
    found = p.topic_variance / p.topics + p.fixed_r / p.gold_relevant + p.fixed_n / p.gold_nonrelevant
    assert found == pytest.approx(se**2, rel=1e-9)
    assert p.gold_relevant + p.gold_nonrelevant == pytest.approx(drawn.sum())
    assert p.relevant == pytest.approx((right[drawn].sum() + 0.5) / (drawn.sum() + 1))
    assert (p.topics, p.labels_per_topic, p.gold_share) == (30, 40, 1.0)
    assert (p.D, p.v_r, p.v_n) == (1.0, 0.0, 0.0)  # no rate is inverted


# ---------------------------------------------------------------------- the report


@pytest.mark.parametrize("wanted", [0.003, 0.02, 0.05, 0.3])
@pytest.mark.parametrize("already", [None, 0.01, 0.2])
def test_differences_listed(wanted: float, already: float | None) -> None:
    """Guards the rows of the table: round numbers below one and a half times the larger anchor, and the one wanted."""
    listed = _listed(wanted, already, 0.25)
    high = min(1.5 * max(wanted, already or 0), 0.25)
    others = [x for x in listed if x != wanted]
    assert listed == sorted(listed)
    assert wanted in listed
    assert max(others) <= high * 1.001
    every = [round(m * 10.0**e, 12) for e in range(-6, 1) for m in NICE]
    assert set(others) <= set(every)
    nice = sorted((x for x in every if x <= high * 1.001), reverse=True)
    least = 0.5 * min(wanted, already or wanted)
    enough = min(max(9, sum(x >= least for x in nice)), 14)
    assert set(others) | {wanted} == {*nice[:enough], wanted}


def test_which_difference_is_planned_for() -> None:
    """Guards the difference: the one asked for up to the largest possible, else the one so far if there is one."""
    seen = Outlook(PLAIN, -0.04, 0.01, 20.0, 0.5, "test")
    assert _wanted(seen, None, "P@10") == 0.04
    assert _wanted(seen, 0.5, "P@10") == 0.5
    assert _wanted(replace(seen, difference=1e-4), None, "P@10") == 1e-4
    for other, detect, said in (
        (seen, 0.501, "cannot differ by more than 0.5"),
        (seen, 0.0, "must be above 0"),
        (replace(seen, difference=9e-5), None, "say which one matters"),
    ):
        with pytest.raises(tg.TruegainError, match=said):
            _wanted(other, detect, "P@10")


# ---------------------------------------------------------------------- the next batch


def batch_of(design: str, size: int, seen: dict[str, dict[str, int]]) -> list[tuple[str, str]]:
    """The pairs of the next batch."""
    runs, bronze, _ = study(0, topics=20)
    found = tg.plan(runs, bronze, seen, "P@10", design=design, detect=0.1, batch=size, cost_bronze=0.01, cost_gold=1)
    assert found.batch is not None
    return list(zip(found.batch.topic.strings(), found.batch.docs.strings(), strict=True))


def test_whole_topics_are_no_more_than_asked_for() -> None:
    """Guards how many topics are sent: the fewest that hold the size asked for, not one more."""
    gold = study(0, topics=20)[2]
    some = {t: row for t, row in gold.items() if int(t) < 9}
    for size, topics in ((1, 1), (40, 1), (41, 2), (80, 2), (81, 3), (10_000, 11)):
        sent = Counter(t for t, _ in batch_of("topics", size, some))
        assert (len(sent), set(sent.values())) == (topics, {40})


def test_a_batch_takes_from_where_its_design_says() -> None:
    """Guards where pairs come from: all that are labelled, or what is retrieved where the measure looks."""
    _, bronze, gold = study(0, topics=20)
    some = {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 5 == 0} for t, row in gold.items()}
    anywhere, looked_at = batch_of("random", 10_000, some), batch_of("by-gold", 10_000, some)
    left = {(t, d) for t, row in bronze.items() for d in row if d not in some[t]}
    assert sorted(anywhere) == sorted(left)
    assert sorted(looked_at) == sorted((t, d) for t, d in left if int(d[1:]) < 10)
    assert anywhere != sorted(anywhere)
    ones = [bronze[t][d] for t, d in batch_of("by-bronze", 60, some)]
    share = np.mean([bronze[t][d] for t, row in some.items() for d in row])
    for stop in range(1, 61):  # wherever judging stops, each label has had its rate
        assert abs(sum(ones[:stop]) - share * stop) <= 1
    assert len(batch_of("by-bronze", 10_000, some)) == len(left)
