"""Every table and figure of Hui, Berberich and Mele 2017, of a user's collections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from truegain.experiments.disjoint_collections import Disjoint, beside
from truegain.experiments.incomplete_collections import Incomplete, together
from truegain.report.content_figures import impact_chart, incomplete_chart, ranks_chart
from truegain.report.paper_folder import Entry, Exhibit, exhibits_of
from truegain.results.base import Table

EXHIBITS = (
    Entry("figure-1", "Figure 1", "incomplete", "Tau with the ranking of the systems by all judgments, where only a "
          "share of the judgments is kept: by labels and by text."),
    Entry("table-1", "Table 1", "reuse", "Tau of rankings on the documents of B: by the judgments of B, and by the "
          "text of relevant documents of A."),
    Entry("table-2", "Table 2", "impact", "Tau by the judgments that rank and by the documents that are ranked."),
    Entry("table-3", "Table 3", "among", "Tau among measures that use labels. The paper's means: .93, .88, .87."),
    Entry("table-4-figure-2", "Table 4 and figure 2", "against", "Tau of measures that use labels with those that use "
          "text, and the ranks of the systems by both."),
)  # fmt: skip
DisjointShow = Literal["reuse", "impact", "among", "against"]


@dataclass(frozen=True, eq=False)
class ContentPaper:
    """What the tables and figures are made of, and the making of each by its name.

    Parameters
    ----------
    parts : sequence of Disjoint
        One for each collection, as `disjoint` gives it.
    removed : callable, optional
        Rankings with some of the judgments, as `incomplete_rankings` gives them; they take the longest.

    Examples
    --------
    >>> [exhibit.heading for exhibit in ContentPaper([], list).exhibits()][-1]
    'Table 4 and figure 2'
    """

    parts: Sequence[Disjoint]
    removed: Callable[[], Sequence[Incomplete]] = list

    def table(self, show: DisjointShow) -> Table:
        """The table of a name."""
        return beside({one.collection: getattr(one, show)() for one in self.parts}, mean=show == "among")

    def chart(self, show: DisjointShow) -> Any:
        """The figure that belongs to a table."""
        if show == "impact":
            return impact_chart(self.table(show))
        split = ", first split" if any(len(one.draws) > 1 for one in self.parts) else ""
        reused = f"Ranks on the documents of B: by labels of B, and by relevant documents of A{split}"
        title = reused if show == "reuse" else "Ranks of the systems by two measures"
        return ranks_chart([panel for one in self.parts for panel in one.ranks(show)], title)

    def exhibits(self, command: str = "", incomplete: str = "") -> list[Exhibit]:
        """Every table and figure of the paper, in its order.

        `command` is how a command line of `experiment disjoint` begins, `incomplete` that of figure 1.
        """
        shows: tuple[DisjointShow, ...] = ("reuse", "impact", "among", "against")
        tables: dict[str, Callable[[], Table]] = {show: partial(self.table, show) for show in shows}
        tables["incomplete"] = lambda: together(self.removed())
        charts: dict[str, Callable[[], Any]] = {
            "figure-1": lambda: incomplete_chart(self.removed()),
            "table-2": partial(self.chart, "impact"),
            "table-4-figure-2": partial(self.chart, "against"),
        }
        begin = f"{command} --show" if command else ""
        return exhibits_of(
            EXHIBITS,
            tables,
            charts,
            lambda one: incomplete if one.show == "incomplete" else f"{begin} {one.show}" if begin else "",
        )
