"""Tukey's HSD of all pairs of 129 systems, from the studentized range."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.races.matrices import made, scores_of
from benchmarks.racing.contest import US, Answer, Inside, Job, Workload

if TYPE_CHECKING:
    from benchmarks.races.matrices import Floats

PAIRS = 129 * 128 // 2
STEP = 200  # peers do every 200th pair
SOME = len(range(0, PAIRS, STEP))


def truegain(place: Path) -> Job:
    """Two-way analysis of variance, all pairs."""
    import numpy as np

    from truegain.stats.significance.anova import tukey_hsd

    x = scores_of(place)

    def job() -> Callable[[], Answer]:
        p = tukey_hsd(x).p[np.triu_indices(len(x), 1)]
        return lambda: {f"pair {i}": float(p[i]) for i in range(0, PAIRS, STEP)}

    return job


def _statistics(x: Floats) -> tuple[Floats, int]:
    """The studentized differences by the textbook, and degrees of freedom."""
    import numpy as np

    systems, topics = x.shape
    rest = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
    df = (systems - 1) * (topics - 1)
    first, second = np.triu_indices(systems, 1)
    means = x.mean(axis=1)
    return np.abs(means[first] - means[second]) / np.sqrt((rest**2).sum() / df / topics), df


def scipy(place: Path) -> Job:
    """An integral for each pair, by scipy's studentized range."""
    import warnings

    from scipy import stats

    x = scores_of(place)

    def job() -> Callable[[], Answer]:
        q, df = _statistics(x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            p = stats.studentized_range.sf(q[::STEP], len(x), df)
        return lambda: {f"pair {i * STEP}": float(v) for i, v in enumerate(p)}

    return job


def statsmodels(place: Path) -> Job:
    """The studentized range as statsmodels approximates it."""
    import numpy as np
    from statsmodels.stats.libqsturng import psturng  # type: ignore[import-untyped]

    x = scores_of(place)

    def job() -> Callable[[], Answer]:
        q, df = _statistics(x)
        p = np.atleast_1d(psturng(q[::STEP], len(x), df))
        return lambda: {f"pair {i * STEP}": float(v) for i, v in enumerate(p)}

    return job


WORKLOAD = Workload(
    "hsd",
    "Tukey's HSD, all 8,256 pairs of 129 systems on 50 topics",
    made,
    {
        US: Inside(truegain),
        "scipy": Inside(scipy, (), SOME / PAIRS, f"{SOME} pairs, scaled"),
        "statsmodels": Inside(
            statsmodels, ("statsmodels",), SOME / PAIRS, f"{SOME} pairs, scaled; an approximation, p from 0.001 to 0.9"
        ),
    },
    tolerance=1e-6,
)
