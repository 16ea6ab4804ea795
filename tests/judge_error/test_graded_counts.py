"""A judge of graded labels from counts, and DCG corrected by it: values, bootstrap over pairs, what is refused."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import truegain as tg
from truegain.experiments.judge_labels import dcg_table, example_table
from truegain.judge_error.confusion import corrected_mean

COUNTS = np.array([[80, 10, 6, 4], [10, 70, 15, 5], [5, 15, 60, 20], [1, 4, 15, 80]])
TOPICS, DEPTH = 30, 5


@pytest.fixture(scope="module")
def world() -> tuple[Any, dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """A run of graded documents, the sixth unjudged, and others; bronze labels err by COUNTS."""
    rng = np.random.default_rng(4)
    docs = [*(f"d{i}" for i in range(DEPTH)), *(f"e{i}" for i in range(15))]
    gold = {str(t): {d: int(min(3, rng.geometric(0.4) - 1)) for d in docs} for t in range(TOPICS)}
    matrix = COUNTS / COUNTS.sum(axis=1, keepdims=True)
    bronze = {t: {d: int(rng.choice(4, p=matrix[g])) for d, g in row.items()} for t, row in gold.items()}
    runs = {"x": {t: {f"d{i}": -float(i) for i in range(DEPTH + 1)} for t in gold}}
    return runs, bronze, gold


def of(world: Any, gold: Any, measure: str = "DCG@5", **options: Any) -> tg.Estimate:
    """The corrected score of the run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: tg.Estimate = tg.correct(world[0], world[1], measure, gold=gold, **options)[0]
    return found


def test_dcg_by_counts_is_equation_25(world: Any) -> None:
    """Guards the value: shares of labels by rank, discounted, times the inverse matrix, times the labels."""
    f = np.zeros(4)
    for row in world[1].values():
        for i in range(DEPTH):
            f[row[f"d{i}"]] += 1 / np.log2(i + 2) / TOPICS
    judge = tg.Judge.from_graded_counts(COUNTS)
    inverse = np.linalg.inv(COUNTS / COUNTS.sum(axis=1, keepdims=True))
    assert of(world, judge).value == pytest.approx(f @ inverse @ np.arange(4))
    doubled = tg.Judge.from_graded_counts(COUNTS, labels=[0, 1, 2, 3], design="elsewhere")
    assert of(world, doubled, method="delta").value == pytest.approx(f @ inverse @ np.arange(4))


def test_counts_of_two_labels_are_those_of_a_binary_judge(world: Any) -> None:
    """Guards the binary case, and levels: precision from label 2 on has the rates of the cut table."""
    two = tg.Judge.from_graded_counts([[67, 17], [16, 43]])
    plain = tg.Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
    assert two.counts == plain.counts
    assert (two.design, two.levels) == (plain.design, plain.levels)
    graded = tg.Judge.from_graded_counts(COUNTS, relevant=2)
    k_r, k_n = int(COUNTS[2:, 2:].sum()), int(COUNTS[:2, :2].sum())
    assert graded.counts == (k_r, COUNTS[2:].sum(), k_n, COUNTS[:2].sum())
    assert tg.Judge.from_graded_counts(COUNTS).at_levels(2, None).counts == graded.counts
    assert plain.at_levels(2, None).counts == plain.counts  # labels 0 and 1 are cut already
    cut = tg.Judge.from_counts((k_r, COUNTS[2:].sum()), (k_n, COUNTS[:2].sum()))
    by_graded, by_cut = (of(world, judge, "P(rel=2)@5") for judge in (tg.Judge.from_graded_counts(COUNTS), cut))
    assert (by_graded.value, by_graded.se) == pytest.approx((by_cut.value, by_cut.se))


def test_the_example_of_figure_1() -> None:
    """Guards the worked example of section 4.2: (0, .5, .5)/log2 2 + (.5, 0, .5)/log2 3 for high, partly, not."""
    *ranks, summed = example_table().records()
    labels = ("highly relevant", "partly relevant", "not relevant")
    assert [[row[name] for name in labels] for row in ranks] == [[0, 0.5, 0.5], [0.5, 0, 0.5]]
    third = 1 / np.log2(3)
    assert [summed[name] for name in labels] == pytest.approx([0.5 * third, 0.5, 0.5 + 0.5 * third])
    assert example_table().notes[0] == "DCG@2 is 0.5655 by the bronze labels, 0.5655 corrected."
    judge = tg.Judge.from_graded_counts([[8, 1, 1], [2, 6, 2], [0, 1, 9]], [0, 0.5, 1])
    weight = np.array([0.5 + 0.5 * third, 0.5, 0.5 * third])
    value = weight @ np.linalg.inv(judge.matrix) @ [0, 0.5, 1]
    assert corrected_mean(judge.confusion, weight, [0, 0.5, 1]).value == pytest.approx(value)
    assert f"{value:.4f} corrected" in example_table(judge).notes[0]


@pytest.mark.few(2)
@pytest.mark.parametrize("known", ["counts", "pairs", "weighted"])
def test_a_bootstrap_over_pairs_draw_by_draw(world: Any, known: str) -> None:
    """Guards the paper's bootstrap: pairs and gold pairs drawn one by one here have the same standard error."""
    runs, bronze, gold = world
    rng = np.random.default_rng(8)
    pairs = [(g, b) for t in gold for g, b in zip(gold[t].values(), bronze[t].values(), strict=True)]
    weight = np.ones(len(pairs))
    judge = tg.Judge.from_graded_counts(COUNTS)
    if known == "counts":
        pairs = [(g, b) for g in range(4) for b in range(4) for _ in range(COUNTS[g, b])]
        weight = np.ones(len(pairs))
    else:
        weight = rng.choice([1.0, 3.0], len(pairs)) if known == "weighted" else weight
        judge = tg.Judge.fit(bronze, gold, "elsewhere", weights=weight if known == "weighted" else None)
    at_rank = np.array([[row[f"d{i}"] for row in bronze.values()] for i in range(DEPTH)])
    labels = np.array(pairs)
    draws = []
    for _ in range(1500):
        f = np.zeros(4)
        for i in range(DEPTH):
            f += np.bincount(rng.choice(at_rank[i], TOPICS), minlength=4) / np.log2(i + 2) / TOPICS
        drawn = rng.integers(0, len(labels), len(labels))
        table = np.zeros((4, 4))
        np.add.at(table, tuple(labels[drawn].T), weight[drawn])
        matrix = table / table.sum(axis=1, keepdims=True)
        assert np.linalg.cond(matrix) < 30
        draws.append(f @ np.linalg.solve(matrix, np.arange(4)))
    options: dict[str, Any] = {"method": "bootstrap", "clusters": "none", "resampling": tg.Resampling(n=4000)}
    found = of((runs, bronze), judge, "DCG@6", accuracy="given", **options)  # the sixth document is unjudged
    assert found.method == "bootstrap over pairs"
    assert found.se == pytest.approx(np.std(draws, ddof=1), rel=0.08)
    again = of((runs, bronze), judge, "DCG@6", accuracy="given", **options)
    assert again.se == found.se


def test_over_pairs_beside_over_topics(world: Any) -> None:
    """Guards the table of both: one value, three standard errors, those of `correct`."""
    runs, bronze, gold = world
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (row,) = dcg_table(runs, bronze, tg.Gold(gold, "by-gold"), "DCG@5", trials=300, accuracy="given").records()
    words: dict[str, Any] = {"method": "bootstrap", "resampling": tg.Resampling(n=300), "accuracy": "given"}
    judged = tg.Gold(gold, "by-gold")
    assert row["se over pairs"] == of(world, judged, clusters="none", **words).se
    assert row["se over topics"] == of(world, judged, **words).se
    assert row["value"] == of(world, judged, **words).value
    assert row["se over pairs"] != row["se over topics"]


def test_a_bootstrap_that_has_no_answer_is_told(world: Any) -> None:
    """Guards few gold pairs of a label: a row without that standard error, and why; without any answer an error."""
    runs, bronze, gold = world
    few = {t: {d: g for d, g in row.items() if g < 3 or t in ("1", "2")} for t, row in gold.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = dcg_table(runs, bronze, tg.Gold(few, "by-gold"), "DCG@5", trials=200, accuracy="given")
        with pytest.raises(tg.TruegainError, match="is not linear"):
            dcg_table(runs, bronze, tg.Gold(gold, "by-gold"), "nDCG@5", trials=200)
    (row,) = table.records()
    assert isinstance(row["se by formula"], float)
    assert row["se over topics"] is None
    assert any("over topics" in note and "cannot be inverted soundly" in note for note in table.notes)


@pytest.mark.parametrize(
    ("counts", "labels", "told"),
    [
        ([[1, 2, 3], [4, 5, 6]], None, r"the shape \(2, 3\): give a square table"),
        ([1, 2], None, "give a square table"),
        ({0: {0: 5}}, None, "counts are a dict, and a table of numbers is needed"),
        ([[1, "two"], [3, 4]], None, "counts are a list, and a table of numbers is needed"),
        ([[5]], None, "give a square table"),
        ([[5, 1], [1, -5]], None, "not negative"),
        ([[5, 1], [0, 0]], None, "no gold pair has gold label 1"),
        ([[5, 1], [1, 5]], [0, 1, 2], "give 2 ascending numbers"),
        ([[5, 1], [1, 5]], [1, 0], "give 2 ascending numbers"),
    ],
)
def test_counts_that_are_none(counts: Any, labels: Any, told: str) -> None:
    """Guards what is no table of counts."""
    with pytest.raises(tg.TruegainError, match=told):
        tg.Judge.from_graded_counts(counts, labels)


def test_labels_that_were_not_counted(world: Any) -> None:
    """Guards bronze labels beyond the counts, and a matrix without an inverse."""
    for judge in (tg.Judge.from_counts((40, 50), (40, 50)), tg.Judge.from_graded_counts(COUNTS[:3, :3])):
        with pytest.raises(tg.TruegainError, match="3 are not among those that the judge was counted on"):
            of(world, judge)
    with pytest.raises(tg.TruegainError, match="no inverse"):
        of(world, tg.Judge.from_graded_counts(np.ones((4, 4))))
    with pytest.raises(tg.TruegainError, match="design"):
        tg.Judge.from_graded_counts(COUNTS, design="somehow")
