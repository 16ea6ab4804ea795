"""A mistake in study.toml is told with its file and line, in the words of the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


WHOLE = """judgments = "llm.qrels"
runs = "runs"
gold = "pairs.qrels"
design = "random"
measure = ["P@10", "DCG@10"]
baseline = ["weak", "fair"]
title = "A study"
replicates = 200
seed = 3
costs = {gold = 2}
"""
RATED = 'judgments = "ratings.csv"\nruns = "runs"\nrule = "mean"\nscale = "0:2"\n'
COMMANDS = {  # what each needs beside the study, to be done soon
    "eval": (), "correct": (), "judges": (), "compare": (), "verdict": (), "report": ("-o", "page.html"),
    "gate": ("--candidate", "good"), "init": ("-o", "new.toml"), "correlate": ("--between", "measures"), "holes": (),
    "plan topics": ("--detect", "0.1"), "plan labels": (), "experiment split-half": (),
    "experiment incomplete": ("--repeat", "1", "--keep", "50"),
    "experiment discriminative": ("--replicates", "20"),
    "experiment spending": ("--draws", "1", "--drawn-pairs", "1", "--numbers", "20"),
    "experiment unanimity-grid": ("--replicates", "20"),
}  # fmt: skip
OF_RATINGS = {
    "agree": (),
    "gains": (),
    "plan assessors": ("--error", "0.1"),
    "experiment unanimity": ("--replicates", "20", "-m", "P@10"),
}
TEXT = ("experiment disjoint", "experiment magnitudes")  # needs a corpus; needs magnitudes: tested where these are


@pytest.mark.parametrize("command", [*COMMANDS, *OF_RATINGS])
def test_every_command_takes_a_study_file(run: Run, folder: Path, command: str) -> None:  # noqa: F811
    """Guards one file for all commands: each takes judgments, runs and its own options of it, and stops at no other."""
    rated = command in OF_RATINGS
    (folder / "s.toml").write_text(RATED if rated else WHOLE)
    code, out, err = run(*command.split(), "s.toml", *(OF_RATINGS if rated else COMMANDS)[command])
    assert code in ((0, 1, 3) if command == "gate" else (0,)), err
    assert out
    assert "error" not in err


def test_no_command_that_reads_judgments_is_left_out() -> None:
    """Guards commands to come: whatever has judgments or ratings as its first argument is walked above, or said why."""
    from typer.main import get_command

    from truegain.cli.commands import build

    def names(command: Any, path: str) -> list[str]:
        inner = getattr(command, "commands", None)
        if inner is not None:
            return [name for key, one in inner.items() for name in names(one, f"{path} {key}".strip())]
        takes = {p.name for p in command.params if p.param_type_name == "argument"}
        return [path] if takes & {"judgments", "ratings"} else []

    assert sorted(names(get_command(build()), "")) == sorted([*COMMANDS, *OF_RATINGS, *TEXT])


def test_a_study_taken_in_part_is_the_same_as_its_options_typed(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards what is taken of a file: gold, design and measures count, replicates of other draws do not."""
    (folder / "s.toml").write_text(WHOLE.replace('["weak", "fair"]', '"weak"'))
    both = ("llm.qrels", "runs", "--gold", "pairs.qrels", "--design", "random")
    typed = (*both, "-m", "P@10", "-m", "DCG@10", "--baseline", "weak", "--seed", "3")
    assert run("compare", "s.toml")[1] == run("compare", *typed)[1]
    _, out, err = run("judges", "s.toml")
    assert out == run("judges", *both, "-m", "P@10", "--seed", "3")[1]
    assert (
        err == "note: s.toml:5: of 2 measures `truegain judges` takes one, the first, P@10; --measure names another\n"
    )
    assert run("judges", "s.toml", "-m", "P@5")[2] == ""
    (folder / "one.toml").write_text(WHOLE.replace(', "DCG@10"]', "]"))
    assert run("judges", "one.toml")[1:] == (run("judges", "s.toml")[1], "")  # of one measure nothing is left out
    (folder / "one.toml").write_text(WHOLE.replace(', "DCG@10"]', "]") + "confidence = 0.9\n")
    said = "note: one.toml:11: `truegain judges` does not heed confidence; its intervals are at 95%\n"
    assert run("judges", "one.toml")[1:] == (run("judges", "s.toml")[1], said)
    (folder / "one.toml").write_text(WHOLE.replace(', "DCG@10"]', "]") + "confidence = 0.95\n")
    assert run("judges", "one.toml")[2] == ""
    _, out, err = run("eval", "s.toml", "--format", "csv")
    assert out == run("eval", "llm.qrels", "runs", "-m", "P@10", "-m", "DCG@10", "--format", "csv")[1]
    assert err == "note: s.toml: `truegain eval` does not heed gold\n"


def test_judges_takes_the_cutoff_of_a_measure_without_weights(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the favour of lists of 5: a study by nDCG@5 asks about 5 documents, not about 10; -l says what counts."""
    both = ("llm.qrels", "runs", "--gold", "pairs.qrels", "--design", "random")
    (folder / "s.toml").write_text(WHOLE.replace('["P@10", "DCG@10"]', '"nDCG@5"'))
    _, out, err = run("judges", "s.toml")
    assert out == run("judges", *both, "-m", "P@5", "--seed", "3")[1] != run("judges", *both)[1]
    assert "nDCG@5 has no weights of ranks, by which documents count: judges takes P@5" in err
    high = run("judges", *both, "-l", "2")
    assert high[1] == run("judges", *both, "-m", "P(rel=2)@10")[1] != run("judges", *both)[1]


def test_what_a_part_of_a_study_cannot_do(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards refusals: ratings that nothing makes into gains, keys that no study has, and runs that nobody names."""
    (folder / "s.toml").write_text(RATED)
    for command in ("holes", "plan labels"):
        _, _, err = run(*command.split(), "s.toml")
        said = f"s.toml:3: rule says that the judgments are ratings, and `truegain {command}` reads judgments"
        assert said in err
        assert "truegain gains s.toml -o gains.qrels" in err
    assert "s.toml:3: rule makes labels of ratings beside gold labels" in run("compare", "s.toml")[2]
    (folder / "s.toml").write_text(BASE + 'mesure = "AP"\n')
    assert "s.toml:3: 'mesure' is no option of a study (did you mean measure?)" in run("compare", "s.toml")[2]
    (folder / "s.toml").write_text(BASE + "anchor_high = 5\n")
    assert "s.toml:3: 'anchor_high' is no option of a study (there are anytime, " in run("compare", "s.toml")[2]
    (folder / "s.toml").write_text(BASE)
    code, _, err = run("judges", "s.toml")
    assert (code, err) == (2, 'error: s.toml: no gold is named (write a line such as gold = "gold.qrels")\n')
    assert "Missing option '--detect'" in run("plan", "topics", "s.toml")[2]
    assert "no runs are named; give them after the judgments, or study.toml" in run("eval", "llm.qrels")[2]
    assert run("verdict", "s.tml")[2] == "error: s.tml: no such file (did you mean s.toml?)\n"
    assert run("eval", "none/gone.qrels")[2] == "error: none/gone.qrels: no such file (check the path)\n"
    assert "a second set of judgments is needed" in run("correlate", "s.toml")[2]
    assert run("correlate", "s.toml", "llm.qrels")[1] == run("correlate", "judgments.qrels", "llm.qrels", "runs")[1]


@pytest.mark.parametrize("command", ["eval", "compare", "verdict", "holes", "plan labels"])
def test_runs_are_not_required_beside_a_study(run: Run, command: str) -> None:
    """Guards the usage: [RUN...], as a study file names them."""
    assert "[RUN...]" in run(*command.split(), "--help")[1]


@pytest.mark.parametrize(
    "words",
    [
        "verdict --baseline weka", "verdict --pair weka,good", "gate --candidate weka", "report --baseline weka",
        "compare --baseline weka", "plan labels --pair weka,good", "holes --show next --pair weka,good",
        "holes --show left-out --pool-depth 10 --pooled weka", "verdict --judge-model m --uses weka=m",
    ],
)  # fmt: skip
def test_a_mistyped_system_is_named(run: Run, folder: Path, words: str) -> None:  # noqa: F811
    """Guards 'did you mean' wherever a system is named, and that a study file is not blamed for what was typed."""
    (folder / "s.toml").write_text(BASE + 'measure = "P@10"\nbaseline = "weak"\n')
    verb, *rest = words.replace("plan labels", "plan,labels").split()
    code, _, err = run(*verb.split(","), "s.toml", *rest)
    said = err.splitlines()[-1]
    assert code == 2
    assert "weka" in said
    assert "did you mean weak? There are " in said
    assert "s.toml" not in said
