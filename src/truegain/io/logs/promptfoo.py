"""Results of promptfoo: `results.json` (version 3), `.jsonl` and `.csv`.

Where tests are repeated, each repeat has a test number of its own and nothing tells of what it is one, so a topic is
what was asked (the variables and the description), never the number of a test.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from truegain.errors import InputError, counted, shorten
from truegain.io.logs.log import OK, Log, LogFormat, Row, ToolMean
from truegain.io.logs.records import (
    FAILED,
    NOT_SCORED,
    UNNAMED,
    Clusters,
    Record,
    Repeats,
    csv_rows,
    digest,
    fields_of,
    header,
    inputs_digest,
    listed,
    name_of,
    no_records,
    opening,
    parsed,
    records,
    scalars,
    short_name,
    stem,
    value_of,
)

WORDS = "results of promptfoo"
OVERALL = "score"  # of a test as a whole
_FAILED_GRADER = "a failed grader counts 0"
_ERROR = 2  # the failure reason of a test that could not be run
_BLOCK = ("Status", "Score")  # the columns that follow an output in a CSV
_METRIC = "Metric: "
_OUTPUT = re.compile(r"\[(.*?)\] (.*)", re.DOTALL)
LESS_IN_CSV = (
    "the CSV of promptfoo names no judge, rounds scores to 2 decimals, and tells neither a failed grader from a 0 nor "
    "model-graded scores from rules (each counts as a model's): give results.json of the same run"
)
_JUDGED = (  # kinds of assertions that ask a model
    "agent-rubric", "answer-relevance", "classifier", "context-faithfulness", "context-recall", "context-relevance",
    "conversation-relevance", "factuality", "g-eval", "llm-rubric", "model-graded-closedqa", "model-graded-factuality",
    "moderation", "pi", "search-rubric", "select-best", "similar", "trajectory:goal-success", "video-rubric",
)  # fmt: skip


class _Value(NamedTuple):
    """The value of a score of a test, or that it failed, and who gave it."""

    value: Any
    failed: bool = False
    judge: str = ""


class _Test(NamedTuple):
    """One answer of one system to one test."""

    line: int
    order: tuple[int, int]  # of the test, and of the system in it
    system: tuple[str, str, int]  # provider, prompt, and its number, which tells configurations of a provider apart
    topic: str
    variables: Any
    clusters: Mapping[str, str]
    values: Mapping[str, _Value]
    failed: bool


def _recognizes(data: bytes, _file: str) -> bool:
    start = opening(data)
    if start.kind == "object":
        return (
            start.has("evalId", "results")
            or start.has("gradingResult", "provider")
            or start.has("promptIdx", "testIdx")
        )
    columns = header(data)
    return "Grader Reason" in columns and any(columns[at + 1 : at + 3] == list(_BLOCK) for at in range(len(columns)))


def _read(data: bytes, file: str) -> Log:
    start = opening(data)
    whole: Mapping[str, Any] = {}
    if start.has("evalId", "results"):
        whole = parsed(data, file)
        results = whole.get("results")
        rows = listed(results) or listed(fields_of(results).get("results"))
        tests = [_test((number, row)) for number, row in enumerate(rows, 1)]
    elif start.kind:
        tests = [_test(record) for record in records(data, file)]
    else:
        tests = _of_csv(data, file)
    if not tests:
        raise no_records(file, WORDS, "have promptfoo write results.json")
    systems = _systems(tests)
    expected = dict.fromkeys(name for test in tests for name in test.values)
    repeats, clusters, made = Repeats(), Clusters(), list[Row]()
    for test in sorted(tests, key=lambda test: test.order):
        system = systems[test.system]
        repeat = repeats.next(system, test.topic)
        clusters.add(test.topic, test.clusters)
        for score in expected:
            made.append(_row(test, score, system, repeat, file))
    version = fields_of(whole.get("metadata")).get("promptfooVersion")
    judges = sorted({row.judge for row in made if row.judge})
    return Log(
        file,
        f"promptfoo {version}" if version else "promptfoo",
        made,
        {"file": stem(file)},
        clusters.made(),
        means=list(_means(fields_of(whole.get("results")), systems)),
        provenance={
            "judge": ", ".join(judges),
            "time": fields_of(whole.get("results")).get("timestamp"),
            "evaluation": whole.get("evalId"),
            "prompt": digest(fields_of(whole.get("config")).get("defaultTest")) if whole else None,
            "inputs": inputs_digest({test.topic: test.variables for test in tests}),
        },
        notes=list(_notes(made, is_csv=not start.kind)),
        no_clusters=clusters.several,
    )


def _row(test: _Test, score: str, system: str, repeat: int, file: str) -> Row:
    graded = test.values.get(score)
    value, status = math.nan, FAILED if test.failed else NOT_SCORED
    if graded is not None and not test.failed:
        value, status = value_of(graded.value, {}, score, file, test.line)
    if graded is not None and graded.failed:
        value, status = math.nan, FAILED
    judge = graded.judge if graded else ""
    return Row(test.topic, score, value, system, judge=judge, replicate=repeat, status=status, line=test.line)


# ---- A result of JSON.


def _test(record: Record) -> _Test:
    """One result.  A grader that failed gives 0 and `graderError`: no value, of the metric or of the whole test."""
    line, result = record
    case = fields_of(result.get("testCase"))
    variables = fields_of(result.get("vars")) or fields_of(case.get("vars"))
    provider, prompt = fields_of(result.get("provider")), fields_of(result.get("prompt"))
    grading = fields_of(result.get("gradingResult"))
    judge = _judge(fields_of(case.get("options")).get("provider"))
    parts = _components(grading)
    named = fields_of(result.get("namedScores")) or fields_of(grading.get("namedScores"))
    values: dict[str, _Value] = {}
    for name, value in named.items():
        mine = [part for part in parts if fields_of(part.get("assertion")).get("metric") == name]
        values[name] = _Value(value, any(map(_grader_failed, mine)), _judge_of(mine, judge))
    for part in parts:
        if not fields_of(part.get("assertion")).get("metric") and (name := _kind(part, parts)):
            values.setdefault(name, _Value(part.get("score"), _grader_failed(part), _judge_of([part], judge)))
    values[OVERALL] = _Value(result.get("score"), any(map(_grader_failed, parts)), _judge_of(parts, judge))
    failed = result.get("failureReason") == _ERROR or (not grading and bool(result.get("error")))
    for metric in (fields_of(a).get("metric") for a in listed(case.get("assert"))):
        if failed and isinstance(metric, str):
            values.setdefault(metric, _Value(None, failed=True))
    return _Test(
        line,
        (int(result.get("testIdx") or 0), int(result.get("promptIdx") or 0)),
        (*_named_by(result, provider, prompt), int(result.get("promptIdx") or 0)),
        _topic(case.get("description"), variables),
        variables,
        scalars(case.get("metadata"), "metadata.") | (scalars(variables, "vars.") if len(variables) > 1 else {}),
        values,
        failed,
    )


def _named_by(result: Mapping[str, Any], provider: Mapping[str, Any], prompt: Mapping[str, Any]) -> tuple[str, str]:
    return str(provider.get("label") or provider.get("id") or result.get("provider") or ""), _prompt(prompt)


def _components(grading: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The single results of a test, those in sets of assertions too."""
    parts: list[Mapping[str, Any]] = []
    for part in listed(grading.get("componentResults")):
        if isinstance(part, dict):
            parts += _components(part) or [part]
    return parts


def _grader_failed(part: Mapping[str, Any]) -> bool:
    return bool(fields_of(part.get("metadata")).get("graderError"))


def _kind(part: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> str:
    """The name of a result whose assertion has no metric: its kind, with what it asks for where there are several."""
    assertion = fields_of(part.get("assertion"))
    kind = str(assertion.get("type") or "")
    alike = [p for p in parts if fields_of(p.get("assertion")).get("type") == assertion.get("type")]
    value = assertion.get("value")
    return kind if len(alike) == 1 or not kind or value is None else f"{kind}: {short_name(str(value))}"


def _judge(provider: Any) -> str:
    """The model that grades, as a test names it."""
    if isinstance(provider, Mapping):
        return str(provider.get("label") or provider.get("id") or _judge(provider.get("text")))
    return str(provider or "")


def _judge_of(parts: Sequence[Mapping[str, Any]], usual: str) -> str:
    """Who graded: a model where an assertion asks one."""
    judges: dict[str, None] = {}
    for part in parts:
        assertion = fields_of(part.get("assertion"))
        if str(assertion.get("type", "")).removeprefix("not-") in _JUDGED:
            judges[_judge(assertion.get("provider")) or usual or "default grader"] = None
    return "+".join(judges)


def _prompt(prompt: Mapping[str, Any]) -> str:
    return short_name(str(prompt.get("label") or prompt.get("raw") or ""))


def _topic(description: Any, variables: Mapping[str, Any]) -> str:
    """What was asked, after the description of the test where it has one."""
    question = name_of(variables) if variables else ""
    return short_name(": ".join(str(part) for part in (description, question) if part)) or "test"


def _systems(tests: Sequence[_Test]) -> dict[tuple[str, str, int], str]:
    """The name of each provider, with its prompt where there are several prompts, numbered where that is the same."""
    prompts = {test.system[1] for test in tests}
    keys = sorted({test.system for test in tests}, key=lambda key: key[2])
    names = {key: " | ".join(key[:2]) if len(prompts) > 1 else key[0] for key in keys}
    shared, seen = Counter(names.values()), Counter[str]()
    for key, name in names.items():
        seen[name] += 1
        names[key] = f"{name} ({seen[name]})" if shared[name] > 1 else name
    return names


def _means(results: Mapping[str, Any], systems: Mapping[tuple[str, str, int], str]) -> Iterator[ToolMean]:
    """The means behind promptfoo's table: sums over tests, divided by how many they are (or by their weights)."""
    for at, prompt in enumerate(listed(results.get("prompts"))):
        metrics = fields_of(prompt.get("metrics"))
        provider = prompt.get("provider")
        system = systems.get((_judge(provider), _prompt(prompt), at), _judge(provider))
        counts = fields_of(metrics.get("namedScoreWeights")) or fields_of(metrics.get("namedScoresCount"))
        errors = int(metrics.get("testErrorCount") or 0)
        why = f"promptfoo counts {counted(errors, 'test')} that could not be run as 0" if errors else ""
        for name, total in fields_of(metrics.get("namedScores")).items():
            if (weight := counts.get(name)) and isinstance(total, int | float):
                many = fields_of(metrics.get("namedScoresCount")).get(name)
                yield ToolMean(name, total / weight, system, many, _FAILED_GRADER, of_failed=True)
        tests = sum(int(metrics.get(f"test{kind}Count") or 0) for kind in ("Pass", "Fail", "Error"))
        if tests and isinstance(metrics.get("score"), int | float):
            yield ToolMean(OVERALL, metrics["score"] / tests, system, tests, why or _FAILED_GRADER, of_failed=not why)


# ---- A table of CSV.


def _of_csv(data: bytes, file: str) -> list[_Test]:
    """The tests of a CSV: columns of variables, then for every system its output with status and scores."""
    names, rows = csv_rows(data, file)
    begins = [at for at in range(len(names)) if names[at + 1 : at + 3] == list(_BLOCK)]
    variables_at = [at for at in range(begins[0]) if names[at] not in ("Description", "Comment")]
    about = names.index("Description") if "Description" in names[: begins[0]] else None
    tests: list[_Test] = []
    for order, (line, cells) in enumerate(rows):
        variables = {names[at]: cells[at] for at in variables_at}
        topic = _topic(cells[about] if about is not None else None, variables)
        for begin, end in zip(begins, [*begins[1:], len(names)], strict=True):
            output = _OUTPUT.fullmatch(names[begin])
            system = (output[1], short_name(output[2]), begin) if output else (names[begin], "", begin)
            block = dict(zip(names[begin + 1 : end], cells[begin + 1 : end], strict=True))
            status = block.get("Status", "").strip().upper()
            if status not in ("PASS", "FAIL", "ERROR"):
                raise InputError(
                    "no status PASS, FAIL or ERROR",
                    file=file,
                    row=line,
                    text=shorten(status),
                    hint="export it again with promptfoo",
                )
            named = {**_named(block, file, line), OVERALL: block.get("Score")}
            values = {name: _Value(value, judge=UNNAMED) for name, value in named.items()}
            clusters = scalars(variables, "vars.") if len(variables) > 1 else {}
            tests.append(_Test(line, (order, begin), system, topic, variables, clusters, values, status == "ERROR"))
    return tests


def _named(block: Mapping[str, str], file: str, line: int) -> dict[str, Any]:
    """The named scores of a row: whole where they stand as JSON, else rounded, in a column each."""
    whole = block.get("Named Scores", "").strip()
    if not whole:
        return {name.removeprefix(_METRIC): cell for name, cell in block.items() if name.startswith(_METRIC)}
    try:
        return dict(json.loads(whole))
    except (ValueError, TypeError):
        raise InputError(
            "Named Scores are not an object",
            file=file,
            row=line,
            text=shorten(whole),
            hint="export it again with promptfoo",
        ) from None


def _notes(rows: Sequence[Row], *, is_csv: bool) -> Iterator[str]:
    if is_csv:
        yield LESS_IN_CSV
    repeats = max(row.replicate for row in rows)
    if repeats > 1:
        yield (
            f"up to {repeats} repeats per test, recognized by their question: promptfoo numbers each repeat as a "
            "separate test"
        )
    lost = {(row.system, row.topic, row.replicate) for row in rows if row.status == FAILED}
    if lost:
        yield f"{counted(len(lost), 'result')} failed, in the provider or the grader; promptfoo counts them as 0"
    if not any(row.status == OK for row in rows):
        yield "no test was scored"


PROMPTFOO = LogFormat("promptfoo", WORDS, _recognizes, _read)
