"""Scores from cheap labels, set right with gold labels of whole topics.

Everything here works on arrays and on one number per topic, takes a weight (copies) per topic, and answers with a
`Rectified`: value, standard error and degrees of freedom, beside what the gold labels alone would give.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truegain.errors import TruegainError
from truegain.gains.rectified import Rectified
from truegain.tables.columns import Floats

LEAST_TOPICS = 6  # gold topics, below which no interval held in simulation
LEAST_TO_TUNE = 20  # below so many gold topics the slope costs more than it saves: bronze counts in full, or not at all
ENOUGH_SLOPE = 0.5  # of gold on bronze, above which bronze scores mostly shorten the interval
BORROWED = 2.0  # topics' worth of the bronze scores' variance, where gold stands alone
TINY = 1e-15


def slope_of(bronze: Floats, gold: Floats) -> float:
    """Slope of gold on bronze scores over the topics that have both; systems, a row each, about their own means.

    0 where bronze scores do not vary.

    >>> slope_of(np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 1.0]]), np.array([[0.0, 2.0, 4.0, np.nan]] * 2))
    2.0
    """
    f, y = np.atleast_2d(bronze), np.atleast_2d(gold)
    has = ~np.isnan(f) & ~np.isnan(y)
    count = np.maximum(has.sum(axis=1, keepdims=True), 1)
    f, y = np.where(has, f, 0.0), np.where(has, y, 0.0)
    f = np.where(has, f - f.sum(axis=1, keepdims=True) / count, 0.0)
    spread = float((f * f).sum())
    return float((f * y).sum()) / spread if spread > TINY else 0.0


def rectify_topics(
    bronze: Floats,
    gold: Floats,
    *,
    weights: Floats | None = None,
    tuning: float | None = None,
    helps: bool = True,
    target: str = "all",
    generalise: bool = True,
) -> Rectified:
    """The mean gold score of topics of which all have a bronze score, and some (NaN: not) a gold score as well.

    n gold topics, u others, N in all; y gold and f bronze scores; k = u/N, for target 'others' 1:

        value = mean(y) + lambda k (mean f of the others - mean f of the gold topics)
        n < 20:  lambda 1:  V = s2(y - k f)/n + k^2 s2(f)/u, degrees of freedom n - 1 and N - 1 by Satterthwaite
                 lambda 0:  V = ((n - 1) s2(y) + 2 M)/(n + 1)/n with n + 1 of them,   M = max(s2(f), s2(y))
        n >= 20: lambda the slope of gold on bronze, V = its jackknife over gold topics, slope refitted, with
                 min(n - 2, 2n/(kurtosis - 1)) of them, + (lambda k)^2 s2(f)/u
                 lambda 0:  V = s2(y)/n with min(n - 1, 2n/(kurtosis - 1)) of them

    lambda is not 0 where bronze `helps`: with a slope of gold on bronze above 1/2, V is smaller with 1.  That must be
    known from more than these scores (`slope_of` all systems); chosen by their own slope the interval covers as little
    as .86, chosen by which of the two is shorter, .85.  Below 20, gold alone borrows two topics' worth of spread from
    bronze: a few scores, most of them near 0, often miss how far scores reach.  Beside scores that bronze helps, what
    gold alone would give is told: from 20 on by the form of lambda 0, below by s2(y)/n and t(n - 1).

    generalise=False: the value is that of these very topics, had they all been gold-judged;
    V = ((n - 1) s2(y - f) + M)/n (1/n - 1/N), t(n - 1): one more topic is thought to miss by a standard deviation.
    Fewer than six gold topics of more are refused.  The number of gold topics chooses the form whatever the `weights`
    (copies of each topic), so that refits stay with it.  For two systems, give differences.

    Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453 (PPI++); Cochran 1977, Sampling Techniques, section 12.6.

    >>> bronze = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    >>> gold = np.array([0.2, 0.1, 0.3, np.nan, 0.55, 0.6, np.nan, 0.9])
    >>> r = rectify_topics(bronze, gold)
    >>> round(r.value, 3), round(r.tuning, 3), [round(limit, 3) for limit in r.interval()]
    (0.475, 1.0, [0.228, 0.722])
    """
    if target not in ("all", "others"):
        raise TruegainError(f"target {target!r} is not known; give 'all' or 'others'")
    if np.isnan(bronze).any():
        raise TruegainError(f"{int(np.isnan(bronze).sum())} topics have no bronze score; leave them out")
    w = _copies(weights, len(bronze))
    given = ~np.isnan(gold)
    if not given.all():
        _enough_topics(int(given.sum()))
    has, rest = given & (w > 0), ~given & (w > 0)
    _at_least_two_topics(int(has.sum()), float(w[has].sum()))
    t = _Topics(gold[has], bronze[has], w[has], bronze[rest], w[rest], 1.0 if target == "others" else None)
    gold_se = math.sqrt(_square(t.y, t.w, 1) * (1 / t.n if generalise else t.unseen))
    if t.u == 0 and not generalise:
        raise TruegainError("all of these topics are gold-judged: their mean is known, and has no interval")
    if t.u == 0:
        return Rectified(t.mean_y, _never_zero(gold_se), t.n - 1, 0.0, t.mean_y, gold_se, t.n - 1, len(t.y), len(t.y))
    many = tuning is None and generalise and given.sum() >= LEAST_TO_TUNE and (t.tunable or not helps)
    gold_df = _freedom(t.y - t.mean_y, t.w, t.n - 1) if many else t.n - 1
    if many:
        lam, of_gold, df = t.tuned() if helps else (0.0, gold_se**2, gold_df)
    else:
        lam = float(helps if tuning is None else tuning)
        of_gold, df = t.fixed(lam) if generalise else t.these(lam)
    of_bronze = (lam * t.share) ** 2 * t.spread_f / t.u if generalise else 0.0
    variance = of_gold + of_bronze
    se = _never_zero(math.sqrt(variance))
    df = variance**2 / (of_gold**2 / df + of_bronze**2 / max(t.n + t.u - 1, 1))
    return Rectified(t.value(lam), se, df, lam, t.mean_y, gold_se, gold_df, int((w > 0).sum()), len(t.y))


@dataclass(frozen=True, eq=False)
class _Topics:
    """Gold and bronze scores of the gold topics, bronze scores of the others, and copies of each."""

    y: Floats
    f: Floats
    w: Floats
    others: Floats
    w_others: Floats
    all_others: float | None  # share of the others in what is aimed at, where it is not that of all topics

    @cached_property
    def n(self) -> float:
        return float(self.w.sum())

    @cached_property
    def u(self) -> float:
        return float(self.w_others.sum())

    @cached_property
    def share(self) -> float:
        return self.u / (self.n + self.u) if self.all_others is None else self.all_others

    @cached_property
    def unseen(self) -> float:
        """What the variance of a topic is multiplied with where these topics only count: 1/n - 1/N, or 1/n + 1/u."""
        return 1 / self.n - 1 / (self.n + self.u) if self.all_others is None else 1 / self.n + 1 / self.u

    @cached_property
    def mean_y(self) -> float:
        return _mean(self.y, self.w)

    @cached_property
    def gap(self) -> float:
        """By how much bronze scores of the other topics are higher."""
        return _mean(self.others, self.w_others) - _mean(self.f, self.w)

    @cached_property
    def spread_f(self) -> float:
        """Variance of the bronze scores of all topics."""
        return _square(np.concatenate([self.f, self.others]), np.concatenate([self.w, self.w_others]), 1)

    @cached_property
    def larger(self) -> float:
        """The larger of the variances of bronze and of gold scores."""
        return max(self.spread_f, _square(self.y, self.w, 1))

    def value(self, lam: float) -> float:
        return self.mean_y + lam * self.share * self.gap

    def fixed(self, lam: float) -> tuple[float, float]:
        """The gold part of V and its degrees of freedom, with lambda as it is."""
        if lam == 0:
            return self._alone() / self.n, self.n - 1 + BORROWED
        return (_square(self.y - self.share * lam * self.f, self.w, 1) + self.if_all_agree(lam)) / self.n, self.n - 1

    def these(self, lam: float) -> tuple[float, float]:
        """The same where these topics only count."""
        if lam == 0:
            return self._alone() * self.unseen, self.n - 1 + BORROWED
        residual = _square(self.y - lam * self.f, self.w, 1)
        return ((self.n - 1) * residual + self.larger) / self.n * self.unseen, self.n - 1

    def _alone(self) -> float:
        own = (self.n - 1) * _square(self.y, self.w, 1)
        return (own + BORROWED * self.larger) / (self.n - 1 + BORROWED)

    def if_all_agree(self, lam: float) -> float:
        """Where bronze agrees exactly on every gold topic, one more is thought to miss by a standard deviation."""
        return self.spread_f / (self.n + 1) if _square(self.y - lam * self.f, self.w, 1) < TINY else 0.0

    @cached_property
    def _sums(self) -> tuple[Floats, Floats, float, float]:
        """Scores about their means, and sums of squares and products of these."""
        x, y = self.f - _mean(self.f, self.w), self.y - self.mean_y
        return x, y, float((self.w * x * x).sum()), float((self.w * x * y).sum())

    @property
    def tunable(self) -> bool:
        """Whether there is a slope whichever gold topic is left out."""
        x, _, xx, _ = self._sums
        return bool((xx - x * x * self.n / (self.n - 1)).min() > TINY)

    def tuned(self) -> tuple[float, float, float]:
        """Lambda as the slope, the jackknife variance of the value over gold topics, its degrees of freedom.

        Without topic i the sums of squares and products lose n/(n - 1) of its own.
        """
        x, y, xx, xy = self._sums
        n, lost = self.n, self.n / (self.n - 1)
        slope = (xy - lost * x * y) / (xx - lost * x * x)
        without = -y / (n - 1) + self.share * slope * (self.gap + x / (n - 1))
        moves = without - _mean(without, self.w)
        square = float((self.w * moves**2).sum())
        lam = xy / xx
        return lam, (n - 1) / n * square + self.if_all_agree(lam) / n, _freedom(moves, self.w, n - 2)


def _freedom(moves: Floats, weights: Floats, most: float) -> float:
    """Degrees of freedom of a variance made of these moves: fewer where one topic carries it, by their kurtosis."""
    n, square = float(weights.sum()), float((weights * moves**2).sum())
    tails = n * float((weights * moves**4).sum()) / max(square**2, TINY**2)
    return min(most, max(1.0, 2 * n / max(tails - 1, TINY)))


def _copies(weights: Floats | None, topics: int) -> Floats:
    if weights is None:
        return np.ones(topics)
    w = np.asarray(weights, np.float64)
    if w.shape != (topics,) or not np.all(np.isfinite(w)) or np.any(w < 0):
        raise TruegainError(f"topic weights must be {topics} numbers of at least 0, one a topic")
    return w


def _enough_topics(topics: int) -> None:
    if topics < LEAST_TOPICS:
        raise TruegainError(
            f"{topics} topic{'' if topics == 1 else 's'} with gold labels {'is' if topics == 1 else 'are'} too few: "
            f"with fewer than {LEAST_TOPICS} no interval holds what it promises; have at least {LEAST_TOPICS}, better "
            "20, topics gold-judged"
        )


def _at_least_two_topics(topics: int, copies: float) -> None:
    if topics < 2 or copies < 2:
        raise TruegainError(
            f"{topics} topic{'' if topics == 1 else 's'} with gold labels: how topics differ cannot be told from "
            "fewer than two; have at least two, better ten, topics gold-judged"
        )


def _never_zero(se: float) -> float:
    if not se > 1e-12:
        raise TruegainError(
            "all topics say exactly the same, so the interval would have no width, which is not to be believed; "
            "use more topics or another measure"
        )
    return se


def _mean(values: Floats, weights: Floats) -> float:
    return float((weights * values).sum() / weights.sum())


def _square(values: Floats, weights: Floats, lost: int) -> float:
    """Variance with so many degrees of freedom lost."""
    return float((weights * (values - _mean(values, weights)) ** 2).sum() / max(weights.sum() - lost, 1e-9))
