"""Run truegain and its peers side by side: `python -m benchmarks.run [small|large|topics|err|fifth|linear|all]`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from statistics import median

from benchmarks.contestants import MEASURES, WITH_ERR, Means, files_of

US = "truegain"
DIGITS = 4
SCRIPTS = ("pytrec_eval", "ranx")  # peers without a command of their own
PACKAGES = ("truegain", "pytrec_eval-terrier", "ir_measures", "ranx", "numpy", "numba")
Result = dict[str, object]


@dataclass(frozen=True)
class Once:
    """What one repetition took; `start` is the time of the imports where that is told apart."""

    seconds: float
    cpu: float
    peak: float
    start: float | None
    means: Means


@dataclass
class Entry:
    """A contestant, how to let it run once, and what its repetitions took."""

    name: str
    once: Callable[[], Once]
    took: list[Once] = field(default_factory=list)
    fault: str | None = None

    @property
    def seconds(self) -> float:
        """Median wall time."""
        return median(o.seconds for o in self.took)


class ContestantError(Exception):
    """A contestant that could not finish, with the last line it said."""


# ---------------------------------------------------------------------- one repetition


def _finish(command: Sequence[str | Path]) -> tuple[str, float, float, float]:
    """Run a command: what it printed, wall and processor seconds, and peak megabytes, of it and its children."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, cwd=Path(__file__).parent.parent)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        if process.returncode:
            said = err.read().strip().splitlines() or [f"exit code {process.returncode}"]
            raise ContestantError(said[-1])
        peak = used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
        return out.read(), seconds, used.ru_utime + used.ru_stime, peak


def _inside(name: str, place: Path, measures: Sequence[str], runs: int = 0) -> Once:
    """One contestant in a fresh process, its imports not counted."""
    command = [sys.executable, "-m", "benchmarks.contestants", name, str(place), str(runs), " ".join(measures)]
    told = json.loads(_finish(command)[0])
    return Once(told["seconds"], told["cpu"], told["peak"], told["import"], told["means"])


def _script(name: str, place: Path) -> Once:
    """A peer without a command: a small script, all of its time counted."""
    command = [sys.executable, "-m", "benchmarks.contestants", name, str(place), "0", " ".join(MEASURES)]
    printed, seconds, cpu, peak = _finish(command)
    return Once(seconds, cpu, peak, None, json.loads(printed)["means"])


def _command(command: Sequence[str | Path], system: str) -> Once:
    """A whole command, from start to end."""
    printed, seconds, cpu, peak = _finish(command)
    return Once(seconds, cpu, peak, None, {system: _printed_means(printed)})


def _printed_means(text: str) -> dict[str, float]:
    """Means out of what a command printed: `measure value`, `measure all value`, or a head line of measures."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    found = {}
    for head, row in pairwise(rows):
        if set(MEASURES) <= set(head) and len(row) == len(head):
            found.update({m: float(row[head.index(m)]) for m in MEASURES})
    names = {"map": "AP", "ndcg_cut_10": "nDCG@10", "P_10": "P@10", "recip_rank": "RR"}
    for row in rows:
        for word in row:
            measure = names.get(word, word)
            if measure in MEASURES and measure not in found and _is_number(row[-1]):
                found[measure] = float(row[-1])
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# ---------------------------------------------------------------------- many repetitions


def _interleaved(entries: Sequence[Entry], repeat: int) -> None:
    """A B C A B C: whatever else the machine does meanwhile hits all alike."""
    for turn in range(repeat):
        for entry in entries:
            if entry.fault:
                continue
            print(f"  {turn + 1}/{repeat} {entry.name} ...", end="", flush=True, file=sys.stderr)
            try:
                entry.took.append(entry.once())
                print(f" {entry.took[-1].seconds:.2f} s", file=sys.stderr)
            except ContestantError as fault:
                entry.fault = str(fault)
                print(" failed", file=sys.stderr)


def _warm(place: Path) -> None:
    """Read every file once, so that nobody pays for a cold disk."""
    qrels, runs = files_of(place)
    for path in (qrels, *runs):
        with path.open("rb") as stream:
            while stream.read(1 << 20):
                pass


def _differences(entries: Sequence[Entry]) -> list[str]:
    """Where the contestants' means differ from the first one's, at four decimals."""
    first, *others = [e for e in entries if e.took]
    said = []
    for other in others:
        theirs, ours = other.took[0].means, first.took[0].means
        pairs = [(s, m) for s, means in ours.items() for m in means]
        lacking = [m for s, m in pairs if m not in theirs.get(s, {})]
        gaps = [(abs(ours[s][m] - theirs[s][m]), s, m) for s, m in pairs if m in theirs.get(s, {})]
        gap, system, measure = max(gaps, default=(0.0, "", ""))
        if lacking or not gaps:
            said.append(f"{other.name} did not tell {', '.join(sorted(set(lacking))) or 'any mean'}")
        if gap > 0.5 * 10**-DIGITS + 1e-9:
            there, here = theirs[system][measure], ours[system][measure]
            said.append(f"{other.name} has {measure} {there:.6f} for {system}, {first.name} {here:.6f}")
    return said


def _table(title: str, entries: Sequence[Entry], absent: Sequence[str] = ()) -> None:
    """Print what was measured; ratios are of medians."""
    print(f"\n{title}")
    ours = next((e for e in entries if e.name == US and e.took), None)
    width = max(len(e.name) for e in entries)
    print(
        f"{'contestant':<{width}} {'median s':>9} {'ratio':>7} {'min s':>9} {'cpu s':>9} {'import s':>9} {'peak MB':>9}"
    )
    for e in entries:
        if not e.took:
            print(f"{e.name:<{width}} failed: {e.fault}")
            continue
        ratio = f"{e.seconds / ours.seconds:.2f}" if ours else "-"
        starts = [o.start for o in e.took if o.start is not None]
        start = f"{median(starts):.2f}" if starts else "in all"
        print(
            f"{e.name:<{width}} {e.seconds:>9.3f} {ratio:>7} {min(o.seconds for o in e.took):>9.3f} "
            f"{median(o.cpu for o in e.took):>9.3f} {start:>9} {max(o.peak for o in e.took):>9.0f}"
        )
    for name in absent:
        print(f"{name:<{width}} not on this machine")
    if sum(bool(e.took) for e in entries) > 1:
        said = _differences(entries)
        print("\n".join(f"DIFFERENT: {line}" for line in said) or f"means of all agree to {DIGITS} decimals")
    peers = [e for e in entries if e.took and not e.name.startswith(US)]
    if ours and peers:
        fastest = min(peers, key=lambda e: e.seconds)
        print(f"fastest peer / truegain = {fastest.seconds / ours.seconds:.1f} ({fastest.name})")


def _result(entries: Sequence[Entry]) -> Result:
    return {
        e.name: {
            "fault": e.fault,
            "median_seconds": e.seconds if e.took else None,
            "seconds": [o.seconds for o in e.took],
            "cpu_seconds": [o.cpu for o in e.took],
            "import_seconds": [o.start for o in e.took],
            "peak_megabytes": [o.peak for o in e.took],
        }
        for e in entries
    }


# ---------------------------------------------------------------------- the benchmarks


def _entered(names: Sequence[str], place: Path, measures: Sequence[str]) -> tuple[list[Entry], list[str]]:
    """Contestants that are on this machine, and those that are not."""
    there = [n for n in names if n != "trec_eval" or shutil.which(n)]
    return [Entry(n, partial(_inside, n, place, measures)) for n in there], [n for n in names if n not in there]


def small(folder: Path, repeat: int) -> Result:
    """One run of 50 topics: the whole command, start included."""
    place, facts = _made("small", folder)
    qrels, (run,) = files_of(place)
    options = [word for m in MEASURES for word in ("-m", m)]
    programs: dict[str, list[str | Path]] = {
        US: [_program("truegain"), "eval", qrels, run, *options],
        "ir_measures": [_program("ir_measures"), qrels, run, *MEASURES],
    }
    if found := shutil.which("trec_eval"):
        trec = ["map", "ndcg_cut.10", "P.10", "recip_rank"]
        programs["trec_eval"] = [found, *(w for m in trec for w in ("-m", m)), qrels, run]
    entries = [Entry(n, partial(_command, c, run.stem)) for n, c in programs.items()]
    entries += [Entry(f"{n}, a script", partial(_script, n, place)) for n in SCRIPTS]
    _interleaved(entries, repeat)
    absent = [n for n in ("trec_eval",) if n not in programs]
    _table(f"small: whole command, start included, {facts['lines']:,} lines", entries, absent)
    return _result(entries)


def large(folder: Path, repeat: int) -> Result:
    """Many runs of 50 topics: files to the scores of every topic."""
    return _files_to_scores("large", "large", folder, repeat, MEASURES)


def topics(folder: Path, repeat: int) -> Result:
    """One run of many topics: files to the scores of every topic."""
    return _files_to_scores("topics", "topics", folder, repeat, MEASURES)


def err(folder: Path, repeat: int) -> Result:
    """As large, with ERR@20, for truegain and ir_measures."""
    return _files_to_scores("err", "large", folder, repeat, WITH_ERR, (US, "truegain, 1 thread", "ir_measures"))


def fifth(folder: Path, repeat: int) -> Result:
    """What a fifth measure, ERR@20, costs truegain on the large workload."""
    place, facts = _made("large", folder)
    entries = [
        Entry(US, partial(_inside, US, place, MEASURES)),
        Entry("truegain, ERR@20 too", partial(_inside, US, place, WITH_ERR)),
    ]
    _interleaved(entries, repeat)
    _table(f"fifth: four measures, and ERR@20 as a fifth; {facts['lines']:,} lines", entries)
    return _result(entries)


def _files_to_scores(
    title: str,
    workload: str,
    folder: Path,
    repeat: int,
    measures: Sequence[str],
    names: Sequence[str] = (US, "truegain, 1 thread", "pytrec_eval", "ir_measures", "ranx", "trec_eval"),
) -> Result:
    place, facts = _made(workload, folder)
    entries, absent = _entered(names, place, measures)
    _interleaved(entries, repeat)
    about = f"{facts['runs']:,} runs, {facts['lines']:,} lines, {facts['judgments']:,} judgments"
    _table(f"{title}: files to scores per topic of {', '.join(measures)}; {about}", entries, absent)
    return _result(entries)


def linear(folder: Path, repeat: int) -> Result:
    """Parts of the large workload: seconds a million lines should stay the same."""
    place, facts = _made("large", folder)
    sizes = [facts["runs"] // 4, facts["runs"] // 2, facts["runs"] // 4 * 4]
    lines = facts["lines"] // facts["runs"]
    entries = [Entry(f"{n} runs", partial(_inside, US, place, MEASURES, n)) for n in sizes]
    _interleaved(entries, repeat)
    print(
        f"\nlinear: truegain on 1x, 2x and 4x the lines\n{'lines':>10} {'median s':>9} {'s/M lines':>10} {'peak MB':>8}"
    )
    for size, e in zip(sizes, entries, strict=True):
        if not e.took:
            print(f"{size * lines:>10,} failed: {e.fault}")
            continue
        rate = e.seconds / (size * lines / 1e6)
        print(f"{size * lines:>10,} {e.seconds:>9.3f} {rate:>10.4f} {max(o.peak for o in e.took):>8.0f}")
    return _result(entries)


BENCHMARKS: Mapping[str, Callable[[Path, int], Result]] = {
    "small": small,
    "large": large,
    "topics": topics,
    "err": err,
    "fifth": fifth,
    "linear": linear,
}


def _made(name: str, folder: Path) -> tuple[Path, dict[str, int]]:
    """A workload, made in another process: a child's peak memory is never told below its parent's at the start."""
    print(f"{name}: files ...", file=sys.stderr)
    subprocess.run(
        [sys.executable, "-m", "benchmarks.workloads", name, "--folder", folder],
        check=True,
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.DEVNULL,
    )
    _warm(folder / name)
    facts: dict[str, int] = json.loads((folder / name / "made.json").read_text())["facts"]
    return folder / name, facts


def _program(name: str) -> str:
    """A console script, first of the environment this runs in."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else name


def _machine() -> dict[str, object]:
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "when": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": [round(x, 2) for x in os.getloadavg()],
        "python": platform.python_version(),
        **versions,
    }


def main() -> None:
    """Run the benchmarks asked for, print tables, and write results-NAME.json next to the workloads."""
    parser = argparse.ArgumentParser(description="Time and memory of truegain and its peers, side by side.")
    parser.add_argument("which", nargs="?", default="all", choices=[*BENCHMARKS, "all"])
    parser.add_argument("--repeat", type=int, default=3, help="repetitions of each contestant (3)")
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent / "work", help="where the files go")
    given = parser.parse_args()
    if given.repeat < 1:
        parser.error("--repeat must be at least 1")
    folder = given.folder.resolve()
    machine = _machine()
    print(", ".join(f"{k} {v}" for k, v in machine.items()))
    for name in BENCHMARKS if given.which == "all" else [given.which]:
        result = BENCHMARKS[name](folder, given.repeat)
        told = {"machine": machine, "repeat": given.repeat, "results": result}
        (folder / f"results-{name}.json").write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
