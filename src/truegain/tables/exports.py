"""Exports of annotation tools, as tables with named columns: Label Studio and Prodigy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from truegain.errors import InputError
from truegain.tables.checks import warn
from truegain.tables.columns import Places, frozen
from truegain.tables.tabular import COLUMNS, Table

_NAMES = ("topic", "doc", "label", "assessor", "seconds")


def is_label_studio(text: bytes) -> bool:
    """Whether a text is a JSON list, as Label Studio exports tasks with their annotations."""
    return text.lstrip()[:1] == b"["


def label_studio(text: bytes, file: str) -> Table:
    """The annotations in a JSON export of Label Studio: one row for each that was not cancelled.

    Topic and document stand in the task's data; the rating is the annotation's choice, number or rating.
    """
    try:
        tasks = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not readable JSON: {error}", file=file, hint="export again, as JSON") from None
    cells: dict[str, list[Any]] = {name: [] for name in _NAMES}
    skipped, numbers = 0, []
    for number, task in enumerate(tasks, 1):
        if not isinstance(task, Mapping) or not isinstance(task.get("annotations"), list):
            raise InputError(
                "a task without a list of annotations", file=file, row=number, hint="export from Label Studio as JSON"
            )
        for annotation in task["annotations"]:
            if annotation.get("was_cancelled") or not annotation.get("result"):
                skipped += 1
                continue
            who = annotation.get("completed_by")
            cells["topic"].append(_field(task.get("data"), "topic", file, number))
            cells["doc"].append(_field(task.get("data"), "doc", file, number))
            cells["label"].append(_result(annotation["result"], file, number))
            cells["assessor"].append(str(who.get("email") or who.get("id")) if isinstance(who, Mapping) else str(who))
            cells["seconds"].append(annotation.get("lead_time"))
            numbers.append(number)
    if skipped:
        warn(f"{skipped} annotations in {file} were cancelled or are empty, and are left out")
    return Table(list(cells), list(cells.values()), Places("row", frozen(np.array(numbers, np.int64))))


def _result(results: list[Any], file: str, row: int) -> Any:
    found: list[Any] = []
    for result in results:
        value = result.get("value", {}) if isinstance(result, Mapping) else {}
        for kind in ("choices", "number", "rating"):
            if kind in value:
                found += value[kind] if isinstance(value[kind], list) else [value[kind]]
    if len(found) != 1:
        raise InputError(
            f"an annotation holds {len(found)} ratings", file=file, row=row, hint="export tasks with one rating each"
        )
    return found[0]


def is_prodigy(table: Table) -> bool:
    """Whether a table of JSON lines is an export of Prodigy."""
    return "answer" in table.columns and bool({"_annotator_id", "_session_id"} & set(table.columns))


def prodigy(table: Table, file: str) -> Table:
    """The answers in a JSONL export of Prodigy: the option accepted, or 1 for accept and 0 for reject.

    Topic and document stand in the task or its `meta`; answers of 'ignore' are left out and counted.
    """
    column = dict(zip(table.columns, table.values, strict=True))
    absent: list[Any] = [None] * len(table.places.number)
    who = [a or s for a, s in zip(column.get("_annotator_id", absent), column.get("_session_id", absent), strict=True)]
    cells: dict[str, list[Any]] = {name: [] for name in _NAMES[:4]}
    kept = []
    for row, answer in enumerate(column["answer"]):
        if answer == "ignore":
            continue
        line = int(table.places.number[row])
        task = {name: values[row] for name, values in column.items() if values[row] is not None}
        options = task.get("accept")
        if options is not None and answer == "accept":
            if not isinstance(options, list) or len(options) != 1:
                raise InputError("not exactly one option is accepted", file=file, line=line, hint="one rating a task")
            label = options[0]
        else:
            label = {"accept": 1, "reject": 0}.get(answer)
        together = {**(task["meta"] if isinstance(task.get("meta"), Mapping) else {}), **task}
        together.pop("label", None)
        cells["topic"].append(_field(together, "topic", file, line))
        cells["doc"].append(_field(together, "doc", file, line))
        cells["label"].append(label)
        cells["assessor"].append(who[row])
        kept.append(row)
    if len(kept) < len(absent):
        warn(f"{len(absent) - len(kept)} answers in {file} are 'ignore', and are left out")
    return Table(list(cells), list(cells.values()), table.places.take(np.array(kept, np.int64)))


def _field(data: Any, name: str, file: str, place: int) -> Any:
    found = [data[n] for n in COLUMNS[name] if n in data] if isinstance(data, Mapping) else []
    if not found:
        raise InputError(
            f"task {place} does not say its {name}", file=file, hint=f"keep a field '{name}' in the task's data"
        )
    return found[0]
