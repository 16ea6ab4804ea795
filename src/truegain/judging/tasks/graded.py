"""Graded relevance: one of several labels, each with its definition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from truegain.judging.tasks.base import ChoosingTask, Option

LABELS = (
    Option("3", 3.0, "Highly relevant", "The topic is its main subject and it answers most of the need."),
    Option("2", 2.0, "Relevant", "It answers part of the need, with facts one could use."),
    Option("1", 1.0, "Slightly relevant", "It touches the topic but adds little."),
    Option("0", 0.0, "Not relevant", "Nothing in it helps with the topic."),
)


@dataclass(frozen=True)
class GradedTask(ChoosingTask):
    """A label for each document, in the order in which the study lists them.

    >>> GradedTask().read({"label": "2", "reason": "part of it"}).value
    2.0
    """

    labels: tuple[Option, ...] = LABELS

    name: ClassVar[str] = "graded"
    template: ClassVar[str] = "graded.html"
    field: ClassVar[str] = "label"
    ask: ClassVar[str] = "label.ask_graded"
    why: ClassVar[str] = "reason.label"

    @property
    def options(self) -> tuple[Option, ...]:
        """The study's labels."""
        return self.labels
