"""The commands about text and unjudged documents, as a user types them."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from truegain.cli.app import main
from truegain.data.writing import write_judgments, write_runs
from truegain.experiments.worlds import simulate


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small simulated world with text: relevant documents of a topic share words."""
    folder = tmp_path_factory.mktemp("content")
    world = simulate(topics=6, systems=4, docs=60, depth=30, pool_depth=10, seed=4)
    (folder / "runs").mkdir()
    write_runs(world.runs, folder / "runs")
    write_judgments(world.gold, folder / "qrels.txt")
    labels = dict(zip(world.gold.docs.strings(), world.gold.label.tolist(), strict=True))
    names = sorted({d for part in world.runs.parts for d in part.docs.strings()})
    with (folder / "docs.jsonl").open("w") as stream:
        for i, name in enumerate(names):
            topic = name.split("-")[0]
            words = [f"about{topic}"] * int(labels.get(name, 0)) + [f"word{(i * j) % 50}" for j in range(20)]
            stream.write(json.dumps({"id": name, "text": " ".join(words)}) + "\n")
    return folder


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command line, in this process: half a second sooner; for fixtures of a module, too."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    code = 0
    with (
        contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err),
        pytest.MonkeyPatch.context() as patched,
    ):  # fmt: skip
        patched.setattr(sys, "argv", ["truegain", *words])
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    said = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return subprocess.CompletedProcess(words, code, *said)


def good(folder: Path, *words: str) -> list[dict[str, str]]:
    """The rows that a command prints as CSV."""
    done = run(folder, *words, "--format", "csv")
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(done.stdout.splitlines()))


def test_from_documents_to_scores(folder: Path) -> None:
    """Guards the way of the issue: index once, then score with measures that read text."""
    done = run(folder, "text", "index", "docs.jsonl", "-o", "corpus", "--stop", "lucene")
    assert done.returncode == 0, done.stderr
    assert "documents" in done.stdout
    rows = good(folder, "eval", "qrels.txt", "runs", "--corpus", "corpus", "-m", "AbsRB@20", "-m", "DeltaRB@20")
    assert len(rows) == 8
    assert all(0 < float(r["value"]) < 1 for r in rows)
    shown = {r["what"]: r["value"] for r in good(folder, "text", "show", "corpus")}
    assert shown["stop words"] == "33"
    assert good(folder, "text", "show", "corpus", "--lacks", "runs") == []
    assert good(folder, "text", "show", "corpus", "--list", "duplicates") == []
    again = run(folder, "text", "index", "docs.jsonl", "-o", "corpus")
    assert again.returncode == 2
    assert "another corpus is there" in again.stderr
    lost = run(folder, "eval", "qrels.txt", "runs", "-m", "AbsRB@20", "--corpus", "nowhere")
    assert lost.returncode == 2
    assert "not a corpus" in lost.stderr


def test_holes_in_all_its_forms(folder: Path) -> None:
    """Guards the five tables: bounds around score and difference, shares that are shares, who falls, what to judge."""
    for row in good(folder, "unjudged", "qrels.txt", "runs", "-m", "nDCG@10"):
        assert float(row["worst"]) <= float(row["score"]) <= float(row["best"])
    for row in good(folder, "unjudged", "qrels.txt", "runs", "-m", "nDCG@20", "--show", "pairs"):
        assert float(row["least"]) <= float(row["b_minus_a"]) <= float(row["greatest"])
        assert (row["could_change_order"] == "yes") == (float(row["least"]) < 0 < float(row["greatest"]))
    shares = good(folder, "unjudged", "qrels.txt", "runs", "--show", "shares", "--at", "10", "--at", "30")
    assert all(float(r["unjudged@10"]) == 0 < float(r["unjudged@30"]) < 1 for r in shares)
    left = good(folder, "unjudged", "qrels.txt", "runs", "--show", "left-out", "--pool-depth", "10")
    assert all(float(r["left_out"]) <= float(r["score"]) + 1e-12 for r in left)
    following = good(folder, "unjudged", "qrels.txt", "runs", "-m", "P@20", "--show", "next", "--most", "5")
    assert len(following) == 5
    assert float(following[0]["shift"]) > 0
    done = run(folder, "unjudged", "qrels.txt", "runs", "--show", "left-out")
    assert (done.returncode, "--pool-depth" in done.stderr) == (2, True)


@pytest.mark.slow
def test_the_experiments(folder: Path) -> None:
    """Guards experiment incomplete and experiment disjoint on plain judgments, with the figure."""
    assert run(folder, "text", "index", "docs.jsonl", "-o", "corpus2").returncode == 0
    words = ["experiment", "incomplete", "qrels.txt", "runs", "--corpus", "corpus2", "--against", "nDCG@20"]
    rows = good(folder, *words, "--keep", "20,100", "--repeat", "2", "--figure", "figure.svg", "--jobs", "1")
    assert [(r["keep_percent"], r["way"]) for r in rows[:2]] == [("20.0", "raw"), ("20.0", "condensed")]
    assert (folder / "figure.svg").read_text().startswith("<svg")
    for show in ("reuse", "impact", "among", "against"):
        asked = ["experiment", "disjoint", "qrels.txt", "runs", "--corpus", "corpus2", "--show", show]
        assert good(folder, *asked, "--figure", f"{show}.svg")
        drawn = (folder / f"{show}.svg").read_text()
        assert ("judgments of X on documents of Y" if show == "impact" else "rank by ERR_IA@20") in drawn
        assert ("by relevant documents of A<" in drawn) == (show == "reuse")  # no draw is the first of several
    both = [*asked[:-1], "among", "--also", "again=qrels.txt,runs"]
    rows = good(folder, *both)
    assert [r["collection"] for r in rows] == ["qrels"] * 3 + ["again"] * 3 + ["mean"] * 3
    assert [r["NRBP"] for r in rows[6:]] == [r["NRBP"] for r in rows[:3]]
    words_of_disjoint = ["experiment", "disjoint", "qrels.txt", "runs", "--corpus", "corpus2", "--show", "against"]
    (row,) = good(folder, *words_of_disjoint, "--against", "P(rel=2)@10", "-m", "AbsRB(rel=2,mu=100)@10")
    assert list(row) == ["measure", "AbsRB(rel=2,mu=100)@10"]
    assert row["measure"] == "P(rel=2)@10"
    rows = good(folder, *words_of_disjoint[:-1], "reuse", "--against", "nDCG@20", "-m", "AbsRB@20", "--repeat", "3")
    assert [(r["judgments"], r["draws"]) for r in rows] == [("A on B", "3")]
    done = run(folder, *words, "--keep", "a,b")
    assert (done.returncode, "not numbers with commas" in done.stderr) == (2, True)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo world with its documents indexed."""
    folder = tmp_path_factory.mktemp("demo")
    for words in (["demo", "."], ["text", "index", "docs.jsonl", "-o", "corpus"]):
        done = run(folder, *words)
        assert done.returncode == 0, done.stderr
    return folder


def means_of(folder: Path, *words: str) -> dict[str, float]:
    """What `eval` says of AbsRB@20 on the demo world."""
    rows = good(folder, "eval", "gold.qrels", "runs", "--corpus", "corpus", "-m", "AbsRB@20", *words)
    return {r["system"]: float(r["value"]) for r in rows}


@pytest.mark.slow
def test_compare_reads_text(demo: Path) -> None:
    """Guards --corpus and --judged-corpus of compare: differences are those of the means that eval prints."""
    words = ["compare", "gold.qrels", "runs", "-m", "AbsRB@20", "--test", "paired-t", "--pairs", "--corpus", "corpus"]
    for more in ([], ["--judged-corpus", "corpus"]):
        means = means_of(demo, *more)
        rows = good(demo, *words, *more)
        assert len(rows) == len(means) * (len(means) - 1) / 2
        for r in rows:
            assert float(r["difference"]) == pytest.approx(means[r["b"]] - means[r["a"]], abs=1e-9)
    for clash in (["--gold", "gold.qrels"], ["--population", "collection"]):
        done = run(demo, *words, *clash)
        assert (done.returncode, "leave out --corpus" in done.stderr) == (2, True)


@pytest.mark.slow
def test_correlate_reads_text(demo: Path) -> None:
    """Guards --corpus of correlate, between measures and between judgments: text orders systems, and needs a corpus."""
    words = ["correlate", "gold.qrels", "runs", "--between", "measures", "-m", "nDCG@20", "-m", "AbsRB@20"]
    (row,) = good(demo, *words, "--corpus", "corpus")
    assert (row["a"], row["b"], row["systems"]) == ("nDCG@20", "AbsRB@20", "8")
    assert 0 < float(row["tau"]) <= 1  # both read from the same judgments
    same = ["correlate", "gold.qrels", "gold.qrels", "runs", "-m", "AbsRB@20", "--corpus", "corpus"]
    (row,) = good(demo, *same, "--judged-corpus", "corpus")
    assert (row["measure"], float(row["tau"]), row["swapped"]) == ("AbsRB@20", 1.0, "0")
    done = run(demo, *words)
    assert (done.returncode, "give a corpus" in done.stderr) == (2, True)


@pytest.mark.slow
def test_intervals_over_topics_read_text(demo: Path) -> None:
    """Guards eval --intervals topics with --corpus: around the means that eval prints; over collections it says no."""
    words = ["eval", "gold.qrels", "runs", "-m", "AbsRB@20", "--corpus", "corpus", "--resamples", "200"]
    rows = good(demo, *words, "--intervals", "topics")
    for r, (system, mean) in zip(rows, means_of(demo).items(), strict=True):
        assert r["system"] == system
        assert float(r["value"]) == pytest.approx(mean, abs=1e-9)
        assert float(r["low"]) < mean < float(r["high"])
    done = run(demo, *words, "--intervals", "collection")
    assert (done.returncode, "reads text" in done.stderr) == (2, True)
