"""The sum of ratings, RawG."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.gains.rules import Rule
from truegain.tables.columns import Floats
from truegain.tables.grouped import Grouped
from truegain.tables.scale import Scale


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
