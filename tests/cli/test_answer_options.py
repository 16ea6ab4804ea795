"""Options of runs and judgments where tables of scores of answers are read: heeded, or refused in words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with scores of two systems on 40 questions, and those of people on 25 of them."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(5)
    scores = {s: draw.random(40) < p for s, p in (("old", 0.4), ("new", 0.7))}
    rows = [(s, f"q{t}", int(x)) for s, of in scores.items() for t, x in enumerate(of)]
    people = [(s, t, x if draw.random() < 0.9 else 1 - x) for s, t, x in rows if int(t[1:]) < 25]
    for name, table in (("s.csv", rows), ("g.csv", people)):
        (tmp_path / name).write_text("system,topic,acc\n" + "".join(f"{s},{t},{x}\n" for s, t, x in table))
    return tmp_path


PLAN_TOPICS, PLAN_LABELS = ("plan topics", "--min-effect", "0.1"), ("plan labels",)
CHECK = ("judge check", "--gold", "g.csv", "--design", "random")
CORRECT = ("correct", "--gold", "g.csv", "--design", "random")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("eval",), ("--depth", "3")),
        (("eval",), ("--all-topics",)),
        (("verdict",), ("--depth", "3")),
        (("verdict",), ("--relevant-from", "2")),
        (("gate",), ("--ties", "ascending")),
        (("report", "-o", "r.html"), ("--name-by", "tag")),
        (PLAN_TOPICS, ("--depth", "5")),
        (PLAN_LABELS, ("--relevant-from", "2")),
        (PLAN_LABELS, ("--name-by", "tag")),
        (CHECK, ("--relevant-from", "3")),
        (CHECK, ("--unmatched", "drop")),
        (CORRECT, ("--relevant-from", "3")),
        (CORRECT, ("--resamples", "100")),
        (CORRECT, ("--name-by", "tag")),
        (CORRECT, ("--seed", "9")),
        (CORRECT, ("--jobs", "2")),
        (CORRECT, ("--gold-relevant-from", "1")),
        (("verdict", *CORRECT[1:]), ("--gold-relevant-from", "1")),
        (("compare",), ("--depth", "3")),
    ],
)
def test_options_about_runs_are_refused(
    run: Run, answers: Path, command: tuple[str, ...], words: tuple[str, ...]
) -> None:
    """Guards options that were passed over without a word; those of a study file are for other commands, too."""
    name, *more = command
    code, _, err = run(*name.split(), "s.csv", "--score", "acc", *more, *words)
    assert (code, f"{words[0]} does not apply to answers; leave it out" in err) == (2, True), err
    if words[0] in ("--all-topics", "--unmatched"):  # a missing value is never 0; no study file says the other
        return
    value = words[1] if words[1].isdigit() else f'"{words[1]}"'
    (answers / "s.toml").write_text(f'judgments = "s.csv"\nscore = "acc"\n{words[0][2:]} = {value}\n')
    assert run(*name.split(), "s.toml", *more)[0] in (0, 1, 3)


def test_a_study_file_may_have_levels_of_gold(run: Run, answers: Path) -> None:
    """Guards a study file's smallest relevant gold label, which is for other commands: answers have none."""
    gold = '[gold]\nlabels = "g.csv"\ndesign = "random"\nrelevant_from = 1\n'
    (answers / "s.toml").write_text(f'judgments = "s.csv"\nscore = "acc"\n{gold}')
    for command in ("correct", "verdict", "compare", "plan labels", "judge check"):
        code, _, err = run(*command.split(), "s.toml")
        assert code in (0, 1, 3), (command, err)


@pytest.mark.parametrize("command", [PLAN_TOPICS, PLAN_LABELS, CHECK, CORRECT])
def test_measures_of_runs_are_refused(run: Run, answers: Path, command: tuple[str, ...]) -> None:
    """Guards -m, which was passed over: a score has no measure beside it."""
    name, *more = command
    code, _, err = run(*name.split(), "s.csv", "--score", "acc", *more, "-m", "RR")
    assert (code, "RR: these are values of answers, not runs; name one of their scores" in err) == (2, True), err
    (answers / "s.toml").write_text('judgments = "s.csv"\nscore = "acc"\nmeasure = "RR"\n')
    assert run(*name.split(), "s.toml", *more)[0] == 0


def test_correct_takes_answers(run: Run, answers: Path) -> None:
    """Guards the table of corrected scores: its difference and its sentences are those of a verdict."""
    of = ("s.csv", "--score", "acc", "--gold", "g.csv", "--design", "random")
    code, out, err = run("correct", *of, "--format", "json")
    assert code == 0, err
    old, new = (row["value"] for row in json.loads(out)["rows"])
    told = json.loads(run("verdict", *of, "--format", "json")[1])["verdicts"][0]
    assert new - old == pytest.approx(told["difference"])
    code, out, err = run("correct", *of)
    assert (code, "old: by the judge's labels acc is 0." in out, "score" in out) == (0, True, True), err
    assert f"truegain correct {' '.join(of)}\n" in run("doctor", "s.csv", "g.csv")[1]
    code, _, err = run("correct", "s.csv", "--gold", "g.csv", "--design", "random")
    assert (code, "s.csv: a table of scores? add --score acc" in err) == (2, True), err


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("topic=topc", "s.csv: there is no column 'topc' among system, topic, acc (did you mean topic?)"),
        ("topic,doc,label", "s.csv: --columns lists all columns of a file, and this table names its own"),
        ("doc=acc", "--columns doc=acc: a table of answers has no doc"),
    ],
)
def test_columns_that_say_nothing_of_answers_are_refused(run: Run, answers: Path, columns: str, said: str) -> None:
    """Guards --columns, mistyped or of other files, which was passed over without a word."""
    code, _, err = run("verdict", "s.csv", "--score", "acc", "--columns", columns)
    assert (code, said in err) == (2, True), err


def test_columns_of_answers_have_other_names(run: Run, answers: Path) -> None:
    """Guards --columns topic=frage for tables of scores, of gold values and of nuggets: it was not heeded."""
    for name in ("s", "g"):
        text = (answers / f"{name}.csv").read_text()
        (answers / f"{name}2.csv").write_text(text.replace("system,topic", "wer,frage"))
    words = ("--score", "acc", "--gold", "g2.csv", "--design", "random", "--columns", "topic=frage,system=wer")
    plain = run("judge", "check", "s.csv", "--score", "acc", "--gold", "g.csv", "--design", "random")
    assert run("judge", "check", "s2.csv", *words)[:2] == plain[:2]
    code, _, err = run("verdict", "s2.csv", "--score", "acc")
    assert (code, "or say which it is: --columns topic=NAME" in err) == (2, True), err
    rows = [
        f"q{t},{s},n{n},vital,{('support', 'not_support')[(t + n) % 2]}" for t in range(6) for s in "ab" for n in (0, 1)
    ]
    for name, head in (("n", "qid,system"), ("n2", "frage,wer")):
        (answers / f"{name}.csv").write_text(f"{head},nugget_id,importance,assignment\n" + "\n".join(rows) + "\n")
    named = run("eval", "n2.csv", "--columns", "topic=frage,system=wer")
    assert named[0] == 0
    assert named[:2] == run("eval", "n.csv")[:2]


def test_columns_of_a_log_are_known(run: Run, answers: Path) -> None:
    """Guards --columns beside the log of a tool, which was passed over without a word."""
    lines = "".join(f"map\t{t}\t0.{t}\n" for t in range(3)) + "map\tall\t0.1\nnum_q\tall\t3\n"
    (answers / "a.txt").write_text(lines)
    code, _, err = run("eval", "a.txt", "--score", "map", "--columns", "topic=x")
    assert (code, "this is a log of trec_eval, whose columns are known (leave --columns out)" in err) == (2, True), err


def test_gold_values_of_answers_are_no_list(run: Run, answers: Path) -> None:
    """Guards `plan labels --gold -o` of values: the table was read as labels of documents, and refused."""
    words = ("plan", "labels", "s.csv", "--score", "acc", "--design", "random")
    code, _, err = run(*words, "--gold", "g.csv", "-o", "l.csv")
    assert (code, (answers / "l.csv").is_file()) == (0, True), err
    code, _, err = run(*words, "--gold", "l.csv", "-o", "m.csv")
    assert (code, "l.csv is already a list: fill in more labels there" in err) == (2, True), err


def test_leaderboards_of_lines_need_a_score(run: Run, answers: Path) -> None:
    """Guards leaderboards of lines without --score, which were refused as judgments of the wrong width."""
    for name in "ab":
        lines = "".join(f"map\t{t}\t0.{t}\nP_10\t{t}\t0.{t}\n" for t in range(3))
        (answers / f"{name}.txt").write_text(lines + "map\tall\t0.1\nP_10\tall\t0.1\nnum_q\tall\t3\n")
    code, out, err = run("eval", "a.txt", "b.txt")
    assert (code, out.splitlines()[0].split()) == (0, ["system", "map", "P_10"]), err
    code, _, err = run("verdict", "a.txt", "b.txt")
    assert (code, "which score of " in err) == (2, True), err


def test_a_leaderboard_of_counts_is_told_where_runs_lack(run: Run, answers: Path) -> None:
    """Guards whole numbers, which judgments have, too: the user was told that no runs were named, and no more."""
    rows = [(s, t, (t * 7 + len(s)) % 9) for s in ("one", "other", "third") for t in range(31, 45)]
    (answers / "board.txt").write_text("".join(f"{s} {t} NUGGETS {x}\n" for s, t, x in rows))
    (answers / "single.txt").write_text("".join(f"NUGGETS {t} {x}\n" for s, t, x in rows if s == "one"))
    (answers / "some.qrels").write_text("31 0 d1 1\n31 0 d2 0\n32 0 d1 1\n")
    for command in ("eval", "verdict", "compare"):
        code, _, err = run(command, "board.txt")
        assert (code, "if this is a leaderboard, " in err, "--columns run,topic," in err) == (2, True, True), err
        code, _, err = run(command, "single.txt")
        assert (code, "if this is a leaderboard of one run, " in err) == (2, True), err
        assert "leaderboard" not in run(command, "some.qrels")[2]
    assert run("eval", "board.txt", "--columns", "run,topic,measure,value")[0] == 0
    assert run("eval", "single.txt", "--columns", "measure,topic,value")[0] == 0
    assert "if this is a leaderboard of one run" in run("doctor", "single.txt")[1]
