"""The figure of documents' magnitudes: how far apart the numbers of one document are."""

from __future__ import annotations

from typing import Any

import numpy as np

from truegain.report.style import BAD, INK, SOFT, altair, check_some, data_of, dressed
from truegain.tables.table import Cell, Table

BINS = 40
MANY = 2  # times the usual number of ratings: such a document, as one that is in every unit, has a greater ratio
KINDS = {"as many ratings as usual": INK, "more than twice as many": BAD}


def documents_chart(table: Table, title: str = "") -> Any:
    """How max/min is spread over documents, and how it goes with the geometric standard deviation; logarithmic.

    The table is the one of documents that `agree` makes of magnitudes.  Documents with more than twice the usual number
    of ratings, as the known ones of every unit, have a colour of their own: the more ratings, the greater their range.
    Maddalena et al. 2017, figure 5.

    >>> columns = ("topic", "doc", "ratings", "max/min", "geometric sd")
    >>> made = [("1", "a", 3, 4.0, 2.0), ("1", "b", 3, 9.0, 3.0), ("1", "c", 1, None, None)]
    >>> chart = documents_chart(Table(columns, made))
    >>> len(chart.to_dict()["vconcat"])
    2
    """
    alt = altair()
    known = [r for r in table.records() if r["max/min"] is not None and r["geometric sd"] is not None]
    check_some(known, "documents with two magnitudes")
    usual, names = float(np.median([int(str(r["ratings"])) for r in known])), list(KINDS)
    rows: list[dict[str, Cell]] = [
        {"topic": r["topic"], "doc": r["doc"], "ratings": r["ratings"], "ratio": r["max/min"], "sd": r["geometric sd"],
         "kind": names[int(str(r["ratings"])) > MANY * usual]}
        for r in known
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
    shown = [name for name in names if any(r["kind"] == name for r in rows)]
    colour = alt.Color("kind:N", sort=shown, title="documents with", legend=alt.Legend() if shown[1:] else None,
                       scale=alt.Scale(domain=shown, range=[KINDS[name] for name in shown]))  # fmt: skip
    below = alt.TitleParams(_correlation(ratios, sds), anchor="start", fontSize=12)
    points = alt.Chart(data_of(rows)).mark_point(filled=True, size=24, opacity=0.6).encode(
        x=alt.X("ratio:Q", title="greatest magnitude over least", scale=scale, axis=axis),
        y=alt.Y("sd:Q", title="geometric standard deviation", scale=alt.Scale(type="log", nice=False), axis=axis),
        color=colour, tooltip=["topic:N", "doc:N", "ratings:Q", "ratio:Q", "sd:Q"],
    ).properties(width=440, height=260, title=below)  # fmt: skip
    return dressed(alt.vconcat(bars, points), title or "Magnitudes of one document")


def _bars(ratios: Any) -> list[dict[str, Cell]]:
    """A histogram with bars of one width on a scale of logarithms."""
    logs = np.log10(ratios)
    counts, edges = np.histogram(logs, np.linspace(float(logs.min()) - 0.01, float(logs.max()) + 0.01, BINS + 1))
    ends = (10.0**edges).tolist()
    return [{"from": ends[i], "to": ends[i + 1], "documents": n, "zero": 0} for i, n in enumerate(counts.tolist()) if n]


def _correlation(ratios: Any, sds: Any) -> str:
    """Pearson's correlation of the two, of their logarithms, in words; none where either does not vary."""
    logs = np.log(ratios), np.log(sds)
    if len(ratios) < 3 or min(float(np.ptp(part)) for part in logs) == 0:
        return "max/min and geometric standard deviation"
    return f"max/min and geometric standard deviation: correlation of logarithms {float(np.corrcoef(*logs)[0, 1]):.3f}"
