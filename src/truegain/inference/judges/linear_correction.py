"""Corrected means of measures linear in gain: value, variance over topics and gold pairs, degrees of freedom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truegain.errors import TruegainError
from truegain.gains.confusion import LARGEST_CONDITION, Confusion
from truegain.gains.graded import corrected_mean
from truegain.inference.judges.intervals import LARGEST_SPOILT, Draws
from truegain.inference.judges.student import satterthwaite
from truegain.tables.columns import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Side:
    """A judge and the topics it labelled: `mask` among the topics scored."""

    confusion: Confusion
    mask: Bools


@dataclass(frozen=True, eq=False)
class LinearEstimate:
    """A corrected mean, and how far each topic and the gold pairs of each gold topic move it."""

    value: float
    topics: tuple[str, ...]
    moves: Floats  # by topic scored
    gold_topics: tuple[str, ...]
    gold_moves: Floats  # by topic of the gold pairs
    gold_independent: float  # variance from gold pairs where these, not topics, are independent
    joined: bool  # whether equal names of topics mean the same topic

    def less(self, other: LinearEstimate) -> LinearEstimate:
        """The difference of two means over the same topics, the moves of both going together."""
        assert self.topics == other.topics
        names = tuple(dict.fromkeys((*self.gold_topics, *other.gold_topics)))
        gold = np.zeros(len(names))
        gold[positions(self.gold_topics, names)] += self.gold_moves
        gold[positions(other.gold_topics, names)] -= other.gold_moves
        both = self.gold_independent + other.gold_independent
        value, moves = self.value - other.value, self.moves - other.moves
        return LinearEstimate(value, self.topics, moves, names, gold, both, self.joined)

    def variance(self, *, over_topics: bool = True) -> tuple[float, float]:
        """Variance of the mean and its degrees of freedom.

        With topics as clusters a topic that is scored and holds gold pairs counts once, with both of its moves.
        """
        n, m = len(self.moves), len(self.gold_moves)
        of_topics = float(self.moves @ self.moves) * n / (n - 1)
        if not over_topics or m == 0:
            parts = [(of_topics, n - 1.0), (self.gold_independent, math.inf)]
            return of_topics + self.gold_independent, satterthwaite(parts)
        if m < 2:
            raise TruegainError(
                f"the gold pairs come from {m} topic; 2 are needed (clusters='none' takes pairs as independent)"
            )
        of_gold = float(self.gold_moves @ self.gold_moves) * m / (m - 1)
        both = 0.0
        if self.joined:
            at = positions(self.gold_topics, self.topics)
            both = float(self.moves[at[at >= 0]] @ self.gold_moves[at >= 0]) * math.sqrt(n / (n - 1) * m / (m - 1))
        # a covariance estimated from few topics must not eat the variance up
        variance = max(of_topics + of_gold + 2 * both, 0.25 * max(of_topics, of_gold))
        return variance, satterthwaite([(of_topics, n - 1.0), (of_gold, m - 1.0)])


def correct_linear(
    weight: Floats, topics: Sequence[str], sides: Sequence[Side], value: Floats, *, joined: bool = True
) -> LinearEstimate:
    """Correct the mean over topics of weight[t] . value, each topic with its judge's accuracy.

    With a = C^-1 v and p = C^-T f, f the mean weight of each label: a topic moves the mean by
    (weight[t] . a - mean) / n, a gold pair (g, b) by -p_g (a_b - v_g) / n_g; gold moves are summed by topic.

    Goldberg et al. 2018, ACM TOIS 36(4), eq. 25 and section 3.9; the variance is the sandwich of these influences.
    """
    n = len(weight)
    if n < 2:
        raise TruegainError(f"there is {n} topic; an interval over topics needs at least 2")
    scores, independent = np.empty(n), 0.0
    names: list[str] = []
    moves: list[Floats] = []
    for i, side in enumerate(sides):
        part = corrected_mean(side.confusion, weight[side.mask].sum(axis=0) / n, value)
        scores[side.mask] = weight[side.mask] @ part.worth
        independent += part.gold_variance_independent()
        if side.confusion.clustered:
            names += [t if joined else f"{i} {t}" for t in side.confusion.topics]
            moves.append(part.gold_influence())
    gold = np.concatenate(moves) if moves else np.zeros(0)
    mean = float(scores.mean())
    return LinearEstimate(mean, tuple(topics), (scores - mean) / n, tuple(names), gold, independent, joined)


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
    rng, n, m = np.random.default_rng(np.random.SeedSequence(seed)), len(weight), len(confusion.table)
    copies = rng.multinomial(n, np.full(n, 1 / n), trials).astype(np.float64)
    at = positions(confusion.topics, topics) if joined and confusion.clustered else np.full(m, -1)
    gold = np.empty((trials, m))
    gold[:, at >= 0] = copies[:, at[at >= 0]]
    alone = int(np.count_nonzero(at < 0))
    if alone:
        gold[:, at < 0] = rng.multinomial(alone, np.full(alone, 1 / alone), trials)
    tables = np.tensordot(gold, confusion.table, axes=1)
    totals = tables.sum(axis=2)
    sound = (totals > 0).all(axis=1)
    matrices = tables[sound] / totals[sound][:, :, None]
    kept = np.linalg.cond(matrices) < LARGEST_CONDITION
    spoilt = trials - int(kept.sum())
    if spoilt > LARGEST_SPOILT * trials:
        raise TruegainError(
            f"{spoilt} of {trials} bootstrap draws have a confusion matrix that cannot be inverted soundly, so there "
            "is no answer: judge more gold pairs of the rare labels, merge labels, or use a binary measure"
        )
    right = np.broadcast_to(value[:, None], (int(kept.sum()), len(value), 1))
    worth = np.linalg.solve(matrices[kept], right)[..., 0]
    means = copies[sound][kept] @ weight / n
    return Draws((means * worth).sum(axis=1), spoilt)


def positions(names: Sequence[str], among: Sequence[str]) -> Ints:
    """Where each name stands among others, -1 where it does not."""
    where = {name: i for i, name in enumerate(among)}
    return np.array([where.get(name, -1) for name in names], np.int64)
