"""Differences have the sign of the order asked."""

from __future__ import annotations

import numpy as np
import pytest

import truegain as tg
from truegain.stats.results import Comparison, ResultList

TOPICS = [str(t) for t in range(12)]
QRELS = {t: {"a": 1, "b": 0, "c": i % 2} for i, t in enumerate(TOPICS)}
RUNS = {
    "good": {t: {"a": 3.0, "c": 2.0, "b": 1.0} for t in TOPICS},
    "poor": {t: {"b": 3.0, "a": 2.0, "c": 1.0 + 2 * (i % 3 == 0)} for i, t in enumerate(TOPICS)},
}


def check(one: Comparison, other: Comparison) -> None:
    """One comparison is the other turned round, with the same p."""
    assert (one.a, one.b, one.value_a, one.value_b) == (other.b, other.a, other.value_b, other.value_a)
    assert one.difference == -other.difference == pytest.approx(one.value_b - one.value_a)
    assert (one.p, one.p_adjusted, one.uncorrected_p, one.n, one.test) == (
        other.p, other.p_adjusted, other.uncorrected_p, other.n, other.test
    )  # fmt: skip
    for mine, theirs in ((one.low, other.high), (one.high, other.low), (one.effect, other.effect)):
        assert (mine is None) == (theirs is None)
        assert mine is None or mine == -theirs  # type: ignore[operator]
    assert one.uncorrected is None or one.uncorrected == -(other.uncorrected or 0.0)


@pytest.mark.parametrize("test", ["tukey-hsd", "paired-t", "welch", "sign", "randomization"])
@pytest.mark.parametrize("baseline", [None, "good", "poor"])
def test_between_gives_b_less_a(test: str, baseline: str | None) -> None:
    """Guards the sign: better second or baseline first, what is asked for is b - a."""
    found = tg.compare(RUNS, QRELS, "AP", test=test, baseline=baseline)
    up, down = found.between("poor", "good"), found.between("good", "poor")
    assert up.difference > 0 > down.difference
    assert up.effect is None or up.effect > 0
    check(up, down)


def test_every_kind_of_compare_goes_by_the_order_of_the_runs() -> None:
    """Guards one order: by topics, over collections, with gold labels and of a study a is the run that came first."""
    gold = {t: QRELS[t] for t in TOPICS[:8]}
    deep = {s: {t: {**row, "d": 0.5} for t, row in run.items()} for s, run in RUNS.items()}
    for runs in (deep, dict(reversed(deep.items()))):
        a, b = runs
        for found in (
            tg.compare(runs, QRELS, "P@2"),
            tg.compare(runs, QRELS, ["P@2", "AP"]),
            tg.compare(runs, QRELS, "P@2", test="paired-t"),
            tg.compare(runs, QRELS, "P@2", population="collection"),
            tg.compare(runs, QRELS, "P@2", gold=tg.Gold(gold, design="topics")),
            tg.Study(runs, QRELS, "P@2").compare(),
        ):
            for c in found:
                assert (c.a, c.b) == (a, b)
                assert (c.difference > 0) == (b == "good")


def test_what_is_asked_is_what_asking_so_at_first_gives() -> None:
    """Guards the turned interval and effect against a comparison that was made in that order."""
    turned = tg.compare(RUNS, QRELS, "AP", baseline="poor", test="paired-t").between("good", "poor")
    made = tg.compare(RUNS, QRELS, "AP", baseline="good", test="paired-t").between("good", "poor")
    for name in ("difference", "low", "high", "effect", "p", "value_a", "value_b"):
        assert getattr(turned, name) == pytest.approx(getattr(made, name), abs=1e-12), name


def test_a_study_and_gold_labels_go_by_the_order_asked() -> None:
    """Guards the same of `Study.compare`, of its answers for all pairs, and of corrected differences."""
    study = tg.Study(RUNS, QRELS, "P@2")
    check(study.compare("poor", "good")[0], study.compare("good", "poor")[0])
    assert study.compare().between("poor", "good").difference == study.compare("poor", "good")[0].difference
    gold = {t: QRELS[t] for t in TOPICS[:8]}
    found = tg.compare(RUNS, QRELS, "P@2", gold=tg.Gold(gold, design="topics"))
    check(found.between("poor", "good"), found.between("good", "poor"))


def test_of_several_measures_one_is_asked_for() -> None:
    """Guards against the difference on the first measure where there are several, and against a wrong name."""
    study = tg.Study(RUNS, QRELS, ["P@1", "P@2"]).compare()
    several = tg.compare(RUNS, QRELS, ["P@1", "P@2"])
    for found in (study, several):
        with pytest.raises(tg.TruegainError, match="on which measure"):
            found.between("poor", "good")
        with pytest.raises(tg.TruegainError, match=r"on which measure\? There are P@1, P@2"):
            found.between("poor", "good", "P@3")
        assert found.between("poor", "good", "P@2").measure == "P@2"
    with pytest.raises(tg.TruegainError, match=r"on which measure\? There is P@1"):
        several.on("P@1").between("poor", "good", "P@2")


def test_keywords_of_before_are_refused() -> None:
    """Guards against silent aliases: a keyword that was renamed is a TypeError, also where others are handed on."""
    scores, words = tg.evaluate(RUNS, QRELS, "AP"), ({"measure": "AP"}, {"trials": 10})
    for old in words:
        for given in ((scores,), (RUNS, QRELS, "AP")):
            with pytest.raises(TypeError, match=next(iter(old))):
                tg.compare(*given, **old)
    with pytest.raises(TypeError, match="trials"):
        tg.correct(RUNS, QRELS, "P@2", gold=QRELS, trials=100)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="alpha"):
        tg.plan_topics(RUNS, QRELS, "AP", min_effect=0.1, alpha=0.1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        tg.correct(RUNS, QRELS, "P@2", QRELS, "delta")  # type: ignore[call-arg]


def test_zero_stays_zero() -> None:
    """Guards against -0.0, and against limits that are not there."""
    one = Comparison("a", "b", "AP", 0.2, 0.2, 0.0, None, None, None, uncorrected=0.0)
    found = ResultList((one,)).between("b", "a")
    assert str(found) == "a - b AP +0.0000 ()"
    assert (found.low, found.high, found.effect, np.signbit(found.difference)) == (None, None, None, False)
