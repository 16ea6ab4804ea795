"""Ratings: the numbers of docs/evidence/assessors.md.

`python -m benchmarks.run agree gains magnitudes` tells their speed.

    python -m benchmarks.ratings figure8    # simulated magnitudes: which way to gains recovers the true order
    python -m benchmarks.ratings search     # what was searched for the defaults of that simulation; takes minutes
    python -m benchmarks.ratings choice     # simulated crowds: assessors left out, weighed, identical
    python -m benchmarks.ratings real       # real ratings from --data, skipped where they are not there

The simulation is `truegain.experiments.worlds`; see figure8.py and real.py.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.content_real import DATA
from benchmarks.ratings.choice import choice
from benchmarks.ratings.figure8 import NOISES, figure8, search
from benchmarks.ratings.real import real


def main() -> None:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("figure8", "search", "choice", "real"))
    parser.add_argument("--worlds", type=int, help="simulated worlds (default: figure8 20, search 8, choice 100)")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the data (default: beside the checkout)")
    asked = parser.parse_args()
    if asked.what == "figure8":
        for title, settings in NOISES.items():
            for table in figure8(asked.worlds or 20, settings, title):
                print(f"{table}\n", flush=True)
    elif asked.what == "search":
        print(search(asked.worlds or 8))
    elif asked.what == "choice":
        choice(asked.worlds or 100, asked.data)
    else:
        real(asked.data)


if __name__ == "__main__":
    main()
