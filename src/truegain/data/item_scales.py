"""Values of one score on two scales: of two systems, or of one.

Nothing in a table says on which scale its values are, so the rules are careful: what may be one scale is not told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from truegain.data.items import Items
from truegain.errors import counted, some, warn
from truegain.io.columns import Floats
from truegain.io.logs.log import ScoreRange

ONE_SCALE = "if so, put all values on one scale"
TWO_SCALES_OF = "these seem to be two scales"
CODE = "if it stands for a missing value, leave these cells empty"
BEYOND = 2.0  # from which on most values of a system lie, whose scale is not that of shares
LARGE = 10.0  # beyond which such values need not be whole to be of another scale
FAR = 5.0  # from which on a value is of another scale than shares, where none lies between
FEW = 0.1  # share of the values up to which a negative one may be a code
# Words in names of scores that have no scale: one value may be many times another.
QUANTITIES = frozenset((
    "cer", "cost", "costs", "count", "counts", "duration", "latency", "length", "millis", "ms", "perplexity", "price",
    "seconds", "time", "times", "tokens", "wer", "words",
))  # fmt: skip


def tell_scales(items: Items, score: str) -> None:
    """Warn of values of a score that seem to be on two scales."""
    if message := scales_apart(items, score):
        warn(message)


def scales_apart(items: Items, score: str) -> str:
    """Why the values of a score seem to be on two scales; empty where they do not.

    Told are a system whose values are shares (all of 0 to 1, not only 0 and 1) beside one of which more than half are 2
    or more (all whole, or some beyond 10); values of 5 or more among shares that are at least as many, and none
    between; and one negative whole number among shares, seldom or for a whole system.  Nothing is told of scores with
    declared ends, of those that are better where they are less, and of quantities by their names, such as `latency_s`.

    >>> from truegain import read_items
    >>> rows = [{"system": s, "topic": str(t), "faith": t * k} for s, k in (("a", 0.1), ("b", 10)) for t in range(10)]
    >>> scales_apart(read_items(rows), "faith").partition(";")[0]
    'values of faith are 0 to 0.9 for a (10 values), 0 to 90 for b (10): these seem to be two scales'
    """
    if _has_no_scale(items, score):
        return ""
    rows = items.of_score(score)
    known = ~np.isnan(rows.value)
    value, system = rows.value[known], rows.system.code[known]
    by_system = {s: value[system == at] for at, s in enumerate(rows.system.values) if (system == at).any()}
    shares = {s: v for s, v in by_system.items() if _are_shares(v)}
    beyond = {s: v for s, v in by_system.items() if _are_beyond(v)}
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
    if off.max() < 0 and np.ptp(off) == 0 and off[0] == round(off[0]) and _may_be_code(len(off), by_system):
        return f"{told}: {CODE}"
    if off.min() >= FAR and 2 * len(off) <= len(value):
        return f"{told}: {TWO_SCALES_OF}; {ONE_SCALE}"
    return ""


def _has_no_scale(items: Items, score: str) -> bool:
    """Whether values are quantities, such as seconds, or their ends were declared."""
    scale = items.scales.get(score, ScoreRange())
    named = not QUANTITIES.isdisjoint(re.split("[^a-z]+", score.lower()))
    return named or scale.lower_is_better or bool(np.isfinite([scale.low, scale.high]).all())


def _are_beyond(values: Floats) -> bool:
    """Whether more than half are 2 or more, as of a scale of whole numbers, or of one beyond 10."""
    whole = bool((values == np.round(values)).all())
    return bool(values.min() >= 0 and (values >= BEYOND).mean() > 0.5 and (whole or values.max() > LARGE))


def _may_be_code(many: int, by_system: Mapping[str, Floats]) -> bool:
    """Whether values below 0 are few, or all of a system's."""
    return many <= FEW * sum(map(len, by_system.values())) or any(v.max() < 0 for v in by_system.values())


def _are_shares(values: Floats) -> bool:
    """Whether all are 0 to 1, and not only 0 and 1."""
    return bool(len(values) and values.min() >= 0 and values.max() <= 1 and ((values > 0) & (values < 1)).any())


def _range(values: Floats) -> str:
    low, high = values.min(), values.max()
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
