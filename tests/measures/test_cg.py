"""Cumulated gain."""

from __future__ import annotations

import numpy as np
import pytest

import truegain as tg
from tests.worlds import there
from truegain.data.alignment import aligned
from truegain.measures.catalogue import parse_measure
from truegain.measures.dcg import nDCG
from truegain.measures.label_weights import linear_parts


def test_cumulated_gain_is_a_plain_sum() -> None:
    """Guards CG against a loop: cutoffs, gains of labels, negative labels and unjudged documents."""
    rng = np.random.default_rng(0)
    labels = {str(t): {f"d{i}": int(rng.integers(-1, 4)) for i in range(20)} for t in range(5)}
    run = {t: {f"d{i}": float(rng.random()) for i in range(25)} for t in labels}
    found = tg.evaluate(run, labels, ["CG", "CG@5", "CG(gains={3: 8})@5", "CG(judged_only=True)@5"])
    for t, scores in run.items():
        order = [labels[t].get(d, -1) for d in sorted(scores, key=lambda d: -scores[d])]
        judged = [x for x in order if x >= 0]
        by_hand = [
            sum(max(x, 0) for x in order),
            sum(max(x, 0) for x in order[:5]),
            sum(8 if x == 3 else max(x, 0) for x in order[:5]),
            sum(judged[:5]),
        ]
        values = [found.by_topic("run", m)[t] for m in found.measures]
        assert values == pytest.approx(by_hand)


def test_cumulated_gain_is_linear_in_gain() -> None:
    """Guards what a correction needs: every rank to the cutoff counts the same, a label is worth itself."""
    parts = linear_parts(tg.parse_measure("CG@3"), np.array([0.0, 1.0, 3.0]), 5)
    assert parts.weight.tolist() == [1, 1, 1, 0, 0]
    assert parts.worth(np.array([0.0, 3.0, 1.0])).tolist() == [0, 3, 1]
    ten = tg.evaluate({"1": {"a": 1.0}}, {"1": {"a": 1, "b": 1}}, ["CG@10", "P@10"]).means("run")
    assert ten["CG@10"] == pytest.approx(10 * there(ten["P@10"]))


def test_one_ideal_for_all_topics_is_the_mean_of_those_with_something_to_find() -> None:
    """Guards what stands for nDCG where it must be linear in gain: a topic with nothing relevant has no ideal."""
    qrels = {"1": {"a": 2, "b": 1}, "2": {"a": 1, "b": 0}, "3": {"a": 0, "b": 0}}
    runs = {"x": {t: {"a": 2.0, "b": 1.0} for t in qrels}}
    measure = parse_measure("nDCG@10")
    assert isinstance(measure, nDCG)
    plain, ideal = measure.over_one_ideal(aligned(runs, qrels, tg.Scoring()))
    assert str(plain) == "DCG@10"
    assert ideal == pytest.approx(((2 + 1 / np.log2(3)) + 1) / 2)
    nothing = {t: {"a": 0, "b": 0} for t in qrels}
    assert measure.over_one_ideal(aligned(runs, nothing, tg.Scoring()))[1] == 1.0
