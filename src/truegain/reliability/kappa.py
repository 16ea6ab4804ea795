"""Percent agreement, Fleiss' kappa by both conventions, Cohen's kappa, and the spread of magnitudes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from truegain.data.rating_groups import Grouped, scale_of
from truegain.errors import TruegainError, check_one_of
from truegain.io.columns import Floats, Ints
from truegain.reliability.alpha import Coefficient, Paired
from truegain.sampling.streams import generator

MOST_PAIRS = 1000  # of assessors; up to so many all are compared, of more so many at random
MOST_TRIES, LEAST_COMMON = 20_000, 5  # random pairs tried, and items that they must have in common
FEW_PAIRS, SLIVER = 30, 0.1  # fewer pairs, with less than this share of the ratings, do not stand for all


def percent(ratings: Grouped) -> Coefficient:
    """The share of pairs of ratings of an item that are equal, averaged over items with two or more."""
    paired = Paired.of(ratings)
    if not len(paired):
        return Coefficient.of("percent agreement", why="no item has two ratings")
    agreed = _agreed(paired)
    return Coefficient.of("percent agreement", float(agreed.mean()), len(paired), len(paired.value))


def fleiss(ratings: Grouped, marginals: str = "pooled") -> Coefficient:
    """Fleiss' kappa: agreement beyond what the shares of the labels give by chance.

    kappa = (P_a - P_e)/(1 - P_e), P_a the mean over items with two ratings or more of the share of equal pairs,
    P_e the sum of squared shares of labels: of all ratings (marginals='pooled'), or their mean over items ('items',
    Gwet's way).  Both count items with one rating in P_e; they agree where all items have equally many ratings.

    Fleiss 1971, Psychological Bulletin 76; Gwet 2014.

    >>> import polars as pl, truegain as tg
    >>> rows = [("1", d, a, v) for d, vs in {"a": (1, 1), "b": (0, 1), "c": (0, 0)}.items() for a, v in zip("xy", vs)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    >>> print(fleiss(Grouped.of(tg.read_ratings(frame))))
    Fleiss' kappa (pooled) 0.3333
    """
    check_one_of("marginals", marginals, ("pooled", "items"))
    name, paired = f"Fleiss' kappa ({marginals})", Paired.of(ratings)
    if not len(paired):
        return Coefficient.of(name, why="no item has two ratings")
    labels, code = np.unique(ratings.value, return_inverse=True)
    weight = np.ones(len(code)) if marginals == "pooled" else 1 / ratings.count[ratings.item]
    share = np.bincount(code, weights=weight, minlength=len(labels)) / weight.sum()
    chance = float((share**2).sum())
    if len(labels) == 1:
        return Coefficient.of(name, math.nan, len(paired), len(paired.value), f"all ratings are {labels[0]:g}")
    value = (float(_agreed(paired).mean()) - chance) / (1 - chance)
    return Coefficient.of(name, value, len(paired), len(paired.value))


def _agreed(paired: Paired) -> Floats:
    count = paired.count
    agreed: Floats = (paired.per_item(paired.alike) - count) / (count * (count - 1))
    return agreed


def cohens(ratings: Grouped, kinds: Sequence[str], *, seed: int = 0) -> list[Coefficient]:
    """Cohen's kappa of two assessors over the items both rated, or its mean over pairs; for each kind of weights.

    kappa = 1 - sum w O / sum w E, O the table of the two's labels, E that of their shares multiplied;
    w = [x != y] (weights='none'), |x - y| ('linear') or (x - y)^2 ('quadratic')

    Where assessors make more than 1,000 pairs, 1,000 pairs with at least 5 items in common are drawn at random.  A mean
    of fewer than 30 pairs that hold less than a tenth of the ratings of items with two or more is not told.

    Cohen 1960, Educational and Psychological Measurement 20; 1968, Psychological Bulletin 70.

    >>> import polars as pl, truegain as tg
    >>> rows = [("1", d, a, v) for d, vs in {"a": (1, 1), "b": (0, 1), "c": (0, 0)}.items() for a, v in zip("xy", vs)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    >>> print(*cohens(Grouped.of(tg.read_ratings(frame)), ["none"]))
    Cohen's kappa 0.4000
    """
    for weights in kinds:
        check_one_of("weights", weights, ("none", "linear", "quadratic"))
    count = len(np.unique(ratings.who))
    several, every = count > 2, count * (count - 1) // 2
    if every <= MOST_PAIRS:
        rows = _by_assessor(ratings)
        common = [c for two in combinations(rows, 2) if len((c := _Common.of(ratings, *two)).item)]
        none, about = "no two assessors rated common items with more than one label", "{} of " + f"{every} pairs"
    else:
        common, tried = _drawn(ratings, seed)
        none = f"of {tried:,} random pairs of {count:,} assessors none rated {LEAST_COMMON} common items"
        about = "{} random pairs of " + f"{every:,}, each with at least {LEAST_COMMON} common items"
    coefficients = []
    for weights in kinds:
        name = ("mean Cohen's kappa" if several else "Cohen's kappa") + ("" if weights == "none" else f" ({weights})")
        kappas = [_kappa(c.one, c.two, weights) for c in common]
        sound = [(k, c) for k, c in zip(kappas, common, strict=True) if k is not None]
        if not sound:
            why = none if not common or every <= MOST_PAIRS else "no pair of assessors gave more than one label"
            coefficients.append(Coefficient.of(name, why=why))
            continue
        items = len(np.unique(np.concatenate([c.item for _, c in sound])))
        rated = len(np.unique(np.concatenate([c.rows for _, c in sound])))
        mean, why = float(np.mean([k for k, _ in sound])), about.format(len(sound)) * several
        of = int(ratings.count[ratings.count >= 2].sum())
        if len(sound) < FEW_PAIRS and rated < SLIVER * of:
            why = f"{why}: {rated:,} of {of:,} ratings do not represent all"
            mean = math.nan
        coefficients.append(Coefficient.of(name, mean, items, rated, why))
    return coefficients


@dataclass(frozen=True, eq=False)
class _Common:
    """Items that two assessors rated, what each said, and the ratings that this is."""

    item: Ints
    one: Floats
    two: Floats
    rows: Ints

    @classmethod
    def of(cls, ratings: Grouped, mine: Ints, theirs: Ints) -> _Common:
        item, x, y = np.intersect1d(ratings.item[mine], ratings.item[theirs], True, True)
        one, two = mine[x], theirs[y]
        return cls(item, ratings.value[one], ratings.value[two], np.concatenate([one, two]))


def _by_assessor(ratings: Grouped) -> list[Ints]:
    """The rows of each assessor, assessors by name."""
    order = np.argsort(ratings.who, kind="stable")
    ends = np.append(np.unique(ratings.who[order], return_index=True)[1], len(order))
    return [order[a:b] for a, b in pairwise(ends.tolist())]


def _drawn(ratings: Grouped, seed: int) -> tuple[list[_Common], int]:
    """Random pairs of assessors with enough items in common, and how many pairs were tried."""
    enough = [r for r in _by_assessor(ratings) if len(r) >= LEAST_COMMON]
    if len(enough) < 2:
        return [], 0
    rng = generator(seed, "pairs of assessors")
    drawn = np.sort(rng.integers(0, len(enough), (2 * MOST_TRIES, 2)), axis=1)
    drawn = drawn[drawn[:, 0] < drawn[:, 1]]
    tries = drawn[np.sort(np.unique(drawn, axis=0, return_index=True)[1])][:MOST_TRIES]
    pairs: list[_Common] = []
    for first, second in tries.tolist():
        both = _Common.of(ratings, enough[first], enough[second])
        if len(both.item) >= LEAST_COMMON:
            pairs.append(both)
            if len(pairs) == MOST_PAIRS:
                break
    return pairs, len(tries)


def _kappa(x: Floats, y: Floats, weights: str) -> float | None:
    if min(x.min(), y.min()) == max(x.max(), y.max()):  # one rating throughout: nothing to agree on by chance or not
        return None
    if weights != "none":  # kappa does not depend on the unit
        scale = max(scale_of(x), scale_of(y))
        x, y = x / scale, y / scale
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

    GSD = exp(sd of ln x), sd over n - 1; not a number for items with one rating, infinite where a double cannot hold
    it.  Kirkwood 1979, Biometrics 35.
    """
    if float(ratings.value.min()) <= 0:
        raise TruegainError("ratios need ratings above 0")
    logs = np.log(ratings.value)
    several = ratings.count >= 2
    mean = ratings.total(logs) / ratings.mass
    squares = ratings.total((logs - mean[ratings.item]) ** 2)
    gsd = np.full(len(ratings), np.nan)
    with np.errstate(over="ignore"):
        gsd[several] = np.exp(np.sqrt(squares[several] / (ratings.count[several] - 1)))
        widest = np.where(several, ratings.highest(ratings.value) / ratings.lowest(ratings.value), np.nan)
    return widest, gsd
