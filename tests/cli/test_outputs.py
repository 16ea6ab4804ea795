"""What commands write: never over an input, in the format its ending names, or not at all."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from typer.main import get_command

import truegain as tg
from tests.cli.conftest import Run
from truegain.cli import demo
from truegain.cli.commands import build
from truegain.cli.every_command import OUTPUTS
from truegain.io.overwrite import guarded
from truegain.results.formats import ENDINGS

QRELS = "".join(f"{t} 0 d{d} {(t * d) % 3}\n" for t in range(1, 6) for d in range(8))
RATINGS = "topic,doc,assessor,label\n" + "".join(f"1,{d},{a},{(i + j) % 3}\n" for i, d in enumerate("abcdef") for j, a in enumerate("xyz"))  # fmt: skip  # noqa: E501
RUNS = ["r1.run", "r2.run", "r3.run"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Judgments of two judges, ratings and three runs."""
    draw = random.Random(7)
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "gold").write_text(QRELS.replace(" 2\n", " 1\n"))
    (tmp_path / "ratings.csv").write_text(RATINGS)
    for name in RUNS:
        lines = (f"{t} Q0 d{d} 1 {draw.random():.4f} s\n" for t in range(1, 6) for d in range(8))
        (tmp_path / name).write_text("".join(lines))
    return tmp_path


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("link", ["same", "spelt", "symbolic", "hard"])
@pytest.mark.parametrize("name", ["q", "r2.run"])
def test_an_input_is_never_the_output(name: str, link: str, run: Run, folder: Path) -> None:
    """Guards inputs by what they are: the same name, another spelling, and links of both kinds."""
    before = (folder / name).read_bytes()
    place = {"same": name, "spelt": f"../{folder.name}/./{name}"}.get(link, "link")
    if link == "symbolic":
        (folder / place).symlink_to(name)
    elif link == "hard":
        os.link(folder / name, folder / place)
    code, out, err = run("eval", "q", *RUNS, "-m", "P@5", "--format", "csv", "-o", place)
    assert (code, out) == (2, "")
    assert f"{name}: this input is also the output, {place}" in err
    assert (folder / name).read_bytes() == before


COMMANDS = [
    (("eval", "q", *RUNS), "q"),
    (("eval", "q", "*.run"), "r1.run"),
    (("eval", "q", *RUNS, "--intervals", "topics"), "r1.run"),
    (("compare", "q", *RUNS, "-m", "P@5"), "r3.run"),
    (("verdict", "q", *RUNS, "-m", "P@5"), "q"),
    (("verdict", "q", *RUNS, "-m", "P@5", "--gold", "gold", "--design", "random"), "gold"),
    (("correct", "q", *RUNS, "--gold", "gold", "--design", "random", "-m", "P@5"), "gold"),
    (("judge", "check", "q", "--gold", "gold", "--design", "random"), "gold"),
    (("correlate", "q", "gold", *RUNS, "-m", "P@5"), "gold"),
    (("agree", "ratings.csv"), "ratings.csv"),
    (("aggregate", "ratings.csv", "--aggregate", "mean"), "ratings.csv"),
    (("unjudged", "q", *RUNS, "-m", "P@5"), "q"),
    (("plan", "topics", "q", *RUNS, "--min-effect", "0.1"), "r1.run"),
    (("plan", "labels", "q", *RUNS[:2], "-m", "P@5"), "q"),
    (("experiment", "split-half", "q", *RUNS), "r2.run"),
    (("experiment", "discriminative", "q", *RUNS, "-m", "P@5"), "q"),
    (("experiment", "unanimity", "ratings.csv", *RUNS), "ratings.csv"),
]


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize(("words", "name"), COMMANDS, ids=lambda w: " ".join(w) if isinstance(w, tuple) else w)
def test_no_command_writes_over_its_input(words: tuple[str, ...], name: str, run: Run, folder: Path) -> None:
    """Guards every command that reads files and writes one."""
    before = (folder / name).read_bytes()
    formats = () if words[0] == "aggregate" or words[:2] == ("plan", "labels") else ("--format", "csv")
    code, _, err = run(*words, *formats, "-o", name)
    assert code == 2
    assert "is also the output" in err
    assert (folder / name).read_bytes() == before


def test_all_that_is_written_is_known() -> None:
    """Guards the list of parameters that name outputs: a command with another one would not be watched."""
    known = {"-o": "output", "--table": "table", "--figure": "figure"}
    for command in _leaves(get_command(build())):
        for parameter in command.params:
            name = next((known[word] for word in parameter.opts if word in known), None)
            assert (parameter.name in OUTPUTS) == (name is not None)
            assert name in (None, parameter.name)


def _leaves(command: Any) -> list[Any]:
    inner = getattr(command, "commands", None)
    return [command] if inner is None else [leaf for one in inner.values() for leaf in _leaves(one)]


def test_two_outputs_need_two_files(run: Run, folder: Path) -> None:
    """Guards a figure and a table of the same name, of which one would be lost; /dev/null may be both."""
    words = ("eval", "q", "r1.run", "-m", "P@5", "--intervals", "topics", "--figure")
    assert "two outputs would go to this file" in run(*words, "x.html", "-o", "./x.html")[2]
    assert not (folder / "x.html").exists()
    with guarded(["/dev/null", "/dev/null"]) as guard:
        assert "/dev/null" not in guard.to_write.values()


def test_python_may_write_what_it_read(folder: Path) -> None:
    """Guards notebooks: outside a command a file may be read and written anew."""
    tg.write_judgments(tg.read_judgments(folder / "q"), folder / "q")
    assert (folder / "q").read_text() == QRELS


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("ending", ["", *ENDINGS, ".trec", ".TEX", ".md.gz"])
@pytest.mark.parametrize("words", [("eval", "q"), ("compare", "q")], ids=" ".join)
def test_an_ending_gives_its_format(words: tuple[str, ...], ending: str, run: Run, folder: Path) -> None:
    """Guards that a file is what its ending says, in every command the same way."""
    code, _, err = run(*words, *RUNS, "-m", "P@5", "-o", f"out{ending}")
    if ending == ".trec" and words[0] != "eval":
        assert code == 2
        return
    assert (code, err) == (0, "") or "no relevant" in err
    raw = (folder / f"out{ending}").read_bytes()
    begins = {
        "": b"system" if words[0] == "eval" else b"P@5", ".csv": b"system," if words[0] == "eval" else b"a,b,measure,",
        ".tsv": b"system\t" if words[0] == "eval" else b"a\tb\tmeasure\t", ".parquet": b"PAR1", ".trec": b"runid",
        ".json": b"{\n", ".jsonl": b'{"', ".ndjson": b'{"', ".md.gz": b"\x1f\x8b",
    }  # fmt: skip
    begins[".txt"] = begins[""]
    if ending in begins:
        assert raw.startswith(begins[ending])
    else:
        mark = {".tex": b"\\toprule", ".TEX": b"\\toprule", ".md": b"| --- |", ".html": b"<td>", ".htm": b"<td>"}
        assert mark[ending] in raw
    if ending == ".json":
        json.loads(raw)
    if ending == ".parquet":
        assert len(pl.read_parquet(folder / "out.parquet")) == 3


@pytest.mark.parametrize("ending", [".xlsx", ".pdf", ".docx", ".v2"])
@pytest.mark.parametrize("command", ["eval", "compare", "unjudged"])
def test_an_unknown_ending_is_an_error_before_any_work(command: str, ending: str, run: Run, folder: Path) -> None:
    """Guards against plain text in a file of another kind; nothing is read or written first."""
    code, _, err = run(command, "no-such-file", "r1.run", "-o", f"out{ending}")
    assert code == 2
    assert f"out{ending}: unknown format for the ending {ending}" in err
    assert ".tex, .md, .html" in err
    assert not (folder / f"out{ending}").exists()


def test_intervals_have_no_trec_lines(run: Run) -> None:
    """Guards the ending of --intervals before any work: scores have trec_eval's lines, intervals have not."""
    code, _, err = run("eval", "no-such-file", "r1.run", "--intervals", "topics", "-o", "x.trec")
    assert code == 2
    assert "x.trec: unknown format for the ending .trec" in err


def test_wide_scores_in_papers(run: Run, folder: Path) -> None:
    """Guards LaTeX and Markdown of scores: a line a system, a column a measure, the numbers of the table."""
    words = ("eval", "q", "r1.run", "-m", "P@5", "-m", "num_ret", "-q", "--no-relevant", "skip")
    plain = [line.split() for line in run(*words)[1].splitlines()]
    latex = run(*words, "--format", "latex")[1]
    rows = [line.removesuffix(r" \\").split(" & ") for line in latex.splitlines() if " & " in line]
    assert [[cell.replace(r"\_", "_").replace("--", "-") for cell in row] for row in rows] == plain
    assert latex.startswith("\\begin{tabular}{llrr}\n")
    markdown = run(*words, "--format", "markdown")[1].splitlines()
    assert [[c.strip() for c in line.strip("|").split("|")] for line in (markdown[0], *markdown[2:])] == plain


@pytest.mark.parametrize("ending", [".json", ".tex", ".xlsx", ".docx", ".xml", ".png", ".pkl", ".v2", ".yaml.gz"])
def test_gains_are_not_written_as_something_else(ending: str, run: Run, folder: Path) -> None:
    """Guards qrels lines in a file whose ending promises another format, told before anything is read."""
    for words in (("aggregate",), ("plan", "labels", "r1.run")):
        code, _, err = run(*words, "no-such-file", "-o", f"g{ending}")
        assert code == 2
        assert f"g{ending}: judgments and runs cannot be written as {ending.removesuffix('.gz')} (end the path" in err
    assert not (folder / f"g{ending}").exists()


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
@pytest.mark.parametrize("ending", ["", ".qrels", ".run", ".txt", ".trec", ".res", ".TXT"])
def test_endings_of_trec_lines(ending: str, run: Run, folder: Path) -> None:
    """Guards the endings that TREC files have."""
    assert run("aggregate", "ratings.csv", "--aggregate", "mean", "-o", f"g{ending}")[0] == 0
    assert (folder / f"g{ending}").read_text().startswith("1 0 a ")
    assert run("aggregate", "ratings.csv", "--aggregate", "mean", "-o", f"g{ending}.gz")[0] == 0
    assert gzip.decompress((folder / f"g{ending}.gz").read_bytes()).startswith(b"1 0 a ")


def test_a_folder_may_have_any_ending(folder: Path) -> None:
    """Guards runs into a folder, whose name promises no format."""
    (folder / "runs.v2").mkdir()
    tg.write_runs({"a": {"1": {"x": 1.0}}, "b": {"1": {"x": 2.0}}}, folder / "runs.v2")
    assert sorted(path.name for path in (folder / "runs.v2").iterdir()) == ["a.run", "b.run"]


@pytest.mark.parametrize(
    ("path", "says"), [("new/", "this is a folder"), ("", "names no file"), ("/dev/full", "No space")]
)
def test_where_nothing_can_be_written(path: str, says: str, run: Run, folder: Path) -> None:
    """Guards outputs that are folders, nothing, or full."""
    there = sorted(folder.iterdir())
    code, out, err = run("eval", "q", "r1.run", "-m", "P@5", "--no-relevant", "skip", "--format", "csv", "-o", path)
    assert (code, out) == (2, "")
    assert says in err
    assert sorted(folder.iterdir()) == there


def _small_world(folder: Path, seed: int) -> SimpleNamespace:
    """A world that is simulated at once."""
    gold, runs = {"1": {"a": 1, "b": seed}}, {"x": {"1": {"a": 2.0, "b": 1.0}}}
    tg.write_judgments(gold, folder / "gold.qrels")
    tg.write_judgments(gold, folder / "llm.qrels")
    tg.write_runs(runs, f"{folder}/runs/")
    return SimpleNamespace(gold=tg.Judgments.of(gold), runs=tg.Runs.of(runs))


def test_the_demo_keeps_what_it_did_not_write(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards folders of the user: other files, and files of the same names, are refused; its own may be there."""
    monkeypatch.setattr(demo, "_simulated", _small_world)
    assert "has other files (gold, q, r1.run" in run("demo", ".")[2]
    (folder / "mine").mkdir()
    (folder / "mine" / "gold.qrels").write_text("1 0 a 1\n")
    code, _, err = run("demo", "mine")
    assert code == 2
    assert "mine: the folder has other files (gold.qrels)" in err
    assert [p.name for p in (folder / "mine").iterdir()] == ["gold.qrels"]
    assert (folder / "mine" / "gold.qrels").read_text() == "1 0 a 1\n"
    assert run("demo", "new")[0] == 0
    (folder / "new" / "llm.qrels").unlink()
    (folder / "new" / ".hidden").write_text("")
    assert run("demo", "new")[0] == 0
    assert (folder / "new" / "llm.qrels").exists()
    assert run("demo", "new", "--seed", "1")[0] == 2
    assert (folder / "new" / "gold.qrels").read_text() == "1 0 a 1\n1 0 b 0\n"
    (folder / "new" / "runs" / "mine.run").write_text("1 Q0 a 1 1 s\n")
    assert "has other files (runs/mine.run)" in run("demo", "new")[2]
    assert "cannot be written" in run("demo", "q")[2]


def test_an_interrupted_demo_leaves_nothing(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards Ctrl-C and failures: the folders made are removed, those of the user are not."""

    def stop(new: Path, seed: int) -> None:
        _small_world(new, seed)
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "_simulated", stop)
    there = sorted(folder.iterdir())
    assert run("demo", "new/deep") == (130, "", "interrupted; nothing was written\n")
    assert sorted(folder.iterdir()) == there
    (folder / "mine").mkdir()
    assert run("demo", "mine/new")[0] == run("demo", "mine")[0] == 130
    assert list((folder / "mine").iterdir()) == []
    monkeypatch.setattr(demo, "_simulated", _small_world)

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "evaluate", stopped)
    code, _, err = run("demo", "new")
    assert (code, err) == (130, "interrupted; written: new\n")
    assert (folder / "new" / "gold.qrels").exists()


NUMBERS = [
    ("eval", "q", "r1.run", "-l"),
    ("eval", "q", "r1.run", "--intervals", "topics", "--confidence"),
    ("compare", "q", *RUNS, "-l"),
    ("compare", "q", *RUNS, "--confidence"),
    ("correlate", "q", "gold", *RUNS, "--rbo-p"),
    ("plan", "assessors", "--sigma", "1", "--error"),
    ("experiment", "unanimity", "ratings.csv", *RUNS, "--p"),
]


@pytest.mark.parametrize(
    ("value", "says"), [("nan", "is not a number"), ("inf", "is infinite"), ("-inf", "is infinite")]
)
@pytest.mark.parametrize("words", NUMBERS, ids=" ".join)
def test_numbers_that_are_none(words: tuple[str, ...], value: str, says: str, run: Run) -> None:
    """Guards options: NaN and infinity are called what they are, whatever the option."""
    code, out, err = run(*words, value)
    assert (code, out) == (2, "")
    assert f"{says}; give a finite number" in err
    assert "negative" not in err


def test_standard_input_is_one_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards '-' given twice: the second would be empty."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(QRELS.encode())))
    code, _, err = run("eval", "-", "-")
    assert code == 2
    assert "standard input can be only one of the inputs" in err
