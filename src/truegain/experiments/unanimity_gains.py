"""What unanimity changes: the sum of ratings against the unanimity-aware gain, on real and simulated assessors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from truegain.aggregation.aggregate import aggregate
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.ratings import RatingsLike, Scale, read_ratings
from truegain.data.runs import Runs, RunsLike
from truegain.data.scores import Scores
from truegain.errors import DataWarning, TruegainError
from truegain.experiments.discriminative import jaccard, top_set
from truegain.experiments.worlds import uniform_ratings
from truegain.io.column_names import OutOfRange
from truegain.measures.evaluate import evaluate
from truegain.measures.parse import parse_measures
from truegain.measures.scoring import measures_for_gains
from truegain.message import argname, by_surface
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.stats.multiple_testing import Counting, Trials, check_counting, check_trials
from truegain.stats.rank_correlation import tau_interval
from truegain.stats.significance.anova import Tukey, randomized_tukey_hsd

# ---- What unanimity changes: the sum of ratings against the unanimity-aware gain, on the user's runs.

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
    one of the two, by the randomized Tukey HSD test, with p, |d| and ES_HSD = |d|/sqrt(residual variance).  P-values
    are (count + 1)/(replicates + 1); counting='published' is count/replicates, as in the paper.

    A p-value of B replicates errs by sqrt(alpha (1 - alpha)/B) where it is near alpha.  Where some pair's lies within
    three such errors, that test is drawn again with four times as many, up to `most_replicates` (16 times `replicates`
    unless given; less for very many systems and topics); pairs that are then still within two errors are counted in a
    note.

    Sakai 2017, EVIA, tables 2 and 3.

    >>> from truegain.experiments.worlds import uniform_ratings
    >>> from truegain.experiments.worlds import simulate
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
    parsed = [a.measure for a in measures_for_gains(parse_measures(list(measures)))]
    raw = evaluate(runs, aggregate(table, "sum", scale=scale), parsed, jobs=jobs)
    if len(raw.systems) < 3:
        raise TruegainError(f"{len(raw.systems)} systems are too few to rank; give at least 3 runs")
    rankings: list[tuple[Cell, ...]] = []
    changed: list[tuple[Cell, ...]] = []
    panels: list[Panel] = []
    tested = {m: _tested(raw, m, alpha, (replicates, most), seed, jobs, counting) for m in raw.measures}
    ties: dict[str, None] = {}
    near = _Near(alpha)
    for p in ps:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # the same runs on the same topics: told once, above
            aware = evaluate(runs, aggregate(table, f"unanimity(p={p})", scale=scale), parsed, jobs=jobs)
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
    provenance = {
        "scale": str(scale),
        "replicates": replicates,
        "alpha": alpha,
        "seed": seed,
        "counting": counting,
        "measures": list(raw.measures),
    }
    columns = ("measure", "p", "systems", "topics", "tau", "low", "high", "top sets", "pairs", "changed")
    notes = (
        f"randomized Tukey HSD, {replicates} trials{near.more(replicates)}, alpha {alpha:g}; top sets: overlap of both",
        *ties,
    )
    return UnanimityExperiment(
        Table(columns, rankings, provenance, "RawG against UG: rankings", notes),
        Table(_CHANGED, changed, provenance, "Pairs significant by one gain only", near.notes(len(changed))),
        tuple(panels),
    )


_CHANGED = ("measure", "p", "better", "worse", "p RawG", "|d| RawG", "ES RawG", "p UG", "|d| UG", "ES UG")


def check_alpha(alpha: float) -> float:
    """A level of significance, or an error where it is none.

    >>> check_alpha(5)
    Traceback (most recent call last):
    ...
    truegain.errors.TruegainError: alpha 5 is not a significance level; give a number between 0 and 1, such as 0.05
    """
    if not 0 < alpha < 1:
        raise TruegainError(
            f"{argname('alpha', alpha, 'g')} is not a significance level; give a number between 0 and 1, such as 0.05"
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
                unsure = np.abs(test.p[upper] - self.alpha) < error
                self.widest = max(self.widest, error) if unsure.any() else self.widest
                near |= unsure
        flips = (one.p[upper] < self.alpha) != (two.p[upper] < self.alpha)
        self.listed += int((near & flips).sum())
        self.others += int((near & ~flips).sum())

    def more(self, trials: int) -> str:
        """How far the trials were raised."""
        return f" (up to {self.trials} where a p-value was near alpha)" if self.trials > trials else ""

    def notes(self, changed: int) -> tuple[str, ...]:
        """What to tell below the list of pairs."""
        notes = [] if changed else ["no pair of systems changes sides"]
        about = f"within {self.widest:.4f} of {self.alpha:g}, two standard errors of its trials"
        if self.listed:
            notes.append(
                f"in {self.listed} of {changed} pairs a p-value lies {about}: another seed may give another result"
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
    """The randomized test, with more trials while some pair is near alpha."""
    matrix, (count, most) = scores.matrix(measure), trials
    most = max(count, min(most, MOST_CELLS // max(1, matrix.size)))
    while True:
        test = randomized_tukey_hsd(matrix, Trials(trials=count, seed=seed, jobs=jobs, counting=counting))
        upper = test.p[np.triu_indices(len(test.p), 1)]
        if test.exact or count >= most or not (np.abs(upper - alpha) < 3 * error_of(alpha, count)).any():
            return test
        count = min(most, 4 * count)


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
            apart = float(abs(test.anova.means[i] - test.anova.means[j]))
            cells += [float(test.p[i, j]), apart, float(size[i, j])]
        rows.append(tuple(cells))
    return rows


# ---- Unanimity on simulated assessors: the paper's grid of scales and numbers of assessors, on the user's runs.

HIGHEST = (2, 4, 8)
ASSESSORS = (5, 10, 20, 40, 80)
LISTED = 30  # pairs that people are shown


@dataclass(frozen=True, eq=False)
class UnanimityGrid:
    """For every measure, Dmax and N: tau of the rankings by RawG and UG (table 2), and pairs that change (table 3)."""

    rankings: Table
    changed: Table

    def wide(self) -> Table:
        """Tau with its interval, a row a measure and Dmax, a column a number of assessors, as the paper prints it."""
        rows = self.rankings.records()
        sizes = list(dict.fromkeys(r["N"] for r in rows))
        cells: dict[tuple[Cell, Cell], dict[Cell, str]] = {}
        for r in rows:
            cells.setdefault((r["measure"], r["Dmax"]), {})[r["N"]] = _shown(r["tau"], r["low"], r["high"])
        table = [(m, d, *(by_size[n] for n in sizes)) for (m, d), by_size in cells.items()]
        columns = ("measure", "Dmax", *(f"N = {n}" for n in sizes))
        return Table(columns, table, self.rankings.provenance, self.rankings.title, self.rankings.notes)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tables()))

    def tables(self) -> list[Table]:
        """What a person sees: the agreement of the rankings, and the first pairs that changed places."""
        pairs, more = self.changed, len(self.changed.rows) - LISTED
        if more > 0:
            note = (
                f"{more:,} more of {len(pairs.rows):,} pairs: {by_surface('`changed`', '--changed --format csv')} has "
                "all"
            )
            pairs = Table(pairs.columns, pairs.rows[:LISTED], pairs.provenance, pairs.title, (note, *pairs.notes))
        return [self.wide(), pairs]


def unanimity_grid(
    runs: RunsLike,
    judgments: JudgmentsLike,
    *,
    highest: Sequence[int] = HIGHEST,
    assessors: Sequence[int] = ASSESSORS,
    p: float = 0.2,
    measures: Sequence[str] = MEASURES,
    replicates: int = 5000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int | None = None,
    counting: Counting = "plus-one",
    progress: Callable[[], None] = lambda: None,
) -> UnanimityGrid:
    """Simulate N assessors on scales from 0 to Dmax behind judgments, and tell what unanimity changes in every cell.

    A document whose label is not above 0 is rated 0 by all, another uniformly at random: nobody agrees but by chance,
    the worst case for unanimity.  Every cell is drawn from (seed, Dmax, N), so that it does not depend on the others,
    and is `unanimity` with one p, whose tests here take `replicates` trials and no more.

    Sakai 2017, EVIA, section 4 and tables 2 and 3.

    >>> from truegain.experiments.worlds import simulate
    >>> world = simulate(topics=10, systems=4, seed=1)
    >>> small = {"highest": [2], "assessors": [5, 20], "measures": ["nG@1"], "replicates": 100}
    >>> result = unanimity_grid(world.runs, world.gold, **small)
    >>> [(row["Dmax"], row["N"]) for row in result.rankings.records()]
    [(2, 5), (2, 20)]
    """
    for name, sizes in (("highest", highest), ("assessors", assessors)):
        if not sizes or min(sizes) < 1:
            raise TruegainError(
                f"{argname(name, ', '.join(map(str, sizes)) or 'nothing', '')}: give whole numbers of at least 1"
            )
    table, lists = Judgments.of(judgments), Runs.of(runs)
    rankings: list[tuple[Cell, ...]] = []
    changed: list[tuple[Cell, ...]] = []
    columns: tuple[str, ...] = ()
    for at, (d, n) in enumerate((d, n) for d in highest for n in assessors):
        drawn = uniform_ratings(table, assessors=n, highest=d, seed=cell_seed(seed, d, n))
        with warnings.catch_warnings():
            if at:
                warnings.simplefilter("ignore", DataWarning)  # the same runs on the same topics: told once
            result = unanimity(
                drawn, lists, scale=f"0:{d}", ps=[p], measures=measures, replicates=replicates, alpha=alpha, seed=seed,
                jobs=jobs, most_replicates=replicates, counting=counting,
            )  # fmt: skip
        rankings += [(m, d, n, *rest) for m, _, *rest in result.rankings.rows]
        changed += [(m, d, n, *rest) for m, _, *rest in result.changed.rows]
        columns = result.changed.columns
        progress()
    order = {m: i for i, m in enumerate(measures)}
    for rows in (rankings, changed):
        rows.sort(key=lambda row: order[str(row[0])])  # by measure; cells stay in order
    provenance = {
        "p": p,
        "replicates": replicates,
        "alpha": alpha,
        "seed": seed,
        "counting": counting,
        "measures": list(measures),
    }
    names = ("measure", "Dmax", "N", "systems", "topics", "tau", "low", "high", "top sets", "pairs", "changed")
    title = f"RawG against UG, p = {p:g}: ratings by N simulated assessors from 0 to Dmax"
    notes = (
        f"relevant documents are rated uniformly at random, others 0; randomized Tukey HSD, {replicates} trials, "
        f"alpha {alpha:g}; intervals of tau over systems",
    )
    pairs = ("measure", "Dmax", "N", *columns[2:])
    none = () if changed else ("no pair of systems changes sides",)
    return UnanimityGrid(
        Table(names, rankings, provenance, title, notes),
        Table(pairs, changed, provenance, "Pairs significant by one gain only", none),
    )


def cell_seed(seed: int, highest: int, assessors: int) -> int:
    """The seed of a cell."""
    return int(np.random.SeedSequence([seed, highest, assessors]).generate_state(1)[0])


def _shown(*numbers: Cell) -> str:
    tau, low, high = (None if v is None else f"{v:.3f}" for v in numbers)
    return "-" if tau is None else tau if low is None else f"{tau} [{low}, {high}]"
