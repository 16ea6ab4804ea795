"""Exports of annotation tools, as tables with named columns: Label Studio and Prodigy."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from truegain.errors import InputError, counted, warn
from truegain.io.columns import COLUMNS, Places, RawTable, frozen
from truegain.message import arg

_OF_PRODIGY = ("_annotator_id", "_session_id", "_task_hash", "_input_hash")
_NAMES = ("topic", "doc", "label", "assessor", "seconds")


def label_studio(tasks: Sequence[Mapping[str, Any]], file: str, names: Mapping[str, str] | None = None) -> RawTable:
    """The annotations in a JSON export of Label Studio: one row for each that was not cancelled.

    Topic and document stand in the task's data; the rating is the annotation's choice, number or rating.

    names: fields of the task's data that are the topic, the document or the assessor, and the name of the control
    (`from_name`) that holds the rating, where these are other ones.
    """
    named = names or {}
    cells: dict[str, list[Any]] = {name: [] for name in _NAMES}
    skipped, rows = 0, []
    for number, task in enumerate(tasks, 1):
        if not isinstance(task.get("annotations"), list):
            raise InputError(
                "a task without a list of annotations", file=file, row=number, hint="export from Label Studio as JSON"
            )
        for annotation in task["annotations"]:
            if not isinstance(annotation, Mapping) or not isinstance(annotation.get("result") or [], list):
                raise InputError(
                    "an annotation is not an object with a list 'result'",
                    file=file,
                    row=number,
                    text=json.dumps(annotation),
                    hint="export again from Label Studio, as JSON",
                )
            if annotation.get("was_cancelled") or not annotation.get("result"):
                skipped += 1
                continue
            data = task.get("data")
            cells["topic"].append(_field(data, "topic", file, number, named))
            cells["doc"].append(_field(data, "doc", file, number, named))
            cells["label"].append(_result(annotation["result"], file, number, named.get("label")))
            cells["assessor"].append(
                _field(data, "assessor", file, number, named)
                if "assessor" in named
                else _annotator(annotation, tasks, file, number)
            )
            cells["seconds"].append(annotation.get("lead_time"))
            rows.append(number)
    if skipped:
        was = "was canceled or is empty, and is" if skipped == 1 else "were canceled or are empty, and are"
        warn(f"{counted(skipped, 'annotation')} in {file} {was} left out")
    return RawTable(list(cells), list(cells.values()), Places("row", frozen(np.array(rows, np.int64))))


def _annotator(annotation: Mapping[str, Any], tasks: Sequence[Any], file: str, row: int) -> str:
    """Who made an annotation: the email or the id."""
    who = annotation.get("completed_by")
    if isinstance(who, Mapping):
        who = who.get("email") or who.get("id")
    if who is not None and str(who).strip():
        return str(who)
    is_one_each = all(isinstance(t, Mapping) and len(t.get("annotations") or ()) < 2 for t in tasks)
    raise InputError(
        f"task {row} does not name its annotator: there is no 'completed_by'",
        file=file,
        hint="every task has one annotation, so there is nothing to agree on; if one person made all, add "
        '"completed_by": "NAME" to each, or read them as judgments: a table of topic, doc, label'
        if is_one_each
        else 'export with annotators, as JSON, or add "completed_by": "NAME" to each annotation',
    )


def _result(results: list[Any], file: str, row: int, control: str | None) -> Any:
    """The one rating of an annotation; `control` names the one that holds it where there are several."""
    ratings: list[Any] = []
    controls = [str(r.get("from_name")) for r in results if isinstance(r, Mapping) and r.get("from_name")]
    for result in results:
        if control is not None and isinstance(result, Mapping) and result.get("from_name") != control:
            continue
        value = result.get("value") if isinstance(result, Mapping) else None
        for kind in ("choices", "number", "rating"):
            if isinstance(value, Mapping) and kind in value:
                ratings += value[kind] if isinstance(value[kind], list) else [value[kind]]
    if len(ratings) != 1:
        raise InputError(
            f"an annotation contains {counted(len(ratings), 'rating')}",
            file=file,
            row=row,
            text=json.dumps(results),
            hint="export tasks with one choice, number or rating each"
            + (
                ", or name the control that holds it, as in "
                f"{arg('columns', f'label={controls[0]}', of='tg.read_ratings')}"
                if controls
                else ""
            ),
        )
    return ratings[0]


def is_prodigy(table: RawTable) -> bool:
    """Whether a table of JSON lines is an export of Prodigy."""
    return "answer" in table.columns and bool(set(_OF_PRODIGY) & set(table.columns))


def prodigy(table: RawTable, file: str, names: Mapping[str, str] | None = None) -> RawTable:
    """The answers in a JSONL export of Prodigy: the option accepted, or 1 for accept and 0 for reject.

    Topic and document stand in the task or its `meta`; answers of 'ignore' are left out and counted, and so are those
    of 'reject' where there are options to choose from, for they say that none fits or that the task is bad.

    names: fields of the task, or of its `meta`, that are the topic, the document, the assessor or the rating, where
    these are other ones.
    """
    named = names or {}
    column = dict(zip(table.columns, table.values, strict=True))
    absent: list[Any] = [None] * len(table.places.number)
    who = [a or s for a, s in zip(column.get("_annotator_id", absent), column.get("_session_id", absent), strict=True)]
    cells: dict[str, list[Any]] = {name: [] for name in _NAMES[:4]}
    kept, rejected = [], 0
    for row, answer in enumerate(column["answer"]):
        if answer == "ignore":
            continue
        line = int(table.places.number[row])
        task = {name: values[row] for name, values in column.items() if values[row] is not None}
        if answer == "reject" and ("accept" in task or "options" in task):
            rejected += 1
            continue
        together = {**(task["meta"] if isinstance(task.get("meta"), Mapping) else {}), **task}
        label = (
            _field(together, "label", file, line, named)
            if "label" in named
            else _answer(answer, task.get("accept"), file, line)
        )
        together.pop("label", None)
        cells["topic"].append(_field(together, "topic", file, line, named))
        cells["doc"].append(_field(together, "doc", file, line, named))
        cells["label"].append(label)
        cells["assessor"].append(_field(together, "assessor", file, line, named) if "assessor" in named else who[row])
        kept.append(row)
    ignored = len(absent) - len(kept) - rejected
    if ignored:
        warn(f"{counted(ignored, 'answer')} in {file} {_are(ignored)} 'ignore', and {_are(ignored)} left out")
    if rejected:
        warn(
            f"{counted(rejected, 'answer')} in {file} {_are(rejected)} 'reject' where an option was to be chosen, and "
            f"{_are(rejected)} left out: a rejected task has no rating"
        )
    return RawTable(list(cells), list(cells.values()), table.places.take(np.array(kept, np.int64)))


def _answer(answer: Any, options: Any, file: str, line: int) -> Any:
    """The rating behind an answer of Prodigy."""
    if options is None and answer in ("accept", "reject"):
        return 1 if answer == "accept" else 0
    if answer != "accept":
        raise InputError(
            "the answer is not accept, reject or ignore", file=file, line=line, text=str(answer), hint="export again"
        )
    if not isinstance(options, list) or len(options) != 1:
        raise InputError("not exactly one option is accepted", file=file, line=line, hint="accept one rating per task")
    return options[0]


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _field(data: Any, name: str, file: str, place: int, named: Mapping[str, str]) -> Any:
    """A field of a task by one of our names, or the one that the user gave; query+facet joins two."""
    fields = data if isinstance(data, Mapping) else {}
    parts = [part.strip() for part in named[name].split("+")] if name in named else []
    if parts and named[name] not in fields:
        if all(part in fields for part in parts):
            return "-".join(str(fields[part]) for part in parts) if len(parts) > 1 else fields[parts[0]]
        values = []
    else:
        values = [fields[n] for n in ([named[name]] if parts else COLUMNS[name]) if n in fields]
    if not values:
        present = f"; there are {', '.join(map(str, fields))}" if fields else ""
        field = f"'{named[name]}'" if parts else f"'{name}'"
        raise InputError(
            f"task {place} has no {name}: there is no field {field}{present}",
            file=file,
            hint=f"name the field, as in {arg('columns', f'{name}=FIELD', of='tg.read_ratings')}",
        )
    return values[0]
