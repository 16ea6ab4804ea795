"""What a plan of labels starts from: topics that a system lacks, all topics gold, and the parts of the variance."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.inference.test_bite_labels import sampled
from tests.worlds import EBAY, Labels, Runs, study
from truegain.gains.confusion import Confusion
from truegain.gains.pair_fit import PairFit
from truegain.gains.sampled_pairs import SampledPairs, strata_of
from truegain.inference.corrections.comparison import compare_corrected
from truegain.inference.corrections.rectified import in_line
from truegain.inference.judges.panel import Judges
from truegain.inference.labels.prospect import Outlook, _behind, outlook_of
from truegain.measures.parse import parse_measure
from truegain.tables.judgments import Judgments


def seen_of(runs: Runs, bronze: Labels, judge: object, measure: str, design: Any = None) -> Outlook:
    """What a plan starts from."""
    one, table = parse_measure(measure), Judgments.of(bronze)
    judges = Judges.of(judge, table, one, design)
    ranked = in_line(runs, table, judges.rectifier("default"), "file", None)
    return outlook_of(ranked, judges.only("a plan"), one, cost_bronze=0.01, cost_gold=1.0)


def without(runs: Runs, topics: set[str], systems: str) -> Runs:
    """Runs of which some systems lack some topics."""
    return {s: {t: r for t, r in row.items() if s not in systems or t not in topics} for s, row in runs.items()}


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("design", ["random", "by-bronze", "topics", "elsewhere", None])
def test_topics_that_one_system_lacks_do_not_count(design: Any) -> None:
    """Guards a plan over topics that both systems answer: the same as where neither answers the others."""
    runs, bronze, gold = study(3, topics=24)
    judge: object = EBAY if design is None else sampled(gold)
    if design == "topics":
        judge = {t: row for t, row in gold.items() if int(t) % 2 == 0}
    one, both = (seen_of(without(runs, {"3", "4"}, which), bronze, judge, "P@10", design) for which in ("a", "ab"))
    assert one == both
    assert one.prospect.topics == 22


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_labels_that_a_topic_takes() -> None:
    """Guards how many documents a topic holds where the measure looks, by gold label too: ten of each system."""
    runs, bronze, gold = study(3, topics=24)
    p = seen_of(without(runs, {"3", "4"}, "a"), bronze, sampled(gold), "P@10", "by-gold").prospect
    assert (p.labels_per_topic, p.topics, p.relevant) == (20, 22, None)
    assert (p.gold_share, p.moderated) == (0.5, True)


@pytest.mark.parametrize("design", ["random", "by-bronze", "by-gold", "topics", "elsewhere"])
@pytest.mark.parametrize("measure", ["P@10", "DCG@5"])
def test_the_difference_so_far_is_that_of_compare(design: Any, measure: str) -> None:
    """Guards the sentence before the plan: difference and interval are what `compare` tells of the same labels."""
    runs, bronze, gold = study(5, topics=24)
    judge = {t: row for t, row in gold.items() if int(t) % 2 == 0} if design == "topics" else sampled(gold)
    found = seen_of(runs, bronze, judge, measure, design)
    told = compare_corrected(runs, bronze, judge, measure, design=design, trials=100).table().records()[0]
    ends = (told["difference"], told["low"], told["high"])
    assert (found.difference, *found.interval(0.95)) == pytest.approx(ends, rel=1e-9)
    assert found.test == told["test"]


@pytest.mark.filterwarnings("ignore:all 267 gold pairs have exactly")
def test_what_topics_and_what_gold_pairs_bring() -> None:
    """Guards A of random gold and both its limits, by residuals written out: predictions below, 90% of V above."""
    branches = set()
    for seed, right, every in ((4, (0.9, 0.8), 2), (3, (0.9, 0.8), 2), (0, (1.0, 1.0), 3), (2, (0.7, 0.6), 3)):
        runs, bronze, gold = study(seed, topics=20, m_r=right[0], m_n=right[1])
        judge = sampled(gold, every)
        found = seen_of(runs, bronze, judge, "P@10", "random")
        rows = [(int(t), d, bronze[t][d], judge[t].get(d, math.nan)) for t, row in bronze.items() for d in row]
        topic, said, right_ = (np.array([row[i] for row in rows], np.float64) for i in (0, 2, 3))
        drawn = ~np.isnan(right_)
        expansion = np.full(len(rows), len(rows) / drawn.sum())
        pairs = SampledPairs(topic.astype(np.int64), strata_of(said, drawn), said, right_, expansion, 20)
        m = PairFit.of(pairs, np.ones((1, len(rows)))).expected(np.ones((1, 20)))[0]
        worth, of_pairs, by_topic = m[pairs.topic, pairs.stratum], np.zeros(len(rows)), np.zeros(20)
        for system, sign in (("b", 1), ("a", -1)):
            top = np.array([row[1] in {f"{system}{i}" for i in range(10)} for row in rows])
            by_topic += sign * np.bincount(topic.astype(np.int64), top / 10 * worth, 20)
            residual = np.where(top & drawn, right_ - worth, 0.0)
            m = (top & drawn).sum()
            of_pairs += sign * np.where(top & drawn, (residual - residual.sum() / m) * 20 / m, 0.0)
        v, p = found.se**2, found.prospect
        rest, low = 20 * (v - float((of_pairs**2).sum()) / 400), float(np.var(by_topic, ddof=1))
        parts = {"rest": rest, "low": low, "high": 18 * v}
        expected = min(max(parts["rest"], parts["low"]), parts["high"])
        branches.add(next(k for k, x in parts.items() if x == expected))
        assert p.topic_variance == pytest.approx(expected, rel=1e-9)
        total = p.topic_variance / 20 + p.fixed_r / p.gold_relevant + p.fixed_n / p.gold_nonrelevant
        assert total == pytest.approx(v, rel=1e-9)
    assert branches == {"rest", "low", "high"}


def test_every_topic_is_gold() -> None:
    """Guards whole topics, all of them judged: bronze explains nothing more, and V = B/g is that of a t test."""
    runs, bronze, gold = study(6, topics=15)
    p = seen_of(runs, bronze, gold, "P@10", "topics").prospect
    d = [sum(row[f"b{i}"] - row[f"a{i}"] for i in range(10)) / 10 for row in gold.values()]
    assert (p.topics, p.topic_variance, p.gold_topic) == (15, 0.0, 40)
    assert p.gold_relevant + p.gold_nonrelevant == pytest.approx(15 * 40)
    variance = p.fixed_r / p.gold_relevant + p.fixed_n / p.gold_nonrelevant
    assert variance == pytest.approx(np.var(d, ddof=1) / 15, rel=1e-9)


def test_some_topics_are_gold() -> None:
    """Guards A and B: A/n + B/g is the variance of the test, and A + B that of gold differences over topics."""
    runs, bronze, gold = study(6, topics=30, m_r=0.98, m_n=0.97)
    judge = {t: row for t, row in gold.items() if int(t) % 3 == 0}
    found = seen_of(runs, bronze, judge, "P@10", "topics")
    p = found.prospect
    d = [sum(row[f"b{i}"] - row[f"a{i}"] for i in range(10)) / 10 for row in judge.values()]
    b = (p.fixed_r / p.gold_relevant + p.fixed_n / p.gold_nonrelevant) * 10
    assert p.topic_variance > b > 0
    assert p.topic_variance / 30 + b / 10 == pytest.approx(found.se**2, rel=1e-9)
    assert p.topic_variance + b == pytest.approx(np.var(d, ddof=1), rel=1e-9)
    assert (p.labels_per_topic, p.gold_topic, found.largest) == (40, 40, 1.0)


@pytest.mark.parametrize("design", ["topics", "random", "by-gold"])
def test_the_largest_difference_is_that_of_the_measure(design: Any) -> None:
    """Guards what may be asked for: what three relevant documents at the top bring, whatever was seen so far."""
    runs, bronze, gold = study(6, topics=30)
    judge = {t: row for t, row in gold.items() if int(t) % 2 == 0} if design == "topics" else sampled(gold)
    found = seen_of(runs, bronze, judge, "DCG@3", design)
    assert found.largest == pytest.approx(sum(1 / math.log2(i + 1) for i in (1, 2, 3)))


def test_gains_of_a_relevant_document_count() -> None:
    """Guards one accuracy for both where a relevant document is worth 3: variance 9 times that of worth 1."""
    runs, bronze, _ = study(2, topics=12)
    one, three = (seen_of(runs, bronze, EBAY, measure) for measure in ("DCG@5", "DCG(gains={1:3})@5"))
    assert three.prospect.topic_variance == pytest.approx(9 * one.prospect.topic_variance, rel=1e-9)
    assert (three.largest, three.difference) == pytest.approx((3 * one.largest, 3 * one.difference), rel=1e-9)


@pytest.mark.parametrize("binary", [True, False])
def test_gold_labels_behind_the_documents_scored(binary: bool) -> None:
    """Guards shares of gold labels, no less than 1%: the matrix inverted by hand, over topics that both answer."""
    weight = np.array([[[0.95, 0.05], [0.95, 0.05], [np.nan, np.nan]], [[0.4, 0.6], [0.6, 0.4], [9.0, 9.0]]])
    weights = SimpleNamespace(weight=2 * weight, value=np.array([0.0, 1.0]))
    both = np.array([True, True, False])
    lists: Any = SimpleNamespace(there=lambda *_: both, weights=weights, binary=binary)
    right, wrong = Confusion.of_counts([[80, 20], [10, 90]]), Confusion.of_counts([[60, 40], [50, 50]])
    graded = SimpleNamespace(square=lambda: wrong if binary else right)
    judge: Any = SimpleNamespace(binary=right if binary else wrong, confusion=graded)
    first = (0.95 * 0.9 - 0.05 * 0.1) / 0.7  # the other would be below 0
    low, high = 0.01 / (first + 0.01), (0.5 * 0.8 - 0.5 * 0.2) / 0.7
    expected = (low + high) / 2
    assert _behind(lists, [judge, judge]) == pytest.approx([1 - expected, expected], rel=1e-9)


@pytest.mark.parametrize("design", ["random", "topics"])
@pytest.mark.parametrize(("measure", "level"), [("P@10", 1), ("P(rel=2)@10", 2), ("DCG@5", 1)])
def test_the_share_of_relevant_gold_is_at_the_measures_level(design: str, measure: str, level: int) -> None:
    """Guards from which label on gold is relevant: the measure's own, 1 of a graded one, halves not."""
    runs, bronze, gold = study(4, topics=18)
    rng = np.random.default_rng(7)
    grades, right = (
        {
            t: {d: g * int(rng.integers(1, 4)) or float(rng.choice([0.0, 0.5])) for d, g in row.items()}
            for t, row in x.items()
        }
        for x in (bronze, gold)
    )  # type: Any, Any
    right = {t: row for t, row in right.items() if int(t) % 2} if design == "topics" else sampled(right)
    known = [g for row in right.values() for g in row.values()]
    found = seen_of(runs, grades, right, measure, design).prospect.relevant
    assert found == pytest.approx((sum(g >= level for g in known) + 0.5) / (len(known) + 1))
