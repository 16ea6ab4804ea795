"""What scores stand on: labels as they are, or set right with gold ones; each tells how far its units move it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from truegain.contrasts import BLOCK, Contrasts
from truegain.gains.pair_fit import PairFit
from truegain.gains.rectify import LEAST_TO_TUNE
from truegain.inference.judges.sources import GoldTopics
from truegain.moves import Moves, Spread
from truegain.sampling.gold import Gold
from truegain.sampling.topics import Topics
from truegain.tables.columns import Bools, Floats, Ints

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

    @property
    def value(self) -> Floats:
        """The rectified score of each system."""
        return np.asarray(self.fit.values(np.ones((1, len(self.topics))), lacking=0.0)[0])

    def by_topic(self) -> Moves:
        """Every topic left out once, the correction fitted again."""
        return Moves.left_out("topics", self.topics, self.fit.values(Topics(self.topics).left_out(), lacking=0.0))

    def by_gold(self) -> Moves:
        """Load times residual of each gold pair, times sqrt(1 - its chance to be drawn)."""
        matrix = self.fit.load * self.fit.residuals() * np.sqrt(self.gold.open)[:, None] / len(self.topics)
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
        out = np.empty(len(asked), np.int64)
        for first in range(0, len(asked), BLOCK):
            some = Contrasts(asked.a[first : first + BLOCK], asked.b[first : first + BLOCK])
            out[first : first + BLOCK] = (np.abs(some.values(self.fit.load)) > TINY).sum(axis=0)
        return out

    def contributions(self) -> Floats:
        """What each topic brings."""
        return self.fit.by_topic()

    def _least(self, asked: Contrasts) -> Floats:
        out = np.empty(len(asked))
        for first in range(0, len(asked), BLOCK):
            some = Contrasts(asked.a[first : first + BLOCK], asked.b[first : first + BLOCK])
            out[first : first + BLOCK] = self.fit.by_chance(some.values(self.fit.load))
        return out


def tails(pull: Floats) -> Floats:
    """Degrees of freedom of variances made of these moves, a column each: 2 n/(kurtosis - 1), at least 1."""
    n, square = len(pull), (pull**2).sum(axis=0)
    kurtosis = n * (pull**4).sum(axis=0) / np.maximum(square**2, TINY**2)
    return np.asarray(np.maximum(1.0, 2 * n / np.maximum(kurtosis - 1, TINY)))


@dataclass(frozen=True, eq=False)
class ByGoldTopics:
    """Scores of any measure, set right with topics that are gold-judged as a whole; one slope for all systems.

    The forms are those of `rectify_topics`; from 20 gold topics on the slope of gold on bronze scores is that of all
    systems together, so that a difference is exactly that of the two scores.
    """

    source: GoldTopics
    topics: tuple[str, ...]
    has: Bools

    @property
    def n(self) -> int:
        """Topics with gold scores."""
        return int(self.has.sum())

    @property
    def share(self) -> float:
        """Of the topics without."""
        return 1 - self.n / len(self.topics)

    @property
    def tuned(self) -> bool:
        """Whether the slope is fitted, rather than 1 or 0."""
        return self.n >= LEAST_TO_TUNE and self.source.helps and self.share > 0

    @property
    def slope(self) -> float:
        """How much of the bronze scores is used."""
        if self.tuned:
            return self.source.slope
        return float(self.source.helps)

    @property
    def _parts(self) -> tuple[Floats, Floats, Floats]:
        """Gold scores and bronze ones of the gold topics, bronze ones of all: system x topic."""
        return self.source.gold[:, self.has], self.source.bronze[:, self.has], self.source.bronze

    @property
    def value(self) -> Floats:
        """mean(y) + lambda k (mean f of the others - mean f of the gold topics)."""
        y, f, all_f = self._parts
        if not self.share:
            return np.asarray(y.mean(axis=1))
        others = all_f[:, ~self.has]
        return np.asarray(y.mean(axis=1) + self.slope * self.share * (others.mean(axis=1) - f.mean(axis=1)))

    def _gold_rows(self) -> Floats:
        """Gold topic x system: moves of the gold topics."""
        y, f, all_f = self._parts
        n = self.n
        if not self.tuned:
            z = (y - self.slope * self.share * f).T
            return np.asarray((z - z.mean(axis=0)) / np.sqrt(n * (n - 1)))
        gap = (all_f[:, ~self.has].mean(axis=1) - f.mean(axis=1))[None, :]
        x, v = (f - f.mean(axis=1, keepdims=True)).T, (y - y.mean(axis=1, keepdims=True)).T
        lost = n / (n - 1)
        slope = ((x * v).sum() - lost * (x * v).sum(axis=1)) / ((x * x).sum() - lost * (x * x).sum(axis=1))
        without = y.mean(axis=1) - v / (n - 1) + self.share * slope[:, None] * (gap + x / (n - 1))
        return np.asarray(np.sqrt((n - 1) / n) * (without.mean(axis=0) - without))

    def by_topic(self) -> Moves:
        """Both moves of every topic: by its gold score, and by its bronze score among all."""
        _, _, all_f = self._parts
        matrix = np.zeros((len(self.topics), len(all_f)))
        matrix[self.has] = self._gold_rows()
        if self.share:
            others = all_f[:, ~self.has].T
            u = len(others)
            if u > 1:
                matrix[~self.has] += self.slope * self.share * (others - others.mean(axis=0)) / np.sqrt(u * (u - 1))
        return Moves("topics", self.topics, matrix, self.n - 1.0)

    def by_gold(self) -> None:
        """Gold comes by topics: `by_topic` tells."""
        return

    def touching(self, asked: Contrasts) -> None:  # noqa: ARG002
        """Gold topics hold all labels."""
        return

    def contributions(self) -> Floats:
        """N/n (y - lambda k f) of a gold topic, N/u lambda k f of another."""
        y, f, all_f = self._parts
        total, used = len(self.topics), self.slope * self.share
        out = used * all_f.T * total / max(total - self.n, 1)
        out[self.has] = ((y - used * f) * total / self.n).T
        return np.asarray(out)

    def over_topics(self, asked: Contrasts) -> Spread:
        """Gold part and bronze part, each with its degrees of freedom."""
        y, _, all_f = self._parts
        n, total = self.n, len(self.topics)
        of_bronze, of_gold = (asked.variances(x) for x in (all_f, y))
        if not self.share:
            return Spread(of_gold / n, np.full(len(asked), n - 1.0))
        if self.slope == 0:
            if n >= LEAST_TO_TUNE:
                pull = asked.values((y - y.mean(axis=1, keepdims=True)).T)
                return Spread(of_gold / n, np.minimum(n - 1.0, tails(pull)))
            larger = np.maximum(of_bronze, of_gold)
            return Spread(((n - 1) * of_gold + 2 * larger) / (n + 1) / n, np.full(len(asked), n + 1.0))
        pull = asked.values(self._gold_rows())
        gold = (pull**2).sum(axis=0)
        gold = gold + np.where(gold < TINY, of_bronze / (n * (n + 1)), 0.0)
        df_gold = np.minimum(n - 2.0, tails(pull)) if self.tuned else np.full(len(asked), n - 1.0)
        bronze = (self.slope * self.share) ** 2 * of_bronze / (total - n)
        variance = gold + bronze
        below = gold**2 / df_gold + bronze**2 / (total - 1)
        return Spread(variance, np.divide(variance**2, below, out=np.full(len(asked), np.inf), where=below > 0))

    def over_gold(self, asked: Contrasts) -> Spread | None:
        """These topics only: ((n - 1) s2(y - f) + max(s2(f), s2(y)))/n (1/n - 1/N), t(n - 1); without bronze f is 0.

        Without bronze two topics' worth is borrowed, as over topics.
        """
        if not self.share:
            return None
        y, f, all_f = self._parts
        n = self.n
        of_bronze, of_gold = (asked.variances(x) for x in (all_f, y))
        residual = asked.variances(y - (self.slope > 0) * f)
        larger = np.maximum(of_bronze, of_gold)
        open_ = 1 / n - 1 / len(self.topics)
        if self.slope == 0:
            return Spread(((n - 1) * of_gold + 2 * larger) / (n + 1) * open_, np.full(len(asked), n + 1.0))
        return Spread(((n - 1) * residual + larger) / n * open_, np.full(len(asked), n - 1.0))
