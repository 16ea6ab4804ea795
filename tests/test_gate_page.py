"""The CI files of docs/howto/gate.md: their steps run here, with stand-ins for the runner and for what it installs."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "howto" / "gate.md").read_text()
CANDIDATES = {0: "system-8", 1: "system-3", 3: "system-6", 2: None}  # exit code: what the script retrieves
CASES = [pytest.param(code, marks=() if code == 3 else pytest.mark.slow) for code in CANDIDATES]
TOKEN = "a-token"


def shown(name: str) -> str:
    """The block whose first line says that it is this file."""
    [found] = re.findall(rf"```\w+\n(# {re.escape(name)}\n.*?)```", PAGE, re.DOTALL)
    return str(found)


GITHUB: dict[str, Any] = yaml.safe_load(shown(".github/workflows/retrieval.yml"))
GITLAB: dict[str, Any] = yaml.safe_load(shown(".gitlab-ci.yml"))


class Ended(NamedTuple):
    """How a job ended, what it printed, and in which folder."""

    code: int
    printed: str
    folder: Path

    def asked_of(self, program: str) -> list[str]:
        """The arguments that a stand-in was started with, a line each time."""
        log = self.folder / f"{program}.log"
        return log.read_text().splitlines() if log.exists() else []


def stand_in(folder: Path, name: str, script: str) -> None:
    """A program of this name, found first."""
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's files."""
    folder = tmp_path_factory.mktemp("gate") / "demo"
    line = [sys.executable, "-m", "truegain", "demo", str(folder)]
    subprocess.run(line, check=True, capture_output=True)
    return folder


@pytest.fixture
def checkout(tmp_path: Path, simulated: Path) -> Path:
    """A checkout: the page's study of the demo's files, and a script that retrieves what WANTED names."""
    runs = tmp_path / "eval" / "runs"
    runs.mkdir(parents=True)
    (tmp_path / "eval" / "study.toml").write_text(shown("eval/study.toml"))
    for source, name in {
        "leaning.qrels": "llm.qrels",
        "gold_sample.qrels": "people.qrels",
        "runs/system-5.run": "runs/prod.run",
    }.items():
        shutil.copy(simulated / source, tmp_path / "eval" / name)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "retrieve.py").write_text(
        "import os, shutil, sys\n"
        "assert sys.argv[1] == '--out'\n"
        "if os.environ['WANTED']:\n"
        f"    shutil.copy(f\"{simulated}/runs/{{os.environ['WANTED']}}.run\", sys.argv[2])\n"
    )
    stand_in(tmp_path, "pip", 'echo "$*" >> pip.log')
    stand_in(tmp_path, "gh", 'echo "$*" >> gh.log; exit "${GH_FAILS:-0}"')
    stand_in(tmp_path, "truegain", f'exec "{sys.executable}" -m truegain "$@"')
    stand_in(tmp_path, "python", f'exec "{sys.executable}" "$@"')
    return tmp_path


def bash(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A step, as runners start it: it ends at the first command that fails."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "NO_PROXY": "*", **variables}
    line = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(
        line, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )


# ---------------------------------------------------------------------- GitHub


def filled(text: str, values: dict[str, str]) -> str:
    """A text of the workflow with its expressions replaced by what they stand for."""
    return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda found: values[found[1]], text)


def holds(condition: str, values: dict[str, str]) -> bool:
    """Whether the condition of a step holds: comparisons, joined by &&."""

    def value(word: str) -> str:
        return word.strip("'") if word.startswith("'") else values[word]

    parts = [re.fullmatch(r"(\S+) (==|!=) (\S+)", part.strip()) for part in condition.split("&&")]
    assert all(parts), condition
    return all((value(p[1]) == value(p[3])) == (p[2] == "==") for p in parts if p)


def github(folder: Path, wanted: str | None, *, fork: bool = False, **variables: str) -> Ended:
    """The steps of the workflow, one after the other; a step that fails ends it, unless it may."""
    repository = "us/search"
    values = {
        "github.token": TOKEN,
        "github.repository": repository,
        "github.event.number": "7",
        "github.event.pull_request.head.repo.full_name": "them/search" if fork else repository,
    }
    output, summary = folder / "output.txt", folder / "summary.md"
    printed = ""
    for step in GITHUB["jobs"]["gate"]["steps"]:
        if "run" not in step or not holds(step.get("if", "'1' == '1'"), values):
            continue
        given = {name: filled(text, values) for name, text in step.get("env", {}).items()}
        files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary), "WANTED": wanted or ""}
        done = bash(filled(step["run"], values), folder, **given, **files, **variables)
        printed += done.stdout
        if done.returncode and not step.get("continue-on-error"):
            return Ended(done.returncode, printed, folder)
        told = [line.split("=", 1) for line in (output.read_text().splitlines() if output.exists() else ())]
        values |= {f"steps.{step['id']}.outputs.{name}": text for name, text in told} if "id" in step else {}
    return Ended(0, printed, folder)


@pytest.mark.parametrize("code", CASES)
def test_the_workflow_passes_fails_or_warns(checkout: Path, code: int) -> None:
    """Guards the file for GitHub: 0 passes, 1 and 2 fail, 3 passes with a warning; the comment is what gate printed."""
    ended = github(checkout, CANDIDATES[code])
    assert ended.code == {0: 0, 1: 1, 2: 1, 3: 0}[code]
    assert ("::warning::" in ended.printed) == (code == 3)
    assert ended.asked_of("pip") == ["install truegain==0.2.*"]
    comment, summary = (checkout / "gate.md").read_text(), (checkout / "summary.md").read_text()
    assert summary == comment
    if code == 2:
        assert ended.asked_of("gh") == []
        assert "eval/study.toml:8: candidate new is not a system here" in ended.printed
    else:
        assert ended.asked_of("gh") == ["pr comment 7 --edit-last --create-if-none --body-file gate.md"]
        assert {0: "new: passes", 1: "new: fails", 3: "new: inconclusive"}[code] in comment


@pytest.mark.slow
def test_a_comment_that_cannot_be_written_changes_no_outcome(checkout: Path) -> None:
    """Guards forks, which have no token, and a comment that is refused: the verdict decides all the same."""
    assert github(checkout, "system-8", fork=True).asked_of("gh") == []
    refused = github(checkout, "system-8", GH_FAILS="1")
    assert (refused.code, len(refused.asked_of("gh"))) == (0, 1)


def test_the_workflow_may_write_comments_and_nothing_else() -> None:
    """Guards the token, and shells: no expression that others could fill in is written into a script."""
    assert GITHUB["permissions"] == {"contents": "read", "pull-requests": "write"}
    steps = GITHUB["jobs"]["gate"]["steps"]
    assert [step["uses"].split("@")[0] for step in steps if "uses" in step] == [
        "actions/checkout",
        "actions/setup-python",
    ]
    assert not [step for step in steps if "${{" in step.get("run", "")]


# ---------------------------------------------------------------------- GitLab


@contextmanager
def gitlab_api(status: int) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """An address that takes notes, and what it took: path, token, body."""
    took: list[tuple[str, str, str]] = []

    class Notes(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            took.append((self.path, self.headers["PRIVATE-TOKEN"], parse_qs(body)["body"][0]))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: Any) -> None:
            """Nothing on the screen."""

    server = HTTPServer(("127.0.0.1", 0), Notes)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/api/v4", took
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def gitlab(folder: Path, wanted: str | None, api: str, token: str = TOKEN) -> Ended:
    """The job's script, its lines in one shell, as GitLab runs them."""
    job = GITLAB["retrieval-gate"]
    variables = {"CI_API_V4_URL": api, "CI_PROJECT_ID": "12", "CI_MERGE_REQUEST_IID": "7", "GITLAB_TOKEN": token}
    done = bash("\n".join(job["script"]), folder, WANTED=wanted or "", **variables)
    return Ended(done.returncode, done.stdout, folder)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="the job posts by curl")
@pytest.mark.parametrize("code", CASES)
def test_the_job_passes_fails_or_warns(checkout: Path, code: int) -> None:
    """Guards the file for GitLab: the job has gate's code, 3 may fail, and the note is what gate printed."""
    with gitlab_api(201) as (api, took):
        ended = gitlab(checkout, CANDIDATES[code], api)
    assert ended.code == code
    note = (checkout / "gate.md").read_text()
    assert took == ([] if code == 2 else [("/api/v4/projects/12/merge_requests/7/notes", TOKEN, note)])
    assert TOKEN not in ended.printed
    assert note in ended.printed


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="the job posts by curl")
def test_a_note_that_cannot_be_posted_changes_no_outcome(checkout: Path) -> None:
    """Guards a token that may not write, and none at all."""
    with gitlab_api(403) as (api, took):
        refused = gitlab(checkout, "system-8", api)
        assert (refused.code, len(took)) == (0, 1)
        assert "The verdict was not posted; see gate.md." in refused.printed
        assert gitlab(checkout, "system-8", api, token="").code == 0
        assert len(took) == 1


def test_what_gitlab_makes_of_the_codes() -> None:
    """Guards the job's settings: 3 alone may fail, gate.md is kept however it ends, for merge requests only."""
    job = GITLAB["retrieval-gate"]
    assert job["allow_failure"] == {"exit_codes": 3}
    assert (job["artifacts"]["when"], job["artifacts"]["paths"]) == ("always", ["gate.md"])
    assert job["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "merge_request_event"'}]


# ---------------------------------------------------------------------- the page


@pytest.mark.slow
def test_the_page_shows_the_comment(checkout: Path, simulated: Path) -> None:
    """Guards the quoted comment: it is how that of the undecided candidate begins."""
    [comment] = re.findall(r"```markdown\n(.*?)```", PAGE, re.DOTALL)
    shutil.copy(simulated / "runs" / "system-6.run", checkout / "eval" / "runs" / "new.run")
    done = bash("truegain gate eval/study.toml", checkout)
    assert done.returncode == 3
    assert done.stdout.startswith(comment)


def test_the_table_of_codes_is_what_the_files_do() -> None:
    """Guards the table: a row a code, with what the tests above saw."""
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in PAGE.splitlines() if re.match(r"\| \d \|", row)]
    assert {int(row[0]): tuple(row[3:]) for row in rows} == {
        0: ("pass", "pass"),
        1: ("fail", "fail"),
        3: ("warning", "warning"),
        2: ("fail", "fail"),
    }


def test_toml_of_the_page_is_read() -> None:
    """Guards keys that no study has: the page's study is one, and its fragments are TOML."""
    blocks = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)]
    assert len(blocks) == 2
    assert set(blocks[1]) < set(blocks[0])
