"""Everything about agreement in one answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from truegain.gains.assessors import ENOUGH, Assessor, people_of
from truegain.gains.choice import Drop, Weigh, chosen, weights_of
from truegain.gains.magnitudes import normalized
from truegain.gains.magnitudes import units as unit_of
from truegain.gains.order import MOST_LEVELS, Order, expert_levels, order_agreement
from truegain.inference.agreement.alpha import TAIL, AlphaOptions, Coefficient, Method, Units, alpha_of
from truegain.inference.agreement.carried import carried
from truegain.inference.agreement.documents import documents_table
from truegain.inference.agreement.kappa import cohens, fleiss, percent, ratio_spreads
from truegain.inference.agreement.paired import Paired
from truegain.keywords import takes
from truegain.message import AGGREGATE
from truegain.tables.columns import Floats, shares
from truegain.tables.grouped import Grouped
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike, RatingsLike
from truegain.tables.mixed_scales import tell_mixed
from truegain.tables.paper import counted
from truegain.tables.ratings import read_ratings
from truegain.tables.scale import LEVELS, Scale
from truegain.tables.table import Shown, Table, cells, shown


@dataclass(frozen=True, eq=False, repr=False)
class AgreementReport(Shown):
    """Agreement of all, by topic, by assessor, and with experts; each as a table.

    `documents`, made when it is asked for, has a row for each document.
    """

    overall: Table
    topics: Table
    assessors: Table
    experts: Table | None = None
    made_by: Mapping[str, object] = field(default_factory=dict)
    ratings: Grouped | None = None
    is_ratio: bool = False

    @cached_property
    def documents(self) -> Table:
        """Every document: ratings, least and greatest, share of equal pairs; for magnitudes max/min ratio and GSD."""
        assert self.ratings is not None
        return documents_table(self.ratings, self.is_ratio, self.made_by)

    @property
    def flagged(self) -> tuple[str, ...]:
        """The assessors worth a second look, whom `drop_assessors='flagged'` leaves out; a question, not a verdict."""
        return tuple(str(row["assessor"]) for row in self.assessors.records() if row["look"])

    def table(self) -> Table:
        """The statistics of all."""
        return self.overall

    def in_short(self) -> str:
        """Of how many ratings, and the first statistic."""
        name, value, low, high = self.overall.rows[0][:4]
        limits = "" if low is None else f" [{shown(low)}, {shown(high)}]"
        return f"{self.overall.title}: {name} {shown(value)}{limits}"

    def to_dict(self) -> dict[str, object]:
        """All tables, by name."""
        parts = {"topics": self.topics, "assessors": self.assessors, "experts": self.experts}
        return {**super().to_dict(), **{name: None if t is None else t.to_dict()["rows"] for name, t in parts.items()}}

    def tables(self) -> list[Table]:
        """All tables there are."""
        return [t for t in (self.overall, self.experts, self.topics, self.assessors) if t is not None]


@takes()
def agreement(
    ratings: RatingsLike,
    expert: JudgmentsLike | None = None,
    *,
    scale: Scale | str | None = None,
    normalize: str | None = None,
    units: Units = "items",
    method: Method = "jackknife",
    replicates: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    drop_assessors: Drop | None = None,
    weight_assessors: Weigh | None = None,
    first: int | None = None,
) -> AgreementReport:
    """Tell whether assessors agree, with one another and with experts, and who is worth a second look.

    Krippendorff's alpha at the level the scale declares (at all that fit, where it declares none) with an interval over
    items, percent agreement, Fleiss' kappa by both conventions, Cohen's kappa, plain and weighted; for ratio scales
    max/min ratios and geometric standard deviations, also of every document (`documents`); by topic, alpha with its
    interval; every assessor, with the interval of the correlation with the rest; with `expert` judgments, pairwise
    order agreement by unit and pair of levels.
    `normalize` brings magnitudes to one scale first, as in `aggregate`; `units`, `method`, `replicates` (0 for no
    interval) and `seed` are those of `alpha`; `drop_assessors` and `first` say whose ratings count, as in `aggregate`.
    `weight_assessors` adds each one's weight to the table of assessors; agreement itself counts every rating once.

    >>> import polars as pl
    >>> rows = [("1", d, a, v) for d, vs in {"a": (1, 1), "b": (3, 2), "c": (0, 0)}.items() for a, v in zip("xy", vs)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    >>> print(agreement(frame, scale="ordinal 0:3", replicates=0).overall)
    Agreement of 6 ratings by 2 assessors
    <BLANKLINE>
    statistic                   value  low  high  items  ratings  note
    alpha ordinal              0.9495    -     -      3        6
    percent agreement          0.6667    -     -      3        6
    Fleiss' kappa (pooled)     0.5385    -     -      3        6
    Fleiss' kappa (items)      0.5385    -     -      3        6
    Cohen's kappa              0.5714    -     -      3        6
    Cohen's kappa (linear)     0.7273    -     -      3        6
    Cohen's kappa (quadratic)  0.8571    -     -      3        6
    """
    declared = Scale.of(scale)
    judged = Judgments.of(expert, "expert") if expert is not None else None
    is_ratio = declared.level == "ratio" or normalize is not None
    raw = read_ratings(ratings, scale=declared)
    raw = chosen(raw, drop_assessors=drop_assessors, first=first, expert=judged, normalize=normalize, scale=declared)
    choice = {"drop_assessors": drop_assessors, "weight_assessors": weight_assessors, "first": first}
    if not is_ratio and declared.level != "nominal":
        tell_mixed(raw)
    table = raw if normalize is None else normalized(raw, normalize)
    grouped = Grouped.of(table)
    made_by = {
        "scale": str(declared), "normalize": normalize, "units": units, "method": method, "replicates": replicates,
        "confidence": confidence, "seed": seed, "source": table.source,
        **{name: value if isinstance(value, str | int) else str(value) for name, value in choice.items() if value},
    }  # fmt: skip
    options = AlphaOptions(units, method, replicates, confidence, seed)
    overall = _overall(grouped, declared, is_ratio, options)
    people = people_of(raw, judged, normalize=normalize, ratio=is_ratio, confidence=confidence)
    logs = is_ratio and float(grouped.value.min()) > 0
    weights = None if weight_assessors is None else weights_of(grouped, weight_assessors, logs=logs)
    pairs = None if judged is None else order_agreement(table.label, expert_levels(table, judged), unit_of(table)[0])
    title = f"Agreement of {counted(len(table), 'rating')} by {counted(len(np.unique(grouped.who)), 'assessor')}"
    return AgreementReport(
        Table(overall.columns, overall.rows, made_by, title, overall.notes),
        _by_topic(grouped, table, levels_of(declared, is_ratio)[0], pairs, options),
        _of_people(people, weights),
        None if pairs is None else _with_experts(table, pairs),
        made_by,
        grouped,
        is_ratio,
    )


def levels_of(scale: Scale, is_ratio: bool = False) -> tuple[str, ...]:
    """The levels at which alpha is asked for: the declared one, or all that fit."""
    if scale.level is not None:
        return (scale.level,)
    return ("ratio",) if is_ratio else ("ordinal", *(level for level in LEVELS if level not in ("ordinal", "ratio")))


def _overall(grouped: Grouped, scale: Scale, is_ratio: bool, options: AlphaOptions) -> Table:
    paired = Paired.of(grouped)
    found: list[Coefficient] = [alpha_of(paired, level, options) for level in levels_of(scale, is_ratio)]
    few = carried(grouped, found[0], levels_of(scale, is_ratio)[0], options)
    limits = not all(math.isnan(a.low) for a in found)
    notes = [f"intervals over {options.population}"] * limits + [str(few)] * (few is not None)
    if not is_ratio:
        weights = ("none", *(("linear", "quadratic") if scale.level in ("ordinal", "interval") else ()))
        found += [percent(grouped), fleiss(grouped), fleiss(grouped, "items")]
        found += cohens(grouped, weights, seed=options.seed)
    else:
        found += _spreads(grouped, paired)
    rows = [
        (a.measure, *cells((a.value, a.low, a.high)), a.n, a.ratings, ("undefined: " if a.refused else "") + a.why)
        for a in found
    ]
    return Table(("statistic", "value", "low", "high", "items", "ratings", "note"), rows, notes=tuple(notes))


def _spreads(grouped: Grouped, paired: Paired) -> list[Coefficient]:
    """The median over items of max/min ratio and geometric standard deviation, or why there is none."""
    names, least = ("median max/min ratio", "median geometric sd"), float(grouped.value.min())
    if least <= 0:
        return [Coefficient.of(name, why=f"a rating of {least:g} has no ratio") for name in names]
    if not len(paired):
        return [Coefficient.of(name, why="no item has two ratings") for name in names]
    found = []
    for name, each in zip(names, ratio_spreads(grouped), strict=True):
        known = np.sort(each[~np.isnan(each)])
        held = bool(np.isfinite(known[len(known) // 2]))  # the upper of the middle two
        value = float(np.median(known)) if held else math.nan
        why = "" if held else "most ratios are too great for a number to hold"
        found.append(Coefficient.of(name, value, len(known), len(paired.value), why))
    return found


def _by_topic(grouped: Grouped, table: Judgments, level: str, pairs: Order | None, options: AlphaOptions) -> Table:
    columns = ["topic", "items", "ratings", f"alpha {level}", "low", "high"]
    order = None if pairs is None else _order_of_topics(table, pairs)
    rows: list[tuple[str | int | float | None, ...]] = []
    said: list[str] = []
    how: Counter[str] = Counter()
    tail = False
    topic, place = grouped.topic[grouped.item], grouped.place[grouped.item]
    by_topic = np.argsort(topic, kind="stable")
    ends = np.searchsorted(topic[by_topic], np.arange(len(table.topic.values) + 1))
    for code, name in enumerate(table.topic.values):
        mine = by_topic[ends[code] : ends[code + 1]]
        part = Paired.rows(grouped.value[mine], place[mine], grouped.who[mine])
        found = alpha_of(part, level, options)
        items = len(np.unique(grouped.item[mine]))
        beside = [] if order is None else cells(order[[code]])
        rows.append((name, items, len(mine), *cells((found.value, found.low, found.high)), *beside))
        said.append("undefined: " * found.refused + found.why * (found.why != TAIL))
        how[_kind(found, options)] += 1
        tail |= found.why == TAIL
    if order is not None:
        columns.append("order as experts")
        alike = ("no pair on different levels" if row[-1] is None else "" for row in rows)
        said = ["; ".join(filter(None, both)) for both in zip(said, alike, strict=True)]
    if any(said):
        columns, rows = [*columns, "note"], [(*row, why) for row, why in zip(rows, said, strict=True)]
    counted = (f"{kind} ({count} {'topic' if count == 1 else 'topics'})" for kind, count in how.most_common())
    intervals = f"Intervals over {options.population}: {'; '.join(counted)}."
    notes = (intervals, *((f"They hold {TAIL}.",) if tail else ()))
    return Table(tuple(columns), rows, title="By topic", notes=notes)


def _order_of_topics(table: Judgments, pairs: Order) -> Floats:
    """Per topic the share of pairs within units in the experts' order; not a number without pairs."""
    unit, count = unit_of(table)
    topic = np.zeros(count, np.int64)
    topic[unit] = table.topic.code
    right, every = (np.bincount(topic, weights=v, minlength=len(table.topic.values)) for v in pairs.counted(count))
    return shares(right, every)


def _kind(found: Coefficient, options: AlphaOptions) -> str:
    if not found.refused and not options.trials:
        return "none asked for"
    return "none, see the note of each" if math.isnan(found.low) else options.method


def _of_people(people: list[Assessor], weights: Mapping[str, float] | None = None) -> Table:
    looked = [a for a in people if a.look]
    names = ["assessor", "ratings", "mean", "spread", "equal", "bias", "correlation", "low", "high"]
    names += ["order", "seconds", "look"]
    names = [n for n in names if n == "look" or any(getattr(a, n) is not None for a in people)]
    ordered = [*looked, *(a for a in people if not a.look)]
    note = (
        f"{len(looked)} of {len(people)} assessors are worth a second look; that is a question, not a verdict"
        if looked
        else "no assessor stands out"
        if any(a.ratings >= ENOUGH for a in people)
        else f"no assessor has {ENOUGH} ratings, the fewest by which one could stand out"
    )
    rows = [tuple(getattr(a, n) for n in names) for a in ordered]
    if weights is None:
        return Table(tuple(names), rows, title="Assessors", notes=(note,))
    rows = [(*row[:-1], weights[a.assessor], row[-1]) for a, row in zip(ordered, rows, strict=True)]
    counts = f"weights are what {AGGREGATE} takes with the same arguments; agreement counts every rating once"
    return Table((*names[:-1], "weight", "look"), rows, title="Assessors", notes=(note, counts))


def _with_experts(table: Judgments, pairs: Order) -> Table:
    """Share of pairs ordered as the experts do: per unit on average, of all pairs, and by pair of levels."""
    share, _ = pairs.by_group(unit_of(table)[1])
    known = share[~np.isnan(share)]
    rows: list[tuple[str | float | int | None, ...]] = [
        ("all pairs", pairs.share, len(pairs)),
        ("mean over units", float(known.mean()) if len(known) else None, len(known)),
        ("units in perfect order", float((known == 1).mean()) if len(known) else None, len(known)),
        *((f"levels {low:g} and {high:g}", share, n) for low, high, share, n in pairs.by_levels),
    ]
    notes = ["a pair of equal ratings counts as agreement; n counts pairs, or units"]
    if not len(pairs):
        notes.append("undefined: no unit has two documents that experts put on different levels")
    if len(pairs.levels) > MOST_LEVELS:
        notes.append(f"experts use {len(pairs.levels)} levels, too many to list every two")
    return Table(("order as experts", "share", "n"), rows, title="Agreement with experts", notes=tuple(notes))
