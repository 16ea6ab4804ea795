"""`truegain verdict` as a user runs it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.cli.conftest import Run
from truegain.io.logs.log import ScoreRange
from truegain.report.gather import Filed

TOPICS, DOCS = 24, 60
STRENGTH = {"weak": 0.3, "fair": 1.0, "good": 2.0}


def world(seed: int = 3) -> tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, int]]]:
    """Three systems that rank by the truth and noise, and the true labels 0 and 1."""
    rng = np.random.default_rng(seed)
    labels, runs = {}, {name: {} for name in STRENGTH}  # type: ignore[var-annotated]
    for t in range(TOPICS):
        truth = (rng.random(DOCS) < 0.3).astype(int)
        labels[f"{t:02}"] = {f"d{i:02}": int(g) for i, g in enumerate(truth)}
        for name, strength in STRENGTH.items():
            score = strength * truth + rng.normal(size=DOCS)
            runs[name][f"{t:02}"] = {f"d{i:02}": float(x) for i, x in enumerate(score)}
    return runs, labels


@cache
def study_files() -> dict[str, bytes]:
    """Judgments, an erring judge's, gold by pairs and by topics, ratings, and runs, as files; made once."""
    with TemporaryDirectory() as made:
        write_study(Path(made))
        return {str(p.relative_to(made)): p.read_bytes() for p in Path(made).rglob("*") if p.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study's files in a folder of their own."""
    for name, content in study_files().items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return tmp_path


def write_study(folder: Path) -> None:
    """The files of the study."""
    runs, labels = world()
    rng = np.random.default_rng(8)
    flipped = {t: {d: int(g if rng.random() < 0.85 else 1 - g) for d, g in row.items()} for t, row in labels.items()}
    sample = {t: {d: g for d, g in row.items() if rng.random() < 0.4} for t, row in labels.items()}
    tg.write_judgments(labels, folder / "judgments.qrels")
    tg.write_judgments(flipped, folder / "llm.qrels")
    tg.write_judgments(sample, folder / "pairs.qrels")
    tg.write_judgments({t: labels[t] for t in sorted(labels)[:10]}, folder / "gold.qrels")
    lines = ["topic,doc,assessor,label"]
    for t, row in labels.items():
        lines += [f"{t},{d},{who},{g + int(rng.integers(0, 2))}" for d, g in row.items() for who in "vwxyz"]
    (folder / "ratings.csv").write_text("\n".join(lines) + "\n")
    tg.write_runs(runs, f"{folder}/runs/")


TWO = ("runs/weak.run", "runs/good.run")
PLAIN = ("verdict", "judgments.qrels", *TWO, "-m", "P@10")


def test_few_clusters_are_warned_of(run: Run, folder: Path) -> None:
    """Guards three clusters of many topics: a warning, and why an interval holds every difference."""
    passed = {"a": {"p0": "fail", "p1": "pass", "p2": "pass"}, "b": {"p0": "pass", "p1": "fail", "p2": "pass"}}
    rows = [f"{s},q{t},{of[f'p{t % 3}']},p{t % 3}\n" for s, of in passed.items() for t in range(30)]
    (folder / "a.csv").write_text("system,topic,passed,part\n" + "".join(rows))
    _, _, err = run("verdict", "a.csv", "--score", "passed", "--cluster", "part")
    assert "warning: with only 3 clusters, intervals are wide" in err
    whole = tg.read_items(folder / "a.csv", scales={"passed": ScoreRange(0.0, 1.0)}).clustered("part")
    with pytest.warns(tg.DataWarning, match="only 3 clusters"):
        made = tg.Study(whole, measures="passed").verdict("a", "b")
    assert (made.low, made.high) == (-1.0, 1.0)
    assert any("carries no information" in note for note in made.notes)


RANKED_WITHOUT = (
    "note: --min-effect is about two systems: the ranking does not use it, only the answer about the two best does; "
    "give --pair, or --baseline\n"
)


def test_a_least_effect_without_a_pair_is_told(run: Run, folder: Path) -> None:
    """Guards --min-effect of a ranking, which ignored it without a word; a study file sets it for all commands."""
    ranked = ("verdict", "judgments.qrels", "runs", "-m", "P@10")
    assert run(*ranked, "--min-effect", "0.2")[2] == RANKED_WITHOUT
    (folder / "s.toml").write_text('judgments = "judgments.qrels"\nruns = "runs"\nmeasure = "P@10"\nmin-effect = 0.2\n')
    for quiet in (ranked, ("verdict", "s.toml"), (*ranked, "--min-effect", "0.2", "--pair", "weak,good")):
        assert "min-effect" not in run(*quiet)[2]


def test_a_refusal_of_compare_names_what_answers(run: Run, folder: Path) -> None:
    """Guards systems that differ by the same amount on every topic: no test, and who tells the difference."""
    rows = "".join(f"{s},q{t},{t % 4 / 8 + gain}\n" for t in range(30) for s, gain in (("a", 0), ("b", 0.25)))
    (folder / "a.csv").write_text("system,topic,f\n" + rows)
    code, _, err = run("compare", "a.csv", "--score", "f")
    assert (code, "`truegain verdict`, which prints the difference without an interval" in err) == (2, True)
    assert "+0.2500 f" in run("verdict", "a.csv", "--score", "f")[1]


def test_one_system_of_answers_needs_answers_of_another(run: Run, folder: Path) -> None:
    """Guards the advice where only one system has answers."""
    (folder / "a.csv").write_text("system,topic,f\n" + "".join(f"a,q{t},0.{t}\n" for t in range(9)))
    assert "there is only a; add another run" in run("verdict", "a.csv", "--score", "f")[2]


def test_tables_tell_the_digests_of_what_they_are_of(run: Run, folder: Path) -> None:
    """Guards `inputs` in the JSON of tables, and the names of several files."""
    for name in "ab":
        rows = "".join(f"{name},q{t},0.{t + (name == 'b') * (t % 2)}\n" for t in range(1, 9))
        (folder / f"{name}.csv").write_text(f"system,topic,f\n{rows}")
    digest = hashlib.sha256((folder / "b.csv").read_bytes()).hexdigest()
    files = ("a.csv", "b.csv", "--score", "f", "--format", "json")
    for command in (("compare", *files), ("eval", *files, "--intervals", "topics"), ("verdict", *files)):
        made = json.loads(run(*command)[1])["provenance"]
        assert made["inputs"]["b.csv"] == digest
    assert made["judgments"] == "Judgments (a.csv, b.csv)"


def test_topics_alone_is_the_paired_t_test(run: Run, folder: Path) -> None:
    """Guards the first form of the command: the sentence comes first, its numbers are those of scipy's paired t."""
    code, out, err = run(*PLAIN)
    scores = tg.evaluate([str(folder / f) for f in TWO], str(folder / "judgments.qrels"), "P@10").values["P@10"]
    found = stats.ttest_rel(scores[1], scores[0])
    low, high = found.confidence_interval(0.95)
    difference = float((scores[1] - scores[0]).mean())
    interval = f"95% CI [{low:.4f}, {high:.4f}]"
    first = f"good is better than weak: {difference:+.4f} P@10, {interval}, for topics like these {TOPICS}."
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == first
    assert "Not covered: other document collections; mistakes in the judgments." in out


def test_the_order_of_runs_is_the_claim(run: Run) -> None:
    """Guards 'b against a in the order given': turned around, the second is not better, and the text says worse."""
    _, out, _ = run("verdict", "judgments.qrels", *TWO[::-1], "-m", "P@10")
    assert out.startswith("weak is worse than good: -0.")
    _, paired, _ = run("verdict", "judgments.qrels", "runs", "-m", "P@10", "--pair", "good,weak")
    assert paired.splitlines()[0] == out.splitlines()[0]


def test_without_a_topic_is_what_it_would_be_without_it(run: Run, folder: Path) -> None:
    """Guards the moves in words: the difference named is that of the study with the topic taken out."""
    _, out, _ = run(*PLAIN)
    found = re.search(r"Most influential topics: (\S+) \(difference without it: (\S+?)\),", out)
    assert found is not None
    labels = world()[1]
    del labels[found[1]]
    with pytest.warns(tg.DataWarning, match="topics without judgments"):
        scores = tg.evaluate([str(folder / f) for f in TWO], labels, "P@10").values["P@10"]
    assert f"{(scores[1] - scores[0]).mean():+.4f}" == found[2]


def test_gold_topics_and_other_collections(run: Run) -> None:
    """Guards the second form: the collection's own interval, gold's, the naive one beside, what topics hold."""
    words = ("--gold", "gold.qrels", "--design", "topics", "--population", "topics,collection")
    code, out, err = run("verdict", "llm.qrels", *TWO, "-m", "nDCG@10", *words)
    assert (code, err) == (0, "")
    assert f"for topics like these {TOPICS}, on other collections of the same kind" in out.splitlines()[0]
    rows = [line.split("  ")[0] for line in out.splitlines()[3:8]]
    assert rows == ["topics", "collection", "gold", "all sources", "uncorrected"]
    assert "The row topics already includes the uncertainty from documents and gold labels" in out
    assert "more gold topics" in out
    assert "Not covered: mistakes in the gold labels." in out


def test_ratings_costs_and_a_ranking(run: Run) -> None:
    """Guards the third form: of many runs the ranking first, then the two best, with assessors, prices and an aim."""
    words = ("--aggregate", "mean", "--population", "topics,assessors", "--min-effect", "0.02")
    code, out, err = run("verdict", "ratings.csv", "runs/", *words, "--costs", "topic=5,gold=1.5,rating=0.1")
    assert (code, err) == (0, RANKED_WITHOUT)
    assert out.startswith("Only good may be best on nDCG@10; each of the others is worse than some other system")
    assert re.search(r"^system +nDCG@10 +rank low +rank high +tier$", out, re.MULTILINE)
    best = next(i for i, line in enumerate(out.splitlines()) if line.startswith("The two best, as if chosen"))
    assert "in advance: good is better than fair" in out.splitlines()[best]
    assert out.splitlines()[best + 1].startswith("These two were chosen by their scores")  # beside the claim
    assert f"for topics like these {TOPICS}, by assessors like these 5" in out
    assert "Most influential assessors: " in out
    assert re.search(r"more topics \(\d+ in total\): \+-0\.0\d+, cost ", out)
    assert out.count("These two were chosen by their scores") == 1


def test_these_questions_only(run: Run) -> None:
    """Guards --population fixed: the sentence says so, gold alone moves it, and a collection may be added."""
    gold = ("--gold", "pairs.qrels", "--design", "random", "-m", "P@10")
    _, out, _ = run("verdict", "llm.qrels", *TWO, *gold, "--population", "fixed")
    assert f"for these {TOPICS} topics only" in out.splitlines()[0]
    assert "Not covered: other topics; other document collections; mistakes in the gold labels." in out
    assert not re.search(r"^topics ", out, re.MULTILINE)
    _, more, _ = run("verdict", "judgments.qrels", *TWO, "--population", "collection")
    assert f"for these {TOPICS} topics only, on other collections of the same kind" in more


def test_a_topic_that_a_run_lacks_may_count_as_zero(run: Run, folder: Path) -> None:
    """Guards -c, on the command line and in a file: all judged topics are spoken of; without it the others are."""
    lines = (folder / "runs" / "good.run").read_text().splitlines(keepends=True)
    first = lines[0].split()[0]
    (folder / "part.run").write_text("".join(line for line in lines if line.split()[0] != first))
    words = ("verdict", "judgments.qrels", "runs/weak.run", "part.run", "-m", "P@10")
    _, less, err = run(*words)
    assert f"for topics like these {TOPICS - 1}" in less
    assert "are not answered by all systems and are left out" in err
    _, whole, err = run(*words, "-c")
    assert f"for topics like these {TOPICS}" in whole
    assert f"1 of {TOPICS} judged topics are not answered by all systems; a missing one counts as 0" in err
    (folder / "c.toml").write_text(
        'judgments = "judgments.qrels"\nruns = ["runs/weak.run", "part.run"]\nmeasure = "P@10"\nall-topics = true\n'
    )
    assert run("verdict", "c.toml")[1] == whole
    kept: dict[object, Any] = {}

    def keep(key: object, make: Callable[[], Any], kind: object) -> Any:
        kept[key] = kept[key] if key in kept else make()
        return kept[key]

    files = Filed.of([str(folder / "runs" / "weak.run"), str(folder / "part.run")], "file", 1, keep)
    for complete in (False, True):  # a report keeps either by itself
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tg.DataWarning)
            study = tg.Study(files, folder / "judgments.qrels", "P@10", scoring=tg.Scoring(all_topics=complete))
        assert len(study.topics) == TOPICS - (not complete)


@pytest.mark.slow
def test_a_judge_of_the_same_model_is_not_believed(run: Run, folder: Path) -> None:
    """Guards --system-models: without its own gold a system of the judge's model cannot be told; with gold it can."""
    same = ("--system-models", "good=m1", "--judge-model", "m1")
    _, out, _ = run("verdict", "llm.qrels", *TWO, "-m", "P@10", *same)
    by = "By m1's labels, which no person has checked, "
    assert out.startswith(f"{by}the result is inconclusive: good scores")
    assert "possible self-preference: good uses m1" in out.splitlines()[0]
    assert "More topics would not help: the verdict needs gold labels of at least 10 documents" in out
    assert "more topics (" not in out
    _, told, _ = run("verdict", "llm.qrels", *TWO, "-m", "P@10", *same, "--gold", "pairs.qrels", "--design", "random")
    assert told.startswith("good is better than weak")
    (folder / "models.csv").write_text("system,model\ngood,m0\n\ngood,m1\nweak,m2\n")
    _, of_file, _ = run(
        "verdict", "llm.qrels", *TWO, "-m", "P@10", "--system-models", "models.csv", "--judge-model", "m1"
    )
    assert of_file == out
    rows = ["system,topic,doc,score,model"]
    for name, model in (("weak", ""), ("good", "M1")):
        rows += [f"{name},{t},{d},{x},{model}" for t, row in world()[0][name].items() for d, x in row.items()]
    (folder / "both.csv").write_text("\n".join(rows) + "\n")
    _, by_column, _ = run("verdict", "llm.qrels", "both.csv", "-m", "P@10", "--judge-model", "m1")
    assert by_column == out
    os.mkfifo(folder / "pipe.csv")  # is read once: a second look for the column would wait for ever
    words = [sys.executable, "-m", "truegain", "verdict", "llm.qrels", "pipe.csv", "-m", "P@10", "--judge-model", "m1"]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        (folder / "pipe.csv").write_text("\n".join(rows) + "\n")
        try:
            assert process.communicate(timeout=120)[0] == out
        finally:
            process.kill()
    _, without, _ = run(
        "verdict", "llm.qrels", "both.csv", "-m", "P@10", "--judge-model", "m1", "--system-models", "good=m2"
    )
    assert without.startswith(f"{by}good is better than weak")  # what is said comes before the column
    _, alone, err = run("verdict", "llm.qrels", "both.csv", "-m", "P@10")
    assert alone.startswith("good is better than weak")
    assert "warning: 1 system names the model used (M1), and it is unknown which one gave the judgments" in err
    assert err.rstrip().endswith("give --judge-model")
    labels = [line.split() for line in (folder / "llm.qrels").read_text().splitlines()]
    first, rest = alone.split("\n", 1)
    panel = f"By the labels of m1 and m2, which no person has checked, {first}"
    for models in ((" m1 ",), ("m1", "m2")):
        rows = [f"{t},{d},{x},{models[i % len(models)]}" for i, (t, _, d, x) in enumerate(labels)]
        (folder / "judged.csv").write_text("topic,doc,label,model\n" + "\n".join(rows) + "\n")
        _, by_both, err = run("verdict", "judged.csv", "both.csv", "-m", "P@10")
        if len(models) == 1:
            assert by_both == out
        else:
            assert by_both.startswith(f"{panel}\n")
            assert "First: have a person check the labels of m1 and m2: `truegain plan labels" in by_both
            assert by_both.endswith(rest.rpartition("To narrow the interval")[2])
        assert ("the judgments name 2 (m1, m2)" in err) == (len(models) == 2)
    _, by_uses, _ = run("verdict", "judged.csv", *TWO, "-m", "P@10", *same)
    assert by_uses == out
    _, ranks, _ = run("verdict", "llm.qrels", "runs", "-m", "P@10", *same)
    assert "Possible self-preference: good; no rank is ruled out." in ranks
    assert re.search(r"^good +\S+ +1 +3 +1$", ranks, re.MULTILINE)
    _, ranks, _ = run("verdict", "llm.qrels", "runs", "-m", "P@10", *same, "--format", "csv")
    top, *lines = [line.split(",") for line in ranks.splitlines()]
    assert top[-1] == "note"
    assert {line[1]: line[-1] for line in lines} == {"good": "possible self-preference", "fair": "", "weak": ""}


@pytest.mark.slow
def test_a_study_in_a_file(run: Run, folder: Path) -> None:
    """Guards study.toml: paths from the file on, lists and tables as options, the command line first, digests told."""
    (folder / "kept").mkdir()
    text = """
        judgments = "../llm.qrels"
        runs = ["../runs/weak.run", "../runs/good.run"]
        measure = "P@10"
        gold = "../pairs.qrels"
        design = "random"
        population = ["topics"]
        min_effect = 0.01
        judge-model = "m1"
        [system-models]
        good = ["m0", "m1"]
        [costs]
        topic = 5
    """
    (folder / "kept" / "study.toml").write_text(text)
    spoken = ("llm.qrels", *TWO, "-m", "P@10", "--gold", "pairs.qrels", "--design", "random", "--judge-model", "m1",
              "--system-models", "good=m0", "--system-models", "good=m1", "--costs", "topic=5")  # fmt: skip
    code, out, _ = run("verdict", "--study", "kept/study.toml")
    assert (code, out) == run("verdict", *spoken, "--min-effect", "0.01")[:2]
    assert (
        run("verdict", "--study", "kept/study.toml", "--min-effect", "0.5")[1]
        == (run("verdict", *spoken, "--min-effect", "0.5")[1])
    )
    fixed = run("verdict", "--study", "kept/study.toml", "--population", "fixed")[1]
    assert fixed == run("verdict", *spoken, "--min-effect", "0.01", "--population", "fixed")[1]
    (folder / "kept" / "other.toml").write_text(text.replace('population = ["topics"]', 'population = "fixed"'))
    assert run("verdict", "--study", "kept/other.toml")[1] == fixed
    assert run("verdict", "--study", "kept/other.toml", "--population", "topics")[1] == out
    told = json.loads(run("verdict", "--study", "kept/study.toml", "--format", "json")[1])
    assert "kept/study.toml" in told["provenance"]["inputs"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("min_efect = 0.1", "kept.toml:1: 'min_efect' is not an option of verdict (did you mean min-effect?)"),
        ("\njudgments", "kept.toml:2: not valid TOML: "),
        ("seed = 1\n\nmeasure = []", "kept.toml:3: measure is an empty list"),
        ("seed = 1\nmin_effect = 'much'", "kept.toml:2: min_effect is 'much' ("),
        ("min_effect = -1", "kept.toml:1: min_effect -1.0: give"),
        ("[system-models]\na = 'm'\n[population]\nb = 2", "kept.toml:3: population is a table (give a text)"),
        ("study = 'kept.toml'", "'study' is not an option of verdict"),
    ],
)
def test_study_files_that_cannot_be_meant(text: str, said: str, run: Run, folder: Path) -> None:
    """Guards mistakes in study.toml: each named, with the file, and exit code 2."""
    (folder / "kept.toml").write_text(f"{text}\n")
    code, out, err = run("verdict", "llm.qrels", *TWO, "--study", "kept.toml")
    assert (code, out) == (2, "")
    assert said in err


def test_a_candidate_against_several_baselines(run: Run, folder: Path) -> None:
    """Guards --baseline and --candidate: a verdict each, as --pair gives it; the file's title is another command's."""
    whole = ("verdict", "judgments.qrels", "runs", "-m", "P@10")
    (folder / "kept.toml").write_text('baseline = ["weak", "fair"]\ncandidate = "good"\ntitle = "ours"\n')
    _, out, _ = run(*whole, "--study", "kept.toml")
    apart = [run(*whole, "--pair", f"{a},good")[1] for a in ("weak", "fair")]
    assert out == "\n\n".join(apart)
    assert run(*whole[:2], *TWO, *whole[3:], "--baseline", "weak")[1] == run(*PLAIN)[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--candidate", "weak"), "--baseline is not given, and there are 2 other systems; name one of them"),
        (("--baseline", "weak", "--baseline", "fair", "--baseline", "good"), "every system is a --baseline; leave one"),
        (
            ("--baseline", "poor", "--candidate", "good"),
            "--baseline poor is not a system here; there are fair, good, weak",
        ),
        (("--baseline", "good", "--candidate", "good"), "good is compared with itself"),
        (("--baseline", "weak", "--pair", "weak,good"), "leave out --baseline and --candidate, or --pair"),
    ],
)
def test_claims_that_cannot_be_meant(words: tuple[str, ...], said: str, run: Run) -> None:
    """Guards mistakes in --baseline and --candidate: each named, exit code 2."""
    code, out, err = run("verdict", "judgments.qrels", "runs", *words)
    assert (code, out) == (2, "")
    assert said in err


def test_holes_hold_back_or_count_as_not_relevant(run: Run, folder: Path) -> None:
    """Guards --unjudged: half of the labels gone, the verdict is held back and says by how many topics, or assumes."""
    labels, rng = world()[1], np.random.default_rng(1)
    few = {t: {d: g for d, g in row.items() if rng.random() < 0.5} for t, row in labels.items()}
    tg.write_judgments(few, folder / "few.qrels")
    _, out, _ = run("verdict", "few.qrels", *TWO, "-m", "P@10")
    unless = r"but that would change if as few as \d+ of \d+ unjudged documents were relevant, on as few as \d+ of "
    unless += f"{TOPICS} topics"
    assert re.search(unless, out)
    assert "the verdict assumes the worst case" in out
    _, turned, _ = run("verdict", "few.qrels", *TWO[::-1], "-m", "P@10")
    assert re.search(r"scores lower than .*, but \d+ unjudged documents could add up to 0\.", turned)
    _, assumed, _ = run("verdict", "few.qrels", *TWO, "-m", "P@10", "--unjudged", "non-relevant")
    assert assumed.splitlines()[0].endswith("; unjudged documents count as not relevant.")
    assert assumed.startswith("good is better than weak")


def test_a_sample_of_the_holes_frees_the_verdict(run: Run, folder: Path) -> None:
    """Guards --unjudged-sample: P@10 by default, no bound, fixed topics too, provenance; a stray label is refused."""
    runs, labels = world()
    tops = {s: {t: sorted(row, key=lambda d: -row[d])[:10] for t, row in runs[s].items()} for s in ("weak", "good")}
    few = {t: {d: row[d] for d in tops["weak"][t]} for t, row in labels.items()}
    holes = [(t, d) for t in labels for d in tops["good"][t] if d not in few[t]]
    sample: dict[str, dict[str, int]] = {}
    for i in sorted(np.random.default_rng(2).permutation(len(holes))[:50].tolist()):
        t, d = holes[i]
        sample.setdefault(t, {})[d] = labels[t][d]
    tg.write_judgments(few, folder / "few.qrels")
    tg.write_judgments(sample, folder / "holes.qrels")
    command = ("verdict", "few.qrels", *TWO, "--unjudged-sample", "holes.qrels")
    code, out, _ = run(*command)
    assert code == 0
    assert re.match(r"good is better than weak: \+0\.\d+ P@10, ", out)
    assert f"by a random sample of 50 of the {len(holes)} unjudged documents." in out.splitlines()[0]
    assert "could change the difference" not in out
    assert run(*command, "--population", "fixed")[1].startswith("good is better than weak")
    told = json.loads(run(*command, "--format", "json")[1])
    assert told["provenance"]["unjudged_sample"] == 50
    assert "holes.qrels" in str(told["provenance"]["inputs"])
    code, _, err = run("verdict", "few.qrels", *TWO, "--unjudged-sample", "judgments.qrels")
    assert code == 2
    assert "--unjudged-sample: " in err
    assert "labels are not of unjudged documents that P@10 counts" in err


def test_a_sample_is_drawn_filled_in_and_read_back(run: Run, folder: Path) -> None:
    """Guards the round trip: the verdict names the command, an empty label is refused by its line, a full file read."""
    runs, labels = world()
    top = {t: sorted(row, key=lambda d: -row[d])[:10] for t, row in runs["weak"].items()}
    tg.write_judgments({t: {d: labels[t][d] for d in top[t]} for t in labels}, folder / "few.qrels")
    _, out, _ = run("verdict", "few.qrels", *TWO, "-m", "P@10")
    found = re.search(r"`truegain unjudged \S+ \S+ \S+ (-m P@10 --show sample --most (\d+)) -o FILE.csv`", out)
    assert found is not None
    assert f"`truegain unjudged few.qrels {' '.join(TWO)} -m P@10" in out
    code, _, _ = run("unjudged", "few.qrels", *TWO, *found[1].split(), "-o", "drawn.csv")
    head, *rows = (folder / "drawn.csv").read_text().splitlines()
    assert (code, head, len(rows)) == (0, "topic,doc,label", int(found[2]))
    command = ("verdict", "few.qrels", *TWO, "-m", "P@10", "--unjudged-sample", "drawn.csv")
    code, _, err = run(*command)
    assert code == 2
    assert err.startswith("error: drawn.csv:2: label is missing (give a number")
    full = [f"{row}{labels[row.split(',')[0]][row.split(',')[1]]}" for row in rows]
    (folder / "drawn.csv").write_text("\n".join([head, *full]) + "\n")
    code, out, err = run(*command)
    assert (code, err) == (0, "")
    assert out.startswith("good is better than weak")
    assert f"by a random sample of {len(rows)} of the" in out.splitlines()[0]
    whole = tg.Study({s: runs[s] for s in ("weak", "good")}, labels, "P@10").compare("weak", "good")[0].difference
    low, high = map(float, re.findall(r"\[(\S+), (\S+)\]", out)[0])
    assert low < whole < high


def test_several_measures_have_a_verdict_each(run: Run) -> None:
    """Guards -m twice: two sentences, in the order asked for."""
    _, out, _ = run("verdict", "judgments.qrels", *TWO, "-m", "P@10", "-m", "nDCG@10")
    said = [line for line in out.splitlines() if line.startswith("good is better")]
    assert [line.split()[6] for line in said] == ["P@10,", "nDCG@10,"]


def test_json_holds_everything_and_how_it_was_made(run: Run, folder: Path) -> None:
    """Guards the machine's side: options, seed, digests of what was read, all digits, the same numbers as the text."""
    words = ("--gold", "pairs.qrels", "--design", "random", "--seed", "4", "--costs", "gold=2", "--format", "json")
    _, out, _ = run("verdict", "llm.qrels", "runs", "-m", "P@10", *words)
    told = json.loads(out)
    made = told["provenance"]
    assert (made["seed"], made["design"], made["costs"], made["population"]) == (4, "random", "gold=2", ["topics"])
    digest = hashlib.sha256((folder / "pairs.qrels").read_bytes()).hexdigest()
    assert made["inputs"]["pairs.qrels"] == digest
    assert set(made["inputs"]) == {"llm.qrels", "pairs.qrels", *(f"runs/{s}.run" for s in STRENGTH)}
    (ranking,), (verdict,) = told["rankings"], told["verdicts"]
    assert [row["system"] for row in ranking["systems"]] == ["good", "fair", "weak"]
    assert (verdict["a"], verdict["b"]) == ("fair", "good")
    assert (
        f"{verdict['difference']:+.4f} P@10, 95% CI [{verdict['low']:.4f}, {verdict['high']:.4f}]"
        in verdict["sentence"]
    )
    assert {"topics", "gold", "all sources"} == {row["source"] for row in verdict["by_source"]}
    assert all(step["cost"] is not None for step in verdict["next_steps"] if step["what"] == "gold labels")


def test_other_formats_are_the_table(run: Run, folder: Path) -> None:
    """Guards rows for programs and papers: sources of a pair, ranks of many; no line of LaTeX escapes its comment."""
    _, out, _ = run(*PLAIN, "-m", "nDCG@10", "--format", "csv")
    head, first, second = out.splitlines()
    assert head == "measure,a,b,outcome,source,difference,low,high,share,share_low,share_high,excludes_0,covered"
    assert first.startswith("P@10,weak,good,better,topics,0.")
    assert second.startswith("nDCG@10,weak,good,better,topics,0.")
    assert first.endswith(",1.0,True,True")
    run("verdict", "judgments.qrels", "runs", "-m", "P@10", "-o", "ranks.csv")
    assert (folder / "ranks.csv").read_text().splitlines()[0] == "measure,system,value,rank_low,rank_high,tier"
    _, tex, _ = run(*PLAIN, "--format", "latex")
    before, _, table = tex.partition(r"\begin{tabular}")
    assert all(line.startswith("%") for line in before.splitlines())
    assert table


def test_seed_and_jobs(run: Run) -> None:
    """Guards repeatability: the same seed is the same text for any --jobs, and the seed matters where one draws."""
    words = (*PLAIN, "--population", "topics,collection", "--resamples", "200")
    first = run(*words, "--seed", "1", "--jobs", "1")[1]
    assert run(*words, "--seed", "1", "--jobs", "2")[1] == first
    assert run(*words, "--seed", "2")[1] != first


def test_ratings_by_other_names(run: Run, folder: Path) -> None:
    """Guards --columns, --repeated and --scale: the same ratings under other names give the same answer."""
    text = (folder / "ratings.csv").read_text()
    (folder / "other.csv").write_text(text.replace("assessor,label", "worker_id,grade") + "00,d00,v,0\n")
    words = (*TWO, "-m", "P@10", "--aggregate", "mean", "--population", "topics,assessors")
    renamed = ("--columns", "assessor=worker_id,label=grade")
    code, _, err = run("verdict", "other.csv", *words, *renamed)
    assert code == 2
    assert "twice" in err or "several" in err or "repeated" in err
    first = run("verdict", "other.csv", *words, *renamed, "--repeated", "first", "--scale", "0:2")
    assert first[:2] == run("verdict", "ratings.csv", *words)[:2]


def test_a_judge_asked_again(run: Run, folder: Path) -> None:
    """Guards replicates: an LLM asked three times is one assessor whose noise lies in the topics."""
    text = (folder / "ratings.csv").read_text()
    lines = [line for line in text.splitlines() if line.split(",")[2] in ("assessor", "v", "w", "x")]
    (folder / "again.csv").write_text(re.sub(",[vwx],", ",llm,", "\n".join(lines)) + "\n")
    words = ("--aggregate", "mean", "--repeated", "all", "--population", "topics,replicates")
    code, out, err = run("verdict", "again.csv", *TWO, "-m", "nDCG@10", *words)
    assert code == 0
    assert err.count("rated more than once by one assessor; all ratings count") == 1
    assert f"for topics like these {TOPICS}, were the judge asked again" in out.splitlines()[0]
    assert [line.split("  ")[0] for line in out.splitlines()[3:6]] == ["topics", "replicates", "all sources"]
    wider = (*words[:-1], "topics,replicates,collection", "--resamples", "100")
    _, out, _ = run("verdict", "again.csv", *TWO, "-m", "DCG@10", *wider)
    assert re.search(r"^replicates .*  in collection  ", out, re.MULTILINE)  # documents hold the noise of their ratings


MISTAKES = [
    (("judgments.qrels", "runs/weak.run"), "A verdict compares two systems, but there is only weak; add another run."),
    (("judgments.qrels", "runs", "--pair", "weak,none"), "--pair none is not a system here"),
    (("judgments.qrels", "runs", "--pair", "no,none"), "--pair no,none are not systems here"),
    (("judgments.qrels", "runs", "--pair", "weak"), "is not two systems; write --pair a,b"),
    (("judgments.qrels", "runs", "--pair", "weak,weak"), "weak is compared with itself"),
    (
        ("judgments.qrels", *TWO, "--design", "topics"),
        "--design describes gold labels; give these with --gold",
    ),
    (
        ("judgments.qrels", *TWO, "--gold-relevant-from", "1"),
        "--gold-relevant-from says which gold labels are relevant",
    ),
    (("llm.qrels", *TWO, "--gold", "pairs.qrels"), "how were the gold pairs sampled"),
    (("llm.qrels", *TWO, "--gold", "pairs.qrels", "--design", "random", "-m", "nDCG@10"), "cannot be corrected from"),
    (
        ("judgments.qrels", *TWO, "--population", "assessors"),
        "--population names assessors",
    ),
    (
        ("judgments.qrels", *TWO, "--population", "replicates"),
        "with --repeated all and a rule",
    ),
    (("ratings.csv", *TWO, "--aggregate", "mean", "--population", "replicates"), "ask the judge again"),
    (("judgments.qrels", *TWO, "--population", "topics,moon"), "'moon' is not known"),
    (("judgments.qrels", *TWO, "--population", ""), "'' is not known"),
    (("judgments.qrels", *TWO, "--population", "fixed,topics"), "cannot be combined"),
    (("judgments.qrels", *TWO, "--population", "fixed"), "nothing here is uncertain"),
    (("judgments.qrels", *TWO, "--costs", "topic=5,beer=1"), "'beer' has no price here"),
    (("judgments.qrels", *TWO, "--costs", "topic=5,topic=6"), "topic has two prices"),
    (("judgments.qrels", *TWO, "--costs", "gold=much"), "the price of gold is 'much'"),
    (("judgments.qrels", *TWO, "--costs", "gold=-1"), "give a number of at least 0"),
    (("judgments.qrels", *TWO, "--system-models", "weak=m"), "say with --judge-model"),
    (
        ("judgments.qrels", *TWO, "--system-models", "none=m", "--judge-model", "m"),
        "--system-models: none is not a system here",
    ),
    (("judgments.qrels", *TWO, "--system-models", "=m", "--judge-model", "m"), "is not system=model"),
    (("judgments.qrels", *TWO, "--system-models", "none", "--judge-model", "m"), "neither system=model nor a file"),
    (
        ("judgments.qrels", *TWO, "--system-models", "ratings.csv", "--judge-model", "m"),
        "a line should be system,model",
    ),
    (("judgments.qrels", *TWO, "--scale", "0:3"), "--scale: this applies to ratings"),
    (("judgments.qrels", *TWO, "--aggregate", "mean"), "do not name assessors"),
    (("judgments.qrels", *TWO, "--confidence", "95"), "write 0.95 for 95%"),
    (("judgments.qrels", *TWO, "--min-effect", "nan"), "--min-effect nan is not a number"),
    (("judgments.qrels", *TWO, "-m", "GMAP"), "is not a mean over topics"),
    (
        ("ratings.csv", *TWO),
        "by mean, majority or another rule: --aggregate mean (of eval, verdict and others)",
    ),
    (("llm.qrels", *TWO, "--gold", TWO[0], "--design", "random"), "this looks like a run: gold labels are judgments"),
    (("runs", "judgments.qrels"), "only runs may be a folder"),
    (("ratings.csv", *TWO, "--aggregate", "glad", "--population", "assessors"), "cannot be left out"),
]


@pytest.mark.few(11)
@pytest.mark.parametrize(("words", "said"), MISTAKES, ids=lambda w: " ".join(w) if isinstance(w, tuple) else "")
def test_mistakes_are_told(words: tuple[str, ...], said: str, run: Run) -> None:
    """Guards what users get wrong: exit code 2, nothing printed, and a sentence that says what to do."""
    code, out, err = run("verdict", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_too_little_is_refused(run: Run, folder: Path) -> None:
    """Guards small studies: two topics, and a collection over runs that are cut above twice the cutoff."""
    labels = world()[1]
    tg.write_judgments({t: labels[t] for t in ("00", "01")}, folder / "two.qrels")
    code, _, err = run("verdict", "two.qrels", *TWO)
    assert code == 2
    assert "2 topics are too few for a study; have at least 3 that all systems answer, better 50" in err
    tg.write_judgments({"00": labels["00"]}, folder / "one.qrels")
    for qrels, topics in (("one.qrels", "1 topic is"), ("two.qrels", "2 topics are")):
        code, _, err = run("compare", qrels, *TWO, "-m", "P@10")
        said = f"{topics} too few to compare systems; have at least 3 that all answer, better 50"
        assert (code, said in err) == (2, True)
        code, _, err = run("compare", qrels, *TWO, "-m", "P@10", "--test", "paired-t")
        assert (code, "a test needs at least 3" in err) == (2, True)
    short = {
        name: {t: dict(sorted(row.items(), key=lambda x: -x[1])[:15]) for t, row in lists.items()}
        for name, lists in world()[0].items()
    }
    tg.write_runs(short, f"{folder}/short/")
    code, _, err = run("verdict", "judgments.qrels", "short", "-m", "P@10", "--population", "topics,collection")
    assert code == 2
    assert "needs rankings of 20 documents, and 3 of 3 runs have no more than 15 (fair, good, weak)" in err


def test_a_baseline_alone_is_held_against_all_others(run: Run, folder: Path) -> None:
    """Guards a study file made for `report`: every other system has the verdict that it has by itself."""
    (folder / "kept.toml").write_text(
        'judgments = "judgments.qrels"\nruns = "runs"\nbaseline = "weak"\nmeasure = "P@10"\n'
    )
    code, out, err = run("verdict", "kept.toml")
    each = [run("verdict", "judgments.qrels", "runs", "-m", "P@10", "--pair", f"weak,{b}")[1] for b in ("fair", "good")]
    assert (code, err) == (0, "")
    assert out.splitlines()[:2] == [text.splitlines()[0] for text in each]
    assert out.splitlines()[2].startswith("Each of these 2 verdicts is at its confidence level by itself")
    assert all(text.strip() in out for text in each)
    assert run("verdict", "kept.toml", "--pair", "weak,good")[1] == each[1], "the command line comes first"
    code, _, err = run("gate", "kept.toml")
    assert (code, "candidate is not given, and there are 2 other systems" in err) == (2, True)


@pytest.mark.slow
def test_systems_have_other_names(run: Run, folder: Path) -> None:
    """Guards --names and --strip-prefix: as words and as keys, systems asked for by old names and by new ones."""
    runs, _ = world()
    tg.write_runs({f"input.{name}": lists for name, lists in runs.items()}, f"{folder}/long/")
    (folder / "names.tsv").write_text("input.weak\tBM25 (ours)\n")
    text = 'judgments = "judgments.qrels"\nruns = "long"\nmeasure = "P@10"\n'
    (folder / "s.toml").write_text(f'{text}names = "names.tsv"\nstrip-prefix = "input."\n')
    _, plain, _ = run("verdict", "judgments.qrels", "runs", "-m", "P@10", "--pair", "weak,good")
    words = ("judgments.qrels", "long", "-m", "P@10", "--names", "names.tsv", "--strip-prefix", "input.")
    for pair in ("input.weak,input.good", "BM25 (ours),good"):
        code, out, err = run("verdict", *words, "--pair", pair)
        assert (code, err) == (0, "")
        assert out == plain.replace("weak", "BM25 (ours)")
        assert run("verdict", "s.toml", "--pair", pair)[1] == out
    _, out, _ = run("gate", "s.toml", "--baseline", "input.weak", "--candidate", "good")
    assert "Claim: good is better than BM25 (ours)." in out
    told = json.loads(run("verdict", "s.toml", "--pair", "fair,good", "--format", "json")[1])["provenance"]
    assert (told["names"], told["strip_prefix"], "names.tsv" in told["inputs"]) == ("names.tsv", "input.", True)
    assert run("report", "s.toml", "--baseline", "input.weak")[0] == 0
    page = (folder / "report.html").read_text()
    assert "BM25 (ours)" in page
    assert "input.fair</" not in page
    (folder / "names.tsv").write_text("input.weak\tTF-IDF\n")  # what is kept goes by what the file says
    assert run("report", "s.toml", "--baseline", "input.weak")[0] == 0
    page = (folder / "report.html").read_text()
    assert ("TF-IDF</" in page, "BM25 (ours)" in page) == (True, False)
    (folder / "s.toml").write_text(f'{text}[names]\n"input.weak" = "BM25"\n')
    assert "s.toml:4: names is a table (give the path of a file)" in run("verdict", "s.toml")[2]
