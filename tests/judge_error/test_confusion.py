"""The judge's accuracy from gold pairs: pairing, weights, refits, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

import truegain as tg
from truegain.judge_error import confusion as confusions
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
from truegain.judge_error.gold_pairs import Pairs, pair_up


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
    assert (judge.sensitivity, judge.specificity) == (k_r / n_r, k_n / n_n)
    assert pytest.approx(judge.informedness) == k_r / n_r + k_n / n_n - 1


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
    assert abs(weighted.sensitivity - whole.sensitivity) < 0.03 < abs(raw.sensitivity - whole.sensitivity)
    assert abs(weighted.specificity - whole.specificity) < 0.03 < abs(raw.specificity - whole.specificity)


def test_what_is_refused() -> None:
    """Guards the refusals: each names the fault, counts it and says what helps."""
    bronze, gold = world(topics=3)
    with pytest.raises(tg.TruegainError, match=r"how were the gold pairs sampled.*by-bronze"):
        tg.Judge.fit(bronze, gold)
    with pytest.raises(tg.InputError, match=r"1 of 91 gold pairs have no bronze label.*unmatched='drop'"):
        tg.Judge.fit(bronze, {**gold, "0": {**gold["0"], "new": 1}}, design="random")
    with pytest.raises(tg.InputError, match=r"2 of 90 labels are not on the scale 0, 1: 7 \(2 times\)"):
        tg.Judge.fit({**bronze, "0": {**bronze["0"], "d1": 7, "d2": 7}}, gold, design="random", scale=[0, 1])
    with pytest.raises(tg.InputError, match="no gold pair is relevant"):
        _ = tg.Judge.fit(bronze, {"0": {"d0": 0}}, design="random").counts
    with pytest.raises(tg.TruegainError, match="has no inverse"):
        Confusion.of_counts([[50, 50, 0], [50, 50, 0], [0, 0, 100]]).square()
    pairs = pair_up({"1": {"a": 1, "b": 0, "c": 1, "d": 0}}, {"1": {"a": 1, "b": 0, "c": 2, "d": 0}})
    with pytest.raises(tg.TruegainError, match="matrix of 3 labels has no inverse"):  # 2 is a gold label alone
        Confusion.fit(pairs).square()
    with pytest.warns(tg.DataWarning, match="1 gold pair has no bronze label"):
        tg.Judge.fit(bronze, {**gold, "0": {**gold["0"], "new": 1}}, design="random", unmatched="drop")


def test_negative_labels_are_not_judged() -> None:
    """Guards pooled but unjudged documents: they are no pairs, and how many there are is told."""
    with pytest.warns(tg.DataWarning) as caught:
        pairs = pair_up({"1": {"a": 1, "b": -1, "c": 0}}, {"1": {"a": 1, "b": 1, "c": -1}})
    assert (len(pairs), pairs.unjudged) == (1, 2)
    assert [str(w.message) for w in caught] == [
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


@pytest.mark.parametrize(("condition", "refused"), [(0.9e8, False), (0.6e8, False), (1.02e8, True)])
def test_from_when_on_a_matrix_has_no_inverse(condition: float, refused: bool) -> None:
    """Guards a condition number of 1e8: [[a, b], [b, a]] with a + b = 1 has 1/(a - b)."""
    a = 0.5 + 0.5 / condition
    made = Confusion.of_counts([[a, 1 - a], [1 - a, a]])
    assert made.condition == pytest.approx(condition, rel=1e-6)
    if refused:
        with pytest.raises(tg.TruegainError, match="no inverse"):
            made.square()
    else:
        assert made.square().gold == (0.0, 1.0)


def test_counts_that_are_no_table() -> None:
    """Guards refusals of counts, and that a single 0 is a count."""
    wrongs: list[Any] = [[1, 2], [[1, -1], [2, 3]], [[1, np.nan], [0, 1]], [[[1]]]]
    for wrong in wrongs:
        with pytest.raises(tg.TruegainError, match="counts must be a table"):
            Confusion.of_counts(wrong)
    made = Confusion.of_counts([[3, 0], [1, 4]])
    assert (made.pairs, made.clustered, made.topics) == (8, False, ())
    assert made.effective.tolist() == [3.0, 5.0]
    with pytest.raises(tg.InputError, match="no gold pair has gold label 1"):
        _ = Confusion.of_counts([[3, 1], [0, 0]]).matrix


def test_the_fit_pair_by_pair() -> None:
    """Guards counts, squares of weights and topics that have no pair, against a loop."""
    rng = np.random.default_rng(2)
    bronze = {f"t{t}": {f"d{i}": int(rng.integers(0, 3)) for i in range(9)} for t in range(5)}
    gold = {t: {d: int(np.clip(g + rng.integers(-1, 2), 0, 2)) for d, g in row.items()} for t, row in bronze.items()}
    gold["t2"] = dict.fromkeys(gold["t2"], -1)
    weights = rng.uniform(0.5, 2, 45)
    with pytest.warns(tg.DataWarning, match="9 of 45 gold pairs have a gold label below 0"):
        pairs = pair_up(bronze, gold, weights=weights)
    found = Confusion.fit(pairs)
    assert (found.topics, found.pairs, found.clustered) == (("t0", "t1", "t3", "t4"), 36, True)
    table, squares = np.zeros((5, 3, 3)), np.zeros((3, 3))
    for i, (t, d) in enumerate([(t, d) for t, row in gold.items() for d in row]):
        if gold[t][d] >= 0:
            table[int(t[1]), gold[t][d], bronze[t][d]] += weights[i]
            squares[gold[t][d], bronze[t][d]] += weights[i] ** 2
    assert found.table == pytest.approx(table[[0, 1, 3, 4]])
    assert found.squares == pytest.approx(squares)
    assert found.effective == pytest.approx(table.sum(axis=(0, 2)) ** 2 / squares.sum(axis=1))
    cut = found.binary(1, 2)
    assert cut.counts[1, 1] == pytest.approx(table[:, 2, 1:].sum())
    assert cut.squares == pytest.approx(
        np.array([[squares[:2, 0].sum(), squares[:2, 1:].sum()], [squares[2, 0], squares[2, 1:].sum()]])
    )
    again = found.reweighted([1, 0, 2, 1])
    assert again.counts == pytest.approx((table[[0, 1, 3, 4]] * np.array([1, 0, 2, 1])[:, None, None]).sum(axis=0))
    with pytest.raises(tg.TruegainError, match="one weight for each of the 4 gold topics"):
        found.reweighted([1, 0, 2])
    once = tg.Judge.fit({"1": {"a": 1, "b": 0}, "2": {"c": 1}}, {"1": {"a": 1, "b": 0}, "2": {"c": 0}}, design="random")
    assert once.confusion.reweighted([1, 3]).squares.tolist() == [[1.0, 3.0], [0.0, 1.0]]  # of cells with one pair each


def test_more_pairs_thought_to_be_there() -> None:
    """Guards the influence with pairs added to every bronze label: that of the matrix with these counts."""
    made = Confusion.of_counts([[30.0, 10.0], [5.0, 20.0]])
    part = corrected_mean(made, [0.3, 0.7], [0, 1])
    more = np.array([0.5, 1.5])
    counts = made.counts + more[:, None]
    total = counts.sum(axis=1)
    mean = (counts * part.worth).sum(axis=1) / total
    want = [[part.shares[g] / total[g] * (part.worth[b] - mean[g]) for b in (0, 1)] for g in (0, 1)]
    assert part.influence(more) == pytest.approx(np.array(want))
    assert part.influence(np.zeros(2)) == pytest.approx(part.influence())


def test_variance_and_bias_by_derivatives() -> None:
    """Guards eq. 7 and section 3.8 by numerical derivatives of eq. 5, and the judged share."""
    j, r, n, h = 0.65, 0.8, 0.7, 1e-4
    v_j, v_r, v_n = 0.01, 0.02, 0.03

    def at(*step: float) -> float:
        return corrected(j + step[0], r + step[1], n + step[2])

    first = [(at(*h * e) - at(*-h * e)) / (2 * h) for e in np.eye(3)]
    assert variance(j, r, n, v_j, v_r, v_n) == pytest.approx(float(np.array(first) ** 2 @ [v_j, v_r, v_n]), rel=1e-6)
    second = [(at(*h * e) - 2 * at(0, 0, 0) + at(*-h * e)) / h**2 for e in np.eye(3)[1:]]
    assert bias(j, r, n, v_r, v_n) == pytest.approx(float(np.array(second) @ [v_r, v_n]) / 2, rel=1e-4)
    assert rates_variance(30, 40, 10, 50) == pytest.approx((0.75 * 0.25 / 40, 0.2 * 0.8 / 50))
    assert corrected(j, r, n, 0.5) == pytest.approx((j - 0.5 * 0.3) / 0.5)


def some_pairs() -> Pairs:
    """Three topics, three labels, weights that are not whole."""
    rng = np.random.default_rng(4)
    n = 60
    topic, gold = rng.integers(0, 3, n), rng.integers(0, 3, n).astype(float)
    bronze = np.where(rng.random(n) < 0.7, gold, rng.integers(0, 3, n))
    return Pairs(("x", "y", "z"), topic, bronze, gold, rng.uniform(0.5, 2, n), {0.0: 0.3, 1.0: 0.3, 2.0: 0.4})


def test_the_matrix_pair_by_pair() -> None:
    """Guards counts, squares of weights and Kish's sizes against a loop, of all labels and cut at a level each."""
    pairs = some_pairs()
    whole = Confusion.fit(pairs)
    for made, g, b in (
        (whole, pairs.gold.astype(int), pairs.bronze.astype(int)),
        (whole.square(), pairs.gold.astype(int), pairs.bronze.astype(int)),
        (whole.binary(2, 1), (pairs.gold >= 1).astype(int), (pairs.bronze >= 2).astype(int)),
    ):
        counts, squares = np.zeros(made.counts.shape), np.zeros(made.counts.shape)
        for i, w in enumerate(pairs.weight):
            counts[g[i], b[i]] += w
            squares[g[i], b[i]] += w**2
        assert made.counts == pytest.approx(counts)
        assert made.squares == pytest.approx(squares)
        assert made.effective == pytest.approx(counts.sum(axis=1) ** 2 / squares.sum(axis=1))
        assert made.matrix.sum(axis=1) == pytest.approx(np.ones(len(counts)))
        assert made.gold == made.bronze == tuple(range(len(counts)))
    assert whole.effective.sum() < len(pairs)
    assert (whole.clustered, Confusion.of_counts([[1, 2], [3, 4]]).clustered) == (True, False)


def test_twelve_labels_make_a_matrix_and_thirteen_are_too_many() -> None:
    """Guards the most classes, and counts that are none."""
    assert len(Confusion.of_counts(np.eye(12)).square().gold) == 12
    with pytest.raises(tg.TruegainError, match="13 different labels"):
        Confusion.of_counts(np.eye(13)).square()
    assert Confusion.of_counts([[1, 0], [0, 1]]).matrix.tolist() == [[1, 0], [0, 1]]
    wrong: npt.ArrayLike
    for wrong in (np.ones(2), np.array([[1, -1], [0, 1]]), np.array([[1, math.nan], [0, 1]])):
        with pytest.raises(tg.TruegainError, match="table of numbers"):
            Confusion.of_counts(wrong)


def test_a_gold_pair_pulls_as_the_derivative_says() -> None:
    """Guards the influence of every cell at 1e-6 against 1 + epsilon pairs there, and with more thought there."""
    counts, f, v = np.array([[70.0, 20, 10], [15, 60, 25], [5, 15, 80]]), [0.5, 0.3, 0.2], [0.0, 1, 3]
    made = corrected_mean(Confusion.of_counts(counts), f, v)
    for g in range(3):
        for b in range(3):
            step = np.zeros((3, 3))
            step[g, b] = 1e-4
            ends = [corrected_mean(Confusion.of_counts(counts + s * step), f, v).value for s in (1, -1)]
            assert made.influence()[g, b] == pytest.approx((ends[1] - ends[0]) / 2e-4, rel=1e-6)
    more = np.array([1.0, 2.0, 0.5])
    found = made.influence(more)
    for g in range(3):
        there = counts[g] + more[g]
        mean = float(there @ made.worth) / there.sum()
        by_hand = [made.shares[g] * (a - mean) / there.sum() for a in made.worth]
        assert found[g] == pytest.approx(by_hand)


def test_rates_at_their_ends() -> None:
    """Guards the constrained estimates by hand below, above and exactly at both ends."""
    low = bounded(5, 100, 30, 40, 60, 80)
    both = (5 + 20) / (100 + 80)
    assert (low.j, low.m_r, low.m_n, low.value, low.at) == pytest.approx((both, 0.75, 1 - both, 0, "zero"))
    high = bounded(90, 100, 30, 40, 60, 80)
    both = (90 + 30) / (100 + 40)
    assert (high.j, high.m_r, high.m_n, high.value, high.at) == pytest.approx((both, both, 0.75, 1, "one"))
    assert (bounded(75, 100, 30, 40, 60, 80).at, bounded(75, 100, 30, 40, 60, 80).value) == ("inside", 1.0)
    assert (bounded(25, 100, 30, 40, 60, 80).at, bounded(25, 100, 30, 40, 60, 80).value) == ("inside", 0.0)
    assert bounded(40, 100, 30, 40, 60, 80).value == pytest.approx((0.4 - 0.25) / 0.5)


def test_a_variance_over_few_topics_is_moderated() -> None:
    """Guards the prior, written out: a judge whose accuracy varies as usual counts as 4 topics."""
    right, of = np.array([3.0, 5.0, 1.0]), np.array([4.0, 6.0, 5.0])
    moves, variance, df, _ = confusions._over_topics(right, of, 15.0, "relevant")
    share, m = (16 + 36 + 25) / 225, (15 * 0.6 + 1) / 17
    assert moves == pytest.approx((right - 0.6 * of) / 15)
    usual = m * (1 - m) * (1 / 15 + 0.2 * (share - 1 / 15))
    wanted = (float(moves @ moves) / share + 4 * usual) / (1 / share - 1 + 4)
    assert (variance, df) == pytest.approx((wanted, 1 / share + 3))
