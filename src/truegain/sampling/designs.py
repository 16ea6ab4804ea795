"""How gold labels were drawn, or will be: from which population, by topics or by pairs, and with which chances.

A new way to draw is one more entry of DESIGNS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from truegain.errors import InputError, TruegainError, some
from truegain.tables.columns import Bools, Codes, Floats, Ints

Design = Literal["random", "by-bronze", "topics", "by-gold", "elsewhere"]
Expansion = Callable[[Ints, Floats, Bools], Floats]  # by topic, bronze label and what was drawn, of every pair
Take = Callable[[Ints | Codes, Floats, Floats, int], Ints]


@dataclass(frozen=True)
class GoldDesign:
    """One way to draw gold pairs.

    sample: whether they are a sample of the pairs that are scored; here: whether they are of the scored topics at all.
    whole: whether topics are drawn, with all their pairs.  expansion: how many pairs each drawn pair stands for, 1 over
    its chance to be drawn; None where chances are not known.  take: which of some pairs in random order to judge next.
    """

    words: str
    sample: bool
    whole: bool
    expansion: Expansion | None
    take: Take
    here: bool = True


def _equal(topic: Ints, label: Floats, drawn: Bools) -> Floats:  # noqa: ARG001
    return np.full(len(drawn), len(drawn) / max(int(drawn.sum()), 1))


def _of_topics(topic: Ints, label: Floats, drawn: Bools) -> Floats:  # noqa: ARG001
    return np.full(len(drawn), len(np.unique(topic)) / max(len(np.unique(topic[drawn])), 1))


def _by_label(topic: Ints, label: Floats, drawn: Bools) -> Floats:  # noqa: ARG001
    values, code, size = np.unique(label, return_inverse=True, return_counts=True)
    found = np.bincount(code[drawn], minlength=len(values))
    if not found.all():
        none = np.flatnonzero(found == 0).tolist()
        lacking = [f"{values[i]:g} ({size[i] / len(label):.1%} of the bronze labels)" for i in none]
        raise InputError(
            f"gold was drawn by bronze label, but no gold pair has bronze label {some(lacking, 8)}",
            hint="judge some of these, give the weight of every gold pair (weights=), or, where they are slips of the "
            "bronze judge, the labels there are (--labels 0:3 --outside drop)",
        )
    return np.asarray((size / found)[code])


def _first(topic: Ints | Codes, label: Floats, so_far: Floats, size: int) -> Ints:  # noqa: ARG001
    return np.arange(min(size, len(topic)))


def _whole_topics(topic: Ints | Codes, label: Floats, so_far: Floats, size: int) -> Ints:  # noqa: ARG001
    topics, first = np.unique(topic, return_index=True)
    place = np.zeros(int(topics.max()) + 1, np.int64)
    place[topics[np.argsort(first)]] = np.arange(len(topics))
    rank = place[topic]
    wanted = int(np.searchsorted(np.cumsum(np.bincount(rank)), size)) + 1
    by_topic = np.argsort(rank, kind="stable")
    return np.asarray(by_topic[rank[by_topic] < wanted])


def _labels_in_turn(topic: Ints | Codes, label: Floats, so_far: Floats, size: int) -> Ints:  # noqa: ARG001
    place = np.full(len(label), np.inf)
    for value, count in zip(*np.unique(so_far, return_counts=True), strict=True):
        mine = np.flatnonzero(label == value)
        place[mine] = (np.arange(len(mine)) + 0.5) / count  # labels take turns, each at its rate
    return np.argsort(place, kind="stable")[: min(size, int(np.isfinite(place).sum()))]


DESIGNS: dict[str, GoldDesign] = {
    "random": GoldDesign(
        "gold pairs drawn at random from the pairs the bronze judge labelled", True, False, _equal, _first
    ),
    "by-bronze": GoldDesign("drawn by bronze label, so many of each", True, False, _by_label, _labels_in_turn),
    "topics": GoldDesign(
        "every labelled pair of some topics, the topics drawn at random", True, True, _of_topics, _whole_topics
    ),
    "by-gold": GoldDesign(
        "chosen until there were so many gold-relevant and so many gold-non-relevant ones", False, False, None, _first
    ),
    "elsewhere": GoldDesign(
        "from other topics, another time or another collection", False, False, None, _first, here=False
    ),
}
SAME_POPULATION = tuple(name for name, d in DESIGNS.items() if d.sample)
DRAWN_PAIRS = tuple(name for name, d in DESIGNS.items() if d.sample and not d.whole)


def check_design(design: object) -> None:
    """Refuse to guess how gold was sampled."""
    if design in DESIGNS:
        return
    given = "how were the gold pairs sampled?" if design is None else f"design {design!r} is not known;"
    listed = "; ".join(f"{name}: {d.words}" for name, d in DESIGNS.items())
    raise TruegainError(f"{given} It decides which correction is right. Give design= (--design) one of {listed}")


def expansion_of(labels: Floats, drawn: Bools, design: str, topic: Ints | None = None) -> Floats:
    """How many pairs each gold pair stands for: pool over sample, in all, per bronze label or in topics.

    Given for every pair of the pool, as if it had been drawn; `topic` is asked for where topics were drawn.
    Horvitz and Thompson 1952, JASA 47.

    >>> expansion_of(np.array([0.0, 0.0, 0.0, 1.0]), np.array([1, 0, 0, 1], bool), "by-bronze")
    array([3., 3., 3., 1.])
    """
    found = DESIGNS[design].expansion
    if found is None or (topic is None and DESIGNS[design].whole):
        raise TruegainError(f"design {design!r}: the chance of a pair to be drawn is not known")
    return found(np.zeros(len(labels), np.int64) if topic is None else topic, labels, drawn)


def weights_of(labels: Floats, drawn: Bools, design: str) -> Floats:
    """What each drawn pair weighs, so that together they look like a random sample: its expansion, 1 on average.

    The share of its bronze label among all over its share among the drawn, where labels were drawn; else 1.

    >>> weights_of(np.array([0.0, 0.0, 0.0, 1.0]), np.array([1, 0, 0, 1], bool), "by-bronze").tolist()
    [1.5, 0.5]
    """
    known = DESIGNS[design].expansion
    if known is None or known is _equal or DESIGNS[design].whole:
        return np.ones(int(drawn.sum()))
    return np.asarray(expansion_of(labels, drawn, design)[drawn] * (drawn.sum() / len(labels)))


def take_next(design: str, order: Ints, topic: Ints | Codes, labels: Floats, so_far: Floats, size: int) -> Ints:
    """The next pairs for the gold judge, of those that have no gold label yet, so that the design stays what it is.

    order: the pairs in random order; topic, labels: of each pair of the pool, so_far: bronze labels of the gold pairs.
    Whole topics, as many as it takes; each bronze label as often as so far; else the first.

    >>> topic, labels = np.array([0, 0, 1, 1]), np.array([0.0, 1.0, 0.0, 1.0])
    >>> take_next("topics", np.array([2, 0, 3, 1]), topic, labels, labels, 1).tolist()
    [2, 3]
    """
    return order[DESIGNS[design].take(topic[order], labels[order], so_far, size)]
