"""Judges as they are fitted, gold labels alone, and moves of gold pairs: each against a loop."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pytest

import truegain as tg
from tests.worlds import study
from truegain.config import Scoring
from truegain.errors import DataWarning
from truegain.judge_error.confusion import ICC, PRIOR, Confusion
from truegain.judge_error.judge import PairCodes, TopicMatrix
from truegain.judge_error.system_judges import (
    _of_mean,
    _of_ratio,
    gold_alone_widths,
    gold_of_items,
    warn_where_gold_alone_is_surer,
)
from truegain.judge_error.topic_estimators import MatrixFit
from truegain.measures.evaluate import aligned
from truegain.stats.contrasts import Contrasts
from truegain.stats.results import Estimate
from truegain.stats.student_t import quantile_of, satterthwaite


def test_the_note_of_an_inverted_judge_is_at_its_limit() -> None:
    """Guards where a judge is called inverted: below minus the bar times the standard error, and not before."""
    told = []
    for right in range(20):
        judge = tg.Judge.from_counts(relevant=(right, 20), nonrelevant=(20 - right, 40))
        rates = judge.rates(0.5, 0.0, 1.0, judge._clusters)
        d, se = rates.shrunk_d
        assert (judge.inverted() is not None) == (d < -rates.threshold * se)
        told.append(judge.inverted() is not None)
    assert 0 < sum(told) < 20


def test_a_judge_is_fitted_at_the_levels_asked_for() -> None:
    """Guards the gold level, gold pairs left out and told, and a scale that labels must be on."""
    bronze = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0, "c": 0}}
    gold = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 2, "b": 2, "x": 0}}
    with pytest.warns(DataWarning, match="1 gold pairs have no bronze label and are left out"):
        judge = tg.Judge.fit(bronze, gold, "random", gold_relevant_from=2, missing="drop")
    assert (judge.counts, judge.levels) == ((2.0, 3.0, 1.0, 2.0), (1, 2))
    assert judge.gold is not None
    with pytest.raises(tg.TruegainError, match="not on the scale"):
        tg.Judge.fit(bronze, gold, "random", scale="0,1", missing="drop")
    with pytest.raises(tg.TruegainError, match="how were the gold pairs sampled"):
        tg.Judge.fit(bronze, gold)
    with pytest.raises(tg.TruegainError, match="relevant P@10: give the smallest relevant label"):
        tg.Judge.fit(bronze, gold, "random", "P@10")  # type: ignore[arg-type]


def test_widths_of_a_mean_and_of_a_ratio() -> None:
    """Guards both intervals of gold alone at their limits: two topics are enough, no spread is no answer."""
    assert _of_mean(np.array([0.2, 0.6]), 0.9) == pytest.approx(2 * quantile_of(0.9, 1.0) * 0.2)
    assert _of_mean(np.array([0.2]), 0.9) is None
    assert _of_mean(np.array([0.5, 0.5]), 0.9) is None
    assert _of_mean(np.array([]), 0.9) is None
    below, above = np.array([2.0, 0.0, 3.0, 1.0]), np.array([1.0, 0.0, 0.5, 1.0])
    moves = 1.5 * (above - below * 2.5 / 6) / 6
    assert _of_ratio(below, above, 1.5, 0.9) == pytest.approx(
        2 * quantile_of(0.9, 2.0) * math.sqrt((moves**2).sum() * 3 / 2)
    )
    assert _of_ratio(np.array([2.0, 0, 1]), np.array([1.0, 0, 0]), 1.0, 0.9) is not None
    assert _of_ratio(np.array([2.0, 0, 0]), np.array([1.0, 0, 0]), 1.0, 0.9) is None
    assert _of_ratio(np.array([2.0, 4.0]), np.array([1.0, 2.0]), 1.0, 0.9) is None


def test_gold_alone_of_a_system_that_lacks_topics() -> None:
    """Guards what a whole list counts: over the topics that are answered, not over all."""
    runs, bronze, gold = study(3, topics=12, docs=6)
    runs["a"] = {t: row for t, row in runs["a"].items() if int(t) % 3}
    sample = {t: {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 2} for t, row in gold.items()}
    with pytest.warns(DataWarning, match="lacks judged topics"):
        ranked = aligned(runs, bronze, Scoring())
    judge = tg.Judge.fit(bronze, sample, design="random")
    labels = gold_of_items(ranked.pool, judge, 1.0)
    width = gold_alone_widths(ranked, labels, np.ones(len(labels)), tg.parse_measure("P@4"), 0.95, whole_topics=False)
    top = [f"a{i}" for i in range(4)]
    seen = {t: [sample[t][d] for d in top if d in sample[t]] for t in runs["a"]}
    below = np.array([len(row) for row in seen.values()], float)
    above = np.array([sum(row) for row in seen.values()], float)
    assert width[0] == pytest.approx(_of_ratio(below, above, 1.0, 0.95))


def test_gold_labels_of_the_pool() -> None:
    """Guards gold labels by item: none where there is none or it is below 0, 0 and the level where scales differ."""
    bronze = {"1": {"a": 1, "b": 0, "c": 1, "d": 1}, "2": {"a": 0}}
    gold = {"1": {"a": 3, "b": 1, "c": -1, "z": 2}, "2": {"a": 2}}
    ranked = aligned({"s": {"1": {"a": 1.0}, "2": {"a": 1.0}}}, bronze, Scoring())
    with pytest.warns(DataWarning):
        judge = tg.Judge.fit(bronze, gold, "random", gold_relevant_from=2, missing="drop")

    def labels(level: float | None) -> dict[str, float]:
        found = gold_of_items(ranked.pool, judge, level)
        names = [
            f"{ranked.topics[t]}{d}"
            for t, d in zip(ranked.pool.topic, list(cast("Any", ranked.pool.docs)), strict=True)
        ]
        return {n: x for n, x in zip(names, found.tolist(), strict=True) if not math.isnan(x)}

    assert labels(1.0) == {"1a": 1.0, "1b": 0.0, "2a": 1.0}
    assert labels(2.0) == {"1a": 3.0, "1b": 1.0, "2a": 2.0}


def test_only_a_shorter_interval_of_gold_alone_is_told(recwarn: pytest.WarningsRecorder) -> None:
    """Guards the warning: which systems, which of them most, and nothing where gold alone is as wide."""
    runs, bronze, gold = study(2, topics=10, docs=6)
    ranked, judge = aligned(runs, bronze, Scoring()), tg.Judge.fit(bronze, gold, "topics")
    measure = tg.parse_measure("P@6")
    widths = gold_alone_widths(
        ranked, gold_of_items(ranked.pool, judge, 1.0), np.ones(len(ranked.pool)), measure, 0.95, whole_topics=True
    )

    def told(*factors: float) -> list[str]:
        recwarn.clear()
        answers = [Estimate(s, "P@6", 0.5, 0.0, (w or 0.0) * f) for s, w, f in zip("ab", widths, factors, strict=True)]
        warn_where_gold_alone_is_surer(ranked, judge, measure, answers, 0.95)
        return [str(w.message) for w in recwarn]

    assert told(1.0, 1.0) == []
    assert told(0.9, 0.5) == []
    assert "surer for 1 of 2 systems (most for b: width" in told(0.9, 1.2)[0]
    width = widths[0] or 0.0
    assert f"surer for 2 of 2 systems (most for a: width {width:.3f} against {1.3 * width:.3f}" in told(1.3, 1.2)[0]


def fit_of(seed: int, judges: int = 1, same_topics: bool = True) -> MatrixFit:
    """Two systems corrected on gold pairs that they share in part, by one judge or by two; labels 0, 1, 2."""
    rng = np.random.default_rng(seed)
    number, topic, gold = np.arange(60), np.arange(60) % (2 + seed), np.arange(60) // 4 % 3
    bronze = np.where(rng.random(60) < 0.7, gold, rng.integers(0, 3, 60))
    systems = []
    for s in (0, 1):
        matrices = []
        for k in range(judges):
            mine = np.flatnonzero((number >= 8 * s) & (number < 52 + 8 * s) & ((topic + k) % judges == 0))
            weight = rng.integers(1, 4, len(mine)).astype(np.float64)
            names, at = np.unique(topic[mine], return_inverse=True)
            table, squares = np.zeros((len(names), 3, 3)), np.zeros((3, 3))
            np.add.at(table, (at, gold[mine], bronze[mine]), weight)
            np.add.at(squares, (gold[mine], bronze[mine]), weight**2)
            scale = (0.0, 1.0, 2.0)
            c = Confusion(scale, scale, tuple(f"t{t}" for t in names), table, squares, len(mine))
            labelled = np.arange(6) % judges == k
            matrices.append(TopicMatrix(c, labelled, PairCodes(mine, at, gold[mine], bronze[mine], weight)))
        systems.append(matrices)
    topics = tuple(f"t{t}" for t in range(6))
    return MatrixFit(topics, rng.random((2, 6, 3)), systems, np.array([0.0, 1.0, 3.0]), same_topics)


@pytest.mark.parametrize("judges", [1, 2])
def test_moves_of_gold_pairs_by_dictionaries(judges: int) -> None:
    """Guards the rows of gold pairs: those behind both systems once, those behind one too, each judge's its own."""
    fit = fit_of(4, judges)
    rows = fit.gold_rows
    moves: dict[tuple[int, int], list[float]] = {}
    for s, (f, matrices) in enumerate(zip(fit.weight, fit.matrices, strict=True)):
        for k, m in enumerate(matrices):
            c, pairs = m.confusion.matrix, m.pairs
            assert pairs is not None
            worth = np.linalg.inv(c) @ fit.worth
            behind = np.linalg.inv(c).T @ f[m.labelled].sum(axis=0) / 6
            for number, g, b, w in zip(pairs.number, pairs.gold, pairs.bronze, pairs.weight, strict=True):
                move = -w * behind[g] * (worth[b] - fit.worth[g]) / m.confusion.totals[g]
                moves.setdefault((k, int(number)), [0.0, 0.0])[s] = move
    assert len(rows.moves) == len(moves) == (60 if judges == 1 else len(moves))
    assert rows.moves == pytest.approx(np.array([moves[key] for key in sorted(moves)]))
    asked = Contrasts.of([(None, 0), (0, 1)])
    label = np.array([number // 4 % 3 for _, number in sorted(moves)])
    by_pair = [[sum(x**2 for x, g in zip(of, label, strict=True) if g == k)
                for of in (rows.moves[:, 0], rows.moves[:, 1] - rows.moves[:, 0])] for k in range(3)]  # fmt: skip
    assert fit.gold_by_pair(asked) == pytest.approx(np.array(by_pair))
    summed, counts = fit.gold_sums(asked)
    assert summed.sum(axis=(0, 1)) == pytest.approx(
        [rows.moves[:, 0].sum(), (rows.moves[:, 1] - rows.moves[:, 0]).sum()]
    )
    weights = [[m.pairs.weight.sum() for m in of if m.pairs is not None] for of in fit.matrices]
    assert counts.sum(axis=(0, 1)) == pytest.approx([sum(weights[0]), sum(weights[0] + weights[1])])
    assert rows.size == pytest.approx(np.array([sum(m.confusion.effective for m in of) for of in fit.matrices]).T)


@pytest.mark.parametrize("seed", range(4))
def test_the_moderated_variance_over_topics_by_loops(seed: int) -> None:
    """Guards the variance of gold moves label by label, the floor at a quarter, and two topics as the least."""
    fit, asked = fit_of(seed, same_topics=False), Contrasts.of([(0, 1)])
    moves, counts = (x[..., 0] for x in fit.gold_sums(asked))
    rows, size = fit.gold_rows, fit.gold_rows.size.max(axis=1)
    m, grow = len(moves), len(moves) / (len(moves) - 1)
    parts, seen = [], []
    for k in range(3):
        n = counts[:, k]
        share = (n**2).sum() / n.sum() ** 2
        alone = sum((x[1] - x[0]) ** 2 for x, label in zip(rows.moves, rows.label, strict=True) if label == k)
        alone += sum((x[1] - x[0]) ** 2 for x, label in zip(rows.more, rows.more_label, strict=True) if label == k)
        usual = alone * (1 + ICC * max(0.0, size[k] * share - 1))
        df = 1 / share - 1
        square = (moves[:, k] ** 2).sum()
        parts.append((max((square / share + PRIOR * usual) / (df + PRIOR), alone), df + PRIOR))
        seen.append(grow * square)
    together = grow * (moves.sum(axis=1) ** 2).sum() + sum(p for p, _ in parts) - sum(seen)
    assert m == 2 + seed
    spread = fit.over_gold(asked)
    assert spread.variance[0] == pytest.approx(max(together, sum(p for p, _ in parts) / 4))
    assert spread.df[0] == pytest.approx(satterthwaite(parts))
    assert pytest.approx(np.array(parts)) == np.stack(fit.gold_by_label(asked))[..., 0].T
    topics = asked.squares(fit.by_topic().matrix)[0]
    whole = fit.over_topics(asked)
    assert whole.variance[0] == pytest.approx(topics + spread.variance[0])
    assert whole.df[0] == pytest.approx(satterthwaite([(topics, 5.0), *parts]))


def test_gold_of_one_topic_is_refused() -> None:
    """Guards two gold topics as the least; independent pairs, or topics held fixed, need none."""
    fit = fit_of(0, judges=2)
    one = MatrixFit(fit.topics, fit.weight, [[of[0]] for of in fit.matrices], fit.worth)
    with pytest.raises(tg.TruegainError, match="the gold pairs come from 1 topic; 2 are needed"):
        one.over_topics(Contrasts.scores(2))
    pairs = one.gold_by_pair(Contrasts.scores(2)).sum(axis=0)
    assert one.over_gold(Contrasts.scores(2)).variance == pytest.approx(pairs)
    apart = one.over_topics(Contrasts.scores(2), clusters=False).variance
    assert apart == pytest.approx(pairs + (one.by_topic().matrix ** 2).sum(axis=0))
    assert one.by_gold() is None
