"""P-values: how they are counted over random replicates, and what is left of them when many tests are made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from truegain.errors import TruegainError, check_one_of
from truegain.io.columns import Floats, Ints
from truegain.stats.student_t import check_confidence

# ---- Random replicates: how p-values are counted over them, how many they and intervals need, where to go on.

Counting = Literal["plus-one", "published"]
COUNTINGS: tuple[str, ...] = get_args(Counting)
ENOUGH = 20  # replicates that reached a pair's statistic, after which its p-value is settled
FURTHER = 4  # each stage has so many times the replicates of the one before
MARGIN = 2  # where trials grow: so many times the least that can pass, so that a count of 1 does too


def nothing(pieces: int) -> None:
    """Nobody wants to know how far the work is."""


@dataclass(frozen=True)
class Trials:
    """How a test resamples: `most` are the trials up to which undecided pairs may go on, `trials` where it is None."""

    trials: int = 10_000
    most: int | None = None
    seed: int = 0
    confidence: float = 0.95
    jobs: int | None = None
    counting: Counting = "plus-one"
    progress: Callable[[int], None] = nothing

    def __post_init__(self) -> None:
        check_trials(self.trials)
        check_counting(self.counting)

    @property
    def last(self) -> int:
        """The trials up to which pairs may go on; none go on where p is 'published'."""
        return self.trials if self.most is None or self.counting == "published" else max(self.trials, self.most)


def monte_carlo_p(reached: npt.ArrayLike, trials: int, counting: Counting = "plus-one") -> Floats:
    """P-values where `reached` of so many random replicates are at least as far out as the data.

    'plus-one' is (reached + 1)/(trials + 1): the data are one of the replicates, and P(p <= a) <= a for every a
    (Phipson and Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9(1)).  'published' is reached/trials, which Discpower and
    MATTERS print; it may be 0, and a p of 0 passes every adjustment for the number of pairs.

    >>> monte_carlo_p([0, 4], 99).tolist(), monte_carlo_p([0, 4], 100, "published").tolist()
    ([0.01, 0.05], [0.0, 0.04])
    """
    counts = np.asarray(reached, np.float64)
    if check_counting(counting) == "published":
        return np.asarray(counts / trials)
    return np.asarray((counts + 1) / (trials + 1))


def check_counting(counting: str) -> str:
    """A way to count, or an error where it is none."""
    if counting not in COUNTINGS:
        raise TruegainError(f"p-values cannot be counted as {counting!r}; give 'plus-one' or 'published'")
    return counting


def check_trials(trials: int, alpha: float | None = None) -> int:
    """Refuse a number of trials that cannot give a p-value, or none below alpha.

    >>> check_trials(10, 0.05)
    Traceback (most recent call last):
    ...
    truegain.errors.TruegainError: of 10 trials the smallest p-value is 0.091, not below 0.05; give at least 20
    """
    if trials < 1:
        raise TruegainError(f"{trials} trials give no p-value; give at least 1, better 10000")
    if alpha is not None and trials < trials_needed(1, alpha):
        raise TruegainError(
            f"of {trials:,} trials the smallest p-value is {1 / (trials + 1):.2g}, not below {alpha:g}; "
            f"give at least {trials_needed(1, alpha):,}"
        )
    return trials


def check_replicates(replicates: int, confidence: float) -> int:
    """A number of replicates that can tell the tails of an interval from its middle."""
    least = int(np.ceil(2 / (1 - check_confidence(confidence)) - 1e-9))
    if replicates < least:
        raise TruegainError(
            f"{replicates} resamples are too few for the tails of a {confidence:.4g} interval; give at least {least}"
        )
    return int(replicates)


def trials_needed(pairs: int, alpha: float, adjustment: str = "holm") -> int:
    """The least number of trials B with which one of so many pairs can be found: (adjusted) 1/(B + 1) < alpha.

    Of one pair that differs all adjustments ask 1/(B + 1) < alpha/pairs (Holm-Sidak hardly less), but Benjamini and
    Yekutieli's 1 + 1/2 + ... + 1/pairs times less.

    >>> trials_needed(1, 0.05), trials_needed(10153, 0.05)
    (20, 203060)
    """
    times = float(np.sum(1 / np.arange(1, pairs + 1))) if adjustment == "by" else 1.0
    return math.floor(times * pairs / alpha + 1e-6)


def stages(trials: int, most: int) -> Iterator[tuple[int, int]]:
    """First and last replicate of each stage: `trials`, then FURTHER times as many, up to `most`.

    >>> list(stages(100, 1000))
    [(0, 100), (100, 400), (400, 1000)]
    """
    done, end = 0, trials
    while done < max(trials, most):
        yield done, end
        done, end = end, min(FURTHER * end, max(trials, most))


def sequential_p(
    count: Callable[[Ints, int, int], Ints],
    pairs: int,
    trials: int,
    most: int,
    progress: Callable[[int], None] = nothing,
) -> Floats:
    """P-values of pairs, with more replicates for those that few replicates have reached.

    `count(which, first, last)` tells for some of the pairs in how many of the replicates from first to last the
    statistic of the data is reached.  After `trials` replicates, and then after each stage up to `most`, a pair that
    was reached ENOUGH times is settled, p = (reached + 1)/(replicates + 1); the others go on.  P(p <= a) <= a for every
    a: a stage with (ENOUGH + 1)/(replicates + 1) > a settles no pair with p <= a, and at the first other stage p <= a
    needs reached + 1 <= a (replicates + 1), whether the pair goes on or not.
    `progress` is told how many pairs a stage settled.

    Besag and Clifford 1991, Biometrika 78(2), who look after every replicate.

    >>> sequential_p(lambda which, a, b: (b - a) * np.array([0, 1])[which], 2, 99, 999).tolist()
    [0.001, 1.0]
    """
    p, reached = np.ones(pairs), np.zeros(pairs, np.int64)
    left: Ints = np.arange(pairs, dtype=np.int64)
    for first, last in stages(trials, most):
        reached[left] += count(left, first, last)
        p[left] = monte_carlo_p(reached[left], last)
        before = len(left)
        left = left[reached[left] < ENOUGH] if last < most else left[:0]
        progress(before - len(left))
        if not len(left):
            break
    return p


# ---- P-values of many tests at once: what is left of them when the number of tests is taken into account.


def adjust(p: npt.ArrayLike, method: str = "holm") -> Floats:
    """Adjusted p-values, in the order given: reject where the adjusted value is below alpha.

    With p(1) <= ... <= p(k): Bonferroni k p; Holm max over j <= i of (k-j+1) p(j); Hochberg min over j >= i of
    (k-j+1) p(j); Holm-Sidak max over j <= i of 1 - (1-p(j))^(k-j+1); Benjamini-Hochberg (bh) min over j >= i of
    k p(j)/j; Benjamini-Yekutieli (by) that times 1 + 1/2 + ... + 1/k; none of them above 1.

    The first four hold the chance of any false positive (Hochberg if the tests are independent or positively
    dependent), bh and by the expected share of false ones among the positives (by under any dependence).

    Holm 1979, Scand. J. Statist. 6; Hochberg 1988, Biometrika 75; Benjamini and Hochberg 1995, JRSS B 57;
    Benjamini and Yekutieli 2001, Ann. Statist. 29.

    >>> adjust([0.001, 0.013, 0.021, 0.04, 0.3], "holm").round(4).tolist()
    [0.005, 0.052, 0.063, 0.08, 0.3]
    """
    values: Floats = np.asarray(p, dtype=np.float64)
    check_one_of("adjustment", method, tuple(METHODS))
    if values.ndim != 1:
        raise TruegainError(f"p-values must be a plain list, not an array of {values.ndim} dimensions")
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        raise TruegainError(f"{values[wrong][0]} is not a p-value; leave out tests that gave none, then adjust")
    if not len(values):
        return values
    order = np.argsort(values, kind="stable")
    adjusted: Floats = np.empty_like(values)
    adjusted[order] = np.minimum(METHODS[method](values[order]), 1.0)
    return adjusted


def adjust_asked(p: npt.ArrayLike, method: str = "holm") -> Floats:
    """Adjusted p-values of all tests that were asked for: one that gave none (NaN) counts as a test, with p = 1.

    What the data can answer does not make the family smaller.

    >>> adjust_asked([0.01, float("nan"), 0.02], "bonferroni").round(4).tolist()
    [0.03, nan, 0.06]
    """
    values: Floats = np.asarray(p, dtype=np.float64)
    none = np.isnan(values)
    return np.where(none, np.nan, adjust(np.where(none, 1.0, values), method))


def _left(k: int) -> Floats:
    """How many tests are left at each step: k, k-1, ..., 1."""
    return np.arange(k, 0, -1, dtype=np.float64)


def _rising(values: Floats) -> Floats:
    return np.maximum.accumulate(values)


def _falling(values: Floats) -> Floats:
    return np.minimum.accumulate(values[::-1])[::-1]


def _benjamini_hochberg(p: Floats) -> Floats:
    return _falling(len(p) * p / np.arange(1, len(p) + 1))


def _benjamini_yekutieli(p: Floats) -> Floats:
    return _benjamini_hochberg(p) * float(np.sum(1 / np.arange(1, len(p) + 1)))


def _holm_sidak(p: Floats) -> Floats:
    sure = np.minimum(p, 1 - 2**-53)  # log1p(-1) has no value; the answer is 1 to the last bit
    return _rising(np.where(p == 1, 1.0, -np.expm1(_left(len(p)) * np.log1p(-sure))))


METHODS: dict[str, Callable[[Floats], Floats]] = {
    "none": lambda p: p,
    "bonferroni": lambda p: len(p) * p,
    "holm": lambda p: _rising(_left(len(p)) * p),
    "hochberg": lambda p: _falling(_left(len(p)) * p),
    "holm-sidak": _holm_sidak,
    "bh": _benjamini_hochberg,
    "by": _benjamini_yekutieli,
}
