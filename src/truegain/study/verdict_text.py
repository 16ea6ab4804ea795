"""A verdict in words: the claim and its numbers, why it is inconclusive, what it stands on, what to do next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from truegain.data.id_matching import DOUBT, FEW
from truegain.data.models import by_unchecked
from truegain.errors import counted
from truegain.results.base import Result
from truegain.results.table import listed
from truegain.sampling.catalogue import SOURCES, holders, outermost
from truegain.sampling.source import Source
from truegain.stats.results import Comparison
from truegain.study.decision import (
    MORE_LABELS,
    SETTLED,
    UNJUDGED_FIRST,
    Reason,
    could_move,
    in_one,
    outcome_of,
    undone_by,
)
from truegain.study.documents import Outcome
from truegain.study.estimates import ALIKE
from truegain.study.precision import Step
from truegain.study.unjudged import PairBounds
from truegain.study.variance_table import (
    NOT_KNOWN,
    InfluentialUnit,
    Line,
    influential_in_words,
    is_open_which,
    largest_of,
    signed,
    unsigned,
)

SAYS_NOTHING = "10-90%"  # the widest range of a share that has both ends
ASSUMES_WORST = "the verdict assumes the worst case"
EXACT = "exact, because all labels are gold"
EXACT_BUT_UNJUDGED = "exact for the judged documents, which all have gold labels"


@dataclass(frozen=True, repr=False)
class VerdictText(Result):
    """What a verdict knows, and its words; `Verdict` says what each attribute is."""

    comparison: Comparison  # by the labels there are; see `with_unjudged`
    outcome: Outcome
    min_effect: float
    holds_for: str
    not_covered: str
    by_source: tuple[Line, ...]
    uncorrected: Line
    largest_source: str
    influential: dict[str, tuple[InfluentialUnit, ...]]
    unjudged_bounds: PairBounds | None
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
    def sentence(self) -> str:
        """The verdict in one sentence."""
        c = self.comparison
        return self.with_numbers(f"{signed(c.difference)} {c.measure}{self._interval_text}")

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
            why = self._why_inconclusive()[1]
            return f"{self._open_question(f' on {c.measure}')}, {self.holds_for}; {why}{self._assumed}."
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
            more = "".join(self._why_inconclusive())
        elif self.alike and self._label_outcome == "not better":
            more = f"; {ALIKE}"
        else:
            exact = self._without_interval and not self.alike
            unjudged = self.unjudged_bounds is not None and self.unjudged_bounds.documents
            why = EXACT_BUT_UNJUDGED if unjudged else EXACT
            more = (f"; {why}" if exact else "") + (self._not_shown_for() if self._label_outcome == "better" else "")
        return f"{more}{self._assumed}"

    # ------------------------------------------------------------------ the claim

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

    def _answer(self, on: str = "") -> str:
        """The answer where there is one."""
        c, least = self.comparison, abs(self._goal)
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
        same = "; both score the same" if self._without_interval and not least else ""
        return f"{c.b} is not better {than}{by}{same}"

    def _some_gain(self, on: str = "") -> str:
        """What is known and what is not, where there is a gain that may be smaller than the smallest that matters."""
        c = self.comparison
        return f"{c.b} is better than {c.a}{on}, but whether by {abs(self._goal):g} or more is not known"

    def _open_question(self, on: str = "") -> str:
        """The claim that the data cannot show."""
        c, by = self.comparison, f" by {self.not_worse_by:g} or more"
        claim = f"worse than {c.a}{on}{by}" if self.not_worse_by > 0 else f"better than {c.a}{on}"
        return f"{self._inconclusive}: the data cannot show whether {c.b} is {claim}"

    @property
    def _inconclusive(self) -> str:
        """How a sentence begins that claims nothing."""
        return self._by_whom("the result is inconclusive") if self.labels_by else "Inconclusive"

    def _by_whom(self, answer: str) -> str:
        """An answer with whose labels say so, where no person has checked them."""
        return by_unchecked(self.labels_by, f", {answer}") if self.labels_by else answer

    @property
    def _interval_text(self) -> str:
        """The interval behind the difference; empty where there is none to show."""
        c = self.comparison
        if c.low is None or c.high is None or self._without_interval:
            return ""
        return f", {100 * c.confidence:g}% CI [{unsigned(c.low)}, {unsigned(c.high)}]"

    # ------------------------------------------------------------------ why it is inconclusive, and what was assumed

    def _why_inconclusive(self) -> tuple[str, str]:
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
            least = abs(self._goal)
            moved = "reduce" if c.low >= least else "raise" if c.high < least else ""
            return f"; unjudged documents could {moved} the gain" if moved else "", self._not_shown_for()
        labels, gain = outcome_of(c.low, c.high, 0.0, 0.0, self._goal), self.not_worse_by <= 0 and c.low > 0
        if self.unjudged_bounds is not None and self.unjudged_bounds.documents and (labels != "inconclusive" or gain):
            below = (
                f"; the gain is below {self.min_effect:g} by the judged documents"
                if self.min_effect > 0 and c.high < self.min_effect
                else ""
            )
            return f"{below}, but ", self._held_back(self.unjudged_bounds, c.low, c.high)
        includes = f"{self._goal:g}" if self.min_effect <= 0 else f"both 0 and {self.min_effect:g}"
        return ", but ", f"the interval includes {includes}{self._mostly()}"

    def _held_back(self, unjudged_bounds: PairBounds, low: float, high: float) -> str:
        """How unjudged documents could turn what the labels say."""
        of, count = unjudged_bounds.counted, self._undone_by(unjudged_bounds)
        may_be_fewer = unjudged_bounds.over is not None  # of topics like these no least number is known
        labels = outcome_of(low, high, 0.0, 0.0, self._goal)
        if labels == "inconclusive":
            return f"the interval includes {self.min_effect:g}, and {of} could remove the whole gain"
        if labels in ("better", "not worse"):
            on = unjudged_bounds.to_undo(low - self._goal)
            where = (
                f"on as few as {on} of {unjudged_bounds.topics} topics"
                if may_be_fewer
                else f"on {on} or more of {unjudged_bounds.topics} topics"
            )
            if count is None:
                return f"{of} could change that, {where}"
            fewest = f"as few as {count:,}" if may_be_fewer else f"{count:,} or more"
            return f"that would change if {fewest} of {of} were relevant, {where}"
        wider = " and widen the interval" if unjudged_bounds.wider[1] > 0 else ""
        most = f"{of} could add up to {unjudged_bounds.most:.4f}{wider}"
        if count is None:
            return most
        relevant = f"relevant one{'' if count == 1 else 's'}"
        if may_be_fewer:
            return f"{most}; as few as {count:,} {relevant} would change the verdict"
        return f"{most}; at least {count:,} {relevant} would be needed to change the verdict"

    def _undone_by(self, unjudged_bounds: PairBounds) -> int | None:
        """How many unjudged documents can undo what the labels say; None: none can, or it is not known."""
        c = self.comparison
        return None if c.low is None or c.high is None else undone_by(unjudged_bounds, c.low, c.high, self._goal)

    def _mostly(self) -> str:
        """Which source brings most of the variance, or probably does; nothing of one source."""
        shares = {x.source: x.share for x in self.by_source if x.share and not x.share.is_none and x.covered}
        if len(shares) < 2:
            return ""
        if (largest := largest_of(shares)) is None:
            if is_open_which(shares):
                return "; which source contributes most of the variance is unknown"
            return "; no single source dominates the variance"
        source, is_sure = largest
        few = f"having only {self.sizes[source]}" if source in self.sizes else self.source_of(source).cause
        if is_sure:
            return f"; {shares[source].in_words} of the variance comes from {few}"
        if str(shares[source]) == SAYS_NOTHING:
            return ""
        return f"; probably the largest part of the variance ({shares[source]}) comes from {few}"

    def _not_shown_for(self) -> str:
        """The sources that the verdict does not cover, where the interval over that source alone includes 0."""
        lines = [x for x in self.by_source if x.source in SOURCES]
        lost = [self.source_of(x.source).other for x in lines if not x.covered and x.excludes_zero is False]
        kept = [self.source_of(x.source).other for x in lines if x.covered and x.excludes_zero]
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

    @property
    def _assumed(self) -> str:
        """What was assumed of documents without a label: that people could not judge, or were not asked about."""
        if not self.not_judgeable:
            return self._unjudged_note
        these = f"{counted(self.not_judgeable, 'document')} that people could not judge"
        return f"; the interval allows for any label of {these}{self._unjudged_note}"

    @property
    def _unjudged_note(self) -> str:
        """What was assumed of unjudged documents, where they do not hold the verdict back."""
        if self.unjudged_bounds is not None and self.unjudged_policy == "bound":
            return f"; {self.unjudged_bounds.as_zero}" if self.unjudged_bounds.as_zero else ""
        unjudged = self.unjudged_bounds is None or self.unjudged_bounds.documents or self.unjudged_bounds.below
        return "; unjudged documents count as not relevant" if unjudged else ""

    # ------------------------------------------------------------------ what these words stand on

    @property
    def settled(self) -> bool:
        """Whether the claim is answered."""
        return self.outcome in SETTLED

    @property
    def _label_outcome(self) -> Outcome:
        """What the labels say, whoever gave them."""
        return self.outcome if self.by_labels is None else self.by_labels

    @property
    def _goal(self) -> float:
        """What the difference is held against: the smallest gain, or below 0 how much worse it may be."""
        return -self.not_worse_by if self.not_worse_by > 0 else self.min_effect

    @property
    def _is_gain(self) -> bool:
        """Whether it is a gain, though perhaps too small a one."""
        low = self.comparison.low
        return low is not None and low + self._could[0] > 0 and not self.reasons and self.not_worse_by <= 0

    @property
    def _could(self) -> tuple[float, float]:
        """What unjudged documents could take and give, where they hold the verdict back."""
        return could_move(self.unjudged_bounds, self.unjudged_policy)

    @property
    def _without_interval(self) -> bool:
        """Whether the difference is exact: all labels gold and nothing else sampled, or both rankings alike."""
        return (self.exact or self.alike) and self.comparison.low is not None

    # ------------------------------------------------------------------ at length

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
        known = {s for s, x in line.items() if str(x.share) != NOT_KNOWN}
        sentences = ["Shares of the variance are 90% ranges."] if known else []
        if nested:
            shares = "; its share is" if len(nested) == 1 else "; their shares are"
            listed_too = {s for s in line if outer in holders(s)} <= known
            both = f"The row {outer} already includes the uncertainty from {listed(nested)}"
            sentences.append(f"{both}{f'{shares} shown separately' if listed_too else ''}.")
            least, whole = line[outer].width, self.by_source[-1].width
            if any(x.width > least for s, x in line.items() if outer in holders(s)):
                use = "; all sources use the wider" if whole > least else ""
                sentences.append(f"All are estimates, and here the interval over {outer} is the narrower{use}.")
        people = line.get("assessors")
        little = people is not None and people.share is not None and people.share.value < 0.05
        if people is not None and little and people.width > self.by_source[-1].width / 2:
            sentences.append(
                f"{self.source_of('assessors').units} seem to add little: the other sources already include most of "
                "their variation."
            )
        return [" ".join(sentences)]

    def _next(self, how_to_check: str, how_to_draw: str) -> list[str]:
        """What to do next: what would bring a claim, or narrow the interval."""
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
        return next((s.aim for s in self.steps if s.aim > 0), abs(self._goal))

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
