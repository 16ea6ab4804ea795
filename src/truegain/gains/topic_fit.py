"""Scores and differences set right by whole gold-judged topics, each by itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from truegain.contrasts import BLOCK, NONE, Contrasts
from truegain.errors import TruegainError
from truegain.moves import Spread
from truegain.tables.columns import Bools, Floats, frozen

LEAST_TOPICS = 6  # gold topics, below which no interval held in simulation
BORROWED = 2.0  # topics' worth of spread that scores, not differences, take from the bronze scores of all topics
TINY = 1e-15
ROUNDING = 1e-9  # of the sum of squares of bronze: what is left without a topic, where the others do not differ


class ByTopic(NamedTuple):
    """What some contrasts stand on: a row a topic, a column a contrast."""

    gold: Floats  # gold topics only: gold scores
    said: Floats  # the same topics: bronze scores
    bronze: Floats  # bronze scores of all topics
    slopes: Floats  # gold topics only: lambda without each


@dataclass(frozen=True, eq=False)
class TopicFit:
    """The mean gold score of topics of which all have a bronze score, and some a gold score as well.

    n gold topics, u others, N in all; y gold and f bronze scores, or *differences* of two systems' scores; k = u/N,
    for `others` alone 1.  How much bronze counts is asked of the very score or difference, and of each gold topic
    without looking at it (cross-fitting): with s the slope of y on f over the other gold topics and v the square of its
    standard error,

        lambda_-i = s^3/(s^2 + v), cut to 0-1
        value = mean over gold of (y_i - lambda_-i k f_i) + l k mean f of the others,   l = mean of lambda_-i

    which is unbiased whatever the judge says, as lambda_-i knows neither y_i nor f_i nor the others.  A slope that is
    hardly known counts less: s^2/(s^2 + v) of it.  A difference is not that of the two scores' values: a judge who
    knows which topics are hard, and no more, tells scores and says nothing of differences.

    Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453 (PPI++); cross-fitting: Zrnic and Candes 2024, PNAS 121(15).

    >>> bronze = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]])
    >>> gold = np.array([[0.2, 0.1, 0.3, np.nan, 0.55, 0.6, np.nan, 0.9]])
    >>> TopicFit.of(bronze, gold).values(Contrasts.scores(1)).round(3).tolist()
    [0.475]
    """

    bronze: Floats  # system x topic
    gold: Floats  # the same, NaN where a topic has none
    bounds: tuple[float, float] = (-math.inf, math.inf)  # lowest and highest score possible
    uses: bool = True  # whether bronze scores may count
    others: bool = False  # whether the topics without gold alone are aimed at

    @classmethod
    def of(
        cls, bronze: Floats, gold: Floats, bounds: tuple[float, float] = (-math.inf, math.inf), *, others: bool = False
    ) -> TopicFit:
        """A row a system; fewer than six gold topics of more are refused."""
        if np.isnan(bronze).any():
            missing = int(np.isnan(bronze).any(axis=0).sum())
            raise TruegainError(f"{missing} topics have no bronze score; leave them out")
        fit = cls(frozen(np.array(bronze)), frozen(np.array(gold)), bounds, True, others)
        fewest = 2 if fit.n == fit.topics else LEAST_TOPICS
        if fit.n < fewest:
            raise TruegainError(
                f"{fit.n} topic{'' if fit.n == 1 else 's'} with gold labels {'is' if fit.n == 1 else 'are'} too few: "
                f"with fewer than {LEAST_TOPICS} no interval holds what it promises; have at least {LEAST_TOPICS}, "
                "better 20, topics gold-judged"
            )
        return fit

    def alone(self) -> TopicFit:
        """The same without bronze scores."""
        return replace(self, uses=False)

    # ------------------------------------------------------------------ what there is

    @cached_property
    def has(self) -> Bools:
        """Topics with gold scores, of all systems."""
        return frozen(np.asarray(~np.isnan(self.gold).any(axis=0)))

    @cached_property
    def n(self) -> int:
        """How many."""
        return int(self.has.sum())

    @property
    def topics(self) -> int:
        """How many there are with and without."""
        return len(self.has)

    @property
    def share(self) -> float:
        """k: of the topics without gold, in what is aimed at."""
        if self.n == self.topics:
            return 0.0
        return 1.0 if self.others else 1 - self.n / self.topics

    def _parts(self, asked: Contrasts) -> ByTopic:
        """Scores and differences by topic; bronze ones less their mean over the topics without gold.

        What is added to all bronze scores cancels in the values, and must not count as spread of lambda_-i f_i.
        """
        gold, bronze = asked.values(self.gold[:, self.has].T), asked.values(self.bronze.T)
        if self.share > 0:
            bronze = bronze - _mean(bronze[~self.has])
        said = bronze[self.has]
        used = self.uses and self.share > 0
        return ByTopic(gold, said, bronze, slopes_without_each(gold, said) if used else np.zeros(gold.shape))

    # ------------------------------------------------------------------ values, and what each topic does to them

    def by_topic(self, asked: Contrasts) -> Floats:
        """Topic x contrast, with the values as mean: N/n (y - lambda k f) of a gold topic, N/u l k f of another.

        f is less its mean over the others, here and in the variances.
        """
        p, n, total = self._parts(asked), self.n, self.topics
        out = _mean(p.slopes) * self.share * p.bronze * total / max(total - n, 1)
        out[self.has] = (p.gold - self.share * p.slopes * p.said) * total / n
        return np.asarray(out)

    def values(self, asked: Contrasts) -> Floats:
        """The score or difference of each contrast."""
        return _by_block(asked, lambda some: [_mean(self.by_topic(some))])[0]

    def slopes(self, asked: Contrasts) -> Floats:
        """l: how much of the bronze scores each contrast uses."""
        return _by_block(asked, lambda some: [_mean(self._parts(some).slopes)])[0]

    def moves(self, asked: Contrasts) -> Floats:
        """Topic x contrast: how far each topic moves it, by its gold score or by its bronze one."""
        out, n, u = self.by_topic(asked) / self.topics, self.n, self.topics - self.n
        for rows, units in ((self.has, n), (~self.has, u)):
            about = out[rows] - out[rows].mean(axis=0) if units > 1 else np.zeros(out[rows].shape)
            out[rows] = about * math.sqrt(units / max(units - 1, 1))
        return out

    # ------------------------------------------------------------------ variances of contrasts

    def over_topics(self, asked: Contrasts) -> Spread:
        """V and its degrees of freedom with other topics like these.

        V = s2(y - lambda_-i k f)/n + (l k)^2 s2(f)/u, t(n - 1)

        A few *scores*, most of them near 0, often miss how far scores reach.  They take two topics' worth of spread
        from the bronze scores of all topics: ((n - 1) s2 + 2 s2 max(1, s2(f)/s2(y)))/(n + 1) in place of the first s2,
        t(n + 1).
        """
        n, u = self.n, max(self.topics - self.n, 1)

        def of(some: Contrasts) -> list[Floats]:
            p = self._parts(some)
            own, of_gold, of_bronze = (_s2(x) for x in (p.gold - self.share * p.slopes * p.said, p.gold, p.bronze))
            score = (some.a == NONE) & (self.share > 0)
            left = np.divide(own, of_gold, out=np.ones(len(own)), where=of_gold > TINY)
            borrowed = ((n - 1) * own + BORROWED * np.maximum(own, left * of_bronze)) / (n - 1 + BORROWED)
            bronze = (_mean(p.slopes) * self.share) ** 2 * of_bronze / u
            return [np.where(score, borrowed, own) / n + bronze, n - 1 + BORROWED * score]

        return Spread(*_by_block(asked, of))

    def over_gold(self, asked: Contrasts) -> Spread:
        """V and its degrees of freedom for these very topics, had they all been gold-judged.

        V = ((n - 1) s2(y - lambda_-i f) + M)/n (1/n - 1/N), t(n - 1)

        One more topic is thought to miss by a standard deviation, M = s2(y), for scores max(s2(f), s2(y)): a judge who
        was right on a few topics may err on others.  For the others alone 1/n + 1/u.  Cochran 1977, Sampling
        Techniques, section 12.6.
        """
        n, u = self.n, self.topics - self.n
        open_ = 0.0 if not u else 1 / n + 1 / u if self.others else 1 / n - 1 / self.topics

        def of(some: Contrasts) -> list[Floats]:
            p = self._parts(some)
            own, of_gold, of_bronze = (_s2(x) for x in (p.gold - p.slopes * p.said, p.gold, p.bronze))
            one_more = np.where(some.a == NONE, np.maximum(of_gold, of_bronze), of_gold)
            return [((n - 1) * own + one_more) / n * open_, np.full(len(own), n - 1.0)]

        return Spread(*_by_block(asked, of))

    def were_all_gold(self, asked: Contrasts) -> Floats:
        """The variance over topics that would stay were all of them gold-judged.

        V = (s2(y) + l^2 (s2(f) - s2'(f)))/N (n - 1)/(n - 1.5)

        s2' is that of the gold topics: where they happen to differ less than all topics do, so do their gold scores.
        The last factor is for its root: a standard deviation from few topics is too small in the mean.
        """

        def of(some: Contrasts) -> list[Floats]:
            p = self._parts(some)
            missed = _mean(p.slopes) ** 2 * (_s2(p.bronze) - _s2(p.said))
            return [np.maximum(_s2(p.gold) + missed, 0.0) / self.topics * (self.n - 1) / (self.n - 1.5)]

        return _by_block(asked, of)[0]


def slopes_without_each(gold: Floats, said: Floats) -> Floats:
    """lambda_-i, a row a gold topic and a column a contrast: see `TopicFit`; 0 where the others' bronze is all alike.

    Without topic i the sums of squares and products about the mean lose n/(n - 1) of its own.

    >>> y = np.array([[0.0], [0.2], [0.3], [0.5], [0.6]])
    >>> slopes_without_each(y, y).ravel().tolist(), slopes_without_each(y, -y).ravel().tolist()
    ([1.0, 1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0])
    """
    n = len(gold)
    y, f = gold - _mean(gold), said - _mean(said)
    product, square, whole = (n * _mean(x) - n / (n - 1) * x for x in (f * y, f * f, y * y))
    known = square > ROUNDING * n * _mean(f * f) + TINY
    slope = np.divide(product, square, out=np.zeros(square.shape), where=known)
    unsure = np.divide(
        np.maximum(whole - slope * product, 0.0), (n - 3) * square, out=np.zeros(square.shape), where=known
    )
    kept = np.divide(slope**3, slope**2 + unsure, out=np.zeros(square.shape), where=slope > 0)
    return np.asarray(np.clip(kept, 0.0, 1.0))


def tails(pull: Floats) -> Floats:
    """Degrees of freedom of variances made of these moves, a column each: 2 n/(kurtosis - 1), at least 1."""
    n, square = len(pull), (pull**2).sum(axis=0)
    kurtosis = n * (pull**4).sum(axis=0) / np.maximum(square**2, TINY**2)
    return np.asarray(np.maximum(1.0, 2 * n / np.maximum(kurtosis - 1, TINY)))


def _mean(of_topics: Floats) -> Floats:
    """The mean over topics, rows, of each column: the same bits however many columns there are."""
    return np.asarray(np.ascontiguousarray(of_topics.T).mean(axis=1))


def _s2(of_topics: Floats) -> Floats:
    """The variance, in the same way."""
    return np.asarray(np.ascontiguousarray(of_topics.T).var(axis=1, ddof=1))


def _by_block(asked: Contrasts, of: Callable[[Contrasts], list[Floats]]) -> list[Floats]:
    """Numbers, one a contrast, worked out for some contrasts at a time."""
    found = [of(asked.some(first, first + BLOCK)) for first in range(0, max(len(asked), 1), BLOCK)]
    return [np.concatenate(parts) for parts in zip(*found, strict=True)]
