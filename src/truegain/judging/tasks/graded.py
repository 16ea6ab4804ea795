"""Graded relevance: one of several labels, each with its definition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from truegain.judging.tasks.forms import chosen, too_fast
from truegain.judging.tasks.material import Unit
from truegain.judging.tasks.task import Answer, Fields, Level, Option, Wrong

LABELS = (
    Option("3", 3.0, "Highly relevant", "The topic is its main subject and it answers most of the need."),
    Option("2", 2.0, "Relevant", "It answers part of the need, with facts one could use."),
    Option("1", 1.0, "Slightly relevant", "It touches the topic but adds little."),
    Option("0", 0.0, "Not relevant", "Nothing in it helps with the topic."),
)


@dataclass(frozen=True)
class GradedTask:
    """A label for each document, in the order in which the study lists them.

    >>> GradedTask().read({"label": "2", "reason": "part of it"}).value
    2.0
    """

    seconds: float = 20.0
    reason: bool = True
    labels: tuple[Option, ...] = LABELS

    name: ClassVar[str] = "graded"
    template: ClassVar[str] = "graded.html"
    level: ClassVar[Level] = "ordinal"
    has_practice: ClassVar[bool] = False
    has_anchors: ClassVar[bool] = False
    docs_per_item: ClassVar[int] = 1

    @property
    def options(self) -> tuple[Option, ...]:
        """The study's labels."""
        return self.labels

    def read(self, fields: Fields) -> Answer | tuple[Wrong, ...]:
        """The label that was chosen, and the reason."""
        return chosen(fields, "label", self.labels, self.reason, "reason.label")

    def failed(self, unit: Unit, answers: Sequence[Answer], seconds: Sequence[float]) -> tuple[str, ...]:
        """'time' where a document had too little."""
        return ("time",) if too_fast(unit, answers, seconds, self.seconds) else ()
