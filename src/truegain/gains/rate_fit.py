"""Scores of all systems corrected by confusion matrices, prepared once and refitted for many rows of topic weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truegain.tables.columns import Floats, Ints


@dataclass(frozen=True, eq=False)
class RatePart:
    """A matrix and the topics of one system that it corrects.

    weight: topic x label, how much of the measure each bronze label carries, 0 on topics that are not its own; there:
    1 for each topic that the system answers; table: gold topic x gold x bronze label; at: the number of each gold
    topic among the topics scored, -1 where it is none of them and counts as it is.
    """

    system: int
    weight: Floats
    there: Floats
    table: Floats
    at: Ints


@dataclass(frozen=True, eq=False)
class RateFit:
    """`corrected_mean` of every system, as sums by topic.

    With w the weight of each topic, f the label weights, T the counts of the gold pairs and v the value of a label,

        value = sum over matrices of (sum of w f / sum of w) C^-1 v ,   C[g, b] = sum of w T[g, b] / sum of w T[g]

    >>> table = np.array([[[8.0, 2.0], [1.0, 9.0]], [[8.0, 2.0], [1.0, 9.0]]])
    >>> part = RatePart(0, np.full((2, 2), 0.5), np.ones(2), table, np.array([0, 1]))
    >>> RateFit((part,), np.array([0.0, 1.0]), 1).values(np.ones((1, 2))).round(4).tolist()
    [[0.4286]]
    """

    parts: Sequence[RatePart]
    value: Floats
    systems: int

    def values(self, weights: Floats) -> Floats:
        """The score of every system for every row of topic weights; NaN where a gold label is lost, or C singular."""
        out = np.zeros((len(weights), self.systems))
        for part in self.parts:
            gold = np.where(part.at >= 0, weights[:, part.at], 1.0)
            worth = worths(np.tensordot(gold, part.table, axes=1), self.value)
            with np.errstate(invalid="ignore"):
                out[:, part.system] += (weights @ part.weight * worth).sum(axis=1) / (weights @ part.there)
        return out


def worths(tables: Floats, value: Floats, most: float = 1e12) -> Floats:
    """Corrected gain of each bronze label, a = C^-1 v, for every row of counts; NaN where C has no sound inverse.

    most: the largest condition number of C.

    >>> tables = np.array([[[80.0, 20.0], [10.0, 90.0]], [[0.0, 0.0], [1.0, 2.0]]])
    >>> worths(tables, np.array([0.0, 1.0])).round(4).tolist()
    [[-0.2857, 1.1429], [nan, nan]]
    """
    totals = tables.sum(axis=2)
    sound = np.flatnonzero((totals > 0).all(axis=1))
    matrices = tables[sound] / totals[sound][:, :, None]
    kept = np.linalg.cond(matrices) < most
    right = np.broadcast_to(value[:, None], (int(kept.sum()), len(value), 1))
    out = np.full((len(tables), len(value)), np.nan)
    out[sound[kept]] = np.linalg.solve(matrices[kept], right)[..., 0]
    return out
