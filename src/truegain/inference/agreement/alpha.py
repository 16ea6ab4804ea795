"""Krippendorff's alpha, with an interval over items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from truegain.errors import TruegainError
from truegain.inference.agreement.paired import Paired
from truegain.inference.replicates import blocks, check_confidence, check_replicates
from truegain.tables.columns import Floats
from truegain.tables.grouped import Grouped
from truegain.tables.ratings import read_ratings
from truegain.tables.scale import LEVELS

ROOM = 20_000_000  # random weights held at a time
LARGE = 60_000_000  # ratings times trials beyond which the interval comes from groups left out
GROUPS = 50
FEWEST = 10  # items of which groups can be left out; fewer are resampled in any study
ROUNDING = 1e-12  # what is nearer, relative to the greatest rating, is equal; an alpha so small is 0
MOST_LOST = 0.5  # share of resamples without an alpha beyond which there is no interval


@dataclass(frozen=True)
class Agreement:
    """A coefficient of agreement; `value` is None where it is undefined, and `why` then says why."""

    statistic: str
    value: float | None
    low: float | None = None
    high: float | None = None
    items: int = 0
    ratings: int = 0
    why: str = ""

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.statistic}: undefined, {self.why}"
        limits = "" if self.low is None or self.high is None else f" [{self.low:.4f}, {self.high:.4f}]"
        return f"{self.statistic} {self.value:.4f}{limits} ({self.items} items, {self.ratings} ratings)"


def alpha(
    ratings: object, level: str = "ordinal", *, trials: int = 1000, confidence: float = 0.95, seed: int = 0
) -> Agreement:
    """Krippendorff's alpha for items with any numbers of ratings; `trials=0` leaves the interval out.

    alpha = 1 - D_o / D_e: the mean squared difference of two ratings of one item, over that of any two ratings

    Differences by level: nominal [x != y]; ordinal, of mid-ranks; interval x - y; ratio (x - y)/(x + y).  Items with
    one rating do not count.  The interval is the percentile bootstrap over items or, where ratings times trials pass
    60 million and there are 10 items, a jackknife that leaves out one of 50 random groups of items at a time, its
    limits cut at 1.  Memory and time follow the
    number of ratings, not the square of the number of different values.

    Krippendorff 2004, Content Analysis, chapter 11; Hayes and Krippendorff 2007.

    >>> import polars as pl
    >>> rows = [("1", d, a, v) for d, vs in {"a": (1, 1), "b": (3, 2), "c": (0, 0)}.items() for a, v in zip("xy", vs)]
    >>> print(alpha(pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row"), trials=0))
    alpha ordinal 0.9495 (3 items, 6 ratings)
    """
    return alpha_of(
        Paired.of(Grouped.of(read_ratings(ratings))), level, trials=trials, confidence=confidence, seed=seed
    )


def alpha_of(paired: Paired, level: str, *, trials: int, confidence: float, seed: int, among: int = 0) -> Agreement:
    """Krippendorff's alpha of pairable ratings; `among` says how many ratings a study has of which these are a part."""
    if level not in LEVELS:
        raise TruegainError(f"there is no level {level!r}; give one of {', '.join(LEVELS)}")
    check_confidence(confidence)
    name, items, n = f"alpha {level}", len(paired), len(paired.value)
    if not items:
        return Agreement(name, None, why="no item has two ratings")
    least, greatest = float(paired.levels[0]), float(paired.levels[-1])
    if greatest / 2 - least / 2 <= ROUNDING * max(abs(least), abs(greatest)):
        return Agreement(name, None, items=items, ratings=n, why=f"all ratings are {least:g}")
    if level == "ratio" and least < 0:
        return Agreement(name, None, items=items, ratings=n, why="a ratio scale has no negative ratings")
    parts = getattr(paired, level)
    large = max(n, among) * trials > LARGE and items >= FEWEST
    groups = min(GROUPS, items)
    left_out = groups_left_out(items, seed, groups) if large else np.empty((0, items))
    value, *others = _alphas(parts(np.concatenate([np.ones((1, items)), left_out]))).tolist()
    value = 0.0 if abs(value) < ROUNDING else value
    if not trials or items == 1:
        why = "one item has no interval" if items == 1 else ""
        return Agreement(name, value, items=items, ratings=n, why=why)
    check_replicates(trials, confidence)
    if large and not np.isnan(others).any():
        step = _student(groups - 1, confidence) * float(np.std(others)) * (groups - 1) ** 0.5
        why = f"jackknife of {groups} groups of items"
        return Agreement(name, value, value - step, min(1.0, value + step), items, n, why)
    drawn = np.concatenate([_alphas(parts(w)) for w in drawn_items(items, trials, seed)])
    return _interval(Agreement(name, value, items=items, ratings=n), drawn[~np.isnan(drawn)], trials, confidence)


def _interval(found: Agreement, sound: Floats, trials: int, confidence: float) -> Agreement:
    """The percentile interval of the resamples that have an alpha."""
    tail, lost = (1 - confidence) / 2, trials - len(sound)
    if lost > MOST_LOST * trials:
        return replace(found, why=f"{lost} of {trials} resamples held a single value: no interval")
    low, high = np.quantile(sound, [tail, 1 - tail]).tolist()
    why = f"{lost} of {trials} resamples held a single value and were left out" if lost else ""
    return replace(found, low=low, high=min(1.0, high), why=why)


def _alphas(parts: tuple[Floats, Floats]) -> Floats:
    within, among = parts
    share: Floats = np.divide(within, among, out=np.full(len(within), np.nan), where=among > 0)
    return 1 - share


def groups_left_out(items: int, seed: int, groups: int = GROUPS) -> Floats:
    """Weights that leave out one random group of items in turn."""
    group = np.random.default_rng(np.random.SeedSequence(seed)).permutation(items) % groups
    return np.asarray(group[None, :] != np.arange(groups)[:, None], np.float64)


def _student(freedom: int, confidence: float) -> float:
    """Student's t by its expansion in 1/freedom (Abramowitz and Stegun 26.7.5), right to 1e-4 for 49."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def drawn_items(items: int, trials: int, seed: int) -> Iterator[Floats]:
    """Weights of items drawn with replacement, some replicates at a time; the same for one seed on any machine."""
    for rng, count in blocks(trials, seed):
        step = max(1, min(count, ROOM // items))
        for done in range(0, count, step):
            rows = min(step, count - done)
            cell = rng.integers(0, items, (rows, items)) + items * np.arange(rows)[:, None]
            yield np.bincount(cell.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)
