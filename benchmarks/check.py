"""What got slower since the last entry of history.jsonl: `python -m benchmarks.check [WORKLOAD ...]`.

The commit of that entry is checked out into a temporary folder and built; then it and the files as they are here run in
turns, each time in a fresh process, with a calibration loop in each turn. A workload is slower where the median of the
turns' ratios, new over old, is above 1.2; where it is near that, there are more turns. Ends with 1 where something is
slower or cannot be run now, where nothing could be measured, and where the old commit cannot be had or built.
What the old commit could not do yet is told, and left out.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.races.catalogue import RACES
from benchmarks.racing.contest import US, find
from benchmarks.racing.history import HISTORY, last
from benchmarks.racing.turns import ROOT, ContestantError, Once, calibrated, made, run_once
from benchmarks.run import FOLDER

LIMIT = 1.2
NEAR = 0.15  # of the limit, as a factor either way: there are more turns


class CheckError(Exception):
    """Nothing could be told, and why."""


@dataclass(frozen=True)
class Compared:
    """A workload of old and new: seconds of every turn, and of the calibration loop in it; or why there are none."""

    name: str
    old: Sequence[float] = ()
    new: Sequence[float] = ()
    loop: Sequence[float] = ()
    fault: str | None = None
    broken: bool = False  # what is here now cannot do it

    @property
    def ratio(self) -> float:
        """Median over turns of new over old: what else the machine did in a turn hits both."""
        return median(n / o for n, o in zip(self.new, self.old, strict=True))

    def loops(self, seconds: Sequence[float]) -> float:
        """How many calibration loops."""
        return median(s / c for s, c in zip(seconds, self.loop, strict=True))

    def slower(self, limit: float) -> bool:
        """Whether it is told as slower."""
        return bool(self.old) and self.ratio > limit


def compared(
    name: str,
    old: Callable[[], float],
    new: Callable[[], float],
    loop: Callable[[], float],
    *,
    turns: int = 5,
    most: int = 15,
    limit: float = LIMIT,
) -> Compared:
    """Old and new in turns, who is first alternates; up to `most` turns while the median is near the limit."""
    olds: list[float] = []
    news: list[float] = []
    loops: list[float] = []
    try:
        new()  # compiles, and reads the disk
    except ContestantError as fault:
        return Compared(name, fault=f"now: {fault}", broken=True)
    try:
        old()
        while len(olds) < turns or (len(olds) < most and _is_near(Compared(name, olds, news, loops).ratio, limit)):
            loops.append(loop())
            if len(olds) % 2:
                news.append(new())
                olds.append(old())
            else:
                olds.append(old())
                news.append(new())
    except ContestantError as fault:
        return Compared(name, fault=f"then, or in a later turn: {fault}")
    return Compared(name, olds, news, loops)


def _is_near(ratio: float, limit: float) -> bool:
    return limit / (1 + NEAR) < ratio < limit * (1 + NEAR)


@contextmanager
def old_tree(commit: str, root: Path = ROOT) -> Iterator[Path]:
    """The commit in a folder of its own, built; gone at the end."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "old"
        _done(["git", "worktree", "add", "--detach", str(tree), commit], root, f"commit {commit[:12]} cannot be had")
        try:
            words = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
            _done(words, tree, f"commit {commit[:12]} cannot be built")
            yield tree
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=root, capture_output=True)


def _done(words: Sequence[str], where: Path, otherwise: str) -> None:
    done = subprocess.run(words, cwd=where, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1]
        raise CheckError(f"{otherwise}: {said}")


def timer(address: str, place: Path, tree: Path, clock: str) -> Callable[[], float]:
    """Our own contestant, with the source of a tree."""
    entrant = find(address).contestants[US]
    environment = {"PYTHONPATH": str(tree / "src")}

    def once() -> float:
        took: Once = run_once(address, US, entrant, place, environment)
        return took.seconds if clock == "wall" else took.cpu

    return once


def checked(
    races: Mapping[str, str],
    commit: str,
    folder: Path,
    *,
    root: Path = ROOT,
    clock: str = "wall",
    turns: int = 5,
    most: int = 15,
    limit: float = LIMIT,
) -> list[Compared]:
    """All workloads of old and new."""
    found = []
    with old_tree(commit, root) as tree:
        for name, address in races.items():
            place = made(address, find(address), folder)
            old, new = (timer(address, place, side, clock) for side in (tree, root))
            found.append(compared(name, old, new, partial(_loop, clock), turns=turns, most=most, limit=limit))
            print(told(found[-1], limit), flush=True)
    return found


def _loop(clock: str) -> float:
    took = calibrated()
    return took.seconds if clock == "wall" else took.cpu


def told(one: Compared, limit: float = LIMIT) -> str:
    """A line."""
    if not one.old:
        return f"{one.name}: not measured: {one.fault}"
    end = f"SLOWER by {one.ratio - 1:.0%}" if one.slower(limit) else "not slower"
    return (
        f"{one.name}: {median(one.old):.3f} s -> {median(one.new):.3f} s; {one.loops(one.old):.2f} -> "
        f"{one.loops(one.new):.2f} calibration loops; new / old {one.ratio:.2f} in {len(one.old)} turns: {end}"
    )


def verdict(found: Sequence[Compared], limit: float = LIMIT) -> str | None:
    """None where all is well, else what is not."""
    if not any(one.old for one in found):
        return "nothing was measured, so nothing was checked"
    slower = [one.name for one in found if one.slower(limit)]
    broken = [one.name for one in found if one.broken]
    said = [f"slower by more than {limit - 1:.0%}: {', '.join(slower)}"] if slower else []
    return "; ".join([*said, f"cannot be run now: {', '.join(broken)}"] if broken else said) or None


def main(arguments: Sequence[str] | None = None) -> None:
    """Check what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload", nargs="*", help=f"{', '.join(RACES)}; all of them without a name")
    parser.add_argument("--against", help="another commit than that of the last entry")
    parser.add_argument("--history", type=Path, default=HISTORY)
    parser.add_argument("--limit", type=float, default=LIMIT)
    parser.add_argument("--turns", type=int, default=5, help="turns of each workload (5)")
    parser.add_argument("--most", type=int, default=15, help="turns where it is near the limit (15)")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu: for a machine that is busy")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the files go (benchmarks/work)")
    given = parser.parse_args(arguments)
    if unknown := [w for w in given.workload if w not in RACES]:
        parser.error(f"no workload {', '.join(unknown)}; there are {', '.join(RACES)}")
    entry = last(given.history)
    if entry is None and given.against is None:
        sys.exit(f"{given.history.name} has no entry to check against, so nothing was checked; make bench adds one")
    commit = given.against or str(entry["commit"] if entry else "")
    if entry and entry["changed"] and not given.against:
        print("the last entry was measured with changes that were not committed; its commit is taken")
    known = entry["workloads"] if entry and given.against is None else RACES
    races = {name: a for name, a in RACES.items() if (name in given.workload if given.workload else name in known)}
    try:
        found = checked(
            races, commit, given.folder.resolve(), clock=given.clock, turns=given.turns, most=given.most,
            limit=given.limit,
        )  # fmt: skip
    except CheckError as fault:
        sys.exit(str(fault))
    if said := verdict(found, given.limit):
        sys.exit(said)


if __name__ == "__main__":
    main()
