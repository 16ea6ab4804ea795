"""Scores and differences of several systems at once, their limits, and how far each unit of a source moves them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.errors import no_system
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.stats.student_t import quantiles_of

NONE = -1
BLOCK = 256  # contrasts looked at together


def place_of(name: str, systems: Sequence[str], argument: str = "") -> int:
    """The number of a system; a name that none has is refused, with the argument that gives it.

    >>> place_of("dense", ["bm25", "dense"])
    1
    """
    if name not in systems:
        raise no_system(argument, [name], systems)
    return systems.index(name)


@dataclass(frozen=True, eq=False)
class Contrasts:
    """What is asked of systems, by their numbers: the difference `b` - `a`, or the score of `b` where `a` is -1.

    >>> contrasts = Contrasts.of([(0, 1), (None, 1)])
    >>> contrasts.values(np.array([0.2, 0.5])).tolist()
    [0.3, 0.5]
    """

    a: Ints
    b: Ints

    def __len__(self) -> int:
        return len(self.b)

    @classmethod
    def of(cls, pairs: Sequence[tuple[int | None, int]]) -> Contrasts:
        """Pairs (a, b), a None for a score."""
        a = np.array([NONE if first is None else first for first, _ in pairs], np.int64)
        return cls(frozen(a), frozen(np.array([second for _, second in pairs], np.int64)))

    @classmethod
    def scores(cls, systems: int) -> Contrasts:
        """The score of every system."""
        return cls(frozen(np.full(systems, NONE, np.int64)), frozen(np.arange(systems)))

    @classmethod
    def all_pairs(cls, systems: int) -> Contrasts:
        """Every pair of systems once, the later minus the earlier."""
        a, b = np.triu_indices(systems, 1)
        return cls(frozen(a.astype(np.int64)), frozen(b.astype(np.int64)))

    def part(self, first: int, end: int) -> Contrasts:
        """The contrasts with the numbers first, ..., end - 1."""
        return Contrasts(self.a[first:end], self.b[first:end])

    def ends(self, of_systems: Floats) -> tuple[Floats, Floats]:
        """The values of b and of a from those of all systems, along the last axis; 0 where there is no a."""
        return of_systems[..., self.b], np.where(self.a == NONE, 0.0, of_systems[..., np.maximum(self.a, 0)])

    def values(self, of_systems: Floats) -> Floats:
        """The value of each contrast from those of all systems, along the last axis."""
        return np.asarray(np.subtract(*self.ends(of_systems)))

    def moved(self, rows: Floats, least: float) -> Ints:
        """How many rows move each contrast by more than `least`; a row has a value for each system."""
        return self._over(rows, lambda moves: (np.abs(moves) > least).sum(axis=0)).astype(np.int64)

    def squares(self, rows: Floats) -> Floats:
        """The sum over rows of the square of each contrast; a row has a value for each system.

        Not c'(M'M)c: where two systems move together that leaves rounding of the size of their own moves.
        """
        return self._over(rows, lambda moves: (moves**2).sum(axis=0))

    def _over(self, rows: Floats, total: Callable[[Floats], npt.NDArray[Any]]) -> Floats:
        """A total over rows for each contrast, some contrasts at a time."""
        out = np.empty(len(self))
        for first in range(0, len(self), BLOCK):
            out[first : first + BLOCK] = total(self.part(first, first + BLOCK).values(rows))
        return out


def tiers_of(ahead: Bools, known: Bools | None = None) -> tuple[Ints, list[int]]:
    """The tier of each system, from 1, and the head of each tier; systems are best first by score.

    A tier holds its head and all left that are not significantly worse than that one.  The head is the first one left
    that none of those left is ahead of: differences need not be those of the scores.

    Parameters
    ----------
    ahead : ndarray of bool
        Whether system i is significantly better than j.
    known : ndarray of bool, optional
        Systems of which pairs can be told: others are heads only where there is no choice.

    Returns
    -------
    tier : ndarray of int
        By system.
    heads : list of int
        By tier.

    Examples
    --------
    >>> tier, heads = tiers_of(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], bool))
    >>> tier.tolist(), heads
    ([1, 1, 2], [0, 2])
    """
    n = len(ahead)
    known = np.ones(n, np.bool_) if known is None else known
    tier, left, heads = np.zeros(n, np.int64), np.ones(n, np.bool_), list[int]()
    while left.any():
        free = left & ~(ahead & left[:, None]).any(axis=0)
        heads.append(int(np.argmax(next(some for some in (free & known, left & known, left) if some.any()))))
        here = left & ~ahead[heads[-1]]
        tier[here], left = len(heads), left & ~here
    return tier, heads


# ---- Variances of contrasts, their limits, and how far each unit of a source moves each system's score.


@dataclass(frozen=True, eq=False)
class Variance:
    """The variance of each contrast over a source, and its degrees of freedom."""

    value: Floats
    df: Floats

    def or_wider(self, other: Variance, confidence: float) -> Variance:
        """For each contrast the one whose limits are further apart."""
        mine, theirs = (quantiles_of(confidence, s.df) * np.sqrt(s.value) for s in (self, other))
        wider = theirs > mine
        return Variance(np.where(wider, other.value, self.value), np.where(wider, other.df, self.df))


def limits(value: Floats, variance: Variance, confidence: float) -> tuple[Floats, Floats]:
    """Value +- t(df) sqrt V."""
    half = quantiles_of(confidence, variance.df) * np.sqrt(variance.value)
    return value - half, value + half


def holding(value: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Limits no narrower than the value that they are of: quantiles of draws may miss it, and so may rounding.

    >>> [float(end) for end in holding(0.6, 0.636, 0.833)]
    [0.6, 0.833]
    """
    at, least, most = (np.asarray(x, np.float64) for x in (value, low, high))
    return np.where(at < least, at, least), np.where(at > most, at, most)


def within(
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    bounds: tuple[float, float],
    *,
    value: npt.ArrayLike = math.nan,
    differences: bool = False,
) -> tuple[Floats, Floats]:
    """Limits cut at what a measure can be, but not of the value itself; differences at what two values can be apart.

    >>> [float(end) for end in within(-0.1, 1.2, (0, 1))]
    [0.0, 1.0]
    >>> [float(end) for end in within(-0.1, 1.2, (0, 1), differences=True)]
    [-0.1, 1.0]
    """
    least, greatest = bounds
    if differences:
        least, greatest = least - greatest, greatest - least
    cut = (np.clip(np.asarray(end, np.float64), least, greatest) for end in (low, high))
    return holding(value, *cut)


def summed(parts: Sequence[Variance]) -> Variance:
    """Independent variances together: df = (sum V)^2 / sum (V^2 / df)."""
    total = np.sum([p.value for p in parts], axis=0)
    below = np.sum([p.value**2 / p.df for p in parts], axis=0)
    df = np.divide(total**2, below, out=np.full(np.shape(total), np.inf), where=below > 0)
    return Variance(np.asarray(total, np.float64), df)


@dataclass(frozen=True, eq=False)
class Influence:
    """How far each unit of a source moves each score: a matrix M with a row for each unit, a column for each system.

    M'M is the covariance of the scores over the source.

    >>> moves = Influence.left_out("topics", ("1", "2", "3"), np.array([[0.5, 0.5], [0.4, 0.6], [0.6, 0.4]]))
    >>> (moves.matrix.T @ moves.matrix).round(4).tolist()
    [[0.0133, -0.0133], [-0.0133, 0.0133]]
    """

    source: str
    units: Sequence[str]
    matrix: Floats
    df: float
    without: Floats | None = None  # the scores without each unit, where all was fitted again

    @classmethod
    def left_out(cls, source: str, units: Sequence[str], without: Floats, df: float | None = None) -> Influence:
        """From the scores without each unit, everything refitted: M = sqrt((n - 1)/n) (mean - scores without it).

        Efron and Stein 1981, Annals of Statistics 9(3).
        """
        n = len(units)
        matrix = np.sqrt((n - 1) / n) * (without.mean(axis=0) - without)
        return cls(source, units, frozen(matrix), n - 1.0 if df is None else df, frozen(without))

    def variance(self, contrasts: Contrasts) -> Variance:
        """Variances of contrasts."""
        return Variance(contrasts.squares(self.matrix), np.full(len(contrasts), self.df))

    def of(self, contrasts: Contrasts) -> Influence:
        """Influence on contrasts, a column each."""
        without = None if self.without is None else contrasts.values(self.without)
        return Influence(self.source, self.units, contrasts.values(self.matrix), self.df, without)

    def most_influential(self, contrasts: Contrasts, most: int = 5) -> list[tuple[str, float]]:
        """The units that move the first contrast most, with how far, and which way, they pull it from its mean."""
        pull, order = self._influential_units(contrasts, most)
        return [(self.units[i], float(pull[i])) for i in order]

    def left_without(self, contrasts: Contrasts, most: int = 5) -> list[float | None]:
        """What the first contrast would be without each of these units; None where that was not fitted again."""
        _, order = self._influential_units(contrasts, most)
        left = None if self.without is None else contrasts.values(self.without)[:, 0]
        return [None if left is None else float(left[i]) for i in order]

    def _influential_units(self, contrasts: Contrasts, most: int) -> tuple[Floats, list[int]]:
        """How far each unit moves the first contrast, and the numbers of those that move it most.

        Of units that move it alike the first comes first, whatever the last digit is on this processor.
        """
        pull = contrasts.values(self.matrix)[:, 0]
        far = np.abs(pull)
        largest = np.argsort(-np.round(far / max(float(far.max(initial=0.0)), 1e-300), 9), kind="stable")[:most]
        return pull, [i for i in largest.tolist() if pull[i] != 0]
