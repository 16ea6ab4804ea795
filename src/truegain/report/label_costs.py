"""What labels cost against the difference they find: a curve, and bars for the terminal."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from truegain.inference.labels.plan import plan_labels
from truegain.inference.labels.report import LabelReport
from truegain.report.style import BAD, COLOURS, INK, altair, data_of, dressed
from truegain.tables.table import Table

POINTS = 60
EIGHTHS = " ▏▎▍▌▋▊▉█"
WIDTH = 16
KINDS = ("all labels", "bronze labels", "gold labels")


def cost_chart(report: LabelReport, title: str = "") -> Any:
    """Cost of the cheapest labels against the difference they find, in all and for bronze and gold; axes logarithmic.

    Marked are the difference wanted, with its cost, and the differences that the labels at hand find for nothing.
    """
    alt = altair()
    low, high = _differences_shown(report)
    x = alt.X("difference:Q", title="true difference to be found",
              scale=alt.Scale(type="log", domain=[low, high], nice=False),
              axis=alt.Axis(values=_ticks(low, high), format="~g"))  # fmt: skip
    rows = _curve(report, low, high)
    costs = [r["cost"] for r in rows]
    domain = [10 ** math.floor(math.log10(min(costs))), 10 ** math.ceil(math.log10(max(costs)))] if rows else [0.1, 1]
    y = alt.Y("cost:Q", title="cost of new labels", scale=alt.Scale(type="log", domain=domain, nice=False),
              axis=alt.Axis(format=",.2~f", values=_tens(domain)))  # fmt: skip
    colour = alt.Color("labels:N", sort=None, title=None,
                       scale=alt.Scale(domain=list(KINDS), range=[INK, COLOURS[1], COLOURS[6]]))  # fmt: skip
    whole = "datum.labels == 'all labels'"
    lines = alt.Chart(data_of(rows)).mark_line().encode(
        x=x, y=y, color=colour, strokeWidth=alt.condition(whole, alt.value(7), alt.value(2)),
        opacity=alt.condition(whole, alt.value(0.35), alt.value(1.0)),
        tooltip=["labels:N", alt.Tooltip("difference:Q", format=".4f"), alt.Tooltip("cost:Q", format=",.2f")],
    )  # fmt: skip
    free = _free(report, low, high, domain)
    chart = alt.layer(
        *free, lines, *_wanted(report, domain, to_left=report.plan.difference > math.sqrt(low * high))
    ).properties(width=540, height=330)
    p = report.plan
    parts = f"{p.bronze_cost:,.2f} for bronze and {p.gold_cost:,.2f} for gold labels" if p.cost else "nothing to buy"
    about = f"{report.power:.0%} power at {report.confidence:.0%} confidence; for {p.difference:.4g}: {parts}"
    return dressed(chart, title or "Cost of labels against the difference they find", about)


def with_bars(table: Table) -> Table:
    """The table of a plan with a bar for each cost, on a logarithmic scale, for the terminal.

    >>> print(with_bars(Table(("difference", "cost"), [(0.01, 300.0), (0.1, 3.0), (0.2, 0.0)])))
    difference      cost  cost, log scale
        0.0100  300.0000  ████████████████
        0.1000    3.0000  ▎
        0.2000    0.0000
    """
    at = table.columns.index("cost")
    costs = [float(row[at] or 0.0) for row in table.rows]
    above = [c for c in costs if c > 0]
    if not above:
        return table
    low, high = math.log(min(above)), math.log(max(above))

    def bar(cost: float) -> str:
        if cost <= 0:
            return ""
        share = 1.0 if high == low else (math.log(cost) - low) / (high - low)
        eighths = max(2, round(8 * WIDTH * share))
        return ("█" * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()

    rows = [(*row, bar(cost)) for row, cost in zip(table.rows, costs, strict=True)]
    return replace(table, columns=(*table.columns, "cost, log scale"), rows=rows)


def _differences_shown(report: LabelReport) -> tuple[float, float]:
    """The differences shown: those of the table, and some of what costs nothing."""
    listed = [float(r["difference"]) for r in report.table.records()]  # type: ignore[arg-type]
    return min(listed), min(max([*listed, 2.2 * (report.found_already or 0.0)]), report.largest)


def _curve(report: LabelReport, low: float, high: float) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    end = high if report.found_already is None else min(high, report.found_already * (1 - 1e-6))
    for d in np.geomspace(low, max(end, low * 1.0001), POINTS):
        plan = plan_labels(report.prospect, float(d), confidence=report.confidence, power=report.power)
        costs = zip(KINDS, (plan.cost, plan.bronze_cost, plan.gold_cost), strict=True)
        rows += [{"difference": float(d), "labels": kind, "cost": cost} for kind, cost in costs if cost > 0]
    return rows


def _free(report: LabelReport, low: float, high: float, domain: list[float]) -> list[Any]:
    """The differences that need no new label."""
    alt = altair()
    begin = report.found_already
    if begin is None or begin >= high:
        return []
    begin = max(begin, low)
    row = {
        "difference": begin, "end": high, "bottom": domain[0], "top": domain[1],
        "middle": math.sqrt(domain[0] * domain[1]),
        "text": ["found with the", "labels there are:", f"{begin:.3g} or more"],
    }  # fmt: skip
    base = alt.Chart(data_of([row]))
    return [
        base.mark_rect(color="#eef3ea").encode(x="difference:Q", x2="end:Q", y="bottom:Q", y2="top:Q"),
        base.mark_text(color="#4f6b3a", fontSize=11, align="left", dx=6).encode(
            x="difference:Q", y="middle:Q", text="text:N"
        ),
    ]


def _wanted(report: LabelReport, domain: list[float], *, to_left: bool) -> list[Any]:
    """The difference wanted, and its cost; the words on the side where there is room."""
    alt = altair()
    p = report.plan
    said = f"wanted: {p.difference:.3g}" + (f", cost {p.cost:,.2f}" if p.cost else ", no cost")
    row = {"difference": p.difference, "cost": p.cost or domain[0], "text": said, "top": domain[1]}
    spot = alt.Chart(data_of([row])).encode(x="difference:Q")
    rule = spot.mark_rule(color=BAD, strokeDash=[5, 4])
    side: dict[str, Any] = {"align": "right", "dx": -5} if to_left else {"align": "left", "dx": 5}
    text = spot.mark_text(color=BAD, dy=8, fontSize=11, **side).encode(y="top:Q", text="text:N")
    point = spot.mark_point(filled=True, color=BAD, size=60, opacity=1).encode(y="cost:Q")
    return [rule, text, *([point] if p.cost else [])]


def _tens(domain: list[float]) -> list[float]:
    begin, end = (round(math.log10(limit)) for limit in domain)
    return [10.0**e for e in range(begin, end + 1)]


def _ticks(low: float, high: float) -> list[float]:
    tens = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [m * 10.0**e for e in tens for m in (1, 2, 3, 5, 7)]
    return [float(f"{t:.6g}") for t in ticks if low * 0.999 <= t <= high * 1.001]
