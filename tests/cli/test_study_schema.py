"""The JSON schema of study files beside what reads them: both accept the same files, and refuse the same."""

from __future__ import annotations

import tomllib
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.cli.test_verdict import folder  # noqa: F401
from truegain.cli.init import schema_of_studies

BASE = 'judgments = "judgments.qrels"\nruns = ["runs/weak.run", "runs/good.run"]\n'
GIVEN = {
    'min_effect = "big"': False,
    'min-effect = "big"': False,
    "min_effect = -1": False,
    'name_by = "file"': True,
    'name-by = "zzz"': False,
    'name_by = "zzz"': False,
    "foo_bar = 3": False,
    "foo-bar = 3": False,
    "[golden_]\nlabels = 3": False,
    'population = "galaxies"': False,
    'population = "topics, topics"': True,
    'population = ["topics"]': True,
    'population = ["topics", "people"]': False,
    "population = []": False,
    'memory = "2GB"': True,
    'format = "json"': True,
    'format = "zzz"': False,
    "[scoring]\nrelevant-from = 1": True,
    "[scoring]\nrelevant_from = 1": True,
    "[scoring]\nrelevant_from = -1": False,
    "relevant-from = 1": True,
    "relevant_from = true": False,
    "[scoring]\nrelevant_form = 1": False,
    "[scoring]\nseed = 1": False,
    "[resampling]\nseed = 1.5": False,
    "[resampling]\nresamples = 1000": False,
    "trust_judge = 1": False,
    'judge_model = "m"\ntrust-judge = true\n[system_models]\nweak = ["m1", "m2"]': True,
    'judge-model = "m"\ntrust_judge = true\n[system-models]\nweak = "m1"': True,
    "[costs]\ngold = 2": True,
    '[baseline]\nweak = "a"': False,
    "pair = 'weak,good'": True,
    "measure = true": False,
}


@pytest.mark.parametrize("text", GIVEN)
def test_the_schema_accepts_what_the_reader_accepts(run: Run, folder: Path, text: str) -> None:  # noqa: F811
    """Guards the schema: keys with _ are no free keys, and tables and options of reading are those there are."""
    (folder / "s.toml").write_text(f"{BASE}{text}\n")
    code, _, err = run("verdict", "s.toml")
    by_schema = jsonschema.Draft202012Validator(schema_of_studies()).is_valid(tomllib.loads(f"{BASE}{text}\n"))
    assert (code != 2, by_schema) == (GIVEN[text], GIVEN[text]), err


def test_every_option_of_a_verdict_is_in_the_schema(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards options that commands get from elsewhere, and files without runs: preferences and logs need none."""
    schema = schema_of_studies()
    assert {"memory", "run-on", "run_on"} <= {*schema["properties"]}
    assert schema["required"] == ["judgments"]
    assert "`truegain init --schema`" in run("schema", "study")[2]


CLAIMS = {
    ("verdict", "--baseline", "x"): "--baseline x is not a system here; there are weak, good",
    ("gate", "--candidate", "x"): "--candidate x is not a system here; there are weak, good",
    ("settle", "--baseline", "weak", "--candidate", "x"): "--candidate x is not a system here; there are",
    ("compare", "--baseline", "x"): "--baseline x is not a system here; there are weak, good",
    ("unjudged", "--show", "next", "--pair", "x,weak"): "--pair x is not a system here; there are weak, good",
    ("verdict", "--pair", "x,y"): "--pair x,y are not systems here; there are weak, good",
    ("report", "--baseline", "x"): "--baseline x is not a system here; there are weak, good",
}


@pytest.mark.parametrize("words", CLAIMS)
def test_a_name_that_is_no_system_is_told_with_its_option(run: Run, folder: Path, words: tuple[str, ...]) -> None:  # noqa: F811
    """Guards one wording of all commands: the option, the name, and the systems there are."""
    code, _, err = run(words[0], "judgments.qrels", "runs/weak.run", "runs/good.run", "-m", "P@10", *words[1:])
    assert (code, CLAIMS[words] in err) == (2, True), err


def test_sentences_name_what_to_give_in_place(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards a folder that is no study, a rule as a dict, and gold labels by their place."""
    code, _, err = run("annotate", "check", "nosuch")
    assert (code, err) == (
        2,
        "error: nosuch is not a study: it has no judging.toml (create one with `truegain annotate init nosuch`)\n",
    )
    with pytest.raises(tg.TruegainError, match=r"^ratings is a dict; give tg.Ratings\(aggregate='mean'\) or 'mean'$"):
        tg.StudyConfig(ratings={"aggregate": "mean"})  # type: ignore[arg-type]
    labels = {"1": {"a": 1, "b": 0}}
    assert tg.judge_quality(labels, tg.Gold(labels, design="random")).rows
