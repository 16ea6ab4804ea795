"""Figures of agreement by topic, assessor and document, and of plans of assessors and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from truegain.planning.assessors import needed_within
from truegain.report.charts import BAD, COLORS, INK, SOFT, altair, check_some, data_of, dressed
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.stats.results import Plan

# ---- Figures of agreement: alpha of each topic, and how far each assessor goes with the rest and with experts.

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
    lines_shown = sorted(rows[:MOST], key=lambda r: float(str(r["value"])))
    about = [f"{len(rows):,} {what}"]
    if len(rows) > MOST:
        looked = sum(r["look"] != QUIET for r in rows[:MOST])
        first = "the lowest" if not looked else "worth a second look"
        if 0 < looked < MOST:
            first = f"{looked} worth a second look, and the lowest"
        about = [f"{MOST} of {len(rows):,} {what}: {first};", f"the other {len(rows) - MOST:,} only in the histogram"]
    if undefined:
        about[-1] += f"; {undefined:,} without (see the table)"
    limits = [float(str(r[k])) for r in rows for k in ("low", "value", "high") if r[k] is not None]
    low, high = min(0.0, *(max(-1.0, e) for e in limits)), 1.0
    x = alt.Scale(domain=[float(np.floor(low * 10) / 10), high], nice=False, clamp=True)
    lines = _lines(lines_shown, x, kinds)
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
    color = alt.Color("look:N", sort=list(kinds), legend=legend if len(kinds) > 1 else None,
                       scale=alt.Scale(domain=list(kinds), range=LOOKS[: len(kinds)]))  # fmt: skip
    base = alt.Chart().encode(y=y, color=color, tooltip=["name:N", "value:Q", "low:Q", "high:Q", "ratings:Q", "look:N"])
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


# ---- The figure of documents' magnitudes: how far apart the numbers of one document are.

BINS = 40
MANY = 2  # times the usual number of ratings: such a document, as one that is in every unit, has a greater ratio
KINDS = {"as many ratings as usual": INK, "more than twice as many": BAD}


def documents_chart(table: Table, title: str = "") -> Any:
    """How max/min is spread over documents, and how it goes with the geometric standard deviation; logarithmic.

    The table is the one of documents that `agree` makes of magnitudes.  Documents with more than twice the usual number
    of ratings, as the known ones of every unit, have a color of their own: the more ratings, the greater their range.
    Maddalena et al. 2017, figure 5.

    >>> columns = ("topic", "doc", "ratings", "max/min", "geometric sd")
    >>> made = [("1", "a", 3, 4.0, 2.0), ("1", "b", 3, 9.0, 3.0), ("1", "c", 1, None, None)]
    >>> chart = documents_chart(Table(columns, made))
    >>> len(chart.to_dict()["vconcat"])
    2
    """
    alt = altair()
    records = [r for r in table.records() if r["max/min"] is not None and r["geometric sd"] is not None]
    check_some(records, "documents with two magnitudes")
    usual, names = float(np.median([int(str(r["ratings"])) for r in records])), list(KINDS)
    rows: list[dict[str, Cell]] = [
        {"topic": r["topic"], "doc": r["doc"], "ratings": r["ratings"], "ratio": r["max/min"], "sd": r["geometric sd"],
         "kind": names[int(str(r["ratings"])) > MANY * usual]}
        for r in records
    ]  # fmt: skip
    ratios = np.array([float(str(r["ratio"])) for r in rows])
    sds = np.array([float(str(r["sd"])) for r in rows])
    scale = alt.Scale(type="log", nice=False)
    axis = alt.Axis(format="~g", labelOverlap=True, tickCount=8)
    about = f"median {float(np.median(ratios)):.4g}, greatest {float(ratios.max()):.4g}"
    heading = alt.TitleParams(f"{len(rows):,} documents by max/min", subtitle=about, anchor="start", fontSize=12)
    bars = alt.Chart(data_of(_bars(ratios))).mark_rect(color=SOFT, stroke="white", strokeWidth=0.5).encode(
        x=alt.X("from:Q", title="greatest magnitude over least", scale=scale, axis=axis), x2="to:Q",
        y=alt.Y("documents:Q", title="documents"), y2="zero:Q", tooltip=["from:Q", "to:Q", "documents:Q"],
    ).properties(width=440, height=170, title=heading)  # fmt: skip
    kinds = [name for name in names if any(r["kind"] == name for r in rows)]
    color = alt.Color("kind:N", sort=kinds, title="documents with", legend=alt.Legend() if kinds[1:] else None,
                       scale=alt.Scale(domain=kinds, range=[KINDS[name] for name in kinds]))  # fmt: skip
    below = alt.TitleParams(_correlation(ratios, sds), anchor="start", fontSize=12)
    points = alt.Chart(data_of(rows)).mark_point(filled=True, size=24, opacity=0.6).encode(
        x=alt.X("ratio:Q", title="greatest magnitude over least", scale=scale, axis=axis),
        y=alt.Y("sd:Q", title="geometric standard deviation", scale=alt.Scale(type="log", nice=False), axis=axis),
        color=color, tooltip=["topic:N", "doc:N", "ratings:Q", "ratio:Q", "sd:Q"],
    ).properties(width=440, height=260, title=below)  # fmt: skip
    return dressed(alt.vconcat(bars, points), title or "Magnitudes of one document")


def _bars(ratios: Any) -> list[dict[str, Cell]]:
    """A histogram with bars of one width on a scale of logarithms."""
    logs = np.log10(ratios)
    counts, edges = np.histogram(logs, np.linspace(float(logs.min()) - 0.01, float(logs.max()) + 0.01, BINS + 1))
    limits = (10.0**edges).tolist()
    return [
        {"from": limits[i], "to": limits[i + 1], "documents": n, "zero": 0} for i, n in enumerate(counts.tolist()) if n
    ]


def _correlation(ratios: Any, sds: Any) -> str:
    """Pearson's correlation of the two, of their logarithms, in words; none where either does not vary."""
    logs = np.log(ratios), np.log(sds)
    if len(ratios) < 3 or min(float(np.ptp(part)) for part in logs) == 0:
        return "max/min and geometric standard deviation"
    return f"max/min and geometric standard deviation: correlation of logarithms {float(np.corrcoef(*logs)[0, 1]):z.3f}"


# ---- How many assessors a document needs: curves.

POINTS = 60
TIMES = (0.5, 2.0)  # errors that are drawn, of the one asked for


def assessor_chart(plan: Plan) -> Any:
    """Assessors against the error of a mean rating, a line for each sigma; the error asked for is marked."""
    alt = altair()
    records = [row for row in plan.details.records() if not str(row.get("for", "")).startswith("topic ")]
    first = records[0]
    error = float(plan.provenance.get("error") or first["error"])  # type: ignore[arg-type]
    confidence = float(plan.provenance.get("confidence") or first["confidence"])  # type: ignore[arg-type]
    rows = [
        {
            "error": e,
            "assessors": needed_within(sigma, e, confidence),
            "line": f"{row.get('for', 'sigma')} ({sigma:.3g})",
        }
        for row in records
        if (sigma := float(row["sigma"] or 0.0)) > 0
        for e in np.geomspace(error * TIMES[0], error * TIMES[1], POINTS).tolist()
    ]
    lines = list(dict.fromkeys(str(r["line"]) for r in rows))
    color = alt.Color(
        "line:N",
        sort=lines,
        title="sigma of",
        legend=alt.Legend(labelLimit=260),
        scale=alt.Scale(domain=lines, range=COLORS[: len(lines)]),
    )
    x = alt.X("error:Q", title="error of the mean rating", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=8))
    curve = alt.Chart(data_of(rows)).mark_line(interpolate="step-after").encode(
        x=x, y=alt.Y("assessors:Q", title="assessors a document"),
        color=color if len(lines) > 1 else alt.value(INK),
        tooltip=["line:N", alt.Tooltip("error:Q", format=".3g"), "assessors:Q"],
    )  # fmt: skip
    mark = alt.Chart(data_of([{"error": error}])).mark_rule(color=BAD, strokeDash=[5, 4]).encode(x="error:Q")
    return dressed(alt.layer(curve, mark).properties(width=480, height=300), "What it takes", str(plan))


# ---- Half-width by number of gold labels: curves.


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
    if (aim := plan.details.provenance.get("aimed_half_width")) is not None:
        layers.append(alt.Chart(data_of([{"half": aim}])).mark_rule(color=BAD, strokeDash=[5, 4]).encode(y="half:Q"))
    chart = alt.layer(*layers).properties(width=540, height=330)
    return dressed(chart, "Half-width by number of gold labels", plan.aim)


def spending_chart(table: Table) -> Any:
    """The share of right verdicts against the number of gold labels, a line a way of drawing them."""
    alt = altair()
    rows = [{"labels": r["gold labels"], "way": r["drawn from"], "right": r["right"]} for r in table.records()]
    lines = list(dict.fromkeys(r["way"] for r in rows))
    color = alt.Color("way:N", sort=lines, title=None, scale=alt.Scale(domain=lines, range=COLORS[: len(lines)]))
    line = alt.Chart(data_of(rows)).mark_line(point=True).encode(
        x=alt.X("labels:Q", title="gold labels"), y=alt.Y("right:Q", title="pairs decided rightly",
        axis=alt.Axis(format="%")), color=color, tooltip=["way:N", "labels:Q", alt.Tooltip("right:Q", format=".0%")],
    )  # fmt: skip
    return dressed(line.properties(width=460, height=300), "Which gold labels to buy", table.title)
