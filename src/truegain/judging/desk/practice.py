"""What comes before the documents: three lines to estimate, and a question on the topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from truegain.judging.tasks.material import Question, Topic, Unit
from truegain.judging.tasks.task import Answer, Fields, Task, Wrong

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
    asked = [question.asked, list(question.options), question.right] if question else None
    drawn = {"lines": draw_lines(random), "options": draw_options(question, random)}
    return {"order": order, **drawn, "question": asked}


def question_of(plan: Mapping[str, Any], topic: Topic) -> Question | None:
    """The question that a person is asked; that of the study where an earlier version did not keep it and it fits."""
    if "question" not in plan:
        now = topic.question
        return now if now and len(now.options) == len(plan["options"]) else None
    if plan["question"] is None:
        return None
    asked, options, right = plan["question"]
    return Question(asked, tuple(options), right)


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
    asked = {"number": fields.get("number", ""), "number_meant": fields.get("number_meant", ""), "reason": "a line"}
    found = task.read(asked)
    return Answer(found.value, found.typed) if isinstance(found, Answer) else found


def rise(lengths: Sequence[float], numbers: Sequence[float]) -> bool:
    """Whether the numbers are in ascending order when the lines are sorted from shortest to longest.

    >>> rise([0.5, 0.1, 0.9], [10, 3, 11]), rise([0.5, 0.1, 0.9], [10, 3, 10])
    (True, False)
    """
    sorted_by_length = [number for _, number in sorted(zip(lengths, numbers, strict=True))]
    return all(a < b for a, b in pairwise(sorted_by_length))
