"""Figures of the split collection: how far the halves lie apart, and the means of systems on both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from truegain.report.charts import BAD, INK, altair, check_some, data_of, dressed
from truegain.report.figures import errors_chart
from truegain.results.base import Table
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
