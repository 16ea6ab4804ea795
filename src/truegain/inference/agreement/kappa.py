"""Percent agreement, Fleiss' kappa by both conventions, Cohen's kappa, and the spread of magnitudes."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from truegain.errors import TruegainError
from truegain.inference.agreement.alpha import Agreement
from truegain.inference.agreement.paired import Paired
from truegain.tables.columns import Floats
from truegain.tables.grouped import Grouped

MOST_ASSESSORS = 30  # up to so many, every two of them are compared


def percent(ratings: Grouped) -> Agreement:
    """The share of pairs of ratings of an item that are equal, averaged over items with two or more."""
    paired = Paired.of(ratings)
    if not len(paired):
        return Agreement("percent agreement", None, why="no item has two ratings")
    agreed = _agreed(paired)
    return Agreement("percent agreement", float(agreed.mean()), items=len(paired), ratings=len(paired.value))


def fleiss(ratings: Grouped, marginals: str = "pooled") -> Agreement:
    """Fleiss' kappa: agreement beyond what the shares of the labels give by chance.

    kappa = (P_a - P_e)/(1 - P_e), P_a the mean over items with two ratings or more of the share of equal pairs,
    P_e the sum of squared shares of labels: of all ratings (marginals='pooled'), or their mean over items ('items',
    Gwet's way).  Both count items with one rating in P_e; they agree where all items have equally many ratings.

    Fleiss 1971, Psychological Bulletin 76; Gwet 2014.

    >>> import polars as pl, truegain as tg
    >>> rows = [("1", d, a, v) for d, vs in {"a": (1, 1), "b": (0, 1), "c": (0, 0)}.items() for a, v in zip("xy", vs)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    >>> print(fleiss(Grouped.of(tg.read_ratings(frame))))
    Fleiss' kappa (pooled) 0.3333 (3 items, 6 ratings)
    """
    if marginals not in ("pooled", "items"):
        raise TruegainError(f"marginals is {marginals!r}; give 'pooled' or 'items'")
    name, paired = f"Fleiss' kappa ({marginals})", Paired.of(ratings)
    if not len(paired):
        return Agreement(name, None, why="no item has two ratings")
    labels, code = np.unique(ratings.value, return_inverse=True)
    weight = np.ones(len(code)) if marginals == "pooled" else 1 / ratings.count[ratings.item]
    share = np.bincount(code, weights=weight, minlength=len(labels)) / weight.sum()
    chance = float((share**2).sum())
    if len(labels) == 1:
        return Agreement(name, None, items=len(paired), ratings=len(paired.value), why=f"all ratings are {labels[0]:g}")
    value = (float(_agreed(paired).mean()) - chance) / (1 - chance)
    return Agreement(name, value, items=len(paired), ratings=len(paired.value))


def _agreed(paired: Paired) -> Floats:
    count = paired.count
    agreed: Floats = (paired.per_item(paired._alike) - count) / (count * (count - 1))
    return agreed


def cohen(ratings: Grouped, weights: str = "none") -> Agreement:
    """Cohen's kappa of two assessors over the items both rated, or its mean over all pairs of up to thirty.

    kappa = 1 - sum w O / sum w E, O the table of the two's labels, E that of their shares multiplied;
    w = [x != y] (weights='none'), |x - y| ('linear') or (x - y)^2 ('quadratic')

    Cohen 1960, Educational and Psychological Measurement 20; 1968, Psychological Bulletin 70.

    >>> import polars as pl, truegain as tg
    >>> rows = [("1", d, a, v) for d, vs in {"a": (1, 1), "b": (0, 1), "c": (0, 0)}.items() for a, v in zip("xy", vs)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    >>> print(cohen(Grouped.of(tg.read_ratings(frame))))
    Cohen's kappa 0.4000 (3 items, 6 ratings)
    """
    if weights not in ("none", "linear", "quadratic"):
        raise TruegainError(f"weights is {weights!r}; give 'none', 'linear' or 'quadratic'")
    assessors = np.unique(ratings.assessor)
    several = len(assessors) > 2
    name = ("mean Cohen's kappa" if several else "Cohen's kappa") + ("" if weights == "none" else f" ({weights})")
    if len(assessors) > MOST_ASSESSORS:
        return Agreement(name, None, why=f"{len(assessors)} assessors are too many to compare every two")
    rated = [ratings.assessor == a for a in assessors]
    kappas, items = [], []
    for one, two in combinations(range(len(assessors)), 2):
        mine, theirs = rated[one], rated[two]
        common, x, y = np.intersect1d(ratings.item[mine], ratings.item[theirs], return_indices=True)
        value = _kappa(ratings.value[mine][x], ratings.value[theirs][y], weights) if len(common) else None
        if value is not None:
            kappas.append(value)
            items.append(common)
    if not kappas:
        return Agreement(name, None, why="no two assessors rated common items with more than one label")
    covered = len(np.unique(np.concatenate(items)))
    pairs = f"{len(kappas)} of {len(assessors) * (len(assessors) - 1) // 2} pairs" if several else ""
    return Agreement(name, float(np.mean(kappas)), items=covered, ratings=2 * sum(map(len, items)), why=pairs)


def _kappa(x: Floats, y: Floats, weights: str) -> float | None:
    if weights == "quadratic":  # by moments
        observed = float(((x - y) ** 2).mean())
        chance = float(x.var() + y.var() + (x.mean() - y.mean()) ** 2)
        return 1 - observed / chance if chance > 0 else None
    labels, code = np.unique(np.concatenate([x, y]), return_inverse=True)
    p, q = (np.bincount(part, minlength=len(labels)) / len(x) for part in (code[: len(x)], code[len(x) :]))
    if weights == "none":
        observed, chance = float((x != y).mean()), float(1 - (p * q).sum())
    else:
        # E|X - Y| = integral of F (1 - G) + G (1 - F)
        f, g, gap = np.cumsum(p)[:-1], np.cumsum(q)[:-1], np.diff(labels)
        observed, chance = float(np.abs(x - y).mean()), float(((f * (1 - g) + g * (1 - f)) * gap).sum())
    return 1 - observed / chance if chance > 1e-15 else None


def ratio_spreads(ratings: Grouped) -> tuple[Floats, Floats]:
    """Per item the ratio of highest and lowest rating, and the geometric standard deviation; for ratings above 0.

    GSD = exp(sd of ln x), sd over n - 1; not a number for items with one rating.  Kirkwood 1979, Biometrics 35.
    """
    if float(ratings.value.min()) <= 0:
        raise TruegainError("ratios need ratings above 0")
    logs = np.log(ratings.value)
    several = ratings.count >= 2
    mean = ratings.total(logs) / ratings.mass
    squares = ratings.total((logs - mean[ratings.item]) ** 2)
    gsd = np.full(len(ratings), np.nan)
    gsd[several] = np.exp(np.sqrt(squares[several] / (ratings.count[several] - 1)))
    widest = np.where(several, ratings.highest(ratings.value) / ratings.lowest(ratings.value), np.nan)
    return widest, gsd
