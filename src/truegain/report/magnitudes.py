"""Figures of magnitudes: distributions, levels, agreement, and what they do to systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.report.style import BAD, COLOURS, INK, SOFT, altair, check_some, data_of, dressed
from truegain.tables.columns import Floats
from truegain.tables.table import Cell, Table

MOST = 24  # panels of one figure
POINTS = 400  # of one curve
MOST_BARS = 40  # of one histogram
MOST_SYSTEMS, ON_STEPS = 300, 0.9  # systems that are tried, and the share of draws on the steps of their tau
NAMED = 15  # systems of one panel


def cdf_chart(values: Mapping[str, npt.ArrayLike], title: str = "") -> Any:
    """For each topic the share of scores up to each, with the log-normal distribution of the same mean and sd of logs.

    The first 24 topics are drawn.  Maddalena et al. 2017, figures 1 and 2.

    >>> chart = cdf_chart({"1": [1.0, 2.0, 5.0], "2": [10.0, 20.0]})
    >>> [panel["title"] for panel in chart.to_dict()["concat"]]
    ['1: 3 scores', '2: 2 scores']
    """
    alt = altair()
    check_some(values, "scores")
    panels = []
    for topic, given in list(values.items())[:MOST]:
        v = np.sort(np.asarray(given, np.float64))
        check_some(v, f"scores of {topic}")
        shown = np.unique(np.linspace(0, len(v) - 1, min(len(v), POINTS)).astype(int))
        data = [{"score": float(v[i]), "share": float((i + 1) / len(v))} for i in shown]
        x = alt.X("score:Q", title=None, scale=alt.Scale(type="log"),
                  axis=alt.Axis(format="~g", labelOverlap=True, tickCount=5))  # fmt: skip
        y = alt.Y("share:Q", title=None, scale=alt.Scale(domain=[0, 1]))
        steps = alt.Chart(data_of(data)).mark_line(interpolate="step-after", color=INK, strokeWidth=1.6)
        fit = alt.Chart(data_of(_fitted(v))).mark_line(color=BAD, strokeWidth=1.4, strokeDash=[5, 3])
        panels.append(
            alt.layer(steps.encode(x=x, y=y), fit.encode(x=x, y=y))
            .properties(width=190, height=120, title=f"{topic}: {len(v):,} scores")
        )  # fmt: skip
    about = "share of scores up to each; dashed: log-normal of the same mean and standard deviation of logarithms"
    return dressed(alt.concat(*panels, columns=min(3, len(panels))), title or "Magnitudes", about)


def _fitted(v: Floats) -> list[dict[str, float]]:
    logs = np.log(v)
    if v.min() == v.max():  # nothing to fit
        return []
    spread = float(logs.std(ddof=1))
    normal = NormalDist(float(logs.mean()), spread)
    return [{"score": float(np.exp(at)), "share": normal.cdf(at)}
            for at in np.linspace(logs.min(), logs.max(), 120).tolist()]  # fmt: skip


def levels_chart(table: Table, title: str = "") -> Any:
    """Boxes by experts' level: 5% to 95%, quartiles and median; with the linear and exponential profile where given.

    A table of ratios within units is drawn alike, a box for each kind of ratio and its mean.  Maddalena et al. 2017,
    figures 3, 14 and 15.

    >>> row = (0.0, 9, 0.5, 1.0, 2.0, 4.0, 8.0)
    >>> chart = levels_chart(Table(("level", "scores", "5%", "25%", "median", "75%", "95%"), [row]))
    >>> len(chart.to_dict()["layer"])
    4
    """
    alt = altair()
    name, count = table.columns[:2]
    known = [r for r in table.records() if r["median"] is not None]
    check_some(known, f"{name}s")
    rows = [{"level": _shown(r[name]), "low": r["5%"], "q1": r["25%"], "mid": r["median"], "q3": r["75%"],
             "high": r["95%"], "n": r[count], "about": f"n = {r[count]:,}", "mean": r.get("mean")}
            for r in known]  # fmt: skip
    x = alt.X("level:N", title="experts' level" if name == "level" else None, sort=None, axis=alt.Axis(labelAngle=0))
    base = alt.Chart(data_of(rows)).encode(x=x, tooltip=["level:N", "n:Q", "low:Q", "q1:Q", "mid:Q", "q3:Q", "high:Q"])
    scale = alt.Scale(type="log")
    axis = alt.Axis(format="~g", labelOverlap=True)
    layers = [
        base.mark_rule(color=INK).encode(y=alt.Y("low:Q", title="ratio" if name == "ratio" else "magnitude",
                                                 scale=scale, axis=axis), y2="high:Q"),
        base.mark_bar(size=46, color=SOFT, stroke=INK).encode(y=alt.Y("q1:Q", scale=scale), y2="q3:Q"),
        base.mark_tick(size=46, color=INK, thickness=3).encode(y=alt.Y("mid:Q", scale=scale)),
        base.mark_text(dy=-8, color="#333").encode(y=alt.Y("high:Q", scale=scale), text="about:N"),
    ]  # fmt: skip
    about = "box: quartiles and median; line: 5% to 95%"
    if "mean" in table.columns:
        layers.append(base.mark_point(filled=True, size=70, opacity=1, color=BAD, shape="diamond").encode(
            y=alt.Y("mean:Q", scale=scale)))  # fmt: skip
        about += "; diamond: mean"
    if "linear" in table.columns:
        gains = [{"level": f"{r['level']:g}", "gain": r[kind], "profile": kind}
                 for r in table.records() for kind in ("linear", "exponential")]  # fmt: skip
        colour = alt.Color("profile:N", sort=None, title="gain profile", scale=alt.Scale(
            domain=["linear", "exponential"], range=["#d1812b", BAD]))  # fmt: skip
        marks = alt.Chart(data_of(gains)).mark_point(filled=True, size=80, opacity=1, stroke="white", strokeWidth=1)
        shape = alt.Shape("profile:N", sort=None, title="gain profile", scale=alt.Scale(
            domain=["linear", "exponential"], range=["circle", "triangle-up"]))  # fmt: skip
        layers.append(marks.encode(x=x, y=alt.Y("gain:Q", scale=scale), color=colour, shape=shape))
    chart = alt.layer(*layers).properties(width={"step": 90}, height=320)
    return dressed(chart, title or table.title, about)


def _shown(value: Cell) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def combinations_chart(table: Table, title: str = "") -> Any:
    """Share of pairs of documents in the experts' order, by normalization and aggregation (figure 8 of the paper).

    >>> rows = [("geometric", "median", 0.9, 0.91, 120), ("none", "median", 0.8, 0.82, 120)]
    >>> columns = ("normalize", "aggregate", "mean over topics", "all pairs", "pairs")
    >>> combinations_chart(Table(columns, rows)).to_dict()["encoding"]["y"]["title"]
    'normalize'
    """
    alt = altair()
    rows = [{"normalize": r["normalize"], "aggregate": r["aggregate"], "share": r["mean over topics"],
             "pairs": r["pairs"]} for r in table.records() if r["mean over topics"] is not None]  # fmt: skip
    check_some(rows, "pairs of documents on different levels")
    rules = list(dict.fromkeys(r["aggregate"] for r in rows))
    colour = alt.Color("aggregate:N", sort=rules, title="aggregate",
                       scale=alt.Scale(domain=rules, range=COLOURS[: len(rules)]))  # fmt: skip
    points = alt.Chart(data_of(rows)).mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("share:Q", title="share of pairs in the experts' order, mean over topics", scale=alt.Scale(zero=False),
                axis=alt.Axis(tickCount=6)),
        y=alt.Y("normalize:N", sort=None, title="normalize"), yOffset=alt.YOffset("aggregate:N", sort=rules),
        color=colour, tooltip=["normalize:N", "aggregate:N", "share:Q", "pairs:Q"],
    )  # fmt: skip
    return dressed(points.properties(width=420, height={"step": 44, "for": "position"}), title or table.title)


def taus_chart(
    draws: Mapping[str, npt.ArrayLike],
    marks: Mapping[str, Mapping[str, float | None]],
    title: str = "",
    systems: int | None = None,
) -> Any:
    """How tau is spread over the draws of each measure; `marks` are values to show beside it, by measure and name.

    Tau of n systems moves in steps of 4/(n(n - 1)): a bar holds the same number of such steps as any other, its values
    in the middle.  n is `systems` or, where that is not given, what the draws fit.

    Maddalena et al. 2017, figure 12.

    >>> chart = taus_chart({"nDCG@10": [0.1, 0.2, 0.2, 0.4]}, {"nDCG@10": {"top3": 0.3}})
    >>> chart.to_dict()["vconcat"][0]["title"]["text"]
    'nDCG@10'
    """
    alt = altair()
    check_some(draws, "draws")
    values = {measure: np.asarray(v, np.float64) for measure, v in draws.items()}
    everything = np.concatenate([*values.values(), *([v for v in m.values() if v is not None] for m in marks.values())])
    check_some(everything, "draws")
    edges = _edges(np.concatenate(list(values.values())), everything, systems)
    names = list(dict.fromkeys(n for m in marks.values() for n in m))
    panels = []
    for measure, taus in values.items():
        check_some(taus, f"draws of {measure}")
        counts, _ = np.histogram(taus, edges)
        bars = [{"from": float(a), "to": float(b), "draws": int(n), "zero": 0}
                for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)]  # fmt: skip
        x = alt.X("from:Q", title="Kendall's tau with the experts' ranking",
                  scale=alt.Scale(domain=[float(edges[0]), float(edges[-1])], nice=False))  # fmt: skip
        drawn = alt.Chart(data_of(bars)).mark_rect(color=SOFT, stroke="white", strokeWidth=0.5).encode(
            x=x, x2="to:Q", y=alt.Y("draws:Q", title="draws"), y2="zero:Q", tooltip=["from:Q", "to:Q", "draws:Q"]
        )  # fmt: skip
        lines = [{"from": v, "units": n, "at": len(names) - names.index(n) + 0.5}
                 for n, v in marks.get(measure, {}).items() if v is not None]  # fmt: skip
        rules = alt.Chart(data_of(lines)).mark_rule(strokeWidth=1, color="#555").encode(x="from:Q")
        spots = alt.Chart(data_of(lines)).mark_point(filled=True, size=70, opacity=1).encode(
            x="from:Q", y=alt.Y("at:Q", axis=None, scale=alt.Scale(domain=[0, len(names) + 1])),
            tooltip=["units:N", "from:Q"],
            color=alt.Color("units:N", sort=names, title="median of units",
                            scale=alt.Scale(domain=names, range=COLOURS[: len(names)])))  # fmt: skip
        about = f"{len(taus):,} draws, median {float(np.median(taus)):.3f}"
        panels.append(alt.layer(drawn, rules, spots).resolve_scale(y="independent").properties(
            width=460, height=150, title=alt.TitleParams(measure, subtitle=about, anchor="start")))  # fmt: skip
    return dressed(alt.vconcat(*panels), title)


def _edges(taus: Floats, everything: Floats, systems: int | None) -> Floats:
    """The borders of the bars: half-way between values that tau can take, a whole number of them in each."""
    low, high = float(everything.min()), float(everything.max())
    steps = [4 / (n * (n - 1)) for n in (range(3, MOST_SYSTEMS) if systems is None else [systems])]
    fits = (s for s in steps if (np.abs((taus + 1) / s - np.round((taus + 1) / s)) < 1e-6).mean() >= ON_STEPS)
    step = steps[0] if systems is not None else next(fits, None)
    if step is None:
        low, high = float(np.floor(low * 20) / 20), float(np.ceil(high * 20) / 20)
        return np.linspace(low, max(high, low + 0.05), MOST_BARS + 1)
    first, last = round((low + 1) / step), round((high + 1) / step)
    held = max(1, -(-(last - first + 1) // MOST_BARS))
    bars = max(1, -(-(last - first + 1) // held))
    return np.asarray((first - 0.5 + held * np.arange(bars + 1)) * step - 1, np.float64)


def systems_chart(
    panels: Sequence[tuple[str, Sequence[str], npt.ArrayLike, npt.ArrayLike, Sequence[str], Sequence[str]]],
    title: str = "",
) -> Any:
    """Every system's score by magnitudes against experts', one panel a measure, top sets in colour and named.

    Of each panel's top sets the names of the 15 best are written, by the higher of their ranks.
    A panel: name, systems, scores by magnitudes, scores by experts, the top set of each.  Maddalena et al. 2017,
    figures 10 and 11.

    >>> chart = systems_chart([("nDCG@10", ["a", "b"], [0.5, 0.4], [0.6, 0.7], ["a"], ["b"])])
    >>> [row["top"] for row in chart.to_dict()["data"]["values"]]
    ['magnitudes only', 'experts only']
    """
    alt = altair()
    check_some(panels, "systems")
    kinds = {(True, True): "both", (True, False): "magnitudes only", (False, True): "experts only"}
    domain = ["both", "magnitudes only", "experts only", "neither"]
    colour = alt.Color("top:N", sort=domain, title="in the top set of",
                       scale=alt.Scale(domain=domain, range=[BAD, "#d1812b", "#7a5195", SOFT]))  # fmt: skip
    drawn = []
    for name, systems, by_magnitudes, by_experts, top_magnitudes, top_experts in panels:
        one, two = np.asarray(by_magnitudes, np.float64), np.asarray(by_experts, np.float64)
        place = np.minimum(np.argsort(np.argsort(-one)), np.argsort(np.argsort(-two)))
        top = [s for _, s in sorted(zip(place.tolist(), systems, strict=True)) if s in {*top_magnitudes, *top_experts}]
        rows = [{"system": s, "magnitudes": float(a), "experts": float(b),
                 "top": kinds.get((s in top_magnitudes, s in top_experts), "neither"),
                 "above": s if s in top[:NAMED:2] else "", "below": s if s in top[1:NAMED:2] else ""}
                for s, a, b in zip(systems, one, two, strict=True)]  # fmt: skip
        base = alt.Chart(data_of(rows)).encode(
            x=alt.X("magnitudes:Q", title="by magnitudes", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6)),
            y=alt.Y("experts:Q", title="by experts", scale=alt.Scale(zero=False)),
            color=colour, tooltip=["system:N", "magnitudes:Q", "experts:Q", "top:N"])  # fmt: skip
        points = base.mark_point(filled=True, size=60, opacity=0.85)
        names = [base.mark_text(align="right", dx=-4, dy=dy, fontSize=9, limit=150).encode(text=f"{side}:N")
                 for side, dy in (("above", -8), ("below", 9))]  # fmt: skip
        drawn.append(alt.layer(points, *names).properties(width=280, height=280, title=name))
    return dressed(alt.hconcat(*drawn), title)
