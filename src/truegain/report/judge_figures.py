"""Figures of a judge who errs: simulated scores by bronze labels, and corrected."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from truegain.experiments.judge_errors import JudgeSimulation
from truegain.io.columns import Floats
from truegain.report.charts import BAD, INK, altair, check_some, data_of, dressed

BARS = 60


def simulation_chart(worlds: Mapping[str, JudgeSimulation], title: str = "") -> Any:
    """Histograms of simulated precision by bronze labels and corrected, with the truth; a panel a system.

    Goldberg et al. 2018, figure 2.

    >>> from truegain.experiments.judge_tables import simulations
    >>> chart = simulation_chart(simulations(trials=50))
    >>> chart.to_dict()["vconcat"][0]["title"]["text"]
    'simulated: the true precision is 0.400'
    """
    alt = altair()
    check_some(worlds, "simulated studies")
    panels = []
    colors = {"bronze": BAD, "corrected": INK}
    for system, world in worlds.items():
        kinds = {"bronze": world.naive, "corrected": world.corrected}
        edges = _edges(world)
        bars = [
            {"from": float(a), "to": float(b), "studies": int(n), "zero": 0, "labels": kind}
            for kind, values in kinds.items()
            for a, b, n in zip(edges[:-1], edges[1:], np.histogram(values, edges)[0], strict=True)
            if n
        ]
        x = alt.X("from:Q", title="precision", scale=alt.Scale(domain=[float(edges[0]), float(edges[-1])], nice=False))
        drawn = alt.Chart(data_of(bars)).mark_rect(opacity=0.55).encode(
            x=x, x2="to:Q", y=alt.Y("studies:Q", title="simulated studies"), y2="zero:Q",
            color=alt.Color("labels:N", scale=alt.Scale(domain=list(colors), range=list(colors.values()))),
            tooltip=["labels:N", "from:Q", "to:Q", "studies:Q"],
        )  # fmt: skip
        truth = alt.Chart(data_of([{"from": world.truth}])).mark_rule(strokeWidth=1.5).encode(x="from:Q")
        naive, corrected = world.coverage()
        about = f"95% intervals hold it in {naive:.1%} of studies by bronze labels, in {corrected:.1%} corrected"
        heading = alt.TitleParams(
            f"{system}: the true precision is {world.truth:.3f}", subtitle=about, anchor="start", fontSize=12
        )
        panels.append(alt.layer(drawn, truth).properties(width=460, height=200, title=heading))
    return dressed(alt.vconcat(*panels), title or "Precision in simulated studies")


def _edges(world: JudgeSimulation) -> Floats:
    """The borders of the bars: half-way between values that bronze precision can take, as many of them in each."""
    everything = np.concatenate([world.naive, world.corrected, [world.truth]])
    low, high = float(everything.min()), float(everything.max())
    gaps = np.diff(np.unique(world.naive.round(9)))
    width = max((high - low) / BARS, 1e-6)
    if len(gaps):
        width = float(gaps.min()) * math.ceil(width / float(gaps.min()))
    middle = float(world.naive.min())  # a value that precision takes, in the middle of a step
    half = float(gaps.min()) / 2 if len(gaps) else width / 2
    first = middle - half - width * math.ceil((middle - half - low) / width + 1e-9)
    return np.asarray(first + width * np.arange(math.ceil((high - first) / width + 1e-9) + 1))
