"""What unanimity changes: the sum of ratings against the unanimity-aware gain, on real and simulated assessors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from truegain.aggregation.aggregate import aggregate
from truegain.config import OutOfRange
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.ratings import RatingsLike, Scale, read_ratings
from truegain.data.runs import Runs, RunsLike
from truegain.data.scores import Scores
from truegain.data.teams import Teams, read_teams
from truegain.errors import DataWarning, TruegainError
from truegain.experiments.discriminative import jaccard, top_set
from truegain.experiments.worlds import uniform_ratings
from truegain.io.columns import Floats
from truegain.io.files import PathLike
from truegain.io.frames import FrameLike
from truegain.measures.catalogue import parse_measures
from truegain.measures.evaluate import evaluate
from truegain.measures.scoring import measures_for_gains
from truegain.message import argname, by_surface
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.stats.multiple_testing import Counting, Trials, check_counting, check_trials
from truegain.stats.rank_correlation import tau_interval
from truegain.stats.significance.anova import Tukey, randomized_tukey_hsd, two_way

# ---- What unanimity changes: the sum of ratings against the unanimity-aware gain, on the user's runs.

MEASURES = ("nG@1", "P+@10", "nERR@10")  # the paper evaluates the first 10 of each run
BEST_BY = "nG@1"
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
    low: float | None = None  # 95% limits of tau, Wilson's
    high: float | None = None
    published_low: float | None = None  # Hollander and Wolfe's, as the paper has them
    published_high: float | None = None
    tested: Sequence[str] = ()  # the systems that top sets and pairs are of; none: all


@dataclass(frozen=True)
class TeamRuns:
    """Runs with the teams that submitted them: rankings are of all runs, pairs of the best run of each team.

    Parameters
    ----------
    runs : RunsLike
        All runs.
    teams : Teams, mapping of run to team, frame or path-like
        Who submitted each; a table has columns `run` and `team`.
    best_by : str
        The measure that chooses the best run of a team, by its mean over topics.
    official : JudgmentsLike, optional
        The judgments by which it chooses; without them the sums of the ratings.

    Examples
    --------
    >>> from truegain.experiments.worlds import simulate, uniform_ratings
    >>> world = simulate(topics=10, systems=4, seed=1)
    >>> teams = {"system-1": "A", "system-2": "A", "system-3": "B", "system-4": "C"}
    >>> ratings = uniform_ratings(world.gold, assessors=5, highest=2, seed=1)
    >>> found = unanimity(ratings, TeamRuns(world.runs, teams), scale="0:2", ps=[0.2], replicates=200)
    >>> [(row["systems"], row["tested"], row["pairs"]) for row in found.rankings.records()]
    [(4, 3, 3), (4, 3, 3), (4, 3, 3)]
    """

    runs: RunsLike
    teams: Teams | Mapping[str, str] | FrameLike | PathLike
    best_by: str = BEST_BY
    official: JudgmentsLike | None = None

    def best(self, ratings: Judgments, scale: Scale | str) -> list[str]:
        """The best run of each team, in the order of the runs.

        Parameters
        ----------
        ratings : Judgments
            Their sums choose where there are no official judgments.
        scale : Scale or str
            The scale of the ratings.

        Returns
        -------
        list of str
            One run of each team.
        """
        teams = read_teams(self.teams)
        labels = aggregate(ratings, "sum", scale=scale) if self.official is None else self.official
        requested = parse_measures([self.best_by])
        parsed = [a.measure for a in (measures_for_gains(requested) if self.official is None else requested)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # told where the same runs are scored by every measure
            scores = evaluate(self.runs, labels, parsed)
        best = set(teams.best_run_of_each(scores.by_system()))
        chosen = [system for system in scores.systems if system in best]
        if len(chosen) < 2:
            raise TruegainError(f"{argname('teams')}: all runs are of one team; give runs of at least 2 to compare")
        return chosen


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
    runs: RunsLike | TeamRuns,
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

    For every measure and p: Kendall's tau-b of the two rankings with its 95% interval (`low` and `high` Wilson's, `HW
    low` and `HW high` that of Hollander and Wolfe, as in the paper), the overlap (Jaccard) of the top sets, systems not
    distinguishable from the best, and the pairs significant by exactly one of the two, by the randomized Tukey HSD
    test, with p, |d|, ES_HSD = |d|/sqrt(V), and |d|/V, V the residual variance: the paper defines ES_HSD as the first,
    and the p-values in its table are possible only if it prints the second.  P-values are (count + 1)/(replicates + 1);
    counting='published' is count/replicates, as in the paper.  With `TeamRuns` the rankings are of all runs, top sets
    and pairs of the best run of each team.

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
    lists = runs.runs if isinstance(runs, TeamRuns) else runs
    raw = evaluate(lists, aggregate(table, "sum", scale=scale), parsed, jobs=jobs)
    if len(raw.systems) < 3:
        raise TruegainError(f"{len(raw.systems)} systems are too few to rank; give at least 3 runs")
    chosen = tuple(runs.best(table, scale)) if isinstance(runs, TeamRuns) else tuple(raw.systems)
    rankings: list[tuple[Cell, ...]] = []
    changed: list[tuple[Cell, ...]] = []
    panels: list[Panel] = []

    def both(scores: Scores, measure: str) -> tuple[Floats, Tukey]:
        """Means of all systems, and the test of those chosen."""
        matrix = scores.matrix(measure)
        rows = matrix if chosen == tuple(scores.systems) else matrix[[scores.systems.index(s) for s in chosen]]
        return two_way(matrix).means, _tested(rows, alpha, (replicates, most), seed, jobs, counting)

    by_sum = {m: both(raw, m) for m in raw.measures}
    ties: dict[str, None] = {}
    near = _Near(alpha)
    for p in ps:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # the same runs on the same topics: told once, above
            aware = evaluate(lists, aggregate(table, f"unanimity(p={p})", scale=scale), parsed, jobs=jobs)
        for shown, measure in zip(measures, raw.measures, strict=True):
            (means, test), (other_means, other) = by_sum[measure], both(aware, measure)
            pairs = _changed(chosen, test, other, alpha)
            near.count(test, other)
            for gain, by_gain in (("RawG", means), (f"UG with p = {p:g}", other_means)):
                if np.ptp(by_gain) == 0:
                    ties[f"tau is undefined for {shown}: all systems are tied by {gain}"] = None
            changed += [(shown, p, *pair) for pair in pairs]
            top, other_top = (top_set(chosen, t.anova.means, t.p, alpha) for t in (test, other))
            by_both = means.tolist(), other_means.tolist()
            panel = _with_tau(Panel(shown, p, raw.systems, *by_both, top, other_top, None, tested=chosen))
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
    by_team = isinstance(runs, TeamRuns)
    if isinstance(runs, TeamRuns):
        provenance |= {"best_by": runs.best_by, "tested": list(chosen)}
    notes = (
        f"randomized Tukey HSD, {replicates} trials{near.more(replicates)}, alpha {alpha:g}; top sets: overlap of both",
        *((_tested_note(len(raw.systems), len(chosen), runs.best_by),) if isinstance(runs, TeamRuns) else ()),
        LIMITS_NOTE,
        *ties,
    )
    title = "Pairs significant by one gain only" + (", best run of each team" if by_team else "")
    sizes = (EFFECT_NOTE,) if changed else ()
    return UnanimityExperiment(
        Table(("measure", "p", *_RANKED), rankings, provenance, "RawG against UG: rankings", notes),
        Table(("measure", "p", *_CHANGED), changed, provenance, title, (*sizes, *near.notes(len(changed)))),
        tuple(panels),
    )


_RANKED = (
    "systems", "topics", "tau", "low", "high", "HW low", "HW high", "top sets", "tested", "pairs", "changed",
)  # fmt: skip
_CHANGED = (
    "better", "worse", "p RawG", "|d| RawG", "ES RawG", "|d|/V RawG", "p UG", "|d| UG", "ES UG", "|d|/V UG",
)  # fmt: skip
LIMITS_NOTE = (
    "95% intervals of tau over systems: low and high Wilson's; HW Hollander and Wolfe's, as published, which may leave "
    "[-1, 1] and has no width where no pair is tied or in dispute. Where tau is 1, Wilson's counts only pairs that "
    "share no system, and may be wider than that of a tau just below 1"
)
EFFECT_NOTE = (
    "ES: |d| over the residual standard deviation, as Sakai 2017 defines ES_HSD; |d|/V: over the residual variance, "
    "by which the p-values of its table 3 are possible (by ES they would be below 1e-9)"
)


def _tested_note(systems: Cell, teams: Cell, best_by: str) -> str:
    """What is of all runs, and what of the best of each team."""
    whose = f"the best run of each of {teams} teams, by {best_by}"
    return f"tau is over all {systems} runs; top sets and pairs are of {whose}"


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
    matrix: Floats,
    alpha: float,
    trials: tuple[int, int],
    seed: int,
    jobs: int | None,
    counting: Counting = "plus-one",
) -> Tukey:
    """The randomized test, with more trials while some pair is near alpha."""
    count, most = trials
    most = max(count, min(most, MOST_CELLS // max(1, matrix.size)))
    while True:
        test = randomized_tukey_hsd(matrix, Trials(trials=count, seed=seed, jobs=jobs, counting=counting))
        upper = test.p[np.triu_indices(len(test.p), 1)]
        if test.exact or count >= most or not (np.abs(upper - alpha) < 3 * error_of(alpha, count)).any():
            return test
        count = min(most, 4 * count)


def _with_tau(panel: Panel) -> Panel:
    """A panel with tau of its means and both intervals; without, where all systems are tied."""
    if len(set(panel.raw)) == 1 or len(set(panel.aware)) == 1:
        return panel
    ours, published = (tau_interval(panel.raw, panel.aware, m) for m in ("wilson", "hollander-wolfe"))
    return replace(
        panel, tau=ours.value, low=ours.low, high=ours.high, published_low=published.low, published_high=published.high
    )


def _ranked(panel: Panel, topics: int) -> tuple[Cell, ...]:
    """Measure, p, systems, topics, tau with its intervals, overlap of the top sets, systems and pairs tested."""
    n, tau = len(panel.tested), (panel.tau, panel.low, panel.high, panel.published_low, panel.published_high)
    top = jaccard(panel.top_raw, panel.top_aware)
    return panel.measure, panel.p, len(panel.systems), topics, *tau, top, n, n * (n - 1) // 2


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
            by_variance = float(size[i, j]) / test.anova.v_e**0.5 if test.anova.v_e else None
            cells += [float(test.p[i, j]), apart, float(size[i, j]), by_variance]
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
        """Tau with Hollander and Wolfe's interval, a row a measure and Dmax, a column an N, as the paper prints it."""
        rows = self.rankings.records()
        sizes = list(dict.fromkeys(r["N"] for r in rows))
        cells: dict[tuple[Cell, Cell], dict[Cell, str]] = {}
        for r in rows:
            cells.setdefault((r["measure"], r["Dmax"]), {})[r["N"]] = _shown(r["tau"], r["HW low"], r["HW high"])
        table = [(m, d, *(by_size[n] for n in sizes)) for (m, d), by_size in cells.items()]
        columns = ("measure", "Dmax", *(f"N = {n}" for n in sizes))
        limits = (
            "95% intervals of tau over systems are Hollander and Wolfe's, as published; "
            f"Wilson's are in {by_surface('`rankings`', '`truegain experiment unanimity-grid ... --format csv`')}"
        )
        notes = tuple(limits if note == LIMITS_NOTE else note for note in self.rankings.notes)
        return Table(columns, table, self.rankings.provenance, self.rankings.title, notes)

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
    runs: RunsLike | TeamRuns,
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
    progress: Callable[[], None] | None = None,
) -> UnanimityGrid:
    """Simulate N assessors on scales from 0 to Dmax behind judgments, and tell what unanimity changes in every cell.

    A document whose label is not above 0 is rated 0 by all, another uniformly at random: nobody agrees but by chance,
    the worst case for unanimity.  Every cell is drawn from (seed, Dmax, N), so that it does not depend on the others,
    and is `unanimity` with one p, whose tests here take `replicates` trials and no more.  With `TeamRuns` the judgments
    themselves, as the official ones, choose the best run of each team unless it names others.

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
    table = Judgments.of(judgments)
    lists: Runs | TeamRuns
    if isinstance(runs, TeamRuns):
        official = table if runs.official is None else runs.official
        lists = replace(runs, runs=Runs.of(runs.runs), teams=read_teams(runs.teams), official=official)
    else:
        lists = Runs.of(runs)
    rankings: list[tuple[Cell, ...]] = []
    changed: list[tuple[Cell, ...]] = []
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
        if progress is not None:
            progress()
    order = {m: i for i, m in enumerate(measures)}
    for rows in (rankings, changed):
        rows.sort(key=lambda row: order[str(row[0])])  # by measure; cells stay in order
    provenance: dict[str, object] = {
        "p": p,
        "replicates": replicates,
        "alpha": alpha,
        "seed": seed,
        "counting": counting,
        "measures": list(measures),
    }
    title = f"RawG against UG, p = {p:g}: ratings by N simulated assessors from 0 to Dmax"
    notes: tuple[str, ...] = (
        f"relevant documents are rated uniformly at random, others 0; randomized Tukey HSD, {replicates} trials, "
        f"alpha {alpha:g}",
    )
    if isinstance(lists, TeamRuns):
        systems, tested = rankings[0][3], rankings[0][_RANKED.index("tested") + 3]
        notes = (*notes, _tested_note(systems, tested, lists.best_by))
        provenance["best_by"] = lists.best_by
    names = ("measure", "Dmax", "N")
    about = (EFFECT_NOTE,) if changed else ("no pair of systems changes sides",)
    sides = "Pairs significant by one gain only" + (", best run of each team" if isinstance(lists, TeamRuns) else "")
    return UnanimityGrid(
        Table((*names, *_RANKED), rankings, provenance, title, (*notes, LIMITS_NOTE)),
        Table((*names, *_CHANGED), changed, provenance, sides, about),
    )


def cell_seed(seed: int, highest: int, assessors: int) -> int:
    """The seed of a cell."""
    return int(np.random.SeedSequence([seed, highest, assessors]).generate_state(1)[0])


def _shown(*numbers: Cell) -> str:
    tau, low, high = (None if v is None else f"{v:.3f}" for v in numbers)
    return "-" if tau is None else tau if low is None else f"{tau} [{low}, {high}]"
