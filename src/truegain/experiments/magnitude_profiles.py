"""Gain profiles: what people's magnitudes say a level of the experts is worth."""

from __future__ import annotations

import numpy as np

from truegain.errors import InputError
from truegain.experiments.magnitude_units import nk_scores, no_anchors
from truegain.gains.magnitudes import normalized, units
from truegain.gains.order import expert_levels
from truegain.tables.columns import Floats, Ints
from truegain.tables.judgments import Judgments
from truegain.tables.table import Cell, Table

SPREAD = (0.05, 0.25, 0.5, 0.75, 0.95)
BEYOND_PROFILE, BEYOND_RATIO = 20.0, 3.5  # where the paper's figures end
BOX = ("5%", "25%", "median", "75%", "95%")


def levels_table(table: Judgments, expert: Judgments, how: str = "geometric") -> Table:
    """Normalized magnitudes by experts' level: how many, and their quantiles (the paper's boxplots).

    >>> from truegain.experiments.ratings_world import magnitude_ratings
    >>> world = magnitude_ratings(topics=3, docs=20, workers=5, seed=1)
    >>> [row["level"] for row in levels_table(world.ratings, world.expert).records()]
    [0.0, 1.0, 2.0, 3.0]
    """
    values, level = normalized(table, how).label, expert_levels(table, expert)
    rows = [(at, len(v), *_quantiles(v)) for at, v in _by_level(values, level)]
    return Table(
        ("level", "scores", *BOX), rows, {"normalize": how}, f"Magnitudes by experts' level, normalized: {how}"
    )


def profile_table(table: Judgments, expert: Judgments) -> Table:
    """Magnitudes over the unit's Nk score by experts' level, beside the linear and the exponential gain profile.

    linear: 1, 2, 3, 4; exponential: 2, 4, 8, 16, from the lowest level up.  Units without a document marked 'low' in
    the column `anchor` are left out.  Maddalena et al. 2017, ACM TOIS 35(3), section 8, figure 14.

    >>> from truegain.experiments.ratings_world import magnitude_ratings
    >>> world = magnitude_ratings(topics=3, docs=20, workers=5, seed=1)
    >>> [(row["linear"], row["exponential"]) for row in profile_table(world.ratings, world.expert).records()]
    [(1, 2), (2, 4), (3, 8), (4, 16)]
    """
    base = nk_scores(table)
    there = ~np.isnan(base)
    if not there.any():
        raise no_anchors(table)
    level = expert_levels(table, expert)
    rows: list[tuple[Cell, ...]] = []
    for place, (at, values) in enumerate(_by_level((table.label / base)[there], level[there])):
        beyond = int((values > BEYOND_PROFILE).sum())
        rows.append((at, len(values), *_quantiles(values), beyond, place + 1, 2 ** (place + 1)))
    columns = ("level", "scores", *BOX, f"above {BEYOND_PROFILE:g}", "linear", "exponential")
    left = int((~there).sum())
    notes = (f"{left} scores of units without a document marked 'low' are left out",) if left else ()
    return Table(columns, rows, {"source": table.source}, "Gain profile: magnitudes over the unit's Nk score", notes)


def ratios_table(table: Judgments, expert: Judgments) -> Table:
    """Ratios of magnitudes within a unit between the experts' highest levels H, R and (where there is one) M below.

    Every pair of documents of a unit counts.  M is ignored (H/R), folded up into R (H over R and M), or stays below
    while R is folded up into H (H and R over M); the last two only in units that hold an M.  The lowest level is never
    M.  Maddalena et al. 2017, ACM TOIS 35(3), section 8, figure 15.

    >>> from truegain.experiments.ratings_world import magnitude_ratings
    >>> world = magnitude_ratings(topics=3, docs=20, workers=5, seed=1)
    >>> [row["ratio"] for row in ratios_table(world.ratings, world.expert).records()]
    ['H / R', 'H / (R, M)', '(H, R) / M']
    """
    level = expert_levels(table, expert)
    known = np.unique(level[~np.isnan(level)])
    if len(known) < 3:
        raise InputError(
            f"experts use {len(known)} levels, {', '.join(f'{v:g}' for v in known)}; ratios of highly relevant to "
            "relevant documents need at least 3",
            file=expert.source,
            hint="give graded judgments",
        )
    unit, _ = units(table)
    high, middle = float(known[-1]), float(known[-2])
    kinds: list[tuple[str, set[float], set[float], float | None]] = [("H / R", {high}, {middle}, None)]
    names = f"H is level {high:g}, R {middle:g}"
    if len(known) > 3:
        low = float(known[-3])
        kinds += [("H / (R, M)", {high}, {middle, low}, low), ("(H, R) / M", {high, middle}, {low}, low)]
        names += f", M {low:g}"
    rows: list[tuple[Cell, ...]] = []
    for name, above, below, must in kinds:
        ratio, among = within_units(table.label, level, unit, above, below, must)
        beyond, mean = int((ratio > BEYOND_RATIO).sum()), float(ratio.mean()) if len(ratio) else None
        rows.append((name, len(ratio), among, *_quantiles(ratio), mean, beyond))
    columns = ("ratio", "pairs", "units", *BOX, "mean", f"above {BEYOND_RATIO:g}")
    return Table(columns, rows, {"source": table.source}, "Ratios within units between experts' levels", (names,))


def within_units(
    value: Floats, level: Floats, unit: Ints, above: set[float], below: set[float], must: float | None
) -> tuple[Floats, int]:
    """Ratios of all documents on levels `above` to all on levels `below` of the same unit, and how many units have one.

    Only units that hold a document on level `must` count, where it is given.
    """
    order = np.argsort(unit, kind="stable")
    cuts = np.flatnonzero(np.diff(unit[order])) + 1
    found: list[Floats] = []
    for rows in np.split(order, cuts):
        here, said = level[rows], value[rows]
        if must is not None and must not in here:
            continue
        top, bottom = said[np.isin(here, list(above))], said[np.isin(here, list(below))]
        if len(top) and len(bottom):
            found.append((top[:, None] / bottom[None, :]).ravel())
    return (np.concatenate(found) if found else np.empty(0)), len(found)


def _by_level(values: Floats, level: Floats) -> list[tuple[float, Floats]]:
    return [(float(at), values[level == at]) for at in np.unique(level[~np.isnan(level)])]


def _quantiles(values: Floats) -> list[Cell]:
    if not len(values):
        return [None] * len(SPREAD)

    return [float(v) for v in np.quantile(values, SPREAD)]
