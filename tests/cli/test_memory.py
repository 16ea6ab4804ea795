"""Commands on files that take more memory than may be taken: read in batches, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.streams.files import small_study
from truegain.study import intervals

LINES, WHOLE = ("trec", "csv", "tsv", "jsonl"), ("table", "json")


@pytest.fixture
def study(folder: Path) -> list[str]:
    """Its files, in a folder of their own."""
    return small_study(folder)


def test_what_cannot_be_read_in_batches_is_refused_before(study: list[str], run: Run) -> None:
    """Guards against a machine that swaps: commands that hold all in memory say how much, with exit code 2."""
    for words in (
        ["verdict", *study, "-m", "AP"], ["unjudged", *study], ["compare", *study, "--population", "collection"],
        ["init", *study, "-o", "new.toml"],
    ):  # fmt: skip
        code, _, said = run(*words, "--memory", "10KB")
        assert (words[0], code) == (words[0], 2)
        assert "of memory, and the limit is 10 KB" in said
        assert "--memory" in said
        assert "memory=" not in said


def test_eval_prints_the_same(study: list[str], run: Run, folder: Path) -> None:
    """Guards formats of `eval -q` that are written some rows at a time; that there were batches is told once."""
    for kind in LINES:
        words = ["eval", *study, "-m", "nDCG@5", "-m", "RelString@3", "-q", "--format", kind]
        code, at_once, said = run(*words)
        assert code == 0
        code, out, also = run(*words, "--memory", "10KB")
        assert (code, out) == (0, at_once)
        first, *rest = also.splitlines()
        assert first.endswith("of memory, and the limit is 10 KB: read in batches")
        assert rest == said.splitlines()
        if kind == "csv":
            run(*words, "-o", str(folder / "x.csv"))
            assert (folder / "x.csv").read_text() == at_once


def test_batches_are_told_once_where_runs_are_scored_twice(study: list[str], run: Run) -> None:
    """Guards `correlate`, which reads the runs for each set of judgments."""
    _, _, said = run("correlate", study[0], *study, "-m", "AP", "--memory", "10KB")
    assert said.count("read in batches") == 1


def test_formats_that_are_made_at_once_are_refused(study: list[str], run: Run) -> None:
    """Guards formats that hold all rows: of too many topics they are refused, and others are named."""
    for kind in WHOLE:
        code, _, said = run("eval", study[0], "none.run", "-q", "--format", kind, "--memory", "10KB")
        assert code == 2
        assert "use --format csv, tsv, jsonl or trec" in said  # before it is seen that there is no such run
        assert run("eval", *study, "--format", kind, "--memory", "10KB")[0] == 0


@pytest.mark.parametrize("method", ["wilson", "studentized"])
def test_intervals_over_topics_are_the_same(study: list[str], run: Run, method: str, monkeypatch: Any) -> None:
    """Guards `eval --intervals topics` on files read in batches: every digit; too many topics to draw are refused."""
    words = ["eval", *study, "-m", "nDCG@5", "-m", "AP", "-m", "map", "--intervals", "topics", "--method", method]
    words += ["--format", "csv", "--resamples", "50"]
    assert run(*words)[1] == run(*words, "--memory", "10KB")[1] != ""
    assert "read in batches" in run(*words, "--memory", "10KB")[2]
    monkeypatch.setattr(intervals, "FLOOR", 1)
    code, _, said = run(*words, "--memory", "100KB")
    assert (code, "of memory, and the limit is" in said) == ((0, False) if method == "wilson" else (2, True)), said


def test_compare_prints_the_same(study: list[str], run: Run) -> None:
    """Guards `compare` on files read in batches."""
    words = ["compare", *study, "-m", "nDCG@5", "--test", "randomization", "--resamples", "1000"]
    assert run(*words)[1] == run(*words, "--memory", "10KB")[1] != ""
