"""Krippendorff's alpha of a million ratings, from the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.races.ratings_files import made
from benchmarks.racing.contest import US, Answer, Inside, Job, Workload


def truegain(place: Path) -> Job:
    """Everything that `truegain agree` tells: alpha with limits, every topic, every assessor."""
    import truegain as tg

    agreement = tg.agreement  # loaded when first asked for

    def job() -> Callable[[], Answer]:
        found = agreement(place / "ratings.csv", scale="ordinal 0:3")
        name, alpha = found.overall.rows[0][:2]
        assert isinstance(alpha, float)
        return lambda: {str(name): alpha}

    return job


def alone(place: Path) -> Job:
    """Alpha without limits and nothing else, as the peer gives it."""
    from truegain.data.rating_groups import Grouped
    from truegain.data.ratings import read_ratings
    from truegain.reliability.alpha import AlphaOptions, Paired, alpha_of

    def job() -> Callable[[], Answer]:
        ratings = Grouped.of(read_ratings(place / "ratings.csv", scale="ordinal 0:3"))
        alpha = alpha_of(Paired.of(ratings), "ordinal", AlphaOptions(trials=0)).value
        return lambda: {"alpha ordinal": alpha}

    return job


def krippendorff(place: Path) -> Job:
    """Alpha alone, from counts of values made with pandas; a table of all assessors by documents would be 3 GB."""
    import krippendorff
    import numpy as np
    import pandas as pd  # type: ignore[import-untyped]

    def job() -> Callable[[], Answer]:
        read = pd.read_csv(place / "ratings.csv")
        counts = pd.crosstab([read["topic"], read["doc"]], read["label"])
        alpha = krippendorff.alpha(
            value_counts=counts.to_numpy(), value_domain=np.array(counts.columns), level_of_measurement="ordinal"
        )
        return lambda: {"alpha ordinal": float(alpha)}

    return job


WORKLOAD = Workload(
    "agree",
    "a million grades by 2,000 assessors; file to Krippendorff's alpha, ordinal",
    made,
    {
        US: Inside(truegain, note="with limits, topics, assessors"),
        f"{US}, alpha alone": Inside(alone),
        "krippendorff": Inside(krippendorff, ("krippendorff", "pandas"), note="alpha alone; pandas reads"),
    },
    tolerance=1e-6,
)
