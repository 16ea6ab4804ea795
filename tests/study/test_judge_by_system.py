"""Whether the judge of a study favors a system, as `study.judge.favors` says."""

from __future__ import annotations

import math
import pickle

import numpy as np
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


def values(labels: dict[str, int], *, seed: int = 0) -> tg.Judge:
    """The judge of values of answers of three systems whose errors are alike, with so many gold labels of each."""
    rng = np.random.default_rng(seed)
    columns = ("system", "topic", "value")
    told = [(s, t, rng.uniform()) for s in "abc" for t in range(40)]
    rows = [dict(zip(columns, row, strict=True)) for row in told]
    people = [dict(zip(columns, (s, t, v - 0.2 * rng.uniform()), strict=True)) for s, t, v in told if t < labels[s]]
    gold = tg.Gold(tg.read_items(people), "random")
    judge = tg.Study(tg.read_items(rows), measures="value", gold=gold).judge
    assert judge is not None
    return judge


def test_others_with_few_labels_are_left_out() -> None:
    """Guards a mean error of two labels: it has no spread that anybody saw, and is no measure for the others."""
    few, without = values({"a": 40, "b": 40, "c": 2}), values({"a": 40, "b": 40, "c": 0})
    assert few.favors("a").value == pytest.approx(without.favors("a").value)
    assert few.favors("a").se == pytest.approx(without.favors("a").se)
    assert str(few.favors("c")).endswith("too few gold labels (2 of its answers; 10 are needed).")
    assert str(without.favors("c")).endswith("too few gold labels (0 of its answers; 10 are needed).")
    alone = values({"a": 40, "b": 2, "c": 0}).favors("a")
    assert alone.value is None
    assert str(alone).endswith("the other systems have too few gold labels.")


def test_the_interval_is_that_of_the_study() -> None:
    """Guards confidence and measure, which the sentence names."""
    wide, usual = (study(confidence=c).judge for c in (0.99, 0.95))
    assert wide is not None
    assert usual is not None
    assert (wide.favors("a").high or 0) > (usual.favors("a").high or 1)
    assert "to the P@4 of a" in str(wide.favors("a"))
    assert "(99% CI" in str(wide.favors("a"))


@pytest.mark.filterwarnings("ignore:all 160 gold pairs have exactly the bronze label")
def test_a_judge_without_errors() -> None:
    """Guards the reason where there are labels enough and no errors."""
    judge = tg.Study(RUNS, TRUTH, "P@4", gold=tg.Gold(TRUTH, design="random")).judge
    assert judge is not None
    assert str(judge.favors("a")).endswith("the judge's errors on the gold labels are all the same.")


def test_precision_takes_the_level_of_the_measure_it_stands_in_for() -> None:
    """Guards AP(rel=2) and a graded measure of a study with a level: the same labels are relevant."""
    twice = [{t: {d: 2 * y for d, y in labels.items()} for t, labels in of.items()} for of in (TRUTH, JUDGED)]
    truth, judged = ({t: {d: max(y, 1) for d, y in of[t].items()} for t in of} for of in twice)
    some = tg.Gold({t: labels for t, labels in truth.items() if int(t) < 14}, design="topics")
    named = tg.Study(RUNS, judged, "AP(rel=2)@4", gold=some).judge
    graded = tg.Study(RUNS, judged, "nDCG@4", gold=some, scoring=tg.Scoring(relevant_from=2)).judge
    assert named is not None
    assert graded is not None
    assert named.favors("a").value == graded.favors("a").value == pytest.approx(0.5 * 10 / 28)
    assert graded.favors("a").measure == "P(rel=2)@4"


def test_a_judge_at_another_level_no_longer_tells() -> None:
    """Guards what is made from a study's judge: it would answer by the old labels."""
    judge = study().judge
    assert judge is not None
    with pytest.raises(tg.TruegainError, match="ask the judge of a study"):
        judge.at_levels(1.0, 2.0).favors("a")


def test_too_few() -> None:
    """Guards a system with few gold labels: no value, and how many there are."""
    few = {t: {d: y for d, y in labels.items() if int(t) < 8 and d[1] in "01"} for t, labels in TRUTH.items()}
    judge = tg.Study(RUNS, JUDGED, "P@4", gold=tg.Gold(few, design="random")).judge
    assert judge is not None
    favor = judge.favors("a")
    assert (favor.value, favor.low, favor.p()) == (None, None, None)
    assert str(favor) == "The data cannot show whether the judge favors a: too few gold labels (8 relevant)."


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
