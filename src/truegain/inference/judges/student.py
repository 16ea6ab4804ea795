"""Student's t: quantiles, p-values, and degrees of freedom of a sum of variances."""

from __future__ import annotations

import math

from truegain.errors import TruegainError, needs


def quantile_of(confidence: float, df: float = math.inf) -> float:
    """Two-sided quantile of Student's t, of the normal where df is infinite.

    >>> round(quantile_of(0.95), 4), round(quantile_of(0.95, 9), 4)
    (1.96, 2.2622)
    """
    if not 0 < confidence < 1:
        raise TruegainError(f"confidence {confidence:g} must lie between 0 and 1, such as 0.95")
    special = needs("scipy.special", "inference")
    at = (1 + confidence) / 2
    return float(special.ndtri(at) if math.isinf(df) else special.stdtrit(df, at))


def p_of(t: float, df: float = math.inf) -> float:
    """Two-sided p of a t value.

    >>> round(p_of(1.959964), 4)
    0.05
    """
    special = needs("scipy.special", "inference")
    tail = special.ndtr(-abs(t)) if math.isinf(df) else special.stdtr(df, -abs(t))
    return min(1.0, 2 * float(tail))


def satterthwaite(parts: list[tuple[float, float]]) -> float:
    """Degrees of freedom of a sum of independent variances: (sum V)^2 / sum of V^2 / df.

    >>> satterthwaite([(1.0, 10.0), (1.0, 10.0)])
    20.0
    """
    total = sum(v for v, _ in parts)
    below = sum(v**2 / df for v, df in parts if v > 0)
    return math.inf if below == 0 else total**2 / below
