"""Plain columns from what people already have in Python: dicts, tuples, and which kind an object is of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from truegain.errors import ORDER, InputError, an
from truegain.io.columns import Floats, Places, RawTable, is_bool, number_of
from truegain.io.file_options import ColumnNames, Header, label_of
from truegain.io.json_files import place_of
from truegain.message import arg

_KINDS = (
    "a path, a dict of dicts, a pandas, polars or pyarrow frame, a list of rows, ir_measures tuples or a ranx object"
)


def is_id(value: object) -> bool:
    """Text or a whole number."""
    return isinstance(value, str) or (isinstance(value, Integral) and not isinstance(value, bool))


def is_kind(data: object, *names: str) -> bool:
    """Whether this is ranx's or our own of one of these names; by name, for ours are made of what is here."""
    ours = ("ranx", "truegain")
    return any(kind.__name__ in names and kind.__module__.split(".")[0] in ours for kind in type(data).__mro__)


def is_ranx(data: object) -> bool:
    """Whether this is a Qrels or a Run of ranx."""
    return type(data).__module__.split(".")[0] == "ranx" and hasattr(data, "to_dict")


def flat(
    data: Mapping[Any, Any], what: str, *, labels: bool, text: bytes | None = None
) -> tuple[list[str], list[str], Floats]:
    """Topics, documents and numbers of {topic: {document: number}}; `text` is the file they stand in."""
    topics: list[str] = []
    docs: list[str] = []
    values: list[Any] = []
    for topic, inner in data.items():
        if not isinstance(inner, Mapping):
            raise InputError(
                f"topic {topic} is {an(inner)}, not a dict",
                file=what,
                **({} if text is None else place_of(text, str(topic))),
                hint="give {topic: {document: number}}",
            )
        if labels and any(isinstance(value, Mapping) for value in inner.values()):
            raise InputError(f"{topic} contains dicts of dicts, like runs of several systems", file=what, hint=ORDER)
        topics += [an_id(topic, "topic", what)] * len(inner)
        docs += [an_id(doc, "document", what) for doc in inner]
        values += inner.values()
    if text is not None:
        _check_file(topics, docs, values, what, text, labels)
    return topics, docs, numbers(values, what, labels=labels)


def _check_file(topics: list[str], docs: list[str], values: list[Any], file: str, text: bytes, labels: bool) -> None:
    """Refuse what is no number in a JSON file, naming its line."""
    for topic, doc, value in zip(topics, docs, values, strict=True):
        number = label_of(value) if labels else None if is_bool(value) else number_of(value)
        if number is None or number != number:
            kind = "label" if labels else "score"
            raise InputError(
                f"{kind} of topic {topic}, document {doc} is not a number", file=file, text=json.dumps(value),
                **place_of(text, topic, doc), hint="write {topic: {document: number}}",
            )  # fmt: skip


def an_id(value: object, name: str, what: str) -> str:
    """An id as text."""
    if type(value) is str:
        return value
    if not is_id(value):
        raise InputError(f"{name} is {an(value)}", file=what, text=str(value), hint="give ids as text or whole numbers")
    return str(value)


def numbers(values: list[Any], what: str, *, labels: bool) -> Floats:
    """Numbers; labels may also be True and False, scores may not."""
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        number = label_of(value) if labels else None if is_bool(value) else number_of(value)
        if number is None:
            raise InputError(
                "not a number", file=what, row=row + 1, text=str(value), hint="labels and scores must be numbers"
            )
        numbers[row] = number
    return numbers


def is_one_run(data: Mapping[Any, Any]) -> bool:
    """{topic: {document: score}}, told from {system: ...} by what stands two levels down."""
    for inner in data.values():
        if not isinstance(inner, Mapping):
            return False
        for value in inner.values():
            return not isinstance(value, Mapping)
    return True


def refuse_columns(is_given: bool, data: object) -> None:
    """Names of columns are for what has columns."""
    if is_given:
        what = f"{arg('columns')} names columns, and {an(data)} has none"
        raise InputError(what, hint="leave it out, or give a file or a frame")


def header_of(columns: ColumnNames | None, what: str) -> Header:
    """What the user says of the columns of a frame, which has names of its own."""
    header = Header.of(columns)
    if header.names:
        raise InputError(
            f"columns {','.join(header.names)} were given, but this frame has its own column names", file=what,
            hint=f"leave out {arg('columns')}, or write ours=theirs in it, such as label=grade",
        )  # fmt: skip
    return header


def long_rows(data: Mapping[Any, Any], names: Sequence[str], what: str) -> RawTable:
    """The rows of dicts in dicts in dicts, under the names of their levels and of the values.

    >>> long_rows({"ann": {"1": {"a": 2, "b": 0}}}, ("assessor", "topic", "doc", "label"), "ratings").values
    [['ann', 'ann'], ['1', '1'], ['a', 'b'], [2, 0]]
    """
    rows = []
    for first, inside in data.items():
        for second, values in inside.items() if isinstance(inside, Mapping) else [("", None)]:
            if not isinstance(values, Mapping):
                a, b, c, value = names
                form = f"{{{a}: {{{b}: {{{c}: {value}}}}}}}"
                raise InputError(f"{first} contains no dict of {b} and {c}", file=what, hint=f"give {form}")
            rows += [(first, second, third, value) for third, value in values.items()]
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in names]
    return RawTable(list(names), columns, Places.rows(len(rows)))


def tuples(data: object, value: str, what: str) -> list[Any]:
    """The rows of ir_measures: a query_id, a doc_id and a value each."""
    rows = list(data) if isinstance(data, Iterable) and not isinstance(data, bytes) else None
    if rows is None or not all(hasattr(r, "query_id") and hasattr(r, "doc_id") and hasattr(r, value) for r in rows):
        raise InputError(f"cannot read {an(data)} as {what}", hint=f"give {_KINDS}")
    if not rows:
        raise InputError("there are no rows", file=what, hint=f"give {_KINDS}")
    return rows
