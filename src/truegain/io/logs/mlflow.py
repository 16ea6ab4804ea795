"""Results of mlflow's `genai.evaluate`: the frame of results, or of traces, saved as JSON.

A trace has an id of its own in every run, so a topic is what was asked.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from truegain.errors import InputError
from truegain.io.logs.log import OK, Log, LogFormat, Row, ScoreRange
from truegain.io.logs.records import (
    FAILED,
    NOT_SCORED,
    UNKNOWN,
    YES_NO,
    Clusters,
    Repeats,
    fields_of,
    inputs_digest,
    is_value,
    listed,
    name_of,
    no_records,
    opening,
    parsed,
    records,
    scalars,
    stem,
    value_of,
)

WORDS = "results of mlflow"
_VALUE, _ERROR = "/value", "/error_message"
_MODELS = ("LLM_JUDGE", "AI_JUDGE")
_PERSON = "HUMAN"
_PEOPLE = "{} (people)"  # the score that people gave where a scorer gave it too


class _Given(NamedTuple):
    """What a scorer gave to a trace."""

    value: Any
    error: str
    judge: str
    by_person: bool = False


def _recognizes(data: bytes, _file: str) -> bool:
    start = opening(data)
    about = ("trace", "spans", "assessments", "trace_metadata", "request")
    return start.has("trace_id") and any(key in about or key.endswith(_VALUE) for key in start.keys)


def _read(data: bytes, file: str) -> Log:
    traces = records(data, file)
    if not traces:
        raise no_records(file, WORDS, "save result.result_df.to_json(orient='records')")
    scorers = _scorers([record for _, record in traces])
    if not scorers:
        raise InputError(f"{WORDS} without a value of a scorer", file=file, hint="save the result of genai.evaluate")
    repeats, clusters, rows, inputs = Repeats(), Clusters(), list[Row](), dict[str, Any]()
    judges = _judges([record for _, record in traces], scorers)
    both = [s for s in scorers if {True, False} <= {_is_person(a) for _, r in traces for a in _of_scorer(r, s)}]
    for line, record in traces:
        request = record.get("request")
        if isinstance(request, str) and request.lstrip().startswith(("{", "[")):
            request = parsed(request.encode(), file)
        if request in (None, "", {}):
            raise InputError(
                "a trace without its request", file=file, row=line, hint="save the frame with its requests"
            )
        topic = name_of(request)
        inputs[topic] = request
        asked = scalars(request, "request.") if isinstance(request, Mapping) and len(request) > 1 else {}
        tags = scalars(record.get("tags"), "tags.") | scalars(record.get("trace_metadata"), "trace_metadata.")
        clusters.add(topic, asked | {name: tag for name, tag in tags.items() if "mlflow." not in name})
        for scorer in scorers:
            for number, status, judge, by_person in _values(record, scorer, judges[scorer], file, line):
                score = _PEOPLE.format(scorer) if by_person and scorer in both else scorer
                repeat = repeats.next(topic, score, judge)
                rows.append(Row(topic, score, number, judge=judge, replicate=repeat, status=status, line=line))
    runs = {fields_of(record.get("trace_metadata")).get("mlflow.sourceRun") for _, record in traces}
    names = {"file": stem(file)} | ({"run": str(runs.pop())} if len(runs) == 1 and None not in runs else {})
    return Log(
        file,
        "mlflow",
        rows,
        names,
        clusters.made(),
        _ranges([record for _, record in traces], scorers),
        provenance={
            "judge": ", ".join(sorted({judge for judge in judges.values() if judge})),
            "run": names.get("run"),
            "inputs": inputs_digest(inputs),
        },
        notes=[
            f"{s}: people gave values too; they are the score '{_PEOPLE.format(s)}', not in that of the scorer"
            for s in both
        ],
        models=frozenset(_judge(a) for _, r in traces for a in _feedback(r) if _source(a) in _MODELS),
        no_clusters=clusters.several,
    )


def _values(
    record: Mapping[str, Any], scorer: str, usual: str, file: str, line: int
) -> Iterator[tuple[float, str, str, bool]]:
    """Values of a scorer with their status and judge, and whether a person gave them; one of its own may be missing."""
    assessments = list(_given(record, scorer))
    if not any(one.judge == usual or not one.by_person for one in assessments):
        assessments.append(_Given(None, "", usual))
    for value, error, judge, by_person in assessments:
        unknown = isinstance(value, str) and value.strip().lower() == UNKNOWN  # the word of a judge that cannot tell
        number, status = (math.nan, UNKNOWN) if unknown else value_of(value, YES_NO, scorer, file, line)
        if status != OK and not unknown:
            status = FAILED if error else NOT_SCORED if value is None else status
        yield number, status, judge or ("people" if by_person else usual), by_person


def _ranges(traces: Sequence[Mapping[str, Any]], scorers: Sequence[str]) -> dict[str, ScoreRange]:
    """Scores that are true and false, or yes and no, lie between 0 and 1; of numbers nobody says it."""
    values = {s: [one.value for t in traces for one in _given(t, s) if one.value is not None] for s in scorers}
    return {s: ScoreRange(0.0, 1.0) for s, of in values.items() if of and all(map(_is_yes_or_no, of))}


def _is_yes_or_no(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and value.strip().lower() in (*YES_NO, UNKNOWN))


def _given(record: Mapping[str, Any], scorer: str) -> Iterator[_Given]:
    """Values by the trace's assessments where these hold any, else by the frame's column."""
    mine = _of_scorer(record, scorer)
    for assessment in mine:
        feedback = fields_of(assessment.get("feedback"))
        error = fields_of(feedback.get("error")).get("error_message") or feedback.get("error") or ""
        yield _Given(feedback.get("value"), str(error), _judge(assessment), _is_person(assessment))
    if not mine and scorer + _VALUE in record:
        yield _Given(record[scorer + _VALUE], str(record.get(scorer + _ERROR) or ""), "")


def _of_scorer(record: Mapping[str, Any], scorer: str) -> list[Mapping[str, Any]]:
    return [a for a in _feedback(record) if a.get("assessment_name") == scorer]


def _feedback(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What was said of an answer, without what was expected of it and what was taken back."""
    return [
        a for a in listed(record.get("assessments")) if fields_of(a).get("feedback") and a.get("valid") is not False
    ]


def _judge(assessment: Mapping[str, Any]) -> str:
    source = fields_of(assessment.get("source"))
    return str(source.get("source_id") or "") if _source(assessment) in (*_MODELS, _PERSON) else ""


def _is_person(assessment: Mapping[str, Any]) -> bool:
    return _source(assessment) == _PERSON


def _source(assessment: Mapping[str, Any]) -> str:
    return str(fields_of(assessment.get("source")).get("source_type") or "")


def _scorers(traces: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of scorers: of feedback, and of columns that are no expectations."""
    names = dict.fromkeys(str(a.get("assessment_name")) for trace in traces for a in _feedback(trace))
    expected = {str(fields_of(a).get("assessment_name")) for t in traces for a in listed(t.get("assessments"))} - set(
        names
    )
    for column in dict.fromkeys(key for trace in traces for key in trace if key.endswith(_VALUE)):
        name = column.removesuffix(_VALUE)
        cells = [trace.get(column) for trace in traces]
        words = {str(cell).strip().lower() for cell in cells if not is_value(cell)}
        if name not in expected and words <= {*YES_NO, UNKNOWN}:
            names[name] = None
    return list(names)


def _judges(traces: Sequence[Mapping[str, Any]], scorers: Sequence[str]) -> dict[str, str]:
    """Who gives the values of each scorer: the most frequent, as a failed one is noted as code; people count less."""
    judges: dict[str, Counter[str]] = {scorer: Counter() for scorer in scorers}
    for trace in traces:
        for assessment in _feedback(trace):
            if fields_of(assessment["feedback"]).get("value") is not None:
                judges[str(assessment.get("assessment_name"))][_judge(assessment)] += 0 if _is_person(assessment) else 1
    return {scorer: counts.most_common(1)[0][0] if counts else "" for scorer, counts in judges.items()}


MLFLOW = LogFormat("mlflow", WORDS, _recognizes, _read)
