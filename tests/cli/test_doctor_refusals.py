"""`truegain doctor` gives no command that ends with an error: it says what stands in the way, and the remedy."""

from __future__ import annotations

import random
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

import truegain as tg

from .conftest import Run
from .test_doctor import asked, commands, table_of

Labels = Mapping[tuple[str, str], int]
DOCS = [f"d{at}" for at in range(12)]


def qrels(path: Path, labels: Labels, *more: str) -> None:
    """Judgments as TREC writes them, and further lines."""
    lines = [f"{topic} 0 {doc} {label}" for (topic, doc), label in labels.items()]
    path.write_text("".join(f"{line}\n" for line in (*lines, *more)))


def study(folder: Path, topics: int = 10) -> tuple[Labels, Labels]:
    """Two runs in files, and labels of a judge and of people, of a part, that differ in some."""
    draw = random.Random(1)
    runs = {name: {str(t): {d: draw.random() for d in DOCS} for t in range(topics)} for name in ("old", "new")}
    tg.write_runs(runs, folder)
    judge = {(str(t), d): int(draw.random() < 0.4) for t in range(topics) for d in DOCS}
    people = {pair: label ^ (draw.random() < 0.2) for pair, label in judge.items() if draw.random() < 0.4}
    return judge, people


def offered(run: Run, *files: str) -> tuple[list[str], list[str]]:
    """The commands that doctor gives, each of which runs, and what it says to be missing."""
    found = asked(run("doctor", *files, "old.run", "new.run", "--format", "json")[1])
    for words in commands(found):
        code, _, err = run(*words)
        assert code == 0, (words, err)
    return [shlex.join(words) for words in commands(found)], [q["lacks"] for q in found["questions"] if q["lacks"]]


def test_a_pair_judged_twice(run: Run, folder: Path) -> None:
    """Guards judgments that doctor itself says will be refused: it gave four commands, and all of them failed."""
    judge, people = study(folder)
    qrels(folder / "llm.qrels", judge)
    again = "0 0 d0 1" if not judge["0", "d0"] else "0 0 d0 0"
    qrels(folder / "twice.qrels", judge, again)
    made, lacks = offered(run, "twice.qrels")
    assert made == []
    assert lacks[0].startswith("twice.qrels: line 121: two labels ")
    assert "(keep one; " in lacks[0]
    found = asked(run("doctor", "twice.qrels", "new.run", "--format", "json")[1])
    assert commands(found) == [], "a single system is not scored either"
    assert "two labels" in found["questions"][0]["lacks"]
    made, lacks = offered(run, "llm.qrels", "twice.qrels")
    assert made, "judgments without a fault beside them are used"
    assert [lack for lack in lacks if lack.startswith("twice.qrels: line 121: two labels ")], "and the others are told"
    assert not any("twice.qrels" in command for command in made)
    assert "(or: " not in run("doctor", "llm.qrels", "twice.qrels", "old.run", "new.run")[1]
    (topic, doc), label = next(iter(people.items()))
    qrels(folder / "people.qrels", people, f"{topic} 0 {doc} {1 - label}")
    made, lacks = offered(run, "llm.qrels", "people.qrels")
    assert any(command.startswith("verdict llm.qrels") for command in made)
    assert not any("people.qrels" in command for command in made)
    assert lacks[0].startswith(f"people.qrels:{len(people) + 1}: two labels ")


def test_gold_labels_of_pairs_without_a_judgment(run: Run, folder: Path) -> None:
    """Guards gold files with a pair too many: doctor did not mention that they could be gold at all."""
    judge, people = study(folder)
    qrels(folder / "llm.qrels", judge)
    qrels(folder / "part.qrels", people, "0 0 z1 1", "1 0 z2 0")
    made, lacks = offered(run, "llm.qrels", "part.qrels")
    assert not any("--gold" in command for command in made)
    assert lacks[0].startswith(
        f"2 of {len(people) + 2} gold pairs in part.qrels have no judgment in llm.qrels, so verdict, report and judge "
        "check refuse them: have the judge of llm.qrels label these pairs; "
    )
    assert "judge check and correct leave them out with --unmatched drop" in lacks[0]
    dropped = ("--gold", "part.qrels", "--design", "random", "--unmatched", "drop")
    assert run("judge", "check", "llm.qrels", *dropped)[0] == 0
    assert run("correct", "llm.qrels", "old.run", "new.run", "-m", "P@10", *dropped)[0] == 0
    qrels(folder / "people.qrels", people)
    made, _ = offered(run, "llm.qrels", "part.qrels", "people.qrels")
    assert any("--gold people.qrels" in command for command in made), "gold labels that fit come first"
    assert not any("part.qrels" in command for command in made)
    same = {pair: judge[pair] for pair in people}
    qrels(folder / "same.qrels", same, "0 0 z1 1")
    assert offered(run, "llm.qrels", "same.qrels")[1] == [], "a part of the same labels is no gold"
    qrels(folder / "gold.qrels", same)
    assert any("--gold gold.qrels" in x for x in offered(run, "llm.qrels", "gold.qrels")[0]), "unless its name says so"


@pytest.mark.parametrize("many", [1, 3])
def test_too_few_gold_labels(run: Run, folder: Path, many: int) -> None:
    """Guards gold labels that a verdict refuses for another reason: doctor says it, and gives no such command."""
    judge, people = study(folder)
    qrels(folder / "llm.qrels", judge)
    wrong = [(pair, label) for pair, label in people.items() if label != judge[pair]][:1]
    qrels(folder / "people.qrels", dict([*wrong, *people.items()][:many]))
    made, lacks = offered(run, "llm.qrels", "people.qrels")
    assert not any(command.startswith("verdict") and "--gold" in command for command in made)
    assert "all in one topic" in lacks[0]


def test_subtopics_and_repeated_ratings(run: Run, folder: Path) -> None:
    """Guards judgments by subtopic, which a verdict cannot take, and ratings that one assessor gave twice."""
    study(folder)
    draw = random.Random(2)
    by_subtopic = [f"{t} {s} {d} {draw.randint(0, 1)}\n" for t in range(10) for d in DOCS for s in (1, 2)]
    (folder / "sub.qrels").write_text("".join(by_subtopic))
    made, _ = offered(run, "sub.qrels")
    assert made == ["compare sub.qrels old.run new.run -m alpha_nDCG@10"]
    rows = [f"{t},{d},{who},{draw.randint(0, 1)}\n" for t in range(10) for d in DOCS for who in ("ann", "bob", "ann")]
    (folder / "ratings.csv").write_text("topic,doc,assessor,label\n" + "".join(rows))
    made, _ = offered(run, "ratings.csv")
    assert made == [
        "agree ratings.csv --repeated mean",
        "verdict ratings.csv old.run new.run --aggregate mean --repeated mean",
    ]


def test_systems_of_one_name(run: Run, folder: Path) -> None:
    """Guards the same names in two folders, which ended doctor with an error, and in one, which commands refuse."""
    judge, _ = study(folder)
    qrels(folder / "llm.qrels", judge)
    for name in ("before", "after"):
        (folder / name).mkdir()
        for file in ("old.run", "new.run"):
            (folder / name / file).write_text((folder / file).read_text())
    found = asked(run("doctor", "llm.qrels", "before", "after", "--format", "json")[1])
    assert [q["about"] for q in found["questions"] if q["command"].startswith("truegain verdict")] == [
        "runs: before",
        "runs: after",
    ]
    (folder / "old.txt").write_text((folder / "old.run").read_text())
    code, out, _ = run("doctor", "llm.qrels", "old.run", "old.txt")
    assert (code, "truegain verdict" in out) == (0, False)
    assert "Two systems are named old: old.run, old.txt (rename one file, or name systems by their run tag, " in out
    assert "--name-by tag)" in out


def test_gold_labels_drawn_in_two_ways(run: Run, folder: Path) -> None:
    """Guards gold labels offered in place of others by a command with the design of these, which refuses them."""
    judge, people = study(folder, topics=20)
    whole = {(t, d): 1 - x if d == "d3" else x for (t, d), x in judge.items() if int(t) < 8}
    for name, labels in (("llm", judge), ("people", people), ("gold", whole)):
        qrels(folder / f"{name}.qrels", labels)
    files = ("doctor", "llm.qrels", "people.qrels", "gold.qrels", "old.run", "new.run")
    assert "(or: " not in run(*files)[1]
    made, _ = offered(run, "llm.qrels", "people.qrels", "gold.qrels")
    designs = {c.partition("--gold ")[2].split(" -m")[0] for c in made if c.startswith("verdict") and "--gold" in c}
    assert designs == {"gold.qrels --design topics", "people.qrels --design random"}
    qrels(folder / "gold.qrels", dict([*people.items()][:-1]))  # drawn alike
    assert "(or: " in run(*files)[1]


def test_the_key_of_a_list_is_not_filled_in(run: Run, folder: Path) -> None:
    """Guards the key, which people were told to fill in: it stands beside its list, and alone its list is named."""
    qrels(folder / "llm.qrels", study(folder)[0])
    assert run("plan", "labels", "llm.qrels", "old.run", "new.run", "-o", "list.csv")[0] == 0
    found = asked(run("doctor", "list.csv", "list.key.csv", "llm.qrels", "old.run", "new.run", "--format", "json")[1])
    assert [file["notes"] for file in found["files"] if "key" in file["file"]] == [["the key of list.csv"]]
    assert [q["lacks"] for q in found["questions"] if q["lacks"]] == ["fill in labels from its top"]
    alone = asked(run("doctor", "list.key.csv", "llm.qrels", "old.run", "new.run", "--format", "json")[1])
    assert "this is the key of list.csv: give list.csv, with labels" in [q["lacks"] for q in alone["questions"]]


def test_nothing_to_settle(run: Run, folder: Path) -> None:
    """Guards `settle` of two equal rankings, which ended with an error."""
    qrels(folder / "llm.qrels", study(folder)[0])
    (folder / "new.run").write_text((folder / "old.run").read_text())
    made, lacks = offered(run, "llm.qrels")
    assert not any(command.startswith("settle") for command in made)
    assert any("the systems rank the same documents alike" in lack for lack in lacks)


def test_gold_labels_of_one_class(run: Run, folder: Path) -> None:
    """Guards the page of gold labels without a relevant one: the verdict takes them, and the page was refused."""
    judge, people = study(folder)
    qrels(folder / "llm.qrels", judge)
    qrels(folder / "people.qrels", dict.fromkeys(people, 0))
    found = asked(run("doctor", "llm.qrels", "people.qrels", "old.run", "new.run", "--format", "json")[1])
    (command,) = (q["command"] for q in found["questions"] if q["command"].startswith("truegain report"))
    code, _, err = run(*shlex.split(command)[1:])
    assert (code, "people.qrels" in command) == (0, True), err
    page = (folder / "report.html").read_text()
    assert "There is no section on the judge: no gold pair is relevant with gold labels relevant from 1" in page


@pytest.mark.parametrize(("draw", "again"), [("ordered", True), ("by-bronze", False)])
def test_labels_from_the_top_of_an_ordered_list_may_be_looked_at_again(
    run: Run, folder: Path, draw: str, again: bool
) -> None:
    """Guards verdicts on an ordered list that held for one look only, of people who look while they label."""
    judge, people = study(folder)
    qrels(folder / "llm.qrels", judge)
    given = ("llm.qrels", "old.run", "new.run", "-m", "P@10")
    assert run("plan", "labels", *given, "--draw", draw, "-o", "list.csv")[0] == 0
    head, *rows = (folder / "list.csv").read_text().splitlines()
    at = {name: place for place, name in enumerate(head.split(","))}
    filled = [row.split(",") for row in rows]
    for cells in filled[:80]:
        pair = (cells[at["topic"]], cells[at["doc"]])
        cells[at["label"]] = str(people.get(pair, judge[pair]))
    (folder / "list.csv").write_text("".join(f"{','.join(cells)}\n" for cells in (head.split(","), *filled)))
    made, _ = offered(run, "llm.qrels", "list.csv")
    (verdict,) = (command for command in made if command.startswith("verdict") and "--gold" in command)
    assert ("--sequential" in verdict) == again
    found = asked(run("doctor", "llm.qrels", "list.csv", "old.run", "new.run", "--format", "json")[1])
    (page,) = (q["command"] for q in found["questions"] if "report" in q["command"])
    assert ("--sequential" in page) == again
    assert any("however often you look" in q["question"] for q in found["questions"]) == again


def test_a_table_of_teams(run: Run, folder: Path) -> None:
    """Guards tables of teams, which were called judgments without topics, and the commands that use them."""
    judge, _ = study(folder)
    qrels(folder / "llm.qrels", judge)
    (folder / "teams.csv").write_text("run,team,pooled\nold,ada,1\nnew,bob,0\n")
    found = asked(run("doctor", "llm.qrels", "old.run", "new.run", "teams.csv", "--format", "json")[1])
    assert [(f["kind"], f["systems"]) for f in found["files"]][-1] == ("teams", ["old", "new"])
    made, _ = offered(run, "llm.qrels", "teams.csv")
    by_team = [command for command in made if "--teams teams.csv" in command]
    assert [command.split()[0] for command in by_team] == ["participants", "compare", "unjudged"]
    assert by_team[-1].endswith("--show left-out --teams teams.csv --pool-depth 10")
    assert "teams.csv: teams of 2 runs: teams ada, bob" in run("doctor", "llm.qrels", "teams.csv")[1]
    (folder / "teams.csv").write_text("run,team\nold,ada\n")
    made, lacks = offered(run, "llm.qrels", "teams.csv")
    assert not any("--teams" in command for command in made)
    assert any("1 of 2 runs without a team: new" in lack for lack in lacks)
    (folder / "tagged.run").write_text((folder / "old.run").read_text().replace(" old\n", " tag-1\n"))
    (folder / "tagged2.run").write_text((folder / "new.run").read_text().replace(" new\n", " tag-2\n"))
    (folder / "teams.csv").write_text("run,team\ntag-1,ada\ntag-2,bob\n")
    out = run("doctor", "llm.qrels", "tagged.run", "tagged2.run", "teams.csv")[1]
    assert "the table has the run tags" in out
    assert "--name-by tag" in out
    (folder / "teams.csv").write_text("run,team\nold,\n")
    assert "line 2: run old has no team" in run("doctor", "llm.qrels", "teams.csv")[1]
    (folder / "teams.csv").write_text("run,team\nold,ada\nnew,bob\n")
    code, out, _ = run("doctor", "teams.csv")
    assert (code, "the teams of runs alone" in out.lower()) == (0, True)


def answers(folder: Path) -> None:
    """Values of two systems, and people's of some: with another name of the system column, without it, of one alone."""
    draw = random.Random(1)
    values = {(f"q{t}", system): round(draw.random(), 3) for t in range(30) for system in ("prod", "new")}
    people = {of: round(min(1.0, value + draw.random() / 5), 3) for of, value in values.items() if draw.random() < 0.6}
    for name, labels in (("scores", values), ("people", people)):
        rows = [(topic, system, str(value)) for (topic, system), value in labels.items()]
        for head, file in (("system", name), ("pipeline_name", f"{name}_named")):
            (folder / f"{file}.csv").write_text(table_of(f"question_id,{head},faithfulness", rows))
        without = [(topic, value) for topic, _, value in rows]
        (folder / f"{name}_without.csv").write_text(table_of("question_id,faithfulness", without))
        (folder / f"{name}_once.csv").write_text(table_of("question_id,faithfulness", dict(without).items()))
    only = [(topic, system, str(value)) for (topic, system), value in people.items() if system == "new"]
    (folder / "only_new.csv").write_text(table_of("question_id,system,faithfulness", only))


def test_a_column_that_may_name_the_system_is_said(run: Run, folder: Path) -> None:
    """Guards systems in a column of another name: of a value that stands twice one was to be kept."""
    answers(folder)
    scores = ("--score", "faithfulness")
    code, _, err = run("verdict", "scores_named.csv", *scores)
    assert (code, "--columns system=pipeline_name" in err) == (2, True), err
    assert err.index("--columns") < err.index("keep one")
    assert run("verdict", "scores_named.csv", *scores, "--columns", "system=pipeline_name")[0] == 0
    with pytest.raises(tg.TruegainError, match="rename the column pipeline_name to 'system'"):
        tg.read_items("scores_named.csv")
    assert "--columns system=pipeline_name" in run("doctor", "scores_named.csv")[1]  # it asked for columns of a run
    _, _, err = run("verdict", "scores_without.csv", *scores)
    assert "(keep one; " in err
    assert "name them in a column 'system')" in err
    gold = ("verdict", "scores.csv", *scores, "--design", "random", "--gold")
    for file in ("people_without.csv", "people_once.csv"):
        code, _, err = run(*gold, file)
        assert (code, f"{file}: no column names the system, and scores.csv has prod, new" in err) == (2, True), err
        assert "name it in a column 'system'" in err
    code, _, err = run(*gold, "people_named.csv")
    assert (code, "--columns gold:system=pipeline_name" in err) == (2, True), err
    assert run(*gold, "people_named.csv", "--columns", "gold:system=pipeline_name")[0] == 0


def test_gold_of_one_system_alone(run: Run, folder: Path) -> None:
    """Guards a verdict suggested with gold values that leave out a system, and `judge check`, which said nothing."""
    answers(folder)
    found = asked(run("doctor", "scores.csv", "only_new.csv", "--format", "json")[1])
    assert not any("--gold" in question["command"] for question in found["questions"])
    (lacks,) = (q["lacks"] for q in found["questions"] if "corrected by only_new.csv" in q["question"])
    assert lacks.startswith("only_new.csv: no answer of prod has a gold label")
    for words in commands(found):
        assert run(*words)[0] == 0, words
    found = asked(run("doctor", "scores.csv", "people.csv", "--format", "json")[1])
    corrected = [words for words in commands(found) if "--gold" in words]
    assert [words[0] for words in corrected] == ["verdict", "correct"]
    check = ("judge", "check", "scores.csv", "--score", "faithfulness", "--design", "random", "--gold")
    said = "No answer of prod has a gold label, so this says nothing about prod."
    assert said in " ".join(run(*check, "only_new.csv")[1].split())
    assert "No answer of" not in run(*check, "people.csv")[1]
