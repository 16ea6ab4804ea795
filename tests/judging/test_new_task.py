"""A task is one file and one line in the catalogue: a toy one goes from `annotate init` to the export."""

from __future__ import annotations

import csv
import json
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from tests.judging.asgi import TestClient
from truegain.cli.annotate_serve import parts_of
from truegain.cli.app import main
from truegain.judging.server.app import create_app
from truegain.judging.store.database import Database, default_url
from truegain.judging.study.checking import check_study
from truegain.judging.study.study import read_study
from truegain.judging.tasks.base import ChoosingTask, Level, Option
from truegain.judging.tasks.catalogue import TASKS

# ---------------------------------------------------------------------- the whole of a new task's file

MOODS = (
    Option("calm", 1.0, "Calm", "Nothing in it is meant to upset."),
    Option("angry", -1.0, "Angry", "It accuses someone."),
)


@dataclass(frozen=True)
class MoodTask(ChoosingTask):
    """The mood of a document: calm (1) or angry (-1)."""

    name: ClassVar[str] = "mood"
    template: ClassVar[str] = "graded.html"
    field: ClassVar[str] = "mood"
    level: ClassVar[Level] = "nominal"
    ask: ClassVar[str] = "mood.ask"
    texts: ClassVar[Mapping[str, str]] = {
        "mood.ask": "What mood is this document in?",
        "mood.empty": "Choose a mood",
        "how.mood_title": "What a mood is",
        "how.mood": "Choose the mood that most of its sentences are in.",
        "consent.title_mood": "The mood of letters",
        "consent.intro_mood": "You read {total} documents and tell the mood of each.",
        "consent.intro_mood_one": "You read a document and tell its mood.",
    }

    @property
    def options(self) -> tuple[Option, ...]:
        """Calm or angry."""
        return MOODS


# ---------------------------------------------------------------------- through every command

Command = Callable[[str], tuple[int, str]]
TRUTH = {"d1": "calm", "d2": "angry", "d3": "calm"}


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in a folder with a topic and documents, with the task in the catalogue."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(TASKS, MoodTask.name, MoodTask)
    Path("topics.jsonl").write_text(json.dumps({"id": "t1", "title": "Letters"}) + "\n")
    docs = [{"id": doc, "text": f"It is {mood}."} for doc, mood in TRUTH.items()]
    Path("docs.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    Path("pool.qrels").write_text("".join(f"t1 0 {doc} 1\n" for doc in TRUTH))

    def called(words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["truegain", *shlex.split(words)])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return called


def filled(html: str, **answer: str) -> dict[str, str]:
    """The form of a page as a browser sends it."""
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', html))
    return {**hidden, "action": "next", **answer}


def test_a_new_task_needs_no_other_file(command: Command) -> None:
    """Guards what CONTRIBUTING promises: init, check, pages, checks of a form, status and export know a new task."""
    words = "annotate init study --topics topics.jsonl --docs docs.jsonl --pool pool.qrels --task mood --judgments 1"
    assert command(words)[0] == 0
    assert 'task = "mood"' in Path("study/judging.toml").read_text()
    code, printed = command("annotate check study")
    assert (code, "mood: 1 topic, 3 documents, 1 unit" in printed) == (0, True), printed
    assert check_study("study").faults == ()

    study, database = read_study("study"), Database(default_url("study"))
    app = create_app(study, default_url("study"), more=parts_of(study))
    with TestClient(app, base_url="http://testserver") as client:
        page = client.get("/s/study/")
        assert "You read 3 documents and tell the mood of each." in page.text
        steps = [page.url.path]
        refused = False
        while not steps[-1].endswith("/done") and len(steps) < 12:
            action = re.search(r'<form[^>]*method="post"[^>]*action="([^"]+)"', page.text)
            assert action is not None, page.text
            answer = {"consent": "yes"}
            if "/doc/" in action[1]:
                assert "What mood is this document in?" in page.text
                mood = re.search(r"It is (\w+)\.", page.text)
                assert mood is not None
                answer = {"mood": mood[1], "reason": "it says so"} if refused else {"reason": "it says so"}
            page = client.post(action[1], data=filled(page.text, **answer))
            assert page.status_code == 200
            refused = refused or "Choose a mood" in page.text
            steps.append(page.url.path)
    assert refused, "a form without a mood is not taken"
    assert steps[-1].endswith("/done"), steps
    database.close()

    assert "100%" in command("annotate status study")[1]
    assert command("annotate export study -o ratings.csv")[0] == 0
    with Path("ratings.csv").open(newline="") as file:
        labels = {row["doc"]: float(row["label"]) for row in csv.DictReader(file)}
    assert labels == {doc: {"calm": 1.0, "angry": -1.0}[mood] for doc, mood in TRUTH.items()}


def test_a_task_that_is_none_is_told_with_all_there_are(command: Command) -> None:
    """Guards the option: a name that is no task is refused before anything is read or written."""
    code, printed = command("annotate init study --topics no.jsonl --docs no.jsonl --pool no.qrels --task moood")
    assert code == 2
    assert "'moood'" in printed
    assert all(name in printed for name in ("magnitude", "claim", "mood"))
    assert not Path("study").exists()
