"""A study refuses scores outside their bounds, which a judge's rates may give, as a comparison does."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

import truegain as tg
from truegain.errors import TruegainError

TOPICS = 30
OUTSIDE = "lies clearly outside"


def two_systems(low: float, high: float) -> tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, int]]]:
    """Two systems without a shared document, so many of whose ten documents a topic bronze calls relevant."""
    bronze = {
        str(t): {f"{s}{i}": int(10 * t + i < share * 10 * TOPICS) for s, share in (("a", low), ("b", high))
                 for i in range(10)}
        for t in range(TOPICS)
    }  # fmt: skip
    runs = {name: {str(t): {f"{s}{i}": 10.0 - i for i in range(10)} for t in range(TOPICS)}
            for name, s in (("low", "a"), ("high", "b"))}  # fmt: skip
    return runs, bronze


def judge_of(relevant: tuple[int, int], nonrelevant: tuple[int, int]) -> tg.Judge:
    """A judge known by counts, from elsewhere."""
    return tg.Judge.from_counts(relevant=relevant, nonrelevant=nonrelevant, design="elsewhere")


def test_scores_that_cannot_be_are_refused_as_by_compare() -> None:
    """Guards the fit: bronze calls 5% relevant, and the judge calls 40% of what is not relevant so."""
    runs, bronze = two_systems(0.05, 0.97)
    judge = judge_of((90, 100), (60, 100))
    with pytest.raises(TruegainError, match=OUTSIDE) as ours:
        tg.Study(runs, bronze, "P@10", gold=judge).estimates()
    with pytest.raises(TruegainError, match=OUTSIDE) as theirs:
        tg.compare(runs, bronze, "P@10", gold=judge)
    assert str(theirs.value) == f"high - low, P@10: low: {str(ours.value).partition(': ')[2]}"
    assert str(ours.value).startswith("low, P@10: the corrected value -0.7")


def test_a_difference_that_cannot_be_is_refused() -> None:
    """Guards pairs: each score may be within its bounds by its interval, and the two are further apart than 1."""
    runs, bronze = two_systems(0.0, 1.0)
    few = tg.Study(runs, bronze, "P@10", gold=judge_of((27, 30), (27, 30)))
    with pytest.raises(TruegainError, match=rf"^high - low, P@10: the corrected value 1\.2.* {OUTSIDE} -1 to 1"):
        few.compare("low", "high")
    fewer = tg.Study(runs, bronze, "P@10", gold=judge_of((13, 15), (13, 15)))
    assert [e.refused for e in fewer.estimates()] == [False, False]


def test_the_confidence_asked_for_decides() -> None:
    """Guards the interval that is held against the bounds: of 80%, it is refused; of 99%, it is not."""
    runs, bronze = two_systems(0.01, 0.5)
    made = partial(tg.Study, runs, bronze, "P@10", gold=judge_of((27, 30), (27, 30)))
    assert made(confidence=0.99).verdict("low", "high").outcome == "better"
    with pytest.raises(TruegainError, match=OUTSIDE):
        made(confidence=0.8).verdict("low", "high")


def test_gold_of_one_topic_is_refused_with_what_a_study_can_do() -> None:
    """Guards the advice: a study has no `clusters`."""
    runs, bronze = two_systems(0.2, 0.6)
    gold = {"other": {f"d{i}": int(i < 20) for i in range(40)}}
    judge = tg.Judge.fit(
        {"other": {f"d{i}": int(i % 10 != 0) ^ (i >= 20) for i in range(40)}}, gold, design="elsewhere"
    )
    with pytest.raises(TruegainError, match=r"come from 1 topic.*add gold labels of more topics"):
        tg.Study(runs, bronze, "P@10", gold=judge).estimates()


def test_equal_limits_alone_are_not_exact() -> None:
    """Guards the words: exact is what all labels being gold makes it, not limits cut at a bound."""
    runs, bronze = two_systems(0.2, 0.6)
    told = tg.Study(runs, bronze, "P@10").verdict("low", "high")
    cut = replace(told, comparison=replace(told.comparison, low=1.0, high=1.0))
    assert "[1.0000, 1.0000]" in cut.sentence
    assert "exact" not in cut.sentence
