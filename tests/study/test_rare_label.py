"""Few gold labels of a bronze label that is seldom relevant and stands for many documents: scores of these topics."""

from __future__ import annotations

import numpy as np
import pytest

import truegain as tg
from truegain.judge_error.pair_estimators import PairFit, SampledPairs
from truegain.stats.student_t import wilson

TOPICS, DOCS, TOP = 10, 40, 10
Labels = dict[str, dict[str, int]]


def test_one_label_has_wilsons_limits() -> None:
    """Guards the sum over labels: with one, and all documents alike, these are Wilson's limits of the share.

    n/(1 - f) gold values: what is drawn without replacement says more.
    """
    rng = np.random.default_rng(2)
    gold = np.full(200, np.nan)
    drawn = rng.permutation(200)[:60]
    gold[drawn] = rng.random(60) < 0.1
    topic, bronze = np.repeat(np.arange(20), 10), np.zeros(200)
    pairs = SampledPairs(topic, bronze.astype(int), bronze, gold, np.full(200, 200 / 60), 20)
    fit, share = PairFit.of(pairs, np.full((1, 200), 0.1)), np.nanmean(gold)
    down, up = fit.by_stratum(np.array([2.0]))
    low, high = wilson(share, 60 / (1 - 60 / 200), 2.0)
    assert (float(down[0]), float(up[0])) == pytest.approx((share - float(low), float(high) - share))


def test_a_label_without_gold_of_a_system_may_be_anything() -> None:
    """Guards what is only predicted: a system with a document of a label without gold there is less sure."""
    topic, bronze = np.repeat(np.arange(10), 4), np.tile([1.0, 1.0, 0.0, 0.0], 10)
    gold = np.where(np.tile([True, False, False, True], 10), bronze, np.nan)
    gold[::8] = 0.0
    pairs = SampledPairs(topic, bronze.astype(int), bronze, gold, np.full(40, 2.0), 10)
    seen, unseen = np.tile([0.5, 0.5, 0.0, 0.0], 10), np.tile([0.4, 0.4, 0.2, 0.0], 10)
    down, up = PairFit.of(pairs, np.stack([seen, unseen])).by_stratum(np.full(2, 2.0))
    assert up[1] > up[0]
    assert up[1] ** 2 > 0.9 * (0.2 * 0.4) ** 2
    assert (down > 0).all()


def world(seed: int) -> tuple[dict[str, dict[str, dict[str, float]]], np.ndarray, np.ndarray]:
    """Three systems, what is relevant, and what a judge right in 80% says of it."""
    rng = np.random.default_rng(seed)
    truth = rng.random((TOPICS, DOCS)) < rng.beta(1, 2, size=(TOPICS, 1))
    said = np.where(rng.random(truth.shape) < 0.8, truth, ~truth)
    runs = {
        name: {str(t): {f"d{j}": float(x) for j, x in enumerate(lean * row + rng.normal(size=DOCS))}
               for t, row in enumerate(truth)}
        for name, lean in (("a", 0.3), ("b", 0.6), ("c", 1.5))
    }  # fmt: skip
    return runs, truth, said


def labels_of(table: np.ndarray, at: np.ndarray) -> Labels:
    """Labels of some documents, numbered through."""
    found: Labels = {}
    for i in at.tolist():
        found.setdefault(str(i // DOCS), {})[f"d{i % DOCS}"] = int(table.ravel()[i])
    return found


@pytest.mark.slow
def test_scores_hold_where_few_labels_stand_for_many() -> None:
    """Guards the limits: with 20 gold labels of some 250 called not relevant, 93% or more of them hold the truth.

    Value +- t sqrt(V) held .82-.87: V is small where the few labels miss what is relevant, and so is the value.
    """
    runs, truth, said = world(8)
    every = np.arange(truth.size)
    true = [e.value for e in tg.Study(runs, labels_of(truth, every), "P@10").estimates()]
    bronze, rng, inside, widths = labels_of(said, every), np.random.default_rng(1), [], []
    for _ in range(40):
        kinds = ((said.ravel(), 80), (~said.ravel(), 20))
        drawn = np.concatenate([rng.choice(np.flatnonzero(which), n, replace=False) for which, n in kinds])
        study = tg.Study(
            runs, bronze, "P@10", population="fixed", gold=tg.Gold(labels_of(truth, drawn), design="by-bronze")
        )
        told = [(e, t) for e, t in zip(study.estimates(), true, strict=True) if not e.refused]
        inside += [e.low <= t <= e.high for e, t in told]
        widths += [e.high - e.low for e, _ in told]
    assert np.mean(inside) >= 0.93
    assert np.mean(widths) < 0.5
