"""Scores linear in gain, set right with the first gold labels of an ordered list."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truegain.contrasts import NONE, Contrasts
from truegain.gains.judge import Judge
from truegain.gains.list_fit import ListFit
from truegain.gains.topic_fit import tails
from truegain.inference.judges.gold_alone import gold_of_items
from truegain.inference.study.evidence import LEAST_GOLD, NO_WEIGHT, About, Evidence
from truegain.inference.study.listed import Listed, spread_of_contrasts
from truegain.measures.base import Measure
from truegain.measures.label_weights import level_of
from truegain.measures.linear import LinearParts
from truegain.moves import Moves, Spread
from truegain.sampling.ordered import OrderedDraws
from truegain.tables.columns import Bools, Floats, Ints, frozen
from truegain.tables.gold_list import GoldList
from truegain.tables.ranked import RankedGains


@dataclass(frozen=True, eq=False)
class ByList(Evidence):
    """Gold labels in the order in which they were drawn, and how likely each was.

    Over gold: with X_t the estimate of a score that the t-th label gives, E their mean and a_t what each counts,
    s2 = sum a (X - E)^2/(n - 1), no less than what the spread of gold values within bronze labels makes of it, and
    V = s2/sum a.  Over topics: the variance of what topics bring, no less than that.
    """

    fit: ListFit
    draws: OrderedDraws
    turn: Ints  # of each gold pair of the fit, in the list: other rows are of topics that are left out
    listed: Listed
    topics: tuple[str, ...]
    names: tuple[str, ...]  # of the rows that were judged

    @classmethod
    def of(cls, ranked: RankedGains, rows: GoldList, measure: Measure, judge: Judge) -> ByList:
        """The first rows of a list, and what they say of a measure linear in gain."""
        gold = gold_of_items(ranked.pool, judge, level_of(measure))
        listed = Listed.of(ranked, rows, measure, judge.levels[1], gold)
        draws = OrderedDraws(rows.size, rows.judged)
        turn = np.flatnonzero(listed.item[: draws.n] >= 0)
        first = listed.item[turn]
        assert listed.parts is not None
        fit = ListFit(
            ranked.pool.topic.astype(np.int64), np.unique(ranked.item_gain, return_inverse=True)[1],
            len(ranked.topics), listed.coefficient, first, worth_of(listed.parts, gold[first]), draws.expansion[turn],
            listed.scale,
        )  # fmt: skip
        names = tuple(f"{t} {d}" for t, d in zip(rows.topics[: draws.n], rows.docs[: draws.n], strict=True))
        return cls(fit, draws, turn, listed, ranked.topics, names)

    def first(self, n: int) -> ByList:
        """What was known after the first n labels of the list."""
        draws, then = OrderedDraws(self.draws.sizes, n), self.turn < n
        turn = self.turn[then]
        fit = replace(self.fit, item=self.fit.item[then], gold=self.fit.gold[then], expansion=draws.expansion[turn])
        return replace(self, fit=fit, draws=draws, turn=turn, names=self.names[:n])

    @property
    def note(self) -> str:
        """What the scores stand for, where they are not the measure itself."""
        return self.listed.note

    @property
    def about(self) -> About:
        """Judged rows, of the list."""
        counts = self.draws.n, len(self.draws.sizes)
        exact = self.draws.whole and not self._stuck.any()
        return About(counts=counts, exact=exact, order=self.draws, name=self.listed.name, note=self.listed.note)

    @cached_property
    def _pull(self) -> Floats:
        """Judged row x system: w (g - m), 0 for a row of another topic."""
        out = np.zeros((self.draws.n, len(self.fit.coefficient)))
        out[self.turn] = self.fit.pull
        return frozen(out)

    @cached_property
    def _stuck(self) -> Bools:
        """Which gold pairs people could not judge."""
        return np.isnan(self.fit.gold)

    def stuck(self, asked: Contrasts) -> Ints:
        """Judged rows that move each contrast and that nobody could judge."""
        if not self._stuck.any():
            return np.zeros(len(asked), np.int64)
        return asked.moved(self.fit.coefficient[:, self.fit.item[self._stuck]].T, NO_WEIGHT)

    def ends(self, asked: Contrasts, at: int) -> tuple[ByList, ByList]:
        """One contrast as if it were a score, with what nobody could judge at its worst, and at its best.

        With g- the gold values in which every document that cannot be judged, drawn or not, has the end of the scale
        that is worst for the contrast, sum w g- <= sum w g whatever their labels, and a list with the labels g- is
        judged without a gap: its lower limit holds the first sum, hence the second, as often as any list's does, at
        one look or at all.  So it is with g+ and the upper limit.  Whether a document can be judged may hang on its
        label, its rank, its topic: on anything but its place in the order drawn.
        (Horowitz and Manski 2000, JASA 95.)
        """
        a, b = int(asked.a[at]), int(asked.b[at])
        weight = self.fit.coefficient[b] - (self.fit.coefficient[a] if a != NONE else 0.0)
        up = weight[self.fit.item] > 0
        low, high = self.fit.scale
        return self._at(a, b, weight, np.where(up, low, high)), self._at(a, b, weight, np.where(up, high, low))

    def _at(self, a: int, b: int, weight: Floats, end: Floats) -> ByList:  # noqa: ARG002
        row = frozen(weight[None])
        fit = replace(self.fit, coefficient=row, gold=np.where(self._stuck, end, self.fit.gold))
        return replace(self, fit=fit, listed=replace(self.listed, coefficient=row))

    def unlisted(self, asked: Contrasts) -> Ints:
        """Pairs that move each contrast and were never to be drawn."""
        return self.listed.unlisted(asked)

    def still_open(self, asked: Contrasts) -> Ints:
        """Listed pairs that move each contrast, less those with a gold label and those that can have none."""
        return self.listed.moving(asked) - self.touching(asked) - self.stuck(asked)

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
        least = spread_of_contrasts(self._squares, asked) / self.draws.information
        return Spread(np.maximum(asked.squares(self.by_gold().matrix), least), df)

    def over_topics(self, asked: Contrasts) -> Spread:
        """What topics bring, and no less than over gold; freedom T - 1, fewer where few topics carry the variance."""
        moves = self.by_topic()
        pull = asked.values(moves.matrix)
        variance = np.maximum((pull**2).sum(axis=0), self.over_gold(asked).variance)
        df = np.full(len(asked), moves.df) if self.draws.whole else np.minimum(moves.df, tails(pull))
        return Spread(variance, df)

    def touching(self, asked: Contrasts) -> Ints:
        """Gold labels that move each contrast; no fewer than are needed where the list is judged to its end."""
        found = asked.moved(self.fit.coefficient[:, self.fit.item[~self._stuck]].T, NO_WEIGHT)
        return np.maximum(found, LEAST_GOLD) if self.draws.whole else found

    def contributions(self) -> Floats:
        """What each topic brings."""
        return self.fit.by_topic

    @cached_property
    def _squares(self) -> Floats:
        return frozen(self.listed.squares(self.fit.variance))


def worth_of(parts: LinearParts, label: Floats) -> Floats:
    """What labels are worth; NaN where there is none."""
    return np.where(np.isnan(label), np.nan, parts.worth(np.nan_to_num(label)))
