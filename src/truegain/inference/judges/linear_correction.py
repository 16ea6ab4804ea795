"""Corrected means of measures linear in gain: value, variance over topics and gold pairs, degrees of freedom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from truegain.errors import TruegainError
from truegain.gains.confusion import Confusion
from truegain.gains.graded import corrected_mean, worths
from truegain.inference.judges.gold_influence import GoldInfluence, gold_influence, positions
from truegain.inference.judges.intervals import LARGEST_SPOILT, Draws
from truegain.sampling.bootstrap import bootstrap_weights
from truegain.sampling.streams import generator
from truegain.student import satterthwaite
from truegain.tables.columns import Bools, Floats, Ints

LARGEST_CONDITION = 30.0  # of a draw's matrix; beyond it an error of 1% in C moves the draw by a third


@dataclass(frozen=True, eq=False)
class TopicMatrix:
    """A judge and the topics it labelled: `mask` among the topics scored; and its gold pairs, where they are known.

    pairs: a number that names each pair, the row and the column of its labels in the matrix, and its weight.
    """

    confusion: Confusion
    mask: Bools
    pairs: tuple[Ints, Ints, Ints, Floats] | None = None


@dataclass(frozen=True, eq=False)
class LinearEstimate:
    """A corrected mean, and how far each topic and the gold pairs move it."""

    value: float
    topics: tuple[str, ...]
    moves: Floats  # by topic scored
    gold: GoldInfluence
    joined: bool  # whether equal names of topics mean the same topic

    def less(self, other: LinearEstimate) -> LinearEstimate:
        """The difference of two means over the same topics, the moves of both going together."""
        assert self.topics == other.topics
        value, moves = self.value - other.value, self.moves - other.moves
        return LinearEstimate(value, self.topics, moves, self.gold.less(other.gold), self.joined)

    def variance(self, *, over_topics: bool = True) -> tuple[float, float]:
        """Variance of the mean and its degrees of freedom.

        With topics as clusters a topic that is scored and holds gold pairs counts once, with both of its moves.
        """
        n, m = len(self.moves), len(self.gold.topics)
        of_topics = float(self.moves @ self.moves) * n / (n - 1)
        if not over_topics or m == 0:
            of_pairs = float(self.gold.of_pairs().sum())
            return of_topics + of_pairs, satterthwaite([(of_topics, n - 1.0), (of_pairs, math.inf)])
        of_gold, parts = self.gold.over_topics()
        both = 0.0
        if self.joined:
            at, by_topic = positions(self.gold.topics, self.topics), self.gold.moves.sum(axis=1)
            both = float(self.moves[at[at >= 0]] @ by_topic[at >= 0]) * math.sqrt(n / (n - 1) * m / (m - 1))
        # a covariance estimated from few topics must not eat the variance up
        variance = max(of_topics + of_gold + 2 * both, 0.25 * max(of_topics, of_gold))
        return variance, satterthwaite([(of_topics, n - 1.0), *parts])


def correct_linear(
    weight: Floats, topics: Sequence[str], matrices: Sequence[TopicMatrix], value: Floats, *, joined: bool = True
) -> LinearEstimate:
    """Correct the mean over topics of weight[t] . value, each topic with its judge's accuracy.

    With a = C^-1 v and p = C^-T f, f the mean weight of each label: a topic moves the mean by
    (weight[t] . a - mean) / n, a gold pair (g, b) by -p_g (a_b - v_g) / n_g; gold moves are summed by topic.

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 25 and section 3.9; the variance is the sandwich of these influences.
    """
    n = len(weight)
    if n < 2:
        raise TruegainError(f"there is {n} topic; an interval over topics needs at least 2")
    scores = np.empty(n)
    parts: list[GoldInfluence] = []
    for i, matrix in enumerate(matrices):
        part = corrected_mean(matrix.confusion, weight[matrix.mask].sum(axis=0) / n, value)
        scores[matrix.mask] = weight[matrix.mask] @ part.worth
        parts.append(gold_influence(part, matrix.pairs, judge=i, joined=joined))
    mean = float(scores.mean())
    gold = reduce(GoldInfluence.beside, parts)
    return LinearEstimate(mean, tuple(topics), (scores - mean) / n, gold, joined)


def bootstrap_linear(
    weight: Floats,
    topics: Sequence[str],
    confusion: Confusion,
    value: Floats,
    *,
    trials: int,
    seed: int,
    joined: bool = True,
) -> Draws:
    """Resample topics with replacement, the gold pairs going with their topics, and correct again each time.

    Draws whose C* is singular or ill-conditioned are set aside and counted; refused where there are too many.
    (The paper says without replacement, which would draw the same sample every time.)

    Goldberg et al. 2018, ACM TOIS 36(4), end of section 4.2.
    """
    rng, n, m = generator(seed, "topics"), len(weight), len(confusion.table)
    copies = bootstrap_weights(n, trials, rng)
    at = positions(confusion.topics, topics) if joined and confusion.clustered else np.full(m, -1)
    gold = np.empty((trials, m))
    gold[:, at >= 0] = copies[:, at[at >= 0]]
    alone = int(np.count_nonzero(at < 0))
    if alone:
        gold[:, at < 0] = bootstrap_weights(alone, trials, rng)
    worth = worths(np.tensordot(gold, confusion.table, axes=1), value, LARGEST_CONDITION)
    kept = ~np.isnan(worth).any(axis=1)
    spoilt = trials - int(kept.sum())
    if spoilt > LARGEST_SPOILT * trials:
        raise TruegainError(
            f"{spoilt} of {trials} bootstrap draws have a confusion matrix that cannot be inverted soundly, so there "
            "is no answer: judge more gold pairs of the rare labels, merge labels, or use a binary measure"
        )
    return Draws((copies[kept] @ weight / n * worth[kept]).sum(axis=1), spoilt)
