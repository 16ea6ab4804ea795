"""Each assessor: agreement with the rest and with experts, spread, time; and who is worth a second look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from truegain.gains.identical import Twin, twins
from truegain.gains.magnitudes import normalized, units
from truegain.gains.order import expert_levels, order_agreement
from truegain.tables.alike import alike, scale_of
from truegain.tables.columns import Bools, Floats, shares
from truegain.tables.grouped import Grouped
from truegain.tables.judgments import Judgments
from truegain.tables.table import cells
from truegain.tables.tabular import number_of

ENOUGH = 4  # ratings before anything is said against somebody
PAIRS = 10  # pairs of documents before an order is held against somebody
SAME = 1e-3  # chance of equal ratings throughout below which they are striking
APART = 0.2  # by how much a correlation must lie below the usual to matter
FAR_LOOK = "agrees with the rest far less than others do"
FAR_RULE = f"correlation with the rest {APART:g} or more below the usual, beyond chance and the usual spread"
SEVERAL = 5  # assessors from which a usual spread can be told; fewer are held against one another's intervals
FAR = 3.0  # how many standard deviations of honest assessors below the usual is far
SURE = 1.96  # standard errors of an assessor's own correlation
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
    known = (equal, bias, correlation, lows, highs, order, seconds)
    found = zip(*(cells(values) for values in known), strict=True)
    rows = zip(names, n, mean * scale, spread * scale, found, looks, strict=True)
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
    _, _, found, shared, _ = _with_the_rest(ratings, value, people)
    found[np.isnan(found) & _constant(ratings, people) & (shared >= 3) & (np.ptp(value) > 0)] = 0.0
    return found, shared


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
        said = np.zeros(len(n))
        said[ratings.assessor] = ratings.value
        share = count[np.searchsorted(levels, said[who])] / len(ratings.value)
        out[who] = share ** n[who] < SAME
    return out


def far_below(correlation: Floats, n: Floats) -> Bools:
    """Whose correlation with the rest, over n items, lies far below the usual one: beyond its error and their spread.

    >>> far_below(np.array([0.77, 0.74, 0.70, 0.30]), np.full(4, 1239.0)).tolist()
    [False, False, False, True]
    """
    out = np.zeros(len(n), np.bool_)
    known = np.flatnonzero(~np.isnan(correlation) & (n >= ENOUGH))
    if len(known) < 3:
        return out
    r = correlation[known]
    z, error = np.arctanh(r.clip(-CLOSE, CLOSE)), 1 / np.sqrt(n[known] - 3)
    if len(known) < SEVERAL:
        low, high = z - SURE * error, z + SURE * error
        others = [np.delete(low, i).min() for i in range(len(z))]
        out[known] = (high < others) & (r <= np.tanh([np.delete(z, i).min() for i in range(len(z))]) - APART)
        return out
    firm = error <= np.median(error)  # those with many items tell best what is usual
    middle = float(np.median(z[firm]))
    above = z[firm & (z >= middle)] - middle  # the side without the careless
    spread = (1.4826 * float(np.median(above))) ** 2 - float(np.median(error[firm] ** 2))
    least = middle - np.sqrt((SURE * error) ** 2 + FAR**2 * max(0.0, spread))
    out[known] = (z < least) & (r <= np.tanh(middle) - APART)
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
