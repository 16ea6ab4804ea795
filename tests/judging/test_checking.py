"""`truegain annotate init` and `check`: all that is wrong, at once, and what a study takes."""

from __future__ import annotations

import html
import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truegain.cli.app import main
from truegain.data.label_list_reading import read_gold_list
from truegain.data.label_lists import GoldList
from truegain.judging.study.checking import check_study
from truegain.judging.study.display import as_html
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import Rules, read_study
from truegain.judging.tasks.catalogue import task_of

Run = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in an empty folder: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    def called(words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["truegain", "annotate", *shlex.split(words)])
        try:
            main()
            code: Any = 0
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return int(code or 0), said.out, said.err

    return called


def change(path: Path, old: str, new: str) -> None:
    """Put something else into a file; what was there must have been there."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def edit(path: Path, line: int, **values: object) -> None:
    """Change fields of one line of JSON, those that are None away."""
    lines = path.read_text().splitlines()
    said = json.loads(lines[line]) | values
    lines[line] = json.dumps({k: v for k, v in said.items() if v is not None})
    path.write_text("\n".join(lines))


def test_a_good_study(tmp_path: Path, run: Run) -> None:
    """Guards the figures: 18 of 20 documents by 10, six a unit, are 30 units a topic, and as many people at least."""
    simulated_study(tmp_path / "s")
    change(tmp_path / "s/judging.toml", "# pay = 1.5", "pay = 1.5")
    change(tmp_path / "s/judging.toml", '# currency = "EUR"', 'currency = "EUR"')
    change(tmp_path / "s/judging.toml", "# minutes = 8", "minutes = 9")
    code, out, err = run("check s")
    assert (code, err) == (0, "")
    assert "magnitude: 4 topics, 80 documents, 120 units, at most 30 of a topic" in out
    assert "judgments: 960; 10 of each of 72 items, 30 of each Hk and Nk (a topic's known highly relevant" in out
    assert "people: at least 30, each with 4 units at most" in out
    assert "minutes: 9.0 a unit (as the study says), 18.0 hours in all" in out
    assert "cost: 180.00 EUR, 1.50 a unit, about 10.00 an hour" in out
    assert "No faults. Next: truegain annotate serve s" in out


def test_what_the_division_leaves_is_told(tmp_path: Path) -> None:
    """Guards whom a rest gets: 19 documents by 10 fill 32 units of six, and two get one more."""
    simulated_study(tmp_path, topics=1, docs=21)
    found = "\n".join(check_study(tmp_path).lines())
    assert "10 of each of 17 items, 11 of each of 2 items, 32 of each Hk and Nk" in found
    assert "too few" not in found


def test_small_units_are_told(tmp_path: Path) -> None:
    """Guards units that hold fewer items than was asked for: topics with too few documents are named."""
    simulated_study(tmp_path, topics=2, docs=5)
    assert "2 topics with too few documents for units of 8: 1, 2" in check_study(tmp_path).notes


def test_minutes_are_reckoned_from_texts(tmp_path: Path) -> None:
    """Guards the time: long documents take their words, short ones the seconds that the rules ask."""
    simulated_study(tmp_path, task="graded", topics=1, docs=4, judgments=1, size=4)
    change(tmp_path / "judging.toml", "seconds = 0", "seconds = 20")
    for line in range(4):
        edit(tmp_path / "docs.jsonl", line, text="word " * (238 * (4 if line == 0 else 0) + 1))
    needs = check_study(tmp_path).needs
    assert needs is not None
    assert needs.minutes == pytest.approx(4 + 1 / 238 + 3 * 20 / 60)


def test_short_units_are_told_in_seconds(tmp_path: Path) -> None:
    """Guards `minutes: 0.0 a unit`, also where there is nothing to read and pay is told."""
    simulated_study(tmp_path / "a", task="graded", topics=1, docs=3, judgments=1, size=1, rules=Rules(seconds=0))
    for line in range(3):
        edit(tmp_path / "a/docs.jsonl", line, text="word " * 119, title=None, source=None)
    assert "seconds: 30 a unit (at 238 words a minute), 1.5 minutes in all" in check_study(tmp_path / "a").lines()
    for line in range(3):
        edit(tmp_path / "a/docs.jsonl", line, text="")
    change(tmp_path / "a/judging.toml", "# pay = 1.5", "pay = 1.5")
    told = "\n".join(check_study(tmp_path / "a").lines())
    assert "seconds: 0 a unit" in told
    assert "cost: 4.50, 1.50 a unit, without fees" in told


def test_hours_are_those_of_all_units(tmp_path: Path) -> None:
    """Guards the hours: a unit of one long document counts as long as it is, not as the middle unit."""
    simulated_study(tmp_path, task="graded", topics=1, docs=5, judgments=1, size=1)
    for line, minutes in enumerate((1, 1, 1, 1, 116)):
        edit(tmp_path / "docs.jsonl", line, text="word " * 238 * minutes)
    needs = check_study(tmp_path).needs
    assert needs is not None
    assert needs.minutes == pytest.approx(1)
    assert needs.hours == pytest.approx(2)


def test_chinese_is_read_by_its_signs(tmp_path: Path) -> None:
    """Guards time for scripts without spaces: 510 signs of Chinese are two minutes, not one word."""
    simulated_study(tmp_path, task="graded", topics=1, docs=3, judgments=1, size=1)
    for line in range(3):
        edit(tmp_path / "docs.jsonl", line, text="\u706f" * 509 + "\u3002\u95ea")
    found = check_study(tmp_path)
    assert found.needs is not None
    assert found.needs.minutes == pytest.approx(2)
    assert any("at 255 signs a minute" in line for line in found.lines())


def test_seconds_and_topics_are_the_task_s(tmp_path: Path) -> None:
    """Guards defaults by task: the paper's 20 seconds and a topic once of magnitudes, neither of labels."""
    for task, seconds, most, others in (("magnitude", 20.0, 1, 0), ("graded", 0.0, None, 2)):
        study = simulated_study(tmp_path / task, task=task, topics=1, docs=8, judgments=1)
        assert (study.rules.seconds, study.people.most_of_topic, study.rules.others) == (seconds, most, others)
        toml = tmp_path / task / "judging.toml"
        lines = [x for x in toml.read_text().splitlines() if not x.startswith(("seconds", "most_of_topic", "others"))]
        toml.write_text("\n".join(lines))
        bare = read_study(tmp_path / task)
        assert (bare.rules.seconds, bare.people.most_of_topic, bare.rules.others) == (seconds, most, others)


def test_people_who_cannot_finish_are_a_fault(tmp_path: Path, run: Run) -> None:
    """Guards the promise of check: a team that the rules do not let finish is told, however the rules stop it."""
    simulated_study(tmp_path / "s", task="graded", topics=3, docs=20, judgments=1, size=1)
    toml = tmp_path / "s/judging.toml"
    assert "; whether there are as many is not checked (number in [people] is not set)" in run("check s")[1]
    change(toml, "# number = 30", "number = 3")
    code, out, _ = run("check s")
    assert code == 0
    assert "people: at least 1, each with 60 units at most; a topic any number of times, a document once" in out
    assert "is not checked" not in out
    change(toml, 'most_of_topic = "any"', "most_of_topic = 1")
    code, out, _ = run("check s")
    assert code == 2
    assert "a topic has 20 units, which need 20 people, and there are 3" in out
    change(toml, "most_of_topic = 1", "most_of_topic = 6")
    assert "which need 4 people, and there are 3" in run("check s")[1]
    change(toml, "number = 3", "number = 1")
    assert "which need 4 people, and there is 1 (number" in run("check s")[1]
    change(toml, "number = 1", "number = 3")
    change(toml, "most_of_topic = 6", "most_of_topic = 0")
    assert "most_of_topic is 0 (give a whole number of at least 1, or 'any')" in run("check s")[1]


def test_units_that_share_documents_need_more_people(tmp_path: Path) -> None:
    """Guards the tried out number: three judgments in units of eight need more people than three, or seven."""
    simulated_study(tmp_path, task="graded", topics=1, docs=20, judgments=3, size=8)
    toml = tmp_path / "judging.toml"
    found = check_study(tmp_path)
    assert found.needs is not None
    least = found.needs.people
    assert 3 < least <= 8
    change(toml, "# number = 30", f"number = {least - 1}")
    change(toml, "others = 2", "others = 0")
    assert any("units, since nobody judges a document twice" in fault for fault in check_study(tmp_path).faults)
    change(toml, f"number = {least - 1}", f"number = {least}")
    assert check_study(tmp_path).faults == ()
    change(toml, "others = 0", f"others = {least - 2}")
    assert any(fault.startswith(f"others = {least - 2}: ") for fault in check_study(tmp_path).faults)


TAGS = "Where can I find a <title> and the <head> tag? Every page has one, says </b> the manual."


def test_a_text_with_tags_is_shown_whole(tmp_path: Path, run: Run) -> None:
    """Guards documents cut off: nothing in a text makes it HTML, and what is said to be HTML must show all words."""
    simulated_study(tmp_path / "s", task="graded", topics=1, docs=4, judgments=1, size=1)
    docs, toml = tmp_path / "s/docs.jsonl", tmp_path / "s/judging.toml"
    edit(docs, 1, text=TAGS)
    code, out, _ = run("check s")
    assert code == 0
    assert "note: 1 document with tags, which pages show as text" in out
    name = json.loads(docs.read_text().splitlines()[1])["id"]
    study = read_study(tmp_path / "s")
    assert str(as_html(study.documents[name])) == f"<p>{html.escape(TAGS, quote=False)}</p>"
    edit(docs, 1, format="html")
    code, out, _ = run("check s")
    assert code == 2
    assert f"1 document with words that pages would lose: {name} (10 of 15 words, from 'and the tag? Every" in out
    edit(docs, 1, format="markdown")
    assert f"docs.jsonl:2: document {name} has the format 'markdown' (give text or html" in run("check s")[1]
    edit(docs, 1, format=None)
    change(toml, 'format = "text"', 'format = "html"')
    assert "words that pages would lose" in run("check s")[1]
    edit(docs, 1, format="text")
    assert run("check s")[0] == 0


def test_init_keeps_the_format(tmp_path: Path, run: Run) -> None:
    """Guards `init --format`: of a whole file, and of one document that says otherwise."""
    (tmp_path / "topics.jsonl").write_text('{"id": "1", "title": "tags"}\n')
    rows = [{"id": "a", "text": "<p>One <b>two</b></p>"}, {"id": "b", "text": "three <p>", "format": "text"}]
    (tmp_path / "docs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "pool.qrels").write_text("1 0 a 1\n1 0 b 0\n")
    words = "init s --topics topics.jsonl --docs docs.jsonl --pool pool.qrels --task graded --judgments 1 --format html"
    assert run(words)[0] == 0
    documents = read_study(tmp_path / "s").documents
    assert [documents[d].format for d in "ab"] == ["html", "text"]


def test_everything_wrong_is_told_at_once(tmp_path: Path, run: Run) -> None:
    """Guards the last look before anyone is paid: one run of check tells all faults, and ends with 2."""
    simulated_study(tmp_path / "s", docs=8)
    toml, docs, topics = (tmp_path / "s" / name for name in ("judging.toml", "docs.jsonl", "topics.jsonl"))
    change(toml, 'title = "A simulated study"', 'title = ""')
    change(toml, 'language = "en"', 'language = "fr"')
    change(toml, 'platform = "open"', 'platform = "prolific"')
    change(toml, "# most = 4", "most = 5")
    change(toml, "# number = 30", "number = 9")
    change(toml, "check_tries = 3", "check_tries = 0")
    edit(docs, 2, text=None)
    edit(docs, 3, text="<p><script>x()</script><img src='a.png'></p>", format="html")
    edit(docs, 4, text="A <img src='a.png'> picture.", format="html")
    edit(docs, 5, id="another")
    lines = docs.read_text().splitlines()
    docs.write_text("\n".join([*lines, lines[6]]))
    edit(topics, 0, question=None)
    edit(topics, 1, question={"asked": "?", "options": ["a", "b", "c"], "right": "a"})
    same = json.loads(lines[16])["id"]
    edit(topics, 2, high=same, low=same)
    edit(topics, 3, high=same)
    code, out, _ = run("check s")
    assert code == 2
    for said in (
        "judging.toml:25: check_tries is 0", "the question of topic 2 has 3 options, not 4", "appears twice, first on",
        f"topic 3 has the same document, {same}, as Hk and as Nk", "topic 4 names high alone",
        "1 of the pool's documents", "1 document without text", "1 document with markup and no text: ",
        "1 topic without a question of four options: 1 ", "the study has no title", "language 'fr' is unknown",
        "Prolific's codes for completed, screened, failed are missing", "a person may take 5 units, but there are",
        "which need 10 people, and there are 9", "units are too many for 9 people",
    ):  # fmt: skip
        assert sum(said in line for line in out.splitlines() if line.startswith("wrong: ")) == 1, said
    assert "note: 2 documents with markup that pages remove (img in" in out
    assert "No faults" not in out
    assert "minutes: " in out
    assert out.count("wrong: ") == 15


@pytest.mark.parametrize(("labels", "said"), [
    ([None, None], "which check attention) are unknown for 1 topic: 1; give labels (`truegain annotate init"),
    ([1, 1], "all labels are equal in 1 topic, so that Hk would equal Nk: 1; give labels (`truegain annotate init"),
])  # fmt: skip
def test_hk_and_nk_must_be_known(tmp_path: Path, labels: list[int | None], said: str) -> None:
    """Guards check (c) of the paper: without labels, or with equal ones, there is no Hk and Nk, and none is made up."""
    simulated_study(tmp_path, topics=1, docs=5)
    rows = [json.loads(line) for line in (tmp_path / "pool.jsonl").read_text().splitlines()]
    for row, label in zip(rows, [*labels, None, None, None], strict=True):
        row["label"] = label
    (tmp_path / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert any(said in fault for fault in check_study(tmp_path).faults)


def test_what_all_topics_lack_is_told_once(tmp_path: Path) -> None:
    """Guards a list of 49 topics without labels: one sentence, which names the way out, not 49."""
    simulated_study(tmp_path, topics=12, docs=4)
    rows = [json.loads(line) | {"label": None} for line in (tmp_path / "pool.jsonl").read_text().splitlines()]
    (tmp_path / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (fault,) = check_study(tmp_path).faults
    assert fault.startswith("Hk and Nk (a topic's known highly relevant")
    assert "are unknown for 12 topics: 1, 2, 3, 4, 5 and 7 more; give labels (" in fault


def test_a_document_that_is_missing_is_told_where_its_topic_cannot_be_judged_either(tmp_path: Path) -> None:
    """Guards everything at once: a topic with too few documents, and one of them in no file."""
    simulated_study(tmp_path, topics=1, docs=3)
    rows = [json.loads(line) for line in (tmp_path / "pool.jsonl").read_text().splitlines()]
    high, low = (pick(rows, key=lambda r: r["label"]) for pick in (max, min))
    (tmp_path / "pool.jsonl").write_text("".join(json.dumps(r) + "\n" for r in (high | {"doc": "zz"}, low)))
    faults = check_study(tmp_path).faults
    assert any("topic 1 has no document beside its Hk and Nk" in fault for fault in faults)
    assert any("1 of the pool's documents not in docs.jsonl: zz (topic 1)" in fault for fault in faults)


def test_labels_stand_in_the_file_and_are_told(tmp_path: Path, run: Run) -> None:
    """Guards what assessors choose from: `init` writes the labels to be changed, `check` tells what will be shown."""
    simulated_study(tmp_path / "a", task="graded", topics=1, docs=3)
    for task in ("graded", "binary"):
        words = f"init {task} --topics a/topics.jsonl --docs a/docs.jsonl --pool a/pool.jsonl --task {task}"
        code, out, err = run(f"{words} --judgments 1")
        assert (code, err) == (0, "")
        assert out.startswith(f"Written: {task}, 1 topic, 3 documents, 3 to judge")
        assert read_study(tmp_path / task).task.options == task_of(task).options
        assert (tmp_path / task / "judging.toml").read_text().count("[[labels]]") == len(task_of(task).options)
    _, out, _ = run("check graded")
    assert "graded: 1 topic, 3 documents, 1 unit, at most 1 of a topic" in out
    assert "each with 1 unit at most" in out
    assert "labels: Highly relevant (3), Relevant (2), Slightly relevant (1), Not relevant (0)" in out
    change(tmp_path / "graded/judging.toml", 'name = "Highly relevant"', 'name = "Perfect"')
    assert "labels: Perfect (3), Relevant (2)" in run("check graded")[1]
    change(tmp_path / "binary/judging.toml", 'language = "en"', 'language = "de"')
    assert "labels: Relevant (1), Nicht relevant (0)" in run("check binary")[1]


def test_init_of_qrels(tmp_path: Path, run: Run) -> None:
    """Guards the way in: topics, documents and qrels make a study with what is needed of them, and no more."""
    simulated_study(tmp_path / "a", topics=3, docs=6)
    rows = [json.loads(line) for line in (tmp_path / "a/pool.jsonl").read_text().splitlines()]
    qrels = "".join(f"{r['topic']} 0 {r['doc']} {r['label']:g}\n" for r in rows if r["topic"] != "3")
    (tmp_path / "q.qrels").write_text(qrels + "9 0 x 1\n")
    code, out, err = run("init b --topics a/topics.jsonl --docs a/docs.jsonl --pool q.qrels --judgments 4 --size 5")
    assert (code, err) == (0, "")
    assert out.startswith("Written: b, 2 topics, 12 documents, 12 to judge\n")
    assert "1 row of the pool left out, of topics that a/topics.jsonl does not have" in out
    assert "1 topic left out, with nothing in the pool" in out
    assert run("check b")[0] == 0
    study = read_study(tmp_path / "b")
    assert (study.design.judgments, study.design.size, len(study.units)) == (4, 5, 2 * 6)
    code, out, err = run("init b --topics a/topics.jsonl --docs a/docs.jsonl --pool q.qrels")
    assert (code, out) == (2, "")
    assert "b/judging.toml: this file exists already" in err


def test_init_of_a_list_with_anchors(tmp_path: Path, run: Run) -> None:
    """Guards lists: their order, their probabilities and the list itself go along; Hk and Nk come from other labels."""
    simulated_study(tmp_path / "a", topics=2, docs=30)
    rows = [json.loads(line) for line in (tmp_path / "a/pool.jsonl").read_text().splitlines()]
    (tmp_path / "q.qrels").write_text("".join(f"{r['topic']} 0 {r['doc']} {r['label']:g}\n" for r in rows))
    listed = rows[::2]
    size = np.linspace(3, 1, len(listed))
    topics, docs = [r["topic"] for r in listed], [r["doc"] for r in listed]
    GoldList.of(topics, docs, np.ones(len(listed)), size, "ordered", "P@10", (0, 3)).write(tmp_path / "next.csv")
    words = "init b --topics a/topics.jsonl --docs a/docs.jsonl --pool next.csv --anchors q.qrels --order decisive"
    code, _, err = run(f"{words} --judgments 2")
    assert (code, err) == (0, "")
    study = read_study(tmp_path / "b")
    assert read_gold_list(study.gold_list).docs == tuple(docs)
    probability = dict(zip(docs, read_gold_list(study.gold_list).probability.tolist(), strict=True))
    for unit in study.units:
        for place, item in enumerate(unit.items):
            assert item.probability == pytest.approx(probability.get(item.docs[0], 1.0)), place
    ranks = {doc: i for i, doc in enumerate(docs)}
    first = [min(ranks.get(i.docs[0], 99) for i in unit.items if i.docs[0] != rows[0]["doc"]) for unit in study.units]
    assert first == sorted(first)


@pytest.mark.parametrize(
    ("scale", "given"),
    [
        ((0, 2), [(2, "Relevant"), (1, "Slightly relevant"), (0, "Not relevant")]),
        ((0, 1), [(1, "Relevant"), (0, "Not relevant")]),
        ((-1, 1), [(1, "Slightly relevant"), (0, "Not relevant"), (-1, "-1")]),
        ((0, 100), [(3, "Highly relevant"), (2, "Relevant"), (1, "Slightly relevant"), (0, "Not relevant")]),
    ],
)
def test_a_list_s_labels_are_what_is_chosen_from(
    tmp_path: Path, run: Run, scale: tuple[float, float], given: list[tuple[int, str]]
) -> None:
    """Guards a list that nobody could fill in: `init` takes the labels of its scale and says so."""
    code, out, _ = listed_study(tmp_path, run, "graded", scale)
    assert code == 0
    options = read_study(tmp_path / "b").task.options
    assert [(option.value, option.name) for option in options] == given
    told = ", ".join(f"{name} ({value})" for value, name in given)
    assert f"The list has the labels {scale[0]} to {scale[1]}; assessors choose from: {told}" in out
    assert run("check b")[0] == 0


def test_two_labels_are_put_as_those_of_binary_in_german_too(tmp_path: Path, run: Run) -> None:
    """Guards the words of a list of two labels in another language."""
    listed_study(tmp_path, run, "graded", (0, 1))
    change(tmp_path / "b/judging.toml", 'language = "en"', 'language = "de"')
    assert "labels: Relevant (1), Nicht relevant (0)" in run("check b")[1]


def test_labels_that_a_list_lacks_are_a_fault(tmp_path: Path, run: Run) -> None:
    """Guards judging in vain: a label off the scale of the list, or too low for its measure, is told before anyone."""
    listed_study(tmp_path, run, "graded", (0, 2))
    change(tmp_path / "b/judging.toml", "value = 2", "value = 3")
    code, out, _ = run("check b")
    assert code == 2
    assert "wrong: label 3 is not on the scale of the list, 0 to 2, which could not be filled in" in out
    assert "plan labels --scale 0:3" in out
    (tmp_path / "binary").mkdir()
    code, _, _ = listed_study(tmp_path / "binary", run, "binary", (0, 2), "binary/")
    assert code == 0
    code, out, _ = run("check binary/b")
    assert code == 0
    assert "assessors may give only 0, 1: label 2 is never given, and P@10 is that of the labels given" in out
    (tmp_path / "high").mkdir()
    listed_study(tmp_path / "high", run, "binary", (0, 2), "high/", "P(rel=2)@10")
    code, out, _ = run("check high/b")
    assert code == 2
    assert "P(rel=2)@10 counts labels from 2 on as relevant, and the highest that assessors may give is 1" in out
    (tmp_path / "claim").mkdir()
    listed_study(tmp_path / "claim", run, "magnitude", (0, 2), "claim/")
    assert "the task magnitude cannot give the labels of the list, which are 0 to 2" in run("check claim/b")[1]


def listed_study(
    folder: Path, run: Run, task: str, scale: tuple[float, float], below: str = "", measure: str = "P@10"
) -> tuple[int, str, str]:
    """Make a study `b` of a list with a scale."""
    simulated_study(folder / "a", task="graded", topics=1, docs=3)
    docs = [json.loads(line)["doc"] for line in (folder / "a/pool.jsonl").read_text().splitlines()]
    GoldList.of(["1"] * 3, docs, np.zeros(3), np.ones(3), "ordered", measure, scale).write(folder / "next.csv")
    named = f"--topics {below}a/topics.jsonl --docs {below}a/docs.jsonl --pool {below}next.csv"
    return run(f"init {below}b {named} --task {task} --judgments 1 --order decisive")


def test_a_decisive_order_has_small_units(tmp_path: Path, run: Run) -> None:
    """Guards lists whose top decides: units of 1 unless told or Hk and Nk need room; `check` tells where it is late."""
    simulated_study(tmp_path / "a", task="graded", topics=12, docs=10)
    words = "--topics a/topics.jsonl --docs a/docs.jsonl --pool a/pool.jsonl --judgments 1 --order decisive"
    rows = (tmp_path / "a/pool.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "a/pool.jsonl").write_text("".join(rows[k] for k in np.random.default_rng(1).permutation(len(rows))))
    for place, more, size in (("b", "--task graded", 1), ("c", "--task graded --size 8", 8), ("d", "", 8)):
        assert run(f"init {place} {words} {more}")[0] == 0
        assert read_study(tmp_path / place).design.size == size
    notes = [note for note in check_study(tmp_path / "c").notes if note.startswith("order decisive with units of 8")]
    assert len(notes) == 1
    assert not any("order decisive" in note for note in check_study(tmp_path / "b").notes)


@pytest.mark.parametrize(("words", "said"), [
    ("--topics none.jsonl --docs a/docs.jsonl --pool a/pool.jsonl", "none.jsonl: no such file"),
    ("--topics a/topics.jsonl --docs none.jsonl --pool a/pool.jsonl", "none.jsonl: no such file"),
    ("--topics a/topics.jsonl --docs a/docs.jsonl --pool none.qrels", "none.qrels: no such file"),
    ("--topics a/docs.jsonl --docs a/docs.jsonl --pool a/pool.jsonl", "no topic of the pool is among the topics"),
])  # fmt: skip
def test_init_refuses_and_writes_nothing(tmp_path: Path, run: Run, words: str, said: str) -> None:
    """Guards the first mistake: it is told with its file, exit 2, and no folder is left behind."""
    simulated_study(tmp_path / "a", topics=1, docs=3)
    code, out, err = run(f"init b {words}")
    assert (code, out) == (2, "")
    assert said in err
    assert not (tmp_path / "b").exists()


def test_what_does_not_fit_the_task_is_told(tmp_path: Path) -> None:
    """Guards tasks against pools of another kind: claims without a claim, pairs where one document is asked about."""
    for task, row, said in (
        ("claim", {"topic": "1", "doc": "d"}, "1 row of the pool without a `claim`"),
        ("graded", {"topic": "1", "doc": "d", "claim": "c"}, "with a claim, which graded does not ask about"),
        ("graded", {"topic": "1", "docs": ["d", "e"]}, "each row of the pool must have one document"),
        ("preference", {"topic": "1", "doc": "d"}, "a preference needs two"),
        ("preference", {"topic": "1", "docs": ["d", "d"]}, "the same document twice"),
    ):
        folder = tmp_path / f"{task}-{len(list(tmp_path.iterdir()))}"
        simulated_study(folder, task=task, topics=1, docs=3)
        (folder / "pool.jsonl").write_text(json.dumps(row))
        assert [fault for fault in check_study(folder).faults if said in fault], said


@pytest.mark.slow
def test_a_study_is_made_without_the_extra(tmp_path: Path) -> None:
    """Guards the plain install: init and check import nothing of the web, and say what a study takes."""
    simulated_study(tmp_path / "a", topics=2, docs=5)
    code = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("fastapi", "sqlalchemy", "jinja2", "nh3", "uvicorn", "alembic", "polars"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from truegain.cli.app import main
for words in ("init b --topics a/topics.jsonl --docs a/docs.jsonl --pool a/pool.jsonl", "check b"):
    sys.argv = ["truegain", "annotate", *words.split()]
    main()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "No faults" in done.stdout
