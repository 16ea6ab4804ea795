"""Assessors: agreement with the rest and with experts, identical ratings, and whose ratings count how much."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from statistics import NormalDist
from typing import Any

import numpy as np

from truegain.aggregation.magnitudes import expert_levels, normalized, order_agreement, units
from truegain.data.judgments import Judgments
from truegain.data.pool import earlier
from truegain.data.rating_groups import Grouped, alike, item_keys, read_names, read_weights, scale_of
from truegain.data.ratings import Scale
from truegain.errors import InputError, TruegainError, counted, some, warn
from truegain.io.columns import Bools, Coded, Floats, Ints, frozen, number_of, shares
from truegain.results.table import cells

# ---- Assessors who give the same ratings wherever they meet: one opinion that is counted twice.

LEAST = 4  # documents that two must share before they are held against each other
SAME = 1e-3  # chance that any two are the same throughout, below which it is told
SURE = 1.96  # standard errors by which the usual agreement may be higher than it looks
LEAST_CHANCE = 1e-300  # below it numbers end
CELLS = 4_000_000  # pairs of assessors held at a time


@dataclass(frozen=True)
class Twin:
    """Who else gave the same ratings of all documents that both rated, how many these are, and how likely that is."""

    other: str
    shared: int
    chance: float  # that some two of all assessors come to it

    def __str__(self) -> str:
        chance = f"{self.chance:.1g}" if self.chance > LEAST_CHANCE else f"below {LEAST_CHANCE:g}"
        return f"same ratings as {self.other} on all {self.shared} documents that both rated (chance {chance})"


def twins(ratings: Grouped) -> dict[str, Twin]:
    """Assessors whose ratings equal those of one with more ratings (then by name) wherever both rated.

    Two who share m documents and agree on all are told where pairs q^m < 1/1000: `pairs` are all two assessors who
    share 4 or more, q how often two agree on a document, the greatest of four: the share of third ratings of these
    documents that equal theirs, the share of all others' ratings that equal either one's (each the upper end of its 95%
    interval, Wilson's), and the sum of p^2, p how often they give each rating.  So documents on which everybody agrees,
    two who both are very good, or two who nearly always say the same are not taken for one, and of two assessors alone
    nothing is said.

    >>> import polars as pl
    >>> from truegain.data.judgments import Judgments
    >>> rng = np.random.default_rng(1)
    >>> labels = rng.integers(0, 4, (40, 4)).tolist()
    >>> rows = [(f"d{i}", who, v) for i, row in enumerate(labels) for who, v in zip("abcd", row, strict=True)]
    >>> rows += [(f"d{i}", "e", row[2]) for i, row in enumerate(labels[:30])]
    >>> frame = pl.DataFrame(rows, schema=["doc", "assessor", "label"], orient="row").with_columns(topic=pl.lit("1"))
    >>> {name: str(twin) for name, twin in twins(Grouped.of(Judgments.of(frame))).items()}
    {'e': 'same ratings as c on all 30 documents that both rated (chance 1e-13)'}
    """
    assert ratings.judgments.assessor is not None
    names = ratings.judgments.assessor.values
    meeting = _Meeting.of(ratings, len(names))
    candidates, pairs = meeting.candidates()
    twin_of: dict[str, Twin] = {}
    size = np.bincount(ratings.assessor, minlength=len(names))
    for one, two, shared in candidates:
        chance = min(1.0, pairs * meeting.usual(one, two) ** shared)
        later, first = (one, two) if (-size[one], names[one]) > (-size[two], names[two]) else (two, one)
        if chance < SAME and (names[later] not in twin_of or twin_of[names[later]].shared < shared):
            twin_of[names[later]] = Twin(names[first], shared, chance)
    return twin_of


@dataclass(frozen=True, eq=False)
class _Meeting:
    """Who rated what, an assessor's first rating of an item alone, and how many others said the same."""

    who: Ints
    item: Ints
    value: Floats
    cell: Ints  # equal for equal ratings of an item
    equal: Floats  # other ratings of the item that are equal
    others: Floats  # other ratings of the item
    people: int

    @classmethod
    def of(cls, ratings: Grouped, people: int) -> _Meeting:
        _, rows = np.unique(ratings.item * people + ratings.assessor, return_index=True)
        who, item, value = ratings.assessor[rows].astype(np.int64), ratings.item[rows], ratings.value[rows]
        order = np.lexsort((value, item))
        new = np.concatenate([[False], (np.diff(value[order]) != 0) | (np.diff(item[order]) != 0)])
        cell = np.empty(len(rows), np.int64)
        cell[order] = np.cumsum(new)
        others = np.bincount(item)[item].astype(np.float64) - 1
        return cls(who, item, value, cell, alike(item, value) - 1, others, people)

    def candidates(self) -> tuple[list[tuple[int, int, int]], int]:
        """Two assessors who never differ, with how many items they share; and how many share enough to be asked."""
        rated, answers = self._table(self.item), self._table(self.cell)
        pairs, same, step = 0, [], max(1, CELLS // self.people)
        for begin in range(0, self.people, step):
            part = slice(begin, begin + step)
            shared = (rated[part] @ rated.T).toarray()
            compared = np.triu(shared >= LEAST, begin + 1)  # every two once
            pairs += int(compared.sum())
            if compared.any():
                one, two = np.nonzero(compared & (shared == (answers[part] @ answers.T).toarray()))
                same += list(zip((one + begin).tolist(), two.tolist(), shared[one, two].tolist(), strict=True))
        return same, pairs

    def _table(self, column: Ints) -> Any:
        sparse = import_module("scipy.sparse")
        shape = (self.people, int(column.max()) + 1)
        return sparse.csr_matrix((np.ones(len(column), np.int32), (self.who, column)), shape=shape)

    @cached_property
    def _totals(self) -> Floats:
        """Per assessor: ratings of others that are equal to theirs, and all of them."""
        return np.array([np.bincount(self.who, v, self.people) for v in (self.equal, self.others)])

    @cached_property
    def _rows(self) -> list[Ints]:
        order = np.argsort(self.who, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.who, minlength=self.people))[:-1])

    def usual(self, one: int, two: int) -> float:
        """How often two agree on a document, at most: by third ratings of what these share, either's others, habit."""
        mine = self._rows[one]
        both = mine[np.isin(self.item[mine], self.item[self._rows[two]])]
        shared = len(both)
        third = _at_most(float(self.equal[both].sum()) - shared, float(self.others[both].sum()) - shared)
        apart = [_at_most(self._totals[0, who] - shared, self._totals[1, who] - shared) for who in (one, two)]
        share = np.unique(self.value[both], return_counts=True)[1] / shared
        return max(third, *apart, float(share @ share))


def _at_most(right: float, count: float) -> float:
    """The upper end of Wilson's interval of a share; 1 where nothing is counted."""
    if count <= 0:
        return 1.0
    x, part = right / count, SURE**2 / count
    return float((x + part / 2 + np.sqrt(part * (x * (1 - x) + part / 4))) / (1 + part))


# ---- Each assessor: agreement with the rest and with experts, spread, time; and who is worth a second look.

ENOUGH = 4  # ratings before anything is said against somebody
PAIRS = 10  # pairs of documents before an order is held against somebody
APART = 0.2  # by how much a correlation must lie below the usual to matter
FAR_LOOK = "agrees with the rest far less than others do"
FAR_RULE = f"correlation with the rest {APART:g} or more below the usual, beyond chance and the usual spread"
SEVERAL = 5  # assessors from which a usual spread can be told; fewer are held against one another's intervals
FAR = 3.0  # how many standard deviations of honest assessors below the usual is far
CLOSE = 1 - 1e-9  # correlations beyond have no arctanh to speak of


@dataclass(frozen=True)
class Assessor:
    """What is known of an assessor; None is unknown, and `look` says why they are worth a second look."""

    assessor: str
    ratings: int
    mean: float
    spread: float
    equal: float | None  # share of others' ratings of the same items that are equal
    bias: float | None  # mean of own rating less the others' mean
    correlation: float | None  # with the others' mean
    low: float | None  # of the correlation, by Fisher's z and leaving out items
    high: float | None
    order: float | None  # pairwise order agreement with the experts
    seconds: float | None  # median time a rating
    look: str = ""


def people_of(
    table: Judgments,
    expert: Judgments | None = None,
    *,
    normalize: str | None = None,
    ratio: bool = False,
    confidence: float = 0.95,
) -> list[Assessor]:
    """Every assessor as `agree` tells of them; `normalize` and `ratio` say that ratings are magnitudes."""
    moved = table if normalize is None else normalized(table, normalize)
    grouped = Grouped.of(moved)
    logs = (ratio or normalize is not None) and float(grouped.value.min()) > 0
    same = twins(grouped if moved is table else Grouped.of(table))
    return assessors(grouped, expert, logs=logs, confidence=confidence, same=same)


def assessors(
    ratings: Grouped,
    expert: Judgments | None = None,
    *,
    logs: bool = False,
    confidence: float = 0.95,
    same: Mapping[str, Twin] | None = None,
) -> list[Assessor]:
    """Every assessor, in order of appearance; with `logs`, bias and correlation are of logarithms (magnitudes).

    The interval of a correlation r over n items is tanh(atanh r +- z e), e^2 the greater of 1/(n - 3), Fisher 1921,
    which is right for normal ratings, and the jackknife's (n - 1)/n sum (atanh r without an item - their mean)^2; it is
    left out for n < 4 and for r of 1 or -1.  Order agreement with experts counts pairs of documents of one unit.

    Worth a second look, from 4 ratings on: equal ratings throughout, where that is striking (the share of that rating
    among all, to the power of their number, is below 1 in 1,000); less than half of 10 or more pairs ordered as the
    experts do, which is below chance; a median time below a third of the usual; and a correlation far below the usual,
    atanh r < m - sqrt((1.96 e)^2 + (3 t)^2), m the median of the half with most items, e = 1/sqrt(n - 3) its own error,
    t^2 what that half differs by beyond such errors (1.4826 times the median distance of those above m, squared, less
    the median of e^2), and by 0.2 or more.  Of 3 or 4 assessors the upper limit of the one must lie below the lower
    limits of all others.  And whoever is the `same` as another (see `twins`).
    """
    table = ratings.judgments
    assert table.assessor is not None
    names, people = table.assessor.values, len(table.assessor.values)
    scale = scale_of(ratings.value)
    scaled = ratings.value / scale
    n = np.bincount(ratings.assessor, minlength=people).astype(np.float64)
    mean = _mean(scaled, ratings.assessor, n)
    spread = np.sqrt(np.maximum(0, _mean((scaled - mean[ratings.assessor]) ** 2, ratings.assessor, n)))
    spread[_constant(ratings, people)] = 0.0
    equal, bias, correlation, shared, moved = _with_the_rest(ratings, np.log(ratings.value) if logs else scaled, people)
    lows, highs = _limits(correlation, shared, moved, confidence)
    order, pairs = np.full(people, np.nan), np.zeros(people)
    if expert is not None:
        order, pairs = _with_experts(table, expert, people)
    seconds = _seconds(table, people)
    far = far_below(correlation, shared)
    looks = _looks(_striking(ratings, n), far, order, pairs, seconds, n)
    for name, why in zip(names, looks, strict=True):
        why += [str(same[name])] if same and name in same else []
    with np.errstate(over="ignore"):
        bias = bias if logs else bias * scale
    columns = (equal, bias, correlation, lows, highs, order, seconds)
    with_others = zip(*(cells(values) for values in columns), strict=True)
    rows = zip(names, n, mean * scale, spread * scale, with_others, looks, strict=True)
    return [
        Assessor(name, int(count), float(m), float(s), e, b, c, low, high, o, t, ", ".join(why))
        for name, count, m, s, (e, b, c, low, high, o, t), why in rows
        if count
    ]


def correlations(ratings: Grouped, *, logs: bool = False) -> tuple[Floats, Floats]:
    """Per assessor the correlation with the mean of the others, and over how many items; 0 for one rating throughout.

    Not a number below 3 items, and where the others do not differ.
    """
    assert ratings.judgments.assessor is not None
    people = len(ratings.judgments.assessor.values)
    value = np.log(ratings.value) if logs else ratings.value / scale_of(ratings.value)
    _, _, correlation, shared, _ = _with_the_rest(ratings, value, people)
    correlation[np.isnan(correlation) & _constant(ratings, people) & (shared >= 3) & (np.ptp(value) > 0)] = 0.0
    return correlation, shared


def _mean(values: Floats, group: np.ndarray[tuple[int], np.dtype[np.int32]], count: Floats) -> Floats:
    return shares(np.bincount(group, weights=values, minlength=len(count)), count)


def _with_the_rest(ratings: Grouped, value: Floats, people: int) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Per assessor: share of equal ratings, mean difference and correlation with the mean of the others, items.

    And the jackknife's variance of the correlation's arctanh, infinite where leaving an item out leaves no correlation.
    """
    several = ratings.count[ratings.item] >= 2
    who, others = ratings.assessor[several], (ratings.count[ratings.item] - 1)[several].astype(np.float64)
    sums = np.add.reduceat(value, ratings.begin[:-1])[ratings.item]
    mine, rest = value[several], (sums - value)[several] / others
    n = np.bincount(who, minlength=people).astype(np.float64)
    equal = _mean((alike(ratings.item, ratings.value)[several] - 1) / others, who, n)
    bias = _mean(mine - rest, who, n)
    dx, dy = mine - _mean(mine, who, n)[who], rest - _mean(rest, who, n)[who]
    xx, yy, xy = (np.bincount(who, weights=w, minlength=people) for w in (dx * dx, dy * dy, dx * dy))
    size = [1e-24 * np.bincount(who, weights=w * w, minlength=people) for w in (mine, rest)]  # below is rounding
    sound = (n >= 3) & (xx > size[0]) & (yy > size[1])
    correlation = np.full(people, np.nan)
    correlation[sound] = (xy[sound] / np.sqrt(xx[sound] * yy[sound])).clip(-1, 1)
    more = (n / np.maximum(n - 1, 1))[who]
    below = (xx[who] - more * dx**2) * (yy[who] - more * dy**2)
    there = sound[who] & (below > (xx * yy)[who] * 1e-24)
    left = np.zeros(len(who))
    left[there] = (xy[who] - more * dx * dy)[there] / np.sqrt(below[there])
    z = np.arctanh(left.clip(-CLOSE, CLOSE))
    moved = np.bincount(who, (z - _mean(z, who, n)[who]) ** 2, people) * (n - 1) / np.maximum(n, 1)
    moved[who[~there]] = np.inf
    return equal, bias, correlation, n, moved


def _limits(correlation: Floats, n: Floats, moved: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Limits of correlations; `moved` is the jackknife's variance of their arctanh."""
    low, high = np.full(len(n), np.nan), np.full(len(n), np.nan)
    sound = (n >= 4) & (np.abs(correlation) < 1) & np.isfinite(moved)
    step = NormalDist().inv_cdf((1 + confidence) / 2) * np.sqrt(np.maximum(1 / (n[sound] - 3), moved[sound]))
    low[sound], high[sound] = (np.tanh(np.arctanh(correlation[sound]) + sign * step) for sign in (-1, 1))
    return low, high


def _with_experts(table: Judgments, expert: Judgments, people: int) -> tuple[Floats, Floats]:
    """Per assessor the share of pairs of their units in the experts' order, and how many pairs there are."""
    assert table.assessor is not None
    unit, count = units(table)
    right, pairs = order_agreement(table.label, expert_levels(table, expert), unit).counted(count)
    who = np.zeros(count, np.int64)
    who[unit] = table.assessor.code
    right, pairs = (np.bincount(who, weights=v, minlength=people) for v in (right, pairs))
    return shares(right, pairs), np.asarray(pairs, np.float64)


def _seconds(table: Judgments, people: int) -> Floats:
    out = np.full(people, np.nan)
    if "seconds" not in table.extra or table.assessor is None:
        return out
    numbers = [number_of(value) for value in table.extra["seconds"]]
    times = np.array([np.nan if number is None else number for number in numbers])
    there = np.flatnonzero(~np.isnan(times))
    order = there[np.lexsort((times[there], table.assessor.code[there]))]
    who = table.assessor.code[order]
    for person, begin, count in zip(*np.unique(who, return_index=True, return_counts=True), strict=True):
        out[person] = np.median(times[order[begin : begin + count]])
    return out


def _constant(ratings: Grouped, people: int) -> Bools:
    """Who gave one rating throughout."""
    high, low = np.full(people, -np.inf), np.full(people, np.inf)
    np.maximum.at(high, ratings.assessor, ratings.value)
    np.minimum.at(low, ratings.assessor, ratings.value)
    return np.asarray(high == low, np.bool_)


def _striking(ratings: Grouped, n: Floats) -> Bools:
    """Who gave one rating throughout, although it is not that common."""
    out = np.zeros(len(n), np.bool_)
    who = np.flatnonzero(_constant(ratings, len(n)) & (n >= ENOUGH))
    if len(who):
        levels, count = np.unique(ratings.value, return_counts=True)
        only_value = np.zeros(len(n))
        only_value[ratings.assessor] = ratings.value
        share = count[np.searchsorted(levels, only_value[who])] / len(ratings.value)
        out[who] = share ** n[who] < SAME
    return out


def far_below(correlation: Floats, n: Floats) -> Bools:
    """Whose correlation with the rest, over n items, lies far below the usual one: beyond its error and their spread.

    >>> far_below(np.array([0.77, 0.74, 0.70, 0.30]), np.full(4, 1239.0)).tolist()
    [False, False, False, True]
    """
    out = np.zeros(len(n), np.bool_)
    measured = np.flatnonzero(~np.isnan(correlation) & (n >= ENOUGH))
    if len(measured) < 3:
        return out
    r = correlation[measured]
    z, error = np.arctanh(r.clip(-CLOSE, CLOSE)), 1 / np.sqrt(n[measured] - 3)
    if len(measured) < SEVERAL:
        low, high = z - SURE * error, z + SURE * error
        others = [np.delete(low, i).min() for i in range(len(z))]
        out[measured] = (high < others) & (r <= np.tanh([np.delete(z, i).min() for i in range(len(z))]) - APART)
        return out
    firm = error <= np.median(error)  # those with many items tell best what is usual
    middle = float(np.median(z[firm]))
    above = z[firm & (z >= middle)] - middle  # the side without the careless
    spread = (1.4826 * float(np.median(above))) ** 2 - float(np.median(error[firm] ** 2))
    least = middle - np.sqrt((SURE * error) ** 2 + FAR**2 * max(0.0, spread))
    out[measured] = (z < least) & (r <= np.tanh(middle) - APART)
    return out


def _looks(same: Bools, far: Bools, order: Floats, pairs: Floats, seconds: Floats, n: Floats) -> list[list[str]]:
    """Why an assessor is worth a second look: not a verdict, for taste and bad luck look the same."""
    looks: list[list[str]] = [[] for _ in n]
    enough = n >= ENOUGH
    with np.errstate(invalid="ignore"):
        quick = seconds < np.nanmedian(seconds) / 3 if (seconds > 0).any() else np.zeros(len(n), np.bool_)
        for which, why in (
            (same, "gives every document the same rating"),
            (far, FAR_LOOK),
            (enough & (pairs >= PAIRS) & (order < 0.5), "orders documents against the experts"),
            (enough & quick, "takes less than a third of the usual time"),
        ):
            for person in np.flatnonzero(which):
                looks[person].append(why)
    return looks


# ---- Whose ratings count, and how much: one way for everything that reads ratings.

FLAGGED, AGREEMENT = "flagged", "agreement"
FEWEST = 3  # assessors from which on some agree more with the rest than others
NAMED = 8  # assessors that a message lists

Drop = str | os.PathLike[str] | Sequence[str]
Weigh = str | os.PathLike[str] | Mapping[str, float]


def chosen(
    ratings: Judgments,
    *,
    drop_assessors: Drop | None = None,
    first: int | None = None,
    expert: Judgments | None = None,
    normalize: str | None = None,
    scale: Scale | str | None = None,
) -> Judgments:
    """The ratings that count; what is left out is told.

    drop_assessors: names, a file of them (see `read_names`), or 'flagged': those that `agree` finds worth a
    second look, from the same `scale`, `normalize` and `expert`.  They are named once, from all ratings: whoever stands
    out only when these are gone stays.
    first: then the first so many ratings of each document, in the order of the table.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("aaab"), "assessor": list("xyzx"), "label": [1, 2, 3, 0]})
    >>> import warnings; warnings.simplefilter("ignore")
    >>> chosen(Judgments.of(frame), drop_assessors=["y"], first=1).label.tolist()
    [1.0, 0.0]
    """
    if drop_assessors is not None:
        ratio = Scale.of(scale).level == "ratio"
        ratings = _without(ratings, drop_assessors, expert, normalize, ratio)
    return ratings if first is None else _first(ratings, first)


def _without(ratings: Judgments, drop: Drop, expert: Judgments | None, normalize: str | None, ratio: bool) -> Judgments:
    assert ratings.assessor is not None
    if drop == FLAGGED:
        people = people_of(ratings, expert, normalize=normalize, ratio=ratio)
        names = [a.assessor for a in people if a.look]
    else:
        names = read_names(drop) if isinstance(drop, str | os.PathLike) else list(drop)
    there = set(ratings.assessor.values)
    left_out = list(dict.fromkeys(n for n in names if n in there))
    lost = [n for n in dict.fromkeys(names) if n not in there]
    if lost and not left_out:
        raise InputError(
            f"{some(lost)}: none of the assessors to leave out rated anything; those who rated: "
            f"{some(ratings.assessor.values)}",
            file=ratings.source,
            hint="spell names as in the ratings",
        )
    if lost:
        warn(f"{counted(len(lost), 'assessor')} to leave out did not rate anything: {some(lost, NAMED)}")
    if not left_out:
        warn("no assessor is left out: `agree` flags none")
        return ratings
    gone = np.isin(ratings.assessor.code, [ratings.assessor.values.index(n) for n in left_out])
    if gone.all():
        raise InputError("all assessors are left out", file=ratings.source, hint="leave out fewer")
    kept = _only(ratings, np.flatnonzero(~gone))
    documents = len(np.unique(item_keys(ratings))) - len(np.unique(item_keys(kept)))
    lose = f"; {counted(documents, 'document')} had no other and {_are(documents)} unjudged now" if documents else ""
    warn(
        f"{len(left_out)} of {counted(len(there), 'assessor')} left out"
        f"{', worth a second look,' if drop == FLAGGED else ''} with {int(gone.sum()):,} of {len(gone):,} ratings: "
        f"{some(left_out, NAMED)}{lose}"
    )
    return kept


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _first(ratings: Judgments, most: int) -> Judgments:
    if most < 1:
        raise TruegainError(f"cannot keep the first {most} ratings of a document; give 1 or more")
    rows = np.flatnonzero(earlier(item_keys(ratings)) < most)
    if len(rows) < len(ratings):
        warn(f"the first {most} of each document count: {len(rows):,} of {counted(len(ratings), 'rating')}")
    return _only(ratings, rows)


def _only(ratings: Judgments, rows: Ints) -> Judgments:
    """Some rows, without topics and assessors that have none of them."""
    kept = ratings.take(rows)
    assert kept.assessor is not None
    return replace(kept, topic=_used(kept.topic), assessor=_used(kept.assessor))


def _used(column: Coded) -> Coded:
    used, code = np.unique(column.code, return_inverse=True)
    return Coded(tuple(column.values[u] for u in used.tolist()), frozen(code.astype(np.int32)))


# ---------------------------------------------------------------------- how much each counts


def weights_of(ratings: Grouped, weigh: Weigh, *, logs: bool = False) -> dict[str, float]:
    """How much each assessor counts: as given, or by agreement.

    'agreement': max(0, tanh s), s = m + t^2/(t^2 + e^2) (z - m), z = atanh r of the correlation r with the mean of the
    others over n documents (as `agree` tells it, 0 for one rating throughout), e^2 = 1/(n - 3); m and t^2 are
    the mean of all and how far they differ beyond such errors (DerSimonian and Laird 1986).  So few ratings tell little
    of an assessor, and where assessors do not differ all count alike.  Weights are over their mean by ratings.

    >>> import polars as pl
    >>> rows = [(f"d{i}", who, v) for i in range(30) for who, v in (("a", i), ("b", i + i % 2), ("c", -(i % 5)))]
    >>> frame = pl.DataFrame(rows, schema=["doc", "assessor", "label"], orient="row").with_columns(topic=pl.lit("1"))
    >>> {who: round(w, 2) for who, w in weights_of(Grouped.of(Judgments.of(frame)), "agreement").items()}
    {'a': 1.5, 'b': 1.5, 'c': 0.0}
    """
    assert ratings.judgments.assessor is not None
    names = ratings.judgments.assessor.values
    if weigh == AGREEMENT:
        weight = _by_agreement(ratings, logs)
    else:
        by_name = read_weights(weigh) if isinstance(weigh, str | os.PathLike) else dict(weigh)
        lost = [n for n in names if n not in by_name]
        if lost:
            raise TruegainError(
                f"{len(lost)} of {len(names)} assessors have no weight: {some(lost, NAMED)}; give one for each, 0 to "
                "leave an assessor out"
            )
        weight = np.array([float(by_name[n]) for n in names])
    mean = float(weight[ratings.assessor].mean())
    if not (np.isfinite(weight).all() and (weight >= 0).all() and mean > 0):
        raise TruegainError("weights of assessors must be finite, at least 0, and not all 0")
    return dict(zip(names, (weight / mean).tolist(), strict=True))


def _by_agreement(ratings: Grouped, logs: bool) -> Floats:
    correlation, n = correlations(ratings, logs=logs)
    measured = ~np.isnan(correlation) & (n >= ENOUGH)
    if measured.sum() < FEWEST:
        raise TruegainError(
            f"{int(measured.sum())} assessors share {ENOUGH} documents or more with others, on which ratings differ; "
            f"weights by agreement need {FEWEST}"
        )
    z = np.arctanh(correlation[measured].clip(-1 + 1e-9, 1 - 1e-9))
    error = 1 / (n[measured] - 3)
    middle, spread = _pooled(z, error)
    shrunk = np.full(len(n), middle)
    shrunk[measured] += spread / (spread + error) * (z - middle)
    return np.asarray(np.maximum(0.0, np.tanh(shrunk)), np.float64)


def _pooled(value: Floats, variance: Floats) -> tuple[float, float]:
    """The mean of values with errors, and the variance between them beyond these (DerSimonian and Laird 1986)."""
    w = 1 / variance
    fixed = float((w * value).sum() / w.sum())
    beyond = float((w * (value - fixed) ** 2).sum()) - (len(value) - 1)
    between = max(0.0, beyond / float(w.sum() - (w**2).sum() / w.sum()))
    w = 1 / (variance + between)
    return float((w * value).sum() / w.sum()), between


def row_weights(ratings: Grouped, by_name: Mapping[str, float]) -> Floats:
    """How much each rating counts, in the order of the table: its assessor's weight, N ratings of a document N in all.

    A document all of whose assessors have weight 0 gets none, and no gain.
    """
    assert ratings.judgments.assessor is not None
    each = np.array([by_name[n] for n in ratings.judgments.assessor.values])[ratings.assessor]
    total = np.add.reduceat(each, ratings.begin[:-1])
    share = np.divide(ratings.count, total, out=np.zeros(len(total)), where=total > 0)
    weight = np.empty(len(each))
    weight[ratings.order] = each * share[ratings.item]
    return weight


def tell_weights(by_name: Mapping[str, float]) -> None:
    """Tell how far the weights of assessors lie apart."""
    weight = sorted(by_name.values())
    none = sum(w == 0 for w in weight)
    warn(
        f"assessors count {weight[0]:.2f} to {weight[-1]:.2f} times the mean"
        + (f"; {none} of {len(weight)} have the weight 0" if none else "")
    )
