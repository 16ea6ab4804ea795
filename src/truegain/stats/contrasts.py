"""What is asked of several systems at once: scores, and differences of two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError, there_are
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.message import told_value

NONE = -1
BLOCK = 256  # contrasts looked at together


def place_of(name: str, systems: Sequence[str], role: str = "") -> int:
    """The number of a system; a name that none has is refused.

    >>> place_of("dense", ["bm25", "dense"])
    1
    """
    if name not in systems:
        raise TruegainError(
            f"there is no system {told_value('system', name, repr(name))}{role}; {there_are([name], systems)}"
        )
    return systems.index(name)


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Systems by number: `b` minus `a`, or `b` alone where a is -1.

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

    def some(self, first: int, end: int) -> Contrasts:
        """Those from one number up to another."""
        return Contrasts(self.a[first:end], self.b[first:end])

    def ends(self, of_systems: Floats) -> tuple[Floats, Floats]:
        """What the last axis, a number a system, says of b and of a: 0 where there is no a."""
        return of_systems[..., self.b], np.where(self.a == NONE, 0.0, of_systems[..., np.maximum(self.a, 0)])

    def values(self, of_systems: Floats) -> Floats:
        """What the last axis, a number a system, says of each."""
        return np.asarray(np.subtract(*self.ends(of_systems)))

    def moved(self, rows: Floats, least: float) -> Ints:
        """How many rows, a number a system each, move each contrast by more than this."""
        return self._over(rows, lambda moves: (np.abs(moves) > least).sum(axis=0)).astype(np.int64)

    def squares(self, rows: Floats) -> Floats:
        """The sum over rows, a number a system each, of the square of each contrast.

        Not c'(M'M)c: where two systems move together that leaves rounding of the size of their own moves.
        """
        return self._over(rows, lambda moves: (moves**2).sum(axis=0))

    def _over(self, rows: Floats, total: Callable[[Floats], npt.NDArray[Any]]) -> Floats:
        """A total over rows for each contrast, some contrasts at a time."""
        out = np.empty(len(self))
        for first in range(0, len(self), BLOCK):
            out[first : first + BLOCK] = total(self.some(first, first + BLOCK).values(rows))
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
