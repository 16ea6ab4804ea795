"""Gains that know whether the assessors agreed: the spread of an item's ratings, and the gains UG and WG."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from truegain.aggregation.rules import Rule, climb, mean_of, slack
from truegain.data.rating_groups import Grouped
from truegain.data.ratings import Scale
from truegain.errors import TruegainError
from truegain.io.columns import Floats
from truegain.message import arg

# ---- How far an item's ratings lie apart, on a scale from 0 (unanimous) to Dmax.

Variance = Callable[[Grouped, Scale, float], Floats]


def widest(scale: Scale, rule: str) -> float:
    """Dmax, for scales that begin at 0 as the rules need."""
    if scale.width is None:
        raise TruegainError(f"the rule {rule} needs the limits of the scale; give them, as in {arg('scale', '0:3')}")
    if scale.low != 0:
        raise TruegainError(
            f"the rule {rule} needs a scale from 0, where 0 is worth nothing, and {scale} begins at {scale.low:g}; "
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
    value = ratings.value[ratings.ascending]
    at = np.flatnonzero(np.concatenate([[True], (np.diff(value) != 0) | (np.diff(ratings.item) != 0)]))
    item = ratings.item[at]
    share = np.add.reduceat(ratings.weight[ratings.ascending], at) / np.maximum(ratings.mass[item], 1e-300)
    part = -share * np.log(np.where(share > 0, share, 1.0))
    apart: Floats = width * np.bincount(item, weights=part, minlength=len(ratings)) / np.log(width + 1)
    return apart


SPREADS: dict[str, Variance] = {
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
