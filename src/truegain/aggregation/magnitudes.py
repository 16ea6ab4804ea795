"""Magnitudes: numbers above 0 on personal scales, brought to one scale a topic.

Also whether ratings order documents as experts do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.data.judgments import Judgments
from truegain.data.pool import Pool
from truegain.errors import InputError, TruegainError
from truegain.io.columns import Codes, Floats, Ints, frozen, shares

# ---- Magnitudes: numbers above 0 on personal scales, brought to one scale a topic.

ROUNDING = 1e-12  # centers nearer than this, relative to their size, are equal
Center = Callable[[Floats, Ints, int, Floats], Floats]  # of logarithms, by group, of so many groups, with weights


def normalized(ratings: Judgments, how: str = "geometric", weights: Floats | None = None) -> Judgments:
    """Ratings, each divided by the center of its unit and multiplied by that of its topic.

    ln s' = ln s - center(ln unit) + center(ln topic)

    geometric: means, geometric averaging (eq. 3).  median: medians (eq. 4).  range: the middle of the unit's highest
    and lowest, and the topic's mean (eq. 5).  anchors: the middle of the unit's known highly relevant and known
    non-relevant document, and the topic's mean (eq. 6); a column `anchor` says 'high' and 'low'.
    A unit is what a column `unit` says, else all that an assessor rated of a topic.  Ratios within a unit stay.
    weights: how often each rating counts in the centers; one of 0 is moved and moves nothing.  A unit or topic without
    any weight has the center of its ratings.  Of anchors, those with weight count once.

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
            **ratings.where(int(bad[0])),
            hint="a magnitude is a finite number above 0; correct or drop these",
        )
    unit, count = units(ratings)
    topic, topics = ratings.topic.code.astype(np.int64), len(ratings.topic.values)
    logs, weight = np.log(ratings.label), _checked(weights, len(ratings))
    in_unit, in_topic = _counting(weight, unit, count), _counting(weight, topic, topics)
    across = _median if how == "median" else _mean
    if how == "anchors":
        center = _anchors(ratings, logs, unit, count, in_unit)
    else:
        center = NORMALIZATIONS[how](logs, unit, count, in_unit)
    shift = across(logs, topic, topics, in_topic)[topic] - center[unit]
    shift[np.abs(shift) <= ROUNDING * np.maximum(1, np.abs(center[unit]))] = 0.0  # a unit on the topic's scale stays
    with np.errstate(over="ignore", under="ignore"):
        moved = ratings.label * np.exp(shift)
    lost = np.flatnonzero(~np.isfinite(moved) | (moved <= 0))
    if len(lost):
        raise InputError(
            f"the magnitude {ratings.label[lost[0]]:g} cannot be normalized to the scale of its topic ({how!r}): it "
            "is too far from the others for a floating-point number",
            **ratings.where(int(lost[0])),
            hint="correct or drop such extremes",
        )
    return replace(ratings, label=frozen(moved))


def units(ratings: Judgments) -> tuple[Ints, int]:
    """The number of each rating's unit, and how many units there are."""
    if ratings.assessor is None:
        raise TruegainError("magnitudes need an assessor each: name a column 'assessor'")
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
        reached, first = np.unique(where[at], return_index=True)
        end[reached] = rows[at[first]]
    return np.asarray(out.sum(axis=0) / 2)


def _middle(logs: Floats, group: Ints, groups: int, weights: Floats) -> Floats:
    high, low = np.full(groups, -np.inf), np.full(groups, np.inf)
    counts = weights > 0
    np.maximum.at(high, group[counts], logs[counts])
    np.minimum.at(low, group[counts], logs[counts])
    return np.asarray((high + low) / 2, np.float64)


def _anchors(ratings: Judgments, logs: Floats, unit: Ints, count: int, weights: Floats) -> Floats:
    marks = [str(m).strip().lower() for m in ratings.extra.get("anchor", ())]
    center = np.zeros(count)
    for names in (("high", "h"), ("low", "n")):
        is_it = np.array([m in names for m in marks], np.bool_) if marks else np.zeros(len(logs), np.bool_)
        is_it &= weights > 0
        marked = np.bincount(unit[is_it], minlength=count)
        if (marked != 1).any():
            raise InputError(
                f"{int((marked != 1).sum())} of {count} units do not have exactly one document marked '{names[0]}'",
                file=ratings.source,
                hint="add a column 'anchor' with 'high' and 'low' at the unit's known documents, "
                "or normalize another way",
            )
        center[unit[is_it]] += logs[is_it] / 2
    return center


NORMALIZATIONS: dict[str, Center] = {
    "geometric": _mean,
    "median": _median,
    "range": _middle,
    "anchors": _mean,  # its own center, from the marked documents
    "none": _mean,
}


# ---- Pairwise order agreement: whether ratings order documents as experts do.

MOST_LEVELS = 50  # of experts, up to which pairs of levels are told apart


@dataclass(frozen=True, eq=False)
class Order:
    """Documents with experts' levels, in groups; pairs of one group on different levels are counted, never listed.

    Rows are sorted by group, then level, then falling value.
    """

    group: Ints
    level: Floats
    value: Floats

    def __len__(self) -> int:
        return int(self._counts[1].sum())

    @property
    def share(self) -> float | None:
        """The share of pairs in the experts' order, None without pairs."""
        right, count = self._counts
        return float(right.sum() / count.sum()) if count.sum() else None

    def counted(self, groups: int) -> tuple[Ints, Ints]:
        """Per group the pairs in the experts' order, and all pairs on different levels."""
        out = np.zeros((2, groups), np.int64)
        out[:, self._groups] = self._counts
        return out[0], out[1]

    def by_group(self, groups: int) -> tuple[Floats, Ints]:
        """The share per group (not a number without pairs) and how many pairs there are."""
        right, count = self.counted(groups)
        return shares(right, count), count

    @cached_property
    def levels(self) -> Floats:
        """The levels that experts use, ascending."""
        return np.unique(self.level)

    @cached_property
    def by_levels(self) -> list[tuple[float, float, float, int]]:
        """For every two levels of the experts: lower, higher, share, pairs; none of more than 50 levels."""
        if len(self.levels) > MOST_LEVELS:
            return []
        place = _dense(self.group, self.value)  # equal for equal values of a group, and rising with both
        start = np.minimum.reduceat(place, self._begin)[self._code] if len(place) else place
        shares: list[tuple[float, float, float, int]] = []
        rows = [np.flatnonzero(self.level == level) for level in self.levels]
        rows = [r[np.argsort(place[r], kind="stable")] for r in rows]
        for (low, below), (high, above) in combinations(list(zip(self.levels.tolist(), rows, strict=True)), 2):
            there, upto = place[below], place[above]
            before = np.searchsorted(there, start[above])
            right = int((np.searchsorted(there, upto, side="right") - before).sum())
            sizes = [np.bincount(self._code[r], minlength=len(self._begin)) for r in (below, above)]
            if pairs := int((sizes[0] * sizes[1]).sum()):
                shares.append((low, high, right / pairs, pairs))
        return shares

    # ------------------------------------------------------------------ counting

    @cached_property
    def _begin(self) -> Ints:
        return np.flatnonzero(np.concatenate([[True], np.diff(self.group) != 0])) if len(self.group) else self.group

    @cached_property
    def _groups(self) -> Ints:
        """The groups there are, ascending."""
        return self.group[self._begin]

    @cached_property
    def _code(self) -> Ints:
        """For every row the place of its group among those there are."""
        return np.repeat(np.arange(len(self._begin)), np.diff(np.append(self._begin, len(self.group))))

    @cached_property
    def _counts(self) -> tuple[Ints, Ints]:
        """Per group that there is: pairs in the experts' order, and all pairs on different levels."""
        size = np.bincount(self._code, minlength=len(self._begin))
        count = size * (size - 1) // 2 - self._pairs_of(_dense(self.group, self.level))
        # a pair on one level stands in falling order, so that only equal values are counted with the rest
        right = self._rising() - self._pairs_of(_dense(self.group, self.level, self.value))
        return right.astype(np.int64), count.astype(np.int64)

    def _pairs_of(self, cell: Ints) -> Ints:
        """Per group the pairs within cells."""
        size = np.bincount(cell, minlength=1)
        first = np.unique(cell, return_index=True)[1]
        pairs = size * (size - 1) // 2
        return np.bincount(self._code[first], weights=pairs, minlength=len(self._begin)).astype(np.int64)

    def _rising(self) -> Ints:
        """Per group the pairs of rows whose later value is not below the earlier, halves of halves at a time."""
        total = np.zeros(len(self._begin), np.int64)
        code, place = self._code, np.arange(len(self.group)) - self._begin[self._code]
        value, size = _dense(self.value), np.bincount(self._code, minlength=len(self._begin))
        rows, bit = np.arange(len(self.group)), 0
        values = int(value.max(initial=0)) + 1
        while len(rows := rows[size[code[rows]] > 1 << bit]):
            part = place[rows] >> (bit + 1)
            new = np.concatenate([[True], (np.diff(part) != 0) | (np.diff(code[rows]) != 0)])
            block = np.cumsum(new) - 1
            key = np.sort(((block * values + value[rows]) << 1) | ((place[rows] >> bit) & 1))
            later, block = key & 1, (key >> 1) // values  # of equal values the earlier half comes first
            earlier = np.cumsum(1 - later)
            begin = np.searchsorted(block, np.arange(int(block[-1]) + 1))
            here = (earlier - (earlier - (1 - later))[begin][block]) * later
            total += np.bincount(code[rows][new][block], weights=here, minlength=len(total)).astype(np.int64)
            bit += 1
        return total


def _dense(*keys: npt.NDArray[Any]) -> Ints:
    """A number for every row, equal for equal keys and rising with them, the first key before all."""
    if not len(keys[0]):
        return np.empty(0, np.int64)
    order = np.lexsort(keys[::-1])
    new = np.zeros(len(order), np.bool_)
    for key in keys:
        new[1:] |= np.diff(key[order]) != 0
    out = np.empty(len(order), np.int64)
    out[order] = np.cumsum(new)
    return out


def order_agreement(value: Floats, expert: Floats, group: Ints) -> Order:
    """Compare every two documents of a group that experts put on different levels; equal values count as agreement.

    agreement = pairs with value(higher) >= value(lower), over all such pairs

    Pairs are counted by sorting, in time n log^2 n.  A document without an expert's level (not a number) is left out.
    Maddalena et al. 2017, section 6.1.2.

    >>> order_agreement(np.array([5.0, 1.0, 1.0]), np.array([0.0, 1.0, 2.0]), np.array([0, 0, 0])).share
    0.3333333333333333
    """
    has_level = np.flatnonzero(~np.isnan(expert))
    order = has_level[np.lexsort((-value[has_level], expert[has_level], group[has_level]))]
    return Order(frozen(group[order].astype(np.int64)), frozen(expert[order]), frozen(value[order]))


def expert_levels(table: Judgments, expert: Judgments) -> Floats:
    """For every row of a table the expert's label of its document, not a number where there is none."""
    pool = Pool.of(expert)
    item: Codes = pool.find(table.topic, table.docs)
    if (item < 0).all():
        raise InputError(
            "the experts judged none of the rated documents",
            file=expert.source,
            hint="check that both use the same topic and document ids",
        )
    return np.where(item >= 0, pool.labels[np.maximum(item, 0)], np.nan)
