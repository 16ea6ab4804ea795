"""Trials, effects and comparisons: how many are drawn, what pairs and tables hold, what is refused."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.judge_error.matrices import generated, scores_of
from truegain.errors import TruegainError
from truegain.stats import tests
from truegain.stats.multiple_testing import Trials
from truegain.stats.pair_tests import welch_rows
from truegain.stats.tests import MOST_WORK, Effort, effort_of, find_test
from truegain.study import compare as comparing

# ---------------------------------------------------------------------- trials


def test_effort_by_hand() -> None:
    """Guards how trials grow: for one pair, for adjusted ones, for all at once, and where it is too much work."""

    def of(test: str, trials: int | None, pairs: int, how: str | None = "holm", counting: Any = "plus-one") -> Effort:
        return effort_of(find_test(test), test, trials, pairs, 40, how, 0.05, counting)

    for test in ("bootstrap", "randomisation"):
        assert of(test, None, 1) == Effort(10_000, 10_000)
        assert of(test, 400, 10) == Effort(400, 400)
        grown = of(test, 399, 10)
        assert (grown.trials, grown.most, len(grown.notes)) == (399, 400, 1)
        assert "one of 399 trials that reaches a pair is too many" in grown.notes[0]
        assert "199 trials have none" in of(test, 199, 10).notes[0]
        assert "one of 200 trials" in of(test, 200, 10).notes[0]
        least = of(test, 19, 10)
        assert (least.trials, least.most) == (40, 400)
        assert (of(test, 20, 10).trials, of(test, 20, 10).most) == (20, 400)
        assert (of(test, 10, 10, "none").trials, of(test, 10, 10, "none").most) == (40, 40)
        assert (of(test, 10, 1).trials, of(test, 10, 1).most) == (40, 40)
        by = math.floor(20 * 10 * sum(1 / i for i in range(1, 11)))
        assert of(test, 10, 10, "by").most == 2 * by
        assert of(test, 200, 10, counting="published") == Effort(200, 200)
        with pytest.warns(UserWarning, match="give at least 200 trials"):
            assert of(test, 199, 10, counting="published") == Effort(199, 199)
        with pytest.warns(UserWarning, match="a difference asks for p below 0.05; 19 trials"):
            of(test, 19, 10, "none", counting="published")
    family = of("randomised-tukey-hsd", 39, 10, None)
    assert (family.trials, family.most) == (40, 40)
    assert of("randomised-tukey-hsd", 40, 10, None) == Effort(40, 40)
    assert of("paired-t", 5, 10) == Effort(5, 5)
    assert of("tukey-hsd", 5, 10, None) == Effort(5, 5)
    pairs = math.isqrt(MOST_WORK // 20)  # needed is 20 times as many, so this much is just allowed
    assert of("bootstrap", 100, pairs).most == 40 * pairs
    with pytest.raises(TruegainError, match=f"which takes {20 * (pairs + 1):,} trials"):
        of("bootstrap", 100, pairs + 1)
    allowed = of("bootstrap", 20 * (pairs + 1), pairs + 1)
    assert (allowed.trials, allowed.most) == (20 * (pairs + 1), 20 * (pairs + 1))
    assert "may find more" in allowed.notes[0]
    assert of("randomised-tukey-hsd", 10, 10**10, None).most == 40


@pytest.mark.parametrize(("topics", "told"), [(4, True), (5, True), (6, False), (7, False)])
def test_few_topics_are_told_where_no_p_can_be_small(topics: int, told: bool) -> None:
    """Guards 2^(1-n) < alpha for tests by signs: 1/16 is not below 0.05, 1/32 is; and how many topics it takes."""
    for test in ("sign", "wilcoxon", "randomisation"):
        found = effort_of(find_test(test), test, None, 1, topics, "holm", 0.05, "plus-one")
        assert (found.trials, found.most, bool(found.notes)) == (10_000, 10_000, told)
        if told:
            assert f"is below {2.0 ** (1 - topics):.2g}" in found.notes[0]
            assert "it takes 6 topics" in found.notes[0]
    assert effort_of(find_test("paired-t"), "paired-t", None, 1, topics, "holm", 0.05, "plus-one").notes == ()
    eight = effort_of(find_test("sign"), "sign", None, 8, topics, "holm", 0.0625, "plus-one").notes
    assert "it takes 9 topics" in eight[0]  # 2^-7 is 0.0625/8, not below; 2^-8 is
    assert effort_of(find_test("sign"), "sign", None, 8, 9, "holm", 0.0625, "plus-one").notes == ()
    assert effort_of(find_test("sign"), "sign", None, 8, 8, "holm", 0.0625, "plus-one").notes != ()


# ---------------------------------------------------------------------- comparisons


@pytest.mark.parametrize("test", ["paired-t", "tukey-hsd"])
def test_three_topics_are_enough_and_ten_are_not_few(test: str) -> None:
    """Guards the least number of topics, and the number from which on nothing is said of it."""
    said = "topics are few"
    assert said in " ".join(tg.compare(scores_of(generated(3, 3)), test=test).notes)
    assert said in " ".join(tg.compare(scores_of(generated(3, 9)), test=test).notes)
    assert said not in " ".join(tg.compare(scores_of(generated(3, 10)), test=test).notes)
    with pytest.raises(TruegainError, match="at least 3"):
        tg.compare(scores_of(generated(3, 2)), test=test)


def test_an_effect_that_some_pairs_lack() -> None:
    """Guards the column of effects where one pair has no spread to divide by, and where none has."""
    x = np.array([[0.1, 0.4, 0.2, 0.6], [0.35, 0.65, 0.45, 0.85], [0.3, 0.1, 0.9, 0.8]])
    found = tg.compare(scores_of(x), test="randomisation")
    rows = {(row[0], row[1]): dict(zip(found.table().columns, row, strict=True)) for row in found.table().rows}
    assert sum(row["effect"] is None for row in rows.values()) == 1
    assert [c.effect is None for c in found.pairs].count(True) == 1
    assert found.between("s0", "s1").effect is None
    alone = tg.compare(scores_of(x[:2]), test="randomisation")
    assert "effect" not in alone.table().columns
    same = tg.compare(scores_of(x[[0, 0]]), test="sign")
    assert (same.pairs[0].effect, same.pairs[0].p, same.pairs[0].difference) == (0.0, 1.0, 0.0)
    assert tg.compare(scores_of(x[[0, 0]]), test="welch").pairs[0].effect == 0.0


def test_effects_of_rows_by_hand() -> None:
    """Guards dz and Hedges' g of many pairs, 0 and NaN where there is no spread, against one at a time."""
    a, b = generated(3, 6, seed=1), generated(3, 6, seed=2)
    dz, g = tests._dz(b - a), tests._hedges(a, b)
    for i in range(3):
        z = b[i] - a[i]
        assert dz[i] == pytest.approx(z.mean() / z.std(ddof=1))
        pooled = math.sqrt((a[i].var(ddof=1) + b[i].var(ddof=1)) / 2)
        assert g[i] == pytest.approx((1 - 3 / 39) * z.mean() / pooled)
    flat = tests._dz(np.array([[0.0, 0.0, 0.0], [0.3, 0.1 + 0.2, 0.3], [-0.3, -0.1 - 0.2, -0.3]]))
    assert flat[0] == 0.0
    assert np.isnan(flat[1:]).all()
    rounded = np.array([[-0.3, -0.1 - 0.2, -0.3]])
    for one, two in ((np.zeros((1, 3)), rounded), (rounded, np.zeros((1, 3)))):
        assert np.isnan(tests._hedges(one, two)).all()
        with pytest.raises(TruegainError, match="Welch's t has no value"):
            welch_rows(one, two)
    constant = np.array([[0.5, 0.5], [0.0, 0.0]])
    assert tests._hedges(constant, constant).tolist() == [0.0, 0.0]
    assert np.isnan(tests._hedges(constant, 1 - constant / 4)).all()


def test_pairs_go_together_by_the_topics_they_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards means, p, limits and n of pairs that lack topics, in pieces of any size, and the pair that has too few."""
    x = generated(5, 9, seed=8)
    x[0, 2] = x[1, 2] = x[2, 5] = x[4, 0] = np.nan
    monkeypatch.setattr(tests, "CELLS", 20)
    told: list[int] = []
    with pytest.warns(UserWarning, match=r"10 of 10 pairs lack topics \(most: 2 of 9\)|9 of 10 pairs lack topics"):
        found = tg.compare(scores_of(x), test=tg.PublishedTest("paired-t", progress=told.append))
    assert sum(told) == 10
    for c in found.pairs:
        i, j = int(c.a[1]), int(c.b[1])
        both = ~np.isnan(x[i]) & ~np.isnan(x[j])
        theirs: Any = stats.ttest_rel(x[j, both], x[i, both])
        ends = theirs.confidence_interval(0.95)
        z = x[j, both] - x[i, both]
        assert (c.n, c.p, c.low, c.high) == pytest.approx((both.sum(), theirs.pvalue, ends.low, ends.high))
        assert (c.value_a, c.value_b) == pytest.approx((x[i, both].mean(), x[j, both].mean()))
        assert (c.difference, c.effect) == pytest.approx((z.mean(), z.mean() / z.std(ddof=1)))
    x[3, :7] = np.nan
    with (
        pytest.warns(UserWarning, match="lack topics"),
        pytest.raises(TruegainError, match=r"s\d and s\d have 2 topics in common; a test needs at least 3"),
    ):
        tg.compare(scores_of(x), test="paired-t")


def test_what_a_comparison_takes_and_refuses() -> None:
    """Guards the roles of scores, judgments, measure and options, the matrix of p, and settings nobody gave."""
    x = generated(4, 12, seed=1)
    found = tg.compare(scores_of(x), baseline="s2")
    p = found.p
    assert np.diag(p).tolist() == [1.0] * 4
    at = found.systems.index("s2")
    assert np.isnan(p).sum() == 6
    assert np.isfinite(p[at]).all()
    assert len(found) == 3
    assert [c.a for c in found] == ["s2"] * 3
    assert (found.means[0].confidence, found.alpha) == (0.95, 0.05)
    assert Trials() == Trials(10_000, None, 0, 0.95, None, "plus-one")
    run, qrels = {"1": {"a": 1.0}}, {"1": {"a": 1}}
    wrong: list[tuple[Any, str]] = [
        (lambda: tg.compare(scores_of(x), qrels), "scores are made already"),
        (lambda: tg.compare(scores_of(x), scoring=tg.Scoring(depth=3)), "scores are made already"),
        (lambda: tg.compare({"a": run}), "judgments are missing"),
        (lambda: tg.compare({"a": run}, qrels), "which measure"),
        (lambda: tg.compare({"a": run, "b": run}, None, "AP", gold=qrels), "gold labels correct runs"),
        (lambda: tg.compare({"a": run, "b": run}, qrels, None, gold=qrels), "gold labels correct runs"),
        (lambda: tg.compare(scores_of(x), qrels, "AP", gold=qrels), "gold labels correct runs"),
        (lambda: tg.compare({"a": run}, qrels, "AP", gold=qrels, test="sign"), "leave it out"),
        (lambda: tg.compare(scores_of(x), adjust="nothing"), "is not known"),
        (lambda: tg.compare(scores_of(x), test="nothing"), "test .nothing. is not known"),
    ]
    for call, message in wrong:
        with pytest.raises(TruegainError, match=message):
            call()


def test_pairs_wanted_are_all_or_those_of_the_baseline() -> None:
    """Guards order and roles: as the runs come, or the baseline first, each pair once."""
    places = np.array([2, 0, 3, 1])
    first, second = comparing._wanted(places, None)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == list(itertools.combinations([2, 0, 3, 1], 2))
    first, second = comparing._wanted(places, 1)
    assert (first.tolist(), second.tolist()) == ([0, 0, 0], [2, 3, 1])


def test_geometric_means_are_cut_at_the_floor() -> None:
    """Guards the logarithms: 0 counts as 1e-5, limits of means end at log(1e-5) and log(1)."""
    x = np.array([[0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 0.02]])
    scores = scores_of(x, "GMAP")
    found = tg.compare(scores, test="paired-t", confidence=0.99)
    floor = math.log(1e-5)
    assert [m.value for m in found.means] == pytest.approx([math.log(0.02) / 4, 3 * floor / 4])
    assert [m.high for m in found.means] == [0.0, 0.0]
    assert found.means[1].low == pytest.approx(floor)
    one = found.pairs[0]
    assert one.low == pytest.approx(floor)
    assert one.high == pytest.approx(-floor)
