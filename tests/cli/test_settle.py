"""`truegain settle` by a sheet: from runs and a judge's labels to a decision, batch by batch, and what it refuses."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.llm.served import as_asked, error, served
from tests.planning.test_label_plan import world
from truegain.errors import InputError
from truegain.llm import client
from truegain.planning.settle import Settling
from truegain.results.settlement import Settlement
from truegain.study.study_file import read_study

Command = Callable[[str], tuple[int, str, str]]
RUNS = "llm.qrels s0.run s1.run -m P@5 --population fixed"
TEXTS = "--topics topics.jsonl --docs docs.jsonl"
GOLD = world(topics=40)[2]


@pytest.fixture
def quick_llm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that asks again at once, without a key or a proxy."""
    monkeypatch.setattr(client, "FIRST_PAUSE", 0.002)
    monkeypatch.delenv(client.KEY, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def command(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs a command of truegain in a folder with runs, labels of a judge, topics and documents."""
    monkeypatch.chdir(tmp_path)
    runs, bronze, _ = world(topics=40)
    for name in ("s0", "s1"):
        lines = [f"{t} Q0 {d} 1 {score} {name}\n" for t, row in runs[name].items() for d, score in row.items()]
        Path(f"{name}.run").write_text("".join(lines))
    Path("llm.qrels").write_text("".join(f"{t} 0 {d} {x}\n" for t, row in bronze.items() for d, x in row.items()))
    Path("topics.jsonl").write_text("".join(json.dumps({"id": t, "title": f"topic {t}"}) + "\n" for t in bronze))
    docs = sorted({d for row in bronze.values() for d in row})
    Path("docs.jsonl").write_text("".join(json.dumps({"id": d, "text": f"About {d}."}) + "\n" for d in docs))

    return lambda words: run(*shlex.split(words))


def fill(sheet: str, rows: int, label: Callable[[str, str], int | str] = lambda t, d: GOLD[t][d]) -> int:
    """Give the next so many rows of a sheet their true labels, or others; how many have one now."""
    with Path(sheet).open(newline="") as file:
        table = list(csv.DictReader(file))
    empty = [row for row in table if not row["label"]]
    for row in empty[:rows]:
        row["label"] = f"{label(row['topic'], row['doc'])}"
    with Path(sheet).open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    return len(table) - len(empty[rows:])


def test_a_sheet_until_it_is_known(command: Command) -> None:
    """Guards the loop without a server: the answer, its files, its exit code, and that `verdict` says the same."""
    words = f"settle {RUNS} {TEXTS} --sheet labels.csv"
    code, out, _ = command(words)
    assert code == 3
    assert "Labels until the answer is known: s1 against s0 on P@5" in out
    assert "rows 1 to 25, from the top" in out
    with Path("labels.csv").open(newline="") as file:
        first = next(csv.DictReader(file))
    assert first["question"].startswith("topic ")
    assert first["passage"].startswith("About ")
    assert "bronze" not in first, "blind: who labels does not see the judge's label"
    while code == 3:
        labeled = fill("labels.csv", 25)
        code, out, _ = command(words)
        assert code == 0 or f"rows {labeled + 1} to" in out
    assert code == 0
    assert out.startswith("s1 is better than s0: +")
    answer = Settlement.of_json(Path("settle/decision.json").read_bytes())
    assert (answer.status, answer.labels) == ("better", labeled)
    assert "<html" in Path("settle/report.html").read_text()[:400]
    code, verdict, _ = command("verdict llm.qrels s0.run s1.run -m P@5 --population fixed --gold settle/labels.csv "
                               "--sequential --pair s0,s1")  # fmt: skip
    assert code == 0
    assert verdict.splitlines()[0] == out.splitlines()[0]
    code, again, err = command(words)
    assert code == 0
    assert again.splitlines()[0] == out.splitlines()[0]
    assert "settled before" in err


def test_ndcg_is_settled_as_what_stands_for_it(command: Command) -> None:
    """Guards nDCG, which labels of some documents cannot correct: what is decided instead is said from the start."""
    words = f"settle {RUNS.replace('P@5', 'nDCG@5')}"
    _, out, _ = command(f"{words} --dry-run")
    found = re.search(r"s1 against s0 on (DCG@5/[\d.]+)\n", out)
    assert found is not None
    decides = found[1]
    note = f"The decision is about {decides}, not nDCG@5: "
    assert note in out
    _, first, _ = command(f"{words} --sheet labels.csv --max-labels 12")
    assert note in first
    fill("labels.csv", 12)
    code, out, _ = command(f"{words} --sheet labels.csv --max-labels 12")
    assert (code, note in out) == (3, True)
    answer = Settlement.of_json(Path("settle/decision.json").read_bytes())
    assert (answer.measure, answer.notes[0].startswith(note)) == (decides, True)


def test_the_usual_measure_is_decided_as_it_stands(command: Command) -> None:
    """Guards the measure where none is asked for: not nDCG, which needs the labels of all documents."""
    code, out, err = command(f"settle {RUNS.replace('-m P@5', '')} --dry-run")
    assert code == 0, err
    assert "s1 against s0 on P@10\n" in out
    assert "The decision is about" not in out
    Path("study.toml").write_text('judgments = "llm.qrels"\nruns = ["s0.run", "s1.run"]\nmeasure = "P@5"\n')
    assert "s1 against s0 on P@5\n" in command("settle study.toml --dry-run")[1]


def test_a_limit_of_labels(command: Command) -> None:
    """Guards the end without an answer, and that a higher limit goes on with the same labels."""
    words = f"settle {RUNS} --sheet labels.csv"
    command(f"{words} --max-labels 12")
    fill("labels.csv", 12)
    code, out, _ = command(f"{words} --max-labels 12")
    assert code == 3
    assert out.startswith("Not decided within 12 labels. ")
    assert "Run the same command with a higher --max-labels." in out
    assert json.loads(Path("settle/decision.json").read_text())["status"] == "undecided"
    code, out, _ = command(f"{words} --max-labels 60")
    assert "rows 13 to 37" in out
    assert code == 3
    fill("labels.csv", 3)
    code, out, _ = command(f"{words} --max-labels 14 --costs gold=0.5")
    answer = Settlement.of_json(Path("settle/decision.json").read_bytes())
    assert (answer.labels, answer.given, answer.cost) == (14, 15, 7.5), "what was labeled beyond the limit was paid"


def test_where_nobody_could_judge(command: Command) -> None:
    """Guards a sheet of nothing but `cannot`: an answer, and the files that are named are those that are there."""
    words = f"settle {RUNS} --sheet labels.csv --max-labels 12"
    command(words)
    fill("labels.csv", 12, lambda t, d: "cannot")
    code, out, err = command(words)
    assert code == 3
    assert out.startswith("Not decided within 0 labels and 12 answers that a document cannot be judged: without a ")
    assert "no report.html: nobody could judge any document" in err
    assert out.endswith("settle has decision.json and labels.csv.\n")
    assert sorted(p.name for p in Path("settle").iterdir() if p.suffix in (".json", ".html", ".csv")) == [
        "decision.json", "labels.csv", "labels.key.csv", "last-look.json", "list.csv", "list.key.csv", "question.json"
    ]  # fmt: skip
    code, again, _ = command(words)
    assert (code, again) == (3, out)


def test_a_table_of_answers_is_refused_with_what_to_do_instead(command: Command) -> None:
    """Guards the way out: the two commands that label answers, each as it is typed."""
    rows = [f"{s},q{q},0.{(3 * q + len(s)) % 10}" for s in ("old", "newer") for q in range(30)]
    Path("answers.csv").write_text("\n".join(["system,topic,faithfulness", *rows]))
    code, _, err = command("settle answers.csv --score faithfulness --baseline old --candidate newer")
    assert code == 2
    assert "(`truegain plan labels -o gold_list.csv`), fill it in from the top" in err
    assert "(`truegain verdict --gold`, with --sequential)" in err


def test_a_sheet_that_changed_since_is_read_again(command: Command) -> None:
    """Guards corrections: labels that change after a look or the answer are told of, and looked at anew."""
    words = f"settle {RUNS} --sheet labels.csv --max-labels 60"
    command(words)
    fill("labels.csv", 60, lambda t, d: "cannot")
    code, out, _ = command(words)
    assert code == 3
    assert "60 documents could not be judged" in out
    Path("labels.csv").write_text(Path("labels.csv").read_text().replace("cannot", ""))
    fill("labels.csv", 30)
    code, out, err = command(words)
    assert "60 labels changed since the last look; truegain looks at all labels again" in err
    assert ("could not be judged" in out, Path("settle/decision.json").exists()) == (False, code != 3)
    assert "settled before" not in err
    kept = {name: Path(f"settle/{name}").exists() for name in ("decision.json", "report.html", "labels.csv")}
    assert len(set(kept.values())) == 1, kept  # one answer, whole or not at all
    assert Path("settle/earlier.labels.csv").exists()
    fill("labels.csv", 30)
    code, _, err = command(words)
    assert "changed" not in err
    assert "settled before" not in err or code == 0


def test_a_forecast_ends_it_and_people_may_go_on(command: Command) -> None:
    """Guards near ties: given up by a forecast, and opened again where somebody wants to go on all the same."""
    words = f"settle {RUNS.replace('fixed', 'topics')} --sheet labels.csv"
    command(words)
    code, labeled = 3, 0
    while not Path("settle/decision.json").exists():
        labeled = fill("labels.csv", 10, lambda t, d: int(Random(f"{t} {d}").random() < 0.4))
        code, out, _ = command(words)
    answer = Settlement.of_json(Path("settle/decision.json").read_bytes())
    assert (code, answer.status, answer.pairs[0].forecast) == (3, "out-of-reach", True)
    assert labeled < answer.listed - 25
    assert "A forecast ended it: the chance that the other" in out
    assert "Add --keep-going to continue labeling." in out
    code, again, err = command(words)
    assert (code, again) == (3, out)
    assert "settled before" in err
    code, out, _ = command(f"{words} --keep-going")
    assert code == 3
    assert f"rows {labeled + 1} to {labeled + 25}" in out


def test_what_it_may_cost(command: Command) -> None:
    """Guards prices: what labels cost stands beside their number, and the limit of money is one of labels."""
    code, out, _ = command(f"settle {RUNS} --costs gold=0.5 --max-cost 20 --dry-run")
    assert code == 0
    assert "cost, even chance" in out
    assert re.search(r" {6,}\d+\.\d\d {6,}\d+\.\d\d$", out, re.MULTILINE), "two decimals, to the right"
    assert "labeling stops after 40 labels at the latest" in out
    least = int(re.findall(r"^ +0\.2000 +(\d+)", out, re.MULTILINE)[0])
    for most, is_said in ((least - 1, True), (least, False)):
        out = command(f"settle {RUNS} --max-labels {most} --dry-run")[1]
        assert (f"With {most} labels, none of these differences has an even chance" in out) is is_said
    code, out, err = command(f"settle {RUNS} --costs gold=0 --dry-run")
    assert (code, "cost, even chance" in out) == (0, False), err
    assert not Path("settle").exists(), "a dry run writes nothing"


def test_people_may_use_labels_that_the_judge_never_gave(command: Command) -> None:
    """Guards `--scale`: the sheet takes the labels that it names; it is kept with the folder's list."""
    words = f"settle {RUNS} --sheet labels.csv"
    code, out, err = command(f"{words} --scale 0:3")
    assert (code, "(labels 0 to 3;" in out) == (3, True), err
    fill("labels.csv", 5, lambda t, d: 3)
    for more in ("", " --scale 0:3"):
        code, out, err = command(f"{words}{more}")
        assert (code, "rows 6 to 30" in out) == (3, True), err
    code, _, err = command(f"{words} --scale 0:2")
    assert code == 2
    assert "belongs to another question" in err
    command(f"settle {RUNS} --sheet narrow.csv --folder narrow")
    fill("narrow.csv", 5, lambda t, d: 3)
    code, _, err = command(f"settle {RUNS} --sheet narrow.csv --folder narrow")
    assert code == 2
    assert "--scale of `truegain plan labels` or `truegain settle`" in " ".join(err.split())


def test_several_candidates_are_settled_together(command: Command) -> None:
    """Guards `--candidate`: each one that is named is answered, those that are not are left out."""
    for name in ("s2", "s3"):
        Path(f"{name}.run").write_text(Path("s1.run").read_text().replace(" s1\n", f" {name}\n"))
    runs = RUNS.replace("s1.run", "s1.run s2.run s3.run")
    code, out, err = command(f"settle {runs} --baseline s0 --candidate s3 --candidate s1 --dry-run")
    assert code == 0, err
    assert "Labels until the answer is known: s3, s1 against s0 on P@5" in out
    more = runs.replace("s0.run s1", "s0.run s4.run s1")
    words = f"settle {more} --baseline s1 --candidate s4 --candidate s0 --sheet l.csv"
    Path("s4.run").write_text("".join(f"{t} Q0 {d} 1 {x} s4\n" for t, row in GOLD.items() for d, x in row.items()))
    command(words)
    fill("l.csv", 20)
    code, out, _ = command(words)
    assert "s4 against s1: At this rate, " in out
    fill("l.csv", 999)
    code, out, _ = command(words)
    assert "quote the interval" not in out, "all labels are there"
    answer = Settlement.of_json(Path("settle/decision.json").read_bytes())
    assert [pair.status for pair in answer.pairs] == ["better", "worse"]
    assert (code, answer.status) == (1, "not-better"), "as `gate`: not all are better; and they are not all worse"
    code, out, err = command(f"settle {runs} --baseline s0 --candidate s3 --candidate s0 --dry-run")
    assert code == 2
    assert "s0 is compared with itself" in err


def test_labels_of_a_second_person_are_among_those_forecast(command: Command) -> None:
    """Guards the table: with a second person at every row, labels and costs are twice those of rows."""
    once, twice = (command(f"settle {RUNS} --costs gold=0.5 --dry-run --double {x}")[1] for x in (0, 1))
    numbers = [
        re.findall(r"^ +(0\.\d+) +(\d+) +(\d+) +([\d.]+) +([\d.]+)$", out, re.MULTILINE) for out in (once, twice)
    ]
    assert len(numbers[0]) == len(numbers[1]) > 3
    for one, two in zip(*numbers, strict=True):
        assert [2 * float(x) for x in one[1:]] == [float(x) for x in two[1:]]
    most = [int(re.findall(r"stops after ([\d,]+) labels", out)[0].replace(",", "")) for out in (once, twice)]
    assert most[1] == 2 * most[0]
    assert "These numbers include a second person's labels of 100% of the documents." in twice


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--max-cost 20", "--costs gold="),
        ("--max-cost 20 --costs gold=0 --sheet labels.csv", "--max-cost needs the price of a label, above 0"),
        ("--unjudged-sample sample.csv --sheet labels.csv", "--unjudged-sample: collected labels correct the"),
        ("--double 0.5 --sheet labels.csv", "--double and --sheet: a sheet has one label a row; leave one out"),
        (
            "--team-aggregate mean --sheet labels.csv",
            "--team-aggregate and --sheet: a sheet has one label a row; leave",
        ),
        (
            f"{TEXTS} --double 0.5 --people 2 --team-aggregate mean",
            "--team-aggregate mean: P@5 asks only whether a label reaches 1, so a mean below it counts as 0; give ",
        ),
        (f"{TEXTS} --double 0.5", "--double needs a second person; give --people 2"),
        ("--sheet labels.csv --topics nowhere.jsonl", "nowhere.jsonl"),
        ("", "--sheet"),
        ("--model some-model", "--model and --url go together"),
        ("--baseline s1 --candidate s1 --sheet labels.csv", "s1"),
        ("-m AP --sheet labels.csv", "AP cannot be corrected from scattered gold labels"),
        ("-m P@10 --sheet labels.csv", "give one measure"),
    ],
)
def test_refusals(command: Command, words: str, said: str) -> None:
    """Guards messages: what is wrong, and what to give instead; nothing is written."""
    runs = RUNS.replace("-m P@5", "") if words.startswith("-m AP") else RUNS
    code, _, err = command(f"settle {runs} {words}")
    assert code == 2
    assert said in err
    assert not Path("settle/decision.json").exists()


def test_runs_that_are_not_named_are_not_read(command: Command) -> None:
    """Guards the named systems: a broken run of another one does not matter, nor are its documents labeled."""
    Path("runs").mkdir()
    for name in ("s0", "s1"):
        Path(f"{name}.run").rename(f"runs/{name}.run")
    Path("runs/s9.run").write_text("broken\n")
    words = "settle llm.qrels runs -m P@5 --population fixed --dry-run"
    code, _, err = command(f"{words} --baseline s0")
    assert (code, "runs/s9.run:1" in err) == (2, True), err
    code, out, err = command(f"{words} --baseline s0 --candidate s1")
    assert (code, "s1 against s0 on P@5" in out) == (0, True), err
    Path("study.toml").write_text('judgments = "llm.qrels"\nruns = "runs"\nmeasure = "P@5"\n')
    assert command("settle study.toml --baseline s0 --candidate s1 --dry-run")[0] == 0
    code, _, err = command(f"{words} --baseline s0 --candidate s7")
    assert code == 2, "what cannot be told by names of files is looked for in all"
    assert "runs/s9.run:1" in err


def test_systems_that_are_not_named_take_no_topics_away(command: Command) -> None:
    """Guards the topics: the same list whether systems are named by file, by tag or in a table, and as in Python."""
    lines = Path("s1.run").read_text().replace(" s1\n", " s9\n").splitlines(keepends=True)
    Path("s9.run").write_text("".join(line for line in lines if int(line.split()[0]) < 12))
    for name, table in (("old", "s0"), ("new", "s1"), ("other", "s9")):
        rows = [line.split() for line in Path(f"{table}.run").read_text().splitlines()]
        Path(f"{name}.csv").write_text(
            "run,topic,doc,score\n" + "".join(f"{r[5]},{r[0]},{r[2]},{r[4]}\n" for r in rows)
        )
    named = "--baseline s0 --candidate s1 --sheet"
    options = "-m P@5 --population fixed"
    sheets: list[str] = []
    for files, way in (
        ("s0.run s1.run", ""), ("s0.run s1.run s9.run", ""), ("s0.run s1.run s9.run", "--name-by tag"),
        ("old.csv new.csv other.csv", ""),
    ):  # fmt: skip
        n = len(sheets)
        code, _, err = command(f"settle llm.qrels {files} {options} {way} {named} l{n}.csv --folder f{n}")
        assert code == 3, err
        sheets.append(Path(f"l{n}.csv").read_text())
    assert sheets[0].count("\n") > 100
    assert sheets.count(sheets[0]) == len(sheets)
    study = tg.Study(["s0.run", "s1.run"], "llm.qrels", "P@5")
    listed = Settling(study, "s0", ["s1"], population="fixed").listed
    with Path("l0.csv").open(newline="") as file:
        assert [(r["topic"], r["doc"]) for r in csv.DictReader(file)] == list(
            zip(listed.topics, listed.docs, strict=True)
        )


def test_files_without_documents_are_refused(command: Command) -> None:
    """Guards other files: preferences and logs are told what they are, and which command reads them."""
    Path("wins.csv").write_text("topic,a,b,winner\n1,x,y,a\n2,x,y,b\n3,x,y,a\n")
    code, _, err = command("settle wins.csv --baseline x --candidate y --sheet labels.csv")
    said = " ".join(err.split())
    assert code == 2
    assert "wins.csv contains preferences, which `settle` does not read; these do: `truegain verdict`" in said
    Path("study.toml").write_text('judgments = "wins.csv"\n')
    with pytest.raises(InputError, match=r"no runs are named.*call tg\.PreferenceStudy"):
        read_study("study.toml")


def test_another_question_is_refused(command: Command) -> None:
    """Guards labels: those of one question are not read as those of another, which would be a wrong answer."""
    command(f"settle {RUNS} --sheet labels.csv")
    fill("labels.csv", 25)
    code, _, err = command(f"settle {RUNS} --min-effect 0.1 --sheet labels.csv")
    assert code == 2
    assert "belongs to another question (min_effect: 0.0 before, 0.1 now)" in err
    code, _, err = command(f"settle {RUNS.replace('P@5', 'P@3')} --sheet labels.csv --folder other")
    assert code == 2
    assert "this sheet was drawn for another question" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            f"{RUNS} --seed 5",
            "belongs to another question (seed: 0 before, 5 now); its list and its labels are",
        ),
        (f"{RUNS} --seed 5 --min-effect 0.1", "(min_effect: 0.0 before, 0.1 now; seed: 0 before, 5 now)"),
        (RUNS.replace("P@5", "P@3"), "(measure: P@5 before, P@3 now)"),
        (RUNS.replace("P@5", "P@3") + " --seed 5 --sheet other.csv", "(measure: P@5 before, P@3 now; seed: 0 before"),
        (f"{RUNS} --scale 0:3", "scale 0:3: this list was drawn for labels 0 to 2"),
        (RUNS.replace("llm.qrels", "less.qrels"), "1 document of the list differs, such as topic"),
        (RUNS.replace("llm.qrels", "changed.qrels"), "the judge's label of topic 0, document x0 was"),
    ],
)
def test_what_would_draw_another_list_is_told(command: Command, words: str, said: str) -> None:
    """Guards settings that the list was drawn with: none is ignored without a word, whatever else differs."""
    command(f"settle {RUNS} --sheet labels.csv")
    fill("labels.csv", 5)
    files = list(Path().rglob("*.csv"))
    before = {path: path.read_bytes() for path in files}
    lines = Path("llm.qrels").read_text().splitlines()
    listed = Path("settle/list.csv").read_text()
    at = next(i for i, line in enumerate(lines) if f",{line.split()[0]},{line.split()[2]}," in listed)
    topic, _, doc, label = lines[at].split()
    Path("less.qrels").write_text("\n".join(lines[:at] + lines[at + 1 :]))
    Path("changed.qrels").write_text("\n".join([*lines[:at], f"{topic} 0 {doc} {1 - int(label)}", *lines[at + 1 :]]))
    code, _, err = command(f"settle {words}" + ("" if "--sheet" in words else " --sheet labels.csv"))
    text = " ".join(err.split())
    assert (code, said.replace("topic 0, document x0", f"topic {topic}, document {doc}") in text) == (2, True), text
    assert "are unchanged" in text
    assert "another --folder to start over" in text
    assert {path: path.read_bytes() for path in files} == before
    assert "rows 6 to 30" in command(f"settle {RUNS} --sheet labels.csv")[1]


def test_a_key_that_was_moved_away(command: Command) -> None:
    """Guards a sheet without its key, which the folder has too; and a folder in place of a sheet."""
    command(f"settle {RUNS} --sheet labels.csv")
    fill("labels.csv", 5)
    Path("labels.key.csv").unlink()
    code, out, err = command(f"settle {RUNS} --sheet labels.csv")
    assert (code, "rows 6 to 30" in out) == (3, True), err
    code, _, err = command(f"settle {RUNS} --sheet settle --folder other")
    assert code == 2
    assert "--sheet settle: this is a folder; name a file in it" in " ".join(err.split())


WRONG_SHEETS: dict[str, tuple[Callable[[list[list[str]]], object], str]] = {
    "no label": (
        lambda rows: [row.pop(3) for row in rows],
        "labels.csv:1: there is no column label: 'order,topic,doc,sc",
    ),
    "no order": (
        lambda rows: [row.pop(0) for row in rows],
        "labels.csv:1: there is no column order: 'topic,doc,label,",
    ),
    "no topic": (
        lambda rows: [row.pop(1) for row in rows],
        "no header that names 'topic' and 'doc': 'order,doc,label,scale,digest' (a sheet keeps the columns order,",
    ),
    "no digest": (
        lambda rows: [row.pop() for row in rows],
        "labels.csv:1: there is no column digest: 'order,topic,doc",
    ),
    "no columns": (
        lambda rows: [row.pop(0) for row in rows for _ in "12"],
        "no header that names 'topic' and 'doc': 'doc,label,scale,digest' (a sheet keeps the columns",
    ),
    "no rows": (
        lambda rows: rows.__delitem__(slice(1, None)),
        "labels.csv: this sheet has no rows (give the sheet as it",
    ),
    "text": (
        lambda rows: rows[2].__setitem__(3, "good"),
        "labels.csv:3: label is not a number: 'good' (give a label fr",
    ),
    "id": (
        lambda rows: rows[2].__setitem__(2, "d-x"),
        "in the key, and d-x here (sort whole rows, not single columns; t",
    ),
    "list": (
        lambda rows: rows[3].__setitem__(5, "sha-0"),
        "labels.csv:4: this sheet was drawn for another question: its",
    ),
}


@pytest.mark.parametrize("name", WRONG_SHEETS)
def test_a_wrong_sheet_is_told_by_file_line_value_and_remedy(command: Command, name: str) -> None:
    """Guards the hints: what is wrong with a sheet, where, and what `settle` itself can do about it."""
    command(f"settle {RUNS} --sheet labels.csv")
    fill("labels.csv", 3)
    whole = Path("labels.csv").read_text()
    with Path("labels.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    spoil, said = WRONG_SHEETS[name]
    spoil(rows)
    with Path("labels.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    code, _, err = command(f"settle {RUNS} --sheet labels.csv")
    text = " ".join(err.split())
    assert (code, said in text, "plan fill" in text) == (2, True, False), text
    Path("labels.csv").write_text(whole)
    assert "rows 4 to 28" in command(f"settle {RUNS} --sheet labels.csv")[1]


def test_a_label_off_the_scale(command: Command) -> None:
    """Guards the sheet: a label that cannot be is refused with its line, and nothing is lost."""
    command(f"settle {RUNS} --sheet labels.csv")
    text = Path("labels.csv").read_text().splitlines()
    cells = text[1].split(",")
    cells[3] = "9"
    Path("labels.csv").write_text("\n".join([text[0], ",".join(cells), *text[2:]]) + "\n")
    code, _, err = command(f"settle {RUNS} --sheet labels.csv")
    assert code == 2
    assert "labels.csv:2" in err
    assert ",9," in Path("labels.csv").read_text()


@pytest.mark.usefixtures("quick_llm")
def test_an_llm_labels_what_is_missing(command: Command) -> None:
    """Guards the way from runs alone: an LLM labels the documents of the runs, once, and people decide."""
    with served() as server:
        words = f"settle none.qrels s0.run s1.run -m P@5 --population fixed {TEXTS} --sheet labels.csv"
        code, out, err = command(f"{words} --model some-model --url {server.url}")
        assert code == 3, err
        assert "have no label: asking some-model" in err
        assert "rows 1 to 25" in out
        paid = server.paid
        assert paid >= len(Path("settle/unjudged.csv").read_text().splitlines()) - 1
        fill("labels.csv", 25)
        code, out, err = command(f"{words} --model some-model --url {server.url}")
        assert code in (0, 1, 3)
        assert server.paid == paid, "answers are kept: nothing is paid twice"
        code, _, err = command(f"{words.replace('none', 'llm')} --model some-model --url {server.url}")
        said = " ".join(err.split())
        assert (code, server.paid) == (2, paid), said
        assert re.search(r"\d+ labels of this file are not among those that the list was drawn with", said)


@pytest.mark.usefixtures("quick_llm")
def test_a_mistyped_file_of_judgments_is_told_of(command: Command) -> None:
    """Guards money: that a file is not there is said before an LLM is asked for all its labels."""
    with served() as server:
        words = f"{RUNS} {TEXTS} --sheet labels.csv --model some-model --url {server.url}"
        _, _, err = command(f"settle lmm.qrels{words.removeprefix('llm.qrels')}")
        assert "warning: lmm.qrels is not there: some-model labels all 293 documents" in " ".join(err.split())
        _, _, err = command(f"settle {words} --folder other --sheet other.csv")
        assert "is not there" not in err


def test_a_sheet_beside_the_key_of_another(command: Command) -> None:
    """Guards a remedy that settle does not have (-o), and the folder, which had begun though no sheet was written."""
    assert command("plan labels llm.qrels s0.run s1.run -m P@3 -o labels.csv")[0] == 0
    Path("labels.csv").unlink()
    code, _, err = command(f"settle {RUNS} --sheet labels.csv")
    assert (code, "name another sheet with --sheet, or move this file away" in err, "-o" in err) == (2, True, False), (
        err
    )
    assert command(f"settle {RUNS} --sheet other.csv")[0] == 3


def test_judgments_elsewhere_are_there(command: Command) -> None:
    """Guards judgments at an address, which were taken for absent: an LLM was asked for all documents."""
    llm = f"s0.run s1.run -m P@5 --population fixed {TEXTS} --model m --url http://127.0.0.1:9/v1 --dry-run"
    code, _, err = command(f"settle {Path('llm.qrels').absolute().as_uri()} {llm}")
    assert (code, "have no label" in err) == (0, False), err
    code, _, err = command(f"settle irds:no-such-collection {llm}")
    assert (code, "have no label" in err) == (2, False), err
    code, _, err = command(f"settle none.qrels {llm}")
    assert (code, "have no label, and none.qrels is not there" in err) == (2, True), err


@pytest.mark.usefixtures("quick_llm")
def test_a_server_that_goes_down_leaves_no_list(command: Command) -> None:
    """Guards labels that the LLM did not come to: no list is drawn without them, and the same command goes on."""
    down = [True]

    def behave(body: dict[str, Any], number: int) -> Any:
        return error(500, "no") if down[0] and number > 40 else as_asked(body, number)

    with served(behave) as server:
        words = f"settle none.qrels s0.run s1.run -m P@5 --population fixed {TEXTS} --sheet labels.csv --model m --url "
        code, _, err = command(f"{words}{server.url}")
        said = " ".join(err.split())
        assert code == 2, said
        assert "no list is drawn" in said
        assert "run the same command again to continue" in said
        assert not Path("settle/judgments.csv").exists()
        down[0] = False
        code, out, err = command(f"{words}{server.url}")
        assert (code, "rows 1 to 25" in out) == (3, True), err
    assert len(Path("settle/judgments.csv").read_text().splitlines()) == 1 + 293
