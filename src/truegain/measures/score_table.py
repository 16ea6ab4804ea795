"""Scores that were worked out before, by us or by others: tables of system, topic, measure and value."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from truegain.data.rating_columns import says_missing
from truegain.data.scores import ALL_TOPICS, OUTSIDE, Scores, beyond, range_text
from truegain.errors import InputError, an, some
from truegain.io import formats, named_tables
from truegain.io.columns import COLUMNS, Floats
from truegain.io.frames import Numbers, TableLike, is_frame, opened
from truegain.io.named_tables import Columns
from truegain.io.python_tables import long_rows
from truegain.measures.base import Measure, geometric_mean_of_rows, mean_of_rows
from truegain.measures.catalogue import parse_measure
from truegain.message import EVALUATE

NEEDED = ("system", "topic", "measure", "value")
NAMES = {
    "system": (*COLUMNS["system"], "name"),  # as pyterrier calls it
    "topic": COLUMNS["topic"],
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
}
_HINT = f"give the columns system, topic, measure and value, as those of {EVALUATE} by topic"


ScoresLike = TableLike | Mapping[str, Numbers]  # long rows, or {measure: {system: {topic: value}}}


def read_scores(data: ScoresLike) -> Scores:
    """Read scores that were computed before, by truegain or by other tools.

    Rows of topic 'all' are summaries; they are computed where there are none.  An empty value is missing.  A value that
    the measure cannot have, such as an AP in percent, is refused.

    Parameters
    ----------
    data : path-like, frame, list of dict or mapping
        Long rows with the columns system, topic, measure and value: a frame of pandas, polars or pyarrow, or a file
        that holds one; or ``{measure: {system: {topic: value}}}``.

    Returns
    -------
    Scores
        What `evaluate` returns; `compare`, `intervals`, `correlate` and `plan_topics` take it in place of runs.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"system": ["a", "a"], "topic": ["1", "2"], "measure": "P@10", "value": [0.5, 1.0]}
    >>> read_scores(pl.DataFrame(rows)).mean("a", "P@10")
    0.75
    """
    columns = _columns(data)
    named = {ours: next((n for n in theirs if n in columns.names), None) for ours, theirs in NAMES.items()}
    lost = [name for name in NEEDED if named[name] is None]
    if lost:
        there = ", ".join(columns.names)
        raise InputError(f"there is no column {some(lost)} among {there}", file=columns.file, hint=_HINT)
    columns.matches |= {ours: [theirs] for ours, theirs in named.items() if theirs is not None}
    system, topic, measure = (columns.ids(name) for name in NEEDED[:3])
    if not system:
        raise InputError("there are no rows", file=columns.file, hint=_HINT)
    value = _values(columns)
    measures = {name: parse_measure(name) for name in dict.fromkeys(measure)}
    objects = {str(m): m for m in measures.values()}
    systems = {name: at for at, name in enumerate(dict.fromkeys(system))}
    topics = {name: at for at, name in enumerate(t for t in dict.fromkeys(topic) if t != ALL_TOPICS)}
    matrix = {name: np.full((len(systems), len(topics)), np.nan) for name in objects}
    summary = {name: np.full(len(systems), np.nan) for name in objects}
    seen: dict[tuple[str, str, str], int] = {}
    for row, key in enumerate(zip(system, topic, (str(measures[m]) for m in measure), strict=True)):
        if key in seen:
            problem = f"{key[2]} of system {key[0]}, topic {key[1]} appears twice"
            raise columns._fault(problem, row, value[row], "keep one")
        seen[key] = row
        bounds = objects[key[2]].bounds()
        if (key[1] != ALL_TOPICS or objects[key[2]].mean != "total") and beyond(value[row], bounds):
            problem = f"{measure[row]} of system {key[0]}, topic {key[1]} is out of its range, {range_text(bounds)}"
            raise columns._fault(problem, row, value[row], OUTSIDE)
        if key[1] == ALL_TOPICS:
            summary[key[2]][systems[key[0]]] = value[row]
        else:
            matrix[key[2]][systems[key[0]], topics[key[1]]] = value[row]
    names = {name: str(m) for name, m in measures.items()}
    if ALL_TOPICS not in topic:
        summary = {name: _summary(objects[name], values) for name, values in matrix.items()}
    provenance = {"scores": columns.file}
    return Scores(tuple(systems), tuple(topics), matrix, summary, objects, provenance, names)


def _columns(data: object) -> Columns:
    if is_frame(data):
        return Columns(opened(data), "scores")
    if isinstance(data, Mapping):
        return Columns(long_rows(data, ("measure", "system", "topic", "value"), "scores"), "scores")
    if not isinstance(data, str | os.PathLike):
        raise InputError(f"cannot read {an(data)} as scores", hint="give a path, a frame or a dict")
    return Columns(*formats.read_file(data))


def _values(columns: Columns) -> Floats:
    values = np.full(len(columns._raw("value")), np.nan)
    for row, cell in enumerate(columns._raw("value")):
        if says_missing(cell):
            continue
        number = named_tables.number_of(cell)
        if number is None or named_tables.is_bool(cell) or not np.isfinite(number):
            raise columns._fault("value is not a number", row, cell, "give a number, or nothing where there is none")
        values[row] = number
    return values


def _summary(measure: Measure, values: Floats) -> Floats:
    """One value per system from its topics, as the measure declares."""
    if measure.mean == "geometric":
        return geometric_mean_of_rows(values)
    if measure.mean == "total":
        return np.asarray(np.nansum(values, axis=1))
    return mean_of_rows(values)
