"""What normalizing and aggregating do to magnitudes: agreement with experts by every combination, and diagnostics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.experiments.magnitude_units import read_magnitudes
from truegain.gains.magnitudes import normalized
from truegain.gains.make import aggregate
from truegain.gains.order import Order, expert_levels, order_agreement
from truegain.tables.columns import Floats
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike, RatingsLike
from truegain.tables.ratings import Repeated
from truegain.tables.table import Cell, Table

ROUNDING = 1e-12  # logarithms nearer than this, relative to the greatest, are equal
AGGREGATIONS = ("median", "geometric", "arithmetic")


@dataclass(frozen=True, eq=False)
class MagnitudeExperiment:
    """Order agreement of gains with experts by normalization and aggregation, and the habits behind the numbers."""

    combinations: Table
    habits: Table

    def __str__(self) -> str:
        return f"{self.combinations}\n\n{self.habits}"


def magnitudes(ratings: RatingsLike, expert: JudgmentsLike, *, repeated: Repeated = "error") -> MagnitudeExperiment:
    """Tell which way from magnitudes to gains orders documents as experts do, and how people used numbers.

    combinations: for every normalization (also none) and aggregation, the share of pairs of documents of a topic, on
    different levels of the experts, that the gains put in the same order: mean over topics, and over all pairs
    (figure 8 of the paper); where the true worth is known, as in a simulation, give it as `expert`.
    habits: per topic a log-normal fit (mean and standard deviation of logarithms) and its greatest distance from the
    data (Kolmogorov and Smirnov's D), the share of round numbers, the greatest ratio.

    Maddalena et al. 2017, ACM TOIS 35(3), sections 4.3, 5 and 6.1.

    >>> from truegain.experiments.ratings_world import magnitude_ratings
    >>> world = magnitude_ratings(topics=4, docs=20, workers=5, seed=1)
    >>> len(magnitudes(world.ratings, world.expert).combinations.rows)
    15
    """
    table, judged = read_magnitudes(ratings, repeated), Judgments.of(expert)
    marked = "anchor" in table.extra
    hows = ["geometric", "median", "range", *(["anchors"] if marked else []), "none"]
    rows: list[tuple[Cell, ...]] = []
    for how in hows:
        moved = normalized(table, how)
        for rule in AGGREGATIONS:
            gains = aggregate(moved, rule, scale="ratio")
            pairs = order_agreement(gains.label, expert_levels(gains, judged), gains.topic.code.astype(np.int64))
            rows.append((how, rule, *_shares(pairs, len(gains.topic.values)), len(pairs)))
    notes = [] if marked else ["anchors need a column 'anchor' that marks each unit's known documents"]
    if not rows[0][-1]:
        notes.append("undefined: no topic has two rated documents that experts put on different levels")
    columns = ("normalize", "aggregate", "mean over topics", "all pairs", "pairs")
    return MagnitudeExperiment(
        Table(columns, rows, {"source": table.source}, "Documents ordered as experts do", tuple(notes)),
        _habits(table),
    )


def _shares(pairs: Order, topics: int) -> tuple[Cell, Cell]:
    share, _ = pairs.by_group(topics)
    known = share[~np.isnan(share)]
    return (float(known.mean()) if len(known) else None), pairs.share


def normalized_habits(table: Judgments, how: str = "geometric") -> Table:
    """The habits of normalized scores: log-normal fit of each topic, drawn as CDFs in figure 2 of the paper.

    >>> from truegain.experiments.ratings_world import magnitude_ratings
    >>> world = magnitude_ratings(topics=2, docs=20, workers=5, seed=1)
    >>> normalized_habits(world.ratings).columns
    ('topic', 'ratings', 'mean of ln', 'sd of ln', 'D of log-normal', 'max/min')
    """
    found = _habits(normalized(table, how))
    at = found.columns.index("round numbers")
    rows = [(*row[:at], *row[at + 1 :]) for row in found.rows]
    columns = (*found.columns[:at], *found.columns[at + 1 :])
    made_by = {**found.made_by, "normalize": how}
    return Table(columns, rows, made_by, f"Scores of each topic, normalized: {how}", found.notes[1:])


def _habits(table: Judgments) -> Table:
    rows: list[tuple[Cell, ...]] = []
    topics = [(topic, table.label[table.topic.code == code]) for code, topic in enumerate(table.topic.values)]
    if len(topics) > 1:
        topics.append(("all", table.label))
    single = equal = 0
    for topic, values in topics:
        logs, alike = np.log(values), values.min() == values.max()
        sd = None if len(values) < 2 else 0.0 if alike else float(logs.std(ddof=1))
        distance = None if alike else _distance(logs)
        single, equal = single + (len(values) < 2), equal + (len(values) > 1 and bool(alike))
        rows.append((topic, len(values), float(logs.mean()), sd, distance, _round(values),
                     float(values.max() / values.min())))  # fmt: skip
    columns = ("topic", "ratings", "mean of ln", "sd of ln", "D of log-normal", "round numbers", "max/min")
    notes = ["round numbers have one significant figure"]
    if single:
        notes.append(f"no sd and no fit in {single} rows of one rating")
    if equal:
        notes.append(f"no log-normal fit in {equal} rows whose ratings are all equal")
    return Table(columns, rows, {"source": table.source}, "How people used numbers", tuple(notes))


def _distance(logs: Floats) -> float | None:
    """The greatest distance between the distribution of the data and the normal one fitted to it; None without one."""
    from statistics import NormalDist

    if float(logs.std()) <= ROUNDING * max(1.0, float(np.abs(logs).max())):
        return None
    fitted = NormalDist(float(logs.mean()), float(logs.std(ddof=1)))
    n, inside = len(logs), np.array([fitted.cdf(v) for v in np.sort(logs).tolist()])
    return float(max((np.arange(1, n + 1) / n - inside).max(), (inside - np.arange(n) / n).max()))


def _round(values: Floats) -> float:
    """The share of values with one significant figure."""
    lead = values / 10.0 ** np.floor(np.log10(values))
    return float((np.abs(lead - np.round(lead)) < 1e-9 * lead).mean())
