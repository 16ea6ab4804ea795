"""The facts of a page, as its sections read them; the true scores where they are known, and verdicts beside them."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Literal

from truegain.errors import InputError, MeasureError, some
from truegain.io.columns import Bools, RawTable, number_of
from truegain.io.files import read_bytes, shown_path
from truegain.io.separated import separated, separator_of
from truegain.io.table_format import first_line
from truegain.judge_error.diagnostics import Homogeneity
from truegain.judge_error.value_errors import ValueErrors
from truegain.measures.base import Measure
from truegain.measures.catalogue import parse_measure
from truegain.pooling.next_to_judge import Next
from truegain.preferences.description import JudgedVotes, PairVotes
from truegain.preferences.measures import MEASURES, preference_measure
from truegain.reliability.agree import AgreementReport
from truegain.results.base import Table
from truegain.stats.contrasts import within
from truegain.stats.results import Comparison, Estimate
from truegain.study.decision import SETTLED, could_move, outcome_by_limits
from truegain.study.documents import Outcome
from truegain.study.ranking import Ranking
from truegain.study.verdict import Verdict

# ---- The true scores, where they are known: of a simulated world, or from labels far beyond those of the study.

NAMES = ("system", "measure", "value")
BEGIN = "begin with a header line: system,measure,value"


@dataclass(frozen=True)
class Truth:
    """What systems score in truth, by measure and system."""

    values: Mapping[tuple[str, str], float]
    file: str = ""

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, float]]) -> Truth:
        """From system, measure and value.

        >>> Truth.of([("bm25", "P@10", 0.4)]).score(parse_measure("P@10"), "bm25")
        0.4
        """
        return cls({(_named_measure(measure), system): float(value) for system, measure, value in rows})

    def score(self, measure: Measure, system: str) -> float | None:
        """The true score; None where it is not known."""
        return self.values.get((str(measure), system))

    def renamed(self, called: Callable[[str], str]) -> Truth:
        """These scores, of systems that are called otherwise."""
        return replace(self, values={(measure, called(system)): x for (measure, system), x in self.values.items()})

    def check(self, systems: tuple[str, ...], measures: Sequence[Measure]) -> None:
        """Refuse a truth that is about nothing here."""
        if any(self.score(m, s) is not None for m in measures for s in systems):
            return
        scores = f"{some([str(m) for m in measures])} of {some(systems)}"
        true = [f"{m} of {s}" for m, s in self.values]
        raise InputError(f"no true score belongs to {scores}", file=self.file or None, hint=f"there is {some(true)}")


def _named_measure(name: str) -> str:
    """A measure as answers name it, of preferences as well.

    >>> _named_measure("ndcg@10"), _named_measure("bradley-terry")
    ('nDCG@10', 'Bradley-Terry')
    """
    return str(preference_measure(name) if name.strip().lower() in MEASURES else parse_measure(name))


def read_truth(path: str | PathLike[str]) -> Truth:
    """Read a table with the columns system, measure, value; other columns are not read."""
    file = shown_path(path)
    text = read_bytes(path)
    try:
        table = separated(text, "\t" if "\t" in first_line(text) else separator_of(first_line(text)), file)
    except UnicodeDecodeError:
        raise InputError("this is no text", file=file, hint="save it as UTF-8") from None
    names = [name.strip().lower() for name in table.columns]
    if missing := [name for name in NAMES if names.count(name) != 1]:
        words = "is named twice" if missing[0] in names else "is not named"
        raise InputError(f"column '{missing[0]}' {words}", file=file, line=1, text=first_line(text), hint=BEGIN)
    return Truth(_values(table, [names.index(name) for name in NAMES], file), file)


def _values(table: RawTable, at: Sequence[int], file: str) -> dict[tuple[str, str], float]:
    """Every row, checked."""
    scores: dict[tuple[str, str], float] = {}
    for row, cells in enumerate(zip(*(table.column(i) for i in at), strict=True)):
        system, measure, value = (str(cell).strip() for cell in cells)
        line = table.places.of(row)["line"]
        number = number_of(value)
        if not system:
            raise InputError("no system is named", file=file, line=line, hint="write system,measure,value")
        if number is None or not math.isfinite(number):
            hint = "write a number, or leave the line out"
            raise InputError("the true score is not a number", file=file, line=line, text=value, hint=hint)
        try:
            key = _named_measure(measure), system
        except MeasureError as error:
            raise InputError(error.message, file=file, line=line) from None
        if key in scores:
            raise InputError(f"{key[0]} of {system} appears here twice", file=file, line=line, hint="leave one line")
        scores[key] = number
    if not scores:
        raise InputError("there is no true score", file=file, hint="write lines of system,measure,value")
    return scores


# ---- The facts of a page, as its sections read them.


@dataclass(frozen=True, eq=False)
class MeasureFacts:
    """One measure: every system best first, and who is told apart from whom."""

    measure: Measure
    ranking: Ranking
    estimates: tuple[Estimate, ...]  # in the ranking's order
    naive: tuple[float, ...] | None  # scores by the labels as they are, where gold sets them right
    ahead: Bools  # all pairs at once
    alone: Bools  # differs if only this pair had been asked; empty where there are too many
    pairs: tuple[Comparison, ...]  # every pair; empty where there are too many
    unjudged: tuple[int, int] = (0, 0)  # documents where the measure looks, all lists together, and of how many
    notes: tuple[str, ...] = ()  # what must be said of the ranking

    @property
    def name(self) -> str:
        """As answers name it."""
        return self.ranking.measure or str(self.measure)

    @cached_property
    def apart(self) -> Bools:
        """Told apart, in either direction."""
        return self.ahead | self.ahead.T


@dataclass(frozen=True, eq=False)
class Claim:
    """That b is better than a: a verdict for each measure."""

    a: str
    b: str
    verdicts: tuple[Verdict, ...]
    baseline: bool = False  # whether a was named as a baseline
    together: Outcome | None = None  # by the first measure, all claims against baselines held at once

    @property
    def first(self) -> Verdict:
        """By the first measure."""
        return self.verdicts[0]

    @property
    def at_once(self) -> Outcome:
        """What is said of it together with all others against baselines, by the first measure."""
        return self.together or self.first.outcome


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: whether it is worth a look, in a few words, and at length."""

    name: str
    fine: bool
    value: str
    about: tuple[str, ...] = ()
    fails: bool = False  # whether nothing should be believed before it is mended

    @property
    def state(self) -> str:
        """In one word."""
        return "fails" if self.fails else "fine" if self.fine else "look"


@dataclass(frozen=True, eq=False)
class JudgeFacts:
    """The judge against the gold labels: of all pairs, and of what each system retrieved."""

    summary: str
    rates: tuple[float, float, float]  # sensitivity, specificity, informedness
    not_chance: str  # why it is not clearly better than chance; empty where it is
    rectified: bool  # whether gold labels are a sample of the same pairs, and correct without inverting a matrix
    pairs: int
    design: str
    by_label: Table
    by_system: Homogeneity | None
    notes: tuple[str, ...]  # what does not fit together
    by_rank: tuple[str, ...]  # whether accuracy changes with rank, or why that is not told
    values: ValueErrors | None = None  # of answers: its values beside people's
    two_scales: str = ""  # of answers: why the values of both seem to be of two scales


@dataclass(frozen=True, eq=False)
class PreferenceFacts:
    """Comparisons of two systems: who won how often, and a judge's votes beside people's."""

    pairs: tuple[PairVotes, ...]
    judge: JudgedVotes | None  # where there are gold comparisons
    design: str = ""  # of these
    flips: tuple[int, int, int] = (0, 0, 0)  # see `Preferences.flips`
    position: bool = False  # whether being shown first is a part of the model


@dataclass(frozen=True, eq=False)
class ContentFacts:
    """Measures that read text: scores of the systems in the main ranking's order, and how far the orders agree."""

    estimates: Mapping[str, tuple[Estimate, ...]]
    tau: Mapping[str, Estimate]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Made:
    """How a page was made."""

    version: str
    command: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    inputs: Mapping[str, str | None] = field(default_factory=dict)
    judgments: str = "JUDGMENTS"  # as a command names them; placeholders for what was not read from files
    runs: Mapping[str, str] = field(default_factory=dict)  # of systems
    words: Callable[[str], str] = str  # a message as its reader knows it: a command names options, not arguments
    answers: str = ""  # of answers: files and options by which a command reads them
    reading: tuple[str, ...] = ()  # options by which a command reads the other files
    rule: str = ""  # options by which it makes labels of ratings

    def files(self, *systems: str) -> str:
        """The judgments and some systems' runs, for a command."""
        return shlex.join([self.judgments, *(self.runs.get(system, "RUN") for system in systems), *self.reading])


Looks = Literal["", "betting", "asymptotic"]


@dataclass(frozen=True, eq=False)
class Facts:
    """Everything a page says."""

    systems: tuple[str, ...]
    topics: int
    labels: int
    gold: int  # labels of the trusted judge, 0 where there is none
    assessors: int  # 0 where labels are taken as they are
    confidence: float
    min_effect: float
    over: frozenset[str]
    holds_for: str
    not_covered: str
    measures: tuple[MeasureFacts, ...]
    claims: tuple[Claim, ...]  # those asked for; else the two best, or the two there are
    claims_requested: bool  # whether somebody asked for them
    checks: tuple[Check, ...]
    made: Made
    judge: JudgeFacts | None = None
    agreement: AgreementReport | None = None
    next: Next | None = None
    content: ContentFacts | None = None
    rule: str = ""  # by which ratings became one label a document
    replicates: int = 0  # of other collections
    seed: int = 0
    truth: Truth | None = None  # the true scores, where they are known
    unchecked: str = ""  # whose labels these are, where a model gave them, no person checked it and nobody trusts it
    teams: Mapping[str, str] = field(default_factory=dict)  # the team of each system, where teams are known
    answers: bool = False  # whether values of answers are scored, not ranked documents
    preferences: PreferenceFacts | None = None  # of comparisons of two systems, where these are scored
    looks: Looks = ""  # by what intervals hold at every look at a growing list of labels; empty: they hold at one

    @property
    def main(self) -> MeasureFacts:
        """The first measure."""
        return self.measures[0]

    @property
    def joint(self) -> bool:
        """Whether the page says of all claims jointly what it says of each: of several against baselines."""
        return self.claims[0].baseline and len(self.claims) > 1 and not self.unchecked

    @property
    def corrected(self) -> bool:
        """Whether gold labels set scores right."""
        return self.gold > 0

    @property
    def of_documents(self) -> bool:
        """Whether ranked documents are scored, of which some may be unjudged."""
        return not self.answers and self.preferences is None

    @property
    def unit(self) -> str:
        """What scores are made of."""
        return "vote" if self.preferences is not None else "value" if self.answers else "label"

    @property
    def gold_unit(self) -> str:
        """What corrects them."""
        return "gold label" if self.preferences is None else "gold comparison"

    @property
    def gold_design(self) -> str:
        """How these were drawn; empty where there are none."""
        if self.preferences is not None:
            return self.preferences.design
        return "" if self.judge is None else self.judge.design

    @property
    def level(self) -> str:
        """The confidence in per cent."""
        return f"{100 * self.confidence:g}%"


# ---- The interval of a difference that holds whatever the labels of unjudged documents are.


def with_unjudged(facts: Facts, verdict: Verdict) -> tuple[float, float] | None:
    """Its limits, by which the verdict goes; None where there is none, or unjudged documents count as not relevant."""
    c, hidden = verdict.comparison, verdict.unjudged_bounds
    if c.low is None or c.high is None or hidden is None or not hidden.documents or verdict.unjudged_policy != "bound":
        return None
    fall, rise = could_move(hidden, verdict.unjudged_policy)
    bounds = next((m.measure for m in facts.measures if m.name == c.measure), facts.main.measure).bounds()
    low, high = within(c.low + fall, c.high + rise, bounds, value=c.difference, differences=True)
    return float(low), float(high)


# ---- Verdicts beside the truth: right, wrong, or undecided.

Mark = Literal["right", "wrong", "undecided"]


def mark_of(outcome: Outcome, difference: float, min_effect: float = 0.0) -> Mark:
    """An outcome beside the true difference.

    'better' is right where the difference is above 0 and no smaller than the smallest gain that matters, 'not better'
    where it is not; 'worse' where it is below 0; 'not worse' where it is above a smallest gain below 0.

    >>> mark_of("better", 0.01), mark_of("better", -0.01), mark_of("worse", -0.01), mark_of("worse", 0.0)
    ('right', 'wrong', 'right', 'wrong')
    >>> mark_of("not better", 0.01, 0.02), mark_of("better", 0.01, 0.02), mark_of("not better", 0.01)
    ('right', 'wrong', 'wrong')
    >>> mark_of("not worse", -0.01, min_effect=-0.02), mark_of("not worse", -0.03, min_effect=-0.02)
    ('right', 'wrong')
    >>> mark_of("inconclusive", 0.3)
    'undecided'
    """
    if outcome not in SETTLED:
        return "undecided"
    better = difference > 0 and difference >= min_effect
    right = {"better": better, "not better": not better, "worse": difference < 0, "not worse": difference > min_effect}
    return "right" if right[outcome] else "wrong"


@dataclass(frozen=True)
class MarkedClaim:
    """A claim beside its truth: the verdict, and what the labels as they are would have said."""

    verdict: Verdict
    true: float
    mark: Mark
    labels: Outcome
    labels_mark: Mark


@dataclass(frozen=True)
class MeasureMarks:
    """All that a measure says, beside the truth; what has no known truth is only counted."""

    measure: MeasureFacts
    claims: tuple[MarkedClaim, ...]
    unknown: int  # claims about a system whose score is not known
    scores: tuple[tuple[Estimate, float], ...]  # those with an interval
    apart: int  # pairs of known truth told apart, all at once
    in_order: int  # of these in the true order
    pairs: int

    @property
    def held(self) -> int:
        """Score intervals that hold the truth."""
        return sum(e.low <= true <= e.high for e, true in self.scores)


def counts(marks: Iterable[Mark]) -> dict[Mark, int]:
    """How many are right, wrong, undecided.

    >>> counts(["right", "undecided", "right"])
    {'right': 2, 'wrong': 0, 'undecided': 1}
    """
    n = Counter(marks)
    return {"right": n["right"], "wrong": n["wrong"], "undecided": n["undecided"]}


def marks_of(facts: Facts) -> tuple[MeasureMarks, ...]:
    """Every measure of which some true score is known, beside it; none where no truth was given."""
    if facts.truth is None:
        return ()
    marks = (_of_measure(facts, i) for i in range(len(facts.measures)))
    return tuple(m for m in marks if m is not None)


def _of_measure(facts: Facts, at: int) -> MeasureMarks | None:
    assert facts.truth is not None
    m = facts.measures[at]
    true = {s: x for s in facts.systems if (x := facts.truth.score(m.measure, s)) is not None}
    if not true:
        return None
    claims = [
        _marked(c.verdicts[at], true[c.b] - true[c.a], facts.min_effect)
        for c in facts.claims
        if c.a in true and c.b in true
    ]
    scores = tuple((e, true[e.system]) for e in m.estimates if e.system in true and not math.isnan(e.low))
    order = [(i, s) for i, s in enumerate(m.ranking.systems) if s in true]
    ahead = [(true[s], true[t]) for i, s in order for j, t in order if m.ahead[i, j]]
    right = sum(first > second for first, second in ahead)
    pairs = len(order) * (len(order) - 1) // 2
    return MeasureMarks(m, tuple(claims), len(facts.claims) - len(claims), scores, len(ahead), right, pairs)


def _marked(verdict: Verdict, true: float, min_effect: float) -> MarkedClaim:
    naive = replace(verdict.comparison, low=verdict.uncorrected.low, high=verdict.uncorrected.high)
    labels = outcome_by_limits(naive, verdict.unjudged_bounds, verdict.unjudged_policy, min_effect)
    return MarkedClaim(
        verdict, true, mark_of(verdict.outcome, true, min_effect), labels, mark_of(labels, true, min_effect)
    )
