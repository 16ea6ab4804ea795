"""Gold labels, or labels of sampled unjudged documents: many, each with its chance to be drawn; topics hold them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar

import numpy as np

from truegain.data.pool import Pool
from truegain.errors import TruegainError
from truegain.io.columns import Bools, Codes, Floats, Ints, frozen
from truegain.message import argname, gold_drawn
from truegain.sampling.source import SampledUnits, Source
from truegain.sampling.streams import generator

GOLD = Source(
    "gold",
    "gold label",
    nested_in=("topics",),
    labels=True,
    other="other gold labels",
    cause="having few gold labels",
    shown="gold labels",
    within="gold labels",
    units="Gold labels",
    all_known="all labels are gold",
)
UNJUDGED = Source(
    "unjudged",
    "sampled unjudged document",
    nested_in=("topics",),
    labels=True,
    other="another sample of the unjudged documents",
    cause="having labels of few unjudged documents",
    shown="the sample of unjudged documents",
    within="the sample of unjudged documents",
    units="Sampled unjudged documents",
    all_known="all documents are judged",
)


@dataclass(frozen=True, eq=False)
class GoldUnits(SampledUnits):
    """Pairs whose labels were drawn: topic and document, how many pairs each stands for, and of how many in all.

    Where pairs were drawn together, as those of an answer, a unit is all of these; `unit` is that of each pair.
    """

    SOURCE: ClassVar[Source] = GOLD
    expansion: Floats
    of: int
    unit: Ints | None = None

    @classmethod
    def drawn(cls, pool: Pool, drawn: Bools, expansion: Floats, of: int | None = None) -> GoldUnits:
        """The drawn items of a pool; `expansion` is per item."""
        at = np.flatnonzero(drawn)
        names = tuple(f"{topic} {doc}" for topic, doc in zip(*pool.names(at), strict=True))
        return cls(names, expansion[at], len(pool) if of is None else of)

    @classmethod
    def of_answers(cls, pool: Pool, drawn: Bools, expansion: Floats) -> GoldUnits:
        """The drawn answers of a pool, each with all its items."""
        at = np.flatnonzero(drawn)
        _, first, unit = np.unique(answers_of(pool)[at], return_index=True, return_inverse=True)
        topics, who = pool.names(at[first])[0], np.asarray(pool.judgments.extra[ANSWER], object)
        of_item = np.empty(len(pool), object)
        of_item[pool.row_item] = who
        names = tuple(f"{topic} {of_item[i]}" for topic, i in zip(topics, at[first].tolist(), strict=True))
        return cls(names, expansion[at[first]], len(pool), frozen(unit.astype(np.int64)))

    @property
    def pairs(self) -> int:
        """How many pairs have labels."""
        return len(self) if self.unit is None else len(self.unit)

    def sums(self, rows: Floats) -> Floats:
        """Rows of pairs, summed over those of each unit."""
        if self.unit is None:
            return rows
        out = np.zeros((len(self), rows.shape[1]))
        np.add.at(out, self.unit, rows)
        return out


ANSWER = "answer"  # the column of judgments that tells whose answer an item is of


def answers_of(pool: Pool) -> Ints:
    """The answer that each item of a pool belongs to, by number; refused where documents are no items of answers."""
    column = pool.judgments.extra.get(ANSWER)
    if column is None:
        raise TruegainError(
            f"{argname('design', 'answers')} is for values of the items of answers, such as nuggets; documents of runs "
            f"are drawn one by one ({gold_drawn('random')}) or by whole topics ({gold_drawn('topics')})"
        )
    who, code = np.unique(np.asarray(column, str), return_inverse=True)
    of_item = np.empty(len(pool), np.int64)
    of_item[pool.row_item] = code
    return np.asarray(pool.topic.astype(np.int64) * len(who) + of_item)


def judged_whole(topic: Codes, drawn: Bools, topics: int) -> tuple[Bools, Bools]:
    """Topics all of whose pairs were drawn, and those of which some were and some were not.

    >>> [x.tolist() for x in judged_whole(np.array([0, 0, 1, 1, 2], np.int32), np.array([1, 1, 1, 0, 0], bool), 3)]
    [[True, False, False], [False, True, False]]
    """
    there, has = np.bincount(topic, minlength=topics), np.bincount(topic[drawn], minlength=topics)
    return np.asarray(has == there), np.asarray((has > 0) & (has < there))


def chance_of_draw(kind: Codes, drawn: Bools, seed: int = 0) -> float:
    """The chance that units drawn with equal chances are as unevenly spread over their kinds as these: small, if not.

    X^2 = sum over kinds of (drawn - expected)^2 / expected, as likely as a gamma variate with the mean and the variance
    of 500 draws without replacement of as many.

    >>> kind = np.repeat([0, 1], 500).astype(np.int32)
    >>> drawn = np.arange(1000) % 10 == 0
    >>> chance_of_draw(kind, drawn) > 0.5, chance_of_draw(kind, drawn & (kind == 0)) < 1e-9
    (True, True)
    """
    there, n = np.bincount(kind), int(drawn.sum())
    expected = n * there / len(kind)
    draws = generator(seed, "like a draw").multivariate_hypergeometric(there, n, size=500)
    seen = np.vstack([np.bincount(kind[drawn], minlength=len(there)), draws])
    far = np.divide((seen - expected) ** 2, expected, out=np.zeros(seen.shape), where=expected > 0).sum(axis=1)
    mean, variance = float(far[1:].mean()), float(far[1:].var())
    return (
        1.0
        if variance == 0
        else float(import_module("scipy.special").gammaincc(mean**2 / variance, far[0] * mean / variance))
    )
