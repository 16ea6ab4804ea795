"""Corrected scores and differences at their limits: ties, one system, no spread, refusals, and what a sentence says."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from scipy import optimize

import truegain as tg
from tests.worlds import EBAY, study
from truegain.judge_error import intervals
from truegain.judge_error.confusion import Rates
from truegain.judge_error.panel import Judges
from truegain.stats.results import Comparison, Estimate, ResultList
from truegain.stats.student_t import p_of, quantile_of
from truegain.study.corrected_pairs import _finished, _sentences
from truegain.study.corrected_scores import Corrections, Leaders, leaders_of, sentence_of

ALPHA = 1 - 0.95  # as the code has it: a little above .05


def answer(system: str, value: float | None, **more: Any) -> Estimate:
    """A system with this corrected score."""
    plain = Estimate(system, "P@10", math.nan if value is None else value, 0.0, 1.0, naive=0.5, gold="random", n=9)
    return replace(plain, **more)


def pair(p: float, difference: float = 0.1, **more: Any) -> Comparison:
    """A comparison of a and b."""
    plain = Comparison("a", "b", "P@10", 0.3, 0.3 + difference, difference, -1.0, 1.0, p)
    return replace(plain, **more)


def leaders(values: str, difference: tuple[float, float]) -> Leaders:
    """Of systems a, b, c ... scored by these digits, all differences being this one."""
    found = leaders_of(
        [answer(s, int(v) / 10) for s, v in zip("abcd", values, strict=False)], lambda *_: difference, 0.95
    )
    assert found is not None
    return found


def test_p_equal_to_the_level_tells_nothing_apart() -> None:
    """Guards the limit of the best system: p must be below alpha over the number of pairs, the difference above 0."""
    assert leaders("39", (0.1, ALPHA)).systems == ("b", "a")
    assert leaders("39", (0.1, np.nextafter(ALPHA, 0))).systems == ("b",)
    assert leaders("399", (0.1, ALPHA / 3)).systems == ("b", "c", "a")
    assert leaders("39", (0.0, 0.001)).systems == ("b", "a")


def test_one_system_alone_is_not_the_best() -> None:
    """Guards a single answer: one pair at least, nothing is said of Bonferroni, and there is no best."""
    one = leaders("3", (0.1, 0.5))
    assert (one.pairs, one.worse, one.refused) == (1, 0, 0)
    assert one.sentence == "Which system is best on P@10 cannot be told: a alone has an answer."
    assert leaders("39", (0.1, 0.001)).sentence == "Best on P@10: b, told apart from all others (95% confidence)."
    two = replace(leaders("39", (0.1, 0.001)), refused=1, pairs=3)
    assert two.sentence == (
        "Best on P@10 of those with an answer: b, told apart from all others (95% confidence, Bonferroni over all 3 "
        "pairs; without an answer, so compared with none: 1)."
    )


def test_a_bronze_score_at_an_end_of_the_interval_is_held() -> None:
    """Guards the sentence about one system at both ends, and the width."""
    for naive, held in ((0.2, True), (0.4, True), (0.199, False), (0.401, False)):
        one = answer("a", 0.3, naive=naive, low=0.2, high=0.4)
        assert ("which holds the bronze score too" in sentence_of(one)) is held
        assert ("which does not hold the bronze score" in sentence_of(one)) is not held
    assert answer("a", 0.3, low=0.2, high=0.4).width == pytest.approx(0.2)
    refused = answer("a", None, low=math.nan, high=math.nan, notes=("x", "y"))
    assert (refused.refused, math.isnan(refused.width)) == (True, True)
    assert sentence_of(refused) == "a: by the bronze labels P@10 is 0.500; it cannot be corrected soundly (x; y)."


def test_notes_and_sentences_of_many_systems() -> None:
    """Guards who is named beside a note, five sentences and no more, and how an answer is found."""
    five = [answer(s, 0.3, notes=("odd",) if s in "ab" else ("all",)) for s in "abcde"]
    found = Corrections(tuple(five), best=("best",))
    assert len(found.sentences()) == 6
    assert found._notes_by_system() == ("a and 1 more: odd", "c and 2 more: all")
    six = Corrections((*five, answer("f", 0.3, notes=("alone",))), best=("best",))
    assert six.sentences() == ("best",)
    assert (len(six), six[5].system, six["b", "P@10"].system) == (6, "b" if six[1].system == "f" else "f", "b")
    assert six._notes_by_system()[-1] == "f: alone"
    same = Corrections(tuple(answer(s, 0.3, notes=("odd",)) for s in "ab"))
    assert same._notes_by_system() == ("all systems: odd",)
    assert Corrections((answer("a", 0.3, notes=("odd",)),))._notes_by_system() == ("a: odd",)
    both = Corrections((answer("a", 0.3, notes=("odd",)), answer("a", 0.3, measure="P@5")))
    assert both._notes_by_system() == ("a, P@10: odd",)
    with pytest.raises(tg.TruegainError, match=r"there is no answer for \('a', 'AP'\); there are a, P@10, a, P@5"):
        _ = both["a", "AP"]


def test_p_equal_to_alpha_is_no_difference() -> None:
    """Guards the count of pairs that differ and the verdict at the limit; the adjusted p rules where there is one."""
    for p, clear in ((ALPHA, 0), (float(np.nextafter(ALPHA, 0)), 1)):
        found = ResultList((pair(p), pair(0.9, p_adjusted=p)))
        assert found.significant == 2 * clear
        assert ResultList((pair(0.001, p_adjusted=p),)).significant == clear
        verdict = "b is better than a" if clear else "b and a cannot be told apart"
        assert f"errors {verdict} on P@10 (difference +0.100, p = 0.05)." in _sentences([pair(p)])[0]
        assert _sentences([pair(p)] * 4)[0].startswith(f"{4 * clear} of 4 pairs differ")
    assert "a is better than b on P@10 (difference -0.100" in _sentences([pair(0.01, -0.1)])[0]
    assert "p, not adjusted for their number, below 0.05" in _sentences([pair(0.2)] * 4)[0]
    assert "adjusted p (bh) below 0.05" in _sentences([pair(0.2, adjustment="bh")] * 4)[0]
    assert len(_sentences([pair(0.2)] * 3)) == 3
    told = pair(0.2, p_adjusted=0.4, adjustment="holm", naive=0.05, naive_p=0.03)
    assert "adjusted p = 0.4; by the bronze labels +0.050, p = 0.03, not adjusted)" in _sentences([told])[0]
    assert "p = 0.2; by the bronze labels +0.050)" in _sentences([pair(0.2, naive=0.05)])[0]


def test_a_comparison_is_found_in_either_order() -> None:
    """Guards `between` and its refusal."""
    found = ResultList((pair(0.2), pair(0.3, b="c")))
    assert (found.between("c", "a").p, found.between("a", "b").p, len(found)) == (0.3, 0.2, 2)
    with pytest.raises(tg.TruegainError, match="b and c were not compared; there are a, b, c"):
        found.between("b", "c")


def test_the_naive_difference_is_a_paired_t() -> None:
    """Guards what the bronze labels say: mean and p over the topics that both answer, none without any spread."""
    scores = np.array([[0.1, 0.5, np.nan, 0.4], [0.3, 0.4, 0.9, 0.8], [0.2, 0.6, 0.3, 0.5]])
    one, same = _finished([pair(0.5), pair(0.5, b="c")], scores, ("a", "b", "c"), "none", 2)
    d = np.array([0.2, -0.1, 0.4])
    assert one.naive == pytest.approx(d.mean())
    assert one.naive_p == pytest.approx(p_of(d.mean() / (d.std(ddof=1) / math.sqrt(3)), 2.0))
    half = _finished([pair(0.5)], np.array([[0.25, 0.5, 0.75], [0.5, 0.75, 1.0]]), ("a", "b"), "holm", 1)[0]
    assert (half.naive, half.naive_p) == (0.25, None)
    tenth = _finished([pair(0.5)], np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]]), ("a", "b"), "holm", 1)[0]
    assert tenth.naive == pytest.approx(0.1)
    assert tenth.naive_p is None
    assert same.naive == pytest.approx(0.1)


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
        assert (rates.j, rates.v_j, rates.size_j, rates.m_r) == (0.5, 0.0, 1.0, EBAY.mR)
        assert t > 1.95
        seen.append((d, v))
        return given[0]

    def limits(answer: tuple[float, float] | None) -> tuple[float, float]:
        given[0] = answer
        found = tg.compare(runs, bronze, measure, gold=EBAY).pairs[0]
        assert found.low is not None
        assert found.high is not None
        return found.low, found.high

    monkeypatch.setattr(intervals, "guarded_difference", guard)
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
    assert "1 of 3 pairs were not compared: a and c have the same scores everywhere" in found.notes
    assert [(c.a, c.b) for c in found.pairs] == [("a", "b"), ("b", "c")]
    for c in found.pairs:
        assert c.p is not None
        assert c.p_adjusted == pytest.approx(min(1.0, 3 * c.p))
    with pytest.raises(tg.TruegainError, match="a and c have the same scores everywhere"):
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


def test_few_trials_are_refused() -> None:
    """Guards the smallest number of resamples."""
    runs, bronze, _ = study(5, topics=8, docs=5)
    with pytest.raises(tg.TruegainError, match=r"Resampling\.n 99: an interval from resamples needs at least 100"):
        tg.correct(runs, bronze, "P@5", gold=EBAY, resampling=tg.Resampling(n=99))
    assert len(tg.correct(runs, bronze, "P@5", gold=EBAY, method="bootstrap", resampling=tg.Resampling(n=100))) == 2


def test_a_system_without_judged_documents_or_topics() -> None:
    """Guards refusals of one system beside another that has an answer: naive score, topics and reason."""
    runs, bronze, _ = study(6, topics=8, docs=5)
    strange = {t: {f"x{i}": -float(i) for i in range(5)} for t in bronze}
    once = {t: row for t, row in runs["b"].items() if t == "0"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(tg.InputError, match="x: none of the 40 documents in its first 5 ranks is judged"):
            tg.correct({"a": runs["a"], "x": strange}, bronze, "P@5", gold=EBAY)
        found = tg.correct({"a": runs["a"], "y": once}, bronze, "P@5", gold=EBAY)
    assert (found[1].refused, found[1].n) == (True, 1)
    assert found[1].naive == pytest.approx(np.mean([bronze["0"][d] for d in once["0"]]))
    assert found[1].notes == ("1 judged topics are answered; at least 2 are needed",)
    assert not found[0].refused


def test_methods_that_labels_do_not_have_are_refused_at_once() -> None:
    """Guards the reason: nothing is said of accuracy where the method is at fault, and no other method is taken."""
    rng = np.random.default_rng(0)
    gold = {str(t): {str(d): int(rng.integers(3)) for d in range(8)} for t in range(8)}
    runs = {s: {t: {d: float(rng.random()) for d in row} for t, row in gold.items()} for s in "ab"}
    words: dict[str, Any] = {"resampling": tg.Resampling(n=100)}
    trusted = tg.Gold(gold, design="by-gold")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in ("fieller", "lang-reiczigel"):
            with pytest.raises(tg.TruegainError, match=f"^{method} is for .* one judge; here use delta or bootstrap$"):
                tg.correct(runs, gold, "DCG@5", trusted, method=cast("Any", method), **words)
        with pytest.raises(tg.TruegainError, match=r"draws whole topics; with clusters 'none' use delta$"):
            tg.correct(runs, gold, "DCG@5", trusted, method="bootstrap", clusters="none", **words)
        assert not tg.correct(runs, gold, "P@5", trusted, method="bootstrap", clusters="none", **words)[0].refused


def test_a_panel_has_delta_only() -> None:
    """Guards the methods of several judges, and what is said of their accuracy by rank."""
    runs, bronze, _ = study(7, topics=8, docs=5)
    panel = Judges({"x": EBAY, "y": EBAY}, {t: "x" if int(t) % 2 else "y" for t in bronze})
    with pytest.raises(tg.TruegainError, match=r"fieller is for binary relevance and one judge; here use delta$"):
        tg.correct(runs, bronze, "P@5", gold=panel, method="fieller")
    with pytest.raises(tg.TruegainError, match="bootstrap is for one judge"):
        tg.correct(runs, bronze, "P@5", gold=panel, method="bootstrap")
    found = tg.correct(runs, bronze, "P@5", gold=panel)
    assert found[0].method == "delta"
    assert "assumed, not tested: it is tested of one judge, not of several." in found.notes[1]
    assert "assumed, not tested: the gold pairs have no ranks" in tg.correct(runs, bronze, "P@5", gold=EBAY).notes[1]


def test_measures_that_cannot_be_corrected_are_left_out_and_told() -> None:
    """Guards several measures: one refused is told, all refused is an error."""
    runs, bronze, _ = study(8, topics=8, docs=5)
    for order in (["AP", "P@5"], ["P@5", "AP"]):
        found = tg.correct(runs, bronze, order, gold=EBAY)
        assert {a.measure for a in found} == {"P@5"}
        assert len(found) == 2
        assert any(s.startswith("AP was not corrected: AP is not linear") for s in found.notes)
    with pytest.raises(tg.TruegainError, match="nDCG@5 is not linear"):
        tg.correct(runs, bronze, ["AP", "nDCG@5"], gold=EBAY)
    assert tg.correct({"a": runs["a"]}, bronze, "P@5", gold=EBAY).best == ()


def test_pairs_refused_by_rectifying_are_counted() -> None:
    """Guards what is said of pairs that gold pairs cannot compare: one by its reason, several by their number."""
    runs, bronze, gold = study(9, topics=10, docs=5)
    words: dict[str, Any] = {"gold": tg.Gold(gold, design="random"), "resampling": tg.Resampling(n=100)}
    three = {"a": runs["a"], "b": runs["b"], "c": runs["a"]}
    one = tg.compare(three, bronze, "P@5", **words)
    assert one.notes[-3].startswith("c - a, P@5: ")
    many = tg.compare({**three, "d": runs["a"]}, bronze, "P@5", **words)
    assert many.notes[-4].startswith("3 of 6 pairs were not compared, such as c - a, P@5: ")
    assert len(many) == 3
    assert all(c.p_adjusted == pytest.approx(min(1.0, 6 * (c.p or 0.0))) for c in many.pairs[:1])


def test_a_standard_error_of_nothing_is_not_believed() -> None:
    """Guards graded labels without any error and topics that are all alike: refused, not answered with certainty."""
    gold = {str(t): {str(d): d % 3 for d in range(6)} for t in range(7)}
    runs = {"a": {t: {d: -float(d) for d in row} for t, row in gold.items()}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for measure in ("DCG@3", "CG@3"):  # the one leaves 1e-16 by rounding
            with pytest.raises(tg.TruegainError, match="the standard error is 0, which is not to be believed"):
                tg.correct(runs, gold, measure, gold=tg.Gold(gold, design="by-gold"), clusters="none")
        found = tg.correct(runs, gold, "DCG@3", gold=tg.Gold(gold, design="by-gold"))[0]
    assert found.value == pytest.approx(sum(g / math.log2(i + 2) for i, g in enumerate((0, 1, 2))))
    assert (found.se or 0.0) > 0
