"""Every `truegain plan ...` of logs, tables of scores, nuggets and preferences: an answer, or why there is none."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

import truegain as tg
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
def test_the_plan_of_preferences_is_not_of_scores(run: Run, files: Path, of: str) -> None:
    """Guards answers in the place of preferences: why not, and which command is of them."""
    code, out, err = run("plan", "preferences", of, "--gold", "p.csv")
    assert (code, out) == (2, "")
    assert f"error: {of}: `truegain plan preferences` does not read scores of answers (it " in err
    assert "`truegain plan labels LOG...`" in err


def test_plans_of_judges_and_repeats(run: Run, files: Path) -> None:
    """Guards how many judges an answer needs, or repeats of one judge, by the formula: z^2 sigma^2 / error^2."""
    rng = np.random.default_rng(3)
    values = rng.random((48, 3)).round(3)
    sigma = np.sqrt(values.var(axis=1, ddof=1).mean())
    needed = math.ceil((NormalDist().inv_cdf(0.975) * sigma / 0.1) ** 2)
    for column, who in (("judge", "judges"), ("replicate", "repeats")):
        cells = [(a, n, x) for a, row in enumerate(values) for n, x in enumerate(row, 1)]
        rows = (f"{'old' if a < 24 else 'new'},q{a % 24},{n},{x}\n" for a, n, x in cells)
        (files / "j.csv").write_text(f"system,topic,{column},acc\n" + "".join(rows))
        code, out, err = run("plan", "assessors", "j.csv", "--score", "acc", "--error", "0.1", "--format", "json")
        assert code == 0, err
        first = json.loads(out)["rows"][0]
        assert first["for"] == "an answer, all together"
        assert (first["answers"], first["values"], first[who]) == (48, 144, needed)
        assert first["sigma"] == pytest.approx(sigma)
    plan = tg.plan_assessors(tg.read_items(files / "j.csv").of_score("acc"), error=0.1)
    assert plan.needed == {"repeats": needed}
    assert plan.aim == "mean value within 0.1 of the mean of all repeats, with 95% confidence"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("t.csv",), "t.csv: a table of scores? add --score acc"),
        (LOGS, "every value of acc is the only one of its answer"),
        (("p.csv",), "p.csv contains preferences"),
        (("r.csv", "r.csv"), "put all ratings into r.csv"),
        (("--sigma", "1", "--score", "acc"), "--score: only for ratings, which --sigma replaces"),
        ((*LOGS, "--normalize", "range"), "normalize"),
    ],
)
def test_plans_of_assessors_say_what_is_missing(run: Run, files: Path, words: tuple[str, ...], said: str) -> None:
    """Guards the messages: each names what to add, to leave out, or the command to type instead."""
    (files / "r.csv").write_text("topic,doc,assessor,label\n1,a,x,0\n1,a,y,2\n")
    code, out, err = run("plan", "assessors", *words, "--error", "0.2")
    assert (code, out, said in err) == (2, "", True), err


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
