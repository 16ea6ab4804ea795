"""Several assessors behind the bronze labels: one label by vote, and the accuracy of each."""

from __future__ import annotations

import csv
import lzma
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import truegain as tg
from truegain.data.judgments import Judgments
from truegain.data.rating_groups import POOLED
from truegain.errors import DataWarning
from truegain.judge_error.judge_quality import _rates, assessor_table, bronze_of, is_ratings, rated_by_several
from truegain.results.base import Table
from truegain.results.table import Cell

Gold = dict[str, dict[str, int]]


def ratings(rows: list[tuple[str, str, str, int]]) -> pl.DataFrame:
    """A long table of ratings."""
    return pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")


def by_name(table: Table) -> dict[Cell, dict[str, Cell]]:
    """The rows of a table by assessor."""
    return {r["assessor"]: r for r in table.records()}


def test_the_interval_is_newcombes() -> None:
    """Guards D's interval against the published example: 56/70 less 48/80 is 0.2, from 0.0524 to 0.3339."""
    gold: Gold = {"1": {f"d{i}": int(i < 70) for i in range(150)}}
    said = [("1", f"d{i}", "x", int(i < 56 or 70 <= i < 118)) for i in range(150)]
    row = assessor_table(ratings(said), gold, design="random").records()[0]
    assert row["informedness"] == pytest.approx(0.2)
    assert (round(float(row["low"] or 0), 4), round(float(row["high"] or 0), 4)) == (0.0524, 0.3339)


def crowd(rng: np.random.Generator, icc: float, topics: int = 40, docs: int = 10) -> tuple[pl.DataFrame, Gold]:
    """Ratings of a good assessor, a spammer, and one with few pages; the good one's accuracy varies by topic."""
    gold: Gold = {str(t): {f"d{i}": int(i < docs // 2) for i in range(docs)} for t in range(topics)}
    rows = []
    for t, row in gold.items():
        m_r, m_n = (m if icc == 0 else rng.beta(m * (1 / icc - 1), (1 - m) * (1 / icc - 1)) for m in (0.85, 0.7))
        for d, g in row.items():
            right = rng.random() < (m_r if g else m_n)
            rows += [(t, d, "good", g if right else 1 - g), (t, d, "spam", 1)]
            if int(t) < 2 and d < "d3":
                rows.append((t, d, "rare", g))
    return ratings(rows), gold


def test_worst_first_and_the_few_are_marked() -> None:
    """Guards the order, the marks, and the line of all together."""
    frame, gold = crowd(np.random.default_rng(0), 0.0)
    table = assessor_table(frame, gold, design="random")
    rows = table.records()
    assert [r["assessor"] for r in rows] == ["spam", "good", "rare", POOLED]
    assert [r["note"] for r in rows] == ["not clearly better than chance", "", "no gold-non-relevant pair", ""]
    named = by_name(table)
    assert (named["spam"]["sensitivity"], named["spam"]["specificity"], named["spam"]["informedness"]) == (
        1.0,
        0.0,
        0.0,
    )
    assert named["rare"]["informedness"] is None
    assert named[POOLED]["gold relevant"] == 200 * 2 + 6
    assert any("1 of 3 assessors are not clearly better than chance (spam)" in n for n in table.notes)
    assert any("1 of 3 assessors have fewer than 10 gold pairs" in n for n in table.notes)


@pytest.mark.slow
@pytest.mark.parametrize("icc", [0.0, 0.2])
def test_the_interval_of_an_assessor_covers(icc: float) -> None:
    """Guards coverage where an assessor errs by topic, which pairs taken as independent would miss."""
    rng, held, trials = np.random.default_rng(3), 0, 300
    for _ in range(trials):
        row = by_name(assessor_table(*crowd(rng, icc), design="random"))["good"]
        held += float(row["low"] or 0) <= 0.55 <= float(row["high"] or 0)
    assert 0.92 <= held / trials <= 0.985


def test_one_label_from_several() -> None:
    """Guards the vote: asked for where it is needed, refused where there is nothing to vote on."""
    frame, gold = crowd(np.random.default_rng(0), 0.0)
    assert is_ratings(frame)
    with pytest.raises(tg.InputError, match=r"400 documents were labeled by several of 3 .*aggregate='majority'"):
        bronze_of(frame)
    voted, said = bronze_of(frame, "supermajority")
    assert (len(voted), voted.assessor) == (400, None)
    assert "the supermajority of its ratings: 806 by 3 assessors, of 400 documents" in said[0]
    plain, said = bronze_of(gold)
    assert (len(plain), said) == (400, ())
    with pytest.raises(tg.InputError, match="the ratings do not name assessors"):
        bronze_of(gold, "majority")
    one = frame.filter(pl.col("assessor") == "good")
    halves = one.with_columns(pl.when(pl.col("topic") < "2").then(pl.lit("x")).otherwise(pl.lit("y")).alias("assessor"))
    assert "by 2 assessors, measured together" in bronze_of(halves)[1][0]


def test_gold_by_bronze_label_cannot_measure_assessors() -> None:
    """Guards against rates that the draw itself has bent."""
    frame, gold = crowd(np.random.default_rng(0), 0.0)
    with pytest.raises(tg.TruegainError, match="favors assessors"):
        assessor_table(frame, gold, design="by-bronze")
    with pytest.raises(tg.TruegainError, match="how were the gold pairs sampled"):
        assessor_table(frame, gold)
    with pytest.raises(tg.InputError, match="no assessor labeled a gold pair"):
        assessor_table(frame, {"99": {"d0": 1, "d1": 0}}, design="random")


@pytest.mark.slow
def test_real_crowd(shared_data: Path) -> None:
    """Guards the crowd of TREC 2010: the busiest workers hardly look at the page, and D tells."""
    path = shared_data / "trec_rf10_crowd" / "trec-rf10-data.txt.xz"
    gold: Gold = {}
    rows, seen = [], set()
    with lzma.open(path, "rt") as stream:
        for r in csv.DictReader(stream, delimiter="\t"):
            key = r["topicID"], r["docID"], r["workerID"]
            if int(r["label"]) >= 0 and int(r["gold"]) >= 0 and key not in seen:
                seen.add(key)
                rows.append((*key, int(r["label"])))
                gold.setdefault(r["topicID"], {})[r["docID"]] = int(r["gold"])
    table = assessor_table(ratings(rows), gold, design="random")
    busy = sorted((r for r in table.records() if r["assessor"] != POOLED), key=lambda r: -int(r["labels"] or 0))
    assert [abs(float(r["informedness"] or 0)) < 0.02 for r in busy[:3]] == [True, True, True]
    assert by_name(table)[POOLED]["informedness"] == pytest.approx(0.17, abs=0.02)


def frame(rows: list[tuple[str, str, str, int]]) -> pl.DataFrame:
    """A long table of ratings."""
    return pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")


def crowd_of_counts(counts: dict[str, tuple[int, int, int, int]]) -> tuple[pl.DataFrame, dict[str, dict[str, int]]]:
    """Assessors with (right, of) relevant and (right, of) non-relevant documents, each on documents of their own."""
    rows, gold = [], {}
    for who, (r, of_r, n, of_n) in counts.items():
        for i in range(of_r):
            gold[f"{who}r{i}"] = 1
            rows.append(("1", f"{who}r{i}", who, int(i < r)))
        for i in range(of_n):
            gold[f"{who}n{i}"] = 0
            rows.append(("1", f"{who}n{i}", who, int(i >= n)))
    return frame(rows), {"1": gold}


def test_marks_order_and_sums_of_assessors() -> None:
    """Guards every mark, ten pairs being enough, the order within marks, and what share of labels chance gave."""
    table = assessor_table(
        *crowd_of_counts({
            "good": (18, 20, 18, 20), "coin": (10, 20, 10, 20), "turned": (2, 20, 2, 20), "ten": (10, 10, 10, 10),
            "nine": (9, 9, 20, 20), "eight": (8, 20, 8, 8), "onlyr": (5, 5, 0, 0), "onlyn": (0, 0, 7, 7),
        }),
        design="random",
    )  # fmt: skip
    rows = {str(r["assessor"]): r for r in table.records()}
    assert list(rows) == ["turned", "coin", "good", "ten", "eight", "nine", "onlyn", "onlyr", "(all)"]
    assert {w: r["note"] for w, r in rows.items() if r["note"]} == {
        "turned": "clearly worse than chance: labels inverted?",
        "coin": "not clearly better than chance",
        "eight": "few gold pairs",
        "nine": "few gold pairs",
        "onlyr": "no gold-non-relevant pair",
        "onlyn": "no gold-relevant pair",
    }
    assert (
        rows["onlyr"]["sensitivity"],
        rows["onlyr"]["specificity"],
        rows["onlyr"]["informedness"],
        rows["onlyr"]["low"],
    ) == (
        1.0,
        None,
        None,
        None,
    )
    assert rows["eight"]["informedness"] == pytest.approx(0.4 + 1 - 1)
    assert (rows["(all)"]["labels"], rows["(all)"]["gold relevant"], rows["(all)"]["gold non-relevant"]) == (
        209,
        104,
        105,
    )
    assert table.notes[0].startswith(
        "2 of 8 assessors are not clearly better than chance (turned, coin); they gave 38%"
    )
    assert table.notes[1].startswith("4 of 8 assessors have fewer than 10 gold pairs of a kind")
    assert assessor_table(*crowd_of_counts({"good": (18, 20, 18, 20)}), design="random").notes == ()


def test_limits_of_one_assessor_are_wilsons() -> None:
    """Guards Newcombe's interval with other shares and another confidence, against scipy's Wilson limits."""
    row = assessor_table(*crowd_of_counts({"x": (13, 17, 20, 29)}), design="random", confidence=0.8).records()[0]
    r, n = stats.binomtest(13, 17).proportion_ci(0.8, "wilson"), stats.binomtest(20, 29).proportion_ci(0.8, "wilson")
    d = 13 / 17 + 20 / 29 - 1
    assert row["informedness"] == pytest.approx(d)
    assert row["low"] == pytest.approx(d - math.hypot(13 / 17 - r.low, 20 / 29 - n.low))
    assert row["high"] == pytest.approx(d + math.hypot(r.high - 13 / 17, n.high - 20 / 29))


def test_labels_of_a_topic_are_worth_fewer() -> None:
    """Guards Kish's count of labels: less where topics differ, never more than there are, all of them in one topic."""
    right = np.array([1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 1, 1], bool)
    topic = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3])
    truth = np.array([1.0] * 10 + [0.0] * 2)
    r, n = _rates(right, truth, topic)
    k, of = 6, 10
    sums = np.array([4 - 4 * k / of, 1 - 4 * k / of, 1 - 2 * k / of])
    over = (sums**2).sum() / of**2 * 3 / 2
    p = (k + 0.5) / (of + 1)
    assert (r.right, r.all, r.value) == (6, 10, 0.6)
    assert r.effective == pytest.approx(of / (over / (p * (1 - p) / of)))
    assert r.effective < of
    assert (n.right, n.all, n.effective) == (2, 2, 2)
    even = _rates(np.tile([True, False], 5), np.ones(10), np.repeat(np.arange(5), 2))
    assert even[0].effective == 10
    assert (even[1].value, even[1].effective) == (None, 0.0)


def test_gold_and_bronze_levels_and_unjudged_labels_of_assessors() -> None:
    """Guards where relevance begins on each scale, and labels below 0, which count on neither side."""
    rows = [("1", d, "x", label) for d, label in (("a", 2), ("b", 1), ("c", 1), ("d", -1), ("e", 3))]
    gold = {"1": {"a": 3, "b": 2, "c": 1, "d": 3, "e": -1}}
    with pytest.warns(DataWarning, match="1 of 5 ratings are negative"):
        row = assessor_table(frame(rows), gold, design="random", levels=(2.0, 3.0)).records()[0]
    assert (row["labels"], row["gold relevant"], row["sensitivity"], row["gold non-relevant"], row["specificity"]) == (
        5,
        1,
        1.0,
        2,
        1.0,
    )
    with pytest.warns(DataWarning, match="1 of 5 ratings are negative"):
        row = assessor_table(frame(rows), gold, design="random", levels=(1.0, 2.0)).records()[0]
    assert (row["gold relevant"], row["sensitivity"], row["gold non-relevant"], row["specificity"]) == (2, 1.0, 1, 0.0)


def test_who_labeled_what() -> None:
    """Guards the count of documents with several ratings, and one assessor who is no crowd."""
    one, two = frame([("1", "a", "x", 1), ("1", "b", "x", 0)]), frame([("1", "a", "x", 1), ("1", "b", "y", 0)])
    three = frame([("1", "a", "x", 1), ("1", "a", "y", 0), ("1", "b", "y", 0), ("2", "a", "x", 0)])
    assert [rated_by_several(Judgments.of(f)) for f in (one, two, three)] == [0, 0, 1]
    assert [is_ratings(f) for f in (one, two, three)] == [False, False, True]
    assert bronze_of(one)[1] == ()
    assert bronze_of(two)[1] == ("The bronze labels are by 2 assessors, measured together as one judge.",)
    with pytest.raises(tg.InputError, match="1 documents were labeled by several of 2 assessors"):
        bronze_of(three)
    assert bronze_of(three, "mean")[1] == (
        "The bronze label of a document is the mean of its ratings: 4 by 2 assessors, of 3 documents.",
    )
