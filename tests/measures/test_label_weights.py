"""Labels as classes: what each weighs, and the share of a score that rests on no label."""

from __future__ import annotations

import math

import numpy as np
import pytest

import truegain as tg
from tests.worlds import study
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.errors import MeasureError
from truegain.measures.catalogue import parse_measure
from truegain.measures.label_weights import label_weights, level_of, levels_of, tell_unjudged


@pytest.mark.parametrize(("topics", "told"), [(39, True), (50, False)])
def test_a_share_that_is_shown_as_nothing(topics: int, told: bool, recwarn: pytest.WarningsRecorder) -> None:
    """Guards the least share told: one place of 1,950 (0.051%) is, one of 2,500 is not."""
    labels = {str(t): {f"d{i}": i % 2 for i in range(50) if (t, i) != (3, 20)} for t in range(topics)}
    runs = {"a": {str(t): {f"d{i}": float(-i) for i in range(50)} for t in range(topics)}}
    tell_unjudged(aligned(runs, labels, Scoring()), parse_measure("P@50"))
    assert [("0.1% of what it counts" in str(w.message)) for w in recwarn] == [True] * told


@pytest.mark.parametrize("measure", ["P@4", "DCG@9", "P(rel=3)@5", "AP", "nDCG@3"])
def test_a_share_by_hand(measure: str, recwarn: pytest.WarningsRecorder) -> None:
    """Guards the share over lists of all lengths, one of them missing, place by place."""
    rng = np.random.default_rng(8)
    labels = {str(t): {f"d{i}": int(i == 0) for i in range(12) if rng.random() < 0.6} for t in range(5)}
    lengths = {("a", 0): 2, ("a", 1): 12, ("a", 2): 5, ("a", 3): 4, ("b", 0): 1, ("b", 1): 3, ("b", 4): 9, ("a", 4): 6}
    runs: dict[str, dict[str, dict[str, float]]] = {"a": {}, "b": {}}
    for (name, t), n in lengths.items():
        runs[name][str(t)] = {f"d{i}": float(-i) for i in range(n)}
    ranked = aligned(runs, labels, Scoring())
    recwarn.clear()
    one = parse_measure(measure)
    tell_unjudged(ranked, one)
    depth = {"P@4": 4, "DCG@9": 9, "P(rel=3)@5": 5, "nDCG@3": 3, "AP": 0}[measure]
    seen = [(1 / math.log2(i + 2) if measure == "DCG@9" else 1.0, f"d{i}" in labels[str(t)])
            for (_, t), n in lengths.items() for i in range(min(n, depth))]  # fmt: skip
    if not seen:
        assert len(recwarn) == 0
        return
    share = 1 - sum(x for x, judged in seen if judged) / sum(x for x, _ in seen)
    assert f"{one}: {share:.1%} of what it counts" in str(recwarn[0].message)


RUNS, BRONZE, GOLD = study(3, topics=12, docs=6)


def test_labels_as_classes() -> None:
    """Guards weights by class: their sum times value is the measure, up to twelve classes; levels of measures."""
    labels = {t: {d: i % 13 for i, d in enumerate(row)} for t, row in GOLD.items()}
    ranked = aligned(RUNS, labels, Scoring())
    measure = parse_measure("DCG@5")
    twelve = tuple(float(x) for x in range(12))
    found = label_weights(ranked, measure, twelve)
    assert (found.weight @ found.value) == pytest.approx(measure.score(ranked))
    assert found.judged.tolist() == [60, 60]
    with pytest.raises(MeasureError, match="13 different labels"):
        label_weights(ranked, measure, (*twelve, 12.0))
    binary = label_weights(ranked, parse_measure("P(rel=2)@5"), (*twelve, 12.0), level=2.0)
    assert binary.classes == (0.0, 1.0)
    assert (binary.weight @ binary.value) == pytest.approx(parse_measure("P(rel=2)@5").score(ranked))
    assert [level_of(parse_measure(m)) for m in ("P@3", "P(rel=3)@3", "DCG@3", "RBP(rel=2)")] == [1.0, 3.0, None, 2.0]
    assert (levels_of("DCG@3", None), levels_of("P(rel=2)@3", 3.0)) == ((1.0, 1.0), (2.0, 3.0))


@pytest.mark.parametrize("measure", ["P@5", "RBP(p=0.5)", "AP@5", "P(judged_only=True)@5"])
def test_the_share_without_a_label(measure: str, recwarn: pytest.WarningsRecorder) -> None:
    """Guards the share told: by rank weights, or by places down to the cutoff; nothing where judged ones count."""
    holes = {t: {d: g for d, g in row.items() if d not in ("a0", "b3")} for t, row in BRONZE.items()}
    one = parse_measure(measure)
    tg.correct(RUNS, holes, one, gold=tg.Gold(GOLD, design="topics"), unmatched="drop")
    said = [str(w.message) for w in recwarn if "has no bronze label and is" in str(w.message)]
    if "judged_only" in measure:
        assert not said
        return
    weight = np.array([0.5**i for i in range(6)]) if "RBP" in measure else np.array([1, 1, 1, 1, 1, 0])
    share = (weight[0] + weight[3]) / (2 * weight.sum())
    assert said[0].startswith(f"{one}: {share:.1%} of what it counts")
