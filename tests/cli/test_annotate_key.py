"""`truegain annotate key` and `password`, and what `serve` makes of them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.judging.asgi import TestClient
from truegain.cli.annotate_serve import PASSWORD, organizer_line, parts_of, taken_back
from truegain.errors import TruegainError
from truegain.judging.server.app import create_app
from truegain.judging.store.database import Database, default_url
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import read_study
from truegain.judging.workflow.tokens import KEY_FILE, JudgeKeys


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a study and a prompt."""
    simulated_study(tmp_path / "study", task="graded", topics=1, docs=4, judgments=1, size=2)
    (tmp_path / "prompt.txt").write_text("Is it relevant?")
    return tmp_path


def test_a_key_is_printed_once_and_kept_as_a_digest(run: Run, folder: Path) -> None:
    """Guards the key: alone on standard output, known to the study, and not in its folder."""
    words = ("--model", "some-model", "--prompt", "prompt.txt", "--parameter", "temperature=0", "--parameter", "top_p=")
    code, out, err = run("annotate", "key", "study", *words)
    assert code == 0
    key = out.strip()
    assert "not printed again" in err
    assert key not in err
    judge = JudgeKeys(folder / "study").judge(key)
    assert judge is not None
    assert (judge.model, judge.parameters) == ("some-model", {"temperature": "0", "top_p": ""})
    assert not any(key in path.read_text(errors="replace") for path in (folder / "study").iterdir())


FAULTS = [
    (("--model", " ", "--prompt", "prompt.txt"), "model"),
    (("--model", "m", "--prompt", "gone.txt"), "gone.txt"),
    (("--model", "m", "--prompt", "empty.txt"), "empty"),
    (("--model", "m", "--prompt", "prompt.txt", "--parameter", "x"), "temperature=0"),
    (("--model", "m", "--prompt", "prompt.txt", "--parameter", "x=1", "--parameter", "x=2"), "repeated"),
]


@pytest.mark.parametrize(("words", "said"), FAULTS)
def test_faults_of_a_key_are_told(run: Run, folder: Path, words: tuple[str, ...], said: str) -> None:
    """Guards mistakes: exit 2, a sentence, and no key in the file."""
    (folder / "empty.txt").write_text(" \n")
    code, out, err = run("annotate", "key", "study", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert not (folder / "study" / KEY_FILE).exists()


def test_a_password_is_kept_as_a_hash(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the password: read from standard input, kept as argon2 and for its owner alone, and it opens the page."""
    monkeypatch.setattr("sys.stdin", io.StringIO("four words or more\n"))
    code, out, err = run("annotate", "password", "study")
    assert (code, out) == (0, "")
    kept = folder / "study" / PASSWORD
    assert "/organize/" in err
    assert kept.read_text().startswith("$argon2id$")
    assert kept.stat().st_mode & 0o077 == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("short\n"))
    code, _, err = run("annotate", "password", "study")
    assert code == 2
    assert "5 characters" in err
    assert [p.name for p in kept.parent.glob("organizer*")] == [PASSWORD]


@pytest.mark.slow
def test_what_is_served_follows_the_password(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the parts: judges always, the organizer's page where a password is set, and `serve` says which."""
    study, database = read_study(folder / "study"), Database(default_url(folder))
    page, judges = f"/organize/{study.name}/sign-in", f"/api/{study.name}"

    def statuses() -> list[int]:
        client = TestClient(create_app(study, database, more=parts_of(study)))
        return [client.get(address).status_code for address in (page, judges)]

    assert statuses() == [404, 401]
    assert "annotate password" in organizer_line(study, "http://here")
    monkeypatch.setattr("sys.stdin", io.StringIO("four words or more\n"))
    run("annotate", "password", "study")
    assert statuses() == [200, 401]
    assert organizer_line(study, "http://here") == f"organizer: http://here/organize/{study.name}/"
    document = TestClient(create_app(study, database, more=parts_of(study))).get("/api/openapi.json").json()
    assert "/organize" not in json.dumps(document["paths"])
    database.close()


def test_a_key_for_prolific_needs_people_from_there(folder: Path) -> None:
    """Guards a mistake that would ask Prolific for nothing; without a key nothing is asked."""
    study, database = read_study(folder / "study"), Database(default_url(folder))
    assert taken_back(study, database, None, print) is None
    (folder / "key").write_text("secret-key")
    with pytest.raises(TruegainError, match="assessors come from open") as error:
        taken_back(study, database, str(folder / "key"), print)
    assert "secret-key" not in str(error.value)
    database.close()
