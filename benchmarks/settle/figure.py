"""Labels until it is known against the true difference: `settle` and others."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.settle import tables
from truegain.report.charts import COLORS, altair, check_some, data_of, dressed

EDGES = np.array([0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1])
SHOWN = {tables.SETTLE: "settle", tables.BEFORE: "asymptotic sequence, looks every 25", tables.ALL: "all pairs"}
LEAST = 5  # studies of a point
LIST = "a list of 150, which decides {:.0%}"


def rows_of(found: tables.Found) -> list[dict[str, Any]]:
    """Median and the middle 80% of the labels of each way, between two true differences."""
    size = np.abs(found.truth)
    out: list[dict[str, Any]] = []
    for way, name in SHOWN.items():
        labels = np.array(found.pairs if way == tables.ALL else [a.labels for a in found.answers[way]])
        for low, high in pairwise(EDGES.tolist()):
            there = (size >= low - 1e-9) & (size < high - 1e-9)
            if there.sum() >= LEAST:
                least, middle, most = np.quantile(labels[there], (0.1, 0.5, 0.9)).tolist()
                out.append({"way": name, "difference": (low + high) / 2, "labels": middle, "low": least,
                            "high": most})  # fmt: skip
    return out


def figure(found: tables.Found) -> Any:
    """Lines with the middle 80% of studies; a list of 150 as a line across."""
    alt = altair()
    rows = rows_of(found)
    check_some(rows, "studies")
    once = LIST.format(np.mean([a.said != 0 for a in found.answers[tables.LIST]]))
    names = [*SHOWN.values(), once]
    legend = alt.Legend(orient="bottom", columns=2, labelLimit=280, symbolOpacity=1, symbolType="stroke")
    scale = alt.Scale(domain=names, range=[COLORS[0], COLORS[1], "#999", COLORS[2]])
    color = alt.Color("way:N", sort=names, title=None, scale=scale, legend=legend)
    base = alt.Chart(data_of(rows)).encode(
        x=alt.X("difference:Q", title="true difference of P@10", scale=alt.Scale(domain=[0, 0.1])), color=color,
    )  # fmt: skip
    y = alt.Y("low:Q", title="labels until it is known", scale=alt.Scale(domain=[0, 520]))
    of_ways = base.transform_filter(alt.datum.way == SHOWN[tables.SETTLE])
    band = of_ways.mark_area(opacity=0.13).encode(y=y, y2="high:Q")
    line = base.mark_line(point=alt.OverlayMarkDef(size=28)).encode(y="labels:Q")
    across = [{"way": once, "difference": x, "labels": 150} for x in (0.0, 0.1)]
    rule = alt.Chart(data_of(across)).mark_line(strokeDash=[5, 4]).encode(x="difference:Q", y="labels:Q", color=color)
    told = f"{len(found.truth)} simulated studies of 50 topics; median, and middle 80% for settle"
    chart = alt.layer(band, line, rule).properties(width=480, height=280)
    return dressed(chart, "Human labels until it is known which system is better", told)
