"""Answer with its sources: whether the cited passage supports the claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from truegain.judging.tasks.base import ChoosingTask, ItemKind, Option

SUPPORT = (
    Option("full", 2.0, "Yes, all of it", "Everything the claim says is in the passage or follows from it."),
    Option("part", 1.0, "Some of it", "Part is in the passage; the rest is not mentioned."),
    Option("none", 0.0, "No", "The passage mentions none of it."),
    Option("against", -1.0, "The passage says otherwise", "A part of the claim cannot be true if the passage is."),
)


@dataclass(frozen=True)
class ClaimTask(ChoosingTask):
    """How far a passage supports a claim: 2 all of it, 1 some of it, 0 none, -1 it says otherwise.

    >>> ClaimTask().read({"support": "part", "reason": "the year is missing"}).value
    1.0
    """

    name: ClassVar[str] = "claim"
    template: ClassVar[str] = "claim.html"
    field: ClassVar[str] = "support"
    item: ClassVar[ItemKind] = "claim"
    ask: ClassVar[str] = "support.ask"

    @property
    def options(self) -> tuple[Option, ...]:
        """All, some, none, or the opposite."""
        return SUPPORT
