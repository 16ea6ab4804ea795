"""Ratings at size: `truegain agree` and `truegain gains` on 1,000,000 ratings by 2,000 assessors, time and memory.

Run: python -m benchmarks.ratings [--ratings N]
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


def measured(*words: str) -> tuple[float, int]:
    """Seconds and most memory (MB) of a command."""
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "truegain", *words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"truegain {' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - begin, usage.ru_maxrss // 1024


def main() -> None:
    """Print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, default=1_000_000)
    ratings = parser.parse_args().ratings
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
                seconds, memory = measured(*words)
                named = " ".join(Path(w).name if w.startswith(folder) else w for w in words)
                print(
                    f"{ratings:>9,} ratings, {kind:<20} {seconds:6.1f} s {memory:6,} MB  truegain {named}", flush=True
                )


if __name__ == "__main__":
    main()
