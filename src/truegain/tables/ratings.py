"""Ratings: judgments by several people, from the tables and exports that people have."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from truegain.errors import InputError, some
from truegain.message import arg, argname
from truegain.tables import exports, rating_columns, tabular
from truegain.tables.columns import Places
from truegain.tables.convert import is_one_run, long_rows
from truegain.tables.frames import is_frame, opened
from truegain.tables.grouped import no_assessor
from truegain.tables.header import COLUMN, ColumnNames, Header, Missing, told
from truegain.tables.header import OutOfRange as OutOfRange
from truegain.tables.header import Repeated as Repeated
from truegain.tables.json_files import records
from truegain.tables.judgments import Judgments, JudgmentsLike, judgments_of_columns, without_gold
from truegain.tables.named import Columns, is_missing, renamed
from truegain.tables.notice import warn
from truegain.tables.plain import plain_text
from truegain.tables.protocols import Numbers
from truegain.tables.rating_checks import settled, tell_negative, within
from truegain.tables.rating_values import check_extra, labelled_rows, numbers, worded
from truegain.tables.scale import Scale
from truegain.tables.separated import read_unnamed
from truegain.tables.sources import read_bytes, shown_path

RatingsLike = JudgmentsLike | Mapping[Any, Numbers]  # with a column for the assessor, or {assessor: judgments}
MOST_NAMED = 8  # columns that a message lists


def read_ratings(
    data: RatingsLike,
    *,
    scale: Scale | str | None = None,
    out_of_range: OutOfRange = "error",
    repeated: Repeated = "error",
    assessors: Sequence[str] | None = None,
    columns: ColumnNames | None = None,
    separator: str | None = None,
    values: Mapping[str, float] | None = None,
    topic: str | None = None,
    missing: Missing = "refuse",
) -> Judgments:
    """Ratings of any known shape, checked: judgments that say who gave each label.

    Shapes: long tables (topic, doc, assessor, label; in CSV, TSV, JSONL, a JSON list, Parquet or a frame), crowd-kit's
    (task, worker, label), wide tables with a column an assessor, JSON exports of Label Studio, JSONL exports of
    Prodigy, and {assessor: {topic: {document: label}}}.

    scale: limits and level; what lies outside is an error that lists it, or is dropped and counted.  Words are ratings
    of a nominal scale.
    repeated: several ratings of one document by one assessor are an error, or the first, last or mean of them counts,
    or all do (a judge that was asked several times).
    assessors: the columns of a wide table that hold ratings (default: all that are not known otherwise, told).
    columns: other names of columns, such as {"subtopic": "facet"}; {"topic": "query+facet"} joins two; or the names of
    all columns where no line has them, such as "topic,doc,assessor,label".  In exports they are fields of the task,
    and {"label": NAME} is the name of the control or field that holds the rating.
    separator: what stands between topic and document in a task's name (default: white space).
    values: numbers for ratings that are words, such as {"relevant": 2}.
    topic: the name of the one topic that all ratings are about, where no column says it.
    missing: rows without a rating are refused, or with "drop" left out and counted; cells of a wide table may be empty.

    >>> import polars as pl
    >>> wide = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "ann": [2, 0], "bob": ["1/2", None]})
    >>> read_ratings(wide, assessors=["ann", "bob"])
    Judgments(3 labels, 1 topic, 2 assessors)
    """
    asked = (
        ("out_of_range", out_of_range, OutOfRange),
        ("repeated", repeated, Repeated),
        ("missing", missing, Missing),
    )
    for name, value, choices in asked:
        if value not in choices.__args__:  # type: ignore[attr-defined]
            raise InputError(f"{argname(name)} is {value!r}", hint=f"give {' or '.join(choices.__args__)}")  # type: ignore[attr-defined]
    declared = Scale.of(scale)
    words_rate = declared.level == "nominal" and declared.low is None and declared.high is None
    said = told()
    is_file = isinstance(data, str | os.PathLike)
    header = said.header_of(data) if columns is None and is_file else Header.of(columns)  # type: ignore[arg-type]
    gold = said.gold if is_file and said.is_judgments(data) else None  # type: ignore[arg-type]
    if gold is not None and gold.startswith(COLUMN):
        header = replace(header, renamed={**header.renamed, "gold": gold.removeprefix(COLUMN)})
    shape = _Shape(assessors, header, separator, values or {}, topic, words_rate, missing)
    ratings = _loaded(data, shape)
    if gold is not None:
        if values and "gold" in ratings.extra:
            ratings = replace(ratings, extra={**ratings.extra, "gold": worded(ratings.extra["gold"], values)})
        ratings = without_gold(ratings)
    if ratings.assessor is None:
        raise no_assessor(ratings)
    if not isinstance(data, Judgments):  # these were told of when they were read
        tell_negative(ratings, declared)
    known = isinstance(data, Judgments) and repeated == "all"
    return settled(within(ratings, declared, out_of_range), repeated, told=known)


@dataclass(frozen=True)
class _Shape:
    """How the user told us to read a table."""

    assessors: Sequence[str] | None = None
    header: Header = field(default_factory=Header)
    separator: str | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    topic: str | None = None
    nominal: bool = False
    missing: Missing = "refuse"


def _loaded(data: object, shape: _Shape) -> Judgments:
    if isinstance(data, Judgments):
        return data
    if isinstance(data, str | os.PathLike):
        return _read(data, shape)
    if is_frame(data):
        return _tabled(opened(data), "ratings", shape)
    if isinstance(data, Mapping) and data and not is_one_run(data):
        return _tabled(long_rows(data, ("assessor", "topic", "doc", "label"), "ratings"), "ratings", shape)
    return Judgments.of(data)


def _read(path: str | os.PathLike[str], shape: _Shape) -> Judgments:
    raw, file = read_bytes(path), shown_path(path)
    if tabular.is_parquet(raw, tabular.ending(file)):
        return _tabled(tabular.read(raw, "parquet", file), file, shape)
    text = plain_text(raw, file)
    if text[:65536].lstrip()[:1] in (b"[", b"{"):
        return _of_json(text, file, shape)
    if shape.header.names:
        return _tabled(rating_columns.stripped(read_unnamed(text, shape.header.names, file)), file, shape)
    kind = rating_columns.kind_of(text, file, shape.header.theirs)
    return _tabled(rating_columns.stripped(tabular.read_text(text, kind, file)), file, shape)


def _of_json(text: bytes, file: str, shape: _Shape) -> Judgments:
    """Ratings from JSON lines or a JSON list: a table, or an export of Label Studio or Prodigy."""
    names = shape.header.renamed
    found: tabular.RawTable | None = None
    if text.lstrip().startswith(b"["):
        rows, places = records(text, file)
        if any("annotations" in row for row in rows):
            found = exports.label_studio(rows, file, names)
        table = tabular.of_objects(rows, places)
    else:
        table = tabular.read_text(text, "jsonl", file)
        if exports.is_prodigy(table):
            found = exports.prodigy(table, file, names)
    if found is None:
        return _tabled(table, file, shape)
    rest = {ours: theirs for ours, theirs in names.items() if ours not in found.columns}
    return _tabled(found, file, replace(shape, header=Header(renamed=rest, role=shape.header.role)))


def _tabled(frame: Any, file: str, shape: _Shape) -> Judgments:
    columns = renamed(Columns(frame, file, shape.header.role), shape.header, strict=True)
    is_wide = shape.assessors is not None or ("label" not in columns and "assessor" not in columns)
    of_tasks = "topic" not in columns and "doc" not in columns and "task" in columns.names
    needed = () if of_tasks else ("doc",) if shape.topic is not None else ("topic", "doc")
    rating_columns.require(columns, (*needed, *(() if is_wide else ("assessor", "label"))))
    if shape.missing == "drop" and not is_wide:
        columns = labelled_rows(columns, values=shape.values)
    topics, docs = _about(columns, of_tasks, shape)
    subtopics = columns.ids("subtopic") if "subtopic" in columns else None
    if is_wide:
        return _of_wide(columns, topics, docs, subtopics, shape)
    extra = columns.extra()
    check_extra(extra, columns)
    return judgments_of_columns(
        topics,
        docs,
        numbers(columns._raw("label"), columns, shape.values, nominal=shape.nominal),
        file,
        subtopics=subtopics,
        assessors=columns.ids("assessor"),
        extra=extra,
        places=columns.places,
    )


def _about(columns: Columns, of_tasks: bool, shape: _Shape) -> tuple[list[str], list[str]]:
    """The topic and the document of every row."""
    if shape.topic is None:
        return _of_tasks(columns, shape.separator) if of_tasks else (columns.ids("topic"), columns.ids("doc"))
    if "topic" in columns:
        raise InputError(
            f"all ratings are to be of topic {shape.topic}, but there is a column '{columns.found['topic'][0]}'",
            file=columns.file,
            hint=f"leave out {arg('topic')}, or the column",
        )
    if of_tasks:
        columns.found["doc"] = ["task"]
    docs = columns.ids("doc")
    return [shape.topic] * len(docs), docs


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
                f"give the separator ({arg('separator', ':', of='tg.read_ratings')}), or where all tasks are documents "
                f"of one topic a name for it ({arg('topic', 'NAME', of='tg.read_ratings')}), or name columns topic and "
                "doc",
            )
        topics.append(parts[0])
        docs.append(parts[1])
    return topics, docs


def _of_wide(
    columns: Columns, topics: list[str], docs: list[str], subtopics: list[str] | None, shape: _Shape
) -> Judgments:
    rows, cells, names = [], [], []
    for name in _who(columns, shape.assessors):
        column = columns._column(name)
        there = [r for r, value in enumerate(column) if not is_missing(value)]
        rows += there
        cells += [column[r] for r in there]
        names += [rating_columns.written(columns, name)] * len(there)
    at = np.array(rows, np.int64)
    places = (columns.places or Places.rows(len(topics))).take(at)
    given = columns.extra()
    check_extra(given, columns)
    taken = Columns(tabular.RawTable(["label"], [cells], places), columns.file)
    return judgments_of_columns(
        [topics[r] for r in rows],
        [docs[r] for r in rows],
        numbers(cells, taken, shape.values, nominal=shape.nominal, names=names),
        columns.file,
        subtopics=[subtopics[r] for r in rows] if subtopics is not None else None,
        assessors=names,
        extra={name: [values[r] for r in rows] for name, values in given.items()},
        places=places,
    )


def _who(columns: Columns, asked: Sequence[str] | None) -> list[str]:
    """The columns of a wide table that hold ratings: those asked for, else all that are not known, which is told."""
    if asked is not None:
        who = [a.strip().lower() for a in asked]
        lost = [a for a in who if a not in columns.names]
    else:
        known = {name for found in columns.found.values() for name in found} | set(tabular.EXTRA) | {"task"}
        who, lost = [n for n in columns.names if n not in known], []
    if lost or not who:
        what = f"no column {some(lost)}" if lost else "no column that could be an assessor's"
        raise InputError(
            f"there is {what} among {', '.join(columns.names)}",
            file=columns.file,
            hint="name the label's column 'label' and the assessor's 'assessor', or list an assessor a column",
        )
    if asked is None:
        names = [rating_columns.written(columns, name) for name in who]
        taken = "column is taken as an assessor" if len(names) == 1 else "columns are taken as assessors"
        warn(
            f"{columns.file}: {len(names)} {taken}: {some(names, MOST_NAMED)} "
            f"(choose them with {arg('assessors', names[:2], of='tg.read_ratings')})"
        )
    return who
