"""Faults of the whole server, as it runs: killed, cut off from its database, out of disk; under load, by HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from html import unescape
from pathlib import Path
from random import Random

import psycopg
import pytest

from tests.judging.killing import Kept, kept, kill, told, under_load
from tests.judging.postgres import Server
from tests.judging.served import Nest, Served
from tests.judging.visiting import Answer, Knowledge, Visitor, parts
from tests.judging.walking import check_invariants, rows
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.schema import answers, assessors, drafts, events, sent, sessions, units, visits
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import JudgingStudy, Rules
from truegain.judging.workflow.tokens import JudgeKeys, LlmJudge

KILLS = int(os.environ.get("TRUEGAIN_KILLS", "12"))  # on each database; `TRUEGAIN_KILLS=60` for more
CUTS = 40
ANY_HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')
TABLES = (answers, assessors, drafts, events, sent, sessions, units, visits)
RULES = Rules(seconds=0.0)


@pytest.fixture(scope="module")
def crowd_study(tmp_path_factory: pytest.TempPathFactory) -> JudgingStudy:
    """A study of 80 units."""
    return simulated_study(tmp_path_factory.mktemp("crowd") / "study", topics=5, docs=10, judgments=12, rules=RULES)


def checked(url: str, study: JudgingStudy, visitors: list[Visitor], fault: str) -> Kept:
    """Compare what people were told with what the database has, print the figures, and see that nothing is amiss."""
    database = Database(url)
    found = kept(database, visitors)
    troubles = sum((visitor.troubles for visitor in visitors), Counter[str]())
    line = told(f"{fault}, {database.url.get_backend_name()}", found, troubles)
    print(f"\n{line}")
    assert found.is_whole, line
    check_invariants(database, study)
    database.close()
    return found


def test_forty_come_for_twenty_units(nest: Nest, new_url: Callable[[], str], tmp_path: Path) -> None:
    """Guards the last slot over HTTP: 40 people practise at one moment for 20 units; 20 get one each, 20 are told."""
    study = simulated_study(tmp_path / "study", topics=4, docs=8, judgments=5, rules=RULES)
    assert len(study.units) == 20
    url = new_url()
    with Served(nest, study.folder, url) as served:
        visitors = [Visitor(served.port, Knowledge.of(study), f"p{n}") for n in range(40)]

        async def run() -> list[str]:
            found = await asyncio.gather(*(visitor.unit(until=("topic", 0)) for visitor in visitors))
            for visitor in visitors:
                await visitor.link.close()
            return found

        ways = asyncio.run(run())
    assert Counter(parts(way)[1] if way.startswith("/u/") else "told" for way in ways)["topic"] == 20
    assert {parts(way)[1] for way in ways if way.startswith("/u/")} <= {"topic", "none"}
    database = Database(url)
    assert len({unit.session for unit in rows(database, units, state="held")}) == 20
    assert len(rows(database, events, kind="claimed")) == 20
    check_invariants(database, study)
    database.close()


@pytest.mark.smoke
@pytest.mark.few(1)
@pytest.mark.parametrize("kills", [3, KILLS])
def test_kills_lose_nothing(nest: Nest, crowd_study: JudgingStudy, database_url: str, kills: int) -> None:
    """Guards what a 303 promises: SIGKILLs on either database while 8 people work, and all is there, claims too."""
    knows = Knowledge.of(crowd_study)
    with Served(nest, crowd_study.folder, database_url) as served:
        visitors = [Visitor(served.port, knows, f"p{n}", patience=120) for n in range(8)]  # starts take their time

        async def run() -> None:
            await under_load(visitors, asyncio.create_task(kill(served, visitors, kills, Random(1))))

        asyncio.run(run())
        assert "Traceback" not in served.failures()
    found = checked(database_url, crowd_study, visitors, f"{kills} kills")
    assert found.acknowledged >= kills
    assert found.claims >= len(visitors)


def test_a_database_that_cuts_everyone_off(nest: Nest, crowd_study: JudgingStudy, postgres_server: Server) -> None:
    """Guards submits whose connection to PostgreSQL is cut: all backends ended 40 times under load, nothing lost."""
    url, knows = postgres_server.new(), Knowledge.of(crowd_study)
    ended = 0

    def cut(other: psycopg.Connection[tuple[int]]) -> int:
        query = "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity"
        row = other.execute(f"{query} WHERE pid <> pg_backend_pid() AND usename = 'judging'").fetchone()
        return row[0] if row else 0

    async def cuts() -> None:
        nonlocal ended
        draws = Random(2)
        with psycopg.connect(postgres_server.conninfo("postgres"), autocommit=True) as other:
            for _ in range(CUTS):
                enough = sum(len(visitor.submits) for visitor in visitors) + draws.randint(1, 4)
                while sum(len(visitor.submits) for visitor in visitors) < enough:
                    await asyncio.sleep(draws.uniform(0, 0.01))
                ended += await asyncio.to_thread(cut, other)

    async def run() -> None:
        await under_load(visitors, asyncio.create_task(cuts()))

    with Served(nest, crowd_study.folder, url) as served:
        visitors = [Visitor(served.port, knows, f"p{n}") for n in range(8)]
        asyncio.run(run())
    found = checked(url, crowd_study, visitors, f"{CUTS} cuts of {ended} connections")
    assert ended >= CUTS
    assert found.acknowledged >= CUTS


def test_a_database_that_is_down(nest: Nest, crowd_study: JudgingStudy) -> None:
    """Guards a PostgreSQL that refuses connections: a page that keeps what was typed, and it counts once it is back."""
    server = Server()
    url, key = server.new(), JudgeKeys(crowd_study.folder).make(LlmJudge.of("m", b"p"))

    async def run(served: Served) -> None:
        visitor = Visitor(served.port, Knowledge.of(crowd_study), "p1")
        at = await visitor.unit(until=("doc", 3))
        form = visitor.knows.fill("doc", (await visitor.link.ask("GET", at)).text, 'two\nlines & "marks" <b>')
        server.halt()
        sent = await visitor.link.ask("POST", at, form)
        cookie = f"truegain-{crowd_study.name}=p1"
        other = [await visitor.link.ask("GET", way, cookie=cookie) for way in (at, visitor.home)]
        asked = await visitor.link.ask("GET", f"/api/{crowd_study.name}/units/x", Authorization=f"Bearer {key}")
        assert [(answer.status, answer.wait) for answer in (sent, asked, *other)] == [(503, "5")] * 4
        assert json.loads(asked.text)["detail"]
        assert "<form" not in "".join(answer.text for answer in other)
        server.start()
        again = {name: unescape(value) for name, value in ANY_HIDDEN.findall(sent.text)}
        assert again == form
        answers = [await visitor.link.ask("POST", at, again) for _ in range(2)]
        assert [(answer.status, answer.location[-5:]) for answer in answers] == [(303, "doc/4")] * 2
        await visitor.link.close()

    try:
        with Served(nest, crowd_study.folder, url) as served:
            asyncio.run(run(served))
            logged = served.failures()
        assert (logged.count("the database cannot be reached"), 'File "' in logged) == (4, False), logged
        database = Database(url)
        (kept_once,) = rows(database, answers, kind="item", number=3)
        assert kept_once.reason == 'two\nlines & "marks" <b>'
        check_invariants(database, crowd_study)
        database.close()
    finally:
        server.stop()


class Disk:
    """A folder whose room a test takes away and gives back."""

    def __init__(self, folder: Path, *, mounted: bool) -> None:
        self.folder, self.mounted = folder, mounted

    def fill(self, process: int) -> None:
        """No room for another byte: the file system is full, or no file of the process may grow past its first page."""
        if not self.mounted:
            resource.prlimit(process, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
            return
        with (self.folder / "filler").open("wb", buffering=0) as file:
            for size in (65536, 4096, 512):
                while True:
                    try:
                        if file.write(b"x" * size) < size:
                            break
                    except OSError:
                        break

    def clear(self, process: int) -> None:
        """Room again."""
        if self.mounted:
            (self.folder / "filler").unlink()
        else:
            resource.prlimit(process, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


@pytest.fixture(params=["limit", "mount"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    """Both ways to be out of room: a limit of file sizes (EFBIG), and a small file system that is full (ENOSPC)."""
    folder = tmp_path / "disk"
    folder.mkdir()
    with ExitStack() as stack:
        if request.param == "mount":
            command = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)]
            if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
                pytest.skip("a file system can be mounted by root alone")
            stack.callback(subprocess.run, ["umount", "-l", str(folder)], check=True)
        yield Disk(folder, mounted=request.param == "mount")


def test_a_full_disk(nest: Nest, crowd_study: JudgingStudy, disk: Disk) -> None:
    """Guards a disk without room: a plain page, nothing half written, and the same form counts when there is room."""
    url = default_url(disk.folder)

    async def run(served: Served) -> tuple[list[Answer], Answer]:
        visitor = Visitor(served.port, Knowledge.of(crowd_study), "p1")
        at = await visitor.unit(until=("doc", 3))
        page = (await visitor.link.ask("GET", at)).text
        form = visitor.knows.fill("doc", page, "as long as it takes " * 400)
        before = [rows(database, table) for table in TABLES]
        disk.fill(served.process)
        refused = [await visitor.link.ask("POST", at, form) for _ in range(3)]
        assert [rows(database, table) for table in TABLES] == before
        disk.clear(served.process)
        last = await visitor.link.ask("POST", at, form)
        assert await visitor.unit(last.location)
        await visitor.link.close()
        return refused, last

    with Served(nest, crowd_study.folder, url) as served:
        database = Database(url)
        refused, last = asyncio.run(run(served))
    assert [answer.status for answer in refused] == [503] * 3
    assert all("cannot be reached right now" in answer.text and "Traceback" not in answer.text for answer in refused)
    assert (last.status, last.location[-5:]) == (303, "doc/4")
    assert len(rows(database, answers, kind="item", number=3)) == 1
    check_invariants(database, crowd_study)
    database.close()
