"""Every broken input of the table, through the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.data.broken import BROKEN, Broken
from truegain.cli.app import main


@pytest.mark.parametrize("case", BROKEN, ids=lambda c: c.name)
def test_broken_input_ends_with_code_2(
    case: Broken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards the command line: exit code 2, the same message as in Python, no traceback and no scores."""
    monkeypatch.chdir(tmp_path)
    judgments, runs = case.lay_out(tmp_path)
    words = ["eval", judgments, *runs, "-m", case.measure]
    for option, value in case.options.items():
        words += [f"--{option.replace('_', '-')}", value]
    monkeypatch.setattr(sys, "argv", ["truegain", *words])
    with pytest.raises(SystemExit) as end:
        main()
    captured = capsys.readouterr()
    assert end.value.code == 2
    assert captured.out == ""
    assert "Traceback" not in captured.err
    for fragment in case.says:
        assert fragment in captured.err
