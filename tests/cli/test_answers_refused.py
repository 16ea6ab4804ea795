"""Commands that read documents, given logs of evaluation tools or nuggets: who reads these is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from truegain.cli.commands import COMMANDS
from truegain.cli.options import TAKE_ANSWERS

OF_DOCUMENTS = (
    ("unjudged", "FILES"),
    ("unjudged", "FILES", "--show", "next"),
    ("aggregate", "FIRST"),
    ("experiment", "split-half", "FILES"),
    ("experiment", "incomplete", "FILES"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Nuggets with assignments, and a log of promptfoo as lines."""
    bank = [{"qid": t, "nugget": f"{t} fact", "importance": "vital"} for t in "123"]
    assigned = [{"qid": t, "system": s, "nugget": f"{t} fact", "assignment": "support"} for t in "123" for s in "ab"]
    for name, rows in (("nuggets.jsonl", bank), ("assigned.jsonl", assigned)):
        (tmp_path / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    lines: list[dict[str, Any]] = [
        {"promptIdx": p, "testIdx": t, "provider": {"id": s}, "vars": {"q": str(t)}, "score": p,
         "namedScores": {"tone": p}, "gradingResult": {"namedScores": {"tone": p}}, "testCase": {}}
        for t in range(3) for p, s in enumerate("ab")
    ]  # fmt: skip
    (tmp_path / "log.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in lines))
    return tmp_path


@pytest.mark.parametrize("files", [("nuggets.jsonl", "assigned.jsonl"), ("log.jsonl",)], ids=["nuggets", "log"])
@pytest.mark.parametrize("words", OF_DOCUMENTS, ids=" ".join)
def test_what_reads_documents_says_so(run: Run, folder: Path, words: tuple[str, ...], files: tuple[str, ...]) -> None:
    """Guards the message of commands that have no use for values of answers."""
    typed = [x for w in words for x in (files if w == "FILES" else files[:1] if w == "FIRST" else (w,))]
    code, out, err = run(*typed)
    name = " ".join(words[: words.index("FIRST" if "FIRST" in words else "FILES")])
    assert (code, out) == (2, "")
    assert f"{files[0]} contains values of answers, which `{name}` does not read; these do: `truegain verdict`" in err


@pytest.mark.parametrize("files", [("nuggets.jsonl", "assigned.jsonl"), ("log.jsonl",)], ids=["nuggets", "log"])
def test_what_answers_cannot_be(run: Run, folder: Path, files: tuple[str, ...]) -> None:
    """Guards settle, whatever its default measure, and init, which writes a study of runs."""
    code, _, err = run("settle", *files)
    assert code == 2
    assert "cannot be settled label by label: it is of answers" in err
    code, _, err = run("init", files[0], files[-1])
    assert code == 2
    assert "has values of answers, which need no study file" in err


def test_those_that_are_named_are_commands() -> None:
    """Guards the remedy: each command that is named is there."""
    assert {name.partition(" ")[0] for name in TAKE_ANSWERS} <= {*COMMANDS}
