"""`truegain correlate` as a user runs it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sets of judgments and four runs over two topics."""
    (tmp_path / "gold.qrels").write_text("".join(f"{t} 0 {d} {d in 'ab':d}\n" for t in (1, 2) for d in "abcd"))
    (tmp_path / "llm.qrels").write_text("".join(f"{t} 0 {d} {d in 'ac':d}\n" for t in (1, 2) for d in "abcd"))
    (tmp_path / "runs").mkdir()
    for name, order in (("p", "abcd"), ("q", "acbd"), ("r", "cdab"), ("s", "dcba")):
        lines = (f"{t} Q0 {d} {i} {9 - i} {name}\n" for t in (1, 2) for i, d in enumerate(order))
        (tmp_path / "runs" / f"{name}.run").write_text("".join(lines))
    return tmp_path


def test_two_judgment_files_then_runs(run: Run) -> None:
    """Guards the order of arguments and what is printed: tau with interval and method, AP both ways, RBO, moves."""
    code, out, err = run("correlate", "gold.qrels", "llm.qrels", "runs", "-m", "AP")
    assert (code, err) == (0, "")
    assert out.startswith("AP: 4 systems by gold and by llm\n")
    for words in ("tau-b", "95% interval, wilson", "tau_AP, gold is true", "mean over the ranks by llm"):
        assert words in out
    assert "pairs swapped" in out
    assert "Largest rank changes from gold to llm" in out


def test_programs_get_one_table(run: Run) -> None:
    """Guards CSV and JSON: one row a measure, all statistics, and the swap counted by hand."""
    code, out, _ = run("correlate", "gold.qrels", "llm.qrels", "runs", "-m", "AP", "-m", "P@2", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert [r["measure"] for r in rows] == ["AP", "P@2"]
    # AP by gold: p 1, q .833, r .417, s .417; by llm: p .833, q 1, r .833, s .5
    assert (rows[0]["swapped"], rows[0]["pairs"], rows[0]["tied"]) == ("1", "6", "2")
    assert rows[0]["method"] == "wilson"
    assert all(-1 <= float(r["low"]) <= float(r["high"]) <= 1 for r in rows)
    words = ("correlate", "gold.qrels", "llm.qrels", "runs", "-m", "AP", "--method", "hollander-wolfe")
    published = next(csv.DictReader(io.StringIO(run(*words, "--format", "csv")[1])))
    assert (published["method"], float(published["high"]) > 1) == ("hollander-wolfe", True)
    code, out, _ = run("correlate", "gold.qrels", "llm.qrels", "runs", "-m", "AP", "-o", "out.json")
    provenance = json.loads(Path("out.json").read_text())["provenance"]
    assert (code, provenance["between"], provenance["seed"]) == (0, "judgments", 0)
    code, out, _ = run(
        "correlate", "gold.qrels", "llm.qrels", "runs", "-m", "AP", "--show", "moves", "--format", "jsonl"
    )
    first = json.loads(out.splitlines()[0])
    assert (first["system"], first["rank_a"], first["rank_b"], first["moves"]) == ("p", 1, 2, "-1")


def test_between_measures_and_halves(run: Run) -> None:
    """Guards the other two questions, which take one set of judgments."""
    code, out, _ = run("correlate", "gold.qrels", "runs", "-m", "AP", "-m", "RR", "--between", "measures")
    assert out.split("\n")[0].endswith(" systems by AP and by RR")
    assert not out.startswith(":")
    assert code == 0
    assert "AP" in out
    code, out, _ = run("correlate", "gold.qrels", "runs", "-m", "AP", "--between", "halves", "--resamples", "4")
    assert code == 0
    assert "pairs that swap between halves of 1 topics, 4 splits" in out
    words = ("correlate", "gold.qrels", "runs", "-m", "AP", "--between", "halves", "--show", "swap-rates")
    code, out, _ = run(*words, "--format", "csv")
    assert out.splitlines()[0] == "measure,difference_from,pairs,swapped,swap_rate"


def test_a_figure(run: Run, folder: Path) -> None:
    """Guards --figure: a file of the kind its ending names, and a wrong ending told before any work."""
    pytest.importorskip("vl_convert")
    words = ("correlate", "gold.qrels", "llm.qrels", "runs", "-m", "AP", "--figure")
    assert run(*words, "f.svg")[0] == 0
    assert (folder / "f.svg").read_text().startswith("<svg")
    code, out, err = run(*words, "f.gif")
    assert (code, out) == (2, "")
    assert "choose one of these endings" in err
    code, _, err = run(*words, "f.svg", "-m", "P@2")
    assert code == 2
    assert "draws one agreement" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("gold.qrels", "llm.qrels"), "name runs after it"),
        (("-", "-", "runs"), "cannot be both"),
        (("gold.qrels", "llm.qrels", "runs", "--confidence", "95"), "write 0.95"),
        (("gold.qrels", "llm.qrels", "runs/p.run", "runs/q.run"), "at least 3 runs"),
        (("none.qrels", "llm.qrels", "runs", "--show", "swap-rates"), "give --between halves"),  # before any is read
        (("none.qrels", "runs", "--between", "halves", "--show", "moves"), "leave out --show moves"),
        (("none.qrels", "runs", "--between", "measures", "-m", "AP", "-m", "map"), "needs at least 2 of them"),
        (("none.qrels", "llm.qrels", "runs", "-m", "NumRet"), "is not a mean over topics"),
        (("none.qrels", "llm.qrels", "runs", "--rbo-p", "2"), "--rbo-p 2 is not between 0 and 1"),
        (("none.qrels", "llm.qrels", "runs", "-m", "AP", "-m", "RR", "--figure", "f.svg"), "draws one agreement"),
        (("gold.qrels", "none.qrels", "runs"), "no such file"),
        (("gold.qrels", "llm.qrels", "runs", "-m", "P@4"), "all systems are tied"),
    ],
)
def test_mistakes_end_with_code_2(run: Run, words: tuple[str, ...], message: str) -> None:
    """Guards the messages: one line that says what to do, never a traceback."""
    code, out, err = run("correlate", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
