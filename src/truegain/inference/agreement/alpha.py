"""Krippendorff's alpha, with an interval over items, or over items and assessors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from truegain.errors import TruegainError, check_one_of
from truegain.inference.agreement.left_out import NoIntervalError, limits_of
from truegain.inference.agreement.paired import Paired, Parts
from truegain.inference.monte_carlo import check_replicates
from truegain.inference.results import Estimate
from truegain.sampling.streams import blocks
from truegain.student import check_confidence
from truegain.tables.columns import Floats, shares
from truegain.tables.scale import LEVELS

Units = Literal["items", "items+assessors"]
Method = Literal["jackknife", "bootstrap"]
POPULATION = {"items": "other items, these assessors", "items+assessors": "other items, assessors like these"}
ROOM = 20_000_000  # random weights held at a time
ROUNDING = 1e-12  # what is nearer, relative to the greatest rating, is equal; an alpha so small is 0
MOST_LOST = 0.5  # share of resamples without an alpha beyond which there is no interval
LEAST = -1.0  # what alpha can be
MANY = 100  # items from which a bootstrap interval may be trusted
LONG = 400  # items up to which a long tail of item values harms an interval
TAIL = "if item values have no long tail; else take the ratio or ordinal level"


@dataclass(frozen=True)
class Coefficient(Estimate):
    """A coefficient of agreement of `n` items: NaN where it is undefined, as are limits that there are not."""

    ratings: int = 0

    @classmethod
    def of(cls, name: str, value: float = math.nan, items: int = 0, ratings: int = 0, why: str = "") -> Coefficient:
        """One without limits; `why` there is no value, or none of them."""
        said = (why,) if why else ()
        return cls("", name, value, math.nan, math.nan, over="other items", n=items, notes=said, ratings=ratings)

    @property
    def why(self) -> str:
        """What is to be said of it."""
        return "; ".join(self.notes)


@dataclass(frozen=True)
class AlphaOptions:
    """Which interval of alpha is asked for.

    units: 'items', what other items would give with these assessors, or 'items+assessors', with assessors like these.
    method: 'jackknife' leaves items out (each alone up to 1,000, else in 200 random groups) and holds from 6 items on;
    'bootstrap' is the percentile bootstrap over items, `trials` times, too narrow below some 100 items.
    trials: 0 leaves the interval out.
    """

    units: Units = "items"
    method: Method = "jackknife"
    trials: int = 1000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        check_one_of("units", self.units, get_args(Units))
        check_one_of("method", self.method, get_args(Method))
        if self.method == "bootstrap" and self.units != "items":
            raise TruegainError("the bootstrap draws items only; for assessors like these take method 'jackknife'")

    @property
    def population(self) -> str:
        """What the interval is over, in words."""
        return POPULATION[self.units]


USUAL = AlphaOptions()


def alpha_of(paired: Paired, level: str, how: AlphaOptions = USUAL) -> Coefficient:
    """Krippendorff's alpha for items with any numbers of ratings, and an interval.

    alpha = 1 - D_o / D_e: the mean squared difference of two ratings of one item, over that of any two ratings

    Differences by level: nominal [x != y]; ordinal, of mid-ranks; interval x - y; ratio (x - y)/(x + y).  Items with
    one rating do not count.  Memory and time follow the number of ratings, not the square of the number of different
    values.

    Krippendorff 2004, Content Analysis, chapter 11; Hayes and Krippendorff 2007; `left_out.limits_of` has the interval.

    >>> import polars as pl
    >>> from truegain.tables.grouped import Grouped
    >>> from truegain.tables.ratings import read_ratings
    >>> said = {"a": (1, 1), "b": (3, 2), "c": (0, 0), "d": (2, 2), "e": (0, 1), "f": (3, 3)}
    >>> rows = [("1", d, a, v) for d, vs in said.items() for a, v in zip("xy", vs)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    >>> print(alpha_of(Paired.of(Grouped.of(read_ratings(frame))), "ordinal"))
    alpha ordinal 0.8778 [0.3786, 1.0000] 95% over other items, these assessors, jackknife
    """
    check_one_of("level", level, LEVELS)
    name, items, n = f"alpha {level}", len(paired), len(paired.value)
    if not items:
        return Coefficient.of(name, why="no item has two ratings")
    least, greatest = float(paired.levels[0]), float(paired.levels[-1])
    if greatest / 2 - least / 2 <= ROUNDING * max(abs(least), abs(greatest)):
        return Coefficient.of(name, math.nan, items, n, f"all ratings are {least:g}")
    if level == "ratio" and least < 0:
        return Coefficient.of(name, math.nan, items, n, "a ratio scale has no negative ratings")
    value = float(alphas(getattr(paired, level)(np.ones((1, items))))[0])
    found = Coefficient.of(name, 0.0 if abs(value) < ROUNDING else value, items, n)
    found = replace(found, confidence=how.confidence, over=how.population, method=how.method)
    if not how.trials:
        return found
    if items == 1:
        return replace(found, notes=("one item has no interval",))
    if how.method == "bootstrap":
        return _resampled(found, paired, level, how.trials, how.confidence, how.seed)
    try:
        low, high = limits_of(paired, level, how.units, how.confidence, how.seed)
    except NoIntervalError as reason:
        return replace(found, notes=(str(reason),))
    low, high = min(low, found.value), max(high, found.value)
    if low < LEAST:
        few = "items" if how.units == "items" else "items or assessors"
        why = f"no interval: too few {few} carry it (its lower limit would be {low:.1f}, and alpha is at least -1)"
        return replace(found, notes=(why,))
    return replace(found, low=low, high=high, notes=(TAIL,) if level == "interval" and items < LONG else ())


def _resampled(
    found: Coefficient, paired: Paired, level: str, trials: int, confidence: float, seed: int
) -> Coefficient:
    """The percentile interval of the resamples that have an alpha."""
    check_replicates(trials, confidence)
    parts = getattr(paired, level)
    drawn = np.concatenate([alphas(parts(w)) for w in drawn_items(len(paired), trials, seed)])
    sound = drawn[~np.isnan(drawn)]
    tail, lost = (1 - confidence) / 2, trials - len(sound)
    if lost > MOST_LOST * trials:
        return replace(found, notes=(f"{lost} of {trials} resamples held a single value: no interval",))
    low, high = np.quantile(sound, [tail, 1 - tail]).tolist()
    whys = [f"{lost} of {trials} resamples held a single value and were left out"] if lost else []
    if len(paired) < MANY:
        whys.append(f"too narrow: bootstraps of fewer than {MANY} items hold less often than they say")
    low, high = min(low, found.value), max(min(1.0, high), found.value)
    return replace(found, low=low, high=high, notes=tuple(whys))


def alphas(parts: Parts) -> Floats:
    """Krippendorff's alpha of each replicate."""
    return 1 - shares(parts.within, parts.among)


def drawn_items(items: int, trials: int, seed: int) -> Iterator[Floats]:
    """Weights of items drawn with replacement, some replicates at a time; the same for one seed on any machine."""
    for rng, count in blocks(trials, seed, "items"):
        step = max(1, min(count, ROOM // items))
        for done in range(0, count, step):
            rows = min(step, count - done)
            cell = rng.integers(0, items, (rows, items)) + items * np.arange(rows)[:, None]
            yield np.bincount(cell.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)
