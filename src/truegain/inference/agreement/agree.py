"""Everything about agreement in one answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from truegain.gains.magnitudes import normalised, units
from truegain.inference.agreement.alpha import Agreement, alpha_of
from truegain.inference.agreement.assessors import Assessor, assessors
from truegain.inference.agreement.kappa import cohen, fleiss, percent, ratio_spreads
from truegain.inference.agreement.order import Order, expert_levels, order_agreement
from truegain.inference.agreement.paired import Paired
from truegain.tables.grouped import Grouped
from truegain.tables.judgments import Judgments
from truegain.tables.ratings import read_ratings
from truegain.tables.scale import LEVELS, Scale
from truegain.tables.table import Table

A_TOPIC, A_RATING = 1000, 10  # what intervals by topic count for a topic and for a rating: they come on top of all


@dataclass(frozen=True, eq=False)
class Agreed:
    """Agreement of all, by topic, by assessor, and with experts; each as a table."""

    overall: Table
    topics: Table
    assessors: Table
    experts: Table | None = None
    made_by: Mapping[str, object] = field(default_factory=dict)

    def tables(self) -> list[Table]:
        """All tables there are."""
        return [t for t in (self.overall, self.experts, self.topics, self.assessors) if t is not None]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tables()))


def agree(
    ratings: object,
    expert: object = None,
    *,
    scale: Scale | str | None = None,
    normalise: str | None = None,
    trials: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreed:
    """Tell whether assessors agree, with one another and with experts, and who is worth a second look.

    Krippendorff's alpha at the level the scale declares (at all that fit, where it declares none) with an interval over
    items, percent agreement, Fleiss' kappa by both conventions, Cohen's kappa; for ratio scales max/min ratios and
    geometric standard deviations; by topic, alpha with its interval; every assessor, with the interval of the
    correlation with the rest; with `expert` judgments, pairwise order agreement by unit and pair of levels.
    `normalise` brings magnitudes to one scale first, as in `to_gains`.

    >>> import polars as pl
    >>> rows = [("1", d, a, v) for d, vs in {"a": (1, 1), "b": (3, 2), "c": (0, 0)}.items() for a, v in zip("xy", vs)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    >>> print(agree(frame, scale="ordinal 0:3", trials=0).overall)
    Agreement of 6 ratings by 2 assessors
    <BLANKLINE>
    statistic                   value  low  high  items  ratings  note
    alpha ordinal              0.9495    -     -      3        6
    percent agreement          0.6667    -     -      3        6
    Fleiss' kappa (pooled)     0.5385    -     -      3        6
    Fleiss' kappa (items)      0.5385    -     -      3        6
    Cohen's kappa              0.5714    -     -      3        6
    Cohen's kappa (quadratic)  0.8571    -     -      3        6
    """
    declared = Scale.of(scale)
    table = read_ratings(ratings, scale=declared)
    if normalise is not None:
        table = normalised(table, normalise)
    grouped = Grouped.of(table)
    made_by = {
        "scale": str(declared),
        "normalise": normalise,
        "trials": trials,
        "confidence": confidence,
        "seed": seed,
        "source": table.source,
    }
    is_ratio = declared.level == "ratio" or normalise is not None
    judged = Judgments.of(expert) if expert is not None else None
    overall = _overall(grouped, declared, is_ratio, trials, confidence, seed)
    logs = is_ratio and float(grouped.value.min()) > 0
    people = assessors(grouped, judged, logs=logs, confidence=confidence)
    return Agreed(
        Table(overall.columns, overall.rows, made_by, f"Agreement of {_people(table)}", overall.notes),
        _by_topic(grouped, table, levels_of(declared, is_ratio)[0], judged, trials, confidence, seed),
        _of_people(people),
        _with_experts(table, judged) if judged is not None else None,
        made_by,
    )


def levels_of(scale: Scale, is_ratio: bool = False) -> tuple[str, ...]:
    """The levels at which alpha is asked: the declared one, or all that fit."""
    if scale.level is not None:
        return (scale.level,)
    return ("ratio",) if is_ratio else ("ordinal", *(level for level in LEVELS if level not in ("ordinal", "ratio")))


def _people(table: Judgments) -> str:
    assert table.assessor is not None
    return f"{len(table):,} ratings by {len(np.unique(table.assessor.code)):,} assessors"


def _overall(grouped: Grouped, scale: Scale, is_ratio: bool, trials: int, confidence: float, seed: int) -> Table:
    paired = Paired.of(grouped)
    found: list[Agreement] = [
        alpha_of(paired, level, trials=trials, confidence=confidence, seed=seed) for level in levels_of(scale, is_ratio)
    ]
    if not is_ratio:
        found += [percent(grouped), fleiss(grouped), fleiss(grouped, "items"), cohen(grouped)]
        if scale.level in ("ordinal", "interval"):
            found.append(cohen(grouped, "quadratic"))
    elif float(grouped.value.min()) > 0 and len(paired):
        widest, gsd = ratio_spreads(grouped)
        several = ~np.isnan(gsd)
        for name, each in (("median max/min ratio", widest), ("median geometric sd", gsd)):
            value = float(np.median(each[several]))
            found.append(Agreement(name, value, items=int(several.sum()), ratings=len(paired.value)))
    rows = [
        (a.statistic, a.value, a.low, a.high, a.items, a.ratings, ("undefined: " if a.value is None else "") + a.why)
        for a in found
    ]
    return Table(("statistic", "value", "low", "high", "items", "ratings", "note"), rows)


def _by_topic(
    grouped: Grouped,
    table: Judgments,
    level: str,
    expert: Judgments | None,
    trials: int,
    confidence: float,
    seed: int,
) -> Table:
    columns = ["topic", "items", "ratings", f"alpha {level}", "low", "high"]
    order = None
    if expert is not None:
        columns.append("order as experts")
        pairs = order_agreement(table.label, expert_levels(table, expert), _topic_units(table))
        topic = np.zeros(int(_topic_units(table).max()) + 1, np.int64)
        topic[_topic_units(table)] = table.topic.code
        order, _ = Order(topic[pairs.group], pairs.low, pairs.high, pairs.agrees).by_group(len(table.topic.values))
    rows: list[tuple[str | int | float | None, ...]] = []
    how: Counter[str] = Counter()
    size = A_RATING * len(grouped.value) + A_TOPIC * len(table.topic.values)
    by_topic = np.argsort(grouped.topic[grouped.item], kind="stable")
    ends = np.searchsorted(grouped.topic[grouped.item][by_topic], np.arange(len(table.topic.values) + 1))
    for code, name in enumerate(table.topic.values):
        mine = by_topic[ends[code] : ends[code + 1]]
        part = _part(grouped, mine)
        found = Agreement(level, None)
        if part is not None:
            found = alpha_of(part, level, trials=trials, confidence=confidence, seed=seed, among=size)
        items = len(np.unique(grouped.item[mine]))
        beside = () if order is None else (_or_none(order[code]),)
        rows.append((name, items, len(mine), found.value, found.low, found.high, *beside))
        how[_kind(found)] += 1
    said = ", ".join(f"{kind} ({count} topics)" for kind, count in how.most_common())
    return Table(tuple(columns), rows, title="By topic", notes=(f"Intervals over items: {said}.",))


def _kind(found: Agreement) -> str:
    if found.low is None:
        return "none"
    return "jackknife" if "jackknife" in found.why else "bootstrap"


def _topic_units(table: Judgments) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return units(table)[0]


def _part(grouped: Grouped, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Paired | None:
    several = rows[grouped.count[grouped.item[rows]] >= 2]
    if not len(several):
        return None
    _, item, count = np.unique(grouped.item[several], return_inverse=True, return_counts=True)
    begin = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    return Paired(grouped.value[several], item.astype(np.int64), begin)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _of_people(people: list[Assessor]) -> Table:
    looked = [a for a in people if a.look]
    names = ["assessor", "ratings", "mean", "spread", "equal", "bias", "correlation", "low", "high"]
    names += ["order", "seconds", "look"]
    names = [n for n in names if n == "look" or any(getattr(a, n) is not None for a in people)]
    ordered = [*looked, *(a for a in people if not a.look)]
    note = (
        f"{len(looked)} of {len(people)} assessors are worth a second look; that is a question, not a verdict"
        if looked
        else "no assessor stands out"
    )
    return Table(tuple(names), [tuple(getattr(a, n) for n in names) for a in ordered], title="Assessors", notes=(note,))


def _with_experts(table: Judgments, expert: Judgments) -> Table:
    """Share of pairs ordered as the experts do: per unit on average, of all pairs, and by pair of levels."""
    unit, count = units(table)
    pairs = order_agreement(table.label, expert_levels(table, expert), unit)
    share, _ = pairs.by_group(count)
    known = share[~np.isnan(share)]
    rows: list[tuple[str | float | int | None, ...]] = [
        ("all pairs", pairs.share, len(pairs)),
        ("mean over units", float(known.mean()) if len(known) else None, len(known)),
        ("units in perfect order", float((known == 1).mean()) if len(known) else None, len(known)),
        *((f"levels {low:g} and {high:g}", share, n) for low, high, share, n in pairs.by_levels),
    ]
    note = "a pair of equal ratings counts as agreement; n counts pairs, or units"
    return Table(("order as experts", "share", "n"), rows, title="Agreement with experts", notes=(note,))
