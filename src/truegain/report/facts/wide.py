"""The interval of a difference that holds whatever the labels of unjudged documents are."""

from __future__ import annotations

from truegain.inference.limits import within
from truegain.inference.study.rule import could_move
from truegain.inference.study.verdict import Verdict
from truegain.report.facts.facts import Facts


def with_holes(facts: Facts, verdict: Verdict) -> tuple[float, float] | None:
    """Its limits, by which the verdict goes; None where there is none, or unjudged documents count as not relevant."""
    c, hidden = verdict.comparison, verdict.hidden
    if c.low is None or c.high is None or hidden is None or not hidden.documents or verdict.holes != "bound":
        return None
    fall, rise = could_move(hidden, verdict.holes)
    bounds = next((m.measure for m in facts.measures if m.name == c.measure), facts.main.measure).bounds()
    low, high = within(c.low + fall, c.high + rise, bounds, value=c.difference, differences=True)
    return float(low), float(high)
