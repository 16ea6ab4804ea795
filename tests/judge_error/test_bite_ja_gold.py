"""Assessors, accuracy by rank and favours, each against a loop or published numbers."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from scipy import stats

import truegain as tg
from truegain.config import Scoring
from truegain.data.judgments import Judgments
from truegain.errors import DataWarning
from truegain.judge_error import diagnostics
from truegain.judge_error.diagnostics import Favour, RankShift, _favour, _shift, favours, rank_notes
from truegain.judge_error.judges import _rates, assessor_table, bronze_of, is_ratings, rated_by_several
from truegain.judge_error.system_judges import JudgedLists
from truegain.measures.evaluate import aligned
from truegain.stats.student_t import p_of, quantile_of


def frame(rows: list[tuple[str, str, str, int]]) -> pl.DataFrame:
    """A long table of ratings."""
    return pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")


def crowd(counts: dict[str, tuple[int, int, int, int]]) -> tuple[pl.DataFrame, dict[str, dict[str, int]]]:
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
        *crowd({
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
    assert (rows["onlyr"]["mR"], rows["onlyr"]["mN"], rows["onlyr"]["D"], rows["onlyr"]["low"]) == (
        1.0,
        None,
        None,
        None,
    )
    assert rows["eight"]["D"] == pytest.approx(0.4 + 1 - 1)
    assert (rows["(all)"]["labels"], rows["(all)"]["gold relevant"], rows["(all)"]["gold non-relevant"]) == (
        209,
        104,
        105,
    )
    assert table.notes[0].startswith(
        "2 of 8 assessors are not clearly better than chance (turned, coin); they gave 38%"
    )
    assert table.notes[1].startswith("4 of 8 assessors have fewer than 10 gold pairs of a kind")
    assert assessor_table(*crowd({"good": (18, 20, 18, 20)}), design="random").notes == ()


def test_limits_of_one_assessor_are_wilsons() -> None:
    """Guards Newcombe's interval with other shares and another confidence, against scipy's Wilson limits."""
    row = assessor_table(*crowd({"x": (13, 17, 20, 29)}), design="random", confidence=0.8).records()[0]
    r, n = stats.binomtest(13, 17).proportion_ci(0.8, "wilson"), stats.binomtest(20, 29).proportion_ci(0.8, "wilson")
    d = 13 / 17 + 20 / 29 - 1
    assert row["D"] == pytest.approx(d)
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
    assert (row["labels"], row["gold relevant"], row["mR"], row["gold non-relevant"], row["mN"]) == (5, 1, 1.0, 2, 1.0)
    with pytest.warns(DataWarning, match="1 of 5 ratings are negative"):
        row = assessor_table(frame(rows), gold, design="random", levels=(1.0, 2.0)).records()[0]
    assert (row["gold relevant"], row["mR"], row["gold non-relevant"], row["mN"]) == (2, 1.0, 1, 0.0)


def test_who_labelled_what() -> None:
    """Guards the count of documents with several ratings, and one assessor who is no crowd."""
    one, two = frame([("1", "a", "x", 1), ("1", "b", "x", 0)]), frame([("1", "a", "x", 1), ("1", "b", "y", 0)])
    three = frame([("1", "a", "x", 1), ("1", "a", "y", 0), ("1", "b", "y", 0), ("2", "a", "x", 0)])
    assert [rated_by_several(Judgments.of(f)) for f in (one, two, three)] == [0, 0, 1]
    assert [is_ratings(f) for f in (one, two, three)] == [False, False, True]
    assert bronze_of(one)[1] == ()
    assert bronze_of(two)[1] == ("The bronze labels are by 2 assessors, measured together as one judge.",)
    with pytest.raises(tg.InputError, match="1 documents were labelled by several of 2 assessors"):
        bronze_of(three)
    assert bronze_of(three, "mean")[1] == (
        "The bronze label of a document is the mean of its ratings: 4 by 2 assessors, of 3 documents.",
    )


def test_a_shift_with_rank_written_out() -> None:
    """Guards both shares, the standard error over topics and where there is none, with weights of pairs."""
    weight, counts = np.array([1.0, 2, 1, 1, 2, 1]), np.array([0.5, 0.0, 1.0, 0.25, 0.5, 1.0])
    says, topic = np.array([1, 0, 1, 0, 0, 1], bool), np.array([0, 0, 1, 1, 3, 3])
    found = _shift(weight, counts, says, cast("Any", topic), "g", "b")
    assert found is not None
    heavy = weight * counts
    w, a = (heavy * says).sum() / heavy.sum(), (weight * says).sum() / weight.sum()
    moves = heavy * (says - w) / heavy.sum() - weight * (says - a) / weight.sum()
    by_topic = np.array([moves[topic == t].sum() for t in (0, 1, 3)])
    assert (found.by_rank, found.unweighted, found.df) == pytest.approx((w, a, 2.0))
    assert found.se == pytest.approx(math.sqrt((by_topic**2).sum() * 3 / 2))
    assert found.change == pytest.approx(w - a)
    assert found.p(1) == pytest.approx(p_of((w - a) / found.se, 2.0))
    assert found.p(50) == 1.0
    half = quantile_of(1 - 0.05 / 4, 2.0) * found.se
    assert (
        f"interval {w - a - half:+.3f} to {w - a + half:+.3f}, p = {found.p(4):.4f}; Bonferroni over 4"
        in found.sentence(4)
    )
    assert _shift(weight, np.zeros(6), says, cast("Any", topic), "g", "b") is None
    assert _shift(weight, counts, says, cast("Any", topic * 0), "g", "b") is None
    assert _shift(weight, np.ones(6), says, cast("Any", topic), "g", "b") is None


def test_what_is_said_of_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards when a shift is told: where it is clear, where it is asked for, where something rests on it."""
    judge = tg.Judge.from_counts(relevant=(8, 10), nonrelevant=(8, 10))

    def said(p: float, accuracy: str, **words: bool) -> list[str]:
        t = -float(stats.t.ppf(p / 4, 9))
        shifts = (RankShift("g", "b", 0.5 + 0.1 * t, 0.5, 0.1, 9.0), RankShift("g", "c", 0.5, 0.5, 0.1, 9.0))
        monkeypatch.setattr(diagnostics, "rank_shifts", lambda _: shifts)
        return rank_notes(cast("Any", SimpleNamespace(accuracy=accuracy, measure="P@5", judge=judge)), **words)

    assert said(0.051, "system") == []
    assert said(0.051, "given")[0].startswith(
        "These gold pairs do not show that accuracy changes with the ranks that P@5"
    )
    assert said(0.051, "system", always=True) == said(0.051, "given")
    assert "p = 0.0510; Bonferroni over 2)." in said(0.051, "given")[0]
    assert said(0.049, "system")[0].startswith("The judge's accuracy changes with rank (P@5): of g documents")
    assert said(0.049, "system")[0].endswith(" Each gold pair counts what its ranks do.")
    assert "corrected with the wrong accuracy: accuracy='lists'" in said(0.049, "given")[0]
    assert said(0.049, "given", rectified=True)[0].endswith("Bonferroni over 2).")


def test_favours_against_a_loop() -> None:
    """Guards the favour of each of three systems over the mean of the others, by gold label, by sums over pairs."""
    rng = np.random.default_rng(4)
    gold = {str(t): {f"d{i}": int(rng.integers(2)) for i in range(12)} for t in range(10)}
    bronze = {t: {d: g if rng.random() < 0.75 else 1 - g for d, g in row.items()} for t, row in gold.items()}
    runs = {s: {t: {d: float(rng.random()) for d in row} for t, row in gold.items()} for s in "abc"}
    top = {s: [(t, d) for t, row in runs[s].items() for d in sorted(row, key=lambda d: -row[d])[:5]] for s in "abc"}
    everyone = [pair for s in "abc" for pair in top[s]]
    share = {g: np.mean([gold[t][d] == g for t, d in everyone]) for g in (0, 1)}
    error = {(s, g): np.mean([bronze[t][d] - g for t, d in top[s] if gold[t][d] == g]) for s in "abc" for g in (0, 1)}
    lists = JudgedLists.of(
        aligned(runs, bronze, Scoring()), tg.Judge.fit(bronze, gold, design="random"), tg.parse_measure("P@5")
    )
    for s, found in zip("abc", favours(lists), strict=True):
        others = [o for o in "abc" if o != s]
        wanted = sum(share[g] * (error[s, g] - np.mean([error[o, g] for o in others])) for g in (0, 1))
        assert found.system == s
        assert found.value == pytest.approx(wanted)
        assert found.se is not None
        assert found.interval(3) == pytest.approx(
            (
                wanted - quantile_of(1 - 0.05 / 3, found.df) * found.se,
                wanted + quantile_of(1 - 0.05 / 3, found.df) * found.se,
            )
        )
        half = quantile_of(0.95, found.df) * found.se
        assert (found.low, found.high) == found.interval() == pytest.approx((wanted - half, wanted + half))
        assert found.p() == pytest.approx(p_of(wanted / found.se, found.df))
        assert found.p(10**9) == 1.0


def test_favours_that_cannot_be_told() -> None:
    """Guards systems without gold pairs of a label, one system that is left, and moves of a single topic."""
    gold = {str(t): {"a1": 1, "a0": 0, "b1": 1, "b0": 0, "c1": 1} for t in range(4)}
    bronze = {
        t: {d: g if (int(t) + i) % 3 else 1 - g for i, (d, g) in enumerate(row.items())} for t, row in gold.items()
    }
    runs = {s: {t: {d: 1.0 for d in row if d[0] == s} for t, row in gold.items()} for s in "abc"}

    def found(systems: str) -> tuple[Favour, ...]:
        ranked = aligned({s: runs[s] for s in systems}, bronze, Scoring())
        return favours(JudgedLists.of(ranked, tg.Judge.fit(bronze, gold, design="random"), tg.parse_measure("P@2")))

    with pytest.warns(DataWarning):
        three, two = found("abc"), found("ac")
    assert [f.value is None for f in three] == [False, False, True]
    assert [f.system for f in three] == ["a", "b", "c"]
    assert [f.value for f in two] == [None, None]
    assert [(f.p(), f.interval(), f.low, f.high) for f in two] == [(None, None, None, None)] * 2
    even = _favour("x", 0.1, np.array([0.1, 0.1]), np.array([0, 2]))  # worth 2 topics, which is enough
    assert (even.value, even.df) == pytest.approx((0.1, 1.0))
    assert even.se == pytest.approx(math.sqrt(2 * 0.02))
