"""What must hold for any data."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truegain as tg

DOCS = [f"d{i:02d}" for i in range(12)]
labels = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1)
rankings = st.permutations(DOCS).flatmap(lambda order: st.integers(1, len(order)).map(lambda n: list(order)[:n]))
MEASURES = ["AP", "P@5", "R@5", "nDCG", "nDCG@5", "DCG@5", "RR", "Bpref", "Rprec", "infAP", "IPrec@0.3"]


def score(ranking: list[str], qrels: dict[str, float], *measures: str, **options: Any) -> dict[str, float]:
    """The scores of one list, best first; another has a judged document, without which the run is refused."""
    run = {"1": {doc: float(len(ranking) - i) for i, doc in enumerate(ranking)}, "2": {"z": 1.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        scores = tg.evaluate(run, {"1": qrels, "2": {"z": 0.0}}, list(measures), **options)
    return {name: float(scores.matrix(name)[0, 0]) for name in scores.measures}


@pytest.mark.slow
@given(rankings, labels, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_order_of_input_changes_nothing(
    ranking: list[str], qrels: dict[str, float], shuffle: random.Random
) -> None:
    """Guards against results that depend on how lines happen to stand in the files, to the last bit."""
    run = [(doc, float(len(ranking) - i)) for i, doc in enumerate([*ranking, "z"])]
    pairs = list({**qrels, "z": 0}.items())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        before = tg.evaluate({"1": dict(run)}, {"1": dict(pairs)}, MEASURES).means("run")
        shuffle.shuffle(run)
        shuffle.shuffle(pairs)
        after = tg.evaluate({"1": dict(run)}, {"1": dict(pairs)}, MEASURES).means("run")
    assert before == after


@pytest.mark.slow
@given(rankings, labels, st.floats(0.001, 1000))
@settings(max_examples=60, deadline=None)
def test_scaling_gains_leaves_ndcg_alone(ranking: list[str], qrels: dict[str, float], factor: float) -> None:
    """Guards real-valued gains: nDCG is a ratio."""
    scaled = {doc: label * factor for doc, label in qrels.items()}
    for measure in ("nDCG", "nDCG@5", "nDCG(dcg='jk')@5"):
        assert score(ranking, scaled, measure) == pytest.approx(score(ranking, qrels, measure), abs=1e-9)


@given(labels)
@settings(max_examples=40, deadline=None)
def test_perfect_order_scores_one(qrels: dict[str, float]) -> None:
    """Guards the normalizers: the ideal list is the best list."""
    ranking = sorted(qrels, key=lambda d: -qrels[d])
    expected = 1.0 if max(qrels.values()) > 0 else 0.0
    names = (
        "AP",
        "nDCG",
        "nDCG@3",
        "nDCG(dcg='exp-log2')@3",
        "Rprec",
        "RR",
        "Bpref",
        "RelP@3",
        "IPrec@1.0",
        "binG",
        "G",
    )
    for measure, value in score(ranking, qrels, *names).items():
        assert value == pytest.approx(expected), measure


@pytest.mark.slow
@given(rankings, labels, st.data())
@settings(max_examples=80, deadline=None)
def test_a_better_document_moved_up_never_hurts(
    ranking: list[str], qrels: dict[str, float], data: st.DataObject
) -> None:
    """Guards the direction of P, AP, DCG and RBP: swapping a better document up never lowers them."""
    i = data.draw(st.integers(0, len(ranking) - 1))
    j = data.draw(st.integers(0, len(ranking) - 1))
    upper, lower = min(i, j), max(i, j)
    gain = [max(qrels.get(d, 0), 0) for d in ranking]
    swapped = list(ranking)
    if gain[lower] > gain[upper]:
        swapped[upper], swapped[lower] = swapped[lower], swapped[upper]
    names = ("P@3", "P@5", "AP", "AP(rel=2)", "DCG", "DCG@4", "nDCG@5", "RBP", "RBP(rel=1,p=0.5)")
    before, after = score(ranking, qrels, *names), score(swapped, qrels, *names)
    for name in names:
        assert after[name] >= before[name] - 1e-12, name


def test_fractional_labels_are_not_cut() -> None:
    """Guards the case peers get wrong: labels 0.5 and 0.9 are gains, not zeros."""
    value = score(["a", "b"], {"a": 0.5, "b": 0.9}, "nDCG")["nDCG"]
    log3 = 1.584962500721156
    assert value == pytest.approx((0.5 + 0.9 / log3) / (0.9 + 0.5 / log3), abs=1e-12)
    assert score(["a", "b"], {"a": 0.5, "b": 1.0}, "AP(rel=0.5)")["AP(rel=0.5)"] == 1.0


def test_a_label_too_large_for_its_exponent_is_refused() -> None:
    """Guards against 2^2000: an overflow must not come out as a missing topic."""
    with pytest.raises(tg.MeasureError, match="overflows for label 2000"):
        score(["a"], {"a": 2000}, "nDCG(dcg='exp-log2')@10")
