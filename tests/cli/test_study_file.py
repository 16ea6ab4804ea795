"""A mistake in study.toml is told with its file and line, in the words of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_verdict import folder  # noqa: F401

BASE = 'judgments = "judgments.qrels"\nruns = "runs"\n'
FAULTS = {
    'measure = ["P@10", "nDGC@10"]': "s.toml:3: measure: there is no measure 'nDGC'",
    "confidence = 95": "s.toml:3: confidence 95 is not between 0 and 1; write 0.95 for 95%",
    "confidence = true": "s.toml:3: confidence is true (give a number)",
    "anytime = true\nmeasure = true": "s.toml:4: measure is true (give a text)",
    "seed = 1.5": "s.toml:3: seed is 1.5 (give a whole number)",
    'generalise-to = ["topics", "people"]': "s.toml:3: generalise-to: 'people' is not known",
    "smallest = 0\n[costs]\ngold = 2\ntpic = 5": "s.toml:6: costs: 'tpic' has no price here",
    'judge-model = "m"\n[uses]\nnobody = "m"': "s.toml:5: uses: nobody is no system here",
    'baseline = "nobody"\ncandidate = "good"': "s.toml:3: baseline: nobody is no system here; there are fair,",
    'pair = "weak,nobody"': "s.toml:3: pair names nobody, which is no system here",
    'gold = "none.qrels"\ndesign = "random"': "s.toml:3: gold: none.qrels: no such file",
    'design = "randm"': "s.toml:3: design is 'randm' ('randm' is not one of 'random',",
    'topics = "fixed"': "s.toml:3: topics fixed, and nothing else was sampled",
    'gold = "pairs.qrels"\nmeasure = "P@10"': "s.toml: how were the gold pairs sampled?",
    'judgments = "llm.qrels"': "s.toml:3: judgments stands there twice, first in line 1 (keep one)",
    'measure = ["P@10",\n': "s.toml:3: the list of measure is not closed (end it with ])",
    'measure = ["P@10"\nlevel = 1': "s.toml:3: the list of measure is not closed (end it with ])",
    'measure = ["P@10",\nlevel = 1\ngeneralise-to = ["topics"]': "s.toml:3: the list of measure is not closed",
    'rule = "meen"': "s.toml:3: rule: there is no gain rule 'meen'",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_mistake_has_its_line(run: Run, folder: Path, fault: str) -> None:  # noqa: F811
    """Guards every refusal of what a file says: file and line come first, and no option is named that nobody typed."""
    text = BASE.replace("judgments.qrels", "ratings.csv") if "rule" in fault else BASE
    (folder / "s.toml").write_text(f"{text}{fault}\n")
    code, _, err = run("verdict", "s.toml")
    said = err.splitlines()[-1]
    assert (code, said.removeprefix("error: ").startswith(FAULTS[fault])) == (2, True), said
    assert "--" not in said.replace("`truegain gains", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('judgments = "none.qrels"\nruns = "runs"\n', "s.toml:1: judgments: none.qrels: no such file"),
        ('judgments = "judgments.qrels"\nruns = ["runs", "nuns"]\n', "s.toml:2: runs: nuns: no such file"),
        ('judgments = "judgments.qrels"\n', 's.toml: no runs are named (write a line such as runs = "runs")'),
        ("", "s.toml: no judgments are named"),
    ],
)
def test_what_is_lacking_is_named(run: Run, folder: Path, text: str, said: str) -> None:  # noqa: F811
    """Guards files that are not there, and keys: told by the study file, not as words lacking on the command line."""
    (folder / "s.toml").write_text(text)
    for verb in ("verdict", "report", "gate"):
        code, _, err = run(verb, "s.toml")
        assert (code, err.startswith(f"error: {said}")) == (2, True), err


def test_what_was_typed_is_told_as_typed(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the other side: an option of the command line keeps its name, and the file is not blamed for it."""
    (folder / "s.toml").write_text(f"{BASE}confidence = 0.9\n")
    assert run("verdict", "s.toml", "--confidence", "95")[2].startswith("error: --confidence 95 is not between")
    assert run("verdict", "s.toml", "--pair", "weak,nobody")[2].startswith("error: --pair names nobody")
    (folder / "s.toml").write_text(f"{BASE}confidence = 95\n")
    run("verdict", "s.toml")
    assert "s.toml" not in run("verdict", "judgments.qrels", "runs", "--confidence", "95")[2]
