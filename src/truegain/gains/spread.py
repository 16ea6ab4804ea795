"""How far an item's ratings lie apart, on a scale from 0 (unanimous) to Dmax."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from truegain.errors import TruegainError
from truegain.gains.rules import climb, mean_of, slack
from truegain.message import arg
from truegain.tables.columns import Floats
from truegain.tables.grouped import Grouped
from truegain.tables.scale import Scale

Spread = Callable[[Grouped, Scale, float], Floats]


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


SPREADS: dict[str, Spread] = {
    "range": full_range,
    "trimmed": trimmed_range,
    "sd": deviation,
    "entropy": entropy,
}


def spread_of(name: str, ratings: Grouped, scale: Scale, trim: float) -> Floats:
    """D per item by one of the ways above, 0 where nothing counts."""
    return np.where(ratings.mass > 0, SPREADS[name](ratings, scale, trim), 0.0)
