"""Scores corrected with a judge's confusion matrix, as evidence of a study."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.contrasts import NONE, Contrasts
from truegain.inference.judges.linear_correction import LinearEstimate
from truegain.moves import Moves, Spread
from truegain.student import satterthwaite
from truegain.tables.columns import Floats


@dataclass(frozen=True, eq=False)
class ByRates:
    """Scores linear in gain, behind each label what the judge's confusion matrix says; gold by-gold or elsewhere."""

    estimates: list[LinearEstimate]
    topics: tuple[str, ...]

    @property
    def joined(self) -> bool:
        """Whether gold is of the scored topics."""
        return self.estimates[0].joined

    @property
    def value(self) -> Floats:
        """The corrected score of each system."""
        return np.array([e.value for e in self.estimates])

    def _of(self, a: int, b: int) -> LinearEstimate:
        return self.estimates[b] if a == NONE else self.estimates[b].less(self.estimates[a])

    def by_topic(self) -> Moves:
        """How far each scored topic moves the scores, the judge's rates as they are."""
        n = len(self.topics)
        matrix = np.array([e.moves for e in self.estimates]).T * np.sqrt(n / (n - 1))
        return Moves("topics", self.topics, matrix, n - 1.0)

    def by_gold(self) -> Moves | None:
        """How far the gold pairs of each gold topic move the scores."""
        names = self.estimates[0].gold.topics
        if len(names) < 2 or any(e.gold.topics != names for e in self.estimates):
            return None
        m = len(names)
        matrix = np.array([e.gold.moves.sum(axis=1) for e in self.estimates]).T * np.sqrt(m / (m - 1))
        apart = not self.estimates[0].joined  # the judge's number then stands before the topic
        units = tuple(f"those of topic {name.partition(' ')[2] if apart else name}" for name in names)
        return Moves("gold", units, matrix, m - 1.0)

    def touching(self, asked: Contrasts) -> None:  # noqa: ARG002
        """Rates stand on all gold pairs."""
        return

    def contributions(self) -> Floats:
        """Corrected scores of the topics."""
        return np.array([e.value + e.moves * len(self.topics) for e in self.estimates]).T

    def over_topics(self, asked: Contrasts) -> Spread:
        """Topics and the gold behind the rates: together where they are the same topics, else added."""
        found = [self._of(a, b).variance() for a, b in zip(asked.a.tolist(), asked.b.tolist(), strict=True)]
        return Spread(np.array([v for v, _ in found]), np.array([df for _, df in found]))

    def over_gold(self, asked: Contrasts) -> Spread:
        """The gold behind the rates alone."""
        variance, df = np.empty((2, len(asked)))
        for i, (a, b) in enumerate(zip(asked.a.tolist(), asked.b.tolist(), strict=True)):
            one = self._of(a, b).gold
            if len(one.topics) < 2:
                variance[i], df[i] = float(one.of_pairs().sum()), np.inf
            else:
                variance[i], parts = one.over_topics()
                df[i] = satterthwaite(parts)
        return Spread(variance, df)
