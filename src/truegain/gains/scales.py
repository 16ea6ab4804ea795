"""Are the labels of both judges on one scale? Labels off it, and labels that only one of the judges uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import get_args

import numpy as np

from truegain.errors import InputError, TruegainError, some
from truegain.message import arg, argname
from truegain.tables.checks import warn
from truegain.tables.columns import Bools, Floats, Ints, frozen
from truegain.tables.judgments import Judgments
from truegain.tables.pool import Pool
from truegain.tables.ratings import OutOfRange

NOT_JUDGED = -1.0
MOST_OFF_SCALE = 0.05  # share of the bronze labels up to which those that gold never uses are slips of the judge
MOST_LISTED = 8
MOST_LABELS = 1000
Levels = float | tuple[float, float]


def both_levels(relevant: Levels, gold_relevant_from: float | None = None) -> tuple[float, float]:
    """The smallest relevant label of bronze and of gold.

    >>> both_levels(1, gold_relevant_from=2)
    (1, 2)
    """
    both = relevant if isinstance(relevant, tuple) else (relevant, relevant)
    if len(both) != 2 or not all(isinstance(x, Real) for x in both):
        raise TruegainError(
            f"relevant {relevant}: give the smallest relevant label, such as 1, or one for bronze and one for gold; "
            "correct and compare take it from the measure"
        )
    return both[0], both[1] if gold_relevant_from is None else gold_relevant_from


def scale_of(text: str | Sequence[float] | None) -> tuple[float, ...] | None:
    """The labels that there are: '0:3' for 0, 1, 2, 3, or a list of them.

    >>> scale_of("0:3"), scale_of("0,1,2.5")
    ((0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 2.5))
    """
    if text is None:
        return None
    if not isinstance(text, str):
        labels = tuple(float(x) for x in text)
    else:
        wrong = TruegainError(f"{argname('scale', text)}: give the labels there are, as 0:3 or 0,1,2,3")
        parts = text.split(":") if ":" in text else text.split(",")
        try:
            labels = tuple(float(part) for part in parts)
        except ValueError:
            raise wrong from None
        if ":" in text:
            if len(labels) != 2 or any(x % 1 != 0 for x in labels) or not 0 < labels[1] - labels[0] < MOST_LABELS:
                raise wrong
            labels = tuple(float(x) for x in range(int(labels[0]), int(labels[1]) + 1))
    if len(set(labels)) < 2 or not np.isfinite(labels).all() or min(labels) < 0:
        raise TruegainError(
            f"{argname('scale', text)}: at least two different labels are needed, none below 0 (not judged)"
        )
    return tuple(sorted(set(labels)))


def ends_of(scale: str | Sequence[float] | None) -> tuple[float, float] | None:
    """The lowest and the highest label that there are.

    >>> ends_of("0:3"), ends_of((0, 1))
    ((0.0, 3.0), (0.0, 1.0))
    """
    found = scale_of(scale)
    return None if found is None else (min(found), max(found))


def check_scale(table: Judgments, scale: Sequence[float] | None) -> None:
    """Count and list labels that are not on the scale."""
    if scale is None:
        return
    outside = _outside(table, scale)
    if not outside.any():
        return
    place = table.where(int(np.flatnonzero(outside)[0]))
    raise InputError(
        f"{int(outside.sum())} of {len(table)} labels are not on the scale {', '.join(f'{s:g}' for s in scale)}: "
        f"{_listed(table.label[outside])}; the first is here",
        **place,  # type: ignore[arg-type]
        hint=f"mend or remove them, widen the scale, or take them as not judged ({arg('out_of_range', 'drop')})",
    )


def on_scale(table: Judgments, scale: Sequence[float] | None, out_of_range: OutOfRange = "error") -> Judgments:
    """The judgments with every label on the scale: others are refused, or become -1, not judged, and are counted.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     on_scale(Judgments.of({"1": {"a": 1, "b": 10}}), (0, 1), "drop").label.tolist()
    [1.0, -1.0]
    """
    if out_of_range not in get_args(OutOfRange):
        raise TruegainError(
            f"{argname('out_of_range')} is {out_of_range!r}; give one of {', '.join(get_args(OutOfRange))}"
        )
    if scale is None:
        return table
    if out_of_range == "error":
        check_scale(table, scale)
        return table
    off = _outside(table, scale)
    if off.any():
        warn(
            f"{table.source}: {int(off.sum())} of {len(table)} labels are not on the scale "
            f"{', '.join(f'{s:g}' for s in scale)} and count as not judged: {_listed(table.label[off])}"
        )
    return replace(table, label=frozen(np.where(off, NOT_JUDGED, table.label)))


def _outside(table: Judgments, scale: Sequence[float]) -> Bools:
    return np.asarray(~np.isin(table.label, np.asarray(scale, np.float64)) & (table.label >= 0), np.bool_)


def _listed(labels: Floats) -> str:
    values, counts = np.unique(labels, return_counts=True)
    return some([_times(v, n) for v, n in zip(values, counts, strict=True)], MOST_LISTED)


def _times(label: float, count: int) -> str:
    return f"{label:g} ({count} time{'' if count == 1 else 's'})"


@dataclass(frozen=True)
class OffScaleLabels:
    """Bronze labels beyond all gold ones: how often each, with some of the pairs that have it."""

    labels: tuple[float, ...]
    counts: tuple[int, ...]
    examples: tuple[str, ...]
    total: int  # bronze labels in all

    @classmethod
    def of(cls, pool: Pool, gold: Floats) -> OffScaleLabels:
        """Labels of the pool above the highest gold label, or fractional where gold's are whole numbers."""
        label = pool.labels
        whole = bool((gold == np.round(gold)).all())
        beyond = (label > gold.max()) | (whole & (label != np.round(label)))
        at: Ints = np.flatnonzero(beyond & (label >= 0) & ~np.isin(label, gold))
        values, which, counts = np.unique(label[at], return_inverse=True, return_counts=True)
        rare = at[np.argsort(counts[which], kind="stable")]
        named = [f"{label[i]:g}: topic {pool.topics[pool.topic[i]]} document {pool.docs[int(i)]}" for i in rare[:3]]
        return cls(
            tuple(values.tolist()), tuple(counts.tolist()), tuple(named), int(np.count_nonzero(label >= 0)),
        )  # fmt: skip

    @property
    def share(self) -> float:
        """Of all bronze labels."""
        return sum(self.counts) / max(1, self.total)

    def __str__(self) -> str:
        each = [_times(v, n) for v, n in zip(self.labels, self.counts, strict=True)]
        return (
            f"{sum(self.counts)} of {self.total} bronze labels are ones that gold never uses: "
            f"{some(each, MOST_LISTED)}; such as {'; '.join(self.examples)}"
        )


def tell_scales(off_scale: OffScaleLabels, pool: Pool, gold: Floats, *, levels_given: bool | None) -> None:
    """Warn of a few labels off gold's scale, or of two scales where nobody said which labels are relevant on each.

    levels_given: whether the smallest relevant gold label was given apart; None where it is not known.
    """
    if off_scale.labels and off_scale.share <= MOST_OFF_SCALE:
        warn(
            f"{off_scale}. If they are slips, give the labels there are ({arg('scale', '0:3')}, and "
            f"{arg('out_of_range', 'drop')})"
        )
        return
    if levels_given is not False:
        return
    bronze = pool.labels[pool.labels >= 0]
    if not len(bronze) or not _other_scale(bronze, gold):
        return
    warn(
        f"the two judges seem to use different scales: bronze labels are {_range(bronze)}, gold labels {_range(gold)}; "
        "the same label counts as relevant on both: say where relevance begins on gold's "
        f"({arg('gold_relevant_from')}), "
        f"or give the labels there are ({arg('scale', '0:3')})"
    )


def _other_scale(bronze: Floats, gold: Floats) -> bool:
    """Whether one is whole numbers and the other not, or one reaches at least half as high again."""
    whole = [bool((x == np.round(x)).all()) for x in (bronze, gold)]
    low, high = sorted((float(bronze.max()), float(gold.max())))
    return whole[0] != whole[1] or (low > 0 and high >= 1.5 * low)


def apart(bronze: Floats, gold: Floats) -> str | None:
    """Both ranges in words, where as gains the labels of one judge would count at least twice the other's; else None.

    >>> apart(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0]))
    'bronze labels are 0, 1, 2, 3, gold labels 0, 1'
    """
    whole = [bool((x == np.round(x)).all()) for x in (bronze, gold)]
    low, high = sorted((float(bronze.max()), float(gold.max())))
    if whole[0] == whole[1] and not (low > 0 and high >= 2 * low):
        return None
    return f"bronze labels are {_range(bronze)}, gold labels {_range(gold)}"


def _range(labels: Floats) -> str:
    values = np.unique(labels)
    if len(values) <= 6:
        return ", ".join(f"{v:g}" for v in values)
    return f"{values[0]:g} to {values[-1]:g} ({len(values)} different)"
