"""Runs and judgments at addresses: the same answers as from this machine, clear errors, no secrets."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.remote.conftest import FILES
from truegain.io.files import expand, read_bytes, shown_path
from truegain.io.formats import system_name

HERE = Path(__file__).parent


def test_answers_do_not_depend_on_where_files_are(server: str, memory: str, local: Path) -> None:
    """Guards runs (a folder, packed or not) and judgments by address against those of this machine."""
    expected = tg.evaluate(f"{local}/runs", f"{local}/q.qrels", ["AP", "nDCG@3"])
    for root in (server, memory, f"{server}/whole", f"file://{local}"):
        runs = [f"{root}/runs/best.run", f"{root}/runs/worst.run.gz"]
        found = tg.evaluate(runs, f"{root}/q.qrels", ["AP", "nDCG@3"])
        assert found.systems == expected.systems == ("best", "worst")
        assert str(found) == str(expected)


@pytest.mark.parametrize("pattern", ["runs/", "runs/*", "runs/*.run*", "runs/[bw]*"])
def test_folders_and_patterns(pattern: str, server: str, memory: str) -> None:
    """Guards listings: files in order under the address they were asked by, no links that are no files."""
    for root in (server, memory, f"{memory[:9]}/{memory[9:]}"):
        files = expand([f"{root}/{pattern}"])
        assert files == [f"{root}/runs/best.run", f"{root}/runs/worst.run.gz"]
        assert all(read_bytes(file) for file in files)
    assert expand([f"{memory}/runs"]) == expand([f"{memory}/runs/"]), "a folder without a slash"
    with pytest.raises(tg.InputError, match="no file matches this pattern"):
        expand([f"{server}/runs/*.none"])


def test_a_folder_of_a_web_server_without_its_slash(server: str, run: Run) -> None:
    """Guards the message: most servers send a page, which is no run; what to write is told, whole or in batches."""
    for more in ([], ["--memory", "1KB"]):
        code, _, err = run("eval", f"{server}/q.qrels", f"{server}/runs", *more)
        assert code == 2
        assert (
            f"{server}/runs: this is a web page, not a table or TREC lines (if it is a folder, write / at its end: "
            in err
        )
        assert f"{server}/runs/)" in err


def test_commands_take_addresses(server: str, local: Path, run: Run) -> None:
    """Guards eval, compare and verdict: what they print is what they print of local files, digests included."""
    far, near = (
        [f"{root}/q.qrels", f"{root}/runs/best.run", f"{root}/runs/worst.run.gz"] for root in (server, str(local))
    )
    for command in (["eval", "-q"], ["compare", "-m", "AP"], ["verdict", "-m", "AP", "--population", "topics"]):
        answers = [run(command[0], *files, *command[1:]) for files in (far, near)]
        assert answers[0][0] == 0, answers[0]
        assert answers[0][1].replace(server, "") == answers[1][1].replace(str(local), ""), command
    code, out, said = run("eval", *far, "-q", "--format", "csv", "--memory", "2KB")
    assert (code, out) == (0, run("eval", *near, "-q", "--format", "csv")[1])
    assert said.endswith("the limit is 2 KB: read in batches\n")
    made = json.loads(run("eval", *far, "--format", "json")[1])["provenance"]
    assert made["inputs"][far[0]] == hashlib.sha256(FILES["q.qrels"]).hexdigest()
    assert len(made["inputs"]) == 3


def test_a_file_is_fetched_once(server: str, run: Run, asked: Callable[[], list[Any]]) -> None:
    """Guards the network: the digest of a file that was read does not fetch it again."""
    files = [f"{server}/q.qrels", f"{server}/runs/best.run"]
    assert run("eval", *files, "--format", "json")[0] == 0
    assert sorted(path for path, _ in asked()) == ["/q.qrels", "/runs/best.run"]
    assert run("eval", *files, "--format", "json", "--memory", "1KB")[0] == 0  # in batches: its first bytes, then all
    assert sorted(path for path, _ in asked()) == ["/q.qrels", "/q.qrels", "/runs/best.run", "/runs/best.run"]


def test_secrets_are_not_told(server: str, run: Run, tmp_path: Path) -> None:
    """Guards passwords and keys in addresses: they open files, and stand in no result, name, error or report."""
    host = server.replace("http://", "http://me:pass-word@")
    files = [f"{host}/locked/{name}?token=k-e-y" for name in ("q.qrels", "runs/best.run", "runs/worst.run.gz")]
    secret = re.compile("pass-word|k-e-y")
    code, out, err = run("eval", *files, "--format", "json")
    assert code == 0, err
    assert not secret.search(out + err)
    assert {row["system"] for row in json.loads(out)["scores"]} == {"best", "worst"}
    report = tmp_path / "report.html"
    code, out, err = run("report", *files, "-m", "AP", "-o", str(report))
    assert code == 0, err
    assert not secret.search(out + err + report.read_text())
    for wrong in ("locked/none", "refused/q.qrels", "cut/q.qrels"):
        code, out, err = run("eval", f"{host}/{wrong}?token=k-e-y", files[1])
        assert code == 2
        assert wrong in err
        assert not secret.search(out + err), err
    answer = tg.evaluate(files[1:], files[0], "AP")
    assert not secret.search(str(answer.provenance) + repr(answer))
    assert (system_name(files[1]), shown_path(files[1])) == ("best", f"{server}/locked/runs/best.run")


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("none.qrels", r"no such file \(check the address\)"),
        ("refused/q.qrels", r"access was refused \(403\) \(check your credentials"),
        ("locked/q.qrels", r"access was refused \(401\)"),
        ("cut/q.qrels", "the connection was lost before everything was read"),
        ("cut/runs/worst.run.gz", "the connection was lost before everything was read"),
    ],
)
def test_what_goes_wrong_on_the_way_is_told(path: str, says: str, server: str, run: Run) -> None:
    """Guards messages: the address and what to do, exit code 2, never a traceback."""
    code, out, err = run("eval", f"{server}/{path}", f"{server}/runs/best.run")
    assert (code, out) == (2, "")
    assert re.search(re.escape(f"{server}/{path}: ") + says, err), err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("http://127.0.0.1:9/q.qrels", "cannot connect to the server"),
        ("nowhere://x/q.qrels", "unknown file system"),
        ("memory://none/q.qrels", "no such file"),
    ],
)
def test_addresses_that_lead_nowhere(address: str, says: str) -> None:
    """Guards the rest of what can go wrong with an address."""
    with pytest.raises(tg.InputError, match=says) as told:
        tg.read_judgments(address)
    assert told.value.file == address


def test_libraries_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the extra: without it, and without the library of one file system, the message is what to run."""
    for module in ("s3fs", "gcsfs"):
        monkeypatch.setitem(sys.modules, module, None)
    for address, hint in (("s3://b/q.qrels", "s3fs"), ("gs://b/q.qrels", "gcsfs")):
        with pytest.raises(tg.TruegainError, match=re.escape(f"run: pip install 'truegain[remote]' {hint}")):
            tg.read_judgments(address)
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(tg.TruegainError, match=re.escape("run: pip install 'truegain[remote]'")):
        tg.read_judgments("http://127.0.0.1:9/q.qrels")


def test_nothing_is_written_to_an_address(memory: str, local: Path, run: Run) -> None:
    """Guards outputs: an address is refused before anything is made of it."""
    code, _, err = run("eval", f"{local}/q.qrels", f"{local}/runs/best.run", "-o", f"{memory}/out.csv")
    assert code == 2
    assert "truegain writes local files only" in err


def test_a_study_file_may_name_addresses(server: str, local: Path, run: Run) -> None:
    """Guards paths in a study file: an address is no path beside it; the study file itself is on this machine."""
    study = local / "study.toml"
    runs = json.dumps([f"{server}/runs/best.run", "runs/worst.run.gz"])
    study.write_text(f'judgments = "{server}/q.qrels"\nruns = {runs}\nmeasure = "AP"\n')
    code, out, err = run("verdict", str(study))
    assert code == 0, err
    assert "best" in out
    code, _, err = run("verdict", f"{server}/study.toml")
    assert code == 2
    assert "a study file must be on this machine" in err


@pytest.mark.slow
def test_local_files_need_no_fsspec(local: Path) -> None:
    """Guards start-up: nothing of the kind is imported where no address is met."""
    code = (
        "import sys, truegain as tg; tg.evaluate(sys.argv[1], sys.argv[2], 'AP');"
        "from truegain.text.indexing import index; index([sys.argv[3]], sys.argv[4]);"
        "print([m for m in ('fsspec', 'aiohttp', 'distributed') if m in sys.modules])"
    )
    given = [f"{local}/runs", f"{local}/q.qrels", f"{local}/docs.jsonl", f"{local}/corpus"]
    out = subprocess.run([sys.executable, "-c", code, *given], capture_output=True, text=True)
    assert out.stdout.strip() == "[]", out.stderr
