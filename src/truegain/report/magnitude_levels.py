"""Figures of documents by experts' level, of sigma, and of two experts."""

from __future__ import annotations

from typing import Any

import numpy as np

from truegain.report.style import BAD, INK, SOFT, altair, check_some, data_of, dressed
from truegain.tables.columns import Floats
from truegain.tables.table import Table

MOST = 24  # topics of one figure
BINS = 40


def means_chart(table: Table, title: str = "") -> Any:
    """Quartiles, median and mean of documents' magnitudes by experts' level, a panel for all topics and for each.

    The first 24 are drawn.  Maddalena et al. 2017, figures 3 and 4.

    >>> columns = ("topic", "level", "documents", "mean", "sd", "25%", "median", "75%")
    >>> chart = means_chart(Table(columns, [("all", "0", 9, 2.0, 1.0, 1.0, 2.0, 3.0)]))
    >>> [panel["title"] for panel in chart.to_dict()["concat"]]
    ['all topics']
    """
    alt = altair()
    check_some(table.rows, "levels")
    panels = []
    topics = list(dict.fromkeys(str(r["topic"]) for r in table.records()))
    for topic in topics[: MOST + 1]:
        rows = [{"level": r["level"], "q1": r["25%"], "mid": r["median"], "q3": r["75%"], "mean": r["mean"],
                 "n": r["documents"]} for r in table.records() if r["topic"] == topic]  # fmt: skip
        scale = alt.Scale(type="log")
        base = alt.Chart(data_of(rows)).encode(
            x=alt.X("level:N", sort=None, title=None, axis=alt.Axis(labelAngle=0)),
            tooltip=["level:N", "n:Q", "mean:Q", "q1:Q", "mid:Q", "q3:Q"])  # fmt: skip
        y = alt.Y("q1:Q", title=None, scale=scale, axis=alt.Axis(format="~g", labelOverlap=True, tickCount=5))
        layers = [
            base.mark_bar(size=16, color=SOFT).encode(y=y, y2="q3:Q"),
            base.mark_tick(size=18, thickness=2.5, color=INK).encode(y=alt.Y("mid:Q", scale=scale)),
            base.mark_point(filled=True, size=35, color=BAD, shape="diamond", opacity=1).encode(
                y=alt.Y("mean:Q", scale=scale)),
        ]  # fmt: skip
        name = "all topics" if topic == "all" else f"topic {topic}"
        panels.append(alt.layer(*layers).properties(width={"step": 32}, height=130, title=name))
    about = "magnitudes by experts' level; box: quartiles and median, diamond: mean"
    return dressed(alt.concat(*panels, columns=min(4, len(panels))), title or table.title, about)


def apart_chart(table: Table, title: str = "") -> Any:
    """How often a document of the higher level has the higher magnitude, for neighbouring levels.

    >>> row = {"lower": 0.0, "higher": 1.0, "higher first": 0.8, "p of U": 0.01, "p of t": 0.02}
    >>> chart = apart_chart(Table(tuple(row), [tuple(row.values())]))
    >>> chart.to_dict()["data"]["values"][0]["about"]
    '80.0%, p of U 0.01, of t 0.02'
    """
    rows = [{"pair": f"{r['higher']:g} above {r['lower']:g}", "share": r["higher first"], "half": 0.5,
             "about": f"{r['higher first']:.1%}, p of U {_p(r['p of U'])}, of t {_p(r['p of t'])}"}
            for r in table.records()]  # fmt: skip
    return _shares_chart(rows, "share of pairs of documents with the higher magnitude first (half: no difference)",
                         title or table.title)  # fmt: skip


def _p(value: object) -> str:
    return "undefined" if value is None else f"{value:.2g}"


def experts_chart(table: Table, title: str = "") -> Any:
    """Agreement in order with each of two experts and between them: mean over topics, least and greatest topic.

    Maddalena et al. 2017, figure 7.

    >>> columns = ("order of", "as", "levels", "mean over topics", "least", "greatest", "topics", "all pairs", "pairs")
    >>> chart = experts_chart(Table(columns, [("magnitudes", "expert", "all", 0.8, 0.6, 0.9, 5, 0.81, 400)]))
    >>> chart.to_dict()["data"]["values"][0]["pair"]
    'magnitudes as expert'
    """
    rows = [{"pair": f"{r['order of']} as {r['as']}" + ("" if r["levels"] == "all" else f": {r['levels']}"),
             "share": r["mean over topics"], "low": r["least"], "high": r["greatest"], "half": 0.5,
             "about": f"{r['mean over topics']:.3f} in {r['topics']} topics, {r['pairs']:,} pairs"}
            for r in table.records() if r["mean over topics"] is not None]  # fmt: skip
    return _shares_chart(rows, "share of pairs in order; dot: mean over topics, line: least and greatest topic",
                         title or table.title)  # fmt: skip


def _shares_chart(rows: list[dict[str, Any]], name: str, title: str) -> Any:
    alt = altair()
    check_some(rows, "pairs of levels")
    names = list(dict.fromkeys(r["pair"] for r in rows))
    x = alt.X("share:Q", title=name, scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("pair:N", sort=names, title=None, axis=alt.Axis(labelLimit=260))
    base = alt.Chart(data_of(rows)).encode(y=y, tooltip=["pair:N", "share:Q", "about:N"])
    spans = base.mark_rule(color=SOFT, strokeWidth=3).encode(
        x=alt.X("low:Q" if "low" in rows[0] else "half:Q", title=name, scale=alt.Scale(domain=[0, 1])),
        x2="high:Q" if "low" in rows[0] else "share:Q")  # fmt: skip
    dots = base.mark_point(filled=True, size=70, opacity=1, color=INK).encode(x=x)
    return dressed(alt.layer(spans, dots).properties(width=420, height={"step": 26}), title)


def sigma_chart(table: Table, sds: Floats, title: str = "") -> Any:
    """How the sds of documents are spread, over all and by topic, with sigma of each topic.

    Maddalena et al. 2017, figure 9, by topic.

    >>> columns = ("topic", "documents", "ratings", "sigma", "low", "high", "25%", "median", "75%")
    >>> chart = sigma_chart(Table(columns, [("1", 3, 9, 2.0, 1.0, 4.0, 1.0, 1.5, 2.0)]), np.array([1.0, 1.5, 2.0]))
    >>> len(chart.to_dict()["vconcat"])
    2
    """
    alt = altair()
    known = np.asarray(sds, np.float64)
    check_some(known, "documents with two magnitudes")
    most = float(np.quantile(known, 0.95)) or 1.0
    counts, edges = np.histogram(known[known <= most], BINS, range=(0, most))
    bars = [{"from": float(a), "to": float(b), "documents": int(n), "zero": 0}
            for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)]  # fmt: skip
    beyond = int((known > most).sum())
    about = f"median {float(np.median(known)):.3g}; {beyond:,} beyond are not shown"
    heading = alt.TitleParams(f"{len(known):,} documents by sd", anchor="start", fontSize=12, subtitle=about)
    histogram = alt.Chart(data_of(bars)).mark_rect(color=SOFT, stroke="white", strokeWidth=0.5).encode(
        x=alt.X("from:Q", title="sd of a document's magnitudes"), x2="to:Q",
        y=alt.Y("documents:Q", title="documents"), y2="zero:Q",
        tooltip=["from:Q", "to:Q", "documents:Q"]).properties(width=440, height=170, title=heading)  # fmt: skip
    rows = [{"topic": r["topic"], "sigma": r["sigma"], "q1": r["25%"], "mid": r["median"], "q3": r["75%"]}
            for r in table.records()]  # fmt: skip
    above = all(float(str(r["q1"])) > 0 for r in rows)
    names, scale = [str(r["topic"]) for r in rows], alt.Scale(type="log" if above else "linear")
    base = alt.Chart(data_of(rows)).encode(y=alt.Y("topic:N", sort=names, title="topic"),
                                           tooltip=["topic:N", "sigma:Q", "q1:Q", "mid:Q", "q3:Q"])  # fmt: skip
    name = "sds of documents: quartiles and median; diamond: sigma of all together"
    boxes = base.mark_bar(size=12, color=SOFT).encode(x=alt.X("q1:Q", title=name, scale=scale), x2="q3:Q")
    middles = base.mark_tick(size=14, thickness=2.5, color=INK).encode(x=alt.X("mid:Q", scale=scale))
    dots = base.mark_point(filled=True, size=60, opacity=1, color=BAD, shape="diamond").encode(
        x=alt.X("sigma:Q", scale=scale))  # fmt: skip
    by_topic = alt.layer(boxes, middles, dots).properties(width=440, height={"step": 22})
    return dressed(alt.vconcat(histogram, by_topic), title or table.title)
