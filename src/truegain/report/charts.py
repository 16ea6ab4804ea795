"""Charts: their style, files of them, rows with limits, and curves with a band."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from truegain.errors import TruegainError, needs
from truegain.io.files import PathLike, write_bytes
from truegain.results.base import Table
from truegain.results.table import Cell

# ---- Charts into files: SVG, PNG, PDF, or HTML that needs no network.

ENDINGS = (".svg", ".png", ".pdf", ".html")
SCALE = 2.0  # pixels of a PNG for each unit of the chart


def check_ending(path: PathLike) -> str:
    """The ending of a figure's file, or an error where no figure can be written to it.

    >>> check_ending("plot.jpg")
    Traceback (most recent call last):
    ...
    truegain.errors.TruegainError: plot.jpg: a figure is written as .svg, .png, .pdf, .html; choose one of these endings
    """
    ending = Path(os.fspath(path)).suffix.lower()
    if ending not in ENDINGS:
        raise TruegainError(
            f"{os.fspath(path)}: a figure is written as {', '.join(ENDINGS)}; choose one of these endings"
        )
    return ending


def save(chart: Any, path: PathLike) -> None:
    """Write a chart, whole or not at all; an HTML file holds everything it needs to be seen without a network."""
    write_bytes(path, render(chart, check_ending(path)))


def render(chart: Any, ending: str) -> bytes:
    """A chart as the bytes of a .svg, .png, .pdf or .html file."""
    convert = needs("vl_convert", "plots")
    spec = chart.to_dict(validate=False)  # thousands of data rows would be checked one by one
    version = ".".join(needs("altair", "plots").SCHEMA_VERSION.lstrip("v").split(".")[:2])
    if ending == ".svg":
        return str(convert.vegalite_to_svg(spec, vl_version=version)).encode()
    if ending == ".png":
        return bytes(convert.vegalite_to_png(spec, vl_version=version, scale=SCALE))
    if ending == ".pdf":
        return bytes(convert.vegalite_to_pdf(spec, vl_version=version))
    return str(convert.vegalite_to_html(spec, vl_version=version, bundle=True)).encode()


# ---- What all figures share: colors, data inside the chart, titles.

INK, SOFT, BAD = "#1f4e79", "#8aa4bd", "#b5442e"
GRID = "#e6e6e6"
# Room for words is measured here, and a browser draws them with the fonts that it has: the widest of the usual ones
# comes first, so that none is cut.
FONT = "DejaVu Sans, Verdana, sans-serif"
COLORS = ["#1f4e79", "#d1812b", "#2a7f62", "#b5442e", "#7a5195", "#5b8ba0", "#8c6d31", "#c2679b"]


def altair() -> Any:
    """The library, or how to get it."""
    return needs("altair", "plots")


def data_of(rows: list[Any]) -> Any:
    """Rows inside a chart; not checked one by one, which would take seconds for the pairs of a TREC track."""
    with needs("altair.utils.schemapi", "plots").debug_mode(False):
        return altair().Data(values=tuple(rows))  # of a list, every layer and panel would get a copy of each row


def dressed(chart: Any, title: str, subtitle: str = "") -> Any:
    """A chart with its title and the quiet colors of all our figures."""
    alt = altair()
    config = alt.Config(
        font=FONT,
        view=alt.ViewConfig(stroke="#ccc"),
        axis=alt.AxisConfig(gridColor=GRID, labelColor="#333", titleColor="#333", titleFontWeight="normal"),
        title=alt.TitleConfig(anchor="start", fontSize=14, subtitleColor="#555"),
        legend=alt.LegendConfig(labelColor="#333", titleFontWeight="normal"),
    )
    if not (title or subtitle):
        return _shown_as_svg(chart.properties(config=config))
    text = alt.TitleParams(title, subtitle=subtitle) if subtitle else title
    return _shown_as_svg(chart.properties(title=text, config=config))  # at once: each call copies the chart


class _Svg:
    """A chart that a notebook shows as SVG, which needs no network; by altair's way where the user chose one."""

    def _repr_mimebundle_(self, *arguments: Any, **options: Any) -> Any:
        if altair().renderers.active == "default" and find_spec("vl_convert") is not None:
            return {"image/svg+xml": render(self, ".svg").decode()}
        return super()._repr_mimebundle_(*arguments, **options)  # type: ignore[misc]


@cache
def _svg_of(kind: type) -> type:
    return type(kind.__name__, (_Svg, kind), {})


def _shown_as_svg(chart: Any) -> Any:
    """A chart that is shown as SVG; copies of it are, too."""
    kind: Any = type(chart)
    object.__setattr__(chart, "__class__", _svg_of(kind))  # altair's own is for what is drawn
    return chart


def check_some(things: Any, what: str) -> None:
    """Refuse to draw nothing."""
    if not len(things):
        raise TruegainError(f"no {what} to draw", remedy=f"give some {what}")


# ---- Charts of rows: a value with its limits for each, lines over a number, and a matrix of shares.

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
    color = alt.Color("line:N", sort=others, title=None, scale=alt.Scale(domain=others, range=COLORS))
    line = alt.Chart(data_of(rows)).mark_line(point=True).encode(
        x=alt.X("x:Q", title=x), y=alt.Y("y:Q", title=others[0] if len(others) == 1 else None),
        color=color if len(others) > 1 else alt.value(INK), tooltip=["x:Q", "line:N", "y:Q"],
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

    >>> table = Table(("system", "sensitivity", "favor", "low", "high"), [("a", 0.9, 0.1, -0.1, 0.3)])
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
    limits = f" [{row['low']:z.4f}, {row['high']:z.4f}]" if _known(row["low"]) and _known(row["high"]) else ""
    return f"{row['value']:z.4f}{limits}"


# ---- Curves with a band: a value over shares of the judgments, one line a way.


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
    lines = list(dict.fromkeys(r["way"] for r in rows))
    color = alt.Color("way:N", sort=lines, title=None, scale=alt.Scale(domain=lines, range=COLORS[: len(lines)]))
    x = alt.X("keep:Q", title="judgments kept, %")
    base = alt.Chart(data_of(rows)).encode(x=x, color=color)
    band = base.mark_area(opacity=0.12).encode(y=alt.Y("low:Q", title="Kendall's tau"), y2="high:Q")
    line = base.mark_line(point=True).encode(y="tau:Q", tooltip=["way:N", "keep:Q", "tau:Q", "low:Q", "high:Q"])
    return dressed(alt.layer(band, line).properties(width=460, height=300), title)
