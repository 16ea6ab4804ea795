"""Labels of a model that no person has checked: they decide nothing, unless somebody trusts them."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import truegain as tg
from tests.flat import flat_study

TOPICS = [f"t{i}" for i in range(20)]
RUNS = {s: {t: {f"{s}{i}": -float(i) for i in range(5)} for t in TOPICS} for s in "abc"}
RELEVANT = {"a": 1, "b": 4, "c": 2}  # of five, on some topics one more


def judged(model: Any = "gpt-4o-mini", **more: Any) -> pl.DataFrame:
    """Labels by which b is best; `model` by document, or one for all."""
    rows = [
        {
            "topic": t,
            "doc": f"{s}{i}",
            "label": int(i < n + (k % (n + 1) == 0)),
            "model": model(i) if callable(model) else model,
        }
        for k, t in enumerate(TOPICS)
        for s, n in RELEVANT.items()
        for i in range(5)
    ]
    return pl.DataFrame([row | more for row in rows])


def human() -> dict[str, dict[str, int]]:
    """The same labels, nobody's."""
    table = judged()
    found: dict[str, dict[str, int]] = {t: {} for t in TOPICS}
    for topic, doc, label in table.select("topic", "doc", "label").iter_rows():
        found[topic][doc] = label
    return found


@pytest.mark.parametrize(
    ("labels", "words", "whose"),
    [
        (judged(), {}, "gpt-4o-mini's labels"),
        (human(), {"judge_model": "m1"}, "m1's labels"),
        (judged(lambda i: f"m{i % 2}"), {}, "the labels of m0 and m1"),
        (judged(lambda i: "m" if i == 4 else None), {}, "labels of which m gave 60 of 300"),
    ],
    ids=["column", "judge_model", "panel", "some"],
)
def test_what_a_model_decides_is_unchecked(labels: Any, words: dict[str, Any], whose: str) -> None:
    """Guards 'is better ... settled' of labels that nobody looked at: a state of its own, and by whom, in words."""
    told = flat_study(RUNS, labels, "P@5", **words).verdict("a", "b")
    assert (told.outcome, told.by_labels, told.settled) == ("unchecked", "better", False)
    by = f"By {whose}, which no person has checked,"
    if "of which" in whose:
        by = "No person has checked these labels, 60 of 300 of which m gave:"
    assert told.sentence.startswith(f"{by} b is better than a: +")
    assert "settled" not in str(told)
    first = "First: have a person check " + whose + ": tg.sample_gold(runs, judgments, 'P@5', pair=('a', 'b')) draws"
    assert str(told).index(first) < str(told).index("To narrow the interval")
    assert (told.to_dict()["outcome"], told.to_dict()["by_labels"]) == ("unchecked", "better")
    trusted = flat_study(RUNS, labels, "P@5", trust_judge=True, **words).verdict("a", "b")
    assert (trusted.outcome, trusted.settled, trusted.sentence) == ("better", True, told.sentence)
    assert "First: have" not in str(trusted)


def test_people_who_named_no_model_are_as_before() -> None:
    """Guards plain judgments, of which nothing is known, and gold labels, which check the judge."""
    assert tg.Study(RUNS, human(), "P@5").verdict("a", "b").outcome == "better"
    gold = {t: {d: x ^ (d == "a4" and t < "t12") for d, x in list(row.items())[::2]} for t, row in human().items()}
    told = tg.Study(RUNS, judged(), "P@5", gold=tg.Gold(gold, design="random")).verdict("a", "b")
    assert (told.outcome, told.by_labels) == ("better", None)
    assert "no person" not in str(told)


def test_people_among_the_assessors_check_the_model() -> None:
    """Guards ratings: by models alone they are unchecked; with a person beside the model they are not."""
    by = [judged("m1", assessor="x"), judged("m2", assessor="y"), judged("m3", assessor="z")]
    machines = tg.Study(RUNS, pl.concat(by), "P@5", ratings="mean").verdict("a", "b")
    assert machines.outcome == "unchecked"
    assert machines.sentence.startswith("By the labels of m1, m2 and m3, which no person has checked, b is better")
    mixed = pl.concat([*by[:2], judged("", assessor="z")])
    assert tg.Study(RUNS, mixed, "P@5", ratings="mean").verdict("a", "b").outcome == "better"


def test_what_even_the_labels_do_not_tell_cannot_be_told() -> None:
    """Guards the order of doubts: an open question is open, whoever labeled; so is borrowed calibration."""
    same = {t: {f"{s}{i}": int(i < (k + (s == "b") * (-1) ** k) % 5) for s in "abc" for i in range(5)}
            for k, t in enumerate(TOPICS)}  # fmt: skip
    told = tg.Study(RUNS, tg.read_judgments(same, model="m"), "P@5").verdict("a", "b")
    assert (told.outcome, told.by_labels) == ("inconclusive", "inconclusive")
    assert told.sentence.startswith(
        "By m's labels, which no person has checked, the result is inconclusive: b scores the "
    )
    lent = tg.Study(tg.read_runs(RUNS, models={"b": "m"}), tg.read_judgments(human(), model="m"), "P@5").verdict(
        "a", "b"
    )
    assert lent.outcome == "inconclusive"
    assert "possible self-preference" in lent.sentence


def test_every_answer_says_by_whom() -> None:
    """Guards scores, differences, the ranking and claims at once, which a program may read in place of a verdict."""
    study = tg.Study(RUNS, judged(), "P@5")
    said = "By gpt-4o-mini's labels, which no person has checked"
    assert f"{said}." in study.estimates().notes
    assert f"{said}." in study.compare().notes
    assert study.best().sentence.startswith(f"{said}, only b may be best on P@5; each of the others is worse")
    assert study.together([study.verdict("a", "b"), study.verdict("a", "c")]) == ("unchecked", "unchecked")
    whole = tg.Study(RUNS, judged(), "nDCG@5").verdict("a", "b").how_to_check
    assert "'nDCG@5', pair=('a', 'b'), draw='topics') draws the documents to label" in whole


BY = "by gpt-4o-mini's labels, which no person has checked"


def test_scores_and_tests_say_whose_labels_these_are() -> None:
    """Guards what is made without a study: scores, intervals, tests over topics and collections, plans."""
    scores = tg.evaluate(RUNS, judged(), ["P@5", "AP"])
    assert scores.caveats == (BY,)
    assert str(scores).endswith(f"\n{BY}")
    assert scores.sorted_by("AP").renamed({"a": "z"}).to_dict()["notes"] == [BY]
    assert f"\n{BY}\n" in scores.markdown()
    found = tg.compare(RUNS, judged(), ["P@5", "AP"])
    assert found.notes[0] == found.on("AP").notes[0] == BY
    assert found.notes.count(BY) == 1
    assert f"\n{BY}\n" in found.markdown()
    assert BY in found.to_dict()["notes"]
    for answer in (
        tg.compare(scores, measures="AP"),
        tg.compare(RUNS, judged(), "AP", population="collection", resampling=tg.Resampling(n=200)),
        tg.intervals(RUNS, judged(), "AP"),
        tg.intervals(RUNS, judged(), "AP", population="collection", resampling=tg.Resampling(n=200)),
    ):
        assert answer.notes[0] == BY
    assert tg.plan_topics(scores, measure="AP", min_effect=0.1).details.notes[0] == BY
    with pytest.warns(tg.DataWarning, match="have predicted labels"):
        assert tg.evaluate(RUNS, judged(), "P@5", fill="predicted").caveats == (BY,)


def test_scores_take_the_model_by_name() -> None:
    """Guards `read_judgments(model=)`, where no column names it; labels of people, or that gold checks, say nothing."""
    said = ("by m1's labels, which no person has checked",)
    by_m1 = tg.read_judgments(human(), model="m1")
    assert tg.evaluate(RUNS, by_m1, "P@5").caveats == said
    with pytest.warns(tg.DataWarning, match="have predicted labels"):
        assert tg.evaluate(RUNS, by_m1, "P@5", fill="predicted").caveats == said
    assert tg.compare(RUNS, by_m1, "P@5").notes == said
    assert tg.compare(RUNS, by_m1, "AP", population="collection", resampling=tg.Resampling(n=200)).notes == said
    assert tg.intervals(RUNS, by_m1, "P@5").notes == said
    assert tg.Study(RUNS, by_m1, "P@5").judge_model == "m1"
    for nobody in (human(), tg.read_judgments(human(), model=" ")):
        assert tg.evaluate(RUNS, nobody, "P@5").caveats == ()
    with pytest.warns(tg.DataWarning, match="a copy of the bronze labels"):
        checked = tg.compare(RUNS, judged(), "P@5", gold=tg.Gold(human(), design="random"))
    assert not any("no person" in note for note in checked.notes)


def test_gains_of_ratings_keep_their_models() -> None:
    """Guards `eval --aggregate`: gains of what models alone rated say so; where people rated too, these check them."""
    both = pl.concat([judged("m1", assessor="x"), judged("m2", assessor="y")])
    gains = tg.aggregate(tg.read_ratings(both), "mean")
    assert tg.evaluate(RUNS, gains, "P@5").caveats == ("by m1 and m2's labels, which no person has checked",)
    mixed = pl.concat([judged("m1", assessor="x"), judged(None, assessor="y").cast({"model": pl.String})])
    assert tg.evaluate(RUNS, tg.aggregate(tg.read_ratings(mixed), "mean"), "P@5").caveats == ()
    one = pl.concat([judged("m1", assessor="x"), mixed.filter(pl.col("assessor") == "y")[:1]])
    (said,) = tg.evaluate(RUNS, tg.aggregate(tg.read_ratings(one), "mean"), "P@5").caveats
    assert said == f"no person has checked these labels, {len(one) - 2} of {len(one) - 1} of which m1 gave"
    study = tg.Study(RUNS, tg.read_ratings(one), "P@5", ratings="mean")
    assert study.unchecked == f"ratings that m1 alone gave to {len(one) - 2} of {len(one) - 1} documents"
