"""Every table and figure of Hui, Berberich and Mele 2017, of a user's collections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from truegain.experiments.disjoint_collections import Disjoint, RankPanel, beside
from truegain.experiments.incomplete_collections import CONDENSED, PREDICTED, RAW, Incomplete, together
from truegain.report.charts import COLORS, INK, SOFT, altair, check_some, curves_chart, data_of, dressed
from truegain.report.paper_folder import Entry, Exhibit, exhibits_of
from truegain.results.base import Table

ENOUGH = 0.8  # the tau that the paper asks for
SIDE = 170  # pixels of a panel
GAP = 0.03  # room above a tau of 1


def incomplete_chart(results: Sequence[Incomplete]) -> Any:
    """Figure 1: tau over the share of judgments kept, a row a ranking by all judgments and a column a collection.

    Labels are dashed, text is solid, as in Hui, Berberich and Mele 2017; a thin line is at 0.8, which they ask for.

    >>> import numpy as np
    >>> one = Incomplete("NRBP", ("raw", "AbsRB@20"), (5.0, 50.0), np.full((2, 2, 3), 0.7), 4, 8, {1.0: 0.2})
    >>> two = Incomplete("AP", ("raw", "AbsRB@20"), (5.0, 50.0), np.full((2, 2, 3), 0.7), 4, 8, {1.0: 0.2})
    >>> [row["hconcat"][0]["title"]["text"] for row in incomplete_chart([one, two]).to_dict()["vconcat"]]
    ['NRBP', 'AP']
    """
    alt = altair()
    check_some(results, "rankings")
    if len(results) == 1:
        (only,) = results
        return curves_chart(only.table(), f"Order of the systems by {only.against} on all judgments")
    ways = list(dict.fromkeys(way for one in results for way in one.ways))
    low = min(float(str(r["low"])) for one in results for r in one.table().records())
    least = max(-1.0, min(0.0, low))
    rows = [
        alt.hconcat(*(_curves(one, ways, least) for one in results if one.against == against))
        for against in dict.fromkeys(one.against for one in results)
    ]
    about = f"mean of the draws and their middle 95%; dashed: by labels, solid: by text; thin line: tau {ENOUGH:g}"
    return dressed(alt.vconcat(*rows), "Tau with the order of the systems by each measure on all judgments", about)


def _curves(one: Incomplete, ways: Sequence[str], least: float) -> Any:
    alt = altair()
    rows = [
        {"keep": r["keep %"], "way": r["way"], "tau": r["tau"], "low": r["low"], "high": r["high"]}
        for r in one.table().records()
    ]
    legend = alt.Legend(symbolOpacity=1, symbolStrokeWidth=0)  # else as pale as the bands
    color = alt.Color("way:N", sort=ways, title=None, legend=legend,
                      scale=alt.Scale(domain=ways, range=COLORS[: len(ways)]))  # fmt: skip
    dashes = [[5, 3] if way in (RAW, CONDENSED, PREDICTED) else [1, 0] for way in ways]
    dash = alt.StrokeDash("way:N", sort=ways, legend=None, scale=alt.Scale(domain=ways, range=dashes))
    scale = alt.Scale(domain=[least, 1 + GAP], nice=False)
    x = alt.X("keep:Q", title="judgments kept, %", scale=alt.Scale(domain=[0, 100]))
    base = alt.Chart(data_of(rows)).encode(x=x, color=color)
    band = base.mark_area(opacity=0.1).encode(y=alt.Y("low:Q", title="Kendall's tau", scale=scale), y2="high:Q")
    line = base.mark_line(point=alt.OverlayMarkDef(size=18)).encode(
        y=alt.Y("tau:Q", scale=scale), strokeDash=dash, tooltip=["way:N", "keep:Q", "tau:Q", "low:Q", "high:Q"]
    )
    enough = alt.Chart(data_of([{"tau": ENOUGH}])).mark_rule(color="#999", strokeWidth=0.7).encode(y="tau:Q")
    name = f"{one.against}, {one.collection}" if one.collection else one.against
    heading = alt.TitleParams(name, anchor="start", fontSize=12)
    return alt.layer(band, enough, line).properties(width=260, height=190, title=heading)


def ranks_chart(panels: Sequence[RankPanel], title: str = "Ranks of the systems by two measures") -> Any:
    """Figure 2: the rank of every system by one measure against that by another, a row a measure; equal on the line.

    Systems of several collections have their own colors.  Hui, Berberich and Mele 2017, figure 2.

    >>> panel = RankPanel("ERR_IA@20", "AbsRB@20", ["a", "b", "c"], [1, 2, 3], [1, 3, 2], 0.333)
    >>> ranks_chart([panel]).to_dict()["vconcat"][0]["hconcat"][0]["title"]["subtitle"]
    'tau 0.33'
    """
    alt = altair()
    check_some(panels, "rankings")
    collections = list(dict.fromkeys(panel.collection for panel in panels))
    most = max(max(panel.ranks) for panel in panels)
    most = max(most, *(max(panel.other_ranks) for panel in panels))
    rows = []
    for measure in dict.fromkeys(panel.measure for panel in panels):
        mine = [panel for panel in panels if panel.measure == measure]
        others = dict.fromkeys(panel.other for panel in mine)
        row = [_ranks([p for p in mine if p.other == other], collections, most) for other in others]
        rows.append(alt.hconcat(*row))
    return dressed(alt.vconcat(*rows), title, "1 is the best; on the line both give a system the same rank")


def _ranks(panels: Sequence[RankPanel], collections: Sequence[str], most: int) -> Any:
    alt = altair()
    rows = [
        {"system": system, "x": x, "y": y, "collection": panel.collection}
        for panel in panels
        for system, x, y in zip(panel.systems, panel.ranks, panel.other_ranks, strict=True)
    ]
    scale = alt.Scale(domain=[0, most + 1], nice=False)
    ticks = alt.Axis(tickMinStep=1, format="d", tickCount=5)
    x = alt.X("x:Q", title=f"rank by {panels[0].measure}", scale=scale, axis=ticks)
    y = alt.Y("y:Q", title=f"rank by {panels[0].other}", scale=scale, axis=ticks)
    several = len(collections) > 1
    colors = alt.Scale(domain=list(collections), range=COLORS[: len(collections)])
    color = alt.Color("collection:N", sort=list(collections), title=None, scale=colors) if several else alt.value(INK)
    shown = ["system:N", "x:Q", "y:Q", *(["collection:N"] if several else [])]
    points = alt.Chart(data_of(rows)).mark_point(filled=True, size=26, opacity=0.8)
    ends = [{"x": 0, "y": 0}, {"x": most + 1, "y": most + 1}]
    same = alt.Chart(data_of(ends)).mark_line(color=SOFT, strokeWidth=1).encode(x=x, y=y)
    taus = ["none" if p.tau is None else f"{p.tau:z.2f}" for p in panels]
    named = [f"{p.collection} {tau}" if several else tau for p, tau in zip(panels, taus, strict=True)]
    heading = alt.TitleParams(panels[0].other, subtitle=f"tau {', '.join(named)}", anchor="start", fontSize=12)
    return alt.layer(same, points.encode(x=x, y=y, color=color, tooltip=shown)).properties(
        width=SIDE, height=SIDE, title=heading
    )


def impact_chart(table: Table) -> Any:
    """Table 2 as a picture: tau by where the judgments come from (of X) and what is scored (on Y), a row two measures.

    >>> table = Table(("measure", "content measure", "all on all", "A on B"), [("NRBP", "AbsRB@20", 0.8, None)])
    >>> [row["judgments"] for row in impact_chart(table).to_dict()["data"]["values"]]
    ['all on all']
    """
    alt = altair()
    words = [c for c in ("collection", "measure", "content measure") if c in table.columns]
    rows = [
        {"pair": ", ".join(str(record[c]) for c in words), "judgments": c, "tau": record[c]}
        for record in _by_judgments(table)
        for c in record
        if c not in words and record[c] is not None
    ]
    check_some(rows, "taus")
    base = alt.Chart(data_of(rows)).encode(
        x=alt.X("judgments:N", sort=None, title="judgments of X on documents of Y", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("pair:N", sort=None, title=None, axis=alt.Axis(labelLimit=320)),
        tooltip=["pair:N", "judgments:N", "tau:Q"],
    )
    scale = alt.Scale(domain=[-1, 0, 1], range=["#b5442e", "#f4f4f4", INK])
    boxes = base.mark_rect().encode(color=alt.Color("tau:Q", legend=None, scale=scale))
    inside = alt.condition("datum.tau > 0.5 || datum.tau < -0.7", alt.value("white"), alt.value("#333"))
    marks = base.mark_text().encode(text=alt.Text("tau:Q", format=".2f"), color=inside)
    chart = alt.layer(boxes, marks).properties(width={"step": 64}, height={"step": 24})
    return dressed(chart, table.title)


def _by_judgments(table: Table) -> list[dict[str, Any]]:
    """One record a pair of measures, a key a source of judgments; of several draws their mean tau."""
    if "judgments" not in table.columns:
        return [dict(record) for record in table.records()]
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    words = [c for c in ("collection", "measure", "content measure") if c in table.columns]
    for record in table.records():
        row = rows.setdefault(tuple(record[c] for c in words), {c: record[c] for c in words})
        row[str(record["judgments"])] = record["tau"]
    return list(rows.values())


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
