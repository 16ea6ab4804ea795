"""Simple rankers over a corpus, so that experiments can be run where there are judgments and texts but no runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truegain.data.run import run_of_columns
from truegain.data.runs import Runs
from truegain.errors import TruegainError, warn
from truegain.io.columns import Floats, Ids, Ints, frozen
from truegain.message import argname
from truegain.text.corpus import Corpus, CorpusLike


@dataclass(frozen=True, eq=False)
class Postings:
    """An inverted corpus: term t is in documents doc[begin[t]:begin[t + 1]], count times each."""

    begin: Ints
    doc: Ints
    count: Floats
    length: Floats  # words of each document
    norm: Floats  # length of each document's vector of 1 + ln tf
    probability: Floats  # of each term in the collection

    @classmethod
    def of(cls, corpus: Corpus) -> Postings:
        """All documents of a corpus, in memory."""
        documents = len(corpus.docs)
        vectors = corpus.vectors(np.arange(documents))
        order, doc = np.argsort(vectors.term, kind="stable"), vectors.document
        begin = np.searchsorted(vectors.term[order], np.arange(len(corpus.terms) + 1))
        count = vectors.count.astype(np.float64)
        length = np.bincount(doc, weights=count, minlength=documents)
        norm = np.sqrt(np.bincount(doc, weights=(1 + np.log(count)) ** 2, minlength=documents))
        share = corpus.probability(np.arange(len(corpus.terms)))
        return cls(
            frozen(begin.astype(np.int64)),
            frozen(doc[order]),
            frozen(count[order]),
            frozen(np.asarray(length, np.float64)),
            frozen(np.asarray(norm, np.float64)),
            frozen(share),
        )


Weight = Callable[[Postings, int, slice], Floats]  # of one term in each of its documents


def bm25(k1: float = 1.2, b: float = 0.75) -> Weight:
    """BM25: ln(1 + (N - n + 0.5)/(n + 0.5)) tf (k1 + 1)/(tf + k1 (1 - b + b length/mean length)).

    N documents, n of them with the term.  Robertson et al. 1994, TREC-3; idf as in Lucene.
    """

    def weight(p: Postings, term: int, rows: slice) -> Floats:  # noqa: ARG001
        n, total = rows.stop - rows.start, len(p.length)
        tf, long = p.count[rows], p.length[p.doc[rows]] / p.length.mean()
        return np.asarray(np.log(1 + (total - n + 0.5) / (n + 0.5)) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * long)))

    return weight


def dirichlet(mu: float) -> Weight:
    """Query likelihood: ln(1 + tf/(mu P(term))), to which a query adds |q| ln(mu/(mu + length)) for each document.

    Zhai and Lafferty 2004, ACM TOIS 22(2).
    """

    def weight(p: Postings, term: int, rows: slice) -> Floats:
        return np.asarray(np.log1p(p.count[rows] / (mu * p.probability[term])))

    weight.mu = mu  # type: ignore[attr-defined]
    return weight


def tf_idf(p: Postings, term: int, rows: slice) -> Floats:  # noqa: ARG001
    """(1 + ln tf) ln(N/n), over the length of the document's vector of 1 + ln tf: lnc.ltn but for the query."""
    idf = np.log(len(p.length) / max(1, rows.stop - rows.start))
    return np.asarray((1 + np.log(p.count[rows])) / p.norm[p.doc[rows]] * idf)


def matches(p: Postings, term: int, rows: slice) -> Floats:  # noqa: ARG001
    """Coordination level: one for each word of the query that is there."""
    return np.ones(rows.stop - rows.start)


RANKERS: dict[str, Weight] = {
    "bm25-k0.9-b0.4": bm25(0.9, 0.4),
    "bm25-k1.2-b0.75": bm25(1.2, 0.75),
    "bm25-k2-b0.75": bm25(2.0, 0.75),
    "bm25-k1.2-b0": bm25(1.2, 0.0),
    "lm-mu100": dirichlet(100),
    "lm-mu500": dirichlet(500),
    "lm-mu2000": dirichlet(2000),
    "tf-idf": tf_idf,
    "matches": matches,
}


def rank(
    corpus: CorpusLike,
    queries: Mapping[str, str],
    *,
    rankers: Sequence[str] = tuple(RANKERS),
    length: int = 1000,
) -> Runs:
    """Runs by simple rankers: for every query the documents that hold a word of it, best first, ties by id.

    Nine settings of four rankers: BM25, query likelihood with Dirichlet smoothing, tf-idf, and how many words match.
    They are baselines to try measures and gains with, not contenders.

    >>> runs = rank({"d1": "a rose is a rose", "d2": "an iris", "d3": "rose and iris"}, {"1": "Rose"}, length=5)
    >>> len(runs.systems), runs.systems[0]
    (9, 'bm25-k0.9-b0.4')
    """
    unknown = [name for name in rankers if name not in RANKERS]
    if unknown or not rankers:
        raise TruegainError(f"there is no ranker {', '.join(unknown) or 'named'}; there are {', '.join(RANKERS)}")
    if length < 1:
        raise TruegainError(f"{argname('length', length)} keeps no document; give at least 1")
    texts = Corpus.of(corpus)
    postings = Postings.of(texts)
    names = texts.docs.strings(np.arange(len(texts.docs)))
    place = np.empty(len(names), np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    terms = {topic: _terms(texts, text) for topic, text in queries.items()}
    lost = [topic for topic, (in_corpus, _) in terms.items() if not len(in_corpus)]
    if len(lost) == len(terms):
        raise TruegainError("no query has a word of the corpus; check that they belong together")
    if lost:
        warn(f"{len(lost)} of {len(terms)} queries have no word of the corpus, and no ranking: {lost[0]}")
    parts = []
    for ranker in rankers:
        topics: list[str] = []
        docs: list[str] = []
        scores: list[Floats] = []
        for topic, (in_corpus, times) in terms.items():
            matching, score = _scored(postings, RANKERS[ranker], in_corpus, times)
            best = np.lexsort((place[matching], -score))[:length]
            topics += [topic] * len(best)
            docs += [names[d] for d in matching[best].tolist()]
            scores.append(score[best])
        parts.append(run_of_columns(ranker, topics, docs, np.concatenate(scores), ranker))
    return Runs(tuple(parts))


def _terms(corpus: Corpus, text: str) -> tuple[Ints, Floats]:
    """The terms of a query that are in the corpus, and how often the query says each."""
    counts = corpus.cutting.count([text])
    times = np.zeros(len(counts.vocabulary))
    times[counts.term] = counts.count
    terms = corpus.terms.find(Ids.of(counts.vocabulary.strings()))
    return terms[terms >= 0], times[terms >= 0]


def _scored(p: Postings, weight: Weight, terms: Ints, times: Floats) -> tuple[Ints, Floats]:
    """The documents with a word of the query, and their scores, rounded so that equal ones are equal."""
    score, there = np.zeros(len(p.length)), np.zeros(len(p.length), np.bool_)
    for term, n in zip(terms.tolist(), times.tolist(), strict=True):
        rows = slice(int(p.begin[term]), int(p.begin[term + 1]))
        score[p.doc[rows]] += n * weight(p, term, rows)
        there[p.doc[rows]] = True
    matching = np.flatnonzero(there)
    mu = getattr(weight, "mu", None)
    if mu is not None:
        score += times.sum() * np.log(mu / (mu + p.length))
    return matching, np.round(score[matching], 9)
