"""Ratings checked: those outside the scale, negative ones where none is declared, and several by one assessor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truegain.errors import InputError
from truegain.message import arg
from truegain.tables.checks import counted, warn
from truegain.tables.columns import frozen
from truegain.tables.grouped import item_keys
from truegain.tables.judgments import Judgments
from truegain.tables.scale import Scale


def tell_negative(ratings: Judgments, scale: Scale) -> None:
    """Tell of ratings below 0 where no lowest rating is declared: often they mean that nothing was judged."""
    if scale.low is not None or scale.level not in (None, "ordinal"):
        return
    below, highest = int((ratings.label < 0).sum()), float(ratings.label.max())
    if not below:
        return
    level = f"{scale.level} 0:{highest:g}" if scale.level else f"0:{highest:g}"
    out = (
        f"declare {arg('scale', level)} and {arg('out_of_range', 'drop', of='tg.read_ratings')} to leave them out"
        if highest > 0
        else f"declare {arg('scale')}"
    )
    warn(
        f"{below} of {counted(len(ratings), 'rating')} are negative (lowest {float(ratings.label.min()):g}) and taken "
        f"as ratings; {out}"
    )


def within(ratings: Judgments, scale: Scale, out_of_range: str) -> Judgments:
    """The ratings on the scale; others are an error that lists them, or dropped and counted."""
    wrong = scale.outside(ratings.label)
    if not wrong.any():
        return ratings
    rows = np.flatnonzero(wrong)
    lie = f"{len(rows)} of {counted(len(ratings), 'rating')} lie outside"
    if out_of_range == "drop":
        warn(f"{lie} the scale {scale} and are dropped")
        if len(rows) == len(ratings):
            raise InputError(f"no rating lies on the scale {scale}", file=ratings.source, hint="check the scale")
        return ratings.take(np.flatnonzero(~wrong))
    listed = ", ".join(f"{ratings.label[r]:g} ({_place(ratings, int(r))})" for r in rows[:5].tolist())
    raise InputError(
        f"{lie} the scale {scale}: {listed}" + (f" and {len(rows) - 5} more" if len(rows) > 5 else ""),
        file=ratings.source,
        hint=f"mend them, declare another scale, or drop them ({arg('out_of_range', 'drop', of='tg.read_ratings')})",
    )


def _place(ratings: Judgments, row: int) -> str:
    place = ratings.where(row)
    where = f"line {place['line']}" if "line" in place else f"row {place.get('row')}"
    return f"{where}, assessor {ratings.assessor.values[ratings.assessor.code[row]]}" if ratings.assessor else where


def settled(ratings: Judgments, repeated: str, told: bool = False) -> Judgments:
    """One rating of a document by an assessor; several are an error, or the first, last or mean counts, or all do.

    told: whether several were told of before.
    """
    assert ratings.assessor is not None
    key = item_keys(ratings) * len(ratings.assessor.values) + ratings.assessor.code
    _, first, at, count = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(key):
        return ratings
    several = int((count > 1).sum())
    if repeated == "error":
        order = np.argsort(key, kind="stable")
        second = int(order[1:][key[order][1:] == key[order][:-1]].min())
        one = int(np.flatnonzero(key == key[second])[0])
        who, topic = ratings.assessor.values[ratings.assessor.code[one]], ratings.topic.values[ratings.topic.code[one]]
        raise InputError(
            f"assessor {who} rated topic {topic}, document {ratings.docs[one]} twice, and so for "
            f"{counted(several, 'pair')} in all",
            **ratings.where(second),  # type: ignore[arg-type]
            hint=f"keep one, or say which counts ({arg('repeated', 'first', of='tg.read_ratings')}; or last, mean, "
            "all)",
        )
    were = f"{counted(several, 'document')} {'was' if several == 1 else 'were'}"
    counts = "all ratings count" if repeated == "all" else f"the {repeated} counts"
    if not told:
        warn(f"{were} rated more than once by one assessor; {counts}")
    if repeated == "all":
        return ratings
    if repeated == "mean":
        mean = np.bincount(at, weights=ratings.label) / count
        rows = np.sort(first)
        return replace(ratings.take(rows), label=frozen(mean[at[rows]]))
    if repeated == "last":
        last = np.zeros(len(first), np.int64)
        np.maximum.at(last, at, np.arange(len(key)))
        return ratings.take(np.sort(last))
    return ratings.take(np.sort(first))
