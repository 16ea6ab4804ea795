"""Judgments thinned out on real data: how fast each way of scoring loses the order of the systems.

    python -m benchmarks.content_real dl19             # TREC DL 2019: submitted runs, subtopics
    python -m benchmarks.content_real cystic           # Cystic Fibrosis: rankers made from its text, no subtopics
    python -m benchmarks.content_real dl19 --level 5 --mu 100    # another level of relevance, another smoothing
    python -m benchmarks.content_real dl19 --data DIR --repeat 3 --figure dl19.svg

Prints the tables of docs/evidence/content.md: mean tau of every way and share kept, then the same with where the
draws lie.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import lzma
import sys
import tarfile
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from truegain.cli.streams import Progress
from truegain.data.judgments import Judgments, judgments_of_columns
from truegain.data.run import Run, run_of_columns
from truegain.data.runs import Runs, read_runs
from truegain.errors import DataWarning, TruegainError
from truegain.experiments.incomplete_collections import KEEP, Incomplete, incomplete
from truegain.io.columns import Floats
from truegain.parallel.jobs import Local
from truegain.report.charts import check_ending, curves_chart, save
from truegain.text.words import Cutting

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"  # beside the checkout
MEASURES = ("AbsNB", "AbsRB", "DeltaNB", "DeltaRB")
DEPTH = 100  # of made runs
MU = 500  # smoothing of made rankers


class MissingDataError(TruegainError):
    """A data set is not there."""


@dataclass(frozen=True)
class Collection:
    """What the study needs: runs, judgments, the text of documents, and who says the true order."""

    runs: Runs
    judgments: Judgments
    texts: Mapping[str, str]
    against: str
    strict: str  # who says it at another level of relevance


def present(path: Path) -> Path:
    """The path of a file that is there."""
    if not path.exists():
        raise MissingDataError(f"{path} is not there; name the folder of the data with --data")
    return path


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a compressed file."""
    unpack = lzma.decompress if path.suffix == ".xz" else gzip.decompress
    yield from io.StringIO(unpack(present(path).read_bytes()).decode())


def dl19(data: Path) -> Collection:
    """TREC DL 2019 passages: ten questions a topic graded 0 to 5 by GPT-4, the text of the judged passages.

    A passage judged for two topics is in the file of texts twice, and in the collection once.
    """
    rows = [line.split() for line in lines_of(data / "dl_subtopics_rubric" / "dl19_exam_graded.qrels.xz")]
    names = [row[0].rpartition("_") for row in rows]
    judgments = judgments_of_columns(
        [topic for topic, _, _ in names],
        [row[2] for row in rows],
        np.array([float(row[3]) for row in rows]),
        "dl19_exam_graded",
        subtopics=[subtopic for _, _, subtopic in names],
    )
    passages = (line.rstrip("\n").split("\t", 1) for line in lines_of(data / "dl_llm_judges" / "dl19_passages.tsv.xz"))
    texts = dict(passages)
    archive = present(data / "dl19_runs" / "dl19_runs_top100_judgedtopics.tar.xz")
    with tempfile.TemporaryDirectory() as folder, tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
        runs = read_runs(folder)
    return Collection(runs, judgments, texts, "alpha_nDCG@20", "alpha_nDCG(rel={level:g})@20")


def cystic(data: Path) -> Collection:
    """Cystic Fibrosis: the sum of four experts' labels, and rankers made from titles and abstracts."""
    folder = data / "cystic_fibrosis"
    records = list(csv.DictReader(lines_of(folder / "docs.tsv.xz"), delimiter="\t"))
    fields = {
        "title": [r["title"] or "" for r in records],
        "abstract": [r["abstract"] or "" for r in records],
        "both": [f"{r['title'] or ''}\n{r['abstract'] or ''}" for r in records],
    }
    docs = [r["recordnum"] for r in records]
    labels = list(csv.DictReader(lines_of(folder / "judgments_4judges.csv.gz")))
    judges = [name for name in labels[0] if name.startswith("judge")]
    judgments = judgments_of_columns(
        [r["topic"] for r in labels],
        [r["doc"] for r in labels],
        np.array([sum(float(r[j]) for j in judges) for r in labels]),
        "judgments_4judges",
    )
    queries = dict(line.rstrip("\n").split("\t", 1) for line in lines_of(folder / "queries.tsv.gz"))
    made = [
        run
        for field, texts in fields.items()
        for stop, cutting in (("all", Cutting()), ("stop", Cutting.of("lucene")))
        for run in made_runs(f"{field}-{stop}", docs, texts, queries, cutting)
    ]
    return Collection(
        Runs(tuple(made)), judgments, dict(zip(docs, fields["both"], strict=True)), "nDCG@20", "AP(rel={level:g})@20"
    )


def made_runs(
    prefix: str, docs: list[str], texts: list[str], queries: Mapping[str, str], cutting: Cutting
) -> Iterator[Run]:
    """One run for each way of weighting words; a document scores the sum over the words of the query."""
    counts = cutting.count(texts)
    number = {word: i for i, word in enumerate(counts.vocabulary.strings())}
    tf = np.zeros((len(texts), len(number)))
    tf[np.repeat(np.arange(len(texts)), np.diff(counts.begin)), counts.term] = counts.count
    asked = {topic: [number[w] for w in cutting.words(text) if w in number] for topic, text in queries.items()}
    shrinking = np.log(MU / (tf.sum(axis=1) + MU))
    for name, weight in weightings(tf).items():
        topics: list[str] = []
        found: list[str] = []
        for topic, words in asked.items():
            score = weight[:, words].sum(axis=1)
            if name.startswith("lm"):
                score += len(words) * shrinking
            order = np.argsort(-score, kind="stable")[:DEPTH]
            topics += [topic] * len(order)
            found += [docs[i] for i in order.tolist()]
        ranks = np.tile(-np.arange(float(min(DEPTH, len(docs)))), len(asked))
        yield run_of_columns(f"{prefix}-{name}", topics, found, ranks, "made")


def weightings(tf: Floats) -> dict[str, Floats]:
    """Six ways to weight a word in a document: BM25 three times, tf-idf by cosine, Dirichlet, presence."""
    found, length, size = (tf > 0).sum(axis=0), tf.sum(axis=1, keepdims=True), len(tf)
    idf = np.log(1 + (size - found + 0.5) / (found + 0.5))
    weights = {}
    for k1, b in ((1.2, 0.75), (0.4, 0.4), (3, 1)):
        norm = k1 * (1 - b + b * np.maximum(length, 1) / length.mean())
        weights[f"bm25-{k1}-{b}"] = idf * tf * (k1 + 1) / (tf + norm)
    both = np.log1p(tf) * np.log(size / np.maximum(found, 1))
    weights["tfidf"] = both / np.maximum(np.linalg.norm(both, axis=1, keepdims=True), 1e-9)
    weights[f"lm-{MU}"] = np.log1p(tf / (MU * np.maximum(tf.sum(axis=0) / tf.sum(), 1e-12)))
    weights["binary"] = (tf > 0).astype(np.float64)
    return weights


COLLECTIONS: dict[str, Callable[[Path], Collection]] = {"dl19": dl19, "cystic": cystic}


def studied(collection: Collection, level: float, mu: float, repeat: int, seed: int, jobs: int | None) -> Incomplete:
    """Figure 1 of the paper, with all four measures."""
    with warnings.catch_warnings(), Progress(len(KEEP) * repeat, "draws") as progress:
        warnings.simplefilter("ignore", DataWarning)  # documents without text
        return incomplete(
            collection.runs,
            collection.judgments,
            collection.texts,
            against=collection.against if level == 1 else collection.strict.format(level=level),
            measures=[f"{name}(mu={mu:g},rel={level:g})@20" for name in MEASURES],
            repeat=repeat,
            seed=seed,
            engine=Local(jobs),
            progress=progress.advance,
        )


def main() -> int:
    """Print the tables, draw the figure; 0 also where the data is not there, which is told."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", choices=tuple(COLLECTIONS))
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the data (default: beside the checkout)")
    parser.add_argument("--level", type=float, default=1, help="smallest label that is relevant")
    parser.add_argument("--mu", type=float, default=2500, help="smoothing of the content measures")
    parser.add_argument("--repeat", type=int, default=30, help="draws for each share of the judgments")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--figure", type=Path, default=None, help="FILE.svg, .png or .html")
    given = parser.parse_args()
    if given.figure is not None:
        check_ending(given.figure)
    try:
        collection = COLLECTIONS[given.collection](given.data)
    except MissingDataError as error:
        print(f"skipped {given.collection}: {error}", file=sys.stderr)
        return 0
    found = studied(collection, given.level, given.mu, given.repeat, given.seed, given.jobs)
    print(found.wide().render("markdown").decode())
    print(found.table().render("markdown").decode())
    if given.figure is not None:
        save(curves_chart(found.table(), f"Order of the systems by {found.against} on all judgments"), given.figure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
