"""Several assessors behind the bronze labels: one label by vote, and the accuracy of each."""

from __future__ import annotations

import csv
import lzma
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import truegain as tg
from truegain.data.rating_groups import POOLED
from truegain.judge_error.judges import assessor_table, bronze_of, is_ratings
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
    assert row["D"] == pytest.approx(0.2)
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
    assert (named["spam"]["mR"], named["spam"]["mN"], named["spam"]["D"]) == (1.0, 0.0, 0.0)
    assert named["rare"]["D"] is None
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
    with pytest.raises(tg.InputError, match=r"400 documents were labelled by several of 3 .*aggregate='majority'"):
        bronze_of(frame)
    voted, said = bronze_of(frame, "supermajority")
    assert (len(voted), voted.assessor) == (400, None)
    assert "the supermajority of its ratings: 806 by 3 assessors, of 400 documents" in said[0]
    plain, said = bronze_of(gold)
    assert (len(plain), said) == (400, ())
    with pytest.raises(tg.InputError, match="who rated"):
        bronze_of(gold, "majority")
    one = frame.filter(pl.col("assessor") == "good")
    halves = one.with_columns(pl.when(pl.col("topic") < "2").then(pl.lit("x")).otherwise(pl.lit("y")).alias("assessor"))
    assert "by 2 assessors, measured together" in bronze_of(halves)[1][0]


def test_gold_by_bronze_label_cannot_measure_assessors() -> None:
    """Guards against rates that the draw itself has bent."""
    frame, gold = crowd(np.random.default_rng(0), 0.0)
    with pytest.raises(tg.TruegainError, match="favours assessors"):
        assessor_table(frame, gold, design="by-bronze")
    with pytest.raises(tg.TruegainError, match="how were the gold pairs sampled"):
        assessor_table(frame, gold)
    with pytest.raises(tg.InputError, match="no gold pair was labelled"):
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
    assert [abs(float(r["D"] or 0)) < 0.02 for r in busy[:3]] == [True, True, True]
    assert by_name(table)[POOLED]["D"] == pytest.approx(0.17, abs=0.02)
