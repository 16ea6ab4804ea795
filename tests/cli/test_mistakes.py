"""Small mistakes get messages that say what to do."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import truegain as tg
from tests.cli.conftest import Run
from tests.cli.test_verdict import folder, world  # noqa: F401
from truegain.aggregation.assessors import Twin


def test_a_name_twice_has_both_paths(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards two files of one name: both paths are told, and the option that tells them apart."""
    for place in ("a", "b"):
        (folder / place).mkdir()
        tg.write_runs({"s": world()[0]["weak"]}, folder / place / "s.run")
    for verb in ("eval", "verdict", "init", "report"):
        code, _, err = run(verb, "judgments.qrels", "a/s.run", "b/s.run")
        assert (code, "two systems are named s: a/s.run, b/s.run" in err, "--name-by tag" in err) == (2, True, True)


def test_a_readme_among_runs_is_called_that(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards a folder with a README in it: told as that, not as a run with a bad line."""
    (folder / "runs" / "README.md").write_text("# Ours\n\nSix words are not a run\n")
    code, _, err = run("eval", "judgments.qrels", "runs")
    assert (code, "runs: this folder of runs also contains README.md, which is not a run" in err) == (2, True)
    assert run("eval", "judgments.qrels", "runs/*.run")[0] == 0


def test_trec_is_a_format_of_scores(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards --format trec of compare: why not, where it is, and what there is instead."""
    code, _, err = run("compare", "judgments.qrels", "runs", "--format", "trec")
    assert (code, "--format trec: this format is for the scores" in err, "latex" in err) == (2, True, True)


def test_magnitudes_that_are_all_relevant(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards P@10 = 1 without a word: magnitudes of 1 or more are all relevant; labels and a level are not told of."""
    rng = np.random.default_rng(1)
    _, labels = world()
    lines = (f"{t} 0 {d} {rng.uniform(1, 99):.2f}\n" for t, row in labels.items() for d in row)
    (folder / "big.qrels").write_text("".join(lines))
    said = "every judged document counts as relevant: labels are 1"
    err = run("eval", "big.qrels", "runs", "-m", "P@10")[2]
    assert said in err
    assert "(--relevant-from)" in err
    assert said not in run("eval", "big.qrels", "runs", "-m", "P@10", "--relevant-from", "50")[2]
    assert said not in run("eval", "big.qrels", "runs", "-m", "nDCG@10")[2]
    (folder / "positives.qrels").write_text("".join(f"{t} 0 d01 {1 + int(t) % 3}\n" for t in labels))
    assert said not in run("eval", "positives.qrels", "runs", "-m", "P@10")[2]


def test_no_chance_is_0() -> None:
    """Guards a chance too small for a number: it is below the least, never 0."""
    assert str(Twin("a", 9_000, 0.0)).endswith("(chance below 1e-300)")
    assert str(Twin("a", 30, 1e-13)).endswith("(chance 1e-13)")
