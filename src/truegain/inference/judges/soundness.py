"""When a judge's matrix may be inverted at all, and whether what comes out can be a score."""

from __future__ import annotations

from collections.abc import Sequence

from truegain.errors import TruegainError
from truegain.gains.topic_matrix import TopicMatrix
from truegain.inference.judges.lists import JudgedLists
from truegain.message import Message, arg, value_of, with_marks
from truegain.tables.columns import Bools

LEAST_OWN = 20  # gold labels of its own documents, by which the judge of a system is measured: fewer claim too much


def check_own(lists: JudgedLists, system: int) -> None:
    """Refuse to measure the judge on too few documents of a system: a rate of a handful passes as known too often.

    Of equal systems whose judge favours one (40 topics, 300 studies), with 10 gold labels of that one 7% of intervals
    lie on the wrong side of 0, with 20 2%; 2.5% are meant to.
    """
    if lists.accuracy != "system" or lists.judge_and_pairs is None:
        return
    own = int((lists.pair_counts([system]) > 0).sum())
    if own < LEAST_OWN:
        raise TruegainError(
            f"{own} gold {'label is' if own == 1 else 'labels are'} of what it retrieved where {lists.measure} looks, "
            f"and {LEAST_OWN} are needed: judge more of these"
        )


def why_not(lists: JudgedLists, system: int, error: TruegainError) -> str:
    """Why a system cannot be corrected, and where its judge was measured; the system itself is not named."""
    name, said = lists.ranked.systems[system], with_marks(error)
    if lists.accuracy == "system":
        said += (
            f" (the judge was measured on the gold pairs that {name} retrieved; {arg('accuracy', 'lists')} or "
            f"{value_of('accuracy', 'given')} measures it on more)"
        )
    return Message(said)


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
