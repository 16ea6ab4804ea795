"""Tasks: what a form must hold, and what a finished unit must satisfy."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from truegain.errors import TruegainError
from truegain.judging.tasks import base, magnitude
from truegain.judging.tasks.base import Answer, Item, Option, Unit
from truegain.judging.tasks.catalogue import TASKS, task_of
from truegain.judging.texts import catalogue

FIELD = {"magnitude": "number", "graded": "label", "binary": "label", "preference": "prefer", "claim": "support"}
UNIT = Unit("u1", "1", tuple(Item((d,)) for d in "abcd"), high=2, low=0)


def read(name: str, **fields: str) -> Any:
    """What a task of that name reads."""
    return task_of(name).read({"action": "next", **fields})


@pytest.mark.parametrize("name", TASKS)
def test_every_task_keeps_the_contract(name: str) -> None:
    """Guards what the workflow and pages need: names, anchors and practice with magnitudes alone, keys of their own."""
    task = task_of(name)
    assert task.name == name
    assert task.template.endswith(".html")
    assert task.has_practice == task.has_anchors == (name == "magnitude")
    assert task.docs_per_item == (2 if name == "preference" else 1)
    assert len({o.key for o in task.options}) == len({o.value for o in task.options}) == len(task.options)
    assert task == task_of(name, {})
    assert hash(task) == hash(task_of(name))


@pytest.mark.parametrize("name", TASKS)
def test_an_empty_form_says_all_that_is_missing(name: str) -> None:
    """Guards that both errors come at once, in the order of the page, and the reason in words of the task."""
    wrong = read(name)
    assert [w.field for w in wrong] == [FIELD[name], "reason"]
    assert wrong[0].text == f"{FIELD[name]}.empty"
    said = {"magnitude": "reason.empty", "graded": "reason.label", "binary": "reason.label"}
    assert wrong[1].text == said.get(name, "reason.choice")


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("magnitude", "1/2", 0.5), ("graded", "3", 3), ("graded", "0", 0), ("binary", "1", 1), ("binary", "0", 0),
        ("preference", "left", 1), ("preference", "same", 0), ("preference", "right", -1),
        ("claim", "full", 2), ("claim", "part", 1), ("claim", "none", 0), ("claim", "against", -1),
    ],
)  # fmt: skip
def test_an_answer_has_its_value_and_what_was_typed(name: str, key: str, value: float) -> None:
    """Guards the numbers of the export."""
    assert read(name, **{FIELD[name]: key}, reason=" so \r\n it is ") == Answer(value, key, "so \n it is")


@pytest.mark.parametrize("name", [n for n in TASKS if n != "magnitude"])
def test_a_label_that_is_not_offered_is_none(name: str) -> None:
    """Guards against forged forms: a value that no radio button has is not taken."""
    assert read(name, **{FIELD[name]: "4"}, reason="so")[0].text == f"{FIELD[name]}.empty"


@pytest.mark.parametrize("name", TASKS)
def test_why_one_cannot_judge_is_taken_by_either_button(name: str) -> None:
    """Guards who chooses why they cannot judge and presses Next: taken so, unless they began to judge."""
    task = task_of(name)
    answer = task.read({"action": "next", task.field: "", "cannot": "unclear", "cannot_note": "a list"})
    assert isinstance(answer, Answer)
    assert (answer.cannot, answer.note, math.isnan(answer.value)) == ("unclear", "a list", True)
    begun = task.read({"action": "next", task.field: "", "cannot": "unclear", "reason": "since it tells"})
    assert not isinstance(begun, Answer)
    assert [(w.field, w.text) for w in begun] == [(task.field, f"{task.field}.empty"), ("cannot", "cannot.button")]
    other = task.read({"action": "next", task.field: "", "cannot": "nonsense"})
    assert not isinstance(other, Answer)
    assert {w.field for w in other} == {task.field, "reason"}, "no reason of ours"


@pytest.mark.parametrize("name", TASKS)
def test_cannot_judge_needs_why_and_nothing_else(name: str) -> None:
    """Guards that what cannot be judged has no value, never 0, and keeps what was said."""
    task = task_of(name)
    answer = task.read({"action": "cannot", "cannot": "language", "cannot_note": " Finnish? ", "reason": "x"})
    assert isinstance(answer, Answer)
    assert math.isnan(answer.value)
    assert (answer.cannot, answer.note, answer.reason, answer.typed) == ("language", "Finnish?", "x", "")
    for why in ("", "bored"):
        wrong = task.read({"action": "cannot", "cannot": why})
        assert not isinstance(wrong, Answer)
        assert [(w.field, w.text) for w in wrong] == [("cannot", "cannot.empty")]


def test_choosing_what_stops_you_counts_only_when_it_is_sent_as_that() -> None:
    """Guards a radio button touched by mistake: Next takes the number."""
    assert read("magnitude", number="5", reason="so", cannot="language") == Answer(5.0, "5", "so")


def test_an_ambiguous_number_is_asked_and_then_taken() -> None:
    """Guards the two radio buttons through the task, with the study's own mark."""
    (wrong,) = read("magnitude", number="1,500", reason="so")
    assert (wrong.field, wrong.text, wrong.choices) == ("number", "number.comma", ("1.5", "1500"))
    assert read("magnitude", number="1,500", number_meant="1500", reason="so") == Answer(1500.0, "1,500", "so")
    comma = task_of("magnitude", {"decimal": ","})
    assert comma.read({"number": "1,500", "reason": "so"}) == Answer(1.5, "1,500", "so")


def test_reasons() -> None:
    """Guards what a reason is: letters or digits of any script, not signs, not a book; and none where none is asked."""
    assert read("binary", label="1", reason="...")[0].text == "reason.label"
    assert read("binary", label="1", reason="\u95a2\u9023") == Answer(1.0, "1", "\u95a2\u9023")
    assert read("binary", label="1", reason="a" * 10_001)[0].text == "text.long"
    assert task_of("binary", {"reason": False}).read({"label": "1"}) == Answer(1.0, "1")


def test_texts_can_be_stored() -> None:
    """Guards PostgreSQL, which stores no NUL, and UTF-8, which has no halves of surrogate pairs."""
    answer = read("magnitude", number="5\x00", reason="a\x00b\ud800c")
    assert answer == Answer(5.0, "5", "abc")


def test_order_of_the_known_documents() -> None:
    """Guards check (c): strictly above, by the unit's own places; void where either of the two cannot be judged."""
    task, long = task_of("magnitude"), [20.0] * 4

    def failed(low: float, high: float) -> tuple[str, ...]:
        answers = [Answer(v, cannot="other" if math.isnan(v) else "") for v in (low, 1.0, high, 9.0)]
        return task.failed(UNIT, answers, long)

    assert failed(1, 2) == ()
    assert failed(2, 1) == ("order",)
    assert failed(2, 2) == ("order",)
    assert failed(math.nan, 1) == ()
    assert failed(5, math.nan) == ()


@pytest.mark.parametrize("name", TASKS)
def test_time_on_each(name: str) -> None:
    """Guards check (d): at least the study's seconds on each item that was judged, none on others."""
    task, answers = task_of(name, {"seconds": 20}), [Answer(float(v)) for v in (1, 2, 3, 4)]
    assert task.failed(UNIT, answers, [20.0, 20.0, 20.0, 20.0]) == ()
    assert task.failed(UNIT, answers, [20.0, 20.0, 20.0, 19.999]) == ("time",)
    skipped = [*answers[:3], Answer(math.nan, cannot="language")]
    assert task.failed(UNIT, skipped, [20.0, 20.0, 20.0, 3.0]) == ()
    assert task_of(name, {"seconds": 0}).failed(UNIT, answers, [0.0] * 4) == ()
    with pytest.raises(ValueError, match="zip"):
        task.failed(UNIT, answers[:3], [20.0] * 4)


def test_both_checks_are_named() -> None:
    """Guards the audit: a unit that fails both says both."""
    answers = [Answer(float(v)) for v in (4, 3, 2, 1)]
    assert task_of("magnitude").failed(UNIT, answers, [1.0] * 4) == ("order", "time")


def test_labels_of_a_study() -> None:
    """Guards labels from the study file: shown in its order, their numbers in the export."""
    given = [{"value": 10, "name": "Perfect", "meaning": "All of it."}, {"value": 0.5, "name": "Fair"}]
    task = task_of("graded", {"labels": given, "decimal": ","})
    assert task.options == (Option("10", 10.0, "Perfect", "All of it."), Option("0.5", 0.5, "Fair"))
    assert task.read({"label": "0.5", "reason": "so"}) == Answer(0.5, "0.5", "so")


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("grade", {}, "there is no task 'grade'; there are magnitude, graded"),
        ("graded", {"second": 2}, "no setting 'second'; there are seconds, reason, decimal, labels"),
        ("graded", {"seconds": -1}, "seconds is -1; give a number of at least 0"),
        ("graded", {"seconds": math.nan}, "seconds is nan"),
        ("graded", {"reason": "yes"}, "reason is 'yes'; give true or false"),
        ("magnitude", {"decimal": ";"}, "decimal is ';'; give '.' or ','"),
        ("magnitude", {"labels": [{"value": 1, "name": "a"}]}, "the task magnitude has no labels"),
        ("graded", {"labels": "yes"}, "labels is not a list of tables"),
        ("graded", {"labels": [{"value": 1, "name": "a"}]}, "at least two"),
        ("graded", {"labels": [{"value": "1", "name": "a"}, {"value": 0, "name": "b"}]}, "label 1 has the value '1'"),
        ("graded", {"labels": [{"value": 1, "name": "a"}, {"value": 0}]}, r"label 2 \(value 0\) has no name"),
        ("graded", {"labels": [{"value": 1, "name": "a"}, {"value": 1.0, "name": "b"}]}, "two labels have the value"),
        ("graded", {"labels": [{"value": 1, "name": "a"}, {"value": 2, "name": "a"}]}, "two labels have the name"),
        ("graded", {"labels": [{"value": 1, "name": "a", "gain": 2}, {"value": 2, "name": "b"}]}, "setting 'gain'"),
        ("binary", {"labels": [{"value": 2, "name": "a"}, {"value": 0, "name": "b"}]}, "values 1 and 0"),
    ],
)  # fmt: skip
def test_settings_that_are_wrong_are_told(name: str, settings: dict[str, Any], said: str) -> None:
    """Guards a study's file: the value, the fault, what to do."""
    with pytest.raises(TruegainError, match=said):
        task_of(name, settings)


def test_every_text_that_is_named_is_worded() -> None:
    """Guards the catalogue: each name in the code of numbers and tasks stands with its English in a docstring."""
    worded = set(re.findall(r"^    ([a-z]+\.[a-z]+) +\S", f"{magnitude.__doc__}\n{base.__doc__}", re.MULTILINE))
    folder = Path(base.__file__).parent
    code = "".join(p.read_text() for p in folder.glob("*.py"))
    fields = {f"{field}.empty" for field in FIELD.values()}
    asks = {kind.ask for kind in TASKS.values()}
    used = set(re.findall(r'"((?:number|reason|cannot|label|prefer|support|text)\.[a-z]+)"', code)) | fields
    assert used - asks == worded
    assert asks <= set(catalogue())
