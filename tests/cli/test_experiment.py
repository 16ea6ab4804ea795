"""`truegain experiment split-half`, `eval --intervals` and `compare --population collection` as a user runs them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from truegain.data.writing import write_judgments, write_runs
from truegain.experiments.worlds import simulate

AMONG = ("experiment", "disjoint", "qrels", "runs", "--corpus", "none", "--against", "AP", "--show", "among")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated study on disk."""
    folder = tmp_path_factory.mktemp("study")
    world = simulate(topics=14, systems=3, docs=150, depth=60, pool_depth=30, seed=4)
    (folder / "runs").mkdir()
    write_runs(world.runs, folder / "runs")
    write_judgments(world.gold, folder / "qrels")
    return folder


def test_intervals_over_topics_and_collection(run: Run) -> None:
    """Guards --intervals: one row a system, measure and source, the same for any number of jobs."""
    words = ("eval", "qrels", "runs", "-m", "AP", "-m", "P@5", "--intervals", "topics,collection,topics+collection")
    code, out, _ = run(*words, "--resamples", "200", "--format", "json", "--jobs", "1")
    assert code == 0
    first = json.loads(out)
    assert len(first["rows"]) == 3 * 2 * 3
    assert first["provenance"]["resamples"] == 200
    for row in first["rows"]:
        assert row["low"] < row["value"] < row["high"]
    _, out, _ = run(*words, "--resamples", "200", "--format", "json", "--jobs", "2")
    assert json.loads(out) == first
    _, out, _ = run("eval", "qrels", "runs", "-m", "AP", "--intervals", "topics", "--sort", "AP")
    assert out.splitlines()[1].startswith("system-3")


def test_a_comparison_over_collections(run: Run) -> None:
    """Guards --population collection: meta-analysis of paired differences, by topic on request."""
    words = (
        "compare",
        "qrels",
        "runs/system-1.run",
        "runs/system-3.run",
        "--population",
        "collection",
        "--resamples",
        "300",
    )
    code, out, _ = run(*words, "--meta", "hartung-knapp", "--format", "json")
    assert code == 0
    (row,) = json.loads(out)["rows"]
    assert row["low"] < row["difference"] < row["high"]
    assert "Hartung-Knapp" in row["test"]
    code, out, _ = run(*words, "-m", "AP", "-m", "nDCG@10", "--format", "json")
    assert code == 0
    for row in json.loads(out)["rows"]:
        assert row["difference"] == pytest.approx(row["value_b"] - row["value_a"])
        assert "mean difference" in row["test"]
    words_of_all = (
        "compare",
        "qrels",
        "runs",
        "--population",
        "collection",
        "--resamples",
        "100",
        "--adjust",
        "bonferroni",
    )
    for meta in ("mean", "random"):
        code, out, _ = run(*words_of_all, "--meta", meta, "--pairing", "independent", "--format", "json")
        assert code == 0
        assert "paired" not in out
        for row in json.loads(out)["rows"]:
            assert row["p_adjusted"] == pytest.approx(min(1, 3 * row["p"]))
    _, out, _ = run(*words, "-q")
    assert len([line for line in out.splitlines() if line.startswith("0")]) == 14


@pytest.mark.slow
def test_split_half_prints_and_draws(run: Run, folder: Path) -> None:
    """Guards the experiment: a table with the model's row, a figure where asked for, and the topics' version."""
    code, out, _ = run("experiment", "split-half", "qrels", "runs", "--resamples", "100", "--figure", "split.svg")
    assert code == 0
    assert "logit + small R" in out
    assert "model" in out
    assert (folder / "split.svg").read_text().startswith("<svg")
    code, out, _ = run("experiment", "split-half", "qrels", "runs", "--split", "topics", "--format", "csv")
    assert code == 0
    assert out.startswith("method,below_percent,inside_percent,above_percent\nt,")


@pytest.mark.slow
def test_split_half_shows_each_table_and_figure_of_the_paper(run: Run, folder: Path) -> None:
    """Guards --show: every name prints its table and draws its figure; options reach the table."""
    words = ("experiment", "split-half", "qrels", "runs", "--resamples", "50", "--format", "csv")
    begins = {
        "pilot": "method,lists,direction,below_percent",
        "small-r": "method,lists,direction,below_percent",
        "means": "measure,method,table,direction,below_percent",
        "systems": "system,MAP_A,MAP_low,MAP_high,MAP_B,MAP_inside,L-MAP_A",
        "whole": "system,measure,value,low,high",
    }
    for show, begin in begins.items():
        code, out, err = run(*words, "--show", show, "--figure", f"{show}.svg")
        assert code == 0, err
        assert out.startswith(begin), show
        text = (folder / f"{show}.svg").read_text()
        assert ("from -1 to 1" in text) == (show in ("pilot", "small-r")), show
        assert ("o from B" in text) == (show in ("means", "systems")), show
    _, out, _ = run(*words, "--show", "pilot", "--more-than", "3", "--repeat", "2")
    assert "R > 3" in out
    assert "sd_of_inside" in out
    few, many = (run(*words[:4], "--split", "topics", "--repeat", n) for n in ("2", "6"))
    assert (few[0], many[0]) == (0, 0)
    assert few[1] != many[1]


def test_options_that_a_table_does_not_heed_are_told(run: Run, folder: Path) -> None:
    """Guards split-half: what was typed for another table was passed over in silence; nothing is drawn for it."""
    (folder / "a.txt").write_text("*1\n")
    words = ("experiment", "split-half", "qrels", "runs", "--resamples", "50", "--show")
    for show, given in (
        ("whole", ("--repeat", "3", "--part-a", "a.txt", "--more-than", "9")),
        ("systems", ("--repeat", "3", "--more-than", "9")),
    ):
        code, out, err = run(*words, show, *given)
        assert (code, out) == (0, run(*words, show)[1]), given
        for name in given[::2]:
            assert f"note: {name} does not apply to --show {show}, only to lists, pilot" in err
    assert (
        "note: --resamples does not apply to --split topics"
        in run(*words[:-1], "--split", "topics", "--repeat", "2")[2]
    )
    assert "no part" not in run(*words, "pilot", "--more-than", "2", "--part-a", "a.txt")[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("eval", "qrels", "runs", "--intervals", "assessors"), "cannot draw over"),
        (
            ("eval", "qrels", "runs", "--intervals", "fixed"),
            "documents (--unjudged-sample); choose from topics",
        ),
        (("eval", "qrels", "runs", "--intervals", "topics", "--format", "trec"), "cannot be printed as trec"),
        (("eval", "qrels", "runs", "--intervals", "topics", "--confidence", "95"), "write 0.95"),
        (("compare", "qrels", "runs", "--population", "collection", "-m", "P@10", "--meta", "random"), "compares AP"),
        (("compare", "qrels", "runs", "--population", "collection", "--effect", "logit"), "is for meta-analysis"),
        (("compare", "qrels", "runs", "--population", "collection", "-m", "GMAP"), "is not a mean over topics"),
        (("eval", "qrels", "runs", "--intervals", "topics+collection", "--method", "parametric"), "that over topics"),
        (("compare", "qrels", "runs/system-1.run", "--population", "collection"), "one run cannot be compared"),
        (("compare", "qrels", "runs", "--population", "collection", "-q"), "give two runs"),
        (("experiment", "split-half", "qrels", "runs", "--split", "assessors"), "is not one of"),
        (("experiment", "split-half", "nothing", "runs"), "no such file"),
        (("experiment", "split-half", "qrels", "runs", "--epsilon", "0.5"), "--epsilon 0.5 is not between 0 and 0.5"),
        (
            ("experiment", "split-half", "qrels", "runs", "--split", "topics", "--show", "means"),
            "--show is about halves of the collection; leave out --split topics",
        ),
        (
            ("experiment", "split-half", "qrels", "runs", "--part-a", "qrels", "--repeat", "2"),
            "--part-a fixes how the collection is split; leave out --repeat",
        ),
        (("experiment", "split-half", "qrels", "runs", "--part-a", "none.txt"), "no such file"),
        (
            ("experiment", "split-half", "qrels", "runs", "--show", "means", "-m", "nDCG@10"),
            "--measure nDCG@10 is for --split topics; halves of the collection are compared on AP",
        ),
        (
            ("experiment", "split-half", "qrels", "runs", "--split", "topics", "--figure", "f.svg"),
            "--figure is about halves of the collection",
        ),
        (
            (*AMONG, "--figure", "f.svg"),
            "--show among draws the systems by two measures: give another one with --against, or leave --figure out",
        ),
    ],
)
def test_mistakes_end_with_code_2(run: Run, words: tuple[str, ...], message: str) -> None:
    """Guards clear refusals."""
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.slow
def test_an_interruption_tells_what_was_done_and_writes_nothing(folder: Path) -> None:
    """Guards Ctrl-C: exit code 130, how much was finished, no half-written file."""
    command = [sys.executable, "-m", "truegain", "eval", "qrels", "runs", "-m", "P@5", "--intervals", "collection"]
    command += ["--resamples", "1000000", "-o", "never.csv"]
    command[command.index("qrels")] = "pipe"
    os.mkfifo(folder / "pipe")
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    (folder / "pipe").write_bytes((folder / "qrels").read_bytes())  # waits until the work has begun
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert re.search(r"interrupted: .*\d+ .*; nothing was written", told)
    assert "Traceback" not in told
    assert not (folder / "never.csv").exists()


def test_intervals_of_every_topic(run: Run) -> None:
    """Guards -q with --intervals: AP of each topic over collections, and a refusal where it has no meaning."""
    words = ("eval", "qrels", "runs/system-1.run", "-m", "AP", "-q", "--resamples", "100")
    code, out, _ = run(*words, "--intervals", "collection", "--format", "json")
    rows = json.loads(out)["rows"]
    assert code == 0
    assert len(rows) == 14
    assert all(row["low"] <= row["value"] <= row["high"] and row["topic"] != "all" for row in rows)
    code, _, err = run(*words, "--intervals", "topics")
    assert code == 2
    assert "over the collection" in err


@pytest.mark.slow
def test_incomplete_against_several(run: Run, folder: Path) -> None:
    """Guards --against: each that is given is a part of the table, the same as by itself, and a row of the figure.

    --also adds a collection: rows of its own in the table, a column in the figure.
    """
    (folder / "several.qrels").write_text(
        "".join(f"{t} 0 d{d} {int((t + d) % 3 == 0)}\n" for t in range(8) for d in range(12))
    )
    for step, name in ((5, "a"), (7, "b"), (11, "c")):
        lines = [f"{t} Q0 d{(d * step + t) % 12} 0 {-d} {name}\n" for t in range(8) for d in range(12)]
        (folder / f"{name}_of_3.run").write_text("".join(lines))
    asked = (
        "experiment",
        "incomplete",
        "several.qrels",
        "a_of_3.run",
        "b_of_3.run",
        "c_of_3.run",
        "--keep",
        "50",
        "--repeat",
        "3",
    )
    as_csv = ("--format", "csv")
    code, both, err = run(*asked, "--against", "P@5", "--against", "infAP", *as_csv)
    assert code == 0, err
    assert run(*asked, "--against", "P@5,infAP", *as_csv)[1] == both
    parts = [run(*asked, "--against", name, *as_csv)[1].splitlines()[1:] for name in ("P@5", "infAP")]
    rows = [f"{name},{row}" for name, part in zip(("P@5", "infAP"), parts, strict=True) for row in part]
    assert both.splitlines()[1:] == rows
    assert both.startswith("against,keep_percent,way,tau")
    also = ("--also", "other=several.qrels,*_of_3.run")
    code, out, err = run(*asked, "--against", "P@5", "--against", "infAP", *also, *as_csv, "--figure", "f.svg")
    assert code == 0, err
    named = [f"{name},{row}" for name in ("several", "other") for row in rows]
    assert out.splitlines()[1:] == named
    drawn = (folder / "f.svg").read_text()
    assert all(f">{a}, {c}<" in drawn for a in ("P@5", "infAP") for c in ("several", "other"))
    for wrong in ("several.qrels,a_of_3.run", "x=several.qrels", "x=,a_of_3.run"):
        code, _, err = run(*asked, "--also", wrong)
        assert (code, f"--also {wrong}: not a collection; write NAME=JUDGMENTS,RUNS" in err) == (2, True)
    code, _, err = run(*asked, "--also", "several=several.qrels,a_of_3.run")
    assert (code, "there is a collection several already" in err) == (2, True)
