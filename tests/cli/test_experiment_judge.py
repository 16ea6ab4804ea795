"""`truegain experiment judge`: the tables of the paper, and the same of one's own data, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.worlds import study as world_of
from truegain.data.writing import write_judgments, write_runs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, bronze and gold labels, and ratings by three assessors."""
    folder = tmp_path_factory.mktemp("judge")
    runs, bronze, gold = world_of(3, topics=20, docs=8)
    (folder / "runs").mkdir()
    write_runs(runs, folder / "runs")
    write_judgments(bronze, folder / "bronze.qrels")
    write_judgments(gold, folder / "gold.qrels")
    lines = [f"{t},{d},{who},{label if who != 'z' else 1}" for t in bronze for d, label in bronze[t].items()
             for who in "xyz"]  # fmt: skip
    (folder / "ratings.csv").write_text("topic,doc,assessor,label\n" + "\n".join(lines) + "\n")
    return folder


OWN = ("experiment", "judge", "bronze.qrels", "runs", "--gold", "gold.qrels", "--design", "random", "-m", "P@4")


def test_the_papers_tables_without_any_data(run: Run, folder: Path) -> None:
    """Guards the default: every table of the paper in one text, each alone by --show, and figure 2."""
    code, out, _ = run("experiment", "judge", "--resamples", "200")
    assert code == 0
    for told in ("0.0903", "0.0923", "0.8541", "2453.8", "inf", "0.5140", "table 2", "table 4", "figure 2"):
        assert told in out
    code, out, _ = run("experiment", "judge", "--show", "power", "--format", "json")
    assert code == 0
    rows = json.loads(out)["rows"]  # valid JSON, infinity and all
    assert rows[-1]["n"] == "inf"
    code, out, _ = run("experiment", "judge", "--resamples", "200", "--format", "json")
    assert [round(row["se"], 4) for row in json.loads(out)["rows"][:2]] == [0.0903, 0.0923]
    code, _, _ = run("experiment", "judge", "--show", "simulation", "--resamples", "100", "--figure", "figure2.svg")
    assert code == 0
    assert "true precision is 0.400" in (folder / "figure2.svg").read_text()


def test_the_same_tables_of_ones_own_data(run: Run, folder: Path) -> None:
    """Guards runs, bronze and gold labels; ratings have table 3, and their supermajority can be the bronze label."""
    code, out, _ = run(*OWN, "--show", "accuracy", "--format", "json")
    assert code == 0
    one, two = json.loads(out)["rows"]
    assert (one["gold_relevant"], one["n"]) == (two["gold_relevant"], 20)
    code, out, _ = run(*OWN, "--show", "accuracy", "--accuracy", "system", "--format", "json")
    own = json.loads(out)["rows"]
    assert own[0]["gold_relevant"] + own[0]["gold_non-relevant"] == 4 * 20
    code, out, _ = run(*OWN, "--resamples", "100")
    assert code == 0
    assert out.count("(eq. ") >= 4
    assert "table 3" not in out
    assert "eBay" not in out
    code, out, _ = run("experiment", "judge", "ratings.csv")
    assert code == 0
    assert out.startswith("Agreement of the judges (table 3)")
    many = ("experiment", "judge", "ratings.csv", *OWN[3:], "--aggregate", "supermajority", "--resamples", "100")
    code, out, err = run(*many)
    assert code == 0, err
    assert "table 3" in out
    code, out, _ = run(*many, "--show", "accuracy", "--format", "json")
    assert json.loads(out)["rows"][0]["mean"] == one["mean"]  # two of three say what the bronze judge says


def test_ratings_agree_without_gold_labels(run: Run, folder: Path) -> None:
    """Guards --show agreement: it needs ratings alone, and runs beside them change nothing; other tables need gold."""
    words = ("experiment", "judge", "ratings.csv")
    code, alone, _ = run(*words, "--show", "agreement")
    assert (code, "kappa" in alone) == (0, True)
    assert run(*words, "runs", "--show", "agreement") == (0, alone, "")
    code, _, err = run(*words, "runs", "--show", "power")
    assert (code, "--gold is not given" in err) == (2, True)


def test_corrected_dcg(run: Run) -> None:
    """Guards --show dcg: the paper's example without data, and of data the standard errors of `correct`."""
    code, out, _ = run("experiment", "judge", "--show", "dcg")
    assert code == 0
    assert "DCG@2 is 0.5655" in out
    words = (*OWN[2:-1], "DCG(dcg='exp-log2')@4")
    code, out, err = run("experiment", "judge", *words, "--show", "dcg", "--resamples", "200", "--format", "json")
    assert code == 0, err
    rows = json.loads(out)["rows"]
    for column, clusters in (("se_over_pairs", "none"), ("se_over_topics", "topics")):
        ways = ("--method", "bootstrap", "--clusters", clusters, "--accuracy", "given", "--resamples", "200")
        _, found, _ = run("correct", *words, *ways, "--format", "json")
        assert [row[column] for row in rows] == [row["se"] for row in json.loads(found)["rows"]]
    code, _, err = run("experiment", "judge", "bronze.qrels", "--show", "dcg")
    assert (code, "--gold is not given" in err) == (2, True)


def test_options_of_another_table_are_told(run: Run) -> None:
    """Guards --power and --shares beside a table that does not need them: they were passed over in silence."""
    words = ("experiment", "judge", "--show")
    given = ("--power", "0.8", "--shares", "0.6,0.3,0.1", "--resamples", "200")
    code, out, err = run(*words, "differences", *given)
    assert (code, out) == (0, run(*words, "differences")[1])
    for name in given[::2]:
        assert f"note: {name} does not apply to --show differences, only to" in err
    _, out, err = run(*words, "power", *given[:4])
    assert (out != run(*words, "power")[1], err) == (True, "")


def test_a_study_file_by_another_measure(run: Run, folder: Path) -> None:
    """Guards study.toml by nDCG: the formulas take the precision at its cutoff, and say so."""
    (folder / "s.toml").write_text(
        'judgments = "bronze.qrels"\nruns = "runs"\ngold = "gold.qrels"\ndesign = "random"\nmeasure = "nDCG@4"\n'
    )
    code, out, err = run("experiment", "judge", "s.toml", "--show", "accuracy")
    assert (code, out) == (0, run(*OWN, "--show", "accuracy")[1])
    assert "uses P@4, not nDCG@4" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--gold", "gold.qrels"), "--gold: this is about your data"),
        (("--design", "random"), "--design: this is about your data"),
        (("bronze.qrels",), "nothing to show: give runs and --gold"),
        (("bronze.qrels", "--gold", "gold.qrels", "--design", "random"), "no runs are given"),
        (("bronze.qrels", "runs"), "--gold is not given"),
        (("ratings.csv", "--show", "power"), "--show power needs runs and gold labels"),
        (
            ("bronze.qrels", "runs", "--gold", "gold.qrels", "--design", "random", "--show", "agreement"),
            "needs ratings",
        ),
        (("bronze.qrels", "runs/a.run", *OWN[4:8], "--show", "power"), "give two runs or more"),
        (("bronze.qrels", "runs", *OWN[4:8], "-m", "AP"), "use P@10"),
        (("bronze.qrels", "runs", *OWN[4:8], "--accuracy", "assessor"), "the formulas are for one judge"),
        (("bronze.qrels", "runs", *OWN[4:8], "--show", "dcg", "--accuracy", "assessor"), "corrects by assessor"),
        (("--show", "power", "--figure", "p.svg"), "has no figure; --show simulation has figure 2"),
        (("--show", "power", "--shares", "1,2"), "give three numbers that add up to 1"),
        (("--show", "power", "--shares", "0.5,0.5,0.5"), "must be positive and add up to 1"),
    ],
)
def test_what_is_refused(run: Run, words: tuple[str, ...], told: str) -> None:
    """Guards each mistake: exit code 2 and what to give instead."""
    code, _, err = run("experiment", "judge", *words)
    assert code == 2
    assert told in err
