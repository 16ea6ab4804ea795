"""What a plan of labels starts from: the parts of the variance, taken from small studies by plain sums."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

import truegain as tg
from tests.inference.test_label_plan import corrected, drawn, world
from tests.worlds import EBAY, study
from truegain.inference.labels.prospect import _alike, _of_topics_and_errors, _relevant

COSTS = {"cost_bronze": 0.01, "cost_gold": 1.0, "detect": 0.05}


def test_one_accuracy_for_both() -> None:
    """Guards the prospect of a judge known by counts: D, the variance over topics, and what there is."""
    runs, bronze, _ = study(2, topics=25)
    found = tg.plan(runs, bronze, EBAY, "P@10", **COSTS)  # type: ignore[arg-type]
    p = found.prospect
    differences = [
        sum(row[f"b{i}"] for i in range(10)) / 10 - sum(row[f"a{i}"] for i in range(10)) / 10 for row in bronze.values()
    ]
    assert pytest.approx(43 / 59 + 67 / 84 - 1) == p.D
    assert p.topic_variance == pytest.approx(statistics.variance(differences), rel=1e-9)
    assert (p.topics, p.gold_relevant, p.gold_nonrelevant) == (25, 59, 84)
    assert p.v_r / 59 == pytest.approx(EBAY.rates(0.5, 0.0, 1.0).v_r)
    assert p.v_n / 84 == pytest.approx(EBAY.rates(0.5, 0.0, 1.0).v_n)
    assert (p.fixed_r, p.fixed_n, p.moderated, p.gold_share) == (0.0, 0.0, False, None)
    assert p.labels_per_topic == 20  # ten documents of each system where P@10 looks
    assert found.largest == pytest.approx(1.0)
    deep = tg.plan(runs, bronze, EBAY, "DCG@3", **COSTS)  # type: ignore[arg-type]
    assert deep.largest == pytest.approx(sum(1 / math.log2(i + 1) for i in (1, 2, 3)))


def test_a_plan_is_for_two_systems_that_differ() -> None:
    """Guards what cannot be planned: one system, three, or the same one twice."""
    runs, bronze, _ = study(2, topics=10)
    for some, said in (
        ({"a": runs["a"]}, "two systems, and there is one"),
        ({**runs, "c": runs["a"]}, "are 3"),
        ({"a": runs["a"], "c": runs["a"]}, "same scores everywhere"),
    ):
        with pytest.raises(tg.TruegainError, match=said):
            tg.plan(some, bronze, EBAY, "P@10", **COSTS)  # type: ignore[arg-type]


@pytest.mark.parametrize("design", ["random", "by-bronze", "topics", "by-gold"])
def test_no_rate_is_inverted_where_gold_sets_scores_right(design: str) -> None:
    """Guards the prospects of gold of the same population: D is 1, and gold pairs bring variance whatever differs."""
    runs, bronze, gold = study(1, topics=24)
    seen = {t: row if design == "topics" else {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 3 == 0}
            for t, row in gold.items() if design != "topics" or int(t) % 2 == 0}  # fmt: skip
    p = tg.plan(runs, bronze, seen, "P@10", design=design, **COSTS).prospect  # type: ignore[arg-type]
    assert (p.D, p.v_r, p.v_n) == (1.0, 0.0, 0.0)
    assert min(p.fixed_r, p.fixed_n) > 0
    assert p.topics == 24


def test_share_of_relevant_gold() -> None:
    """Guards the share, kept off 0 and 1 by half a pair at either end; pairs without gold do not count."""
    assert _relevant(np.array([1.0, 0.0, np.nan, 2.0]), 1.0) == pytest.approx(2.5 / 4)
    assert _relevant(np.array([1.0, 0.0, np.nan, 2.0]), 2.0) == pytest.approx(1.5 / 4)
    assert _relevant(np.array([0.0, np.nan]), 1.0) == pytest.approx(0.25)


@pytest.mark.parametrize("icc", [0.0, 0.3])
def test_how_alike_gold_pairs_of_a_topic_are(icc: float) -> None:
    """Guards likeness, label by label: its estimate over topics, and the shrinkage of James and Stein."""
    rng = np.random.default_rng(8)
    topics = 300
    counts = rng.integers(0, 7, (topics, 3)).astype(np.float64)
    counts[:, 2] = rng.random(topics) < 0.5  # never two of this label
    shared = math.sqrt(icc) * rng.normal(size=(topics, 3)) * counts
    moves = shared + math.sqrt(1 - icc) * rng.normal(size=(topics, 3)) * np.sqrt(counts)
    independent = counts.sum(axis=0)
    found = _alike(moves, counts, independent, topics)
    for label in range(2):
        n = counts[:, label].tolist()
        others = sum(x * x for x in n) / sum(n) - 1
        seen = sum(x * x for x in moves[:, label].tolist()) * topics / (topics - 1)
        plain = (seen / sum(n) - 1) / others
        kept = max(0.0, 1 - 2 / topics / others**2 / plain**2)
        assert found[label] == pytest.approx(min(max(plain * kept, -0.5), 1.0), rel=1e-9)
        assert found[label] == pytest.approx(icc, abs=0.08)
    assert found[2] == 0
    assert (_alike(0 * moves, counts, np.zeros(3), topics) == 0).all()
    assert _alike(10 * moves, counts, independent, topics)[0] == 1.0
    assert _alike(moves / 10, counts, independent, topics)[0] >= -0.5


def test_the_part_of_topics_and_errors() -> None:
    """Guards the variance that goes with 1/n where gold is of the documents scored: its sum, and its floor."""
    rng = np.random.default_rng(6)
    gold, bronze = world(rng, 80, 0.1, 0.6)
    keep = drawn(rng, gold, "by-gold", 400, 600)
    both = corrected(gold, bronze, keep, slice(0, 10))  # in a difference of two the likeness cancels
    alike = _alike(both.gold.moves, both.gold.counts, both.gold.of_pairs(), len(both.gold.topics))
    assert alike.min() > 0.05  # else nothing below depends on it
    bronze_variance = 80 * 80 / 79 * sum(x * x for x in both.moves.tolist())
    for v, documents in (((0.002, 0.003), (11.0, 9.0)), ((0.4, 0.5), (0.5, 3.0))):
        a = bronze_variance
        floor = 0.05 * bronze_variance
        for value, k, r in zip(v, documents, alike.tolist(), strict=True):
            a += value * r - 2 * value * (1 + max(k - 1, 0) * r) / k
            floor -= value * (1 - r) / k
        found = _of_topics_and_errors(both, np.array(v), np.array(documents))
        assert found == pytest.approx(max(a, floor), rel=1e-9)
        assert (a > floor) == (v[0] < 0.1)  # both cases are seen
