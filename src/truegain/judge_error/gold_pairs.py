"""Gold pairs: documents that both judges have labeled, and whether their labels are on one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from truegain.config import OutOfRange
from truegain.data.judgments import Judgments
from truegain.data.pool import Pool
from truegain.errors import InputError, TruegainError, some, warn
from truegain.io.columns import Bools, Coded, Floats, Ints, frozen
from truegain.message import arg, argname, declared_scale
from truegain.sampling.catalogue import design_of

# ---- Are the labels of both judges on one scale? Labels off it, and labels that only one of the judges uses.

NOT_JUDGED = -1.0
MOST_OFF_SCALE = 0.05  # share of the bronze labels up to which those that gold never uses are slips of the judge
LUCK = 1e-3  # chance from which on labels that are lacking are no sign of another scale
TWO_SCALES = "these seem to be two scales"  # of values of answers
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


def scale_of(text: str | Sequence[float] | None, *, of_values: bool = False) -> tuple[float, ...] | None:
    """The labels that there are: '0:3' for 0, 1, 2, 3, or a list of them.

    of_values: these are values of answers, which may lie below 0; a label of a document there is not judged.

    >>> scale_of("0:3"), scale_of("0,1,2.5")
    ((0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 2.5))
    """
    if text is None:
        return None
    wrong = TruegainError(f"{argname('scale', text)}: give the labels in use, as 0:3 or 0,1,2,3")
    if not isinstance(text, str):
        try:
            labels = tuple(float(x) for x in text)
        except (TypeError, ValueError):
            raise wrong from None
    else:
        parts = text.split(":") if ":" in text else text.split(",")
        try:
            labels = tuple(float(part) for part in parts)
        except ValueError:
            raise wrong from None
        if ":" in text:
            if len(labels) != 2 or any(x % 1 != 0 for x in labels) or not 0 < labels[1] - labels[0] < MOST_LABELS:
                raise wrong
            labels = tuple(float(x) for x in range(int(labels[0]), int(labels[1]) + 1))
    least = -math.inf if of_values else 0.0
    if len(set(labels)) < 2 or not np.isfinite(labels).all() or min(labels) < least:
        finite = "finite ones" if of_values else "none below 0 (not judged)"
        raise TruegainError(f"{argname('scale', text)}: at least two different labels are needed, {finite}")
    return tuple(sorted(set(labels)))


def ends_of(scale: str | Sequence[float] | None, *, of_values: bool = False) -> tuple[float, float] | None:
    """The lowest and the highest label that there are; values of answers may lie below 0.

    >>> ends_of("0:3"), ends_of((0, 1)), ends_of("-2:2", of_values=True)
    ((0.0, 3.0), (0.0, 1.0), (-2.0, 2.0))
    """
    values = scale_of(scale, of_values=of_values)
    return None if values is None else (min(values), max(values))


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
    off = ~np.isin(table.label, np.asarray(scale, np.float64)) & (table.label >= 0)
    if not off.any():
        return table
    values, counts = np.unique(table.label[off], return_counts=True)
    listed = some([_times(v, n) for v, n in zip(values, counts, strict=True)], MOST_LISTED)
    problem = f"{int(off.sum())} of {len(table)} labels are not on the scale {', '.join(f'{s:g}' for s in scale)}"
    if out_of_range == "error":
        raise InputError(
            f"{problem}: {listed}; the first is here",
            **table.where(int(np.flatnonzero(off)[0])),
            hint="correct or remove them, widen the scale, or count them as not judged "
            f"({arg('out_of_range', 'drop')})",
        )
    warn(f"{table.source}: {problem} and count as not judged: {listed}")
    return replace(table, label=frozen(np.where(off, NOT_JUDGED, table.label)))


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
            f"{sum(self.counts)} of {self.total} bronze labels never occur in the gold labels: "
            f"{some(each, MOST_LISTED)}; such as {'; '.join(self.examples)}"
        )


def tell_scales(off_scale: OffScaleLabels, pool: Pool, gold: Floats, *, levels_given: bool | None) -> None:
    """Warn of a few labels off gold's scale, or of two scales where nobody said which labels are relevant on each.

    levels_given: whether the smallest relevant gold label was given apart; None where it is not known.
    """
    if off_scale.labels and off_scale.share <= MOST_OFF_SCALE:
        warn(
            f"{off_scale}. If they are slips, declare the labels in use ({arg('scale', '0:3')}, and "
            f"{arg('out_of_range', 'drop')})"
        )
        return
    if levels_given is not False:
        return
    bronze = pool.labels[pool.labels >= 0]
    if not len(bronze) or not _other_scale(bronze, gold, times=1.5):
        return
    warn(
        f"the two judges seem to use different scales: bronze labels are {_range(bronze)}, gold labels "
        f"{_range(gold)}; the same label counts as relevant on both: give the smallest relevant gold label "
        f"({arg('gold_relevant_from')}){declared_scale(', or declare the labels in use ({})')}"
    )


def _other_scale(bronze: Floats, gold: Floats, times: float) -> bool:
    """Whether one is whole numbers and the other not, or one reaches so many times as high."""
    whole = [bool((x == np.round(x)).all()) for x in (bronze, gold)]
    low, high = sorted((float(bronze.max()), float(gold.max())))
    return whole[0] != whole[1] or (low > 0 and high >= times * low)


def different_scales(bronze: Floats, gold: Floats) -> str | None:
    """Both ranges in words, where as gains the labels of one judge would count at least twice the other's; else None.

    >>> different_scales(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0]))
    'bronze labels are 0, 1, 2, 3, gold labels 0, 1'
    """
    if not _other_scale(bronze, gold, times=2):
        return None
    return f"bronze labels are {_range(bronze)}, gold labels {_range(gold)}"


def different_value_scales(pairs: Pairs, turned: bool = False) -> str:
    """Why values of answers seem to be of two scales, people's and the judge's; empty where they do not.

    People's scale counts, whatever the judge's values predict on it.  turned: whether values count negative, as less is
    better; they are told as they were given.
    """
    bronze, gold = np.array([*pairs.share]), pairs.gold
    low, high = sorted((float(np.abs(bronze).max()), float(np.abs(gold).max())))
    farther = 0 < 2 * low <= high and not may_be_chance(pairs)
    below = _only_one_below_0(bronze, gold) and not may_be_chance(pairs, below=True)
    if not (farther or below) or _says_one_value_within(bronze, gold):
        return ""
    theirs, ours = ([0.0 - x.max(), 0.0 - x.min()] if turned else [x.min(), x.max()] for x in (bronze, gold))
    return (
        f"the judge's values are {theirs[0]:g} to {theirs[1]:g}, people's {ours[0]:g} to {ours[1]:g}: "
        f"{TWO_SCALES}; corrected scores are on people's scale, and the judge's mean errors mean little"
    )


def _only_one_below_0(bronze: Floats, gold: Floats) -> bool:
    """Whether the values of one reach below 0, at least half as far as the other's reach above it, which stay there.

    >>> _only_one_below_0(np.array([0.0, 1.0]), np.array([-1.0, 1.0]))
    True
    >>> _only_one_below_0(np.array([-0.1, 1.0]), np.array([0.0, 1.0]))  # as similarities do
    False
    """
    one, other = sorted((bronze, gold), key=lambda values: float(values.min()))
    return bool(other.min() >= 0 and 0 < other.max() <= -2 * one.min())


def _says_one_value_within(bronze: Floats, gold: Floats) -> bool:
    """Whether one gives a single value, which lies among the other's: that shows no scale."""
    return any(a.min() == a.max() and b.min() <= a.min() <= b.max() for a, b in ((bronze, gold), (gold, bronze)))


def may_be_chance(pairs: Pairs, *, below: bool = False) -> bool:
    """Whether so few gold labels may well lack the higher labels of bronze: with a chance of 1 in 1,000 or more.

    below: the lower ones instead.
    """
    sign = -1.0 if below else 1.0
    most = float((sign * pairs.gold).max())
    there = sum(share for label, share in pairs.share.items() if sign * label <= most)
    return max(sign * label for label in pairs.share) > most and there ** len(pairs.gold) >= LUCK


def _range(labels: Floats) -> str:
    values = np.unique(labels)
    if len(values) <= 6:
        return ", ".join(f"{v:g}" for v in values)
    return f"{values[0]:g} to {values[-1]:g} ({len(values)} different)"


# ---- Gold pairs: documents that both the bronze and the gold judge have labeled, with the topic they belong to.

Unmatched = Literal["refuse", "drop"]
UNMATCHED = f"{arg('unmatched', 'drop')} leaves them out"
PERFECT = 50  # gold pairs, from which on a judge without an error is suspicious


@dataclass(frozen=True, eq=False)
class Pairs:
    """One row a pair: topic, bronze label, gold label, weight; and what was noticed while pairing.

    `share` is the share of each bronze label among all bronze labels, `unmatched` the gold pairs without a bronze
    label that were left out, `unjudged` the pairs left out because a label is negative (pooled, not judged),
    `off_scale` the bronze labels that gold never uses, where nobody said that they are on the scale.
    """

    topics: tuple[str, ...]
    topic: Ints
    bronze: Floats
    gold: Floats
    weight: Floats
    share: dict[float, float]
    unmatched: int = 0
    unjudged: int = 0
    pool: Pool | None = None  # of the bronze labels
    item: Ints | None = None  # of each pair, into that pool
    weighted: bool = False  # whether the weights were given, rather than told by how gold was drawn
    off_scale: OffScaleLabels | None = None
    scale: tuple[float, ...] | None = None  # the labels there are, where they were given

    def __len__(self) -> int:
        return len(self.topic)

    def only(self, keep: Bools) -> Pairs:
        """Some of the pairs."""
        return replace(
            self,
            topic=frozen(self.topic[keep]),
            bronze=frozen(self.bronze[keep]),
            gold=frozen(self.gold[keep]),
            weight=frozen(self.weight[keep]),
            item=None if self.item is None else frozen(self.item[keep]),
        )

    def items_in(self, pool: Pool) -> Ints:
        """The item of each pair in another pool, -1 where it has none."""
        if self.pool is None or self.item is None:
            raise TruegainError("these pairs do not name their documents; give gold labels by topic and document")
        at: Ints = pool.find(Coded(self.pool.topics, self.pool.topic), self.pool.docs).astype(np.int64)
        return at[self.item]

    def as_drawn(self, design: str, source: str) -> Pairs:
        """The pairs, each weighing what the design says; `source` is where they were read."""
        assert self.pool is not None
        judged, place = _judged(self.pool), np.zeros(len(self.pool), np.int64)
        place[self.item] = 1
        drawn, place = place > 0, np.cumsum(place) - 1
        try:
            weight = design_of(design).weights(self.pool.topic[judged], self.pool.labels[judged], drawn[judged])
        except InputError as error:
            raise InputError(error.problem, file=source, hint=error.hint) from None
        return replace(self, weight=frozen(weight[place[self.item]]))


def pair_up(
    bronze: object,
    gold: object,
    *,
    weights: npt.ArrayLike | None = None,
    scale: Sequence[float] | None = None,
    unmatched: Unmatched = "refuse",
    levels_given: bool | None = None,
) -> Pairs:
    """Find the bronze label of every gold pair.

    `scale` lists the labels there are; others are refused.  Without it a few bronze labels beyond all gold ones are
    told, and so are two different scales where `levels_given` is False: relevance begins at the same label on both.

    `weights` (one a gold row) say how much a pair counts; without them all count alike.

    >>> pairs = pair_up({"1": {"a": 1, "b": 0, "c": 1}}, {"1": {"a": 1, "b": 1}})
    >>> pairs.bronze.tolist(), pairs.gold.tolist()
    ([1.0, 0.0], [1.0, 1.0])
    """
    bronze_table, gold_table = Judgments.of(bronze), Judgments.of(gold, "gold")
    cheap, trusted = Pool.of(bronze_table), Pool.of(gold_table)
    for table in (bronze_table, gold_table):
        on_scale(table, scale)  # others are refused
    gold_label = trusted.labels
    of_answers = bronze_table.are_gains and gold_table.are_gains  # values, which may lie below 0 and have no levels
    weight = _weights(weights, trusted)
    place = cheap.find(Coded(trusted.topics, trusted.topic), trusted.docs)
    lost = np.flatnonzero((place < 0) & _judged(trusted))
    if len(lost) and unmatched != "drop":
        raise _without_bronze(trusted, lost, bronze_table.source, gold_table.source)
    bronze_label = np.where(place >= 0, cheap.labels[place], -1.0)
    keep = (place >= 0) & (of_answers | ((bronze_label >= 0) & (gold_label >= 0)))
    unjudged = int(np.count_nonzero((place >= 0) & ~keep))
    if not of_answers:
        _tell_unjudged(gold_label, bronze_label, place >= 0)
    if not keep.any():
        raise InputError(
            "no gold pair has a bronze label", file=gold_table.source, hint="check that the two files belong together"
        )
    off_scale = None
    if scale is None and not of_answers:
        off_scale = OffScaleLabels.of(cheap, gold_label[keep])
        tell_scales(off_scale, cheap, gold_label[keep], levels_given=levels_given)
    _tell_copied(bronze_label[keep], gold_label[keep])
    judged = cheap.labels[_judged(cheap)]
    values, counts = np.unique(judged, return_counts=True)
    share = dict(zip(values.tolist(), (counts / counts.sum()).tolist(), strict=True))
    return Pairs(
        trusted.topics,
        frozen(trusted.topic[keep].astype(np.int64)),
        frozen(bronze_label[keep]),
        frozen(gold_label[keep]),
        frozen(weight[keep]),
        share,
        unmatched=len(lost),
        unjudged=unjudged,
        pool=cheap,
        item=frozen(place[keep].astype(np.int64)),
        weighted=weights is not None,
        off_scale=off_scale if off_scale is not None and off_scale.labels else None,
        scale=None if scale is None else tuple(float(x) for x in scale),
    )


def _judged(pool: Pool) -> Bools:
    """Which items have a label: one below 0 is none, unless labels are values."""
    return np.asarray((pool.labels >= 0) | pool.judgments.are_gains)


def _tell_unjudged(gold: Floats, bronze: Floats, both: Bools) -> None:
    """Labels below 0 mean pooled, not judged; a gold pair that has one is no pair."""
    for kind, below in (("gold", gold < 0), ("bronze", both & (bronze < 0) & (gold >= 0))):
        if n := int(np.count_nonzero(below)):
            warn(f"{n} of {len(gold)} gold pairs have a {kind} label below 0 (not judged) and are left out")


def _tell_copied(bronze: Floats, gold: Floats) -> None:
    """A judge without a single error is more often a file given twice."""
    if len(gold) >= PERFECT and len(np.unique(gold)) > 1 and bool((bronze == gold).all()):
        warn(
            f"all {len(gold)} gold pairs have exactly the bronze label: are the gold labels a copy of the bronze "
            "labels? If not, this judge makes no errors, and there is nothing to correct"
        )


def _weights(weights: npt.ArrayLike | None, trusted: Pool) -> Floats:
    if weights is None:
        return np.ones(len(trusted))
    values = np.asarray(weights, np.float64)
    if values.shape != (len(trusted.row_item),):
        raise TruegainError(
            f"weights has {values.shape} values; give one for each of the {len(trusted.row_item)} pairs"
        )
    if not (np.isfinite(values).all() and (values >= 0).all() and values.any()):
        raise TruegainError("weights must be finite and not negative, and not all 0")
    out = np.empty(len(trusted))
    out[trusted.row_item] = values
    return out


def _without_bronze(trusted: Pool, lost: Ints, bronze: str, gold: str) -> InputError:
    names = [f"topic {trusted.topics[trusted.topic[i]]} document {trusted.docs[int(i)]}" for i in lost[:3]]
    more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
    return InputError(
        f"{len(lost)} of {len(trusted)} gold pairs have no bronze label in {bronze} ({'; '.join(names)}{more})",
        file=gold,
        hint=f"label them with the bronze judge; if it skips pairs regardless of relevance, {UNMATCHED}",
    )
