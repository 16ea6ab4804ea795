"""One verdict per comparison: does it hold, for whom, what decides it, what would settle it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypedDict

from truegain.data.id_matching import DOUBT, FEW
from truegain.data.models import by_unchecked
from truegain.errors import counted
from truegain.results.base import Result, Table
from truegain.results.paper_table import listed
from truegain.results.table import Cell
from truegain.sampling.catalogue import SOURCES, holders, outermost
from truegain.sampling.source import Source
from truegain.stats.results import Comparison
from truegain.study.documents import Outcome as Outcome
from truegain.study.documents import ProvenanceDocument, VerdictDocument
from truegain.study.estimates import ALIKE
from truegain.study.precision import Step
from truegain.study.unjudged import UnjudgedBounds
from truegain.study.variance import (
    TOGETHER,
    InfluentialUnit,
    Line,
    influential_in_words,
    is_open_which,
    largest_of,
    signed,
    unsigned,
)
from truegain.study.withheld import MORE_LABELS, UNJUDGED_FIRST, Reason, Reasons, in_one

if TYPE_CHECKING:
    import polars as pl

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


def decided(c: Comparison, unjudged_bounds: UnjudgedBounds | None, unjudged_policy: str, min_effect: float) -> Outcome:
    """The rule for a difference, by its interval and what the unjudged could do; two exactly as good do not differ."""
    if c.low is None or c.high is None:
        return "inconclusive"
    could = could_move(unjudged_bounds, unjudged_policy)
    if c.low == c.high == 0 and could[1] == 0 and min_effect >= 0:
        return "not better"
    return outcome_of(c.low, c.high, *could, min_effect)


def could_move(unjudged_bounds: UnjudgedBounds | None, unjudged_policy: str) -> tuple[float, float]:
    """What unjudged documents could take and give, where they hold a verdict back, and how much less sure that is."""
    if unjudged_bounds is None or unjudged_policy != "bound":
        return 0.0, 0.0
    return unjudged_bounds.least - unjudged_bounds.wider[0], unjudged_bounds.most + unjudged_bounds.wider[1]


def holds_back(c: Comparison, unjudged_bounds: UnjudgedBounds | None, unjudged_policy: str, min_effect: float) -> bool:
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
    c: Comparison, unjudged_bounds: UnjudgedBounds | None, unjudged_policy: str, min_effect: float,
    withheld: Reasons, alike: bool, checked: bool,
) -> Decision:  # fmt: skip
    """The rule, with what keeps a study from a claim: reasons to withhold it, by system, and labels nobody checked.

    alike: whether both systems rank the judged documents identically.
    """
    by_labels = decided(c, unjudged_bounds, unjudged_policy, min_effect)
    notes: tuple[str, ...] = ()
    if by_labels == "inconclusive":  # few judged documents: the interval says more, and this is told beside it
        few = [str(reason) for reasons in withheld.values() for reason in reasons if reason.kind == FEW]
        notes = tuple(f"{why[0].upper()}{why[1:]}." for why in few)
        withheld = {system: [r for r in reasons if r.kind != FEW] for system, reasons in withheld.items()}
    if alike and c.low is None and min_effect < 0 and could_move(unjudged_bounds, unjudged_policy)[0] > min_effect:
        by_labels = "not worse"  # nothing changed, and unjudged documents cannot take that much
    if any(withheld.values()):
        by_labels = "inconclusive"
    outcome: Outcome = by_labels if checked or by_labels not in SETTLED else "unchecked"
    return Decision(by_labels, outcome, withheld, notes)


def undone_by(unjudged_bounds: UnjudgedBounds, low: float, high: float, min_effect: float) -> int | None:
    """How many unjudged documents can undo what the limits by labels say; None: none can, or it is not known."""
    if outcome_of(low, high, 0.0, 0.0, min_effect) in ("better", "not worse"):
        return unjudged_bounds.documents_to_undo(low - min_effect)
    return unjudged_bounds.documents_to_undo(min_effect - high, falls=False) if high < min_effect else None


# ---- The verdict.

SAYS_NOTHING = "10-90%"  # the widest range of a share that has both ends
ASSUMES_WORST = "the verdict assumes the worst case"
EXACT = "exact, because all labels are gold"
EXACT_BUT_UNJUDGED = "exact for the judged documents, which all have gold labels"


@dataclass(frozen=True, repr=False)
class Verdict(Result):
    """Whether b is better than a: the outcome, and what it rests on.

    Attributes
    ----------
    outcome : {'better', 'worse', 'not better', 'not worse', 'inconclusive', 'unchecked'}
        'better': the interval, extended by what unjudged documents could take, lies above 0 and at or above
        `min_effect`. 'worse': extended by what they could add, it lies below 0.  'not better': it lies below
        `min_effect`, or the two are known to score exactly the same (for these topics only).  'inconclusive':
        otherwise.  With `not_worse_by`, 'not worse': the interval lies above -not_worse_by, and 'worse': it lies below.
        'unchecked': labels of a model decide it, and no person has checked them.
    difference, low, high, p : float
        The difference b - a, its confidence limits and p-value, by the judged documents; where there
        is none the difference is NaN and the others None.
    interval : tuple of float, optional
        The limits together: (low, high).
    comparison : Comparison
        The same with all details.
    with_unjudged : Comparison
        The same with limits and p that hold whatever the labels of unjudged documents, as `Study.compare` gives it.
    min_effect : float
        The smallest difference that matters.
    holds_for : str
        What the verdict generalizes to, in words.
    not_covered : str
        What it does not generalize to, in words.
    by_source : tuple of Line
        The interval and the share of the variance of each source of uncertainty, and of all together.
    uncorrected : Line
        The interval over topics by the uncorrected labels.
    largest_source : str
        The source with the largest share of the variance, in words.
    influential : dict of str to tuple of InfluentialUnit
        By source, the topics, documents, gold labels or assessors that move the difference most.
    unjudged_bounds : UnjudgedBounds or None
        How far unjudged documents could move the difference.
    unjudged_policy : {'bound', 'non-relevant'}
        Whether they hold the verdict back, or count as not relevant.
    steps : tuple of Step
        What to buy next, and the half-width that each would bring.
    notes : tuple of str
        What else must be said.
    reasons : tuple of Reason
        Why no claim is made, where that is so: ids in doubt, few judged or unjudged top documents, possible
        self-preference, or too few gold labels.
    withheld : tuple of str
        The same, in words.
    provenance : mapping
        How the study was made.
    exact : bool
        All labels are gold and nothing else is sampled, so that there is no uncertainty.
    alike : bool
        Both systems rank the judged documents identically.
    widened : Comparison or None
        The comparison behind `with_unjudged`, where it differs.
    not_worse_by : float
        Above 0: the claim is that b is worse than a by less than this, if at all (non-inferiority).
    labels_by : str
        Whose labels these are, where a model gave them and no person checked them.
    by_labels : str or None
        The outcome by these labels, where they are not trusted.
    to_check : {'', 'ordered', 'topics'}
        How to draw gold labels that check them.
    not_judgeable : int
        Documents of a gold list that move the difference and that people could not judge.
    sizes : mapping of str to str
        How many units of each source there are, such as '50 topics'.
    of_answers : bool
        Values of answers are scored, not ranked documents.
    of_items : bool
        The same, or nuggets of answers.

    Notes
    -----
    Columns of `frame`, one row a source of uncertainty, the last ones for all sources together and for the uncorrected
    labels: `measure`, `a`, `b` and `outcome`, the same in every row; `source`; `difference`, `low` and `high` over this
    source alone; `share` of the variance, to the nearest tenth, and `share_low` and `share_high`, its 90% range;
    `excludes_0`, whether the interval lies on one side of 0; `covered`, whether the verdict generalizes over it.

    `to_dict` has the same under 'by_source', the attributes above under their names, and 'unjudged', how far unjudged
    documents could move the difference ('low', 'high') and how many of them would change the verdict
    ('documents_to_undo').
    """

    comparison: Comparison  # by the labels there are; see `with_unjudged`
    outcome: Outcome
    min_effect: float
    holds_for: str
    not_covered: str
    by_source: tuple[Line, ...]
    uncorrected: Line
    largest_source: str
    influential: dict[str, tuple[InfluentialUnit, ...]]
    unjudged_bounds: UnjudgedBounds | None
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    unjudged_policy: str = "bound"
    provenance: Mapping[str, object] = field(default_factory=dict)
    exact: bool = False  # whether all labels are gold and nothing else is spoken of
    alike: bool = False  # whether both rank the judged documents alike, and no others are spoken of
    widened: Comparison | None = None  # see `with_unjudged`
    not_worse_by: float = 0.0  # above 0: the claim is that b is worse than a by less than this, if at all
    labels_by: str = ""  # whose labels these are, where a model gave them and no person checked it
    by_labels: Outcome | None = None  # what these labels say, where they are not trusted
    to_check: str = ""  # how gold is best drawn to check them: 'ordered' or whole 'topics'
    not_judgeable: int = 0  # documents of a list that move the difference and that people could not judge
    sizes: Mapping[str, str] = field(default_factory=dict)  # how many units of a source there are, such as '50 topics'
    of_answers: bool = False  # whether values of answers are scored, not ranked documents
    of_items: bool = False  # the same, or nuggets of answers

    @property
    def withheld(self) -> tuple[str, ...]:
        """Why no claim is made, in words; empty where one is."""
        return tuple(map(str, self.reasons))

    @property
    def with_unjudged(self) -> Comparison:
        """The difference with limits and p that hold whatever the labels of unjudged documents."""
        return self.comparison if self.widened is None else self.widened

    @property
    def difference(self) -> float:
        """The difference b - a; NaN where it cannot be estimated."""
        return self.comparison.difference

    @property
    def low(self) -> float | None:
        """The lower confidence limit of the difference; None where there is none."""
        return self.comparison.low

    @property
    def high(self) -> float | None:
        """The upper confidence limit of the difference; None where there is none."""
        return self.comparison.high

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence limits of the difference, (low, high); None where there are none."""
        return self.comparison.interval

    @property
    def p(self) -> float | None:
        """The p-value of no difference; None where there is none, as for anytime-valid intervals."""
        return self.comparison.p

    def with_limits(self, wider: float, variance: float, quantile: float) -> Outcome:
        """The outcome by wider limits, as claims that hold together need.

        Parameters
        ----------
        wider : float
            How many times as far out the limits lie.
        variance : float
            The variance of the difference.
        quantile : float
            How many standard errors the wider limits lie out.

        Returns
        -------
        str
            The outcome.
        """
        c, unjudged_bounds = self.comparison, self.unjudged_bounds
        if self.outcome == "inconclusive" or c.low is None or c.high is None:
            return self.outcome
        low, high = (c.difference + wider * (end - c.difference) for end in (c.low, c.high))
        if unjudged_bounds is not None and unjudged_bounds.over is not None:
            unjudged_bounds = unjudged_bounds.with_limits(variance, quantile)
        outcome = decided(replace(c, low=low, high=high), unjudged_bounds, self.unjudged_policy, self._least)
        return outcome if outcome == "inconclusive" else self.outcome if self.outcome == "unchecked" else outcome

    # ------------------------------------------------------------------ in one sentence

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        c = self.comparison
        return self.with_numbers(f"{signed(c.difference)} {c.measure}{self._interval}")

    def with_numbers(self, numbers: str) -> str:
        """The sentence with difference and interval written in another way.

        Parameters
        ----------
        numbers : str
            The difference and the interval as a page or a table has them.

        Returns
        -------
        str
            The sentence.
        """
        c = self.comparison
        if math.isnan(c.difference):  # no number is known
            return f"{self._open_question(f' on {c.measure}')}, {self.holds_for}; {self._why()[1]}{self._assumed}."
        return f"{self._claim}{numbers}, {self.holds_for}{self.after_numbers}."

    @property
    def headline(self) -> str:
        """The answer without its numbers."""
        on = f" on {self.comparison.measure}"
        if self._label_outcome != "inconclusive":
            return f"{self._by_whom(self._answer(on))}."
        if self._is_gain:
            return f"{self._by_whom(self._some_gain(on))}."
        return f"{self._open_question(on)}."

    @property
    def after_numbers(self) -> str:
        """What follows the numbers: why it is inconclusive, what it does not hold for, what was assumed."""
        if self._label_outcome == "inconclusive":
            more = "".join(self._why())
        elif self.alike and self._label_outcome == "not better":
            more = f"; {ALIKE}"
        else:
            exact = self._exact and not self.alike
            unjudged = self.unjudged_bounds is not None and self.unjudged_bounds.documents
            why = EXACT_BUT_UNJUDGED if unjudged else EXACT
            more = (f"; {why}" if exact else "") + (self._not_shown() if self._label_outcome == "better" else "")
        return f"{more}{self._assumed}"

    @property
    def _label_outcome(self) -> Outcome:
        """What the labels say, whoever gave them."""
        return self.outcome if self.by_labels is None else self.by_labels

    @property
    def _least(self) -> float:
        """What the difference is held against: the smallest gain, or below 0 how much worse it may be."""
        return -self.not_worse_by if self.not_worse_by > 0 else self.min_effect

    @property
    def _is_gain(self) -> bool:
        """Whether it is a gain, though perhaps too small a one."""
        low = self.comparison.low
        return low is not None and low + self._could[0] > 0 and not self.reasons and self.not_worse_by <= 0

    def _by_whom(self, answer: str) -> str:
        """An answer with whose labels say so, where no person has checked them."""
        return by_unchecked(self.labels_by, f", {answer}") if self.labels_by else answer

    @property
    def _inconclusive(self) -> str:
        return self._by_whom("the result is inconclusive") if self.labels_by else "Inconclusive"

    def _open_question(self, on: str = "") -> str:
        c, by = self.comparison, f" by {self.not_worse_by:g} or more"
        claim = f"worse than {c.a}{on}{by}" if self.not_worse_by > 0 else f"better than {c.a}{on}"
        return f"{self._inconclusive}: the data cannot show whether {c.b} is {claim}"

    @property
    def _claim(self) -> str:
        """What stands before the numbers."""
        c = self.comparison
        if self._label_outcome != "inconclusive":
            return f"{self._by_whom(self._answer())}: "
        if self._is_gain:
            return f"{self._by_whom(self._some_gain())}: "
        shown = round(c.difference, 4)
        side = "the same as" if shown == 0 else "lower than" if shown < 0 else "higher than"
        return f"{self._inconclusive}: {c.b} scores {side} {c.a}, "

    def _some_gain(self, on: str = "") -> str:
        """What is known and what is not, where there is a gain that may be smaller than the smallest that matters."""
        c = self.comparison
        return f"{c.b} is better than {c.a}{on}, but whether by {abs(self._least):g} or more is not known"

    def _answer(self, on: str = "") -> str:
        """The answer where there is one."""
        c, least = self.comparison, abs(self._least)
        than, by = f"than {c.a}{on}", f" by {least:g} or more" if least > 0 else ""
        if self._label_outcome == "better":
            return f"{c.b} is better {than}{by}"
        if self._label_outcome == "not worse":
            return f"{c.b} is not worse {than}{by}"
        if self._label_outcome == "worse":
            return f"{c.b} is worse {than}{by if self.not_worse_by > 0 else ''}"
        if self._is_gain:
            return f"{c.b} is better {than}, but by less than {least:g}"
        if self.alike:
            return f"{c.b} is not better {than}"
        same = "; both score the same" if self._exact and not least else ""
        return f"{c.b} is not better {than}{by}{same}"

    @property
    def _interval(self) -> str:
        c = self.comparison
        if c.low is None or c.high is None or self._exact:
            return ""
        return f", {100 * c.confidence:g}% CI [{unsigned(c.low)}, {unsigned(c.high)}]"

    @property
    def _exact(self) -> bool:
        """Whether nothing of what is spoken of could move the difference."""
        return (self.exact or self.alike) and self.comparison.low is not None

    @property
    def settled(self) -> bool:
        """Whether the claim is answered."""
        return self.outcome in SETTLED

    @property
    def _could(self) -> tuple[float, float]:
        """What unjudged documents could take and give, where they hold the verdict back."""
        return could_move(self.unjudged_bounds, self.unjudged_policy)

    @property
    def _as_zero(self) -> str:
        """What was assumed of unjudged documents, where they do not hold the verdict back."""
        if self.unjudged_bounds is not None and self.unjudged_policy == "bound":
            return f"; {self.unjudged_bounds.as_zero}" if self.unjudged_bounds.as_zero else ""
        some = self.unjudged_bounds is None or self.unjudged_bounds.documents or self.unjudged_bounds.below
        return "; unjudged documents count as not relevant" if some else ""

    @property
    def _assumed(self) -> str:
        """What was assumed of documents without a label: that people could not judge, or were not asked about."""
        if not self.not_judgeable:
            return self._as_zero
        these = f"{counted(self.not_judgeable, 'document')} that people could not judge"
        return f"; the interval allows for any label of {these}{self._as_zero}"

    def _not_shown(self) -> str:
        """What is not covered and would, by itself, take the difference away."""
        known = [x for x in self.by_source if x.source in SOURCES]
        lost = [self.source_of(x.source).other for x in known if not x.covered and x.excludes_zero is False]
        kept = [self.source_of(x.source).other for x in known if x.covered and x.excludes_zero]
        if not lost:
            return ""
        return f"; shown for {listed(kept)}, not for {listed(lost)}" if kept else f"; not shown for {listed(lost)}"

    def source_of(self, name: str) -> Source:
        """A source in the words for what is scored: documents have assessors, answers judges.

        Parameters
        ----------
        name : str
            The source, as a name of the catalogue.

        Returns
        -------
        Source
            Its words.
        """
        return SOURCES[name].worded(self.of_items)

    def _why(self) -> tuple[str, str]:
        """Why it is inconclusive, behind the sign or word that joins it to the sentence."""
        c = self.comparison
        if self.reasons:
            return "; ", in_one(self.reasons)
        if c.low is None or c.high is None:
            return "; ", "; ".join(c.notes) or "it has no interval"
        if self.alike and self.unjudged_bounds is not None:
            could = f"could change it by {signed(self.unjudged_bounds.least)} to {signed(self.unjudged_bounds.most)}"
            return "; ", f"{ALIKE}, but {self.unjudged_bounds.counted} {could}"
        if self._is_gain:
            least = abs(self._least)
            moved = "reduce" if c.low >= least else "raise" if c.high < least else ""
            return f"; unjudged documents could {moved} the gain" if moved else "", self._not_shown()
        labels, gain = outcome_of(c.low, c.high, 0.0, 0.0, self._least), self.not_worse_by <= 0 and c.low > 0
        if self.unjudged_bounds is not None and self.unjudged_bounds.documents and (labels != "inconclusive" or gain):
            below = (
                f"; the gain is below {self.min_effect:g} by the judged documents"
                if self.min_effect > 0 and c.high < self.min_effect
                else ""
            )
            return f"{below}, but ", self._held_back(self.unjudged_bounds, c.low, c.high)
        includes = f"{self._least:g}" if self.min_effect <= 0 else f"both 0 and {self.min_effect:g}"
        return ", but ", f"the interval includes {includes}{self._mostly()}"

    def _mostly(self) -> str:
        """Which source brings most of the variance, or probably does; nothing of one source."""
        shares = {x.source: x.share for x in self.by_source if x.share and not x.share.is_none and x.covered}
        if len(shares) < 2:
            return ""
        if (largest := largest_of(shares)) is None:
            if is_open_which(shares):
                return "; which source brings most of the variance is not known"
            return "; no single source dominates the variance"
        source, is_sure = largest
        few = f"having only {self.sizes[source]}" if source in self.sizes else self.source_of(source).cause
        if is_sure:
            return f"; {shares[source].in_words} of the variance comes from {few}"
        if str(shares[source]) == SAYS_NOTHING:
            return ""
        return f"; probably the largest part of the variance ({shares[source]}) comes from {few}"

    def _undone_by(self, unjudged_bounds: UnjudgedBounds) -> int | None:
        c = self.comparison
        return None if c.low is None or c.high is None else undone_by(unjudged_bounds, c.low, c.high, self._least)

    def _held_back(self, unjudged_bounds: UnjudgedBounds, low: float, high: float) -> str:
        """How unjudged documents could turn what the labels say."""
        of, count = unjudged_bounds.counted, self._undone_by(unjudged_bounds)
        some = unjudged_bounds.over is not None  # of topics like these no least number is known
        labels = outcome_of(low, high, 0.0, 0.0, self._least)
        if labels == "inconclusive":
            return f"the interval includes {self.min_effect:g}, and {of} could remove the whole gain"
        if labels in ("better", "not worse"):
            on = unjudged_bounds.to_undo(low - self._least)
            where = (
                f"on as few as {on} of {unjudged_bounds.topics} topics"
                if some
                else f"on {on} or more of {unjudged_bounds.topics} topics"
            )
            if count is None:
                return f"{of} could change that, {where}"
            fewest = f"as few as {count:,}" if some else f"{count:,} or more"
            return f"that would change if {fewest} of {of} were relevant, {where}"
        wider = " and widen the interval" if unjudged_bounds.wider[1] > 0 else ""
        most = f"{of} could add up to {unjudged_bounds.most:.4f}{wider}"
        if count is None:
            return most
        relevant = f"relevant one{'' if count == 1 else 's'}"
        if some:
            return f"{most}; as few as {count:,} {relevant} would change the verdict"
        return f"{most}; at least {count:,} {relevant} would be needed to change the verdict"

    # ------------------------------------------------------------------ at length

    def in_short(self) -> str:
        """The verdict in one sentence."""
        return self.sentence

    def tables(self) -> list[Table]:
        """The table under the sentence, with what the verdict stands on."""
        return [replace(self.table(), title=self.sentence, notes=self.about)]

    def __str__(self) -> str:
        return self.text()

    def text(self, about: Sequence[str] | None = None, under: str = "") -> str:
        """The verdict at length: the sentence, the table, and what it rests on.

        Parameters
        ----------
        about : sequence of str, optional
            What to say below the table; by default `about`.
        under : str, optional
            A line below the sentence.

        Returns
        -------
        str
            What ``print`` shows.
        """
        first, rest = [self.sentence, *filter(None, [under])], self.about if about is None else about
        return "\n".join([*first, "", self.table().text().rstrip("\n"), *(f"\n{x}" for x in rest)]) + "\n"

    @property
    def about(self) -> tuple[str, ...]:
        """What the verdict rests on, beside the table."""
        return self.about_with(self.how_to_check, self.how_to_draw)

    def about_with(self, how_to_check: str, how_to_draw: str) -> tuple[str, ...]:
        """What the verdict rests on, with other words for how to draw labels.

        Parameters
        ----------
        how_to_check : str
            How to draw gold labels that check a judge.
        how_to_draw : str
            How to draw a sample of the unjudged documents.

        Returns
        -------
        tuple of str
            One paragraph each.
        """
        paragraphs = [
            f"Intervals have {100 * self.comparison.confidence:g}% confidence. Not covered: {self.not_covered}."
        ]
        paragraphs += self._shares()
        paragraphs += [
            influential_in_words(self.source_of(source), units) for source, units in self.influential.items() if units
        ]
        bounds = self.unjudged_bounds
        if bounds is not None and bounds.documents:
            how = ASSUMES_WORST if self.unjudged_policy == "bound" else "the verdict counts them as not relevant"
            where = f" that {self.comparison.measure} would count" if bounds.first is None else ""
            paragraphs.append(
                f"{bounds.counted[:1].upper()}{bounds.counted[1:]}{where} could change the difference by "
                f"{signed(bounds.least)} to {signed(bounds.most)}; {how}."
            )
        paragraphs += self._next(how_to_check, how_to_draw)
        return (*paragraphs, *self.notes)

    def _shares(self) -> list[str]:
        """How to read the shares, where there are several."""
        line = {x.source: x for x in self.by_source if x.share and not x.share.is_none}
        if len(line) < 2:
            return []
        outer = next((s for s in outermost(line) if s in line), "")
        nested = [
            "gold labels of other topics" if x.away else self.source_of(s).within
            for s, x in line.items()
            if outer in holders(s)
        ]
        sentences = ["Shares of the variance are 90% ranges."]
        if nested:
            shares = "whose share is" if len(nested) == 1 else "whose shares are"
            both = f"The interval over {outer} also covers the uncertainty from {listed(nested)}"
            sentences.append(f"{both}, {shares} listed separately.")
            least, whole = line[outer].width, self.by_source[-1].width
            if any(x.width > least for s, x in line.items() if outer in holders(s)):
                use = "; all sources use the wider" if whole > least else ""
                sentences.append(f"All are estimates, and here the interval over {outer} is the narrower{use}.")
        people = line.get("assessors")
        little = people is not None and people.share is not None and people.share.value < 0.05
        if people is not None and little and people.width > self.by_source[-1].width / 2:
            sentences.append(
                f"{self.source_of('assessors').units} seem to add little: the other sources already include most of "
                "the width of their line."
            )
        return [" ".join(sentences)]

    def _next(self, how_to_check: str, how_to_draw: str) -> list[str]:
        c, kind = self.comparison, self.reasons[0].kind if self.reasons else ""
        if kind == DOUBT:
            return ["More topics would not help: first use the same document ids in the runs and the judgments."]
        if kind == UNJUDGED_FIRST:
            return [MORE_LABELS]
        least = max((reason.least for reason in self.reasons), default=0)
        if kind and kind != FEW and self.of_answers:
            return [
                f"More topics would not help: the verdict needs gold labels of at least {least} answers of the system, "
                "drawn at random, or of all answers."
            ]
        if kind and kind != FEW:
            return [
                f"More topics would not help: the verdict needs gold labels of at least {least} documents drawn at "
                "random from what the system retrieved."
            ]
        first = [f"First: {how_to_check}"] if how_to_check else []
        if not self.steps or c.low is None or c.high is None:
            return first
        head = f"To narrow the interval (now +-{(c.high - c.low) / 2:.4f}):"
        if self.settled:
            settled = "The claim is settled; more data would only narrow the interval.\n" if self.min_effect > 0 else ""
            return ["\n".join([f"{settled}{head}", *(f"  {s.in_words}" for s in self.steps)])]
        paragraphs = ["\n".join([head, *(f"  {s}" for s in self.steps)])]
        if self.aim > 0:
            enough = [s for s in self.steps if s.enough]
            priced = [s for s in enough if s.cost is not None]
            if not enough:
                paragraphs[0] += f"\nNone of these alone reaches +-{self.aim:g}."
            elif priced and len(priced) == len(enough):
                paragraphs[0] += f"\nCheapest for +-{self.aim:g}: {str(priced[0]).partition(' (')[0]}."
        return [*first, *paragraphs, *filter(None, [how_to_draw])]

    @property
    def how_to_check(self) -> str:
        """How to draw gold labels that check the judge, where no person has and it is not trusted."""
        c = self.comparison
        if not self.to_check:
            return ""
        draw = "" if self.to_check == "ordered" else f", draw={self.to_check!r}"
        if self.of_answers:
            return (
                f"have a person check {self.labels_by}: tg.sample_gold(items, measure={c.measure!r}, pair=({c.a!r}, "
                f"{c.b!r})) draws the answers to label; fill in labels from the top, then give it as gold=."
            )
        return (
            f"have a person check {self.labels_by}: tg.sample_gold(runs, judgments, {c.measure!r}, pair=({c.a!r}, "
            f"{c.b!r}){draw}) draws the documents to label; fill in labels from the top, then give it as gold=."
        )

    @property
    def aim(self) -> float:
        """The half-width that the next steps aim at; 0 where there is none."""
        if all(s.enough is None for s in self.steps):
            return 0.0
        return next((s.aim for s in self.steps if s.aim > 0), abs(self._least))

    @property
    def unjudged_to_draw(self) -> int | None:
        """How many unjudged documents would be drawn, where that is a next step."""
        return next((s.more for s in self.steps if s.what == "unjudged"), None)

    @property
    def how_to_draw(self) -> str:
        """How to draw the sample of the unjudged documents, where that is a next step."""
        c = self.comparison
        return "" if self.unjudged_to_draw is None else (
            f"tg.sample_unjudged(runs, judgments, {c.measure!r}, pair=({c.a!r}, {c.b!r})) draws them for these two; "
            "fill in labels from the top, then give it as unjudged=."
        )  # fmt: skip

    def table(self, words: bool = True) -> Table:
        """The difference over each source alone, over all together, and by the uncorrected labels.

        Parameters
        ----------
        words : bool, default True
            For people: ranges of shares, and why an interval is missing.  False: for programs, with what was compared
            and the outcome in every row.

        Returns
        -------
        Table
            One row a source.
        """
        c = self.comparison
        about: tuple[Cell, ...] = () if words else (c.measure, c.a, c.b, self.outcome)
        own = [line for line in self.by_source if line.source != TOGETHER]
        lines = own if len(own) == 1 and own[0].covered and own[0].low is not None else list(self.by_source)
        same = any((x.low, x.high) == (self.uncorrected.low, self.uncorrected.high) for x in lines)
        if not same or c.uncorrected != c.difference:
            lines = [*lines, self.uncorrected]
        rows: list[tuple[Cell, ...]] = []
        for line in lines:
            value = c.uncorrected if line is self.uncorrected else c.difference
            share: Cell = None if line.share is None else line.share.estimate
            ends: tuple[Cell, ...] = () if words else (None, None) if line.share is None else line.share.ends
            if words and line.share is not None:
                share = str(line.share)
            if words and line.share_in:
                share = f"in {line.share_in}"
            zero: Cell = line.why or line.excludes_zero if words else line.excludes_zero
            source = line.name if words else line.source
            covered: tuple[Cell, ...] = () if words else (line.covered,)
            rows.append((*about, source, value, line.low, line.high, share, *ends, zero, *covered))
        columns: tuple[str, ...] = ("source", "difference", "low", "high", "share", "excludes 0")
        if not words:
            columns = ("measure", "a", "b", "outcome", *columns[:5], "share low", "share high", "excludes 0", "covered")
        return Table(columns, rows, self.provenance)

    def frame(self) -> pl.DataFrame:
        """The table as a polars frame, null where there is no value."""
        return self.table(words=False).frame()

    def to_pandas(self) -> Any:
        """The table as a pandas frame."""
        return self.table(words=False).to_pandas()

    def to_dict(self) -> dict[str, object]:
        """Everything, for programs."""
        return {**self.document(provenance=True)}

    def document(self, provenance: bool = False) -> VerdictDocument:
        """The verdict as its JSON schema declares it.

        Parameters
        ----------
        provenance : bool, default False
            Whether it says how the study was made.

        Returns
        -------
        VerdictDocument
            What `to_dict` holds.
        """
        made: ProvenanceDocument = {"provenance": dict(self.provenance)} if provenance else {}
        c, wide, refused = self.comparison, self.with_unjudged, math.isnan(self.comparison.difference)
        unchecked: _Unchecked = (
            {"by_labels": self._label_outcome, "labels_by": self.labels_by} if self.labels_by else {}
        )
        margin: _Margin = {"not_worse_by": self.not_worse_by} if self.not_worse_by > 0 else {}
        lost: _NotJudgeable = {"not_judgeable": self.not_judgeable} if self.not_judgeable else {}
        return {
            "outcome": self.outcome,
            **unchecked,
            "sentence": self.sentence,
            "a": c.a,
            "b": c.b,
            "measure": c.measure,
            "value_a": None if refused else _or_none(c.value_a),  # their difference is what is refused
            "value_b": None if refused else _or_none(c.value_b),
            "difference": _or_none(c.difference),
            "low": _or_none(c.low),
            "high": _or_none(c.high),
            "p": _or_none(c.p),
            "with_unjudged": {"low": _or_none(wide.low), "high": _or_none(wide.high), "p": _or_none(wide.p)},
            "confidence": c.confidence,
            "min_effect": self.min_effect,
            **margin,
            "holds_for": self.holds_for,
            "not_covered": self.not_covered,
            "by_source": [
                {
                    "source": x.source,
                    "low": x.low,
                    "high": x.high,
                    "share": None if x.share is None else x.share.estimate,
                    "share_range": None if x.share is None else list(x.share.ends),
                    "covered": x.covered,
                    "why": x.reason,
                }
                for x in self.by_source
            ],
            "uncorrected": {
                "difference": c.uncorrected,
                "low": self.uncorrected.low,
                "high": self.uncorrected.high,
                "p": c.uncorrected_p,
            },
            "largest_source": self.largest_source,
            "influential": {
                source: [{"unit": x.unit, "influence": x.influence, "without": x.without} for x in units]
                for source, units in self.influential.items()
            },
            **lost,
            "unjudged": None
            if self.unjudged_bounds is None
            else self.unjudged_bounds.to_dict(self.unjudged_policy, self._undone_by(self.unjudged_bounds)),
            "next_steps": [step.to_dict() for step in self.steps],
            "withheld": list(self.withheld),
            "notes": [*(note for note in c.notes if note not in self.withheld), *self.notes],
            **made,
        }


class _Unchecked(TypedDict, total=False):
    """What a verdict by labels of a model has beside the others."""

    by_labels: Outcome
    labels_by: str


class _Margin(TypedDict, total=False):
    """What a verdict of non-inferiority has."""

    not_worse_by: float


class _NotJudgeable(TypedDict, total=False):
    """What a verdict has where people could not judge some documents."""

    not_judgeable: int


def _or_none(x: float | None) -> float | None:
    """A number for programs: none where it is not one."""
    return None if x is None or math.isnan(x) else x
