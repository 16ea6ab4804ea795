"""From a list of gold labels to a verdict: people judge it, one document nobody can, and the claim says so."""

from __future__ import annotations

import csv
import json
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.judging.walking import Time, Walker, service_of
from tests.planning.test_label_plan import world
from truegain.cli.app import main
from truegain.judging.store.database import Database, default_url
from truegain.judging.study.study import read_study

Command = Callable[[str], tuple[int, str, str]]
ROWS = 40


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command of truegain in a folder with runs, labels of a judge, topics and documents."""
    monkeypatch.chdir(tmp_path)
    runs, bronze, _ = world()
    for name in ("s0", "s1"):
        lines = [f"{t} Q0 {d} 1 {score} {name}\n" for t, row in runs[name].items() for d, score in row.items()]
        Path(f"{name}.run").write_text("".join(lines))
    Path("llm.qrels").write_text("".join(f"{t} 0 {d} {x}\n" for t, row in bronze.items() for d, x in row.items()))
    Path("topics.jsonl").write_text("".join(json.dumps({"id": t, "title": f"topic {t}"}) + "\n" for t in bronze))
    docs = {d for row in bronze.values() for d in row}
    Path("docs.jsonl").write_text("".join(json.dumps({"id": d, "text": f"About {d}."}) + "\n" for d in sorted(docs)))

    def called(words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["truegain", *shlex.split(words)])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return called


def judge_one(walker: Walker, gold: Mapping[str, Mapping[str, float]], stuck: str) -> str:
    """Someone takes the next unit and judges its document by the gold labels; '' where there is no unit."""
    if walker.enter() or (walker.step.name == "done" and walker.another()):
        return ""
    walker.consent()
    walker.send(walker.page())
    page = walker.page()
    assert page.topic is not None
    doc = page.documents[0].text.removeprefix("About ").removesuffix(".")
    topic = page.topic.title.removeprefix("topic ")
    if f"{topic} {doc}" == stuck:
        walker.send(page, "cannot", cannot="unclear")
    else:
        walker.send(page, label=f"{gold[topic][doc]:g}", reason="because")
    assert walker.step.name == "done"
    return f"{topic} {doc}"


@pytest.mark.slow
def test_one_cannot_judge_freezes_no_list(command: Command, clock: Time) -> None:
    """Guards the whole way: of 40 judged the fifth cannot be, by anyone of three; 39 labels count, and the verdict."""
    gold = world()[2]
    assert command("plan labels llm.qrels s0.run s1.run -m P@5 -o list.csv")[0] == 0
    with Path("list.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    words = "annotate init study --topics topics.jsonl --docs docs.jsonl --pool list.csv --task graded"
    assert command(f"{words} --order decisive --judgments 1")[0] == 0
    code, out, _ = command("annotate check study")
    assert code == 0
    assert "people: at least 1," in out
    database = Database(default_url("study"))
    service = service_of(read_study("study"), database, clock)
    stuck, met = f"{rows[4]['topic']} {rows[4]['doc']}", list[str]()
    walkers = [Walker(service, clock, name) for name in ("p1", "p2", "p3")]
    while len(set(met)) < ROWS:
        met += [judge_one(walker, gold, stuck) for walker in walkers]
    assert met.count(stuck) == 3, "one, and the two others that the rules name"
    assert met[:4] == [f"{row['topic']} {row['doc']}" for row in rows[:4]], "the list's own order"
    database.close()
    code, _, err = command("annotate export study -o ratings.csv --filled filled.csv")
    assert code == 0
    judged = len(set(met))
    assert f"{judged - 1} of {len(rows):,} pairs of the list have a label, 1 could not be judged and count" in err
    with Path("filled.csv").open(newline="") as file:
        filled = [row["label"] for row in csv.DictReader(file)]
    assert filled[4] == "cannot"
    assert all(label not in ("", "cannot") for at, label in enumerate(filled[:judged]) if at != 4)
    for more in ("", "--sequential", "--population fixed"):
        code, out, _ = command(f"verdict llm.qrels s0.run s1.run -m P@5 --gold filled.csv {more}")
        assert code in (0, 1)
        assert "; the interval allows for any label of 1 document that people could not judge." in out.splitlines()[0]
