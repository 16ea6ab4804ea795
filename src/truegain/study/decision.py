"""The rule of a verdict: what is claimed of a difference by its interval and by what unjudged documents could do."""

from __future__ import annotations

from dataclasses import dataclass

from truegain.data.id_matching import FEW
from truegain.stats.results import Comparison
from truegain.study.documents import Outcome
from truegain.study.unjudged import PairBounds
from truegain.study.withheld import Reason, Reasons

SETTLED: tuple[Outcome, ...] = ("better", "worse", "not better", "not worse")


def outcome_of(low: float, high: float, unjudged_low: float, unjudged_high: float, min_effect: float) -> Outcome:
    """The rule, for b - a with the smallest gain that matters, the same in every command and in Python.

    better: low + what unjudged documents could take is above 0, and at or above the smallest gain; worse: high + what
    they could give is below 0; not better: it is below the smallest gain; inconclusive: otherwise.  A smallest gain
    below 0 is how much worse b may be: not worse, where low + what unjudged documents could take is above it; worse,
    where high + what they could give is below it.

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
    least, most = low + unjudged_low, high + unjudged_high
    if min_effect < 0:
        return "not worse" if least > min_effect else "worse" if most < min_effect else "inconclusive"
    if most < 0:
        return "worse"
    if most < min_effect:
        return "not better"
    return "better" if least > 0 and least >= min_effect else "inconclusive"


EVERY_DIFFERENCE = (
    "The interval covers every possible difference, so it carries no information: too few units were sampled for "
    "their variance."
)


def says_nothing(c: Comparison, bounds: tuple[float, float]) -> bool:
    """Whether an interval holds every difference that there can be between values within bounds.

    >>> one = Comparison("a", "b", "passed", 0.5, 0.6, 0.1, -1.0, 1.0, 0.9)
    >>> says_nothing(one, (0.0, 1.0)), says_nothing(one, (0.0, 2.0))
    (True, False)
    """
    span = bounds[1] - bounds[0]
    return c.low is not None and c.high is not None and c.low <= -span and c.high >= span


def decided(c: Comparison, unjudged_bounds: PairBounds | None, unjudged_policy: str, min_effect: float) -> Outcome:
    """The rule for a difference, by its interval and what the unjudged could do; two exactly as good do not differ."""
    if c.low is None or c.high is None:
        return "inconclusive"
    could = could_move(unjudged_bounds, unjudged_policy)
    if c.low == c.high == 0 and could[1] == 0 and min_effect >= 0:
        return "not better"
    return outcome_of(c.low, c.high, *could, min_effect)


def could_move(unjudged_bounds: PairBounds | None, unjudged_policy: str) -> tuple[float, float]:
    """What unjudged documents could take and give, where they hold a verdict back, and how much less sure that is."""
    if unjudged_bounds is None or unjudged_policy != "bound":
        return 0.0, 0.0
    return unjudged_bounds.least - unjudged_bounds.wider[0], unjudged_bounds.most + unjudged_bounds.wider[1]


def holds_back(c: Comparison, unjudged_bounds: PairBounds | None, unjudged_policy: str, min_effect: float) -> bool:
    """Whether unjudged documents alone leave a difference open, and no sample of them can stand for the rest."""
    if (
        unjudged_bounds is None
        or unjudged_bounds.falls is not None
        or decided(c, unjudged_bounds, unjudged_policy, min_effect) != "inconclusive"
    ):
        return False
    return decided(c, None, unjudged_policy, min_effect) != "inconclusive"


@dataclass(frozen=True)
class Decision:
    """What is claimed of a comparison, and why nothing is where that is so."""

    by_labels: Outcome  # what the labels say, whoever gave them
    outcome: Outcome  # the same; 'unchecked' where it is a claim and no person has checked the labels
    withheld: Reasons
    notes: tuple[str, ...] = ()  # what is told beside an outcome that is inconclusive by its interval

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why no claim is made, of both systems."""
        return tuple(reason for reasons in self.withheld.values() for reason in reasons)

    @property
    def needs_other_data(self) -> bool:
        """Whether more of the same data would not bring a claim; where few documents are judged, more labels would."""
        return any(reason.kind != FEW for reason in self.reasons)


def decide(
    c: Comparison, unjudged_bounds: PairBounds | None, unjudged_policy: str, min_effect: float,
    withheld: Reasons, rank_alike: bool, checked: bool,
) -> Decision:  # fmt: skip
    """The rule, with what keeps a study from a claim: reasons to withhold it, by system, and labels nobody checked.

    rank_alike: whether both systems rank the judged documents identically.
    """
    by_labels = decided(c, unjudged_bounds, unjudged_policy, min_effect)
    notes: tuple[str, ...] = ()
    if by_labels == "inconclusive":  # few judged documents: the interval says more, and this is told beside it
        few = [str(reason) for reasons in withheld.values() for reason in reasons if reason.kind == FEW]
        notes = tuple(f"{why[0].upper()}{why[1:]}." for why in few)
        withheld = {system: [r for r in reasons if r.kind != FEW] for system, reasons in withheld.items()}
    if rank_alike and c.low is None and min_effect < 0 and could_move(unjudged_bounds, unjudged_policy)[0] > min_effect:
        by_labels = "not worse"  # nothing changed, and unjudged documents cannot take that much
    if any(withheld.values()):
        by_labels = "inconclusive"
    outcome: Outcome = by_labels if checked or by_labels not in SETTLED else "unchecked"
    return Decision(by_labels, outcome, withheld, notes)


def undone_by(unjudged_bounds: PairBounds, low: float, high: float, min_effect: float) -> int | None:
    """How many unjudged documents can undo what the limits by labels say; None: none can, or it is not known."""
    if outcome_of(low, high, 0.0, 0.0, min_effect) in ("better", "not worse"):
        return unjudged_bounds.documents_to_undo(low - min_effect)
    return unjudged_bounds.documents_to_undo(min_effect - high, falls=False) if high < min_effect else None
