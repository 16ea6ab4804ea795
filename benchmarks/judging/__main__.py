"""`python -m benchmarks.judging crowd|load|faults|looks`: the judging server, with simulated assessors.

crowd: they judge a whole study through its pages, and its export gives back the truth and the paper's figures.
load: many at once.  faults: a server that is killed while they work.
looks: what `truegain settle` spends on looks while a team labels.
"""

from __future__ import annotations

import argparse

from benchmarks.judging.crowd import crowd
from benchmarks.judging.faults import faults
from benchmarks.judging.load import load
from benchmarks.judging.looks import looks

TABLES = {"crowd": crowd, "load": load, "faults": faults, "looks": looks}


def main() -> None:
    """Print a table."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.judging", description=__doc__)
    asked.add_argument("table", choices=sorted(TABLES))
    asked.add_argument("--assessors", type=int, default=200, help="at work at the same time")
    asked.add_argument("--units", type=int, default=1000, help="that they complete together")
    asked.add_argument("--pause", type=float, nargs="+", default=[4.0, 0.0], help="mean seconds before a page is sent")
    asked.add_argument("--database", nargs="+", default=["postgresql", "sqlite"], choices=["postgresql", "sqlite"])
    asked.add_argument("--kills", type=int, default=250, help="of the server, on each database")
    asked.add_argument("--topics", type=int, default=8, help="of the crowd's study")
    asked.add_argument("--docs", type=int, default=24, help="of each of its topics, before the pool is cut from runs")
    asked.add_argument("--judgments", type=int, default=10, help="of each of its documents")
    asked.add_argument("--folder", default="", help="where its files and figures stay (default: nowhere)")
    asked.add_argument("--seed", type=int, default=1)
    TABLES[asked.parse_args().table](asked.parse_args())


if __name__ == "__main__":
    main()
