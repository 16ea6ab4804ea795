"""Every command of the files beside this prints what it printed when it was last looked at."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.schemas import schema_faults
from truegain.cli.app import main

HERE = Path(__file__).parent
KEEP = bool(os.environ.get("KEEP"))
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+")
SHORT = 6  # decimals up to which a number was rounded for reading, and may round to its neighbour on another machine
CASES = [
    (path.stem, line.strip())
    for path in sorted(HERE.glob("*.txt"))
    for line in path.read_text().splitlines()
    if line.strip() and not line.startswith("#")
]


@pytest.mark.parametrize(("area", "command"), CASES, ids=[f"{area}-{n}" for n, (area, _) in enumerate(CASES)])
def test_a_command_prints_what_it_printed(
    area: str,
    command: str,
    small_study: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Guards every number and sentence of an answer against a change that nobody meant, and JSON by its schema."""
    monkeypatch.chdir(small_study)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "argv", ["truegain", *shlex.split(command)])
    try:
        main()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    seen = capsys.readouterr()
    now = [f"exit {code}", *lines_of(seen.out), *lines_of(seen.err)]
    words = shlex.split(command)
    if words[-2:] == ["--format", "json"]:
        faults = schema_faults(words, seen.out)
        assert not faults, f"{faults[:3]}: declare new columns in results/documents.py and cli/schema.py"
    kept = HERE / f"{area}.json"
    answers = answers_in(kept)
    if KEEP:
        answers_in.cache_clear()
        wanted = {line for name, line in CASES if name == area}
        answers = {line: a for line, a in sorted((answers | {command: now}).items()) if line in wanted}
        kept.write_text(json.dumps(answers, indent=0, ensure_ascii=False) + "\n")
    assert command in answers, "not kept yet: KEEP=1 python -m pytest tests/kept"
    for was, line in zip(answers[command], now, strict=True):
        assert NUMBER.split(was) == NUMBER.split(line)
        for a, b in zip(NUMBER.findall(was), NUMBER.findall(line), strict=True):
            assert float(b) == pytest.approx(float(a), rel=1e-6, abs=nearly(a)), (was, line)


@cache
def answers_in(kept: Path) -> dict[str, list[str]]:
    """What commands printed, by command."""
    return json.loads(kept.read_text()) if kept.exists() else {}


def lines_of(text: str) -> list[str]:
    """Lines of an output, JSON unfolded to one row a line, without what tells machine, version and input."""
    try:
        told = json.loads(text)
    except ValueError:
        return text.splitlines()
    if isinstance(told, dict):
        told.pop("provenance", None)
        parts = ((key, part) for key, value in told.items() for part in (value if isinstance(value, list) else [value]))
        return [f"{key}: {json.dumps(shortened(part))}" for key, part in parts]
    return [json.dumps(shortened(part)) for part in told]


def shortened(part: object) -> object:
    """Numbers to ten digits, which is what machines agree on."""
    match part:
        case float():
            return float(f"{part:.10g}")
        case list():
            return [shortened(x) for x in part]
        case dict():
            return {k: shortened(x) for k, x in part.items()}
    return part


def nearly(number: str) -> float:
    """How far a number may move: one step of the last digit of a rounded one."""
    decimals = len(number.split(".")[-1])
    return 10.0**-decimals * 1.01 if "e" not in number and decimals <= SHORT else 1e-9
