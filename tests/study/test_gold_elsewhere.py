"""Gold labels of other topics: more topics do not shrink what they bring, and come without them."""

from __future__ import annotations

import numpy as np
import pytest

import truegain as tg
from truegain.study.precision import CurrentPrecision, cheapest, steps_of

NOW = CurrentPrecision({"topics": 0.0003, "gold": 0.0001}, topics=50, gold=100, away=True)
PRICES = {"topics": 5.0, "gold": 1.5}


def test_more_topics_leave_gold_of_other_topics() -> None:
    """Guards the formula: V(topics) T/T' + V(gold) G/G'."""
    assert NOW.after(topics=8) == pytest.approx(1.96 * np.sqrt(0.0003 / 8 + 0.0001))
    assert NOW.after(gold=4) == pytest.approx(1.96 * np.sqrt(0.0003 + 0.0001 / 4))
    assert NOW.after(topics=2, gold=3) == pytest.approx(1.96 * np.sqrt(0.0003 / 2 + 0.0001 / 3))


def test_a_topic_comes_without_gold() -> None:
    """Guards prices: 50 topics at 5 each, and no gold labels; where topics move nothing they are no step."""
    first = next(s for s in steps_of(NOW, 0.0, PRICES) if s.what == "topics")
    assert (first.more, first.cost) == (50, 250.0)
    only_gold = CurrentPrecision({"topics": 0.0, "gold": 0.0001}, topics=50, gold=100, away=True)
    assert {s.what for s in steps_of(only_gold, 0.0)} == {"gold"}


def test_the_cheapest_mix_buys_gold_and_topics_apart() -> None:
    """Guards the mix: it is as wide as it says, at its price, and no dearer than the best of a grid by hand."""
    found = cheapest(NOW, 0.025, PRICES)
    assert found is not None
    topics, gold = found.more.get("topics", 0), found.more.get("gold", 0)
    assert found.half == pytest.approx(NOW.after(topics=1 + topics / 50, gold=1 + gold / 100))
    assert found.half <= 0.025
    assert found.cost == pytest.approx(5 * topics + 1.5 * gold)
    by_hand = min(
        5 * t + 1.5 * g for t in range(0, 400, 2) for g in range(0, 800, 4)
        if NOW.after(topics=1 + t / 50, gold=1 + g / 100) <= 0.025
    )  # fmt: skip
    assert found.cost <= 1.05 * by_hand


def standing(topics: int, gold_topics: int, seed: int) -> CurrentPrecision:
    """What a difference stands on: a judge right in 80% of both kinds, measured on ten labels a topic elsewhere."""
    rng, bronze, runs = np.random.default_rng([seed, topics]), {}, {"a": {}, "b": {}}  # type: ignore[var-annotated]
    for t in map(str, range(topics)):
        truth = rng.random(30) < rng.beta(4, 6)
        said = np.where(rng.random(30) < 0.8, truth, ~truth)
        bronze[t] = {f"d{i}": int(x) for i, x in enumerate(said)}
        for name, lean in (("a", 0.3), ("b", 1.5)):
            runs[name][t] = {f"d{i}": float(x) for i, x in enumerate(lean * truth + rng.normal(size=30))}
    rng = np.random.default_rng([seed, gold_topics, 1])
    gold = {f"o{t}": {f"d{i}": int(rng.random() < 0.4) for i in range(10)} for t in range(gold_topics)}
    there = {t: {d: g if rng.random() < 0.8 else 1 - g for d, g in row.items()} for t, row in gold.items()}
    return tg.Study(runs, bronze, "P@10", gold=tg.Judge.fit(there, gold, design="elsewhere")).precision("a", "b")


@pytest.mark.slow
def test_predicted_widths_are_those_of_larger_studies() -> None:
    """Guards the plan: predicted over actual width within .85-1.15, for eight times the topics and four times the gold.

    Before, gold was divided by the topics: .47 of the actual width with eight times as many.
    """
    seeds = range(5)
    now, more, trusted = ([standing(*size, seed) for seed in seeds] for size in ((40, 16), (320, 16), (40, 64)))
    actual = {"topics": np.mean([s.half for s in more]), "gold": np.mean([s.half for s in trusted])}
    predicted = {"topics": np.mean([s.after(topics=8) for s in now]), "gold": np.mean([s.after(gold=4) for s in now])}
    for kind, half in actual.items():
        assert 0.85 < predicted[kind] / half < 1.15
