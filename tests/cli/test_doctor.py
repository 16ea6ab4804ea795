"""`truegain doctor` as a user runs it: what files are, commands that run as they stand, what is missing or wrong."""

from __future__ import annotations

import csv
import json
import random
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

import truegain as tg
from tests.logs.made import deepeval_run, inspect_header, inspect_sample, lines, packed, promptfoo_result, saved
from tests.logs.test_readers import LEADERS, as_csv, nuggetizer_answers, ragas_rows
from truegain.preferences.simulated import simulated_votes, votes_as_csv

from .conftest import Run


def inspect_log(system: str, topics: int = 30, *, gain: float = 0.0, other: str = "", lost: int = 0) -> bytes:
    """A log of inspect_ai with two epochs; `other` changes its questions, `lost` samples failed."""
    draw = random.Random(system)
    samples = []
    for epoch in (1, 2):
        for topic in range(topics):
            error = "no answer" if topic < lost else None
            made = inspect_sample(f"q{topic}", epoch, draw.choice("CI"), min(1.0, draw.random() + gain), error)
            samples.append(made | {"input": f"{other}question {topic}", "metadata": {"part": f"p{topic % 6}"}})
    return packed({"header.json": inspect_header(system, results={"scores": []}), "summaries.json": samples})


def retrieval(folder: Path, topics: int = 12) -> None:
    """Runs of three systems, judgments by a cheap judge and by people, ratings, and scores."""
    draw = random.Random(0)
    docs = [f"d{at}" for at in range(20)]
    truth = {str(t): {doc: int(draw.random() < 0.4) for doc in docs} for t in range(topics)}
    cheap = {t: {d: x if draw.random() < 0.8 else 1 - x for d, x in of.items()} for t, of in truth.items()}
    runs = {
        name: {t: {d: noise * draw.random() + of[d] for d in docs} for t, of in truth.items()}
        for name, noise in (("weak", 4.0), ("middle", 2.0), ("strong", 1.0))
    }
    people = {t: {d: x for d, x in of.items() if draw.random() < 0.4} for t, of in truth.items()}
    (folder / "runs").mkdir()
    tg.write_runs(runs, folder / "runs")
    tg.write_judgments(cheap, folder / "llm.qrels")
    tg.write_judgments(people, folder / "people.qrels")
    with (folder / "ratings.csv").open("w", newline="") as file:
        rows = [(t, d, who, x) for t, of in truth.items() for d, x in of.items() for who in ("ann", "bob")]
        csv.writer(file).writerows([("topic", "doc", "assessor", "label"), *rows])
    scores = tg.evaluate(runs, truth, ["P@10", "nDCG@10"])
    scores.frame().write_csv(folder / "scores.csv")


def asked(out: str) -> dict[str, Any]:
    """What JSON says."""
    found = json.loads(out)
    assert set(found) == {"files", "questions", "columns", "suspicious", "usable"}
    for file in found["files"]:
        assert set(file) == {
            "file", "kind", "tool", "systems", "topics", "values", "scores", "judges", "replicates", "missing", "notes",
            "reason",
        }  # fmt: skip
    for question in found["questions"]:
        assert set(question) == {"about", "question", "possible", "command", "lacks", "instead"}
        assert question["possible"] == (question["lacks"] == "")
    return found  # type: ignore[no-any-return]


def commands(found: dict[str, Any]) -> list[list[str]]:
    """The commands that answer, without the page, which takes a second."""
    made = [shlex.split(q["command"])[1:] for q in found["questions"] if q["command"]]
    return [words for words in made if words[0] != "report"]


def test_two_logs_and_people(run: Run, folder: Path) -> None:
    """Every command that doctor gives for two logs and a table of people's values runs as it stands."""
    saved(folder, "old.eval", inspect_log("old"))
    saved(folder, "new.eval", inspect_log("new", gain=0.3, lost=3))
    rows = [{"system": s, "topic": f"q{t}", "faith": (t % 3) / 2} for t in range(3, 25) for s in ("old", "new")]
    saved(folder, "people.csv", as_csv(rows))
    code, out, err = run("doctor", ".", "--format", "json")
    assert (code, err) == (0, "")
    found = asked(out)
    kinds = {
        file["file"]: (file["kind"], file["systems"], file["topics"], file["replicates"]) for file in found["files"]
    }
    assert kinds == {
        "new.eval": ("log", ["new"], 30, 2), "old.eval": ("log", ["old"], 30, 2),
        "people.csv": ("answers", ["old", "new"], 22, 1),
    }  # fmt: skip
    lost = [(m["score"], m["reason"], m["values"]) for m in found["files"][0]["missing"]]
    assert lost == [("match", "failed", 6), ("faith", "failed", 6)]
    made = commands(found)
    assert ["verdict", "new.eval", "old.eval", "--score", "faith"] in made
    assert ["verdict", "new.eval", "old.eval", "--score", "faith", "--cluster", "metadata.part"] in made
    assert ["verdict", "new.eval", "old.eval", "--score", "faith", "--population", "topics,replicates"] in made
    assert made[-1][-4:] == ["--gold", "people.csv", "--design", "random"]
    code, out, err = run(*made[0])
    assert (code, "topics like these 27" in out) == (0, True)
    assert "values are missing (new 6 failed); they are left out, not counted as 0" in err
    assert any("new has no match, faith for 10% of the topics, old for 0%" in note for note in found["suspicious"])
    assert not any("trusted" in q["question"] for q in found["questions"])


CLAIMS = "topic,system,claim,doc,label,assessor,replicate,status,model\n" + "".join(
    f"q{t},{s},{s} says {t},d{t},{(t + r + (s == 'b')) % 3},m,{r},ok,m\n"
    for t in range(6)
    for s in "ab"
    for r in (1, 2)
)


def test_scores_of_whole_systems_are_called_so(run: Run, folder: Path) -> None:
    """Guards the demo's truth.csv, which was taken for judgments whose columns have other names."""
    (folder / "truth.csv").write_text("system,measure,value\na,P@10,0.5\nb,P@10,0.25\na,AP,0.5\n")
    _, out, err = run("doctor", "truth.csv")
    assert err == ""
    assert "truth.csv: mean scores: systems a, b, 3 values, scores P@10, AP\n" in out
    assert (
        "no intervals; if they are the true scores of a simulation, `truegain report` takes them as `truth`, and checks"
        in out
    )
    assert run("doctor", "truth.csv", "--format", "json")[1].count('"mean scores"') == 1
    with pytest.raises(tg.InputError, match="there is no column topic"):  # by topic they are scores
        tg.read_scores(folder / "truth.csv")


def test_judged_claims_are_answers(run: Run, folder: Path) -> None:
    """Guards the table of `judge run --prompt claims`: values of two systems, by the name of their column, too."""
    saved(folder, "cl.csv", CLAIMS.encode())
    found = asked(run("doctor", "cl.csv", "--format", "json")[1])
    (file,) = found["files"]
    assert (file["kind"], file["systems"], file["replicates"], file["notes"]) == ("answers", ["a", "b"], 2, [])
    assert ["verdict", "cl.csv", "--score", "label"] in commands(found)
    assert "error: cl.csv: a table of scores? add --score label" in run("verdict", "cl.csv")[2]
    by_name = run("verdict", "cl.csv", "--score", "label")
    assert by_name[0] == 0
    assert by_name[1] == run("verdict", "cl.csv", "--score", "score")[1].replace("--score score", "--score label")


def test_repeats_are_asked_for_by_the_option_of_the_tool(run: Run, folder: Path) -> None:
    """Guards advice that no tool can follow: inspect_ai has --epochs, ragas none, and MTEB no samples."""
    for system in ("org__one", "org__two"):
        for task in range(4):
            part = {"hf_subset": "default", "languages": [], "main_score": task / 7 + (system == "org__two") / 9}
            whole = {"task_name": f"T{task}", "mteb_version": "2.1.0", "scores": {"test": [part]}}
            saved(folder, f"m/{system}/rev/T{task}.json", whole)
        rows = "".join(f"question {t},an answer,{t / 9}\n" for t in range(8))
        saved(folder, f"r/{system}.csv", f"user_input,response,faithfulness\n{rows}".encode())
    assert "run samples again" not in run("doctor", "m")[1]
    assert "Every answer has one value: run samples again.\n" in run("doctor", "r")[1]


def test_labels_of_answers_are_no_judgments(run: Run, folder: Path) -> None:
    """Guards a table in which the answers of all systems have the id of their question: nothing was labeled twice."""
    rows = "".join(f"q{t},ans{t},{(3 * t + (s == 'new')) % 4},{s}\n" for t in range(9) for s in ("old", "new"))
    saved(folder, "a.csv", f"topic,doc,label,system\n{rows}".encode())
    found = asked(run("doctor", "a.csv", "--format", "json")[1])
    assert [(f["kind"], f["scores"], f["notes"]) for f in found["files"]] == [("answers", ["label"], [])]
    assert ["verdict", "a.csv", "--score", "label"] in commands(found)
    code, out, _ = run("verdict", "a.csv", "--score", "label")
    assert (code, " label, 95% CI" in out) == (0, True), out
    twice = rows.replace("q0,ans0,0,old", "q0,ans0,0,new")
    saved(folder, "b.csv", f"topic,doc,label,system\n{twice}".encode())
    assert asked(run("doctor", "b.csv", "--format", "json")[1])["files"][0]["kind"] == "judgments"


def test_logs_that_hold_nothing_are_called_so(run: Run, folder: Path) -> None:
    """Guards empty files and logs against advice to name runs."""
    saved(folder, "zero.eval", b"")
    saved(folder, "none.json", b'{"testCases": [], "identifier": "x"}')
    for more in ((), ("--score", "x")):
        assert "error: zero.eval: the file is empty" in run("verdict", "zero.eval", *more)[2]
        assert "a log of deepeval that holds no samples" in run("verdict", "none.json", *more)[2]


def test_people_assign_nuggets_of_nuggetizer(run: Run, folder: Path) -> None:
    """Guards what people are asked for where answers are scored nugget by nugget."""
    saved(folder, "a.jsonl", lines(nuggetizer_answers()))
    assert (
        "have people assign a random sample of the nuggets, in a table of system, topic, item"
        in run("doctor", "a.jsonl")[1]
    )


def test_runs_judgments_ratings_and_scores(run: Run, folder: Path) -> None:
    """The same of runs with a cheap judge, people's labels, ratings and scores."""
    retrieval(folder)
    code, out, _ = run("doctor", ".", "--format", "json")
    found = asked(out)
    assert code == 0
    kinds = {file["file"]: file["kind"] for file in found["files"]}
    assert kinds == {
        "llm.qrels": "judgments", "people.qrels": "judgments", "ratings.csv": "ratings", "scores.csv": "scores",
        **{f"runs/{name}.run": "run" for name in ("weak", "middle", "strong")},
    }  # fmt: skip
    made = commands(found)
    assert ["judge", "check", "llm.qrels", "--gold", "people.qrels", "--design", "random"] in made
    assert ["verdict", "ratings.csv", "runs", "--aggregate", "mean"] in made
    assert ["compare", "scores.csv", "--score", "P@10"] in made
    assert run("compare", "scores.csv", "--score", "P@10")[0] == 0
    code, out, _ = run("doctor", "llm.qrels", "runs/weak.run", "--format", "json")
    (single,) = commands(asked(out))
    assert single[:3] == ["eval", "llm.qrels", "runs/weak.run"]
    assert run(*single)[0] == 0
    assert "one system only (weak)" in out


@pytest.mark.slow
def test_every_command_of_logs_runs(run: Run, folder: Path) -> None:
    """All that doctor gives for logs of several tools, of one file and of two, with people's values and without."""
    saved(folder, "i/old.eval", inspect_log("old"))
    saved(folder, "i/new.eval", inspect_log("new", gain=0.3))
    rows = [{"system": s, "topic": f"q{t}", "faith": (t % 3) / 2} for t in range(3, 25) for s in ("old", "new")]
    saved(folder, "i/people.csv", as_csv(rows))
    draw = random.Random(1)
    answered = [
        promptfoo_result(f"question {at // 2}", at, system, {"good": draw.random()})
        for at in range(20) for system in ("old", "new")
    ]  # fmt: skip
    saved(folder, "p/results.jsonl", lines(answered))
    board = [(r, str(t), m, draw.random()) for r in ("a", "b") for t in range(9) for m in ("N", "F")]
    board += [(r, "all", m, 0.5) for r in ("a", "b") for m in ("N", "F")]
    saved(folder, "t/board.txt", "".join("\t".join(map(str, row)) + "\n" for row in board).encode())
    for seed, name in enumerate(("old", "new")):
        saved(folder, f"n/{name}.jsonl", lines(nuggetizer_answers(seed)))
        for task in range(6):
            part = {"hf_subset": "default", "languages": [], "main_score": draw.random()}
            whole = {"task_name": f"T{task}", "mteb_version": "2.1.0", "scores": {"test": [part]}}
            saved(folder, f"m/org__{name}/rev/T{task}.json", whole)
    code, out, _ = run("doctor", ".", "--format", "json")
    found = asked(out)
    assert code == 0
    assert {file["tool"].split()[0] for file in found["files"] if file["kind"] == "log"} == {
        "inspect_ai", "promptfoo", "TREC", "nuggetizer", "mteb",
    }  # fmt: skip
    made = commands(found)
    assert len(made) > 10
    for words in made:
        code, _, err = run(*words)
        assert code == 0, (words, err)


@pytest.mark.slow
def test_every_command_of_runs_runs(run: Run, folder: Path) -> None:
    """All that doctor gives for runs, judgments, ratings and scores."""
    retrieval(folder)
    _, out, _ = run("doctor", ".", "--format", "json")
    made = commands(asked(out))
    assert {words[0] for words in made} == {"verdict", "unjudged", "judge", "agree", "compare", "settle"}
    for words in made:
        assert run(*words)[0] == 0, words


@pytest.mark.slow
def test_pages_are_written(run: Run, folder: Path) -> None:
    """The command for a page runs as well."""
    retrieval(folder)
    saved(folder, "old.eval", inspect_log("old"))
    saved(folder, "new.eval", inspect_log("new"))
    _, out, _ = run("doctor", ".", "--format", "json")
    pages = [
        shlex.split(q["command"])[1:] for q in asked(out)["questions"] if q["command"].startswith("truegain report")
    ]
    assert len(pages) == 3
    for words in pages:
        assert run(*words)[0] == 0, words
        assert (folder / "report.html").stat().st_size > 10_000


def test_what_looks_wrong(run: Run, folder: Path) -> None:
    """Copies, other topics, other questions, values that never differ, and those that all failed."""
    saved(folder, "a/old.eval", inspect_log("old"))
    saved(folder, "a/new.eval", inspect_log("new", 20))
    saved(folder, "b/old.eval", inspect_log("old"))
    saved(folder, "b/new.eval", inspect_log("new", other="another "))
    saved(folder, "c/one.json", deepeval_run("one", {"F": [1.0, 1.0, 1.0], "G": [None, None, None]}))
    saved(folder, "c/two.json", deepeval_run("two", {"F": [1.0, 1.0, 1.0], "G": [None, None, None]}))
    saved(folder, "d/one.json", deepeval_run("one", {"F": [0.5, 1.0, 0.0]}))
    saved(folder, "d/latest.json", {"testRunData": deepeval_run("one", {"F": [0.5, 1.0, 0.0]})})
    code, out, _ = run("doctor", ".")
    assert code == 0
    wrong = out.partition("What looks wrong\n")[2]
    assert "a/new.eval and a/old.eval have 20 topics in common, of 20 and 30." in wrong
    assert "b/new.eval and b/old.eval use the same topic names for different questions." in wrong
    assert "every answer has F 1." in wrong
    assert "every value of G is missing." in wrong
    assert "d/latest.json has the same values as d/one.json: it is left out." in wrong
    assert "Not yet: Which system is better? One system only (one)" in out
    assert "Not yet: How much do values change if the evaluation is repeated?" in out


def test_two_logs_that_give_one_name(run: Run, folder: Path) -> None:
    """Logs that nothing tells apart are refused with what they say, not mixed up."""
    for name, seed in (("a", "one"), ("b", "two")):
        saved(folder, f"{name}/x.csv", as_csv([row | {"faithfulness": len(seed + name) / 10} for row in ragas_rows()]))
    _, out, _ = run("doctor", "a/x.csv", "b/x.csv")
    assert "One system only (x)" in out
    assert "b/x.csv: 2 files give the same name to their system (file: x) (give each system one log, or" in out


@pytest.mark.parametrize("named", [("logs",), ("logs/prod/1.eval", "logs/new/2.eval")])
def test_logs_in_a_folder_a_system(run: Run, folder: Path, named: tuple[str, ...]) -> None:
    """Guards logs that a tool writes to a folder a system: they were told as one system each, and never compared."""
    for name, of in (("1", "prod"), ("2", "new")):
        saved(folder, f"logs/{of}/{name}.eval", inspect_log(of))
    made = commands(asked(run("doctor", *named, "--format", "json")[1]))
    paths = sorted(["logs/prod/1.eval", "logs/new/2.eval"], reverse=len(named) > 1)
    assert ["verdict", *paths, "--score", "faith"] in made
    assert run(*made[0])[0] == 0


def test_tasks_in_a_folder_a_model(run: Run, folder: Path) -> None:
    """Guards lm-evaluation-harness: of two models with two tasks each, those of one task are compared."""
    draw = random.Random(4)
    for model, task in ((m, t) for m in ("org__a", "org__b") for t in ("math", "law")):
        rows = [
            {"doc_id": at, "doc": {"q": at}, "filtered_resps": ["x"], "filter": "none", "metrics": ["acc"],
             "acc": float(draw.random() < 0.5)}
            for at in range(30)
        ]  # fmt: skip
        saved(folder, f"out/{model}/samples_{task}_2026-01-01T00-00-00.jsonl", lines(rows))
    made = commands(asked(run("doctor", "out", "--format", "json")[1]))
    for task in ("math", "law"):
        paths = [f"out/{model}/samples_{task}_2026-01-01T00-00-00.jsonl" for model in ("org__a", "org__b")]
        assert ["verdict", *paths, "--score", "acc"] in made


def test_a_baseline_in_a_folder_of_its_own(run: Run, folder: Path) -> None:
    """Guards a log beside a folder of several: it joins them, in the order of the files, if it has their samples."""
    saved(folder, "base/prod.eval", inspect_log("prod"))
    saved(folder, "new/a.eval", inspect_log("a"))
    saved(folder, "new/b.eval", inspect_log("b"))
    saved(folder, "other/c.eval", inspect_log("c", 90))
    made = commands(asked(run("doctor", ".", "--format", "json")[1]))
    assert {tuple(words[1:4]) for words in made} == {("base/prod.eval", "new/a.eval", "new/b.eval")}


def test_logs_of_other_samples(run: Run, folder: Path) -> None:
    """Logs without a common question answer nothing, and doctor gives no command that would be refused."""
    rows = ragas_rows()
    saved(folder, "old.csv", as_csv(rows))
    saved(folder, "new.csv", as_csv([row | {"user_input": row["user_input"].replace("?", " now?")} for row in rows]))
    _, out, _ = run("doctor", "old.csv", "new.csv", "--format", "json")
    found = asked(out)
    assert commands(found) == []
    assert "all systems have a" in found["questions"][0]["lacks"]
    assert found["suspicious"][-1] == "old.csv and new.csv have 0 topics in common, of 3 and 3"


def test_a_leaderboard_whose_columns_are_said(run: Run, folder: Path) -> None:
    """Guards leaderboards without rows of all topics: a run was taken for a topic, and --columns was refused."""
    rows = [(r, t, m, x) for r, t, m, x in LEADERS if t != "all"] + [("run-a", "33", "NUGGET", 0.25)]
    saved(folder, "board.txt", "".join("\t".join(map(str, row)) + "\n" for row in rows).encode())
    saved(folder, "a.qrels", b"31 0 d1 1\n31 0 d2 0\n")
    _, out, _ = run("doctor", ".")
    orders = "other orders in use are run,measure,topic,value and topic,run,measure,value"
    said = f"--columns run,topic,measure,value; {orders}"
    assert (
        f"board.txt: not read: a leaderboard? no row of the topic 'all' tells which column holds the topics (name \
the columns in their order: {said})"
        in out
    )
    for command in (("verdict", "board.txt"), ("eval", "board.txt"), ("compare", "board.txt", "--score", "NUGGET")):
        code, _, err = run(*command)
        assert (code, "board.txt: a leaderboard? no row of the topic 'all' tells which column" in err, said in err) == (
            2, True, True,
        ), err  # fmt: skip
    columns = ("--columns", "run,topic,measure,value")
    found = asked(run("doctor", ".", *columns, "--format", "json")[1])
    assert [(file["file"], file["kind"]) for file in found["files"]] == [("a.qrels", "judgments"), ("board.txt", "log")]
    board = found["files"][1]
    assert (board["systems"], board["topics"], board["scores"]) == (["run-a", "run-b"], 3, ["NUGGET", "FLUENT"])
    code, out, _ = run("eval", "board.txt", *columns)
    assert (code, [line.split() for line in out.splitlines()[:2]]) == (
        0, [["system", "NUGGET", "FLUENT"], ["run-a", "0.2500", "0.3750"]],
    )  # fmt: skip
    code, _, err = run("verdict", "board.txt", *columns)
    assert (code, "which score of board.txt? There are NUGGET, FLUENT" in err) == (2, True), err


def test_ids_that_do_not_match(run: Run, folder: Path) -> None:
    """Judgments of other documents are told as such."""
    saved(folder, "a.qrels", b"1 0 D-1 1\n1 0 D-2 0\n")
    saved(folder, "a.run", b"1 Q0 d1 1 2.0 x\n1 Q0 d2 2 1.0 x\n")
    saved(folder, "b.run", b"1 Q0 d1 1 2.0 y\n1 Q0 d2 2 1.0 y\n")
    code, out, _ = run("doctor", "a.qrels", "a.run", "b.run")
    assert code == 0
    assert "Not yet: Is b better than a? a.qrels: no document of the runs is judged; do the ids differ?" in out


def test_other_kinds(run: Run, folder: Path) -> None:
    """Preferences, nugget banks, leaderboards, texts, study files; what is none of these says why."""
    saved(folder, "prefs.csv", b"topic,a,b,winner,judge\n1,x,y,a,ann\n2,x,y,b,ann\n")
    saved(folder, "bank.jsonl", lines([{"query": "?", "qid": "1", "nuggets": [{"text": "n", "importance": "vital"}]}]))
    saved(folder, "board.txt", "".join("\t".join(map(str, row)) + "\n" for row in LEADERS).encode())
    saved(folder, "topics.jsonl", lines([{"id": "1", "text": "what?"}]))
    saved(folder, "queries.tsv", b"1\twhat is it?\n")
    saved(folder, "study.toml", b'judgments = "a.qrels"\n')
    saved(folder, "run.json", {"1": {"d1": 1.5, "d2": 0.25}})
    saved(folder, "qrels.json", {"1": {"d1": 1, "d2": 0}})
    saved(folder, "bad.csv", b"one,two\nx,y\n")
    saved(folder, "README.md", b"# not data\n")
    _, out, _ = run("doctor", ".", "--format", "json")
    found = asked(out)
    kinds = {file["file"]: file["kind"] for file in found["files"]}
    assert kinds == {
        "prefs.csv": "preferences", "bank.jsonl": "nugget bank", "board.txt": "log", "topics.jsonl": "texts",
        "queries.tsv": "texts", "study.toml": "study file", "run.json": "run", "qrels.json": "judgments",
        "bad.csv": "unknown",
    }  # fmt: skip
    board = next(file for file in found["files"] if file["file"] == "board.txt")
    assert (board["systems"], board["scores"], board["topics"]) == (["run-a", "run-b"], ["NUGGET", "FLUENT"], 2)
    bad = next(file for file in found["files"] if file["file"] == "bad.csv")
    assert "there is no column 'topic'" in bad["reason"]


def test_nothing_can_be_read(run: Run, folder: Path) -> None:
    """Exit code 2, and why, for people and for scripts."""
    saved(folder, "a.bin", b"\0\1\2\3")
    saved(folder, "b.eval", packed({"header.json": {}})[:60])
    code, out, _ = run("doctor", ".")
    assert code == 2
    assert "a.bin: not read: " in out
    code, out, _ = run("doctor", ".", "--format", "json")
    assert (code, asked(out)["usable"]) == (2, False)
    code, _, err = run("doctor", "nowhere.csv")
    assert code == 2
    code, _, err = run("doctor", "-")
    assert (code, "standard input cannot be examined" in err) == (2, True)


def test_systems_that_differ_alike_on_every_topic(run: Run, folder: Path) -> None:
    """Guards commands of doctor: the usual test is refused without residual variance, so another one is suggested."""
    answered = [
        promptfoo_result(f"question {at}", at, system, {"good": float(system == "new")})
        for at in range(6) for system in ("old", "new")
    ]  # fmt: skip
    saved(folder, "results.jsonl", lines(answered))
    rows = [f"{s},q{t},{x}" for s, x in (("old", 0.25), ("new", 0.75)) for t in range(6)]
    (folder / "scores.csv").write_text("\n".join(["system,topic,P@5", *rows]))
    code, _, err = run("compare", "results.jsonl", "--score", "good")
    assert (code, "use the randomized Tukey test (--test randomized-tukey-hsd)" in err) == (2, True)
    made = [words for words in commands(asked(run("doctor", ".", "--format", "json")[1])) if words[0] == "compare"]
    assert [(words[1], words[-2:]) for words in made] == [
        (file, ["--test", "randomized-tukey-hsd"]) for file in ("results.jsonl", "scores.csv")
    ]
    for words in made:
        assert run(*words)[0] == 0, words


def test_values_that_came_once_for_most_answers(run: Run, folder: Path) -> None:
    """Guards repeats: doctor has the command that shows their share, or says why it is refused."""
    rows = [f"{s},q{t},{e},{(t * e + len(s)) % 5 / 4}" for s in ("a", "bb") for t in range(9) for e in (1, 2)]
    (folder / "all.csv").write_text("\n".join(["system,topic,epoch,faith", *rows]))
    (folder / "few.csv").write_text(
        "\n".join(["system,topic,epoch,faith", *(r for r in rows if ",2," not in r), rows[1]])
    )
    command = ["verdict", "all.csv", "--score", "faith", "--population", "topics,replicates"]
    assert command in commands(asked(run("doctor", "all.csv", "--format", "json")[1]))
    code, out, _ = run(*command)
    assert (code, "replicates " in out) == (0, True)
    told = "if the evaluation is repeated? --population names replicates, and 17 of 18 answers have one value"
    assert told in run("doctor", "few.csv")[1]


def test_tables_of_scores_and_people(run: Run, folder: Path) -> None:
    """Guards tables of one system each: they are compared, and a table of some of their answers is gold."""
    draw = random.Random(3)
    values = {name: [round(draw.random(), 2) for _ in range(30)] for name in ("prod", "new")}
    for name, of in values.items():
        rows = [f"q{t},{x},gpt-4o" for t, x in enumerate(of)]
        (folder / f"{name}.csv").write_text("\n".join(["question_id,faith,judge_model", *rows]))
    rows = [f"q{t},{name},{x}" for name, of in values.items() for t, x in enumerate(of) if t % 2]
    (folder / "people.csv").write_text("\n".join(["question_id,system,faith", *rows]))
    found = asked(run("doctor", "prod.csv", "new.csv", "people.csv", "--format", "json")[1])
    made = commands(found)
    assert ["verdict", "prod.csv", "new.csv", "--score", "faith"] in made
    assert [*made[0], "--gold", "people.csv", "--design", "random"] in made
    assert not any("one system only" in q["lacks"] for q in found["questions"])
    for command in made:
        assert run(*command)[0] in (0, 1)


def test_few_topics_and_words_for_values(run: Run, folder: Path) -> None:
    """Guards tables that a study refuses, and columns of scores with words among the numbers."""
    for name in ("a", "b"):
        (folder / f"{name}.csv").write_text("topic,faith\nq1,0.5\nq2,0.25\n")
    (lacks,) = [
        q["lacks"]
        for q in asked(run("doctor", "a.csv", "b.csv", "--format", "json")[1])["questions"]
        if "better" in q["question"]
    ]
    assert "give 3 or more" in lacks
    (folder / "na.csv").write_text("question,faith\nwhat is a,0.5\nwhat is b,n/a\nwhat is c,0.7\n")
    (folder / "queries.csv").write_text("id,question\n1,what is a\n2,no\n")
    kinds = {
        file["file"]: file["kind"]
        for file in asked(run("doctor", "na.csv", "queries.csv", "--format", "json")[1])["files"]
    }
    assert kinds == {"na.csv": "answers", "queries.csv": "texts"}


def test_preferences_that_nothing_connects(run: Run, tmp_path: Path) -> None:
    """Guards what is offered: no command that is refused, but what is missing; and who voted, by any column."""
    rows = "".join(f"q{t},{'r,s' if t % 2 else 'p,q'},{'ab'[t % 3 == 0]},gpt-x\n" for t in range(30))
    (tmp_path / "prefs.csv").write_text(f"topic,a,b,winner,model\n{rows}")
    code, out, _ = run("doctor", "prefs.csv")
    assert code == 0
    assert "30 preferences, judge gpt-x" in out
    assert "Not yet: Which of 4 systems is best? No comparison connects {p, q} and {r, s}" in out
    assert "Not yet: What would people say? No person has checked the preferences of gpt-x" in out
    found = json.loads(run("doctor", "prefs.csv", "--format", "json")[1])
    assert (found["files"][0]["judges"], commands(found)) == (["gpt-x"], [])


def test_preferences_are_paired_with_those_of_people(run: Run, tmp_path: Path) -> None:
    """Guards preferences: people's file is gold of the judge's, each command runs, and a part of the same is none."""
    judge, people = simulated_votes(topics=30)
    saved(tmp_path, "judge.csv", votes_as_csv(judge))
    saved(tmp_path, "people.csv", votes_as_csv(people))
    _, out, _ = run("doctor", "judge.csv", "people.csv", "--format", "json")
    questions = json.loads(out)["questions"]
    commands = [q["command"] for q in questions]
    given = "judge.csv --gold people.csv --design random"
    assert f"truegain verdict {given}" in commands
    assert f"truegain report {given} -o report.html" in commands
    assert {q["about"] for q in questions} == {"preferences: judge.csv"}
    for command in commands:
        assert run(*shlex.split(command)[1:])[0] == 0
    topics = {str(t) for t in range(1, 16)}
    whole = [v for v in simulated_votes(topics=30, gold=1.0)[1] if v["topic"] in topics]
    saved(tmp_path, "people.csv", votes_as_csv(whole))
    assert "truegain verdict judge.csv --gold people.csv --design topics" in run("doctor", "judge.csv", "people.csv")[1]
    (tmp_path / "people.csv").unlink()
    unnamed = [{k: x for k, x in v.items() if k != "model"} for v in judge]
    saved(tmp_path, "judge.csv", votes_as_csv(unnamed))
    saved(tmp_path, "part.csv", votes_as_csv(unnamed[:60]))
    assert "--gold" not in run("doctor", "judge.csv", "part.csv")[1]
    saved(tmp_path, "judge.csv", votes_as_csv(judge))
    _, out, _ = run("doctor", "judge.csv")
    assert "No person has checked the preferences of judge-7b" in out


def own_names(folder: Path, names: tuple[str, str, str, str], *, header: bool = True) -> None:
    """Judgments in words and two runs as CSV, under names of the user's own, or without any."""
    draw = random.Random(5)
    topic, doc, label, score = names
    rel = {(f"k{t}", f"art-{d}"): draw.choice(("gut", "mittel", "schlecht")) for t in range(20) for d in range(12)}
    tables: dict[str, list[tuple[object, ...]]] = {
        "noten.csv": [(topic, doc, label), *((*of, word) for of, word in rel.items())]
    }
    for name, gain in (("alt", 0.2), ("neu", 1.5)):
        rows = [(*of, round(gain * (word == "gut") + draw.random(), 4)) for of, word in rel.items()]
        tables[f"{name}.csv"] = [(topic, doc, score), *rows]
    for name, rows_of in tables.items():
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows(rows_of if header else rows_of[1:])


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        (True, "topic=anfrage,doc=artikel,label=note;score=bm25"),
        (False, "topic,doc,label;topic,doc,score"),
    ],
)
def test_columns_and_values_are_tried_by_doctor_itself(run: Run, folder: Path, header: bool, columns: str) -> None:
    """Guards what doctor asks to be typed: doctor takes it, so does init, and every command it suggests has it."""
    own_names(folder, ("anfrage", "artikel", "note", "bm25"), header=header)
    files, words = ("noten.csv", "alt.csv", "neu.csv"), "gut=2,mittel=1,schlecht=0"
    code, out, _ = run("doctor", *files, "--columns", columns)
    assert (code, "noten.csv: not read: " in out, "--values " in out) == (0, True, True)
    code, out, _ = run("doctor", *files, "--columns", columns, "--values", words, "--format", "json")
    found = asked(out)
    assert (code, [file["kind"] for file in found["files"]]) == (0, ["judgments", "run", "run"])
    made = commands(found)
    assert ["verdict", *files, "-m", "nDCG@10", "--columns", columns, "--values", words] in made
    for command in made:
        assert run(*command)[0] in (0, 1), command
    assert run("init", *files, "--columns", columns, "--values", words)[0] == 0
    assert run("verdict", "study.toml")[0] == 0


def test_judgments_of_every_subtopic_are_no_leaderboard(run: Run, folder: Path) -> None:
    """Guards fully judged subtopics: every cell has a value, as on a leaderboard, and doctor did not read them."""
    docs = ("d1", "d2", "d3")
    tg.write_runs({s: {"q1": {d: 9.0 - abs(at - n) for n, d in enumerate(docs)}} for at, s in enumerate("ab")}, folder)
    saved(folder, "sub.qrels", b"q1 1 d1 1\nq1 1 d2 0\nq1 1 d3 1\nq1 2 d1 0\nq1 2 d2 1\nq1 2 d3 1\n")
    found = asked(run("doctor", "sub.qrels", "a.run", "b.run", "--format", "json")[1])
    file = next(file for file in found["files"] if file["file"] == "sub.qrels")
    assert (file["kind"], file["values"]) == ("judgments", 6)
    noted = "if this is a leaderboard, name the columns in their order: --columns run,topic,measure,value;"
    assert noted in run("doctor", "sub.qrels")[1]
    code, _, err = run("eval", "sub.qrels", "a.run", "b.run", "-m", "alpha_nDCG@3")
    assert code == 0, err


def test_a_column_that_no_file_has_is_refused(run: Run, folder: Path) -> None:
    """Guards a mistyped name in --columns of doctor: it is refused with the names that there are."""
    own_names(folder, ("topic", "doc", "note", "bm25"))
    code, _, err = run("doctor", "noten.csv", "alt.csv", "--columns", "label=note;score=bm52")
    assert code == 2
    there = "columns of noten.csv: topic, doc, note; columns of alt"
    assert f"--columns: no file has a column 'bm52' (check its name; {there}" in err


def test_said_columns_leave_other_files_alone(run: Run, folder: Path) -> None:
    """Guards TREC files beside a table with own names: what is said of the table is not asked of them."""
    retrieval(folder)
    (folder / "own.csv").write_text("frage,absatz,note\n" + "".join(f"{t},d{t},1\n" for t in range(12)))
    plain = asked(run("doctor", ".", "--format", "json")[1])["files"]
    told = asked(run("doctor", ".", "--columns", "topic=frage,doc=absatz,label=note", "--format", "json")[1])["files"]
    assert [(f["file"], f["kind"]) for f in told if f["file"] != "own.csv"] == [
        (f["file"], f["kind"]) for f in plain if f["file"] != "own.csv"
    ]
    assert [f["kind"] for files in (plain, told) for f in files if f["file"] == "own.csv"] == ["unknown", "judgments"]


def with_number(folder: Path, name: str, cells: dict[str, list[float]]) -> None:
    """A table of topic, document and numbers, ten documents a topic."""
    rows = [(f"q{i // 10}", f"d{i % 10}", *row) for i, row in enumerate(zip(*cells.values(), strict=True))]
    with (folder / name).open("w", newline="") as file:
        csv.writer(file).writerows([("query_id", "doc_id", *cells), *rows])


def test_content_tells_a_run_from_ratings(run: Run, folder: Path) -> None:
    """Guards a run whose score has another name: by its values a run, never ratings or labels; else it is asked."""
    draw = random.Random(11)
    scores, others = ([round(draw.gauss(5, 2), 3) for _ in range(100)] for _ in range(2))
    labels, ranks = [float(draw.randint(0, 3)) for _ in range(100)], [float(i % 10 + 1) for i in range(100)]
    with_number(folder, "qrels.csv", {"label": labels})
    with_number(folder, "one.csv", {"bm25": scores})
    with_number(folder, "either.csv", {"sicherheit": scores, "note": labels})
    with_number(folder, "place.csv", {"platz": ranks})
    with_number(folder, "two.csv", {"bm25": scores, "dense": others})
    with_number(folder, "wide.csv", {"ann": labels, "bob": labels[::-1]})
    with_number(folder, "graded.csv", {"note": labels})
    found = asked(run("doctor", ".", "--format", "json")[1])
    kinds = {file["file"]: file["kind"] for file in found["files"]}
    assert kinds == {
        "qrels.csv": "judgments", "one.csv": "run", "place.csv": "run", "two.csv": "unknown", "wide.csv": "ratings",
        "graded.csv": "judgments", "either.csv": "unknown",
    }  # fmt: skip
    either = next(file for file in found["files"] if file["file"] == "either.csv")
    assert either["reason"] == "is it a run with sicherheit as its score, or judgments with note as their label?"
    two = next(file for file in found["files"] if file["file"] == "two.csv")
    assert two["reason"] == "which column is the score, bm25 or dense?"
    verdict = next(c for c in commands(found) if c[0] == "verdict")
    assert verdict[verdict.index("--columns") + 1] == "label=note,score=bm25,rank=platz"
    assert run(*verdict)[0] == 0
    text = run("doctor", "two.csv")[1]
    assert (
        "--columns score=NAME; if they are ratings with one column per assessor: truegain agree two.csv --assessors"
        in text
    )
    found = asked(run("doctor", "two.csv", "qrels.csv", "--columns", "score=dense", "--format", "json")[1])
    assert [file["kind"] for file in found["files"]] == ["run", "judgments"]


def test_ranks_of_another_name_order_documents_downward(run: Run, folder: Path) -> None:
    """Guards ranks under a name that is not known: rank 1 is the best, as of a run that has scores for it."""
    draw = random.Random(2)
    labels = [float(draw.randint(0, 1)) for _ in range(100)]
    with_number(folder, "qrels.csv", {"label": labels})
    with_number(folder, "place.csv", {"platz": [float(i % 10 + 1) for i in range(100)]})
    with_number(folder, "score.csv", {"bm25": [50.5 - i % 10 + i / 1000 for i in range(100)]})
    made = commands(asked(run("doctor", "qrels.csv", "place.csv", "score.csv", "--format", "json")[1]))
    columns = made[0][made[0].index("--columns") + 1]
    _, out, _ = run(
        "eval", "qrels.csv", "place.csv", "score.csv", "-m", "nDCG@5", "--columns", columns, "--format", "csv"
    )
    values = [line.split(",")[-1] for line in out.splitlines()[1:]]
    assert (len(values), len(set(values))) == (2, 1), out


@pytest.mark.parametrize("first", [0, 1])
def test_ranks_without_a_header_are_a_run(run: Run, folder: Path, first: int) -> None:
    """Guards ranks up to ten, which may be labels by their size: 1, 2, 3, ... once each in a topic are ranks.

    Judgments of one document a topic, or of two labels, are none.
    """
    draw = random.Random(3)
    rows = [(f"q{t}", f"d{t}-{i}", first + i) for t in range(12) for i in range(10)]
    files = {
        "run.csv": rows[:70] + draw.sample(rows[70:], 50),
        "judged.csv": [(t, d, draw.randint(0, 1)) for t, d, _ in rows],
        "one.csv": [(t, d, 1) for t, d, rank in rows if rank == first],
        "two.csv": [(t, d, rank - first) for t, d, rank in rows if rank < first + 2],
    }
    for name, of in files.items():
        (folder / name).write_text("".join(f"{t},{d},{x}\n" for t, d, x in of))
    code, out, err = run("doctor", *files, "--columns", "topic,doc,label;topic,doc,rank", "--format", "json")
    assert code == 0, err
    kinds = {file["file"]: file["kind"] for file in asked(out)["files"]}
    assert kinds == dict.fromkeys(files, "judgments") | {"run.csv": "run"}
    (folder / "runs.csv").write_text("".join(f"{s},{t},{d},{x}\n" for t, d, x in rows for s in "ab"))
    told = "topic,-,doc,label;system,topic,doc,rank"
    assert "runs.csv: run: systems a, b, 12 topics" in run("doctor", "runs.csv", "--columns", told)[1]


def test_a_column_that_no_file_has_is_told_with_columns_only(run: Run, folder: Path) -> None:
    """Guards the list of columns: lines of TREC files and of tables without a header name none; unknown names do.

    A file that is not there is told first.
    """
    (folder / "gold.qrels").write_text("001 0 d001-0 1\n001 0 d001-1 0\n")
    (folder / "words.qrels").write_text("q1 Q0 d1 good\n")
    (folder / "s.run").write_text("001 Q0 d001-0 1 2.5 s\n")
    (folder / "bare.csv").write_text("q1,d1,1\n")
    (folder / "own.csv").write_text("frage,absatz,note\nq1,d1,1\n")
    files = ("gold.qrels", "words.qrels", "s.run", "bare.csv", "own.csv")
    code, _, err = run("doctor", *files, "--columns", "topic=frag")
    assert (code, err) == (
        2,
        "error: --columns: no file has a column 'frag' (check its name; columns of own.csv: frage, absatz, note)\n",
    )
    err = run("doctor", *files[:4], "--columns", "topic=frag")[2]
    assert "no file has a column 'frag' (give tables that name their columns)" in err
    code, _, err = run("doctor", "own.csv", "nosuch.csv", "--columns", "topic=frag")
    assert (code, err) == (2, "error: nosuch.csv: no such file (check the path)\n")


def test_a_pair_judged_twice_is_told_before_a_command_refuses_it(run: Run, folder: Path) -> None:
    """Guards what looks wrong: such judgments were listed as if they could be used."""
    (folder / "a.csv").write_text("topic,doc,label\n1,a,1\n1,a,0\n")
    _, out, _ = run("doctor", "a.csv")
    assert "most commands will refuse this file: line 3: two labels (1 and 0) for topic 1, document a (keep one;" in out
    (folder / "a.qrels").write_text("1 1 a 1\n1 2 a 0\n")  # of two subtopics
    assert "refuse" not in run("doctor", "a.qrels")[1]
    (folder / "a.qrels").write_text("1 1 a 1\n1 1 a 0\n1 2 a 0\n")
    assert "refuse this file: line 2: two labels for topic 1, document a, subtopic 1" in run("doctor", "a.qrels")[1]


def test_missing_labels_are_told_as_options_and_may_be_dropped(run: Run, folder: Path) -> None:
    """Guards --missing: doctor told it in Python's words, had no such option, and its commands would not run."""
    (folder / "a.csv").write_text("topic,doc,label\n1,a,1\n1,b,\n2,a,0\n3,a,1\n4,a,0\n")
    tg.write_runs({"x": {t: {"a": 2.0, "b": 1.0} for t in "1234"}}, folder)
    assert "leave out all rows without one: --missing drop)" in run("doctor", "a.csv", "x.run")[1]
    _, out, _ = run("doctor", "a.csv", "x.run", "--missing", "drop")
    (command,) = [line.split() for line in out.splitlines() if line.strip().startswith("truegain eval")]
    assert command[-2:] == ["--missing", "drop"]
    assert run(*command[1:])[0] == 0


def test_systems_that_order_the_same_documents_differ_by_the_suggested_measure(run: Run, folder: Path) -> None:
    """Guards rerankers: P of the whole list, which was suggested, is the same for all of them."""
    tg.write_judgments({str(t): {"a": 1, "b": 0, "c": 0, "d": 0} for t in range(8)}, folder / "a.qrels")
    for name, order in (("x", "abcd"), ("y", "dcba")):
        tg.write_runs({name: {str(t): {d: 4.0 - at for at, d in enumerate(order)} for t in range(8)}}, folder)
    _, out, _ = run("doctor", "a.qrels", "x.run", "y.run")
    assert "P@2" in out
    assert "P@4" not in out


@pytest.mark.parametrize("options", [(), ("--columns", "label=grade")])
def test_one_column_of_a_gold_list_makes_no_gold_list(run: Run, folder: Path, options: tuple[str, ...]) -> None:
    """Guards judgments with a column that gold lists have, too: two such make a list."""
    (folder / "a.csv").write_text("order,topic,doc,grade\n1,1,a,1\n2,1,b,0\n3,2,a,0\n")
    assert "a.csv: judgments: 2 topics, 3 judgments" in run("doctor", "a.csv", *options)[1]


def test_a_short_run_is_a_run(run: Run, folder: Path) -> None:
    """Guards runs of one or two results a topic: six columns with Q0 are a run, also where judgments could fit."""
    rows = [f"{t} Q0 d{i} {i} {9 - i} r" for t in (1, 2, 3) for i in (1, 2)]
    (folder / "two.txt").write_text("".join(f"{row}\n" for row in rows))
    (folder / "one.txt").write_text(f"{rows[0]}\n")
    (folder / "two.csv").write_text("".join(f"{row.replace(' ', ',')}\n" for row in rows))
    both = "topic,-,doc,label,-,-;runs:topic,-,doc,rank,-,-"
    for columns, files in ((None, ("two.txt", "one.txt")), (both, ("two.txt", "one.txt", "two.csv"))):
        words = () if columns is None else ("--columns", columns)
        found = asked(run("doctor", *files, *words, "--format", "json")[1])["files"]
        assert {file["kind"] for file in found} == {"run"}, (columns, found)
    (folder / "bad.txt").write_text("1 Q0 d1 1 high r\n")
    (folder / "short.txt").write_text("1 Q0 d1 1 2.5\n")
    (folder / "qrels.txt").write_text("1 Q0 d1 1\n")
    told = run("doctor", "bad.txt", "short.txt", "qrels.txt")[1]
    assert "bad.txt: not read: line 1: score is not a number: '1 Q0 d1 1 high r' (field 5 must be a number" in told
    assert "short.txt: not read: line 1: a run line needs 6 fields, this one has 5" in told
    assert "look" not in told, "nobody gave files in the wrong order"
    assert "qrels.txt: judgments: 1 topic, 1 judgment" in told, "four columns are judgments, whatever the second is"


QUERY_TEXTS = ["red shoe", "blue hat", "warm coat"]


def of_products(*, words: bool = False) -> list[tuple[str, str, str, str]]:
    """Topics told by the text of their queries, four products of each, ranks and grades."""
    grades = ("yes", "no") if words else ("3", "0")
    return [(t, f"p{4 * i + d}", str(d + 1), grades[(i + d) % 2]) for i, t in enumerate(QUERY_TEXTS) for d in range(4)]


def table_of(names: str, cells: Iterable[Sequence[str]], separator: str = ",") -> str:
    """A table."""
    return "\n".join([names, *(separator.join(row) for row in cells), ""])


@pytest.mark.parametrize(
    ("table", "option"),
    [
        (table_of("query,product_id,position", [r[:3] for r in of_products()]), "doc=product_id"),
        (table_of("query,product_id,position", [r[:3] for r in of_products() if r[2] < "3"]), "doc=product_id"),
        (table_of("search_term,item,pos", [r[:3] for r in of_products() if r[2] < "3"]),
         "topic=search_term,doc=item,rank=pos"),
        (table_of("prompt;chunk_ref;cosine", [(t, d, f"{9 / int(r)}") for t, d, r, _ in of_products()], ";"),
         "topic=prompt,doc=chunk_ref"),
    ],
    ids=["ranks", "two a query", "ranks of another name", "semicolons"],
)  # fmt: skip
def test_a_run_whose_document_has_another_name(table: str, option: str, run: Run, tmp_path: Path) -> None:
    """Guards the option that reads a run: it was said to be of gold labels, or answers to be deleted."""
    (tmp_path / "a.csv").write_text(table)
    told = run("doctor", "a.csv")[1]
    assert f"(say which columns they are: --columns {option})" in told
    assert "a.csv: run: system a, 3 topics" in run("doctor", "a.csv", "--columns", option)[1]


@pytest.mark.parametrize(
    ("names", "option"),
    [
        ("prompt,chunk_ref,{},is_relevant", "topic=prompt,doc=chunk_ref,label=is_relevant"),
        ("query,product_id,{},grade", "doc=product_id"),
    ],
)
def test_judgments_by_the_text_of_queries(names: str, option: str, run: Run, tmp_path: Path) -> None:
    """Guards the topic told by the text of its query: labels in words were taken for it, or for gold labels."""
    cells = [(t, d, "ann" if r < "3" else "bob", g) for t, d, r, g in of_products(words="is_relevant" in names)]
    (tmp_path / "j.csv").write_text(table_of(names.format("annotator"), cells))
    (tmp_path / "r.csv").write_text(table_of("topic,doc,rank", [r[:3] for r in of_products()]))
    said = f"(say which columns they are: --columns {option})"
    assert said in run("doctor", "j.csv")[1]
    assert said in run("eval", "j.csv", "r.csv")[2]
    assert "No judgments were read: j.csv is not read, see above why" in run("doctor", "j.csv", "r.csv")[1]
    values = ("--values", "no=0,yes=1") if "is_relevant" in names else ()
    told = run("doctor", "j.csv", "r.csv", "--columns", option, *values)[1]
    assert "j.csv: judgments: 3 topics, 12 judgments" in told
    assert "its labels are of 2 assessors, with one label per document" in told
    (command,) = [line for line in told.splitlines() if "truegain eval" in line]
    code, out, err = run(*shlex.split(command)[1:])
    assert (code, err) == (0, ""), err
    assert out.splitlines()[1].split()[0] == "r"


def test_labels_beside_judgments_that_are_named(run: Run, tmp_path: Path) -> None:
    """Guards the advice on a second file of labels, on gold labels once the columns of judgments are named."""
    (tmp_path / "j.csv").write_text(table_of("prompt,chunk_ref,llm", [(t, d, g) for t, d, _, g in of_products()]))
    (tmp_path / "g.csv").write_text(table_of("query,product_id,grade", [(t, d, g) for t, d, _, g in of_products()][:5]))
    told = run("doctor", "j.csv", "g.csv", "--columns", "topic=prompt,doc=chunk_ref,label=llm")[1]
    assert "j.csv: judgments: 3 topics, 12 judgments" in told
    assert "--columns 'topic=prompt,doc=chunk_ref,label=llm;gold:doc=product_id'" in told


def test_answers_that_appear_twice_are_still_answers(run: Run, tmp_path: Path) -> None:
    """Guards tables of values: a topic with two of them is no list of documents, if their notes are equal."""
    (tmp_path / "a.csv").write_text(table_of("query,note,faithfulness", [("1", "ok", "0.5"), ("1", "ok", "0.7")]))
    assert "faithfulness of system a, topic 1 appears twice" in run("doctor", "a.csv")[1]


@pytest.mark.parametrize(("column", "is_gold"), [("human", True), ("people_faith", True), ("human_likeness", False)])
def test_a_column_of_peoples_values_corrects_the_others(run: Run, folder: Path, column: str, is_gold: bool) -> None:
    """Guards a table with people's values beside a judge's: doctor said that no person had checked it."""
    cells = ["system,topic,faith,judge_model," + column]
    cells += [
        f"{s},q{t},{(t * 7 + 3 * at) % 11 / 11},gpt,{(t * 7 + 2 * at) % 11 / 11 if t % 2 else ''}"
        for at, s in enumerate(("old", "new"))
        for t in range(40)
    ]
    saved(folder, "table.csv", "\n".join(cells).encode())
    found = asked(run("doctor", "table.csv", "--format", "json")[1])
    own = [command for command in commands(found) if "--gold" in command]
    lacks = [q["lacks"] for q in found["questions"] if "no person has checked" in q["lacks"]]
    assert (len(own), len(lacks)) == ((2, 0) if is_gold else (0, 1))
    for name, command in zip(("verdict", "correct"), own, strict=False):
        assert command == f"{name} table.csv --score faith --gold column:{column} --design random".split()
        assert run(*command)[0] == 0


def test_what_score_and_cluster_take_is_listed(run: Run, folder: Path) -> None:
    """Guards the names of scores and columns with their counts: whoever did not know them had to guess."""
    rows = [
        {"id": f"q{t}", "system": s, "faith": None if s == "old" and t == 3 else t / 30, "lang": "en",
         "human": t / 30 if t % 3 else None, "judge_model": "gpt", "metadata": {"part": f"p{t % 5}", "own": f"o{t}"},
         "note": f"{s} {t}"}
        for s in ("old", "new")
        for t in range(30)
    ]  # fmt: skip
    saved(folder, "a.jsonl", b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    out = run("doctor", "a.jsonl")[1]
    assert "  --score takes: faith (59 values)\n  --gold takes: column:human (40 values)\n" in out
    assert "  --cluster takes: metadata.part (5 groups)\n" in out
    assert "  --cluster does not take: note: a topic has several values\n" in out
    told = json.loads(run("doctor", "a.jsonl", "--format", "json")[1])["columns"]
    assert {(c["option"], c["name"]): (c["values"], c["groups"], bool(c["lacks"])) for c in told} == {
        ("--score", "faith"): (59, None, False), ("--gold", "column:human"): (40, None, False),
        ("--cluster", "metadata.part"): (30, 5, False), ("--cluster", "note"): (0, None, True),
    }  # fmt: skip
    assert run("verdict", "a.jsonl", "--score", "faith", "--cluster", "metadata.part", "--trust-judge")[0] == 0
