"""When a judge's matrix may be inverted at all, and whether what comes out can be a score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truegain.errors import TruegainError
from truegain.inference.judges.judge import Clusters, Judge
from truegain.inference.judges.linear_correction import Side, bootstrap_linear
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.judges.panel import JudgePanel
from truegain.tables.columns import Bools

DRAWS = 500  # of gold topics, to see whether the matrix can be inverted in nearly all


def sides_of(judge: Judge | JudgePanel, topics: Sequence[str], *, binary: bool, clusters: Clusters) -> list[Side]:
    """The judge's side, or those of a panel: D clearly above 0, or C invertible whichever topics are drawn."""
    if not isinstance(judge, Judge):
        return judge.sides(topics, binary=binary)
    sides = judge.sides(topics, binary=binary, clusters=clusters)
    c = sides[0].confusion
    if not binary and c.clustered:
        nothing = np.zeros(len(c.gold))
        bootstrap_linear(np.zeros((2, len(c.gold))), ("", " "), c, nothing, trials=DRAWS, seed=0, joined=False)
    return sides


def of_system(lists: JudgedLists, system: int, error: TruegainError) -> TruegainError:
    """The error with the system it is about, and where its judge was measured."""
    name, text = lists.ranked.systems[system], str(error)
    said = text if text.startswith(name) else f"{name}: {text}"
    if lists.accuracy == "system" and isinstance(lists.judge, Judge):
        said += (
            f" (the judge was measured on the gold pairs that {name} retrieved; --accuracy lists or given "
            "measures it on more)"
        )
    return TruegainError(said)


def reach(lists: JudgedLists, system: int, there: Bools) -> tuple[float, float]:
    """The lowest and the highest score that a system can have, given how much of its lists is judged."""
    total = float(lists.weights.weight[system][there].sum(axis=1).mean())
    value = lists.weights.value
    return total * min(0.0, float(value.min())), total * float(value.max())


def check_inside(
    value: float, half: float, limits: tuple[float, float], who: str
) -> tuple[float, float, float, tuple[str, ...]]:
    """Value and interval held inside the limits, with a note where this moved the value.

    Refused where the whole interval lies outside: then the gold pairs and the bronze labels do not fit together.
    """
    low, high = limits
    if value - half > high or value + half < low:
        raise TruegainError(
            f"{who}: the corrected value {value:.3f} lies clearly outside {low:g} to {high:g}, so the gold pairs and "
            "the bronze labels do not fit together. Check that the same judge, the same kind of documents and the same "
            "scale stand behind both"
        )
    held = min(high, max(low, value))
    notes = (
        () if held == value else (f"the plain value {value:.3f} lies outside {low:g} to {high:g} and is held inside",)
    )
    return held, max(low, value - half), min(high, value + half), notes
