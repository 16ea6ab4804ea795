"""Answer with its sources: whether the cited passage supports the claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from truegain.judging.tasks.forms import chosen, too_fast
from truegain.judging.tasks.material import Unit
from truegain.judging.tasks.task import Answer, Fields, Level, Option, Wrong

SUPPORT = (
    Option("full", 2.0, "Yes, all of it", "Everything the claim says is in the passage or follows from it."),
    Option("part", 1.0, "Some of it", "Part is in the passage; the rest is not mentioned."),
    Option("none", 0.0, "No", "The passage mentions none of it."),
    Option("against", -1.0, "The passage says otherwise", "A part of the claim cannot be true if the passage is."),
)


@dataclass(frozen=True)
class ClaimTask:
    """How far a passage supports a claim: 2 all of it, 1 some of it, 0 none, -1 it says otherwise.

    >>> ClaimTask().read({"support": "part", "reason": "the year is missing"}).value
    1.0
    """

    seconds: float = 20.0
    reason: bool = True

    name: ClassVar[str] = "claim"
    template: ClassVar[str] = "claim.html"
    level: ClassVar[Level] = "ordinal"
    has_practice: ClassVar[bool] = False
    has_anchors: ClassVar[bool] = False
    docs_per_item: ClassVar[int] = 1

    @property
    def options(self) -> tuple[Option, ...]:
        """All, some, none, or the opposite."""
        return SUPPORT

    def read(self, fields: Fields) -> Answer | tuple[Wrong, ...]:
        """The support that was chosen, and the words that decided it."""
        return chosen(fields, "support", SUPPORT, self.reason, "reason.choice")

    def failed(self, unit: Unit, answers: Sequence[Answer], seconds: Sequence[float]) -> tuple[str, ...]:
        """'time' where a claim had too little."""
        return ("time",) if too_fast(unit, answers, seconds, self.seconds) else ()
