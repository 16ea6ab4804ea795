"""All tasks: one line each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from truegain.errors import TruegainError
from truegain.judging.tasks.base import ChoosingTask, Option, Task
from truegain.judging.tasks.binary import BinaryTask
from truegain.judging.tasks.claim import ClaimTask
from truegain.judging.tasks.graded import GradedTask
from truegain.judging.tasks.magnitude import MagnitudeTask
from truegain.judging.tasks.preference import PreferenceTask

TASKS: dict[str, type[MagnitudeTask] | type[ChoosingTask]] = {
    "magnitude": MagnitudeTask,
    "graded": GradedTask,
    "binary": BinaryTask,
    "preference": PreferenceTask,
    "claim": ClaimTask,
}


def has_own_labels(name: str) -> bool:
    """Whether a study may define the labels of a task.

    >>> [name for name in TASKS if has_own_labels(name)]
    ['graded', 'binary']
    """
    return "labels" in {f.name for f in fields(TASKS[name])}


def task_of(name: str, settings: Mapping[str, Any] | None = None) -> Task:
    """Make a task from its name and a study's settings.

    Parameters
    ----------
    name : str
        One of `TASKS`.
    settings : mapping, optional
        `seconds` that each item needs; `reason`, whether one is required; `decimal`, the mark in numbers, which tasks
        without numbers ignore; `labels` of graded and binary, in the order shown: value, name and meaning of each.

    Returns
    -------
    Task

    Examples
    --------
    >>> task_of("graded", {"labels": [{"value": 1, "name": "yes"}, {"value": 0, "name": "no"}]}).options[1]
    Option(key='0', value=0.0, name='no', meaning='')

    """
    kind = TASKS.get(name)
    if kind is None:
        raise TruegainError(f"there is no task {name!r}; there are {', '.join(TASKS)}")
    values = dict(settings or {})
    if unknown := sorted(set(values) - set(CHECKS)):
        raise TruegainError(f"a task has no setting {unknown[0]!r}; there are {', '.join(CHECKS)}")
    field_names = {f.name for f in fields(kind)}
    if values.get("labels") and "labels" not in field_names:
        raise TruegainError(f"the task {name} has no labels to define; leave them out, or use the task graded")
    if not values.get("labels"):
        values.pop("labels", None)
    return kind(**{key: CHECKS[key](value) for key, value in values.items() if key in field_names})


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise TruegainError(f"seconds is {value!r}; give a number of at least 0")
    return float(value)


def _reason(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TruegainError(f"reason is {value!r}; give true or false")
    return value


def _decimal(value: Any) -> str:
    if value not in (".", ","):
        raise TruegainError(f"decimal is {value!r}; give '.' or ','")
    return str(value)


def _labels(value: Any) -> tuple[Option, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(v, Mapping) for v in value):
        raise TruegainError("labels is not a list of tables; give each label a value, a name and a meaning")
    options = tuple(_label(label, place) for place, label in enumerate(value, 1))
    if len(options) < 2:
        raise TruegainError("there is one label; give at least two to choose from")
    for what, seen in (("value", [o.key for o in options]), ("name", [o.name for o in options])):
        if double := next((s for s in seen if seen.count(s) > 1), None):
            raise TruegainError(f"two labels have the {what} {double!r}; give each its own")
    return options


def _label(label: Mapping[str, Any], place: int) -> Option:
    """One label of a study, checked; its key in the form is its value as it is written."""
    value, name = label.get("value"), str(label.get("name", "")).strip()
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TruegainError(f"label {place} has the value {value!r}; give a number, such as value = {place}")
    if not name:
        raise TruegainError(f"label {place} (value {value:g}) has no name; give one, such as name = 'Relevant'")
    if unknown := sorted(set(label) - {"value", "name", "meaning"}):
        raise TruegainError(f"label {place} has no setting {unknown[0]!r}; there are value, name, meaning")
    return Option(f"{value:.15g}", float(value), name, str(label.get("meaning", "")).strip())


CHECKS: dict[str, Callable[[Any], Any]] = {
    "seconds": _seconds,
    "reason": _reason,
    "decimal": _decimal,
    "labels": _labels,
}
