"""Widths that a study predicts for more topics, gold, assessors or answers, over those that such studies have.

A small study predicts; other studies of the larger size, drawn anew, tell.  The ratio is that of the mean half widths
of the real pair's interval.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

import truegain as tg
from benchmarks.coverage.run import seen_in
from benchmarks.coverage.worlds import World
from benchmarks.study.alone import DRAWS, LEAN, SHARE
from benchmarks.study.judged import Crowd, bronze_of, gold_pairs, labels_of, mean_vote, names_of, ratings_of, runs_of
from benchmarks.study.nature import Array, Ints, Lists, any_kinds
from truegain.errors import DataWarning

NOW, ASSESSORS, TIMES = 30, 6, 3
RULES = {"CG@10": "mean", "P@10": "majority"}  # of one judge's answers


@dataclass(frozen=True)
class Size:
    """How much of everything: topics, share of pairs with gold labels, assessors, times that one judge was asked.

    0 for none of it; `whole`: how many topics are gold-judged as a whole; `fixed`: these topics only.
    """

    topics: int = NOW
    gold: float = 0.0
    whole: int = 0
    assessors: int = 0
    times: int = 0
    fixed: bool = False


@dataclass(frozen=True)
class Step:
    """What is bought: the world as it is, and as it is then."""

    name: str
    measure: str
    now: Size
    then: Size
    factors: Mapping[str, float]


GOLD, CROWD, BOTH = Size(gold=SHARE), Size(assessors=ASSESSORS), Size(gold=SHARE, assessors=ASSESSORS)
STEPS = (
    *(
        Step(f"topics x {k}", m, Size(), Size(topics=k * NOW), {"topics": k})
        for k in (2, 4)
        for m in ("P@10", "nDCG@10", "AP")
    ),
    *(
        Step(f"topics x {k}, gold pairs", "P@10", GOLD, Size(topics=k * NOW, gold=SHARE), {"topics": k})
        for k in (2, 4)
    ),
    Step("gold x 2", "P@10", GOLD, Size(gold=2 * SHARE), {"gold": 2}),
    Step("all gold", "P@10", GOLD, Size(gold=1.0), {"gold": 1 / SHARE}),
    Step("assessors x 3", "CG@10", CROWD, Size(assessors=3 * ASSESSORS), {"assessors": 3}),
    *(
        Step(f"{n} whole gold topics of {T} made {k}", m, Size(T, whole=n), Size(T, whole=k), {"gold": k / n})
        for n, T, k in ((8, 50, 16), (8, 50, 50), (15, 50, 50), (8, 25, 25))
        for m in ("P@10", "nDCG@10", "AP")
    ),
    Step("topics x 2, gold by assessors", "CG@10", BOTH, Size(2 * NOW, SHARE, assessors=ASSESSORS), {"topics": 2}),
    Step("gold x 2, by assessors", "CG@10", BOTH, Size(NOW, 2 * SHARE, assessors=ASSESSORS), {"gold": 2}),
    Step("assessors x 3, of gold", "CG@10", BOTH, Size(NOW, SHARE, assessors=3 * ASSESSORS), {"assessors": 3}),
    *(
        Step(f"asked {k} times in place of {TIMES}{', these topics' * fixed}", m, Size(times=TIMES, fixed=fixed),
             Size(times=k, fixed=fixed), {"replicates": k / TIMES})
        for fixed, m in ((False, "CG@10"), (False, "P@10"), (True, "CG@10"))
        for k in (2 * TIMES + 1, 4 * TIMES + 1)
    ),
    Step("topics x 2, asked", "CG@10", Size(times=TIMES), Size(2 * NOW, times=TIMES), {"topics": 2}),
)  # fmt: skip


def answers_of(lists: Lists, times: int, rng: np.random.Generator) -> tuple[Ints, Array]:
    """Who rated, topic x document x time, always the same, and what he said: wrong in a quarter, each time anew."""
    shape = (*lists.relevant.shape, times)
    said = rng.random(shape) < mean_vote(lists.right)[:, :, None]
    return np.zeros(shape, np.int64), said.astype(np.float64)


def made(rng: np.random.Generator, size: Size, measure: str) -> tg.Study:
    """A study of this size in the world of all sources."""
    lists = Lists.draw(any_kinds(size.topics, rng), rng)
    names = names_of(lists)
    runs = runs_of(lists, names)
    truth = lists.right
    over = ["topics", *(["assessors"] if size.assessors else [])]
    if size.times:
        answers = answers_of(lists, size.times, rng)
        over = ["replicates", *([] if size.fixed else ["topics"])]
        return tg.Study(
            runs,
            ratings_of(names, *answers),
            measure,
            population=over,
            ratings=tg.Ratings(RULES[measure], scale="0:1", repeated="all"),
        )
    ratings = Crowd.draw(size.assessors, rng).votes(lists.relevant, rng) if size.assessors else None
    if not size.gold and ratings is not None:
        return tg.Study(
            runs, ratings_of(names, *ratings), measure, population=over, ratings=tg.Ratings("mean", scale="0:1")
        )
    if not size.gold and not size.whole:
        return tg.Study(runs, labels_of(truth, names), measure, population=over)
    bronze = bronze_of(lists, rng, LEAN)
    if size.whole:
        some = sorted(rng.choice(size.topics, size.whole, replace=False).tolist())
        right = labels_of(truth, names)
        gold = {f"t{t:03d}": right[f"t{t:03d}"] for t in some}
        return tg.Study(runs, labels_of(bronze, names), measure, population=over, gold=tg.Gold(gold, design="topics"))
    kept = gold_pairs(bronze, lists, size.gold, "random", rng)
    if ratings is None:
        gold = labels_of(truth, names, kept)
        return tg.Study(runs, labels_of(bronze, names), measure, population=over, gold=tg.Gold(gold, design="random"))
    return tg.Study(
        runs,
        labels_of(bronze, names),
        measure,
        population=over,
        gold=tg.Gold(ratings_of(names, *ratings, kept), design="random", aggregate="mean"),
        ratings=tg.Ratings(scale="0:1"),
        resampling=tg.Resampling(n=DRAWS),
    )


def forecast_and_actual(rng: np.random.Generator, step: Step) -> dict[str, tuple[float, float]]:
    """Half widths: what a study of today predicts for then, and what another one of then has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        forecast = made(rng, step.now, step.measure).precision("a", "c").after(**step.factors)
        come = made(rng, step.then, step.measure).compare("a", "c")[0]
    assert come.low is not None
    assert come.high is not None
    return {step.measure: (forecast, (come.high - come.low) / 2)}


def tell(studies: int, seed: int, jobs: int | None, only: str = "") -> None:
    """Print the table."""
    seen = seen_in("benchmarks.study", ("plan",), studies, seed, jobs, only)
    print("| step | measure | forecast | came | ratio | +- |\n|---|---|---|---|---|---|")
    for (_, world, measure), ones in seen.items():
        forecast, come = np.array(ones).T
        ratio = forecast.mean() / come.mean()
        error = ratio * np.hypot(*(x.std() / x.mean() / np.sqrt(len(x)) for x in (forecast, come)))
        out = "" if 0.85 <= ratio <= 1.15 else " !"
        print(f"| {world} | {measure} | {forecast.mean():.4f} | {come.mean():.4f} | {ratio:.2f}{out} | {error:.2f} |")


WORLDS = tuple(World(f"{s.name}, {s.measure}", partial(forecast_and_actual, step=s)) for s in STEPS)
