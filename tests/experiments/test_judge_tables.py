"""The tables and figures of Goldberg et al. 2018: the printed numbers, and the same tables on one's own data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import truegain as tg
from tests.worlds import study as world_of
from truegain.experiments.judge_labels import EBAY_AGREEMENT, agreement_table, implied_share
from truegain.experiments.judge_tables import (
    EBAY,
    EBAY_BY_QUERY,
    TREC,
    JudgeStudy,
    accuracy_table,
    confusion_table,
    corrected_table,
    difference_table,
    judge_study,
    simulation_table,
    simulations,
    sizes_table,
)
from truegain.judge_error.judge import Judge
from truegain.report.judge_paper import simulation_chart
from truegain.results.base import Table


def rows(table: Table) -> list[dict[str, Any]]:
    """The rows of a table."""
    return table.records()


def test_section_7_comes_out() -> None:
    """Guards eq. 5, 7, 9 and 11 on the paper's figures: 0.805 and 0.828, 0.0903 and 0.0923, 0.011 and 0.854."""
    a, b = rows(corrected_table((EBAY,), trials=20_000))
    assert (round(a["value"], 3), round(b["value"], 3)) == (0.805, 0.828)
    assert (round(a["se"], 4), round(b["se"], 4)) == (0.0903, 0.0923)
    naive, separate, welch, shared = rows(difference_table((EBAY,)))
    assert math.floor(naive["p"] * 1000) / 1000 == 0.011  # 0.0116: the paper cuts the last digit off
    assert round(separate["p"], 3) == round(welch["p"], 3) == 0.854
    assert round(shared["p"], 3) == 0.017
    # algorithm 1 against draws of our own; it is above eq. 7, which is linear in the rates
    rng = np.random.default_rng(5)
    m_r, m_n = rng.binomial(59, 43 / 59, 200_000) / 59, rng.binomial(84, 67 / 84, 200_000) / 84
    j = rng.normal(0.626, 0.414 / math.sqrt(10278), 200_000)
    assert a["bootstrap se"] == pytest.approx(((j - 1 + m_n) / (m_r + m_n - 1)).std(), rel=0.03)
    # section 3.8 against the same draws, whose mean is above the plain ratio by the bias, to second order
    drawn = float(((j - 1 + m_n) / (m_r + m_n - 1)).mean()) - a["plain ratio"]
    assert a["bias"] == pytest.approx(drawn, abs=0.002)


def test_section_7_divides_by_pairs() -> None:
    """Guards the slip: s is over queries and n counts pairs, 3 a query; with n of queries the naive p is 0.145."""
    assert [mean.n for mean in EBAY.means.values()] == [10278, 20604] == [3 * 3426, 3 * 6868]
    assert [mean.n for mean in EBAY_BY_QUERY.means.values()] == [3426, 6868]
    naive, _, _, shared = rows(difference_table((EBAY_BY_QUERY,)))
    t = 0.0125 / math.sqrt(0.414**2 / 3426 + 0.402**2 / 6868)
    assert naive["p"] == pytest.approx(2 * stats.norm.sf(t), abs=1e-4)
    assert round(naive["p"], 3) == 0.145
    assert round(shared["p"], 3) == 0.153
    assert any("3426 and 6868 queries" in note for note in difference_table().notes)
    assert not any("3426" in note for note in difference_table((EBAY,)).notes)


def test_table_2_adds_up() -> None:
    """Guards table 2 and eq. 3: the gold shares and what bronze says of each make the bronze mean, where it can be."""
    relevant, other, every = rows(confusion_table((EBAY,)))[:3]
    assert [round(relevant["bronze relevant"], 3), round(other["bronze non-relevant"], 3)] == [0.729, 0.798]
    mean = sum(row["share"] * row["bronze relevant"] for row in (relevant, other))
    assert mean == pytest.approx(every["bronze relevant"]) == pytest.approx(0.626)
    assert [row["share"] for row in rows(confusion_table((TREC,)))] == [1, 0, 1, 1, 0, 1]


def test_table_4_is_not_consistent() -> None:
    """Guards table 4 and eq. 17: rates as printed, and means above what the judge can say."""
    doc, york = rows(accuracy_table((TREC,)))
    printed = ("mean", "sd", "n", "both relevant", "gold relevant", "both non-relevant", "gold non-relevant")
    assert [doc[name] for name in printed] == [0.527, 0.240, 50, 17, 38, 216, 262]
    assert [york[name] for name in printed] == [0.513, 0.260, 50, 14, 50, 230, 285]
    assert [round(doc["sensitivity"], 3), round(doc["specificity"], 3)] == [0.447, 0.824]
    assert [round(york["sensitivity"], 3), round(york["specificity"], 3)] == [0.280, 0.807]
    assert [row["possible"] for row in rows(accuracy_table())] == [True, True, False, False]
    assert len(accuracy_table((TREC,)).notes) == 2
    plain = [row["plain ratio"] for row in rows(corrected_table((TREC,), trials=100))]
    assert [round(value, 2) for value in plain] == [1.29, 3.68]
    (naive,) = rows(difference_table((TREC,)))  # a judge that is hardly better than chance corrects nothing
    assert naive["formula"] == "bronze labels (eq. 9)"


def test_power_of_sections_5_and_8() -> None:
    """Guards eq. 26 (2453) and eq. 31 (infinite) by the table, other powers and shares, and equal means."""
    naive, corrected = rows(sizes_table((TREC,)))
    assert int(naive["n"]) == 2453
    assert [corrected[name] for name in ("n", "nR a", "nN a", "nR b", "nN b")] == [math.inf] * 5
    _, third = rows(sizes_table((EBAY,)))
    _, more = rows(sizes_table((EBAY,), shares=(0.5, 0.25, 0.25)))
    assert round(third["n"]) == 24561
    assert more["n"] == pytest.approx(third["n"] * (1 / 3) / 0.5)
    assert more["nR b"] == pytest.approx(third["nR b"] * (1 / 3) / 0.25)
    eighty = rows(sizes_table((EBAY,), p=0.01, power=0.8))[0]["n"]
    far = (stats.norm.ppf(0.995) + stats.norm.ppf(0.8)) / stats.norm.ppf(0.975)
    assert eighty == pytest.approx(rows(sizes_table((EBAY,)))[0]["n"] * far**2, rel=1e-6)
    same = JudgeStudy("", {"x": EBAY.means["a"], "y": EBAY.means["a"]}, EBAY.judges, {})
    assert sizes_table((same,)).rows == []
    assert sum("infinitely many" in note for note in sizes_table((same,)).notes) == 2
    assert '"n": "inf"' in sizes_table((TREC,)).render("json").decode()


def test_figure_2_and_the_coverage_of_section_6() -> None:
    """Guards section 6: 5% and 95%; by sd / sqrt(10), as the text has it for 50 queries, it would be 76%."""
    worlds = simulations(trials=10_000)
    bronze, corrected = rows(simulation_table(worlds))
    assert bronze["truth"] == pytest.approx(0.4)
    assert bronze["mean"] == pytest.approx(0.4 * 0.9 + 0.6 * 0.2, abs=0.001)
    assert round(bronze["coverage"], 2) == 0.05
    assert round(corrected["coverage"], 2) == 0.95
    assert 0.999 < bronze["above truth"] <= 1  # figure 2: almost always
    assert 0.48 < corrected["above truth"] < 0.52
    world = worlds["simulated"]
    by_ten = np.abs(world.naive - 0.4) <= 1.959964 * world.naive_se * math.sqrt(50 / 10)
    assert round(by_ten.mean(), 2) == 0.76
    drawn = simulation_chart(worlds).to_dict()["vconcat"][0]
    bars = drawn["layer"][0]["data"]["values"]
    assert "0.400" in drawn["title"]["text"]
    assert {kind: sum(bar["studies"] for bar in bars if bar["labels"] == kind) for kind in ("bronze", "corrected")} == {
        "bronze": 10_000,
        "corrected": 10_000,
    }


def by_name(table: Table) -> dict[str, Any]:
    """Statistics by their names."""
    return {str(name): value for name, value in table.rows}


def ratings_of(votes: Sequence[tuple[int, ...]]) -> pl.DataFrame:
    """Documents with so many labels each."""
    rated = [("1", f"d{d}", f"x{i}", label) for d, labels in enumerate(votes) for i, label in enumerate(labels)]
    return pl.DataFrame(rated, schema=["topic", "doc", "assessor", "label"], orient="row")


def test_table_3_and_the_kappa_it_prints() -> None:
    """Guards table 3: its sums, and that ratings with the share which the printed kappa needs do have that kappa."""
    found = by_name(agreement_table())
    assert found["2 judges, different labels"] == 296
    assert found["3 judges, different labels"] == 5193
    assert found["ratings of documents with two or more"] == 59_360
    assert sum(EBAY_AGREEMENT.agreed.values()) == 14_741
    assert found["documents"] == 20_481  # more than the top three of each of 6,787 queries
    equal = found["mean agreement of two labels"]
    assert equal == pytest.approx((14_741 + 5193 / 3) / 20_230)
    share = found["share of the more frequent label that this kappa needs"]
    relevant = round(59_360 * share)  # of all labels; split documents hold 2 of 3 and 1 of 2 of them
    in_threes = (relevant - 2 * 5193 - 296) - 2 * 700
    votes: list[tuple[int, ...]] = []
    for kind, documents in (((1, 0), 296), ((1, 1, 0), 5193), ((1, 1), 700), ((0, 0), 334)):
        votes += [kind] * documents
    votes += [(1, 1, 1)] * (in_threes // 3) + [(0, 0, 0)] * (13_707 - in_threes // 3)
    table = by_name(agreement_table(ratings_of(votes)))
    assert round(table["Fleiss' kappa"], 3) == 0.514
    assert table["mean agreement of two labels"] == pytest.approx(equal)
    for wrong in ((0.5, 1.0), (0.2, 0.9)):
        with pytest.raises(tg.TruegainError, match="kappa"):
            implied_share(*wrong)


def test_agreement_of_ones_own_ratings() -> None:
    """Guards Fleiss' kappa without documents of one judge, pair by pair, and the supermajority."""
    votes = [(1, 1, 0), (0, 0, 0), (1, 1), (1, 0), (1,), (0,), (0, 0, 1), (1, 1, 1)]
    found = by_name(agreement_table(ratings_of(votes)))
    several = [v for v in votes if len(v) > 1]
    agreed = np.mean([np.mean([x == y for x, y in combinations(v, 2)]) for v in several])
    share = np.mean([label for v in several for label in v])
    chance = share**2 + (1 - share) ** 2
    assert found["Fleiss' kappa"] == pytest.approx((agreed - chance) / (1 - chance))
    assert found["documents rated by 1 judge"] == 2
    assert found["3 judges, equal labels"] == 2
    assert found["relevant by supermajority"] == 4 / 8  # two of three, two of two, one of one, three of three


@pytest.mark.parametrize("accuracy", ["given", "system"])
def test_ones_own_data(accuracy: Any) -> None:
    """Guards the table of table 4, eq. 7 and eq. 9 on runs, bronze and gold labels, counted here one by one."""
    runs, bronze, everything = world_of(3, topics=25, docs=8)
    rng = np.random.default_rng(0)
    gold = {t: {d: g for d, g in row.items() if rng.random() < 0.5} for t, row in everything.items()}
    found = judge_study(runs, bronze, tg.Gold(gold, "random"), "P@4", accuracy=accuracy)
    for s, row in zip("ab", rows(accuracy_table((found,))), strict=True):
        top = {t: [f"{s}{i}" for i in range(4)] for t in bronze}
        scores = np.array([np.mean([bronze[t][d] for d in top[t]]) for t in bronze])
        pairs = [(gold[t][d], bronze[t][d]) for t in gold for d in gold[t] if accuracy == "given" or d in top[t]]
        n_r, n_n = sum(g for g, _ in pairs), sum(1 - g for g, _ in pairs)
        k_r, k_n = sum(b for g, b in pairs if g), sum(1 - b for g, b in pairs if not g)
        assert [row["both relevant"], row["gold relevant"]] == [k_r, n_r]
        assert [row["both non-relevant"], row["gold non-relevant"]] == [k_n, n_n]
        assert [row["mean"], row["sd"], row["n"]] == pytest.approx([scores.mean(), scores.std(ddof=1), 25])
        m_r, m_n = k_r / n_r, k_n / n_n
        d = m_r + m_n - 1
        (corrected,) = [r for r in rows(corrected_table((found,), trials=100)) if r["system"] == s]
        assert corrected["plain ratio"] == pytest.approx((scores.mean() - 1 + m_n) / d)
        variance = scores.var(ddof=1) / 25 / d**2
        variance += m_r * (1 - m_r) / n_r * (scores.mean() - 1 + m_n) ** 2 / d**4
        variance += m_n * (1 - m_n) / n_n * (scores.mean() - m_r) ** 2 / d**4
        assert corrected["se"] == pytest.approx(math.sqrt(variance))
        by_rank = [np.mean([bronze[t][top[t][i]] for t in bronze]) for i in range(4)]
        expected = [min(1.0, max(0.0, (j - 1 + m_n) / d)) for j in by_rank]
        assert found.relevance[s] == pytest.approx(expected)
    x, y = (np.array([np.mean([bronze[t][f"{s}{i}"] for i in range(4)]) for t in bronze]) for s in "ab")
    naive, *others = rows(difference_table((found,)))
    assert naive["p"] == pytest.approx(stats.ttest_ind(x, y, equal_var=False).pvalue)
    assert len(others) == (3 if accuracy == "given" else 2)
    if accuracy == "given":
        d = found.judges[0].informedness
        rates = found.judges[0].rates()
        t = (y - x).mean() / d
        spread = (y - x).var(ddof=1) / 25 / d**2 + t**2 * (rates.v_r + rates.v_n) / d**2
        assert others[-1]["p"] == pytest.approx(2 * stats.norm.sf(abs(t) / math.sqrt(spread)))
    assert {len(world.naive) for world in simulations(found, trials=50).values()} == {50}


def test_only_precision_is_corrected_by_these_formulas() -> None:
    """Guards other measures, which are refused with what to use."""
    runs, bronze, gold = world_of(3, topics=5, docs=4)
    for measure in ("DCG@5", "AP", "RBP"):
        with pytest.raises(tg.TruegainError, match="use P@10"):
            judge_study(runs, bronze, tg.Gold(gold, "random"), measure)


def test_one_judge_by_chance_leaves_the_other_systems_in() -> None:
    """Guards tables of several judges: one who is right by chance takes his own system out, with a reason."""
    judges = TREC.judges[0], Judge.from_counts(relevant=(10, 20), nonrelevant=(10, 20))
    study = replace(TREC, judges=judges)
    for table in (confusion_table([study]), corrected_table([study], trials=200)):
        assert {row[table.columns.index("system")] for row in table.rows} == {"DocRun02"}
        assert any(note.startswith("york07ed4 is left out: ") for note in table.notes)


def test_a_plain_ratio_outside_0_to_1_has_no_interval() -> None:
    """Guards an interval of the plain ratio beside a value that was limited: its lower limit could lie above it."""
    table = corrected_table([EBAY, TREC], trials=200)
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    for row in rows:
        inside = 0 <= float(str(row["plain ratio"])) <= 1
        assert (row["low"] is not None) == (row["high"] is not None) == inside
    assert {row["low"] is None for row in rows} == {True, False}


def test_equal_means_have_no_difference() -> None:
    """Guards that sums in another order, which differ by rounding, are a difference of 0."""
    relevant = {"a": [9, 2, 1, 3, 4, 8, 4], "b": [1, 9, 4, 3, 2, 4, 8]}
    labels = {str(t): {f"{s}{i}": int(i < n[t]) for s, n in relevant.items() for i in range(10)} for t in range(7)}
    runs = {s: {t: {d: -float(d[1:]) for d in docs if d[0] == s} for t, docs in labels.items()} for s in "ab"}
    noisy = {t: {d: x if d[1] != "5" else 1 - x for d, x in docs.items()} for t, docs in labels.items()}
    study = judge_study(runs, noisy, tg.Gold(labels, "random"), "P@10")
    rows = difference_table([study]).records()
    near = [row["difference"] for row in rows if abs(float(str(row["difference"]))) < 1e-9]
    assert len(near) == len(rows)
    assert set(near) == {0.0}
