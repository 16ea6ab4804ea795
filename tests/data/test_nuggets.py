"""Files of nuggets and of assignments: every form gives the same table, and mistakes are told with their place."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

import truegain as tg
from truegain.data.nuggets import gold_nuggets
from truegain.io.nugget_files import is_nuggets

BANK = [
    ("q1", "n1", "it rains", "vital"),
    ("q1", "n2", "it snows", "okay"),
    ("q2", "n1", "it thaws", "vital"),
]
ASSIGNED = [
    ("q1", "a", "it rains", "support"), ("q1", "a", "it snows", "partial_support"), ("q2", "a", "it thaws", "failed"),
    ("q1", "b", "it rains", "not_support"), ("q1", "b", "it snows", "support"), ("q2", "b", "it thaws", "support"),
]  # fmt: skip
VALUES = [1.0, 0.5, math.nan, 0.0, 1.0, 1.0]


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """A file of JSON lines, or of CSV."""
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def bank(folder: Path, ending: str = "jsonl", **names: str) -> Path:
    """Which nuggets there are."""
    columns = ("qid", "nugget_id", "nugget", "importance")
    rows = [{names.get(c, c): x for c, x in zip(columns, row, strict=True)} for row in BANK]
    return lines(folder / f"nuggets.{ending}", rows)


def assigned(folder: Path, ending: str = "jsonl", by_id: bool = False, **more: Any) -> Path:
    """What answers support."""
    ids = {(topic, text): name for topic, name, text, _ in BANK}
    rows = [
        {"qid": q, "run_id": run, "nugget": ids[q, text] if by_id else text, "assignment": word, **more}
        for q, run, text, word in ASSIGNED
    ]
    return lines(folder / f"assignments.{ending}", rows)


def nested(folder: Path) -> Path:
    """The same as nuggetizer writes it."""
    kind = {(topic, text): importance for topic, _, text, importance in BANK}
    records: dict[tuple[str, str], list[dict[str, str]]] = {}
    for q, run, text, word in ASSIGNED:
        nugget = {"text": text, "importance": kind[q, text], "assignment": word}
        records.setdefault((q, run), []).append(nugget)
    rows = [
        {"query": "?", "qid": q, "answer_text": "it", "response_length": 1, "run_id": run, "nuggets": nuggets}
        for (q, run), nuggets in records.items()
    ]
    return lines(folder / "final_assignments.jsonl", rows)


def table(items: tg.Items) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Value and weight by system, topic and nugget; -1 for a missing value."""
    keys = zip(items.system.strings(), items.topic.strings(), items.item.strings(), strict=True)
    values = [-1.0 if math.isnan(value) else value for value in items.value.tolist()]
    return dict(zip(keys, zip(values, items.weight.tolist(), strict=True), strict=True))


def test_all_forms_give_the_same_table(tmp_path: Path) -> None:
    """Guards flat JSONL and CSV, nuggets by id or by text, and nuggetizer's records: the same values and weights."""
    weight = {(topic, text): 1.0 if kind == "vital" else 0.5 for topic, _, text, kind in BANK}
    right = {
        (run, q, text): (-1.0 if math.isnan(value) else value, weight[q, text])
        for (q, run, text, _), value in zip(ASSIGNED, VALUES, strict=True)
    }
    assert table(tg.read_nuggets(nested(tmp_path))) == right
    ids = {text: name for _, name, text, _ in BANK}
    by_name = {(run, q, ids[text]): both for (run, q, text), both in right.items()}
    for ending in ("jsonl", "csv"):
        for by_id in (False, True):
            files = [bank(tmp_path, ending), assigned(tmp_path, ending, by_id)]
            assert all(map(is_nuggets, files))
            items = tg.read_nuggets(files)
            assert table(items) == by_name
            assert items.missing("support") == {"a": {"failed": 1}}
    assert table(tg.read_nuggets([assigned(tmp_path), bank(tmp_path)])) == by_name
    (tmp_path / "banks.jsonl").write_text(
        json.dumps({"qid": "q1", "query": "?", "nuggets": [{"text": "it rains", "importance": "vital"},
                                                            {"text": "it snows", "importance": "okay"}]}) + "\n"
        + json.dumps({"qid": "q2", "query": "?", "nuggets": [{"text": "it thaws", "importance": "vital"}]})
    )  # fmt: skip
    assert table(tg.read_nuggets([tmp_path / "banks.jsonl", assigned(tmp_path)])) == right


def test_a_file_of_one_system_is_named_by_its_file(tmp_path: Path) -> None:
    """Guards files that name no run."""
    files = []
    for name in ("old", "new"):
        rows = [{"qid": "q1", "nugget": text, "assignment": "support"} for text in ("it rains", "it snows")]
        files.append(lines(tmp_path / f"{name}.jsonl", rows))
    items = tg.read_nuggets([bank(tmp_path), *files])
    assert items.systems == ("old", "new")


def test_what_an_answer_lacks_is_missing(tmp_path: Path) -> None:
    """Guards against answers that seem to have fewer nuggets: those not assigned are missing, by that name."""
    path = assigned(tmp_path)
    rows = path.read_text().splitlines()
    path.write_text("\n".join(rows[:1] + rows[2:]))
    items = tg.read_nuggets([bank(tmp_path), path])
    assert len(items) == 6
    assert items.missing("support") == {"a": {"failed": 1, "not assigned": 1}}


def test_unknown_importance_counts_in_a_alone(tmp_path: Path) -> None:
    """Guards importance 'failed': weight 0, told; without any importance V is refused, and A is not."""
    records = [json.loads(line) for line in nested(tmp_path).read_text().splitlines()]
    for record in records:
        record["nuggets"][0]["importance"] = "failed"
    path = lines(tmp_path / "f.jsonl", records)
    with pytest.warns(UserWarning, match="importance of 2 nuggets of 3 is unknown: they count in A, and are left out"):
        items = tg.read_nuggets(path)
    assert sorted(items.weight.tolist()) == [0.0, 0.0, 0.0, 0.0, 0.5, 0.5]
    alone = tg.read_nuggets(assigned(tmp_path))
    with pytest.raises(tg.InputError, match="V_strict: the importance of no nugget is known"):
        tg.Study(alone, measures="V_strict")


def test_records_without_nuggets_are_told(tmp_path: Path) -> None:
    """Guards topics that have none, which nuggetizer scores 0: left out with a word, also where zeros are asked for."""
    path = nested(tmp_path)
    path.write_text(path.read_text() + json.dumps({"qid": "q9", "run_id": "a", "nuggets": []}))
    with pytest.warns(UserWarning, match=r"1 record without nuggets left out \(topic q9\)"):
        assert "q9" not in tg.read_nuggets(path).topics


def test_the_same_nugget_twice_in_a_record_counts_twice(tmp_path: Path) -> None:
    """Guards what nuggetizer does with a model's repetition."""
    nugget = {"text": "it rains", "importance": "vital"}
    both = [nugget | {"assignment": "support"}, nugget | {"assignment": "not_support"}]
    path = lines(tmp_path / "a.jsonl", [{"qid": "q1", "run_id": "a", "nuggets": both}])
    assert table(tg.read_nuggets(path)) == {
        ("a", "q1", "it rains"): (1.0, 1.0),
        ("a", "q1", "it rains (2)"): (0.0, 1.0),
    }


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"support"', '"supported"', r"assignments.jsonl:1: assignment is no known word: 'supported'"),
        ('"it snows"', '"it hails"', r"assignments.jsonl:2: 'it hails' is not a nugget of topic q1; it has n1, n2"),
        ('"qid": "q2"', '"qid": "q9"', r":3: 'it thaws' is not a nugget of topic q9; it has none"),
        ('"qid": "q2"', '"qid": ""', r":3: qid is missing"),
        ('"run_id": "b"', '"run_id": "a"', r"appears twice; the first is in line 1 of"),
    ],
)
def test_mistakes_have_their_place(old: str, new: str, said: str, tmp_path: Path) -> None:
    """Guards messages: the file, the line, the value, and what to write."""
    path = assigned(tmp_path)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(tg.InputError, match=said):
        tg.read_nuggets([bank(tmp_path), path])


def test_mistakes_of_nuggets_have_their_place(tmp_path: Path) -> None:
    """Guards importance: unknown words, two words for one nugget, and nuggets without answers."""
    path = bank(tmp_path)
    path.write_text(path.read_text().replace("okay", "nice"))
    with pytest.raises(tg.InputError, match=r"nuggets.jsonl:2: importance is no known word: 'nice'"):
        tg.read_nuggets([path, assigned(tmp_path)])
    with pytest.raises(tg.InputError, match="not which of them the answers support"):
        tg.read_nuggets(bank(tmp_path))
    with pytest.raises(tg.InputError, match=r"nugget 'n1' of topic q1 is okay here and vital in line 1 of"):
        tg.read_nuggets([bank(tmp_path), assigned(tmp_path, importance="okay")])
    with pytest.raises(tg.InputError, match=r"there is no column 'nugget_id' \(or nugget, nugget_text, text\)"):
        tg.read_nuggets([lines(tmp_path / "x.jsonl", [{"qid": "q1", "importance": "vital"}]), assigned(tmp_path)])


def test_other_tables_are_no_nuggets(tmp_path: Path) -> None:
    """Guards the commands for runs and scores: their files are not taken for nuggets."""
    (tmp_path / "a.csv").write_text("topic,doc,label\nq1,d1,1\n")
    (tmp_path / "b.jsonl").write_text('{"query_id": "q1", "doc_id": "d1", "relevance": 1}\n')
    (tmp_path / "c.csv").write_text("topic,system,claim,value,importance\nq1,a,c1,1,2\n")
    (tmp_path / "d.qrels").write_text("q1 0 nuggets 1\n")
    assert not any(is_nuggets(tmp_path / name) for name in ("a.csv", "b.jsonl", "c.csv", "d.qrels"))


@pytest.mark.parametrize("column", ["model", "judge_model"])
def test_a_model_beside_an_assessor_is_a_model(column: str, tmp_path: Path) -> None:
    """Guards "which no person has checked": whatever else names the judge, a row that names a model is a model's."""
    rows = [
        {"qid": f"q{t}", "system": s, "nugget": "n", "assignment": "support", "assessor": who, column: model}
        for t in range(3)
        for s in "ab"
        for who, model in (("j1", "gpt-4o"), ("ann", None), (None, "m2"))
    ]
    path = lines(tmp_path / "nuggets.jsonl", rows)
    assert tg.read_nuggets(path).models == {"j1", "m2"}
    scores = [{k: v for k, v in row.items() if k not in ("assignment", "nugget")} | {"faith": 0.5} for row in rows]
    assert tg.read_items(lines(tmp_path / "scores.jsonl", scores)).models == {"j1", "m2"}


def test_importance_does_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    """Guards a nugget whose importance only a later row tells, or which a row failed to tell: one weight."""
    bank_file = lines(tmp_path / "bank.jsonl", [{"qid": "q1", "nugget": "n", "importance": "failed"}])
    rows = [
        {"qid": "q1", "system": s, "nugget": "n", "assignment": "support", "importance": word}
        for s, word in (("a", "failed"), ("b", "vital"), ("c", "failed"))
    ]
    for order in (rows, rows[::-1]):
        assert set(tg.read_nuggets([bank_file, lines(tmp_path / "all.jsonl", order)]).weight.tolist()) == {1.0}


def test_gold_items_without_importance_have_that_of_the_judge(tmp_path: Path) -> None:
    """Guards gold read as Items: what it does not tell was not judged again."""
    items = tg.read_nuggets([bank(tmp_path), assigned(tmp_path, "jsonl", True)])
    gold, again = gold_nuggets(tg.read_nuggets(assigned(tmp_path, "jsonl", True)), items)
    assert not again
    assert set(gold.weight.tolist()) == {0.5, 1.0}
