"""Discriminative power of measures, and the systems that cannot be told from the best."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from truegain.data.scores import Of, Scores
from truegain.errors import TruegainError, warn
from truegain.io.columns import Bools, Floats
from truegain.message import argname
from truegain.results.base import Table
from truegain.stats.multiple_testing import Counting, Trials, check_counting, check_trials
from truegain.stats.significance.anova import randomized_tukey_hsd
from truegain.stats.significance.pairs import bootstrap_p

# ---- The systems that cannot be told from the best, and how far two such sets are the same.


def jaccard(a: Collection[Hashable], b: Collection[Hashable]) -> float:
    """Share of what is in either set that is in both: |A & B|/|A | B|; Jaccard 1901.

    >>> jaccard({"x", "y"}, {"y", "z"})
    0.3333333333333333
    """
    either = set(a) | set(b)
    if not either:
        raise TruegainError("both sets are empty, so their overlap has no value; give one that is not")
    return len(set(a) & set(b)) / len(either)


def share_of(reference: Collection[Hashable], other: Collection[Hashable]) -> float:
    """Share of a reference set that is in another set too: |A & B|/|A|, as magnitude studies tell top sets.

    >>> share_of({"x", "y"}, {"y", "z", "w"})
    0.5
    """
    if not reference:
        raise TruegainError("the reference set is empty, so no share of it has a value")
    return len(set(reference) & set(other)) / len(set(reference))


def top_set(
    systems: Sequence[str], scores: npt.ArrayLike, p_values: npt.ArrayLike, alpha: float = 0.05
) -> tuple[str, ...]:
    """The best system and those not distinguishable from it: all whose p against the best is at least alpha.

    `p_values` is systems by systems, or one p for each system against the best (whose own is not read).  Best first.

    >>> top_set(["a", "b", "c"], [0.3, 0.5, 0.45], [0.01, 1.0, 0.4])
    ('b', 'c')
    """
    values, p = np.asarray(scores, np.float64), np.asarray(p_values, np.float64)
    n = len(systems)
    if values.shape != (n,) or p.shape not in ((n,), (n, n)):
        raise TruegainError(f"{n} systems need {n} scores and {n} or {n} x {n} p-values, not {values.shape}, {p.shape}")
    if np.isnan(values).any():
        raise TruegainError(f"{int(np.isnan(values).sum())} of {n} systems have no score; leave them out")
    best = int(np.argmax(values))
    against = p if p.ndim == 1 else p[best]
    others = np.arange(n) != best
    if np.isnan(against[others]).any():
        raise TruegainError(
            f"a p-value against the best system, {systems[best]}, is missing; leave out systems without one"
        )
    inside = ~others | (against >= alpha)
    return tuple(systems[i] for i in np.argsort(-values, kind="stable") if inside[i])


# ---- Discriminative power: how many pairs of systems a measure can tell apart, on the same replicates as its
# rivals.

Test = Literal["randomized-tukey-hsd", "bootstrap"]


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
    test: Test = "randomized-tukey-hsd",
    alpha: float = 0.05,
    replicates: int = 5_000,
    seed: int = 0,
    jobs: int | None = None,
    counting: Counting = "plus-one",
) -> tuple[DiscriminativePower, ...]:
    """Discriminative power of measures, best first: the share of pairs of systems with p < alpha.

    All measures are tried on the same topics and the same permutations (or resamples) of them.  `delta` is, for the
    randomized Tukey test, the largest difference of means among significant pairs; for the bootstrap, the largest over
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
    if test not in ("randomized-tukey-hsd", "bootstrap"):
        raise TruegainError(
            f"{argname('test', test)} is not available here; give 'randomized-tukey-hsd' or 'bootstrap'"
        )
    check_counting(counting)
    check_trials(replicates, alpha if counting == "plus-one" else None)
    scores.check_judged()
    names = [scores._measure(m) for m in measures] if measures else list(scores.measures)
    matrices = _on_the_same_topics(scores, names)
    powers = [
        _one(name, x, test, alpha, replicates, seed, jobs, counting) for name, x in zip(names, matrices, strict=True)
    ]
    return tuple(sorted(powers, key=lambda d: -d.share))


def power_table(powers: Sequence[DiscriminativePower]) -> Table:
    """The powers as a table, a row a measure."""
    columns = ("measure", "power", "significant", "pairs", "delta")
    rows = [(d.measure, d.share, d.significant, d.pairs, d.delta) for d in powers]
    provenance = (
        {
            "test": powers[0].test,
            "alpha": powers[0].alpha,
            "replicates": powers[0].replicates,
            "counting": powers[0].counting,
        }
        if powers
        else {}
    )
    return Table(columns, rows, provenance)


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
    if test == "randomized-tukey-hsd":
        tukey = randomized_tukey_hsd(x, Trials(trials=trials, seed=seed, jobs=jobs, counting=counting))
        p, means = tukey.p[first, second], tukey.anova.means
        apart = np.abs(means[first] - means[second])[p < alpha]
        delta = float(apart.max()) if len(apart) else None
    else:
        resampled = bootstrap_p(
            x[second] - x[first],
            Trials(trials=trials, seed=seed, confidence=1 - alpha, jobs=jobs, counting=counting),
        )
        p, delta = resampled.p, float(resampled.delta.max())
    return DiscriminativePower(name, np.sort(p), alpha, delta, test, trials, counting)
