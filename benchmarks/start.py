"""`python -m benchmarks.start [SRC ...]`: how long it takes to start, of this version and of others beside it.

SRC is the folder `src` of another checkout, with its compiled files in place.  Numbers are seconds of processor time,
the least of some runs, taken in turns: they are less disturbed by what else runs than time on the wall.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[1] / "src"
STARTS = {
    "python alone": ["-c", "pass"],
    "import truegain": ["-c", "import truegain"],
    "truegain --help": ["-m", "truegain", "--help"],
    "truegain eval --help": ["-m", "truegain", "eval", "--help"],
}


def main() -> None:
    """Print one table: a row a way to start, a column a version."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="*", type=Path)
    parser.add_argument("--repeats", type=int, default=12)
    given = parser.parse_args()
    sources = [*given.sources, HERE]
    print(f"| | {' | '.join(map(str, sources))} |\n|---|{'---|' * len(sources)}")
    for name, words in STARTS.items():
        taken = [[seconds(words, source) for source in sources] for _ in range(given.repeats)]
        print(f"| {name} | {' | '.join(f'{min(column):.2f}' for column in zip(*taken, strict=True))} |")


def seconds(words: list[str], source: Path) -> float:
    """Processor time of one start, that of the system with it."""
    told = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    told.pop("PYTHONDONTWRITEBYTECODE", None)  # what is compiled once stays so, as on a user's machine
    started = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL, env=told)
    _, status, used = os.wait4(started.pid, 0)
    assert status == 0, words
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
