"""Figures of results, as altair charts: intervals, pairs of systems, errors, significance, agreement."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.inference.results import Estimate
from truegain.report.pairs import comparisons_chart, pairs_chart
from truegain.report.scatter import scatter_chart
from truegain.report.style import BAD, COLOURS, INK, SOFT, altair, check_some, data_of, dressed

__all__ = ["asl_chart", "comparisons_chart", "errors_chart", "intervals_chart", "pairs_chart", "scatter_chart"]


def intervals_chart(estimates: Sequence[Estimate], title: str = "") -> Any:
    """Every system's score and interval, best first, one line each; measures side by side.

    >>> chart = intervals_chart([Estimate("bm25", "AP", 0.25, 0.2, 0.31, method="percentile")])
    >>> chart.to_dict()["data"]["values"][0]["system"]
    'bm25'
    """
    alt = altair()
    check_some(estimates, "estimates")
    rows = [{"system": e.system, "measure": e.measure, "value": e.value, "low": e.low, "high": e.high,
             "over": e.over, "interval": f"{e.value:.4f} [{e.low:.4f}, {e.high:.4f}]", "method": e.method}
            for e in estimates]  # fmt: skip
    order = _best_first(estimates)
    several_sources = len({e.over for e in estimates}) > 1
    step = 12 if len(order) > 40 else 18
    y = alt.Y("system:N", sort=order, title=None, axis=alt.Axis(labelLimit=220, labelFontSize=min(11, step - 3)))
    if several_sources:
        sources = list(dict.fromkeys(e.over for e in estimates))
        colour = alt.Color("over:N", sort=sources, title="interval over",
                           scale=alt.Scale(domain=sources, range=COLOURS[: len(sources)]))  # fmt: skip
        offset: dict[str, Any] = {"yOffset": alt.YOffset("over:N", sort=sources)}
        step = max(step, 7 * len(sources) + 5)
    else:
        colour, offset = alt.value(INK), {}
    base = alt.Chart().encode(y=y, color=colour, tooltip=["system:N", "measure:N", "interval:N", "over:N", "method:N"])
    base = base.encode(**offset)
    bars = base.mark_rule(strokeWidth=2, opacity=0.75).encode(
        x=alt.X("low:Q", title="score", scale=alt.Scale(zero=False, nice=True)), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=34, opacity=1).encode(x="value:Q")
    height = {"step": step, "for": "position"} if several_sources else {"step": step}
    chart = alt.layer(bars, points).properties(width=420, height=height)
    measures = list(dict.fromkeys(e.measure for e in estimates))
    data = data_of(rows)
    about = _about(estimates)
    if len(measures) == 1:
        return dressed(chart.properties(data=data), title or f"{measures[0]}, {about}")
    faceted = chart.properties(width=300).facet(
        data=data, column=alt.Column("measure:N", sort=measures, title=None)
    ).resolve_scale(x="independent")  # fmt: skip
    return dressed(faceted, title or about)


def errors_chart(errors: Mapping[str, npt.ArrayLike] | npt.ArrayLike, title: str = "", spread: float = 1.0) -> Any:
    """Histograms of normalized errors, one for each method, under the normal curve they should follow.

    `spread` is the standard deviation of that curve: 1 for errors divided by their own standard deviation, sqrt(2) for
    the difference of two halves divided by that of one (Cormack and Lynam 2006, figure 2).  Errors beyond 5 spreads are
    counted in the outermost bins.

    >>> chart = errors_chart({"logit": [0.1, -0.4, 1.2, 0.3]})
    >>> chart.to_dict()["vconcat"][0]["title"]["text"]
    'logit'
    """
    alt = altair()
    by_method = errors if isinstance(errors, Mapping) else {"errors": errors}
    edge, width = 5 * spread, spread / 4
    panels = []
    edges = np.arange(-edge, edge + width / 2, width)
    curve = [{"x": float(x), "y": float(np.exp(-((x / spread) ** 2) / 2) / (spread * math.sqrt(2 * math.pi)))}
             for x in np.linspace(-edge, edge, 201)]  # fmt: skip
    for name, values in by_method.items():
        e = np.asarray(values, np.float64)
        e = e[~np.isnan(e)]
        check_some(e, f"errors of {name}")
        inside = np.clip(e, -edge + width / 2, edge - width / 2)
        counts, _ = np.histogram(inside, edges)
        bars = [{"from": float(a), "to": float(a + width), "density": float(n / len(e) / width), "zero": 0,
                 "count": int(n)}
                for a, n in zip(edges[:-1], counts, strict=True)]  # fmt: skip
        x = alt.X("from:Q", title="error in standard deviations", scale=alt.Scale(domain=[-edge, edge], nice=False))
        drawn = alt.Chart(data_of(bars)).mark_rect(color=SOFT, stroke="white", strokeWidth=0.5).encode(
            x=x, x2="to:Q", y=alt.Y("density:Q", title="density", scale=alt.Scale(domainMin=0)), y2="zero:Q",
            tooltip=["from:Q", "to:Q", "count:Q"]
        )  # fmt: skip
        line = alt.Chart(data_of(curve)).mark_line(color=BAD, strokeWidth=2).encode(x="x:Q", y="y:Q")
        below, above = float((e < -1.96).mean()), float((e > 1.96).mean())
        about = f"{len(e):,} errors: below {below:.1%}, inside ±1.96 {1 - below - above:.1%}, above {above:.1%}"
        panels.append(alt.layer(drawn, line).properties(
            width=460, height=170, title=alt.TitleParams(name, subtitle=about, anchor="start")))  # fmt: skip
    return dressed(alt.vconcat(*panels), title)


def asl_chart(p_values: Mapping[str, npt.ArrayLike], alpha: float = 0.05, title: str = "") -> Any:
    """Achieved significance levels: for each measure the p-values of all pairs, sorted; lower is more discriminative.

    Sakai 2006, SIGIR.

    >>> chart = asl_chart({"AP": [0.01, 0.5, 0.03], "P@10": [0.2, 0.6, 0.04]})
    >>> chart.to_dict()["layer"][0]["encoding"]["color"]["scale"]["domain"]
    ['AP (66.7%)', 'P@10 (33.3%)']
    """
    alt = altair()
    rows, names = [], {}
    for measure, values in p_values.items():
        p = np.sort(np.asarray(values, np.float64))
        check_some(p, f"p-values of {measure}")
        names[measure] = f"{measure} ({float((p < alpha).mean()):.1%})"
        shown = np.unique(np.linspace(0, len(p) - 1, min(len(p), 1500)).astype(int))
        rows += [{"measure": names[measure], "pair": int(i) + 1, "p": float(p[i])} for i in shown]
    colour = alt.Color("measure:N", sort=None, title=f"measure (pairs below {alpha:g})", scale=alt.Scale(
        domain=list(names.values()), range=[COLOURS[i % len(COLOURS)] for i in range(len(names))]),
        legend=alt.Legend(labelLimit=300, titleLimit=300))  # fmt: skip
    top = max(float(np.max(np.asarray(v, np.float64))) for v in p_values.values())
    lines = alt.Chart(data_of(rows)).mark_line(strokeWidth=2).encode(
        x=alt.X("pair:Q", title="pairs of systems, by p-value"),
        y=alt.Y("p:Q", title="p-value", scale=alt.Scale(domain=[0, min(1.0, max(top, 2 * alpha))])),
        color=colour, tooltip=["measure:N", "pair:Q", alt.Tooltip("p:Q", format=".4f")],
    )  # fmt: skip
    rule = alt.Chart(data_of([{"p": alpha}])).mark_rule(strokeDash=[5, 4], color="#777").encode(y="p:Q")
    return dressed(alt.layer(lines, rule).properties(width=520, height=320), title)


def _best_first(estimates: Sequence[Estimate]) -> list[str]:
    first = estimates[0].measure
    values = {e.system: e.value for e in estimates if e.measure == first}
    rest = dict.fromkeys(e.system for e in estimates if e.system not in values)
    return [*sorted(values, key=lambda s: (-values[s], s)), *rest]


def _about(estimates: Sequence[Estimate]) -> str:
    levels = sorted({f"{100 * e.confidence:g}%" for e in estimates})
    over = list(dict.fromkeys(e.over for e in estimates))
    return f"{' and '.join(levels)} intervals over {' and '.join(over)}"
