"""Measures linear in gain, what stands in for another, and how much of a measure each label carries.

Corrections need it to put another value behind every label.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.data.pool import RankedGains
from truegain.errors import MeasureError, warn
from truegain.io.columns import Floats, Ints, frozen
from truegain.measures.base import Binary, Measure
from truegain.measures.catalogue import parse_measure
from truegain.measures.dcg import nDCG
from truegain.measures.scoring import refuse_chosen
from truegain.message import by_surface, gold_drawn

# ---- A measure linear in gain, taken apart: what a rank counts, and what a label is worth.


@dataclass(frozen=True, eq=False)
class LinearParts:
    """score of a list = sum over its documents of weight[rank - 1] * worth(label).

    >>> from truegain.measures.catalogue import parse_measure
    >>> parts = linear_parts(parse_measure("DCG(dcg='exp-log2')@2"), np.array([0.0, 1.0, 2.0]), 3)
    >>> parts.weight.round(4), parts.worth(np.array([2.0, 0.0, 1.0]))
    (array([1.    , 0.6309, 0.    ]), array([3., 0., 1.]))
    """

    measure: Measure
    labels: Floats
    worths: Floats
    weight: Floats

    def worth(self, labels: Floats) -> Floats:
        """What labels are worth at the first rank."""
        at = np.searchsorted(self.labels, labels)
        return self.worths[at]

    def view(self, ranked: RankedGains) -> RankedGains:
        """The lists as the measure sees them."""
        return ranked.condensed if getattr(self.measure, "judged_only", False) else ranked

    def coefficients(self, ranked: RankedGains) -> Floats:
        """System by item of the pool: what a worth of 1 adds to the score of the system, 0 where not retrieved."""
        view = self.view(ranked)
        out = np.zeros((len(view.systems), len(view.pool)))
        system = view.list // max(1, len(view.topics))
        out[system, view.item] = self.of_entries(view)
        return out

    def of_entries(self, view: RankedGains) -> Floats:
        """What each document of each list counts: by its rank, unless the measure has weights of its own."""
        own = self.measure.entry_weights(view)
        if own is not None:
            return np.nan_to_num(own)
        inside = view.rank <= len(self.weight)
        return np.where(inside, self.weight[np.where(inside, view.rank, 1) - 1], 0.0)


def linear_parts(measure: Measure, labels: Floats, depth: int) -> LinearParts:
    """What the measure declares that each rank counts and each label is worth, relative to the first rank.

    A measure that is not linear in gain, or reads its scale off the labels, is refused.
    """
    distinct = np.unique(labels)
    rank_weights, worths = measure.rank_weights(depth), measure.worth(distinct)
    if not worths.any():
        raise MeasureError(
            f"{measure}: no label has a gain (the highest is {distinct[-1]:g}); check which labels are relevant"
        )
    first = float(rank_weights[0])
    return LinearParts(measure, frozen(distinct), frozen(worths * first), frozen(rank_weights / first))


# ---- What measure labels can correct: one linear in gain, or what stands in for it.

DRAW_TOPICS = by_surface("draw='topics' of tg.sample_gold", "`truegain plan labels --draw topics` draws these")


def refuse_not_linear(measure: Measure) -> None:
    """Refuse a measure that scattered gold labels cannot correct."""
    if not measure.linear_in_gains:
        raise MeasureError(
            f"{measure} cannot be corrected from scattered gold labels, because it is not linear in gain; use P, CG, "
            f"DCG, RBP or SDCG, or label whole topics ({gold_drawn('topics')})"
        )


def refuse_without_stand_in(measure: Measure) -> None:
    """Refuse a measure that is not linear in gain, and for which no other stands in."""
    if not (measure.linear_in_gains or isinstance(measure, nDCG)):
        raise MeasureError(
            f"{measure} cannot be corrected from scattered gold labels, because it is not linear in gain; use P, "
            f"DCG, nDCG or RBP, or label whole topics ({DRAW_TOPICS})"
        )


def check_linear(measure: Measure) -> None:
    """Refuse a measure for which inverting a confusion matrix is not valid."""
    if not measure.linear_in_gains:
        raise MeasureError(
            f"{measure} is not linear in the labels, so inverting a confusion matrix cannot correct it; use P@k, "
            "CG@k, DCG@k, SDCG@k or RBP, or label whole topics (design 'topics')"
        )


@dataclass(frozen=True)
class StandIn:
    """A measure linear in gain, and the constant it is divided by; for nDCG, DCG over the mean of the best ones."""

    measure: Measure
    constant: float = 1.0
    note: str = ""

    @property
    def name(self) -> str:
        """How it is called in answers, such as DCG@10/11.25; empty for the measure itself."""
        return f"{self.measure}/{self.constant:.4g}" if self.note else ""

    @classmethod
    def of(cls, measure: Measure, ranked: RankedGains) -> StandIn:
        """The measure itself where it is linear in gain; others but nDCG are refused."""
        if measure.linear_in_gains:
            return cls(measure)
        refuse_without_stand_in(measure)
        assert isinstance(measure, nDCG)
        plain, constant = measure.over_one_ideal(ranked)
        return cls(plain, constant, (
            f"{measure} is replaced by {plain} divided by {constant:.4g}, the mean ideal {plain} by the bronze labels: "
            "scattered gold labels cannot correct nDCG itself."
        ))  # fmt: skip

    def parts(self, labels: Floats, ranked: RankedGains) -> LinearParts:
        """What ranks count and labels are worth."""
        return linear_parts(self.measure, labels, int(ranked.rank.max(initial=1)))

    def weights(self, parts: LinearParts, ranked: RankedGains) -> Floats:
        """System x pair of the pool: what a labeled pair counts in the score."""
        return np.asarray(parts.coefficients(ranked) * ranked.item_judged / self.constant)


# ---- How much of a measure each label carries: what is needed to put another value behind every label.

MOST_CLASSES = 12
LEAST_SHOWN = 0.0005  # a share that is shown as 0.0% is not worth a warning


@dataclass(frozen=True, eq=False)
class LabelWeights:
    """For every system, topic and class of label the sum of the rank weights of the documents with that label.

    A measure linear in gain is the sum over classes of weight * value.  NaN where a system lacks a topic; an unjudged
    document is in no class and counts 0, as in the measure.
    """

    classes: tuple[float, ...]
    value: Floats  # of each class, by the measure
    weight: Floats  # system x topic x class
    judged: Ints  # judged documents per system that the measure looks at
    system: Ints  # of each such document
    item: Ints  # its item in the pool
    counts: Floats  # and what its rank counts


def level_of(measure: Measure) -> float | None:
    """The smallest relevant label of a measure that asks for nothing else; None for graded ones."""
    level = getattr(measure, "rel", None)
    if level is None:
        return 1.0 if isinstance(measure, Binary) else None
    return float(level)


def levels_of(measure: object, gold_relevant_from: float | None) -> tuple[float, float]:
    """The smallest relevant bronze and gold label for a measure.

    >>> levels_of("P(rel=2)@10", None)
    (2.0, 2.0)
    """
    level = level_of(parse_measure(measure)) or 1.0  # type: ignore[arg-type]
    return level, level if gold_relevant_from is None else gold_relevant_from


def tell_unjudged(ranked: RankedGains, measure: Measure) -> None:
    """Warn of retrieved documents without a bronze label: they count as non-relevant, which no correction mends.

    Where the labeled ones were chosen to tell systems apart, refuse.
    """
    refuse_chosen(ranked, measure)
    if getattr(measure, "judged_only", False):
        return
    weight = _rank_weights(ranked, measure)
    looked = float(np.concatenate([[0.0], np.cumsum(weight)])[np.minimum(ranked.depth, len(weight))].sum())
    entries = ranked.rank[ranked.judged & (ranked.rank <= len(weight))]
    share = 1 - float(weight[entries - 1].sum()) / looked if looked else 0.0
    if share >= LEAST_SHOWN:
        warn(
            f"{measure}: {share:.1%} of what it counts has no bronze label and is treated as not relevant, which no "
            "correction can fix: label these documents, or leave them out of the lists (judged_only=True as a "
            "parameter of the measure)"
        )


def _rank_weights(ranked: RankedGains, measure: Measure) -> Floats:
    """What a document at each rank counts; every one the same, down to its cutoff, where the measure is not linear."""
    depth = max(int(ranked.depth.max(initial=1)), int(ranked.rank.max(initial=1)))
    if measure.linear_in_gains:
        labels = np.concatenate([ranked.item_gain, [max(1.0, level_of(measure) or 1.0)]])
        return np.abs(linear_parts(measure, labels, depth).weight)
    return np.ones(min(depth, getattr(measure, "cutoff", None) or 0))


def label_weights(
    ranked: RankedGains, measure: Measure, classes: tuple[float, ...], *, level: float | None = None
) -> LabelWeights:
    """Weights of the classes of bronze labels, or of 0 and 1 cut at a bronze level."""
    check_linear(measure)
    label = ranked.item_gain
    if level is None and len(classes) > MOST_CLASSES:
        raise MeasureError(
            f"{len(classes)} different labels: a graded measure needs a few classes; round the labels first"
        )
    labels = np.array([*classes, level or 0.0])
    parts = linear_parts(measure, np.concatenate([label, labels]), int(ranked.rank.max(initial=1)))
    view = parts.view(ranked)
    gain, weight = view.gain, parts.of_entries(view)
    keep = np.flatnonzero(view.judged & (weight != 0))
    shown = (0.0, 1.0) if level is not None else classes
    code = (gain[keep] >= level) * 1 if level is not None else np.searchsorted(classes, gain[keep])
    cell = view.list[keep] * len(shown) + code
    sums = np.bincount(cell, weight[keep], minlength=view.lists * len(shown)).astype(np.float64)
    matrix = np.where(view.present[:, None], sums.reshape(-1, len(shown)), np.nan)
    value = parts.worth(np.array(classes))
    if level is not None:
        value = np.array([0.0, float(parts.worth(labels[-1:])[0])])
    system = view.list[keep] // len(view.topics)
    judged = np.bincount(system, minlength=len(view.systems)).astype(np.int64)
    shape = (len(view.systems), len(view.topics), len(shown))
    return LabelWeights(
        shown, frozen(value), frozen(matrix.reshape(shape)), frozen(judged), frozen(system),
        frozen(view.item[keep].astype(np.int64)), frozen(weight[keep]),
    )  # fmt: skip
