"""One verdict per comparison: does it hold, for whom, what decides it, what would settle it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict

from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.stats.results import Comparison
from truegain.study.decision import outcome_by_limits
from truegain.study.documents import Outcome, ProvenanceDocument, VerdictDocument
from truegain.study.variance_table import TOGETHER
from truegain.study.verdict_text import VerdictText

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, repr=False)
class Verdict(VerdictText):
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
    unjudged_bounds : PairBounds or None
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
        Both systems rank the judged documents identically, and nothing that could tell them apart is sampled.
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
        outcome = outcome_by_limits(replace(c, low=low, high=high), unjudged_bounds, self.unjudged_policy, self._goal)
        return outcome if outcome == "inconclusive" else self.outcome if self.outcome == "unchecked" else outcome

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
