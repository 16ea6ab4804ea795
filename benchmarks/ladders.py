"""What grows: for each, our own work at 1x, 2x, 4x and 8x; reading is timed only where lines or ratings are counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.races import collection, index, matrices, ratings_files, scoring, texts, tukey
from benchmarks.racing.contest import Answer, Inside, Job, Workload, first_of
from benchmarks.racing.scaled import STEPS


@dataclass(frozen=True)
class Ladder:
    """A workload whose contestants are the sizes."""

    workload: Workload
    unit: str
    sizes: tuple[int, ...]


def ladder(
    name: str, what: str, unit: str, first: int, make: Callable[[Path], Path], start: Callable[[Path, int], Job]
) -> Ladder:
    """1x, 2x, 4x and 8x of `first`."""
    sizes = tuple(first * step for step in STEPS)
    entrants = {f"{step}x": Inside(partial(_at, start=start, size=n)) for step, n in zip(STEPS, sizes, strict=True)}
    return Ladder(Workload(name, what, make, {**entrants}, files="**/*.txt"), unit, sizes)


def _at(place: Path, start: Callable[[Path, int], Job], size: int) -> Job:
    return start(place, size)


# ---------------------------------------------------------------------- what is done at a size


def _passages(folder: Path) -> Path:
    """A file for each size of one system's results on many topics: the first lines of the workload `topics`."""
    from benchmarks.workloads import make

    place, lines = make("topics", folder), 1000
    for step in STEPS:
        part = place / "parts" / f"{FIRST_TOPICS * step * lines}"
        (part / "runs").mkdir(parents=True, exist_ok=True)
        (part / "qrels.txt").write_text((place / "qrels.txt").read_text())
        first_of(place / "runs" / "sys001.txt", part / "runs" / "sys001.txt", FIRST_TOPICS * step * lines)
    return place


def _lines(place: Path, size: int) -> Job:
    return scoring.truegain(place / "parts" / str(size), scoring.MEASURES)


def _systems(place: Path, size: int) -> Job:
    return scoring.truegain(place, scoring.MEASURES, runs=size)


def _trials(place: Path, size: int) -> Job:
    return tukey.truegain(place, trials=size)


def _pairs(place: Path, size: int) -> Job:
    return tukey.truegain(place, systems=size)


def _replicates(place: Path, size: int) -> Job:
    return collection.truegain(place, replicates=size, runs=32)


def _topics(place: Path, size: int) -> Job:
    """The randomization test of two systems, on the first so many topics."""
    from truegain.stats.multiple_testing import Trials
    from truegain.stats.significance.pairs import randomization_p

    x = matrices.scores_of(place)
    z = (x[1] - x[0])[None, :size]

    def job() -> Callable[[], Answer]:
        p = float(randomization_p(z, Trials(trials=1000, most=1000))[0])
        return lambda: {"p": p}

    return job


def _ratings(place: Path, size: int) -> Job:
    """`agree` on the first so many ratings."""
    import truegain as tg

    agreement = tg.agreement  # loaded when first asked for
    part = first_of(place / "ratings.csv", place / f"first-{size}.csv", size + 1)

    def job() -> Callable[[], Answer]:
        found = agreement(part, scale="ordinal 0:3")
        return lambda: {"rows": float(len(found.overall.rows))}

    return job


FIRST_TOPICS = 872
LADDERS = {
    "lines": ladder("lines", "one run to scores, from files", "lines", FIRST_TOPICS * 1000, _passages, _lines),
    "systems": ladder(
        "systems", "runs of 50 topics to scores, from files", "systems", 16,
        partial(scoring.trec_files, "large"), _systems,
    ),
    "topics": ladder(
        "topics", "randomization test of a pair, 1,000 trials", "topics", 12_500,
        partial(matrices.made, systems=2, topics=100_000), _topics,
    ),
    "pairs": ladder("pairs", "randomized Tukey HSD of all pairs, 10,000 trials", "systems", 16, matrices.made, _pairs),
    "trials": ladder("trials", "randomized Tukey HSD, 129 systems", "trials", 5000, matrices.made, _trials),
    "replicates": ladder(
        "replicates", "AP of 32 runs over drawn collections", "replicates", 500,
        partial(scoring.trec_files, "large"), _replicates,
    ),
    "ratings": ladder("ratings", "agree, from the file", "ratings", 125_000, ratings_files.made, _ratings),
    "text": ladder("text", "text index", "documents", 11_000, partial(texts.made, megabytes=100), index.truegain),
}  # fmt: skip
LINES, SYSTEMS, TOPICS, PAIRS, TRIALS, REPLICATES, RATINGS, TEXT = (found.workload for found in LADDERS.values())
