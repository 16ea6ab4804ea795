"""Logs as the tools write them, with invented content."""

from __future__ import annotations

import importlib
import io
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from truegain.data.item_reading import joined
from truegain.io.logs.log import Log

NAN = float("nan")
QUESTIONS = ("how deep is the lake?", "who built the mill?", "when does the ferry leave?", "why is the tower closed?")


def zip_module() -> Any:
    """A zipfile that knows zstandard."""
    return importlib.import_module("zipfile" if sys.version_info >= (3, 14) else "backports.zstd.zipfile")


def packed(members: Mapping[str, Any]) -> bytes:
    """A ZIP of JSON, packed with zstandard."""
    target, zipped = io.BytesIO(), zip_module()
    with zipped.ZipFile(target, "w", zipped.ZIP_ZSTANDARD) as archive:
        for name, value in members.items():
            archive.writestr(name, json.dumps(value))
    return target.getvalue()


def inspect_header(system: str, *, status: str = "success", scorers: Sequence[Any] = (), **more: Any) -> dict[str, Any]:
    """What a log of inspect_ai says of itself."""
    return {
        "version": 2,
        "status": status,
        "eval": {
            "eval_id": f"e-{system}",
            "created": "2026-01-01T00:00:00+00:00",
            "task": "mill",
            "dataset": {"name": "mill", "samples": 3, "sample_ids": ["a", "b", "c"]},
            "model": "mockllm/model",
            "config": {"epochs": 2},
            "packages": {"inspect_ai": "0.3.285"},
            "metadata": {"system": system},
            "scorers": list(scorers)
            or [
                {"name": "match", "options": {}, "metrics": [{"name": "inspect_ai/accuracy", "options": {}}]},
                {
                    "name": "rag",
                    "options": {"model": "mockllm/judge"},
                    "metrics": {"faith": [{"name": "inspect_ai/mean", "options": {}}]},
                },
            ],
        },
        "plan": {},
        **more,
    }


def inspect_sample(topic: str, epoch: int, match: Any, faith: Any, error: str | None = None) -> dict[str, Any]:
    """A sample's summary; one that failed has no scores."""
    scores = {"match": {"value": match}, "rag": {"value": {"faith": faith}}}
    sample = {
        "id": topic,
        "epoch": epoch,
        "input": f"ask {topic}",
        "target": "x",
        "metadata": {"topic": f"t-{topic}", "tags": []},
    }
    return sample | ({"scores": scores} if error is None else {"scores": {}, "error": error})


def deepeval_run(identifier: str, scores: Mapping[str, Sequence[float | None]], **more: Any) -> dict[str, Any]:
    """A test run: by metric the score of each test case, None where its judge failed."""
    cases = []
    for at, question in enumerate(QUESTIONS[: len(next(iter(scores.values())))]):
        metrics = []
        for name, values in scores.items():
            value = values[at]
            told: dict[str, Any] = {"name": name, "threshold": 0.5, "evaluationModel": "judge-x"}
            told |= {"success": False, "error": "429"} if value is None else {"success": value >= 0.5, "score": value}
            metrics.append(told)
        cases.append(
            {"name": f"case {at}", "input": question, "actualOutput": "x", "metricsData": metrics, "order": at}
        )
    means = [
        {"metric": name, "scores": [v for v in values if v is not None], "passes": 0, "fails": 0,
         "errors": sum(v is None for v in values)}
        for name, values in scores.items()
    ]  # fmt: skip
    return {
        "testCases": cases, "conversationalTestCases": [], "metricsScores": means, "identifier": identifier,
        "hyperparameters": {"model": "m"}, "testPassed": 0, "testFailed": 0, **more,
    }  # fmt: skip


def promptfoo_result(
    question: str, number: int, provider: str, scores: Mapping[str, float], **more: Any
) -> dict[str, Any]:
    """One result; `grader_failed` names metrics whose grader failed."""
    failed = more.pop("grader_failed", ())
    parts = [
        {
            "pass": bool(value),
            "score": value,
            "reason": "r",
            "assertion": {"type": "llm-rubric", "metric": name, "value": "good"},
        }
        | ({"metadata": {"graderError": True}} if name in failed else {})
        for name, value in scores.items()
    ]
    return {
        "gradingResult": {"pass": True, "score": 1, "namedScores": dict(scores), "componentResults": parts},
        "namedScores": dict(scores), "prompt": {"raw": question, "label": "{{q}}"}, "promptId": "p",
        "promptIdx": 0 if provider == "old" else 1, "provider": {"id": f"x:{provider}", "label": provider},
        "score": sum(scores.values()) / max(1, len(scores)), "success": True, "testIdx": number,
        "vars": {"q": question},
        "testCase": {
            "vars": {"q": question}, "metadata": {"part": f"of {question[:3]}"},
            "assert": [part["assertion"] for part in parts], "options": {"provider": {"id": "judge-x"}},
        },
        "failureReason": 0, **more,
    }  # fmt: skip


def lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """An object a line."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def saved(folder: Path, name: str, data: bytes | Any) -> Path:
    """A file of bytes, or of JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return path


def mean_of(log: Log, score: str, system: str = "") -> tuple[float, int]:
    """The mean of a score over topics as a study reads it, and over how many topics it is."""
    items = joined([log])
    values = items.matrix(score)[items.systems.index(system) if system else 0]
    known = values[~np.isnan(values)]
    return float(known.mean()), len(known)
