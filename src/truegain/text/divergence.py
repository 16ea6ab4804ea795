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
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.data.pool import RankedGains, Tops
from truegain.errors import InputError
from truegain.io.columns import Floats, Ints
from truegain.text.corpus import Corpus, Vectors, stretches, tell_missing

_NOTHING = 1e-12  # a divergence below this, of a text from its collection, is rounding
_SPARSE = 8  # with a vocabulary so many times the rows, rows are sorted rather than looked up
_TABLE = 1 << 23  # numbers in a table of systems and terms, or of rows and subtopics


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
                f"the corpora {opened.source} and {judged.source} were not tokenized alike: {'; '.join(faults)}",
                hint="index both with the same options",
            )
        ranked_fields = {f.name: getattr(ranked, f.name) for f in fields(RankedGains)}
        return cls(**{**ranked_fields, "corpus": opened, "judged_corpus": judged})

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
        tell_missing(corpus, top.docs, places, "retrieved")
        tell_missing(home, ranked.pool.docs, judged_places, "judged")
        retrieved, judged = corpus.vectors(places), home.vectors(judged_places)
        theirs = judged.term
        if home is not corpus:
            theirs = _translated(home, corpus, judged.term)
        used, number = numbered(np.concatenate([retrieved.term, theirs]))
        cut = len(retrieved.term)
        return cls(
            top,
            len(ranked.systems),
            len(ranked.topics),
            Vectors(retrieved.begin, number[:cut], retrieved.count),
            Vectors(judged.begin, number[cut:], judged.count),
            _probability(corpus, home, used),
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

    A cell is a rank and a system, both counted from 0, rank by rank; `exists` tells which have a document.
    """

    systems: int
    depth: int
    mu: float
    cell: Ints  # ascending
    term: Ints  # into `terms`
    added: Floats
    terms: Ints
    base: Floats  # per rank and system: the terms of the sum that no subtopic changes
    smoothing: Floats  # per rank and system: the sum of c_v log(1 + x_v / (mu c_v))
    exists: npt.NDArray[np.bool_]  # per system and rank

    @classmethod
    def of(cls, texts: Texts, topic: int, mu: float, depth: int) -> TopicText:
        """Go down the lists of a topic, all systems at once."""
        lists = np.arange(texts.systems) * texts.topics + topic
        rank = np.arange(depth)[:, None]
        exists = rank < np.diff(texts.top.begin)[lists]
        document = texts.top.doc[(texts.top.begin[lists] + rank)[exists]]
        begin, words = texts.retrieved.begin[document], np.diff(texts.retrieved.begin)[document]
        at = stretches(begin, words)
        terms, term = numbered(texts.retrieved.term[at])
        cell, count = np.repeat(np.flatnonzero(exists), words), texts.retrieved.count[at]
        scale = (mu * texts.probability[terms])[term]
        before = _counted_above(cell, term, count, texts.systems, len(terms))
        # log(1 + new) - log(1 + old), without the loss of two large logarithms
        added = np.log1p(count / (scale + before))
        total = np.bincount(cell, weights=count, minlength=exists.size).reshape(exists.shape)
        smoothing = np.bincount(cell, weights=added * scale, minlength=exists.size).reshape(exists.shape) / mu
        return cls(
            texts.systems,
            depth,
            mu,
            cell,
            term,
            added,
            terms,
            -np.log1p(np.cumsum(total, axis=0) / mu),
            np.cumsum(smoothing, axis=0),
            exists.T,
        )

    def gains(self, texts: Texts, subtopics: Sequence[Ints]) -> Floats:
        """g(i, k) by system, rank k and subtopic i, each subtopic given as its relevant documents (pool items).

        A subtopic whose documents have no words, or the collection's own language, is left out.
        """
        models = [m for items in subtopics if (m := Model.of(texts, items, self.mu)) is not None]
        length, divergence = np.array([m.length for m in models]), np.array([m.divergence for m in models])
        explained = np.cumsum(self._shared(models), axis=0) + self.mu * self.smoothing[:, :, None]
        gains = (self.base[:, :, None] + explained / (length + self.mu)) / divergence
        return np.ascontiguousarray(np.maximum(gains, 0).transpose(1, 0, 2))

    def _shared(self, models: Sequence[Model]) -> Floats:
        """For each rank, system and subtopic the sum of a_v times what the document there adds, over its terms."""
        shared = np.zeros((self.exists.size, len(models)))
        counts = np.zeros((len(self.terms), len(models)))
        for i, model in enumerate(models):
            at = np.searchsorted(self.terms, model.term)
            here = at < len(self.terms)
            here[here] = self.terms[at[here]] == model.term[here]
            counts[at[here], i] = model.count[here]
        hits = np.flatnonzero(np.asarray(counts.any(axis=1))[self.term])
        cell, term, added = self.cell[hits], self.term[hits], self.added[hits, None]
        first = np.flatnonzero(np.diff(cell, prepend=-1))
        together = max(1, _TABLE // max(1, len(hits)))  # subtopics
        for i in range(0, len(models) if len(hits) else 0, together):
            products = counts[term, i : i + together]
            products *= added
            shared[cell[first], i : i + together] = np.add.reduceat(products, first, axis=0)
        return shared.reshape(self.depth, self.systems, len(models))


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


def numbered(term: Ints) -> tuple[Ints, Ints]:
    """The terms there are, ascending, and for each row the number of its term among them.

    >>> numbered(np.array([7, 3, 7]))
    (array([3, 7]), array([1, 0, 1]))
    """
    highest = int(term.max(initial=-1)) + 1
    if highest > _SPARSE * len(term):  # so that time follows the rows, not the vocabulary
        terms, number = np.unique(term, return_inverse=True)
        return terms, number
    place = np.zeros(highest, np.int64)
    place[term] = 1
    terms = np.flatnonzero(place)
    place[terms] = np.arange(len(terms))
    return terms, place[term]


def _counted_above(cell: Ints, term: Ints, count: Ints, systems: int, terms: int) -> Ints:
    """How often the term of each row is in the documents above in the same list; rows go rank by rank.

    A document has a term in one row, so that the rows of a rank are different places of a table of systems and terms.
    """
    rank, system = np.divmod(cell, systems)
    before = np.empty(len(cell), np.int64)
    together = max(1, _TABLE // max(1, terms))  # systems
    for begin in range(0, systems, together):
        rows = np.arange(len(cell))
        if together < systems:
            rows = np.flatnonzero((system >= begin) & (system < begin + together))
        place, ours = (system[rows] - begin) * terms + term[rows], count[rows]
        table = np.zeros(min(together, systems) * terms, np.int64)
        cuts = np.flatnonzero(np.diff(rank[rows])) + 1
        for low, high in pairwise([0, *cuts.tolist(), len(rows)]):
            so_far = table[place[low:high]]
            before[rows[low:high]] = so_far
            table[place[low:high]] = so_far + ours[low:high]
    return before
