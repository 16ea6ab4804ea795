"""How our time grows with lines, systems, topics, replicates, ratings: `python -m benchmarks.scaling [LADDER ...]`.

Each is done at 1x, 2x, 4x and 8x, in turns; the exponent is fitted to the logarithms of all repetitions. A run of all
ladders stands in results.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.ladders import LADDERS
from benchmarks.racing import page
from benchmarks.racing.machine import about
from benchmarks.racing.scaled import Scaled, growth_table
from benchmarks.racing.turns import entered, interleaved, made
from benchmarks.run import FOLDER


def climbed(name: str, folder: Path, repeat: int) -> Scaled:
    """All sizes of a ladder, in turns."""
    found, address = LADDERS[name], f"benchmarks.ladders:{name.upper()}"
    entries = entered(address, found.workload, made(address, found.workload, folder))
    interleaved(entries, repeat)
    return Scaled.of(name, found.workload.what, found.unit, found.sizes, entries)


def main(arguments: Sequence[str] | None = None) -> None:
    """Climb what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ladder", nargs="*", help=f"{', '.join(LADDERS)}; all of them without a name")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions of each size (3)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the files go (benchmarks/work)")
    given = parser.parse_args(arguments)
    if unknown := [w for w in given.ladder if w not in LADDERS]:
        parser.error(f"no ladder {', '.join(unknown)}; there are {', '.join(LADDERS)}")
    told, folder, scaled = about(given.repeat), given.folder.resolve(), []
    for name in given.ladder or LADDERS:
        scaled.append(climbed(name, folder, given.repeat))
        print("\n".join(growth_table(scaled[-1:])), flush=True)
    if not given.ladder:
        page.kept(folder / "scaling.json", told, ladders=[asdict(s) for s in scaled])
        page.write(folder)
    if not any(s.sizes for s in scaled):
        sys.exit("nothing was measured")


if __name__ == "__main__":
    main()
