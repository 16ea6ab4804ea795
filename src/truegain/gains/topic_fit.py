"""Scores of all systems set right by whole gold-judged topics, prepared once and refitted for rows of topic weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truegain.errors import TruegainError
from truegain.tables.columns import Bools, Floats, frozen

LEAST_TOPICS = 6  # gold topics, below which no interval held in simulation
LEAST_TO_TUNE = 20  # below so many gold topics the slope costs more than it saves: bronze counts in full, or not at all
ENOUGH_SLOPE = 0.5  # of gold on bronze, above which bronze scores mostly shorten the interval
BORROWED = 2.0  # topics' worth of the bronze scores' variance, where gold stands alone
TINY = 1e-15

Contrast = Callable[[Floats], Floats]  # from a number a system, on the last axis, to one a score or difference


@dataclass(frozen=True, eq=False)
class TopicFit:
    """The mean gold score of topics of which all have a bronze score, and some a gold score as well.

    n gold topics, u others, N in all; y gold and f bronze scores; k = u/N, for `others` alone 1:

        value = mean(y) + lambda k (mean f of the others - mean f of the gold topics)

    lambda is 0 where bronze does not help; else 1 below 20 gold topics, and from there on the slope of gold on bronze
    scores.  Bronze helps where that slope is above 1/2: V is then smaller with 1.  Both are told by all systems
    together, a row each about its own mean: chosen by a score's own slope the interval covers as little as .86, chosen
    by which of the two is shorter, .85; and a difference is exactly that of the two scores.  One system alone cannot
    tell, and uses bronze.  The number of gold topics chooses the form whatever the weights (copies of each topic).

    Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453 (PPI++).

    >>> bronze = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]])
    >>> gold = np.array([[0.2, 0.1, 0.3, np.nan, 0.55, 0.6, np.nan, 0.9]])
    >>> TopicFit.of(bronze, gold).values(np.ones((1, 8))).round(3).tolist()
    [[0.475]]
    """

    bronze: Floats  # system x topic
    gold: Floats  # the same, NaN where a topic has none
    bounds: tuple[float, float] = (-math.inf, math.inf)  # lowest and highest score possible
    uses: bool | None = None  # whether bronze scores count; None: as all systems tell
    others: bool = False  # whether the topics without gold alone are aimed at

    @classmethod
    def of(
        cls, bronze: Floats, gold: Floats, bounds: tuple[float, float] = (-math.inf, math.inf), *, others: bool = False
    ) -> TopicFit:
        """A row a system; fewer than six gold topics of more are refused."""
        if np.isnan(bronze).any():
            missing = int(np.isnan(bronze).any(axis=0).sum())
            raise TruegainError(f"{missing} topics have no bronze score; leave them out")
        fit = cls(frozen(np.array(bronze)), frozen(np.array(gold)), bounds, None, others)
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
        return TopicFit(self.bronze, self.gold, self.bounds, False, self.others)

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

    @property
    def _parts(self) -> tuple[Floats, Floats, Floats]:
        """Gold scores and bronze ones of the gold topics, bronze ones of all: system x topic."""
        return self.gold[:, self.has], self.bronze[:, self.has], self.bronze

    # ------------------------------------------------------------------ how much bronze counts

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """Of each gold topic, over systems about their own means: products of bronze and gold, squares of bronze."""
        y, f, _ = self._parts
        x, v = (z - z.mean(axis=1, keepdims=True) for z in (f, y))
        return (x * v).sum(axis=0), (x * x).sum(axis=0)

    @cached_property
    def pooled(self) -> float:
        """The slope of gold on bronze scores, all systems together; 0 where bronze scores do not vary."""
        product, square = self._sums
        return float(product.sum() / square.sum()) if square.sum() > TINY else 0.0

    @property
    def helps(self) -> bool:
        """Whether bronze scores shorten the interval, as far as all systems tell."""
        if self.uses is None:
            return len(self.bronze) == 1 or self.pooled > ENOUGH_SLOPE
        return self.uses

    @property
    def tuned(self) -> bool:
        """Whether lambda is the slope: there are topics enough, and it does not stand on one of them."""
        if self.n < LEAST_TO_TUNE or not self.helps or not self.share:
            return False
        square = self._sums[1]
        return bool(square.sum() - square.max() * self.n / (self.n - 1) > TINY)

    @property
    def slope(self) -> float:
        """Lambda: how much of the bronze scores is used."""
        return self.pooled if self.tuned else float(self.helps)

    # ------------------------------------------------------------------ scores, and what each topic does to them

    def values(self, weights: Floats) -> Floats:
        """The score of every system for every row of topic weights; NaN where no gold topic is left."""
        y, f = np.where(self.has, self.gold, 0.0).T, self.bronze.T
        w, v = weights * self.has, weights * ~self.has
        n, u = w.sum(axis=1, keepdims=True), v.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean_y, mean_f = w @ y / n, w @ f / n
            gap = np.where(u > 0, v @ f / u, mean_f) - mean_f
            k = (u > 0).astype(np.float64) if self.others else u / (n + u)
            slope: Floats | float = self.slope
            if self.tuned:
                product = (w @ (f * y)).sum(axis=1) - (n * mean_f * mean_y).sum(axis=1)
                square = (w @ (f * f)).sum(axis=1) - (n * mean_f**2).sum(axis=1)
                slope = np.divide(product, square, out=np.ones(len(w)), where=square > TINY)[:, None]
            return np.asarray(mean_y + slope * k * gap)

    def by_topic(self) -> Floats:
        """Topic x system, with the scores as mean: N/n (y - lambda k f) of a gold topic, N/u lambda k f of another."""
        y, f, all_f = self._parts
        used = self.slope * self.share
        out = used * all_f.T * self.topics / max(self.topics - self.n, 1)
        out[self.has] = ((y - used * f) * self.topics / self.n).T
        return np.asarray(out)

    def _gold_rows(self) -> Floats:
        """Gold topic x system: moves of the gold topics; where lambda is tuned it is refitted without each.

        Without topic i the sums of squares and products lose n/(n - 1) of its own.
        """
        y, f, all_f = self._parts
        n = self.n
        if not self.tuned:
            z = (y - self.slope * self.share * f).T
            return np.asarray((z - z.mean(axis=0)) / np.sqrt(n * (n - 1)))
        gap = (all_f[:, ~self.has].mean(axis=1) - f.mean(axis=1))[None, :]
        x, v = (f - f.mean(axis=1, keepdims=True)).T, (y - y.mean(axis=1, keepdims=True)).T
        product, square = self._sums
        lost = n / (n - 1)
        slope = (product.sum() - lost * product) / (square.sum() - lost * square)
        without = y.mean(axis=1) - v / (n - 1) + self.share * slope[:, None] * (gap + x / (n - 1))
        return np.asarray(np.sqrt((n - 1) / n) * (without.mean(axis=0) - without))

    def moves(self) -> Floats:
        """Topic x system: how far each topic moves the scores, by its gold score or by its bronze one."""
        matrix = np.zeros(self.bronze.T.shape)
        matrix[self.has] = self._gold_rows()
        others = self.bronze[:, ~self.has].T
        u = len(others)
        if u > 1:
            matrix[~self.has] = self.slope * self.share * (others - others.mean(axis=0)) / np.sqrt(u * (u - 1))
        return matrix

    # ------------------------------------------------------------------ variances of contrasts

    def over_topics(self, contrast: Contrast) -> tuple[Floats, Floats]:
        """V and its degrees of freedom with other topics like these.

        lambda 1:     V = s2(y - k f)/n + k^2 s2(f)/u, degrees of freedom n - 1 and N - 1 by Satterthwaite
        lambda tuned: the jackknife over gold topics, the slope refitted, with min(n - 2, 2n/(kurtosis - 1)) of them,
                      + (lambda k)^2 s2(f)/u
        lambda 0:     ((n - 1) s2(y) + 2 M)/(n + 1)/n with n + 1 of them, M = max(s2(f), s2(y)); from 20 gold topics
                      on s2(y)/n with min(n - 1, 2n/(kurtosis - 1))

        Gold alone borrows two topics' worth of spread from bronze: a few scores, most of them near 0, often miss how
        far scores reach.  Where bronze agrees exactly on every gold topic, one more is thought to miss by a standard
        deviation: + s2(f)/(n + 1)/n.
        """
        y, f, all_f = self._parts
        n, total = self.n, self.topics
        of_bronze, of_gold = (_variances(contrast, x) for x in (all_f, y))
        if not self.share:
            return of_gold / n, np.full(len(of_gold), n - 1.0)
        if self.slope == 0:
            if n >= LEAST_TO_TUNE:
                pull = contrast((y - y.mean(axis=1, keepdims=True)).T)
                return of_gold / n, np.minimum(n - 1.0, tails(pull))
            return self._alone(of_gold, of_bronze) / n, np.full(len(of_gold), n - 1 + BORROWED)
        pull = contrast(self._gold_rows())
        agrees = _variances(contrast, y - self.slope * f) < TINY
        gold = (pull**2).sum(axis=0) + np.where(agrees, of_bronze / (n * (n + 1)), 0.0)
        df_gold = np.minimum(n - 2.0, tails(pull)) if self.tuned else np.full(len(of_gold), n - 1.0)
        bronze = (self.slope * self.share) ** 2 * of_bronze / (total - n)
        variance = gold + bronze
        below = gold**2 / df_gold + bronze**2 / (total - 1)
        return variance, np.divide(variance**2, below, out=np.full(len(of_gold), np.inf), where=below > 0)

    def over_gold(self, contrast: Contrast) -> tuple[Floats, Floats]:
        """V and its degrees of freedom for these very topics, had they all been gold-judged.

        ((n - 1) s2(y - f) + M)/n (1/n - 1/N), t(n - 1): one more topic is thought to miss by a standard deviation.
        Without bronze, s2(y) in place of the first, and two topics' worth borrowed as over topics; for the others
        alone 1/n + 1/u.  Cochran 1977, Sampling Techniques, section 12.6.
        """
        y, f, all_f = self._parts
        n, u = self.n, self.topics - self.n
        open_ = 1 / n + 1 / u if self.others else 1 / n - 1 / self.topics
        of_bronze, of_gold = (_variances(contrast, x) for x in (all_f, y))
        if self.slope == 0:
            return self._alone(of_gold, of_bronze) * open_, np.full(len(of_gold), n - 1 + BORROWED)
        residual = _variances(contrast, y - f)
        variance = ((n - 1) * residual + np.maximum(of_bronze, of_gold)) / n * open_
        return variance, np.full(len(of_gold), n - 1.0)

    def _alone(self, of_gold: Floats, of_bronze: Floats) -> Floats:
        own = (self.n - 1) * of_gold
        return np.asarray((own + BORROWED * np.maximum(of_bronze, of_gold)) / (self.n - 1 + BORROWED))


def tails(pull: Floats) -> Floats:
    """Degrees of freedom of variances made of these moves, a column each: 2 n/(kurtosis - 1), at least 1."""
    n, square = len(pull), (pull**2).sum(axis=0)
    kurtosis = n * (pull**4).sum(axis=0) / np.maximum(square**2, TINY**2)
    return np.asarray(np.maximum(1.0, 2 * n / np.maximum(kurtosis - 1, TINY)))


def _variances(contrast: Contrast, scores: Floats) -> Floats:
    """The variance over topics of each contrast of scores, system x topic."""
    about = contrast((scores - scores.mean(axis=1, keepdims=True)).T)
    return np.asarray((about**2).sum(axis=0) / (len(about) - 1))
