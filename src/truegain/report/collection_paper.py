"""Every table and figure of Cormack and Lynam 2006, of a user's runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from truegain.experiments.halves import ENOUGH, SplitHalf
from truegain.report.collection_figures import halves_chart, interval_units_chart
from truegain.report.figures import intervals_chart
from truegain.report.paper_folder import Entry, Exhibit, exhibits_of
from truegain.results.base import Table
from truegain.stats.results import Estimate, ResultList

SMALL_R = (("linear", True), ("logit", True))
EXHIBITS = (
    Entry("table-1-figure-1", "Table 1 and figure 1", "pilot", "AP on half B below, inside and above the intervals "
          "from half A, of all topics and of those with many relevant documents (R > 5 in the paper); the figure has "
          "the differences by BCa, the interval from -1 to 1. The paper, logit: 11.1, 76.5 and 12.5%."),
    Entry("table-2-figure-2", "Table 2 and figure 2", "small-r", "The same with small-R intervals, in both directions. "
          "The paper, logit: 83.6 and 82.7% inside."),
    Entry("table-3-4", "Tables 3 and 4", "means", "MAP and L-MAP on the other half, by bootstrap (table 3) and "
          "parametric (table 4) intervals. The paper: MAP 68.9 and 78.3% inside, L-MAP 83.7 and 74.3%."),
    Entry("figure-3", "Figure 3", "systems", "MAP and L-MAP of each system on half A with intervals, and on half B."),
    Entry("figure-4", "Figure 4", "whole", "MAP and L-MAP of each system on the whole collection. The paper: intervals "
          "about 0.05 wide."),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class CollectionPaper:
    """What the tables and figures are made of, and the making of each by its name.

    Parameters
    ----------
    halves : callable
        The halves of the collection, as `split_half` gives them.
    whole : callable
        The estimates on the whole collection, as `whole_collection` gives them.
    more_than : int, default 5
        Topics with more relevant documents than this are also counted alone.

    Examples
    --------
    >>> from functools import cache
    >>> from truegain.experiments import simulate, split_half, whole_collection
    >>> world = simulate(topics=12, systems=3, docs=200, depth=100, pool_depth=40, seed=1)
    >>> halves = cache(lambda: split_half(world.runs, world.gold, replicates=200))
    >>> whole = cache(lambda: whole_collection(world.runs, world.gold, replicates=200))
    >>> [exhibit.heading for exhibit in CollectionPaper(halves, whole).exhibits()][2:]
    ['Tables 3 and 4', 'Figure 3', 'Figure 4']
    """

    halves: Callable[[], SplitHalf]
    whole: Callable[[], ResultList[Estimate]]
    more_than: int = ENOUGH

    def table(self, show: str) -> Table:
        """The table of a name."""
        if show == "whole":
            return self.whole().table()
        halves = self.halves()
        tables: dict[str, Callable[[], Table]] = {
            "lists": partial(halves.table, self.more_than),
            "pilot": partial(halves.pilot, self.more_than),
            "small-r": halves.small_r,
            "means": halves.means,
            "systems": halves.systems,
        }
        return tables[show]()

    def chart(self, show: str) -> Any:
        """The figure of the paper that belongs to a table: 1, 2, both, 3 or 4."""
        if show == "whole":
            return intervals_chart(self.whole(), "MAP and L-MAP, whole collection")
        halves = self.halves()
        if show in ("means", "systems"):
            return halves_chart(halves.systems())
        methods = {"pilot": (("bca", False),), "small-r": SMALL_R}.get(show, (("bca", False), *SMALL_R))
        errors = {m + (" + small R" if small_r else ""): halves.in_interval_units(m, small_r) for m, small_r in methods}
        return interval_units_chart(errors, halves.halves[0].confidence)

    def exhibits(self, command: str = "") -> list[Exhibit]:
        """Every table and figure of the paper, in its order.

        `command` is how a command line begins, to tell how each exhibit is made alone.
        """
        tables = {one.show: partial(self.table, one.show) for one in EXHIBITS}
        charts = {one.name: partial(self.chart, one.show) for one in EXHIBITS if "figure" in one.name}
        return exhibits_of(EXHIBITS, tables, charts, lambda one: f"{command} --show {one.show}" if command else "")
