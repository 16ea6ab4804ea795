"""Figures of results, as altair charts: intervals, pairs of systems, errors, significance, agreement."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, product
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.report.charts import BAD, COLORS, INK, SOFT, altair, check_some, data_of, dressed
from truegain.stats.results import Comparison, Estimate

# ---- The matrix of all pairs of systems.

EVERY = 10  # of the places told where names are left out
MOST_LABELS = 60  # names that a matrix shows along each side before it leaves them out
TITLES = {"p": "p-values of all pairs", "difference": "differences of all pairs"}


def pairs_chart(
    systems: Sequence[str],
    values: npt.ArrayLike,
    what: Literal["p", "difference"] = "p",
    *,
    alpha: float = 0.05,
    title: str = "",
) -> Any:
    """A matrix of systems by systems, in the order given: p-values, or differences row - column.

    p-values are shown in steps, with those below `alpha` colored; differences on a scale that is white at 0.

    >>> chart = pairs_chart(["a", "b"], [[1.0, 0.01], [0.01, 1.0]])
    >>> len(chart.to_dict()["data"]["values"])
    2
    """
    alt = altair()
    matrix = np.asarray(values, np.float64)
    if matrix.shape != (len(systems), len(systems)):
        raise TruegainError(f"{len(systems)} systems need a square of values, not {matrix.shape}")
    rows = [
        {"row": a, "column": b, "value": None if math.isnan(matrix[i, j]) else float(matrix[i, j])}
        for i, a in enumerate(systems)
        for j, b in enumerate(systems)
        if i != j
    ]
    color = _steps(rows, alpha) if what == "p" else _scale(matrix)
    cell = max(4, min(24, 700 // len(systems)))
    named = len(systems) <= MOST_LABELS
    words = {"ticks": False, "labelFontSize": min(11, cell), "labelLimit": 160} if named else _places(systems)
    axis = alt.Axis(domain=False, **words)
    side = alt.X("column:N", sort=list(systems), title=None, axis=alt.Axis(
        domain=False, labelAngle=-90 if named else 0, orient="top", **words))  # fmt: skip
    chart = (
        alt.Chart(data_of(rows))
        .mark_rect(stroke="white", strokeWidth=0.5 if cell > 8 else 0)
        .encode(
            x=side,
            y=alt.Y("row:N", sort=list(systems), title=None, axis=axis),
            color=color,
            tooltip=["row:N", "column:N", alt.Tooltip("value:Q", format=".4f", title=what)],
        )
        .properties(width=cell * len(systems), height=cell * len(systems))
    )
    hidden = "" if named else f"{len(systems)} systems by their places, the same down and across"
    return dressed(chart, title or TITLES[what], hidden)


def _places(systems: Sequence[str]) -> dict[str, Any]:
    """An axis that tells the places of systems, every tenth, where there are too many for their names."""
    labels = {s: str(i) for i, s in enumerate(systems, 1) if i == 1 or i % EVERY == 0}
    return {
        "values": list(labels),
        "labelExpr": f"({json.dumps(labels)})[datum.value]",
        "labelFontSize": 10,
        "ticks": True,
    }


def _steps(rows: list[dict[str, Any]], alpha: float) -> Any:
    """Colors for p-values in steps, which are written into the rows; below alpha blue."""
    alt = altair()
    steps = [alpha / 50, alpha / 5, alpha, 2 * alpha]
    between = [f"{a:g} to {b:g}" for a, b in pairwise(steps)]
    names = [f"below {steps[0]:g}", *between, f"{steps[-1]:g} or more"]
    for row in rows:
        row["shown"] = None if row["value"] is None else names[int(np.searchsorted(steps, row["value"], "right"))]
    scale = alt.Scale(domain=names, range=["#10395e", "#3a76af", "#9cc3e3", "#f3dcc0", "#f4f4f4"])
    return alt.Color("shown:N", title="p", scale=scale)


def _scale(matrix: Floats) -> Any:
    """Colors for differences, white at 0."""
    alt = altair()
    widest = float(np.nanmax(np.abs(matrix), initial=0.0)) or 1.0
    scale = alt.Scale(domain=[-widest, 0, widest], range=[BAD, "#f7f7f7", INK])
    return alt.Color("value:Q", title="row - column", scale=scale)


def comparisons_chart(comparisons: Sequence[Comparison], what: Literal["p", "difference"] = "p", **options: Any) -> Any:
    """The matrix of `pairs_chart` from comparisons of one measure, best system first; adjusted p where there is one.

    >>> chart = comparisons_chart([Comparison("a", "b", "AP", 0.2, 0.3, 0.1, None, None, p=0.01)])
    >>> [v["row"] for v in chart.to_dict()["data"]["values"]]
    ['b', 'a']
    """
    check_some(comparisons, "comparisons")
    if len({c.measure for c in comparisons}) > 1:
        raise TruegainError("a matrix of pairs shows one measure; give the comparisons of one")
    scores = {c.a: c.value_a for c in comparisons} | {c.b: c.value_b for c in comparisons}
    systems = sorted(scores, key=lambda s: (-scores[s], s))
    place = {s: i for i, s in enumerate(systems)}
    matrix = np.full((len(systems), len(systems)), np.nan)
    for c in comparisons:
        i, j = place[c.a], place[c.b]
        p = c.p if c.p_adjusted is None else c.p_adjusted
        if what == "difference":
            matrix[i, j], matrix[j, i] = -c.difference, c.difference
        elif p is not None:
            matrix[i, j] = matrix[j, i] = p
    usual = f"{comparisons[0].measure}: {TITLES[what]}, best system first"
    return pairs_chart(systems, matrix, what, **{**options, "title": options.get("title") or usual})


# ---- Two scores of every system, one against the other.

SQUARE = 440  # pixels of a side
LETTER, LINE = 6.5, 13  # pixels that a letter and a line of names take
AWAY = (14, 40, 80, 120)  # pixels that a name may stand beside its point


def scatter_chart(
    systems: Sequence[str],
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    names: tuple[str, str] = ("a", "b"),
    title: str = "",
    same_scale: bool = True,
    name_most: Iterable[str] = (),
) -> Any:
    """Every system's score by two judgment sets or measures; on the diagonal both are equal.

    `same_scale` gives both axes one range and draws the diagonal; `name_most` are the systems to name.

    >>> chart = scatter_chart(["x", "y"], [0.1, 0.2], [0.2, 0.1], names=("NIST", "LLM"))
    >>> chart.to_dict()["layer"][2]["encoding"]["x"]["title"]
    'NIST'
    """
    alt = altair()
    scores_a, scores_b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    check_some(scores_a, "systems")
    together = np.concatenate([scores_a, scores_b])
    domain_a, domain_b = (_range(together), _range(together)) if same_scale else (_range(scores_a), _range(scores_b))
    x = alt.X("a:Q", title=names[0], scale=alt.Scale(domain=domain_a, nice=False, zero=False))
    y = alt.Y("b:Q", title=names[1], scale=alt.Scale(domain=domain_b, nice=False, zero=False))
    rows = [{"system": s, "a": float(v), "b": float(w)} for s, v, w in zip(systems, scores_a, scores_b, strict=True)]
    corners = [{"a": v, "b": v} for v in domain_a] if same_scale else []
    diagonal = alt.Chart(data_of(corners)).mark_line(color="#999", strokeDash=[5, 4]).encode(x=x, y=y)
    points = alt.Chart(data_of(rows)).mark_point(filled=True, size=55, color=INK, opacity=0.7).encode(
        x=x, y=y, tooltip=["system:N", alt.Tooltip("a:Q", title=names[0], format=".4f"),
                           alt.Tooltip("b:Q", title=names[1], format=".4f")])  # fmt: skip
    named = alt.Chart(data_of(_labels(rows, set(name_most), domain_a, domain_b)))
    spots = named.mark_point(filled=True, size=60, color=BAD, opacity=1).encode(x=x, y=y)
    leaders = named.mark_rule(color="#999", strokeWidth=0.7).encode(x=x, y=y, x2="to_a:Q", y2="to_b:Q")
    words = {}
    for align in ("left", "right"):
        words[align] = named.transform_filter(f"datum.align == '{align}'").mark_text(
            align=align, baseline="middle", dx=2 if align == "left" else -2, fontSize=11, color="#333"
        ).encode(x=alt.X("to_a:Q"), y=alt.Y("to_b:Q"), text="system:N")  # fmt: skip
    layers = alt.layer(diagonal, leaders, points, spots, *words.values())
    return dressed(layers.properties(width=SQUARE, height=SQUARE), title)


def _labels(rows: list[dict[str, Any]], named: set[str], of_a: list[float], of_b: list[float]) -> list[dict[str, Any]]:
    """Where the names go: as near to their point as they meet no other name, no edge, and no point if that can be."""
    unit_a, unit_b = (of_a[1] - of_a[0]) / SQUARE, (of_b[1] - of_b[0]) / SQUARE  # data for each pixel
    points = np.array([((r["a"] - of_a[0]) / unit_a, (r["b"] - of_b[0]) / unit_b) for r in rows]).reshape(-1, 2)
    placed: list[tuple[float, float, float]] = []  # begin, end, height in pixels
    labels = []
    for row in sorted((r for r in rows if r["system"] in named), key=lambda r: -r["b"]):
        x, y = (row["a"] - of_a[0]) / unit_a, (row["b"] - of_b[0]) / unit_b
        long = LETTER * len(row["system"])
        spots = []
        for side, far, up in product((1, -1), AWAY, range(-LINE * 12, LINE * 12 + 1, LINE)):
            begin, height = x + side * far - (0 if side > 0 else long), y + up
            meets = sum(begin < e and b < begin + long and abs(height - h) < LINE for b, e, h in placed)
            outside = begin < 0 or begin + long > SQUARE or not LINE <= height <= SQUARE - LINE
            over = np.abs(points[:, 1] - height) < LINE * 0.8
            over &= (points[:, 0] > begin - 5) & (points[:, 0] < begin + long + 5)
            spots.append(
                (1000 * (meets + outside) + 60 * int(over.sum()) + np.hypot(far, up), side, far, begin, height)
            )
        _, side, far, begin, height = min(spots)
        placed.append((begin, begin + long, height))
        labels.append({**row, "to_a": of_a[0] + (x + side * (far - 2)) * unit_a, "to_b": of_b[0] + height * unit_b,
                       "align": "left" if side > 0 else "right"})  # fmt: skip
    return labels


def _range(values: Floats) -> list[float]:
    low, high = float(values.min()), float(values.max())
    room = 0.05 * (high - low) or 0.05
    return [low - room, high + room]


# ---- Figures of results, as altair charts: intervals, pairs of systems, errors, significance, agreement.

__all__ = [
    "asl_chart", "comparisons_chart", "errors_chart", "intervals_chart", "pairs_chart", "scatter_chart", "tiers_chart",
]  # fmt: skip


def intervals_chart(estimates: Sequence[Estimate], title: str = "") -> Any:
    """Every system's score and interval, best first, one line each; measures side by side.

    >>> chart = intervals_chart([Estimate("bm25", "AP", 0.25, 0.2, 0.31, method="percentile")])
    >>> chart.to_dict()["data"]["values"][0]["system"]
    'bm25'
    """
    alt = altair()
    check_some(estimates, "estimates")
    rows = [{"system": e.system, "measure": e.measure, "value": e.value, "low": e.low, "high": e.high,
             "over": e.population, "interval": f"{e.value:z.4f} [{e.low:z.4f}, {e.high:z.4f}]", "method": e.method}
            for e in estimates]  # fmt: skip
    order = _best_first(estimates)
    several_sources = len({e.population for e in estimates}) > 1
    step = 12 if len(order) > 40 else 18
    y = alt.Y("system:N", sort=order, title=None, axis=alt.Axis(labelLimit=220, labelFontSize=min(11, step - 3)))
    if several_sources:
        sources = list(dict.fromkeys(e.population for e in estimates))
        color = alt.Color("over:N", sort=sources, title="interval over",
                           scale=alt.Scale(domain=sources, range=COLORS[: len(sources)]))  # fmt: skip
        offset: dict[str, Any] = {"yOffset": alt.YOffset("over:N", sort=sources)}
        step = max(step, 7 * len(sources) + 5)
    else:
        color, offset = alt.value(INK), {}
    base = alt.Chart().encode(y=y, color=color, tooltip=["system:N", "measure:N", "interval:N", "over:N", "method:N"])
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


def tiers_chart(estimates: Sequence[Estimate], tiers: Sequence[int], title: str = "") -> Any:
    """Every system's mean and interval, best first, its tier by color and number: one panel, the tiers from the top.

    >>> chart = tiers_chart([Estimate("b", "AP", 0.3, 0.2, 0.4), Estimate("a", "AP", 0.1, 0.0, 0.2)], [1, 2])
    >>> [(v["system"], v["tier"]) for v in chart.to_dict()["data"]["values"]]
    [('b', 'tier 1'), ('a', 'tier 2')]
    """
    alt = altair()
    check_some(estimates, "estimates")
    if len({e.measure for e in estimates}) > 1:
        raise TruegainError("a chart of tiers shows one measure; give the estimates of one")
    rows = [{"system": e.system, "tier": f"tier {tier}", "number": str(tier), "value": e.value, "low": e.low,
             "high": e.high, "interval": f"{e.value:z.4f} [{e.low:z.4f}, {e.high:z.4f}]"}
            for e, tier in zip(estimates, tiers, strict=True)]  # fmt: skip
    names = list(dict.fromkeys(str(row["tier"]) for row in rows))
    shades = [COLORS[i % len(COLORS)] for i in range(len(names))]
    step = 12 if len(rows) > 40 else 18
    order = [e.system for e in estimates]
    base = alt.Chart().encode(
        y=alt.Y("system:N", sort=order, title=None, axis=alt.Axis(labelLimit=220, labelFontSize=min(11, step - 3))),
        color=alt.Color("tier:N", sort=names, title=None, scale=alt.Scale(domain=names, range=shades)),
        tooltip=["system:N", "tier:N", "interval:N"],
    )
    bars = base.mark_rule(strokeWidth=2, opacity=0.75).encode(
        x=alt.X("low:Q", title=estimates[0].measure, scale=alt.Scale(zero=False, nice=True)), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=34, opacity=1).encode(x="value:Q")
    numbers = base.mark_text(align="left", dx=5, fontSize=min(10, step - 3)).encode(x="high:Q", text="number:N")
    chart = alt.layer(bars, points, numbers).properties(width=420, height={"step": step}, data=data_of(rows))
    about = f"{estimates[0].measure}: means with {100 * estimates[0].confidence:g}% intervals"
    reading = "a tier has its best system and all that do not differ significantly from it"
    return dressed(chart, title or about, reading)


def errors_chart(
    errors: Mapping[str, npt.ArrayLike] | npt.ArrayLike,
    title: str = "",
    spread: float = 1.0,
    *,
    limit: float = 1.96,
    axis: str = "error in standard deviations",
) -> Any:
    """Histograms of normalized errors, one for each method, under the normal curve they should follow.

    `spread` is the standard deviation of that curve: 1 for errors divided by their own standard deviation, sqrt(2) for
    the difference of two halves divided by that of one (Cormack and Lynam 2006, section 6).  Errors up to `limit` are
    inside; those beyond 5 spreads are counted in the outermost bins.

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
        x = alt.X("from:Q", title=axis, scale=alt.Scale(domain=[-edge, edge], nice=False))
        drawn = alt.Chart(data_of(bars)).mark_rect(color=SOFT, stroke="white", strokeWidth=0.5).encode(
            x=x, x2="to:Q", y=alt.Y("density:Q", title="density", scale=alt.Scale(domainMin=0)), y2="zero:Q",
            tooltip=["from:Q", "to:Q", "count:Q"]
        )  # fmt: skip
        line = alt.Chart(data_of(curve)).mark_line(color=BAD, strokeWidth=2).encode(x="x:Q", y="y:Q")
        below, above = float((e < -limit).mean()), float((e > limit).mean())
        about = f"{len(e):,} errors: below {below:.1%}, inside ±{limit:g} {1 - below - above:.1%}, above {above:.1%}"
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
        places = np.unique(np.linspace(0, len(p) - 1, min(len(p), 1500)).astype(int))
        rows += [{"measure": names[measure], "pair": int(i) + 1, "p": float(p[i])} for i in places]
    color = alt.Color("measure:N", sort=None, title=f"measure (pairs below {alpha:g})", scale=alt.Scale(
        domain=list(names.values()), range=[COLORS[i % len(COLORS)] for i in range(len(names))]),
        legend=alt.Legend(labelLimit=300, titleLimit=300))  # fmt: skip
    top = max(float(np.max(np.asarray(v, np.float64))) for v in p_values.values())
    lines = alt.Chart(data_of(rows)).mark_line(strokeWidth=2).encode(
        x=alt.X("pair:Q", title="pairs of systems, by p-value"),
        y=alt.Y("p:Q", title="p-value", scale=alt.Scale(domain=[0, min(1.0, max(top, 2 * alpha))])),
        color=color, tooltip=["measure:N", "pair:Q", alt.Tooltip("p:Q", format=".4f")],
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
    over = list(dict.fromkeys(e.population for e in estimates))
    return f"{' and '.join(levels)} intervals over {' and '.join(over)}"
