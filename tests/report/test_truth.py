"""Which verdicts are right, where the truth is known."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.report import worlds
from tests.report.reading import data_of, read, rows_of
from truegain.report.facts import Claim, Facts, Mark, Truth, mark_of
from truegain.report.html import MINUS
from truegain.report.page.page import page
from truegain.study.verdict import Verdict

TRUE = {"sys-1": 0.20, "sys-2": 0.30, "sys-3": 0.31, "sys-4": 0.60}


def truth_of(values: dict[str, float]) -> Truth:
    """True scores by P@10."""
    return Truth.of((system, "P@10", value) for system, value in values.items())


def said(verdict: Verdict, outcome: Any, low: float, high: float) -> Verdict:
    """A verdict made to say this, where the labels as they are have these limits."""
    return replace(verdict, outcome=outcome, uncorrected=replace(verdict.uncorrected, low=low, high=high))


def by_hand() -> Facts:
    """Five claims with verdicts made up, the smallest gain that matters being 0.02."""
    _, facts = worlds.with_gold()
    v = {(c.a, c.b): c.first for c in facts.claims}
    other = v["sys-2", "sys-4"]
    claims = [
        ("sys-2", "sys-4", said(other, "better", 0.1, 0.2)),  # true +0.30: right, and right
        ("sys-2", "sys-1", said(v["sys-2", "sys-1"], "inconclusive", 0.1, 0.2)),  # -0.10: undecided; wrong
        ("sys-2", "sys-3", said(v["sys-2", "sys-3"], "not better", -0.1, 0.01)),  # +0.01 < 0.02: right, right
        ("sys-1", "sys-4", said(v["sys-1", "sys-4"], "not better", -0.1, 0.2)),  # +0.40: wrong; undecided
    ]
    made = tuple(Claim(a, b, (_about(verdict, a, b),)) for a, b, verdict in claims)
    return replace(facts, claims=made, truth=truth_of(TRUE))


def _about(verdict: Verdict, a: str, b: str) -> Verdict:
    return replace(verdict, comparison=replace(verdict.comparison, a=a, b=b), unjudged_bounds=None)


def section_of(facts: Facts) -> dict[str, Any]:
    """The data of the section, by P@10."""
    found: dict[str, Any] = data_of(read(page(facts)))["sections"]["truth"]["P@10"]
    return found


def test_right_and_wrong_are_counted() -> None:
    """Guards the counts, by hand: two right, one wrong, one undecided; the labels alone the same with others wrong."""
    facts = by_hand()
    found = section_of(facts)
    assert [c["mark"] for c in found["claims"]] == ["right", "undecided", "right", "wrong"]
    assert [c["uncorrected_mark"] for c in found["claims"]] == ["right", "wrong", "right", "undecided"]
    assert [round(c["true_difference"], 9) for c in found["claims"]] == [0.3, -0.1, 0.01, 0.4]
    assert found["verdicts"] == found["uncorrected"] == {"right": 2, "wrong": 1, "undecided": 1}
    column = read(page(facts)).one("section", id="truth")
    assert (
        "4 verdicts by P@10, each tested alone, the uncorrected labels have 2 right, 1 wrong, 1 undecided; corrected"
        in column.text
    )
    assert (
        f"The uncorrected labels wrongly say that sys-1 is better than sys-2 (true difference {MINUS}0.100)."
        in column.text
    )
    assert (
        "The corrected verdict wrongly says that sys-4 is not better than sys-1 (true difference +0.400)."
        in column.text
    )
    assert [row[:3] for row in rows_of(column.every("table")[0])] == [
        ["sys-4 against sys-2", "✓ right better", "✓ right better"],
        ["sys-1 against sys-2", "✕ wrong better", "? undecided"],
        ["sys-3 against sys-2", "✓ right not better", "✓ right not better"],
        ["sys-4 against sys-1", "? undecided", "✕ wrong not better"],
    ]


def test_intervals_and_pairs_are_counted() -> None:
    """Guards how many score intervals hold the truth, ends included, and pairs told apart in the true order."""
    facts = by_hand()
    limits = {"sys-1": (0.1, 0.2), "sys-2": (0.31, 0.4), "sys-3": (0.0, 1.0), "sys-4": (float("nan"), float("nan"))}
    estimates = tuple(replace(e, low=limits[e.system][0], high=limits[e.system][1]) for e in facts.main.estimates)
    place = {s: i for i, s in enumerate(facts.main.ranking.systems)}
    ahead = np.zeros((4, 4), np.bool_)
    for first, second in (("sys-4", "sys-1"), ("sys-4", "sys-2"), ("sys-2", "sys-3")):
        ahead[place[first], place[second]] = True
    facts = replace(facts, measures=(replace(facts.main, estimates=estimates, ahead=ahead),))
    found = section_of(facts)
    assert found["intervals"] == {"hold": 2, "of": 3}
    assert found["pairs"] == {"apart": 3, "in_order": 2, "of": 6}
    assert "2 of 3 score intervals contain the true score." in page(facts)
    assert (
        "3 of 6 pairs of systems differ significantly, jointly; 2 of these 3 are in the true order."
        in read(page(facts)).text
    )


@pytest.mark.parametrize(
    ("outcome", "difference", "min_effect", "mark"),
    [
        ("better", 1e-9, 0.0, "right"),
        ("better", 0.0, 0.0, "wrong"),
        ("better", 0.01, 0.02, "wrong"),
        ("better", 0.02, 0.02, "right"),
        ("not better", 0.0, 0.0, "right"),
        ("not better", 1e-9, 0.0, "wrong"),
        ("not better", 0.02, 0.02, "wrong"),
        ("not better", 0.0199, 0.02, "right"),
        ("worse", 0.0, 0.0, "wrong"),
        ("worse", -1e-9, 0.0, "right"),
        ("inconclusive", 5.0, 0.0, "undecided"),
    ],
)
def test_the_borders(outcome: Any, difference: float, min_effect: float, mark: Mark) -> None:
    """Guards what counts as right at 0 and at the smallest gain that matters."""
    assert mark_of(outcome, difference, min_effect) == mark


@pytest.mark.slow
def test_what_is_not_known_is_not_wrong() -> None:
    """Guards systems and measures without a true score: not counted, and said so; without truth there is no section."""
    facts = replace(by_hand(), truth=truth_of({s: x for s, x in TRUE.items() if s != "sys-4"}))
    found = section_of(facts)
    assert found["verdicts"] == {"right": 1, "wrong": 0, "undecided": 1}
    assert (found["unknown"], found["intervals"]["of"], found["pairs"]["of"]) == (2, 3, 3)
    assert "2 claims by P@10 not counted: a true score is missing." in read(page(facts)).text
    _, two = worlds.plain(3, measures=("P@10", "nDCG@10"))
    known = replace(two, truth=truth_of(TRUE))
    assert list(data_of(read(page(known)))["sections"]["truth"]) == ["P@10"]
    assert "No true score is known for nDCG@10." in read(page(known)).text
    assert "corrected" not in read(page(known)).one("section", id="truth").text
    assert "truth" not in data_of(read(page(two)))["sections"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs, true labels, and true scores, as files."""
    runs, judged = worlds.world(4)
    tg.write_runs(runs, f"{tmp_path}/runs/")
    tg.write_judgments(judged, tmp_path / "q.qrels")
    (tmp_path / "truth.csv").write_text(
        "measure,note,system,value\n" + "".join(f"P@10,x,{s},{v}\n" for s, v in TRUE.items())
    )
    return tmp_path


@pytest.mark.slow
def test_the_command_takes_the_truth(run: Run, folder: Path) -> None:
    """Guards --truth and the key of a study file: the section, its digest, a line that says it; silence otherwise."""
    code, out, _ = run(
        "report", "q.qrels", "runs", "-m", "P@10", "--baseline", "sys-1", "--truth", "truth.csv", "-o", "a.html"
    )
    assert code == 0
    assert out.startswith("a.html: 3 of 3 systems are shown to be better than sys-1 on P@10. Of 3 verdicts by P@10, ")
    (folder / "s").mkdir()
    (folder / "s/study.toml").write_text(
        'judgments = "../q.qrels"\nruns = "../runs"\nmeasure = "P@10"\nbaseline = "sys-1"\ntruth = "../truth.csv"\n'
    )
    assert run("report", "s/study.toml", "-o", "b.html")[1].partition(":")[2] == out.partition(":")[2]
    a, b = (data_of(read((folder / f"{x}.html").read_text()))["sections"] for x in "ab")
    assert a["truth"] == b["truth"]
    assert "truth.csv" in a["made"]["inputs"]
    assert "verdicts by" not in run("report", "q.qrels", "runs", "-m", "P@10", "-o", "c.html")[1]
    read(run("report", "s/study.toml", "-o", "-")[1])
    assert run("verdict", "--study", "s/study.toml", "--candidate", "sys-4")[0] == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("system,value\na,1\n", "t.csv:1: column 'measure' is not named"),
        ("system,measure,value,value\na,P@10,1,1\n", "t.csv:1: column 'value' is named twice"),
        ("system,measure,value\nsys-1,P@10,0.1\nsys-2,P@10,high\n", "t.csv:3: the true score is not a number: 'high'"),
        ("system,measure,value\nsys-1,P@10,nan\n", "t.csv:2: the true score is not a number"),
        ("system,measure,value\n\n,P@10,0.1\n", "t.csv:3: no system is named"),
        ("system,measure,value\nsys-1,Foo@10,0.1\n", "t.csv:2: there is no measure"),
        ("system,measure,value\nsys-1,P@10,0.1\nsys-1,P@10,0.2\n", "t.csv:3: P@10 of sys-1 appears here twice"),
        ("system,measure,value\nsys-1,P@10\n", "t.csv:2: 2 fields where the header has 3"),
        ("system,measure,value\n", "t.csv: there is no true score"),
        ("", "t.csv:1: column 'system' is not named"),
        (
            "system,measure,value\nsys-9,P@10,0.1\n",
            "t.csv: no true score belongs to P@10 of sys-1, sys-2, sys-3 and 1 more",
        ),
        ("system,measure,value\nsys-1,AP,0.1\n", "(there is AP of sys-1)"),
    ],
)
def test_bad_truths_are_refused(run: Run, folder: Path, text: str, told: str) -> None:
    """Guards files that are none: the line, the fault, exit code 2, no page."""
    (folder / "t.csv").write_text(text)
    code, out, err = run("report", "q.qrels", "runs", "-m", "P@10", "--truth", "t.csv", "-o", "x.html")
    assert (code, out) == (2, "")
    assert told in err
    assert "Traceback" not in err
    assert not (folder / "x.html").exists()


@pytest.mark.slow
def test_the_demo_of_another_seed_ends_in_a_page(run: Run, folder: Path) -> None:
    """Guards the whole demo: made, reported, marks counted again from its own files, made again over its page."""
    assert run("demo", "d", "--seed", "7")[0] == 0
    code, out, _ = run("report", "d/study.toml", "-m", "P@10", "-o", "d/report.html")
    assert code == 0
    assert out.startswith("d/report.html: None of 7 systems is shown to be better than system-5 on P@10. ")
    assert " Of 7 verdicts by P@10, each tested alone, the uncorrected labels have " in out
    found = data_of(read((folder / "d/report.html").read_text()))["sections"]
    with (folder / "d/truth.csv").open() as file:
        true = {r["system"]: float(r["value"]) for r in csv.DictReader(file) if r["measure"] == "P@10"}
    assert sorted(true, key=partial(true.__getitem__)) == [f"system-{i}" for i in range(1, 9)]
    right = wrong = 0
    for claim in found["verdict"]["claims"]:
        better = true[claim["b"]] > true[claim["a"]]
        right += claim["outcome"] == ("better" if better else "worse")
        wrong += claim["outcome"] == ("worse" if better else "better")
    assert found["truth"]["P@10"]["verdicts"] == {"right": right, "wrong": wrong, "undecided": 7 - right - wrong}
    held = sum(s["low"] <= true[s["system"]] <= s["high"] for s in found["systems"]["P@10"])
    assert found["truth"]["P@10"]["intervals"] == {"hold": held, "of": 8}
    assert run("demo", "d", "--seed", "7")[0] == 0
