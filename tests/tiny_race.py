"""Workloads of milliseconds, for the tests of the benchmarks' runner."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.ladders import ladder
from benchmarks.racing.calibration import loop
from benchmarks.racing.contest import US, Answer, Command, Inside, Job, Workload, kept, silent


def make(folder: Path) -> Path:
    """One small file."""

    def write(place: Path) -> dict[str, int]:
        (place / "data.txt").write_text("7\n")
        return {"lines": 1}

    return kept(folder / "tiny", {"seed": 7}, write)


def looping(place: Path, size: int, answer: float = 7.0) -> Job:
    """So many rounds of the calibration loop."""
    assert (place / "data.txt").read_text() == "7\n"

    def job() -> Callable[[], Answer]:
        loop(size)
        return lambda: {"seven": answer}

    return job


def failing(place: Path) -> Job:
    """A contestant that cannot."""
    raise ValueError(f"no {place.name} for me")


TINY = Workload(
    "tiny",
    "a loop",
    make,
    {
        US: Inside(partial(looping, size=20_000)),
        "double": Inside(partial(looping, size=40_000, answer=8.0)),
        "half": Inside(partial(looping, size=10_000), share=0.5, note="half, scaled"),
        "failing": Inside(failing),
        "absent": Inside(failing, ("no_such_module",)),
        "no program": Command(lambda _: ["no-such-program"], silent, ("program:no-such-program",)),
        "command": Command(lambda _: [sys.executable, "-c", "print(7)"], lambda text: {"seven": float(text)}),
    },
)
FAKE = Workload("fake", "of a tree", make, {US: Command(lambda _: [sys.executable, "-m", "slow"], silent)})
CLIMB = ladder("climb", "a loop", "rounds", 40_000, make, looping)
CLIMBED = CLIMB.workload
