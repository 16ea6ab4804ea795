"""`python -m benchmarks.papers [papers]`: every table and figure of the papers, of simulated data, in one folder.

The data are those of `truegain demo`, and each paper is one command, `truegain experiment ... --all`, which is printed
with its time.  The folder's index.html shows all of them.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from truegain.report.paper_folder import write_index

TEAMS = "".join(f"system-{i},{'ABCD'[(i - 1) // 2]}\n" for i in range(1, 9))
MAGNITUDES = "demo/magnitudes.csv demo/magnitude-runs --expert demo/expert.qrels --second demo/second.qrels"
# folder: the words of its command, in the order of the page
COMMANDS = {
    "judge": "judge",
    "judge-simulated": "judge demo/llm.qrels demo/runs --gold demo/gold_sample.qrels --design random",
    "collection": "split-half demo/gold.qrels demo/runs --repeat 5",
    "unanimity": "unanimity-grid demo/gold.qrels demo/runs --teams teams.csv",
    "content": "disjoint demo/gold.qrels demo/runs --corpus corpus --against nDCG@20 --against ERR@20 --against AP",
    "magnitudes": f"magnitudes {MAGNITUDES} --simulated 100",
}


def make(folder: Path, commands: dict[str, str]) -> Path:
    """Run each command in a folder, and write the page over what they made."""
    folder.mkdir(parents=True, exist_ok=True)
    _run(folder, ["demo", "demo"], quiet=True)
    _run(folder, ["text", "index", "demo/docs.jsonl", "-o", "corpus"], quiet=True)
    (folder / "teams.csv").write_text(f"run,team\n{TEAMS}")
    for name, words in commands.items():
        _run(folder, ["experiment", *shlex.split(words), "--all", "-o", name])
    about = [
        "Each table and figure of the papers, of simulated data (those of truegain demo; judge: the paper's counts)."
    ]
    return write_index(folder, "The papers: tables and figures", commands, about)


def _run(folder: Path, words: Sequence[str], quiet: bool = False) -> None:
    print(f"$ truegain {shlex.join(words)}", flush=True)
    start = time.perf_counter()
    out = subprocess.DEVNULL if quiet else None
    subprocess.run([sys.executable, "-m", "truegain", *words], cwd=folder, check=True, stdout=out)
    print(f"  {time.perf_counter() - start:.0f} s", flush=True)


def main() -> None:
    """Make them all, and say how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default="papers", type=Path)
    start = time.perf_counter()
    page = make(parser.parse_args().folder, COMMANDS)
    print(f"{page}: {time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
