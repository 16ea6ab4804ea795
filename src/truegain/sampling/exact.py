"""Sums of drawn values without rounding, which have no order: the same bits from any processor and division of work.

A product of matrices adds in an order that depends on the processor, on its shape and on where its operands lie in
memory.  Where every partial sum is exact, order does not matter: values are cut in two parts, each of so few bits that
no sum of as many of them as are drawn needs more than the 53 of a double.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.tables.columns import Floats

DIGITS = 53  # bits of a double


@dataclass(frozen=True, eq=False)
class ExactRows:
    """Rows of values in two parts, coarse and fine; sums of up to so many values of a row as was said are exact."""

    coarse: Floats
    fine: Floats

    @classmethod
    def of(cls, rows: Floats, total: int) -> ExactRows:
        """Rows cut for sums of at most so many values, a value that is drawn twice counted twice.

        What the two parts of a value leave out is below 2^-53 of the largest of its row for sums of up to 2^26 values,
        and far below for sums of few.

        >>> ExactRows.of(np.array([[0.1, 0.2, -0.3]]), 3).sums(np.array([[1.0, 1.0, 1.0], [3.0, 0.0, 0.0]])).tolist()
        [[2.7755575615628914e-17], [0.30000000000000004]]
        """
        bits = DIGITS - max(total - 1, 1).bit_length()
        coarse = _on_grid(rows, bits)
        return cls(coarse, _on_grid(rows - coarse, bits))

    def __len__(self) -> int:
        return len(self.coarse)

    @property
    def columns(self) -> int:
        """How many values a row has."""
        return int(self.coarse.shape[1])

    def sums(self, counts: Floats) -> Floats:
        """Sum of counts x values for each row of counts (whole numbers, `total` in all at most) and each row of values.

        Both parts are exact, and the sum of both is rounded once.
        """
        found = counts @ self.coarse.T
        found += counts @ self.fine.T
        return np.asarray(found)


def _on_grid(rows: Floats, bits: int) -> Floats:
    """Values rounded to `bits` binary places of the largest power of two in their row."""
    most = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    places = bits - np.frexp(most)[1]
    return np.asarray(np.ldexp(np.rint(np.ldexp(rows, places)), -places))
