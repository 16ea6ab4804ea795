"""Results of arize-phoenix-evals, the frame of `evaluate_dataframe` saved as CSV or JSONL.

`NAME_score` is an object with score, label, kind and direction; `NAME_execution_details` tells whether it failed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from truegain.errors import InputError, shorten
from truegain.io.logs.log import OK, Log, LogFormat, Row, ScoreRange
from truegain.io.logs.records import (
    FAILED,
    NO_VALUE,
    NOT_RUN,
    UNNAMED,
    Clusters,
    Repeats,
    fields_of,
    header,
    inputs_digest,
    is_value,
    name_of,
    no_records,
    opening,
    python_value,
    scalars,
    stem,
    table,
    value_of,
)

WORDS = "results of phoenix"
_DETAILS, _SCORE = "_execution_details", "_score"
_QUESTIONS = ("input", "question", "query", "user_input", "attributes.input.value", "prompt")
_OUTPUTS = ("output", "response", "answer", "attributes.output.value", "context.span_id", "trace_id")
_JUDGES = {"llm": UNNAMED, "human": "people"}
_STATUS = {"FAILED": FAILED, "DID NOT RUN": NOT_RUN, "DID_NOT_RUN": NOT_RUN}


def _recognizes(data: bytes, _file: str) -> bool:
    columns = opening(data).keys or header(data)
    return any(name.endswith(_DETAILS) and name.removesuffix(_DETAILS) + _SCORE in columns for name in columns)


def _read(data: bytes, file: str) -> Log:
    records = table(data, file)
    if not records:
        raise no_records(file, WORDS, "save the frame that evaluate_dataframe returns")
    columns = dict.fromkeys(name for _, record in records for name in record)
    scores = [
        n.removesuffix(_DETAILS)
        for n in columns
        if n.endswith(_DETAILS) and n.removesuffix(_DETAILS) + _SCORE in columns
    ]
    plain = [n for n in columns if not n.endswith((_DETAILS, _SCORE)) and n not in _OUTPUTS]
    question = next((name for name in _QUESTIONS if name in columns), None)
    clusters, repeats, rows, scales, kinds = (
        Clusters(),
        Repeats(),
        list[Row](),
        dict[str, ScoreRange](),
        dict[str, str](),
    )
    inputs: dict[str, Any] = {}
    for line, record in records:
        about = record[question] if question else {name: record.get(name) for name in plain}
        topic = name_of(about)
        inputs[topic] = about
        repeat = repeats.next(topic)
        clusters.add(topic, scalars({name: record.get(name) for name in plain if name != question}, ""))
        for score in scores:
            details = fields_of(_object(record.get(score + _DETAILS), score + _DETAILS, file, line))
            scored = _object(record.get(score + _SCORE), score + _SCORE, file, line)
            result = scored if isinstance(scored, Mapping) else {"score": scored}
            value, status = value_of(result.get("score"), {}, score, file, line)
            if status != OK:
                status = _STATUS.get(str(details.get("status")).upper(), status)
            if result.get("direction"):
                scales[score] = ScoreRange(lower_is_better=result["direction"] == "minimize")
            if result.get("kind"):
                kinds[score] = str(result["kind"])
            rows.append(Row(topic, score, value, replicate=repeat, status=status, line=line))
    rows = [row._replace(judge=_JUDGES.get(kinds.get(row.score, ""), "")) for row in rows]
    no_number = [s for s in scores if all(r.status == NO_VALUE for r in rows if r.score == s)]
    return Log(
        file,
        "phoenix",
        rows,
        {"file": stem(file)},
        clusters.made(),
        scales,
        provenance={"kinds": kinds, "inputs": inputs_digest(inputs)},
        models=frozenset([UNNAMED]),
        notes=[f"{score} has labels and no numbers: give its evaluator choices with scores" for score in no_number],
        no_clusters=clusters.several,
    )


def _object(cell: Any, column: str, file: str, line: int) -> Any:
    """What a cell holds: in a CSV an object is written as Python shows it, or as JSON."""
    if not isinstance(cell, str) or is_value(cell):
        return cell
    for read in (python_value, json.loads):
        try:
            made = read(_no_nan(cell) if read is python_value else cell)
        except (ValueError, RecursionError):
            continue
        if isinstance(made, dict):
            return made
    raise InputError(
        f"{column} is not an object", file=file, row=line, text=shorten(cell), hint="save the frame as phoenix made it"
    )  # fmt: skip


def _no_nan(cell: str) -> str:
    """Python's words for what is no number, which are no literals of its own."""
    return cell.replace(": nan,", ": None,").replace(": nan}", ": None}")


PHOENIX = LogFormat("phoenix", WORDS, _recognizes, _read)
