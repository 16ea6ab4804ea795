"""`python -m benchmarks.mutants --mutants 150 --seed 1`: the share of random faults that the tests notice.

Every fault is one small change in a folder that computes (`FOLDERS`): an operator, a comparison, a constant, a term
dropped, a condition turned round.  It is made in a copy of the tree and held against the tests that reach its line, in
docstrings and in what `make test` runs of `tests/` (with `--all` in all of them), quick ones first, until one fails.
All of these tests are tried: a fault that every command meets may be seen by the slowest test alone.  `--budget 120`
tries two minutes of them.
Of mutmut and cosmic-ray, which were looked at, the one changes messages as often as numbers and draws no sample, the
other runs every test for every fault.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from math import sqrt
from pathlib import Path

from benchmarks.mutants.points import points
from benchmarks.mutants.trial import TREE, all_tried, copied, reached

FOLDERS = (
    "study",
    "stats",
    "judge_error",
    "pooling",
    "reliability",
    "aggregation",
    "sampling",
    "measures",
)


def wilson(killed: int, of: int, z: float = 1.959964) -> tuple[float, float]:
    """95% limits of a share.  Wilson 1927, JASA 22.

    >>> [round(x, 3) for x in wilson(135, 150)]
    [0.842, 0.938]
    """
    middle, half = killed + z * z / 2, z * sqrt(killed * (of - killed) / of + z * z / 4)
    return (middle - half) / (of + z * z), (middle + half) / (of + z * z)


def main() -> None:
    """Draw, try, tell."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    asked.add_argument("--mutants", type=int, default=150, help="how many faults are drawn")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--jobs", type=int, default=2)
    asked.add_argument("--budget", type=float, default=900.0, help="seconds of tests that a fault is given at most")
    asked.add_argument("--only", nargs="*", default=[], help="parts of paths: faults in these files only")
    asked.add_argument("--tests", nargs="*", default=[], help="parts of paths: held against these tests only")
    asked.add_argument("--all", action="store_true", help="held against the tests of `make test-all`, too")
    a = asked.parse_args()
    sources = {
        str(p.relative_to(TREE)): p.read_text()
        for f in FOLDERS
        for p in sorted((TREE / "src/truegain" / f).rglob("*.py"))
    }
    every = [q for path, text in sources.items() for q in points(path, text) if _wanted(path, a.only)]
    drawn = random.Random(a.seed).sample(every, min(a.mutants, len(every)))
    print(f"{len(every):,} possible faults in {len({q.path for q in every})} files, {len(drawn)} drawn, seed {a.seed}")
    with tempfile.TemporaryDirectory() as folder:
        reach = reached(copied(Path(folder) / "0"), a.jobs, a.tests, quick=not a.all)
        print(f"{len(reach):,} tests recorded", flush=True)
        if not reach:
            raise SystemExit("no test was recorded: nothing can be measured")
        verdicts = []
        for n, v in enumerate(all_tried(drawn, Path(folder), reach, a.budget, a.jobs), 1):
            verdicts.append(v)
            print(f"{n:4d} {v.fate:14s} {v.point.path}:{v.point.line}  {v.point.new[:60]!r}  {v.by[:90]}", flush=True)
    left = [v for v in verdicts if not v.killed]
    for v in left:
        print(f"\n{v.fate} ({v.tests} tests)  {v.point.path}:{v.point.line}\n{v.point.diff(sources[v.point.path])}")
    killed = len(verdicts) - len(left)
    low, high = wilson(killed, len(verdicts))
    print("\n" + ", ".join(f"{n} {fate}" for fate, n in Counter(v.fate for v in verdicts).most_common()))
    print(f"{killed} of {len(verdicts)} killed: {killed / len(verdicts):.1%}, 95% {low:.1%} to {high:.1%}")


def _wanted(path: str, only: list[str]) -> bool:
    return not only or any(part in path for part in only)


if __name__ == "__main__":
    main()
