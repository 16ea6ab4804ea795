"""Units of magnitudes: which agree with experts, how wide their scales are, and how their numbers were made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.errors import InputError, TruegainError
from truegain.gains.magnitudes import units
from truegain.gains.order import expert_levels, order_agreement
from truegain.tables.columns import Bools, Floats, Ints, frozen
from truegain.tables.grouped import item_keys
from truegain.tables.judgments import Judgments
from truegain.tables.likes import RatingsLike
from truegain.tables.ranked import earlier
from truegain.tables.ratings import Repeated, read_ratings
from truegain.tables.table import Cell, Table

SOURCES = ("all", "top3", "narrow", "wide")
BEST = 3  # units behind the gain of a document
MOST_APART = 700.0  # natural logarithm of the greatest ratio that a double holds, and some room
LISTED = 10  # units with the most extreme ratios that are shown


@dataclass(frozen=True, eq=False)
class Units:
    """Magnitudes unit by unit: agreement with the experts' order, judged documents, and the ratio Hk/Nk.

    `agreement` is not a number for a unit without two documents on different levels; `ratio` where the unit has no
    documents marked 'high' and 'low' in a column `anchor`.
    """

    table: Judgments
    unit: Ints
    agreement: Floats
    judged: Ints
    ratio: Floats

    def __len__(self) -> int:
        return len(self.agreement)

    @classmethod
    def of(cls, table: Judgments, expert: Judgments) -> Units:
        """Hold each unit against the experts."""
        unit, count = units(table)
        level = expert_levels(table, expert)
        agreement, _ = order_agreement(table.label, level, unit).by_group(count)
        judged = np.bincount(unit[~np.isnan(level)], minlength=count).astype(np.int64)
        high, low = (_anchor(table, unit, count, names) for names in (("high", "h"), ("low", "n")))
        return cls(table, frozen(unit), frozen(agreement), frozen(judged), frozen(high / low))

    @property
    def has_anchors(self) -> bool:
        """Whether some unit has its known documents marked."""
        return bool((~np.isnan(self.ratio)).any())

    @property
    def median_ratio(self) -> float | None:
        """The median Hk/Nk, between narrow units (below it) and wide ones."""
        return float(np.nanmedian(self.ratio)) if self.has_anchors else None

    def rows(self, source: str) -> Ints:
        """The rows of the table that a source of gains takes.

        all: every one.  top3: for each document those of the three units that agree best with the experts' order, ties
        broken by more judged documents, then by the order of the file.  narrow, wide: the same among units whose Hk/Nk
        is below the median, or not; a document without such a unit takes its three best.

        Maddalena et al. 2017, ACM TOIS 35(3), sections 7.2 and 7.3.
        """
        if source not in SOURCES:
            raise TruegainError(f"there are no {source!r} units; there are {', '.join(SOURCES)}")
        if source == "all":
            return np.arange(len(self.table))
        wanted = np.ones(len(self), np.bool_)
        if source != "top3":
            middle = self.median_ratio
            if middle is None:
                raise no_anchors(self.table)
            wanted = self.ratio < middle if source == "narrow" else self.ratio >= middle
        return self._best(wanted[self.unit])

    def _best(self, wanted: Bools) -> Ints:
        _, item = np.unique(item_keys(self.table), return_inverse=True)
        some = np.bincount(item[wanted], minlength=int(item.max()) + 1) > 0
        rows = np.flatnonzero(wanted | ~some[item])
        agreement = np.where(np.isnan(self.agreement), -1.0, self.agreement)[self.unit[rows]]
        order = rows[np.lexsort((rows, -self.judged[self.unit[rows]], -agreement))]
        return np.sort(order[earlier(item[order]) < BEST])


def read_magnitudes(ratings: RatingsLike, repeated: Repeated = "error") -> Judgments:
    """Ratings, all of them above 0."""
    table = read_ratings(ratings, repeated=repeated)
    bad = np.flatnonzero(table.label <= 0)
    if len(bad):
        raise InputError(
            f"{len(bad)} of {len(table)} magnitudes are not above 0",
            **table.where(int(bad[0])),  # type: ignore[arg-type]
            hint="a magnitude is a finite number above 0; mend or leave out these",
        )
    least, greatest = float(table.label.min()), float(table.label.max())
    if np.log(greatest) - np.log(least) > MOST_APART:
        raise InputError(
            f"magnitudes from {least:g} to {greatest:g} are too far apart: no number holds their ratio",
            **table.where(int(table.label.argmax())),  # type: ignore[arg-type]
            hint="mend or leave out the extreme ones",
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
    found = np.full(count, np.nan)
    found[unit[at]] = table.label[at]
    return found


def nk_scores(table: Judgments) -> Floats:
    """For every row the score of its unit's known non-relevant document, not a number without one."""
    unit, count = units(table)
    return _anchor(table, unit, count, ("low", "n"))[unit]


# ---------------------------------------------------------------------- how numbers were made


def units_table(found: Units) -> Table:
    """Every unit: agreement with experts, judged documents, Hk/Nk, narrow or wide."""
    first = np.unique(found.unit, return_index=True)[1]
    topic, who, middle = found.table.topic, found.table.assessor, found.median_ratio
    assert who is not None
    size = np.bincount(found.unit)
    rows: list[tuple[Cell, ...]] = []
    for u, row in enumerate(first.tolist()):
        ratio = None if np.isnan(found.ratio[u]) else float(found.ratio[u])
        kind = None if ratio is None or middle is None else "narrow" if ratio < middle else "wide"
        agreement = None if np.isnan(found.agreement[u]) else float(found.agreement[u])
        rows.append((topic.values[topic.code[row]], who.values[who.code[row]], int(size[u]), int(found.judged[u]),
                     agreement, ratio, kind))  # fmt: skip
    marked = int((~np.isnan(found.ratio)).sum())
    notes = [] if middle is None else [f"narrow: Hk/Nk below the median of {marked} units, {middle:g}"]
    if blank := int(np.isnan(found.agreement).sum()):
        notes.append(f"agreement is undefined for {blank} units without two documents on different levels of experts")
    if 0 < marked < len(found):
        notes.append(f"Hk/Nk is undefined for {len(found) - marked} units without one 'high' and one 'low' anchor")
    columns = ("topic", "assessor", "docs", "judged", "agreement", "Hk/Nk", "kind")
    return Table(columns, rows, {"source": found.table.source}, "Units", tuple(notes))


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
        asked = np.unique(later)
        wrong = np.unique(unit[asked[~good[asked]]])
        several = np.unique(unit[asked])
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
        given = np.array([float(str(v)) for v in table.extra["order"]])
    except (KeyError, ValueError):
        return np.arange(len(table), dtype=np.float64)
    return given


def _lead(values: Floats) -> Floats:
    lead: Floats = values / 10.0 ** np.floor(np.log10(values))
    return np.where(lead > 10 - 1e-9, 1.0, np.where(lead < 1, 1.0, lead))


def _leads(values: Floats, numbers: tuple[int, ...]) -> Bools:
    return np.asarray(np.any([np.abs(_lead(values) - n) < 1e-9 for n in numbers], axis=0), np.bool_)


def _share(which: Bools) -> float:
    return float(which.mean())
