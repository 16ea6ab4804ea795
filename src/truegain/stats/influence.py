"""How far each unit of a source moves each system's score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truegain.io.columns import Floats, frozen
from truegain.stats.contrasts import Contrasts
from truegain.stats.student_t import quantiles_of


@dataclass(frozen=True, eq=False)
class Variance:
    """The variance of each contrast over a source, and its degrees of freedom."""

    value: Floats
    df: Floats

    def some(self, first: int, end: int) -> Variance:
        """Of the contrasts from one number up to another."""
        return Variance(self.value[first:end], self.df[first:end])

    def or_wider(self, other: Variance, confidence: float) -> Variance:
        """For each contrast the one whose limits are further apart."""
        mine, theirs = (quantiles_of(confidence, s.df) * np.sqrt(s.value) for s in (self, other))
        wider = theirs > mine
        return Variance(np.where(wider, other.value, self.value), np.where(wider, other.df, self.df))


def limits(value: Floats, variance: Variance, confidence: float) -> tuple[Floats, Floats]:
    """Value +- t(df) sqrt V."""
    half = quantiles_of(confidence, variance.df) * np.sqrt(variance.value)
    return value - half, value + half


def summed(parts: Sequence[Variance]) -> Variance:
    """Independent variances together: df = (sum V)^2 / sum (V^2 / df)."""
    total = np.sum([p.value for p in parts], axis=0)
    below = np.sum([p.value**2 / p.df for p in parts], axis=0)
    df = np.divide(total**2, below, out=np.full(np.shape(total), np.inf), where=below > 0)
    return Variance(np.asarray(total, np.float64), df)


@dataclass(frozen=True, eq=False)
class Influence:
    """A row a unit, a column a system: M'M is the covariance of the scores over the source.

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
