"""Whether a few items carry alpha: what it is without them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from truegain.inference.agreement.alpha import AlphaOptions, Coefficient, alpha_of, alphas
from truegain.inference.agreement.paired import Paired
from truegain.tables.columns import Floats, Ints
from truegain.tables.grouped import Grouped

MOST, SHARE = 3, 0.05  # items that are few: so many, and no more than this share of all
MOVED = 0.1  # what alpha must move without them to be worth a word
STEP = 0.05  # what one of them must add to it
HEAVY = 3.0  # times the median number of ratings, from which on an item may carry it
TRIED = 100  # items that are tried, those with the most ratings
ROOM = 10_000_000  # weights held at a time


@dataclass(frozen=True)
class Carried:
    """Few items without which alpha is another: their names, how many ratings they hold, and alpha of the rest."""

    names: tuple[str, ...]
    ratings: int
    whole: Coefficient
    rest: Coefficient

    def __str__(self) -> str:
        one, rest = len(self.names) == 1, self.rest
        limits = "" if math.isnan(rest.low) else f" [{rest.low:.4f}, {rest.high:.4f}]"
        return (
            f"{'1 item carries' if one else f'{len(self.names)} items carry'} {self.whole.measure}: "
            f"{' and '.join(self.names)}, with {self.ratings:,} of {self.whole.ratings:,} ratings; without "
            f"{'it' if one else 'them'} it is {rest.value:.4f}{limits}, not {self.whole.value:.4f}: traps and anchors, "
            "which all assessors rate, tell little of the other items"
        )


def carried(ratings: Grouped, whole: Coefficient, level: str, options: AlphaOptions) -> Carried | None:
    """The few items that carry alpha, or None.

    Of the items with at least three times as many ratings as most, up to three, and no more than a twentieth of all,
    are left out one after another, each time the one without which alpha moves farthest, as long as it moves by .05.
    They carry it where alpha of all is more than .1 from alpha of the rest, and outside its interval.  A trap question
    that everyone answers alike is such an item: it makes chance agreement small, and the value is that of the trap.

    >>> import polars as pl, truegain as tg
    >>> from truegain.inference.agreement.alpha import USUAL
    >>> rng = np.random.default_rng(1)
    >>> rows = [("1", f"d{i}", f"w{j}", int(x)) for i in range(40) for j, x in enumerate(rng.integers(0, 2, 3))]
    >>> rows += [("1", "trap", f"w{j}", 3) for j in range(60)]
    >>> frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row")
    >>> grouped = Grouped.of(tg.read_ratings(frame))
    >>> found = carried(grouped, alpha_of(Paired.of(grouped), "nominal"), "nominal", USUAL)
    >>> found.names, round(found.whole.value, 2), round(found.rest.value, 2)
    (('topic 1, document trap',), 0.52, 0.04)
    """
    paired = Paired.of(ratings)
    most = min(MOST, int(SHARE * len(paired)))
    if not most or math.isnan(whole.value):
        return None
    out = _chosen(paired, level, whole.value, most)
    if not out:
        return None
    rest = alpha_of(paired.take(~np.isin(paired.item, out)), level, replace(options, trials=max(1000, options.trials)))
    if not abs(rest.value - whole.value) > MOVED or rest.low <= whole.value <= rest.high:
        return None
    return Carried(_names(ratings, out), int(paired.count[out].sum()), whole, rest)


def _chosen(paired: Paired, level: str, whole: float, most: int) -> list[int]:
    """Items left out one after another, up to the last that moves alpha by a step."""
    out: list[int] = []
    moves: list[float] = []
    candidates = _candidates(paired)
    for _ in range(most):
        left = candidates[~np.isin(candidates, out)]
        if not len(left):
            break
        without = _without(paired, level, out, left)
        if np.isnan(without).all():
            break
        moved = np.abs(without - whole)
        best = int(np.nanargmax(moved))
        out.append(int(left[best]))
        moves.append(float(moved[best]) - sum(moves))
    while moves and moves[-1] < STEP:
        out.pop()
        moves.pop()
    return out


def _candidates(paired: Paired) -> Ints:
    """Items with far more ratings than most, those with the most before others."""
    heavy = np.flatnonzero(paired.count >= HEAVY * np.median(paired.count))
    return heavy[np.argsort(-paired.count[heavy], kind="stable")[:TRIED]]


def _without(paired: Paired, level: str, out: list[int], each: Ints) -> Floats:
    """Alpha without some items and each of others."""
    step, found = max(1, ROOM // len(paired)), []
    for at in range(0, len(each), step):
        some = each[at : at + step]
        weights = np.ones((len(some), len(paired)))
        weights[:, out] = 0
        weights[np.arange(len(some)), some] = 0
        found.append(alphas(getattr(paired, level)(weights)))
    return np.concatenate(found)


def _names(ratings: Grouped, out: list[int]) -> tuple[str, ...]:
    """Topic and document of items, which are counted among those with two ratings or more, by name."""
    places = np.sort(ratings.place[ratings.count >= 2])[out]
    items = np.argsort(ratings.place, kind="stable")[places]
    rows, table = ratings.order[ratings.begin[:-1][items]], ratings.judgments
    named = zip(table.topic.code[rows], table.docs.take(rows).strings(), table.subtopic.code[rows], strict=True)
    facet = len(table.subtopic.values) > 1
    return tuple(
        f"topic {table.topic.values[topic]}, document {doc}" + (f", subtopic {table.subtopic.values[sub]}" * facet)
        for topic, doc, sub in named
    )
