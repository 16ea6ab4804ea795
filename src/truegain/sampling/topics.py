"""Topics: few, so each is left out once; they hold what every topic has of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegain.io.columns import Floats
from truegain.sampling.source import SampledUnits, Source

TOPICS = Source(
    "topics",
    "topic",
    claim="for topics like these {n}",
    other="other topics",
    uncovered="other topics",
    cause="having few topics",
    shown="topics",
    within="topics",
    units="Topics",
    left_out=True,
)


@dataclass(frozen=True, eq=False)
class Topics(SampledUnits):
    """The topics that scores are means over.

    >>> Topics(("1", "2", "3")).left_out().tolist()
    [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """

    SOURCE: ClassVar[Source] = TOPICS

    def left_out(self) -> Floats:
        """Rows of topic weights: each topic left out once."""
        return 1.0 - np.eye(len(self))

    @staticmethod
    def means_without(scores: Floats) -> Floats:
        """What these weights make of means: rows are scores by topic, columns the mean without each topic in turn.

        (sum x - x_t) / (n - 1), n the scores that are there; NaN where the topic has none anyway.

        >>> Topics.means_without(np.array([[0.0, 1.0, 5.0]]))
        array([[3. , 2.5, 0.5]])
        """
        n = (~np.isnan(scores)).sum(axis=1, keepdims=True)
        return np.asarray((np.nansum(scores, axis=1, keepdims=True) - scores) / np.maximum(n - 1, 1))
