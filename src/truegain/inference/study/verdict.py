"""One verdict per comparison: does it hold, for whom, what decides it, what would settle it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from truegain.inference.results import Comparison
from truegain.inference.study.hidden import Hidden
from truegain.inference.study.next_steps import Step
from truegain.tables.table import Cell, Table

Outcome = Literal["holds", "does not hold", "cannot be told"]
OTHERS = {
    "topics": "other topics",
    "collection": "other collections",
    "assessors": "other assessors",
    "gold": "other gold labels",
}


@dataclass(frozen=True)
class Line:
    """The difference over one source alone, or over all asked for together."""

    source: str
    low: float | None
    high: float | None
    share: float | None = None  # of the variance of all together, to the nearest tenth
    why: str = ""  # where there is no interval

    @property
    def survives(self) -> bool | None:
        """Whether zero lies outside; None where it is not known."""
        return None if self.low is None or self.high is None else self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Verdict:
    """Whether b is better than a: the answer first, then what it stands on.

    holds: low + what holes could take > 0;  does not hold: high + what holes could give < the smallest gain that
    matters, or < 0;  cannot be told: otherwise.
    """

    comparison: Comparison
    outcome: Outcome
    smallest: float
    holds_for: str
    held_fixed: str
    lines: tuple[Line, ...]
    naive: Line
    decides: str
    decisive: dict[str, tuple[tuple[str, float], ...]]
    hidden: Hidden | None
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    borrowed: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        c = self.comparison
        number = f"{c.difference:+.4f} {c.measure}"
        interval = "" if c.low is None or c.high is None else f" [{c.low:.4f}, {c.high:.4f}]"
        if self.outcome == "holds":
            return f"{c.b} is better than {c.a}: {number}{interval}, {self.holds_for}{self._survives()}."
        if self.outcome == "does not hold":
            if c.high is not None and c.high < 0:
                return f"{c.b} is not better than {c.a}, it is worse: {number}{interval}, {self.holds_for}."
            return f"{c.b} is not better than {c.a} by {self.smallest:g} or more: {number}{interval}, {self.holds_for}."
        return (
            f"Whether {c.b} is better than {c.a} cannot be told: {number}{interval}, {self.holds_for}; {self._why()}."
        )

    def _survives(self) -> str:
        known = [line for line in self.lines if line.source in OTHERS and line.survives is not None]
        kept = [OTHERS[line.source] for line in known if line.survives]
        lost = [OTHERS[line.source] for line in known if not line.survives]
        if not lost:
            return ""
        return f"; it survives {_and(kept)}, not {_and(lost)}" if kept else f"; it does not survive {_and(lost)}"

    def _why(self) -> str:
        c = self.comparison
        if self.borrowed:
            return self.borrowed[0]
        if c.low is None:
            return "it has no interval"
        if c.low > 0 and self.hidden is not None:
            n = self.hidden.to_undo(c.low)
            return (
                f"by the labels there are it holds, unless unjudged documents are relevant on at least {n} of "
                f"{self.hidden.topics} topics ({self.hidden.documents:,} unjudged)"
            )
        return f"what decides it: {self.decides}"

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """The sentence, then the table, then the rest."""
        parts = [self.sentence, "", self.table().text().rstrip("\n")]
        for source, units in self.decisive.items():
            told = ", ".join(f"{name} ({move:+.4f})" for name, move in units)
            parts.append(f"\nWhich {source} decide it (how far each moves the difference): {told}")
        if self.hidden is not None and self.hidden.documents:
            parts.append(
                f"\nHoles: {self.hidden.documents:,} unjudged documents where {self.comparison.measure} looks could "
                f"move the difference by {self.hidden.least:+.4f} to {self.hidden.most:+.4f}."
            )
        if self.steps:
            parts.append("\nWhat to buy next (half width of the interval then):")
            parts += [f"  {step}" + _enough(step, self.smallest) for step in self.steps]
        parts += [f"\n{note}" for note in self.notes]
        return "\n".join(parts) + "\n"

    def table(self) -> Table:
        """The difference over each source alone, over all together, and by the labels as they are."""
        rows: list[tuple[Cell, ...]] = []
        for line in (*self.lines, self.naive):
            value = self.comparison.naive if line is self.naive else self.comparison.difference
            share = None if line.share is None else f"{line.share:.0%}"
            rows.append((line.source, value, line.low, line.high, share, line.why or _survival(line)))
        return Table(("over", "difference", "low", "high", "share", "zero"), rows)

    def to_dict(self) -> dict[str, object]:
        """Everything, for programs."""
        c = self.comparison
        return {
            "outcome": self.outcome,
            "sentence": self.sentence,
            "a": c.a,
            "b": c.b,
            "measure": c.measure,
            "difference": c.difference,
            "low": c.low,
            "high": c.high,
            "p": c.p,
            "confidence": c.level,
            "smallest": self.smallest,
            "holds_for": self.holds_for,
            "held_fixed": self.held_fixed,
            "by_source": [
                {"over": x.source, "low": x.low, "high": x.high, "share": x.share, "why": x.why} for x in self.lines
            ],
            "naive": {"difference": c.naive, "low": self.naive.low, "high": self.naive.high, "p": c.naive_p},
            "decides": self.decides,
            "decisive": {k: [{"unit": u, "move": m} for u, m in v] for k, v in self.decisive.items()},
            "holes": None
            if self.hidden is None
            else {"documents": self.hidden.documents, "low": self.hidden.least, "high": self.hidden.most},
            "next_steps": [
                {"what": s.what, "more": s.more, "half_width": s.half, "cost": s.cost, "enough": s.enough}
                for s in self.steps
            ],
            "borrowed": list(self.borrowed),
            "notes": list(self.notes),
        }


def outcome_of(low: float, high: float, hidden_low: float, hidden_high: float, smallest: float) -> Outcome:
    """The rule.

    >>> outcome_of(0.01, 0.05, 0.0, 0.0, 0.0), outcome_of(0.01, 0.05, -0.02, 0.0, 0.0)
    ('holds', 'cannot be told')
    >>> outcome_of(-0.03, 0.01, 0.0, 0.0, 0.02), outcome_of(-0.03, -0.01, 0.0, 0.0, 0.0)
    ('does not hold', 'does not hold')
    """
    if low + hidden_low > 0:
        return "holds"
    if high + hidden_high < max(smallest, 0.0):
        return "does not hold"
    return "cannot be told"


def _survival(line: Line) -> str:
    return "" if line.survives is None else "outside" if line.survives else "inside"


def _enough(step: Step, smallest: float) -> str:
    if step.enough is None:
        return ""
    return "" if step.enough else f"; not enough alone for +-{smallest:g}"


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
