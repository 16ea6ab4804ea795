"""`python -m benchmarks.judging load|faults`: many assessors at once, and a server that is killed while they work."""

from __future__ import annotations

import argparse

from benchmarks.judging.faults import faults
from benchmarks.judging.load import load

TABLES = {"load": load, "faults": faults}


def main() -> None:
    """Print a table."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.judging", description=__doc__)
    asked.add_argument("table", choices=sorted(TABLES))
    asked.add_argument("--assessors", type=int, default=200, help="at work at the same time")
    asked.add_argument("--units", type=int, default=1000, help="that they complete together")
    asked.add_argument("--pause", type=float, nargs="+", default=[4.0, 0.0], help="mean seconds before a page is sent")
    asked.add_argument("--database", nargs="+", default=["postgresql", "sqlite"], choices=["postgresql", "sqlite"])
    asked.add_argument("--kills", type=int, default=250, help="of the server, on each database")
    asked.add_argument("--seed", type=int, default=1)
    TABLES[asked.parse_args().table](asked.parse_args())


if __name__ == "__main__":
    main()
