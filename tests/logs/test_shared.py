"""Logs that the tools themselves wrote: every value is the file's, and every mean the tool's."""

from __future__ import annotations

import ast
import csv
import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.logs.made import mean_of
from truegain.data.item_reading import read_items
from truegain.io.logs.catalogue import log_format_of, read_log
from truegain.io.logs.log import OK, Log, Row

from .made import zip_module


@pytest.fixture
def logs(shared_data: Path) -> Path:
    """The folder of logs."""
    if not (shared_data / "logs").is_dir():
        pytest.skip("the logs of tools (../shared/data/logs) are not beside this checkout")
    return shared_data / "logs"


def values(log: Log) -> dict[tuple[str, str, str, int], float | None]:
    """By system, topic, score and replicate, the value; None where it is missing."""
    made = {(r.system, r.topic, r.score, r.replicate): r.value if r.status == OK else None for r in log.rows}
    assert len(made) == len(log.rows)
    assert all(math.isnan(row.value) == (row.status != OK) for row in log.rows)
    return made


def of_inspect(samples: list[dict[str, Any]]) -> dict[tuple[str, str, str, int], float | None]:
    """The same of inspect_ai, by plain code."""
    grades = {"C": 1.0, "I": 0.0}
    made: dict[tuple[str, str, str, int], float | None] = {}
    for sample in samples:
        for name in ("match", "model_graded_qa", "faith", "relev"):
            scores = sample.get("scores") or {}
            value = (scores.get("rag") or {"value": {}})["value"].get(name) if name in ("faith", "relev") else None
            if name in scores:
                value = grades[scores[name]["value"]]
            made["", sample["id"], name, sample["epoch"]] = None if value is None or math.isnan(value) else value
    return made


@pytest.mark.parametrize("name", ["weak", "strong"])
def test_inspect_eval_and_json(logs: Path, name: str) -> None:
    """Values of both forms, means and the clustered standard error are the tool's."""
    path = logs / "inspect_ai" / f"{name}.eval"
    with zip_module().ZipFile(path) as members:
        head, samples = (json.loads(members.read(f"{part}.json")) for part in ("header", "summaries"))
    log = read_log(path)
    assert log.tool == "inspect_ai 0.3.285"
    assert values(log) == of_inspect(samples)
    whole = json.loads((logs / "inspect_ai" / f"{name}.json").read_text())
    plain = read_log(logs / "inspect_ai" / f"{name}.json")
    assert values(plain) == of_inspect(whole["samples"])
    for one, results in ((log, head["results"]), (plain, whole["results"])):
        printed = {score["name"]: score for score in results["scores"]}
        assert {mean.score for mean in one.means} == set(printed)
        for mean in one.means:
            ours, n = mean_of(one, mean.score)
            assert ours == pytest.approx(mean.mean, abs=1e-12)
            assert n == printed[mean.score]["scored_samples"]
        stderr = printed["faith"]["metrics"]["stderr"]["value"]
        assert clustered_error(one, "faith", "metadata.topic") == pytest.approx(stderr, abs=1e-9)


def clustered_error(log: Log, score: str, column: str) -> float:
    """sqrt(G / (G - 1) sum over clusters of (sum of residuals)^2) / n, after the mean over epochs."""
    by_topic: dict[str, list[float]] = defaultdict(list)
    for row in log.rows:
        if row.score == score and row.status == OK:
            by_topic[row.topic].append(row.value)
    means = {topic: sum(v) / len(v) for topic, v in by_topic.items()}
    middle = sum(means.values()) / len(means)
    residuals: dict[str, float] = defaultdict(float)
    for topic, value in means.items():
        residuals[log.clusters[column][topic]] += value - middle
    groups = len(residuals)
    return math.sqrt(groups / (groups - 1) * sum(r * r for r in residuals.values())) / len(means)


def test_inspect_failed_samples_are_missing(logs: Path) -> None:
    """q07 failed twice in one log: no value, in no score, and never 0."""
    log = read_log(logs / "inspect_ai" / "strong.eval")
    failed = [row for row in log.rows if row.topic == "q07"]
    assert {(row.status, row.replicate) for row in failed} == {("failed", 1), ("failed", 2)}
    assert len(failed) == 8
    assert {row.judge for row in log.rows if row.score == "model_graded_qa"} == {"mockllm/judge"}
    assert {row.judge for row in log.rows if row.score == "match"} == {""}
    items = read_items([logs / "inspect_ai" / "weak.eval", logs / "inspect_ai" / "strong.eval"])
    assert items.systems == ("weak", "strong")
    assert items.missing("faith") == {"strong": {"failed": 2}}
    assert items.check_means() == ()


@pytest.mark.parametrize("name", ["weak", "strong", "latest_test_run"])
def test_deepeval(logs: Path, name: str) -> None:
    """Scores of every test case; a failed judge gives none, though deepeval says success: false."""
    whole = json.loads((logs / "deepeval" / f"{name}.json").read_text())
    run = whole.get("testRunData", whole)
    log = read_log(logs / "deepeval" / f"{name}.json")
    theirs = {("", c["name"], m["name"], 1): m.get("score") for c in run["testCases"] for m in c["metricsData"]}
    assert values(log) == theirs
    assert log.names["identifier"] == run["identifier"]
    assert {row.judge for row in log.rows} == {"fake-judge"}
    for mean, printed in zip(log.means, run["metricsScores"], strict=True):
        ours, n = mean_of(log, printed["metric"])
        assert (mean.score, n) == (printed["metric"], len(printed["scores"]))
        assert ours == pytest.approx(sum(printed["scores"]) / len(printed["scores"]), abs=1e-12)
        assert ours == pytest.approx(mean.mean, abs=1e-12)
        assert bool(mean.reason) == (printed["errors"] > 0)


def test_promptfoo_repeats_are_no_topics(logs: Path) -> None:
    """Six test numbers of three tests: three topics, two replicates; the same from JSON, JSONL and CSV."""
    whole = json.loads((logs / "promptfoo" / "results.json").read_text())
    log = read_log(logs / "promptfoo" / "results.json")
    assert len({r["testIdx"] for r in whole["results"]["results"]}) == 6
    topics = dict.fromkeys(row.topic for row in log.rows)
    assert list(topics) == ["q0: capital of France?", "q1: capital of Italy?", "q2: capital of England?"]
    theirs: dict[tuple[str, str, str, int], float | None] = {}
    for r in sorted(whole["results"]["results"], key=lambda r: int(r["testIdx"])):
        topic = f"{r['testCase']['description']}: {r['vars']['question']}"
        for score, value in {**r["namedScores"], "score": r["score"]}.items():
            again = 1 + ((r["provider"]["label"], topic, score, 1) in theirs)
            theirs[r["provider"]["label"], topic, score, again] = value
    assert values(log) == theirs
    assert values(read_log(logs / "promptfoo" / "results.jsonl")) == theirs
    assert values(read_log(logs / "promptfoo" / "results.csv")) == theirs
    for prompt in whole["results"]["prompts"]:
        metrics = prompt["metrics"]
        for score, total in metrics["namedScores"].items():
            ours, n = mean_of(log, score, prompt["provider"])
            assert ours == pytest.approx(total / metrics["namedScoresCount"][score], abs=1e-12)
            assert n == 3
    assert len(log.means) == 6
    assert read_items(logs / "promptfoo" / "results.json").check_means() == ()
    assert {row.judge for row in log.rows if row.score == "rubric"} == {"openai:chat:fake-judge"}
    assert {row.judge for row in log.rows if row.score == "names_a_town"} == {""}


@pytest.mark.parametrize("name", ["weak", "strong"])
def test_phoenix(logs: Path, name: str) -> None:
    """Scores in objects, which a CSV holds as Python shows them; question 2 failed."""
    csv.field_size_limit(1 << 30)  # of the whole process, where other tests may have left a smaller one
    with (logs / "phoenix" / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    theirs = {
        ("", r["input"], "relevance", 1): ast.literal_eval(r["relevance_score"])["score"]
        if r["relevance_score"]
        else None
        for r in rows
    }
    for ending in ("csv", "jsonl"):
        log = read_log(logs / "phoenix" / f"{name}.{ending}")
        assert values(log) == theirs
        assert [r.topic for r in log.rows if r.status == "failed"] == ["question 2"]
        assert not log.scales["relevance"].lower_is_better


@pytest.mark.parametrize("name", ["weak", "strong"])
def test_mlflow(logs: Path, name: str) -> None:
    """Results and traces of one run give the same; topics are questions, as trace ids differ between systems."""
    rows = json.loads((logs / "mlflow" / f"{name}.json").read_text())
    theirs = {
        ("", r["request"]["question"], score, 1): None if r[f"{score}/value"] is None else float(r[f"{score}/value"])
        for r in rows
        for score in ("correct", "grade")
    }
    for file in (f"{name}.json", f"{name}.traces.json"):
        log = read_log(logs / "mlflow" / file)
        assert values(log) == theirs
        assert [(r.topic, r.score) for r in log.rows if r.status == "failed"] == [("question 3", "correct")]
        assert {row.judge for row in log.rows if row.score == "correct"} == {"fake-judge"}
        assert {row.judge for row in log.rows if row.score == "grade"} == {""}


def test_ragas_all_failed(logs: Path) -> None:
    """A judge that failed everywhere: every value is missing, and the log says so."""
    for ending in ("csv", "jsonl"):
        log = read_log(logs / "ragas" / f"all_failed.{ending}")
        assert values(log) == {
            ("", f"question {at}", s, 1): None for at in range(8) for s in ("faithfulness", "correct")
        }
        assert {row.status for row in log.rows} == {"failed"}
        assert log.notes == ["no faithfulness value could be judged", "no correct value could be judged"]


def test_all_are_known_by_their_beginning(logs: Path) -> None:
    """Every log of the folder is recognized from its first bytes, as the log of the tool that wrote it."""
    files = [path for path in sorted(logs.glob("*/*")) if path.is_file()]
    assert len(files) > 15
    wrong = []
    for path in files:
        found = log_format_of(path)
        if found is None or found.name != path.parent.name:
            wrong.append(path.name)
    assert not wrong


def test_rows_are_plain(logs: Path) -> None:
    """What a reader gives has the types that it says."""
    for path in sorted(logs.glob("*/*")):
        for row in read_log(path).rows:
            assert isinstance(row, Row)
            assert [type(v) for v in row] == [str, str, float, str, str, float, str, int, str, int], (path, row)
