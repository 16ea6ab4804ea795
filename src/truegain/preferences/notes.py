"""What must be said beside answers from preferences: ties, who was shown first, flips, and the exact sign test."""

from __future__ import annotations

import numpy as np

from truegain.errors import counted
from truegain.preferences.fit import PairCells, Strengths
from truegain.preferences.table import Preferences
from truegain.stats.student_t import quantile_of


def ties_note(votes: Preferences) -> str:
    """How many votes are ties, and how many of these call both bad; nothing where none is."""
    if not votes.ties.any():
        return ""
    bad = int(votes.both_bad.sum())
    ties = f"{int(votes.ties.sum()):,} of {counted(len(votes), 'vote')} are ties and count as half-wins"
    return f"{ties}, {bad:,} of them 'both bad'." if bad else f"{ties}."


def position_effect(fit: Strengths, confidence: float) -> tuple[float, float, float] | None:
    """What being shown first adds to the log-odds to win, with its limits over topics; None where it is no part."""
    if not fit.has_position:
        return None
    at, topics = len(fit.cells.systems), len(fit.cells.topics)
    without = fit.without_topics()[:, at]
    se = float(np.sqrt((topics - 1) / topics * ((without - without.mean()) ** 2).sum()))
    half = quantile_of(confidence, topics - 1.0) * se
    return fit.gamma, fit.gamma - half, fit.gamma + half


def position_note(fit: Strengths | None, confidence: float) -> str:
    """What being shown first adds, in words; nothing where it is no part of the model."""
    effect = None if fit is None else position_effect(fit, confidence)
    if effect is None:
        return ""
    gamma, low, high = effect
    return (
        f"Being shown first changes the log-odds to win by {gamma:+z.2f} against no order, by twice that against being "
        f"shown second ({100 * confidence:g}% CI "
        f"[{low:z.2f}, {high:z.2f}]); scores are without it."
    )


def flips_note(votes: Preferences, corrected: bool) -> str:
    """How many comparisons changed with the order in which the two were shown; nothing where none did."""
    in_both, to_first, to_second = votes.flips
    if not (changed := to_first + to_second):
        return ""
    way = "first" if to_first >= to_second else "second"
    text = (
        f"{changed:,} of {counted(in_both, 'comparison')} in both orders changed with the order, "
        f"{max(to_first, to_second):,} of them to what was shown {way}"
    )
    by_order = changed > in_both / 2 and not corrected  # gold corrects what the judge makes of it
    return f"{text}: these preferences say little about the systems." if by_order else f"{text}."


def sign_note(cells: PairCells, a: str, b: str) -> str:
    """The exact sign test over topics, where all say the same and no interval can be estimated; else nothing."""
    one, two = sorted(map(cells.systems.index, (a, b)))
    own = (cells.a[cells.kind] == one) & (cells.b[cells.kind] == two)
    low, high = (int(x.sum()) for x in (cells.wins[own] > 0.5, cells.wins[own] < 0.5))
    if min(low, high) or not (n := low + high):
        return ""
    p = min(1.0, 2.0 ** (1 - n))
    winner = cells.systems[one if low else two]
    return (
        f"{winner} wins in all {counted(n, 'topic')} that are not tied: by the exact sign test p = {p:.2g}. An "
        "interval needs topics that differ; add some."
    )
