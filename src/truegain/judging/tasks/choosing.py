"""Tasks that ask to choose one of several labels and to say why: what they have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from truegain.judging.tasks.forms import chosen, too_fast
from truegain.judging.tasks.material import Unit
from truegain.judging.tasks.task import Answer, Fields, Level, Option, Wrong


@dataclass(frozen=True)
class ChoosingTask(ABC):
    """One of the task's options for each item, and a reason; a finished unit has time on each item."""

    seconds: float = 20.0
    reason: bool = True

    name: ClassVar[str]
    template: ClassVar[str]
    field: ClassVar[str]  # of the form, which holds the option
    why: ClassVar[str] = "reason.choice"  # what is said where there is no reason
    level: ClassVar[Level] = "ordinal"
    has_practice: ClassVar[bool] = False
    has_anchors: ClassVar[bool] = False
    docs_per_item: ClassVar[int] = 1

    @property
    @abstractmethod
    def options(self) -> tuple[Option, ...]:
        """What there is to choose from."""

    def read(self, fields: Fields) -> Answer | tuple[Wrong, ...]:
        """The option that was chosen, and the reason."""
        return chosen(fields, self.field, self.options, self.reason, self.why)

    def failed(self, unit: Unit, answers: Sequence[Answer], seconds: Sequence[float]) -> tuple[str, ...]:
        """'time' where an item had too little."""
        return ("time",) if too_fast(unit, answers, seconds, self.seconds) else ()
