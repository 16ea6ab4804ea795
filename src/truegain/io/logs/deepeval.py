"""Logs of deepeval: `test_run_*.json`, and `.deepeval/.latest_test_run.json`, which the next run overwrites."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from truegain.io.logs.log import OK, Log, LogFormat, Row, ScoreRange, ToolMean
from truegain.io.logs.records import (
    FAILED,
    Clusters,
    Repeats,
    fields_of,
    inputs_digest,
    listed,
    name_of,
    no_records,
    opening,
    parsed,
    scalars,
    short_name,
    stem,
    value_of,
)

WORDS = "a log of deepeval"
_NO_CASES = re.compile(rb'"testCases"\s*:\s*\[\s*\]')
_NUMBERED = re.compile(r"(?:conversational_)?test_case_\d+")  # names that deepeval makes up, by order


def _recognizes(data: bytes, _file: str) -> bool:
    start = opening(data)
    if start.kind != "object":
        return False
    return start.has("testRunData") or (
        start.has("testCases") and (b'"metricsData"' in data or start.has("testPassed") or bool(_NO_CASES.search(data)))
    )


def _read(data: bytes, file: str) -> Log:
    whole = parsed(data, file)
    run = fields_of(whole.get("testRunData")) or whole
    cases = [*listed(run.get("testCases")), *listed(run.get("conversationalTestCases"))]
    if not cases:
        raise no_records(file, WORDS, "run deepeval again; a run that is going on is written at its end")
    named = _topics(cases)
    repeats, clusters, rows = Repeats(), Clusters(), list[Row]()
    expected = dict.fromkeys(str(m.get("name")) for case in cases for m in listed(case.get("metricsData")))
    for number, (case, topic) in enumerate(zip(cases, named, strict=True), 1):
        repeat = repeats.next(topic)
        clusters.add(topic, scalars(case.get("additionalMetadata") or case.get("metadata"), "metadata."))
        metric_of = {str(metric.get("name")): metric for metric in listed(case.get("metricsData"))}
        for score in expected:
            metric = metric_of.get(score)
            value, status = value_of(fields_of(metric).get("score"), {}, score, file, number)
            if status != OK and metric is not None and (metric.get("error") or metric.get("success") is False):
                status = FAILED
            judge = str(fields_of(metric).get("evaluationModel") or "")
            rows.append(Row(topic, score, value, judge=judge, replicate=repeat, status=status, line=number))
    judges = sorted({row.judge for row in rows if row.judge})
    return Log(
        file,
        "deepeval",
        rows,
        {
            **scalars({"identifier": run.get("identifier")}, ""),
            **scalars(run.get("hyperparameters"), "hyperparameters."),
            "file": stem(file),
        },
        clusters.made(),
        {score: _scale(cases, score) for score in expected},
        list(_means(run)),
        {
            "judge": ", ".join(judges),
            "thresholds": {str(m.get("name")): m.get("threshold") for c in cases for m in listed(c.get("metricsData"))},
            "inputs": inputs_digest({topic: _asked(case) for case, topic in zip(cases, named, strict=True)}),
        },
        no_clusters=clusters.several,
    )


def _asked(case: Mapping[str, Any]) -> Any:
    return (
        case.get("input")
        or case.get("scenario")
        or [fields_of(turn).get("content") for turn in listed(case.get("turns"))]
    )


def _topics(cases: list[Mapping[str, Any]]) -> list[str]:
    """The name of each test case where each has its own, else what was asked; deepeval's own names go by order."""
    names = [str(case.get("name") or "") for case in cases]
    inputs = [name_of(_asked(case)) for case in cases]
    shared = Counter(names)
    by_order = any(_NUMBERED.fullmatch(name) for name in names) and all(case.get("input") for case in cases)
    if by_order or not all(names):
        return inputs
    questions: dict[str, set[str]] = {}
    for name, question in zip(names, inputs, strict=True):
        questions.setdefault(name, set()).add(question)
    apart = any(len(several) > 1 for several in questions.values())  # one name, several questions
    return [short_name(f"{n}: {q}") if apart and shared[n] > 1 else n for n, q in zip(names, inputs, strict=True)]


def _scale(cases: list[Mapping[str, Any]], score: str) -> ScoreRange:
    """From 0 to 1; less is better where what is below the threshold passes; values at it tell nothing."""
    metrics = [m for case in cases for m in listed(case.get("metricsData")) if str(m.get("name")) == score]
    passed = [
        (m["score"] - m["threshold"], m.get("success"))
        for m in metrics
        if isinstance(m.get("score"), int | float) and isinstance(m.get("threshold"), int | float)
    ]
    apart = [(above > 0) == bool(success) for above, success in passed if above]
    values = [m["score"] for m in metrics if isinstance(m.get("score"), int | float)]
    inside = all(0 <= value <= 1 for value in values)
    lower = None if not apart else not any(apart)
    return ScoreRange(0.0 if inside else -math.inf, 1.0 if inside else math.inf, lower)


def _means(run: Mapping[str, Any]) -> Iterator[ToolMean]:
    for metric in listed(run.get("metricsScores")):
        values = [value for value in listed(metric.get("scores")) if isinstance(value, int | float)]
        errors = int(metric.get("errors") or 0)
        why = f"its pass rate counts {errors} that failed to be judged as fails" if errors else ""
        if values:
            yield ToolMean(str(metric.get("metric")), math.fsum(values) / len(values), n=len(values), reason=why)


DEEPEVAL = LogFormat("deepeval", WORDS, _recognizes, _read)
