"""Measures from text: the closed form beside the sum over the vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.races.texts import WORDS
from benchmarks.racing.contest import US, Answer, Inside, Job, Workload, without_files

if TYPE_CHECKING:
    from truegain.io.columns import Floats
    from truegain.text.divergence import RankedText

SYSTEMS, TOPICS, TERMS = 37, 43, 200_000
SOME = [(s, t) for s in range(2) for t in range(2)]


def ranked_text(systems: int = SYSTEMS, topics: int = TOPICS, terms: int = TERMS) -> RankedText:
    """Runs over a collection with a vocabulary of a given size, ten subtopics a topic."""
    import numpy as np

    from truegain.config import Scoring
    from truegain.data.alignment import aligned
    from truegain.data.judgments import judgments_of_columns
    from truegain.data.run import run_of_columns
    from truegain.data.runs import Runs
    from truegain.text.corpus import Corpus
    from truegain.text.divergence import RankedText

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
    ranked = aligned(Runs(tuple(parts)), judgments, Scoring(), keep_top=20)
    return RankedText.of(ranked, Corpus.of(texts))


def over_the_vocabulary(ranked: RankedText, topic: int, system: int, mu: float = 2500.0) -> Floats:
    """g(i, k) of one list, every divergence a sum over all terms; what can be shared between ranks is."""
    import numpy as np

    from truegain.measures.content import relevant_items

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


def truegain(place: Path) -> Job:  # noqa: ARG001  (the form of all)
    """All lists by the closed form."""
    from truegain.measures.content import AbsRB

    ranked = ranked_text()

    def job() -> Callable[[], Answer]:
        values = AbsRB().per_topic(ranked).reshape(SYSTEMS, TOPICS)
        return lambda: {f"list {s}, {t}": float(values[s, t]) for s, t in SOME}

    return job


def summed(place: Path) -> Job:  # noqa: ARG001  (the form of all)
    """Some lists by the sum over the vocabulary."""
    import numpy as np

    ranked = ranked_text(systems=2)

    def job() -> Callable[[], Answer]:
        weight = 0.2 * 0.8 ** np.arange(20)
        found = {f"list {s}, {t}": float(over_the_vocabulary(ranked, t, s).max(axis=1) @ weight) for s, t in SOME}
        return lambda: found

    return job


WORKLOAD = Workload(
    "divergence",
    "AbsRB of 37 runs x 43 topics x depth 20, 200,000 terms, from text in memory",
    without_files,
    {
        US: Inside(truegain),
        "numpy, over the vocabulary": Inside(summed, (), len(SOME) / (SYSTEMS * TOPICS), f"{len(SOME)} lists, scaled"),
    },
    tolerance=1e-9,
)
