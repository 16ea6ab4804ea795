"""Differences of corrected scores: families of p, guards, refusals, and the verdict at the limit."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from scipy import optimize

import truegain as tg
from tests.worlds import EBAY, study
from truegain.judge_error.confusion import Rates
from truegain.stats.contrasts import Contrasts
from truegain.stats.results import Comparison, Estimate, ResultList
from truegain.stats.student_t import p_of, quantile_of
from truegain.study import estimators
from truegain.study.compare import _sentences
from truegain.study.estimates import MeasureEstimates
from truegain.study.estimators import Plain
from truegain.study.variance import VarianceModel

ALPHA = 1 - 0.95  # as the code has it: a little above .05


def answer(system: str, value: float | None, **more: Any) -> Estimate:
    """A system with this corrected score."""
    plain = Estimate(
        system, "P@10", math.nan if value is None else value, 0.0, 1.0, uncorrected=0.5, gold="random", n=9
    )
    return replace(plain, **more)


def pair(p: float, difference: float = 0.1, **more: Any) -> Comparison:
    """A comparison of a and b."""
    plain = Comparison("a", "b", "P@10", 0.3, 0.3 + difference, difference, -1.0, 1.0, p)
    return replace(plain, **more)


def test_p_equal_to_alpha_is_no_difference() -> None:
    """Guards the count of pairs that differ and the verdict at the limit; the adjusted p rules where there is one."""
    for p, clear in ((ALPHA, 0), (float(np.nextafter(ALPHA, 0)), 1)):
        found = ResultList((pair(p), pair(0.9, p_adjusted=p)))
        assert found.significant == 2 * clear
        assert ResultList((pair(0.001, p_adjusted=p),)).significant == clear
        verdict = "b is better than a" if clear else "b and a are not significantly different"
        assert f"errors, {verdict} on P@10 (difference +0.100, p = 0.05)." in _sentences([pair(p)])[0]
        assert _sentences([pair(p)] * 4)[0].startswith(f"{4 * clear} of 4 pairs differ")
    assert "a is better than b on P@10 (difference -0.100" in _sentences([pair(0.01, -0.1)])[0]
    assert "p, not adjusted for their number, below 0.05" in _sentences([pair(0.2)] * 4)[0]
    assert "adjusted p (bh) below 0.05" in _sentences([pair(0.2, adjustment="bh")] * 4)[0]
    assert len(_sentences([pair(0.2)] * 3)) == 3
    told = pair(0.2, p_adjusted=0.4, adjustment="holm", uncorrected=0.05, uncorrected_p=0.03)
    assert "adjusted p = 0.4; uncorrected +0.050, p = 0.03, not adjusted)" in _sentences([told])[0]
    assert "p = 0.2; uncorrected +0.050)" in _sentences([pair(0.2, uncorrected=0.05)])[0]


def test_a_comparison_is_found_in_either_order() -> None:
    """Guards `between` and its refusal."""
    found = ResultList((pair(0.2), pair(0.3, b="c")))
    assert (found.between("c", "a").p, found.between("a", "b").p, len(found)) == (0.3, 0.2, 2)
    with pytest.raises(tg.TruegainError, match="b and c were not compared; there are a, b, c"):
        found.between("b", "c")


def test_the_naive_difference_is_a_paired_t() -> None:
    """Guards what the bronze labels say: mean and p over topics, no p without any spread."""
    scores = np.array([[0.1, 0.5, 0.4], [0.3, 0.4, 0.8], [0.35, 0.75, 0.65], [0.2, 0.6, 0.5]])
    corrected, bronze = Plain(np.eye(4)[:, :3], tuple("123")), Plain(scores, tuple("123"))
    model = VarianceModel(corrected, bronze, frozenset(["topics"]))
    engine = MeasureEstimates(tuple("abcd"), tg.parse_measure("P@10"), model, 0.95, 3)
    one, quarter, tenth = engine.differences(Contrasts.of([(0, 1), (0, 2), (0, 3)]))
    d = np.array([0.2, -0.1, 0.4])
    assert one.uncorrected == pytest.approx(d.mean())
    assert one.uncorrected_p == pytest.approx(p_of(d.mean() / (d.std(ddof=1) / math.sqrt(3)), 2.0))
    assert [x.uncorrected for x in (quarter, tenth)] == pytest.approx([0.25, 0.1])
    assert [x.uncorrected_p for x in (quarter, tenth)] == [None, None]


@pytest.mark.parametrize(("measure", "weight"), [("P@5", [0.2] * 5), ("DCG@3", [1.0, 1 / math.log2(3), 0.5, 0, 0])])
def test_the_guard_of_a_difference_sees_the_bronze_difference(
    measure: str, weight: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards what the guard is given (difference of bronze means and its variance) and what becomes of its answer."""
    runs, bronze, _ = study(1, topics=9, docs=5)
    a, b = ([np.dot(weight, [bronze[t][d] for d in runs[s][t]]) for t in bronze] for s in "ab")
    scale = sum(weight)
    change = (np.array(b) - np.array(a)) / scale  # as a share of the highest score
    seen: list[tuple[float, float]] = []
    given: list[tuple[float, float] | None] = [None]

    def guard(d: float, v: float, rates: Rates, t: float) -> tuple[float, float] | None:
        assert (rates.j, rates.v_j, rates.size_j, rates.m_r) == (0.5, 0.0, 1.0, EBAY.sensitivity)
        assert t > 1.95
        seen.append((d, v))
        return given[0]

    def limits(answer: tuple[float, float] | None) -> tuple[float, float]:
        given[0] = answer
        found = tg.compare(runs, bronze, measure, gold=EBAY).pairs[0]
        assert found.low is not None
        assert found.high is not None
        return found.low, found.high

    monkeypatch.setattr(estimators, "guarded_difference", guard)
    plain = limits(None)
    assert seen[0] == pytest.approx((change.mean(), change.var(ddof=1) / 9))
    assert limits((-0.9, 0.95)) == pytest.approx((-0.9 * scale, 0.95 * scale))
    assert limits((-0.001, 0.001)) == plain
    assert len(seen) == 3
    for words in ({"method": "delta"}, {"clusters": "none"}, {"gold_sample": "separate"}):
        tg.compare(runs, bronze, measure, gold=EBAY, test=tg.PublishedTest(**cast("Any", words)))
    assert len(seen) == 3


def test_systems_with_the_same_scores_are_not_compared() -> None:
    """Guards a difference without variance, how often a refusal is counted, and the family of p."""
    runs, bronze, _ = study(2, topics=8, docs=5)
    copies = {"a": runs["a"], "b": runs["b"], "c": runs["a"]}
    found = tg.compare(copies, bronze, "P@5", gold=EBAY, adjust="bonferroni")
    same = "the two score the same in every topic, so these data cannot separate them"
    assert f"1 of 3 pairs were not compared (c - a): {same}" in found.notes
    assert [(c.a, c.b) for c in found.pairs] == [("a", "b"), ("b", "c")]
    for c in found.pairs:
        assert c.p is not None
        assert c.p_adjusted == pytest.approx(min(1.0, 3 * c.p))
    with pytest.raises(tg.TruegainError, match="c - a, P@5: the two score the same in every topic"):
        tg.compare({"a": runs["a"], "c": runs["a"]}, bronze, "P@5", gold=EBAY)


def test_two_systems_have_no_family() -> None:
    """Guards p of a single pair, which is left as it is, and of a baseline with one other system."""
    runs, bronze, _ = study(3, topics=8, docs=5)
    for words in ({}, {"baseline": "b"}, {"adjust": "none"}):
        one = tg.compare(runs, bronze, "P@5", gold=EBAY, **cast("Any", words)).pairs[0]
        assert (one.p_adjusted, one.adjustment) == (None, "")
    with pytest.raises(tg.TruegainError, match=r"at least 2 systems; there is 1 \(a\)"):
        tg.compare({"a": runs["a"]}, bronze, "P@5", gold=EBAY)


def off(df: float, half: float) -> float:
    """How far a quantile of Student's t is from this one."""
    return quantile_of(0.95, df) - half


def test_welch_of_separate_gold_samples() -> None:
    """Guards the sum of two variances and its degrees of freedom against the two answers alone."""
    runs, bronze, _ = study(4, topics=12, docs=5)
    alone = tg.correct(runs, bronze, "P@5", gold=EBAY, method="delta")
    one = tg.compare(
        runs, bronze, "P@5", gold=EBAY, test=tg.PublishedTest(gold_sample="separate", method="delta")
    ).pairs[0]
    v = [(a.se or 0.0) ** 2 for a in alone]
    assert one.high is not None
    half, d = one.high - one.difference, one.difference
    assert d == pytest.approx((alone[1].value or 0.0) - (alone[0].value or 0.0))
    df = [0.0, 0.0]
    for i, a in enumerate(alone):  # the degrees of freedom that each interval was made with
        df[i] = float(optimize.brentq(off, 5.0, 5000.0, args=(a.width / 2 / math.sqrt(v[i]),)))
    welch = (v[0] + v[1]) ** 2 / (v[0] ** 2 / df[0] + v[1] ** 2 / df[1])
    assert half == pytest.approx(quantile_of(0.95, welch) * math.sqrt(v[0] + v[1]), rel=1e-6)
    assert one.p == pytest.approx(p_of(d / math.sqrt(v[0] + v[1]), welch), rel=1e-6)


def test_pairs_refused_by_rectifying_are_counted() -> None:
    """Guards what is said of pairs that gold pairs cannot compare: one by its reason, several by their number."""
    runs, bronze, gold = study(9, topics=10, docs=5)
    words: dict[str, Any] = {"gold": tg.Gold(gold, design="random"), "resampling": tg.Resampling(n=100)}
    three = {"a": runs["a"], "b": runs["b"], "c": runs["a"]}
    one = tg.compare(three, bronze, "P@5", **words)
    assert one.notes[-3].startswith("1 of 3 pairs were not compared (c - a): the two score the same")
    many = tg.compare({**three, "d": runs["a"]}, bronze, "P@5", **words)
    assert many.notes[-4].startswith("3 of 6 pairs were not compared (c - a, d - a, d - c): ")
    assert len(many) == 3
    assert all(c.p_adjusted == pytest.approx(min(1.0, 6 * (c.p or 0.0))) for c in many.pairs[:1])
