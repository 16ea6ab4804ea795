"""Scores of all systems corrected with gold pairs, or with the first labels of an ordered list.

Prepared once, and refitted for many rows of topic weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.stats.student_t import wilson

# ---- A pool of pairs with cheap labels, a sample of which has gold labels too.

LEAST_IN_STRATUM = 5
TWO_LEVELS = 2  # such as pass and fail; of gold values with more, a few show how they spread
TINY = 1e-15
FINE = 10  # levels of bronze labels, beyond which they are cut rather than joined where gold pairs are few


@dataclass(frozen=True, eq=False)
class SampledPairs:
    """The pool as arrays, one row a pair: topic number, stratum, value of the bronze and of the gold label.

    topic: from 0.  stratum: of the bronze label, from `strata_of`.  bronze, gold: what the labels are worth, gold NaN
    where there is none.  expansion: how many pairs each gold pair stands for, 1 / its chance to be drawn.  unit: what
    was drawn with the pair, such as its answer, by number; None where pairs were drawn by themselves.
    are_values: these are values of answers, and gold has three levels or more: a few labels show how they spread.
    slope: of the line that predicts gold values from bronze ones, which strata then correct; 0 for labels.  With a
    line, bronze values lie within those of gold pairs (`clipped_to_gold`).
    gold_ends: the least and the greatest value of people, where the judge may have another scale; None: of all labels.
    """

    topic: Ints
    stratum: Ints
    bronze: Floats
    gold: Floats
    expansion: Floats
    topics: int
    unit: Ints | None = None
    are_values: bool = False
    slope: float = 0.0
    gold_ends: tuple[float, float] | None = None

    @property
    def sampled(self) -> Bools:
        """Which pairs have a gold label."""
        return ~np.isnan(self.gold)

    @property
    def off_line(self) -> Floats:
        """How far the gold value of each gold pair lies above the line."""
        s = self.sampled
        return np.asarray(self.gold[s] - self.slope * self.bronze[s])

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """By stratum how far a gold value may lie below and above the line: by the lowest and the highest label."""
        values = np.concatenate([self.gold[self.sampled], self.bronze if self.gold_ends is None else self.gold_ends])
        strata = int(self.stratum.max(initial=0)) + 1
        least, most = np.full(strata, math.inf), np.full(strata, -math.inf)
        np.minimum.at(least, self.stratum, self.slope * self.bronze)
        np.maximum.at(most, self.stratum, self.slope * self.bronze)
        return frozen(values.min() - most), frozen(values.max() - least)

    def moments(self) -> tuple[Floats, Floats]:
        """Mean of gold values off the line and of their squares per stratum, with half a pair added at either end."""
        s = self.sampled
        strata = int(self.stratum.max(initial=0)) + 1
        g, h, (low, high) = self.off_line, self.stratum[s], self.ends
        n = np.bincount(h, minlength=strata) + 1
        mean: Floats = (np.bincount(h, g, strata) + (low + high) / 2) / n
        square: Floats = (np.bincount(h, g * g, strata) + (low**2 + high**2) / 2) / n
        return mean, square


def strata_of(labels: Floats, sampled: Bools, least: int = LEAST_IN_STRATUM) -> Ints:
    """A stratum for each pair: its bronze label, neighbouring labels joined until each has `least` gold pairs.

    Labels of so many levels that most must be joined are cut into an odd number of strata with about as many gold pairs
    each, alike from either end of the scale.

    >>> strata_of(np.array([0.0, 0.0, 1.0, 2.0, 2.0, 3.0]), np.array([1, 1, 0, 1, 1, 0], bool), least=2)
    array([0, 0, 1, 1, 1, 1])
    >>> strata_of(np.arange(11.0), np.ones(11, bool), least=3)
    array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2])
    """
    values, code = np.unique(labels, return_inverse=True)
    counts = np.bincount(code[sampled], minlength=len(values))
    least = max(least, int(sampled.sum()) // 20)
    most = int(sampled.sum()) // least
    if len(values) > max(2 * most, FINE) and most:
        strata = most - (most % 2 == 0)
        place = strata * (np.cumsum(counts) - counts / 2) / counts.sum()  # from 0 to `strata`, gold pairs alike
        below = np.isclose(place, np.round(place), atol=1e-9) & (place > strata / 2)
        cut = np.where(below, np.round(place) - 1, np.floor(place + 1e-9)).astype(np.int64)
        return np.unique(np.clip(cut, 0, strata - 1), return_inverse=True)[1][code]
    group, size = np.zeros(len(values), np.int64), 0
    for i, count in enumerate(counts.tolist()):
        if i and size >= least:
            group[i:] += 1
            size = 0
        size += count
    if size < least and group[-1] > 0:  # too few at the top: join with the stratum below
        group[group == group[-1]] -= 1
    return group[code]


def slope_of(bronze: Floats, gold: Floats, weight: Floats) -> float:
    """The least-squares slope of gold values on bronze ones, shrunk as if one more pair lay level; 0 for one value.

    >>> round(slope_of(np.array([0.0, 0.5, 1.0]), np.array([0.1, 0.3, 0.5]), np.ones(3)), 3)
    0.3
    """
    x, y = bronze - np.average(bronze, weights=weight), gold - np.average(gold, weights=weight)
    square = float(weight @ x**2)
    return float(weight @ (x * y)) / (square * (1 + 1 / len(x))) if square > TINY * float(weight @ bronze**2) else 0.0


def clipped_to_gold(bronze: Floats, sampled: Bools) -> Floats:
    """Bronze values, no lower and no higher than those with a gold label: beyond, a line is level.

    A value on another scale, such as 85 for 0.85, would else be believed where no gold label met it.

    >>> clipped_to_gold(np.array([0.1, 0.5, 0.9, 85.0]), np.array([False, True, True, False])).tolist()
    [0.5, 0.5, 0.9, 0.9]
    """
    return np.asarray(np.clip(bronze, bronze[sampled].min(), bronze[sampled].max()))


def not_by_luck(spread: Floats, gold: Floats) -> Floats:
    """The spread of gold values about their predictions, as if one more lay where the judge tells nothing.

    A judge who is right but for a few gross errors looks exact to thirty labels that met none of them.
    """
    return np.asarray(spread + np.maximum(gold.var() - spread, 0.0) / (len(gold) + 1))


# ---- Scores of all systems rectified by gold pairs, prepared once and refitted for many rows of topic weights.

MOST_CELLS = 20_000_000  # rows x topics x strata that are worked out at once
ADDED = 4  # gold values of the whole stratum beside those that touch a contrast


@dataclass(frozen=True, eq=False)
class PairFit:
    """Scores linear in gain from bronze labels of all pairs and gold labels of some, as sums by topic and stratum.

    c the coefficients of a system (what a value of 1 adds to its score, 0 where not retrieved), e the expansion of a
    gold pair, w the weight of each topic, m what a pair is worth by its bronze label:

        value = (sum w c m + (sum w c) * (sum over gold of w c e (g - m)) / (sum over gold of w c e)) / sum w
        m     = (sum of e g + gbar)/(sum of e + 1) over gold pairs of its stratum in the *other* topics, e over its mean

    gbar is the mean gold value over all strata there.  Of values of answers, g and m are what lies above a line
    through all gold pairs, and what the line says of all pairs is added: sum w c (slope * bronze).  Strata alone would
    cut a fine scale into few steps, and pull the outer ones to the middle.  Leaving the own topic out of m keeps the
    residuals honest (the slope, one number, is of all topics); the second part lets the system's own gold pairs set its
    score right whether or not the judge favors it.  A stratum's mean over the whole pool would be wrong: what a system
    ranks high is relevant more often, whatever its bronze label.

    Saerndal, Swensson and Wretman 1992, Model Assisted Survey Sampling; Angelopoulos, Duchi and Zrnic 2023.

    >>> topic, bronze = np.repeat(np.arange(4), 3), np.array([1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.0])
    >>> gold = np.array([1, 0, np.nan, 1, 0, np.nan, np.nan, 1, 0, 1, np.nan, 0.0])
    >>> pairs = SampledPairs(topic, bronze.astype(int), bronze, gold, np.full(12, 1.5), 4)
    >>> PairFit.of(pairs, np.full((1, 12), 1 / 3)).values(np.ones((1, 4))).round(3).tolist()
    [[0.5]]
    """

    pairs: SampledPairs
    coefficient: Floats  # system x gold pair
    count: Floats  # topic x stratum, of gold pairs, by expansion over its mean
    gold: Floats  # the same times gold values off the line
    whole: Floats  # system x topic x stratum, coefficients of all pairs
    drawn: Floats  # the same of gold pairs, times expansion
    drawn_gold: Floats  # system x topic, times gold values off the line
    line: Floats  # system x topic, coefficients of all pairs times what the line says of them
    bounds: tuple[float, float] = (-math.inf, math.inf)  # lowest and highest score possible
    predicts: bool = True  # whether bronze labels count; without, m is 0

    @classmethod
    def of(
        cls, pairs: SampledPairs, coefficients: Floats, bounds: tuple[float, float] = (-math.inf, math.inf)
    ) -> PairFit:
        """Sum up what every refit needs."""
        s = pairs.sampled
        strata = int(pairs.stratum.max(initial=0)) + 1
        cell, cells = pairs.topic * strata + pairs.stratum, pairs.topics * strata
        expansion = pairs.expansion[s] / pairs.expansion[s].mean()

        def sums(where: Ints, values: Floats) -> Floats:
            return np.array([np.bincount(where, row, cells) for row in np.atleast_2d(values)])

        drawn, gold = coefficients[:, s] * pairs.expansion[s], pairs.off_line
        line = [np.bincount(pairs.topic, row, pairs.topics) for row in coefficients * (pairs.slope * pairs.bronze)]
        shape = (len(coefficients), pairs.topics, strata)
        return cls(
            pairs,
            frozen(np.ascontiguousarray(coefficients[:, s])),
            frozen(sums(cell[s], expansion).reshape(shape[1:])),
            frozen(sums(cell[s], expansion * gold).reshape(shape[1:])),
            frozen(sums(cell, coefficients).reshape(shape)),
            frozen(sums(cell[s], drawn).reshape(shape)),
            frozen(sums(cell[s], drawn * gold).reshape(shape).sum(axis=2)),
            frozen(np.array(line)),
            bounds,
        )

    def alone(self) -> PairFit:
        """The fit without bronze labels."""
        pairs = replace(self.pairs, slope=0.0)
        s = pairs.sampled
        drawn = self.coefficient * pairs.expansion[s] * pairs.gold[s]
        drawn_gold = np.array([np.bincount(pairs.topic[s], row, pairs.topics) for row in drawn])
        return replace(self, pairs=pairs, drawn_gold=drawn_gold, line=np.zeros_like(self.line), predicts=False)

    def expected(self, weights: Floats) -> Floats:
        """M for every row of weights, topic and stratum; one copy of the own topic is left out."""
        return self._expected(weights, np.ones(len(self.count), np.bool_))

    def _expected(self, weights: Floats, at: Bools) -> Floats:
        """The same for some of the topics."""
        count, gold = self.count[at], self.gold[at]
        if not self.predicts:
            return np.zeros((len(weights), *count.shape))
        once = np.minimum(weights[:, at], 1.0)[:, :, None]
        count = (weights @ self.count)[:, None, :] - once * count
        total = (weights @ self.gold)[:, None, :] - once * gold
        mass = count.sum(axis=2)
        over_all = np.divide(total.sum(axis=2), mass, out=np.zeros(mass.shape), where=mass > 1e-9)
        return np.asarray((total + over_all[:, :, None]) / (count + 1))

    def values(self, weights: Floats, lacking: float = np.nan) -> Floats:
        """The score of every system for every row of topic weights.

        lacking: the correction of a system that has no gold pair left.
        """
        at = self._has_gold
        most = max(1, MOST_CELLS // max(1, self.count[at].size))
        if len(weights) > most:
            blocks = [self.values(weights[i : i + most], lacking) for i in range(0, len(weights), most)]
            return np.concatenate(blocks)
        rows, systems = len(weights), len(self.whole)
        weighted = (weights[:, at, None] * self._expected(weights, at)).reshape(rows, -1)
        predicted = weighted @ self.whole[:, at].reshape(systems, -1).T
        if not at.all():  # of topics without gold pairs none is left out: all have the same m
            m = self._expected(weights, np.arange(len(at)) == int(at.argmin()))[:, 0]
            predicted += np.array([((weights[:, ~at] @ whole[~at]) * m).sum(axis=1) for whole in self.whole]).T
        right = weights @ self.drawn_gold.T - weighted @ self.drawn[:, at].reshape(systems, -1).T
        share = weights @ self.drawn.sum(axis=2).T
        whole = weights @ self.whole.sum(axis=2).T
        corrected = np.divide(whole * right, share, out=np.full(share.shape, lacking), where=share != 0)
        return np.asarray((predicted + weights @ self.line.T + corrected) / weights.sum(axis=1, keepdims=True))

    def without_each(self, lacking: float = np.nan) -> Floats:
        """The score of every system without each topic in turn, as `values` gives it.

        A topic without gold pairs changes no prediction for another one, so that what it brings is taken off the sums.
        """
        topics, at = len(self.count), self._has_gold
        out = np.empty((topics, len(self.whole)))
        places = np.flatnonzero(at)
        without = np.ones((len(places), topics))
        without[np.arange(len(places)), places] = 0.0
        out[places] = self.values(without, lacking)
        if at.all():
            return out
        m = self.expected(np.ones((1, topics)))[0]
        by_topic = (self.whole * m).sum(axis=2) + self.line
        whole, share = self.whole.sum(axis=2), self.drawn.sum(axis=(1, 2))
        right = (self.drawn_gold - (self.drawn * m).sum(axis=2)).sum(axis=1)
        left, whole_left = (x.sum(axis=1)[:, None] - x[:, ~at] for x in (by_topic, whole))
        corrected = np.full(left.shape, lacking)
        np.divide(whole_left * right[:, None], share[:, None], out=corrected, where=(share != 0)[:, None])
        out[~at] = ((left + corrected) / (topics - 1)).T
        return out

    @cached_property
    def _has_gold(self) -> Bools:
        """Which topics have a gold pair."""
        return np.asarray(self.count.any(axis=1))

    def contributions(self) -> Floats:
        """Topic x system: what each topic brings to the scores, whose mean it is; every topic counts once."""
        m = self.expected(np.ones((1, self.pairs.topics)))[0]
        right = self.drawn_gold - (self.drawn * m).sum(axis=2)
        return np.asarray(((self.whole * m).sum(axis=2) + self.line + self._scale[:, None] * right).T)

    @cached_property
    def _scale(self) -> Floats:
        """By system what the drawn pairs stand for: the whole over their share, 0 where there are none."""
        share = self.drawn.sum(axis=(1, 2))
        return np.asarray(np.divide(self.whole.sum(axis=(1, 2)), share, out=np.zeros(len(share)), where=share != 0))

    def predicted(self) -> Floats:
        """System x topic: what its documents are worth by their bronze labels; every topic counts once."""
        return np.asarray((self.whole * self.expected(np.ones((1, self.pairs.topics)))[0]).sum(axis=2) + self.line)

    @cached_property
    def load(self) -> Floats:
        """Gold pair x system: the weight of the pair's residual in the score, times the number of topics."""
        return frozen((self._scale[:, None] * self.coefficient).T * self.pairs.expansion[self.pairs.sampled][:, None])

    def residuals(self) -> Floats:
        """Gold pair x system: gold value less prediction, about the mean that moves the system's score."""
        s = self.pairs.sampled
        m = self.expected(np.ones((1, self.pairs.topics)))[0][self.pairs.topic[s], self.pairs.stratum[s]]
        error = (self.pairs.off_line - m)[:, None]
        weight = self.load.sum(axis=0)
        mean = np.divide(
            (self.load * error).sum(axis=0), weight, out=np.zeros(len(weight)), where=np.abs(weight) > 1e-300
        )
        return np.asarray(error - mean)

    @property
    def unseen(self) -> Floats:
        """The finite-population factor of each gold pair: 1 - its inclusion probability."""
        return np.maximum(0.0, 1 - 1 / self.pairs.expansion[self.pairs.sampled])

    def by_chance(self, load: Floats) -> Floats:
        """A lower bound on the variance over gold pairs, by the smoothed variance of gold values in each stratum.

        load: gold pair x contrast.  Per stratum of bronze labels, the n gold values that touch the contrast and four
        more as the whole stratum has them, so that values that agree by chance do not look exact (Agresti and Coull
        1998, The American Statistician 52(2)); documents at the top are more alike than the stratum as a whole.  No
        less than if the stratum's gold values were alike, but for half a value at either end of the scale.  Gold values
        of three levels or more that lie off the line by different amounts have the spread that they show, and one more
        pair that the judge does not predict at all.
        """
        s = self.pairs.sampled
        stratum, gold = self.pairs.stratum[s], self.pairs.off_line
        (mean, square), (low, high) = self.pairs.moments(), self.pairs.ends
        touched = (np.abs(load) > TINY).astype(np.float64)
        out = np.zeros(load.shape[1])
        for h in np.unique(stratum).tolist():
            at = stratum == h
            n = touched[at].sum(axis=0)
            first = (gold[at] @ touched[at] + ADDED * mean[h]) / (n + ADDED)
            spread = (gold[at] ** 2 @ touched[at] + ADDED * square[h]) / (n + ADDED) - first**2
            odd = 0.5 / (at.sum() + 1)
            least = (high[h] - low[h]) ** 2 * odd * (1 - odd)
            if self.pairs.are_values and np.ptp(gold[at]) > TINY:  # they do not agree by chance
                own, least = gold[at] - gold[at].mean(), 0.0  # no value is made up
                first = own @ touched[at] / (n + ADDED)
                spread = (own**2 @ touched[at] + ADDED * (own**2).mean()) / (n + ADDED) - first**2
                spread = not_by_luck(spread * len(own) / (len(own) - 1), self.pairs.gold[s])
            out += np.maximum(spread, least) * (self.unseen[at] @ load[at] ** 2)
        return np.asarray(out / self.pairs.topics**2)

    def by_stratum(self, quantile: Floats) -> tuple[Floats, Floats]:
        """How far each score may lie above and below its true value, put together from Wilson's limits of each stratum.

        A score is the sum over strata of L p + R m: p the gold values of its documents, L their load, R what the sample
        has too few of the stratum's documents (too many: below 0), which is predicted.  With a and b the limits of p,
        0 and 1 where the stratum has no gold value of its documents,

            up = sqrt(sum (L (b - p) + R (b - m))^2) ,  down = sqrt(sum (L (p - a) + R (m - a))^2)

        A few gold values that stand for many documents and are seldom relevant have a variance that grows with the
        score: value +- t sqrt(V) is then too short above a low one (.81-.90 where .95 is meant).  Values are counted as
        (sum L)^2 / sum L^2 (1 - f), and as more where they differ less than 0 and 1 would.

        Zou and Donner 2008, Statistics in Medicine 27 (MOVER); Newcombe 1998, Statistics in Medicine 17.
        """
        s, (low, high) = self.pairs.sampled, self.pairs.ends
        scale = np.where(high > low, high - low, 1.0)
        stratum = self.pairs.stratum[s]
        gold = (self.pairs.off_line - low[stratum]) / scale[stratum]
        m = (self.expected(np.ones((1, self.pairs.topics)))[0] - low) / scale
        error = self.load.T @ ((gold - m[self.pairs.topic[s], stratum]) * scale[stratum])
        whole, weight = self.whole.sum(axis=1), self.load.sum(axis=0)
        mean = np.divide(error, weight, out=np.zeros(len(weight)), where=weight > 0)
        squares = np.zeros((2, len(weight)))
        for h in range(whole.shape[1]):
            at = stratum == h
            load, open_ = self.load[at].sum(axis=0), self.unseen[at] @ self.load[at] ** 2
            has = load > 0
            p = np.divide(gold[at] @ self.load[at], load, out=np.zeros(len(load)), where=has)
            square = np.divide(gold[at] ** 2 @ self.load[at], load, out=np.zeros(len(load)), where=has)
            alike = np.divide(p - p**2, square - p**2, out=np.ones(len(load)), where=square - p**2 > TINY)
            n = np.divide(load**2 * np.maximum(alike, 1.0), open_, out=np.full(len(load), np.inf), where=open_ > 0)
            a, b = wilson(p, n, quantile)
            a, b = np.where(has, a, 0.0), np.where(has, b, 1.0)
            lacks, share = whole[:, h] - load, np.maximum(whole[:, h], TINY)
            by_label = np.clip((self.whole[:, :, h] @ m[:, h]) / share + mean / scale[h], 0.0, 1.0)
            up, down = load * (b - p) + lacks * (b - by_label), load * (p - a) + lacks * (by_label - a)
            squares += (np.maximum([down, up], 0.0) * scale[h]) ** 2
        down, up = np.sqrt(squares) / self.pairs.topics
        return np.asarray(down), np.asarray(up)

    def has_gold(self) -> Bools:
        """System x topic: where a gold pair counts."""
        return np.asarray(self.drawn.sum(axis=2) != 0)


# ---- Scores of all systems set right with the first gold labels of an ordered list.

HALF = 0.5  # of a label, added at each end of the scale where a spread is estimated


@dataclass(frozen=True, eq=False)
class ListFit:
    """Gold values of listed pairs, what each stands for, and what every pair of the pool counts.

    With k what a gold pair stands for, e = k/mean k, c its bronze label, and sums over gold of OTHER topics,

        m = (sum of e g at label c + gbar)/(sum of e at c + 1) ;  gbar = (sum of e g + (low + high)/2)/(sum of e + 1)
        score = (sum over all pairs of w m + sum over gold of k w (g - m))/topics

    A gold value of NaN, where people could not judge a pair, is taken to be m; what it could be instead, `ByList.ends`
    tells.  Where bronze labels are values, c is a stratum of them, g is taken from a line through the gold values, and
    what the line says of all pairs is added, as in `PairFit`.

    Raj 1956, JASA 51(274); Angelopoulos et al. 2023, Science 382 (prediction-powered inference).

    >>> fit = ListFit(np.array([0, 0, 1, 1]), np.array([1, 0, 1, 0]), 2, np.full((1, 4), 0.5), np.array([0, 3]),
    ...               np.array([1.0, 0.0]), np.array([2.0, 2.0]), (0.0, 1.0))
    >>> fit.scores.round(3).tolist()
    [0.5]
    """

    topic: Ints  # of each pair of the pool
    stratum: Ints  # of each pair: its bronze label, by number
    topics: int
    coefficient: Floats  # system x pair
    item: Ints  # of each gold pair
    gold: Floats
    expansion: Floats  # how many pairs each gold pair stands for
    scale: tuple[float, float]  # the least and the most that a label is worth
    bronze: Floats | None = None  # the value of each pair, where bronze labels are values rather than a few labels

    def blind(self) -> ListFit:
        """The fit without bronze labels."""
        alike = None if self.bronze is None else np.zeros_like(self.bronze)
        return replace(self, stratum=np.zeros_like(self.stratum), bronze=alike)

    @cached_property
    def _sampled(self) -> Bools:
        """Which pairs have a gold value."""
        sampled = np.zeros(len(self.stratum), np.bool_)
        sampled[self.item[~np.isnan(self.gold)]] = True
        return sampled

    @cached_property
    def _cell(self) -> Ints:
        """Of each pair: its bronze label, or the stratum of its value."""
        if self.bronze is None or not (self.are_values or self.stratum.max(initial=0) >= FINE):
            return self.stratum
        return strata_of(self.bronze, self._sampled)

    @cached_property
    def are_values(self) -> bool:
        """Whether people give values, not pass or fail: a few show how they spread, and a line predicts them."""
        return self.bronze is not None and len(np.unique(self.gold[~np.isnan(self.gold)])) > TWO_LEVELS

    @cached_property
    def _line(self) -> Floats:
        """What a line through the gold values says of each pair, but for a constant; 0 for labels."""
        if self.bronze is None or not self.are_values:
            return np.zeros(len(self.stratum))
        bronze, (e, g) = clipped_to_gold(self.bronze, self._sampled), self._known
        at = self.item[e > 0]
        return frozen(slope_of(bronze[at], g[e > 0], e[e > 0]) * bronze)

    @cached_property
    def _off_line(self) -> Floats:
        """How far each gold value lies above the line, 0 where there is no value."""
        e, g = self._known
        return np.where(e > 0, g - self._line[self.item], 0.0)

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """Topic x label: e, and e g, over gold."""
        strata = int(self._cell.max(initial=0)) + 1
        cell = self.topic[self.item] * strata + self._cell[self.item]
        e, g = self._known[0], self._off_line
        size = self.topics * strata
        return tuple(np.bincount(cell, x, size).reshape(self.topics, strata) for x in (e, e * g))  # type: ignore[return-value]

    @cached_property
    def _known(self) -> tuple[Floats, Floats]:
        """What each gold pair counts, and its value: none where there is no value."""
        there = ~np.isnan(self.gold)
        return np.where(there, self.expansion / self.expansion.mean(), 0.0), np.where(there, self.gold, 0.0)

    @cached_property
    def expected(self) -> Floats:
        """What gold of other topics makes of the bronze label of every pair: m."""
        count, total = (x.sum(axis=0) - x for x in self._sums)
        middle, guess = sum(self.scale) / 2, 0.0 if self.are_values else 1.0  # the ends of values may be wide guesses
        mass = count.sum(axis=1) + guess
        none = np.full(len(mass), middle)
        overall = np.divide(total.sum(axis=1) + guess * middle, mass, out=none, where=mass > TINY)
        m = (total + overall[:, None]) / (count + 1)
        return frozen(m[self.topic, self._cell] + self._line)

    @cached_property
    def pull(self) -> Floats:
        """Gold pair x system: w (g - m)."""
        error = np.nan_to_num(self.gold - self.expected[self.item])
        return frozen((self.coefficient[:, self.item] * error).T)

    @cached_property
    def contributions(self) -> Floats:
        """Topic x system: what each topic brings to the scores, whose mean it is."""
        out = np.zeros((self.topics, len(self.coefficient)))
        np.add.at(out, self.topic[self.item], self.pull * self.expansion[:, None])
        for s, row in enumerate(self.coefficient * self.expected):
            out[:, s] += np.bincount(self.topic, row, self.topics)
        return frozen(out)

    @property
    def scores(self) -> Floats:
        """Of each system."""
        return np.asarray(self.contributions.mean(axis=0))

    @cached_property
    def variance(self) -> Floats:
        """Of the gold values at the bronze label of each pair, half a label added at each end of the scale.

        Values off a line have the spread that they show, in their stratum or, where they agree there, in all; and one
        more that the judge does not predict.
        """
        e, g = self._known[0], self._off_line
        at = self._cell[self.item]
        n = int(self._cell.max(initial=0)) + 1
        low, high = self.scale
        if self.are_values:
            total, size = np.bincount(at, e, n), np.bincount(at[e > 0], minlength=n).astype(np.float64)
            mean = np.divide(np.bincount(at, e * g, n), total, out=np.zeros(n), where=total > 0)
            left = e * (g - mean[at]) ** 2
            share = np.divide(np.bincount(at, left, n), total, out=np.zeros(n), where=total > 0)
            own = np.divide(share * size, size - 1, out=np.zeros(n), where=size > 1)
            whole = float(left.sum() / e.sum() * size.sum() / max(1, size.sum() - np.count_nonzero(size)))
            return frozen(not_by_luck(np.where(own > TINY, own, whole), self._known[1][e > 0])[self._cell])
        count = np.bincount(at, e, n) + 2 * HALF
        first = (np.bincount(at, e * g, n) + HALF * (low + high)) / count
        second = (np.bincount(at, e * g**2, n) + HALF * (low**2 + high**2)) / count
        return frozen((second - first**2)[self._cell])
