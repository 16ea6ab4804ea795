"""What a task is: the questions around the items, how an answer is read, and what a finished unit must satisfy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as default
from typing import ClassVar, Literal, Protocol

from truegain.judging.tasks.material import Unit

Fields = Mapping[str, str]
Level = Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True)
class Wrong:
    """What must be put right before an answer counts: the field, the text's name in the catalogue, what it mentions.

    `choices` are readings of an ambiguous number, offered as radio buttons.
    """

    field: str
    text: str
    about: Mapping[str, str] = default(default_factory=dict)
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """An answer that counts: its value on the task's scale, the typed text as it came, and the reason given.

    `value` is NaN where the assessor cannot judge, and `cannot` then says why.
    """

    value: float
    typed: str = ""
    reason: str = ""
    cannot: str = ""
    note: str = ""


@dataclass(frozen=True)
class Option:
    """A label to choose: the value of the form's field, its number in the export, its name and its definition."""

    key: str
    value: float
    name: str
    meaning: str = ""


class Task(Protocol):
    """A kind of judgment.  Tasks are values made from a study's settings; `tasks/catalogue.py` lists them."""

    name: ClassVar[str]
    template: ClassVar[str]  # of the page that asks about one item
    field: ClassVar[str]  # of its form, which holds the judgment
    level: ClassVar[Level]  # at which agreement is measured
    has_practice: ClassVar[bool]
    has_anchors: ClassVar[bool]  # whether each unit needs Hk and Nk
    docs_per_item: ClassVar[int]

    @property
    def options(self) -> tuple[Option, ...]:
        """The labels there are; none for numbers."""
        ...

    def read(self, fields: Fields) -> Answer | tuple[Wrong, ...]:
        """The answer in a form that was sent to go on, or all that is wrong with it (never empty)."""
        ...

    def failed(self, unit: Unit, answers: Sequence[Answer], seconds: Sequence[float]) -> tuple[str, ...]:
        """Names of the checks that a finished unit fails: items in the unit's own order, seconds spent on each."""
        ...
