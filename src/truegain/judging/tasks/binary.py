"""Binary relevance: relevant or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from truegain.judging.tasks.graded import GradedTask
from truegain.judging.tasks.task import Level, Option

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
