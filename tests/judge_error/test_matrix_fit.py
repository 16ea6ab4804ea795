"""Means corrected by confusion matrices: moves of gold pairs, variance over topics, degrees of freedom."""

from __future__ import annotations

import math

import numpy as np
import pytest

import truegain as tg
from tests.worlds import EBAY, study
from truegain.errors import TruegainError
from truegain.judge_error.confusion import ICC, PRIOR, Confusion
from truegain.judge_error.judges import Judges
from truegain.judge_error.label_tables import PairCodes, TopicMatrix
from truegain.judge_error.topic_estimators import MatrixFit
from truegain.stats.contrasts import Contrasts
from truegain.stats.student_t import satterthwaite


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
            labeled = np.arange(6) % judges == k
            matrices.append(TopicMatrix(c, labeled, PairCodes(mine, at, gold[mine], bronze[mine], weight)))
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
            behind = np.linalg.inv(c).T @ f[m.labeled].sum(axis=0) / 6
            for number, g, b, w in zip(pairs.number, pairs.gold, pairs.bronze, pairs.weight, strict=True):
                move = -w * behind[g] * (worth[b] - fit.worth[g]) / m.confusion.totals[g]
                moves.setdefault((k, int(number)), [0.0, 0.0])[s] = move
    assert len(rows.moves) == len(moves) == (60 if judges == 1 else len(moves))
    assert rows.moves == pytest.approx(np.array([moves[key] for key in sorted(moves)]))
    contrasts = Contrasts.of([(None, 0), (0, 1)])
    label = np.array([number // 4 % 3 for _, number in sorted(moves)])
    by_pair = [[sum(x**2 for x, g in zip(of, label, strict=True) if g == k)
                for of in (rows.moves[:, 0], rows.moves[:, 1] - rows.moves[:, 0])] for k in range(3)]  # fmt: skip
    assert fit.gold_by_pair(contrasts) == pytest.approx(np.array(by_pair))
    summed, counts = fit.gold_sums(contrasts)
    assert summed.sum(axis=(0, 1)) == pytest.approx(
        [rows.moves[:, 0].sum(), (rows.moves[:, 1] - rows.moves[:, 0]).sum()]
    )
    weights = [[m.pairs.weight.sum() for m in of if m.pairs is not None] for of in fit.matrices]
    assert counts.sum(axis=(0, 1)) == pytest.approx([sum(weights[0]), sum(weights[0] + weights[1])])
    assert rows.size == pytest.approx(np.array([sum(m.confusion.effective for m in of) for of in fit.matrices]).T)


@pytest.mark.parametrize("seed", range(4))
def test_the_moderated_variance_over_topics_by_loops(seed: int) -> None:
    """Guards the variance of gold moves label by label, the floor at a quarter, and two topics as the least."""
    fit, contrasts = fit_of(seed, same_topics=False), Contrasts.of([(0, 1)])
    moves, counts = (x[..., 0] for x in fit.gold_sums(contrasts))
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
    spread = fit.over_gold(contrasts)
    assert spread.value[0] == pytest.approx(max(together, sum(p for p, _ in parts) / 4))
    assert spread.df[0] == pytest.approx(satterthwaite(parts))
    assert pytest.approx(np.array(parts)) == np.stack(fit.gold_by_label(contrasts))[..., 0].T
    topics = contrasts.squares(fit.by_topic().matrix)[0]
    whole = fit.over_topics(contrasts)
    assert whole.value[0] == pytest.approx(topics + spread.value[0])
    assert whole.df[0] == pytest.approx(satterthwaite([(topics, 5.0), *parts]))


def test_errors_that_cancel_within_topics_keep_a_quarter_of_their_variance() -> None:
    """Guards the floor: in half of the topics the judge errs on both labels, and these moves cancel."""
    table, wrong = np.zeros((6, 2, 2)), (0, 8, 1, 8, 0, 7)
    for t, errors in enumerate(wrong):
        table[t] = [[20 - errors, errors], [errors, 20 - errors]]
    names = tuple(f"g{t}" for t in range(6))
    c = Confusion((0.0, 1.0), (0.0, 1.0), names, table, table.sum(axis=0), 240)
    topic, gold, bronze = (np.repeat(x.ravel(), table.astype(int).ravel()) for x in np.indices((6, 2, 2)))
    pairs = PairCodes(np.arange(240), topic, gold, bronze, np.ones(240))
    weight = np.random.default_rng(1).dirichlet([4, 4], (1, 5))
    fit = MatrixFit(
        tuple(f"t{t}" for t in range(5)), weight, [[TopicMatrix(c, np.ones(5, bool), pairs)]], np.array([0.0, 1.0])
    )
    score = Contrasts.scores(1)
    moderated, _ = fit.gold_by_label(score)
    moves = fit.gold_sums(score)[0][..., 0]
    plain = 6 / 5 * (moves.sum(axis=1) ** 2).sum() + moderated.sum() - 6 / 5 * (moves**2).sum()
    assert plain < moderated.sum() / 4
    assert fit.over_gold(score).value[0] == pytest.approx(moderated.sum() / 4)


@pytest.mark.parametrize("seed", [0, 3])
def test_influence_of_gold_topics_by_loops(seed: int) -> None:
    """Guards what the gold pairs of a topic move together, two topics being enough; none where systems have others."""
    fit = fit_of(seed)
    found, rows, m = fit.by_gold(), fit.gold_rows, 2 + seed
    assert found is not None
    expected = np.zeros((m, 2))
    for topic, moves in zip(rows.topic, rows.moves, strict=True):
        expected[topic] += moves
    assert found.matrix == pytest.approx(expected * math.sqrt(m / (m - 1)))
    assert (tuple(found.units), found.df) == (tuple(f"those of topic t{t}" for t in range(m)), m - 1)
    apart = MatrixFit(fit.topics, fit.weight, [fit.matrices[0], fit_of(seed + 1).matrices[1]], fit.worth)
    assert len(apart.gold_topics) == m + 1
    assert apart.by_gold() is None


def test_gold_of_one_topic_is_refused() -> None:
    """Guards two gold topics as the least; independent pairs, or topics held fixed, need none."""
    fit = fit_of(0, judges=2)
    one = MatrixFit(fit.topics, fit.weight, [[of[0]] for of in fit.matrices], fit.worth)
    with pytest.raises(tg.TruegainError, match="the gold pairs come from 1 topic; 2 are needed"):
        one.over_topics(Contrasts.scores(2))
    pairs = one.gold_by_pair(Contrasts.scores(2)).sum(axis=0)
    assert one.over_gold(Contrasts.scores(2)).value == pytest.approx(pairs)
    apart = one.over_topics(Contrasts.scores(2), clusters=False).value
    assert apart == pytest.approx(pairs + (one.by_topic().matrix ** 2).sum(axis=0))
    assert one.by_gold() is None


RUNS, BRONZE, GOLD = study(3, topics=12, docs=6)


JUDGE = tg.Judge.fit(BRONZE, GOLD, design="by-gold")


def test_degrees_of_freedom_without_clusters() -> None:
    """Guards n - 1 for the topics and no limit for the pairs, and counts alone, whose pairs are of no topic."""
    f, value = np.random.default_rng(2).random((6, 2)), np.array([0.0, 1.0])
    for judge in (JUDGE, EBAY):
        matrices = Judges.of(judge).matrices(list("012345"), binary=True)
        fit = MatrixFit(tuple("012345"), np.stack([f / 2, f]), [matrices, matrices], value)
        (_, of_topics), contrasts = (fit.by_topic().matrix ** 2).sum(axis=0), Contrasts.of([(None, 1), (0, 1)])
        apart, together = fit.over_topics(contrasts, clusters=False), fit.over_topics(contrasts)
        assert apart.df[0] == pytest.approx(5 * (apart.value[0] / of_topics) ** 2)
        assert (together.value[0] == apart.value[0]) == (judge is EBAY)
    assert contrasts.values(fit.value) == pytest.approx([fit.value[1], fit.value[1] / 2])
    assert contrasts.squares(fit.by_topic().matrix) == pytest.approx([of_topics, of_topics / 4])


def test_the_variance_of_a_corrected_mean_is_no_less_than_a_quarter() -> None:
    """Guards the floor where topics and gold move against each other, and the sum where gold is of other topics."""
    f, value, score = np.random.default_rng(1).random((3, 2)), np.array([0.0, 1.0]), Contrasts.scores(1)
    matrices = Judges.of(JUDGE).matrices(["0", "1", "2"], binary=True)
    for same in (True, False):
        fit = MatrixFit(("0", "1", "2"), f[None], [matrices], value, same)
        assert len(fit.gold_topics) == 12
        moves = fit.by_topic().matrix[:, 0]
        of_topics, of_gold = float(moves @ moves), fit.over_gold(score).value[0]
        by_topic = dict(zip((t for _, t in fit.gold_topics), fit.gold_sums(score)[0].sum(axis=1)[:, 0], strict=True))
        both = sum(m * by_topic[t] for m, t in zip(moves.tolist(), "012", strict=True)) * math.sqrt(12 / 11)
        plain = of_topics + of_gold + (2 * both if same else 0.0)
        assert fit.over_topics(score).value[0] == pytest.approx(max(plain, 0.25 * max(of_topics, of_gold)))
        pairs = float(fit.gold_by_pair(score).sum())
        assert fit.over_topics(score, clusters=False).value[0] == pytest.approx(of_topics + pairs)
    with pytest.raises(TruegainError, match="there is 1 topic"):
        MatrixFit(("0",), f[None, :1], [[TopicMatrix(JUDGE.binary, np.ones(1, np.bool_))]], value)
    two = MatrixFit(("0", "1"), f[None, :2], [Judges.of(JUDGE).matrices(["0", "1"], binary=True)], value)
    assert two.over_topics(score).value[0] > 0


@pytest.mark.parametrize(("size", "share"), [(1.0, 0.1), (1.5, 0.1), (0.5, 0.5), (1.0, 1.0)])
def test_topics_that_move_against_their_gold_leave_a_quarter(
    size: float, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards the floor itself: scored topics whose moves are those of their gold pairs turned around."""
    names, score = JUDGE.binary.topics, Contrasts.scores(1)
    matrices, value = Judges.of(JUDGE).matrices(names, binary=True), np.array([0.0, 1.0])
    gold = MatrixFit(names, np.full((1, 12, 2), 0.5), [matrices], value).gold_sums(score)[0].sum(axis=1)[:, 0]
    f = 0.5 - size * 12 * JUDGE.informedness * gold
    fit = MatrixFit(names, np.stack([1 - f, f], axis=1)[None], [matrices], value)
    variance, df = fit.gold_by_label(score)  # as large as it is, or hardly any
    monkeypatch.setattr(MatrixFit, "gold_by_label", staticmethod(lambda _: (share * variance, df)))
    of_topics, of_gold = float((fit.by_topic().matrix[:, 0] ** 2).sum()), fit.over_gold(score).value[0]
    both = (fit.by_topic().matrix[:, 0] * fit.gold_sums(score)[0].sum(axis=1)[:, 0]).sum() * math.sqrt(12 / 11)
    whole, least = of_topics + of_gold + 2 * both, max(of_topics, of_gold) / 4
    assert (whole < least) == (share < 1)  # both cases are seen
    assert (of_gold > of_topics) == (share >= 0.5)  # and either variance as the larger
    assert fit.over_topics(score).value[0] == pytest.approx(max(whole, least))
