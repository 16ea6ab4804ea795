"""Arguments that make no sense are refused by name, alike in every function that has them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import truegain as tg
from tests.flat import flat_plan
from tests.worlds import study
from truegain.settings import is_config

RUNS, BRONZE, GOLD = study(0)
SAMPLE = {t: {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 4 == 0} for t, row in GOLD.items()}
RATED = {w: {t: {d: (x + len(w)) % 3 for d, x in row.items()} for t, row in BRONZE.items()} for w in ("a", "bb", "cc")}
SCORES = tg.evaluate(RUNS, BRONZE, ["AP", "P@10"])
CALLS: dict[str, Callable[..., object]] = {
    "agreement": lambda **words: tg.agreement(RATED, **words),
    "evaluate": lambda **words: tg.evaluate(RUNS, BRONZE, "AP", **words),
    "sample_gold": lambda **words: tg.sample_gold(RUNS, BRONZE, "P@10", **words),
    "sample_unjudged": lambda **words: tg.sample_unjudged(RUNS, BRONZE, "P@10", **words),
    "unjudged": lambda **words: tg.unjudged(RUNS, BRONZE, "P@10", **words),
    "next_to_judge": lambda **words: tg.next_to_judge(RUNS, BRONZE, "P@10", **words),
    "plan_labels": lambda **words: flat_plan(RUNS, BRONZE, "P@10", **words),
    "plan_topics": lambda **words: tg.plan_topics(RUNS, BRONZE, "AP", min_effect=0.1, **words),
    "read_judgments": lambda **words: tg.read_judgments(BRONZE, **words),
    "read_runs": lambda **words: tg.read_runs(RUNS, **words),
    "aggregate": lambda **words: tg.aggregate(RATED, "mace", **words),
    "Gold": lambda **words: tg.Gold(SAMPLE, **words),
    "Resampling": lambda **words: tg.Resampling(**words),
    "Scoring": lambda **words: tg.Scoring(**words),
}
judge_quality = partial(tg.judge_quality, BRONZE, gold=tg.Gold(SAMPLE, design="random"))
write_report = partial(tg.write_report, RUNS, BRONZE, "P@10", "x.html")
ODD: dict[str, tuple[object, ...]] = {
    "jobs": (-3, 0, "x", 1.5),
    "seed": ("x", -1, 1.5, None),
    "resamples": ("a", 2.5),
    "n": ("a", 2.5, 0),
    "level": ("x",),
    "relevant_from": ("x",),
    "gold_relevant_from": ("x",),
    "depth": ("x", 2.5),
    "most": (0, -1),
    "pair": ("a", ("a",), ("a", "a"), ("a", "b", "c")),
}


def test_all_functions_that_have_them_are_here() -> None:
    """Guards this test: every function of the face with such an argument is called below."""
    have = {n for n in tg.__all__ if callable(f := getattr(tg, n)) and (inspect.isfunction(f) or is_config(f))}
    have = {n for n in have if set(inspect.signature(getattr(tg, n)).parameters) & set(ODD)}
    assert have == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_what_makes_no_sense_is_refused_by_name(name: str) -> None:
    """Guards against answers to arguments that mean nothing, and against a TypeError from deep inside."""
    for argument in ODD.keys() & inspect.signature(getattr(tg, name)).parameters.keys():
        for odd in ODD[argument]:
            with pytest.raises(tg.TruegainError, match=rf"^(\w+\.)?{argument} .*: give "):
                CALLS[name](**{argument: odd})


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "plan_topics criterion": (lambda: CALLS["plan_topics"](criterion="x"), "criterion 'x' is not known; give one of p"),
    "plan_topics min_effect": (
        lambda: tg.plan_topics(SCORES, measure="AP", min_effect=-1), "^min_effect -1: .*above 0"
    ),
    "plan_topics text": (
        lambda: tg.plan_topics(SCORES, measure="AP", min_effect="x"), "^min_effect 'x': give a number"  # type: ignore[arg-type]
    ),
    "judge_quality show": (lambda: judge_quality(show="foo"), "show 'foo' is not known; give one of labels"),  # type: ignore[arg-type]
    "unjudged depths": (lambda: CALLS["unjudged"](depths=(0,)), "depths 0: give a whole number of at least 1"),
    "a field of a config": (
        lambda: CALLS["evaluate"](depth=3), r"no option depth; give scoring=tg.Scoring\(depth=...\)\. It has runs, jud"
    ),
    "a field of gold": (
        lambda: tg.compare(RUNS, BRONZE, "P@10", design="random"), r"give gold=tg.Gold\(labels, design=...\)\. It"  # type: ignore[call-overload]
    ),
    "the judge's model": (
        lambda: tg.Study(RUNS, BRONZE, "P@10", judge_model="m1"),  # type: ignore[call-arg]
        r"judge_model; give judgments=tg\.read_judgments\(\.\.\., model=\.\.\.\)\. It has runs, judgments, mea",
    ),
    "a field of the whole config": (
        lambda: tg.plan_labels(RUNS, BRONZE, "P@10", min_effect=0.1),  # type: ignore[call-arg]
        r"no option min_effect; give config=tg\.StudyConfig\(min_effect=\.\.\.\)\. It has",
    ),
    "what is not heeded": (
        lambda: CALLS["sample_gold"](scoring=tg.Scoring(depth=3)), "^depth: does not apply here; leave it out"
    ),
    "Scoring": (lambda: tg.Scoring(relevant_from="x"), "relevant_from 'x': give a number"),  # type: ignore[arg-type]
    "a keyword of a config": (
        lambda: tg.Resampling(resamples=5), r"^Resampling has no option resamples; did you mean n\? It has n, s"  # type: ignore[call-arg]
    ),
    "a keyword of no config": (lambda: tg.Ratings(rule="mean"), r"^Ratings has no option rule\. It has agg"),  # type: ignore[call-arg]
    "a flag": (lambda: tg.Scoring(all_topics="yes"), "^Scoring.all_topics 'yes': give True or False$"),  # type: ignore[arg-type]
    "trust_judge": (lambda: tg.Study(RUNS, BRONZE, "P@10", trust_judge="yes"), "trust_judge 'yes': give True"),  # type: ignore[arg-type]
    "min_effect": (lambda: tg.Study(RUNS, BRONZE, "P@10", min_effect="a"), "^min_effect 'a': give the smallest"),  # type: ignore[arg-type]
    "design": (lambda: tg.Gold(BRONZE, "rand"), "^design 'rand' is not known; give one of random, by-bronze, topics"),
    "rule of ratings": (lambda: tg.Ratings(aggregate="meen"), "there is no rule 'meen'; did you mean mean"),
    "rule of gold": (lambda: tg.Gold(BRONZE, aggregate="meen"), "there is no rule 'meen'; did you mean mean"),
    "a dict's label": (lambda: tg.read_judgments({"1": {"a": "x"}}), "row 1: not a number: 'x' "),  # type: ignore[arg-type]
    "rule": (lambda: tg.aggregate(RATED, "unanimity(p=x)"), "p"),
    "from_counts": (lambda: tg.Judge.from_counts(3, 4), "relevant=3: give"),  # type: ignore[arg-type]
    "from_counts text": (lambda: tg.Judge.from_counts((3, 4), ("a", 3)), "nonrelevant=.'a', 3.: give"),  # type: ignore[arg-type]
    "Judge.fit": (lambda: tg.Judge.fit(BRONZE), "gold is missing"),
    "mean of no system": (lambda: SCORES.mean("zz"), "zz is not a system here; there are a, b"),
    "mean of no measure": (lambda: SCORES.mean("a", "zz"), "there is no measure 'zz' here; there are AP, P@10"),
    "latex": (lambda: SCORES.latex(intervals=True), "intervals: these scores have none"),
    "empty gold": (lambda: tg.Study(RUNS, BRONZE, "P@10", gold={}), "^gold: there are no judgments"),
    "empty gold, compare": (
        lambda: tg.compare(RUNS, BRONZE, "P@10", gold=tg.Gold({}, design="random")), "^gold: there are no judgments"
    ),
    "empty expert": (lambda: tg.agreement(RATED, {}), "^expert: there are no judgments"),
    "gold of a column": (lambda: tg.Study(RUNS, BRONZE, "P@10", gold="column:gold"), r"read_judgments\(.*\.gold\(\)"),
    "gold of one": (lambda: tg.Study(RUNS, BRONZE, "P@10", gold="assessor:nist"), r"read_judgments\(.*\.by\(NAME\)"),
    "a pair for pairs": (
        lambda: write_report(pairs=("a", "b")), r"pairs 'a': give two systems, as in pairs=\[\('a', 'b'\)\]"  # type: ignore[arg-type]
    ),
    "intents of a list": (lambda: tg.read_intents(["a"]), r"^cannot read a list as a file \(give a path\)$"),  # type: ignore[arg-type]
    "a study of nothing": (lambda: tg.read_study(None), r"^cannot read None as a file \(give a path\)$"),  # type: ignore[arg-type]
    "nuggets of rows": (lambda: tg.read_nuggets([{"qid": "1"}]), "^cannot read a list as nuggets"),  # type: ignore[list-item]
    "nuggets of a number": (lambda: tg.read_nuggets(5), "^cannot read an integer as nuggets"),  # type: ignore[arg-type]
    "items of a number": (lambda: tg.read_items(5), "^cannot read an integer as values of answers"),  # type: ignore[arg-type]
    "items of nothing": (lambda: tg.read_items([]), "^there are no values"),
    "a baseline that is none": (lambda: write_report(baselines="system"), "baseline 'system' is not a system"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "says"), WRONG.values(), ids=WRONG)
def test_messages_name_what_was_given(call: Callable[[], Any], says: str) -> None:
    """Guards the words of errors: the argument and its value, not what became of it inside."""
    with pytest.raises(tg.TruegainError, match=says):
        call()
