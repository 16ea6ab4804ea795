"""Charts of rows: a value with its limits for each, lines over a number, and a matrix of shares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from truegain.report.style import BAD, COLOURS, INK, altair, check_some, data_of, dressed
from truegain.tables.table import Cell, Table

Row = dict[str, Cell]
MANY = 40  # rows beyond which lines stand closer
TICK = 60  # pixels that a number on the axis takes


def limits_chart(
    rows: Sequence[Row], title: str, axis: str, *, zero: bool = False, whole: bool = False, subtitle: str = ""
) -> Any:
    """A line a row: `name`, `value`, and where known `low` and `high`; `panel` puts rows side by side.

    zero: draws where nothing differs.  whole: there is nothing between whole numbers.  Rows without a value are left
    out.

    >>> chart = limits_chart([{"name": "a", "value": 0.5, "low": 0.4, "high": 0.6}], "AP", "score")
    >>> chart.to_dict()["data"]["values"][0]["shown"]
    '0.5000 [0.4000, 0.6000]'
    """
    alt = altair()
    kept = [{"panel": "", "low": None, "high": None, **row} for row in rows if _known(row["value"])]
    check_some(kept, "values")
    names = list(dict.fromkeys(str(row["name"]) for row in kept))
    panels = list(dict.fromkeys(str(row["panel"]) for row in kept))
    step = 12 if len(names) > MANY else 18
    base = alt.Chart().encode(
        y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=260, labelFontSize=min(11, step - 3))),
        tooltip=["name:N", *(["panel:N"] if len(panels) > 1 else []), "shown:N"],
    )
    wide = 420 if len(panels) == 1 else 300
    ticks = alt.Axis(
        tickCount=wide // TICK, labelOverlap="greedy", **({"tickMinStep": 1, "format": "d"} if whole else {})
    )
    x = alt.X("low:Q", title=axis, scale=alt.Scale(zero=False, nice=True), axis=ticks)
    layers = [
        base.mark_rule(strokeWidth=2, opacity=0.75, color=INK).encode(x=x, x2="high:Q"),
        base.mark_point(filled=True, size=34, opacity=1, color=INK).encode(x=alt.X("value:Q", title=axis, axis=ticks)),
    ]
    if zero:
        layers.insert(0, alt.Chart().mark_rule(color=BAD, strokeDash=[4, 3]).encode(x=alt.datum(0)))
    chart = alt.layer(*layers).properties(width=wide, height={"step": step})
    data = data_of([{**row, "shown": _shown(row)} for row in kept])
    if len(panels) == 1:
        return dressed(chart.properties(data=data), title, subtitle)
    side = alt.Column("panel:N", sort=panels, title=None)
    return dressed(chart.facet(data=data, column=side).resolve_scale(x="independent"), title, subtitle)


def lines_chart(table: Table, title: str, subtitle: str = "") -> Any:
    """Every further column of numbers against the first one, a line each."""
    alt = altair()
    x = next((c for c in table.columns if _numeric(table, c)), None)
    others = [c for c in table.columns if c != x and _numeric(table, c)]
    rows = [{"x": r[x], "line": c, "y": r[c]} for r in table.records() for c in others if x and r[c] is not None]
    check_some(rows, "numbers")
    colour = alt.Color("line:N", sort=others, title=None, scale=alt.Scale(domain=others, range=COLOURS))
    line = alt.Chart(data_of(rows)).mark_line(point=True).encode(
        x=alt.X("x:Q", title=x), y=alt.Y("y:Q", title=others[0] if len(others) == 1 else None),
        color=colour if len(others) > 1 else alt.value(INK), tooltip=["x:Q", "line:N", "y:Q"],
    )  # fmt: skip
    return dressed(line.properties(width=480, height=300), title, subtitle)


def shares_chart(rows: Sequence[Row], title: str, sides: tuple[str, str]) -> Any:
    """A matrix of shares: `row`, `column`, `share`."""
    alt = altair()
    check_some(rows, "shares")
    base = alt.Chart(data_of(list(rows))).encode(
        x=alt.X("column:N", sort=None, title=sides[1], axis=alt.Axis(labelAngle=0, orient="top")),
        y=alt.Y("row:N", sort=None, title=sides[0]),
        tooltip=["row:N", "column:N", alt.Tooltip("share:Q", format=".1%")],
    )
    boxes = base.mark_rect().encode(
        color=alt.Color("share:Q", title=None, legend=None, scale=alt.Scale(domain=[0, 1], range=["#f4f4f4", INK]))
    )
    words = base.mark_text().encode(
        text=alt.Text("share:Q", format=".0%"),
        color=alt.condition("datum.share > 0.5", alt.value("white"), alt.value("#333")),
    )
    return dressed(alt.layer(boxes, words).properties(width={"step": 64}, height={"step": 36}), title)


def table_chart(table: Table) -> Any:
    """Any table: its words name the rows; the number that has limits is drawn with them, else the first number.

    Limits, `low` and `high`, are those of the number right before them.

    >>> table = Table(("system", "mR", "favour", "low", "high"), [("a", 0.9, 0.1, -0.1, 0.3)])
    >>> table_chart(table).to_dict()["data"]["values"][0]["shown"]
    '0.1000 [-0.1000, 0.3000]'
    """
    words = [c for c in table.columns if any(isinstance(r[c], str) for r in table.records())]
    numbers = [c for c in table.columns if c not in words and _numeric(table, c)]
    floats = [c for c in numbers if any(isinstance(r[c], float) for r in table.records())] or numbers
    before = table.columns[table.columns.index("low") - 1] if {"low", "high"} <= set(table.columns) else None
    limited = before in numbers
    value = before if limited else next((c for c in floats if c not in ("low", "high")), None)
    if value is None:
        check_some([], "numbers")
    rows = [
        {"name": " ".join(str(r[c]) for c in words) or str(i + 1), "value": r[str(value)],
         "low": r["low"] if limited else None, "high": r["high"] if limited else None}
        for i, r in enumerate(table.records())
    ]  # fmt: skip
    return limits_chart(rows, table.title, str(value))


def _known(value: Cell) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _numeric(table: Table, column: str) -> bool:
    at = table.columns.index(column)
    values = [row[at] for row in table.rows if row[at] is not None]
    return bool(values) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def _shown(row: Row) -> str:
    limits = f" [{row['low']:.4f}, {row['high']:.4f}]" if _known(row["low"]) and _known(row["high"]) else ""
    return f"{row['value']:.4f}{limits}"
