"""Everything about agreement in one result: by topic, document and assessor, and whether a few items carry it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from truegain.aggregation.assessors import ENOUGH, Assessor, Drop, Weigh, chosen, people_of, weights_of
from truegain.aggregation.magnitudes import MOST_LEVELS, Order, expert_levels, normalized, order_agreement
from truegain.aggregation.magnitudes import units as unit_of
from truegain.data.item_ratings import RatedItems, ratings_of_items
from truegain.data.items import Items
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.rating_groups import Grouped, alike
from truegain.data.ratings import LEVELS, RatingsLike, Scale, read_ratings, settled, tell_mixed
from truegain.errors import TruegainError, counted
from truegain.io.columns import Floats, Ints, shares
from truegain.keywords import checked_keywords
from truegain.message import AGGREGATE, argname, by_surface
from truegain.reliability.alpha import TAIL, AlphaOptions, Coefficient, Method, Paired, Units, alpha_of, alphas
from truegain.reliability.kappa import cohens, fleiss, percent, ratio_spreads
from truegain.results.base import Result, Table
from truegain.results.table import Cell, cells, shown

# ---- Whether a few items carry alpha: what it is without them.

MOST, SHARE = 3, 0.05  # items that are few: so many, and no more than this share of all
MOVED = 0.1  # what alpha must move without them to be worth a word
STEP = 0.05  # what one of them must add to it
HEAVY = 3.0  # times the median number of ratings, from which on an item may carry it
TRIED = 100  # items that are tried, those with the most ratings
ROOM = 10_000_000  # weights held at a time


@dataclass(frozen=True)
class Carried:
    """Few items without which alpha is another: their names, how many ratings they hold, and alpha of the rest."""

    names: tuple[str, ...]
    ratings: int
    whole: Coefficient
    rest: Coefficient

    def __str__(self) -> str:
        one, rest = len(self.names) == 1, self.rest
        limits = "" if math.isnan(rest.low) else f" [{rest.low:z.4f}, {rest.high:z.4f}]"
        return (
            f"{'1 item carries' if one else f'{len(self.names)} items carry'} {self.whole.measure}: "
            f"{' and '.join(self.names)}, with {self.ratings:,} of {self.whole.ratings:,} ratings; without "
            f"{'it' if one else 'them'} it is {rest.value:z.4f}{limits}, not {self.whole.value:z.4f}: traps and "
            "anchors, which all assessors rate, say little about the other items"
        )


def carried(
    ratings: Grouped, whole: Coefficient, level: str, options: AlphaOptions, unit: str = "document"
) -> Carried | None:
    """The few items that carry alpha, or None.

    Of the items with at least three times as many ratings as most, up to three, and no more than a twentieth of all,
    are left out one after another, each time the one without which alpha moves farthest, as long as it moves by .05.
    They carry it where alpha of all is more than .1 from alpha of the rest, and outside its interval.  A trap question
    that everyone answers alike is such an item: it makes chance agreement small, and the value is that of the trap.

    >>> import polars as pl, truegain as tg
    >>> from truegain.reliability.alpha import USUAL
    >>> rng = np.random.default_rng(1)
    >>> rows = [("1", f"d{i}", f"w{j}", int(x)) for i in range(40) for j, x in enumerate(rng.integers(0, 2, 3))]
    >>> rows += [("1", "trap", f"w{j}", 3) for j in range(60)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    >>> grouped = Grouped.of(tg.read_ratings(frame))
    >>> coefficients = carried(grouped, alpha_of(Paired.of(grouped), "nominal"), "nominal", USUAL)
    >>> coefficients.names, round(coefficients.whole.value, 2), round(coefficients.rest.value, 2)
    (('topic 1, document trap',), 0.52, 0.04)
    """
    paired = Paired.of(ratings)
    most = min(MOST, int(SHARE * len(paired)))
    if not most or math.isnan(whole.value):
        return None
    out = _chosen(paired, level, whole.value, most)
    if not out:
        return None
    rest = alpha_of(paired.take(~np.isin(paired.item, out)), level, replace(options, trials=max(1000, options.trials)))
    if not abs(rest.value - whole.value) > MOVED or rest.low <= whole.value <= rest.high:
        return None
    return Carried(_names(ratings, out, unit), int(paired.count[out].sum()), whole, rest)


def _chosen(paired: Paired, level: str, whole: float, most: int) -> list[int]:
    """Items left out one after another, up to the last that moves alpha by a step."""
    out: list[int] = []
    moves: list[float] = []
    candidates = _candidates(paired)
    for _ in range(most):
        left = candidates[~np.isin(candidates, out)]
        if not len(left):
            break
        without = _without(paired, level, out, left)
        if np.isnan(without).all():
            break
        moved = np.abs(without - whole)
        best = int(np.nanargmax(moved))
        out.append(int(left[best]))
        moves.append(float(moved[best]) - sum(moves))
    while moves and moves[-1] < STEP:
        out.pop()
        moves.pop()
    return out


def _candidates(paired: Paired) -> Ints:
    """Items with far more ratings than most, those with the most before others."""
    heavy = np.flatnonzero(paired.count >= HEAVY * np.median(paired.count))
    return heavy[np.argsort(-paired.count[heavy], kind="stable")[:TRIED]]


def _without(paired: Paired, level: str, out: list[int], each: Ints) -> Floats:
    """Alpha without some items and each of others."""
    step, alpha = max(1, ROOM // len(paired)), []
    for at in range(0, len(each), step):
        some = each[at : at + step]
        weights = np.ones((len(some), len(paired)))
        weights[:, out] = 0
        weights[np.arange(len(some)), some] = 0
        alpha.append(alphas(getattr(paired, level)(weights)))
    return np.concatenate(alpha)


def _names(ratings: Grouped, out: list[int], unit: str) -> tuple[str, ...]:
    """Topic and document of items, or what else the unit is, by name; items of one rating are not counted."""
    places = np.sort(ratings.place[ratings.count >= 2])[out]
    items = np.argsort(ratings.place, kind="stable")[places]
    rows, table = ratings.order[ratings.begin[:-1][items]], ratings.judgments
    named = zip(table.topic.code[rows], table.docs.take(rows).strings(), table.subtopic.code[rows], strict=True)
    facet = len(table.subtopic.values) > 1
    return tuple(
        f"topic {table.topic.values[topic]}, {unit} {doc}" + (f", subtopic {table.subtopic.values[sub]}" * facet)
        for topic, doc, sub in named
    )


# ---- Each document: how far the assessors who rated it agree.


def documents_table(
    ratings: Grouped, is_ratio: bool, provenance: Mapping[str, object] | None = None, unit: str = "document"
) -> Table:
    """Every document: its ratings, the least, median and greatest, and the share of pairs of ratings that are equal.

    With `is_ratio`, for magnitudes: max/min, and the geometric standard deviation exp(sd of ln x) (Kirkwood 1979).
    Alpha is not a property of one document, for chance is told from the differences between documents.

    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("aab"), "assessor": list("xyx"), "label": [1, 4, 2]})
    >>> print(documents_table(Grouped.of(tg.read_ratings(frame)), True))
    By document
    <BLANKLINE>
    topic  doc  ratings   least  median  greatest   equal  max/min  geometric sd
    1      a          2  1.0000  2.5000    4.0000  0.0000   4.0000        2.6651
    1      b          1  2.0000  2.0000    2.0000       -        -             -
    <BLANKLINE>
    undefined (-) for 1 document with one rating; alpha needs several documents
    """
    table, first = ratings.judgments, ratings.order[ratings.begin[:-1]]
    columns: dict[str, list[Cell]] = {
        "topic": [table.topic.values[c] for c in table.topic.code[first]],
        "doc": list(table.docs.take(first).strings()),
    }
    if len(table.subtopic.values) > 1:
        columns["subtopic"] = [table.subtopic.values[c] for c in table.subtopic.code[first]]
    value, begin, count = ratings.value[ratings.ascending], ratings.begin[:-1], ratings.count
    columns["ratings"] = count.tolist()
    columns["least"] = value[begin].tolist()
    columns["median"] = (value[begin + (count - 1) // 2] / 2 + value[begin + count // 2] / 2).tolist()
    columns["greatest"] = value[begin + count - 1].tolist()
    columns["equal"] = list(cells(_equal(ratings)))
    single = int((count == 1).sum())
    notes = [f"alpha needs several {unit}s"]
    if single:
        notes = [f"undefined (-) for {counted(single, unit)} with one rating; {notes[0]}"]
    if is_ratio and float(ratings.value.min()) > 0:
        spreads = ratio_spreads(ratings)
        columns |= {name: list(cells(s)) for name, s in zip(("max/min", "geometric sd"), spreads, strict=True)}
        if great := int(np.isinf(spreads).any(axis=0).sum()):
            notes.append(f"undefined for {great} whose ratio is too large for a floating-point number")
    elif is_ratio:
        notes.append(f"no ratios: a rating is {float(ratings.value.min()):g}")
    rows = list(zip(*columns.values(), strict=True))
    return Table(tuple(columns), rows, dict(provenance or {}), f"By {unit}", tuple(notes))


def _equal(ratings: Grouped) -> Floats:
    """Share of pairs of an item's ratings that are equal; not a number for one rating."""
    same = np.bincount(ratings.item, weights=alike(ratings.item, ratings.value) - 1, minlength=len(ratings))
    pairs = ratings.count * (ratings.count - 1)
    return shares(same, pairs)


# ---- Everything about agreement in one answer.


@dataclass(frozen=True, eq=False, repr=False)
class AgreementReport(Result):
    """How far assessors agree: over all items, by topic, by assessor, and with experts; each a table.

    Attributes
    ----------
    overall : Table
        `statistic` (alpha at each level, percent agreement, Fleiss' and Cohen's kappa; for ratio scales the median
        max/min ratio and geometric sd), `value`, `low` and `high` (its confidence limits), `items` and `ratings` it
        rests on, and a `note`.
    topics : Table
        By `topic`: `items`, `ratings`, `alpha LEVEL` with its limits `low` and `high`; `order as experts`, the share of
        pairs in the experts' order, and `note`, where there are any.
    assessors : Table
        By `assessor`: `ratings`, their `mean` and `spread`; `equal`, the share equal to the others' ratings; `bias`,
        the mean difference from them; `correlation` with them and its limits `low` and `high`; `order`, the share of
        pairs in the experts' order; `seconds` a rating; `weight` where asked for; and `look`, why the assessor is worth
        a second look.
    experts : Table or None
        `order as experts` (which pairs), `share` of them in the experts' order, and `n`, how many.
    provenance : mapping
        How it was made.
    ratings : Grouped or None
        The ratings.
    is_ratio : bool
        Whether they are magnitudes on a ratio scale.
    unit : str
        What was rated: 'document', 'answer' or 'pair'.

    Notes
    -----
    Columns of `frame` are those of `overall`.
    """

    overall: Table
    topics: Table
    assessors: Table
    experts: Table | None = None
    provenance: Mapping[str, object] = field(default_factory=dict)
    ratings: Grouped | None = None
    is_ratio: bool = False
    unit: str = "document"

    @cached_property
    def documents(self) -> Table:
        """By document: ratings, least, median, greatest, equal pairs; for magnitudes max/min and geometric sd."""
        assert self.ratings is not None
        return documents_table(self.ratings, self.is_ratio, self.provenance, self.unit)

    @property
    def flagged(self) -> tuple[str, ...]:
        """The assessors worth a second look, whom ``drop_assessors='flagged'`` leaves out."""
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


@checked_keywords()
def agreement(
    ratings: RatingsLike | Items,
    expert: JudgmentsLike | None = None,
    *,
    scale: Scale | str | None = None,
    normalize: str | None = None,
    units: Units = "items",
    method: Method = "jackknife",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    drop_assessors: Drop | None = None,
    weight_assessors: Weigh | None = None,
    first: int | None = None,
) -> AgreementReport:
    """Measure how far assessors agree, with one another and with experts, and who is worth a second look.

    Krippendorff's alpha at the level that the scale declares, or at all that fit; percent agreement, Fleiss' kappa by
    both conventions, Cohen's kappa, plain and weighted; for ratio scales max/min ratios and geometric standard
    deviations.

    Parameters
    ----------
    ratings : what `read_ratings` takes, or Items
        Ratings by several assessors; or values of answers by several judges, or of one judge in several repeats,
        of one score (``items.of_score(NAME)``).
    expert : what `evaluate` takes, optional
        Judgments of experts, whose order of documents the assessors' is compared with.
    scale : Scale or str, optional
        What a rating can be, such as 'ordinal 0:3', 'ratio' or 'nominal'.  Values of answers are on an interval scale
        unless it says otherwise, and nominal where they are 0 and 1.
    normalize : {'geometric', 'median', 'range', 'anchors'}, optional
        Bring magnitudes to one scale first, as in `aggregate`.
    units : {'items', 'items+assessors'}, default 'items'
        What the interval of alpha generalizes over.
    method : {'jackknife', 'bootstrap'}, default 'jackknife'
        How the interval of alpha is made.
    resamples : int, default 1000
        How many resamples a bootstrap draws; 0 for no interval.
    confidence : float, default 0.95
        Of every interval.
    seed : int, default 0
        Where random numbers begin.
    drop_assessors : str or sequence of str, optional
        Whose ratings to leave out; 'flagged' for those worth a second look.
    weight_assessors : str, optional
        Add each assessor's weight to the table; agreement itself counts every rating once.
    first : int, optional
        Only the first so many ratings of each document.

    Returns
    -------
    AgreementReport
        Tables over all items, by topic, by assessor, and with experts.

    References
    ----------
    .. [1] A. F. Hayes and K. Krippendorff, "Answering the call for a standard reliability measure for coding data",
           Communication Methods and Measures 1(1), 2007.
    .. [2] J. L. Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76(5), 1971.
    .. [3] J. Cohen, "Weighted kappa: nominal scale agreement provision for scaled disagreement or partial credit",
           Psychological Bulletin 70(4), 1968.

    Examples
    --------
    >>> import polars as pl
    >>> rows = [("1", d, a, v) for d, vs in {"a": (1, 1), "b": (3, 2), "c": (0, 0)}.items() for a, v in zip("xy", vs)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    >>> print(agreement(frame, scale="ordinal 0:3", resamples=0).overall)
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
    rated = _of_answers(ratings, expert)
    if rated is not None:
        ratings = rated.ratings
    declared = Scale.of(scale)
    if rated is not None and declared.level is None and normalize is None:
        declared = replace(declared, level=Scale.of(rated.scale).level)
    unit = "document" if rated is None else "answer"
    judged = Judgments.of(expert, "expert") if expert is not None else None
    is_ratio = declared.level == "ratio" or normalize is not None
    raw = settled(
        read_ratings(ratings, scale=declared), "first"
    )  # of numbered replicates: agreement is of single ratings
    raw = chosen(raw, drop_assessors=drop_assessors, first=first, expert=judged, normalize=normalize, scale=declared)
    choice = {"drop_assessors": drop_assessors, "weight_assessors": weight_assessors, "first": first}
    if not is_ratio and declared.level != "nominal":
        tell_mixed(raw)
    table = raw if normalize is None else normalized(raw, normalize)
    grouped = Grouped.of(table)
    provenance = {
        "scale": str(declared), "normalize": normalize, "units": units, "method": method, "resamples": resamples,
        "confidence": confidence, "seed": seed, "source": table.source,
        **{name: value if isinstance(value, str | int) else str(value) for name, value in choice.items() if value},
    }  # fmt: skip
    options = AlphaOptions(units, method, resamples, confidence, seed)
    overall = _overall(grouped, declared, is_ratio, options, unit)
    people = people_of(raw, judged, normalize=normalize, ratio=is_ratio, confidence=confidence)
    logs = is_ratio and float(grouped.value.min()) > 0
    weights = None if weight_assessors is None else weights_of(grouped, weight_assessors, logs=logs)
    pairs = None if judged is None else order_agreement(table.label, expert_levels(table, judged), unit_of(table)[0])
    people_in_words = counted(len(np.unique(grouped.who)), "assessor" if rated is None else rated.by)
    of_what = counted(len(table), "rating") if rated is None else f"{counted(len(table), 'value')} of {rated.score}"
    title = f"Agreement of {of_what} by {people_in_words}"
    notes = overall.notes if rated is None else (*overall.notes, *rated.notes)
    return AgreementReport(
        Table(overall.columns, overall.rows, provenance, title, notes),
        _by_topic(grouped, table, levels_of(declared, is_ratio)[0], pairs, options),
        _of_people(people, weights),
        None if pairs is None else _with_experts(table, pairs),
        provenance,
        grouped,
        is_ratio,
        unit,
    )


def _of_answers(ratings: object, expert: object) -> RatedItems | None:
    """Values of answers as ratings; None of ratings of documents."""
    if not isinstance(ratings, Items):
        return None
    if expert is not None:
        raise TruegainError(
            f"{argname('expert')}: experts put documents of a topic in order; hold values of answers against people's "
            f"with {by_surface('tg.Study(items, gold=...)', '`truegain judge check --gold FILE`')}"
        )
    return ratings_of_items(ratings)


def levels_of(scale: Scale, is_ratio: bool = False) -> tuple[str, ...]:
    """The levels at which alpha is asked for: the declared one, or all that fit."""
    if scale.level is not None:
        return (scale.level,)
    return ("ratio",) if is_ratio else ("ordinal", *(level for level in LEVELS if level not in ("ordinal", "ratio")))


def _overall(grouped: Grouped, scale: Scale, is_ratio: bool, options: AlphaOptions, unit: str) -> Table:
    paired = Paired.of(grouped)
    coefficients: list[Coefficient] = [alpha_of(paired, level, options) for level in levels_of(scale, is_ratio)]
    few = carried(grouped, coefficients[0], levels_of(scale, is_ratio)[0], options, unit)
    limits = not all(math.isnan(a.low) for a in coefficients)
    notes = [f"intervals over {options.population}"] * limits + [str(few)] * (few is not None)
    if not is_ratio:
        weights = ("none", *(("linear", "quadratic") if scale.level in ("ordinal", "interval") else ()))
        coefficients += [percent(grouped), fleiss(grouped), fleiss(grouped, "items")]
        coefficients += cohens(grouped, weights, seed=options.seed)
    else:
        coefficients += _spreads(grouped, paired)
    rows = [
        (a.measure, *cells((a.value, a.low, a.high)), a.n, a.ratings, ("undefined: " if a.refused else "") + a.why)
        for a in coefficients
    ]
    return Table(("statistic", "value", "low", "high", "items", "ratings", "note"), rows, notes=tuple(notes))


def _spreads(grouped: Grouped, paired: Paired) -> list[Coefficient]:
    """The median over items of max/min ratio and geometric standard deviation, or why there is none."""
    names, least = ("median max/min ratio", "median geometric sd"), float(grouped.value.min())
    if least <= 0:
        return [Coefficient.of(name, why=f"a rating of {least:g} has no ratio") for name in names]
    if not len(paired):
        return [Coefficient.of(name, why="no item has two ratings") for name in names]
    coefficients = []
    for name, each in zip(names, ratio_spreads(grouped), strict=True):
        values = np.sort(each[~np.isnan(each)])
        finite = bool(np.isfinite(values[len(values) // 2]))  # the upper of the middle two
        value = float(np.median(values)) if finite else math.nan
        why = "" if finite else "most ratios are too large for a floating-point number"
        coefficients.append(Coefficient.of(name, value, len(values), len(paired.value), why))
    return coefficients


def _by_topic(grouped: Grouped, table: Judgments, level: str, pairs: Order | None, options: AlphaOptions) -> Table:
    columns = ["topic", "items", "ratings", f"alpha {level}", "low", "high"]
    order = None if pairs is None else _order_of_topics(table, pairs)
    rows: list[tuple[str | int | float | None, ...]] = []
    reasons: list[str] = []
    how: Counter[str] = Counter()
    tail = False
    topic, place = grouped.topic[grouped.item], grouped.place[grouped.item]
    by_topic = np.argsort(topic, kind="stable")
    ends = np.searchsorted(topic[by_topic], np.arange(len(table.topic.values) + 1))
    for code, name in enumerate(table.topic.values):
        mine = by_topic[ends[code] : ends[code + 1]]
        part = Paired.rows(grouped.value[mine], place[mine], grouped.who[mine])
        alpha = alpha_of(part, level, options)
        items = len(np.unique(grouped.item[mine]))
        beside = [] if order is None else cells(order[[code]])
        rows.append((name, items, len(mine), *cells((alpha.value, alpha.low, alpha.high)), *beside))
        reasons.append("undefined: " * alpha.refused + alpha.why * (alpha.why != TAIL))
        how[_kind(alpha, options)] += 1
        tail |= alpha.why == TAIL
    if order is not None:
        columns.append("order as experts")
        alike = ("no pair on different levels" if row[-1] is None else "" for row in rows)
        reasons = ["; ".join(filter(None, both)) for both in zip(reasons, alike, strict=True)]
    if any(reasons):
        columns, rows = [*columns, "note"], [(*row, why) for row, why in zip(rows, reasons, strict=True)]
    counted = (f"{kind} ({count} {'topic' if count == 1 else 'topics'})" for kind, count in how.most_common())
    intervals = f"Intervals over {options.population}: {'; '.join(counted)}."
    notes = (intervals, *((f"They are valid {TAIL}.",) if tail else ()))
    return Table(tuple(columns), rows, title="By topic", notes=notes)


def _order_of_topics(table: Judgments, pairs: Order) -> Floats:
    """Per topic the share of pairs within units in the experts' order; not a number without pairs."""
    unit, count = unit_of(table)
    topic = np.zeros(count, np.int64)
    topic[unit] = table.topic.code
    right, every = (np.bincount(topic, weights=v, minlength=len(table.topic.values)) for v in pairs.counted(count))
    return shares(right, every)


def _kind(alpha: Coefficient, options: AlphaOptions) -> str:
    if not alpha.refused and not options.trials:
        return "not requested"
    return "none, see the note of each" if math.isnan(alpha.low) else options.method


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
        else f"no assessor has {ENOUGH} ratings, the fewest needed to stand out"
    )
    rows = [tuple(getattr(a, n) for n in names) for a in ordered]
    if weights is None:
        return Table(tuple(names), rows, title="Assessors", notes=(note,))
    rows = [(*row[:-1], weights[a.assessor], row[-1]) for a, row in zip(ordered, rows, strict=True)]
    counts = f"weights are those of {AGGREGATE} with the same arguments; agreement counts every rating once"
    return Table((*names[:-1], "weight", "look"), rows, title="Assessors", notes=(note, counts))


def _with_experts(table: Judgments, pairs: Order) -> Table:
    """Share of pairs ordered as the experts do: per unit on average, of all pairs, and by pair of levels."""
    share, _ = pairs.by_group(unit_of(table)[1])
    defined = share[~np.isnan(share)]
    rows: list[tuple[str | float | int | None, ...]] = [
        ("all pairs", pairs.share, len(pairs)),
        ("mean over units", float(defined.mean()) if len(defined) else None, len(defined)),
        ("units in perfect order", float((defined == 1).mean()) if len(defined) else None, len(defined)),
        *((f"levels {low:g} and {high:g}", share, n) for low, high, share, n in pairs.by_levels),
    ]
    notes = ["a pair of equal ratings counts as agreement; n counts pairs, or units"]
    if not len(pairs):
        notes.append("undefined: no unit has two documents that experts put on different levels")
    if len(pairs.levels) > MOST_LEVELS:
        notes.append(f"experts use {len(pairs.levels)} levels, too many to list every pair")
    return Table(("order as experts", "share", "n"), rows, title="Agreement with experts", notes=tuple(notes))
