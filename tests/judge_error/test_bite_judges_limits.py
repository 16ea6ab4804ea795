"""Small faults in the limits and defaults of judges: ties, shares that are told, topics that only gold knows."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

import truegain as tg
from tests.refits import corrected_values
from tests.worlds import EBAY, study
from truegain.config import Scoring
from truegain.errors import TruegainError
from truegain.experiments.judge_errors import BronzeMean, compare_means, correct_mean
from truegain.judge_error.confusion import Confusion
from truegain.judge_error.diagnostics import homogeneity
from truegain.judge_error.intervals import bootstrap_over_topics
from truegain.judge_error.judge import TopicMatrix
from truegain.judge_error.panel import CorrectionOptions, Judges
from truegain.judge_error.system_judges import JudgedLists, refuse_strays, score_range
from truegain.judge_error.topic_estimators import MatrixFit
from truegain.measures.evaluate import aligned
from truegain.measures.label_weights import tell_unjudged
from truegain.measures.parse import parse_measure
from truegain.stats.contrasts import Contrasts

P3 = parse_measure("P@3")
RUNS, BRONZE, GOLD = study(3, topics=12, docs=6)
JUDGE = tg.Judge.fit(BRONZE, GOLD, design="by-gold")
SOME = [t for t in BRONZE if int(t) < 7]


def test_topics_that_only_gold_knows() -> None:
    """Guards gold pairs of topics that are not scored: they count as they are, whatever the weights of topics."""
    ranked = aligned({n: {t: RUNS[n][t] for t in SOME} for n in "ab"}, {t: BRONZE[t] for t in SOME}, Scoring())
    lists = JudgedLists.of(ranked, JUDGE, P3)
    assert lists.pair_counts().sum() == 2 * 3 * 7
    assert lists.judges_of(0).size == 3 * 7
    w = np.array([2.0, 0.0, 1.0, 3.0, 0.5, 1.0, 1.0])
    copies = {t: w[ranked.topics.index(t)] if t in ranked.topics else 1.0 for t in BRONZE}
    cells = np.zeros((2, 2))
    for t, row in GOLD.items():
        for d, g in row.items():
            cells[g, BRONZE[t][d]] += copies[t]
    m_n, m_r = cells[0, 0] / cells[0].sum(), cells[1, 1] / cells[1].sum()
    found = corrected_values(ranked, JUDGE, P3, w[None], accuracy="given")[0]
    for value, name in zip(found, "ab", strict=True):
        j = sum(w[i] * BRONZE[t][f"{name}{k}"] for i, t in enumerate(ranked.topics) for k in range(3)) / (3 * w.sum())
        assert value == pytest.approx((j - 1 + m_n) / (m_r + m_n - 1))
    first = np.eye(7)[0]
    for bad in (w[:-1], w - 0.1, w * np.nan, np.where(first, np.inf, w), np.where(first, -1.0, w)):
        with pytest.raises(TruegainError, match="weights must be rows of 7 numbers of at least 0"):
            corrected_values(ranked, JUDGE, P3, bad[None])
    with pytest.raises(TruegainError, match="weights must be rows of 7"):
        corrected_values(ranked, JUDGE, P3, w)


@pytest.mark.parametrize(("topics", "told"), [(39, True), (50, False)])
def test_a_share_that_is_shown_as_nothing(topics: int, told: bool, recwarn: pytest.WarningsRecorder) -> None:
    """Guards the least share told: one place of 1,950 (0.051%) is, one of 2,500 is not."""
    labels = {str(t): {f"d{i}": i % 2 for i in range(50) if (t, i) != (3, 20)} for t in range(topics)}
    runs = {"a": {str(t): {f"d{i}": float(-i) for i in range(50)} for t in range(topics)}}
    tell_unjudged(aligned(runs, labels, Scoring()), parse_measure("P@50"))
    assert [("0.1% of what it looks at" in str(w.message)) for w in recwarn] == [True] * told


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
    assert f"{one}: {share:.1%} of what it looks at" in str(recwarn[0].message)


@pytest.mark.parametrize(("condition", "kept"), [(20.0, True), (29.5, True), (31.0, False)])
def test_the_condition_up_to_which_a_draw_counts(condition: float, kept: bool) -> None:
    """Guards 30: the same matrix in every topic, so every draw has its condition number."""
    e = 1 / (2 * condition)
    table = np.tile(100 * np.array([[0.5 + e, 0.5 - e], [0.5 - e, 0.5 + e]]), (5, 1, 1))
    c = Confusion((0.0, 1.0), (0.0, 1.0), tuple("abcde"), table, table.sum(axis=0), 1000)
    assert c.condition == pytest.approx(condition)
    weight, value = np.ones((5, 2)), np.array([0.0, 1.0])
    fit = MatrixFit(tuple("abcde"), weight[None], [[TopicMatrix(c, np.ones(5, np.bool_))]], value)
    if kept:
        assert bootstrap_over_topics(fit, trials=100, seed=1).spoilt == 0
        return
    with pytest.raises(TruegainError, match="100 of 100 bootstrap draws"):
        bootstrap_over_topics(fit, trials=100, seed=1)


def test_degrees_of_freedom_without_clusters() -> None:
    """Guards n - 1 for the topics and no limit for the pairs, and counts alone, whose pairs are of no topic."""
    f, value = np.random.default_rng(2).random((6, 2)), np.array([0.0, 1.0])
    for judge in (JUDGE, EBAY):
        matrices = Judges.of(judge).matrices(list("012345"), binary=True)
        fit = MatrixFit(tuple("012345"), np.stack([f / 2, f]), [matrices, matrices], value)
        (_, of_topics), asked = (fit.by_topic().matrix ** 2).sum(axis=0), Contrasts.of([(None, 1), (0, 1)])
        apart, together = fit.over_topics(asked, clusters=False), fit.over_topics(asked)
        assert apart.df[0] == pytest.approx(5 * (apart.variance[0] / of_topics) ** 2)
        assert (together.variance[0] == apart.variance[0]) == (judge is EBAY)
    assert asked.values(fit.value) == pytest.approx([fit.value[1], fit.value[1] / 2])
    assert asked.squares(fit.by_topic().matrix) == pytest.approx([of_topics, of_topics / 4])


def test_labels_that_may_be_slips() -> None:
    """Guards 5% of labels that gold never uses, tie included, and what a scale that was given says of them."""
    gold = {str(t): {f"d{i}": (t + i) % 3 for i in range(10)} for t in range(8)}
    for slips, said in ((8, "may be slips"), (4, "may be slips"), (9, "")):
        bronze = {t: dict(row) | {f"e{i}": i % 3 for i in range(10)} | {"d0": 0} for t, row in gold.items()}
        for n in range(slips):
            bronze[str(n % 8)][f"e{n // 8}"] = 7
        with pytest.warns(UserWarning, match=f"^{slips} of 160 bronze") if said else nullcontext():
            judge = tg.Judge.fit(bronze, gold, design="by-gold")
        if said:
            with pytest.raises(TruegainError, match=f"^DCG@5 would take labels as gains that {said}"):
                refuse_strays(judge, parse_measure("DCG@5"))
        else:
            assert judge.pairs is not None
            refuse_strays(replace(judge, pairs=replace(judge.pairs, scale=(0.0, 1.0, 2.0, 7.0))), None)
    refuse_strays(EBAY, None)
    refuse_strays(JUDGE, None)


def test_a_report_of_topics_that_cannot_be_told_whole(recwarn: pytest.WarningsRecorder) -> None:
    """Guards that nothing is said of parts where the pairs, or their documents, are not known."""
    part = {t: {d: g for d, g in row.items() if d != "a0"} for t, row in GOLD.items()}
    judge = tg.Judge.fit(BRONZE, part, design="topics")
    assert judge.pairs is not None
    unknown = [replace(judge.pairs, item=None), replace(judge.pairs, pool=None), None]
    for pairs in unknown:
        tg.judge_quality(BRONZE, gold=replace(judge, pairs=pairs), measure="P@3")
    tg.judge_quality(BRONZE, gold=tg.Judge.fit(BRONZE, GOLD, design="topics"), measure="P@3")
    assert len(recwarn) == 0
    with pytest.warns(UserWarning, match="12 of 12 gold topics are gold-judged in part"):
        tg.judge_quality(BRONZE, gold=judge, measure="P@3")
    numbered = replace(judge, pairs=unknown[0])._pair_codes(judge.binary, True)
    assert numbered is not None
    assert numbered[0].tolist() == list(range(132))


def test_what_is_taken_where_nothing_is_said() -> None:
    """Guards defaults: level 1, 95%, seed 0."""
    assert JUDGE.pairs is not None
    assert tg.Judge.fit(JUDGE.pairs, None, "by-gold").levels == (1, 1)
    assert (CorrectionOptions().confidence, CorrectionOptions().seed, CorrectionOptions().replicates) == (0.95, 0, 2000)
    a, b, many = BronzeMean(0.5, 90, 0.3), BronzeMean(0.6, 80, 0.3), BronzeMean(0.5, 900, 0.3)
    assert (correct_mean(EBAY, a).confidence, compare_means(EBAY, a, b).confidence) == (0.95, 0.95)
    drawn = [correct_mean(EBAY, many, method="bootstrap", trials=200, seed=s).low for s in (0, 1)]
    assert correct_mean(EBAY, many, method="bootstrap", trials=200).low == drawn[0] != drawn[1]
    lists = JudgedLists.of(aligned(RUNS, BRONZE, Scoring()), JUDGE, P3)
    seeds = {homogeneity(lists, trials=500, seed=s).p_n for s in range(4)}
    assert len(seeds) > 1
    assert homogeneity(lists, trials=500).p_n == homogeneity(lists, trials=500, seed=0).p_n


def test_limits_of_gains_below_0() -> None:
    """Guards the lowest score possible where a label costs: -1 at each of three ranks."""
    ranked = aligned(RUNS, BRONZE, Scoring())
    lists = JudgedLists.of(ranked, JUDGE, parse_measure("CG(gains={0:-1,1:2})@3"))
    assert score_range(lists, 0, lists.answered(0)) == pytest.approx((-3.0, 6.0))


@pytest.mark.parametrize(
    "measure", ["CG(gains={0:-1,1:2})@3", "DCG(gains={0:1,1:3})@3", "SDCG(min_rel=-1,max_rel=1)@3"]
)
@pytest.mark.parametrize("design", ["by-gold", "random", "topics"])
def test_labels_0_and_1_where_0_is_worth_something(measure: str, design: str) -> None:
    """Guards gains of label 0: with gold for every document the corrected score is gold's, whatever the design."""
    found = tg.correct(RUNS, BRONZE, measure, gold=tg.Gold(GOLD, design=design))  # type: ignore[arg-type]
    truth = tg.evaluate(RUNS, GOLD, measure)
    for name in "ab":
        assert found[name, str(parse_measure(measure))].value == pytest.approx(truth.mean(system=name))
