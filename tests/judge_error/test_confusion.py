"""The judge's accuracy from gold pairs: pairing, weights, refits, refusals."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.judge_error.confusion import (
    Confusion,
    bias,
    bounded,
    corrected,
    corrected_mean,
    rates_variance,
    variance,
    worth_of,
)
from truegain.judge_error.gold_pairs import pair_up


def world(
    seed: int = 0, topics: int = 12, docs: int = 30
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """Bronze labels of all pairs, and what gold would say of them."""
    rng = np.random.default_rng(seed)
    gold = {str(t): {f"d{i}": int(rng.random() < 0.4) for i in range(docs)} for t in range(topics)}
    bronze = {t: {d: int(rng.random() < (0.85 if g else 0.25)) for d, g in row.items()} for t, row in gold.items()}
    return bronze, gold


def test_pairs_are_found_by_topic_and_document() -> None:
    """Guards the pairing: counts equal a plain loop over both dicts."""
    bronze, gold = world()
    sample = {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 3 == 0} for t, row in gold.items()}
    judge = tg.Judge.fit(bronze, sample, design="random")
    cells = [(g, bronze[t][d]) for t, row in sample.items() for d, g in row.items()]
    k_r, n_r = sum(c == (1, 1) for c in cells), sum(g for g, _ in cells)
    k_n, n_n = sum(c == (0, 0) for c in cells), sum(1 - g for g, _ in cells)
    assert judge.counts == (k_r, n_r, k_n, n_n)
    assert (judge.mR, judge.mN) == (k_r / n_r, k_n / n_n)
    assert pytest.approx(judge.D) == k_r / n_r + k_n / n_n - 1


def test_weights_are_copies() -> None:
    """Guards the weight-aware fit: a weight of 2 does what the pair standing twice would do."""
    bronze, gold = world(topics=4)
    rows = [(t, d, g) for t, row in gold.items() for d, g in row.items()]
    weights = np.arange(len(rows)) % 3
    frame = pl.DataFrame(rows, schema=["topic", "doc", "label"], orient="row")
    judge = tg.Judge.fit(bronze, frame, design="random", weights=weights)
    copies = [row for row, w in zip(rows, weights, strict=True) for _ in range(w)]
    assert judge.counts[1] == sum(g for _, _, g in copies)
    assert judge.counts[0] == sum(g and bronze[t][d] for t, d, g in copies)


def test_a_refit_with_topic_weights_is_the_fit_of_resampled_topics() -> None:
    """Guards `reweighted`, by which rows of weights are checked."""
    bronze, gold = world()
    judge = tg.Judge.fit(bronze, gold, design="random")
    weight = np.random.default_rng(3).multinomial(12, np.full(12, 1 / 12))
    again = judge.confusion.reweighted(weight)
    topics = [t for t, w in zip(judge.confusion.topics, weight, strict=True) for _ in range(w)]
    right = sum(bronze[t][d] for t in topics for d, g in gold[t].items() if g)
    assert again.matrix[1, 1] == pytest.approx(right / sum(g for t in topics for g in gold[t].values()))


def test_gold_drawn_by_bronze_label_is_reweighted() -> None:
    """Guards the by-bronze design: the weighted rates are those of the whole pool, the raw ones are not."""
    bronze, gold = world(seed=5, topics=200)
    whole = tg.Judge.fit(bronze, gold, design="random")
    rng = np.random.default_rng(1)
    sample = {
        t: {d: g for d, g in row.items() if rng.random() < (0.6 if bronze[t][d] else 0.1)} for t, row in gold.items()
    }
    weighted = tg.Judge.fit(bronze, sample, design="by-bronze")
    raw = tg.Judge.fit(bronze, sample, design="random")
    assert abs(weighted.mR - whole.mR) < 0.03 < abs(raw.mR - whole.mR)
    assert abs(weighted.mN - whole.mN) < 0.03 < abs(raw.mN - whole.mN)


def test_what_is_refused() -> None:
    """Guards the refusals: each names the fault, counts it and says what helps."""
    bronze, gold = world(topics=3)
    with pytest.raises(tg.TruegainError, match=r"how were the gold pairs sampled.*by-bronze"):
        tg.Judge.fit(bronze, gold)
    with pytest.raises(tg.InputError, match=r"1 of 91 gold pairs have no bronze label.*missing='drop'"):
        tg.Judge.fit(bronze, {**gold, "0": {**gold["0"], "new": 1}}, design="random")
    with pytest.raises(tg.InputError, match=r"2 of 90 labels are not on the scale 0, 1: 7 \(2 times\)"):
        tg.Judge.fit({**bronze, "0": {**bronze["0"], "d1": 7, "d2": 7}}, gold, design="random", scale=[0, 1])
    with pytest.raises(tg.InputError, match="no gold pair is relevant"):
        _ = tg.Judge.fit(bronze, {"0": {"d0": 0}}, design="random").counts
    with pytest.raises(tg.TruegainError, match="has no inverse"):
        Confusion.of_counts([[50, 50, 0], [50, 50, 0], [0, 0, 100]]).square()
    with pytest.warns(tg.DataWarning, match="1 gold pairs have no bronze label"):
        tg.Judge.fit(bronze, {**gold, "0": {**gold["0"], "new": 1}}, design="random", missing="drop")


def test_negative_labels_are_not_judged() -> None:
    """Guards pooled but unjudged documents: they are no pairs, and how many there are is told."""
    with pytest.warns(tg.DataWarning) as told:
        pairs = pair_up({"1": {"a": 1, "b": -1, "c": 0}}, {"1": {"a": 1, "b": 1, "c": -1}})
    assert (len(pairs), pairs.unjudged) == (1, 2)
    assert [str(w.message) for w in told] == [
        "1 of 3 gold pairs have a gold label below 0 (not judged) and are left out",
        "1 of 3 gold pairs have a bronze label below 0 (not judged) and are left out",
    ]


def test_gold_that_is_bronze_is_told() -> None:
    """Guards against the bronze file given as gold: a judge without an error is told, a good one is not."""
    bronze, gold = world(topics=4)
    with pytest.warns(tg.DataWarning, match="all 120 gold pairs have exactly the bronze label"):
        tg.Judge.fit(gold, gold, design="random")
    tg.Judge.fit(bronze, gold, design="random")


def test_binary_is_the_two_class_case_of_graded() -> None:
    """Guards eq. 24 against eq. 5 and 7: value and variance of a 2 x 2 matrix."""
    k_r, n_r, k_n, n_n, j = 43, 59, 67, 84, 0.6
    part = corrected_mean(Confusion.of_counts([[k_n, n_n - k_n], [n_r - k_r, k_r]]), [1 - j, j], [0, 1])
    v_r, v_n = rates_variance(k_r, n_r, k_n, n_n)
    assert part.value == pytest.approx(corrected(j, k_r / n_r, k_n / n_n))
    assert float((part.confusion.counts * part.influence() ** 2).sum()) == pytest.approx(
        variance(j, k_r / n_r, k_n / n_n, 0, v_r, v_n)
    )


def test_bias_to_second_order() -> None:
    """Guards section 3.8 against the mean of many draws."""
    rng, n, m_r, m_n, j = np.random.default_rng(0), 400, 0.8, 0.7, 0.5
    r, s = rng.binomial(n, m_r, 400_000) / n, rng.binomial(n, m_n, 400_000) / n
    seen = ((j - 1 + s) / (r + s - 1)).mean() - corrected(j, m_r, m_n)
    assert bias(j, m_r, m_n, m_r * (1 - m_r) / n, m_n * (1 - m_n) / n) == pytest.approx(seen, rel=0.15)


def test_the_boundary_estimate_is_the_constrained_maximum() -> None:
    """Guards section 3.6 against a search over the grid of allowed rates."""
    k, n, k_r, n_r, k_n, n_n = 60, 100, 17, 38, 210, 262
    found = bounded(k, n, k_r, n_r, k_n, n_n)
    grid = np.linspace(0.005, 0.995, 199)
    j, r, s = np.meshgrid(grid, grid, grid, indexing="ij")
    fit = sum(a * np.log(p) + (b - a) * np.log(1 - p) for a, b, p in ((k, n, j), (k_r, n_r, r), (k_n, n_n, s)))
    best = np.unravel_index(np.argmax(np.where((j <= r + 1e-12) & (j >= 1 - s - 1e-12), fit, -np.inf)), fit.shape)
    assert np.abs(grid[list(best)] - [found.j, found.m_r, found.m_n]).max() < 0.006
    assert (found.value, found.at) == (1.0, "one")
    assert bounded(5, 100, 30, 38, 200, 262).value == 0.0


def test_worth_solves_the_system() -> None:
    """Guards C a = v."""
    c = Confusion.of_counts([[70, 20, 10], [15, 60, 25], [5, 15, 80]])
    assert c.matrix @ worth_of(c, [0, 1, 3]) == pytest.approx([0, 1, 3])
