"""How much of a subtopic the text of the first documents of a list explains.

P(v | X) = (tf(v, X) + mu P(v | collection)) / (|X| + mu)

With Dirichlet smoothing a term in neither of two texts contributes the same constant times P(v | collection), and since
probabilities sum to 1 all of them together leave one logarithm.  With a, A the counts and length of the subtopic, x, L
those of the list's text, and c = P(v | collection):

KL(subtopic || collection)
    = -log(1 + A / mu) + sum over terms of the subtopic of P(v | subtopic) log(1 + a_v / (mu c_v))
KL(subtopic || collection) - KL(subtopic || X)
    = -log(1 + L / mu) + sum over terms of X of P(v | subtopic) log(1 + x_v / (mu c_v))

So a document changes the second sum at its own terms only; the vocabulary is never looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.errors import InputError
from truegain.tables.checks import warn
from truegain.tables.columns import Floats, Ids, Ints
from truegain.tables.ranked import RankedGains, Tops
from truegain.text.corpus import Corpus, Vectors, stretches

_NOTHING = 1e-12  # a divergence below this, of a text from its collection, is rounding


@dataclass(frozen=True, eq=False)
class RankedText(RankedGains):
    """Ranked gains whose lists also know the text of their first documents, judged or not."""

    corpus: Corpus | None = None
    judged_corpus: Corpus | None = None  # where the judged documents are, if not in `corpus`

    @classmethod
    def of(cls, ranked: RankedGains, corpus: object, judged_corpus: object = None) -> RankedText:
        """Ranked gains and corpora, which must have cut text alike."""
        opened = Corpus.of(corpus)
        judged = None if judged_corpus is None else Corpus.of(judged_corpus)
        if judged is not None and (faults := opened.cutting.differs(judged.cutting)):
            raise InputError(
                f"the corpora {opened.source} and {judged.source} were not cut alike: {'; '.join(faults)}",
                hint="index both with the same options",
            )
        given = {f.name: getattr(ranked, f.name) for f in fields(RankedGains)}
        return cls(**{**given, "corpus": opened, "judged_corpus": judged})

    @cached_property
    def texts(self) -> Texts:
        """The term counts behind the lists and the judgments."""
        return Texts.of(self)

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """What measures that share a computation keep here."""
        return {}


@dataclass(frozen=True, eq=False)
class Texts:
    """Term counts of retrieved and judged documents over one numbering of the terms they use."""

    top: Tops
    systems: int
    topics: int
    retrieved: Vectors  # per document of `top.docs`
    judged: Vectors  # per item of the pool
    probability: Floats  # P(term | collection)

    @classmethod
    def of(cls, ranked: RankedText) -> Texts:
        """Look all documents up, and tell how many the corpora lack."""
        corpus, top = ranked.corpus, ranked.top
        assert corpus is not None
        assert top is not None
        home = ranked.judged_corpus or corpus
        places, judged_places = corpus.find(top.docs), home.find(ranked.pool.docs)
        _tell_missing(corpus, top.docs, places, "retrieved")
        _tell_missing(home, ranked.pool.docs, judged_places, "judged")
        retrieved, judged = corpus.vectors(places), home.vectors(judged_places)
        theirs = judged.term
        if home is not corpus:
            theirs = _translated(home, corpus, judged.term)
        used, number = np.unique(np.concatenate([retrieved.term, theirs]), return_inverse=True)
        cut = len(retrieved.term)
        return cls(
            top,
            len(ranked.systems),
            len(ranked.topics),
            Vectors(retrieved.begin, number[:cut], retrieved.count),
            Vectors(judged.begin, number[cut:], judged.count),
            _probability(corpus, home, used),
        )


def _tell_missing(corpus: Corpus, docs: Ids, places: Ints, what: str) -> None:
    missing = np.flatnonzero(places < 0)
    if len(missing) == len(docs):
        raise InputError(
            f"none of the {len(docs):,} {what} documents is in the corpus {corpus.source} (the first is {docs[0]})",
            hint="check that the corpus holds this collection",
        )
    if len(missing):
        warn(
            f"{len(missing):,} of {len(docs):,} {what} documents are not in the corpus {corpus.source} "
            f"(such as {docs[int(missing[0])]}); they count as documents without words "
            "(truegain text show CORPUS --lacks FILE lists them)"
        )


def _translated(home: Corpus, corpus: Corpus, term: Ints) -> Ints:
    """Terms of one corpus as terms of another; those it lacks are numbered behind its own."""
    used, inverse = np.unique(term, return_inverse=True)
    place = corpus.terms.find(home.terms.ids(used))
    return np.asarray(np.where(place >= 0, place, len(corpus.terms) + used)[inverse], np.int64)


def _probability(corpus: Corpus, home: Corpus, used: Ints) -> Floats:
    """P(term | collection); of two corpora taken together, so that every judged word has a probability."""
    if home is corpus:
        return corpus.probability(used)
    own = used[used < len(corpus.terms)]
    place = home.terms.find(corpus.terms.ids(own))
    theirs = np.where(place >= 0, home.frequency[np.maximum(place, 0)], 0)
    beyond = home.frequency[used[used >= len(corpus.terms)] - len(corpus.terms)]
    return np.concatenate([corpus.frequency[own] + theirs, beyond]) / (corpus.tokens + home.tokens)


@dataclass(frozen=True, eq=False)
class TopicText:
    """The lists of one topic: what each document adds to log(1 + x_v / (mu c_v)) at its terms.

    A cell is a system and a rank, counted from 0; `exists` tells which ranks have a document.
    """

    systems: int
    depth: int
    mu: float
    cell: Ints
    term: Ints  # into `terms`
    added: Floats
    terms: Ints
    base: Floats  # per system and rank: the terms of the sum that no subtopic changes
    smoothing: Floats  # per system and rank: the sum of c_v log(1 + x_v / (mu c_v))
    exists: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, texts: Texts, topic: int, mu: float, depth: int) -> TopicText:
        """Go down the lists of a topic, all systems at once."""
        lists = np.arange(texts.systems) * texts.topics + topic
        first, length = texts.top.begin[lists], np.minimum(np.diff(texts.top.begin)[lists], depth)
        document = texts.top.doc[stretches(first, length)]
        cell_of = stretches(np.arange(texts.systems) * depth, length)
        begin, words = texts.retrieved.begin[document], np.diff(texts.retrieved.begin)[document]
        at = stretches(begin, words)
        terms, term = np.unique(texts.retrieved.term[at], return_inverse=True)
        cell, count = np.repeat(cell_of, words), texts.retrieved.count[at]
        scale = mu * texts.probability[terms][term]
        so_far = _running(cell // depth * len(terms) + term, count)
        # log(1 + new) - log(1 + old), without the loss of two large logarithms
        added = np.log1p(count / (scale + (so_far - count)))
        cells = texts.systems * depth
        shape = (texts.systems, depth)
        words_so_far = np.cumsum(np.bincount(cell, weights=count, minlength=cells).reshape(shape), axis=1)
        smoothing = np.bincount(cell, weights=added * scale / mu, minlength=cells).reshape(shape)
        exists = np.zeros(cells, np.bool_)
        exists[cell_of] = True
        return cls(
            texts.systems,
            depth,
            mu,
            cell,
            term,
            added,
            terms,
            -np.log1p(words_so_far / mu),
            np.cumsum(smoothing, axis=1),
            exists.reshape(shape),
        )

    def gains(self, texts: Texts, subtopics: Sequence[Ints]) -> Floats:
        """g(i, k) by system, rank k and subtopic i, each subtopic given as its relevant documents (pool items).

        A subtopic whose documents have no words, or the collection's own language, is left out.
        """
        models = [m for items in subtopics if (m := Model.of(texts, items, self.mu)) is not None]
        gains = np.empty((self.systems, self.depth, len(models)))
        for i, model in enumerate(models):
            at = np.minimum(np.searchsorted(model.term, self.terms), len(model.term) - 1)
            counts = np.where(model.term[at] == self.terms, model.count[at], 0.0)
            hits = np.flatnonzero(counts[self.term])
            shared = np.bincount(
                self.cell[hits], weights=self.added[hits] * counts[self.term[hits]], minlength=self.exists.size
            )
            explained = np.cumsum(shared.reshape(self.exists.shape), axis=1) + self.mu * self.smoothing
            gains[:, :, i] = (self.base + explained / (model.length + self.mu)) / model.divergence
        return np.maximum(gains, 0)


@dataclass(frozen=True, eq=False)
class Model:
    """The text of a subtopic: counts by term, length, and KL(subtopic || collection)."""

    term: Ints
    count: Floats
    length: float
    divergence: float

    @classmethod
    def of(cls, texts: Texts, items: Ints, mu: float) -> Model | None:
        """All documents relevant to a subtopic put together; None where they say nothing."""
        judged = texts.judged
        at = stretches(judged.begin[items], np.diff(judged.begin)[items])
        term, number = np.unique(judged.term[at], return_inverse=True)
        count = np.bincount(number, weights=judged.count[at], minlength=len(term)).astype(np.float64)
        length = float(count.sum())
        smooth = mu * texts.probability[term]
        sums = np.dot((count + smooth) / (length + mu), np.log1p(count / smooth))
        divergence = float(sums - np.log1p(length / mu))
        return cls(term, count, length, divergence) if length and divergence > _NOTHING * abs(sums) else None


def _running(group: Ints, count: Ints) -> Ints:
    """Sum of the counts of each group up to and including each row."""
    order = np.argsort(group, kind="stable")
    sums = np.cumsum(count[order])
    first = np.ones(len(order), np.bool_)
    first[1:] = group[order][1:] != group[order][:-1]
    before = np.maximum.accumulate(np.where(first, sums - count[order], 0)) if len(order) else sums
    out = np.empty(len(order), np.int64)
    out[order] = sums - before
    return out
