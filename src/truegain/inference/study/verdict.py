"""One verdict per comparison: does it hold, for whom, what decides it, what would settle it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from truegain.inference.limits import within
from truegain.inference.results import Comparison
from truegain.inference.study.contrasts import Contrasts
from truegain.inference.study.hidden import Hidden
from truegain.inference.study.lattice import SOURCES, Lattice, limits
from truegain.inference.study.moves import Moves
from truegain.inference.study.next_steps import Step
from truegain.measures.base import Measure
from truegain.tables.table import Cell, Table

Outcome = Literal["holds", "does not hold", "cannot be told"]
OTHERS = {
    "topics": "other topics",
    "collection": "other collections",
    "assessors": "other assessors",
    "gold": "other gold labels",
}
UNITS = {"topics": "Topics", "gold": "Gold labels", "assessors": "Assessors"}
TOGETHER = "all together"
NESTED = (
    "The line of topics has in it what lies within them (their documents, their gold labels); a share is what a source "
    "brings of its own."
)


@dataclass(frozen=True)
class Line:
    """The difference over one source alone, or over all asked for together."""

    source: str
    low: float | None
    high: float | None
    share: float | None = None  # of the variance of all together, to the nearest tenth
    why: str = ""  # where there is no interval
    asked: bool = True  # whether the verdict speaks of this source

    @property
    def survives(self) -> bool | None:
        """Whether zero lies outside; None where it is not known."""
        return None if self.low is None or self.high is None else self.low > 0 or self.high < 0


class Pull(NamedTuple):
    """How far a unit moves the difference, and what this would be without it, where all was fitted again."""

    unit: str
    move: float
    without: float | None

    @classmethod
    def most_of(cls, moves: Moves, asked: Contrasts, most: int = 5) -> tuple[Pull, ...]:
        """The units of a source that move a difference most."""
        named, left = moves.decisive(asked, most), moves.left_without(asked, most)
        return tuple(cls(unit, move, x) for (unit, move), x in zip(named, left, strict=True))


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
    decisive: dict[str, tuple[Pull, ...]]
    hidden: Hidden | None
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    borrowed: tuple[str, ...] = ()
    holes: str = "bound"

    # ------------------------------------------------------------------ in one sentence

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        c = self.comparison
        interval = "" if c.low is None or c.high is None else f" [{c.low:.4f}, {c.high:.4f}]"
        found = f"{c.difference:+.4f} {c.measure}{interval}, {self.holds_for}"
        if self.outcome == "holds":
            by, open_ = self._by_how_much()
            return f"{c.b} is better than {c.a}{by}: {found}{self._survives()}{open_}."
        if self.outcome == "does not hold":
            if c.high is not None and c.high + self._could[1] < 0:
                return f"{c.b} is not better than {c.a}, it is worse: {found}."
            return f"{c.b} is not better than {c.a} by {self.smallest:g} or more: {found}."
        return f"Whether {c.b} is better than {c.a} cannot be told: {found}; {self._why()}."

    @property
    def _could(self) -> tuple[float, float]:
        """What holes could take and give, where they hold the verdict back."""
        if self.hidden is None or self.holes != "bound":
            return 0.0, 0.0
        return self.hidden.least, self.hidden.most

    def _survives(self) -> str:
        """What was held fixed and would, by itself, take the difference away."""
        lost = [OTHERS[x.source] for x in self.lines if x.source in OTHERS and not x.asked and x.survives is False]
        kept = [OTHERS[x.source] for x in self.lines if x.source in OTHERS and x.asked]
        if not lost:
            return ""
        return f"; it survives {_and(kept)}, not {_and(lost)}" if kept else f"; it does not survive {_and(lost)}"

    def _by_how_much(self) -> tuple[str, str]:
        """What is known of the smallest gain that matters, and what is not."""
        c, least = self.comparison, self.smallest
        if least <= 0 or c.low is None or c.high is None:
            return "", ""
        if c.low + self._could[0] >= least:
            return f" by {least:g} or more", ""
        if c.high + self._could[1] < least:
            return f", but by less than {least:g}", ""
        return "", f"; whether by {least:g} or more cannot be told"

    def _why(self) -> str:
        """Why it cannot be told."""
        c = self.comparison
        if self.borrowed:
            return self.borrowed[0]
        if c.low is None or c.high is None:
            return "; ".join(c.notes) or "it has no interval"
        if self.hidden is not None and self.hidden.documents and (c.low > 0 or c.high < max(self.smallest, 0.0)):
            return self._held_back(self.hidden, c.low)
        none = "0 lies" if self.smallest <= 0 else f"no gain and one of {self.smallest:g} both lie"
        several = sum(x.source in OTHERS and x.asked for x in self.lines) > 1
        return f"{none} within the limits" + (f", and what decides it is {self.decides}" if several else "")

    def _held_back(self, hidden: Hidden, low: float) -> str:
        """How unjudged documents could turn what the labels say."""
        if low > 0:
            on = hidden.to_undo(low)
            return (
                f"by the labels there are it holds, unless unjudged documents turn against it on {on} or more of "
                f"{hidden.topics} topics ({_count(hidden.documents, 'unjudged document')})"
            )
        what = "it is worse" if self.smallest <= 0 else f"the gain is below {self.smallest:g}"
        return (
            f"by the labels there are {what}, but {_count(hidden.documents, 'unjudged document')} could add up to "
            f"{hidden.most:.4f}"
        )

    # ------------------------------------------------------------------ at length

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """The sentence, then the table, then the rest."""
        return "\n".join([self.sentence, "", self.table().text().rstrip("\n"), *(f"\n{x}" for x in self.about)]) + "\n"

    @property
    def about(self) -> tuple[str, ...]:
        """What the verdict stands on, beside the table."""
        said = [f"Limits are those of {100 * self.comparison.level:g}%. Held fixed: {self.held_fixed}."]
        sources = {line.source for line in self.lines}
        if len(sources) > 2:
            said.append("Shares of the variance are known to the nearest tenth.")
        if "topics" in sources and sources & {"collection", "gold"}:
            said[-1] += f" {NESTED}"
        said += [_pulls(source, units) for source, units in self.decisive.items() if units]
        if self.hidden is not None and self.hidden.documents:
            how = "the verdict takes the worst" if self.holes == "bound" else "the verdict counts them as not relevant"
            said.append(
                f"Holes: {_count(self.hidden.documents, 'unjudged document')} where {self.comparison.measure} looks "
                f"could move the difference by {self.hidden.least:+.4f} to {self.hidden.most:+.4f}; {how}."
            )
        said += self._next()
        return (*said, *self.borrowed[self.outcome == "cannot be told" :], *self.notes)

    def _next(self) -> list[str]:
        c = self.comparison
        if not self.steps or c.low is None or c.high is None:
            return []
        head = f"What more would bring (half the width of the interval, now +-{(c.high - c.low) / 2:.4f}):"
        steps = [f"  {s}{'; not enough alone' if s.enough is False else ''}" for s in self.steps]
        said = ["\n".join([head, *steps])]
        if self.smallest > 0:
            enough = [s for s in self.steps if s.enough]
            priced = [s for s in enough if s.cost is not None]
            if not enough:
                said[0] += f"\nNone of these alone brings +-{self.smallest:g}."
            elif priced and len(priced) == len(enough):
                said[0] += f"\nCheapest for +-{self.smallest:g}: {str(priced[0]).partition(' (')[0]}."
        return said

    def table(self, words: bool = True) -> Table:
        """The difference over each source alone, over all together, and by the labels as they are.

        words: for people, shares in percent and why an interval is missing.
        """
        own = [line for line in self.lines if line.source != TOGETHER]
        lines = own if len(own) == 1 and own[0].asked and own[0].low is not None else list(self.lines)
        same = any((x.low, x.high) == (self.naive.low, self.naive.high) for x in lines)
        if not same or self.comparison.naive != self.comparison.difference:
            lines = [*lines, self.naive]
        rows: list[tuple[Cell, ...]] = []
        for line in lines:
            value = self.comparison.naive if line is self.naive else self.comparison.difference
            share: Cell = f"{line.share:.0%}" if words and line.share is not None else line.share
            zero: Cell = line.why or line.survives if words else line.survives
            rows.append((line.source, value, line.low, line.high, share, zero))
        return Table(("over", "difference", "low", "high", "share", "excludes 0"), rows)

    def to_dict(self) -> dict[str, object]:
        """Everything, for programs."""
        c = self.comparison
        return {
            "outcome": self.outcome,
            "sentence": self.sentence,
            "a": c.a,
            "b": c.b,
            "measure": c.measure,
            "value_a": c.value_a,
            "value_b": c.value_b,
            "difference": c.difference,
            "low": c.low,
            "high": c.high,
            "p": c.p,
            "confidence": c.level,
            "smallest": self.smallest,
            "holds_for": self.holds_for,
            "held_fixed": self.held_fixed,
            "by_source": [
                {"over": x.source, "low": x.low, "high": x.high, "share": x.share, "asked": x.asked, "why": x.why}
                for x in self.lines
            ],
            "naive": {"difference": c.naive, "low": self.naive.low, "high": self.naive.high, "p": c.naive_p},
            "decides": self.decides,
            "decisive": {source: [pull._asdict() for pull in pulls] for source, pulls in self.decisive.items()},
            "holes": None
            if self.hidden is None
            else {
                "documents": self.hidden.documents,
                "low": self.hidden.least,
                "high": self.hidden.most,
                "taken_as": self.holes,
            },
            "next_steps": [
                {"what": s.words, "more": s.more, "half_width": s.half, "cost": s.cost, "enough": s.enough}
                for s in self.steps
            ],
            "borrowed": list(self.borrowed),
            "notes": [*c.notes, *self.notes],
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


def lines_of(
    lattice: Lattice, asked: Contrasts, m: Measure, shares: Mapping[str, float], whole: Comparison
) -> tuple[Line, ...]:
    """The interval over each source of which something can be said, asked for or not, and over all together."""
    value, found = asked.values(lattice.evidence.value), []
    for source in SOURCES:
        spoken_of = source in lattice.over or source == "gold"
        spread = lattice.alone(asked, source) if spoken_of or source == "assessors" else None
        if spread is None:
            continue
        if not spread.variance[0] > 0:
            found.append(Line(source, None, None, shares.get(source), "nothing moves it", spoken_of))
            continue
        low, high = within(*limits(value, spread, whole.level), m.bounds(), differences=True)
        found.append(Line(source, float(low[0]), float(high[0]), shares.get(source), "", spoken_of))
    return (*found, Line(TOGETHER, whole.low, whole.high, None, "" if whole.low is not None else "refused"))


def naive_line(lattice: Lattice, asked: Contrasts, confidence: float) -> Line:
    """Student's t over topics, the labels taken as they are."""
    low, high = limits(asked.values(lattice.naive.value), lattice.naive.over_topics(asked), confidence)
    name = "naive: topics" if lattice.naive is lattice.evidence else "naive: labels as they are"
    return Line(name, float(low[0]), float(high[0]))


def _pulls(source: str, units: tuple[Pull, ...]) -> str:
    """The units that pull a difference most: what it would be without each, or how far it pulls."""
    if all(pull.without is not None for pull in units):
        first, *rest = units
        told = [f"without {first.unit} the difference would be {first.without:+.4f}"]
        told += [f"without {pull.unit} {pull.without:+.4f}" for pull in rest]
    else:
        told = [f"{pull.unit} by {pull.move:+.4f}" for pull in units]
    return f"{UNITS[source]} that pull it most: {', '.join(told)}."


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
