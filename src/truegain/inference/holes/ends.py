"""The lowest and the highest score of a system by itself, over all labels of the unjudged documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truegain.inference.holes.extremes import extremes_of
from truegain.inference.holes.filled import Filled
from truegain.measures.ap import AP
from truegain.measures.base import Measure
from truegain.tables.columns import Floats, Ints


def ends_of(filled: Filled, measure: Measure, systems: Sequence[int]) -> tuple[Floats, Floats]:
    """Lowest and highest of some systems, system by topic; of measures that have extremes, and AP."""
    topics, within = len(filled.ranked.topics), measure.within(filled.ranked.rank)
    ends = np.zeros((2, len(systems), topics))
    known = None if isinstance(measure, AP) else extremes_of(filled, measure)
    for t in range(topics):
        topic = filled.topic(t, within)
        for i, s in enumerate(systems):
            alone = topic.of_systems(np.array([s]))
            if known is not None:
                far = known.greatest(alone, np.ones(2))
                ends[:, i, t] = 0.0 - far[1, 0], far[0, 1]
                continue
            assert isinstance(measure, AP)
            gain = filled.ranked.item_gain
            found = alone.judged.rank[gain[alone.judged.item] >= measure.rel]
            relevant = int((gain[alone.judged_items] >= measure.rel).sum())
            most = measure.cutoff if measure.norm == "min" else None
            ends[:, i, t] = ends_of_ap(found, alone.holes.rank, relevant, alone.count, most)
    return ends[0], ends[1]


def ends_of_ap(found: Ints, holes: Ints, relevant: int, unjudged: int, most: int | None = None) -> tuple[float, float]:
    """Lowest and highest AP of a list with relevant documents and holes at these ranks.

    relevant, unjudged: how many the topic has in all.  most: the largest denominator.  For every number of relevant
    holes AP is highest where these are the uppermost of the list, and lowest where they are in no list, or else the
    lowermost: each rank that a relevant document rises adds to its own precision, and to no other takes away.

    >>> ends_of_ap(np.array([2]), np.array([1]), 1, 1)
    (0.5, 1.0)
    >>> ends_of_ap(np.array([1]), np.array([2]), 1, 2)  # the other one is not in the list
    (0.5, 1.0)
    """
    found, holes = np.sort(found), np.sort(holes)
    above = np.searchsorted(found, holes)
    inverse = np.append(np.cumsum((1 / found)[::-1])[::-1], 0.0)
    alone = (above + 1) / holes + inverse[above]  # what each adds by itself
    base, n = float((np.arange(1, len(found) + 1) / found).sum()), len(holes)
    high = base + np.concatenate([[0.0], np.cumsum(alone + np.arange(n) / holes)])
    below = np.cumsum((1 / holes)[::-1]) - (1 / holes)[::-1]
    low = base + np.concatenate([np.zeros(max(unjudged - n, 0) + 1), np.cumsum(alone[::-1] + below)])
    ends = []
    for total in (low, high):
        of = relevant + np.arange(len(total))
        ends.append(total / np.maximum(of if most is None else np.minimum(of, most), 1))
    return float(ends[0].min()), float(ends[1].max())
