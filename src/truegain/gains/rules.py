"""What a gain rule is: a small value that makes one gain of the ratings of an item."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegain.errors import TruegainError
from truegain.tables.columns import Bools, Floats, Ints
from truegain.tables.grouped import Grouped
from truegain.tables.scale import Scale


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
