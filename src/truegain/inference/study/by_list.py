"""Scores linear in gain, set right with the first gold labels of an ordered list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truegain.contrasts import BLOCK, NONE, Contrasts
from truegain.errors import InputError, MeasureError
from truegain.gains.judge import Judge
from truegain.gains.list_fit import ListFit
from truegain.gains.topic_fit import tails
from truegain.inference.judges.gold_alone import gold_of_items
from truegain.inference.judges.label_weights import level_of
from truegain.measures.base import Measure
from truegain.measures.dcg import nDCG
from truegain.measures.linear import linear_parts
from truegain.moves import Moves, Spread
from truegain.sampling.ordered import OrderedDraws
from truegain.tables.columns import Coded, Floats, Ids, Ints, frozen
from truegain.tables.gold_list import GoldList
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains

TINY = 1e-15


@dataclass(frozen=True)
class StandIn:
    """A measure linear in gain, and the constant it is divided by; for nDCG, DCG over the mean of the best ones."""

    measure: Measure
    constant: float = 1.0
    note: str = ""

    @classmethod
    def of(cls, measure: Measure, ranked: RankedGains) -> StandIn:
        """The measure itself where it is linear in gain; others but nDCG are refused."""
        if measure.linear_in_gains:
            return cls(measure)
        if not isinstance(measure, nDCG):
            raise MeasureError(
                f"{measure} is not linear in gain, so single gold labels cannot set it right; give P, DCG, nDCG, RBP, "
                "or have whole topics judged (design 'topics')"
            )
        plain, constant = measure.over_one_ideal(ranked)
        return cls(plain, constant, (
            f"{measure} stands for {plain} over {constant:.4g}, the mean of the topics' best by the bronze labels: "
            "single gold labels cannot set nDCG itself right."
        ))  # fmt: skip


@dataclass(frozen=True, eq=False)
class ByList:
    """Gold labels in the order in which they were drawn, and how likely each was.

    Over gold: with X_t the estimate of a score that the t-th label gives, E their mean and a_t what each counts,
    s2 = sum a (X - E)^2/(n - 1), no less than what the spread of gold values within bronze labels makes of it, and
    V = s2/sum a.  Over topics: the variance of what topics bring, no less than that.
    """

    fit: ListFit
    draws: OrderedDraws
    turn: Ints  # of each gold pair of the fit, in the list: other rows are of topics that are left out
    sizes: Floats  # of every pair of the pool; 0 where it was never to be drawn
    topics: tuple[str, ...]
    names: tuple[str, ...]  # of the rows that were judged
    note: str = ""  # what the scores stand for, where they are not the measure itself

    @classmethod
    def of(cls, ranked: RankedGains, listed: GoldList, measure: Measure, judge: Judge) -> ByList:
        """The first rows of a list, and what they say of a measure linear in gain."""
        pool, label = ranked.pool, ranked.item_gain
        item = items_of(listed, pool)
        check_bronze(listed, item, label)
        there = item >= 0
        sizes = np.zeros(len(pool))
        sizes[item[there]] = listed.size[there]
        draws = OrderedDraws(listed.size, listed.judged)
        turn = np.flatnonzero(there[: draws.n])
        first = item[turn]
        level = level_of(measure)
        gold = gold_of_items(pool, judge, level)
        ends = np.array([x if level is None else level * (x > 0) for x in listed.scale])
        said = np.where(np.isnan(gold), label, gold)
        stand_in = StandIn.of(measure, ranked)
        depth = int(ranked.rank.max(initial=1))
        parts = linear_parts(stand_in.measure, np.concatenate([label, said, ends]), depth)
        worths = parts.worth(ends)
        fit = ListFit(
            pool.topic.astype(np.int64), np.unique(label, return_inverse=True)[1], len(ranked.topics),
            parts.coefficients(ranked) / stand_in.constant, first, parts.worth(gold[first]), draws.expansion[turn],
            (float(worths.min()), float(worths.max())),
        )  # fmt: skip
        names = tuple(f"{t} {d}" for t, d in zip(listed.topics[: draws.n], listed.docs[: draws.n], strict=True))
        found = cls(fit, draws, turn, sizes, ranked.topics, names, stand_in.note)
        found.check_runs(ranked, listed, measure)
        return found

    def check_runs(self, ranked: RankedGains, listed: GoldList, measure: Measure) -> None:
        """Refuse a list that tells no pair of these systems: some of what moves them was never to be drawn."""
        systems = len(ranked.systems)
        if systems < 2 or (lacking := self.unlisted(Contrasts.all_pairs(systems))).min() == 0:
            return
        c = self.fit.coefficient
        at = int(np.flatnonzero((self.sizes == 0) & (np.ptp(c, axis=0) > TINY))[0])
        raise InputError(
            f"this list was made for other runs or another measure ({listed.measure}): {lacking.min():,} documents "
            f"or more that {measure} tells these systems apart by are not on it, such as topic "
            f"{ranked.topics[ranked.pool.topic[at]]}, document {ranked.pool.docs[at]}", file=listed.source,
            hint="give the runs it was drawn for, or draw one for these (truegain plan labels ... -o FILE)",
        )  # fmt: skip

    @cached_property
    def _pull(self) -> Floats:
        """Judged row x system: w (g - m), 0 for a row of another topic."""
        out = np.zeros((self.draws.n, len(self.fit.coefficient)))
        out[self.turn] = self.fit.pull
        return frozen(out)

    def unlisted(self, asked: Contrasts) -> Ints:
        """Pairs that move each contrast and were never to be drawn: what it has of them is not known."""
        return _moving(self.fit.coefficient[:, self.sizes == 0].T, asked)

    @property
    def value(self) -> Floats:
        """The score of each system."""
        return self.fit.scores

    def by_topic(self) -> Moves:
        """What each topic brings, about the mean."""
        z, n = self.fit.by_topic, len(self.topics)
        return Moves("topics", self.topics, (z - z.mean(axis=0)) / np.sqrt(n * (n - 1)), n - 1.0)

    def by_gold(self) -> Moves:
        """The estimates that each gold label gives, about their mean."""
        n = self.draws.n
        if self.draws.whole:
            return Moves("gold", self.names, np.zeros(self._pull.shape), max(1.0, n - 1.0))
        x = self.draws.estimates(self._pull) / len(self.topics)
        about = x - self.draws.share @ x
        weight = np.sqrt(self.draws.share / max(1, n - 1))
        return Moves("gold", self.names, weight[:, None] * about, max(1.0, n - 1.0))

    def over_gold(self, asked: Contrasts) -> Spread:
        """The larger of what the estimates show and what gold values within bronze labels make of so few."""
        df = np.maximum(self.touching(asked) - 1.0, 1.0)
        if self.draws.whole:
            return Spread(np.zeros(len(asked)), df)
        return Spread(np.maximum(asked.squares(self.by_gold().matrix), self._least(asked)), df)

    def over_topics(self, asked: Contrasts) -> Spread:
        """What topics bring, and no less than over gold; freedom T - 1, fewer where few topics carry the variance."""
        moves = self.by_topic()
        pull = asked.values(moves.matrix)
        variance = np.maximum((pull**2).sum(axis=0), self.over_gold(asked).variance)
        return Spread(
            variance, np.full(len(asked), moves.df) if self.draws.whole else np.minimum(moves.df, tails(pull))
        )

    def touching(self, asked: Contrasts) -> Ints:
        """Gold labels that move each contrast."""
        return _moving(self.fit.coefficient[:, self.fit.item].T, asked)

    def most(self, asked: Contrasts) -> Ints:
        """Pairs of the list that move each contrast: with all of them judged it is exact for these topics."""
        return _moving(self.fit.coefficient[:, self.sizes > 0].T, asked)

    def near_bounds(self) -> None:
        """Student's t serves: a list tells differences."""
        return

    def contributions(self) -> Floats:
        """What each topic brings."""
        return self.fit.by_topic

    def _least(self, asked: Contrasts) -> Floats:
        """S_1 times the sum over all pairs of w^2 v/size, over sum a."""
        return spread_of(self._squares, asked) / self.draws.information

    @cached_property
    def _squares(self) -> Floats:
        """System x system: S_1 times the sum over listed pairs of w w' v/size."""
        listed = self.sizes > 0
        c = self.fit.coefficient[:, listed] / len(self.topics)
        return frozen(self.draws.sizes.sum() * (c * (self.fit.variance[listed] / self.sizes[listed])) @ c.T)


def items_of(listed: GoldList, pool: Pool) -> Ints:
    """The pair of the pool in each row, -1 where it has none."""
    return np.asarray(pool.find(Coded.of(listed.topics), Ids.of(listed.docs)), np.int64)


def check_bronze(listed: GoldList, item: Ints, label: Floats) -> None:
    """Refuse a list that was made for other judgments."""
    there = np.flatnonzero(item >= 0)
    other = there[label[item[there]] != listed.bronze[there]]
    if not len(there) or len(other):
        what = "no pair of the list has a bronze label"
        if len(other):
            row = int(other[0])
            what = (
                f"topic {listed.topics[row]}, document {listed.docs[row]} has the bronze label {listed.bronze[row]:g} "
                f"in the list and {label[item[row]]:g} in the judgments"
            )
        raise InputError(
            f"this list was made for other judgments: {what}", file=listed.source,
            hint="give the judgments from which it was drawn, or draw a list from these (truegain plan labels)",
        )  # fmt: skip


def _moving(weights: Floats, asked: Contrasts) -> Ints:
    """How many rows of weights, a number a system each, move each contrast."""
    out = np.empty(len(asked), np.int64)
    for first in range(0, len(asked), BLOCK):
        some = Contrasts(asked.a[first : first + BLOCK], asked.b[first : first + BLOCK])
        out[first : first + BLOCK] = (np.abs(some.values(weights)) > TINY).sum(axis=0)
    return out


def spread_of(squares: Floats, asked: Contrasts) -> Floats:
    """The variance of each contrast, from those of scores and their products."""
    own = np.diag(squares)
    first = np.maximum(asked.a, 0)
    pair = own[asked.b] + own[first] - 2 * squares[first, asked.b]
    return np.asarray(np.maximum(np.where(asked.a == NONE, own[asked.b], pair), 0.0))
