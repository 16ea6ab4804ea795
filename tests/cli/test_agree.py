"""`truegain agree` as a user runs it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import truegain as tg
from truegain.cli.app import main
from truegain.studies.ratings_world import magnitude_ratings

if TYPE_CHECKING:
    import pytest


def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run the command line in this process."""
    monkeypatch.setattr(sys, "argv", ["truegain", *words])
    try:
        main()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards the command on magnitudes with experts: tables for people, one part for programs, mistakes with 2."""
    monkeypatch.chdir(tmp_path)
    world = magnitude_ratings(topics=2, docs=14, workers=4, seed=1)
    tg.write_judgments(world.ratings, "ratings.csv")
    tg.write_judgments(world.expert, "expert.qrels")
    words = ["agree", "ratings.csv", "--scale", "ratio", "--normalise", "geometric", "--trials", "100"]
    code, out, err = call(monkeypatch, capsys, *words, "--expert", "expert.qrels")
    assert (code, err) == (0, "")
    for part in (
        "alpha ratio",
        "median max/min ratio",
        "Agreement with experts",
        "By topic",
        "Assessors",
    ):
        assert part in out
    code, out, _ = call(monkeypatch, capsys, *words, "--part", "topics", "--format", "json")
    assert code == 0
    assert [row["topic"] for row in json.loads(out)["rows"]] == ["1", "2"]
    code, _, err = call(monkeypatch, capsys, *words, "--part", "experts")
    assert code == 2
    assert "needs --expert" in err


def test_undefined_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards against nan on the screen: where everybody says the same the table says so."""
    monkeypatch.chdir(tmp_path)
    Path("r.csv").write_text("topic,doc,ann,bob\n1,a,1,1\n1,b,1,1\n")
    code, out, _ = call(monkeypatch, capsys, "agree", "r.csv")
    assert code == 0
    assert "undefined: all ratings are 1" in out
    assert "nan" not in out
