"""Figures of units of magnitudes: how wide their scales are and how numbers were made; and of gains mapped."""

from __future__ import annotations

from typing import Any

import numpy as np

from truegain.report.style import BAD, COLOURS, INK, SOFT, altair, check_some, data_of, dressed
from truegain.tables.columns import Floats
from truegain.tables.table import Cell, Table

BINS = 40
SHORT = "length(datum.label) > 36 ? slice(datum.label, 0, 18) + '…' + slice(datum.label, -16) : datum.label"
KINDS = {"narrow": SOFT, "wide": INK}


def units_chart(table: Table, title: str = "") -> Any:
    """How the ratio Hk/Nk is spread over units, narrow and wide ones, and how far units agree with experts.

    Units without marked documents have no ratio; without any, only agreement is drawn.  Maddalena et al. 2017,
    section 7.3.

    >>> rows = [("1", "a", 8, 8, 0.9, 2.0, "narrow"), ("1", "b", 8, 8, 0.7, 20.0, "wide")]
    >>> columns = ("topic", "assessor", "docs", "judged", "agreement", "Hk/Nk", "kind")
    >>> len(units_chart(Table(columns, rows)).to_dict()["vconcat"])
    2
    """
    alt = altair()
    records = table.records()
    panels = []
    ratios = [(float(str(r["Hk/Nk"])), str(r["kind"])) for r in records if r["Hk/Nk"] is not None]
    if ratios:
        logs = np.log10([v for v, _ in ratios])
        edges = np.linspace(float(logs.min()) - 0.01, float(logs.max()) + 0.01, BINS + 1)
        kinds = {kind: logs[[k == kind for _, k in ratios]] for kind in KINDS}
        bars = _stacked(kinds, edges, powers=True)
        x = alt.X("from:Q", title="Hk/Nk", scale=alt.Scale(type="log", nice=False),
                  axis=alt.Axis(format="~g", labelOverlap=True, tickCount=8))  # fmt: skip
        panels.append(_histogram(bars, x, f"{len(ratios):,} units by Hk/Nk",
                                 f"narrow below {float(np.median([v for v, _ in ratios])):g}, the median; "
                                 f"{float((logs <= 0).mean()):.1%} put Nk as high as Hk or higher"))  # fmt: skip
    judged = [(float(str(r["agreement"])), str(r["kind"])) for r in records if r["agreement"] is not None]
    shares = np.array([v for v, _ in judged])
    if judged:
        kinds = {kind: shares[[k == kind for _, k in judged]] for kind in KINDS} if ratios else {"all": shares}
        x = alt.X("from:Q", title="share of pairs in the experts' order", scale=alt.Scale(domain=[0, 1], nice=False))
        panels.append(_histogram(_stacked(kinds, np.linspace(0, 1, 21)), x, f"{len(shares):,} units by agreement",
                                 f"median {float(np.median(shares)):.3f}"))  # fmt: skip
    check_some(panels, "units with marked documents or experts' levels")
    return dressed(alt.vconcat(*panels), title or table.title)


def _stacked(kinds: dict[str, Floats], edges: Floats, powers: bool = False) -> list[dict[str, Cell]]:
    """Bars of one histogram, one kind on top of the other."""
    below, rows = np.zeros(len(edges) - 1, np.int64), []
    ends = (10.0**edges if powers else edges).tolist()
    for kind, values in kinds.items():
        counts, _ = np.histogram(values, edges)
        rows += [{"from": ends[i], "to": ends[i + 1], "low": int(below[i]), "high": int(below[i] + n), "units": int(n),
                  "kind": kind} for i, n in enumerate(counts.tolist()) if n]  # fmt: skip
        below += counts
    return rows


def _histogram(bars: list[dict[str, Cell]], x: Any, title: str, subtitle: str) -> Any:
    alt = altair()
    kinds = list(dict.fromkeys(str(b["kind"]) for b in bars))
    colour = alt.Color("kind:N", sort=kinds, title="units", legend=None if len(kinds) == 1 else alt.Legend(),
                       scale=alt.Scale(domain=kinds, range=[KINDS.get(k, SOFT) for k in kinds]))  # fmt: skip
    heading = alt.TitleParams(title, subtitle=subtitle, anchor="start", fontSize=12)
    return alt.Chart(data_of(bars)).mark_rect(stroke="white", strokeWidth=0.5).encode(
        x=x, x2="to:Q", y=alt.Y("low:Q", title="units"), y2="high:Q", color=colour,
        tooltip=["from:Q", "to:Q", "kind:N", "units:Q"],
    ).properties(width=440, height=170, title=heading)  # fmt: skip


def numbers_chart(table: Table, title: str = "") -> Any:
    """Shares of round numbers, of units that follow simple ratios, and of ratios that need many figures, as bars.

    Maddalena et al. 2017, sections 4.3 and 9.2.

    >>> chart = numbers_chart(Table(("what", "share", "of"), [("powers of ten", 0.25, 8)]))
    >>> chart.to_dict()["layer"][0]["encoding"]["x"]["field"]
    'share'
    """
    alt = altair()
    rows = [{**r, "kind": _kind(str(r["what"])), "about": f"{r['share']:.1%} of {r['of']:,}"} for r in table.records()]
    check_some(rows, "numbers")
    kinds = list(dict.fromkeys(r["kind"] for r in rows))
    y = alt.Y("what:N", sort=[r["what"] for r in rows], title=None, axis=alt.Axis(labelLimit=260))
    x = alt.X("share:Q", title="share", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
    colour = alt.Color("kind:N", sort=kinds, title="of all", scale=alt.Scale(domain=kinds, range=COLOURS[: len(kinds)]))
    base = alt.Chart(data_of(rows)).encode(x=x, y=y, tooltip=["what:N", "share:Q", "of:Q"])
    bars = base.mark_bar(height=14).encode(color=colour)
    # beside the bar, or inside it where it is too long
    outside = base.transform_filter("datum.share <= 0.7").mark_text(align="left", dx=4, color="#333")
    inside = base.transform_filter("datum.share > 0.7").mark_text(align="right", dx=-5, color="white")
    texts = [mark.encode(text="about:N") for mark in (outside, inside)]
    return dressed(alt.layer(bars, *texts).properties(width=400, height={"step": 22}), title or table.title)


def _kind(what: str) -> str:
    return next((kind for kind in ("units", "ratios") if what.startswith(kind)), "numbers")


def extremes_chart(table: Table, title: str = "") -> Any:
    """The scores of the units with the greatest ratios, one line a unit, on a scale of logarithms.

    >>> rows = [("1", "x", 1000.0, "b", "c", "5 1 1000")]
    >>> chart = extremes_chart(Table(("topic", "assessor", "max/min", "lowest", "highest", "scores"), rows))
    >>> [row["score"] for row in chart.to_dict()["layer"][1]["data"]["values"]]
    [5.0, 1.0, 1000.0]
    """
    alt = altair()
    records = table.records()
    check_some(records, "units")
    names = [f"{r['topic']}, {r['assessor']}" for r in records]
    # the place in the list comes first, so that units with one name (of several units an assessor) stay apart
    lines = [f"{at}. {name}" for at, name in enumerate(names, 1)]
    scores = [[float(score) for score in str(r["scores"]).split()] for r in records]
    rows = [{"unit": line, "score": score, "ratio": r["max/min"]}
            for line, r, each in zip(lines, records, scores, strict=True) for score in each]  # fmt: skip
    y = alt.Y("unit:N", sort=lines, title="topic, assessor", axis=alt.Axis(labelLimit=280, labelExpr=SHORT))
    x = alt.X("score:Q", title="score", scale=alt.Scale(type="log"),
              axis=alt.Axis(format="~g", labelOverlap=True, tickCount=8))  # fmt: skip
    spans = [{"unit": line, "low": min(each), "high": max(each)} for line, each in zip(lines, scores, strict=True)]
    span = alt.Chart(data_of(spans)).mark_rule(color=SOFT, strokeWidth=2).encode(
        x=alt.X("low:Q", title="score", scale=alt.Scale(type="log")), x2="high:Q", y=y)  # fmt: skip
    points = alt.Chart(data_of(rows)).mark_point(filled=True, size=45, opacity=0.75, color=INK).encode(
        x=x, y=y, tooltip=["unit:N", "score:Q", "ratio:Q"])  # fmt: skip
    chart = alt.layer(span, points).properties(width=440, height={"step": 24})
    return dressed(chart, title or table.title, table.notes[0] if table.notes else "")


def mappings_chart(table: Table, title: str = "") -> Any:
    """Tau, with its interval, of rankings by experts' levels mapped to other gains; one panel a measure.

    Maddalena et al. 2017, table III.

    >>> rows = [("nDCG@10", "C", 1.0, 1.0, 1.0, 3, 3, 1.0), ("nDCG@10", "1 + C", 0.8, 0.6, 1.1, 3, 2, 0.5)]
    >>> columns = ("measure", "gain", "tau", "low", "high", "top C", "top gain", "top sets")
    >>> chart = mappings_chart(Table(columns, rows))
    >>> chart.to_dict()["hconcat"][0]["title"]["text"]
    'nDCG@10'
    """
    alt = altair()
    known = [r for r in table.records() if r["tau"] is not None]
    check_some(known, "mappings whose ranking has a tau")
    gains = list(dict.fromkeys(str(r["gain"]) for r in known))
    panels: list[Any] = []
    lows = [float(str(r["low"])) for r in known]
    scale = alt.Scale(domain=[max(-1.0, float(np.floor(min(lows) * 10) / 10)), 1.0], nice=False, clamp=True)
    for measure in dict.fromkeys(str(r["measure"]) for r in known):
        rows = [{"gain": r["gain"], "tau": r["tau"], "low": r["low"], "high": min(1.0, float(str(r["high"]))),
                 "top": r["top sets"]} for r in known if r["measure"] == measure]  # fmt: skip
        y = alt.Y("gain:N", sort=gains, title="gain" if not panels else None)
        base = alt.Chart().encode(y=y, tooltip=["gain:N", "tau:Q", "low:Q", "high:Q", "top:Q"])
        bars = base.mark_rule(strokeWidth=2, color=SOFT).encode(
            x=alt.X("low:Q", title="Kendall's tau with the ranking by C", scale=scale), x2="high:Q"
        )
        points = base.mark_point(filled=True, size=60, opacity=1, color=BAD).encode(x=alt.X("tau:Q", scale=scale))
        panels.append(
            alt.layer(bars, points, data=data_of(rows)).properties(
                width=260, height={"step": 24}, title=alt.TitleParams(measure, fontSize=12)
            )
        )
    return dressed(alt.hconcat(*panels), title or table.title, "line: 95% interval, as far as 1")
