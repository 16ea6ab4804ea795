"""Whether the judge of a study favors a system, as `study.judge.favors` says."""

from __future__ import annotations

import math
import pickle

import pytest

import truegain as tg

TOPICS = range(20)
TRUTH = {str(t): {f"{s}{i}": (t + i) % 2 for s in "ab" for i in range(4)} for t in TOPICS}
JUDGED = {t: {d: 1 if d < "b" and int(t) % 3 == 0 else y for d, y in TRUTH[t].items()} for t in TRUTH}
RUNS = {s: {t: {f"{s}{i}": 9.0 - i for i in range(4)} for t in TRUTH} for s in "ab"}


def study(measure: str = "P@4", **options: object) -> tg.Study:
    """A study whose judge calls every document of a relevant, in 7 of 20 topics."""
    return tg.Study(RUNS, JUDGED, measure, gold=tg.Gold(TRUTH, design="random"), **options)  # type: ignore[arg-type]


def test_favored() -> None:
    """Guards value and sign: 14 of 40 non-relevant documents of a are called relevant, half of all are non-relevant."""
    judge = study().judge
    assert judge is not None
    a, b = judge.favors("a"), judge.favors("b")
    assert a.value == pytest.approx(0.5 * 14 / 40)
    assert b.value == pytest.approx(-0.5 * 14 / 40)
    assert a.low is not None
    assert 0 < a.low < 0.175
    quality = tg.judge_quality(JUDGED, gold=tg.Gold(TRUTH, design="random"), runs=RUNS, measure="P@4", show="systems")
    assert [row["favor"] for row in quality.records()] == [pytest.approx(0.175), pytest.approx(-0.175)]


def test_measure_that_is_not_linear() -> None:
    """Guards nDCG, in which errors do not add up: precision at its cutoff stands in."""
    some = {t: labels for t, labels in TRUTH.items() if int(t) < 14}
    judge = tg.Study(RUNS, JUDGED, "nDCG@4", gold=tg.Gold(some, design="topics")).judge
    assert judge is not None
    assert judge.favors("a").value == pytest.approx(0.5 * 10 / 28)


def test_studies_of_other_measures_do_not_mix() -> None:
    """Guards a study made from another: each judge tells of its own measure."""
    first = study()
    other = first.with_measures("P@1")
    assert first.judge is not None
    assert other.judge is not None
    assert first.judge.favors("a").value != other.judge.favors("a").value
    again = pickle.loads(pickle.dumps(first)).judge
    assert again.favors("a").value == first.judge.favors("a").value


def test_answers() -> None:
    """Guards values of answers: the mean error of a system less that of the other, with its limits over topics."""
    people = [(s, t, (t % 5) / 4) for s in "ab" for t in TOPICS]
    judged = [(s, t, value + (0.1 + 0.01 * (t % 3) if s == "a" else 0.02 * (t % 2))) for s, t, value in people]
    columns = ("system", "topic", "value")
    items, gold = (tg.read_items([dict(zip(columns, row, strict=True)) for row in rows]) for rows in (judged, people))
    judge = tg.Study(items, measures="value", gold=tg.Gold(gold, "random")).judge
    assert judge is not None
    a = judge.favors("a")
    means = [sum(0.1 + 0.01 * (t % 3) for t in TOPICS) / 20, sum(0.02 * (t % 2) for t in TOPICS) / 20]
    assert a.value == pytest.approx(means[0] - means[1])
    assert a.low is not None
    assert a.low > 0
    assert "add +0.0995 to the score of a" in str(a)


def test_too_few() -> None:
    """Guards a system with few gold labels: no value, and how many there are."""
    few = {t: {d: y for d, y in labels.items() if int(t) < 8 and d[1] in "01"} for t, labels in TRUTH.items()}
    judge = tg.Study(RUNS, JUDGED, "P@4", gold=tg.Gold(few, design="random")).judge
    assert judge is not None
    favor = judge.favors("a")
    assert (favor.value, favor.low, favor.p()) == (None, None, None)
    assert str(favor) == "Whether the judge favors a cannot be said: too few gold labels (8 relevant)."


def test_refusals() -> None:
    """Guards the messages: a system that is not there, and a judge that knows no runs."""
    judge = study().judge
    assert judge is not None
    with pytest.raises(tg.TruegainError, match="c is not a system here; there are a, b"):
        judge.favors("c")
    counts = tg.Judge.from_counts(relevant=(43, 59), nonrelevant=(67, 84))
    with pytest.raises(tg.TruegainError, match="ask the judge of a study"):
        counts.favors("a")
    assert math.isclose(counts.sensitivity, 43 / 59)
