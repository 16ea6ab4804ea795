"""python -m benchmarks.study [family ...]: coverage, V over true V and verdicts of the study in known worlds.

`python -m benchmarks.study plan` compares the widths that `next_steps` predicts with those that come;
`python -m benchmarks.study truth` works the true scores out anew.
"""

from __future__ import annotations

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):  # one core a process
    os.environ.setdefault(name, "1")

from benchmarks.coverage.run import asked, seen_in  # noqa: E402
from benchmarks.study.told import Cell  # noqa: E402

FAMILIES = ("alone", "pairs", "joined", "holes")


def main() -> None:
    """Run the worlds asked for and print the table."""
    given = asked("benchmarks.study", __doc__, FAMILIES, 20261117, "plan", "truth")
    if "truth" in given.what:
        from benchmarks.study.truth import write

        write()
        return
    if "plan" in given.what:
        from benchmarks.study.plan import tell

        tell(given.studies, given.seed, given.jobs, given.only)
        return
    seen = seen_in("benchmarks.study", given.what, given.studies, given.seed, given.jobs, given.only)
    cells = [Cell.of(*key, ones) for key, ones in seen.items()]
    for line in table(cells):
        print(line)
    low = sum(cell.low for cell in cells)
    print(f"\n{low} of {sum(not c.rival for c in cells)} cells below 93%, seed {given.seed}")


def table(cells: list[Cell]) -> list[str]:
    """The table in Markdown, as the worlds come."""
    head = [
        "| | world | answer | refused | covers | +- | V / true V | said better | said worse |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    return head + [
        f"| {'!' if c.low else ''} | {c.world} | {c.answer} | {c.refused / c.studies:.0%} "
        + ("| | | | | |" if c.refused >= c.studies - 1 else f"| {c.inside:.3f} | {c.error:.3f} | {c.ratio:.2f} ")
        + ("" if c.refused >= c.studies - 1 else f"| {c.better:.1%} | {c.worse:.1%} |" if c.decides else "| | |")
        for c in cells
    ]  # fmt: skip


if __name__ == "__main__":
    main()
