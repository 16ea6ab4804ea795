"""Two scores of every system, one against the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.report.style import BAD, INK, altair, check_some, data_of, dressed
from truegain.tables.columns import Floats

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
    one, two = np.asarray(a, np.float64), np.asarray(b, np.float64)
    check_some(one, "systems")
    together = np.concatenate([one, two])
    domain_a, domain_b = (_range(together), _range(together)) if same_scale else (_range(one), _range(two))
    x = alt.X("a:Q", title=names[0], scale=alt.Scale(domain=domain_a, nice=False, zero=False))
    y = alt.Y("b:Q", title=names[1], scale=alt.Scale(domain=domain_b, nice=False, zero=False))
    rows = [{"system": s, "a": float(v), "b": float(w)} for s, v, w in zip(systems, one, two, strict=True)]
    ends = [{"a": v, "b": v} for v in domain_a] if same_scale else []
    diagonal = alt.Chart(data_of(ends)).mark_line(color="#999", strokeDash=[5, 4]).encode(x=x, y=y)
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
