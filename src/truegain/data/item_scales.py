"""Values of one score on two scales: of two systems, or of one.

Nothing in a table says on which scale its values are, so the rules are careful: what may be one scale is not told.
"""

from __future__ import annotations

import numpy as np

from truegain.data.items import Items
from truegain.errors import counted, some, warn
from truegain.io.columns import Floats

ONE_SCALE = "put all values on one scale"
TWO_SCALES_OF = "these seem to be two scales"
CODE = "if it stands for a missing value, leave these cells empty"
BEYOND = 2.0  # from which on most values of a system lie, whose scale is not that of shares
FAR = 5.0  # from which on a value is of another scale than shares, where none lies between


def tell_scales(items: Items, score: str) -> None:
    """Warn of values of a score that seem to be on two scales."""
    if message := scales_apart(items, score):
        warn(message)


def scales_apart(items: Items, score: str) -> str:
    """Why the values of a score seem to be on two scales; empty where they do not.

    Told are a system whose values are shares (all of 0 to 1, not only 0 and 1) beside one of which more than half are 2
    or more; values of 5 or more among shares that are at least as many, and none between; and a negative whole number
    that stands among shares alone.

    >>> from truegain import read_items
    >>> rows = [{"system": s, "topic": str(t), "faith": t * k} for s, k in (("a", 0.1), ("b", 10)) for t in range(10)]
    >>> scales_apart(read_items(rows), "faith").partition(";")[0]
    'values of faith are 0 to 0.9 for a (10 values), 0 to 90 for b (10): these seem to be two scales'
    """
    rows = items.of_score(score)
    known = ~np.isnan(rows.value)
    value, system = rows.value[known], rows.system.code[known]
    by_system = {s: value[system == at] for at, s in enumerate(rows.system.values) if (system == at).any()}
    shares = {s: v for s, v in by_system.items() if _are_shares(v)}
    beyond = {s: v for s, v in by_system.items() if v.min() >= 0 and (v >= BEYOND).mean() > 0.5}
    if shares and beyond:
        first, *others = (*shares.items(), *beyond.items())
        parts = [f"{_range(first[1])} for {first[0]} ({counted(len(first[1]), 'value')})"]
        parts += [f"{_range(v)} for {s} ({len(v):,})" for s, v in others]
        return f"values of {score} are {some(parts, 4)}: {TWO_SCALES_OF}; {ONE_SCALE}"
    within = (value >= 0) & (value <= 1)
    off = value[~within]
    if not len(off) or not _are_shares(value[within]):
        return ""
    are = f"{counted(len(off), 'value')} of {score} {'is' if len(off) == 1 else 'are'} {_range(off)}"
    told = f"{are}, and the {counted(int(within.sum()), 'other')} 0 to 1"
    if off.max() < 0 and np.ptp(off) == 0 and off[0] == round(off[0]):
        return f"{told}: {CODE}"
    if off.min() >= FAR and 2 * len(off) <= len(value):
        return f"{told}: {TWO_SCALES_OF}; {ONE_SCALE}"
    return ""


def _are_shares(values: Floats) -> bool:
    """Whether all are 0 to 1, and not only 0 and 1."""
    return bool(len(values) and values.min() >= 0 and values.max() <= 1 and ((values > 0) & (values < 1)).any())


def _range(values: Floats) -> str:
    low, high = values.min(), values.max()
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
