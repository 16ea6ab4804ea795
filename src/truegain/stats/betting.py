"""Limits for totals over a population, drawn unit by unit without replacement, that hold at every look together.

Somebody bets against each value that the total might have: a fair game, as long as that value is the true one.  A stake
that grew 40-fold is won with a chance of at most 1 in 40 if the game was fair (Ville's inequality), whenever one looks.
Values against which it was won, on either side, are ruled out with 95% confidence.  Nothing is assumed of the values
but the ends of their scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from truegain.errors import TruegainError
from truegain.io.columns import Floats, Ints, frozen

HORIZONS = (100.0, 300.0, 900.0)  # information (about labels) at which each of the stakes grows fastest
MOST_STAKED = 0.95  # of the stake, that the worst next value can lose
LEVELS = 6  # labels of the judge that are told apart; values on a scale without steps are cut into so many
MOST_GROUPS = 400  # topics, beyond which each has too few labels to learn from, and learning from them takes long
# Variances that a linear model of values between 0 and 1 begins with: what labels of the judge and topics make of them,
# and what is left.  They are guesses: they decide how narrow limits are, not whether they hold.
OF_LABEL, OF_GROUP, LEFT = 0.25, 0.04, 0.15
# The same where the judge gives values: of their slope, which begins at LIKELY_SLOPE, of strata, and what is left.
OF_SLOPE, OFF_LINE, LEFT_OF_VALUES = 0.25, 0.02, 0.03
LIKELY_SLOPE = 0.5
ROUNDING = 1e-12  # of the sum of weights: a total of 0 is not above 0 by the last digit
HALVINGS = 34  # of the range of a total: limits are found to 1e-10 of it
CALIBRATION = 5.0  # labels that the predicted variance counts for, against what errors show
OF_VALUES = 0.2  # of the variance of 0 and 1: what is expected where the judge gives values


@dataclass(frozen=True, eq=False)
class DrawnUnits:
    """Units in the order drawn: what a value counts in each total, how likely it was drawn, what predicts it.

    Attributes
    ----------
    weight : array
        Total x unit: a total is the sum of weight times value.
    size : array
        The next unit is drawn with a chance in proportion to its size, of those that are left.
    label : array
        The judge's label, or value.
    group : array of int
        The topic, from 0.
    scale : tuple of float
        The least and the greatest value.
    are_values : bool
        Whether `label` is a value, on any scale, and not a label by number.
    """

    weight: Floats
    size: Floats
    label: Floats
    group: Ints
    scale: tuple[float, float] = (0.0, 1.0)
    are_values: bool = False

    def __post_init__(self) -> None:
        if not (self.size > 0).all():
            raise TruegainError("every unit of a drawn order has a size above 0; leave out the others")
        low, high = self.scale
        if not low < high:
            raise TruegainError(
                f"a scale from {low:g} to {high:g} has one value alone; give its least and its greatest"
            )

    def __len__(self) -> int:
        return len(self.size)


def quantile_strata(label: Floats) -> Ints:
    """Labels by number; values without steps are cut at their quantiles.

    >>> quantile_strata(np.array([0.0, 2.0, 2.0, 1.0])).tolist()
    [0, 2, 2, 1]
    >>> len(np.unique(quantile_strata(np.linspace(0, 1, 99))))
    6
    """
    values, code = np.unique(label, return_inverse=True)
    if len(values) <= LEVELS:
        return np.asarray(code, np.int64)
    cuts = np.unique(np.quantile(label, np.arange(1, LEVELS) / LEVELS))
    return np.asarray(np.searchsorted(cuts, label, side="right"), np.int64)


def central(label: Floats) -> Floats:
    """Values of a judge, on any scale, from -0.5 to 0.5 between their 5% and 95% quantiles, and level beyond.

    >>> central(np.array([0.0, 10, 20, 30, 40, 100, 5000])).round(2).tolist()
    [-0.5, -0.5, -0.5, -0.49, -0.49, -0.47, 0.5]
    """
    low, high = np.quantile(label, [0.05, 0.95])
    return np.asarray(np.clip((label - low) / (high - low), 0, 1) - 0.5 if high > low else np.zeros(len(label)))


class ValueModel:
    """What values are expected, by the judge's label and the topic.

    A linear model with random effects, whose posterior mean is brought up to date by each value.  Where the judge gives
    values, they have a slope beside their strata.
    """

    def __init__(self, units: DrawnUnits) -> None:
        self._stratum = quantile_strata(units.label)
        k, groups = int(self._stratum.max(initial=0)) + 1, int(units.group.max(initial=0)) + 1
        self._group = units.group if groups <= MOST_GROUPS else np.zeros(len(units), np.int64)
        groups = groups if groups <= MOST_GROUPS else 1
        self._at = 1, 1 + k  # where effects of labels, and of topics, begin
        of_label = OFF_LINE if units.are_values else OF_LABEL
        self._left = LEFT_OF_VALUES if units.are_values else LEFT
        effects = [OF_LABEL, *[of_label] * k, *[OF_GROUP] * groups, OF_SLOPE if units.are_values else 0.0]
        self._covariance = np.diag(effects)
        self._effects = np.zeros(len(effects))
        self._effects[0] = 0.5
        self._value = central(units.label) if units.are_values else np.zeros(len(units))
        self._effects[-1] = LIKELY_SLOPE if units.are_values else 0.0

    def after(self, first: int) -> Floats:
        """Expected values, between 0 and 1, of the units from one on."""
        label, group = self._at
        e = self._effects
        found = e[0] + e[label + self._stratum[first:]] + e[group + self._group[first:]] + e[-1] * self._value[first:]
        return np.asarray(np.clip(found, 0.02, 0.98))

    def learn(self, unit: int, value: float) -> None:
        """Bring the effects up to date by a value between 0 and 1."""
        at = [0, self._at[0] + self._stratum[unit], self._at[1] + self._group[unit]]
        x = float(self._value[unit])
        column = self._covariance[:, at].sum(axis=1) + x * self._covariance[:, -1]
        gain = column / (self._left + float(column[at].sum()) + x * float(column[-1]))
        self._effects += gain * (value - float(self._effects[at].sum()) - x * float(self._effects[-1]))
        self._covariance -= np.outer(gain, column)


@dataclass
class Betting:
    """What each value of a growing sample said of the totals, and the limits of all of them together.

    With m what is expected of each value before it is known, S_t the sizes that are left and q = size/S_t,

        Z_t = sum over known of w y + sum over the others of w m + w_t (y_t - m_t)/q_t

    has the total as its mean, whatever came before.  A stake against a total of d or less is multiplied by

        1 + lambda_t (Z_t - d),   lambda_t = e/(V_t + e^2),  at most .95/(d - least possible Z_t)

    V_t the variance that is expected of Z_t, e an effect at which the stake grows fastest.  Three stakes are bet, each
    on another effect; their mean shall grow to 2/alpha, and so shall that of those against d or more.

    References
    ----------
    .. [1] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the
           Royal Statistical Society B 86(1), 2024.
    .. [2] I. Waudby-Smith and A. Ramdas, "Confidence sequences for sampling without replacement", NeurIPS 2020.
    .. [3] S. Shekhar, Z. Xu, Z. Lipton, P. Liang and A. Ramdas, "Risk-limiting financial audits via weighted sampling
           without replacement", UAI 2023.

    Examples
    --------
    >>> units = DrawnUnits(np.full((1, 200), 1 / 200), np.ones(200), np.zeros(200), np.zeros(200, np.int64))
    >>> game = Betting(units)
    >>> for value in [1, 1, 1, 1, 0] * 12:
    ...     game.add(value)
    >>> low, high = game.limits(0.05)
    >>> game.estimate.round(1).tolist(), bool(0.5 < low[0] < 0.8 < high[0] < 0.95)
    ([0.8], True)
    """

    units: DrawnUnits
    values: list[float] = field(default_factory=list)
    estimates: list[Floats] = field(default_factory=list, init=False)
    variances: list[Floats] = field(default_factory=list, init=False)
    lowest: list[Floats] = field(default_factory=list, init=False)
    highest: list[Floats] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        units = self.units
        low, high = units.scale
        self._range = high - low
        self._weight = units.weight * self._range  # of values brought to 0-1
        self._offset = units.weight.sum(axis=1) * low
        self.left = np.cumsum(units.size[::-1])[::-1]
        self._ratio = self._weight / units.size
        self._square = self._weight * self._ratio
        self._prediction = ValueModel(units)
        self._known = np.zeros(len(units.weight))
        self._expected_errors = np.full(len(units.weight), CALIBRATION)
        self._errors = self._expected_errors * (OF_VALUES if units.are_values else 1.0)
        self._asked: dict[tuple[int, float], tuple[Floats, Floats]] = {}  # the limits last asked for
        given, self.values = self.values, []
        for value in given:
            self.add(value)

    def __len__(self) -> int:
        return len(self.values)

    def add(self, value: float) -> None:
        """Take the value of the next unit; NaN where it has none, which only a unit that moves no total may have."""
        t, units = len(self.values), self.units
        if t == len(units):
            raise TruegainError(f"all {t:,} units have a value; give no more")
        m, ratio, left = self._prediction.after(t), self._ratio[:, t:], float(self.left[t])
        known = not math.isnan(value)
        if not known and self._weight[:, t].any():
            raise TruegainError(f"unit {t + 1:,} moves a total and has no value; give one")
        y = (value - units.scale[0]) / self._range if known else float(m[0])
        if not -1e-9 <= y <= 1 + 1e-9:
            low, high = units.scale
            raise TruegainError(f"a value of {value:g} is outside of its scale, {low:g} to {high:g}; correct it")
        expected = self._known + self._weight[:, t:] @ m
        spread = left * (self._square[:, t:] @ (m * (1 - m)))
        up, down = ratio * (1 - m), ratio * m
        error = left * ratio[:, 0] * (y - float(m[0]))
        self.estimates.append(expected + error)
        self.variances.append(spread * self._errors / self._expected_errors)
        self.lowest.append(expected - left * np.maximum(down.max(axis=1), -up.min(axis=1)))
        self.highest.append(expected + left * np.maximum(up.max(axis=1), -down.min(axis=1)))
        moved = spread > 0
        self._errors += np.divide(error**2, spread, out=np.zeros_like(error), where=moved)
        self._expected_errors += moved
        self._known += self._weight[:, t] * y
        if known:
            self._prediction.learn(t, y)
        self.values.append(value)

    @property
    def estimate(self) -> Floats:
        """Each total, the estimates of it weighed by the sizes that were left: 1/S_t^2."""
        if len(self) == len(self.units):
            return np.asarray(self._known + self._offset)
        if not self.estimates:
            return np.asarray(self._weight @ self._prediction.after(0) + self._offset)
        worth = (self.left[0] / self.left[: len(self)]) ** 2
        return np.asarray(worth @ np.array(self.estimates) / worth.sum() + self._offset)

    def ends(self, first: int | None = None) -> tuple[Floats, Floats]:
        """What each total is at least and at most whatever the values not known, of all or of the first so many."""
        n = len(self) if first is None else min(first, len(self))
        y = np.nan_to_num((np.array(self.values[:n]) - self.units.scale[0]) / self._range)
        known, rest = self._weight[:, :n] @ y + self._offset, self._weight[:, n:]
        return known + np.minimum(rest, 0).sum(axis=1), known + np.maximum(rest, 0).sum(axis=1)

    @property
    def spread(self) -> Floats:
        """The standard deviation expected of the first estimate; with tau the information, s/sqrt(tau) is left."""
        return self.spread_after(len(self))

    def spread_after(self, n: int) -> Floats:
        """`spread`, as the first n values showed it."""
        if n == 0:
            m = ValueModel(self.units).after(0)
            spread = float(self.left[0]) * (self._square @ (m * (1 - m)))
            return np.asarray(np.sqrt(spread * OF_VALUES if self.units.are_values else spread))
        t = n - 1
        return np.asarray(np.sqrt(self.variances[t]) * float(self.left[0] / self.left[t]))

    def limits(self, alpha: float, first: int | None = None) -> tuple[Floats, Floats]:
        """Limits of each total, with chance 1 - alpha right at all looks, after all values or the first so many."""
        n = len(self) if first is None else min(first, len(self))
        if (n, alpha) not in self._asked:
            self._asked = {(n, alpha): self._limits(alpha, n)}
        low, high = self._asked[n, alpha]
        return low.copy(), high.copy()

    def _limits(self, alpha: float, n: int) -> tuple[Floats, Floats]:
        low, high = self.ends(n)
        rounding = ROUNDING * np.abs(self._weight).sum(axis=1)
        if n == len(self.units):
            return np.where(np.abs(low) <= rounding, 0.0, low), np.where(np.abs(high) <= rounding, 0.0, high)
        if n == 0:
            return low, high
        a, b = low - self._offset - rounding, high - self._offset + rounding
        both = _Game.of(self, n, alpha).both_ways().limit(np.concatenate([a, -b]), np.concatenate([b, -a]))
        return both[: len(a)] + self._offset, -both[len(a) :] + self._offset


@dataclass(frozen=True, eq=False)
class _Game:
    """The stakes against totals of d or less; value x total."""

    z: Floats
    least: Floats
    greatest: Floats
    stake: Floats  # horizon x value x total: lambda, before its limit
    goal: float  # 2/alpha

    @classmethod
    def of(cls, betting: Betting, n: int, alpha: float) -> _Game:
        goal = 2 / alpha
        variance = np.array(betting.variances[:n])
        share = betting.left[:n] / betting.left[0]
        first = np.sqrt(variance) / share[:, None]
        effect = first[None] * np.sqrt(2 * math.log(goal) / np.array(HORIZONS))[:, None, None]
        below = variance[None] + effect**2
        stake = np.divide(effect, below, out=np.zeros_like(effect), where=below > 0)
        z, least, greatest = (np.array(x[:n]) for x in (betting.estimates, betting.lowest, betting.highest))
        return cls(frozen(z), frozen(least), frozen(greatest), frozen(stake), goal)

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats, Floats]:
        """What changes from total to total."""
        return self.z, self.least, self.greatest, self.stake

    def turned(self) -> _Game:
        """The game with signs changed: against totals of d or more."""
        return _Game(-self.z, -self.greatest, -self.least, self.stake, self.goal)

    def both_ways(self) -> _Game:
        """The game and that with signs changed side by side: to halve for both at once takes half the time."""
        other = self.turned()
        z, least, greatest, stake = (
            np.concatenate(two, axis=-1) for two in zip(self.arrays, other.arrays, strict=True)
        )
        return _Game(z, least, greatest, stake, self.goal)

    def grown(self, d: Floats) -> Floats:
        """What the stakes against d grew to at each look, their mean; look x total.

        Products, since logarithms take twice as long: one too large for a number is won, one too small is lost.
        """
        stake = np.minimum(self.stake, MOST_STAKED / np.maximum(d - self.least, 1e-300))
        factor = 1 + np.maximum(stake * (self.z - d), -MOST_STAKED)
        with np.errstate(over="ignore"):
            return np.asarray(np.cumprod(factor, axis=1).mean(axis=0))

    def limit(self, low: Floats, high: Floats) -> Floats:
        """The largest d that is ruled out at any look, by halving: what rules out d rules out every total below it."""
        least = low
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            won = self.grown(middle).max(axis=0) >= self.goal
            low, high = np.where(won, middle, low), np.where(won, high, middle)
        return np.where(low > least, low, least)
