"""Results of ragas, `to_pandas()` saved as CSV or JSONL: a row a sample, a column a metric, NaN where the judge failed.

The file names no system, no judge and no version; the question is the topic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from truegain.errors import InputError, counted
from truegain.io.logs.log import OK, Log, LogFormat, Row, ScoreRange
from truegain.io.logs.records import (
    FAILED,
    UNNAMED,
    YES_NO,
    Clusters,
    Record,
    Repeats,
    digest,
    header,
    inputs_digest,
    is_value,
    name_of,
    no_records,
    opening,
    scalars,
    stem,
    table,
    value_of,
)

WORDS = "results of ragas"
_INPUTS = {  # fields of a sample, of ragas 0.2 and later and of 0.1; every other column is a metric or the user's own
    "user_input", "retrieved_contexts", "retrieved_context_ids", "reference_contexts", "reference_context_ids",
    "response", "multi_responses", "reference", "rubrics", "rubric", "persona_name", "query_style", "query_length",
    "synthesizer_name", "reference_tool_calls", "reference_topics",
    "question", "answer", "contexts", "ground_truth", "ground_truths",
}  # fmt: skip
_ANSWERED = {"response", "retrieved_contexts", "reference"}
_RULES = (  # how the names of metrics begin that ask no model; every other one, also of a user's own, may
    "bleu", "chrf", "exact_match", "non_llm", "rouge", "semantic_similarity", "answer_similarity", "string_present",
    "id_based", "datacompy_score", "tool_call_accuracy", "tool_call_f1", "levenshtein", "hamming", "jaro",
    "quoted_spans",
)  # fmt: skip
_ERRORS = ("noise_sensitivity",)  # how the names of metrics begin that count errors: less is better
_OLD = {"question", "answer", "contexts"}
_PAST = {"faithfulness", "answer_relevancy", "context_precision", "context_recall", "answer_correctness"}


def _recognizes(data: bytes, _file: str) -> bool:
    columns = set(opening(data).keys or header(data))
    if "user_input" in columns:
        return bool(_ANSWERED & columns) and not any(name.endswith("_execution_details") for name in columns)
    return columns >= _OLD and bool(_PAST & columns)


def _read(data: bytes, file: str) -> Log:
    rows_read = table(data, file)
    if not rows_read:
        raise no_records(file, WORDS, "save result.to_pandas()")
    columns = list(dict.fromkeys(name for _, record in rows_read for name in record))
    question = "user_input" if "user_input" in columns else "question"
    metrics = [c for c in columns if c not in _INPUTS and _is_metric([record.get(c) for _, record in rows_read])]
    if not metrics:
        hint = "save result.to_pandas(), which has a column for every metric"
        raise InputError(f"{WORDS} without a column of scores", file=file, hint=hint)
    own = [c for c in columns if c not in _INPUTS and c not in metrics]
    repeats, clusters, rows = Repeats(), Clusters(), list[Row]()
    topics = _topics(rows_read, question, file)
    for (line, record), topic in zip(rows_read, topics, strict=True):
        repeat = repeats.next(topic)
        clusters.add(topic, scalars({c: record.get(c) for c in own if not isinstance(record.get(c), float)}, ""))
        for metric in metrics:
            value, status = value_of(record.get(metric), YES_NO, metric, file, line)
            judge, why = "" if metric.lower().startswith(_RULES) else UNNAMED, status if status == OK else FAILED
            rows.append(Row(topic, metric, value, judge=judge, replicate=repeat, status=why, line=line))
    return Log(
        file,
        "ragas",
        rows,
        {"file": stem(file)},
        clusters.made(),
        {metric: scale for metric in metrics if (scale := _scale(rows, metric)) is not None},
        provenance={"inputs": inputs_digest(dict(zip(topics, (r.get(question) for _, r in rows_read), strict=True)))},
        notes=list(_notes(rows, metrics)),
        no_clusters=clusters.several,
    )


def _is_metric(cells: Sequence[Any]) -> bool:
    """Whether a column holds scores: numbers, words for yes and no, or nothing where the judge failed."""
    is_word = [isinstance(cell, str) and cell.strip().lower() in YES_NO for cell in cells]
    return all(word or is_value(cell) for cell, word in zip(cells, is_word, strict=True)) or (
        sum(is_value(cell) and cell not in ("", None) for cell in cells) > len(cells) / 2  # a word among numbers
    )


def _topics(records: Sequence[Record], question: str, file: str) -> list[str]:
    """The question; where one is asked with several references, it is several topics."""
    references: dict[str, dict[str, None]] = {}
    named: list[tuple[str, str]] = []
    for line, record in records:
        if record.get(question) in (None, ""):
            raise InputError(f"no {question}", file=file, row=line, hint="every sample needs its question")
        topic = name_of(record[question])
        reference = digest(
            [record.get(name) for name in ("reference", "ground_truth", "reference_contexts", "rubrics")]
        )
        references.setdefault(topic, {})[reference] = None
        named.append((topic, reference))
    return [topic if len(references[topic]) == 1 else f"{topic} [{reference}]" for topic, reference in named]


def _scale(rows: Sequence[Row], metric: str) -> ScoreRange | None:
    values = [row.value for row in rows if row.score == metric and row.status == OK]
    lower = True if metric.lower().startswith(_ERRORS) else None
    if values and min(values) >= 0 and max(values) <= 1:
        return ScoreRange(0.0, 1.0, lower)
    return ScoreRange(lower_is_better=True) if lower else None


def _notes(rows: Sequence[Row], metrics: Sequence[str]) -> list[str]:
    lost: Mapping[str, int] = {m: sum(r.score == m and math.isnan(r.value) for r in rows) for m in metrics}
    notes = []
    for metric, many in lost.items():
        total = sum(row.score == metric for row in rows)
        if many == total:
            notes.append(f"no {metric} value could be judged")
        elif many:
            notes.append(f"{metric}: {counted(many, 'sample')} of {total} failed; ragas leaves them out of its mean")
    return notes


RAGAS = LogFormat("ragas", WORDS, _recognizes, _read)
