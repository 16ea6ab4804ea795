"""python -m benchmarks.coverage [family ...]: one table of what every interval and test covers, worst cells first."""

from __future__ import annotations

import argparse
import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):  # one core a process
    os.environ.setdefault(name, "1")

from benchmarks.coverage.run import ACCEPTED, FAMILIES, Row, coverage  # noqa: E402


def main() -> None:
    """Run the worlds asked for and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("family", nargs="*", help=f"one or more of {', '.join(FAMILIES)}; all without")
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--seed", type=int, default=20261115)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--only", default="", help="worlds whose name holds this text")
    given = parser.parse_args()
    if unknown := set(given.family) - set(FAMILIES):
        parser.error(f"no family is called {', '.join(sorted(unknown))}; there are {', '.join(FAMILIES)}")
    rows = coverage(given.family or FAMILIES, given.studies, given.seed, given.jobs, given.only)
    for line in table(rows):
        print(line)
    out = sum(row.out for row in rows)
    print(f"\n{out} of {len(rows)} cells outside of {ACCEPTED[0]:.0%}-{ACCEPTED[1]:.0%}, seed {given.seed}")


def table(rows: list[Row]) -> list[str]:
    """The table in Markdown."""
    head = [
        "| | family | world | answer | studies | refused | holds | +- | width |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    return head + [
        f"| {'!' if r.out else ''} | {r.family} | {r.world} | {r.answer} | {r.studies} | {r.refused} "
        f"| {r.inside:.3f} | {r.error:.3f} | {r.width:.3g} |"
        for r in rows
    ]


if __name__ == "__main__":
    main()
