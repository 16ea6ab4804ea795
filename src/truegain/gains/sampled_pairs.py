"""A pool of pairs with cheap labels, a sample of which has gold labels too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegain.tables.columns import Bools, Floats, Ints

LEAST_IN_STRATUM = 5


@dataclass(frozen=True, eq=False)
class SampledPairs:
    """The pool as arrays, one row a pair: topic number, stratum, value of the bronze and of the gold label.

    topic: from 0.  stratum: of the bronze label, from `strata_of`.  bronze, gold: what the labels are worth, gold NaN
    where there is none.  expansion: how many pairs each gold pair stands for, 1 / its chance to be drawn.
    """

    topic: Ints
    stratum: Ints
    bronze: Floats
    gold: Floats
    expansion: Floats
    topics: int

    @property
    def sampled(self) -> Bools:
        """Which pairs have a gold label."""
        return ~np.isnan(self.gold)

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest value of a bronze or gold label."""
        values = np.concatenate([self.gold[self.sampled], self.bronze])
        return float(values.min()), float(values.max())

    def moments(self) -> tuple[Floats, Floats]:
        """Mean of gold values and of their squares per stratum, with half a pair added at either end of the scale."""
        s = self.sampled
        strata = int(self.stratum.max(initial=0)) + 1
        g, h, (low, high) = self.gold[s], self.stratum[s], self.ends
        n = np.bincount(h, minlength=strata) + 1
        mean: Floats = (np.bincount(h, g, strata) + (low + high) / 2) / n
        square: Floats = (np.bincount(h, g * g, strata) + (low**2 + high**2) / 2) / n
        return mean, square


def strata_of(labels: Floats, sampled: Bools, least: int = LEAST_IN_STRATUM) -> Ints:
    """A stratum for each pair: its bronze label, neighbouring labels joined until each has `least` gold pairs.

    >>> strata_of(np.array([0.0, 0.0, 1.0, 2.0, 2.0, 3.0]), np.array([1, 1, 0, 1, 1, 0], bool), least=2)
    array([0, 0, 1, 1, 1, 1])
    """
    values, code = np.unique(labels, return_inverse=True)
    counts = np.bincount(code[sampled], minlength=len(values))
    least = max(least, int(sampled.sum()) // 20)
    group, held = np.zeros(len(values), np.int64), 0
    for i, count in enumerate(counts.tolist()):
        if i and held >= least:
            group[i:] += 1
            held = 0
        held += count
    if held < least and group[-1] > 0:  # too few at the top: join with the stratum below
        group[group == group[-1]] -= 1
    return group[code]
