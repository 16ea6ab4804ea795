"""A mistake in study.toml is told with its file and line, in the words of the file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.cli.test_verdict import folder  # noqa: F401

BASE = 'judgments = "judgments.qrels"\nruns = "runs"\n'
FAULTS = {
    'measure = ["P@10", "nDGC@10"]': "s.toml:3: measure: there is no measure 'nDGC'",
    "confidence = 95": "s.toml:3: confidence 95 is not between 0 and 1; write 0.95 for 95%",
    'min-effect = "a"': "s.toml:3: min-effect is 'a' (give a number)",
    "seed = 'a'": "s.toml:3: seed is 'a' (give a whole number)",
    "[resampling]\nresamples = 1000": "s.toml:4: 'resamples' is not an option of [resampling] (did you mean n?)",
    "confidence = true": "s.toml:3: confidence is true (give a number)",
    "sequential = true\nmeasure = true": "s.toml:4: measure is true (give a text)",
    "seed = 1.5": "s.toml:3: seed is 1.5 (give a whole number)",
    'population = ["topics", "people"]': "s.toml:3: population: 'people' is not known",
    "min_effect = 0\n[costs]\ngold = 2\ntpic = 5": "s.toml:6: costs: 'tpic' has no price here",
    'judge-model = "m"\n[system-models]\nnobody = "m"': "s.toml:5: system-models: nobody is not a system here",
    'baseline = "nobody"\ncandidate = "good"': "s.toml:3: baseline nobody is not a system here; there are fair,",
    'pair = "weak,nobody"': "s.toml:3: pair nobody is not a system here",
    'gold = "none.qrels"\ndesign = "random"': "s.toml:3: gold: none.qrels: no such file",
    'design = "randm"': "s.toml:3: design 'randm' is not known; give one of random, by-bronze,",
    'population = "fixed"': 's.toml:3: With population = "fixed", nothing here is uncertain',
    'seed = 1\n[gold]\nlabels = "none.qrels"\ndesign = "random"': "s.toml:5: gold.labels: none.qrels: no such file",
    '[gold]\nlabels = "pairs.qrels"\ndesign = "randm"': "s.toml:5: design 'randm' is not known; give one of random,",
    '[gold]\nlabel = "pairs.qrels"': "s.toml:4: 'label' is not an option of [gold] (did you mean labels?)",
    "[resampling]\nseed = -1": "s.toml:4: resampling.seed -1: give a whole number of at least 0",
    "[resampling]\nn = 7": "s.toml:4: resampling.n 7: give a whole number of at least 100",
    'gold = "pairs.qrels"\nmeasure = "P@10"': "s.toml: how were the gold pairs sampled?",
    'judgments = "llm.qrels"': "s.toml:3: judgments appears twice, first in line 1 (keep one)",
    'design = "topics"\n[gold]\nlabels = "pairs.qrels"\ndesign = "random"': (
        "s.toml:6: gold.design is given twice, first as design in line 3 (keep one)"
    ),
    "min_effect = 0.2\nmin-effect = 0.01": "s.toml:4: min-effect is given twice, first as min_effect in line 3",
    "[scoring]\nrelevant-from = 2\nrelevant_from = 1": (
        "s.toml:5: scoring.relevant_from is given twice, first as scoring.relevant-from in line 4 (keep one)"
    ),
    'measure = "P(rel=1)@10"\nrelevant-from = 2': "s.toml:4: P(rel=1)@10 sets rel=1, and relevant-from is 2; give one",
    'measure = ["P@10",\n': "s.toml:3: the list of measure is not closed (end it with ])",
    'measure = ["P@10"\nseed = 1': "s.toml:3: the list of measure is not closed (end it with ])",
    'measure = ["P@10",\nseed = 1\npopulation = ["topics"]': "s.toml:3: the list of measure is not closed",
    'aggregate = "meen"': "s.toml:3: aggregate: there is no rule 'meen'",
    "[scoring]\nall-topics = 1": "s.toml:4: all_topics is 1 (give true or false)",
    '[scoring]\nall-topics = "no"': "s.toml:4: all_topics is 'no' (give true or false)",
    "[scorng]\nrelevant-from = 2": "s.toml:3: 'scorng' is not an option of verdict (did you mean scoring?)",
    '[scoring]\nno-relevant = "skip"': "s.toml:4: scoring.no_relevant skip: a study needs a score for each topic",
}


@pytest.mark.few(6)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_mistake_has_its_line(run: Run, folder: Path, fault: str) -> None:  # noqa: F811
    """Guards every refusal of what a file says: file and line come first, and no option is named that nobody typed."""
    text = BASE.replace("judgments.qrels", "ratings.csv") if "aggregate" in fault else BASE
    (folder / "s.toml").write_text(f"{text}{fault}\n")
    code, _, err = run("verdict", "s.toml")
    said = err.splitlines()[-1]
    assert (code, said.removeprefix("error: ").startswith(FAULTS[fault])) == (2, True), said
    assert "--" not in said.replace("`truegain aggregate", "")


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
    assert run("verdict", "s.toml", "--pair", "weak,nobody")[2].startswith("error: --pair nobody is not a system here")
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
resamples = 200
seed = 3
costs = {gold = 2}
"""
RATED = 'judgments = "ratings.csv"\nruns = "runs"\naggregate = "mean"\nscale = "0:2"\n'
COMMANDS = {  # what each needs beside the study, to be done soon
    "eval": (), "correct": (), "judge check": (), "compare": (), "verdict": (), "report": ("-o", "page.html"),
    "participants": ("--teams", "teams.csv"), "settle": ("--candidate", "good", "-m", "P@2", "--dry-run"),
    "gate": ("--candidate", "good"), "init": ("-o", "new.toml"), "correlate": ("--between", "measures"), "unjudged": (),
    "plan topics": ("--min-effect", "0.1"), "plan labels": (), "experiment split-half": (),
    "experiment incomplete": ("--repeat", "1", "--keep", "50"),
    "experiment discriminative": ("--resamples", "20"),
    "experiment spending": ("--draws", "1", "--drawn-pairs", "1", "--numbers", "20"),
    "experiment unanimity-grid": ("--resamples", "20"),
    "experiment judge": ("--resamples", "100"),
}  # fmt: skip
OF_RATINGS = {
    "agree": (),
    "aggregate": (),
    "plan assessors": ("--error", "0.1"),
    "experiment unanimity": ("--resamples", "20", "-m", "P@10"),
}
TEXT = ("experiment disjoint", "experiment magnitudes")  # needs a corpus; needs magnitudes: tested where these are


@pytest.mark.few(2)
@pytest.mark.parametrize("command", [*COMMANDS, *OF_RATINGS])
def test_every_command_takes_a_study_file(run: Run, folder: Path, command: str) -> None:  # noqa: F811
    """Guards one file for all commands: each takes judgments, runs and its own options of it, and stops at no other."""
    rated = command in OF_RATINGS
    (folder / "s.toml").write_text(RATED if rated else WHOLE)
    (folder / "teams.csv").write_text("run,team\nweak,ada\nfair,bell\ngood,bell\n")
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


@pytest.mark.slow
def test_a_study_taken_in_part_is_the_same_as_its_options_typed(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards what is taken of a file: gold, design and measures count, replicates of other draws do not."""
    (folder / "s.toml").write_text(WHOLE.replace('["weak", "fair"]', '"weak"'))
    both = ("llm.qrels", "runs", "--gold", "pairs.qrels", "--design", "random")
    typed = (*both, "-m", "P@10", "-m", "DCG@10", "--baseline", "weak", "--seed", "3")
    assert run("compare", "s.toml")[1] == run("compare", *typed)[1]
    _, out, err = run("judge", "check", "s.toml")
    assert out == run("judge", "check", *both, "-m", "P@10", "--seed", "3")[1]
    uses = "of 2 measures, `truegain judge check` uses one, the first, P@10; choose another with --measure"
    assert err == f"note: s.toml:5: {uses}\n"
    assert run("judge", "check", "s.toml", "-m", "P@5")[2] == ""
    (folder / "one.toml").write_text(WHOLE.replace(', "DCG@10"]', "]"))
    assert run("judge", "check", "one.toml")[1:] == (
        run("judge", "check", "s.toml")[1],
        "",
    )  # of one measure nothing is left out
    (folder / "one.toml").write_text(WHOLE.replace(', "DCG@10"]', "]") + "confidence = 0.9\n")
    said = "note: one.toml:11: `truegain judge check` ignores confidence; its intervals are at 95%\n"
    assert run("judge", "check", "one.toml")[1:] == (run("judge", "check", "s.toml")[1], said)
    (folder / "one.toml").write_text(WHOLE.replace(', "DCG@10"]', "]") + "confidence = 0.95\n")
    assert run("judge", "check", "one.toml")[2] == ""
    _, out, err = run("eval", "s.toml", "--format", "csv")
    assert out == run("eval", "llm.qrels", "runs", "-m", "P@10", "-m", "DCG@10", "--format", "csv")[1]
    assert err == "note: s.toml: `truegain eval` ignores gold\n"


def test_judges_takes_the_cutoff_of_a_measure_without_weights(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the favor of lists of 5: a study by nDCG@5 asks about 5 documents, not about 10; -l says what counts."""
    both = ("llm.qrels", "runs", "--gold", "pairs.qrels", "--design", "random")
    (folder / "s.toml").write_text(WHOLE.replace('["P@10", "DCG@10"]', '"nDCG@5"'))
    _, out, err = run("judge", "check", "s.toml")
    assert out == run("judge", "check", *both, "-m", "P@5", "--seed", "3")[1] != run("judge", "check", *both)[1]
    assert "nDCG@5 does not weigh ranks: `judge check` uses P@5" in err
    high = run("judge", "check", *both, "-l", "2")
    assert high[1] == run("judge", "check", *both, "-m", "P(rel=2)@10")[1] != run("judge", "check", *both)[1]


def test_what_a_part_of_a_study_cannot_do(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards refusals: ratings that nothing makes into gains, keys that no study has, and runs that nobody names."""
    (folder / "s.toml").write_text(RATED)
    _, _, err = run("unjudged", "s.toml")
    assert "s.toml:3: aggregate says that the judgments are ratings, and `truegain unjudged` reads judgments" in err
    assert "truegain aggregate s.toml -o gains.qrels" in err
    code, out, err = run("plan", "labels", "s.toml")
    assert (code, out != "", err) == (0, True, ""), err
    assert "s.toml:3: aggregate needs gold labels" in run("compare", "s.toml")[2]
    (folder / "s.toml").write_text(BASE + 'mesure = "AP"\n')
    assert "s.toml:3: 'mesure' is not an option of a study (did you mean measure?)" in run("compare", "s.toml")[2]
    (folder / "s.toml").write_text(BASE + "anchor_high = 5\n")
    assert "s.toml:3: 'anchor_high' is not an option of a study (there are aggregate, " in run("compare", "s.toml")[2]
    (folder / "s.toml").write_text(BASE)
    code, _, err = run("judge", "check", "s.toml")
    assert (code, err) == (2, 'error: s.toml: no gold is named (write a line such as gold = "gold.qrels")\n')
    assert "error: --min-effect is missing" in run("plan", "topics", "s.toml")[2]
    assert "no runs are named; give them after the judgments, or give a study.toml" in run("eval", "llm.qrels")[2]
    assert run("verdict", "s.tml")[2] == "error: s.tml: no such file (did you mean s.toml?)\n"
    assert run("eval", "none/gone.qrels")[2] == "error: none/gone.qrels: no such file (check the path)\n"
    assert "a second set of judgments is needed" in run("correlate", "s.toml")[2]
    assert run("correlate", "s.toml", "llm.qrels")[1] == run("correlate", "judgments.qrels", "llm.qrels", "runs")[1]


@pytest.mark.parametrize("command", ["eval", "compare", "verdict", "unjudged", "plan labels"])
def test_runs_are_not_required_beside_a_study(run: Run, command: str) -> None:
    """Guards the usage: [RUN...], as a study file names them."""
    assert "[RUN...]" in run(*command.split(), "--help")[1]


@pytest.mark.parametrize(
    "words",
    [
        "verdict --baseline weka", "verdict --pair weka,good", "gate --candidate weka", "report --baseline weka",
        "compare --baseline weka", "plan labels --pair weka,good", "unjudged --show next --pair weka,good",
        "unjudged --show left-out --pool-depth 10 --pooled weka", "verdict --judge-model m --system-models weka=m",
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


@pytest.mark.slow
def test_judges_rates_the_judge_by_a_list_as_the_page_does(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards gold that is a list: judges has the page's figures; others name real commands, or take it."""
    truth: dict[tuple[str, str], int] = {}
    for line in (folder / "judgments.qrels").read_text().splitlines():
        topic, _, doc, label = line.split()
        truth[topic, doc] = int(label)
    for draw in ("ordered", "random"):
        assert run("plan", "labels", "llm.qrels", "runs", "--draw", draw, "-m", "P@10", "-o", f"{draw}.csv")[0] == 0
        listed = tg.read_gold_list(folder / f"{draw}.csv")
        rows = list(zip(listed.topics, listed.docs, strict=True))[:120]
        labels = {t: {d: truth[t, d] for s, d in rows if s == t} for t, _ in rows}
        listed.filled(labels).write(folder / f"{draw}-judged.csv")
    (folder / "s.toml").write_text(BASE.replace("judgments.qrels", "llm.qrels") + 'gold = "ordered-judged.csv"\n'
                                   'measure = "P@10"\n')  # fmt: skip
    code, out, err = run("judge", "check", "s.toml")
    assert (code, err) == (0, "")
    told = re.search(
        r"bronze judge on 120 gold labels of an ordered list, .*, informedness [\d.]+", out.replace("\n", " ")
    )
    assert told is not None
    assert run("report", "s.toml", "-o", "page.html")[0] == 0
    assert told[0] in (folder / "page.html").read_text()
    assert told[0] in run("judge", "check", "llm.qrels", "--gold", "ordered-judged.csv")[1].replace("\n", " ")
    assert run("judge", "check", "s.toml", "--show", "topics")[0] == 2
    for command in ("correct", "compare"):
        code, _, err = run(command, "s.toml")
        assert code == 2
        assert "s.toml:3: ordered-judged.csv: this list was sampled for differences" in err
        assert "(`truegain verdict` and `truegain report` take it (gold); `truegain judge check` measures" in err
    assert "(a study reads it: `truegain verdict --gold`)" in run("experiment", "spending", "s.toml")[2]
    plain = ("llm.qrels", "runs", "-m", "P@10", "--gold")
    tg.write_judgments(labels, folder / "random.qrels")
    for command in ("correct", "compare", "judge check"):
        known = run(*command.split(), *plain, "random-judged.csv")
        assert known == run(*command.split(), *plain, "random.qrels", "--design", "random"), command
        assert known[0] == 0


@pytest.mark.slow
def test_the_measure_that_is_taken_is_said_once(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards experiments and judges: what is told of the study's measure is what the table is about."""
    (folder / "s.toml").write_text(WHOLE)
    _, out, err = run("experiment", "split-half", "s.toml")
    assert "AP of one half of the collection" in out
    assert "note: s.toml:5: the halves of a collection are compared on AP; --split topics takes P@10\n" in err
    assert "takes one" not in err
    _, out, err = run("experiment", "split-half", "s.toml", "--split", "topics")
    assert "random splits, P@10." in out
    assert "s.toml:5: of 2 measures, `truegain experiment split-half` uses one, the first, P@10" in err
    few = ("--repeat", "1", "--keep", "50")
    _, out, err = run("experiment", "incomplete", "s.toml", *few)
    typed = run("experiment", "incomplete", "llm.qrels", "runs", "--against", "P@10", "--against", "DCG@10", *few,
                "--seed", "3")  # fmt: skip
    assert out == typed[1]
    assert "nDCG@20" not in out + err
    assert "P@5" in run("experiment", "incomplete", "s.toml", *few, "--against", "P@5")[1]
    (folder / "s.toml").write_text(WHOLE.replace('["P@10", "DCG@10"]', '["nDCG@5", "P@5", "AP"]'))
    _, out, err = run("judge", "check", "s.toml")
    said = "note: s.toml:5: of 3 measures, `truegain judge check` uses one, the first that weighs ranks, P@5"
    assert err == f"{said}; choose another with --measure\n"
    both = ("llm.qrels", "runs", "--gold", "pairs.qrels", "--design", "random")
    assert out == run("judge", "check", *both, "-m", "P@5", "--seed", "3")[1]
    (folder / "s.toml").write_text(WHOLE.replace('["P@10", "DCG@10"]', '["nDCG@5", "AP"]'))
    err = run("judge", "check", "s.toml")[2]
    assert err == "note: nDCG@5 does not weigh ranks: `judge check` uses P@5; choose another with -m\n"


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("command", "is_told"),
    [("compare", True), ("correct", True), ("eval", False), ("unjudged", False), ("judge check", False)],
)
def test_for_whom_is_told_where_it_matters(run: Run, folder: Path, command: str, is_told: bool) -> None:  # noqa: F811
    """Guards the note on population: none for topics, which init writes, nor where there are no such limits."""
    (folder / "s.toml").write_text(f'{WHOLE}population = ["topics"]\n')
    code, _, err = run(*command.split(), "s.toml")
    assert (code, "population" in err) == (0, False), err
    (folder / "s.toml").write_text(f'{WHOLE}population = ["topics", "collection"]\n')
    assert ("ignores population" in run(*command.split(), "s.toml")[2]) == is_told


def test_gold_that_is_not_used_is_not_told_as_none(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards eval and plan topics of a study with gold and a judge's model: people did check it, in other commands."""
    (folder / "s.toml").write_text(f'{WHOLE}judge-model = "m1"\n')
    for words in (("eval", "s.toml"), ("experiment", "discriminative", "s.toml", "--resamples", "20")):
        code, out, _ = run(*words)
        assert code == 0
        assert "no person has checked" not in out
    assert "by m1's labels as they are: the study's gold labels are not used here; `truegain verdict` uses them" in run(
        "eval", "s.toml"
    )[1].replace("\n", " ")
    assert "by m1's labels, which no person has checked" in run("eval", "llm.qrels", "runs", "--judge-model", "m1")[1]


@pytest.mark.slow
def test_what_to_say_instead_is_a_line_of_the_file(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards a remedy that is pasted: in a study file it is TOML, and the study then runs; typed, it is an option."""
    rows = [line.split() for line in (folder / "pairs.qrels").read_text().splitlines()]
    text = "".join(f"{t},{d},{x}\n" for t, _, d, x in rows)
    (folder / "human.csv").write_text(f"topic,doc,the human\n{text}")
    whole = WHOLE.replace("pairs.qrels", "human.csv").replace('["weak", "fair"]', '"weak"')
    (folder / "s.toml").write_text(whole)
    code, _, err = run("verdict", "s.toml")
    line = re.search(r"or say which it is: (columns = .*)\)\n", err)
    assert (code, line is not None) == (2, True), err
    assert line is not None
    (folder / "s.toml").write_text(f"{line[1]}\n{whole}")
    assert run("verdict", "s.toml")[0] == 0
    typed = ("llm.qrels", "runs", "--gold", "human.csv", "--design", "random")
    assert "--columns 'gold:label=the human'" in run("verdict", *typed)[2]
    (folder / "human.csv").write_text(f"topic,doc,label\n{rows[0][0]},{rows[0][2]},\n{text.partition(chr(10))[2]}")
    (folder / "s.toml").write_text(whole)
    said = 'error: human.csv:2: label is missing (give a number, or leave out all rows without one: missing = "drop")\n'
    assert run("verdict", "s.toml")[::2] == (2, said)
    (folder / "s.toml").write_text(f'missing = "drop"\n{whole}')
    assert run("verdict", "s.toml")[0] == 0
    assert "without one: --missing drop)" in run("verdict", *typed)[2]


def test_a_list_on_the_command_line_has_its_own_design(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards other gold labels than those of the file: a list knows its design, and that of the file is not of it."""
    words = ("-m", "P@10", "--pair", "weak,good")
    assert run("plan", "labels", "llm.qrels", "runs", *words, "-o", "list.csv")[0] == 0
    assert run("plan", "fill", "list.csv", "judgments.qrels", "--rows", "40", "-o", "full.csv")[0] == 0
    (folder / "s.toml").write_text(
        'judgments = "llm.qrels"\nruns = "runs"\n[gold]\nlabels = "pairs.qrels"\ndesign = "random"\n'
    )
    plain = run("verdict", "llm.qrels", "runs", *words, "--gold", "full.csv")
    assert run("verdict", "s.toml", *words, "--gold", "full.csv") == plain
    assert plain[0] == 0
    code, _, err = run("verdict", "s.toml", *words, "--gold", "full.csv", "--design", "random")
    assert code == 2
    assert "full.csv knows its design (ordered); leave --design random out" in err
