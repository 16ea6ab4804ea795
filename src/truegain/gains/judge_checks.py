"""What in gold pairs and bronze labels does not fit together, said in words."""

from __future__ import annotations

import math

from truegain.gains.confusion import Confusion
from truegain.student import p_of

ALPHA = 0.01  # of the test that gold pairs are a random sample


def impossible_mean(j: float, m_r: float, m_n: float) -> tuple[str, ...]:
    """Whether a bronze mean j is impossible for a judge of these rates.

    >>> impossible_mean(0.5, m_r=0.9, m_n=0.8)
    ()
    """
    if j > m_r:
        return (
            f"the bronze mean {j:.3f} is above mR = {m_r:.3f}: even if every document were relevant, "
            "this judge would say so of fewer",
        )
    if j < 1 - m_n:
        return (
            f"the bronze mean {j:.3f} is below 1 - mN = {1 - m_n:.3f}: even if no document were relevant, "
            "this judge would say so of more",
        )
    return ()


def not_at_random(binary: Confusion, whole: float) -> tuple[str, ...]:
    """Whether the share of relevant bronze labels among the gold pairs is clearly another than that of the whole."""
    pairs = float(binary.totals.sum())
    inside, topics = float(binary.counts[:, 1].sum()) / pairs, len(binary.topics)
    if topics > 1:
        moves = (binary.table[:, :, 1].sum(axis=1) - inside * binary.table.sum(axis=(1, 2))) / pairs
        se, df = math.sqrt(float(moves @ moves) * topics / (topics - 1)), topics - 1.0
    else:
        se, df = math.sqrt(inside * (1 - inside) / pairs), math.inf
    if se == 0 or p_of((inside - whole) / se, df) > ALPHA:
        return ()
    return (
        f"gold was drawn at random, yet the bronze judge calls {inside:.1%} of the gold pairs relevant and "
        f"{whole:.1%} of all: the gold pairs are not a random sample of these labels",
    )
