"""Is the judge equally good for all systems? Where it is not, its errors do not cancel in a comparison."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from truegain._version import __version__
from truegain.errors import TruegainError
from truegain.gains.graded import corrected_mean
from truegain.gains.pairs import Pairs
from truegain.inference.judges.judge import Judge
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.judges.student import quantile_of
from truegain.tables.columns import Floats, Ints
from truegain.tables.table import Cell, Table

ALPHA = 0.05


@dataclass(frozen=True)
class Favour:
    """What the judge's errors add to a system's score more than to the others', for documents of the same gold label.

    None where a system has no gold pair of a label, or no error is seen.
    """

    system: str
    value: float | None = None
    se: float | None = None
    df: float = math.inf

    def interval(self, systems: int = 1) -> tuple[float, float] | None:
        """The 95% interval; for the largest of so many systems, by Bonferroni."""
        if self.value is None or self.se is None:
            return None
        half = quantile_of(1 - ALPHA / systems, self.df) * self.se
        return self.value - half, self.value + half

    @property
    def low(self) -> float | None:
        """Lower limit at 95%."""
        found = self.interval()
        return None if found is None else found[0]

    @property
    def high(self) -> float | None:
        """Upper limit at 95%."""
        found = self.interval()
        return None if found is None else found[1]


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
    def adjusted(self) -> dict[str, float | None]:
        """p of mR and mN, times the number of these that can be tested (Bonferroni)."""
        both = {"mR": self.p_r, "mN": self.p_n}
        tests = sum(p is not None for p in both.values())
        return {name: None if p is None else min(1.0, tests * p) for name, p in both.items()}

    @property
    def differs(self) -> bool:
        """Whether the judge is clearly better for some systems than for others (both tests together at 0.05)."""
        return any(p is not None and p < ALPHA for p in self.adjusted.values())

    @property
    def sentence(self) -> str:
        """What it means, plainly."""
        shown = ", ".join(f"{n}: {'not testable' if p is None else f'p = {p:.4f}'}" for n, p in self.adjusted.items())
        how = f"{shown}; permutation within topics, p adjusted by Bonferroni over mR and mN"
        if not self.differs:
            return (
                f"These gold pairs do not show that the judge treats the systems differently ({how}); that is no proof "
                f"that it does not. {self._size}"
            )
        return (
            f"The judge is NOT equally good for all systems ({how}): it favours some, its errors do not cancel, and a "
            f"difference in bronze scores may be the judge's doing. {self._size} Correct each system with its own "
            "accuracy (accuracy='system', the default), or rectify with gold labels."
        )

    @property
    def _size(self) -> str:
        """The clearest favour and what the gold pairs leave open; with two systems each mirrors the other."""
        known = [f for f in self.favours if f.value is not None and f.se is not None]
        if not known:
            return "The size of a favour cannot be told: some system lacks gold pairs of a label, or has no errors."
        most = max(known, key=lambda f: abs((f.value or 0.0) / (f.se or 1.0)))
        systems = 1 if len(self.systems) == 2 else len(known)
        low, high = most.interval(systems) or (math.nan, math.nan)
        by = f", Bonferroni over {systems} systems" if systems > 1 else ""
        return (
            f"For documents of the same gold label its errors add {most.value:+.3f} more to {most.system}'s "
            f"{self.measure} than to the others' (95% interval {low:+.3f} to {high:+.3f}{by}), the clearest favour."
        )

    def table(self) -> Table:
        """A row a system."""
        with np.errstate(invalid="ignore", divide="ignore"):
            share = self.right / self.pairs
        rows: list[tuple[Cell, ...]] = [
            (s, int(self.pairs[i, 1]), _cell(share[i, 1]), int(self.pairs[i, 0]), _cell(share[i, 0]),
             _cell(share[i].sum() - 1), favour.value, favour.low, favour.high)
            for i, (s, favour) in enumerate(zip(self.systems, self.favours, strict=True))
        ]  # fmt: skip
        made_by = {"truegain": __version__, "measure": self.measure, "trials": self.trials}
        columns = ("system", "gold relevant", "mR", "gold non-relevant", "mN", "D", "favour", "low", "high")
        return Table(columns, rows, made_by, "the judge, by the documents each system retrieved", (self.sentence,))


def homogeneity(lists: JudgedLists, *, trials: int = 2000, seed: int = 0) -> Homogeneity:
    """Test whether mR and mN differ between the documents that different systems retrieved.

    Statistic, for each gold class: sum over systems of (right - expected)^2 / expected variance, as in Pearson's
    chi-square; systems share documents, so its distribution is found by permuting right and wrong among the gold pairs
    of the same topic and gold class, which keeps who retrieved what, and how hard each topic is.
    """
    judge = lists.judge
    if not isinstance(judge, Judge) or judge.pairs is None:
        raise TruegainError("the test of homogeneity needs the gold pairs themselves, not counts")
    if len(lists.ranked.systems) < 2:
        raise TruegainError("there is one system; homogeneity over systems needs at least two")
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    member, pairs = _members(lists, judge.pairs)
    relevant, says = pairs.gold >= judge.levels[1], pairs.bronze >= judge.levels[0]
    right, found = np.zeros((len(member), 2)), np.zeros((len(member), 2))
    p: list[float | None] = []
    for g in (0, 1):
        of_class = np.flatnonzero(relevant == bool(g))
        good = (says[of_class] == bool(g)).astype(np.float64)
        inside = member[:, of_class]
        right[:, g], found[:, g] = inside @ good, inside.sum(axis=1)
        p.append(_permuted(inside, good, pairs.topic[of_class], trials, rng))
    return Homogeneity(
        lists.ranked.systems, right, found, p[0], p[1], trials, str(lists.measure), favours(lists)
    )  # fmt: skip


def favours(lists: JudgedLists) -> tuple[Favour, ...]:
    """How much more the judge's errors add to each system's score than to the mean of the others.

    With e the worth of a gold pair's bronze label less that of its gold label, and E_sg the mean of e over the pairs of
    gold label g in the lists of s, each counting what its rank does: favour of s = W sum over g of P_g (E_sg - mean over
    the others of E_og), where P_g is the share of gold label g in all lists and W what a whole list counts.  The variance
    is that of the pairs' moves summed by topic, no less than that of independent pairs; P is taken as known.
    """
    judge, weights = lists.judge, lists.weights
    assert isinstance(judge, Judge) and judge.pairs is not None
    systems, nothing = lists.ranked.systems, tuple(Favour(s) for s in lists.ranked.systems)
    gold, bronze = judge.codes(weights.classes, binary=lists.binary)
    load = np.stack([lists.pair_counts([s]) * judge.pairs.weight for s in range(len(systems))])
    behind = _behind(lists, load.sum(axis=0), gold)
    if behind is None:
        return nothing
    error = weights.value[bronze] - weights.value[gold]
    value, moves = np.zeros(len(systems)), np.zeros(load.shape)
    for g in np.flatnonzero(behind):
        mine = load * (gold == g)
        total = mine.sum(axis=1)
        if not total.all():
            return nothing
        mean = mine @ error / total
        value += behind[g] * mean
        moves += behind[g] * mine * (error - mean[:, None]) / total[:, None]
    k = len(systems)
    return tuple(_favour(name, *(k / (k - 1) * (x[s] - x.mean(axis=0)) for x in (value, moves)), judge.pairs.topic)
                 for s, name in enumerate(systems))  # fmt: skip


def _favour(system: str, value: float, moves: Floats, topic: Ints) -> Favour:
    by_topic, used = np.bincount(topic, moves), np.abs(np.bincount(topic, np.abs(moves)))
    if np.count_nonzero(used) < 2:
        return Favour(system)
    m = float(used.sum() ** 2 / (used @ used))  # topics, as many as an even share of the moves would take
    variance = max(float(by_topic @ by_topic) * m / (m - 1), float(moves @ moves))
    return Favour(system, float(value), math.sqrt(variance), m - 1)


def _behind(lists: JudgedLists, load: Floats, gold: Ints) -> Floats | None:
    """How much each gold label counts in a list on average over the systems: from a sample of the same population the
    share of the gold pairs, else what the matrix says; None where it says nothing."""
    weights = lists.weights
    whole = np.nanmean(weights.weight, axis=(0, 1))
    if lists.judge.design in ("random", "by-bronze", "topics"):
        share = np.bincount(gold, load, len(weights.classes)).astype(np.float64)
    else:
        assert isinstance(lists.judge, Judge)
        try:
            side = lists.judge.weighed(lists.pair_counts()).sides(lists.ranked.topics, binary=lists.binary)[0]
        except TruegainError:
            return None
        share = np.clip(corrected_mean(side.confusion, whole, weights.value).shares, 0.0, None)
    return np.asarray(share / share.sum() * whole.sum()) if share.any() else None


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
    spread = member @ np.maximum(expected * (1 - expected), 1e-12)

    def statistic(labels: Floats) -> Floats:
        off = (labels - expected) @ member.T
        return np.asarray((off**2 / np.maximum(spread, 1e-9)).sum(axis=-1))

    observed, above = float(statistic(good)), 0
    block = max(1, 2_000_000 // len(good))
    for start in range(0, trials, block):
        count = min(block, trials - start)
        # sort random keys within topics: a permutation of each topic's pairs
        keys = topic[None, :] + rng.random((count, len(topic)))
        above += int(np.count_nonzero(statistic(good[np.argsort(keys, axis=1)]) >= observed - 1e-9))
    return (1 + above) / (1 + trials)


def _cell(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
