"""Results of BEIR and of MTEB, by their documented schemas: values of whole tasks, without those of queries.

A task can be a topic where the question is about tasks like these.  One task says nothing without its queries.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from truegain.errors import InputError, shorten
from truegain.io.logs.log import Log, LogFormat, Row
from truegain.io.logs.records import fields_of, listed, no_records, opening, parsed, scalars, stem, value_of

MTEB_WORDS, BEIR_WORDS = "results of MTEB", "results of BEIR"
_NOTE = "values of whole tasks, not of queries: tasks are the topics, and one task alone shows nothing"
_FAMILIES = {"ndcg", "map", "recall", "precision", "mrr", "recall_cap", "hole", "top_k_accuracy", "accuracy"}
_ABOUT = ("hf_subset", "languages", "scores_per_experiment")
_SAME = 1e-4  # a mean that MTEB rounds


# ---- MTEB: a file a task, in a folder of a model and revision.


def _recognizes_mteb(data: bytes, _file: str) -> bool:
    start = opening(data)
    if start.kind != "object":
        return False
    return b'"mteb_version"' in data and (b'"task_name"' in data or start.has("mteb_dataset_name"))


def describes_model(data: bytes) -> bool:
    """Whether a file that is no log is what mteb writes of a model beside its results, `model_meta.json`.

    >>> describes_model(b'{"name": "a/b", "revision": "1"}'), describes_model(b'{"name": "a/b"}')
    (True, False)
    """
    start = opening(data)
    return start.kind == "object" and start.has("name", "revision")


def _read_mteb(data: bytes, file: str) -> Log:
    whole = parsed(data, file)
    task = str(whole.get("task_name") or whole.get("mteb_dataset_name") or stem(file))
    splits = fields_of(whole.get("scores")) or {
        key: [value] for key, value in whole.items() if isinstance(value, dict)
    }  # before 1.11 a split was an object of its own
    system, rows = _model(whole, file), list[Row]()
    for split, subsets in splits.items():
        for subset in listed(subsets):
            name = "/".join(part for part in (task, split, str(subset.get("hf_subset") or "")) if part != "default")
            rows += _rows(name.removesuffix("/"), subset, system, file)
    if not rows:
        raise no_records(file, MTEB_WORDS, "check the file")
    version = whole.get("mteb_version")
    return Log(
        file,
        f"mteb {version}" if version else "mteb",
        rows,
        {"file": stem(file)},
        {"task": {row.topic: task for row in rows}},
        provenance={"revision": whole.get("dataset_revision"), "time": whole.get("date")},
        notes=[_NOTE],
    )


def _rows(topic: str, subset: Mapping[str, Any], system: str, file: str) -> Iterator[Row]:
    """Values of a subset; those of experiments, where it was repeated, are replicates."""
    experiments = [fields_of(one) for one in listed(subset.get("scores_per_experiment"))]
    for score, cell in subset.items():
        if score in _ABOUT or isinstance(cell, dict | list):
            continue
        value, status = value_of(cell, {}, score, file, 1)
        parts = [one.get(score) for one in experiments]
        numbers = [float(part) for part in parts if isinstance(part, int | float)]
        same = (
            len(numbers) > 1 and len(numbers) == len(parts) and abs(math.fsum(numbers) / len(numbers) - value) < _SAME
        )
        for repeat, number in enumerate(numbers if same else [value], 1):
            yield Row(topic, score, number, system, replicate=repeat, status=status)


def _model(whole: Mapping[str, Any], file: str) -> str:
    """The model, by the file itself or by the folders of mteb: ORGANIZATION__MODEL/REVISION/TASK.json."""
    if whole.get("model_name"):
        return str(whole["model_name"])
    folders = PurePath(file).parts[:-1]
    named = next(
        (folder for folder in reversed(folders[-2:]) if "__" in folder), folders[-1] if folders else stem(file)
    )
    return named.replace("__", "/")


# ---- BEIR: means over queries, of one system on one collection.


def _recognizes_beir(data: bytes, _file: str) -> bool:
    start = opening(data)
    return start.kind == "object" and start.has("ndcg") and set(start.keys) <= _FAMILIES and b'"NDCG@' in data[:4096]


def _read_beir(data: bytes, file: str) -> Log:
    whole = parsed(data, file)
    folder = PurePath(file).parent.name
    rows: list[Row] = []
    for values in whole.values():
        if not isinstance(values, dict):
            raise InputError(
                "not an object of measures",
                file=file,
                text=shorten(str(values)),
                hint='write {"system": {"measure": number}}',
            )
        for measure, cell in values.items():
            value, status = value_of(cell, {}, measure, file, 1)
            rows.append(Row("all queries", measure, value, status=status))
    if not rows:
        raise no_records(file, BEIR_WORDS, "check the file")
    hint = "means over queries only: save the run (beir.util.save_runfile) and compare it with the qrels"
    return Log(file, "BEIR", rows, {"file": stem(file), **scalars({"folder": folder}, "")}, notes=[hint])


MTEB = LogFormat("mteb", MTEB_WORDS, _recognizes_mteb, _read_mteb)
BEIR = LogFormat("beir", BEIR_WORDS, _recognizes_beir, _read_beir)
