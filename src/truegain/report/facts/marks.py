"""Verdicts beside the truth: right, wrong, or undecided."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from truegain.inference.results import Estimate
from truegain.inference.study.rule import SETTLED, Outcome, decided
from truegain.inference.study.verdict import Verdict
from truegain.report.facts.facts import Facts, MeasureFacts

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
    found = Counter(marks)
    return {"right": found["right"], "wrong": found["wrong"], "undecided": found["undecided"]}


def marks_of(facts: Facts) -> tuple[MeasureMarks, ...]:
    """Every measure of which some true score is known, beside it; none where no truth was given."""
    if facts.truth is None:
        return ()
    found = (_of_measure(facts, i) for i in range(len(facts.measures)))
    return tuple(m for m in found if m is not None)


def _of_measure(facts: Facts, at: int) -> MeasureMarks | None:
    assert facts.truth is not None
    m = facts.measures[at]
    known = {s: x for s in facts.systems if (x := facts.truth.score(m.measure, s)) is not None}
    if not known:
        return None
    claims = [
        _marked(c.verdicts[at], known[c.b] - known[c.a], facts.min_effect)
        for c in facts.claims
        if c.a in known and c.b in known
    ]
    scores = tuple((e, known[e.system]) for e in m.estimates if e.system in known and not math.isnan(e.low))
    order = [(i, s) for i, s in enumerate(m.ranking.systems) if s in known]
    ahead = [(known[s], known[t]) for i, s in order for j, t in order if m.ahead[i, j]]
    right = sum(first > second for first, second in ahead)
    pairs = len(order) * (len(order) - 1) // 2
    return MeasureMarks(m, tuple(claims), len(facts.claims) - len(claims), scores, len(ahead), right, pairs)


def _marked(verdict: Verdict, true: float, min_effect: float) -> MarkedClaim:
    naive = replace(verdict.comparison, low=verdict.naive.low, high=verdict.naive.high)
    labels = decided(naive, verdict.hidden, verdict.holes, min_effect)
    return MarkedClaim(
        verdict, true, mark_of(verdict.outcome, true, min_effect), labels, mark_of(labels, true, min_effect)
    )
