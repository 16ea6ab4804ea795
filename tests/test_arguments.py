"""Arguments that make no sense are refused by name, alike in every function that has them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import truegain as tg
from tests.worlds import study

RUNS, BRONZE, GOLD = study(0)
SAMPLE = {t: {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 4 == 0} for t, row in GOLD.items()}
RATED = {w: {t: {d: (x + len(w)) % 3 for d, x in row.items()} for t, row in BRONZE.items()} for w in ("a", "bb", "cc")}
SCORES = tg.evaluate(RUNS, BRONZE, ["AP", "P@10"])
CALLS: dict[str, Callable[..., object]] = {
    "agree": lambda **words: tg.agree(RATED, **words),
    "compare": lambda **words: tg.compare(RUNS, BRONZE, "AP", **words),
    "correct": lambda **words: tg.correct(RUNS, BRONZE, "P@10", gold=SAMPLE, design="random", **words),
    "correlate": lambda **words: tg.correlate(RUNS, BRONZE, "AP", against=GOLD, **words),
    "evaluate": lambda **words: tg.evaluate(RUNS, BRONZE, "AP", **words),
    "gold_list": lambda **words: tg.gold_list(RUNS, BRONZE, "P@10", **words),
    "hole_list": lambda **words: tg.hole_list(RUNS, BRONZE, "P@10", **words),
    "holes": lambda **words: tg.holes(RUNS, BRONZE, "P@10", **words),
    "intervals": lambda **words: tg.intervals(RUNS, BRONZE, "AP", over="collection", **words),
    "judge_next": lambda **words: tg.judge_next(RUNS, BRONZE, "P@10", **words),
    "judges": lambda **words: tg.judges(BRONZE, gold=SAMPLE, design="random", **words),
    "plan_labels": lambda **words: tg.plan_labels(RUNS, BRONZE, "P@10", **words),
    "plan_topics": lambda **words: tg.plan_topics(RUNS, BRONZE, "AP", detect=0.1, **words),
    "read_judgments": lambda **words: tg.read_judgments(BRONZE, **words),
    "read_runs": lambda **words: tg.read_runs(RUNS, **words),
    "to_gains": lambda **words: tg.to_gains(RATED, "mace", **words),
    "write_report": lambda **words: tg.write_report(RUNS, BRONZE, "P@10", "x.html", **words),
    "Study": lambda **words: tg.Study(RUNS, BRONZE, "P@10", **words),
}
ODD: dict[str, tuple[object, ...]] = {
    "jobs": (-3, 0, "x", 1.5),
    "seed": ("x", -1, 1.5, None),
    "replicates": ("a", 2.5),
    "level": ("x",),
    "gold_level": ("x",),
    "depth": ("x", 2.5),
    "most": (0, -1),
    "pair": ("a", ("a",), ("a", "a"), ("a", "b", "c")),
}


def test_all_functions_that_have_them_are_here() -> None:
    """Guards this test: every function of the face with such an argument is called below."""
    have = {n for n in tg.__all__ if callable(f := getattr(tg, n)) and (inspect.isfunction(f) or n == "Study")}
    have = {n for n in have if set(inspect.signature(getattr(tg, n)).parameters) & set(ODD)}
    assert have == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_what_makes_no_sense_is_refused_by_name(name: str) -> None:
    """Guards against answers to arguments that mean nothing, and against a TypeError from deep inside."""
    for argument in ODD.keys() & inspect.signature(getattr(tg, name)).parameters.keys():
        for odd in ODD[argument]:
            with pytest.raises(tg.TruegainError, match=rf"^{argument} .*: give "):
                CALLS[name](**{argument: odd})


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "plan_topics criterion": (lambda: CALLS["plan_topics"](criterion="x"), "criterion 'x' is not known; give one of p"),
    "plan_topics detect": (lambda: tg.plan_topics(SCORES, measure="AP", detect=-1), "^detect -1: .*above 0"),
    "plan_topics text": (lambda: tg.plan_topics(SCORES, measure="AP", detect="x"), "^detect 'x': give a number"),  # type: ignore[arg-type]
    "judges show": (lambda: CALLS["judges"](show="foo"), "show 'foo' is not known; give one of labels"),
    "holes depths": (lambda: CALLS["holes"](depths=(0,)), "depths 0: give a whole number of at least 1"),
    "Options": (lambda: tg.Options(level="x"), "level 'x': give a number"),  # type: ignore[arg-type]
    "rule": (lambda: tg.to_gains(RATED, "unanimity", p="x"), "the rule unanimity: p is 'x'; give a number"),  # type: ignore[arg-type]
    "from_counts": (lambda: tg.Judge.from_counts(3, 4), "relevant=3: give"),  # type: ignore[arg-type]
    "from_counts text": (lambda: tg.Judge.from_counts((3, 4), ("a", 3)), "nonrelevant=.'a', 3.: give"),  # type: ignore[arg-type]
    "Judge.fit": (lambda: tg.Judge.fit(BRONZE), "gold is missing"),
    "mean of no system": (lambda: SCORES.mean("zz"), "there is no system 'zz' here; there are a, b"),
    "mean of no measure": (lambda: SCORES.mean("a", "zz"), "there is no measure 'zz' here; there are AP, P@10"),
    "latex": (lambda: SCORES.latex(intervals=True), "intervals: these scores have none"),
    "empty gold": (lambda: tg.Study(RUNS, BRONZE, "P@10", gold={}), "^gold: there are no judgments"),
    "empty gold, compare": (
        lambda: tg.compare(RUNS, BRONZE, "P@10", gold={}, design="random"), "^gold: there are no judgments"
    ),
    "empty expert": (lambda: tg.agree(RATED, {}), "^expert: there are no judgments"),
    "gold of a column": (lambda: tg.Study(RUNS, BRONZE, "P@10", gold="column:gold"), r"read_judgments\(.*\.gold\(\)"),
    "gold of one": (lambda: tg.Study(RUNS, BRONZE, "P@10", gold="assessor:nist"), r"read_judgments\(.*\.by\(NAME\)"),
    "a pair for pairs": (
        lambda: CALLS["write_report"](pairs=("a", "b")), r"pairs 'a': give two systems, as in pairs=\[\('a', 'b'\)\]"
    ),
    "a baseline that is none": (lambda: CALLS["write_report"](baselines="system"), "baseline 'system' is no system"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "says"), WRONG.values(), ids=WRONG)
def test_messages_name_what_was_given(call: Callable[[], Any], says: str) -> None:
    """Guards the words of errors: the argument and its value, not what became of it inside."""
    with pytest.raises(tg.TruegainError, match=says):
        call()
