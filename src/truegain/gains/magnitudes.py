"""Magnitudes: numbers above 0 on personal scales, brought to one scale a topic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from truegain.errors import InputError, TruegainError
from truegain.tables.columns import Floats, Ints, frozen
from truegain.tables.judgments import Judgments

ROUNDING = 1e-12  # centres nearer than this, relative to their size, are equal
Centre = Callable[[Floats, Ints, int], Floats]


def normalised(ratings: Judgments, how: str = "geometric") -> Judgments:
    """The same ratings, each divided by the centre of its unit and multiplied by that of its topic.

    ln s' = ln s - centre(ln unit) + centre(ln topic)

    geometric: means, geometric averaging (eq. 3).  median: medians (eq. 4).  range: the middle of the unit's highest
    and lowest, and the topic's mean (eq. 5).  anchors: the middle of the unit's known highly relevant and known
    non-relevant document, and the topic's mean (eq. 6); a column `anchor` says 'high' and 'low'.
    A unit is what a column `unit` says, else all that an assessor rated of a topic.  Ratios within a unit stay.

    Maddalena, Mizzaro, Scholer and Turpin 2017, ACM TOIS 35(3).

    >>> import polars as pl
    >>> frame = pl.DataFrame({"topic": "1", "doc": list("abab"), "assessor": list("xxyy"), "label": [1, 4, 10, 40]})
    >>> normalised(Judgments.of(frame)).label.round(4).tolist()
    [3.1623, 12.6491, 3.1623, 12.6491]
    """
    if how not in NORMALISATIONS:
        raise TruegainError(f"there is no normalisation {how!r}; there are {', '.join(NORMALISATIONS)}")
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
    logs = np.log(ratings.label)
    across = _median if how == "median" else _mean
    centre = _anchors(ratings, logs, unit, count) if how == "anchors" else NORMALISATIONS[how](logs, unit, count)
    shift = across(logs, topic, topics)[topic] - centre[unit]
    shift[np.abs(shift) <= ROUNDING * np.maximum(1, np.abs(centre[unit]))] = 0.0  # a unit on the topic's scale stays
    with np.errstate(over="ignore", under="ignore"):
        moved = ratings.label * np.exp(shift)
    lost = np.flatnonzero(~np.isfinite(moved) | (moved <= 0))
    if len(lost):
        raise InputError(
            f"the magnitude {ratings.label[lost[0]]:g} cannot be brought to the scale of its topic (normalise "
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


def _mean(logs: Floats, group: Ints, groups: int) -> Floats:
    sums = np.bincount(group, weights=logs, minlength=groups)
    return np.asarray(sums / np.maximum(1, np.bincount(group, minlength=groups)), np.float64)


def _median(logs: Floats, group: Ints, groups: int) -> Floats:
    order = np.lexsort((logs, group))
    count = np.bincount(group, minlength=groups)
    begin = np.cumsum(count) - count
    there = count > 0
    out = np.zeros(groups)
    rows = logs[order]
    out[there] = (rows[(begin + (count - 1) // 2)[there]] + rows[(begin + count // 2)[there]]) / 2
    return out


def _middle(logs: Floats, group: Ints, groups: int) -> Floats:
    high, low = np.full(groups, -np.inf), np.full(groups, np.inf)
    np.maximum.at(high, group, logs)
    np.minimum.at(low, group, logs)
    return np.asarray((high + low) / 2, np.float64)


def _anchors(ratings: Judgments, logs: Floats, unit: Ints, count: int) -> Floats:
    marks = [str(m).strip().lower() for m in ratings.extra.get("anchor", ())]
    centre = np.zeros(count)
    for names in (("high", "h"), ("low", "n")):
        is_it = np.array([m in names for m in marks], np.bool_) if marks else np.zeros(len(logs), np.bool_)
        found = np.bincount(unit[is_it], minlength=count)
        if (found != 1).any():
            raise InputError(
                f"{int((found != 1).sum())} of {count} units do not have exactly one document marked '{names[0]}'",
                file=ratings.source,
                hint="add a column 'anchor' with 'high' and 'low' at the unit's known documents, "
                "or normalise another way",
            )
        centre[unit[is_it]] += logs[is_it] / 2
    return centre


NORMALISATIONS: dict[str, Centre] = {
    "geometric": _mean,
    "median": _median,
    "range": _middle,
    "anchors": _mean,  # its own centre, from the marked documents
    "none": _mean,
}
