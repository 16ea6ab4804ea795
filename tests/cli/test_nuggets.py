"""Nuggets at the command line: the same files in verdict, compare, gate, report and plan labels."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run, commands, folder, run  # noqa: F401 (fixtures)
from truegain.experiments.worlds import nugget_records

FILES = "nuggets.jsonl assignments.jsonl"
GOLD = "--gold people.jsonl --design random"
VITAL_OF_3 = [f"fact {i} of topic 3" for i in (1, 2, 3)]  # of six


@pytest.fixture
def nuggets(folder: Path, commands: None) -> Path:  # noqa: F811
    """Nuggets of 24 topics, the assignments of a model and of people."""
    for name, records in zip(("nuggets", "assignments", "people"), nugget_records(("a", "b"), topics=24), strict=True):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return folder


def differences(out: str) -> dict[str, float]:
    """By measure, the difference that a command gave as JSON lines."""
    return {one["measure"]: abs(one["difference"]) for one in map(json.loads, out.splitlines())}


def test_verdict_and_compare_say_the_same(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards -m of several measures of nuggets, with gold labels: one study behind all commands."""
    words = f"{FILES} -m V_strict -m A {GOLD}"
    code, out, err = run(*f"verdict {words} --pair a,b --format json".split())
    assert (code, "no vital nugget (13) and is left out of all measures" in err) == (0, True)
    verdicts = json.loads(out)["verdicts"]
    code, out, _ = run(*f"compare {words} --format jsonl".split())
    assert code == 0
    pairs = [json.loads(line) for line in out.splitlines()]
    assert [v["measure"] for v in verdicts] == [p["measure"] for p in pairs] == ["V_strict", "A"]
    for v, p in zip(verdicts, pairs, strict=True):
        limits = ("difference", "low", "high")
        assert [v[x] for x in limits] == pytest.approx([p[x] for x in limits])
    code, out, _ = run(*f"gate {FILES} -m V_strict {GOLD} --baseline a --candidate b".split())
    assert code in (0, 1, 3)
    assert "V\\_strict" in out


@pytest.mark.parametrize("command", ["eval", "eval --intervals topics", "compare"])
def test_each_measure_counts_its_own_topics(run: Run, nuggets: Path, command: str) -> None:  # noqa: F811
    """Guards several measures at once: each says what it says alone, though V_strict lacks a topic that A has."""
    rows = [json.loads(line) for line in (nuggets / "assignments.jsonl").read_text().splitlines()]
    (nuggets / "assignments.jsonl").write_text("".join(  # and of one answer every vital nugget failed
        f"{json.dumps({**row, 'assignment': 'failed'} if is_lost else row)}\n"
        for row in rows for is_lost in [(row["qid"], row["system"]) == ("3", "b") and row["nugget"] in VITAL_OF_3]
    ))  # fmt: skip

    def told(*measures: str) -> tuple[list[dict[str, object]], str]:
        words = " ".join(f"-m {m}" for m in measures)
        code, out, err = run(*f"{command} {FILES} {words} --format jsonl".split())
        assert code == 0, err
        return [json.loads(line) for line in out.splitlines()], err

    names = ("V_strict", "A", "V(empty='zero')")
    several, said = told(*names)
    for name in names:
        alone = told(name)[0]
        assert alone
        assert [row for row in several if row["measure"] == name] == alone
    lost = "1 answer (b on topic 3) left out of the mean, because every nugget that it counts failed there"
    assert ("intervals" in command) or (f"V_strict: {lost}" in said and f"A: {lost}" not in said)
    assert "V_strict: 1 topic has no vital nugget (13) and is left out; nuggetizer" in said
    assert "--all-topics" not in said  # which is refused of answers
    if command == "compare":
        assert {row["measure"]: row["n"] for row in several} == dict(zip(names, (22, 24, 23), strict=True))


def test_the_default_measure_is_told_as_it_is(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards the note: no sample of unjudged documents, and no nDCG, is of nuggets."""
    err = run(*f"verdict {FILES}".split())[2]
    assert "note: the default measure of nuggets is V_strict; choose another with -m" in err
    assert "unjudged" not in err


def of_nuggetizer(nuggets: Path, **more: str) -> str:
    """The same assignments as nuggetizer writes them, a record an answer, with more in each record."""
    kind = {
        (r["qid"], r["nugget"]): r["importance"]
        for r in map(json.loads, (nuggets / "nuggets.jsonl").read_text().splitlines())
    }
    records: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in map(json.loads, (nuggets / "assignments.jsonl").read_text().splitlines()):
        of = {"text": row["nugget"], "importance": kind[row["qid"], row["nugget"]], "assignment": row["assignment"]}
        records.setdefault((row["qid"], row["system"]), []).append(of)
    lines = (json.dumps({"qid": q, "run_id": s, **more, "nuggets": of}) for (q, s), of in records.items())
    (nuggets / "final.jsonl").write_text("\n".join(lines))
    return "final.jsonl"


def test_one_file_of_nuggetizer_is_enough(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards its own records, which hold nuggets and assignments of all systems: no other file is asked for."""
    alone = run("compare", of_nuggetizer(nuggets), "-m", "V_strict", "-m", "W", "--format", "jsonl")
    both = run(*f"compare {FILES} -m V_strict -m W --format jsonl".split())
    assert alone[0] == both[0] == 0
    assert differences(alone[1]) == differences(both[1])


def test_what_nuggetizer_assigned_is_a_models(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards against an LLM's assignments that pass for checked ones: measures and scores of a log say the same."""
    asked = {"model": "By an unnamed LLM's labels, which no person has checked,", "person": "Inconclusive: "}
    for whose, more in (("model", {}), ("person", {"assessor": "anna"})):
        path = of_nuggetizer(nuggets, **more)
        for words in ("-m V_strict", "--score V_strict"):
            code, out, err = run(*f"verdict {path} {words}".split())
            assert code == 0, err
            assert out.startswith(asked[whose]), words
    named = of_nuggetizer(nuggets, judge_model="judge-llm")
    for words in ("-m A", "--score A"):
        assert run(*f"verdict {named} {words}".split())[1].startswith("By judge-llm's labels, which no person")
    _, out, _ = run(*f"gate {of_nuggetizer(nuggets)} -m V_strict --baseline a --candidate b".split())
    assert "No person has checked an unnamed LLM's labels, so they do not pass the gate" in out


def test_topics_without_vital_nuggets_may_count_as_zero(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards --empty: a mean over one more topic, on which both have 0."""
    left = differences(run(*f"compare {FILES} -m V_strict --format jsonl".split())[1])
    zero = differences(run(*f"compare {FILES} -m V_strict --empty zero --format jsonl".split())[1])
    assert zero["V_strict(empty='zero')"] == pytest.approx(left["V_strict"] * 23 / 24)


def test_a_model_nobody_checked_is_told_and_the_list_to_check_it_is_drawn(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards the way out that a verdict names: the very command draws a list that the next verdict takes."""
    _, out, _ = run(*f"verdict {FILES} -m V_strict".split())
    assert out.startswith("By judge-llm's labels, which no person has checked,")
    command = f"plan labels {FILES} -m V_strict -o LIST.csv"
    assert f"`truegain {command}`" in out
    assert "draws the assignments to label" in out
    code, out, err = run(*command.split())
    assert code == 0, err
    assert re.search(r"\n\d+ of the \d+ assignments can change the difference b - a on V_strict", out)
    assert "assignments in the order to judge" in out
    assert "document" not in out
    path = nuggets / "LIST.csv"
    head, *rows = path.read_text().splitlines()
    at = head.split(",").index("label")
    filled = [",".join([*(cells := row.split(","))[:at], "1" if i % 2 else "0.5", *cells[at + 1 :]]) for i, row in
              enumerate(rows)]  # fmt: skip
    path.write_text("\n".join([head, *filled[:60], *rows[60:]]))
    code, out, err = run(*f"verdict {FILES} -m V_strict --gold LIST.csv --pair a,b".split())
    assert code == 0, err
    assert "60 gold labels" in out


def test_mistakes_are_told(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards exit code 2 and what to type."""
    wrong = {
        f"verdict {FILES} -m nDCG@10": "nDCG@10 is not a measure of nuggets; there are V_strict, V, A_strict, A, W",
        f"verdict {FILES} -m V --empty none": "--empty",
        "verdict nuggets.jsonl -m V": "not which of them the answers support",
        f"verdict {FILES} -m V {GOLD[:-7]}": "--design",
        f"compare {FILES} -m V {GOLD.replace('random', 'topics')}": "topics have a gold label for every judged pair",
    }
    for words, said in wrong.items():
        code, out, err = run(*words.split())
        assert (code, out) == (2, ""), words
        assert said in err, words


def test_a_report_has_the_measures_in_words(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards the page: the formula, the paper, and both measures."""
    code, _, err = run(*f"report {FILES} -m V_strict -m W {GOLD} -o page.html".split())
    assert code == 0, err
    page = (nuggets / "page.html").read_text()
    assert "V_strict = number of vital nuggets with full support / number of vital nuggets" in page
    assert "Initial Nugget Evaluation Results for the TREC 2024 RAG Track" in page


def test_doctor_names_the_commands(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards what a new user types first: which files are which, and commands that run as they are printed."""
    code, out, err = run("doctor", "nuggets.jsonl", "assignments.jsonl", "people.jsonl", "--format", "json")
    assert code == 0, err
    found = json.loads(out)
    assert [file["kind"] for file in found["files"]] == ["nugget bank", "assignments", "assignments"]
    asked = [question["command"] for question in found["questions"]]
    assert asked[0] == f"truegain verdict {FILES} -m V_strict"
    assert asked[-2:] == [f"truegain {command} {FILES} -m V_strict {GOLD}" for command in ("verdict", "correct")]
    assert [run(*command.split()[1:])[0] for command in asked[-2:]] == [0, 0]
    _, out, _ = run("doctor", *FILES.split())
    assert f"truegain plan labels {FILES} -m V_strict -o list.csv" in out


def test_doctor_does_not_compare_a_model_with_people(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards a difference that is one of judges: people's assignments of a system that the model did not assign."""
    rows = (nuggets / "assignments.jsonl").read_text().splitlines()
    (nuggets / "one.jsonl").write_text("\n".join(row for row in rows if json.loads(row)["system"] == "a"))
    _, out, _ = run("doctor", "nuggets.jsonl", "one.jsonl", "people.jsonl")
    assert "Not yet: Which system is better? One system only (a): give the assignments of another." in out
    assert "truegain verdict" not in out
    assert "No person has assigned" not in out
    _, out, _ = run("doctor", "nuggets.jsonl", "people.jsonl")
    assert "Is b better than a" in out
    assert "No person has assigned" not in out


def test_doctor_names_no_command_that_is_refused(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards few topics, one system and gold of one topic: the verdicts that were printed for them were refused."""
    rows = [json.loads(line) for line in (nuggets / "assignments.jsonl").read_text().splitlines()]
    gold = [json.loads(line) for line in (nuggets / "people.jsonl").read_text().splitlines()]
    two, one = sorted({row["qid"] for row in rows})[:2], rows[0]["system"]
    for name, kept in {
        "few.jsonl": [row for row in rows if row["qid"] in two],
        "one.jsonl": [row for row in rows if row["system"] == one],
        "poor.jsonl": [row for row in gold if row["qid"] == gold[0]["qid"]],
    }.items():
        (nuggets / name).write_text("".join(json.dumps(row) + "\n" for row in kept))
    _, out, _ = run("doctor", "few.jsonl")
    assert "2 topics are too few for a study" in out
    assert "    truegain" not in out
    _, out, _ = run("doctor", "one.jsonl", "nuggets.jsonl")
    assert f"Not yet: Which system is better? One system only ({one})" in out
    assert "    truegain" not in out
    _, out, _ = run("doctor", *FILES.split(), "poor.jsonl")
    assert "Not yet: The same, corrected by poor.jsonl" in out
    assert "--gold" not in out.replace("--gold labels", "")


def test_report_and_judge_check_say_the_same_of_nuggets(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards the page of nuggets: the judge's mean error is that of `judge check`, and no list is spoken of."""
    code, out, err = run(*f"judge check {FILES} -m V_strict {GOLD}".split())
    assert code == 0, err
    error = re.findall(r"The judge's values lie [0-9.]+ (?:above|below) people's on average", out)[0]
    code, _, err = run(*f"report {FILES} -m V_strict {GOLD} -o page.html".split())
    assert code == 0, err
    page = html.unescape((nuggets / "page.html").read_text())
    assert error in page
    for words in ("Tied scores", "Identical runs", "Unjudged documents in the runs", "informedness nan"):
        assert words not in page


def test_correct_of_one_system(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards people's labels of the one system there is, which each row names: a name for their file was asked for."""
    for name in ("assignments", "people"):
        lines = (nuggets / f"{name}.jsonl").read_text().splitlines(keepends=True)
        (nuggets / f"{name}.jsonl").write_text("".join(line for line in lines if json.loads(line)["system"] == "a"))
    code, out, err = run(*f"correct {FILES} {GOLD}".split())
    assert (code, "a: by the judge's labels V_strict is 0." in out) == (0, True), err
    people = [json.loads(line) for line in (nuggets / "people.jsonl").read_text().splitlines()]
    without = [{key: value for key, value in row.items() if key != "system"} for row in people]
    (nuggets / "people.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in without))
    assert run(*f"correct {FILES} {GOLD}".split())[:2] == (code, out)


@pytest.mark.parametrize("command", ["correct", "verdict"])
@pytest.mark.parametrize("design", ["by-gold", "elsewhere"])
def test_designs_that_tell_error_rates_are_refused(run: Run, nuggets: Path, command: str, design: str) -> None:  # noqa: F811
    """Guards gold of nuggets that is no sample of them: it ended in a LinAlgError."""
    code, out, err = run(*f"{command} {FILES} --gold people.jsonl --design {design}".split())
    assert (code, out, f"error: --design {design} corrects by the judge's error rates" in err) == (2, "", True), err


def test_doctor_takes_the_file_with_some_of_anothers_for_peoples(run: Run, nuggets: Path) -> None:  # noqa: F811
    """Guards a model's file whose column is `judge`, as people's may be, and people's without a name."""
    records = [json.loads(line) for line in (nuggets / "assignments.jsonl").read_text().splitlines()]
    for record in records:
        record.pop("judge_model", None)
        record.pop("model", None)
        record["judge"] = "gpt-4o"
    (nuggets / "assignments.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    people = [json.loads(line) for line in (nuggets / "people.jsonl").read_text().splitlines()]
    nameless = [{key: x for key, x in record.items() if key not in ("assessor", "judge")} for record in people]
    (nuggets / "people.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in nameless))
    code, out, _ = run(*f"doctor {FILES} people.jsonl".split())
    assert code == 0
    assert f"truegain verdict {FILES} -m V_strict --gold people.jsonl --design random" in out
    out = run(*f"doctor {FILES}".split())[1]
    assert "If gpt-4o is no person: have people assign a random sample of the nuggets." in out
