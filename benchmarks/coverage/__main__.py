"""python -m benchmarks.coverage [family ...]: one table of what every interval and test covers, worst cells first."""

from __future__ import annotations

import math
import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):  # one core a process
    os.environ.setdefault(name, "1")

from benchmarks.coverage.run import ACCEPTED, FAMILIES, Row, asked, coverage  # noqa: E402


def main() -> None:
    """Run the worlds asked for and print the table."""
    given = asked("benchmarks.coverage", __doc__, FAMILIES, 20261115)
    rows = coverage(given.what, given.studies, given.seed, given.jobs, given.only)
    for line in table(rows):
        print(line)
    out = sum(row.out for row in rows)
    print(f"\n{out} of {len(rows)} cells outside of {ACCEPTED[0]:.0%}-{ACCEPTED[1]:.0%}, seed {given.seed}")


def table(rows: list[Row]) -> list[str]:
    """The table in Markdown."""
    head = [
        "| | family | world | answer | studies | refused | holds | +- | width | V/true | found |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    return head + [
        f"| {'!' if r.out else ''} | {r.family} | {r.world} | {r.answer} | {r.studies} | {r.refused} "
        f"| {r.inside:.3f} | {r.error:.3f} | {r.width:.3g} "
        f"| {told(r.ratio)} | {told(r.found)} |"
        for r in rows
    ]


def told(share: float) -> str:
    """A share, or nothing where a world does not tell it."""
    return "" if math.isnan(share) else f"{share:.2f}"


if __name__ == "__main__":
    main()
