"""Files to scores beside pytrec_eval on an emulated processor: `python -m benchmarks.emulated COMMAND [--share 4]`.

COMMAND starts an interpreter of the other kind that finds this folder, numpy and pytrec_eval: a script that calls box64
or qemu.  It does a part of `large` and `topics` in turns; told are medians of processor seconds, imports not counted.
Such seconds are no true clock: what an emulator makes slower, it makes slower by its own rules.
With `--count`, COMMAND says `instructions N` when it ends (a plugin of qemu), and instructions are told instead.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median

from benchmarks.races.scoring import files_of

HERE = Path(__file__).parent
CONTESTANTS = ("truegain, 1 thread", "pytrec_eval")
ONLY_START = """
import sys
from pathlib import Path
from benchmarks.racing.contest import find
find(sys.argv[1]).contestants[sys.argv[3]].start(Path(sys.argv[2]))
"""


def part_of(name: str, share: int, folder: Path) -> Path:
    """One in so many runs, or topics, of a workload; as many systems fill the pool as in the whole one."""
    from benchmarks.workloads import WORKLOADS, AdHoc, write

    whole = WORKLOADS[name]
    if isinstance(whole, AdHoc):
        return write(replace(whole, written=whole.written // share), folder / f"{name}-{share}")
    return write(replace(whole, topics=whole.topics // share), folder / f"{name}-{share}")


def ran(words: list[str]) -> subprocess.CompletedProcess[str]:
    """A process that must end well."""
    done = subprocess.run(words, cwd=HERE.parent, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
    return done


def instructions(command: str, *words: str) -> int:
    """What COMMAND counted."""
    return int(re.findall(r"^instructions (\d+)$", ran([command, *words]).stderr, re.MULTILINE)[-1])


def once(command: str, address: str, place: Path, name: str, count: bool) -> tuple[float, dict[str, float]]:
    """Seconds, or thousands of millions of instructions, and the answer, which is not told where they are counted."""
    rest = (address, str(place), name)
    if count:
        whole = instructions(command, "-m", "benchmarks.racing.once", *rest)
        return (whole - instructions(command, "-c", ONLY_START, *rest)) / 1e9, {}
    told = json.loads(ran([command, "-m", "benchmarks.racing.once", *rest]).stdout.splitlines()[-1])
    return told["cpu"], told["answer"]


def race(command: str, name: str, place: Path, repeat: int, count: bool) -> list[str]:
    """Both in turns: every repetition, medians and their ratio, and how far answers are apart."""
    for path in files_of(place)[1]:
        path.read_bytes()  # nobody pays for a cold disk
    took: dict[str, list[float]] = {c: [] for c in CONTESTANTS}
    answers: dict[str, dict[str, float]] = {}
    for _ in range(repeat):
        for contestant in CONTESTANTS:
            address = f"benchmarks.races.{name}:WORKLOAD"
            used, answers[contestant] = once(command, address, place, contestant, count)
            took[contestant].append(used)
    ours, theirs = (answers[c] for c in CONTESTANTS)
    lines, unit = (
        json.loads((place / "made.json").read_text())["facts"]["lines"],
        "1e9 instructions" if count else "CPU s",
    )
    said = [f"{name}, {lines:,} lines" + (f"; answers at most {_gap(ours, theirs):.1g} apart" if ours else "")]
    for contestant, values in took.items():
        ratio = median(values) / median(took[CONTESTANTS[0]])
        each = " ".join(f"{v:.2f}" for v in values)
        said.append(f"  {contestant:20} {unit} {median(values):.2f}  ratio {ratio:.1f}  ({each})")
    return said


def _gap(ours: dict[str, float], theirs: dict[str, float]) -> float:
    return max(abs(ours[key] - theirs[key]) for key in ours)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", help="starts the interpreter")
    parser.add_argument("--share", type=int, default=4, help="do one in so many runs or topics (4)")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions of each contestant (5)")
    parser.add_argument("--count", action="store_true", help="instructions, as COMMAND counts them")
    parser.add_argument("--folder", type=Path, default=HERE / "work", help="where the files go (benchmarks/work)")
    given = parser.parse_args()
    for name in ("large", "topics"):
        place = part_of(name, given.share, given.folder.resolve())
        print("\n".join(race(given.command, name, place, given.repeat, given.count)), flush=True)


if __name__ == "__main__":
    main()
