"""Binary relevance: relevant or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from truegain.errors import TruegainError
from truegain.judging.tasks.base import Level, Option
from truegain.judging.tasks.graded import GradedTask

LABELS = (
    Option("1", 1.0, "Relevant", "Something in it helps with the topic."),
    Option("0", 0.0, "Not relevant", "Nothing in it helps with the topic."),
)


@dataclass(frozen=True)
class BinaryTask(GradedTask):
    """Relevant (1) or not (0) for each document; a study may name and define the two itself.

    >>> BinaryTask().read({"label": "1", "reason": "yes"}).value
    1.0
    """

    labels: tuple[Option, ...] = LABELS

    name: ClassVar[str] = "binary"
    level: ClassVar[Level] = "nominal"
    ask: ClassVar[str] = "label.ask_binary"

    def __post_init__(self) -> None:
        if {label.value for label in self.labels} != {0.0, 1.0}:
            raise TruegainError("the task binary has two labels, of the values 1 and 0; use the task graded for others")
