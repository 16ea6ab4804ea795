"""How gold labels were drawn, or will be: from which population, by topics or by pairs, and with which chances.

A new way to draw is one more entry of DESIGNS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from truegain.errors import InputError, TruegainError, some
from truegain.message import arg, argname
from truegain.tables.columns import Bools, Floats, Ints

Design = Literal["random", "by-bronze", "topics", "by-gold", "elsewhere"]
Expansion = Callable[[Ints, Floats, Bools], Floats]  # by topic, bronze label and what was drawn, of every pair


@dataclass(frozen=True)
class GoldDesign:
    """One way to draw gold pairs.

    sample: whether they are a sample of the pairs that are scored; here: whether they are of the scored topics at all.
    whole: whether topics are drawn, with all their pairs.  expansion: how many pairs each drawn pair stands for, 1 over
    its chance to be drawn; None where chances are not known.
    """

    words: str
    sample: bool
    whole: bool
    expansion: Expansion | None
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
            f"bronze judge, the labels there are ({arg('scale', '0:3')}, {arg('out_of_range', 'drop')})",
        )
    return np.asarray((size / found)[code])


DESIGNS: dict[str, GoldDesign] = {
    "random": GoldDesign("gold pairs drawn at random from the pairs the bronze judge labelled", True, False, _equal),
    "by-bronze": GoldDesign("drawn by bronze label, so many of each", True, False, _by_label),
    "topics": GoldDesign("every labelled pair of some topics, the topics drawn at random", True, True, _of_topics),
    "by-gold": GoldDesign(
        "chosen until there were so many gold-relevant and so many gold-non-relevant ones", False, False, None
    ),
    "elsewhere": GoldDesign("from other topics, another time or another collection", False, False, None, here=False),
}
SAME_POPULATION = tuple(name for name, d in DESIGNS.items() if d.sample)
DRAWN_PAIRS = tuple(name for name, d in DESIGNS.items() if d.sample and not d.whole)


def check_design(design: object) -> None:
    """Refuse to guess how gold was sampled."""
    if design in DESIGNS:
        return
    given = "how were the gold pairs sampled?" if design is None else f"{argname('design', design)} is not known;"
    listed = "; ".join(f"{name}: {d.words}" for name, d in DESIGNS.items())
    raise TruegainError(f"{given} It decides which correction is right. Give {arg('design')} one of {listed}")


def expansion_of(labels: Floats, drawn: Bools, design: str, topic: Ints | None = None) -> Floats:
    """How many pairs each gold pair stands for: pool over sample, in all, per bronze label or in topics.

    Given for every pair of the pool, as if it had been drawn; `topic` is asked for where topics were drawn.
    Horvitz and Thompson 1952, JASA 47.

    >>> expansion_of(np.array([0.0, 0.0, 0.0, 1.0]), np.array([1, 0, 0, 1], bool), "by-bronze")
    array([3., 3., 3., 1.])
    """
    found = DESIGNS[design].expansion
    if found is None or (topic is None and DESIGNS[design].whole):
        raise TruegainError(f"{argname('design', design)}: the chance of a pair to be drawn is not known")
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
