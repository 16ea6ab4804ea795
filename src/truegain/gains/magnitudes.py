"""Magnitudes: numbers above 0 on personal scales, brought to one scale a topic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from truegain.errors import InputError, TruegainError
from truegain.tables.columns import Floats, Ints, frozen
from truegain.tables.judgments import Judgments

ROUNDING = 1e-12  # centres nearer than this, relative to their size, are equal
Centre = Callable[[Floats, Ints, int, Floats], Floats]  # of logarithms, by group, of so many groups, with weights


def normalized(ratings: Judgments, how: str = "geometric", weights: Floats | None = None) -> Judgments:
    """The same ratings, each divided by the centre of its unit and multiplied by that of its topic.

    ln s' = ln s - centre(ln unit) + centre(ln topic)

    geometric: means, geometric averaging (eq. 3).  median: medians (eq. 4).  range: the middle of the unit's highest
    and lowest, and the topic's mean (eq. 5).  anchors: the middle of the unit's known highly relevant and known
    non-relevant document, and the topic's mean (eq. 6); a column `anchor` says 'high' and 'low'.
    A unit is what a column `unit` says, else all that an assessor rated of a topic.  Ratios within a unit stay.
    weights: how often each rating counts in the centres; one of 0 is moved and moves nothing.  A unit or topic without
    any weight has the centre of its ratings.  Of anchors, those with weight count once.

    Maddalena, Mizzaro, Scholer and Turpin 2017, ACM TOIS 35(3).

    >>> import polars as pl
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("abab"), "assessor": list("xxyy"), "label": [1, 4, 10, 40]})
    >>> normalized(Judgments.of(frame)).label.round(4).tolist()
    [3.1623, 12.6491, 3.1623, 12.6491]
    """
    if how not in NORMALIZATIONS:
        raise TruegainError(f"there is no normalization {how!r}; there are {', '.join(NORMALIZATIONS)}")
    if how == "none":
        return ratings
    bad = np.flatnonzero(ratings.label <= 0)
    if len(bad):
        raise InputError(
            f"{len(bad)} magnitudes are not above 0",
            **ratings.where(int(bad[0])),  # type: ignore[arg-type]
            hint="a magnitude is a finite number above 0; mend or leave out these",
        )
    unit, count = units(ratings)
    topic, topics = ratings.topic.code.astype(np.int64), len(ratings.topic.values)
    logs, given = np.log(ratings.label), _checked(weights, len(ratings))
    in_unit, in_topic = _counting(given, unit, count), _counting(given, topic, topics)
    across = _median if how == "median" else _mean
    if how == "anchors":
        centre = _anchors(ratings, logs, unit, count, in_unit)
    else:
        centre = NORMALIZATIONS[how](logs, unit, count, in_unit)
    shift = across(logs, topic, topics, in_topic)[topic] - centre[unit]
    shift[np.abs(shift) <= ROUNDING * np.maximum(1, np.abs(centre[unit]))] = 0.0  # a unit on the topic's scale stays
    with np.errstate(over="ignore", under="ignore"):
        moved = ratings.label * np.exp(shift)
    lost = np.flatnonzero(~np.isfinite(moved) | (moved <= 0))
    if len(lost):
        raise InputError(
            f"the magnitude {ratings.label[lost[0]]:g} cannot be brought to the scale of its topic (normalize "
            f"{how!r}): it lies too far from the others for a number to hold",
            **ratings.where(int(lost[0])),  # type: ignore[arg-type]
            hint="mend or leave out such extremes",
        )
    return replace(ratings, label=frozen(moved))


def units(ratings: Judgments) -> tuple[Ints, int]:
    """The number of each rating's unit, and how many units there are."""
    if ratings.assessor is None:
        raise TruegainError("magnitudes need to say who gave them: name a column 'assessor'")
    key = ratings.topic.code.astype(np.int64) * len(ratings.assessor.values) + ratings.assessor.code
    if "unit" in ratings.extra:
        names: dict[object, int] = {}
        unit = np.array([names.setdefault(u, len(names)) for u in ratings.extra["unit"]], np.int64)
        key = key * len(names) + unit
    _, code = np.unique(key, return_inverse=True)
    return code.astype(np.int64), int(code.max()) + 1


def _checked(weights: Floats | None, ratings: int) -> Floats:
    if weights is None:
        return np.ones(ratings)
    w = np.asarray(weights, np.float64)
    if w.shape != (ratings,) or not np.isfinite(w).all() or (w < 0).any():
        raise TruegainError(f"weights must be {ratings} numbers of at least 0, one a rating")
    return w


def _counting(weights: Floats, group: Ints, groups: int) -> Floats:
    """The weights; in a group that has none, every rating counts once."""
    mass = np.bincount(group, weights, groups)
    return np.where(mass[group] > 0, weights, 1.0)


def _mean(logs: Floats, group: Ints, groups: int, weights: Floats) -> Floats:
    mass = np.bincount(group, weights, groups)
    sums = np.bincount(group, weights * logs, groups)
    return np.divide(sums, mass, out=np.zeros(groups), where=mass > 0)


def _median(logs: Floats, group: Ints, groups: int, weights: Floats) -> Floats:
    """The mean of the first values by which half of the weight is reached and passed."""
    counts = weights > 0
    logs, group, weights = logs[counts], group[counts], weights[counts]
    order = np.lexsort((logs, group))
    rows, where, running = logs[order], group[order], np.cumsum(weights[order])
    mass = np.bincount(group, weights, groups)
    climbed = running - (np.cumsum(mass) - mass)[where]
    half, room = mass[where] / 2, 1e-9 * mass[where]
    out = np.zeros((2, groups))
    for end, holds in zip(out, (climbed >= half - room, climbed > half + room), strict=True):
        at = np.flatnonzero(holds)
        found, first = np.unique(where[at], return_index=True)
        end[found] = rows[at[first]]
    return np.asarray(out.sum(axis=0) / 2)


def _middle(logs: Floats, group: Ints, groups: int, weights: Floats) -> Floats:
    high, low = np.full(groups, -np.inf), np.full(groups, np.inf)
    counts = weights > 0
    np.maximum.at(high, group[counts], logs[counts])
    np.minimum.at(low, group[counts], logs[counts])
    return np.asarray((high + low) / 2, np.float64)


def _anchors(ratings: Judgments, logs: Floats, unit: Ints, count: int, weights: Floats) -> Floats:
    marks = [str(m).strip().lower() for m in ratings.extra.get("anchor", ())]
    centre = np.zeros(count)
    for names in (("high", "h"), ("low", "n")):
        is_it = np.array([m in names for m in marks], np.bool_) if marks else np.zeros(len(logs), np.bool_)
        is_it &= weights > 0
        found = np.bincount(unit[is_it], minlength=count)
        if (found != 1).any():
            raise InputError(
                f"{int((found != 1).sum())} of {count} units do not have exactly one document marked '{names[0]}'",
                file=ratings.source,
                hint="add a column 'anchor' with 'high' and 'low' at the unit's known documents, "
                "or normalize another way",
            )
        centre[unit[is_it]] += logs[is_it] / 2
    return centre


NORMALIZATIONS: dict[str, Centre] = {
    "geometric": _mean,
    "median": _median,
    "range": _middle,
    "anchors": _mean,  # its own centre, from the marked documents
    "none": _mean,
}
