"""Which way from magnitudes to gains recovers the order of documents, on simulated worlds whose truth is known.

Figure 8 of Maddalena et al. 2017 for the simulation: every normalization with every aggregation, held against the true
order and against experts' levels, mean over worlds with its standard error; and how far each is from the paper's
choice, geometric averaging with the median, world by world.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from truegain.aggregation.magnitudes import normalized
from truegain.data.rating_groups import Grouped
from truegain.experiments.magnitude_units import magnitudes
from truegain.experiments.worlds import magnitude_ratings
from truegain.reliability.alpha import AlphaOptions, Paired, alpha_of
from truegain.results.base import Table
from truegain.results.table import Cell

CHOICE = ("geometric", "median")
FIRST, FRESH = 1000, 5000  # seeds of the first world searched, and of the first of the figure
Shares = dict[tuple[str, str], tuple[float, float]]
GRID: dict[str, tuple[float, ...]] = {
    "careless": (0.05, 0.1, 0.15, 0.2),
    "careless_spread": (2.0, 3.0, 4.0),
    "slip": (0.0, 0.03),
    "noise": (0.6, 0.8, 1.0),
}
NOISES: dict[str, Mapping[str, float]] = {
    "the defaults": {},
    "log-normal noise alone": {"careless": 0.0, "slip": 0.0, "noise": 1.25},
    "half the noise, nobody careless": {"careless": 0.0, "slip": 0.0, "noise": 0.5},
}


def one_world(seed: int, settings: Mapping[str, float]) -> tuple[float, Shares]:
    """Alpha after geometric averaging, and for each combination the share of pairs in the true and experts' order."""
    world = magnitude_ratings(seed=seed, **settings)  # type: ignore[arg-type]
    found: list[list[float]] = []
    names: list[tuple[str, str]] = []
    for order in (world.truth, world.expert):
        rows = magnitudes(world.ratings, order).combinations.records()
        names = [(str(r["normalize"]), str(r["aggregate"])) for r in rows]
        found.append([float(str(r["mean over topics"])) for r in rows])
    agreed = alpha_of(Paired.of(Grouped.of(normalized(world.ratings))), "ratio", AlphaOptions(trials=0)).value
    return agreed or 0.0, dict(zip(names, zip(*found, strict=True), strict=True))


def figure8(worlds: int, settings: Mapping[str, float], title: str) -> list[Table]:
    """Two tables over fresh worlds: against the true order, and against experts' levels."""
    drawn = [one_world(FRESH + w, settings) for w in range(worlds)]
    agreed = float(np.mean([a for a, _ in drawn]))
    note = f"{worlds} worlds, alpha (ratio) after geometric averaging {agreed:.3f}; behind: geometric with median"
    tables = []
    for kind, held in enumerate(("the true order", "experts' levels")):
        choice = np.array([shares[CHOICE][kind] for _, shares in drawn])
        rows: list[tuple[Cell, ...]] = []
        for name in drawn[0][1]:
            each = np.array([shares[name][kind] for _, shares in drawn])
            behind = choice - each
            apart = (None, None) if name == CHOICE else (float(behind.mean()), _error(behind))
            rows.append((*name, float(each.mean()), _error(each), *apart))
        columns = ("normalize", "aggregate", "share", "se", "behind", "se of behind")
        tables.append(Table(columns, rows, dict(settings), f"Figure 8, {title}: pairs as in {held}", (note,)))
    return tables


def search(worlds: int) -> Table:
    """What was searched for the defaults: alpha, and how far the paper's choice leads the next on the true order."""
    rows: list[tuple[Cell, ...]] = []
    for values in itertools.product(*GRID.values()):
        settings = dict(zip(GRID, values, strict=True))
        drawn = [one_world(FIRST + w, settings) for w in range(worlds)]
        names = [n for n in drawn[0][1] if n != CHOICE]
        choice = np.array([shares[CHOICE][0] for _, shares in drawn])
        others = np.array([[shares[n][0] for n in names] for _, shares in drawn])
        best = int(others.mean(axis=0).argmax())
        lead = choice - others[:, best]
        rows.append((*values, float(np.mean([a for a, _ in drawn])), "+".join(names[best]), float(lead.mean()),
                     _error(lead)))  # fmt: skip
    return Table((*GRID, "alpha", "best other", "lead", "se"), rows, {"worlds": worlds}, "Settings searched")


def _error(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))
