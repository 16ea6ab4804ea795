"""Whether pairs of systems were compared alike: on the same topics, in both orders, equally often; and what follows."""

from __future__ import annotations

import numpy as np

from truegain.errors import TruegainError, counted
from truegain.io.warnings import warn
from truegain.preferences.fit import PairCells
from truegain.preferences.measures import BradleyTerry, HalfWins, PreferenceMeasure
from truegain.preferences.table import Preferences

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
        "where strengths differ by topic, they hold for this mix of pairs"
    )
