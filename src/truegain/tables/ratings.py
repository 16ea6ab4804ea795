"""Ratings: judgments by several people, from the tables and exports that people have."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from truegain.errors import InputError, some
from truegain.tables import exports, tabular
from truegain.tables.checks import warn
from truegain.tables.columns import Floats, Places, frozen
from truegain.tables.grouped import item_keys, no_assessor
from truegain.tables.judgments import Judgments, judgments_of_columns
from truegain.tables.named import EXTRA, Columns, is_missing
from truegain.tables.scale import Scale
from truegain.tables.sources import STANDARD_INPUT, plain_text, read_bytes

Outside = Literal["error", "drop"]
Repeated = Literal["error", "first", "last", "mean"]


def read_ratings(
    data: object,
    *,
    scale: Scale | str | None = None,
    outside: Outside = "error",
    repeated: Repeated = "error",
    assessors: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
    values: Mapping[str, float] | None = None,
) -> Judgments:
    """Ratings of any known shape, checked: judgments that say who gave each label.

    Shapes: long tables (topic, doc, assessor, label; in CSV, TSV, JSONL, Parquet or a frame), crowd-kit's (task,
    worker, label), wide tables with a column an assessor, JSON exports of Label Studio, JSONL exports of Prodigy.

    scale: limits and level; what lies outside is an error that lists it, or is dropped and counted.
    repeated: several ratings of one document by one assessor are an error, or the first, last or mean of them.
    assessors: the columns of a wide table that hold ratings (default: all that are not known otherwise).
    columns: other names of columns, such as {"subtopic": "facet"}.
    separator: what stands between topic and document in a task's name (default: white space).
    values: numbers for ratings that are words, such as {"relevant": 2}.

    >>> import polars as pl
    >>> wide = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "ann": [2, 0], "bob": ["1/2", None]})
    >>> read_ratings(wide)
    Judgments(3 labels, 1 topic, 2 assessors)
    """
    for name, value, known in (("outside", outside, Outside), ("repeated", repeated, Repeated)):
        if value not in known.__args__:  # type: ignore[attr-defined]
            raise InputError(f"{name} is {value!r}", hint=f"give {' or '.join(known.__args__)}")  # type: ignore[attr-defined]
    shape = _Shape(assessors, columns or {}, separator, values or {})
    ratings = _loaded(data, shape)
    if ratings.assessor is None:
        raise no_assessor(ratings)
    return _settled(_within(ratings, Scale.of(scale), outside), repeated)


class _Shape:
    """How the user told us to read a table."""

    def __init__(
        self,
        assessors: Sequence[str] | None,
        columns: Mapping[str, str],
        separator: str | None,
        values: Mapping[str, float],
    ) -> None:
        self.assessors, self.columns, self.separator, self.values = assessors, columns, separator, values
        unknown = set(columns) - {*tabular.COLUMNS, *EXTRA}
        if unknown:
            raise InputError(
                f"there is no column called {', '.join(sorted(unknown))}",
                hint=f"ours are {', '.join((*tabular.COLUMNS, *EXTRA))}",
            )


def _loaded(data: object, shape: _Shape) -> Judgments:
    if isinstance(data, Judgments):
        return data
    if isinstance(data, str | os.PathLike):
        return _read(data, shape)
    if hasattr(data, "columns"):
        return _tabled(data, "ratings", shape)
    return Judgments.of(data)


def _read(path: str | os.PathLike[str], shape: _Shape) -> Judgments:
    file = "standard input" if os.fspath(path) == STANDARD_INPUT else os.fspath(path)
    raw = read_bytes(path)
    if tabular.is_parquet(raw, tabular.ending(file)):
        return _tabled(tabular.read(raw, "parquet", file), file, shape)
    text = plain_text(raw, file)
    first = text[:65536].lstrip().split(b"\n", 1)[0].rstrip()
    if exports.is_label_studio(text):
        return _tabled(exports.label_studio(text, file), file, shape)
    if first.startswith(b"{"):
        table = tabular.read(text, "jsonl", file)
        return _tabled(exports.prodigy(table, file) if exports.is_prodigy(table) else table, file, shape)
    kind: tabular.Kind | None = "tsv" if b"\t" in first else "csv" if b"," in first else None
    names = {n.strip().strip('"').lower() for n in first.decode().split("\t" if kind == "tsv" else ",")}
    known = {*tabular.COLUMNS["topic"], "task", *(v.lower() for v in shape.columns.values())}
    if kind is None or not names & known:
        kind = tabular.kind_of(text, file)
        if kind is None:
            raise InputError(
                "these are TREC lines, which do not say who rated: there is no assessor",
                file=file,
                hint="give a table with the columns topic, doc, assessor and label",
            )
    return _tabled(tabular.read(text, kind, file), file, shape)


def _tabled(frame: Any, file: str, shape: _Shape) -> Judgments:
    columns = Columns(frame, file)
    for ours, theirs in shape.columns.items():
        if theirs.strip().lower() not in columns.names:
            raise InputError(
                f"there is no column '{theirs}' among {', '.join(columns.names)}", file=file, hint="check its name"
            )
        columns.found[ours] = [theirs.strip().lower()]
    if "topic" not in columns and "doc" not in columns and "task" in columns.names:
        topics, docs = _of_tasks(columns, shape.separator)
    else:
        topics, docs = columns.ids("topic"), columns.ids("doc")
    subtopics = columns.ids("subtopic") if "subtopic" in columns else None
    if shape.assessors is not None or ("label" not in columns and "assessor" not in columns):
        return _of_wide(columns, topics, docs, subtopics, shape)
    raw = columns._raw("label")
    return judgments_of_columns(
        topics,
        docs,
        _numbers(raw, columns, shape.values),
        file,
        subtopics=subtopics,
        assessors=columns.ids("assessor") if "assessor" in columns else None,
        extra={**columns.extra(), **_renamed_extra(columns, shape)},
        places=columns.places,
    )


def _renamed_extra(columns: Columns, shape: _Shape) -> dict[str, Sequence[object]]:
    return {ours: columns._column(columns.found[ours][0]) for ours in shape.columns if ours in EXTRA}


def _of_tasks(columns: Columns, separator: str | None) -> tuple[list[str], list[str]]:
    tasks = columns._column("task")
    topics, docs = [], []
    for row, task in enumerate(tasks):
        parts = str(task).split(separator, 1) if not is_missing(task) else []
        if len(parts) != 2 or not all(parts):
            what = "white space" if separator is None else repr(separator)
            raise columns._fault(
                f"the task does not hold a topic and a document with {what} between them",
                row,
                task,
                "give the separator (--separator ':'), or name columns topic and doc",
            )
        topics.append(parts[0])
        docs.append(parts[1])
    return topics, docs


def _of_wide(
    columns: Columns, topics: list[str], docs: list[str], subtopics: list[str] | None, shape: _Shape
) -> Judgments:
    known = {name for found in columns.found.values() for name in found} | set(EXTRA) | {"task"}
    asked = [a.strip().lower() for a in shape.assessors] if shape.assessors is not None else None
    who = [n for n in columns.names if n not in known] if asked is None else asked
    lost = [a for a in who if a not in columns.names]
    if lost or not who:
        what = f"no column {some(lost)}" if lost else "no column that could be an assessor's"
        raise InputError(
            f"there is {what} among {', '.join(columns.names)}",
            file=columns.file,
            hint="name the label's column 'label' and the assessor's 'assessor', or list an assessor a column",
        )
    rows, cells, names = [], [], []
    for name in who:
        column = columns._column(name)
        there = [r for r, value in enumerate(column) if not is_missing(value)]
        rows += there
        cells += [column[r] for r in there]
        written = str(columns.frame.columns[columns.names.index(name)]).strip()
        names += [written] * len(there)
    at = np.array(rows, np.int64)
    places = (columns.places or Places.rows(len(topics))).take(at)
    extra = {name: [values[r] for r in rows] for name, values in columns.extra().items()}
    taken = Columns(tabular.Table(["label"], [cells], places), columns.file)
    return judgments_of_columns(
        [topics[r] for r in rows],
        [docs[r] for r in rows],
        _numbers(cells, taken, shape.values),
        columns.file,
        subtopics=[subtopics[r] for r in rows] if subtopics is not None else None,
        assessors=names,
        extra=extra,
        places=places,
    )


def _numbers(raw: Sequence[Any], columns: Columns, values: Mapping[str, float]) -> Floats:
    """Ratings as numbers: decimals, fractions such as 1/2, and words that the user gave numbers for."""
    numbers = np.empty(len(raw))
    for row, value in enumerate(raw):
        number = tabular.number_of(value)
        if number is None or number != number:
            number = _odd(value, values)
        if number is None:
            words = sorted({str(v) for v in raw if _odd(v, values) is None and not is_missing(v)})
            missing = is_missing(value)
            hint = "leave out documents that were not rated"
            if not missing:
                hint = f"give numbers for words, as in --values '{words[0]}=1' (words here: {some(words, 5)})"
            raise columns._fault(f"rating {'is missing' if missing else 'is not a number'}", row, value, hint)
        numbers[row] = number
    return numbers


def _odd(value: Any, values: Mapping[str, float]) -> float | None:
    """The number behind a fraction or a word; None where there is none."""
    number = tabular.number_of(value)
    if number is not None and number == number:
        return number
    if not isinstance(value, str):
        return None
    if value in values:
        return float(values[value])
    top, slash, bottom = value.partition("/")
    try:
        return float(Fraction(top.strip()) / Fraction(bottom.strip())) if slash else None
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


def _within(ratings: Judgments, scale: Scale, outside: Outside) -> Judgments:
    wrong = scale.outside(ratings.label)
    if not wrong.any():
        return ratings
    rows = np.flatnonzero(wrong)
    if outside == "drop":
        warn(f"{len(rows)} of {len(ratings)} ratings lie outside the scale {scale} and are dropped")
        if len(rows) == len(ratings):
            raise InputError(f"no rating lies on the scale {scale}", file=ratings.source, hint="check the scale")
        return ratings.take(np.flatnonzero(~wrong))
    listed = ", ".join(f"{ratings.label[r]:g} ({_place(ratings, int(r))})" for r in rows[:5].tolist())
    raise InputError(
        f"{len(rows)} of {len(ratings)} ratings lie outside the scale {scale}: {listed}"
        + (f" and {len(rows) - 5} more" if len(rows) > 5 else ""),
        file=ratings.source,
        hint="mend them, declare another scale, or drop them (--outside drop)",
    )


def _place(ratings: Judgments, row: int) -> str:
    place = ratings.where(row)
    where = f"line {place['line']}" if "line" in place else f"row {place.get('row')}"
    return f"{where}, assessor {ratings.assessor.values[ratings.assessor.code[row]]}" if ratings.assessor else where


def _settled(ratings: Judgments, repeated: Repeated) -> Judgments:
    assert ratings.assessor is not None
    key = item_keys(ratings) * len(ratings.assessor.values) + ratings.assessor.code
    _, first, at, count = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(key):
        return ratings
    if repeated == "error":
        order = np.argsort(key, kind="stable")
        second = int(order[1:][key[order][1:] == key[order][:-1]].min())
        one = int(np.flatnonzero(key == key[second])[0])
        who, topic = ratings.assessor.values[ratings.assessor.code[one]], ratings.topic.values[ratings.topic.code[one]]
        raise InputError(
            f"assessor {who} rated topic {topic}, document {ratings.docs[one]} twice, and so for "
            f"{int((count > 1).sum())} pairs in all",
            **ratings.where(second),  # type: ignore[arg-type]
            hint="keep one, or say which counts (--repeated first, last or mean)",
        )
    warn(f"{int((count > 1).sum())} documents were rated more than once by one assessor; the {repeated} counts")
    if repeated == "mean":
        mean = np.bincount(at, weights=ratings.label) / count
        rows = np.sort(first)
        return replace(ratings.take(rows), label=frozen(mean[at[rows]]))
    if repeated == "last":
        last = np.zeros(len(first), np.int64)
        np.maximum.at(last, at, np.arange(len(key)))
        return ratings.take(np.sort(last))
    return ratings.take(np.sort(first))
