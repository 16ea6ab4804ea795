"""Limits for average precision where the bootstrap sees no spread: few relevant documents, AP near 0 or 1.

Cormack and Lynam 2006, section 7.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.tables.columns import Floats


def unseen_share(relevant: npt.NDArray[Any], confidence: float = 0.95) -> Floats:
    """Largest share u of a kind of document that R relevant documents, none of that kind, do not rule out.

    u = 1 - (1 - confidence)^(1/R)

    >>> round(float(unseen_share(np.array(4))), 2)
    0.53
    """
    return np.asarray(1 - (1 - confidence) ** (1 / np.maximum(relevant, 1)))


def limit_at_zero(relevant: npt.NDArray[Any], depth: npt.NDArray[Any], confidence: float = 0.95) -> Floats:
    """Upper limit of AP where nothing relevant was retrieved.

    A share u of the R relevant documents may be found after all, each equally likely at any of n distinct ranks:
    E(AP') = u H(n)/n + (R - 1) u^2 (n - H(n)) / (n (n - 1)), H the harmonic number; a list of one document gives u.

    >>> round(float(limit_at_zero(np.array(4), np.array(1000))), 5)
    0.00477
    """
    u = unseen_share(relevant, confidence)
    n = np.maximum(depth, 1).astype(np.float64)
    harmonic = _harmonic(n)
    others = np.divide(n - harmonic, n * (n - 1), out=np.zeros_like(n), where=n > 1)
    return np.asarray(u * harmonic / n + (np.maximum(relevant, 1) - 1) * u**2 * others)


def limit_at_one(relevant: npt.NDArray[Any], confidence: float = 0.95) -> Floats:
    """Lower limit of AP where all relevant documents stand first: a share u of them may not be found.

    >>> round(float(limit_at_one(np.array(4))), 2)
    0.47
    """
    return 1 - unseen_share(relevant, confidence)


def widened(
    value: Floats, low: Floats, high: Floats, relevant: npt.NDArray[Any], depth: npt.NDArray[Any], confidence: float
) -> tuple[Floats, Floats]:
    """Intervals made at least as wide as those limits where AP lies beyond them."""
    top, bottom = limit_at_zero(relevant, depth, confidence), limit_at_one(relevant, confidence)
    new_high = np.where(value <= top, np.maximum(high, top), high)
    new_low = np.where(value >= bottom, np.minimum(low, bottom), low)
    return np.where(value == 0, 0.0, new_low), np.where(value == 1, 1.0, new_high)


def _harmonic(n: Floats) -> Floats:
    table = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, int(n.max(initial=1)) + 1))])
    return table[n.astype(np.int64)]
