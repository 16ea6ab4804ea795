"""Randomized Tukey HSD of all pairs of 129 systems, beside the loop that one would write."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.races.matrices import made, scores_of
from benchmarks.racing.contest import US, Answer, Inside, Job, Workload

TRIALS = 10_000


def truegain(place: Path, jobs: int | None = None, trials: int = TRIALS, systems: int | None = None) -> Job:
    """Ours."""
    from truegain.stats.multiple_testing import Trials
    from truegain.stats.significance.anova import randomized_tukey_hsd

    x = scores_of(place)[:systems]

    def job() -> Callable[[], Answer]:
        found = randomized_tukey_hsd(x, Trials(trials=trials, jobs=jobs))
        return lambda: {"mean p": float(found.p.mean())}

    return job


def plain(place: Path) -> Job:
    """A loop over replicates, numpy inside."""
    import numpy as np

    x = scores_of(place)

    def job() -> Callable[[], Answer]:
        rng = np.random.default_rng(0)
        ranges = np.empty(TRIALS)
        for b in range(TRIALS):
            means = rng.permuted(x.T, axis=1).mean(axis=0)
            ranges[b] = means.max() - means.min()
        means = x.mean(axis=1)
        reached = np.sort(ranges).searchsorted(np.abs(means[:, None] - means) - 1e-12)
        p = (TRIALS - reached + 1) / (TRIALS + 1)
        np.fill_diagonal(p, 1.0)
        return lambda: {"mean p": float(p.mean())}

    return job


WORKLOAD = Workload(
    "tukey",
    "randomized Tukey HSD, all pairs of 129 systems on 50 topics, 10,000 trials",
    made,
    {
        US: Inside(truegain),
        f"{US}, 1 thread": Inside(partial(truegain, jobs=1)),
        "numpy, a plain loop": Inside(plain),
    },
    tolerance=0.01,  # other random numbers
)
