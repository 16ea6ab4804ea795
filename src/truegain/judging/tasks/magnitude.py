"""Magnitude estimation: any number above 0, so that ratios of numbers are ratios of relevance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from truegain.judging.tasks.forms import cannot_judge, check_reason, cleaned, says_cannot, too_fast, which_button
from truegain.judging.tasks.material import Unit
from truegain.judging.tasks.numbers import Unread, read_number
from truegain.judging.tasks.task import Answer, Fields, Level, Option, Wrong


@dataclass(frozen=True)
class MagnitudeTask:
    """A number above 0 for each document; a finished unit has score(Hk) > score(Nk), and time on each document.

    Maddalena, Mizzaro, Scholer and Turpin 2017, ACM TOIS 35(3).

    >>> MagnitudeTask().read({"number": "1/2", "reason": "names one"}).value
    0.5
    >>> MagnitudeTask().read({"number": "0", "reason": "nothing"})
    (Wrong(field='number', text='number.zero', about={}, choices=()),)
    """

    seconds: float = 20.0
    reason: bool = True
    decimal: Literal[".", ","] = "."

    name: ClassVar[str] = "magnitude"
    template: ClassVar[str] = "magnitude.html"
    field: ClassVar[str] = "number"
    level: ClassVar[Level] = "ratio"
    has_practice: ClassVar[bool] = True
    has_anchors: ClassVar[bool] = True
    docs_per_item: ClassVar[int] = 1

    @property
    def options(self) -> tuple[Option, ...]:
        """None: any number above 0."""
        return ()

    def read(self, fields: Fields) -> Answer | tuple[Wrong, ...]:
        """The number and the reason; `number_meant` is the reading chosen of an ambiguous number."""
        if says_cannot(fields, self.field):
            return cannot_judge(fields)
        typed, reason = cleaned(fields.get("number", "")), cleaned(fields.get("reason", ""))
        number = read_number(typed, self.decimal, fields.get("number_meant", ""))
        wrong = (*check_reason(reason, self.reason, "reason.empty"), *which_button(fields, self.field))
        if isinstance(number, Unread):
            return (Wrong("number", number.text, number.about, number.choices), *wrong)
        return wrong or Answer(number, typed, reason)

    def failed(self, unit: Unit, answers: Sequence[Answer], seconds: Sequence[float]) -> tuple[str, ...]:
        """'order' unless score(Hk) > score(Nk), void where either cannot be judged; 'time' where one had too little."""
        found = []
        if unit.high is not None and unit.low is not None and answers[unit.high].value <= answers[unit.low].value:
            found.append("order")  # nothing is above or below what is not a number
        if too_fast(unit, answers, seconds, self.seconds):
            found.append("time")
        return tuple(found)
