"""Preference: which of two documents helps more with the topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from truegain.judging.tasks.forms import chosen, too_fast
from truegain.judging.tasks.material import Unit
from truegain.judging.tasks.task import Answer, Fields, Level, Option, Wrong

CHOICES = (
    Option("left", 1.0, "Document A"),
    Option("right", -1.0, "Document B"),
    Option("same", 0.0, "They help equally, or I see no difference"),
)


@dataclass(frozen=True)
class PreferenceTask:
    """The better of two documents: 1 where it is the item's first, shown left, -1 where its second, 0 where neither.

    >>> PreferenceTask().read({"prefer": "right", "reason": "newer"}).value
    -1.0
    """

    seconds: float = 20.0
    reason: bool = True

    name: ClassVar[str] = "preference"
    template: ClassVar[str] = "preference.html"
    level: ClassVar[Level] = "ordinal"
    has_practice: ClassVar[bool] = False
    has_anchors: ClassVar[bool] = False
    docs_per_item: ClassVar[int] = 2

    @property
    def options(self) -> tuple[Option, ...]:
        """Left, right, or no difference."""
        return CHOICES

    def read(self, fields: Fields) -> Answer | tuple[Wrong, ...]:
        """The document that was chosen, and the reason."""
        return chosen(fields, "prefer", CHOICES, self.reason, "reason.choice")

    def failed(self, unit: Unit, answers: Sequence[Answer], seconds: Sequence[float]) -> tuple[str, ...]:
        """'time' where a pair had too little."""
        return ("time",) if too_fast(unit, answers, seconds, self.seconds) else ()
