"""How time grows with size: the exponent b of seconds = a size^b, by least squares of logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Growth(NamedTuple):
    """The exponent, and its standard error, NaN where two sizes leave nothing to judge it by."""

    exponent: float
    error: float

    def __str__(self) -> str:
        """Exponent and error, two decimals."""
        return f"{self.exponent:.2f} ± {self.error:.2f}" if math.isfinite(self.error) else f"{self.exponent:.2f}"


def growth(sizes: Sequence[float], seconds: Sequence[float]) -> Growth:
    """Fit log(seconds) = log(a) + b log(size); every repetition is a point.

    >>> str(growth([1, 2, 4, 8], [3, 6, 12, 24]))
    '1.00 ± 0.00'
    """
    if len(set(sizes)) < 2 or len(sizes) != len(seconds):
        raise ValueError("an exponent needs times of at least two sizes")
    x, y = [math.log(s) for s in sizes], [math.log(s) for s in seconds]
    n, x_mean, y_mean = len(x), sum(x) / len(x), sum(y) / len(y)
    spread = sum((a - x_mean) ** 2 for a in x)
    slope = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True)) / spread
    rest = sum((b - y_mean - slope * (a - x_mean)) ** 2 for a, b in zip(x, y, strict=True))
    return Growth(slope, math.sqrt(rest / (n - 2) / spread) if n > 2 else math.nan)
