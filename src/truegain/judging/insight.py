"""What the organiser's page is told of agreement and of the verdict so far; worked out elsewhere and handed in.

Judging imports nothing that scores or compares: `cli/judging_insight.py` makes an `Insight` of these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from truegain.judging.collected import Row


class Rating(NamedTuple):
    """A judgment that counts: of a finished unit, by someone who is not excluded, the last revision."""

    topic: str
    item: str  # the item's key within its topic
    assessor: str
    value: float
    unit: str
    seconds: float
    is_model: bool = False


class Coefficient95(NamedTuple):
    """An agreement and the limits of its 95% interval at one look; None where there are too few judgments."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def known(self) -> bool:
        """Whether there is a number that says how sure it is."""
        return None not in self


NOT_YET = Coefficient95()
Look = Literal["same", "far", "quick", "twin"]


@dataclass(frozen=True)
class AgreementSoFar:
    """Agreement of people with one another, over all topics, by topic, and of every model with people.

    `alike` is each person's correlation with the rest, `looks` why someone is worth a second look; 'far' is a
    correlation that lies below the usual one by `apart` or more, and by more than chance and people's spread explain.
    """

    level: str
    overall: Coefficient95 = NOT_YET
    topics: Mapping[str, Coefficient95] = field(default_factory=dict)
    models: Mapping[str, Coefficient95] = field(default_factory=dict)
    alike: Mapping[str, float] = field(default_factory=dict)
    looks: Mapping[str, tuple[Look, ...]] = field(default_factory=dict)
    apart: float | None = None


@dataclass(frozen=True)
class VerdictSoFar:
    """What can be said of two systems now, with limits that hold at every look; or why nothing can, and no number."""

    a: str = ""
    b: str = ""
    measure: str = ""
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    outcome: Literal["better", "worse", "not better", "not worse", "cannot be told", "unchecked", ""] = ""
    sentence: str = ""
    labels: int = 0  # rows of the list that count
    rows: int = 0  # that the list has
    why: str = ""  # name of a text, where there is no number
    about: str = ""  # what that text mentions


@dataclass(frozen=True)
class Insight:
    """What follows from the ratings so far; without `verdict` the page has none."""

    agreement: Callable[[Sequence[Rating]], AgreementSoFar]
    verdict: Callable[[Sequence[Row]], tuple[VerdictSoFar, ...]] | None = None  # of the rows of `Collected.ratings`
