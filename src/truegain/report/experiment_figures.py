"""Figures of the experiments on magnitudes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.io.columns import Floats
from truegain.report.charts import BAD, COLORS, INK, SOFT, Row, altair, check_some, data_of, dressed, limits_chart
from truegain.results.base import Table
from truegain.results.table import Cell

# ---- Figures of magnitudes: distributions, levels, agreement, and what they do to systems.

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
    for topic, scores in list(values.items())[:MOST]:
        v = np.sort(np.asarray(scores, np.float64))
        check_some(v, f"scores of {topic}")
        places = np.unique(np.linspace(0, len(v) - 1, min(len(v), POINTS)).astype(int))
        data = [{"score": float(v[i]), "share": float((i + 1) / len(v))} for i in places]
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
    records = [r for r in table.records() if r["median"] is not None]
    check_some(records, f"{name}s")
    rows = [{"level": _shown(r[name]), "low": r["5%"], "q1": r["25%"], "mid": r["median"], "q3": r["75%"],
             "high": r["95%"], "n": r[count], "about": f"n = {r[count]:,}", "mean": r.get("mean")}
            for r in records]  # fmt: skip
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
        color = alt.Color("profile:N", sort=None, title="gain profile", scale=alt.Scale(
            domain=["linear", "exponential"], range=["#d1812b", BAD]))  # fmt: skip
        marks = alt.Chart(data_of(gains)).mark_point(filled=True, size=80, opacity=1, stroke="white", strokeWidth=1)
        shape = alt.Shape("profile:N", sort=None, title="gain profile", scale=alt.Scale(
            domain=["linear", "exponential"], range=["circle", "triangle-up"]))  # fmt: skip
        layers.append(marks.encode(x=x, y=alt.Y("gain:Q", scale=scale), color=color, shape=shape))
    chart = alt.layer(*layers).properties(width={"step": 90}, height=320)
    return dressed(chart, title or table.title, about)


def _shown(value: Cell) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def combinations_chart(by_topic: Table, title: str = "") -> Any:
    """Share of pairs of documents in the experts' order, by normalization and aggregation: a box over topics each.

    Box: quartiles and median; whiskers: the last topic within 1.5 times the box's length; topics beyond are points;
    dot: mean.  The table is `magnitudes(...).by_topic`.  Maddalena et al. 2017, figure 8.

    >>> columns, shares = ("normalize", "aggregate", "topic", "share", "pairs"), (0.2, 0.8, 0.85, 0.9, 0.95)
    >>> rows = [("geometric", "median", str(t), share, 40) for t, share in enumerate(shares)]
    >>> chart = combinations_chart(Table(columns, rows)).to_dict()
    >>> [row["share"] for row in chart["layer"][-1]["data"]["values"]]
    [0.2]
    """
    alt = altair()
    check_some(by_topic.rows, "pairs of documents on different levels")
    groups: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for r in by_topic.records():
        share = float(str(r["share"]))
        groups.setdefault((str(r["normalize"]), str(r["aggregate"])), []).append((share, str(r["topic"])))
    boxes, beyond = [], []
    for (how, rule), topics in groups.items():
        box = tukey_box(np.array([share for share, _ in topics]))
        boxes.append({"normalize": how, "aggregate": rule, "topics": len(topics), **box})
        beyond += [{"normalize": how, "aggregate": rule, "topic": topic, "share": share}
                   for share, topic in topics if not box["low"] <= share <= box["high"]]  # fmt: skip
    hows, rules = (list(dict.fromkeys(names)) for names in zip(*groups, strict=True))
    name = "share of pairs in the experts' order, over topics"
    scale = alt.Scale(zero=False, nice=True)
    color = alt.Color("aggregate:N", sort=rules, title="aggregate",
                       scale=alt.Scale(domain=rules, range=COLORS[: len(rules)]))  # fmt: skip
    places = {
        "y": alt.Y("normalize:N", sort=hows, title="normalize"),
        "yOffset": alt.YOffset("aggregate:N", sort=rules),
        "color": color,
    }
    tooltip = ["normalize:N", "aggregate:N", "topics:Q", "mean:Q", "low:Q", "q1:Q", "mid:Q", "q3:Q", "high:Q"]
    base = alt.Chart(data_of(boxes)).encode(tooltip=tooltip, **places)
    x = alt.X("low:Q", title=name, scale=scale, axis=alt.Axis(tickCount=6))
    layers = [
        base.mark_rule(strokeWidth=1.5).encode(x=x, x2="high:Q"),
        base.mark_bar(size=11, fillOpacity=0.35, strokeWidth=1.2).encode(
            x=alt.X("q1:Q", title=name, scale=scale), x2="q3:Q", stroke=color),
        base.mark_tick(size=11, thickness=2.5).encode(x=alt.X("mid:Q", title=name, scale=scale)),
        base.mark_point(filled=True, size=36, opacity=1, stroke="white", strokeWidth=0.7).encode(
            x=alt.X("mean:Q", title=name, scale=scale), color=alt.value(BAD)),
        alt.Chart(data_of(beyond)).mark_point(size=22, opacity=1).encode(
            x=alt.X("share:Q", title=name, scale=scale),
            tooltip=["normalize:N", "aggregate:N", "topic:N", "share:Q"], **places),
    ]  # fmt: skip
    chart = alt.layer(*layers).properties(width=460, height={"step": 20, "for": "offset"})
    about = "box: quartiles and median of topics; whiskers to 1.5 box lengths; circles: topics beyond; dot: mean"
    return dressed(chart, title or "Documents ordered as experts do", about)


def tukey_box(values: Floats) -> dict[str, float]:
    """Quartiles, median and mean, and whiskers to the last value within 1.5 times the box's length from the box.

    Quartiles are numpy's (between the values next to them); Tukey 1977, Exploratory Data Analysis.

    >>> tukey_box(np.array([1.0, 2.0, 3.0, 4.0, 20.0]))
    {'low': 1.0, 'q1': 2.0, 'mid': 3.0, 'q3': 4.0, 'high': 4.0, 'mean': 6.0}
    """
    q1, mid, q3 = (float(v) for v in np.quantile(values, (0.25, 0.5, 0.75)))
    inside = values[(values >= q1 - 1.5 * (q3 - q1)) & (values <= q3 + 1.5 * (q3 - q1))]
    low, high = float(inside.min()), float(inside.max())
    return {"low": low, "q1": q1, "mid": mid, "q3": q3, "high": high, "mean": float(values.mean())}


def alpha_chart(table: Table, title: str = "") -> Any:
    """Alpha with its interval, and where chance agreement lies.

    >>> columns = ("ratings of a document", "alpha ratio", "low", "high", "p", "resamples", "documents", "ratings")
    >>> chart = alpha_chart(Table(columns, [("first 10", 0.32, 0.3, 0.34, 0.001, 999, 400, 4000)]))
    >>> chart.to_dict()["data"]["values"][0]["shown"]
    '0.3200 [0.3000, 0.3400]'
    """
    rows: list[Row] = [
        {"name": str(r["ratings of a document"]), "value": r["alpha ratio"], "low": r["low"], "high": r["high"]}
        for r in table.records()
    ]
    return limits_chart(rows, title or table.title, "alpha, ratio level", zero=True, subtitle="dashed: chance")


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
                            scale=alt.Scale(domain=names, range=COLORS[: len(names)])))  # fmt: skip
        about = f"{len(taus):,} draws, median {float(np.median(taus)):z.3f}"
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
    in_a_bar = max(1, -(-(last - first + 1) // MOST_BARS))
    bars = max(1, -(-(last - first + 1) // in_a_bar))
    return np.asarray((first - 0.5 + in_a_bar * np.arange(bars + 1)) * step - 1, np.float64)


def systems_chart(
    panels: Sequence[tuple[str, Sequence[str], npt.ArrayLike, npt.ArrayLike, Sequence[str], Sequence[str]]],
    title: str = "",
) -> Any:
    """Every system's score by magnitudes against experts', one panel a measure, top sets in color and named.

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
    color = alt.Color("top:N", sort=domain, title="in the top set of",
                       scale=alt.Scale(domain=domain, range=[BAD, "#d1812b", "#7a5195", SOFT]))  # fmt: skip
    drawn = []
    for name, systems, by_magnitudes, by_experts, top_magnitudes, top_experts in panels:
        scores, expert_scores = np.asarray(by_magnitudes, np.float64), np.asarray(by_experts, np.float64)
        place = np.minimum(np.argsort(np.argsort(-scores)), np.argsort(np.argsort(-expert_scores)))
        top = [s for _, s in sorted(zip(place.tolist(), systems, strict=True)) if s in {*top_magnitudes, *top_experts}]
        rows = [{"system": s, "magnitudes": float(a), "experts": float(b),
                 "top": kinds.get((s in top_magnitudes, s in top_experts), "neither"),
                 "above": s if s in top[:NAMED:2] else "", "below": s if s in top[1:NAMED:2] else ""}
                for s, a, b in zip(systems, scores, expert_scores, strict=True)]  # fmt: skip
        base = alt.Chart(data_of(rows)).encode(
            x=alt.X("magnitudes:Q", title="by magnitudes", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6)),
            y=alt.Y("experts:Q", title="by experts", scale=alt.Scale(zero=False)),
            color=color, tooltip=["system:N", "magnitudes:Q", "experts:Q", "top:N"])  # fmt: skip
        points = base.mark_point(filled=True, size=60, opacity=0.85)
        names = [base.mark_text(align="right", dx=-4, dy=dy, fontSize=9, limit=150).encode(text=f"{side}:N")
                 for side, dy in (("above", -8), ("below", 9))]  # fmt: skip
        drawn.append(alt.layer(points, *names).properties(width=280, height=280, title=name))
    return dressed(alt.hconcat(*drawn), title)


# ---- Figures of documents by experts' level, of sigma, and of two experts.

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
    values = np.asarray(sds, np.float64)
    check_some(values, "documents with two magnitudes")
    most = float(np.quantile(values, 0.95)) or 1.0
    counts, edges = np.histogram(values[values <= most], BINS, range=(0, most))
    bars = [{"from": float(a), "to": float(b), "documents": int(n), "zero": 0}
            for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)]  # fmt: skip
    beyond = int((values > most).sum())
    about = f"median {float(np.median(values)):.3g}; {beyond:,} beyond are not shown"
    heading = alt.TitleParams(f"{len(values):,} documents by sd", anchor="start", fontSize=12, subtitle=about)
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


# ---- Figures of units of magnitudes: how wide their scales are and how numbers were made; and of gains mapped.

SHORT = "length(datum.label) > 36 ? slice(datum.label, 0, 18) + '…' + slice(datum.label, -16) : datum.label"
KINDS = {"narrow": SOFT, "wide": INK}


def units_chart(table: Table, title: str = "") -> Any:
    """How the ratio Hk/Nk is spread over units, narrow and wide ones, and how far units agree with experts.

    Units without marked documents have no ratio; without any, only agreement is drawn.  Maddalena et al. 2017,
    figures 6 and 13.

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
                                 f"median {float(np.median([v for v, _ in ratios])):g}; "
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
    limits = (10.0**edges if powers else edges).tolist()
    for kind, values in kinds.items():
        counts, _ = np.histogram(values, edges)
        rows += [
            {"from": low, "to": high, "low": int(b), "high": int(b + n), "units": int(n), "kind": kind}
            for low, high, b, n in zip(limits[:-1], limits[1:], below, counts, strict=True)
            if n
        ]
        below += counts
    return rows


def _histogram(bars: list[dict[str, Cell]], x: Any, title: str, subtitle: str) -> Any:
    alt = altair()
    kinds = list(dict.fromkeys(str(b["kind"]) for b in bars))
    color = alt.Color("kind:N", sort=kinds, title="units", legend=None if len(kinds) == 1 else alt.Legend(),
                       scale=alt.Scale(domain=kinds, range=[KINDS.get(k, SOFT) for k in kinds]))  # fmt: skip
    heading = alt.TitleParams(title, subtitle=subtitle, anchor="start", fontSize=12)
    return alt.Chart(data_of(bars)).mark_rect(stroke="white", strokeWidth=0.5).encode(
        x=x, x2="to:Q", y=alt.Y("low:Q", title="units"), y2="high:Q", color=color,
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
    color = alt.Color("kind:N", sort=kinds, title="of all", scale=alt.Scale(domain=kinds, range=COLORS[: len(kinds)]))
    base = alt.Chart(data_of(rows)).encode(x=x, y=y, tooltip=["what:N", "share:Q", "of:Q"])
    bars = base.mark_bar(height=14).encode(color=color)
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

    >>> rows = [("nDCG@10", "C", 1.0, 1.0, 1.0, 3, 3, 1.0, 1.0), ("nDCG@10", "1 + C", 0.8, 0.6, 1.0, 3, 2, 0.6, 0.5)]
    >>> columns = ("measure", "gain", "tau", "low", "high", "top C", "top gain", "overlap", "jaccard")
    >>> chart = mappings_chart(Table(columns, rows))
    >>> chart.to_dict()["hconcat"][0]["title"]["text"]
    'nDCG@10'
    """
    alt = altair()
    records = [r for r in table.records() if r["tau"] is not None]
    check_some(records, "mappings whose ranking has a tau")
    gains = list(dict.fromkeys(str(r["gain"]) for r in records))
    panels: list[Any] = []
    lows = [float(str(r["low"])) for r in records]
    scale = alt.Scale(domain=[max(-1.0, float(np.floor(min(lows) * 10) / 10)), 1.0], nice=False, clamp=True)
    for measure in dict.fromkeys(str(r["measure"]) for r in records):
        rows = [{"gain": r["gain"], "tau": r["tau"], "low": r["low"], "high": min(1.0, float(str(r["high"]))),
                 "overlap": r["overlap"]} for r in records if r["measure"] == measure]  # fmt: skip
        y = alt.Y("gain:N", sort=gains, title="gain" if not panels else None)
        base = alt.Chart().encode(y=y, tooltip=["gain:N", "tau:Q", "low:Q", "high:Q", "overlap:Q"])
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
