"""Samples of lm-evaluation-harness, by its documented schema: `samples_TASK_TIME.jsonl`, a line a document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from truegain.errors import InputError, some
from truegain.io.logs.log import Log, LogFormat, Row, ScoreRange
from truegain.io.logs.records import (
    YES_NO,
    Clusters,
    Repeats,
    id_of,
    inputs_digest,
    is_value,
    no_records,
    opening,
    records,
    scalars,
    stem,
    value_of,
)

WORDS = "samples of lm-evaluation-harness"
_ABOUT = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash", "task_hash", "version", "input", "schema_version",
}  # fmt: skip
_FILE = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT.*)")
_ERRORS = {  # metrics that are better where they are less
    "bits_per_byte", "brier_score", "byte_perplexity", "cer", "perplexity", "ter", "wer", "word_perplexity",
}  # fmt: skip
_BYPASS = "bypass"  # the metric of a task that scores nothing


def _recognizes(data: bytes, _file: str) -> bool:
    start = opening(data)
    return start.kind == "object" and start.has("doc_id") and (start.has("filtered_resps") or start.has("resps"))


def _read(data: bytes, file: str) -> Log:
    samples = records(data, file)
    if not samples:
        raise no_records(file, WORDS, "run lm_eval with log_samples")
    match = _FILE.fullmatch(stem(file))
    task = match[1] if match else ""
    metrics, corpus = _metrics([record for _, record in samples])
    if not metrics:
        hint = "its metrics are of the whole task, not of a document" if corpus else "check the file"
        raise InputError(f"{WORDS} without a number of a document", file=file, hint=hint)
    clusters, repeats, rows, inputs = Clusters(), Repeats(), list[Row](), dict[str, Any]()
    for line, record in samples:
        doc = id_of(record.get("doc_id"), "doc_id", file, line)
        topic = f"{task}/{doc}" if task else doc
        inputs[topic] = record.get("doc_hash") or record.get("doc")
        clusters.add(topic, scalars(record.get("doc"), "doc.") | ({"task": task} if task else {}))
        filtered = str(record.get("filter") or "none")
        for metric in metrics:
            score = metric if filtered == "none" else f"{metric},{filtered}"
            value, status = value_of(record.get(metric), YES_NO, score, file, line)
            repeat = repeats.next(topic, score)
            rows.append(Row(topic, score, value, replicate=repeat, status=status, line=line))
    notes = [f"{some(corpus)}: of the whole task, not of a document, and not read"] if corpus else []
    folder = PurePath(file).parent.name
    names = ({"folder": folder.replace("__", "/")} if folder else {}) | {"file": stem(file)}
    return Log(
        file,
        "lm-evaluation-harness",
        rows,
        names,
        {name: column for name, column in clusters.made().items() if len(set(column.values())) < len(column)},
        {r.score: ScoreRange(lower_is_better=True) for r in rows if r.score.partition(",")[0] in _ERRORS},
        provenance={"task": task or None, "time": match[2] if match else None, "inputs": inputs_digest(inputs)},
        notes=notes,
        no_clusters=clusters.several,
    )


def _metrics(samples: list[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """The metrics of a document, and those that only a whole task has, whose parts stand in lists."""
    declared = [str(name) for sample in samples for name in sample.get("metrics") or ()]
    names = dict.fromkeys(declared or [key for sample in samples for key in sample if key not in _ABOUT])
    names.pop(_BYPASS, None)
    single = [name for name in names if all(is_value(s.get(name)) or isinstance(s.get(name), str) for s in samples)]
    if not declared:
        single = [name for name in single if all(is_value(sample.get(name)) for sample in samples)]
    return single, [name for name in names if name not in single]


LM_EVALUATION_HARNESS = LogFormat("lm_evaluation_harness", WORDS, _recognizes, _read)
