"""Exports of annotation tools: what is left out, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import truegain as tg

TASK: dict[str, Any] = {"id": 1, "data": {"topic": "1", "doc": "a"}}


def annotation(value: object, **more: object) -> dict[str, Any]:
    """An annotation of a Label Studio export."""
    return {"result": [{"value": value}], **more}


@pytest.mark.parametrize(
    ("annotations", "said"),
    [
        ([None], "row 1: an annotation is not an object with a list 'result': 'null'"),
        ([{"completed_by": 1, "result": {"a": 1}}], "not an object with a list 'result'"),
        ([annotation(None, completed_by=1)], "an annotation contains 0 ratings: '[{\"value\": null}]'"),
        ([annotation("choices", completed_by=1)], "an annotation contains 0 ratings"),
        ([annotation({"rating": 3})], "task 1 does not name its annotator"),
        ([annotation({"rating": 3})], "every task has one annotation, so there is nothing to agree on"),
        ([annotation({"rating": 3}, completed_by={"email": None})], "does not name its annotator"),
        ([annotation({"rating": 3}), annotation({"rating": 2})], "export with annotators, as JSON"),
    ],
)
def test_broken_exports_of_label_studio(annotations: list[Any], said: str, tmp_path: Path) -> None:
    """Guards against tracebacks and an assessor called 'None': the task and the fault are named."""
    path = tmp_path / "s.json"
    path.write_text(json.dumps([{**TASK, "annotations": annotations}]))
    with pytest.raises(tg.InputError) as caught:
        tg.read_ratings(path)
    assert said in str(caught.value)


def test_rejected_choices_of_prodigy_are_no_ratings(tmp_path: Path) -> None:
    """Guards against a 0 that nobody gave: reject says 0 only where there is nothing to choose from."""
    task = {"topic": "1", "doc": "a"}
    lines = [
        {**task, "answer": "reject", "accept": ["3"], "_session_id": "s"},
        {**task, "answer": "reject", "accept": [], "_session_id": "v"},
        {**task, "answer": "reject", "options": [{"id": "3"}], "_session_id": "w"},
        {**task, "answer": "accept", "accept": ["3"], "_session_id": "t"},
        {**task, "answer": "ignore", "accept": [], "_session_id": "u"},
    ]
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.warns(tg.DataWarning) as caught:
        assert tg.read_ratings(path).label.tolist() == [3]
    assert ["1 answer in" in str(w.message) for w in caught] == [True, False]
    assert "3 answers in" in str(caught[1].message)
    assert "are 'reject' where an option was to be chosen" in str(caught[1].message)
    binary = [{**task, "answer": a, "_session_id": s} for a, s in (("accept", "s"), ("reject", "t"))]
    path.write_text("".join(json.dumps(line) + "\n" for line in binary))
    assert tg.read_ratings(path).label.tolist() == [1, 0]


def test_unknown_answers_of_prodigy(tmp_path: Path) -> None:
    """Guards answers that Prodigy does not give: named with their line."""
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"topic": "1", "doc": "a", "answer": "maybe", "_session_id": "s"}) + "\n")
    with pytest.raises(tg.InputError, match=r"p\.jsonl:1: the answer is not accept, reject or ignore: 'maybe'"):
        tg.read_ratings(path)
