"""What a judge is put behind: lists, weights of gold pairs, accuracy, and limits of a corrected score."""

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
from truegain.data.alignment import aligned
from truegain.errors import MeasureError, TruegainError
from truegain.experiments.judge_errors import BronzeMean, compare_means, correct_mean
from truegain.judge_error.diagnostics import homogeneity
from truegain.judge_error.fits import (
    JudgedLists,
    check_inside,
    check_says_something,
    refuse_strays,
    score_range,
)
from truegain.judge_error.judge_quality import accuracy_by_topic
from truegain.judge_error.judges import CorrectionOptions, Judges
from truegain.judge_error.label_tables import TopicMatrix
from truegain.measures.catalogue import parse_measure

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
            with pytest.raises(TruegainError, match=f"^DCG@5 would count labels that {said}"):
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
    with pytest.warns(UserWarning, match="12 of 12 gold topics have gold labels for"):
        tg.judge_quality(BRONZE, gold=judge, measure="P@3")
    numbered = replace(judge, pairs=unknown[0]).matrix_for(np.ones(12, np.bool_), binary=True).pairs
    assert numbered is not None
    assert numbered.number.tolist() == list(range(132))


def test_what_is_taken_where_nothing_is_said() -> None:
    """Guards defaults: level 1, 95%, seed 0."""
    assert JUDGE.pairs is not None
    assert tg.Judge.fit(JUDGE.pairs, None, "by-gold").levels == (1, 1)
    assert (CorrectionOptions().confidence, CorrectionOptions().seed, CorrectionOptions().resamples) == (0.95, 0, 2000)
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


RANKED = aligned(RUNS, BRONZE, Scoring())


def test_what_a_pair_counts_is_the_sum_of_its_ranks() -> None:
    """Guards the weights of gold pairs by system and over all: DCG's discounts, 0 outside the cutoff."""
    lists = JudgedLists.of(RANKED, JUDGE, parse_measure("DCG@3"))
    assert JUDGE.pairs is not None
    assert (lists.accuracy, lists.same_topics, lists.binary) == ("system", True, True)
    counts = [lists.pair_counts([s]) for s in (0, 1)]
    for s, name in enumerate("ab"):
        worth = [sorted(RUNS[name][t], key=lambda d: -RUNS[name][t][d]) for t in sorted(RUNS[name])]
        total = sum(1 / math.log2(i + 2) for row in worth for i in range(min(3, len(row))))
        assert counts[s].sum() == pytest.approx(total)
        assert sorted(set(counts[s].round(9))) == pytest.approx([0, 0.5, 1 / math.log2(3), 1])
    assert lists.pair_counts() == pytest.approx(counts[0] + counts[1])
    assert lists.judges_of(0).size == 36
    wide = JudgedLists.of(RANKED, JUDGE, parse_measure("DCG@3"), accuracy="lists")
    assert wide.judges_of(0).size == wide.judges_of(1).size == 72
    assert JudgedLists.of(RANKED, JUDGE, P3, accuracy="given").judges_of(0).size == 144


def test_accuracy_that_cannot_be_had() -> None:
    """Guards the three words, what counts alone allow, and what is taken where nothing is said."""
    with pytest.raises(TruegainError, match="give one of system, lists, given"):
        JudgedLists.of(RANKED, JUDGE, P3, accuracy="all")  # type: ignore[arg-type]
    for accuracy in ("system", "lists"):
        with pytest.raises(TruegainError, match="needs gold pairs"):
            JudgedLists.of(RANKED, EBAY, P3, accuracy=accuracy)
    assert JudgedLists.of(RANKED, EBAY, P3).accuracy == "given"
    assert JudgedLists.of(RANKED, EBAY, P3, accuracy="given").judges_of(0) is not None
    elsewhere = tg.Judge.fit(BRONZE, GOLD, design="elsewhere")
    there = JudgedLists.of(RANKED, elsewhere, P3)
    assert (there.accuracy, there.same_topics) == ("given", False)
    with pytest.raises(MeasureError, match="is not linear"):
        JudgedLists.of(RANKED, JUDGE, parse_measure("AP"))


def test_gold_pairs_that_no_list_holds() -> None:
    """Guards the refusals where gold lies below the cutoff: of one system, of all; and the test over systems."""
    low = {t: {d: g for d, g in row.items() if d in ("a5", "b0", "b1", "b5")} for t, row in GOLD.items()}
    lists = JudgedLists.of(RANKED, tg.Judge.fit(BRONZE, low, design="by-gold"), P3)
    assert lists.judges_of(1).size == 24
    with pytest.raises(TruegainError, match=r"none of the 48 gold pairs is a document that a retrieved where P@3"):
        lists.judges_of(0)
    assert lists.impossible_means("a", 0.5)[0].startswith("none of the 48")
    none = tg.Judge.fit(BRONZE, {t: {d: row[d] for d in ("a5", "b5")} for t, row in GOLD.items()}, design="by-gold")
    with pytest.raises(TruegainError, match="no system retrieved a gold pair where P@3"):
        homogeneity(JudgedLists.of(RANKED, none, P3))
    with pytest.raises(TruegainError, match="not counts"):
        homogeneity(JudgedLists.of(RANKED, EBAY, P3))
    one = JudgedLists.of(aligned({"a": RUNS["a"]}, BRONZE, Scoring()), JUDGE, P3)
    with pytest.raises(TruegainError, match="at least two"):
        homogeneity(one)


def test_topics_that_two_systems_answer() -> None:
    """Guards the least of two topics, for one system and for two together, and who is named."""
    runs = {"x": {t: RUNS["a"][t] for t in ("0", "1", "2")}, "y": {t: RUNS["b"][t] for t in ("1", "2", "3")}}
    runs["z"] = {t: RUNS["b"][t] for t in ("2", "5")}
    with pytest.warns(UserWarning, match="lack judged topics"):
        lists = JudgedLists.of(aligned(runs, BRONZE, Scoring()), JUDGE, P3)
    assert lists.topic_names(lists.answered(0, 1)) == ("1", "2")
    assert lists.answered(2).sum() == 2
    with pytest.raises(TruegainError, match=r"^x and z: 1 judged topics"):
        lists.answered(0, 2)


def test_out_of_reach_is_for_binary_measures() -> None:
    """Guards that a mean of graded gains is not held against mR."""
    graded = {t: {d: 2 * g for d, g in row.items()} for t, row in GOLD.items()}
    bronze = {t: {d: 2 * g for d, g in row.items()} for t, row in BRONZE.items()}
    lists = JudgedLists.of(aligned(RUNS, bronze, Scoring()), tg.Judge.fit(bronze, graded, design="by-gold"),
                           parse_measure("CG@3"))  # fmt: skip
    assert (lists.binary, lists.impossible_means("a", 5.0)) == (False, ())
    assert len(JudgedLists.of(RANKED, JUDGE, P3).impossible_means("a", 1.0)) == 1


def test_limits_of_a_corrected_score() -> None:
    """Guards lowest and highest: the judged weight times the least worth (never above 0) and the greatest."""
    lists = JudgedLists.of(RANKED, JUDGE, parse_measure("DCG@3"))
    total = 1 + 1 / math.log2(3) + 0.5
    assert score_range(lists, 0, lists.answered(0)) == pytest.approx((0.0, total))
    three = {t: {d: g + 2 for d, g in row.items()} for t, row in BRONZE.items()}
    gold = {t: {d: g + 2 for d, g in row.items()} for t, row in GOLD.items()}
    high = JudgedLists.of(aligned(RUNS, three, Scoring()), tg.Judge.fit(three, gold, design="by-gold", relevant=3),
                          parse_measure("DCG@3"))  # fmt: skip
    assert score_range(high, 0, high.answered(0)) == pytest.approx((0.0, 3 * total))


def test_an_interval_that_says_nothing() -> None:
    """Guards both ends: refused where both limits lie within, ends and all; the worst matrix and its rarest label."""
    matrices = Judges.of(JUDGE).matrices(["0"], binary=True)
    for value, half in ((0.5, 0.49), (0.3, 0.6), (0.7, 0.6)):
        check_says_something(value, half, (0.0, 1.0), matrices)
    rare = "1" if JUDGE.binary.effective[1] < JUDGE.binary.effective[0] else "0"
    with pytest.raises(TruegainError, match=f"gold label {rare} has the fewest pairs"):
        check_says_something(0.5, 0.5, (0.0, 1.0), matrices)
    poor = tg.Judge.from_counts((6, 10), (7, 10)).binary
    with pytest.raises(TruegainError, match=rf"condition number {poor.condition:.3g}"):
        check_says_something(0.5, 0.6, (0.0, 1.0), [*matrices, TopicMatrix(poor, np.ones(1, np.bool_)), *matrices])
    assert "0.5 to 2" in check_inside(0.4, 0.2, (0.5, 2.0))[3][0]


def test_a_report_of_a_judge_given() -> None:
    """Guards that a fitted judge is shown as it is: by label, by topic, by system, with its means out of reach."""
    assert tg.judge_quality(BRONZE, gold=JUDGE, measure="P@3").rows == JUDGE.table().rows
    assert tg.judge_quality(BRONZE, gold=JUDGE, measure="P@3", show="topics").rows == accuracy_by_topic(JUDGE).rows
    by_system = tg.judge_quality(BRONZE, gold=JUDGE, runs=RUNS, measure="P@3", resampling=tg.Resampling(n=100))
    assert [r[0] for r in by_system.rows] == ["a", "b"]
    ones = {t: {d: int(d[1] < "3" or g) for d, g in row.items()} for t, row in BRONZE.items()}
    odd = {t: {d: int(GOLD[t][d] and d[1] > "0") for d in row if d[1] < "3"} for t, row in ones.items()}
    said = tg.judge_quality(
        ones, gold=tg.Gold(odd, design="by-gold"), runs={"a": RUNS["a"]}, measure="P@3", show="labels"
    ).notes
    assert sum("a: " in note[:3] for note in said) <= 1


def test_inside_the_limits() -> None:
    """Guards value and interval held at 0 and 1, the note where this moved the value, and the refusal beyond."""
    assert check_inside(0.5, 0.2, (0.0, 1.0)) == (0.5, 0.3, 0.7, ())
    value, low, high, notes = check_inside(1.1, 0.2, (0.0, 1.0))
    assert (value, low, high, len(notes)) == pytest.approx((1.0, 0.9, 1.0, 1))
    assert check_inside(-0.1, 0.2, (0.0, 1.0))[:3] == pytest.approx((0.0, 0.0, 0.1))
    assert check_inside(1.0, 0.0, (0.0, 1.0)) == (1.0, 1.0, 1.0, ())
    assert check_inside(-0.25, 0.25, (0.0, 1.0))[:3] == (0.0, 0.0, 0.0)
    for outside in (1.3, -0.3):
        with pytest.raises(TruegainError, match="clearly outside"):
            check_inside(outside, 0.2, (0.0, 1.0))
