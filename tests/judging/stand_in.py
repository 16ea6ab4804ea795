"""A task of magnitudes, as small as it can be, for tests of the desk alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from truegain.judging.tasks.material import Unit
from truegain.judging.tasks.task import Answer, Fields, Level, Option, Wrong


@dataclass(frozen=True)
class StandIn:
    """A number above 0 and a reason."""

    seconds: float = 20.0

    name: ClassVar[str] = "magnitude"
    template: ClassVar[str] = "magnitude.html"
    level: ClassVar[Level] = "ratio"
    has_practice: ClassVar[bool] = True
    has_anchors: ClassVar[bool] = True
    docs_per_item: ClassVar[int] = 1

    @property
    def options(self) -> tuple[Option, ...]:
        """None."""
        return ()

    def read(self, fields: Fields) -> Answer | tuple[Wrong, ...]:
        """A number above 0 with a reason, or why one cannot judge."""
        if fields.get("action") == "cannot":
            why = fields.get("cannot", "")
            return Answer(math.nan, cannot=why) if why else (Wrong("cannot", "cannot.empty"),)
        wrong: tuple[Wrong, ...] = ()
        typed = fields.get("number", "")
        try:
            value = float(typed)
        except ValueError:
            value = 0.0
        if not 0 < value < math.inf:
            wrong = (Wrong("number", "number.empty"),)
        if not fields.get("reason"):
            wrong = (*wrong, Wrong("reason", "reason.empty"))
        return wrong or Answer(value, typed, fields["reason"])

    def failed(self, unit: Unit, answers: Sequence[Answer], seconds: Sequence[float]) -> tuple[str, ...]:
        """Hk above Nk, time enough."""
        found = []
        if unit.high is not None and unit.low is not None and answers[unit.high].value <= answers[unit.low].value:
            found.append("order")
        if any(s < self.seconds for s in seconds):
            found.append("time")
        return tuple(found)


class Plain(StandIn):
    """The same without practice."""

    has_practice: ClassVar[bool] = False
