"""Logs with faults in them: whatever a file holds, it is read or refused as such, and no value becomes another."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from truegain.errors import InputError, TruegainError
from truegain.io.logs.catalogue import log_in
from truegain.io.logs.log import OK

from .made import deepeval_run, inspect_header, inspect_sample, lines, promptfoo_result, saved
from .test_readers import nuggetizer_answers, ragas_rows

WRONG: tuple[Any, ...] = (None, 7, "word", [], {}, [None], {"x": None}, True, -1.5, float("nan"))


def mlflow_rows() -> list[dict[str, Any]]:
    """Traces with a value of a model each."""
    said = {
        "assessment_name": "right",
        "source": {"source_type": "LLM_JUDGE", "source_id": "x"},
        "feedback": {"value": 1},
    }
    return [
        {"trace_id": f"t{at}", "request": {"q": f"q{at}"}, "assessments": [said], "right/value": 1} for at in range(3)
    ]


def phoenix_rows() -> list[dict[str, Any]]:
    """Rows with an object as the score."""
    given = {"score": 1.0, "label": "x", "kind": "llm", "direction": "maximize"}
    return [{"input": f"q{at}", "r_execution_details": {"status": "COMPLETED"}, "r_score": given} for at in range(3)]


ACCURACY = {"accuracy": {"name": "accuracy", "value": 0.5}}
METRICS = {"namedScores": {"good": 1}, "namedScoresCount": {"good": 1}, "score": 1, "testPassCount": 1}
PROMPTS = [{"provider": "old", "label": "{{q}}", "metrics": METRICS}]
LOGS: dict[str, Any] = {
    "inspect.json": {
        **inspect_header("x", results={"scores": [{"name": "match", "scorer": "match", "metrics": ACCURACY}]}),
        "samples": [inspect_sample(t, 1, "C", 0.5) for t in "ab"],
    },
    "deepeval.json": deepeval_run("x", {"F": [1.0, 0.5]}),
    "promptfoo.json": {
        "evalId": "e",
        "results": {"version": 3, "prompts": PROMPTS, "results": [promptfoo_result("q?", 0, "old", {"good": 1.0})]},
    },
    "mlflow.json": mlflow_rows(),
    "ragas.jsonl": ragas_rows(),
    "phoenix.jsonl": phoenix_rows(),
    "nuggets.jsonl": nuggetizer_answers()[:2],
    "lm.jsonl": [{"doc_id": 0, "doc": {"q": "?"}, "resps": [["x"]], "filtered_resps": ["x"], "acc": 1.0}],
    "mteb.json": {"task_name": "T", "mteb_version": "2", "scores": {"test": [{"hf_subset": "en", "main_score": 0.5}]}},
    "beir.json": {"ndcg": {"NDCG@1": 0.5}, "map": {"MAP@1": 0.5}},
    "bank.jsonl": [{"qid": "1", "query": "?", "nuggets": [{"text": "a", "importance": "vital"}]}],
    "board.jsonl": [{"run_id": "a", "topic_id": "1", "measure": "M", "value": 0.5}],
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a value of JSON."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield (*path, key)
        yield from places(part, (*path, key))


def changed(whole: Any, path: tuple[Any, ...], wrong: Any) -> Any:
    """The same with something else in one place; a place that is a `...` is left out."""
    made = copy.deepcopy(whole)
    at = made
    for key in path[:-1]:
        at = at[key]
    if wrong is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = wrong
    return made


def written(name: str, whole: Any) -> bytes:
    """As the tool writes it."""
    return lines(whole) if name.endswith(".jsonl") else json.dumps(whole).encode()


def check(path: Path) -> None:
    """Read a file: a log with honest rows, no log, or a refusal that names the file."""
    log, refusal = None, None
    try:
        log = log_in(path)
    except TruegainError as error:
        refusal = error
    assert refusal is None or (isinstance(refusal, InputError) and path.name in str(refusal))
    for row in log.rows if log is not None else ():
        assert (row.value == row.value) == (row.status == OK), row
        assert row.topic not in ("", "None")
        assert row.replicate >= 1


@pytest.mark.parametrize("name", LOGS)
def test_one_field_is_wrong(tmp_path: Path, name: str) -> None:
    """A field of another type, or none: at some places of each log, by chance."""
    draw = random.Random(name)
    where = list(places(LOGS[name]))
    for path in draw.sample(where, min(10, len(where))):
        for wrong in draw.sample([*WRONG, ...], 3):
            check(saved(tmp_path, name, written(name, changed(LOGS[name], path, wrong))))


@pytest.mark.slow
@pytest.mark.parametrize("name", LOGS)
def test_every_field_is_wrong_once(tmp_path: Path, name: str) -> None:
    """The same at every place, with every wrong value."""
    for path in places(LOGS[name]):
        for wrong in (*WRONG, ...):
            check(saved(tmp_path, name, written(name, changed(LOGS[name], path, wrong))))


@pytest.mark.parametrize("name", LOGS)
def test_logs_are_read_whole(tmp_path: Path, name: str) -> None:
    """Guards the test itself: each is read as it stands, and cut anywhere it is refused or is no log."""
    data = written(name, LOGS[name])
    log = log_in(saved(tmp_path, name, data))
    assert log is not None
    assert log.rows
    for cut in range(1, 20):
        check(saved(tmp_path, name, data[: len(data) * cut // 20]))
