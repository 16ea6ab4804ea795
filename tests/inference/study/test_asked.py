"""What a study may be asked in Python, and how it answers words that cannot be meant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import truegain as tg

TOPICS = 12


def world(systems: tuple[str, ...] = ("a", "b", "c"), seed: int = 2) -> tuple[dict[str, Any], dict[str, Any]]:
    """Systems, each better than the one before, and labels 0 and 1 of 30 documents a topic."""
    rng = np.random.default_rng(seed)
    truth = {f"t{t}": {f"d{i}": int(rng.random() < 0.3) for i in range(30)} for t in range(TOPICS)}
    runs = {
        name: {t: {d: k * g + float(rng.normal()) for d, g in row.items()} for t, row in truth.items()}
        for k, name in enumerate(systems)
    }
    return runs, truth


RUNS, LABELS = world()
ERRING = {t: {d: g if i % 7 else 1 - g for i, (d, g) in enumerate(row.items())} for t, row in LABELS.items()}


def test_a_measure_answers_to_the_words_it_was_asked_by() -> None:
    """Guards measures by name: RBP(p=0.8), which prints as RBP, trec_eval's names, and a level of relevance."""
    study = tg.Study(RUNS, LABELS, ["P_5", "RBP(p=0.8)"])
    assert study.verdict("a", "b", "RBP(p=0.8)").comparison.measure == study.verdict("a", "b", "RBP").comparison.measure
    assert study.verdict("a", "b", "P_5").comparison == study.verdict("a", "b", "P@5").comparison
    assert tg.Study(RUNS, LABELS, "P@5", level=2).best("P@5").measure == "P(rel=2)@5"
    with pytest.raises(tg.TruegainError, match=r"the study has no measure RBP\(p=0.5\); it has P@5, RBP"):
        study.verdict("a", "b", "RBP(p=0.5)")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"confidence": "x"}, "confidence 'x' is not a number"),
        ({"smallest": None}, "smallest None: give the smallest gain that matters"),
        ({"smallest": -1}, "smallest -1: give"),
        ({"replicates": 1}, "replicates 1: give a whole number of at least 100"),
        ({"replicates": 200.5}, "replicates 200.5: give a whole number"),
        ({"seed": -1}, "seed -1: give a whole number of at least 0"),
        ({"holes": "zero"}, "holes 'zero' is not known"),
        ({"topics": "random"}, "topics 'random' is not known; give one of sampled, fixed"),
        ({"topics": "fixed", "generalise_to": "topics"}, "give one of them"),
        ({"generalise_to": "topics,moon"}, "'moon' is not known"),
    ],
    ids=str,
)
def test_words_that_cannot_be_meant(words: dict[str, Any], said: str) -> None:
    """Guards against raw TypeErrors, and against numbers from which no honest answer follows."""
    with pytest.raises(tg.TruegainError, match=said):
        tg.Study(RUNS, LABELS, "P@5", **words)


def test_what_pulls_most_is_at_least_one() -> None:
    """Guards decisive(most=-3), which left out the wrong end of the list."""
    with pytest.raises(tg.TruegainError, match="most -3: give a whole number of at least 1"):
        tg.Study(RUNS, LABELS, "P@5").decisive("a", "b", most=-3)


def test_populations_as_on_the_command_line() -> None:
    """Guards commas in generalise_to, and topics='fixed', which leaves the topics out."""
    assert tg.Study(RUNS, LABELS, "P@5", generalise_to="topics,collection").over == {"topics", "collection"}
    words = {"gold": {t: LABELS[t] for t in sorted(LABELS)[:8]}, "design": "topics"}
    fixed = tg.Study(RUNS, ERRING, "P@5", topics="fixed", **words)
    assert fixed.population.startswith(f"For these {TOPICS} topics only")
    assert fixed.verdict("a", "b").sentence == (
        tg.Study(RUNS, ERRING, "P@5", generalise_to=[], **words).verdict("a", "b").sentence
    )


def test_models_are_compared_without_case() -> None:
    """Guards borrowed calibration against spelling: GPT-4o is gpt-4o; and a judge's model of no system is told."""
    lent = tg.Study(RUNS, LABELS, "P@5", uses={"b": "GPT-4o "}, judge_model="gpt-4o").verdict("a", "b")
    assert lent.outcome == "cannot be told"
    assert "calibration borrowed: b uses gpt-4o" in lent.sentence
    with pytest.warns(tg.DataWarning, match="no system uses gpt-4o, the judge's model; there are GPT-4, e5"):
        tg.Study(RUNS, LABELS, "P@5", uses={"b": ["GPT-4", "e5"]}, judge_model="gpt-4o")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"uses": "b=m", "judge_model": "m"}, "uses 'b=m': give the models by system, such as"),
        ({"uses": {"z": "m"}, "judge_model": "m"}, "uses names z, which is no system here"),
        ({"uses": {"b": "m"}}, "say with judge_model which one gave the judgments"),
        ({"judge_model": "m"}, "name these with uses"),
        ({"uses": {"b": 3}, "judge_model": "m"}, "uses: the model of b is 3"),
    ],
    ids=str,
)
def test_models_that_cannot_be_meant(words: dict[str, Any], said: str) -> None:
    """Guards uses and judge_model: one is nothing without the other, and a text is no table."""
    with pytest.raises(tg.TruegainError, match=said):
        tg.Study(RUNS, LABELS, "P@5", **words)


def test_all_labels_gold_is_exact() -> None:
    """Guards gold of every pair, topics fixed: the difference is that of the gold labels, without limits to doubt."""
    words: dict[str, Any] = {"gold": LABELS, "design": "random", "topics": "fixed"}
    told = tg.Study(RUNS, ERRING, "P@5", **words).verdict("a", "c")
    scores = tg.evaluate(RUNS, LABELS, "P@5").values["P@5"].mean(axis=1)
    assert told.outcome == "holds"
    assert told.comparison.low == told.comparison.high == told.comparison.difference
    assert told.comparison.difference == pytest.approx(scores[2] - scores[0], abs=1e-12)
    assert told.sentence.endswith(", exactly: all its labels are gold.")
    twins = tg.Study({"a": RUNS["a"], "b": RUNS["a"]}, ERRING, "P@5", **words).verdict("a", "b")
    assert (twins.outcome, twins.comparison.p) == ("does not hold", None)


def test_identical_runs_are_told_so() -> None:
    """Guards two equal runs: no spread, and the reason is that they score the same everywhere."""
    told = tg.Study({"a": RUNS["a"], "b": RUNS["a"]}, LABELS, "P@5").verdict("a", "b")
    assert told.outcome == "cannot be told"
    assert told.sentence.endswith("; the two score the same in every topic.")


def test_short_words_for_a_study_and_a_ranking() -> None:
    """Guards repr and frame in a notebook: one line each, and the ranks as rows."""
    study = tg.Study(RUNS, LABELS, ["P@5", "AP"])
    assert repr(study) == "Study(3 systems, P@5, AP; for topics like these 12)"
    ranks = study.best()
    assert repr(ranks) == f"Ranking({ranks.sentence})"
    assert ranks.frame()["system"].to_list() == list(ranks.systems)


def test_what_holes_could_do_to_ap_is_not_known() -> None:
    """Guards the note on AP: one sentence that names the measure once."""
    some = {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 3} for t, row in LABELS.items()}
    told = tg.Study(RUNS, some, "AP").verdict("a", "c")
    assert told.sentence.endswith("; unjudged documents count as not relevant.")
    assert told.notes[0].startswith(
        "What unjudged documents could do to AP is not known; worst and best are known for nDCG"
    )
