"""Means of ratings: arithmetic and geometric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.gains.rules import Rule, mean_of
from truegain.tables.columns import Floats
from truegain.tables.grouped import Grouped
from truegain.tables.scale import Scale


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
