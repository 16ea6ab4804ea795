"""Scales that mix: assessors who stay far below where the others go, on the same topics."""

from __future__ import annotations

import numpy as np

from truegain.errors import some
from truegain.message import arg
from truegain.tables.checks import warn
from truegain.tables.columns import Floats
from truegain.tables.judgments import Judgments

LEAST = 4  # ratings of an assessor before anything is said
LONGER = 5.0  # how many times longer the other scale must be: among labels 0 to 3 a strict assessor may stay at 1
SAME = 1e-3  # chance to stay below on the long scale, below which it is told


def mixed(ratings: Judgments) -> tuple[list[str], float, float] | None:
    """Assessors who seem to rate on a shorter scale than others, the top of theirs and that of the others.

    The greatest ratings of assessors are put in order and cut at the widest gap, where one is 5 times the one before it
    or more.  Of those below, with 4 ratings or more that are not all equal, the ones are told who would stay below with
    a chance of less than 1 in 1,000 if they rated as those above do: the product over their ratings of (k + 1)/(n + 1),
    k of the n ratings of that topic by those above being as low.

    >>> import polars as pl
    >>> rows = [(f"d{i}", "short", i % 3) for i in range(12)] + [(f"d{i}", "long", 45 * (i % 3)) for i in range(12)]
    >>> frame = pl.DataFrame(rows, schema=["doc", "assessor", "label"], orient="row").with_columns(topic=pl.lit("1"))
    >>> mixed(Judgments.of(frame))
    (['short'], 2.0, 90.0)
    """
    assert ratings.assessor is not None
    people, who = len(ratings.assessor.values), ratings.assessor.code
    count, top, least = np.bincount(who, minlength=people), np.full(people, -np.inf), np.full(people, np.inf)
    np.maximum.at(top, who, ratings.label)
    np.minimum.at(least, who, ratings.label)
    sound = (count >= LEAST) & (top > 0) & (least < top)
    tops = np.unique(top[sound])
    gaps = tops[1:] / tops[:-1]
    if not len(gaps) or gaps.max() < LONGER:
        return None
    low = float(tops[int(gaps.argmax())])
    chance = _chances(ratings, top > low, low)
    short = np.flatnonzero(sound & (top <= low) & (chance < np.log(SAME)))
    if not len(short):
        return None
    return [ratings.assessor.values[p] for p in short.tolist()], float(top[short].max()), float(top.max())


def _chances(ratings: Judgments, above: np.ndarray, low: float) -> Floats:
    """Per assessor the logarithm of the chance that all their ratings are so low, if they rated as those above do."""
    assert ratings.assessor is not None
    who, topic = ratings.assessor.code, ratings.topic.code
    theirs = above[who]
    n = np.bincount(topic[theirs], minlength=len(ratings.topic.values))
    k = np.bincount(topic[theirs & (ratings.label <= low)], minlength=len(ratings.topic.values))
    logs = np.log((k + 1) / (n + 1))
    return np.asarray(np.bincount(who, logs[topic], len(above)), np.float64)


def tell_mixed(ratings: Judgments) -> None:
    """Tell where assessors seem to have rated on scales of different length."""
    found = mixed(ratings)
    if found is None:
        return
    names, low, high = found
    assert ratings.assessor is not None
    warn(
        f"{len(names)} of {len(ratings.assessor.values)} assessors rate up to {low:g} ({some(names)}), others up to "
        f"{high:g} on the same topics: scales seem to mix; bring them to one first (numbers on personal scales: "
        f"{arg('scale', 'ratio')} and {arg('normalize')}), or leave some out ({arg('drop_assessors')})"
    )
