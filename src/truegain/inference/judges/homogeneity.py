"""Is the judge equally good for all systems? Where it is not, its errors do not cancel in a comparison."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from truegain._version import __version__
from truegain.errors import TruegainError
from truegain.gains.pairs import Pairs
from truegain.inference.judges.favour import ALPHA, Favour, favours
from truegain.inference.judges.lists import JudgedLists
from truegain.message import Message, arg
from truegain.sampling.streams import generator
from truegain.student import told_p
from truegain.tables.columns import Floats, Ints
from truegain.tables.table import Cell, Table, cells

ADVICE = (
    f"Correct each system with its own accuracy ({arg('accuracy', 'system')}, the default), or rectify with gold "
    "labels."
)


@dataclass(frozen=True, eq=False)
class Homogeneity:
    """mR and mN of the documents that each system retrieved, and whether they differ more than chance would have it."""

    systems: tuple[str, ...]
    right: Floats  # system x (gold non-relevant, gold relevant): pairs the bronze judge got right
    pairs: Floats  # system x the same: pairs
    p_n: float | None  # None where there are no such pairs, or all are right or all wrong; not adjusted
    p_r: float | None
    trials: int
    measure: str
    favours: tuple[Favour, ...]  # a system each

    @property
    def clearest(self) -> Favour | None:
        """The favour furthest from 0 in standard errors; the first of equals, as two systems are; None if none."""
        known = [f for f in self.favours if f.value is not None and f.se is not None]
        return max(known, key=lambda f: round(abs((f.value or 0.0) / (f.se or 1.0)), 9), default=None)

    @property
    def adjusted(self) -> dict[str, float | None]:
        """Of mR, of mN and of the clearest favour, p by Bonferroni over those of the three that can be tested."""
        favour = None if self.clearest is None else self.clearest.p(self._systems)
        three = {"mR": self.p_r, "mN": self.p_n, "favour": favour}
        return {name: None if p is None else min(1.0, self._tests * p) for name, p in three.items()}

    @property
    def _tests(self) -> int:
        return sum(x is not None for x in (self.p_r, self.p_n, self.clearest))

    @property
    def _systems(self) -> int:
        """How many favours the clearest was picked from; with two systems each mirrors the other."""
        return 1 if len(self.systems) == 2 else len(self.systems)

    @property
    def differs(self) -> bool:
        """Whether the judge is clearly better for some systems than for others (all tests together at 0.05)."""
        return any(p is not None and p < ALPHA for p in self.adjusted.values())

    @property
    def sentence(self) -> str:
        """What it means, plainly, and what to do."""
        return Message(f"{self.finding} {ADVICE}") if self.differs else self.finding

    @property
    def finding(self) -> str:
        """What it means, plainly."""
        shown = ", ".join(f"{n}: {'not testable' if p is None else told_p(p)}" for n, p in self.adjusted.items())
        systems = f" and {self._systems} systems" if self._systems > 1 else ""
        tests = f"{self._tests} test{'' if self._tests == 1 else 's'}{systems}"
        by = f"; rates by permutation within topics, favour by t over topics, all adjusted by Bonferroni over {tests}"
        how = f"{shown}{by if self._tests else ''}"
        if not self.differs:
            return (
                f"These gold pairs do not show that the judge treats the systems differently ({how}); that is no proof "
                f"that it does not. {self._size}"
            )
        favour, so = self.adjusted["favour"], "its errors need not cancel"
        if favour is not None and favour < ALPHA:
            so = "it favours some, its errors do not cancel"
        return (
            f"The judge is NOT equally good for all systems ({how}): {so}, and a difference in bronze scores may be "
            f"the judge's doing. {self._size}"
        )

    @property
    def _size(self) -> str:
        """The clearest favour and what the gold pairs leave open."""
        most = self.clearest
        if most is None:
            return "The size of a favour cannot be told: some system lacks gold pairs of a label, or has no errors."
        low, high = most.interval(self._tests * self._systems) or (math.nan, math.nan)
        who, value = f"{most.system}'s {self.measure}", most.value or 0.0
        does = f"take {-value:.3f} from {who}, beside" if value < 0 else f"add {value:+.3f} more to {who} than to"
        return (
            f"For documents of the same gold label its errors {does} the others' (95% interval, adjusted, {low:+.3f} "
            f"to {high:+.3f})."
        )

    def table(self) -> Table:
        """A row a system."""
        with np.errstate(invalid="ignore", divide="ignore"):
            share = self.right / self.pairs
        rows: list[tuple[Cell, ...]] = [
            (s, int(self.pairs[i, 1]), *cells([share[i, 1]]), int(self.pairs[i, 0]), *cells([share[i, 0]]),
             *cells([share[i].sum() - 1]), favour.value, favour.low, favour.high)
            for i, (s, favour) in enumerate(zip(self.systems, self.favours, strict=True))
        ]  # fmt: skip
        made_by = {"truegain": __version__, "measure": self.measure, "replicates": self.trials}
        columns = ("system", "gold relevant", "mR", "gold non-relevant", "mN", "D", "favour", "low", "high")
        return Table(columns, rows, made_by, "the judge, by the documents each system retrieved", (self.sentence,))


def homogeneity(lists: JudgedLists, *, trials: int = 2000, seed: int = 0) -> Homogeneity:
    """Test whether mR and mN differ between the documents that different systems retrieved.

    Statistic, for each gold class: sum over systems of (right - expected)^2 / expected variance, as in Pearson's
    chi-square; systems share documents, so its distribution is found by permuting right and wrong among the gold pairs
    of the same topic and gold class, which keeps who retrieved what, and how hard each topic is.
    """
    if lists.judge_and_pairs is None:
        raise TruegainError("the test of homogeneity needs the gold pairs themselves, not counts")
    if len(lists.ranked.systems) < 2:
        raise TruegainError("there is one system; homogeneity over systems needs at least two")
    rng = generator(seed, "right and wrong among gold pairs")
    judge = lists.judge_and_pairs[0]
    member, pairs = _members(lists, lists.judge_and_pairs[1])
    relevant, says = pairs.gold >= judge.levels[1], pairs.bronze >= judge.levels[0]
    right, found = np.zeros((len(member), 2)), np.zeros((len(member), 2))
    p: list[float | None] = []
    for g in (0, 1):
        of_class = np.flatnonzero(relevant == bool(g))
        good = (says[of_class] == bool(g)).astype(np.float64)
        inside = member[:, of_class]
        right[:, g], found[:, g] = inside @ good, inside.sum(axis=1)
        p.append(_permuted(inside, good, pairs.topic[of_class], trials, rng))
    return Homogeneity(lists.ranked.systems, right, found, p[0], p[1], trials, str(lists.measure), favours(lists))


def _members(lists: JudgedLists, pairs: Pairs) -> tuple[Floats, Pairs]:
    """System by gold pair: 1 where the system retrieved it where the measure looks; pairs nobody did are dropped."""
    item = pairs.items_in(lists.ranked.pool)
    column = np.full(len(lists.ranked.pool), -1)
    column[item[item >= 0]] = np.flatnonzero(item >= 0)
    at = column[lists.weights.item]
    member = np.zeros((len(lists.ranked.systems), len(pairs)))
    member[lists.weights.system[at >= 0], at[at >= 0]] = 1.0
    keep = np.asarray(member.any(axis=0), np.bool_)
    if not keep.any():
        raise TruegainError(f"no gold pair was retrieved by any system where {lists.measure} looks")
    return member[:, keep], pairs.only(keep)


def _permuted(member: Floats, good: Floats, topic: Ints, trials: int, rng: np.random.Generator) -> float | None:
    if len(good) < 2 or good.min() == good.max():
        return None
    order = np.argsort(topic, kind="stable")
    member, good, topic = member[:, order], good[order], topic[order]
    begin = np.flatnonzero(np.r_[True, topic[1:] != topic[:-1]])
    size = np.diff(np.r_[begin, len(topic)])
    expected = np.repeat(np.add.reduceat(good, begin) / size, size)
    spread = np.maximum(member @ (expected * (1 - expected)), 1e-9)  # where all are right or all wrong nothing is off

    def statistic(labels: Floats) -> Floats:
        off = (labels - expected) @ member.T
        return np.asarray((off**2 / spread).sum(axis=-1))

    observed, above = float(statistic(good)), 0
    block = max(1, 2_000_000 // len(good))
    for start in range(0, trials, block):
        count = min(block, trials - start)
        # sort random keys within topics: a permutation of each topic's pairs
        keys = topic[None, :] + rng.random((count, len(topic)))
        above += int(np.count_nonzero(statistic(good[np.argsort(keys, axis=1)]) >= observed - 1e-9))
    return (1 + above) / (1 + trials)
