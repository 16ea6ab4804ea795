"""`tg.read_study`: the study of a file in Python, with the answers of the command line and the same mistakes told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.cli.test_study_file import BASE, FAULTS
from tests.cli.test_verdict import folder, world  # noqa: F401

STUDIES = {
    "two measures and a pair": f'{BASE}measure = ["P@10", "AP"]\npair = "weak,good"\n',
    "baselines, costs, models": f"""{BASE}measure = "P@10"
baseline = ["weak", "fair"]
candidate = "good"
judge_model = "m1"
min_effect = 0.01
confidence = 0.9
[system-models]
weak = ["m2", "m3"]
[costs]
topic = 5
""",
    "gold pairs, the usual measure": """judgments = "llm.qrels"
runs = ["runs/weak.run", "runs/good.run"]
gold = "pairs.qrels"
design = "random"
population = ["topics", "collection"]
resamples = 200
seed = 7
""",
    "ratings": """judgments = "ratings.csv"
runs = "runs"
aggregate = "mean"
scale = "0:2"
population = ["topics", "assessors"]
pair = "fair,good"
""",
    "tables": """judgments = "llm.qrels"
runs = ["runs/weak.run", "runs/good.run"]
min_effect = 0.01
[gold]
labels = "pairs.qrels"
design = "random"
relevant-from = 1
[resampling]
seed = 7
""",
    "ratings in a table": """judgments = "ratings.csv"
runs = "runs"
pair = "fair,good"
[ratings]
aggregate = "mean"
scale = "0:2"
""",
    "names": f'{BASE}measure = "P@10"\nnames = "names.tsv"\npair = "weak,good"\n',
    "columns, gold among them": """judgments = "both.csv"
runs = "bare"
columns = "label=bronze;topic,doc,score"
gold = "column:checked"
design = "random"
missing = "drop"
measure = "P@10"
pair = "weak,good"
title = "of another command"
""",
}


def more_files(folder: Path) -> None:  # noqa: F811
    """New names, judgments with gold labels in a column of their own, and runs without a line of names."""
    (folder / "names.tsv").write_text("weak\tBM25 (ours)\n")
    rows, gold = ["topic,doc,bronze,checked"], {}
    for topic, _, doc, label in map(str.split, (folder / "pairs.qrels").read_text().splitlines()):
        gold[topic, doc] = label
    for topic, _, doc, label in map(str.split, (folder / "llm.qrels").read_text().splitlines()):
        rows.append(f"{topic},{doc},{label},{gold.get((topic, doc), '')}")
    (folder / "both.csv").write_text("\n".join([*rows, "00,nothing,,"]) + "\n")
    (folder / "bare").mkdir()
    for name, lists in world()[0].items():
        lines = [f"{t}\t{d}\t{x}\n" for t, row in lists.items() for d, x in row.items()]
        (folder / "bare" / f"{name}.tsv").write_text("".join(lines))


def plain(answer: dict[str, Any]) -> Any:
    """An answer as JSON has it, without how it was made."""
    return json.loads(json.dumps({name: x for name, x in answer.items() if name != "provenance"}))


@pytest.mark.few(2)
@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("name", STUDIES)
def test_the_numbers_are_those_of_the_command(name: str, run: Run, folder: Path) -> None:  # noqa: F811
    """Guards `tg.read_study`: every key of the file counts as it does for `truegain verdict`, to the last digit."""
    more_files(folder)
    (folder / "elsewhere").mkdir()
    (folder / "s.toml").write_text(STUDIES[name])
    code, out, err = run("verdict", "s.toml", "--format", "json")
    assert code == 0, err
    study = tg.read_study(folder / "s.toml")
    found = [study.verdict(a, b, m) for a, b in study.claims for m in study.measures]
    assert [plain(v.to_dict()) for v in found] == [plain(v) for v in json.loads(out)["verdicts"]]
    assert found
    assert study.provenance["study"] == "s.toml"


def test_the_two_best_are_meant_where_no_pair_is_named(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards a file without a claim: no claims, and the ranking of the command; prices of a question come first."""
    (folder / "s.toml").write_text(f'{BASE}measure = "P@10"\n[costs]\ntopic = 5\n')
    study = tg.read_study(str(folder / "s.toml"))
    wanted = json.loads(run("verdict", "s.toml", "--format", "json")[1])
    assert study.claims == ()
    assert plain(study.best().to_dict()) == plain(wanted["rankings"][0])
    steps, dearer = study.next_steps("weak", "fair"), study.next_steps("weak", "fair", costs="topic=10")
    assert [2 * float(a.cost or 0) for a in steps] == [float(b.cost or 0) for b in dearer]


@pytest.mark.few(6)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_mistake_has_its_file_and_line(folder: Path, fault: str) -> None:  # noqa: F811
    """Guards refusals in Python: an InputError with the file and the line of the command line's, naming no option."""
    text = BASE.replace("judgments.qrels", "ratings.csv") if "aggregate" in fault else BASE
    (folder / "s.toml").write_text(f"{text}{fault}\n")
    with pytest.raises(tg.InputError) as caught:
        tg.read_study(folder / "s.toml").estimates()
    place = FAULTS[fault].partition(": ")[0].partition(":")
    assert str(caught.value).partition(": ")[0] == f"{folder / 's.toml'}{''.join(place[1:])}"
    assert "--" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no judgments are named"),
        ('judgments = "judgments.qrels"\n', "no runs are named"),
        (f"{BASE}min_efect = 1\n", r":3: 'min_efect' is not an option of a study \(did you mean min-effect\?\)"),
        (f"{BASE}min_effect = 'much'\n", r":3: min_effect is 'much' \(give a number\)"),
        (f"{BASE}sequential = 1\n", r":3: sequential is 1 \(give true or false\)"),
        (f"{BASE}seed = 'x'\n", r":3: seed is 'x' \(give a whole number\)"),
        (
            f"{BASE}scale = '0:3'\n",
            ":3: scale=: this applies to ratings; choose how they become labels, as in aggregate='mean'",
        ),
        (f"{BASE}gold = 'column:'\ndesign = 'random'\n", ":3: gold 'column:': name it"),
        (f"{BASE}judge-model = 'm'\nsystem-models = '=m'\n", ":4: system_models '=m' is not system=model"),
    ],
)
def test_what_cannot_be_meant(folder: Path, text: str, said: str) -> None:  # noqa: F811
    """Guards keys that are lacking, unknown or of another kind: each told, with its place."""
    (folder / "s.toml").write_text(text)
    with pytest.raises(tg.InputError, match=said):
        tg.read_study(folder / "s.toml")
