"""How sure a mean over topics is where a topic has few relevant documents: variances of topics put together.

A collection is one sample of documents, so the relevant ones of a topic are the units, and there may be one or two of
them: the bootstrap's variance is then half of the true one, and a normal quantile is too short.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from truegain.sampling.spread import TopicSpread
from truegain.student import check_confidence, p_values_of, quantiles_of, wilson
from truegain.tables.columns import Bools, Floats

FEW_TOPICS = 5  # below so many topics scores have Wilson's limits, and differences none
FEW_RELEVANT = 6  # below this median of relevant documents a topic the papers' own intervals do not hold


class Pooled:
    """Variances of topics added up, topic by topic, for many systems or pairs at once.

    V = sum (own + others) ;  df = V^2 / (sum (c own)^2/(R + 1) + sum others^2/(R + 2)) - 2

    the degrees of freedom of a sum of variances with R - 1 and R each, the squares without their bias (Welch 1947,
    Biometrika 34).  A topic with one relevant document cannot tell how much these differ: with `lone` it gets
    own = s0^2 = sum (R - 1) R own / sum (R - 1) over the topics with two or more.  L such topics bring no estimate of
    their own: V is then sum (c own + others) over the others, c = 1 + L R (R - 1) / sum (R - 1); else c = 1.

    >>> pooled = Pooled(1)
    >>> for relevant, own in ((3, 0.02), (1, 0.0)):
    ...     pooled.add(relevant, np.array([own]), np.zeros(1), np.ones(1, bool))
    >>> [round(float(x[0]), 4) for x in pooled.total()]
    [0.08, 2.0]
    """

    def __init__(self, size: int, lone: bool = True) -> None:
        self.lone = lone
        self.sum, self.weighted, self.weight, self.single, self.topics = np.zeros((5, size))
        self.squares = np.zeros((3, size))  # of V's parts: by powers of L / sum (R - 1)

    def add(self, relevant: int, own: Floats, others: Floats, there: Bools) -> None:
        """One more topic; one without relevant documents counts as a topic and does not move."""
        self.topics += there
        if relevant == 0:
            return
        self.sum += np.where(there, others, 0.0)
        self.squares[0] += np.where(there, others**2 / (relevant + 2), 0.0)
        if relevant == 1 and self.lone:
            self.single += there
            return
        self.sum += np.where(there, own, 0.0)
        self.weighted += np.where(there, (relevant - 1) * relevant * own, 0.0)
        self.weight += np.where(there, relevant - 1, 0)
        square, share = np.where(there, own**2 / max(relevant + 1, 3), 0.0), relevant * (relevant - 1)
        self.squares += np.array([1.0, 2.0 * share, share**2])[:, None] * square

    def total(self) -> tuple[Floats, Floats]:
        """V and its degrees of freedom; NaN where every topic has but one relevant document."""
        with np.errstate(invalid="ignore", divide="ignore"):
            lent = np.where(self.single > 0, self.single / self.weight, 0.0)
            variance = self.sum + np.where(self.single > 0, lent * self.weighted, 0.0)
            freedom = variance**2 / (self.squares[0] + lent * (self.squares[1] + lent * self.squares[2])) - 2
        return variance, np.where(variance > 0, freedom, np.inf)


def pooled(spreads: list[TopicSpread], lone: bool) -> Pooled:
    """The topics of all systems put together."""
    found = Pooled(len(spreads[0].there), lone)
    for spread in spreads:
        found.add(spread.relevant, *spread.of_systems(), spread.there)
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
