"""The facts of a page, as its sections read them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from truegain.inference.agreement.agree import AgreementReport
from truegain.inference.holes.next import Next
from truegain.inference.judges.homogeneity import Homogeneity
from truegain.inference.results import Comparison, Estimate
from truegain.inference.study.ranking import Ranking
from truegain.inference.study.rule import Outcome
from truegain.inference.study.verdict import Verdict
from truegain.measures.base import Measure
from truegain.report.facts.truth import Truth
from truegain.tables.columns import Bools
from truegain.tables.table import Table


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

    told: str
    rates: tuple[float, float, float]  # mR, mN, D
    not_chance: str  # why it is not clearly better than chance; empty where it is
    rectified: bool  # whether gold labels are a sample of the same pairs, and correct without inverting a matrix
    pairs: int
    design: str
    by_label: Table
    by_system: Homogeneity | None
    measure: str
    notes: tuple[str, ...]  # what does not fit together
    by_rank: tuple[str, ...]  # whether accuracy changes with rank, or why that is not told


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

    def files(self, *systems: str) -> str:
        """The judgments and some systems' runs, for a command."""
        return shlex.join([self.judgments, *(self.runs.get(system, "RUN") for system in systems)])


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
    held_fixed: str
    measures: tuple[MeasureFacts, ...]
    claims: tuple[Claim, ...]  # those asked for; else the two best, or the two there are
    asked: bool  # whether somebody asked for them
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

    @property
    def main(self) -> MeasureFacts:
        """The first measure."""
        return self.measures[0]

    @property
    def corrected(self) -> bool:
        """Whether gold labels set scores right."""
        return self.gold > 0

    @property
    def level(self) -> str:
        """The confidence in per cent."""
        return f"{100 * self.confidence:g}%"
