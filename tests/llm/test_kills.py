"""A run that is killed: nothing is asked for again but what was in flight, and the labels are the same."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.llm.served import JudgeServer, served, write_study
from truegain.llm import run_judge

pytestmark = pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")


def start(folder: Path, server: JudgeServer, concurrency: int) -> subprocess.Popen[bytes]:
    """A run as a process of its own."""
    words = ["judge", "run", "pool.csv", "--topics", "topics.jsonl", "--docs", "docs.jsonl", "--prompt", "graded"]
    words += ["--model", "judge", "--url", server.url, "--concurrency", str(concurrency), "-o", "llm.csv"]
    environment = {**os.environ, "NO_PROXY": "*"}
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, "-m", "truegain", *words], cwd=folder, env=environment, **quiet)


def kill_after(process: subprocess.Popen[bytes], server: JudgeServer, requests: int) -> None:
    """Kill a run with SIGKILL when so many requests have come."""
    end = time.monotonic() + 60
    while len(server.requests) < requests:
        assert process.poll() is None, "the run ended before it was killed"
        assert time.monotonic() < end
        time.sleep(0.001)
    process.kill()
    process.wait()


def add_copies(folder: Path) -> None:
    """Every document once more by another name, below the first: the same requests."""
    docs, pool = folder / "docs.jsonl", folder / "pool.csv"
    docs.write_text(docs.read_text() + docs.read_text().replace('"id": "d', '"id": "copy'))
    head, *rows = pool.read_text().splitlines()
    pool.write_text("\n".join([head, *(line for row in rows for line in (row, row.replace(",d", ",copy")))]) + "\n")


def check_kills(folder: Path, topics: int, kills: int, concurrency: int, between: int, idempotent: bool) -> None:
    """Kill a run again and again, then let it end: nothing is lost, little is asked twice, the labels are the same."""
    write_study(folder, topics=topics, docs=10)
    add_copies(folder)
    wanted, chance = 10 * topics, random.Random(7)
    with served(delay=0.02, idempotent=idempotent) as server:
        for _ in range(kills):
            at = len(server.requests) + chance.randint(between // 2, between)
            kill_after(start(folder, server, concurrency), server, at)
            assert not (folder / "llm.csv").exists(), "labels are written at the end, whole"
        assert start(folder, server, concurrency).wait(120) == 0
        asked, paid = len(server.requests), server.paid
        distinct = len({headers["idempotency-key"] for headers in server.headers})
    connection = sqlite3.connect(folder / "llm.answers.sqlite")
    stored = connection.execute("SELECT count(*), count(DISTINCT key) FROM answers").fetchone()
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    print(f"{kills} kills, {concurrency} at a time: {stored[0]} of {wanted} stored, {asked} requests, {paid} paid")
    assert stored == (wanted, wanted)
    assert distinct == wanted
    assert wanted <= asked <= wanted + kills * concurrency
    assert paid <= (wanted if idempotent else wanted + kills * concurrency)
    with served() as server:
        texts: dict[str, Any] = {
            "topics": folder / "topics.jsonl",
            "docs": folder / "docs.jsonl",
            "output": folder / "undisturbed.csv",
        }
        run_judge(folder / "pool.csv", prompt="graded", models=["judge"], url=server.url, **texts)
    assert (folder / "llm.csv").read_bytes() == (folder / "undisturbed.csv").read_bytes()


@pytest.mark.system
@pytest.mark.slow
@pytest.mark.parametrize("idempotent", [False, True])
def test_twenty_kills(tmp_path: Path, idempotent: bool) -> None:
    """Guards what was paid for: 20 SIGKILLs, 4 at a time; with an Idempotency-Key nothing is paid for twice."""
    check_kills(tmp_path, topics=150, kills=20, concurrency=4, between=70, idempotent=idempotent)


@pytest.mark.smoke
def test_a_kill(tmp_path: Path) -> None:
    """Guards the same with one kill."""
    check_kills(tmp_path, topics=3, kills=1, concurrency=2, between=16, idempotent=True)
