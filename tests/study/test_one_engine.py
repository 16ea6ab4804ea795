"""One question has one answer: `intervals`, `correct` and `compare` say what a `Study` of the same data says."""

from __future__ import annotations

import warnings

import pytest

import truegain as tg
from tests.worlds import study

DESIGNS = ("random", "by-bronze", "topics", "by-gold", "elsewhere")


def judge_for(design: str) -> tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, int]], tg.Judge]:
    """Two systems, bronze labels, and the judge as this design measures it."""
    runs, bronze, gold = study(3, topics=24)
    if design == "elsewhere":
        _, other, true = study(8, topics=24)
        some = {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 3 == 0} for t, row in true.items()}
        return runs, bronze, tg.Judge.fit(other, some, design=design)
    kept = {t: row for t, row in gold.items() if int(t) < 12} if design == "topics" else gold
    some = kept if design == "topics" else {
        t: {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 2 == 0} for t, row in kept.items()
    }  # fmt: skip
    return runs, bronze, tg.Judge.fit(bronze, some, design=design)


@pytest.mark.parametrize("design", DESIGNS)
def test_corrected_scores_and_differences_are_those_of_a_study(design: str) -> None:
    """Guards the one engine: value, interval and p are the same by `correct`, `compare` and `Study`."""
    runs, bronze, judge = judge_for(design)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        made = tg.Study(runs, bronze, "P@10", gold=judge, unjudged="non-relevant")
        corrected = tg.correct(runs, bronze, "P@10", gold=judge)
        compared = tg.compare(runs, bronze, "P@10", gold=judge, resampling=tg.Resampling(n=100))
        estimates, differences = made.estimates(), made.compare("a", "b")
    for one, other in zip(corrected, estimates, strict=True):
        assert (one.value, one.low, one.high, one.se) == pytest.approx((other.value, other.low, other.high, other.se))
    mine, theirs = compared[0], differences[0]
    assert (mine.difference, mine.low, mine.high, mine.p) == pytest.approx(
        (theirs.difference, theirs.low, theirs.high, theirs.p)
    )
    assert (mine.uncorrected, mine.uncorrected_p) == pytest.approx((theirs.uncorrected, theirs.uncorrected_p))


def test_a_judge_hardly_better_than_chance_widens_a_difference_of_a_study_too() -> None:
    """Guards coverage: t alone holds a difference of .4 in 86% of studies where mR = mN = .6 by 100 gold labels."""
    runs, bronze, _ = study(1, topics=24)
    weak, good = (tg.Judge.from_counts(relevant=(k, 60), nonrelevant=(k, 60), design="elsewhere") for k in (40, 57))
    for judge, wider in ((weak, True), (good, False)):
        made = tg.Study(runs, bronze, "P@10", gold=judge, unjudged="non-relevant").compare("a", "b")[0]
        by_name = tg.compare(runs, bronze, "P@10", gold=judge)[0]
        plain = tg.compare(runs, bronze, "P@10", gold=judge, test=tg.PublishedTest(method="delta"))[0]
        assert (made.low, made.high) == pytest.approx((by_name.low, by_name.high))
        assert made.low is not None
        assert plain.low is not None
        assert (made.low < plain.low - 1e-6) is wider


def test_intervals_of_equal_topics_are_those_of_a_study() -> None:
    """Guards systems that score the same on all topics: Wilson's limits by both, with a note, never no width."""
    qrels = {str(t): {"a": 1, "b": 0} for t in range(12)}
    runs = {
        "same": {t: {"a": 2.0, "b": 1.0} for t in qrels},
        "none": {t: {"b": 2.0, "c": 1.0} for t in qrels},
        "some": {t: {"a": 2.0, "b": 1.0 + 2 * (int(t) % 3 == 0)} for t in qrels},
    }
    made, alone = tg.Study(runs, qrels, "AP").estimates(), tg.intervals(runs, qrels, "AP")
    for one, other in zip(made, alone, strict=True):
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))
        assert one.low < one.high
    assert [bool(one.notes) for one in made] == [True, True, False]
