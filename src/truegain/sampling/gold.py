"""Gold labels, or labels of sampled unjudged documents: each with its chance to be drawn, by the design of the draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from truegain.data.pool import Pool
from truegain.errors import InputError, TruegainError, some
from truegain.io.columns import Bools, Codes, Floats, Ints, frozen
from truegain.message import arg, argname, gold_drawn
from truegain.sampling.source import SampledUnits, Source
from truegain.sampling.streams import generator, stream_keys, streams

# ---- The source: many labels, which topics hold.

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


# ---- What a sample looks like: whose answers it is of, topics that are whole, and whether it is one.

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
    if variance == 0:
        return 1.0
    return float(import_module("scipy.special").gammaincc(mean**2 / variance, far[0] * mean / variance))


# ---- Designs: from which population, by topics or by pairs, with which chances.

Strata = Callable[[Codes, Floats], "Codes | Floats"]  # from the topic and the bronze label of every pair


@dataclass(frozen=True)
class GoldDesign:
    """One way to draw gold pairs.

    Attributes
    ----------
    name : str
        What users call it, as a name of `design`.
    drawn : str
        How the pairs were chosen, in two to five words, for help, errors and reports.
    sample : bool
        Whether the pairs are a sample of those that are scored; else chances are unknown, and gold tells rates alone.
    whole : bool
        Whether topics are drawn, with all their pairs.
    here : bool
        Whether the pairs are of the scored topics at all.
    strata : callable, optional
        From topic and bronze label of every pair its stratum: pairs of one had the same chance.  None: all had.
    by : str
        What a stratum is: 'bronze label'.
    of_labels : bool
        Whether the chance of a pair depends on its bronze label.
    answers : bool
        Whether answers are drawn, with all their items.
    remedy : str
        What else to do where a stratum has no gold pair.
    """

    name: str
    drawn: str
    sample: bool = True
    whole: bool = False
    here: bool = True
    strata: Strata | None = None
    by: str = ""
    of_labels: bool = False
    answers: bool = False
    remedy: str = ""

    @property
    def equal(self) -> bool:
        """Whether every pair had the same chance, by itself."""
        return self.sample and not self.whole and not self.answers and self.strata is None

    def stratum(self, topic: Codes, label: Floats) -> Ints:
        """The stratum of every pair, from 0; one for all where chances are equal."""
        values = np.zeros(len(label)) if self.strata is None else self.strata(topic, label)
        return np.asarray(np.unique(values, return_inverse=True)[1])

    def expansion(self, topic: Codes, label: Floats, drawn: Bools) -> Floats:
        """How many pairs each gold pair stands for, 1 over its chance: pool over sample, in all, by stratum, in topics.

        Given for every pair of the pool, as if it had been drawn.
        Horvitz and Thompson 1952, JASA 47.

        >>> topic, drawn = np.zeros(4, np.int32), np.array([1, 0, 0, 1], bool)
        >>> BY_BRONZE.expansion(topic, np.array([0.0, 0.0, 0.0, 1.0]), drawn)
        array([3., 3., 3., 1.])
        """
        if not self.sample:
            raise TruegainError(
                f"{argname('design', self.name)}: the sampling probability of a pair is unknown; choose another"
            )
        if self.whole:
            return np.full(len(drawn), len(np.unique(topic)) / max(len(np.unique(topic[drawn])), 1))
        if self.strata is None:
            return np.full(len(drawn), len(drawn) / max(int(drawn.sum()), 1))
        values, code, size = np.unique(self.strata(topic, label), return_inverse=True, return_counts=True)
        count = np.bincount(code[drawn], minlength=len(values))
        if not count.all():
            raise self._without_gold(values, size, count == 0)
        return np.asarray((size / count)[code])

    def weights(self, topic: Codes, label: Floats, drawn: Bools) -> Floats:
        """What each drawn pair weighs, so that together they look like a random sample: its expansion, 1 on average.

        >>> topic, drawn = np.zeros(4, np.int32), np.array([1, 0, 0, 1], bool)
        >>> BY_BRONZE.weights(topic, np.array([0.0, 0.0, 0.0, 1.0]), drawn).tolist()
        [1.5, 0.5]
        """
        if self.strata is None:
            return np.ones(int(drawn.sum()))
        return np.asarray(self.expansion(topic, label, drawn)[drawn] * (drawn.sum() / len(label)))

    def _without_gold(self, values: npt.NDArray[Any], size: Ints, lacking: Bools) -> InputError:
        """The refusal of strata that have no gold pair: labels by their values, others by how many they are."""
        if self.of_labels:
            share = size / size.sum()
            none = [f"{values[i]:g} ({share[i]:.1%} of the bronze labels)" for i in np.flatnonzero(lacking).tolist()]
            what = f"no gold pair has {self.by} {some(none, 8)}"
        else:
            what = f"{int(lacking.sum()):,} of {len(values):,} have no gold pair"
        hint = f"label some of these, or give the weight of every gold pair (weights=){self.remedy}"
        return InputError(f"gold was sampled by {self.by}, but {what}", hint=hint)


def _label(topic: Codes, label: Floats) -> Floats:  # noqa: ARG001
    return label


RANDOM = GoldDesign("random", "drawn at random")
BY_BRONZE = GoldDesign(
    "by-bronze",
    "drawn by the judge's label",
    strata=_label,
    by="bronze label",
    of_labels=True,
    remedy=", or, if they are slips of the bronze judge, declare the labels in use "
    f"({arg('scale', '0:3')}, {arg('out_of_range', 'drop')})",
)
WHOLE_TOPICS = GoldDesign(
    "topics",
    "all pairs of some topics",
    whole=True,
)
WHOLE_ANSWERS = GoldDesign(
    "answers",
    "all items of some answers",
    answers=True,
)
BY_GOLD = GoldDesign(
    "by-gold",
    "drawn by gold label",
    sample=False,
)
ELSEWHERE = GoldDesign("elsewhere", "from other topics or another collection", sample=False, here=False)


# ---- Units in one drawn order, larger ones earlier: the first so many are a sample, wherever it stops.


def units_of(pool: Pool) -> list[str]:
    """The items of a pool by the names that their draws are made of."""
    return ["\0".join(pair) for pair in zip(*pool.names(np.arange(len(pool))), strict=True)]


def drawn_order(sizes: Floats, units: Sequence[str], seed: int) -> Ints:
    """Units of size above 0 in the order of Exp(1)/size: each next one with a chance in proportion to its size.

    The draw of a unit is a function of the seed and its name, so the order does not depend on that of files.
    Rosen 1997, Journal of Statistical Planning and Inference 62(2).

    >>> sorted(drawn_order(np.array([1.0, 0.0, 5.0]), ["a", "b", "c"], 0).tolist())
    [0, 2]
    """
    sized = np.flatnonzero(sizes > 0)
    keys = stream_keys(seed, "ordered list", [units[i] for i in sized.tolist()])
    bits = streams(keys, 0, np.zeros(len(keys), np.int64))
    uniform = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return np.asarray(sized[np.argsort(-np.log(uniform) / sizes[sized], kind="stable")])


@dataclass(frozen=True, eq=False)
class OrderedDraws:
    """The first n units of a drawn order, and what each stands for.

    With S_t the sum of the sizes from the t-th unit on and S_1 that of all,

        q_t = size_t/S_t ;  a_t = (S_1/S_t)^2 ;  alpha = a/sum a ;  k_t = alpha_t/q_t + sum over later r of alpha_r

    the sum over the first n of k y estimates that of y over all units: it is the mean, weighed by alpha, of the n
    estimates sum over r < t of y_r + y_t/q_t, each without bias whatever came before, so not correlated.  Later ones
    know more: hence a.  Where sizes differ, dividing by sum a leaves a bias of the order 1/n.  With all units drawn
    the last estimate is the sum itself, and counts alone.
    Raj 1956, Journal of the American Statistical Association 51(274).

    >>> draws = OrderedDraws(np.array([2.0, 1.0, 1.0]), 2)
    >>> draws.chance.tolist(), draws.expansion.round(3).tolist()
    ([0.5, 0.5], [1.2, 1.6])
    """

    sizes: Floats  # of all units, in order
    n: int

    def __post_init__(self) -> None:
        if not 1 <= self.n <= len(self.sizes):
            raise TruegainError(f"{self.n} of {len(self.sizes)} units sampled; give at least 1 and at most all")

    @property
    def whole(self) -> bool:
        """Whether every unit was drawn."""
        return self.n == len(self.sizes)

    @cached_property
    def left(self) -> Floats:
        """S_t of the units drawn: summed from the end, so that nothing cancels."""
        return frozen(np.cumsum(self.sizes[::-1])[::-1][: self.n])

    @cached_property
    def chance(self) -> Floats:
        """q: of each unit to be drawn at its turn."""
        return frozen(self.sizes[: self.n] / self.left)

    @cached_property
    def worth(self) -> Floats:
        """a: what each estimate counts, the first as 1."""
        return frozen((self.left[0] / self.left) ** 2)

    @property
    def information(self) -> float:
        """tau, the sum of a: V = s2/tau, s2 the variance of the first estimate; infinite where all units are drawn."""
        return float("inf") if self.whole else float(self.worth.sum())

    @cached_property
    def share(self) -> Floats:
        """alpha: what each estimate counts of all."""
        if self.whole:
            return frozen((np.arange(self.n) == self.n - 1).astype(np.float64))
        return frozen(self.worth / self.worth.sum())

    @cached_property
    def expansion(self) -> Floats:
        """k: how many units each drawn one stands for."""
        later = np.cumsum(self.share[::-1])[::-1] - self.share
        return frozen(self.share / self.chance + later)

    def estimates(self, y: Floats) -> Floats:
        """The n estimates of the sum of each column of y over all units; y: drawn unit x column."""
        before = np.cumsum(y, axis=0) - y
        return np.asarray(before + y / self.chance[:, None])


def information_after(sizes: Floats, n: Ints) -> Floats:
    """Information (tau) with the first n units drawn, for each n; infinite from all of them on.

    >>> information_after(np.ones(4), np.array([1, 2, 4])).round(3).tolist()
    [1.0, 2.778, inf]
    """
    left = np.cumsum(sizes[::-1])[::-1]
    tau = np.cumsum((left[0] / left) ** 2)
    return np.where(n >= len(sizes), np.inf, tau[np.clip(n, 1, len(sizes)) - 1])
