"""The README does what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text()
COMMANDS = [
    line.removeprefix("$ ")
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("$ truegain")
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the commands run one after the other."""
    return tmp_path_factory.mktemp("readme")


def test_every_command_runs(folder: Path) -> None:
    """Guards the first minute on the command line: each command ends well and prints something."""
    assert len(COMMANDS) >= 5
    for command in COMMANDS:
        line = command.replace("truegain", f"{sys.executable} -m truegain", 1)
        done = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, env={**os.environ})
        assert done.returncode == 0, (command, done.stderr)
        assert done.stdout or "-o " in command, command
    assert (folder / "scores.csv").read_text().startswith("system,topic,measure,value\nsystem-1,001,nDCG@10,")


def test_every_python_block_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """Guards the first minute in Python."""
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "nDCG@10" in capsys.readouterr().out
