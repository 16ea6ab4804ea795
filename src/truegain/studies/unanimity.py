"""What unanimity changes: the sum of ratings against the unanimity-aware gain, on the user's runs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truegain.errors import DataWarning, TruegainError
from truegain.gains.make import to_gains
from truegain.inference.differences.effects import es_hsd
from truegain.inference.differences.tukey import Tukey, randomised_tukey_hsd
from truegain.inference.ranks.overlap import jaccard, top_set
from truegain.inference.ranks.tau import tau_interval
from truegain.measures.direct import fed_directly
from truegain.measures.evaluate import evaluate
from truegain.measures.parse import parse_measures
from truegain.tables.columns import Floats
from truegain.tables.ratings import Outside, read_ratings
from truegain.tables.scale import Scale
from truegain.tables.scores import Scores
from truegain.tables.table import Cell, Table

MEASURES = ("nG@1", "P+", "nERR@10")
PS = (0.1, 0.2, 0.5)


@dataclass(frozen=True, eq=False)
class UnanimityStudy:
    """The system rankings under both gains (table 2 of the paper), and the pairs that change sides (table 3)."""

    rankings: Table
    changed: Table

    def __str__(self) -> str:
        return f"{self.rankings}\n\n{self.changed}"


def unanimity(
    ratings: object,
    runs: object,
    *,
    scale: Scale | str,
    outside: Outside = "error",
    ps: Sequence[float] = PS,
    measures: Sequence[str] = MEASURES,
    trials: int = 5000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int | None = None,
) -> UnanimityStudy:
    """Score runs by RawG and by UG, and tell what changes: the ranking, the top set, and which pairs differ.

    For every measure and p: Kendall's tau-b of the two rankings with its 95% interval (Hollander and Wolfe), the
    overlap (Jaccard) of the top sets, systems not distinguishable from the best, and the pairs significant by exactly
    one of the two, by the randomised Tukey HSD test, with p, |d| and ES_HSD = |d|/sqrt(residual variance).

    Sakai 2017, EVIA, tables 2 and 3.

    >>> from truegain.studies.ratings_world import uniform_ratings
    >>> from truegain.studies.world import simulate
    >>> world = simulate(topics=10, systems=4, seed=1)
    >>> ratings = uniform_ratings(world.gold, assessors=5, highest=2, seed=1)
    >>> study = unanimity(ratings, world.runs, scale="0:2", ps=[0.2], measures=["nG@1"], trials=200)
    >>> [(row["measure"], row["p"], row["systems"]) for row in study.rankings.records()]
    [('nG@1', 0.2, 4)]
    """
    table = read_ratings(ratings, scale=scale, outside=outside)
    asked = [a.measure for a in fed_directly(parse_measures(list(measures)))]
    raw = evaluate(runs, to_gains(table, "sum", scale=scale), asked, jobs=jobs)
    if len(raw.systems) < 3:
        raise TruegainError(f"{len(raw.systems)} systems have no ranking to compare; give at least 3 runs")
    rankings: list[tuple[Cell, ...]] = []
    changed: list[tuple[Cell, ...]] = []
    tested = {m: _tested(raw, m, trials, seed, jobs) for m in raw.measures}
    for p in ps:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # the same runs on the same topics: told once, above
            aware = evaluate(runs, to_gains(table, "unanimity", scale=scale, p=p), asked, jobs=jobs)
        for shown, measure in zip(measures, raw.measures, strict=True):
            other = _tested(aware, measure, trials, seed, jobs)
            pairs = _changed(raw.systems, tested[measure], other, alpha)
            changed += [(shown, p, *pair) for pair in pairs]
            rankings.append((shown, p, *_ranked(raw, aware, measure, tested[measure], other, alpha), len(pairs)))
    made_by = {"scale": str(scale), "trials": trials, "alpha": alpha, "seed": seed, "measures": list(raw.measures)}
    columns = ("measure", "p", "systems", "topics", "tau", "low", "high", "top sets", "pairs", "changed")
    notes = (f"randomised Tukey HSD, {trials} trials, alpha {alpha:g}; top sets: shared part of both",)
    return UnanimityStudy(
        Table(columns, rankings, made_by, "RawG against UG: rankings", notes),
        Table(_CHANGED, changed, made_by, "Pairs significant by one gain only", _said(changed, alpha, trials)),
    )


_CHANGED = ("measure", "p", "better", "worse", "p RawG", "|d| RawG", "ES RawG", "p UG", "|d| UG", "ES UG")


def _said(changed: Sequence[tuple[Cell, ...]], alpha: float, trials: int) -> tuple[str, ...]:
    if not changed:
        return ("no pair of systems changes sides",)
    error = 2 * (alpha * (1 - alpha) / trials) ** 0.5
    places = [_CHANGED.index(name) for name in ("p RawG", "p UG")]
    close = sum(all(abs(float(row[at] or 0) - alpha) < error for at in places) for row in changed)
    if not close:
        return ()
    return (
        f"in {close} of {len(changed)} both p-values lie within {error:.4f} of {alpha:g}, two standard errors of "
        f"{trials} trials: another seed may decide otherwise",
    )


def _tested(scores: Scores, measure: str, trials: int, seed: int, jobs: int | None) -> Tukey:
    return randomised_tukey_hsd(scores.matrix(measure), trials=trials, seed=seed, jobs=jobs)


def _ranked(raw: Scores, aware: Scores, measure: str, one: Tukey, two: Tukey, alpha: float) -> tuple[Cell, ...]:
    """Systems, topics, tau with its interval, overlap of the top sets, pairs."""
    a, b = one.anova.means, two.anova.means
    n, topics = len(raw.systems), raw.matrix(measure).shape[1]
    pairs = n * (n - 1) // 2
    overlap = jaccard(top_set(raw.systems, a, one.p, alpha), top_set(aware.systems, b, two.p, alpha))
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return n, topics, None, None, None, overlap, pairs
    tau = tau_interval(a, b)
    return n, topics, tau.value, tau.low, tau.high, overlap, pairs


def _changed(systems: Sequence[str], one: Tukey, two: Tukey, alpha: float) -> list[tuple[Cell, ...]]:
    first, second = np.triu_indices(len(systems), 1)
    flips = np.flatnonzero((one.p[first, second] < alpha) != (two.p[first, second] < alpha))
    rows: list[tuple[Cell, ...]] = []
    if not len(flips):
        return rows
    sizes = [np.abs(es_hsd(t.anova)) for t in (one, two)]
    for at in flips:
        i, j = int(first[at]), int(second[at])
        if one.anova.means[i] < one.anova.means[j]:
            i, j = j, i
        cells: list[Cell] = [systems[i], systems[j]]
        for test, size in zip((one, two), sizes, strict=True):
            cells += [float(test.p[i, j]), _apart(test.anova.means, i, j), float(size[i, j])]
        rows.append(tuple(cells))
    return rows


def _apart(means: Floats, i: int, j: int) -> float:
    return float(abs(means[i] - means[j]))
