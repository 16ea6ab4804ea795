"""The systems that cannot be told from the best, and how far two such sets are the same."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError


def jaccard(a: Collection[Hashable], b: Collection[Hashable]) -> float:
    """Share of what is in either set that is in both: |A & B|/|A | B|; Jaccard 1901.

    >>> jaccard({"x", "y"}, {"y", "z"})
    0.3333333333333333
    """
    either = set(a) | set(b)
    if not either:
        raise TruegainError("both sets are empty, so their overlap has no value")
    return len(set(a) & set(b)) / len(either)


def top_set(
    systems: Sequence[str], scores: npt.ArrayLike, p_values: npt.ArrayLike, alpha: float = 0.05
) -> tuple[str, ...]:
    """The best system and those not distinguishable from it: all whose p against the best is at least alpha.

    `p_values` is systems by systems, or one p for each system against the best (whose own is not read).  Best first.

    >>> top_set(["a", "b", "c"], [0.3, 0.5, 0.45], [0.01, 1.0, 0.4])
    ('b', 'c')
    """
    values, p = np.asarray(scores, np.float64), np.asarray(p_values, np.float64)
    n = len(systems)
    if values.shape != (n,) or p.shape not in ((n,), (n, n)):
        raise TruegainError(f"{n} systems need {n} scores and {n} or {n} x {n} p-values, not {values.shape}, {p.shape}")
    if np.isnan(values).any():
        raise TruegainError(f"{int(np.isnan(values).sum())} of {n} systems have no score; leave them out")
    best = int(np.argmax(values))
    against = p if p.ndim == 1 else p[best]
    others = np.arange(n) != best
    if np.isnan(against[others]).any():
        raise TruegainError(f"a p-value against the best system, {systems[best]}, is missing")
    inside = ~others | (against >= alpha)
    return tuple(systems[i] for i in np.argsort(-values, kind="stable") if inside[i])
