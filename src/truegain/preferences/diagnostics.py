"""What a table of preferences may hide: unequal pairs, ties, flips when the order turns, and effects of position."""

from __future__ import annotations

import numpy as np

from truegain.errors import TruegainError, counted, warn
from truegain.preferences.fit import PairCells, Strengths
from truegain.preferences.measures import BradleyTerry, HalfWins, PreferenceMeasure
from truegain.preferences.table import Preferences
from truegain.stats.student_t import quantile_of

UNEQUAL = 0.25  # standard deviation over mean of the comparisons of pairs, above which pairs are unbalanced
FEW_IN_ONE_ORDER = 0.05  # of topics and pairs, as where a few votes are lost: half-wins stay the default


def default_measure(votes: Preferences, position: bool) -> tuple[PreferenceMeasure, str]:
    """Half-wins where every topic has every pair and (nearly) all were shown in both orders; why, where not.

    position: whether who was shown first can be a part of a model.
    """
    cells, n = votes.cells(), len(votes.systems)
    every, there = len(votes.topics) * n * (n - 1) // 2, len(cells.topic)
    if not cells.is_complete:
        lack = f"{every - there:,} of {every:,} topics and pairs have no vote."
        return BradleyTerry(), f"Bradley-Terry, not half-wins: {lack}"
    if not position:
        return HalfWins(), ""
    one = int(votes.in_one_order.sum())
    if one <= FEW_IN_ONE_ORDER * every:
        return HalfWins(), (
            f"{one:,} of {every:,} topics and pairs lack a vote in one of the two orders, which half-wins ignore; "
            "bradley-terry has a column for it."
        )
    alike = f"{one:,} of {every:,} topics and pairs were not shown in both orders alike."
    return BradleyTerry(), f"Bradley-Terry, not half-wins: {alike}"


def check_half_wins(cells: PairCells, position: bool) -> None:
    """Refuse half-wins where systems met different opponents, and tell where they met them in one order."""
    n = len(cells.systems)
    if not cells.is_complete:
        every = len(cells.topics) * n * (n - 1) // 2
        raise TruegainError(
            f"half-wins compare systems that met the same opponents, and {every - len(cells.topic):,} of {every:,} "
            "topics and pairs were not compared; use bradley-terry"
        )
    if position:
        warn("pairs were shown in one order, and half-wins ignore it; bradley-terry has a column for it")


def is_unequal(cells: PairCells) -> bool:
    """Whether some pairs were compared far more often than others; a pair that was never compared counts 0."""
    n = len(cells.systems)
    counts = np.append(cells.counts, np.zeros(n * (n - 1) // 2 - len(cells.counts)))
    return bool(counts.std() > UNEQUAL * counts.mean())


def tell_unequal(cells: PairCells) -> None:
    """Warn where some pairs were compared far more often than others: strengths hold for this mix of pairs."""
    if not is_unequal(cells):
        return
    n, counts = len(cells.systems), cells.counts
    every = n * (n - 1) // 2
    name = [f"{cells.systems[a]}|{cells.systems[b]}" for a, b in zip(cells.a, cells.b, strict=True)]
    most, least = int(np.argmax(counts)), int(np.argmin(counts))
    topics = counted(int(counts[most]), "topic")
    if counts[most] > counts[least]:
        most_and_least = f"{name[most]} on {topics}, {name[least]} on {int(counts[least])}"
    else:
        most_and_least = f"{name[0]} on {topics}" if len(counts) == 1 else f"{len(counts)} pairs on {topics} each"
    never = f"; {every - len(counts)} of {every} pairs never" if len(counts) < every else ""
    warn(
        f"pairs were compared unequally often ({most_and_least}{never}): "
        "if strengths differ by topic, they apply to this mix of pairs"
    )


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
        f"{max(to_first, to_second):,} of them in favor of the one shown {way}"
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
