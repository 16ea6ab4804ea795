"""Every table of Sakai 2017, of a user's runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from truegain.aggregation.aggregate import aggregate
from truegain.experiments.unanimity_gains import UnanimityGrid
from truegain.report.paper_folder import Entry, Exhibit, exhibits_of
from truegain.report.unanimity_figures import grid_chart
from truegain.results.base import Table
from truegain.results.table import Cell

ITEMS = ("22222", "11233", "02233", "11111", "00003", "00002", "00001")  # of five assessors, from 0 to 3
GAINS = {"RawG": "sum", "WG": "weighted", "UG p=0.2": "unanimity(p=0.2)", "UG p=0.1": "unanimity(p=0.1)"}
EXHIBITS = (
    Entry("table-1", "Table 1", "items", "Gains of the paper's seven items, which five assessors rate from 0 to 3: "
          "their sum RawG, the range D of the ratings, Sakai's WG and UG."),
    Entry("table-2", "Table 2", "wide", "Tau of the rankings by RawG and by UG, with Hollander and Wolfe's intervals, "
          "by the number N of simulated assessors and the highest rating Dmax."),
    Entry("table-2-numbers", "Table 2, each cell", "rankings", "The same, a row a cell: Wilson's intervals too, "
          "overlap of top sets, and how many pairs of systems change sides."),
    Entry("table-3", "Table 3", "changed", "Pairs of systems that differ significantly by one gain only, by the "
          "randomized Tukey HSD test."),
)  # fmt: skip
OPTIONS: Mapping[str, str] = {"wide": "", "rankings": " --format csv", "changed": " --changed --format csv"}


def items_table() -> Table:
    """Table 1 of the paper: seven items, and the gains of each.

    >>> items_table().rows[4]
    ('item-5', '0 0 0 0 3', 3.0, 3, 0.0, 3.0, 3.0)
    """
    items = {f"item-{i}": ratings for i, ratings in enumerate(ITEMS, 1)}
    by_assessor = {who: {"1": {item: int(r[n]) for item, r in items.items()}} for n, who in enumerate("abcde")}
    gains: dict[str, dict[str, float]] = {}
    for name, rule in GAINS.items():
        labels = aggregate(by_assessor, rule, scale="0:3")
        gains[name] = dict(zip(labels.docs.strings(), labels.label.tolist(), strict=True))
    raw, *others = gains.values()
    rows: list[tuple[Cell, ...]] = [
        (item, " ".join(r), raw[item], int(max(r)) - int(min(r)), *(gain[item] for gain in others))
        for item, r in items.items()
    ]
    return Table(("item", "ratings", "RawG", "D", *list(GAINS)[1:]), rows, {"scale": "0:3"}, "Gains of seven items")


def unanimity_exhibits(grid: UnanimityGrid, command: str = "") -> list[Exhibit]:
    """Every table of the paper, in its order.

    Parameters
    ----------
    grid : UnanimityGrid
        What `unanimity_grid` found.
    command : str, optional
        How a command line begins, to tell how each table of the grid is made alone.

    Returns
    -------
    list of Exhibit
        Table 1 is of the paper's own items, the others are of the grid.

    Examples
    --------
    >>> from truegain.experiments.unanimity_gains import unanimity_grid
    >>> from truegain.experiments.worlds import simulate
    >>> world = simulate(topics=10, systems=4, seed=1)
    >>> small = {"highest": [2], "assessors": [5], "measures": ["nG@1"], "replicates": 100}
    >>> grid = unanimity_grid(world.runs, world.gold, **small)
    >>> [exhibit.name for exhibit in unanimity_exhibits(grid)]
    ['table-1', 'table-2', 'table-2-numbers', 'table-3']
    """
    tables: dict[str, Callable[[], Table]] = {
        "items": items_table,
        "wide": grid.wide,
        "rankings": lambda: grid.rankings,
        "changed": lambda: grid.changed,
    }
    charts: dict[str, Callable[[], Any]] = {"table-2": partial(grid_chart, grid.rankings)}
    return exhibits_of(
        EXHIBITS, tables, charts, lambda one: command + OPTIONS[one.show] if command and one.show in OPTIONS else ""
    )
