"""What `truegain settle` spends on looks while three people label: the share of the server's time, and pages beside it.

The command runs as it is, in a process of its own that also writes down what looks took.  For `WINDOW` seconds it looks
after every label, for as long it does not, in turns, so that whatever else the machine does weighs on both alike.
People label over HTTP, each at a pace of their own, near row 300 of the demo's list.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random
from subprocess import Popen
from typing import NamedTuple

from tests.judging.served import free_port
from tests.judging.settling import LINK, Demo, Worker, at_work, label_of, texts_of, waited

from benchmarks.judging.load import machine
from truegain.judging.study.study import read_study

PAIR = ("system-4", "system-5")  # so close that 800 labels are needed: it stays open
PEOPLE = 3
BEFORE = 210  # labels before time is taken
SECONDS = 120.0
WINDOW = 5.0  # seconds with looks, and without
READING = 4.0  # seconds that a person takes for a label, at least


def has_looks(at: float) -> bool:
    """Whether there are looks at this time."""
    return int(at / WINDOW) % 2 == 1


def child(to: str, words: list[str]) -> None:
    """Run the command, with looks half of the time; every half second a line tells what it and its looks took."""
    from truegain.cli.app import main
    from truegain.judging import watch

    class Noted(watch.Watch):
        def run(self) -> None:
            threading.Thread(target=self._note, daemon=True).start()
            super().run()

        def look(self) -> None:
            while not has_looks(time.time()):
                time.sleep(0.05)
            super().look()

        def _note(self) -> None:
            while True:
                with Path(to).open("a") as file:
                    file.write(f"{json.dumps([time.time(), time.process_time(), self.looks, self.busy])}\n")
                time.sleep(0.5)

    watch.Watch = Noted  # type: ignore[misc]
    sys.argv = ["truegain", *words]
    main()


class Measured(NamedTuple):
    """What the server took in the time that counts, and how long people waited: (when, what was asked, seconds)."""

    seconds: float
    process: float
    looks: int
    busy: float
    waits: list[tuple[float, str, float]]

    def row(self, method: str, name: str) -> str:
        """What people waited for one kind of request, as a line of the table."""
        cells = [f"{len(self._of(method, is_on)):,} | {_cuts(self._of(method, is_on))}" for is_on in (False, True)]
        return f"| {name} | {' | '.join(cells)} |"

    def _of(self, method: str, is_on: bool) -> list[float]:
        return [1000 * x for at, asked, x in self.waits if asked == method and has_looks(at) == is_on]


def _cuts(times: list[float]) -> str:
    found = statistics.quantiles(times, n=100)
    return "/".join(f"{found[n - 1]:.0f}" for n in (50, 95, 99))


def measured(demo: Demo, folder: Path, every: float, seconds: float) -> Measured:
    """Let people label to row `BEFORE` as fast as they can, then at their pace, and take time."""
    port, notes, log = free_port(), folder / "notes", folder / "log"
    words = demo.words(folder / "g", *PAIR, "--people", PEOPLE, "--port", port)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    code = f"from benchmarks.judging.looks import child; child({str(notes)!r}, {words!r})"
    with log.open("wb") as out:
        process = Popen([sys.executable, "-c", code], stdout=out, stderr=out, env=environment)
    try:
        links = waited(lambda: found if len(found := LINK.findall(log.read_text())) == PEOPLE else None, 60)
        study = read_study(folder / "g")
        base, texts, truth = f"http://127.0.0.1:{port}", texts_of(study), label_of(demo, study)
        workers = [Worker(base, link, texts, truth, Random(n)) for n, link in enumerate(links)]
        with at_work(workers):
            waited(lambda: True if sum(w.given for w in workers) >= BEFORE else None, 300)
            for worker in workers:
                worker.every = every
            time.sleep(3)
            began = time.time()
            time.sleep(seconds)
            ended = time.time()
    finally:
        process.kill()
        process.wait(30)
    rows = [row for line in notes.read_text().splitlines() if began <= (row := json.loads(line))[0] <= ended]
    took = [b - a for a, b in zip(rows[0], rows[-1], strict=True)]
    waits = [wait for worker in workers for wait in worker.waits if began <= wait[0] <= ended]
    return Measured(took[0], took[1], int(took[2]), took[3], waits)


def looks(asked: argparse.Namespace) -> None:
    """Print what looks took, what people waited, and what it means for people who read."""
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory(prefix="truegain-looks-") as name:
        found = measured(Demo(Path(name) / "demo"), Path(name), min(asked.pause[-1] or 1.0, 1.0), SECONDS)
    head = "| | without looks | p50/p95/p99 ms | with looks | p50/p95/p99 ms |\n|---|---:|---|---:|---|"
    print(f"{head}\n{found.row('GET', 'pages')}\n{found.row('POST', 'labels sent')}\n")
    look = found.busy / found.looks
    print(f"{found.looks} looks, {1000 * look:.1f} ms of a processor each; the server took {found.process:.1f} s of "
          f"{found.seconds:.0f}, looks {found.busy:.2f} s of these.")  # fmt: skip
    print(f"At one label in {READING:g} s a person, {PEOPLE} people, a look after every label: looks take "
          f"{100 * look * PEOPLE / READING:.2f}% of the server's time.")  # fmt: skip
