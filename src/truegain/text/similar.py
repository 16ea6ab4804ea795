"""How alike documents are by their words: cosines of tf-idf vectors."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from truegain.tables.columns import Ids
from truegain.text.corpus import Corpus, tell_missing


def unit_vectors(corpus: Corpus, docs: Ids) -> csr_array:
    """Documents by terms, rows of length 1 (or 0, for documents the corpus lacks): products of rows are cosines.

    (1 + ln tf) ln(1 + tokens of the collection / count of the term in it), over the length of the row; the counts of
    the collection stand in for document frequencies, which a corpus does not hold.

    >>> made = unit_vectors(Corpus.of({"x": "a rose", "y": "a rose a rose", "z": "an iris"}), Ids.of(["x", "y", "z"]))
    >>> (made @ made.T).toarray().round(3).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    places = corpus.find(docs)
    tell_missing(corpus, docs, places, "looked-at")
    vectors = corpus.vectors(places)
    weight = (1 + np.log(vectors.count)) * np.log1p(corpus.tokens / np.maximum(corpus.frequency[vectors.term], 1))
    squares = np.bincount(vectors.document, weight**2, minlength=len(docs))
    length = np.sqrt(squares)[vectors.document]
    term = np.unique(vectors.term, return_inverse=True)[1]
    return csr_array((weight / length, term, vectors.begin), shape=(len(docs), int(term.max(initial=0)) + 1))
