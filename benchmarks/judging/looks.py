"""What `truegain settle` spends on looks while three people label: the share of the server's time, and pages beside it.

The command runs as it is, in a process of its own that also writes down what looks took; without looks, it serves the
same pages to the same people.  People label over HTTP, each at a pace of their own, near row 300 of the demo's list.
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
from dataclasses import dataclass
from pathlib import Path
from random import Random
from subprocess import Popen

from tests.judging.served import free_port
from tests.judging.settling import LINK, Demo, Worker, at_work, label_of, texts_of, waited

from benchmarks.judging.load import machine
from truegain.judging.study.study import read_study

PAIR = ("system-4", "system-5")  # so close that 800 labels are needed: it stays open
PEOPLE = 3
BEFORE = 210  # labels before time is taken
SECONDS = 60.0
READING = 4.0  # seconds that a person takes for a label, at least


def child(mode: str, to: str, words: list[str]) -> None:
    """Run the command, with looks or without; every half second a line tells what the process and its looks took."""
    from truegain.cli import settle
    from truegain.cli.app import main

    class Noted(settle.Watch):
        def run(self) -> None:
            threading.Thread(target=self._note, daemon=True).start()
            if mode == "with":
                super().run()
            else:
                self._ended.wait()

        def _note(self) -> None:
            while True:
                with Path(to).open("a") as file:
                    file.write(f"{json.dumps([time.time(), time.process_time(), self.looks, self.busy])}\n")
                time.sleep(0.5)

    settle.Watch = Noted  # type: ignore[misc]
    sys.argv = ["truegain", *words]
    main()


@dataclass(frozen=True)
class Measured:
    """A run: what the server took in the time that counts, and how long people waited."""

    mode: str
    labels: int
    seconds: float
    process: float
    looks: int
    busy: float
    pages: list[float]
    submits: list[float]

    def row(self) -> str:
        """As a line of the table."""
        waits = ["/".join(f"{1000 * cut[n - 1]:.0f}" for n in (50, 95, 99)) for cut in (
            statistics.quantiles(times, n=100) for times in (self.pages, self.submits))]  # fmt: skip
        look = f"{1000 * self.busy / self.looks:.1f}" if self.looks else "-"
        return (
            f"| {self.mode} | {self.labels} | {self.looks} | {look} | {100 * self.busy / self.process:.1f} | "
            f"{100 * self.process / self.seconds:.0f} | {waits[0]} | {waits[1]} |"
        )


def measured(demo: Demo, folder: Path, mode: str, every: float, seconds: float) -> Measured:
    """Let people label to row `BEFORE` as fast as they can, then at their pace, and take time."""
    port, notes, log = free_port(), folder / "notes", folder / "log"
    words = demo.words(folder / "g", *PAIR, "--people", PEOPLE, "--port", port)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    code = f"from benchmarks.judging.looks import child; child({mode!r}, {str(notes)!r}, {words!r})"
    with log.open("wb") as out:
        process = Popen([sys.executable, "-c", code], stdout=out, stderr=out, env=environment)
    try:
        links = waited(lambda: found if len(found := LINK.findall(log.read_text())) == PEOPLE else None, 60)
        study = read_study(folder / "g")
        base, texts, truth = f"http://127.0.0.1:{port}", texts_of(study), label_of(demo, study)
        workers = [Worker(base, link, texts, truth, Random(n)) for n, link in enumerate(links)]
        with at_work(workers):
            waited(lambda: True if sum(len(w.acknowledged) for w in workers) >= BEFORE else None, 300)
            for worker in workers:
                worker.every = every
            time.sleep(3)
            began, first = time.time(), [(len(w.pages), len(w.submits)) for w in workers]
            time.sleep(seconds)
            ended = time.time()
            pages = [x for w, (n, _) in zip(workers, first, strict=True) for x in w.pages[n:]]
            submits = [x for w, (_, n) in zip(workers, first, strict=True) for x in w.submits[n:]]
    finally:
        process.kill()
        process.wait(30)
    rows = [row for line in notes.read_text().splitlines() if began <= (row := json.loads(line))[0] <= ended]
    took = [b - a for a, b in zip(rows[0], rows[-1], strict=True)]
    return Measured(mode, len(submits), took[0], took[1], int(took[2]), took[3], pages, submits)


def looks(asked: argparse.Namespace) -> None:
    """Print the table, and what it means for people who read."""
    print(machine(), flush=True)
    print("| looks | labels | looks | ms a look | share of the server's time, % | of a processor, % | "
          "pages, p50/p95/p99 ms | submits, p50/p95/p99 ms |\n|---|---:|---:|---:|---:|---:|---|---|")  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="truegain-looks-") as name:
        demo = Demo(Path(name) / "demo")
        for mode in ("without", "with"):
            folder = Path(name) / mode
            folder.mkdir()
            found = measured(demo, folder, mode, min(asked.pause[-1] or 1.0, 1.0), SECONDS)
            print(found.row(), flush=True)
    look = found.busy / found.looks
    share = look * PEOPLE / READING
    print(f"\nAt one label in {READING:g} s a person, {PEOPLE} people, a look after every label: looks take "
          f"{100 * share:.2f}% of a processor.")  # fmt: skip
