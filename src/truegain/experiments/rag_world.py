"""A simulated comparison of two retrievers of a RAG system that are equally good, by an LLM judge that favors one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

QUESTIONS, PASSAGES, RETURNED, LABELED = 80, 30, 5, 150
RELEVANT = 0.35  # share of relevant passages among those that could be found
SKILLS = {"prod": 1.0, "new": 1.0}  # how far relevance raises a similarity, in standard deviations of its noise
FINDS, ACCEPTS, FAVORS = 0.85, 0.15, 0.40  # chance to call relevant: a relevant passage, another, another of `new`
JUDGE = "judge-llm"

Record = dict[str, object]


@dataclass(frozen=True)
class RagWorld:
    """What a RAG team has, as records of its files, and the true labels, which it has not.

    Attributes
    ----------
    questions, passages : list of dict
        Their texts.
    runs : dict of str to list of dict
        By retriever the passages that it returned.
    llm, people, truth : list of dict
        Labels of every returned passage by the judge, of some drawn at random by people, and the true ones of all.
    """

    questions: list[Record]
    passages: list[Record]
    runs: dict[str, list[Record]]
    llm: list[Record]
    people: list[Record]
    truth: list[Record]


def simulate_rag(*, seed: int = 0) -> RagWorld:
    """Draw a world: both retrievers rank by the same rule, and the judge accepts more bad passages of `new`.

    >>> world = simulate_rag()
    >>> world.runs["new"][0], len(world.people)
    ({'question_id': 'q1', 'passage_id': 'q1-p27', 'rank': 1, 'similarity': 2.616}, 150)
    >>> world.llm[0]
    {'question_id': 'q1', 'passage_id': 'q1-p15', 'relevant': 1, 'model': 'judge-llm'}
    """
    rng = np.random.default_rng([seed, 1])
    relevant = rng.random((QUESTIONS, PASSAGES)) < RELEVANT
    returned: dict[str, list[list[int]]] = {}
    runs: dict[str, list[Record]] = {}
    for name, skill in SKILLS.items():
        similarity = skill * relevant + rng.normal(size=relevant.shape)
        returned[name] = np.argsort(-similarity, axis=1)[:, :RETURNED].tolist()
        runs[name] = [
            {**_ids(q, p), "rank": rank, "similarity": round(float(similarity[q, p]), 4)}
            for q, best in enumerate(returned[name])
            for rank, p in enumerate(best, 1)
        ]
    llm: list[Record] = []
    truth: list[Record] = []
    for q in range(QUESTIONS):
        for p in sorted({p for lists in returned.values() for p in lists[q]}):
            chance = FINDS if relevant[q, p] else FAVORS if p in returned["new"][q] else ACCEPTS
            llm.append({**_ids(q, p), "relevant": int(rng.random() < chance), "model": JUDGE})
            truth.append({**_ids(q, p), "relevant": int(relevant[q, p])})
    drawn = rng.permutation(len(truth))[:LABELED].tolist()
    return RagWorld(
        [{"question_id": f"q{q + 1}", "question": f"What is known about subject {q + 1}?"} for q in range(QUESTIONS)],
        [
            {"passage_id": f"q{q + 1}-p{p + 1}", "text": _text(q, p, bool(good))}
            for (q, p), good in np.ndenumerate(relevant)
        ],
        runs,
        llm,
        [truth[i] for i in drawn],
        truth,
    )


def _ids(question: int, passage: int) -> Record:
    return {"question_id": f"q{question + 1}", "passage_id": f"q{question + 1}-p{passage + 1}"}


def _text(question: int, passage: int, good: bool) -> str:
    """A text that people can label: it says whether it is relevant."""
    statement = "This note answers the question." if good else "This note is about something else."
    return f"Subject {question + 1}, note {passage + 1}. {statement}"
