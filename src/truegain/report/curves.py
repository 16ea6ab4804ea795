"""Curves with a band: a value over shares of the judgments, one line a way."""

from __future__ import annotations

from typing import Any

from truegain.report.style import COLOURS, altair, check_some, data_of, dressed
from truegain.tables.table import Table


def curves_chart(table: Table, title: str = "") -> Any:
    """The experiment of incomplete judgments as the paper's figure 1: tau over the share kept, a line and band a way.

    >>> rows = [(1.0, "raw", 0.2, 0.1, 0.3, 0.05), (100.0, "raw", 1.0, 1.0, 1.0, 0.0)]
    >>> chart = curves_chart(Table(("keep %", "way", "tau", "low", "high", "sd"), rows))
    >>> chart.to_dict()["data"]["values"][0]["way"]
    'raw'
    """
    alt = altair()
    check_some(table.rows, "rows")
    rows = [
        {"keep": r["keep %"], "way": r["way"], "tau": r["tau"], "low": r["low"], "high": r["high"]}
        for r in table.records()
    ]
    ways = list(dict.fromkeys(r["way"] for r in rows))
    colour = alt.Color("way:N", sort=ways, title=None, scale=alt.Scale(domain=ways, range=COLOURS[: len(ways)]))
    x = alt.X("keep:Q", title="judgments kept, %")
    base = alt.Chart(data_of(rows)).encode(x=x, color=colour)
    band = base.mark_area(opacity=0.12).encode(y=alt.Y("low:Q", title="Kendall's tau"), y2="high:Q")
    line = base.mark_line(point=True).encode(y="tau:Q", tooltip=["way:N", "keep:Q", "tau:Q", "low:Q", "high:Q"])
    return dressed(alt.layer(band, line).properties(width=460, height=300), title)
