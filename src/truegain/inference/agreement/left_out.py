"""The interval of alpha: what leaving out items does to it and, for raters like these, leaving out assessors."""

from __future__ import annotations

import math

import numpy as np

from truegain.inference.agreement.paired import Paired
from truegain.sampling.streams import generator
from truegain.student import quantile_of, satterthwaite, wilson
from truegain.tables.columns import Floats, Ints

ALONE, GROUPS = 1000, 200  # items up to which each is left out alone; of more one of so many random groups
PEOPLE, CREWS = 200, 50  # the same of assessors
ROOM = 10_000_000  # weights held at a time
DIFFER = 10  # items on which people differ beyond which leaving out tells enough by itself
FEWEST = 3  # assessors who can stand for others like them
ROUNDING = 1e-12  # a disagreement below this share of the whole study's is none


class NoIntervalError(Exception):
    """Why there is no interval."""


def limits_of(paired: Paired, level: str, units: str, confidence: float, seed: int) -> tuple[float, float]:
    """Limits of alpha over other items by these assessors, or over other items and assessors, or NoIntervalError.

    a = alpha_between; V, df from leaving out items (with assessors: V = V_i + V_a, df by Satterthwaite); h = t(df)
    sqrt V.  The limits enclose a +- h, a - h - h^2/(4 (1 - a)), which is the lower one on the scale of sqrt(1 - a), and
    1 - Wilson(1 - a, m, t(n - 1)), and end at 1; m = n items, times k/10 where people differ on more than 10 items, k
    of them, for then h can be trusted.  Where a differs from Krippendorff's alpha, that lies within.

    Wilson 1927, JASA 22; Efron and Stein 1981, Annals of Statistics 9(3).
    """
    if (value := same_majority(paired)) is not None:
        raise NoIntervalError(f"no interval: {value:g} is the most frequent rating of every item")
    items = len(paired)
    whole = float(alpha_between(paired, level, np.ones((1, items)))[0])
    out = _without_items(paired, level, seed)
    if np.isnan(out).any():
        raise NoIntervalError("no interval: without one of the items no two items differ")
    parts = [spread_of(out)]
    if units == "items+assessors":
        parts.append(spread_of(_without_assessors(paired, level, seed)))
    half = quantile_of(confidence, satterthwaite(parts)) * math.sqrt(sum(v for v, _ in parts))
    bow = half**2 / (4 * (1 - whole)) if half > 0 else 0.0
    begin = paired.begin[:-1]
    differ = int((np.maximum.reduceat(paired.value, begin) > np.minimum.reduceat(paired.value, begin)).sum())
    size, t = items * max(1.0, differ / DIFFER), quantile_of(confidence, items - 1)
    best, worst = (float(end) for end in wilson(1 - whole, size, t))
    return min(whole - half - bow, 1 - worst), min(1.0, max(whole + half, 1 - best))


def alpha_between(paired: Paired, level: str, weights: Floats) -> Floats:
    """Alpha with disagreement by chance from ratings of different items only; not a number where these do not differ.

    1 - D_o/D_b: D_o as in Krippendorff's alpha, D_b the mean difference of two ratings of different items

    Two ratings of one item agree better than by chance; counted with the rest, they pull alpha of few items towards 0.

    >>> pairs = Paired.rows(np.array([1.0, 1, 3, 2, 0, 0]), np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1] * 3))
    >>> round(float(alpha_between(pairs, "interval", np.ones((1, 3)))[0]), 4)  # Krippendorff's: 0.878
    0.9
    """
    parts = getattr(paired, level)(weights)
    total = weights @ paired.count
    pairs = total**2 - weights @ paired.count**2
    apart = parts.among * (total - 1) - parts.own
    whole = getattr(paired, level)(np.ones((1, len(paired)))).among[0] * (paired.count.sum() - 1)
    there = (pairs > 0) & (apart > ROUNDING * whole)
    chance = np.divide(apart, pairs, out=np.full(len(total), np.nan), where=there)
    return np.asarray(1 - parts.within / total / chance, np.float64)


def spread_of(left: Floats) -> tuple[float, float]:
    """The jackknife's variance of values without one unit each, and its degrees of freedom.

    V = (n - 1)/n sum u^2, u a value less their mean; df = 2n/(kappa - 1) between 1 and n - 1, where kappa =
    n sum u^4/(sum u^2)^2 tells how far V rests on a few units

    >>> spread_of(np.array([0.0, 1.0, 2.0]))
    (1.3333333333333333, 2.0)
    """
    n, u = len(left), left - left.mean()
    total = float((u**2).sum())
    if total == 0:
        return 0.0, float(n - 1)
    kurtosis = n * float((u**4).sum()) / total**2
    return (n - 1) / n * total, float(np.clip(2 * n / max(kurtosis - 1, ROUNDING), 1, n - 1))


def same_majority(paired: Paired) -> float | None:
    """A rating that no other outnumbers in any item: how far people agree on the rest was not seen."""
    alike = paired.alike
    most = np.maximum.reduceat(alike, paired.begin[:-1])[paired.item]
    frequent = alike == most
    of = np.unique(paired.code[frequent] * len(paired) + paired.item[frequent]) // len(paired)
    values, items = np.unique(of, return_counts=True)
    common = values[items == len(paired)]
    return float(paired.levels[common[0]]) if len(common) else None


def _without_items(paired: Paired, level: str, seed: int) -> Floats:
    """Alpha without each item, or without each of some random groups of many."""
    group = _groups(len(paired), ALONE, GROUPS, seed)
    step, count = max(1, ROOM // len(paired)), int(group.max()) + 1
    weights = (np.asarray(group != np.arange(at, min(at + step, count))[:, None]) for at in range(0, count, step))
    return np.concatenate([alpha_between(paired, level, w.astype(np.float64)) for w in weights])


def _without_assessors(paired: Paired, level: str, seed: int) -> Floats:
    """Alpha without each assessor, or without each of some random groups of many."""
    names, code = np.unique(paired.assessor, return_inverse=True)
    if len(names) < FEWEST:
        raise NoIntervalError(f"no interval: {len(names)} assessors cannot stand for others like them; {FEWEST} could")
    group = _groups(len(names), PEOPLE, CREWS, seed)[code]
    found = [_alone(paired.take(np.asarray(group != g, np.bool_)), level) for g in range(int(group.max()) + 1)]
    if np.isnan(found).any():
        raise NoIntervalError("no interval: without one of the assessors no two items differ")
    return np.array(found)


def _alone(paired: Paired, level: str) -> float:
    return float(alpha_between(paired, level, np.ones((1, len(paired))))[0]) if len(paired) else math.nan


def _groups(units: int, alone: int, groups: int, seed: int) -> Ints:
    """For every unit the number of the group that it is left out with."""
    if units <= alone:
        return np.arange(units)
    return generator(seed, "groups left out").permutation(units) % groups
