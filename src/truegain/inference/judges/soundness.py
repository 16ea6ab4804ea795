"""When a judge's matrix may be inverted at all, and whether what comes out can be a score."""

from __future__ import annotations

from collections.abc import Sequence

from truegain.errors import TruegainError
from truegain.gains.topic_matrix import TopicMatrix
from truegain.inference.judges.lists import JudgedLists
from truegain.tables.columns import Bools


def why_not(lists: JudgedLists, system: int, error: TruegainError) -> str:
    """Why a system cannot be corrected, and where its judge was measured; the system itself is not named."""
    name, said = lists.ranked.systems[system], str(error)
    if lists.accuracy == "system":
        said += (
            f" (the judge was measured on the gold pairs that {name} retrieved; accuracy='lists' or 'given' "
            "measures it on more)"
        )
    return said


def score_range(lists: JudgedLists, system: int, answered: Bools) -> tuple[float, float]:
    """The lowest and the highest score that a system can have, given how much of its lists is judged."""
    total = float(lists.weights.weight[system][answered].sum(axis=1).mean())
    value = lists.weights.value
    return total * min(0.0, float(value.min())), total * float(value.max())


def check_says_something(
    value: float, half: float, limits: tuple[float, float], matrices: Sequence[TopicMatrix]
) -> None:
    """Refuse an interval that leaves out nothing of what the value can be."""
    low, high = limits
    if value - half > low or value + half < high:
        return
    worst = max((matrix.confusion for matrix in matrices), key=lambda c: c.condition)
    fewest = int(worst.effective.argmin())
    raise TruegainError(
        f"the interval would run from {value - half:.3g} to {value + half:.3g} and leave out nothing of the "
        f"{low:.3g} to {high:.3g} that is possible, so little do these gold pairs say of how the judge tells labels "
        f"apart (condition number {worst.condition:.3g}; gold label {worst.gold[fewest]:g} has the fewest pairs, worth "
        f"{worst.effective[fewest]:.0f}): judge more gold pairs, merge labels, or use a binary measure such as P@10"
    )


def check_inside(value: float, half: float, limits: tuple[float, float]) -> tuple[float, float, float, tuple[str, ...]]:
    """Value and interval held inside the limits, with a note where this moved the value.

    Refused where the whole interval lies outside: then the gold pairs and the bronze labels do not fit together.
    """
    low, high = limits
    if value - half > high or value + half < low:
        raise TruegainError(
            f"the corrected value {value:.3f} lies clearly outside {low:g} to {high:g}, so the gold pairs and "
            "the bronze labels do not fit together. Check that the same judge, the same kind of documents and the same "
            "scale stand behind both"
        )
    held = min(high, max(low, value))
    notes = (
        () if held == value else (f"the plain value {value:.3f} lies outside {low:g} to {high:g} and is held inside",)
    )
    return held, max(low, value - half), min(high, value + half), notes
