"""What is judged: topics, documents, and the units that assessors take."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Format = Literal["text", "html"]
FORMATS: tuple[Format, ...] = ("text", "html")
TEXT, HTML = FORMATS
_MORE = re.compile(r"(.+)\+(\d+)", re.DOTALL)


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
    """A document; `format` says what its text is: HTML is cleaned before it is shown, plain text cut into paragraphs.

    Nothing in a text makes it HTML: a page about the <title> tag is text like any other.
    """

    id: str
    text: str
    title: str = ""
    source: str = ""
    format: Format = TEXT


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

    @property
    def asked(self) -> Iterator[Item]:
        """The items without Hk and Nk."""
        return (item for place, item in enumerate(self.items) if place not in (self.high, self.low))


def more_id(unit: str, number: int) -> str:
    """The id of a unit that asks others about what someone could not judge in a unit.

    >>> more_id("7-001", 1), more_id("7-001+1", 2)
    ('7-001+1', '7-001+2')
    """
    return f"{base_of(unit) or unit}+{number}"


def base_of(unit: str) -> str:
    """The unit that was given out first, of one that asks others; empty where a unit is none of these.

    >>> base_of("7-001+1"), base_of("a+1-001")
    ('7-001', '')
    """
    found = _MORE.fullmatch(unit)
    return found[1] if found else ""


def unit_of(row: Mapping[str, Any]) -> Unit:
    """A unit from its row in the database."""
    items = (
        Item(tuple(item["docs"]), item["probability"], item["claim"], item["answer"], item.get("chosen", ""))
        for item in row["items"]
    )
    return Unit(row["id"], row["topic"], tuple(items), row["high"], row["low"])
