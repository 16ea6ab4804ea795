"""Ratings: speed at size, and the numbers of docs/assessors.md.

    python -m benchmarks.ratings            # agree and gains on 1,000,000 ratings by 2,000 assessors: time, memory
    python -m benchmarks.ratings figure8    # simulated magnitudes: which way to gains recovers the true order
    python -m benchmarks.ratings search     # what was searched for the defaults of that simulation; takes minutes
    python -m benchmarks.ratings choice     # simulated crowds: assessors left out, weighed, identical
    python -m benchmarks.ratings real       # real ratings from --data, skipped where they are not there

The simulation is `truegain.experiments.ratings_world`; see ratings_figure8.py and ratings_real.py.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.content_real import DATA
from benchmarks.ratings.choice import choice
from benchmarks.ratings.figure8 import NOISES, figure8, search
from benchmarks.ratings.real import real

KINDS = {"grades 0 to 3": "ordinal 0:3", "slider 0 to 100": "interval 0:100", "all values distinct": "ratio"}


def write(path: Path, ratings: int, kind: str, assessors: int = 2000, each: int = 5) -> None:
    """A CSV of ratings: five for each document, of assessors who share a truth and add noise."""
    rng = np.random.default_rng(0)
    docs = ratings // each
    said = rng.normal(size=docs)[:, None] + rng.normal(size=(docs, each))
    first = rng.integers(0, assessors, docs)[:, None]
    who = (first + np.arange(each) * 37) % assessors
    values = {
        "grades 0 to 3": np.clip(np.round(said + 1.5), 0, 3),
        "slider 0 to 100": np.clip(np.round(20 * said + 50), 0, 100),
        "all values distinct": np.exp(said),
    }[kind]
    with path.open("w") as stream:
        stream.write("topic,doc,assessor,label\n")
        for doc in range(docs):
            for a, v in zip(who[doc].tolist(), values[doc].tolist(), strict=True):
                stream.write(f"{doc % 100},d{doc},w{a},{v!r}\n")


def measured(*words: str) -> tuple[float, float, int]:
    """Seconds, seconds of all processors and most memory (MB) of a command."""
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "truegain", *words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"truegain {' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


def at_size(ratings: int) -> None:
    """Print a line for each command."""
    with tempfile.TemporaryDirectory() as folder:
        path, gains = Path(folder) / "ratings.csv", Path(folder) / "gains.qrels"
        for kind, scale in KINDS.items():
            write(path, ratings, kind)
            rule = ["--normalise", "geometric"] if scale == "ratio" else ["--rule", "unanimity"]
            limits = [] if scale == "ratio" else ["--scale", scale]
            for words in (
                ["agree", str(path), "--scale", scale],
                ["gains", str(path), *rule, *limits, "-o", str(gains)],
            ):
                seconds, processor, memory = measured(*words)
                named = " ".join(Path(w).name if w.startswith(folder) else w for w in words)
                print(
                    f"{ratings:>9,} ratings, {kind:<20} {seconds:6.1f} s {processor:6.1f} cpu s {memory:6,} MB  "
                    f"truegain {named}",
                    flush=True,
                )


def main() -> None:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("size", "figure8", "search", "choice", "real"), default="size")
    parser.add_argument("--ratings", type=int, default=1_000_000, help="size: how many")
    parser.add_argument("--worlds", type=int, help="simulated worlds (default: figure8 20, search 8, choice 100)")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the data (default: beside the checkout)")
    asked = parser.parse_args()
    if asked.what == "size":
        at_size(asked.ratings)
    elif asked.what == "figure8":
        for title, settings in NOISES.items():
            for table in figure8(asked.worlds or 20, settings, title):
                print(f"{table}\n", flush=True)
    elif asked.what == "search":
        print(search(asked.worlds or 8))
    elif asked.what == "choice":
        choice(asked.worlds or 100, asked.data)
    else:
        real(asked.data)


if __name__ == "__main__":
    main()
