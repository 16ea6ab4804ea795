"""`python -m benchmarks.start [SRC ...]`: how long it takes to start, of this version, of others, and of ir_measures.

SRC is the folder `src` of another checkout, with its compiled files in place.  Numbers are seconds of processor time,
the least of some rounds, in each of which everything is started once: they are less disturbed by what else runs than
time on the wall, which stands behind them.  The last column is this version's over that of `ir_measures --help`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parents[1] / "src"
PEER = "ir_measures --help"
STARTS = {
    "python alone": ["-c", "pass"],
    PEER: ["-m", "ir_measures", "--help"],
    "import truegain": ["-c", "import truegain"],
    "truegain --help": ["-m", "truegain", "--help"],
    "truegain eval --help": ["-m", "truegain", "eval", "--help"],
}
Taken = tuple[float, float]  # seconds of the processor, and on the wall


def main() -> None:
    """Print one table: a row a way to start, a column a version."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="*", type=Path)
    parser.add_argument("--repeats", type=int, default=12)
    given = parser.parse_args()
    sources = [*given.sources, HERE]
    known = {name: words for name, words in STARTS.items() if name != PEER or find_spec("ir_measures")}
    rounds = [{(n, s): seconds(words, s) for n, words in known.items() for s in sources} for _ in range(given.repeats)]
    least = {which: tuple(min(one[which][k] for one in rounds) for k in (0, 1)) for which in rounds[0]}
    print(f"| | {' | '.join(map(str, sources))} | over {PEER} |\n|---|{'---|' * len(sources)}---|")
    for name in known:
        cells = [f"{least[name, s][0]:.3f} ({least[name, s][1]:.3f})" for s in sources]
        ratio = f"{least[name, HERE][0] / least[PEER, HERE][0]:.2f}" if PEER in known else "it is not installed"
        print(f"| {name} | {' | '.join(cells)} | {ratio} |")


def seconds(words: list[str], source: Path) -> Taken:
    """Processor time of one start, that of the system with it, and time on the wall."""
    told = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    told.pop("PYTHONDONTWRITEBYTECODE", None)  # what is compiled once stays so, as on a user's machine
    began = time.perf_counter()
    started = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL, env=told)
    _, status, used = os.wait4(started.pid, 0)
    assert status == 0, words
    return used.ru_utime + used.ru_stime, time.perf_counter() - began


if __name__ == "__main__":
    main()
