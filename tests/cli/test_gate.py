"""`truegain gate` and `truegain init` as a user runs them."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.cli.test_verdict import folder, world  # noqa: F401
from truegain.cli.gate import _row
from truegain.study.inputs import CODES

STUDY = """
judgments = "judgments.qrels"
runs = ["runs"]
measure = ["P@10", "nDCG@10"]
"""


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--baseline", "weak", "--candidate", "good"), 0, "good: passes"),
        (("--baseline", "good", "--candidate", "weak"), 1, "weak: fails"),
        (("--baseline", "weak", "--candidate", "good", "--min-effect", "0.9"), 1, "good: fails"),
        (("--baseline", "weak", "--baseline", "fair", "--candidate", "good"), 0, "than weak and than fair."),
        (("--baseline", "good", "--baseline", "weak", "--candidate", "fair"), 1, "fair: fails"),
    ],
)
def test_the_exit_code_is_the_verdict(run: Run, folder: Path, words: tuple[str, ...], code: int, said: str) -> None:  # noqa: F811
    """Guards what CI reads: 0 where all verdicts hold, 1 where one does not; and the words of a pull request."""
    (folder / "study.toml").write_text(STUDY)
    seen, out, err = run("gate", "study.toml", *words)
    assert (seen, err) == (code, "")
    assert said in out
    told = json.loads(run("gate", "study.toml", *words, "--format", "json")[1])
    answers = told["answers"]
    assert (
        told["exit_code"] == code == (1 if {"worse", "not better"} & set(answers) else max(CODES[o] for o in answers))
    )
    assert answers == [v["outcome"] for v in told["verdicts"]]
    assert "study.toml" in told["provenance"]["inputs"]


def test_a_settled_claim_asks_for_nothing_more(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards a pass against hundreds of further topics; what cannot be told says what would help."""
    words = ("gate", "judgments.qrels", "runs", "--baseline", "weak", "--candidate", "good", "-m", "P@10")
    assert "more topics" not in run(*words, "--min-effect", "0.01")[1]
    assert "more topics" in run("verdict", *words[1:], "--min-effect", "0.01")[1]
    assert (
        "more topics"
        in run(*words[:3], "--baseline", "fair", "--candidate", "good", "-m", "RR", "--min-effect", "0.01")[1]
    )


def test_what_cannot_be_told_ends_with_3(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the third answer: half of the labels could turn it, and that is neither a pass nor a failure."""
    _, labels = world()
    few = {t: dict(list(row.items())[::2]) for t, row in labels.items()}
    tg.write_judgments(few, folder / "few.qrels")
    code, out, _ = run("gate", "few.qrels", "runs", "--baseline", "good", "--candidate", "weak", "-m", "P@10")
    assert (code, out.splitlines()[0]) == (3, "### ❔ weak: inconclusive")


def test_a_gain_that_may_be_smaller_does_not_pass(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards "better by 0.3 or more? passes" where only a gain is sure: question, answer and exit code agree."""
    words = ("gate", "judgments.qrels", "runs", "--baseline", "weak", "--candidate", "good", "-m", "P@10")
    told = json.loads(run(*words, "--format", "json")[1])["verdicts"][0]
    within, low = str((told["low"] + told["high"]) / 2), str(told["low"])
    code, out, _ = run(*words, "--min-effect", within)
    assert (code, out.splitlines()[0]) == (3, "### ❔ good: inconclusive")
    assert "| inconclusive |" in out
    said = f"good is better than weak, but whether by {float(within):g} or more is not known: "
    assert said in out
    assert run(*words, "--min-effect", low)[0] == 0
    kept = json.loads(run(*words, "--min-effect", within, "--format", "json")[1])
    assert run("verdict", *words[1:], "--min-effect", within)[1].startswith(said)
    assert (kept["exit_code"], kept["answers"], kept["verdicts"][0]["outcome"]) == (
        3,
        ["inconclusive"],
        "inconclusive",
    )


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ("--baseline", "good", "--candidate", "weak", "--not-worse-by", "0.9"),
            0,
            "weak is not worse than good by 0.9 or more: ",
        ),
        (
            ("--baseline", "good", "--candidate", "weak", "--not-worse-by", "0.01"),
            1,
            "weak is worse than good by 0.01 or more: ",
        ),
        (
            ("--baseline", "weak", "--candidate", "good", "--not-worse-by", "0.01"),
            0,
            "good is not worse than weak by 0.01 or more: ",
        ),
    ],
)
def test_a_gate_for_not_worse(run: Run, folder: Path, words: tuple[str, ...], code: int, said: str) -> None:  # noqa: F811
    """Guards non-inferiority: exit code, question and sentence; between two the margin of the file gives way."""
    (folder / "study.toml").write_text(f"{STUDY}min_effect = 0.3\n")
    seen, out, err = run("gate", "study.toml", *words)
    assert (seen, err) == (code, "")
    assert said in out
    assert f"Claim: {words[3]} is not worse than {words[1]} by {words[-1]} or more." in out
    (folder / "study.toml").write_text(f"{STUDY}not-worse-by = {words[-1]}\n")
    assert run("gate", "study.toml", *words[:4])[0] == code
    assert run("verdict", "study.toml", "--pair", "weak,good")[0] == 0  # which has no such question


def test_what_cannot_be_asked_of_a_gate(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards two questions at once, and a margin that is none."""
    words = ("gate", "judgments.qrels", "runs", "--baseline", "weak", "--candidate", "good", "-m", "P@10")
    code, _, err = run(*words, "--not-worse-by", "0.02", "--min-effect", "0.1")
    assert (code, "--not-worse-by and --min-effect set two different goals; leave one of them out" in err) == (2, True)
    code, _, err = run(*words, "--not-worse-by", "0")
    assert (code, "--not-worse-by 0.0: give how much worse it may be, a number above 0" in err) == (2, True)
    (folder / "both.toml").write_text(f"{STUDY}min_effect = 0.1\nnot-worse-by = 0.1\n")
    assert run("gate", "both.toml", "--baseline", "weak", "--candidate", "good")[0] == 2


@pytest.mark.parametrize("column", ["", "item"])
def test_what_is_labeled_has_one_name(run: Run, folder: Path, column: str) -> None:  # noqa: F811
    """Guards items of answers: verdict and gate said that answers are labeled where `plan labels` draws items."""
    cells = [(s, f"q{t}", f"c{i}", (t * 7 + i * (3 + at)) % 5 / 4 * (1 - at / 9), "gpt")
             for at, s in enumerate(("old", "new")) for t in range(30) for i in range(3 if column else 1)]  # fmt: skip
    head, kept = ("system", "topic", column or "item", "faith", "judge_model"), (0, 1, *((2,) if column else ()), 3, 4)
    rows = [head, *cells]
    (folder / "values.csv").write_text("".join(",".join(str(row[at]) for at in kept) + "\n" for row in rows))
    unit, other = ("items", "answers") if column else ("answers", "items")
    words = ("values.csv", "--score", "faith")
    _, out, _ = run("verdict", *words, "--pair", "old,new")
    assert f"draws the {unit} to label" in out
    _, out, _ = run("gate", *words, "--baseline", "old", "--candidate", "new")
    assert f"Draw a list of {unit} (" in out
    assert f"draws the {unit} to label" in out
    _, out, _ = run("plan", "labels", *words, "--pair", "old,new", "-o", "LIST.csv")
    assert f" {unit} can change the difference new - old on faith" in out
    assert f" {other} can change" not in out


def test_labels_of_a_model_pass_nothing(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards an LLM judge nobody checked: exit 3, why, and the way out; --trust-judge takes it at its word."""
    words = ("gate", "judgments.qrels", "runs", "--baseline", "weak", "--candidate", "good", "-m", "P@10")
    named = (*words, "--judge-model", "gpt-4o-mini")
    code, out, _ = run(*named)
    assert (code, out.splitlines()[0]) == (3, "### ❔ good: unchecked")
    assert "No person has checked gpt-4o-mini's labels, so they do not pass the gate" in out
    assert "`truegain plan labels judgments.qrels runs/weak.run runs/good.run -m P@10 -o LIST.csv`" in out
    assert "| unchecked |" in out
    assert run(*words)[0] == 0
    code, out, _ = run(*named, "--trust-judge")
    assert (code, out.splitlines()[0]) == (0, "### ✅ good: passes, by gpt-4o-mini's labels, trusted without a check")
    assert "- By gpt-4o-mini's labels, which no person has checked, good is better than weak: " in out
    (folder / "study.toml").write_text(f"{STUDY}judge-model = 'm'\ntrust-judge = true\n")
    assert run("gate", "study.toml", "--baseline", "weak", "--candidate", "good")[0] == 0
    told = json.loads(run(*named, "--format", "json")[1])
    assert (told["gate"], told["exit_code"], told["verdicts"][0]["by_labels"]) == ("unchecked", 3, "better")


def test_mistakes_of_a_gate_end_with_2(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards that a mistake is never taken for an answer: no systems named, no judgments, a key that is none."""
    assert run("gate", "judgments.qrels", "runs")[0] == 2
    (folder / "none.toml").write_text('runs = "runs"\n')
    code, _, err = run("gate", "none.toml")
    assert (code, "none.toml: no judgments are named" in err) == (2, True)
    (folder / "odd.toml").write_text(f"{STUDY}\ncandidat = 'good'\n")
    code, _, err = run("gate", "odd.toml")
    assert (code, "odd.toml:6: 'candidat' is not an option of gate (did you mean candidate?)" in err) == (2, True)


def test_names_do_not_break_the_table(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards Markdown: a system named with marks of Markdown and HTML stands as it is."""
    runs, _ = world()
    tg.write_runs({"a|b": runs["weak"], "<c>_d": runs["good"]}, f"{folder}/odd/")
    _, out, _ = run("gate", "judgments.qrels", "odd", "--baseline", "a|b", "--candidate", "<c>_d", "-m", "P@10")
    assert out.startswith("### ✅ &lt;c>\\_d: passes")
    assert "| a\\|b | P@10 |" in out


@pytest.mark.slow
def test_a_study_is_begun_and_gone_on_with(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the road from files to a verdict: init looks, writes paths from its file on, and verdict reads it."""
    (folder / "kept").mkdir()
    code, out, err = run("init", "llm.qrels", "runs", "--gold", "gold.qrels", "-o", "kept/study.toml")
    assert (code, err) == (0, "")
    assert "yes  for other topics like these: P@10, nDCG@10, AP" in out
    kept = tomllib.loads((folder / "kept" / "study.toml").read_text())
    assert (kept["judgments"], kept["runs"], kept["gold"]["design"]) == ("../llm.qrels", ["../runs"], "topics")
    spoken = run("verdict", "llm.qrels", "runs", "--gold", "gold.qrels", "--design", "topics", *measures(kept))
    assert run("verdict", "--study", "kept/study.toml") == spoken
    before = (folder / "kept" / "study.toml").read_bytes()
    code, _, err = run("init", "llm.qrels", "runs", "-o", "kept/study.toml")
    assert (code, "kept/study.toml: this file exists already" in err) == (2, True)
    assert (folder / "kept" / "study.toml").read_bytes() == before


def measures(kept: dict[str, list[str]]) -> list[str]:
    """As words."""
    return [word for m in kept["measure"] for word in ("-m", m)]


def test_how_gold_was_drawn_is_not_guessed(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards gold pairs: the design is asked for, each with what it means, and nothing is written that stops later."""
    code, _, err = run("init", "llm.qrels", "runs", "--gold", "pairs.qrels")
    assert (code, err.count("\n")) == (2, 1)
    asks = "error: pairs.qrels: how were these gold labels sampled? (give --design one of random (drawn at random), "
    assert err.startswith(asks)
    assert ", topics (all pairs of some topics), " in err
    assert not (folder / "study.toml").exists()
    assert run("init", "llm.qrels", "runs", "--gold", "pairs.qrels", "--design", "random")[0] == 0
    assert run("verdict", "--study", "study.toml")[0] == 0


@pytest.mark.slow
def test_ratings_are_seen_beside_runs_and_as_judgments(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards ratings.csv: beside the runs it is asked apart, as judgments it has an aggregate."""
    _, out, _ = run("init", "judgments.qrels", "runs", "ratings.csv", "-o", "one.toml")
    assert "What ratings.csv, by --aggregate mean, can support:" in out
    assert "for other topics and other assessors: P@10" in out
    run("init", "ratings.csv", "runs", "-o", "two.toml")
    assert tomllib.loads((folder / "two.toml").read_text())["ratings"]["aggregate"] == "mean"


def test_the_schema_knows_what_init_writes(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the schema: every key of a written file is a property, and required ones are there."""
    run("init", "llm.qrels", "runs", "--gold", "gold.qrels")
    kept = tomllib.loads((folder / "study.toml").read_text())
    schema = json.loads(run("init", "--schema")[1])
    assert set(schema["required"]) <= set(kept) <= set(schema["properties"])


@pytest.mark.slow
def test_words_are_no_paths(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards paths from another folder: files are found beside the study file, words stay words."""
    (folder / "kept").mkdir()
    text = 'judgments = "../ratings.csv"\nruns = "../runs"\nmeasure = "P@10"\naggregate = "mean"\n'
    text += 'drop-assessors = "flagged"\n'
    (folder / "kept" / "study.toml").write_text(text)
    spoken = run("verdict", "ratings.csv", "runs", "-m", "P@10", "--aggregate", "mean", "--drop-assessors", "flagged")
    assert run("verdict", "kept/study.toml") == spoken
    (folder / "kept" / "who.txt").write_text("v\n")
    (folder / "kept" / "study.toml").write_text(text.replace("flagged", "who.txt"))
    named = run(
        "verdict", "ratings.csv", "runs", "-m", "P@10", "--aggregate", "mean", "--drop-assessors", "kept/who.txt"
    )
    assert run("verdict", "kept/study.toml") == named


def test_a_list_for_one_pair_is_not_one_for_all(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards a list of gold labels: init says for how many pairs of systems it tells something."""
    two = ("runs/weak.run", "runs/good.run")
    assert run("plan", "labels", "llm.qrels", *two, "-m", "P@10", "-o", "list.csv")[0] == 0
    assert run("plan", "fill", "list.csv", "judgments.qrels", "--rows", "60", "-o", "judged.csv")[0] == 0
    _, out, _ = run("init", "llm.qrels", "runs", "--gold", "judged.csv")
    assert "yes  for other topics like these: P@10 (1 of 3 pairs of systems)" in out


def test_a_difference_that_is_not_known_is_an_empty_cell() -> None:
    """Guards the table of a pull request: no `+nan`, where too few gold labels affect a difference."""
    runs = {s: {str(t): {"a": 2.0 - (s == "y"), "b": 1.5} for t in range(30)} for s in "xy"}
    labels = {str(t): {"a": t % 2, "b": 1} for t in range(30)}
    gold = {str(t): {"a": t % 2} for t in range(4)}
    verdict = tg.Study(runs, labels, "P@1", gold=tg.Gold(gold, design="random")).verdict("x", "y")
    assert math.isnan(verdict.difference)
    assert _row(verdict) == "| x | P@1 |  |  | inconclusive |"


def test_a_list_of_whole_topics_keeps_the_default_measure(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the default measure: nDCG@10 with whole topics, of a list too; where it is another, a note says so."""
    words = ("gate", "llm.qrels", "runs", "--baseline", "weak", "--candidate", "good")
    run("plan", "labels", "llm.qrels", "runs", "-m", "nDCG@10", "--draw", "topics", "-o", "list.csv")
    listed = tg.read_gold_list(folder / "list.csv")
    gold = world()[1]
    half = {t: gold[t] for t in list(dict.fromkeys(listed.topics))[: len(gold) // 2]}
    listed.filled(half).write(folder / "list.csv")
    _, out, err = run(*words, "--gold", "list.csv")
    assert ("nDCG@10" in out, "default measure" in err) == (True, False)
    _, out, err = run(*words, "--gold", "pairs.qrels", "--design", "random")
    assert ("P@10" in out, "nDCG@10" in out) == (True, False)
    assert "note: the default measure is P@10 here" in err
    assert "-m" in err
    assert "default measure" not in run(*words, "--gold", "pairs.qrels", "--design", "random", "-m", "P@10")[2]
    run("init", "llm.qrels", "runs", "--gold", "list.csv", "-o", "list.toml")
    assert any(m.startswith("nDCG") for m in tomllib.loads((folder / "list.toml").read_text())["measure"])


@pytest.mark.parametrize(("counts", "code"), [(True, 0), (False, 3)])
def test_scores_by_trec_eval_are_no_llms(run: Run, folder: Path, counts: bool, code: int) -> None:  # noqa: F811
    """Guards `trec_eval -q`: its values were called an LLM's, and did not pass; lines that may be either are told."""
    for name, least in (("old", 0.2), ("new", 0.5)):
        lines = [f"map\t{t}\t{least * (1 + t % 5 / 10):.4f}" for t in range(30)]
        lines += [f"map\tall\t{1.2 * least:.4f}"]
        lines += [f"num_ret\t{t}\t10" for t in range(30)] * counts
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    seen, out, err = run("gate", "old.txt", "new.txt", "--score", "map", "--baseline", "old", "--candidate", "new")
    assert (seen, "LLM" in out, "trec_eval and AutoJudge write the same lines" in err) == (code, not counts, not counts)
