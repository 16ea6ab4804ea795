"""200 assessors complete 1,000 units: on PostgreSQL with two server processes, and on SQLite with one.

Assessors come by HTTP, each on a connection of their own that stays open, through the server's limits as they are: they
read every page, wait, and send it.  Databases lie on disk, and commits reach it (fsync on, synchronous = FULL).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.judging.killing import Kept, kept
from tests.judging.postgres import SETTINGS, Server
from tests.judging.served import free_port
from tests.judging.visiting import Knowledge, Lost, Visitor

from truegain.judging.store.database import Database, default_url
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import JudgingStudy, Rules

SAFE = {name: value for name, value in SETTINGS.items() if name in ("listen_addresses", "max_connections")}
WORKERS = {"postgresql": 2, "sqlite": 1}
TOPICS = 10
SPARE = 120  # percent of the units asked for: nobody has a topic twice, so the last few do not fit everyone
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Loaded:
    """A run of the benchmark."""

    database: str
    pause: float
    units: int
    seconds: float
    submits: list[float]
    pages: list[float]
    troubles: Counter[str]
    found: Kept
    cpu: dict[str, float]  # seconds: server, database, client, and all other programs of the machine

    def row(self) -> str:
        """As a line of the table."""
        submit, page = (statistics.quantiles(times, n=100) for times in (self.submits, self.pages))
        shares = "/".join(
            f"{100 * self.cpu[who] / self.seconds:.0f}" for who in ("server", "database", "client", "others")
        )
        errors = sum(self.troubles.values()) + (0 if self.found.is_whole else 1)
        times = f"{1e3 * submit[49]:.0f} | {1e3 * submit[94]:.0f} | {1e3 * submit[98]:.0f} | {1e3 * page[94]:.0f}"
        return (
            f"| {self.database}, {WORKERS[self.database]} | {self.pause:g} | {self.units:,} | {errors} | "
            f"{60 * self.units / self.seconds:.0f} | {len(self.submits) / self.seconds:.0f} | {times} | {shares} |"
        )


HEAD = """\
| database, server processes | pause s | units | errors | units a minute | submits a second | submit p50 ms | p95 | p99 | page p95 ms | CPU % server/database/client/others |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"""  # noqa: E501


def load(asked: argparse.Namespace) -> None:
    """Print the table."""
    print(machine(), flush=True)
    print(HEAD, flush=True)
    for pause in asked.pause:
        for name in asked.database:
            print(run(name, asked.assessors, asked.units, pause, asked.seed).row(), flush=True)


def machine() -> str:
    """What it ran on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load_now = " ".join(f"{x:.1f}" for x in os.getloadavg())
    return f"{os.cpu_count()} cores, {memory:.0f} GB, python {platform.python_version()}, load before {load_now}"


def run(name: str, assessors: int, units: int, pause: float, seed: int) -> Loaded:
    """One database, one pause."""
    with (
        tempfile.TemporaryDirectory(prefix="truegain-load-") as place,
        database_at(name, Path(place)) as (url, process),
    ):
        each = -(-units // assessors)
        topics = max(TOPICS, each)
        study = simulated_study(
            Path(place) / "study", topics=topics, docs=20, judgments=-(-units * SPARE // (300 * topics)), seed=seed,
            rules=Rules(seconds=0.0),
        )  # fmt: skip
        assert len(study.units) >= units
        with serving(study, url, WORKERS[name]) as (port, server):
            knows, draws = Knowledge.of(study), Random(seed)
            waits = (lambda: draws.expovariate(1 / pause)) if pause else None
            visitors = [Visitor(port, knows, f"p{n}", patience=120, pause=waits) for n in range(assessors)]
            before, began = used(server, process), time.perf_counter()
            asyncio.run(_all(visitors, units))
            seconds, after = time.perf_counter() - began, used(server, process)
            cpu = {who: after[who] - before[who] for who in after}
            cpu["others"] = cpu.pop("all") - sum(cpu.values())
        database = Database(url)
        found = kept(database, visitors)
        database.close()
    assert found.codes == units, f"{found.codes} of {units} units were completed"
    troubles = sum((visitor.troubles for visitor in visitors), Counter[str]())
    if troubles or not found.is_whole:
        print(f"troubles: {dict(troubles)}; {found}", file=sys.stderr)
    submits = [t for visitor in visitors for t in visitor.submits]
    pages = [t for visitor in visitors for t in visitor.pages]
    return Loaded(name, pause, found.codes, seconds, submits, pages, troubles, found, cpu)


async def _all(visitors: list[Visitor], units: int) -> None:
    """All units, as many for each assessor, give or take one; they come within the first pause."""

    async def one(place: int, visitor: Visitor) -> None:
        if visitor.pause:
            await asyncio.sleep(visitor.pause())
        at = await visitor.enter()
        for more in range(units // len(visitors) + (place < units % len(visitors))):
            at = await visitor.another() if more else at
            await visitor.unit(at)
        await visitor.link.close()

    await asyncio.gather(*(one(place, visitor) for place, visitor in enumerate(visitors)))


@contextmanager
def database_at(name: str, folder: Path) -> Iterator[tuple[str, int]]:
    """A new database on disk: its address, and the number of its process where it has one."""
    if name == "sqlite":
        yield default_url(folder), 0
        return
    server = Server(SAFE, on_disk=True)
    try:
        yield server.new(), server.process
    finally:
        server.stop()


@contextmanager
def serving(study: JudgingStudy, url: str, workers: int) -> Iterator[tuple[int, int]]:
    """`truegain annotate serve`: its port, and the number of its process."""
    port = free_port()
    command = [sys.executable, "-m", "truegain", "annotate", "serve", str(study.folder), "--database", url]
    command += ["--port", str(port), "--workers", str(workers), "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            asyncio.run(_up(port, study, workers))
            yield port, process.pid
        finally:
            process.terminate()


async def _up(port: int, study: JudgingStudy, workers: int) -> None:
    """Wait until the server answers, and a moment more for the second process."""
    visitor = Visitor(port, Knowledge.of(study), "first", patience=60)
    try:
        while True:
            try:
                await visitor.link.ask("GET", f"/s/{study.name}/")
                break
            except Lost:
                await asyncio.sleep(0.1)
        await asyncio.sleep(3.0 if workers > 1 else 0.0)
    finally:
        await visitor.link.close()


def used(server: int, database: int) -> dict[str, float]:
    """Seconds of the processors that each has used so far, and `all` programs of the machine together."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    first = Path("/proc/stat").read_text().partition("\n")[0].split()
    busy = sum(int(first[k]) for k in (1, 2, 3, 6, 7)) / TICK
    found = {"server": cpu_of(server), "database": cpu_of(database) if database else 0.0}
    return {**found, "client": own.ru_utime + own.ru_stime, "all": busy}


def cpu_of(process: int) -> float:
    """Seconds of the processor that a process, its children, and those of them that ended have used."""
    times: dict[int, float] = {}
    above: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parts = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        above[int(path.parent.name)] = int(parts[1])
        times[int(path.parent.name)] = sum(map(int, parts[11:15])) / TICK
    found, new = set[int](), {process}
    while new:
        found |= new
        new = {child for child, parent in above.items() if parent in new} - found
    return sum(times.get(number, 0.0) for number in found)
