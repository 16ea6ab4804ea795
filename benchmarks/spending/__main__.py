"""`python -m benchmarks.spending labels|looks|evening|next|fill`: what gold labels bring, replayed on real labels.

`python -m benchmarks.spending cannot` simulates lists of which people cannot judge some documents.
"""

from __future__ import annotations

import argparse
import warnings

from benchmarks.spending.cannot import cannot
from benchmarks.spending.evening import evening
from benchmarks.spending.fill import fill
from benchmarks.spending.labels import labels
from benchmarks.spending.looks import looks
from benchmarks.spending.next import next_table

TABLES = {"labels": labels, "looks": looks, "evening": evening, "next": next_table, "fill": fill,
          "cannot": cannot}  # fmt: skip


def main() -> None:
    """Print a table."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.spending", description=__doc__)
    asked.add_argument("table", choices=sorted(TABLES))
    asked.add_argument("--pairs", type=int, default=20, help="pairs of systems")
    asked.add_argument("--draws", type=int, default=50, help="draws of gold a pair")
    asked.add_argument("--repeats", type=int, default=300, help="evenings")
    asked.add_argument("--studies", type=int, default=200, help="studies of what cannot be judged")
    asked.add_argument("--seed", type=int, default=1)
    a = asked.parse_args()
    warnings.simplefilter("ignore")
    TABLES[a.table](a)


if __name__ == "__main__":
    main()
