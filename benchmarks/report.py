"""`python -m benchmarks.report`: TREC-8's report (129 runs, AP and nDCG@10) from files, again, and with P@10 too.

Each is a process of its own on a study file, whose results are kept beside it; printed are seconds on the clock and of
CPU, their share of the first, and the size of the page.  Needs the real data beside the checkout.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

DATA = Path(__file__).parents[2] / "shared" / "data"
STEPS = (
    ("from files", ("AP", "nDCG@10")),
    ("again", ("AP", "nDCG@10")),
    ("with P@10 too", ("AP", "nDCG@10", "P@10")),
)


def main() -> None:
    """Print the times."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--data", type=Path, default=DATA)
    source = asked.parse_args().data.resolve() / "trec8_adhoc"
    if not source.is_dir():
        sys.exit(f"{source.parent}: no TREC-8 there; name the folder with --data")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(source / "inputs_129runs.tar.xz") as archive:
            archive.extractall(folder / "runs", filter="data")
        first: tuple[float, float] | None = None
        print(f"{'':14} {'clock':>8} {'CPU':>8} {'of the first':>14} {'page':>9}")
        for step, measures in STEPS:
            clock, cpu = timed(folder, source / "trec8.qrels.gz", measures)
            first = first or (clock, cpu)
            size = (folder / "report.html").stat().st_size / 1e6
            share = f"{clock / first[0]:.2f} / {cpu / first[1]:.2f}"
            print(f"{step:14} {clock:6.1f} s {cpu:6.1f} s {share:>14} {size:6.2f} MB", flush=True)


def timed(folder: Path, judgments: Path, measures: tuple[str, ...]) -> tuple[float, float]:
    """Seconds on the clock and of CPU that a report takes."""
    lines = {"judgments": str(judgments), "runs": "runs", "measure": measures}
    (folder / "study.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items()))
    before, start = _cpu(), time.perf_counter()
    command = [sys.executable, "-m", "truegain", "report", "study.toml"]
    done = subprocess.run(command, cwd=folder, check=False, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return time.perf_counter() - start, _cpu() - before


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
