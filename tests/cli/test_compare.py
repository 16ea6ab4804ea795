"""`truegain compare` and `truegain plan topics` as a user runs them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve topics and eight runs, each better than the one before."""
    rng = np.random.default_rng(5)
    (tmp_path / "qrels").write_text("".join(f"{t} 0 d{d} {int(d < 3)}\n" for t in range(12) for d in range(10)))
    (tmp_path / "runs").mkdir()
    for r in range(8):
        rows = [
            f"{t} Q0 d{d} 1 {rng.normal() + (d < 3) * 0.5 * r:.6f} r{r}\n" for t in range(12) for d in range(10)
        ]  # fmt: skip
        (tmp_path / "runs" / f"r{r}.run").write_text("".join(rows))
    return tmp_path


def test_few_systems_are_shown_pair_by_pair(run: Run, folder: Path) -> None:
    """Guards the plain case, and that the command prints what the library says."""
    code, out, err = run(
        "compare", "qrels", "runs/r0.run", "runs/r4.run", "runs/r7.run", "-m", "AP", "--test", "paired-t"
    )
    assert (code, err) == (0, "")
    files = [str(folder / "runs" / f"r{i}.run") for i in (0, 4, 7)]
    assert out == str(tg.compare(files, str(folder / "qrels"), "AP", test="paired-t")) + "\n"
    assert out.startswith("AP: ")
    assert "of 3 pairs differ (paired-t, holm, p < 0.05)" in out


def test_many_systems_are_shown_in_groups(run: Run) -> None:
    """Guards the groups, best first, for more than six systems; --pairs and --groups choose."""
    code, out, _ = run("compare", "qrels", "runs", "--test", "tukey-hsd", "--resamples", "10000")
    assert code == 0
    lines = out.splitlines()
    assert lines[2].split() == ["system", "mean", "low", "high", "group", "differs_from"]
    assert lines[3].split()[0] in ("r6", "r7")
    assert lines[3].split()[4].startswith("a")
    _, out, _ = run("compare", "qrels", "runs", "--pairs", "--format", "jsonl")
    assert len(out.splitlines()) == 28
    _, out, _ = run("compare", "qrels", "runs/r0.run", "runs/r7.run", "--groups")
    assert "differs_from" in out
    code, _, err = run("compare", "qrels", "runs", "--pairs", "--groups")
    assert (code, err) == (2, "error: --pairs and --groups choose different tables; give one of them\n")


def test_formats_and_measures(run: Run, folder: Path) -> None:
    """Guards CSV with all digits, JSON with how it was made, LaTeX and Markdown by the ending of the file."""
    _, out, _ = run(
        "compare", "qrels", "runs", "-m", "AP", "-m", "P@3", "--baseline", "r0", "--test", "sign", "--format", "csv"
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["measure"] for row in rows] == ["AP"] * 7 + ["P@3"] * 7
    assert {row["a"] for row in rows} == {"r0"}
    _, out, _ = run("compare", "qrels", "runs", "-m", "AP", "-m", "P@3", "--format", "csv")
    assert out.splitlines()[0] == "measure,system,mean,low,high,group,differs_from"
    words = (
        "compare",
        "qrels",
        "runs",
        "--test",
        "randomized-tukey-hsd",
        "--resamples",
        "500",
        "--seed",
        "3",
        "--format",
        "json",
    )
    _, out, _ = run(*words)
    provenance = json.loads(out)["provenance"]
    assert (provenance["test"], provenance["resamples"], provenance["seed"]) == ("randomized-tukey-hsd", 500, 3)
    assert run(*words, "--jobs", "1")[1] == out
    run("compare", "qrels", "runs", "-o", "t.tex")
    assert r"\toprule" in (folder / "t.tex").read_text()
    run("compare", "qrels", "runs", "-o", "t.md")
    assert "| system |" in (folder / "t.md").read_text()


def test_one_trial_and_published_p_values(run: Run) -> None:
    """Guards --counting, and --resamples 1, which printed '1 of 1 pairs differ', p 0.0000: trials grow and are told."""
    words = ("compare", "qrels", "runs/r0.run", "runs/r1.run", "--test", "bootstrap", "--resamples", "1")
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert "1 trials have none: 40 were drawn" in out
    record = json.loads(run(*words, "--format", "jsonl")[1])
    assert record["p"] * 41 == pytest.approx(round(record["p"] * 41))
    for test in ("bootstrap", "randomized-tukey-hsd"):
        both = (
            "compare",
            "qrels",
            "runs/r0.run",
            "runs/r7.run",
            "--test",
            test,
            "--resamples",
            "300",
            "--format",
            "json",
        )
        plus = json.loads(run(*both)[1])
        published = json.loads(run(*both, "--counting", "published")[1])
        assert (plus["provenance"]["counting"], published["provenance"]["counting"]) == ("plus-one", "published")
        p, share = plus["rows"][0]["p"], published["rows"][0]["p"]
        assert p == pytest.approx((300 * share + 1) / 301)
    power = ("experiment", "discriminative", "qrels", "runs", "-m", "AP", "--resamples", "100")
    assert run(*power, "--format", "json")[0] == 0
    provenance = json.loads(run(*power, "--counting", "published", "--format", "json")[1])["provenance"]
    assert provenance["counting"] == "published"
    code, _, err = run("experiment", "discriminative", "qrels", "runs", "-m", "AP", "--resamples", "5")
    assert (code, "give at least 20" in err) == (2, True)
    code, _, err = run("compare", "qrels", "runs", "--population", "collection", "--counting", "published")
    assert (code, "--counting" in err) == (2, True)


def test_options_of_eval(run: Run) -> None:
    """Guards that the options that choose topics and documents reach the scores."""
    for words in (
        ["-c"],
        ["-l", "1"],
        ["-M", "3"],
        ["-J"],
        ["--no-relevant", "skip"],
        ["--trec-eval", "9"],
        ["--ties", "ascending"],
        ["--ties", "input"],
        ["--name-by", "tag"],
    ):
        code, out, err = run("compare", "qrels", "runs/r0.run", "runs/r7.run", *words)
        assert (code, err) == (0, ""), words
        assert "r7" in out
    shallow = run("compare", "qrels", "runs/r0.run", "runs/r7.run", "-M", "3")[1]
    assert shallow != run("compare", "qrels", "runs/r0.run", "runs/r7.run")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["runs/r0.run"], "error: a comparison needs at least 2 systems; there is 1 (r0)"),
        (["runs", "--baseline", "bm25"], "error: --baseline bm25 is not a system here; there are r0, r1, r2"),
        (["runs", "--confidence", "95"], "error: --confidence 95 is not between 0 and 1; write 0.95 for 95%"),
        (["runs", "-m", "nDGC"], "error: "),
    ],
)  # fmt: skip
def test_mistakes_end_with_a_message(run: Run, words: list[str], said: str) -> None:
    """Guards exit code 2 and one line that says what to do, never a traceback."""
    code, out, err = run("compare", "qrels", *words)
    assert (code, out) == (2, "")
    assert err.startswith(said)
    assert "Traceback" not in err


def test_gold_on_several_measures_begins_with_the_table(run: Run) -> None:
    """Guards the headline: tables that have none are joined without empty lines in its place."""
    words = ("compare", "qrels", "runs", "--gold", "qrels", "--design", "random", "-m", "P@5", "-m", "DCG@5")
    code, out, err = run(*words)
    assert code == 0, err
    assert out.startswith("a ")


def test_plan_topics(run: Run) -> None:
    """Guards the number of topics needed, the variance it rests on, and the table around it."""
    code, out, err = run("plan", "topics", "qrels", "runs", "-m", "AP", "--min-effect", "0.03", "--power", "0.8")
    assert (code, err) == (0, "")
    assert " topics: a difference of 0.03 in AP is detected with power 0.8 at alpha 0.05 (paired-t)" in out
    assert "2 V_E2" in out
    assert "the present 12 topics detect a difference of" in out
    needed = out.split()[0].replace(",", "")
    _, table, _ = run("plan", "topics", "qrels", "runs", "--min-effect", "0.03", "--format", "csv")
    assert table.splitlines()[0] == "difference,power_0.7,power_0.8,power_0.9"
    assert table.splitlines()[2].split(",")[2] == needed
    for design in ("anova", "width"):
        code, out, _ = run("plan", "topics", "qrels", "runs", "--min-effect", "0.05", "--criterion", design)
        assert code == 0
    code, _, err = run("plan", "topics", "qrels", "runs", "--min-effect", "0")
    assert (code, err) == (
        2,
        "error: --min-effect 0: this cannot be detected; give a difference above 0, such as 0.03\n",
    )
