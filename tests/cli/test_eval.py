"""`truegain eval` as a user runs it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import truegain as tg
from tests.cli.conftest import Run

QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 1\n2 0 d 0\n"
BEST = "1 Q0 a 1 3.0 best\n1 Q0 c 2 2.0 best\n1 Q0 x 3 1.0 best\n2 Q0 a 1 2.0 best\n"
WORST = "1 Q0 b 1 3.0 worst\n1 Q0 x 2 2.5 worst\n1 Q0 c 3 2.0 worst\n2 Q0 d 1 2.0 worst\n2 Q0 a 2 1.0 worst\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small study: judgments and two runs."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "best.run").write_text(BEST)
    (tmp_path / "runs" / "worst.txt.gz").write_bytes(gzip.compress(WORST.encode()))
    return tmp_path


def test_a_table_of_means(run: Run) -> None:
    """Guards the plain case: a folder of runs, compressed or not, best first."""
    code, out, err = run("eval", "qrels", "runs", "-m", "AP", "-m", "P@1", "--sort", "map")
    assert (code, err) == (0, "")
    assert out == "system      AP     P@1\nbest    1.0000  1.0000\nworst   0.3333  0.0000\n"


def test_several_measures_in_one_text(run: Run, folder: Path) -> None:
    """Guards the habits of ir_measures: measures with commas or spaces between, here and in a study file."""
    one_by_one = run("eval", "qrels", "runs", "-m", "AP", "-m", "P@1", "-m", "nDCG(dcg='exp-log2',judged_only=True)@10")
    for text in (
        "AP,P@1,nDCG(dcg='exp-log2',judged_only=True)@10",
        "AP P@1 nDCG(dcg='exp-log2', judged_only=True)@10",
        " AP, P @ 1 , nDCG (dcg='exp-log2',judged_only=True) @10",
    ):
        code, out, err = run("eval", "qrels", "runs", "-m", text)
        assert (code, err) == (0, "")
        assert [line.split()[-3:] for line in out.splitlines()[1:]] == [
            line.split()[-3:] for line in one_by_one[1].splitlines()[1:]
        ]
    code, _, err = run("eval", "qrels", "runs", "-m", "AP,,P@1")
    assert (code, err.partition(";")[0]) == (
        2, "error: cannot read the measures 'AP,,P@1': no name stands beside a comma",
    )  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        ("plan", "topics", "qrels", "runs", "--min-effect", "0.1"),
        ("unjudged", "qrels", "runs"),
        ("experiment", "split-half", "qrels", "runs", "--split", "topics"),
        ("plan", "labels", "qrels", "runs"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_one_measure_where_one_is_wanted(run: Run, folder: Path, words: tuple[str, ...]) -> None:
    """Guards commands that answer for one measure: several are refused, and of a study file the first is taken."""
    code, _, err = run(*words, "-m", "P@5,AP")
    assert (code, err) == (2, "error: --measure P@5,AP: one measure is wanted here; name one, such as P@5\n")
    (folder / "study.toml").write_text('judgments = "qrels"\nruns = "runs"\nmeasure = "P@5, AP"\n')
    told = run(*(word for word in words if word not in ("qrels", "runs")), "study.toml")[2]
    assert "one measure is wanted" not in told
    assert "of 2 measures" in told


def test_topics_in_a_table(run: Run) -> None:
    """Guards -q: every topic, then the mean."""
    _, out, _ = run("eval", "qrels", "runs/best.run", "-m", "AP", "-m", "NumRel", "-q")
    assert out.splitlines() == [
        "system  topic      AP  NumRel",
        "best    1      1.0000       2",
        "best    2      1.0000       1",
        "best    all    1.0000       3",
    ]


def test_the_habits_of_trec_eval_users(run: Run) -> None:
    """Guards trec_eval's options, names, order and format, line for line."""
    code, out, _ = run(
        "eval", "qrels", "runs/worst.txt.gz", "-q", "-c", "-l", "2", "-M", "1000", "-J", "--format", "trec",
        "-m", "num_ret", "-m", "map", "-m", "P.5", "-m", "relstring", "-m", "gm_map",
    )  # fmt: skip
    assert code == 0
    assert out.splitlines() == [
        "num_ret               \t1\t2",
        "map                   \t1\t0.0000",
        "P_5                   \t1\t0.0000",
        "relstring             \t1\t'01'",
        "num_ret               \t2\t2",
        "map                   \t2\t0.0000",
        "P_5                   \t2\t0.0000",
        "relstring             \t2\t'01'",
        "runid                 \tall\tworst",
        "num_ret               \tall\t4",
        "map                   \tall\t0.0000",
        "P_5                   \tall\t0.0000",
        "gm_map                \tall\t0.0000",
    ]


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_ties_go_by_document_id_either_way(run: Run, folder: Path) -> None:
    """Guards --ties: of equal scores the largest id is first, as in trec_eval, or the smallest, as in pyndeval."""
    (folder / "tied").write_text("1 Q0 b 1 1.0 s\n1 Q0 a 2 1.0 s\n1 Q0 x 3 0.5 s\n2 Q0 a 1 1.0 s\n")
    for words, mean in (((), 0.75), (("--ties", "descending"), 0.75), (("--ties", "ascending"), 1.0)):
        code, out, _ = run("eval", "qrels", "tied", "-m", "RR", "--format", "csv", *words)
        assert (code, float(out.split(",")[-1])) == (0, mean)


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_ties_may_stay_as_in_the_file(run: Run, folder: Path) -> None:
    """Guards --ties input: of equal scores the first line is first, whatever ids and ranks say."""
    for lines, mean in (("c b a x", (1 + 1 / 3) / 2), ("b x a c", 1 / 3), ("x c b a", (1 / 2 + 1 / 4) / 2)):
        text = "".join(f"1 Q0 {doc} {9 - i} 1.0 s\n2 Q0 {doc} 1 2.5 s\n" for i, doc in enumerate(lines.split()))
        (folder / "tied").write_text(text + "2 Q0 z 1 1.0 s\n")
        code, out, err = run("eval", "qrels", "tied", "-m", "RR", "--format", "csv", "--ties", "input")
        assert (code, float(out.split(",")[-1])) == (0, mean), lines
        assert "all scores are tied in 1 list of 1 run (tied); their order is that of rows" in err
    code, _, err = run("eval", "qrels", "tied", "--ties", "rank")
    assert (code, "descending, ascending, input" in err) == (2, True), err


def test_official_measures_by_default_in_trec_format(run: Run) -> None:
    """Guards what trec_eval prints without -m."""
    _, out, _ = run("eval", "qrels", "runs/best.run", "--format", "trec")
    names = [line.split("\t")[0].strip() for line in out.splitlines()]
    assert names[:6] == ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map"]
    assert names[-1] == "P_1000"


def test_long_rows_in_every_format(run: Run, folder: Path) -> None:
    """Guards one table in four formats: system, topic, measure, value; 'all' for the mean; null where undefined."""
    (folder / "short.run").write_text("1 Q0 a 1 3.0 t\n")
    words = ("eval", "qrels", "short.run", "-m", "AP", "-q")
    expected = [
        {"system": "short", "topic": "1", "measure": "AP", "value": 0.5},
        {"system": "short", "topic": "2", "measure": "AP", "value": None},
        {"system": "short", "topic": "all", "measure": "AP", "value": 0.5},
    ]
    _, out, err = run(*words, "--format", "json")
    loaded = json.loads(out)
    assert loaded["scores"] == expected
    assert loaded["provenance"]["truegain"] == tg.__version__
    assert len(loaded["provenance"]["inputs"]["short.run"]) == 64
    assert err.count("lacks judged topics") == 1
    _, out, _ = run(*words, "--format", "jsonl")
    assert [json.loads(line) for line in out.splitlines()] == expected
    _, out, _ = run(*words, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [r["value"] for r in rows] == ["0.5", "", "0.5"]
    run(*words, "-o", "scores.parquet")
    assert pl.read_parquet(folder / "scores.parquet").to_dicts() == expected


def test_the_ending_of_the_output_tells_the_format(run: Run, folder: Path) -> None:
    """Guards -o: written whole, compressed by its ending, nothing on the screen."""
    code, out, _ = run("eval", "qrels", "runs", "-m", "AP", "-o", "scores.csv.gz")
    assert (code, out) == (0, "")
    assert gzip.decompress((folder / "scores.csv.gz").read_bytes()).startswith(b"system,topic,measure,value\n")
    assert sorted(p.name for p in folder.iterdir()) == ["qrels", "runs", "scores.csv.gz"]


def test_names_by_tag(run: Run) -> None:
    """Guards --name-by tag."""
    _, out, _ = run("eval", "qrels", "runs/*", "-m", "AP", "--name-by", "tag")
    assert [line.split()[0] for line in out.splitlines()] == ["system", "best", "worst"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("qrels", "nothing.run"), "nothing.run: no such file"),
        (("qrels", "runs/*.zip"), "no file matches"),
        (("qrels", "runs", "-m", "nDGC"), "did you mean nDCG"),
        (("qrels", "runs", "-m", "P@0"), "at least 1"),
        (("qrels", "runs", "-M", "0"), "keeps no document"),
        (("qrels", "runs", "-l", "-1"), "negative"),
        (("qrels", "runs", "-n"), "leaves nothing"),
        (("qrels", "runs", "--sort", "RR"), "no measure 'RR' here"),
        (("qrels", "runs", "--format", "xml"), "xml"),
        (("qrels",), "no runs are named"),
        (("runs/best.run", "runs"), "runs/best.run:1: a judgments line needs exactly 4 fields, this one has 6"),
        (("qrels", "qrels"), "qrels:1: a run line needs 6 fields, this one has 4"),
        (("qrels", "runs/best.run", "runs/best.run"), "two systems are named best"),
        (("qrels", "runs", "-o", "missing/scores.csv"), "cannot be written"),
    ],
)
def test_mistakes_end_with_code_2_and_a_message(run: Run, words: tuple[str, ...], message: str) -> None:
    """Guards the user's mistakes: exit code 2, one message that tells what to do, no traceback, no output."""
    defaults = () if "-m" in words else ("-m", "AP")
    code, out, err = run("eval", *words, *defaults)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
    assert out == ""


def test_nothing_is_half_written(run: Run, folder: Path) -> None:
    """Guards an existing result against a failed run."""
    (folder / "scores.csv").write_text("precious")
    (folder / "runs" / "broken.run").write_text("1 Q0 a 1 x t\n")
    code, _, err = run("eval", "qrels", "runs", "-o", "scores.csv")
    assert code == 2
    assert "broken.run:1: score is not a number" in err
    assert (folder / "scores.csv").read_text() == "precious"


@pytest.mark.slow
def test_standard_input_and_a_reader_that_goes_away(folder: Path) -> None:
    """Guards pipes: a run from standard input, and `head` closing our output early."""
    command = f"cat runs/best.run | {sys.executable} -m truegain eval qrels - -m AP -q | head -1"
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
    assert done.stdout == "system  topic      AP\n"
    assert done.stderr == ""


def test_measures_are_listed_and_explained(run: Run) -> None:
    """Guards `truegain measures`: every measure with a sentence; one in full with formula, source and names."""
    _, out, _ = run("measures")
    assert "alpha_nDCG" in out
    assert "nDCG " in out
    _, out, _ = run("measures", "ndcg_cut_10")
    assert out.startswith("nDCG@cutoff")
    assert "Jarvelin" in out
    assert "parameters: dcg = 'log2'" in out
    assert "ndcg_cut_cutoff" in out
    code, _, err = run("measures", "nothing")
    assert code == 2
    assert "there is no measure" in err


@pytest.mark.slow
def test_the_demo_is_the_same_for_the_same_seed(run: Run, folder: Path) -> None:
    """Guards the simulated world: seeded, complete, and scored by both sets of labels."""
    code, first, _ = run("demo", "world-1", "--seed", "3")
    assert code == 0
    _, second, _ = run("demo", "world-2", "--seed", "3")
    assert first.replace("world-1", "world-2") == second
    assert len(list((folder / "world-1" / "runs").iterdir())) == 8
    for name in ("gold.qrels", "llm.qrels"):
        assert (folder / "world-1" / name).read_bytes() == (folder / "world-2" / name).read_bytes()


def test_version(run: Run) -> None:
    """Guards --version."""
    assert run("--version")[:2] == (0, f"truegain {tg.__version__}\n")


def test_two_names_of_one_measure_are_two_lines(run: Run) -> None:
    """Guards trec_eval's names, several of which may stand for one measure: all_trec has R-precision twice."""
    code, out, _ = run("eval", "qrels", "runs/best.run", "-m", "map", "-m", "AP", "-m", "P_1", "--format", "trec")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["runid", "map", "AP", "P_1"]
    assert [line.split()[2] for line in out.splitlines()[1:]] == ["1.0000"] * 3
    code, out, _ = run("eval", "qrels", "runs/best.run", "-m", "all_trec", "--format", "trec")
    shown = dict(line.split()[::2] for line in out.splitlines())
    assert code == 0
    assert shown["Rprec"] == shown["Rprec_mult_1.00"] == "1.0000"
