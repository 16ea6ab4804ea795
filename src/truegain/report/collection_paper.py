"""Every table and figure of Cormack and Lynam 2006, of a user's runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from truegain.experiments.halves import ENOUGH, SplitHalf
from truegain.report.charts import BAD, INK, altair, check_some, data_of, dressed
from truegain.report.figures import errors_chart, intervals_chart
from truegain.report.paper_folder import Entry, Exhibit, exhibits_of
from truegain.results.base import Table
from truegain.stats.results import Estimate, ResultList
from truegain.stats.student_t import quantile_of

if TYPE_CHECKING:
    import numpy.typing as npt

# ---- Figures 1 to 3 of Cormack and Lynam 2006, SIGIR.

AXIS = "other half minus this half; the interval reaches from -1 to 1"


def interval_units_chart(errors: Mapping[str, npt.ArrayLike], confidence: float = 0.95, title: str = "") -> Any:
    """Histograms of the differences of halves, by method, scaled such that intervals reach from -1 to 1.

    The curve is the model's, a normal one with standard deviation sqrt(2)/z.  Cormack and Lynam 2006, figures 1 and 2.

    >>> chart = interval_units_chart({"bca": [0.1, -0.4, 1.2, 0.3]})
    >>> chart.to_dict()["vconcat"][0]["title"]["subtitle"]
    '4 errors: below 0.0%, inside ±1 75.0%, above 25.0%'
    """
    spread = math.sqrt(2) / quantile_of(confidence)
    return errors_chart(errors, title or "AP of the two halves of the collection", spread, limit=1.0, axis=AXIS)


def halves_chart(table: Table, title: str = "") -> Any:
    """Each system's interval from half A with its mean there (x) and on half B (o), by measure.

    `table` is that of `SplitHalf.systems`.  Cormack and Lynam 2006, figure 3.

    >>> columns = ("system", "MAP A", "MAP low", "MAP high", "MAP B", "MAP inside")
    >>> chart = halves_chart(Table(columns, [("bm25", 0.25, 0.2, 0.3, 0.31, False)]))
    >>> chart.to_dict()["hconcat"][0]["title"]
    'MAP: 1 of 1 outside'
    """
    alt = altair()
    records = table.records()
    check_some(records, "systems")
    order = [str(r["system"]) for r in records]
    y = alt.Y("system:N", sort=order, title=None, axis=alt.Axis(labelLimit=220, labelFontSize=9))
    panels = []
    for measure in [c.removesuffix(" A") for c in table.columns if c.endswith(" A")]:
        rows = [
            {"system": r["system"], **{what: r[f"{measure} {what}"] for what in ("A", "low", "high", "B", "inside")}}
            for r in records
        ]
        outside = sum(not r["inside"] for r in rows)
        base = alt.Chart(data_of(rows)).encode(y=y, tooltip=["system:N", "A:Q", "low:Q", "high:Q", "B:Q"])
        bars = base.mark_rule(strokeWidth=1.5, color=INK, opacity=0.6).encode(
            x=alt.X("low:Q", title=f"{measure}: interval and x from A, o from B", scale=alt.Scale(zero=False)),
            x2="high:Q",
        )
        here = base.mark_point(shape="cross", angle=45, filled=True, size=28, color=INK).encode(x="A:Q")
        there = base.mark_point(shape="circle", size=26, strokeWidth=1.5).encode(
            x="B:Q", color=alt.condition("datum.inside", alt.value(INK), alt.value(BAD))
        )
        panels.append(
            alt.layer(bars, here, there).properties(
                width=330, height={"step": 11}, title=f"{measure}: {outside} of {len(rows)} outside"
            )
        )
    return dressed(alt.hconcat(*panels), title or "Intervals from half A of the collection, means from half B")


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
