"""Fisher's randomization test of every pair of 129 systems, 1,000 trials each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.races.matrices import differences_of, made, scores_of
from benchmarks.racing.contest import US, Answer, Inside, Job, Workload

TRIALS, PAIRS = 1000, 129 * 128 // 2
RANX, SCIPY = 300, 300  # so many of the pairs


def truegain(place: Path, jobs: int | None = None) -> Job:
    """All pairs at once."""
    from truegain.stats.multiple_testing import Trials
    from truegain.stats.significance.pairs import randomization_p

    z = differences_of(scores_of(place))
    how = Trials(trials=TRIALS, most=TRIALS, jobs=jobs)

    def job() -> Callable[[], Answer]:
        p = randomization_p(z, how)
        return lambda: {"first pairs": float(p[:RANX].mean()), "all pairs": float(p.mean())}

    return job


def ranx(place: Path) -> Job:
    """Pair by pair, as its `compare` does."""
    import numpy as np
    from ranx.statistical_tests import fisher_randomization_test  # type: ignore[import-untyped]

    x = scores_of(place)
    first, second = (index[:RANX] for index in np.triu_indices(len(x), 1))
    fisher_randomization_test(x[0], x[1], n_permutations=10, random_seed=0)  # compiles

    def job() -> Callable[[], Answer]:
        p = [
            fisher_randomization_test(x[i], x[j], n_permutations=TRIALS, random_seed=42)[0]
            for i, j in zip(first, second, strict=True)
        ]
        return lambda: {"first pairs": float(np.mean(p))}

    return job


def scipy(place: Path) -> Job:
    """Pair by pair, vectorised over the trials."""
    import numpy as np
    from scipy.stats import permutation_test

    z = differences_of(scores_of(place))[:SCIPY]

    def job() -> Callable[[], Answer]:
        p = [
            permutation_test(
                (row,),
                lambda v, axis: np.mean(v, axis=axis),
                permutation_type="samples",
                n_resamples=TRIALS,
                vectorized=True,
                rng=np.random.default_rng(0),
            ).pvalue
            for row in z
        ]
        return lambda: {"first pairs": float(np.mean(p))}

    return job


WORKLOAD = Workload(
    "randomization",
    "randomization test of all 8,256 pairs of 129 systems on 50 topics, 1,000 trials each",
    made,
    {
        US: Inside(truegain),
        f"{US}, 1 thread": Inside(partial(truegain, jobs=1)),
        "ranx": Inside(ranx, ("ranx",), RANX / PAIRS, f"{RANX:,} pairs, scaled"),
        "scipy": Inside(scipy, (), SCIPY / PAIRS, f"{SCIPY:,} pairs, scaled"),
    },
    tolerance=0.01,  # other random numbers
)
