"""The decision rule: the outcome of a comparison, from its interval and what unjudged documents could change."""

from __future__ import annotations

from typing import Literal

from truegain.inference.results import Comparison
from truegain.inference.study.hidden import Hidden

Outcome = Literal["better", "worse", "not better", "not worse", "inconclusive", "unchecked"]
SETTLED: tuple[Outcome, ...] = ("better", "worse", "not better", "not worse")


def outcome_of(low: float, high: float, hidden_low: float, hidden_high: float, min_effect: float) -> Outcome:
    """The rule, for b - a with the smallest gain that matters, the same in every command and in Python.

    better: low + what holes could take is above 0, and at or above the smallest gain; worse: high + what they could
    give is below 0; not better: it is below the smallest gain; inconclusive: otherwise.  A smallest gain below 0 is
    how much worse b may be: not worse, where low + what holes could take is above it; worse, where high + what they
    could give is below it.

    >>> outcome_of(0.01, 0.05, 0.0, 0.0, 0.0), outcome_of(0.01, 0.05, -0.02, 0.0, 0.0)
    ('better', 'inconclusive')
    >>> outcome_of(0.03, 0.09, 0.0, 0.0, 0.02), outcome_of(0.01, 0.05, 0.0, 0.0, 0.02)  # a gain, perhaps too small
    ('better', 'inconclusive')
    >>> outcome_of(0.01, 0.05, 0.0, 0.0, 0.06), outcome_of(-0.03, 0.01, 0.0, 0.0, 0.02)  # surely too small
    ('not better', 'not better')
    >>> outcome_of(-0.03, -0.01, 0.0, 0.0, 0.0), outcome_of(-0.03, -0.01, 0.0, 0.0, 0.02)
    ('worse', 'worse')
    >>> [outcome_of(low, low + 0.03, 0.0, 0.0, -0.02) for low in (-0.01, -0.03, -0.06)]
    ['not worse', 'inconclusive', 'worse']
    """
    least, most = low + hidden_low, high + hidden_high
    if min_effect < 0:
        return "not worse" if least > min_effect else "worse" if most < min_effect else "inconclusive"
    if most < 0:
        return "worse"
    if most < min_effect:
        return "not better"
    return "better" if least > 0 and least >= min_effect else "inconclusive"


def decided(c: Comparison, hidden: Hidden | None, holes: str, min_effect: float) -> Outcome:
    """The rule for a difference, by its interval and what holes could do; two exactly as good do not differ."""
    if c.low is None or c.high is None:
        return "inconclusive"
    could = could_move(hidden, holes)
    if c.low == c.high == 0 and could[1] == 0 and min_effect >= 0:
        return "not better"
    return outcome_of(c.low, c.high, *could, min_effect)


def could_move(hidden: Hidden | None, holes: str) -> tuple[float, float]:
    """What holes could take and give, where they hold a verdict back, and how much less sure that is."""
    if hidden is None or holes != "bound":
        return 0.0, 0.0
    return hidden.least - hidden.wider[0], hidden.most + hidden.wider[1]


def holds_back(c: Comparison, hidden: Hidden | None, holes: str, min_effect: float) -> bool:
    """Whether holes alone leave a difference open, and no sample of them can stand for the rest."""
    if hidden is None or hidden.falls is not None or decided(c, hidden, holes, min_effect) != "inconclusive":
        return False
    return decided(c, None, holes, min_effect) != "inconclusive"


def undone_by(hidden: Hidden, low: float, high: float, min_effect: float) -> int | None:
    """How many unjudged documents can undo what the limits by labels say; None: none can, or it is not known."""
    if outcome_of(low, high, 0.0, 0.0, min_effect) in ("better", "not worse"):
        return hidden.documents_to_undo(low - min_effect)
    return hidden.documents_to_undo(min_effect - high, falls=False) if high < min_effect else None
