"""`truegain correct`, `judge check` and `compare --gold` as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.worlds import study


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with bronze labels, a gold sample and two runs."""
    runs, bronze, gold = study(0)
    sample = {t: {d: g for i, (d, g) in enumerate(row.items()) if (i + int(t)) % 4 == 0} for t, row in gold.items()}
    tg.write_judgments(bronze, tmp_path / "llm.qrels")
    tg.write_judgments(sample, tmp_path / "gold.qrels")
    for name, lists in runs.items():
        tg.write_runs({name: lists}, tmp_path / f"{name}.run")
    return tmp_path


COMMON = ("llm.qrels", "--gold", "gold.qrels", "a.run", "b.run")


def test_correct_prints_naive_and_corrected(run: Run) -> None:
    """Guards the plain case: both values, interval, method, counts, and a sentence."""
    code, out, err = run("correct", *COMMON, "-m", "P@10", "--design", "by-gold")
    assert (code, err) == (0, "")
    assert "uncorrected   value" in out
    assert "confusion matrix inverted" in out
    assert "a: by the bronze labels P@10 is 0." in out
    assert "; corrected it is 0." in out


def test_without_a_design_it_stops_and_lists_them(run: Run) -> None:
    """Guards against guessing how gold was sampled."""
    for verb in (
        ("correct",),
        (
            "judge",
            "check",
        ),
        ("compare",),
    ):
        code, _, err = run(*verb, *COMMON, "-m", "P@10")
        assert code == 2
        assert "how were the gold pairs sampled" in err
        assert "by-bronze" in err


def test_json_says_how_it_was_made(run: Run) -> None:
    """Guards the machine's side: settings and all digits."""
    code, out, _ = run("correct", *COMMON, "-m", "P@10", "--design", "by-gold", "--format", "json", "--seed", "4")
    told = json.loads(out)
    assert code == 0
    assert (told["provenance"]["design"], told["provenance"]["seed"], len(told["rows"])) == ("by-gold", 4, 2)


def test_a_wrong_measure_is_refused(run: Run) -> None:
    """Guards the refusal: exit code 2 and what to do."""
    code, _, err = run("correct", *COMMON, "-m", "nDCG@10", "--design", "by-gold")
    assert code == 2
    assert "not linear" in err


def test_judges_by_label_topic_and_system(run: Run) -> None:
    """Guards the three tables about a judge."""
    code, out, _ = run("judge", "check", "llm.qrels", "--gold", "gold.qrels", "--design", "random")
    assert (code, "bronze 0" in out) == (0, True)
    code, out, _ = run("judge", "check", "llm.qrels", "--gold", "gold.qrels", "--design", "random", "--show", "topics")
    assert (code, len(out.splitlines()) > 40) == (0, True)
    code, out, _ = run("judge", "check", *COMMON, "--design", "random", "--resamples", "200")
    assert (code, "permutation within topics" in out) == (0, True)


def write_ratings(path: Path) -> None:
    """The bronze labels as said by three assessors, of whom one always says relevant."""
    rows = tg.read_judgments(path / "llm.qrels").frame().rows()
    lines = [
        f"{t},{d},{who},{label if who != 'spam' else 1:g}\n" for t, _, d, label in rows for who in ("x", "y", "spam")
    ]
    (path / "ratings.csv").write_text("topic,doc,assessor,label\n" + "".join(lines))
    halves = [f"{t},{d},{'x' if int(t) % 2 else 'y'},{label:g}\n" for t, _, d, label in rows]
    (path / "halves.csv").write_text("topic,doc,assessor,label\n" + "".join(halves))


def test_judges_by_assessor(run: Run, folder: Path) -> None:
    """Guards ratings as bronze: one line an assessor, worst first, all together last; a vote where one is asked for."""
    write_ratings(folder)
    code, out, _ = run(
        "judge", "check", "ratings.csv", "--gold", "gold.qrels", "--design", "random", "--format", "json"
    )
    rows = json.loads(out)["rows"]
    assert (code, [r["assessor"] for r in rows]) == (0, ["spam", "x", "y", "(all)"])
    assert rows[0]["note"] == "not clearly better than chance"
    code, out, _ = run(
        "judge", "check", "ratings.csv", "--gold", "gold.qrels", "--design", "random", "--aggregate", "majority"
    )
    assert (code, "is the majority of its ratings" in out) == (0, True)
    code, _, err = run(
        "judge", "check", "ratings.csv", "--gold", "gold.qrels", "--design", "random", "--show", "labels"
    )
    assert (code, "--aggregate majority" in err) == (2, True)


def test_correct_with_several_assessors(run: Run, folder: Path) -> None:
    """Guards ratings as bronze: never a silent vote, the vote named, and each topic by its assessor where asked for."""
    write_ratings(folder)
    rest = (*COMMON[1:], "-m", "P@10", "--design", "by-gold")
    code, _, err = run("correct", "ratings.csv", *rest)
    assert (code, "were labeled by several of 3 assessors" in err, "--aggregate majority" in err) == (2, True, True)
    code, voted, _ = run("correct", "ratings.csv", *rest, "--aggregate", "majority")
    assert (code, "The bronze label of a document is the majority" in voted) == (0, True)
    _, plain, _ = run("correct", *COMMON, "-m", "P@10", "--design", "by-gold")
    assert [line for line in voted.splitlines() if line.startswith(("a ", "b "))] == [
        line for line in plain.splitlines() if line.startswith(("a ", "b "))
    ]
    code, out, _ = run("correct", "halves.csv", *rest)
    assert (code, "by 2 assessors, measured together as one judge" in out) == (0, True)
    code, out, _ = run("correct", "halves.csv", *rest, "--accuracy", "assessor")
    assert (code, "2 judges: " in out) == (0, True)
    code, _, err = run("correct", "halves.csv", *rest, "--accuracy", "assessor", "--aggregate", "majority")
    assert (code, "give one" in err) == (2, True)


@pytest.mark.parametrize("sample", ["shared", "separate"])
def test_compare_with_gold(run: Run, sample: str) -> None:
    """Guards the comparison: it names the formula it used."""
    words = ("-m", "P@10", "--design", "by-gold", "--gold-sample", sample)
    code, out, _ = run("compare", *COMMON, *words)
    assert code == 0
    assert {"shared": "one gold sample for both", "separate": "a gold sample for each"}[sample] in out


def test_compare_with_gold_says_what_python_says_and_draws(run: Run, folder: Path) -> None:
    """Guards one answer in both places, options that pass through, and the figure."""
    words = ("-m", "P@10", "--design", "by-gold", "--accuracy", "lists", "--figure", "pairs.svg")
    code, out, _ = run("compare", *COMMON, *words)
    files = [str(folder / name) for name in ("a.run", "b.run")]
    gold, bronze = str(folder / "gold.qrels"), str(folder / "llm.qrels")
    found = tg.compare(
        files, bronze, "P@10", gold=tg.Gold(gold, design="by-gold"), test=tg.PublishedTest(accuracy="lists")
    )
    assert (code, out) == (0, f"{found}\n")
    assert found.between("b", "a").turned() == found.pairs[0]
    assert (folder / "pairs.svg").read_text().startswith("<svg")
    with pytest.raises(tg.TruegainError, match="a and x were not compared"):
        found.between("a", "x")


def test_compare_refuses_options_that_would_do_nothing(run: Run) -> None:
    """Guards against options taken in silence: those about gold need gold, and with gold there is one test."""
    for words in (
        ("--design", "random"),
        ("--aggregate", "majority"),
        ("--clusters", "none"),
        ("--gold-sample", "separate"),
    ):
        code, _, err = run("compare", "llm.qrels", "a.run", "b.run", *words)
        assert (code, err) == (2, f"error: {words[0]} applies to gold labels only; give them with --gold\n")
    code, _, err = run("compare", *COMMON, "--design", "by-gold", "--test", "wilcoxon")
    assert code == 2
    assert "with gold labels the corrected difference is tested" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-M", "5"), "-M: give the measure a cutoff"),
        (("-J",), "judged_only=True"),
        (("--no-relevant", "skip"), "--no-relevant: with gold labels every topic counts"),
        (("-q",), "-q shows pairs by topic over collections"),
        (("--groups",), "--groups applies to Tukey's test only"),
        (("--population", "collection"), "--population collection compares bronze scores"),
        (("--trec-eval", "9"), "--trec-eval 9"),
        (("--ties", "ascending"), "--ties: corrected scores follow trec_eval's order"),
        (("--out-of-range", "drop"), "--out-of-range applies to labels outside the scale"),
    ],
)
def test_compare_with_gold_heeds_or_refuses(run: Run, words: tuple[str, ...], told: str) -> None:
    """Guards options of `compare` that gold labels leave no place for: each is refused, none is swallowed."""
    code, _, err = run("compare", *COMMON, "--design", "by-gold", *words)
    assert (code, told in err) == (2, True)


def test_compare_without_gold_refuses_what_is_about_gold(run: Run) -> None:
    """Guards the options about labels where there is one kind of them."""
    for words in (("--scale", "0:1"), ("--repeated", "first"), ("--out-of-range", "drop")):
        code, _, err = run("compare", "llm.qrels", "a.run", "b.run", *words)
        assert (code, err) == (2, f"error: {words[0]} applies to gold labels only; give them with --gold\n")
    for more in ("-q", "--meta fixed", "--effect logit", "--pairing independent"):
        code, _, err = run("compare", "llm.qrels", "a.run", "b.run", *more.split())
        assert (code, "applies to other collections only; give --population collection" in err) == (2, True)
    for more in ("--test sign", "-M 5", "-J", "-c", "--figure x.svg"):
        code, _, err = run("compare", "llm.qrels", "a.run", "b.run", "--population", "collection", *more.split())
        assert (code, "does not apply over collections" in err) == (2, True)


VERBS = (
    ("correct",),
    ("compare",),
    (
        "judge",
        "check",
    ),
)


@pytest.mark.parametrize("verb", VERBS, ids=lambda v: v[0])
def test_the_labels_there_are(run: Run, folder: Path, verb: tuple[str, ...]) -> None:
    """Guards --scale and --out-of-range in every command with gold: refused with the place, or dropped and counted."""
    lines = (folder / "llm.qrels").read_text().splitlines()
    topic, _, document, _ = lines[5].split()
    lines[5] = f"{topic} 0 {document} 9"
    (folder / "stray.qrels").write_text("\n".join(lines) + "\n")
    rest = ("stray.qrels", *COMMON[1:], "--design", "by-gold")
    code, _, err = run(*verb, *rest)
    assert code == 0
    assert err.count("1 of 1600 bronze labels never occur in the gold labels: 9 (1 time)") == 1
    assert f"topic {topic} document {document}" in err
    code, _, err = run(*verb, *rest, "--scale", "0,1")
    assert (code, "stray.qrels:6: 1 of 1600 labels are not on the scale 0, 1: 9 (1 time)" in err) == (2, True)
    code, _, err = run(*verb, *rest, "--scale", "0:1", "--out-of-range", "drop")
    assert (code, "1 of 1600 labels are not on the scale 0, 1 and count as not judged" in err) == (0, True)
    code, _, err = run(*verb, *rest, "--scale", "0-1")
    assert (code, "--scale 0-1: give the labels in use, as 0:3 or 0,1,2,3" in err) == (2, True)


@pytest.mark.parametrize("verb", VERBS, ids=lambda v: v[0])
def test_ratings_with_other_columns_and_repeats(run: Run, folder: Path, verb: tuple[str, ...]) -> None:
    """Guards raw exports of a crowd: columns named otherwise, and a worker who rated a page twice."""
    write_ratings(folder)
    table = (folder / "ratings.csv").read_text().replace("topic,doc,assessor,label", "query,page,worker,grade", 1)
    first = table.splitlines()[1]
    (folder / "raw.csv").write_text(table + first + "\n")
    rest = ("raw.csv", *COMMON[1:], "--design", "by-gold", "--aggregate", "majority")
    named = ("--columns", "topic=query,doc=page,assessor=worker,label=grade")
    code, _, err = run(*verb, *rest, *named)
    assert (code, "choose which counts (--repeated first; or last, mean, all)" in err) == (2, True)
    code, out, err = run(*verb, *rest, *named, "--repeated", "first")
    assert (code, "rated more than once by one assessor; the first counts" in err) == (0, True)
    assert "is the majority of its ratings" in out


def test_by_assessor_heeds_or_refuses(run: Run, folder: Path) -> None:
    """Guards --accuracy assessor: a method that it has not is refused, and that the matrix is used is said."""
    write_ratings(folder)
    rest = ("halves.csv", *COMMON[1:], "-m", "P@10", "--accuracy", "assessor")
    for method in ("bootstrap", "rectify", "fieller"):
        code, _, err = run("correct", *rest, "--design", "by-gold", "--method", method)
        assert (code, f"--method {method} is for one judge" in err) == (2, True)
    for design in ("random", "by-gold"):
        code, out, _ = run("correct", *rest, "--design", design)
        assert (code, "with the confusion matrix of its assessor, whatever the gold design" in out) == (0, True)
    with (folder / "gold.qrels").open("a") as stream:
        stream.write("0 0 new 1\n")
    code, _, err = run("correct", *rest, "--design", "by-gold")
    assert (code, "have no bronze label" in err) == (2, True)
    code, _, err = run("correct", *rest, "--design", "by-gold", "--unmatched", "drop")
    assert (code, "1 gold pair has no bronze label and is left out" in err) == (0, True)


def test_gold_labels_below_0_are_counted(run: Run, folder: Path) -> None:
    """Guards a batch that came back half judged: its -1 are told, not lost."""
    text = (folder / "gold.qrels").read_text().splitlines()
    text[0], text[1] = (" ".join([*line.split()[:3], "-1"]) for line in text[:2])
    (folder / "gold.qrels").write_text("\n".join(text) + "\n")
    code, _, err = run("correct", *COMMON, "--design", "by-gold")
    assert code == 0
    assert "2 of 400 gold pairs have a gold label below 0 (not judged) and are left out" in err


@pytest.mark.slow
def test_the_demo_names_no_best(run: Run, tmp_path: Path) -> None:
    """Guards the demo: its best is system-8, system-7 came out first, and the two are not significantly different."""
    code, _, _ = run("demo", str(tmp_path / "demo"))
    assert code == 0
    words = (f"{tmp_path}/demo/llm.qrels", "--gold", f"{tmp_path}/demo/gold_sample.qrels", f"{tmp_path}/demo/runs")
    code, out, _ = run("correct", *words, "-m", "P@10", "--design", "random")
    assert code == 0
    assert "Which system is best on P@10 is inconclusive: system-7, system-8, system-6 may be" in out
    assert "misleads" not in out
    assert "Best" not in out


def test_level_is_that_of_the_measure(run: Run, folder: Path) -> None:
    """Guards -l of correct and compare --gold: the answer of P(rel=2); a measure with a level of its own keeps it."""
    for name in ("llm.qrels", "gold.qrels"):  # every other document one grade higher
        rows = [line.split() for line in (folder / name).read_text().splitlines()]
        (folder / name).write_text(
            "".join(f"{t} 0 {d} {int(g) * (1 + (len(d) + int(t)) % 2)}\n" for t, _, d, g in rows)
        )
    for verb in ("correct", "compare"):
        words = (verb, *COMMON, "--design", "by-gold", "--format", "json")
        code, asked, err = run(*words, "-m", "P@10", "-l", "2")
        assert code == 0, err
        assert asked == run(*words, "-m", "P(rel=2)@10")[1]
        assert asked == run(*words, "-m", "P(rel=2)@10", "-l", "3")[1]
        assert asked != run(*words, "-m", "P@10")[1]
        code, _, err = run(*words, "-m", "P@10", "-l", "-1")
        assert code == 2
        assert "--relevant-from -1 is negative" in err
