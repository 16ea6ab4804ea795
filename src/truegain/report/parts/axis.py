"""An axis: numbers to per cent of a width, and round numbers to mark on it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, with marks every `step`.

    >>> axis = Axis.of([-0.057, 0.133], marks=4)
    >>> axis.low, axis.high, axis.marks()
    (-0.1, 0.15, [-0.1, -0.05, 0.0, 0.05, 0.1, 0.15])
    >>> axis.at(0.0), axis.at(9.0)
    (40.0, 100.0)
    """

    low: float
    high: float
    step: float

    @classmethod
    def of(cls, values: Iterable[float | None], marks: int = 5, zero: bool = False) -> Axis:
        """An axis that holds the values (and 0), and ends at round numbers."""
        there = [v for v in values if v is not None and math.isfinite(v)] + ([0.0] if zero else [])
        low, high = (min(there), max(there)) if there else (0.0, 1.0)
        if high - low < 1e-9:
            pad = 0.05 * max(1.0, abs(low))
            low, high = low - pad, high + pad
        rough = (high - low) / marks
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(s * power for s in STEPS if s * power >= rough * (1 - 1e-9))
        return cls(_round(math.floor(low / step + 1e-9) * step), _round(math.ceil(high / step - 1e-9) * step), step)

    def at(self, x: float) -> float:
        """Where a number stands, in per cent, held inside."""
        return min(100.0, max(0.0, 100 * (x - self.low) / (self.high - self.low)))

    def marks(self) -> list[float]:
        """The numbers that are marked."""
        n = round((self.high - self.low) / self.step)
        return [_round(self.low + i * self.step) for i in range(n + 1)]

    @property
    def digits(self) -> int:
        """Decimals that tell the marks apart.

        >>> Axis(0, 1, 0.25).digits, Axis(0, 10, 2).digits
        (2, 0)
        """
        return next((d for d in range(8) if abs(round(self.step, d) - self.step) < 1e-9 * self.step), 8)


def _round(x: float) -> float:
    return round(x, 10) + 0.0
