"""Units of magnitudes: how they were collected, whether they agree, and what normalizing does to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from truegain.aggregation.aggregate import aggregate
from truegain.aggregation.magnitudes import expert_levels, normalized, order_agreement, units
from truegain.config import Repeated
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.pool import earlier
from truegain.data.rating_groups import Grouped, item_keys
from truegain.data.ratings import RatingsLike, read_ratings
from truegain.errors import InputError, TruegainError
from truegain.io.columns import Bools, Floats, Ints, frozen, number_of
from truegain.message import arg, argname
from truegain.reliability.alpha import MANY, AlphaOptions, Paired, alpha_against_0, alpha_of
from truegain.results.base import Table
from truegain.results.table import Cell, cells

# ---- Units of magnitudes: which agree with experts, how wide their scales are, and how their numbers were made.

BEST = 3  # units behind the gain of a document, unless asked for others
MOST_APART = 700.0  # natural logarithm of the greatest ratio that a double holds, and some room
LISTED = 10  # units with the most extreme ratios that are shown


@dataclass(frozen=True, eq=False)
class Units:
    """Magnitudes unit by unit: agreement with the experts' order, judged documents, and the ratio Hk/Nk.

    `agreement` is not a number for a unit without two documents on different levels; `ratio` where the unit has no
    documents marked 'high' and 'low' in a column `anchor`.  `best` is how many units are behind the gain of a document
    (the paper: 3), `wide_from` the Hk/Nk from which on a unit is wide (None: the median, 5 in the paper).
    """

    table: Judgments
    unit: Ints
    agreement: Floats
    judged: Ints
    ratio: Floats
    best: int = BEST
    wide_from: float | None = None

    def __len__(self) -> int:
        return len(self.agreement)

    @classmethod
    def of(cls, table: Judgments, expert: Judgments, *, best: int = BEST, wide_from: float | None = None) -> Units:
        """Hold each unit against the experts."""
        if best < 1:
            raise TruegainError(f"{argname('best', best)}: a gain needs at least 1 unit")
        if wide_from is not None and not (np.isfinite(wide_from) and wide_from > 0):
            raise TruegainError(f"{argname('wide_from', wide_from)}: a ratio Hk/Nk; give a finite number above 0")
        unit, count = units(table)
        level = expert_levels(table, expert)
        agreement, _ = order_agreement(table.label, level, unit).by_group(count)
        judged = np.bincount(unit[~np.isnan(level)], minlength=count).astype(np.int64)
        high, low = (_anchor(table, unit, count, names) for names in (("high", "h"), ("low", "n")))
        return cls(table, frozen(unit), frozen(agreement), frozen(judged), frozen(high / low), best, wide_from)

    @property
    def has_anchors(self) -> bool:
        """Whether some unit has its known documents marked."""
        return bool((~np.isnan(self.ratio)).any())

    @property
    def median_ratio(self) -> float | None:
        """The median Hk/Nk."""
        return float(np.nanmedian(self.ratio)) if self.has_anchors else None

    @property
    def cut(self) -> float | None:
        """The Hk/Nk between narrow units (below it) and wide ones: `wide_from`, or the median."""
        return self.median_ratio if self.wide_from is None else self.wide_from

    @property
    def about_cut(self) -> str:
        """Which units are narrow, in words."""
        middle = f"the median of {int((~np.isnan(self.ratio)).sum())} units"
        if self.wide_from is None:
            return f"Hk/Nk below {self.cut:g}, {middle}"
        return f"Hk/Nk below {self.cut:g}; {middle} is {self.median_ratio:g}"

    @property
    def sources(self) -> tuple[str, ...]:
        """What a gain can be made of: all units, the best of each document, the best narrow ones, the best wide ones.

        Narrow and wide are there where units have their known documents marked.
        """
        return ("all", f"top{self.best}", *(("narrow", "wide") if self.has_anchors else ()))

    def rows(self, source: str) -> Ints:
        """The rows of the table that a source of gains takes.

        all: every one.  top3 (of `best` 3): for each document those of the three units that agree best with the
        experts' order, ties broken by more judged documents, then by the order of the file.  narrow, wide: the same
        among units whose Hk/Nk is below the cut, or not; a document without such a unit takes its three best.

        Maddalena et al. 2017, ACM TOIS 35(3), sections 7.2 and 7.3.
        """
        if source not in ("all", f"top{self.best}", "narrow", "wide"):
            more = f"; {arg('best')} says how many are the best" if source.startswith("top") else ""
            raise TruegainError(f"there are no {source!r} units; there are {', '.join(self.sources)}{more}")
        if source == "all":
            return np.arange(len(self.table))
        return self._best(self._chosen(source)[self.unit])

    def _chosen(self, source: str) -> Bools:
        """The units among which the best are taken."""
        if source.startswith("top"):
            return np.ones(len(self), np.bool_)
        cut = self.cut
        if cut is None or not self.has_anchors:
            raise no_anchors(self.table)
        chosen = self.ratio < cut if source == "narrow" else self.ratio >= cut
        if not chosen.any():
            raise TruegainError(
                f"no unit is {source}: Hk/Nk lies between {np.nanmin(self.ratio):g} and {np.nanmax(self.ratio):g}, and "
                f"wide units begin at {cut:g}; choose another {arg('wide_from')}"
            )
        return np.asarray(chosen, np.bool_)

    def lacking(self, source: str) -> float:
        """Share of documents that no narrow (or wide) unit holds, which take the best of all their units instead."""
        _, item = np.unique(item_keys(self.table), return_inverse=True)
        held = np.unique(item[self._chosen(source)[self.unit]])
        return 1 - len(held) / (int(item.max()) + 1)

    def _best(self, chosen: Bools) -> Ints:
        _, item = np.unique(item_keys(self.table), return_inverse=True)
        some = np.bincount(item[chosen], minlength=int(item.max()) + 1) > 0
        rows = np.flatnonzero(chosen | ~some[item])
        agreement = np.where(np.isnan(self.agreement), -1.0, self.agreement)[self.unit[rows]]
        order = rows[np.lexsort((rows, -self.judged[self.unit[rows]], -agreement))]
        return np.sort(order[earlier(item[order]) < self.best])


def read_magnitudes(ratings: RatingsLike, repeated: Repeated = "error") -> Judgments:
    """Ratings, all of them above 0."""
    table = read_ratings(ratings, repeated=repeated)
    bad = np.flatnonzero(table.label <= 0)
    if len(bad):
        raise InputError(
            f"{len(bad)} of {len(table)} magnitudes are not above 0",
            **table.where(int(bad[0])),
            hint="a magnitude is a finite number above 0; correct or drop these",
        )
    least, greatest = float(table.label.min()), float(table.label.max())
    if np.log(greatest) - np.log(least) > MOST_APART:
        raise InputError(
            f"magnitudes from {least:g} to {greatest:g} are too far apart for a floating-point ratio",
            **table.where(int(table.label.argmax())),
            hint="correct or drop the extreme ones",
        )
    return table


def no_anchors(table: Judgments) -> InputError:
    """What to say where no unit has its known documents marked."""
    return InputError(
        "no unit has its known documents marked",
        file=table.source,
        hint="add a column 'anchor' with 'high' and 'low' at the unit's known documents",
    )


def anchor_rows(table: Judgments, names: tuple[str, str]) -> Bools:
    """Which rows are about the unit's known document of one kind."""
    marks = table.extra.get("anchor", ())
    if not len(marks):
        return np.zeros(len(table), np.bool_)
    return np.array([str(m).strip().lower() in names for m in marks], np.bool_)


def _anchor(table: Judgments, unit: Ints, count: int, names: tuple[str, str]) -> Floats:
    at = np.flatnonzero(anchor_rows(table, names))
    at = at[np.bincount(unit[at], minlength=count)[unit[at]] == 1]
    scores = np.full(count, np.nan)
    scores[unit[at]] = table.label[at]
    return scores


def nk_scores(table: Judgments) -> Floats:
    """For every row the score of its unit's known non-relevant document, not a number without one."""
    unit, count = units(table)
    return _anchor(table, unit, count, ("low", "n"))[unit]


# ---------------------------------------------------------------------- how numbers were made


def units_table(units: Units) -> Table:
    """Every unit: agreement with experts, judged documents, Hk/Nk, narrow or wide."""
    first = np.unique(units.unit, return_index=True)[1]
    topic, who, cut = units.table.topic, units.table.assessor, units.cut
    assert who is not None
    size = np.bincount(units.unit)
    rows: list[tuple[Cell, ...]] = []
    for u, row in enumerate(first.tolist()):
        ratio = None if np.isnan(units.ratio[u]) else float(units.ratio[u])
        kind = None if ratio is None or cut is None else "narrow" if ratio < cut else "wide"
        agreement = None if np.isnan(units.agreement[u]) else float(units.agreement[u])
        rows.append((topic.values[topic.code[row]], who.values[who.code[row]], int(size[u]), int(units.judged[u]),
                     agreement, ratio, kind))  # fmt: skip
    marked = int((~np.isnan(units.ratio)).sum())
    notes = [f"narrow: {units.about_cut}"] if marked else []
    if blank := int(np.isnan(units.agreement).sum()):
        notes.append(f"agreement is undefined for {blank} units without two documents on different levels of experts")
    if 0 < marked < len(units):
        notes.append(f"Hk/Nk is undefined for {len(units) - marked} units without one 'high' and one 'low' anchor")
    columns = ("topic", "assessor", "docs", "judged", "agreement", "Hk/Nk", "kind")
    return Table(columns, rows, {"source": units.table.source}, "Units", tuple(notes))


def numbers_table(table: Judgments) -> Table:
    """How numbers were made: the share that is round, and the share of ratios that need many figures.

    A ratio is that of a score to an earlier one of its unit (by the column `order`, else as in the file), taken the way
    round that needs fewer figures: 54 and 76 need many, 30 and 10 one.  A unit follows ratios where every score has
    such a ratio of at most one (or two) significant figures with some score before it.

    Maddalena et al. 2017, ACM TOIS 35(3), sections 4.3 and 9.2.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("abc"), "assessor": "x", "label": [54, 76, 27]})
    >>> numbers_table(Judgments.of(frame)).records()[-2]
    {'what': 'ratios of more than 1 figure', 'share': 0.6666666666666666, 'of': 3}
    """
    values = table.label
    rows: list[tuple[Cell, ...]] = [
        ("powers of ten", _share(np.abs(_lead(values) - 1) < 1e-9), len(values)),
        ("1, 2 or 5 times a power of ten", _share(_leads(values, (1, 2, 5))), len(values)),
        ("one significant figure", _share(figures_at_most(values, 1)), len(values)),
        ("whole numbers", _share(values % 1 == 0), len(values)),
        ("multiples of 5", _share(values % 5 == 0), len(values)),
        ("multiples of 10", _share(values % 10 == 0), len(values)),
    ]
    ratio, later, unit = ratios_to_earlier(table)
    follow: list[tuple[Cell, ...]] = []
    need: list[tuple[Cell, ...]] = []
    for figures in (1, 2):
        simple = figures_at_most(ratio, figures) | figures_at_most(1 / ratio, figures)
        if not len(ratio):
            continue
        need.append((f"ratios of more than {figures} figure{'s' * (figures > 1)}", _share(~simple), len(ratio)))
        good = np.bincount(later[simple], minlength=len(table)) > 0
        wrong, several = np.unique(unit[later[~good[later]]]), np.unique(unit[later])
        share = 1 - len(wrong) / len(several)
        follow.append((f"units that follow ratios of {figures} figure{'s' * (figures > 1)}", share, len(several)))
    columns = ("what", "share", "of")
    return Table(columns, [*rows, *follow, *need], {"source": table.source}, "How numbers were made")


def extremes_table(table: Judgments, listed: int = LISTED) -> Table:
    """The units with the greatest ratio of two scores, with all their raw scores in the order given.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("abc"), "assessor": "x", "label": [5.0, 0.01, 1000.0]})
    >>> extremes_table(Judgments.of(frame)).records()[0]["scores"]
    '5 0.01 1000'
    """
    unit, count = units(table)
    high, low = np.full(count, -np.inf), np.full(count, np.inf)
    np.maximum.at(high, unit, table.label)
    np.minimum.at(low, unit, table.label)
    sequence = np.lexsort((_order(table), unit))
    begin = np.searchsorted(unit[sequence], np.arange(count + 1))
    who = table.assessor
    assert who is not None
    rows: list[tuple[Cell, ...]] = []
    for u in np.argsort(-(high / low), kind="stable")[:listed].tolist():
        at = sequence[begin[u] : begin[u + 1]]
        lowest, highest = at[np.argmin(table.label[at])], at[np.argmax(table.label[at])]
        rows.append((table.topic.values[table.topic.code[at[0]]], who.values[who.code[at[0]]], float(high[u] / low[u]),
                     table.docs[int(lowest)], table.docs[int(highest)],
                     " ".join(f"{v:g}" for v in table.label[at])))  # fmt: skip
    columns = ("topic", "assessor", "max/min", "lowest", "highest", "scores")
    notes = (f"the {len(rows)} most extreme of {count} units",)
    return Table(columns, rows, {"source": table.source}, "Extreme ratios", notes)


def figures_at_most(values: Floats, figures: int) -> Bools:
    """Which numbers can be written with so many significant figures.

    >>> figures_at_most(np.array([0.3, 1.407, 1000, 1.5]), 1).tolist()
    [True, False, True, False]
    """
    scaled = _lead(values) * 10.0 ** (figures - 1)
    return np.asarray(np.abs(scaled - np.round(scaled)) < 1e-9 * scaled, np.bool_)


def ratios_to_earlier(table: Judgments) -> tuple[Floats, Ints, Ints]:
    """Every ratio of a score to an earlier one of its unit, the row of the later one, and the unit of every row."""
    unit, _ = units(table)
    sequence = np.lexsort((_order(table), unit))
    begin = np.searchsorted(unit[sequence], unit[sequence])
    value, ratios, later = table.label[sequence], [np.empty(0)], [np.empty(0, np.int64)]
    at, lag = np.arange(len(sequence)), 1
    while len(at := at[at - lag >= begin[at]]):
        ratios.append(value[at] / value[at - lag])
        later.append(sequence[at])
        lag += 1
    return np.concatenate(ratios), np.concatenate(later), unit


def _order(table: Judgments) -> Floats:
    """When each score was given within its unit: the column `order` where it holds numbers, else the file's order."""
    try:
        return np.array([float(str(v)) for v in table.extra["order"]])
    except (KeyError, ValueError):
        return np.arange(len(table), dtype=np.float64)


def _lead(values: Floats) -> Floats:
    lead: Floats = values / 10.0 ** np.floor(np.log10(values))
    return np.where(lead > 10 - 1e-9, 1.0, np.where(lead < 1, 1.0, lead))


def _leads(values: Floats, numbers: tuple[int, ...]) -> Bools:
    return np.asarray(np.any([np.abs(_lead(values) - n) < 1e-9 for n in numbers], axis=0), np.bool_)


def _share(which: Bools) -> float:
    return float(which.mean())


# ---- How magnitudes were collected, topic by topic: documents, units, the known documents, back button, failed
# checks.

ALL = "all"


class Counted(NamedTuple):
    """What is counted of a unit: its column in the ratings, how the table calls it, and how sentences do."""

    column: str
    short: str
    done: str
    named: str


COUNTED = (
    Counted("backs", "back", "used the back button", "uses of the back button"),
    Counted("sent_back", "failed", "failed a final check before they were accepted", "failed checks"),
)


def collected_table(table: Judgments) -> Table:
    """Each topic: its documents, units and known documents; units by uses of the back button and by failed checks.

    `back 0`, `back 1`, `back 2+` count units in which the back button was used never, once, more often (the column
    `backs`), `failed 0`, `failed 1`, `failed 2+` those that the final checks sent back so often before they were
    accepted (`sent_back`); the export of a judging study has both columns.  Without one, its counts are undefined.

    Maddalena et al. 2017, ACM TOIS 35(3), table I.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("abab"), "assessor": list("xxyy"), "label": [9, 1, 8, 2],
    ...                       "anchor": ["high", "low"] * 2, "backs": [0, 0, 3, 3]})
    >>> record = collected_table(Judgments.of(frame)).records()[0]
    >>> [record[name] for name in ("documents", "units", "Hk", "Nk", "back 0", "back 1", "back 2+", "failed 0")]
    [2, 2, 'a', 'b', 1, 0, 1, None]
    """
    unit, _ = units(table)
    first = np.unique(unit, return_index=True)[1]
    counts_of = [(what, _numbers(table, what.column)[first]) for what in COUNTED]
    topic, docs = table.topic.code, np.array(table.docs.strings(), object)
    anchors = [anchor_rows(table, names) for names in (("high", "h"), ("low", "n"))]
    parts: list[tuple[str, Bools]] = [(name, topic == code) for code, name in enumerate(table.topic.values)]
    if len(parts) > 1:
        parts.append((ALL, np.ones(len(table), np.bool_)))
    rows: list[tuple[Cell, ...]] = []
    for name, here in parts:
        named = [", ".join(sorted(set(docs[here & mark]))) or None if name != ALL else None for mark in anchors]
        pairs = {(int(t), d) for t, d in zip(topic[here], docs[here], strict=True)}
        counts = [_counts(values[here[first]]) for _, values in counts_of]
        rows.append((name, len(pairs), int(here[first].sum()), *named, *counts[0], *counts[1]))
    shares = [f"{_shared(values)} {what.done}" for what, values in counts_of if _any_number(values)]
    notes = [f"of {len(first):,} units {', '.join(shares)}"] if shares else []
    notes += [
        f"{what.named} are unknown: there is no column '{what.column}'"
        for what, values in counts_of if not _any_number(values)
    ]  # fmt: skip
    columns = ("topic", "documents", "units", "Hk", "Nk",
               *(f"{what.short} {many}" for what in COUNTED for many in ("0", "1", "2+")))  # fmt: skip
    return Table(columns, rows, {"source": table.source}, "How magnitudes were collected", tuple(notes))


def _numbers(table: Judgments, name: str) -> Floats:
    """A column of counts; not a number where it is not there or empty."""
    cells = table.extra.get(name)
    if cells is None:
        return np.full(len(table), np.nan)
    return np.array([np.nan if (n := number_of(cell)) is None else n for cell in cells], np.float64)


def _counts(values: Floats) -> tuple[Cell, ...]:
    """How many are 0, 1, and more; undefined where none is known."""
    if not _any_number(values):
        return None, None, None
    return int((values == 0).sum()), int(((values > 0) & (values < 2)).sum()), int((values >= 2).sum())


def _any_number(values: Floats) -> bool:
    return bool((~np.isnan(values)).any())


def _shared(values: Floats) -> str:
    return f"{float((values[~np.isnan(values)] > 0).mean()):.1%}"


# ---- What normalizing and aggregating do to magnitudes: agreement with experts by every combination, and
# diagnostics.

ROUNDING = 1e-12  # logarithms nearer than this, relative to the greatest, are equal
AGGREGATIONS = ("median", "geometric", "arithmetic")
SPREAD = ("least", "25%", "median", "75%", "greatest")  # over topics


@dataclass(frozen=True, eq=False)
class MagnitudeExperiment:
    """Order agreement of gains with experts by normalization and aggregation, and the habits behind the numbers.

    `by_topic` holds the agreement of each combination in each topic, of which `combinations` tells the spread.
    """

    combinations: Table
    habits: Table
    by_topic: Table

    def __str__(self) -> str:
        return f"{self.combinations}\n\n{self.habits}"


def magnitudes(ratings: RatingsLike, expert: JudgmentsLike, *, repeated: Repeated = "error") -> MagnitudeExperiment:
    """Tell which way from magnitudes to gains orders documents as experts do, and how people used numbers.

    combinations: for every normalization (also none) and aggregation, the share of pairs of documents of a topic, on
    different levels of the experts, that the gains put in the same order: mean over topics, and over all pairs; how it
    is spread over topics (the boxes of figure 8 of the paper), and `by_topic` has each of them.  Where the true worth
    is known, as in a simulation, give it as `expert`.
    habits: per topic a log-normal fit (mean and standard deviation of logarithms) and its greatest distance from the
    data (Kolmogorov and Smirnov's D), the share of round numbers, the greatest ratio.

    Maddalena et al. 2017, ACM TOIS 35(3), sections 4.3, 5 and 6.1.

    >>> from truegain.experiments.worlds import magnitude_ratings
    >>> world = magnitude_ratings(topics=4, docs=20, workers=5, seed=1)
    >>> len(magnitudes(world.ratings, world.expert).combinations.rows)
    15
    """
    table, judged = read_magnitudes(ratings, repeated), Judgments.of(expert)
    marked = "anchor" in table.extra
    hows = ["geometric", "median", "range", *(["anchors"] if marked else []), "none"]
    rows: list[tuple[Cell, ...]] = []
    each: list[tuple[Cell, ...]] = []
    for how in hows:
        moved = normalized(table, how)
        for rule in AGGREGATIONS:
            gains = aggregate(moved, rule, scale="ratio")
            pairs = order_agreement(gains.label, expert_levels(gains, judged), gains.topic.code.astype(np.int64))
            share, count = pairs.by_group(len(gains.topic.values))
            there = np.flatnonzero(~np.isnan(share))
            each += [(how, rule, gains.topic.values[t], float(share[t]), int(count[t])) for t in there.tolist()]
            mean = float(share[there].mean()) if len(there) else None
            rows.append((how, rule, mean, pairs.share, len(pairs), len(there), *_spread(share[there])))
    notes = [] if marked else ["anchors need a column 'anchor' that marks each unit's known documents"]
    if not rows[0][4]:
        notes.append("undefined: no topic has two rated documents that experts put on different levels")
    columns = ("normalize", "aggregate", "mean over topics", "all pairs", "pairs", "topics", *SPREAD)
    title, provenance = "Documents ordered as experts do", {"source": table.source}
    return MagnitudeExperiment(
        Table(columns, rows, provenance, title, tuple(notes)),
        _habits(table),
        Table(("normalize", "aggregate", "topic", "share", "pairs"), each, provenance, f"{title}, by topic"),
    )


def _spread(shares: Floats) -> list[Cell]:
    """Least, quartiles and greatest."""
    return [float(v) for v in np.quantile(shares, (0, 0.25, 0.5, 0.75, 1))] if len(shares) else [None] * len(SPREAD)


def normalized_habits(table: Judgments, how: str = "geometric") -> Table:
    """The habits of normalized scores: log-normal fit of each topic, drawn as CDFs in figure 2 of the paper.

    >>> from truegain.experiments.worlds import magnitude_ratings
    >>> world = magnitude_ratings(topics=2, docs=20, workers=5, seed=1)
    >>> normalized_habits(world.ratings).columns
    ('topic', 'ratings', 'mean of ln', 'sd of ln', 'D of log-normal', 'max/min')
    """
    habits = _habits(normalized(table, how))
    at = habits.columns.index("round numbers")
    rows = [(*row[:at], *row[at + 1 :]) for row in habits.rows]
    columns = (*habits.columns[:at], *habits.columns[at + 1 :])
    provenance = {**habits.provenance, "normalize": how}
    return Table(columns, rows, provenance, f"Scores of each topic, normalized: {how}", habits.notes[1:])


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
        rows.append((topic, len(values), float(logs.mean()), sd, distance, _share(figures_at_most(values, 1)),
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


# ---- Do people's magnitudes agree beyond chance: Krippendorff's alpha, and its test against 0.

FIRST = 10  # ratings of a document that the paper's alpha rests on


def alpha_table(
    table: Judgments, how: str = "geometric", *, first: int = FIRST, replicates: int = 1000, seed: int = 0
) -> Table:
    """Krippendorff's alpha of magnitudes at the ratio level, with its interval and a test against 0.

    Of the first ratings of each document, as in the paper, and of all where some document has more.  The interval is
    the jackknife's, over documents; p is the bootstrap's, over documents.

    Maddalena et al. 2017, ACM TOIS 35(3), section 6.1: 0.323, p < 0.01.

    >>> from truegain.experiments.worlds import magnitude_ratings
    >>> world = magnitude_ratings(topics=2, docs=20, workers=5, seed=1)
    >>> [(row["ratings of a document"], row["p"] < 0.01) for row in alpha_table(world.ratings).records()]
    [('first 10', True), ('all', True)]
    """
    if first < 2:
        raise TruegainError(f"the first {first} ratings of a document do not show agreement; take at least 2")
    moved = normalized(table, how)
    # units are normalized whole: the known documents, which all rate, belong to each unit's mean
    _, item = np.unique(item_keys(moved), return_inverse=True)
    parts = [(f"first {first}", moved.take(np.flatnonzero(earlier(item) < first)))]
    parts += [("all", moved)] if len(parts[0][1]) < len(moved) else []
    rows: list[tuple[Cell, ...]] = []
    documents: list[int] = []
    for name, ratings in parts:
        paired = Paired.of(Grouped.of(ratings))
        if not len(paired):
            raise InputError("no document has two magnitudes", file=table.source, hint="alpha needs several assessors")
        alpha = alpha_of(paired, "ratio", AlphaOptions(seed=seed))
        test = alpha_against_0(paired, "ratio", replicates, seed)
        limits = cells((alpha.value, alpha.low, alpha.high, test.p))
        rows.append((name, *limits, test.resamples, len(paired), len(paired.value)))
        documents.append(len(paired))
    columns = ("ratings of a document", "alpha ratio", "low", "high", "p", "resamples", "documents", "ratings")
    notes = ["interval: 95%, leaving out documents; p: of alpha = 0, two-sided, resampling documents"]
    if documents[0] < MANY:
        notes.append(f"with fewer than {MANY} documents the bootstrap's p is too small")
    provenance = {"normalize": how, "first": first, "replicates": replicates, "seed": seed, "source": table.source}
    return Table(columns, rows, provenance, f"Agreement beyond chance, normalized: {how}", tuple(notes))
