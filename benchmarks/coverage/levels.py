"""Corrected differences of answers by gold values of few levels: how often 95% intervals hold the truth.

Two systems answer the same topics, people give values of 3, 5 or 11 levels to some answers at random, a judge to all.
Settings were chosen before any result was seen.

    python -m benchmarks.coverage.levels --studies 300

prints, for each judge, number of levels and of topics, coverage and mean half-width, for topics like these and for
these topics only.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import numpy.typing as npt

import truegain as tg

Array = npt.NDArray[np.float64]
JUDGES = {  # how the judge's values come about
    "fine": "values to two decimals, lenient to b",
    "coarse": "the levels of people, lenient to b",
    "rarely wrong": "as people in most answers, any level in 4% of a's and 10% of b's",
    "near the top": "most answers at the highest level, lenient to b",
    "useless": "any level",
}
LEVELS, SIZES = (3, 5, 11), ((40, 0.4), (80, 0.3))  # topics, and the share of answers with a gold value
MANY = 100_000


def draw(rng: np.random.Generator, judge: str, levels: int, topics: int) -> tuple[Array, Array]:
    """People's values and the judge's, systems by topics."""
    ease = rng.normal(0, 0.15, topics)
    quality = np.array([[0.5], [0.6]]) + ease + rng.normal(0, 0.2, (2, topics))
    if judge == "near the top":
        quality = np.array([[0.85], [0.92]]) + 0.5 * ease + rng.normal(0, 0.15, (2, topics))
    true = rounded(quality, levels)
    if judge == "rarely wrong":
        wrong = rng.random((2, topics)) < np.array([[0.04], [0.1]])
        return true, np.where(wrong, rounded(rng.random((2, topics)), levels), true)
    if judge == "fine":
        seen = quality + np.array([[0.0], [0.12]]) + rng.normal(0, 0.1, (2, topics))
        return true, np.round(np.clip(seen, 0, 1), 2)
    if judge == "useless":
        return true, rounded(rng.random((2, topics)), levels)
    return true, rounded(true + np.array([[0.0], [0.1]]) + rng.normal(0, 0.12, (2, topics)), levels)


def rounded(values: Array, levels: int) -> Array:
    """Values between 0 and 1 in so many levels."""
    return np.round(np.clip(values, 0, 1) * (levels - 1)) / (levels - 1)


def rows_of(values: Array, kept: npt.NDArray[np.bool_]) -> list[dict[str, object]]:
    """A table with a row for each value that is kept."""
    return [
        {"topic": f"q{t}", "system": "ab"[s], "value": float(values[s, t])}
        for s, t in zip(*np.nonzero(kept), strict=True)
    ]


def seen(seed: int, judge: str, levels: int, topics: int, share: float) -> list[tuple[bool, float]] | None:
    """Whether the interval holds the truth, and its half-width, for both populations; None where one is refused."""
    rng = np.random.default_rng(seed)
    true, judged = draw(rng, judge, levels, topics)
    kept = rng.random((2, topics)) < share
    items, gold = tg.read_items(rows_of(judged, np.ones_like(kept))), tg.read_items(rows_of(true, kept))
    answers = []
    for population, truth in (
        ("topics", expected(judge, levels)),
        ("fixed", float(np.subtract(*true[::-1].mean(axis=1)))),
    ):
        study = tg.Study(items, measures="value", gold=tg.Gold(gold, "random"), population=population)
        pair = study.compare("a", "b")[0]
        if pair.low is None or pair.high is None:
            return None
        answers.append((pair.low - 1e-9 <= truth <= pair.high + 1e-9, (pair.high - pair.low) / 2))
    return answers


TRUTHS: dict[tuple[str, int], float] = {}


def expected(judge: str, levels: int) -> float:
    """The difference over all topics there could be."""
    if (judge, levels) not in TRUTHS:
        true = draw(np.random.default_rng(1), judge, levels, MANY)[0].mean(axis=1)
        TRUTHS[judge, levels] = float(true[1] - true[0])
    return TRUTHS[judge, levels]


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.coverage.levels", description=__doc__)
    asked.add_argument("--studies", type=int, default=300)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--judge", action="append", choices=list(JUDGES))
    given = asked.parse_args()
    warnings.simplefilter("ignore")
    print("| judge | levels | topics | topics like these | these topics |\n|---|---:|---:|---|---|")
    for judge in given.judge or JUDGES:
        for levels in LEVELS:
            for topics, share in SIZES:
                seeds = range(given.seed, given.seed + given.studies)
                found = [x for seed in seeds if (x := seen(seed, judge, levels, topics, share)) is not None]
                cells = [
                    f"{np.mean([x[k][0] for x in found]):.3f} ({np.mean([x[k][1] for x in found]):.3f})" for k in (0, 1)
                ]
                lost = f", {given.studies - len(found)} refused" if len(found) < given.studies else ""
                print(f"| {judge} | {levels} | {topics} | {cells[0]}{lost} | {cells[1]} |", flush=True)


if __name__ == "__main__":
    main()
