"""Discriminative power: how many pairs of systems a measure can tell apart, on the same replicates as its rivals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from truegain.errors import TruegainError
from truegain.inference.differences.resampled import bootstrap_p
from truegain.inference.differences.tukey import randomised_tukey_hsd
from truegain.inference.monte_carlo import Counting, Trials, check_counting, check_trials
from truegain.message import argname
from truegain.tables.checks import warn
from truegain.tables.columns import Bools, Floats
from truegain.tables.scores import Of, Scores
from truegain.tables.table import Table

Test = Literal["randomised-tukey-hsd", "bootstrap"]


@dataclass(frozen=True, eq=False)
class DiscriminativePower:
    """A measure's share of significant pairs, its achieved-significance curve and the difference it takes.

    `curve` holds the p-values of all pairs, smallest first: the closer to the axes, the better the measure tells
    systems apart.  `delta` is None where no pair is significant.
    """

    measure: str
    curve: Floats
    alpha: float
    delta: float | None
    test: str
    replicates: int
    counting: Counting = "plus-one"

    @property
    def pairs(self) -> int:
        """How many pairs of systems there are."""
        return len(self.curve)

    @property
    def significant(self) -> int:
        """How many pairs have p < alpha."""
        return int((self.curve < self.alpha).sum())

    @property
    def share(self) -> float:
        """The discriminative power: the share of pairs with p < alpha."""
        return self.significant / self.pairs


def discriminative_power(
    scores: Scores,
    measures: Sequence[Of] | None = None,
    *,
    test: Test = "randomised-tukey-hsd",
    alpha: float = 0.05,
    replicates: int = 5_000,
    seed: int = 0,
    jobs: int | None = None,
    counting: Counting = "plus-one",
) -> tuple[DiscriminativePower, ...]:
    """Discriminative power of measures, best first: the share of pairs of systems with p < alpha.

    All measures are tried on the same topics and the same permutations (or resamples) of them.  `delta` is, for the
    randomised Tukey test, the largest difference of means among significant pairs; for the bootstrap, the largest over
    pairs of the |mean| of the replicate that holds the ceil(replicates alpha)-th largest |t*|.  P-values are
    (count + 1)/(replicates + 1); counting='published' is count/replicates, as Discpower and MATTERS have it.

    Sakai 2006, SIGIR; Ferro and Silvello, MATTERS.

    >>> import truegain as tg
    >>> scores = tg.evaluate({"a": {"1": {"x": 2, "y": 1}, "2": {"x": 1}}, "b": {"1": {"y": 1}, "2": {"x": 1}}},
    ...                      {"1": {"x": 1, "y": 0}, "2": {"x": 1}}, ["AP", "P@1"])
    >>> [(d.measure, d.share) for d in discriminative_power(scores)]
    [('AP', 0.0), ('P@1', 0.0)]
    """
    if not 0 < alpha < 1:
        raise TruegainError(f"{argname('alpha', alpha, 'g')} is not between 0 and 1; give 0.05 for 5%")
    if test not in ("randomised-tukey-hsd", "bootstrap"):
        raise TruegainError(f"{argname('test', test)} is not offered here; give 'randomised-tukey-hsd' or 'bootstrap'")
    check_counting(counting)
    check_trials(replicates, alpha if counting == "plus-one" else None)
    scores.check_judged()
    names = [scores._measure(m) for m in measures] if measures else list(scores.measures)
    matrices = _on_the_same_topics(scores, names)
    found = [
        _one(name, x, test, alpha, replicates, seed, jobs, counting) for name, x in zip(names, matrices, strict=True)
    ]
    return tuple(sorted(found, key=lambda d: -d.share))


def power_table(found: Sequence[DiscriminativePower]) -> Table:
    """The powers as a table, a row a measure."""
    columns = ("measure", "power", "significant", "pairs", "delta")
    rows = [(d.measure, d.share, d.significant, d.pairs, d.delta) for d in found]
    made_by = (
        {
            "test": found[0].test,
            "alpha": found[0].alpha,
            "replicates": found[0].replicates,
            "counting": found[0].counting,
        }
        if found
        else {}
    )
    return Table(columns, rows, made_by)


def _on_the_same_topics(scores: Scores, names: Sequence[str]) -> list[Floats]:
    """Each measure's matrix, without topics that any of them lacks for any system."""
    for name in names:
        if scores.values[name].dtype == object:
            raise TruegainError(f"{name} gives text, not numbers; leave it out")
    stacked = np.stack([np.asarray(scores.values[name], dtype=np.float64) for name in names])
    there: Bools = np.asarray(~np.isnan(stacked).any(axis=(0, 1)))
    if not there.all():
        warn(f"{int((~there).sum())} of {len(there)} topics are left out: some system or measure has no value there")
    return [x[:, there] for x in stacked]


def _one(
    name: str, x: Floats, test: Test, alpha: float, trials: int, seed: int, jobs: int | None, counting: Counting
) -> DiscriminativePower:
    first, second = np.triu_indices(len(x), 1)
    delta: float | None = None
    if test == "randomised-tukey-hsd":
        found = randomised_tukey_hsd(x, Trials(trials=trials, seed=seed, jobs=jobs, counting=counting))
        p, means = found.p[first, second], found.anova.means
        apart = np.abs(means[first] - means[second])[p < alpha]
        delta = float(apart.max()) if len(apart) else None
    else:
        resampled = bootstrap_p(
            x[second] - x[first],
            Trials(trials=trials, seed=seed, confidence=1 - alpha, jobs=jobs, counting=counting),
        )
        p, delta = resampled.p, float(resampled.delta.max())
    return DiscriminativePower(name, np.sort(p), alpha, delta, test, trials, counting)
