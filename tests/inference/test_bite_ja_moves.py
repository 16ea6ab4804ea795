"""Judges as they are fitted, gold labels alone, and moves of gold pairs: each against a loop."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pytest

import truegain as tg
from tests.worlds import study
from truegain.errors import DataWarning
from truegain.inference.judges.gold_alone import (
    _of_mean,
    _of_ratio,
    gold_alone_widths,
    gold_of_items,
    warn_where_gold_alone_is_surer,
)
from truegain.inference.judges.gold_influence import GoldInfluence, positions
from truegain.inference.judges.rates import ICC, PRIOR
from truegain.inference.results import Estimate
from truegain.measures.evaluate import Options, aligned
from truegain.student import quantile_of
from truegain.tables.columns import Floats


def test_the_note_of_an_inverted_judge_is_at_its_limit() -> None:
    """Guards where a judge is called inverted: below minus the bar times the standard error, and not before."""
    told = []
    for right in range(20):
        judge = tg.Judge.from_counts(relevant=(right, 20), nonrelevant=(20 - right, 40))
        rates = judge.rates(0.5, 0.0, 1.0, judge._clusters)
        d, se = rates.shrunk_d
        assert (judge.inverted() is not None) == (d < -rates.bar * se)
        told.append(judge.inverted() is not None)
    assert 0 < sum(told) < 20


def test_a_judge_is_fitted_at_the_levels_asked_for() -> None:
    """Guards the gold level, gold pairs left out and told, and a scale that labels must be on."""
    bronze = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0, "c": 0}}
    gold = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 2, "b": 2, "x": 0}}
    with pytest.warns(DataWarning, match="1 gold pairs have no bronze label and are left out"):
        judge = tg.Judge.fit(bronze, gold, "random", "P@10", gold_level=2, missing="drop")
    assert (judge.counts, judge.levels) == ((2.0, 3.0, 1.0, 2.0), (1.0, 2.0))
    assert judge.gold is not None
    with pytest.raises(tg.TruegainError, match="not on the scale"):
        tg.Judge.fit(bronze, gold, "random", "P@10", scale="0,1", missing="drop")
    with pytest.raises(tg.TruegainError, match="how were the gold pairs sampled"):
        tg.Judge.fit(bronze, gold, relevant="P@10")


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
        ranked = aligned(runs, bronze, Options())
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
    ranked = aligned({"s": {"1": {"a": 1.0}, "2": {"a": 1.0}}}, bronze, Options())
    with pytest.warns(DataWarning):
        judge = tg.Judge.fit(bronze, gold, "random", "P@2", gold_level=2, missing="drop")

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
    ranked, judge = aligned(runs, bronze, Options()), tg.Judge.fit(bronze, gold, "topics", "P@6")
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


def moves_of(seed: int, topics: tuple[str, ...], units: list[int]) -> GoldInfluence:
    """Moves of three labels drawn at random."""
    rng = np.random.default_rng(seed)
    n = len(topics)
    return GoldInfluence(
        topics, rng.normal(size=(n, 3)), rng.integers(0, 5, (n, 3)).astype(np.float64),
        np.array([4.0 + seed, 7.0 + seed, 9.0 + seed]),
        np.array(units), np.array(units) % 3, rng.normal(size=len(units)), rng.normal(size=(1, 3, 3)),
    )  # fmt: skip


def test_a_difference_of_moves_by_dictionaries() -> None:
    """Guards the moves of a difference: topics and units of both, those in one of them too; and two judges beside."""
    one, two = moves_of(1, ("x", "y", "z"), [0, 1, 5, 6]), moves_of(2, ("w", "z", "x"), [1, 6, 7])
    both = one.less(two)
    assert both.topics == ("x", "y", "z", "w")

    def row(of: GoldInfluence, field: str, topic: str) -> Floats:
        return np.asarray(getattr(of, field)[of.topics.index(topic)] if topic in of.topics else np.zeros(3))

    for t in both.topics:
        assert row(both, "moves", t) == pytest.approx(row(one, "moves", t) - row(two, "moves", t))
        assert row(both, "counts", t) == pytest.approx(row(one, "counts", t) + row(two, "counts", t))
    units = {k: dict(zip(of.unit.tolist(), of.unit_moves.tolist(), strict=True)) for k, of in enumerate((one, two))}
    assert both.unit.tolist() == [0, 1, 5, 6, 7]
    assert both.unit_label.tolist() == [0, 1, 2, 0, 1]
    wanted = [units[0].get(k, 0.0) - units[1].get(k, 0.0) for k in both.unit.tolist()]
    assert both.unit_moves == pytest.approx(wanted)
    assert both.of_pairs() == pytest.approx(
        [sum(m**2 for m, k in zip(wanted, (0, 1, 5, 6, 7), strict=True) if k % 3 == g) for g in range(3)]
    )
    assert both.size == pytest.approx([6, 9, 11])
    assert both.more == pytest.approx(one.more - two.more)
    beside = one.beside(two)
    assert beside.topics == ("x", "y", "z", "w", "z", "x")
    assert (beside.moves.shape, beside.counts.shape, beside.more.shape) == ((6, 3), (6, 3), (2, 3, 3))
    assert beside.size == pytest.approx([11, 17, 21])
    assert beside.unit.tolist() == [0, 1, 5, 6, 1, 6, 7]
    assert positions(("x", "q"), ("w", "x")).tolist() == [1, -1]


@pytest.mark.parametrize("seed", range(4))
def test_the_moderated_variance_over_topics_by_loops(seed: int) -> None:
    """Guards the variance of gold moves label by label, the floor at a quarter, and two topics as the least."""
    g = moves_of(seed, ("x", "y", "z", "u")[: 2 + seed], list(range(12)))
    m, grow = len(g.topics), len(g.topics) / (len(g.topics) - 1)
    parts, seen = [], []
    for k in range(3):
        n = g.counts[:, k]
        share = max((n**2).sum() / max(n.sum(), 1e-300) ** 2, 1e-300)
        alone = sum(x**2 for x, label in zip(g.unit_moves, g.unit_label, strict=True) if label == k)
        alone += (g.more[:, k] ** 2).sum()
        usual = alone * (1 + ICC * max(0.0, g.size[k] * share - 1))
        df = max(1 / share - 1, 0.0)
        square = (g.moves[:, k] ** 2).sum()
        parts.append((max((square / share + PRIOR * usual) / (df + PRIOR), alone), df + PRIOR))
        seen.append(grow * square)
    together = grow * (g.moves.sum(axis=1) ** 2).sum() + sum(p for p, _ in parts) - sum(seen)
    variance, found = g.over_topics()
    assert m >= 2
    assert variance == pytest.approx(max(together, sum(p for p, _ in parts) / 4))
    assert np.array(found) == pytest.approx(np.array(parts))
    with pytest.raises(tg.TruegainError, match="the gold pairs come from 1 topic; 2 are needed"):
        moves_of(0, ("x",), [0]).over_topics()
