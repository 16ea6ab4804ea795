"""The steps of an assessor's way, the pages that they see, and the practice before the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any, Literal, NamedTuple

from truegain.errors import TruegainError
from truegain.judging.tasks.base import Answer, Document, Fields, Item, Question, Task, Topic, Unit, Wrong

StepName = Literal[
    "consent",
    "practice",
    "topic",
    "doc",
    "revise",
    "done",
    "leave",
    "left",
    "declined",
    "screened",
    "failed",
    "passed",
    "none",
    "paused",
    "crowded",
    "away",
    "undo",
]
WAITING: tuple[StepName, ...] = ("none", "paused", "crowded")  # for a unit; looking again asks for one again
UNCLAIMED: tuple[StepName, ...] = ("consent", "practice", "away", *WAITING)  # steps at which nobody holds a unit yet
Notice = Literal["", "saved", "again", "resumed", "reported", "twice", "passed", "corrected", "too_late"]


class PageStep(NamedTuple):
    """A page of the flow; practice lines and documents are numbered from 1.

    consent -> practice 1..3 -> topic -> doc 1..n -> done, or revise -> doc ...; a unit is taken on the way to `topic`.
    One more set begins there, or at its first document where the topic is the same.
    `screened`: practice or question failed for the last time; `failed`: the final checks; `passed`: the lease ran out
    and someone else took the unit; `none`: nothing is free for this person; `crowded`: others at the same address hold
    as many units as it may; `left`: after leave; `away`: a person of a team paused and gave the row back; `undo`: the
    last label that one of a team gave, to be corrected.
    """

    name: StepName
    number: int = 0


class Person(NamedTuple):
    """Who comes in: identity is platform and id, never an address.  `kind` is 'model' for LLM judges."""

    platform: str
    id: str
    kind: Literal["human", "model"] = "human"
    about: Mapping[str, str] = {}  # the platform's study and session; model, prompt digest, parameters


@dataclass(frozen=True)
class Practice:
    """A line to estimate, as a share of the longest there can be; without sight, a word instead."""

    length: float
    word: str = ""


class ListedItem(NamedTuple):
    """An item of a set that was sent back: what it is called, and its answer, where that may be seen at a glance.

    `answer` is a label's key, or a number where the study shows earlier numbers; `cannot`: it could not be judged.
    """

    number: int
    name: str = ""
    answer: str = ""
    cannot: bool = False


@dataclass(frozen=True)
class TeamView:
    """What a person of a team sees of the work."""

    own: int = 0  # labels that they gave today
    team: int = 0  # that all gave today
    top: int = 0  # rows of the unbroken top of the list
    rows: int = 0  # of the list
    most: int | None = None  # rows after which labels end, where these are fewer than the list has
    undo: str = ""  # their last label, if it may be undone: its key, or 'cannot'
    waits: Literal["", "someone", "you", "other"] = ""  # for whom the top of the list waits, longer than a lease
    waited: float = 0.0  # seconds
    below: int = 0  # labels below, which do not count yet


@dataclass(frozen=True)
class Page:
    """All that a page may show, and nothing that it may not: never Hk, Nk, checks, right options, later documents."""

    step: PageStep
    csrf: str = ""
    once: str = ""  # one per rendered page
    total: int = 0  # items of the unit
    topic: Topic | None = None  # its question has no right option here
    options: tuple[tuple[str, str], ...] = ()  # of the question, in this person's order: value, text
    practice: Practice | None = None
    item: Item | None = None  # probability is 1 here, whatever the design's
    documents: tuple[Document, ...] = ()
    fields: Fields = field(default_factory=dict)  # what the boxes hold: the last revision, or the draft
    other: Fields = field(default_factory=dict)  # notice 'twice': the other text that was sent under the same `once`
    errors: tuple[Wrong, ...] = ()
    notice: Notice = ""
    saved: int = 0  # notice 'saved': which item was
    kept: float = 0.0  # seconds that the place is kept from here on
    answered: tuple[int, ...] = ()  # items that have an answer, numbered from 1
    listed: tuple[ListedItem, ...] = ()  # step 'revise': all items
    revising: bool = False  # step 'doc': the set was sent back, and action 'list' leads to step 'revise'
    previous: tuple[tuple[int, str], ...] = ()  # earlier numbers, where the study shows them
    received: tuple[tuple[int, str, str, bool], ...] = ()  # step 'passed': item, number, reason, late
    tries: int = 0  # that are left, of what this page asks
    code: str = ""  # only at the end
    redirect: str = ""  # only at the end: where the platform wants the person back
    more: bool = False  # at the end: whether another unit is free for this person
    ended: StepName | Literal[""] = ""  # how the unit ended, also on the page of step 'leave'
    withdrawn: bool = False  # at the end: what was written is erased
    team: TeamView | None = None  # of a study with a team
    reason: str = ""  # why the study is paused: 'organizer', 'known', 'given-up'


class Entered(NamedTuple):
    """The token of the person's unit, or why there is none.

    'none': no unit is free for this person.  'paused', 'excluded'.  'preview': no id yet.  'invitation': not ours.
    """

    token: str
    reason: str = ""


class UnknownToken(TruegainError):  # noqa: N818
    """No unit has this token."""


class Elsewhere(Exception):  # noqa: N818
    """The page is not this person's now; `step` is."""

    def __init__(self, step: PageStep) -> None:
        self.step = step
        super().__init__(f"go to {step.name} {step.number or ''}".rstrip())


# ---------------------------------------------------------------------- practice and question


LINES = 3
LONGEST = 12  # syllables, and parts of the longest line
RATIO = 1.5  # of two lines at least: nobody needs a ruler
SYLLABLES = ("ba", "de", "fi", "go", "lu", "ma", "ne", "po", "ri", "sa", "to", "vu")


def draw_plan(unit: Unit, question: Question | None, random: Random) -> dict[str, Any]:
    """All that is drawn for a person and a unit: the order of the items, the lines, the question's options.

    The question itself is kept with them: it may be another in the study while the person is before it.
    """
    order = list(range(len(unit.items)))
    random.shuffle(order)
    stored = [question.asked, list(question.options), question.right] if question else None
    drawn = {"lines": draw_lines(random), "options": draw_options(question, random)}
    return {"order": order, **drawn, "question": stored}


def question_of(plan: Mapping[str, Any], topic: Topic) -> Question | None:
    """The question that a person is asked; that of the study where an earlier version did not keep it and it fits."""
    if "question" not in plan:
        now = topic.question
        return now if now and len(now.options) == len(plan["options"]) else None
    if plan["question"] is None:
        return None
    text, options, right = plan["question"]
    return Question(text, tuple(options), right)


def draw_lines(random: Random) -> list[list[Any]]:
    """Three lines, in no order, each with a word whose length stands to the others' as the lines do.

    >>> [line[0] * 12 for line in draw_lines(Random(1))]
    [3.0, 10.0, 2.0]
    """
    while True:
        sizes = random.sample(range(1, LONGEST + 1), LINES)
        ordered = sorted(sizes)
        if all(b >= RATIO * a for a, b in pairwise(ordered)):
            return [[n / LONGEST, "".join(random.sample(SYLLABLES, n))] for n in sizes]


def draw_options(question: Question | None, random: Random) -> list[list[Any]]:
    """The question's options in a random order, each under a random name that tells nothing."""
    if question is None:
        return []
    places = list(range(len(question.options)))
    random.shuffle(places)
    return [[f"{random.getrandbits(48):012x}", place] for place in places]


def read_line(task: Task, fields: Fields) -> Answer | tuple[Wrong, ...]:
    """The number given to a line, read as the task reads numbers; no reason is asked."""
    number_only = {
        "number": fields.get("number", ""),
        "number_meant": fields.get("number_meant", ""),
        "reason": "a line",
    }
    answer = task.read(number_only)
    return Answer(answer.value, answer.typed) if isinstance(answer, Answer) else answer


def rise(lengths: Sequence[float], numbers: Sequence[float]) -> bool:
    """Whether the numbers are in ascending order when the lines are sorted from shortest to longest.

    >>> rise([0.5, 0.1, 0.9], [10, 3, 11]), rise([0.5, 0.1, 0.9], [10, 3, 10])
    (True, False)
    """
    sorted_by_length = [number for _, number in sorted(zip(lengths, numbers, strict=True))]
    return all(a < b for a, b in pairwise(sorted_by_length))
