"""Designs of gold labels: from which population, by topics or by pairs, with which chances.

Units may be in one drawn order, of which the first so many are a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from truegain.data.pool import Pool
from truegain.errors import InputError, TruegainError, some
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.message import arg, argname
from truegain.sampling.streams import stream_keys, streams

# ---- How gold labels were drawn, or will be: from which population, by topics or by pairs, and with which chances.
#
# A new way to draw is one more entry of DESIGNS.

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


# ---- Units in one drawn order, larger ones earlier: the first so many are a sample with known chances, stop
# anywhere.


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
            raise TruegainError(f"{self.n} of {len(self.sizes)} units drawn; at least 1 and at most all can be")

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
