"""truegain.testing: a test passes, fails or is skipped by the rule of the gate, with the sentence of the verdict."""

from __future__ import annotations

import json
import subprocess
import sys
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import truegain as tg
from truegain.cli.app import main
from truegain.testing import NotEnoughEvidence, assert_better, assert_not_worse

QRELS = {str(t): {"a": 1, "b": 0} for t in range(40)}


def run(wrong: int) -> dict[str, dict[str, float]]:
    """A run that ranks the irrelevant document first on so many topics."""
    return {t: {"a": 2.0, "b": 1.0 + 2 * (int(t) < wrong)} for t in QRELS}


RUNS = {"good": run(0), "fair": run(2), "poor": run(20)}


def test_each_outcome_has_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards one rule: what the helper does is what `truegain gate` says, for claims that pass, fail and stay open."""
    tg.write_judgments(QRELS, tmp_path / "q.qrels")
    tg.write_runs(RUNS, tmp_path / "runs/")
    monkeypatch.chdir(tmp_path)
    study = tg.Study(RUNS, QRELS, "P@1")
    ends = {0: None, 1: AssertionError, 3: NotEnoughEvidence}
    seen = set()
    for baseline, candidate, by in [
        ("poor", "good", None), ("good", "poor", None), ("fair", "good", None), ("good", "fair", 0.2),
        ("good", "fair", 0.02), ("good", "poor", 0.1), ("poor", "fair", 0.1),
    ]:  # fmt: skip
        words = ["gate", "q.qrels", "runs", "-m", "P@1", "--baseline", baseline, "--candidate", candidate]
        words += [] if by is None else ["--not-worse-by", str(by)]
        monkeypatch.setattr(sys, "argv", ["truegain", *words, "--format", "json"])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        told = json.loads(capsys.readouterr().out)
        seen.add(code)

        def check(baseline: str = baseline, candidate: str = candidate, by: float | None = by) -> Any:
            if by is None:
                return assert_better(study, baseline, candidate)
            return assert_not_worse(study, baseline, candidate, by=by)

        kind = ends[code]
        if kind is None:
            assert [v.sentence for v in check()] == [v["sentence"] for v in told["verdicts"]]
        else:
            with pytest.raises(kind) as caught:
                check()
            assert str(caught.value) == f"{candidate}: {told['gate']}\n{told['verdicts'][0]['sentence']}"
    assert seen == {0, 1, 3}


def test_what_is_not_known() -> None:
    """Guards on_unknown: skip, fail, or pass with a warning; and that a skip is one of unittest's."""
    study = tg.Study(RUNS, QRELS, "P@1")
    assert issubclass(NotEnoughEvidence, unittest.SkipTest)
    with pytest.raises(AssertionError, match="fair: inconclusive\nInconclusive"):
        assert_not_worse(study, "good", "fair", by=0.02, on_unknown="fail")
    with pytest.warns(tg.DataWarning, match="fair: inconclusive"):
        (verdict,) = assert_not_worse(study, "good", "fair", by=0.02, on_unknown="pass")
    assert verdict.outcome == "inconclusive"
    with pytest.raises(AssertionError, match="poor: fails"):  # what is known to fail is not unknown
        assert_not_worse(study, "good", "poor", by=0.02, on_unknown="pass")


def test_several_baselines_and_measures() -> None:
    """Guards the claim about all of them together: one that stays open keeps the test from passing."""
    study = tg.Study(RUNS, QRELS, ["P@1", "AP"])
    with pytest.raises(NotEnoughEvidence, match="good: inconclusive"):
        assert_better(study, ["poor", "fair"])
    assert len(assert_better(study, "poor", "good")) == 2
    assert len(assert_better(study, "poor", "good", "AP")) == 1
    experiment = tg.Experiment(RUNS, None, QRELS, "P@1", baseline="poor")
    assert assert_better(experiment, "poor", "good")[0].outcome == "better"


def test_unchecked_labels_do_not_pass() -> None:
    """Guards labels of a model that nobody checked: not known, with how to check them."""
    study = tg.Study(RUNS, tg.read_judgments(QRELS, model="gpt-4o"), "P@1")
    with pytest.raises(NotEnoughEvidence, match=r"good: unchecked\n(.|\n)*First: have a person check"):
        assert_better(study, "poor", "good")


def test_mistakes() -> None:
    """Guards errors: what is no study, no system, no way to go on."""
    study: Any = tg.Study(RUNS, QRELS, "P@1")
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: assert_better(RUNS, "poor", "good"), "study is a dict; give a tg.Study"),  # type: ignore[arg-type]
        (lambda: assert_better(study, "por", "good"), "baseline 'por' is not a system here"),
        (lambda: assert_better(study, [], "good"), "baseline is empty"),
        (lambda: assert_better(study, "poor"), "there are 2 other systems"),
        (lambda: assert_not_worse(study, "poor", "good", by=0.1, on_unknown="ignore"), "on_unknown 'ignore'"),  # type: ignore[arg-type]
        (lambda: assert_not_worse(study, "poor", "good", by=-1), "not_worse_by -1"),
    ]
    for call, says in wrong:
        with pytest.raises(tg.TruegainError, match=says):
            call()


@pytest.mark.slow
def test_pytest_counts_a_skip(tmp_path: Path) -> None:
    """Guards the skip with pytest itself, in a process of its own: 1 passed, 1 failed, 1 skipped, with the sentence."""
    (tmp_path / "test_new.py").write_text(
        f"import truegain as tg\nSTUDY = tg.Study({RUNS!r}, {QRELS!r}, 'P@1')\n"
        "def test_pass(): tg.testing.assert_better(STUDY, 'poor', 'good')\n"
        "def test_fail(): tg.testing.assert_better(STUDY, 'good', 'poor')\n"
        "def test_skip(): tg.testing.assert_better(STUDY, 'fair', 'good')\n"
    )
    words = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "test_new.py"]
    out = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True).stdout
    assert "1 failed, 1 passed, 1 skipped" in out
    assert "good: inconclusive" in out
