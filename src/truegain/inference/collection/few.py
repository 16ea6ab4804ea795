"""How sure a mean over topics is where a topic has few relevant documents: variances of topics put together.

A collection is one sample of documents, so the relevant ones of a topic are the units, and there may be one or two of
them: the bootstrap's variance is then half of the true one, and a normal quantile is too short.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from truegain.contrasts import NONE, Contrasts
from truegain.sampling.spread import TopicSpread
from truegain.student import check_confidence, p_values_of, quantiles_of, wilson
from truegain.tables.columns import Bools, Floats

Lone = Literal["own", "all", "near"]  # what a topic with one relevant document has in place of its own spread
FEW_TOPICS = 5  # below so many topics scores have Wilson's limits, and differences none
NEAR, LENDERS = 3, 3  # topics with up to so many relevant documents lend, or the nearest that make so many topics
FEW_RELEVANT = 6  # below this median of relevant documents a topic the papers' own intervals do not hold


class Pooled:
    """Variances of topics added up, topic by topic, for many systems or pairs at once.

    V = sum (own + others) ;  df = V^2 / (sum (c own)^2/(R + 1) + sum others^2/(R + 2)) - 2

    the degrees of freedom of a sum of variances with R - 1 and R each, the squares without their bias (Welch 1947,
    Biometrika 34).  A topic with one relevant document cannot tell how much these differ.  By `lone` it

    - "all": borrows s0^2 = sum (R - 1) R own / sum (R - 1) of all topics with two or more, where own falls as 1/R;
    - "near": borrows sum (R - 1) own / sum (R - 1) of those with two or three, or up to the least R that makes
      three topics, where a cutoff or a normalization ends the fall;
    - "own": has its own.

    L topics that borrow bring no estimate of their own: V is then sum (c own + others) over the others, c = 1 + L w /
    sum (R - 1) with w = R (R - 1) or R - 1 for topics that lend; else c = 1.

    >>> def of(lone):
    ...     pooled = Pooled(1, lone)
    ...     for relevant, own in ((3, 0.02), (1, 0.0)):
    ...         pooled.add(relevant, np.array([own]), np.zeros(1), np.ones(1, bool))
    ...     return [round(float(x[0]), 4) for x in pooled.total()]
    >>> of("all"), of("near")
    ([0.08, 2.0], [0.04, 2.0])
    """

    def __init__(self, size: int, lone: Lone = "all") -> None:
        self.lone = lone
        self.sum, self.weighted, self.weight, self.single, self.topics = np.zeros((5, size))
        self.squares = np.zeros((3, size))  # of V's parts: by powers of L / sum (R - 1)
        self.lenders: dict[int, Floats] = {}  # by R: topics, own, its square over the degrees of freedom

    def add(self, relevant: int, own: Floats, others: Floats, there: Bools) -> None:
        """One more topic; one without relevant documents counts as a topic and does not move."""
        self.topics += there
        if relevant == 0:
            return
        self.sum += np.where(there, others, 0.0)
        self.squares[0] += np.where(there, others**2 / (relevant + 2), 0.0)
        if relevant == 1 and self.lone != "own":
            self.single += there
            return
        self.sum += np.where(there, own, 0.0)
        square = np.where(there, own**2 / max(relevant + 1, 3), 0.0)
        if self.lone == "near":
            self.squares[0] += square
            held = self.lenders.setdefault(relevant, np.zeros((3, len(self.sum))))
            held += np.stack([there, np.where(there, own, 0.0), square])
            return
        self.weighted += np.where(there, (relevant - 1) * relevant * own, 0.0)
        self.weight += np.where(there, relevant - 1, 0)
        share = relevant * (relevant - 1)
        self.squares += np.array([1.0, 2.0 * share, share**2])[:, None] * square

    def total(self) -> tuple[Floats, Floats]:
        """V and its degrees of freedom; NaN where every topic has but one relevant document."""
        weight, weighted, squares = self._lent() if self.lone == "near" else (self.weight, self.weighted, self.squares)
        with np.errstate(invalid="ignore", divide="ignore"):
            lent = np.where(self.single > 0, self.single / weight, 0.0)
            variance = self.sum + np.where(self.single > 0, lent * weighted, 0.0)
            freedom = variance**2 / (squares[0] + lent * (squares[1] + lent * squares[2])) - 2
        return variance, np.where(variance > 0, freedom, np.inf)

    def _lent(self) -> tuple[Floats, Floats, Floats]:
        """The sums of R - 1 and of (R - 1) own over the topics that lend, and the squares of V's parts."""
        size, every = len(self.sum), sorted(self.lenders)
        held = np.array([self.lenders[r] for r in every]).reshape(-1, 3, size)
        relevant = np.array(every, np.float64)[:, None]
        before = np.cumsum(held[:, 0], axis=0) - held[:, 0]  # topics with fewer relevant documents
        freedom = np.where((relevant <= NEAR) | (before < LENDERS), relevant - 1, 0.0)
        near = held * freedom[:, None, :]
        more = np.stack([2 * near[:, 2], near[:, 2] * freedom]).sum(axis=1)
        return near[:, 0].sum(axis=0), near[:, 1].sum(axis=0), np.concatenate([self.squares[:1], more])


def pooled(spreads: Sequence[TopicSpread], asked: Contrasts, lone: Lone, paired: bool = True) -> Pooled:
    """The topics put together, for scores and differences of systems on the same collections (or on one each)."""
    found, score = Pooled(len(asked), lone), asked.a == NONE
    first, only = np.maximum(asked.a, 0), bool(score.all())
    for topic in spreads:
        alone = (x[asked.b] for x in topic.of_systems())
        if only:
            own, others = alone
        else:
            pair = topic.of_pairs(first, asked.b, paired)
            own, others = (np.where(score, x, y) for x, y in zip(alone, pair, strict=True))
        found.add(topic.relevant, own, others, topic.there[asked.b] & (score | topic.there[first]))
    return found


def share_limits(
    value: npt.ArrayLike, size: npt.ArrayLike, confidence: float = 0.95, student: bool = False
) -> tuple[Floats, Floats]:
    """Wilson's limits of a share seen in n units, with t of n degrees of freedom in place of z where asked for.

    >>> low, high = share_limits(0.35, 20)
    >>> print(f"{low:.4f} {high:.4f}")
    0.1812 0.5671
    """
    return wilson(value, size, quantiles_of(check_confidence(confidence), size if student else np.inf))


def mean_size(sizes: Floats) -> float:
    """The units a mean of T topics rests on: T^2 / sum(1/n), n those of each topic.

    >>> mean_size(np.array([2.0, 2.0, 1.0]))
    4.5
    """
    return float(len(sizes) ** 2 / (1 / sizes).sum())


def two_sided(difference: Floats, error: Floats, freedom: Floats) -> Floats:
    """The p of no difference by Student's t; 1 where nothing differs nor moves.

    NaN where it differs without moving, or how far it moves is not known (NaN).
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        p = p_values_of(difference / error, freedom)
    return np.where(error > 0, p, np.where((error == 0) & (difference == 0), 1.0, np.nan))
