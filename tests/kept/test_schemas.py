"""Published JSON schemas (docs/reference/schemas): one for every command that offers JSON, current, and true."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.schemas import command_of, schema_faults
from truegain.cli.app import main
from truegain.cli.schema import DOCUMENTS, TABLES, commands_with_json, schema_of_command
from truegain.results.documents import COLUMNS, described
from truegain.stats.results import Comparison, Estimate
from truegain.study import documents

FOLDER = Path(__file__).parents[2] / "docs" / "reference" / "schemas"
KEEP = bool(os.environ.get("KEEP"))
OTHERS = tuple(DOCUMENTS)  # whose JSON is no table


def file_of(command: str) -> Path:
    """Where the schema of a command is published."""
    return FOLDER / f"{command.replace(' ', '-')}.json"


def test_every_command_with_json_has_a_declared_and_published_schema() -> None:
    """Guards docs/reference/schemas: a file a command, as `truegain schema` prints it.  KEEP=1 writes them anew."""
    known = commands_with_json()
    assert set(known) - {*TABLES, *OTHERS} == set(), "declare their columns in cli/schema.py"
    assert {*TABLES, *OTHERS} <= set(known)
    texts = {
        c: json.dumps(schema_of_command(c, about), ensure_ascii=False, indent=1) + "\n" for c, about in known.items()
    }
    if KEEP:
        FOLDER.mkdir(exist_ok=True)
        for command, text in texts.items():
            file_of(command).write_text(text)
    assert {path.name for path in FOLDER.iterdir()} == {file_of(command).name for command in known}
    stale = [command for command, text in texts.items() if file_of(command).read_text() != text]
    assert stale == [], "KEEP=1 python -m pytest tests/kept/test_schemas.py, and read the difference"


def test_every_schema_is_one() -> None:
    """Guards the schemas themselves: what is no JSON Schema would let anything pass."""
    kind: Any = pytest.importorskip("jsonschema").Draft202012Validator
    for command in commands_with_json():
        kind.check_schema(schema_of_command(command))


def test_what_schemas_name_is_there() -> None:
    """Guards descriptions: they named `interval`, which JSON does not have."""
    for command in commands_with_json():
        text = json.dumps(schema_of_command(command))
        named = set(re.findall(r"`([a-z_]+)`", text))
        assert {name for name in named if f'"{name}"' not in text} == set(), command


def test_declarations_are_whole() -> None:
    """Guards the catalogue: every column that is declared is used, and every key of a verdict is explained."""
    used = {c.partition(":")[0] for rows in TABLES.values() for c in rows.columns if isinstance(c, str)}
    assert used - set(COLUMNS) == set()
    taken = {"source", "population"} | {"system", "topic", "measure", "value"}  # of scores, and of dataclasses
    assert set(COLUMNS) - used - taken == set()
    kinds = [kind for name, kind in vars(documents).items() if name.endswith("Document")]
    assert {
        k.__name__: set(k.__annotations__) ^ set(described(k))
        for k in kinds
        if set(k.__annotations__) ^ set(described(k))
    } == {}
    for kind in (Estimate, Comparison):
        assert {f for f in kind.__dataclass_fields__ if f not in described(kind)} == set()


COMMANDS = [
    "doctor gold.qrels llm.qrels runs ratings.csv",
    "gate gold.qrels runs --baseline system-1 --candidate system-5 -m P@10",
    "gate holes.qrels runs --baseline system-4 --candidate system-5 -m P@10 --not-worse-by 0.1",
    "verdict gold.qrels runs --baseline system-1 -m P@10",
    "verdict llm.qrels runs --baseline system-1 --candidate system-5 -m P@10 --judge-model gpt-4o",
    "verdict llm.qrels runs -m P@10 --judge-model gpt-4o",
    "verdict holes.qrels runs --pair system-1,system-5 -m AP",
    "unjudged holes.qrels runs --show left-out --pool-depth 10 --teams teams.csv",
    "text show rough-corpus",
    "experiment judge --show confusion",
    "experiment judge --show simulation --resamples 100",
    "experiment judge --show dcg",
    "experiment judge ratings.csv --show agreement",
    "experiment unanimity ratings.csv runs --scale 0:3 --resamples 50",
    "experiment unanimity-grid gold.qrels runs --dmax 2 --simulated-assessors 5 --resamples 50",
    "experiment incomplete gold.qrels runs --against nDCG@20 --keep 50 --repeat 2",
    "experiment disjoint gold.qrels runs --corpus rough-corpus --against nDCG@20 --show impact",
    "experiment disjoint gold.qrels runs --corpus rough-corpus --against nDCG@20 --show among",
    "experiment spending llm.qrels runs --gold gold.qrels -m P@10 --drawn-pairs 1 --draws 1",
    *(
        f"experiment magnitudes magnitudes.csv --expert expert.qrels --show {show}"
        for show in (
            "alpha",
            "collected",
            "combinations",
            "documents",
            "habits",
            "extremes",
            "units",
            "tests",
            "ratios",
        )
    ),
]
SLOW = [
    *(
        f"experiment magnitudes magnitudes.csv magnitude-runs --expert expert.qrels --second expert.qrels --show {show}"
        for show in ("experts", "levels", "means", "normalized", "numbers", "profile", "sigma")
    ),
    *(
        f"experiment magnitudes magnitudes.csv magnitude-runs --expert expert.qrels --simulated 5 --show {show}"
        for show in ("systems", "resampled", "mappings")
    ),
    "experiment disjoint gold.qrels runs --corpus rough-corpus --against nDCG@20 --show reuse",
    "experiment disjoint gold.qrels runs --corpus rough-corpus --against nDCG@20 --show against",
]


@pytest.mark.parametrize("command", [*COMMANDS, *(pytest.param(c, marks=pytest.mark.slow) for c in SLOW)])
def test_what_is_printed_is_what_the_schema_says(
    command: str, small_study: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards commands that no kept answer is of; those of tests/kept are held against their schemas there."""
    code, out, err = printed(command, small_study, monkeypatch, capsys)
    assert code in (0, 1, 3), err
    assert json.loads(out)
    assert schema_faults(command.split(), out) == []


def printed(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    """Exit code, output and messages of a command that prints JSON."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["truegain", *command.split(), "--format", "json"])
    try:
        main()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    seen = capsys.readouterr()
    return code, seen.out, seen.err


def test_every_command_with_json_is_run() -> None:
    """Guards the tests themselves: each command with JSON is run here or among the kept answers, but one."""
    kept = [path.read_text().splitlines() for path in Path(__file__).parent.glob("*.txt")]
    lines = [*COMMANDS, *(line for text in kept for line in text if line.endswith("--format json"))]
    run = {command_of(line.split()) for line in lines if line and not line.startswith("#")}
    assert set(commands_with_json()) - run == {"annotate status"}  # of a study that people take part in


def test_the_status_of_a_study_of_people() -> None:
    """Guards both tables that `annotate status` prints, of a study with answers."""
    pytest.importorskip("sqlalchemy", reason="the extra judging is not installed")
    from tests.judging.made import made_rows, made_study
    from truegain.judging.status import figures

    study = made_study()
    for table in figures(study, made_rows(study)).tables():
        assert table.rows
        assert schema_faults(["annotate", "status"], table.json()) == []


def test_a_schema_can_fail(
    small_study: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards the validation: another key, a lost key, a word for a number and an unknown outcome are faults."""
    words = ["verdict", "gold.qrels", "runs", "--pair", "system-1,system-5", "-m", "P@10"]
    code, out, _ = printed(" ".join(words), small_study, monkeypatch, capsys)
    assert (code, schema_faults(words, out)) == (0, [])

    def changed(**values: Any) -> list[str]:
        told = json.loads(out)
        told["verdicts"][0] |= values
        told["verdicts"][0] = {k: v for k, v in told["verdicts"][0].items() if v != "lost"}
        return schema_faults(words, json.dumps(told))

    assert "Additional properties" in changed(verdict="yes")[0]
    assert "'p' is a required property" in changed(p="lost")[0]
    assert "verdicts/0/difference" in changed(difference="much")[0]
    assert "is not one of" in changed(outcome="maybe")[0]
    row = {"gold_label": "1", "pairs": 2.5}
    assert "2.5" in schema_faults(["judge", "check"], json.dumps({"provenance": {}, "rows": [row]}))[0]
    odd = {"provenance": {}, "rows": [{"golden_label": "1"}]}
    assert "golden_label" in schema_faults(["judge", "check"], json.dumps(odd))[0]


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards `truegain schema`: of one command, of all, and a name that is none; errors leave standard output empty."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["truegain", *words])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        seen = capsys.readouterr()
        return code, seen.out, seen.err

    assert run("schema", "plan", "topics") == (0, file_of("plan topics").read_text(), "")
    code, out, _ = run("schema")
    assert (code, set(json.loads(out))) == (0, set(commands_with_json()))
    code, out, err = run("schema", "verdit")
    assert (code, out) == (2, "")
    assert "verdit is not a command that offers JSON" in err
    code, out, err = run("eval", "nothing.qrels", "nothing.run", "--format", "json")
    assert (code, out) == (2, "")
    assert "error: nothing.qrels: no such file" in err
