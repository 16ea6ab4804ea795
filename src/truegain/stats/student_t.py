"""Student's t and Wilson's limits, in one place: confidence, quantiles, p-values, degrees of freedom of a sum."""

from __future__ import annotations

import math
from importlib import import_module
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError
from truegain.message import argname

Floats = npt.NDArray[np.float64]


def told_p(p: float) -> str:
    """A p-value in words: one that rounds to 0 is below 0.0001, not 0.

    >>> told_p(0.02), told_p(0.00005), told_p(3e-9)
    ('p = 0.0200', 'p = 0.0001', 'p < 0.0001')
    """
    return "p < 0.0001" if p < 0.00005 else f"p = {p:.4f}"


def check_confidence(confidence: float) -> float:
    """A level of confidence, or an error where it is none.

    >>> check_confidence(95)
    Traceback (most recent call last):
    ...
    truegain.errors.TruegainError: confidence 95 is not between 0 and 1; write 0.95 for 95%
    """
    if not isinstance(confidence, Real):
        raise TruegainError(
            f"{argname('confidence', confidence)} is not a number; give one between 0 and 1, such as 0.95"
        )
    if not 0 < confidence < 1:
        hint = f"; write {confidence / 100:g} for {confidence:g}%" if 1 < confidence < 100 else ", such as 0.95"
        raise TruegainError(f"{argname('confidence', confidence, 'g')} is not between 0 and 1{hint}")
    return float(confidence)


def quantiles_of(confidence: float, df: npt.ArrayLike) -> Floats:
    """Two-sided quantiles of Student's t, of the normal where df is infinite: standard errors to either side.

    >>> quantiles_of(0.95, [9, np.inf]).round(4)
    array([2.2622, 1.96  ])
    """
    return np.asarray(special().stdtrit(np.asarray(df, np.float64), (1 + check_confidence(confidence)) / 2))


def quantile_of(confidence: float, df: float = math.inf) -> float:
    """Two-sided quantile of Student's t, of the normal where df is infinite.

    >>> round(quantile_of(0.95), 4), round(quantile_of(0.95, 9), 4)
    (1.96, 2.2622)
    """
    return float(quantiles_of(confidence, df))


def p_values_of(t: npt.ArrayLike, df: npt.ArrayLike = math.inf) -> Floats:
    """Two-sided p of t values.

    >>> p_values_of([0.0, 2.262157], 9).round(4)
    array([1.  , 0.05])
    """
    return np.asarray(np.minimum(1.0, 2 * special().stdtr(np.asarray(df, np.float64), -np.abs(t))))


def p_of(t: float, df: float = math.inf) -> float:
    """Two-sided p of a t value.

    >>> round(p_of(1.959964), 4)
    0.05
    """
    return float(p_values_of(t, df))


def quantiles_of_p(p: npt.ArrayLike, df: float = math.inf) -> Floats:
    """|t| of two-sided p-values; infinite where p is 0.

    >>> quantiles_of_p([1.0, 0.05, 0.0], 9).round(4)
    array([0.    , 2.2622,    inf])
    """
    return np.asarray(np.abs(special().stdtrit(df, np.asarray(p, np.float64) / 2)))


def satterthwaite(parts: list[tuple[float, float]]) -> float:
    """Degrees of freedom of a sum of independent variances: (sum V)^2 / sum of V^2 / df.

    >>> satterthwaite([(1.0, 10.0), (1.0, 10.0)])
    20.0
    """
    total = sum(v for v, _ in parts)
    below = sum(v**2 / df for v, df in parts if v > 0)
    return math.inf if below == 0 else total**2 / below


def wilson(share: npt.ArrayLike, n: npt.ArrayLike, quantile: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Limits of a share seen in n units, inside 0 and 1 whatever the share: where |x - p| = z sqrt(p (1 - p)/n).

    (x + z^2/2n +- z sqrt(x (1 - x)/n + z^2/4n^2)) / (1 + z^2/n), z a quantile of the normal or of Student's t; a share
    beyond 0 and 1 counts as these.  Wilson 1927, JASA 22.

    >>> low, high = wilson(0.35, 20, quantile_of(0.95))
    >>> print(f"{low:.4f} {high:.4f}")
    0.1812 0.5671
    """
    x = np.clip(np.asarray(share, np.float64), 0.0, 1.0)
    part = np.asarray(quantile, np.float64) ** 2 / np.asarray(n, np.float64)
    half = np.sqrt(part * (x * (1 - x) + part / 4))
    low, high = (np.clip((x + part / 2 + sign * half) / (1 + part), 0.0, 1.0) for sign in (-1, 1))
    return low, high


def detectable_in_se(p: float, power: float) -> float:
    """The difference, in standard errors, that a test at level p finds with this power: z_{p/2} + z_{1-power}."""
    if not 0 < power < 1:
        raise TruegainError(f"{argname('power', power, 'g')} must lie between 0 and 1, such as 0.8")
    far = quantile_of(1 - p) + float(special().ndtri(power))
    if far <= 0:
        raise TruegainError(f"{argname('power', power, 'g')} is below the significance level; give a higher power")
    return far


def special() -> Any:
    """scipy.special, read when first needed."""
    return import_module("scipy.special")
