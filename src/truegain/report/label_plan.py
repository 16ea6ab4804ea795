"""How sure gold labels make: curves."""

from __future__ import annotations

from typing import Any

from truegain.inference.results import Plan
from truegain.report.style import BAD, COLOURS, INK, altair, check_some, data_of, dressed
from truegain.tables.table import Table


def label_chart(plan: Plan) -> Any:
    """Half the width of the interval against the number of gold labels; the difference worth finding is marked."""
    alt = altair()
    unit = plan.details.columns[0]
    rows = [{"labels": row[unit], "half": row[plan.details.columns[1]]} for row in plan.details.records()]
    check_some(rows, "numbers of labels")
    x = alt.X("labels:Q", title=unit, scale=alt.Scale(type="sqrt"))
    y = alt.Y("half:Q", title="half width of the interval", scale=alt.Scale(type="sqrt"))
    curve = alt.Chart(data_of(rows)).mark_line(color=INK, point=True).encode(
        x=x, y=y, tooltip=[alt.Tooltip("labels:Q", format=","), alt.Tooltip("half:Q", format=".4f")]
    )  # fmt: skip
    layers = [curve]
    if (aim := plan.details.made_by.get("aimed_half_width")) is not None:
        layers.append(alt.Chart(data_of([{"half": aim}])).mark_rule(color=BAD, strokeDash=[5, 4]).encode(y="half:Q"))
    chart = alt.layer(*layers).properties(width=540, height=330)
    return dressed(chart, "How sure gold labels make", plan.aim)


def spending_chart(table: Table) -> Any:
    """The share of right verdicts against the number of gold labels, a line a way of drawing them."""
    alt = altair()
    rows = [{"labels": r["gold labels"], "way": r["drawn from"], "right": r["right"]} for r in table.records()]
    ways = list(dict.fromkeys(r["way"] for r in rows))
    colour = alt.Color("way:N", sort=ways, title=None, scale=alt.Scale(domain=ways, range=COLOURS[: len(ways)]))
    line = alt.Chart(data_of(rows)).mark_line(point=True).encode(
        x=alt.X("labels:Q", title="gold labels"), y=alt.Y("right:Q", title="pairs decided rightly",
        axis=alt.Axis(format="%")), color=colour, tooltip=["way:N", "labels:Q", alt.Tooltip("right:Q", format=".0%")],
    )  # fmt: skip
    return dressed(line.properties(width=460, height=300), "Which gold labels to buy", table.title)
