"""Every table of Sakai 2017, of a user's runs, and figures of what they show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from truegain.aggregation.aggregate import aggregate
from truegain.experiments.unanimity_gains import Panel, UnanimityGrid
from truegain.report.charts import BAD, COLORS, SOFT, altair, check_some, data_of, dressed
from truegain.report.paper_folder import Entry, Exhibit, exhibits_of
from truegain.results.base import Table
from truegain.results.table import Cell

SIDE = 300  # pixels of a panel
APART, ROOM = 12, 22  # pixels from name to name, and from the panel to the names
NAMED_IN_TOP_SETS = 12  # systems with their names; of more, those in one top set, then those whose rank moves most
TOP_SETS = {(True, True): "both", (True, False): "RawG only", (False, True): "UG only", (False, False): "neither"}
NOT_TESTED = "not tested"  # not the best run of its team


def unanimity_chart(panels: Sequence[Panel], title: str = "Systems by RawG and by UG") -> Any:
    """Mean scores by UG against those by RawG, a row a measure and a column a p; top sets in color, names beside.

    Sakai 2017, EVIA, compares the two by tau and by top sets.

    >>> panel = Panel("nG@1", 0.2, ["a", "b"], [0.5, 0.4], [0.6, 0.7], ["a"], ["b"], -1.0)
    >>> chart = unanimity_chart([panel]).to_dict()
    >>> chart["vconcat"][0]["hconcat"][0]["title"]["subtitle"]
    'tau -1.000; top sets share 0 of 2'
    """
    alt = altair()
    check_some(panels, "systems")
    measures = dict.fromkeys(panel.measure for panel in panels)
    rows = [alt.hconcat(*(_drawn(panel) for panel in panels if panel.measure == measure)) for measure in measures]
    return dressed(alt.vconcat(*rows), title)


def _drawn(panel: Panel) -> Any:
    alt = altair()
    rows = _rows(panel)
    x = alt.X("raw:Q", title=f"mean {panel.measure} by RawG", scale=_scale(panel.raw), axis=alt.Axis(tickCount=5))
    y = alt.Y("aware:Q", title=f"mean {panel.measure} by UG", scale=_scale(panel.aware), axis=alt.Axis(tickCount=5))
    names = [*TOP_SETS.values(), *([NOT_TESTED] if any(row["top"] == NOT_TESTED for row in rows) else [])]
    colors = [BAD, "#d1812b", "#7a5195", SOFT, "#d9d9d9"]
    color = alt.Color("top:N", sort=names, title="in the top set of",
                       scale=alt.Scale(domain=names, range=colors[: len(names)]))  # fmt: skip
    points = alt.Chart(data_of(rows)).mark_point(filled=True, size=60, opacity=0.9).encode(
        x=x, y=y, color=color, tooltip=["system:N", "raw:Q", "aware:Q", "top:N"])  # fmt: skip
    named = alt.Chart(data_of([row for row in rows if row["named"]]))
    leaders = named.mark_rule(color="#aaa", strokeWidth=0.6).encode(x="raw:Q", y="aware:Q", x2="to_x:Q", y2="to_y:Q")
    words = named.mark_text(align="left", baseline="middle", dx=2, fontSize=10, color="#333").encode(
        x="to_x:Q", y="to_y:Q", text="system:N"
    )
    either = len(set(panel.top_raw) | set(panel.top_aware))
    shared = len(set(panel.top_raw) & set(panel.top_aware))
    tau = "tau undefined" if panel.tau is None else f"tau {panel.tau:z.3f}"
    about = f"{tau}; top sets share {shared} of {either}"
    return alt.layer(leaders, points, words).properties(
        width=SIDE, height=SIDE,
        title=alt.TitleParams(f"{panel.measure}, p = {panel.p:g}", subtitle=about, anchor="start"))  # fmt: skip


def _rows(panel: Panel) -> list[dict[str, Any]]:
    """Every system's point, and where its name goes: in a column to the right, in the order of UG, none on another."""
    rows: list[dict[str, Any]] = [
        {"system": s, "raw": float(a), "aware": float(b), "top": _top(panel, s)}
        for s, a, b in zip(panel.systems, panel.raw, panel.aware, strict=True)
    ]
    (left, right), (low, high) = _domain(panel.raw), _domain(panel.aware)
    chosen = _chosen(panel)
    named = sorted((row for row in rows if row["system"] in chosen), key=lambda r: (-r["aware"], -r["raw"]))
    height = SIDE + APART
    for at, row in enumerate(named):
        own_height = SIDE * (row["aware"] - low) / (high - low)
        height = max(min(own_height, height - APART), APART * (len(named) - 1 - at))
        row["to_x"] = right + ROOM * (right - left) / SIDE
        row["to_y"] = low + height * (high - low) / SIDE
    for row in rows:
        row["named"] = row["system"] in chosen
    return rows


def _top(panel: Panel, system: str) -> str:
    """Which top sets a system is in."""
    if panel.tested and system not in panel.tested:
        return NOT_TESTED
    return TOP_SETS[system in panel.top_raw, system in panel.top_aware]


def _chosen(panel: Panel) -> set[str]:
    """The systems to name: all of a few, else those in one top set only, then those whose rank moves most."""
    if len(panel.systems) <= NAMED_IN_TOP_SETS:
        return set(panel.systems)
    ranks = []
    for values in (panel.raw, panel.aware):
        order = sorted(range(len(values)), key=lambda i: -values[i])
        ranks.append({i: rank for rank, i in enumerate(order)})
    moved = sorted(
        range(len(panel.systems)),
        key=lambda i: (
            (panel.systems[i] in panel.top_raw) == (panel.systems[i] in panel.top_aware),
            -abs(ranks[0][i] - ranks[1][i]),
            ranks[0][i],
        ),
    )
    return {panel.systems[i] for i in moved[:NAMED_IN_TOP_SETS]}


def _domain(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    room = 0.06 * (high - low) or 0.05
    return low - room, high + room


def _scale(values: Sequence[float]) -> Any:
    return altair().Scale(domain=list(_domain(values)), nice=False, zero=False)


def grid_chart(table: Table, title: str = "") -> Any:
    """Tau of the two rankings over the number of simulated assessors, a line a scale and a panel a measure.

    >>> columns = ("measure", "Dmax", "N", "tau")
    >>> chart = grid_chart(Table(columns, [("nG@1", 2, 5, 0.98), ("nG@1", 2, 10, 1.0)]))
    >>> chart.to_dict()["hconcat"][0]["title"]
    'nG@1'
    """
    alt = altair()
    records = [r for r in table.records() if r["tau"] is not None]
    check_some(records, "cells whose rankings have a tau")
    scales = [str(d) for d in dict.fromkeys(r["Dmax"] for r in records)]
    low = min(float(str(r["tau"])) for r in records)
    colors = alt.Scale(domain=scales, range=COLORS[: len(scales)])
    color = alt.Color("Dmax:N", sort=scales, title="Dmax", scale=colors)
    panels = []
    for measure in dict.fromkeys(str(r["measure"]) for r in records):
        rows = [{"N": r["N"], "Dmax": str(r["Dmax"]), "tau": r["tau"]} for r in records if r["measure"] == measure]
        y = alt.Y("tau:Q", title="Kendall's tau", scale=alt.Scale(domain=[low - 0.02, 1.0], nice=False, clamp=True))
        ticks = alt.Axis(values=sorted({int(str(r["N"])) for r in rows}))
        x = alt.X("N:Q", title="assessors", scale=alt.Scale(type="log"), axis=ticks)
        line = alt.Chart(data_of(rows)).mark_line(point=True).encode(x=x, y=y, color=color,
                                                                     tooltip=["Dmax:N", "N:Q", "tau:Q"])  # fmt: skip
        panels.append(line.properties(width=220, height=180, title=measure))
    return dressed(alt.hconcat(*panels), title or table.title)


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
