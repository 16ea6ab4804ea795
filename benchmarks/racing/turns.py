"""Contestants take turns, each time in a fresh process."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.racing.contest import Answer, Command, Inside, Workload

ROOT = Path(__file__).parents[2]
CALIBRATION = "calibration loop"


@dataclass(frozen=True)
class Once:
    """What one repetition took; `start` is the time of the imports where that is told apart."""

    seconds: float
    cpu: float
    peak: float
    start: float | None = None
    answer: Answer = field(default_factory=dict)


@dataclass
class Entry:
    """A contestant, how to let it run once, and what its repetitions took; or why it could not take part."""

    name: str
    once: Callable[[], Once] | None = None
    note: str = ""
    part: bool = False  # does a part of the work, scaled up
    took: list[Once] = field(default_factory=list)
    fault: str | None = None

    @property
    def seconds(self) -> float:
        """Median wall time."""
        return median(o.seconds for o in self.took)

    @property
    def cpu(self) -> float:
        """Median processor time."""
        return median(o.cpu for o in self.took)

    @property
    def peak(self) -> float:
        """The most memory of any repetition."""
        return max(o.peak for o in self.took)


class ContestantError(Exception):
    """A contestant that could not finish, with the last line it said."""


def finish(words: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> tuple[str, Once]:
    """Run a command: what it printed; wall and processor seconds and peak megabytes, of it and its children."""
    told = {**os.environ, **(environment or {})}
    told.pop("PYTHONDONTWRITEBYTECODE", None)  # what an installation has compiled would be compiled at each start
    told.pop("PYTHONDONTWRITEBYTECODE", None)  # what is compiled once stays so, as on a user's machine
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        begin = time.perf_counter()
        try:
            process = subprocess.Popen(words, stdout=out, stderr=err, cwd=ROOT, env=told)
        except OSError as fault:
            raise ContestantError(f"{Path(words[0]).name}: {fault.strerror}") from fault
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        if process.returncode:
            said = err.read().strip().splitlines() or [f"exit code {process.returncode}"]
            raise ContestantError(said[-1])
        peak = used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
        return out.read(), Once(seconds, used.ru_utime + used.ru_stime, peak)


def child(*words: str | Path, environment: Mapping[str, str] | None = None) -> str:
    """What a module of ours printed in a process of its own."""
    return finish([sys.executable, "-m", *words], environment)[0]


def calibrated() -> Once:
    """The calibration loop, once."""
    told = json.loads(child("benchmarks.racing.calibration"))
    return Once(told["seconds"], told["cpu"], 0.0)


def run_once(
    address: str, name: str, entrant: Inside | Command, place: Path, environment: Mapping[str, str] | None = None
) -> Once:
    """One contestant in a fresh process."""
    if isinstance(entrant, Command):
        printed, took = finish(entrant.words(place), environment)
        return Once(took.seconds, took.cpu, took.peak, None, entrant.told(printed))
    told = json.loads(child("benchmarks.racing.once", address, place, name, environment=environment).splitlines()[-1])
    scale = entrant.share
    return Once(told["seconds"] / scale, told["cpu"] / scale, told["peak"], told["start"], told["answer"])


def entered(address: str, workload: Workload, place: Path) -> list[Entry]:
    """All contestants; those that cannot be had here with the reason."""
    entries = []
    for name, entrant in workload.contestants.items():
        lacking = [reason for need in entrant.needs if (reason := missing(need))]
        once = None if lacking else partial(run_once, address, name, entrant, place)
        part = isinstance(entrant, Inside) and entrant.share < 1
        fault = f"missing: {lacking[0]}" if lacking else None
        entries.append(Entry(name, once, entrant.note, part, fault=fault))
    return entries


def missing(need: str) -> str | None:
    """Why a module or program cannot be had, or None where it can; as was said when peers were set up."""
    if need.startswith("program:"):
        return None if shutil.which(need[8:]) else f"no {need[8:]} on the PATH"
    if importlib.util.find_spec(need) is not None:
        return None
    noted = Path(sys.prefix) / "peers.json"
    reasons: dict[str, str] = json.loads(noted.read_text())["missing"] if noted.exists() else {}
    return reasons.get(need, f"module {need} is not installed")


def interleaved(entries: Sequence[Entry], repeat: int) -> None:
    """A B C A B C: whatever else the machine does meanwhile hits all alike."""
    for turn in range(repeat):
        for entry in entries:
            if entry.once is None or entry.fault:
                continue
            print(f"  {turn + 1}/{repeat} {entry.name} ...", end="", flush=True, file=sys.stderr)
            try:
                entry.took.append(entry.once())
                print(f" {entry.took[-1].seconds:.2f} s", file=sys.stderr)
            except ContestantError as fault:
                entry.fault = f"failed: {fault}"
                print(" failed", file=sys.stderr)


def made(address: str, workload: Workload, folder: Path) -> Path:
    """The files of a workload, made in another process, and read once, so that nobody pays for a cold disk."""
    print(f"{workload.name}: files ...", file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    place = Path(child("benchmarks.racing.once", address, folder).splitlines()[-1])
    for path in sorted(place.glob(workload.files)):
        if path.is_file():
            with path.open("rb") as stream:
                while stream.read(1 << 20):
                    pass
    return place


def differences(entries: Sequence[Entry], tolerance: float) -> list[str]:
    """Where answers differ from the first contestant's by more than they may, and which were not told."""
    told = [e for e in entries if e.took and e.took[0].answer]
    if not told:
        return []
    first, *others = told
    ours, said = first.took[0].answer, []
    for other in others:
        theirs = other.took[0].answer
        both = ours.keys() & theirs.keys()
        if not both:
            said.append(f"{other.name} told nothing that {first.name} did")
            continue
        gap, name = max((abs(ours[k] - theirs[k]), k) for k in both)
        if not gap <= tolerance * (1 + 1e-9):
            said.append(f"{other.name} has {name} {theirs[name]:.6g}, {first.name} {ours[name]:.6g}")
        if not other.part and (lacking := sorted(ours.keys() - theirs.keys())):
            said.append(f"{other.name} did not tell {', '.join(lacking[:5])}")
    return said
