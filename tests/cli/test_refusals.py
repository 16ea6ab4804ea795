"""What cannot be done is said once and briefly, and the remedy that is named works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.cli.test_kept_labels import PLAN, SAMPLE, folder  # noqa: F401

INIT = ("init", "llm.qrels", "x.run", "y.run")


def test_init_with_a_list_that_nobody_judged(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards init: one refusal for both populations, and no next step that would fail."""
    run(*PLAN, "-o", "list.csv")
    code, out, _ = run(*INIT, "--gold", "list.csv")
    assert code == 0
    assert out.count("no row of this list has a label yet") == 1
    assert "no   for other topics like these, and for other topics and other collections: P@2, DCG@5, " in out
    assert "Next:" not in out
    assert "These files support no verdict yet: fix the problems above, then truegain verdict study.toml" in out
    assert 'measure = ["P@2", "DCG@5"]' in (folder / "study.toml").read_text()  # what such a list can tell


def test_init_cuts_a_long_refusal(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards init against a screen of the same words: scales that differ are told in one line, up to its first stop."""
    (folder / "llm.qrels").write_text("".join(f"{t} 0 {d} {i}\n" for t in range(12) for i, d in enumerate("abcd")))
    (folder / "gold.qrels").write_text(
        "".join(f"{t} 0 {d} {(t + i) % 2}\n" for t in range(12) for i, d in enumerate("ab"))
    )
    _, out, _ = run(*INIT, "--gold", "gold.qrels", "--design", "random")
    said = [line for line in out.splitlines() if "of different scales" in line]
    assert len(said) == 1
    assert said[0].endswith("gold labels 0, 1 ...")


def test_a_scale_is_suggested_where_it_is_taken(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the warning of two scales: --scale of verdict is of ratings alone, and a list has its own."""
    (folder / "llm.qrels").write_text("".join(f"{t} 0 {d} {i}\n" for t in range(12) for i, d in enumerate("abcd")))
    (folder / "gold.qrels").write_text(
        "".join(f"{t} 0 {d} {(t + i) % 2}\n" for t in range(12) for i, d in enumerate("abcd"))
    )
    files = ("llm.qrels", *INIT[2:], "-m", "P@4")
    for command, taken in (("verdict", False), ("correct", True)):
        _, _, err = run(command, *files, "--gold", "gold.qrels", "--design", "random")
        assert "seem to use different scales" in err
        assert ("--scale 0:3" in err) == taken
    run("plan", "labels", *files, "--draw", "random", "-o", "drawn.csv")
    run("plan", "fill", "drawn.csv", "gold.qrels", "-o", "filled.csv")
    code, _, err = run("verdict", *files, "--gold", "filled.csv")
    assert (code, "different scales" in err) == (0, False)


@pytest.mark.parametrize("more", [("--show", "next"), ("--show", "shares"), ()])
def test_until_is_about_a_pair(run: Run, more: tuple[str, ...]) -> None:
    """Guards --until: refused where nothing would heed it."""
    code, _, err = run(*SAMPLE[:-2], *more, "--until", "certain")
    assert code == 2
    assert "--until certain applies to two systems only; give --show next --pair a,b" in err


def test_looking_often_at_a_sample_of_holes(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the advice: a sample of holes with equal chances is sent to the list of holes, not to plan labels."""
    run(*SAMPLE, "--share", "1", "-o", "sample.csv")
    text = (folder / "sample.csv").read_text().replace(",\n", ",0\n")
    (folder / "judged.csv").write_text(text)
    code, _, err = run("verdict", *INIT[1:], "-m", "P@4", "--unjudged-sample", "judged.csv", "--sequential")
    assert code == 2
    assert "`truegain unjudged --show sample --fill predicted -o sample.csv`" in err
    assert "plan labels" not in err


def test_a_warning_is_told_once(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards plan labels -o, which looks at the runs twice: what it warns of is told once, and again the next time."""
    turned = "".join(f"{t} Q0 {d} {i + 1} {i} x\n" for t in range(12) for i, d in enumerate("edcba"))
    (folder / "x.run").write_text(turned)
    for name in ("one.csv", "two.csv"):
        code, _, err = run(*PLAN, "-o", name)
        assert code == 0
        assert err.count("the rank column contradicts the scores") == 1


def test_ties_of_other_tools_are_told_where_a_collection_is_looked_at(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the warning of float32 ties: eval, init and report tell it, commands that print no scores do not."""
    near = "".join(f"{t} Q0 {d} 0 {9 + i * 1e-9:.12f} x\n" for t in range(12) for i, d in enumerate("edcba"))
    (folder / "x.run").write_text(near)
    both = INIT[1:]
    told = [("eval", *both), ("init", *both, "-o", "new.toml"), ("report", *both, "-m", "P@4", "-o", "r.html")]
    quiet = [
        ("verdict", *both, "-m", "P@4"),
        ("compare", *both),
        ("unjudged", *both, "-m", "P@4"),
        (*PLAN, "-o", "a.csv"),
    ]
    for words in (*told, *quiet):
        code, out, err = run(*words)
        assert (code, (out + err).count("scores differ only beyond float32")) == (0, words in told), words


def test_a_growing_list_has_one_look(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards the plain verdict on a list that is not judged to its end: it names --sequential; whole or with it not."""
    run(*PLAN, "-o", "list.csv")
    head, *rows = (folder / "list.csv").read_text().splitlines()
    at = head.split(",").index("label")
    filled = [",".join([*r.split(",")[:at], str(i % 2), *r.split(",")[at + 1 :]]) for i, r in enumerate(rows)]
    for n, more, said in ((len(rows) - 4, (), 1), (len(rows) - 4, ("--sequential",), 0), (len(rows), (), 0)):
        (folder / "list.csv").write_text("\n".join([head, *filled[:n], *rows[n:]]) + "\n")
        code, out, err = run("verdict", *PLAN[2:], "--gold", "list.csv", *more)
        assert code == 0, err
        assert out.count("to look again as labels come in, give --sequential from the first look on") == said


def test_a_sample_of_holes_is_not_filled_in(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards plan fill against advice that leads back to it: labels of a random sample are given as they came."""
    run(*SAMPLE, "--share", "1", "-o", "sample.csv")
    code, _, err = run("plan", "fill", "sample.csv", "llm.qrels", "-o", "filled.csv")
    assert code == 2
    assert "as they are to `truegain verdict --unjudged-sample`" in err
    assert "plan fill" not in err


def test_remedies_of_labels_that_are_no_numbers(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards --missing drop, which is named and works for judgments and gold, and --values, named where it works."""
    rows = [f"{t},{d},{i % 2}" for t in range(12) for i, d in enumerate("abc")]
    for name in ("labels.csv", "gold.csv"):
        (folder / name).write_text("\n".join(["topic,doc,label", *rows, "12,a,"]) + "\n")
    for words in (
        ("eval", "labels.csv", "x.run"),
        ("judge", "check", "llm.qrels", "--gold", "gold.csv", "--design", "random"),
    ):
        code, _, err = run(*words)
        assert code == 2
        assert ".csv:38: label is missing (give a number, or leave out all rows without one: --missing drop)" in err
        code, _, err = run(*words, "--missing", "drop")
        assert code == 0, err
        assert "1 of 37 rows has no label, and is left out" in err
    people = [f"{t},{d},{who},{'yes' if who == 'v' else 'no'}" for t in range(12) for d in "abcde" for who in "vw"]
    (folder / "ratings.csv").write_text("\n".join(["topic,doc,assessor,label", *people]) + "\n")
    _, _, err = run("eval", "ratings.csv", "x.run")
    assert "ratings in words are read by --aggregate mean and --values no=0,yes=1)" in err
    code, _, err = run("eval", "ratings.csv", "x.run", "--aggregate", "mean", "--values", "yes=1,no=0")
    assert code == 0, err


def test_labels_in_words(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards words as labels of judgments and gold: refused with the very option, which gives what numbers give."""
    word = {"0": "irrelevant", "1": "partly so", "2": "relevant"}
    rows = [(str(t), d, str((t + i) % 3)) for t in range(12) for i, d in enumerate("abc")]
    for name, of in (("numbers.csv", lambda x: x), ("words.csv", lambda x: word[x])):
        (folder / name).write_text("\n".join(["topic,doc,label", *(f"{t},{d},{of(x)}" for t, d, x in rows)]) + "\n")
    (folder / "words.json").write_text(json.dumps({t: {d: word[x] for u, d, x in rows if u == t} for t, _, _ in rows}))
    values = "irrelevant=0,partly so=1,relevant=2"
    gold = ("judge", "check", "llm.qrels", "x.run", "--design", "random", "--gold")
    for words in (("eval", "words.csv", "x.run"), (*gold, "words.csv")):
        failed, _, err = run(*words)
        assert failed == 2
        assert "(give a number for each word: --values 'irrelevant=0,partly so=NUMBER,relevant=NUMBER')" in err
        assert run(*words, "--values", values)[:2] == run(*(w.replace("words", "numbers") for w in words))[:2]
    assert run("eval", "words.json", "x.run", "--values", values)[1] == run("eval", "numbers.csv", "x.run")[1]
    _, _, err = run("eval", "words.csv", "x.run", "--values", "relevant=2,irelevant=0")
    assert "--values 'irrelevant=0,partly so=NUMBER,relevant=2'" in err
    (folder / "words.toml").write_text(
        f'judgments = "llm.qrels"\nruns = ["x.run", "y.run"]\ngold = "words.csv"\nvalues = "{values}"\n'
        'design = "random"\nmeasure = "P@3"\ngold-relevant-from = 1\n'
    )
    assert tg.read_study(folder / "words.toml").systems == ("x", "y")
    code, _, err = run(
        "init", "llm.qrels", "x.run", "y.run", *gold[4:], "words.csv", "--values", values, "-o", "i.toml"
    )
    assert (code, f'values = "{values}"' in (folder / "i.toml").read_text()) == (0, True), err
    read = tg.read_judgments(folder / "words.csv", values={"irrelevant": 0, "partly so": 1, "relevant": 2})
    assert read.label.tolist() == [float(x) for _, _, x in rows]


def test_words_in_a_sheet(run: Run, folder: Path) -> None:  # noqa: F811
    """Guards a sheet that people filled in with words: refused with the option, and read with it."""
    run(*PLAN, "-o", "list.csv")
    rows = [line.split(",") for line in (folder / "list.csv").read_text().splitlines()]
    at = rows[0].index("label")
    for n, row in enumerate(rows[1:]):
        row[at] = ("relevant", "irrelevant", "cannot")[n % 3]
    (folder / "list.csv").write_text("\n".join(map(",".join, rows)) + "\n")
    for words in (
        ("plan", "fill", "list.key.csv", "list.csv", "-o", "f.csv"),
        ("verdict", *PLAN[2:], "--gold", "list.csv"),
    ):
        code, _, err = run(*words)
        assert (code, "or a number for each word: --values irrelevant=0,relevant=1)" in err) == (2, True), err
        code, _, err = run(*words, "--values", "irrelevant=0,relevant=1")
        assert code == 0, err
