"""Text and content measures: how fast documents are indexed, and what the closed form saves.

    python -m benchmarks.content                # everything, on a generated collection of 2 GB
    python -m benchmarks.content index --megabytes 200
    python -m benchmarks.content measures       # what needs no index on disk

Prints one line a fact; ratios are between two ways measured in the same run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from truegain.measures.content import AbsRB, relevant_items
from truegain.measures.evaluate import Options, aligned
from truegain.tables.columns import Floats
from truegain.tables.judgments import judgments_of_columns
from truegain.tables.runs import Runs, run_of_columns
from truegain.text.corpus import Corpus
from truegain.text.divergence import RankedText
from truegain.text.words import Cutting

WORDS = 150  # of a document
INDEX = """
import resource, sys, time
from truegain.text.indexing import index
began = time.perf_counter()
index([sys.argv[1]], sys.argv[2], jobs=2, memory=int(sys.argv[3]) << 20)
usage = resource.getrusage(resource.RUSAGE_SELF)
print(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
"""


def vocabulary(size: int, rng: np.random.Generator) -> list[str]:
    """Words of random letters, frequent letters more often."""
    letters = rng.choice(list("etaoinshrdlucmfwypvbgkjqxz"), (size, 11))
    return ["".join(row[:n]) for row, n in zip(letters, rng.integers(2, 12, size).tolist(), strict=True)]


def write_documents(path: Path, megabytes: int) -> None:
    """Documents whose words follow Zipf's law."""
    rng = np.random.default_rng(0)
    words = np.array(vocabulary(500_000, rng), object)
    share = 1 / np.arange(3, len(words) + 3) ** 1.05
    cumulative = np.cumsum(share / share.sum())
    written = number = 0
    with path.open("w") as stream:
        while written < megabytes * 1_000_000:
            drawn = words[np.minimum(np.searchsorted(cumulative, rng.random(WORDS * 1000)), len(words) - 1)].tolist()
            for i in range(1000):
                text = " ".join(drawn[i * WORDS : (i + 1) * WORDS])
                written += stream.write(f'{{"id": "d{number}", "text": "{text}"}}\n')
                number += 1


def time_index(folder: Path, megabytes: int, memory: int) -> None:
    """Index a collection and a quarter of it, each in a process of its own."""
    rates = []
    for size in (megabytes // 4, megabytes):
        path = folder / f"docs-{size}.jsonl"
        write_documents(path, size)
        command = [sys.executable, "-c", INDEX, str(path), str(folder / f"corpus-{size}"), str(memory)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        seconds, processor, peak = map(float, answer)
        rates.append(processor / size)
        print(
            f"index {size} MB: {seconds:.1f} s, {size / seconds:.0f} MB/s, {size / processor:.0f} MB a processor second"
            f", peak {peak:.0f} MB (allowed {memory})"
        )
        path.unlink()
    print(f"index: processor seconds a MB of the whole over those of a quarter: {rates[1] / rates[0]:.2f}")


def compare_cutting() -> None:
    """The same counts by polars expressions and by ours."""
    import polars as pl

    rng = np.random.default_rng(1)
    words = np.array(vocabulary(300_000, rng), object)
    share = 1 / np.arange(3, len(words) + 3)
    drawn = rng.choice(len(words), 20_000 * WORDS, p=share / share.sum())
    texts = [" ".join(words[row].tolist()) for row in drawn.reshape(-1, WORDS)]
    cutting = Cutting()
    cutting.count(["once"])
    began = time.perf_counter()
    ours = cutting.count(texts)
    middle = time.perf_counter()
    column = pl.col("text").str.to_lowercase().str.extract_all(r"[\p{L}\p{M}\p{N}]+")
    frame = pl.DataFrame({"doc": np.arange(len(texts)), "text": texts}).with_columns(column)
    theirs = frame.explode("text").group_by("doc", "text").len()
    end = time.perf_counter()
    assert len(theirs) == len(ours.term)
    print(f"cutting: polars expressions (all cores) over ours (one core): {(end - middle) / (middle - began):.1f}x")


def ranked_text(systems: int, topics: int, terms: int) -> RankedText:
    """Runs over a collection with a vocabulary of a given size, ten subtopics a topic."""
    rng = np.random.default_rng(2)
    words = np.array([f"w{i}" for i in range(terms)], object)
    texts = {f"all{i}": " ".join(words[i : i + 500].tolist()) for i in range(0, terms, 500)}
    share = 1 / np.arange(3, terms + 3)
    per_topic = 200
    drawn = rng.choice(terms, topics * per_topic * WORDS, p=share / share.sum()).reshape(-1, WORDS)
    names = [f"t{t}d{d}" for t in range(topics) for d in range(per_topic)]
    texts |= {name: " ".join(words[row].tolist()) for name, row in zip(names, drawn, strict=True)}
    rows = [(str(t), str(s), f"t{t}d{s * 5 + d}") for t in range(topics) for s in range(10) for d in range(5)]
    topic, subtopic, doc = (list(column) for column in zip(*rows, strict=True))
    judgments = judgments_of_columns(topic, doc, np.ones(len(rows)), "made", subtopics=subtopic)
    parts = []
    for s in range(systems):
        lists = [rng.choice(per_topic, 20, replace=False) for _ in range(topics)]
        docs = [f"t{t}d{d}" for t, several in enumerate(lists) for d in several.tolist()]
        score = np.tile(-np.arange(20.0), topics)
        parts.append(run_of_columns(f"s{s}", [str(t) for t in range(topics) for _ in range(20)], docs, score, "made"))
    ranked = aligned(Runs(tuple(parts)), judgments, Options(), keep_top=20)
    return RankedText.of(ranked, Corpus.of(texts))


def over_the_vocabulary(ranked: RankedText, topic: int, system: int, mu: float = 2500.0) -> Floats:
    """g(i, k) of one list, every divergence a sum over all terms; what can be shared between ranks is."""
    corpus, top = ranked.corpus, ranked.top
    assert corpus is not None
    assert top is not None
    collection = corpus.frequency / corpus.tokens
    models = []
    for items in relevant_items(ranked, 1)[topic]:
        vectors = corpus.vectors(corpus.find(ranked.pool.docs.take(items)))
        tf = np.bincount(vectors.term, weights=vectors.count, minlength=len(collection))
        models.append((tf + mu * collection) / (tf.sum() + mu))
    own = np.array([np.sum(p * np.log(p)) for p in models])
    whole = own - np.array(models) @ np.log(collection)
    first = int(top.begin[system * len(ranked.topics) + topic])
    so_far, gains = np.zeros(len(collection)), []
    for doc in top.doc[first : first + 20].tolist():
        vectors = corpus.vectors(corpus.find(top.docs.take(np.array([doc]))))
        so_far += np.bincount(vectors.term, weights=vectors.count, minlength=len(collection))
        model = (so_far + mu * collection) / (so_far.sum() + mu)
        gains.append(1 - (own - np.array(models) @ np.log(model)) / whole)
    return np.asarray(np.maximum(np.array(gains), 0), np.float64)


def compare_divergence(terms: int) -> None:
    """All lists by the closed form, a few by sums over the vocabulary, per list."""
    ranked = ranked_text(37, 43, terms)
    began = time.perf_counter()
    values = AbsRB().per_topic(ranked).reshape(37, 43)
    seconds = time.perf_counter() - began
    print(f"37 runs x 43 topics x depth 20, 10 subtopics, {terms:,} terms: {seconds:.2f} s")
    began = time.perf_counter()
    some = [(s, t) for s in range(2) for t in range(2)]
    for s, t in some:
        slow = over_the_vocabulary(ranked, t, s).max(axis=1) @ (0.2 * 0.8 ** np.arange(20))
        assert abs(slow - values[s, t]) < 1e-9, (slow, values[s, t])
    per_list = (time.perf_counter() - began) / len(some)
    print(f"summing over {terms:,} terms over the closed form, a list: {per_list / (seconds / (37 * 43)):.0f}x")


def main() -> None:
    """What is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=("measures", "index", "all"), default="all")
    parser.add_argument("--megabytes", type=int, default=2000)
    parser.add_argument("--memory", type=int, default=900, help="MB that indexing may use")
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    if given.part != "measures":
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:  # first: a child's peak is not below its parent's
            time_index(Path(folder), given.megabytes, given.memory)
    if given.part != "index":
        compare_divergence(200_000)
        compare_cutting()


if __name__ == "__main__":
    main()
