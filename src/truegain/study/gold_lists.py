"""Gold labels that come as an ordered list, and scores corrected with the first of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from truegain.data.label_lists import GoldList
from truegain.data.pool import Pool, RankedGains
from truegain.errors import InputError
from truegain.io.columns import Bools, Coded, Floats, Ids, Ints, frozen
from truegain.judge_error.fits import gold_of_items
from truegain.judge_error.judge import Judge
from truegain.judge_error.pair_estimators import TWO_LEVELS, ListFit
from truegain.measures.base import Measure
from truegain.measures.items import ItemMean
from truegain.measures.label_weights import LinearParts, StandIn, level_of, linear_parts
from truegain.message import SAMPLE_GOLD, arg
from truegain.sampling.gold import OrderedDraws
from truegain.stats.betting import Betting, DrawnUnits
from truegain.stats.contrasts import NONE, Contrasts, Influence, Variance
from truegain.stats.student_t import tails
from truegain.study.estimators import LEAST_GOLD, NO_WEIGHT, LabelFacts, ScoreEstimator, freedom_by_tails

MOST_GAMES = 64  # kept, so that further labels go on where they were


@dataclass(frozen=True, eq=False)
class ListedPairs:
    """The rows of a list of labels to be made, as a probability sample of the pairs of topic and document of a pool.

    `coefficient` is system x pair: what a label counts; `scale`: what the judge's labels are worth.
    """

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
    ) -> ListedPairs:
        """A list that was drawn from these bronze labels for these runs; others are refused.

        gold: gold labels of the pool's pairs, NaN where there is none; gold_relevant_from: the smallest
        relevant of them.
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
        labels = label if gold is None else np.where(np.isnan(gold), label, gold)
        parts = stand_in.parts(np.concatenate([label, labels, ends]), ranked)
        worths = parts.worth(ends)
        if not worths.max() > worths.min():
            _refuse_alike(listed, measure, level, bool(ends.any()))
        found = cls(
            item, frozen(sizes), float(listed.size.sum()), len(ranked.topics),
            frozen(stand_in.weights(parts, ranked)), (float(worths.min()), float(worths.max())), stand_in.note,
            stand_in.name, parts,
        )  # fmt: skip
        found._check_runs(ranked, listed, measure)
        return found

    def unlisted(self, contrasts: Contrasts) -> Ints:
        """Pairs that move each contrast and were never to be drawn: what it has of them is not known."""
        return contrasts.moved(self.coefficient[:, self.sizes == 0].T, NO_WEIGHT)

    def moving(self, contrasts: Contrasts) -> Ints:
        """Listed pairs that move each contrast."""
        return contrasts.moved(self.coefficient[:, self.sizes > 0].T, NO_WEIGHT)

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
            f"this list was sampled for other runs or another measure ({listed.measure}): {lacking.min():,} "
            f"documents or more that affect {measure} of these systems are not on it, such as topic "
            f"{ranked.topics[ranked.pool.topic[at]]}, document {ranked.pool.docs[at]}", file=listed.source,
            hint=f"give the runs it was sampled for, or draw one for these ({SAMPLE_GOLD})",
        )  # fmt: skip


def _refuse_alike(listed: GoldList, measure: Measure, level: float | None, relevant: bool) -> None:
    """Refuse a list whose labels are worth the same, whatever they are: none would tell anything."""
    what, remedy = f"is worth the same for {measure}", f"draw a list with all labels in use ({SAMPLE_GOLD})"
    if level is not None:
        what = f"is {'' if relevant else 'not '}relevant for {measure}"
        remedy = f"give the smallest relevant gold label ({arg('gold_relevant_from')}), or {remedy}"
    raise InputError(f"every label of the scale {listed.labels} {what}", file=listed.source, hint=remedy)


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
        f"this list was sampled from other judgments: {what}", file=listed.source,
        hint=f"give the judgments it was sampled from, or draw a list from these ({SAMPLE_GOLD})",
    )  # fmt: skip


def spread_of_contrasts(squares: Floats, contrasts: Contrasts) -> Floats:
    """The variance of each contrast, from those of scores and their products."""
    own = np.diag(squares)
    first = np.maximum(contrasts.a, 0)
    pair = own[contrasts.b] + own[first] - 2 * squares[first, contrasts.b]
    return np.asarray(np.maximum(np.where(contrasts.a == NONE, own[contrasts.b], pair), 0.0))


# ---- Scores corrected by the first labels of an ordered list.


class GamesPlayed:
    """Bets that were played before, so that further labels go on where they were: a memory, and no part of a result."""

    def __init__(self) -> None:
        self._games: dict[bytes, Betting] = {}

    def after(self, key: bytes, values: Floats) -> Betting | None:
        """A game with these values, where one was played with the first of them; None where none was."""
        game = self._games.get(key)
        if game is None or not np.array_equal(game.values, values[: len(game)], equal_nan=True):
            return None
        for value in values[len(game) :].tolist():
            game.add(value)
        return game

    def keep(self, key: bytes, game: Betting) -> Betting:
        """Remember a game; of too many the oldest is forgotten."""
        if key not in self._games and len(self._games) >= MOST_GAMES:
            del self._games[next(iter(self._games))]
        self._games[key] = game
        return game


@dataclass(frozen=True, eq=False)
class ByList(ScoreEstimator):
    """Gold labels in the order in which they were drawn, and how likely each was.

    Over gold: with X_t the estimate of a score that the t-th label gives, E their mean and a_t what each counts,
    s2 = sum a (X - E)^2/(n - 1), no less than what the spread of gold values within bronze labels makes of it, and
    V = s2/sum a.  Over topics: the variance of what topics bring, no less than that.
    """

    NAME: ClassVar[str] = "list of gold labels"

    fit: ListFit
    draws: OrderedDraws
    turn: Ints  # of each gold pair of the fit, in the list: other rows are of topics that are left out
    listed: ListedPairs
    topics: tuple[str, ...]
    names: tuple[str, ...]  # of the rows that were judged
    games: GamesPlayed = field(default_factory=GamesPlayed, kw_only=True)  # shared by all that come of it
    at_end: bytes = field(default=b"", kw_only=True)  # which contrast, and which of its `ends`, this is; empty: none

    @classmethod
    def of(cls, ranked: RankedGains, rows: GoldList, measure: Measure, judge: Judge) -> ByList:
        """The first rows of a list, and what they say of a measure linear in gain."""
        gold = gold_of_items(ranked.pool, judge, level_of(measure))
        listed = ListedPairs.of(ranked, rows, measure, judge.levels[1], gold)
        draws = OrderedDraws(rows.size, rows.judged)
        turn = np.flatnonzero(listed.item[: draws.n] >= 0)
        first = listed.item[turn]
        assert listed.parts is not None
        label = np.unique(ranked.item_gain, return_inverse=True)[1]
        fit = ListFit(
            ranked.pool.topic.astype(np.int64), label, len(ranked.topics), listed.coefficient, first,
            worth_of(listed.parts, gold[first]), draws.expansion[turn], listed.scale,
            worth_of(listed.parts, ranked.item_gain) if isinstance(measure, ItemMean) else None,
        )  # fmt: skip
        names = tuple(f"{t} {d}" for t, d in zip(rows.topics[: draws.n], rows.docs[: draws.n], strict=True))
        return cls(fit, draws, turn, listed, ranked.topics, names)

    def first(self, n: int) -> ByList:
        """What was known after the first n labels of the list."""
        draws, then = OrderedDraws(self.draws.sizes, n), self.turn < n
        turn = self.turn[then]
        fit = replace(self.fit, item=self.fit.item[then], gold=self.fit.gold[then], expansion=draws.expansion[turn])
        return replace(self, fit=fit, draws=draws, turn=turn, names=self.names[:n])

    def relabeled(self, gold: Floats) -> ByList:
        """The first rows of the list with these gold values, NaN where nobody could judge; its bets go on."""
        draws = OrderedDraws(self.draws.sizes, len(gold))
        turn = np.flatnonzero(self.listed.item[: draws.n] >= 0)
        first = self.listed.item[turn]
        fit = replace(self.fit, item=first, gold=gold[turn], expansion=draws.expansion[turn])
        return replace(self, fit=fit, draws=draws, turn=turn, names=tuple(map(str, range(1, len(gold) + 1))))

    @property
    def note(self) -> str:
        """What the scores stand for, where they are not the measure itself."""
        return self.listed.note

    @property
    def label_facts(self) -> LabelFacts:
        """Judged rows, of the list."""
        counts = self.draws.n, len(self.draws.sizes)
        exact = self.draws.whole and not self._stuck.any()
        return LabelFacts(counts=counts, exact=exact, order=self.draws, name=self.listed.name, note=self.listed.note)

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

    def stuck(self, contrasts: Contrasts) -> Ints:
        """Judged rows that move each contrast and that nobody could judge."""
        if not self._stuck.any():
            return np.zeros(len(contrasts), np.int64)
        return contrasts.moved(self.fit.coefficient[:, self.fit.item[self._stuck]].T, NO_WEIGHT)

    def ends(self, contrasts: Contrasts, at: int) -> tuple[ByList, ByList]:
        """One contrast as if it were a score, with what nobody could judge at its worst, and at its best.

        With g- the gold values in which every document that cannot be judged, drawn or not, has the end of the scale
        that is worst for the contrast, sum w g- <= sum w g whatever their labels, and a list with the labels g- is
        judged without a gap: its lower limit holds the first sum, hence the second, as often as any list's does, at
        one look or at all.  So it is with g+ and the upper limit.  Whether a document can be judged may hang on its
        label, its rank, its topic: on anything but its place in the order drawn.
        (Horowitz and Manski 2000, JASA 95.)
        """
        a, b = int(contrasts.a[at]), int(contrasts.b[at])
        weight = self.fit.coefficient[b] - (self.fit.coefficient[a] if a != NONE else 0.0)
        up = weight[self.fit.item] > 0
        low, high = self.fit.scale
        worst = self._at(a, b, weight, np.where(up, low, high))
        best = self._at(a, b, weight, np.where(up, high, low))
        return replace(worst, at_end=b"%d %d worst" % (a, b)), replace(best, at_end=b"%d %d best" % (a, b))

    def _at(self, a: int, b: int, weight: Floats, end: Floats) -> ByList:  # noqa: ARG002
        row = frozen(weight[None])
        fit = replace(self.fit, coefficient=row, gold=np.where(self._stuck, end, self.fit.gold))
        return replace(self, fit=fit, listed=replace(self.listed, coefficient=row))

    def game(self, contrasts: Contrasts) -> Betting | None:
        """The bets of all labels against each value of contrasts; None where labels do not come as bets need them.

        Where the same contrasts were bet on with fewer labels, only the further ones are added.
        """
        values = np.full(self.draws.n, np.nan)
        values[self.turn] = np.clip(self.fit.gold, *self.listed.scale)
        key = b"|".join([self.at_end, contrasts.a.tobytes(), contrasts.b.tobytes()])
        before = self.games.after(key, values)
        if before is not None:
            return before
        rows = self.listed.item
        at = np.maximum(rows, 0)
        weight = contrasts.values(self.listed.coefficient[:, at].T).T / len(self.topics) * (rows >= 0)
        label, topic = self.fit.stratum[at].astype(np.float64), self.fit.topic[at]
        are_values = self.fit.bronze is not None and self.fit.stratum.max(initial=0) >= TWO_LEVELS
        if are_values and self.fit.bronze is not None:
            label = self.fit.bronze[at]
        units = DrawnUnits(frozen(weight), self.draws.sizes, label, topic, self.listed.scale, are_values)
        return self.games.keep(key, Betting(units, values.tolist()))

    def unlisted(self, contrasts: Contrasts) -> Ints:
        """Pairs that move each contrast and were never to be drawn."""
        return self.listed.unlisted(contrasts)

    def still_open(self, contrasts: Contrasts) -> Ints:
        """Listed pairs that move each contrast, less those with a gold label and those that can have none."""
        return self.listed.moving(contrasts) - self.labels_for_rule(contrasts) - self.stuck(contrasts)

    @property
    def value(self) -> Floats:
        """The score of each system."""
        return self.fit.scores

    def by_topic(self) -> Influence:
        """What each topic brings, about the mean."""
        z, n = self.fit.contributions, len(self.topics)
        return Influence("topics", self.topics, (z - z.mean(axis=0)) / np.sqrt(n * (n - 1)), n - 1.0)

    def by_gold(self) -> Influence:
        """The estimates that each gold label gives, about their mean."""
        n = self.draws.n
        if self.draws.whole:
            return Influence(self.label_facts.source, self.names, np.zeros(self._pull.shape), max(1.0, n - 1.0))
        x = self.draws.estimates(self._pull) / len(self.topics)
        about = x - self.draws.share @ x
        weight = np.sqrt(self.draws.share / max(1, n - 1))
        return Influence(self.label_facts.source, self.names, weight[:, None] * about, max(1.0, n - 1.0))

    def over_gold(self, contrasts: Contrasts) -> Variance:
        """The larger of what the estimates show and what gold values within bronze labels make of so few."""
        df = np.maximum(self.labels_for_rule(contrasts) - 1.0, 1.0)
        if self.draws.whole:
            return Variance(np.zeros(len(contrasts)), df)
        matrix = self.by_gold().matrix
        least = spread_of_contrasts(self._squares, contrasts) / self.draws.information
        if self.fit.are_values:
            df = freedom_by_tails(df, contrasts.values(matrix))
        return Variance(np.maximum(contrasts.squares(matrix), least), df)

    def over_topics(self, contrasts: Contrasts) -> Variance:
        """What topics bring, and no less than over gold; freedom T - 1, fewer where few topics carry the variance."""
        moves = self.by_topic()
        pull = contrasts.values(moves.matrix)
        variance = np.maximum((pull**2).sum(axis=0), self.over_gold(contrasts).value)
        df = np.full(len(contrasts), moves.df) if self.draws.whole else np.minimum(moves.df, tails(pull))
        return Variance(variance, df)

    def labels_for_rule(self, contrasts: Contrasts) -> Ints:
        """Gold labels that move each contrast; no fewer than are needed where the list is judged to its end."""
        counts = self.label_count(contrasts)
        return np.maximum(counts, LEAST_GOLD) if self.draws.whole else counts

    def label_count(self, contrasts: Contrasts) -> Ints:
        """Gold labels that move each contrast."""
        return contrasts.moved(self.fit.coefficient[:, self.fit.item[~self._stuck]].T, NO_WEIGHT)

    def contributions(self) -> Floats:
        """What each topic brings."""
        return self.fit.contributions

    @cached_property
    def _squares(self) -> Floats:
        return frozen(self.listed.squares(self.fit.variance))


def worth_of(parts: LinearParts, label: Floats) -> Floats:
    """What labels are worth, those that the parts were made without too; NaN where there is none."""
    there = ~np.isnan(label)
    if not np.isin(label[there], parts.labels).all():  # people may give a label that no judge gave
        parts = linear_parts(parts.measure, np.concatenate([parts.labels, label[there]]), len(parts.weight))
    return np.where(there, parts.worth(np.where(there, label, parts.labels[0])), np.nan)
