"""Unanimity on simulated assessors: the paper's grid of scales and numbers of assessors, on the user's runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from truegain.errors import DataWarning, TruegainError
from truegain.experiments.ratings_world import uniform_ratings
from truegain.experiments.unanimity_panels import MEASURES, unanimity
from truegain.inference.monte_carlo import Counting
from truegain.message import argname, by_surface
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.runs import Runs
from truegain.tables.table import Cell, Table

HIGHEST = (2, 4, 8)
ASSESSORS = (5, 10, 20, 40, 80)
LISTED = 30  # pairs that people are shown


@dataclass(frozen=True, eq=False)
class UnanimityGrid:
    """For every measure, Dmax and N: tau of the rankings by RawG and UG (table 2), and pairs that change (table 3)."""

    rankings: Table
    changed: Table

    def wide(self) -> Table:
        """Tau with its interval, a row a measure and Dmax, a column a number of assessors, as the paper prints it."""
        rows = self.rankings.records()
        sizes = list(dict.fromkeys(r["N"] for r in rows))
        cells: dict[tuple[Cell, Cell], dict[Cell, str]] = {}
        for r in rows:
            cells.setdefault((r["measure"], r["Dmax"]), {})[r["N"]] = _shown(r["tau"], r["low"], r["high"])
        table = [(m, d, *(said[n] for n in sizes)) for (m, d), said in cells.items()]
        columns = ("measure", "Dmax", *(f"N = {n}" for n in sizes))
        return Table(columns, table, self.rankings.made_by, self.rankings.title, self.rankings.notes)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tables()))

    def tables(self) -> list[Table]:
        """What a person sees: the agreement of the rankings, and the first pairs that changed places."""
        pairs, more = self.changed, len(self.changed.rows) - LISTED
        if more > 0:
            note = (
                f"{more:,} more of {len(pairs.rows):,} pairs: {by_surface('`changed`', '--changed --format csv')} has "
                "all"
            )
            pairs = Table(pairs.columns, pairs.rows[:LISTED], pairs.made_by, pairs.title, (note, *pairs.notes))
        return [self.wide(), pairs]


def unanimity_grid(
    runs: RunsLike,
    judgments: JudgmentsLike,
    *,
    highest: Sequence[int] = HIGHEST,
    assessors: Sequence[int] = ASSESSORS,
    p: float = 0.2,
    measures: Sequence[str] = MEASURES,
    replicates: int = 5000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int | None = None,
    counting: Counting = "plus-one",
    progress: Callable[[], None] = lambda: None,
) -> UnanimityGrid:
    """Simulate N assessors on scales from 0 to Dmax behind judgments, and tell what unanimity changes in every cell.

    A document whose label is not above 0 is rated 0 by all, another uniformly at random: nobody agrees but by chance,
    the worst case for unanimity.  Every cell is drawn from (seed, Dmax, N), so that it does not depend on the others,
    and is `unanimity` with one p, whose tests here take `replicates` trials and no more.

    Sakai 2017, EVIA, section 4 and tables 2 and 3.

    >>> from truegain.experiments.world import simulate
    >>> world = simulate(topics=10, systems=4, seed=1)
    >>> small = {"highest": [2], "assessors": [5, 20], "measures": ["nG@1"], "replicates": 100}
    >>> found = unanimity_grid(world.runs, world.gold, **small)
    >>> [(row["Dmax"], row["N"]) for row in found.rankings.records()]
    [(2, 5), (2, 20)]
    """
    for name, sizes in (("highest", highest), ("assessors", assessors)):
        if not sizes or min(sizes) < 1:
            raise TruegainError(
                f"{argname(name, ', '.join(map(str, sizes)) or 'nothing', '')}: give whole numbers of at least 1"
            )
    table, lists = Judgments.of(judgments), Runs.of(runs)
    rankings: list[tuple[Cell, ...]] = []
    changed: list[tuple[Cell, ...]] = []
    columns: tuple[str, ...] = ()
    for at, (d, n) in enumerate((d, n) for d in highest for n in assessors):
        drawn = uniform_ratings(table, assessors=n, highest=d, seed=cell_seed(seed, d, n))
        with warnings.catch_warnings():
            if at:
                warnings.simplefilter("ignore", DataWarning)  # the same runs on the same topics: told once
            found = unanimity(
                drawn, lists, scale=f"0:{d}", ps=[p], measures=measures, replicates=replicates, alpha=alpha, seed=seed,
                jobs=jobs, most_replicates=replicates, counting=counting,
            )  # fmt: skip
        rankings += [(m, d, n, *rest) for m, _, *rest in found.rankings.rows]
        changed += [(m, d, n, *rest) for m, _, *rest in found.changed.rows]
        columns = found.changed.columns
        progress()
    order = {m: i for i, m in enumerate(measures)}
    for rows in (rankings, changed):
        rows.sort(key=lambda row: order[str(row[0])])  # by measure; cells stay in order
    made_by = {
        "p": p,
        "replicates": replicates,
        "alpha": alpha,
        "seed": seed,
        "counting": counting,
        "measures": list(measures),
    }
    names = ("measure", "Dmax", "N", "systems", "topics", "tau", "low", "high", "top sets", "pairs", "changed")
    title = f"RawG against UG, p = {p:g}: ratings by N simulated assessors from 0 to Dmax"
    notes = (
        f"relevant documents are rated uniformly at random, others 0; randomised Tukey HSD, {replicates} trials, alpha "
        f"{alpha:g}; intervals of tau as of systems drawn",
    )
    pairs = ("measure", "Dmax", "N", *columns[2:])
    said = () if changed else ("no pair of systems changes sides",)
    return UnanimityGrid(
        Table(names, rankings, made_by, title, notes),
        Table(pairs, changed, made_by, "Pairs significant by one gain only", said),
    )


def cell_seed(seed: int, highest: int, assessors: int) -> int:
    """The seed of a cell."""
    return int(np.random.SeedSequence([seed, highest, assessors]).generate_state(1)[0])


def _shown(*numbers: Cell) -> str:
    tau, low, high = (None if v is None else f"{v:.3f}" for v in numbers)
    return "-" if tau is None else tau if low is None else f"{tau} [{low}, {high}]"
