"""Commands on a cluster: what they print is what they print on one machine, whatever happens meanwhile."""

from __future__ import annotations

import ast
import importlib
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import truegain as tg
from tests.parallel.conftest import LONG, Started
from tests.text.test_index import tree, write
from tests.text.test_index_engines import SMALL
from truegain.cli.app import main
from truegain.cli.commands import build
from truegain.parallel import connection
from truegain.parallel.cluster import Cluster
from truegain.parallel.finished_pieces import KeptJob
from truegain.parallel.worker import name_of, work_named
from truegain.text.indexing import index

Run = Callable[[str], tuple[int, str, str]]
SOURCE = Path(tg.__file__).parent
ALIKE = [  # every way to resample, each with few draws
    "eval gold.qrels runs -m AP -m RR -m nDCG@10 --intervals topics,collection --resamples 60",
    "eval gold.qrels runs -m AP --intervals collection --method bootstrap --resamples 60",
    "eval gold.qrels runs -m AP --intervals collection -q --method bca --resamples 60",
    "compare gold.qrels runs -m AP --test bootstrap --resamples 1200",
    "compare gold.qrels runs -m AP --test randomization --resamples 1200",
    "compare gold.qrels runs -m AP --test randomized-tukey-hsd --resamples 1200",
    "compare gold.qrels runs -m AP -m P@5 --population collection --resamples 60",
    "compare gold.qrels runs -m AP --population collection --meta random --resamples 60",
    "verdict gold.qrels runs -m AP --population topics,collection --resamples 100 --format json",
    "gate gold.qrels runs --baseline system-1 --candidate system-8 --population topics,collection --resamples 100",
    "experiment split-half gold.qrels runs --resamples 50",
    "experiment discriminative gold.qrels runs -m AP -m P@10 --resamples 600",
    "experiment discriminative gold.qrels runs -m AP -m P@10 --resamples 600 --test bootstrap",
    "experiment incomplete gold.qrels runs --keep 50 --repeat 2",
    "experiment magnitudes magnitudes.csv magnitude-runs --expert expert.qrels --show systems --resamples 40",
    "experiment spending llm.qrels runs --gold gold.qrels --numbers 25 --drawn-pairs 2 --draws 1",
]


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The simulated collection of `truegain demo`, with fewer runs."""
    folder = tmp_path_factory.mktemp("study") / "demo"
    before, sys.argv = sys.argv, ["truegain", "demo", str(folder)]
    try:
        main()
    finally:
        sys.argv = before
    for path in sorted((folder / "runs").iterdir())[1:-3]:
        path.unlink()
    return folder


@pytest.fixture
def run(study: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A function from a command to its exit code, output and errors."""
    monkeypatch.chdir(study)
    monkeypatch.setenv("COLUMNS", "200")

    def call(command: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["truegain", *shlex.split(command)])
        capsys.readouterr()
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        seen = capsys.readouterr()
        return code, seen.out, seen.err

    return call


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The jobs that went to a cluster, by their function."""
    found: list[str] = []
    original = Cluster.run

    def spied(self: Cluster, work: Any, *given: Any, **how: Any) -> Iterator[Any]:
        found.append(name_of(work))
        return original(self, work, *given, **how)

    monkeypatch.setattr(Cluster, "run", spied)
    return found


@pytest.mark.parametrize("command", ALIKE)
def test_the_same_is_printed(command: str, started: Started, run: Run, jobs: list[str]) -> None:
    """Guards reproducibility: a cluster of two workers prints what one process does, to the last digit."""
    form = "" if command.startswith(("verdict", "gate")) else " --format json"
    alone = run(f"{command}{form} --jobs 1")
    assert alone[0] == (1 if "gate" in command and alone[0] else 0), alone[2]
    assert jobs == []
    assert run(f"{command}{form} --run-on {started.address}") == alone
    assert jobs, "nothing ran on the cluster"


def test_every_work_function_was_on_the_cluster_or_can_be() -> None:
    """Guards new jobs: whatever is given to `run` of an engine is found by name on a worker, no lambda or closure."""
    found = {name_of(work_named(name)) for name in works()}
    assert len(found) >= 12
    assert {name for name in found if name.endswith((":_drawn_topic", ":_block", ":_count_signs", ":_count_stars"))}


def works() -> Iterator[str]:
    """The functions that our files give to engines, as module:name."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text()
        if "truegain.parallel.jobs import" not in text or path.parent.name == "parallel":
            continue
        module = f"truegain.{'.'.join(path.relative_to(SOURCE).with_suffix('').parts)}"
        tree = ast.parse(text)
        top = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        names = [n for call in ast.walk(tree) if isinstance(call, ast.Call) and is_job(call) for n in given(call, tree)]
        for name in names:
            assert name in top or hasattr(importlib.import_module(module), name), f"{path}: {name}"
            yield f"{module}:{name}"


def is_job(call: ast.Call) -> bool:
    """Whether a call hands a job to an engine: one of three places, and no server or test is run."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "run" and len(call.args) == 2


def given(call: ast.Call, tree: ast.Module) -> list[str]:
    """The function that is given to a job; where it is a parameter, those that callers hand in."""
    work = call.args[0]
    assert isinstance(work, ast.Name), f"line {call.lineno}: a function of the module, by its name"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and work.id in {a.arg for a in node.args.args}:
            places = [a.arg for a in node.args.args]
            calls = [c for c in ast.walk(tree) if isinstance(c, ast.Call) and getattr(c.func, "id", "") == node.name]
            if calls and call in list(ast.walk(node)):
                return [str(getattr(c.args[places.index(work.id)], "id", "<no name>")) for c in calls]
    return [work.id]


def test_every_command_with_jobs_has_it() -> None:
    """Guards the option: it is where --jobs is, and nowhere else."""

    def words(command: Any) -> Iterator[set[str]]:
        for inner in getattr(command, "commands", {}).values():
            yield from words(inner)
        yield {option for p in command.params for option in p.opts}

    found = [("--jobs" in options, "--run-on" in options) for options in words(get_command(build()))]
    assert set(found) == {(True, True), (False, False)}


@pytest.mark.parametrize(
    "command",
    [
        "compare gold.qrels runs -m AP --test bootstrap --resamples 20000",
        "verdict gold.qrels runs -m RR --population topics,collection --resamples 100",
    ],
)
def test_a_worker_is_killed_in_the_middle(command: str, started: Started, run: Run) -> None:
    """Guards against preempted workers: of a bootstrap, and of a study, only the tasks of the worker are done again."""
    alone = run(f"{command} --format json")
    with started.killing() as killed:
        assert run(f"{command} --format json --run-on {started.address}") == alone
    assert killed.is_set()


def test_the_scheduler_is_killed_and_the_command_goes_on_where_it_was(
    mortal: Started, started: Started, run: Run, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards a long command: exit code 2 and a clear message, then the same answer from what was kept."""
    command = "verdict gold.qrels runs -m RR --population topics,collection --resamples 200 --format json"
    alone = run(command)

    def kill() -> None:
        while not list(kept.rglob("*.kept")):
            time.sleep(0.005)
        os.kill(mortal.scheduler.pid, signal.SIGKILL)

    watcher = threading.Thread(target=kill)
    watcher.start()
    code, out, err = run(f"{command} --run-on {mortal.address}")
    watcher.join()
    assert (code, out) == (2, "")
    assert re.search(rf"error: {mortal.address}: the scheduler was lost .*\d+ of \d+ pieces .*run the same again", err)
    assert "Traceback" not in err
    found: list[int] = []
    original = KeptJob.stretches

    def spied(self: KeptJob, total: int) -> list[tuple[int, int]]:
        there = original(self, total)
        found.append(sum(last - first for first, last in there))
        return there

    monkeypatch.setattr(KeptJob, "stretches", spied)
    assert run(f"{command} --run-on {started.address}") == alone
    assert sum(found) > 0
    assert not any(kept.iterdir())


def test_a_report_is_the_same_page(started: Started, run: Run, tmp_path: Path) -> None:
    """Guards the largest command: one page, but for the words that made it."""
    command = "report gold.qrels runs -m AP --population topics,collection --resamples 100 -o"
    assert run(f"{command} {tmp_path}/r.html --jobs 1")[0] == 0
    alone = (tmp_path / "r.html").read_text().replace(" --jobs 1", "")
    assert run(f"{command} {tmp_path}/r.html --run-on {started.address}")[0] == 0
    assert (tmp_path / "r.html").read_text().replace(f" --run-on {started.address}", "") == alone


def test_a_corpus_is_the_same_though_a_worker_dies(started: Started, tmp_path: Path) -> None:
    """Guards `text index` on a cluster: one worker is killed in the middle; the same bytes, no hang."""
    inputs = [write(tmp_path, "jsonl"), write(tmp_path, "csv")]
    index(inputs, tmp_path / "here", SMALL)
    with started.client() as client:
        workers = sorted(client.run(os.getpid).values())

    def kill(_: int) -> None:
        if len(workers) == started.number:
            os.kill(workers.pop(), signal.SIGKILL)

    with tg.run_on(Cluster(started.address)):
        index(inputs, tmp_path / "there", SMALL, progress=kill)
    assert len(workers) == started.number - 1
    assert tree(tmp_path / "there") == tree(tmp_path / "here")


@pytest.mark.slow
@pytest.mark.usefixtures("usual_interrupts")
def test_interrupted_while_processes_start(study: Path, tmp_path: Path) -> None:
    """Guards Ctrl-C, which a terminal sends to all processes: heard at once, in our words, and nobody stays."""
    words = "compare gold.qrels runs -m AP --test bootstrap --resamples 10000000 --run-on local:1"
    command = subprocess.Popen(
        [sys.executable, "-m", "truegain", *words.split()], cwd=study, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE.parent), "HOME": str(tmp_path)}, start_new_session=True,
    )  # fmt: skip
    workers: list[int] = []
    while not workers and command.poll() is None:
        time.sleep(0.01)
        workers = children(command.pid)
    os.killpg(command.pid, signal.SIGINT)
    _, err = command.communicate(timeout=LONG)
    assert command.returncode in (130, -signal.SIGINT), err  # a shell makes the first of the second
    assert re.fullmatch(r"interrupted(: 0 [\w ]+)?; nothing was written\n", err), err
    assert workers
    with pytest.raises(ProcessLookupError):
        os.kill(workers[0], 0)


def children(process: int) -> list[int]:
    """The processes that a process started."""
    try:
        return [
            int(c) for task in Path(f"/proc/{process}/task").iterdir() for c in (task / "children").read_text().split()
        ]
    except OSError:
        return []


def test_a_wrong_input_starts_no_processes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards local:2 with a name that is mistyped: told before anything is started."""
    monkeypatch.setattr(connection, "Processes", lambda *_: pytest.fail("processes were started"))
    assert run("compare no.qrels runs -m AP --run-on local:2")[::2] == (
        2,
        "error: no.qrels: no such file (check the path)\n",
    )


def test_mistakes_are_told(run: Run) -> None:
    """Guards the command line: exit code 2, and what to write."""
    code, out, err = run("compare gold.qrels runs -m AP --run-on nowhere")
    assert (code, out) == (2, "")
    assert err.startswith("error: --run-on nowhere: not an address; give that of a scheduler, such as tcp://")
