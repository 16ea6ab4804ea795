"""The matrix of all pairs of systems."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.inference.results import Comparison
from truegain.report.style import BAD, INK, altair, check_some, data_of, dressed
from truegain.tables.columns import Floats

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

    p-values are shown in steps, with those below `alpha` coloured; differences on a scale that is white at 0.

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
    colour = _steps(rows, alpha) if what == "p" else _scale(matrix)
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
            color=colour,
            tooltip=["row:N", "column:N", alt.Tooltip("value:Q", format=".4f", title=what)],
        )
        .properties(width=cell * len(systems), height=cell * len(systems))
    )
    hidden = "" if named else f"{len(systems)} systems by their places, the same down and across"
    return dressed(chart, title or TITLES[what], hidden)


def _places(systems: Sequence[str]) -> dict[str, Any]:
    """An axis that tells the places of systems, every tenth, where there are too many for their names."""
    told = {s: str(i) for i, s in enumerate(systems, 1) if i == 1 or i % EVERY == 0}
    return {"values": list(told), "labelExpr": f"({json.dumps(told)})[datum.value]", "labelFontSize": 10, "ticks": True}


def _steps(rows: list[dict[str, Any]], alpha: float) -> Any:
    """Colours for p-values in steps, which are written into the rows; below alpha blue."""
    alt = altair()
    steps = [alpha / 50, alpha / 5, alpha, 2 * alpha]
    between = [f"{a:g} to {b:g}" for a, b in pairwise(steps)]
    names = [f"below {steps[0]:g}", *between, f"{steps[-1]:g} or more"]
    for row in rows:
        row["shown"] = None if row["value"] is None else names[int(np.searchsorted(steps, row["value"], "right"))]
    scale = alt.Scale(domain=names, range=["#10395e", "#3a76af", "#9cc3e3", "#f3dcc0", "#f4f4f4"])
    return alt.Color("shown:N", title="p", scale=scale)


def _scale(matrix: Floats) -> Any:
    """Colours for differences, white at 0."""
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
