"""What a verdict stands on: the difference over each source, and the units that pull it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from truegain.contrasts import Contrasts
from truegain.inference.limits import within
from truegain.inference.results import Comparison
from truegain.inference.study.lattice import Lattice, Share, limits
from truegain.measures.base import Measure
from truegain.moves import Moves
from truegain.sampling.catalogue import LABELS, SOURCES
from truegain.sampling.source import SourceName

UNITS = {
    "topics": "Topics",
    "collection": "Documents",
    "gold": "Gold labels",
    "holes": "Sampled unjudged documents",
    "assessors": "Assessors",
}
TOGETHER = "all sources"
ALL_KNOWN = {"gold": "all labels are gold", "holes": "all documents are judged"}


@dataclass(frozen=True)
class Line:
    """The difference over one source alone, or over all asked for together."""

    source: str
    low: float | None
    high: float | None
    share: Share | None = None  # of the variance of all together
    why: str = ""  # where there is no interval
    asked: bool = True  # whether the verdict speaks of this source
    away: bool = False  # whether it is gold of other topics
    share_in: str = ""  # the source whose share holds this one's, where it has none of its own

    @property
    def survives(self) -> bool | None:
        """Whether zero lies outside; None where it is not known."""
        return None if self.low is None or self.high is None else self.low > 0 or self.high < 0

    @property
    def reason(self) -> str:
        """Why there is no interval, or no share."""
        return self.why or (f"its share is part of that of {self.share_in}" if self.share_in else "")

    @property
    def width(self) -> float:
        """Of the interval; 0 where there is none."""
        return 0.0 if self.low is None or self.high is None else self.high - self.low


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


def lines_of(
    lattice: Lattice, asked: Contrasts, m: Measure, shares: Mapping[SourceName, Share], whole: Comparison
) -> tuple[Line, ...]:
    """The interval over each source of which something can be said, asked for or not, and over all together."""
    value, found = lattice.evidence.values(asked), []
    for source in SOURCES:
        spoken_of = source in lattice.over or source in LABELS
        away = source == "gold" and lattice.evidence.about.away
        holds = next((s for s in SOURCES[source].nested_in if s in shares and s != "topics"), "")
        share_in = "" if not spoken_of or source in shares else holds
        spread = lattice.alone(asked, source) if spoken_of or source == "assessors" else None
        if spread is None:
            continue
        if not spread.variance[0] > 0:
            exact = source in LABELS and lattice.evidence.about.exact
            why = ALL_KNOWN[source] if exact else "no variation"
            found.append(Line(source, None, None, shares.get(source), why, spoken_of))
            continue
        if whole.low is None:
            found.append(Line(source, None, None, shares.get(source), "refused", spoken_of))
            continue
        met = lattice.difference_limits(asked, value, spread, whole.confidence, topics=source == "topics")
        low, high = within(*met, m.bounds(), value=value, differences=True)
        found.append(Line(source, float(low[0]), float(high[0]), shares.get(source), "", spoken_of, away, share_in))
    return (*found, Line(TOGETHER, whole.low, whole.high, None, "" if whole.low is not None else "refused"))


def pulls_of(lattice: Lattice, asked: Contrasts, documents: Moves | None, most: int = 5) -> dict[str, tuple[Pull, ...]]:
    """The units that pull a pair most, by source; `documents` are moves of these two systems alone."""
    people = lattice.assessors if "assessors" in lattice.over else None
    moves = [lattice.evidence.by_gold(), None if people is None else people[0]]
    found = {x.source: Pull.most_of(x, asked, most) for x in moves if x is not None}
    if "topics" in lattice.over:
        found["topics"] = Pull.most_of(lattice.evidence.topics_of(asked), Contrasts.scores(len(asked)), most)
    if documents is not None:
        found["collection"] = Pull.most_of(documents, Contrasts.of([(0, 1)]), most)
    return {source: found[source] for source in UNITS if source in found}


def naive_line(lattice: Lattice, asked: Contrasts, confidence: float) -> Line:
    """Student's t over topics, the labels taken as they are."""
    low, high = limits(asked.values(lattice.naive.value), lattice.naive.over_topics(asked), confidence)
    name = "topics alone" if lattice.naive is lattice.evidence else "uncorrected"
    return Line(name, float(low[0]), float(high[0]))


def pulls_in_words(source: str, units: tuple[Pull, ...]) -> str:
    """The most influential units: what the difference would be without each, or by how much each changes it."""
    refitted = all(pull.without is not None for pull in units)
    what = "difference without it" if refitted else "change in the difference"
    first, *rest = [(pull.unit, signed(pull.without if refitted else pull.move)) for pull in units]
    named = [f"{first[0]} ({what}: {first[1]})", *(f"{unit} ({number})" for unit, number in rest)]
    bronze = ", by the uncorrected labels" if source == "collection" and units[0].without is None else ""
    return f"Most influential {UNITS[source].lower()}{bronze}: {', '.join(named)}."


def signed(x: float | None) -> str:
    """Four digits with a sign; 0 is +0.0000, from whichever side.

    >>> signed(-0.00001), signed(-0.0123), unsigned(-0.00001)
    ('+0.0000', '-0.0123', '0.0000')
    """
    return "" if x is None else f"{round(x, 4) + 0.0:+.4f}"


def unsigned(x: float) -> str:
    """Four digits; 0 has no sign."""
    return f"{round(x, 4) + 0.0:.4f}"
