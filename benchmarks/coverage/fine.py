"""Differences of answers by few gold labels and a judge that gives fine values: errors and coverage.

Two systems answer the same 100 topics, b better by 0.05.  A judge gives every answer a value, people value some: a
random sample (`random`), or the first rows of a drawn list (`list`).  Worlds were chosen before any result was seen.

    python -m benchmarks.coverage.fine --studies 400

prints, for each judge and number of gold labels, the root mean square error of the difference on these topics, by
people alone, by the judge plus the mean of people's values less the judge's, and corrected; then the coverage of the
corrected 95% intervals: for topics like these, for these only, and of a list, for these only.

    python -m benchmarks.coverage.fine --studies 150 --data ../shared/data

takes two random systems of TREC DL 2019: values are nDCG@10 of a topic, people's by NIST's labels, the judge's by those
of an LLM.  What topics like these would give is not known there.
"""

from __future__ import annotations

import argparse
import math
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

import truegain as tg
from benchmarks.coverage.levels import rows_of
from benchmarks.judge.dl19 import DL19_JUDGES, aligned
from benchmarks.judge.labels import read_wide

Array = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def slipped(true: Array, rng: np.random.Generator) -> Array:
    """1, and 10 for one value in a hundred."""
    return np.where(rng.random(true.shape) < 0.01, 10.0, 1.0)


JUDGES = {  # the judge's values of true ones
    "fine": lambda true, rng: true + rng.normal(0, 0.05, true.shape),
    "fine, favors b": lambda true, rng: (
        0.2 + 0.7 * true + 0.08 * np.array([[0], [1]]) + rng.normal(0, 0.05, true.shape)
    ),
    "noisy": lambda true, rng: true + rng.normal(0, 0.3, true.shape),
    "4% gross errors": lambda true, rng: np.where(rng.random(true.shape) < 0.04, rng.random(true.shape), true),
    "12% gross errors": lambda true, rng: np.where(rng.random(true.shape) < 0.12, rng.random(true.shape), true),
    "root": lambda true, rng: np.sqrt(true) + rng.normal(0, 0.04, true.shape),
    "above 0.6 or not": lambda true, rng: (true > 0.6) * 0.8 + rng.normal(0, 0.02, true.shape),
    "fine, 1% times ten": lambda true, rng: np.clip(true + rng.normal(0, 0.05, true.shape), 0, 1) * slipped(true, rng),
    "useless": lambda true, rng: rng.beta(2, 2, true.shape),
}
TOPICS, GAIN = 100, 0.05
LABELS = (20, 40, 80)


def draw(judge: str, rng: np.random.Generator, topics: int = TOPICS) -> tuple[Array, Array]:
    """True values and the judge's, systems by topics."""
    ease = rng.beta(3, 2, topics)
    true = np.clip(0.6 * ease + 0.4 * rng.beta(2, 2, (2, topics)) + np.array([[0.0], [GAIN]]), 0, 1)
    return true, np.clip(JUDGES[judge](true, rng), 0, 10 if "ten" in judge else 1)


def drawn(n: int, topics: int, rng: np.random.Generator) -> Bools:
    """Which answers people value."""
    kept = np.zeros(2 * topics, np.bool_)
    kept[rng.choice(2 * topics, n, replace=False)] = True
    return kept.reshape(2, topics)


def inside(study: tg.Study, truth: float) -> float:
    """1 where the interval of the difference holds the truth, else 0; NaN where refused or the truth is unknown."""
    pair = study.compare("a", "b")[0]
    if pair.low is None or pair.high is None or math.isnan(truth):
        return math.nan
    return float(pair.low - 1e-9 <= truth <= pair.high + 1e-9)


Seen = tuple[list[float], list[float]]  # errors by each way, and what intervals held


def one(judge: str, n: int, seed: int, everywhere: float) -> Seen:
    """A study of a world."""
    rng = np.random.default_rng([seed, n])
    true, seen = draw(judge, rng)
    return studied(true, seen, drawn(n, TOPICS, rng), seed, everywhere)


def studied(true: Array, seen: Array, kept: Bools, seed: int, everywhere: float) -> Seen:
    """Two systems, with people's values of the answers that are kept, then of as many of a list."""
    truth, n = float(np.diff(true.mean(axis=1))[0]), int(kept.sum())
    items, gold = tg.read_items(rows_of(seen, np.ones_like(kept))), tg.read_items(rows_of(true, kept))
    here = tg.Study(items, measures="value", gold=tg.Gold(gold, "random"), population="fixed")
    like = tg.Study(items, measures="value", gold=tg.Gold(gold, "random"))
    people, off = (float(np.diff([values[s][kept[s]].mean() for s in (0, 1)])[0]) for values in (true, true - seen))
    corrected = here.compare("a", "b")[0].difference
    errors = [people - truth, float(np.diff(seen.mean(axis=1))[0]) + off - truth, corrected - truth]
    listed = tg.sample_gold(items, measure="value", seed=seed)
    labels: dict[str, dict[str, float]] = {}
    for topic, doc in zip(listed.topics[:n], listed.docs[:n], strict=True):
        labels.setdefault(topic, {})[doc] = float(true["ab".index(doc), int(topic[1:])])
    by_list = tg.Study(items, measures="value", gold=listed.filled(labels), population="fixed")
    return errors, [inside(like, everywhere), inside(here, truth), inside(by_list, truth)]


def of_dl19(folder: Path) -> tuple[Array, dict[str, Array]]:
    """Systems by topics: nDCG@10 by NIST's labels, and by those of each LLM."""
    labels = read_wide(folder / "dl_llm_judges" / "dl19_labels_wide.csv.xz")
    ndcg = tg.parse_measure("nDCG@10")

    def scores(values: Array) -> Array:
        runs = folder / "dl19_runs" / "dl19_runs_top100_judgedtopics.tar.xz"
        return np.asarray(ndcg.score(aligned(replace(labels, nist=np.maximum(np.nan_to_num(values), 0)), runs)))

    return scores(labels.nist), {judge: scores(labels.judges[judge]) for judge in DL19_JUDGES}


def of_pair(true: Array, seen: Array, n: int, seed: int) -> Seen:
    """A study of two random systems."""
    rng = np.random.default_rng([seed, n])
    pair = rng.choice(len(true), 2, replace=False)
    kept = drawn(n, true.shape[1], rng)
    return studied(true[pair], seen[pair], kept, seed, math.nan)


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.coverage.fine", description=__doc__)
    asked.add_argument("--studies", type=int, default=400)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--judge", action="append", choices=list(JUDGES))
    asked.add_argument("--data", type=Path, help="the folder of real data: TREC DL 2019 in place of the worlds")
    given = asked.parse_args()
    warnings.simplefilter("ignore")
    print("| judge | gold labels | people alone | judge + mean difference | corrected | topics | these topics | list |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    seeds = range(given.seed, given.seed + given.studies)
    if given.data is not None:
        true, by_judge = of_dl19(given.data)
        for judge, seen in by_judge.items():
            for n in LABELS[:2]:
                show(judge, n, [of_pair(true, seen, n, seed) for seed in seeds])
        return
    true = draw("fine", np.random.default_rng(1), 400_000)[0].mean(axis=1)
    for judge in given.judge or JUDGES:
        for n in LABELS:
            show(judge, n, [one(judge, n, seed, float(true[1] - true[0])) for seed in seeds])


def show(judge: str, n: int, studies: list[Seen]) -> None:
    """Print a row."""
    errors = np.sqrt(np.mean(np.square([e for e, _ in studies]), axis=0))
    held = np.nanmean([h for _, h in studies], axis=0)
    cells = [*(f"{x:.4f}" for x in errors), *("-" if math.isnan(x) else f"{x:.3f}" for x in held)]
    print(f"| {judge} | {n} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
