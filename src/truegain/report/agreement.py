"""Figures of agreement: alpha of each topic, and how far each assessor goes with the rest and with experts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from truegain.report.style import BAD, INK, SOFT, altair, check_some, data_of, dressed
from truegain.tables.table import Cell, Table

MOST = 50  # lines of one panel
WIDE = 300
QUIET, SEVERAL = "no", "several reasons"
LOOKS = [INK, BAD, "#d1812b", "#7a5195", "#2a7f62", "#333333"]
SHORT = "length(datum.label) > 32 ? slice(datum.label, 0, 14) + '…' + slice(datum.label, -16) : datum.label"
Row = dict[str, Cell]
Panel = tuple[str, str, list[Row], int]


def agreement_chart(topics: Table | None, assessors: Table | None, title: str = "") -> Any:
    """Alpha by topic beside the assessors' agreement with the rest (and with experts), lowest first, with intervals.

    Tables as `agree` makes them.  Of more than 50 topics or assessors the lowest are drawn, assessors worth a second
    look before all, under a histogram of all of them.

    >>> rows = [("1", 9, 27, 0.5, 0.3, 0.7), ("2", 9, 27, 0.2, 0.0, 0.4)]
    >>> chart = agreement_chart(Table(("topic", "items", "ratings", "alpha ordinal", "low", "high"), rows), None)
    >>> [row["name"] for row in chart.to_dict()["data"]["values"]]
    ['2', '1']
    """
    panels = [*([] if topics is None else _topics(topics)), *([] if assessors is None else _assessors(assessors))]
    check_some(panels, "agreement that is defined")
    kinds = sorted(
        {str(r["look"]) for _, _, rows, _ in panels for r in rows} - {QUIET}, key=lambda k: (k == SEVERAL, k)
    )
    columns = [_column(*panel, [QUIET, *kinds]) for panel in panels]
    chart = columns[0] if len(columns) == 1 else altair().hconcat(*columns, spacing=30)
    return dressed(chart.resolve_scale(color="shared"), title or "Agreement")


def _topics(table: Table) -> list[Panel]:
    name = next(c for c in table.columns if c.startswith("alpha"))
    return _panels(table, "topic", [(name, f"Topics: Krippendorff's {name}")])


def _assessors(table: Table) -> list[Panel]:
    kinds = [("correlation", "Assessors: correlation with the rest"), ("order", "Assessors: order as experts")]
    return _panels(table, "assessor", kinds)


def _panels(table: Table, who: str, kinds: Sequence[tuple[str, str]]) -> list[Panel]:
    """Title, what its lines are, these lines, and how many are undefined; worth a second look first, then by value."""
    panels: list[Panel] = []
    for name, title in kinds:
        if name in table.columns:
            rows = [_row(r, who, name) for r in table.records() if r[name] is not None]
            rows.sort(key=lambda r: (r["look"] == QUIET, r["value"]))
            if rows:
                panels.append((title, f"{who}s", rows, len(table.rows) - len(rows)))
    return panels


def _row(record: dict[str, Cell], who: str, name: str) -> Row:
    limits = ("low", "high") if name != "order" else ("", "")
    look = str(record.get("look") or "")
    return {"name": str(record[who]), "value": record[name], "low": record.get(limits[0]),
            "high": record.get(limits[1]), "ratings": record["ratings"],
            "look": SEVERAL if "," in look else look or QUIET}  # fmt: skip


def _column(title: str, what: str, rows: list[Row], undefined: int, kinds: Sequence[str]) -> Any:
    """One panel of lines, and above it where all lie if some are left out."""
    alt = altair()
    shown = sorted(rows[:MOST], key=lambda r: float(str(r["value"])))
    about = [f"{len(rows):,} {what}"]
    if len(rows) > MOST:
        looked = sum(r["look"] != QUIET for r in rows[:MOST])
        first = "the lowest" if not looked else "worth a second look"
        if 0 < looked < MOST:
            first = f"{looked} worth a second look, and the lowest"
        about = [f"{MOST} of {len(rows):,} {what}: {first};", f"the other {len(rows) - MOST:,} only in the histogram"]
    if undefined:
        about[-1] += f"; {undefined:,} without (see the table)"
    ends = [float(str(r[k])) for r in rows for k in ("low", "value", "high") if r[k] is not None]
    low, high = min(0.0, *(max(-1.0, e) for e in ends)), 1.0
    x = alt.Scale(domain=[float(np.floor(low * 10) / 10), high], nice=False, clamp=True)
    lines = _lines(shown, x, kinds)
    heading = alt.TitleParams(title, subtitle=[*about, " "][:2], anchor="start", fontSize=12)
    if len(rows) <= MOST:
        return alt.vconcat(lines.properties(title=heading))
    return alt.vconcat(_histogram(rows, x).properties(title=heading), lines, spacing=6)


def _lines(rows: list[Row], x: Any, kinds: Sequence[str]) -> Any:
    alt = altair()
    y = alt.Y("name:N", sort=[r["name"] for r in rows], title=None,
              axis=alt.Axis(labelLimit=240, labelFontSize=10, labelExpr=SHORT))  # fmt: skip
    axis = alt.Axis(tickCount=5, format=".1f")
    legend = alt.Legend(orient="bottom", columns=1, labelLimit=560, title="worth a second look", symbolType="circle")
    colour = alt.Color("look:N", sort=list(kinds), legend=legend if len(kinds) > 1 else None,
                       scale=alt.Scale(domain=list(kinds), range=LOOKS[: len(kinds)]))  # fmt: skip
    base = alt.Chart().encode(
        y=y, color=colour, tooltip=["name:N", "value:Q", "low:Q", "high:Q", "ratings:Q", "look:N"]
    )
    bars = base.transform_filter("datum.low != null").mark_rule(strokeWidth=2, opacity=0.7).encode(
        x=alt.X("low:Q", title=None, scale=x, axis=axis), x2="high:Q")  # fmt: skip
    points = base.mark_point(filled=True, size=34, opacity=1).encode(x=alt.X("value:Q", title=None, scale=x, axis=axis))
    return alt.layer(bars, points, data=data_of([dict(r) for r in rows])).properties(width=WIDE, height={"step": 13})


def _histogram(rows: list[Row], x: Any) -> Any:
    alt = altair()
    values = np.array([float(str(r["value"])) for r in rows])
    edges = np.linspace(min(-1.0, float(values.min())) if values.min() < 0 else 0.0, 1.0, 41)
    counts, _ = np.histogram(values, edges)
    bars = [{"from": float(a), "to": float(b), "n": int(n), "zero": 0}
            for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True) if n]  # fmt: skip
    return alt.Chart(data_of(bars)).mark_rect(color=SOFT, stroke="white", strokeWidth=0.5).encode(
        x=alt.X("from:Q", title=None, scale=x, axis=alt.Axis(labels=False, ticks=False, tickCount=5)), x2="to:Q",
        y=alt.Y("n:Q", title="all", axis=alt.Axis(tickCount=3)), y2="zero:Q", tooltip=["from:Q", "to:Q", "n:Q"],
    ).properties(width=WIDE, height=60)  # fmt: skip
