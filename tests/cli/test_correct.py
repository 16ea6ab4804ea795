"""`truegain correct`, `judges`, `plan labels` and `compare --gold` as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.inference.test_corrected import study


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
    assert "naive  corrected" in out
    assert "lang-reiczigel, guarded" in out
    assert "without the judge's errors it is" in out


def test_without_a_design_it_stops_and_lists_them(run: Run) -> None:
    """Guards against guessing how gold was sampled."""
    for verb in (("correct",), ("judges",), ("compare",)):
        code, _, err = run(*verb, *COMMON, "-m", "P@10")
        assert code == 2
        assert "how were the gold pairs sampled" in err
        assert "by-bronze" in err


def test_json_says_how_it_was_made(run: Run) -> None:
    """Guards the machine's side: settings and all digits."""
    code, out, _ = run("correct", *COMMON, "-m", "P@10", "--design", "by-gold", "--format", "json", "--seed", "4")
    told = json.loads(out)
    assert code == 0
    assert (told["made_by"]["design"], told["made_by"]["seed"], len(told["rows"])) == ("by-gold", 4, 2)


def test_a_wrong_measure_is_refused(run: Run) -> None:
    """Guards the refusal: exit code 2 and what to do."""
    code, _, err = run("correct", *COMMON, "-m", "nDCG@10", "--design", "by-gold")
    assert code == 2
    assert "not linear" in err


def test_judges_by_label_topic_and_system(run: Run) -> None:
    """Guards the three tables about a judge."""
    code, out, _ = run("judges", "llm.qrels", "--gold", "gold.qrels", "--design", "random")
    assert (code, "bronze 0" in out) == (0, True)
    code, out, _ = run("judges", "llm.qrels", "--gold", "gold.qrels", "--design", "random", "--show", "topics")
    assert (code, len(out.splitlines()) > 40) == (0, True)
    code, out, _ = run("judges", *COMMON, "--design", "random", "--trials", "200")
    assert (code, "permutation within topics" in out) == (0, True)


def test_plan_labels_writes_the_next_batch(run: Run) -> None:
    """Guards the plan: numbers, table, and a file of pairs that reads back."""
    words = ("--cost-bronze", "0.002", "--cost-gold", "1.50", "--power", "0.8", "--detect", "0.02", "--batch", "12")
    code, out, _ = run("plan", "labels", *COMMON, "-m", "P@10", "--design", "random", *words, "-o", "next.qrels")
    assert code == 0
    assert "80% power" in out
    assert len(tg.read_judgments("next.qrels")) == 12


@pytest.mark.parametrize("sample", ["shared", "separate"])
def test_compare_with_gold(run: Run, sample: str) -> None:
    """Guards the comparison: it names the formula it used."""
    words = ("-m", "P@10", "--design", "by-gold", "--gold-sample", sample)
    code, out, _ = run("compare", *COMMON, *words)
    assert code == 0
    assert {"shared": "one gold sample for both", "separate": "a gold sample for each"}[sample] in out
