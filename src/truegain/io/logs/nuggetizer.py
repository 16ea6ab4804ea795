"""Files of nuggetizer, by its source: assignments of nuggets to answers, a response a line, and its metrics.

The nuggets of an answer are items.  An assignment that failed is missing; nuggetizer counts it as not supported.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from truegain.errors import InputError, counted, shorten
from truegain.io.logs.log import OK, Log, LogFormat, Row, ScoreRange, ToolMean
from truegain.io.logs.records import (
    FAILED,
    UNNAMED,
    Record,
    Repeats,
    fields_of,
    id_of,
    listed,
    name_of,
    no_records,
    opening,
    records,
    stem,
    value_of,
)
from truegain.io.nugget_files import MODEL_COLUMNS, NAMES, SUPPORT, plain_word

WORDS = "nuggets of nuggetizer"
METRICS = {"strict_vital_score": "V_strict", "strict_all_score": "A_strict", "vital_score": "V", "all_score": "A"}
WEIGHTS = {  # by measure: what a vital nugget and any other counts, and whether partial support is none
    "V_strict": (1.0, 0.0, True),
    "V": (1.0, 0.0, False),
    "A_strict": (1.0, 1.0, True),
    "A": (1.0, 1.0, False),
    "W_strict": (1.0, 0.5, True),
    "W": (1.0, 0.5, False),
}
_ALL = "all"


def _recognizes(data: bytes, _file: str) -> bool:
    start = opening(data)
    if start.kind != "object" or not start.has("qid"):
        return False
    return start.has("strict_vital_score") or (start.has("nuggets") and b'"assignment"' in data)


def _read(data: bytes, file: str) -> Log:
    answers = records(data, file)
    if not answers:
        raise no_records(file, WORDS, "run nuggetizer's assign_nuggets")
    return _of_metrics(answers, file) if "strict_vital_score" in answers[0][1] else _of_assignments(answers, file)


def _of_metrics(answers: Sequence[Record], file: str) -> Log:
    """What nuggetizer computed for each answer."""
    rows, means, repeats = list[Row](), list[ToolMean](), Repeats()
    for line, record in answers:
        topic = id_of(record.get("qid"), "qid", file, line)
        repeat = repeats.next(topic)
        for theirs, ours in METRICS.items():
            value, status = value_of(record.get(theirs), {}, theirs, file, line)
            if topic == _ALL:
                means.append(ToolMean(ours, value))
            else:
                rows.append(Row(topic, ours, value, judge=UNNAMED, replicate=repeat, status=status, line=line))
    notes = ["a topic without a vital nugget has the vital scores 0 here: nuggetizer gives it 0, truegain no score"]
    scales = {name: ScoreRange(0.0, 1.0) for name in METRICS.values()}
    return Log(file, "nuggetizer", rows, {"file": stem(file)}, scales=scales, means=means, notes=notes)


def _of_assignments(answers: Sequence[Record], file: str) -> Log:
    rows, repeats, failed, empty, models = list[Row](), Repeats(), 0, list[str](), {UNNAMED}
    systems = {str(record.get("run_id") or "") for _, record in answers}
    for line, record in answers:
        topic, system = id_of(record.get("qid"), "qid", file, line), str(record.get("run_id") or "")
        judge = next((str(record[key]) for key in NAMES["judge"] if record.get(key)), UNNAMED)
        if any(record.get(key) for key in MODEL_COLUMNS):
            models.add(judge)
        repeat = repeats.next(system, topic, judge)
        nuggets = [nugget for nugget in listed(record.get("nuggets")) if isinstance(nugget, dict)]
        if not any(_is_vital(nugget) for nugget in nuggets):
            empty.append(topic)
        seen = Repeats()
        for nugget in nuggets:
            value, status = _support(nugget, file, line)
            failed += status == FAILED
            text = name_of(str(nugget.get("text") or ""))
            often = seen.next(text)
            item = text if often == 1 else f"{text} ({often})"
            for score, (vital, other, strict) in WEIGHTS.items():
                if weight := _weight(nugget, vital, other):
                    counts = math.floor(value) if strict and status == OK else value
                    rows.append(Row(topic, score, counts, system, item, weight, judge, repeat, status, line))
    return Log(
        file,
        "nuggetizer",
        rows,
        {"file": stem(file)},
        scales={score: ScoreRange(0.0, 1.0) for score in WEIGHTS},
        means=list(_means(answers, systems)),
        notes=list(_notes(failed, empty)),
        models=frozenset(models),
    )


def _weight(nugget: Mapping[str, Any], vital: float, other: float) -> float:
    """What a nugget counts; one whose importance failed counts where importance does not."""
    if _is_vital(nugget):
        return vital
    return other if nugget.get("importance") == "okay" or vital == other else 0.0


def _is_vital(nugget: Mapping[str, Any]) -> bool:
    return nugget.get("importance") == "vital"


def _support(nugget: Mapping[str, Any], file: str, line: int) -> tuple[float, str]:
    """How far an answer supports a nugget, or that the assigner failed."""
    word = plain_word(nugget.get("assignment") or "")
    if word == FAILED or not word:
        return math.nan, FAILED
    if word not in SUPPORT:
        hint = f"known are {', '.join(SUPPORT)} and {FAILED}"
        raise InputError("an unknown assignment", file=file, line=line, text=shorten(word), hint=hint)
    return SUPPORT[word], OK


def _means(answers: Sequence[Record], systems: set[str]) -> Iterator[ToolMean]:
    """What nuggetizer's calculate_metrics prints for all answers: an empty sum is 0, a failed assignment none."""
    for system in sorted(systems):
        mine = [r for _, r in answers if str(r.get("run_id") or "") == system]
        for score in METRICS.values():
            vital, other, strict = WEIGHTS[score]
            values, failed, empty = [], 0, 0
            for record in mine:
                counted_in = [n for n in listed(record.get("nuggets")) if (vital if _is_vital(n) else other)]
                supports = [SUPPORT.get(str(fields_of(n).get("assignment")), 0.0) for n in counted_in]
                failed += sum(plain_word(fields_of(n).get("assignment") or "") in ("", FAILED) for n in counted_in)
                empty += not counted_in
                total = math.fsum(map(math.floor, supports) if strict else supports)
                values.append(total / len(counted_in) if counted_in else 0.0)
            kind = "vital nugget" if not other else "nugget"
            parts = [f"{counted(empty, 'answer')} without a {kind}"] if empty else []
            parts += [f"{counted(failed, 'assignment')} that failed"] if failed else []
            why = f"nuggetizer counts {' and '.join(parts)} as 0" if parts else ""
            yield ToolMean(score, math.fsum(values) / len(values), system, len(values), why, printed=False)


def _notes(failed: int, empty: Sequence[str]) -> Iterator[str]:
    if failed:
        yield f"{counted(failed, 'assignment')} failed; nuggetizer counts them as not supported"
    if empty:
        topics = counted(len(set(empty)), "topic")
        yield f"{topics} without a vital nugget, such as {empty[0]}, left out of V and V_strict; nuggetizer gives 0"


NUGGETIZER = LogFormat("nuggetizer", WORDS, _recognizes, _read)
