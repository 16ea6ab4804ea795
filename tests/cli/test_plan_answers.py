"""Every `truegain plan ...` of logs, tables of scores, nuggets and preferences: an answer, or why there is none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run
from tests.logs.made import deepeval_run

SCORES = ("t.csv", "--score", "acc")
LOGS = ("old.json", "new.json")
NUGGETS = ("n.jsonl",)
PREFERENCES = ("p.csv",)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of scores, logs of deepeval, nuggets, and preferences, each of two systems on 24 questions."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    rows = [(s, t, rng.random() < p) for s, p in (("old", 0.4), ("new", 0.6)) for t in range(24)]
    table = (f"{s},q{t},d{t % 12},{int(x)}\n" for s, t, x in rows)
    (tmp_path / "t.csv").write_text("system,topic,domain,acc\n" + "".join(table))
    for name in ("old", "new"):
        values = [float(x) for s, _, x in rows if s == name]
        (tmp_path / f"{name}.json").write_text(json.dumps(deepeval_run(name, {"acc": values})))
    nuggets = [
        {"qid": f"q{t}", "system": s, "nugget_id": f"n{n}", "importance": "vital",
         "assignment": ("support", "not_support")[int(rng.integers(2))]}
        for s, t, _ in rows for n in range(3)
    ]  # fmt: skip
    (tmp_path / "n.jsonl").write_text("".join(json.dumps(row) + "\n" for row in nuggets))
    votes = (f"q{t},old,new,{('old', 'new', 'tie')[int(rng.integers(3))]}\n" for t in range(24))
    (tmp_path / "p.csv").write_text("topic,a,b,winner\n" + "".join(votes))
    return tmp_path


@pytest.mark.parametrize("of", [SCORES, LOGS, NUGGETS], ids=lambda of: of[0])
@pytest.mark.parametrize("criterion", ["paired-t", "anova", "width"])
def test_plans_of_topics(run: Run, files: Path, of: tuple[str, ...], criterion: str) -> None:
    """Guards `plan topics` of all that holds scores of answers, by every criterion."""
    code, out, err = run("plan", "topics", *of, "--min-effect", "0.2", "--criterion", criterion)
    assert (code, " topics: " in out.splitlines()[0]) == (0, True), err


@pytest.mark.parametrize("of", [SCORES, LOGS, NUGGETS], ids=lambda of: of[0])
def test_plans_of_labels(run: Run, files: Path, of: tuple[str, ...]) -> None:
    """Guards `plan labels` of all that holds scores of answers, with a list to be labeled."""
    code, out, err = run("plan", "labels", *of, "--min-effect", "0.2", "-o", "list.csv")
    assert (code, (files / "list.csv").is_file()) == (0, True), err
    assert out.startswith(("old - new on ", "new - old on "))


@pytest.mark.parametrize("of", ["old.json", "n.jsonl"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("assessors", "--error", "0.2"), "how many people rate each document"),
        (("preferences", "--gold", "p.csv"), "people's choices between two answers"),
    ],
)
def test_plans_of_something_else(run: Run, files: Path, of: str, words: tuple[str, ...], said: str) -> None:
    """Guards plans that are not of scores of answers: why, and which command is; they were read as lines of ratings."""
    code, out, err = run("plan", words[0], of, *words[1:])
    assert (code, out) == (2, "")
    assert f"error: {of}: `truegain plan {words[0]}` does not read scores of answers (it " in err
    assert said in err
    if words[0] == "assessors":  # a table of scores is told as a log is
        table = run("plan", words[0], "t.csv", *words[1:])
        assert (table[0], table[2]) == (2, err.replace(of, "t.csv"))
    assert "`truegain verdict LOG... --population topics,assessors`" in err or "`truegain plan labels LOG...`" in err


@pytest.mark.parametrize("words", [("topics", "--min-effect", "0.1"), ("labels",), ("assessors", "--error", "0.2")])
def test_plans_of_preferences(run: Run, files: Path, words: tuple[str, ...]) -> None:
    """Guards preferences where judgments or ratings belong: the plan that reads them is named."""
    code, out, err = run("plan", words[0], "p.csv", *words[1:])
    said = f"p.csv contains preferences, which `plan {words[0]}` does not read; these do: `truegain plan preferences`"
    assert (code, out, said in err) == (2, "", True), err


def test_the_plan_of_preferences(run: Run, files: Path) -> None:
    """Guards that `plan preferences` reads what the others send to it."""
    code, out, err = run("plan", "preferences", "p.csv", "--gold", "p.csv")
    assert (code, "narrower" in out) == (0, True), err


def test_what_verdict_is_told_to_answer(run: Run, files: Path) -> None:
    """Guards the remedy for `plan assessors`: a verdict of several judges says what more of them would bring."""
    rng = np.random.default_rng(3)
    rows = [
        (s, t, j, round(float(np.clip(q + rng.normal(0, 0.3), 0, 1)), 3))
        for s, q in (("old", 0.5), ("new", 0.55)) for t in range(24) for j in "abc"
    ]  # fmt: skip
    (files / "j.csv").write_text("system,topic,judge,acc\n" + "".join(f"{s},q{t},{j},{x}\n" for s, t, j, x in rows))
    code, out, err = run("verdict", "j.csv", "--score", "acc", "--population", "topics,assessors")
    assert (code, "To narrow the interval" in out) == (0, True), err
