"""How many assessors a document needs: curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from truegain.inference.agreement.plan import needed_within
from truegain.inference.results import Plan
from truegain.report.style import BAD, COLOURS, INK, altair, data_of, dressed

POINTS = 60
TIMES = (0.5, 2.0)  # errors that are drawn, of the one asked for


def assessor_chart(plan: Plan) -> Any:
    """Assessors against the error of a mean rating, a line for each sigma; the error asked for is marked."""
    alt = altair()
    asked = [row for row in plan.details.records() if not str(row.get("for", "")).startswith("topic ")]
    first = asked[0]
    error = float(plan.made_by.get("error") or first["error"])  # type: ignore[arg-type]
    confidence = float(plan.made_by.get("confidence") or first["confidence"])  # type: ignore[arg-type]
    rows = [
        {
            "error": e,
            "assessors": needed_within(sigma, e, confidence),
            "line": f"{row.get('for', 'sigma')} ({sigma:.3g})",
        }
        for row in asked
        if (sigma := float(row["sigma"] or 0.0)) > 0
        for e in np.geomspace(error * TIMES[0], error * TIMES[1], POINTS).tolist()
    ]
    lines = list(dict.fromkeys(str(r["line"]) for r in rows))
    colour = alt.Color(
        "line:N",
        sort=lines,
        title="sigma of",
        legend=alt.Legend(labelLimit=260),
        scale=alt.Scale(domain=lines, range=COLOURS[: len(lines)]),
    )
    x = alt.X("error:Q", title="error of the mean rating", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=8))
    curve = alt.Chart(data_of(rows)).mark_line(interpolate="step-after").encode(
        x=x, y=alt.Y("assessors:Q", title="assessors a document"),
        color=colour if len(lines) > 1 else alt.value(INK),
        tooltip=["line:N", alt.Tooltip("error:Q", format=".3g"), "assessors:Q"],
    )  # fmt: skip
    mark = alt.Chart(data_of([{"error": error}])).mark_rule(color=BAD, strokeDash=[5, 4]).encode(x="error:Q")
    return dressed(alt.layer(curve, mark).properties(width=480, height=300), "What it takes", str(plan))
