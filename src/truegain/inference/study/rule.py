"""When a difference holds."""

from __future__ import annotations

from typing import Literal

from truegain.inference.results import Comparison
from truegain.inference.study.hidden import Hidden

Outcome = Literal["holds", "does not hold", "cannot be told"]


def outcome_of(low: float, high: float, hidden_low: float, hidden_high: float, smallest: float) -> Outcome:
    """The rule.

    >>> outcome_of(0.01, 0.05, 0.0, 0.0, 0.0), outcome_of(0.01, 0.05, -0.02, 0.0, 0.0)
    ('holds', 'cannot be told')
    >>> outcome_of(0.01, 0.05, 0.0, 0.0, 0.06)  # better, but by less than what matters
    'does not hold'
    >>> outcome_of(-0.03, 0.01, 0.0, 0.0, 0.02), outcome_of(-0.03, -0.01, 0.0, 0.0, 0.0)
    ('does not hold', 'does not hold')
    """
    if high + hidden_high < max(smallest, 0.0):  # also where b is better, but by less than what matters
        return "does not hold"
    return "holds" if low + hidden_low > 0 else "cannot be told"


def decided(c: Comparison, hidden: Hidden | None, holes: str, smallest: float) -> Outcome:
    """The rule for a difference, by its interval and what holes could do; two exactly as good do not differ."""
    if c.low is None or c.high is None:
        return "cannot be told"
    could = could_move(hidden, holes)
    if c.low == c.high == 0 and could[1] == 0:
        return "does not hold"
    return outcome_of(c.low, c.high, *could, smallest)


def could_move(hidden: Hidden | None, holes: str) -> tuple[float, float]:
    """What holes could take and give, where they hold a verdict back, and how much less sure that is."""
    if hidden is None or holes != "bound":
        return 0.0, 0.0
    return hidden.least - hidden.wider[0], hidden.most + hidden.wider[1]


def holds_back(c: Comparison, hidden: Hidden | None, holes: str, smallest: float) -> bool:
    """Whether holes alone leave a difference open, and no sample of them can stand for the rest."""
    if hidden is None or hidden.falls is not None or decided(c, hidden, holes, smallest) != "cannot be told":
        return False
    return decided(c, None, holes, smallest) != "cannot be told"


def undone_by(hidden: Hidden, low: float, high: float, smallest: float) -> int | None:
    """How many unjudged documents can undo what the limits by labels say; None: none can, or it is not known."""
    if outcome_of(low, high, 0.0, 0.0, smallest) == "holds":
        return hidden.documents_to_undo(low)
    least = max(smallest, 0.0)
    return hidden.documents_to_undo(least - high, falls=False) if high < least else None
