"""What all tasks share: topics, documents, items, units; answers and what is wrong with them; fields of forms.

Names in the catalogue of texts, and their English wording:

    reason.empty   Write a few words about why you chose this number
    reason.label   Write a few words about why you chose this label
    reason.choice  Write a few words about why you chose this
    cannot.empty   Choose what stops you
    cannot.button  If you cannot judge it, press the button below these reasons
    label.empty    Choose one of the labels
    prefer.empty   Choose a document, or that they help equally
    support.empty  Choose how far the passage supports the claim
    text.long      Please shorten this to {most} characters
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as default
from typing import Any, ClassVar, Literal, Protocol

Format = Literal["text", "html"]
FORMATS: tuple[Format, ...] = ("text", "html")
TEXT, HTML = FORMATS
_MORE = re.compile(r"(.+)\+(\d+)", re.DOTALL)


@dataclass(frozen=True)
class Question:
    """A question on a topic with four options, of which one is right; it is asked in a random order."""

    asked: str
    options: tuple[str, ...]
    right: int


@dataclass(frozen=True)
class Topic:
    """An information need; `counts` and `counts_not` say what helps and what does not."""

    id: str
    title: str
    text: str
    counts: str = ""
    counts_not: str = ""
    question: Question | None = None


@dataclass(frozen=True)
class Document:
    """A document; `format` says what its text is: HTML is cleaned before it is shown, plain text cut into paragraphs.

    Nothing in a text makes it HTML: a page about the <title> tag is text like any other.
    """

    id: str
    text: str
    title: str = ""
    source: str = ""
    format: Format = TEXT


@dataclass(frozen=True)
class Item:
    """What one page asks about, and the probability with which it was drawn into the study.

    `docs` holds one document; for preferences two, for claims the cited passage, and `claim` then is the sentence to
    judge within `answer`.
    """

    docs: tuple[str, ...]
    probability: float = 1.0
    claim: str = ""
    answer: str = ""
    chosen: str = ""  # what asked for it: 'next', a list of what to judge next

    @property
    def key(self) -> str:
        """Names the item within its topic."""
        return " ".join((*self.docs, *([self.claim] if self.claim else [])))


DONE = "done"  # the state of a unit that was judged, and the outcome of the session that judged it


@dataclass(frozen=True)
class Unit:
    """A topic and the items that one assessor judges; `high` and `low` are the places of Hk and Nk among them."""

    id: str
    topic: str
    items: tuple[Item, ...]
    high: int | None = None
    low: int | None = None

    @property
    def judged_items(self) -> Iterator[Item]:
        """The items without Hk and Nk."""
        return (item for place, item in enumerate(self.items) if place not in (self.high, self.low))


def more_id(unit: str, number: int) -> str:
    """The id of a unit that asks others about what someone could not judge in a unit.

    >>> more_id("7-001", 1), more_id("7-001+1", 2)
    ('7-001+1', '7-001+2')
    """
    return f"{base_of(unit) or unit}+{number}"


def base_of(unit: str) -> str:
    """The unit that was given out first, of one that asks others; empty where a unit is none of these.

    >>> base_of("7-001+1"), base_of("a+1-001")
    ('7-001', '')
    """
    match = _MORE.fullmatch(unit)
    return match[1] if match else ""


def unit_of(row: Mapping[str, Any]) -> Unit:
    """A unit from its row in the database."""
    items = (
        Item(tuple(item["docs"]), item["probability"], item["claim"], item["answer"], item.get("chosen", ""))
        for item in row["items"]
    )
    return Unit(row["id"], row["topic"], tuple(items), row["high"], row["low"])


# ---------------------------------------------------------------------- tasks and answers


Fields = Mapping[str, str]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
ItemKind = Literal["doc", "pair", "claim"]


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
    """A kind of judgment: what is asked about an item, how a form is read, what a finished unit must satisfy.

    A task is one file in `tasks/` and one line in `tasks/catalogue.py`; an instance holds a study's settings.  Tasks
    with labels to choose from extend `ChoosingTask`.

    Attributes
    ----------
    name : str
        As in `judging.toml` and `init --task`.
    template : str
        Of the page that asks about one item.
    field : str
        Of the form, which holds the judgment; the text `FIELD.empty` asks for it.
    level : {"nominal", "ordinal", "interval", "ratio"}
        At which agreement is measured.
    has_practice, has_anchors : bool
        Whether lines are estimated first, and whether each unit holds Hk and Nk.
    docs_per_item : int
        1, or 2 for pairs.
    item : {"doc", "pair", "claim"}
        What the pages call an item, and what a row of the pool must hold.
    ask : str
        Name of the text that asks about one item.
    texts : mapping
        English texts that `texts/` lacks.

    """

    name: ClassVar[str]
    template: ClassVar[str]  # of the page that asks about one item
    field: ClassVar[str]  # of its form, which holds the judgment
    level: ClassVar[Level]  # at which agreement is measured
    has_practice: ClassVar[bool]
    has_anchors: ClassVar[bool]  # whether each unit needs Hk and Nk
    docs_per_item: ClassVar[int]
    item: ClassVar[ItemKind]  # what the pages call an item, and what a row of the pool must hold
    ask: ClassVar[str]  # name of the text that asks about one item
    texts: ClassVar[Mapping[str, str]]  # in English, those that `texts/` lacks

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


# ---------------------------------------------------------------------- forms


CANNOT = ("language", "unclear", "upsetting", "other")
LONGEST = 10_000  # characters of a text


def cleaned(text: str) -> str:
    r"""A text as every database stores it: one kind of line end, no NUL, no half of a surrogate pair.

    >>> cleaned(" one\r\ntwo\x00 ")
    'one\ntwo'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    return text.encode("utf-8", "ignore").decode("utf-8").strip()


def cannot_judge(fields: Fields) -> Answer | tuple[Wrong, ...]:
    """The answer of someone who cannot judge an item: no value, and why."""
    why, note = fields.get("cannot", ""), cleaned(fields.get("cannot_note", ""))
    wrong = too_long("cannot_note", note)
    if why not in CANNOT:
        wrong = (Wrong("cannot", "cannot.empty"), *wrong)
    return wrong or Answer(math.nan, reason=cleaned(fields.get("reason", "")), cannot=why, note=note)


def says_cannot(fields: Fields, field: str) -> bool:
    """Whether someone says that they cannot judge: by that button, or by why, with no judgment and no reason for one.

    >>> says_cannot({"action": "next", "label": "", "cannot": "unclear"}, "label")
    True
    >>> says_cannot({"action": "next", "label": "2", "cannot": "unclear"}, "label")
    False
    """
    return fields.get("action") == "cannot" or (_is_either(fields, field) and not cleaned(fields.get("reason", "")))


def which_button(fields: Fields, field: str) -> tuple[Wrong, ...]:
    """Where a reason was written, no judgment given, and why it cannot be: who meant that is told its button."""
    return (Wrong("cannot", "cannot.button"),) if _is_either(fields, field) else ()


def _is_either(fields: Fields, field: str) -> bool:
    return fields.get("cannot", "") in CANNOT and not cleaned(fields.get(field, ""))


def check_reason(reason: str, required: bool, name: str) -> tuple[Wrong, ...]:
    """What is wrong with a reason: none where one is wanted (signs alone are none), or one that is too long."""
    if required and not any(sign.isalnum() for sign in reason):
        return (Wrong("reason", name),)
    return too_long("reason", reason)


def too_long(field: str, text: str) -> tuple[Wrong, ...]:
    """What is wrong with a text that no person types."""
    return (Wrong(field, "text.long", {"most": str(LONGEST)}),) if len(text) > LONGEST else ()


def chosen(
    fields: Fields, field: str, options: Sequence[Option], reason_required: bool, reason_name: str
) -> Answer | tuple[Wrong, ...]:
    """The answer of a form with labels to choose and a reason, or of someone who cannot judge."""
    if says_cannot(fields, field):
        return cannot_judge(fields)
    key, reason = fields.get(field, ""), cleaned(fields.get("reason", ""))
    option = next((o for o in options if o.key == key), None)
    wrong = (*check_reason(reason, reason_required, reason_name), *which_button(fields, field))
    if option is None:
        return (Wrong(field, f"{field}.empty"), *wrong)
    return wrong or Answer(option.value, typed=key, reason=reason)


def too_fast(unit: Unit, answers: Sequence[Answer], seconds: Sequence[float], least: float) -> bool:
    """Whether an item that was judged had less time than it needs.

    What someone could not judge needs none: a language is recognised at once.
    """
    return any(not a.cannot and s < least for _, a, s in zip(unit.items, answers, seconds, strict=True))


# ---------------------------------------------------------------------- tasks with options


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
    item: ClassVar[ItemKind] = "doc"
    ask: ClassVar[str]
    texts: ClassVar[Mapping[str, str]] = {}

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
