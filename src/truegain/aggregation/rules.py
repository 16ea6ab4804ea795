"""Rules that make one gain of the ratings of an item: mean, median, sum, majority."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegain.data.rating_groups import Grouped
from truegain.data.ratings import Scale
from truegain.errors import TruegainError
from truegain.io.columns import Bools, Floats, Ints

# ---- What a gain rule is: a small value that makes one gain of the ratings of an item.


@dataclass(frozen=True, kw_only=True)
class Rule(ABC):
    """A gain rule with its parameters.  It honours the weights of ratings: a weight of 2 is a rating given twice."""

    NAME: ClassVar[str] = ""
    STEPS: ClassVar[bool] = False  # one vote of an odd number decides, so that one vote less makes a tie

    @abstractmethod
    def fit(self, ratings: Grouped, scale: Scale) -> Floats:
        """One gain an item; not a number where the rule gives none."""

    def require(self, sound: bool, what: str) -> None:
        """Raise unless a parameter or the data is sound."""
        if not sound:
            raise TruegainError(f"the rule {self.NAME}: {what}")


def mean_of(ratings: Grouped, values: Floats) -> Floats:
    """Weighted mean per item, not a number where nothing counts."""
    total, mass = ratings.total(values), ratings.mass
    out: Floats = np.divide(total, mass, out=np.full(len(mass), np.nan), where=mass > 0)
    return out


def climb(ratings: Grouped) -> Floats:
    """Along `ratings.ascending`, the weight of an item's ratings up to and with each."""
    weight = ratings.weight[ratings.ascending]
    running = np.cumsum(weight)
    before = np.concatenate([[0.0], running])[ratings.begin[:-1]]
    climbed: Floats = running - before[ratings.item]
    return climbed


def first_where(ratings: Grouped, holds: Bools) -> Ints:
    """Per item the first position along `ratings.ascending` where something holds; the number of rows where never."""
    rows = len(ratings.item)
    return np.minimum.reduceat(np.where(holds, np.arange(rows), rows), ratings.begin[:-1])


def slack(ratings: Grouped) -> Floats:
    """Room for rounding of weights that are not whole, per row."""
    allowed: Floats = 1e-9 * ratings.mass[ratings.item]
    return allowed


# ---- Means of ratings: arithmetic and geometric.


@dataclass(frozen=True, kw_only=True)
class Mean(Rule):
    """The arithmetic mean of an item's ratings.

    gain = (1/N) sum over the N ratings x of an item of x

    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": "a", "assessor": ["x", "y"], "label": [1, 4]})
    >>> tg.aggregate(frame, "mean").label.tolist()
    [2.5]
    """

    NAME = "mean"

    def fit(self, ratings: Grouped, scale: Scale) -> Floats:  # noqa: ARG002
        """One gain an item."""
        return mean_of(ratings, ratings.value)


@dataclass(frozen=True, kw_only=True)
class GeometricMean(Rule):
    """The geometric mean of an item's ratings, which must be above 0.

    gain = exp((1/N) sum over the N ratings x of an item of ln x)

    The mean that belongs to magnitudes: Moskowitz 1977, Journal of Food Quality 1.

    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": "a", "assessor": ["x", "y"], "label": [1, 4]})
    >>> tg.aggregate(frame, "geometric").label.tolist()
    [2.0]
    """

    NAME = "geometric"

    def fit(self, ratings: Grouped, scale: Scale) -> Floats:  # noqa: ARG002
        """One gain an item."""
        low = float(ratings.value.min())
        self.require(low > 0, f"the rating {low:g} has no logarithm; ratings must be above 0")
        return np.exp(mean_of(ratings, np.log(ratings.value)))


# ---- The median of ratings.


@dataclass(frozen=True, kw_only=True)
class Median(Rule):
    """The median of an item's ratings, the mean of the middle two where their number is even.

    With weights: the mean of the first ratings, in ascending order, by which half of the weight is reached and
    passed.  The default for magnitudes: Maddalena et al. 2017, ACM TOIS 35(3).

    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": "a", "assessor": list("xyzw"), "label": [1, 2, 4, 1000]})
    >>> tg.aggregate(frame, "median").label.tolist()
    [3.0]
    """

    NAME = "median"
    STEPS = True

    def fit(self, ratings: Grouped, scale: Scale) -> Floats:  # noqa: ARG002
        """One gain an item."""
        climbed, half, room = climb(ratings), ratings.mass[ratings.item] / 2, slack(ratings)
        value = np.append(ratings.value[ratings.ascending], np.nan)
        counts = ratings.weight[ratings.ascending] > 0
        lower = value[first_where(ratings, counts & (climbed >= half - room))]
        upper = value[first_where(ratings, counts & (climbed > half + room))]
        return np.where(ratings.mass > 0, lower / 2 + upper / 2, np.nan)


# ---- The sum of ratings, RawG.


@dataclass(frozen=True, kw_only=True)
class Sum(Rule):
    """The sum of an item's ratings.

    RawG = sum over the ratings x of an item of x

    Sakai et al. 2011, WSDM; called RawG by Sakai 2017, EVIA.  Items with more ratings get more.

    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": "a", "assessor": ["x", "y"], "label": [1, 3]})
    >>> tg.aggregate(frame, "sum").label.tolist()
    [4.0]
    """

    NAME = "sum"

    def fit(self, ratings: Grouped, scale: Scale) -> Floats:  # noqa: ARG002
        """One gain an item."""
        return np.where(ratings.mass > 0, ratings.total(ratings.value), np.nan)


# ---- The rating that most assessors gave, and the level that enough of them reach.


@dataclass(frozen=True, kw_only=True)
class Majority(Rule):
    """The most frequent of an item's ratings; of several, the lowest (ties='low'), the highest or their mean.

    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": "a", "assessor": list("xyzw"), "label": [0, 2, 2, 3]})
    >>> tg.aggregate(frame, "majority").label.tolist()
    [2.0]
    """

    NAME = "majority"
    STEPS = True

    ties: str = "low"

    def __post_init__(self) -> None:
        self.require(self.ties in ("low", "high", "mean"), f"ties is {self.ties!r}; give 'low', 'high' or 'mean'")

    def fit(self, ratings: Grouped, scale: Scale) -> Floats:  # noqa: ARG002
        """One gain an item."""
        value = ratings.value[ratings.ascending]
        new = np.concatenate([[True], (np.diff(value) != 0) | (np.diff(ratings.item) != 0)])
        at = np.flatnonzero(new)
        votes = np.add.reduceat(ratings.weight[ratings.ascending], at)
        item, value = ratings.item[at], value[at]
        begin = np.flatnonzero(np.concatenate([[True], np.diff(item) != 0]))
        most = np.maximum.reduceat(votes, begin)[item]
        won = votes >= most - 1e-9 * ratings.mass[item]
        if self.ties == "mean":
            gain = np.add.reduceat(np.where(won, value, 0.0), begin) / np.add.reduceat(won.astype(np.float64), begin)
        elif self.ties == "low":
            gain = np.minimum.reduceat(np.where(won, value, np.inf), begin)
        else:
            gain = np.maximum.reduceat(np.where(won, value, -np.inf), begin)
        return np.where(ratings.mass > 0, gain, np.nan)


@dataclass(frozen=True, kw_only=True)
class Supermajority(Rule):
    """The highest rating that at least a share of an item's ratings reach.

    gain = the greatest rating g with (number of ratings >= g) >= share * N

    On ratings of 0 and 1 it is the supermajority vote: 1 where two of three say so.  Goldberg et al. 2018.

    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": "a", "assessor": list("xyz"), "label": [0, 2, 3]})
    >>> tg.aggregate(frame, "supermajority").label.tolist()
    [2.0]
    """

    NAME = "supermajority"
    STEPS = True

    share: float = 2 / 3

    def __post_init__(self) -> None:
        self.require(0 < self.share <= 1, f"share {self.share:g} must be above 0 and at most 1, such as 2/3")

    def fit(self, ratings: Grouped, scale: Scale) -> Floats:  # noqa: ARG002
        """One gain an item."""
        mass = ratings.mass[ratings.item]
        value = np.append(ratings.value[ratings.ascending], np.nan)
        counts = ratings.weight[ratings.ascending] > 0
        below = (1 - self.share) * mass  # the first rating with more than this up to and with it is still reached
        row = first_where(ratings, counts & (climb(ratings) > below + slack(ratings)))
        return np.where(ratings.mass > 0, value[row], np.nan)
