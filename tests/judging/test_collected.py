"""From the service to the file: a simulated crowd walks through a study, and the export gives back what it was told."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.judging.walking import Time, Walker, small_study
from truegain.aggregation.aggregate import aggregate
from truegain.cli.annotate import export_command, status_command
from truegain.data.judgments import Judgments
from truegain.data.label_list_reading import read_gold_list
from truegain.data.label_lists import GoldList
from truegain.errors import InputError, TruegainError
from truegain.judging.export import audit_trail, collected, rating_table
from truegain.judging.store.database import Database, default_url
from truegain.judging.study.simulated import simulated_study, simulated_truth
from truegain.judging.study.study import JudgingStudy, read_study
from truegain.judging.tasks.catalogue import task_of
from truegain.judging.workflow.assessor import AssessorService
from truegain.judging.workflow.steps import Page, Person

WORDS = ("one", "two", "three", "four", "five", "six")


def judged(study: JudgingStudy, page: Page, truth: dict[str, float], scale: float, random: Random) -> dict[str, str]:
    """What an honest person fills in: by the worth of what is shown, on a scale of their own."""
    assert page.item is not None
    worth = [truth[doc.text] * random.lognormvariate(0, 0.1) for doc in page.documents]
    form = {"reason": f"because {random.choice(WORDS)} {page.step.number}"}
    if study.task.name == "magnitude":
        return {**form, "number": f"{worth[0] * scale:.3g}"}
    if study.task.name == "preference":
        return {**form, "prefer": "left" if worth[0] > worth[1] else "right"}
    if study.task.name == "claim":
        return {**form, "support": "full" if worth[0] > 15 else "none"}
    levels = [4, 15, 50] if study.task.name == "graded" else [15]
    return {**form, "label": str(int(np.searchsorted(levels, worth[0])))}


def walk(study: JudgingStudy, service: AssessorService, clock: Time, name: str, truth: dict[str, float]) -> bool:
    """One unit from the door to the code; whether there was one."""
    random = Random(name)
    scale = random.lognormvariate(0, 1)
    token = service.enter(Person("open", name)).token
    while token and (step := service.where(token)).name != "done":
        page = service.page(token, step)
        form = {"csrf": page.csrf, "once": page.once, "action": "next"}
        if step.name == "consent":
            form["consent"] = "yes"
        elif page.practice is not None:
            form["number"] = str(page.practice.length * 10)
        elif step.name == "topic" and page.options and page.topic is not None:
            right = study.topics[page.topic.id].question
            form["choice"] = next(v for v, text in page.options if right is None or text == right.options[right.right])
        elif step.name == "doc":
            clock.go(30)
            form |= judged(study, page, truth, scale, random)
        service.send(token, step, form)
    return bool(token)


def check_order(task: str, rows: list[dict[str, str]], truth: dict[str, float]) -> None:
    """What is worth twice as much, seven standard deviations of the noise, is never worth less in the file."""
    if task == "preference":
        clear = [
            r
            for r in rows
            if max(truth[r["doc_a"]], truth[r["doc_b"]]) >= 2 * min(truth[r["doc_a"]], truth[r["doc_b"]])
        ]
        assert clear
        assert all(float(r["label"]) == float(truth[r["doc_a"]] > truth[r["doc_b"]]) for r in clear)
        return
    if task == "claim":
        assert all(r["label"] == ("2" if truth[r["passage"]] > 15 else "0") for r in rows)
        return
    is_magnitude = task == "magnitude"
    gains = aggregate("ratings.csv", None if is_magnitude else "mean", normalize="geometric" if is_magnitude else None)
    of = dict(zip(gains.docs.strings(), gains.label.tolist(), strict=True))
    for a, b in permutations(of, 2):
        if a.split("-")[0] == b.split("-")[0] and truth[a] >= 2 * truth[b]:
            assert of[a] > of[b] or (not is_magnitude and of[a] == of[b])


@pytest.mark.few(1)
@pytest.mark.parametrize("task", ["magnitude", "graded", "binary", "preference", "claim"])
def test_a_crowd_is_read_back(
    task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards the road from forms to gains: every finished judgment is in the file once, in the order of truth."""
    monkeypatch.chdir(tmp_path)
    study = simulated_study("study", task=task, topics=2 if task == "magnitude" else 1, docs=8, judgments=2)
    truth = {t.doc: float(t.worth) for t in simulated_truth("study")}
    seen = {study.documents[doc].text: worth for doc, worth in truth.items()}  # pages tell no ids
    database, clock = Database(default_url("study")), Time()
    service = AssessorService(study, database, clock=clock)
    finished = 0
    for k in range(2 * len(study.units)):
        finished += walk(study, service, clock, f"p{k}", seen)
    assert finished == len(study.units)
    export_command(
        "study", output="ratings.csv", audit="audit.jsonl", wins="wins.csv" if task == "preference" else None
    )
    rows = list(csv.DictReader(Path("ratings.csv").read_text().splitlines()))
    assert len(rows) == sum(len(unit.items) for unit in study.units)
    wanted = {(u.id, i.key.split()[0]) for u in study.units for i in u.items}
    got = {(r["unit"], r.get("left") or r.get("passage") or r["doc"]) for r in rows}
    assert got == wanted
    assert {r["seconds"] for r in rows} == {"30.0"}
    assert not any(r["assessor"].startswith("p") and r["assessor"][1:].isdigit() for r in rows)
    events = [json.loads(line) for line in Path("audit.jsonl").read_text().splitlines()]
    assert sum(e["kind"] == "done" for e in events) == len(study.units)
    check_order(task, rows, truth)
    status_command(folder="study")
    said = capsys.readouterr()
    assert f"{finished} of {finished} units finished (100%), 0 being judged" in said.out
    assert "agreement: Krippendorff's alpha" in said.out
    assert f"{len(rows):,} ratings" in said.err
    database.close()


def test_nothing_is_made_where_nothing_was_collected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards commands that look: a study that was never served has no database afterwards either."""
    monkeypatch.chdir(tmp_path)
    simulated_study("study", topics=1, docs=9, judgments=1)
    before = sorted(p.name for p in Path("study").iterdir())
    for command in (export_command, status_command):
        with pytest.raises(TruegainError, match=r"nothing was collected yet: there is no study/judging\.sqlite"):
            command(folder="study")
        with pytest.raises(TruegainError, match=r"nothing was collected yet: there is no study/other\.sqlite"):
            command(folder="study", database="sqlite:///study/other.sqlite")
    assert sorted(p.name for p in Path("study").iterdir()) == before
    Database(default_url("study")).close()
    with pytest.raises(TruegainError, match="the pool of this study is not a list"):
        export_command("study", filled="filled.csv")


def test_rows_are_the_databases(database: Database, tmp_path: Path) -> None:
    """Guards the columns that export and status lean on, on either database: the last revision, no practice."""
    study, clock = small_study(tmp_path, topics=2, per_topic=1, task=task_of("magnitude")), Time()
    service = AssessorService(study, database, clock=clock)
    for name in ("w1", "w2"):
        walker = Walker(service, clock, name)
        walker.to_documents()
        walker.judge("7", reason="first \u00bd")
        walker.send(walker.page(), "back")
        walker.judge("", reason="second")
        if name == "w1":
            walker.rest()
    rows = collected(database).ratings()
    assert [(r["outcome"], r["number"], r["revision"], r["late"]) for r in rows if r["number"] == 1] == [
        ("done", 1, 2, False), (None, 1, 2, False),
    ]  # fmt: skip
    table = rating_table(study, rows)
    assert (len(table), table.left_out) == (4, {"unfinished": 1})
    assert sorted(zip(table.columns["doc"], table.columns["anchor"], strict=True)) == [
        (f"t1-secret-1-{i}", {0: "high", 3: "low"}.get(i, "")) for i in range(4)
    ]
    assert table.columns["label"] == [100.0 - 10 * int(doc[-1]) for doc in table.columns["doc"]]
    assert set(table.columns["probability"]) == {0.5}
    trail = list(audit_trail(database))
    assert [e["id"] for e in trail] == sorted(e["id"] for e in trail)
    assert sum(e["kind"] == "done" for e in trail) == 1


def test_a_drawn_list_comes_back_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the way of a list of `plan labels`: into a study, through people, back with labels from its top."""
    monkeypatch.chdir(tmp_path)
    study = simulated_study("study", task="graded", topics=1, docs=8, judgments=1)
    pairs = [("1", doc) for doc in study.documents]
    topics, docs = [t for t, _ in pairs], [d for _, d in pairs]
    GoldList.of(topics, docs, np.zeros(8), np.ones(8), "random", "P@10", (0, 3)).write("next.csv")
    monkeypatch.setattr("truegain.judging.study.study.read_study", lambda _: replace(study, gold_list="next.csv"))
    truth = {t.doc: float(t.worth) for t in simulated_truth("study")}
    seen = {study.documents[doc].text: worth for doc, worth in truth.items()}
    database, clock = Database(default_url("study")), Time()
    assert walk(study, AssessorService(study, database, clock=clock), clock, "p1", seen)
    database.close()
    export_command("study", output="ratings.csv", filled="filled.csv")
    back = read_gold_list("filled.csv")
    grades = {t.doc: t.grade for t in simulated_truth("study")}
    assert back.judged == 8
    assert [abs(label - grades[doc]) <= 1 for label, doc in zip(back.label.tolist(), docs, strict=True)] == [True] * 8


def test_ratings_are_written_where_a_list_cannot_be_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards ratings that nobody could get out: labels off the list's scale stop the list alone, and say the way on."""
    monkeypatch.chdir(tmp_path)
    study = simulated_study("study", task="graded", topics=1, docs=8, judgments=1)
    docs = list(study.documents)
    GoldList.of(["1"] * 8, docs, np.zeros(8), np.ones(8), "random", "P@10", (0, 0)).write("next.csv")
    monkeypatch.setattr("truegain.judging.study.study.read_study", lambda _: replace(study, gold_list="next.csv"))
    seen = {study.documents[t.doc].text: float(t.worth) for t in simulated_truth("study")}
    database, clock = Database(default_url("study")), Time()
    assert walk(study, AssessorService(study, database, clock=clock), clock, "p1", seen)
    database.close()
    capsys.readouterr()
    with pytest.raises(InputError, match="not on the scale 0 to 0 of the list") as error:
        export_command("study", output="ratings.csv", filled="filled.csv")
    assert "truegain plan fill next.csv ratings.csv -o filled.csv" in str(error.value)
    assert not Path("filled.csv").exists()
    assert len(Judgments.of("ratings.csv")) == 8
    assert capsys.readouterr().err == "8 ratings\n"


@pytest.mark.slow
def test_judgments_stay_with_the_documents_they_were_given_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards a study that was changed after it began: another seed puts other documents into units of the same name."""
    monkeypatch.chdir(tmp_path)
    study = simulated_study("study", task="graded", topics=2, docs=9, judgments=1, size=4)
    truth = {t.doc: float(t.worth) for t in simulated_truth("study")}
    seen = {study.documents[doc].text: worth for doc, worth in truth.items()}
    database, clock = Database(default_url("study")), Time()
    service = AssessorService(study, database, clock=clock)
    assert sum(walk(study, service, clock, f"p{k}", seen) for k in range(2 * len(study.units))) == len(study.units)
    database.close()
    export_command("study", output="before.csv")
    toml = Path("study/judging.toml")
    toml.write_text(re.sub(r"^seed = 0", "seed = 7", toml.read_text(), flags=re.M))
    changed = read_study("study")
    assert [u.id for u in changed.units] == [u.id for u in study.units]
    assert changed.units != study.units
    export_command("study", output="after.csv")
    assert Path("after.csv").read_text() == Path("before.csv").read_text()
    capsys.readouterr()
    status_command(folder="study")
    assert f"{len(study.units)} of {len(study.units)} units finished (100%)" in capsys.readouterr().out
