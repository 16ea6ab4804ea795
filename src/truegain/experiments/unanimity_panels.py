"""What unanimity changes: the sum of ratings against the unanimity-aware gain, on the user's runs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truegain.errors import DataWarning, TruegainError
from truegain.experiments.top_sets import jaccard, top_set
from truegain.gains.make import aggregate
from truegain.inference.differences.tukey import Tukey, randomised_tukey_hsd
from truegain.inference.monte_carlo import Counting, Trials, check_counting, check_trials
from truegain.inference.ranks.tau import tau_interval
from truegain.measures.direct import measures_for_gains
from truegain.measures.evaluate import evaluate
from truegain.measures.parse import parse_measures
from truegain.message import argname
from truegain.tables.columns import Floats
from truegain.tables.likes import RatingsLike, RunsLike
from truegain.tables.ratings import OutOfRange, read_ratings
from truegain.tables.scale import Scale
from truegain.tables.scores import Scores
from truegain.tables.table import Cell, Table

MEASURES = ("nG@1", "P+", "nERR@10")
PS = (0.1, 0.2, 0.5)
MOST_CELLS = 150_000_000  # scores dealt anew by one test that is drawn again for being near alpha


@dataclass(frozen=True)
class Panel:
    """A measure at one p: the means of all systems by RawG and by UG, the top set of each, and tau of the two."""

    measure: str
    p: float
    systems: Sequence[str]
    raw: Sequence[float]
    aware: Sequence[float]
    top_raw: Sequence[str]
    top_aware: Sequence[str]
    tau: float | None
    low: float | None = None  # 95% limits of tau
    high: float | None = None


@dataclass(frozen=True, eq=False)
class UnanimityExperiment:
    """The system rankings under both gains (table 2 of the paper), and the pairs that change sides (table 3)."""

    rankings: Table
    changed: Table
    panels: tuple[Panel, ...]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tables()))

    def tables(self) -> list[Table]:
        """What a person sees."""
        return [self.rankings, self.changed]


def unanimity(
    ratings: RatingsLike,
    runs: RunsLike,
    *,
    scale: Scale | str,
    out_of_range: OutOfRange = "error",
    ps: Sequence[float] = PS,
    measures: Sequence[str] = MEASURES,
    replicates: int = 5000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int | None = None,
    most_replicates: int | None = None,
    counting: Counting = "plus-one",
) -> UnanimityExperiment:
    """Score runs by RawG and by UG, and tell what changes: the ranking, the top set, and which pairs differ.

    For every measure and p: Kendall's tau-b of the two rankings with its 95% interval (Wilson's), the
    overlap (Jaccard) of the top sets, systems not distinguishable from the best, and the pairs significant by exactly
    one of the two, by the randomised Tukey HSD test, with p, |d| and ES_HSD = |d|/sqrt(residual variance).  P-values
    are (count + 1)/(replicates + 1); counting='published' is count/replicates, as in the paper.

    A p-value of B replicates errs by sqrt(alpha (1 - alpha)/B) where it is near alpha.  Where some pair's lies within
    three such errors, that test is drawn again with four times as many, up to `most_replicates` (16 times `replicates`
    unless given; less for very many systems and topics); pairs that are then still within two errors are counted in a
    note.

    Sakai 2017, EVIA, tables 2 and 3.

    >>> from truegain.experiments.ratings_world import uniform_ratings
    >>> from truegain.experiments.world import simulate
    >>> world = simulate(topics=10, systems=4, seed=1)
    >>> ratings = uniform_ratings(world.gold, assessors=5, highest=2, seed=1)
    >>> found = unanimity(ratings, world.runs, scale="0:2", ps=[0.2], measures=["nG@1"], replicates=200)
    >>> [(row["measure"], row["p"], row["systems"]) for row in found.rankings.records()]
    [('nG@1', 0.2, 4)]
    """
    check_alpha(alpha)
    check_counting(counting)
    check_trials(replicates, alpha if counting == "plus-one" else None)
    most = 16 * replicates if most_replicates is None else max(replicates, most_replicates)
    table = read_ratings(ratings, scale=scale, out_of_range=out_of_range)
    asked = [a.measure for a in measures_for_gains(parse_measures(list(measures)))]
    raw = evaluate(runs, aggregate(table, "sum", scale=scale), asked, jobs=jobs)
    if len(raw.systems) < 3:
        raise TruegainError(f"{len(raw.systems)} systems have no ranking to compare; give at least 3 runs")
    rankings: list[tuple[Cell, ...]] = []
    changed: list[tuple[Cell, ...]] = []
    panels: list[Panel] = []
    tested = {m: _tested(raw, m, alpha, (replicates, most), seed, jobs, counting) for m in raw.measures}
    ties: dict[str, None] = {}
    near = _Near(alpha)
    for p in ps:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # the same runs on the same topics: told once, above
            aware = evaluate(runs, aggregate(table, f"unanimity(p={p})", scale=scale), asked, jobs=jobs)
        for shown, measure in zip(measures, raw.measures, strict=True):
            other = _tested(aware, measure, alpha, (replicates, most), seed, jobs, counting)
            pairs = _changed(raw.systems, tested[measure], other, alpha)
            near.count(tested[measure], other)
            for gain, test in (("RawG", tested[measure]), (f"UG with p = {p:g}", other)):
                if np.ptp(test.anova.means) == 0:
                    ties[f"tau is undefined for {shown}: all systems are tied by {gain}"] = None
            changed += [(shown, p, *pair) for pair in pairs]
            panel = _panel(shown, p, raw.systems, tested[measure], other, alpha)
            panels.append(panel)
            topics = raw.matrix(measure).shape[1]
            rankings.append((*_ranked(panel, topics), len(pairs)))
    made_by = {
        "scale": str(scale),
        "replicates": replicates,
        "alpha": alpha,
        "seed": seed,
        "counting": counting,
        "measures": list(raw.measures),
    }
    columns = ("measure", "p", "systems", "topics", "tau", "low", "high", "top sets", "pairs", "changed")
    notes = (
        f"randomised Tukey HSD, {replicates} trials{near.more(replicates)}, alpha {alpha:g}; "
        "top sets: shared part of both",
        *ties,
    )
    return UnanimityExperiment(
        Table(columns, rankings, made_by, "RawG against UG: rankings", notes),
        Table(_CHANGED, changed, made_by, "Pairs significant by one gain only", near.said(len(changed))),
        tuple(panels),
    )


_CHANGED = ("measure", "p", "better", "worse", "p RawG", "|d| RawG", "ES RawG", "p UG", "|d| UG", "ES UG")


def check_alpha(alpha: float) -> float:
    """A level of significance, or an error where it is none.

    >>> check_alpha(5)
    Traceback (most recent call last):
    ...
    truegain.errors.TruegainError: alpha 5 is not a level of significance; give a number between 0 and 1, such as 0.05
    """
    if not 0 < alpha < 1:
        raise TruegainError(
            f"{argname('alpha', alpha, 'g')} is not a level of significance; give a number between 0 and 1, such as "
            "0.05"
        )
    return float(alpha)


@dataclass
class _Near:
    """Counts pairs whose p-values lie so near alpha that another draw may decide otherwise."""

    alpha: float
    listed: int = 0
    others: int = 0
    widest: float = 0.0
    trials: int = 0

    def count(self, one: Tukey, two: Tukey) -> None:
        """Take in the pairs of two tests."""
        upper = np.triu_indices(len(one.p), 1)
        near = np.zeros(len(upper[0]), np.bool_)
        for test in (one, two):
            self.trials = max(self.trials, 0 if test.exact else int(test.trials or 0))
            if not test.exact:
                error = 2 * error_of(self.alpha, int(test.trials or 1))
                found = np.abs(test.p[upper] - self.alpha) < error
                self.widest = max(self.widest, error) if found.any() else self.widest
                near |= found
        flips = (one.p[upper] < self.alpha) != (two.p[upper] < self.alpha)
        self.listed += int((near & flips).sum())
        self.others += int((near & ~flips).sum())

    def more(self, trials: int) -> str:
        """How far the trials were raised."""
        return f" (up to {self.trials} where a p-value was near alpha)" if self.trials > trials else ""

    def said(self, changed: int) -> tuple[str, ...]:
        """What to tell below the list of pairs."""
        notes = [] if changed else ["no pair of systems changes sides"]
        about = f"within {self.widest:.4f} of {self.alpha:g}, two standard errors of its trials"
        if self.listed:
            notes.append(
                f"in {self.listed} of {changed} pairs a p-value lies {about}: another seed may decide otherwise"
            )
        if self.others:
            notes.append(f"{self.others} pair(s) not listed have a p-value {about}: another seed might list them")
        return tuple(notes)


def error_of(p: float, trials: int) -> float:
    """The standard error of a p-value that is the share of so many trials."""
    return float((p * (1 - p) / trials) ** 0.5)


def _tested(
    scores: Scores,
    measure: str,
    alpha: float,
    trials: tuple[int, int],
    seed: int,
    jobs: int | None,
    counting: Counting = "plus-one",
) -> Tukey:
    """The randomised test, with more trials while some pair is near alpha."""
    matrix, (asked, most) = scores.matrix(measure), trials
    most = max(asked, min(most, MOST_CELLS // max(1, matrix.size)))
    while True:
        test = randomised_tukey_hsd(matrix, Trials(trials=asked, seed=seed, jobs=jobs, counting=counting))
        upper = test.p[np.triu_indices(len(test.p), 1)]
        if test.exact or asked >= most or not (np.abs(upper - alpha) < 3 * error_of(alpha, asked)).any():
            return test
        asked = min(most, 4 * asked)


def _panel(measure: str, p: float, systems: Sequence[str], one: Tukey, two: Tukey, alpha: float) -> Panel:
    a, b = one.anova.means, two.anova.means
    tau = None if np.ptp(a) == 0 or np.ptp(b) == 0 else tau_interval(a, b)
    top_raw, top_aware = (top_set(tuple(systems), test.anova.means, test.p, alpha) for test in (one, two))
    interval = (None, None, None) if tau is None else (tau.value, tau.low, tau.high)
    return Panel(measure, p, tuple(systems), tuple(a.tolist()), tuple(b.tolist()), top_raw, top_aware, *interval)


def _ranked(panel: Panel, topics: int) -> tuple[Cell, ...]:
    """Measure, p, systems, topics, tau with its interval, overlap of the top sets, pairs."""
    n, tau = len(panel.systems), (panel.tau, panel.low, panel.high)
    return panel.measure, panel.p, n, topics, *tau, jaccard(panel.top_raw, panel.top_aware), n * (n - 1) // 2


def _changed(systems: Sequence[str], one: Tukey, two: Tukey, alpha: float) -> list[tuple[Cell, ...]]:
    first, second = np.triu_indices(len(systems), 1)
    flips = np.flatnonzero((one.p[first, second] < alpha) != (two.p[first, second] < alpha))
    rows: list[tuple[Cell, ...]] = []
    if not len(flips):
        return rows
    sizes = [np.abs(t.anova.effects) for t in (one, two)]
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
