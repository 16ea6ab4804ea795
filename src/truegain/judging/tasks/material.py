"""What is judged: topics, documents, and the units that assessors take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A question on a topic with four options, of which one is right; it is asked in a random order."""

    asked: str
    options: tuple[str, ...]
    right: int


@dataclass(frozen=True)
class Topic:
    """An information need; `counts` and `counts_not` say what helps and what does not."""

    id: str
    title: str
    text: str
    counts: str = ""
    counts_not: str = ""
    question: Question | None = None


@dataclass(frozen=True)
class Document:
    """A document as it is shown: HTML is cleaned before it is served, plain text is cut into paragraphs."""

    id: str
    text: str
    title: str = ""
    source: str = ""


@dataclass(frozen=True)
class Item:
    """What one page asks about, and the probability with which it was drawn into the study.

    `docs` holds one document; for preferences two, for claims the cited passage, and `claim` then is the sentence to
    judge within `answer`.
    """

    docs: tuple[str, ...]
    probability: float = 1.0
    claim: str = ""
    answer: str = ""
    chosen: str = ""  # what asked for it: 'next', a list of what to judge next

    @property
    def key(self) -> str:
        """Names the item within its topic."""
        return " ".join((*self.docs, *([self.claim] if self.claim else [])))


@dataclass(frozen=True)
class Unit:
    """A topic and the items that one assessor judges; `high` and `low` are the places of Hk and Nk among them."""

    id: str
    topic: str
    items: tuple[Item, ...]
    high: int | None = None
    low: int | None = None
