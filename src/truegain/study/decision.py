"""What is claimed of a comparison: by its interval and what unjudged documents could do; what withholds a claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from truegain.data.id_matching import FEW
from truegain.message import Message, by_surface
from truegain.sampling.catalogue import DESIGNS
from truegain.stats.results import Comparison, Estimate
from truegain.study.documents import Outcome
from truegain.study.estimators import LEAST_GOLD
from truegain.study.unjudged import PairBounds

# ---- Reasons to withhold a claim about a system: ids in doubt, its top unjudged, a judge that may favor it.

SELF_PREFERENCE = "possible self-preference"
TOO_FEW = "too few gold labels"
UNJUDGED_FIRST = "unjudged top documents"  # two more kinds are of ids: see `data.id_matching`
_SAMPLED = by_surface(
    "tg.sample_unjudged of P@10", "`truegain unjudged -m P@10 --show sample --fill predicted -o sample.csv`"
)
MORE_LABELS = Message(
    "More topics would not help: label these documents. For a measure that is linear in gain, such as P@10, a random "
    f"sample of them is enough, which {_SAMPLED} draws."
)
T = TypeVar("T", Estimate, Comparison)


@dataclass(frozen=True)
class Reason:
    """Why nothing is claimed of a system: the kind of reason, in two or three words, and what it is here.

    least: how many gold labels of the system a claim needs.
    """

    kind: str
    text: str
    least: int = LEAST_GOLD

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


Reasons = Mapping[str, Sequence[Reason]]  # by system


def gold_reasons(
    system: str, model: str | None, design: str | None, labels: int | None, least: int = LEAST_GOLD,
    of_answers: bool = False,
) -> list[Reason]:  # fmt: skip
    """Why gold labels do not show how the judge errs on a system; nothing where they do.

    model: that of the judge, where the system uses it too; design: how gold was drawn, None without; labels: how many
    gold labels its score stands on, None where they cannot be counted; least: how many it must stand on; of_answers:
    whether they are of its answers.

    >>> print(*gold_reasons("rag", "gpt-4o", None, 0))
    possible self-preference: rag uses gpt-4o, its judge, and no gold label shows how much that favors rag
    >>> gold_reasons("bm25", None, "random", 40), gold_reasons("rag", "gpt-4o", "random", 40)
    ([], [])
    """
    few = design is not None and labels is not None and labels < least
    if model is not None and (design is None or not DESIGNS[design].here or few):
        shows = "too few gold labels show" if few and labels else "no gold label shows"
        favors = f"{system} uses {model}, its judge, and {shows} how much that favors {system}"
        return [Reason(SELF_PREFERENCE, favors, least)]
    if few and of_answers:
        return [Reason(TOO_FEW, f"{labels} answers of {system} have a gold label, and {least} are needed", least)]
    if few:
        few_of = f"{system} retrieved {labels} of the labeled documents, and {least} are needed"
        return [Reason(TOO_FEW, few_of, least)]
    return []


def with_reasons(results: Sequence[T], withheld: Reasons) -> list[T]:
    """Results with why nothing is claimed of their systems: such comparisons have no p.

    >>> c = Comparison("a", "b", "AP", 0.2, 0.25, 0.05, 0.01, 0.09, p=0.02)
    >>> [with_reasons([c], {system: [Reason("ids in doubt", "...")]})[0].p for system in ("b", "x")]
    [None, 0.02]
    """
    return [_with_reasons(result, withheld) for result in results] if any(withheld.values()) else list(results)


def _with_reasons(result: T, withheld: Reasons) -> T:
    systems = (result.system,) if isinstance(result, Estimate) else (result.a, result.b)
    reasons = [reason for system in systems for reason in withheld.get(system, ())]
    if not reasons:
        return result
    # where there are notes, these say that gold labels are too few
    notes: tuple[str, ...] = tuple(str(r) for r in reasons if not (result.notes and r.kind == TOO_FEW))
    if isinstance(result, Estimate):
        return replace(result, notes=(*result.notes, *notes))
    return replace(result, notes=(*result.notes, *notes), p=None, p_adjusted=None, adjustment="")


def in_one(reasons: Iterable[Reason]) -> str:
    """Reasons in one clause, which names their kind once.

    >>> in_one([Reason(SELF_PREFERENCE, "a uses m"), Reason(SELF_PREFERENCE, "b uses m")])
    'possible self-preference: a uses m; b uses m'
    """
    first, *others = reasons
    return "; ".join([str(first), *(r.text if r.kind == first.kind else str(r) for r in others)])


# ---- The rule.

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


def outcome_by_limits(
    c: Comparison, unjudged_bounds: PairBounds | None, unjudged_policy: str, min_effect: float
) -> Outcome:
    """The rule for a difference, by its interval and what the unjudged could do; two exactly as good do not differ."""
    if c.low is None or c.high is None:
        return "inconclusive"
    could = could_move(unjudged_bounds, unjudged_policy)
    if c.low == c.high == 0 and could[1] == 0 and min_effect >= 0:
        return "not better"
    return outcome_of(c.low, c.high, *could, min_effect)


def could_move(unjudged_bounds: PairBounds | None, unjudged_policy: str) -> tuple[float, float]:
    """How far unjudged documents could lower and raise the limits of a difference; 0 where they hold nothing back."""
    if unjudged_bounds is None or unjudged_policy != "bound":
        return 0.0, 0.0
    return unjudged_bounds.least - unjudged_bounds.wider[0], unjudged_bounds.most + unjudged_bounds.wider[1]


def holds_back(c: Comparison, unjudged_bounds: PairBounds | None, unjudged_policy: str, min_effect: float) -> bool:
    """Whether unjudged documents alone leave a difference open, and no sample of them can stand for the rest."""
    if (
        unjudged_bounds is None
        or unjudged_bounds.falls is not None
        or outcome_by_limits(c, unjudged_bounds, unjudged_policy, min_effect) != "inconclusive"
    ):
        return False
    return outcome_by_limits(c, None, unjudged_policy, min_effect) != "inconclusive"


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
    by_labels = outcome_by_limits(c, unjudged_bounds, unjudged_policy, min_effect)
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
