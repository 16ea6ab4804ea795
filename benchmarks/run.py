"""truegain and its peers side by side: `python -m benchmarks.run [WORKLOAD ...]`; `make bench` runs all of it.

Prints one table and writes it to results.md; a run of all workloads is also added to history.jsonl.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.races.catalogue import RACES
from benchmarks.racing import history, page
from benchmarks.racing.contest import facts_of, find
from benchmarks.racing.machine import about
from benchmarks.racing.outcome import Outcome, Row, table
from benchmarks.racing.turns import CALIBRATION, Entry, calibrated, differences, entered, interleaved, made

FOLDER = Path(__file__).parent / "work"


def race(address: str, folder: Path, repeat: int) -> Outcome:
    """Let all contestants of a workload run in turns, with a calibration loop in each turn."""
    workload = find(address)
    place = made(address, workload, folder)
    entries = entered(address, workload, place)
    loop = Entry(CALIBRATION, calibrated)
    interleaved([loop, *entries], repeat)
    facts = facts_of(place) if (place / "made.json").exists() else {}
    rows, said = [Row.of(e) for e in entries], differences(entries, workload.tolerance)
    return Outcome(workload.name, workload.what, rows, [o.seconds for o in loop.took], said, facts)


def raced(
    races: Mapping[str, str], folder: Path, repeat: int, then: Callable[[Sequence[Outcome]], None]
) -> list[Outcome]:
    """Race after race; each is printed as soon as it is done, and then what there is so far is handed on."""
    outcomes: list[Outcome] = []
    for name, address in races.items():
        outcomes.append(race(address, folder, repeat))
        print("\n".join([f"\n{name}: {outcomes[-1].what}", *table(outcomes[-1:]), *outcomes[-1].differences]))
        sys.stdout.flush()
        then(outcomes)
    return outcomes


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload", nargs="*", help=f"{', '.join(RACES)}; all of them without a name")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions of each contestant (3)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the files go (benchmarks/work)")
    given = parser.parse_args(arguments)
    if given.repeat < 1:
        parser.error("--repeat must be at least 1")
    if unknown := [w for w in given.workload if w not in (*RACES, "all")]:
        parser.error(f"no workload {', '.join(unknown)}; there are {', '.join(RACES)}")
    everything = not given.workload or "all" in given.workload
    told = about(given.repeat)
    folder = given.folder.resolve()

    def so_far(outcomes: Sequence[Outcome]) -> None:
        if everything:
            left = list(RACES)[len(outcomes) :]
            page.kept(folder / "results.json", told, outcomes=[o.to_dict() for o in outcomes], left=left)
            page.write(folder)

    outcomes = raced(RACES if everything else {w: RACES[w] for w in given.workload}, folder, given.repeat, so_far)
    if everything:
        history.append(history.entry_of(outcomes, told))
    if failed := [o.workload for o in outcomes if o.ours is None]:
        sys.exit(f"truegain itself could not do: {', '.join(failed)}")


if __name__ == "__main__":
    main()
