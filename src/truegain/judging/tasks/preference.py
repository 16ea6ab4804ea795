"""Preference: which of two documents helps more with the topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from truegain.judging.tasks.base import ChoosingTask, ItemKind, Option

CHOICES = (
    Option("left", 1.0, "Document A"),
    Option("right", -1.0, "Document B"),
    Option("same", 0.0, "They help equally, or I see no difference"),
)


@dataclass(frozen=True)
class PreferenceTask(ChoosingTask):
    """The better of two documents: 1 where it is the item's first, shown left, -1 where its second, 0 where neither.

    >>> PreferenceTask().read({"prefer": "right", "reason": "newer"}).value
    -1.0
    """

    name: ClassVar[str] = "preference"
    template: ClassVar[str] = "preference.html"
    field: ClassVar[str] = "prefer"
    docs_per_item: ClassVar[int] = 2
    item: ClassVar[ItemKind] = "pair"
    ask: ClassVar[str] = "prefer.ask"

    @property
    def options(self) -> tuple[Option, ...]:
        """Left, right, or no difference."""
        return CHOICES
