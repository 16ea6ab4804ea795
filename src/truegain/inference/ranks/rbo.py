"""Overlap of two rankings: rank-biased, of rankings that may be cut off and of different lengths; and of the top."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from truegain.errors import TruegainError, some
from truegain.inference.results import Estimate
from truegain.message import argname
from truegain.tables.columns import Floats


def check_p(name: str, p: float) -> None:
    """Refuse what is no chance to go on."""
    if not 0 < p < 1:
        raise TruegainError(
            f"{argname(name, p, 'g')} is not between 0 and 1; give the chance to go on to the next rank, such as 0.9"
        )


def rbo(a: Sequence[Hashable], b: Sequence[Hashable], p: float = 0.9) -> Estimate:
    """Overlap of two rankings for a reader who goes on to the next depth with probability p.

    The value is ext, if both go on as they began; the limits, at least min and at most max, are sure.
    RBO = (1-p) sum over depths d of p^(d-1) X_d/d, X_d the overlap of the first d of both.  With s <= l the lengths,
    f = l + s - X_l, and for d > s the overlap of all of the shorter with the first d of the longer as X_d:

        min = (1-p)/p [sum_{d<=l} X_d/d p^d + X_l (ln 1/(1-p) - sum_{d<=l} p^d/d)]
        ext = (1-p)/p [sum_{d<=l} X_d/d p^d + sum_{s<d<=l} X_s(d-s)/(sd) p^d] + ((X_l - X_s)/l + X_s/s) p^l
        max = (1-p)/p [sum_{d<=s} X_d/d p^d + sum_{s<d<=l} (X_d+d-s)/d p^d
                       + sum_{l<d<=f} (2d-l-s+X_l)/d p^d + p^(f+1)/(1-p)]

    Webber, Moffat and Zobel 2010, ACM TOIS 28(4).

    >>> print(rbo("abcdefg", "bazcqdf", p=0.9))
    RBO(p=0.9) 0.6570 [0.4907, 0.7877] 100% over ranks not seen, extrapolated
    """
    check_p("p", p)
    short, long = sorted((_distinct(a), _distinct(b)), key=len)
    s, n = len(short), len(long)
    overlap = overlaps(short, long)
    d = np.arange(1, n + 1)
    weight = p**d
    x_s, x_l = float(overlap[s - 1]), float(overlap[-1])
    seen = float((overlap / d * weight).sum())
    least = (1 - p) / p * (seen + x_l * (-math.log1p(-p) - float((weight / d).sum())))
    past = d > s
    going_on = float((x_s * (d[past] - s) / (s * d[past]) * weight[past]).sum())
    ext = (1 - p) / p * (seen + going_on) + ((x_l - x_s) / n + x_s / s) * p**n
    all_in = n + s - int(x_l)
    best = float(((overlap[past] + d[past] - s) / d[past] * weight[past]).sum())
    later = np.arange(n + 1, all_in + 1)
    best += float(((2 * later - n - s + x_l) / later * p**later).sum()) + p ** (all_in + 1) / (1 - p)
    most = (1 - p) / p * (float((overlap / d * weight)[~past].sum()) + best)
    return Estimate("", f"RBO(p={p:g})", ext, min(least, ext), max(most, ext), 1.0, "ranks not seen", "extrapolated")


def top_overlap(a: Sequence[Hashable], b: Sequence[Hashable], k: int) -> float:
    """Share of the first k of one ranking that are among the first k of the other: |A_k & B_k|/k.

    >>> round(top_overlap("abcdefg", "bazcqdf", 3), 6)
    0.666667
    """
    if not 1 <= k <= min(len(a), len(b)):
        raise TruegainError(f"the top {k} of rankings of {len(a)} and {len(b)} cannot be compared; give a smaller one")
    return len(set(a[:k]) & set(b[:k])) / k


def overlaps(short: Sequence[Hashable], long: Sequence[Hashable]) -> Floats:
    """X_d for d = 1..length of the longer: how many of the first d (at most all) of both are the same.

    >>> overlaps("ab", "bca")
    array([0., 1., 2.])
    """
    place = {item: rank for rank, item in enumerate(short)}
    met = np.zeros(max(len(long), len(short)))
    for rank, item in enumerate(long):
        if item in place:
            met[max(rank, place[item])] += 1
    return np.cumsum(met)


def _distinct(ranking: Sequence[Hashable]) -> list[Hashable]:
    items = list(ranking)
    if not items:
        raise TruegainError("a ranking is empty; give at least one item")
    if len(set(items)) < len(items):
        seen: set[Hashable] = set()
        twice = [str(i) for i in items if i in seen or seen.add(i)]  # type: ignore[func-returns-value]
        raise TruegainError(f"{some(twice)} stands twice in a ranking; each item must have one rank")
    return items
