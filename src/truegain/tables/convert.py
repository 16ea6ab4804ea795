"""Judgments and runs from what people already have in Python."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from truegain.errors import ORDER, InputError
from truegain.tables import named
from truegain.tables.columns import Floats
from truegain.tables.judgments import Judgments, judgments_of_columns
from truegain.tables.read import read_judgments, read_runs
from truegain.tables.runs import Run, Runs, run_of_columns
from truegain.tables.tabular import is_bool, number_of

_KINDS = "a path, a dict of dicts, a pandas or polars frame, ir_measures tuples or a ranx object"


def to_judgments(data: object) -> Judgments:
    """Judgments from any known kind of object."""
    if isinstance(data, Judgments):
        return data
    if isinstance(data, Runs | Run) or _is_ranx(data, "Run"):
        raise InputError(f"this is a {type(data).__name__}, not judgments", file="judgments", hint=ORDER)
    if isinstance(data, str | os.PathLike):
        return read_judgments(data)
    if _is_ranx(data):
        data = data.to_dict()  # type: ignore[attr-defined]
    if isinstance(data, Mapping):
        topics, docs, labels = _flat(data, "judgments", labels=True)
        return replace(judgments_of_columns(topics, docs, labels, "judgments"), bare=True)
    if _is_frame(data):
        return named.judgments(_in_memory(data), "judgments")
    rows = _tuples(data, "relevance", "judgments")
    return judgments_of_columns(
        [_id(r.query_id, "topic", "judgments") for r in rows],
        [_id(r.doc_id, "document", "judgments") for r in rows],
        _numbers([r.relevance for r in rows], "judgments", labels=True),
        "judgments",
        subtopics=[str(getattr(r, "iteration", "0")) for r in rows],
    )


def to_runs(data: object) -> Runs:
    """Runs from any known kind of object; a dict of such objects names the systems."""
    if isinstance(data, Runs):
        return data
    if isinstance(data, Run):
        return Runs((data,))
    if isinstance(data, Judgments) or _is_ranx(data, "Qrels"):
        raise InputError(f"these are {type(data).__name__}, not runs", file="runs", hint=ORDER)
    if isinstance(data, str | os.PathLike) or _is_paths(data):
        return read_runs(data)  # type: ignore[arg-type]
    if isinstance(data, Mapping) and not _is_one_run(data):
        return Runs(tuple(run for name, value in data.items() for run in _named_runs(str(name), value)))
    bare = isinstance(data, Mapping)
    return Runs(tuple(replace(run, bare=bare) for run in _named_runs("run", data)))


def _named_runs(name: str, data: object) -> list[Run]:
    """The runs in one object; `name` is used where it names none itself."""
    if isinstance(data, Run):
        return [replace(data, system=name)]
    if isinstance(data, str | os.PathLike):
        parts = read_runs(data).parts
        if len(parts) > 1:
            raise InputError(
                f"one name, {name}, for {len(parts)} systems", file=os.fspath(data), hint="name one file a system"
            )
        return [replace(parts[0], system=name)]
    if _is_ranx(data):
        name = getattr(data, "name", None) or name
        data = data.to_dict()  # type: ignore[attr-defined]
    if isinstance(data, Mapping):
        topics, docs, scores = _flat(data, name, labels=False)
        if not topics:
            raise InputError("the run holds no rows", file=name, hint="give at least one document")
        return [run_of_columns(name, topics, docs, scores, name)]
    if _is_frame(data):
        return named.runs(_in_memory(data), name, name)
    rows = _tuples(data, "score", name)
    return [
        run_of_columns(
            name,
            [_id(r.query_id, "topic", name) for r in rows],
            [_id(r.doc_id, "document", name) for r in rows],
            _numbers([r.score for r in rows], name, labels=False),
            name,
        )
    ]


def _flat(data: Mapping[Any, Any], what: str, *, labels: bool) -> tuple[list[str], list[str], Floats]:
    topics: list[str] = []
    docs: list[str] = []
    values: list[Any] = []
    for topic, inner in data.items():
        if not isinstance(inner, Mapping):
            raise InputError(
                f"topic {topic} is a {type(inner).__name__}, not a dict",
                file=what,
                hint="give {topic: {document: number}}",
            )
        if labels and any(isinstance(value, Mapping) for value in inner.values()):
            raise InputError(f"{topic} holds dicts of dicts, as runs of several systems do", file=what, hint=ORDER)
        topics += [_id(topic, "topic", what)] * len(inner)
        docs += [_id(doc, "document", what) for doc in inner]
        values += inner.values()
    return topics, docs, _numbers(values, what, labels=labels)


def _id(value: object, name: str, what: str) -> str:
    if type(value) is str:
        return value
    if not named.is_id(value):
        raise InputError(
            f"{name} is a {type(value).__name__}", file=what, text=repr(value), hint="give ids as text or whole numbers"
        )
    return str(value)


def _numbers(values: list[Any], what: str, *, labels: bool) -> Floats:
    """Numbers; labels may also be True and False, scores may not."""
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        number = None if not labels and is_bool(value) else number_of(value)
        if number is None:
            raise InputError(
                "not a number", file=what, row=row + 1, text=repr(value), hint="labels and scores must be numbers"
            )
        numbers[row] = number
    return numbers


def _is_one_run(data: Mapping[Any, Any]) -> bool:
    """{topic: {document: score}}, told from {system: ...} by what stands two levels down."""
    for inner in data.values():
        if not isinstance(inner, Mapping):
            return False
        for value in inner.values():
            return not isinstance(value, Mapping)
    return True


def _is_paths(data: object) -> bool:
    return isinstance(data, list | tuple) and bool(data) and all(isinstance(d, str | os.PathLike) for d in data)


def _is_frame(data: object) -> bool:
    kind = type(data)  # the columns of a lazy frame must not be asked for: that warns
    return hasattr(kind, "columns") and hasattr(kind, "__getitem__")


def _in_memory(frame: Any) -> Any:
    """The frame itself; a lazy frame of polars is computed."""
    return frame.collect() if hasattr(frame, "collect") else frame


def _is_ranx(data: object, kind: str = "") -> bool:
    ours = type(data).__module__.split(".")[0] == "ranx" and hasattr(data, "to_dict")
    return ours and (not kind or type(data).__name__ == kind)


def _tuples(data: object, value: str, what: str) -> list[Any]:
    rows = list(data) if isinstance(data, Iterable) and not isinstance(data, bytes) else None
    if rows is None or not all(hasattr(r, "query_id") and hasattr(r, "doc_id") and hasattr(r, value) for r in rows):
        raise InputError(f"cannot read a {type(data).__name__} as {what}", hint=f"give {_KINDS}")
    if not rows:
        raise InputError("there are no rows", file=what, hint=f"give {_KINDS}")
    return rows
