"""Corrected scores: refusals, notes, sentences, and the labels that count."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

import truegain as tg
from tests.worlds import EBAY, study
from truegain.errors import TruegainError
from truegain.judge_error.judges import Judges
from truegain.measures.catalogue import parse_measure
from truegain.stats.results import Estimate
from truegain.study.corrections import Corrections, sentence_of


def answer(system: str, value: float | None, **more: Any) -> Estimate:
    """A system with this corrected score."""
    plain = Estimate(
        system, "P@10", math.nan if value is None else value, 0.0, 1.0, uncorrected=0.5, gold="random", n=9
    )
    return replace(plain, **more)


def test_a_bronze_score_at_an_end_of_the_interval_is_held() -> None:
    """Guards the sentence about one system at both ends, and the width."""
    for naive, held in ((0.2, True), (0.4, True), (0.199, False), (0.401, False)):
        one = answer("a", 0.3, uncorrected=naive, low=0.2, high=0.4)
        assert ("which includes the bronze score, too" in sentence_of(one)) is held
        assert ("which excludes the bronze score" in sentence_of(one)) is not held
    assert answer("a", 0.3, low=0.2, high=0.4).width == pytest.approx(0.2)
    refused = answer("a", None, low=math.nan, high=math.nan, notes=("x", "y"))
    assert (refused.refused, math.isnan(refused.width)) == (True, True)
    assert sentence_of(refused) == "a: by the bronze labels P@10 is 0.500; it cannot be corrected (x; y)."


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
        with pytest.raises(tg.TruegainError, match="1 topic is too few for a study; have at least 3"):
            tg.correct({"a": runs["a"], "y": once}, bronze, "P@5", gold=EBAY)


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
        by_pairs = tg.correct(runs, gold, "DCG@5", trusted, method="bootstrap", clusters="none", **words)[0]
        assert by_pairs.method == "bootstrap over pairs"
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
    assert found[0].method == "confusion matrix inverted"
    assert "as on the gold pairs: it can be tested for one judge, not for several." in found.notes[1]
    assert "as on the gold pairs: the gold pairs have no ranks" in tg.correct(runs, bronze, "P@5", gold=EBAY).notes[1]


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


def test_a_standard_error_of_nothing_is_not_believed() -> None:
    """Guards graded labels without any error and topics that are all alike: refused, not answered with certainty."""
    gold = {str(t): {str(d): d % 3 for d in range(6)} for t in range(7)}
    runs = {"a": {t: {d: -float(d) for d in row} for t, row in gold.items()}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for measure in ("DCG@3", "CG@3"):  # the one leaves 1e-16 by rounding
            with pytest.raises(
                tg.TruegainError, match="all topics score exactly the same, so the interval would have no width"
            ):
                tg.correct(runs, gold, measure, gold=tg.Gold(gold, design="by-gold"), clusters="none")
        found = tg.correct(runs, gold, "DCG@3", gold=tg.Gold(gold, design="by-gold"))[0]
    assert found.value == pytest.approx(sum(g / math.log2(i + 2) for i, g in enumerate((0, 1, 2))))
    assert (found.se or 0.0) > 0


RUNS, BRONZE, GOLD = study(3, topics=12, docs=6)


@pytest.mark.parametrize(
    "measure", ["CG(gains={0:-1,1:2})@3", "DCG(gains={0:1,1:3})@3", "SDCG(min_rel=-1,max_rel=1)@3"]
)
@pytest.mark.parametrize("design", ["by-gold", "random", "topics"])
def test_labels_0_and_1_where_0_is_worth_something(measure: str, design: str) -> None:
    """Guards gains of label 0: with gold for every document the corrected score is gold's, whatever the design."""
    found = tg.correct(RUNS, BRONZE, measure, gold=tg.Gold(GOLD, design=design))
    truth = tg.evaluate(RUNS, GOLD, measure)
    for name in "ab":
        assert found[name, str(parse_measure(measure))].value == pytest.approx(truth.mean(system=name))


def test_trials_of_a_correction() -> None:
    """Guards the fewest resamples: 100 are taken, 99 refused."""
    runs, bronze, gold = study(1, topics=12, docs=8)
    tg.correct(runs, bronze, "P@5", gold=tg.Gold(gold, design="by-gold"), resampling=tg.Resampling(n=100))
    with pytest.raises(TruegainError, match="at least 100"):
        tg.correct(runs, bronze, "P@5", gold=tg.Gold(gold, design="by-gold"), resampling=tg.Resampling(n=99))
