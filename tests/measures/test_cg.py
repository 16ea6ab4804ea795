"""Cumulated gain."""

from __future__ import annotations

import numpy as np
import pytest

import truegain as tg
from tests.worlds import there
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
