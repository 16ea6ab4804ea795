"""The command line in this process, for all tests of commands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from truegain.cli.app import main
from truegain.cli.commands import every_page

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where commands run; test files put their own study there."""
    return tmp_path


@pytest.fixture(scope="session")
def commands() -> None:
    """Loads every command: its help lists what a catalogue holds, before a test adds something to it."""
    assert list(every_page())


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A function from the words of a command to its exit code, output and errors."""

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["truegain", *words])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call
