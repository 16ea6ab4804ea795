"""The median of ratings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.gains.rules import Rule, climb, first_where, slack
from truegain.tables.columns import Floats
from truegain.tables.grouped import Grouped
from truegain.tables.scale import Scale


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
