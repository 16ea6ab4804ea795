"""Reports as users make them: of the demo, and of real collections where they are beside the checkout."""

from __future__ import annotations

import csv
import gzip
import lzma
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from truegain.data.writing import write_runs
from truegain.experiments.ranker import rank

Unpacked = Callable[[Path], Path]  # from an archive to the folder of its files


def truegain(folder: Path, *words: str) -> None:
    """Run a command in a folder."""
    command = [sys.executable, "-m", "truegain", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def demo(folder: Path) -> Path:
    """The simulated world: an erring judge, gold labels, a baseline."""
    truegain(folder, "demo", "demo")
    gold = ("--gold", "demo/gold_sample.qrels", "--design", "random")
    truegain(folder, "report", "demo/llm.qrels", "demo/runs", *gold, "-m", "P@10", "--baseline", "system-1")
    return folder / "report.html"


def participant(folder: Path) -> Path:
    """The page of one team of the simulated world."""
    truegain(folder, "demo", "demo")
    words = ("--teams", "demo/teams.csv", "-m", "nDCG@10", "-m", "AP", "--pool-depth", "10", "--team", "curie")
    truegain(folder, "participants", "demo/gold.qrels", "demo/runs", *words, "-o", "curie.html")
    return folder / "curie.html"


def trec8(folder: Path, data: Path, unpacked: Unpacked) -> Path:
    """TREC-8 ad hoc: 129 runs, 50 topics, two measures; by P@10 the two best differ by next to nothing."""
    (folder / "runs").symlink_to(unpacked(data / "trec8_adhoc" / "inputs_129runs.tar.xz"))
    truegain(folder, "report", str(data / "trec8_adhoc" / "trec8.qrels.gz"), "runs", "-m", "P@10", "-m", "AP")
    return folder / "report.html"


def dl19(folder: Path, data: Path, unpacked: Unpacked) -> Path:
    """Deep learning 2019: 37 runs, an LLM's labels, and NIST's of 1,500 pairs drawn at random."""
    (folder / "runs").symlink_to(unpacked(data / "dl19_runs" / "dl19_runs_top100_judgedtopics.tar.xz"))
    with lzma.open(data / "dl_llm_judges" / "dl19_labels_wide.csv.xz", "rt") as stream:
        rows = list(csv.DictReader(stream))
    drawn = random.Random(13).sample(rows, 1500)
    for name, judge, some in (("llm", "gpt-4o_umbrela", rows), ("gold", "nist", drawn)):
        lines = (f"{r['topic']} 0 {r['doc']} {r[judge]}\n" for r in some if r[judge])
        (folder / f"{name}.qrels").write_text("".join(lines))
    words = ("--gold", "gold.qrels", "--design", "random", "-m", "P(rel=2)@10", "-m", "DCG@10")
    truegain(folder, "report", "llm.qrels", "runs", *words, "--pair", "idst_bert_p1,idst_bert_p3")
    return folder / "report.html"


def cystic(folder: Path, data: Path, _: Unpacked) -> Path:
    """Cystic fibrosis: four judges, nine rankings made from the texts."""
    source = data / "cystic_fibrosis"
    with lzma.open(source / "docs.tsv.xz", "rt") as stream:
        records = list(csv.DictReader(stream, delimiter="\t"))
    with gzip.open(source / "queries.tsv.gz", "rt") as stream:
        queries = dict(line.rstrip("\n").split("\t", 1) for line in stream)
    texts = {r["recordnum"]: f"{r['title'] or ''}\n{r['abstract'] or ''}" for r in records}
    write_runs(rank(texts, queries), f"{folder}/runs/")
    ratings = str(source / "judgments_4judges.csv.gz")
    words = ("--aggregate", "mean", "--scale", "0:2", "--population", "topics,assessors")
    truegain(folder, "report", ratings, "runs", *words, "-m", "nDCG@10", "-m", "P@10")
    return folder / "report.html"
