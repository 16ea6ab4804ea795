"""How fast AP is drawn over collections: `python -m benchmarks.collection [--folder DIR] [--runs N] [--replicates B]`.

Beside ours: each list replicated document by document with numpy, as the paper says it, and the same with the
non-relevant documents between two relevant ones drawn as one number.  The slow ways run on a few lists; all are told
as seconds per list and replicate, measured in one run.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.contestants import files_of
from benchmarks.workloads import FOLDER, make
from truegain.engine import Local
from truegain.errors import DataWarning
from truegain.inference.collection.spread import collection_spread
from truegain.measures.evaluate import Options, aligned
from truegain.sampling.documents import lists_of_topic
from truegain.tables.columns import Ints
from truegain.tables.ranked import RankedGains


def by_document(depth: int, rank: Ints, missed: int, replicates: int, seed: int) -> float:
    """Spread of AP over lists replicated document by document."""
    rng = np.random.default_rng(seed)
    relevant = np.zeros(depth, bool)
    relevant[rank - 1] = True
    values = np.empty(replicates)
    for b in range(replicates):
        drawn = np.repeat(relevant, rng.poisson(1, depth))
        possible = max(1, int(drawn.sum() + rng.poisson(missed)))
        at = np.flatnonzero(drawn) + 1
        values[b] = (np.arange(1, len(at) + 1) / at).sum() / possible
    return float(values.std())


def by_gap(depth: int, rank: Ints, missed: int, replicates: int, seed: int) -> float:
    """The same with one draw for the documents between two relevant ones, all replicates at once."""
    del depth
    rng = np.random.default_rng(seed)
    gap = np.diff(np.concatenate([[0], rank])) - 1
    copies = rng.poisson(1, (replicates, len(rank)))
    others = rng.poisson(gap, (replicates, len(rank)))
    before = np.cumsum(others, axis=1) + np.cumsum(copies, axis=1) - copies
    found = np.cumsum(copies, axis=1) - copies
    most = int(copies.max(initial=0))
    total = np.zeros(replicates)
    for c in range(1, most + 1):
        total += np.where(copies >= c, (found + c) / np.maximum(before + c, 1), 0.0).sum(axis=1)
    possible = np.maximum(copies.sum(axis=1) + rng.poisson(missed, replicates), 1)
    return float((total / possible).std())


def _slow(ranked: RankedGains, topics: int, replicates: int) -> dict[str, float]:
    """Seconds per list and replicate of the slow ways, on the first system."""
    seconds = {"document by document, numpy": 0.0, "gap by gap, numpy": 0.0}
    for topic in range(topics):
        lists = lists_of_topic(ranked, topic, 1, range(1))
        rank = lists.ranks(0)
        depth, missed = int(ranked.depth[topic]), lists.relevant - len(rank)
        for name, way in zip(seconds, (by_document, by_gap), strict=True):
            began = time.perf_counter()
            way(depth, rank, missed, replicates, topic)
            seconds[name] += time.perf_counter() - began
    return {name: s / (topics * replicates) for name, s in seconds.items()}


def _peak_of(folder: Path, runs: int, replicates: int) -> float:
    """Peak memory of a fresh process that draws so many replicates."""
    command = [sys.executable, "-m", "benchmarks.collection", "--folder", str(folder), "--runs", str(runs)]
    done = subprocess.run(
        [*command, "--replicates", str(replicates), "--only-peak"], capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def main() -> None:
    """Print seconds, ratios, growth with B and peak memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--runs", type=int, default=129)
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--only-peak", action="store_true")
    given = parser.parse_args()
    qrels, runs = files_of(make("large", given.folder))
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        ranked = aligned([str(r) for r in runs[: given.runs]], str(qrels), Options(), keep_keys=sys.maxsize)
    read = time.perf_counter() - began
    if given.only_peak:
        collection_spread(ranked, replicates=given.replicates)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    lists = len(ranked.systems) * len(ranked.topics)
    print(f"{len(ranked.systems)} runs x {len(ranked.topics)} topics, B = {given.replicates}; read in {read:.2f} s")
    times = {}
    for b in (given.replicates // 2, given.replicates, 2 * given.replicates):
        began = time.perf_counter()
        collection_spread(ranked, replicates=b)
        times[b] = time.perf_counter() - began
        print(f"  ours, B = {b}: {times[b]:.2f} s (all methods, MAP, L-MAP and G-MAP included)")
    began = time.perf_counter()
    collection_spread(ranked, replicates=given.replicates, engine=Local(1))
    print(f"  ours, one worker: {time.perf_counter() - began:.2f} s")
    ours = times[given.replicates] / (lists * given.replicates)
    for name, each in _slow(ranked, 10, given.replicates).items():
        whole = each * lists * given.replicates
        print(f"  {name}: {1e6 * each:.2f} us a list and replicate, {whole:.0f} s for all; ratio {each / ours:.0f}")
    for b in (500, 2000, 8000):
        print(f"  peak memory at B = {b}: {_peak_of(given.folder, given.runs, b):.0f} MB")


if __name__ == "__main__":
    main()
