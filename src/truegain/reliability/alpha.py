"""Krippendorff's alpha, with an interval over items, or over items and assessors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np

from truegain.data.rating_groups import Grouped, alike, scale_of
from truegain.data.ratings import LEVELS
from truegain.errors import TruegainError, check_one_of
from truegain.io.columns import Bools, Floats, Ints, frozen, shares
from truegain.sampling.streams import blocks, generator
from truegain.stats.multiple_testing import check_replicates, monte_carlo_p
from truegain.stats.results import Estimate
from truegain.stats.student_t import check_confidence, quantile_of, satterthwaite, wilson

# ---- Ratings of items that two or more assessors rated, and what makes them differ: the parts of Krippendorff's
# alpha.

CELLS = 40_000_000  # a table of items by values up to this size is held in memory,
FULL = 64  # if it has no more than so many cells a rating
ROWS = 50  # replicates at a time with such a table; without it one
DIRECT = 200  # distinct values up to which pairs of values are gone through one by one
STEP, POINTS = 0.1, 16  # of the grid of logarithms below, and how many of its points stand for a value
FAR = 40.0  # logarithms so far apart differ by 1 to the last bit
ROOM = 2_000_000  # numbers of a table held at a time


class Parts(NamedTuple):
    """Sums of differences over ordered pairs of ratings, a number for each replicate."""

    within: Floats  # of each item, over the number of its ratings less one
    among: Floats  # of any two ratings, over the number of all less one
    own: Floats  # of each item, as they are


@dataclass(frozen=True, eq=False)
class Paired:
    """The pairable ratings: item i has rows begin[i] to begin[i + 1], at least two, and `assessor` says whose."""

    value: Floats
    item: Ints
    begin: Ints
    assessor: Ints

    @classmethod
    def of(cls, ratings: Grouped) -> Paired:
        """Ratings of items with at least two, items by name, so that a draw does not depend on the order of rows."""
        return cls.rows(ratings.value, ratings.place[ratings.item], ratings.who)

    @classmethod
    def rows(cls, value: Floats, item: Ints, assessor: Ints) -> Paired:
        """Ratings of items with at least two, in the order of the items' numbers."""
        count = np.bincount(item, minlength=1)
        keep = np.flatnonzero(count[item] >= 2)
        keep = keep[np.argsort(item[keep], kind="stable")]
        _, code, size = np.unique(item[keep], return_inverse=True, return_counts=True)
        begin = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
        return cls(
            frozen(value[keep]), frozen(code.astype(np.int64)), frozen(begin), frozen(assessor[keep].astype(np.int64))
        )

    def take(self, keep: Bools) -> Paired:
        """Some of the ratings, without items that are left with one."""
        return Paired.rows(self.value[keep], self.item[keep], self.assessor[keep])

    def __len__(self) -> int:
        return len(self.begin) - 1

    @cached_property
    def count(self) -> Floats:
        """Ratings per item."""
        return frozen(np.diff(self.begin).astype(np.float64))

    def per_item(self, values: Floats) -> Floats:
        """Sum per item, over the first axis."""
        summed: Floats = np.add.reduceat(values, self.begin[:-1], axis=0)
        return summed

    @cached_property
    def _coded(self) -> tuple[Floats, Ints]:
        levels, code = np.unique(self.value, return_inverse=True)
        return levels, code.astype(np.int64)

    @property
    def levels(self) -> Floats:
        """The distinct values, ascending."""
        return self._coded[0]

    @property
    def code(self) -> Ints:
        """For every rating the place of its value among the levels."""
        return self._coded[1]

    @cached_property
    def cells(self) -> Floats | None:
        """How often each item got each level, where that table is not too large."""
        if len(self) * len(self.levels) > min(CELLS, FULL * len(self.value)):
            return None
        flat = np.bincount(self.item * len(self.levels) + self.code, minlength=len(self) * len(self.levels))
        return frozen(flat.reshape(len(self), len(self.levels)).astype(np.float64))

    @cached_property
    def _ascending(self) -> tuple[Ints, Ints, Ints]:
        """By value: the item and the code of every rating, and where each level begins."""
        order = np.argsort(self.code, kind="stable")
        return self.item[order], self.code[order], np.searchsorted(self.code[order], np.arange(len(self.levels)))

    def totals(self, weights: Floats) -> Iterator[tuple[slice, Floats]]:
        """How often each level occurs when items count as often as the weights say, some replicates at a time."""
        item, _, begin = self._ascending
        step = 1 if self.cells is None else ROWS
        for first in range(0, len(weights), step):
            rows = slice(first, first + step)
            if self.cells is None:
                yield rows, np.add.reduceat(weights[first][item], begin)[None, :]
            else:
                yield rows, _product(weights[rows], self.cells)

    # ------------------------------------------------------------------ within items, between all

    def nominal(self, weights: Floats) -> Parts:
        """Pairs that differ: within items, and among all ratings.  A row of weights is a replicate."""
        own = self.count**2 - self.per_item(self.alike)
        total = weights @ self.count
        alike = np.concatenate([(counts**2).sum(axis=1) for _, counts in self.totals(weights)])
        return self._parts(weights, own, total**2 - alike)

    def _parts(self, weights: Floats, own: Floats, among: Floats) -> Parts:
        """The parts, of sums over the pairs of each item and over all."""
        return Parts(weights @ (own / (self.count - 1)), among / (weights @ self.count - 1), weights @ own)

    @cached_property
    def alike(self) -> Floats:
        """For every rating how many of its item, itself included, have the same value."""
        return alike(self.item, self.value)

    def interval(self, weights: Floats) -> Parts:
        """Squared differences, by moments: sum over ordered pairs of (x - y)^2 = 2 (n sum x^2 - (sum x)^2)."""
        value = self.value / scale_of(self.value)  # alpha does not depend on the unit
        centered = value - value.mean()
        mean = self.per_item(centered) / self.count
        own = 2 * self.count * self.per_item((centered - mean[self.item]) ** 2)
        first, second = weights @ self.per_item(centered), weights @ self.per_item(centered**2)
        return self._parts(weights, own, 2 * ((weights @ self.count) * second - first**2))

    def ordinal(self, weights: Floats) -> Parts:
        """As interval, on mid-ranks: Krippendorff's ordinal difference is the difference of two mid-ranks."""
        total = weights @ self.count
        within, among, own = np.empty((3, len(weights)))
        for rows, counts in self.totals(weights):
            n = total[rows]
            rank = np.cumsum(counts, axis=1) - (counts + n[:, None]) / 2  # their sum is 0
            among[rows] = 2 * n * (counts * rank**2).sum(axis=1) / (n - 1)
            spread = self.count * self._per_item_of_levels(rank**2) - self._per_item_of_levels(rank) ** 2
            own[rows] = 2 * np.einsum("bi,bi->b", weights[rows], spread)
            within[rows] = 2 * np.einsum("bi,bi->b", weights[rows], spread / (self.count - 1))
        return Parts(within, among, own)

    def _per_item_of_levels(self, values: Floats) -> Floats:
        """Replicates by items: the sum over an item's ratings of a number for each level."""
        if self.cells is not None:
            return np.asarray(values @ self.cells.T, np.float64)
        item, code, _ = self._ascending
        return np.stack([np.bincount(item, row[code], len(self)).astype(np.float64) for row in values])

    def ratio(self, weights: Floats) -> Parts:
        """Squared differences over squared sums, ((x - y)/(x + y))^2, and 0 for two zeros."""
        if len(self.levels) <= DIRECT:
            apart = _ratio(self.levels[:, None], self.levels[None, :])
            among = np.concatenate(
                [np.einsum("bi,bi->b", counts @ apart, counts) for _, counts in self.totals(weights)]
            )
        else:
            zeros = weights @ self.per_item((self.value == 0).astype(np.float64))
            among = 2 * zeros * (weights @ self.count - zeros) + self._ratio_among(weights)
        return self._parts(weights, self._ratio_own, among)

    def _ratio_among(self, weights: Floats) -> Floats:
        """Sum over all ordered pairs above 0, without going through them: values move to a grid of their logarithms.

        ((x - y)/(x + y))^2 = tanh^2((ln x - ln y)/2) depends on the distance of logarithms alone and is smooth, so that
        each value may stand on the 16 points of the grid around it, by their Lagrange polynomials; with steps of 0.1
        that is right to about 1e-15.  Then only points of the grid are paired, by how far apart they are.
        """
        counts, step = self._on_grid(weights)
        lags = np.arange(min(counts.shape[1], int(FAR / step)))
        apart = np.tanh(lags * step / 2) ** 2
        among = np.zeros(len(weights))
        if len(lags) < counts.shape[1]:  # every two differ by 1, but for the near ones
            among, apart = counts.sum(axis=1) ** 2, apart - 1
            among += apart[0] * np.einsum("bi,bi->b", counts, counts)
        for lag in lags[1:].tolist():
            among += 2 * apart[lag] * np.einsum("bi,bi->b", counts[:, lag:], counts[:, :-lag])
        return among

    def _on_grid(self, weights: Floats) -> tuple[Floats, float]:
        """Replicates by points of the grid: how often each occurs; and the step between two points."""
        logs = _logs_above_lowest(self.value)
        there = ~np.isnan(logs)
        step = min(STEP, float(logs[there].max()) / POINTS) or STEP
        place = np.where(there, logs, 0) / step
        left = np.floor(place).astype(np.int64)
        points = int(left.max()) + POINTS
        counts, size = np.zeros((len(weights), points)), max(1, ROOM // points)
        for first in range(0, len(self), size):
            last = min(len(self), first + size)
            rows = slice(self.begin[first], self.begin[last])
            parts = _lagrange((place - left)[rows]) * there[rows]
            cell = (self.item[rows] - first) * points + left[rows] + np.arange(POINTS)[:, None]
            table = np.zeros((last - first, points))
            table += np.bincount(cell.ravel(), weights=parts.ravel(), minlength=table.size).reshape(table.shape)
            counts += _product(weights[:, first:last], table)
        return counts, step

    @cached_property
    def _ratio_own(self) -> Floats:
        """Sum over the ordered pairs of an item; pairs by their distance."""
        sums, most = np.zeros(len(self)), int(self.count.max())
        last = self.begin[1:][self.item]
        rows = np.arange(len(self.value))
        for lag in range(1, most):
            rows = rows[rows + lag < last[rows]]
            apart = _ratio(self.value[rows], self.value[rows + lag])
            sums += np.bincount(self.item[rows], weights=apart, minlength=len(self))
        return frozen(2 * sums)


def _ratio(x: Floats, y: Floats) -> Floats:
    x, y = x / 2, y / 2  # so that no sum overflows
    total = x + y
    part: Floats = np.divide(x - y, total, out=np.zeros(np.broadcast(x, y).shape), where=total != 0)
    return part**2


def _product(weights: Floats, table: Floats) -> Floats:
    """The product of weights and a table, the way round in which BLAS is quick: the longer side first."""
    if len(weights) >= table.shape[1]:
        return np.asarray(weights @ table, np.float64)
    return np.asarray((table.T @ weights.T).T, np.float64)


def _logs_above_lowest(values: Floats) -> Floats:
    """Logarithms of values over the lowest one above 0, also where both are nearly equal; not a number for 0."""
    above = np.where(values > 0, values, np.nan)
    lowest = np.nanmin(above)
    logs: Floats = np.log(above) - np.log(lowest)
    near = np.flatnonzero(above <= 2 * lowest)
    logs[near] = np.log1p((above[near] - lowest) / lowest)
    return logs


def _lagrange(at: Floats) -> Floats:
    """Points by values: the Lagrange polynomials of the points -7 to 8 at places in [0, 1)."""
    nodes = np.arange(POINTS) - (POINTS // 2 - 1)
    away = at[None, :] - nodes[:, None]
    out, after = np.ones((POINTS, len(at))), np.ones(len(at))
    for k in range(1, POINTS):
        out[k] = out[k - 1] * away[k - 1]
    for k in range(POINTS - 1, -1, -1):
        out[k] *= after / np.prod([nodes[k] - n for n in nodes.tolist() if n != nodes[k]], dtype=np.float64)
        after *= away[k]
    return out


# ---- The interval of alpha: what leaving out items does to it and, for raters like these, leaving out assessors.

ALONE, GROUPS = 1000, 200  # items up to which each is left out alone; of more one of so many random groups
PEOPLE, CREWS = 200, 50  # the same of assessors
ROOM_LEFT_OUT = 10_000_000  # weights held at a time
DIFFER = 10  # items on which people differ beyond which leaving out tells enough by itself
FEWEST = 3  # assessors who can stand for others like them
ROUNDING = 1e-12  # a disagreement below this share of the whole study's is none


class NoIntervalError(Exception):
    """Why there is no interval."""


def limits_of(paired: Paired, level: str, units: str, confidence: float, seed: int) -> tuple[float, float]:
    """Limits of alpha over other items by these assessors, or over other items and assessors, or NoIntervalError.

    a = alpha_between; V, df from leaving out items (with assessors: V = V_i + V_a, df by Satterthwaite); h = t(df)
    sqrt V.  The limits enclose a +- h, a - h - h^2/(4 (1 - a)), which is the lower one on the scale of sqrt(1 - a), and
    1 - Wilson(1 - a, m, t(n - 1)), and end at 1; m = n items, times k/10 where people differ on more than 10 items, k
    of them, for then h can be trusted.  Where a differs from Krippendorff's alpha, that lies within.

    Wilson 1927, JASA 22; Efron and Stein 1981, Annals of Statistics 9(3).
    """
    if (value := same_majority(paired)) is not None:
        raise NoIntervalError(f"no interval: {value:g} is the most frequent rating of every item")
    items = len(paired)
    whole = float(alpha_between(paired, level, np.ones((1, items)))[0])
    out = _without_items(paired, level, seed)
    if np.isnan(out).any():
        raise NoIntervalError("no interval: without one of the items no two items differ")
    parts = [spread_of(out)]
    if units == "items+assessors":
        parts.append(spread_of(_without_assessors(paired, level, seed)))
    half = quantile_of(confidence, satterthwaite(parts)) * math.sqrt(sum(v for v, _ in parts))
    bow = half**2 / (4 * (1 - whole)) if half > 0 else 0.0
    begin = paired.begin[:-1]
    differ = int((np.maximum.reduceat(paired.value, begin) > np.minimum.reduceat(paired.value, begin)).sum())
    size, t = items * max(1.0, differ / DIFFER), quantile_of(confidence, items - 1)
    best, worst = (float(end) for end in wilson(1 - whole, size, t))
    return min(whole - half - bow, 1 - worst), min(1.0, max(whole + half, 1 - best))


def alpha_between(paired: Paired, level: str, weights: Floats) -> Floats:
    """Alpha with disagreement by chance from ratings of different items only; not a number where these do not differ.

    1 - D_o/D_b: D_o as in Krippendorff's alpha, D_b the mean difference of two ratings of different items

    Two ratings of one item agree better than by chance; counted with the rest, they pull alpha of few items towards 0.

    >>> pairs = Paired.rows(np.array([1.0, 1, 3, 2, 0, 0]), np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1] * 3))
    >>> round(float(alpha_between(pairs, "interval", np.ones((1, 3)))[0]), 4)  # Krippendorff's: 0.878
    0.9
    """
    parts = getattr(paired, level)(weights)
    total = weights @ paired.count
    pairs = total**2 - weights @ paired.count**2
    apart = parts.among * (total - 1) - parts.own
    whole = getattr(paired, level)(np.ones((1, len(paired)))).among[0] * (paired.count.sum() - 1)
    there = (pairs > 0) & (apart > ROUNDING * whole)
    chance = np.divide(apart, pairs, out=np.full(len(total), np.nan), where=there)
    return np.asarray(1 - parts.within / total / chance, np.float64)


def spread_of(left: Floats) -> tuple[float, float]:
    """The jackknife's variance of values without one unit each, and its degrees of freedom.

    V = (n - 1)/n sum u^2, u a value less their mean; df = 2n/(kappa - 1) between 1 and n - 1, where kappa =
    n sum u^4/(sum u^2)^2 tells how far V rests on a few units

    >>> spread_of(np.array([0.0, 1.0, 2.0]))
    (1.3333333333333333, 2.0)
    """
    n, u = len(left), left - left.mean()
    total = float((u**2).sum())
    if total == 0:
        return 0.0, float(n - 1)
    kurtosis = n * float((u**4).sum()) / total**2
    return (n - 1) / n * total, float(np.clip(2 * n / max(kurtosis - 1, ROUNDING), 1, n - 1))


def same_majority(paired: Paired) -> float | None:
    """A rating that no other outnumbers in any item: how far people agree on the rest was not seen."""
    alike = paired.alike
    most = np.maximum.reduceat(alike, paired.begin[:-1])[paired.item]
    frequent = alike == most
    of = np.unique(paired.code[frequent] * len(paired) + paired.item[frequent]) // len(paired)
    values, items = np.unique(of, return_counts=True)
    common = values[items == len(paired)]
    return float(paired.levels[common[0]]) if len(common) else None


def _without_items(paired: Paired, level: str, seed: int) -> Floats:
    """Alpha without each item, or without each of some random groups of many."""
    group = _groups(len(paired), ALONE, GROUPS, seed)
    step, count = max(1, ROOM_LEFT_OUT // len(paired)), int(group.max()) + 1
    weights = (np.asarray(group != np.arange(at, min(at + step, count))[:, None]) for at in range(0, count, step))
    return np.concatenate([alpha_between(paired, level, w.astype(np.float64)) for w in weights])


def _without_assessors(paired: Paired, level: str, seed: int) -> Floats:
    """Alpha without each assessor, or without each of some random groups of many."""
    names, code = np.unique(paired.assessor, return_inverse=True)
    if len(names) < FEWEST:
        raise NoIntervalError(
            f"no interval: {len(names)} assessors are too few to represent others; at least {FEWEST} are needed"
        )
    group = _groups(len(names), PEOPLE, CREWS, seed)[code]
    alphas = [_alone(paired.take(np.asarray(group != g, np.bool_)), level) for g in range(int(group.max()) + 1)]
    if np.isnan(alphas).any():
        raise NoIntervalError("no interval: without one of the assessors no two items differ")
    return np.array(alphas)


def _alone(paired: Paired, level: str) -> float:
    return float(alpha_between(paired, level, np.ones((1, len(paired))))[0]) if len(paired) else math.nan


def _groups(units: int, most_single: int, groups: int, seed: int) -> Ints:
    """For every unit the number of the group that it is left out with."""
    if units <= most_single:
        return np.arange(units)
    return generator(seed, "groups left out").permutation(units) % groups


# ---- Krippendorff's alpha, with an interval over items, or over items and assessors.

Units = Literal["items", "items+assessors"]
Method = Literal["jackknife", "bootstrap"]
POPULATION = {"items": "other items, these assessors", "items+assessors": "other items, assessors like these"}
ROOM_DRAWN = 20_000_000  # random weights held at a time
MOST_LOST = 0.5  # share of resamples without an alpha beyond which there is no interval
LEAST = -1.0  # what alpha can be
MANY = 100  # items from which a bootstrap interval may be trusted
LONG = 400  # items up to which a long tail of item values harms an interval
TAIL = "if item values have no long tail; otherwise use the ratio or ordinal level"


@dataclass(frozen=True)
class Coefficient(Estimate):
    """A coefficient of agreement of `n` items: NaN where it is undefined, as are limits that there are not."""

    ratings: int = 0

    @classmethod
    def of(cls, name: str, value: float = math.nan, items: int = 0, ratings: int = 0, why: str = "") -> Coefficient:
        """One without limits; `why` there is no value, or none of them.

        Parameters
        ----------
        name : str
            What the coefficient is called.
        value : float
            Its value; NaN where there is none.
        items : int
            How many items it is of.
        ratings : int
            How many ratings these have.
        why : str
            Why there is no value.

        Returns
        -------
        Coefficient
            Without an interval.
        """
        notes = (why,) if why else ()
        return cls("", name, value, math.nan, math.nan, population="other items", n=items, notes=notes, ratings=ratings)

    @property
    def why(self) -> str:
        """What is to be said of it."""
        return "; ".join(self.notes)


@dataclass(frozen=True)
class AlphaOptions:
    """Which interval of alpha is asked for.

    units: 'items', what other items would give with these assessors, or 'items+assessors', with assessors like these.
    method: 'jackknife' leaves items out (each alone up to 1,000, else in 200 random groups) and holds from 6 items on;
    'bootstrap' is the percentile bootstrap over items, `trials` times, too narrow below some 100 items.
    trials: 0 leaves the interval out.
    """

    units: Units = "items"
    method: Method = "jackknife"
    trials: int = 1000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        check_one_of("units", self.units, get_args(Units))
        check_one_of("method", self.method, get_args(Method))
        if self.method == "bootstrap" and self.units != "items":
            raise TruegainError("the bootstrap draws items only; for assessors like these use method 'jackknife'")

    @property
    def population(self) -> str:
        """What the interval is over, in words."""
        return POPULATION[self.units]


USUAL = AlphaOptions()


def alpha_of(paired: Paired, level: str, how: AlphaOptions = USUAL) -> Coefficient:
    """Krippendorff's alpha for items with any numbers of ratings, and an interval.

    alpha = 1 - D_o / D_e: the mean squared difference of two ratings of one item, over that of any two ratings

    Differences by level: nominal [x != y]; ordinal, of mid-ranks; interval x - y; ratio (x - y)/(x + y).  Items with
    one rating do not count.  Memory and time follow the number of ratings, not the square of the number of different
    values.

    Krippendorff 2004, Content Analysis, chapter 11; Hayes and Krippendorff 2007; `left_out.limits_of` has the interval.

    >>> import polars as pl
    >>> from truegain.data.rating_groups import Grouped
    >>> from truegain.data.ratings import read_ratings
    >>> labels = {"a": (1, 1), "b": (3, 2), "c": (0, 0), "d": (2, 2), "e": (0, 1), "f": (3, 3)}
    >>> rows = [("1", d, a, v) for d, vs in labels.items() for a, v in zip("xy", vs)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    >>> print(alpha_of(Paired.of(Grouped.of(read_ratings(frame))), "ordinal"))
    alpha ordinal 0.8778 [0.3786, 1.0000] 95% over other items, these assessors, jackknife
    """
    check_one_of("level", level, LEVELS)
    name, items, n = f"alpha {level}", len(paired), len(paired.value)
    if not items:
        return Coefficient.of(name, why="no item has two ratings")
    least, greatest = float(paired.levels[0]), float(paired.levels[-1])
    if greatest / 2 - least / 2 <= ROUNDING * max(abs(least), abs(greatest)):
        return Coefficient.of(name, math.nan, items, n, f"all ratings are {least:g}")
    if level == "ratio" and least < 0:
        return Coefficient.of(name, math.nan, items, n, "a ratio scale has no negative ratings")
    value = float(alphas(getattr(paired, level)(np.ones((1, items))))[0])
    coefficient = Coefficient.of(name, 0.0 if abs(value) < ROUNDING else value, items, n)
    coefficient = replace(coefficient, confidence=how.confidence, population=how.population, method=how.method)
    if not how.trials:
        return coefficient
    if items == 1:
        return replace(coefficient, notes=("one item gives no interval",))
    if how.method == "bootstrap":
        return _resampled(coefficient, paired, level, how.trials, how.confidence, how.seed)
    try:
        low, high = limits_of(paired, level, how.units, how.confidence, how.seed)
    except NoIntervalError as reason:
        return replace(coefficient, notes=(str(reason),))
    low, high = min(low, coefficient.value), max(high, coefficient.value)
    if low < LEAST:
        few = "items" if how.units == "items" else "items or assessors"
        why = f"no interval: it rests on too few {few} (its lower limit would be {low:.1f}, and alpha is at least -1)"
        return replace(coefficient, notes=(why,))
    return replace(coefficient, low=low, high=high, notes=(TAIL,) if level == "interval" and items < LONG else ())


def _resampled(
    coefficient: Coefficient, paired: Paired, level: str, trials: int, confidence: float, seed: int
) -> Coefficient:
    """The percentile interval of the resamples that have an alpha."""
    check_replicates(trials, confidence)
    parts = getattr(paired, level)
    drawn = np.concatenate([alphas(parts(w)) for w in drawn_items(len(paired), trials, seed)])
    sound = drawn[~np.isnan(drawn)]
    tail, lost = (1 - confidence) / 2, trials - len(sound)
    if lost > MOST_LOST * trials:
        return replace(coefficient, notes=(f"{lost} of {trials} resamples had a single value: no interval",))
    low, high = np.quantile(sound, [tail, 1 - tail]).tolist()
    whys = [f"{lost} of {trials} resamples had a single value and were left out"] if lost else []
    if len(paired) < MANY:
        whys.append(f"too narrow: with fewer than {MANY} items bootstrap intervals cover less often than they claim")
    low, high = min(low, coefficient.value), max(min(1.0, high), coefficient.value)
    return replace(coefficient, low=low, high=high, notes=tuple(whys))


class AlphaTest(NamedTuple):
    """A test of alpha against 0: alpha, its two-sided p, the resamples that had an alpha, and the items drawn."""

    value: float
    p: float
    resamples: int
    items: int


def alpha_against_0(paired: Paired, level: str, trials: int = 1000, seed: int = 0) -> AlphaTest:
    """Whether alpha differs from 0, agreement by chance: a bootstrap test over items.

    p = (1 + number of resamples with |alpha* - alpha| >= |alpha|)/(1 + resamples): items are drawn with replacement,
    and the spread of alpha* about alpha stands for that of alpha about 0, were there no agreement.  With few items it
    rejects too often: at .05 in 9 to 16% of simulated studies of random ratings of 6 to 30 items; use it from 100 on.

    Davison and Hinkley 1997, Bootstrap Methods, section 4.4; Hayes and Krippendorff 2007 draw pairs of ratings instead.

    >>> value, item = np.array([1.0, 1, 3, 2, 5, 5, 2, 2, 4, 4, 1, 2]), np.arange(12) // 2
    >>> alpha_against_0(Paired.rows(value, item, np.arange(12) % 2), "ordinal", trials=99).p
    0.01
    """
    check_one_of("level", level, LEVELS)
    value = alpha_of(paired, level, replace(USUAL, trials=0)).value
    if math.isnan(value) or len(paired) < 2:
        return AlphaTest(value, math.nan, 0, len(paired))
    drawn = np.concatenate([alphas(getattr(paired, level)(w)) for w in drawn_items(len(paired), trials, seed)])
    sound = drawn[~np.isnan(drawn)]
    reached = int((np.abs(sound - value) >= abs(value)).sum())
    return AlphaTest(value, float(monte_carlo_p(reached, len(sound))), len(sound), len(paired))


def alphas(parts: Parts) -> Floats:
    """Krippendorff's alpha of each replicate."""
    return 1 - shares(parts.within, parts.among)


def drawn_items(items: int, trials: int, seed: int) -> Iterator[Floats]:
    """Weights of items drawn with replacement, some replicates at a time; the same for one seed on any machine."""
    for rng, count in blocks(trials, seed, "items"):
        step = max(1, min(count, ROOM_DRAWN // items))
        for done in range(0, count, step):
            rows = min(step, count - done)
            cell = rng.integers(0, items, (rows, items)) + items * np.arange(rows)[:, None]
            yield np.bincount(cell.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)
