"""The rating that most assessors gave, and the level that enough of them reach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.gains.rules import Rule, climb, first_where, slack
from truegain.tables.columns import Floats
from truegain.tables.grouped import Grouped
from truegain.tables.scale import Scale


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
