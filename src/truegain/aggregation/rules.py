"""Rules that make one gain of the ratings of an item: mean, median, sum, majority, and those that ask for unanimity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegain.data.rating_groups import Grouped
from truegain.data.ratings import Scale
from truegain.errors import TruegainError
from truegain.io.columns import Bools, Floats, Ints
from truegain.message import arg

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
    return np.asarray(np.divide(total, mass, out=np.full(len(mass), np.nan), where=mass > 0))


def climb(ratings: Grouped) -> Floats:
    """Along `ratings.ascending`, the weight of an item's ratings up to and with each."""
    running = np.cumsum(ratings.weight[ratings.ascending])
    before = np.concatenate([[0.0], running])[ratings.begin[:-1]]
    return np.asarray(running - before[ratings.item])


def first_where(ratings: Grouped, holds: Bools) -> Ints:
    """Per item the first position along `ratings.ascending` where something holds; the number of rows where never."""
    rows = len(ratings.item)
    return np.minimum.reduceat(np.where(holds, np.arange(rows), rows), ratings.begin[:-1])


def votes_of(ratings: Grouped) -> tuple[Ints, Floats, Floats]:
    """Each different rating of each item, ascending: its item, its value, and the weight of those who gave it."""
    value, weight = ratings.value[ratings.ascending], ratings.weight[ratings.ascending]
    at = np.flatnonzero(np.concatenate([[True], (np.diff(value) != 0) | (np.diff(ratings.item) != 0)]))
    return ratings.item[at], value[at], np.add.reduceat(weight, at)


def slack(ratings: Grouped) -> Floats:
    """Room for rounding of weights that are not whole, per row."""
    return np.asarray(1e-9 * ratings.mass[ratings.item])


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
        item, value, votes = votes_of(ratings)
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


# ---- How far an item's ratings lie apart, on a scale from 0 (unanimous) to Dmax.

Spread = Callable[[Grouped, Scale, float], Floats]


def widest(scale: Scale, rule: str) -> float:
    """Dmax, for scales that begin at 0 as the rules need."""
    if scale.width is None:
        raise TruegainError(f"the rule {rule} needs the limits of the scale; give them, as in {arg('scale', '0:3')}")
    if scale.low != 0:
        raise TruegainError(
            f"the rule {rule} needs a scale from 0, where 0 means no gain, but {scale} begins at {scale.low:g}; "
            f"subtract {scale.low:g} from every rating and write 0:{scale.width:g}"
        )
    return scale.width


def full_range(ratings: Grouped, scale: Scale, trim: float) -> Floats:  # noqa: ARG001
    """D = max - min (Sakai 2017)."""
    return ratings.highest(ratings.value) - ratings.lowest(ratings.value)


def trimmed_range(ratings: Grouped, scale: Scale, trim: float) -> Floats:  # noqa: ARG001
    """D = max - min without the floor(trim N) lowest and highest ratings, outliers perhaps."""
    climbed, room = climb(ratings), slack(ratings)
    weight = ratings.weight[ratings.ascending]
    cut = np.floor(trim * ratings.mass + 1e-9)[ratings.item]
    left = (weight > 0) & (climbed > cut + room) & (climbed - weight < ratings.mass[ratings.item] - cut - room)
    value = ratings.value[ratings.ascending]
    high = np.maximum.reduceat(np.where(left, value, -np.inf), ratings.begin[:-1])
    low = np.minimum.reduceat(np.where(left, value, np.inf), ratings.begin[:-1])
    return high - low


def deviation(ratings: Grouped, scale: Scale, trim: float) -> Floats:  # noqa: ARG001
    """D = 2 sd: the standard deviation (over N) is at most Dmax/2.  Li and Yoshikawa 2016, AIRS."""
    mean = mean_of(ratings, ratings.value)
    variance = mean_of(ratings, (ratings.value - mean[ratings.item]) ** 2)
    return 2 * np.sqrt(variance)


def entropy(ratings: Grouped, scale: Scale, trim: float) -> Floats:  # noqa: ARG001
    """D = Dmax H / ln(Dmax + 1), H the entropy of the item's ratings.  Li and Yoshikawa 2016, AIRS."""
    width = scale.width or 0.0
    if not (float(width).is_integer() and (ratings.value == np.floor(ratings.value)).all()):
        raise TruegainError("spread=entropy counts levels, and needs ratings that are whole numbers; use spread=sd")
    item, _, votes = votes_of(ratings)
    share = votes / np.maximum(ratings.mass[item], 1e-300)
    part = -share * np.log(np.where(share > 0, share, 1.0))
    return np.asarray(width * np.bincount(item, weights=part, minlength=len(ratings)) / np.log(width + 1))


SPREADS: dict[str, Spread] = {
    "range": full_range,
    "trimmed": trimmed_range,
    "sd": deviation,
    "entropy": entropy,
}


def spread_of(name: str, ratings: Grouped, scale: Scale, trim: float) -> Floats:
    """D per item by one of the ways above, 0 where nothing counts."""
    return np.where(ratings.mass > 0, SPREADS[name](ratings, scale, trim), 0.0)


# ---- Gains that know whether the assessors agreed: unanimity-aware gain UG, and weighted gain WG.


@dataclass(frozen=True, kw_only=True)
class _SpreadRule(Rule):
    spread: str = "range"
    trim: float = 0.2

    def __post_init__(self) -> None:
        self.require(self.spread in SPREADS, f"spread is {self.spread!r}; give one of {', '.join(SPREADS)}")
        self.require(0 <= self.trim < 0.5, f"trim {self.trim:g} must be at least 0 and below 0.5")


@dataclass(frozen=True, kw_only=True)
class Unanimity(_SpreadRule):
    """The sum of ratings, raised where the assessors agree.

    UG = RawG + p N (Dmax - D) if RawG > 0, else 0

    N ratings from 0 to Dmax, RawG their sum, D how far they lie apart: their range, the range without the trim
    share at either end (spread='trimmed'), twice their standard deviation ('sd') or their entropy ('entropy').
    A unanimous item is treated as if p N more assessors had given it the highest rating.  Sakai 2017, EVIA.

    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": "a", "assessor": list("abcde"), "label": [1, 1, 2, 3, 3]})
    >>> tg.aggregate(frame, "unanimity(p=0.2)", scale="0:3").label.tolist()
    [11.0]
    """

    NAME = "unanimity"

    p: float = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require(0 <= self.p <= 1, f"p is {self.p:g}; it must be from 0 to 1")

    def fit(self, ratings: Grouped, scale: Scale) -> Floats:
        """One gain an item."""
        most, raw = widest(scale, self.NAME), ratings.total(ratings.value)
        apart = spread_of(self.spread, ratings, scale, self.trim)
        gain = np.where(raw > 0, raw + self.p * ratings.mass * (most - apart), 0.0)
        return np.where(ratings.mass > 0, gain, np.nan)


@dataclass(frozen=True, kw_only=True)
class Weighted(_SpreadRule):
    """The sum of ratings, lowered where the assessors disagree: 0 where their ratings span the whole scale.

    WG = (1 - D/Dmax) RawG, with D as in the rule unanimity

    After Li and Yoshikawa 2016, AIRS; Sakai 2017 shows that it puts controversial items below poor ones.

    >>> import polars as pl, truegain as tg
    >>> frame = pl.DataFrame({"topic": "1", "doc": "a", "assessor": list("abcde"), "label": [1, 1, 2, 3, 3]})
    >>> [round(g, 1) for g in tg.aggregate(frame, "weighted", scale="0:3").label.tolist()]
    [3.3]
    """

    NAME = "weighted"

    def fit(self, ratings: Grouped, scale: Scale) -> Floats:
        """One gain an item."""
        most, raw = widest(scale, self.NAME), ratings.total(ratings.value)
        gain = (1 - spread_of(self.spread, ratings, scale, self.trim) / most) * raw
        return np.where(ratings.mass > 0, gain, np.nan)
