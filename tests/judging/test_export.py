"""The export: every command reads it unchanged, nothing counts that should not, nothing is lost that was asked for."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import Run
from tests.cli.conftest import folder as folder
from tests.cli.conftest import run as run
from tests.judging.made import CLAIM, WORTH, made_rows, made_study
from truegain.data.ratings import read_ratings
from truegain.errors import InputError, TruegainError
from truegain.judging.export import Collected, Wanted, rating_table, win_table, write_audit
from truegain.judging.study.study import JudgingStudy, Rules

EVERYTHING = Wanted(unfinished=True, excluded=True, cannot=True, judges="all")


def changed(found: Collected, **changes: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Collected:
    """The same rows, some of them changed; for each table a function from a row to what is new in it."""
    return replace(found, **{n: [{**r, **(f(dict(r)) or {})} for r in getattr(found, n)] for n, f in changes.items()})


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def truth(study: JudgingStudy) -> str:
    """Experts' grades of the made documents, as lines of a qrels file."""
    grades = {doc: np.searchsorted([4, 15, 50], WORTH[doc[0]]) for doc in study.documents}
    return "".join(f"{doc[1:]} 0 {doc} {grade}\n" for doc, grade in grades.items())


def runs(folder: Path, study: JudgingStudy) -> Sequence[str]:
    """Two runs: one in the order of worth, one the other way round."""
    for name, sign in (("good", 1), ("bad", -1)):
        scored = [(doc[1:], doc, sign * WORTH[doc[0]]) for doc in study.documents]
        (folder / f"{name}.run").write_text("".join(f"{t} Q0 {d} 0 {s} {name}\n" for t, d, s in scored))
    return "bad.run", "good.run"


def test_every_command_reads_magnitudes_unchanged(run: Run, folder: Path) -> None:
    """Guards the issue's promise: agree, gains, eval, verdict and the magnitudes experiment take the file as it is."""
    study = made_study(topics=3, people=3)
    rating_table(study, made_rows(study).ratings()).write(folder / "ratings.csv")
    (folder / "expert.qrels").write_text(truth(study))
    both = runs(folder, study)
    code, out, err = run("agree", "ratings.csv", "--normalize", "geometric")
    assert code == 0, err
    assert "alpha ratio" in out
    for how in ("geometric", "median", "range", "anchors"):
        code, _, err = run("aggregate", "ratings.csv", "--normalize", how, "-o", f"{how}.csv")
        assert code == 0, err
        gains = {(row["topic"], row["doc"]): float(row["gain"]) for row in read(folder / f"{how}.csv")}
        for topic in study.topics:
            order = sorted(WORTH, key=lambda d, t=topic, g=gains: -g[t, f"{d}{t}"])  # type: ignore[misc]
            assert order == list(WORTH), how
    code, out, err = run("eval", "ratings.csv", *both, "--normalize", "geometric", "-m", "nDCG@10")
    assert code == 0, err
    assert "good" in out
    code, out, err = run("verdict", "ratings.csv", *both, "--normalize", "geometric", "-m", "nDCG@10")
    assert code == 0, err
    assert out.startswith("good is better than bad: +")
    code, out, err = run("experiment", "magnitudes", "ratings.csv", "--expert", "expert.qrels", "--show", "units",
                         "--format", "csv")  # fmt: skip
    assert code == 0, err
    shown = list(csv.DictReader(out.splitlines()))
    assert len(shown) == len(study.units)
    assert all(float(row["Hk/Nk"]) > 20 for row in shown)


def test_every_command_reads_grades_unchanged(run: Run, folder: Path) -> None:
    """Guards the same for labels, with the rules that graded and binary ratings are made into gains by."""
    for task in ("graded", "binary"):
        study = made_study(task, topics=4)
        rating_table(study, made_rows(study).ratings()).write(folder / f"{task}.csv")
        both = runs(folder, study)
        code, out, err = run("agree", f"{task}.csv", "--scale", "ordinal 0:3")
        assert code == 0, err
        assert "alpha ordinal" in out
        for rule in ("majority", "mean", "unanimity"):
            code, _, err = run("eval", f"{task}.csv", *both, "--aggregate", rule, "--scale", "0:3", "-m", "nDCG@10")
            assert code == 0, err
        code, out, err = run("verdict", f"{task}.csv", *both, "--aggregate", "mean", "-m", "nDCG@10")
        assert code == 0, err


def test_columns_hold_what_the_design_says() -> None:
    """Guards unit, anchor, order and probability: by the place in the unit, whatever the order shown."""
    study = made_study()
    found = made_rows(study)
    columns = rating_table(study, found.ratings()).columns
    items = {(u.id, i.docs[0]): (i.probability, u, k) for u in study.units for k, i in enumerate(u.items)}
    orders = {s["unit"]: s["plan"]["order"] for s in found.sessions}
    names = ("unit", "doc", "probability", "anchor", "order", "topic")
    for unit, doc, probability, anchor, order, topic in zip(*(columns[n] for n in names), strict=True):
        wanted, of, place = items[unit, doc]
        assert (probability, topic) == (wanted, of.topic)
        assert anchor == {0: "high", 7: "low"}.get(place, "")
        assert orders[unit][order - 1] == place
    assert len(columns["doc"]) == 8 * len(study.units)


def test_the_last_revision_counts() -> None:
    """Guards append-only answers: one row an item, with the number of its revision."""
    study = made_study(topics=1, people=1)
    found = made_rows(study)
    again = {**found.answers[2], "id": 99, "revision": 2, "value": 7.0, "typed": "7"}
    for answers in ([*found.answers, again], [again, *found.answers]):
        columns = rating_table(study, replace(found, answers=answers).ratings()).columns
        at = columns["order"].index(3)
        assert (columns["label"][at], columns["typed"][at], columns["revision"][at]) == (7.0, "7", 2)
        assert len(columns["label"]) == 8


def test_only_finished_units_of_those_not_excluded_count() -> None:
    """Guards what counts: the rest is counted by why, and comes flagged when it is asked for."""
    study = made_study()
    found = changed(
        made_rows(study),
        sessions=lambda r: {"outcome": None} if r["id"] == "s0" else {"outcome": "failed", "flags": ["paste"]}
        if r["id"] == "s1" else None,
        assessors=lambda r: {"excluded": "pastes"} if r["id"] == "a-1" else None,
        answers=lambda r: {"late": True} if r["session"] == "s2" else None,
    )  # fmt: skip
    usual = rating_table(study, found.ratings())
    assert usual.left_out == {"unfinished": 16, "excluded": 24}
    assert set(usual.columns["outcome"]) == {"done"}
    assert "a-1" not in usual.columns["assessor"]
    assert {f for f, unit in zip(usual.columns["flags"], usual.columns["unit"], strict=True) if unit == "3-0"} == {
        "late"
    }
    whole = rating_table(study, found.ratings(), EVERYTHING)
    assert (len(whole), whole.left_out) == (8 * len(study.units), {})
    flags = dict(zip(whole.columns["unit"], whole.columns["flags"], strict=True))
    assert (flags["1-0"], flags["2-0"], flags["1-1"], flags["1-2"]) == (
        "unfinished", "paste;unfinished", "excluded", "",
    )  # fmt: skip


def test_cannot_judge_is_empty_and_never_0(folder: Path, run: Run) -> None:
    """Guards missing ratings: out by default, with an empty label and the reason when asked for, and then dropped."""
    study = made_study(topics=1)
    found = changed(
        made_rows(study),
        answers=lambda r: (
            {"value": None, "typed": "", "cannot": "language", "note": "Finnish"} if r["id"] == 3 else None
        ),
    )
    usual = rating_table(study, found.ratings())
    assert usual.left_out == {"cannot": 1}
    assert len(usual) == 31
    whole = rating_table(study, found.ratings(), Wanted(cannot=True))
    whole.write(folder / "all.csv")
    (row,) = [r for r in read(folder / "all.csv") if r["cannot"]]
    assert (row["label"], row["cannot"], row["note"]) == ("", "language", "Finnish")
    code, _, err = run("aggregate", "all.csv", "--normalize", "geometric", "--missing", "drop", "-o", "g.csv")
    assert code == 0, err
    assert len(whole.judgments()) == 31


def test_nothing_of_a_withdrawn_session_is_exported() -> None:
    """Guards withdrawal: even where rows were left behind and everything is asked for."""
    study = made_study()
    found = changed(made_rows(study), sessions=lambda r: {"outcome": "withdrawn"} if r["id"] == "s0" else None)
    assert "1-0" not in rating_table(study, found.ratings(), EVERYTHING).columns["unit"]


def test_people_and_models_are_not_mixed_unasked() -> None:
    """Guards against ratings of a model among those of people: people's where there are any, and the rest is told."""
    study = made_study()
    found = changed(made_rows(study), assessors=lambda r: {"kind": "model"} if r["id"] == "a-0" else None)
    usual = rating_table(study, found.ratings())
    assert usual.left_out == {"models": 24}
    assert set(rating_table(study, found.ratings(), Wanted(judges="models")).columns["assessor"]) == {"a-0"}
    assert len(rating_table(study, found.ratings(), Wanted(judges="all"))) == 96
    alone = changed(found, assessors=lambda _: {"kind": "model"})
    assert len(rating_table(study, alone.ratings())) == 96


def test_earlier_numbers_that_were_shown_are_told() -> None:
    """Guards the variant of the study: each row says it."""
    study = replace(made_study(), rules=Rules(show_previous=True))
    assert set(rating_table(study, made_rows(study).ratings()).columns["flags"]) == {"previous-shown"}


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
def test_what_people_wrote_is_read_back(folder: Path, ending: str) -> None:
    """Guards typed text of any kind in every format: lines, quotes, separators; no spreadsheet runs it."""
    nasty = ['a "quoted", text\nof\ttwo lines', "=HYPERLINK(1)", "@x", "\u5149 \U0001f600", "plain"]
    study = made_study(topics=1, people=1)
    found = changed(made_rows(study), answers=lambda r: {"reason": nasty[r["id"] % 5]})
    table = rating_table(study, found.ratings())
    table.write(folder / f"r.{ending}")
    back = read_ratings(folder / f"r.{ending}")
    assert back.label.tolist() == table.columns["label"]
    harmless = {t: f"'{t}" if t[0] in "=@" and ending[0] in "ct" else t for t in nasty}
    assert list(back.extra["comment"]) == [harmless[t] for t in table.columns["comment"]]
    assert list(map(str, back.extra["anchor"])).count("high") == 1


def test_writing_is_whole_or_not_at_all(folder: Path) -> None:
    """Guards a file that is there: an ending that no table has leaves it alone."""
    study = made_study(topics=1, people=1)
    table = rating_table(study, made_rows(study).ratings())
    (folder / "r.qrels").write_text("before")
    with pytest.raises(TruegainError, match=r"end the path in \.csv"):
        table.write(folder / "r.qrels")
    assert (folder / "r.qrels").read_text() == "before"
    with pytest.raises(InputError, match="cannot be written"):
        table.write(folder / "none" / "r.csv")


def test_nothing_yet_is_said_with_why() -> None:
    """Guards the first minutes of a study: an error that tells what there is, not an empty file."""
    study = made_study()
    with pytest.raises(TruegainError, match="nothing to export yet: no answers"):
        rating_table(study, [])
    found = changed(made_rows(study), sessions=lambda _: {"outcome": None})
    with pytest.raises(TruegainError, match="96 of units that were not finished"):
        rating_table(study, found.ratings(), Wanted(judges="all"))


def test_a_study_that_changed_is_refused() -> None:
    """Guards against labels under the wrong document: answers to a unit that is not in the study."""
    study = made_study()
    with pytest.raises(InputError, match="unit 1-0 was judged, but is not in the study"):
        rating_table(replace(study, units=study.units[1:]), made_rows(study).ratings())


def test_preferences(folder: Path, run: Run) -> None:
    """Guards which side won: whatever side a document stood on, the pair is one item and its first the better one."""
    study = made_study("preference")
    found = changed(made_rows(study), answers=lambda r: {"value": 0.0, "typed": "same"} if r["id"] == 1 else None)
    pairs = rating_table(study, found.ratings())
    better = {d: w for t in study.topics for d, w in ((f"{x}{t}", WORTH[x]) for x in WORTH)}
    names = ("doc", "doc_a", "doc_b", "left", "label", "typed")
    for doc, a, b, left, label, typed in zip(*(pairs.columns[n] for n in names), strict=True):
        assert (doc, a < b, left in (a, b)) == (f"{a}|{b}", True, True)
        assert label == (0.5 if typed == "same" else float(better[a] > better[b]))
    assert set(pairs.columns["typed"]) == {"left", "right", "same"}
    pairs.write(folder / "pairs.csv")
    code, out, err = run("agree", "pairs.csv", "--scale", "ordinal 0:1")
    assert code == 0, err
    assert "alpha ordinal" in out
    win_table(study, found.ratings()).write(folder / "wins.csv")
    rows = read(folder / "wins.csv")
    assert {r["doc"][0]: r["label"] for r in rows if r["assessor"] == "a-1"}["h"] == "1"
    assert all(float(r["label"]) == (int(r["wins"]) + int(r["ties"]) / 2) / (
        int(r["wins"]) + int(r["ties"]) + int(r["losses"])) for r in rows)  # fmt: skip
    code, _, err = run("eval", "wins.csv", *runs(folder, study), "--aggregate", "mean", "-m", "nDCG@10")
    assert code == 0, err


def test_claims(folder: Path, run: Run) -> None:
    """Guards claims as items of their own: passage and claim, named without white space, the sentence beside it."""
    study = made_study("claim")
    table = rating_table(study, made_rows(study).ratings())
    table.write(folder / "claims.csv")
    row = read(folder / "claims.csv")[0]
    passage, _, digest = row["doc"].partition("#")
    assert (passage, row["claim"], len(digest)) == (row["passage"], CLAIM, 8)
    assert (row["probability"], len(set(table.columns["doc"]))) == ("0.5", 24)
    code, _, err = run("aggregate", "claims.csv", "--aggregate", "mean", "-o", "g.qrels")
    assert code == 0, err
    with pytest.raises(TruegainError, match="wins are computed from preferences; the task of this study is claim"):
        win_table(study, made_rows(study).ratings())


def test_the_audit_trail_is_lines_of_json(folder: Path) -> None:
    """Guards the trail: one object an event, valid JSON whatever an event holds."""
    events = [{"id": 1, "kind": "answer", "about": {"value": math.nan, "typed": "\u00bd\n"}}, {"id": 2, "about": {}}]
    assert write_audit(folder / "audit.jsonl", iter(events)) == 2
    lines = [json.loads(line) for line in (folder / "audit.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines == [{"id": 1, "kind": "answer", "about": {"value": None, "typed": "\u00bd\n"}}, {"id": 2, "about": {}}]


def test_what_a_list_of_what_to_judge_next_asked_for_stays_marked(tmp_path: Path) -> None:
    """Guards the mark on its way out: ratings of such items have it, and gains made of them."""
    study = made_study(topics=2, people=2)
    first = study.units[0].items[0].docs[0]
    assert "chosen" not in rating_table(study, made_rows(study).ratings()).columns
    units = [
        replace(u, items=tuple(replace(i, chosen="next" if i.docs[0] == first else "") for i in u.items))
        for u in study.units
    ]
    marked = replace(study, units=tuple(units))
    table = rating_table(marked, made_rows(marked).ratings())
    table.write(tmp_path / "ratings.csv")
    for found in (read_ratings(tmp_path / "ratings.csv"), table.judgments()):
        docs = {doc for doc, mark in zip(found.docs.strings(), found.chosen_rows, strict=True) if mark}
        assert docs == {first}


def test_no_id_is_a_formula(tmp_path: Path) -> None:
    """Guards spreadsheets: an id that would be run gets a quote, in CSV and TSV alone, and is read back as it was."""
    study = made_study("graded", topics=1, people=2)
    bad = {"a1": "=HYPERLINK(1)", "b1": "+1+1", "c1": "@x", "d1": "-12"}
    units = tuple(
        replace(u, items=tuple(replace(i, docs=(bad.get(i.docs[0], i.docs[0]),)) for i in u.items)) for u in study.units
    )
    table = rating_table(replace(study, units=units), made_rows(study).ratings())
    for ending in ("csv", "tsv", "jsonl"):
        path = tmp_path / f"ratings.{ending}"
        table.write(path)
        text = path.read_text()
        assert ("'=HYPERLINK(1)" in text, "'+1+1" in text, "'@x" in text) == ((ending != "jsonl"),) * 3
        assert "'-12" not in text
        assert set(bad.values()) <= set(read_ratings(path).docs.strings())


def test_unfinished_is_what_there_is() -> None:
    """Guards --unfinished where nobody has finished yet: people's answers come out, flagged."""
    study = made_study("graded", topics=1, people=2)
    going = changed(made_rows(study), sessions=lambda _: {"outcome": None})
    with pytest.raises(TruegainError, match="nothing to export yet"):
        rating_table(study, going.ratings())
    table = rating_table(study, going.ratings(), Wanted(unfinished=True))
    assert len(table) == 16
    assert set(table.columns["kind"]) == {"human"}
    assert all("unfinished" in flags for flags in table.columns["flags"])
