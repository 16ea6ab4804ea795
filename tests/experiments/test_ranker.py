"""The simple rankers against their formulas in plain loops."""

from __future__ import annotations

import lzma
import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from truegain.cli.app import main
from truegain.data.queries import read_queries
from truegain.experiments.ranker import RANKERS, rank
from truegain.experiments.unanimity_gains import unanimity
from truegain.text.corpus import Corpus
from truegain.text.words import Cutting

WORDS = [f"w{i}" for i in range(30)]


def collection(seed: int = 1) -> dict[str, str]:
    """Forty documents of 5 to 40 words, common and rare ones."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, len(WORDS) + 1)
    return {f"d{i}": " ".join(rng.choice(WORDS, int(rng.integers(5, 40)), p=share / share.sum())) for i in range(40)}


def by_hand(name: str, docs: dict[str, list[str]], query: list[str], doc: str) -> float:
    """The score of one document by one ranker, from its words."""
    tf, total, said = Counter(docs[doc]), len(docs), Counter(query)
    words = sum(map(len, docs.values()))
    score = 0.0
    for term, times in said.items():
        n = sum(term in d for d in docs.values())
        often = sum(d.count(term) for d in docs.values())
        if not n:
            continue
        if name.startswith("bm25") and tf[term]:
            k1, b = (float(part[1:]) for part in name.split("-")[1:])
            idf = math.log(1 + (total - n + 0.5) / (n + 0.5))
            longer = 1 - b + b * len(docs[doc]) / (words / total)
            score += times * idf * tf[term] * (k1 + 1) / (tf[term] + k1 * longer)
        elif name.startswith("lm"):
            mu = float(name.removeprefix("lm-mu"))
            smooth = (tf[term] + mu * often / words) / (len(docs[doc]) + mu)
            score += times * (math.log(smooth) - math.log(often / words))
        elif name == "tf-idf" and tf[term]:
            norm = math.sqrt(sum((1 + math.log(c)) ** 2 for c in tf.values()))
            score += times * (1 + math.log(tf[term])) * math.log(total / n) / norm
        elif name == "matches":
            score += times * (tf[term] > 0)
    return score


@pytest.mark.parametrize("name", RANKERS)
def test_scores_are_those_of_the_formula(name: str) -> None:
    """Guards each ranker: scores by plain loops, best first, ties by id, only documents with a word of the query."""
    texts = collection()
    docs = {d: t.split() for d, t in texts.items()}
    queries = {"1": "w0 w7 w7 unknown", "2": "W20 w3"}
    (run,) = rank(texts, queries, rankers=[name]).parts
    found: dict[str, list[tuple[str, float]]] = {}
    for topic, doc, score in zip(run.topic.strings(), run.docs.strings(), run.score.tolist(), strict=True):
        found.setdefault(topic, []).append((doc, score))
    for topic, query in queries.items():
        words = query.lower().split()
        want = {d: by_hand(name, docs, words, d) for d in docs if set(words) & set(docs[d])}
        assert dict(found[topic]) == pytest.approx(want, abs=1e-8)
        assert found[topic] == sorted(found[topic], key=lambda pair: (-pair[1], pair[0]))


def test_the_corpus_decides_how_queries_are_cut() -> None:
    """Guards stop words and stems: a query is cut as the documents were; and depth cuts the list."""
    corpus = Corpus.of({"a": "the running dog", "b": "the cat", "c": "dogs run"}, Cutting.of(stop=["the"]))
    with pytest.warns(tg.DataWarning, match="1 of 2 queries have no word"):
        (run,) = rank(corpus, {"1": "the", "2": "The dog"}, rankers=["matches"]).parts
    assert (run.topic.strings(), run.docs.strings()) == (["2"], ["a"])
    (short,) = rank(collection(), {"1": "w0 w1"}, rankers=["tf-idf"], length=3).parts
    assert len(short.docs) == 3


def test_mistakes_are_told(tmp_path: Path) -> None:
    """Guards unknown rankers, queries of another language, and files that hold no queries."""
    with pytest.raises(tg.TruegainError, match="no ranker bm26"):
        rank(collection(), {"1": "w0"}, rankers=["bm26"])
    with pytest.raises(tg.TruegainError, match="no query has a word"):
        rank(collection(), {"1": "rose"})
    for text, fault in (("1 rose\n", "not a topic, a tab"), ("1\ta\n1\tb\n", "appears twice"), ("\n", "no query")):
        (tmp_path / "q.tsv").write_text(text)
        with pytest.raises(tg.InputError, match=fault):
            read_queries(tmp_path / "q.tsv")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Guards `truegain text rank` after `text index`: runs that evaluate."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{d}\t{t}\n" for d, t in collection().items())
    Path("docs.tsv").write_text(f"id\ttext\n{rows}")
    Path("queries.tsv").write_text("1\tw0 w9\n2\tw5 w1\n")
    for words in (["index", "docs.tsv", "-o", "corpus"], ["rank", "corpus", "queries.tsv", "-o", "runs"]):
        monkeypatch.setattr(sys, "argv", ["truegain", "text", *words])
        main()
    assert "9 runs in runs" in capsys.readouterr().out
    scores = tg.evaluate("runs", {"1": dict.fromkeys(collection(), 1), "2": {"d2": 1}}, "P@10")
    assert set(scores.systems) == set(RANKERS)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_unanimity_on_cystic_fibrosis(shared_data: Path) -> None:
    """Guards the walk of the documentation: texts to runs, four judges' ratings to RawG and UG, no pair changes."""
    folder = shared_data / "cystic_fibrosis"
    with lzma.open(folder / "docs.tsv.xz", "rt") as lines:
        rows = [line.rstrip("\n").split("\t", 1) for line in lines][1:]
    runs = rank(dict(rows), read_queries(folder / "queries.tsv.gz"))
    ratings = tg.read_ratings(folder / "judgments_4judges.csv.gz")
    scores = tg.evaluate(runs, tg.aggregate(ratings, "sum"), "nDCG@10")
    means = dict(zip(scores.systems, scores.matrix("nDCG@10").mean(axis=1), strict=True))
    assert means["bm25-k1.2-b0.75"] > 1.2 * means["matches"] > 0.1
    found = unanimity(ratings, runs, scale="0:2", measures=["P+"], replicates=500)
    taus = {row["p"]: row["tau"] for row in found.rankings.records()}
    assert taus == {0.1: pytest.approx(1), 0.2: pytest.approx(1), 0.5: pytest.approx(0.944, abs=1e-3)}
