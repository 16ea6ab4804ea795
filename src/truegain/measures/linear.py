"""A measure linear in gain, taken apart: what a rank counts, and what a label is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.errors import MeasureError
from truegain.measures.base import Measure
from truegain.tables.columns import Floats, frozen
from truegain.tables.ranked import RankedGains


@dataclass(frozen=True, eq=False)
class LinearParts:
    """score of a list = sum over its documents of weight[rank - 1] * worth(label).

    >>> from truegain.measures.parse import parse_measure
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
        inside = view.rank <= len(self.weight)
        system = view.list[inside] // max(1, len(view.topics))
        out[system, view.item[inside]] = self.weight[view.rank[inside] - 1]
        return out


def linear_parts(measure: Measure, labels: Floats, depth: int) -> LinearParts:
    """What the measure declares that each rank counts and each label is worth, relative to the first rank.

    A measure that is not linear in gain, or reads its scale off the labels, is refused.
    """
    known = np.unique(labels)
    rank_weights, worths = measure.rank_weights(depth), measure.worth(known)
    if not worths.any():
        raise MeasureError(f"{measure}: no label is worth anything (the highest is {known[-1]:g}); check the level")
    first = float(rank_weights[0])
    return LinearParts(measure, frozen(known), frozen(worths * first), frozen(rank_weights / first))
