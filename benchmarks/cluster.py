"""What a cluster costs beside one machine: `python -m benchmarks.cluster [--job ap|rr] [--replicates B] [--rounds N]`.

The same job, scores over drawn collections for 129 runs x 50 topics, on this machine with two threads and on a
scheduler with two workers of one thread each, started by their command line on loopback; one after the other, in turns.
Told are seconds, CPU seconds of all processes, their ratios, and whether the results are the same bits.  Tasks, bytes
and the biggest process are those of the cluster.
"""

from __future__ import annotations

import argparse
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.races.scoring import files_of
from benchmarks.workloads import FOLDER, make
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.pool import RankedGains
from truegain.errors import DataWarning, needs
from truegain.io.columns import Floats
from truegain.measures.catalogue import parse_measure
from truegain.parallel.cluster import Cluster, Job
from truegain.parallel.jobs import Engine, Local
from truegain.stats.collection_ap import collection_spread
from truegain.stats.other_collections import drawn_scores

WORKERS = 2
JOBS = {"ap": "AP by topics, results of 2 MB each", "rr": "RR, all topics scored again for blocks of 20 collections"}


def by_ap(ranked: RankedGains, replicates: int, engine: Engine) -> Floats:
    """MAP in every drawn collection."""
    return collection_spread(ranked, replicates=replicates, engine=engine).means["MAP"]


def by_rr(ranked: RankedGains, replicates: int, engine: Engine) -> Floats:
    """MRR in every drawn collection."""
    return drawn_scores(ranked, parse_measure("RR"), replicates=replicates, engine=engine).summaries


@contextmanager
def started() -> Iterator[str]:
    """The address of a scheduler with two workers."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = str(found.getsockname()[1])
    address, dask = f"tcp://127.0.0.1:{port}", [sys.executable, "-c", "from dask.__main__ import main; main()"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"]
    worker = [*dask, "worker", address, "--nthreads", "1", "--no-dashboard"]
    there = [subprocess.Popen(words, **quiet) for words in (scheduler, *[worker] * WORKERS)]
    try:
        with needs("distributed", "cluster").Client(address, timeout=120, set_as_default=False) as client:
            client.wait_for_workers(WORKERS, timeout=120)
        yield address
    finally:
        for process in reversed(there):
            process.terminate()
            process.wait()


def cpu() -> float:
    """CPU seconds of this process."""
    return time.process_time()


def peak() -> float:
    """The most memory this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Counted:
    """Tasks and bytes that came back, counted as they come."""

    def __init__(self) -> None:
        self.tasks = self.bytes = self.shared = 0
        original = Job._take

        def take(job: Job, task: Any) -> None:
            before = dict(job.ready)
            original(job, task)
            self.shared = len(job.sent.shared.data)
            for first in job.ready.keys() - before.keys():
                self.tasks += 1
                self.bytes += sum(map(len, job.ready[first].results))

        Job._take = take  # type: ignore[assignment]


def timed(make_it: Callable[[], Floats], others: Callable[[], float]) -> tuple[Floats, float, float]:
    """A result, seconds, and CPU seconds here and elsewhere."""
    began, before = time.perf_counter(), cpu() + others()
    found = make_it()
    return found, time.perf_counter() - began, cpu() + others() - before


def compare(
    ranked: RankedGains, work: Callable[[RankedGains, int, Engine], Floats], replicates: int, rounds: int
) -> None:
    """Print each round, and what the cluster moved and held."""
    counted, ratios = Counted(), []
    with started() as address, tempfile.TemporaryDirectory() as folder, Cluster(address, kept_in=folder) as cluster:
        client = cluster._crew.client  # type: ignore[union-attr]

        def elsewhere() -> float:
            return float(sum(client.run(cpu).values()) + client.run_on_scheduler(cpu))

        for number in range(rounds):
            here = timed(lambda: work(ranked, replicates, Local(WORKERS)), elsewhere)
            there = timed(lambda: work(ranked, replicates, cluster), elsewhere)
            cluster._kept.remove()  # type: ignore[union-attr]
            same = np.array_equal(here[0], there[0], equal_nan=True)
            ratios.append((there[1] / here[1], there[2] / here[2]))
            print(f"  round {number + 1}: here {here[1]:.1f} s, {here[2]:.1f} s CPU; cluster {there[1]:.1f} s, "
                  f"{there[2]:.1f} s CPU; ratio {ratios[-1][0]:.2f}, of CPU {ratios[-1][1]:.2f}; "
                  f"{'the same bits' if same else 'OTHER RESULTS'}", flush=True)  # fmt: skip
        each = max(*client.run(peak).values(), client.run_on_scheduler(peak))
    wall, work_done = np.median(ratios, axis=0)
    print(f"  median ratio {wall:.2f}, of CPU {work_done:.2f}; {counted.tasks // rounds} tasks, "
          f"{counted.bytes / rounds / 1e6:.0f} MB of results, {counted.shared / 1e6:.0f} MB shared; biggest process of "
          f"the cluster {each:.0f} MB; load of the machine {os.getloadavg()[0]:.1f}")  # fmt: skip


def main() -> None:
    """Read the workload, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--job", choices=JOBS, default="ap")
    parser.add_argument("--runs", type=int, default=129)
    parser.add_argument("--replicates", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    qrels, runs = files_of(make("large", given.folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        ranked = aligned([str(r) for r in runs[: given.runs]], str(qrels), Scoring(), keep_keys=sys.maxsize)
    shape = f"{len(ranked.systems)} runs x {len(ranked.topics)} topics x {given.replicates:,} collections"
    print(f"{JOBS[given.job]}: {shape}", flush=True)
    compare(ranked, by_ap if given.job == "ap" else by_rr, given.replicates, given.rounds)


if __name__ == "__main__":
    main()
