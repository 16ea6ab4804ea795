"""Every closed form behind the inverted matrix against refits: a unit weighs 1 + epsilon, all is fitted again."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

import truegain as tg
from tests.refits import corrected_values
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.pool import RankedGains
from truegain.judge_error import confusion, topic_estimators
from truegain.judge_error.confusion import corrected_mean
from truegain.judge_error.diagnostics import favors, rank_shifts
from truegain.judge_error.fits import JudgedLists
from truegain.judge_error.judges import Judges
from truegain.judge_error.topic_estimators import MatrixFit
from truegain.stats.contrasts import Contrasts

Labels = dict[str, dict[str, int]]
Floats = npt.NDArray[np.float64]
EPSILON = 1e-5
NEAR = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]])


def world(labels: int, topics: int = 9, docs: int = 12) -> tuple[RankedGains, Labels, Labels]:
    """Two rankings of the same documents, bronze labels with errors, gold labels of two thirds of the pairs."""
    rng = np.random.default_rng(5)
    near = np.array([[0.8, 0.2], [0.15, 0.85]]) if labels == 2 else NEAR
    truth = rng.integers(0, labels, (topics, docs))
    rows = {f"t{t:02d}": {f"d{i:02d}": int(g) for i, g in enumerate(row)} for t, row in enumerate(truth)}
    bronze = {t: {d: int(rng.choice(labels, p=near[g])) for d, g in row.items()} for t, row in rows.items()}
    gold = {t: {d: g for d, g in row.items() if rng.random() < 0.67} for t, row in rows.items()}
    runs = {s: {t: dict(zip(rows[t], rng.permutation(docs) * 1.0, strict=True)) for t in rows} for s in "ab"}
    return aligned(runs, bronze, Scoring()), bronze, gold


def slope(f: object, size: int, base: Floats | None = None) -> Floats:
    """Numerical derivative of a value with respect to each weight, at weights of 1 (or `base`), times the weight."""
    ones = np.ones(size) if base is None else base
    out = []
    for i in range(size):
        step = np.zeros(size)
        step[i] = EPSILON * ones[i]
        out.append((f(ones + step) - f(ones - step)) / (2 * EPSILON))  # type: ignore[operator]
    return np.array(out)


ASKED = Contrasts.of([(None, 0), (None, 1), (0, 1)])  # both scores, and their difference


def fitted(lists: JudgedLists) -> MatrixFit:
    """Both systems' corrected means."""
    return lists.fit((0, 1), lists.answered(0, 1))


def reweighted(lists: JudgedLists, weights: Floats) -> JudgedLists:
    """The same with a weight for each gold pair."""
    assert lists.judge_and_pairs is not None
    judge, pairs = lists.judge_and_pairs
    return replace(
        lists, judges=Judges.of(tg.Judge.fit(replace(pairs, weight=weights), None, judge.design, judge.levels))
    )


def values(lists: JudgedLists) -> Floats:
    """Both systems' corrected means, and nothing else of them."""
    topics, w = lists.ranked.topics, lists.weights
    matrices = [lists.judges_of(s).matrices(topics, binary=lists.binary)[0] for s in (0, 1)]
    return np.array(
        [corrected_mean(matrix.confusion, w.weight[s].mean(axis=0), w.value).value for s, matrix in enumerate(matrices)]
    )


def moves_of_topics(fit: MatrixFit) -> Floats:
    """How far each scored topic moves the scores and the difference."""
    return ASKED.values((fit.scores - fit.value[:, None]).T / len(fit.topics))


CASES = [(2, "P@10", "system"), (2, "RBP", "system"), (2, "RBP", "given"), (3, "DCG@10", "system"), (3, "RBP", "lists")]


@pytest.mark.parametrize(("labels", "measure", "accuracy"), CASES)
def test_moves_of_topics_and_of_gold_pairs(labels: int, measure: str, accuracy: str) -> None:
    """Guards every move: of a topic with its gold pairs, and of a single gold pair, for a score and a difference."""
    ranked, bronze, gold = world(labels)
    one = tg.parse_measure(measure)
    judge = tg.Judge.fit(bronze, gold, design="by-gold")
    lists = JudgedLists.of(ranked, judge, one, accuracy=accuracy)  # type: ignore[arg-type]
    fit, n = fitted(lists), len(ranked.topics)
    by_topic = slope(lambda w: corrected_values(ranked, judge, one, w[None], accuracy=accuracy)[0], n)  # type: ignore[arg-type]
    assert [name for _, name in fit.gold_topics] == list(fit.topics)
    assert moves_of_topics(fit) + fit.gold_sums(ASKED)[0].sum(axis=1) == pytest.approx(ASKED.values(by_topic), abs=1e-6)

    assert judge.pairs is not None
    assert judge.pairs.item is not None
    by_pair = slope(lambda w: values(reweighted(lists, w)), len(judge.pairs))[np.argsort(judge.pairs.item)]
    seen = by_pair[np.abs(by_pair).max(axis=1) > 0]  # pairs that no list holds have no row
    assert ASKED.values(fit.gold_rows.moves) == pytest.approx(ASKED.values(seen), abs=1e-6)


@pytest.mark.parametrize(("labels", "measure", "accuracy"), CASES)
def test_variance_of_a_score_and_of_a_difference_written_out(labels: int, measure: str, accuracy: str) -> None:
    """Guards the joint variance: topics, gold pairs moderated label by label, and twice their covariance."""
    ranked, bronze, gold = world(labels)
    one = tg.parse_measure(measure)
    judge = tg.Judge.fit(bronze, gold, design="by-gold")
    lists = JudgedLists.of(ranked, judge, one, accuracy=accuracy)  # type: ignore[arg-type]
    fit, n = fitted(lists), len(ranked.topics)
    sizes, rows = fit.gold_rows.size, fit.gold_rows
    assert judge.pairs is not None
    topic, label = judge.pairs.topic, judge.pairs.gold
    assert judge.pairs.topics == ranked.topics

    pairs = slope(lambda w: values(reweighted(lists, w)), len(judge.pairs))
    joint = slope(lambda w: corrected_values(ranked, judge, one, w[None], accuracy=accuracy)[0], n)  # type: ignore[arg-type]
    of_gold = np.stack([np.bincount(topic, p, n) for p in pairs.T], axis=1)
    for k, c in enumerate(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]])):
        asked = ASKED.part(k, k + 1)
        scored, all_gold = (joint - of_gold) @ c, of_gold @ c
        parts, spread = [], []
        for i, g in enumerate(np.unique(label)):
            by_topic = np.bincount(topic[label == g], (pairs @ c)[label == g], n)
            counts, size = fit.gold_sums(asked)[1][:, i, 0], sizes[i][c != 0].max()
            share = (counts**2).sum() / counts.sum() ** 2
            alone = ((pairs @ c)[label == g] ** 2).sum() + ((rows.more @ c)[rows.more_label == i] ** 2).sum()
            usual = alone * (1 + confusion.ICC * max(0.0, size * share - 1))
            df = 1 / share - 1
            parts.append(max(((by_topic**2).sum() / share + confusion.PRIOR * usual) / (df + confusion.PRIOR), alone))
            spread.append(n / (n - 1) * (by_topic**2).sum())
        gold_part = max(n / (n - 1) * (all_gold**2).sum() + sum(parts) - sum(spread), 0.25 * sum(parts))
        topics_part = n / (n - 1) * (scored**2).sum()
        whole = topics_part + gold_part + 2 * n / (n - 1) * (scored * all_gold).sum()
        assert whole > 0.25 * max(topics_part, gold_part)  # not at the floor, where the covariance would not be seen
        assert abs(whole - topics_part - gold_part) > 0.01 * whole
        assert fit.over_topics(asked).value[0] == pytest.approx(whole, rel=1e-6)
        alone = n / (n - 1) * (scored**2).sum() + ((pairs @ c) ** 2).sum()
        assert fit.over_topics(asked, clusters=False).value[0] == pytest.approx(alone, rel=1e-6)


def test_one_more_pair_of_each_kind() -> None:
    """Guards `more`: what a pair added to each cell would move, all cells having had one added."""
    ranked, bronze, gold = world(2)
    judge = tg.Judge.fit(bronze, gold, design="by-gold")
    lists = JudgedLists.of(ranked, judge, tg.parse_measure("P@10"), accuracy="given")
    c = judge.binary.counts + 1
    f, d = lists.weights.weight[0].mean(axis=0), judge.informedness
    worth = np.array([(judge.specificity - 1) / d, judge.specificity / d]) * lists.weights.value[1]
    share = np.array(
        [f.sum() - (f[1] - (1 - judge.specificity) * f.sum()) / d, (f[1] - (1 - judge.specificity) * f.sum()) / d]
    )
    mean = c @ worth / c.sum(axis=1)
    expected = -(share / c.sum(axis=1))[:, None] * (worth[None, :] - mean[:, None])
    assert fitted(lists).gold_rows.more[:, 0] == pytest.approx(expected.ravel(), abs=1e-9)


def even(seed: int = 3, topics: int = 30) -> tuple[RankedGains, dict[str, dict[str, dict[str, float]]], Labels, Labels]:
    """Lists of ten, five relevant; three pairs of each label gold-judged; a judge good in every other topic."""
    rng = np.random.default_rng(seed)
    bronze: Labels = {}
    gold: Labels = {}
    runs: dict[str, dict[str, dict[str, float]]] = {"a": {}, "b": {}}
    for t in range(topics):
        right, name = (0.95 if t % 2 else 0.6), f"{t:02d}"
        bronze[name], gold[name] = {}, {}
        for s in "ab":
            for i in range(10):
                says = i % 2 if rng.random() < right - (0.15 if s == "b" and not i % 2 else 0) else 1 - i % 2
                bronze[name][f"{s}{i}"] = says
                if i < 6:
                    gold[name][f"{s}{i}"] = i % 2
            runs[s][name] = {f"{s}{i}": float(-i) for i in range(10)}
    return aligned(runs, bronze, Scoring()), runs, bronze, gold


@pytest.mark.parametrize("accuracy", ["system", "given"])
def test_without_moderation_the_variance_is_that_of_joint_moves(accuracy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the sandwich, the rates' correlations and the covariance of a difference: one refit a topic, nothing else.

    With as many gold pairs in every topic and no usual judge beside, V = n/(n - 1) sum of squared joint moves.
    """
    ranked, runs, bronze, gold = even()
    one, n = tg.parse_measure("P@10"), 30
    monkeypatch.setattr(topic_estimators, "PRIOR", 0.0)
    monkeypatch.setattr(confusion, "PRIOR", 0.0)
    floor = staticmethod(lambda asked: np.zeros((2, len(asked))))  # none of independent pairs
    monkeypatch.setattr(MatrixFit, "gold_by_pair", floor)
    monkeypatch.setattr(confusion, "rates_variance", lambda *_: (0.0, 0.0))
    judge = tg.Judge.fit(bronze, gold, design="by-gold")
    moves = slope(lambda w: corrected_values(ranked, judge, one, w[None], accuracy=accuracy)[0], n)  # type: ignore[arg-type]
    fit = fitted(JudgedLists.of(ranked, judge, one, accuracy=accuracy))  # type: ignore[arg-type]
    bare = replace(fit.gold_rows, more=np.zeros_like(fit.gold_rows.more))
    monkeypatch.setattr(MatrixFit, "gold_rows", bare)
    assert fit.over_topics(ASKED).value == pytest.approx(n / (n - 1) * ASKED.squares(moves), rel=1e-6)
    answers = tg.correct(runs, bronze, one, gold=judge, method="delta", accuracy=accuracy)  # type: ignore[arg-type]
    for s in (0, 1):
        assert answers[s].se == pytest.approx(math.sqrt(n / (n - 1) * (moves[:, s] ** 2).sum()), rel=1e-6)


@pytest.mark.parametrize(("labels", "measure"), [(2, "RBP"), (3, "DCG@10")])
def test_moves_of_favors_and_of_shifts_with_rank(labels: int, measure: str) -> None:
    """Guards the standard errors of both diagnoses: sums over topics of numerical moves."""
    ranked, bronze, gold = world(labels)
    one = tg.parse_measure(measure)

    size = sum(map(len, gold.values()))
    plain = JudgedLists.of(ranked, tg.Judge.fit(bronze, gold, design="random"), one)
    assert plain.judge_and_pairs is not None
    judge, pairs = plain.judge_and_pairs
    topic = pairs.topic
    label = judge.codes(plain.weights.classes, binary=plain.binary)[0]
    kinds = {"gold-non-relevant": 0, "gold-relevant": 1, "gold-0": 0, "gold-1": 1, "gold-2": 2}
    first = rank_shifts(plain)
    order = [(s.gold, s.bronze) for s in first]

    def changes(weights: Floats) -> Floats:
        found = {(s.gold, s.bronze): s.change for s in rank_shifts(reweighted(plain, weights))}
        return np.array([found[key] for key in order])

    moves = slope(changes, size)
    for i, shift in enumerate(first):
        by_topic, m = np.bincount(topic, moves[:, i]), len(np.unique(topic[label == kinds[shift.gold]]))
        assert shift.df == m - 1
        assert shift.se == pytest.approx(math.sqrt(m / (m - 1) * (by_topic**2).sum()), rel=1e-6)
    # a favor takes the shares of gold labels as known; so they are held while a pair's weight moves
    value, se = [f.value for f in favors(plain)], [f.se for f in favors(plain)]
    assert value[0] == pytest.approx(-(value[1] or 0.0))
    w = plain.weights
    g, b = judge.codes(w.classes, binary=plain.binary)
    load = np.stack([plain.pair_counts([s]) for s in (0, 1)])
    share = np.bincount(g, load.sum(axis=0)) / load.sum() * np.nanmean(w.weight, axis=(0, 1)).sum()

    def favor(weights: Floats) -> float:
        error, total = w.value[b] - w.value[g], 0.0
        for label in np.unique(g):
            mean = [np.average(error[g == label], weights=(weights * x)[g == label]) for x in load]
            total += share[label] * (mean[0] - mean[1])
        return float(total)

    assert value[0] == pytest.approx(favor(np.ones(size)))
    by_pair = slope(favor, size)
    by_topic, used = np.bincount(pairs.topic, by_pair), np.bincount(pairs.topic, np.abs(by_pair))
    even = used.sum() ** 2 / (used**2).sum()
    clustered = even / (even - 1) * (by_topic**2).sum()
    assert se[0] == pytest.approx(math.sqrt(max(clustered, (by_pair**2).sum())), rel=1e-6)
    assert favors(plain)[0].df == pytest.approx(even - 1)
