"""What scores stand on: labels as they are, or set right with gold ones; each tells how far its units move it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from truegain.contrasts import BLOCK, Contrasts
from truegain.gains.pair_fit import PairFit
from truegain.gains.topic_fit import TopicFit, tails
from truegain.moves import Moves, Spread
from truegain.sampling.gold import Gold
from truegain.sampling.topics import Topics
from truegain.tables.columns import Floats, Ints

LEAST_TOPICS = 3
LEAST_GOLD = 10  # gold labels that a score or a difference must stand on
TINY = 1e-15


class Evidence(Protocol):
    """Scores of all systems on one measure, and what they would be with other units of each kind."""

    @property
    def value(self) -> Floats:
        """The score of each system."""
        ...

    def over_topics(self, asked: Contrasts) -> Spread:
        """With other topics, and all that each topic holds."""
        ...

    def over_gold(self, asked: Contrasts) -> Spread | None:
        """With other gold labels, the topics held fixed; None where there are none."""
        ...

    def by_topic(self) -> Moves:
        """How far each topic moves the scores."""
        ...

    def by_gold(self) -> Moves | None:
        """How far each gold label moves the scores."""
        ...

    def touching(self, asked: Contrasts) -> Ints | None:
        """How many gold labels each contrast stands on; None where that is not known."""
        ...

    def near_bounds(self) -> tuple[Floats, tuple[float, float]] | None:
        """How many labels, or topics, each score stands on, and its bounds, where these need limits of their own."""
        ...

    def contributions(self) -> Floats:
        """Topic x system: what each topic brings to the scores, whose mean it is."""
        ...


@dataclass(frozen=True, eq=False)
class Plain:
    """Labels as they are: the score of a system is the mean over topics, a row a system."""

    scores: Floats
    topics: tuple[str, ...]

    @property
    def value(self) -> Floats:
        """The mean of each system."""
        return np.asarray(self.scores.mean(axis=1))

    def by_topic(self) -> Moves:
        """(x_t - mean)/sqrt(n (n - 1)): the paired t test of any contrast."""
        return Moves.left_out("topics", self.topics, Topics.means_without(self.scores).T)

    def over_topics(self, asked: Contrasts) -> Spread:
        """Student's t over topics."""
        return self.by_topic().spread(asked)

    def over_gold(self, asked: Contrasts) -> None:  # noqa: ARG002
        """There is no gold."""
        return

    def by_gold(self) -> None:
        """There is no gold."""
        return

    def touching(self, asked: Contrasts) -> None:  # noqa: ARG002
        """There is no gold."""
        return

    def near_bounds(self) -> None:
        """Student's t serves."""
        return

    def contributions(self) -> Floats:
        """The scores."""
        return self.scores.T


@dataclass(frozen=True, eq=False)
class ByGoldPairs:
    """Scores linear in gain, set right with gold labels of some pairs of the pool.

    A system without a gold label of its own has what its bronze labels are worth by those of others: calibration that
    is borrowed, with which nothing is claimed.
    """

    fit: PairFit
    topics: tuple[str, ...]
    gold: Gold

    NAME = "rectified by gold pairs, calibrated"

    @property
    def value(self) -> Floats:
        """The rectified score of each system."""
        return np.asarray(self.fit.values(np.ones((1, len(self.topics))), lacking=0.0)[0])

    def alone(self) -> ByGoldPairs:
        """The same by gold pairs alone."""
        return ByGoldPairs(self.fit.alone(), self.topics, self.gold)

    def by_topic(self) -> Moves:
        """Every topic left out once, the correction fitted again."""
        return Moves.left_out("topics", self.topics, self.fit.values(Topics(self.topics).left_out(), lacking=0.0))

    def by_gold(self) -> Moves:
        """Load times residual of each gold pair, times sqrt(1 - its chance to be drawn)."""
        matrix = self.fit.load * self.fit.residuals() * np.sqrt(self.fit.unseen)[:, None] / len(self.topics)
        return Moves("gold", self.gold.units, matrix, max(1.0, len(matrix) - 1.0))

    def over_gold(self, asked: Contrasts) -> Spread:
        """The moves of the gold pairs, no less than what the spread within bronze labels makes of so few."""
        n = self.touching(asked)
        seen = asked.squares(self.by_gold().matrix) * n / np.maximum(n - 1, 1)
        return Spread(np.maximum(seen, self._least(asked)), np.maximum(n - 1.0, 1.0))

    def over_topics(self, asked: Contrasts) -> Spread:
        """Over topics; where few gold pairs agree by chance, what chance must add is added.

        Degrees of freedom: T - 1, fewer where few topics carry the variance (2 T/(kurtosis - 1)).
        """
        moves = self.by_topic()
        pull = asked.values(moves.matrix)
        variance = (pull**2).sum(axis=0)
        gold = self.by_gold()
        seen = asked.squares(gold.matrix)
        variance_all = variance + np.maximum(0.0, self._least(asked) - seen)
        return Spread(variance_all, np.minimum(moves.df, tails(pull)))

    def touching(self, asked: Contrasts) -> Ints:
        """Gold pairs whose label moves each contrast."""
        return asked.moved(self.fit.load, TINY)

    def near_bounds(self) -> tuple[Floats, tuple[float, float]] | None:
        """The gold pairs behind each score."""
        if not np.isfinite(np.subtract(*self.fit.bounds)):
            return None
        return self.touching(Contrasts.scores(len(self.fit.whole))).astype(np.float64), self.fit.bounds

    def contributions(self) -> Floats:
        """What each topic brings."""
        return self.fit.by_topic()

    def _least(self, asked: Contrasts) -> Floats:
        out = np.empty(len(asked))
        for first in range(0, len(asked), BLOCK):
            out[first : first + BLOCK] = self.fit.by_chance(asked.some(first, first + BLOCK).values(self.fit.load))
        return out


@dataclass(frozen=True, eq=False)
class ByGoldTopics:
    """Scores of any measure, set right with topics that are gold-judged as a whole; one slope for all systems."""

    fit: TopicFit
    topics: tuple[str, ...]

    NAME = "rectified by gold topics"

    @property
    def value(self) -> Floats:
        """The rectified score of each system."""
        return np.asarray(self.fit.values(np.ones((1, len(self.topics))))[0])

    def alone(self) -> ByGoldTopics:
        """The same by gold topics alone."""
        return ByGoldTopics(self.fit.alone(), self.topics)

    def by_topic(self) -> Moves:
        """By its gold score, or by its bronze score among those without."""
        return Moves("topics", self.topics, self.fit.moves(), self.fit.n - 1.0)

    def by_gold(self) -> None:
        """Gold comes by topics: `by_topic` tells."""
        return

    def touching(self, asked: Contrasts) -> None:  # noqa: ARG002
        """Gold topics hold all labels."""
        return

    def near_bounds(self) -> tuple[Floats, tuple[float, float]] | None:
        """The gold topics behind each score."""
        if not (self.fit.share and np.isfinite(np.subtract(*self.fit.bounds))):
            return None
        return np.full(len(self.fit.bronze), float(self.fit.n)), self.fit.bounds

    def contributions(self) -> Floats:
        """What each topic brings."""
        return self.fit.by_topic()

    def over_topics(self, asked: Contrasts) -> Spread:
        """Gold part and bronze part, each with its degrees of freedom."""
        return Spread(*self.fit.over_topics(asked.values))

    def over_gold(self, asked: Contrasts) -> Spread | None:
        """These topics only."""
        return Spread(*self.fit.over_gold(asked.values)) if self.fit.share else None
