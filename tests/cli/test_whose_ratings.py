"""Whose ratings count, as a user says it: --drop-assessors, --weight-assessors, --first."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Forty documents of five topics rated by six people, of whom eve says 2 throughout and fay the contrary; a run."""
    rng, rows = np.random.default_rng(4), ["topic,doc,assessor,label"]
    for i in range(40):
        grade = int(rng.integers(0, 4))
        said = {who: int(np.clip(grade + rng.choice([-1, 0, 0, 1]), 0, 3)) for who in ("ann", "bob", "cy", "dee")}
        rows += [f"{1 + i % 5},d{i},{w},{v}" for w, v in {**said, "eve": 2, "fay": 3 - grade}.items()]
    (tmp_path / "r.csv").write_text("\n".join([*rows, ""]))
    (tmp_path / "odd.txt").write_text("eve\nfay\n")
    (tmp_path / "w.csv").write_text("assessor,weight\nann,1\nbob,1\ncy,1\ndee,1\neve,0\nfay,0\n")
    (tmp_path / "s.run").write_text("".join(f"{1 + i % 5} Q0 d{i} 1 {40 - i} s\n" for i in range(40)))
    (tmp_path / "t.run").write_text("".join(f"{1 + i % 5} Q0 d{i} 1 {i} t\n" for i in range(40)))
    return tmp_path


def test_four_ways_to_leave_out_the_same_two(run: Run) -> None:
    """Guards that flagged, a list, agree's own table and weights of 0 come to the same gains, for gains and eval."""
    who = ["agree", "r.csv", "--show", "assessors", "--format", "csv", "-o", "who.csv"]
    assert run(*who)[0] == 0
    ways = [["--drop-assessors", "flagged"], ["--drop-assessors", "odd.txt"], ["--drop-assessors", "who.csv"],
            ["--weight-assessors", "w.csv"]]  # fmt: skip
    gains = [run("aggregate", "r.csv", "--aggregate", "mean", *way) for way in ways]
    assert all(code == 0 for code, *_ in gains)
    assert len({out for _, out, _ in gains}) == 1
    assert "2 of 6 assessors left out, worth a second look, with 80 of 240 ratings: eve, fay" in gains[0][2]
    scores = [run("eval", "r.csv", "s.run", "--aggregate", "mean", "-m", "nDCG@10", *way)[1] for way in ways]
    assert len(set(scores)) == 1
    assert scores[0] != run("eval", "r.csv", "s.run", "--aggregate", "mean", "-m", "nDCG@10")[1]


def test_agree_without_those_two(run: Run) -> None:
    """Guards agree: alpha rises, the two are gone, weights are shown, and the others' are alike."""
    before = run("agree", "r.csv", "--show", "overall", "--format", "csv")[1]
    after = run("agree", "r.csv", "--show", "overall", "--format", "csv", "--drop-assessors", "flagged")[1]
    first, second = (float(next(csv.DictReader(io.StringIO(text)))["value"]) for text in (before, after))
    assert second > first + 0.3
    words = ["agree", "r.csv", "--show", "assessors", "--format", "csv", "--weight-assessors", "agreement"]
    weights = {r["assessor"]: float(r["weight"]) for r in csv.DictReader(io.StringIO(run(*words)[1]))}
    assert weights["fay"] == 0
    assert weights["eve"] < 0.5 < 1 < weights["ann"]
    kept = {r["assessor"] for r in csv.DictReader(io.StringIO(run(*words, "--drop-assessors", "flagged")[1]))}
    assert kept == {"ann", "bob", "cy", "dee"}


def test_the_first_ratings(run: Run) -> None:
    """Guards --first: of the first only ann's labels are left, as of a file of hers alone."""
    code, out, err = run("aggregate", "r.csv", "--aggregate", "sum", "--first", "1")
    rows = [line.split(",") for line in Path("r.csv").read_text().splitlines()[1:]]
    ann = {f"{t} {d}": float(v) for t, d, who, v in rows if who == "ann"}
    assert code == 0
    assert {f"{t} {d}": float(v) for t, _, d, v in (line.split() for line in out.splitlines())} == ann
    assert "the first 1 of each document count: 40 of 240 ratings" in err


def test_verdict_and_experiments_choose_alike(run: Run) -> None:
    """Guards that every command that reads ratings takes the same words."""
    code, _, err = run("verdict", "r.csv", "s.run", "t.run", "--aggregate", "mean", "--drop-assessors", "odd.txt")
    assert (code, "2 of 6 assessors left out with 80 of 240" in err) == (0, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("aggregate r.csv --aggregate mean --drop-assessors nobody.txt", "nobody.txt"),
        ("aggregate r.csv --aggregate mace --weight-assessors agreement", "the rule mace weighs assessors itself"),
        ("aggregate r.csv --aggregate mean --weight-assessors odd.txt", "there are no columns 'assessor' and 'weight'"),
        ("aggregate r.csv --aggregate mean --first 0", "--first"),
        ("eval r.csv s.run --weight-assessors agreement", "--weight-assessors: this applies to ratings"),
        ("eval r.csv s.run --drop-assessors flagged", "--drop-assessors: this applies to ratings"),
        ("aggregate r.csv --units top3 --expert r.csv --weight-assessors agreement", "leave out --weight-assessors"),
    ],
)
def test_mistakes_are_told(run: Run, words: str, message: str) -> None:
    """Guards exit code 2 and the fault in the user's words."""
    code, out, err = run(*words.split())
    assert (code, out) == (2, "")
    assert message in err
