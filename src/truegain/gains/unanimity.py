"""Gains that know whether the assessors agreed: unanimity-aware gain UG, and weighted gain WG."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.gains.rules import Rule
from truegain.gains.spread import SPREADS, spread_of, widest
from truegain.tables.columns import Floats
from truegain.tables.grouped import Grouped
from truegain.tables.scale import Scale


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
