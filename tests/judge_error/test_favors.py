"""Whom a judge favors: by loops over pairs, p and limits over topics."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.errors import DataWarning
from truegain.judge_error import diagnostics
from truegain.judge_error.diagnostics import _favor, favors, homogeneity
from truegain.judge_error.favor import Favor
from truegain.judge_error.fits import JudgedLists
from truegain.stats.student_t import p_of, quantile_of


def test_favors_against_a_loop() -> None:
    """Guards the favor of each of three systems over the mean of the others, by gold label, by sums over pairs."""
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
    for s, found in zip("abc", favors(lists), strict=True):
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


def test_favors_where_all_gold_labels_are_relevant() -> None:
    """Guards labels that no gold pair of the lists has: a favor is that of the labels there are."""
    rng = np.random.default_rng(7)
    gold = {str(t): {f"d{i}": int(i < 8) for i in range(12)} for t in range(12)}
    bronze = {t: {d: g if rng.random() < 0.7 else 1 - g for d, g in row.items()} for t, row in gold.items()}
    runs = {s: {t: {f"d{i}": float(rng.random()) for i in range(8)} for t in gold} for s in "ab"}
    top = {s: [(t, d) for t, row in runs[s].items() for d in sorted(row, key=lambda d: -row[d])[:5]] for s in "ab"}
    error = {s: np.mean([bronze[t][d] - 1 for t, d in top[s]]) for s in "ab"}
    lists = JudgedLists.of(
        aligned(runs, bronze, Scoring()), tg.Judge.fit(bronze, gold, design="random"), tg.parse_measure("P@5")
    )
    assert [found.value for found in favors(lists)] == pytest.approx([error["a"] - error["b"], error["b"] - error["a"]])


def test_favors_that_cannot_be_told() -> None:
    """Guards systems with too few gold pairs of a label, one system that is left, and moves of a single topic."""
    gold = {str(t): {"a1": 1, "a0": 0, "b1": 1, "b0": 0, "c1": 1} for t in range(10)}
    gold |= {"10": {"c0": 0}}
    bronze = {
        t: {d: g if (int(t) + i) % 3 else 1 - g for i, (d, g) in enumerate(row.items())} for t, row in gold.items()
    }
    runs = {s: {t: {d: 1.0 for d in row if d[0] == s} for t, row in gold.items()} for s in "abc"}

    def found(systems: str) -> tuple[Favor, ...]:
        ranked = aligned({s: runs[s] for s in systems}, bronze, Scoring())
        return favors(JudgedLists.of(ranked, tg.Judge.fit(bronze, gold, design="random"), tg.parse_measure("P@2")))

    with pytest.warns(DataWarning):
        three, two = found("abc"), found("ac")
    assert [f.value is None for f in three] == [False, False, True]
    assert [f.system for f in three] == ["a", "b", "c"]
    assert [f.lacks for f in three] == ["", "", "1 non-relevant"]
    assert [f.value for f in two] == [None, None]
    assert [(f.p(), f.interval(), f.low, f.high) for f in two] == [(None, None, None, None)] * 2
    even = _favor("x", 0.1, np.array([0.1, 0.1]), np.array([0, 2]))  # worth 2 topics, which is enough
    assert (even.value, even.df) == pytest.approx((0.1, 1.0))
    assert even.se == pytest.approx(math.sqrt(2 * 0.02))


def equal_judge(seed: int) -> JudgedLists:
    """20 systems, documents rarely relevant, gold labels of one in ten, and a judge equally good for all systems."""
    rng = np.random.default_rng(seed)
    truth = rng.random((40, 60)) < 0.1
    said = np.where(truth, rng.random(truth.shape) < 0.7, rng.random(truth.shape) < 0.05)
    drawn = rng.random(truth.shape) < 0.1

    def labels(values: np.ndarray, keep: np.ndarray) -> dict[str, dict[str, int]]:
        return {str(t): {str(d): int(values[t, d]) for d in np.flatnonzero(keep[t])} for t in range(40)}

    bronze = labels(said, np.ones(truth.shape, np.bool_))
    runs = {}
    for s, skill in enumerate(np.linspace(-0.5, 1.5, 20)):
        scores = rng.gumbel(size=truth.shape) + skill * truth
        runs[f"s{s}"] = {str(t): {str(d): float(scores[t, d]) for d in np.argsort(-scores[t])[:10]} for t in range(40)}
    judge = tg.Judge.fit(bronze, labels(truth, drawn), design="random")
    return JudgedLists.of(aligned(runs, bronze, Scoring()), judge, tg.parse_measure("P@10"))


def test_a_few_gold_labels_show_no_favor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards systems with few relevant gold documents: of an equal judge they alone were "shown" to be favored."""
    worlds = [equal_judge(seed) for seed in range(8)]

    def alarms() -> int:
        return sum(any(f.value is not None and (f.p(20) or 0.0) < 0.05 for f in favors(x)) for x in worlds)

    tested = [f for lists in worlds for f in favors(lists) if f.value is not None]
    assert len(tested) > 16
    assert alarms() == 0
    monkeypatch.setattr(diagnostics, "LEAST_OF_KIND", 1)
    assert alarms() >= 2


def test_who_is_left_out_is_named() -> None:
    """Guards the note and the table: a system with one relevant gold document has no favor, the others keep theirs."""
    rng = np.random.default_rng(3)
    gold = {str(t): {f"{s}{i}": int(i < 2) for s in "abc" for i in range(4)} for t in range(12)}
    bronze = {t: {d: g if rng.random() < 0.7 else 1 - g for d, g in row.items()} for t, row in gold.items()}
    runs = {s: {t: {d: -float(d[1]) for d in row if d[0] == s} for t, row in gold.items()} for s in "abc"}
    some = {t: {d: g for d, g in row.items() if d[0] != "c" or g == 0 or t == "7"} for t, row in gold.items()}
    some["7"].pop("c1")
    lists = JudgedLists.of(
        aligned(runs, bronze, Scoring()), tg.Judge.fit(bronze, some, design="random"), tg.parse_measure("P@4")
    )
    found = homogeneity(lists, trials=100)
    assert [f.value is None for f in found.favors] == [False, False, True]
    assert found.table().rows[2][1] == 1
    assert found.table().rows[2][-3:] == (None, None, None)
    needs = "10 relevant and 10 non-relevant gold documents of a system"
    assert found.finding.endswith(f"Left out of the test of favor, which needs {needs}: c (1 relevant).")


def test_of_each_grade_there_must_be_some() -> None:
    """Guards graded labels: three gold pairs of a grade are enough beside ten of either kind, two are not."""
    rng = np.random.default_rng(3)
    gold = {str(t): {f"{s}{i}": (0, 0, 1, 1)[i] for s in "abc" for i in range(4)} for t in range(12)}
    for s, n in (("a", 3), ("b", 3), ("c", 2)):
        for t in range(n):
            gold[str(t)][f"{s}3"] = 2
    bronze = {t: {d: int(rng.integers(3)) for d in row} for t, row in gold.items()}
    runs = {s: {t: {d: -float(d[1]) for d in row if d[0] == s} for t, row in gold.items()} for s in "abc"}
    judge = tg.Judge.fit(bronze, gold, design="random")
    found = homogeneity(JudgedLists.of(aligned(runs, bronze, Scoring()), judge, tg.parse_measure("CG@4")), trials=100)
    assert [f.lacks for f in found.favors] == ["", "", "2 of label 2"]
    assert found.finding.endswith("10 non-relevant gold documents of a system, 3 of each label: c (2 of label 2).")


def test_p_and_interval_of_a_favor() -> None:
    """Guards t over topics: two-sided p and limits by scipy, for one test and for three."""
    f = Favor("x", 0.1, 0.04, 12.0)
    p, t = 2 * stats.t.sf(2.5, 12), stats.t.ppf(0.975, 12)
    assert (f.p(), f.p(3), f.p(1000)) == pytest.approx((p, 3 * p, 1.0), rel=1e-6)
    assert (f.low, f.high) == pytest.approx((0.1 - t * 0.04, 0.1 + t * 0.04), rel=1e-6)
    t = stats.t.ppf(1 - 0.025 / 3, 12)
    assert f.interval(3) == pytest.approx((0.1 - t * 0.04, 0.1 + t * 0.04), rel=1e-6)


def test_the_variance_of_a_favor_is_over_topics() -> None:
    """Guards moves summed by topic, topics counted as (sum)^2 / sum of squares, and the floor of independent pairs."""
    moves, topic = np.array([0.1, 0.1, -0.2, -0.1, 0.1]), np.array([0, 0, 1, 2, 3])
    m = 0.6**2 / (0.2**2 + 0.2**2 + 0.1**2 + 0.1**2)
    found = _favor("x", 0.3, moves, topic)
    assert found.df == pytest.approx(m - 1)
    assert found.se == pytest.approx(math.sqrt(0.1 * m / (m - 1)))
    balanced = _favor("x", 0.3, np.array([0.1, -0.1, 0.1, -0.1]), np.array([0, 0, 1, 1]))
    assert balanced.se == pytest.approx(0.2)
    assert balanced.df == pytest.approx(1.0)
    assert _favor("x", 0.3, np.array([0.1, 0.1]), np.array([1, 1])).se is None
    assert _favor("x", 0.3, np.array([0.3, 0.1]), np.array([0, 1])).se is None  # worth 1.6 topics
