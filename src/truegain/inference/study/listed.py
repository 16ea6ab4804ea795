"""A gold list against a pool: which pairs it has, and what each of them counts on a measure linear in gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.contrasts import NONE, Contrasts
from truegain.errors import InputError, MeasureError
from truegain.inference.study.evidence import NO_WEIGHT
from truegain.measures.base import Measure
from truegain.measures.dcg import nDCG
from truegain.measures.label_weights import level_of
from truegain.measures.linear import LinearParts, linear_parts
from truegain.message import SAMPLE_GOLD, by_surface
from truegain.tables.columns import Coded, Floats, Ids, Ints, frozen
from truegain.tables.gold_list import GoldList
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains

DRAW_TOPICS = by_surface("draw='topics' of tg.sample_gold", "`truegain plan labels --draw topics` draws these")


def refuse_without_stand_in(measure: Measure) -> None:
    """Refuse a measure that is not linear in gain, and for which no other stands in."""
    if not (measure.linear_in_gains or isinstance(measure, nDCG)):
        raise MeasureError(
            f"{measure} cannot be corrected from scattered gold labels, because it is not linear in gain; give P, DCG, "
            f"nDCG or RBP, or have whole topics judged ({DRAW_TOPICS})"
        )


@dataclass(frozen=True)
class StandIn:
    """A measure linear in gain, and the constant it is divided by; for nDCG, DCG over the mean of the best ones."""

    measure: Measure
    constant: float = 1.0
    note: str = ""

    @property
    def name(self) -> str:
        """How it is called in answers, such as DCG@10/11.25; empty for the measure itself."""
        return f"{self.measure}/{self.constant:.4g}" if self.note else ""

    @classmethod
    def of(cls, measure: Measure, ranked: RankedGains) -> StandIn:
        """The measure itself where it is linear in gain; others but nDCG are refused."""
        if measure.linear_in_gains:
            return cls(measure)
        refuse_without_stand_in(measure)
        assert isinstance(measure, nDCG)
        plain, constant = measure.over_one_ideal(ranked)
        return cls(plain, constant, (
            f"{measure} is replaced by {plain} divided by {constant:.4g}, the mean ideal {plain} by the bronze labels: "
            "scattered gold labels cannot correct nDCG itself."
        ))  # fmt: skip

    def parts(self, labels: Floats, ranked: RankedGains) -> LinearParts:
        """What ranks count and labels are worth."""
        return linear_parts(self.measure, labels, int(ranked.rank.max(initial=1)))

    def weights(self, parts: LinearParts, ranked: RankedGains) -> Floats:
        """System x pair of the pool: what a labelled pair counts in the score."""
        return np.asarray(parts.coefficients(ranked) * ranked.item_judged / self.constant)


@dataclass(frozen=True, eq=False)
class Listed:
    """Rows of a list as pairs of a pool; `coefficient` is system x pair, `scale` what the judge's labels are worth."""

    item: Ints  # of each row, -1 where its topic is left out
    sizes: Floats  # of every pair of the pool; 0 where it was never to be drawn
    whole: float  # all sizes of the list
    topics: int
    coefficient: Floats
    scale: tuple[float, float]
    note: str = ""
    name: str = ""  # of what stands for the measure
    parts: LinearParts | None = None  # what ranks count and labels are worth

    @classmethod
    def of(
        cls,
        ranked: RankedGains,
        listed: GoldList,
        measure: Measure,
        gold_relevant_from: float | None = None,
        gold: Floats | None = None,
    ) -> Listed:
        """A list that was drawn from these bronze labels for these runs; others are refused.

        gold: gold labels of the pool's pairs, NaN where there is none; gold_level: the smallest relevant of them.
        """
        pool, label = ranked.pool, ranked.item_gain
        item = items_of(listed, pool)
        check_bronze(listed, item, label)
        there = item >= 0
        sizes = np.zeros(len(pool))
        sizes[item[there]] = listed.size[there]
        level, stand_in = level_of(measure), StandIn.of(measure, ranked)
        ends = np.array(listed.scale)
        if level is not None:
            ends = level * (ends >= (level if gold_relevant_from is None else gold_relevant_from))
        said = label if gold is None else np.where(np.isnan(gold), label, gold)
        parts = stand_in.parts(np.concatenate([label, said, ends]), ranked)
        worths = parts.worth(ends)
        found = cls(
            item, frozen(sizes), float(listed.size.sum()), len(ranked.topics),
            frozen(stand_in.weights(parts, ranked)), (float(worths.min()), float(worths.max())), stand_in.note,
            stand_in.name, parts,
        )  # fmt: skip
        found._check_runs(ranked, listed, measure)
        return found

    def unlisted(self, asked: Contrasts) -> Ints:
        """Pairs that move each contrast and were never to be drawn: what it has of them is not known."""
        return asked.moved(self.coefficient[:, self.sizes == 0].T, NO_WEIGHT)

    def moving(self, asked: Contrasts) -> Ints:
        """Listed pairs that move each contrast."""
        return asked.moved(self.coefficient[:, self.sizes > 0].T, NO_WEIGHT)

    def squares(self, variance: Floats) -> Floats:
        """System x system: all sizes times the sum over listed pairs of w w' v/size, w the weight in the mean."""
        there = self.sizes > 0
        c = self.coefficient[:, there] / self.topics
        return np.asarray(self.whole * (c * (variance[there] / self.sizes[there])) @ c.T)

    def _check_runs(self, ranked: RankedGains, listed: GoldList, measure: Measure) -> None:
        """Refuse a list that tells no pair of these systems: some of what moves them was never to be drawn."""
        systems = len(ranked.systems)
        if systems < 2 or (lacking := self.unlisted(Contrasts.all_pairs(systems))).min() == 0:
            return
        at = int(np.flatnonzero((self.sizes == 0) & (np.ptp(self.coefficient, axis=0) > NO_WEIGHT))[0])
        raise InputError(
            f"this list was made for other runs or another measure ({listed.measure}): {lacking.min():,} documents "
            f"or more that affect {measure} of these systems are not on it, such as topic "
            f"{ranked.topics[ranked.pool.topic[at]]}, document {ranked.pool.docs[at]}", file=listed.source,
            hint=f"give the runs it was drawn for, or draw one for these ({SAMPLE_GOLD})",
        )  # fmt: skip


def items_of(listed: GoldList, pool: Pool) -> Ints:
    """The pair of the pool in each row, -1 where it has none."""
    return np.asarray(pool.find(Coded.of(listed.topics), Ids.of(listed.docs)), np.int64)


def check_bronze(listed: GoldList, item: Ints, label: Floats) -> None:
    """Refuse a list that was made for other judgments."""
    there = np.flatnonzero(item >= 0)
    other = there[label[item[there]] != listed.bronze[there]]
    if len(there) and not len(other):
        return
    what = "no pair of the list has a bronze label"
    if len(other):
        row = int(other[0])
        what = (
            f"topic {listed.topics[row]}, document {listed.docs[row]} has the bronze label {listed.bronze[row]:g} in "
            f"the list and {label[item[row]]:g} in the judgments"
        )
    raise InputError(
        f"this list was made for other judgments: {what}", file=listed.source,
        hint=f"give the judgments from which it was drawn, or draw a list from these ({SAMPLE_GOLD})",
    )  # fmt: skip


def spread_of_contrasts(squares: Floats, asked: Contrasts) -> Floats:
    """The variance of each contrast, from those of scores and their products."""
    own = np.diag(squares)
    first = np.maximum(asked.a, 0)
    pair = own[asked.b] + own[first] - 2 * squares[first, asked.b]
    return np.asarray(np.maximum(np.where(asked.a == NONE, own[asked.b], pair), 0.0))
