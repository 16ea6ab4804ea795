"""Readers of logs, on files written here in the formats of the tools."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import random
import re
from collections import Counter
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.logs.made import mean_of
from truegain.data.item_reading import joined, read_items
from truegain.errors import InputError
from truegain.io.file_options import FileOptions, read_with
from truegain.io.logs.autojudge import AS_TREC_EVAL, refuse_unnamed
from truegain.io.logs.catalogue import LOGS, log_format, log_format_of, read_log
from truegain.io.logs.log import OK, Log, ScoreRange
from truegain.io.logs.records import opening

from .made import (
    NAN,
    QUESTIONS,
    deepeval_run,
    inspect_header,
    inspect_sample,
    lines,
    packed,
    promptfoo_result,
    saved,
)


def table(log: Log, score: str) -> dict[tuple[str, str, int], float | str]:
    """By system, topic and replicate, a score's value, or why there is none."""
    rows = [row for row in log.rows if row.score == score]
    return {(r.system, r.topic, r.replicate): r.value if r.status == OK else r.status for r in rows}


# ---- inspect_ai


def test_inspect_of_every_kind_of_value(tmp_path: Path) -> None:
    """Words are numbers by the stated map; what failed or is no number is missing; .eval and .json say the same."""
    samples = [
        inspect_sample("a", 1, "C", 0.5), inspect_sample("b", 1, "P", NAN), inspect_sample("c", 1, "N", 1),
        inspect_sample("a", 2, "I", True), inspect_sample("b", 2, "", 0, "the provider failed"),
        inspect_sample("c", 2, "yes", "0.25"),
    ]  # fmt: skip
    head = inspect_header("old", results={"scores": []})
    log = read_log(saved(tmp_path, "old.eval", packed({"header.json": head, "summaries.json": samples})))
    assert table(log, "match") == {
        ("", "a", 1): 1.0, ("", "b", 1): 0.5, ("", "c", 1): 0.0, ("", "a", 2): 0.0, ("", "b", 2): "failed",
        ("", "c", 2): 1.0,
    }  # fmt: skip
    assert table(log, "faith") == {
        ("", "a", 1): 0.5, ("", "b", 1): "not a number", ("", "c", 1): 1.0, ("", "a", 2): 1.0, ("", "b", 2): "failed",
        ("", "c", 2): 0.25,
    }  # fmt: skip
    assert log.scales == {"match": ScoreRange(0.0, 1.0)}  # grades; of numbers nobody says their ends
    assert log.clusters == {"metadata.topic": {"a": "t-a", "b": "t-b", "c": "t-c"}}
    assert list(log.names.items())[:2] == [("metadata.system", "old"), ("model", "mockllm/model")]
    whole = saved(tmp_path, "old.json", head | {"samples": samples})
    assert list(map(str, read_log(whole).rows)) == list(map(str, log.rows))
    squeezed = saved(tmp_path, "old.json.gz", gzip.compress(whole.read_bytes()))
    assert list(map(str, read_log(squeezed).rows)) == list(map(str, log.rows))


def test_inspect_refuses_an_unknown_word(tmp_path: Path) -> None:
    """A grade that nobody explained is refused with file, record and value."""
    samples = [inspect_sample("a", 1, "C", 1), inspect_sample("b", 1, "B+", 1)]
    path = saved(tmp_path, "x.json", inspect_header("old") | {"samples": samples})
    with pytest.raises(InputError, match=r"x\.json, row 2: the value of 'match' is not a number: 'B\+'.*c = 1"):
        read_log(path)


def test_inspect_that_did_not_end(tmp_path: Path) -> None:
    """A log that was stopped: what was scored is read from its journal, what was not come to is 'not run'."""
    start = {key: value for key, value in inspect_header("old").items() if key != "status"}
    members = {
        "_journal/start.json": start,
        "_journal/summaries/2.json": [inspect_sample("b", 1, "I", 0.0)],
        "_journal/summaries/1.json": [inspect_sample("a", 1, "C", 1.0)],
    }
    log = read_log(saved(tmp_path, "old.eval", packed(members)))
    assert Counter(row.status for row in log.rows) == {"ok": 4, "not run": 8}
    assert [row.topic for row in log.rows[:4:2]] == ["a", "b"]
    assert log.notes == ["the evaluation did not end: its status is 'started'"]


def test_inspect_where_everything_failed(tmp_path: Path) -> None:
    """Status 'success' and nothing scored: the scorers that were declared have missing values."""
    samples = [inspect_sample(topic, 1, "", 0, "no answer") for topic in "abc"]
    log = read_log(saved(tmp_path, "x.eval", packed({"header.json": inspect_header("x"), "summaries.json": samples})))
    assert {row.score for row in log.rows} == {"match", "faith"}
    assert {row.status for row in log.rows} == {"failed"}
    assert log.notes[0] == "no sample was scored, though the status is 'success'"


def test_inspect_names_that_two_scorers_share(tmp_path: Path) -> None:
    """A field has its own name, as in the tool's results, unless two scorers have it."""
    samples = [
        {
            "id": 1,
            "epoch": 1,
            "scores": {"a": {"value": {"f": 1, "g": 0}}, "b": {"value": {"f": 0}}, "c": {"value": [1, 2]}},
        }
    ]
    scores = [{"name": "f", "scorer": "b", "metrics": {"mean": {"name": "mean", "value": 0.0}}}]
    head = inspect_header("x", scorers=[{"name": "a"}], results={"scores": scores})
    log = read_log(saved(tmp_path, "x.json", head | {"samples": samples}))
    assert {row.score: row.value for row in log.rows} == {"a/f": 1, "g": 0, "b/f": 0, "0": 1, "1": 2}
    assert [(mean.score, mean.mean) for mean in log.means] == [("b/f", 0.0)]


def test_inspect_damaged(tmp_path: Path) -> None:
    """A log that was cut or changed is refused, never read in part."""
    data = packed({"header.json": inspect_header("x"), "summaries.json": [inspect_sample("a", 1, "C", 1)]})
    for broken in (data[: len(data) // 2], data[:90] + b"\0\1\2\3" + data[94:]):
        with pytest.raises(InputError, match=r"x\.eval"):
            read_log(saved(tmp_path, "x.eval", broken))


def test_inspect_reducers_explain_their_means(tmp_path: Path) -> None:
    """A mean over the best epoch is the tool's, and says why ours differs."""
    samples = [inspect_sample("a", 1, "C", 1), inspect_sample("a", 2, "I", 0)]
    scores = [
        {
            "name": "match",
            "scorer": "match",
            "reducer": "max",
            "metrics": {"accuracy": {"name": "accuracy", "value": 1}},
        }
    ]
    log = read_log(saved(tmp_path, "x.json", inspect_header("x", results={"scores": scores}) | {"samples": samples}))
    assert log.means[0].reason == "inspect_ai joined the epochs by 'max'"
    assert read_items(tmp_path / "x.json").check_means()[0].endswith("(inspect_ai joined the epochs by 'max')")


# ---- deepeval


def test_deepeval_failed_judges(tmp_path: Path) -> None:
    """A judge that failed gives no score; a metric of which less passes is better where it is less."""
    run = deepeval_run("old", {"Faithfulness": [1.0, None, 0.0], "Bias": [0.1, 0.9, 0.2]})
    for case in run["testCases"]:
        for metric in case["metricsData"]:
            if metric["name"] == "Bias":
                metric["success"] = metric["score"] <= 0.5
    for name, data in (("a.json", run), ("b.json", {"testRunData": run, "testRunLink": None})):
        log = read_log(saved(tmp_path, name, data))
        faithful = {("", "case 0", 1): 1.0, ("", "case 1", 1): "failed", ("", "case 2", 1): 0.0}
        assert table(log, "Faithfulness") == faithful
        assert (log.scales["Bias"].lower_is_better, log.scales["Faithfulness"].lower_is_better) == (True, False)
        assert log.means[0].reason == "its pass rate counts 1 that failed to be judged as fails"


def test_deepeval_topics(tmp_path: Path) -> None:
    """Names that deepeval made up by order are no topics, questions are; a case that comes twice is a repeat."""
    run = deepeval_run("old", {"F": [1.0, 0.5, 0.0]})
    for at, case in enumerate(run["testCases"]):
        case["name"] = f"test_case_{at}"
    run["testCases"].append(json.loads(json.dumps(run["testCases"][1])) | {"name": "test_case_3"})
    log = read_log(saved(tmp_path, "a.json", run))
    assert table(log, "F") == {
        ("", QUESTIONS[0], 1): 1.0, ("", QUESTIONS[1], 1): 0.5, ("", QUESTIONS[2], 1): 0.0, ("", QUESTIONS[1], 2): 0.5,
    }  # fmt: skip


# ---- ragas


def ragas_rows() -> list[dict[str, Any]]:
    """Three questions, the second judged in part."""
    scores: list[tuple[float | None, str]] = [(0.5, "pass"), (None, "fail"), (1.0, "pass")]
    return [
        {
            "user_input": q,
            "retrieved_contexts": ["c"],
            "response": "r",
            "reference": f"x{at}",
            "faithfulness": f,
            "fine": w,
        }
        for at, (q, (f, w)) in enumerate(zip(QUESTIONS, scores, strict=False))
    ]


def as_csv(rows: list[dict[str, Any]]) -> bytes:
    """Rows as pandas writes them: nothing for None, lists as Python shows them."""
    target = io.StringIO(newline="")
    writer = csv.DictWriter(target, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return target.getvalue().encode()


def test_ragas(tmp_path: Path) -> None:
    """Numbers and words of both forms; a failed judge leaves nothing, and its mean is over the others."""
    for name, data in (("a.jsonl", lines(ragas_rows())), ("a.csv", as_csv(ragas_rows()))):
        log = read_log(saved(tmp_path, name, data))
        assert list(table(log, "faithfulness").values()) == [0.5, "failed", 1.0]
        assert list(table(log, "fine").values()) == [1.0, 0.0, 1.0]
        assert mean_of(log, "faithfulness") == (0.75, 2)
        assert log.notes == ["faithfulness: 1 sample of 3 failed; ragas leaves them out of its mean"]


def test_ragas_questions_that_come_twice(tmp_path: Path) -> None:
    """With the same reference a second one is a repeat, with another it is another topic."""
    rows = ragas_rows()
    rows += [dict(rows[0]), rows[2] | {"reference": "other"}]
    log = read_log(saved(tmp_path, "a.jsonl", lines(rows)))
    seen = Counter((row.topic, row.replicate) for row in log.rows if row.score == "fine")
    assert max(seen.values()) == 1
    assert len({topic for topic, _ in seen}) == 4
    assert (QUESTIONS[0], 2) in seen
    assert sum(topic.startswith(QUESTIONS[2] + " [") for topic, _ in seen) == 2


def test_ragas_refuses_a_word_among_numbers(tmp_path: Path) -> None:
    """A column of numbers with a word in it is no column of words."""
    rows = ragas_rows()
    rows[1]["faithfulness"] = "high"
    with pytest.raises(InputError, match=r"a\.jsonl, row 2: the value of 'faithfulness' is not a number: 'high'"):
        read_log(saved(tmp_path, "a.jsonl", lines(rows)))


# ---- promptfoo


def test_promptfoo_errors_are_missing(tmp_path: Path) -> None:
    """A provider or a grader that failed: promptfoo counts 0, here the value is missing."""
    first, second, third = QUESTIONS[:3]
    results = [
        promptfoo_result(first, 0, "old", {"good": 1.0}),
        promptfoo_result(first, 1, "old", {"good": 0.0}),
        promptfoo_result(second, 2, "old", {"good": 0.0}, grader_failed=["good"]),
        promptfoo_result(
            third, 3, "old", {"good": 0.0}, failureReason=2, error="504", namedScores={}, gradingResult=None
        ),
    ]
    whole = {"evalId": "e", "results": {"version": 3, "results": results}, "metadata": {"promptfooVersion": "0.1"}}
    expected = {
        ("old", first, 1): 1.0,
        ("old", first, 2): 0.0,
        ("old", second, 1): "failed",
        ("old", third, 1): "failed",
    }
    for name, data in (("a.json", whole), ("a.jsonl", lines(results))):
        log = read_log(saved(tmp_path, name, data))
        assert table(log, "good") == expected
        assert table(log, "score") == expected
        assert {row.judge for row in log.rows if row.status == OK} == {"judge-x"}
        assert "2 results failed" in log.notes[-1]
    assert read_log(tmp_path / "a.json").tool == "promptfoo 0.1"


def test_promptfoo_means_that_count_failures_as_zero(tmp_path: Path) -> None:
    """A mean of promptfoo's over tests that failed is told beside ours, with the reason."""
    first, second = QUESTIONS[:2]
    results = [
        promptfoo_result(first, 0, "old", {"good": 1.0}),
        promptfoo_result(second, 1, "old", {"good": 0.0}, grader_failed=["good"]),
    ]
    metrics: dict[str, Any] = {"namedScores": {"good": 1.0}, "namedScoresCount": {"good": 2}}
    metrics |= {"score": 1.0, "testPassCount": 1, "testFailCount": 1}
    prompts = [{"provider": "old", "label": "{{q}}", "metrics": metrics}]
    path = saved(tmp_path, "a.json", {"evalId": "e", "results": {"version": 3, "prompts": prompts, "results": results}})
    told = "the tool printed 0.5000, the mean of its values is 1.0000 over 1 topic (a failed grader counts 0)"
    assert read_items(path).check_means() == (f"good of old: {told}", f"score of old: {told}")


def test_promptfoo_prompts_are_systems(tmp_path: Path) -> None:
    """Two prompts of one provider are two systems; assertions without a metric have the name of their kind."""
    rows = []
    for number, label in enumerate(("short", "long")):
        row = promptfoo_result(QUESTIONS[0], 0, "old", {}, promptIdx=number)
        row["prompt"]["label"] = label
        row["gradingResult"]["componentResults"] = [
            {"pass": True, "score": number, "assertion": {"type": "contains", "value": "x"}},
            {"pass": True, "score": 0.5, "assertion": {"type": "llm-rubric", "value": "is kind"}},
            {"pass": True, "score": 0.25, "assertion": {"type": "llm-rubric", "value": "is right"}},
        ]
        rows.append(row)
    log = read_log(saved(tmp_path, "a.jsonl", lines(rows)))
    assert {(r.system, r.score): r.value for r in log.rows if r.score != "score"} == {
        ("old | short", "contains"): 0, ("old | long", "contains"): 1,
        ("old | short", "llm-rubric: is kind"): 0.5, ("old | long", "llm-rubric: is kind"): 0.5,
        ("old | short", "llm-rubric: is right"): 0.25, ("old | long", "llm-rubric: is right"): 0.25,
    }  # fmt: skip
    assert {r.judge for r in log.rows if r.score == "contains"} == {""}


def test_promptfoo_csv(tmp_path: Path) -> None:
    """A block of columns a system; ERROR is missing, and columns of metrics do where there is no object of them."""
    head = ["q", "[old] {{q}}", "Status", "Score", "Metric: good", "Grader Reason", "[new] {{q}}", "Status", "Score"]
    head += ["Metric: good", "Grader Reason"]
    rows = [
        [QUESTIONS[0], "x", "PASS", "1.00", "0.50", "", "y", "FAIL", "0.00", "0.25", ""],
        [QUESTIONS[1], "x", "ERROR", "0.00", "0.00", "", "y", "PASS", "1.00", "1.00", ""],
    ]
    target = io.StringIO(newline="")
    csv.writer(target).writerows([head, *rows])
    log = read_log(saved(tmp_path, "a.csv", target.getvalue().encode()))
    assert table(log, "good") == {
        ("old", QUESTIONS[0], 1): 0.5, ("new", QUESTIONS[0], 1): 0.25,
        ("old", QUESTIONS[1], 1): "failed", ("new", QUESTIONS[1], 1): 1.0,
    }  # fmt: skip
    assert {row.judge for row in log.rows} == {"an unnamed LLM"}, "it does not tell which scores a model gave"
    assert any("each counts as a model's" in note for note in log.notes)


# ---- phoenix and mlflow


def test_phoenix_direction_and_failure(tmp_path: Path) -> None:
    """Less is better where the evaluator says so; a null is missing for the reason that stands beside it."""
    rows = []
    for question, score, status in zip(
        QUESTIONS, (0.0, None, None), ("COMPLETED", "FAILED", "DID NOT RUN"), strict=False
    ):
        result = None if score is None else {"score": score, "kind": "llm", "direction": "minimize"}
        rows.append(
            {"input": question, "tox_execution_details": {"status": status}, "tox_score": result, "part": "one"}
        )
    for name, data in (("a.jsonl", lines(rows)), ("a.csv", as_csv(rows))):
        log = read_log(saved(tmp_path, name, data))
        assert list(table(log, "tox").values()) == [0.0, "failed", "not run"]
        assert log.scales["tox"].lower_is_better
        assert log.provenance["kinds"] == {"tox": "llm"}
        assert set(log.clusters) == {"part"}


def test_mlflow_words_and_people(tmp_path: Path) -> None:
    """Words are numbers; one that a judge cannot tell is missing; people's values are rows of their own."""
    given = [("yes", "LLM_JUDGE", "judge-x"), ("no", "LLM_JUDGE", "judge-x"), ("unknown", "LLM_JUDGE", "judge-x")]
    rows: list[dict[str, Any]] = []
    for question, (word, kind, who) in zip(QUESTIONS, given, strict=False):
        said = {
            "assessment_name": "right",
            "source": {"source_type": kind, "source_id": who},
            "feedback": {"value": word},
        }
        expected = {"assessment_name": "wanted", "source": {}, "expectation": {"value": "42"}}
        columns = {"right/value": word, "wanted/value": "42", "assessments": [said, expected]}
        rows.append({"trace_id": f"tr-{question}", "request": {"q": question}} | columns)
    human = {
        "assessment_name": "right",
        "source": {"source_type": "HUMAN", "source_id": "ann"},
        "feedback": {"value": True},
    }
    rows[1]["assessments"].append(human)
    log = read_log(saved(tmp_path, "a.json", rows))
    assert log.scales["right"] == ScoreRange(0.0, 1.0)
    assert [(r.topic, r.score, r.judge, r.value if r.status == OK else r.status) for r in log.rows] == [
        (QUESTIONS[0], "right", "judge-x", 1.0), (QUESTIONS[1], "right", "judge-x", 0.0),
        (QUESTIONS[1], "right (people)", "ann", 1.0), (QUESTIONS[2], "right", "judge-x", "unknown"),
    ]  # fmt: skip
    assert log.models == frozenset(["judge-x"])
    assert "people gave values too" in log.notes[0]
    assert read_items(tmp_path / "a.json").models == {"judge-x"}
    for row in rows:
        row["assessments"] = [human, row["assessments"][1]]
    alone = read_items(saved(tmp_path, "b.json", rows))  # people alone: the score keeps its name, and no model is told
    assert (alone.scores, alone.models, alone.judges) == (("right",), frozenset(), ("ann",))


# ---- metadata of samples

NESTED = {"topic": "t0", "doc": {"kind": "faq", "page": 3}, "tags": ["x"]}


def nested(name: str) -> tuple[str, bytes | Any]:
    """A log of a tool, or a table, whose samples have objects within their metadata."""
    question, value = QUESTIONS[0], {"faith": 0.5}
    phoenix = {"input": question, "faith_execution_details": {"status": "COMPLETED"}, "faith_score": {"score": 0.5}}
    mlflow = {"trace_id": "tr-1", "request": {"q": question, "metadata": NESTED}, "faith/value": 0.5, "assessments": []}
    promptfoo = promptfoo_result(question, 0, "old", value)
    promptfoo["testCase"]["metadata"] = NESTED
    case = deepeval_run("old", {"faith": [0.5]})
    case["testCases"][0]["additionalMetadata"] = NESTED
    sample = inspect_sample(question, 1, "C", 0.5) | {"metadata": NESTED}
    ragas = [{**row, "metadata": NESTED} for row in ragas_rows()]
    made: dict[str, tuple[str, bytes | Any]] = {
        "inspect_ai": ("a.eval", packed({"header.json": inspect_header("old"), "summaries.json": [sample]})),
        "deepeval": ("a.json", case),
        "ragas": ("a.jsonl", lines(ragas)),
        "ragas, CSV": ("a.csv", as_csv(ragas)),
        "promptfoo": ("a.jsonl", lines([promptfoo])),
        "phoenix": ("a.jsonl", lines([{**phoenix, "metadata": NESTED}])),
        "phoenix, CSV": ("a.csv", as_csv([{**phoenix, "metadata": json.dumps(NESTED)}])),
        "mlflow": ("a.json", [mlflow]),
    }
    return made[name]


@pytest.mark.parametrize(
    "tool",
    ["inspect_ai", "deepeval", "ragas", "ragas, CSV", "promptfoo", "phoenix", "phoenix, CSV", "mlflow"],
)
def test_fields_of_nested_metadata_have_dotted_names(tool: str, tmp_path: Path) -> None:
    """Guards `--cluster metadata.doc.kind`: objects within metadata were passed over, or one text."""
    name, data = nested(tool)
    clusters = {
        name.removeprefix("request."): of for name, of in read_log(saved(tmp_path, name, data)).clusters.items()
    }
    assert {key: {*of.values()} for key, of in clusters.items() if key.startswith("metadata")} == {
        "metadata.topic": {"t0"}, "metadata.doc.kind": {"faq"}, "metadata.doc.page": {"3"},
    }  # fmt: skip


def test_fields_of_objects_in_a_table_group_topics(tmp_path: Path) -> None:
    """Guards JSONL of one's own: the whole object was the only column that `--cluster` took."""
    rows = [
        {"id": f"q{t}", "faith": t / 9, "metadata": {"topic": f"t{t % 3}", "doc": {"kind": t % 2, "id": f"d{t}"}}}
        for t in range(9)
    ]
    items = read_items(saved(tmp_path, "a.jsonl", lines(rows)))
    assert {name: len({*of.values()}) for name, of in items.clusters.items()} == {
        "metadata.topic": 3, "metadata.doc.kind": 2,
    }  # fmt: skip
    assert items.clustered("kind").cluster == {f"q{t}": str(t % 2) for t in range(9)}


# ---- nuggets, leaderboards, benchmarks


def nuggetizer_answers(seed: int = 0) -> list[dict[str, Any]]:
    """Answers with their nuggets; one topic has no vital nugget."""
    draw = random.Random(seed)
    answers = []
    for topic in range(12):
        nuggets = [
            {"text": f"nugget {at}", "importance": draw.choice(["vital", "okay"]) if topic else "okay",
             "assignment": draw.choice(["support", "partial_support", "not_support"])}
            for at in range(draw.randint(1, 9))
        ]  # fmt: skip
        answers.append({"qid": f"q{topic}", "query": "?", "nuggets": nuggets, "answer_text": "x"})
    return answers


def nuggetizer_scores(nuggets: list[dict[str, str]]) -> dict[str, float]:
    """The four scores of nuggetizer, by its definition."""
    made = {}
    for name, chosen in (("V", [n for n in nuggets if n["importance"] == "vital"]), ("A", nuggets)):
        full = sum(n["assignment"] == "support" for n in chosen)
        half = sum(n["assignment"] == "partial_support" for n in chosen)
        made[f"{name}_strict"] = full / len(chosen) if chosen else 0.0
        made[name] = (full + 0.5 * half) / len(chosen) if chosen else 0.0
    return made


def test_nuggetizer_scores_at_1e_12(tmp_path: Path) -> None:
    """Weighted means over nuggets are nuggetizer's scores; its mean counts a topic without vital nuggets as 0."""
    answers = nuggetizer_answers()
    log = read_log(saved(tmp_path, "a.jsonl", lines(answers)))
    items = read_items(tmp_path / "a.jsonl")
    for score in ("V_strict", "V", "A_strict", "A"):
        theirs = {a["qid"]: nuggetizer_scores(a["nuggets"])[score] for a in answers}
        ours = dict(zip(items.topics, items.matrix(score)[0].tolist(), strict=True))
        for topic, value in theirs.items():
            if topic == "q0" and score.startswith("V"):
                assert math.isnan(ours[topic])
            else:
                assert ours[topic] == pytest.approx(value, abs=1e-12)
        printed = next(mean for mean in log.means if mean.score == score)
        assert printed.mean == pytest.approx(sum(theirs.values()) / len(theirs), abs=1e-12)
    told = items.check_means()
    assert told
    assert all("the tool makes it" in m and m.endswith("without a vital nugget as 0)") for m in told)
    weight = {"vital": 1.0, "okay": 0.5}
    worth = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
    for answer in answers:
        total = sum(weight[n["importance"]] for n in answer["nuggets"])
        theirs_w = sum(weight[n["importance"]] * worth[n["assignment"]] for n in answer["nuggets"]) / total
        assert items.matrix("W")[0][items.topics.index(answer["qid"])] == pytest.approx(theirs_w, abs=1e-12)
    assert any("without a vital nugget" in note for note in log.notes)


def test_nuggetizer_failed_assignments(tmp_path: Path) -> None:
    """An assigner that failed gives no value; an unknown word is refused."""
    answers = nuggetizer_answers()[:2]
    answers[0]["nuggets"][0]["assignment"] = "failed"
    log = read_log(saved(tmp_path, "a.jsonl", lines(answers)))
    assert next((r.item, r.status) for r in log.rows if r.score == "A") == ("nugget 0", "failed")
    answers[1]["nuggets"][0]["assignment"] = "perhaps"
    with pytest.raises(InputError, match=r"b\.jsonl:2: an unknown assignment: 'perhaps'"):
        read_log(saved(tmp_path, "b.jsonl", lines(answers)))


def test_nuggetizer_metrics(tmp_path: Path) -> None:
    """What calculate_metrics wrote: a line a topic, and the means."""
    names = ("strict_vital_score", "strict_all_score", "vital_score", "all_score")
    rows = [{"qid": topic, **dict.fromkeys(names, value)} for topic, value in (("q1", 0.5), ("q2", 1.0), ("all", 0.75))]
    log = read_log(saved(tmp_path, "a.jsonl", lines(rows)))
    assert table(log, "V_strict") == {("", "q1", 1): 0.5, ("", "q2", 1): 1.0}
    assert {mean.score: mean.mean for mean in log.means} == dict.fromkeys(("V_strict", "A_strict", "V", "A"), 0.75)


LEADERS = [
    (*key, 0.125 * (1 + at))
    for at, key in enumerate(product(("run-a", "run-b"), ("31", "32", "all"), ("NUGGET", "FLUENT")))
]


@pytest.mark.parametrize(
    ("name", "order"), [("ir_measures", (0, 1, 2, 3)), ("tot", (0, 2, 1, 3)), ("rag4reports", (1, 0, 2, 3))]
)
def test_leaderboards_of_every_order(tmp_path: Path, name: str, order: tuple[int, ...]) -> None:
    """The rows of all topics tell which column holds the topics; means are the tool's, not topics."""
    text = "".join("\t".join(str(row[at]) for at in order) + "\n" for row in LEADERS).encode()
    log = read_log(saved(tmp_path, "board.txt", text))
    assert log.provenance["format"] == name
    assert {(r.system, r.topic, r.score): r.value for r in log.rows} == {r[:3]: r[3] for r in LEADERS if r[1] != "all"}
    assert {(m.system, m.score): m.mean for m in log.means} == {(r[0], r[2]): r[3] for r in LEADERS if r[1] == "all"}


def test_leaderboards_that_do_not_tell(tmp_path: Path) -> None:
    """Without rows of all topics four columns can be anything: they are asked for, and no log by themselves."""
    text = "".join(
        f"{run} {topic} {measure} {value}\n" for run, topic, measure, value in LEADERS if topic != "all"
    ).encode()
    path = saved(tmp_path, "board.txt", text)
    assert log_format_of(path) is None
    log = read_log(path, columns=("run", "topic", "measure", "value"))
    assert {(r.system, r.topic, r.score): r.value for r in log.rows} == {r[:3]: r[3] for r in LEADERS if r[1] != "all"}
    with pytest.raises(InputError, match="which column holds the topics"):
        read_log(path, columns=("run", "topic", "value"))
    said = "columns='run,topic,measure,value'; other orders in use are run,measure,topic,value and topic,run"
    with pytest.raises(InputError, match=said):
        read_items(path)
    rows = [dict(zip(("run_id", "topic_id", "measure", "value"), row, strict=True)) for row in LEADERS]
    made = read_log(saved(tmp_path, "board.jsonl", lines(rows)))
    assert len(made.rows) == 8
    assert len(made.means) == 4


@pytest.mark.parametrize(
    ("values", "mean", "agrees"),
    [
        (("0.3333", "0.3333", "0.6667"), "0.4444", True),  # of 1/3, 1/3 and 2/3
        (("0.3333", "0.3333", "0.6667"), "0.4445", True),  # both may be off by half a unit
        (("0.3333", "0.3333", "0.6667"), "0.4446", False),
        (("0.3333333333333333", "1.0", "0.5"), "0.6111111111111112", True),
        (("0.3333333333333333", "1.0", "0.5"), "0.6111121111111112", False),  # 1.0 is exact: zeros are left out
        (("0.333333", "0.0123457", "1"), "0.448560", True),  # six digits, as awk prints
        (("1e-1", "2e-1", "3e-1"), "2.01e-1", False),  # no digits are told
    ],
)
def test_means_of_leaderboards_allow_for_rounding(
    tmp_path: Path, values: tuple[str, ...], mean: str, agrees: bool
) -> None:
    """Guards means that are printed with 4 digits: the tool's own was said to be wrong wherever digits were lost."""
    rows = [*((str(31 + at), value) for at, value in enumerate(values)), ("all", mean)]
    text = "".join(f"run-a {topic} NUGGET {value}\n" for topic, value in rows)
    assert (read_items(saved(tmp_path, "board.txt", text.encode())).check_means() == ()) is agrees
    table = "system,topic,measure,value\n" + text.replace(" ", ",")
    found = read_items(saved(tmp_path, "board.csv", table.encode())).check_means()
    assert (found == ()) is agrees, found
    numbers = [word for message in found for word in re.findall(r"\d\.\d+", message)]
    assert len(set(numbers)) == len(numbers), "what differs is not printed alike"


def test_numbers_of_json_are_not_rounded(tmp_path: Path) -> None:
    """Guards leaderboards in JSON, whose numbers are printed in full: a mean that is off by a little is told."""
    rows = [{"run_id": "a", "topic_id": t, "measure": "N", "value": v} for t, v in (("1", 0.5), ("2", 1.0))]
    rows.append({"run_id": "a", "topic_id": "all", "measure": "N", "value": 0.7501})
    assert "N of a: the tool printed 0.7501" in read_items(saved(tmp_path, "b.jsonl", lines(rows))).check_means()[0]


def test_all_that_trec_eval_prints_by_topic(tmp_path: Path) -> None:
    """Guards `trec_eval -q` as it is: its values were taken for an LLM's, and its counts of documents for scores."""
    rows = [
        (measure, topic, value)
        for topic, ap, found in (("301", "0.1344", 3), ("302", "0.8474", 2))
        for measure, value in (("num_ret", "10"), ("num_rel_ret", found), ("map", ap), ("P_10", f"{found / 10:.4f}"))
    ]
    rows += [("runid", "all", "bm25"), ("num_q", "all", "2"), ("num_ret", "all", "20"), ("num_rel_ret", "all", "5")]
    rows += [("map", "all", "0.4909"), ("gm_map", "all", "0.3375"), ("P_10", "all", "0.2500")]
    text = "".join(f"{measure:<22}\t{topic}\t{value}\n" for measure, topic, value in rows)
    path = saved(tmp_path, "a.txt", text.encode())
    found = log_format_of(path)
    assert found is not None
    assert found.name == "autojudge"
    items = read_items(path)
    assert (items.systems, items.topics) == (("bm25",), ("301", "302"))
    assert items.scores == ("map", "P_10")
    assert (items.judges, items.models, items.notes, items.made["tools"]) == ((), frozenset(), (), ["trec_eval"])
    assert items.matrix("map").tolist() == [[0.1344, 0.8474]]
    assert items.check_means() == ()
    other = saved(tmp_path, "b.txt", text.encode())
    assert read_items([path, other]).systems == ("a", "b"), "runs of one name are told apart by their files"
    said = read_log(path, columns=("measure", "topic", "value"))
    assert len(said.rows) == len([row for row in rows if row[1] != "all" and not row[0].startswith("num_")])
    bare = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(("num_", "runid")))
    alike = read_items(saved(tmp_path, "bare.txt", bare.encode()))
    assert (alike.judges, alike.notes) == (("an unnamed LLM",), (AS_TREC_EVAL,)), "AutoJudge writes such lines, too"
    wrong = saved(tmp_path, "c.txt", text.replace("0.4909", "0.4911").encode())
    assert "map of bm25: the tool printed 0.4911" in read_items(wrong).check_means()[0]


def test_leaderboards_of_one_run(tmp_path: Path) -> None:
    """Measure, topic and value of one run: its rows of all topics tell, else `columns`; the file names the run."""
    own = [row[1:] for row in LEADERS if row[0] == "run-a"]
    text = "".join(f"{measure} {topic} {value}\n" for topic, measure, value in own)
    log = read_log(saved(tmp_path, "board.txt", text.encode()))
    wanted = {(r[1], r[2]): r[3] for r in LEADERS if r[0] == "run-a" and r[1] != "all"}
    assert {(r.topic, r.score): r.value for r in log.rows} == wanted
    assert {(m.score, m.mean) for m in log.means} == {(r[2], r[3]) for r in LEADERS if r[:2] == ("run-a", "all")}
    assert joined([log]).systems == ("board",)
    sparse = "".join(line for line in text.splitlines(keepends=True) if " all " not in line)
    path = saved(tmp_path, "bare.txt", sparse.encode())
    assert log_format_of(path) is None
    with pytest.raises(InputError, match=r"in their order: columns='measure,topic,value'\)"):
        read_items(path)
    bare = read_log(path, columns=("measure", "topic", "value"))
    assert {(r.topic, r.score): r.value for r in bare.rows} == wanted


@pytest.mark.parametrize(
    ("lines_", "asks"),
    [
        (["a 31 N 0.5", "b 31 N 0.25"], True),  # one topic, one measure
        (["a 31 N 0.5", "a 32 N 0.5", "b 31 N 0.25"], True),  # a row is missing
        (["a 31 N 1.0", "a 32 N 0.0", "b 31 N 1.0", "b 32 N 1.0"], True),  # whole numbers with a point, all there
        (["q1 1 d1 1", "q1 1 d2 0", "q1 2 d1 0", "q1 2 d2 1"], False),  # every document judged for every subtopic
        (["jazz a x1 1", "jazz a x2 0", "jazz b x1 1", "jazz b x2 1"], False),
        (["31 0 d1 0.5", "31 0 d2 1", "32 0 d1 1", "32 0 d2 0"], False),  # judgments with shares as labels
        (["31 1 d1 1", "31 2 d1 1", "32 1 d1 0", "32 2 d1 1"], False),  # judgments by subtopic
        (["31 0 d1 0.5", "31 0 d2 1", "32 0 d3 1", "32 0 d4 0"], False),
        (["31 1 d1 0.5", "31 2 d2 1", "32 1 d3 1", "32 3 d4 0"], False),
        (["q1 1 d1 1", "q1 1 d2 0"], False),
        (["q1 a d1 1", "q1 b d1 0"], False),  # two rows of whole numbers tell nothing
    ],
)
def test_what_may_be_a_leaderboard(lines_: list[str], asks: bool) -> None:
    """Guards judgments beside leaderboards without rows of all topics: they are not asked what their columns hold."""
    data = "".join(f"{line}\n" for line in lines_).encode()
    with pytest.raises(InputError, match="leaderboard") if asks else nullcontext():
        refuse_unnamed(data, "a.txt")


def test_a_large_leaderboard_is_known_by_its_beginning(tmp_path: Path) -> None:
    """Also where what is looked at ends within a line."""
    rows = product(
        (f"run-{at}" for at in range(60)), [*map(str, range(60)), "all"], (f"MEASURE-{at}" for at in range(12))
    )
    path = saved(tmp_path, "board.txt", "".join(f"{a}\t{b}\t{c}\t0.123456\n" for a, b, c in rows).encode())
    assert path.stat().st_size > 1 << 20
    found = log_format_of(path)
    assert found is not None
    assert found.name == "autojudge"


def test_leaderboard_with_a_second_value(tmp_path: Path) -> None:
    """One run, topic and measure have one value."""
    text = "".join(f"{a} {b} {c} {d}\n" for a, b, c, d in [*LEADERS, LEADERS[0]]).encode()
    with pytest.raises(InputError, match=r"board\.txt:13: a second value of run-a 31 NUGGET; the first is on line 1"):
        read_log(saved(tmp_path, "board.txt", text))


def test_nugget_banks(tmp_path: Path) -> None:
    """Banks of every version hold nuggets to be found, without a value."""
    v3 = {"query_id": "q1", "format_version": "v3", "nugget_bank": {
        "who?": {"question": "who?", "importance": "vital", "sub_nuggets": [{"question": "where?"}]}},
        "claim_bank": {"c": {"claim": "it is so"}}}  # fmt: skip
    v4 = {
        "query": "x",
        "qid": "q1",
        "nuggets": [{"text": "one", "importance": "vital"}, {"text": "two", "importance": "okay"}],
    }
    later = {"metadata": {"topic_id": "q1", "run_id": "r"}, "nugget_bank": [{"question": "who?", "answers": []}]}
    for bank, found in ((v3, ["who?", "where?", "it is so"]), (v4, ["one", "two"]), (later, ["who?"])):
        for name, data in (("a.jsonl", lines([bank])), ("a.json", json.dumps(bank, indent=1).encode())):
            log = read_log(saved(tmp_path, name, data))
            assert [row.item for row in log.rows] == found
            assert {(row.topic, row.status) for row in log.rows} == {("q1", "not assigned")}


def test_lm_evaluation_harness(tmp_path: Path) -> None:
    """Documents are topics; filters have scores of their own; metrics of a whole task are left out and told."""
    rows = [
        {"doc_id": doc, "doc": {"q": "?", "subject": f"s{doc % 2}"}, "target": "1", "arguments": [], "resps": [["1"]],
         "filtered_resps": ["1"], "filter": filtered, "metrics": ["exact_match", "f1"],
         "exact_match": float(doc == 0), "f1": [1, 0], "doc_hash": f"h{doc}"}
        for doc in range(3) for filtered in ("none", "strict-match")
    ]  # fmt: skip
    path = saved(tmp_path, "org__model/samples_gsm8k_2026-01-01T00-00-00.123.jsonl", lines(rows))
    log = read_log(path)
    assert table(log, "exact_match") == {("", f"gsm8k/{doc}", 1): float(doc == 0) for doc in range(3)}
    assert set(table(log, "exact_match,strict-match").values()) == {0.0, 1.0}
    assert log.names["folder"] == "org/model"
    assert log.clusters["doc.subject"] == {"gsm8k/0": "s0", "gsm8k/1": "s1", "gsm8k/2": "s0"}
    assert log.notes == ["f1: of the whole task, not of a document, and not read"]


def test_a_time_is_no_name(tmp_path: Path) -> None:
    """Two logs of one system that only their times tell apart are refused; folders may name them."""
    places = ("before/weak.json", "after/weak.json", "after/weak.json.gz")
    for day, place in enumerate(places, 1):
        head = inspect_header("weak")
        head["eval"] |= {"created": f"2026-01-0{day}T00:00:00+00:00"}
        content = {**head, "samples": [inspect_sample("a", 1, "C", 0.5)]}
        (tmp_path / place).parent.mkdir(exist_ok=True)
        raw = json.dumps(content).encode()
        (tmp_path / place).write_bytes(gzip.compress(raw) if place.endswith(".gz") else raw)
    with pytest.raises(InputError, match=r"2 files give the same name to their system .*file: weak"):
        read_items([tmp_path / place for place in places[1:]])
    assert set(read_items([tmp_path / place for place in places[:2]]).systems) == {"before", "after"}


def test_mteb(tmp_path: Path) -> None:
    """Splits and subsets of a task are topics; experiments whose mean is the value are replicates."""
    part = {"main_score": 0.5, "accuracy": 0.5, "hf_subset": "default", "languages": ["eng-Latn"],
            "scores_per_experiment": [{"accuracy": 0.4}, {"accuracy": 0.6}]}  # fmt: skip
    other = {"main_score": 0.75, "accuracy": 0.75, "hf_subset": "de", "languages": []}
    whole = {"dataset_revision": "r", "task_name": "Mill", "mteb_version": "2.1.0", "scores": {"test": [part, other]}}
    for model in ("org__one", "org__two"):
        saved(tmp_path, f"{model}/abc/Mill.json", whole)
    log = read_log(tmp_path / "org__one" / "abc" / "Mill.json")
    assert {row.system for row in log.rows} == {"org/one"}
    assert table(log, "main_score") == {("org/one", "Mill/test", 1): 0.5, ("org/one", "Mill/test/de", 1): 0.75}
    assert table(log, "accuracy") == {
        ("org/one", "Mill/test", 1): 0.4, ("org/one", "Mill/test", 2): 0.6, ("org/one", "Mill/test/de", 1): 0.75,
    }  # fmt: skip
    items = read_items([tmp_path / model / "abc" / "Mill.json" for model in ("org__one", "org__two")])
    assert items.systems == ("org/one", "org/two")
    meta = saved(tmp_path, "org__one/abc/model_meta.json", {"name": "org/one", "revision": "abc", "n_parameters": 7})
    with pytest.warns(UserWarning, match=r"^1 file of MTEB \(.*model_meta\.json\) is left out: it describes a model"):
        beside = read_items([meta, *(tmp_path / model / "abc" / "Mill.json" for model in ("org__one", "org__two"))])
    assert beside.systems == items.systems
    with pytest.raises(InputError, match="no column 'topic'"):
        read_items([meta])


def test_beir(tmp_path: Path) -> None:
    """Means over queries: one value a measure, and told that the run is needed."""
    log = read_log(saved(tmp_path, "bm25.json", {"ndcg": {"NDCG@1": 0.5, "NDCG@10": 0.25}, "map": {"MAP@10": 0.125}}))
    assert {row.score: row.value for row in log.rows} == {"NDCG@1": 0.5, "NDCG@10": 0.25, "MAP@10": 0.125}
    assert "save_runfile" in log.notes[0]


def test_rows_of_all_topics_are_no_topic(tmp_path: Path) -> None:
    """Scores by topic with their means, as `truegain eval -q` writes them: a mean is none of the values."""
    rows = [{"system": s, "topic": t, "measure": "P@5", "value": v} for s, t, v in (
        ("a", "1", 0.5), ("a", "2", 1.0), ("a", "all", 0.75), ("b", "1", 0.0), ("b", "2", 0.5), ("b", "all", 0.3),
    )]  # fmt: skip
    items = read_items(saved(tmp_path, "scores.csv", as_csv(rows)))
    assert items.topics == ("1", "2")
    assert items.check_means() == ("P@5 of b: the tool printed 0.3000, the mean of its values is 0.2500 over 2 topics",)


def test_a_leaderboard_that_was_said_to_be_one(tmp_path: Path) -> None:
    """Guards `--columns run,topic,measure,value`: one bad cell, and the file was none; and an order that is another."""
    rows = [f"{r} {t} N 0.{t}" for r in ("a", "b") for t in range(1, 4)]
    bad = saved(tmp_path, "bad.txt", "\n".join([*rows, "b 9 N x.y"]).encode() + b"\n")
    with (
        read_with(FileOptions(columns="run,topic,measure,value")),
        pytest.raises(InputError, match=r"bad\.txt, row 7: the value of"),
    ):
        read_items(bad)
    board = saved(tmp_path, "board.txt", "\n".join([*rows, "a all N 0.2", "b all N 0.2"]).encode() + b"\n")
    wrong = read_with(FileOptions(columns="topic,run,measure,value"))
    with (
        wrong,
        pytest.raises(InputError, match="column 2 holds the topics, as its rows of 'all' show, not column 1"),
    ):
        read_items(board)


# ---- What is no log.

OURS = {
    "a.qrels": b"31 0 d1 1\n31 0 all 0\n32 0 d3 2\n",
    "one.qrels": b"31 Q0 all 1\n",
    "a.run": b"31 Q0 d1 1 12.5 bm25\n31 Q0 d2 2 11.5 bm25\n",
    "three.qrels": b"31 d1 1\n31 d2 0\n",
    "trec_eval_means.txt": b"map\tall\t0.5\nP_10\tall\t0.5\n",
    "ratings.csv": b"topic,doc,label,assessor\n31,d1,1,ann\n",
    "scores.csv": b"system,topic,measure,value\nbm25,31,nDCG@10,0.5\nbm25,all,nDCG@10,0.5\n",
    "prefs.csv": b"topic,a,b,winner,judge\n31,x,y,a,ann\n",
    "answers.csv": b"system,topic,faithfulness\nx,31,0.5\n",
    "run.json": b'{"31": {"d1": 1.5, "d2": 0.5}}',
    "qrels.json": b'{"ndcg": {"d1": 1}}',
    "run.jsonl": b'{"topic": "31", "doc": "d1", "score": 1.5}\n',
    "topics.jsonl": b'{"qid": "31", "query": "what?"}\n',
    "studio.json": b'[{"id": 1, "data": {"topic": "31", "doc": "d"}, "annotations": []}]',
    "prodigy.jsonl": b'{"text": "x", "meta": {"topic": "31", "doc": "d"}, "answer": "accept", "_session_id": "a"}\n',
    "results.json": b'{"kind": "verdict", "results": {"a": 1}}',
    "empty": b"",
    "zip.zip": b"PK\x03\x04" + b"\0" * 22 + (5).to_bytes(2, "little") + b"\0\0" + b"a.txt",
    "data.parquet": b"PAR1\0\0\0\0",
}


def test_our_own_files_are_no_logs() -> None:
    """Judgments, runs, ratings, scores and exports are nobody's log."""
    wrong = {name: found.name for name, data in OURS.items() if (found := log_format(data, name)) is not None}
    assert not wrong


def test_readers_refuse_what_is_no_log(tmp_path: Path) -> None:
    """The refusal lists what is read."""
    with pytest.raises(InputError, match=r"a\.qrels: this is not a log of a tool that is known .*inspect_ai"):
        read_log(saved(tmp_path, "a.qrels", OURS["a.qrels"]))
    assert set(LOGS) >= {"inspect_ai", "deepeval", "ragas", "promptfoo", "phoenix", "mlflow", "nuggetizer", "autojudge"}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), json_values, max_size=5))
def test_keys_of_the_first_object(record: dict[str, Any]) -> None:
    """The keys that are seen without reading values are those of the object, in a list and alone."""
    text = json.dumps(record).encode()
    assert opening(text).keys == tuple(record)
    assert opening(b"[" + text + b", " + text + b"]").keys == tuple(record)
    assert opening(text + b"\n" + text + b"\n").keys == tuple(record)


def test_a_long_text_is_not_taken_for_keys() -> None:
    """What stands in a text is none of the keys, also where the text is longer than what is looked at."""
    text = json.dumps({"topic": 1, "text": '{"evalId": 1, "results": 2}, ' * 9000, "results": 1}).encode()
    assert opening(text).keys == ("topic", "text")
    assert log_format(text, "x.json") is None


def test_broken_records_name_their_line(tmp_path: Path) -> None:
    """A line that was cut is refused where it stands."""
    whole = lines(ragas_rows())
    with pytest.raises(InputError, match=r"a\.jsonl:3: not an object of JSON"):
        read_log(saved(tmp_path, "a.jsonl", whole[: len(whole) - 20]))
    with pytest.raises(InputError, match=r"b\.csv:2: 1 fields where the header has 6"):
        read_log(saved(tmp_path, "b.csv", as_csv(ragas_rows()).split(b"\n")[0] + b"\nx\n"))


def test_direction_does_not_depend_on_the_order_of_files(tmp_path: Path) -> None:
    """Guards the sign of a score: a file whose values are all at the threshold says nothing of it."""

    def run(name: str, scores: list[float], below: bool) -> Path:
        cases = [
            {"name": q, "input": q, "metricsData": [
                {"name": "tox", "score": x, "threshold": 0.5, "success": x == 0.5 or (x < 0.5) == below}]}
            for q, x in zip(QUESTIONS, scores, strict=False)
        ]  # fmt: skip
        return saved(tmp_path, name, {"testCases": cases, "testPassed": 1})

    silent, less, more = (
        run("a.json", [0.5, 0.5], True),
        run("b.json", [0.2, 0.9], True),
        run("c.json", [0.2, 2], False),
    )
    for files in ([silent, less], [less, silent]):
        assert read_items(files).scales["tox"] == ScoreRange(0.0, 1.0, True)
    assert read_items([silent, more]).scales["tox"] == ScoreRange(-math.inf, math.inf, False)
    with pytest.raises(InputError, match=r"tox: less is better here, and more in another file.*read them apart"):
        read_items([less, more])


def test_judges_without_a_name_are_models_still(tmp_path: Path) -> None:
    """Guards "which no person has checked": nuggetizer, AutoJudge, and ragas but for its rules; errors count less."""
    assert read_items(saved(tmp_path, "n.jsonl", lines(nuggetizer_answers()))).models == {"an unnamed LLM"}
    board = "\n".join(f"{run} {topic} m 0.5" for run in "ab" for topic in ("q1", "q2", "all"))
    assert read_items(saved(tmp_path, "board.txt", board.encode())).models == {"an unnamed LLM"}
    rows = [
        {"user_input": q, "response": "r", "my_rubric": 0.5, "rouge_score(mode=fmeasure)": 0.2,
         "noise_sensitivity(mode=relevant)": 0.1}
        for q in QUESTIONS
    ]  # fmt: skip
    items = read_items(saved(tmp_path, "r.jsonl", lines(rows)))
    judges = dict(zip(items.score.strings(), items.judge.strings(), strict=True))
    assert [bool(judges[name]) for name in items.scores] == [True, False, True]
    assert [bool(items.scales[name].lower_is_better) for name in items.scores] == [False, False, True]
    docs = [{"doc_id": n, "resps": [], "filtered_resps": [], "brier_score": 0.1, "acc": 1.0} for n in range(3)]
    scales = read_items(saved(tmp_path, "samples_t_2026-01-01T00.jsonl", lines(docs))).scales
    assert {name: scale.lower_is_better for name, scale in scales.items()} == {"brier_score": True}


def test_promptfoo_configurations_of_one_provider_are_systems(tmp_path: Path) -> None:
    """Guards providers that differ in their configuration alone: two systems, not repeats of one."""
    rows = [
        promptfoo_result(q, n, "same", {"good": value}, promptIdx=at) | {"provider": {"id": "x:same"}}
        for n, q in enumerate(QUESTIONS)
        for at, value in ((1, 1.0), (0, 0.0))
    ]
    log = read_log(saved(tmp_path, "a.jsonl", lines(rows)))
    assert {(row.system, row.value) for row in log.rows if row.score == "good"} == {
        ("x:same (1)", 0.0), ("x:same (2)", 1.0),
    }  # fmt: skip
    assert {row.replicate for row in log.rows} == {1}
