"""`python -m benchmarks.settle`: labels until it is known, and how often the answer is wrong, in simulated studies.

A table for each world (benchmarks/settle/worlds.py says how they come about): for each way to a decision the labels
until it, median and (90th percentile), by the size of the true difference; studies that never decide count with all
their labels.  Then how good forecasts are.  `--figure FILE.svg` draws labels against the true difference.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):  # one core a process
    os.environ.setdefault(name, "1")

from benchmarks.settle.figure import figure  # noqa: E402
from benchmarks.settle.tables import Found, forecasts, studies  # noqa: E402
from benchmarks.settle.worlds import WORLDS, there  # noqa: E402
from truegain.report.charts import check_ending, save  # noqa: E402

DRAWN = "leans"  # the world of the figure


def main() -> None:
    """Print the tables, draw the figure."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.settle", description=__doc__)
    asked.add_argument("--studies", type=int, default=400, help="studies of each world")
    asked.add_argument("--seed", type=int, default=20261118)
    asked.add_argument(
        "--world", action="append", choices=[w.name for w in WORLDS], help="one of them; may be repeated"
    )
    asked.add_argument("--figure", type=Path, help=f"FILE.svg, .png or .html; of the world {DRAWN}")
    given = asked.parse_args()
    if given.figure is not None:
        check_ending(given.figure)
    warnings.simplefilter("ignore")
    here = {w.name for w in there()}
    found: dict[str, Found] = {}
    for world in WORLDS:
        if given.world and world.name not in given.world:
            continue
        if world.name not in here:
            print(f"\n{world.name} is left out: DL19's runs and labels are not beside this checkout")
            continue
        found[world.name] = one = studies(world, given.studies, given.seed)
        print(f"\n{world.name}: {world.about}; {given.studies} studies, seed {given.seed}\n")
        print("\n".join(one.table()), flush=True)
    if told := forecasts(list(found.values()))[2:]:
        print("\nForecasts\n\n" + "\n".join([*forecasts([])[:2], *told]))
    if given.figure is not None:
        if DRAWN not in found:
            asked.error(f"--figure draws the world {DRAWN}; leave --world out or add --world {DRAWN}")
        save(figure(found[DRAWN]), given.figure)


if __name__ == "__main__":
    main()
